"""How growth from rows is watched and stopped, and what its loop refuses."""

from collections.abc import Mapping
from math import log
from typing import Any

import numpy as np
import pytest

from ldag import _native

N = 6


def arguments(**changes: Any) -> dict[str, Any]:
    """A growth of six variables from rows drawn at random."""
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 3, (N, 400), dtype=np.uint8)
    codes[1:] = np.where(rng.random((N - 1, 400)) < 0.7, codes[:-1], codes[1:])
    return {
        "columns": _native.Columns(codes, [3] * N),
        "candidates": [[v for v in range(N) if v != node] for node in range(N)],
        "required": [[] for _ in range(N)],
        "max_parents": [N] * N,
        "max_leaves": [1 << 40] * N,
        "prior": "parameters",
        "equivalent_sample_size": 1.0,
        "log_kappa": log(0.1),
        "splits": "binary",
        "ordered": [0] * N,
        "levels": False,
        "choice_prices": [0.0] * N,
        "n_threads": 1,
        **changes,
    }


def wide_arguments(**changes: Any) -> dict[str, Any]:
    """A growth that takes far longer than a tenth of a second, after which the first report comes."""
    n, rng = 600, np.random.default_rng(1)
    plain = arguments()
    return {
        **plain,
        "columns": _native.Columns(rng.integers(0, 2, (n, 10_000), dtype=np.uint8), [2] * n),
        "candidates": [[v for v in range(n) if v != node] for node in range(n)],
        "required": [[] for _ in range(n)],
        "log_kappa": 0.0,
        "equivalent_sample_size": 1000.0,
        **{name: plain[name][:1] * n for name in ("max_parents", "max_leaves", "ordered", "choice_prices")},
        **changes,
    }


def test_time_that_is_up_leaves_what_is_required() -> None:
    """No edge that has to be there is missing, and the counts are right."""
    required: list[list[int]] = [[], [0], *([] for _ in range(598))]
    trees, n_steps, stopped = _native.grow_trees(**wide_arguments(time_limit=0.0, required=required))
    assert stopped
    assert 0 in trees[1][0]
    assert all(counts[0].sum() == 10_000 for _, _, counts, *_ in trees)
    assert n_steps == sum(len(tree[5]) for tree in trees)


def test_whoever_is_told_may_stop() -> None:
    """A true answer ends growth; an exception comes out."""
    reports: list[Mapping[str, float]] = []

    def listen(report: Mapping[str, float]) -> bool:
        reports.append(report)
        return True

    trees, n_steps, stopped = _native.grow_trees(**wide_arguments(on_progress=listen))
    assert stopped
    assert len(reports) == 1
    assert reports[0]["done"] <= n_steps == sum(len(tree[5]) for tree in trees)

    def fail(_: object) -> bool:
        raise ArithmeticError("told")

    with pytest.raises(ArithmeticError, match="told"):
        _native.grow_trees(**wide_arguments(on_progress=fail))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"prior": "labels"}, "expected the prior"),
        ({"prior": "uniform"}, "no kappa"),
        ({"log_kappa": 0.1}, "not above 0"),
        ({"log_kappa": float("nan")}, "not above 0"),
        ({"splits": "ternary"}, "complete or binary"),
        ({"equivalent_sample_size": 0.0}, "above 0"),
        ({"choice_prices": [-1.0] * N}, "not below 0"),
        ({"choice_prices": [0.0]}, "every column"),
        ({"max_leaves": [0] * N}, "more leaves"),
        ({"required": [[1], [], [], [], [], []], "max_leaves": [1] * N}, "more leaves"),
        ({"candidates": [[0], [], [], [], [], []]}, "candidate of its own"),
        ({"required": [[1], [0], [], [], [], []]}, "no DAG"),
    ],
)
def test_refusals(changes: dict[str, Any], message: str) -> None:
    """What does not fit together."""
    with pytest.raises(ValueError, match=message):
        _native.grow_trees(**arguments(**changes))


def test_rows_with_gaps_are_refused() -> None:
    """Growth counts all variables at once."""
    columns = _native.Columns(np.full((N, 4), 255, dtype=np.uint8), [3] * N, None, True)
    with pytest.raises(ValueError, match="gaps"):
        _native.grow_trees(**arguments(columns=columns))
