"""One graph that stands for many: the acyclic graph of the probable edges, with the probable labels."""

from collections.abc import Iterable, Mapping, Sequence

Edges = Mapping[tuple[int, int], float]
"""Probabilities of edges (from, to)."""

MOST_EXACT = 12
"""Edges on cycles up to which the best acyclic choice is found by going through all."""


def consensus_edges(n_nodes: int, edges: Edges, threshold: float) -> frozenset[tuple[int, int]]:
    """Return the acyclic set of edges with the largest sum of probability less threshold.

    If all edges above the threshold make no cycle they are the answer. Otherwise edges are left out: the best choice
    where few edges lie on cycles, and else those that close a cycle when edges are added from the most probable on.
    """
    wanted = sorted((e for e, p in edges.items() if p > threshold), key=lambda e: (-edges[e], e))
    on_cycles = [edge for edge in wanted if _reaches(n_nodes, wanted, edge[1], edge[0])]
    if not on_cycles:
        return frozenset(wanted)
    safe = [edge for edge in wanted if edge not in on_cycles]
    if len(on_cycles) > MOST_EXACT:
        kept: list[tuple[int, int]] = list(safe)
        for edge in on_cycles:
            if not _reaches(n_nodes, kept, edge[1], edge[0]):
                kept.append(edge)
        return frozenset(kept)
    best: tuple[float, tuple[tuple[int, int], ...]] = (-1.0, ())
    for choice in range(1 << len(on_cycles)):
        chosen = tuple(edge for place, edge in enumerate(on_cycles) if choice >> place & 1)
        value = sum(edges[edge] - threshold for edge in chosen)
        if value > best[0] + 1e-12 and not any(_reaches(n_nodes, chosen, j, i) for i, j in chosen):
            best = value, chosen
    return frozenset([*safe, *best[1]])


def _reaches(n_nodes: int, edges: Iterable[tuple[int, int]], start: int, goal: int) -> bool:
    """Whether there is a path of edges from one node to another."""
    children: Sequence[list[int]] = [[] for _ in range(n_nodes)]
    for i, j in edges:
        children[i].append(j)
    reached, todo = {start}, [start]
    while todo:
        for child in children[todo.pop()]:
            if child == goal:
                return True
            if child not in reached:
                reached.add(child)
                todo.append(child)
    return False
