"""Posteriors of one variable in rows with gaps, each row with others, beside pyAgrum's LazyPropagation.

Rows are drawn from the network, and half or four fifths of the cells are taken out by chance. Both programs get a
dataframe of states and return the posterior of one variable in each row, which is drawn, too: ours from a network that
has not been asked anything, the peer row by row from an engine that is made before the clock starts, with that variable
as its only target. Of more rows than `PEER_ROWS` the peer answers so many, and its time is multiplied. The
goal is half of its time. Answers must be the same.
"""

import argparse
import gc
import pickle
import time
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.harness import Row, report
from ldag import Network
from tests.oracle.networks import BifNetwork, pyagrum_network

NETWORKS = ("alarm", "barley", "diabetes", "pigs", "munin", "munin2", "munin4", "link")
SIZES = (1, 10, 30, 100, 1_000, 10_000)
SHARES = (0.5, 0.8)
HARD = {("link", 0.8)}
"""Rows of these take the peer a quarter of a second each, and gigabytes."""
PEER_ROWS = 200
REPEATS = 3
SEED = 2711
"""Of rows, gaps and targets; what was tuned was tuned on others."""


def draw(network: Network, n_rows: int, share: float) -> tuple[pd.DataFrame, str]:
    """Rows of states with gaps, a column per variable but one, and that one."""
    rng = np.random.default_rng(SEED)
    node = int(rng.integers(len(network.variables)))
    columns = network.sample_columns(n_rows, SEED)
    frame = {}
    for variable in network.variables:
        if variable.name == network.variables[node].name:
            continue
        cells: NDArray[Any] = np.asarray(columns[variable.name], dtype=object).astype(str)
        states = [str(state) for state in variable.states]
        column = pd.Series(pd.Categorical(cells, categories=states))
        column[rng.random(n_rows) < share] = np.nan
        frame[variable.name] = column
    return pd.DataFrame(frame), network.variables[node].name


def by_peer(engine: Any, frame: pd.DataFrame, target: str) -> NDArray[np.float64]:
    """Ask pyAgrum row by row, with what is known of each."""
    columns = list(frame.columns)
    answers = []
    for cells in zip(*(frame[name].astype(object).tolist() for name in columns), strict=True):
        given = {name: cell for name, cell in zip(columns, cells, strict=True) if isinstance(cell, str)}
        engine.setEvidence(given)
        engine.makeInference()
        answers.append(engine.posterior(target).tolist())
    return np.array(answers)


def measure(name: str, share: float, sizes: tuple[int, ...]) -> list[Row]:
    """One network: all sizes, in runs of ours and the peer's in turn; medians of the times of few rows."""
    import pyagrum

    pyagrum.setNumberOfThreads(1)
    network = BifNetwork(name).ldag()
    stored = pickle.dumps(network)
    peer = pyagrum_network(network)
    frame, target = draw(network, max(sizes), share)
    rows = []
    for n_rows in sizes:
        some, few = frame.iloc[:n_rows], frame.iloc[: min(n_rows, PEER_ROWS)]
        ours, theirs = [], []
        for _ in range(REPEATS if n_rows <= 100 else 1):
            fresh = pickle.loads(stored)
            gc.collect()  # or what was made before the clock starts is collected in somebody's time
            began = time.process_time()
            answers = fresh.predict_proba(some, target)
            ours.append(time.process_time() - began)
            engine = pyagrum.LazyPropagation(peer)
            engine.addTarget(target)
            gc.collect()
            began = time.process_time()
            expected = by_peer(engine, few, target)
            theirs.append((time.process_time() - began) * n_rows / len(few))
            assert np.abs(answers[: len(few)] - expected).max() < 1e-10
        seconds, peer_seconds = float(np.median(ours)), float(np.median(theirs))
        job = f"{name}, {n_rows:,} rows, {share:.0%} of cells empty"
        rows.append(Row(job, seconds, "pyAgrum", peer_seconds, goal=peer_seconds / 2))
        print(f"  {job}: {seconds:.4f} / {peer_seconds:.4f} s", flush=True)
    return rows


def main() -> None:
    """Measure and report, all networks or some."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", choices=NETWORKS, action="append", help="this network, and keep no results")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="so many rows")
    asked = parser.parse_args()
    rows: list[Row] = []
    for name in asked.only or NETWORKS:
        for share in SHARES:
            sizes = tuple(n for n in asked.sizes if n <= 10 or (name, share) not in HARD)
            rows += measure(name, share, sizes)
    report("batches", rows, ["pyagrum"], keep=asked.only is None)


if __name__ == "__main__":
    main()
