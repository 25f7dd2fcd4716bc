"""Tables in files: text, Parquet, and workbooks of spreadsheet programs, which calamine reads."""

import datetime
import glob
import re
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Any

from ldag.data.columns import Column, column_of
from ldag.data.database import PATTERN, Scratch
from ldag.data.options import ReadOptions
from ldag.data.parquet import open_parquet
from ldag.data.tables import MemoryTable, Table
from ldag.data.text_files import (
    PACKINGS,
    FileSource,
    TextSpelling,
)
from ldag.data.text_tables import open_texts, recognise_spelling
from ldag.errors import DataError, MissingDependency, option
from ldag.formats import counted, list_names

ENDINGS = (".csv", ".tsv", ".txt", ".tab", ".data")
"""Endings of text files; each also packed."""

STDIN = "-"
_PARQUET = (".parquet", ".pq")
_OPENINGS = {b"PAR1": ".parquet", b"PK\3\4": ".xlsx", b"\x1f\x8b": ".csv.gz", b"BZh": ".csv.bz2", b"\xfd7zX": ".csv.xz"}
"""How files begin that come through a pipe, which has no name to tell their kind; all others are plain text."""


def from_files(paths: Sequence[str | PathLike[str]], options: ReadOptions) -> Table:
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
        return [FileSource(_known(path), str(path))]
    if exists:  # a named pipe, or what a shell makes of <(...)
        return [_open_pipe(path)]
    if any(sign in text for sign in PATTERN):
        matches = glob.glob(text, recursive=True)  # noqa: PTH207 - a pattern may begin anywhere
        files = sorted(match for match in matches if not Path(match).is_dir())
        if not files:
            raise DataError(f"no file matches {text}" + (", only directories" if matches else ""))
        return [FileSource(_known(Path(match)), match) for match in files]
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


def _known(path: Path) -> Path:
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
        if _are_texts(column)
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


def _are_texts(cells: Sequence[object]) -> bool:
    return all(cell is None or isinstance(cell, str) for cell in cells)


def _column(name: str, cells: Sequence[object], spelling: TextSpelling, options: ReadOptions) -> Column:
    """Return a column; texts are taken as those of a text file, and numbers are whole if all of them are."""
    if _are_texts(cells):
        column = column_of(name, ["" if cell is None else cell for cell in cells])
        texts = spelling.respell(name, list(map(str, column.values)), options.missing_texts)
        return replace(column, values=texts, text=True, na=options.missing_texts)
    if all(cell.is_integer() for cell in cells if isinstance(cell, float)):
        cells = [int(cell) if isinstance(cell, float) else cell for cell in cells]
    return column_of(name, cells)
