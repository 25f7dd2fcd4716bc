"""The shape of the paper's simulations on the ten-node generator; its own parameters were not published."""

import pytest

import ldag
from ldag.learning import StructureKind


def mean_divergence(n_rows: int, structure: StructureKind, kappa: float) -> float:
    """Mean over five draws of the parameters."""
    found = []
    for draw in range(5):
        truth = ldag.simulate.generator10(rng=200 + draw)
        fit = ldag.learn(
            truth.sample(n_rows, rng=draw), kappa=kappa, structure=structure, rng=0, equivalent_sample_size=1
        )
        found.append(ldag.kl_divergence(truth, fit.network))
    return sum(found) / len(found)


@pytest.mark.parametrize(("n_rows", "low", "high"), [(250, 0.1, 0.3), (10_000, 0.002, 0.006)])
def test_divergence_falls_and_labels_help(n_rows: int, low: float, high: float) -> None:
    """From about 0.2 to 0.003 nats, and with labels no more than without."""
    labelled = mean_divergence(n_rows, "ldag", 0.1)
    assert low < labelled < high
    assert labelled < mean_divergence(n_rows, "table", 1.0)
