"""The classifier in scikit-learn's manner."""

import pickle
import subprocess
import sys
import warnings
from typing import cast

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer
from sklearn.utils.estimator_checks import check_estimator

import ldag
from ldag import LDAGClassifier
from ldag.errors import DataError, UnknownState


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


def test_missing_and_unseen_features(heart: pd.DataFrame) -> None:
    """Missing features are left out of the fit and summed out of predictions; so are unseen states, or refused."""
    X, y = heart.drop(columns="pressure").astype(object), heart["pressure"]  # noqa: N806
    gaps = X.copy()
    gaps.iloc[:10, 0] = None
    with pytest.warns(UserWarning, match=r"missing features were left out: 1\.6% of the data"):
        model = LDAGClassifier().fit(gaps, y)
    assert model.fit_.n_observations == len(X) - 10
    unseen = X.assign(smoking="often")
    np.testing.assert_allclose(model.predict_proba(unseen), model.predict_proba(X.assign(smoking=None)))
    with pytest.raises(UnknownState, match=r"column 'smoking', row 1: .* no state 'often'"):
        model.set_params(unseen="error").predict(unseen)
    with pytest.raises(DataError, match="'smoking' has 10 missing cells"):
        LDAGClassifier(missing="error").fit(gaps, y)


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


def test_raw_numbers_are_classified_as_their_bins() -> None:
    """A classifier that saw measurements gives the probabilities of one that saw the bins they fall into."""
    rng = np.random.default_rng(3)
    bmi, age = rng.normal(25, 4, 200), rng.integers(18, 90, 200)
    ill = np.where(bmi + rng.normal(0, 3, 200) > 26, "yes", "no")
    raw = pd.DataFrame({"bmi": bmi, "age": age})
    limits = {name: np.quantile(raw[name], [0.25, 0.5, 0.75]) for name in raw}
    bins = pd.DataFrame({name: np.searchsorted(limits[name], raw[name]) for name in raw})
    by_numbers = LDAGClassifier(kappa=0.1).fit(raw, ill).predict_proba(raw)
    by_bins = LDAGClassifier(kappa=0.1).fit(bins, ill).predict_proba(bins)
    np.testing.assert_allclose(by_numbers, by_bins, rtol=1e-12)
    assert len(np.unique(by_numbers[:, 0])) > 1
