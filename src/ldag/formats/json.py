"""The JSON forms of graphs, networks and documents, described by ``docs/ldag.schema.json``; errors name their place.

A network is its graph and a table per node with a row per class: counts, beside the equivalent sample size and the
estimate that make probabilities of them, or the probabilities themselves.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from math import isfinite
from typing import cast, get_args

from ldag.errors import FormatError, suggest
from ldag.formats.record import (
    BranchRecord,
    Carries,
    ClassRecord,
    DocumentRecord,
    EdgeRecord,
    EMRecord,
    Estimate,
    Format,
    GraphRecord,
    NetworkRecord,
    QuestionRecord,
    TableRecord,
    TreeRecord,
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
    shorten,
)
from ldag.formats.words import read_int
from ldag.model import Schema, Spread, Variable

GRAPH_FORMAT = "ldag"
VERSION = 1
GRAPH_VERSION = 3
"""Version 2 may have latent variables, version 3 trees. What has none is written as the first that will do."""

NETWORK_FORMAT = "ldag-network"
NETWORK_VERSION = 3
"""Version 2 may have an origin, a spread and what EM did, version 3 parameters of leaves that learn from the nodes
above. What has none is written as the first that will do."""


NEWEST = {"mixture": 2, "posterior": 2}
"""Versions of documents that are not the first; in the second, the members of a mixture share families, and a posterior
of data with gaps has the graphs that were drawn."""


class JsonObject(dict[str, object]):
    """A JSON object that remembers whether a key stood in it twice."""

    def __init__(self, pairs: list[tuple[str, object]]) -> None:
        super().__init__(pairs)
        counts = Counter(key for key, _ in pairs) if len(self) < len(pairs) else {}
        self.twice = next((key for key, count in counts.items() if count > 1), None)


def parse_json(text: str) -> object:
    """Parse JSON; everything that can go wrong there is one error."""
    try:
        return json.loads(text, object_pairs_hook=JsonObject, parse_int=lambda digits: read_int(digits, ""))
    except json.JSONDecodeError as error:
        raise FormatError(
            f"line {error.lineno}, column {error.colno}: not valid JSON: {error.msg[0].lower()}{error.msg[1:]}"
        ) from None
    except RecursionError:
        raise FormatError("the JSON is nested too deeply") from None


def check_header(document: object, name: str, newest: int, path: str = "") -> JsonObject:
    """Check format and version first: another format or a newer version explains every other difference."""
    if not isinstance(document, JsonObject):
        place = f"{path}: " if path else ""
        raise FormatError(f'{place}expected an object with "format": "{name}", got {shorten(document)}')
    inside = f"{path}." if path else ""
    if document.get("format", name) != name:
        raise FormatError(f"{inside}format: expected {name!r}, got {shorten(document['format'])}")
    version = document.get("version", newest)
    if type(version) is not int or version < 1:
        raise FormatError(f"{inside}version: expected the whole number {newest}, got {shorten(version)}")
    if version > newest:
        raise FormatError(
            f"{inside}version: expected at most {newest}, got {shorten(version)}; a newer ldag can read it"
        )
    return document


def check_fields(item: object, path: str, required: Iterable[str], optional: Iterable[str]) -> Mapping[str, object]:
    """Return an object that has all the required keys and none that is unknown."""
    place = f"{path}: " if path else ""
    known = [*required, *optional]
    if not isinstance(item, JsonObject):
        raise FormatError(f"{place}expected an object with {', '.join(map(repr, known))}, got {shorten(item)}")
    if item.twice is not None:
        raise FormatError(f"{place}the key {item.twice!r} is given twice")
    for key in item:
        if key not in known:
            raise FormatError(f"{place}unknown key {key!r}{suggest(key, known)}")
    for key in required:
        if key not in item:
            raise FormatError(f"{place}the key {key!r} is missing")
    return item


def check_items(value: object, path: str) -> Iterable[tuple[str, object]]:
    """Return the items of a list, each with its path."""
    if not isinstance(value, list):
        raise FormatError(f"{path}: expected a list, got {shorten(value)}")
    return ((f"{path}[{i}]", item) for i, item in enumerate(value))


def graph_of(document: object, path: str = "") -> GraphRecord:
    """Read a parsed graph that stands at a place in its file."""
    version = check_header(document, GRAPH_FORMAT, GRAPH_VERSION, path).get("version")
    is_first = version == 1
    inside = f"{path}." if path else ""
    optional = ("classes", "trees") if version == GRAPH_VERSION else ("classes",)
    fields = check_fields(document, path, ("format", "version", "variables", "edges"), optional)
    return check_record(
        GraphRecord(
            tuple(
                variable_of(item, where, is_first)
                for where, item in check_items(fields["variables"], f"{inside}variables")
            ),
            tuple(_edge(item, where) for where, item in check_items(fields["edges"], f"{inside}edges")),
            tuple(_class(item, where) for where, item in check_items(fields.get("classes", []), f"{inside}classes")),
            tuple(_tree(item, where) for where, item in check_items(fields.get("trees", []), f"{inside}trees")),
        )
    )


def write_json(record: GraphRecord) -> str:
    """Write the JSON form; empty labels, undeclared states and absent classes are left out."""
    record = check_record(record)
    document: dict[str, object] = {
        "format": GRAPH_FORMAT,
        "version": 3 if record.trees else 2 if any(variable.latent for variable in record.variables) else 1,
        "variables": [variable_fields(variable) for variable in record.variables],
        "edges": [_edge_fields(edge) for edge in record.edges],
    }
    if record.classes:
        document["classes"] = [{"node": c.node, "contexts": list(c.contexts)} for c in record.classes]
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    if record.trees:
        trees = ",\n".join(map(_write_tree, record.trees))
        text = f'{text[:-2]},\n  "trees": [\n{trees}\n  ]\n}}'
    return text + "\n"


def variable_fields(variable: VariableRecord) -> dict[str, object]:
    """Return a variable as plain values."""
    fields: dict[str, object] = {"name": variable.name}
    if variable.states is not None:
        fields["states"] = list(variable.states)
    if variable.cuts:
        fields["cuts"] = list(variable.cuts)
    elif variable.ordered:
        fields["ordered"] = True
    if variable.latent:
        fields["latent"] = True
    return fields


def _edge_fields(edge: EdgeRecord) -> dict[str, object]:
    ends: dict[str, object] = {"parent": edge.parent, "child": edge.child}
    return ends | {"label": list(edge.label)} if edge.label else ends


def variable_of(item: object, path: str, is_first: bool = False) -> VariableRecord:
    """Read a variable that stands at a place in its file."""
    fields = check_fields(item, path, ("name",), ("states", "ordered", "cuts", "latent"))
    states = check_states(fields["states"], f"{path}.states") if "states" in fields else None
    if is_first and "latent" in fields:
        raise FormatError(f'{path}.latent: latent variables came with "version": 2; got version 1')
    return check_variable(
        VariableRecord(
            check_name(fields["name"], f"{path}.name"),
            states,
            f"{path}: ",
            _is_set(fields, "ordered", path),
            check_cuts_of(fields.get("cuts", []), f"{path}.cuts"),
            _is_set(fields, "latent", path),
        )
    )


def _is_set(fields: Mapping[str, object], key: str, path: str) -> bool:
    """Return whether something is said to be so; it is not if nothing is said."""
    value = fields.get(key, False)
    if not isinstance(value, bool):
        raise FormatError(f"{path}.{key}: expected true or false, got {shorten(value)}")
    return value


def _edge(item: object, path: str) -> EdgeRecord:
    fields = check_fields(item, path, ("parent", "child"), ("label",))
    label = fields.get("label", [])
    _refuse_repeated_keys(label, f"{path}.label")
    return EdgeRecord(
        check_name(fields["parent"], f"{path}.parent"),
        check_name(fields["child"], f"{path}.child"),
        check_contexts_of(label, f"{path}.label"),
        f"{path}: ",
    )


def _class(item: object, path: str) -> ClassRecord:
    fields = check_fields(item, path, ("node", "contexts"), ())
    _refuse_repeated_keys(fields["contexts"], f"{path}.contexts")
    return ClassRecord(
        check_name(fields["node"], f"{path}.node"),
        check_class_contexts(fields["contexts"], f"{path}.contexts"),
        f"{path}: ",
    )


def _write_tree(tree: TreeRecord) -> str:
    """Return a tree with one line per question."""
    lines = ",\n".join(f"        {_compact(_question_fields(question))}" for question in tree.questions)
    return f'    {{\n      "node": {_compact(tree.node)},\n      "questions": [\n{lines}\n      ]\n    }}'


def _question_fields(question: QuestionRecord) -> dict[str, object]:
    branches = [
        {"states": list(b.states), **({"class": b.number} if b.question is None else {"question": b.question})}
        for b in question.branches
    ]
    return {"ask": question.variable, "branches": branches}


def _tree(item: object, path: str) -> TreeRecord:
    fields = check_fields(item, path, ("node", "questions"), ())
    questions = tuple(_question(one, where) for where, one in check_items(fields["questions"], f"{path}.questions"))
    return TreeRecord(check_name(fields["node"], f"{path}.node"), questions, f"{path}: ")


def _question(item: object, path: str) -> QuestionRecord:
    fields = check_fields(item, path, ("ask", "branches"), ())
    branches = []
    for where, branch in check_items(fields["branches"], f"{path}.branches"):
        own = check_fields(branch, where, ("states",), ("question", "class"))
        numbers = []
        for key in ("question", "class"):
            number = own.get(key)
            if key in own and (not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 2**31):
                raise FormatError(f"{where}.{key}: expected a whole number, 0 or more, got {shorten(number)}")
            numbers.append(cast("int | None", number))
        branches.append(BranchRecord(check_states(own["states"], f"{where}.states"), *numbers))
    return QuestionRecord(check_name(fields["ask"], f"{path}.ask"), tuple(branches))


def _refuse_repeated_keys(contexts: object, path: str) -> None:
    """Check that no context names a variable twice."""
    for i, context in enumerate(contexts if isinstance(contexts, list) else ()):
        if isinstance(context, JsonObject) and context.twice is not None:
            raise FormatError(f"{path}[{i}]: the key {context.twice!r} is given twice")


ESTIMATES = get_args(Estimate)


def read_json(text: str) -> GraphRecord | NetworkRecord | DocumentRecord:
    """Read whatever kind of document is there, as its field "format" says; else it is a network or a graph."""
    content = parse_json(text)
    given = content.get("format") if isinstance(content, JsonObject) else None
    other = network_of if isinstance(content, JsonObject) and "parameters" in content else graph_of
    return next((kind.read for kind in KINDS if kind.format == given), other)(content)


def read_document_json(text: str, name: str) -> DocumentRecord:
    """Read a document of one kind."""
    content = parse_json(text)
    given = content.get("format") if isinstance(content, JsonObject) else None
    if given != f"ldag {name}":
        got = next((f"a {kind.name}" for kind in KINDS if kind.format == given), "something else")
        raise FormatError(f"expected a {name} that ldag wrote, got {got}")
    return _document_of(name, content)


def network_of(content: object) -> NetworkRecord:
    """Read a parsed network."""
    document = check_header(content, NETWORK_FORMAT, NETWORK_VERSION)
    learned = "equivalent_sample_size" in document or "estimate" in document
    parts = ("equivalent_sample_size", "estimate") if learned else ()
    version = document.get("version")
    optional = ("origin", *(("spread", "em") if learned else ())) if version != 1 else ()
    if version == NETWORK_VERSION and learned:
        optional = (*optional, "kappa")
    fields = check_fields(document, "", ("format", "version", "graph", "parameters", *parts), optional)
    origin = _origin(fields["origin"]) if "origin" in fields else None
    kind = "counts" if learned else "probabilities"
    graph = graph_of(fields["graph"], "graph")
    tables = tuple(_table(item, path, kind) for path, item in check_items(fields["parameters"], "parameters"))
    if not learned:
        return NetworkRecord(graph, tables, origin=origin)
    size = _number(fields["equivalent_sample_size"], "equivalent_sample_size")
    if size == 0:
        raise FormatError("equivalent_sample_size: expected a number above 0, got 0")
    estimate = fields["estimate"]
    if not isinstance(estimate, str) or estimate not in ESTIMATES:
        raise FormatError(f"estimate: expected {' or '.join(map(repr, ESTIMATES))}, got {shorten(estimate)}")
    spread = fields.get("spread", "configurations")
    if spread not in get_args(Spread):
        expected = " or ".join(map(repr, get_args(Spread)))
        raise FormatError(f"spread: expected {expected}, got {shorten(spread)}")
    em = _em(fields["em"]) if "em" in fields else None
    kappa = _number(fields["kappa"], "kappa") if "kappa" in fields else None
    if (estimate == "averaged") != (kappa is not None) or not 0 < (kappa or 1) <= 1:
        raise FormatError(
            f"kappa: expected a number above 0 and at most 1 where the estimate is 'averaged', got {kappa}"
        )
    return NetworkRecord(graph, tables, size, cast("Estimate", estimate), origin, cast("Spread", spread), em, kappa)


def write_network_json(record: NetworkRecord) -> str:
    """Write the JSON form, with one line per node's table."""
    kind = "probabilities" if record.equivalent_sample_size is None else "counts"
    is_old = record.origin is None and record.spread == "configurations" and record.em is None
    learns_from_above = record.spread == "nested" or record.kappa is not None
    version = 3 if learns_from_above else 1 if is_old else 2
    head: dict[str, object] = {"format": NETWORK_FORMAT, "version": version}
    if record.equivalent_sample_size is not None:
        head |= {"equivalent_sample_size": record.equivalent_sample_size, "estimate": record.estimate}
    if record.spread != "configurations":
        head["spread"] = record.spread
    if record.kappa is not None:
        head["kappa"] = record.kappa
    if record.em is not None:
        head["em"] = asdict(record.em)
    if record.origin is not None:
        head["origin"] = record.origin
    lines = [f"  {_compact(key)}: {_compact(value)}," for key, value in head.items()]
    graph = write_json(record.graph).rstrip().replace("\n", "\n  ")
    tables = [
        {"node": table.node, kind: [[_shortest(x) for x in row] for row in table.rows]} for table in record.tables
    ]
    rows = ",\n".join(f"    {_compact(table)}" for table in tables)
    return "\n".join(["{", *lines, f'  "graph": {graph},', '  "parameters": [', rows, "  ]", "}", ""])


def _em(value: object) -> EMRecord:
    """Return how parameters were estimated from data with gaps."""
    fields = check_fields(value, "em", ("log_likelihood", "objective", "converged", "n_iter", "starts"), ())
    converged, n_iter = fields["converged"], fields["n_iter"]
    if not isinstance(converged, bool):
        raise FormatError(f"em.converged: expected true or false, got {shorten(converged)}")
    if not isinstance(n_iter, int) or isinstance(n_iter, bool) or n_iter < 1:
        raise FormatError(f"em.n_iter: expected a whole number, 1 or more, got {shorten(n_iter)}")
    numbers = [_number(fields[name], f"em.{name}", may_be_negative=True) for name in ("log_likelihood", "objective")]
    starts = tuple(
        _number(item, path, may_be_negative=True) for path, item in check_items(fields["starts"], "em.starts")
    )
    return EMRecord(numbers[0], numbers[1], converged, n_iter, starts)


def _origin(value: object) -> dict[str, object]:
    """Return where a network comes from: any values by name, of which kappa must be one that can be used again."""
    if not isinstance(value, JsonObject):
        raise FormatError(f"origin: expected an object, got {shorten(value)}")
    kappa = value.get("kappa")
    if "kappa" in value and not (isinstance(kappa, int | float) and not isinstance(kappa, bool) and 0 < kappa <= 1):
        raise FormatError(f"origin.kappa: expected a number above 0 and at most 1, got {shorten(kappa)}")
    return dict(value)


def _table(item: object, path: str, kind: str) -> TableRecord:
    fields = check_fields(item, path, ("node", kind), ())
    rows = tuple(
        tuple(_number(value, place) for place, value in check_items(row, where))
        for where, row in check_items(fields[kind], f"{path}.{kind}")
    )
    return TableRecord(check_name(fields["node"], f"{path}.node"), rows, f"{path}: ")


def _number(value: object, path: str, may_be_negative: bool = False) -> float:
    """Return a number that is not infinite, nor negative unless it may be."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FormatError(f"{path}: expected a number, got {shorten(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if not (isfinite(number) and (number >= 0 or may_be_negative)):
        least = "" if may_be_negative else ", 0 or more"
        raise FormatError(f"{path}: expected a finite number{least}, got {shorten(value)}")
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
    return DocumentRecord(name, check_header(content, f"ldag {name}", NEWEST.get(name, VERSION)))


KINDS = (
    DocumentKind("graph", GRAPH_FORMAT, graph_of),
    DocumentKind("network", NETWORK_FORMAT, network_of),
    *(
        DocumentKind(name, f"ldag {name}", partial(_document_of, name))
        for name in ("posterior", "strata posterior", "bootstrap", "mixture", "stratified graph", "dynamic network")
    ),
)
"""Every kind of JSON document; the first is what a document without a format is taken for."""


def write_document_json(record: DocumentRecord) -> str:
    """Write a document, which says what it is and its version first."""
    head = {"format": f"ldag {record.kind}", "version": VERSION}
    return json.dumps({**head, **record.content}, ensure_ascii=False)


def write_variables(variables: Iterable[Variable]) -> list[dict[str, object]]:
    """Return variables as plain values, with what is known of their order and their cut points."""
    return [variable_fields(VariableRecord(v.name, v.states, "", v.ordered, v.cuts, v.latent)) for v in variables]


def read_variables(items: object) -> Schema:
    """Read what `write_variables` returns."""
    records = [variable_of(item, where) for where, item in check_items(items, "variables")]
    return Schema(tuple(Variable(v.name, v.states or (), v.ordered, v.cuts, v.latent) for v in records))


FORMAT = Format(
    name="json",
    title="JSON",
    endings=(".json",),
    used_by="ldag",
    carries=Carries(trees="yes", probabilities="yes", counts="yes", origin="yes"),
    read=read_json,
    write_graph=write_json,
    write_network=write_network_json,
)
