"""Missing cells: whether rows that have any are left out, and where measurements are cut then.

Cut points are those of the observations: a row that is left out does not count, and one that occurs several times
counts as often. So a table, the same table without its incomplete rows, and its different rows with their counts are
cut alike.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldag.data.columns import Column
from ldag.data.counts import Weights
from ldag.data.options import Missing, ReadOptions
from ldag.data.planning import ColumnPlan, cut_again
from ldag.data.tables import Survey, Table
from ldag.data.values import tidy_column

ENOUGH = 0.5
"""The share of rows that must be complete for the others to be left out unasked."""


@dataclass(frozen=True)
class Settled:
    """What becomes of missing cells, how the observations that are left are cut, and why, if that was not asked."""

    missing: Missing
    plans: list[ColumnPlan]
    why: str = ""


def settle_rows(
    columns: Sequence[Column], plans: list[ColumnPlan], amounts: Weights | None, options: ReadOptions
) -> Settled:
    """Decide about missing cells of a table whose rows are at hand, with how often each occurs."""
    columns = [tidy_column(column) for column in columns]
    gaps = [_find_gaps(column, plan) for column, plan in zip(columns, plans, strict=True)]
    complete = ~np.any(gaps, axis=0)
    times = np.ones(len(complete), dtype=np.int64) if amounts is None else amounts
    missing, why = _decide(float(times[complete].sum() / times.sum()), options)
    used = times * complete if missing == "drop" else times
    if not used.any() or (amounts is None and complete.all()):
        return Settled(missing, plans, why)
    return Settled(missing, _cut_all(plans, lambda place: Survey.of(columns[place], used)), why)


def settle_table(table: Table, plans: list[ColumnPlan], options: ReadOptions) -> Settled:
    """Decide about missing cells of a table whose engine counts its rows."""
    if options.missing not in ("drop", "auto") or not any(plan.n_missing for plan in plans):
        return Settled(options.missing, plans)
    assert table.complete is not None
    places = [table.names.index(plan.name) for plan in plans]
    part = table.complete(places, [plan.variable for plan in plans])
    missing, why = _decide(part.n_rows / table.n_rows, options)
    survey = part.survey
    if missing != "drop" or part.n_rows in (0, table.n_rows) or survey is None:
        return Settled(missing, plans, why)
    return Settled(missing, _cut_all(plans, lambda place: survey(places[place])), why)


def _cut_all(plans: Sequence[ColumnPlan], survey: Callable[[int], Survey]) -> list[ColumnPlan]:
    return [cut_again(plan, survey(place)) if plan.is_cut else plan for place, plan in enumerate(plans)]


def _find_gaps(column: Column, plan: ColumnPlan) -> NDArray[np.bool_]:
    """Tell which cells are missing; a text that is a declared state is not."""
    known = () if plan.variable is None else plan.variable.states
    texts = [str(value).strip() if column.text else value for value in column.values]
    missing = [column.is_missing(value) and text not in known for value, text in zip(column.values, texts, strict=True)]
    return np.array([*missing, True])[column.positions]


def _decide(share: float, options: ReadOptions) -> tuple[Missing, str]:
    """Say what becomes of missing cells if this share of the rows has none, and why they are not left out unasked."""
    if options.missing != "auto":
        return options.missing, ""
    return ("drop", "") if share >= ENOUGH else ("state", f": leaving out rows would keep {share:.0%} only")
