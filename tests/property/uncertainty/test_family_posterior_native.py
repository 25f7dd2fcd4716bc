"""All labels of a family together agree with going through them one by one."""

import math
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import ldag
from ldag import _native
from tests.oracle import partitions as oracle

GRIDS = [(), (3,), (2, 2), (3, 2), (2, 4), (2, 2, 2), (1, 2, 3)]


def problem_of(n_states: tuple[int, ...], r: int, seed: int, scale: int, lost: float) -> oracle.Problem:
    """Draw counts; those of several configurations often come from one distribution."""
    rng = np.random.default_rng(seed)
    shared = rng.dirichlet(np.ones(r), size=2)[rng.integers(2, size=math.prod(n_states))]
    counts = tuple(tuple(map(float, rng.multinomial(scale, row))) for row in shared)
    return oracle.Problem(n_states, counts, 1.0, lost)


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(GRIDS),
    st.integers(2, 4),
    st.integers(0, 2**32),
    st.sampled_from([0, 5, 50, 3000]),
    st.sampled_from([0.0, -0.7, -4.0, 60.0]),
    st.booleans(),
)
def test_probabilities_are_shares_of_all_partitions(
    n_states: tuple[int, ...], r: int, seed: int, scale: int, lost: float, regular: bool
) -> None:
    """Pairs, lines, numbers of classes and means; a large price takes sums out of the range of doubles."""
    problem = problem_of(n_states, r, seed, scale, lost)
    every = oracle.allowed(n_states, "ldag", regular)
    scores = np.array(oracle.scores(problem, every))
    shares = np.exp(scores - oracle.log_sum(scores.tolist()))
    counts = np.array(problem.counts)
    found = _native.FamilyPosterior(counts, n_states, 1.0, lost, "ldag", regular)
    q = len(counts)
    assert abs(found.log_sum - oracle.log_sum(scores.tolist())) < 1e-7
    together, mean, sizes = np.zeros((q, q)), np.zeros((q, r)), np.zeros(q + 1)
    for classes, share in zip(every, shares, strict=True):
        same = np.equal.outer(classes, classes)
        together += share * same
        sizes[len(set(classes))] += share
        alpha = same.sum(axis=1, keepdims=True) / (r * q)
        mean += share * (same @ counts + alpha) / (same @ counts + alpha).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found.together(), together, atol=1e-8)
    np.testing.assert_allclose(found.n_classes(), sizes, atol=1e-8)
    np.testing.assert_allclose(found.mean_distributions(), mean, atol=1e-8)
    cells = oracle.cells_of(n_states)
    lines = [(axis, i) for axis in range(len(n_states)) for i in range(q // n_states[axis])][:3]
    inside = 0.0
    for classes, share in zip(every, shares, strict=True):
        number = dict(zip(cells, classes, strict=True))
        inside += share * all(len({number[cell] for cell in oracle.lines(n_states, a)[i]}) == 1 for a, i in lines)
    assert abs(found.all_inside(lines) - inside) < 1e-8


@settings(deadline=None, max_examples=10)
@given(st.sampled_from([(2, 2), (3, 2), (2, 2, 2)]), st.integers(0, 2**32), st.sampled_from([-0.7, 60.0]))
def test_partitions_are_drawn_as_often_as_probable(n_states: tuple[int, ...], seed: int, lost: float) -> None:
    """A chi-square of 4,000 draws against the probabilities; one in a million would fail."""
    problem = problem_of(n_states, 2, seed, 10, lost)
    every = oracle.allowed(n_states, "ldag", True)
    scores = np.array(oracle.scores(problem, every))
    shares = np.exp(scores - oracle.log_sum(scores.tolist()))
    drawn = _native.FamilyPosterior(np.array(problem.counts), n_states, 1.0, lost, "ldag", regular=True).draw(
        4000, seed
    )
    seen = dict.fromkeys(every, 0)
    for row in drawn.tolist():
        seen[tuple(row)] += 1
    common = shares * 4000 >= 5
    observed = np.array([seen[classes] for classes in every])
    squares = float(((observed - 4000 * shares)[common] ** 2 / (4000 * shares[common])).sum())
    degrees = int(common.sum())
    assert squares < degrees + 5 * math.sqrt(2 * degrees) + 25
    rare = 4000 * float(shares[~common].sum())
    assert observed[~common].sum() <= rare + 5 * math.sqrt(rare) + 25


@settings(deadline=None, max_examples=25)
@given(
    st.sampled_from([(2, 3), (4, 2), (2, 2, 2), (2, 1, 3)]),
    st.integers(2, 4),
    st.integers(0, 2**32),
    st.sampled_from([8, 300, 40_000]),
    st.integers(1, 9),
    st.sampled_from([16, 5]),
)
def test_weights_under_several_settings_are_those_under_each(
    n_states: tuple[int, ...], r: int, seed: int, n_rows: int, n_settings: int, largest: int
) -> None:
    """Summed over side by side, four at a time, or in logarithms where there are many rows; against all partitions."""
    rng = np.random.default_rng(seed)
    codes = [rng.integers(n, size=n_rows) for n in n_states]
    chances = rng.dirichlet(np.ones(r), size=3)[rng.integers(3, size=n_states)]
    node = (rng.random(n_rows)[:, None] > chances[tuple(codes)].cumsum(axis=1)).sum(axis=1).clip(max=r - 1)
    states = {f"x{i}": list(range(n)) for i, n in enumerate((*n_states, r))}
    table = {name: column.tolist() for name, column in zip(states, [*codes, node], strict=True)}
    data = ldag.read(table, states=states)
    kinds = [(prior, kappa) for prior in ("normalised", "labels") for kappa in (0.05, 0.7)]
    every = [(prior, kappa, size) for size in (0.5, 10.0) for prior, kappa in kinds] + [("table", 1.0, 10.0)]
    chosen = [every[place] for place in sorted(rng.choice(len(every), n_settings, replace=False).tolist())]
    parents = tuple(range(len(n_states)))
    family = np.array([len(n_states)], dtype=np.uint32), np.array(parents, dtype=np.uint32), np.array([0, len(parents)])
    weights = _native.log_weights(data.columns, chosen, largest, [], *family, n_threads=1)
    counts = oracle.Problem(
        n_states, tuple(map(tuple, data.counts(f"x{len(n_states)}", [f"x{i}" for i in parents]))), 1, 0
    )
    for weight, (prior, kappa, size) in zip(weights[0], chosen, strict=True):
        is_table = prior == "table" or math.prod(n_states) > largest
        lost = 0.0 if is_table else (r - 1) * math.log(kappa)
        partitions = oracle.allowed(n_states, "table" if is_table else "ldag", True)
        problem = replace(counts, equivalent_sample_size=size, class_lost=lost)
        expected = oracle.log_sum(oracle.scores(problem, partitions))
        saved = [lost * (math.prod(n_states) - len(set(classes))) for classes in partitions]
        expected -= oracle.log_sum(saved) if prior == "normalised" and not is_table else 0.0
        assert abs(weight - expected) < 1e-7 * max(1.0, abs(expected) / 1000)
