"""The paper's table for the heart data, by every method."""

import numpy as np
import pytest

import ldag
from ldag import datasets
from ldag.learning import MethodChoice

HEART = datasets.load("heart")
TABLE = [
    (0.001, -6731.82, 5, 12, 12),
    (0.1, -6729.69, 6, 14, 12),
    (0.3, -6727.50, 6, 14, 12),
    (0.5, -6724.68, 7, 18, 11),
]


@pytest.mark.parametrize(("kappa", "score", "n_edges", "dag_dimension", "dimension"), TABLE)
@pytest.mark.parametrize("method", ["exact", "chain", "climb"])
def test_heart_table(
    method: MethodChoice, kappa: float, score: float, n_edges: int, dag_dimension: int, dimension: int
) -> None:
    """Score, edges and both dimensions, to both decimals."""
    fit = ldag.learn(HEART, kappa=kappa, method=method, rng=1, equivalent_sample_size=1)
    assert fit.score.total == pytest.approx(score, abs=0.005)
    assert len(fit.ldag.edges) == n_edges
    assert (fit.ldag.dag_dimension, fit.ldag.dimension) == (dag_dimension, dimension)


def test_heart_without_a_price_on_labels() -> None:
    """Kappa = 1: many edges, few parameters."""
    fit = ldag.learn(HEART, kappa=1, method="exact", equivalent_sample_size=1)
    assert fit.score.total == pytest.approx(-6703.51, abs=0.005)
    assert (len(fit.ldag.edges), fit.ldag.dag_dimension, fit.ldag.dimension) == (10, 53, 11)


def test_heart_with_exact_labels() -> None:
    """At most three parents and the best labels of each family beat greedy ones at kappa 0.5."""
    fit = ldag.learn(HEART, kappa=0.5, method="exact", label_search="exact", max_parents=3, equivalent_sample_size=1)
    assert fit.score.total == pytest.approx(-6723.82, abs=0.005)
    assert (len(fit.ldag.edges), fit.ldag.dag_dimension, fit.ldag.dimension) == (8, 20, 11)


def test_learned_graph_is_the_published_one() -> None:
    """Kappa 0.1 and 0.3: up to the three orientations that say the same."""
    for kappa in (0.1, 0.3):
        assert ldag.learn(HEART, kappa=kappa, equivalent_sample_size=1).ldag.equivalent_to(datasets.graph("heart"))


def test_cross_validation_agrees_with_many_shuffles() -> None:
    """The mean of rho over 20 shuffles, within three standard errors of its mean over 1,000."""
    published = {0.001: -671.32, 0.1: -670.59, 0.3: -670.97, 0.5: -671.16}
    runs = [ldag.cross_validate(HEART, method="exact", rng=seed, equivalent_sample_size=1).mean for seed in range(20)]
    for kappa, expected in published.items():
        values = [run[kappa] for run in runs]
        error = np.std(values, ddof=1) / np.sqrt(len(values))
        assert abs(np.mean(values) - expected) < 3 * error + 0.005
