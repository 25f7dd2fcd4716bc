"""Held-out likelihood: as it comes and its average; tables, labels and the normalised prior at size 1; choices by cv.

    python -m benchmarks.bench_density [FOLDER] [--sets NAME ...] [--files TABLE.csv ...] [--settings NAME ...]

Heart, Titanic and NLTCS come along. FOLDER has NAME.train.csv.gz, NAME.valid.csv.gz and NAME.test.csv.gz: rows of 0 and
1 without a header, as the density-estimation literature uses them; only the training rows are learned from (all rows
that are not tested, with ``--with-valid``). Tables in other files are cut in two halves at random, as those that come
along are: one is learned from. The measure is the mean log-likelihood of a test row, in nats. Rows of results are kept
in ``results/density.csv``, in place of older ones of the same data and settings. "default" is ``ldag.learn(data)`` and
"average" is ``fit.average()``, nothing said; "grown" and "grown average" are trees, one and twenty. In the other
settings climbs are not restarted on data of more than 25 variables, so that settings are compared and not luck;
``--restarts`` says otherwise.
"""

import argparse
import csv
import time
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import ldag
from benchmarks.harness import RESULTS

NLTCS = Path(__file__).parent / "nltcs_counts.csv"
MANY_VARIABLES = 25

AT_ONE = {"equivalent_sample_size": 1.0}
CHOSEN = {"equivalent_sample_size": "cv", "smoothing": "cv"}
SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "average": {},
    "tables": {"structure": "table", **AT_ONE},
    "labels": {"kappa": "cv", **AT_ONE},
    "normalised": {"kappa": "cv", "prior": "normalised", **AT_ONE},
    "grown": {"method": "grow"},
    "grown average": {"method": "grow"},
    "tables, sizes by cv": {"structure": "table", **CHOSEN},
    "everything by cv": {"kappa": "cv", "structure": "cv", "prior": "cv", **CHOSEN},
}


@dataclass(frozen=True)
class Result:
    """One measurement."""

    data: str
    settings: str
    rows: int
    test: float
    cpu: float
    wall: float
    chosen: str


def binary_rows(folder: Path, name: str, *parts: str) -> ldag.Dataset:
    """Read the rows of some parts of a data set."""
    paths = [folder / f"{name}.{part}.csv.gz" for part in parts]
    rows = np.concatenate([np.loadtxt(path, delimiter=",", dtype=np.int64, ndmin=2) for path in paths])
    columns = {f"v{place:03}": column for place, column in enumerate(rows.T)}
    return ldag.read(columns, states={name: [0, 1] for name in columns})


def halves(data: ldag.Dataset) -> tuple[ldag.Dataset, ldag.Dataset]:
    """Cut the observations in two at random."""
    weights = data.whole_weights
    inside = np.random.default_rng(1).multivariate_hypergeometric(weights, weights.sum() // 2, method="marginals")
    return data.reweighed(weights - inside), data.reweighed(inside)


def load(given: argparse.Namespace) -> Iterator[tuple[str, ldag.Dataset, ldag.Dataset]]:
    """Go through the data sets: name, what is learned from, what is predicted."""
    known: dict[str, Callable[[], ldag.Dataset]] = {
        "heart": partial(ldag.datasets.load, "heart"),
        "titanic": partial(ldag.datasets.load, "titanic"),
        "nltcs": partial(ldag.read, NLTCS, counts="count"),
        **{path.stem: partial(ldag.read, path) for path in given.files},
    }
    for name, read in known.items():
        if not given.sets or name in given.sets:
            yield name, *halves(read())
    names = [] if given.folder is None else sorted(p.name.split(".")[0] for p in given.folder.glob("*.train.csv.gz"))
    for name in names:
        if not given.sets or name in given.sets:
            train = ("train", "valid") if given.with_valid else ("train",)
            yield name, binary_rows(given.folder, name, *train), binary_rows(given.folder, name, "test")


def measure(name: str, title: str, train: ldag.Dataset, test: ldag.Dataset, restarts: int | None) -> Result:
    """Learn and predict."""
    options: dict[str, Any] = {"progress": False}
    as_it_comes = SETTINGS[title] in ({}, {"method": "grow"})
    if restarts is not None or (len(train.names) > MANY_VARIABLES and not as_it_comes):
        options |= {"method": "climb", "n_restarts": restarts or 0}
    wall, cpu = time.perf_counter(), time.process_time()
    if title == "grown average":
        return measure_grown_average(name, train, test)
    fit = ldag.learn(train, **SETTINGS[title], **options)
    model: ldag.Mixture | ldag.Network = ldag.average(fit, progress=False) if title == "average" else fit.network
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    mean = model.log_likelihood(test) / test.total
    kind = f"{fit.structure}, {fit.prior}, kappa {fit.kappa:g}"
    chosen = f"{kind}, {spell_sizes(fit)}; {fit.ldag.dimension} parameters"
    return Result(name, title, int(train.total), round(mean, 4), round(cpu, 1), round(wall, 1), chosen)


def measure_grown_average(name: str, train: ldag.Dataset, test: ldag.Dataset) -> Result:
    """Grow twenty networks at the settings that come with them."""
    wall, cpu = time.perf_counter(), time.process_time()
    model = ldag.average(train, 20, method="grow", progress=False)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    mean = model.log_likelihood(test) / test.total
    rows = int(train.total)
    return Result(
        name, "grown average", rows, round(mean, 4), round(cpu, 1), round(wall, 1), "20 networks, as they come"
    )


def spell_sizes(fit: ldag.Fit) -> str:
    """Return the sample sizes of the search and of the parameters."""
    return f"{fit.equivalent_sample_size:g}, {fit.smoothing.in_words()}"


def keep(result: Result) -> None:
    """Write a result to the table of results."""
    path = RESULTS / "density.csv"
    rows = list(csv.reader(path.open())) if path.exists() else [[field.name for field in fields(Result)]]
    own = [str(value) for value in astuple(result)]
    rows = [row for row in rows if row[:3] != own[:3]] + [own]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([rows[0], *sorted(rows[1:], key=lambda row: (row[0], row[2]))])


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--sets", nargs="*", help="some of the data sets; all unless given")
    parser.add_argument("--files", nargs="*", type=Path, default=[], help="tables to cut in two")
    parser.add_argument("--settings", nargs="*", choices=list(SETTINGS), default=list(SETTINGS))
    parser.add_argument("--with-valid", action="store_true", help="learn from the validation rows, too")
    parser.add_argument("--restarts", type=int, help="of climbs")
    given = parser.parse_args()
    print(f"{'data':<16} {'settings':<20} {'rows':>6} {'test':>9} {'CPU s':>7} {'wall s':>7}  chosen")
    for name, train, test in load(given):
        for title in given.settings:
            result = measure(name, title, train, test, given.restarts)
            keep(result)
            numbers = f"{result.rows:>6} {result.test:>9.3f} {result.cpu:>7.1f} {result.wall:>7.1f}"
            print(f"{name:<16} {title:<20} {numbers}  {result.chosen}", flush=True)


if __name__ == "__main__":
    main()
