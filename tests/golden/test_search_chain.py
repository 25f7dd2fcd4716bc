"""The paper's search on the heart data: 50 chains of 500 proposals."""

from math import log

import pytest

from ldag import _native, datasets

HEART = datasets.load("heart")
FREE = [[parent for parent in range(6) if parent != node] for node in range(6)]
Found = tuple[list[list[int]], float, list[tuple[int, float]], bool, int, int]
OPTIMUM = [(0.001, -6731.82), (0.1, -6729.69), (0.3, -6727.50), (0.5, -6724.68)]


def search(kappa: float, n_chains: int, n_iter: int, seed: int) -> Found:
    """Run the chains with the paper's prior and greedy labels."""
    scorer = _native.FamilyScorer(HEART.columns, 1.0, log(kappa), 0.0, "ldag", "greedy", True, 0, 10, 1 << 20)
    return _native.search_chain(scorer, FREE, [[]] * 6, [5] * 6, n_chains, n_iter, seed, 2)


@pytest.mark.parametrize(("kappa", "optimum"), OPTIMUM)
def test_heart_chains_reach_the_published_score(kappa: float, optimum: float) -> None:
    """To both decimals of the paper, which is the exact optimum with these labels."""
    _, score, trace, stopped, n_steps, n_accepted = search(kappa, 50, 500, seed=1)
    assert score == pytest.approx(optimum, abs=0.005)
    assert trace[-1][1] == score
    assert not stopped
    assert n_steps == 25_000
    assert 0 < n_accepted < n_steps


@pytest.mark.parametrize(("kappa", "optimum"), OPTIMUM)
def test_chains_never_beat_the_exact_optimum(kappa: float, optimum: float) -> None:
    """Whatever the seed and however short."""
    for seed in range(20):
        assert search(kappa, 2, 200, seed)[1] <= optimum + 0.005
