"""Trees grown from rows: how long they take, and how well one grown network predicts.

    python -m benchmarks.bench_grow [FOLDER] [--density]

FOLDER has NAME.train.csv.gz, NAME.valid.csv.gz and NAME.test.csv.gz: rows of 0 and 1 without a header, as the
density-estimation literature uses them. Times are CPU seconds on one thread, medians of five, and go to
``results/grow.csv``; ratios and memory are printed below, and stand there as they are. With ``--density``, networks are
grown with a few settings from the training rows; the strength of their parameters is chosen on the validation rows,
and the mean log-likelihood of a test row goes to ``results/grow_density.csv``.
"""

import argparse
import csv
import resource
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import log
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ldag
from benchmarks.harness import RESULTS, Row, report
from ldag import _native

REPEATS = 5
STRENGTHS = (2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
Codes = NDArray[np.uint8]


@dataclass(frozen=True)
class Settings:
    """How trees are grown; ``choice_price`` None: the logarithm of the number of candidates."""

    prior: str = "parameters"
    equivalent_sample_size: float = 1.0
    kappa: float = 0.1
    levels: bool = False
    choice_price: float | None = 0.0
    splits: str = "binary"
    order: Sequence[int] | None = None
    """Of the variables: they ask about those before them only."""
    n_threads: int = 1

    def candidates(self, n_variables: int) -> list[list[int]]:
        """What every variable may ask about."""
        place = {v: i for i, v in enumerate(self.order or ())}
        return [
            [v for v in range(n_variables) if v != own and (not place or place[v] < place[own])]
            for own in range(n_variables)
        ]

    def grow(self, columns: _native.Columns, n_variables: int) -> "list[_native.GrownTree]":
        """Grow the trees of all variables."""
        candidates = self.candidates(n_variables)
        prices = [log(max(len(c), 1)) if self.choice_price is None else self.choice_price for c in candidates]
        return _native.grow_trees(
            columns,
            candidates,
            [[] for _ in candidates],
            [n_variables] * n_variables,
            [1 << 40] * n_variables,
            self.prior,
            self.equivalent_sample_size,
            log(self.kappa),
            self.splits,
            [0] * n_variables,
            self.levels,
            prices,
            self.n_threads,
        )[0]


BY_LEVELS = Settings(equivalent_sample_size=1000.0, kappa=1.0, levels=True, choice_price=5.0)
DENSITY = {
    "leaf by leaf": Settings(kappa=0.1),
    "leaf by leaf, size 1, kappa 0.01": Settings(kappa=0.01),
    "leaf by leaf, size 1000, kappa 0.3": Settings(equivalent_sample_size=1000.0, kappa=0.3),
    "nested 2, kappa 0.3": Settings("nested", 2.0, 0.3),
    "levels, size 1000, price 5": BY_LEVELS,
    "levels, size 1000": Settings(equivalent_sample_size=1000.0, kappa=1.0, levels=True, choice_price=None),
    "levels, size 1": Settings(kappa=1.0, levels=True, choice_price=None),
    "levels, size 10": Settings(equivalent_sample_size=10.0, kappa=1.0, levels=True, choice_price=None),
}


@dataclass(frozen=True)
class Number:
    """A ratio or a size, and the most or the least it should be."""

    name: str
    value: float
    goal: float
    is_least: bool = False

    @property
    def verdict(self) -> str:
        """Whether the goal was met."""
        is_met = self.value >= self.goal if self.is_least else self.value <= self.goal
        return "met" if is_met else "MISSED"


@dataclass
class Times:
    """Times of one job."""

    columns: _native.Columns
    n_variables: int
    settings: Settings
    cpu: list[float] = field(default_factory=list)
    wall: list[float] = field(default_factory=list)

    def take(self) -> None:
        """Grow once."""
        cpu, wall = time.process_time(), time.perf_counter()
        self.settings.grow(self.columns, self.n_variables)
        self.cpu.append(time.process_time() - cpu)
        self.wall.append(time.perf_counter() - wall)


def measure(jobs: Sequence[Times], repeats: int = REPEATS) -> None:
    """Take turns, so that what else the machine does meets all alike."""
    for _ in range(repeats):
        for job in jobs:
            job.take()


def lists_sample(n_variables: int, n_rows: int, depth: int = 10, seed: int = 0) -> Codes:
    """Columns that depend on others before them, in a random order, by decision lists."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(n_variables)
    codes = np.zeros((n_variables, n_rows), dtype=np.uint8)
    for place, node in enumerate(order):
        chance = np.full(n_rows, -1.0)
        for above in rng.choice(order[:place], size=min(place, depth), replace=False):
            stops = (codes[above] == rng.integers(2)) & (chance < 0) & (rng.random() < 0.7)
            chance[stops] = rng.beta(0.5, 0.5)
        chance[chance < 0] = rng.beta(0.5, 0.5)
        codes[node] = rng.random(n_rows) < chance
    return codes


def binary_rows(folder: Path, name: str, part: str) -> Codes:
    """Read rows of 0 and 1, a run per column."""
    rows = np.loadtxt(folder / f"{name}.{part}.csv.gz", delimiter=",", dtype=np.uint8, ndmin=2)
    return np.ascontiguousarray(rows.T)


def columns_of(codes: Codes) -> _native.Columns:
    """Columns of binary variables."""
    return _native.Columns(codes, [2] * len(codes))


def wide_rows() -> Iterator[Row | Number]:
    """Wide tables: time, how it grows with columns and rows, and what a second thread brings."""
    shapes = [(1_000, 10_000), (2_000, 10_000), (1_000, 20_000)]
    jobs = [Times(columns_of(lists_sample(*shape)), shape[0], Settings()) for shape in shapes]
    measure(jobs)
    one, wide, long = (median(job.cpu) for job in jobs)
    yield Row("1,000 columns x 10,000 rows", one, goal=5.0)
    yield Number("CPU seconds, 2,000 columns to 1,000", wide / one, 5.0)
    yield Number("CPU seconds, 20,000 rows to 10,000", long / one, 2.4)
    gigabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    yield Number("GB of memory at 2,000 columns x 10,000 rows", gigabytes, 1.0)
    codes = lists_sample(400, 10_000)
    order = np.random.default_rng(1).permutation(len(codes)).tolist()
    alone, both = (Times(columns_of(codes), len(codes), Settings(order=order, n_threads=n)) for n in (1, 2))
    measure([alone, both], 2 * REPEATS)
    yield Number("speed of two threads to one, an order given", min(alone.wall) / min(both.wall), 1.6, is_least=True)


def alarm_rows(path: Path) -> Iterator[Row]:
    """Variables of two to four states, against a climb over trees on the grid."""
    data = ldag.read(path)
    columns = _native.Columns(data.codes, [v.n_states for v in data.schema], data.whole_weights)
    job = Times(columns, len(data.names), Settings(splits="complete"))
    measure([job])
    began = time.process_time()
    ldag.learn(data, method="climb", structure="tree", kappa=0.1, n_restarts=0, n_jobs=1, progress=False)
    climb = time.process_time() - began
    yield Row("alarm, 10,000 rows", median(job.cpu), "climb over trees", climb, goal=climb / 10)


def plants_rows(folder: Path) -> Iterator[Row]:
    """Growth with fixed settings."""
    codes = binary_rows(folder, "plants", "train")
    columns = columns_of(codes)
    jobs = {name: Times(columns, len(codes), settings) for name, settings in DENSITY.items()}
    measure([*jobs.values()])
    for name, job in jobs.items():
        yield Row(f"plants, {name}", median(job.cpu), goal=0.4)


def log_likelihoods(trees: "Sequence[_native.GrownTree]", codes: Codes, strength: float) -> NDArray[np.float64]:
    """The log-likelihood of every row; every tree node leans on the one above it with this strength."""
    total = np.zeros(codes.shape[1])
    for node, (axes, targets, counts, *_) in enumerate(trees):
        sizes = np.where(axes >= 0, 2, 0)
        offsets = np.cumsum(sizes) - sizes
        r = counts.shape[1]
        theta = (counts + 1) / (counts.sum(axis=1, keepdims=True) + r)
        for place in np.flatnonzero(axes >= 0):
            for branch in targets[offsets[place] : offsets[place] + sizes[place]]:
                theta[branch] = (counts[branch] + strength * theta[place]) / (counts[branch].sum() + strength)
        places = np.zeros(codes.shape[1], dtype=np.int64)
        rows = np.flatnonzero(axes[places] >= 0)
        while len(rows):
            own = places[rows]
            places[rows] = targets[offsets[own] + codes[axes[own], rows]]
            rows = rows[axes[places[rows]] >= 0]
        total += np.log(theta[places, codes[node]])
    return total


def density(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    """Grow from the training rows with each of the settings, and predict."""
    train, valid, test = (binary_rows(folder, name, part) for part in ("train", "valid", "test"))
    columns = columns_of(train)
    for title, settings in DENSITY.items():
        began = time.process_time()
        trees = settings.grow(columns, len(train))
        cpu = time.process_time() - began
        valid_means = {s: log_likelihoods(trees, valid, s).mean() for s in STRENGTHS}
        strength = max(valid_means, key=lambda s: float(valid_means[s]))
        yield {
            "data": name,
            "settings": title,
            "strength": strength,
            "valid": round(float(valid_means[strength]), 3),
            "test": round(float(log_likelihoods(trees, test, strength).mean()), 3),
            "leaves": sum(int((axes < 0).sum()) for axes, *_ in trees),
            "most_parents": max(len(set(axes.tolist()) - {-1}) for axes, *_ in trees),
            "cpu": round(cpu, 2),
        }


def main() -> None:
    """Measure what there is data for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", help="of the sets of the literature")
    parser.add_argument("--alarm", type=Path, help="10,000 rows of the alarm network")
    parser.add_argument("--density", action="store_true", help="predict, too")
    given = parser.parse_args()
    wide = list(wide_rows())
    rows = [row for row in wide if isinstance(row, Row)]
    rows += plants_rows(given.folder) if given.folder else []
    rows += alarm_rows(given.alarm) if given.alarm else []
    report("grow", rows)
    with (RESULTS / "grow.csv").open("a", newline="") as file:
        for number in (one for one in wide if isinstance(one, Number)):
            print(f"  {number.name}: {number.value:.2f}, goal {number.goal:g}, {number.verdict}")
            csv.writer(file).writerow([number.name, number.value, number.goal, "", "", number.verdict])
    if not given.density or not given.folder:
        return
    with (RESULTS / "grow_density.csv").open("w", newline="") as file:
        writer: csv.DictWriter[str] | None = None
        for name in ("plants", "jester", "dna"):
            for result in density(given.folder, name):
                writer = writer or csv.DictWriter(file, list(result))
                if file.tell() == 0:
                    writer.writeheader()
                writer.writerow(result)
                print(*result.values(), sep="\t", flush=True)


if __name__ == "__main__":
    main()
