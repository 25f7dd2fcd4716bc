"""How well families predict rows that were held out: all columns together, or one of them given the others."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ldag.data import Dataset
from ldag.learning.structures import CountedFamily
from ldag.model import PruningAverage, Smoothing, class_counts, count_classes, estimate_means


def classify_rows(
    families: Sequence[CountedFamily], test: Dataset, smoothings: Sequence[Smoothing | PruningAverage], target: int
) -> list[NDArray[np.float64]]:
    """Return the log probability of one node of the test part given the others by row, for every smoothing.

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
            means = estimate_means(partition, smoothing, class_counts(trained.counts, partition))
            logs += np.log(means[classes_by_state, values_by_state])
        scores.append(logs[test.codes[target], rows] - np.logaddexp.reduce(logs, axis=0))
    return scores


def predict_fold(
    families: Sequence[CountedFamily],
    test: Dataset,
    smoothings: Sequence[Smoothing | PruningAverage],
    seen: NDArray[np.bool_] | None = None,
) -> tuple[float, ...]:
    """Return the log probability of held-out rows by the means of the posterior, for every smoothing.

    Where their gaps were filled, of the cells that were seen, a line of which is for every node.
    """
    totals = np.zeros(len(smoothings))
    n_states = test.schema.n_states
    for node, trained in enumerate(families):
        partition = trained.family.partition
        above = test.codes[list(trained.family.parents)]
        weights = test.weights
        if seen is not None:
            weights = seen[node].astype(np.float64) if weights is None else weights * seen[node]
        new = count_classes(partition, above, test.codes[node], n_states[node], weights)
        counts = partition.add_up(trained.counts)
        for place, smoothing in enumerate(smoothings):
            means = estimate_means(partition, smoothing, counts)
            totals[place] += float(new[new > 0] @ np.log(means[new > 0]))
    return tuple(totals.tolist())
