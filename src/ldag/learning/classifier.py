"""A classifier in scikit-learn's manner; this module is loaded when `ldag.LDAGClassifier` is first asked for."""

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from ldag.constraints import Constraints
from ldag.data import Dataset, read
from ldag.inference import Numbers
from ldag.learning.fit import Fit
from ldag.learning.folds import N_FOLDS, has_folds
from ldag.learning.pipeline import learn_with
from ldag.learning.progress import Deadline, check_time_limit
from ldag.learning.searches import MethodChoice, Search
from ldag.learning.settings import Settings, SmoothingChoice, accept_old_names, split_options
from ldag.learning.structures import LabelSearch, StructureKind
from ldag.network import Network, Unseen
from ldag.scoring import Prior

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

WEIGHT = "sample_weight"


class LDAGClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Learn a labelled DAG over the features and the classes, and classify by the posterior of the class.

    Features are categorical: strings, booleans or numbers, each value a state. Bin measurements first, for instance
    with scikit-learn's ``KBinsDiscretizer(encode="ordinal")``.

    Parameters
    ----------
    kappa
        The price of labels, or "cv", as in `learn`.
    equivalent_sample_size
        As in `learn`, or "auto": chosen by cross-validation where the rows can be cut into folds, and 1 where they
        cannot (fewer than 10, or weights that are not whole numbers). On wide tables 1 makes too sure of itself.
        Whatever is chosen by cross-validation here is judged by the probability of the class given the features.
    method, structure, label_search, smoothing, prior
        As in `learn`; options of the method are given as ``method=ldag.Climb(max_candidates=10)``.
    max_parents, constraints, n_restarts, time_limit
        As in `learn`. In constraints, features without names are ``x0``, ``x1`` and so on; the class is called as the
        series ``y`` is, or else ``y``, with underscores added until no feature has that name.
    missing
        What `fit` does with rows that have missing features: leave them out and warn ("drop"), or refuse the table
        ("error"). `predict` always takes them: what is missing is summed out.
    unseen
        What `predict` does with a state that `fit` did not see: take the cell as missing ("ignore"), so that a rare
        state does not stop a cross-validation, or refuse the table ("error").
    max_states
        Refuse features with more states than this; 256 at most.
    random_state
        Seed of the search: an int, a numpy Generator or RandomState; None is 0. This is ``rng`` elsewhere in the
        library; scikit-learn's tools look for this name.
    n_jobs
        Threads of the search; None is 1, and -1 is all cores.

    Attributes
    ----------
    fit_ : Fit
        What was learned, and how.
    network_ : Network
        The network that predicts.
    classes_ : array
        The classes, sorted; the states of the network's variable ``target_``.
    target_ : str
        What the variable of the class is called.
    n_features_in_, feature_names_in_
        As in every estimator of scikit-learn.

    Examples
    --------
    >>> import ldag
    >>> X = [["sun", "dry"], ["sun", "dry"], ["rain", "wet"], ["rain", "wet"]]
    >>> model = ldag.LDAGClassifier().fit(X, ["out", "out", "in", "in"])
    >>> model.predict([["rain", None]]).tolist()
    ['in']
    """

    @accept_old_names
    def __init__(  # noqa: PLR0913 - the choices of `learn`
        self,
        *,
        kappa: float | Literal["cv"] = 0.1,
        method: MethodChoice | Search = "auto",
        structure: StructureKind | Literal["cv"] = "ldag",
        label_search: LabelSearch = "greedy",
        equivalent_sample_size: float | Literal["auto", "cv"] = "auto",
        smoothing: SmoothingChoice = None,
        prior: Prior | Literal["cv"] = "labels",
        max_parents: int | None = None,
        constraints: Constraints | None = None,
        n_restarts: int | None = None,
        time_limit: float | None = None,
        missing: Literal["drop", "error"] = "drop",
        unseen: Unseen = "ignore",
        max_states: int = 64,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kappa = kappa
        self.method = method
        self.structure = structure
        self.label_search = label_search
        self.equivalent_sample_size = equivalent_sample_size
        self.smoothing = smoothing
        self.prior = prior
        self.max_parents = max_parents
        self.constraints = constraints
        self.n_restarts = n_restarts
        self.time_limit = time_limit
        self.missing = missing
        self.unseen = unseen
        self.max_states = max_states
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(
        self,
        X: "IntoDataFrame | ArrayLike",  # noqa: N803 - scikit-learn's name
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from features (rows of states) and classes; rows may have weights."""
        deadline = Deadline.after(check_time_limit(self.time_limit))
        name = getattr(y, "name", None)
        rows, classes = validate_data(self, X, y, dtype=None, ensure_all_finite="allow-nan")
        check_classification_targets(classes)
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(sample_weight, rows, dtype=np.float64, ensure_non_negative=True)
            used = weights > 0  # rows that do not count are not there: their states are unseen
            rows, classes, weights = rows[used], classes[used], weights[used]
        self.classes_ = np.unique(classes)
        self.target_ = _free_name(name if isinstance(name, str) and name.strip() else "y", self._names())
        data = self._dataset(rows, classes, weights)
        n_jobs = 1 if self.n_jobs is None else self.n_jobs
        settings = Settings.of(**self._settings(data), rng=_rng(self.random_state), n_jobs=n_jobs)
        self.fit_: Fit = learn_with(data, settings, progress=False, target=self.target_, deadline=deadline)
        self.network_: Network = self.fit_.network
        return self

    def predict_proba(self, X: "IntoDataFrame | ArrayLike") -> Numbers:  # noqa: N803
        """Return the probability of each class in every row, in the order of ``classes_``."""
        check_is_fitted(self)
        rows = validate_data(self, X, reset=False, dtype=None, ensure_all_finite="allow-nan")
        return self.network_.predict_proba(self._columns(rows), self.target_, unseen=self.unseen)

    def predict(self, X: "IntoDataFrame | ArrayLike") -> NDArray[Any]:  # noqa: N803
        """Return the most probable class of every row."""
        best = self.predict_proba(X).argmax(axis=1)
        classes: NDArray[Any] = self.classes_[best]
        return classes

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        return tags

    def _settings(self, data: Dataset) -> dict[str, Any]:
        """Return the settings of the search that have the same name and meaning here."""
        settings, _ = split_options(self.get_params(deep=False))
        del settings["n_jobs"]  # None threads are 1 in scikit-learn's manner
        if self.equivalent_sample_size == "auto":
            settings["equivalent_sample_size"] = "cv" if has_folds(data, N_FOLDS) else 1.0
        if self.smoothing is None:
            settings["smoothing"] = "search"
        return settings

    def _names(self) -> list[str]:
        """Return the names of the features as variables."""
        if hasattr(self, "feature_names_in_"):
            return list(map(str, self.feature_names_in_))
        return [f"x{place}" for place in range(self.n_features_in_)]

    def _columns(self, rows: NDArray[Any]) -> dict[str, NDArray[Any]]:
        return {name: rows[:, place] for place, name in enumerate(self._names())}

    def _dataset(self, rows: NDArray[Any], classes: NDArray[Any], weights: Numbers | None) -> Dataset:
        """Return the features and the class as one data set."""
        columns = self._columns(rows) | {self.target_: classes}
        given: dict[str, Any] = {"missing": self.missing, "max_states": self.max_states}
        if weights is not None:
            name = _free_name(WEIGHT, columns)
            is_whole = bool(np.all(weights == np.floor(weights)))  # then they count rows, which folds can be cut from
            columns[name] = weights.astype(np.int64) if is_whole else weights
            given["counts" if is_whole else "weights"] = name
        data = read(columns, states={self.target_: self.classes_.tolist()}, **given)
        left_out = 1 - data.total / (len(rows) if weights is None else weights.sum())
        if left_out > 1e-9:
            warnings.warn(f"rows with missing features were left out: {left_out:.1%} of the data", stacklevel=3)
        return data


def _free_name(name: str, taken: Iterable[str]) -> str:
    """Return a name that is not taken yet."""
    taken = set(taken)
    while name in taken:
        name += "_"
    return name


def _rng(random_state: int | np.random.Generator | np.random.RandomState | None) -> int | np.random.Generator | None:
    """Return a seed as the library takes it."""
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(np.iinfo(np.int32).max))
    return int(random_state) if isinstance(random_state, np.integer) else random_state
