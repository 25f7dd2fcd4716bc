"""The classifier where rows belong together: its inner folds, and those of scikit-learn."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score

import ldag
from ldag import LDAGClassifier
from ldag.errors import ArgumentError, DataError
from ldag.learning import Settings, learn_with
from ldag.learning import classifier as classifier_file
from tests.unit.learning.test_group_folds import visits

QUICK: dict[str, Any] = {"max_parents": 2, "n_restarts": 0, "n_members": 1}


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    """Eighty patients."""
    return visits()


def parts(table: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series, pd.Series]:
    """Return features, class and groups."""
    return table[["sex", "pain", "drug"]], table["day"], table["patient"]


def test_inner_folds_are_of_whole_groups(table: pd.DataFrame) -> None:
    """What is chosen is what `learn` chooses with groups, by the probability of the class."""
    X, y, groups = parts(table)  # noqa: N806
    model = LDAGClassifier(**QUICK, kappa="cv").fit(X, y, groups=groups)
    assert model.fit_.cv is not None
    assert model.fit_.cv.groups is not None
    assert (model.fit_.cv.groups.nouns, model.fit_.cv.groups.n_groups) == ("patients", 80)
    assert "of 80 patients, 4 variables; chosen on patients not seen" in str(model.fit_)
    settings = Settings.of(
        kappa="cv", equivalent_sample_size="cv", smoothing="search", max_parents=2, n_restarts=0, rng=0, n_jobs=1
    )
    direct = learn_with(ldag.read(table, groups="patient"), settings, target="day").cv
    assert direct is not None
    ours = [sum(scores) for scores in model.fit_.cv.scores.values()]
    assert ours == pytest.approx([sum(scores) for scores in direct.scores.values()])
    assert set(model.network_.ldag.schema.names) == {"sex", "pain", "drug", "day"}
    assert model.predict_proba(X).shape == (len(X), 6)


def test_groups_are_any_list(table: pd.DataFrame) -> None:
    """Arrays and lists, of texts too, with weights and rows without a class; a feature may be called group."""
    X, y, groups = parts(table)  # noqa: N806
    named = X.rename(columns={"sex": "group"})
    weights = np.where(np.arange(len(y)) % 3, 2, 0)
    classes = y.astype(str).where(np.arange(len(y)) % 11 > 0, None)
    texts = [f"P{one}" for one in groups]
    with pytest.warns(UserWarning, match="which have no class"):
        model = LDAGClassifier(**QUICK).fit(named, classes, weights, texts)
    assert model.fit_.data.groups is not None
    assert model.fit_.data.groups.name == "group_"
    used = (weights > 0) & classes.notna()
    assert set(model.fit_.data.groups.labels) == {text for text, is_used in zip(texts, used, strict=True) if is_used}
    assert model.fit_.data.total == int(weights[used].sum())


def test_folds_of_scikit_learn_are_respected(table: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every training part has just the rows of the groups that GroupKFold left in it."""
    X, y, groups = parts(table)  # noqa: N806
    seen: list[ldag.Dataset] = []

    def watch(data: ldag.Dataset, settings: Settings, **more: Any) -> ldag.Fit:
        seen.append(data)
        return learn_with(data, settings, **more)

    monkeypatch.setattr(classifier_file, "learn_with", watch)
    scores = cross_val_score(LDAGClassifier(**QUICK), X, y, groups=groups, cv=GroupKFold(4))
    assert len(scores) == len(seen) == 4
    expected = [len(train) for train, _ in GroupKFold(4).split(X, y, groups)]
    assert [data.total for data in seen] == expected
    assert all(data.groups is None for data in seen)


def test_groups_go_on_to_the_inner_folds_where_asked(table: pd.DataFrame) -> None:
    """With scikit-learn's metadata routing, outer and inner folds both know them."""
    X, y, groups = parts(table)  # noqa: N806
    with sklearn.config_context(enable_metadata_routing=True):
        model = LDAGClassifier(**QUICK).set_fit_request(groups=True)
        search = GridSearchCV(model, {"max_parents": [1, 2]}, cv=GroupKFold(3)).fit(X, y, groups=groups)
        scores = cross_val_score(model, X, y, params={"groups": groups}, cv=GroupKFold(3))
    assert len(scores) == 3
    assert search.best_estimator_.fit_.data.groups is not None
    assert len(search.best_estimator_.fit_.data.groups) == 80


def test_few_groups_leave_nothing_to_choose_on(table: pd.DataFrame) -> None:
    """The size is 1 then, unless cross-validation is asked for."""
    few = table[table["patient"] < 4]
    X, y, groups = parts(few)  # noqa: N806
    model = LDAGClassifier(**QUICK).fit(X, y, groups=groups)
    assert model.fit_.cv is None
    assert model.fit_.equivalent_sample_size == 1
    with pytest.raises(DataError, match="at least 5 patients, got 4 patients"):
        LDAGClassifier(**QUICK, equivalent_sample_size="cv").fit(X, y, groups=groups)


def test_groups_that_are_none(table: pd.DataFrame) -> None:
    """One for each row, none missing, and more than one."""
    X, y, groups = parts(table)  # noqa: N806
    with pytest.raises(ArgumentError, match=r"one group for each of the 392 rows, got an array of shape \(391,\)"):
        LDAGClassifier(**QUICK).fit(X, y, groups=groups[1:])
    with pytest.raises(ArgumentError, match="one group for each of the 392 rows"):
        LDAGClassifier(**QUICK).fit(X, y, groups="patient")
    with pytest.raises(DataError, match="a row without a group"):
        LDAGClassifier(**QUICK).fit(X, y, groups=groups.where(groups > 0))
    with pytest.raises(DataError, match="has one group only"):
        LDAGClassifier(**QUICK).fit(X, y, groups=np.zeros(len(y)))
