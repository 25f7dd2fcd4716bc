"""All formats, one line each; which one a file has is told by its ending."""

import os
from pathlib import Path

from ldag.checks import check_choice
from ldag.errors import FormatError
from ldag.formats import bif, dne, dosearch, dot, dsc, json, modelstring, net, text, tikz, uai, xdsl, xmlbif
from ldag.formats.contract import Format, ModelRecord
from ldag.formats.files import check_place, read_utf8, shown_path, write_atomically
from ldag.formats.record import GraphRecord, NetworkRecord, TabularRecord

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


def read_model(path: str | os.PathLike[str]) -> ModelRecord:
    """Read whatever a file holds; an error begins with the file's name."""
    path = Path(path)
    known = format_of(path)
    if known.read is None:
        raise FormatError(f"{shown_path(path)}: {known.title} can only be written, not read")
    content = read_utf8(path)
    try:
        return known.read(content)
    except FormatError as error:
        raise FormatError(f"{shown_path(path)}: {error}") from None


def write_graph(record: GraphRecord, path: str | os.PathLike[str]) -> None:
    """Write a graph in the format of the file's ending."""
    path = Path(path)
    write = format_of(path, "graphs").write_graph
    assert write is not None
    write_atomically(path, write(record).encode())


def write_network(record: NetworkRecord | TabularRecord, path: str | os.PathLike[str]) -> None:
    """Write a network in the format of the file's ending, given by classes or by tables as the format wants it."""
    write_atomically(Path(path), spell_network(record, format_of(path, "networks")).encode())


def spell_network(record: NetworkRecord | TabularRecord, known: Format) -> str:
    """Return a network as a text in a format."""
    if isinstance(record, NetworkRecord):
        assert known.write_network is not None
        return known.write_network(record)
    assert known.write_tables is not None
    return known.write_tables(record)


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
        raise FormatError(f"{shown_path(path)}: the format {path.suffix} holds networks, {what}")
    endings = ", ".join(ending for known in able for ending in known.endings)
    got = f"the ending {path.suffix!r}" if path.suffix else "no ending"
    what = "a network is kept in" if holding == "networks" else "expected"
    raise FormatError(f"{shown_path(path)}: {what} a file that ends in {endings}, got {got}")
