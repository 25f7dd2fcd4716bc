"""Columns that have one state in the data: scores reward edges between them, and no search may take any."""

from typing import Any

import numpy as np
import pytest

import ldag
from ldag.data import Dataset


def make_table(n: int = 400, n_gaps: int = 20) -> dict[str, list[Any]]:
    """Return random columns, and two that are constant but in rows with a gap."""
    rng = np.random.default_rng(3)
    table: dict[str, list[Any]] = {name: rng.integers(0, 3, n).tolist() for name in "abc"}
    for name, other in (("k1", "1"), ("k2", "2"), ("k3", "3")):
        table[name] = ["0"] * (n - n_gaps) + ["0", other] * (n_gaps // 2)
    table["a"][n - n_gaps :] = [None] * n_gaps
    return table


@pytest.fixture
def declared() -> Dataset:
    """Return data whose constants have further states, because these were declared."""
    states = {"k1": ["0", "1"], "k2": ["0", "1", "2"], "k3": ["0", "1", "2", "3"]}
    return ldag.read(make_table(), missing="drop", states=states)


def test_states_of_rows_left_out_draw_no_edges() -> None:
    """The states of rows with a gap go with them, and a fit says which columns are constant then."""
    data = ldag.read(make_table(), missing="drop")
    assert [data.states(name) for name in ("k1", "k2", "k3")] == [("0",)] * 3
    fit = ldag.learn(data, kappa=0.1, equivalent_sample_size=1)
    assert fit.ldag.edges == ()
    assert "note: k1, k2, k3: have one state only in the data; they take no edges" in str(fit)


def test_the_score_rewards_edges_between_constants(declared: Dataset) -> None:
    """What the rule is for: an edge from one constant to another has a higher score than none."""
    states = {variable.name: variable.states for variable in declared.variables}
    scores = [
        ldag.score(ldag.LDAG.from_edges(edges, states=states), declared, kappa=0.1).total
        for edges in ([], [("k1", "k2")])
    ]
    assert scores[1] > scores[0]


@pytest.mark.parametrize("structure", ["table", "ldag", "graph"])
@pytest.mark.parametrize("method", ["exact", "chain", "climb", "auto"])
def test_no_search_takes_edges_of_constants(declared: Dataset, method: Any, structure: Any) -> None:
    """Whatever states were declared besides the one that occurs."""
    fit = ldag.learn(declared, method=method, structure=structure, kappa=0.1, equivalent_sample_size=1)
    assert not [edge for edge in fit.ldag.edges if set(edge) & {"k1", "k2", "k3"}]
    assert "k1, k2, k3: have one state only in the data; they take no edges" in fit.notes


def test_required_edges_of_constants_stay(declared: Dataset) -> None:
    """Who asks for an edge gets it, and a graph to start from may have others."""
    constraints = ldag.Constraints(required=[("k1", "a")])
    states = {variable.name: variable.states for variable in declared.variables}
    start = ldag.LDAG.from_edges([("k1", "a"), ("k2", "k3")], states=states)
    fit = ldag.learn(
        declared, kappa=0.1, method="climb", constraints=constraints, start=start, equivalent_sample_size=1
    )
    assert fit.ldag.edges == (("k1", "a"),)


@pytest.mark.parametrize("structure", ["ldag", "table"])
def test_no_posterior_has_edges_of_constants(declared: Dataset, structure: Any) -> None:
    """Nor do exact sums and chains; a note says so."""
    kappa = None if structure == "table" else 0.3
    for method in ("exact", "chain"):
        posterior = ldag.posterior(declared, kappa=kappa, structure=structure, method=method)
        assert [float(posterior.edge(*pair)) for pair in (("k1", "k2"), ("k1", "a"), ("a", "k2"))] == [0, 0, 0]
        assert "k1, k2, k3: have one state only in the data; they take no edges" in str(posterior)


def test_replicates_in_which_a_column_is_constant() -> None:
    """A rare state that a replicate or a fold does not have draws no edges there."""
    rng = np.random.default_rng(1)
    table = {name: rng.integers(0, 2, 60).tolist() for name in "ab"}
    table |= {name: [0] * 59 + [1] for name in ("r1", "r2")}
    data = ldag.read(table)
    found = ldag.bootstrap(data, n=60, kappa=0.1, rng=0, n_jobs=1, equivalent_sample_size=1)
    has_both = 1 - (59 / 60) ** 60  # the row is drawn at all
    assert found.strength("r1", "r2") == pytest.approx(has_both, abs=0.2)
