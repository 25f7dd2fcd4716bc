"""Searches where they used to take long: very many rows, wide tables, free labels, large families.

    python -m benchmarks.bench_climbs [JOB ...]

Medians of three runs by one thread; what is beside ours is what the goal was set by. Results are kept in
``results/climbs.csv`` as they come, in place of older ones of the same job.
"""

import argparse
import csv
import resource
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial

import ldag
from benchmarks.bench_search import repeated_alarm
from benchmarks.bench_wide import sparse_sample
from benchmarks.harness import RESULTS, Row, report
from ldag import Dataset, Fit

SEED = 31
"""Of the data: none of what was tuned was tuned on these."""
HEADER = ("job", "seconds", "goal", "peer", "peer_seconds", "verdict")


def median_seconds(job: Callable[[], object], repeats: int = 3) -> float:
    """The CPU seconds of a call."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        job()
        times.append(time.process_time() - start)
    return statistics.median(times)


def climb_tables(data: Dataset, n_restarts: int | None = None) -> Fit:
    """Climb without labels, by one thread."""
    return ldag.learn(
        data,
        kappa=1,
        structure="table",
        method="climb",
        equivalent_sample_size=1.0,
        n_restarts=n_restarts,
        rng=1,
        n_jobs=1,
        progress=False,
    )


def many_rows() -> Iterator[Row]:
    """Climbs of alarm with the restarts that are made unless told otherwise."""
    for n_rows, goal in ((1_000_000, None), (2_000_000, None), (10_000_000, 15.0)):
        data = repeated_alarm(n_rows)
        seconds = median_seconds(partial(climb_tables, data))
        shown = f"{data.n_rows:,} different rows, {1e6 * seconds / data.n_rows:.1f} µs each; {peak()}"
        yield Row(f"climb, tables, alarm x {n_rows:,}", seconds, shown, goal=goal)


def wide() -> Iterator[Row]:
    """One climb through wide tables."""
    before: float | None = None
    for n_variables, goal in ((800, None), (1_600, None), (3_200, 15.0)):
        data = sparse_sample(n_variables, 2_000, SEED)
        seconds = median_seconds(partial(climb_tables, data, 0))
        growth = "" if before is None else f"{seconds / before:.2f} times half as many; "
        yield Row(f"one climb, tables, {n_variables:,} variables x 2,000", seconds, growth + peak(), goal=goal)
        before = seconds


def peak() -> str:
    """The most memory so far."""
    return f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GB"


JOBS: dict[str, Callable[[], Iterator[Row]]] = {"rows": many_rows, "wide": wide}


def keep(rows: list[Row]) -> None:
    """Write results to the table, in place of older ones."""
    path = RESULTS / "climbs.csv"
    kept = {}
    if path.exists():
        with path.open(newline="") as file:
            kept = {row[0]: row for row in list(csv.reader(file))[1:]}
    for row in rows:
        cells = [row.job, row.seconds, row.goal, row.peer, row.peer_seconds, row.verdict]
        kept[row.job] = ["" if cell is None else str(cell) for cell in cells]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([HEADER, *kept.values()])


def main() -> None:
    """Measure the jobs that are asked for, or all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jobs", nargs="*", metavar="JOB", choices=list(JOBS), default=list(JOBS))
    for job in parser.parse_args().jobs:
        rows = list(JOBS[job]())
        report("climbs", rows, keep=False)
        keep(rows)


if __name__ == "__main__":
    main()
