"""Published scores of the heart data, and equal likelihood of graphs that say the same."""

import numpy as np
import pytest

import ldag
from ldag import LDAG, datasets
from ldag.model import Schema, Variable
from tests.oracle import equivalence as oracle


@pytest.mark.parametrize(("kappa", "score"), [(0.1, -6729.69), (0.3, -6727.50)])
def test_heart_graph_has_the_published_score(kappa: float, score: float) -> None:
    """The optimum at kappa 0.1 and 0.3, to both decimals of the paper."""
    found = ldag.score(datasets.graph("heart"), datasets.load("heart"), kappa=kappa)
    assert found.total == pytest.approx(score, abs=0.005)


def test_orientations_of_the_heart_graph_tie() -> None:
    """Three CSI-equivalent orientations have one score."""
    data = datasets.load("heart")
    scores = [ldag.score(g, data, kappa=0.1).total for g in datasets.graph("heart").equivalence_class()]
    assert len(scores) == 3
    assert max(scores) - min(scores) < 1e-9


@pytest.mark.parametrize("n_states", [(2, 2, 2), (3, 2, 2)])
def test_equivalent_graphs_have_equal_likelihood(n_states: tuple[int, ...]) -> None:
    """All regular maximal LDAGs on three nodes, class by class, on random data."""
    rng = np.random.default_rng(2)
    variables = tuple(Variable(f"x{i}", tuple(range(r))) for i, r in enumerate(n_states))
    rows = {v.name: rng.integers(0, v.n_states, 300).tolist() for v in variables}
    data = ldag.read(rows, states={v.name: v.states for v in variables})
    structures = oracle.regular_maximal_structures(n_states)
    for size in (0.3, 20.0):
        likelihood = {
            structure: ldag.score(
                LDAG(Schema(variables), structure), data, kappa=1, equivalent_sample_size=size
            ).log_marginal_likelihood
            for structure in structures
        }
        for structure in structures:
            for member in oracle.equivalence_class(structure):
                assert likelihood[member] == pytest.approx(likelihood[structure], abs=1e-8)
