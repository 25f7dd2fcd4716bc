"""Estimates by weighted samples: what their errors are, and when there is none."""

import re

import pytest

from ldag import LDAG, Network
from ldag.errors import ArgumentError
from tests.unit.inference.test_engine import weather


def test_what_no_sample_shows_is_not_certain() -> None:
    """States that were never drawn together have a standard error; so has what a context says that was never drawn."""
    graph = LDAG.from_edges([("x", "y")], states={"x": ["a", "b"], "y": ["a", "b"]})
    network = Network.from_parameters(graph, {"x": [1 - 1e-9, 1e-9], "y": [[0.25, 0.75], [0.5, 0.5]]})
    found = network.estimate(["x", "y"], n_samples=1000)
    assert [found.standard_errors["b", state] for state in ("a", "b")] == pytest.approx([0.001, 0.001])
    found = network.estimate("y", n_samples=1000)
    assert found.probabilities == pytest.approx({"a": 0.25, "b": 0.75})
    assert found.standard_errors == pytest.approx({"a": 0.001, "b": 0.001})
    assert str(found) == "a  0.2500 ± 0.0010\nb  0.7500 ± 0.0010\nas good as 1,000 independent samples"


def test_an_estimate_from_what_is_given_alone_is_exact() -> None:
    """Where all that a variable depends on is known, nothing is left to chance."""
    network = weather()
    given = {v.name: v.states[0] for v in network.variables if v.name != "mood"}
    estimate = network.estimate("mood", given, n_samples=100)
    assert estimate.probabilities == pytest.approx(network.query("mood", given), abs=1e-12)
    assert estimate.standard_errors == pytest.approx(dict.fromkeys(estimate.probabilities, 0.0), abs=1e-12)


def test_too_few_samples_that_count_are_no_answer() -> None:
    """Improbable findings leave a few samples nearly all weight: what to do is said instead of an answer."""
    seen = [f"y{i}" for i in range(12)]
    graph = LDAG.from_edges(
        [("x", child) for child in [*seen, "z"]], states={name: ["no", "yes"] for name in ["x", *seen, "z"]}
    )
    tables = {name: [[0.9, 0.1], [0.1, 0.9]] for name in [*seen, "z"]}
    network = Network.from_parameters(graph, {"x": [0.999, 0.001], **tables})
    given = dict.fromkeys(seen, "yes")
    assert network.query("z", given)["yes"] > 0.89
    with pytest.raises(ArgumentError) as refused:
        network.estimate("z", given, n_samples=20_000, rng=1)
    assert re.fullmatch(
        r"20,000 samples weighted by what is given are worth [1-4]\d independent ones, and an estimate takes 50;"
        r" give more n_samples, or fewer findings",
        str(refused.value),
    )
    assert network.estimate("z", given, n_samples=100_000, rng=1).probabilities["yes"] == pytest.approx(0.9, abs=0.05)
