"""Families: one score, the labels of one family, the exact optimum, and many families on two threads.

Peers score plain tables on the same rows in the same run: pybnesian, pyAgrum and pgmpy. No peer learns labels.
"""

import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from math import log

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.harness import Row, cpu_seconds, report
from ldag import _native
from tests.oracle.networks import BifNetwork

Family = tuple[int, list[int]]
KAPPA = 0.1


def random_families(n: int, n_parents: int, n_variables: int, seed: int) -> list[Family]:
    """Families of random nodes and parents."""
    rng = np.random.default_rng(seed)
    chosen = [rng.choice(n_variables, n_parents + 1, replace=False).tolist() for _ in range(n)]
    return [(node, sorted(parents)) for node, *parents in chosen]


def score_all(
    columns: _native.Columns, families: Sequence[Family], structure: str, labels: str = "greedy", n_threads: int = 1
) -> NDArray[np.float64]:
    """Score families with nothing remembered from before."""
    scorer = _native.FamilyScorer(columns, 1.0, log(KAPPA), 0.0, structure, labels, False, 0, 10, 1 << 26)
    nodes = np.array([node for node, _ in families], dtype=np.uint32)
    parents = np.array([p for _, above in families for p in above], dtype=np.uint32)
    offsets = np.cumsum([0, *(len(above) for _, above in families)], dtype=np.int64)
    return scorer.scores(nodes, parents, offsets, n_threads)


def peer_scores(codes: NDArray[np.uint8]) -> dict[str, Callable[[int, list[int]], float]]:
    """How each peer that is installed scores one family."""
    names = [f"v{i}" for i in range(len(codes))]
    frame = pd.DataFrame({name: pd.Categorical(column.astype(str)) for name, column in zip(names, codes, strict=True)})
    peers: dict[str, Callable[[int, list[int]], float]] = {}
    try:
        import pybnesian

        bde = pybnesian.BDe(frame, iss=1.0)
        network = pybnesian.DiscreteBN(names)
        peers["pybnesian"] = lambda node, above: bde.local_score(network, names[node], [names[p] for p in above])
    except ImportError:
        pass
    try:
        import pyagrum

        learner = pyagrum.BNLearner(frame)
        learner.setNumberOfThreads(1)  # CPU time of waiting threads would count
        learner.useScoreBDeu()
        peers["pyAgrum"] = lambda node, above: learner.score(names[node], [names[p] for p in above])
    except ImportError:
        pass
    try:
        from pgmpy.structure_score import BDeu

        bdeu = BDeu(frame, equivalent_sample_size=1)
        peers["pgmpy"] = lambda node, above: bdeu._local_score(names[node], tuple(names[p] for p in above))
    except ImportError:
        pass
    return peers


def _each(score: Callable[[int, list[int]], float], families: Sequence[Family]) -> None:
    for family in families:
        score(*family)


def one_score(codes: NDArray[np.uint8], n_states: list[int], goal: float) -> list[Row]:
    """The score of a node and three parents, beside every peer."""
    columns = _native.Columns(codes, n_states, None)
    families = random_families(2000, 3, len(codes), seed=1)
    ours = cpu_seconds(lambda: score_all(columns, families, "table"), 7) / len(families)
    job = f"one score, 3 parents, alarm, {codes.shape[1]:,} rows"
    rows = []
    for peer, score in peer_scores(codes).items():
        few = families[: 200 if peer == "pybnesian" else 30]
        seconds = cpu_seconds(partial(_each, score, few), 3) / len(few)
        rows.append(Row(job, ours, peer, seconds, goal))
    return rows or [Row(job, ours, goal=goal)]


def label_rows(codes: NDArray[np.uint8], n_states: list[int]) -> list[Row]:
    """Algorithm 1 beyond counting and scoring the table, and the exact optimum."""
    columns = _native.Columns(codes, n_states, None)
    rows = []
    for n_parents, goal in ((3, 60e-6), (4, 0.4e-3)):
        families = random_families(500, n_parents, len(codes), seed=2)
        labels = cpu_seconds(partial(score_all, columns, families, "ldag"), 5)
        table = cpu_seconds(partial(score_all, columns, families, "table"), 5)
        rows.append(Row(f"Algorithm 1, {n_parents} parents of alarm", (labels - table) / len(families), goal=goal))
    rng = np.random.default_rng(3)
    binary = rng.integers(0, 2, (9, 10_000)).astype(np.uint8)
    binary[8] = rng.random(10_000) < rng.random(256)[np.packbits(binary[:8], axis=0)[0] % 32 * 7]
    cube = _native.Columns(binary, [2] * 9, None)
    family = [(8, list(range(8)))]
    rows.append(
        Row("Algorithm 1, 8 binary parents", cpu_seconds(lambda: score_all(cube, family, "ldag"), 9), goal=2e-3)
    )
    four = [(8, [0, 2, 4, 6])]
    exact = cpu_seconds(lambda: score_all(cube, four, "ldag", "exact"), 9)
    rows.append(Row("exact labels, 4 binary parents", exact, goal=10e-3))
    return rows


def thread_row(codes: NDArray[np.uint8], n_states: list[int]) -> Row:
    """30,000 families on one thread and on two, by the clock on the wall."""
    columns = _native.Columns(codes, n_states, None)
    families = random_families(30_000, 3, len(codes), seed=4)
    seconds = {}
    for n_threads in (1, 2):
        times = []
        for _ in range(3):
            start = time.perf_counter()
            score_all(columns, families, "ldag", n_threads=n_threads)
            times.append(time.perf_counter() - start)
        seconds[n_threads] = min(times)
    return Row("30,000 families, two threads (wall)", seconds[2], "one thread", seconds[1], goal=seconds[1] / 1.7)


def main() -> None:
    """Measure and report."""
    warnings.simplefilter("ignore")
    network = BifNetwork("alarm")
    n_states = [len(states) for states in network.states.values()]
    rows = []
    for n_rows, goal in ((10_000, 8e-6), (100_000, 60e-6)):
        codes = np.array(list(network.sample(n_rows, seed=0).values()), dtype=np.uint8)
        rows += one_score(codes, n_states, goal)
        if n_rows == 10_000:
            small = codes
    rows += label_rows(small, n_states)
    rows.append(thread_row(small, n_states))
    report("families", rows, ["pybnesian", "pyagrum", "pgmpy"])


if __name__ == "__main__":
    main()
