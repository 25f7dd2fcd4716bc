"""The race of growth: what is compared, and how far each comes, on data that say so."""

from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldag
from ldag.learning import Candidate, Grow, SearchResult

PRIORS = [
    *(("parameters", size) for size in (1.0, 10.0, 100.0, 1000.0)),
    ("leaves", 2.0),
    *(("nested", size) for size in (2.0, 8.0, 32.0)),
]


def rows(n: int = 300) -> dict[str, list[int]]:
    """Return columns that hang together."""
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 3, n), rng.integers(0, 2, n)
    c = np.where((b == 0) & (rng.random(n) < 0.9), a, rng.integers(0, 3, n))
    return {"a": a.tolist(), "b": b.tolist(), "c": c.tolist()}


def compare(**given: Any) -> dict[Candidate, int]:
    """Return what was grown, without the smoothing, and on how many folds."""
    cv = ldag.learn(rows(), method="grow", smoothing="search", **given).cv
    assert cv is not None
    return {candidate: len(folds) for candidate, folds in cv.scores.items()}


def test_what_is_compared() -> None:
    """With levels at kappa 1, nested priors leaf by leaf at 0.3, and the three best leaf by leaf at 0.03 and 0.3."""
    raced = compare()
    whole = {one for one in raced if one.levels or one.prior == "nested"}
    assert sorted((one.prior, one.equivalent_sample_size) for one in whole) == sorted(PRIORS)
    assert {one.kappa for one in whole if one.levels} == {1.0}
    assert {(one.kappa, one.levels) for one in whole if one.prior == "nested"} == {(0.3, False)}
    by_leaf = set(raced) - whole
    assert len(by_leaf) == 6
    assert {one.kappa for one in by_leaf} == {0.03, 0.3}
    assert len({(one.prior, one.equivalent_sample_size) for one in by_leaf}) == 3


def test_how_far_each_comes() -> None:
    """All 14 have the first of five folds, six the second, and three all of them."""
    assert sorted(compare().values(), reverse=True) == [5] * 3 + [2] * 3 + [1] * 8


@pytest.mark.parametrize("kappa", [0.1, 0.5, 1.0])
def test_a_price_that_is_given_is_not_chosen(kappa: float) -> None:
    """Every setting has it."""
    assert {one.kappa for one in compare(kappa=kappa)} == {kappa}


def test_tables_are_compared_with() -> None:
    """On as many folds as the best growth has, so that a fit can say what it gains."""
    fit = ldag.learn(rows(), method="grow")
    assert fit.cv is not None
    assert len(fit.cv.tables) == 5
    assert fit.held_out_gain is not None


@pytest.mark.parametrize(("n", "size"), [(60, 10.0), (30, 100.0)])
def test_sizes_of_those_tables(n: int, size: float) -> None:
    """Ten or a hundred observations, whichever predicts the first fold better."""
    cv = ldag.learn(rows(n), method="grow").cv
    options: dict[str, Any] = {"structure": "table", "method": "climb", "n_restarts": 0, "kappas": [1.0], "n_folds": 5}
    by_size = {
        one: ldag.cross_validate(rows(n), equivalent_sample_size=one, smoothing="search", **options)
        for one in (1.0, 10.0, 100.0, 1000.0)
    }
    folds = {one: next(iter(compared.scores.values())) for one, compared in by_size.items()}
    assert cv is not None
    assert cv.tables == pytest.approx(folds[size])
    assert folds[size][0] == max(folds[10.0][0], folds[100.0][0])


@pytest.mark.parametrize(("n_columns", "n_folds"), [(300, 5), (301, 0)])
def test_wide_tables_are_not_compared_with(n_columns: int, n_folds: int) -> None:
    """Beyond 300 columns climbs take longer than growth."""
    rng = np.random.default_rng(1)
    wide = {f"v{i}": [0, *rng.integers(0, 2, 6).tolist(), 1] for i in range(n_columns)}
    fixed: dict[str, Any] = {"equivalent_sample_size": 1, "smoothing": "cv", "levels": False, "kappa": 0.1}
    cv = ldag.learn(wide, method="grow", max_parents=1, **fixed).cv
    assert cv is not None
    assert len(cv.tables) == n_folds


def count_runs(monkeypatch: pytest.MonkeyPatch, ends_at: int | None = None) -> list[int]:
    """Count growths from now on, and interrupt one of them."""
    counted, run = [], Grow.run

    def counting(self: Grow, *given: Any) -> SearchResult:
        counted.append(1)
        if len(counted) == ends_at:
            raise KeyboardInterrupt
        return run(self, *given)

    monkeypatch.setattr(Grow, "run", counting)
    return counted


def test_a_race_goes_on_from_a_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was grown before an interruption is not grown again, and the answer is the same."""
    data, kept = rows(), tmp_path / "race.json"
    plain = ldag.learn(data, method="grow", n_jobs=1)
    with monkeypatch.context() as patch:
        count_runs(patch, ends_at=20)
        with pytest.raises(KeyboardInterrupt):
            ldag.learn(data, method="grow", n_jobs=1, checkpoint=kept)
    counted = count_runs(monkeypatch)
    again = ldag.learn(data, method="grow", n_jobs=1, checkpoint=kept)
    assert plain.cv is not None
    assert again.cv is not None
    assert len(counted) == 14 + 6 + 3 * 3 + 1 - 19
    assert again.cv.scores == plain.cv.scores
    assert again.ldag == plain.ldag


def test_a_race_runs_in_other_processes() -> None:
    """Where an executor sends it, with the same answer."""
    plain = ldag.learn(rows(), method="grow")
    with ProcessPoolExecutor(2) as pool:
        elsewhere = ldag.learn(rows(), method="grow", executor=pool)
    assert plain.cv is not None
    assert elsewhere.cv is not None
    assert elsewhere.cv.scores == plain.cv.scores
    assert elsewhere.ldag == plain.ldag


def test_time_may_end_on_the_first_fold() -> None:
    """Then growths that were cut are compared, which is said, and the answer can be used."""
    rng = np.random.default_rng(1)
    wide = ldag.read(rng.integers(0, 2, (2_000, 150)), names=[f"v{i}" for i in range(150)])
    fit = ldag.learn(wide, method="grow", time_limit=0.05)
    assert any("too little time for all settings of growth" in note for note in fit.notes)
    assert fit.cv is not None
    assert {len(folds) for folds in fit.cv.scores.values()} == {1}
    assert fit.network.log_likelihood(wide) / wide.total == pytest.approx(-150 * np.log(2), rel=0.05)


def lists(n: int) -> dict[str, list[int]]:
    """Return columns of which the last follows a decision list over the others, which no small table tells."""
    rng = np.random.default_rng(5)
    above = rng.integers(0, 2, (6, n))
    state = rng.integers(0, 2, n)
    for parent in above:
        state = np.where(parent == 1, rng.random(n) < rng.choice([0.05, 0.95]), state)
    return {f"x{i}": own.tolist() for i, own in enumerate((*above, state))}


def test_growth_is_a_rival_of_structures() -> None:
    """With these settings: all on the first fold, two on the second, and one on further ones."""
    cv = ldag.learn(lists(400), structure="cv", smoothing="search").cv
    assert cv is not None
    grown = {one: len(folds) for one, folds in cv.scores.items() if one.levels is not None}
    assert {(one.prior, one.equivalent_sample_size, one.kappa, one.levels) for one in grown} == {
        ("parameters", 1000.0, 1.0, True),
        ("leaves", 2.0, 1.0, True),
        ("nested", 32.0, 0.3, False),
    }
    assert sorted(grown.values()) == [1, 2, 5]
    assert {one.structure for one in cv.scores if one.levels is None} > {"table", "tree", "ldag"}
