"""Quantiles of the Beta distribution, which the probability of one state has if the states' have a Dirichlet.

The distribution function is the continued fraction of the incomplete Beta function (Numerical Recipes, 6.4), inverted
by bisection: slow and sure, for a few numbers at a time.
"""

from functools import lru_cache
from math import exp, lgamma, log, log1p

_TINY = 1e-300
_STEPS = 10_000
_BISECTIONS = 200


@lru_cache(maxsize=1 << 14)  # large tables have few different counts
def beta_interval(a: float, b: float, level: float) -> tuple[float, float]:
    """Return the equal-tailed interval that a Beta(a, b) variable falls into with a probability.

    Examples
    --------
    >>> [round(end, 4) for end in beta_interval(2.0, 2.0, 0.5)]
    [0.3264, 0.6736]
    """
    tail = (1 - level) / 2
    if a <= 0 or b <= 0:  # a variable with one state
        return (0.0, 0.0) if a <= 0 else (1.0, 1.0)
    return beta_quantile(a, b, tail), beta_quantile(a, b, 1 - tail)


def beta_quantile(a: float, b: float, p: float) -> float:
    """Return the number below which a Beta(a, b) variable falls with probability p."""
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if beta_cdf(a, b, middle) < p:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def beta_cdf(a: float, b: float, x: float) -> float:
    """Return the probability that a Beta(a, b) variable is at most x, strictly between 0 and 1."""
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1 - front * _fraction(b, a, 1 - x) / b


def _fraction(a: float, b: float, x: float) -> float:
    """Evaluate the continued fraction by Lentz's method."""
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    result = d
    for m in range(1, _STEPS):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _away_from_zero(1 + numerator * d)
            c = _away_from_zero(1 + numerator / c)
            result *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return result


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
