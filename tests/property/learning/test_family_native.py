"""The native searches over the partitions of a family agree with their slow twins."""

from collections.abc import Sequence
from dataclasses import replace
from math import lgamma, log, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldag import _native
from tests.oracle import family as oracle
from tests.oracle.score import log_gamma

SHAPES = [(), (2,), (3,), (2, 2), (2, 3), (3, 2), (4, 2), (3, 3), (2, 1, 2), (2, 2, 2), (2, 2, 3), (4, 3), (3, 2, 2)]
SMALL = [(2,), (4,), (2, 2), (3, 2), (2, 3)]
MERGED = ["ldag", "partial", "graph"]
STRUCTURES = ["tree", *MERGED]


@st.composite
def problems(draw: st.DrawFn, shapes: Sequence[tuple[int, ...]] = SHAPES, largest: int = 300) -> oracle.Problem:
    """Counts with many zeros, any prior from nearly none to overwhelming, and parents with an order or without.

    An order says something to the structure "partial" only.
    """
    n_states = draw(st.sampled_from(shapes))
    r = draw(st.integers(2, 4))
    count = st.one_of(st.just(0), st.integers(0, 9), st.integers(0, largest)).map(float)
    row = st.one_of(st.just([0.0] * r), st.lists(count, min_size=r, max_size=r))
    counts = draw(st.lists(row, min_size=prod(n_states), max_size=prod(n_states)))
    kappa = draw(st.sampled_from([1e-300, 1e-3, 0.1, 0.3, 0.5, 0.9, 1.0]))
    sign = draw(st.sampled_from([1, 1, 1, -1]))
    size = draw(st.sampled_from([1e-6, 0.1, 1.0, 1.0, 10.0, 1e4]))
    ordered = tuple(draw(st.lists(st.booleans(), min_size=len(n_states), max_size=len(n_states))))
    return oracle.Problem(n_states, counts, size, sign * (r - 1) * log(kappa), draw(st.booleans()), ordered)


class Found:
    """What a native search found, as lists."""

    def __init__(self, problem: oracle.Problem, structure: str, labels: str, seed: int = 1, n_restarts: int = 4):
        counts = np.array(problem.counts, dtype=np.float64).reshape(prod(problem.n_states), -1)
        numbers, self.score, self.likelihood, self.is_exact, steps = _native.optimise_family(
            counts,
            problem.n_states,
            problem.equivalent_sample_size,
            problem.class_lost,
            structure,
            labels,
            problem.regular,
            seed,
            n_restarts,
            ordered=[int(flag) for flag in problem.ordered] if structure == "partial" else [],
            per_class=problem.per_class,
        )
        self.numbers: list[int] = numbers.tolist()
        self.classes = [np.flatnonzero(numbers == number).tolist() for number in range(max(self.numbers) + 1)]
        columns = (column.tolist() for column in steps)
        self.steps = [oracle.Step(*step) for step in zip(*columns, strict=True)]


def noise(problem: oracle.Problem) -> float:
    """How far two ways to add up the score may differ."""
    total = sum(map(sum, problem.counts)) + problem.equivalent_sample_size
    return 1e-9 + 1e-13 * (total * log(total + 2) + abs(problem.class_lost) * len(problem.counts))


def assert_same_steps(found: Sequence[oracle.Step], expected: Sequence[oracle.Step], tolerance: float) -> None:
    """The same line at every step, with the same gain."""
    assert [(s.axis, s.line, s.classes_lost) for s in found] == [(s.axis, s.line, s.classes_lost) for s in expected]
    assert [s.gain for s in found] == pytest.approx([s.gain for s in expected], abs=tolerance)


def assert_sound(problem: oracle.Problem, structure: str, found: Found) -> None:
    """The partition is allowed, numbered by first appearance, and scores what it is said to score."""
    assert list(dict.fromkeys(found.numbers)) == list(range(len(found.classes)))
    assert oracle.is_allowed(problem, structure, found.classes)
    assert found.score == pytest.approx(problem.score(found.classes), abs=noise(problem))


@pytest.mark.parametrize("structure", MERGED)
@settings(deadline=None, max_examples=120)
@given(problems())
def test_greedy_merging_takes_the_steps_of_the_twin(structure: str, problem: oracle.Problem) -> None:
    """Algorithm 1 and its siblings choose the same merges; decision graphs may split afterwards."""
    found = Found(problem, structure, "greedy")
    classes, steps = oracle.merge(problem, structure)
    has_split = any(step.classes_lost < 0 for step in found.steps)
    assert_same_steps(found.steps[: len(steps)], steps, noise(problem))
    if structure != "graph":
        assert not has_split
    if not has_split:
        assert len(found.steps) == len(steps)
        assert found.classes == classes
    assert_sound(problem, structure, found)


@settings(deadline=None, max_examples=120)
@given(problems(), st.booleans())
def test_trees_grow_as_the_twin(problem: oracle.Problem, per_class: bool) -> None:
    """The same splits in the same order, and the same leaves, also where every leaf has a sample size of its own."""
    problem = replace(problem, per_class=per_class)
    found = Found(problem, "tree", "greedy")
    classes, steps = oracle.grow(problem)
    assert_same_steps(found.steps, steps, noise(problem))
    assert found.classes == classes
    assert_sound(problem, "tree", found)


@pytest.mark.parametrize("structure", MERGED)
@settings(deadline=None, max_examples=60)
@given(problems())
def test_gains_add_up(structure: str, problem: oracle.Problem) -> None:
    """The score is that of the singletons plus all gains."""
    found = Found(problem, structure, "greedy")
    start = problem.score([[cell] for cell in range(len(problem.counts))])
    assert found.score == pytest.approx(start + sum(step.gain for step in found.steps), abs=noise(problem))


@settings(deadline=None, max_examples=60)
@given(problems(shapes=[(2, 2), (3, 2), (2, 2, 2)], largest=10**9))
def test_huge_counts_merge_the_best_line_at_every_step(problem: oracle.Problem) -> None:
    """Replayed on the twin, every step is as good as the best up to rounding, and none was left out."""
    classes: oracle.Classes = [[cell] for cell in range(len(problem.counts))]
    tolerance = noise(problem)
    for step in Found(problem, "ldag", "greedy").steps:
        options = oracle.options(problem, "ldag", classes)
        assert step.gain >= max((option.gain for option, _ in options), default=0.0) - tolerance
        after = oracle.joined(classes, oracle.lines(problem, step.axis)[step.line])
        assert step.gain == pytest.approx(problem.score(after) - problem.score(classes), abs=tolerance)
        assert not problem.regular or oracle.is_regular(problem, after)
        classes = after
    assert all(option.gain <= tolerance for option, _ in oracle.options(problem, "ldag", classes))


@pytest.mark.parametrize("structure", STRUCTURES)
@settings(deadline=None, max_examples=60)
@given(problems(), st.integers(0, 2**64 - 1))
def test_refining_never_loses(structure: str, problem: oracle.Problem, seed: int) -> None:
    """Refined labels are allowed, at least as good as greedy ones, and the same for the same seed."""
    greedy = Found(problem, structure, "greedy")
    refined = Found(problem, structure, "refined", seed)
    assert refined.score >= greedy.score - noise(problem)
    assert_sound(problem, structure, refined)
    assert refined.steps == greedy.steps
    assert refined.numbers == Found(problem, structure, "refined", seed).numbers


@pytest.mark.parametrize("structure", ["ldag", "partial"])
@settings(deadline=None, max_examples=60)
@given(problems(shapes=[(2, 2, 2), (2, 2, 2, 2), (3, 3), (4, 2), (3, 3, 2)]))
def test_nothing_can_be_taken_out_of_refined_labels(structure: str, problem: oracle.Problem) -> None:
    """No configuration or line gains by being a class of its own, with what its class then falls into."""
    problem = replace(problem, regular=False)
    found = Found(problem, structure, "refined")
    blocks = [[cell] for cell in range(len(problem.counts))]
    if structure == "ldag":
        blocks += [line for axis in range(len(problem.n_states)) for line in oracle.lines(problem, axis)]
    for block in blocks:
        after = [block]
        for cells in found.classes:
            left = [cell for cell in cells if cell not in block]
            after += oracle.parts(problem, structure, left) if len(left) < len(cells) else [cells]
        assert problem.score(after) <= found.score + noise(problem)


@pytest.mark.parametrize("structure", MERGED)
@settings(deadline=None, max_examples=40)
@given(problems(shapes=SMALL))
def test_no_search_beats_the_enumeration_of_all_partitions(structure: str, problem: oracle.Problem) -> None:
    """On up to six configurations the optimum is known, and an exact search finds it."""
    best = oracle.best_score(problem, structure)
    assert Found(problem, structure, "refined").score <= best + noise(problem)
    exact = Found(problem, structure, "exact")
    assert exact.is_exact
    assert_sound(problem, structure, exact)
    assert exact.score == pytest.approx(best, abs=noise(problem))


@settings(deadline=None, max_examples=80)
@given(problems(shapes=[*SMALL, (2, 1, 2), (2, 2, 2), (2, 3, 2)]), st.booleans())
def test_refined_trees_are_the_best_of_all_trees(problem: oracle.Problem, per_class: bool) -> None:
    """The dynamic programme over sub-cubes finds what trying every tree finds, and so does the one over subsets."""
    problem = replace(problem, per_class=per_class)
    best = oracle.best_tree_score(problem)
    for labels in ("refined", "exact"):
        found = Found(problem, "tree", labels)
        assert found.is_exact
        assert found.score == pytest.approx(best, abs=noise(problem))


@settings(deadline=None, max_examples=300)
@given(
    st.one_of(
        st.floats(1e-300, 1e12),
        st.floats(-300, 12).map(lambda exponent: float(10**exponent)),
        st.floats(0.9, 2.1),
        st.floats(7, 9),
        st.integers(1, 10**6).map(float),
    )
)
def test_log_gamma_agrees_with_forty_digits(x: float) -> None:
    """The error is 1e-13 relative, absolute near the zeros at 1 and 2."""
    expected = log_gamma(x)
    assert _native.testing.log_gamma(x) == pytest.approx(float(expected), rel=1e-13, abs=1e-14)


@given(problems(shapes=SMALL))
@settings(max_examples=100, deadline=None)
def test_no_partition_scores_more_than_the_bound(problem: oracle.Problem) -> None:
    """Neither by the slow twin, which is the sharper one, nor by the native one, for any partition at all."""
    counts = np.array(problem.counts, dtype=np.float64).reshape(prod(problem.n_states), -1)
    bound = _native.testing.bound_score(counts, problem.n_states, problem.equivalent_sample_size, problem.class_lost)
    slow = oracle.bound_score(problem)
    slack = 1e-9 * (1 + np.abs(counts).sum())
    assert slow <= bound + slack
    assert oracle.best_score(replace(problem, regular=False), "graph") <= slow + slack


@given(
    st.lists(st.integers(0, 40), min_size=2, max_size=4), st.integers(1, 30), st.integers(1, 30), st.floats(1e-6, 50)
)
@settings(max_examples=100, deadline=None)
def test_growing_by_unvisited_cells_gains_at_most_the_logarithm(
    row: list[int], size: int, more: int, alpha: float
) -> None:
    """A class of k + 1 states that occur gains at most k ln(s' / s) from s to s' cells: what bounds rest on."""
    if sum(row) == 0:
        return

    def score(n_cells: int) -> float:
        a = alpha * n_cells
        states = sum(lgamma(n + a) - lgamma(a) for n in row if n > 0)
        return states + lgamma(len(row) * a) - lgamma(sum(row) + len(row) * a)

    k = sum(n > 0 for n in row) - 1
    assert score(size + more) <= score(size) + k * log((size + more) / size) + 1e-7


@pytest.mark.parametrize(("n_states", "structure"), [((2, 2, 2, 2, 2), "ldag"), ((4, 3, 2), "partial")])
@pytest.mark.parametrize("seed", range(2))
def test_classes_that_take_up_unvisited_cells_merge_as_the_twin_does(
    n_states: tuple[int, ...], structure: str, seed: int
) -> None:
    """Few rows on a large grid at no price: step by step the same, though gains with other classes are bounds."""
    rng = np.random.default_rng(seed)
    counts = np.zeros((prod(n_states), 3))
    visited = rng.choice(len(counts), size=5, replace=False)
    counts[visited] = rng.integers(0, 6, size=(5, 3))
    problem = oracle.Problem(n_states, counts.tolist(), 1.0, 0.0, regular=False)
    found = Found(problem, structure, "greedy")
    classes, steps = oracle.merge(problem, structure)
    assert found.classes == sorted(sorted(members) for members in classes)
    assert [(step.axis, step.line) for step in found.steps] == [(step.axis, step.line) for step in steps]
    assert max(len(members) for members in classes) > 5


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_a_class_that_drifts_little_gains_little_more(data: st.DataObject) -> None:
    """Shares of states and cells bound what a union can come to gain: what merging rests on."""
    r = data.draw(st.integers(2, 4))
    rows = st.lists(st.integers(0, 60), min_size=r, max_size=r)
    before, more, others = data.draw(rows), data.draw(rows), data.draw(rows)
    n, m = sum(before), sum(others)
    if n == 0:
        return
    more = [count if has > 0 else 0 for count, has in zip(more, before, strict=True)]  # no state that did not occur
    sizes = st.integers(1, 40)
    size, further, joined = data.draw(sizes), data.draw(sizes) - 1, data.draw(sizes)
    alpha = data.draw(st.floats(1e-6, 5))

    def gain(counts: Sequence[int], n_cells: int) -> float:
        union = [a + b for a, b in zip(counts, others, strict=True)]
        return score(union, n_cells + joined) - score(counts, n_cells)

    def score(counts: Sequence[int], n_cells: int) -> float:
        a = alpha * n_cells
        states = sum(lgamma(count + a) - lgamma(a) for count in counts if count > 0)
        return states + lgamma(r * a) - lgamma(sum(counts) + r * a)

    def shares(counts: Sequence[int], n_cells: int) -> list[float]:
        total = sum(counts) + r * alpha * n_cells
        return [(count + alpha * n_cells) / total for count in counts]

    after = [a + b for a, b in zip(before, more, strict=True)]
    ratios = zip(others, shares(after, size + further), shares(before, size), strict=True)
    drift = sum(count * log(new / old) for count, new, old in ratios)
    prior = r * alpha * joined
    rest = m * (prior + (m - 1) / 2) / (n + r * alpha * size) + prior * (1 + log(n))
    assert gain(after, size + further) <= gain(before, size) + drift + rest + 1e-7
