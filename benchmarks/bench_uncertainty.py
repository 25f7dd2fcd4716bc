"""The posterior over graphs: exact sums, and chains against them on 16,181 rows of 16 variables (NLTCS)."""

import time
from functools import partial
from pathlib import Path

import ldag
from benchmarks.harness import Row, cpu_seconds, report

NLTCS = Path(__file__).parent / "nltcs_counts.csv"
CORES = 2
"""Goals are in seconds on two cores; the CPU time of both is measured, and divided."""


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
    report("uncertainty", rows)
    error = max(abs(e.probability - exact.edge(e.parent, e.child)) for e in chains.edges)
    print(f"  largest error of an edge by chains: {error:.4f} (goal 0.05); {chains.diagnostics}")


if __name__ == "__main__":
    main()
