"""Proofs on samples of well-known networks: how long one takes, or what gap it leaves.

    python -m benchmarks.bench_certify [--again] [--limit SECONDS] [NETWORK ...]

A graph is learned by climbing, then certified. CPU time is that of the certificate, scores of all families included.
What is measured goes to ``results/certify.csv`` at once, and is not measured again unless asked for.
"""

import argparse
import csv
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields

import ldag
from benchmarks.harness import RESULTS, machine
from ldag.learning import StructureKind
from tests.oracle.networks import BifNetwork

SETS = (
    ("child", 5_000, 3, 1.0),
    ("child", 5_000, 4, 1.0),
    ("child", 5_000, 3, 0.1),
    ("insurance", 1_000, 3, 1.0),
    ("insurance", 5_000, 3, 1.0),
    ("insurance", 5_000, 4, 1.0),
    ("insurance", 5_000, 3, 0.1),
    ("insurance", 50_000, 3, 1.0),
    ("water", 10_000, 3, 1.0),
    ("mildew", 10_000, 3, 1.0),
    ("alarm", 1_000, 3, 1.0),
    ("alarm", 1_000, 4, 1.0),
    ("alarm", 1_000, 3, 0.1),
    ("alarm", 10_000, 3, 1.0),
    ("barley", 10_000, 3, 1.0),
    ("hailfinder", 1_000, 2, 1.0),
    ("hailfinder", 1_000, 3, 1.0),
    ("hailfinder", 10_000, 2, 1.0),
    ("hailfinder", 10_000, 3, 1.0),
)
"""Networks with rows, the limit of parents, and kappa: tables if it is 1, otherwise with labels."""

DATA_SEED = 0
FILE = RESULTS / "certify.csv"


@dataclass(frozen=True)
class Run:
    """One certificate."""

    network: str
    n_rows: int
    n_variables: int
    max_parents: int
    kappa: float
    n_families: int
    n_kept: int
    n_left: int
    score: float
    better_score: float | None
    bound: float
    n_cuts: int
    n_branches: int
    cpu_seconds: float
    wall_seconds: float
    limit: float
    machine: str

    @property
    def key(self) -> tuple[str, ...]:
        """What it is a measurement of."""
        return self.network, str(self.n_rows), str(self.max_parents), str(self.kappa)


def measure(name: str, n_rows: int, max_parents: int, kappa: float, limit: float) -> Run:
    """Learn and certify."""
    data = ldag.read(BifNetwork(name).sample(n_rows, seed=DATA_SEED))
    structure: StructureKind = "table" if kappa == 1.0 else "ldag"
    fit = ldag.learn(
        data,
        kappa=kappa,
        structure=structure,
        equivalent_sample_size=1.0,
        method="climb",
        max_parents=max_parents,
        rng=0,
    )
    began, wall = time.process_time(), time.monotonic()
    proof = fit.certify(time_limit=limit)
    return Run(
        network=name,
        n_rows=n_rows,
        n_variables=len(data.variables),
        max_parents=max_parents,
        kappa=kappa,
        n_families=proof.n_families,
        n_kept=proof.n_kept,
        n_left=proof.n_left,
        score=proof.score,
        better_score=proof.better_score,
        bound=proof.bound,
        n_cuts=proof.n_cuts,
        n_branches=proof.n_branches,
        cpu_seconds=time.process_time() - began,
        wall_seconds=time.monotonic() - wall,
        limit=limit,
        machine=machine(["highspy"]),
    )


def read_runs() -> dict[tuple[str, ...], dict[str, str]]:
    """Return what was measured before."""
    if not FILE.exists():
        return {}
    with FILE.open(newline="") as file:
        return {(r["network"], r["n_rows"], r["max_parents"], r["kappa"]): r for r in csv.DictReader(file)}


def write_runs(runs: dict[tuple[str, ...], dict[str, str]]) -> None:
    """Keep what was measured, in the order of the sets."""
    order = [(name, str(n), str(most), str(kappa)) for name, n, most, kappa in SETS]
    with FILE.open("w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Run)])
        writer.writeheader()
        writer.writerows(runs[key] for key in order if key in runs)


def chosen_sets(networks: Sequence[str]) -> Iterator[tuple[str, int, int, float]]:
    """Go through the sets of some networks, or of all."""
    yield from (chosen for chosen in SETS if not networks or chosen[0] in networks)


def main() -> None:
    """Measure what is missing, or all again."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("networks", nargs="*")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--limit", type=float, default=180.0)
    options = parser.parse_args()
    runs = read_runs()
    for name, n_rows, max_parents, kappa in chosen_sets(options.networks):
        if (name, str(n_rows), str(max_parents), str(kappa)) in runs and not options.again:
            continue
        run = measure(name, n_rows, max_parents, kappa, options.limit)
        best = max(run.score, run.better_score or run.score)
        shown = f"{name} x {n_rows:,}, {max_parents} parents, kappa {kappa:g}"
        print(f"{shown}: gap {run.bound - best:.4f} ({(run.bound - best) / -best:.4%}), {run.cpu_seconds:.1f} s CPU")
        runs[run.key] = {name: "" if value is None else str(value) for name, value in asdict(run).items()}
        write_runs(runs)


if __name__ == "__main__":
    main()
