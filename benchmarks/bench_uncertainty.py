"""The posterior over graphs: exact sums, and chains against them on 16,181 rows of 16 variables (NLTCS); wide ones."""

import time
from functools import partial
from pathlib import Path

import ldag
from benchmarks.harness import Row, cpu_seconds, report
from tests.oracle.networks import BifNetwork

NLTCS = Path(__file__).parent / "nltcs_counts.csv"
CORES = 2
"""Goals are in seconds on two cores; the CPU time of both is measured, and divided."""


SEED = 1907
"""Of the rows of networks: nothing was tuned on them."""


def plain_row(name: str, n_variables: int) -> Row:
    """The plain call for many variables: it answers, and says whether its chains agree (R-hat at most 1.05)."""
    data = ldag.read(BifNetwork(name).sample(1_000, SEED))
    some = data.select(data.names[:n_variables])
    start = time.process_time()
    chains = ldag.posterior(some, rng=1, progress=False)
    seconds = (time.process_time() - start) / CORES
    assert chains.diagnostics is not None
    shown = f"R-hat {chains.diagnostics.max_r_hat:.3f}, {len(chains.unmixed)} edges that did not mix"
    return Row(f"plain call, {n_variables} variables of {name} x 1,000", seconds, shown, goal=120.0)


def main() -> None:
    """Measure and report; the error of the chains is printed beside."""
    data = ldag.read(NLTCS, counts="count")
    rows = []
    for n, goal in ((12, 0.5), (16, 10.0)):
        some = data.select(data.names[:n])
        seconds = cpu_seconds(partial(ldag.posterior, some, kappa=0.3, max_parents=3, method="exact"), 3)
        rows.append(Row(f"exact, {n} variables, at most 3 parents", seconds / CORES, goal=goal))
    exact = ldag.posterior(data, kappa=0.3, max_parents=3, method="exact")
    start = time.process_time()
    chains = ldag.posterior(data, kappa=0.3, max_parents=3, method="chain")
    rows.append(Row("chains, 16 variables, 4 runs", (time.process_time() - start) / CORES, goal=20.0))
    rows += [plain_row("alarm", 37), plain_row("hailfinder", 50)]
    report("uncertainty", rows)
    error = max(abs(e.probability - exact.edge(e.parent, e.child)) for e in chains.edges)
    print(f"  largest error of an edge by chains: {error:.4f} (goal 0.05); {chains.diagnostics}")


if __name__ == "__main__":
    main()
