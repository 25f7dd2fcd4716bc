"""How the time of one climb without labels grows with variables, rows and states, beside pybnesian's hill climber.

    python -m benchmarks.bench_scaling [--most SECONDS]

Medians of five by one thread, ours and the peer's in turn; single runs of more than five seconds. Neither is measured
further once it has taken longer than ``--most``. ``results/scaling.csv`` keeps the times, `draw_scaling` draws
them, and beside them how much sooner jobs end on two threads (``python -m benchmarks.bench_threads``).
"""

import argparse
import csv
import statistics
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

import ldag
from benchmarks.bench_search import peer_climbers, repeated_alarm
from benchmarks.bench_wide import sparse_sample
from benchmarks.harness import RESULTS, machine, spell_seconds
from ldag import Dataset
from ldag.drawing.charts import LineChart, RowChart, Series, lay_out_charts
from ldag.drawing.svg import write_svg

SEED = 3107
"""Of the networks and rows: none of what was tuned was tuned on these."""
REPEATS, LONG = 5, 5.0
PEER = "pybnesian"
HEADER = ("axis", "size", "program", "seconds")


class Axis(NamedTuple):
    """What grows, how far, the table of each size, and what sizes are drawn in."""

    name: str
    sizes: Sequence[int]
    table: Callable[[int], Dataset]
    unit: int = 1


AXES = (
    Axis("variables", (50, 100, 200, 400, 800, 1_600, 3_200), lambda n: sparse_sample(n, 2_000, SEED)),
    Axis("rows", (1_000, 10_000, 100_000, 1_000_000, 10_000_000), lambda n: repeated_alarm(n, min(n, 100_000)), 1_000),
    Axis("states", (2, 4, 8, 16, 32), lambda n: sparse_sample(30, 20_000, SEED, states=(n, n))),
)
TITLES = {
    "variables": "Variables (2,000 rows, 2 to 4 states)",
    "rows": "Rows (37 variables of alarm)",
    "states": "States (30 variables, 20,000 rows)",
}


def frame_of(data: Dataset) -> pd.DataFrame:
    """The table with a category for every state."""
    frame = {}
    for variable, codes in zip(data.variables, data.codes, strict=True):
        column = np.repeat(codes, data.whole_weights)
        frame[variable.name] = pd.Categorical.from_codes(column, categories=[str(state) for state in variable.states])
    return pd.DataFrame(frame)


def climbs(data: Dataset, with_peer: bool) -> dict[str, Callable[[], object]]:
    """One climb of each program."""
    jobs: dict[str, Callable[[], object]] = {
        "ldag": lambda: ldag.learn(
            data,
            kappa=1,
            structure="table",
            method="climb",
            n_restarts=0,
            equivalent_sample_size=1.0,
            n_jobs=1,
            progress=False,
        )
    }
    if with_peer:
        jobs[PEER] = peer_climbers(frame_of(data))[PEER]
    return jobs


def median_seconds(jobs: dict[str, Callable[[], object]]) -> dict[str, float]:
    """The CPU seconds of each job, run in turn."""
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(REPEATS):
        for name, job in jobs.items():
            if times[name] and times[name][0] > LONG:
                continue
            start = time.process_time()
            job()
            times[name].append(time.process_time() - start)
    return {name: statistics.median(own) for name, own in times.items()}


def measure(axis: Axis, most: float) -> list[tuple[str, int, str, float]]:
    """Grow one size, until programs take too long."""
    rows = []
    last = {"ldag": 0.0, PEER: 0.0}
    for size in axis.sizes:
        if last["ldag"] > most:
            break
        seconds = median_seconds(climbs(axis.table(size), with_peer=last[PEER] <= most))
        last |= {PEER: float("inf")} | seconds
        for program, own in seconds.items():
            rows.append((axis.name, size, program, own))
            print(f"  {size:>10,} {axis.name}: {program} {spell_seconds(own)}", flush=True)
    return rows


def draw_scaling() -> str:
    """Return the picture of the tables of this benchmark and of that of threads."""
    with (RESULTS / "scaling.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    charts: list[LineChart | RowChart] = []
    for axis in AXES:
        series = []
        for program in ("ldag", PEER):
            own = [row for row in rows if (row["axis"], row["program"]) == (axis.name, program)]
            if own:
                sizes = [float(row["size"]) / axis.unit for row in own]
                series.append(Series(program, sizes, [float(row["seconds"]) for row in own]))
        ticks = [size / axis.unit for size in axis.sizes]
        label = axis.name if axis.unit == 1 else f"thousand {axis.name}"
        charts.append(LineChart(TITLES[axis.name], series, label, "CPU seconds", log_x=True, log_y=True, x_ticks=ticks))
    with (RESULTS / "threads.csv").open(newline="") as file:
        jobs = list(csv.DictReader(file))
    gains = [float(job["peer_seconds"]) / float(job["seconds"]) for job in jobs]
    names = [job["job"].removesuffix(" (wall)") for job in jobs]
    sooner = Series("ldag", gains, list(range(len(jobs))), kind="dots")
    charts.append(RowChart("Threads (2)", names, [sooner], "times sooner than with one"))
    return write_svg(lay_out_charts(charts, title="How time grows", columns=2))


def main() -> None:
    """Measure, print, and keep the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=float, default=20.0, help="seconds of the last run that is made of each program")
    most = parser.parse_args().most
    print(f"scaling: {machine([PEER])}")
    rows = [row for axis in AXES for row in measure(axis, most)]
    with (RESULTS / "scaling.csv").open("w", newline="") as file:
        csv.writer(file).writerows([HEADER, *rows])


if __name__ == "__main__":
    main()
