"""Tables of results: as CSV files, by their medians and quartiles, and in columns for people."""

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from experiments.paper.cells import Row, Value
from ldag.formats import read_utf8, write_atomically


def write_csv(path: Path, rows: Sequence[Row]) -> None:
    """Write rows as CSV; an empty cell is None, true and false are 1 and 0."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_spell(row.get(name)) for name in columns] for row in rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, text.getvalue().encode())


def read_csv(path: Path) -> list[Row]:
    """Read rows that `write_csv` wrote; what looks like a number is one."""
    return [{name: _parse(cell) for name, cell in row.items()} for row in csv.DictReader(io.StringIO(read_utf8(path)))]


def _spell(value: Value) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.10g}"
    return str(int(value)) if isinstance(value, bool) else str(value)


def _parse(cell: str) -> Value:
    for kind in (int, float):
        try:
            return kind(cell)
        except ValueError:
            continue
    return cell or None


def numbers(rows: Iterable[Row], column: str) -> list[float]:
    """Return the numbers in a column, without the cells that are empty."""
    return [float(value) for row in rows if isinstance(value := row.get(column), int | float)]


def quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the lower quartile, the median and the upper quartile."""
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75]).tolist() if values else (np.nan,) * 3
    return low, middle, high


def group(rows: Iterable[Row], *columns: str) -> dict[tuple[Value, ...], list[Row]]:
    """Return the rows by what stands in some columns, in order of appearance."""
    groups: dict[tuple[Value, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row.get(name) for name in columns), []).append(row)
    return groups


def summarise_simulation(rows: Sequence[Row], paper: Sequence[Row] = ()) -> list[Row]:
    """Return medians and quartiles over the draws, for each sample size and kappa, and the paper's numbers beside."""
    known = {(row["n"], row["kappa"]): row for row in paper}
    summary: list[Row] = []
    for (size, kappa), some in group(rows, "n", "kappa").items():
        low, kl, high = quartiles(numbers(some, "kl"))
        saved_low, saved, saved_high = quartiles(numbers(some, "saved"))
        row: Row = {
            "n": size,
            "kappa": kappa,
            "draws": len(some),
            "chosen": int(sum(numbers(some, "chosen"))),
            "found": int(sum(numbers(some, "found"))),
            "same_skeleton": int(sum(numbers(some, "same_skeleton"))),
            "score": quartiles(numbers(some, "score"))[1],
            "edges": quartiles(numbers(some, "edges"))[1],
            "saved": saved,
            "saved_low": saved_low,
            "saved_high": saved_high,
            "kl": kl,
            "kl_low": low,
            "kl_high": high,
            "rho": quartiles(numbers(some, "rho"))[1],
        }
        printed = known.get((size, kappa), {})
        row |= {f"paper_{name}": printed.get(name) for name in ("edges", "saved", "kl", "found", "chosen")}
        summary.append(row)
    return summary


def summarise_structures(rows: Sequence[Row]) -> list[Row]:
    """Return, for each problem, structure and pair of searches, medians over draws or means over folds.

    ``gain`` is what the structure gains over tables learned by the same search, draw by draw: nats of divergence, or of
    held-out log-likelihood per observation; ``gain_low`` and ``gain_high`` are its quartiles, or two standard errors.
    """
    summary: list[Row] = []
    tables = {(row["problem"], row["draw"], row["method"]): row for row in rows if row["structure"] == "table"}
    for (problem, structure, labels, method), some in group(rows, "problem", "structure", "labels", "method").items():
        pairs = [
            (row, tables[problem, row["draw"], method]) for row in some if (problem, row["draw"], method) in tables
        ]
        held_out = bool(numbers(some, "held_out"))
        measure, sign = ("held_out", 1.0) if held_out else ("kl", -1.0)
        gains = [sign * (float(row[measure] or 0) - float(table[measure] or 0)) + 0.0 for row, table in pairs]
        low, gain, high = _mean_band(gains) if held_out else quartiles(gains)
        summary.append(
            {
                "problem": problem,
                "structure": structure,
                "labels": labels,
                "method": method,
                "draws": len(some),
                measure: float(np.mean(numbers(some, measure))) if held_out else quartiles(numbers(some, measure))[1],
                "gain": gain,
                "gain_low": low,
                "gain_high": high,
                **{name: _median(some, name) for name in _MEDIANS},
            }
        )
    return summary


_MEDIANS = ("edges", "parameters", "shd", "cpdag_shd", "label_precision", "label_recall", "seconds")


def _median(rows: Sequence[Row], column: str) -> float | None:
    values = numbers(rows, column)
    return quartiles(values)[1] if values else None


def _mean_band(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean, and two standard errors on either side."""
    if len(values) < 2:
        return (values[0],) * 3 if values else (np.nan,) * 3
    mean = float(np.mean(values))
    error = 2 * float(np.std(values, ddof=1)) / len(values) ** 0.5
    return mean - error, mean, mean + error


Show = Mapping[str, Callable[[Row], str]]
"""How each column of a table is written."""


def lay_out(rows: Sequence[Row], show: Show) -> str:
    """Return rows as text in columns, numbers to the right.

    Examples
    --------
    >>> print(lay_out([{"n": 250}, {"n": 8000}], {"rows": lambda row: f"{row['n']:,}"}))
     rows
      250
    8,000
    """
    cells = [[*show], *([write(row) for write in show.values()] for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(show))]
    return "\n".join(
        "  ".join(f"{cell:>{width}}" for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells
    )
