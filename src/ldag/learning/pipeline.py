"""Learning a graph from data, in names: `learn`, `cross_validate`, `Fit`."""

import os
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import version
from typing import Literal, cast, get_args

import numpy as np

from ldag.checks import Rng, check_choice, check_jobs, check_seed, check_whole
from ldag.data import Dataset, check_data
from ldag.errors import ArgumentError
from ldag.formats import counted
from ldag.graph import LDAG
from ldag.learning.checkpoint import Checkpoint, digest, fingerprint
from ldag.learning.constraints import Constraints, SearchSpace, check_result, rules_for, search_space
from ldag.learning.crossval import folds
from ldag.learning.crossvalidation import (
    DEFAULT_KAPPAS,
    N_FOLDS,
    Comparison,
    CrossValidation,
    check_folds,
    check_kappas,
    compare_kappas,
)
from ldag.learning.partitions import FamilyOptions, LabelSearch, StructureKind
from ldag.learning.progress import Progress, ProgressLine, Watch, check_time_limit, choose_listener
from ldag.learning.searching import (
    Choice,
    Found,
    Method,
    Parents,
    SearchOptions,
    choose_method,
    learned_structure,
    promise,
    search,
    search_on,
)
from ldag.network import Network
from ldag.scoring import Prior, Priors, Score, check_priors, class_gains, label_gains, score

MethodChoice = Literal["auto", "exact", "chain", "climb"]


@dataclass(frozen=True)
class Fit:
    """A learned graph, its score, and how it was found."""

    ldag: LDAG
    score: Score
    kappa: float
    method: Method
    trace: tuple[tuple[int, float], ...]
    cv: CrossValidation | None
    settings: Mapping[str, object]
    seconds: float
    stopped: bool
    n_observations: float
    n_steps: int
    n_accepted: int
    promise: str
    label_gains: Mapping[tuple[str, str], float]
    """For each edge (parent, child) with a label, how much worse the score would be without that label."""
    class_gains: Mapping[str, float]
    """For each node whose configurations share distributions, how much worse the score of a full table would be."""
    data: Dataset = field(repr=False, compare=False)
    equivalent_sample_size: float

    @cached_property
    def network(self) -> Network:
        """The graph with its parameters: the means of their posterior, by the prior of the search."""
        return Network.from_data(self.ldag, self.data, equivalent_sample_size=self.equivalent_sample_size)

    def __str__(self) -> str:
        graph = self.ldag
        chosen = "" if self.cv is None else ", chosen by cross-validation"
        lines = [
            f"LDAG learned from {counted(self.n_observations, 'observation')} of"
            f" {counted(len(graph.variables), 'variable')}",
            f"score {self.score.total:.2f} = log marginal likelihood {self.score.log_marginal_likelihood:.2f}"
            f" + log prior {self.score.log_prior:.2f} (kappa {self.kappa:g}{chosen})",
            f"{counted(len(graph.edges), 'edge')}, {counted(graph.dimension, 'parameter')}"
            f" ({graph.dag_dimension:,} without labels)",
            *(f"  {parent} -> {child}" for parent, child in graph.edges),
        ]
        if graph.labels_in_words():
            lines += ["labels", *(f"  {sentence}" for sentence in self._labels_with_gains())]
        if self.class_gains:
            gains = ", ".join(f"{node} {gain:.2f}" for node, gain in self.class_gains.items())
            lines.append(f"better than full tables by: {gains}")
        lines.append(f"search: {self.method}, {self.seconds:.2f} s; {self.promise}")
        return "\n".join(lines)

    def _labels_with_gains(self) -> Iterator[str]:
        """Go through the labels in words, each with what it gains."""
        edges = (edge for edge in self.ldag.edges if self.ldag.label(*edge))
        for edge, sentence in zip(edges, self.ldag.labels_in_words(), strict=True):
            yield f"{sentence} (gains {self.label_gains[edge]:.2f})" if edge in self.label_gains else sentence


@dataclass(frozen=True)
class _Problem:
    """What is asked for, checked and translated: variables sorted by name, so that their order cannot matter."""

    data: Dataset
    space: SearchSpace
    families: FamilyOptions
    options: SearchOptions
    n_jobs: int
    seed: int
    checkpoint: Checkpoint | None = None


def learn(  # noqa: PLR0913 - every choice of a search is named here, once
    data: Dataset,
    *,
    kappa: float | Literal["cv"] = "cv",
    method: MethodChoice = "auto",
    structure: StructureKind = "ldag",
    labels: LabelSearch = "greedy",
    equivalent_sample_size: float = 1.0,
    prior: Prior = "labels",
    max_parents: int | None = None,
    constraints: Constraints | None = None,
    n_chains: int | None = None,
    n_iter: int | None = None,
    n_restarts: int | None = None,
    start: LDAG | None = None,
    rng: Rng = None,
    n_jobs: int = -1,
    time_limit: float | None = None,
    progress: Progress = None,
    executor: Executor | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> Fit:
    """Learn a labelled DAG from data.

    Parameters
    ----------
    data
        The data.
    kappa
        The price of labels, above 0 and at most 1, or "cv": the best of 0.001, 0.1, 0.3 and 0.5 by ten-fold
        cross-validation. The uniform prior has no kappa, and tables have no labels to pay for; leave it out then.
    method
        "exact": the best graph of all, by dynamic programming (up to about 20 variables); "chain": the paper's
        non-reversible Markov chains; "climb": hill climbing with perturbed restarts; "auto": exact where time and
        memory allow, and climb otherwise.
    structure, labels
        As in `learn_family`.
    equivalent_sample_size, prior
        As in `score`.
    max_parents, constraints
        Limits on the graph; every result satisfies them.
    n_chains, n_iter
        For "chain": 50 chains of 500 proposals unless said otherwise.
    n_restarts
        For "climb": perturbed restarts. Unless said otherwise 40 up to 100 variables, and beyond 20 for each variable,
        5,000 at most. More are rarely wasted: give many, and a time limit.
    start
        For "chain" and "climb": the graph to start from, instead of one without edges.
    rng
        Seed of everything that is random; None is 0.
    n_jobs
        Threads; -1 is all cores. The result does not depend on it.
    time_limit
        Seconds after which the best graph so far is returned; half of it for cross-validation, if there is one.
    progress
        True or False to show progress or not, a function to be told, or None: shown on a terminal.
    executor
        Where the searches of a cross-validation run, instead of threads of this process.
    checkpoint
        A file to keep what is done in, about every second. The same call goes on from there, whatever ended it, and
        gives the answer of a run that was never interrupted; a file of other data or settings is refused.

    Examples
    --------
    >>> import ldag
    >>> fit = ldag.learn(ldag.datasets.load("heart"), kappa=0.1)
    >>> print(round(fit.score.total, 2), len(fit.ldag.edges), fit.method)
    -6729.69 6 exact
    """
    began = time.perf_counter()
    settings = _settings(locals())
    limit = check_time_limit(time_limit)
    if isinstance(kappa, str) and kappa != "cv":
        raise ArgumentError(f"kappa must be a number above 0 and at most 1, or 'cv', got {kappa!r}")
    if kappa == "cv" and (prior == "uniform" or (structure == "table" and prior == "labels")):
        kappa = 1.0  # it makes no difference: there is nothing to choose
    if executor is not None and kappa != "cv":
        raise ArgumentError("executor applies to cross-validation; one search runs in this process")
    chosen = _choices(method, n_chains, n_iter, n_restarts, start)
    priors = check_priors(DEFAULT_KAPPAS[0] if kappa == "cv" else kappa, equivalent_sample_size, prior)
    problem = _problem(data, (priors, structure, labels), constraints, max_parents, rng, n_jobs, chosen, start)
    problem = _kept(problem, checkpoint, {"kappa": kappa, "method": method, "max_parents": max_parents})
    cv = None
    if kappa == "cv":
        half = None if limit is None else limit / 2
        cv = _cross_validate(problem, DEFAULT_KAPPAS, N_FOLDS, half, progress, executor)
        priors = replace(priors, kappa=cv.best_kappa)
    families = replace(problem.families, priors=priors)
    left = None if limit is None else max(limit - (time.perf_counter() - began), 0.01)
    found = _search(problem, families, left, progress)
    return _fit(problem, families, found, cv, data, settings, time.perf_counter() - began)


def _settings(given: Mapping[str, object]) -> dict[str, object]:
    """Return what was asked for as plain values."""
    left_out = ("data", "began", "progress", "executor", "start", "constraints", "rng", "checkpoint")
    settings = {name: value for name, value in given.items() if name not in left_out}
    settings["rng"] = given["rng"] if isinstance(given["rng"], int | None) else "generator"
    settings["constrained"] = given["constraints"] is not None
    settings["started"] = given["start"] is not None
    return settings


def cross_validate(  # noqa: PLR0913 - the same choices
    data: Dataset,
    *,
    kappas: Sequence[float] = DEFAULT_KAPPAS,
    n_folds: int = N_FOLDS,
    method: MethodChoice = "auto",
    structure: StructureKind = "ldag",
    labels: LabelSearch = "greedy",
    equivalent_sample_size: float = 1.0,
    prior: Prior = "labels",
    max_parents: int | None = None,
    constraints: Constraints | None = None,
    n_chains: int | None = None,
    n_iter: int | None = None,
    n_restarts: int | None = None,
    rng: Rng = None,
    n_jobs: int = -1,
    time_limit: float | None = None,
    progress: Progress = None,
    executor: Executor | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> CrossValidation:
    """Compare kappas by cross-validation: learn on all folds but one, predict that one (equations 10 to 12).

    Observations are shuffled (seeded by ``rng``) and cut into ``n_folds`` parts of near-equal size. The other
    parameters are those of `learn`.
    """
    kappas = check_kappas(kappas)
    if prior == "uniform":
        raise ArgumentError("the uniform prior has no kappa, so there is nothing to compare by cross-validation")
    chosen = _choices(method, n_chains, n_iter, n_restarts, None)
    priors = check_priors(kappas[0], equivalent_sample_size, prior)
    problem = _problem(data, (priors, structure, labels), constraints, max_parents, rng, n_jobs, chosen)
    check_folds(problem.data, n_folds)
    own = {"kappas": kappas, "n_folds": n_folds, "method": method, "max_parents": max_parents}
    problem = _kept(problem, checkpoint, own)
    return _cross_validate(problem, kappas, n_folds, check_time_limit(time_limit), progress, executor)


def _choices(
    method: MethodChoice, n_chains: int | None, n_iter: int | None, n_restarts: int | None, start: LDAG | None
) -> Choice:
    """Check that the settings given belong to the method."""
    check_choice(method, get_args(MethodChoice), "method")
    for name, value, owners in (
        ("n_chains", n_chains, ("chain",)),
        ("n_iter", n_iter, ("chain",)),
        ("n_restarts", n_restarts, ("climb",)),
        ("start", start, ("chain", "climb")),
    ):
        if value is None:
            continue
        if method not in owners:
            raise ArgumentError(f"{name} applies to method {' or '.join(map(repr, owners))}, not to {method!r}")
        least = 0 if name == "n_restarts" else 1
        if name != "start":
            check_whole(cast("int", value), name, least)
    return Choice(
        method,
        50 if n_chains is None else n_chains,
        500 if n_iter is None else n_iter,
        n_restarts,
    )


def _problem(
    data: Dataset,
    scored: tuple[Priors, StructureKind, LabelSearch],
    constraints: Constraints | None,
    max_parents: int | None,
    rng: Rng,
    n_jobs: int,
    choice: Choice,
    start: LDAG | None = None,
) -> _Problem:
    """Check and translate what is asked for."""
    priors, structure, labels = scored
    check_choice(structure, get_args(StructureKind), "structure")
    check_choice(labels, get_args(LabelSearch), "labels")
    if constraints is not None and not isinstance(constraints, Constraints):
        raise ArgumentError(f"constraints must be ldag.Constraints(...), got {type(constraints).__name__}")
    work = _by_name(check_data(data))
    space = search_space(work.schema, constraints or Constraints(), max_parents)
    rules = rules_for(structure, space.label_rules, work.schema)
    families = FamilyOptions(priors, structure, labels, seed := check_seed(rng), rules)
    jobs = check_jobs(n_jobs)
    options = choose_method(choice, space, families, (work.schema.n_states, work.n_rows), jobs)
    if start is not None:
        options = replace(options, start=_start(start, work, space))
    return _Problem(work, space, families, options, jobs, seed)


def _kept(problem: _Problem, path: str | os.PathLike[str] | None, own: Mapping[str, object]) -> _Problem:
    """Return the problem with its checkpoint, if there is to be one; a method once chosen stays."""
    if path is None:
        return problem
    families, options = problem.families, problem.options
    run = {
        "ldag version": version("ldag"),
        "data": fingerprint(problem.data.sorted()),
        **own,
        "structure": families.structure,
        "labels": families.labels,
        "equivalent_sample_size": families.priors.equivalent_sample_size,
        "prior": families.priors.prior,
        "n_chains": options.n_chains,
        "n_iter": options.n_iter,
        "n_restarts": options.n_restarts,
        "rng": problem.seed,
        "constraints": digest(problem.space),
        "start": None if options.start is None else digest(options.start),
    }
    checkpoint = Checkpoint.open(path, run)
    method = cast("Method", checkpoint.parts.setdefault("method", options.method))
    return replace(problem, options=replace(options, method=method), checkpoint=checkpoint)


def _by_name(data: Dataset) -> Dataset:
    """Return the data with the variables sorted by name; rows need sorting only where sums of real weights do."""
    names = sorted(data.names)
    whole = data.weights is None or data.weights.dtype == np.int64
    return data.permuted(names) if whole and names != list(data.names) else data.select(names)


def _start(graph: LDAG, data: Dataset, space: SearchSpace) -> Parents:
    """Return the parents of a graph to start from, in the order of the search."""
    if not isinstance(graph, LDAG):
        raise ArgumentError(f"start must be an LDAG, got {type(graph).__name__}")
    names = data.schema.names
    if sorted(v.name for v in graph.variables) != list(names):
        raise ArgumentError("start must be a graph over the variables of the data")
    parents = tuple(tuple(sorted(data.schema.nodes(graph.parents(name)))) for name in names)
    for node, above in enumerate(parents):
        if not space.allows(node, above):
            raise ArgumentError(f"start does not satisfy the constraints on the parents of {names[node]!r}")
    return parents


def _cross_validate(
    problem: _Problem,
    kappas: Sequence[float],
    n_folds: int,
    time_limit: float | None,
    progress: Progress,
    executor: Executor | None,
) -> CrossValidation:
    """Compare kappas on the folds of the data."""
    parts = list(folds(problem.data.sorted(), check_folds(problem.data, n_folds), problem.seed))
    each = None if time_limit is None else time_limit * problem.n_jobs / (len(kappas) * len(parts))
    shared = Comparison(problem.space, problem.families, problem.options, each)
    tell = choose_listener(progress, "cross-validation")

    def report(done: int, total: int) -> None:
        if tell is not None:
            tell({"done": done, "total": total, "accepted": 0, "best": float("nan")})

    try:
        return compare_kappas(parts, kappas, shared, problem.n_jobs, report, executor, problem.checkpoint)
    finally:
        if isinstance(tell, ProgressLine):
            tell.clear()


def _search(problem: _Problem, families: FamilyOptions, time_limit: float | None, progress: Progress) -> Found:
    """Search on all the data."""
    tell = choose_listener(progress, problem.options.method)
    watch = Watch(tell, time_limit)
    job = families.scorer(problem.data.columns), problem.space, problem.options, watch
    try:
        if problem.checkpoint is None:
            found = search(*job)
        else:
            found = search_on(problem.checkpoint, f"kappa {families.priors.kappa!r}", *job)
    finally:
        if isinstance(tell, ProgressLine):
            tell.clear()
    if found.stopped and not watch.is_late:
        hint = "" if problem.checkpoint is None else f"; run it again to go on from {problem.checkpoint.path}"
        warnings.warn(f"the search was interrupted; this is the best graph it had found{hint}", stacklevel=3)
    return found


def _fit(
    problem: _Problem,
    families: FamilyOptions,
    found: Found,
    cv: CrossValidation | None,
    given: Dataset,
    settings: Mapping[str, object],
    seconds: float,
) -> Fit:
    """Put the result together, in the variables' own order."""
    data = problem.data
    structure = learned_structure(data.columns, data.schema.n_states, found.parents, families)
    check_result(data.schema, problem.space, structure)
    order = [data.schema.node(name) for name in given.names]
    graph = LDAG(given.schema, structure.reordered(order))
    priors = families.priors
    kappa = None if priors.prior == "uniform" else priors.kappa
    result = score(graph, given, kappa=kappa, equivalent_sample_size=priors.equivalent_sample_size, prior=priors.prior)
    return Fit(
        graph,
        result,
        priors.kappa,
        problem.options.method,
        found.trace,
        cv,
        settings,
        seconds,
        found.stopped,
        given.total,
        found.n_steps,
        found.n_accepted,
        promise(problem.options, found, problem.space, families),
        label_gains(graph, given, priors),
        class_gains(graph, given, priors),
        given,
        priors.equivalent_sample_size,
    )
