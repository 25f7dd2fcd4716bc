"""Traces and curves of a search, drawn and kept."""

import json

import pytest

import ldag
from ldag.learning import CrossValidation, Trace

POINTS = ((1, -30.0), (4, -20.0), (9, -12.5))


def test_a_trace_is_a_tuple_that_draws_steps() -> None:
    """Equal to the tuple; the curve keeps its height until the next improvement."""
    trace = Trace.of(POINTS)
    assert trace.best == -12.5
    assert trace.to_svg().count('class="s-first"') == 1
    assert trace == POINTS
    assert repr(Trace.of((n, n) for n in range(9))) == "<Trace: 9 improvements, from 0.00 to 8.00 at step 8>"


def test_traces_without_points_are_drawn_too() -> None:
    """As an empty chart."""
    assert Trace.of(()).to_svg().startswith("<svg")


@pytest.mark.parametrize("options", [{}, {"structure": "cv", "equivalent_sample_size": "cv"}])
def test_cross_validations_are_kept_in_models(options: dict[str, str]) -> None:
    """What a network's origin keeps is the cross-validation that was made, and gives the same chart."""
    fit = ldag.learn(ldag.datasets.load("titanic"), rng=1, method="climb", **options)  # type: ignore[arg-type]
    assert fit.cv is not None
    assert fit.network.origin is not None
    kept = json.loads(json.dumps(fit.network.origin))
    assert Trace.of(kept["trace"]) == fit.trace
    again = CrossValidation.from_dict(kept["cross_validation"])
    assert again.mean == fit.cv.mean
    assert again.to_svg() == fit.cv.to_svg()
