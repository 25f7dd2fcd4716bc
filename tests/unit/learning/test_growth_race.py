"""The race of growth: what is compared, and how far each comes, on data that say so."""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldag
from ldag.learning import Candidate, Grow, SearchControl, SearchResult
from ldag.learning.content_order import order_by_content
from ldag.learning.folds import FoldScore, FoldSearches, Task, cut_folds

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
    fixed: dict[str, Any] = {"equivalent_sample_size": 1, "smoothing": ("cv", "nested"), "levels": False, "kappa": 0.1}
    cv = ldag.learn(wide, method="grow", max_parents=0, **fixed).cv
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


def lists(n: int, n_parents: int) -> dict[str, list[int]]:
    """Return columns of which the last follows a decision list over the others, which no small table tells."""
    rng = np.random.default_rng(5)
    above = rng.integers(0, 2, (n_parents, n))
    state = rng.integers(0, 2, n)
    for parent in above:
        state = np.where(parent == 1, rng.random(n) < rng.choice([0.03, 0.97]), state)
    return {f"x{i}": own.astype(int).tolist() for i, own in enumerate((*above, state))}


def test_growth_is_a_rival_of_structures() -> None:
    """With these settings: all on the first fold, two on the second, and one on further ones."""
    cv = ldag.learn(lists(400, 6), structure="cv", smoothing="search").cv
    assert cv is not None
    grown = {one: len(folds) for one, folds in cv.scores.items() if one.levels is not None}
    assert {(one.prior, one.equivalent_sample_size, one.kappa, one.levels) for one in grown} == {
        ("parameters", 1000.0, 1.0, True),
        ("leaves", 2.0, 1.0, True),
        ("nested", 32.0, 0.3, False),
    }
    assert sorted(grown.values()) == [1, 2, 5]
    assert {one.structure for one in cv.scores if one.levels is None} > {"table", "ldag"}


def test_a_rival_that_predicts_best_is_taken(tmp_path: Path) -> None:
    """The fit is one of growth, and says so; it predicts new rows better than the best of the others."""
    data, kept = ldag.read(lists(2_000, 8)), tmp_path / "race.json"
    fit = ldag.learn(data, structure="cv", checkpoint=kept)
    assert fit.cv is not None
    best = fit.cv.best
    assert (fit.method, fit.structure, best.levels) == ("grow", "tree", False)
    others = [np.mean(folds[:5]) for one, folds in fit.cv.scores.items() if one.levels is None]
    assert np.mean(fit.cv.scores[best][:5]) > max(others)
    assert "chosen by cross-validation: structure grown by leaves, prior nested, kappa 0.3" in str(fit)
    assert fit.held_out_gain is not None
    assert str(fit.cv).splitlines()[1].startswith("grown by leaves  nested")
    alone = ldag.learn(data, method="grow", kappa=0.3, prior="nested", equivalent_sample_size=32, levels=False)
    assert fit.ldag == alone.ldag
    again = ldag.learn(data, structure="cv", checkpoint=kept)
    assert again.ldag == fit.ldag
    assert again.cv == fit.cv
    assert len(fit.average(2)) == 2


@pytest.mark.parametrize(
    "more",
    [
        {"method": "exact"},
        {"method": "chain", "n_iter": 100},
        {"prior": "normalised"},
        {"constraints": ldag.Constraints(labels={("x0", "x1"): [{"x2": "0"}]})},
    ],
    ids=["exact", "chain", "prior", "labels"],
)
def test_growth_does_not_join_where_something_else_was_asked_for(more: dict[str, Any]) -> None:
    """A proof, a chain, a prior that it has not, or labels that are fixed."""
    cv = ldag.learn(lists(100, 3), structure="cv", equivalent_sample_size=1, **more).cv
    assert cv is not None
    assert all(one.levels is None for one in cv.scores)


def fake(patch: pytest.MonkeyPatch, score: Callable[[Candidate], float]) -> None:
    """Replace what is searched on folds by a formula."""

    def run(self: FoldSearches, task: Task, control: SearchControl) -> FoldScore:
        del control
        return FoldScore((score(task.candidate),) * len(self.smoothings), None, is_final=True, score=0.0)

    patch.setattr(FoldSearches, "run", run)


@pytest.mark.parametrize(("behind", "has_stopped"), [(0.9, False), (1.1, True)])
def test_a_rival_that_is_behind_stops(behind: float, has_stopped: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """By more than a hundredth of the score on the first fold; otherwise it goes on to the fifth."""
    fake(monkeypatch, lambda one: -100.0 - behind * (one.levels is not None))
    compared = ldag.cross_validate(rows(), structure="cv", method="climb", smoothing="search")
    lengths = {len(folds) for one, folds in compared.scores.items() if one.levels is not None}
    assert lengths == ({1} if has_stopped else {1, 2, 5})
    assert compared.best.levels is None


@pytest.mark.parametrize("ahead", [0.0, 0.1])
def test_a_rival_must_be_ahead(ahead: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of candidates that are equal it is not taken."""
    fake(monkeypatch, lambda one: ahead * (one.levels is not None))
    compared = ldag.cross_validate(rows(), structure="cv", method="climb", smoothing="search")
    assert (compared.best.levels is not None) == (ahead > 0)


def test_smoothings_that_are_compared() -> None:
    """Every growth is judged with the prior of its search, leaning on the node above, and averaged over prunings."""
    cv = ldag.learn(rows(), method="grow").cv
    assert cv is not None
    assert {one.smoothing for one in cv.scores} == {
        None,
        *((size, "nested") for size in (2.0, 4.0, 8.0, 16.0, 32.0, 64.0)),
        (1.0, "configurations", 0.03),
        (2.0, "classes", 0.3),
    }
    again = ldag.CrossValidation.from_dict(cv.to_dict())
    assert {one.of_parameters for one in again.scores} == {one.of_parameters for one in cv.scores}


def test_averages_over_prunings(tmp_path: Path) -> None:
    """The network is the one that is estimated so for the graph; it is kept, updated, and the same in an average."""
    data, smoothing = rows(), (2.0, "classes", 0.3)
    fit = ldag.learn(data, method="grow", smoothing=(2, "classes", 0.3))
    assert fit.smoothing == smoothing
    assert "averaged over prunings (kappa 0.3)" in str(fit)
    options: dict[str, Any] = {"equivalent_sample_size": 2, "spread": "classes", "estimate": "averaged", "kappa": 0.3}
    assert fit.network == ldag.Network.from_data(fit.ldag, data, **options)
    assert fit.network != ldag.Network.from_data(fit.ldag, data, equivalent_sample_size=2, spread="classes")
    fit.network.save(tmp_path / "net.json")
    assert ldag.Network.load(tmp_path / "net.json").update(data) == fit.network.update(data)
    mixture = ldag.average(data, 2, method="grow", smoothing=(2, "classes", 0.3))
    again = [ldag.Network.from_data(member.ldag, data, **options) for member in mixture.members]
    assert list(mixture.members) == again
    assert "averaged over prunings" in str(mixture)


def test_averages_over_prunings_on_folds() -> None:
    """What they score on a fold is the probability of its rows by the network that is estimated so without it."""
    data = ldag.read(rows(40))
    fit = ldag.learn(data, method="grow", kappa=0.3, levels=False, equivalent_sample_size=5, smoothing="cv")
    assert fit.cv is not None
    work = order_by_content(data)
    for fold, inside in enumerate(cut_folds(work, 5, 0)):
        own = ldag.learn(inside.train, method="grow", kappa=0.3, levels=False, equivalent_sample_size=5)
        for candidate, scores in fit.cv.scores.items():
            if candidate.smoothing is not None and candidate.smoothing.kappa is not None:
                size, spread, kappa = candidate.smoothing
                net = ldag.Network.from_data(
                    own.ldag, inside.train, equivalent_sample_size=size, spread=spread, estimate="averaged", kappa=kappa
                )
                assert scores[fold] == pytest.approx(net.log_likelihood(inside.test))
