"""Divergence of networks: by hand, on a well-known network, and what is refused."""

from itertools import pairwise, product
from math import inf, log

import pytest

import ldag
from ldag import LDAG, LdagError, Network, simulate
from tests.oracle.networks import BifNetwork

COIN = LDAG.from_edges([], states={"a": ["heads", "tails"]})
PAIR = LDAG.from_edges([("a", "b")], states={"a": [0, 1], "b": [0, 1]})


def coin(p: float) -> Network:
    """A coin that falls heads with probability p."""
    return Network.from_parameters(COIN, {"a": [p, 1 - p]})


def test_the_true_distribution_comes_first() -> None:
    """P log(p / q), which is not q log(q / p)."""
    assert ldag.kl_divergence(coin(0.5), coin(0.9)) == pytest.approx(0.5 * log(0.5 / 0.9) + 0.5 * log(0.5 / 0.1))
    assert ldag.kl_divergence(coin(0.9), coin(0.5)) == pytest.approx(0.9 * log(0.9 / 0.5) + 0.1 * log(0.1 / 0.5))


def test_infinite_only_if_something_possible_is_ruled_out() -> None:
    """A zero of the second network counts where the first one has none, and the other way round does not."""
    assert ldag.kl_divergence(coin(0.5), coin(1)) == inf
    assert ldag.kl_divergence(coin(1), coin(0.5)) == pytest.approx(log(2))
    assert ldag.kl_divergence(coin(1), coin(1)) == 0
    assert ldag.kl_divergence_estimate(coin(0.5), coin(1), 1000).value == inf


def test_infinite_although_the_product_of_small_probabilities_rounds_to_zero() -> None:
    """1e-200 twice is no number, but it is possible."""
    tiny = 1e-200
    p = Network.from_parameters(PAIR, {"a": [1 - tiny, tiny], "b": [[0.5, 0.5], [1 - tiny, tiny]]})
    q = Network.from_parameters(PAIR, {"a": [0.5, 0.5], "b": [[0.5, 0.5], [1.0, 0.0]]})
    assert ldag.kl_divergence(p, q) == inf


def test_an_impossible_class_may_have_any_zero() -> None:
    """What the second network says of configurations that never occur makes no difference."""
    p = Network.from_parameters(PAIR, {"a": [1, 0], "b": [[0.5, 0.5], [0.5, 0.5]]})
    q = Network.from_parameters(PAIR, {"a": [1, 0], "b": [[0.5, 0.5], [1.0, 0.0]]})
    assert ldag.kl_divergence(p, q) == 0


def test_many_states() -> None:
    """More states and pairs of class and state than a byte can tell; the edge points the other way."""
    states = {"a": list(range(250)), "b": list(range(3))}
    p = simulate.random_network(LDAG.from_edges([("a", "b")], states=states), rng=1)
    q = simulate.random_network(LDAG.from_edges([("b", "a")], states=states), rng=2)
    a, b_given_a = p.parameters("a")[0], p.parameters("b")
    b, a_given_b = q.parameters("b")[0], q.parameters("a")
    expected = sum(
        a[i] * b_given_a[i][j] * log(a[i] * b_given_a[i][j] / (b[j] * a_given_b[j][i]))
        for i, j in product(range(250), range(3))
    )
    assert ldag.kl_divergence(p, q) == pytest.approx(expected, abs=1e-10)


def test_a_network_without_chance() -> None:
    """Everything is certain, so that the circuit has no gates; entropy zero."""
    p = Network.from_parameters(LDAG.from_edges([], states={"a": [0, 1], "b": [0, 1]}), {"a": [0, 1], "b": [1, 0]})
    q = Network.from_parameters(PAIR, {"a": [0.5, 0.5], "b": [[0.25, 0.75], [0.5, 0.5]]})
    assert ldag.entropy(p) == 0
    assert ldag.kl_divergence(p, q) == pytest.approx(log(4))


def test_a_labelled_graph_and_its_dag_can_have_one_distribution() -> None:
    """The guard written with 9 and with 11 parameters."""
    labelled = simulate.guard()
    states = {v.name: v.states for v in labelled.variables}
    parameters: dict[str, list[tuple[float, ...]]] = {
        name: [labelled.parameters(name)[number] for number in labelled.ldag.partition(name).classes] for name in states
    }
    plain = Network.from_parameters(LDAG.from_edges(labelled.ldag.edges, states=states), parameters)
    assert plain.dimension == 11
    assert ldag.kl_divergence(labelled, plain) == pytest.approx(0, abs=1e-14)
    assert ldag.kl_divergence(plain, labelled) == pytest.approx(0, abs=1e-14)


def test_alarm_agrees_with_sampling() -> None:
    """37 variables, another graph: the exact value is within four standard errors of the estimate, both ways."""
    bif = BifNetwork("alarm")
    edges = [(parent, node) for node, above in bif.parents.items() for parent in above]
    graph = LDAG.from_edges(edges, states=bif.states)
    tables = {}
    for node in bif.states:
        above = graph.parents(node)  # in the order of the variables, which is not that of the file
        places = [above.index(parent) for parent in bif.parents[node]]
        rows = [bif.tables[node][tuple(c[i] for i in places)] for c in product(*(bif.states[p] for p in above))]
        tables[node] = [[x / sum(row) for x in row] for row in rows]
    truth = Network.from_parameters(graph, tables)
    data = truth.sample(2000, rng=1)
    order = list(bif.states)
    other = LDAG.from_edges(list(pairwise(order)), states=bif.states)
    q = Network.from_data(other, data)
    for first, second in ((truth, q), (q, Network.from_data(graph, data))):
        exact = ldag.kl_divergence(first, second)
        estimate = ldag.kl_divergence_estimate(first, second, 20_000, rng=2)
        assert abs(exact - estimate.value) < 4 * estimate.standard_error
        assert estimate.standard_error < 0.05 * exact
    assert ldag.kl_divergence(truth, truth) == 0


def test_labelled_layers_are_within_reach() -> None:
    """Forty variables with up to ten parents: their joint table would have 2^40 cells."""
    graph = simulate.layered_ldag([10] * 4, rng=1)
    p, q = (simulate.random_network(graph, concentration=5, rng=seed) for seed in (1, 2))
    estimate = ldag.kl_divergence_estimate(p, q, 50_000, rng=3)
    assert abs(ldag.kl_divergence(p, q) - estimate.value) < 4 * estimate.standard_error


def test_divergence_falls_with_data() -> None:
    """Estimated on the true graph: (free parameters) / (2 n) nats from the truth, on average, for many rows."""
    truth = simulate.generator10(rng=3)
    n = 200_000
    found = [ldag.kl_divergence(truth, Network.from_data(truth.ldag, truth.sample(n, rng=seed))) for seed in range(20)]
    assert sum(found) / 20 == pytest.approx(40 / (2 * n), rel=0.15)


def test_what_cannot_be_compared_is_refused() -> None:
    """Different variables, different states, and what is no network."""
    other = Network.from_parameters(LDAG.from_edges([], states={"b": [0, 1]}), {"b": [0.5, 0.5]})
    with pytest.raises(LdagError, match="only the first has 'a'"):
        ldag.kl_divergence(coin(0.5), other)
    die = Network.from_parameters(LDAG.from_edges([], states={"a": ["heads", "edge"]}), {"a": [0.5, 0.5]})
    with pytest.raises(LdagError, match="different states"):
        ldag.kl_divergence(coin(0.5), die)
    with pytest.raises(LdagError, match=r"q must be a Network, got LDAG; a fit has one as fit\.network"):
        ldag.kl_divergence(coin(0.5), COIN)  # type: ignore[arg-type]
    with pytest.raises(LdagError, match="n_samples must be 2 or more"):
        ldag.kl_divergence_estimate(coin(0.5), coin(0.5), 1)


def test_a_network_that_is_too_large_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names variables and the estimate."""
    from ldag.inference import TooManyGates

    def refuse(*_: object, **__: object) -> None:
        raise TooManyGates([0, 1], 50, 100)

    monkeypatch.setattr("ldag.comparing.divergence.compile_circuit", refuse)
    p = simulate.guard()
    with pytest.raises(LdagError, match=r"more than 50 arguments.*person, gender.*kl_divergence_estimate"):
        ldag.kl_divergence(p, p)
