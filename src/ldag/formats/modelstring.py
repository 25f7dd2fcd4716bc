"""Model strings of bnlearn (R): ``[A][B|A:C]``, the parents of every node and nothing else."""

import re

from ldag.errors import FormatError
from ldag.formats.record import Carries, EdgeRecord, Format, GraphRecord, VariableRecord
from ldag.formats.record_checks import check_record, shorten

_NODE = re.compile(r"\s*\[([^][|:]+)(?:\|([^][|]*))?\]")


def read_modelstring(text: str) -> GraphRecord:
    """Read a model string; no states are declared."""
    edges: list[EdgeRecord] = []
    names: list[str] = []
    position = 0
    while position < len(text.rstrip()):
        match = _NODE.match(text, position)
        line = text.count("\n", 0, position) + 1
        if match is None:
            rest = text[position : position + 20]
            raise FormatError(f"line {line}: expected a node such as [x] or [x|y:z], got {shorten(rest)}")
        position = match.end()
        node = match[1].strip()
        names.append(node)
        parents = [parent.strip() for parent in match[2].split(":")] if match[2] is not None else []
        edges += [EdgeRecord(parent, node, where=f"line {line}: ") for parent in parents]
    return check_record(GraphRecord(tuple(VariableRecord(name) for name in names), tuple(edges)))


def write_modelstring(record: GraphRecord) -> str:
    """Write the model string of a graph; labels and states are not in it."""
    record = check_record(record)
    for variable in record.variables:
        if re.search(r"[][|:\s]", variable.name):
            raise FormatError(f"bnlearn cannot name {variable.name!r} in a model string; rename it")
    parents = {v.name: [e.parent for e in record.edges if e.child == v.name] for v in record.variables}
    nodes = [f"[{name}|{':'.join(above)}]" if above else f"[{name}]" for name, above in parents.items()]
    return "".join(nodes) + "\n"


FORMAT = Format(
    name="modelstring",
    title="model string",
    endings=(".modelstring",),
    used_by="bnlearn (R)",
    carries=Carries(states="no", labels="no", latent="no"),
    read=read_modelstring,
    write_graph=write_modelstring,
)
