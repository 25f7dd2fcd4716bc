"""Strengths, the threshold between the significant ones and the others, and acyclic consensus."""

from itertools import combinations

import numpy as np
import pytest

import ldag
from ldag.uncertainty.agreement import EdgeChance, strongest_first
from ldag.uncertainty.bootstraps import average_arcs, average_firm, direct_graph, significance_threshold
from ldag.uncertainty.consensus import consensus_structure, majority_arcs, probable_arcs

STATES = {name: ["no", "yes"] for name in "abc"}


def _nearest_constant(strengths: list[float]) -> float:
    """The threshold literally: the constant nearest to the distribution function in the L1 norm, and its quantile."""
    grid = (np.arange(20_000) + 0.5) / 20_000
    ordered = np.sort(strengths)
    function = np.searchsorted(ordered, grid, side="right") / len(ordered)
    levels = np.unique([0.0, *(np.arange(len(ordered) + 1) / len(ordered))])
    nearest = min(levels, key=lambda level: np.abs(function - level).sum())
    return 0.0 if nearest == 0 else float(ordered[round(nearest * len(ordered)) - 1])


@pytest.mark.parametrize("seed", range(8))
def test_the_threshold_is_the_quantile_of_the_nearest_constant(seed: int) -> None:
    """By trying all constants, on a fine grid of strengths."""
    strengths = np.random.default_rng(seed).beta(0.6, 0.6, size=7).round(3).tolist()
    assert significance_threshold(strengths) == pytest.approx(_nearest_constant(strengths))


def test_all_are_significant_where_all_are_strong() -> None:
    """Nothing is below one half."""
    assert significance_threshold([0.6, 1.0]) == 0.0


def test_an_edge_that_may_point_either_way_is_half_an_arc_each_way() -> None:
    """A chain has no certain direction, a collider has two."""
    chain = ldag.LDAG.from_edges([("a", "b"), ("b", "c")], states=STATES)
    collider = ldag.LDAG.from_edges([("a", "b"), ("c", "b")], states=STATES)
    arcs = average_arcs([(direct_graph(chain, "cpdag"), 3), (direct_graph(collider, "cpdag"), 1)])
    assert arcs == {("a", "b"): 0.625, ("b", "a"): 0.375, ("b", "c"): 0.375, ("c", "b"): 0.625}
    assert average_arcs([(direct_graph(chain, "dag"), 1)]) == {("a", "b"): 1.0, ("b", "c"): 1.0}


def test_labels_make_directions_certain() -> None:
    """Two labels that name each other's parent belong to one child: c, in every graph that says the same."""
    labels = {("a", "c"): [{"b": "yes"}], ("b", "c"): [{"a": "yes"}]}
    graph = ldag.LDAG.from_edges([("a", "c"), ("b", "c"), ("a", "b")], states=STATES, labels=labels)
    assert average_arcs([(direct_graph(graph, "cpdag"), 1)])["a", "c"] == 0.5
    arcs = average_arcs([(direct_graph(graph, "essential"), 1)])
    assert arcs == {("a", "c"): 1.0, ("b", "c"): 1.0, ("a", "b"): 0.5, ("b", "a"): 0.5}


def test_the_weakest_edge_of_a_cycle_is_left_out() -> None:
    """Three majorities can go round in a circle."""
    arcs = {("a", "b"): 0.9, ("b", "c"): 0.8, ("c", "a"): 0.7, ("a", "c"): 0.1}
    edges = strongest_first("abc", arcs, "")
    assert majority_arcs("abc", edges, 0.5) == [("a", "b"), ("b", "c")]


def test_edges_without_a_majority_are_turned_where_a_cycle_would_close() -> None:
    """C -> b -> a is certain, and c - a is not directed: it must become c -> a."""
    edges = strongest_first("abc", {("c", "b"): 1.0, ("b", "a"): 1.0, ("a", "c"): 0.5, ("c", "a"): 0.5}, "")
    assert set(majority_arcs("abc", edges, 0.5)) == {("c", "b"), ("b", "a"), ("c", "a")}


def test_pairs_that_are_never_joined_have_direction_zero() -> None:
    """As bnlearn says it."""
    edges = strongest_first("ab", {}, "")
    assert edges == (EdgeChance("a", "b", 0.0, 0.0), EdgeChance("b", "a", 0.0, 0.0))
    assert [(edge.strength, edge.direction) for edge in edges] == [(0.0, 0.0), (0.0, 0.0)]


def test_constraints_give_directions_and_what_follows_from_them() -> None:
    """Of a chain whose first edge may not be turned, the second cannot be either, as no collider may arise."""
    chain = ldag.LDAG.from_edges([("a", "b"), ("b", "c")], states=STATES)
    directed = direct_graph(chain, "cpdag", forbidden=[("b", "a")])
    assert average_arcs([(directed, 1)]) == {("a", "b"): 1.0, ("b", "c"): 1.0}
    assert average_firm([(directed, 1), (direct_graph(chain, "cpdag"), 3)]) == {("a", "b"): 0.25, ("b", "c"): 0.25}


def labelled_and_not() -> tuple[ldag.LDAG, ldag.LDAG]:
    """The edges of a collider, with a label and without one."""
    edges = [("a", "c"), ("b", "c")]
    labels = {("a", "c"): [{"b": "yes"}]}
    return (
        ldag.LDAG.from_edges(edges, states=STATES, labels=labels),
        ldag.LDAG.from_edges(edges, states=STATES),
    )


@pytest.mark.parametrize(("count", "has_label"), [(2, False), (3, False), (4, True)])
def test_a_label_needs_more_than_half_of_the_graphs_with_its_edge(count: int, has_label: bool) -> None:
    """Of six: three are not enough. The same for the weights of networks."""
    labelled, plain = labelled_and_not()
    boot = ldag.Bootstrap(
        graphs=((labelled, count), (plain, 6 - count)),
        arcs=dict.fromkeys(labelled.edges, 1.0),
        directions="dag",
        kappa=0.1,
        method="exact",
        settings={},
        n_observations=10,
        seconds=0.0,
        n_asked=6,
    )
    assert boot.consensus().label("a", "c") == (frozenset({("yes",)}) if has_label else frozenset())
    rng = np.random.default_rng(1)
    data = ldag.read({name: rng.choice(["no", "yes"], 50) for name in "abc"})
    members = [ldag.Network.from_data(graph, data) for graph in (labelled, plain)]
    mixture = ldag.Mixture(members, [count, 6 - count])
    assert mixture.consensus() == boot.consensus()


def test_labels_that_would_make_an_edge_vanish_everywhere_are_left_out() -> None:
    """The commonest stay."""
    arcs = [(0, 2), (1, 2)]
    chances = {(0, 0): 0.9, (0, 1): 0.8}  # the edge from 0 vanishes in both states of 1
    structure = consensus_structure((2, 2, 2), arcs, lambda _, __, axis, line: chances.get((axis, line), 0.0), 0.5)
    graph = ldag.LDAG(ldag.LDAG.from_edges([], states=STATES).schema, structure)
    assert graph.label("a", "c") == frozenset({("no",)})


def test_few_edges_on_cycles_are_chosen_best() -> None:
    """By going through all choices."""
    triangles = {(0, 1): 0.9, (1, 2): 0.8, (2, 0): 0.8, (2, 1): 0.85, (1, 0): 0.6}
    best = max(
        (chosen for n in range(6) for chosen in combinations(triangles, n) if is_acyclic(chosen)),
        key=lambda chosen: sum(triangles[edge] - 0.5 for edge in chosen),
    )
    assert probable_arcs(triangles, 0.5) == frozenset(best)


@pytest.mark.parametrize(
    ("n_on_cycles", "kept"),
    [(12, {(20, 22), (20, 21), (22, 21)}), (13, {(21, 20), (20, 22)})],
)
def test_of_more_than_twelve_edges_on_cycles_the_strongest_come_first(
    n_on_cycles: int, kept: set[tuple[int, int]]
) -> None:
    """Where the strongest excludes two that are worth more together, beside a ring that loses its weakest."""
    n = n_on_cycles - 4
    ring = {(i, (i + 1) % n): 0.6 + i / 100 for i in range(n)}
    edges = {**ring, (21, 20): 0.9, (20, 22): 0.8, (22, 21): 0.8, (20, 21): 0.85}
    assert probable_arcs(edges, 0.5) == frozenset(ring) - {(0, 1)} | kept


def is_acyclic(arcs: tuple[tuple[int, int], ...]) -> bool:
    """By taking away nodes without parents."""
    left = {node for arc in arcs for node in arc}
    while left:
        free = {node for node in left if not any(child == node and parent in left for parent, child in arcs)}
        if not free:
            return False
        left -= free
    return True


@pytest.mark.parametrize(("n_on_ring", "is_best"), [(8, True), (9, False)])
def test_twelve_edges_on_cycles_are_few(n_on_ring: int, is_best: bool) -> None:
    """Four of them lie on two cycles, where the strongest edge is not among the best."""
    ring = {(i, (i + 1) % n_on_ring): 0.6 + i / 100 for i in range(n_on_ring)}
    two = {(20, 21): 0.9, (21, 22): 0.8, (22, 20): 0.8, (21, 20): 0.85}
    arcs = probable_arcs({**ring, **two}, 0.5)
    assert arcs - set(ring) == ({(21, 20), (21, 22), (22, 20)} if is_best else {(20, 21), (21, 22)})
