"""The book of a cross-validation: what candidates scored on folds, and what was left out for lack of time.

And on the same folds, how much better an average of several networks predicts than one.
"""

import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import islice
from math import ceil, floor, isfinite, isnan, log, log10, nan, sqrt
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ldag.errors import argument, counted
from ldag.learning.checkpoint import Checkpoint
from ldag.learning.content_order import order_by_content
from ldag.learning.cross_validation import Candidate
from ldag.learning.folds import (
    FEWEST_FOLDS,
    Fold,
    FoldScore,
    FoldSearches,
    Task,
    cut_folds,
    row_logs,
    run_tasks,
    usual_folds,
)
from ldag.learning.group_folds import count_units, weigh_groups
from ldag.learning.plan import Plan
from ldag.learning.searches import GraphParents, SearchControl
from ldag.learning.structures import STRUCTURES, StructureKind, learn_families
from ldag.progress import NO_DEADLINE, Deadline, Listener


class FoldResults:
    """What was searched, by candidate and fold, here or in a run that left a checkpoint."""

    def __init__(
        self,
        searches: FoldSearches,
        listener: Listener | None = None,
        executor: Executor | None = None,
        checkpoint: Checkpoint | None = None,
    ) -> None:
        self.searches = searches
        self.compares_cut = False
        """Whether nothing but searches that did not come to their end can be compared."""
        self._listener = listener
        self._executor = executor
        self._checkpoint = checkpoint
        self._results: dict[tuple[Candidate, int], FoldScore] = {}
        self._origins: dict[Candidate, Candidate] = {}
        self._starts: dict[int, GraphParents] = {}
        self._left_out: set[int] = set()

    def of(self, searches: FoldSearches) -> "FoldResults":
        """Return an empty book for other searches, which are told, run and kept as these are."""
        return FoldResults(searches, self._listener, self._executor, self._checkpoint)

    @property
    def candidates(self) -> list[Candidate]:
        """Those that were searched, in the order they came up."""
        return list(dict.fromkeys(one for one, _ in self._results))

    def without_start(self, folds: Sequence[int]) -> list[int]:
        """Return the folds that have no graph yet to climb from."""
        return [fold for fold in folds if self.searches.search.climbs and fold not in self._starts]

    def folds_of(self, candidate: Candidate, n_folds: int) -> list[int]:
        """Return the folds that a candidate was searched on, and that count."""
        return [fold for fold in range(n_folds) if fold not in self._left_out and (candidate, fold) in self._results]

    def finished(self, candidates: Iterable[Candidate], fold: int) -> list[Candidate]:
        """Return those whose searches on a fold came to their end."""
        return [one for one in candidates if self._results[one, fold].is_final]

    def leave_out(self, fold: int) -> None:
        """Leave a fold out of the comparison, as if nobody had been searched there."""
        self._left_out.add(fold)

    def graph_of(self, candidate: Candidate) -> GraphParents | None:
        """Return the graph that a candidate has on the first fold."""
        return self._results[candidate, 0].parents

    def graphs_of(self, candidate: Candidate) -> dict[int, GraphParents]:
        """Return the graphs of a candidate whose searches came to their end, by fold."""
        own = {fold: result for (one, fold), result in self._results.items() if one == candidate and result.is_final}
        return {fold: result.parents for fold, result in own.items() if result.parents is not None}

    def first_score(self, candidate: Candidate) -> float:
        """Return the score of a candidate on the first fold, under its best smoothing."""
        return max(self._results[candidate, 0].log_predictives)

    def scores(self, candidate: Candidate) -> list[tuple[float, ...]]:
        """Return the scores of a candidate by fold and by smoothing of the parameters."""
        folds = self.folds_of(candidate, len(self.searches.folds))
        return [self._results[candidate, fold].log_predictives for fold in folds]

    def rank(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Sort candidates that were searched on the same folds, the best first, each under its best smoothing."""
        means = {one: float(np.mean(self.scores(one), axis=0).max()) for one in candidates}
        return sorted(means, key=lambda one: (-means[one], one.rank))

    def search(
        self, candidates: Sequence[Candidate], folds: Sequence[int], deadline: Deadline, origin: Candidate | None = None
    ) -> None:
        """Search candidates on folds; a fold that one of them had no time for is left out of the comparison.

        Climbs start from the graph that the origin has there, now and on later folds, or else from the first graph.
        """
        if origin is not None:
            self._origins = dict.fromkeys(candidates, origin) | self._origins
        pairs = [(one, fold) for fold in folds for one in candidates if (one, fold) not in self._results]
        tasks = [Task(one, fold, self._start_of(one, fold)) for one, fold in pairs]
        for task, result in self._run(tasks, deadline).items():
            self._results[task.candidate, task.fold] = result
            if result.parents is not None and self.searches.search.climbs:
                self._starts.setdefault(task.fold, result.parents)
        for fold in folds:
            if not all(isfinite(self._results[one, fold].log_predictives[0]) for one in candidates):
                self._left_out.add(fold)

    def group_error(self, best: Candidate, tables: Candidate) -> float:
        """Return the standard error over groups of how much better one candidate predicts a row than another."""
        gains, sizes = [], []
        origin = replace(best, smoothing=None)
        for fold in self.folds_of(origin, len(self.searches.folds)):
            part = self.searches.folds[fold]
            logs = []
            for one, searched in ((best, origin), (replace(tables, smoothing=best.smoothing), tables)):
                known = self._results.get((searched, fold))
                if known is not None and known.parents is not None:
                    logs.append(self.searches.log_rows(one, fold, known.parents))
            if len(logs) == 2:
                gains.append(part.add_up(logs[0] - logs[1]))
                sizes.append(part.add_up(np.ones(part.test.n_rows)))
        return weigh_groups(np.concatenate(gains), np.concatenate(sizes)).error

    def _start_of(self, candidate: Candidate, fold: int) -> GraphParents | None:
        """Return the graph to start from: of the candidate it was reached from, or else the first on the fold."""
        origin = self._origins.get(candidate)
        known = None if origin is None else self._results.get((origin, fold))
        if known is not None and known.parents is not None:
            return known.parents
        return self._starts.get(fold)

    def _run(self, tasks: Sequence[Task], deadline: Deadline) -> dict[Task, FoldScore]:
        """Run what no checkpoint has, and return all results in the order of the tasks."""
        recalled = {task: self._recall(task) for task in tasks}
        results = {task: known for task, known in recalled.items() if known is not None}
        missing = [task for task in tasks if task not in results]
        with closing(run_tasks(self.searches, missing, deadline, self._executor)) as running:
            for task, result in running:
                results[task] = result
                if self._checkpoint is not None and result.is_final:
                    self._checkpoint.put(task.name, [list(result.log_predictives), result.parents, result.score])
                if self._listener is not None:
                    done, total = len(self._results) + len(results), len(self._results) + len(tasks)
                    self._listener({"done": done, "total": total, "accepted": 0, "best": nan})
        return {task: results[task] for task in tasks}

    def _recall(self, task: Task) -> FoldScore | None:
        """Return what a checkpoint has of a task."""
        part = None if self._checkpoint is None else self._checkpoint.parts.get(task.name)
        if part is None:
            return None
        try:
            scores, parents, own = cast("tuple[list[float], list[list[int]], float]", part)
            graph = tuple(tuple(int(node) for node in above) for above in parents)
            return FoldScore(tuple(float(score) for score in scores), graph, is_final=True, score=float(own))
        except (TypeError, ValueError):
            raise cast("Checkpoint", self._checkpoint).damaged() from None

    def leave_out_cut(self, searched: Sequence[Candidate], *more: Candidate) -> list[Candidate]:
        """Leave out the folds on which a search of the last ones did not come to its end, and others it happened to.

        That is, if enough folds are left; otherwise what there was before the end of the time is compared.
        """
        cut = {pair for pair, result in self._results.items() if not result.is_final}
        n_folds = Counter(one for one, _ in self._results if one in searched)
        last = [one for one in searched if n_folds[one] == max(n_folds.values())]
        cut_folds = {fold for one, fold in cut if one in (*last, *more)}
        left = {fold for one, fold in self._results if one == last[0]} - self._left_out - cut_folds
        self.compares_cut = bool(cut_folds) and len(left) < FEWEST_FOLDS
        if self.compares_cut:
            return list(searched)
        self._left_out |= cut_folds
        return [one for one in searched if not any(who == one and fold not in self._left_out for who, fold in cut)]

    def describe_cut(self) -> Iterator[str]:
        """Say what was left out for lack of time, or that it was not."""
        if self.compares_cut:
            yield (
                "too little time: searches on the folds did not come to their end, so that unfinished graphs are"
                f" compared; give a longer {argument('time_limit')}, or a {argument('kappa')}"
            )
        elif self._left_out:
            yield (
                f"{len(self._left_out)} of {len(self.searches.folds)} folds are left out: searches on them did not"
                " come to their end within the time limit"
            )


GAIN_MEMBERS = 10
"""Networks of an average whose gain is measured; those of forty are a little better still."""

GAIN_ROWS = 500
"""Observations that the folds have together on which it is measured, if they are so many: then 0.1 nats are seen."""

GAIN_SECONDS = 4.0
"""Of all climbs on them, estimated, so that nothing depends on the machine: on fewer folds if they would take longer,
and not at all if one takes longer."""

ROW_SECONDS = 1.1e-9
"""Of a climb over tables under a random order, per different row and pair of variables: jester, plants and dna."""

LABELLED_CLIMBS = 8
"""How many climbs over tables one over classes counts for."""


SMALLEST_GAIN = 5e-5
"""On held-out data, in nats per observation: less is printed as nothing."""

SURE_ERRORS = 2.0
"""A difference of fewer standard errors may be chance."""


class AverageGain(NamedTuple):
    """How much better an average predicts an observation left out than one network, and the standard error of that.

    In nats; the error is that of a mean over ``n_rows`` observations. If rows belong together, it is over ``n_groups``,
    and enlarged by what folds share.
    """

    gain: float
    error: float
    n_members: int
    n_rows: int
    n_groups: int | None = None

    @property
    def is_better(self) -> bool:
        """Whether the average is better, and not by chance."""
        return self.gain > max(SURE_ERRORS * self.error, SMALLEST_GAIN)

    @property
    def is_worse(self) -> bool:
        """Whether the average is worse, and not by chance."""
        return self.gain < -SURE_ERRORS * self.error

    def rows_in_words(self) -> str:
        """Say on what it was measured, and how the average predicts."""
        of = "" if self.n_groups is None else f" of {counted(self.n_groups, 'group')}"
        return f"{counted(self.n_rows, 'held-out row')}{of}: {self.in_words()}"

    def in_words(self) -> str:
        """Say how the average predicts, with the error; what may be chance is told as such."""
        if max(abs(self.gain), self.error) < SMALLEST_GAIN:
            return "the same"
        digits = _digits(self.error)
        error = f"± {self.error:.{digits}f} nats per row"
        if abs(self.gain) <= SURE_ERRORS * self.error:
            return f"about as well (no clear difference: {self.gain:+.{digits}f} {error})"
        return f"{'better' if self.gain > 0 else 'worse'} by about {abs(self.gain):.{digits}f} {error}"


def _digits(error: float) -> int:
    """Return with how many digits a number with such an error is said."""
    return 2 if not error > 0 else min(max(1 - floor(log10(error)), 2), 6) - (error >= 0.1)


def count_gain_folds(plan: Plan, structure: StructureKind, seconds: float) -> int:
    """Return on how many folds the gain of an average is measured in so many seconds: at most on enough."""
    n_climbs = GAIN_MEMBERS + (1 if STRUCTURES[structure].is_table else LABELLED_CLIMBS)
    most = usual_folds(plan.data)
    enough = ceil(GAIN_ROWS * most / count_units(plan.data))
    return min(enough, most, floor(min(seconds / (n_climbs * estimate_climb(plan)), most)))


def estimate_climb(plan: Plan) -> float:
    """Return about how many seconds a climb over tables takes under a random order."""
    return ROW_SECONDS * plan.problem.n_rows * len(plan.data.names) ** 2


def members_like(plan: Plan, one: Candidate) -> Candidate:
    """Return what the members of an average are learned with: tables, where these can be."""
    prior = "parameters" if one.prior == "leaves" else one.prior
    return replace(one, structure="table", prior=prior) if plan.takes("table") else one


def measure_average(
    plan: Plan,
    one: Candidate,
    many: Candidate,
    n_folds: int,
    known: Mapping[int, GraphParents] | None = None,
    *,
    reorders: bool = True,
    resamples: bool = False,
) -> AverageGain:
    """Measure what an average gains over one network on the first folds of a cross-validation.

    Both are learned from what a fold leaves; the graph of the one may be known. Members follow random orders, or their
    graphs are learned from rows drawn again, or both.
    """
    work = order_by_content(plan.data)
    own = plan.over(work)
    folds = islice(cut_folds(work, usual_folds(work), own.seed), n_folds)
    single, members = own.choose(one), own.choose(many)
    stop = threading.Event()

    def predict(fold: Fold, choice: Plan, number: int, parents: GraphParents | None) -> NDArray[np.float64]:
        train, rng, is_member = fold.train, np.random.default_rng([own.seed, number]), choice is members
        chosen = choice.in_random_order(rng) if is_member and reorders else choice.for_folds()
        problem = chosen.problem
        if is_member and resamples:
            train = fold.draw_train(rng)
        if parents is None:
            problem = problem.over(train)
            search = chosen.search.with_restarts(0)
            control = SearchControl(1, NO_DEADLINE, is_over=stop.is_set)
            parents = search.run(problem.families.scorer(train.columns), problem, control).parents
        families = learn_families(train.columns, problem.n_states, parents, problem.families)
        return row_logs(families, fold, [one.of_parameters])[0]

    gains, sizes = [], []
    for number, fold in enumerate(folds):
        jobs = [(single, 0, (known or {}).get(number)), *((members, member, None) for member in range(GAIN_MEMBERS))]
        with ThreadPoolExecutor(plan.n_jobs) as pool:
            try:
                logs = list(pool.map(partial(predict, fold), *zip(*jobs, strict=True)))
            except BaseException:
                stop.set()
                raise
        gain = np.logaddexp.reduce(logs[1:], axis=0) - log(GAIN_MEMBERS) - logs[0]
        gains.append(gain if fold.groups is None else fold.add_up(gain))
        sizes.append(fold.test.whole_weights if fold.groups is None else fold.add_up(np.ones(len(gain))))
    if not work.is_grouped:
        return _sum_up(np.concatenate(gains), np.concatenate(sizes))
    by_group = weigh_groups(np.concatenate(gains), np.concatenate(sizes))
    shared = sqrt(1 + len(gains) / (usual_folds(work) - 1))  # of what folds learn from, as in CrossValidation
    return AverageGain(by_group.mean, by_group.error * shared, GAIN_MEMBERS, by_group.n_rows, by_group.n_groups)


def _sum_up(gains: NDArray[np.float64], weights: NDArray[np.float64]) -> AverageGain:
    """Return the mean over observations, and its standard error."""
    total = int(weights.sum())
    mean = float(gains @ weights) / total
    variance = float((gains - mean) ** 2 @ weights) / max(total - 1, 1)
    return AverageGain(mean, sqrt(variance / total), GAIN_MEMBERS, total)


def gain_in_words(gain: float, error: float, groups: str | None) -> str:
    """Return how observations left out are predicted in comparison with plain tables."""
    if max(abs(gain), error) < SMALLEST_GAIN:
        return "on held-out data no different from plain tables"
    word = "better" if gain >= 0 else "worse"
    over = "" if groups is None else f" over {groups}"
    by = f"{abs(gain):.4f} per observation" + ("" if isnan(error) else f" (standard error {error:.4f}{over})")
    if abs(gain) <= SURE_ERRORS * error:
        return f"on held-out data about as good as plain tables: {word} by {by}"
    return f"on held-out data {word} than plain tables by {by}"
