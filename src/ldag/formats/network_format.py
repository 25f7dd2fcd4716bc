"""The JSON form of a network: the JSON form of its graph, and a table per node with a row per class.

The tables are counts, beside the equivalent sample size and the estimate that make probabilities of them, or the
probabilities themselves. ``docs/ldag.schema.json`` describes it.
"""

import json
from math import isfinite
from typing import cast, get_args

from ldag.errors import FormatError
from ldag.formats.json_format import FORMAT, NETWORK_FORMAT, NETWORK_VERSION, graph_of, write_json
from ldag.formats.json_parts import JsonObject, checked_header, fields, items, parsed
from ldag.formats.parts import checked_name, shown
from ldag.record import Estimate, NetworkRecord, TableRecord

ESTIMATES = get_args(Estimate)


def holds_network(text: str) -> bool:
    """Tell whether a JSON text is that of a network, and not of a graph alone."""
    document = parsed(text)
    return isinstance(document, JsonObject) and document.get("format") == NETWORK_FORMAT


def read_network(text: str) -> NetworkRecord:
    """Read the JSON form; anything that it does not describe is refused."""
    content = parsed(text)
    if isinstance(content, JsonObject) and content.get("format") == FORMAT:
        raise FormatError("this is a graph without parameters; Network.from_data(LDAG.load(...), data) estimates them")
    document = checked_header(content, NETWORK_FORMAT, NETWORK_VERSION)
    learned = "equivalent_sample_size" in document or "estimate" in document
    parts = ("equivalent_sample_size", "estimate") if learned else ()
    found = fields(document, "", ("format", "version", "graph", "parameters", *parts), ())
    kind = "counts" if learned else "probabilities"
    graph = graph_of(found["graph"], "graph")
    tables = tuple(_table(item, path, kind) for path, item in items(found["parameters"], "parameters"))
    if not learned:
        return NetworkRecord(graph, tables)
    size = _number(found["equivalent_sample_size"], "equivalent_sample_size")
    if size == 0:
        raise FormatError("equivalent_sample_size: expected a number above 0, got 0")
    estimate = found["estimate"]
    if not isinstance(estimate, str) or estimate not in ESTIMATES:
        raise FormatError(f"estimate: expected {' or '.join(map(repr, ESTIMATES))}, got {shown(estimate)}")
    return NetworkRecord(graph, tables, size, cast("Estimate", estimate))


def write_network(record: NetworkRecord) -> str:
    """Write the JSON form, with one line per node's table."""
    kind = "probabilities" if record.equivalent_sample_size is None else "counts"
    head: dict[str, object] = {"format": NETWORK_FORMAT, "version": NETWORK_VERSION}
    if record.equivalent_sample_size is not None:
        head |= {"equivalent_sample_size": record.equivalent_sample_size, "estimate": record.estimate}
    lines = [f"  {_compact(key)}: {_compact(value)}," for key, value in head.items()]
    graph = write_json(record.graph).rstrip().replace("\n", "\n  ")
    tables = [
        {"node": table.node, kind: [[_shortest(x) for x in row] for row in table.rows]} for table in record.tables
    ]
    rows = ",\n".join(f"    {_compact(table)}" for table in tables)
    return "\n".join(["{", *lines, f'  "graph": {graph},', '  "parameters": [', rows, "  ]", "}", ""])


def _table(item: object, path: str, kind: str) -> TableRecord:
    found = fields(item, path, ("node", kind), ())
    rows = tuple(
        tuple(_number(value, place) for place, value in items(row, where))
        for where, row in items(found[kind], f"{path}.{kind}")
    )
    return TableRecord(checked_name(found["node"], f"{path}.node"), rows, f"{path}: ")


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
