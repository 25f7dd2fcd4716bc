"""Answers by sums over tables, with nothing compiled: what matters for a question is multiplied and summed out."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from ldag import _native
from ldag.model import Model

CodedFindings = Mapping[int, int | tuple[float, ...]]
"""What is known of nodes: a code, or the likelihood of every state."""

MEMORY_LIMIT = 2 << 30
"""Bytes that the tables of a question may take."""

CELL_COST = 2.0
"""What a cell of a clique costs in a question, about in nanoseconds; only ratios of costs matter."""
NODE_COST = 10_000.0
QUESTION_NODE_COST = 500.0
"""The same of a question about some nodes, for each node of the model: what does not matter is left out first."""


class TablesTooLarge(Exception):
    """Tables would need more memory than allowed. ``nodes`` are those of the largest, the one summed out first."""

    def __init__(self, nodes: Sequence[int], n_cells: float, n_bytes: float, memory_limit: float) -> None:
        super().__init__(nodes, n_cells, n_bytes, memory_limit)
        self.nodes = tuple(nodes)
        self.n_cells, self.n_bytes, self.memory_limit = n_cells, n_bytes, memory_limit


@dataclass(frozen=True)
class SumsPlan:
    """What the order of elimination says before any work: cells of all cliques, bytes of all messages."""

    n_cells: float
    n_bytes: float
    nodes: tuple[int, ...]
    """The largest clique."""
    largest: float
    """Its cells."""
    cost: float
    """Of the posteriors of all nodes."""


class Sums:
    """Sums over the tables of a model."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @cached_property
    def native(self) -> _native.Sums:
        """The tables behind it."""
        structure = self._model.structure
        return _native.Sums(
            list(structure.n_states),
            [list(family.parents) for family in structure.families],
            [family.partition.to_native() for family in structure.families],
            list(self._model.probabilities),
        )

    @cached_property
    def plan(self) -> SumsPlan:
        """Return how much work and memory the posteriors of all nodes take; worked out once."""
        n_cells, n_bytes, nodes = self.native.plan()
        n_states = self._model.structure.n_states
        largest = float(np.prod([float(n_states[node]) for node in nodes]))
        cost = CELL_COST * n_cells + NODE_COST * len(n_states)
        return SumsPlan(n_cells, n_bytes, tuple(nodes), largest, cost)

    def check(self, memory_limit: float) -> None:
        """Raise `TablesTooLarge` if the posteriors of all nodes need more memory."""
        plan = self.plan
        if plan.n_bytes > memory_limit:
            raise TablesTooLarge(plan.nodes, plan.largest, plan.n_bytes, memory_limit)

    def marginals(self, findings: CodedFindings, memory_limit: float) -> tuple[float, list[NDArray[np.float64]]]:
        """Return the log probability of the findings, and the posterior of every node."""
        self.check(memory_limit)
        log_probability, posteriors = self.native.marginals(*self._coded(findings))
        return log_probability, np.split(posteriors, list(accumulate(self._model.structure.n_states))[:-1])

    def joint(
        self, nodes: Sequence[int], findings: CodedFindings, memory_limit: float
    ) -> tuple[float, NDArray[np.float64], float]:
        """Return the joint posterior of nodes, an axis each, minus infinity if the findings are impossible, the cost.

        What findings separate from the nodes does not count in the log probability, unless it is impossible.
        """
        with _refusing(memory_limit):
            log_probability, values, n_cells = self.native.joint(list(nodes), *self._coded(findings), memory_limit)
        shape = [self._model.structure.n_states[node] for node in nodes]
        return log_probability, values.reshape(shape), self._cost(n_cells, 1)

    def row_posteriors(
        self, node: int, rows: NDArray[np.uint8], memory_limit: float
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_], float]:
        """Return the posterior of a node in every row of codes or gaps, which rows got none, and what they cost.

        Impossible rows get no numbers; rows get no answer whose tables do not fit into a share of the memory that
        depends on the machine: they can be asked by themselves. Rows with the same gaps should follow each other.
        """
        posteriors, n_cells = self.native.row_posteriors(node, rows, 0, memory_limit)
        return posteriors.reshape(len(rows), -1), np.isinf(n_cells), self._cost(float(n_cells.sum()), len(rows))

    def _cost(self, n_cells: float, n_questions: int) -> float:
        return CELL_COST * n_cells + QUESTION_NODE_COST * len(self._model.structure) * n_questions

    def log_probability(self, findings: CodedFindings, memory_limit: float) -> tuple[float, float]:
        """Return the log probability of the findings, minus infinity if they are impossible, and the cost."""
        with _refusing(memory_limit):
            log_probability, n_cells = self.native.log_probability(*self._coded(findings), memory_limit)
        return log_probability, self._cost(n_cells, 1)

    def most_probable(
        self, nodes: Sequence[int], findings: CodedFindings, memory_limit: float
    ) -> tuple[float, list[int]]:
        """Return the codes of nodes that are most probable together, the others summed out, and the log of that."""
        with _refusing(memory_limit):
            return self.native.most_probable(list(nodes), *self._coded(findings), memory_limit)

    def draw(self, findings: CodedFindings, n_rows: int, seed: int, memory_limit: float) -> NDArray[np.uint16]:
        """Draw rows of codes from the posterior, a column per node; none if the findings are impossible."""
        with _refusing(memory_limit):
            return self.native.draw(*self._coded(findings), n_rows, seed, memory_limit)

    def _coded(self, findings: CodedFindings) -> tuple[list[int], list[tuple[int, list[float]]]]:
        seen = [-1] * len(self._model.structure)
        likelihoods = []
        for node, finding in findings.items():
            if isinstance(finding, tuple):
                likelihoods.append((node, list(finding)))
            else:
                seen[node] = finding
        return seen, likelihoods


@contextmanager
def _refusing(memory_limit: float) -> Iterator[None]:
    """Say which limit it was."""
    try:
        yield
    except _native.SumsTooLarge as refused:
        nodes, n_cells, n_bytes = refused.args
        raise TablesTooLarge(nodes, n_cells, n_bytes, memory_limit) from None
