"""The posterior over labelled DAGs of some data, in names: `posterior`."""

import os
import time
from dataclasses import astuple, dataclass, replace
from importlib.metadata import version
from typing import Literal, get_args

import numpy as np

from ldag import _native
from ldag.checks import Rng, check_choice, check_jobs, check_seed, check_whole
from ldag.data import Dataset, check_data, count_family, describe_constants
from ldag.errors import ArgumentError
from ldag.formats import counted, spell_cost
from ldag.learning import (
    Checkpoint,
    Constraints,
    Deadline,
    Fit,
    LabelRules,
    Progress,
    ProgressReport,
    SearchSpace,
    check_progress,
    digest,
    fingerprint,
    listen,
    rules_for,
    search_space,
)
from ldag.model import Counts
from ldag.scoring import order_columns
from ldag.uncertainty.chains import (
    N_CANDIDATES,
    N_ROUNDS,
    ChainSettings,
    chain_component,
    choose_candidates,
    sets_over,
)
from ldag.uncertainty.component import Component, ParentSet
from ldag.uncertainty.diagnostics import Diagnostics
from ldag.uncertainty.door import Posterior
from ldag.uncertainty.exact import Weighing, exact_component
from ldag.uncertainty.families import FamilyLabels
from ldag.uncertainty.priors import GraphPrior, KappaChoice, PosteriorPriors, check_posterior_priors
from ldag.uncertainty.space import MAX_CONFIGURATIONS, ParentSets, exact_cost, parent_sets

PosteriorChoice = Literal["auto", "exact", "chains"]


@dataclass(frozen=True, eq=False)
class _Job:
    """What is asked for, checked and translated: variables sorted by name."""

    data: Dataset
    names: tuple[str, ...]
    priors: PosteriorPriors
    space: SearchSpace
    label_rules: LabelRules
    sets: ParentSets
    method: Literal["exact", "chains"]
    chains: ChainSettings
    n_threads: int


def posterior(  # noqa: PLR0913 - every choice is named here, once
    data: Dataset | Fit,
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
    progress: Progress = None,
    checkpoint: str | os.PathLike[str] | None = None,
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
        Limits on the graph, as in `learn`. Without a limit on parents there is one only where sums over labels would
        take too long; parent sets with more than 16 configurations are left out. Notes say so.
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
    progress
        True or False to show progress or not, a function to be told, or None: shown on a terminal.
    checkpoint
        A file to keep finished parts in. The same call resumes from it.

    Examples
    --------
    >>> import ldag
    >>> post = ldag.posterior(ldag.datasets.load("heart"), kappa=0.3, max_parents=3)
    >>> round(post.log_evidence, 4), round(post.edge("smoking", "pressure"), 4)
    (-6725.1861, 0.8268)
    """
    began = time.perf_counter()
    if isinstance(data, Fit):
        fit = data
        data, kappa, prior, max_parents, constraints, equivalent_sample_size = _from_fit(
            fit, kappa, prior, max_parents, constraints, equivalent_sample_size
        )
    size = 1.0 if equivalent_sample_size is None else equivalent_sample_size
    priors = check_posterior_priors(kappa, size, prior or "normalised")
    check_choice(method, get_args(PosteriorChoice), "method")
    check_progress(progress)
    chains = ChainSettings(
        N_ROUNDS if n_rounds is None else check_whole(n_rounds, "n_rounds", 100), seed=check_seed(rng)
    )
    job = _job(check_data(data), priors, constraints, max_parents, method, chains, check_jobs(n_jobs))
    if job.method == "exact" and n_rounds is not None:
        raise ArgumentError("n_rounds applies to method 'chains'; an exact posterior needs no rounds")
    kept = None if checkpoint is None else Checkpoint.open(checkpoint, _run_of(job))
    with listen(progress, f"posterior ({job.method})", Deadline()) as listener:

        def tell(report: ProgressReport) -> bool:
            if listener is not None:
                listener(report)
            return False

        components, diagnostics = _components(job, tell, kept)
    return _result(job, components, diagnostics, time.perf_counter() - began)


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
) -> _Job:
    """Check and translate, and settle on a method."""
    if constraints is not None and not isinstance(constraints, Constraints):
        raise ArgumentError(f"constraints must be ldag.Constraints(...), got {type(constraints).__name__}")
    work = order_columns(data)
    space = search_space(work.schema, constraints or Constraints(), max_parents)
    space = space.without_edges_at(work.constant_nodes)
    rules = rules_for("table" if priors.prior == "table" else "ldag", space.label_rules, work.schema)
    labelled = priors.prior != "table"
    sets = parent_sets(work.schema, space, labelled, max_parents is not None)
    cost = exact_cost(sets, work.schema.n_states, len(priors.kappas), labelled)
    if method == "exact":
        cost.check(len(work.schema), sets.n_families)
    exact = method == "exact" or (method == "auto" and cost.is_affordable)
    if not exact and len(priors.kappas) > 1:
        raise ArgumentError(
            "chains need one kappa, as they do not know the evidence, and an exact posterior at"
            f" {len(priors.kappas)} kappas would take {spell_cost(cost.seconds)} s; give kappa, such as 0.3"
        )
    return _Job(work, data.names, priors, space, rules, sets, "exact" if exact else "chains", chains, n_threads)


def _run_of(job: _Job) -> dict[str, object]:
    """Return what the answer depends on."""
    return {
        "ldag version": version("ldag"),
        "posterior": job.method,
        "data": fingerprint(job.data.sorted()),
        "kappas": job.priors.kappas,
        "prior": job.priors.prior,
        "equivalent_sample_size": job.priors.equivalent_sample_size,
        "max_parents": job.sets.max_parents,
        "constraints": digest(job.space),
        "chains": astuple(job.chains) if job.method == "chains" else None,
    }


def _components(
    job: _Job, tell: "_native.OnProgress", checkpoint: Checkpoint | None
) -> tuple[tuple[Component, ...], Diagnostics | None]:
    """Do the work at every kappa, and weigh the kappas by their evidence."""
    if job.method == "chains":
        return _from_chains(job, tell, checkpoint)
    weighing = Weighing(job.data, job.priors, job.label_rules, job.n_threads, tell, checkpoint)
    found = [exact_component(weighing, job.sets, kappa) for kappa in job.priors.kappas]
    logs = np.array([component.log_evidence for component in found], dtype=np.float64)
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    return tuple(replace(c, weight=w) for c, w in zip(found, weights.tolist(), strict=True)), None


def _from_chains(
    job: _Job, tell: "_native.OnProgress", checkpoint: Checkpoint | None
) -> tuple[tuple[Component, ...], Diagnostics]:
    """Run chains over the best candidates of every node."""
    (kappa,) = job.priors.kappas
    weighing = Weighing(job.data, job.priors, job.label_rules, job.n_threads, tell, checkpoint)
    candidates = choose_candidates(weighing, job.data.schema, job.space, kappa)
    sets = sets_over(candidates, job.data.schema, job.space, job.sets)
    component, diagnostics = chain_component(weighing, candidates, sets, kappa, job.chains)
    return (component,), diagnostics


def _result(job: _Job, components: tuple[Component, ...], diagnostics: Diagnostics | None, seconds: float) -> Posterior:
    """Put the posterior together."""
    n_states = job.data.schema.n_states

    def count(node: int, parents: ParentSet) -> Counts:
        return count_family(job.data.columns, n_states, node, parents).astype(np.float64)

    def evidence(data: Dataset) -> float:
        again = replace(job, data=data)
        return _result(again, *_components(again, lambda _: False, None), 0.0).log_evidence or 0.0

    return Posterior(
        job.data.schema,
        job.names,
        job.priors,
        components,
        FamilyLabels(n_states, count, job.priors, job.label_rules),
        job.method,
        diagnostics,
        _notes(job),
        {"why": _why(job), "max_parents": job.sets.max_parents, "kappas": job.priors.kappas, "prior": job.priors.prior},
        job.data.total,
        seconds,
        job.data,
        evidence if job.method == "exact" else None,
    )


def _why(job: _Job) -> str:
    n = len(job.names)
    if job.method == "exact":
        return f"exact, {job.sets.n_families:,} families and all DAGs"
    runs = f"{job.chains.n_runs} runs of {job.chains.n_rounds:,} rounds of coupled chains"
    return f"{runs} over ordered partitions of {counted(n, 'variable')}"


def _notes(job: _Job) -> tuple[str, ...]:
    notes = [*describe_constants(job.data)]
    if job.method == "chains" and len(job.names) > N_CANDIDATES + 1:
        notes.append(f"every variable has at most {N_CANDIDATES} candidate parents, those that gain most")
    if job.sets.was_chosen:
        notes.append(f"at most {job.sets.max_parents} parents, as more would take long; give max_parents to allow them")
    if job.sets.n_left_out:
        notes.append(
            f"{job.sets.n_left_out:,} parent sets with more than {MAX_CONFIGURATIONS} configurations are left out:"
            " labels cannot be summed over them"
        )
    return tuple(notes)
