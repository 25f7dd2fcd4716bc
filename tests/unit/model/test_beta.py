"""Quantiles of the Beta distribution, against scipy's."""

import pytest
from scipy import stats

from ldag.model.beta import beta_cdf, beta_interval


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (1.0, 3.0), (0.02, 40.0), (120.3, 77.7), (5e4, 1e5), (1e-3, 2.0)])
def test_intervals_equal_scipy(a: float, b: float) -> None:
    """For flat, skewed and narrow distributions."""
    low, high = beta_interval(a, b, 0.95)
    assert low == pytest.approx(stats.beta.ppf(0.025, a, b), rel=1e-8, abs=1e-12)
    assert high == pytest.approx(stats.beta.ppf(0.975, a, b), rel=1e-8, abs=1e-12)
    assert beta_cdf(a, b, 0.3) == pytest.approx(stats.beta.cdf(0.3, a, b), rel=1e-9, abs=1e-14)


def test_what_is_certain_has_no_width() -> None:
    """A variable with one state always has it."""
    assert beta_interval(61.0, 0.0, 0.95) == (1.0, 1.0)
    assert beta_interval(0.0, 61.0, 0.95) == (0.0, 0.0)
