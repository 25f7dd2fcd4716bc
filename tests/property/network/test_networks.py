"""Networks on random graphs: sampling against its slow twin, files, and the posterior against sums over rows."""

from itertools import product
from math import inf, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldag import LDAG, Dataset, Network
from ldag.inference.sampling import sample_given, sample_rows
from tests.oracle import sample as oracle
from tests.strategies import graphs

SETTINGS = settings(deadline=None, max_examples=25)


@st.composite
def networks(draw: st.DrawFn) -> Network:
    """Random classes and probabilities, some of them zero."""
    graph = draw(graphs(max_nodes=4, beyond_labels=draw(st.booleans())))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    parameters = {}
    for variable in graph.variables:
        rows = rng.dirichlet(np.ones(variable.n_states), graph.partition(variable.name).n_classes)
        rows[rng.random(rows.shape) < 0.2] = 0.0
        rows[rows.sum(axis=1) == 0] = 1.0
        parameters[variable.name] = (rows / rows.sum(axis=1, keepdims=True)).tolist()
    return Network.from_parameters(graph, parameters)


def data_of(graph: LDAG, n: int, seed: int, real: bool = False) -> Dataset:
    """Random rows, with real weights or none."""
    rng = np.random.default_rng(seed)
    codes = np.array([rng.integers(0, v.n_states, n) for v in graph.variables], dtype=np.uint8)
    return Dataset.from_codes(graph.schema, codes, rng.random(n) if real else None)


@settings(deadline=None, max_examples=10)
@given(networks(), st.integers(0, 2**63 - 1), st.integers(1, 3))
def test_samples_equal_those_of_the_slow_twin(net: Network, seed: int, n_threads: int) -> None:
    """The same stream of random numbers gives the same rows, whatever the number of threads."""
    drawn = sample_rows(net.ldag.structure, net.probabilities, 1040, seed, n_threads)
    expected = [[row[v.name] for row, _ in oracle.sample(net, 1040, seed)] for v in net.variables]
    assert drawn.tolist() == expected


@SETTINGS
@given(networks(), st.integers(0, 1000), st.data())
def test_weights_equal_the_formula(net: Network, seed: int, choose: st.DataObject) -> None:
    """What is fixed stays, the rest is drawn, and the log weight is that of the fixed codes given their parents."""
    fixed = {
        node: choose.draw(st.integers(0, v.n_states - 1))
        for node, v in enumerate(net.variables)
        if choose.draw(st.booleans())
    }
    named = {net.variables[node].name: code for node, code in fixed.items()}
    codes, weights = sample_given(net.ldag.structure, net.probabilities, fixed, 50, seed)
    for (row, weight), drawn, log_weight in zip(oracle.sample(net, 50, seed, named), codes.T, weights, strict=True):
        assert drawn.tolist() == [row[v.name] for v in net.variables]
        assert log_weight == pytest.approx(weight, abs=1e-12)


@SETTINGS
@given(networks(), st.integers(0, 100), st.booleans())
def test_log_likelihood_is_the_sum_over_rows(net: Network, seed: int, real: bool) -> None:
    """Each row by the product of its factors; impossible rows make it minus infinity."""
    data = data_of(net.ldag, 5, seed, real)
    weights = np.ones(data.n_rows) if data.weights is None else data.weights
    expected = 0.0
    for codes, weight in zip(data.codes.T.tolist(), weights, strict=True):
        p = oracle.joint(net, {v.name: v.states[c] for v, c in zip(net.variables, codes, strict=True)})
        expected += weight * log(p) if p > 0 else -inf
    assert net.log_likelihood(data) == pytest.approx(expected, abs=1e-9)


@SETTINGS
@given(networks())
def test_given_networks_come_back_from_json(net: Network) -> None:
    """Probabilities bit for bit, whatever the classes."""
    again = Network.from_json(net.to_json())
    assert again == net
    assert all(np.array_equal(a, b) for a, b in zip(again.probabilities, net.probabilities, strict=True))
    assert LDAG.from_json(net.to_json()) == net.ldag


@SETTINGS
@given(
    graphs(beyond_labels=True),
    st.integers(0, 100),
    st.booleans(),
    st.floats(1e-3, 1e3),
    st.sampled_from(["mean", "likelihood"]),
)
def test_learned_networks_come_back_from_json(graph: LDAG, seed: int, real: bool, size: float, estimate: str) -> None:
    """Counts and prior bit for bit, and with them the probabilities."""
    data = data_of(graph, 20, seed, real)
    net = Network.from_data(graph, data, equivalent_sample_size=size, estimate=estimate)  # type: ignore[arg-type]  # drawn
    again = Network.from_json(net.to_json())
    assert again == net
    assert again.equivalent_sample_size == size
    assert again.update(data) == net.update(data)


@SETTINGS
@given(graphs(max_nodes=4, beyond_labels=True), st.integers(0, 100), st.floats(0.1, 10))
def test_posterior_means_are_the_predictives_of_one_row(graph: LDAG, seed: int, size: float) -> None:
    """The predictive probability of a row is its probability under the posterior means; they sum to one."""
    net = Network.from_data(graph, data_of(graph, 20, seed), equivalent_sample_size=size)
    total = 0.0
    for codes in list(product(*(range(v.n_states) for v in graph.variables)))[:64]:
        row = Dataset.from_codes(graph.schema, np.array([codes], dtype=np.uint8).T)
        states = {v.name: v.states[c] for v, c in zip(graph.variables, codes, strict=True)}
        assert net.log_likelihood(row, integrate=True) == pytest.approx(log(oracle.joint(net, states)), abs=1e-9)
        total += oracle.joint(net, states)
    assert total <= 1 + 1e-9


@SETTINGS
@given(graphs(max_nodes=4), st.integers(0, 100))
def test_predictive_is_the_product_over_rows_with_updating(graph: LDAG, seed: int) -> None:
    """The closed form for several rows at once equals one row at a time, each learned before the next."""
    net = Network.from_data(graph, data_of(graph, 10, seed))
    rows = data_of(graph, 8, seed + 1)
    expected, step = 0.0, net
    for codes, weight in zip(
        rows.codes.T, rows.weights if rows.weights is not None else [1] * rows.n_rows, strict=True
    ):
        for _ in range(int(weight)):
            row = Dataset.from_codes(graph.schema, codes[:, None].copy())
            expected += step.log_likelihood(row)  # the posterior means are the predictive probabilities
            step = step.update(row)
    assert net.log_likelihood(rows, integrate=True) == pytest.approx(expected, abs=1e-9)
    assert step == net.update(rows)


@SETTINGS
@given(networks())
def test_tables_expand_the_classes(net: Network) -> None:
    """A cell of the full table is the probability of its class."""
    for variable in net.variables:
        table = net.cpt(variable.name)
        *parents, _ = table.names
        for codes in np.ndindex(*table.values.shape[:-1]):
            row = dict(zip(parents, codes, strict=True))
            assert tuple(table.values[codes]) == oracle.distribution(net, variable.name, row)
