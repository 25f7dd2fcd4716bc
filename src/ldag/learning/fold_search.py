"""One search on one fold: where it starts, what it predicts, and how many of them share threads and time."""

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from functools import cached_property
from math import nan
from typing import NamedTuple

import numpy as np

from ldag.data import Dataset, count_family
from ldag.learning.candidates import Candidate
from ldag.learning.checkpoint import digest
from ldag.learning.folds import Fold
from ldag.learning.partitions import CountedFamily, learn_families
from ldag.learning.plan import Plan
from ldag.learning.progress import NO_DEADLINE, Deadline
from ldag.learning.searches import GraphParents, Search, SearchControl
from ldag.learning.searches.climb import Climb
from ldag.learning.searches.climb import prepare as prepare_climb
from ldag.learning.searches.exact import estimate_seconds
from ldag.model import ClassPosteriors, Smoothing, class_counts
from ldag.scoring import family_log_predictive

FEWEST_FOLDS = 2
"""So many are compared, however short the time; later ones are left out when it is over."""

FOLD_RESTARTS = 10
"""Of a climb on a fold, which mostly starts from a good graph; they even out where it ends by chance."""

EXACT_SECONDS = 0.05
"""If auto finds the best graph of all in a moment, it does so on every fold too."""


class FoldScore(NamedTuple):
    """How a search on a fold ended.

    The log predictive probabilities of what was left out, one for every smoothing of the parameters, are not numbers
    if the time was over before the fold's turn.
    """

    log_predictives: tuple[float, ...]
    parents: GraphParents | None
    is_final: bool


@dataclass(frozen=True)
class Task:
    """A candidate, the number of a fold, and the graph to start from."""

    candidate: Candidate
    fold: int
    start: GraphParents | None = None

    @property
    def name(self) -> str:
        """What it is called in a checkpoint: all that its result depends on."""
        start = "" if self.start is None else f", from {digest(self.start)}"
        return f"{self.candidate.in_words()}, fold {self.fold + 1}{start}"


@dataclass(frozen=True)
class FoldSearches:
    """All that searches on folds have in common; a value that can be sent to other processes."""

    plan: Plan
    data: Dataset
    folds: Sequence[Fold]
    smoothings: tuple[Smoothing | None, ...]
    n_restarts: int = FOLD_RESTARTS
    deadline: Deadline = NO_DEADLINE
    target: int | None = None
    """The node that is to be predicted from all others; None: everything is."""

    @cached_property
    def climb(self) -> Climb | None:
        """How folds are climbed; None: by the method itself, from nothing."""
        search, problem = self.plan.search, self.plan.problem
        if isinstance(search, Climb):
            given = search.n_restarts
            return replace(search, n_restarts=self.n_restarts if given is None else min(given, self.n_restarts))
        if self.plan.settings.method == "auto" and estimate_seconds(problem) > EXACT_SECONDS:
            given = self.plan.settings.max_candidates
            return prepare_climb(problem, n_restarts=self.n_restarts, max_candidates=given)
        return None

    def run(self, task: Task, control: SearchControl) -> FoldScore:
        """Learn a graph from the training part, and predict the test part."""
        problem = self.plan.choose(task.candidate).problem
        climb = self.climb
        search: Search = self.plan.search
        if climb is not None:
            search = climb if task.start is None else replace(climb, start=task.start)
        columns = self.folds[task.fold].train.columns
        result = search.run(problem.families.scorer(columns), problem, control)
        families = learn_families(columns, problem.n_states, result.parents, problem.families)
        smoothings = [replace(task.candidate, smoothing=one).of_parameters for one in self.smoothings]
        test = self.folds[task.fold].test
        if self.target is None:
            scores = predict_fold(families, test, smoothings)
        else:
            scores = classify_fold(families, test, smoothings, self.target)
        return FoldScore(scores, result.parents, not result.stopped)


def predict_fold(
    families: Sequence[CountedFamily], test: Dataset, smoothings: Sequence[Smoothing]
) -> tuple[float, ...]:
    """Return the log posterior predictive of the test part (equation 11) for every smoothing, counted once."""
    totals = np.zeros(len(smoothings))
    for node, trained in enumerate(families):
        new = count_family(test.columns, test.schema.n_states, node, trained.family.parents).astype(np.float64)
        totals += [family_log_predictive(trained.counts, new, trained.family, smoothing) for smoothing in smoothings]
    return tuple(totals.tolist())


def classify_fold(
    families: Sequence[CountedFamily], test: Dataset, smoothings: Sequence[Smoothing], target: int
) -> tuple[float, ...]:
    """Return the log probability of one node of the test part given the others, for every smoothing.

    Rows are predicted one by one, by the means of the posterior; families without the node make no difference.
    """
    rows = np.arange(test.n_rows)
    states = range(test.schema.n_states[target])
    concerned = [(node, one) for node, one in enumerate(families) if node == target or target in one.family.parents]
    places = []
    for node, trained in concerned:
        classes, values = [], []
        for state in states:
            codes = test.codes.copy()
            codes[target] = state
            partition = trained.family.partition
            classes.append(partition.classes_of_rows(codes[list(trained.family.parents)]))
            values.append(codes[node])
        places.append((np.array(classes), np.array(values)))
    scores = []
    for smoothing in smoothings:
        logs = np.zeros((len(states), test.n_rows))
        for (_, trained), (classes_by_state, values_by_state) in zip(concerned, places, strict=True):
            partition = trained.family.partition
            means = ClassPosteriors.of(partition, smoothing, class_counts(trained.counts, partition)).mean()
            logs += np.log(means[classes_by_state, values_by_state])
        own = logs[test.codes[target], rows] - np.logaddexp.reduce(logs, axis=0)
        scores.append(float(own @ test.whole_weights))
    return tuple(scores)


Done = Callable[[Task, FoldScore], object]


def run_tasks(
    searches: FoldSearches,
    tasks: Sequence[Task],
    n_jobs: int,
    deadline: Deadline,
    done: Done,
    executor: Executor | None = None,
) -> None:
    """Run tasks in parallel, each with its share of the time until the deadline, and pass on what comes of them."""
    if executor is not None:
        left = deadline.left
        seconds = None if left is None else left * n_jobs / max(len(tasks), 1)
        jobs = {executor.submit(_run_task, searches, task, seconds): task for task in tasks}
        _collect(jobs, done)
    elif tasks:
        _run_in_threads(searches, tasks, n_jobs, deadline, done)


def _run_task(
    searches: FoldSearches, task: Task, seconds: float | None, stop: threading.Event | None = None
) -> FoldScore:
    """Do one search and one prediction, in so many seconds and before the common deadline."""
    if task.fold >= FEWEST_FOLDS and searches.deadline.is_over:
        return FoldScore((nan,) * len(searches.smoothings), None, is_final=False)
    on_progress = None if stop is None else lambda _: stop.is_set()
    return searches.run(task, SearchControl(1, searches.deadline.within(seconds), on_progress))


def _run_in_threads(searches: FoldSearches, tasks: Sequence[Task], n_jobs: int, deadline: Deadline, done: Done) -> None:
    """Run the tasks on threads of this process; an interruption ends them all."""
    stop = threading.Event()
    waiting = len(tasks)

    def run(task: Task) -> FoldScore:
        nonlocal waiting
        left = deadline.left
        seconds = None if left is None else left * min(n_jobs / waiting, 1.0)
        waiting -= 1
        return _run_task(searches, task, seconds, stop)

    with ThreadPoolExecutor(n_jobs) as pool:
        jobs = {pool.submit(run, task): task for task in tasks}
        try:
            _collect(jobs, done)
        except BaseException:
            stop.set()
            for job in jobs:
                job.cancel()
            raise


def _collect(jobs: Mapping[Future[FoldScore], Task], done: Done) -> None:
    """Pass the results on as they come."""
    for job in as_completed(jobs):
        done(jobs[job], job.result())
