"""The JSON forms of a graph and of a network, described by ``docs/ldag.schema.json``; errors name their place.

A network is its graph and a table per node with a row per class: counts, beside the equivalent sample size and the
estimate that make probabilities of them, or the probabilities themselves.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import cast, get_args

from ldag.errors import FormatError
from ldag.formats.contract import Carries, Format, check_model
from ldag.formats.json_parts import JsonObject, check_fields, check_header, check_items, parse_json
from ldag.formats.record import (
    ClassRecord,
    DocumentRecord,
    EdgeRecord,
    Estimate,
    GraphRecord,
    NetworkRecord,
    TableRecord,
    TabularRecord,
    VariableRecord,
)
from ldag.formats.record_checks import (
    check_class_contexts,
    check_contexts_of,
    check_cuts_of,
    check_name,
    check_record,
    check_states,
    check_variable,
    shown,
)
from ldag.model import Schema, Spread, Variable

GRAPH_FORMAT = "ldag"
VERSION = 1
NETWORK_FORMAT = "ldag-network"
NETWORK_VERSION = 2
"""Version 2 may have an origin and a spread. What has none is written as version 1, which every release reads."""


def read_json(text: str) -> GraphRecord:
    """Read the JSON form, or take the graph of a network; anything that the form does not describe is refused."""
    record = check_model(read_any_json(text))
    assert not isinstance(record, TabularRecord)
    return record.graph if isinstance(record, NetworkRecord) else record


def graph_of(document: object, path: str = "") -> GraphRecord:
    """Read a parsed graph that stands at a place in its file."""
    check_header(document, GRAPH_FORMAT, VERSION, path)
    inside = f"{path}." if path else ""
    found = check_fields(document, path, ("format", "version", "variables", "edges"), ("classes",))
    return check_record(
        GraphRecord(
            tuple(_variable(item, where) for where, item in check_items(found["variables"], f"{inside}variables")),
            tuple(_edge(item, where) for where, item in check_items(found["edges"], f"{inside}edges")),
            tuple(_class(item, where) for where, item in check_items(found.get("classes", []), f"{inside}classes")),
        )
    )


def write_json(record: GraphRecord) -> str:
    """Write the JSON form; empty labels, undeclared states and absent classes are left out."""
    record = check_record(record)
    document: dict[str, object] = {
        "format": GRAPH_FORMAT,
        "version": VERSION,
        "variables": [_variable_fields(variable) for variable in record.variables],
        "edges": [_edge_fields(edge) for edge in record.edges],
    }
    if record.classes:
        document["classes"] = [{"node": c.node, "contexts": list(c.contexts)} for c in record.classes]
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _variable_fields(variable: VariableRecord) -> dict[str, object]:
    fields: dict[str, object] = {"name": variable.name}
    if variable.states is not None:
        fields["states"] = list(variable.states)
    if variable.cuts:
        fields["cuts"] = list(variable.cuts)
    elif variable.ordered:
        fields["ordered"] = True
    return fields


def _edge_fields(edge: EdgeRecord) -> dict[str, object]:
    ends: dict[str, object] = {"parent": edge.parent, "child": edge.child}
    return ends | {"label": list(edge.label)} if edge.label else ends


def _variable(item: object, path: str) -> VariableRecord:
    found = check_fields(item, path, ("name",), ("states", "ordered", "cuts"))
    states = check_states(found["states"], f"{path}.states") if "states" in found else None
    ordered = found.get("ordered", False)
    if not isinstance(ordered, bool):
        raise FormatError(f"{path}.ordered: expected true or false, got {shown(ordered)}")
    return check_variable(
        VariableRecord(
            check_name(found["name"], f"{path}.name"),
            states,
            f"{path}: ",
            ordered,
            check_cuts_of(found.get("cuts", []), f"{path}.cuts"),
        )
    )


def _edge(item: object, path: str) -> EdgeRecord:
    found = check_fields(item, path, ("parent", "child"), ("label",))
    label = found.get("label", [])
    _refuse_repeated_keys(label, f"{path}.label")
    return EdgeRecord(
        check_name(found["parent"], f"{path}.parent"),
        check_name(found["child"], f"{path}.child"),
        check_contexts_of(label, f"{path}.label"),
        f"{path}: ",
    )


def _class(item: object, path: str) -> ClassRecord:
    found = check_fields(item, path, ("node", "contexts"), ())
    _refuse_repeated_keys(found["contexts"], f"{path}.contexts")
    return ClassRecord(
        check_name(found["node"], f"{path}.node"),
        check_class_contexts(found["contexts"], f"{path}.contexts"),
        f"{path}: ",
    )


def _refuse_repeated_keys(contexts: object, path: str) -> None:
    """Check that no context names a variable twice."""
    for i, context in enumerate(contexts if isinstance(contexts, list) else ()):
        if isinstance(context, JsonObject) and context.twice is not None:
            raise FormatError(f"{path}[{i}]: the key {context.twice!r} is given twice")


ESTIMATES = get_args(Estimate)


def read_any_json(text: str) -> GraphRecord | NetworkRecord | DocumentRecord:
    """Read whatever kind of document is there, as its field "format" says; without one it is a graph."""
    content = parse_json(text)
    given = content.get("format") if isinstance(content, JsonObject) else None
    return next((kind for kind in KINDS if kind.format == given), KINDS[0]).read(content)


def read_document_json(text: str, name: str) -> DocumentRecord:
    """Read a document of one kind."""
    content = parse_json(text)
    given = content.get("format") if isinstance(content, JsonObject) else None
    if given != f"ldag {name}":
        got = next((f"a {kind.name}" for kind in KINDS if kind.format == given), "something else")
        raise FormatError(f"expected a {name} that ldag wrote, got {got}")
    return _document_of(name, content)


def read_network_json(text: str) -> NetworkRecord:
    """Read the JSON form; anything that it does not describe is refused."""
    content = parse_json(text)
    if isinstance(content, JsonObject) and content.get("format") == GRAPH_FORMAT:
        raise FormatError("this is a graph without parameters; Network.from_data(LDAG.load(...), data) estimates them")
    return network_of(content)


def network_of(content: object) -> NetworkRecord:
    """Read a parsed network."""
    document = check_header(content, NETWORK_FORMAT, NETWORK_VERSION)
    learned = "equivalent_sample_size" in document or "estimate" in document
    parts = ("equivalent_sample_size", "estimate") if learned else ()
    optional = ("origin", *(("spread",) if learned else ())) if document.get("version") != 1 else ()
    found = check_fields(document, "", ("format", "version", "graph", "parameters", *parts), optional)
    origin = _origin(found["origin"]) if "origin" in found else None
    kind = "counts" if learned else "probabilities"
    graph = graph_of(found["graph"], "graph")
    tables = tuple(_table(item, path, kind) for path, item in check_items(found["parameters"], "parameters"))
    if not learned:
        return NetworkRecord(graph, tables, origin=origin)
    size = _number(found["equivalent_sample_size"], "equivalent_sample_size")
    if size == 0:
        raise FormatError("equivalent_sample_size: expected a number above 0, got 0")
    estimate = found["estimate"]
    if not isinstance(estimate, str) or estimate not in ESTIMATES:
        raise FormatError(f"estimate: expected {' or '.join(map(repr, ESTIMATES))}, got {shown(estimate)}")
    spread = found.get("spread", "configurations")
    if spread not in get_args(Spread):
        expected = " or ".join(map(repr, get_args(Spread)))
        raise FormatError(f"spread: expected {expected}, got {shown(spread)}")
    return NetworkRecord(graph, tables, size, cast("Estimate", estimate), origin, cast("Spread", spread))


def write_network_json(record: NetworkRecord) -> str:
    """Write the JSON form, with one line per node's table."""
    kind = "probabilities" if record.equivalent_sample_size is None else "counts"
    is_old = record.origin is None and record.spread == "configurations"
    head: dict[str, object] = {"format": NETWORK_FORMAT, "version": 1 if is_old else NETWORK_VERSION}
    if record.equivalent_sample_size is not None:
        head |= {"equivalent_sample_size": record.equivalent_sample_size, "estimate": record.estimate}
    if record.spread != "configurations":
        head["spread"] = record.spread
    if record.origin is not None:
        head["origin"] = record.origin
    lines = [f"  {_compact(key)}: {_compact(value)}," for key, value in head.items()]
    graph = write_json(record.graph).rstrip().replace("\n", "\n  ")
    tables = [
        {"node": table.node, kind: [[_shortest(x) for x in row] for row in table.rows]} for table in record.tables
    ]
    rows = ",\n".join(f"    {_compact(table)}" for table in tables)
    return "\n".join(["{", *lines, f'  "graph": {graph},', '  "parameters": [', rows, "  ]", "}", ""])


def _origin(value: object) -> dict[str, object]:
    """Return where a network comes from: any values by name, of which kappa must be one that can be used again."""
    if not isinstance(value, JsonObject):
        raise FormatError(f"origin: expected an object, got {shown(value)}")
    kappa = value.get("kappa")
    if "kappa" in value and not (isinstance(kappa, int | float) and not isinstance(kappa, bool) and 0 < kappa <= 1):
        raise FormatError(f"origin.kappa: expected a number above 0 and at most 1, got {shown(kappa)}")
    return dict(value)


def _table(item: object, path: str, kind: str) -> TableRecord:
    found = check_fields(item, path, ("node", kind), ())
    rows = tuple(
        tuple(_number(value, place) for place, value in check_items(row, where))
        for where, row in check_items(found[kind], f"{path}.{kind}")
    )
    return TableRecord(check_name(found["node"], f"{path}.node"), rows, f"{path}: ")


def _number(value: object, path: str) -> float:
    """Return a number that is neither negative nor infinite."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FormatError(f"{path}: expected a number, got {shown(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if not (isfinite(number) and number >= 0):
        raise FormatError(f"{path}: expected a finite number, 0 or more, got {shown(value)}")
    return number


def _shortest(number: float) -> float:
    """Return a whole number as such: 12 and not 12.0."""
    return int(number) if number.is_integer() and number < 1 << 53 else number


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


@dataclass(frozen=True)
class DocumentKind:
    """A kind of JSON document: its name, what its field "format" says, and how it is read."""

    name: str
    format: str
    read: Callable[[object], GraphRecord | NetworkRecord | DocumentRecord]


def _document_of(name: str, content: object) -> DocumentRecord:
    """Take a document as it is, if this program can know its version; whoever asked for it looks inside."""
    return DocumentRecord(name, check_header(content, f"ldag {name}", VERSION))


KINDS = (
    DocumentKind("graph", GRAPH_FORMAT, graph_of),
    DocumentKind("network", NETWORK_FORMAT, network_of),
    *(
        DocumentKind(name, f"ldag {name}", partial(_document_of, name))
        for name in ("posterior", "bootstrap", "mixture")
    ),
)
"""Every kind of JSON document; the first is what a document without a format is taken for."""


def write_document_json(record: DocumentRecord) -> str:
    """Write a document, which says what it is and its version first."""
    head = {"format": f"ldag {record.kind}", "version": VERSION}
    return json.dumps({**head, **record.content}, ensure_ascii=False)


def write_variables(variables: Iterable[Variable]) -> list[dict[str, object]]:
    """Return variables as plain values, with what is known of their order and their cut points."""
    return [_variable_fields(VariableRecord(v.name, v.states, "", v.ordered, v.cuts)) for v in variables]


def read_variables(items: object) -> Schema:
    """Read what `write_variables` returns."""
    records = [_variable(item, where) for where, item in check_items(items, "variables")]
    return Schema(tuple(Variable(v.name, v.states or (), v.ordered, v.cuts) for v in records))


FORMAT = Format(
    name="json",
    title="JSON",
    endings=(".json",),
    used_by="ldag",
    carries=Carries(probabilities="yes", counts="yes", origin="yes"),
    read=read_any_json,
    write_graph=write_json,
    write_network=write_network_json,
)
