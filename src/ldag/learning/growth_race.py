"""How growth is set where sizes are chosen: a race on folds, whose best setting predicts held-out rows best.

On the first fold every prior grows with levels, but for the nested ones, which grow leaf by leaf, and the best three
leaf by leaf as well, at two prices of a parameter; the best go on to the next folds. Every growth is judged under all
smoothings of its leaves, which costs little.
"""

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace

import numpy as np

from ldag.learning.content_order import order_by_content
from ldag.learning.cross_validation import Candidate, CrossValidation, HeldOutGroups
from ldag.learning.fold_results import FoldResults
from ldag.learning.folds import FoldSearches, check_folds, cut_folds
from ldag.learning.plan import Plan
from ldag.learning.structures import STRUCTURES
from ldag.progress import Deadline, Progress, listen
from ldag.scoring import Prior

MOST_FOLDS = 5
"""Each learns from four fifths of the rows, and growth is raced on all of them."""

PRIORS_OF_GROWTH: tuple[tuple[Prior, float], ...] = (
    ("parameters", 1.0),
    ("parameters", 10.0),
    ("parameters", 100.0),
    ("parameters", 1000.0),
    ("leaves", 2.0),
    ("nested", 2.0),
    ("nested", 8.0),
    ("nested", 32.0),
)
"""What is compared: a size for the whole table, for every leaf, or what a leaf leans on the node above."""

KAPPA_OF_LEVELS = 1.0
"""With levels the choice has its price; one for parameters as well makes trees too small. Leaves that lean on the nodes
above cost nothing then, and would grow for ever: without a price they took thirty times as long on plants, and on
jester they predicted worse."""

KAPPAS_OF_LEAVES = (0.03, 0.3)

KAPPA_OF_NESTED = 0.3

GROWN_BY_LEAF = 3
"""So many of the priors that are best with levels are tried leaf by leaf, too."""

KEPT = (6, 3)
"""Settings that go on to the second fold, and to the others."""

TABLE_SIZES = (10.0, 100.0)
"""Of the tables that growth is compared with; the better one on the first fold counts."""

MOST_TABLES = 300
"""Columns up to which it is compared with tables."""

RIVALS: tuple[tuple[Prior, float], ...] = (("parameters", 1000.0), ("leaves", 2.0), ("nested", 32.0))
"""What growth joins other structures with."""

KEPT_RIVALS = (2, 1)
"""Of these, on the second fold and on the others."""

BEHIND = 0.01
"""Growth that is so much worse than the best of other structures, as a part of their score, stops."""

TOO_SHORT = "too little time for all settings of growth; what came to an end by then is compared"


def compare_growths(
    plan: Plan,
    n_folds: int,
    deadline: Deadline,
    progress: Progress,
    executor: Executor | None = None,
    target: str | None = None,
) -> CrossValidation:
    """Return what the settings of growth score on folds."""
    work = order_by_content(plan.data)
    n_folds = min(check_folds(work, n_folds), MOST_FOLDS)
    folds = list(cut_folds(work, n_folds, plan.seed))
    node = None if target is None else work.schema.node(target)
    own = plan.over(work)
    searches = FoldSearches(own, work, folds, own.settings.smoothings(), 0, deadline, node)
    with listen(progress, "cross-validation", deadline) as listener:
        try:
            return GrowthRace(FoldResults(searches, listener, executor, plan.checkpoint), range(len(folds))).run()
        finally:
            if plan.checkpoint is not None:
                plan.checkpoint.save()


def race_rivals(growing: Plan, others: FoldResults, cv: CrossValidation) -> CrossValidation:
    """Return a comparison of structures in which growth was one more candidate, on the same folds.

    It does not go on where it is behind, and what took part in the first race stays as it was.
    """
    best, searches = cv.best, others.searches
    own = replace(searches, plan=growing, smoothings=growing.settings.smoothings(), n_restarts=0)
    folds = others.folds_of(replace(best, smoothing=None), len(searches.folds))[:MOST_FOLDS]
    scores = GrowthRace(others.of(own), folds, cv.scores[best]).compare()
    if not scores:
        return cv
    both = replace(cv, scores={**cv.scores, **scores})
    if both.best.levels is None:
        return both
    tables = cv.scores[best] if STRUCTURES[best.structure].is_table else cv.tables
    groups = None if cv.groups is None else replace(cv.groups, error=None)
    return replace(both, tables=tables[: len(both.scores[both.best])], groups=groups)


class GrowthRace:
    """Settings of growth, and how they come through one fold after the other.

    ``ahead`` has the folds of the best of other structures, where growth is one more candidate.
    """

    def __init__(self, results: FoldResults, folds: Sequence[int], ahead: Sequence[float] | None = None) -> None:
        self._results, self._folds, self._ahead = results, folds, ahead
        self._plan, self._deadline = results.searches.plan, results.searches.deadline
        self._running: list[Candidate] = []
        """Those that were grown on all folds so far."""
        self._raced: list[Candidate] = []
        self._is_cut = False
        """Whether time was too short for all that was begun."""

    def run(self) -> CrossValidation:
        """Race the settings of growth by themselves, and compare the best with plain tables."""
        scores, groups = self.compare(), HeldOutGroups.of(self._results.searches.data)
        cv = CrossValidation(scores, len(self._folds), notes=(TOO_SHORT,) * self._is_cut, groups=groups)
        return cv if self._is_cut else replace(cv, tables=self._compare_with_tables(len(cv.scores[cv.best])))

    def compare(self) -> dict[Candidate, tuple[float, ...]]:
        """Grow on one fold after the other, and return what the settings score under all smoothings."""
        is_rival = self._ahead is not None
        first, *others = self._folds
        self._begin(self._rivals() if is_rival else self._first(), first)
        if not is_rival and not self._deadline.is_over:
            self._begin(self._leaf_by_leaf(), first)
        self._keep_finished(first)
        for number, fold in enumerate(others):
            if self._deadline.is_over or self._is_cut or self._is_behind():
                break
            n_kept = (KEPT_RIVALS if is_rival else KEPT)[min(number, 1)]
            self._running = self._results.rank(self._running)[:n_kept]
            self._results.search(self._running, [fold], self._deadline)
            if len(self._results.finished(self._running, fold)) < len(self._running):
                self._is_cut = True
                self._results.leave_out(fold)
        scores: dict[Candidate, tuple[float, ...]] = {}
        for candidate in self._raced:
            columns = zip(*self._results.scores(candidate), strict=True)
            judged = (replace(candidate, smoothing=one) for one in self._results.searches.smoothings)
            scores |= dict(zip(judged, columns, strict=True))
        return scores

    def _begin(self, candidates: Sequence[Candidate], fold: int) -> None:
        """Grow on the first fold; where time is limited, in turns, each with its share, until that is over."""
        n_jobs = self._plan.n_jobs if self._deadline.is_set else max(len(candidates), 1)
        for done in range(0, len(candidates), n_jobs):
            if self._raced and self._deadline.is_over:
                self._is_cut = True
                return
            turn = candidates[done : done + n_jobs]
            self._results.search(turn, [fold], self._deadline.share(n_jobs / (len(candidates) - done)))
            self._raced += turn

    def _keep_finished(self, fold: int) -> None:
        """Leave out settings that time was too short for on the first fold, unless it was so for all."""
        ended = self._results.finished(self._raced, fold)
        self._is_cut |= len(ended) < len(self._raced)
        if ended or self._ahead is not None:
            self._raced = ended
        self._running = list(self._raced)

    def _is_behind(self) -> bool:
        """Whether growth is so far behind other structures that it stops."""
        if self._ahead is None or not self._running:
            return not self._running
        scores = self._results.scores(self._results.rank(self._running)[0])
        best, other = float(np.mean(scores, axis=0).max()), float(np.mean(self._ahead[: len(scores)]))
        return best < other - BEHIND * abs(other)

    def _rivals(self) -> list[Candidate]:
        """Return the settings that growth joins other structures with."""
        given = self._plan.settings
        few = [one for one in self._first() if (one.prior, one.equivalent_sample_size) in RIVALS]
        return few if given.equivalent_sample_size == "cv" and few else self._first()

    def _first(self) -> list[Candidate]:
        """Return the settings to begin with: with levels, unless these are not asked for."""
        settings = self._plan.settings
        given = settings.equivalent_sample_size
        alike = "parameters" if settings.prior == "uniform" else settings.prior
        priors: list[tuple[Prior, float]] = [
            ("uniform" if settings.prior == "uniform" else prior, size if given == "cv" else float(given))
            for prior, size in PRIORS_OF_GROWTH
            if alike in ("labels", prior)
        ]
        if self._levels is False:
            return [one for prior, size in dict.fromkeys(priors) for one in self._by_leaf(prior, size)]
        nested = self._kappa_or(KAPPA_OF_NESTED)
        kappa = self._kappa_or(KAPPA_OF_LEVELS)
        first = [
            Candidate(nested if prior == "nested" else kappa, size, "tree", prior=prior, levels=prior != "nested")
            for prior, size in dict.fromkeys(priors)
        ]
        return sorted(first, key=lambda one: (one.prior, one.equivalent_sample_size) not in RIVALS)

    def _kappa_or(self, usual: float) -> float:
        if self._plan.settings.prior == "uniform":
            return 1.0
        given = self._plan.settings.kappa
        return usual if given is None or given == "cv" else float(given)

    @property
    def _levels(self) -> bool | None:
        levels: bool | None = self._plan.settings.method_option("levels")
        return levels

    def _leaf_by_leaf(self) -> list[Candidate]:
        """Return the best settings without levels."""
        if self._levels is not None:
            return []
        best = [one for one in self._results.rank(self._raced) if one.levels][:GROWN_BY_LEAF]
        return [one for leader in best for one in self._by_leaf(leader.prior, leader.equivalent_sample_size)]

    def _by_leaf(self, prior: Prior, size: float) -> list[Candidate]:
        kappas = (KAPPA_OF_NESTED,) if prior == "nested" else KAPPAS_OF_LEAVES
        chosen = dict.fromkeys(map(self._kappa_or, kappas))
        return [Candidate(own, size, "tree", prior=prior, levels=False) for own in chosen]

    def _compare_with_tables(self, n_folds: int) -> tuple[float, ...]:
        """Return the folds of plain tables, unless these take long."""
        plan = self._plan
        is_wide = plan.problem.n_variables > MOST_TABLES
        if is_wide or plan.data.has_gaps or self._deadline.is_set or not plan.takes("table"):
            return ()
        searches = replace(self._results.searches, plan=plan.search_by("climb"), smoothings=(None,))
        results = self._results.of(searches)
        tables = [Candidate(1.0, size, "table") for size in TABLE_SIZES]
        results.search(tables, self._folds[:1], self._deadline)
        best = results.rank(tables)[0]
        results.search([best], self._folds[1:n_folds], self._deadline)
        return tuple(score for (score,) in results.scores(best))
