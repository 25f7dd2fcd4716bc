"""Arcs, ``x <-> y``: a latent variable without states that is a parent of both and nothing else.

Its name is the arc as the text form writes it, so that every format gives the arc back.
"""

from ldag.errors import FormatError
from ldag.formats.record import Edge, EdgeRecord, GraphRecord, VariableRecord
from ldag.formats.words import spell_name

ARC = "<->"
"""The sign between the two ends."""


def name_arc(first: str, second: str) -> str:
    """Return the name of the latent variable that an arc stands for.

    Examples
    --------
    >>> name_arc("x", "blood pressure")
    'x <-> "blood pressure"'
    """
    return f"{spell_name(first)} {ARC} {spell_name(second)}"


def make_arc(first: str, second: str, where: str = "") -> tuple[VariableRecord, tuple[EdgeRecord, EdgeRecord]]:
    """Return the latent variable that an arc stands for, and its two edges."""
    if first == second:
        raise FormatError(f"{where}an arc joins two variables, got {name_arc(first, second)}")
    name = name_arc(first, second)
    edges = EdgeRecord(name, first, where=where), EdgeRecord(name, second, where=where)
    return VariableRecord(name, where=where, latent=True), edges


def find_arcs(record: GraphRecord) -> dict[str, Edge]:
    """Return the latent variables of which an arc says all but the states, by name, with the two ends.

    Such a variable has the arc's name, no parents, two edges without labels, and no label or class speaks of it. Where
    both x <-> y and y <-> x are variables, neither is one: an arc has no direction.
    """
    told = {name for edge in record.edges for context in edge.label for name in context}
    told |= {name for item in record.classes for context in item.contexts for name in context}
    told |= {item.node for item in record.classes}
    told |= {edge.child for edge in record.edges} | {edge.parent for edge in record.edges if edge.label}
    ends: dict[str, list[str]] = {v.name: [] for v in record.variables if v.latent and v.name not in told}
    for edge in record.edges:
        if edge.parent in ends:
            ends[edge.parent].append(edge.child)
    names = {variable.name for variable in record.variables}
    arcs = {}
    for name, children in ends.items():
        if len(children) == 2:
            first, second = children
            for pair in ((first, second), (second, first)):
                if name == name_arc(*pair) and name_arc(*pair[::-1]) not in names:
                    arcs[name] = pair
    return arcs


def find_stateless_arcs(record: GraphRecord) -> dict[str, Edge]:
    """Return the arcs that can be written as such: nobody gave them states."""
    arcs = find_arcs(record)
    return {v.name: arcs[v.name] for v in record.variables if v.name in arcs and v.states is None}


def without_arcs(record: GraphRecord, arcs: dict[str, Edge]) -> GraphRecord:
    """Return a record without the variables and edges that arcs stand for."""
    return GraphRecord(
        tuple(v for v in record.variables if v.name not in arcs),
        tuple(edge for edge in record.edges if edge.parent not in arcs),
        record.classes,
    )


def refuse_labelled(first: str, second: str, where: str) -> FormatError:
    """Say why an arc carries no label, and what can be written."""
    a, b = spell_name(first), spell_name(second)
    return FormatError(
        f"{where}{name_arc(first, second)} carries no label: it stands for a latent cause L of both, and a label on"
        f" L -> {a} says something else than one on L -> {b}; write 'latent L', 'L -> {a}' and 'L -> {b}', and the"
        " label after the edge that vanishes"
    )
