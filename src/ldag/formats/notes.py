"""What other programs' formats cannot say, in comments that begin with ``ldag``.

``ldag variable ID is "real name" {states}`` gives a name and states back that the format had to spell otherwise,
``ldag table NODE`` says that the classes of a node are those of the following ``ldag edge A -> B : contexts`` and
``ldag class B | contexts`` and of nothing else. All are in the notation of the text form. ``ldag order ID ID ...``
gives the order of the variables back where a format wants another.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from ldag.errors import FormatError, suggest
from ldag.formats.identifiers import Spelling
from ldag.formats.record import ClassRecord, CptRecord, EdgeRecord, GraphRecord, TabularRecord, VariableRecord
from ldag.formats.scanner import Scanner
from ldag.formats.spelling import spell_name
from ldag.formats.text import read_text, write_text

_NOTE = re.compile(r"ldag (?P<kind>variable|table|edge|class|order) (?P<rest>.*)", re.DOTALL)


@dataclass
class _Notes:
    variables: dict[str, VariableRecord] = field(default_factory=dict)
    told: dict[str, str] = field(default_factory=dict)
    labels: list[EdgeRecord] = field(default_factory=list)
    classes: list[ClassRecord] = field(default_factory=list)
    order: tuple[str, ...] = ()


def write_notes(record: TabularRecord, spelling: Spelling) -> list[str]:
    """Return all that must be noted of a network, a line each."""
    lines = []
    for variable in spelling.odd:
        declaration = write_text(GraphRecord((variable,))).rstrip("\n")
        lines.append(f"ldag variable {spelling.names[variable.name]} is {declaration}")
    for table in record.tables:
        if table.node in record.told:
            lines.append(f"ldag table {spell_name(table.node)}")
            labels = [edge for edge in record.labels if edge.child == table.node]
            classes = [item for item in record.classes if item.node == table.node]
            lines += [f"ldag edge {_statement(edges=(edge,))}" for edge in labels]
            lines += [f"ldag class {_statement(classes=(item,))}" for item in classes]
    return lines


def find_notes(text: str, marker: str) -> list[tuple[str, str]]:
    """Return the notes in the comments of a text, each with its place."""
    if "ldag " not in text:
        return []
    pattern = re.compile(rf"^[ \t]*{re.escape(marker)} (ldag [^\r\n]*)", re.MULTILINE)
    found, line, counted = [], 1, 0
    for match in pattern.finditer(text):
        line += text.count("\n", counted, match.start())
        counted = match.start()
        found.append((f"line {line}: ", match[1]))
    return found


def apply_notes(record: TabularRecord, notes: Iterable[tuple[str, str]]) -> TabularRecord:
    """Return what was read with the real names and the classes that the notes tell."""
    found = _Notes()
    for where, line in notes:
        note = _NOTE.fullmatch(line)
        if note is None:
            continue  # a comment that happens to begin like a note
        try:
            _read_note(found, note["kind"], note["rest"], where)
        except FormatError as error:
            text = str(error).removeprefix("line 1: ").removeprefix(where)
            raise FormatError(f"{where}in a comment of ldag: {text}") from None
    if not (found.variables or found.told or found.order):
        return record
    if found.order:
        record = _reordered(record, found.order)
    known = {variable.name: variable for variable in record.variables}
    for name, variable in found.variables.items():
        if name not in known or len(known[name].states or ()) != len(variable.states or ()):
            raise FormatError(
                f"{variable.where}a comment of ldag is about {name!r} with {len(variable.states or ())} states, and the"
                " file is not; remove the comment"
            )
    new = {name: found.variables.get(name, variable).name for name, variable in known.items()}
    for name, where in found.told.items():
        if name not in new.values():
            raise FormatError(f"{where}no variable {name!r}{suggest(name, new.values())}")
    return replace(
        record,
        variables=tuple(found.variables.get(v.name, v) for v in record.variables),
        tables=tuple(_renamed(table, new) for table in record.tables),
        told=frozenset(found.told),
        labels=tuple(found.labels),
        classes=tuple(found.classes),
    )


def _statement(edges: tuple[EdgeRecord, ...] = (), classes: tuple[ClassRecord, ...] = ()) -> str:
    """Return one statement of the text form."""
    names = [name for edge in edges for name in (edge.parent, edge.child)] + [item.node for item in classes]
    variables = tuple(VariableRecord(name) for name in dict.fromkeys(names))
    return write_text(GraphRecord(variables, edges, classes)).splitlines()[-1]


def _read_note(found: _Notes, kind: str, rest: str, where: str) -> None:
    if kind == "variable":
        name, is_, declaration = rest.partition(" is ")
        variables = read_text(declaration).variables if is_ else ()
        if len(variables) != 1 or variables[0].states is None:
            raise FormatError('expected ID is "name" {states}')
        found.variables[name] = replace(variables[0], where=where)
    elif kind == "table":
        scanner = Scanner(rest, where.removesuffix(": "))
        found.told[scanner.name()] = where
        if not scanner.at_end:
            raise scanner.unexpected("the end of the line")
    elif kind == "order":
        found.order = tuple(rest.split())
    elif kind == "edge":
        found.labels += [replace(edge, where=where) for edge in read_text(rest).edges]
    else:
        node = Scanner(rest, where.removesuffix(": ")).name()
        found.classes += [replace(c, where=where) for c in read_text(f"{spell_name(node)}\n{rest}").classes]


def _reordered(record: TabularRecord, order: tuple[str, ...]) -> TabularRecord:
    """Return the variables in their own order; one that is not told stays behind."""
    place = {name: number for number, name in enumerate(order)}
    return replace(record, variables=tuple(sorted(record.variables, key=lambda v: place.get(v.name, len(place)))))


def _renamed(table: CptRecord, new: dict[str, str]) -> CptRecord:
    return replace(table, node=new.get(table.node, table.node), parents=tuple(new.get(p, p) for p in table.parents))
