"""CSI-equivalence on graphs small enough to follow by hand."""

from math import factorial

import numpy as np
import pytest

from ldag.model import CodedFamily, Grid, Partition, Structure
from ldag.reasoning import (
    Difference,
    beyond_labels,
    compare_structures,
    cpdag,
    equivalence_class,
    essential_edges,
    orientations,
)
from tests.oracle import equivalence as oracle

PERSON, GENDER, BADGE = range(3)
GUARD = oracle.structure_of((3, 2, 2), {GENDER: {PERSON: []}, BADGE: {PERSON: [], GENDER: [{PERSON: 1}, {PERSON: 2}]}})


def complete(n_nodes: int) -> Structure:
    """Return the complete graph, from small to large numbers."""
    return oracle.plain([2] * n_nodes, [range(j) for j in range(n_nodes)])


def chain(n_nodes: int) -> Structure:
    """Return the chain 0 -> 1 -> 2 -> ..."""
    return oracle.plain([2, 3] * n_nodes, [range(max(0, j - 1), j) for j in range(2 * n_nodes)])


def beyond() -> Structure:
    """Return 0 -> 2 <- 1 whose classes are the two diagonals of the grid, which no label can say."""
    grid = Grid((2, 2))
    diagonal = CodedFamily.from_partition((0, 1), Partition.of(grid, [0, 1, 1, 0]))
    root = CodedFamily.table((), Grid(()))
    return Structure((2, 2, 2), (root, root, diagonal))


def test_a_structure_is_equivalent_to_itself() -> None:
    """However its labels are written."""
    assert compare_structures(GUARD, GUARD) is None
    assert compare_structures(GUARD, GUARD.maximal()) is None


def test_label_survives_a_reversal() -> None:
    """Gender - badge turns around where person is a parent of its child; person's other edge is then free."""
    turned = oracle.structure_of(
        (3, 2, 2), {BADGE: {PERSON: []}, GENDER: {PERSON: [], BADGE: [{PERSON: 1}, {PERSON: 2}]}}
    )
    assert compare_structures(GUARD, turned) is None
    found = equivalence_class(GUARD, 10)
    assert {frozenset(member.edges) for member in found.members} == {
        frozenset({(PERSON, GENDER), (PERSON, BADGE), (GENDER, BADGE)}),
        frozenset({(GENDER, PERSON), (PERSON, BADGE), (GENDER, BADGE)}),
        frozenset({(PERSON, GENDER), (PERSON, BADGE), (BADGE, GENDER)}),
        frozenset({(PERSON, GENDER), (BADGE, PERSON), (BADGE, GENDER)}),
    }
    assert turned in found.members
    assert essential_edges(GUARD) == (frozenset(), frozenset())


def test_edge_in_some_contexts_only() -> None:
    """The witness names the one state in which only one graph has the edge."""
    fewer = oracle.structure_of((3, 2, 2), {GENDER: {PERSON: []}, BADGE: {PERSON: [], GENDER: [{PERSON: 1}]}})
    edge = frozenset({(GENDER, BADGE)})
    expected = Difference("skeleton", (GENDER, BADGE), {PERSON: 2}, frozenset(), edge)
    assert compare_structures(GUARD, fewer) == expected
    assert compare_structures(fewer, GUARD) == Difference("skeleton", (GENDER, BADGE), {PERSON: 2}, edge, frozenset())


def test_missing_edge_needs_no_context() -> None:
    """Skeletons that differ without any label differ everywhere."""
    a, b = oracle.plain((2, 2), [(), (0,)]), oracle.plain((2, 2), [(), ()])
    assert compare_structures(a, b) == Difference("skeleton", (0, 1), {}, frozenset({(0, 1)}), frozenset())


def test_missing_edge_with_a_label_shows_where_it_is_present() -> None:
    """An edge against none at all: the witness is a context in which the edge is there."""
    without = oracle.plain((3, 2, 2), [(), (PERSON,), (PERSON,)])
    edge = frozenset({(GENDER, BADGE)})
    assert compare_structures(GUARD, without) == Difference("skeleton", (GENDER, BADGE), {PERSON: 0}, edge, frozenset())


def test_full_label_is_no_edge() -> None:
    """Structures are compared in regular form."""
    vanishing = oracle.structure_of((2, 2, 2), {2: {0: [{}], 1: []}})
    assert compare_structures(vanishing, oracle.plain((2, 2, 2), [(), (), (1,)])) is None


def test_collider_against_chain_differs_without_context() -> None:
    """An ordinary immorality."""
    a, b = oracle.plain((2, 3, 4), [(), (0, 2), ()]), oracle.plain((2, 3, 4), [(), (0,), (1,)])
    expected = Difference("immorality", (0, 1, 2), {}, frozenset({(0, 1), (2, 1)}), frozenset({(0, 1), (1, 2)}))
    assert compare_structures(a, b) == expected


def test_immorality_in_one_context() -> None:
    """Nodes 1 and 2 are parents of 3 and joined unless node 0 is 1: turning 2 -> 3 shows only then."""
    above: dict[int, dict[int, list[dict[int, int]]]] = {1: {0: []}, 2: {0: [], 1: [{0: 1}]}}
    a = oracle.structure_of((2, 2, 2, 2), {**above, 3: {0: [], 1: [], 2: []}})
    b = oracle.structure_of((2, 2, 2, 2), {1: above[1], 2: {**above[2], 3: []}, 3: {0: [], 1: []}})
    assert compare_structures(a, b) == Difference(
        "immorality", (1, 3, 2), {0: 1}, frozenset({(1, 3), (2, 3)}), frozenset({(1, 3), (3, 2)})
    )


def test_parents_that_never_matter_together_are_no_immorality() -> None:
    """Node 0 chooses which of 1 and 2 matters to 3, so the edges 1 - 3 and 2 - 3 turn freely, labels and all."""
    collider = oracle.structure_of((2, 3, 2, 2), {1: {0: []}, 2: {0: []}, 3: {0: [], 1: [{0: 0}], 2: [{0: 1}]}})
    fork = oracle.structure_of((2, 3, 2, 2), {3: {0: []}, 1: {0: [], 3: [{0: 0}]}, 2: {0: [], 3: [{0: 1}]}})
    assert compare_structures(collider, fork) is None
    found = equivalence_class(collider, 100)
    assert found.is_complete
    assert fork in found.members


@pytest.mark.parametrize("n_nodes", range(1, 7))
def test_class_of_the_complete_graph(n_nodes: int) -> None:
    """Without labels every order of the nodes will do."""
    found = equivalence_class(complete(n_nodes), factorial(n_nodes))
    assert (len(set(found.members)), found.is_complete) == (factorial(n_nodes), True)


@pytest.mark.parametrize("half", range(1, 6))
def test_class_of_the_chain(half: int) -> None:
    """Without labels any node may be the root; no edge is essential."""
    found = equivalence_class(chain(half), 100)
    assert (len(set(found.members)), found.is_complete) == (2 * half, True)
    assert essential_edges(chain(half)) == (frozenset(), frozenset())


def test_class_starts_with_the_structure_itself() -> None:
    """In regular form, whatever else is found."""
    vanishing = oracle.structure_of((2, 2, 2), {2: {0: [{}], 1: []}})
    assert equivalence_class(vanishing, 1).members == (vanishing.regular(),)


def test_limit_bounds_the_members() -> None:
    """A class that does not fit says so; one that just fits is complete."""
    assert not equivalence_class(complete(4), 23).is_complete
    assert len(equivalence_class(complete(4), 23).members) == 23
    assert equivalence_class(complete(4), 24).is_complete


def test_steps_bound_the_search() -> None:
    """A search cut short says so, and calls no edge essential that it could not decide."""
    found = equivalence_class(complete(5), 1000, max_steps=10)
    assert found.members
    assert not found.is_complete
    above: dict[int, list[dict[int, int]]] = {0: [], 1: [], 2: [], 3: [{0: 1}]}
    labelled = oracle.structure_of([2] * 5, {j: {i: [] for i in range(j)} for j in range(4)} | {4: above})
    assert essential_edges(labelled) == (frozenset(), frozenset())
    assert essential_edges(labelled, max_steps=0) == (frozenset(), frozenset(labelled.edges))
    assert essential_edges(complete(5), max_steps=0) == (frozenset(), frozenset())  # tables need no search


def test_large_families_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the complete graph, node 2 alone may then have two parents; its own family is always allowed."""
    monkeypatch.setattr(orientations, "LARGEST_GRID", 2)
    found = equivalence_class(complete(3), 10)
    assert found.members == (complete(3), oracle.plain((2, 2, 2), [(1,), (), (0, 1)]))
    assert not found.is_complete
    assert essential_edges(GUARD) == (frozenset(), frozenset({(PERSON, BADGE), (GENDER, BADGE)}))


def test_essential_edges_without_labels_are_the_cpdag() -> None:
    """Markov equivalence is the case without labels."""
    for parents in oracle.all_dags(4):
        structure = oracle.plain((2, 3, 2, 2), parents)
        assert essential_edges(structure) == (cpdag(parents).directed, frozenset())


def test_beyond_labels_names_the_nodes() -> None:
    """Classes that no label can say are outside the theorem; equal structures are still equal."""
    assert beyond_labels(GUARD) == ()
    assert beyond_labels(beyond()) == (2,)
    assert compare_structures(beyond(), beyond()) is None
    assert compare_structures(beyond(), beyond().regular()) is None


def test_wide_labels_are_compared_without_a_joint_table() -> None:
    """Two children with fifteen parents each: only one family's grid is ever looked at."""
    left, right, hub = range(15), range(15, 30), 30
    labels = {
        31: {**{p: [] for p in left}, hub: [dict.fromkeys(left, 1)]},
        32: {**{p: [] for p in right}, hub: [dict.fromkeys(right, 0)], 31: []},
    }
    a = oracle.structure_of([2] * 33, labels)
    assert compare_structures(a, oracle.structure_of([2] * 33, labels)) is None
    labels[32][hub] = [dict.fromkeys(right, 1)]
    difference = compare_structures(a, oracle.structure_of([2] * 33, labels))
    assert difference is not None
    assert difference.nodes == (hub, 32)
    assert np.unique(list(difference.context.values())).size == 1
