"""What a posterior is computed from and how, by number: exactly, by chains, or in rounds that draw the gaps anew."""

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Literal

import numpy as np

from ldag import _native
from ldag.data import GAP, Dataset
from ldag.graph import LDAG
from ldag.learning import Checkpoint, Deadline, Plan, ProgressReport, SearchControl, learn_families, make_plan
from ldag.model import ClassPosteriors, ClassTable, CodedFamily, Grid, Smoothing, Structure, normalise
from ldag.scoring import order_columns
from ldag.uncertainty.augmenting import CHAIN_PACE, Augmentation, CodedNetwork, Pace, augment
from ldag.uncertainty.chains import ChainSettings, Diagnostics, choose_candidates, run_chains
from ldag.uncertainty.choices import PosteriorChoice
from ldag.uncertainty.component import Component, ParentSet
from ldag.uncertainty.drawn import DrawnFamilies, count_structure
from ldag.uncertainty.exact import OutOfTime, Weighing, exact_components
from ldag.uncertainty.families import FamilyLabels, GraphPrior, Setting
from ldag.uncertainty.filling import CellFilling, GapFilling, fill_gaps
from ldag.uncertainty.space import (
    FEWEST_PARENTS,
    MAX_CONFIGURATIONS,
    ROUND_EXACT_SECONDS,
    ROUNDS_WITHIN,
    FamilySpace,
    Limits,
    ParentSets,
)

ROUND_ITER = 300
"""Rounds of the chain that every completed table gets, unless said otherwise."""


@dataclass(frozen=True, eq=False)
class Gapped:
    """A table with gaps, variables sorted by name and rows by their codes, and how it is completed."""

    data: Dataset
    filling: GapFilling
    n_rounds: int | None
    """Rounds of each run to keep; None: as many as it takes."""

    @classmethod
    def of(cls, table: Dataset, n_rounds: int | None) -> "Gapped":
        """Prepare a table with gaps."""
        data = order_columns(table).sorted()
        return cls(data, fill_gaps(data), n_rounds)

    def independent(self, seed: int) -> Dataset:
        """Complete the table as if all variables were independent, each with the states that were seen of it.

        One of which nothing was seen has its first state throughout, so that it takes no edges.
        """
        tables = []
        for row, n in zip(self.data.codes, self.data.schema.n_states, strict=True):
            weights = None if self.data.weights is None else self.data.weights[row != GAP]
            counts = np.bincount(row[row != GAP], weights, minlength=n)[None].astype(np.float64)
            tables.append(normalise(counts if counts.any() else np.eye(1, n)))
        return self.filling.fill(make_unconnected(self.data.schema.n_states), tables, np.random.default_rng(seed))

    @property
    def is_small(self) -> bool:
        """Whether completing needs no circuit."""
        return isinstance(self.filling, CellFilling)

    @cached_property
    def available(self) -> _native.Columns:
        """The rows to count families in wherever all of a family is seen, scaled up to all of them."""
        data = self.data
        return _native.Columns(data.codes, data.schema.n_states, data.weights, available=True)

    def starts(self, learned: LDAG, n_runs: int, seed: int) -> Iterator[CodedNetwork]:
        """Go through networks to begin with that are further apart than what is probable.

        In turns, independent variables with any parameters, and a graph with parameters as they are where it is seen.
        """
        schema = self.data.schema
        rich = learned.structure.reordered([learned.schema.node(name) for name in schema.names])
        poor = make_unconnected(schema.n_states)
        nothing: tuple[ClassTable, ...] = tuple(np.zeros((1, n)) for n in schema.n_states)
        for number in range(n_runs):
            structure = rich if number % 2 else poor
            counts = count_structure(rich, self.available) if number % 2 else nothing
            rng = np.random.default_rng([seed, number])
            tables = tuple(
                ClassPosteriors.of(family.partition, Smoothing(float(n)), own).draw(rng)
                for family, n, own in zip(structure.families, schema.n_states, counts, strict=True)
            )
            yield CodedNetwork(structure, tables)


def make_unconnected(n_states: tuple[int, ...]) -> Structure:
    """Return the graph without edges."""
    return Structure(n_states, tuple(CodedFamily.table((), Grid(())) for _ in n_states))


@dataclass(frozen=True, eq=False)
class Job:
    """What is asked for, checked and translated; the plan is one of a climb, which the limits are held against."""

    plan: Plan
    names: tuple[str, ...]
    settings: tuple[Setting, ...]
    families: FamilySpace
    method: Literal["exact", "chain"]
    chains: ChainSettings
    gapped: Gapped | None = None
    """The table itself where it has gaps; the data of the plan are one completion of it then."""
    largest_labelled: int = MAX_CONFIGURATIONS
    """Labels are summed over up to so many configurations of parents, unless there are none."""

    @property
    def data(self) -> Dataset:
        """The data, variables sorted by name; completed where there are gaps."""
        return self.plan.data

    @property
    def columns(self) -> _native.Columns:
        """What families are counted in; where there are gaps, the rows in which all of a family is seen."""
        return self.data.columns if self.gapped is None else self.gapped.available

    @property
    def prior(self) -> GraphPrior:
        """That of labels, if there are any."""
        return next((setting.prior for setting in self.settings if setting.prior != "table"), "table")

    @property
    def max_configurations(self) -> int:
        """Over how many configurations of parents labels are summed."""
        return self.largest_labelled if self.families.has_labels else 0

    @property
    def has_limit(self) -> bool:
        """Whether it was said how many parents there may be."""
        return self.plan.settings.max_parents is not None

    def weighing(self, on_progress: "_native.OnProgress", checkpoint: Checkpoint | None) -> Weighing:
        """Return what weighs families."""
        return Weighing(
            self.columns,
            self.settings,
            self.max_configurations,
            self.families.label_rules,
            self.plan.n_jobs,
            on_progress,
            checkpoint,
        )

    def climb(self, deadline: Deadline, columns: _native.Columns, max_parents: int | None = None) -> LDAG:
        """Return what a quick search finds where nothing but constraints limits it, or so many parents."""
        plan = self.plan
        if plan.settings.max_parents != max_parents:
            plan = make_plan(plan.data, plan.settings.with_(max_parents=max_parents))
        scorer = plan.problem.families.scorer(columns)
        result = plan.search.run(scorer, plan.problem, SearchControl(plan.n_jobs, deadline))
        if result.stopped:
            raise OutOfTime
        learned = learn_families(columns, plan.problem.n_states, result.parents, plan.problem.families)
        return LDAG(plan.data.schema, Structure(plan.problem.n_states, tuple(one.family for one in learned)))

    def label_families(self, data: Dataset | None) -> FamilyLabels:
        """Return what answers about the labels of families of some data."""
        return FamilyLabels(self.data.schema.n_states, data, self.max_configurations, self.families.label_rules)

    def within(self, limits: Limits) -> "Job":
        """Return the job with labels summed over as many configurations as the limits say."""
        return replace(self, largest_labelled=limits.max_configurations)


@dataclass(frozen=True, eq=False)
class Computed:
    """What came of a job: the posterior under every setting, over some parent sets."""

    components: tuple[Component, ...]
    sets: ParentSets
    families: FamilyLabels
    diagnostics: Diagnostics | None = None
    learned: LDAG | None = None
    """What a search finds, in a completed table where there are gaps; None if there was no time left for it."""


def make_job(
    plan: Plan,
    names: tuple[str, ...],
    assumed: tuple[Setting, ...],
    method: PosteriorChoice,
    chains: ChainSettings,
    time_limit: float | None,
    gapped: Gapped | None = None,
) -> Job:
    """Settle on a method, by what the families of the plan cost."""
    problem, schema = plan.problem, plan.data.schema
    n_labelled = sum(setting.prior != "table" for setting in assumed)
    rules = problem.families.label_rules
    if gapped is not None and time_limit is not None:
        time_limit = time_limit / ROUNDS_WITHIN
    n_rows, is_repeated = plan.data.n_rows, gapped is not None
    families = FamilySpace(
        schema, problem.space, rules, n_labelled, len(assumed), n_rows, time_limit, is_repeated=is_repeated
    )
    has_limit = plan.settings.max_parents is not None
    exact = method != "chain" and _is_exact(families, has_limit, is_asked=method == "exact")
    return Job(plan, names, assumed, families, "exact" if exact else "chain", chains, gapped)


def _is_exact(families: FamilySpace, is_given: bool, is_asked: bool) -> bool:
    """Whether sums over all DAGs can be had: refused where they are asked for and cannot."""
    few = len(families.schema) <= _native.MAX_DAG_NODES
    limits = families.choose_limits(is_given) if few or is_given else Limits(FEWEST_PARENTS)
    cost = families.cost(limits)
    if is_asked:
        cost.check(families.time_limit)
    usual = ROUND_EXACT_SECONDS if families.is_repeated else inf
    return is_asked or (cost.is_affordable and cost.seconds <= min(families.time_limit or inf, usual))


def compute(
    job: Job, learned: LDAG | None, on_progress: "_native.OnProgress", checkpoint: Checkpoint | None
) -> tuple[Job, Computed]:
    """Do the work under every setting; chains know what a search has learned."""
    job, sets, candidates = _choose_sets(job, learned, on_progress)
    weighing, families = job.weighing(on_progress, checkpoint), job.label_families(job.data)
    if candidates is None:
        return job, Computed(exact_components(weighing, sets), sets, families, learned=learned)
    runs = run_chains(weighing, candidates, sets, job.chains)
    job = replace(job, chains=replace(job.chains, n_iter=runs.n_iter))
    return job, Computed(runs.components(), sets, families, runs.diagnostics, learned)


def _choose_sets(
    job: Job, learned: LDAG | None, on_progress: "_native.OnProgress"
) -> tuple[Job, ParentSets, tuple[ParentSet, ...] | None]:
    """Settle on parent sets: of chains, those of some candidates."""
    candidates = None
    if job.method == "chain":
        assert learned is not None
        weighing = job.weighing(on_progress, None)
        candidates = choose_candidates(weighing, job.data.schema, job.families.space, learned)
    limits = job.families.choose_limits(job.has_limit, candidates)
    return job.within(limits), job.families.list_sets(limits, candidates), candidates


def compute_with_gaps(
    job: Job,
    given: LDAG | None,
    deadline: Deadline,
    tell: Callable[[ProgressReport], object],
    checkpoint: Checkpoint | None,
) -> tuple[Job, Computed]:
    """Do the work for one completed table after the other; an interruption ends all threads.

    A graph that is given is where some runs begin. Otherwise it is what a search finds by the rows in which families
    are seen, which has too many edges, as a start should; of many cells with one parent each, so that its circuit is
    small.
    """
    gapped, stop = job.gapped, threading.Event()
    assert gapped is not None

    def is_over(_: ProgressReport | None = None) -> bool:
        return stop.is_set() or deadline.is_over

    rich = given or job.climb(deadline, job.columns)
    job, sets, candidates = _choose_sets(job, rich, is_over)
    if given is None and not gapped.is_small:
        rich = job.climb(deadline, job.columns, max(1, *map(len, job.families.space.required)))
    seconds = job.families.cost(sets.limits).seconds if candidates is None else inf
    weighing = replace(job.weighing(is_over, None), n_threads=1)
    if (
        seconds <= ROUND_EXACT_SECONDS
    ):  # who is asked between two rounds need not be asked while one goes on, which would slow it down
        weighing = replace(weighing, on_progress=None)

    def weigh(table: Dataset, live: tuple[int, ...], seed: int) -> tuple[Component, ...]:
        own = weighing.among(live, table.columns)
        if candidates is None:
            return exact_components(own, sets)
        return run_chains(
            own, candidates, sets, replace(job.chains, n_runs=1, seed=seed, may_lengthen=False)
        ).components()

    shared = Augmentation(
        gapped.filling,
        weigh,
        job.label_families,
        job.settings,
        sets,
        gapped.n_rounds,
        Pace.of(seconds) if candidates is None else CHAIN_PACE,
        job.chains.seed,
        job.plan.n_jobs,
        is_over,
        stop.set,
        checkpoint,
    )
    starts = list(gapped.starts(rich, job.chains.n_runs, job.chains.seed))
    result = augment(shared, starts, lambda done, total: tell(_report(done, total)))
    drawn = job.label_families(None)
    families = DrawnFamilies(drawn.n_states, None, drawn.max_configurations, drawn.label_rules, drawn=result.drawn)
    learned = given
    if given is None and not deadline.is_over:
        with suppress(OutOfTime):
            learned = job.climb(deadline, result.table.columns)
    return job, Computed(result.components, sets, families, result.diagnostics, learned)


def _report(done: float, total: float) -> ProgressReport:
    return {"done": done, "total": total, "accepted": 0, "best": float("nan")}
