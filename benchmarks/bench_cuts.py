"""Where measurements are cut: the density of held-out rows of real tables, all learned from training rows only.

    python -m benchmarks.bench_cuts [--tables NAME ...] [--ways NAME ...] [--show]

Tables come along with packages, as those of `bench_pipelines`, and are chosen by a rule that knows no result: read as
`ldag.read` does, rows with missing cells dropped, a table has 4 to 20 variables, at least three of them measurements,
and 200 to 3,000 rows. Of each package of R the table with the smallest CRC-32 of its name is taken, of the others all.
The tables that the constants of ``bins="model"`` were tried on are left out.

Five outer folds. A network is learned with the defaults of `ldag.learn`. A value has the probability
of its bin, spread evenly over it: ``density`` is the gain over quartiles in the log density of a row, on the scale of
the table. The outer bins end where the values of the whole table do, for all ways alike. With ``ranks``, a value has
the probability of its bin over the share of the bin in the training rows: what columns tell about each other counts,
and the shape of each by itself does not. Results are kept in ``results/cuts.csv``; ``--show`` sums them up.
"""

import argparse
import csv
import time
import warnings
from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import ldag
from benchmarks.bench_pipelines import frames
from benchmarks.harness import RESULTS, machine

if TYPE_CHECKING:
    import pandas as pd

WAYS: dict[str, Any] = {
    "quartiles": 4,
    "8 quantiles": 8,
    "12 quantiles": 12,
    "model": "model",
}
REFERENCE = next(iter(WAYS))
N_FOLDS = 5
LEAST_ROWS, MOST_ROWS = 200, 3000
LEAST_VARIABLES, MOST_VARIABLES = 4, 20
LEAST_MEASURED = 3
LEARN: dict[str, Any] = {"n_jobs": 1, "progress": False}
TRIED = (
    *("modeldata/penguins", "KMsurv/kidtran", "carData/Salaries", "MatchIt/lalonde", "survival/pbc"),
    *("AER/TeachingRatings", "texmex/liver", "geepack/dietox", "plm/Cigar", "modeldata/wa_churn"),
    *("palmerpenguins/penguins", "palmerpenguins/penguins_raw"),
)
"""Tables that the constants were tried on, one of them under three names."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Result:
    """One way on one table; gains in nats for a row, with standard errors over rows."""

    table: str
    way: str
    rows: int
    variables: int
    measured: int
    density: float
    density_error: float
    ranks: float
    ranks_error: float
    bins: float
    edges: float
    cpu_read: float
    cpu: float


def tables(names: list[str] | None) -> Iterator[tuple[str, "pd.DataFrame", list[str]]]:
    """Go through the tables that the rule chooses, or some of them, and the names of their measurements."""
    known: set[tuple[int, int]] = set()
    for _, group in groupby(frames(), key=lambda entry: entry[0]):
        for _, name, load in group:
            chosen = None if name in TRIED else usable(load())
            if chosen is None or chosen[0].shape in known:
                continue
            known.add(chosen[0].shape)
            if names is None or name in names:
                yield name, *chosen
            break


def usable(frame: "pd.DataFrame") -> "tuple[pd.DataFrame, list[str]] | None":
    """Return the complete rows of a table with its measurements, unless it is not as the rule asks."""
    if not hasattr(frame, "columns") or len(frame) < LEAST_ROWS or len(frame.columns) > 2 * MOST_VARIABLES:
        return None
    frame = frame.drop(columns=["rownames"], errors="ignore")
    frame.columns = [str(name) for name in frame.columns]
    try:
        data = ldag.read(frame, missing="auto", unusable="drop")
        columns = [v.name for v in data.variables if not v.cuts or isinstance(v.cuts[0], float)]
        frame = frame[columns].dropna()
        data = ldag.read(frame, unusable="drop")
    except ldag.LdagError:
        return None
    measured = [v.name for v in data.variables if v.cuts]
    fits = LEAST_VARIABLES <= len(data.names) <= MOST_VARIABLES and len(measured) >= LEAST_MEASURED
    if (
        not fits
        or not LEAST_ROWS <= len(frame) <= MOST_ROWS
        or set(map(str, frame.dtypes[measured])) & {"object", "str"}
    ):
        return None
    return frame[list(data.names)].reset_index(drop=True), measured


def row_logs(
    fit: ldag.Fit, rows: "pd.DataFrame", train: "pd.DataFrame", every: "pd.DataFrame"
) -> tuple[Floats, Floats]:
    """Return the log density of every row, and with the shares of bins in the training rows in place of widths."""
    network = fit.network
    codes = np.array([code_column(variable, rows) for variable in network.variables])
    logs = np.zeros(len(rows))
    for node, family in enumerate(network.ldag.structure.families):
        classes = family.partition.classes_of_rows(codes[list(family.parents)].astype(np.uint8))
        logs += np.log(network.probabilities[node][classes, codes[node]])
    by_width, by_share = logs.copy(), logs
    for node, variable in enumerate(network.variables):
        if variable.cuts:
            values = np.unique(every[variable.name].to_numpy(np.float64))
            ends = np.concatenate([[values[0] - np.median(np.diff(values))], variable.cuts, [values[-1]]])
            counts = np.bincount(code_column(variable, train), minlength=variable.n_states)
            by_width -= np.log(np.diff(ends))[codes[node]]
            by_share = by_share - np.log(counts / len(train))[codes[node]]
    return by_width, by_share


def code_column(variable: ldag.Variable, rows: "pd.DataFrame") -> NDArray[np.int64]:
    """Return the states of a column by number."""
    values = rows[variable.name]
    if variable.cuts:
        return np.asarray(np.searchsorted(np.array(variable.cuts), values.to_numpy(np.float64), side="left"))
    return np.array([variable.code(value) for value in values.tolist()])


def run(way: str, frame: "pd.DataFrame", measured: list[str]) -> tuple[Floats, Floats, list[float]]:
    """Return the logarithms for all rows, each held out once, and means over folds of the other columns of results."""
    whole = ldag.read(frame, unusable="drop")
    states = {variable.name: variable.states for variable in whole.variables if not variable.cuts}
    order = np.random.default_rng(1).permutation(len(frame))
    logs: tuple[list[Floats], list[Floats]] = ([], [])
    others = []
    for fold in range(N_FOLDS):
        test = frame.iloc[order[fold::N_FOLDS]]
        train = frame.drop(index=test.index)
        began = time.process_time()
        data = ldag.read(train, states=states, bins=dict.fromkeys(measured, WAYS[way]), keep=list(frame.columns))
        is_read = time.process_time()
        fit = ldag.learn(data, **LEARN)
        ended = time.process_time()
        for own, more in zip(logs, row_logs(fit, test, train, frame), strict=True):
            own.append(more)
        bins = float(np.mean([len(data.states(name)) for name in measured]))
        others.append([bins, len(fit.ldag.edges), is_read - began, ended - began])
    return np.concatenate(logs[0]), np.concatenate(logs[1]), np.mean(others, axis=0).tolist()


def measure(name: str, frame: "pd.DataFrame", measured: list[str], ways: list[str]) -> Iterator[Result]:
    """Cut and learn in several ways, the reference first."""
    reference: tuple[Floats, Floats] | None = None
    for way in [REFERENCE, *(way for way in ways if way != REFERENCE)]:
        *logs, others = run(way, frame, measured)
        reference = (logs[0], logs[1]) if reference is None else reference
        numbers = []
        for own, first in zip(logs, reference, strict=True):
            gains = own - first
            numbers += [round(float(gains.mean()), 4), round(float(gains.std() / np.sqrt(len(gains))), 4)]
        rest = [round(number, 3) for number in others]
        yield Result(name, way, len(frame), len(frame.columns), len(measured), *numbers, *rest)


def read_results() -> list[list[str]]:
    """Return what was kept, the names of columns first."""
    path = RESULTS / "cuts.csv"
    return list(csv.reader(path.open())) if path.exists() else [[field.name for field in fields(Result)]]


def keep(results: list[Result]) -> None:
    """Write results of one table to those that are kept."""
    own = [[str(value) for value in astuple(result)] for result in results]
    keys = {tuple(row[:2]) for row in own}
    header, *rows = read_results()
    rows = [row for row in rows if tuple(row[:2]) not in keys] + own
    with (RESULTS / "cuts.csv").open("w", newline="") as file:
        csv.writer(file).writerows([header, *sorted(rows, key=lambda row: (row[0], list(WAYS).index(row[1])))])


def show() -> None:
    """Print for every way the mean gains over tables, and how many tables win and lose, by two standard errors, too."""
    _, *rows = read_results()
    print(f"\n{len({row[0] for row in rows})} tables; nats for a held-out row over {REFERENCE}\n{machine()}")
    heads = ("tables", "density", "median", "won", "surely", "lost", "surely", "ranks", "won", "lost", "bins", "CPU s")
    print(f"{'way':<14} " + " ".join(f"{head:>8}" for head in heads))
    for way in WAYS:
        own = np.array([[float(cell) for cell in row[5:]] for row in rows if row[1] == way])
        if len(own):
            density, error, ranks, _, bins, _, _, cpu = own.T
            tally = [
                (density > 0).sum(),
                (density > 2 * error).sum(),
                (density < 0).sum(),
                (density < -2 * error).sum(),
            ]
            numbers = [f"{len(own):>8}", f"{density.mean():>8.3f}", f"{np.median(density):>8.3f}"]
            numbers += [f"{int(n):>8}" for n in tally]
            numbers += [f"{ranks.mean():>8.3f}", f"{int((ranks > 0).sum()):>8}", f"{int((ranks < 0).sum()):>8}"]
            print(f"{way:<14} " + " ".join([*numbers, f"{bins.mean():>8.1f}", f"{cpu.mean():>8.2f}"]))
    density = {(row[0], row[1]): float(row[5]) for row in rows}
    for way in list(WAYS)[:-1]:
        pairs = [(gain, density[table, way]) for (table, own), gain in density.items() if own == "model"]
        print(f"model is denser than {way} on {sum(own > other for own, other in pairs)} of {len(pairs)} tables")


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", nargs="*", help="some of the tables; all unless given")
    parser.add_argument("--ways", nargs="*", choices=list(WAYS), default=list(WAYS))
    parser.add_argument("--show", action="store_true", help="only sum up what is kept")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if not given.show:
        for name, frame, measured in tables(given.tables):
            results = []
            for result in measure(name, frame, measured, given.ways):
                results.append(result)
                gains = f"{result.density:>8.3f} {result.density_error:>6.3f} {result.ranks:>8.3f}"
                size = f"{result.rows:>5} {result.variables:>3} {result.measured:>3}"
                more = f"{result.bins:>5.1f} {result.edges:>5.1f} {result.cpu_read:>6.2f} {result.cpu:>6.2f}"
                print(f"{name:<28} {size} {result.way:<14} {gains} {more}", flush=True)
            keep(results)
    show()


if __name__ == "__main__":
    main()
