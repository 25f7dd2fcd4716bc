"""What is asked for: `Settings`, all options of learning once, and `SearchOptions`, the same for type checkers."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import wraps
from typing import Any, Literal, ParamSpec, TypeVar, cast, get_args

from ldag.checks import Rng, check_choice, check_jobs, is_number, tell_renamed
from ldag.constraints import Constraints, check_max_parents
from ldag.data import Reading
from ldag.errors import ArgumentError, argument, by_door, option, say_decomposable
from ldag.learning.cross_validation import USUAL_SIZE, Candidate
from ldag.learning.searches import MethodChoice, MethodOptions, Search, convert_search, make_search, method_options
from ldag.learning.searches.contract import make_plain, setting
from ldag.learning.structures import (
    GROWN,
    STRUCTURES,
    ClassKind,
    LabelSearch,
    StructureKind,
    prior_of,
    priors_to_compare,
)
from ldag.model import PruningAverage, Smoothing, Spread
from ldag.progress import check_time_limit
from ldag.scoring import Prior, Priors, check_priors, check_smoothing

P = ParamSpec("P")
T = TypeVar("T")

SAMPLE_SIZES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0)
"""What cross-validation chooses equivalent sample sizes from; finer steps make little difference."""

CLASS_SIZES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""The same for priors of so many observations to every class."""

NESTED_SIZES = (2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
"""The same for leaves of grown trees, which lean on the nodes above."""

USUAL_KAPPA = 0.1
"""Unless told otherwise; which one hardly matters beside the sample sizes."""

PRUNING_AVERAGES = (PruningAverage(1.0, "configurations", 0.03), PruningAverage(2.0, "classes", 0.3))
"""The averages over prunings that are compared. On held-out rows the first was best on dna, by 0.06 to 0.27 nats per
row, the second on plants, by up to 0.03; on jester leaning on the node above was better."""

SmoothingChoice = (
    float | Literal["cv", "search"] | tuple[float | Literal["cv"], Spread] | tuple[float, Spread, float] | None
)
"""How parameters are smoothed: see `learn`."""

NOT_PLAIN = {"constraints": "constrained", "start": "started"}
"""Settings of which plain values say only whether they were given."""


WITH_STRATA = ("ldag", "table")
"""Structures of which an edge without an arrow says the same from both ends."""

OLD_NAMES = {
    "labels": "label_search",
    "parameters_sample_size": "smoothing",
    "parameters_spread": "smoothing",
}
"""What settings were called in the last release."""


class SearchOptions(MethodOptions, total=False):
    """The settings of a search but kappa and the seed, and flat the options of its method; `learn` explains them."""

    method: MethodChoice | Search
    structure: StructureKind | Literal["cv"]
    label_search: LabelSearch
    equivalent_sample_size: float | Literal["cv"]
    smoothing: SmoothingChoice
    prior: Prior | Literal["cv"]
    max_parents: int | None
    constraints: Constraints | None
    decomposable: bool
    n_jobs: int
    time_limit: float | None


class MethodAndReading(MethodOptions, Reading, total=False):
    """The options of methods and of `read`."""


class SearchAndReading(SearchOptions, Reading, total=False):
    """The same, and the options of `read`."""


class LearnOptions(SearchOptions, Reading, total=False):
    """The same, and kappa."""

    kappa: float | Literal["cv"] | None


class MoreOptions(MethodAndReading, total=False):
    """What `learn` takes beyond the settings of every search: `learn` explains them."""

    lags: int | None
    static: Iterable[str] | None
    instantaneous: bool


@dataclass(frozen=True)
class Settings:
    """The settings of a search, checked, and how the command line speaks of them; `learn` says what they mean.

    Like a mapping, ``settings["kappa"]`` and ``dict(settings)`` give plain values that can be written down.

    Examples
    --------
    >>> Settings.of(kappa=0.1, method="climb", n_restarts=5)["n_restarts"]
    5
    >>> Settings.of(method="climb", n_chains=3)
    Traceback (most recent call last):
    ldag.errors.ArgumentError: n_chains applies to method 'chain', not to 'climb'
    """

    kappa: float | Literal["cv"] | None = setting(
        "Above 0 and at most 1, or cv: by cross-validation.  [0.1; for grow with the sizes]",
        is_common=True,
        numbers="a number above 0 and at most 1",
    )
    method: MethodChoice | Search = setting("Which search.", "auto")
    structure: StructureKind | Literal["cv"] = setting(
        "Which configurations may share a distribution, or cv: by cross-validation.", "ldag"
    )
    label_search: LabelSearch = setting("How the labels of a family are looked for.", "greedy", old="labels")
    equivalent_sample_size: float | Literal["cv"] = setting(
        "Weight of the prior over parameters, above 0, or cv: by cross-validation.",
        "cv",
        numbers="a finite number above 0",
    )
    smoothing: SmoothingChoice = setting(
        'The same for the parameters of the result only: a number or cv; with ",classes", so much for each class; or'
        " search: as in the search; for grow also 16,nested or 2,classes,0.3: averaged over prunings."
        "  [cv if the sample size of the search is, else search]"
    )
    prior: Prior | Literal["cv"] = setting("What kappa is paid for.", "labels")
    max_parents: int | None = setting("Parents of a node at most.", is_common=True)
    constraints: Constraints | None = None
    decomposable: bool = setting("Only graphs that need no arrows: chordal ones, whose edges may have strata.", False)
    rng: Rng = setting("Seed.  [0]", is_common=True)
    n_jobs: int = setting("Threads; -1 is all cores.", -1)
    time_limit: float | None = setting(
        "Return the best graph found by then, reading included.", is_common=True, metavar="SECONDS"
    )

    @classmethod
    def of(cls, **given: Any) -> "Settings":
        """Make settings, with the options of the method among them."""
        own = {name: given.pop(name) for name in method_options() if name in given}
        return cls(**{**given, "method": make_search(given.get("method", "auto"), **own)})

    def with_(self, **changes: Any) -> "Settings":
        """Return other settings, with the options of the method among the changes."""
        if isinstance(changes.get("method"), str):
            changes["method"] = convert_search(self.search, changes["method"])
        return Settings.of(**{one.name: getattr(self, one.name) for one in fields(self)} | changes)

    def __post_init__(self) -> None:
        make_plain(self)
        for one in fields(self):
            value, numbers = getattr(self, one.name), one.metadata.get("numbers")
            if numbers is not None and value is not None and not is_number(value) and value != "cv":
                raise ArgumentError(f"{argument(one.name)} must be {numbers}, or 'cv', got {value!r}")
        object.__setattr__(self, "method", make_search(self.method))
        check_choice(self.structure, (*STRUCTURES, "cv"), "structure")
        check_choice(self.label_search, get_args(LabelSearch), "label_search")
        self._check_growth()
        if self.kappa is None and not (self.search.grows and self.equivalent_sample_size == "cv"):
            object.__setattr__(self, "kappa", USUAL_KAPPA)
        if self.prior == "uniform" and self.kappa == USUAL_KAPPA:  # left out
            object.__setattr__(self, "kappa", 1.0)
        priors = self.priors()
        if self.equivalent_sample_size != "cv":
            object.__setattr__(self, "equivalent_sample_size", priors.equivalent_sample_size)
        usual = "cv" if self.equivalent_sample_size == "cv" else "search"
        object.__setattr__(self, "smoothing", read_smoothing(usual if self.smoothing is None else self.smoothing))
        if self.max_parents is not None:
            check_max_parents(self.max_parents)
        if self.constraints is not None and not isinstance(self.constraints, Constraints):
            raise ArgumentError(f"constraints must be ldag.Constraints(...), got {type(self.constraints).__name__}")
        self._check_decomposable()
        check_jobs(self.n_jobs)
        check_time_limit(self.time_limit)

    def _check_decomposable(self) -> None:
        """Check what goes with graphs without arrows: searches that know them, and classes that labels can tell."""
        if not isinstance(self.decomposable, bool):
            raise ArgumentError(f"{argument('decomposable')} must be True or False, got {self.decomposable!r}")
        if not self.decomposable:
            return
        if not self.search.takes_decomposable:
            raise ArgumentError(
                f"{say_decomposable()} is for methods exact, climb and auto, not for {self.search.name!r}"
            )
        if self.structure not in WITH_STRATA:
            raise ArgumentError(
                f"{say_decomposable()} is for structures {' and '.join(map(repr, WITH_STRATA))}, whose"
                f" classes strata can tell, not for {self.structure!r}"
            )

    def _check_growth(self) -> None:
        """Check what growth needs, and give it the structure and the prior that it has."""
        if not self.search.grows:
            spread = self.smoothing[1] if isinstance(self.smoothing, tuple | list) else None
            if isinstance(self.smoothing, tuple | list) and len(self.smoothing) == 3:
                raise ArgumentError(
                    f"{argument('smoothing')} with a price averages over prunings of trees, which"
                    f" {option('method', 'grow')} has, got {self.smoothing!r}"
                )
            for what in ("prior",) * (self.prior == "nested") + ("smoothing",) * (spread == "nested"):
                raise ArgumentError(
                    f"{what} 'nested' is for {option('method', 'grow')}: leaves lean on the nodes above"
                )
            return
        if self.structure not in (type(self).structure, GROWN):
            raise ArgumentError(
                f"{option('method', 'grow')} grows trees; leave out {argument('structure')}, got {self.structure!r}"
            )
        object.__setattr__(self, "structure", GROWN)
        if self.label_search != "greedy":
            raise ArgumentError(f"{argument('label_search')} does not apply to {option('method', 'grow')}")
        if self.prior == "normalised":
            raise ArgumentError(
                f"prior 'normalised' pays by configurations, of which there is no end; {option('method', 'grow')} has"
                " 'parameters', 'leaves', 'nested' and 'uniform'"
            )
        chooses = self.equivalent_sample_size == "cv"
        if self.prior == "cv" and not chooses:
            raise ArgumentError(f"{option('method', 'grow')} chooses priors together with sizes; leave out the size")
        if self.prior in ("labels", "cv"):
            object.__setattr__(self, "prior", "labels" if chooses else "parameters")

    def for_growth(self) -> "Settings":
        """Return the settings of growth beside structures that are compared: a price of labels is nothing to it."""
        pays_for_labels = self.prior in ("labels", "cv")
        changes: dict[str, Any] = {"prior": "labels", "kappa": "cv"} if pays_for_labels else {}
        return self.with_(method="grow", structure=GROWN, label_search="greedy", **changes)

    @property
    def search(self) -> Search:
        """The method, with its options."""
        return cast("Search", self.method)

    def method_option(self, name: str) -> Any:
        """Return an option of the method; None if it is not given, or has no such option."""
        return getattr(self.method, name, None)

    @property
    def needs_cross_validation(self) -> bool:
        """Whether anything is to be compared; where kappa makes no difference, it is not."""
        return self.chooses_more_than_kappa or (self.kappa == "cv" and self.has_kappa)

    @property
    def chooses_more_than_kappa(self) -> bool:
        """Whether anything else is to be compared."""
        return "cv" in (self.equivalent_sample_size, self.structure, self.prior) or len(self.smoothings()) > 1

    @property
    def has_kappa(self) -> bool:
        """Whether kappa makes a difference: not to the uniform prior, and not to tables that pay for labels only."""
        return any(kind.has_kappa for structure in self.structures for kind in self.kinds_of(structure))

    @property
    def structures(self) -> tuple[StructureKind, ...]:
        """The structure, or all that are compared."""
        return tuple(STRUCTURES) if self.structure == "cv" else (self.structure,)

    def kinds_of(self, structure: StructureKind) -> list[ClassKind]:
        """Return a structure with the prior, or with all that are compared."""
        priors = priors_to_compare(structure) if self.prior == "cv" else (self.prior,)
        return [ClassKind(structure, prior) for prior in priors]

    @property
    def first_structure(self) -> StructureKind:
        """The structure, or the usual one as long as none is chosen."""
        return "ldag" if self.structure == "cv" else self.structure

    def priors(self, candidate: Candidate | None = None) -> Priors:
        """Return what scores depend on, of a candidate or else of the settings, with 1 for what is not chosen yet."""
        if candidate is not None:
            return check_priors(candidate.kappa, candidate.equivalent_sample_size, prior_of(*candidate.kind))
        kappa = 1.0 if self.kappa in ("cv", None) else cast("float", self.kappa)
        size = 1.0 if self.equivalent_sample_size == "cv" else self.equivalent_sample_size
        prior: Prior = "labels" if self.prior == "cv" else self.prior
        return check_priors(kappa, size, prior_of(self.first_structure, prior))

    def smoothings(self) -> tuple[Smoothing | PruningAverage | None, ...]:
        """Return how parameters are smoothed, or all ways that are compared; None is as in the search."""
        given = self.smoothing
        if given == "search" or isinstance(given, Smoothing | PruningAverage):
            return (None if given == "search" else given,)
        if self.search.grows and given == "cv":
            return (None, *(Smoothing(size, "nested") for size in NESTED_SIZES), *PRUNING_AVERAGES)
        compared: dict[Spread, tuple[float, ...]] = {"configurations": SAMPLE_SIZES, "classes": CLASS_SIZES}
        if self.search.grows:
            compared["nested"] = NESTED_SIZES
        chosen = (given[1],) if isinstance(given, tuple) else tuple(compared)
        return tuple(Smoothing(size, spread) for spread in chosen for size in compared[spread])

    def without_sizes(self) -> "Settings":
        """Return the settings with the usual sizes where they were to be chosen: there is nothing to hold out."""
        if self.equivalent_sample_size != "cv" and len(self.smoothings()) == 1:
            return self
        size = USUAL_SIZE if self.equivalent_sample_size == "cv" else self.equivalent_sample_size
        return self.with_(
            equivalent_sample_size=size, smoothing=self.smoothing if len(self.smoothings()) == 1 else "search"
        )

    def to_dict(self) -> dict[str, object]:
        """Return plain values; of constraints and the start, whether there were any."""
        names = [one.name for one in fields(self) if one.name not in ("constraints", "rng")]
        plain = {name: getattr(self, name) for name in names} | {"method": self.search.name}
        plain |= {name: self.method_option(name) for name in method_options() if name != "start"}
        plain["smoothing"] = _plain(self.smoothing)
        plain["rng"] = self.rng if isinstance(self.rng, int | None) else "generator"
        return plain | {"constrained": self.constraints is not None, "started": self.method_option("start") is not None}

    def keys(self) -> Iterator[str]:
        """Go through the names of the plain values."""
        return iter(self.to_dict())

    def __getitem__(self, name: str) -> object:
        return getattr(self, name) if name in OLD_NAMES else self.to_dict()[name]

    def __getattr__(self, name: str) -> Any:
        """Answer to the names of the last release: options of methods, and what is called otherwise now."""
        if name in OLD_NAMES:
            tell_renamed(f"settings.{name}", f"settings.{OLD_NAMES[name]}")
            if name == "labels":
                return self.label_search
            given = None if self.smoothing == "search" else self.smoothing
            size, spread, *_ = given if isinstance(given, tuple) else (given, None)
            return size if name == "parameters_sample_size" else spread
        if name in method_options():
            tell_renamed(f"settings.{name}", f"settings[{name!r}]")
            return self.method_option(name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


def read_smoothing(given: Any) -> SmoothingChoice:
    """Return a smoothing as it is kept: "search", "cv", or a size (or "cv") with a spread."""
    if isinstance(given, str) and given in ("cv", "search"):
        return cast("SmoothingChoice", given)
    parts: tuple[Any, ...] = tuple(given) if isinstance(given, tuple | list) else (given,)
    usual: tuple[Any, ...] = (None, "configurations", None)
    size: Any
    size, spread, kappa = (*parts, *usual[len(parts) :]) if 0 < len(parts) <= len(usual) else (None,) * len(usual)
    has_price = kappa is None or (is_number(kappa) and 0 < kappa <= 1 and is_number(size) and spread != "nested")
    if not has_price or (not is_number(size) and size != "cv"):
        example = by_door("(4, 'classes')", "4,classes")
        raise ArgumentError(
            f"{argument('smoothing')} must be a number above 0, 'cv', 'search', or one of the first two with"
            f" 'configurations' or 'classes', such as {example}, and for grown trees a price above 0 and at most 1, got"
            f" {given!r}"
        )
    known = cast("Spread", spread)
    check_choice(known, get_args(Spread), "spread in smoothing")
    if size == "cv":
        return ("cv", known)
    checked = check_smoothing(size, known, "smoothing")
    return checked if kappa is None else PruningAverage(*checked, float(kappa))


def split_options(given: Mapping[str, Any]) -> tuple[dict[str, Any], Reading]:
    """Return how to search, and how to read."""
    known = {*(one.name for one in fields(Settings)), *method_options()}
    search = {name: value for name, value in given.items() if name in known}
    return search, cast("Reading", {name: value for name, value in given.items() if name not in known})


def rename_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings by the names that they have now."""
    renamed = dict(given)
    if "labels" in given:
        renamed["label_search"] = renamed.pop("labels")
    size, spread = renamed.pop("parameters_sample_size", None), renamed.pop("parameters_spread", None)
    if spread is not None and size is None:
        raise ArgumentError(
            f"{argument('parameters_spread')} says how the observations of {argument('parameters_sample_size')} are"
            " spread; give that, too"
        )
    if size is not None:
        renamed["smoothing"] = size if spread is None else (size, spread)
    return renamed


def upgrade_plain(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return plain values of settings that an older version wrote as this one writes them."""
    renamed = rename_settings(given)
    if "smoothing" in renamed or "parameters_sample_size" in given:
        kept = renamed.get("smoothing")
        renamed["smoothing"] = _plain(read_smoothing("search" if kept is None else kept))
    return renamed


def _plain(smoothing: SmoothingChoice) -> object:
    return list(smoothing) if isinstance(smoothing, tuple) else smoothing


def accept_old_names(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function be called by the names that settings had, for one release."""

    @wraps(function)
    def call(*args: P.args, **given: P.kwargs) -> T:
        renamed = rename_settings(given)
        for old in given.keys() - renamed.keys():
            tell_renamed(old, OLD_NAMES[old])
        return function(*args, **cast("Any", renamed))

    return call
