"""Markov equivalence of ordinary DAGs, against d-separation and against all members of a class."""

import pytest

from ldag.reasoning import CodedCpdag, cpdag, markov_equivalent
from ldag.reasoning.markov import immoralities, skeleton
from tests.oracle import equivalence as oracle

CHAIN = ((), (0,), (1,))
FORK = ((1,), (), (1,))
COLLIDER = ((), (0, 2), ())


def test_skeleton_forgets_directions() -> None:
    """Pairs come with the smaller node first."""
    assert skeleton(CHAIN) == skeleton(FORK) == skeleton(COLLIDER) == {(0, 1), (1, 2)}


def test_immoralities_are_unjoined_parents() -> None:
    """Two parents make an immorality only if they are not adjacent."""
    assert immoralities(COLLIDER) == {(0, 1, 2)}
    assert immoralities(CHAIN) == frozenset()
    assert immoralities(((), (0, 2), (0,))) == frozenset()


def test_chain_and_fork_are_equivalent_and_the_collider_is_not() -> None:
    """The smallest example of Markov equivalence."""
    assert markov_equivalent(CHAIN, FORK)
    assert not markov_equivalent(CHAIN, COLLIDER)
    assert not markov_equivalent(CHAIN, ((), (0,), ()))
    assert not markov_equivalent(((),), ((), ()))


def test_cpdag_of_the_empty_graph() -> None:
    """No nodes and no edges are allowed."""
    assert cpdag(()) == cpdag(((), ())) == CodedCpdag(frozenset(), frozenset())


@pytest.mark.parametrize(
    ("parents", "directed", "undirected"),
    [
        (CHAIN, set(), {(0, 1), (1, 2)}),
        (COLLIDER, {(0, 1), (2, 1)}, set()),
        (((), (0, 2), (), (1,)), {(0, 1), (2, 1), (1, 3)}, set()),
        (((), (0,), (0,), (0, 1, 2)), {(1, 3), (2, 3), (0, 3)}, {(0, 1), (0, 2)}),
    ],
    ids=["chain", "collider", "first rule", "third rule"],
)
def test_cpdag_examples(
    parents: tuple[tuple[int, ...], ...], directed: set[tuple[int, int]], undirected: set[tuple[int, int]]
) -> None:
    """Immoralities and Meek's rules on graphs done by hand."""
    assert cpdag(parents) == CodedCpdag(frozenset(directed), frozenset(undirected))


def test_equivalence_is_equal_d_separation_on_four_nodes() -> None:
    """Skeleton and immoralities tell the same 185 classes of 543 DAGs as all d-separations do."""
    dags = oracle.all_dags(4)
    by_graph = oracle.classes_of([(skeleton(dag), immoralities(dag)) for dag in dags])
    by_separation = oracle.classes_of([oracle.independences(dag) for dag in dags])
    assert (len(dags), len(by_graph)) == (543, 185)
    assert by_graph == by_separation


def test_cpdag_is_the_union_of_the_class() -> None:
    """An edge is directed iff all DAGs with the same d-separations agree on it."""
    dags = oracle.all_dags(4)
    for group in oracle.classes_of([oracle.independences(dag) for dag in dags]):
        members = [{(i, j) for j, above in enumerate(dags[d]) for i in above} for d in group]
        shared = frozenset(set.intersection(*members))
        turning = frozenset((min(edge), max(edge)) for edge in set.union(*members) - shared)
        assert {cpdag(dags[d]) for d in group} == {CodedCpdag(shared, turning)}
