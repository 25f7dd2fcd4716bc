"""What an exact search is estimated to take."""

import pytest

import ldag
from ldag.learning import Settings, make_plan
from ldag.learning.searches.exact import estimate_proof_seconds, estimate_seconds


def test_bounds_leave_a_hundredth_of_the_classes_to_search_for() -> None:
    """At a kappa of 0.1 and below, a tenth at 0.5 and above; all families are counted."""
    data = ldag.datasets.load("heart")
    problems = {kappa: make_plan(data, Settings(kappa=kappa, method="exact")).problem for kappa in (0.01, 0.1, 0.5, 1)}
    proof = {kappa: estimate_proof_seconds(problem) for kappa, problem in problems.items()}
    everything = estimate_seconds(problems[0.1])
    assert proof[0.01] == proof[0.1]
    assert proof[0.5] == proof[1]
    assert (proof[0.5] - proof[0.1]) / (everything - proof[0.1]) == pytest.approx((0.1 - 0.01) / (1 - 0.01))
