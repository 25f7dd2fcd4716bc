"""The posterior over DAGs at one kappa, by number, however it was computed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

ParentSet = tuple[int, ...]
Floats = NDArray[np.float64]
Drawn = NDArray[np.uint32]
"""DAGs, a row each: for every node the number of its parent set."""

NEGLIGIBLE = 1e-14
"""Parent sets less probable than this change no answer that is shown."""


@dataclass(frozen=True, eq=False)
class Component:
    """Parent sets by node with their probabilities, ancestors (from, to), and DAGs to draw."""

    kappa: float
    weight: float
    sets: tuple[tuple[ParentSet, ...], ...]
    probabilities: tuple[Floats, ...]
    ancestors: Floats
    log_evidence: float | None
    draw: Callable[[int, int], Drawn]
    log_weights: tuple[Floats, ...] | None = None

    @cached_property
    def edges(self) -> Floats:
        """The probability of every edge (from, to)."""
        found = np.zeros_like(self.ancestors)
        for node, (sets, probabilities) in enumerate(zip(self.sets, self.probabilities, strict=True)):
            for parents, probability in zip(sets, probabilities.tolist(), strict=True):
                found[list(parents), node] += probability
        return np.minimum(found, 1.0)

    def likely(self, node: int) -> Iterator[tuple[ParentSet, float]]:
        """Go through the parent sets of a node that have any probability worth mentioning."""
        for parents, probability in zip(self.sets[node], self.probabilities[node].tolist(), strict=True):
            if probability > NEGLIGIBLE:
                yield parents, probability
