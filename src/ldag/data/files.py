"""Tables in files: text of any separator, packing and encoding, and Parquet."""

import glob
import json
import re
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from typing import IO

from ldag._native import TextTable as CodedTable
from ldag.data.database import Database, DatabaseError, column_at, quote_text
from ldag.data.database_tables import DatabaseTable
from ldag.data.encodings import check_encoding
from ldag.data.options import ReadOptions, recognise_spelling
from ldag.data.scratch import Scratch
from ldag.data.spellings import TextSpelling
from ldag.data.tables import Table, check_column_names
from ldag.data.text_files import PACKINGS, FileSource, TextFile, check_separator, open_other_text, open_text
from ldag.data.text_tables import NotUtf8, TextLayout, TextTable
from ldag.data.workbooks import WORKBOOKS, from_workbook
from ldag.data.writing import ORDERS_KEY
from ldag.errors import DataError, option

ENDINGS = (".csv", ".tsv", ".txt", ".tab", ".data")
"""Endings of text files; each also packed."""

STDIN = "-"

PATTERN = "*?["
"""Signs that make a pattern of a path for which there is no file."""

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
        return _from_parquet(Database(files), files)
    return _from_text(files, options)


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


def _from_parquet(engine: Database, files: Sequence[FileSource]) -> Table:
    first, shown = files[0].path, files[0].shown
    try:
        names = _column_names(engine, first)
        parts = [_parquet(engine, file, names, shown) for file in files]
        source = f"({' UNION ALL '.join(parts)})"
        types = tuple(str(row[1]) for row in engine.rows(f"DESCRIBE SELECT * FROM {source}"))
    except DatabaseError as error:
        raise DataError(f"{shown} cannot be read as parquet: {str(error).splitlines()[0]}") from None
    check_column_names(names)
    table = DatabaseTable(engine, source, names, types)
    table.categories.update(_categories(first))
    table.categories.update(_own_orders(engine, first))
    return table.table()


def _parquet(engine: Database, file: FileSource, names: Sequence[str], first: str) -> str:
    """Return the query for the rows of a Parquet file; its folders are no columns, and its name is no pattern."""
    own = _column_names(engine, file.path)
    if set(own) != set(names):
        odd = sorted(set(own) ^ set(names))[0]
        raise DataError(f"{file.shown} has other columns than {first}: {odd!r} is in one of them only")
    source = f"read_parquet([{quote_text(_plain_name(file.path))}], hive_partitioning=false)"
    inner = ", ".join(f"o{place}" for place in range(len(own)))  # the engine takes a and A for one name
    chosen = ", ".join(f"o{own.index(name)} AS {column_at(place)}" for place, name in enumerate(names))
    return f"SELECT {chosen} FROM {source} AS f({inner})"


def _column_names(engine: Database, path: Path) -> tuple[str, ...]:
    """Return the names of a Parquet file's columns as they are written, without those of their parts."""
    names, n_parts = [], 0
    rows = engine.rows(f"SELECT name, coalesce(num_children, 0) FROM parquet_schema({quote_text(_plain_name(path))})")
    for name, n in rows[1:]:
        if n_parts == 0:
            names.append(str(name))
        n_parts += n - (n_parts > 0)
    return tuple(names)


def _plain_name(path: Path) -> str:
    """Return a path of which the engine takes no sign for a pattern's."""
    return "".join(f"[{sign}]" if sign in PATTERN else sign for sign in str(path.absolute()))


def _categories(path: Path) -> dict[str, tuple[list[object], bool]]:
    """Return the categories that a dataframe's library kept in a Parquet file, if pyarrow is there to read them."""
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        return {}
    try:
        file = parquet.ParquetFile(path)
        if file.num_row_groups == 0:
            return {}
        fields = [field for field in file.schema_arrow if hasattr(field.type, "index_type")]
        if not fields:
            return {}
        group = file.read_row_group(0, columns=[field.name for field in fields])
        return {
            field.name: (group.column(field.name).chunk(0).dictionary.to_pylist(), bool(field.type.ordered))
            for field in fields
        }
    except (ArrowException, OSError, ValueError, KeyError):
        return {}


def _own_orders(engine: Database, path: Path) -> dict[str, tuple[list[object], bool]]:
    """Return the orders that this library wrote into a Parquet file."""
    file, key = quote_text(_plain_name(path)), quote_text(ORDERS_KEY)
    for (value,) in engine.rows(f"SELECT value FROM parquet_kv_metadata({file}) WHERE key = {key}::BLOB"):
        try:
            return {str(name): (list(states), True) for name, states in json.loads(value).items()}
        except (ValueError, AttributeError, TypeError):  # somebody else's
            return {}
    return {}


def _from_text(files: Sequence[FileSource], options: ReadOptions) -> Table:
    options.check_no_sheet(f"{files[0].shown} is a text file")
    separator = check_separator(options.sep)
    encoding = check_encoding(options.encoding)
    texts = [open_text(file, separator, encoding) for file in files]
    layout, rows = _read_texts(texts, separator, encoding, options)
    names = texts[0].header if options.names is None else tuple(options.names)
    notes = [note for text in texts for note in text.notes]
    if options.names is None:
        names = options.name_columns(names)
        check_column_names(names, f"leave it out with {option('unusable', 'drop')}")
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
    return TextTable(texts, names, replace(layout, spelling=spelling), rows).table(tuple(notes))


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
