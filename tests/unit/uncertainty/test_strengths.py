"""Strengths, the threshold between the significant ones and the others, and acyclic consensus."""

import numpy as np
import pytest

import ldag
from ldag.uncertainty.strengths import (
    EdgeStrength,
    average_arcs,
    average_firm,
    consensus_arcs,
    direct_graph,
    edge_strengths,
    significance_threshold,
)

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
    edges = edge_strengths("abc", arcs)
    assert consensus_arcs("abc", edges, 0.5) == [("a", "b"), ("b", "c")]


def test_edges_without_a_majority_are_turned_where_a_cycle_would_close() -> None:
    """C -> b -> a is certain, and c - a is not directed: it must become c -> a."""
    edges = edge_strengths("abc", {("c", "b"): 1.0, ("b", "a"): 1.0, ("a", "c"): 0.5, ("c", "a"): 0.5})
    assert set(consensus_arcs("abc", edges, 0.5)) == {("c", "b"), ("b", "a"), ("c", "a")}


def test_pairs_that_are_never_joined_have_direction_zero() -> None:
    """As bnlearn says it."""
    assert edge_strengths("ab", {}) == (EdgeStrength("a", "b", 0.0, 0.0), EdgeStrength("b", "a", 0.0, 0.0))


def test_constraints_give_directions_and_what_follows_from_them() -> None:
    """Of a chain whose first edge may not be turned, the second cannot be either, as no collider may arise."""
    chain = ldag.LDAG.from_edges([("a", "b"), ("b", "c")], states=STATES)
    directed = direct_graph(chain, "cpdag", forbidden=[("b", "a")])
    assert average_arcs([(directed, 1)]) == {("a", "b"): 1.0, ("b", "c"): 1.0}
    assert average_firm([(directed, 1), (direct_graph(chain, "cpdag"), 3)]) == {("a", "b"): 0.25, ("b", "c"): 0.25}
