"""What is set from outside in a learned network, where arrows are not determined: by hand for two variables."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ldag
from ldag import LDAG, Constraints, GraphWarning, Network

PAIR = {"a": [0] * 60 + [1] * 40, "b": [0] * 50 + [1] * 30 + [0] * 20}


def learn_pair(constraints: Constraints | None = None) -> Network:
    """Learn a and b, which go together; b has a third state."""
    table = PAIR | {"b": [*PAIR["b"][:-5], *[2] * 5]}
    return ldag.learn(table, kappa=0.1, constraints=constraints, equivalent_sample_size=1).network


def test_two_variables_that_go_together() -> None:
    """Either a -> b, and setting a does what seeing it does, or b -> a, and it does nothing: the range is between."""
    net = learn_pair()
    (arrow,) = net.ldag.edges
    with pytest.warns(
        GraphWarning, match=f"which way the arrow {arrow[0]} -> {arrow[1]} points; this is the answer of"
    ):
        answer = net.query("b", do={"a": 1})
    seen, alone = net.query("b", {"a": 1}), net.query("b")
    assert answer.range is not None
    for state in (0, 1, 2):
        assert answer.range[state] == pytest.approx(sorted((seen[state], alone[state])), abs=1e-12)
    assert answer.undetermined == (arrow,)
    with pytest.warns(GraphWarning, match="the range is over all of them"):
        both = net.contrast({"b": 1}, do={"a": 1}, against={"a": 0})
    least = net.query("b", {"a": 1})[1] - net.query("b", {"a": 0})[1]
    assert both["difference"][1:] == pytest.approx(sorted((least, 0)), abs=1e-12)
    assert both["ratio"][1:] == pytest.approx(sorted((net.query("b", {"a": 1})[1] / net.query("b", {"a": 0})[1], 1)))


def test_what_is_determined_is_silent() -> None:
    """By constraints, by an edge that the question does not meet, or because a person drew the graph."""
    fixed = learn_pair(Constraints(tiers=[["a"], ["b"]]))
    answer = Network.from_json(fixed.to_json()).query("b", do={"a": 1})
    assert answer == fixed.query("b", {"a": 1}) == pytest.approx(dict(answer))
    assert answer.range == {state: (p, p) for state, p in answer.items()}
    assert answer.undetermined == ()
    drawn = Network.from_data(fixed.ldag, PAIR)
    assert drawn.query("b", do={"a": 1}).range is None
    difference = drawn.contrast({"b": 1}, do={"a": 1}, against={"a": 0})["difference"]
    assert difference.value == difference.low == difference.high
    assert fixed.query("b", {"a": 1}).range is None  # nothing is set
    chain = ldag.learn(ldag.datasets.load("heart"), kappa=0.1, equivalent_sample_size=1).network
    assert chain.query("pressure", do={"smoking": "yes"}).undetermined == ()
    assert chain.query("family", do={"mental": "yes"}).undetermined == ()


@pytest.mark.parametrize(
    "ask",
    [
        lambda net: net.probability({"b": 1}, do={"a": 1}),
        lambda net: net.most_probable(do={"a": 1}),
        lambda net: net.sample(10, do={"a": 1}),
        lambda net: net.estimate("b", do={"a": 1}, n_samples=100),
        lambda net: net.bound_most_probable(["b"], do={"a": 1}),
        lambda net: net.mutual_information("b", "c", do={"a": 1}),
        lambda net: net.explain("b", {"c": 0}, do={"a": 1}),
    ],
)
def test_answers_without_a_range_warn(ask: Callable[[Network], object]) -> None:
    """Whatever is asked with variables set from outside."""
    rng = np.random.default_rng(1)
    net = ldag.learn(PAIR | {"c": rng.integers(0, 2, 100)}, kappa=0.1, equivalent_sample_size=1).network
    with pytest.warns(GraphWarning, match="which way the arrow . -> . points"):
        ask(net)


def test_files_of_old_versions() -> None:
    """They say whether there were constraints, not which: without any the range is known, else it is said not to be."""
    for constraints, has_range in ((None, True), (Constraints(tiers=[["a"], ["b"]]), False)):
        document = json.loads(learn_pair(constraints).to_json())
        del document["origin"]["forbidden"], document["origin"]["constraints"]
        old = Network.from_json(json.dumps(document))
        with pytest.warns(
            GraphWarning, match="the range is over all" if has_range else "which this file does not keep"
        ):
            answer = old.query("b", do={"a": 1})
        assert (answer.range is not None) == has_range
        with pytest.warns(GraphWarning):
            low = old.contrast({"b": 1}, do={"a": 1}, against={"a": 0})["difference"].low
        assert np.isnan(low) != has_range


def test_more_data_change_no_direction() -> None:
    """A network that has seen more rows was still learned; its score and its data are no longer what they were."""
    updated = learn_pair().update(PAIR)
    with pytest.warns(GraphWarning, match="which way"):
        updated.query("b", do={"a": 1})
    assert updated.origin is not None
    assert not {"score", "data"} & set(updated.origin)


def everything_joined(n: int) -> Network:
    """Return a network in which every variable is joined with every other, as if learned."""
    names = [f"v{i:02}" for i in range(n)]
    edges = [(a, b) for place, a in enumerate(names) for b in names[place + 1 :]]
    graph = LDAG.from_edges(edges, states={name: [0, 1] for name in names})
    rng = np.random.default_rng(0)
    rows: dict[str, Any] = {name: rng.dirichlet([1, 1], size=2**place) for place, name in enumerate(names)}
    return Network(graph, Network.from_parameters(graph, rows).probabilities, origin={"forbidden": []})


def test_too_many_graphs_are_counted() -> None:
    """Of nine variables that are all joined, one has any of 256 sets of parents; 200 are looked at. Of eight, 128."""
    with pytest.warns(GraphWarning, match="the range is over 200 of 200 or more ways to direct the edges at"):
        everything_joined(9).query("v08", do={"v00": 1})
    with pytest.warns(GraphWarning, match="the range is over all of them"):
        everything_joined(8).query("v07", do={"v00": 1})
    with pytest.warns(GraphWarning, match="ask for variables one by one"):
        assert everything_joined(12).marginals(do={"v00": 1}).range is None
    with pytest.warns(GraphWarning, match="v00 -> v01, .* v00 -> v12 and 1 more point; "):
        everything_joined(14).probability({"v13": 0}, do={"v00": 1})


def test_graphs_that_are_too_large_to_ask_are_told() -> None:
    """A table of 4 ** 9 cells is the largest; beyond, the arrow is told, though the range is that of one graph."""
    others = [f"c{i}" for i in range(9)]
    states = {"a": [0, 1], "b": [0, 1, 2], **{name: [0, 1, 2, 3] for name in others}}
    graph = LDAG.from_edges([("a", "b")], states=states)
    rows: dict[str, Any] = {"a": [[0.6, 0.4]], "b": [[0.7, 0.2, 0.1], [0.3, 0.1, 0.6]]}
    parameters = Network.from_parameters(graph, rows | {name: [[0.25] * 4] for name in others}).probabilities
    net = Network(graph, parameters, origin={"forbidden": []})
    event = {"b": 2, **dict.fromkeys(others[1:], 0)}
    with pytest.warns(GraphWarning, match="the range is over all of them"):
        low = net.contrast(event, do={"a": 1}, against={"a": 0})["ratio"].low
    assert low == pytest.approx(1)
    with pytest.warns(GraphWarning, match="a -> b points; .* the range is over 1 of 2 ways to direct the edges"):
        net.contrast({**event, others[0]: 0}, do={"a": 1}, against={"a": 0})


def test_intervals_of_effects_take_the_graph_for_granted() -> None:
    """Said wherever the graph was learned, whether arrows are determined or not; a drawn graph is granted."""
    fixed = learn_pair(Constraints(tiers=[["a"], ["b"]]))
    with pytest.warns(GraphWarning, match="takes the learned graph for granted"):
        fixed.query("b", do={"a": 1}, interval=0.95, n_draws=10)
    fixed.query("b", {"a": 1}, interval=0.95, n_draws=10)
    Network.from_data(fixed.ldag, PAIR).query("b", do={"a": 1}, interval=0.95, n_draws=10)
