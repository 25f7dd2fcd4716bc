"""Parents whose states have an order: only neighbours can act alike, in every search, against all partitions."""

import math
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ldag
from ldag import _native
from tests.oracle import partitions as oracle

Orders = tuple[bool, ...]


@cache
def allowed(n_states: tuple[int, ...], ordered: Orders) -> list[oracle.Classes]:
    """Every partition whose classes hang together through pairs, of neighbours only along an order."""
    pairs = []
    for axis in range(len(n_states)):
        for line in oracle.lines(n_states, axis):
            cells = sorted(line)
            if ordered[axis]:
                pairs += [frozenset(pair) for pair in pairwise(cells)]
            else:
                pairs += [frozenset((a, b)) for a in cells for b in cells if a < b]
    size = math.prod(n_states)
    return [
        classes
        for classes in oracle.set_partitions(size)
        if all(oracle.is_joined(part, tuple(pairs)) for part in oracle.members(n_states, classes))
    ]


def test_one_ordered_parent_has_as_many_partitions_as_sets_of_cut_points() -> None:
    """2^(n - 1), where a parent without order has the Bell number."""
    for n, bell in ((2, 2), (3, 5), (4, 15), (5, 52)):
        zero = np.zeros((n, 2))
        for ordered, expected in (([1], 2 ** (n - 1)), ([0], bell), ([], bell)):
            total = _native.testing.log_sum_partitions(zero, [n], 1.0, 0.0, "partial", False, ordered=ordered)
            assert math.exp(total) == pytest.approx(expected)
        assert len(allowed((n,), (True,))) == 2 ** (n - 1)


GRIDS: list[tuple[tuple[int, ...], Orders]] = [
    ((4,), (True,)),
    ((5,), (True,)),
    ((3, 2), (True, False)),
    ((2, 3), (False, True)),
    ((3, 3), (True, False)),
    ((3, 3), (True, True)),
    ((1, 4), (True, True)),
    ((4, 2), (True, False)),
    ((2, 4), (True, False)),
    ((2, 2, 2), (True, False, True)),
]


@pytest.mark.parametrize(("n_states", "ordered"), GRIDS)
def test_the_native_count_of_partitions_is_that_of_the_list(n_states: tuple[int, ...], ordered: Orders) -> None:
    """Where no observation prefers any, the sum over partitions counts them."""
    zero, flags = np.zeros((math.prod(n_states), 2)), [int(flag) for flag in ordered]
    total = _native.testing.log_sum_partitions(zero, n_states, 1.0, 0.0, "partial", False, ordered=flags)
    assert math.exp(total) == pytest.approx(len(allowed(n_states, ordered)))


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(GRIDS), st.integers(0, 2**32 - 1), st.sampled_from([1.0, 0.3, 0.01]))
def test_searches_stay_inside_and_exact_is_the_best(
    shape: tuple[tuple[int, ...], Orders], seed: int, kappa: float
) -> None:
    """Brute force over all partitions; greedy and refined are allowed ones and no better."""
    n_states, ordered = shape
    counts = np.random.default_rng(seed).integers(0, 12, (math.prod(n_states), 3)).astype(float)
    flags = [int(flag) for flag in ordered]
    lost = 2 * math.log(kappa)
    scores = {
        classes: _native.score_partition(counts, n_states, 1.0, lost, np.array(classes, dtype=np.int32))[0]
        for classes in allowed(n_states, ordered)
    }
    best = max(scores.values())
    _, exact = _native.testing.exact_partition(counts, n_states, 1.0, lost, "partial", False, ordered=flags)
    assert exact == pytest.approx(best, abs=1e-8)
    for labels in ("greedy", "refined", "exact"):
        found = _native.optimise_family(counts, n_states, 1.0, lost, "partial", labels, regular=False, ordered=flags)
        classes = tuple(found[0].tolist())
        assert classes in scores
        assert found[1] == pytest.approx(scores[classes], abs=1e-8)
    total = _native.testing.log_sum_partitions(counts, n_states, 1.0, lost, "partial", False, ordered=flags)
    assert total == pytest.approx(np.logaddexp.reduce(list(scores.values())), abs=1e-8)


@pytest.mark.parametrize("method", ["exact", "chain", "climb"])
def test_a_learned_graph_joins_neighbours_only(method: str) -> None:
    """Pain acts alike when low or high, which no order allows; without one it does."""
    pain = np.repeat(["low", "middle", "high"], 200)
    sick = np.where(pain == "middle", np.tile([0, 1, 1, 1], 150), np.tile([0, 0, 0, 1], 150))
    states = ["low", "middle", "high"]
    classes = {}
    for given_states in (states, ldag.ordered(states)):
        data = ldag.read({"pain": pain, "sick": sick}, states={"pain": given_states})
        limits = ldag.Constraints(required=[("pain", "sick")])
        fit = ldag.learn(
            data,
            kappa=0.5,
            method=method,  # type: ignore[arg-type]
            structure="partial",
            constraints=limits,
            equivalent_sample_size=1,
        )
        classes[type(given_states)] = fit.ldag.partition("sick").classes
    assert classes[list] == (0, 1, 0)
    assert classes[type(ldag.ordered([]))] == (0, 1, 2)


def test_a_limit_of_parents_for_all_may_stand_in_the_constraints() -> None:
    """As in learn(max_parents=1)."""
    heart = ldag.datasets.load("heart")
    a = ldag.learn(heart, kappa=0.1, method="exact", max_parents=1, equivalent_sample_size=1)
    b = ldag.learn(
        heart, kappa=0.1, method="exact", constraints=ldag.Constraints(max_parents=1), equivalent_sample_size=1
    )
    assert a.ldag == b.ldag
    assert max(len(b.ldag.parents(name)) for name in heart.names) == 1
    assert ldag.Constraints.from_text(ldag.Constraints(max_parents=1).to_text()) == ldag.Constraints(max_parents=1)
