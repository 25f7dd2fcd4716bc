"""The exact posterior over DAGs at one kappa, by number."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ldag import _native
from ldag.data import Dataset
from ldag.learning import Checkpoint, LabelRules
from ldag.uncertainty.component import Component, Floats, ParentSet
from ldag.uncertainty.priors import PosteriorPriors
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
        """Return the log weights of some parent sets of a node."""
        weights = _native.log_weights(
            self.data.columns,
            self.priors.equivalent_sample_size,
            kappa,
            self.priors.prior,
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
        tuple(dags.parent_sets()),
        dags.ancestors(),
        dags.log_evidence,
        dags.draw,
        log_weights,
    )
