"""Quantiles of the Beta distribution, against scipy's."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from ldag.model import beta_intervals, parameters


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_intervals_equal_scipy(level: float) -> None:
    """For flat, skewed, narrow and tiny distributions, all at once."""
    sizes = np.array([1e-3, 0.02, 0.5, 1.0, 3.0, 40.0, 77.7, 120.3, 5e4, 1e5])
    a, b = (side.reshape(-1) for side in np.meshgrid(sizes, sizes))
    expected = np.column_stack([stats.beta.ppf((1 + sign * level) / 2, a, b) for sign in (-1, 1)])
    np.testing.assert_allclose(beta_intervals(a, b, level), expected, rtol=1e-8, atol=1e-11)


def test_what_is_certain_has_no_width() -> None:
    """A variable with one state always has it; nothing asked for is nothing."""
    ends = beta_intervals(np.array([61.0, 0.0]), np.array([0.0, 61.0]), 0.95)
    assert ends.tolist() == [[1.0, 1.0], [0.0, 0.0]]
    assert beta_intervals(np.zeros(0), np.zeros(0), 0.95).shape == (0, 2)


def test_equal_distributions_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Large tables have few different counts."""
    asked = []

    def count(a: NDArray[np.float64], *_: object) -> NDArray[np.float64]:
        asked.append(len(a))
        return a

    monkeypatch.setattr(parameters, "_quantiles", count)
    beta_intervals(np.tile([2.0, 3.0], 500), np.tile([1.0, 4.0], 500), 0.9)
    assert asked == [4]
