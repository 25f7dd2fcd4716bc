"""Graphviz DOT: written so that Graphviz draws it well and the graph can be read back; read through pydot.

States, labels and classes are attributes in the text notation. Inside a quoted DOT string the escapes are those
of JSON, which Graphviz shows as meant. Subgraphs and clusters of foreign files only group nodes.
"""

import io
import re
import warnings
from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING

from ldag.errors import FormatError, MissingDependency
from ldag.formats.arcs import find_stateless_arcs, make_arc, refuse_labelled, without_arcs
from ldag.formats.lexer import Scanner
from ldag.formats.record import Carries, ClassRecord, Context, EdgeRecord, Format, GraphRecord, VariableRecord
from ldag.formats.record_checks import check_cuts_of, check_record
from ldag.formats.words import spell_contexts, spell_quoted, spell_states
from ldag.model import Cuts

if TYPE_CHECKING:
    import pydot

_STYLE = """\
  graph [rankdir=TB, nodesep=0.5, ranksep=0.7, fontname="Helvetica"];
  node [shape=box, style=rounded, fontname="Helvetica", margin="0.15,0.08"];
  edge [fontname="Helvetica", fontsize=10, arrowsize=0.8];
"""
_ARC_STYLE = "dir=both, style=dashed, constraint=false"
_OR = ";\n"
_NEXT_CLASS = " |\n"
_LAST = "ldag_end_of_file"
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "/": "/", '"': '"', "\\": "\\"}


def write_dot(record: GraphRecord) -> str:
    """Write a graph for Graphviz; classes come back grouped by node."""
    record = check_record(record)
    arcs = find_stateless_arcs(record)
    if [v.name for v in record.variables if v.name not in arcs] + [*arcs] != [v.name for v in record.variables]:
        arcs = {}  # an arc comes back after all nodes
    plain = without_arcs(record, arcs)
    nodes = "".join(_node(variable, record.classes) for variable in plain.variables)
    edges = "".join(_edge(edge) for edge in plain.edges)
    edges += "".join(f"  {spell_quoted(a)} -> {spell_quoted(b)} [{_ARC_STYLE}];\n" for a, b in arcs.values())
    return f"digraph ldag {{\n{_STYLE}{nodes}{edges}}}\n"


def read_dot(text: str) -> GraphRecord:
    """Read a directed graph in DOT; nodes without the attribute ``states`` have none declared."""
    parts = _Parts()
    _collect(_parse(text), parts)
    variables = [_variable(name, attributes) for name, attributes in parts.nodes.items()]
    edges: list[EdgeRecord] = []
    for parent, child, attributes in parts.edges:
        if attributes.get("dir") == "both":
            variable, two = _arc(parent, child, attributes)
            variables.append(variable)
            edges += two
        else:
            edges.append(_edge_record(parent, child, attributes))
    classes = tuple(item for name, attributes in parts.nodes.items() for item in _classes(name, attributes))
    return check_record(GraphRecord(tuple(variables), tuple(edges), classes))


Attributes = dict[str, str]


@dataclass
class _Parts:
    """Nodes with their attributes, and edges, in the order of the file."""

    nodes: dict[str, Attributes] = field(default_factory=dict)
    edges: list[tuple[str, str, Attributes]] = field(default_factory=list)


def _node(variable: VariableRecord, classes: Iterable[ClassRecord]) -> str:
    attributes = []
    if variable.states is not None:
        sign = " < " if variable.ordered else ", "
        attributes.append(f"states={spell_quoted(spell_states(variable.states, sign))}")
    if variable.cuts:
        attributes.append(f"cuts={spell_quoted(spell_states(variable.cuts))}")
    if variable.latent:
        attributes += ["latent=true", 'style="rounded,dashed"']
    own = [spell_contexts(item.contexts, _OR) for item in classes if item.node == variable.name]
    if own:
        attributes.append(f"classes={spell_quoted(_NEXT_CLASS.join(own))}")
    return f"  {spell_quoted(variable.name)}{_bracket(attributes)};\n"


def _edge(edge: EdgeRecord) -> str:
    label = [f"label={spell_quoted(spell_contexts(edge.label, _OR))}"] if edge.label else []
    return f"  {spell_quoted(edge.parent)} -> {spell_quoted(edge.child)}{_bracket(label)};\n"


def _bracket(attributes: list[str]) -> str:
    return f" [{', '.join(attributes)}]" if attributes else ""


def _parse(text: str) -> "pydot.Dot":
    """Parse DOT; the added last graph shows whether pydot, which stops silently, read everything."""
    try:
        import pydot
    except ImportError:
        raise MissingDependency("pydot", "dot", "reading DOT") from None
    printed = io.StringIO()
    try:
        with redirect_stdout(printed), warnings.catch_warnings():  # pydot prints its syntax errors
            warnings.simplefilter("ignore", DeprecationWarning)  # and uses old names of pyparsing
            graphs = pydot.graph_from_dot_data(f"{text}\ndigraph {_LAST} {{}}\n")
    except Exception as error:  # pydot lets out whatever its internals raise
        raise FormatError(f"not a DOT graph that pydot can read: {type(error).__name__}: {error}") from None
    if graphs is None:
        said = printed.getvalue().strip().splitlines()
        raise FormatError(f"not a DOT graph: {said[-1] if said else 'syntax error'}")
    if not graphs or graphs[-1].get_name() != _LAST:
        raise FormatError("not a DOT graph: there is something after its end that cannot be read")
    if len(graphs) != 2:
        raise FormatError(f"expected one DOT graph, got {len(graphs) - 1}")
    if graphs[0].get_type() != "digraph":
        raise FormatError("expected a directed graph ('digraph'), got an undirected one ('graph')")
    return graphs[0]


def _collect(graph: "pydot.Graph", parts: _Parts) -> list[str]:
    """Add the statements of a graph or subgraph in their order; return the names of its nodes."""
    import pydot

    names: list[str] = []
    statements = [*graph.get_nodes(), *graph.get_edges(), *graph.get_subgraphs()]
    for item in sorted(statements, key=lambda item: item.get_sequence() or 0):
        if isinstance(item, pydot.Node):
            names += _collect_node(item, parts)
        elif isinstance(item, pydot.Edge):
            names += _collect_edge(item, parts)
        elif isinstance(item, pydot.Graph):
            names += _collect(item, parts)
    return names


def _collect_node(node: "pydot.Node", parts: _Parts) -> list[str]:
    attributes = _attributes(node)
    raw = str(node.get_name())
    if raw.lower() in {"graph", "node", "edge"}:  # defaults, not a node; a node of that name is quoted
        if raw.lower() == "edge" and "label" in attributes:
            raise FormatError("a default label for all edges is not supported; give each edge its own")
        return []
    name = _unquote_end(raw)
    parts.nodes.setdefault(name, {}).update(attributes)
    return [name]


def _collect_edge(edge: "pydot.Edge", parts: _Parts) -> list[str]:
    attributes = _attributes(edge)
    parents = _end_names(edge.get_source(), parts)
    children = _end_names(edge.get_destination(), parts)
    for name in (*parents, *children):
        parts.nodes.setdefault(name, {})
    parts.edges += [(parent, child, attributes) for parent, child in product(parents, children)]
    return [*parents, *children]


def _end_names(end: object, parts: _Parts) -> list[str]:
    """Return the node at an end of an edge, or the nodes of the subgraph there."""
    import pydot

    if isinstance(end, dict):
        return list(dict.fromkeys(_collect(pydot.Subgraph(obj_dict=end), parts)))
    return [_unquote_end(str(end))]


def _attributes(item: "pydot.Common") -> Attributes:
    pairs = item.obj_dict["attributes"].items()
    return {_unquote(str(key)): _unquote(str(value)) for key, value in pairs if value is not None}


def _unquote_end(raw: str) -> str:
    """Return the name of a node, without the port that may follow it."""
    if raw.startswith("<"):
        raise FormatError(f"node {raw}: expected a plain name, got an HTML-like one")
    string = _STRING.match(raw)
    return _unquote(string[0]) if string else raw.partition(":")[0]


def _unquote(raw: str) -> str:
    """Return what a DOT string stands for; escapes that only Graphviz knows stay."""
    string = _STRING.fullmatch(raw)
    return _ESCAPE.sub(_unescape, string[1]) if string else raw


def _unescape(escape: re.Match[str]) -> str:
    code = escape[1]
    return chr(int(code[1:], 16)) if len(code) == 5 else _ESCAPED.get(code, escape[0])


def _variable(name: str, attributes: Attributes) -> VariableRecord:
    path, latent = f"node {name!r}", attributes.get("latent", "false").lower() == "true"
    if "states" not in attributes:
        return VariableRecord(name, where=f"{path}: ", latent=latent)
    scanner = Scanner(attributes["states"], f"{path}, attribute states")
    states, ordered = scanner.declared_states()
    scanner.expect_end("',' or '<' or the end")
    cuts: Cuts = ()
    if "cuts" in attributes:
        cut_scanner = Scanner(attributes["cuts"], f"{path}, attribute cuts")
        cuts = check_cuts_of(cut_scanner.states(), cut_scanner.path)
        cut_scanner.expect_end("',' or the end")
    return VariableRecord(name, states, f"{path}: ", ordered, cuts, latent)


def _arc(first: str, second: str, attributes: Attributes) -> tuple[VariableRecord, tuple[EdgeRecord, EdgeRecord]]:
    path = f"edge {first!r} -> {second!r}: "
    if attributes.get("label", "").strip():
        raise refuse_labelled(first, second, path)
    return make_arc(first, second, path)


def _edge_record(parent: str, child: str, attributes: Attributes) -> EdgeRecord:
    path = f"edge {parent!r} -> {child!r}"
    if attributes.get("dir", "forward") != "forward":
        raise FormatError(
            f"{path}: expected a directed edge, or dir=both for a latent cause, got dir={attributes['dir']}"
        )
    label: tuple[Context, ...] = ()
    if attributes.get("label", "").strip():
        scanner = Scanner(attributes["label"], f"{path}, attribute label (contexts such as x=1; y=no)")
        label = scanner.contexts()
        scanner.expect_end("',' or ';' or the end")
    return EdgeRecord(parent, child, label, f"{path}: ")


def _classes(name: str, attributes: Attributes) -> Iterator[ClassRecord]:
    if "classes" not in attributes:
        return
    path = f"node {name!r}"
    scanner = Scanner(attributes["classes"], f"{path}, attribute classes")
    yield ClassRecord(name, scanner.contexts(), f"{path}: ")
    while scanner.accept("|"):
        yield ClassRecord(name, scanner.contexts(), f"{path}: ")
    scanner.expect_end("',', ';' or '|' or the end")


FORMAT = Format(
    name="dot",
    title="DOT",
    endings=(".dot", ".gv"),
    used_by="Graphviz",
    carries=Carries(),
    read=read_dot,
    write_graph=write_dot,
)
