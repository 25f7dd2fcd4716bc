"""CSI-equivalence of labelled DAGs: deciding it, and listing the equivalent graphs.

Two regular maximal LDAGs are CSI-equivalent iff their context graphs G(x_V) are Markov equivalent for every x_V
(the paper's theorem on CSI-equivalence). No enumeration of x_V is needed for that:

* The skeletons agree everywhere iff for every pair of nodes the contexts without an edge between them agree.
  As functions of the context these have a unique set of variables that matter, so they are compared as they stand.
* Given that, immoralities agree everywhere iff no triple i - j - k that meets head to head at j in only one of
  the DAGs is ever *open*: both edges present and i, k not joined. Two of the three edges of a triangle end in
  one child, so the question is whether two conditions on the parents of two nodes can hold together.

Nothing larger than the grid of one family is ever built. Comparing is about labels: structures with nodes listed by
`beyond_labels` are outside the theorem. Their equivalent graphs are listed all the same, by algebra.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ldag.model import Structure
from ldag.reasoning.markov import CodedEdge, cpdag
from ldag.reasoning.orientations import OrientationSearch
from ldag.reasoning.separation import CodedContext, ContextGraphs, common_context

MAX_STEPS = 100_000
"""How many partly directed graphs a search looks at before it gives up."""

MOST_LOOKED_AT = 1000
"""The same for a search around some nodes, and for each of the many that follow it."""


@dataclass(frozen=True)
class Difference:
    """A context in which two structures differ, and how.

    In every x_V that agrees with ``context``, the context graphs differ between ``nodes``: in whether an edge
    (i, j) is there, or in whether i -> j <- k is an immorality at (i, j, k). ``first`` and ``second`` are the edges
    among these nodes in the two context graphs. No part of ``context`` can be dropped.
    """

    kind: Literal["skeleton", "immorality"]
    nodes: tuple[int, ...]
    context: Mapping[int, int]
    first: frozenset[CodedEdge]
    second: frozenset[CodedEdge]


@dataclass(frozen=True)
class CodedEquivalenceClass:
    """Regular maximal structures that are CSI-equivalent, the one asked about first, and whether these are all."""

    members: tuple[Structure, ...]
    is_complete: bool


def beyond_labels(structure: Structure) -> tuple[int, ...]:
    """Return the nodes whose classes say more than their labels; equivalence is not decided for these."""
    return tuple(node for node, family in enumerate(structure.families) if not family.partition.is_csi_consistent)


def compare_structures(a: Structure, b: Structure) -> Difference | None:
    """Return None if the structures are CSI-equivalent, else a context in which they differ.

    Both must be over the same nodes and states, and told by their labels (see `beyond_labels`) unless they are
    equal in regular form.
    """
    assert a.n_states == b.n_states
    a, b = a.regular(), b.regular()
    if a == b:
        return None
    assert not beyond_labels(a)
    assert not beyond_labels(b)
    first, second = ContextGraphs(a), ContextGraphs(b)
    return _skeleton_difference(first, second) or _immorality_difference(first, second)


def equivalence_class(
    structure: Structure, limit: int, forbidden: Collection[CodedEdge] = (), max_steps: int = MAX_STEPS
) -> CodedEquivalenceClass:
    """List the regular maximal structures that say the same as a structure, at most ``limit`` of them.

    The structure's own regular form comes first; members have no ``forbidden`` arrows.
    """
    search = OrientationSearch(structure, forbidden)
    members: list[Structure] = []
    for member in search.members((), max_steps):
        if len(members) == limit:
            return CodedEquivalenceClass(tuple(members), False)
        members.append(member)
    return CodedEquivalenceClass(tuple(members), not search.left_out)


def essential_edges(
    structure: Structure, forbidden: Collection[CodedEdge] = (), max_steps: int = MAX_STEPS
) -> tuple[frozenset[CodedEdge], frozenset[CodedEdge]]:
    """Return the edges known to have one direction in every equivalent structure, and those that are not decided.

    Only structures without ``forbidden`` arrows count; the structure itself has none. Tables need no search: Meek's
    rules are complete. Otherwise each edge is turned around and one equivalent structure looked for, in at most
    ``max_steps`` steps.
    """
    structure = structure.regular()
    if structure.is_table:
        return cpdag([family.parents for family in structure.families], forbidden).directed, frozenset()
    search = OrientationSearch(structure, forbidden)
    essential = {edge for edge in search.structure.edges if search.is_forced(*edge)}
    undecided: set[CodedEdge] = set()
    candidates = dict.fromkeys(edge for edge in search.structure.edges if edge not in essential)
    while candidates:
        i, j = next(iter(candidates))
        del candidates[i, j]
        other = next(search.members([(j, i)], max_steps), None)
        if other is not None:
            turned = set(candidates) - set(other.edges)
            candidates = dict.fromkeys(edge for edge in candidates if edge not in turned)
            undecided -= {(b, a) for a, b in other.edges}
        elif search.left_out:
            undecided.add((i, j))
        else:
            essential.add((i, j))
    return frozenset(essential), frozenset(undecided)


@dataclass(frozen=True)
class PossibleParents:
    """The parents that some nodes have in equivalent structures, in turn, their own first; and if these are all."""

    sets: tuple[tuple[tuple[int, ...], ...], ...]
    is_complete: bool


def possible_parents(
    structure: Structure, nodes: Sequence[int], limit: int, forbidden: Collection[CodedEdge] = ()
) -> PossibleParents:
    """List the parents that some nodes can have together in equivalent structures without forbidden arrows.

    The class itself is not listed: all directions of the edges at these nodes are tried, and one member looked for.
    """
    search = OrientationSearch(structure, forbidden)
    sets = {tuple(search.structure.parents(node) for node in nodes): None}
    ways = list(search.arrows_at(nodes, MOST_LOOKED_AT))
    is_complete = not search.left_out
    for arrows in ways:
        parents = tuple(tuple(sorted({i for i, j in arrows if j == node})) for node in nodes)
        if parents in sets:
            continue
        if len(sets) == limit:
            return PossibleParents(tuple(sets), False)
        if search.has_member(arrows, MOST_LOOKED_AT):
            sets[parents] = None
        elif search.left_out:
            is_complete = False
    return PossibleParents(tuple(sets), is_complete)


def _skeleton_difference(first: ContextGraphs, second: ContextGraphs) -> Difference | None:
    """Find an edge that some context graph of only one structure has."""
    for i, j in sorted(first.arrow.keys() | second.arrow.keys()):
        p, q = first.absence(i, j), second.absence(i, j)
        context = common_context(p, ~q)
        if context is None:
            context = common_context(~p, q)
        if context is not None:
            return _difference("skeleton", (i, j), context, first, second)
    return None


def _immorality_difference(first: ContextGraphs, second: ContextGraphs) -> Difference | None:
    """Find an immorality that some context graph of only one structure has; the skeletons are known to agree."""
    for i, j, k in first.triples():
        if first.is_collider(i, j, k) != second.is_collider(i, j, k):
            context = first.opening(i, j, k)
            if context is not None:
                return _difference("immorality", (i, j, k), context, first, second)
    return None


def _difference(
    kind: Literal["skeleton", "immorality"],
    nodes: tuple[int, ...],
    context: CodedContext,
    first: ContextGraphs,
    second: ContextGraphs,
) -> Difference:
    """Say what the two context graphs are like where they differ."""
    edges = first.edges_among(nodes, context), second.edges_among(nodes, context)
    return Difference(kind, nodes, context, *edges)
