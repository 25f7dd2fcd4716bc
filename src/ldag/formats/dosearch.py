"""The graphs of dosearch (R): edges with labels between binary variables, states 0 and 1 by their order; arcs.

dosearch writes what is set from outside into the graph: a node ``I_x -> x``, and ``I_x = 1`` in the labels of the other
edges into x. Here that is a question's ``do=``, so such nodes are left out: the graph is that of ``I_x = 0``.
"""

import re
from collections.abc import Collection
from dataclasses import replace

from ldag.errors import FormatError, argument, counted, list_names, tell
from ldag.formats.arcs import find_stateless_arcs, without_arcs
from ldag.formats.record import Carries, Context, EdgeRecord, Format, GraphRecord
from ldag.formats.record_checks import check_record
from ldag.formats.text import read_text

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_SET = "I_"
"""What the names of nodes begin with that say whether a variable is set from outside."""


def read_dosearch(text: str) -> GraphRecord:
    """Read a graph of dosearch without its nodes for what is set from outside, which is told."""
    record = read_text(text)
    children: dict[str, list[str]] = {variable.name: [] for variable in record.variables}
    for edge in record.edges:
        children[edge.parent].append(edge.child)
    roots = children.keys() - {edge.child for edge in record.edges}
    dropped = [name for name in children if name in roots and [f"{_SET}{child}" for child in children[name]] == [name]]
    if not dropped:
        return record
    nodes = counted(len(dropped), "intervention node")
    tell((f"{nodes} of dosearch left out: {list_names(dropped)}; {argument('do')} cuts the same edges",))
    return GraphRecord(
        tuple(variable for variable in record.variables if variable.name not in dropped),
        tuple(_leave_alone(edge, dropped) for edge in record.edges if edge.parent not in dropped),
        record.classes,
    )


def _leave_alone(edge: EdgeRecord, dropped: Collection[str]) -> EdgeRecord:
    """Return an edge with the label that it has while nothing is set from outside."""
    idle = (context for context in edge.label if all(context.get(name, 0) == 0 for name in dropped))
    label = ({name: state for name, state in context.items() if name not in dropped} for context in idle)
    return replace(edge, label=tuple(label), starred=edge.starred - set(dropped))


def write_dosearch(record: GraphRecord) -> str:
    """Write a graph for dosearch, which knows neither declarations nor states other than 0 and 1."""
    record = check_record(record)
    arcs = find_stateless_arcs(record)
    record = without_arcs(record, arcs)
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
    in_edges |= {name for ends in arcs.values() for name in ends}
    lines = [variable.name for variable in record.variables if variable.name not in in_edges]
    for edge in record.edges:
        label = "; ".join(_context(context, codes) for context in edge.label)
        lines.append(f"{edge.parent} -> {edge.child}" + (f" : {label}" if label else ""))
    return "\n".join([*lines, *arcs]) + "\n"


def _context(context: Context, codes: dict[str, dict[object, int]]) -> str:
    if not context:
        raise FormatError("dosearch cannot say that an edge never matters; take graph.regular() first")
    return ", ".join(f"{name} = {codes[name][state]}" for name, state in context.items())


FORMAT = Format(
    name="dosearch",
    title="dosearch",
    endings=(".dosearch",),
    used_by="dosearch (R)",
    carries=Carries(states="by number", latent="arcs only"),
    read=read_dosearch,
    write_graph=write_dosearch,
)
