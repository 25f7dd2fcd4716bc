"""Folds of data with gaps: the training part is completed once, and observed cells of the rest are predicted exactly.

Every candidate is searched on the same completions of a fold's training part, by structural EM with the usual tables:
one way up from available cases, without a look at what is to be predicted. That is fair to all of them, and costs each
one search of rows with weights, as if there were no gaps.
"""

import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ldag.data import GAP, Dataset
from ldag.inference import CodedGaps, Completions, EMControl, NothingFits, Numbers, Rows, run_em
from ldag.learning.cross_validation import USUAL_SIZE, Candidate
from ldag.learning.em_graphs import AVAILABLE, GIVEN
from ldag.learning.filled_rows import FilledTest, learn_filler
from ldag.learning.plan import Plan
from ldag.learning.searches import GraphParents
from ldag.learning.structural_em import GapControl, GapSearch
from ldag.learning.structures import CountedFamily
from ldag.model import ClassTable, PruningAverage, Smoothing, Structure, class_counts, estimate_means
from ldag.progress import Deadline

FOLD_ROUNDS = 2
"""Rounds on a fold: what is completed changes little after them."""

FOLD_TOLERANCE = 0.3
"""Nats that EM leaves to be gained there: less than rows left out can tell."""

PREDICTING_BYTES = 1 << 24
"""Of the circuit or tables of a graph that is to predict; one that needs more has far too many edges."""

COMPLETING = threading.Lock()
"""One fold is completed at a time, by all threads together."""


class CompletedFold(NamedTuple):
    """The training part of a fold as rows with weights, and the graph by which they were completed, if there is one.

    For growth, which has no exact predictions, also the test part.
    """

    train: Dataset
    parents: GraphParents | None
    test: FilledTest | None = None


def complete_training(plan: Plan, train: Dataset, deadline: Deadline, stop: Callable[[], bool] | None) -> CompletedFold:
    """Complete the training part of a fold by structural EM."""
    usual = plan.choose(usual_candidate(plan)).for_folds()
    control = GapControl(plan.n_jobs, deadline, stop=stop, most_rounds=FOLD_ROUNDS, tolerance=FOLD_TOLERANCE)
    search = GapSearch(usual, train.sorted(), control)
    way = search.begin(GIVEN if search.has_latent else AVAILABLE)
    search.go_up(way)
    return CompletedFold(search.expect(way.best), way.best.parents)


def fill_fold(
    plan: Plan, train: Dataset, test: Dataset, target: int | None, deadline: Deadline, stop: Callable[[], bool] | None
) -> CompletedFold:
    """Complete both parts of a fold for growth, by what the training part teaches."""
    filler = learn_filler(plan, train, GapControl(plan.n_jobs, deadline, stop=stop))
    return CompletedFold(filler.rows, None, filler.fill_test(test, target))


def usual_candidate(plan: Plan) -> Candidate:
    """Return what folds are completed with: tables of the usual sample size, where these can be."""
    if plan.takes("table"):
        return Candidate(1.0, USUAL_SIZE, "table")
    priors = plan.settings.priors()
    return Candidate(priors.kappa, USUAL_SIZE, plan.settings.first_structure, prior=priors.prior)


def predict_gaps(
    families: Sequence[CountedFamily],
    test: Dataset,
    smoothings: Sequence[Smoothing | PruningAverage],
    target: int | None,
    training: "Training | None" = None,
) -> list[Numbers]:
    """Return the log probability of the observed cells of the test part by row, by the means of the posterior.

    Of one node, given the other cells, if there is a target; rows in which that is a gap have 0. A graph that no
    circuit and no tables hold predicts worse than guessing does: it must not win where guessing is right.
    """
    structure = Structure(test.schema.n_states, tuple(one.family for one in families))
    rows = np.ascontiguousarray(test.codes.T)
    try:
        completions = Completions(structure, PREDICTING_BYTES)
    except NothingFits:
        return [2 * _guess(rows, structure, target)] * len(smoothings)
    counts: Sequence[ClassTable] = [class_counts(one.counts, one.family.partition) for one in families]
    if training is not None:
        control = EMControl(tolerance=FOLD_TOLERANCE, n_threads=1)
        start = _means(structure, training.smoothing, counts)
        counts = run_em(completions, training.table, training.smoothing, "mean", start, control).expected
    scores = []
    for smoothing in smoothings:
        means = _means(structure, smoothing, counts)
        logs = completions.log_probabilities(means, rows, 1)
        if target is not None:
            logs = logs - completions.log_probabilities(means, _without(rows, target), 1)
            logs[rows[:, target] == GAP] = 0.0
        scores.append(logs)
    return scores


def _means(
    structure: Structure, smoothing: Smoothing | PruningAverage, counts: Sequence[ClassTable]
) -> list[ClassTable]:
    """Return the means of the parameters."""
    families = zip(structure.families, counts, strict=True)
    return [estimate_means(family.partition, smoothing, own) for family, own in families]


class Training(NamedTuple):
    """The training part of a fold with its gaps, and the smoothing of a search."""

    table: CodedGaps
    smoothing: Smoothing


def _without(rows: Rows, target: int) -> Rows:
    """Return rows in which one node is a gap."""
    rows = rows.copy()
    rows[:, target] = GAP
    return rows


def _guess(rows: Rows, structure: Structure, target: int | None) -> Numbers:
    """Return the log probability of the cells of every row if their states are all equally probable."""
    logs = np.log(np.array(structure.n_states, dtype=np.float64))
    seen = rows != GAP
    return -np.asarray(seen @ logs if target is None else seen[:, target] * logs[target])
