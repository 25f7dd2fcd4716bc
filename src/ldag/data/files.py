"""Tables in files, read by the engine: text of any separator, packing and encoding, and Parquet."""

import glob
import json
import sys
from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path

from ldag.data.database import Database, DatabaseError, quote_list, quote_text
from ldag.data.database_tables import DatabaseTable, describe
from ldag.data.doors import Wording
from ldag.data.options import ReadOptions
from ldag.data.tables import Table, check_column_names
from ldag.data.text_files import (
    NO_CELL,
    PACKINGS,
    TextFile,
    check_encoding,
    check_separator,
    even_line_ends,
    open_text,
)
from ldag.data.text_rows import LineSource, TextRows
from ldag.data.writing import ORDERS_KEY
from ldag.errors import DataError
from ldag.formats import counted

ENDINGS = (".csv", ".tsv", ".txt", ".tab", ".data")
"""Endings of text files; each also packed."""

STDIN = "-"

_PARQUET = (".parquet", ".pq")


def from_files(paths: Sequence[str | PathLike[str]], options: ReadOptions) -> Table:
    """Open files of one kind; a path may be a pattern such as ``part-*.parquet``, and ``-`` is the standard input."""
    engine = Database()
    found = [file for path in paths for file in _expanded(fspath(path), engine)]
    kinds = {_is_parquet(path) for path, _ in found}
    if len(kinds) > 1:
        raise DataError(f"{found[0][1]} and the other files are of different kinds; read them one by one and merge")
    if kinds.pop():
        options.check_no_text(f"{found[0][1]} is a Parquet file, which says this itself")
        return _from_parquet(engine, found)
    return _from_text(engine, found, options)


def _expanded(text: str, engine: Database) -> list[tuple[Path, str]]:
    """Return the files that a path stands for, each with the name to show."""
    if text == STDIN:
        return [(_from_stdin(engine), "standard input")]
    path = Path(text)
    try:
        exists, is_folder = path.exists(), path.is_dir()
    except (OSError, ValueError) as error:
        raise DataError(f"{text[:80]!r} is no path: {error}") from None
    if is_folder:
        raise DataError(f"{path} is a directory; give the path of a file")
    if exists:
        return [(_known(path), str(path))]
    if any(sign in text for sign in "*?["):
        matches = sorted(glob.glob(text, recursive=True))  # noqa: PTH207 - a pattern may begin anywhere
        if not matches:
            raise DataError(f"no file matches {text}")
        return [(_known(Path(match)), match) for match in matches if not Path(match).is_dir()]
    raise DataError(f"there is no file {path}")


def _from_stdin(engine: Database) -> Path:
    """Copy the standard input into a file, which the engine can read more than once."""
    path = engine.folder / "standard-input"
    with path.open("wb") as file:
        while chunk := sys.stdin.buffer.read(1 << 20):
            file.write(chunk)
    with path.open("rb") as file:
        ending = ".parquet" if file.read(4) == b"PAR1" else ".csv"
    return path.rename(path.with_suffix(ending))


def _known(path: Path) -> Path:
    """Refuse files of an unknown kind."""
    name = path.name.lower()
    for packing in PACKINGS:
        name = name.removesuffix(packing)
    if name.endswith((*_PARQUET, *ENDINGS)):
        return path
    raise DataError(
        f"cannot tell the format of {path}; expected a name ending in {', '.join(ENDINGS)} (also packed as "
        f"{', '.join(PACKINGS)}) or .parquet"
    )


def _is_parquet(path: Path) -> bool:
    return path.name.lower().endswith(_PARQUET)


def _from_parquet(engine: Database, files: Sequence[tuple[Path, str]]) -> Table:
    shown = files[0][1]
    names: tuple[str, ...] = ()
    for path, each in files:
        own, _ = describe(engine, f"read_parquet({quote_text(str(path))})", f"{each} cannot be read as parquet")
        if names and set(own) != set(names):
            odd = sorted(set(own) ^ set(names))[0]
            raise DataError(f"{each} has other columns than {shown}: {odd!r} is in one of them only")
        names = names or own
    source = f"read_parquet([{quote_list([str(path) for path, _ in files])}], union_by_name=true)"
    names, types = describe(engine, source, f"{shown} cannot be read as parquet")
    check_column_names(names)
    table = DatabaseTable(engine, source, names, names, types)
    table.categories.update(_categories(files[0][0]))
    table.categories.update(_own_orders(engine, files[0][0]))
    return table.table()


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
    query = f"SELECT value FROM parquet_kv_metadata({quote_text(str(path))}) WHERE key = {quote_text(ORDERS_KEY)}::BLOB"
    for (value,) in engine.rows(query):
        try:
            return {str(name): (list(states), True) for name, states in json.loads(value).items()}
        except (ValueError, AttributeError, TypeError):  # somebody else's
            return {}
    return {}


def _from_text(engine: Database, files: Sequence[tuple[Path, str]], options: ReadOptions) -> Table:
    separator = check_separator(options.sep, options.wording)
    encoding = check_encoding(options.encoding, options.wording)
    texts = [open_text(path, shown, engine.folder, separator, encoding, options.wording) for path, shown in files]
    names = texts[0].header if options.names is None else tuple(options.names)
    for text in texts:
        if options.names is None and text.header != names:
            raise DataError(f"{text.shown} has another header than {texts[0].shown}: {', '.join(text.header)}")
        if len(text.header) != len(names):
            spelled = options.wording.option("names")
            raise DataError(f"{text.shown} has {len(text.header)} columns, but {spelled} has {len(names)} names")
    notes = [note for text in texts for note in text.notes]
    if options.names is None:
        names = _named(names, options)
        check_column_names(names, f"leave it out with {options.wording.option('unusable', 'drop')}")
        if _looks_like_data(names):
            shown = ", ".join(names[:3])
            spelled = options.wording.option("names")
            notes.append(f"the header reads {shown}: if the file has none, name the columns with {spelled}")
    table = _text_table(engine, texts, names, options)
    return table.table(tuple(notes))


def _text_table(
    engine: Database, texts: Sequence[TextFile], names: tuple[str, ...], options: ReadOptions
) -> DatabaseTable:
    """Have the engine read text files; where line ends differ, after making them even."""
    columns = tuple(f"c{place}" for place in range(len(names)))
    header = options.names is None

    def table(files: Sequence[TextFile]) -> DatabaseTable:
        source = _source([_relation(file, columns, header) for file in files], len(columns))
        rows = TextRows(engine, source, columns, _lines(files, header))
        return DatabaseTable(
            engine, source, names, columns, ("VARCHAR",) * len(names), rows=rows, na=options.missing_texts
        )

    try:
        return table(texts).loaded()
    except DatabaseError as error:
        if "invalid state" not in str(error):
            raise _explained(error, texts, len(columns), options.wording) from None
    try:
        return table([even_line_ends(text, engine.folder) for text in texts]).loaded()
    except DatabaseError as error:
        raise _explained(error, texts, len(columns), options.wording) from None


def _named(names: tuple[str, ...], options: ReadOptions) -> tuple[str, ...]:
    """Name columns without a name, the first of which is usually a row index, if unusable columns are left out."""
    if options.unusable == "error":
        return names
    own = tuple(name or ("row" if place == 0 else f"column {place + 1}") for place, name in enumerate(names))
    return own if len(set(own)) == len(own) else names


def _looks_like_data(names: Sequence[str]) -> bool:
    """Whether a name is a number, other than a year."""
    numbers = [name for name in names if name.replace(".", "", 1).lstrip("+-").isdigit()]
    return any(not (name.isdigit() and 1500 <= int(name) <= 2100) for name in numbers)


def _source(parts: Sequence[str], width: int) -> str:
    """Return the relation of all rows of text files."""
    source = _joined(parts)
    if width == 1:  # a blank line is no row, as in wider tables
        return f"(SELECT * FROM {source} WHERE c0 IS NOT NULL)"
    return source


def _joined(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"({' UNION ALL '.join(f'SELECT * FROM {part}' for part in parts)})"


def _relation(text: TextFile, columns: Sequence[str], header: bool) -> str:
    sign = quote_text(text.separator)
    types = ", ".join(f"'{column}': 'VARCHAR'" for column in columns)
    return (
        f"read_csv({quote_text(str(text.path))}, auto_detect=false, header={str(header).lower()}, skip={text.skip}, "
        f"delim={sign}, quote='\"', escape='\"', nullstr='', columns={{{types}}})"
    )


def _lines(texts: Sequence[TextFile], header: bool) -> LineSource | None:
    """Return the rows of text files as lines, if no cell can hold more than a part of a line."""
    if not all(text.is_plain and text.separator == texts[0].separator for text in texts):
        return None
    parts = [
        f"read_csv({quote_text(str(text.path))}, auto_detect=false, header=false, skip={text.skip + header}, "
        f"delim={quote_text(NO_CELL)}, quote='', escape='', nullstr='', columns={{'l': 'VARCHAR'}})"
        for text in texts
    ]
    return LineSource(_joined(parts), texts[0].separator)


def _explained(error: DatabaseError, texts: Sequence[TextFile], width: int, wording: Wording) -> DataError:
    """Say in our words what the engine found wrong with a text file."""
    lines = str(error).splitlines()
    faulty = next((text for text in texts if any(str(text.path) in part for part in lines)), texts[0])
    line = next((part.split(":")[-1].strip() for part in lines if "CSV Error on Line" in part), "")
    place = f"{faulty.shown}, line {line}: " if line else f"{faulty.shown} cannot be read: "
    for part in lines:
        if "Found:" in part:
            found = part.split("Found:")[-1].strip()
            above = "; remove lines above the header, if there are any" if int(found or 0) > width else ""
            return DataError(f"{place}expected {counted(width, 'cell')} as in the header, got {found}{above}")
        if "unterminated quote" in part:
            instead = f"{wording.option('sep')} names the sign between cells"
            return DataError(f"{place}a quoted cell does not end, or goes on after its quotes; {instead}")
        if "aximum line size" in part:
            return DataError(f"{place}the line is longer than two million bytes")
    return DataError(f"{faulty.shown} cannot be read: {lines[0]}")
