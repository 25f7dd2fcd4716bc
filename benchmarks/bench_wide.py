"""Wide data: what trying only some parents of each variable costs, on sparse networks whose edges go any distance.

    python -m benchmarks.bench_wide [N_VARIABLES ...] [--seeds N]

Every variable has up to three parents anywhere before it in a random order of the columns. All of them are tried unless
told otherwise; here it is asked to try 100 of each as well. Every seed draws another network and other rows. Results
are kept in ``results/wide.csv`` as they come, in place of older ones of the same data.
"""

import argparse
import csv
import time
from pathlib import Path

import numpy as np

import ldag
from benchmarks.harness import RESULTS
from ldag import Dataset, Variable
from ldag.model import Schema

N_VARIABLES = (500, 1_000)
N_ROWS = 2_000
N_SEEDS = 3
N_CANDIDATES = 100
N_RESTARTS = 1
"""One is enough for all that comes before the restarts."""
HEADER = ("n_variables", "n_rows", "seed", "score", "score_of_100_candidates", "cpu", "cpu_of_100_candidates")


def sparse_sample(n_variables: int, n_rows: int, seed: int = 0, states: tuple[int, int] = (2, 4)) -> Dataset:
    """Rows of a random sparse network of variables with 2 to 4 states, or so many."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(n_variables)
    n_states = rng.integers(states[0], states[1] + 1, n_variables)
    codes = np.zeros((n_variables, n_rows), dtype=np.uint8)
    for place, node in enumerate(order):
        parents = rng.choice(order[:place], size=min(place, int(rng.integers(4))), replace=False)
        index = np.zeros(n_rows, dtype=np.int64)
        for parent in parents:
            index = index * n_states[parent] + codes[parent]
        n_configurations = int(np.prod(n_states[parents])) if len(parents) else 1
        chances = rng.dirichlet(np.full(n_states[node], 0.5), n_configurations).cumsum(axis=1)
        codes[node] = (rng.random((n_rows, 1)) > chances[index, :-1]).sum(axis=1)
    variables = tuple(
        Variable(f"v{node:04}", tuple(range(count))) for node, count in enumerate(int(count) for count in n_states)
    )
    return Dataset.from_codes(Schema(variables), codes)


def climb(data: Dataset, max_candidates: int | None) -> tuple[float, float]:
    """The score of a climb with so many candidates, and its CPU seconds."""
    began = time.process_time()
    fit = ldag.learn(
        data,
        kappa=1,
        structure="table",
        equivalent_sample_size=1.0,
        method="climb",
        n_restarts=N_RESTARTS,
        max_candidates=max_candidates,
        rng=1,
        n_jobs=1,
        progress=False,
    )
    return fit.score.total, time.process_time() - began


def keep(path: Path, key: tuple[str, ...], numbers: tuple[str, ...]) -> None:
    """Write one result to the table of results, in place of an older one."""
    rows = {}
    if path.exists():
        with path.open(newline="") as file:
            rows = {tuple(row[: len(key)]): row for row in list(csv.reader(file))[1:]}
    rows[key] = [*key, *numbers]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([HEADER, *(rows[key] for key in sorted(rows, key=lambda k: [int(n) for n in k]))])


def main() -> None:
    """Climb with all candidates and with some, and print scores and CPU seconds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n_variables", nargs="*", type=int, default=list(N_VARIABLES))
    parser.add_argument("--rows", type=int, default=N_ROWS)
    parser.add_argument("--seeds", type=int, default=N_SEEDS)
    parser.add_argument("--results", type=Path, default=RESULTS / "wide.csv", help="where to keep what is measured")
    given = parser.parse_args()
    for n_variables in given.n_variables:
        for seed in range(given.seeds):
            data = sparse_sample(n_variables, given.rows, seed)
            (every, every_seconds), (some, some_seconds) = climb(data, None), climb(data, N_CANDIDATES)
            print(
                f"{n_variables:,} x {given.rows:,}, seed {seed}: {every:.1f} as it comes ({every_seconds:.1f} s CPU), "
                f"{some:.1f} with {N_CANDIDATES} candidates ({some_seconds:.1f} s CPU), difference {some - every:+.1f}",
                flush=True,
            )
            numbers = f"{every:.1f}", f"{some:.1f}", f"{every_seconds:.1f}", f"{some_seconds:.1f}"
            keep(given.results, (str(n_variables), str(given.rows), str(seed)), numbers)


if __name__ == "__main__":
    main()
