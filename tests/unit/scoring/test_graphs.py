"""Scores of graphs on data: the formula, the priors, and what is refused."""

import re
from collections.abc import Callable
from itertools import product
from math import lgamma, log

import numpy as np
import pytest

import ldag
from ldag import LDAG, LdagError, datasets
from ldag.errors import TooLarge

HEART = datasets.load("heart")
GRAPH = datasets.graph("heart")
WIDE = ldag.read({name: [0, 1] for name in [*(f"p{i}" for i in range(28)), "x"]})
STATES = {variable.name: variable.states for variable in HEART.schema}
ANY_CLASSES = LDAG.from_partitions({"pressure": (["smoking", "protein"], [0, 1, 1, 0])}, states=STATES)
IRREGULAR = LDAG.from_partitions({"pressure": (["smoking", "protein"], [0, 0, 1, 1])}, states=STATES)
BINARY = {name: [0, 1] for name in "habc"}
SMALL = ldag.read({"a": [0, 0, 1, 1], "b": [0, 1, 2, 2], "n": [3, 4, 5, 6]}, counts="n")


def test_score_of_one_node_is_the_formula() -> None:
    """Two states seen 7 and 11 times, N = 3: a Dirichlet-multinomial written out."""
    graph = LDAG.from_edges([], states={"a": [0, 1], "b": [0, 1, 2]})
    found = ldag.score(graph, SMALL, kappa=0.5, equivalent_sample_size=3.0)
    expected = lgamma(3) - lgamma(21) + lgamma(7 + 1.5) + lgamma(11 + 1.5) - 2 * lgamma(1.5)
    assert found.per_node["a"].log_marginal_likelihood == pytest.approx(expected, abs=1e-12)
    assert found.log_prior == 0
    assert found.total == pytest.approx(sum(part.total for part in found.per_node.values()))


def test_latent_states_do_not_stay_alike() -> None:
    """Below the sum over all completions, and above the score of a latent variable that explains nothing.

    Ten rows in which a, b and c agree are 2^10 completions of h.
    """
    rows = {name: [0] * 5 + [1] * 5 for name in "abc"}
    edges = [("h", name) for name in "abc"]
    graph = LDAG.from_edges(edges, states=BINARY, latent="h")
    full = [ldag.score(graph, {**rows, "h": list(h)}, prior="uniform").total for h in product([0, 1], repeat=10)]
    bound = ldag.score(graph, rows, prior="uniform").total
    apart = LDAG.from_edges([], states=BINARY, latent="h")
    assert ldag.score(apart, rows, prior="uniform").total + 3 < bound <= np.logaddexp.reduce(full)


def test_priors_count_parameters() -> None:
    """The heart graph has 14 parameters as a DAG and 12 with labels."""
    by_labels = ldag.score(GRAPH, HEART, kappa=0.1)
    by_parameters = ldag.score(GRAPH, HEART, kappa=0.1, prior="parameters")
    uniform = ldag.score(GRAPH, HEART, prior="uniform")
    assert by_labels.log_prior == pytest.approx(2 * log(0.1))
    assert by_parameters.log_prior == pytest.approx(12 * log(0.1))
    assert uniform.log_prior == 0
    assert by_labels.log_marginal_likelihood == by_parameters.log_marginal_likelihood == uniform.total


def test_states_that_never_occur_count() -> None:
    """A third state of the graph that the data do not have changes alpha, as the formula says."""
    data = ldag.read({"a": ["x", "y", "y"]})
    graph = LDAG.from_edges([], states={"a": ["x", "y", "z"]})
    expected = lgamma(1) - lgamma(4) + lgamma(1 + 1 / 3) + lgamma(2 + 1 / 3) - 2 * lgamma(1 / 3)
    assert ldag.score(graph, data, kappa=1).total == pytest.approx(expected, abs=1e-12)


def test_order_of_variables_and_states_does_not_matter() -> None:
    """Graph and data may list variables and states in their own order."""
    states = {v.name: list(reversed(v.states)) for v in reversed(GRAPH.variables)}
    labels = {
        ("smoking", "pressure"): [{"protein": ">3"}],
        ("protein", "pressure"): [{"smoking": "no"}],
    }
    other = LDAG.from_edges(GRAPH.edges, states=states, labels=labels)
    assert ldag.score(other, HEART, kappa=0.1).total == pytest.approx(ldag.score(GRAPH, HEART, kappa=0.1).total)


def test_dropping_an_edge_that_never_matters_keeps_the_likelihood() -> None:
    """The regular form of a graph has the same marginal likelihood; three states on the way."""
    rng = np.random.default_rng(5)
    data = ldag.read({name: rng.integers(0, 3, 200).tolist() for name in "abcd"})
    graph = LDAG.from_edges(
        [("a", "d"), ("b", "d"), ("c", "d")],
        states={name: [0, 1, 2] for name in "abcd"},
        labels={("a", "d"): [{}], ("b", "d"): [{"c": 1}]},
    )
    before, after = ldag.score(graph, data, kappa=0.3), ldag.score(graph.regular(), data, kappa=0.3)
    assert len(graph.regular().edges) == 2
    assert before.log_marginal_likelihood == pytest.approx(after.log_marginal_likelihood, abs=1e-9)
    assert before.log_prior < after.log_prior


def test_predictive_of_new_data_is_a_product_of_updated_ones() -> None:
    """Predicting rows together is predicting them one by one, each learned from before the next."""
    rng = np.random.default_rng(1)
    rows = {v.name: [v.states[c] for c in rng.integers(0, 2, 12)] for v in GRAPH.variables}
    states = {v.name: v.states for v in GRAPH.variables}
    parts = [ldag.read({n: [c[i]] for n, c in rows.items()}, states=states) for i in range(12)]
    seen = [ldag.read({n: c[:i] for n, c in rows.items()}, states=states) for i in range(1, 13)]
    one_by_one = sum(ldag.log_predictive(GRAPH, seen[i - 1], parts[i]) for i in range(1, 12))
    rest = ldag.read({n: c[1:] for n, c in rows.items()}, states=states)
    assert ldag.log_predictive(GRAPH, seen[0], rest) == pytest.approx(one_by_one, abs=1e-9)


def test_real_weights_are_scored() -> None:
    """Weights of one half, twice, are weights of one."""
    whole = ldag.read({"a": [0, 1, 1], "b": [1, 1, 0]})
    halves = ldag.read({"a": [0, 1, 1] * 2, "b": [1, 1, 0] * 2, "w": [0.5] * 6}, weights="w")
    graph = LDAG.from_text("a -> b")
    assert ldag.score(graph, halves, kappa=1).total == pytest.approx(ldag.score(graph, whole, kappa=1).total)


WRONG: list[tuple[Callable[[], object], str]] = [
    (lambda: ldag.score(GRAPH, HEART, kappa=0), "kappa must be a number above 0 and at most 1, got 0"),
    (lambda: ldag.score(GRAPH, HEART, kappa=1.5), "kappa must be a number above 0 and at most 1, got 1.5"),
    (lambda: ldag.score(GRAPH, HEART, kappa=float("nan")), "kappa must be a number"),
    (lambda: ldag.score(GRAPH, HEART, kappa=True), "kappa must be a number"),
    (lambda: ldag.score(GRAPH, HEART), "kappa is needed"),
    (lambda: ldag.score(GRAPH, HEART, kappa=0.5, prior="uniform"), "the uniform prior has no kappa"),
    (lambda: ldag.score(GRAPH, HEART, kappa=0.5, prior="label"), "no prior 'label'; did you mean 'labels'?"),  # type: ignore[arg-type]
    (lambda: ldag.score(GRAPH, HEART, kappa=0.5, equivalent_sample_size=0), "equivalent_sample_size must be a finite"),
    (
        lambda: ldag.score(GRAPH, HEART, kappa=0.5, equivalent_sample_size=float("inf")),
        "must be a finite number above 0",
    ),
    (lambda: ldag.score(GRAPH, SMALL, kappa=0.5), "not over the variables of the data: they have no variable 's"),
    (lambda: ldag.score(LDAG.from_text("a -> c\na -> b"), SMALL, kappa=0.5), "they have no variable 'c'"),
    (
        lambda: ldag.score(LDAG.from_text("a {0, 1}\nb {0, 1}\na -> b"), SMALL, kappa=0.5),
        "a state that the graph does not know: variable 'b' has no state 2",
    ),
    (lambda: ldag.score("heart", HEART, kappa=0.5), "graph must be an LDAG, got str"),  # type: ignore[arg-type]
    (lambda: ldag.score(GRAPH, 5, kappa=0.5), "cannot read a int; expected a path"),  # type: ignore[arg-type]
    (lambda: ldag.learn_family(HEART, "presure", parents=[], kappa=0.5), "node: no variable 'presure'; did you mean"),
    (lambda: ldag.learn_family(HEART, "pressure", parents=["pressure"], kappa=0.5), "cannot be its own parent"),
    (lambda: ldag.learn_family(HEART, "pressure", parents=["mental"] * 2, kappa=0.5), "'mental' is named twice"),
    (lambda: ldag.learn_family(HEART, "pressure", parents=["mental"], kappa=-1), "kappa must be a number above 0"),
    (
        lambda: ldag.learn_family(HEART, "pressure", parents=[], kappa=1, structure="lag"),  # type: ignore[arg-type]
        "no structure 'lag'; did you mean 'ldag'?",
    ),
    (
        lambda: ldag.learn_family(HEART, "pressure", parents=[], kappa=1, label_search="best"),  # type: ignore[arg-type]
        "no label_search 'best'; expected one of 'greedy', 'refined', 'exact'",
    ),
    (
        lambda: ldag.learn_family(WIDE, "x", parents=[f"p{i}" for i in range(28)], kappa=1),
        "the family x | p0, p1, .*, p27 is too large: .* 268,435,456 configurations x 2 states",
    ),
    (
        lambda: ldag.learn_family(HEART, "pressure", parents=[], kappa=1, structure="tree", prior="normalised"),
        "prior 'normalised' applies to structures 'table' and 'ldag', not to 'tree'",
    ),
    (
        lambda: ldag.learn(HEART, kappa=0.3, prior="leaves", equivalent_sample_size=1),
        "prior 'leaves' applies to structure 'tree', not to 'ldag'; take prior 'parameters'",
    ),
    (
        lambda: ldag.score(ANY_CLASSES, HEART, kappa=0.3, prior="normalised"),
        "prior 'normalised' is over labels, and the classes of 'pressure' are not made of labels",
    ),
    (
        lambda: ldag.score(IRREGULAR, HEART, kappa=0.3, prior="normalised"),
        "prior 'normalised' is over regular graphs, and this one has an edge that never matters",
    ),
    (lambda: ldag.learn_family(HEART, "pressure", parents=[], kappa=1, rng=3), "rng applies to label_search='refined'"),
    (
        lambda: ldag.learn_family(HEART, "pressure", parents=[], kappa=1, label_search="refined", rng=-3),
        "rng must be a whole number, 0 or more",
    ),
]


@pytest.mark.parametrize(("attempt", "message"), WRONG, ids=[message[:50] for _, message in WRONG])
def test_wrong_input_gets_one_clear_error(attempt: Callable[[], object], message: str) -> None:
    """Each mistake raises an LdagError whose text names it."""
    with pytest.raises(LdagError) as caught:
        attempt()
    assert re.search(message, str(caught.value)), str(caught.value)


def test_predictions_that_integrate_refuse_gaps() -> None:
    """On either side, and say what answers instead."""
    full = ldag.datasets.load("heart")
    some = ldag.simulate.gaps(full, 0.1, rng=1)
    for data, new in ((some, full), (full, some)):
        with pytest.raises(LdagError, match=r"log_predictive needs every cell, .*log_likelihood\(new\) is that"):
            ldag.log_predictive(ldag.datasets.graph("heart"), data, new)


def test_gaps_under_a_graph_that_is_too_large_are_refused() -> None:
    """With both sizes, as EM says it, before anything is done."""
    graph = ldag.simulate.random_ldag(60, n_states=(3, 4), max_parents=6, rng=1)
    data = ldag.simulate.gaps(ldag.simulate.random_network(graph, rng=1).sample(100, rng=1), 0.2, rng=1)
    for attempt in (lambda: ldag.score(graph, data, kappa=0.1), lambda: ldag.Network.from_data(graph, data)):
        with pytest.raises(TooLarge, match=r"sums and products, and at most .*; a graph with fewer parents"):
            attempt()
