"""The JSON form of a graph, described by ``docs/ldag.schema.json``; an error names the place as ``edges[2].label``."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping

from ldag.errors import FormatError, suggest
from ldag.formats.parts import (
    checked_class_contexts,
    checked_contexts,
    checked_name,
    checked_record,
    checked_states,
    shown,
)
from ldag.formats.spelling import read_int
from ldag.record import ClassRecord, EdgeRecord, GraphRecord, VariableRecord

FORMAT = "ldag"
VERSION = 1


def read_json(text: str) -> GraphRecord:
    """Read the JSON form; anything that it does not describe is refused."""
    document = _checked_header(_parsed(text))
    fields = _fields(document, "", ("format", "version", "variables", "edges"), ("classes",))
    return checked_record(
        GraphRecord(
            tuple(_variable(item, path) for path, item in _items(fields["variables"], "variables")),
            tuple(_edge(item, path) for path, item in _items(fields["edges"], "edges")),
            tuple(_class(item, path) for path, item in _items(fields.get("classes", []), "classes")),
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


class _Object(dict[str, object]):
    """A JSON object that remembers whether a key stood in it twice."""

    def __init__(self, pairs: list[tuple[str, object]]) -> None:
        super().__init__(pairs)
        counts = Counter(key for key, _ in pairs)
        self.twice = next((key for key, count in counts.items() if count > 1), None)


def _parsed(text: str) -> object:
    """Parse JSON; everything that can go wrong there is one error."""
    try:
        return json.loads(text, object_pairs_hook=_Object, parse_int=lambda digits: read_int(digits, ""))
    except json.JSONDecodeError as error:
        raise FormatError(
            f"line {error.lineno}, column {error.colno}: not valid JSON: {error.msg[0].lower()}{error.msg[1:]}"
        ) from None
    except RecursionError:
        raise FormatError("not a graph: the JSON is nested too deeply") from None


def _checked_header(document: object) -> _Object:
    """Check format and version first: another format or a newer version explains every other difference."""
    if not isinstance(document, _Object):
        raise FormatError(f'expected an object with "format": "{FORMAT}", got {shown(document)}')
    if document.get("format", FORMAT) != FORMAT:
        raise FormatError(f"format: expected {FORMAT!r}, got {shown(document['format'])}")
    version = document.get("version", VERSION)
    if type(version) is not int or version < 1:
        raise FormatError(f"version: expected the whole number {VERSION}, got {shown(version)}")
    if version > VERSION:
        raise FormatError(f"version: expected at most {VERSION}, got {shown(version)}; a newer ldag can read it")
    return document


def _fields(item: object, path: str, required: Iterable[str], optional: Iterable[str]) -> Mapping[str, object]:
    """Return an object that has all the required keys and none that is unknown."""
    place = f"{path}: " if path else ""
    known = [*required, *optional]
    if not isinstance(item, _Object):
        raise FormatError(f"{place}expected an object with {', '.join(map(repr, known))}, got {shown(item)}")
    if item.twice is not None:
        raise FormatError(f"{place}the key {item.twice!r} is given twice")
    for key in item:
        if key not in known:
            raise FormatError(f"{place}unknown key {key!r}{suggest(key, known)}")
    for key in required:
        if key not in item:
            raise FormatError(f"{place}the key {key!r} is missing")
    return item


def _items(value: object, path: str) -> Iterable[tuple[str, object]]:
    """Return the items of a list, each with its path."""
    if not isinstance(value, list):
        raise FormatError(f"{path}: expected a list, got {shown(value)}")
    return ((f"{path}[{i}]", item) for i, item in enumerate(value))


def _variable(item: object, path: str) -> VariableRecord:
    fields = _fields(item, path, ("name",), ("states",))
    states = checked_states(fields["states"], f"{path}.states") if "states" in fields else None
    return VariableRecord(checked_name(fields["name"], f"{path}.name"), states, f"{path}: ")


def _edge(item: object, path: str) -> EdgeRecord:
    fields = _fields(item, path, ("parent", "child"), ("label",))
    label = fields.get("label", [])
    _refuse_repeated_keys(label, f"{path}.label")
    return EdgeRecord(
        checked_name(fields["parent"], f"{path}.parent"),
        checked_name(fields["child"], f"{path}.child"),
        checked_contexts(label, f"{path}.label"),
        f"{path}: ",
    )


def _class(item: object, path: str) -> ClassRecord:
    fields = _fields(item, path, ("node", "contexts"), ())
    _refuse_repeated_keys(fields["contexts"], f"{path}.contexts")
    return ClassRecord(
        checked_name(fields["node"], f"{path}.node"),
        checked_class_contexts(fields["contexts"], f"{path}.contexts"),
        f"{path}: ",
    )


def _refuse_repeated_keys(contexts: object, path: str) -> None:
    """Check that no context names a variable twice."""
    for i, context in enumerate(contexts if isinstance(contexts, list) else ()):
        if isinstance(context, _Object) and context.twice is not None:
            raise FormatError(f"{path}[{i}]: the key {context.twice!r} is given twice")
