"""Stratified graphs as text, JSON and DOT: edges without arrows, with the contexts in which they are absent.

In the text, ``x {no, yes}`` declares a variable as in the form of a graph, ``a - b`` is an edge, ``a - b - c`` a chain
of them, ``a - b : c=1, d=2 ; c=3`` an edge with its stratum: contexts of the variables that are neighbours of both.
Those named before the colon, ``a - b without e, f : c=1``, are not among what the stratum is about.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ldag.errors import FormatError
from ldag.formats.json import (
    check_fields,
    check_header,
    check_items,
    parse_json,
    variable_fields,
    variable_of,
)
from ldag.formats.lexer import Scanner
from ldag.formats.record import Context, VariableRecord
from ldag.formats.record_checks import check_contexts_of, check_name, say_twice
from ldag.formats.text import LATENT, TextReader, spell_declaration
from ldag.formats.words import spell_contexts, spell_name, spell_quoted, spell_states

STRATIFIED = "stratified graph"
"""What its JSON documents are called."""

VERSION = 1
WITHOUT = "without"
"""The word between an edge and the common neighbours that its stratum is not about."""

_SIGNS = ("-", "--")


@dataclass(frozen=True)
class StratumRecord:
    """An edge and its stratum: the contexts of common neighbours in which its ends are independent.

    ``without`` are common neighbours that it is not about.
    """

    first: str
    second: str
    contexts: Sequence[Context] = ()
    without: tuple[str, ...] = ()
    where: str = ""
    starred: frozenset[str] = frozenset()
    """Names that were written with a star, which says nothing but must be right."""


@dataclass(frozen=True)
class UndirectedRecord:
    """The variables and the edges, in the order they were written."""

    variables: tuple[VariableRecord, ...] = ()
    edges: tuple[StratumRecord, ...] = ()


def read_undirected_text(text: str) -> UndirectedRecord:
    """Read the text form."""
    reader = _Reader()
    reader.read(text)
    return reader.undirected()


def write_undirected_text(record: UndirectedRecord) -> str:
    """Write the text form: variables with their states, then edges."""
    lines = [spell_declaration(variable) for variable in record.variables]
    return "".join(f"{line}\n" for line in [*lines, *map(_spell_edge, record.edges)])


def read_undirected_json(text: str) -> UndirectedRecord:
    """Read the JSON form."""
    document = check_header(parse_json(text), f"ldag {STRATIFIED}", VERSION)
    fields = check_fields(document, "", ("format", "version", "variables", "edges"), ())
    variables = tuple(variable_of(item, where) for where, item in check_items(fields["variables"], "variables"))
    edges = tuple(_edge_of(item, where) for where, item in check_items(fields["edges"], "edges"))
    return UndirectedRecord(variables, edges)


def write_undirected_json(record: UndirectedRecord) -> str:
    """Write the JSON form."""
    document = {
        "format": f"ldag {STRATIFIED}",
        "version": VERSION,
        "variables": [variable_fields(variable) for variable in record.variables],
        "edges": [_edge_fields(edge) for edge in record.edges],
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def write_undirected_dot(record: UndirectedRecord) -> str:
    """Write the graph for Graphviz."""
    nodes = [
        f"  {spell_quoted(v.name)} [states={spell_quoted(spell_states(v.states or ()))}];" for v in record.variables
    ]
    edges = [
        f"  {spell_quoted(edge.first)} -- {spell_quoted(edge.second)}"
        + (f" [label={spell_quoted(spell_contexts(edge.contexts))}]" if edge.contexts else "")
        + ";"
        for edge in record.edges
    ]
    return "\n".join(["graph ldag {", "  node [shape=box, style=rounded];", *nodes, *edges, "}", ""])


class _Reader(TextReader):
    """Reads edges without arrows."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: dict[frozenset[str], StratumRecord] = {}

    def undirected(self) -> UndirectedRecord:
        """Return everything as a record."""
        return UndirectedRecord(self.record().variables, tuple(self._lines.values()))

    def _statement(self, scanner: Scanner) -> None:
        name = scanner.name("a statement, which begins with a variable's name")
        if name == LATENT and scanner.is_name:
            raise FormatError(f"{scanner.path}: a stratified graph has no latent variables")
        if scanner.peek() in ("->", "<-", "<->"):
            raise FormatError(
                f"{scanner.path}: expected '-', got {scanner.peek()!r}; a stratified graph has no arrows: write"
                " 'a - b', or read a graph with arrows by LDAG.from_text and turn it by to_undirected"
            )
        if scanner.peek() in _SIGNS:
            self._edges_from(name, scanner)
        else:
            self._declare(name, scanner)

    def _edges_from(self, name: str, scanner: Scanner) -> None:
        names = [name]
        while scanner.peek() in _SIGNS:
            scanner.take()
            names.append(scanner.name("the other end of the edge"))
        without: list[str] = []
        if scanner.accept(WITHOUT):
            without = [scanner.name()]
            while scanner.accept(","):
                without.append(scanner.name())
        contexts: tuple[Context, ...] = ()
        if scanner.accept(":"):
            contexts = scanner.contexts()
        scanner.expect_end("':', '-' or the end of the line" if not contexts else "',', ';' or the end of the line")
        where = f"{scanner.path}: "
        if contexts and len(names) > 2:
            raise FormatError(f"{where}a chain of edges cannot have a stratum; write one edge per line")
        for each in names:
            self._variables.setdefault(each, VariableRecord(each, where=where))
        for first, second in pairwise(names):
            pair = frozenset((first, second))
            if pair in self._lines:
                raise say_twice(f"the edge {first!r} - {second!r}", where, self._lines[pair].where)
            self._lines[pair] = StratumRecord(
                first, second, contexts, tuple(without), where, frozenset(scanner.starred)
            )


def _spell_edge(edge: StratumRecord) -> str:
    text = f"{spell_name(edge.first)} - {spell_name(edge.second)}"
    if edge.without:
        text += f" {WITHOUT} {', '.join(map(spell_name, edge.without))}"
    return f"{text} : {spell_contexts(edge.contexts)}" if edge.contexts else text


def _edge_fields(edge: StratumRecord) -> dict[str, object]:
    fields: dict[str, object] = {"between": [edge.first, edge.second]}
    if edge.contexts:
        fields["stratum"] = list(edge.contexts)
    if edge.without:
        fields[WITHOUT] = list(edge.without)
    return fields


def _edge_of(item: object, path: str) -> StratumRecord:
    fields = check_fields(item, path, ("between",), ("stratum", WITHOUT))
    ends = [check_name(name, where) for where, name in check_items(fields["between"], f"{path}.between")]
    if len(ends) != 2:
        raise FormatError(f"{path}.between: expected two names, got {len(ends)}")
    contexts = check_contexts_of(fields.get("stratum", []), f"{path}.stratum")
    without = [check_name(name, where) for where, name in check_items(fields.get(WITHOUT, []), f"{path}.{WITHOUT}")]
    return StratumRecord(ends[0], ends[1], contexts, tuple(without), f"{path}: ")
