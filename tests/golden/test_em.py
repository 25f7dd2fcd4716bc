"""EM by the public API against runs that listed all completions, made by other code."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ldag import LDAG, Network, read
from ldag.data import Dataset

FILE = Path(__file__).parent / "files" / "em.json"
CASES: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))


def read_case(name: str) -> tuple[LDAG, Dataset, dict[str, Any]]:
    """A graph, data with gaps, and how to estimate from where."""
    case = CASES[name]
    partitions = {node: (family["parents"], family["classes"]) for node, family in case["families"].items()}
    graph = LDAG.from_partitions(partitions, states=case["variables"], latent=case["latent"])
    columns = {**case["data"], "count": case["count"]}
    data = read(columns, missing="keep", states=case["variables"], counts="count")
    size = case["equivalent_sample_size"]
    how = {"equivalent_sample_size": size} if size > 0 else {"estimate": "likelihood"}
    return graph, data, {**how, "start": Network.from_parameters(graph, case["start"])}


@pytest.mark.parametrize("name", list(CASES))
def test_plain_steps(name: str) -> None:
    """Objectives from the start on, and the expected counts of the first step."""
    graph, data, how = read_case(name)
    case = CASES[name]
    n = len(case["penalised_trace"]) - 1
    net = Network.from_data(graph, data, **how, n_iter=n, tolerance=0, accelerate=False)
    assert net.em is not None
    np.testing.assert_allclose(net.em.trace, case["penalised_trace"], rtol=1e-8)
    assert net.em.log_likelihood == pytest.approx(case["log_likelihood_trace"][n], rel=1e-8)
    first = Network.from_data(graph, data, **how, n_iter=1, tolerance=0)
    for node, expected in case["expected_counts_first_iteration"].items():
        counts = [one.counts or () for one in first.classes(node)]
        np.testing.assert_allclose(counts, expected, rtol=1e-9)


@pytest.mark.parametrize("name", list(CASES))
def test_ends(name: str) -> None:
    """By default settings: parameters, log-likelihood and objective."""
    graph, data, how = read_case(name)
    case = CASES[name]
    net = Network.from_data(graph, data, **how)
    assert net.em is not None
    assert net.em.converged
    assert net.em.objective == pytest.approx(case["penalised"], abs=1e-6)
    assert net.em.log_likelihood == pytest.approx(case["log_likelihood"], abs=1e-5)
    assert net.log_likelihood(data) == pytest.approx(case["log_likelihood"], abs=1e-5)
    for node, expected in case["parameters"].items():
        np.testing.assert_allclose(net.parameters(node), expected, atol=1e-5)


def test_latent_classes_are_found_from_random_starts() -> None:
    """Ten random starts find an end that is better than that of the start in the file."""
    graph, data, how = read_case("latent")
    del how["start"]
    net = Network.from_data(graph, data, **how, rng=1)
    assert net.em is not None
    assert len(net.em.starts) == 10
    assert net.em.objective == max(net.em.starts) > CASES["latent"]["penalised"]
