"""Learning a graph from data, in names: `learn` and `cross_validate`."""

import os
import time
import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial
from typing import Any, Literal, NamedTuple, Unpack, cast

from ldag.checks import Rng
from ldag.constraints import Constraints, check_result
from ldag.data import AnyTable, Dataset, Reading, check_data, describe_data, describe_groups
from ldag.errors import ArgumentError
from ldag.graph import LDAG
from ldag.hook import take
from ldag.learning.checkpoint import resume_search
from ldag.learning.cross_validation import Candidate, CrossValidation, check_kappas
from ldag.learning.em_graphs import StructuralEM
from ldag.learning.filled_rows import learn_filler
from ldag.learning.fit import Fit
from ldag.learning.fold_results import GAIN_SECONDS, AverageGain, count_gain_folds, measure_average, members_like
from ldag.learning.folds import N_FOLDS, NO_FOLDS, check_folds, settle_sizes, usual_folds
from ldag.learning.growth_race import compare_growths
from ldag.learning.plan import DEFAULT_KAPPAS, Plan, add_latent, make_plan
from ldag.learning.race import compare_candidates
from ldag.learning.searches import GraphParents, MethodChoice, Search, SearchControl, SearchResult, Trace
from ldag.learning.settings import (
    MoreOptions,
    SearchAndReading,
    Settings,
    SmoothingChoice,
    accept_old_names,
    split_options,
)
from ldag.learning.structural_em import GapControl, GapSearch
from ldag.learning.structures import CountedFamily, LabelSearch, StructureKind
from ldag.model import Structure
from ldag.progress import Deadline, Progress, ProgressReport, check_progress, listen
from ldag.scoring import NodeScore, Prior, Score, score_family

LEAST_SECONDS = 0.05
"""What is left for the last search at least, so that every run with a checkpoint gets a little further."""


FILLING_SHARE = 0.5
"""Of the time of growth, for what fills gaps."""

SLICING = ("lags", "static", "instantaneous")
"""Options of `learn` for rows in order of time."""

GAIN_PART = "gain of an average"
"""What it is called in a checkpoint."""


@accept_old_names
def learn(  # noqa: PLR0913 - every choice of a search is named here, once
    data: AnyTable,
    *,
    kappa: float | Literal["cv"] | None = None,
    method: MethodChoice | Search = "auto",
    structure: StructureKind | Literal["cv"] = "ldag",
    label_search: LabelSearch = "greedy",
    equivalent_sample_size: float | Literal["cv"] = "cv",
    smoothing: SmoothingChoice = None,
    prior: Prior | Literal["cv"] = "labels",
    max_parents: int | None = None,
    constraints: Constraints | None = None,
    decomposable: bool = False,
    rng: Rng = None,
    n_jobs: int = -1,
    time_limit: float | None = None,
    progress: Progress = None,
    executor: Executor | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    **options: Unpack[MoreOptions],
) -> Fit:
    """Learn a labelled DAG from data.

    Returns a `Fit`: the graph (``fit.ldag``), its score and how it was found, and the graph with parameters
    (``fit.network``), which answers questions.

    Gaps in the data are kept and learned from by structural EM: gaps are completed under a graph, a graph is searched
    for what is to be expected, and so on, from several starts. The score is then a lower bound, and ``fit.em`` says how
    it went. Gaps may depend on anything in the table, but not on what would have stood in the gap itself. Growth learns
    from rows whose gaps are filled by draws; the score is that of these rows, and a note says how.

    Parameters
    ----------
    data
        The data.
    kappa
        The price of labels, above 0 and at most 1 (0.1 unless it is said), or "cv" as in the paper: the best of 0.001,
        0.1, 0.3 and 0.5 by ten-fold cross-validation. Where folds are climbed, by a race: kappas that are behind stop
        after a few folds, and each starts from the graph of another. The uniform prior has no kappa, and tables have no
        labels to pay for; leave it out then. Growth chooses it with the sizes, unless it is said.
    method
        "exact": the best graph of all, by dynamic programming (up to about 20 variables); "chain": the paper's
        non-reversible Markov chains; "climb": hill climbing with perturbed restarts; "auto": exact where that
        takes about ten seconds at most and fits into memory, and climb otherwise. Or a search with its options:
        ``ldag.Exact()``, ``ldag.Chain(n_chains=10)``, ``ldag.Climb(n_restarts=40, start=fit.ldag)``.
    structure, label_search
        As in `learn_family`; the structure may be "cv".
    equivalent_sample_size, prior
        As in `score`. The size is "cv" unless given: the best of 1, 3, 10, 30, 100, 300, 1,000 and 3,000 on held-out
        folds, or 10 where the data cannot be cut into folds. Scores at different sizes cannot be compared. The prior
        may be "cv": "labels" and "normalised" are compared for labels, and trees have "leaves", with one observation
        each.
        If there is more than kappa to choose, the choices are made together, by a race: from the best settings so far
        to those one step away, on the first folds, as long as that is better; the best of them go on to the other
        folds.
    smoothing
        The equivalent sample size of the parameters of ``fit.network``: a number, "search" (that of the search), or
        "cv", which it is unless the size of the search is given. These observations are spread over the
        configurations of the parents; ``(4, "classes")`` gives so many to every class, as in `Network.from_data`, and
        "cv" compares both, unless it is ``("cv", "classes")`` or ``("cv", "configurations")``. Leaves that are grown
        may lean on the nodes above, ``(16, "nested")``, or be averages over all prunings of their tree, each node with
        so many observations and a parameter more costing a pruning kappa, ``(2, "classes", 0.3)``; "cv" compares these.
    max_parents, constraints
        Limits on the graph; every result satisfies them.
    decomposable
        Only graphs that need no arrows: the parents of every variable are adjacent to each other, so that
        ``fit.ldag.to_undirected()`` says the same without arrows. "exact" takes up to 14 variables then; for structures
        "ldag" and "table".
    rng
        Seed of everything that is random; None is 0.
    n_jobs
        Threads; -1 is all cores. The result does not depend on it.
    time_limit
        Seconds after which the best graph so far is returned, reading a file included; half of what is left after that
        is for cross-validation, if there is one. With gaps, there are further starts as long as they gain anything.
    progress
        True or False to show progress or not, a function to be told, or None: shown on a terminal and in
        a notebook.
    executor
        Where the searches of a cross-validation run, instead of threads of this process.
    checkpoint
        A file to keep what is done in, about every second. The same call resumes from there, whatever ended it, and
        gives the answer of a run that was never interrupted; a file of other data or settings is refused.
    lags
        For rows in order of time (``read(..., groups=, time=)``): how many steps before may matter. What is learned is
        then a `DynamicFit`: a graph of what series begin with, and one of how a step follows from those before, in
        which ``x@-1`` is x one step before. Constraints in plain names are about variables of one step, and hold in
        every one; ``("x@-1", "y")`` is an edge from the step before.
    static
        With lags, the columns that have one value for a whole series; those that never change within one, by default.
    instantaneous
        With lags, whether edges may join variables of the same step. What series begin with may have such edges all the
        same: they stand for a past that nobody saw.
    **options
        The options of the method, if it is given by name: those of `Chain`, such as ``n_chains``, and of `Climb`, such
        as ``n_restarts``, which "auto" takes, too. And how a table that is no `Dataset` is read: the options of
        `read`, such as ``missing="drop"``.

    Examples
    --------
    >>> import ldag
    >>> fit = ldag.learn(ldag.datasets.load("heart"), equivalent_sample_size=1)
    >>> print(round(fit.score.total, 2), len(fit.ldag.edges), fit.method)
    -6729.69 6 exact
    """
    slicing = {name: value for name, value in options.items() if name in SLICING and value is not None}
    of_method, reading = split_options({name: value for name, value in options.items() if name not in SLICING})
    settings = Settings.of(
        kappa=kappa,
        method=method,
        structure=structure,
        label_search=label_search,
        equivalent_sample_size=equivalent_sample_size,
        smoothing=smoothing,
        prior=prior,
        max_parents=max_parents,
        constraints=constraints,
        decomposable=decomposable,
        rng=rng,
        n_jobs=n_jobs,
        time_limit=time_limit,
        **of_method,
    )
    learn_it = partial(take("dynamic").learn_panel, slicing=slicing) if slicing else learn_with
    fit: Fit = learn_it(data, settings, progress=progress, executor=executor, checkpoint=checkpoint, reading=reading)
    return fit


def learn_with(
    data: AnyTable,
    settings: Settings,
    *,
    progress: Progress = None,
    executor: Executor | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    target: str | None = None,
    deadline: Deadline | None = None,
    reading: Reading | None = None,
) -> Fit:
    """Learn as `learn` does, with checked settings; what is chosen is best for one variable if a target is given.

    A deadline is for those who began before this call.
    """
    began = time.perf_counter()
    deadline = Deadline.after(settings.time_limit) if deadline is None else deadline
    check_progress(progress)
    if executor is not None and not settings.needs_cross_validation:
        raise ArgumentError("executor applies to cross-validation; one search runs in this process")
    given = add_latent(check_data(data, reading=reading), settings)
    asked, settings = settings, settle_sizes(settings, given)
    plan = make_plan(given, settings).with_checkpoint(checkpoint)
    cv, graph, gain = None, None, None
    if settings.needs_cross_validation and settings.search.grows:
        cv = compare_growths(plan, usual_folds(plan.data), deadline.share(0.5), progress, executor, target)
        plan = plan.choose(cv.best)
    elif settings.needs_cross_validation:
        kappas = DEFAULT_KAPPAS if settings.kappa == "cv" and settings.has_kappa else (settings.priors().kappa,)
        grid = plan.grid(kappas, races_kappas=plan.for_folds().search.climbs)
        half = deadline.share(0.5)
        cv, graph, fold_graphs = compare_candidates(
            plan, grid, usual_folds(plan.data), half, progress, executor, target
        )
        plan = plan.choose(cv.best)
        has_average = not (plan.search.grows or settings.decomposable or given.has_gaps)
        if target is None and not deadline.is_set and has_average:
            gain = _measure_gain(plan, cv.best, fold_graphs)
    deadline = deadline.at_least(LEAST_SECONDS)
    if not given.has_gaps:
        outcome = _learn(plan, graph, deadline, progress)
    else:
        outcome = (_grow_filled if plan.search.grows else _learn_gaps)(plan, deadline, progress)
    fit = replace(_make_fit(plan, outcome, cv, given, began, deadline), average_gain=gain)
    return fit if settings is asked else replace(fit, notes=(*fit.notes, NO_FOLDS))


@accept_old_names
def cross_validate(
    data: AnyTable,
    *,
    kappas: Sequence[float] = DEFAULT_KAPPAS,
    n_folds: int = N_FOLDS,
    rng: Rng = None,
    progress: Progress = None,
    executor: Executor | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    **options: Unpack[SearchAndReading],
) -> CrossValidation:
    """Compare settings by cross-validation: learn on all folds but one, predict that one (equations 10 to 12).

    Observations are shuffled (seeded by ``rng``, whatever columns are called and in whatever order rows and columns
    come) and cut into ``n_folds`` parts of near-equal size. The options are the settings of `learn` and the options of
    `read`: what is "cv" is compared, too. Kappas by themselves are all compared on all folds (`learn` races them where
    that takes long). With more to compare, settings that fall behind stop early: they have fewer folds.

    Examples
    --------
    >>> import ldag
    >>> compared = ldag.cross_validate(ldag.datasets.load("heart"), kappas=[0.1], equivalent_sample_size="cv")
    >>> compared.best.equivalent_sample_size
    10.0
    """
    kappas = check_kappas(kappas)
    of_search, reading = split_options(options)
    settings = Settings.of(**of_search, rng=rng)
    deadline = Deadline.after(settings.time_limit)
    check_progress(progress)
    if not settings.priors().has_kappa and not settings.chooses_more_than_kappa:
        raise ArgumentError("the uniform prior has no kappa, so there is nothing to compare by cross-validation")
    if not settings.has_kappa and settings.chooses_more_than_kappa:
        kappas = (1.0,)
    if settings.search.grows and settings.chooses_more_than_kappa:
        settings = settings.with_(kappa=kappas[0] if len(kappas) == 1 else "cv")
        plan = make_plan(check_data(data, reading=reading), settings)
        plan = plan.with_checkpoint(checkpoint, kappas=kappas, n_folds=n_folds)
        return compare_growths(plan, n_folds, deadline, progress, executor)
    plan = make_plan(add_latent(check_data(data, reading=reading), settings), settings)
    check_folds(plan.data, n_folds)
    plan = plan.with_checkpoint(checkpoint, kappas=kappas, n_folds=n_folds)
    return compare_candidates(plan, plan.grid(kappas), n_folds, deadline, progress, executor)[0]


def _measure_gain(plan: Plan, best: Candidate, fold_graphs: Mapping[int, GraphParents]) -> AverageGain | None:
    """Return what an average gains, if that is soon measured; a checkpoint may have it."""
    n_folds = count_gain_folds(plan, best.structure, GAIN_SECONDS)
    if not n_folds:
        return None
    kept = plan.checkpoint
    if kept is None:
        return measure_average(plan, best, members_like(plan, best), n_folds, fold_graphs)
    if GAIN_PART not in kept.parts:
        kept.put(GAIN_PART, list(measure_average(plan, best, members_like(plan, best), n_folds, fold_graphs)))
    try:
        return AverageGain(*cast("list[Any]", kept.parts[GAIN_PART]))
    except TypeError:
        raise kept.damaged() from None


def _search_from_both(plan: Plan, graph: GraphParents | None, deadline: Deadline, progress: Progress) -> SearchResult:
    """Search from nothing and from a graph of the race, if there is one: the better result counts.

    Where that would take long, from the graph of tables, which are searched from nothing: on jester, plants and dna,
    that predicts new rows better than to begin with the graph of the race.
    """
    tables = None if deadline.is_set else plan.tables_first()
    if tables is not None and plan.problem.start is None:
        of_tables = _search(tables, deadline, progress).parents
        return _search(plan.without_restarts().start_from(of_tables), deadline, progress)
    from_graph = plan.start_from(graph)
    if from_graph is plan:
        return _search(plan, deadline, progress)
    first = _search(plan.start_from_nothing(), deadline.share(0.5), progress)
    if first.stopped and not deadline.is_set:
        return first
    return max(first, _search(from_graph, deadline, progress), key=lambda result: result.score)


def _search(plan: Plan, deadline: Deadline, progress: Progress) -> SearchResult:
    """Search on all the data."""
    with listen(progress, plan.search.name, deadline) as listener:

        def ends(report: ProgressReport) -> bool:
            if listener is not None:
                listener(report)
            return False

        told = None if listener is None else ends
        control = SearchControl(plan.n_jobs, deadline, told, uses_all_time=True)
        scorer = plan.problem.families.scorer(plan.data.columns)
        if plan.checkpoint is None:
            result = plan.search.run(scorer, plan.problem, control)
        else:
            result = resume_search(plan.checkpoint, plan.search_in_words, plan.search, scorer, plan.problem, control)
    if result.stopped and not deadline.is_over:
        _warn_interrupted(plan)
    return result


class Outcome(NamedTuple):
    """What a search gives: its result, the families with their counts, and what gaps add to that."""

    result: SearchResult
    families: Sequence[CountedFamily]
    shares: Sequence[NodeScore]
    entropy: float | None = None
    em: StructuralEM | None = None
    notes: tuple[str, ...] = ()


def _learn(plan: Plan, graph: GraphParents | None, deadline: Deadline, progress: Progress) -> Outcome:
    """Search data without gaps, and count the families of the best graph."""
    result, options = _search_from_both(plan, graph, deadline, progress), plan.problem.families
    families = result.families(plan.problem, plan.data.schema.n_states, plan.data.schema.names)
    return Outcome(result, families, [score_family(one.counts, one.family, options.priors) for one in families])


def _learn_gaps(plan: Plan, deadline: Deadline, progress: Progress) -> Outcome:
    """Learn from data with gaps by structural EM."""
    with listen(progress, "structural EM", deadline) as listener:
        ended = GapSearch(plan, plan.data, GapControl(plan.n_jobs, deadline, listener)).run()
    if ended.search.stopped and not deadline.is_over:
        _warn_interrupted(plan)
    expected, priors = ended.graph.expected, plan.problem.families.priors
    shares = expected.node_scores(ended.graph.structure, priors)
    return Outcome(ended.search, ended.families, shares, expected.entropy, ended.em)


def _grow_filled(plan: Plan, deadline: Deadline, progress: Progress) -> Outcome:
    """Fill the gaps by draws, and grow on the rows that these make."""
    half = deadline.share(FILLING_SHARE)
    with listen(progress, "filling gaps", half) as listener:
        filler = learn_filler(plan, plan.data, GapControl(plan.n_jobs, half, listener))
    rows = filler.rows
    outcome = _learn(replace(plan, data=rows, problem=plan.problem.over(rows)), None, deadline, progress)
    return outcome._replace(
        notes=(f"{filler.in_words()}; each row counts once, and the score is that of the filled rows",)
    )


def _warn_interrupted(plan: Plan) -> None:
    hint = "" if plan.checkpoint is None else f"; run it again to go on from {plan.checkpoint.path}"
    warnings.warn(f"the search was interrupted; this is the best graph it had found{hint}", stacklevel=4)


def _make_fit(
    plan: Plan, outcome: Outcome, cv: CrossValidation | None, given: Dataset, began: float, deadline: Deadline
) -> Fit:
    """Put the result together, in the variables' own order."""
    schema, families, result = plan.data.schema, plan.problem.families, outcome.result
    structure = Structure(schema.n_states, tuple(one.family for one in outcome.families))
    check_result(schema, plan.problem.space, structure)
    parts = dict(zip(schema.names, outcome.shares, strict=True))
    order = [schema.node(name) for name in given.names]
    own = _reorder(outcome.families, order)
    graph = LDAG(given.schema, Structure(given.schema.n_states, tuple(one.family for one in own)))
    early = f"ended {'by the time limit' if deadline.is_over else 'early'}: this is the best graph found until then"
    end = plan.search.describe_end(plan.problem, result) if outcome.em is None else ""
    early += f"; {end}" if end else ""
    promise = plan.search.promise(plan.problem, result) if outcome.em is None else outcome.em.promise()
    return Fit(
        graph=graph,
        score=Score.of(parts, given.names, families.priors, outcome.entropy),
        method=plan.search.name,
        trace=Trace.of(result.trace),
        cv=cv,
        settings=plan.settings,
        seconds=time.perf_counter() - began,
        stopped=result.stopped,
        n_steps=result.n_steps,
        n_accepted=result.n_accepted,
        promise=early if result.stopped else promise,
        em=outcome.em,
        notes=(
            *describe_data(given),
            *describe_groups(given),
            *outcome.notes,
            *plan.search.describe_limits(plan.problem, schema.names, result.parents),
            *plan.problem.describe_refined(schema.names, result.parents),
            *(() if cv is None else (f"cross-validation: {note}" for note in cv.notes)),
        ),
        data=given,
        counts=tuple(one.counts for one in own),
    )


def _reorder(learned: Sequence[CountedFamily], order: Sequence[int]) -> list[CountedFamily]:
    """Return the families with the nodes in another order: new node a is old node order[a]."""
    new = {node: place for place, node in enumerate(order)}
    places = [new[node] for node in range(len(order))]
    return [learned[node].renumbered(places) for node in order]
