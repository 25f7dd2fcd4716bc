"""The exact search as Python calls it: costs, constraints, progress, stopping, and what it refuses."""

import math
import time
from collections.abc import Mapping
from math import log

import numpy as np
import pytest

from ldag import _native, datasets
from tests.interrupts import interrupted
from tests.oracle.search_exact import Space, everything, is_acyclic

HEART = datasets.load("heart")


def scorer(
    columns: _native.Columns = HEART.columns, labels: str = "greedy", kappa: float = 0.3
) -> _native.FamilyScorer:
    """The paper's score."""
    return _native.FamilyScorer(
        columns, 1.0, log(kappa), 0.0, "ldag", labels, False, seed=0, n_restarts=10, cache_bytes=0
    )


def slow(n: int) -> _native.FamilyScorer:
    """A scorer of families that take long: labels cost next to nothing, so that no bound rules one out."""
    return scorer(noise(n), "exact", 0.9)


def noise(n: int, n_rows: int = 200) -> _native.Columns:
    """Independent variables of two and three states."""
    rng = np.random.default_rng(1)
    n_states = [2 + node % 2 for node in range(n)]
    codes = np.array([rng.integers(0, r, n_rows) for r in n_states], dtype=np.uint8)
    return _native.Columns(codes, n_states)


def test_cost_counts_families_and_tables() -> None:
    """Two bytes for each best parent set, eight for each set of nodes, 24 for each family."""
    n_families = 20 * (1 + 19 + 171 + 969 + 3876)
    n_bytes = 2 * 20 * 2**19 + 8 * 2**20 + 24 * n_families
    assert _native.exact_cost(*everything(20, 4).lists) == (n_bytes, n_families)
    assert _native.exact_cost(*everything(300).lists) == (2**64 - 1, 2**64 - 1)


def test_an_order_of_the_nodes_makes_many_of_them_cheap() -> None:
    """Forty nodes, each after all before it: no table to speak of, and the empty graph for noise."""
    space = Space([list(range(v)) for v in range(40)], [[] for _ in range(40)], [1] * 40)
    assert _native.exact_cost(*space.lists)[0] < 10**5
    parents, *_ = _native.search_exact(scorer(noise(40, 2000)), *space.lists, 1)
    assert sum(map(len, parents)) < 10


def test_irrelevant_nodes_come_at_no_cost() -> None:
    """Of forty free nodes few are possible parents in noise: what would take terabytes takes nothing."""
    assert _native.exact_cost(*everything(40, 1).lists)[0] > 10**12
    parents, *_ = _native.search_exact(scorer(noise(40, 2000)), *everything(40, 1).lists, 2)
    assert sum(map(len, parents)) < 10


def test_too_much_is_refused() -> None:
    """More candidates than bits, or more nodes in one cycle than any memory holds."""
    with pytest.raises(ValueError, match="at most 63 candidates of a node, node 0 has 69"):
        _native.search_exact(scorer(noise(70)), *everything(70, 1).lists, 1)
    same = _native.Columns(np.tile(np.arange(2, dtype=np.uint8), (64, 20)), [2] * 64)
    with pytest.raises(ValueError, match=r"at most 63 nodes .* got 64"):
        _native.search_exact(scorer(same), *everything(64, 1).lists, 1)


@pytest.mark.parametrize(
    ("space", "message"),
    [
        (Space([[]], [[], []], [1]), "of every node"),
        (Space([[2, 1], [], []], [[], [], []], [1, 1, 1]), "ascend"),
        (Space([[1, 1], [], []], [[], [], []], [1, 1, 1]), "ascend"),
        (Space([[3], [], []], [[], [], []], [1, 1, 1]), "no such candidate"),
        (Space([[0], [], []], [[], [], []], [1, 1, 1]), "of its own"),
        (Space([[], [], []], [[1], [], []], [1, 1, 1]), "required edges"),
        (Space([[1], [0], []], [[1], [0], []], [1, 1, 1]), "required edges"),
        (Space([[1, 2], [], []], [[1, 2], [], []], [1, 1, 1]), "required edges"),
        (Space([[], [], []], [[], [], []], [1, 1, 1]), "of every column"),
    ],
)
def test_wrong_spaces_are_refused(space: Space, message: str) -> None:
    """What does not fit together or allows no DAG is an error, not a crash."""
    with pytest.raises(ValueError, match=message):
        _native.search_exact(scorer(), *space.lists, 1)


def test_progress_is_told_and_stops_the_search() -> None:
    """Reports count families up to the total; a true answer ends the search with the best DAG so far."""
    space = everything(12, 4)
    space.required[0].append(11)
    reports: list[dict[str, float]] = []

    def stop_at_second(report: Mapping[str, float]) -> bool:
        reports.append(dict(report))
        return len(reports) == 2

    found = _native.search_exact(slow(12), *space.lists, 2, stop_at_second)
    parents, _, _, stopped, n_steps, _ = found
    assert stopped
    assert n_steps < _native.exact_cost(*space.lists)[1]
    assert is_acyclic(parents)
    assert 11 in parents[0]
    assert [report["total"] for report in reports] == [_native.exact_cost(*space.lists)[1]] * 2
    assert reports[0]["done"] < reports[1]["done"]
    assert math.isnan(reports[0]["best"])  # none before the end


def test_an_error_in_the_report_comes_through() -> None:
    """The search stops and raises what on_progress raised."""

    def fail(_: Mapping[str, float]) -> bool:
        raise LookupError("no screen")

    with pytest.raises(LookupError, match="no screen"):
        _native.search_exact(slow(12), *everything(12, 4).lists, 2, fail)


def stopped_by_interrupt(families: _native.FamilyScorer, space: Space, seconds: float) -> float:
    """The time from Ctrl-C to an answer, which is a DAG."""
    with interrupted(seconds) as sent:
        parents, _, _, stopped, _, _ = _native.search_exact(families, *space.lists, 2)
        answered = time.monotonic()
    assert stopped
    assert is_acyclic(parents)
    return answered - sent[0]


def test_interrupt_while_scoring_returns_a_graph() -> None:
    """Ctrl-C during the scoring of many families; the exception is gone."""
    assert stopped_by_interrupt(slow(16), everything(16, 4), 0.3) < 5


def test_interrupt_during_the_dynamic_programme_returns_a_graph() -> None:
    """Families of a cycle of 24 equal variables are scored at once, their orders are not."""
    rng = np.random.default_rng(1)
    common = rng.integers(0, 2, 50)
    codes = np.array([np.where(rng.random(50) < 0.1, 1 - common, common) for _ in range(26)], dtype=np.uint8)
    columns = _native.Columns(codes, [2] * 26)
    assert stopped_by_interrupt(scorer(columns), everything(26, 1), 0.1) < 5
