"""The normalised prior: the labels of a family share one weight, counted one by one where that is possible."""

from math import exp, log, prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ldag
from ldag import _native
from ldag.model import Grid
from ldag.scoring import Priors
from tests.oracle import partitions as oracle

SMALL = [(), (3,), (2, 2), (3, 2), (2, 4), (3, 3), (4, 4), (2, 2, 2), (2, 1, 3)]
LARGE = [(2, 9), (3, 6), (4, 5), (5, 5), (3, 7)]
KAPPAS = st.sampled_from([1e-3, 0.1, 0.3, 0.5, 1.0])


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(SMALL), st.integers(2, 4), KAPPAS)
def test_the_labels_of_a_family_weigh_one_together(n_states: tuple[int, ...], r: int, kappa: float) -> None:
    """Every regular partition that labels can make, one by one."""
    priors = Priors(kappa, 1.0, "normalised")
    weights = [exp(priors.log_prior(r, Grid(n_states), len(set(c)))) for c in oracle.labelled(n_states)]
    assert sum(weights) == pytest.approx(1, rel=1e-9)
    found = _native.log_prior_sum(n_states, (r - 1) * log(kappa))
    assert found == pytest.approx(oracle.log_label_sum(n_states, (r - 1) * log(kappa)), abs=1e-9)


@settings(deadline=None, max_examples=30)
@given(st.sampled_from(LARGE), st.integers(2, 4), KAPPAS)
def test_labels_of_large_families_weigh_at_most_one(n_states: tuple[int, ...], r: int, kappa: float) -> None:
    """Beyond 16 configurations a bound takes the place of the sum."""
    lost = (r - 1) * log(kappa)
    bound = _native.log_prior_sum(n_states, lost)
    assert bound >= oracle.log_label_sum(n_states, lost) - 1e-9
    assert bound == pytest.approx(oracle.log_label_bound(n_states, lost), abs=1e-9)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(1, 4), min_size=3, max_size=8), st.integers(2, 4), KAPPAS)
def test_bounds_are_those_of_the_twin(n_states: list[int], r: int, kappa: float) -> None:
    """Parents with one state make no difference, and neither does the order of parents."""
    lost = (r - 1) * log(kappa)
    matter = [n for n in n_states if n > 1]
    found = _native.log_prior_sum(n_states, lost)
    assert found == _native.log_prior_sum(n_states[::-1], lost)
    if prod(matter) > 16 and len(matter) > 1:
        assert found == pytest.approx(oracle.log_label_bound(matter, lost), rel=1e-12)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32), st.integers(2, 4), st.sampled_from([0.1, 0.5, 1.0]))
def test_the_best_graph_of_all_is_found(seed: int, n_states: int, kappa: float) -> None:
    """Three variables: no node gains by other parents than those an exact search gives it, family by family."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, n_states, (2, 60))
    data = ldag.read({"a": a, "b": b, "c": (a * b + rng.integers(0, 2, 60)) % n_states}, bins=None)
    fit = ldag.learn(
        data,
        kappa=kappa,
        prior="normalised",
        label_search="exact",
        method="exact",
        progress=False,
        equivalent_sample_size=1,
    )
    again = ldag.score(fit.ldag, data, kappa=kappa, prior="normalised")
    assert fit.score.total == pytest.approx(again.total, abs=1e-8)
    for order in (("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b")):
        total = sum(
            ldag.learn_family(
                data, node, parents=order[:place], kappa=kappa, prior="normalised", label_search="exact"
            ).score
            for place, node in enumerate(order)
        )
        assert fit.score.total >= total - 1e-8
