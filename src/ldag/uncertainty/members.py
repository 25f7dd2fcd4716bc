"""Learning the same thing many times, from rows drawn again or under random orders of the variables: `average`."""

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, fields, replace
from math import floor, inf
from typing import Any, Literal, Unpack, cast, get_args

import numpy as np

from ldag.checks import Rng, check_choice, check_seed, check_whole
from ldag.constraints import Constraints
from ldag.data import AnyTable, Dataset, check_data, describe_data, describe_kept_gaps
from ldag.errors import ArgumentError, DataError, argument, counted, option
from ldag.graph import LDAG
from ldag.learning import (
    GAIN_SECONDS,
    KAPPA_OF_LEVELS,
    KAPPA_OF_NESTED,
    AverageGain,
    Candidate,
    CrossValidation,
    Deadline,
    Filler,
    Fit,
    GapControl,
    LearnOptions,
    Plan,
    Progress,
    Settings,
    accept_old_names,
    check_progress,
    check_time_limit,
    count_gain_folds,
    cross_validate,
    estimate_climb,
    has_folds,
    learn_filler,
    make_plan,
    measure_average,
    settle_sizes,
    split_options,
    usual_folds,
)
from ldag.model import PruningAverage, Smoothing, Structure
from ldag.network import Network
from ldag.uncertainty.gap_members import Imputer, explain_gaps
from ldag.uncertainty.member_searches import Members, learn_members
from ldag.uncertainty.mixtures import Mixture

MemberVariety = Literal["order", "bootstrap", "both", "imputation"]
"""Where the members of an average differ: see `average`."""

EXACT_SHARE = 0.1
"""Of a limited time, what one exact search may take where the method is left open; otherwise members climb."""

MOST_OF_ROWS = 1 / 25
"""Of the rows, what the equivalent sample size may be at most where rows are drawn again. What is drawn twice looks
like dependence, and a large size asks for little of it. Averages by "both" against "order", in nats per row: on jester
(9,000 rows) +0.15 and +0.11 at sizes of 1/90 and 1/30 of the rows, -1.05 at 1/9; on 2,000 of them +0.16 at 1/67, -0.53
at 1/20 and -4.1 at 1/7; on plants -0.02 at 1/58 and -0.08 at 1/17."""

N_MEMBERS = 40
"""Of an average unless told otherwise: on jester 10, 20 and 40 had -52.33, -52.23 and -52.19 nats per row."""

GROWN_SIZE, GROWN_SMOOTHING = 1000.0, (8.0, "nested")
"""Of members that are grown, with levels: on held-out rows of plants, jester and dna, ten of them had -12.22, -52.53
and -79.97 nats per row; grown leaf by leaf at sizes of 10 for the table or 2 for each leaf, -12.37 to -12.41, -52.76 to
-52.93 and -79.74 to -79.84. Leaning with 16 instead of 8 was a little worse on plants and better on the others."""

GROWN_SHARE = 1 / 9
"""Of the rows, what that size is at most: ten of dna's 1,600 rows had -79.49 at 200, and -79.92 at 1,000."""

SIZE_OF_LEAVES = 2.0
"""The same for priors of so many observations to every leaf."""

TWICE = "where what is drawn twice looks like dependence"


@dataclass(frozen=True)
class Prepared:
    """Data and settings, those of a fit or those given, with a kappa that is a number."""

    data: Dataset
    plan: Plan
    kappa: float
    smoothing: Smoothing | PruningAverage
    deadline: Deadline
    is_chosen: bool
    """Whether cross-validation chose the equivalent sample size."""
    is_given: bool
    """Whether somebody gave it."""
    notes: tuple[str, ...] = ()
    """What cross-validation says."""

    @property
    def size(self) -> float:
        """The equivalent sample size of the searches."""
        return self.plan.problem.families.priors.equivalent_sample_size

    @property
    def groups_in_words(self) -> str | None:
        """How many groups are drawn where rows are drawn again; None if no rows belong together."""
        groups = self.data.groups
        return None if groups is None or not self.data.is_grouped else groups.in_words

    @property
    def most_size(self) -> float:
        """What that may be at most where rows are drawn again."""
        return max(self.data.total * MOST_OF_ROWS, 1.0)

    def with_smaller_size(self) -> tuple["Prepared", list[str]]:
        """Return what rows are drawn again for: a size that was chosen is made small enough, one that was given told.

        The parameters are those of all the data, so that their smoothing is as it was.
        """
        if self.size <= self.most_size:
            return self, []
        told = f"an equivalent sample size of {self.size:g} is large for {counted(self.data.total, 'row')} drawn again,"
        if self.is_given:
            return self, [f"{told} {TWICE}: more edges are learned than from the rows themselves"]
        families = self.plan.problem.families
        size = float(f"{self.most_size:.2g}")
        smaller = replace(families, priors=replace(families.priors, equivalent_sample_size=size))
        plan = replace(self.plan, problem=replace(self.plan.problem, families=smaller))
        return replace(self, plan=plan), [f"{told} {TWICE}: graphs were learned with {size:g}"]

    @property
    def fills_gaps(self) -> bool:
        """Whether every member has a completed table of its own, as growth needs every cell."""
        return self.data.has_gaps and self.plan.search.grows

    def make_imputer(self, given: object, *, always: bool) -> Imputer | Filler | None:
        """Return what completes the table again and again, under the network of a fit or one that is learned.

        None where members learn from the table as it is, unless there is to be one always.
        """
        if not (always or self.fills_gaps):
            return None
        if not self.data.has_gaps:
            raise ArgumentError(
                f"{option('by', 'imputation')} is for tables with gaps, and these data have none;"
                f" use {option('by', 'order')}"
            )
        if self.plan.search.grows:
            return learn_filler(self.plan, self.plan.data, GapControl(self.plan.n_jobs, self.deadline.share(0.5)))
        graph = given.graph if isinstance(given, Fit) else None
        return Imputer.of(self.plan, graph, Smoothing(*self.smoothing[:2]), self.deadline)

    def start_from(self, fit: Fit | None) -> "Prepared":
        """Return what rows are drawn again for where there are gaps: searches begin at the graph of all rows."""
        if not self.data.has_gaps or self.fills_gaps or self.plan.problem.start is not None:
            return self
        graph = explain_gaps(self.plan, None if fit is None else fit.graph, self.deadline)
        return replace(self, plan=replace(self.plan, problem=replace(self.plan.problem, start=graph.parents)))

    def graph_of(self, structure: Structure) -> LDAG:
        """Return what a member learned as a graph, variables in the order of the data."""
        order = [self.plan.data.schema.node(name) for name in self.data.names]
        return LDAG(self.data.schema, structure.reordered(order))


def prepare_members(
    given: "AnyTable | Fit",
    rng: Rng,
    progress: Progress,
    executor: Executor | None,
    given_options: LearnOptions,
    *,
    resamples: bool,
) -> Prepared:
    """Check data and settings; what is left to cross-validation is chosen once, on all the data."""
    options, reading = split_options(given_options)
    limit = options.get("time_limit")  # a fit's own is for the fit
    deadline = Deadline.after(check_time_limit(limit))
    settings = (
        _settings_like(given, options, rng) if isinstance(given, Fit) else Settings.of(**options, rng=check_seed(rng))
    )
    data = check_data(given.data if isinstance(given, Fit) else given, reading=reading)
    asked, settings = settings, _grow_members(settings, options, data.total)
    is_usual = settings is not asked
    if resamples and data.weights is not None and data.weights.dtype != np.int64:
        raise DataError("rows can be drawn again only where they are counted; these data have real weights")
    if resamples and settings.search.grows:
        _refuse_groups_with_gaps(data)
    left = deadline.left
    settings = settle_sizes(settings, data)
    plan = make_plan(data, settings).for_many(inf if left is None else EXACT_SHARE * left)
    priors = settings.priors()
    kappa, smoothing = priors.kappa, settings.smoothings()[0] or priors.smoothing
    notes: tuple[str, ...] = ()
    if settings.needs_cross_validation:
        # of few rows, `learn` compares a price for every parameter, too
        is_usual = not resamples and plan.has_few_rows and (settings.structure, settings.prior) == ("table", "labels")
        compared = _cross_validate(
            data, settings.with_(structure="ldag") if is_usual else settings, deadline, progress, executor
        )
        best, notes = compared.best, compared.notes
        best = replace(best, structure="table") if is_usual else best
        kappa, smoothing, plan = best.kappa, best.of_parameters, plan.choose(best)
    own = given.settings if isinstance(given, Fit) and "equivalent_sample_size" not in options else settings
    is_chosen = own.equivalent_sample_size == "cv" and not is_usual
    is_given = own.equivalent_sample_size != "cv" and not is_usual
    sorted_plan = replace(plan, data=plan.data.sorted())
    return Prepared(data, sorted_plan, kappa, smoothing, deadline, is_chosen, is_given, notes)


def _refuse_groups_with_gaps(data: Dataset) -> None:
    """Refuse to draw groups again whose gaps growth would fill first: completed rows have none."""
    if data.is_grouped and data.has_gaps:
        raise ArgumentError(
            f"groups with gaps cannot be drawn again for {option('method', 'grow')}, which fills the gaps first;"
            f" use {option('by', 'order')} of an average, or leave out {argument('groups')}"
        )


def _settings_like(fit: Fit, options: Mapping[str, Any], rng: Rng) -> Settings:
    """Return the settings of a fit with what was chosen there, but for its time and what is said otherwise."""
    structure = options.get("structure", fit.structure)
    chosen = {
        "structure": structure,
        "prior": "parameters" if fit.prior == "leaves" and structure != fit.structure else fit.prior,
        "equivalent_sample_size": fit.equivalent_sample_size,
        "smoothing": fit.smoothing,
        "rng": fit.settings.rng if rng is None else check_seed(rng),
        "time_limit": None,
    }
    own = {"kappa": fit.kappa} if fit.settings.has_kappa else {}
    return fit.settings.with_(**{**chosen, **own, **options})


def _grow_members(settings: Settings, options: Mapping[str, Any], n_rows: float) -> Settings:
    """Return the settings with those that averages of grown networks predict best with, unless others are given."""
    prior = options.get("prior", "parameters")
    if not settings.search.grows or options.get("equivalent_sample_size") is not None or prior == "cv":
        return settings
    of_table = max(float(f"{min(GROWN_SIZE, GROWN_SHARE * n_rows):.2g}"), 1.0)
    usual: dict[str, Any] = {
        "equivalent_sample_size": SIZE_OF_LEAVES if prior in ("leaves", "nested") else of_table,
        "prior": prior,
        "kappa": KAPPA_OF_NESTED if prior == "nested" else KAPPA_OF_LEVELS,
        "smoothing": GROWN_SMOOTHING,
    }
    if settings.method_option("levels") is None:
        usual["levels"] = prior != "nested"
    return settings.with_(**{name: value for name, value in usual.items() if name not in options})


def _cross_validate(
    data: Dataset, settings: Settings, deadline: Deadline, progress: Progress, executor: Executor | None
) -> CrossValidation:
    """Compare what is to be chosen by cross-validation on all the data, in half of the time at most."""
    options: dict[str, Any] = {one.name: getattr(settings, one.name) for one in fields(settings)}
    kappa = options.pop("kappa")
    if kappa != "cv":
        options["kappas"] = [kappa]
    options["time_limit"] = deadline.share(0.5).left
    return cross_validate(data, n_folds=usual_folds(data), **options, progress=progress, executor=executor)


@accept_old_names
def average(
    data: "AnyTable | Fit",
    n: int = N_MEMBERS,
    *,
    by: MemberVariety = "order",
    rng: Rng = None,
    progress: Progress = None,
    executor: Executor | None = None,
    **options: Unpack[LearnOptions],
) -> Mixture:
    """Learn several networks that differ, and let them answer together: new rows are often predicted much better.

    Parameters
    ----------
    data
        The data, or a fit, whose data, sample sizes, smoothing, constraints and seed are then used: ``fit.average()``.
    n
        How many networks. Twenty are nearly as good as forty, and half as large.
    by
        "order": each is learned under a random order of the variables, which its edges follow (by climbing, unless the
        method is given or all graphs can be looked at in a moment). "bootstrap": each graph
        is learned from rows drawn again, or groups if rows belong together. "both": both. Parameters are those of all
        the data. "imputation", for tables
        with gaps: each is learned, with its parameters, from another completed table, the gaps drawn under the network
        that `learn` finds, or that of the fit, with parameters drawn too: how far members differ is what the gaps leave
        open. Otherwise each member is learned from the gaps themselves, by structural EM; those that are grown have a
        completed table each in any case. Rows drawn again
        want a small ``equivalent_sample_size``, as what is drawn twice looks like dependence: one that was chosen is
        made at most a 25th of the rows, and told; a larger one that is given is refused.
    rng
        Seed of everything that is random; None is 0, or that of the fit.
    progress
        As in `learn`.
    executor
        Where the searches run, instead of threads of this process.
    **options
        The settings of `learn`, and for a table that is no `Dataset` those of `read`.
        Members have tables, which predict as well as labels in an average and are learned sooner, unless
        ``structure``, ``kappa`` or ``prior`` is given, or labels are fixed by constraints. With ``method="grow"`` they
        have trees, grown by levels with a sample size of 1,000, or a ninth of the rows if that is less, unless one is
        given, whose leaves lean on the nodes above: where rows are many and columns determine each other, that predicts
        best. Climbing is not restarted unless ``n_restarts`` says so, as members are to differ. What is left to
        cross-validation, the sample sizes unless they are given, is chosen once, on all the data, as in `learn` (of few
        rows, with a price for every parameter if that predicts better); a time limit is for all searches together, and
        those that did not come to their end by then, or when Ctrl-C was pressed, are left out: ``notes`` says so.

    Examples
    --------
    >>> import ldag
    >>> heart = ldag.datasets.load("heart")
    >>> mixture = ldag.average(heart, 5)
    >>> answer = mixture.query("pressure", given={"smoking": "yes"})
    >>> {state: round(p, 1) for state, p in answer.items()}
    {'<140': 0.6, '>140': 0.4}
    """
    check_whole(n, "n")
    check_choice(by, get_args(MemberVariety), "by")
    check_progress(progress)
    own = data.settings if isinstance(data, Fit) else Settings()
    of_members = _options_of_members(own, by, options)
    resamples, reorders = by in ("bootstrap", "both"), by in ("order", "both")
    prepared = prepare_members(data, rng, progress, executor, of_members, resamples=resamples)
    told: list[str] = []
    if resamples:
        if prepared.size > prepared.most_size and prepared.is_given:
            raise ArgumentError(
                f"{argument('by')} {by!r} draws {counted(prepared.data.total, 'row')} again,"
                f" {TWICE} if the equivalent sample size is large; with {prepared.size:g} the members would predict"
                f" badly; use {option('by', 'order')}, or {option('equivalent_sample_size', floor(prepared.most_size))}"
                " at most"
            )
        prepared, told = prepared.with_smaller_size()
    if by == "bootstrap":
        prepared = prepared.start_from(data if isinstance(data, Fit) else None)
    imputer = prepared.make_imputer(data, always=by == "imputation")
    members = Members(prepared.plan, resamples, reorders, imputer)
    smoothing = prepared.smoothing
    averaged: dict[str, Any] = {} if smoothing.kappa is None else {"estimate": "averaged", "kappa": smoothing.kappa}
    size, spread = smoothing.size, smoothing.spread

    def make(structure: Structure, number: int) -> Network:
        rows = prepared.data if imputer is None else imputer.complete(number)
        return Network.from_data(
            prepared.graph_of(structure), rows, equivalent_sample_size=size, spread=spread, **averaged
        )

    networks, notes = learn_members(members, n, "average", make, prepared.deadline, progress, executor)
    settings: dict[str, Any] = {
        "by": by,
        "structure": prepared.plan.problem.families.structure,
        "equivalent_sample_size": prepared.size,
        "smoothing": list(smoothing),
        "chosen": prepared.is_chosen,
    }
    if prepared.groups_in_words is not None:
        settings["groups"] = prepared.groups_in_words
    told += [f"{imputer.in_words()}; each network has draws of its own"] if isinstance(imputer, Filler) else []
    notes = [*describe_kept_gaps(prepared.data), *describe_data(prepared.data), *prepared.notes, *told, *notes]
    known = data.average_gain if isinstance(data, Fit) and by == "order" and not options.keys() - {"n_jobs"} else None
    gain = _measure_gain(members, prepared, data, n) if known is None else known
    if resamples and gain is not None and gain.is_worse:
        notes.append(
            f"one network predicts better than these do, where rows are drawn again; use {option('by', 'order')}"
        )
    return Mixture(networks, notes=tuple(notes), settings=settings, gain=gain, data=prepared.data)


def _measure_gain(members: Members, prepared: Prepared, source: object, n: int) -> AverageGain | None:
    """Measure what the average gains over one network, that of the fit if there is one; not where time is limited.

    That takes at most as long as the members, or a few seconds.
    """
    is_measured = not prepared.deadline.is_set and not prepared.data.has_gaps and not prepared.plan.search.grows
    if not is_measured or not has_folds(prepared.data, usual_folds(prepared.data)):
        return None
    families = prepared.plan.problem.families
    many = Candidate(prepared.kappa, prepared.size, families.structure, prepared.smoothing, families.priors.prior)
    one = many
    if isinstance(source, Fit):
        one = replace(many, kappa=source.kappa, structure=source.structure, prior=source.prior)
    seconds = max(GAIN_SECONDS, n * estimate_climb(prepared.plan))
    n_folds = max(count_gain_folds(prepared.plan, one.structure, seconds), 1)
    return measure_average(prepared.plan, one, many, n_folds, reorders=members.reorders, resamples=members.resamples)


def _options_of_members(own: Settings, by: MemberVariety, options: LearnOptions) -> LearnOptions:
    """Return the settings of members: tables unless labels are asked for, and climbs without restarts."""
    given = dict(options)
    if by in ("order", "both") and (given.get("start") or own.method_option("start")):
        raise ArgumentError(
            f"{argument('start')} does not apply to random orders, which its edges may not follow; use"
            f" {option('by', 'bootstrap')}"
        )
    asked = own.with_(method=given["method"]) if "method" in given else own
    if asked.search.grows:
        return cast("LearnOptions", given)
    if asked.search.climbs and asked.method_option("n_restarts") is None:
        given.setdefault("n_restarts", 0)
    constraints = given.get("constraints", own.constraints)
    has_fixed = isinstance(constraints, Constraints) and bool(constraints.labels)
    if not has_fixed and not {"structure", "kappa", "prior"} & given.keys():
        given["structure"] = "table"
    return cast("LearnOptions", given)
