"""The posterior over labelled DAGs of some data, in names: `posterior`."""

import os
import time
from dataclasses import astuple, dataclass, replace
from importlib.metadata import version
from math import inf
from typing import Literal, Unpack, get_args

import numpy as np

from ldag import _native
from ldag.checks import Rng, check_choice, check_jobs, check_seed, check_whole
from ldag.data import AnyTable, Dataset, Reading, check_data, describe_data
from ldag.errors import ArgumentError, TooLarge, argument
from ldag.formats import counted
from ldag.graph import LDAG
from ldag.learning import (
    Checkpoint,
    Constraints,
    Deadline,
    Fit,
    Progress,
    ProgressReport,
    SearchControl,
    Settings,
    check_progress,
    check_time_limit,
    digest,
    fingerprint,
    learn_families,
    listen,
    make_plan,
    rules_for,
    search_space,
)
from ldag.model import Structure
from ldag.scoring import order_columns
from ldag.uncertainty.chains import (
    N_CANDIDATES,
    N_ROUNDS,
    ChainSettings,
    chain_component,
    choose_candidates,
)
from ldag.uncertainty.component import Component
from ldag.uncertainty.diagnostics import Diagnostics
from ldag.uncertainty.door import Posterior
from ldag.uncertainty.exact import OutOfTime, Weighing, exact_component
from ldag.uncertainty.families import DataCounts, FamilyLabels
from ldag.uncertainty.limits import describe_outside, describe_space
from ldag.uncertainty.priors import GraphPrior, KappaChoice, PosteriorPriors, check_posterior_priors
from ldag.uncertainty.space import FEWEST_PARENTS, FamilySpace, Limits, ParentSets

PosteriorChoice = Literal["auto", "exact", "chains"]

USUAL_KAPPA = 0.1
"""Of the graph that the limits are held against, where the posterior is over several."""


@dataclass(frozen=True, eq=False)
class _Job:
    """What is asked for, checked and translated: variables sorted by name."""

    data: Dataset
    names: tuple[str, ...]
    priors: PosteriorPriors
    constraints: Constraints | None
    max_parents: int | None
    families: FamilySpace
    method: Literal["exact", "chains"]
    chains: ChainSettings
    n_threads: int

    def weighing(self, tell: "_native.OnProgress", checkpoint: Checkpoint | None) -> Weighing:
        """Return what weighs families."""
        return Weighing(self.data, self.priors, self.families.label_rules, self.n_threads, tell, checkpoint)

    def within(self, limits: Limits) -> "_Job":
        """Return the job with labels summed over as many configurations as the limits say."""
        return replace(self, priors=replace(self.priors, max_configurations=limits.max_configurations))


@dataclass(frozen=True, eq=False)
class _Computed:
    """What came of a job: the posterior at every kappa, over some parent sets."""

    components: tuple[Component, ...]
    sets: ParentSets
    diagnostics: Diagnostics | None = None


def posterior(  # noqa: PLR0913 - every choice is named here, once
    data: "AnyTable | Fit",
    *,
    kappa: KappaChoice = None,
    prior: GraphPrior | None = None,
    max_parents: int | None = None,
    method: PosteriorChoice = "auto",
    constraints: Constraints | None = None,
    equivalent_sample_size: float | None = None,
    n_rounds: int | None = None,
    rng: Rng = None,
    n_jobs: int = -1,
    time_limit: float | None = None,
    progress: Progress = None,
    checkpoint: str | os.PathLike[str] | None = None,
    **reading: Unpack[Reading],
) -> Posterior:
    """Return how probable every graph and label is, given data.

    Parameters
    ----------
    data
        The data, or a `Fit`, whose data, kappa, equivalent sample size, constraints and limit on parents are taken
        unless others are given.
    kappa
        The price of labels, above 0 and at most 1, or "evidence": averaged over eight kappas from 0.01 to 1, each as
        probable as the data make it. Left out, it is that of the fit, or "evidence".
    prior
        "normalised": every DAG weighs the same before any data, and labels share its weight by kappa. "labels": kappa
        for each parameter that labels save, as in `score`, so that DAGs with room for many labels weigh more. "table":
        no labels. Left out, "normalised", or "table" for a fit of tables.
    max_parents, constraints
        Limits on the graph, as in `learn`. Without ``max_parents`` there are as many parents as can be summed over in
        about ten seconds. Families with more than 16 configurations of parents (fewer, where that allows more parents)
        count with their full table, without labels. The first lines of print say so, and also if a quick climb, or the
        fit that was given, has a graph outside these limits.
    method
        "exact": sums over all DAGs (up to about 20 variables); "chains": tempered Markov chains over ordered partitions
        of the variables, from at least four independent starts; "auto": exact where it takes a minute at most.
    equivalent_sample_size
        As in `score`; 1 unless said otherwise.
    n_rounds
        For "chains": rounds of each run that are kept, 4,000 unless said otherwise; give more if the runs disagree.
    rng
        Seed of chains; None is 0.
    n_jobs
        Threads; -1 is all cores. The result does not depend on it.
    time_limit
        Seconds after which chains end with the samples that they have; an exact posterior is refused that takes longer.
        The number of parents is chosen such that it should not.
    progress
        True or False to show progress or not, a function to be told, or None: shown on a terminal.
    checkpoint
        A file to keep finished parts in. The same call resumes from it.
    **reading
        How a table that is no `Dataset` is read: the options of `read`, such as ``missing="drop"``.

    Examples
    --------
    >>> import ldag
    >>> post = ldag.posterior(ldag.datasets.load("heart"), kappa=0.3, max_parents=3)
    >>> round(post.log_evidence, 4), round(post.edge("smoking", "pressure"), 4)
    (-6725.1861, 0.8268)
    """
    began = time.perf_counter()
    deadline = Deadline.after(check_time_limit(time_limit))
    fit = data if isinstance(data, Fit) else None
    if isinstance(data, Fit):
        data, kappa, prior, max_parents, constraints, equivalent_sample_size = _from_fit(
            data, kappa, prior, max_parents, constraints, equivalent_sample_size
        )
    size = 1.0 if equivalent_sample_size is None else equivalent_sample_size
    priors = check_posterior_priors(kappa, size, prior or "normalised")
    check_choice(method, get_args(PosteriorChoice), "method")
    check_progress(progress)
    chains = ChainSettings(
        N_ROUNDS if n_rounds is None else check_whole(n_rounds, "n_rounds", 100),
        seed=check_seed(rng),
        is_timed=deadline.is_set,
    )
    job = _job(
        check_data(data, reading=reading),
        priors,
        constraints,
        max_parents,
        method,
        chains,
        check_jobs(n_jobs),
        time_limit,
    )
    if job.method == "exact" and n_rounds is not None:
        raise ArgumentError(f"{argument('n_rounds')} applies to method 'chains'; an exact posterior needs no rounds")
    kept = None if checkpoint is None else Checkpoint.open(checkpoint, _run_of(job))
    with listen(progress, f"posterior ({job.method})", deadline) as listener:

        def tell(report: ProgressReport) -> bool:
            if listener is not None:
                listener(report)
            return deadline.is_over

        try:
            learned = _climb(job, deadline) if fit is None else fit.graph
            job, computed = _compute(job, learned, tell, kept)
        except OutOfTime:
            if not deadline.is_over:
                raise KeyboardInterrupt from None
            raise TooLarge(_too_late(job)) from None
    outside = describe_outside(learned, computed.sets, job.data.schema)
    return _result(job, computed, outside, time.perf_counter() - began)


def _from_fit(
    fit: Fit,
    kappa: KappaChoice,
    prior: GraphPrior | None,
    max_parents: int | None,
    constraints: Constraints | None,
    equivalent_sample_size: float | None,
) -> tuple[Dataset, KappaChoice, GraphPrior | None, int | None, Constraints | None, float]:
    """Return the data and settings of a fit, where none are given."""
    settings = fit.settings
    if fit.structure not in ("ldag", "table"):
        raise ArgumentError(
            f"the posterior is over labels or tables; this fit has structure {fit.structure!r}; give its data"
        )
    own: GraphPrior = "table" if fit.structure == "table" else "normalised"
    chosen = prior or own
    return (
        fit.data,
        (None if chosen == "table" else fit.kappa) if kappa is None else kappa,
        chosen,
        settings.max_parents if max_parents is None else max_parents,
        settings.constraints if constraints is None else constraints,
        fit.equivalent_sample_size if equivalent_sample_size is None else equivalent_sample_size,
    )


def _job(
    data: Dataset,
    priors: PosteriorPriors,
    constraints: Constraints | None,
    max_parents: int | None,
    method: PosteriorChoice,
    chains: ChainSettings,
    n_threads: int,
    time_limit: float | None,
) -> _Job:
    """Check and translate, and settle on a method."""
    if constraints is not None and not isinstance(constraints, Constraints):
        raise ArgumentError(f"constraints must be ldag.Constraints(...), got {type(constraints).__name__}")
    work = order_columns(data)
    space = search_space(work.schema, constraints or Constraints(), max_parents)
    space = space.without_edges_at(work.constant_nodes)
    labelled = priors.prior != "table"
    rules = rules_for("ldag" if labelled else "table", space.label_rules, work.schema)
    families = FamilySpace(work.schema, space, rules, labelled, len(priors.kappas), work.n_rows, time_limit)
    exact = method != "chains" and _is_exact(families, max_parents is not None, is_asked=method == "exact")
    if not exact and len(priors.kappas) > 1:
        raise ArgumentError(
            "chains need one kappa, as they do not know the evidence, and an exact posterior at"
            f" {len(priors.kappas)} kappas would take too long; give kappa, such as 0.3"
        )
    how: Literal["exact", "chains"] = "exact" if exact else "chains"
    return _Job(work, data.names, priors, constraints, max_parents, families, how, chains, n_threads)


def _is_exact(families: FamilySpace, is_given: bool, is_asked: bool) -> bool:
    """Whether sums over all DAGs can be had: refused where they are asked for and cannot."""
    few = len(families.schema) <= _native.MAX_DAG_NODES
    limits = families.choose_limits(is_given) if few or is_given else Limits(FEWEST_PARENTS)
    cost = families.cost(limits)
    if is_asked:
        cost.check(families.time_limit)
    return is_asked or (cost.is_affordable and cost.seconds <= (families.time_limit or inf))


def _too_late(job: _Job) -> str:
    """Say that there is nothing to return, and what to do."""
    what = "the exact posterior was" if job.method == "exact" else "samples of the chains were"
    less = "method 'chains'" if job.method == "exact" else f"fewer {argument('n_rounds')}"
    return f"{what} not there within the time limit; give a longer {argument('time_limit')}, fewer parents, or {less}"


def _run_of(job: _Job) -> dict[str, object]:
    """Return what the answer depends on."""
    return {
        "ldag version": version("ldag"),
        "posterior": job.method,
        "data": fingerprint(job.data.sorted()),
        "kappas": job.priors.kappas,
        "prior": job.priors.prior,
        "equivalent_sample_size": job.priors.equivalent_sample_size,
        "max_parents": job.max_parents,
        "constraints": digest(job.families.space),
        "chains": astuple(job.chains) if job.method == "chains" else None,
    }


def _climb(job: _Job, deadline: Deadline) -> LDAG:
    """Return what a quick search finds where nothing but constraints limits it, to see whether that is left out."""
    priors = job.priors
    is_table = priors.prior == "table"
    settings = Settings.of(
        kappa=priors.kappas[0] if len(priors.kappas) == 1 and not is_table else USUAL_KAPPA,
        method="climb",
        structure="table" if is_table else "ldag",
        equivalent_sample_size=priors.equivalent_sample_size,
        constraints=job.constraints,
        n_restarts=0,
        n_jobs=job.n_threads,
    )
    plan = make_plan(job.data, settings)
    scorer = plan.problem.families.scorer(plan.data.columns)
    result = plan.search.run(scorer, plan.problem, SearchControl(job.n_threads, deadline))
    if result.stopped:
        raise OutOfTime
    learned = learn_families(plan.data.columns, plan.problem.n_states, result.parents, plan.problem.families)
    return LDAG(plan.data.schema, Structure(plan.problem.n_states, tuple(one.family for one in learned)))


def _compute(
    job: _Job, learned: LDAG | None, tell: "_native.OnProgress", checkpoint: Checkpoint | None
) -> tuple[_Job, _Computed]:
    """Do the work at every kappa, and weigh the kappas by their evidence; chains know what a search has learned."""
    is_given = job.max_parents is not None
    if job.method == "chains":
        (kappa,) = job.priors.kappas
        assert learned is not None
        weighing = job.weighing(tell, checkpoint)
        candidates = choose_candidates(weighing, job.data.schema, job.families.space, kappa, learned)
        limits = job.families.choose_limits(is_given, candidates)
        job = job.within(limits)
        sets = job.families.list_sets(limits, candidates)
        component, diagnostics = chain_component(job.weighing(tell, checkpoint), candidates, sets, kappa, job.chains)
        return job, _Computed((component,), sets, diagnostics)
    limits = job.families.choose_limits(is_given)
    job = job.within(limits)
    sets = job.families.list_sets(limits)
    weighing = job.weighing(tell, checkpoint)
    components = [exact_component(weighing, sets, kappa) for kappa in job.priors.kappas]
    logs = np.array([component.log_evidence for component in components], dtype=np.float64)
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    weighed = tuple(replace(c, weight=w) for c, w in zip(components, weights.tolist(), strict=True))
    return job, _Computed(weighed, sets)


def _result(job: _Job, computed: _Computed, outside: str | None, seconds: float) -> Posterior:
    """Put the posterior together."""
    limits = computed.sets.limits
    n_candidates = N_CANDIDATES if job.method == "chains" and len(job.names) > N_CANDIDATES + 1 else None
    settings: dict[str, object] = {
        "why": _why(job, computed.sets),
        "limits": list(describe_space(computed.sets, n_candidates)),
        "outside": outside,
        "max_parents": limits.max_parents,
        "max_configurations": limits.max_configurations,
        "kappas": job.priors.kappas,
        "prior": job.priors.prior,
    }
    return Posterior(
        job.data.schema,
        job.names,
        job.priors,
        computed.components,
        FamilyLabels(job.data.schema.n_states, DataCounts(job.data), job.priors, job.families.label_rules),
        job.method,
        computed.diagnostics,
        tuple(describe_data(job.data)),
        settings,
        job.data.total,
        seconds,
        job.data,
        _Evidence(job) if job.method == "exact" else None,
        job.families.space,
    )


@dataclass(frozen=True, eq=False)
class _Evidence:
    """The log evidence of other data under the same choices."""

    job: _Job

    def __call__(self, data: Dataset) -> float:
        again, anew = _compute(replace(self.job, data=data), None, lambda _: False, None)
        return _result(again, anew, None, 0.0).log_evidence or 0.0


def _why(job: _Job, sets: ParentSets) -> str:
    if job.method == "exact":
        families = counted(sets.n_families, "family", "families")
        return f"exact, the sum over all DAGs of {families} within these limits"
    runs = f"{job.chains.n_runs} runs of {job.chains.n_rounds:,} rounds of coupled chains"
    return f"{runs} over ordered partitions of {counted(len(job.names), 'variable')}"
