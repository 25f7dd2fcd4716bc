"""The exact search over partitions, and the sum over them, agree with going through all partitions."""

import math
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ldag import _native
from tests.oracle import partitions as oracle

GRIDS = [(), (2,), (5,), (2, 2), (3, 2), (2, 3), (1, 3), (2, 4), (3, 3), (2, 2, 2), (9,)]
COUNTS = st.one_of(st.just(0.0), st.integers(0, 30).map(float), st.floats(0, 20), st.just(1e9), st.just(3e9))


@st.composite
def problems(draw: st.DrawFn) -> oracle.Problem:
    """Draw a small grid, counts from none to huge (often equal rows), and any prior."""
    n_states = draw(st.sampled_from(GRIDS))
    r = draw(st.integers(2, 4))
    rows = draw(st.lists(st.tuples(*[COUNTS] * r), min_size=1, max_size=4))
    counts = tuple(draw(st.sampled_from(rows)) for _ in range(math.prod(n_states)))
    equivalent_sample_size = draw(st.sampled_from([1e-6, 0.5, 1.0, 10.0, 1e4]))
    kappa = draw(st.sampled_from([1e-300, 1e-3, 0.1, 0.5, 1.0]))
    sign = draw(st.sampled_from([1, 1, 1, -1]))
    return oracle.Problem(n_states, counts, equivalent_sample_size, sign * (r - 1) * math.log(kappa))


def arguments(problem: oracle.Problem) -> tuple[NDArray[np.float64], tuple[int, ...], float, float]:
    """The leading arguments of the native functions."""
    counts = np.array(problem.counts, dtype=np.float64)
    return counts, problem.n_states, problem.equivalent_sample_size, problem.class_lost


def tolerance(problem: oracle.Problem) -> float:
    """Rounding of ln Gamma at the largest counts, and never less than a tie."""
    total = sum(map(sum, problem.counts)) + problem.equivalent_sample_size
    return 1e-8 + 2e-14 * (total * math.log(total + 2) + 16 * abs(problem.class_lost))


@settings(deadline=None, max_examples=400)
@given(problems(), st.sampled_from(oracle.STRUCTURES), st.booleans())
def test_exact_is_the_best_of_all_partitions(problem: oracle.Problem, structure: str, regular: bool) -> None:
    """The score is the maximum, and the classes are an allowed partition with that score."""
    every = oracle.allowed(problem.n_states, structure, regular)
    classes, score = _native.testing.exact_partition(*arguments(problem), structure, regular)
    found = tuple(classes.tolist())
    assert classes.dtype == np.int32
    assert found in every
    assert abs(score - oracle.scores(problem, [found])[0]) <= tolerance(problem)
    assert abs(score - max(oracle.scores(problem, every))) <= tolerance(problem)


@settings(deadline=None, max_examples=400)
@given(problems(), st.sampled_from(oracle.STRUCTURES), st.booleans())
def test_the_sum_runs_over_all_partitions(problem: oracle.Problem, structure: str, regular: bool) -> None:
    """The sum is that of the partitions one by one."""
    expected = oracle.log_sum(oracle.scores(problem, oracle.allowed(problem.n_states, structure, regular)))
    found = _native.testing.log_sum_partitions(*arguments(problem), structure, regular)
    assert abs(found - expected) <= tolerance(problem)


@settings(deadline=None, max_examples=60)
@given(st.sampled_from([(2, 2, 2, 2), (4, 4), (2, 8), (2, 2, 3), (3, 5), (16,)]), st.integers(0, 2**32), st.booleans())
def test_a_wider_structure_is_at_least_as_good(n_states: tuple[int, ...], seed: int, regular: bool) -> None:
    """Tables are trees, trees are labelled, labels are partial labels, and a graph may have any classes."""
    rng = np.random.default_rng(seed)
    cpt = rng.dirichlet(np.ones(3), size=5)[rng.integers(5, size=math.prod(n_states))]
    counts = np.array([rng.multinomial(rng.integers(200), row) for row in cpt], dtype=np.float64)
    for class_lost in (0.0, -3.0):
        scores, sums = [], []
        for structure in oracle.STRUCTURES:
            scores.append(_native.testing.exact_partition(counts, n_states, 1.0, class_lost, structure, regular)[1])
            sums.append(_native.testing.log_sum_partitions(counts, n_states, 1.0, class_lost, structure, regular))
        assert all(a <= b + 1e-7 for a, b in pairwise(scores))
        assert all(a <= b + 1e-7 for a, b in pairwise(sums))
        assert all(best <= total + 1e-7 for best, total in zip(scores, sums, strict=True))
