"""The text form of a graph, ``.ldag``: one statement per line, ``#`` begins a comment.

``x {no, yes}`` declares a variable and its states, ``x {low < high}`` states with an order, ``x {low < high} cut 2.5``
a measurement with its cut points, ``x`` a variable alone, ``latent x`` (with or without states) one that nobody
observed, ``x -> y`` an edge, ``x <-> y`` an arc, which is a latent parent of both, ``a -> b <-> c`` a chain of these,
``x -> y : a=1, b=2 ; a=3`` an edge that vanishes where (a=1 and b=2) or a=3, and ``y | a=1 ; b=2`` one class of y
beyond what labels say. ``a=*`` is the same as not naming a; ``*`` alone is the context "always".

``y ? a {`` begins the tree of y, which asks about a first; its lines are ``no, maybe: p1`` (these states lead to the
class p1), ``yes: b {`` (to a question about b) and ``}``.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ldag.errors import FormatError
from ldag.formats.arcs import ARC, find_stateless_arcs, make_arc, name_arc, refuse_labelled, without_arcs
from ldag.formats.lexer import Scanner
from ldag.formats.record import (
    Carries,
    ClassRecord,
    Context,
    EdgeRecord,
    Format,
    GraphRecord,
    TreeRecord,
    VariableRecord,
)
from ldag.formats.record_checks import check_cuts_of, check_record, check_variable, say_twice
from ldag.formats.tree_lines import TreeLines, write_tree_lines
from ldag.formats.words import spell_contexts, spell_name, spell_quoted, spell_state, spell_states
from ldag.model import Cuts

_LINE_END = re.compile(r"\r\n|\n|\r")

LATENT = "latent"
"""The word before a name that says that nobody observed the variable; in quotes, or with no name after it, a name."""

_SIGNS = {"->": "child's", ARC: "other end's"}
"""What stands between two names, and whose name comes after it."""

CUT = "cut"
"""The word before the cut points of a measurement."""

_REFUSED = {
    "<-": "write the parent first, as in 'parent -> child'",
    "--": "undirected edges are not supported; write 'parent -> child'",
    "-": "undirected edges are for StratifiedGraph.from_text; write 'parent -> child'",
    ",": "write one edge per line, each with one parent and one child",
}


def read_text(text: str) -> GraphRecord:
    """Read the text form.

    Variables come in the order in which statements first name them, whether declared or only in an edge.
    """
    reader = TextReader()
    reader.read(text)
    return check_record(reader.record())


def write_text(record: GraphRecord) -> str:
    """Write the text form: variables, then edges and arcs, then classes, each in the order of the record.

    Of the ways to write it, the first that gives the variables back in their order is taken.
    """
    record = check_record(record)
    wanted = [variable.name for variable in record.variables]
    for statements in _ways(record):
        if [*dict.fromkeys(name for one in statements for name in one.names)] == wanted:
            break
    return "".join(f"{one.text}\n" for one in statements)


class TextReader:
    """The parts read so far."""

    def __init__(self) -> None:
        self._variables: dict[str, VariableRecord] = {}
        self._declared: dict[str, str] = {}
        self._edges: dict[tuple[str, str], EdgeRecord] = {}
        self._classes: list[ClassRecord] = []
        self._trees: list[TreeRecord] = []
        self._open: TreeLines | None = None

    def record(self) -> GraphRecord:
        """Return everything as a record."""
        if self._open is not None:
            raise FormatError(f"{self._open.where}the tree of {self._open.node!r} is not closed; '}}' is missing")
        edges, classes = tuple(self._edges.values()), tuple(self._classes)
        return GraphRecord(tuple(self._variables.values()), edges, classes, tuple(self._trees))

    def read(self, text: str) -> None:
        """Read all lines."""
        for number, line in enumerate(_LINE_END.split(text), start=1):
            scanner = Scanner(line, f"line {number}")
            if not scanner.is_at_end:
                self.line(scanner)

    def line(self, scanner: Scanner) -> None:
        """Read one line that is not empty: of a tree that is open, or a statement."""
        if self._open is None:
            self._statement(scanner)
        elif self._open.accept(scanner):
            self._trees.append(self._open.record())
            self._open = None

    def _statement(self, scanner: Scanner) -> None:
        is_word = scanner.peek() == LATENT
        name = scanner.name("a statement, which begins with a variable's name")
        if is_word and scanner.is_name and scanner.peek() != CUT:
            self._declare(scanner.name(), scanner, latent=True)
        elif scanner.accept("|"):
            contexts = scanner.contexts()
            scanner.expect_end("',', ';' or the end of the line")
            self._classes.append(ClassRecord(name, contexts, f"{scanner.path}: ", frozenset(scanner.starred)))
        elif scanner.accept("?"):
            self._open = TreeLines.begin(name, scanner)
        elif scanner.peek() in _SIGNS:
            self._chain(name, scanner)
        elif scanner.peek() in _REFUSED:
            raise _say_refused(scanner)
        else:
            self._declare(name, scanner)

    def _declare(self, name: str, scanner: Scanner, *, latent: bool = False) -> None:
        states, ordered = None, False
        cuts: Cuts = ()
        if scanner.accept("{"):
            states, ordered = scanner.declared_states()
            scanner.expect("}", "',' or '}' after a state")
            if scanner.peek() != CUT:
                scanner.expect_end("'cut' and cut points, or the end of the line after the states")
        if scanner.accept(CUT):
            cuts = check_cuts_of(scanner.states(), f"{scanner.path}: cut points")
            scanner.expect_end("',' or the end of the line after the cut points")
        scanner.expect_end(
            "'{' or the end of the line" if latent else "'{', '->', '<->', '|', '?' or the end of the line"
        )
        where = f"{scanner.path}: "
        if name in self._declared:
            raise say_twice(f"variable {name!r}", where, self._declared[name])
        self._declared[name] = where
        self._variables[name] = check_variable(VariableRecord(name, states, where, ordered, cuts, latent))

    def _chain(self, name: str, scanner: Scanner) -> None:
        where = f"{scanner.path}: "
        links: list[tuple[str, str, str]] = []
        while scanner.peek() in _SIGNS:
            sign, before = scanner.take(), links[-1][2] if links else name
            links.append((before, sign, scanner.name(f"the {_SIGNS[sign]} name after {sign!r}")))
        label = self._label(scanner, links)
        for each in (name, *(after for _, _, after in links)):
            self._variables.setdefault(each, VariableRecord(each, where=where))
        for before, sign, after in links:
            if sign == ARC:
                self._add_arc(before, after, where)
            else:
                self._add_edge(EdgeRecord(before, after, label, where, frozenset(scanner.starred)))

    def _add_edge(self, edge: EdgeRecord) -> None:
        pair = edge.parent, edge.child
        if pair in self._edges:
            raise say_twice(f"the edge {edge.parent!r} -> {edge.child!r}", edge.where, self._edges[pair].where)
        self._edges[pair] = edge

    def _add_arc(self, first: str, second: str, where: str) -> None:
        variable, edges = make_arc(first, second, where)
        for name in (variable.name, name_arc(second, first)):
            if name in self._variables:
                raise say_twice(f"the arc {name}", where, self._variables[name].where)
        self._variables[variable.name] = variable
        self._declared[variable.name] = where
        for edge in edges:
            self._add_edge(edge)

    @staticmethod
    def _label(scanner: Scanner, links: list[tuple[str, str, str]]) -> tuple[Context, ...]:
        if scanner.peek() in _REFUSED:
            raise _say_refused(scanner)
        if not scanner.accept(":"):
            scanner.expect_end("':', '->', '<->' or the end of the line")
            return ()
        if len(links) > 1:
            raise FormatError(f"{scanner.path}: a chain of edges cannot have a label; write one edge per line")
        first, sign, second = links[0]
        if sign == ARC:
            raise refuse_labelled(first, second, f"{scanner.path}: ")
        label = scanner.contexts()
        scanner.expect_end("',', ';' or the end of the line")
        return label


def _say_refused(scanner: Scanner) -> FormatError:
    """Return the error for a sign that people may try in place of an arrow."""
    sign = scanner.peek()
    return FormatError(f"{scanner.path}: expected '->', got {sign!r}; {_REFUSED[sign]}")


class Statement(NamedTuple):
    """A line of the text form, and the variables that it names in the order in which reading meets them."""

    text: str
    names: tuple[str, ...] = ()


def _ways(record: GraphRecord) -> Iterator[list[Statement]]:
    """Go through the ways to write a graph, from the shortest to the one that always keeps the order of variables."""
    arcs = find_stateless_arcs(record)
    plain = without_arcs(record, arcs)
    arc = {name: Statement(name, (*ends, name)) for name, ends in arcs.items()}
    declared = {
        variable.name: Statement(spell_declaration(variable), (variable.name,)) for variable in record.variables
    }
    edges = [Statement(_edge(edge), (edge.parent, edge.child)) for edge in plain.edges]
    in_edges = {name for one in (*edges, *arc.values()) for name in one.names}
    short = [declared[v.name] for v in plain.variables if v.states is not None or v.latent or v.name not in in_edges]
    rest = [Statement(f"{spell_name(c.node)} | {spell_contexts(c.contexts)}") for c in record.classes]
    rest += [Statement(write_tree_lines(tree)) for tree in record.trees]
    yield [*short, *edges, *arc.values(), *rest]
    yield [*(declared[v.name] for v in plain.variables), *edges, *arc.values(), *rest]
    yield [*({**declared, **arc}[v.name] for v in record.variables), *edges, *rest]
    yield [*declared.values(), *(Statement(_edge(edge)) for edge in record.edges), *rest]


def spell_declaration(variable: VariableRecord) -> str:
    """Return the statement that declares a variable."""
    name = spell_name(variable.name)
    if variable.latent:
        name = f"{LATENT} {spell_quoted(name) if name == CUT else name}"
    if variable.states is None:
        return name
    states = spell_states(variable.states, " < " if variable.ordered else ", ")
    cuts = f" {CUT} {', '.join(map(spell_state, variable.cuts))}" if variable.cuts else ""
    return f"{name} {{{states}}}{cuts}"


def _edge(edge: EdgeRecord) -> str:
    arrow = f"{spell_name(edge.parent)} -> {spell_name(edge.child)}"
    return f"{arrow} : {spell_contexts(edge.label)}" if edge.label else arrow


FORMAT = Format(
    name="ldag",
    title="text",
    endings=(".ldag",),
    used_by="ldag",
    carries=Carries(trees="yes"),
    read=read_text,
    write_graph=write_text,
)
