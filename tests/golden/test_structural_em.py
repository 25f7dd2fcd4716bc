"""Scores and graphs of tables with gaps, against numbers that were made by listing all completions."""

import json
from pathlib import Path
from typing import Any

import pytest

import ldag
from ldag import LDAG, Dataset

FILES = Path(__file__).parent / "files"
TINY = json.loads((FILES / "missing_cells.json").read_text())
LEARNED = json.loads((FILES / "structural_em.json").read_text())

OF_EM = {"tiny_exact": -21.299, "tiny40_labels": -83.173, "tiny40_table": -80.592}
BEST = {"tiny_exact": -20.858, "tiny40_labels": -83.145, "tiny40_table": -80.443}
"""Bounds by other code: at EM's parameters, and the best of all."""


def data_of(case: dict[str, Any]) -> Dataset:
    """Return the rows of a case; what is empty is a gap."""
    columns = dict(zip(case["variables"], zip(*case["rows"], strict=True), strict=True))
    table = {name: [cell or None for cell in column] for name, column in columns.items()}
    return ldag.read(table, missing="keep", states=case["variables"])


def graph_of(case: dict[str, Any], families: dict[str, Any]) -> LDAG:
    """Return a graph that is written as parents and classes."""
    parts = {name: (own["parents"], own["classes"]) for name, own in families.items()}
    return LDAG.from_partitions(parts, states=case["variables"])


def _edge(text: str) -> tuple[str, str]:
    parent, child = text.split(" -> ")
    return parent, child


@pytest.mark.parametrize("name", TINY)
def test_the_bound_is_the_best_there_is(name: str) -> None:
    """Variational steps from EM's parameters find it; it is below the sum over all completions."""
    case = TINY[name]
    score = ldag.score(graph_of(case, case["families"]), data_of(case), kappa=1.0)
    assert score.total == pytest.approx(BEST[name], abs=6e-4)
    assert OF_EM[name] < score.total < case["log_marginal_likelihood"]


@pytest.mark.parametrize("name", LEARNED)
def test_structural_em_finds_the_graph(name: str) -> None:
    """By default settings, also where the way from nothing is stuck at the empty graph."""
    case = LEARNED[name]
    fit = ldag.learn(data_of(case), kappa=case["kappa"], equivalent_sample_size=case["equivalent_sample_size"])
    final = case["start_complete_rows"]["final"]
    expected = LDAG.from_edges([_edge(edge) for edge in final["edges"]], states=case["variables"])
    assert fit.ldag.equivalent_to(expected)
    assert fit.em is not None
    assert fit.em.log_likelihood == pytest.approx(final["log_likelihood_after"], abs=1e-3)


def test_the_best_start_wins() -> None:
    """From nothing, the first table's edge is not found: the bound is lower there, and is told."""
    case = LEARNED["smoking-protein-pressure"]
    fit = ldag.learn(data_of(case), kappa=case["kappa"], equivalent_sample_size=1)
    assert fit.em is not None
    ends = {start.name: start.score for start in fit.em.starts}
    assert ends["nothing"] == pytest.approx(-2460.74, abs=0.01)
    assert fit.score.total == pytest.approx(-2458.94, abs=0.01)
    assert fit.score.is_lower_bound
