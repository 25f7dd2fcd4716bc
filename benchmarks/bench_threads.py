"""Two threads beside one, on the wall's clock; only a quiet machine of two cores shows what they bring.

Runs of one and of two threads alternate, and medians are compared. The goal is 1.7 times the speed of one. Where a call
has no `n_jobs`, the process is given one core, or two.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from statistics import median
from typing import Any

import numpy as np

import ldag
from benchmarks.harness import Row, report
from ldag import Dataset, Network
from tests.oracle.networks import BifNetwork

SEED = 2711
"""Of all data; what was tuned was tuned on others."""
GOAL = 1.7
REPEATS = 5
GAPS = 0.5
"""Of the cells of a batch."""

Job = Callable[[int], object]
"""Does its work in so many threads."""


def sample(name: str, n_rows: int) -> Dataset:
    """Rows of a well-known network."""
    return ldag.read(BifNetwork(name).sample(n_rows, SEED))


def make_batch(name: str, n_rows: int) -> Job:
    """The posterior of one variable in rows with gaps, by a network that was asked before."""
    network = BifNetwork(name).ldag()
    target, *others = network.sample_columns(n_rows, SEED).items()
    rng = np.random.default_rng(SEED)
    frame = {}
    for other, column in others:
        cells = np.asarray(column, dtype=object)
        cells[rng.random(n_rows) < GAPS] = None
        frame[other] = cells
    return partial(_ask, network, ldag.read(frame, missing="keep"), target[0])


def _ask(network: Network, rows: Dataset, target: str, n_jobs: int) -> object:
    """Ask on so many cores, as a prediction takes all that there are."""
    with only_cores(n_jobs):
        return network.predict_proba(rows, target)


@contextmanager
def only_cores(number: int) -> Iterator[None]:
    """Give this process so many cores."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, set(sorted(cores)[:number]))
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def list_jobs() -> Iterator[tuple[str, Job]]:
    """The jobs with their names."""
    quiet: dict[str, Any] = {"rng": 1, "progress": False}
    alarm, child, heart = sample("alarm", 10_000), sample("child", 5_000), ldag.datasets.load("heart")
    thousand = sample("alarm", 1_000)
    few = child.select(sorted(child.names)[:18])
    climb = quiet | {"method": "climb", "equivalent_sample_size": 1.0}
    yield "climb, tables, alarm x 10,000", lambda n: ldag.learn(alarm, structure="table", n_jobs=n, **climb)
    yield "climb, labels, alarm x 10,000", lambda n: ldag.learn(alarm, kappa=0.1, n_jobs=n, **climb)
    yield "cross-validation, child x 5,000", lambda n: ldag.cross_validate(child, n_jobs=n, **quiet)
    chains = quiet | {"method": "chain", "equivalent_sample_size": 1.0, "n_iter": 5_000}
    yield "cross-validation by chains, heart", lambda n: ldag.cross_validate(heart, n_jobs=n, **chains)
    exact = quiet | {"method": "exact", "equivalent_sample_size": 1.0, "max_parents": 4}
    yield "exact, 18 variables of child x 5,000, 4 parents", lambda n: ldag.learn(few, kappa=0.1, n_jobs=n, **exact)
    yield "posterior, exact, 16 variables", lambda n: ldag.posterior(few.select(few.names[:16]), n_jobs=n, **quiet)
    yield "posterior, chains, alarm x 1,000", lambda n: ldag.posterior(thousand, n_iter=2_000, n_jobs=n, **quiet)
    yield "bootstrap of 20, child x 5,000", lambda n: ldag.bootstrap(child, 20, kappa=0.1, n_jobs=n, **quiet)
    yield "average of 20, alarm x 1,000", lambda n: ldag.average(thousand, 20, kappa=0.1, n_jobs=n, **quiet)
    yield "batch, alarm, 10,000 rows with half of the cells", make_batch("alarm", 10_000)


def compare(name: str, job: Job) -> Row:
    """Run a job by one and by two threads in turn."""
    seconds: dict[int, list[float]] = {1: [], 2: []}
    job(2)  # what is made on the first call only
    for _ in range(REPEATS):
        for n_jobs, own in seconds.items():
            began = time.perf_counter()
            job(n_jobs)
            own.append(time.perf_counter() - began)
    one, two = median(seconds[1]), median(seconds[2])
    return Row(f"{name} (wall)", two, "one thread", one, goal=one / GOAL)


def main() -> None:
    """Measure and report; words limit the jobs to those whose names have one of them, which are not kept then."""
    words = sys.argv[1:]
    jobs = [(name, job) for name, job in list_jobs() if not words or any(word in name for word in words)]
    report("threads", [compare(name, job) for name, job in jobs], keep=not words)


if __name__ == "__main__":
    main()
