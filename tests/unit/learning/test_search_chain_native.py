"""The chains as Python calls them: threads, slices, progress, interruption and refusals."""

import threading
import time
from collections.abc import Mapping
from math import log

import numpy as np
import pytest

from ldag import _native, datasets
from tests.interrupts import interrupted

HEART = datasets.load("heart")
FREE = [[parent for parent in range(6) if parent != node] for node in range(6)]
NONE: list[list[int]] = [[]] * 6
SPACE = FREE, NONE, [5] * 6
FOREVER = 10**12


def scorer(kappa: float = 0.3) -> _native.FamilyScorer:
    """A scorer on the heart data that remembers nothing yet."""
    return _native.FamilyScorer(HEART.columns, 1.0, log(kappa), 0.0, "ldag", "greedy", True, 0, 10, 1 << 20)


def test_threads_change_nothing() -> None:
    """The same tuple to the last bit, with a fresh scorer each."""
    expected = _native.search_chain(scorer(), *SPACE, 20, 300, 5, 1)
    for n_threads in (2, 3, 8):
        assert _native.search_chain(scorer(), *SPACE, 20, 300, 5, n_threads) == expected
    assert _native.search_chain(scorer(), *SPACE, 20, 300, 6, 1) != expected


def test_slices_merge_to_the_answer_of_one_run() -> None:
    """Chains run in slices, in any order, by other numbers of threads."""
    expected = _native.search_chain(scorer(), *SPACE, 12, 200, 3, 1)
    late = _native.testing.run_chains(scorer(), *SPACE, 7, 200, 3, 2, first_chain=5)
    early = _native.testing.run_chains(scorer(), *SPACE, 5, 200, 3, 1)
    assert [chain[0] for chain in early + late] == list(range(12))
    assert _native.testing.merge_chains(late + early, 12, 200) == expected
    assert _native.testing.merge_chains(early, 12, 200)[3]  # not all of it
    with pytest.raises(ValueError, match="at least one chain"):
        _native.testing.merge_chains([], 12, 200)


def test_start_and_constraints_hold() -> None:
    """Chains begin at the start, keep what is required, and take only candidates."""
    start = [[], [0], [1], [], [], []]
    found = _native.search_chain(scorer(), *SPACE, 3, 0, 0, 1, start=start)
    assert found[0] == start
    required = [[], [], [5], [], [], []]
    parents, *_ = _native.search_chain(scorer(), FREE, required, [1] * 6, 10, 500, 0, 2)
    assert parents[2] == [5]
    assert max(map(len, parents)) == 1
    candidates = [[], [0], [], [], [], []]
    parents, *_ = _native.search_chain(scorer(), candidates, NONE, [5] * 6, 10, 500, 0, 2)
    assert all(set(own) <= set(may) for own, may in zip(parents, candidates, strict=True))


def test_more_than_64_variables() -> None:
    """Neighbouring columns that copy each other are joined, beyond one word of bits."""
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 3, (70, 300)).astype(np.uint8)
    codes[1::2] = np.where(rng.random((35, 300)) < 0.8, codes[::2], codes[1::2])
    scores = _native.FamilyScorer(
        _native.Columns(codes, [3] * 70, None), 1.0, log(0.1), 0.0, "ldag", "greedy", True, 0, 10, 1 << 22
    )
    pairs = [[node ^ 1] for node in range(70)]
    parents, *_ = _native.search_chain(scores, pairs, [[]] * 70, [1] * 70, 2, 5000, 0, 2)
    assert all(len(parents[node]) + len(parents[node + 1]) == 1 for node in range(0, 70, 2))


def test_wrong_arguments_are_refused() -> None:
    """What would read outside the data or leave the space is checked."""
    with pytest.raises(ValueError, match="every variable"):
        _native.search_chain(scorer(), FREE[:5], NONE[:5], [5] * 5, 1, 1, 0, 1)
    with pytest.raises(ValueError, match="start is not in the space"):
        _native.search_chain(scorer(), *SPACE, 1, 1, 0, 1, start=[[1], [0], [], [], [], []])


def test_progress_is_told_and_can_stop() -> None:
    """The numbers rise, and a true answer ends the search at the best so far."""
    seen: list[Mapping[str, float]] = []

    def look(progress: Mapping[str, float]) -> bool:
        seen.append(progress)
        return len(seen) == 3

    begun = time.monotonic()
    parents, score, _, stopped, n_steps, n_accepted = _native.search_chain(
        scorer(), *SPACE, 2, FOREVER, 0, 2, on_progress=look
    )
    assert time.monotonic() - begun < 20
    assert stopped
    assert len(parents) == 6
    assert [one["total"] for one in seen] == [2 * FOREVER] * 3
    assert 0 < seen[0]["done"] <= seen[1]["done"] <= seen[2]["done"] <= n_steps < 2 * FOREVER
    assert seen[2]["accepted"] <= n_accepted
    assert seen[0]["best"] <= seen[2]["best"] <= score


def test_stopped_slices_tell_how_far_they_came() -> None:
    """A checkpoint keeps only chains with all their steps."""
    chains = _native.testing.run_chains(scorer(), *SPACE, 4, FOREVER, 0, 2, on_progress=lambda _: True)
    assert 0 < len(chains) <= 4
    assert all(chain[4] < FOREVER for chain in chains)


def test_errors_of_progress_come_through() -> None:
    """The search ends, and the caller gets the error."""

    def fail(_: Mapping[str, float]) -> bool:
        raise LookupError("no screen")

    with pytest.raises(LookupError, match="no screen"):
        _native.search_chain(scorer(), *SPACE, 2, FOREVER, 0, 2, on_progress=fail)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_interrupt_returns_the_best_so_far(n_threads: int) -> None:
    """Ctrl-C ends the search, and the answer found is kept."""
    with interrupted(0.3) as sent:
        found = _native.search_chain(scorer(), *SPACE, 4, FOREVER, 0, n_threads)
    assert time.monotonic() - sent[0] < 20
    assert found[3]
    assert found[1] == pytest.approx(-6727.50, abs=0.005)


def test_other_threads_run_meanwhile() -> None:
    """The interpreter is free while chains run."""
    ticks: list[float] = []
    done = threading.Event()

    def tick() -> None:
        while not done.wait(0.01):
            ticks.append(time.monotonic())

    other = threading.Thread(target=tick)
    other.start()
    deadline = time.monotonic() + 0.4
    _native.search_chain(scorer(), *SPACE, 1, FOREVER, 0, 1, on_progress=lambda _: time.monotonic() > deadline)
    done.set()
    other.join()
    assert len(ticks) > 3
