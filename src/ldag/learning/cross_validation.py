"""Cross-validation: folds of the observations, a search on each, and how well its graph predicts what was left out."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite, nan, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldag.checks import check_whole
from ldag.data import Dataset, count_family
from ldag.errors import ArgumentError, DataError, TooLarge
from ldag.learning.checkpoint import Checkpoint
from ldag.learning.partitions import CountedFamily, FamilyOptions, learn_families
from ldag.learning.progress import NO_DEADLINE, Deadline
from ldag.learning.searches import Search, SearchControl, SearchProblem
from ldag.reporting import ShownAsText
from ldag.scoring import check_priors, family_log_predictive

N_FOLDS = 10
"""Unless told otherwise, as in the paper."""

FEWEST_FOLDS = 2
"""So many are compared, however short the time; later ones are left out when it is over."""

MOST_OBSERVATIONS = 10**9 - 1
"""Beyond this, numpy cannot draw the numbers of observations of a fold."""


@dataclass(frozen=True, repr=False)
class CrossValidation(ShownAsText):
    """How well each kappa predicts: the log posterior predictive probability of every fold.

    ``fold_scores`` has them by kappa (only of the folds that a time limit left time for); ``mean`` is the paper's rho.
    """

    fold_scores: Mapping[float, tuple[float, ...]]

    @property
    def mean(self) -> dict[float, float]:
        """The mean over folds, by kappa (equation 12)."""
        return {kappa: float(np.mean(scores)) for kappa, scores in self.fold_scores.items()}

    @property
    def standard_error(self) -> dict[float, float]:
        """The standard error of the mean, by kappa."""
        return {k: float(np.std(s, ddof=1)) / sqrt(len(s)) for k, s in self.fold_scores.items()}

    @property
    def best_kappa(self) -> float:
        """The kappa with the best mean; of equal ones the smallest."""
        mean = self.mean
        return min(mean, key=lambda kappa: (-mean[kappa], kappa))

    def __repr__(self) -> str:
        means = ", ".join(f"{kappa:g}: {mean:.2f}" for kappa, mean in self.mean.items())
        return f"<CrossValidation: best kappa {self.best_kappa:g} (means {means})>"

    def to_dict(self) -> dict[str, object]:
        """Return the comparison as plain values."""
        return {
            "best_kappa": self.best_kappa,
            "mean": {str(kappa): mean for kappa, mean in self.mean.items()},
            "standard_error": {str(kappa): error for kappa, error in self.standard_error.items()},
            "fold_scores": {str(kappa): list(scores) for kappa, scores in self.fold_scores.items()},
        }

    def __str__(self) -> str:
        lines = [f"{'kappa':>8}  {'mean':>12}  {'std. error':>10}"]
        for kappa, mean in self.mean.items():
            mark = "  best" if kappa == self.best_kappa else ""
            lines.append(f"{kappa:>8g}  {mean:>12.2f}  {self.standard_error[kappa]:>10.2f}{mark}")
        return "\n".join(lines)


def check_kappas(kappas: Sequence[float]) -> tuple[float, ...]:
    """Check the kappas to compare."""
    if isinstance(kappas, str) or not isinstance(kappas, Sequence | np.ndarray) or not len(kappas):
        raise ArgumentError(f"kappas must be a list of numbers, got {kappas!r}")
    checked = tuple(check_priors(kappa, 1.0, "labels").kappa for kappa in kappas)
    if len(set(checked)) < len(checked):
        raise ArgumentError(f"kappas: each may be given once, got {list(kappas)}")
    return checked


def check_folds(data: Dataset, n_folds: int) -> int:
    """Check that the data can be cut into so many folds."""
    n_folds = check_whole(n_folds, "n_folds", 2)
    instead = "give kappa a number, then no cross-validation is needed"
    if data.weights is not None and data.weights.dtype != np.int64:
        raise DataError(
            f"cross-validation needs observations; data with real weights cannot be cut into folds; {instead}"
        )
    if n_folds > data.total:
        raise ArgumentError(
            f"n_folds must be at most the number of observations, {data.total:,}, got {n_folds}; {instead}"
        )
    if data.total > MOST_OBSERVATIONS:
        raise TooLarge(
            f"cross-validation takes at most {MOST_OBSERVATIONS:,} observations, got {data.total:,}; {instead}"
        )
    return n_folds


@dataclass(frozen=True, eq=False)
class Fold:
    """One part of the data to predict, and the rest to learn from: how many observations of each row it has."""

    data: Dataset
    inside: NDArray[np.int64]

    @cached_property
    def train(self) -> Dataset:
        """What is learned from."""
        return self.data.reweighed(self.data.whole_weights - self.inside)

    @cached_property
    def test(self) -> Dataset:
        """What is predicted."""
        return self.data.reweighed(self.inside)


def cut_folds(data: Dataset, n_folds: int, seed: int) -> Iterator[Fold]:
    """Cut the observations at random into parts of near-equal size; each is the test set once.

    How many observations of each row a part has is drawn at once (multivariate hypergeometric), as if all observations
    had been shuffled, so that memory is needed for different rows only.
    """
    rng = np.random.default_rng(seed)
    left = data.whole_weights
    n_left = int(left.sum())
    for number in range(n_folds, 0, -1):
        size = -(-n_left // number)
        inside = rng.multivariate_hypergeometric(left, size, method="marginals")
        left = left - inside
        n_left -= size
        yield Fold(data, inside)


class FoldScore(NamedTuple):
    """The log predictive probability of a fold, and whether the search before it came to its end.

    Not a number if the time was over before the fold's turn.
    """

    log_predictive: float
    is_final: bool


def score_fold(fold: Fold, search: Search, problem: SearchProblem, control: SearchControl) -> FoldScore:
    """Learn a graph from the training part, and predict the test part."""
    columns = fold.train.columns
    result = search.run(problem.families.scorer(columns), problem, control)
    families = learn_families(columns, problem.n_states, result.parents, problem.families)
    size = problem.families.priors.equivalent_sample_size
    return FoldScore(fold_log_predictive(families, fold.test, size), not result.stopped)


def fold_log_predictive(families: Sequence[CountedFamily], test: Dataset, equivalent_sample_size: float) -> float:
    """Return the log posterior predictive of the test part, node by node (equation 11)."""
    total = 0.0
    for node, trained in enumerate(families):
        new = count_family(test.columns, test.schema.n_states, node, trained.family.parents).astype(np.float64)
        total += family_log_predictive(trained.counts, new, trained.family, equivalent_sample_size)
    return total


Task = tuple[float, int]
"""A kappa and the number of a fold."""


@dataclass(frozen=True)
class FoldComparison:
    """What is compared on which folds: a candidate is how families are scored, and goes by its kappa."""

    folds: Sequence[Fold]
    candidates: Mapping[float, FamilyOptions]
    search: Search
    problem: SearchProblem
    deadline: Deadline = NO_DEADLINE

    @property
    def tasks(self) -> list[Task]:
        """Every candidate on every fold, fold by fold."""
        return [(kappa, number) for number in range(len(self.folds)) for kappa in self.candidates]

    def problem_of(self, kappa: float) -> SearchProblem:
        """Return the problem of a candidate."""
        return replace(self.problem, families=self.candidates[kappa])


def compare_on_folds(
    comparison: FoldComparison,
    n_jobs: int,
    tell: Callable[[int, int], object],
    executor: Executor | None = None,
    checkpoint: Checkpoint | None = None,
) -> CrossValidation:
    """Learn from each fold under each candidate, in parallel, and predict what was left out."""
    tasks = comparison.tasks
    scores = _known_scores(tasks, checkpoint)

    def done(task: Task, result: FoldScore) -> None:
        scores[task] = result.log_predictive
        if checkpoint is not None and result.is_final:
            checkpoint.put(_part_name(task), result.log_predictive)
        tell(len(scores), len(tasks))

    missing = [task for task in tasks if task not in scores]
    try:
        if executor is not None:
            share = comparison.deadline.left
            seconds = None if share is None else share * n_jobs / max(len(missing), 1)
            jobs = {executor.submit(_score_task, comparison, task, seconds): task for task in missing}
            _collect(jobs, done)
        elif missing:
            _score_in_threads(comparison, missing, n_jobs, done)
    finally:
        if checkpoint is not None:
            checkpoint.save()
    return _compare(comparison, scores)


def _compare(comparison: FoldComparison, scores: Mapping[Task, float]) -> CrossValidation:
    """Put the scores together, of the folds that every candidate has."""
    kappas = comparison.candidates
    folds = range(len(comparison.folds))
    complete = [number for number in folds if all(isfinite(scores[kappa, number]) for kappa in kappas)]
    return CrossValidation({kappa: tuple(scores[kappa, number] for number in complete) for kappa in kappas})


def _part_name(task: Task) -> str:
    kappa, number = task
    return f"kappa {kappa!r}, fold {number + 1}"


def _known_scores(tasks: Sequence[Task], checkpoint: Checkpoint | None) -> dict[Task, float]:
    """Return the scores that a checkpoint has."""
    parts = {} if checkpoint is None else checkpoint.parts
    known = {task: parts.get(_part_name(task)) for task in tasks}
    return {task: score for task, score in known.items() if isinstance(score, float)}


def _score_task(
    comparison: FoldComparison, task: Task, seconds: float | None, stop: threading.Event | None = None
) -> FoldScore:
    """Do one search and one prediction, in so many seconds and before the common deadline."""
    kappa, number = task
    if number >= FEWEST_FOLDS and comparison.deadline.is_over:
        return FoldScore(nan, is_final=False)
    deadline = comparison.deadline.within(seconds)
    on_progress = None if stop is None else lambda _: stop.is_set()
    control = SearchControl(1, deadline, on_progress)
    return score_fold(comparison.folds[number], comparison.search, comparison.problem_of(kappa), control)


def _score_in_threads(
    comparison: FoldComparison, tasks: Sequence[Task], n_jobs: int, done: Callable[[Task, FoldScore], object]
) -> None:
    """Run the tasks on threads of this process, each with its share of the time; an interruption ends them all."""
    stop = threading.Event()
    waiting = len(tasks)

    def run(task: Task) -> FoldScore:
        nonlocal waiting
        left = comparison.deadline.left
        seconds = None if left is None else left * min(n_jobs / waiting, 1.0)
        waiting -= 1
        return _score_task(comparison, task, seconds, stop)

    with ThreadPoolExecutor(n_jobs) as pool:
        jobs = {pool.submit(run, task): task for task in tasks}
        try:
            _collect(jobs, done)
        except BaseException:
            stop.set()
            for job in jobs:
                job.cancel()
            raise


def _collect(jobs: Mapping[Future[FoldScore], Task], done: Callable[[Task, FoldScore], object]) -> None:
    """Pass the results on as they come."""
    for job in as_completed(jobs):
        done(jobs[job], job.result())
