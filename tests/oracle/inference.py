"""Everything about a small network by listing the joint distribution, state by state."""

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from ldag import Network
from ldag.model import State

Context = Mapping[str, State]
Row = tuple[State, ...]
Weights = Mapping[str, Mapping[State, float]]


class Joint:
    """The probability of every row of states."""

    def __init__(self, network: Network, do: Context | None = None) -> None:
        self.names = [variable.name for variable in network.variables]
        self.states = {variable.name: variable.states for variable in network.variables}
        done = dict(do or {})
        self.rows: dict[Row, float] = {}
        for row in product(*self.states.values()):
            seen = dict(zip(self.names, row, strict=True))
            probability = 1.0
            for name in self.names:
                if name in done:
                    probability *= float(seen[name] == done[name])
                else:
                    probability *= self._conditional(network, name, seen)
            self.rows[row] = probability

    def _conditional(self, network: Network, name: str, seen: Context) -> float:
        """P(state | parents), by the class of the parents' configuration."""
        partition = network.ldag.partition(name)
        configuration = 0
        for parent in partition.parents:
            configuration = configuration * len(self.states[parent]) + self.states[parent].index(seen[parent])
        return network.parameters(name)[partition.classes[configuration]][self.states[name].index(seen[name])]

    def probability(self, event: Context) -> float:
        """The sum over the rows that agree."""
        places = [(self.names.index(name), state) for name, state in event.items()]
        return sum(p for row, p in self.rows.items() if all(row[i] == state for i, state in places))

    def posterior(self, targets: Sequence[str], given: Context) -> dict[Row, float]:
        """P(targets | given) by rows of the targets' states."""
        total = self.probability(given)
        return {
            states: self.probability({**given, **dict(zip(targets, states, strict=True))}) / total
            if all(given.get(t, s) == s for t, s in zip(targets, states, strict=True))
            else 0.0
            for states in product(*(self.states[target] for target in targets))
        }

    def best(self, given: Context) -> float:
        """The probability of the most probable row that agrees."""
        return max(
            p for row, p in self.rows.items() if all(row[self.names.index(name)] == s for name, s in given.items())
        )

    def weighted(self, weights: "Weights") -> "Joint":
        """The same rows, their probabilities multiplied by a weight for the state of each variable that has them."""
        found = object.__new__(Joint)
        found.names, found.states = self.names, self.states
        found.rows = {}
        for row, probability in self.rows.items():
            seen = dict(zip(self.names, row, strict=True))
            found.rows[row] = probability * prod(by_state[seen[name]] for name, by_state in weights.items())
        return found

    def table(self, targets: Sequence[str]) -> dict[Row, float]:
        """Sums over the rows by the states of the targets."""
        places = [self.names.index(name) for name in targets]
        table = dict.fromkeys(product(*(self.states[name] for name in targets)), 0.0)
        for row, probability in self.rows.items():
            table[tuple(row[place] for place in places)] += probability
        return table

    def array(self) -> NDArray[np.float64]:
        """All probabilities, an axis per variable."""
        return np.array(list(self.rows.values())).reshape([len(s) for s in self.states.values()])
