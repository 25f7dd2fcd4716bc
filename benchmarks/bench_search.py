"""Searches over graphs: climbing beside the peers' hill climbers, and cross-validation by exact search and chains.

Every graph is scored by one scorer (ours, BDeu with equivalent sample size 1), so scores can be compared.
"""

import resource
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pandas as pd

import ldag
from benchmarks.harness import Row, cpu_seconds, report
from ldag import LDAG, Dataset, Fit, Variable, datasets
from ldag.learning import LabelSearch, MethodChoice, StructureKind
from ldag.model import Schema
from tests.oracle.networks import BifNetwork

Edges = Sequence[tuple[str, str]]

learn = partial(ldag.learn, equivalent_sample_size=1.0)
"""What is compared with peers, which score at this size; only what is measured "as it comes" chooses one."""

NETWORKS = (
    ("asia", 1_000),
    ("child", 10_000),
    ("insurance", 10_000),
    ("alarm", 1_000),
    ("alarm", 10_000),
    ("alarm", 100_000),
    ("hailfinder", 10_000),
    ("andes", 1_000),
)
LIMITED = (("insurance", 10_000), ("alarm", 10_000), ("hailfinder", 10_000), ("andes", 1_000))
LIMIT = 5.0
DEFAULTS = (("insurance", 1_000), ("alarm", 1_000), ("alarm", 10_000), ("hailfinder", 10_000))
LABELLED: tuple[tuple[str, int, float, float | None], ...] = (
    *(("alarm", 1_000, 0.1, None), ("andes", 1_000, 0.1, None), ("andes", 10_000, 0.1, None)),
    *(("pathfinder", 10_000, 0.1, None), ("munin1", 5_000, 0.1, None), ("andes", 1_000, 0.5, None)),
    *(("child", 1_000, 1.0, 15.0), ("alarm", 1_000, 1.0, 15.0)),
)
"""Climbs with labels: network, rows, kappa, and the seconds they should take unless it is five times the tables'."""


def peer_climbers(frame: pd.DataFrame) -> dict[str, Callable[[], Edges]]:
    """How each peer that is installed climbs."""
    peers: dict[str, Callable[[], Edges]] = {}
    try:
        import pybnesian

        def by_pybnesian() -> Edges:
            score = pybnesian.BDe(frame, iss=1.0)
            start = pybnesian.DiscreteBN(list(frame.columns))
            found = pybnesian.GreedyHillClimbing().estimate(pybnesian.ArcOperatorSet(), score, start)
            return list(found.arcs())

        peers["pybnesian"] = by_pybnesian
    except ImportError:
        pass
    try:
        import pyagrum

        def by_pyagrum() -> Edges:
            learner = pyagrum.BNLearner(frame)
            learner.setNumberOfThreads(1)  # CPU time of waiting threads would count
            learner.useScoreBDeu()
            learner.useGreedyHillClimbing()
            found = learner.learnBN()
            return [(found.variable(i).name(), found.variable(j).name()) for i, j in found.arcs()]

        peers["pyAgrum"] = by_pyagrum
    except ImportError:
        pass
    return peers


def total(edges: Edges, data: Dataset) -> float:
    """The score of a plain DAG."""
    graph = LDAG.from_edges(edges, states={v.name: v.states for v in data.variables})
    return ldag.score(graph, data, kappa=1).total


def climb_rows(name: str, n_rows: int) -> list[Row]:
    """Climbing without labels and with, beside every peer's hill climber.

    Without labels as it comes, with the restarts that are made unless told otherwise; with labels, one climb.
    """
    codes = BifNetwork(name).sample(n_rows, seed=0)
    data = ldag.read(codes)
    frame = pd.DataFrame({v: pd.Categorical(column.astype(str)) for v, column in codes.items()})
    fits: list[Fit] = []
    plain = cpu_seconds(lambda: fits.append(learn(data, kappa=1, method="climb", structure="table", n_jobs=1)), 3)
    labelled = cpu_seconds(lambda: learn(data, kappa=0.1, method="climb", n_restarts=0, n_jobs=1), 3)
    rows = []
    for peer, climb in peer_climbers(frame).items():
        found: list[Edges] = []
        seconds = cpu_seconds(lambda climb=climb, found=found: found.append(climb()), 2)  # type: ignore[misc]  # lambdas have no types
        shown = f"{peer}, score {total(found[0], data) - fits[0].score.total:+.1f} against ours"
        rows.append(Row(f"climb, tables, {name} x {n_rows:,}", plain, shown, seconds, goal=seconds / 2))
        rows.append(
            Row(
                f"climb, labels, no restarts, {name} x {n_rows:,}",
                labelled,
                peer + " without labels",
                seconds,
                goal=seconds,
            )
        )
    return rows


def limited_row(name: str, n_rows: int, n_jobs: int) -> Row:
    """What five seconds bring over the restarts that are made unless told otherwise."""
    data = ldag.read(BifNetwork(name).sample(n_rows, seed=0))
    quick = learn(data, kappa=1, method="climb", structure="table", n_jobs=n_jobs)
    start = time.perf_counter()
    fit = learn(data, kappa=1, method="climb", structure="table", n_restarts=10**9, time_limit=LIMIT, n_jobs=n_jobs)
    seconds = time.perf_counter() - start
    gain = f"score {fit.score.total:.1f}, {fit.score.total - quick.score.total:+.1f} against the default"
    return Row(f"climb, tables, {name} x {n_rows:,}, {LIMIT:g} s limit, {n_jobs} threads (wall)", seconds, gain)


def default_row(name: str, n_rows: int) -> Row:
    """All that a call without any settings does, both sample sizes chosen, beside one climb with labels at size 1."""
    data = ldag.read(BifNetwork(name).sample(n_rows, seed=0))
    one = cpu_seconds(lambda: learn(data, kappa=0.1, method="climb", n_restarts=0, n_jobs=1), 1)
    seconds = cpu_seconds(lambda: ldag.learn(data, n_jobs=1), 1)
    return Row(f"as it comes, {name} x {n_rows:,}", seconds, "one climb with labels, size 1", one, max(12.0, 6 * one))


def label_rows(name: str, n_rows: int, kappa: float, limit: float | None = None) -> Row:
    """One climb with labels beside one with tables; at kappa 1 labels are free, and families grow large."""
    data = ldag.read(BifNetwork(name).sample(n_rows, seed=15))

    def climb(structure: StructureKind, kappa: float) -> Fit:
        return learn(data, kappa=kappa, method="climb", structure=structure, n_restarts=0, n_jobs=1)

    tables = cpu_seconds(lambda: climb("table", 1.0), 2)
    fits: list[Fit] = []
    seconds = cpu_seconds(lambda: fits.append(climb("ldag", kappa)), 1)
    job = f"one climb, labels, kappa {kappa:g}, {name} x {n_rows:,}"
    shown = f"tables; score {fits[0].score.total:.2f}, {len(fits[0].ldag.edges)} edges"
    return Row(job, seconds, shown, tables, goal=limit or 5 * tables)


def exact_rows() -> list[Row]:
    """Exact search over more variables than the paper's."""
    sixteen, twenty = random_sample(16, 16_000), random_sample(20, 5_000)
    jobs: list[tuple[str, Dataset, LabelSearch, float]] = [
        ("exact, 16 variables x 16,000, at most 4 parents, greedy labels (wall)", sixteen, "greedy", 10.0),
        ("exact, 16 variables x 16,000, at most 4 parents, exact labels (wall)", sixteen, "exact", 180.0),
        ("exact, 20 variables x 5,000, at most 4 parents, greedy labels (wall)", twenty, "greedy", 60.0),
    ]
    rows = [
        Row(
            job,
            wall_seconds(partial(learn, data, kappa=0.1, method="exact", label_search=labels, max_parents=4), 1),
            goal=goal,
        )
        for job, data, labels, goal in jobs
    ]
    for n in (16, 18, 20):
        seconds = cpu_seconds(partial(exact_tables, random_sample(n, 2_000), n - 1), 1)
        rows.append(Row(f"exact, tables, {n} variables x 2,000, any number of parents", seconds, goal=6.4))
    for name, n in (("insurance", 27), ("alarm", 30)):
        codes = BifNetwork(name).sample(5_000, seed=0)
        data = ldag.read({v: codes[v] for v in sorted(codes)[:n]})
        seconds = cpu_seconds(partial(exact_tables, data, 3), 1)
        peak = f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GB"
        rows.append(Row(f"exact, tables, {n} variables of {name} x 5,000, at most 3 parents", seconds, peak, goal=60.0))
    return rows


def exact_tables(data: Dataset, max_parents: int) -> Fit:
    """The best DAG without labels, by one thread."""
    return learn(data, kappa=1, method="exact", structure="table", max_parents=max_parents, n_jobs=1)


def large_rows() -> list[Row]:
    """Many variables, and many rows."""
    wide = random_sample(1_000, 1_000)
    row = Row("climb, tables, 1,000 variables x 1,000 (wall)", wall_seconds(partial(climb_tables, wide), 1), goal=300.0)
    long = repeated_alarm(5_000_000)
    seconds = wall_seconds(partial(climb_tables, long), 1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return [row, Row("climb, tables, alarm x 5,000,000 (wall)", seconds, f"peak {peak:.2f} GB of 4 with sampling")]


def climb_tables(data: Dataset) -> Fit:
    """Climb without labels on all cores."""
    return learn(data, kappa=1, method="climb", structure="table")


def random_sample(n_variables: int, n_rows: int) -> Dataset:
    """Rows of a random network of binary variables with up to three parents each among the 50 before."""
    rng = np.random.default_rng(0)
    codes = np.zeros((n_variables, n_rows), dtype=np.uint8)
    for node in range(n_variables):
        before = np.arange(max(0, node - 50), node)
        index = np.zeros(n_rows, dtype=np.int64)
        parents = rng.choice(before, size=min(len(before), int(rng.integers(4))), replace=False)
        for parent in parents:
            index = index * 2 + codes[parent]
        codes[node] = rng.random(n_rows) < rng.beta(0.5, 0.5, size=2 ** len(parents))[index]
    names = [f"v{node:04}" for node in range(n_variables)]
    return Dataset.from_codes(Schema(tuple(Variable(name, (0, 1)) for name in names)), codes)


def repeated_alarm(n_rows: int, step: int = 100_000) -> Dataset:
    """Many rows of alarm, sampled part by part."""
    network = BifNetwork("alarm")
    names = sorted(network.states)
    codes = np.empty((len(names), n_rows), dtype=np.uint8)
    for first in range(0, n_rows, step):
        part = network.sample(step, seed=first)
        for node, name in enumerate(names):
            codes[node, first : first + step] = part[name]
    variables = tuple(Variable(name, tuple(network.states[name])) for name in names)
    return Dataset.from_codes(Schema(variables), codes)


def wall_seconds(job: Callable[[], object], repeats: int = 2) -> float:
    """The clock on the wall, the best of some."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        job()
        times.append(time.perf_counter() - start)
    return min(times)


def generator_sample(n_rows: int) -> Dataset:
    """Rows of the ten-node generator with random parameters."""
    graph = datasets.graph("generator10")
    rng = np.random.default_rng(0)
    codes: dict[str, np.ndarray[tuple[int], np.dtype[np.int64]]] = {}
    for name in ("1", "2", "3", "4", "6", "7", "8", "5", "9", "10"):
        partition = graph.partition(name)
        index = np.zeros(n_rows, dtype=np.int64)
        for parent in partition.parents:
            index = index * 2 + codes[parent]
        chance = rng.random(partition.n_classes)[np.array(partition.classes)[index]]
        codes[name] = (rng.random(n_rows) < chance).astype(np.int64)
    return ldag.read(codes)


def main() -> None:
    """Measure and report; `--large` adds what takes minutes; `--labels` is about climbs with labels only."""
    warnings.simplefilter("ignore")
    if "--labels" in sys.argv[1:]:
        report("labels", [label_rows(*job) for job in LABELLED])
        return
    heart = datasets.load("heart")
    ten = generator_sample(1_000)
    rows = [row for name, n_rows in NETWORKS for row in climb_rows(name, n_rows)]
    rows += [default_row(name, n_rows) for name, n_rows in DEFAULTS]
    jobs: list[tuple[str, Dataset, MethodChoice, float | None]] = [
        ("heart, CV and learning by 50 x 500 chains (wall)", heart, "chain", 3.0),
        ("heart, CV and learning by exact search (wall)", heart, "exact", 0.5),
        ("generator10, CV by 50 x 500 chains (wall)", ten, "chain", 10.0),
        ("generator10, CV by exact search (wall)", ten, "exact", None),
    ]
    rows += [
        Row(job, wall_seconds(partial(learn, data, kappa="cv", method=method)), goal=goal)
        for job, data, method, goal in jobs
    ]
    rows += [limited_row(name, n_rows, n_jobs) for name, n_rows in LIMITED for n_jobs in (1, 2)]
    if "--large" in sys.argv[1:]:
        rows += exact_rows() + large_rows()
    report("search", rows, ["pybnesian", "pyagrum"])


if __name__ == "__main__":
    main()
