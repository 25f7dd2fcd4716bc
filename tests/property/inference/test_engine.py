"""Exact inference equals listing the joint distribution, on random networks with labels, zeros and any classes."""

from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldag import LDAG, Network, _native
from ldag.errors import ImpossibleEvidence
from ldag.inference import compile_circuit
from ldag.model import Model, State
from tests.oracle.circuits import number_values
from tests.oracle.inference import Context, Joint
from tests.strategies import graphs

SETTINGS = settings(deadline=None, max_examples=60)


@st.composite
def networks(draw: st.DrawFn, zeros: bool = True) -> Network:
    """Random parameters for a random graph; some probabilities are zero, some are equal."""
    graph: LDAG = draw(graphs(max_nodes=5, beyond_labels=draw(st.booleans())))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    parameters = {}
    for variable in graph.variables:
        table = rng.integers(0 if zeros else 1, 4, (graph.partition(variable.name).n_classes, variable.n_states))
        table[table.sum(axis=1) == 0] = 1
        parameters[variable.name] = (table / table.sum(axis=1, keepdims=True)).tolist()
    return Network.from_parameters(graph, parameters)


def contexts(network: Network) -> st.SearchStrategy[dict[str, State]]:
    """Some variables with a state each."""
    names = st.lists(st.sampled_from([v.name for v in network.variables]), unique=True, max_size=3)
    states = {v.name: v.states for v in network.variables}
    return names.flatmap(lambda chosen: st.fixed_dictionaries({name: st.sampled_from(states[name]) for name in chosen}))


def compare(network: Network, given: Context, do: Context | None = None) -> None:
    """All questions that share their evidence."""
    joint = Joint(network, do)
    evidence = {**given, **(do or {})}
    if joint.probability(evidence) == 0:
        with pytest.raises(ImpossibleEvidence, match="probability zero"):
            network.marginals(given, do=do)
        return
    for name, posterior in network.marginals(given, do=do).items():
        expected = joint.posterior([name], evidence)
        assert posterior == pytest.approx({state: expected[state,] for state in posterior}, abs=1e-12)
    free = [variable.name for variable in network.variables if variable.name not in evidence]
    if free:
        single = joint.posterior(free[:1], evidence)
        assert network.query(free[0], given, do=do) == pytest.approx({s: p for (s,), p in single.items()}, abs=1e-12)
        several = network.query(free[:3], given, do=do) if len(free) > 1 else {}
        assert several == pytest.approx(joint.posterior(free[:3], evidence) if len(free) > 1 else {}, abs=1e-12)
    best = network.most_probable(given, do=do)
    assert joint.rows[tuple(best[name] for name in joint.names)] == pytest.approx(joint.best(evidence), rel=1e-9)


@given(st.data())
@SETTINGS
def test_answers_equal_enumeration(data: st.DataObject) -> None:
    """Posteriors, joint posteriors, explanations."""
    network = data.draw(networks())
    compare(network, data.draw(contexts(network)))


@given(st.data())
@SETTINGS
def test_interventions_equal_enumeration_of_the_cut_network(data: st.DataObject) -> None:
    """A variable that is set no longer depends on its parents, whatever it would have been."""
    network = data.draw(networks())
    done = data.draw(contexts(network))
    given = {name: state for name, state in data.draw(contexts(network)).items() if name not in done}
    compare(network, given, done)


@given(st.data())
@SETTINGS
def test_probabilities_of_events_equal_enumeration(data: st.DataObject) -> None:
    """P(event | given), also where both name a variable."""
    network = data.draw(networks())
    joint = Joint(network)
    event, given = data.draw(contexts(network)), data.draw(contexts(network))
    if joint.probability(given) == 0:
        return
    agree = all(event.get(name, state) == state for name, state in given.items())
    expected = joint.probability({**event, **given}) / joint.probability(given) if agree else 0.0
    assert network.probability(event, given) == pytest.approx(expected, abs=1e-12)


@given(st.data())
@SETTINGS
def test_fixed_evidence_gives_the_same_answers(data: st.DataObject) -> None:
    """Evidence known when compiling, or given later: the same posteriors."""
    network = data.draw(networks())
    evidence = network.ldag.schema.context(data.draw(contexts(network)))
    model = Model(network.ldag.structure, network.probabilities)
    nodes = range(len(model.structure))
    whole, fixed = compile_circuit(model, nodes), compile_circuit(model, nodes, evidence)
    logs, posteriors = whole.marginals(whole.row(evidence))
    fixed_logs, fixed_posteriors = fixed.marginals(fixed.row(evidence))
    assert fixed_logs == pytest.approx(logs, abs=1e-12)
    for node in nodes:
        if node not in evidence and np.isfinite(logs[0]):
            assert fixed_posteriors[:, fixed.columns(node)] == pytest.approx(
                posteriors[:, whole.columns(node)], abs=1e-12
            )


@given(st.data())
@SETTINGS
def test_expected_uses_are_posteriors_of_classes(data: st.DataObject) -> None:
    """By class: P(the class's configurations, the state | evidence)."""
    network = data.draw(networks())
    joint = Joint(network)
    given = data.draw(contexts(network))
    if joint.probability(given) == 0:
        return
    model = Model(network.ldag.structure, network.probabilities)
    circuit = compile_circuit(model, range(len(model.structure)), by_class=True)
    uses = circuit.expected_uses(network.ldag.schema.context(given))
    for variable, found in zip(network.variables, uses, strict=True):
        partition = network.ldag.partition(variable.name)
        family = joint.posterior([*partition.parents, variable.name], given)
        expected = np.zeros(found.shape)
        for cell, probability in enumerate(family.values()):
            expected[partition.classes[cell // variable.n_states], cell % variable.n_states] += probability
        assert found == pytest.approx(expected, abs=1e-12)


@given(st.data())
@settings(deadline=None, max_examples=25)
def test_batches_equal_single_rows(data: st.DataObject) -> None:
    """Any number of rows on any number of threads, impossible ones among them."""
    network = data.draw(networks())
    model = Model(network.ldag.structure, network.probabilities)
    circuit = compile_circuit(model, range(len(model.structure)))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    n_states = np.array(circuit.n_states)
    rows = rng.integers(0, n_states, (21, len(n_states))).astype(np.uint8)
    rows[rng.random(rows.shape) < 0.6] = 255
    logs, posteriors = circuit.marginals(rows, n_threads=2)
    assert np.array_equal(circuit.log_probabilities(rows, n_threads=1), logs)
    for i in range(len(rows)):
        log_one, one = circuit.marginals(rows[i : i + 1])
        assert log_one[0] == pytest.approx(logs[i], abs=1e-12)
        assert np.isnan(one[0]).all() == np.isneginf(log_one[0])
        assert one[0] == pytest.approx(posteriors[i], abs=1e-12, nan_ok=True)


def chain(n: int) -> Network:
    """A long chain of variables that all copy the one before, badly."""
    names = [f"x{i}" for i in range(n)]
    graph = LDAG.from_edges(
        [(names[i], names[i + 1]) for i in range(n - 1)], states={name: ["a", "b", "c"] for name in names}
    )
    start, step = [0.5, 0.25, 0.25], [[0.998, 0.001, 0.001], [0.001, 0.998, 0.001], [0.001, 0.001, 0.998]]
    return Network.from_parameters(graph, {name: step if i else start for i, name in enumerate(names)})


def test_evidence_on_a_thousand_nodes_does_not_underflow() -> None:
    """Probabilities far below the smallest double: logarithms, posteriors and explanations are still right."""
    network = chain(1000)
    given = {f"x{i}": "abc"[i % 3] for i in range(999)}
    expected = log(0.5) + 998 * log(0.001)
    assert network.log_probability(given) == pytest.approx(expected, rel=1e-12)
    assert network.probability(given) == 0.0
    posterior = network.query("x999", given)
    assert posterior == pytest.approx({"a": 0.001, "b": 0.001, "c": 0.998}, abs=1e-12)
    assert network.most_probable(given)["x999"] == "c"
    sparse = {f"x{i}": "abc"[i % 3] for i in range(0, 999, 2)}
    assert network.marginals(sparse)["x1"] == pytest.approx(_between(network, "a", "c"), abs=1e-12)


def _between(network: Network, before: str, after: str) -> dict[str, float]:
    """The posterior between two observed neighbours of a chain."""
    step = dict(zip("abc", (dict(zip("abc", row, strict=True)) for row in network.parameters("x1")), strict=True))
    weights = {s: step[before][s] * step[s][after] for s in "abc"}
    return {s: w / sum(weights.values()) for s, w in weights.items()}


def test_estimates_are_near_and_say_how_near() -> None:
    """Likelihood weighting: within four standard errors, the effective size is at most the number of samples."""
    network = chain(6)
    given: Context = {"x5": "b"}
    exact = network.query(["x0", "x2"], given)
    found = network.estimate(["x0", "x2"], given, n_samples=20_000, rng=3)
    assert found.effective_size <= 20_000
    for states, probability in exact.items():
        assert abs(found.probabilities[states] - probability) <= 4 * found.standard_errors[states] + 1e-3
    assert network.estimate("x0", given, n_samples=1000, rng=3) == network.estimate("x0", given, n_samples=1000, rng=3)
    assert exp(network.log_probability({"x0": "a"})) == pytest.approx(0.5)


@given(st.integers(1, 12), st.integers(1, 4), st.integers(0, 9), st.integers(0, 2**32 - 1))
@SETTINGS
def test_equal_values_of_a_state_are_one_parameter(n_classes: int, n_states: int, first: int, seed: int) -> None:
    """Numbered from where the families before ended; zeros have none."""
    table = np.random.default_rng(seed).integers(0, 4, (n_classes, n_states)) / 4
    values, numbers = _native.number_values(table, first)
    assert (values.tolist(), numbers.tolist()) == number_values(table, first)
