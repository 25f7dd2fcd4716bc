"""Certificates: they equal exact search, never fall below a known score, and say what they are about."""

from itertools import combinations, permutations
from math import lgamma
from typing import Any

import numpy as np
import pytest

import ldag
from ldag import Dataset, datasets
from ldag.errors import ArgumentError, TooLarge
from ldag.learning import StructureKind

pytest.importorskip("highspy")


def sample(n: int, seed: int) -> Dataset:
    """Rows in which variables depend on some before them."""
    rng = np.random.default_rng(seed)
    codes: dict[str, np.ndarray[tuple[int], np.dtype[np.int64]]] = {}
    for node in range(n):
        column = rng.integers(0, 2 + node % 3, 150)
        for parent in rng.choice(node, size=min(node, 2), replace=False):
            copied = rng.random(150) < 0.5
            column = np.where(copied, codes[f"v{parent}"] % (2 + node % 3), column)
        codes[f"v{node}"] = column
    return ldag.read(codes)


@pytest.mark.parametrize("seed", range(6))
def test_a_certificate_equals_exact_search(seed: int) -> None:
    """On random problems of 6 to 9 variables, with labels and without, from a graph that need not be the best."""
    data = sample(6 + seed % 4, seed)
    structure: StructureKind = "ldag" if seed % 2 else "table"
    kappa = 0.2 if seed % 2 else 1.0
    exact = ldag.learn(data, kappa=kappa, structure=structure, method="exact", max_parents=3, equivalent_sample_size=1)
    poor = ldag.learn(
        data, kappa=kappa, structure=structure, method="climb", n_restarts=0, max_parents=3, equivalent_sample_size=1
    )
    proof = poor.certify()
    assert proof.bound == pytest.approx(exact.score.total, abs=1e-4)
    assert proof.is_optimal == (poor.score.total > exact.score.total - 1e-4)
    assert (proof.better_edges is None) == proof.is_optimal
    assert exact.certify().is_optimal


def test_a_better_graph_is_shown() -> None:
    """Its score is the bound."""
    data = datasets.load("heart")
    empty = ldag.learn(
        data,
        kappa=0.1,
        constraints=ldag.Constraints(max_parents={"smoking": 0}),
        max_parents=2,
        equivalent_sample_size=1,
    )
    assert empty.certify().is_optimal
    start = ldag.learn(
        data,
        structure="table",
        method="chain",
        n_chains=1,
        n_iter=1,
        max_parents=2,
        kappa="cv",
        equivalent_sample_size=1,
    )
    proof = start.certify()
    assert proof.better_edges is not None
    assert proof.better_score == pytest.approx(proof.bound)
    better = ldag.LDAG.from_edges(proof.better_edges, states={v.name: v.states for v in data.variables})
    assert ldag.score(better, data, kappa=1).total == pytest.approx(proof.bound, abs=1e-4)
    assert "a better graph" in str(proof)


def test_without_time_there_is_a_bound_still() -> None:
    """The sum of the best families, once they are scored; before that, an error says so."""
    fit = ldag.learn(
        sample(9, 0), structure="table", method="climb", max_parents=3, kappa="cv", equivalent_sample_size=1
    )
    assert fit.certify(time_limit=60).bound >= fit.score.total
    with pytest.raises(TooLarge, match="were not there within 1e-09 seconds"):
        fit.certify(time_limit=1e-9)


def test_what_cannot_be_certified_is_refused() -> None:
    """Too many families, fewer parents than the graph has, no time."""
    fit = ldag.learn(sample(9, 1), structure="table", method="climb", kappa="cv", equivalent_sample_size=1)
    with pytest.raises(ArgumentError, match="max_parents must be that at least"):
        fit.certify(max_parents=0)
    with pytest.raises(ArgumentError, match="time_limit"):
        fit.certify(time_limit=-1)


def log_marginal_likelihood(table: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> float:
    """Of counts by state of the parent and own state, with an equivalent sample size of 1."""
    row, cell = 1 / len(table), 1 / table.size
    rows = sum(lgamma(row) - lgamma(row + count) for count in table.sum(axis=1).tolist())
    return rows + sum(lgamma(cell + count) - lgamma(cell) for count in table.ravel().tolist())


def test_any_number_of_candidates() -> None:
    """Of 70 variables with at most one parent each, the best graph is the best branching."""
    networkx = pytest.importorskip("networkx")
    data = sample(70, 1)
    proof = ldag.learn(
        data, structure="table", method="climb", n_restarts=0, max_parents=1, kappa="cv", equivalent_sample_size=1
    ).certify()
    assert data.weights is None
    columns = [np.eye(len(v.states), dtype=np.int64)[own] for v, own in zip(data.variables, data.codes, strict=True)]
    alone = [log_marginal_likelihood(column.sum(axis=0)[None]) for column in columns]
    gains = networkx.DiGraph()
    for parent, child in permutations(range(70), 2):
        gain = log_marginal_likelihood(columns[parent].T @ columns[child]) - alone[child]
        if gain > 0:
            gains.add_edge(parent, child, weight=gain)
    best = networkx.maximum_branching(gains).size(weight="weight")
    assert proof.bound == pytest.approx(sum(alone) + best, abs=1e-4)


@pytest.mark.parametrize("most", [3, 4, 6])
def test_candidates_are_shared_out_without_losing_a_family(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However few are taken at a time, the same families are kept, also where some parents are required."""
    rules = ldag.Constraints(required=[("v0", "v5")], forbidden=[("v1", "v2")])
    fit = ldag.learn(
        sample(8, 2), kappa=0.2, constraints=rules, method="climb", max_parents=3, equivalent_sample_size=1
    )
    whole = fit.certify()
    monkeypatch.setattr("ldag.learning.certificate.MOST_CANDIDATES", most)
    shared = fit.certify()
    assert shared.bound == pytest.approx(whole.bound, abs=1e-6)
    assert shared.n_kept == whole.n_kept


def test_a_certificate_says_what_it_is_about() -> None:
    """In words and as plain values: what was excluded by proof, and what by the limit of parents."""
    fit = ldag.learn(datasets.load("heart"), kappa=0.1, equivalent_sample_size=1)
    proof = fit.certify()
    assert str(proof).startswith("optimal: no allowed graph with at most 5 parents")
    assert "over 192 families with the labels that greedy search finds" in str(proof)
    assert "not looked at" not in str(proof)
    assert proof.to_dict()["optimal"] is True
    assert proof.n_left <= proof.n_kept < proof.n_families == 6 * 2**5
    limited = fit.certify(max_parents=3)
    assert limited.is_limited
    assert "families with more than 3 parents were not looked at" in str(limited)
    assert limited.n_families == 6 * (1 + 5 + 10 + 10)


def test_a_family_that_is_left_out_could_not_be_better() -> None:
    """Kept are those that beat all their subsets, with labels as with tables; checked by learning every family."""
    data = datasets.load("heart")
    names = [variable.name for variable in data.variables]
    proof = ldag.learn(data, kappa=0.3, max_parents=2, equivalent_sample_size=1).certify()
    n_kept = 0
    for node in names:
        others = [name for name in names if name != node]
        scores = {
            parents: ldag.learn_family(data, node, parents=list(parents), kappa=0.3).score
            for size in range(3)
            for parents in combinations(others, size)
        }
        n_kept += sum(
            all(score > less for other, less in scores.items() if set(other) < set(parents))
            for parents, score in scores.items()
        )
    assert proof.n_kept == n_kept


def test_progress_is_told_to_who_asks(capsys: pytest.CaptureFixture[str]) -> None:
    """The gap, which only falls; and nothing is written where there is no terminal."""
    fit = ldag.learn(
        sample(9, 2),
        structure="table",
        method="climb",
        n_restarts=0,
        max_parents=3,
        kappa="cv",
        equivalent_sample_size=1,
    )
    gaps: list[float] = []
    fit.certify(progress=lambda report: gaps.append(report["gap"]))
    assert gaps == sorted(gaps, reverse=True)
    fit.certify()
    assert capsys.readouterr() == ("", "")
    fit.certify(progress=True)
    assert ", gap " in capsys.readouterr().err
    with pytest.raises(ArgumentError, match="progress must be True, False, None or a function"):
        fit.certify(progress="yes")  # type: ignore[arg-type]  # what is tested


@pytest.mark.parametrize("options", [{"kappa": 1, "structure": "table"}, {"kappa": 0.2}])
def test_more_nodes_than_tables_of_orders_hold_are_searched_exactly(options: dict[str, Any]) -> None:
    """With 24 variables of 2 to 4 states exact search goes layer by layer; a proof that knows no orders agrees."""
    rng = np.random.default_rng(1)
    columns: dict[str, Any] = {}
    for node in range(24):
        n_states = 2 + node % 3
        states = rng.integers(0, n_states, 400)
        for parent in rng.choice(node, min(node, 2), replace=False) if node else ():
            states = np.where(rng.random(400) < 0.4, (columns[f"v{parent}"] + node) % n_states, states)
        columns[f"v{node}"] = states
    fit = ldag.learn(columns, method="exact", max_parents=2, progress=False, **options)
    proof = fit.certify(time_limit=60)
    assert proof.is_optimal
    assert proof.bound == pytest.approx(fit.score.total, abs=1e-6)
