"""The race of cross-validation: which candidates are searched on which folds, until one is best.

Where only kappa is chosen and that is quick, every kappa is searched on every fold, as in the paper. Otherwise the race
walks through the grid on the first folds, kind after kind, from the best candidate so far to those one step away, as
long as that is better; of large data, those that are behind on one fold stop there. Then it halves: the best four go on
to the next folds, and the best two to the last ones, unless these can hardly change who is best. Sample sizes of labels
or of one kind of trees are those that tables predict best with, which takes a tenth of the time; only then are labels
searched.
A climb starts from the graph that another candidate has on the same fold, never from one that was learned from all the
data: that has seen what is to be predicted, and settings that over-fit look good by it (measured: with 180 variables
and 1,600 rows a sample size of 30 looked better than 10 by 0.46 nats per row, and predicted new rows worse by 0.36).
Nothing depends on time or on the order in which threads finish, unless there is a time limit.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from math import ceil, sqrt

import numpy as np

from ldag.learning.content_order import order_by_content
from ldag.learning.cross_validation import Candidate, CandidateGrid, CrossValidation, HeldOutGroups
from ldag.learning.fold_results import FoldResults
from ldag.learning.folds import FEWEST_FOLDS, FOLD_RESTARTS, FoldSearches, check_folds, cut_folds
from ldag.learning.group_folds import count_units
from ldag.learning.growth_race import race_rivals
from ldag.learning.plan import Plan
from ldag.learning.searches import GraphParents
from ldag.learning.structures import STRUCTURES, ClassKind, StructureKind
from ldag.progress import Deadline, Progress, listen

ENOUGH_PREDICTED = 3_000
"""Observations that the first folds have together, if half of all folds do: then differences that matter are seen."""

KEPT = 4
"""So many candidates go on after the first folds, and half of them to the last ones."""

BEHIND = 0.003
"""Where fewer than half of all folds have enough observations, one has enough to see who is behind: a candidate so much
worse than the best there, as a part of its score, stops. On 10,000 rows of plants, all settings took 42 s instead of
115."""

LOW_KAPPA = 0.001
"""A price for every parameter at which a bag of words has few edges: with 1,056 variables and 208 rows, plain tables
predict -766 nats per row, no edges -439, and tables at this price -437."""

PRICED = "few rows for so many variables: tables with a price for every parameter (kappa {kappa:g}) predict better"

SURE = 3.0
"""So many standard deviations of what the other folds may bring: a candidate that is further ahead stays so."""

MOST_SECONDS = 20.0
"""For all families that have one parent more than those of the best graph so far: estimated, so that nothing depends on
the machine. A structure that takes longer is left out, and the result says so."""

STEP_SHARE = 0.2
"""Of a limited time that is left, for one step through the grid."""

RACE_SHARE = 0.8
"""Of a limited time, for the race; the rest is for the tables that the best candidate is compared with."""


def count_first_folds(n_folds: int, n_units: float) -> int:
    """Return on how many folds the race walks: those that have enough to predict, at most half of all, at least two."""
    enough = ceil(ENOUGH_PREDICTED * n_folds / n_units)
    return min(max(min(enough, ceil(n_folds / 2)), FEWEST_FOLDS), n_folds)


def compare_candidates(
    plan: Plan,
    grid: CandidateGrid,
    n_folds: int,
    deadline: Deadline,
    progress: Progress,
    executor: Executor | None,
    target: str | None = None,
) -> tuple[CrossValidation, GraphParents | None, Mapping[int, GraphParents]]:
    """Compare settings on the folds of the data; the graph is one to start the last search from, if there is one.

    Also returned are the graphs of the best candidate by the number of the fold, over the data ordered by content.
    """
    work = order_by_content(plan.data)
    folds = list(cut_folds(work, check_folds(work, n_folds), plan.seed))
    n_restarts = 0 if grid.is_raced else FOLD_RESTARTS
    node = None if target is None else work.schema.node(target)
    searches = FoldSearches(plan.over(work), work, folds, grid.smoothings, n_restarts, deadline, node)
    with listen(progress, "cross-validation", deadline) as listener:
        results = FoldResults(searches, listener, executor, plan.checkpoint)
        try:
            cv = Race(results, grid).run()
            growing = searches.plan.rival()
            cv = cv if growing is None else race_rivals(growing, results, cv)
        finally:
            if plan.checkpoint is not None:
                plan.checkpoint.save()
    best = replace(cv.best, smoothing=None)
    is_told = grid.has_more_than_kappas and best.levels is None
    graph = results.graph_of(best) if is_told else None
    return cv, None if graph is None else plan.translate(graph, work.schema), results.graphs_of(best)


class Race:
    """A grid of candidates, and what they scored on folds."""

    def __init__(self, results: FoldResults, grid: CandidateGrid) -> None:
        self._results = results
        self._searches = results.searches
        self._grid = grid
        self._running: list[Candidate] = []
        """Those that were searched on all of the first folds."""
        self._too_slow: list[StructureKind] = []
        self._is_raced = grid.is_raced  # also when one sample size is left of it
        self._may_end = grid.has_more_than_kappas  # kappas by themselves are compared as in the paper
        self._notes: list[str] = []
        self._of_sizes: list[Candidate] = []
        """Tables that the sample size was chosen with."""

    def run(self) -> CrossValidation:
        """Find the best candidate, and compare it with plain tables."""
        n_folds, deadline = len(self._searches.folds), self._searches.deadline.share(RACE_SHARE)
        if self._is_raced:
            n_first = count_first_folds(n_folds, count_units(self._searches.data))
            origin = self._settle_size(n_first, deadline) if self._grid.has_sizes_of_tables else None
            self._race(n_first, deadline, origin)
        else:
            self._search([*self._grid, *self._tables_at_once()], range(n_folds), deadline)
        return self._compare_with_tables(n_folds)

    def _settle_size(self, n_first: int, deadline: Deadline) -> Candidate | None:
        """Leave the sample size in the grid that tables predict best with, and return these, if there may be tables."""
        if not self._searches.plan.takes("table"):
            return None
        tables = self._tables_like(next(iter(self._grid)))
        grid = replace(self._grid, kinds=(tables.kind,), kappas=(tables.kappa,))
        if self._grid.kinds[0] == ("ldag", "labels") and self._searches.plan.has_few_rows:
            priced = (ClassKind("table", "parameters"),)
            is_wide = self._searches.plan.is_wide
            kappas = (LOW_KAPPA,) if is_wide else tuple(dict.fromkeys((LOW_KAPPA, *self._grid.kappas)))
            grid = replace(grid, kinds=priced if is_wide else (tables.kind, *priced), kappas=kappas)
        race = Race(self._results, grid)
        race._race(n_first, deadline.share(0.5))
        best = replace(race._put_together(race._searched).best, smoothing=None)
        self._grid = replace(self._grid, sizes=(best.equivalent_sample_size,))
        if best.prior != tables.prior:  # which labels take long with, and few rows cannot tell of
            self._grid = replace(self._grid, kinds=(best.kind,), kappas=(best.kappa,))
            self._notes.append(PRICED.format(kappa=best.kappa))
        self._of_sizes = race._searched
        return best

    def _race(self, n_first: int, deadline: Deadline, origin: Candidate | None = None) -> None:
        """Walk on the first folds, and go on with the best of the candidates."""
        self._walk(range(n_first), deadline, origin)
        self._halve(n_first, min(2 * n_first, len(self._searches.folds)), deadline)

    def _walk(self, folds: Sequence[int], deadline: Deadline, root: Candidate | None) -> None:
        """Go through the grid, kind after kind, as long as a step is better."""
        for kind in self._grid.kinds:
            is_only = len(self._grid.kinds) == 1  # and nothing else is left to compare
            if root is not None and not is_only and self._seconds(kind.structure, root) > MOST_SECONDS:
                self._too_slow.append(kind.structure)
                continue
            origin = root
            ahead = [self._grid.first(kind, root)]
            while near := self._keep_near(ahead, folds, deadline.share(STEP_SHARE), origin):
                self._search(near, folds, deadline.share(STEP_SHARE), origin)
                self._running += near
                origin = self._results.rank(one for one in self._running if one.kind == kind)[0]
                ahead = [one for one in self._grid.neighbours(origin) if one not in self._searched]
                if deadline.is_over:
                    return
            root = root or origin  # from the best of the first kind, tables if they are there, the others start

    def _keep_near(
        self, ahead: Sequence[Candidate], folds: Sequence[int], deadline: Deadline, origin: Candidate | None
    ) -> list[Candidate]:
        """Return those of some candidates that are not behind on the first fold, if that tells."""
        if 2 * len(folds) >= len(self._searches.folds) or not ahead:
            return list(ahead)
        self._search(ahead, folds[:1], deadline, origin)
        scores = {one: self._results.first_score(one) for one in self._searched}
        best = max(scores.values())
        return [one for one in ahead if scores[one] >= best - BEHIND * abs(best)]

    def _halve(self, done: int, last: int, deadline: Deadline) -> None:
        """Search the best candidates on more folds, and the best half of them on the rest."""
        running, n_kept = self._results.rank(self._running), KEPT
        while done < last and not (self._may_end and self._is_decided(running, last)):
            upto = done + ceil((last - done) / 2) if n_kept == KEPT else last
            running = self._best_and_tables(running, n_kept)
            self._search(running, range(done, upto), deadline.share((upto - done) / (last - done)))
            running, n_kept, done = self._results.rank(running), n_kept // 2, upto

    def _is_decided(self, ranked: Sequence[Candidate], last: int) -> bool:
        """Whether the best candidate so far is further ahead than the folds that are left are likely to change.

        Each candidate counts under its best smoothing. What is left of n folds after k adds up to a normal variable
        whose mean and variance are known from k folds, so that the final mean has a standard deviation of
        s sqrt((n - k) / (n k)).
        """
        scores = [np.array(self._results.scores(one)) for one in ranked]
        best, *others = (own[:, own.mean(axis=0).argmax()] for own in scores)
        unknown = SURE * sqrt(max(last - len(best), 0) / (last * len(best)))
        return all(ahead.mean() > unknown * np.std(ahead, ddof=1) for ahead in (best - other for other in others))

    def _search(
        self, candidates: Sequence[Candidate], folds: Sequence[int], deadline: Deadline, origin: Candidate | None = None
    ) -> None:
        """Search candidates; on folds where nobody was, tables come first: they are quick, and others start there."""
        new = self._results.without_start(folds)
        if new and candidates:
            tables = [one for one in candidates if _has_tables(one)]
            first = tables[0] if tables else self._tables_like(candidates[0])
            first = first if self._searches.plan.takes("table") else candidates[0]
            self._results.search([first], new, deadline.share(1 / len(candidates)))
        self._results.search(candidates, folds, deadline, origin)

    @property
    def _searched(self) -> list[Candidate]:
        """The candidates of the grid that were searched, in the order they came up."""
        return [one for one in self._results.candidates if one.kind in self._grid.kinds]

    def _seconds(self, structure: StructureKind, leader: Candidate) -> float:
        """Estimate what all families take that have one parent more than those of a graph."""
        n_states = self._searches.plan.problem.n_states
        parents = self._results.graph_of(leader) or ()
        mean = float(np.mean(n_states))
        cost = STRUCTURES[structure].greedy_microseconds
        sizes = (np.prod([n_states[node] for node in above]) * mean for above in parents)
        return sum(cost(float(size)) for size in sizes) * len(n_states) * 1e-6

    @staticmethod
    def _best_and_tables(ranked: Sequence[Candidate], most: int) -> list[Candidate]:
        """Return so many of the best, and the best tables if they are not among them: they must be beaten."""
        tables = [] if any(map(_has_tables, ranked[:most])) else [one for one in ranked[most:] if _has_tables(one)]
        return [*ranked[:most], *tables[:1]]

    def _tables_at_once(self) -> list[Candidate]:
        """Return the plain tables that the best kappa will be compared with, if a search for all finds them, too."""
        first = next(iter(self._grid))
        tables = self._tables_like(first)
        is_same_for_all = not _has_tables(first) and not tables.kind.has_kappa
        is_wanted = is_same_for_all and self._searches.is_quick and self._searches.plan.takes("table")
        return [tables] if is_wanted else []

    def _tables_like(self, best: Candidate) -> Candidate:
        """Return plain tables with the sample size of a candidate, and the prior unless that is chosen, too.

        Where every leaf has a sample size of its own, the best tables that were looked at.
        """
        if best.prior == "leaves":
            known = self._results.rank(one for one in self._running if _has_tables(one))
            return known[0] if known else Candidate(1.0, best.equivalent_sample_size, "table")
        prior = "labels" if self._searches.plan.settings.prior == "cv" else best.prior
        kappa = best.kappa if ClassKind("table", prior).has_kappa else 1.0
        return Candidate(kappa, best.equivalent_sample_size, "table", prior=prior)

    def _compare_with_tables(self, n_folds: int) -> CrossValidation:
        """Put the scores together, with those of plain tables."""
        results = self._results
        searched = results.leave_out_cut(self._searched if self._is_raced else list(self._grid))
        best = self._put_together(searched).best
        if _has_tables(best) or not self._searches.plan.takes("table"):
            return self._put_together(searched)
        tables, origin = self._tables_like(best), replace(best, smoothing=None)
        results.search([tables], results.folds_of(origin, n_folds), self._searches.deadline, origin)
        searched = results.leave_out_cut(searched, tables)
        cv = self._put_together(searched)
        if results.compares_cut:  # which says nothing of graphs that searches would find
            return cv
        place = self._grid.smoothings.index(best.smoothing)
        compared = tuple(scores[place] for scores in results.scores(tables)[: len(cv.scores[best])])
        if cv.groups is None or not compared:
            return replace(cv, tables=compared)
        return replace(cv, tables=compared, groups=replace(cv.groups, error=results.group_error(best, tables)))

    def _put_together(self, searched: Sequence[Candidate]) -> CrossValidation:
        """Return the scores of all candidates under all smoothings of the parameters."""
        scores: dict[Candidate, tuple[float, ...]] = {}
        kind = self._grid.kinds[0] if self._of_sizes else None
        for candidate in (*searched, *(one for one in self._of_sizes if one not in searched)):
            columns = zip(*self._results.scores(candidate), strict=True)
            scores |= dict(zip(self._grid.judged(candidate), columns, strict=True))
        left_out = tuple(dict.fromkeys(self._too_slow))
        return CrossValidation(
            scores,
            len(self._searches.folds),
            left_out=left_out,
            notes=(*self._results.describe_cut(), *self._notes),
            kind=kind,
            groups=HeldOutGroups.of(self._searches.data),
        )


def _has_tables(candidate: Candidate) -> bool:
    """Whether nothing but tables is searched."""
    return STRUCTURES[candidate.structure].is_table
