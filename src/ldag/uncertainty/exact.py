"""The exact posterior over DAGs at one kappa, by number."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from ldag import _native
from ldag.constraints import LabelRules
from ldag.data import Dataset
from ldag.learning import Checkpoint
from ldag.uncertainty.component import Component, Drawn, Floats, ParentSet, sum_edges
from ldag.uncertainty.families import GraphPrior
from ldag.uncertainty.space import ParentSets, flat_families


class OutOfTime(Exception):
    """The time is over, and there is nothing to return."""


@dataclass(frozen=True, eq=False)
class Weighing:
    """What the weights of families are computed from."""

    data: Dataset
    prior: GraphPrior
    equivalent_sample_size: float
    max_configurations: int
    """Families with more configurations of parents have their full table."""
    label_rules: LabelRules
    n_threads: int
    on_progress: "_native.OnProgress | None"
    checkpoint: Checkpoint | None = None
    _tables: dict[tuple[int, tuple[ParentSet, ...]], Floats] = field(default_factory=dict)

    def log_weights(self, sets: ParentSets, kappa: float) -> tuple[Floats, ...]:
        """Return the log weight of every parent set, node by node, from a checkpoint where it knows them."""
        try:
            return tuple(self._recall_weights(node, own, kappa) for node, own in enumerate(sets.by_node))
        finally:
            if self.checkpoint is not None:
                self.checkpoint.save()

    def _recall_weights(self, node: int, sets: Sequence[ParentSet], kappa: float) -> Floats:
        """Return the log weights of a node's parent sets; a checkpoint has them or gets them."""
        name = f"weights of {node} at kappa {kappa!r}"
        known = None if self.checkpoint is None else self.checkpoint.parts.get(name)
        if isinstance(known, list) and len(known) == len(sets):
            return np.array(known, dtype=np.float64)
        weights = self.weights_of(node, sets, kappa)
        if self.checkpoint is not None:
            self.checkpoint.put(name, weights.tolist())
        return weights

    def weights_of(self, node: int, sets: Sequence[ParentSet], kappa: float) -> Floats:
        """Return the log weights of some parent sets of a node; full tables weigh the same at every kappa."""
        n_states = self.data.schema.n_states
        sizes = np.array([prod(n_states[p] for p in own) for own in sets], dtype=np.float64)
        has_labels = sizes <= self.max_configurations
        weights = np.empty(len(sets))
        labelled, tables = (tuple(sets[i] for i in np.flatnonzero(has_labels == w).tolist()) for w in (True, False))
        weights[has_labels] = self._weigh(node, labelled, kappa, self.prior)
        if (node, tables) not in self._tables:
            self._tables[node, tables] = self._weigh(node, tables, 1.0, "table")
        weights[~has_labels] = self._tables[node, tables]
        return weights

    def _weigh(self, node: int, sets: Sequence[ParentSet], kappa: float, prior: GraphPrior) -> Floats:
        if not sets:
            return np.empty(0)
        weights = _native.log_weights(
            self.data.columns,
            self.equivalent_sample_size,
            kappa,
            prior,
            [[(rule.parent, rule.contexts) for rule in of_node] for of_node in self.label_rules],
            *flat_families(node, sets),
            n_threads=self.n_threads,
            on_progress=self.on_progress,
        )
        if np.isnan(weights).any():
            raise OutOfTime
        return weights


class ExactDraws:
    """Draws DAGs; copies make the sums anew when they are asked."""

    def __init__(self, masks: Sequence[NDArray[np.uint32]], log_weights: Sequence[Floats]) -> None:
        self._given = list(masks), list(log_weights)

    @cached_property
    def dags(self) -> _native.DagPosterior:
        """The sums, on one thread; by how many they were made makes no difference."""
        return _native.DagPosterior(*self._given, 1, None)

    def __call__(self, n_draws: int, seed: int) -> Drawn:
        """Draw DAGs, a row each: for every node the number of its parent set."""
        return self.dags.draw(n_draws, seed)

    def __getstate__(self) -> dict[str, object]:
        return {"_given": self._given}


def exact_component(weighing: Weighing, sets: ParentSets, kappa: float) -> Component:
    """Sum over all DAGs."""
    log_weights = weighing.log_weights(sets, kappa)
    masks = [np.array([sum(1 << p for p in parents) for parents in own], dtype=np.uint32) for own in sets.by_node]
    draw = ExactDraws(masks, log_weights)
    draw.dags = dags = _native.DagPosterior(masks, list(log_weights), weighing.n_threads, weighing.on_progress)
    if not dags.is_complete:
        raise OutOfTime
    return Component(
        kappa,
        1.0,
        sets.by_node,
        probabilities := tuple(dags.parent_sets()),
        sum_edges(sets.by_node, probabilities),
        dags.ancestors(),
        dags.log_evidence,
        draw,
        log_weights,
    )
