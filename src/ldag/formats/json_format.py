"""The JSON form of a graph, described by ``docs/ldag.schema.json``; an error names the place as ``edges[2].label``."""

import json

from ldag.errors import FormatError
from ldag.formats.json_parts import JsonObject, checked_header, fields, items, parsed
from ldag.formats.parts import (
    checked_class_contexts,
    checked_contexts,
    checked_name,
    checked_record,
    checked_states,
)
from ldag.record import ClassRecord, EdgeRecord, GraphRecord, VariableRecord

FORMAT = "ldag"
VERSION = 1
NETWORK_FORMAT = "ldag-network"
NETWORK_VERSION = 1


def read_json(text: str) -> GraphRecord:
    """Read the JSON form, or take the graph of a network; anything that the form does not describe is refused."""
    document = parsed(text)
    if isinstance(document, JsonObject) and document.get("format") == NETWORK_FORMAT:
        network = checked_header(document, NETWORK_FORMAT, NETWORK_VERSION)
        return graph_of(network.get("graph"), "graph")
    return graph_of(document)


def graph_of(document: object, path: str = "") -> GraphRecord:
    """Read a parsed graph that stands at a place in its file."""
    checked_header(document, FORMAT, VERSION, path)
    inside = f"{path}." if path else ""
    found = fields(document, path, ("format", "version", "variables", "edges"), ("classes",))
    return checked_record(
        GraphRecord(
            tuple(_variable(item, where) for where, item in items(found["variables"], f"{inside}variables")),
            tuple(_edge(item, where) for where, item in items(found["edges"], f"{inside}edges")),
            tuple(_class(item, where) for where, item in items(found.get("classes", []), f"{inside}classes")),
        )
    )


def write_json(record: GraphRecord) -> str:
    """Write the JSON form; empty labels, undeclared states and absent classes are left out."""
    record = checked_record(record)
    document: dict[str, object] = {
        "format": FORMAT,
        "version": VERSION,
        "variables": [_variable_fields(variable) for variable in record.variables],
        "edges": [_edge_fields(edge) for edge in record.edges],
    }
    if record.classes:
        document["classes"] = [{"node": c.node, "contexts": list(c.contexts)} for c in record.classes]
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _variable_fields(variable: VariableRecord) -> dict[str, object]:
    if variable.states is None:
        return {"name": variable.name}
    return {"name": variable.name, "states": list(variable.states)}


def _edge_fields(edge: EdgeRecord) -> dict[str, object]:
    ends: dict[str, object] = {"parent": edge.parent, "child": edge.child}
    return ends | {"label": list(edge.label)} if edge.label else ends


def _variable(item: object, path: str) -> VariableRecord:
    found = fields(item, path, ("name",), ("states",))
    states = checked_states(found["states"], f"{path}.states") if "states" in found else None
    return VariableRecord(checked_name(found["name"], f"{path}.name"), states, f"{path}: ")


def _edge(item: object, path: str) -> EdgeRecord:
    found = fields(item, path, ("parent", "child"), ("label",))
    label = found.get("label", [])
    _refuse_repeated_keys(label, f"{path}.label")
    return EdgeRecord(
        checked_name(found["parent"], f"{path}.parent"),
        checked_name(found["child"], f"{path}.child"),
        checked_contexts(label, f"{path}.label"),
        f"{path}: ",
    )


def _class(item: object, path: str) -> ClassRecord:
    found = fields(item, path, ("node", "contexts"), ())
    _refuse_repeated_keys(found["contexts"], f"{path}.contexts")
    return ClassRecord(
        checked_name(found["node"], f"{path}.node"),
        checked_class_contexts(found["contexts"], f"{path}.contexts"),
        f"{path}: ",
    )


def _refuse_repeated_keys(contexts: object, path: str) -> None:
    """Check that no context names a variable twice."""
    for i, context in enumerate(contexts if isinstance(contexts, list) else ()):
        if isinstance(context, JsonObject) and context.twice is not None:
            raise FormatError(f"{path}[{i}]: the key {context.twice!r} is given twice")
