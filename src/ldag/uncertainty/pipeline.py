"""The posterior over labelled DAGs of some data, in names: `posterior`."""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, replace
from functools import wraps
from importlib.metadata import version
from math import inf
from typing import Any, Literal, ParamSpec, Unpack, cast, get_args

import numpy as np

from ldag import _native
from ldag.checks import Rng, check_choice, check_seed, check_whole, tell_renamed
from ldag.constraints import Constraints
from ldag.data import AnyTable, Dataset, Reading, check_data, describe_data
from ldag.errors import ArgumentError, TooLarge, argument, counted
from ldag.graph import LDAG
from ldag.learning import (
    Chain,
    Checkpoint,
    Climb,
    Deadline,
    Exact,
    Fit,
    Plan,
    Progress,
    ProgressReport,
    Search,
    SearchControl,
    Settings,
    check_progress,
    check_time_limit,
    digest,
    fingerprint,
    learn_families,
    listen,
    make_plan,
)
from ldag.model import Structure
from ldag.scoring import check_equivalent_sample_size, check_priors
from ldag.uncertainty.chains import (
    N_CANDIDATES,
    N_ITER,
    N_RUNS,
    ChainSettings,
    Diagnostics,
    chain_components,
    choose_candidates,
)
from ldag.uncertainty.component import Component, likely_families
from ldag.uncertainty.exact import OutOfTime, Weighing, exact_components
from ldag.uncertainty.families import FamilyLabels, GraphPrior, Setting
from ldag.uncertainty.posteriors import Posterior
from ldag.uncertainty.space import (
    FEWEST_PARENTS,
    MAX_CONFIGURATIONS,
    FamilySpace,
    Limits,
    ParentSets,
    describe_outside,
    describe_space,
)

PosteriorChoice = Literal["auto", "exact", "chain"]

P = ParamSpec("P")

KAPPAS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
"""The kappas that "evidence" compares, equally probable before any data."""

FEW_KAPPAS = (0.1, 0.5)
"""Those that are summed over unless kappa is given; in benchmarks/bench_calibration.py more are no better."""

SIZES = (1.0, 10.0, 30.0, 100.0)
"""The equivalent sample sizes that are summed over unless one is given, equally probable before any data."""

SizeChoice = float | Sequence[float] | None

KappaChoice = float | Literal["evidence"] | None

STRUCTURES_SUMMED = ("ldag", "table")

USUAL_KAPPA = 0.1
USUAL_SIZE = 10.0
"""Of the graph that the limits are held against, where the posterior is over several."""


@dataclass(frozen=True, eq=False)
class _Job:
    """What is asked for, checked and translated; the plan is one of a climb, which the limits are held against."""

    plan: Plan
    names: tuple[str, ...]
    settings: tuple[Setting, ...]
    families: FamilySpace
    method: Literal["exact", "chain"]
    chains: ChainSettings
    largest_labelled: int = MAX_CONFIGURATIONS
    """Labels are summed over up to so many configurations of parents, unless there are none."""

    @property
    def data(self) -> Dataset:
        """The data, variables sorted by name."""
        return self.plan.data

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
            self.data,
            self.settings,
            self.max_configurations,
            self.families.label_rules,
            self.plan.n_jobs,
            on_progress,
            checkpoint,
        )

    def within(self, limits: Limits) -> "_Job":
        """Return the job with labels summed over as many configurations as the limits say."""
        return replace(self, largest_labelled=limits.max_configurations)


@dataclass(frozen=True, eq=False)
class _Computed:
    """What came of a job: the posterior under every setting, over some parent sets."""

    components: tuple[Component, ...]
    sets: ParentSets
    diagnostics: Diagnostics | None = None


def _accept_old_words(function: Callable[P, Posterior]) -> Callable[P, Posterior]:
    """Let the posterior be asked for in the words that it had before those of `learn`, for one release."""

    @wraps(function)
    def call(*args: P.args, **given: P.kwargs) -> Posterior:
        words: dict[str, Any] = dict(given)
        if "n_rounds" in words:
            tell_renamed("n_rounds", "n_iter")
            words["n_iter"] = words.pop("n_rounds")
        if words.get("method") == "chains":
            tell_renamed("method 'chains'", "'chain'")
            words["method"] = "chain"
        if words.get("prior") == "table":
            tell_renamed("prior 'table'", "structure 'table'")
            words |= {"prior": None, "structure": "table"}
        return function(*args, **cast("Any", words))

    return call


@_accept_old_words
def posterior(  # noqa: PLR0913 - every choice is named here, once
    data: "AnyTable | Fit",
    *,
    kappa: KappaChoice = None,
    prior: Literal["normalised", "labels"] | None = None,
    structure: Literal["ldag", "table"] | None = None,
    max_parents: int | None = None,
    method: PosteriorChoice | Chain | Exact = "auto",
    constraints: Constraints | None = None,
    equivalent_sample_size: SizeChoice = None,
    n_iter: int | None = None,
    rng: Rng = None,
    n_jobs: int = -1,
    time_limit: float | None = None,
    progress: Progress = None,
    checkpoint: str | os.PathLike[str] | None = None,
    **reading: Unpack[Reading],
) -> Posterior:
    """Return how probable every graph and label is, given data.

    What is not said about labels and parameters is summed over, each assumption as probable as the data make it: how
    much the prior over parameters counts for, the price of labels, and whether there are labels at all. So that the
    sum does not depend on one of them which the data contradict; the first lines of print tell their weights.

    Parameters
    ----------
    data
        The data, or a `Fit`, whose data, kappa, equivalent sample size, constraints and limit on parents are taken
        unless others are given.
    kappa
        The price of labels, above 0 and at most 1, or "evidence": averaged over eight kappas from 0.01 to 1, each as
        probable as the data make it. Left out, it is that of the fit, or 0.1 and 0.5 likewise (under prior "labels",
        where kappas cannot be compared, 0.1).
    prior
        How labels are weighed; if it is given, there are labels. "normalised": every DAG weighs the same before any
        data, and labels share its weight by kappa. "labels": kappa for each parameter that labels save, as in `score`,
        so that DAGs with room for many labels weigh more.
    structure
        "ldag", or "table": no labels. Left out, that of the fit, or both, alike before any data.
    max_parents, constraints
        Limits on the graph, as in `learn`. Without ``max_parents`` there are as many parents as can be summed over in
        about ten seconds. Families with more than 16 configurations of parents (fewer, where that allows more parents)
        count with their full table, without labels. The first lines of print say so, and also if a quick climb, or the
        fit that was given, has a graph outside these limits.
    method
        "exact": sums over all DAGs (up to about 20 variables); "chain": tempered Markov chains over ordered partitions
        of the variables, from four independent starts; "auto": exact where it takes a minute at most. Or a value:
        ``ldag.Exact()``, ``ldag.Chain(n_chains=8, n_iter=10_000)``, with so many starts.
    equivalent_sample_size
        As in `score`: a number, or several to sum over. Left out, that of the fit, or 1, 10, 30 and 100.
    n_iter
        For "chain": rounds of each run that are kept, 4,000 unless said otherwise; give more if the runs disagree.
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
    >>> heart = ldag.datasets.load("heart")
    >>> post = ldag.posterior(heart, kappa=0.3, prior="normalised", equivalent_sample_size=1, max_parents=3)
    >>> round(post.log_evidence, 4), round(post.edge("smoking", "pressure"), 4)
    (-6725.1861, 0.8268)
    >>> {size: round(p, 2) for size, p in ldag.posterior(heart, max_parents=3).sizes.items()}
    {1.0: 0.0, 10.0: 0.97, 30.0: 0.03, 100.0: 0.0}
    """
    began = time.perf_counter()
    deadline = Deadline.after(check_time_limit(time_limit))
    check_progress(progress)
    fit, own = (data, data.settings) if isinstance(data, Fit) else (None, Settings())
    over = _check_structure(structure, prior, fit)
    kappas = _check_kappas(fit.kappa if fit is not None and kappa is None and over[0] != "table" else kappa, over[0])
    own_sizes = SIZES if fit is None else fit.equivalent_sample_size
    sizes = _check_sizes(own_sizes if equivalent_sample_size is None else equivalent_sample_size)
    assumed = tuple(
        Setting(one, price, size) for one in over for size in sizes for price in ((1.0,) if one == "table" else kappas)
    )
    how, chains = _check_method(method, n_iter, check_seed(rng), deadline.is_set)
    settings = Settings(
        kappa=kappas[0] if len(kappas) == 1 and over[0] != "table" else USUAL_KAPPA,
        method=Climb(n_restarts=0),
        structure="table" if over[0] == "table" else "ldag",
        equivalent_sample_size=sizes[0] if len(sizes) == 1 else USUAL_SIZE,
        max_parents=own.max_parents if max_parents is None else max_parents,
        constraints=own.constraints if constraints is None else constraints,
        n_jobs=n_jobs,
    )
    table = check_data(data.data if isinstance(data, Fit) else data, reading=reading)
    job = _job(make_plan(table, settings), table.names, assumed, how, chains, time_limit)
    if job.method == "exact" and n_iter is not None:
        raise ArgumentError(f"{argument('n_iter')} applies to method 'chain'; an exact posterior has no rounds")
    kept = None if checkpoint is None else Checkpoint.open(checkpoint, _run_of(job))
    with listen(progress, f"posterior ({job.method})", deadline) as listener:

        def is_stopped(report: ProgressReport) -> bool:
            if listener is not None:
                listener(report)
            return deadline.is_over

        try:
            learned = _climb(job.plan, deadline) if fit is None else fit.graph
            job, computed = _compute(job, learned, is_stopped, kept)
        except OutOfTime:
            if not deadline.is_over:
                raise KeyboardInterrupt from None
            raise TooLarge(_too_late(job)) from None
    outside = describe_outside(learned, computed.sets, job.data.schema)
    result = _result(job, computed, outside, time.perf_counter() - began)
    result.families.keep_counts(likely_families(result.components))
    return result


def _check_structure(structure: str | None, prior: str | None, fit: Fit | None) -> tuple[GraphPrior, ...]:
    """Return what the posterior is over: tables, or labels by their prior; unless it is said, as in the fit or both."""
    if fit is not None and fit.structure not in STRUCTURES_SUMMED:
        raise ArgumentError(
            f"the posterior is over labels or tables; this fit has structure {fit.structure!r}; give its data"
        )
    given = structure or ("ldag" if prior is not None else None if fit is None else fit.structure)
    check_choice(given or "ldag", STRUCTURES_SUMMED, "structure")
    check_choice(prior or "normalised", ("normalised", "labels"), "prior")
    if given is None:
        return "normalised", "table"
    return ("table",) if given == "table" else ("labels",) if prior == "labels" else ("normalised",)


def _check_sizes(given: SizeChoice) -> tuple[float, ...]:
    """Return the equivalent sample sizes to sum over, ascending."""
    many = list(given) if isinstance(given, Sequence | np.ndarray) and not isinstance(given, str) else [given]
    sizes = {check_equivalent_sample_size(cast("float", size)) for size in many}
    if not sizes:
        raise ArgumentError(f"{argument('equivalent_sample_size')} must be a number or several, got none")
    return tuple(sorted(sizes))


def _check_kappas(kappa: KappaChoice, prior: GraphPrior) -> tuple[float, ...]:
    """Return the kappas to average over: one, or those that the evidence compares."""
    if prior == "table":
        if kappa not in (None, "evidence"):
            raise ArgumentError(
                f"structure 'table' has no labels to pay for; leave {argument('kappa')} out, got {kappa!r}"
            )
        return (1.0,)
    if kappa == "evidence" and prior == "labels":
        raise ArgumentError(
            "kappa 'evidence' needs prior 'normalised': under prior 'labels' a larger kappa also makes larger graphs"
            " weigh more; give a number, or leave prior out"
        )
    if isinstance(kappa, str) and kappa != "evidence":
        raise ArgumentError(f"{argument('kappa')} must be a number above 0 and at most 1, or 'evidence', got {kappa!r}")
    if kappa == "evidence":
        return KAPPAS
    if kappa is None:
        return (USUAL_KAPPA,) if prior == "labels" else FEW_KAPPAS
    return (check_priors(kappa, 1.0, "labels").kappa,)


def _check_method(
    method: PosteriorChoice | Search, n_iter: int | None, seed: int, is_timed: bool
) -> tuple[PosteriorChoice, ChainSettings]:
    """Return the name of a method, and how chains run."""
    n_runs = N_RUNS
    if isinstance(method, Chain):
        if method.start is not None:
            raise ArgumentError(f"{argument('start')} does not apply here: chains begin at random")
        n_iter, n_runs = method.n_iter if n_iter is None else n_iter, method.n_chains or N_RUNS
    name = method.name if isinstance(method, Search) else method
    check_choice(name, get_args(PosteriorChoice), "method")
    n_rounds = N_ITER if n_iter is None else check_whole(n_iter, "n_iter", 100)
    return cast("PosteriorChoice", name), ChainSettings(n_rounds, n_runs, seed, is_timed)


def _job(
    plan: Plan,
    names: tuple[str, ...],
    assumed: tuple[Setting, ...],
    method: PosteriorChoice,
    chains: ChainSettings,
    time_limit: float | None,
) -> _Job:
    """Settle on a method, by what the families of the plan cost."""
    problem, schema = plan.problem, plan.data.schema
    n_labelled = sum(setting.prior != "table" for setting in assumed)
    rules = problem.families.label_rules
    families = FamilySpace(schema, problem.space, rules, n_labelled, len(assumed), plan.data.n_rows, time_limit)
    has_limit = plan.settings.max_parents is not None
    exact = method != "chain" and _is_exact(families, has_limit, is_asked=method == "exact")
    return _Job(plan, names, assumed, families, "exact" if exact else "chain", chains)


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
    less = "method 'chain'" if job.method == "exact" else f"fewer {argument('n_iter')}"
    return f"{what} not there within the time limit; give a longer {argument('time_limit')}, fewer parents, or {less}"


def _run_of(job: _Job) -> dict[str, object]:
    """Return what the answer depends on."""
    return {
        "ldag version": version("ldag"),
        "posterior": "exact" if job.method == "exact" else "chains",
        "data": fingerprint(job.data.sorted()),
        "assumed": job.settings,
        "max_parents": job.plan.settings.max_parents,
        "constraints": digest(job.families.space),
        "chains": astuple(job.chains) if job.method == "chain" else None,
    }


def _climb(plan: Plan, deadline: Deadline) -> LDAG:
    """Return what a quick search finds where nothing but constraints limits it, to see whether that is left out."""
    if plan.settings.max_parents is not None:
        plan = make_plan(plan.data, plan.settings.with_(max_parents=None))
    scorer = plan.problem.families.scorer(plan.data.columns)
    result = plan.search.run(scorer, plan.problem, SearchControl(plan.n_jobs, deadline))
    if result.stopped:
        raise OutOfTime
    learned = learn_families(plan.data.columns, plan.problem.n_states, result.parents, plan.problem.families)
    return LDAG(plan.data.schema, Structure(plan.problem.n_states, tuple(one.family for one in learned)))


def _compute(
    job: _Job, learned: LDAG | None, on_progress: "_native.OnProgress", checkpoint: Checkpoint | None
) -> tuple[_Job, _Computed]:
    """Do the work under every setting; chains know what a search has learned."""
    if job.method == "chain":
        assert learned is not None
        weighing = job.weighing(on_progress, checkpoint)
        candidates = choose_candidates(weighing, job.data.schema, job.families.space, learned)
        limits = job.families.choose_limits(job.has_limit, candidates)
        job = job.within(limits)
        sets = job.families.list_sets(limits, candidates)
        weighing = job.weighing(on_progress, checkpoint)
        components, diagnostics = chain_components(weighing, candidates, sets, job.chains)
        return job, _Computed(components, sets, diagnostics)
    limits = job.families.choose_limits(job.has_limit)
    job = job.within(limits)
    sets = job.families.list_sets(limits)
    return job, _Computed(exact_components(job.weighing(on_progress, checkpoint), sets), sets)


def _result(job: _Job, computed: _Computed, outside: str | None, seconds: float) -> Posterior:
    """Put the posterior together."""
    limits = computed.sets.limits
    n_candidates = N_CANDIDATES if job.method == "chain" and len(job.names) > N_CANDIDATES + 1 else None
    settings: dict[str, object] = {
        "why": _why(job, computed.sets),
        "limits": list(describe_space(computed.sets, n_candidates)),
        "outside": outside,
        "max_parents": limits.max_parents,
        "max_configurations": limits.max_configurations,
        "prior": job.prior,
    }
    return Posterior(
        schema=job.data.schema,
        names=job.names,
        prior=job.prior,
        components=computed.components,
        families=FamilyLabels(
            job.data.schema.n_states,
            job.data,
            job.max_configurations,
            job.families.label_rules,
        ),
        method=job.method,
        diagnostics=computed.diagnostics,
        notes=tuple(describe_data(job.data)),
        settings=settings,
        n_observations=job.data.total,
        seconds=seconds,
        data=job.data,
        evidence=_Evidence(job) if job.method == "exact" else None,
        space=job.families.space,
    )


@dataclass(frozen=True, eq=False)
class _Evidence:
    """The log evidence of other data under the same choices."""

    job: _Job

    def __call__(self, data: Dataset) -> float:
        again, anew = _compute(replace(self.job, plan=replace(self.job.plan, data=data)), None, lambda _: False, None)
        return _result(again, anew, None, 0.0).log_evidence or 0.0


def _why(job: _Job, sets: ParentSets) -> str:
    if job.method == "exact":
        families = counted(sets.n_families, "family", "families")
        return f"exact, the sum over all DAGs of {families} within these limits"
    runs = f"{job.chains.n_runs} runs of {job.chains.n_iter:,} rounds of coupled chains"
    return f"{runs} over ordered partitions of {counted(len(job.names), 'variable')}"
