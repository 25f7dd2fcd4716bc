"""CSI-equivalence against plain enumeration of every context and every orientation."""

from itertools import product

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ldag.model import Structure
from ldag.reasoning import Difference, compare_structures, cpdag, equivalence_class, essential_edges
from tests.oracle import equivalence as oracle

seeds = st.integers(0, 2**32 - 1)


def numbers_of_states(max_nodes: int) -> st.SearchStrategy[list[int]]:
    """Draw 2 to 4 states for each of some nodes."""
    return st.lists(st.integers(2, 4), min_size=1, max_size=max_nodes)


def check_difference(a: Structure, b: Structure, difference: Difference) -> None:
    """Check a witness: it must hold in every full context that agrees with it, and not if a part is dropped."""

    def shows(context: dict[int, int]) -> bool:
        states = ([context[n]] if n in context else range(r) for n, r in enumerate(a.n_states))
        return all((among(a, x), among(b, x)) == (difference.first, difference.second) for x in product(*states))

    def among(structure: Structure, x: tuple[int, ...]) -> frozenset[tuple[int, int]]:
        graph = oracle.context_graph(structure, x)
        return frozenset((i, j) for j in difference.nodes for i in graph[j] if i in difference.nodes)

    context = dict(difference.context)
    assert shows(context)
    assert not any(shows({n: c for n, c in context.items() if n != dropped}) for dropped in context)
    if difference.kind == "skeleton":
        assert len(difference.first) + len(difference.second) == 1
    else:
        i, j, k = difference.nodes
        assert {(i, j), (k, j)} in (difference.first, difference.second)
        assert len(difference.first) == len(difference.second) == 2
        assert difference.first != difference.second


@settings(deadline=None, max_examples=150)
@given(numbers_of_states(5), seeds)
def test_compare_any_two(n_states: list[int], seed: int) -> None:
    """Two unrelated structures."""
    rng = np.random.default_rng(seed)
    a, b = oracle.random_structure(n_states, rng), oracle.random_structure(n_states, rng)
    difference = compare_structures(a, b)
    assert (difference is None) == oracle.csi_equivalent(a, b)
    if difference is not None:
        check_difference(a, b, difference)


@settings(deadline=None, max_examples=150)
@given(numbers_of_states(5), seeds)
def test_compare_with_another_orientation(n_states: list[int], seed: int) -> None:
    """Two structures with one skeleton, whose labels agree as far as the directions allow."""
    rng = np.random.default_rng(seed)
    a = oracle.random_structure(n_states, rng).regular()
    rank = rng.permutation(len(n_states)).tolist()
    dag: list[list[int]] = [[] for _ in n_states]
    for i, j in a.edges:
        low, high = sorted((i, j), key=rank.__getitem__)
        dag[high].append(low)
    b = oracle.relabelled(a, tuple(tuple(sorted(above)) for above in dag))
    difference = compare_structures(a, b)
    assert (difference is None) == oracle.csi_equivalent(a, b)
    if difference is not None:
        check_difference(a, b, difference)


@settings(deadline=None, max_examples=150)
@given(numbers_of_states(4), seeds)
def test_class_is_every_equivalent_orientation(n_states: list[int], seed: int) -> None:
    """The members are those of a search through all orientations; essential edges are what they share."""
    structure = oracle.random_structure(n_states, np.random.default_rng(seed))
    expected = oracle.equivalence_class(structure)
    found = equivalence_class(structure, 1000)
    assert found.is_complete
    assert found.members[0] == structure.regular()
    assert len(found.members) == len(expected)
    assert set(found.members) == expected
    shared = frozenset.intersection(*(frozenset(member.edges) for member in expected))
    assert essential_edges(structure) == (shared, frozenset())


@settings(deadline=None, max_examples=60)
@given(numbers_of_states(6), seeds)
def test_members_have_the_same_class(n_states: list[int], seed: int) -> None:
    """Every member finds the same members, has as many parameters, and compares as equivalent."""
    structure = oracle.random_structure(n_states, np.random.default_rng(seed))
    found = equivalence_class(structure, 30)
    assume(found.is_complete)
    for member in found.members:
        assert compare_structures(structure, member) is None
        assert set(equivalence_class(member, 30).members) == set(found.members)
        assert dimension(member) == dimension(found.members[0])


@settings(deadline=None, max_examples=150)
@given(numbers_of_states(4), seeds)
def test_class_without_forbidden_arrows(n_states: list[int], seed: int) -> None:
    """Of all equivalent graphs those without the arrows, with labels as without; essential is what these share."""
    rng = np.random.default_rng(seed)
    structure = oracle.random_structure(n_states, rng)
    forbidden = forbid(structure, rng)
    expected = {member for member in oracle.equivalence_class(structure) if not forbidden & set(member.edges)}
    found = equivalence_class(structure, 1000, forbidden)
    assert found.is_complete
    assert (len(found.members), set(found.members)) == (len(expected), expected)
    shared = frozenset.intersection(*(frozenset(member.edges) for member in expected))
    assert essential_edges(structure, forbidden) == (shared, frozenset())


@settings(deadline=None, max_examples=150)
@given(st.integers(2, 6), seeds)
def test_cpdag_without_forbidden_arrows(n_nodes: int, seed: int) -> None:
    """Meek's rules with knowledge find all that every Markov equivalent DAG without the arrows shares."""
    rng = np.random.default_rng(seed)
    density, order = rng.random(), rng.permutation(n_nodes).tolist()
    dag = [tuple(sorted(i for i in order[: order.index(j)] if rng.random() < density)) for j in range(n_nodes)]
    structure = oracle.plain([2] * n_nodes, dag)
    forbidden = forbid(structure, rng)
    pairs = sorted((min(edge), max(edge)) for edge in structure.edges)
    own = oracle.fingerprint(tuple(dag))
    members = [
        {(i, j) for j, above in enumerate(other) for i in above}
        for other in oracle.orientations(pairs, n_nodes)
        if oracle.fingerprint(other) == own
    ]
    shared = frozenset.intersection(*(frozenset(edges) for edges in members if not forbidden & edges))
    assert cpdag(dag, forbidden).directed == shared
    assert essential_edges(structure, forbidden) == (shared, frozenset())


@settings(deadline=None, max_examples=150)
@given(st.lists(st.integers(2, 3), min_size=1, max_size=4), seeds)
def test_class_of_any_classes(n_states: list[int], seed: int) -> None:
    """Where classes go beyond labels, the members are the graphs with the same distributions, of all DAGs there are."""
    rng = np.random.default_rng(seed)
    structure = oracle.random_classes(n_states, rng)
    forbidden = forbid(structure.regular(), rng)
    pairs = sorted((min(edge), max(edge)) for edge in structure.regular().edges)
    n_nodes = len(n_states)
    dags = oracle.all_dags(n_nodes) if n_nodes < 4 else oracle.orientations(pairs, n_nodes)
    every = oracle.same_distributions(structure, dags, rng)
    expected = {member for member in every if not forbidden & set(member.edges)}
    found = equivalence_class(structure, 1000, forbidden)
    assert found.is_complete
    assert (len(found.members), set(found.members)) == (len(expected), expected)
    shared = frozenset.intersection(*(frozenset(member.edges) for member in expected))
    assert essential_edges(structure, forbidden) == (shared, frozenset())


def forbid(structure: Structure, rng: np.random.Generator) -> set[tuple[int, int]]:
    """Draw arrows that a structure does not have: opposites of its own, and some others."""
    nodes = range(len(structure))
    own = set(structure.edges) | set(structure.regular().edges)
    share = rng.random()
    return {(i, j) for i in nodes for j in nodes if i != j and (i, j) not in own and rng.random() < share}


def dimension(structure: Structure) -> int:
    """Count all free parameters."""
    return sum(structure.dimension(node) for node in range(len(structure)))
