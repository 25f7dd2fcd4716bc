"""A classifier in scikit-learn's manner; this module is loaded when `ldag.LDAGClassifier` is first asked for."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags, _safe_indexing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, _num_samples, check_is_fitted, validate_data

from ldag.checks import check_seed, check_whole
from ldag.constraints import Constraints
from ldag.data import Binning, Dataset, Note, ReadOptions, Table, is_gap, read_table, read_with
from ldag.errors import ArgumentError, counted, tell
from ldag.inference import Numbers
from ldag.learning.fit import Fit
from ldag.learning.folds import N_FOLDS, has_folds
from ldag.learning.pipeline import LEAST_SECONDS, learn_with
from ldag.learning.searches import MethodChoice, Search
from ldag.learning.searches.climb import Climb
from ldag.learning.settings import Settings, SmoothingChoice, accept_old_names, split_options
from ldag.learning.structures import LabelSearch, StructureKind
from ldag.model import MISSING_STATE
from ldag.network import Network, Unseen
from ldag.progress import Deadline, check_time_limit
from ldag.scoring import Prior

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

WEIGHT, GROUP = "sample_weight", "group"


FEW_VALUES = 5
"""So many different numbers are states; more are cut, since ten states in no order are learned badly."""


class LDAGClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Learn labelled DAGs over the features and the classes, and classify by the posterior of the class.

    Features are taken as they come: strings, booleans and numbers of few values are states; numbers of more than five
    values, and dates, are cut where the classes change (MDLP, as `read` does with ``bins="target:y"``). That is done in
    `fit`, and so within the training part of a cross-validation.

    Parameters
    ----------
    kappa
        The price of labels, or "cv", as in `learn`.
    equivalent_sample_size
        As in `learn`, or "auto": chosen by cross-validation where the rows can be cut into folds, and 1 where they
        cannot (fewer than 10 rows, fewer than five groups, or weights that are not whole numbers). On wide tables 1
        makes too sure of itself.
        Whatever is chosen by cross-validation here is judged by the probability of the class given the features.
    method, structure, label_search, smoothing, prior
        As in `learn`; options of the method are given as ``method=ldag.Climb(max_candidates=10)``.
    max_parents, constraints, decomposable, n_restarts, time_limit
        As in `learn`. In constraints, features without names are ``x0``, ``x1`` and so on; the class is called as the
        series ``y`` is, or else ``y``, with underscores added until no feature has that name.
    n_members
        How many networks predict together, where there is anything to cut: each but the first cuts features for rows
        that are drawn with replacement, since where exactly a measurement is cut is a matter of chance. They have the
        settings that were chosen for the first, and "auto" climbs without restarts for them. The mean of their
        probabilities is better than those of one; 1 gives one network that can be read.
    missing
        What `fit` does with missing features: learn from them as gaps, by EM ("keep"); make "missing" a state of such a
        feature, which a gap is then in `predict`, too ("state"); leave out such rows and warn ("drop"), or refuse the
        table ("error"). In features that had no gaps in `fit`, or whose gaps were kept, `predict` sums out what is
        missing; where gaps themselves tell of the class, "state" learns that. Rows without a class are always left out,
        with a warning.
    unseen
        What `predict` does with a state that `fit` did not see: take the cell as missing ("ignore"), so that a rare
        state does not stop a cross-validation, or refuse the table ("error").
    max_states
        Refuse features with more states than this; 255 at most.
    random_state
        Seed of the search and of what is drawn: an int, a numpy Generator or RandomState; None is 0. This is ``rng``
        elsewhere in the library; scikit-learn's tools look for this name.
    n_jobs
        Threads of the search; None is 1, and -1 is all cores.

    Attributes
    ----------
    fit_ : Fit
        What was learned for the first member, and how.
    network_ : Network
        The first member: the one to read, whose cut points are those of all rows. It predicts alone if ``n_members``
        is 1, or no feature was cut.
    members_ : tuple of Network
        The networks that predict together.
    classes_ : array
        The classes, sorted; the states of the networks' variable ``target_``.
    target_ : str
        What the variable of the class is called.
    n_features_in_, feature_names_in_
        As in every estimator of scikit-learn.

    Examples
    --------
    >>> import ldag
    >>> X = [["sun", 21.5], ["sun", 24.0], ["rain", 9.5], ["rain", 13.0]]
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
        decomposable: bool = False,
        n_restarts: int | None = None,
        time_limit: float | None = None,
        n_members: int = 10,
        missing: Literal["keep", "state", "drop", "error"] = "keep",
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
        self.decomposable = decomposable
        self.n_restarts = n_restarts
        self.time_limit = time_limit
        self.n_members = n_members
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
        groups: ArrayLike | None = None,
    ) -> Self:
        """Learn from features and classes; rows may have weights.

        Rows of one of the ``groups`` belong together: what is chosen by cross-validation in here is chosen on whole
        groups. Folds that somebody else cuts are theirs; for a cross-validation by groups, give these to it as well.
        """
        deadline = Deadline.after(check_time_limit(self.time_limit))
        n_members = check_whole(self.n_members, "n_members")
        name = getattr(y, "name", None)
        belongs = None if groups is None else _check_groups(groups, X)
        X, y, sample_weight, belongs = _drop_unclassified(X, y, sample_weight, belongs)  # noqa: N806
        rows, classes = validate_data(self, X, y, dtype=None, ensure_all_finite="allow-nan")
        check_classification_targets(classes)
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(sample_weight, rows, dtype=np.float64, ensure_non_negative=True)
            used = weights > 0  # rows that do not count are not there: their states are unseen
            rows, classes, weights = rows[used], classes[used], weights[used]
            belongs = None if belongs is None else belongs[used]
        self.classes_ = np.unique(classes)
        self.target_ = _free_name(name if isinstance(name, str) and name.strip() else "y", self._names())
        seed = check_seed(_rng(self.random_state))
        taken = [*self._names(), self.target_]
        columns = {} if belongs is None else {_free_name(getattr(groups, "name", None) or GROUP, taken): belongs}
        table, reading = self._table(rows, classes, weights, columns)
        data = self._read(table, reading)
        settings = self._settings(data, seed)
        has_others = n_members > 1 and any(variable.cuts for variable in data.variables)
        first = deadline.share(0.5) if has_others else deadline
        self.fit_: Fit = learn_with(data, settings, progress=False, target=self.target_, deadline=first)
        self.network_: Network = self.fit_.network
        self.members_: tuple[Network, ...] = (self.network_,)
        settings = self._settle(settings)
        for number in range(1, n_members if has_others else 1):
            own = replace(reading, bins=replace(self._bins, drawn=(seed, number)))
            part = deadline.share(1 / (n_members - number)).at_least(LEAST_SECONDS)
            fit = learn_with(read_with(table, own), settings, progress=False, deadline=part)
            self.members_ += (fit.network,)
        return self

    def predict_proba(self, X: "IntoDataFrame | ArrayLike") -> Numbers:  # noqa: N803
        """Return the probability of each class in every row, in the order of ``classes_``."""
        check_is_fitted(self)
        rows = validate_data(self, X, reset=False, dtype=None, ensure_all_finite="allow-nan")
        columns = self._columns(rows)
        choose = _fill_gaps if self.missing == "state" else _choose_known
        shares = [
            member.predict_proba(choose(columns, member), self.target_, unseen=self.unseen) for member in self.members_
        ]
        return np.asarray(np.mean(shares, axis=0))

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

    @property
    def _bins(self) -> Binning:
        """How features are cut for all rows."""
        return Binning("target", 2, target=self.target_, many=FEW_VALUES)

    def _settings(self, data: Dataset, seed: int) -> Settings:
        """Return the settings of the search that have the same name and meaning here."""
        settings, _ = split_options(self.get_params(deep=False))
        settings["n_jobs"] = 1 if self.n_jobs is None else self.n_jobs  # None threads are 1 in scikit-learn's manner
        if self.equivalent_sample_size == "auto":
            settings["equivalent_sample_size"] = "cv" if has_folds(data, N_FOLDS) else 1.0
        if self.smoothing is None:
            settings["smoothing"] = "search"
        return Settings.of(**settings, rng=seed)

    def _settle(self, settings: Settings) -> Settings:
        """Return the settings of the other members: what was chosen for the first, and a quick search."""
        fit, chosen = self.fit_, dict[str, Any]()
        if fit.cv is not None:
            chosen = {"equivalent_sample_size": fit.equivalent_sample_size, "structure": fit.structure}
            chosen |= {"prior": fit.prior, "smoothing": fit.smoothing}
            chosen |= {"kappa": fit.kappa} if settings.kappa == "cv" else {}
        if self.method == "auto":
            chosen |= {"method": Climb(n_restarts=self.n_restarts or 0)}
        return settings.with_(**chosen)

    def _names(self) -> list[str]:
        """Return the names of the features as variables."""
        if hasattr(self, "feature_names_in_"):
            return list(map(str, self.feature_names_in_))
        return [f"x{place}" for place in range(self.n_features_in_)]

    def _columns(self, rows: NDArray[Any]) -> dict[str, NDArray[Any]]:
        return {name: rows[:, place] for place, name in enumerate(self._names())}

    def _table(
        self, rows: NDArray[Any], classes: NDArray[Any], weights: Numbers | None, groups: Mapping[str, NDArray[Any]]
    ) -> tuple[Table, ReadOptions]:
        """Return the features and the class as one table, perhaps with a column of groups, and how it is read."""
        columns = self._columns(rows) | {self.target_: classes}
        given: dict[str, Any] = {"missing": self.missing, "max_states": self.max_states, "bins": self._bins}
        given["keep"] = [name for name in columns if _has_numbers(columns[name])]  # numbers in turn may be times
        for name, own in groups.items():
            columns[name], given["groups"] = own, name
        if weights is not None:
            name = _free_name(WEIGHT, columns)
            is_whole = bool(np.all(weights == np.floor(weights)))  # then they count rows, which folds can be cut from
            columns[name] = weights.astype(np.int64) if is_whole else weights
            given["counts" if is_whole else "weights"] = name
        return read_table(columns), ReadOptions(states={self.target_: self.classes_.tolist()}, **given)

    def _read(self, table: Table, reading: ReadOptions) -> Dataset:
        """Read the data of the first member, and tell what was left out."""
        data = read_with(table, reading)
        lost = [note for note in data.notes if isinstance(note, Note) and note.lost in ("columns", "rows")]
        tell(lost)
        return data


def _has_numbers(cells: NDArray[Any]) -> bool:
    """Whether a column has numbers, and nothing else but gaps."""
    if cells.dtype.kind != "O":
        return cells.dtype.kind in "iuf"
    return all(isinstance(cell, int | float) or is_gap(cell) for cell in cells.tolist())


def _drop_unclassified(
    X: "IntoDataFrame | ArrayLike",  # noqa: N803
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    groups: NDArray[Any] | None,
) -> tuple[Any, Any, Any, Any]:
    """Leave out rows whose class is missing, and tell how many; what is no list of classes is refused elsewhere."""
    classes = np.asarray(y, dtype=object)
    gaps = np.array([is_gap(cell) for cell in classes.tolist()] if classes.ndim == 1 else [], dtype=np.bool_)
    if not gaps.any() or _num_samples(X) != len(gaps):
        return X, y, sample_weight, groups
    if gaps.all():
        return X, np.full(len(gaps), np.nan), sample_weight, groups  # which scikit-learn refuses in its own words
    tell((Note(f"{gaps.sum():,} of {counted(len(gaps), 'row')} left out, which have no class", "rows"),))
    used = np.flatnonzero(~gaps)
    weights = None if sample_weight is None else _safe_indexing(sample_weight, used)
    own = None if groups is None else groups[used]
    return _safe_indexing(X, used), _safe_indexing(y, used), weights, own


def _check_groups(groups: ArrayLike, X: "IntoDataFrame | ArrayLike") -> NDArray[Any]:  # noqa: N803
    """Return one group for each row, as a column of a table."""
    column = np.asarray(groups)
    if column.ndim != 1 or len(column) != _num_samples(X):
        raise ArgumentError(
            f"groups must have one group for each of the {counted(_num_samples(X), 'row')}, got an array of shape"
            f" {column.shape}"
        )
    return column


def _choose_known(columns: Mapping[str, NDArray[Any]], member: Network) -> dict[str, NDArray[Any]]:
    """Return the columns that a member knows; the class is none, and neither is what was left out."""
    return {variable.name: columns[variable.name] for variable in member.variables if variable.name in columns}


def _fill_gaps(columns: Mapping[str, NDArray[Any]], member: Network) -> dict[str, NDArray[Any]]:
    """Return the columns that a member knows, with gaps as states where it has such a state."""
    filled = _choose_known(columns, member)
    for variable in member.variables:
        if variable.name in filled and variable.states[-1] == MISSING_STATE:
            cells = filled[variable.name]
            gaps = np.array([is_gap(cell) for cell in cells.tolist()], dtype=np.bool_)
            if gaps.any():
                filled[variable.name] = cells.astype(object)
                filled[variable.name][gaps] = MISSING_STATE
    return filled


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
