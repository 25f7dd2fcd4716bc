"""Bounds against random models with latents, and against linear programmes that are written out by loops."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from ldag.effects.bounding import bound_effect
from ldag.effects.results import EffectQuestion
from ldag.effects.sources import AnswerSource
from ldag.errors import ArgumentError, TooLarge
from ldag.model import Schema, Structure, Variable
from tests.oracle.effects import (
    Array,
    Parameters,
    random_parameters,
    random_structure,
    read_graph,
    structure_of,
    table_after,
    true_effect,
)


def source_of(structure: Structure, latent: frozenset[int], parameters: Parameters) -> AnswerSource:
    """The observed table of a model; latents are summed out."""
    table = table_after(structure, parameters)
    schema = Schema(tuple(Variable(f"v{node}", tuple(range(n))) for node, n in enumerate(structure.n_states)))

    def ask(nodes: tuple[int, ...]) -> Array:
        assert not latent & set(nodes)
        joint = table.sum(axis=tuple(node for node in range(table.ndim) if node not in nodes))
        return np.asarray(joint.transpose([sorted(nodes).index(node) for node in nodes])[None])

    return AnswerSource(schema, tuple(node for node in range(len(structure)) if node not in latent), ask)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32), st.integers(2, 4), st.integers(1, 2), st.integers(2, 3), st.sampled_from([0.0, 0.3]))
def test_every_model_lies_inside_its_bounds(
    seed: int, n_observed: int, n_latent: int, max_states: int, label_rate: float
) -> None:
    """Of one or two treatments, perhaps in a context; and a graph without the labels has bounds that are no tighter."""
    rng = np.random.default_rng(seed)
    structure, latent = random_structure(rng, n_observed, n_latent, max_states, 0.6, label_rate)
    parameters = random_parameters(structure, rng)
    nodes = rng.permutation(n_observed).tolist()
    do = nodes[1 : 2 + int(n_observed > 2 and rng.random() < 0.3)]
    context = {nodes[-1]: 0} if nodes[-1] not in (nodes[0], *do) and rng.random() < 0.4 else {}
    setting = {node: int(rng.integers(structure.n_states[node])) for node in do}
    question = EffectQuestion((nodes[0],), tuple(do), (), context, setting)
    source = source_of(structure, latent, parameters)
    try:
        bounds = bound_effect(structure, latent, question, source)
        plain = structure_of(structure.n_states, [family.parents for family in structure.families])
        wider = bound_effect(plain, latent, question, source)
    except (ArgumentError, TooLarge):
        assume(False)
    truth = true_effect(structure, parameters, [nodes[0]], do, context=context)
    for node in do:
        truth = np.asarray(truth.take(setting[node], axis=1))
    assert bounds.changes[0] < 1e-6
    assert (bounds.low[0] <= truth + 1e-6).all()
    assert (bounds.high[0] >= truth - 1e-6).all()
    assert (wider.low <= bounds.low + 1e-6).all()
    assert (wider.high >= bounds.high - 1e-6).all()


def enumerate_instrument(table: Array, x: int, y: int) -> tuple[float, float]:
    """All functions of Z and of X, by loops: the bounds of P(Y=y | do(X=x)) given P(z, x, y)."""
    n_z, n_x, n_y = table.shape
    types = [(f, g) for f in product(range(n_x), repeat=n_z) for g in product(range(n_y), repeat=n_x)]
    of_z = table.sum(axis=(1, 2))
    left, right = [], []
    for a, b, c in np.ndindex(n_z, n_x, n_y):
        left.append([of_z[a] * (f[a] == b and g[b] == c) for f, g in types])
        right.append(table[a, b, c])
    costs = np.array([float(g[x] == y) for _, g in types])
    ends = [linprog(sign * costs, A_eq=left, b_eq=right, method="highs-ds").fun for sign in (1, -1)]
    return ends[0], -ends[1]


@pytest.mark.parametrize("sizes", [(2, 2, 2), (3, 2, 2), (2, 3, 3), (2, 2, 4)])
def test_instruments_against_all_functions(sizes: tuple[int, int, int]) -> None:
    """Also with three and four states: the same numbers as a programme without any decomposition or merging."""
    named = dict(zip(("Z", "X", "Y"), sizes, strict=True))
    graph = read_graph("Z -> X, X -> Y, X <-> Y", {**named, "U_X_Y": 6})
    z, x, y = graph.numbers("Z X Y")
    parameters = random_parameters(graph.structure, np.random.default_rng(sum(sizes)))
    table = table_after(graph.structure, parameters).sum(axis=tuple(graph.latent))
    table = table.transpose([sorted((z, x, y)).index(node) for node in (z, x, y)])
    source = source_of(graph.structure, graph.latent, parameters)
    question = EffectQuestion((y,), (x,), setting={x: 1})
    bounds = bound_effect(graph.structure, graph.latent, question, source)
    for state in range(sizes[2]):
        low, high = enumerate_instrument(table, 1, state)
        assert bounds.low[0, state] == pytest.approx(low, abs=1e-6)
        assert bounds.high[0, state] == pytest.approx(high, abs=1e-6)


def test_other_districts_enter_as_numbers() -> None:
    """A mediator after the bow: P(y | do(x)) is a sum of what M may be, times P(y | m), by hand."""
    graph = read_graph("X -> M, X <-> M, M -> Y, W -> Y, W <-> Y", {"M": 3, "Y": 3})
    x, m, w, y = graph.numbers("X M W Y")
    parameters = random_parameters(graph.structure, np.random.default_rng(4))
    source = source_of(graph.structure, graph.latent, parameters)
    bounds = bound_effect(graph.structure, graph.latent, EffectQuestion((y,), (x,), setting={x: 1}), source)
    of_y = source.conditional((y,), (m, w))[0] @ source.conditional((w,), ())[0]
    seen = source.conditional((x, m), ())[0]
    rest = seen[0].sum()
    assert bounds.low[0] == pytest.approx(of_y @ seen[1] + rest * of_y.min(axis=1), abs=1e-7)
    assert bounds.high[0] == pytest.approx(of_y @ seen[1] + rest * of_y.max(axis=1), abs=1e-7)
