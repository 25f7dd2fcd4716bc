"""The posterior over decomposable graphs against a list of all of them, each once."""

from itertools import combinations, product
from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ldag
from ldag.formats import Context
from tests.oracle import partitions as oracle
from tests.oracle.posterior import Question
from tests.oracle.strata import StratifiedGraph, all_stratified


def _rows(seed: int, n_states: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, n_states, (40, len(n_states)))
    for v in range(1, len(n_states)):
        rows[:, v] = np.where(rng.random(40) < 0.6, rows[:, rng.integers(0, v)] % n_states[v], rows[:, v])
    return tuple(map(tuple, rows.tolist()))


SIZES = [(2, 2, 2), (2, 3, 2), (3, 2, 3), (2, 4, 2), (2, 2, 2, 2), (2, 3, 2, 2)]


@settings(max_examples=15, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from(SIZES),
    st.sampled_from([0.05, 0.4, 1.0]),
    st.sampled_from([1.0, 5.0]),
    st.sampled_from(["ldag", "table"]),
)
def test_against_all_graphs(seed: int, n_states: tuple[int, ...], kappa: float, size: float, structure: str) -> None:
    """Evidence, edges and strata, with at most two parents."""
    rows, names = _rows(seed, n_states), "abcd"[: len(n_states)]
    prior = "labels" if structure == "ldag" else "table"
    weights = all_stratified(Question(rows, n_states, kappa, prior, size), 2)
    before = all_stratified(Question((), n_states, kappa, prior, size), 2)
    total = oracle.log_sum(list(weights.values()))
    data = ldag.read(
        {name: [row[v] for row in rows] for v, name in enumerate(names)},
        states={name: range(n) for name, n in zip(names, n_states, strict=True)},
    )
    options = {"structure": "table"} if structure == "table" else {"kappa": kappa}
    post = ldag.posterior(data, decomposable=True, equivalent_sample_size=size, max_parents=2, **options)
    assert post.log_evidence == pytest.approx(total - oracle.log_sum(list(before.values())), abs=1e-9)
    for a, b in combinations(range(len(names)), 2):
        expected = sum(exp(w - total) for (edges, _), w in weights.items() if frozenset((a, b)) in edges)
        assert post.edge(names[a], names[b]) == pytest.approx(expected, abs=1e-9)
        assert post.edge(names[b], names[a]) == post.edge(names[a], names[b])
    n_asked = sum(n_states[k] for *_, k in _triples(len(names)))
    assert len(post.strata) == (n_asked if structure == "ldag" else 0)
    for one in post.strata:
        a, b, (k, code) = names.index(one.first), names.index(one.second), _code(one.context, names)
        both = sum(exp(w - total) for graph, w in weights.items() if _holds(graph, n_states, (a, b, k, code)))
        assert one.probability == pytest.approx(both, abs=1e-9)
        joined = post.edge(one.first, one.second)
        assert one.given_edge * joined == pytest.approx(both, abs=1e-9)
        assert post.stratum(one.second, one.first, context=one.context) == one.given_edge


def _triples(n: int) -> list[tuple[int, int, int]]:
    return [(a, b, k) for a, b in combinations(range(n), 2) for k in range(n) if k not in (a, b)]


def _code(context: Context, names: str) -> tuple[int, int]:
    ((name, state),) = context.items()
    assert isinstance(state, int)
    return names.index(name), state


def _holds(graph: StratifiedGraph, n_states: tuple[int, ...], asked: tuple[int, int, int, int]) -> bool:
    """Whether the stratum of an edge holds all configurations in which one node has a state."""
    a, b, k, code = asked
    for pair, scope, held in graph[1]:
        if pair == {a, b} and k in scope:
            place = sorted(scope).index(k)
            cells = product(*(range(n_states[node]) for node in sorted(scope)))
            return {cell for cell in cells if cell[place] == code} <= held
    return False
