"""Folds: the observations cut into parts, each of which is predicted from the rest."""

import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, log, nan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldag import _native
from ldag.checks import check_whole
from ldag.data import Dataset, check_cells, count_family
from ldag.errors import ArgumentError, DataError, TooLarge, argument
from ldag.inference import CodedGaps
from ldag.learning.checkpoint import digest
from ldag.learning.cross_validation import USUAL_SIZE, Candidate
from ldag.learning.gap_folds import (
    COMPLETING,
    CompletedFold,
    Training,
    complete_training,
    fill_fold,
    predict_gaps,
)
from ldag.learning.group_folds import FoldGroups, check_groups, count_units, deal_groups, draw_rows
from ldag.learning.plan import Plan
from ldag.learning.predictions import classify_rows, predict_fold
from ldag.learning.searches import GraphParents, Search, SearchControl, SearchProblem
from ldag.learning.settings import Settings
from ldag.learning.structures import STRUCTURES, CountedFamily, StructureKind, learn_families
from ldag.model import PruningAverage, Smoothing, class_counts, estimate_means
from ldag.progress import NO_DEADLINE, Deadline

N_FOLDS = 10
"""Unless told otherwise, as in the paper."""

MOST_OBSERVATIONS = 10**9 - 1
"""Beyond this, numpy cannot draw the numbers of observations of a fold."""


def check_folds(data: Dataset, n_folds: int) -> int:
    """Check that the data can be cut into so many folds; of few groups, as many folds as there are groups."""
    n_folds = check_whole(n_folds, "n_folds", 2)
    instead = f"without cross-validation, {argument('kappa')} is a number and nothing else is 'cv'"
    if data.weights is not None and data.weights.dtype != np.int64:
        raise DataError(
            f"cross-validation needs observations; data with real weights cannot be cut into folds; {instead}"
        )
    if data.total < 2:
        raise DataError(f"cross-validation needs at least two observations, got {data.total:,}; {instead}")
    if data.total > MOST_OBSERVATIONS:
        raise TooLarge(
            f"cross-validation takes at most {MOST_OBSERVATIONS:,} observations, got {data.total:,}; {instead}"
        )
    if data.is_grouped:
        return min(n_folds, check_groups(data))
    if n_folds > data.total:
        raise ArgumentError(
            f"{argument('n_folds')} must be at most the number of observations, {data.total:,}, got {n_folds};"
            f" {instead}"
        )
    return n_folds


def usual_folds(data: Dataset) -> int:
    """Return how many folds are cut unless told otherwise: ten, or as many as there are units, at least two."""
    return max(2, min(N_FOLDS, int(count_units(data))))


def has_folds(data: Dataset, n_folds: int) -> bool:
    """Return whether the data can be cut into so many folds."""
    try:
        check_folds(data, n_folds)
    except (ArgumentError, DataError, TooLarge):
        return False
    return True


NO_FOLDS = f"the sample sizes are the usual {USUAL_SIZE:g}: these data cannot be cut into folds to choose them on"
"""What a result says then."""


def settle_sizes(settings: Settings, data: Dataset) -> Settings:
    """Return the settings with the usual sizes instead of those to choose, if the data cannot be cut into folds.

    Whatever else is to be chosen by cross-validation, somebody asked for; that is refused where it cannot be. So are
    too few groups, which somebody named.
    """
    if settings.needs_cross_validation and data.is_grouped:
        check_groups(data)
    fixed = settings.without_sizes()
    return settings if fixed.needs_cross_validation or has_folds(data, usual_folds(data)) else fixed


@dataclass(frozen=True, eq=False)
class Fold:
    """One part of the data to predict, and the rest to learn from: how many observations of each row it has.

    If rows belong together, whole groups are inside, and ``groups`` say which.
    """

    data: Dataset
    inside: NDArray[np.int64]
    groups: FoldGroups | None = None

    @cached_property
    def train(self) -> Dataset:
        """What is learned from."""
        return self.data.reweighed(self.data.whole_weights - self.inside)

    @cached_property
    def test(self) -> Dataset:
        """What is predicted."""
        return self.data.reweighed(self.inside)

    def add_up(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum over every group that is predicted of values of the rows of the test part."""
        if self.groups is None:
            raise ValueError("the rows of the fold belong to no groups")
        every = np.zeros(self.data.n_rows)
        every[self.inside > 0] = values
        return self.groups.add_up(every)

    def draw_train(self, rng: np.random.Generator) -> Dataset:
        """Return as many observations, or groups, drawn with replacement from those that are learned from."""
        return draw_rows(self.train, rng) if self.groups is None else self.data.reweighed(self.groups.draw_others(rng))


def cut_folds(data: Dataset, n_folds: int, seed: int) -> Iterator[Fold]:
    """Cut the observations at random into parts of near-equal size; each is the test set once.

    How many observations of each row a part has is drawn at once (multivariate hypergeometric), as if all observations
    had been shuffled, so that memory is needed for different rows only. Groups stay whole, the largest dealt first.
    """
    rng = np.random.default_rng(seed)
    if data.is_grouped:
        merged, pairs = data.ungrouped(), data.group_rows
        for groups in deal_groups(pairs, n_folds, rng):
            yield Fold(merged, groups.count_inside(), groups)
        return
    left = data.whole_weights
    n_left = int(left.sum())
    for number in range(n_folds, 0, -1):
        size = -(-n_left // number)
        inside = rng.multivariate_hypergeometric(left, size, method="marginals")
        left = left - inside
        n_left -= size
        yield Fold(data, inside)


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
    smoothings: tuple[Smoothing | PruningAverage | None, ...]
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
        is_whole = not self.data.has_gaps and not self.plan.problem.space.decomposable
        return self.plan.is_quick and not self.deadline.is_set and is_whole

    @cached_property
    def goes_by_rows(self) -> bool:
        """Whether rows of the test part are predicted one by one, none of them learned from.

        Where rows belong together that matters: many rows of the same group would teach what the next one is like.
        """
        return self.target is not None or self.data.has_gaps or self.data.is_grouped

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
            smoothings = [] if self.goes_by_rows else self._smoothings_of(first)
            answers = _native.search_by_price(scorer, *problem.bounds, prices, fold.test.columns, smoothings)
            for task, (graph, predictives) in zip(priced, answers, strict=True):
                parents = tuple(map(tuple, graph))
                own = self._predict_rows(task, parents) if self.goes_by_rows else predictives
                scores[task] = FoldScore(tuple(own), parents, is_final=True)
        return scores

    def run(self, task: Task, control: SearchControl) -> FoldScore:
        """Learn a graph from the training part, and predict the test part."""
        train, start = self._train(task.fold, control)
        plan = self._plan_of(task.candidate)
        search, problem = plan.search if plan.search.grows else self.search, plan.problem.over(train)
        start = start if task.start is None else task.start
        if search.climbs and start is not None:
            problem = replace(problem, start=start)
        scorer = problem.families.scorer(train.columns)
        result, _ = search.run_to_an_end(scorer, problem, control, self.deadline)
        if result.trees:
            scores = self._predict_by_trees(task, result.families(problem, self.plan.problem.n_states))
        else:
            scores = self._predict(task, scorer, result.parents)
        return FoldScore(scores, result.parents, not result.stopped, result.score)

    def _train(self, fold: int, control: SearchControl) -> tuple[Dataset, GraphParents | None]:
        """Return what is learned from, without gaps; where there were any, with the graph of the completions."""
        if not self.data.has_gaps:
            return self.folds[fold].train, None
        completed = self._complete(fold, control)
        return completed.train, completed.parents

    def _complete(self, fold: int, control: SearchControl) -> CompletedFold:
        """Complete the training part of a fold, once; for growth both parts, by what the training part teaches."""
        with COMPLETING:
            if fold not in self._completed:
                part, how = self.folds[fold], (self.deadline, control.is_over)
                self._completed[fold] = (
                    fill_fold(self.plan, part.train, part.test, self.target, *how)
                    if self.plan.search.grows
                    else complete_training(self.plan, part.train, *how)
                )
            return self._completed[fold]

    def complete(self, folds: Iterable[int]) -> None:
        """Complete the training parts of folds here, once, before other processes get them."""
        for fold in dict.fromkeys(folds):
            self._train(fold, SearchControl(1))

    @cached_property
    def _completed(self) -> dict[int, CompletedFold]:
        return {}

    def _problem_of(self, candidate: Candidate) -> SearchProblem:
        """Return what is searched with the settings of a candidate; checked once, not on every fold."""
        return self._plan_of(candidate).problem

    def _plan_of(self, candidate: Candidate) -> Plan:
        known = self._plans.get(candidate)
        if known is None:
            known = self._plans[candidate] = self.plan.choose(candidate)
        return known

    @cached_property
    def _plans(self) -> dict[Candidate, Plan]:
        return {}

    def _predict_by_trees(self, task: Task, families: Sequence[CountedFamily]) -> tuple[float, ...]:
        """Return the log probability of the test part, or of one node, by grown trees, for every smoothing."""
        filled = self._complete(task.fold, SearchControl(1)).test if self.data.has_gaps else None
        test, seen = (self.folds[task.fold].test, None) if filled is None else filled
        smoothings = [replace(task.candidate, smoothing=one).of_parameters for one in self.smoothings]
        if self.target is None:
            return predict_fold(families, test, smoothings, seen)
        logs = classify_rows(families, test, smoothings, self.target)
        weights = test.whole_weights if seen is None else test.weights * seen[self.target]
        return tuple(float(own @ weights) for own in logs)

    def _predict(self, task: Task, scorer: _native.FamilyScorer, parents: GraphParents) -> tuple[float, ...]:
        """Return the log posterior predictive of the test part (equation 11), or of one node, for every smoothing."""
        if self.goes_by_rows:
            return self._predict_rows(task, parents)
        n_states = self.plan.problem.n_states
        for node, above in enumerate(parents):
            check_cells(n_states, node, above)
        return tuple(scorer.log_predictives(parents, self.folds[task.fold].test.columns, self._smoothings_of(task)))

    def _smoothings_of(self, task: Task) -> list[tuple[float, bool]]:
        """Return every smoothing of the parameters of a candidate: a sample size, and whether classes have it each."""
        every = (replace(task.candidate, smoothing=one).of_parameters for one in self.smoothings)
        return [(one.size, one.spread == "classes") for one in every]

    def _predict_rows(self, task: Task, parents: GraphParents) -> tuple[float, ...]:
        """Return the log probability of the target in the test part, or of all cells seen, for every smoothing."""
        smoothings = [replace(task.candidate, smoothing=one).of_parameters for one in self.smoothings]
        weights = self.folds[task.fold].test.whole_weights
        logs = self._log_rows(task.candidate, task.fold, parents, smoothings)
        return tuple(float(own @ weights) for own in logs)

    def log_rows(self, candidate: Candidate, fold: int, parents: GraphParents) -> NDArray[np.float64]:
        """Return the log probability of every different row that a fold predicts, by a candidate and its smoothing."""
        return self._log_rows(replace(candidate, smoothing=None), fold, parents, [candidate.of_parameters])[0]

    def _log_rows(
        self, candidate: Candidate, fold: int, parents: GraphParents, smoothings: Sequence[Smoothing | PruningAverage]
    ) -> list[NDArray[np.float64]]:
        part, problem = self.folds[fold], self._problem_of(candidate)
        train, _ = self._train(fold, SearchControl(1))
        families = learn_families(train.columns, problem.n_states, parents, problem.families)
        if self.data.has_gaps:
            table = CodedGaps.of(part.train.codes, problem.n_states, part.train.weights)
            training = Training(table, problem.families.priors.smoothing)
            return predict_gaps(families, part.test, smoothings, self.target, training)
        if self.target is None:
            return row_logs(families, part, smoothings)
        return classify_rows(families, part.test, smoothings, self.target)


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


def row_logs(
    families: Sequence[CountedFamily], fold: Fold, smoothings: Sequence[Smoothing | PruningAverage]
) -> list[NDArray[np.float64]]:
    """Return the log probability of every different row left out, by the means of the posterior given the others."""
    rows, n_states = fold.test, fold.data.schema.n_states
    logs = [np.zeros(rows.n_rows) for _ in smoothings]
    for node, family in enumerate(one.family for one in families):
        partition = family.partition
        counts = count_family(fold.train.columns, n_states, node, family.parents).astype(np.float64)
        cells = partition.classes_of_rows(rows.codes[list(family.parents)]), rows.codes[node]
        by_class = class_counts(counts, partition)
        for place, smoothing in enumerate(smoothings):
            logs[place] += np.log(estimate_means(partition, smoothing, by_class)[cells])
    return logs


NO_LABELS = -inf
"""A price at which no label is worth it: what is left are tables."""


def run_tasks(
    searches: FoldSearches, tasks: Sequence[Task], deadline: Deadline, executor: Executor | None = None
) -> Generator[tuple[Task, FoldScore]]:
    """Run tasks in parallel, each with its share of the time until the deadline, and give the results as they come."""
    if executor is not None:
        searches.complete(task.fold for task in tasks)
        left = deadline.left
        seconds = None if left is None else left * searches.plan.n_jobs / max(len(tasks), 1)
        jobs = {executor.submit(_run_group, searches, group, seconds): group for group in searches.group(tasks)}
        yield from _collect(jobs)
    elif searches.is_quick and searches.search.estimate_seconds(searches.plan.problem) * len(tasks) <= AT_ONCE_SECONDS:
        yield from _run_at_once(searches, tasks)
    elif tasks:
        yield from _run_in_threads(searches, tasks, deadline)


def _run_at_once(searches: FoldSearches, tasks: Sequence[Task]) -> Iterator[tuple[Task, FoldScore]]:
    """Run quick tasks one after the other, here; without a deadline, one that has no end was interrupted."""
    for group in searches.group(tasks):
        for task, result in zip(group, _run_group(searches, group, None), strict=True):
            if not result.is_final:
                raise KeyboardInterrupt
            yield task, result


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


def _run_in_threads(
    searches: FoldSearches, tasks: Sequence[Task], deadline: Deadline
) -> Iterator[tuple[Task, FoldScore]]:
    """Run the tasks on threads of this process; an interruption ends them all."""
    stop = threading.Event()
    groups, n_jobs = searches.group(tasks), searches.plan.n_jobs
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
            yield from _collect(jobs)
        except BaseException:
            stop.set()
            for job in jobs:
                job.cancel()
            raise


def _collect(jobs: Mapping[Future[list[FoldScore]], Sequence[Task]]) -> Iterator[tuple[Task, FoldScore]]:
    """Give the results as they come."""
    for job in as_completed(jobs):
        yield from zip(jobs[job], job.result(), strict=True)
