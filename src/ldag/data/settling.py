"""What becomes of missing cells: refused, left out with their rows, made a state of their own, or kept as gaps."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ldag.data.columns import Coded
from ldag.data.notes import Note
from ldag.data.options import Missing, ReadOptions
from ldag.data.planning import ColumnPlan, cut_again
from ldag.data.rows import Weights
from ldag.data.tables import Table
from ldag.data.target_cuts import cut_for_targets
from ldag.errors import DataError, counted, list_names, option

ENOUGH = 0.5
"""The share of rows that must be complete for the others to be left out unasked."""

NAMED = 2
"""Columns with gaps that a note names, those with most first; the others are counted."""


@dataclass(frozen=True)
class Settled:
    """What becomes of missing cells, how the observations that are left are cut, and what is to be added in words."""

    missing: Missing
    plans: list[ColumnPlan]
    why: str = ""


def settle_gaps(table: Table, plans: list[ColumnPlan], options: ReadOptions) -> Settled:
    """Decide about missing cells: whether rows that have any are left out, and where measurements are cut then.

    Cut points are those of the observations: a row that is left out does not count, and one that occurs several times
    counts as often. So a table, the same table without its incomplete rows, and its different rows with their counts
    are cut alike. Where gaps are kept, a column is cut by the cells that it has.
    """
    missing, why, counted_rows = options.missing, "", table
    if missing in ("drop", "auto") and any(plan.n_missing for plan in plans):
        missing, why, counted_rows = _decide(table, plans, options)
    elif missing == "keep" and options.use_of_gaps:
        why = f", {options.use_of_gaps}"
    is_cut_anew = options.is_counted or counted_rows is not table
    plans = cut_again(plans, counted_rows) if is_cut_anew else plans
    if any(plan.target for plan in plans):
        plans = cut_for_targets(plans, counted_rows)
    return Settled(missing, plans, why)


def _decide(table: Table, plans: Sequence[ColumnPlan], options: ReadOptions) -> tuple[Missing, str, Table]:
    """Say what becomes of missing cells, why rows are not left out unasked, and the rows to cut measurements by."""
    if options.missing == "auto" and options.use_of_gaps is not None:
        return "keep", f", {options.use_of_gaps}" if options.use_of_gaps else "", table
    part, share = table.complete([plan.place for plan in plans], [plan.variable for plan in plans])
    if options.missing == "auto" and share < ENOUGH:
        return "state", f": leaving out rows would keep {share:.0%} only", table
    return "drop", "", part if 0 < share < 1 else table


def drop_gaps(
    coded: Sequence[Coded], plans: Sequence[ColumnPlan], weights: Weights | None, noun: str
) -> tuple[list[Coded], Weights | None, list[Note]]:
    """Leave out rows with missing cells, and states that only these rows have unless they were declared; tell both."""
    gaps = np.any([column.missing for column in coded], axis=0)
    if not gaps.any():
        return list(coded), weights, []
    n_gaps, n_rows = _count(gaps, weights), _count(np.ones_like(gaps), weights)
    where = list_names([column.variable.name for column in coded if column.missing.any()])
    what = f"{n_gaps:,} of {counted(n_rows, noun)} left out, which have missing cells (in {where})"
    notes = [Note(what, "rows", of_gaps=True)]
    kept = [replace(column, codes=column.codes[~gaps]) for column in coded]
    for place, (column, plan) in enumerate(zip(kept, plans, strict=True)):
        seen = np.unique(column.codes).tolist()
        if plan.variable is None and not column.column.declared and 0 < len(seen) < column.variable.n_states:
            lost = [repr(state) for code, state in enumerate(column.variable.states) if code not in seen]
            noun = "state" if len(lost) == 1 else "states"
            what = f"{plan.name}: {noun} {list_names(lost)} left out, in rows with missing cells only"
            notes.append(Note(what, "states"))
            kept[place] = column.with_states(seen)
    return kept, None if weights is None else weights[~gaps], notes


def note_gaps(gaps: Sequence[Coded], settled: Settled, weights: Weights | None, noun: str) -> Note:
    """Say how many cells are missing that became states, or how many rows have gaps that were kept."""
    amounts = [_count(column.missing, weights) for column in gaps]
    if settled.missing == "state":
        shown = [f"{column.variable.name} ({n:,})" for column, n in zip(gaps, amounts, strict=True)]
        return Note(f"missing cells are a state of {list_names(shown)}{settled.why}", "", of_gaps=True)
    rows = np.any([column.missing for column in gaps], axis=0)
    order = sorted(range(len(gaps)), key=lambda place: -amounts[place])
    names = list_names([gaps[place].variable.name for place in order], NAMED)
    n = _count(rows, weights)
    of_rows = f"{n:,} of {counted(_count(np.ones_like(rows), weights), noun)} {'has' if n == 1 else 'have'}"
    return Note(f"{of_rows} gaps ({names}): kept{settled.why}", "", of_gaps=True)


def refuse_gaps(gaps: Sequence[Coded], plans: Sequence[ColumnPlan]) -> DataError:
    """Say where cells are missing, and what can be done."""
    name = gaps[0].variable.name
    n_missing = next(plan.n_missing for plan in plans if plan.name == name)
    others = f" (and {counted(len(gaps) - 1, 'other column')} too)" if len(gaps) > 1 else ""
    row = gaps[0].first_missing()
    first = f", the first in row {row}" if row is not None else ""
    return DataError(
        f"column {name!r} has {counted(n_missing, 'missing cell')}{first}{others}; "
        f"choose {option('missing', 'keep')} to keep gaps as gaps, {option('missing', 'drop')} to leave out such rows, "
        f"or {option('missing', 'state')} to make missing a state"
    )


def _count(rows: NDArray[np.bool_], weights: Weights | None) -> int:
    """Return how many rows these are; as many observations, if rows were counted."""
    return int(np.count_nonzero(rows) if weights is None or weights.dtype != np.int64 else weights[rows].sum())
