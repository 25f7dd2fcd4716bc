"""Text files of cells as a table: read in one pass, column by column, equal lines merged."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from heapq import nsmallest
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ldag._native import TextTable as CodedTable
from ldag.data.columns import Column, Positions, tidy_column
from ldag.data.options import ReadOptions
from ldag.data.tables import LISTED, Survey, Table, check_column_names
from ldag.data.text_files import (
    IN_WORDS,
    FileSource,
    TextFile,
    TextSpelling,
    check_encoding,
    check_separator,
    date_orders,
    open_other_text,
    open_text,
    recognise_dates,
    recognise_decimal,
)
from ldag.errors import DataError, counted, list_names, option
from ldag.model import Variable, date_text

_PLAIN_DATE = re.compile(
    r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9])?"
)
"""Dates that are spelled in the one way already, but for midnight."""

_MIDNIGHT = "T00:00:00"


class NotUtf8(DataError):
    """The file at a place is not UTF-8, for the encoding error named; whoever may choose another encoding does."""

    def __init__(self, place: int, problem: UnicodeError) -> None:
        super().__init__(str(problem))
        self.place, self.problem = place, problem


@dataclass(frozen=True)
class TextLayout:
    """What text files have in common: how many columns, whether a header names them, and which cells are missing."""

    width: int
    has_header: bool
    na: frozenset[str]
    spelling: TextSpelling

    def read(self, files: Sequence[TextFile], merging: bool) -> CodedTable:
        """Read files; without merging, rows stay in order and every cell keeps its spelling."""
        is_alike = len({file.separator for file in files}) == 1
        rows = CodedTable(self.width, self.spelling.decimal if merging else "", merging and is_alike)
        for place, file in enumerate(files):
            rows.start(file.sign, self.has_header)
            try:
                for part, is_last in file.parts():
                    fault = rows.feed(part, is_last)
                    if fault is not None:
                        raise DataError(self._explain(file, *fault))
            except UnicodeError as error:
                raise NotUtf8(place, error) from None
        return rows

    def _explain(self, file: TextFile, kind: str, line: int, n_cells: int) -> str:
        """Say what is wrong with a file."""
        place = f"{file.shown}, line {line}: "
        if kind == "width":
            above = "; remove lines above the header, if there are any" if n_cells > self.width else ""
            return f"{place}expected {counted(self.width, 'cell')} as in the header, got {n_cells}{above}"
        if kind == "quotes":
            instead = f"{option('sep')} names the sign between cells"
            return f"{place}a quoted cell does not end, or goes on after its quotes; {instead}"
        return f"{place}the line is longer than sixteen million bytes"


@dataclass(frozen=True)
class TextTable:
    """Text files that were read. Of merged rows those in ``kept`` are counted; None stands for all."""

    files: Sequence[TextFile]
    names: tuple[str, ...]
    layout: TextLayout
    rows: CodedTable
    kept: NDArray[np.intp] | None = None
    notes: tuple[str, ...] = ()
    _spelled: dict[int, list[object]] = field(default_factory=dict)
    _days: dict[int, NDArray[np.bytes_] | None] = field(default_factory=dict)
    _columns: dict[int, Column] = field(default_factory=dict)

    @cached_property
    def n_rows(self) -> int:
        """How many rows there are."""
        return self.rows.n_rows if self.kept is None else int(self._times.sum())

    def survey(self, place: int) -> Survey:
        """Return the different values of a column."""
        numbers = self._numbers(place)
        if numbers is not None:
            return self._survey_numbers(place, numbers)
        if len(self._texts(place)) > LISTED:
            return self._survey_texts(place)
        return Survey.of(self._column(place), self._weights)

    def column(self, place: int) -> Column:
        """Return a column row by row, in the order of the files."""
        positions = cast("Positions", self._ordered.cells(place))
        texts = self._texts(place) if self._ordered is self.rows else self._spell(place, self._ordered)
        return Column(self.names[place], texts, positions, text=True, na=self.layout.na)

    def merge(self, places: Sequence[int], cut: Sequence[Variable | None]) -> tuple[list[Column], NDArray[np.int64]]:
        """Return rows whose lines were merged; where a column is kept as numbers, their bins."""
        return [self._merged_column(place, variable) for place, variable in zip(places, cut, strict=True)], self._times

    def complete(self, places: Sequence[int], variables: Sequence[Variable | None]) -> tuple[Table, float]:
        """Return the table of rows without a gap in some columns, and their share; what it is asked for is counts."""
        gaps = np.zeros(len(self._times), dtype=np.bool_)
        for place, variable in zip(places, variables, strict=True):
            gaps |= self._find_gaps(place, () if variable is None else tuple(map(str, variable.states)))
        kept = np.flatnonzero(~gaps)
        part = replace(self, kept=kept if self.kept is None else self.kept[kept], _columns={})
        return part, part.n_rows / self.n_rows

    @cached_property
    def _times(self) -> NDArray[np.int64]:
        """How often each row occurs."""
        times = np.ones(self.rows.n_kept, dtype=np.int64)
        times[: len(self.rows.times)] = self.rows.times
        return times if self.kept is None else times[self.kept]

    @property
    def _weights(self) -> NDArray[np.int64] | None:
        """The same; None if each row occurs once, which is counted more quickly."""
        return None if self.rows.n_kept == self.rows.n_rows else self._times

    @cached_property
    def _ordered(self) -> CodedTable:
        """The rows in order, as they are spelled; read again if they are not at hand."""
        is_ordered = self.rows.n_kept == self.rows.n_rows
        if is_ordered and all(self._numbers(place) is None for place in range(len(self.names))):
            return self.rows
        return self.layout.read(self.files, merging=False)

    def _cells(self, place: int) -> Positions | NDArray[np.float64]:
        cells = self.rows.cells(place)
        return cells if self.kept is None else cells[self.kept]

    def _numbers(self, place: int) -> NDArray[np.float64] | None:
        """Return a column of many numbers, in which NaN stands for a text or a gap; None for others."""
        cells = self._cells(place)
        return cast("NDArray[np.float64]", cells) if cells.dtype == np.float64 else None

    def _spell(self, place: int, rows: CodedTable) -> list[object]:
        return self.layout.spelling.respell(self.names[place], rows.texts(place), self.layout.na)

    def _texts(self, place: int) -> list[object]:
        """Return the texts of a column as others spell them, in the order of their numbers."""
        if place not in self._spelled:
            self._spelled[place] = self._spell(place, self.rows)
        return self._spelled[place]

    def _dates(self, place: int) -> NDArray[np.bytes_] | None:
        """Return the texts of a column as dates, if all of them are."""
        if place not in self._days:
            self._days[place] = _spell_dates(self._texts(place), self.layout.na)
        return self._days[place]

    def _column(self, place: int) -> Column:
        """Return a column of merged rows."""
        if place not in self._columns:
            positions, locate = cast("Positions", self._cells(place)), partial(self._first_row, place)
            column = Column(
                self.names[place], self._texts(place), positions, text=True, na=self.layout.na, locate=locate
            )
            self._columns[place] = tidy_column(column)
        return self._columns[place]

    def _merged_column(self, place: int, variable: Variable | None) -> Column:
        numbers = self._numbers(place)
        if numbers is None and (len(self._texts(place)) <= LISTED or variable is None):
            return self._column(place)
        if variable is None:  # raw, for whoever looks for cut points, or names of groups
            return self._raw_column(place, cast("NDArray[np.float64]", numbers))
        if numbers is None:
            dates = self._dates(place)
            assert dates is not None, "a column of so many texts is refused"
            days = np.searchsorted(np.array(variable.cuts, dtype=np.bytes_), dates).astype(np.int16)
            bins = np.append(np.where(dates == b"", np.int16(-1), days), np.int16(-1))[self._cells(place)]
        else:
            bins = np.searchsorted(np.array(variable.cuts), numbers).astype(np.int16)
            bins[np.isnan(numbers)] = -1
        return Column(self.names[place], list(variable.states), bins, locate=partial(self._first_row, place))

    def _raw_column(self, place: int, numbers: NDArray[np.float64]) -> Column:
        """Return a column of many numbers in merged rows, and the texts among them."""
        locate = partial(self._first_row, place)
        values, positions = np.unique(numbers, return_inverse=True)
        others = np.isnan(numbers)
        if not others.any():
            return Column(self.names[place], values.tolist(), positions, locate=locate)
        texts = [None if text.strip() in self.layout.na else text.strip() for text in self.rows.texts(place)]
        codes = _texts_in(numbers[others])
        positions[others] = np.where(codes < 0, -1, codes + len(values))
        return Column(self.names[place], [*values.tolist(), *texts], positions, locate=locate)

    def _survey_numbers(self, place: int, cells: NDArray[np.float64]) -> Survey:
        """Survey a column of many numbers; one that has other texts as well is no measurement."""
        name, texts = self.names[place], self.rows.texts(place)
        is_number = ~np.isnan(cells)
        values, times = _count_numbers(cells[is_number], None if self._weights is None else self._times[is_number])
        codes = _texts_in(cells[~is_number])
        n_times = np.bincount(codes + 1, self._times[~is_number], len(texts) + 1).astype(np.int64)
        is_odd = self._find_given(texts, n_times)
        odd = [texts[number] for number in np.flatnonzero(is_odd)]
        n_gaps = int(n_times.sum() - n_times[1:][is_odd].sum())
        examples = Column.of_examples(name, [*odd, *values[:3].tolist()][:3], text=True, na=self.layout.na)
        if not odd:
            return Survey.of_numbers(examples, n_gaps, values, times)
        return Survey.of_examples(examples, n_gaps, int(self._times.sum()) - n_gaps, len(values) + len(odd))

    def _survey_texts(self, place: int) -> Survey:
        """Survey a column of so many texts that they are dates, or it is no variable."""
        name, texts, cells = self.names[place], cast("list[str]", self._texts(place)), self._cells(place)
        n_times = np.bincount(cells.astype(np.int64) + 1, self._weights, len(texts) + 1).astype(np.int64)
        is_known = self._find_given(texts, n_times)
        n_gaps = int(n_times.sum() - n_times[1:][is_known].sum())
        dates = self._dates(place)
        if dates is not None:
            values, places = np.unique(dates[is_known], return_inverse=True)
            times = np.bincount(places, n_times[1:][is_known], len(values)).astype(np.int64)
            spelled = values.astype(np.str_).astype(object)
            examples = Column.of_examples(name, spelled[:3], text=True, dates=True)
            return Survey.of_numbers(examples, n_gaps, spelled, times)
        known = [texts[number] for number in np.flatnonzero(is_known)]
        examples = Column.of_examples(name, nsmallest(3, known), text=True, na=self.layout.na)
        return Survey.of_examples(examples, n_gaps, int(n_times.sum()) - n_gaps, len(known))

    def _find_given(self, texts: Sequence[str], n_times: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tell which texts occur and are no gaps; how often each does follows on empty cells."""
        na = self.layout.na
        return np.array([text.strip() not in na for text in texts], dtype=np.bool_) & (n_times[1:] > 0)

    def _find_gaps(self, place: int, states: Sequence[str]) -> NDArray[np.bool_]:
        """Tell which cells are missing; a text that is a state is not."""
        texts = [text.strip() for text in self.rows.texts(place)]
        missing = np.array([*(text in self.layout.na and text not in states for text in texts), True])
        numbers = self._numbers(place)
        if numbers is None:
            return cast("NDArray[np.bool_]", missing[self._cells(place)])
        gaps = np.isnan(numbers)
        gaps[gaps] = missing[_texts_in(numbers[gaps])]
        return gaps

    def _first_row(self, place: int, values: Sequence[object]) -> int | None:
        """Return the first row, from 1, that has one of these texts; None stands for a gap of any spelling."""
        column = self.column(place)
        wanted = [-1] if None in values else []
        for position, text in enumerate(column.values):
            if text in values or (None in values and column.gaps[position]):
                wanted.append(position)
        return column.first_row(wanted)


def _spell_dates(texts: Sequence[object], na: frozenset[str]) -> NDArray[np.bytes_] | None:
    """Return dates in their one spelling, which sorts as they do, nothing for a gap; None if there are other texts."""
    dates = []
    for text in map(str, texts):
        if _PLAIN_DATE.fullmatch(text):
            dates.append(text.removesuffix(_MIDNIGHT))
        elif (date := "" if text.strip() in na else date_text(text.strip())) is not None:
            dates.append(date)
        else:
            return None
    return np.array(dates, dtype=np.bytes_)


def _texts_in(cells: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the numbers of the texts that cells other than numbers stand for, -1 for an empty cell."""
    return (cells.view(np.int64) & 0xFFFFFFFF) - 1


def _count_numbers(
    cells: NDArray[np.float64], weights: NDArray[np.int64] | None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the different numbers in order, and how often each occurs."""
    order = None if weights is None else np.argsort(cells)
    cells = np.sort(cells) if order is None else cells[order]
    cells += 0.0  # no negative zero
    is_first = np.ones(len(cells), dtype=np.bool_)
    np.not_equal(cells[1:], cells[:-1], out=is_first[1:])
    first = np.flatnonzero(is_first)
    if weights is not None and order is not None:
        return cells[first], np.add.reduceat(weights[order], first) if len(cells) else np.zeros(0, np.int64)
    times = np.empty(len(first), dtype=np.int64)
    np.subtract(first[1:], first[:-1], out=times[:-1])
    times[-1:] = len(cells) - first[-1:]
    return cells[first], times


def open_texts(files: Sequence[FileSource], options: ReadOptions) -> TextTable:
    """Read text files as one table; what no option says of how they are written is found out, and told."""
    options.check_no_sheet(f"{files[0].shown} is a text file")
    separator = check_separator(options.sep)
    encoding = check_encoding(options.encoding)
    texts = [open_text(file, separator, encoding) for file in files]
    layout, rows = _read_texts(texts, separator, encoding, options)
    names = texts[0].header if options.names is None else tuple(options.names)
    notes = [note for text in texts for note in text.notes]
    if options.names is None:
        names = options.name_columns(names)
        check_column_names(names, may_drop=True)
        if _looks_like_data(names):
            shown = ", ".join(names[:3])
            spelled = option("names")
            notes.append(f"the header reads {shown}: if the file has none, name the columns with {spelled}")
    columns = {name: rows.texts(place) for place, name in enumerate(names)}
    numbers = {name for place, name in enumerate(names) if rows.cells(place).dtype.kind == "f"}
    spelling, told = recognise_spelling(columns, texts[0].separator, layout.spelling.decimal, options, numbers)
    if spelling.decimal != layout.spelling.decimal:  # which the first rows did not show
        rows = replace(layout, spelling=spelling).read(texts, merging=True)
    notes += [f"{texts[0].shown}: {note}" for note in told]
    return TextTable(texts, names, replace(layout, spelling=spelling), rows, notes=tuple(notes))


def _read_texts(
    texts: list[TextFile], separator: str | None, encoding: str | None, options: ReadOptions
) -> tuple[TextLayout, CodedTable]:
    """Read text files; one that turns out not to be UTF-8 is opened again, if its encoding may be chosen."""
    spelling = TextSpelling(options.decimal or texts[0].decimal)
    layout = TextLayout(_width(texts, options), options.names is None, options.missing_texts, spelling)
    try:
        return layout, layout.read(texts, merging=True)
    except NotUtf8 as error:
        source = texts[error.place].source
        texts[error.place] = open_other_text(source, separator, encoding, error.problem)
    return _read_texts(texts, separator, encoding, options)


def _width(texts: Sequence[TextFile], options: ReadOptions) -> int:
    """Return the number of columns, on which headers agree."""
    width = len(texts[0].header) if options.names is None else len(options.names)
    for text in texts:
        if options.names is None and text.header != texts[0].header:
            raise DataError(f"{text.shown} has another header than {texts[0].shown}: {', '.join(text.header)}")
        if len(text.header) != width:
            spelled = option("names")
            raise DataError(f"{text.shown} has {len(text.header)} columns, but {spelled} has {width} names")
    return width


def _looks_like_data(names: Sequence[str]) -> bool:
    """Whether a name is a number, other than a year."""
    numbers = [name for name in names if name.replace(".", "", 1).lstrip("+-").isdigit()]
    return any(not (name.isdigit() and 1500 <= int(name) <= 2100) for name in numbers)


TAB = "\t"


def recognise_spelling(
    columns: Mapping[str, Sequence[str]],
    separator: str | None,
    decimal: str,
    options: ReadOptions,
    numbers: Collection[str] = (),
) -> tuple[TextSpelling, list[str]]:
    """Find out how numbers and dates are spelled where no option says it, and what is to be told.

    ``separator`` stands between cells, if anything does; ``decimal`` is the sign by which numbers were told from texts
    so far, and ``numbers`` are columns most of whose cells are, of which only the other texts are given.
    """
    notes, parts, asked = [], [], []
    if options.decimal is None:
        sign = recognise_decimal(columns.values(), separator, options.missing_texts)
        decimal = "." if sign is None else "," if sign == "," else decimal
        if sign is None:
            notes.append(f"some numbers have decimal commas, some points; {option('decimal')} says which are numbers")
        if decimal == ",":
            parts.append("numbers have decimal commas")
            asked.append(option("decimal"))
    orders = {name: date_orders(texts, options.missing_texts) for name, texts in columns.items() if name not in numbers}
    shown = recognise_dates(orders) if options.dates is None else {}
    if shown:
        parts += [f"dates have {IN_WORDS[order]} (in {list_names(names)})" for order, names in shown.items()]
        asked.append(option("dates"))
    if parts and separator is not None and options.sep is None:
        parts.insert(0, f"cells are separated by {'tabs' if separator == TAB else separator}")
        asked.insert(0, option("sep"))
    if parts:
        say = "says" if len(asked) == 1 else "say"
        notes.append(f"{', '.join(parts)}; {' and '.join(asked)} {say} otherwise")
    dates = options.dates or (next(iter(shown)) if len(shown) == 1 else None)
    return TextSpelling(decimal, dates, options.dates is not None, orders), notes
