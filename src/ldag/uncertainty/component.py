"""The posterior over DAGs at one kappa, by number, however it was computed."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ldag.errors import ArgumentError

ParentSet = tuple[int, ...]
Floats = NDArray[np.float64]
Drawn = NDArray[np.uint32]
"""DAGs, a row each: for every node the number of its parent set."""

NEGLIGIBLE = 1e-14
"""DAGs less probable than this change no answer that is shown."""

KEPT_SET = 1e-10
"""Parent sets less probable than this are not asked for their labels, nor written: a file answers as before."""


@dataclass(frozen=True, eq=False)
class Component:
    """Parent sets by node with their probabilities, edges and ancestors (from, to), and DAGs to draw."""

    kappa: float
    weight: float
    sets: tuple[tuple[ParentSet, ...], ...]
    probabilities: tuple[Floats, ...]
    edges: Floats
    ancestors: Floats
    log_evidence: float | None
    draw: Callable[[int, int], Drawn]
    log_weights: tuple[Floats, ...] | None = None

    def likely(self, node: int) -> Iterator[tuple[ParentSet, float]]:
        """Go through the parent sets of a node that have any probability worth mentioning."""
        for place in np.flatnonzero(self.probabilities[node] > KEPT_SET).tolist():
            yield self.sets[node][place], float(self.probabilities[node][place])


@dataclass(frozen=True, eq=False)
class KeptDags:
    """DAGs that were drawn before; with ``is_all`` they are all there is, and no more can be drawn."""

    dags: Drawn
    is_all: bool

    def __call__(self, n_draws: int, seed: int) -> Drawn:
        """Draw some of them."""
        if self.is_all and n_draws > len(self.dags):
            raise ArgumentError(
                f"the file holds {len(self.dags):,} drawn graphs, and {n_draws:,} are asked for; draw from the"
                " posterior itself, or ask for fewer"
            )
        rng = np.random.default_rng(seed)
        if self.is_all:
            return self.dags[rng.permutation(len(self.dags))[:n_draws]]
        return self.dags[rng.choice(len(self.dags), size=n_draws, replace=n_draws > len(self.dags))]


def sum_edges(sets: Sequence[Sequence[ParentSet]], probabilities: Sequence[Floats]) -> Floats:
    """Return the probability of every edge (from, to)."""
    edges = np.zeros((len(sets), len(sets)))
    for node, (own, chances) in enumerate(zip(sets, probabilities, strict=True)):
        parents = np.fromiter(chain.from_iterable(own), dtype=np.int64)
        np.add.at(edges[:, node], parents, np.repeat(chances, [len(one) for one in own]))
    return np.minimum(edges, 1.0)
