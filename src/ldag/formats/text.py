"""The text form of a graph, ``.ldag``: one statement per line, ``#`` begins a comment.

``x {no, yes}`` declares a variable and its states, ``x {low < high}`` states with an order, ``x {low < high} cut 2.5``
a measurement with its cut points, ``x`` a variable alone, ``latent x`` (with or without states) one that nobody
observed, ``x -> y`` an edge, ``a -> b -> c`` a chain of edges, ``x -> y : a=1, b=2 ; a=3`` an edge that vanishes where
(a=1 and b=2) or a=3, and ``y | a=1 ; b=2`` one class of y beyond what labels say. ``a=*`` is the same as not naming a;
``*`` alone is the context "always".
"""

import re
from itertools import pairwise

from ldag.errors import FormatError
from ldag.formats.lexer import Scanner
from ldag.formats.record import Carries, ClassRecord, Context, EdgeRecord, Format, GraphRecord, VariableRecord
from ldag.formats.record_checks import check_cuts_of, check_record, check_variable, say_twice
from ldag.formats.words import spell_contexts, spell_name, spell_quoted, spell_state, spell_states
from ldag.model import Cuts

_LINE_END = re.compile(r"\r\n|\n|\r")

LATENT = "latent"
"""The word before a name that says that nobody observed the variable; in quotes, or with no name after it, a name."""

CUT = "cut"
"""The word before the cut points of a measurement."""

_REFUSED = {
    "<->": "bidirected edges are not supported; a latent cause is written as 'latent h', 'h -> a' and 'h -> b'",
    "<-": "write the parent first, as in 'parent -> child'",
    "--": "undirected edges are not supported; write 'parent -> child'",
    ",": "write one edge per line, each with one parent and one child",
}


def read_text(text: str) -> GraphRecord:
    """Read the text form.

    Variables come in the order in which statements first name them, whether declared or only in an edge.
    """
    reader = _Reader()
    for number, line in enumerate(_LINE_END.split(text), start=1):
        scanner = Scanner(line, f"line {number}")
        if not scanner.is_at_end:
            reader.statement(scanner)
    return check_record(reader.record())


def write_text(record: GraphRecord) -> str:
    """Write the text form: variables, then edges, then classes, each in the order of the record."""
    record = check_record(record)
    variables = record.variables if _needs_all_declared(record) else _short_declarations(record)
    lines = [_declaration(variable) for variable in variables]
    lines += [_edge(edge) for edge in record.edges]
    lines += [f"{spell_name(item.node)} | {spell_contexts(item.contexts)}" for item in record.classes]
    return "\n".join(lines) + "\n"


class _Reader:
    """The parts read so far."""

    def __init__(self) -> None:
        self._variables: dict[str, VariableRecord] = {}
        self._declared: dict[str, str] = {}
        self._edges: dict[tuple[str, str], EdgeRecord] = {}
        self._classes: list[ClassRecord] = []

    def record(self) -> GraphRecord:
        """Return everything as a record."""
        return GraphRecord(tuple(self._variables.values()), tuple(self._edges.values()), tuple(self._classes))

    def statement(self, scanner: Scanner) -> None:
        """Read one line that is not empty."""
        is_word = scanner.peek() == LATENT
        name = scanner.name("a statement, which begins with a variable's name")
        if is_word and scanner.is_name and scanner.peek() != CUT:
            self._declare(scanner.name(), scanner, latent=True)
        elif scanner.accept("|"):
            contexts = scanner.contexts()
            scanner.expect_end("',', ';' or the end of the line")
            self._classes.append(ClassRecord(name, contexts, f"{scanner.path}: ", frozenset(scanner.starred)))
        elif scanner.peek() == "->":
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
        scanner.expect_end("'{' or the end of the line" if latent else "'{', '->', '|' or the end of the line")
        where = f"{scanner.path}: "
        if name in self._declared:
            raise say_twice(f"variable {name!r}", where, self._declared[name])
        self._declared[name] = where
        self._variables[name] = check_variable(VariableRecord(name, states, where, ordered, cuts, latent))

    def _chain(self, name: str, scanner: Scanner) -> None:
        where = f"{scanner.path}: "
        names = [name]
        while scanner.accept("->"):
            names.append(scanner.name("the child's name after '->'"))
        label = self._label(scanner, len(names) - 1)
        for each in names:
            self._variables.setdefault(each, VariableRecord(each, where=where))
        for parent, child in pairwise(names):
            if (parent, child) in self._edges:
                raise say_twice(f"the edge {parent!r} -> {child!r}", where, self._edges[parent, child].where)
            self._edges[parent, child] = EdgeRecord(parent, child, label, where, frozenset(scanner.starred))

    @staticmethod
    def _label(scanner: Scanner, n_edges: int) -> tuple[Context, ...]:
        if scanner.peek() in _REFUSED:
            raise _say_refused(scanner)
        if not scanner.accept(":"):
            scanner.expect_end("':', '->' or the end of the line")
            return ()
        if n_edges > 1:
            raise FormatError(f"{scanner.path}: a chain of edges cannot have a label; write one edge per line")
        label = scanner.contexts()
        scanner.expect_end("',', ';' or the end of the line")
        return label


def _say_refused(scanner: Scanner) -> FormatError:
    """Return the error for a sign that people may try in place of an arrow."""
    sign = scanner.peek()
    return FormatError(f"{scanner.path}: expected '->', got {sign!r}; {_REFUSED[sign]}")


def _short_declarations(record: GraphRecord) -> tuple[VariableRecord, ...]:
    """Return the variables that need a line: with states, latent, or without an edge."""
    in_edges = {name for edge in record.edges for name in (edge.parent, edge.child)}
    return tuple(v for v in record.variables if v.states is not None or v.latent or v.name not in in_edges)


def _needs_all_declared(record: GraphRecord) -> bool:
    """Whether the short form would give the variables back in another order."""
    order = {variable.name: None for variable in _short_declarations(record)}
    for edge in record.edges:
        order.setdefault(edge.parent)
        order.setdefault(edge.child)
    return list(order) != [variable.name for variable in record.variables]


def _declaration(variable: VariableRecord) -> str:
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
    carries=Carries(),
    read=read_text,
    write_graph=write_text,
)
