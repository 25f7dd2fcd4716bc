"""One search on one fold: where it starts, what it predicts, and how many of them share threads and time."""

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, log, nan
from typing import NamedTuple, cast

import numpy as np

from ldag import _native
from ldag.data import Dataset, check_cells
from ldag.learning.candidates import Candidate
from ldag.learning.checkpoint import digest
from ldag.learning.folds import Fold
from ldag.learning.partitions import CountedFamily, learn_families
from ldag.learning.plan import Plan
from ldag.learning.progress import NO_DEADLINE, Deadline
from ldag.learning.searches import GraphParents, Search, SearchControl, SearchProblem
from ldag.learning.structures import STRUCTURES, StructureKind
from ldag.model import ClassPosteriors, Smoothing, class_counts

FEWEST_FOLDS = 2
"""So many are compared, however short the time; later ones are left out when it is over."""

FOLD_RESTARTS = 10
"""Of a climb on a fold, which mostly starts from a good graph; they even out where it ends by chance."""

AT_ONCE_SECONDS = 0.05
"""Searches that take so long together are over before threads for them have started."""


class FoldScore(NamedTuple):
    """How a search on a fold ended.

    The log predictive probabilities of what was left out, one for every smoothing of the parameters, are not numbers
    if the time was over before the fold's turn. ``score`` is that of a graph that was climbed to.
    """

    log_predictives: tuple[float, ...]
    parents: GraphParents | None
    is_final: bool
    score: float = nan


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
    def search(self) -> Search:
        """How folds are searched."""
        return self.plan.for_folds().search.with_restarts(self.n_restarts)

    @cached_property
    def is_quick(self) -> bool:
        """Whether every graph can be looked at in a moment, so that candidates are searched together."""
        return self.plan.is_quick and not self.deadline.is_set

    def group(self, tasks: Sequence[Task]) -> list[tuple[Task, ...]]:
        """Return which tasks are run by one thread after the other, or together: those of a fold, if they are quick."""
        if not self.is_quick:
            return [(task,) for task in tasks]
        folds = dict.fromkeys(task.fold for task in tasks)
        return [tuple(task for task in tasks if task.fold == fold) for fold in folds]

    def run_together(self, tasks: Sequence[Task]) -> dict[Task, FoldScore]:
        """Run those of the tasks of one fold whose families differ in nothing but the price of labels."""
        scores = {}
        for priced in _same_but_kappa(tasks, self._problem_of):
            first, fold = priced[0], self.folds[priced[0].fold]
            problem = self._problem_of(first.candidate).over(fold.train)
            scorer = problem.families.scorer(fold.train.columns, cache_bytes=0)
            prices = [_price_of_labels(task.candidate) for task in priced]
            smoothings = self._smoothings_of(first) if self.target is None else []
            found = _native.search_by_price(scorer, *problem.bounds, prices, fold.test.columns, smoothings)
            for task, (graph, predictives) in zip(priced, found, strict=True):
                parents = tuple(map(tuple, graph))
                own = predictives if self.target is None else self._classify(task, parents)
                scores[task] = FoldScore(tuple(own), parents, is_final=True)
        return scores

    def run(self, task: Task, control: SearchControl) -> FoldScore:
        """Learn a graph from the training part, and predict the test part."""
        train = self.folds[task.fold].train
        problem = self._problem_of(task.candidate).over(train)
        if self.search.climbs and task.start is not None:
            problem = replace(problem, start=task.start)
        scorer = problem.families.scorer(train.columns)
        result, _ = self.search.run_to_an_end(scorer, problem, control, self.deadline)
        scores = self._predict(task, scorer, result.parents)
        return FoldScore(scores, result.parents, not result.stopped, result.score)

    def _problem_of(self, candidate: Candidate) -> SearchProblem:
        """Return what is searched with the settings of a candidate; checked once, not on every fold."""
        known = self._problems.get(candidate)
        if known is None:
            known = self._problems[candidate] = self.plan.choose(candidate).problem
        return known

    @cached_property
    def _problems(self) -> dict[Candidate, SearchProblem]:
        return {}

    def _predict(self, task: Task, scorer: _native.FamilyScorer, parents: GraphParents) -> tuple[float, ...]:
        """Return the log posterior predictive of the test part (equation 11), or of one node, for every smoothing."""
        if self.target is not None:
            return self._classify(task, parents)
        n_states = self.plan.problem.n_states
        for node, above in enumerate(parents):
            check_cells(n_states, node, above)
        return tuple(scorer.log_predictives(parents, self.folds[task.fold].test.columns, self._smoothings_of(task)))

    def _smoothings_of(self, task: Task) -> list[tuple[float, bool]]:
        """Return every smoothing of the parameters of a candidate: a sample size, and whether classes have it each."""
        every = (replace(task.candidate, smoothing=one).of_parameters for one in self.smoothings)
        return [(size, spread == "classes") for size, spread in every]

    def _classify(self, task: Task, parents: GraphParents) -> tuple[float, ...]:
        """Return the log probability of the target in the test part, for every smoothing."""
        fold, problem = self.folds[task.fold], self._problem_of(task.candidate)
        families = learn_families(fold.train.columns, problem.n_states, parents, problem.families)
        smoothings = [replace(task.candidate, smoothing=one).of_parameters for one in self.smoothings]
        return classify_fold(families, fold.test, smoothings, cast("int", self.target))


def _same_but_kappa(tasks: Sequence[Task], problem_of: Callable[[Candidate], SearchProblem]) -> list[list[Task]]:
    """Return the tasks that one search for all prices can do, tables among them: the highest price of all."""
    groups: dict[tuple[StructureKind, float], list[Task]] = {}
    for task in tasks:
        families = problem_of(task.candidate).families
        is_greedy = families.label_search == "greedy" and not families.label_rules and families.priors.prior == "labels"
        if is_greedy and STRUCTURES[families.structure].has_greedy_prices:
            groups.setdefault((families.structure, families.priors.equivalent_sample_size), []).append(task)
    for task in tasks:
        families = problem_of(task.candidate).families
        size = families.priors.equivalent_sample_size
        if STRUCTURES[families.structure].is_table and families.priors.prior == "labels" and not families.label_rules:
            same = next((group for (_, other), group in groups.items() if other == size), None)
            if same is not None:
                same.append(task)
    return list(groups.values())


def _price_of_labels(candidate: Candidate) -> float:
    """Return what a parameter that labels save adds to the score."""
    return NO_LABELS if STRUCTURES[candidate.structure].is_table else log(candidate.kappa)


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


NO_LABELS = -inf
"""A price at which no label is worth it: what is left are tables."""

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
        jobs = {executor.submit(_run_group, searches, group, seconds): group for group in searches.group(tasks)}
        _collect(jobs, done)
    elif searches.is_quick and searches.search.estimate_seconds(searches.plan.problem) * len(tasks) <= AT_ONCE_SECONDS:
        _run_at_once(searches, tasks, done)
    elif tasks:
        _run_in_threads(searches, tasks, n_jobs, deadline, done)


def _run_at_once(searches: FoldSearches, tasks: Sequence[Task], done: Done) -> None:
    """Run quick tasks one after the other, here; without a deadline, one that has no end was interrupted."""
    for group in searches.group(tasks):
        for task, result in zip(group, _run_group(searches, group, None), strict=True):
            if not result.is_final:
                raise KeyboardInterrupt
            done(task, result)


def _run_group(
    searches: FoldSearches, group: Sequence[Task], seconds: float | None, stop: threading.Event | None = None
) -> list[FoldScore]:
    """Run tasks together where they can be, and the others one by one."""
    known = searches.run_together(group) if len(group) > 1 else {}
    return [known[task] if task in known else _run_task(searches, task, seconds, stop) for task in group]


def _run_task(searches: FoldSearches, task: Task, seconds: float | None, stop: threading.Event | None) -> FoldScore:
    """Do one search and one prediction, in so many seconds and before the common deadline."""
    if task.fold >= FEWEST_FOLDS and searches.deadline.is_over:
        return FoldScore((nan,) * len(searches.smoothings), None, is_final=False)
    is_over = None if stop is None else stop.is_set
    return searches.run(task, SearchControl(1, searches.deadline.within(seconds), is_over=is_over))


def _run_in_threads(searches: FoldSearches, tasks: Sequence[Task], n_jobs: int, deadline: Deadline, done: Done) -> None:
    """Run the tasks on threads of this process; an interruption ends them all."""
    stop = threading.Event()
    groups = searches.group(tasks)
    waiting = len(groups)

    def run(group: Sequence[Task]) -> list[FoldScore]:
        nonlocal waiting
        left = deadline.left
        seconds = None if left is None else left * min(n_jobs / waiting, 1.0)
        waiting -= 1
        return _run_group(searches, group, seconds, stop)

    with ThreadPoolExecutor(n_jobs) as pool:
        jobs = {pool.submit(run, group): group for group in groups}
        try:
            _collect(jobs, done)
        except BaseException:
            stop.set()
            for job in jobs:
                job.cancel()
            raise


def _collect(jobs: Mapping[Future[list[FoldScore]], Sequence[Task]], done: Done) -> None:
    """Pass the results on as they come."""
    for job in as_completed(jobs):
        for task, result in zip(jobs[job], job.result(), strict=True):
            done(task, result)
