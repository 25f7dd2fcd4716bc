"""The posterior over labelled DAGs of some data, in names: `posterior`."""

import os
import time
from collections.abc import Callable
from dataclasses import astuple, dataclass, replace
from functools import wraps
from importlib.metadata import version
from typing import Any, Literal, ParamSpec, TypeVar, Unpack, cast, overload

from ldag.checks import Rng, check_seed, check_whole, tell_renamed
from ldag.constraints import Constraints
from ldag.data import AnyTable, Dataset, Reading, check_data, describe_data, describe_groups
from ldag.errors import ArgumentError, TooLarge, argument, counted
from ldag.learning import (
    Chain,
    Checkpoint,
    Climb,
    Deadline,
    Exact,
    Fit,
    Progress,
    ProgressReport,
    Settings,
    check_progress,
    check_time_limit,
    digest,
    fingerprint,
    listen,
    make_plan,
)
from ldag.uncertainty.agreement import SHOWN_EDGE
from ldag.uncertainty.chains import FEWEST_SAMPLES, N_CANDIDATES
from ldag.uncertainty.choices import (
    SIZES,
    USUAL_KAPPA,
    USUAL_SIZE,
    KappaChoice,
    PosteriorChoice,
    SizeChoice,
    check_method,
    check_structure,
    list_kappas,
    list_sizes,
)
from ldag.uncertainty.component import likely_families
from ldag.uncertainty.design import DesignEffects, design_effect
from ldag.uncertainty.exact import OutOfTime
from ldag.uncertainty.families import Setting
from ldag.uncertainty.jobs import ROUND_ITER, Computed, Gapped, Job, compute, compute_with_gaps, make_job
from ldag.uncertainty.posteriors import Posterior
from ldag.uncertainty.space import ParentSets, describe_outside, describe_space
from ldag.uncertainty.strata_posterior import StrataChoices, StrataPosterior, make_strata_posterior

P = ParamSpec("P")
T = TypeVar("T")


def _accept_old_words(function: Callable[P, T]) -> Callable[P, T]:
    """Let the posterior be asked for in the words that it had before those of `learn`, for one release."""

    @wraps(function)
    def call(*args: P.args, **given: P.kwargs) -> T:
        words: dict[str, Any] = dict(given)
        if words.get("method") == "chains":
            tell_renamed("method 'chains'", "'chain'")
            words["method"] = "chain"
        if words.get("prior") == "table":
            tell_renamed("prior 'table'", "structure 'table'")
            words |= {"prior": None, "structure": "table"}
        return function(*args, **cast("Any", words))

    return call


@overload
def posterior(
    data: "AnyTable | Fit",
    *,
    kappa: KappaChoice = ...,
    prior: Literal["normalised", "labels"] | None = ...,
    structure: Literal["ldag", "table"] | None = ...,
    max_parents: int | None = ...,
    method: PosteriorChoice | Chain | Exact = ...,
    constraints: Constraints | None = ...,
    equivalent_sample_size: SizeChoice = ...,
    n_iter: int | None = ...,
    n_rounds: int | None = ...,
    rng: Rng = ...,
    n_jobs: int = ...,
    time_limit: float | None = ...,
    progress: Progress = ...,
    checkpoint: str | os.PathLike[str] | None = ...,
    decomposable: Literal[False] = ...,
    **reading: Unpack[Reading],
) -> Posterior: ...
@overload
def posterior(
    data: "AnyTable | Fit",
    *,
    kappa: KappaChoice = ...,
    prior: Literal["normalised", "labels"] | None = ...,
    structure: Literal["ldag", "table"] | None = ...,
    max_parents: int | None = ...,
    method: PosteriorChoice | Chain | Exact = ...,
    constraints: Constraints | None = ...,
    equivalent_sample_size: SizeChoice = ...,
    n_iter: int | None = ...,
    n_rounds: int | None = ...,
    rng: Rng = ...,
    n_jobs: int = ...,
    time_limit: float | None = ...,
    progress: Progress = ...,
    checkpoint: str | os.PathLike[str] | None = ...,
    decomposable: Literal[True],
    **reading: Unpack[Reading],
) -> StrataPosterior: ...
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
    n_rounds: int | None = None,
    rng: Rng = None,
    n_jobs: int = -1,
    time_limit: float | None = None,
    progress: Progress = None,
    checkpoint: str | os.PathLike[str] | None = None,
    decomposable: bool = False,
    **reading: Unpack[Reading],
) -> Posterior | StrataPosterior:
    """Return how probable every graph and label is, given data.

    What is not said about labels and parameters is summed over, each assumption as probable as the data make it: how
    much the prior over parameters counts for, the price of labels, and whether there are labels at all. So that the
    sum does not depend on one of them which the data contradict; the first lines of print tell their weights.

    Rows of a group are taken as independent given the model, though they hardly are: ``design_effects`` of the result,
    and its print, tell for every edge how much too sure that makes it.

    Gaps, read with ``missing="keep"``, are averaged over as well. Given a completed table the posterior is computed as
    without gaps, and a network is drawn from it; the gaps are drawn anew under that network, and so on, in several runs
    from far apart. Gaps may depend on anything in the table, but not on what would have stood in the gap itself. There
    is no evidence then, as a sum over completed tables is not what the runs compute.

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
        For "chain": rounds of each run that are kept. Left out, 4,000, or where the runs disagree then, 16,000. With
        gaps, those of the short chains that every completed table gets, 300.
    n_rounds
        For a table with gaps: how many completed tables each of four runs keeps. Left out, as many as it takes until no
        edge has a Monte-Carlo error of 0.01 and the runs agree: from 100 to 4,000 (fewer where that takes more than
        about two minutes of CPU), or with chains from 25 to 100.
    rng
        Seed of chains and of what gaps are filled with; None is 0.
    n_jobs
        Threads; -1 is all cores. The result does not depend on it.
    time_limit
        Seconds after which chains, and rounds with gaps, end with the samples that they have; an exact posterior is
        refused that takes longer. The number of parents is chosen such that it should not.
    progress
        True or False to show progress or not, a function to be told, or None: shown on a terminal.
    checkpoint
        A file to keep finished parts in. The same call resumes from it.
    decomposable
        Over graphs that need no arrows, as in `learn`: a `StrataPosterior`, exact, for up to eight variables. Every
        graph is counted once, however many orientations it has, and pays kappa for each parameter that its strata
        save: prior "labels".
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
    if decomposable:
        asked = {"n_iter": n_iter, "n_rounds": n_rounds, "time_limit": time_limit, "checkpoint": checkpoint}
        choices = StrataChoices(kappa, prior, structure, max_parents, method, constraints, equivalent_sample_size)
        return make_strata_posterior(
            data, choices, [name for name, value in asked.items() if value is not None], reading
        )
    began = time.perf_counter()
    deadline = Deadline.after(check_time_limit(time_limit))
    check_progress(progress)
    fit, own = (data, data.settings) if isinstance(data, Fit) else (None, Settings())
    over = check_structure(structure, prior, fit)
    kappas = list_kappas(fit.kappa if fit is not None and kappa is None and over[0] != "table" else kappa, over[0])
    own_sizes = SIZES if fit is None else fit.equivalent_sample_size
    sizes = list_sizes(own_sizes if equivalent_sample_size is None else equivalent_sample_size)
    assumed = tuple(
        Setting(one, price, size) for one in over for size in sizes for price in ((1.0,) if one == "table" else kappas)
    )
    how, chains = check_method(method, n_iter, check_seed(rng), deadline.is_set)
    settings = Settings(
        kappa=kappas[0] if len(kappas) == 1 and over[0] != "table" else USUAL_KAPPA,
        method=Climb(n_restarts=0),
        structure="table" if over[0] == "table" else "ldag",
        equivalent_sample_size=sizes[0] if len(sizes) == 1 else USUAL_SIZE,
        max_parents=own.max_parents if max_parents is None else max_parents,
        constraints=own.constraints if constraints is None else constraints,
        n_jobs=n_jobs,
    )
    grouped = check_data(data.data if isinstance(data, Fit) else data, reading=reading)
    table = grouped.ungrouped()
    gapped = _check_gaps(table, n_rounds)
    if gapped is not None and n_iter is None and getattr(method, "n_iter", None) is None:
        chains = replace(chains, n_iter=ROUND_ITER)
    whole = table if gapped is None else gapped.independent(chains.seed)
    job = make_job(make_plan(whole, settings), table.names, assumed, how, chains, time_limit, gapped)
    if job.method == "exact" and n_iter is not None:
        raise ArgumentError(f"{argument('n_iter')} applies to method 'chain'; an exact posterior has no rounds")
    kept = None if checkpoint is None else Checkpoint.open(checkpoint, _run_of(job))
    result = _finish(job, fit, deadline, progress, kept)
    result = replace(result, notes=(*result.notes, *describe_groups(grouped)), design=_measure_design(result, grouped))
    return replace(result, seconds=time.perf_counter() - began)


def _measure_design(result: Posterior, data: Dataset) -> DesignEffects | None:
    """Return the design effects of the edges that are printed, each in its more probable direction."""
    if data.groups is None or not data.is_grouped:
        return None
    consensus, effects = result.consensus(), {}
    for edge in result.edges.one_per_pair():
        if edge.either_direction >= SHOWN_EDGE:
            given = [name for name in consensus.parents(edge.child) if name != edge.parent]
            effects[edge.parent, edge.child] = design_effect(data, edge.parent, edge.child, given)
    return DesignEffects(data.groups.in_words, data.groups.nouns, effects)


def _finish(job: Job, fit: Fit | None, deadline: Deadline, progress: Progress, kept: Checkpoint | None) -> Posterior:
    """Do the work, and put together what came of it."""
    how = job.method if job.gapped is None else "gaps"
    with listen(progress, f"posterior ({how})", deadline) as listener:

        def is_stopped(report: ProgressReport) -> bool:
            if listener is not None:
                listener(report)
            return deadline.is_over

        try:
            learned = None if fit is None else fit.graph
            if job.gapped is None:
                learned = learned or job.climb(deadline, job.columns)
                job, computed = compute(job, learned, is_stopped, kept)
            else:
                job, computed = compute_with_gaps(job, learned, deadline, is_stopped, kept)
        except OutOfTime:
            if not deadline.is_over:
                raise KeyboardInterrupt from None
            raise TooLarge(_too_late(job)) from None
    result = _result(job, computed)
    result.families.keep_counts(likely_families(result.components))
    return result


def _check_gaps(table: Dataset, n_rounds: int | None) -> Gapped | None:
    """Return what completes a table, if it has gaps."""
    if table.schema.latent:
        raise ArgumentError(
            f"a posterior is over what every variable may be connected with, and data cannot tell that of the latent"
            f" variable {table.schema.latent[0]!r}; leave it out: data.select([...])"
        )
    if table.has_gaps:
        return Gapped.of(table, None if n_rounds is None else check_whole(n_rounds, "n_rounds", FEWEST_SAMPLES))
    if n_rounds is not None:
        raise ArgumentError(
            f"{argument('n_rounds')} applies to tables with gaps, and these data have none;"
            f" {argument('n_iter')} is how long chains run"
        )
    return None


def _too_late(job: Job) -> str:
    """Say that there is nothing to return, and what to do."""
    if job.gapped is not None:
        return (
            f"not enough completed tables were drawn within the time limit; give a longer {argument('time_limit')},"
            " or fewer parents"
        )
    what = "the exact posterior was" if job.method == "exact" else "samples of the chains were"
    less = "method 'chain'" if job.method == "exact" else f"fewer {argument('n_iter')}"
    return f"{what} not there within the time limit; give a longer {argument('time_limit')}, fewer parents, or {less}"


def _run_of(job: Job) -> dict[str, object]:
    """Return what the answer depends on."""
    return {
        "ldag version": version("ldag"),
        "posterior": "exact" if job.method == "exact" else "chains",
        "data": fingerprint(job.data.sorted() if job.gapped is None else job.gapped.data),
        "assumed": job.settings,
        "max_parents": job.plan.settings.max_parents,
        "constraints": digest(job.families.space),
        "chains": astuple(job.chains) if job.method == "chain" or job.gapped is not None else None,
        "n_rounds": None if job.gapped is None else job.gapped.n_rounds or "until sure",
    }


def _result(job: Job, computed: Computed) -> Posterior:
    """Put the posterior together."""
    sets, learned = computed.sets, computed.learned
    outside = None if learned is None else describe_outside(learned, sets, job.data.schema)
    limits, data = computed.sets.limits, job.data if job.gapped is None else job.gapped.data
    n_candidates = N_CANDIDATES if job.method == "chain" and len(job.names) > N_CANDIDATES + 1 else None
    settings: dict[str, object] = {
        "why": _why(job, computed),
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
        families=computed.families,
        method=job.method if job.gapped is None else "augmentation",
        diagnostics=computed.diagnostics,
        notes=tuple(describe_data(data)),
        settings=settings,
        n_observations=data.total,
        seconds=0.0,
        data=data,
        evidence=_Evidence(job) if job.method == "exact" and job.gapped is None else None,
        space=job.families.space,
    )


@dataclass(frozen=True, eq=False)
class _Evidence:
    """The log evidence of other data under the same choices."""

    job: Job

    def __call__(self, data: Dataset) -> float:
        again, anew = compute(replace(self.job, plan=replace(self.job.plan, data=data)), None, lambda _: False, None)
        return _result(again, anew).log_evidence or 0.0


def _why(job: Job, computed: Computed) -> str:
    how = _how(job, computed.sets)
    if job.gapped is None or computed.diagnostics is None:
        return how
    runs = f"{computed.diagnostics.n_runs} runs of {computed.diagnostics.n_samples:,} completed tables"
    return f"{runs}, the gaps drawn anew under a graph drawn from the one before; for each {how}"


def _how(job: Job, sets: ParentSets) -> str:
    """Say how the posterior was computed, of every table."""
    if job.method == "exact":
        families = counted(sets.n_families, "family", "families")
        return f"exact, the sum over all DAGs of {families} within these limits"
    if job.gapped is not None:
        return f"a run of {job.chains.n_iter:,} rounds of coupled chains"
    runs = f"{job.chains.n_runs} runs of {job.chains.n_iter:,} rounds of coupled chains"
    return f"{runs} over ordered partitions of {counted(len(job.names), 'variable')}"
