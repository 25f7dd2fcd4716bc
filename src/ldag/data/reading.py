"""Reading tables of any make: `read`. Columns are planned, gaps settled, columns coded and put together."""

import glob
import re
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from numpy.typing import NDArray

from ldag.data.aside import find_aside, keep_order, read_aside, split_order
from ldag.data.columns import Coded, code_column, read_weights
from ldag.data.database import PATTERN, Scratch
from ldag.data.dataset import Dataset
from ldag.data.frames import from_array, from_few_rows, from_frame, from_mapping
from ldag.data.groups import Groups
from ldag.data.measurements import Bins, join_intervals
from ldag.data.model_cuts import cut_by_model
from ldag.data.notes import Note
from ldag.data.options import MAX_STATES_DEFAULT, Missing, ReadOptions, Unusable
from ldag.data.parquet import open_parquet
from ldag.data.planning import COUNT_NAMES, ColumnPlan, cut_note, plan_columns
from ldag.data.remarks import describe_columns, describe_constant
from ldag.data.rows import Weights
from ldag.data.settling import Settled, drop_gaps, note_gaps, refuse_gaps, settle_gaps
from ldag.data.sources import AnyTable
from ldag.data.tables import MemoryTable, Table, check_table
from ldag.data.text_files import PACKINGS, Dates, FileSource
from ldag.data.text_tables import open_texts
from ldag.data.times import Times
from ldag.data.workbooks import WORKBOOKS, from_workbook
from ldag.errors import ArgumentError, DataError, option, suggest, tell
from ldag.model import Schema, State, Variable

ENDINGS = (".csv", ".tsv", ".txt", ".tab", ".data")
"""Endings of text files; each also packed."""

STDIN = "-"
_PARQUET = (".parquet", ".pq")
_OPENINGS = {b"PAR1": ".parquet", b"PK\3\4": ".xlsx", b"\x1f\x8b": ".csv.gz", b"BZh": ".csv.bz2", b"\xfd7zX": ".csv.xz"}
"""How files begin that come through a pipe, which has no name to tell their kind; all others are plain text."""


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
    groups: str | None = None,
    time: str | bool | None = None,
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
        "width:5", "information:4" (joining neighbours that lose least mutual information), "target:y" (where the
        column y changes, as often as that pays: MDLP), "model" (2 to 12 bins that a graph and the values themselves are
        most probable with), None (not at all), or "auto": quartiles of numbers and dates with more than 20 different
        values. Cut points that are found have as few digits, at least six, as separate the same values.
    missing
        What to do with missing cells (None, NaN; in text files an empty cell, NA, NaN or nan, unless declared as a
        state): refuse the table ("error"), "keep" them as gaps, "drop" rows that have any (measurements are cut as if
        they were not there), make "missing" the last state of such a variable ("state"), or "auto": leave out columns
        that are more than half empty, then drop rows if half of them remain, else make it a state (on the command line
        "auto" keeps gaps wherever a command can use them). Gaps that are kept are learned from by EM: they may depend
        on anything in the table, but not on what would have stood in the gap itself. A column of gaps only needs
        declared states.
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
    groups
        The column that says which rows belong together, such as the number of a patient with several visits. It is no
        variable. Folds and bootstraps then take groups as a whole.
    time
        The column that says when a row was seen: numbers, dates, or categories in an order (`states` may declare it).
        It is no variable, and must differ within a group. True takes the rows in the order in which they come. Without
        ``groups``, all rows are one series.

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
        groups,
        time,
    )
    data = read_with(source, options)
    lost = [note for note in data.notes if isinstance(note, Note) and note.lost == "columns"]
    if lost and options.unusable == "auto":
        tell(lost)
    return data


def read_with(source: object, options: ReadOptions) -> Dataset:
    """Read a table with options that were checked, in the words of their door."""
    if isinstance(source, Dataset):
        if not options.is_default():
            raise ArgumentError("a Dataset has been read already; options apply to its source only")
        if not source.n_rows:
            raise DataError("the data have no rows; where all have gaps, complete_rows() leaves none")
        return source
    table = read_table(source, options)
    amount = options.counts if options.counts is not None else options.weights
    aside = find_aside(table, options)
    options, order = split_order(options)
    table = table if options.time is not True else keep_order(table)
    no_variables = {amount, *options.aside}
    places = [place for place in options.choose_places(table.names) if table.names[place] not in no_variables]
    amounts = _read_amounts(table, options, has_others=bool(places))
    plans, notes = plan_columns(table, places, options)
    if amounts is not None:
        table = MemoryTable(table.names, table.n_rows, table.column, table.notes, amounts)
    settled = settle_gaps(table, plans, options)
    places = [plan.place for plan in settled.plans]
    cuts = [plan.cutting for plan in settled.plans]
    columns, amounts = table.merge([*places, *aside], [*cuts, *(None for _ in aside)])
    groups, times, told = read_aside(columns[len(places) :], len(columns[0].positions), amounts, options, order)
    lenient = options.unusable == "drop"
    coded = [
        code_column(column, plan.variable, options.max_states, lenient)
        for column, plan in zip(columns, settled.plans, strict=False)
    ]
    return _assemble(coded, settled, amounts, amount, [*table.notes, *notes, *told], options, groups, times)


def _read_amounts(table: Table, options: ReadOptions, has_others: bool) -> Weights | None:
    """Read the column of counts or weights, if one is named."""
    for what, name in (("counts", options.counts), ("weights", options.weights)):
        if name is not None:
            if name not in table.names:
                spelled = option(what, name)
                raise ArgumentError(f"{spelled}: the table has no such column{suggest(name, table.names)}")
            if not has_others:
                raise DataError(f"the table has no columns besides the {what} {name!r}")
            return read_weights(table.column(table.names.index(name)), what == "counts")
    if not has_others:
        raise DataError("no columns are left to read")
    return None


def read_table(source: object, options: ReadOptions | Sequence[str] | None = None) -> Table:
    """Open files, a dataframe, a mapping of columns or a 2-d array."""
    if isinstance(source, Table):
        return source
    if not isinstance(options, ReadOptions):
        options = ReadOptions(names=options)
    return check_table(_open(source, options))


def read_known(source: object) -> Table:
    """Open any table to take states from it that are known, so that its own types do not matter."""
    if isinstance(source, Table | np.ndarray | str | PathLike | Mapping) or _is_list_of_paths(source):
        return read_table(source)
    few = from_few_rows(source)
    return read_table(source) if few is None else check_table(few)


def _open(source: object, options: ReadOptions) -> Table:
    if isinstance(source, np.ndarray):
        options.check_no_text("an array has cells", unless=["names"])
        return from_array(source, options.names)
    if isinstance(source, str | PathLike) or _is_list_of_paths(source):
        paths = [source] if isinstance(source, str | PathLike) else cast("list[str]", list(cast("Any", source)))
        return _open_files(cast("list[str]", paths), options)
    if options.names is not None:
        raise DataError(
            f"{option('names')} is for numpy arrays and text files without a header; this source has names of its own"
        )
    options.check_no_text("this source has cells of its own")
    if isinstance(source, Mapping):
        return from_mapping(source)
    return from_frame(source)


def _is_list_of_paths(source: object) -> bool:
    return isinstance(source, list | tuple) and bool(source) and all(isinstance(p, str | PathLike) for p in source)


def _open_files(paths: Sequence[str | PathLike[str]], options: ReadOptions) -> Table:
    """Open files of one kind; a path may be a pattern such as ``part-*.parquet``, and ``-`` is the standard input."""
    files = [file for path in paths for file in _find_files(fspath(path))]
    kinds = {next((kind for kind in (_PARQUET, WORKBOOKS) if _ends(file.path, kind)), ENDINGS) for file in files}
    if len(kinds) > 1:
        raise DataError(f"{files[0].shown} and the other files are of different kinds; read them one by one and merge")
    if kinds == {WORKBOOKS}:
        if len(files) > 1:
            raise DataError(f"{files[0].shown} and {files[1].shown}: read workbooks one by one, and merge")
        return from_workbook(files[0], options)
    if kinds == {_PARQUET}:
        options.check_no_text(f"{files[0].shown} is a Parquet file, which says this itself")
        return open_parquet(files)
    return open_texts(files, options)


def _find_files(text: str) -> list[FileSource]:
    """Return the files that a path stands for."""
    if text == STDIN:
        return [_keep_piped(sys.stdin.buffer, "standard input")]
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", text):
        raise DataError(f"{text} is an address, and addresses are not read; fetch the file and give its path")
    path = Path(text)
    try:
        exists, is_folder, is_file = path.exists(), path.is_dir(), path.is_file()
    except (OSError, ValueError) as error:
        raise DataError(f"{text[:80]!r} is no path: {error}") from None
    if is_folder:
        raise DataError(f"{path} is a directory; give the path of a file")
    if is_file:
        return [FileSource(_check_kind(path), str(path))]
    if exists:  # a named pipe, or what a shell makes of <(...)
        return [_open_pipe(path)]
    if any(sign in text for sign in PATTERN):
        matches = glob.glob(text, recursive=True)  # noqa: PTH207 - a pattern may begin anywhere
        files = sorted(match for match in matches if not Path(match).is_dir())
        if not files:
            raise DataError(f"no file matches {text}" + (", only directories" if matches else ""))
        return [FileSource(_check_kind(Path(match)), match) for match in files]
    raise DataError(f"there is no file {path}")


def _open_pipe(path: Path) -> FileSource:
    try:
        with path.open("rb") as pipe:
            return _keep_piped(pipe, str(path))
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error}") from None


def _keep_piped(pipe: IO[bytes], shown: str) -> FileSource:
    """Copy what comes through a pipe into a file, which can be read more than once."""
    scratch = Scratch()
    path = scratch.folder / "piped"
    with path.open("wb") as file:
        shutil.copyfileobj(pipe, file, 1 << 20)
    with path.open("rb") as file:
        start = file.read(4)
    ending = next((ending for opening, ending in _OPENINGS.items() if start.startswith(opening)), ".csv")
    return FileSource(path.rename(path.with_suffix(ending)), shown, scratch)


def _check_kind(path: Path) -> Path:
    """Refuse files of an unknown kind."""
    name = path.name.lower()
    for packing in PACKINGS:
        name = name.removesuffix(packing)
    if name.endswith((*_PARQUET, *ENDINGS)) or path.suffix.lower() in WORKBOOKS:
        return path
    raise DataError(
        f"cannot tell the format of {path}; expected a name ending in {', '.join(ENDINGS)} (also packed as "
        f"{', '.join(PACKINGS)}), .parquet or .xlsx"
    )


def _ends(path: Path, endings: tuple[str, ...]) -> bool:
    return path.name.lower().endswith(endings)


def _assemble(
    coded: list[Coded],
    settled: Settled,
    weights: Weights | None,
    weight_name: str | None,
    notes: list[str],
    options: ReadOptions,
    groups: Groups | None,
    times: Times | None,
) -> Dataset:
    """Deal with missing cells and rows that never occur, and put the columns together."""
    plans, lost = settled.plans, list[Note]()
    noun = "row" if weight_name is None or options.counts is None else "observation"
    if settled.missing == "drop":
        complete = ~np.any([column.missing for column in coded], axis=0)
        groups = None if groups is None else groups.take(complete)
        times = None if times is None else times.take(complete)
        coded, weights, lost = drop_gaps(coded, plans, weights, noun)
    gaps = [column for column in coded if column.missing.any()]
    if gaps and settled.missing == "error":
        raise refuse_gaps(gaps, plans)
    coded = _join_intervals(coded, plans, weights, settled.missing == "keep")
    for column, plan in zip(coded, plans, strict=True):
        notes += plan.notes
        if plan.binning is not None:
            notes.append(cut_note(plan.name, plan.survey.n_values, column.variable, plan.binning))
    if gaps:
        notes.append(note_gaps(gaps, settled, weights, noun))
    if settled.missing == "state":
        coded = [column.with_missing_state() if column.missing.any() else column for column in coded]
    schema = Schema(tuple(column.variable for column in coded))
    codes = np.stack([column.uint8 for column in coded])
    if times is not None:
        weights = None
    data = Dataset.from_codes(schema, codes, weights, weight_name, groups, times)
    if not data.n_rows:
        way = f"choose {option('missing', 'keep')} to keep gaps as gaps"
        raise DataError(f"no rows are left: every row that occurs has missing cells; {way}")
    notes += [*lost, *describe_constant(data)]
    if any(plan.variable is None or plan.is_cut for plan in plans):  # else data are read for a graph that is known
        notes += describe_columns(data)
    hint = None if weight_name is not None else _counts_hint(data, plans)
    return replace(data, notes=tuple(notes) if hint is None else (*notes, hint))


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
    return all(str(value).strip().isdigit() for value in plan.survey.column.given)


def _join_intervals(
    coded: list[Coded], plans: Sequence[ColumnPlan], weights: Weights | None, keeps_gaps: bool
) -> list[Coded]:
    """Join the intervals of columns that are cut by information or by a model, from many quantiles to few bins."""
    targets = {
        place: plan.binning.n_bins
        for place, plan in enumerate(plans)
        if plan.binning is not None and plan.binning.method == "information"
    }
    widths = {place: plan.widths for place, plan in enumerate(plans) if plan.widths is not None}
    times = np.ones(len(coded[0].codes)) if weights is None else weights.astype(np.float64)
    if targets:
        if len(coded) == 1:
            raise DataError("bins by information need another column to be informative about")
        coded = _join_all(coded, join_intervals(*_fine_codes(coded), times, targets))
    if not widths:
        return coded
    order = sorted(range(len(coded)), key=lambda place: plans[place].name)  # so that the order of columns is no matter
    codes, n_states = _fine_codes([coded[place] for place in order])
    own_widths = {order.index(place): own for place, own in widths.items()}
    ends = cut_by_model(codes, n_states, times, own_widths, keeps_gaps)
    return _join_all(coded, {order[place]: last for place, last in ends.items()})


def _fine_codes(coded: Sequence[Coded]) -> tuple[NDArray[np.int64], list[int]]:
    """Return the codes of all columns, and how many each has."""
    return np.stack([column.codes for column in coded]).astype(np.int64), [one.variable.n_states for one in coded]


def _join_all(coded: Sequence[Coded], ends: Mapping[int, Sequence[int]]) -> list[Coded]:
    """Join the intervals of some columns, of which the last in each new one are given, but for the last of all."""
    result = list(coded)
    for place, last in ends.items():
        fine = coded[place]
        variable = Variable.of_bins(fine.variable.name, [fine.variable.cuts[end] for end in last])
        joined = np.searchsorted(np.array(last), fine.codes, side="left").astype(np.int16)
        result[place] = replace(fine, variable=variable, codes=np.where(fine.missing, np.int16(-1), joined))
    return result
