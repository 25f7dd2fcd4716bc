"""Strengths and directions of pairs over many graphs, and what is significant of them, by name."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Literal, NamedTuple

from ldag.drawing import Drawable
from ldag.formats import Edge, counted
from ldag.graph import LDAG
from ldag.model import find_cycle

Directions = Literal["cpdag", "essential", "dag"]
"""Which edges of a graph count for one direction only: see `bootstrap`."""


class EdgeStrength(NamedTuple):
    """How often two variables are joined, and how much of that counts for an edge from the first to the second."""

    parent: str
    child: str
    strength: float
    direction: float


class EdgeStrengths(tuple[EdgeStrength, ...], Drawable):
    """Every ordered pair, the strongest first: a tuple that draws itself as bars."""

    def __repr__(self) -> str:
        strong = sum(edge.strength > 0.5 for edge in self) // 2
        return f"<EdgeStrengths: {counted(len(self) // 2, 'pair')}, {strong} above 0.5>"


class DirectedGraph(NamedTuple):
    """A graph with those of its edges that point the way they do in every graph that says the same."""

    graph: LDAG
    firm: frozenset[Edge]


def direct_graph(graph: LDAG, directions: Directions, forbidden: Iterable[Edge] = ()) -> DirectedGraph:
    """Tell which edges are firm, where graphs with ``forbidden`` arrows do not count."""
    if directions == "dag":
        return DirectedGraph(graph, frozenset(graph.edges))
    if directions == "cpdag":
        return DirectedGraph(graph, graph.cpdag(forbidden=forbidden).directed)
    return DirectedGraph(graph, graph.edge_directions(forbidden).essential)


def average_firm(graphs: Iterable[tuple[DirectedGraph, int]]) -> dict[Edge, float]:
    """Return the share of graphs in which each arc is there and firm."""
    total: Counter[Edge] = Counter()
    n = 0
    for (_, firm), count in graphs:
        n += count
        total.update(dict.fromkeys(firm, count))
    return {edge: count / n for edge, count in total.items()}


def average_arcs(graphs: Iterable[tuple[DirectedGraph, int]]) -> dict[Edge, float]:
    """Return the share of graphs that have each arc; an edge that may point either way is half an arc each way."""
    total: dict[Edge, float] = {}
    n = 0
    for (graph, firm), count in graphs:
        n += count
        for edge in graph.edges:
            if edge in firm:
                total[edge] = total.get(edge, 0.0) + count
            else:
                for way in (edge, edge[::-1]):
                    total[way] = total.get(way, 0.0) + count / 2
    return {edge: count / n for edge, count in total.items()}


def edge_strengths(names: Sequence[str], arcs: Mapping[Edge, float]) -> EdgeStrengths:
    """Return every ordered pair, the strongest first; where two are never joined, the direction is 0."""
    found = []
    for a, b in combinations(names, 2):
        forth, back = arcs.get((a, b), 0.0), arcs.get((b, a), 0.0)
        strength = forth + back
        for parent, child, share in ((a, b, forth), (b, a, back)):
            found.append(EdgeStrength(parent, child, strength, share / strength if strength else 0.0))
    return EdgeStrengths(sorted(found, key=lambda edge: (-round(edge.strength, 12), -round(edge.direction, 12))))


def significance_threshold(strengths: Iterable[float]) -> float:
    """Return the strength above which pairs count as joined (Scutari and Nagarajan 2013, by the L1 norm).

    If it were known who is joined, strengths would be 0 or 1, and their distribution function F a constant t between 0
    and 1. The t that is nearest to F in the L1 norm is a median of F over (0, 1), which is F(1/2) as F never falls; the
    threshold is the quantile of t: the largest strength that is not above one half, or 0 if there is none.

    Examples
    --------
    >>> significance_threshold([0.0, 0.1, 0.42, 0.9, 1.0])
    0.42
    """
    return max((strength for strength in strengths if strength <= 0.5), default=0.0)


def consensus_arcs(names: Sequence[str], edges: Iterable[EdgeStrength], threshold: float) -> list[Edge]:
    """Return the arcs of the pairs that are stronger than a threshold, without those that would close a cycle.

    The strongest come first, in the direction that more than half of them have. Pairs of which neither direction has
    more come last, in the order of the variables, or the other way round where that would close a cycle.
    """
    number = {name: place for place, name in enumerate(names)}
    parents: list[list[int]] = [[] for _ in names]
    arcs: list[Edge] = []
    strong = [edge for edge in edges if edge.strength > threshold + 1e-12]
    majority = [edge for edge in strong if edge.direction > 0.5 + 1e-12]
    decided = {frozenset((edge.parent, edge.child)) for edge in majority}
    open_pairs = [edge for edge in strong if frozenset((edge.parent, edge.child)) not in decided]
    for edge in (*majority, *sorted(open_pairs, key=lambda e: (-e.strength, number[e.parent], number[e.child]))):
        arc = (edge.parent, edge.child)
        i, j = number[arc[0]], number[arc[1]]
        if arc[::-1] in arcs:
            continue
        parents[j].append(i)
        if find_cycle(parents) is None:
            arcs.append(arc)
        else:
            parents[j].pop()
    return arcs
