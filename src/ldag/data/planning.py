"""What becomes of each column: a variable with the states found, a measurement that is cut, or nothing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ldag.data.columns import Column, check_n_states, number_in, plain_state
from ldag.data.measurements import (
    MANY_VALUES,
    NEARLY_ALL,
    Binning,
    find_cuts,
    is_index,
    is_name_of_groups,
    is_name_of_persons,
    is_name_of_rows,
    is_row_number,
    is_survey_weight,
    measure_bins,
)
from ldag.data.notes import Note
from ldag.data.options import ReadOptions
from ldag.data.rows import Weights
from ldag.data.tables import Distinct, Survey, Table
from ldag.errors import DataError, by_door, counted, option
from ldag.model import MISSING_STATE, Variable, bin_states, cuts_in, date_text, spell_cut

COUNT_NAMES = ("n", "count", "counts", "freq", "frequency")
"""Names under which a column may say how often each row occurs."""

FEW_ROWS = 8
"""Rows below which nothing is said about values that nearly all differ."""

HARDLY_REPEATED, NEARLY_DIFFERENT = 0.5, 0.9
"""Shares of different texts in a column: more probably an identifier than a variable, and surely one."""

ODD_TEXTS = ("?", "-", ".", "N/A", "n/a", "null", "NULL", "None", "none", "#N/A", "unknown", "Unknown", "*")
"""Texts that often stand for a missing cell, and sometimes do not."""


@dataclass(frozen=True)
class ColumnPlan:
    """What becomes of a column: ``variable`` if its states are declared or cut, ``problem`` if it cannot be one.

    A column is spare if it tells nothing about rows: it names them, or is hardly filled. ``place`` is its place, and
    ``widths`` are those of its bins, if a model is to join them.
    """

    survey: Survey
    n_missing: int
    variable: Variable | None = None
    binning: Binning | None = None
    problem: str | None = None
    is_spare: bool = False
    notes: tuple[str, ...] = ()
    place: int = -1
    widths: NDArray[np.float64] | None = None

    @property
    def name(self) -> str:
        """The column's name."""
        return self.survey.name

    @property
    def is_cut(self) -> bool:
        """Whether the column is a measurement that is cut here."""
        return self.binning is not None

    @property
    def target(self) -> str:
        """The column that this one is cut for, if there is one."""
        return "" if self.binning is None else self.binning.target

    @property
    def cutting(self) -> Variable | None:
        """The variable whose bins an engine counts: one with cut points, found or given, for raw measurements."""
        is_given = self.variable is not None and bool(self.variable.cuts) and self.survey.measured is not None
        return self.variable if self.is_cut or is_given else None


def plan_column(survey: Survey, declared: Variable | None, names: Sequence[str], options: ReadOptions) -> ColumnPlan:
    """Decide about one column by its values alone."""
    survey = survey.tidied()
    n_missing, is_kept = _count_missing(survey), survey.name in options.keep
    binning, named = options.binning(survey.name, names)
    if declared is not None:
        if named:
            raise DataError(f"column {survey.name!r} has declared states and bins; give one of them")
        _check_listed(survey, declared)
        return ColumnPlan(survey, n_missing, declared)
    if named and binning.method not in ("none", "auto"):
        asked = measurement(survey)
        if asked is None:
            raise DataError(f"column {survey.name!r} cannot be cut: {_describe_unmeasured(survey)}")
        return _cut(survey, n_missing, asked, binning)
    try:
        if n_missing == survey.n_rows:
            raise DataError(f"column {survey.name!r} has no values, only missing cells; leave it out{_declare(survey)}")
        intervals = None if binning.method == "none" else _intervals(survey)
        if intervals is not None:
            cuts = ", ".join(map(spell_cut, intervals.cuts))
            note = f"{intervals.name}: its states are intervals, cut at {cuts}"
            return ColumnPlan(survey, n_missing, intervals, notes=(note,))
        numbers = measurement(survey)
        measured = None if binning.method == "none" else numbers
        if measured is not None and not survey.column.declared and len(measured[0]) > binning.many:
            problem = None if is_kept else _describe_identifier(survey, measured, options)
            if problem is not None:
                return ColumnPlan(survey, n_missing, problem=problem, is_spare=True)
            hints = tuple(_measurement_hints(survey, measured, options))
            return replace(_cut(survey, n_missing, measured, binning), notes=hints)
        problem = None if is_kept else _describe_names_of_rows(survey, numbers, binning, options)
        if problem is not None:
            return ColumnPlan(survey, n_missing, problem=problem, is_spare=True)
        _check_states(survey, options)
    except DataError as error:
        return ColumnPlan(survey, n_missing, problem=str(error).removeprefix(f"column {survey.name!r} "))
    return ColumnPlan(survey, n_missing, notes=_hints(survey, measured, options))


def _declare(survey: Survey) -> str:
    """Say how a column of gaps only can be kept."""
    return by_door(f", or keep its gaps and declare its states, states={{{survey.name!r}: [...]}}", "")


def _check_listed(survey: Survey, declared: Variable) -> None:
    """Refuse a column of so many values that an engine does not list them, if they are not to be cut."""
    if survey.n_values > len(survey.column.values) and not (declared.cuts and survey.measured is not None):
        odd = next(value for value in survey.column.values if value not in declared.states)
        raise DataError(
            f"column {survey.name!r} has {survey.n_values:,} different values, such as {odd!r}; expected its "
            f"{declared.n_states} declared states"
        )


def measurement(survey: Survey) -> tuple[Distinct, Weights] | None:
    """Return the different numbers (or dates) of a column in order and how often each occurs; None if it has others."""
    if survey.measured is not None:
        return survey.measured
    if survey.n_values > len(survey.column.values):
        return None
    ranked = rank_values(survey.column)
    if ranked is None:
        return None
    values, places = ranked
    used = cast("Weights", np.zeros(len(values), dtype=survey.times.dtype))
    np.add.at(used, places[places >= 0], survey.times[1:][places >= 0])
    return (values[used > 0], used[used > 0]) if used.any() else (values, used)


def rank_values(column: Column) -> tuple[Distinct, NDArray[np.int64]] | None:
    """Return the different numbers (or dates) of a column in order, and which of them each of its values is.

    A gap is -1. None for a column that has other values, or none at all.
    """
    cells = _measure_quickly(column)
    if cells is not None:
        is_given = ~np.isnan(cells)
    else:
        texts = [str(value).strip() for value in column.values] if column.text else column.values
        plain = [None if gap else measure(value, column) for value, gap in zip(texts, column.gaps, strict=True)]
        is_given = ~np.array(column.gaps, dtype=np.bool_)
        kinds = {type(value) for value, gap in zip(plain, column.gaps, strict=True) if not gap}
        if kinds not in ({float}, {str}):
            return None
        cells = np.array(plain, dtype=object if kinds == {str} else np.float64)
    if not is_given.any():
        return None
    values, own = np.unique(cells[is_given], return_inverse=True)
    places = np.full(len(cells), -1, dtype=np.int64)
    places[is_given] = own
    return values, places


def _measure_quickly(column: Column) -> NDArray[np.float64] | None:
    """Return the numbers of a column that is nothing else than finite ones and NaN; None for others."""
    if column.text or column.dates or set(map(type, column.values)) != {float}:
        return None
    cells = np.array(column.values) + 0.0  # no negative zero
    return None if np.isinf(cells).any() else cells


def measure(value: object, column: Column) -> float | str | None:
    """Return the number or date that a cell other than a gap holds; None if it holds something else."""
    if column.text:
        number = number_in(str(value))
        return date_text(value) if number is None else float(number)
    if column.dates or isinstance(value, str):
        return None if value is None else date_text(value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    plain = plain_state(value, column.name)
    return float(plain) if isinstance(plain, int | float) else None


def _cut(survey: Survey, n_missing: int, measured: tuple[Distinct, Weights], binning: Binning) -> ColumnPlan:
    values, times = measured
    cuts = find_cuts(values, times, binning)
    if not cuts:
        raise DataError(f"column {survey.name!r} cannot be cut: it has one value only, {spell_cut(values[0])}")
    if bool(cuts) and isinstance(cuts[0], str) != (values.dtype == object):
        kind = "dates" if values.dtype == object else "numbers"
        raise DataError(f"column {survey.name!r} holds {kind}, but its cut points are of another kind: {cuts!r}")
    counted_once = replace(survey, n_values=len(values))  # a text that stands for a gap is no value
    if survey.measured is not None:  # of all columns together they would take more than the rows
        n_given = np.array([n_missing, survey.n_rows - n_missing])
        counted_once = replace(counted_once, times=n_given, measured=None)
    widths = measure_bins(values, cuts) if binning.method == "model" else None
    return ColumnPlan(counted_once, n_missing, Variable.of_bins(survey.name, cuts), binning, widths=widths)


def cut_again(plans: Sequence[ColumnPlan], table: Table) -> list[ColumnPlan]:
    """Cut measurements by the rows of another table; where these have one value only, they stay as they were cut."""
    return [_cut_plan(plan, table.survey(plan.place)) if plan.is_cut else plan for plan in plans]


def _cut_plan(plan: ColumnPlan, survey: Survey) -> ColumnPlan:
    assert plan.binning is not None
    survey = survey.tidied()
    measured = measurement(survey)
    if measured is None or len(measured[0]) < 2 or plan.binning.method == "cuts":
        return plan
    return replace(_cut(survey, plan.n_missing, measured, plan.binning), place=plan.place, notes=plan.notes)


def _intervals(survey: Survey) -> Variable | None:
    """Return the variable whose bins the values name, as in a table that was written with bins for states."""
    column = survey.column
    if survey.n_values > len(column.values):
        return None
    cuts = cuts_in(value for value in column.given if value != MISSING_STATE)
    if cuts is None:
        return None
    gap = (MISSING_STATE,) if MISSING_STATE in column.given else ()
    return Variable(survey.name, (*bin_states(cuts), *gap), cuts=cuts)


def cut_note(name: str, n_values: int, variable: Variable, binning: Binning) -> str:
    """Say where a column was cut."""
    cuts = ", ".join(map(spell_cut, variable.cuts))
    return f"{name}: {counted(n_values, 'value')}, cut at {cuts}{binning.in_words}"


def _describe_identifier(survey: Survey, measured: tuple[Distinct, Weights], options: ReadOptions) -> str | None:
    """Say why whole numbers are those of rows, persons or sets, if they are; counted rows may have any numbers."""
    name, (values, times) = survey.name, measured
    if values.dtype == object or (options.is_counted and not is_index(name)):
        return None
    if is_index(name) and len(values) >= NEARLY_ALL * times.sum():
        return _word_identifier("an identifier", len(values), int(times.sum()), name, options)
    if not _are_whole(values):
        return None
    if is_row_number(name, values, times):
        what = "an identifier" if is_name_of_rows(name) else "numbers of rows"
        return _word_identifier(what, len(values), int(times.sum()), name, options)
    if is_name_of_groups(name) and len(values) > MANY_VALUES and options.unusable != "error":
        return _word_identifier("the number of a person, set or place", len(values), int(times.sum()), name, options)
    return None


def _are_whole(values: Distinct) -> bool:
    """Whether all numbers are whole; some of them mostly tell."""
    return not (values[:MANY_VALUES] % 1 != 0).any() and not (values % 1 != 0).any()


def _word_identifier(
    what: str, n_values: int, n_rows: int, name: str, options: ReadOptions, is_text: bool = False
) -> str:
    shown = f"looks like {what}: {counted(n_values, 'value')} in {counted(n_rows, 'row')}; leave it out, or"
    if is_text and n_values > options.max_states:
        return f"{shown} group its values"
    return f"{shown} keep it with {option('keep', [name])}"


def _measurement_hints(survey: Survey, measured: tuple[Distinct, Weights], options: ReadOptions) -> Iterator[str]:
    """Ask whether numbers that were cut name persons or groups, or are weights."""
    values, times = measured
    is_whole = values.dtype != object and _are_whole(values)
    if is_whole and is_name_of_groups(survey.name) and survey.name not in options.keep:
        belong = f"{option('groups', survey.name)} says that its rows belong together"
        yield f"{survey.name}: is it an identifier? name the columns to read with {option('columns')}; {belong}"
    if not options.is_counted and is_survey_weight(survey.name, values, times):
        yield f"{survey.name}: is it a column of survey weights? {option('weights', survey.name)}"


def _describe_names_of_rows(
    survey: Survey, numbers: tuple[Distinct, Weights] | None, binning: Binning, options: ReadOptions
) -> str | None:
    """Say why texts most of which occur once, and short row numbers, name rows.

    Counted rows may all differ, and so may numbers that are not to be cut, unless they are called row numbers.
    """
    column, n_given = survey.column, survey.n_rows - _count_missing(survey)
    is_numbering = is_index(column.name)
    may_differ = options.is_counted or (numbers is not None and binning.method == "none")
    if column.declared or n_given < (1 if is_numbering else FEW_ROWS) or (may_differ and not is_numbering):
        return None
    if numbers is not None:
        return _describe_identifier(survey, numbers, options)
    if not column.text and not all(isinstance(value, str) for value in column.values):
        return None
    n_values = max(len(column.given), survey.n_values)
    is_identifier = n_given > MANY_VALUES and n_values > _share_of_identifiers(options) * n_given
    if is_identifier or (is_numbering and n_values == n_given):
        return _word_identifier("an identifier", n_values, n_given, column.name, options, is_text=True)
    if is_name_of_persons(column.name) and n_values > MANY_VALUES and options.unusable != "error":
        return _word_identifier("the name of a person or set", n_values, n_given, column.name, options, is_text=True)
    return None


def _share_of_identifiers(options: ReadOptions) -> float:
    """Return the share of different texts above which they name rows; to refuse needs better grounds."""
    return NEARLY_DIFFERENT if options.unusable == "error" else HARDLY_REPEATED


def _check_states(survey: Survey, options: ReadOptions) -> None:
    """Refuse more states than are allowed, and values that cannot be states."""
    column = survey.column
    if not column.text:
        for value in column.given:
            plain_state(value, column.name)
    n_states = max(len(column.given), survey.n_values if survey.n_values > len(column.values) else 0)
    if n_states > options.max_states:
        examples: list[Any] = column.given
        if column.text and all(number_in(str(text)) is not None for text in examples):
            examples = sorted(number_in(str(text)) or 0 for text in examples)
        elif not column.declared:
            examples = sorted(examples, key=lambda value: (isinstance(value, str), value))
        check_n_states(column.name, examples, options.max_states, n_states)


def _count_missing(survey: Survey) -> int:
    """Return how many cells are missing."""
    if survey.measured is not None or survey.n_values > len(survey.column.values):
        return int(survey.times[0])
    return int(survey.times.sum() - sum(survey.times_given))


def _describe_unmeasured(survey: Survey) -> str:
    texts = [value for value in survey.column.given if measure(value, survey.column) is None]
    return f"it holds {texts[0]!r}, which is no number" if texts else "its values are not all numbers"


def _describe_changes(survey: Survey) -> Iterator[str]:
    """Say how many cells of a text file lose blanks around them, or spell a number otherwise than most of its cells."""
    column = survey.column
    trimmed, by_number = 0.0, dict[float, dict[str, float]]()
    raw = (value for value, is_missing in zip(column.values, column.gaps, strict=True) if not is_missing)
    for value, text, times in zip(raw, map(str, column.given), survey.times_given, strict=True):
        trimmed += times if text != value else 0
        number = number_in(text)
        if number is not None:
            spellings = by_number.setdefault(number, {})
            spellings[text] = spellings.get(text, 0) + times
    if trimmed:
        yield f"{column.name}: blanks around {counted(int(trimmed), 'cell')} were trimmed"
    changed = {number: sum(own.values()) - max(own.values()) for number, own in by_number.items() if len(own) > 1}
    if changed:
        first = " and ".join(sorted(map(repr, by_number[min(changed)])))
        cells = counted(int(sum(changed.values())), "cell")
        yield f"{column.name}: {cells} spell a number in another way, and are taken for it, such as {first}"


def _hints(survey: Survey, measured: tuple[Distinct, Weights] | None, options: ReadOptions) -> tuple[str, ...]:
    """Say what may be wrong with a column that is taken as it is."""
    column, notes = survey.column, list[str]()
    if column.text:
        notes += _describe_changes(survey)
    texts = {value for value in column.given if isinstance(value, str)}
    odd = sorted(texts & set(ODD_TEXTS))
    if odd and len(texts) > 1:
        if column.text:
            notes.append(f"{column.name}: is {odd[0]!r} a missing cell? {option('na', odd[0])}")
        else:
            notes.append(f"{column.name}: the state {odd[0]!r} may stand for a missing cell")
    hardly_repeated = survey.n_rows > MANY_VALUES and len(texts) > HARDLY_REPEATED * survey.n_rows
    if measured is None and hardly_repeated and not column.declared and not options.is_counted:
        spelled = option("columns")
        notes.append(
            f"{column.name}: {len(texts)} different texts in {survey.n_rows} rows; is it an identifier? name the "
            f"columns to read with {spelled}"
        )
    if measured is not None and not column.declared and survey.n_rows >= FEW_ROWS:
        n_numbers = len(measured[0])
        if 2 * n_numbers > survey.n_rows:
            spelled = option("bins", {column.name: 3})
            notes.append(
                f"{column.name}: {n_numbers} different numbers in {survey.n_rows} rows; cut them with {spelled}"
            )
    return tuple(notes)


def plan_columns(table: Table, places: Sequence[int], options: ReadOptions) -> tuple[list[ColumnPlan], list[Note]]:
    """Decide about every column; those that cannot be variables are refused together, or left out and told."""
    names = [table.names[place] for place in places]
    declared = options.declare(names)
    options.check_kept(names)
    plans = [_plan(table, place, declared.get(table.names[place]), names, options) for place in places]
    if options.missing == "auto":
        plans = [plan if options.asks_for(plan.name) else _without_empty(plan) for plan in plans]
    bad = [plan for plan in plans if plan.problem is not None]
    refused = [plan for plan in bad if options.refuses(plan.name, plan.is_spare)]
    if refused:
        raise DataError(_refusal(refused))
    good = [plan for plan in plans if plan.problem is None]
    notes = [Note(f"{plan.name}: left out, {_reason(plan)}", "columns") for plan in bad]
    if not good:
        raise DataError("no column can be a variable: " + "; ".join(notes))
    return good, notes


def _plan(
    table: Table, place: int, declared: Variable | None, names: Sequence[str], options: ReadOptions
) -> ColumnPlan:
    """Decide about one column; one that holds no states at all can only be left out."""
    try:
        survey = table.survey(place)
    except DataError as error:
        if options.unusable != "drop" or declared is not None:
            raise
        name = table.names[place]
        problem = str(error).removeprefix(f"column {name!r} ").removeprefix(f"column {name!r}: ")
        return ColumnPlan(Survey.empty(name, table.n_rows), table.n_rows, problem=problem)
    return replace(plan_column(survey, declared, names, options), place=place)


def _without_empty(plan: ColumnPlan) -> ColumnPlan:
    """Leave out a column of which more than half is missing."""
    if plan.problem is not None or 2 * plan.n_missing <= plan.survey.n_rows:
        return plan
    problem = f"{plan.n_missing:,} of {plan.survey.n_rows:,} cells are missing"
    return replace(plan, problem=problem, is_spare=True)


def _refusal(bad: Sequence[ColumnPlan]) -> str:
    """Say why columns cannot be variables, all in one message."""
    if len(bad) == 1:
        return f"column {bad[0].name!r} {bad[0].problem}"
    every = "".join(f"\n  column {plan.name!r} {plan.problem}" for plan in bad)
    return f"{len(bad)} columns cannot be variables ({option('unusable', 'drop')} leaves them out):{every}"


def _reason(plan: ColumnPlan) -> str:
    """Shorten why a column was left out."""
    assert plan.problem is not None
    reason, _, otherwise = plan.problem.partition("; leave it out")
    reason = reason.split(": is it an identifier?")[0]
    known, kept = reason.removeprefix("looks like an identifier: "), otherwise.removeprefix(", or keep it with ")
    shown = known if known != reason or kept == otherwise else f"{reason}; {kept} keeps it"
    belong = f"; {option('groups', plan.name)} says that its rows belong together"
    return shown + belong if "a person" in reason else shown
