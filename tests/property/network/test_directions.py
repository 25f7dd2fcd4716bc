"""What is set from outside in a learned network: ranges against every equivalent graph, one by one."""

import warnings
from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ldag import LDAG, GraphWarning, Network
from ldag.model import Schema, Structure, Variable
from tests.oracle import distributions
from tests.oracle import equivalence as oracle

Joint = NDArray[np.float64]


def random_network(structure: Structure, forbidden: set[tuple[int, int]], rng: np.random.Generator) -> Network:
    """Return a network of a regular structure that says of itself that it was learned, under constraints."""
    n_states = structure.n_states
    schema = Schema(tuple(Variable(f"v{node}", tuple(range(n))) for node, n in enumerate(n_states)))
    graph = LDAG(schema, structure)
    rows = {
        variable.name: rng.dirichlet(np.ones(variable.n_states), size=family.partition.n_classes)
        for variable, family in zip(schema, structure.families, strict=True)
    }
    given = Network.from_parameters(graph, rows)
    origin = {"forbidden": [[f"v{i}", f"v{j}"] for i, j in forbidden]}
    return Network(graph, given.probabilities, origin=origin)


def truncated(joint: Joint, dag: oracle.Parents, done: dict[int, int], seen: dict[int, list[float]]) -> Joint:
    """Multiply the conditional distributions of all nodes that are not set, and normalise where these have a state."""
    result = np.ones(joint.shape)
    for node, parents in enumerate(dag):
        if node not in done:
            others = tuple(v for v in range(joint.ndim) if v != node and v not in parents)
            table = joint.sum(axis=others, keepdims=True)
            result = result * table / table.sum(axis=node, keepdims=True)
    for node, code in done.items():
        shape = [joint.shape[node] if axis == node else 1 for axis in range(joint.ndim)]
        result = result * (np.arange(joint.shape[node]) == code).reshape(shape)
    for node, likelihood in seen.items():
        result = result * np.reshape(likelihood, [-1 if axis == node else 1 for axis in range(joint.ndim)])
    return np.asarray(result / result.sum())


@settings(deadline=None, max_examples=80)
@given(st.lists(st.integers(2, 4), min_size=2, max_size=4), st.booleans(), st.integers(0, 2**32 - 1))
def test_ranges_are_over_all_members(n_states: list[int], beyond: bool, seed: int) -> None:
    """Labels, tables and any classes; one or two variables set; nothing, a state or likelihoods seen; constraints."""
    rng = np.random.default_rng(seed)
    draw = oracle.random_classes if beyond and max(n_states) < 4 else oracle.random_structure
    structure = draw(n_states, rng).regular()
    n = len(n_states)
    own = set(structure.edges)
    forbidden = {(i, j) for i, j in product(range(n), repeat=2) if i != j and (i, j) not in own and rng.random() < 0.2}
    net = random_network(structure, forbidden, rng)
    pairs = sorted((min(edge), max(edge)) for edge in structure.edges)
    every = oracle.same_distributions(structure, oracle.orientations(pairs, n), rng)
    dags = [tuple(f.parents for f in member.families) for member in every if not forbidden & set(member.edges)]
    order = rng.permutation(n).tolist()
    target, done = order[0], {node: int(rng.integers(n_states[node])) for node in order[1 : 2 + (n > 3)]}
    seen = {node: rng.random(n_states[node]).tolist() for node in order[1 + len(done) :] if rng.random() < 0.5}
    joint = np.reshape(list(distributions.joint(net).values()), n_states)
    others = tuple(v for v in range(n) if v != target)
    expected = np.array([truncated(joint, dag, done, seen).sum(axis=others) for dag in dags])
    given = {f"v{node}": dict(enumerate(likelihood)) for node, likelihood in seen.items()}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answer = net.query(f"v{target}", given, do={f"v{node}": code for node, code in done.items()})
        everything = net.marginals(given, do={f"v{node}": code for node, code in done.items()})
    assert answer.range is not None
    low, high = np.array(list(answer.range.values())).T
    np.testing.assert_allclose(low, expected.min(axis=0), atol=1e-9)
    np.testing.assert_allclose(high, expected.max(axis=0), atol=1e-9)
    assert everything.range is not None
    np.testing.assert_allclose(np.array(list(everything.range[f"v{target}"].values())).T, [low, high], atol=1e-9)
    is_wide = bool(np.ptp(expected, axis=0).max() > 1e-8)
    assert is_wide <= any(w.category is GraphWarning for w in caught)
    turned = {
        (f"v{i}", f"v{j}") for i, j in structure.edges if (i in done or j in done) and any(j in dag[i] for dag in dags)
    }
    assert set(answer.undetermined) == (turned if is_wide else set())
