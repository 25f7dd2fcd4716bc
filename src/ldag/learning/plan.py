"""How it is done: the plan that settings make with data."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from math import inf
from typing import cast

import numpy as np

from ldag.checks import check_jobs, check_seed
from ldag.constraints import Constraints, LabelRules, SearchSpace, search_space
from ldag.data import AnyTable, Dataset, check_data, refuse_stateless
from ldag.errors import ArgumentError, argument
from ldag.graph import LDAG
from ldag.learning.checkpoint import Checkpoint, digest, fingerprint
from ldag.learning.cross_validation import USUAL_SIZE, Candidate, CandidateGrid
from ldag.learning.searches import GraphParents, MethodChoice, Search, SearchProblem, convert_search
from ldag.learning.settings import SAMPLE_SIZES, Settings
from ldag.learning.structures import STRUCTURES, FamilyOptions, StructureKind, order_of_states, prior_of, rules_for
from ldag.model import Schema
from ldag.reasoning import find_immorality
from ldag.scoring import order_columns

DEFAULT_KAPPAS = (0.001, 0.1, 0.3, 0.5)
"""What cross-validation compares unless told otherwise: the paper's."""

MANY_SECONDS = 20.0
"""As estimated without what bounds save: more than this, and one of many searches climbs."""

ROUND_SECONDS = 1.0
"""Auto looks at all graphs in every round of structural EM if that takes no longer, as estimated, and climbs
otherwise."""

A_MOMENT = 0.05
"""Seconds: if auto finds the best graph of all in so many, it does so on every fold too."""

MANY_COUNTS = 35_000_000
"""Different rows times variables squared: of more, restarts are made with tables, which are much quicker than
labels and lead to about the same graph; with labels it is climbed from there."""

QUICK_RESTARTS = 100
"""So many of these: as many as tables have by themselves take two to seven times as long on jester and plants, and
predict new rows better by less than 0.01 nats."""

MANY_VARIABLES = 400
"""Of more than these, every other sample size is compared: one for each order of magnitude."""

FEW_ROWS = 5
"""Observations for each variable: with fewer, a price for every parameter is compared with one for labels only. On 60
to 800 rows of plants, jester and dna it was better in seven cases of eight, by up to 21 nats per row."""

BINARY = 2
"""So many states have no other neighbours."""

NOT_THE_ANSWER = ("n_jobs", "time_limit", "constrained", "started")
"""Plain settings that the answer of a search which comes to its end does not depend on, or not by this word."""


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

    def choose(self, candidate: Candidate) -> "Plan":
        """Return the plan with the settings of a candidate, which may be one that grows."""
        if candidate.levels is not None and not self.search.grows:
            return self.growing().choose(candidate)
        families = replace(
            self.problem.families,
            priors=self.settings.priors(candidate),
            structure=candidate.structure,
            label_rules=self._rules(candidate.structure),
            ordered=_order_of_states(self.search, candidate.structure, self.data.schema),
        )
        search = self.search if candidate.levels is None else self.search.with_levels(candidate.levels)
        return replace(self, problem=replace(self.problem, families=families), search=search)

    def growing(self) -> "Plan":
        """Return the plan of growth in place of a search for structures that are compared."""
        return replace(plan_over(self.data, self.settings.for_growth()), checkpoint=self.checkpoint)

    def rival(self) -> "Plan | None":
        """Return the same where growth is one more candidate; not with fixed labels or a prior on them, or gaps."""
        if self.settings.structure != "cv" or not self.settings.search.has_rival or self.data.has_gaps:
            return None
        try:
            return self.growing()
        except ArgumentError:
            return None

    def start_from(self, parents: GraphParents | None) -> "Plan":
        """Return the plan with a graph that a climb starts from, unless it was told another one.

        Trees of many parents are found from the graph of tables, which the race began with, and hardly from nothing.
        """
        if parents is None or not self.search.climbs or self.problem.start is not None:
            return self
        return replace(self, problem=replace(self.problem, start=parents))

    def start_from_nothing(self) -> "Plan":
        """Return the plan of a search that another one follows, from a better start unless there are only tables."""
        if STRUCTURES[self.problem.families.structure].is_table and not self._is_long:
            return self
        return self.without_restarts()

    def without_restarts(self) -> "Plan":
        """Return the plan of a search that ends where the first climb does."""
        return replace(self, search=self.search.with_restarts(0))

    @property
    def _is_long(self) -> bool:
        """Whether restarts take long, and nobody asked for a number of them."""
        counts = self.problem.n_rows * self.problem.n_variables**2
        is_usual = self.search.climbs and self.search.with_restarts(0) != self.search and counts > MANY_COUNTS
        return is_usual and self.settings.method_option("n_restarts") is None

    @property
    def is_wide(self) -> bool:
        """Whether there are many variables."""
        return self.problem.n_variables > MANY_VARIABLES

    @property
    def has_few_rows(self) -> bool:
        """Whether there are few observations for so many variables, among which some look dependent by chance."""
        return self.data.total < FEW_ROWS * self.problem.n_variables

    def tables_first(self) -> "Plan | None":
        """Return the plan of tables whose graph is climbed from, if restarts with labels would take long."""
        structure = self.problem.families.structure
        if STRUCTURES[structure].is_table or not self._is_long or not self.takes("table"):
            return None
        priors = self.problem.families.priors
        kind = "labels" if priors.prior in ("normalised", "leaves") else priors.prior
        size = USUAL_SIZE if priors.prior == "leaves" else priors.equivalent_sample_size
        tables = self.choose(Candidate(priors.kappa, size, "table", prior=kind))
        return replace(tables, search=self.search.with_restarts(QUICK_RESTARTS))

    @property
    def search_in_words(self) -> str:
        """What the search depends on that a race may have chosen, to name a part of a checkpoint."""
        start = self.problem.start if self.search.climbs else None
        families = self.problem.families
        kappa = f"kappa {families.priors.kappa!r}"
        if families.structure != self.settings.structure != "cv":
            kappa = f"{families.structure}, {kappa}"
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
        compared = SAMPLE_SIZES[::2] if self.is_wide else SAMPLE_SIZES
        sizes = compared if settings.equivalent_sample_size == "cv" else (priors.equivalent_sample_size,)
        return CandidateGrid(kinds, tuple(kappas), sizes, settings.smoothings(), races_kappas)

    def _differs(self, structure: StructureKind) -> bool:
        """Return whether a structure is different from the others: with two states, lines are pairs of neighbours."""
        row = STRUCTURES[structure]
        joins_pairs = row.has_greedy_prices and not row.has_label_steps
        return not joins_pairs or max(self.problem.n_states, default=0) > BINARY

    def over(self, data: Dataset) -> "Plan":
        """Return the plan of the same search with the variables in another order, without a checkpoint."""
        return plan_over(data, self.settings).search_by(cast("MethodChoice", self.search.name))

    def search_by(self, method: MethodChoice) -> "Plan":
        """Return the plan with another method of search."""
        if method == self.search.name:
            return self
        return replace(self, search=convert_search(self.settings.search, method).prepare(self.problem))

    def translate(self, parents: GraphParents, schema: Schema) -> GraphParents:
        """Return a graph over the variables of a schema, which may be in another order, in that of this plan."""
        own = self.data.schema
        named = {schema[node].name: [schema[parent].name for parent in above] for node, above in enumerate(parents)}
        return tuple(tuple(sorted(own.nodes(named[name]))) for name in own.names)

    def for_many(self, seconds: float = inf) -> "Plan":
        """Return the plan for each of many searches: auto proves one graph, not hundreds, unless that is quick."""
        if self.settings.search.grows:
            return self
        return replace(self, search=self.settings.search.prepare(self.problem, min(seconds, MANY_SECONDS)))

    def for_folds(self) -> "Plan":
        """Return the plan for a fold, which auto climbs unless all graphs can be looked at in a moment."""
        return self.for_many(A_MOMENT)

    def in_random_order(self, rng: np.random.Generator) -> "Plan":
        """Return the plan for one of many searches whose edges follow a random order of the variables: auto climbs.

        Under an order that takes a hundredth of looking at all families, which may be large, and misses little.
        """
        space = self.problem.space.in_random_order(rng)
        return replace(self, problem=replace(self.problem, space=space)).for_many(0.0)

    @property
    def is_quick(self) -> bool:
        """Whether every graph can be looked at in a moment."""
        return self.search.estimate_seconds(self.problem) <= A_MOMENT

    def with_checkpoint(self, path: str | os.PathLike[str] | None, **more: object) -> "Plan":
        """Return the plan with its checkpoint, if there is to be one; a method once chosen stays.

        ``more`` is what the answer depends on besides data and settings.
        """
        if path is None:
            return self
        plain = {name: value for name, value in self.settings.to_dict().items() if name not in NOT_THE_ANSWER}
        start = self.problem.start
        run = {
            "ldag version": version("ldag"),
            "data": fingerprint(self.data.sorted()),
            **plain,
            "rng": self.seed,
            "constraints": digest(self.problem.space),
            "start": None if start is None else digest(start),
            **more,
        }
        checkpoint = Checkpoint.open(path, run)
        method = cast("MethodChoice", checkpoint.parts.setdefault("method", self.search.name))
        return replace(self.search_by(method), checkpoint=checkpoint)


def make_plan(data: AnyTable, settings: Settings) -> Plan:
    """Check settings against data and translate them; many searches make up one where there are gaps."""
    work = order_columns(check_data(data))
    plan = plan_over(work, settings)
    return plan.for_many(ROUND_SECONDS) if work.has_gaps else plan


def add_latent(data: Dataset, settings: Settings) -> Dataset:
    """Return the data with a column of gaps for each latent variable of the graph to start from."""
    start: LDAG | None = settings.method_option("start")
    latent = [] if start is None else [v for v in start.variables if v.latent and v.name not in data.names]
    unconnected = [v.name for v in data.variables if v.latent and (start is None or v.name not in start.schema.names)]
    unconnected += [] if start is None else [name for name in start.latent if not _is_connected(start, name)]
    if unconnected:
        raise ArgumentError(
            f"no search can find out what the latent variable {unconnected[0]!r} is connected with; give"
            f" {argument('start')}, a graph in which it has edges"
        )
    for variable in latent:
        if start is not None and variable.name in start.undeclared:
            raise refuse_stateless(variable.name)
    return data.with_unobserved(latent) if latent else data


def _is_connected(graph: LDAG, name: str) -> bool:
    return any(name in edge for edge in graph.edges)


def plan_over(work: Dataset, settings: Settings) -> Plan:
    """Return the plan for data whose variables are in the order of the search."""
    space = search_space(
        work.schema, settings.constraints or Constraints(), settings.max_parents, settings.decomposable
    )
    structure = settings.first_structure
    rules = rules_for(structure, space.label_rules, work.schema)
    seed = check_seed(settings.rng)
    ordered = _order_of_states(settings.search, structure, work.schema)
    families = FamilyOptions(settings.priors(), structure, settings.label_search, seed, rules, ordered)
    start = settings.method_option("start")
    parents = None if start is None else _translate_start(start, work.schema, space)
    settings.search.check_data(work, space)
    problem = SearchProblem(space, families, work.schema.n_states, work.n_rows, parents).over(work)
    return Plan(settings, work, problem, settings.search.prepare(problem))


def _order_of_states(search: Search, structure: StructureKind, schema: Schema) -> tuple[bool, ...]:
    """Return by node whether its states have an order, if anybody asks: growth does, which has thresholds."""
    return tuple(variable.ordered for variable in schema) if search.grows else order_of_states(structure, schema)


def _translate_start(start: LDAG, schema: Schema, space: SearchSpace) -> GraphParents:
    """Return the parents of a graph to start from, in the order of the search, checked to be one of the space."""
    odd = sorted({v.name for v in start.variables} ^ set(schema.names))
    if odd:
        raise ArgumentError(
            f"{argument('start')} must be a graph over the variables of the data; {odd[0]!r} is in one of them only"
        )
    parents = tuple(tuple(sorted(schema.nodes(start.parents(name)))) for name in schema.names)
    for node, above in enumerate(parents):
        if not space.allows(node, above):
            raise ArgumentError(f"start does not satisfy the constraints on the parents of {schema.names[node]!r}")
    if space.decomposable and (immorality := find_immorality(parents)) is not None:
        i, j, k = (schema.names[node] for node in immorality)
        raise ArgumentError(
            f"start is not decomposable: {i} -> {j} <- {k} are two parents without an edge between them"
        )
    return parents
