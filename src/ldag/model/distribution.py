"""A structure with probabilities: what inference works on."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ldag.model.grid import Grid
from ldag.model.parameters import ClassTable
from ldag.model.structure import CodedFamily, Structure


@dataclass(frozen=True, eq=False)
class Model:
    """A structure, and for each node the distribution of every class."""

    structure: Structure
    probabilities: tuple[ClassTable, ...]

    def intervened(self, nodes: Iterable[int]) -> "Model":
        """Return the model in which some nodes are set from outside: they have no parents, and every state weight 1.

        Conditioning on their states is then the same as setting them, and what is set counts for nothing in the
        probability of other findings. All of these nodes must have a state given: their weights are no distribution.
        """
        families, tables = list(self.structure.families), list(self.probabilities)
        for node in nodes:
            n_states = self.structure.n_states[node]
            families[node] = CodedFamily.table((), Grid(()))
            tables[node] = np.ones((1, n_states))
        return Model(Structure(self.structure.n_states, tuple(families)), tuple(tables))
