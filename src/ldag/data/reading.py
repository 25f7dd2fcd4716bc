"""Reading tables of any make: `read`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from ldag.data.amounts import read_weights
from ldag.data.assembling import assemble_data
from ldag.data.binning import Bins
from ldag.data.coding import code_column
from ldag.data.counts import Weights
from ldag.data.dataset import Dataset
from ldag.data.files import from_files
from ldag.data.frames import from_array, from_mapping
from ldag.data.gaps import settle_rows, settle_table
from ldag.data.lazy_frames import from_frame
from ldag.data.options import MAX_STATES_DEFAULT, Missing, ReadOptions, Unusable
from ldag.data.planning import ColumnPlan, plan_column
from ldag.data.spellings import Dates
from ldag.data.tables import Survey, Table, check_table
from ldag.data.telling import tell
from ldag.errors import ArgumentError, DataError, option, suggest
from ldag.model import State, Variable

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

LEFT_OUT = ": left out, "
"""Between the name of a column that is left out and the reason, in a note."""

Cells = Sequence[object] | NDArray[np.generic]
"""One column of a table."""


AnyTable: TypeAlias = (
    "str | PathLike[str] | Sequence[str | PathLike[str]] | IntoFrame | NDArray[np.generic] "
    "| Mapping[str, Cells] | Dataset"
)
"""Data in any form."""


def read(  # noqa: PLR0913 - one argument per question a table can raise
    source: AnyTable,
    *,
    counts: str | None = None,
    weights: str | None = None,
    states: Mapping[str, Iterable[State]] | None = None,
    columns: Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    bins: "Bins | Mapping[str, Bins]" = "auto",
    missing: Missing = "error",
    max_states: int = MAX_STATES_DEFAULT,
    na: Sequence[str] = (),
    sep: str | None = None,
    encoding: str | None = None,
    unusable: Unusable = "auto",
    decimal: str | None = None,
    dates: Dates | None = None,
    sheet: str | int | None = None,
    keep: Sequence[str] = (),
) -> Dataset:
    """Read a table of categorical data and measurements.

    Parameters
    ----------
    source
        Paths or patterns of files (.csv, .tsv, .txt, packed or not, .parquet or .xlsx), a dataframe of pandas, polars
        or pyarrow, a lazy one (polars, DuckDB, Dask, PySpark, Ibis), a mapping of columns, or a 2-d array. Equal rows
        of files and lazy frames are merged as they are read. A column of numbers in a text file gives numbers.
    counts
        The column that says how often each row occurs. Rows that occur zero times still show their states.
    weights
        The same with real numbers.
    states
        The states of some variables, in order (`ordered` says that the order means something). Other variables take
        the categories of their type (categorical, Enum or dictionary, used or not), or else the values found:
        booleans, then numbers, then texts, each sorted.
    columns
        The columns to read, in this order; all by default.
    names
        Names of the columns of an array, or of a text file without a header.
    bins
        How measurements are cut, for all columns or by column: a number of quantiles, cut points, "quantile:4",
        "width:5", "information:4" (joining neighbours that lose least mutual information), None (not at all), or
        "auto": quartiles of numbers and dates with more than 20 different values. Cut points that are found have as few
        digits, at least six, as separate the same values.
    missing
        What to do with missing cells (None, NaN; in text files an empty cell, NA, NaN or nan, unless declared as a
        state): refuse the table, drop rows that have any (measurements are cut as if they were not there), make
        "missing" the last state of such a variable, or "auto": leave out columns that are more than half empty, then
        drop rows if half of them remain, else make it a state.
    max_states
        Refuse columns with more states than this, unless declared in ``states``.
    na
        Further texts that stand for a missing cell in text files, such as "?".
    sep, encoding
        The sign between cells of a text file, and its encoding; found out and UTF-8 by default.
    unusable
        What to do with columns that cannot be variables: refuse the table ("error"), leave them out ("drop"), or
        "auto": leave out identifiers (whole numbers and texts that name rows, persons or sets), with a warning, and
        refuse others (too many states, no value at all, values that are no states), and what ``columns`` names.
    decimal, dates
        The sign before fractions in a text file, "." or ",", and what comes first in dates such as 3/4/2020: "dmy",
        "mdy" or "ymd". By default both are found out from all texts of the file, and told in ``notes``; where a column
        leaves open which of day and month comes first, and no other shows it, it is asked for.
    sheet
        The sheet of a workbook, by its name or its number from 1; the first by default.
    keep
        Columns to keep that look like identifiers, or that are more than half empty.

    Examples
    --------
    >>> read({"x": [1, 0], "n": [3, 5]}, counts="n").total
    8
    """
    options = ReadOptions(
        counts,
        weights,
        states,
        columns,
        names,
        bins,
        missing,
        max_states,
        na,
        sep,
        encoding,
        unusable,
        decimal,
        dates,
        sheet,
        keep,
    )
    data = read_with(source, options)
    if options.unusable == "auto":
        tell([note for note in data.notes if LEFT_OUT in note])
    return data


def read_with(source: object, options: ReadOptions) -> Dataset:
    """Read a table with options that were checked, in the words of their door."""
    if isinstance(source, Dataset):
        if not options.is_default():
            raise ArgumentError("a Dataset has been read already; options apply to its source only")
        return source
    table = read_table(source, options)
    table = table.select(options.chosen(table.names))
    amount = options.counts if options.counts is not None else options.weights
    amounts = _amounts(table, options)
    places = [place for place, name in enumerate(table.names) if name != amount]
    if not places:
        raise DataError("no columns are left to read")
    plans, dropped = _plans(table, places, options)
    place_of = {name: place for place, name in enumerate(table.names)}
    chosen = [place_of[plan.name] for plan in plans]
    if table.merge is None or amounts is not None:
        columns, times = [table.column(place) for place in chosen], amounts
        settled = settle_rows(columns, plans, amounts, options)
    else:
        settled = settle_table(table, plans, options)
        columns, times = table.merge(chosen, [plan.cutting for plan in settled.plans])
    plans = settled.plans
    lenient = options.unusable == "drop"
    coded = [
        code_column(column, plan.variable, options.max_states, lenient)
        for column, plan in zip(columns, plans, strict=True)
    ]
    notes = [*table.notes, *dropped]
    return assemble_data(coded, settled, times, amount, notes, options)


def _plans(table: Table, places: Sequence[int], options: ReadOptions) -> tuple[list[ColumnPlan], list[str]]:
    """Decide about every column; those that cannot be variables are refused together, or left out and told."""
    names = [table.names[place] for place in places]
    declared = options.declared(names)
    options.check_kept(names)
    plans = [_plan(table, place, declared.get(table.names[place]), names, options) for place in places]
    if options.missing == "auto":
        plans = [plan if options.asks_for(plan.name) else _without_empty(plan) for plan in plans]
    bad = [plan for plan in plans if plan.problem is not None]
    refused = [plan for plan in bad if options.refuses(plan.name, plan.is_spare)]
    if refused:
        raise DataError(_refusal(refused))
    good = [plan for plan in plans if plan.problem is None]
    notes = [f"{plan.name}{LEFT_OUT}{_reason(plan)}" for plan in bad]
    if not good:
        raise DataError("no column can be a variable: " + "; ".join(notes))
    return good, notes


def _plan(
    table: Table, place: int, declared: Variable | None, names: Sequence[str], options: ReadOptions
) -> ColumnPlan:
    """Decide about one column; one that holds no states at all can only be left out."""
    try:
        survey = _survey(table, place)
    except DataError as error:
        if options.unusable != "drop" or declared is not None:
            raise
        name = table.names[place]
        problem = str(error).removeprefix(f"column {name!r} ").removeprefix(f"column {name!r}: ")
        return ColumnPlan(Survey.empty(name, table.n_rows), table.n_rows, problem=problem)
    return plan_column(survey, declared, names, options)


def _survey(table: Table, place: int) -> Survey:
    return Survey.of(table.column(place)) if table.survey is None else table.survey(place)


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
    return known if known != reason or kept == otherwise else f"{reason}; {kept} keeps it"


def _amounts(table: Table, options: ReadOptions) -> Weights | None:
    """Read the column of counts or weights, if one is named."""
    for what, name in (("counts", options.counts), ("weights", options.weights)):
        if name is not None:
            if name not in table.names:
                spelled = option(what, name)
                raise ArgumentError(f"{spelled}: the table has no such column{suggest(name, table.names)}")
            if len(table.names) == 1:
                raise DataError(f"the table has no columns besides the {what} {name!r}")
            return read_weights(table.column(table.names.index(name)), what == "counts")
    return None


def read_table(source: object, options: ReadOptions | Sequence[str] | None = None) -> Table:
    """Open files, a dataframe, a mapping of columns or a 2-d array."""
    if isinstance(source, Table):
        return source
    if not isinstance(options, ReadOptions):
        options = ReadOptions(names=options)
    return check_table(_open(source, options))


def _open(source: object, options: ReadOptions) -> Table:
    if isinstance(source, np.ndarray):
        options.check_no_text("an array has cells", unless=["names"])
        return from_array(source, options.names)
    if isinstance(source, str | PathLike) or _are_paths(source):
        paths = [source] if isinstance(source, str | PathLike) else cast("list[str]", list(cast("Any", source)))
        return from_files(cast("list[str]", paths), options)
    if options.names is not None:
        raise DataError(
            f"{option('names')} is for numpy arrays and text files without a header; this source has names of its own"
        )
    options.check_no_text("this source has cells of its own")
    if isinstance(source, Mapping):
        return from_mapping(source)
    return from_frame(source)


def _are_paths(source: object) -> bool:
    return isinstance(source, list | tuple) and bool(source) and all(isinstance(p, str | PathLike) for p in source)
