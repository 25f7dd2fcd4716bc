"""The graphs of dosearch (R): edges with labels between binary variables, states 0 and 1 by their order."""

import re

from ldag.errors import FormatError
from ldag.formats.record import Carries, Context, Format, GraphRecord
from ldag.formats.record_checks import check_record
from ldag.formats.text import read_text

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def write_dosearch(record: GraphRecord) -> str:
    """Write a graph for dosearch, which knows neither declarations nor states other than 0 and 1."""
    record = check_record(record)
    codes: dict[str, dict[object, int]] = {}
    for variable in record.variables:
        if not _NAME.fullmatch(variable.name):
            raise FormatError(
                f"dosearch cannot name {variable.name!r}; rename it with letters, digits and underscores only"
            )
        states = variable.states or (0, 1)
        if len(states) != 2:
            raise FormatError(f"dosearch knows two states per variable, and {variable.name!r} has {len(states)}")
        codes[variable.name] = {state: code for code, state in enumerate(states)}
    if record.classes:
        raise FormatError(f"dosearch knows labels only, and {record.classes[0].node!r} has classes beyond them")
    in_edges = {name for edge in record.edges for name in (edge.parent, edge.child)}
    lines = [variable.name for variable in record.variables if variable.name not in in_edges]
    for edge in record.edges:
        label = "; ".join(_context(context, codes) for context in edge.label)
        lines.append(f"{edge.parent} -> {edge.child}" + (f" : {label}" if label else ""))
    return "\n".join(lines) + "\n"


def _context(context: Context, codes: dict[str, dict[object, int]]) -> str:
    if not context:
        raise FormatError("dosearch cannot say that an edge never matters; take graph.regular() first")
    return ", ".join(f"{name} = {codes[name][state]}" for name, state in context.items())


FORMAT = Format(
    name="dosearch",
    title="dosearch",
    endings=(".dosearch",),
    used_by="dosearch (R)",
    carries=Carries(states="by number", latent="no"),
    read=read_text,
    write_graph=write_dosearch,
)
