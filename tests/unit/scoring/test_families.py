"""Scores of one family where numbers are huge: against exact fractions and limits."""

from fractions import Fraction
from math import lgamma, log

import numpy as np
import pytest

import ldag
from ldag import LDAG, Dataset

FLAT = LDAG.from_edges([], states={"x": ["a", "b"]})
PAIR = LDAG.from_edges([("x", "y")], states={"x": ["a", "b"], "y": ["a", "b"]})


def data_of(counts: dict[str, int]) -> Dataset:
    """Return observations of one variable."""
    return ldag.read({"x": list(counts), "n": list(counts.values())}, counts="n", states={"x": ["a", "b"]})


def exact(counts: list[int], prior: float) -> float:
    """Equation 6 for one class, as a product of fractions: every observation given those before it."""
    a = Fraction(prior) / len(counts)
    total, n = Fraction(1), 0
    for count in counts:
        for k in range(count):
            total *= (a + k) / (Fraction(prior) + n)
            n += 1
    return log(total)


@pytest.mark.parametrize("prior", [1e-3, 1.0, 1e3, 1e7, 2e7, 1e10, 1e12, 1e15, 1e100, 1e308])
def test_huge_equivalent_sample_sizes_lose_no_digits(prior: float) -> None:
    """Near 2^-40 when the prior is all that counts."""
    data = data_of({"a": 25, "b": 15})
    score = ldag.score(FLAT, data, kappa=1, equivalent_sample_size=prior)
    assert score.total == pytest.approx(exact([25, 15], prior), rel=1e-9 if prior < 1e8 else 1e-13)
    if prior >= 1e15:
        assert score.total == pytest.approx(-40 * log(2), rel=1e-13)


@pytest.mark.parametrize("prior", [1e10, 1e15, 1e308])
@pytest.mark.parametrize("labels", ["greedy", "refined", "exact"])
def test_partitions_are_chosen_under_huge_priors(prior: float, labels: str) -> None:
    """The score of a learned family is finite, and that of its classes."""
    columns = {"x": ["a", "a", "b", "b"] * 5, "y": ["a", "b", "b", "b"] * 5}
    data = ldag.read(columns)
    found = ldag.learn_family(
        data,
        "y",
        parents=["x"],
        kappa=0.5,
        equivalent_sample_size=prior,
        label_search=labels,  # type: ignore[arg-type]  # a choice
    )
    assert found.score == pytest.approx(-20 * log(2) + log(0.5) * (2 - found.partition.n_classes), abs=1e-6)


@pytest.mark.parametrize("n", [10**7, 10**8, 10**10, 10**15])
def test_many_observations_of_one_state_lose_no_digits(n: int) -> None:
    """Gamma(n + 1/2) / (Gamma(1/2) Gamma(n + 1)), which is 1 / sqrt(pi n) for many."""
    score = ldag.score(FLAT, data_of({"a": n}), kappa=1).total
    assert score == pytest.approx(-(lgamma(0.5) + 0.5 * log(n)) - 1 / (8 * n), rel=1e-8 if n < 2**24 else 1e-13)


def test_so_many_observations_for_every_class() -> None:
    """Against equation 6 class by class, whatever their sizes; new rows are those of all together after the first."""
    graph = LDAG.from_text("a {0, 1, 2}\nb {0, 1}\ny {0, 1, 2, 3}\na -> y : b=0\nb -> y")
    drawn = np.random.default_rng(1).integers(0, [3, 2, 4], size=(70, 3))
    rows = [dict(zip("aby", part.T.tolist(), strict=True)) for part in (drawn[:40], drawn[40:])]
    old, new = (ldag.read(one, states={"a": [0, 1, 2], "b": [0, 1], "y": [0, 1, 2, 3]}) for one in rows)
    net = ldag.Network.from_data(graph, old, equivalent_sample_size=3, spread="classes")
    assert net.learned is not None
    assert [p.prior.sum(axis=1).tolist() for p in net.learned.posteriors] == [[3.0], [3.0], [3.0] * 4]
    both = net.update(new)
    assert both.learned is not None
    expected = 0.0
    for before, after in zip(net.learned.posteriors, both.learned.posteriors, strict=True):
        for a, b in zip(before.counts.astype(int).tolist(), after.counts.astype(int).tolist(), strict=True):
            expected += exact(b, 3) - exact(a, 3)
    assert net.log_likelihood(new, integrate=True) == pytest.approx(expected)
    found = ldag.log_predictive(graph, old, new, equivalent_sample_size=3, spread="classes")
    assert found == pytest.approx(expected)
