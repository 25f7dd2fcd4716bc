"""How probable it is that the data determine an arrow: that it is essential in the graph, given the constraints."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldag.learning import SearchSpace
from ldag.model import Structure
from ldag.reasoning import cpdag, essential_edges
from ldag.uncertainty.component import Component, Floats
from ldag.uncertainty.enumeration import all_dags

N_DIRECTED = 1000
N_KEPT_DIRECTED = 500
"""Graphs that are drawn to tell how probable directions are; from a file that has some graphs only, fewer."""
MOST_STEPS = 200
"""Of the search for an equivalent graph with an arrow turned; an arrow that it leaves undecided counts as free."""


@dataclass(frozen=True, eq=False)
class DirectionChances:
    """The probability that an edge (from, to) is there and determined; ``n_draws`` is 0 if that is exact."""

    probabilities: Floats
    n_draws: int

    @property
    def errors(self) -> Floats:
        """The standard errors of drawing."""
        p = self.probabilities
        return np.sqrt(p * (1 - p) / self.n_draws) if self.n_draws else np.zeros_like(p)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {"probabilities": self.probabilities.tolist(), "n_draws": self.n_draws}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "DirectionChances":
        """Read what `to_dict` returns."""
        return cls(np.array(given["probabilities"], dtype=np.float64), given["n_draws"])


def sum_directions(components: Sequence[Component], space: SearchSpace | None) -> DirectionChances:
    """Go through all DAGs of small spaces without labels."""
    n = len(components[0].sets)
    chances = np.zeros((n, n))
    for component in components:
        for dag, probability in all_dags(component):
            turned = [(j, i) for j, above in enumerate(dag) for i in above]
            forbidden = () if space is None else [(j, i) for j, i in turned if j not in space.candidates[i]]
            for i, j in cpdag(dag, forbidden).directed:
                chances[i, j] += component.weight * probability
    return DirectionChances(chances, 0)


def draw_directions(drawn: Iterable[Structure], space: SearchSpace | None) -> DirectionChances:
    """Count the essential edges of drawn graphs; equal ones are looked at once."""
    graphs = Counter(drawn)
    n = len(next(iter(graphs)).n_states)
    chances = np.zeros((n, n))
    for structure, number in graphs.items():
        forbidden = () if space is None else space.ruled_out(structure)
        for edge in essential_edges(structure, forbidden, MOST_STEPS)[0]:
            chances[edge] += number
    return DirectionChances(chances / graphs.total(), graphs.total())
