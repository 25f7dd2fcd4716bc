"""Folds of rows that belong together: a group is in one fold, and errors are over groups."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import ldag
from ldag.errors import ArgumentError, DataError
from ldag.learning import group_folds
from ldag.learning.content_order import order_by_content
from ldag.learning.cross_validation import CrossValidation
from ldag.learning.folds import check_folds, cut_folds, usual_folds
from ldag.learning.group_folds import draw_rows, weigh_groups

QUICK: dict[str, Any] = {"max_parents": 3, "method": "climb", "n_restarts": 0}
ORDER = ldag.Constraints(order=["sex", "pain", "drug", "day"])
"""So that no two graphs say the same."""


def visits(n_patients: int = 80, seed: int = 1) -> pd.DataFrame:
    """Patients of one to nine visits, each with something of its own: sex stays, and pain leans on the patient.

    Pain and drug matter for the day of one sex only.
    """
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(n_patients), rng.integers(1, 10, n_patients))
    sex, leaning = rng.integers(0, 2, n_patients)[patient], rng.normal(size=n_patients)[patient]
    pain = (leaning + rng.normal(size=len(patient)) > 0).astype(int)
    drug = np.where(rng.random(len(patient)) < 0.7, pain, rng.integers(0, 3, len(patient)))
    day = np.where((sex == 1) & (rng.random(len(patient)) < 0.8), 3 * pain + drug, rng.integers(0, 6, len(patient)))
    return pd.DataFrame({"patient": patient, "sex": sex, "pain": pain, "drug": drug, "day": day})


@pytest.fixture(scope="module")
def data() -> ldag.Dataset:
    """Eighty patients."""
    return ldag.read(visits(), groups="patient")


@pytest.mark.parametrize("n_folds", [2, 7, 10])
def test_groups_are_whole_and_folds_balanced(data: ldag.Dataset, n_folds: int) -> None:
    """Counted row by row; no fold has more rows than another plus the largest group."""
    parts = list(cut_folds(data, n_folds, 3))
    rows = np.repeat(data.codes.T, data.whole_weights, axis=0)
    assert data.groups is not None
    codes = np.repeat(data.groups.codes, data.whole_weights)
    sizes = [int(part.inside.sum()) for part in parts]
    assert sum(sizes) == data.total
    assert max(sizes) - min(sizes) <= np.bincount(codes).max()
    inside = []
    for part in parts:
        assert part.groups is not None
        inside.append(part.groups.inside)
        own = sorted(map(bytes, rows[part.groups.inside[codes]]))
        test = np.repeat(part.test.codes.T, part.test.whole_weights, axis=0)
        assert sorted(map(bytes, test)) == own
        assert part.train.total + part.test.total == data.total
        assert part.train.groups is None
    assert (np.sum(inside, axis=0) == 1).all()


def test_seeds_deal_differently(data: ldag.Dataset) -> None:
    """And one seed always alike."""
    first, again, other = (np.array([p.inside for p in cut_folds(data, 5, seed)]) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_groups_of_one_row_change_nothing() -> None:
    """Folds, draws and what is learned are those of rows; nothing is said of groups."""
    frame = visits().assign(patient=lambda own: range(len(own)))
    single, plain = ldag.read(frame, groups="patient"), ldag.read(frame.drop(columns="patient"))
    assert not single.is_grouped
    ours, theirs = (ldag.learn(one, **QUICK) for one in (single, plain))
    assert str(ours).splitlines()[:-3] == str(theirs).splitlines()[:-3]
    assert ours.cv is not None
    assert theirs.cv is not None
    assert (ours.cv.scores, ours.cv.groups) == (theirs.cv.scores, None)
    assert ours.average_gain == theirs.average_gain


def test_one_search_does_not_see_groups(data: ldag.Dataset) -> None:
    """Where nothing is chosen on folds, the graph and its score are those of the same rows."""
    own: dict[str, Any] = {"kappa": 0.1, "equivalent_sample_size": 3}
    ours, theirs = ldag.learn(data, **own), ldag.learn(data.ungrouped(), **own)
    assert (ours.ldag, ours.score) == (theirs.ldag, theirs.score)
    assert str(ours).startswith("LDAG learned from 392 rows of 80 patients, 4 variables\n")
    assert "not seen" not in str(ours)


def test_print_says_what_was_chosen_on(data: ldag.Dataset) -> None:
    """Rows, groups, and that errors are over groups."""
    fit = ldag.learn(data, kappa="cv", **QUICK)
    assert str(fit).startswith("LDAG learned from 392 rows of 80 patients, 4 variables; chosen on patients not seen\n")
    assert "10 folds of 392 rows of 80 patients; patients are in one fold each" in str(fit.cv)
    assert fit.cv is not None
    again = CrossValidation.from_dict(fit.cv.to_dict())
    assert again.groups == fit.cv.groups
    assert again.gain_over_tables == fit.cv.gain_over_tables


def test_names_and_order_change_nothing() -> None:
    """Of columns, of patients, and the order of rows."""
    frame = visits()
    shuffled = frame.sample(frac=1, random_state=1)
    renamed = pd.DataFrame(
        {
            "z": shuffled["sex"],
            "a": shuffled["day"],
            "who": [f"P{(patient * 37) % 101}" for patient in shuffled["patient"]],
            "k": shuffled["drug"],
            "c": shuffled["pain"],
        }
    )
    tables = ldag.read(frame, groups="patient"), ldag.read(renamed, groups="who")
    ours, theirs = (ldag.learn(one, **QUICK) for one in tables)
    assert ours.cv is not None
    assert theirs.cv is not None
    mine, other = (list(one.scores.values()) for one in (ours.cv, theirs.cv))
    assert all(a == pytest.approx(b, abs=1e-8) for a, b in zip(mine, other, strict=True))


def test_the_order_is_one_of_the_same_rows(data: ldag.Dataset) -> None:
    """With numbers for patients."""
    ordered = order_by_content(data)
    assert ordered.groups is not None
    assert ordered.groups.labels == tuple(range(80))
    assert ordered.ungrouped().select(data.names) == data.ungrouped()
    assert sorted(ordered.groups.amounts(ordered.weights)) == sorted(data.groups.amounts(data.weights))  # type: ignore[union-attr]


def fold_gains(data: ldag.Dataset, fit: ldag.Fit) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return by patient how much better a network of the chosen settings predicts than tables, and the rows."""
    assert fit.cv is not None
    best, gains, sizes = fit.cv.best, [], []
    work = order_by_content(data)
    for part in cut_folds(work, 10, 0):
        size = best.equivalent_sample_size
        smoothing = (best.of_parameters.size, best.of_parameters.spread)
        own: dict[str, Any] = {"equivalent_sample_size": size, "smoothing": smoothing, "constraints": ORDER}
        labels = ldag.learn(part.train, kappa=best.kappa, structure=best.structure, **own).network
        tables = ldag.learn(part.train, structure="table", **own).network
        assert part.groups is not None
        assert work.groups is not None
        for number in np.flatnonzero(part.groups.inside).tolist():
            own_rows = work.codes[:, work.groups.codes == number].T.tolist()
            times = work.whole_weights[work.groups.codes == number]
            named = [{v.name: v.states[code] for v, code in zip(work.variables, row, strict=True)} for row in own_rows]
            logs = [np.log(labels.probability(one)) - np.log(tables.probability(one)) for one in named]
            gains.append(float(np.dot(logs, times)))
            sizes.append(float(times.sum()))
    return np.array(gains), np.array(sizes)


def test_the_error_is_over_groups(data: ldag.Dataset) -> None:
    """As networks learned one by one and a jackknife over patients have it; enlarged by what folds share."""
    fit = ldag.learn(data, kappa="cv", structure="ldag", equivalent_sample_size=10, smoothing=4, constraints=ORDER)
    assert fit.cv is not None
    assert fit.cv.groups is not None
    gains, sizes = fold_gains(data, fit)
    assert fit.held_out_gain is not None
    mean, error = fit.held_out_gain
    assert mean == pytest.approx(gains.sum() / sizes.sum())
    without = [(gains.sum() - a) / (sizes.sum() - n) for a, n in zip(gains, sizes, strict=True)]
    jackknife = np.sqrt((len(gains) - 1) * np.var(without))
    assert fit.cv.groups.error == pytest.approx(jackknife, rel=0.03)
    assert f"(standard error {error:.4f} over patients)" in str(fit)
    assert error == pytest.approx(fit.cv.groups.error * np.sqrt(1 + 10 / 9))


def test_the_error_of_a_ratio() -> None:
    """Equal groups: that of the mean of their means."""
    means = np.array([1.0, 2.0, 4.0, 9.0])
    result = weigh_groups(3 * means, np.full(4, 3.0))
    assert result.mean == pytest.approx(4.0)
    assert result.error == pytest.approx(np.std(means, ddof=1) / 2)
    assert (result.n_rows, result.n_groups) == (12, 4)


def test_an_average_has_its_error_over_groups(data: ldag.Dataset) -> None:
    """Which is larger than that over rows where patients differ."""
    ours = ldag.learn(data, **QUICK).average_gain
    theirs = ldag.learn(data.ungrouped(), **QUICK).average_gain
    assert ours is not None
    assert theirs is not None
    assert (ours.n_groups, theirs.n_groups) == (80, None)


def test_few_groups_have_fewer_folds() -> None:
    """One each; fewer than five are refused where anything is to be chosen on folds."""
    seven = ldag.read(visits(7), groups="patient")
    assert usual_folds(seven) == check_folds(seven, 10) == 7
    fit = ldag.learn(seven, **QUICK)
    assert fit.cv is not None
    assert fit.cv.n_folds == 7
    assert group_folds.FEWEST_GROUPS == 5
    four = ldag.read(visits(4), groups="patient")
    expected = "needs at least 5 patients, got 4 patients: with so few, what one of them has in common decides"
    with pytest.raises(DataError, match=expected):
        ldag.learn(four)
    with pytest.raises(DataError, match=expected):
        ldag.cross_validate(four)
    assert ldag.learn(four, kappa=0.1, equivalent_sample_size=10).data.groups is not None
    assert ldag.learn(ldag.read(visits(5), groups="patient"), **QUICK).cv is not None


def test_rows_with_gaps_have_errors_over_groups() -> None:
    """Folds are completed one by one, and rows predicted by the cells that are seen."""
    frame = visits(60)
    frame.loc[::7, "pain"] = None
    fit = ldag.learn(ldag.read(frame, groups="patient", missing="keep"), kappa=0.9, structure="ldag", **QUICK)
    assert fit.cv is not None
    assert fit.cv.groups is not None
    assert fit.cv.groups.n_groups == 60
    assert fit.cv.groups.error is not None
    assert fit.cv.groups.error > 0


def test_groups_are_drawn_whole(data: ldag.Dataset) -> None:
    """With replacement, as many as there are: every patient's rows so many times as the patient is drawn."""
    drawn = [draw_rows(data, np.random.default_rng(seed)) for seed in range(300)]
    totals = np.array([one.total for one in drawn])
    assert all(one.groups is None for one in drawn)
    assert data.groups is not None
    sizes = data.groups.amounts(data.weights)
    assert totals.mean() == pytest.approx(data.total, abs=4 * totals.std() / np.sqrt(300))
    assert totals.std() == pytest.approx(np.sqrt(80) * sizes.std(), rel=0.15)
    plain = draw_rows(data.ungrouped(), np.random.default_rng(1))
    assert plain.total == data.total


def test_grown_trees_are_set_on_groups(data: ldag.Dataset) -> None:
    """Their race cuts the same folds."""
    fit = ldag.learn(data, method="grow")
    assert fit.cv is not None
    assert fit.cv.groups == dataclasses.replace(fit.cv.groups, n_groups=80)  # type: ignore[type-var]
    assert "chosen on patients not seen" in str(fit)


def test_a_run_with_gaps_resumes_from_its_checkpoint(tmp_path: Path) -> None:
    """Folds that need not be searched again are still completed, to predict their rows."""
    frame, path = visits(40), tmp_path / "kept.json"
    frame.loc[::7, "pain"] = None
    data = ldag.read(frame, groups="patient", missing="keep")
    compared = [
        ldag.cross_validate(data, kappas=[0.5, 0.9], equivalent_sample_size=10, checkpoint=path, **QUICK)
        for _ in range(2)
    ]
    assert compared[0].groups == compared[1].groups
    assert compared[0].groups is not None
    assert compared[0].groups.error is not None


def test_a_checkpoint_knows_its_groups(tmp_path: Path) -> None:
    """The same rows in other groups are other data."""
    path, frame = tmp_path / "kept.json", visits()
    ldag.learn(ldag.read(frame, groups="patient"), checkpoint=path, **QUICK)
    other = ldag.read(frame.assign(patient=frame["patient"].to_numpy()[::-1]), groups="patient")
    for data in (other, other.ungrouped()):
        with pytest.raises(ArgumentError, match="the data are others"):
            ldag.learn(data, checkpoint=path, **QUICK)
