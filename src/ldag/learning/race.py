"""The race of cross-validation: which candidates are searched on which folds, until one is best.

Where only kappa is chosen and that is quick, every kappa is searched on every fold, as in the paper. Otherwise the race
goes through the grid step by step on the first folds, structure after structure, from the best candidate of one to its
neighbours, as long as that is better; then those that are worse than the best stop after a few folds, and at most
`KEPT` go on.
Neighbours that are far behind on the first fold stop there; of large data those that are behind at all, and the race
ends after two folds more.
A structure whose families are too large to search in reasonable time is left out, and the result says so.
A climb starts from the graph that another candidate found on the same fold, never from one that was learned from all
the data: that has seen what is to be predicted, and settings that over-fit look good by it (measured: with 180
variables and 1,600 rows a sample size of 30 looked better than 10 by 0.46 nats per row, and predicted new rows worse
by 0.36 than the one that is chosen this way).
Nothing depends on time or on the order in which threads finish, unless there is a time limit.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from math import isfinite, sqrt
from typing import cast

import numpy as np

from ldag.errors import argument
from ldag.learning.candidates import Candidate, CandidateGrid
from ldag.learning.checkpoint import Checkpoint
from ldag.learning.cross_validation import CrossValidation
from ldag.learning.fold_search import FEWEST_FOLDS, FoldScore, FoldSearches, Task, run_tasks
from ldag.learning.progress import Deadline
from ldag.learning.searches import GraphParents
from ldag.learning.structures import STRUCTURES, ClassKind, StructureKind

ENOUGH_PREDICTED = 3_000
"""Observations that the first folds have together, if there are so many: then differences that matter are seen."""

MOST_FIRST_FOLDS = 5
"""Of small data, so many are the first folds at most; searches on them are quick."""

KEPT = ((2, 4), (2, 3))
"""After the first folds, for so many folds so many candidates go on at most; then two until the end."""

FINALISTS = 2

LEVELLED = 4
"""So many of the best candidates after the first folds also climb from the leader's graphs."""

KEPT_OF_LARGE = ((2, 3),)
"""The same where fewer than `MOST_FIRST_FOLDS` have enough observations: then the race ends."""

STANDARD_ERRORS = 3.0
"""A candidate that is worse than the best by more than that, in folds that both have, stops."""

HOPELESS = 0.01
HOPELESS_OF_LARGE = 0.005
"""A structure that begins so much behind the best, as a part of its score, is not looked at further; nor is, of small
data, a neighbour that is."""

BEHIND = 0.001
"""Of large data, a neighbour that is so much behind on the first fold, as a part of the score, stops there."""

MOST_SECONDS = 20.0
"""For all families that have one parent more than those of the best graph so far: estimated, so that nothing depends on
the machine. A structure that takes longer is left out."""

DECIMALS = 6
"""Candidates whose scores agree to so many found the same graphs: one of them is enough."""

STEP_SHARE = 0.2
"""Of the time that is left, for one step through the grid."""


class Race:
    """Candidates, the folds they were searched on, and the graphs found there."""

    def __init__(
        self,
        searches: FoldSearches,
        grid: CandidateGrid,
        tell: Callable[[int, int], object],
        executor: Executor | None = None,
        checkpoint: Checkpoint | None = None,
    ) -> None:
        self._searches = searches
        self._grid = grid
        self._tell = tell
        self._executor = executor
        self._checkpoint = checkpoint
        self._results: dict[tuple[Candidate, int], FoldScore] = {}
        self._origins: dict[Candidate, Candidate] = {}
        self._left_out: set[int] = set()
        self._compares_cut = False
        self._given_up: list[Candidate] = []
        self._too_slow: list[StructureKind] = []
        self._starts: dict[int, GraphParents] = {}

    def run(self) -> CrossValidation:
        """Find the best candidate, and compare it with plain tables."""
        try:
            n_folds = len(self._searches.folds)
            if self._grid.is_raced:
                n_first = self._first_folds()
                self._walk(range(n_first))
                self._finish(n_first, n_folds)
            else:
                every = [*self._grid, *self._tables_at_once()]
                self._search(every, range(n_folds), self._searches.deadline.share(0.8))
            return self._compare_with_tables(n_folds)
        finally:
            if self._checkpoint is not None:
                self._checkpoint.save()

    def _tables_at_once(self) -> list[Candidate]:
        """Return the plain tables that the best kappa will be compared with, if a search for all finds them, too."""
        first = next(iter(self._grid))
        tables = self._tables_like(first)
        is_same_for_all = not STRUCTURES[first.structure].is_table and not tables.kind.has_kappa
        is_wanted = is_same_for_all and self._searches.is_quick and self._searches.plan.takes("table")
        return [tables] if is_wanted else []

    def graph_of(self, candidate: Candidate) -> GraphParents | None:
        """Return the graph that a candidate found on the first fold."""
        return self._results[replace(candidate, smoothing=None), 0].parents

    def _first_folds(self) -> int:
        """Return how many folds have enough observations to predict, if so many do."""
        return min(max(self._enough, FEWEST_FOLDS), MOST_FIRST_FOLDS, len(self._searches.folds))

    @property
    def _enough(self) -> int:
        """How many folds would have enough observations to predict."""
        return int(np.ceil(ENOUGH_PREDICTED * len(self._searches.folds) / self._searches.data.total))

    def _walk(self, folds: Sequence[int]) -> None:
        """Go through the grid, structure after structure, as long as a step is better."""
        before: Candidate | None = None
        for kind in self._grid.kinds:
            origin = None if before is None else self._origin_of(before)
            first = self._grid.first(kind, origin)
            if before is not None and origin is not None:
                if self._seconds(kind.structure, origin) > MOST_SECONDS:
                    self._too_slow.append(kind.structure)
                    continue
                self._origins[first] = origin
            self._search([first], folds[:1], self._searches.deadline.share(STEP_SHARE))
            if before is not None and self._is_hopeless(first, before):
                self._given_up.append(first)
                continue
            ahead = [first]
            while ahead:
                if ahead != [first] and self._tells_by_one_fold:
                    ahead = self._keep_near(ahead, folds[0], kind)
                self._search(ahead, folds, self._searches.deadline.share(STEP_SHARE))
                best = self._sort(one for one in self._running if one.kind == kind)[0]
                ahead = [one for one in self._grid.neighbours(best) if one not in self._searched]
                self._origins |= dict.fromkeys(ahead, best)
                if self._searches.deadline.is_over:
                    return
            before = self._sort(self._running)[0]

    def _origin_of(self, leader: Candidate) -> Candidate:
        """Return whose graph another structure starts from: trees may have more parents than others can bear."""
        kind = self._grid.kinds[0]
        return self._sort(one for one in self._running if one.kind == kind)[0] if self._running else leader

    @property
    def _is_large(self) -> bool:
        """Whether a few folds have enough observations to predict."""
        return self._enough < MOST_FIRST_FOLDS

    @property
    def _tells_by_one_fold(self) -> bool:
        """Whether one fold is enough to see who is behind: not of small data where one node is predicted."""
        return self._is_large or self._searches.target is None

    def _keep_near(self, ahead: Sequence[Candidate], fold: int, kind: ClassKind) -> list[Candidate]:
        """Search candidates on one fold, and return those that are not behind the best of their kind there."""
        self._search(ahead, [fold], self._searches.deadline.share(STEP_SHARE))
        scores = {
            one: max(result.log_predictives)
            for (one, where), result in self._results.items()
            if where == fold and one.kind == kind
        }
        best = max(scores.values())
        share = BEHIND if self._is_large else HOPELESS
        near = [one for one in ahead if scores[one] >= best - share * abs(best)]
        self._given_up += [one for one in ahead if one not in near]
        return near

    def _seconds(self, structure: StructureKind, leader: Candidate) -> float:
        """Estimate what all families take that have one parent more than those of a graph."""
        n_states = self._searches.plan.problem.n_states
        parents = self._results[leader, 0].parents or ()
        mean = float(np.mean(n_states))
        cost = STRUCTURES[structure].greedy_microseconds
        sizes = (np.prod([n_states[node] for node in above]) * mean for above in parents)
        return sum(cost(float(size)) for size in sizes) * len(n_states) * 1e-6

    def _is_hopeless(self, candidate: Candidate, leader: Candidate) -> bool:
        """Return whether a candidate is so far behind in the first fold that no neighbour will be the best."""
        best = self._best_scores(leader)[0]
        share = HOPELESS_OF_LARGE if self._is_large else HOPELESS
        return self._best_scores(candidate)[0] < best - share * abs(best)

    @property
    def _running(self) -> list[Candidate]:
        """The candidates that were not given up at once: all have the first folds."""
        return [one for one in self._searched if one not in self._given_up]

    def _finish(self, done: int, n_folds: int) -> None:
        """Search the best candidates on the other folds; those that fall behind stop."""
        running = self._sort(self._running)
        self._level(running, done)
        running = self._sort(running)
        for more, most in KEPT_OF_LARGE if self._is_large else (*KEPT, (n_folds, FINALISTS)):
            running = self._best_and_tables(self._survivors(running), most)
            upto = min(done + more, n_folds)
            if done < upto:
                left = self._searches.deadline.share((upto - done) / (n_folds - done) * 0.9)
                if self._is_large and self._searches.search.climbs:
                    self._search([self._origin_of(running[0])], range(done, upto), left)
                self._search(running, range(done, upto), left)
                running = self._sort(running)
            done = upto

    def _level(self, ranked: Sequence[Candidate], n_folds: int) -> None:
        """Let the best candidates climb from the leader's graphs, too; where that ends higher, it counts.

        Those that the race reached later have climbed longer, each from the graph of the one before; without this,
        labels can seem better than tables with which they agree.
        """
        if not self._searches.search.climbs:
            return
        leader, *others = self._best_and_tables(ranked, LEVELLED)
        graphs = [self._results[leader, fold].parents for fold in range(n_folds)]
        tasks = [
            Task(one, fold, graph)
            for one in others
            for fold, graph in enumerate(graphs)
            if graph is not None and self._results[one, fold].parents != graph
        ]
        for task, result in self._run(tasks, self._searches.deadline.share(STEP_SHARE)).items():
            if result.score > self._results[task.candidate, task.fold].score:
                self._results[task.candidate, task.fold] = result

    @staticmethod
    def _best_and_tables(ranked: Sequence[Candidate], most: int) -> list[Candidate]:
        """Return so many of the best, and the best tables if they are not among them."""
        tables = [one for one in ranked[most:] if STRUCTURES[one.structure].is_table]
        has_tables = any(STRUCTURES[one.structure].is_table for one in ranked[:most])
        return [*ranked[:most], *([] if has_tables else tables[:1])]

    def _survivors(self, ranked: Sequence[Candidate]) -> list[Candidate]:
        """Return those that are neither clearly worse than the best nor the same as a better one in other words."""
        best = np.array(self._best_scores(ranked[0]))
        survivors: dict[tuple[float, ...], Candidate] = {}
        for candidate in ranked:
            scores = self._best_scores(candidate)
            behind = best - scores
            error = float(np.std(behind, ddof=1)) / sqrt(len(behind)) if len(behind) > 1 else np.inf
            if behind.mean() <= STANDARD_ERRORS * error:
                survivors.setdefault(tuple(np.round(scores, DECIMALS).tolist()), candidate)
        return list(survivors.values())

    @property
    def _searched(self) -> list[Candidate]:
        """The candidates of the grid that were searched on folds, in the order they came up."""
        return list(dict.fromkeys(one for one, _ in self._results if one.kind in self._grid.kinds))

    def _scores(self, candidate: Candidate) -> list[tuple[float, ...]]:
        """Return the scores of a candidate by fold and by smoothing of the parameters."""
        folds = range(len(self._searches.folds))
        kept = [fold for fold in folds if fold not in self._left_out and (candidate, fold) in self._results]
        return [self._results[candidate, fold].log_predictives for fold in kept]

    def _best_scores(self, candidate: Candidate) -> list[float]:
        """Return the scores by fold under the best smoothing of the parameters."""
        scores = np.array(self._scores(candidate))
        column: list[float] = scores[:, int(scores.mean(axis=0).argmax())].tolist()
        return column

    def _sort(self, candidates: Iterable[Candidate]) -> list[Candidate]:
        """Sort candidates that were searched on the same folds, the best first."""
        return sorted(candidates, key=lambda one: (-float(np.mean(self._best_scores(one))), one.rank))

    def _search(self, candidates: Iterable[Candidate], folds: Sequence[int], deadline: Deadline) -> None:
        """Search candidates on folds; a fold that one of them had no time for is left out of the comparison."""
        asked = list(candidates)
        new = [fold for fold in folds if fold not in self._starts]
        if asked and new and self._searches.search.climbs:
            first = self._first_on_folds(asked[0])
            if asked != [first]:
                self._search([first], new, deadline.share(1 / len(asked)))
        pairs = [(one, fold) for fold in folds for one in asked if (one, fold) not in self._results]
        tasks = [Task(one, fold, self._start_of(one, fold)) for one, fold in pairs]
        for task, result in self._run(tasks, deadline).items():
            self._results[task.candidate, task.fold] = result
            if result.parents is not None and self._searches.search.climbs:
                self._starts.setdefault(task.fold, result.parents)
        for fold in folds:
            if not all(isfinite(self._results[one, fold].log_predictives[0]) for one in asked):
                self._left_out.add(fold)

    def _first_on_folds(self, candidate: Candidate) -> Candidate:
        """Return whose graphs others start from: plain tables, which are quick and which labels are compared with.

        Where tables are among the candidates, the race begins with them.
        """
        has_tables = any(STRUCTURES[kind.structure].is_table for kind in self._grid.kinds)
        return candidate if has_tables or not self._searches.plan.takes("table") else self._tables_like(candidate)

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
        total = len(self._results) + len(tasks)

        def done(task: Task, result: FoldScore) -> None:
            results[task] = result
            if self._checkpoint is not None and result.is_final:
                self._checkpoint.put(task.name, [list(result.log_predictives), result.parents, result.score])
            self._tell(len(self._results) + len(results), total)

        run_tasks(self._searches, missing, self._searches.plan.n_jobs, deadline, done, self._executor)
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

    def _compare_with_tables(self, n_folds: int) -> CrossValidation:
        """Put the scores together, with those of plain tables."""
        searched = self._leave_out_cut(self._searched if self._grid.is_raced else list(self._grid))
        best = self._put_together(searched).best
        if STRUCTURES[best.structure].is_table or not self._searches.plan.takes("table"):
            return self._put_together(searched)
        tables = self._tables_like(best)
        origin = replace(best, smoothing=None)
        self._origins.setdefault(tables, origin)
        folds = [
            fold
            for fold in range(n_folds)
            if fold not in self._left_out and (origin, fold) in self._results and (tables, fold) not in self._results
        ]
        self._search([tables], folds, self._searches.deadline)
        searched = self._leave_out_cut(searched, tables)
        cv = self._put_together(searched)
        if self._compares_cut:  # which says nothing of graphs that searches would find
            return cv
        place = self._grid.smoothings.index(best.smoothing)
        return replace(cv, tables=tuple(scores[place] for scores in self._scores(tables)))

    def _leave_out_cut(self, searched: Sequence[Candidate], *more: Candidate) -> list[Candidate]:
        """Leave out the folds on which a search of the last ones did not come to its end, and others it happened to.

        That is, if enough folds are left; otherwise what was found before the end of the time is compared.
        """
        cut = {pair for pair, result in self._results.items() if not result.is_final}
        n_folds = Counter(one for one, _ in self._results if one in searched)
        last = [one for one in searched if n_folds[one] == max(n_folds.values())]
        cut_folds = {fold for one, fold in cut if one in (*last, *more)}
        left = {fold for one, fold in self._results if one == last[0]} - self._left_out - cut_folds
        self._compares_cut = bool(cut_folds) and len(left) < FEWEST_FOLDS
        if self._compares_cut:
            return list(searched)
        self._left_out |= cut_folds
        return [one for one in searched if not any(who == one and fold not in self._left_out for who, fold in cut)]

    def _describe_cut(self) -> Iterator[str]:
        """Say what was left out for lack of time, or that it was not."""
        if self._compares_cut:
            yield (
                "too little time: searches on the folds did not come to their end, so that unfinished graphs are"
                f" compared; give a longer {argument('time_limit')}, or a {argument('kappa')}"
            )
        elif self._left_out:
            yield (
                f"{len(self._left_out)} of {len(self._searches.folds)} folds are left out: searches on them did not"
                " come to their end within the time limit"
            )

    def _tables_like(self, best: Candidate) -> Candidate:
        """Return plain tables with the sample size of a candidate, and the prior unless that is chosen, too.

        Where every leaf has a sample size of its own, the best tables that were looked at.
        """
        if best.prior == "leaves":
            known = [one for one in self._running if STRUCTURES[one.structure].is_table]
            return self._sort(known)[0] if known else Candidate(1.0, best.equivalent_sample_size, "table")
        prior = "labels" if self._searches.plan.settings.prior == "cv" else best.prior
        kappa = best.kappa if ClassKind("table", prior).has_kappa else 1.0
        return Candidate(kappa, best.equivalent_sample_size, "table", prior=prior)

    def _put_together(self, searched: Sequence[Candidate]) -> CrossValidation:
        """Return the scores of all candidates under all smoothings of the parameters."""
        scores: dict[Candidate, tuple[float, ...]] = {}
        for candidate in searched:
            columns = zip(*self._scores(candidate), strict=True)
            scores |= dict(zip(self._grid.judged(candidate), columns, strict=True))
        left_out = tuple(dict.fromkeys(self._too_slow))
        notes = tuple(self._describe_cut())
        return CrossValidation(scores, len(self._searches.folds), left_out=left_out, notes=notes)
