"""All formats, one line each; which one a file has is told by its ending."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from ldag.checks import check_choice, check_path
from ldag.errors import FormatError
from ldag.formats import bif, dne, dosearch, dot, dsc, json, modelstring, net, text, tikz, uai, xdsl, xmlbif
from ldag.formats.files import check_place, name_file, read_utf8, spell_path, write_atomically
from ldag.formats.record import DocumentRecord, FileRecord, Format, GraphRecord

T = TypeVar("T")

FORMATS: tuple[Format, ...] = (
    text.FORMAT,
    json.FORMAT,
    dot.FORMAT,
    bif.FORMAT,
    xmlbif.FORMAT,
    net.FORMAT,
    xdsl.FORMAT,
    dne.FORMAT,
    dsc.FORMAT,
    uai.FORMAT,
    dosearch.FORMAT,
    modelstring.FORMAT,
    tikz.FORMAT,
)
"""Every format that files are read or written in."""


def read_file(path: str | os.PathLike[str]) -> FileRecord:
    """Read whatever a file holds; an error begins with the file's name."""
    path = Path(path)
    known = format_of(path)
    if known.read is None:
        raise FormatError(f"{spell_path(path)}: {known.title} can only be written, not read")
    return _read_by(known.read, path)


def _read_by(read: Callable[[str], T], path: Path) -> T:
    content = read_utf8(path)
    with name_file(path):
        return read(content)


def read_file_as(path: str | os.PathLike[str], make: Callable[[FileRecord], T]) -> T:
    """Read whatever a file holds and make something of it; an error begins with the file's name."""
    record = read_file(path)
    with name_file(path):
        return make(record)


def read_named(text: str, name: str) -> FileRecord:
    """Read a text of a format, which is named."""
    read = format_named(name).read
    if read is None:
        raise FormatError(f"{format_named(name).title} can only be written, not read")
    return read(text)


def read_document(path: str | os.PathLike[str], kind: str, make: Callable[[Mapping[str, Any]], T]) -> T:
    """Read a document of one kind, and make of it what it stands for."""
    return _read_by(lambda text: json.read_document_json(text, kind).unpack(make), check_document_path(path, kind))


def write_document(record: DocumentRecord, path: str | os.PathLike[str]) -> None:
    """Write a document, whole or not at all."""
    write_atomically(check_document_path(path, record.kind), json.write_document_json(record).encode())


def check_document_path(path: str | os.PathLike[str], kind: str) -> Path:
    """Check the ending of a file for a document."""
    target = Path(check_path(path))
    if target.suffix.lower() not in json.FORMAT.endings:
        raise FormatError(f"{spell_path(target)}: a {kind} is kept in a file that ends in .json")
    return target


def write_graph(record: GraphRecord, path: str | os.PathLike[str]) -> None:
    """Write a graph in the format of the file's ending."""
    write = format_of(path, "graphs").write_graph
    assert write is not None
    write_atomically(Path(path), write(record).encode())


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse what writing a graph or a network would refuse, before the work whose result is to be written."""
    format_of(path)
    check_place(Path(path))


def holds_models(path: str | os.PathLike[str]) -> bool:
    """Whether a file is one of a graph or a network, by its ending."""
    return any(Path(path).suffix.lower() in known.endings for known in FORMATS)


def format_named(name: str) -> Format:
    """Return a format by its short name."""
    names = [known.name for known in FORMATS]
    check_choice(name, names, "format")
    return FORMATS[names.index(name)]


def format_of(path: str | os.PathLike[str], holding: str = "") -> Format:
    """Return the format of a file by its ending; it must be able to write "graphs" or "networks" if that is said."""
    path = Path(path)
    able = {
        "": FORMATS,
        "graphs": tuple(known for known in FORMATS if known.write_graph),
        "networks": tuple(known for known in FORMATS if known.writes_networks),
    }[holding]
    for known in able:
        if path.suffix.lower() in known.endings:
            return known
    if holding == "graphs" and any(path.suffix.lower() in known.endings for known in FORMATS if known.writes_networks):
        what = "and a graph has no parameters; Network.from_data(graph, data) estimates them"
        raise FormatError(f"{spell_path(path)}: the format {path.suffix} holds networks, {what}")
    endings = ", ".join(ending for known in able for ending in known.endings)
    got = f"the ending {path.suffix!r}" if path.suffix else "no ending"
    what = "a network is kept in" if holding == "networks" else "expected"
    raise FormatError(f"{spell_path(path)}: {what} a file that ends in {endings}, got {got}")
