"""Cross-validation: how observations are cut into folds, what they cost, and the time they share."""

import dataclasses
import json
import tracemalloc
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray

import ldag
from ldag import datasets
from ldag.errors import TooLarge
from ldag.learning.cross_validation import Candidate, CrossValidation
from ldag.learning.folds import check_folds, cut_folds
from ldag.model import Smoothing

HEART = datasets.load("heart").sorted()


def many_variables() -> ldag.Dataset:
    """Twenty variables of three states, each depending on two before it."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (20, 2000))
    for node in range(2, 20):
        codes[node] = np.where(rng.random(2000) < 0.6, (codes[node - 1] + codes[node - 2]) % 3, codes[node])
    return ldag.read({f"v{node:02}": codes[node] for node in range(20)})


@pytest.mark.parametrize("n_folds", [2, 7, 10])
def test_folds_are_near_equal_and_whole(n_folds: int) -> None:
    """Every observation is in one test set, and in the training sets of all other folds."""
    assert HEART.weights is not None
    parts = list(cut_folds(HEART, n_folds, 3))
    sizes = [int(part.test.total) for part in parts]
    assert max(sizes) - min(sizes) <= 1
    assert np.sum([part.inside for part in parts], axis=0).tolist() == HEART.weights.tolist()
    for part in parts:
        assert part.train.total + part.test.total == HEART.total
        both = ldag.Dataset.from_codes(
            HEART.schema,
            np.concatenate([part.train.codes, part.test.codes], axis=1),
            np.concatenate([_weights(part.train), _weights(part.test)]),
        )
        assert both.codes.tolist() == HEART.codes.tolist()
        assert both.weights is not None
        assert both.weights.tolist() == HEART.weights.tolist()


def _weights(data: ldag.Dataset) -> NDArray[np.int64]:
    return np.ones(data.n_rows, np.int64) if data.weights is None else data.weights.astype(np.int64)


def test_folds_are_as_if_shuffled() -> None:
    """How many observations of a row are in a fold: the mean and the spread of draws without replacement."""
    data = ldag.read({"a": [0, 1, 2], "n": [5, 30, 65]}, counts="n").sorted()
    weights = np.array([5, 30, 65])
    drawn = np.array([[part.inside for part in cut_folds(data, 10, seed)] for seed in range(400)])
    for fold in (0, 4, 9):
        inside = drawn[:, fold]
        mean = 10 * weights / 100
        variance = mean * (1 - weights / 100) * 90 / 99  # of the hypergeometric distribution
        assert inside.mean(axis=0) == pytest.approx(mean, abs=5 * np.sqrt(variance.max() / 400))
        assert inside.var(axis=0) == pytest.approx(variance, rel=0.35)
    together = np.corrcoef(drawn[:, 0, 1], drawn[:, 1, 1])[0, 1]  # more here, fewer there
    assert together == pytest.approx(-1 / 9, abs=0.16)


def test_memory_is_by_rows_and_not_by_observations() -> None:
    """A table of four cells with a hundred million observations."""
    data = ldag.read({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "n": [4 * 10**7, 10**7, 10**7, 4 * 10**7]}, counts="n")
    tracemalloc.start()
    compared = ldag.cross_validate(data, kappas=[0.1], equivalent_sample_size=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10**7
    assert len(compared.fold_scores[0.1]) == 10


def test_more_observations_than_can_be_drawn_are_refused() -> None:
    """With what to do instead."""
    data = ldag.read({"a": [0, 1], "n": [10**9, 10**9]}, counts="n")
    with pytest.raises(TooLarge, match="at most 999,999,999 observations, got 2,000,000,000; without cross-"):
        check_folds(data, 10)


def test_folds_and_the_last_search_share_one_time_limit() -> None:
    """Forty searches and one more on one thread, in about the time that was given for all of them."""
    fit = ldag.learn(
        many_variables(),
        method="climb",
        n_restarts=10**6,
        time_limit=0.6,
        n_jobs=1,
        kappa="cv",
        equivalent_sample_size=1,
    )
    assert fit.stopped
    assert fit.seconds < 2  # each search by itself used to take a tenth of a second at least


def test_folds_without_time_are_left_out() -> None:
    """At least two are compared, the same for every kappa."""
    compared = ldag.cross_validate(
        many_variables(), kappas=[0.1, 0.5], n_folds=20, time_limit=1e-6, n_jobs=1, equivalent_sample_size=1
    )
    lengths = {len(scores) for scores in compared.fold_scores.values()}
    assert len(lengths) == 1
    assert 2 <= lengths.pop() < 20


@pytest.mark.parametrize(("name", "structure"), [("heart", "ldag"), ("titanic", "ldag"), ("titanic", "partial")])
def test_kappas_searched_together_score_as_one_by_one(name: str, structure: Literal["ldag", "partial"]) -> None:
    """On small data all kappas and tables are found by one search; with a time limit each is found by itself."""
    data = datasets.load(name)
    together = ldag.cross_validate(data, structure=structure, equivalent_sample_size=1)
    alone = ldag.cross_validate(data, structure=structure, time_limit=1e6, equivalent_sample_size=1)
    for kappa, scores in alone.fold_scores.items():
        assert together.fold_scores[kappa] == pytest.approx(scores, abs=1e-9)
    assert together.tables == pytest.approx(alone.tables, abs=1e-9)


@pytest.mark.parametrize(("ahead", "structure"), [([3, 1, -1, 1], "ldag"), ([3, 1, -3, 1], "table")])
def test_tables_are_taken_unless_others_are_clearly_ahead(ahead: list[float], structure: str) -> None:
    """By more than a standard error of the difference, 0.82 and 1.26 here; the means are 1 and 0.5 ahead."""
    labels, tables = Candidate(0.1, 1.0, "ldag"), Candidate(1.0, 1.0, "table")
    compared = ldag.CrossValidation({labels: tuple(ahead), tables: (0.0, 0.0, 0.0, 0.0)}, 4)
    assert compared.best.structure == structure


def test_tables_that_stopped_early_are_not_taken() -> None:
    """They fell behind by more than that on the folds they have."""
    labels, tables = Candidate(0.1, 1.0, "ldag"), Candidate(1.0, 1.0, "table")
    compared = ldag.CrossValidation({labels: (3.0, -3.0, 0.1), tables: (0.0, 0.0)}, 3)
    assert compared.best == labels


def test_plain_values() -> None:
    """They survive JSON, and say what the properties say."""
    compared = ldag.cross_validate(HEART, kappas=[0.1, 0.5], n_folds=3, equivalent_sample_size=1)
    plain = compared.to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert plain["best_kappa"] == compared.best_kappa
    assert plain["mean"] == {"0.1": compared.mean[0.1], "0.5": compared.mean[0.5]}
    assert plain["fold_scores"] == {str(kappa): list(scores) for kappa, scores in compared.fold_scores.items()}


def test_standard_errors_know_that_folds_overlap() -> None:
    """Of ten folds, the variance of the mean is a tenth plus a ninth of that of a fold, not a tenth alone."""
    scores = tuple(np.random.default_rng(1).normal(-50, 3, 10).tolist())
    tables = tuple(np.random.default_rng(2).normal(-52, 3, 10).tolist())
    cv = CrossValidation({Candidate(0.1, 1.0, "ldag"): scores}, 10, tables)
    assert cv.standard_error[0.1] ** 2 == pytest.approx(np.var(scores, ddof=1) * (1 / 10 + 1 / 9))
    assert cv.gain_over_tables is not None
    assert cv.gain_over_tables[1] ** 2 == pytest.approx(np.var(np.subtract(scores, tables), ddof=1) * (1 / 10 + 1 / 9))
    early = CrossValidation({Candidate(0.1, 1.0, "ldag"): scores[:4]}, 10)
    assert early.standard_error[0.1] ** 2 == pytest.approx(np.var(scores[:4], ddof=1) * (1 / 4 + 1 / 9))


def test_candidates_that_stopped_after_one_fold_are_plain_values_too(tmp_path: Path) -> None:
    """A single fold has no standard error; files of networks keep the comparison all the same."""
    cv = CrossValidation(
        {Candidate(0.1, 1.0, "ldag"): (-5.0, -6.0), Candidate(0.3, 1.0, "ldag"): (-9.0,)}, 2, (-6.0, -7.0), ("graph",)
    )
    assert json.loads(json.dumps(cv.to_dict(), allow_nan=False)) == cv.to_dict()
    assert cv.to_dict()["standard_error"] == {"0.1": pytest.approx((0.5 * (1 / 2 + 1 / 1)) ** 0.5), "0.3": None}
    assert CrossValidation.from_dict(cv.to_dict()) == cv
    network = dataclasses.replace(ldag.learn(HEART, kappa=0.1, equivalent_sample_size=1), cv=cv).network
    network.save(tmp_path / "m.json")
    assert ldag.Network.load(tmp_path / "m.json").origin == network.origin


def test_print_shows_the_best_of_many_candidates() -> None:
    """Two dozen, how many more there are, and why one that is a little ahead was not taken."""
    table = Candidate(1.0, 1.0, "table")
    others = {Candidate(i / 100, 1.0, "ldag"): (2.0 - i / 100, -1.5) for i in range(1, 41)}
    lines = str(CrossValidation({table: (0.0, 0.0), **others}, 2)).splitlines()
    assert len(lines) == 1 + 24 + 2
    assert lines[1].split() == ["table", "1", "1", "2", "best"]
    assert lines[2].split() == ["ldag", "0.01", "1", "2", "-0.24"]
    assert lines[-2] == "and 17 more, on fewer folds or further behind"
    assert lines[-1] == "tables are taken, unless others are ahead of them by more than a standard error"


def test_candidates_are_listed_with_the_settings_that_differ() -> None:
    """The spread of parameters where some are spread over classes, the prior where there are several."""
    labels, tables = Candidate(0.1, 10.0, "ldag", Smoothing(4.0, "classes")), Candidate(1.0, 10.0, "table")
    assert str(CrossValidation({labels: (-9.0, -9.0), tables: (-10.0, -11.0)}, 2)).splitlines() == [
        "structure     kappa  sample size  parameters      spread over  folds  behind the best",
        "ldag            0.1           10           4          classes      2             best",
        "table             1           10          10   configurations      2             1.50",
    ]
    priced = dataclasses.replace(labels, smoothing=None, prior="normalised")
    assert str(CrossValidation({priced: (-9.0, -9.0), tables: (-10.0, -11.0)}, 2)).splitlines() == [
        "structure  prior          kappa  sample size  folds  behind the best",
        "ldag       normalised       0.1           10      2             best",
        "table      labels             1           10      2             1.50",
    ]


def test_the_only_structure_is_not_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes are chosen with tables, however long labels are likely to take after that: they were asked for."""
    monkeypatch.setattr("ldag.learning.race.MOST_SECONDS", 1e-9)
    cv = ldag.learn(HEART, rng=1).cv
    assert cv is not None
    assert (cv.best.structure, cv.left_out) == ("ldag", ())
