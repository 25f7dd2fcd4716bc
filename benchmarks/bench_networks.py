"""Climbing on 24 samples of well-known networks beside the peers' plain hill climbers, structure only.

    python -m benchmarks.bench_networks [--quick] [--again] [--timeout SECONDS] [SET ...]

Every program gets the same rows, converted to its own table before the clock starts; parameters are not learned; ours
starts from a `Dataset`. Every graph is scored by one scorer (ours: BDeu, equivalent sample size 1), so scores compare.
Each run has a process of its own and a time limit. What is measured goes to ``results/networks.csv`` at once, and is
not measured again unless asked for: a run that was broken off is continued by starting it again.
"""

import argparse
import csv
import multiprocessing
import statistics
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from importlib.metadata import PackageNotFoundError, version
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import ldag
from benchmarks.harness import RESULTS, machine
from ldag import LDAG, Dataset
from tests.oracle.networks import BifNetwork

SETS = (
    *(("asia", 10_000), ("child", 1_000), ("child", 50_000), ("insurance", 1_000), ("insurance", 50_000)),
    *(("alarm", 1_000), ("alarm", 50_000), ("hailfinder", 1_000), ("hailfinder", 50_000), ("win95pts", 1_000)),
    *(("win95pts", 10_000), ("hepar2", 1_000), ("hepar2", 10_000), ("water", 10_000), ("mildew", 10_000)),
    *(("mildew", 50_000), ("barley", 10_000), ("pathfinder", 10_000), ("munin1", 5_000), ("andes", 1_000)),
    *(("andes", 10_000), ("pigs", 5_000), ("link", 1_000), ("diabetes", 5_000)),
)
QUICK = (("asia", 10_000), ("child", 1_000), ("insurance", 1_000), ("alarm", 1_000))
DATA_SEED = 15
"""Of the rows; what the searches were tuned on has other seeds and sizes."""

SEEDS = (1, 2, 3)
PGMPY_VARIABLES = 40
"""Beyond, pgmpy takes minutes to hours."""

Edges = Sequence[tuple[str, str]]
Codes = dict[str, NDArray[np.int64]]


@dataclass(frozen=True)
class Run:
    """One program on one set; without a score if it did not come to its end in time."""

    network: str
    n_rows: int
    n_variables: int
    program: str
    version: str
    seed: int | None
    cpu_seconds: float | None
    score: float | None
    machine: str

    @property
    def key(self) -> tuple[str, ...]:
        """What it is a measurement of."""
        return self.network, str(self.n_rows), self.program, str(self.seed or "")


def by_pybnesian(codes: Codes) -> Callable[[], Edges]:
    """Prepare pybnesian's climb."""
    import pandas as pd
    import pybnesian

    frame = pd.DataFrame({v: pd.Categorical(column.astype(str)) for v, column in codes.items()})

    def climb() -> Edges:
        score = pybnesian.BDe(frame, iss=1.0)
        start = pybnesian.DiscreteBN(list(frame.columns))
        return list(pybnesian.GreedyHillClimbing().estimate(pybnesian.ArcOperatorSet(), score, start).arcs())

    return climb


def by_pyagrum(codes: Codes) -> Callable[[], Edges]:
    """Prepare pyAgrum's climb: the rows are in its own database, and only the graph is learned."""
    import pandas as pd
    import pyagrum

    learner = pyagrum.BNLearner(pd.DataFrame({v: pd.Categorical(c.astype(str)) for v, c in codes.items()}))
    learner.useScoreBDeu()
    learner.useGreedyHillClimbing()
    learner.setNumberOfThreads(1)

    def climb() -> Edges:
        names = learner.names()
        return [(names[parent], names[child]) for parent, child in learner.learnDAG().arcs()]

    return climb


def by_pgmpy(codes: Codes) -> Callable[[], Edges]:
    """Prepare pgmpy's climb."""
    import pandas as pd
    from pgmpy.estimators import BDeu, HillClimbSearch

    frame = pd.DataFrame({v: pd.Categorical(column.astype(str)) for v, column in codes.items()})

    def climb() -> Edges:
        score = BDeu(frame, equivalent_sample_size=1)
        return list(HillClimbSearch(frame).estimate(scoring_method=score, show_progress=False, max_iter=10**6).edges())

    return climb


PREPARE = {"pybnesian": by_pybnesian, "pyagrum": by_pyagrum, "pgmpy": by_pgmpy}


def by_ldag(data: Dataset, program: str, seed: int | None) -> Callable[[], Edges]:
    """Prepare our climb, as it comes or without restarts."""
    n_restarts = 0 if program == "ldag, one climb" else None
    return lambda: (
        ldag.learn(
            data,
            kappa=1,
            structure="table",
            equivalent_sample_size=1.0,
            method="climb",
            n_restarts=n_restarts,
            rng=seed,
            n_jobs=1,
            progress=False,
        ).ldag.edges
    )


def measure(pipe: Connection, network: str, n_rows: int, program: str, seed: int | None) -> None:
    """Run one program in a process of its own, and send CPU seconds and score."""
    warnings.simplefilter("ignore")
    codes = BifNetwork(network).sample(n_rows, seed=DATA_SEED)
    data = ldag.read(codes)
    climb = PREPARE[program](codes) if program in PREPARE else by_ldag(data, program, seed)
    warm_up(codes, program)
    pipe.send("ready")
    began = time.process_time()
    edges = climb()
    seconds = time.process_time() - began
    graph = LDAG.from_edges(edges, states={v.name: v.states for v in data.variables})
    pipe.send((seconds, ldag.score(graph, data, kappa=1).total))


def warm_up(codes: Codes, program: str) -> None:
    """Have a program load what it loads when it is first used."""
    few = {name: np.arange(20) // 2 % 2 for name in list(codes)[:3]}
    (PREPARE[program](few) if program in PREPARE else by_ldag(ldag.read(few), program, 0))()


def run(network: str, n_rows: int, program: str, seed: int | None, timeout: float) -> Run:
    """Measure, and end the process if it takes longer than it may."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=measure, args=(there, network, n_rows, program, seed))
    process.start()
    there.close()
    answer: tuple[float | None, float | None] = (None, None)
    try:
        here.recv()
        if here.poll(timeout):
            answer = here.recv()
    except EOFError:
        print(f"  {program} failed on {network} x {n_rows:,}", flush=True)
    process.kill()
    process.join()
    n_variables = len(BifNetwork(network).states)
    return Run(network, n_rows, n_variables, program, find_version(program), seed, *answer, machine(()))


def find_version(program: str) -> str:
    """Return the version of a program, and nothing if it is not installed."""
    try:
        return version(program.partition(",")[0])
    except PackageNotFoundError:
        return ""


def programs(network: str) -> Iterator[tuple[str, int | None]]:
    """Go through programs and seeds."""
    yield from (("ldag", seed) for seed in SEEDS)
    yield "ldag, one climb", None
    n_variables = len(BifNetwork(network).states)
    for peer in PREPARE:
        if find_version(peer) and (peer != "pgmpy" or n_variables <= PGMPY_VARIABLES):
            yield peer, None


def load(path: Path) -> list[Run]:
    """Read what was measured before."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [parse(row) for row in csv.DictReader(file)]


def parse(row: dict[str, str]) -> Run:
    """Make a run of a row of the file."""
    return Run(
        network=row["network"],
        n_rows=int(row["n_rows"]),
        n_variables=int(row["n_variables"]),
        program=row["program"],
        version=row["version"],
        seed=int(row["seed"]) if row["seed"] else None,
        cpu_seconds=float(row["cpu_seconds"]) if row["cpu_seconds"] else None,
        score=float(row["score"]) if row["score"] else None,
        machine=row["machine"],
    )


def save(runs: Sequence[Run], path: Path) -> None:
    """Write all that was measured, in the order of the sets."""
    order = [*SETS, *QUICK]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Run)])
        writer.writeheader()
        for done in sorted(runs, key=lambda done: (order.index((done.network, done.n_rows)), done.program)):
            numbers = {name: round(value, 4) for name, value in asdict(done).items() if isinstance(value, float)}
            writer.writerow(asdict(done) | numbers)


def summarise(runs: Sequence[Run]) -> None:
    """Print, for each set, our scores over the seeds, and how much better the peers' are."""
    print(f"\n{'set':<21} {'worst of seeds':>15} {'spread':>7} {'CPU s':>7} {'one climb':>16}  peers: score, CPU s")
    for network, n_rows in SETS:
        own = [done for done in runs if (done.network, done.n_rows) == (network, n_rows) and done.score is not None]
        ours = [done.score for done in own if done.program == "ldag" and done.score is not None]
        if not ours:
            continue
        seconds = statistics.median(done.cpu_seconds or 0.0 for done in own if done.program == "ldag")
        worst = min(ours)
        others = {
            done.program: f"{(done.score or 0.0) - worst:+.1f}, {done.cpu_seconds:.2f}"
            for done in own
            if done.program != "ldag"
        }
        alone = others.pop("ldag, one climb", "")
        peers = "; ".join(f"{peer} {text}" for peer, text in others.items())
        spread = max(ours) - worst
        print(f"{network + f' x {n_rows:,}':<21} {worst:>15.1f} {spread:>7.1f} {seconds:>7.2f} {alone:>16}  {peers}")


def main() -> None:
    """Measure what is missing, and report all."""
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", help="networks; all unless given")
    parser.add_argument("--quick", action="store_true", help="a few small sets")
    parser.add_argument("--again", action="append", default=[], help="measure this program again")
    parser.add_argument("--only", action="append", default=[], help="measure this program only")
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds for each run")
    parser.add_argument("--results", type=Path, default=RESULTS / "networks.csv", help="where to keep what is measured")
    given = parser.parse_args()
    chosen = [item for item in (QUICK if given.quick else SETS) if not given.sets or item[0] in given.sets]
    known = {
        done.key: done
        for done in load(given.results)
        if done.program not in given.again or (done.network, done.n_rows) not in chosen
    }
    for network, n_rows in chosen:
        for program, seed in programs(network):
            if given.only and program not in given.only:
                continue
            if (network, str(n_rows), program, str(seed or "")) not in known:
                done = run(network, n_rows, program, seed, given.timeout)
                known[done.key] = done
                save(list(known.values()), given.results)
                print(f"{network} x {n_rows:,}, {program}, {done.cpu_seconds} s, score {done.score}", flush=True)
    summarise(list(known.values()))


if __name__ == "__main__":
    main()
