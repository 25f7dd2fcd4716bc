"""Searches over graphs: climbing beside the peers' hill climbers, and cross-validation by exact search and chains.

Every graph is scored by one scorer (ours, BDeu with equivalent sample size 1), so scores can be compared.
"""

import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pandas as pd

import ldag
from benchmarks.harness import Row, cpu_seconds, report
from ldag import LDAG, Dataset, datasets
from ldag.fit import MethodChoice
from tests.oracle.networks import BifNetwork

Edges = Sequence[tuple[str, str]]
NETWORKS = (("asia", 1_000), ("child", 10_000), ("insurance", 10_000), ("alarm", 10_000), ("hailfinder", 10_000))


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
    """Climbing without labels and with, beside every peer's hill climber."""
    codes = BifNetwork(name).sample(n_rows, seed=0)
    data = ldag.read(codes)
    frame = pd.DataFrame({v: pd.Categorical(column.astype(str)) for v, column in codes.items()})
    plain = cpu_seconds(lambda: ldag.learn(data, kappa=1, method="climb", structure="table", n_restarts=0, n_jobs=1), 3)
    labelled = cpu_seconds(lambda: ldag.learn(data, kappa=0.1, method="climb", n_restarts=0, n_jobs=1), 3)
    fit = ldag.learn(data, kappa=1, method="climb", structure="table", n_restarts=0, n_jobs=1)
    rows = []
    for peer, climb in peer_climbers(frame).items():
        seconds = cpu_seconds(climb, 2)
        shown = f"{peer}, score {total(climb(), data) - fit.score.total:+.1f} against ours"
        rows.append(Row(f"climb, tables, {name} x {n_rows:,}", plain, shown, seconds, goal=seconds / 2))
        rows.append(
            Row(f"climb, labels, {name} x {n_rows:,}", labelled, peer + " without labels", seconds, goal=seconds)
        )
    return rows


def wall_seconds(job: Callable[[], object]) -> float:
    """The clock on the wall, the best of two."""
    times = []
    for _ in range(2):
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
    """Measure and report."""
    warnings.simplefilter("ignore")
    heart = datasets.load("heart")
    ten = generator_sample(1_000)
    rows = [row for name, n_rows in NETWORKS for row in climb_rows(name, n_rows)]
    jobs: list[tuple[str, Dataset, MethodChoice, float | None]] = [
        ("heart, CV and learning by 50 x 500 chains (wall)", heart, "chain", 3.0),
        ("heart, CV and learning by exact search (wall)", heart, "exact", 0.5),
        ("generator10, CV by 50 x 500 chains (wall)", ten, "chain", 10.0),
        ("generator10, CV by exact search (wall)", ten, "exact", None),
    ]
    rows += [
        Row(job, wall_seconds(partial(ldag.learn, data, method=method)), goal=goal) for job, data, method, goal in jobs
    ]
    report("search", rows, ["pybnesian", "pyagrum"])


if __name__ == "__main__":
    main()
