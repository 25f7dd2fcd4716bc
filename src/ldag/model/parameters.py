"""Parameters by codes: for every class of a node one distribution, and the Dirichlet posterior it comes from."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldag.model.partition import Partition

Counts = NDArray[np.float64]
"""How often each state of a node occurs: a row per parent configuration, a column per state."""

ClassTable = NDArray[np.float64]
"""One row per class of a node, one column per state."""


Spread = Literal["configurations", "classes"]
"""How the observations that a prior counts for are spread: evenly over the configurations of the parents, so that large
classes get more of them, or so many to every class, however large it is."""


class Smoothing(NamedTuple):
    """How many observations the prior over parameters counts for, and how they are spread."""

    size: float
    spread: Spread = "configurations"

    def of_classes(self, partition: Partition) -> NDArray[np.float64]:
        """Return how many observations each class gets; its states share them evenly."""
        if self.spread == "classes":
            return np.full(partition.n_classes, self.size)
        return np.asarray(self.size * partition.sizes / partition.grid.size)


@dataclass(frozen=True, eq=False)
class ClassPosteriors:
    """The Dirichlet posteriors of a node's classes: what the prior counts for and what was counted, kept apart.

    Both arrays are read-only and have a row per class and a column per state.
    """

    prior: ClassTable
    counts: ClassTable

    @classmethod
    def of(cls, partition: Partition, smoothing: Smoothing, counts: ClassTable) -> "ClassPosteriors":
        """Make the posteriors from counts by class; the paper's prior is N |S| / (r q) for each state of a class S."""
        n_states = counts.shape[1]
        share = smoothing.of_classes(partition) / n_states
        return cls(freeze(np.repeat(share[:, None], n_states, axis=1)), freeze(counts))

    def mean(self) -> ClassTable:
        """Return the posterior means: (prior + counts) / their sum."""
        return normalise(self.prior + self.counts)

    def maximum_likelihood(self) -> ClassTable:
        """Return the relative frequencies; a class that was never observed gets equal probabilities."""
        seen = self.counts.sum(axis=1, keepdims=True) > 0
        return normalise(np.where(seen, self.counts, 1.0))

    def draw(self, rng: np.random.Generator) -> ClassTable:
        """Return probabilities drawn from the posteriors."""
        return freeze(np.array([rng.dirichlet(row) for row in self.prior + self.counts]))


def class_counts(counts: Counts, partition: Partition) -> ClassTable:
    """Return counts by class from counts by configuration."""
    return freeze(partition.add_up(counts))


def configuration_counts(counts: ClassTable, partition: Partition) -> Counts:
    """Return counts by configuration that add up to the counts by class: all of a class's are in its first one.

    The likelihood of a partition knows them by class only, so it makes no difference where in a class they are.
    """
    table = np.zeros((partition.grid.size, counts.shape[1]))
    table[partition.first] = counts
    return table


def log_likelihood(counts: ClassTable, probabilities: ClassTable) -> float:
    """Return the log probability of counts by class; minus infinity if something impossible was counted."""
    seen = counts > 0
    if np.any(probabilities[seen] == 0):
        return -np.inf
    return float(counts[seen] @ np.log(probabilities[seen]))


def normalise(table: ClassTable) -> ClassTable:
    """Return rows that sum to 1, read-only."""
    return freeze(table / table.sum(axis=1, keepdims=True))


def freeze(table: ClassTable) -> ClassTable:
    """Return an array, now read-only, in the layout that the native loops want."""
    table = np.ascontiguousarray(table, dtype=np.float64)
    table.flags.writeable = False
    return table
