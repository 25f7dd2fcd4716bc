"""Graphs of networkx: node attribute ``states``, edge attribute ``label``, graph attribute ``classes``."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ldag.errors import FormatError, MissingDependency
from ldag.formats.record import ClassRecord, EdgeRecord, GraphRecord, VariableRecord
from ldag.formats.record_checks import (
    check_class_contexts,
    check_contexts_of,
    check_cuts_of,
    check_name,
    check_record,
    check_states,
    shown,
)

if TYPE_CHECKING:
    import networkx as nx


def to_networkx(record: GraphRecord) -> "nx.DiGraph":
    """Return a ``networkx.DiGraph``.

    ``states`` is a tuple and absent where undeclared, ``label`` a tuple of contexts (dicts), ``classes`` a tuple of
    pairs (node, contexts) and absent if there are none. networkx orders edges by parent.
    """
    try:
        import networkx as nx
    except ImportError:
        raise MissingDependency("networkx", "networkx", "making a networkx graph") from None
    record = check_record(record)
    graph = nx.DiGraph()
    for variable in record.variables:
        graph.add_node(variable.name, **_attributes(variable))
    for edge in record.edges:
        graph.add_edge(edge.parent, edge.child, label=edge.label)
    if record.classes:
        graph.graph["classes"] = tuple((item.node, item.contexts) for item in record.classes)
    return graph


def from_networkx(graph: "nx.DiGraph") -> GraphRecord:
    """Read a ``networkx.DiGraph``, with or without the attributes of ``to_networkx``."""
    try:
        import networkx as nx
    except ImportError:
        raise MissingDependency("networkx", "networkx", "reading a networkx graph") from None
    if not isinstance(graph, nx.DiGraph) or graph.is_multigraph():
        raise FormatError(f"expected a networkx.DiGraph, got {_kind(graph)}")
    return check_record(
        GraphRecord(
            tuple(_variable(name, attributes) for name, attributes in graph.nodes(data=True)),
            tuple(_edge(parent, child, attributes) for parent, child, attributes in graph.edges(data=True)),
            _classes(graph.graph.get("classes", ())),
        )
    )


def _kind(graph: object) -> str:
    return f"a {type(graph).__name__}"


def _variable(name: object, attributes: Mapping[str, object]) -> VariableRecord:
    path = f"node {shown(name)}"
    given = attributes.get("states")
    states = None if given is None else check_states(given, f"{path}, attribute states")
    cuts = check_cuts_of(attributes.get("cuts", ()), f"{path}, attribute cuts")
    return VariableRecord(check_name(name, path), states, f"{path}: ", bool(attributes.get("ordered", False)), cuts)


def _attributes(variable: VariableRecord) -> dict[str, object]:
    attributes: dict[str, object] = {} if variable.states is None else {"states": variable.states}
    if variable.ordered:
        attributes["ordered"] = True
    return attributes | ({"cuts": variable.cuts} if variable.cuts else {})


def _edge(parent: str, child: str, attributes: Mapping[str, object]) -> EdgeRecord:
    path = f"edge {shown(parent)} -> {shown(child)}"
    label = check_contexts_of(attributes.get("label", ()), f"{path}, attribute label")
    return EdgeRecord(parent, child, label, f"{path}: ")


def _classes(classes: object) -> tuple[ClassRecord, ...]:
    if not isinstance(classes, list | tuple):
        raise FormatError(f"graph attribute classes: expected pairs (node, contexts), got {shown(classes)}")
    return tuple(_class(item, f"graph attribute classes[{i}]") for i, item in enumerate(classes))


def _class(item: object, path: str) -> ClassRecord:
    if not isinstance(item, list | tuple) or len(item) != 2:
        raise FormatError(f"{path}: expected a pair (node, contexts), got {shown(item)}")
    node, contexts = item
    return ClassRecord(check_name(node, path), check_class_contexts(contexts, path), f"{path}: ")
