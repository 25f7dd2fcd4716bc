"""Divergence and entropy against enumeration: random graphs, classes, zeros, 1 to 4 states."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ldag
from ldag import LDAG, Network
from tests.oracle import distributions
from tests.strategies import graphs_over, variables


def random_parameters(graph: LDAG, seed: int, zeros: float) -> Network:
    """Random distributions, each entry zero with some probability."""
    rng = np.random.default_rng(seed)
    parameters = {}
    for variable in graph.variables:
        rows = rng.dirichlet([0.7] * variable.n_states, graph.partition(variable.name).n_classes)
        rows[rng.random(rows.shape) < zeros] = 0
        rows[rows.sum(axis=1) == 0] = 1
        parameters[variable.name] = (rows / rows.sum(axis=1, keepdims=True)).tolist()
    return Network.from_parameters(graph, parameters)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Network, Network]:
    """Two networks over the same variables; the second may list variables and states in another order."""
    states = draw(variables(max_nodes=4))
    shuffled = {name: draw(st.permutations(states[name])) for name in draw(st.permutations(list(states)))}
    first = draw(graphs_over(states, beyond_labels=draw(st.booleans())))
    second = draw(graphs_over(shuffled, beyond_labels=draw(st.booleans())))
    seed = draw(st.integers(0, 2**32))
    zeros = draw(st.sampled_from([0.0, 0.2]))
    return random_parameters(first, seed, zeros), random_parameters(second, seed + 1, draw(st.sampled_from([0, zeros])))


@settings(deadline=None, max_examples=120)
@given(pairs())
def test_divergence_is_the_sum_over_all_rows(networks: tuple[Network, Network]) -> None:
    """Exact, also where it is infinite; and no smaller than zero."""
    p, q = networks
    expected = distributions.divergence(distributions.joint(p), distributions.joint(q))
    found = ldag.kl_divergence(p, q)
    assert found == pytest.approx(expected, abs=1e-10)
    assert found >= 0


@settings(deadline=None, max_examples=60)
@given(pairs())
def test_entropy_is_the_sum_over_all_rows(networks: tuple[Network, Network]) -> None:
    """And a network is no distance from itself, nor from itself in another order."""
    p, _ = networks
    assert ldag.entropy(p) == pytest.approx(distributions.entropy(distributions.joint(p)), abs=1e-10)
    assert ldag.kl_divergence(p, p) == 0
    order = list(reversed(range(len(p.variables))))
    graph = LDAG(p.ldag.schema.reordered(order), p.ldag.structure.reordered(order))
    turned = Network.from_parameters(
        graph,
        {name: [p.parameters(name)[number] for number in _classes(p.ldag, graph, name)] for name in graph.schema.names},
    )
    assert ldag.kl_divergence(p, turned) == pytest.approx(0, abs=1e-12)


def _classes(old: LDAG, new: LDAG, name: str) -> list[int]:
    """The old number of each new class: parents come in the opposite order."""
    before, after = old.partition(name), new.partition(name)
    shape = [len(v.states) for parent in before.parents for v in old.variables if v.name == parent]
    numbers = np.array(before.classes).reshape(shape).transpose().reshape(-1)
    return [int(numbers[after.classes.index(number)]) for number in range(after.n_classes)]
