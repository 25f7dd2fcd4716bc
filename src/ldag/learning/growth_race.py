"""How growth is set where sizes are chosen: a race on folds, whose best setting predicts held-out rows best.

On the first fold every prior grows with levels, but for the nested ones, which grow leaf by leaf, and the best three
leaf by leaf as well, at two prices of a parameter; the best go on to the next folds. Every growth is judged under all
smoothings of its leaves, which costs little.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from ldag.data import Dataset
from ldag.learning.content_order import order_by_content
from ldag.learning.cross_validation import Candidate, CrossValidation, HeldOutGroups
from ldag.learning.folds import Fold, check_folds, cut_folds
from ldag.learning.plan import Plan
from ldag.learning.searches import SearchControl
from ldag.learning.settings import USUAL_KAPPA
from ldag.learning.structures import CountedFamily
from ldag.model import ClassPosteriors, Smoothing, count_classes
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


def compare_growths(plan: Plan, n_folds: int, deadline: Deadline, progress: Progress) -> CrossValidation:
    """Return what the settings of growth score on folds."""
    work = order_by_content(plan.data)
    n_folds = min(check_folds(work, n_folds), MOST_FOLDS)
    folds = list(cut_folds(work, n_folds, plan.seed))
    race = _GrowthRace(plan.over(work), work, folds, deadline)
    with listen(progress, "cross-validation", deadline) as listener:
        for done, fold in enumerate(range(n_folds), start=1):
            race.go_on(fold)
            if listener is not None:
                listener({"done": done, "total": n_folds, "accepted": 0, "best": race.best_score})
    return race.result()


class _GrowthRace:
    """Settings of growth, and what each scored on folds under every smoothing."""

    def __init__(self, plan: Plan, data: Dataset, folds: Sequence[Fold], deadline: Deadline) -> None:
        self._plan, self._data, self._folds, self._deadline = plan, data, folds, deadline
        self._smoothings = plan.settings.smoothings()
        self._scores: dict[Candidate, list[tuple[float, ...]]] = {}
        self._tables: list[float] = []
        self._table: Candidate | None = None

    @property
    def best_score(self) -> float:
        """The best mean so far, of those with most folds."""
        return max((self._mean(one) for one in self._ranked()), default=0.0)

    def go_on(self, fold: int) -> None:
        """Grow on one more fold: all settings on the first one, and then the best."""
        if self._deadline.is_over and fold:
            return
        if fold == 0:
            self._grow(self._first(), fold)
            self._grow(self._leaf_by_leaf(), fold)
        else:
            self._grow(self._ranked()[: KEPT[min(fold, len(KEPT)) - 1]], fold)

    def result(self) -> CrossValidation:
        """Put the scores together, with those of tables."""
        scores: dict[Candidate, tuple[float, ...]] = {}
        for candidate, rows in self._scores.items():
            columns = zip(*rows, strict=True)
            judged = [replace(candidate, smoothing=smoothing) for smoothing in self._smoothings]
            scores |= dict(zip(judged, columns, strict=True))
        cv = CrossValidation(scores, len(self._folds), groups=HeldOutGroups.of(self._data))
        return replace(cv, tables=self._compare_with_tables(len(cv.scores[cv.best])))

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
        return [
            Candidate(nested if prior == "nested" else kappa, size, "tree", prior=prior, levels=prior != "nested")
            for prior, size in dict.fromkeys(priors)
        ]

    def _kappa_or(self, usual: float) -> float:
        if self._plan.settings.prior == "uniform":
            return 1.0
        given = self._plan.settings.kappa
        return usual if given in (USUAL_KAPPA, "cv") else float(given)

    @property
    def _levels(self) -> bool | None:
        levels: bool | None = self._plan.settings.method_option("levels")
        return levels

    def _leaf_by_leaf(self) -> list[Candidate]:
        if self._levels is not None:
            return []
        best = [one for one in self._ranked() if one.levels][:GROWN_BY_LEAF]
        return [one for leader in best for one in self._by_leaf(leader.prior, leader.equivalent_sample_size)]

    def _by_leaf(self, prior: Prior, size: float) -> list[Candidate]:
        kappas = (KAPPA_OF_NESTED,) if prior == "nested" else KAPPAS_OF_LEAVES
        chosen = dict.fromkeys(map(self._kappa_or, kappas))
        return [Candidate(own, size, "tree", prior=prior, levels=False) for own in chosen]

    def _mean(self, candidate: Candidate) -> float:
        return float(np.mean(self._scores[candidate], axis=0).max())

    def _ranked(self) -> list[Candidate]:
        """Return the settings with most folds, the best first."""
        most = max(map(len, self._scores.values()), default=0)
        alive = [one for one, rows in self._scores.items() if len(rows) == most]
        return sorted(alive, key=lambda one: (-self._mean(one), one.rank))

    def _grow(self, candidates: Sequence[Candidate], fold: int) -> None:
        with ThreadPoolExecutor(self._plan.n_jobs) as pool:
            results = list(pool.map(lambda one: self._predict(one, fold), candidates))
        for candidate, scores in zip(candidates, results, strict=True):
            self._scores.setdefault(candidate, []).append(scores)

    def _predict(self, candidate: Candidate, fold: int) -> tuple[float, ...]:
        """Grow on the training part, and predict the test part under every smoothing."""
        part = self._folds[fold]
        plan = self._plan.choose(candidate)
        problem = plan.problem.over(part.train)
        scorer = problem.families.scorer(part.train.columns, cache_bytes=0)
        result = plan.search.run(scorer, problem, SearchControl(1, self._deadline))
        smoothings = [replace(candidate, smoothing=one).of_parameters for one in self._smoothings]
        return predict_fold(result.families(problem, self._data.schema.n_states), part.test, smoothings)

    def _compare_with_tables(self, n_folds: int) -> tuple[float, ...]:
        """Return the folds of plain tables, unless these take long."""
        plan = self._plan
        if plan.problem.n_variables > MOST_TABLES or self._deadline.is_set or not plan.takes("table"):
            return ()
        scores: list[float] = []
        sizes: tuple[float, ...] = TABLE_SIZES
        for part in self._folds[:n_folds]:
            own: Mapping[float, float] = {size: self._predict_by_tables(part, size) for size in sizes}
            if not scores:
                sizes = (max(own, key=lambda size: own[size]),)
            scores.append(own[sizes[0]])
        return tuple(scores)

    def _predict_by_tables(self, part: Fold, size: float) -> float:
        tables = self._plan.search_by("climb").choose(Candidate(1.0, size, "table")).without_restarts()
        problem = tables.problem.over(part.train)
        scorer = problem.families.scorer(part.train.columns)
        result = tables.search.run(scorer, problem, SearchControl(self._plan.n_jobs))
        families = result.families(problem, self._data.schema.n_states)
        return predict_fold(families, part.test, [Smoothing(size)])[0]


def predict_fold(
    families: Sequence[CountedFamily], test: Dataset, smoothings: Sequence[Smoothing]
) -> tuple[float, ...]:
    """Return the log probability of held-out rows by the means of the posterior, for every smoothing."""
    totals = np.zeros(len(smoothings))
    n_states = test.schema.n_states
    for node, trained in enumerate(families):
        partition = trained.family.partition
        above = test.codes[list(trained.family.parents)]
        new = count_classes(partition, above, test.codes[node], n_states[node], test.weights)
        counts = partition.add_up(trained.counts)
        for place, smoothing in enumerate(smoothings):
            means = ClassPosteriors.of(partition, smoothing, counts).mean()
            totals[place] += float(new[new > 0] @ np.log(means[new > 0]))
    return tuple(totals.tolist())
