"""The classifier in scikit-learn's manner."""

import pickle
import subprocess
import sys
import warnings
from typing import Any, cast

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer
from sklearn.utils.estimator_checks import check_estimator

import ldag
from ldag import LDAGClassifier
from ldag.data import Dataset
from ldag.errors import ArgumentError, DataError, UnknownState
from ldag.learning import Fit, Settings, classifier, learn_with


@pytest.fixture(scope="module")
def heart() -> pd.DataFrame:
    """Some rows of the heart data, one per person."""
    frame = cast("pd.DataFrame", ldag.datasets.load("heart").to_frame())
    return frame.loc[frame.index.repeat(frame["count"])].drop(columns="count")[::3]


def test_scikit_learn_accepts_it() -> None:
    """Every check of an estimator passes, with no expected failures; few parents make it quick."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(LDAGClassifier(max_parents=2), on_fail=None)
    assert [found["check_name"] for found in results if found["status"] not in ("passed", "skipped")] == []
    assert len(results) > 50


def test_it_predicts_as_its_network(heart: pd.DataFrame) -> None:
    """The probabilities are those of the network over the features and the class, named as the series is."""
    X, y = heart.drop(columns="pressure"), heart["pressure"]  # noqa: N806
    model = LDAGClassifier(kappa=0.1).fit(X, y)
    assert model.target_ == "pressure"
    assert model.classes_.tolist() == ["<140", ">140"]
    assert model.feature_names_in_.tolist() == list(X.columns)
    assert model.network_.variables[-1].states == ("<140", ">140")
    row = X.iloc[0].to_dict()
    answer = model.network_.query("pressure", given=row)
    np.testing.assert_allclose(model.predict_proba(X)[0], list(answer.values()))
    direct = ldag.learn(
        ldag.read(pd.concat([X, y], axis=1)), kappa=0.1, equivalent_sample_size=model.fit_.equivalent_sample_size
    )
    assert model.fit_.ldag == direct.ldag
    assert 0.5 < model.score(X, y) < 1


def test_tables_of_any_make(heart: pd.DataFrame) -> None:
    """Pandas, polars and numpy give the same probabilities; columns of numbers stay numbers."""
    X, y = heart.drop(columns="pressure"), heart["pressure"]  # noqa: N806
    X = X.assign(family=(X["family"] == "yes").astype(int))  # noqa: N806
    size = 10.0  # the folds by which one is chosen depend on the names of the variables
    wanted = LDAGClassifier(equivalent_sample_size=size).fit(X, y).predict_proba(X)
    polars = pl.DataFrame({name: X[name].to_list() for name in X.columns})
    for other in (polars, X.to_numpy()):
        model = LDAGClassifier(equivalent_sample_size=size).fit(other, y.to_numpy())
        assert model.target_ == "y"
        np.testing.assert_allclose(model.predict_proba(other), wanted)


def test_unseen_features_are_summed_out(heart: pd.DataFrame) -> None:
    """As missing ones are in features that had no gaps; or they are refused."""
    X, y = heart.drop(columns="pressure").astype(object), heart["pressure"]  # noqa: N806
    model = LDAGClassifier().fit(X, y)
    unseen = X.assign(smoking="often")
    np.testing.assert_allclose(model.predict_proba(unseen), model.predict_proba(X.assign(smoking=None)))
    row = X.iloc[0].to_dict() | {"smoking": None}
    answer = model.network_.query("pressure", given={name: state for name, state in row.items() if state is not None})
    np.testing.assert_allclose(model.predict_proba(pd.DataFrame([row]))[0], list(answer.values()))
    with pytest.raises(UnknownState, match=r"column 'smoking', row 1: .* no state 'often'"):
        model.set_params(unseen="error").predict(unseen)


def test_gaps_are_a_state(heart: pd.DataFrame) -> None:
    """Of features that have any in the training rows, in predictions too; or such rows are left out, or refused."""
    X, y = heart.drop(columns="pressure").astype(object), heart["pressure"]  # noqa: N806
    gaps = X.copy()
    gaps.loc[(y == ">140").to_numpy() & (np.arange(len(y)) % 2 == 0), "smoking"] = None
    model = LDAGClassifier(missing="state").fit(gaps, y)
    assert model.fit_.n_observations == len(X)
    assert model.network_.variables[0].states == ("no", "yes", "missing")
    without = X.iloc[:1].assign(smoking=None)
    given = X.iloc[0].to_dict() | {"smoking": "missing"}
    answer = model.network_.query("pressure", given=given)
    np.testing.assert_allclose(model.predict_proba(without)[0], list(answer.values()))
    assert model.predict(without).tolist() == [">140"]  # who alone had gaps
    some = X.copy()
    some.iloc[:10, 0] = None
    with pytest.warns(UserWarning, match=r"10 of 614 rows left out, which have missing cells \(in smoking\)"):
        dropped = LDAGClassifier(missing="drop").fit(some, y)
    assert dropped.fit_.n_observations == len(X) - 10
    with pytest.raises(DataError, match="'smoking' has 10 missing cells"):
        LDAGClassifier(missing="error").fit(some, y)


def test_gaps_are_learned_from(heart: pd.DataFrame) -> None:
    """By default: no row is lost, no state is made, and what is missing in a prediction is summed out."""
    X, y = heart.drop(columns="pressure").astype(object), heart["pressure"]  # noqa: N806
    rng = np.random.default_rng(3)
    gaps = X.mask(rng.random(X.shape) < 0.1, None)
    model = LDAGClassifier(kappa=0.1, equivalent_sample_size=1).fit(gaps, y)
    assert model.fit_.n_observations == len(X)
    assert model.fit_.data.has_gaps
    assert all(variable.n_states == 2 for variable in model.network_.variables)
    row = gaps[gaps.isna().any(axis=1)].iloc[0]
    answer = model.network_.query("pressure", given=row.dropna().to_dict())
    np.testing.assert_allclose(model.predict_proba(row.to_frame().T)[0], list(answer.values()))


def test_rows_without_a_class_are_left_out(heart: pd.DataFrame) -> None:
    """They say nothing of the class; weights go with their rows."""
    X, y = heart.drop(columns="pressure"), heart["pressure"].astype(object)  # noqa: N806
    some = y.copy()
    some.iloc[[0, 5]] = [None, np.nan]
    weights = np.arange(len(y)) % 3 + 1
    with pytest.warns(UserWarning, match="2 of 614 rows left out, which have no class"):
        model = LDAGClassifier(equivalent_sample_size=1).fit(X, some, weights)
    used = some.notna().to_numpy()
    same = LDAGClassifier(equivalent_sample_size=1).fit(X[used], y[used], weights[used])
    assert model.network_ == same.network_
    with pytest.raises(ValueError, match="Input y contains NaN"):
        LDAGClassifier().fit(X, np.full(len(X), None))


def test_tools_of_scikit_learn(heart: pd.DataFrame) -> None:
    """Grid search over kappa, cross-validation, clones, pickles and pipelines."""
    X, y = heart.drop(columns="pressure"), heart["pressure"]  # noqa: N806
    search = GridSearchCV(LDAGClassifier(), {"kappa": [0.001, 0.5]}, cv=3).fit(X, y)
    assert search.best_params_["kappa"] in (0.001, 0.5)
    assert len(cross_val_score(LDAGClassifier(structure="table"), X, y, cv=3)) == 3
    model = LDAGClassifier(kappa=0.3, random_state=np.random.RandomState(1)).fit(X, y)
    assert clone(model).kappa == 0.3
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    iris = load_iris()
    bins = KBinsDiscretizer(4, encode="ordinal", quantile_method="averaged_inverted_cdf")
    assert cross_val_score(make_pipeline(bins, LDAGClassifier()), iris.data, iris.target, cv=3).mean() > 0.85


def test_weights_are_repetitions(heart: pd.DataFrame) -> None:
    """A row of weight two is two rows, and one of weight zero is none."""
    X, y = heart.drop(columns="pressure")[:120], heart["pressure"][:120]  # noqa: N806
    weights = np.arange(120) % 3
    weighted = LDAGClassifier().fit(X, y, sample_weight=weights)
    places = np.repeat(np.arange(120), weights)
    repeated = LDAGClassifier().fit(X.iloc[places], y.iloc[places])
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X))


def test_the_sample_size_is_chosen_where_there_are_folds() -> None:
    """By cross-validation, as `learn` chooses it; with few rows, or weights that are not whole, it is 1."""
    rng = np.random.default_rng(2)
    rows = rng.integers(0, 2, (60, 3))
    classes = np.where(rng.random(60) < 0.8, rows[:, 0], 1 - rows[:, 0])
    chosen = LDAGClassifier().fit(rows, classes).fit_
    assert chosen.cv is not None
    assert chosen.equivalent_sample_size == chosen.cv.best.equivalent_sample_size
    for few in (LDAGClassifier().fit(rows[:9], classes[:9]), LDAGClassifier().fit(rows, classes, rng.random(60))):
        assert few.fit_.cv is None
        assert few.fit_.equivalent_sample_size == 1
    usual = LDAGClassifier(equivalent_sample_size="cv").fit(rows, classes, rng.random(60)).fit_
    assert usual.equivalent_sample_size == 10


def test_names_that_are_taken() -> None:
    """The class and the weights get names that no feature has."""
    X = pd.DataFrame({"y": ["a", "b", "a", "b"], "sample_weight": [0, 0, 1, 1]})  # noqa: N806
    model = LDAGClassifier().fit(X, [True, False, True, False], sample_weight=[1, 2, 3, 4])
    assert model.target_ == "y_"
    assert [v.name for v in model.network_.variables] == ["y", "sample_weight", "y_"]
    assert model.predict(X).tolist() == [True, False, True, False]


def test_scikit_learn_is_loaded_when_it_is_needed() -> None:
    """Not before; and without the package, the error names the pip line."""
    code = """
import sys, ldag
assert "sklearn" not in sys.modules
sys.modules["sklearn"] = None
try:
    ldag.LDAGClassifier
except ldag.LdagError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip().endswith(
        "needs the package 'scikit-learn'; install it with: pip install 'ldag[sklearn]'"
    )
    with pytest.raises(AttributeError, match="no attribute 'Classifier'"):
        ldag.Classifier  # noqa: B018


@pytest.fixture(scope="module")
def patients() -> tuple[pd.DataFrame, NDArray[np.str_]]:
    """Measurements, dates and texts with gaps, all of which say something of an illness."""
    rng = np.random.default_rng(3)
    n = 300
    bmi, day = rng.normal(25, 4, n).round(2), pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D")
    town = rng.choice(np.array(["a", "b", None], dtype=object), n)
    late = (day > pd.Timestamp("2021-06-01")).astype(float)
    ill = np.where(bmi + 3 * late + 2 * (town == "a") + rng.normal(0, 2, n) > 28, "yes", "no")
    frame = pd.DataFrame({"bmi": np.where(rng.random(n) < 0.1, np.nan, bmi), "day": day, "town": town})
    return frame.assign(score=rng.integers(0, 5, n), scale=rng.integers(0, 6, n)), ill


Patients = tuple[pd.DataFrame, NDArray[np.str_]]


def test_measurements_are_cut_for_the_class(patients: Patients) -> None:
    """As `read` cuts them for a target, from the rows that are learned from; five numbers are states, six are cut."""
    X, y = patients  # noqa: N806
    for rows in (slice(None), slice(0, 200)):
        model = LDAGClassifier(n_members=1).fit(X[rows], y[rows])
        bins = dict.fromkeys(["bmi", "day", "scale"], "target:y")
        wanted = ldag.read(X[rows].assign(y=y[rows]), bins=bins, missing="keep")
        assert model.network_.variables == wanted.variables
        assert model.members_ == (model.network_,)
    by_name = {variable.name: variable for variable in model.network_.variables}
    assert by_name["score"].states == (0, 1, 2, 3, 4)
    assert len(by_name["scale"].cuts) == 1
    assert isinstance(by_name["day"].cuts[0], str)


def test_members_have_different_cuts_and_are_averaged(patients: Patients) -> None:
    """Ten of them, with the settings of the first; where there is nothing to cut, one is enough."""
    X, y = patients  # noqa: N806
    model = LDAGClassifier().fit(X, y)
    assert len(model.members_) == 10
    assert model.members_[0] is model.network_
    assert len({member.variables[0].cuts for member in model.members_}) > 5
    assert len({member.variables[1].cuts for member in model.members_}) > 5
    known = X.dropna()
    shares = [member.predict_proba(known, "y") for member in model.members_]
    np.testing.assert_allclose(model.predict_proba(known), np.mean(shares, axis=0))
    alone = LDAGClassifier(n_members=1).fit(X, y)
    np.testing.assert_allclose(alone.predict_proba(known), shares[0])
    assert alone.fit_.equivalent_sample_size == model.fit_.equivalent_sample_size
    assert len(LDAGClassifier().fit(X[["town", "score"]], y).members_) == 1
    with pytest.raises(ArgumentError, match="n_members must be a whole number, 1 or more, got 0"):
        LDAGClassifier(n_members=0).fit(X, y)


def test_members_share_what_was_chosen(patients: Patients, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes, kappa, structure, prior and smoothing of the first; and they climb without restarts unless told."""
    X, y = patients  # noqa: N806
    seen: list[Settings] = []

    def learn_and_note(data: Dataset, settings: Settings, **how: Any) -> Fit:
        seen.append(settings)
        return learn_with(data, settings, **how)

    monkeypatch.setattr(classifier, "learn_with", learn_and_note)
    model = LDAGClassifier(n_members=2, kappa="cv", structure="cv", prior="cv", smoothing="cv").fit(X, y)
    first, other = seen
    fit = model.fit_
    assert (first.kappa, first.structure, first.smoothing) == ("cv", "cv", "cv")
    assert (other.equivalent_sample_size, other.structure) == (fit.equivalent_sample_size, fit.structure)
    assert (other.kappa, other.prior, other.smoothing) == (fit.kappa, fit.prior, fit.smoothing)
    assert other.method == ldag.Climb(n_restarts=0)
    LDAGClassifier(n_members=2, n_restarts=3).fit(X, y)
    assert seen[-1].method == ldag.Climb(n_restarts=3)
    LDAGClassifier(n_members=2, method=ldag.Exact()).fit(X, y)
    assert isinstance(seen[-1].method, ldag.Exact)


def test_what_is_drawn_depends_on_the_seed_alone(patients: Patients) -> None:
    """Not on the order of rows, nor on whether they are repeated or weighed; another seed draws others."""
    X, y = patients  # noqa: N806
    model = LDAGClassifier(n_members=4).fit(X, y)
    cuts = [[variable.cuts for variable in member.variables] for member in model.members_]
    order = np.random.default_rng(1).permutation(len(X))
    again = LDAGClassifier(n_members=4).fit(X.iloc[order], y[order])
    assert [[variable.cuts for variable in member.variables] for member in again.members_] == cuts
    twice = LDAGClassifier(n_members=4).fit(pd.concat([X, X]), np.concatenate([y, y]))
    weighed = LDAGClassifier(n_members=4).fit(X, y, sample_weight=np.full(len(X), 2))
    np.testing.assert_allclose(weighed.predict_proba(X), twice.predict_proba(X))
    light = LDAGClassifier(n_members=4).fit(X, y, sample_weight=np.full(len(X), 0.001))
    assert np.isfinite(light.predict_proba(X)).all()
    other = LDAGClassifier(n_members=4, random_state=7).fit(X, y)
    assert [member.variables for member in other.members_[1:]] != [member.variables for member in model.members_[1:]]


def test_frames_of_any_make_have_measurements(patients: Patients) -> None:
    """The same probabilities from polars, and with fewer columns than were cut."""
    X, y = patients  # noqa: N806
    wanted = LDAGClassifier(n_members=3).fit(X, y).predict_proba(X)
    polars = pl.from_pandas(X)
    np.testing.assert_allclose(LDAGClassifier(n_members=3).fit(polars, y).predict_proba(polars), wanted)
    days = X[["day"]]
    assert LDAGClassifier(n_members=3).fit(days, y).predict_proba(days).shape == (len(X), 2)


def test_time_is_shared_among_members(patients: Patients) -> None:
    """Half of a time limit is for the first, and all members are there in the end."""
    X, y = patients  # noqa: N806
    model = LDAGClassifier(n_members=4, time_limit=1.0, method="climb").fit(X, y)
    assert len(model.members_) == 4


def test_numbers_in_turn_are_features() -> None:
    """They may be times; texts that name rows are left out, and that is told."""
    place = np.arange(200)
    frame = pd.DataFrame({"place": place, "name": [f"person {n}" for n in place], "noise": place % 3})
    late = place > 120
    with pytest.warns(UserWarning, match="name: left out, 200 values in 200 rows"):
        model = LDAGClassifier(n_members=2).fit(frame, late)
    assert [variable.name for variable in model.network_.variables] == ["place", "noise", "y"]
    assert model.score(frame, late) == 1
    assert LDAGClassifier(n_members=2).fit(frame[["place"]], late).score(frame[["place"]], late) == 1


def test_an_average_is_better_than_one_network() -> None:
    """On measurements of which one network sees steps only: held-out log-loss, by chance at most once in hundreds."""
    rng = np.random.default_rng(8)
    rows = rng.normal(0, 1, (900, 3))
    classes = rng.random(900) < 1 / (1 + np.exp(-2 * rows.sum(axis=1)))
    losses = [
        log_loss(classes[500:], LDAGClassifier(n_members=n).fit(rows[:500], classes[:500]).predict_proba(rows[500:]))
        for n in (1, 10)
    ]
    assert losses[1] < losses[0] - 0.02
