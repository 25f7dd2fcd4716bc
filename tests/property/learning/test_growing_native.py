"""Trees grown from rows: the loop agrees with its slow twin, and with growth on the grid."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, product
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ldag import _native
from tests.oracle import growing as oracle


def related_rows(n_states: Sequence[int], n_rows: int, noise: float, seed: int) -> list[tuple[int, ...]]:
    """Rows in which every column is a function of the columns before it, drawn at random, but for some cells."""
    rng = np.random.default_rng(seed)
    codes = np.empty((n_rows, len(n_states)), dtype=np.int64)
    order = rng.permutation(len(n_states))
    for place, node in enumerate(order):
        above = order[max(place - 3, 0) : place]
        grid = rng.integers(0, n_states[node], [n_states[v] for v in above])
        drawn = rng.integers(0, n_states[node], n_rows)
        known = grid[tuple(codes[:, above].T)] if place else drawn
        codes[:, node] = np.where(rng.random(n_rows) < noise, drawn, known)
    return [tuple(row) for row in codes.tolist()]


@st.composite
def problems(draw: st.DrawFn, most_rows: int = 150) -> oracle.Problem:
    """Three to five variables of one to four states, rows with or without weights, and every option."""
    n_states = draw(st.lists(st.sampled_from([2, 3, 4, 2, 3, 2, 3, 1]), min_size=3, max_size=5))
    nodes = range(len(n_states))
    n_rows = draw(st.sampled_from([most_rows, most_rows // 2, most_rows, 5, 0]))
    rows = related_rows(n_states, n_rows, draw(st.sampled_from([0.1, 0.4, 0.0])), draw(st.integers(0, 10**6)))
    worth = draw(st.sampled_from([st.just(1.0), st.integers(0, 9).map(float), st.sampled_from([0.3, 1.7, 2.25])]))
    weights = draw(st.lists(worth, min_size=len(rows), max_size=len(rows)))
    candidates = [[v for v in nodes if v != node and draw(st.integers(0, 4)) < 4] for node in nodes]
    order = draw(st.permutations(list(nodes)))
    if draw(st.booleans()):
        candidates = [[v for v in above if order.index(v) < order.index(node)] for node, above in enumerate(candidates)]
    required = [
        [v for v in above if order.index(v) < order.index(node) and draw(st.integers(0, 3)) == 3]
        for node, above in enumerate(candidates)
    ]
    complete = draw(st.booleans())
    least = [1 + sum(n_states[v] - 1 if complete else n_states[v] > 1 for v in above) for above in required]
    prior = draw(st.sampled_from(["parameters", "leaves", "nested", "uniform"]))
    return oracle.Problem(
        rows,
        weights,
        n_states,
        candidates,
        required,
        [draw(st.sampled_from([4, max(len(above), 1), len(above)])) for above in required],
        [n + draw(st.sampled_from([1000, 0, 1, 3, 1000])) for n in least],
        prior,
        draw(st.sampled_from([0.1, 1.0, 2.0, 50.0])),
        0.0 if prior == "uniform" else log(draw(st.sampled_from([0.9, 0.3, 0.01, 1.0]))),
        complete,
        draw(st.lists(st.booleans(), min_size=len(n_states), max_size=len(n_states))),
        draw(st.booleans()),
        [draw(st.sampled_from([0.0, 0.0, 0.7])) for _ in nodes],
    )


@dataclass(frozen=True)
class Tree:
    """What the loop tells of one tree, as lists."""

    axes: list[int]
    targets: list[int]
    counts: list[list[float]]
    asked: list[int]
    steps: list[int]
    gains: list[float]
    log_marginal_likelihood: float
    log_prior: float


def grow(problem: oracle.Problem, n_threads: int = 1) -> list[Tree]:
    """Grow by the native loop."""
    codes = np.array(problem.rows, dtype=np.uint8).reshape(-1, len(problem.n_states)).T.copy()
    weights: NDArray[np.int64] | NDArray[np.float64] | None = np.array(problem.weights, dtype=np.float64)
    if all(weight == int(weight) for weight in problem.weights):
        weights = None if set(problem.weights) <= {1.0} else np.array(problem.weights, dtype=np.int64)
    trees, n_steps, stopped = _native.grow_trees(
        _native.Columns(codes, list(problem.n_states), weights),
        problem.candidates,
        problem.required,
        problem.max_parents,
        problem.max_leaves,
        problem.prior,
        problem.equivalent_sample_size,
        problem.log_kappa,
        "complete" if problem.complete else "binary",
        [int(flag) for flag in problem.ordered],
        problem.levels,
        problem.prices,
        n_threads,
    )
    assert not stopped
    assert n_steps == sum(len(tree[5]) for tree in trees)
    return [read_tree(*tree) for tree in trees]


def read_tree(
    axes: NDArray[np.int32],
    targets: NDArray[np.int32],
    counts: NDArray[np.float64],
    asked: NDArray[np.int32],
    steps: NDArray[np.int32],
    gains: NDArray[np.float64],
    likelihood: float,
    log_prior: float,
) -> Tree:
    """Make lists of arrays."""
    arrays = axes.tolist(), targets.tolist(), counts.tolist(), asked.tolist(), steps.tolist(), gains.tolist()
    return Tree(*arrays, likelihood, log_prior)


def tolerance(problem: oracle.Problem) -> float:
    """How far sums in another order may differ."""
    return 1e-9 * (1 + sum(problem.weights))


@settings(deadline=None, max_examples=250)
@given(problems())
def test_the_same_trees_as_the_slow_twin(problem: oracle.Problem) -> None:
    """Trees, steps, gains, counts and scores, whatever the prior, the splits, the prices and the constraints."""
    expected = oracle.Grower(problem).run()
    near = tolerance(problem)
    for node, (tree, twin) in enumerate(zip(grow(problem), expected, strict=True)):
        axes, targets, counts, asked = oracle.flatten(problem, node, twin)
        assert (tree.axes, tree.targets, tree.asked) == (axes, targets, asked)
        assert tree.steps == [i for i, (places, _) in enumerate(twin.steps) for _ in places]
        assert tree.gains == pytest.approx([gain for _, gain in twin.steps], abs=near)
        np.testing.assert_allclose(tree.counts, counts, atol=1e-9)
        likelihood = oracle.log_marginal_likelihood(problem, node, twin)
        assert tree.log_marginal_likelihood == pytest.approx(likelihood, abs=near)
        n_leaves = len(list(twin.root.leaves()))
        assert tree.log_prior == pytest.approx(n_leaves * (problem.n_states[node] - 1) * problem.log_kappa)


@settings(deadline=None, max_examples=50)
@given(problems())
def test_threads_change_nothing(problem: oracle.Problem) -> None:
    """To the last bit."""
    assert grow(problem, 1) == grow(problem, 3)


@settings(deadline=None, max_examples=100)
@given(problems())
def test_steps_add_up_to_the_score(problem: oracle.Problem) -> None:
    """The score is that of the root and what all steps gained, the price of the choice aside."""
    for node, tree in enumerate(grow(problem)):
        root = grow(
            replace(problem, candidates=[[] for _ in problem.n_states], required=[[] for _ in problem.n_states])
        )
        start = root[node].log_marginal_likelihood + root[node].log_prior
        paid = len(tree.gains) * problem.prices[node]
        assert tree.log_marginal_likelihood + tree.log_prior == pytest.approx(
            start + sum(tree.gains) + paid, abs=tolerance(problem)
        )


def first_cells(tree: Tree, parents: Sequence[int], n_states: Sequence[int]) -> dict[int, int]:
    """Return the first configuration of the parents that comes to each tree node, by number."""
    firsts: dict[int, int] = {}
    offsets = [0, *accumulate(n_states[axis] if axis >= 0 else 0 for axis in tree.axes)]
    for cell, configuration in enumerate(product(*(range(n_states[v]) for v in parents))):
        place = 0
        firsts.setdefault(place, cell)
        while (axis := tree.axes[place]) >= 0:
            place = tree.targets[offsets[place] + configuration[parents.index(axis)]]
            firsts.setdefault(place, cell)
    return firsts


@settings(deadline=None, max_examples=100)
@given(problems(most_rows=300))
def test_the_grid_grows_the_same_tree(problem: oracle.Problem) -> None:
    """With complete splits the grid search makes the same steps, given the parents that were asked about."""
    plain = replace(
        problem,
        complete=True,
        levels=False,
        prices=[0.0] * len(problem.n_states),
        required=[[] for _ in problem.n_states],
        max_leaves=[1 << 60] * len(problem.n_states),
        prior="leaves" if problem.prior == "leaves" else "parameters",
    )
    for node, tree in enumerate(grow(plain)):
        parents = sorted(set(tree.axes) - {-1})
        shape = [plain.n_states[v] for v in parents]
        counts = np.zeros((*shape, plain.n_states[node]))
        for row, weight in zip(plain.rows, plain.weights, strict=True):
            counts[(*(row[v] for v in parents), row[node])] += weight
        lost = -(plain.n_states[node] - 1) * plain.log_kappa
        _, _, likelihood, _, (axes, lines, _, gains) = _native.optimise_family(
            counts.reshape(-1, plain.n_states[node]),
            shape,
            plain.equivalent_sample_size,
            lost,
            "tree",
            per_class=plain.prior == "leaves",
        )
        firsts = first_cells(tree, parents, plain.n_states)
        assert [parents[axis] for axis in axes] == [tree.axes[place] for place in tree.asked]
        assert lines.tolist() == [firsts[place] for place in tree.asked]
        assert tree.gains == pytest.approx(gains.tolist(), abs=tolerance(plain))
        assert tree.log_marginal_likelihood == pytest.approx(likelihood, abs=tolerance(plain))
