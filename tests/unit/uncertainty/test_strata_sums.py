"""Sums over chordal graphs, each once, and what is asked of the posterior over them."""

import numpy as np
import pytest

import ldag
from ldag.errors import LdagError
from ldag.uncertainty.strata_sums import StrataSums


@pytest.mark.parametrize(("n", "n_graphs"), [(1, 1), (2, 2), (3, 8), (4, 61), (5, 822), (6, 18154)])
def test_counts(n: int, n_graphs: int) -> None:
    """With weights of one, labelled chordal graphs are counted (OEIS A058862)."""
    assert StrataSums(n, lambda _clique, _first: np.ones(1, dtype=np.longdouble)).total[0] == n_graphs


def test_heart() -> None:
    """Sample sizes are summed over by their evidence; a fit hands on its own."""
    heart = ldag.datasets.load("heart")
    post = ldag.posterior(heart, decomposable=True, max_parents=2, equivalent_sample_size=[1, 10])
    assert sum(post.settings.values()) == pytest.approx(1)
    assert max(post.settings, key=post.settings.__getitem__) == (0.1, 10.0)
    assert "  mental - physical  1.000\n" in str(post)
    assert post.edge("smoking", "pressure") > 0.9 > post.edge("family", "mental")
    fit = ldag.learn(heart, decomposable=True, kappa=0.3, equivalent_sample_size=1, max_parents=2)
    own = ldag.posterior(fit, decomposable=True)
    assert list(own.settings) == [(0.3, 1.0)]
    told = own.to_dict()
    assert told["log_evidence"] == own.log_evidence


def test_no_edge_that_is_forbidden() -> None:
    """An edge that is forbidden both ways has no probability."""
    apart = ldag.Constraints(forbidden=[("smoking", "pressure"), ("pressure", "smoking")])
    heart = ldag.datasets.load("heart")
    post = ldag.posterior(heart, decomposable=True, constraints=apart, equivalent_sample_size=1, structure="table")
    assert post.edge("smoking", "pressure") == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_iter": 5}, "n_iter does not apply to decomposable=True"),
        ({"method": "chain"}, "for methods 'exact' and 'auto', got 'chain'"),
        ({"prior": "normalised"}, "for prior 'labels': under 'normalised', orientations"),
        ({"constraints": ldag.Constraints(tiers=[["smoking"], ["mental"]])}, "tiers is about arrows"),
        ({"constraints": ldag.Constraints(forbidden=[("smoking", "mental")])}, "give mental -> smoking as well"),
        ({"kappa": "evidence"}, "needs prior 'normalised'"),
    ],
)
def test_bad_requests(options: dict[str, object], message: str) -> None:
    """Each is one error with what to do."""
    with pytest.raises(LdagError, match=message):
        ldag.posterior(ldag.datasets.load("heart"), decomposable=True, **options)  # type: ignore[call-overload]


def test_many_variables() -> None:
    """More than eight are refused."""
    data = ldag.simulate.random_network(ldag.simulate.random_ldag(9, rng=1), rng=1).sample(50, rng=1)
    with pytest.raises(LdagError, match="up to 8 variables, got 9"):
        ldag.posterior(data, decomposable=True)


def test_unknown_names() -> None:
    """An edge is asked for by two names."""
    post = ldag.posterior(ldag.datasets.load("ucb"), decomposable=True, equivalent_sample_size=1)
    with pytest.raises(LdagError, match="edge: no variable 'x'"):
        post.edge("x", post.names[0])
    with pytest.raises(LdagError, match="expected two variables"):
        post.edge(post.names[0], post.names[0])
