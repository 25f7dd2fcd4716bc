"""The race of growth: what is compared, and how far each comes, on data that say so."""

from typing import Any

import numpy as np
import pytest

import ldag
from ldag.learning import Candidate

PRIORS = [
    *(("parameters", size) for size in (1.0, 10.0, 100.0, 1000.0)),
    ("leaves", 2.0),
    *(("nested", size) for size in (2.0, 8.0, 32.0)),
]


def rows(n: int = 300) -> dict[str, list[int]]:
    """Return columns that hang together."""
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 3, n), rng.integers(0, 2, n)
    c = np.where((b == 0) & (rng.random(n) < 0.9), a, rng.integers(0, 3, n))
    return {"a": a.tolist(), "b": b.tolist(), "c": c.tolist()}


def compare(**given: Any) -> dict[Candidate, int]:
    """Return what was grown, without the smoothing, and on how many folds."""
    cv = ldag.learn(rows(), method="grow", smoothing="search", **given).cv
    assert cv is not None
    return {candidate: len(folds) for candidate, folds in cv.scores.items()}


def test_what_is_compared() -> None:
    """With levels at kappa 1, nested priors leaf by leaf at 0.3, and the three best leaf by leaf at 0.03 and 0.3."""
    raced = compare()
    whole = {one for one in raced if one.levels or one.prior == "nested"}
    assert sorted((one.prior, one.equivalent_sample_size) for one in whole) == sorted(PRIORS)
    assert {one.kappa for one in whole if one.levels} == {1.0}
    assert {(one.kappa, one.levels) for one in whole if one.prior == "nested"} == {(0.3, False)}
    by_leaf = set(raced) - whole
    assert len(by_leaf) == 6
    assert {one.kappa for one in by_leaf} == {0.03, 0.3}
    assert len({(one.prior, one.equivalent_sample_size) for one in by_leaf}) == 3


def test_how_far_each_comes() -> None:
    """All 14 have the first of five folds, six the second, and three all of them."""
    assert sorted(compare().values(), reverse=True) == [5] * 3 + [2] * 3 + [1] * 8


@pytest.mark.parametrize("kappa", [0.1, 0.5, 1.0])
def test_a_price_that_is_given_is_not_chosen(kappa: float) -> None:
    """Every setting has it."""
    assert {one.kappa for one in compare(kappa=kappa)} == {kappa}


def test_tables_are_compared_with() -> None:
    """On as many folds as the best growth has, so that a fit can say what it gains."""
    fit = ldag.learn(rows(), method="grow")
    assert fit.cv is not None
    assert len(fit.cv.tables) == 5
    assert fit.held_out_gain is not None
