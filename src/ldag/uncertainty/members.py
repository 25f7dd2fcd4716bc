"""Learning the same thing many times, from rows drawn again or under random orders of the variables: `average`."""

import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed, wait
from dataclasses import dataclass, fields, replace
from math import floor, inf
from typing import Any, Generic, Literal, NamedTuple, TypeVar, Unpack, cast, get_args

import numpy as np

from ldag.checks import Rng, check_choice, check_seed, check_whole
from ldag.constraints import Constraints
from ldag.data import AnyTable, Dataset, check_data, describe_data
from ldag.errors import ArgumentError, DataError, TooLarge, argument, counted, option
from ldag.graph import LDAG
from ldag.learning import (
    GAIN_SECONDS,
    NO_DEADLINE,
    AverageGain,
    Candidate,
    CrossValidation,
    Deadline,
    Fit,
    LearnOptions,
    Plan,
    Progress,
    SearchControl,
    Settings,
    accept_old_names,
    check_progress,
    check_time_limit,
    count_gain_folds,
    cross_validate,
    estimate_climb,
    has_folds,
    learn_families,
    listen,
    make_plan,
    measure_average,
    settle_sizes,
    split_options,
    usual_folds,
)
from ldag.model import Smoothing, Structure
from ldag.network import Network
from ldag.uncertainty.mixtures import Mixture

T = TypeVar("T")

MemberVariety = Literal["order", "bootstrap", "both"]
"""Where the members of an average differ: see `average`."""

TELL_EVERY = 0.1
"""Seconds between two looks at how many members there are."""

EXACT_SHARE = 0.1
"""Of a limited time, what one exact search may take where the method is left open; otherwise members climb."""

MOST_OF_ROWS = 1 / 25
"""Of the rows, what the equivalent sample size may be at most where rows are drawn again. What is drawn twice looks
like dependence, and a large size asks for little of it. Averages by "both" against "order", in nats per row: on jester
(9,000 rows) +0.15 and +0.11 at sizes of 1/90 and 1/30 of the rows, -1.05 at 1/9; on 2,000 of them +0.16 at 1/67, -0.53
at 1/20 and -4.1 at 1/7; on plants -0.02 at 1/58 and -0.08 at 1/17."""

N_MEMBERS = 40
"""Of an average unless told otherwise: on jester 10, 20 and 40 had -52.33, -52.23 and -52.19 nats per row."""

BATCHES_PER_JOB = 4
"""Parts that the work of one worker is cut into, so that quick ones do not wait for slow ones."""


TWICE = "where what is drawn twice looks like dependence"


class Member(NamedTuple):
    """A graph, variables sorted by name, and whether its climb had time for fewer restarts than were asked for."""

    structure: Structure
    is_shortened: bool = False


@dataclass(frozen=True)
class Ends:
    """When searches end before their time: at a deadline that all share, and when somebody says so."""

    deadline: Deadline = NO_DEADLINE
    stop: Callable[[], bool] | None = None

    def are_here(self) -> bool:
        """Whether it is over."""
        return self.deadline.is_over or (self.stop is not None and self.stop())


NO_ENDS = Ends()


@dataclass(frozen=True)
class Members:
    """What members are learned from, by number: each draws rows, an order, or both from a seed of its own."""

    plan: Plan
    resamples: bool
    reorders: bool

    def learn(self, number: int, ends: Ends = NO_ENDS, share: float = 1.0) -> Member | None:
        """Learn one member; None if its search did not come to its end. A climb has a share of the time left."""
        rng = np.random.default_rng([self.plan.seed, number])
        plan = self.plan.in_random_order(rng) if self.reorders else self.plan
        problem, data = plan.problem, plan.data
        if self.resamples:
            weights = data.whole_weights
            data = data.reweighed(rng.multinomial(weights.sum(), weights / weights.sum()))
            problem = problem.over(data)
        search, scorer = plan.search, problem.families.scorer(data.columns)
        control = SearchControl(1, ends.deadline.share(share), is_over=ends.are_here)
        result, is_shortened = search.run_to_an_end(scorer, problem, control, ends.deadline)
        if result.stopped:
            return None
        learned = learn_families(data.columns, problem.n_states, result.parents, problem.families)
        return Member(Structure(problem.n_states, tuple(one.family for one in learned)), is_shortened)

    def learn_batch(self, numbers: Sequence[int], deadline: Deadline, share: float) -> list[Member | None]:
        """Learn several members, one after the other, until the deadline."""
        ends = Ends(deadline)
        shares = [min(share * len(numbers) / (len(numbers) - done), 1.0) for done in range(len(numbers))]
        pairs = zip(numbers, shares, strict=True)
        return [None if deadline.is_over else self.learn(number, ends, own) for number, own in pairs]


@dataclass(frozen=True)
class Prepared:
    """Data and settings, those of a fit or those given, with a kappa that is a number."""

    data: Dataset
    plan: Plan
    kappa: float
    smoothing: Smoothing
    deadline: Deadline
    is_chosen: bool
    """Whether cross-validation chose the equivalent sample size."""
    notes: tuple[str, ...] = ()
    """What cross-validation says."""

    @property
    def size(self) -> float:
        """The equivalent sample size of the searches."""
        return self.plan.problem.families.priors.equivalent_sample_size

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
        if not self.is_chosen:
            return self, [f"{told} {TWICE}: more edges are learned than from the rows themselves"]
        families = self.plan.problem.families
        size = float(f"{self.most_size:.2g}")
        smaller = replace(families, priors=replace(families.priors, equivalent_sample_size=size))
        plan = replace(self.plan, problem=replace(self.plan.problem, families=smaller))
        return replace(self, plan=plan), [f"{told} {TWICE}: graphs were learned with {size:g}"]

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
    if resamples and data.weights is not None and data.weights.dtype != np.int64:
        raise DataError("rows can be drawn again only where they are counted; these data have real weights")
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
    is_chosen = own.equivalent_sample_size == "cv"
    return Prepared(data, replace(plan, data=plan.data.sorted()), kappa, smoothing, deadline, is_chosen, notes)


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


def learn_members(
    members: Members,
    n: int,
    title: str,
    make: Callable[[Structure], T],
    deadline: Deadline,
    progress: Progress,
    executor: Executor | None,
) -> tuple[list[T], list[str]]:
    """Learn so many members, in threads or where an executor runs them; the result does not depend on which.

    Those whose search did not come to its end before the deadline, or before an interruption, are left out. Returns
    what was made of the others, in their order, and in words what became of all.
    """
    gathered = _Gathered(n, make)
    with listen(progress, title, deadline) as listener:

        def tell() -> None:
            if listener is not None:
                done = float(gathered.n_done)
                listener({"done": done, "total": n, "accepted": 0, "best": float("nan")})

        if executor is None:
            _learn_in_threads(members, gathered, deadline, tell)
        else:
            _learn_elsewhere(members, gathered, deadline, tell, executor)
    if not gathered.made and gathered.is_interrupted:
        raise KeyboardInterrupt
    if gathered.is_interrupted:
        warnings.warn(f"the {title} was interrupted; this is what it had learned", stacklevel=3)
    if not gathered.made:
        raise TooLarge(
            f"none of {counted(n, 'search', 'searches')} came to its end before the time was over; give a longer"
            f" {argument('time_limit')}, or searches that are quicker: fewer parents, or method 'climb'"
            f" with {option('n_restarts', 0)}"
        )
    return [gathered.made[number] for number in sorted(gathered.made)], list(gathered.notes())


class _Gathered(Generic[T]):
    """What is made of members as they come."""

    def __init__(self, n: int, make: Callable[[Structure], T]) -> None:
        self.n = n
        self.n_done = 0
        self.n_shortened = 0
        self.made: dict[int, T] = {}
        self.is_interrupted = False
        self._make = make
        self._known: dict[Structure, T] = {}

    def add(self, number: int, member: Member | None) -> None:
        """Take in a member; equal graphs are made once."""
        if member is not None:
            if member.structure not in self._known:
                self._known[member.structure] = self._make(member.structure)
            self.made[number] = self._known[member.structure]
            self.n_shortened += member.is_shortened
        self.n_done += 1

    def notes(self) -> Iterator[str]:
        """Say what did not come to its end, and why."""
        if len(self.made) < self.n:
            why = "when it was interrupted" if self.is_interrupted else "within the time limit"
            yield (
                f"{len(self.made):,} of {counted(self.n, 'search', 'searches')} came to their end {why};"
                " the others are left out"
            )
        if self.n_shortened:
            yield f"{counted(self.n_shortened, 'climb')} had time for fewer restarts than without a time limit"


def _learn_in_threads(members: Members, gathered: _Gathered[T], deadline: Deadline, tell: Callable[[], object]) -> None:
    """Learn in threads of this process; an interruption ends them all, and what they have learned counts."""
    stop = threading.Event()
    ends = Ends(deadline, stop.is_set)
    n_jobs = min(members.plan.n_jobs, gathered.n)
    numbers = iter(range(gathered.n))

    def work() -> None:
        try:
            for number in numbers:
                if ends.are_here():
                    return
                gathered.add(number, members.learn(number, ends, min(n_jobs / (gathered.n - number), 1.0)))
        except BaseException:
            stop.set()
            raise

    jobs: list[Future[None]] = []
    with ThreadPoolExecutor(n_jobs) as pool:
        try:
            jobs.extend(pool.submit(work) for _ in range(n_jobs))
            while wait(jobs, timeout=TELL_EVERY).not_done:
                tell()
        except KeyboardInterrupt:
            gathered.is_interrupted = True
        finally:
            stop.set()
    for job in jobs:
        job.result()
    tell()


def _learn_elsewhere(
    members: Members, gathered: _Gathered[T], deadline: Deadline, tell: Callable[[], object], executor: Executor
) -> None:
    """Learn where an executor runs batches of members; those under way are not waited for when interrupted."""
    n_jobs, n = members.plan.n_jobs, gathered.n
    size = -(-n // (BATCHES_PER_JOB * n_jobs))
    batches = [range(first, min(first + size, n)) for first in range(0, n, size)]
    share = min(n_jobs / n, 1.0)
    jobs: dict[Future[list[Member | None]], range] = {}
    try:
        jobs |= {executor.submit(members.learn_batch, batch, deadline, share): batch for batch in batches}
        for job in as_completed(jobs):
            for number, member in zip(jobs[job], job.result(), strict=True):
                gathered.add(number, member)
            tell()
    except KeyboardInterrupt:
        gathered.is_interrupted = True
    finally:
        for job in jobs:
            job.cancel()


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
        is learned from rows drawn again. "both": both. Parameters are always those of all the data. Rows drawn again
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
        ``structure``, ``kappa`` or ``prior`` is given, or labels are fixed by constraints. Climbing is not restarted
        unless ``n_restarts`` says so, as members are to differ. What is left to cross-validation, the sample sizes
        unless they are given, is chosen once, on all the data, as in `learn` (of few rows, with a price for every
        parameter if that predicts better); a time limit is for all searches
        together, and those that did not come to their end by then, or when Ctrl-C was pressed, are left out: ``notes``
        says so.

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
    prepared = prepare_members(data, rng, progress, executor, of_members, resamples=by != "order")
    told: list[str] = []
    if by != "order":
        if prepared.size > prepared.most_size and not prepared.is_chosen:
            raise ArgumentError(
                f"{argument('by')} {by!r} draws {counted(prepared.data.total, 'row')} again,"
                f" {TWICE} if the equivalent sample size is large; with {prepared.size:g} the members would predict"
                f" badly; use {option('by', 'order')}, or {option('equivalent_sample_size', floor(prepared.most_size))}"
                " at most"
            )
        prepared, told = prepared.with_smaller_size()
    members = Members(prepared.plan, resamples=by != "order", reorders=by != "bootstrap")
    size, spread = prepared.smoothing

    def make(structure: Structure) -> Network:
        graph = prepared.graph_of(structure)
        return Network.from_data(graph, prepared.data, equivalent_sample_size=size, spread=spread)

    networks, notes = learn_members(members, n, "average", make, prepared.deadline, progress, executor)
    settings = {
        "by": by,
        "structure": prepared.plan.problem.families.structure,
        "equivalent_sample_size": prepared.size,
        "smoothing": [size, spread],
        "chosen": prepared.is_chosen,
    }
    notes = [*describe_data(prepared.data), *prepared.notes, *told, *notes]
    known = data.average_gain if isinstance(data, Fit) and by == "order" and not options.keys() - {"n_jobs"} else None
    gain = _measure_gain(members, prepared, data, n) if known is None else known
    if by != "order" and gain is not None and gain.is_worse:
        notes.append(
            f"one network predicts better than these do, where rows are drawn again; use {option('by', 'order')}"
        )
    return Mixture(networks, notes=tuple(notes), settings=settings, gain=gain, data=prepared.data)


def _measure_gain(members: Members, prepared: Prepared, source: object, n: int) -> AverageGain | None:
    """Measure what the average gains over one network, that of the fit if there is one; not where time is limited.

    That takes at most as long as the members, or a few seconds.
    """
    if prepared.deadline.is_set or not has_folds(prepared.data, usual_folds(prepared.data)):
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
    if by != "bootstrap" and (given.get("start") or own.method_option("start")):
        raise ArgumentError(
            f"{argument('start')} does not apply to random orders, which its edges may not follow; use"
            f" {option('by', 'bootstrap')}"
        )
    asked = own.with_(method=given["method"]) if "method" in given else own
    if asked.search.climbs and asked.method_option("n_restarts") is None:
        given.setdefault("n_restarts", 0)
    constraints = given.get("constraints", own.constraints)
    has_fixed = isinstance(constraints, Constraints) and bool(constraints.labels)
    if not has_fixed and not {"structure", "kappa", "prior"} & given.keys():
        given["structure"] = "table"
    return cast("LearnOptions", given)
