"""Workbooks of spreadsheet programs (.xlsx and its kin), read by calamine: a sheet is a table with a header."""

import datetime
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ldag.data.columns import Column, column_of
from ldag.data.options import ReadOptions
from ldag.data.tables import MemoryTable, Table
from ldag.data.text_files import (
    FileSource,
    TextSpelling,
)
from ldag.data.text_tables import recognise_spelling
from ldag.errors import DataError, MissingDependency, counted, list_names, option

WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
"""Endings of workbooks."""

_MEANT = ("names", "na", "decimal", "dates", "sheet")
"""Options of text files that mean something for a workbook, too: cells may be texts."""


def from_workbook(file: FileSource, options: ReadOptions) -> Table:
    """Open a sheet of a workbook, the first or the one that is named."""
    options.check_no_text(f"{file.shown} is a workbook, which says this itself", unless=_MEANT)
    rows, notes = _read_sheet(file, options)
    if options.names is None:
        names, rows = tuple(map(_name, rows[0])), rows[1:]
        while names and not names[-1] and all(row[len(names) - 1] == "" for row in rows):
            names = names[:-1]  # nothing stands in this column
        names = options.name_columns(names)
    else:
        names = tuple(options.names)
        if len(names) != len(rows[0]):
            spelled = option("names")
            raise DataError(f"{file.shown} has {len(rows[0])} columns, but {spelled} has {len(names)} names")
    cells = [[_plain(row[place], options.missing_texts) for row in rows] for place in range(len(names))]
    texts = {
        name: list({str(cell) for cell in column if cell is not None})
        for name, column in zip(names, cells, strict=True)
        if _has_only_texts(column)
    }
    spelling, told = recognise_spelling(texts, None, ".", options)
    notes += [f"{file.shown}: {note}" for note in told]
    return MemoryTable(
        names, len(rows), lambda place: _column(names[place], cells[place], spelling, options), notes=tuple(notes)
    )


def _read_sheet(file: FileSource, options: ReadOptions) -> tuple[list[list[Any]], list[str]]:
    """Return the rows of a sheet that are not blank, and what is to be told of the others."""
    try:
        from python_calamine import CalamineError, CalamineWorkbook
    except ImportError:
        raise MissingDependency("python-calamine", "excel", "reading a workbook") from None
    try:
        with CalamineWorkbook.from_path(str(file.path)) as book:
            name = _choose_sheet(book.sheet_names, file, options)
            rows = book.get_sheet_by_name(name).to_python()
    except (CalamineError, OSError) as error:
        raise DataError(f"{file.shown} cannot be read as a workbook: {error}") from None
    others = [other for other in book.sheet_names if other != name]
    notes = []
    if others and options.sheet is None:
        spelled = option("sheet")
        notes = [f"{file.shown}: the sheet {name!r} was read; {spelled} names another ({list_names(others)})"]
    rows = [row for row in rows if any(cell != "" for cell in row)]
    if not rows:
        raise DataError(f"the sheet {name!r} of {file.shown} is empty; expected a header with the names of the columns")
    return rows, notes


def _choose_sheet(names: Sequence[str], file: FileSource, options: ReadOptions) -> str:
    """Return the name of the sheet to read; a number that is no sheet's name counts from 1."""
    wanted = options.sheet
    if not names:
        raise DataError(f"{file.shown} has no sheets")
    if wanted is None or wanted in names:
        return names[0] if wanted is None else str(wanted)
    number = int(wanted) if str(wanted).isdecimal() else 0
    if not 1 <= number <= len(names):
        spelled = option("sheet", str(wanted))
        raise DataError(f"{spelled}: {file.shown} has {counted(len(names), 'sheet')}, {list_names(names)}")
    return names[number - 1]


def _name(cell: object) -> str:
    """Return a cell of the header as a name; a year is a number in a workbook."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell).strip()


def _plain(cell: object, na: frozenset[str]) -> object:
    """Return a cell as a value, None for a gap; a cell in error is one."""
    if isinstance(cell, str):
        return None if cell.strip() in na else cell
    return cell.isoformat() if isinstance(cell, datetime.time) else cell


def _has_only_texts(cells: Sequence[object]) -> bool:
    return all(cell is None or isinstance(cell, str) for cell in cells)


def _column(name: str, cells: Sequence[object], spelling: TextSpelling, options: ReadOptions) -> Column:
    """Return a column; texts are taken as those of a text file, and numbers are whole if all of them are."""
    if _has_only_texts(cells):
        column = column_of(name, ["" if cell is None else cell for cell in cells])
        texts = spelling.respell(name, list(map(str, column.values)), options.missing_texts)
        return replace(column, values=texts, text=True, na=options.missing_texts)
    if all(cell.is_integer() for cell in cells if isinstance(cell, float)):
        cells = [int(cell) if isinstance(cell, float) else cell for cell in cells]
    return column_of(name, cells)
