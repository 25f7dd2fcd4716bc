"""One graph that stands for many: an acyclic one of the probable edges, with the probable labels."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

import numpy as np

from ldag.formats import Edge
from ldag.graph import LDAG
from ldag.model import CodedFamily, Grid, Partition, Structure
from ldag.reasoning import is_satisfied
from ldag.uncertainty.agreement import Agreement, EdgeChance

N = TypeVar("N", int, str)

MOST_EXACT = 12
"""Edges on cycles up to which the best acyclic choice is found by going through all."""


def probable_arcs(edges: Mapping[tuple[int, int], float], threshold: float) -> frozenset[tuple[int, int]]:
    """Return the acyclic set of edges with the largest sum of probability less threshold.

    If all edges above the threshold make no cycle they are the answer. Otherwise edges are left out: the best choice
    where few edges lie on cycles, and else those that close a cycle when edges are added from the most probable on.
    """
    wanted = sorted((e for e, p in edges.items() if p > threshold), key=lambda e: (-edges[e], e))
    on_cycles = [edge for edge in wanted if _reaches(wanted, edge[1], edge[0])]
    safe = [edge for edge in wanted if edge not in on_cycles]
    if len(on_cycles) > MOST_EXACT:
        return frozenset(drop_cycles([*safe, *on_cycles]))
    best: tuple[float, tuple[tuple[int, int], ...]] = (-1.0, ())
    for choice in range(1 << len(on_cycles)):
        chosen = tuple(edge for place, edge in enumerate(on_cycles) if choice >> place & 1)
        value = sum(edges[edge] - threshold for edge in chosen)
        if value > best[0] + 1e-12 and not any(_reaches(chosen, j, i) for i, j in chosen):
            best = value, chosen
    return frozenset([*safe, *best[1]])


def majority_arcs(names: Sequence[str], edges: Iterable[EdgeChance], threshold: float) -> list[Edge]:
    """Return the arcs of the pairs that are stronger than a threshold, without those that would close a cycle.

    The strongest come first, in the direction that more than half of them have. Pairs of which neither direction has
    more come last, in the order of the variables, or the other way round where that would close a cycle.
    """
    number = {name: place for place, name in enumerate(names)}
    strong = [edge for edge in edges if edge.strength > threshold + 1e-12]
    majority = [edge for edge in strong if edge.direction > 0.5 + 1e-12]
    decided = {frozenset((edge.parent, edge.child)) for edge in majority}
    undecided = [edge for edge in strong if frozenset((edge.parent, edge.child)) not in decided]
    undecided.sort(key=lambda edge: (-edge.strength, number[edge.parent], number[edge.child]))
    return drop_cycles([(edge.parent, edge.child) for edge in (*majority, *undecided)])


def drop_cycles(arcs: Iterable[tuple[N, N]]) -> list[tuple[N, N]]:
    """Return arcs in their order without those that close a cycle with some before them."""
    kept: list[tuple[N, N]] = []
    for arc in arcs:
        if not _reaches(kept, arc[1], arc[0]):
            kept.append(arc)
    return kept


def _reaches(arcs: Iterable[tuple[N, N]], start: N, goal: N) -> bool:
    """Whether there is a path of arcs from one node to another."""
    children: dict[N, list[N]] = {}
    for i, j in arcs:
        children.setdefault(i, []).append(j)
    reached, todo = {start}, [start]
    while todo:
        for child in children.get(todo.pop(), ()):
            if child == goal:
                return True
            if child not in reached:
                reached.add(child)
                todo.append(child)
    return False


def consensus_structure(
    n_states: tuple[int, ...],
    arcs: Iterable[tuple[int, int]],
    label_chance: Callable[[int, tuple[int, ...], int, int], float],
    threshold: float,
) -> Structure:
    """Return the structure of some arcs with the labels that are surer than a threshold.

    ``label_chance`` tells how sure a line is: of a node with these parents, by an axis and the number of the line.
    Where several labels together would make an edge vanish everywhere, the least sure are left out.
    """
    above: list[list[int]] = [[] for _ in n_states]
    for i, j in arcs:
        above[j].append(i)
    families = []
    for node, parents in enumerate(tuple(sorted(own)) for own in above):
        grid = Grid(tuple(n_states[parent] for parent in parents))
        places = [(axis, line) for axis, n in enumerate(grid.n_states) for line in range(grid.size // n)]
        chances = [label_chance(node, parents, *place) for place in places] if len(parents) > 1 else []
        sure = sorted((-chance, *place) for chance, place in zip(chances, places, strict=False) if chance > threshold)
        families.append(_label_family(parents, grid, [(axis, line) for _, axis, line in sure]))
    return Structure(n_states, tuple(families))


def _label_family(parents: tuple[int, ...], grid: Grid, lines: Iterable[tuple[int, int]]) -> CodedFamily:
    """Return a family with the labels of some lines, but for those that would make an edge vanish everywhere."""
    labels = [np.zeros(grid.size // n, dtype=np.bool_) for n in grid.n_states]
    for axis, line in lines:
        labels[axis][line] = True
        if Partition.from_labels(grid, labels).irrelevant_axes():
            labels[axis][line] = False
    if not any(label.any() for label in labels):
        return CodedFamily.table(parents, grid)
    return CodedFamily.from_partition(parents, Partition.from_labels(grid, labels))


class WeighedGraphs(Agreement):
    """Graphs over the same variables with a weight each: `Bootstrap` and `Mixture`."""

    @property
    def _weighed(self) -> Sequence[tuple[LDAG, float]]:
        """The graphs with what they weigh."""
        raise NotImplementedError

    @cached_property
    def _labelled(self) -> list[tuple[int, int, int, int]]:
        """Parent, child, another parent and its state wherever an edge has a label."""
        return sorted(
            {
                (family.parents[axis], node, other, code)
                for graph, _ in self._weighed
                for node, family in enumerate(graph.structure.families)
                for axis in family.labelled_axes
                for other in family.parents
                if other != family.parents[axis]
                for code in range(self.schema.n_states[other])
            }
        )

    def _label_candidates(self, threshold: float) -> list[tuple[int, int, int, int]]:
        del threshold  # few have labels at all
        return self._labelled

    def _weigh_label(self, i: int, j: int, context: Mapping[int, int]) -> tuple[float, float]:
        """Return what graphs weigh whose edge vanishes in a context, and those with the edge, as it was learned."""
        vanishing = joined = 0.0
        for graph, weight in self._weighed:
            family = graph.structure.families[j]
            if i in family.parents:
                joined += weight
                axis = family.parents.index(i)
                vanishing += weight if axis in family.labelled_axes and is_satisfied(family, axis, context) else 0
        return vanishing, joined

    def _consensus_above(self, threshold: float) -> LDAG:
        """Return the graph of the strong pairs, with the labels that most of the graphs with the edge have."""
        n_states = self.schema.n_states
        labelled = {(i, j) for i, j, _, _ in self._labelled}

        def chance(node: int, parents: tuple[int, ...], axis: int, line: int) -> float:
            if (parents[axis], node) not in labelled:
                return 0.0
            others = [parent for parent in parents if parent != parents[axis]]
            codes = np.unravel_index(line, [n_states[parent] for parent in others])
            context = dict(zip(others, map(int, codes), strict=True))
            vanishing, joined = self._weigh_label(parents[axis], node, context)
            return vanishing / joined if joined else 0.0

        arcs = [self._pair(*arc) for arc in majority_arcs(self.schema.names, self.edges, threshold)]
        return LDAG(self.schema, consensus_structure(n_states, arcs, chance, 0.5))
