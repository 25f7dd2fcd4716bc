"""What is asked for and how it is done: `Settings`, all options of a search once, and the plan they make with data."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from importlib.metadata import version
from typing import Literal, cast, get_args

import numpy as np

from ldag.checks import Rng, check_choice, check_jobs, check_seed, is_number
from ldag.data import AnyTable, Dataset, check_data
from ldag.errors import ArgumentError, argument
from ldag.graph import LDAG
from ldag.learning.candidates import Candidate, CandidateGrid
from ldag.learning.checkpoint import Checkpoint, digest, fingerprint
from ldag.learning.constraints import Constraints, LabelRules, SearchSpace, check_max_parents, rules_for, search_space
from ldag.learning.partitions import FamilyOptions, LabelSearch
from ldag.learning.progress import check_time_limit
from ldag.learning.searches import METHODS, GraphParents, MethodChoice, Search, SearchProblem
from ldag.learning.searches.climb import Climb
from ldag.learning.searches.exact import estimate_seconds
from ldag.learning.structures import STRUCTURES, ClassKind, StructureKind, prior_of
from ldag.model import Schema, Smoothing, Spread
from ldag.scoring import Prior, Priors, check_equivalent_sample_size, check_priors, order_columns

DEFAULT_KAPPAS = (0.001, 0.1, 0.3, 0.5)
"""What cross-validation compares unless told otherwise: the paper's."""

SAMPLE_SIZES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0)
"""What cross-validation chooses equivalent sample sizes from; finer steps make little difference."""

CLASS_SIZES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""The same for priors of so many observations to every class."""

MANY_SECONDS = 20.0
"""As estimated without what bounds save: more than this, and one of many searches climbs."""

BINARY = 2
"""So many states have no other neighbours."""

NOT_THE_ANSWER = ("n_jobs", "time_limit")
"""Settings that the answer of a search which comes to its end does not depend on."""

NUMBERS = {
    "kappa": "a number above 0 and at most 1",
    "equivalent_sample_size": "a finite number above 0",
    "parameters_sample_size": "a finite number above 0",
}
"""Settings that are numbers unless cross-validation chooses them."""

NOT_PLAIN = {"constraints": "constrained", "start": "started"}
"""Settings of which plain values say only whether they were given."""


@dataclass(frozen=True)
class Settings:
    """The options of a search, checked; `learn` says what they mean.

    Like a mapping, ``settings["kappa"]`` and ``dict(settings)`` give plain values that can be written down.

    Examples
    --------
    >>> Settings(kappa=0.1, method="climb")["kappa"]
    0.1
    >>> Settings(method="climb", n_chains=3)
    Traceback (most recent call last):
    ldag.errors.ArgumentError: n_chains applies to method 'chain', not to 'climb'
    """

    kappa: float | Literal["cv"] = "cv"
    method: MethodChoice = "auto"
    structure: StructureKind | Literal["cv"] = "ldag"
    labels: LabelSearch = "greedy"
    equivalent_sample_size: float | Literal["cv"] = 1.0
    parameters_sample_size: float | Literal["cv"] | None = None
    parameters_spread: Spread | None = None
    prior: Prior | Literal["cv"] = "labels"
    max_parents: int | None = None
    constraints: Constraints | None = None
    n_chains: int | None = None
    n_iter: int | None = None
    n_restarts: int | None = None
    start: LDAG | None = None
    max_candidates: int | None = None
    rng: Rng = None
    n_jobs: int = -1
    time_limit: float | None = None

    def __post_init__(self) -> None:
        for option in fields(self):  # numpy's numbers are as good as others, but cannot be written down
            value = getattr(self, option.name)
            if isinstance(value, np.generic):
                object.__setattr__(self, option.name, value.item())
        for name, numbers in NUMBERS.items():
            value = getattr(self, name)
            if value is not None and not is_number(value) and value != "cv":
                raise ArgumentError(f"{argument(name)} must be {numbers}, or 'cv', got {value!r}")
        check_choice(self.method, tuple(METHODS), "method")
        self._check_applicable()
        check_choice(self.structure, (*STRUCTURES, "cv"), "structure")
        check_choice(self.labels, get_args(LabelSearch), "labels")
        priors = self.priors()
        if self.equivalent_sample_size != "cv":
            object.__setattr__(self, "equivalent_sample_size", priors.equivalent_sample_size)
        if self.parameters_sample_size not in (None, "cv"):
            size = check_equivalent_sample_size(cast("float", self.parameters_sample_size), "parameters_sample_size")
            object.__setattr__(self, "parameters_sample_size", size)
        if self.parameters_spread is not None:
            check_choice(self.parameters_spread, get_args(Spread), "parameters_spread")
            if self.parameters_sample_size is None:
                raise ArgumentError(
                    f"{argument('parameters_spread')} says how the observations of"
                    f" {argument('parameters_sample_size')} are"
                    " spread; give that, too"
                )
        if self.max_parents is not None:
            check_max_parents(self.max_parents)
        if self.constraints is not None and not isinstance(self.constraints, Constraints):
            raise ArgumentError(f"constraints must be ldag.Constraints(...), got {type(self.constraints).__name__}")
        if self.start is not None and not isinstance(self.start, LDAG):
            raise ArgumentError(
                f"{argument('start')} must be an LDAG, such as fit.ldag, got {type(self.start).__name__}"
            )
        check_jobs(self.n_jobs)
        check_time_limit(self.time_limit)

    def _check_applicable(self) -> None:
        """Refuse options of other methods than the one chosen."""
        for name in dict.fromkeys(option for method in METHODS.values() for option in method.options):
            if getattr(self, name) is not None and name not in METHODS[self.method].options:
                owners = [repr(other) for other, method in METHODS.items() if name in method.options]
                raise ArgumentError(f"{argument(name)} applies to method {' or '.join(owners)}, not to {self.method!r}")

    @property
    def needs_cross_validation(self) -> bool:
        """Whether anything is to be compared; where kappa makes no difference, it is not."""
        chosen = (self.equivalent_sample_size, self.structure, self.parameters_sample_size, self.prior)
        return "cv" in chosen or (self.kappa == "cv" and self.has_kappa)

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
        priors = STRUCTURES[structure].compared_priors if self.prior == "cv" else (self.prior,)
        return [ClassKind(structure, prior) for prior in priors]

    @property
    def first_structure(self) -> StructureKind:
        """The structure, or the usual one as long as none is chosen."""
        return "ldag" if self.structure == "cv" else self.structure

    def priors(self, candidate: Candidate | None = None) -> Priors:
        """Return what scores depend on, of a candidate or else of the settings, with 1 for what is not chosen yet."""
        if candidate is not None:
            return check_priors(candidate.kappa, candidate.equivalent_sample_size, prior_of(*candidate.kind))
        kappa = 1.0 if self.kappa == "cv" else self.kappa
        size = 1.0 if self.equivalent_sample_size == "cv" else self.equivalent_sample_size
        prior: Prior = "labels" if self.prior == "cv" else self.prior
        return check_priors(kappa, size, prior_of(self.first_structure, prior))

    def smoothings(self) -> tuple[Smoothing | None, ...]:
        """Return how parameters are smoothed, or all ways that are compared; None is as in the search."""
        size, spread = self.parameters_sample_size, self.parameters_spread
        if size is None:
            return (None,)
        if size != "cv":
            return (Smoothing(size, spread or "configurations"),)
        compared = {"configurations": SAMPLE_SIZES, "classes": CLASS_SIZES}
        spreads: tuple[Spread, ...] = get_args(Spread) if spread is None else (spread,)
        return tuple(Smoothing(size, one) for one in spreads for size in compared[one])

    def to_dict(self) -> dict[str, object]:
        """Return plain values; of constraints and the start, whether there were any."""
        plain = {name: getattr(self, name) for name in _plain_names()}
        plain["rng"] = self.rng if isinstance(self.rng, int | None) else "generator"
        return plain | {word: getattr(self, name) is not None for name, word in NOT_PLAIN.items()}

    def keys(self) -> Iterator[str]:
        """Go through the names of the plain values."""
        return iter(self.to_dict())

    def __getitem__(self, name: str) -> object:
        return self.to_dict()[name]


def _plain_names() -> list[str]:
    """Return the settings that are plain values, the seed last."""
    return [option.name for option in fields(Settings) if option.name not in (*NOT_PLAIN, "rng")]


@dataclass(frozen=True)
class Plan:
    """What is to be done, checked and translated: variables sorted by name, so that their order cannot matter.

    On folds they are in an order of their own, so that their names cannot matter either.
    """

    settings: Settings
    data: Dataset
    problem: SearchProblem
    search: Search
    checkpoint: Checkpoint | None = None

    @property
    def seed(self) -> int:
        """Seed of everything that is random."""
        return self.problem.families.seed

    @property
    def n_jobs(self) -> int:
        """Number of threads."""
        return check_jobs(self.settings.n_jobs)

    @cached_property
    def exact_seconds(self) -> float:
        """About what an exact search takes."""
        return estimate_seconds(self.problem)

    def choose(self, candidate: Candidate) -> "Plan":
        """Return the plan with the settings of a candidate."""
        families = replace(
            self.problem.families,
            priors=self.settings.priors(candidate),
            structure=candidate.structure,
            label_rules=self._rules(candidate.structure),
            ordered=_ordered_states(candidate.structure, self.data.schema),
        )
        return replace(self, problem=replace(self.problem, families=families))

    def starting_from(self, parents: GraphParents | None) -> "Plan":
        """Return the plan with a graph that a climb starts from, unless it was told another one.

        Trees of many parents are found from the graph of tables, which the race began with, and hardly from nothing.
        """
        search = self.search
        if parents is None or not isinstance(search, Climb) or search.start is not None:
            return self
        return replace(self, search=replace(search, start=parents))

    def from_nothing(self) -> "Plan":
        """Return the plan of a search that another one follows, from a better start unless there are only tables."""
        if STRUCTURES[self.problem.families.structure].is_table or not isinstance(self.search, Climb):
            return self
        return replace(self, search=replace(self.search, n_restarts=0))

    @property
    def search_in_words(self) -> str:
        """What the search depends on that a race may have chosen, to name a part of a checkpoint."""
        start = self.search.start if isinstance(self.search, Climb) else None
        kappa = f"kappa {self.problem.families.priors.kappa!r}"
        return kappa if start is None else f"{kappa}, from {digest(start)}"

    def _rules(self, structure: StructureKind) -> LabelRules:
        return rules_for(structure, self.problem.space.label_rules, self.data.schema)

    def takes(self, structure: StructureKind) -> bool:
        """Return whether a structure can satisfy the constraints on labels, and has the prior."""
        try:
            self._rules(structure)
            for kind in self.settings.kinds_of(structure):
                prior_of(*kind)
        except ArgumentError:
            return False
        return True

    def grid(self, kappas: Sequence[float], *, races_kappas: bool = False) -> CandidateGrid:
        """Return what cross-validation chooses from, with these kappas, which may be raced by themselves."""
        settings = self.settings
        priors = settings.priors()
        structures = settings.structures
        if settings.structure == "cv":
            structures = tuple(one for one in structures if self.takes(one) and self._differs(one))
        kinds = tuple(kind for structure in structures for kind in settings.kinds_of(structure))
        sizes = SAMPLE_SIZES if settings.equivalent_sample_size == "cv" else (priors.equivalent_sample_size,)
        return CandidateGrid(kinds, tuple(kappas), sizes, settings.smoothings(), races_kappas)

    def _differs(self, structure: StructureKind) -> bool:
        """Return whether a structure is different from the others: with two states, lines are pairs of neighbours."""
        return structure != "partial" or max(self.problem.n_states, default=0) > BINARY

    def over(self, data: Dataset) -> "Plan":
        """Return the plan of the same search with the variables in another order, without a checkpoint."""
        other = plan_over(data, self.settings)
        return other if other.search.name == self.search.name else other.searching_by(self.search.name)

    def searching_by(self, method: str) -> "Plan":
        """Return the plan with another method of search."""
        options = _options_of(method, self.settings, self.data.schema)
        return replace(self, search=METHODS[method].prepare(self.problem, **options))

    def translate(self, parents: GraphParents, schema: Schema) -> GraphParents:
        """Return a graph over the variables of a schema, which may be in another order, in that of this plan."""
        own = self.data.schema
        named = {schema[node].name: [schema[parent].name for parent in above] for node, above in enumerate(parents)}
        return tuple(tuple(sorted(own.nodes(named[name]))) for name in own.names)

    def for_many(self) -> "Plan":
        """Return the plan for each of many searches: auto proves one graph, not hundreds, unless that is quick."""
        is_slow = self.settings.method == "auto" and self.search.name == "exact" and self.exact_seconds > MANY_SECONDS
        return self.searching_by("climb") if is_slow else self

    def with_checkpoint(self, path: str | os.PathLike[str] | None, **more: object) -> "Plan":
        """Return the plan with its checkpoint, if there is to be one; a method once chosen stays.

        ``more`` is what the answer depends on besides data and settings.
        """
        if path is None:
            return self
        plain = {name: value for name, value in self.settings.to_dict().items() if name not in NOT_THE_ANSWER}
        for word in NOT_PLAIN.values():
            del plain[word]
        start = self.settings.start
        run = {
            "ldag version": version("ldag"),
            "data": fingerprint(self.data.sorted()),
            **plain,
            "rng": self.seed,
            "constraints": digest(self.problem.space),
            "start": None if start is None else digest(_translate_start(start, self.data.schema)),
            **more,
        }
        checkpoint = Checkpoint.open(path, run)
        method = cast("str", checkpoint.parts.setdefault("method", self.search.name))
        plan = self if method == self.search.name else self.searching_by(method)
        return replace(plan, checkpoint=checkpoint)


def make_plan(data: AnyTable, settings: Settings) -> Plan:
    """Check settings against data and translate them."""
    return plan_over(order_columns(check_data(data)), settings)


def plan_over(work: Dataset, settings: Settings) -> Plan:
    """Return the plan for data whose variables are in the order of the search."""
    space = search_space(work.schema, settings.constraints or Constraints(), settings.max_parents)
    structure = settings.first_structure
    rules = rules_for(structure, space.label_rules, work.schema)
    seed = check_seed(settings.rng)
    ordered = _ordered_states(structure, work.schema)
    families = FamilyOptions(settings.priors(), structure, settings.labels, seed, rules, ordered)
    problem = SearchProblem(space, families, work.schema.n_states, work.n_rows).over(work)
    if settings.start is not None:
        _check_start(settings.start, work.schema, space)
    options = _options_of(settings.method, settings, work.schema)
    return Plan(settings, work, problem, METHODS[settings.method].prepare(problem, **options))


def _ordered_states(structure: StructureKind, schema: Schema) -> tuple[bool, ...]:
    """Return by node whether its states have an order, for the structure that asks."""
    return tuple(variable.ordered for variable in schema) if structure == "partial" else ()


def _options_of(method: str, settings: Settings, schema: Schema) -> dict[str, object]:
    """Return the options that a method takes, a start by node numbers."""
    options = {name: getattr(settings, name) for name in METHODS[method].options}
    if options.get("start") is not None:
        options["start"] = _translate_start(options["start"], schema)
    return options


def _check_start(start: LDAG, schema: Schema, space: SearchSpace) -> None:
    """Check that a graph to start from is one of the space."""
    odd = sorted({v.name for v in start.variables} ^ set(schema.names))
    if odd:
        raise ArgumentError(
            f"{argument('start')} must be a graph over the variables of the data; {odd[0]!r} is in one of them only"
        )
    for node, above in enumerate(_translate_start(start, schema)):
        if not space.allows(node, above):
            raise ArgumentError(f"start does not satisfy the constraints on the parents of {schema.names[node]!r}")


def _translate_start(start: LDAG, schema: Schema) -> GraphParents:
    """Return the parents of a graph to start from, in the order of the search."""
    return tuple(tuple(sorted(schema.nodes(start.parents(name)))) for name in schema.names)
