"""Credible intervals, against draws made here from the counts."""

import numpy as np
import pytest

from ldag import Network, datasets

HEART = Network.from_data(datasets.graph("heart"), datasets.load("heart"))
N_DRAWS = 4000


def drawn(node: str) -> list[np.ndarray[tuple[int, ...], np.dtype[np.float64]]]:
    """Draw the distributions of the classes of a node from their Dirichlet posteriors."""
    rng = np.random.default_rng(7)
    return [rng.dirichlet(np.add(found.prior or (), found.counts or ()), N_DRAWS) for found in HEART.classes(node)]


@pytest.mark.parametrize("level", [0.5, 0.95])
def test_credible_intervals_are_quantiles_of_the_posterior(level: float) -> None:
    """Mental work given physical work is Bayes' rule in every draw; setting physical work says nothing of it."""
    (mental,), physical = drawn("mental"), drawn("physical")
    joint = np.stack([mental[:, state] * physical[state][:, 1] for state in range(2)])
    tails = [(1 - level) / 2, (1 + level) / 2]
    seen = HEART.credible_interval("mental", given={"physical": "yes"}, level=level, n_draws=N_DRAWS, rng=1)
    done = HEART.credible_interval("mental", do={"physical": "yes"}, level=level, n_draws=N_DRAWS, rng=1)
    assert seen["no"] == pytest.approx(np.quantile(joint[0] / joint.sum(axis=0), tails), abs=0.003)
    assert done["no"] == pytest.approx(np.quantile(mental[:, 0], tails), abs=0.003)
