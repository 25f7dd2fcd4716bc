"""Many families that differ in one parent, counted together: the same scores as one by one."""

from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldag import _native
from tests.oracle import family as oracle
from tests.oracle.division import Division
from tests.oracle.set_scores import score_family

SHAPES = [(2,) * 10, (2, 2, 2), (3,) * 6, (4, 3, 2, 3, 4, 2), (2, 1, 4, 4, 4, 3), (2,)]


def columns_of(rng: np.random.Generator, n_states: list[int], is_weighted: bool) -> _native.Columns:
    """Some rows, among them equal ones, of variables the first of which depends on the next two."""
    codes = np.array([rng.integers(0, n, 90) for n in n_states], dtype=np.uint8)
    codes[0] = (codes[1] + codes[-1] + rng.integers(0, 2, 90)) % n_states[0]
    weights = rng.integers(1, 4, 90) if is_weighted else None
    return _native.Columns(np.ascontiguousarray(codes), n_states, weights)


@settings(deadline=None, max_examples=60)
@given(
    st.integers(0, 2**32),
    st.sampled_from(SHAPES),
    st.integers(1, 4),
    st.sampled_from(["table", "tree", "ldag"]),
    st.booleans(),
)
def test_additions_score_as_families_do(
    seed: int, shape: tuple[int, ...], n_states: int, structure: str, is_weighted: bool
) -> None:
    """To the last bit, whether tables are small, or so large that only what occurs is counted."""
    rng = np.random.default_rng(seed)
    if structure == "ldag":
        shape = shape[:3]  # labels of large grids take long
    states = [n_states, *shape, 2, 3]
    columns = columns_of(rng, states, is_weighted)
    parents = sorted(rng.choice(range(1, len(states)), len(shape), replace=False).tolist())
    further = [node for node in range(1, len(states)) if node not in parents]
    sign = rng.choice([-1, 1])
    options = (2.0, sign * log(0.4), 0.1, structure, "greedy", True, 0, 5)
    found = _native.FamilyScorer(columns, *options, 0).scores_of_additions(0, parents, further)
    families = [sorted([*parents, other]) for other in further]
    offsets = np.cumsum([0, *map(len, families)], dtype=np.int64)
    nodes = np.zeros(len(families), dtype=np.uint32)
    flat = np.array([node for family in families for node in family], dtype=np.uint32)
    one_by_one = _native.FamilyScorer(columns, *options, 0).scores(nodes, flat, offsets, 1)
    assert found == one_by_one.tolist()


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 2**32), st.sampled_from([(4, 4, 4, 2), (3, 3, 3, 3)]), st.booleans())
def test_large_trees_are_those_of_the_twin(seed: int, shape: tuple[int, ...], regular: bool) -> None:
    """Counted sparsely and grown in full, with two prices of a class."""
    rng = np.random.default_rng(seed)
    states = [2, *shape, 4]
    columns = columns_of(rng, states, False)
    parents = list(range(1, len(states)))
    price = rng.choice([-1.0, 0.5])
    found = _native.FamilyScorer(columns, 2.0, price, 0.0, "tree", "greedy", regular, 0, 5, 0)
    (score,) = found.scores_of_additions(0, parents[:-1], parents[-1:])
    table = columns.counts([*parents, 0]).reshape(-1, 2).astype(float)
    problem = oracle.Problem(tuple(states[1:]), table.tolist(), 2.0, price, regular)
    # Without a price on empty leaves, the twin would take very long: compare its score of the tree found.
    classes, total, *_ = _native.optimise_family(table, states[1:], 2.0, price, "tree", "greedy", regular)
    assert score == total
    members = [np.flatnonzero(classes == number).tolist() for number in range(max(classes) + 1)]
    assert total == pytest.approx(problem.score(members), abs=1e-8)


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32), st.sampled_from([0, 1, 30, 400]), st.sampled_from([0.1, 1.0, 20.0]), st.booleans())
def test_full_tables_score_as_the_twin_says(seed: int, n_rows: int, size: float, is_weighted: bool) -> None:
    """Whatever was scored before, in whatever order; 1 to 4 states, rows that occur often, and a row of none."""
    rng = np.random.default_rng(seed)
    states = [2, 3, 4, 2, 1, 3, 4, 2]
    codes = np.array([rng.integers(0, n, n_rows) for n in states], dtype=np.uint8).reshape(len(states), n_rows)
    codes[1] = (codes[0] + codes[2] // 2) % 3
    weights = rng.choice([0, 1, 2, 40], n_rows) if is_weighted else np.ones(n_rows, dtype=np.int64)
    columns = _native.Columns(codes, states, weights if is_weighted else None)
    scorer = _native.FamilyScorer(columns, size, 0.0, 0.25, "table", "greedy", True, 0, 5, 1 << 16)
    for _ in range(4):
        node, *others = rng.permutation(len(states)).tolist()
        n_parents = int(rng.integers(0, 4))
        parents, further = sorted(others[:n_parents]), others[n_parents:]
        found = scorer.scores_of_additions(node, parents, further)
        for other, score in zip(further, found, strict=True):
            family = sorted([*parents, other])
            n_parameters = (states[node] - 1) * np.prod([states[parent] for parent in family])
            expected = score_family(codes, weights.tolist(), states, node, family, size) + 0.25 * n_parameters
            assert score == pytest.approx(expected, abs=1e-9)


@settings(deadline=None, max_examples=60)
@given(
    st.integers(0, 2**32),
    st.lists(st.integers(2, 4), min_size=1, max_size=3),
    st.integers(2, 4),
    st.integers(2, 4),
    st.sampled_from(["ldag", "partial", "graph"]),
    st.sampled_from([0.1, 0.5, 0.9, 1.0]),
)
def test_estimates_are_half_way_between_divided_classes_and_the_bound(
    seed: int, shape: list[int], n_states: int, n_further: int, structure: str, kappa: float
) -> None:
    """The further parent stands before, between or behind the others; few of the cells may be visited."""
    rng = np.random.default_rng(seed)
    states = [n_states, *shape, 3]
    axis = int(rng.integers(0, len(shape) + 1))
    states.insert(1 + axis, n_further)
    columns = columns_of(rng, states, is_weighted=bool(rng.integers(2)))
    parents = [node for node in range(1, len(states) - 1) if node != 1 + axis]
    scorer = _native.FamilyScorer(columns, 2.0, log(kappa), 0.1, structure, "greedy", True, 0, 5, 0)
    (found,) = _native.testing.estimate_additions(scorer, 0, parents, [1 + axis])

    lost = (n_states - 1) * log(kappa)
    table = columns.counts([*parents, 0]).reshape(-1, n_states).astype(float)
    without = _native.optimise_family(table, [states[i] for i in parents], 2.0, lost, structure, "greedy", True)[0]
    classes = [np.flatnonzero(without == number).tolist() for number in range(max(without) + 1)]
    everything = columns.counts([*sorted([*parents, 1 + axis]), 0]).reshape(-1, n_states).astype(float)
    grown = oracle.Problem(tuple(states[1:-1]), everything.tolist(), 2.0, lost, regular=True)
    divided = Division(grown, axis, classes, divides_in_two=structure != "ldag" and n_further > 2).score()
    bound = _native.testing.bound_score(everything, grown.n_states, 2.0, lost)
    prior = 0.1 * (n_states - 1) * len(everything)
    assert found == pytest.approx(0.5 * (divided + bound) + prior, abs=1e-7)
