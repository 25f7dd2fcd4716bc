"""Searches where they used to take long: very many rows, wide tables, free labels, large families.

    python -m benchmarks.bench_climbs [JOB ...]

Medians of five runs by one thread, or a single one where it takes more than five seconds. Results are kept in
``results/climbs.csv`` as they come, in place of older ones of the same job.
"""

import argparse
import csv
import resource
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pandas as pd

import ldag
from benchmarks.bench_search import Edges, peer_climbers, repeated_alarm, total
from benchmarks.bench_wide import sparse_sample
from benchmarks.harness import RESULTS, Row, report
from ldag import Dataset, Fit
from ldag.learning import LabelSearch, StructureKind
from tests.oracle.networks import BifNetwork

SEED = 31
"""Of the data: none of what was tuned was tuned on these."""
BASIN_SEEDS = (1, 2, 3, 4)
"""Of the searches, where they disagreed by thousands."""
HEADER = ("job", "seconds", "goal", "peer", "peer_seconds", "verdict")


LONG = 5.0


def median_seconds(job: Callable[[], object], repeats: int = 5) -> float:
    """The CPU seconds of a call."""
    times: list[float] = []
    while len(times) < repeats and not (times and times[0] > LONG):
        start = time.process_time()
        job()
        times.append(time.process_time() - start)
    return statistics.median(times)


def climb_tables(data: Dataset, n_restarts: int | None = None, rng: int = 1) -> Fit:
    """Climb without labels, by one thread."""
    return ldag.learn(
        data,
        kappa=1,
        structure="table",
        method="climb",
        equivalent_sample_size=1.0,
        n_restarts=n_restarts,
        rng=rng,
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


def families() -> Iterator[Row]:
    """Decision graphs and refined labels of one family of binary parents, most of whose cells few rows visit."""
    jobs: list[tuple[StructureKind, LabelSearch, int, int, float]] = [
        ("graph", "greedy", 12, 2_000, 0.5),
        ("ldag", "refined", 10, 2_000, 0.2),
        ("ldag", "refined", 10, 20_000, 0.2),
    ]
    for structure, search, n_parents, n_rows, goal in jobs:
        rng = np.random.default_rng(SEED)
        table = {f"p{i:02}": rng.integers(0, 2, n_rows) for i in range(n_parents)}
        chance = np.where(table["p00"] == 1, 0.8, np.where(table["p01"] & table["p02"] == 1, 0.3, 0.5))
        data = ldag.read({**table, "y": (rng.random(n_rows) < chance).astype(int)})
        learn = partial(ldag.learn_family, data, "y", parents=sorted(table), kappa=0.1, equivalent_sample_size=1.0)
        seconds = median_seconds(partial(learn, structure=structure, label_search=search))
        kind = "decision graph" if structure == "graph" else "refined labels"
        yield Row(f"{kind}, {2**n_parents:,} configurations x {n_rows:,}", seconds, goal=goal)


def kappas() -> Iterator[Row]:
    """Climbs of alarm with labels and decision graphs that cost little, beside tables; restarts as they come."""
    data = ldag.read(BifNetwork("alarm").sample(1_000, seed=SEED))
    climb = partial(ldag.learn, data, method="climb", equivalent_sample_size=1.0, rng=1, n_jobs=1, progress=False)
    tables = median_seconds(partial(climb, kappa=1, structure="table"))
    jobs: list[tuple[StructureKind, float]] = [("ldag", 0.5), ("ldag", 0.9), ("partial", 0.9), ("graph", 0.5)]
    for structure, kappa in jobs:
        seconds = median_seconds(partial(climb, kappa=kappa, structure=structure))
        shown = f"tables; {seconds / tables:.0f} times as long"
        yield Row(f"climb, {structure}, kappa {kappa:g}, alarm x 1,000", seconds, shown, tables, goal=60 * tables)


def basins() -> Iterator[Row]:
    """Whether seeds agree where a climb easily ends far below the best, and beat the graph that made the rows."""
    for name, n_rows, most_spread, goal in (("diabetes", 1_000, 500.0, 6.8), ("andes", 2_000, 10.0, 1.76)):
        network = BifNetwork(name)
        data = ldag.read(network.sample(n_rows, seed=SEED))
        edges = [(parent, node) for node, above in network.parents.items() for parent in above]
        true = total(edges, data)
        scores, times = [], []
        for seed in BASIN_SEEDS:
            start = time.process_time()
            scores.append(climb_tables(data, rng=seed).score.total - true)
            times.append(time.process_time() - start)
        each = ", ".join(f"{score:+.1f} in {seconds:.2f} s" for score, seconds in zip(scores, times, strict=True))
        spread = max(scores) - min(scores)
        shown = f"spread {spread:.1f} (goal {most_spread:g}), worst {min(scores):+.1f} against the true graph; {each};"
        yield Row(f"climbs, tables, {name} x {n_rows:,}", statistics.mean(times), shown, goal=goal)


def win95pts() -> Iterator[Row]:
    """Restarts as they come beside one climb of a peer."""
    codes = BifNetwork("win95pts").sample(5_000, seed=SEED)
    data = ldag.read(codes)
    fits: list[Fit] = []
    seconds = median_seconds(lambda: fits.append(climb_tables(data)))
    climb = peer_climbers(pd.DataFrame({v: pd.Categorical(c.astype(str)) for v, c in codes.items()})).get("pybnesian")
    if climb is None:
        yield Row("climb, tables, win95pts x 5,000", seconds, "pybnesian is not installed")
        return
    graphs: list[Edges] = []
    of_peer = median_seconds(lambda: graphs.append(climb()))
    shown = f"pybnesian, score {total(graphs[0], data) - fits[0].score.total:+.1f} against ours"
    yield Row("climb, tables, win95pts x 5,000", seconds, shown, of_peer, goal=of_peer)


def peak() -> str:
    """The most memory so far."""
    return f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GB"


JOBS: dict[str, Callable[[], Iterator[Row]]] = {
    "rows": many_rows,
    "wide": wide,
    "families": families,
    "kappas": kappas,
    "basins": basins,
    "win95pts": win95pts,
}


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
    parser.add_argument("jobs", nargs="*", metavar="JOB", help=f"{', '.join(JOBS)}; all unless given")
    asked = parser.parse_args().jobs
    for job in asked or JOBS:
        if job not in JOBS:
            parser.error(f"expected {', '.join(JOBS)}, got {job}")
        rows = list(JOBS[job]())
        report("climbs", rows, keep=False)
        keep(rows)


if __name__ == "__main__":
    main()
