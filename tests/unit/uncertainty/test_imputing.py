"""Gaps filled by several networks: by cell, by row and by draws, against listing all completions of all members."""

from typing import Any

import numpy as np
import pytest

import ldag
from ldag import LDAG, Mixture, Network
from ldag.errors import ArgumentError, ImpossibleEvidence
from ldag.network import By
from tests.oracle.completions import GAP, posterior

BY: tuple[By, ...] = ("row", "cell")
STATES = {"a": ["x", "y"], "b": ["x", "y", "z"], "c": ["x", "y"]}
WEIGHTS = (0.2, 0.5, 0.3)
ROWS: dict[str, list[Any]] = {
    "a": [None, "x", None, "y", None],
    "b": ["x", None, None, "y", None],
    "c": ["y", "x", "x", None, None],
}


def make_members() -> list[Network]:
    """Three networks that differ in edges and numbers."""
    rng = np.random.default_rng(4)
    members = []
    for edges in ([("a", "b"), ("b", "c")], [("b", "a"), ("b", "c")], [("a", "c"), ("b", "c")]):
        graph = LDAG.from_edges(edges, states=STATES)
        rows = [
            rng.dirichlet(np.ones(n), f.partition.n_classes).tolist()
            for n, f in zip((2, 3, 2), graph.structure.families, strict=True)
        ]
        members.append(Network.from_parameters(graph, dict(zip(STATES, rows, strict=True))))
    return members


MEMBERS = make_members()
MIXTURE = Mixture(MEMBERS, WEIGHTS)


def listed(number: int) -> dict[tuple[int, ...], float]:
    """The probability of every completion of a row, by listing them under every member."""
    cells = [ROWS[name][number] for name in STATES]
    row = [GAP if cell is None else STATES[name].index(cell) for name, cell in zip(STATES, cells, strict=True)]
    total: dict[tuple[int, ...], float] = {}
    for member, weight in zip(MEMBERS, WEIGHTS, strict=True):
        seen, shares = posterior(member.ldag.structure, member.probabilities, row)
        for full, share in shares.items():
            total[full] = total.get(full, 0.0) + weight * seen * share
    return {full: p / sum(total.values()) for full, p in total.items()}


def coded(table: dict[str, list[Any]], number: int) -> tuple[int, ...]:
    """A row of a filled table in codes."""
    return tuple(STATES[name].index(table[name][number]) for name in STATES)


def test_most_probable_cells_and_rows() -> None:
    """Cells are exact; rows are the best of the members' own, which here is the best of all."""
    by_cell, by_row = MIXTURE.impute(ROWS, by="cell"), MIXTURE.impute(ROWS)
    for number in range(5):
        shares = listed(number)
        assert shares[coded(by_row, number)] == pytest.approx(max(shares.values()))
        for node, code in enumerate(coded(by_cell, number)):
            of_state = [sum(p for full, p in shares.items() if full[node] == s) for s in range(3)]
            assert of_state[code] == pytest.approx(max(of_state))


def test_draws_are_as_frequent_as_they_are_probable() -> None:
    """Each completion of a row has its share in many draws."""
    n = 2000
    tables = MIXTURE.impute(ROWS, n, rng=2)
    for number in range(5):
        drawn = [coded(table, number) for table in tables]
        for full, p in listed(number).items():
            assert drawn.count(full) / n == pytest.approx(p, abs=5 * np.sqrt(p * (1 - p) / n))


def test_equal_rows_and_order() -> None:
    """Rows with equal cells get draws of their own, and the order of rows makes no difference."""
    table: dict[str, list[Any]] = {"a": [None] * 100 + ["x"], "b": ["x"] * 100 + [None]}
    first, again = MIXTURE.impute(table, 2, rng=1), MIXTURE.impute(table, 2, rng=1)
    assert first == again
    assert set(first[0]["a"]) == {"x", "y"}
    turned = {name: [cells[-1], *cells[:-1]] for name, cells in table.items()}
    for one, other in zip(first, MIXTURE.impute(turned, 2, rng=1), strict=True):
        assert {name: [cells[-1], *cells[:-1]] for name, cells in one.items()} == other


def test_proper_draws_need_posteriors() -> None:
    """A member is drawn for every table, and its parameters given the table."""
    one = Network.from_data(LDAG.from_edges([], states=STATES), {"a": ["x"] * 9, "b": ["x"] * 9, "c": ["x"] * 9})
    two = Network.from_data(one.ldag, {"a": ["y"] * 9, "b": ["x"] * 9, "c": ["x"] * 9})
    data: dict[str, list[Any]] = {"a": [None], "b": ["x"], "c": ["x"]}
    drawn = Mixture([one, two], [1, 3]).impute(data, 20, proper=True, rng=1)
    assert len(drawn) == 20
    assert all(table["b"] == ["x"] and table["a"][0] in ("x", "y") for table in drawn)
    with pytest.raises(ArgumentError, match="proper=True draws parameters"):
        MIXTURE.impute(ROWS, 2, proper=True)


def test_wrong_arguments_and_impossible_rows() -> None:
    """The checks are those of a network, and a row must be possible under one member."""
    with pytest.raises(ArgumentError, match="n must be a whole number, 1 or more, got 0"):
        MIXTURE.impute(ROWS, 0)
    sure = Network.from_parameters(LDAG.from_edges([], states=STATES), {"a": [1, 0], "b": [1, 0, 0], "c": [1, 0]})
    with pytest.raises(ImpossibleEvidence, match="row 2 has probability zero"):
        Mixture([sure, sure]).impute({"a": ["x", "y"], "b": [None, None]})
    for by in BY:
        filled = Mixture([sure, MEMBERS[0]], [0.99, 0.01]).impute({"a": ["y"], "b": [None]}, by=by)
        assert filled == MEMBERS[0].impute({"a": ["y"], "b": [None]}, by=by)


def test_posterior_draws_graphs() -> None:
    """A posterior is a mixture of what is drawn from it."""
    post = ldag.posterior(ldag.datasets.load("ucb"), kappa=0.3)
    table: dict[str, list[Any]] = {"department": ["A", "F", None], "admitted": [None, None, "Admitted"]}
    assert post.impute(table)["admitted"] == ["Admitted", "Rejected", "Admitted"]
    drawn = post.impute(table, 3, proper=True, rng=1)
    assert drawn == post.impute(table, 3, proper=True, rng=1)
    assert len(drawn) == 3
