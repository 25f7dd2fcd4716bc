"""What other programs' formats cannot say, in comments that begin with ``ldag``; and how names are spelled there.

``ldag variable ID is "real name" {states}`` gives a name and states back that the format had to spell otherwise, as it
knows letters, digits and underscores only.
``ldag table NODE`` says that the classes of a node are those of the following ``ldag edge A -> B : contexts`` and
``ldag class B | contexts`` and of nothing else. All are in the notation of the text form. ``ldag order ID ID ...``
gives the order of the variables back where a format wants another.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from ldag.errors import FormatError, suggest
from ldag.formats.lexer import Scanner
from ldag.formats.record import ClassRecord, CptRecord, EdgeRecord, GraphRecord, TabularRecord, VariableRecord
from ldag.formats.record_checks import check_tables, table_of_numbers
from ldag.formats.text import read_text, write_text
from ldag.formats.words import spell_name
from ldag.model import State

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_]*")
_OTHER = re.compile(r"[^A-Za-z0-9_]+")
_SIGNS = {"<": "lt", ">": "gt", "=": "eq", "+": "plus", "%": "pct", "≤": "le", "≥": "ge"}
_SIGN = re.compile("[<>=+%≤≥]")
_RESERVED = frozenset(
    (
        *("net", "node", "network", "variable", "probability", "potential", "property", "table", "default", "type"),
        *("discrete", "data", "states", "parents", "probs", "kind", "belief", "utility", "decision", "class"),
        *("continuous", "function", "if", "else", "inf", "nan"),
    )
)

_NOTE = re.compile(r"ldag (?P<kind>variable|table|edge|class|order) (?P<rest>.*)", re.DOTALL)


def plain_identifiers(names: Iterable[str], keep: re.Pattern[str] = _PLAIN) -> list[str]:
    """Return a different plain identifier for every name, the name itself where it is one already."""
    names = list(names)
    taken = {name for name in names if _is_plain(name, keep)}
    chosen = []
    for name in names:
        if _is_plain(name, keep):
            chosen.append(name)
            continue
        word = _SIGN.sub(lambda sign: f"_{_SIGNS[sign[0]]}_", name)
        word = _OTHER.sub("_", word).strip("_") or "x"
        word = word if word[0].isalpha() else f"x{word}"
        word = f"{word}_" if word.lower() in _RESERVED else word
        number, candidate = 1, word
        while candidate in taken:
            number += 1
            candidate = f"{word}_{number}"
        taken.add(candidate)
        chosen.append(candidate)
    return chosen


def plain_words(names: Iterable[str]) -> list[str]:
    """Return plain identifiers that may also begin with a digit, such as 0 and 1."""
    return plain_identifiers(names, _WORD)


def spell_states_apart(states: Sequence[State]) -> list[str]:
    """Return states as texts, all different."""
    texts = [str(state) for state in states]
    if len(set(texts)) == len(texts):
        return texts
    return [f"{text}_{type(state).__name__}" for text, state in zip(texts, states, strict=True)]


class Spelling:
    """How a format spells the variables and states of a network, and which of them it cannot spell as they are."""

    def __init__(
        self, record: TabularRecord, spell_states: Callable[[Sequence[str]], list[str]], keep: re.Pattern[str] = _PLAIN
    ) -> None:
        names = [variable.name for variable in record.variables]
        self.names = dict(zip(names, plain_identifiers(names, keep), strict=True))
        self.states = {v.name: spell_states(spell_states_apart(v.states or ())) for v in record.variables}
        self.odd = [
            v
            for v in record.variables
            if self.names[v.name] != v.name or (*self.states[v.name],) != v.states or v.ordered or v.cuts or v.latent
        ]


def spell_plainly(record: TabularRecord) -> TabularRecord:
    """Return a network whose names and states are plain words, as files of other programs have them."""
    spelling = Spelling(record, plain_words)
    return TabularRecord(
        tuple(
            VariableRecord(spelling.names[v.name], tuple(spelling.states[v.name]), latent=v.latent)
            for v in record.variables
        ),
        tuple(
            replace(table, node=spelling.names[table.node], parents=tuple(spelling.names[p] for p in table.parents))
            for table in record.tables
        ),
    )


def _is_plain(name: str, keep: re.Pattern[str]) -> bool:
    return bool(keep.fullmatch(name)) and name.lower() not in _RESERVED


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
    notes, line, counted = [], 1, 0
    for match in pattern.finditer(text):
        line += text.count("\n", counted, match.start())
        counted = match.start()
        notes.append((f"line {line}: ", match[1]))
    return notes


def apply_notes(record: TabularRecord, notes: Iterable[tuple[str, str]]) -> TabularRecord:
    """Return what was read with the real names and the classes that the notes tell."""
    told = _Notes()
    for where, line in notes:
        note = _NOTE.fullmatch(line)
        if note is None:
            continue  # a comment that happens to begin like a note
        try:
            _read_note(told, note["kind"], note["rest"], where)
        except FormatError as error:
            text = str(error).removeprefix("line 1: ").removeprefix(where)
            raise FormatError(f"{where}in a comment of ldag: {text}") from None
    if not (told.variables or told.told or told.order):
        return record
    if told.order:
        record = _reorder(record, told.order)
    known = {variable.name: variable for variable in record.variables}
    for name, variable in told.variables.items():
        if name not in known or len(known[name].states or ()) != len(variable.states or ()):
            raise FormatError(
                f"{variable.where}a comment of ldag is about {name!r} with {len(variable.states or ())} states, and the"
                " file is not; remove the comment"
            )
    new = {name: told.variables.get(name, variable).name for name, variable in known.items()}
    for name, where in told.told.items():
        if name not in new.values():
            raise FormatError(f"{where}no variable {name!r}{suggest(name, new.values())}")
    return replace(
        record,
        variables=tuple(told.variables.get(v.name, v) for v in record.variables),
        tables=tuple(_rename(table, new) for table in record.tables),
        told=frozenset(told.told),
        labels=tuple(told.labels),
        classes=tuple(told.classes),
    )


def finish_tables(
    variables: Iterable[VariableRecord], tables: Iterable[CptRecord], notes: Iterable[tuple[str, str]]
) -> TabularRecord:
    """Return a network whose tables were read as long rows of numbers, with what the notes tell."""
    known = tuple(variables)
    shaped = tuple(table_of_numbers(table, known) for table in tables)
    return check_tables(apply_notes(TabularRecord(known, shaped), notes))


def _statement(edges: tuple[EdgeRecord, ...] = (), classes: tuple[ClassRecord, ...] = ()) -> str:
    """Return one statement of the text form."""
    names = [name for edge in edges for name in (edge.parent, edge.child)] + [item.node for item in classes]
    variables = tuple(VariableRecord(name) for name in dict.fromkeys(names))
    return write_text(GraphRecord(variables, edges, classes)).splitlines()[-1]


def _read_note(told: _Notes, kind: str, rest: str, where: str) -> None:
    if kind == "variable":
        name, is_, declaration = rest.partition(" is ")
        variables = read_text(declaration).variables if is_ else ()
        if len(variables) != 1 or variables[0].states is None:
            raise FormatError('expected ID is "name" {states}')
        told.variables[name] = replace(variables[0], where=where)
    elif kind == "table":
        scanner = Scanner(rest, where.removesuffix(": "))
        told.told[scanner.name()] = where
        scanner.expect_end("the end of the line")
    elif kind == "order":
        told.order = tuple(rest.split())
    elif kind == "edge":
        told.labels += [replace(edge, where=where) for edge in read_text(rest).edges]
    else:
        node = Scanner(rest, where.removesuffix(": ")).name()
        told.classes += [replace(c, where=where) for c in read_text(f"{spell_name(node)}\n{rest}").classes]


def _reorder(record: TabularRecord, order: tuple[str, ...]) -> TabularRecord:
    """Return the variables in their own order; one that is not told stays behind."""
    place = {name: number for number, name in enumerate(order)}
    return replace(record, variables=tuple(sorted(record.variables, key=lambda v: place.get(v.name, len(place)))))


def _rename(table: CptRecord, new: dict[str, str]) -> CptRecord:
    return replace(table, node=new.get(table.node, table.node), parents=tuple(new.get(p, p) for p in table.parents))
