"""Searches that are paused, written to JSON and gone on with: the very answer of a search that never was."""

import json
from collections.abc import Callable, Sequence
from functools import partial
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldag import _native

Search = Callable[..., object]
SETTINGS: dict[str, dict[str, object]] = {
    "exact": {"n_threads": 2},
    "chain": {"n_chains": 4, "n_iter": 25, "seed": 3, "n_threads": 2},
    "climb": {"n_restarts": 40, "tabu_length": 5, "seed": 3, "n_threads": 2, "max_candidates": 0, "start": []},
}


def search_by(method: str, *data: object) -> Search:
    """Return a search with all its settings but those of keeping."""
    return partial(getattr(_native, f"search_{method}"), *data, **SETTINGS[method])


class Halt(Exception):
    """Ends a search from outside."""


def make(n_states: Sequence[int], seed: int, weighted: bool) -> tuple[_native.FamilyScorer, tuple[object, ...]]:
    """Return a scorer of data in which nodes depend on those before, and a space with a constraint or two."""
    rng = np.random.default_rng(seed)
    codes = np.array([rng.integers(0, n, 80) for n in n_states])
    for node in range(1, len(n_states)):
        copied = rng.random(80) < 0.7
        codes[node] = np.where(copied, codes[node - 1] % n_states[node], codes[node])
    weights = rng.random(80) + 0.1 if weighted else None
    columns = _native.Columns(codes.astype(np.uint8), n_states, weights)
    scorer = _native.FamilyScorer(columns, 1.0, log(0.4), 0.0, "ldag", "greedy", True, 0, 2, 1 << 20)
    n = len(n_states)
    candidates = [[other for other in range(n) if other != node and (node, other) != (0, 1)] for node in range(n)]
    required: list[list[int]] = [[] for _ in range(n - 1)] + [[0]]
    return scorer, (candidates, required, [3] * n)


def in_parts(search: Search, parts: Sequence[int]) -> tuple[object, int]:
    """Run a search that is ended after so many hand-overs, again and again; return the answer and all hand-overs."""
    state: object = None
    seen = 0

    def keep(new: object, left: list[int]) -> None:
        nonlocal state, seen
        state = json.loads(json.dumps(new))
        seen += 1
        left[0] -= 1
        if left[0] == 0:
            raise Halt

    for length in (*parts, -1):
        try:
            return search(resume=state, keep=partial(keep, left=[length]), keep_every=0.0), seen
        except Halt:
            pass
    raise AssertionError


@pytest.mark.parametrize("method", SETTINGS)
@settings(deadline=None, max_examples=15)
@given(
    n_states=st.lists(st.integers(2, 4), min_size=2, max_size=5),
    seed=st.integers(0, 1000),
    weighted=st.booleans(),
    parts=st.lists(st.integers(1, 6), max_size=6),
)
def test_any_interruption_changes_nothing(
    method: str, n_states: list[int], seed: int, weighted: bool, parts: list[int]
) -> None:
    """Graph, score, trace and counters, to the last bit, wherever it was cut."""
    scorer, space = make(n_states, seed, weighted)
    whole = search_by(method, scorer, *space)()
    scorer, space = make(n_states, seed, weighted)
    found, seen = in_parts(search_by(method, scorer, *space), parts)
    assert found == whole
    assert seen >= {"exact": len(n_states), "chain": 100 / 4, "climb": 9}[method]


@pytest.mark.parametrize("method", SETTINGS)
def test_the_last_state_gives_the_answer(method: str) -> None:
    """A search gone on with at its end does nothing more, and nobody need keep its state."""
    scorer, space = make([2, 3, 4], 1, False)
    states: list[object] = []
    search = search_by(method, scorer, *space)
    whole = search(keep=states.append, keep_every=0.0)
    assert search(resume=states[-1]) == whole


BAD: list[tuple[str, object]] = [
    ("exact", [[[1 << 9], [0.0]], [[], []], [[], []]]),
    ("exact", [[[1], []], [[], []], [[], []]]),
    ("exact", [[[], []]]),
    ("chain", [9, []]),
    ("chain", [0, [[[0, [[], [], [0]], 0.0, [], 0, 0], [[7], [], []], [1, 2, 3, 4]]]]),
    ("chain", [0, [[[8, [[], [], [0]], 0.0, [], 0, 0], [[], [], [0]], [1, 2, 3, 4]]]]),
    ("climb", [1, [[7], [], []], [[[], [], [0]], 0.0, [], True, 0, 0]]),
]


@pytest.mark.parametrize(("method", "state"), BAD)
def test_a_state_of_something_else_is_refused(method: str, state: object) -> None:
    """Nodes, sets and chains that do not exist are found before they are used."""
    scorer, space = make([2, 3, 4], 1, False)
    with pytest.raises(_native.BadState, match="the state is not of this search"):
        search_by(method, scorer, *space)(resume=state)
