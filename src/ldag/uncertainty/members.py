"""Learning the same thing many times: from rows drawn again, or under random orders of the variables."""

import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from typing import Any, Literal, TypedDict

import numpy as np

from ldag.checks import Rng, check_seed
from ldag.data import AnyTable, Dataset, check_data
from ldag.errors import DataError
from ldag.graph import LDAG
from ldag.learning import (
    Constraints,
    CrossValidation,
    Deadline,
    Fit,
    LabelSearch,
    MethodChoice,
    Plan,
    Progress,
    ProgressReport,
    SearchControl,
    Settings,
    StructureKind,
    cross_validate,
    learn_families,
    listen,
    make_plan,
)
from ldag.model import Smoothing, Spread, Structure
from ldag.scoring import Prior

BATCHES_PER_JOB = 4
"""Parts that the work of one worker is cut into, so that quick ones do not wait for slow ones."""


class SearchOptions(TypedDict, total=False):
    """The options of a search that members are learned with; `learn` says what they mean."""

    kappa: float | Literal["cv"]
    method: MethodChoice
    structure: StructureKind
    labels: LabelSearch
    equivalent_sample_size: float
    parameters_sample_size: float | Literal["cv"] | None
    parameters_spread: Spread | None
    prior: Prior
    max_parents: int | None
    constraints: Constraints | None
    n_chains: int | None
    n_iter: int | None
    n_restarts: int | None
    start: LDAG | None
    max_candidates: int | None
    n_jobs: int
    time_limit: float | None


@dataclass(frozen=True)
class Members:
    """What members are learned from, by number: each draws rows, an order, or both from a seed of its own."""

    plan: Plan
    resamples: bool
    reorders: bool

    def learn(self, number: int, seconds: float | None = None, stop: threading.Event | None = None) -> Structure:
        """Learn one member, variables sorted by name."""
        rng = np.random.default_rng([self.plan.seed, number])
        problem, data = self.plan.problem, self.plan.data
        if self.reorders:
            space = problem.space
            place = np.argsort(random_order(space.candidates, space.required, rng))
            before = tuple(tuple(i for i in own if place[i] < place[j]) for j, own in enumerate(space.candidates))
            problem = replace(problem, space=replace(space, candidates=before))
        if self.resamples:
            weights = data.whole_weights
            data = data.reweighed(rng.multinomial(weights.sum(), weights / weights.sum()))
        on_progress = None if stop is None else lambda _: stop.is_set()
        control = SearchControl(1, Deadline.after(seconds), on_progress)
        result = self.plan.search.run(problem.families.scorer(data.columns), problem, control)
        learned = learn_families(data.columns, problem.n_states, result.parents, problem.families)
        return Structure(problem.n_states, tuple(one.family for one in learned))

    def learn_batch(self, numbers: Sequence[int], seconds: float | None = None) -> list[Structure]:
        """Learn several members, one after the other, each in so many seconds."""
        return [self.learn(number, seconds) for number in numbers]


def random_order(
    candidates: Sequence[Iterable[int]], required: Sequence[Iterable[int]], rng: np.random.Generator
) -> list[int]:
    """Return the nodes in a random order: required parents first and, where it can be, those that may only be parents.

    Where an edge is allowed one way only, an order against it would lose the edge for nothing.
    """
    allowed = [set(own) for own in candidates]
    musts = [set(own) for own in required]
    wishes = [{i for i in own if j not in allowed[i]} for j, own in enumerate(allowed)]
    left = rng.permutation(len(allowed)).tolist()
    order: list[int] = []
    placed: set[int] = set()
    while left:
        ready = [node for node in left if musts[node] <= placed]
        node = next((node for node in ready if wishes[node] <= placed), ready[0])
        left.remove(node)
        order.append(node)
        placed.add(node)
    return order


@dataclass(frozen=True)
class Prepared:
    """Data and settings, those of a fit or those given, with a kappa that is a number."""

    data: Dataset
    plan: Plan
    kappa: float
    smoothing: Smoothing
    deadline: Deadline

    def named(self, structure: Structure) -> LDAG:
        """Return what a member learned as a graph, variables in the order of the data."""
        order = [self.plan.data.schema.node(name) for name in self.data.names]
        return LDAG(self.data.schema, structure.reordered(order))


def prepare_members(
    given: "AnyTable | Fit", rng: Rng, progress: Progress, executor: Executor | None, options: SearchOptions
) -> Prepared:
    """Check data and settings; kappa is chosen once, on all the data, if it is to be chosen."""
    seed = check_seed(rng)
    if isinstance(given, Fit):
        own: SearchOptions = {"kappa": given.kappa} if given.settings.has_kappa else {}
        chosen: dict[str, Any] = {
            "structure": given.structure,
            "prior": given.prior,
            "equivalent_sample_size": given.equivalent_sample_size,
            "parameters_sample_size": given.parameters_sample_size,
            "parameters_spread": None if "parameters_sample_size" in options else given.parameters_spread,
        }
        changes = {"rng": seed, "time_limit": None, **chosen, **own, **options}
        settings = replace(given.settings, **changes)
        data = given.data
    else:
        settings, data = Settings(**options, rng=seed), check_data(given)
    if data.weights is not None and data.weights.dtype != np.int64:
        raise DataError("rows can be drawn again only where they are counted; these data have real weights")
    deadline = Deadline.after(settings.time_limit)
    plan = make_plan(data, settings)
    priors = settings.priors()
    kappa, smoothing = priors.kappa, settings.smoothings()[0] or priors.smoothing
    if settings.needs_cross_validation:
        best = _cross_validate(data, settings, deadline, progress, executor).best
        kappa, smoothing, plan = best.kappa, best.of_parameters, plan.choose(best)
    return Prepared(data, replace(plan, data=plan.data.sorted()), kappa, smoothing, deadline)


def _cross_validate(
    data: Dataset, settings: Settings, deadline: Deadline, progress: Progress, executor: Executor | None
) -> CrossValidation:
    """Compare what is to be chosen by cross-validation on all the data, in half of the time at most."""
    names = set(SearchOptions.__annotations__) - {"kappa", "start", "time_limit"}
    options = {name: getattr(settings, name) for name in names}
    limit = deadline.share(0.5).left
    if settings.kappa != "cv":
        options["kappas"] = [settings.kappa]
    return cross_validate(data, **options, rng=settings.rng, time_limit=limit, progress=progress, executor=executor)


def learn_members(
    members: Members, n: int, title: str, deadline: Deadline, progress: Progress, executor: Executor | None
) -> list[Structure]:
    """Learn so many members, in threads or where an executor runs them; the result does not depend on which."""
    with listen(progress, title, deadline) as listener:

        def tell(done: int) -> None:
            if listener is not None:
                report: ProgressReport = {"done": done, "total": n, "accepted": 0, "best": float("nan")}
                listener(report)

        if executor is None:
            return _learn_in_threads(members, n, deadline, tell)
        return _learn_elsewhere(members, n, deadline, tell, executor)


def _learn_in_threads(members: Members, n: int, deadline: Deadline, tell: Callable[[int], object]) -> list[Structure]:
    """Learn in threads of this process, each member with its share of the time; an interruption ends them all."""
    stop = threading.Event()
    n_jobs, waiting = members.plan.n_jobs, n

    def learn(number: int) -> Structure:
        nonlocal waiting
        left = deadline.left
        seconds = None if left is None else left * min(n_jobs / waiting, 1.0)
        waiting -= 1
        return members.learn(number, seconds, stop)

    with ThreadPoolExecutor(n_jobs) as pool:
        jobs = [pool.submit(learn, number) for number in range(n)]
        try:
            for done, _ in enumerate(as_completed(jobs), start=1):
                tell(done)
            return [job.result() for job in jobs]
        except BaseException:
            stop.set()
            for job in jobs:
                job.cancel()
            raise


def _learn_elsewhere(
    members: Members, n: int, deadline: Deadline, tell: Callable[[int], object], executor: Executor
) -> list[Structure]:
    """Learn where an executor runs batches of members."""
    n_jobs = members.plan.n_jobs
    seconds = None if deadline.left is None else deadline.left * min(n_jobs / n, 1.0)
    size = -(-n // (BATCHES_PER_JOB * n_jobs))
    batches = [range(first, min(first + size, n)) for first in range(0, n, size)]
    jobs = [executor.submit(members.learn_batch, batch, seconds) for batch in batches]
    done = 0
    for job in as_completed(jobs):
        done += len(job.result())
        tell(done)
    return [structure for job in jobs for structure in job.result()]
