"""The exact posterior over DAGs at one kappa, by number."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np

from ldag import _native
from ldag.data import Dataset
from ldag.learning import Checkpoint, LabelRules
from ldag.uncertainty.component import Component, Floats, ParentSet, sum_edges
from ldag.uncertainty.priors import GraphPrior, PosteriorPriors
from ldag.uncertainty.space import ParentSets, flat_families


@dataclass(frozen=True, eq=False)
class Weighing:
    """What the weights of families are computed from."""

    data: Dataset
    priors: PosteriorPriors
    label_rules: LabelRules
    n_threads: int
    on_progress: "_native.OnProgress | None"
    checkpoint: Checkpoint | None = None
    _tables: dict[tuple[int, tuple[ParentSet, ...]], Floats] = field(default_factory=dict)

    def log_weights(self, sets: ParentSets, kappa: float) -> tuple[Floats, ...]:
        """Return the log weight of every parent set, node by node, from a checkpoint where it knows them."""
        found = []
        for node in range(len(sets.by_node)):
            name = f"weights of {node} at kappa {kappa!r}"
            known = None if self.checkpoint is None else self.checkpoint.parts.get(name)
            if isinstance(known, list) and len(known) == len(sets.by_node[node]):
                found.append(np.array(known, dtype=np.float64))
                continue
            found.append(self.weights_of(node, sets.by_node[node], kappa))
            if self.checkpoint is not None:
                self.checkpoint.put(name, found[-1].tolist())
        return tuple(found)

    def weights_of(self, node: int, sets: Sequence[ParentSet], kappa: float) -> Floats:
        """Return the log weights of some parent sets of a node; full tables weigh the same at every kappa."""
        n_states = self.data.schema.n_states
        has_labels = np.array([self.priors.sums_labels(prod(n_states[p] for p in own)) for own in sets], dtype=np.bool_)
        weights = np.empty(len(sets))
        labelled, tables = (tuple(sets[i] for i in np.flatnonzero(has_labels == w).tolist()) for w in (True, False))
        weights[has_labels] = self._weigh(node, labelled, kappa, self.priors.prior)
        if (node, tables) not in self._tables:
            self._tables[node, tables] = self._weigh(node, tables, 1.0, "table")
        weights[~has_labels] = self._tables[node, tables]
        return weights

    def _weigh(self, node: int, sets: Sequence[ParentSet], kappa: float, prior: GraphPrior) -> Floats:
        if not sets:
            return np.empty(0)
        weights = _native.log_weights(
            self.data.columns,
            self.priors.equivalent_sample_size,
            kappa,
            prior,
            [[(rule.parent, rule.contexts) for rule in of_node] for of_node in self.label_rules],
            *flat_families(node, sets),
            n_threads=self.n_threads,
            on_progress=self.on_progress,
        )
        if np.isnan(weights).any():
            if self.checkpoint is not None:
                self.checkpoint.save()
            raise KeyboardInterrupt
        return weights


def exact_component(weighing: Weighing, sets: ParentSets, kappa: float) -> Component:
    """Sum over all DAGs."""
    log_weights = weighing.log_weights(sets, kappa)
    if weighing.checkpoint is not None:
        weighing.checkpoint.save()
    masks = [np.array([sum(1 << p for p in parents) for parents in own], dtype=np.uint32) for own in sets.by_node]
    dags = _native.DagPosterior(masks, list(log_weights), weighing.n_threads, weighing.on_progress)
    if not dags.is_complete:
        raise KeyboardInterrupt
    return Component(
        kappa,
        1.0,
        sets.by_node,
        probabilities := tuple(dags.parent_sets()),
        sum_edges(sets.by_node, probabilities),
        dags.ancestors(),
        dags.log_evidence,
        dags.draw,
        log_weights,
    )
