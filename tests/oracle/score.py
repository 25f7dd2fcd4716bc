"""The score of one family in plain Python: equations 6, 7 and 9 term by term, and ln Gamma to 40 digits."""

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from math import comb, lgamma

Counts = Sequence[Sequence[float]]


def _bernoulli(n: int) -> list[Fraction]:
    """Return the Bernoulli numbers B_0 .. B_n."""
    numbers: list[Fraction] = []
    for m in range(n + 1):
        numbers.append(Fraction(m == 0) - sum((comb(m, k) * numbers[k] / (m - k + 1) for k in range(m)), Fraction(0)))
    return numbers


BERNOULLI = _bernoulli(40)


def log_gamma(x: float) -> Decimal:
    """Return ln Gamma(x) to about 40 digits: 50 steps up, then Stirling's series."""
    half_log_two_pi = Decimal("0.918938533204672741780329736405617639861397473637783412817151540482765695927")
    with localcontext() as context:
        context.prec = 60
        steps = [Decimal(x) + k for k in range(50)] if x < 50 else []
        y = Decimal(x) + len(steps)
        value = (y - Decimal("0.5")) * y.ln() - y + half_log_two_pi
        for m in range(1, 20):
            term = BERNOULLI[2 * m] / (2 * m * (2 * m - 1))
            value += Decimal(term.numerator) / Decimal(term.denominator) / y ** (2 * m - 1)
        for factor in steps:
            value -= factor.ln()
        return +value


def class_score(counts: Counts, members: Sequence[int], equivalent_sample_size: float) -> float:
    """Return the logarithm of one class's factor of equation 6."""
    r, q = len(counts[0]), len(counts)
    alpha = equivalent_sample_size * len(members) / (r * q)
    sums = [sum(counts[cell][state] for cell in members) for state in range(r)]
    value = lgamma(r * alpha) - lgamma(sum(sums) + r * alpha)
    return value + sum(lgamma(n + alpha) - lgamma(alpha) for n in sums)


def partition_score(
    counts: Counts, classes: Sequence[Sequence[int]], equivalent_sample_size: float, class_lost: float
) -> float:
    """Return the marginal likelihood of all classes plus ``class_lost`` for every class fewer than cells."""
    likelihood = sum(class_score(counts, members, equivalent_sample_size) for members in classes)
    return likelihood + class_lost * (len(counts) - len(classes))
