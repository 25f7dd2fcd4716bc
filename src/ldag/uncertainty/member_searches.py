"""Many searches of the same plan, in threads or elsewhere: members that differ in rows, orders or completed tables."""

import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed, wait
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from ldag.errors import TooLarge, argument, counted, option
from ldag.learning import NO_DEADLINE, Deadline, Filler, GapControl, Plan, Progress, SearchControl, draw_rows, listen
from ldag.model import Structure
from ldag.uncertainty.gap_members import Imputer, learn_with_gaps

T = TypeVar("T")

TELL_EVERY = 0.1
"""Seconds between two looks at how many members there are."""

BATCHES_PER_JOB = 4
"""Parts that the work of one worker is cut into, so that quick ones do not wait for slow ones."""


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
    imputer: Imputer | Filler | None = None
    """What completes the table of each member, if that is where they differ."""

    def learn(self, number: int, ends: Ends = NO_ENDS, share: float = 1.0) -> Member | None:
        """Learn one member; None if its search did not come to its end. A climb has a share of the time left."""
        rng = np.random.default_rng([self.plan.seed, number])
        plan = self.plan.in_random_order(rng) if self.reorders else self.plan
        problem, data = plan.problem, plan.data
        if self.imputer is not None:
            data = self.imputer.complete(number)
        if self.resamples:
            data = draw_rows(data, rng)
        if data.has_gaps:
            how = GapControl(1, ends.deadline.share(share), stop=ends.are_here)
            structure = learn_with_gaps(plan, data.sorted(), how)
            return None if structure is None else Member(structure)
        problem = problem.over(data)
        search, scorer = plan.search, problem.families.scorer(data.columns)
        control = SearchControl(1, ends.deadline.share(share), is_over=ends.are_here)
        result, is_shortened = search.run_to_an_end(scorer, problem, control, ends.deadline)
        if result.stopped:
            return None
        learned = result.families(problem, problem.n_states)
        return Member(Structure(problem.n_states, tuple(one.family for one in learned)), is_shortened)

    def learn_batch(self, numbers: Sequence[int], deadline: Deadline, share: float) -> list[Member | None]:
        """Learn several members, one after the other, until the deadline."""
        ends = Ends(deadline)
        shares = [min(share * len(numbers) / (len(numbers) - done), 1.0) for done in range(len(numbers))]
        pairs = zip(numbers, shares, strict=True)
        return [None if deadline.is_over else self.learn(number, ends, own) for number, own in pairs]


def learn_members(
    members: Members,
    n: int,
    title: str,
    make: Callable[[Structure, int], T],
    deadline: Deadline,
    progress: Progress,
    executor: Executor | None,
) -> tuple[list[T], list[str]]:
    """Learn so many members, in threads or where an executor runs them; the result does not depend on which.

    Those whose search did not come to its end before the deadline, or before an interruption, are left out. Returns
    what was made of the others, in their order, and in words what became of all.
    """
    gathered = _Gathered(n, make, are_shared=members.imputer is None)
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

    def __init__(self, n: int, make: Callable[[Structure, int], T], are_shared: bool) -> None:
        self.n = n
        self.are_shared = are_shared
        """Whether what is made of equal graphs is the same."""
        self.n_done = 0
        self.n_shortened = 0
        self.made: dict[int, T] = {}
        self.is_interrupted = False
        self._make = make
        self._known: dict[tuple[Structure, int | None], T] = {}

    def add(self, number: int, member: Member | None) -> None:
        """Take in a member; equal graphs are made once, unless each has a table of its own."""
        if member is not None:
            key = member.structure, None if self.are_shared else number
            if key not in self._known:
                self._known[key] = self._make(member.structure, number)
            self.made[number] = self._known[key]
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
