"""Wide data: what trying only some parents of each variable costs, on sparse networks whose edges go any distance.

    python -m benchmarks.bench_wide [N_VARIABLES ...]

Every variable has up to three parents anywhere before it in a random order of the columns. Beyond 400 variables only
100 parents of each are tried unless told otherwise; here it is asked to try all as well.
"""

import argparse
import time

import numpy as np

import ldag
from ldag import Dataset, Variable
from ldag.model import Schema

N_VARIABLES = (500, 1_000)
N_ROWS = 2_000
N_RESTARTS = 1
"""One is enough for all that comes before the restarts."""


def sparse_sample(n_variables: int, n_rows: int, seed: int = 0) -> Dataset:
    """Rows of a random sparse network of variables with 2 to 4 states."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(n_variables)
    n_states = rng.integers(2, 5, n_variables)
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


def main() -> None:
    """Climb with the usual number of candidates and with all, and print scores and CPU seconds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("n_variables", nargs="*", type=int, default=list(N_VARIABLES))
    parser.add_argument("--rows", type=int, default=N_ROWS)
    given = parser.parse_args()
    for n_variables in given.n_variables:
        data = sparse_sample(n_variables, given.rows)
        for max_candidates in (None, n_variables):
            began = time.process_time()
            fit = ldag.learn(
                data,
                kappa=1,
                structure="table",
                method="climb",
                n_restarts=N_RESTARTS,
                max_candidates=max_candidates,
                rng=1,
                n_jobs=1,
                progress=False,
            )
            seconds = time.process_time() - began
            shown = "all candidates" if max_candidates else "as it comes"
            print(
                f"{n_variables:,} x {given.rows:,}, {shown}: score {fit.score.total:.1f}, {seconds:.1f} s CPU",
                flush=True,
            )


if __name__ == "__main__":
    main()
