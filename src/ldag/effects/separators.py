"""Smallest sets that separate two sets of nodes in a mixed graph, by a largest flow between them."""

from collections.abc import Iterable, Mapping

from ldag.effects.mixed_graphs import MixedGraph, NodeSet, m_separated

Gate = tuple[int, bool]
"""A node, and whether one stands behind it: passing it is what a separating set forbids."""


def smallest_separator(
    graph: MixedGraph, a: NodeSet, b: NodeSet, given: NodeSet, allowed: Iterable[int]
) -> NodeSet | None:
    """Return the smallest set of allowed nodes that, with what is given, m-separates two sets; of several that near a.

    It is a smallest cut of the moral graph of their ancestors: nodes that a separating set needs lie above one of them.
    """
    above = graph.ancestors(a | b | given)
    narrow = (above & frozenset(allowed)) - a - b - given
    if not m_separated(graph, a, b, given | narrow):
        return None
    neighbours = _moral_neighbours(graph.subgraph(above), given)
    flow: dict[tuple[Gate, Gate], int] = {}
    while True:
        before = _search(neighbours, narrow, flow, a, b)
        end = next(((node, False) for node in sorted(b) if (node, False) in before), None)
        if end is None:
            return frozenset(v for v in narrow if (v, False) in before and (v, True) not in before)
        while (start := before[end]) is not None:
            back = flow.get((end, start), 0)
            flow[end, start] = max(back - 1, 0)
            flow[start, end] = flow.get((start, end), 0) + (not back)
            end = start


def _moral_neighbours(graph: MixedGraph, given: NodeSet) -> dict[int, NodeSet]:
    """Return who is next to whom when each district and its parents are joined, without what is given."""
    neighbours: dict[int, set[int]] = {node: set() for node in graph.nodes - given}
    for district in graph.districts():
        joined = (district | graph.parents_of(district)) - given
        for node in joined:
            neighbours[node] |= joined
    return {node: frozenset(near - {node}) for node, near in neighbours.items()}


def _search(
    neighbours: Mapping[int, NodeSet],
    narrow: NodeSet,
    flow: Mapping[tuple[Gate, Gate], int],
    a: NodeSet,
    b: NodeSet,
) -> dict[Gate, Gate | None]:
    """Return the gates to which more can flow, each with the one before it; the search ends at the first of b."""
    before: dict[Gate, Gate | None] = {(node, True): None for node in sorted(a)}
    todo = list(before)
    for gate in todo:
        node, is_behind = gate
        if node in b:
            break
        steps = [(near, False) for near in sorted(neighbours[node])] if is_behind else [(node, True)]
        returns = [(node, False)] if is_behind else [(near, True) for near in sorted(neighbours[node])]
        if not is_behind and node in narrow and flow.get((gate, (node, True)), 0):
            steps = []
        for step in (*steps, *(back for back in returns if flow.get((back, gate), 0))):
            if step not in before:
                before[step] = gate
                todo.append(step)
    return before
