"""Coded columns put together: missing cells dealt with, intervals joined, and what was done told."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ldag.data.binning import join_intervals
from ldag.data.coding import Coded
from ldag.data.counts import Weights
from ldag.data.dataset import Dataset
from ldag.data.gaps import Settled
from ldag.data.options import ReadOptions
from ldag.data.planning import COUNT_NAMES, ColumnPlan, cut_note
from ldag.data.remarks import ROWS_WITH_GAPS, STATES_OF_GAPS, describe_columns
from ldag.errors import DataError, option
from ldag.formats import counted, list_names
from ldag.model import Schema, Variable


def assemble_data(
    coded: list[Coded],
    settled: Settled,
    weights: Weights | None,
    weight_name: str | None,
    notes: list[str],
    options: ReadOptions,
) -> Dataset:
    """Deal with missing cells and rows that never occur, and put the columns together."""
    plans = settled.plans
    lost: list[str] = []
    if settled.missing == "drop":
        noun = "row" if weight_name is None or options.counts is None else "observation"
        coded, weights, lost = _drop_gaps(coded, plans, weights, noun)
    coded = _join_intervals(coded, plans, weights)
    for column, plan in zip(coded, plans, strict=True):
        notes += plan.notes
        if plan.binning is not None:
            notes.append(cut_note(plan.name, plan.survey.n_values, column.variable, plan.binning))
    gaps = [column for column in coded if column.missing.any()]
    if gaps and settled.missing == "error":
        raise DataError(_gap_message(gaps, plans))
    if gaps:
        amounts = [f"{column.variable.name} ({_count(column.missing, weights):,})" for column in gaps]
        notes.append(f"{STATES_OF_GAPS} {list_names(amounts)}{settled.why}")
    coded = [column.with_missing_state() if column.missing.any() else column for column in coded]
    codes = np.stack([column.codes for column in coded])
    schema = Schema(tuple(column.variable for column in coded))
    data = Dataset.from_codes(schema, codes.astype(np.uint8), weights, weight_name)
    if not data.n_rows:
        spelled = option("missing", "state")
        raise DataError(f"no rows are left: every row that occurs has missing cells; {spelled} keeps them")
    notes += lost
    if any(plan.variable is None or plan.is_cut for plan in plans):  # else data are read for a graph that is known
        notes += describe_columns(data)
    hint = None if weight_name is not None else _counts_hint(data, plans)
    return replace(data, notes=tuple(notes) if hint is None else (*notes, hint))


def _drop_gaps(
    coded: Sequence[Coded], plans: Sequence[ColumnPlan], weights: Weights | None, noun: str
) -> tuple[list[Coded], Weights | None, list[str]]:
    """Leave out rows with missing cells, and states that only these rows have unless they were declared; tell both."""
    gaps = np.any([column.missing for column in coded], axis=0)
    if not gaps.any():
        return list(coded), weights, []
    n_gaps, n_rows = _count(gaps, weights), _count(np.ones_like(gaps), weights)
    where = list_names([column.variable.name for column in coded if column.missing.any()])
    notes = [f"{n_gaps:,} of {counted(n_rows, noun)} left out, {ROWS_WITH_GAPS} (in {where})"]
    kept = [replace(column, codes=column.codes[~gaps]) for column in coded]
    for place, (column, plan) in enumerate(zip(kept, plans, strict=True)):
        seen = np.unique(column.codes).tolist()
        if plan.variable is None and not column.column.declared and 0 < len(seen) < column.variable.n_states:
            lost = [repr(state) for code, state in enumerate(column.variable.states) if code not in seen]
            noun = "state" if len(lost) == 1 else "states"
            notes.append(f"{plan.name}: {noun} {list_names(lost)} left out, in rows with missing cells only")
            kept[place] = column.with_states(seen)
    return kept, None if weights is None else weights[~gaps], notes


def _count(rows: NDArray[np.bool_], weights: Weights | None) -> int:
    """Return how many rows these are; as many observations, if rows were counted."""
    return int(np.count_nonzero(rows) if weights is None or weights.dtype != np.int64 else weights[rows].sum())


def _gap_message(gaps: Sequence[Coded], plans: Sequence[ColumnPlan]) -> str:
    """Say where cells are missing, and what can be done."""
    name = gaps[0].variable.name
    n_missing = next(plan.n_missing for plan in plans if plan.name == name)
    others = f" (and {counted(len(gaps) - 1, 'other column')} too)" if len(gaps) > 1 else ""
    row = gaps[0].first_missing()
    first = f", the first in row {row}" if row is not None else ""
    return (
        f"column {name!r} has {counted(n_missing, 'missing cell')}{first}{others}; "
        f"choose {option('missing', 'drop')} to leave out such rows, or {option('missing', 'state')} to make missing a "
        "state"
    )


def _counts_hint(data: Dataset, plans: Sequence[ColumnPlan]) -> str | None:
    """Ask whether a column says how often rows occur: it is called so, and the other columns never repeat."""
    if len(plans) < 2 or data.total != data.n_rows:
        return None
    for plan in plans:
        if plan.name.lower() in COUNT_NAMES and (plan.is_cut or _is_whole(plan)):
            others = data.select([name for name in data.names if name != plan.name])
            if others.n_rows == data.n_rows:
                return f"{plan.name}: is it a column of counts? {option('counts', plan.name)}"
    return None


def _is_whole(plan: ColumnPlan) -> bool:
    values = [value for value in plan.survey.column.values if not plan.survey.column.is_missing(value)]
    return all(str(value).strip().isdigit() for value in values)


def _join_intervals(coded: list[Coded], plans: Sequence[ColumnPlan], weights: Weights | None) -> list[Coded]:
    """Join the intervals of columns that are cut by information, from many quantiles to the number asked for."""
    targets = {
        place: plan.binning.n_bins
        for place, plan in enumerate(plans)
        if plan.binning is not None and plan.binning.method == "information"
    }
    if not targets:
        return coded
    if len(coded) == 1:
        raise DataError("bins by information need another column to be informative about")
    codes = np.stack([column.codes for column in coded]).astype(np.int64)
    times = np.ones(codes.shape[1]) if weights is None else weights.astype(np.float64)
    ends = join_intervals(codes, [column.variable.n_states for column in coded], times, targets)
    result = list(coded)
    for place, last in ends.items():
        fine = coded[place]
        variable = Variable.of_bins(fine.variable.name, [fine.variable.cuts[end] for end in last])
        joined = np.searchsorted(np.array(last), fine.codes, side="left").astype(np.int16)
        result[place] = replace(fine, variable=variable, codes=np.where(fine.missing, np.int16(-1), joined))
    return result
