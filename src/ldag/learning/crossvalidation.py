"""kappa by cross-validation, in names: `cross_validate`."""

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from ldag.checks import check_whole
from ldag.data import Dataset
from ldag.errors import ArgumentError, DataError
from ldag.learning.checkpoint import Checkpoint
from ldag.learning.constraints import SearchSpace
from ldag.learning.crossval import Fold, Prediction, fold_log_predictive
from ldag.learning.partitions import FamilyOptions
from ldag.learning.progress import Report, Watch
from ldag.learning.searching import SearchOptions
from ldag.scoring import check_priors

DEFAULT_KAPPAS = (0.001, 0.1, 0.3, 0.5)
N_FOLDS = 10

Task = tuple[float, int]
"""A kappa and the number of a fold."""


@dataclass(frozen=True)
class CrossValidation:
    """How well each kappa predicts: the log posterior predictive probability of every fold.

    ``fold_scores`` has them by kappa; ``mean`` is the paper's rho.
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
    if data.weights is not None and data.weights.dtype != np.int64:
        raise DataError(
            "cross-validation needs observations; data with real weights cannot be cut into folds; "
            "give kappa a number, then no cross-validation is needed"
        )
    if n_folds > data.total:
        raise ArgumentError(
            f"n_folds must be at most the number of observations, {data.total:,}, got {n_folds}; "
            "give kappa a number, then no cross-validation is needed"
        )
    return n_folds


@dataclass(frozen=True)
class Comparison:
    """What every search of a cross-validation shares."""

    space: SearchSpace
    families: FamilyOptions
    options: SearchOptions
    time_limit: float | None = None


def compare_kappas(
    parts: Sequence[Fold],
    kappas: Sequence[float],
    shared: Comparison,
    n_jobs: int,
    tell: Callable[[int, int], object] | None = None,
    executor: Executor | None = None,
    checkpoint: Checkpoint | None = None,
) -> CrossValidation:
    """Learn from each fold under each kappa, in parallel, and predict what was left out."""
    tasks = [(kappa, number) for kappa in kappas for number in range(len(parts))]
    scores = _known(tasks, checkpoint)

    def done(task: Task, found: Prediction) -> None:
        scores[task] = found.log_predictive
        if checkpoint is not None and found.is_final:
            checkpoint.put(_name(task), found.log_predictive)
        if tell is not None:
            tell(len(scores), len(tasks))

    missing = [task for task in tasks if task not in scores]
    try:
        if executor is not None:
            jobs = {executor.submit(_predict, shared, kappa, parts[n]): (kappa, n) for kappa, n in missing}
            _collect(jobs, done)
        elif missing:
            _in_threads(missing, parts, shared, n_jobs, done)
    finally:
        if checkpoint is not None:
            checkpoint.save()
    return CrossValidation({kappa: tuple(scores[kappa, number] for number in range(len(parts))) for kappa in kappas})


def _name(task: Task) -> str:
    kappa, number = task
    return f"kappa {kappa!r}, fold {number + 1}"


def _known(tasks: Sequence[Task], checkpoint: Checkpoint | None) -> dict[Task, float]:
    """Return the scores that a checkpoint has."""
    parts = {} if checkpoint is None else checkpoint.parts
    found = {task: parts.get(_name(task)) for task in tasks}
    return {task: score for task, score in found.items() if isinstance(score, float)}


def _predict(shared: Comparison, kappa: float, fold: Fold, stop: threading.Event | None = None) -> Prediction:
    """Do one search and one prediction."""
    families = replace(shared.families, priors=replace(shared.families.priors, kappa=kappa))
    watch = Watch(None, shared.time_limit)

    def on_progress(report: Report) -> bool:
        return watch(report) or (stop is not None and stop.is_set())

    options = replace(shared.options, n_threads=1)
    return fold_log_predictive(fold, shared.space, families, options, on_progress)


def _in_threads(
    tasks: Sequence[Task],
    parts: Sequence[Fold],
    shared: Comparison,
    n_jobs: int,
    done: Callable[[Task, Prediction], object],
) -> None:
    """Run the tasks on threads of this process; an interruption ends them all."""
    stop = threading.Event()
    with ThreadPoolExecutor(n_jobs) as pool:
        jobs = {pool.submit(_predict, shared, kappa, parts[n], stop): (kappa, n) for kappa, n in tasks}
        try:
            _collect(jobs, done)
        except BaseException:
            stop.set()
            for job in jobs:
                job.cancel()
            raise


def _collect(jobs: Mapping[Future[Prediction], Task], done: Callable[[Task, Prediction], object]) -> None:
    """Pass the results on as they come."""
    for job in as_completed(jobs):
        done(jobs[job], job.result())
