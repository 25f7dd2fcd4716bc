"""The exact posterior over DAGs under every setting, by number."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import log

import numpy as np
from numpy.typing import NDArray

from ldag import _native
from ldag.constraints import LabelRules
from ldag.learning import Checkpoint
from ldag.uncertainty.component import KEPT_SET, Component, Drawn, Floats, ParentSet, sum_edges
from ldag.uncertainty.families import Setting, log_priors
from ldag.uncertainty.space import ParentSets, flat_families


class OutOfTime(Exception):
    """The time is over, and there is nothing to return."""


@dataclass(frozen=True, eq=False)
class Weighing:
    """What the weights of families are computed from."""

    columns: _native.Columns
    settings: tuple[Setting, ...]
    max_configurations: int
    """Families with more configurations of parents have their full table."""
    label_rules: LabelRules
    n_threads: int
    on_progress: "_native.OnProgress | None"
    checkpoint: Checkpoint | None = None
    known_priors: Floats | None = None
    """How probable the settings are before any data, if they are some of several."""

    @property
    def log_priors(self) -> Floats:
        """How probable settings are before any data."""
        return log_priors(self.settings) if self.known_priors is None else self.known_priors

    def among(self, live: tuple[int, ...], columns: _native.Columns) -> "Weighing":
        """Return what weighs families of other data, under some of the settings."""
        priors, settings = self.log_priors[list(live)], tuple(self.settings[number] for number in live)
        return replace(self, columns=columns, settings=settings, known_priors=priors)

    def log_weights(self, sets: ParentSets) -> tuple[Floats, ...]:
        """Return the log weights of all parent sets, node by node, a row per setting; a checkpoint may know them."""
        if self.checkpoint is None:
            ends = np.cumsum([len(own) for own in sets.by_node])[:-1]
            return tuple(map(np.ascontiguousarray, np.split(self._weigh(*sets.flat), ends, axis=1)))
        try:
            return tuple(self._recall_weights(node, own) for node, own in enumerate(sets.by_node))
        finally:
            self.checkpoint.save()

    def _recall_weights(self, node: int, sets: Sequence[ParentSet]) -> Floats:
        """Return the log weights of a node's parent sets; a checkpoint has them or gets them."""
        name = f"weights of {node}"
        known = None if self.checkpoint is None else self.checkpoint.parts.get(name)
        if isinstance(known, list) and [len(weights) for weights in known] == [len(sets)] * len(self.settings):
            return np.array(known, dtype=np.float64)
        weights = self.weights_of(node, sets)
        if self.checkpoint is not None:
            self.checkpoint.put(name, weights.tolist())
        return weights

    def weights_of(self, node: int, sets: Sequence[ParentSet]) -> Floats:
        """Return the log weights of some parent sets of a node, a row per setting."""
        return np.ascontiguousarray(self._weigh(*flat_families([(node, sets)])))

    def _weigh(self, nodes: NDArray[np.uint32], parents: NDArray[np.uint32], offsets: NDArray[np.int64]) -> Floats:
        """Return the log weights of families as the native core takes them, a row per setting."""
        weights = _native.log_weights(
            self.columns,
            self.settings,
            self.max_configurations,
            [[(rule.parent, rule.contexts) for rule in of_node] for of_node in self.label_rules],
            nodes,
            parents,
            offsets,
            n_threads=self.n_threads,
            on_progress=self.on_progress,
        )
        if np.isnan(weights).any():
            raise OutOfTime
        return weights.T


class ExactDraws:
    """Draws DAGs; copies make the sums anew when they are asked."""

    def __init__(self, masks: Sequence[NDArray[np.uint32]], log_weights: tuple[Floats, ...]) -> None:
        self._masks, self.log_weights = masks, log_weights

    @cached_property
    def dags(self) -> _native.DagPosterior:
        """The sums, on one thread; by how many they were made makes no difference."""
        return _native.DagPosterior(self._masks, self.log_weights, 1, None)

    def __call__(self, n_draws: int, seed: int) -> Drawn:
        """Draw DAGs, a row each: for every node the number of its parent set."""
        return self.dags.draw(n_draws, seed)

    def __getstate__(self) -> dict[str, object]:
        return {"_masks": self._masks, "log_weights": self.log_weights}


def exact_components(weighing: Weighing, sets: ParentSets) -> tuple[Component, ...]:
    """Sum over all DAGs under every setting; those that the evidence rules out are not looked at further."""
    by_node = weighing.log_weights(sets)
    masks = sets.masks()
    priors, logs = weighing.log_priors, np.full(len(weighing.settings), -np.inf)
    begun: dict[int, ExactDraws] = {}
    for number in range(len(logs)):
        draw = begun[number] = ExactDraws(masks, tuple(weights[number] for weights in by_node))
        draw.dags = _native.DagPosterior(masks, draw.log_weights, weighing.n_threads, weighing.on_progress)
        if not draw.dags.has_evidence:
            raise OutOfTime
        logs[number] = priors[number] + draw.dags.log_evidence
        begun = {one: draw for one, draw in begun.items() if logs[one] > logs.max() + log(KEPT_SET)}
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    return tuple(
        _finish(weighing, sets, setting, shares[number], begun[number])
        if number in begun
        else Component.ruled_out(setting, len(masks), logs[number] - priors[number])
        for number, setting in enumerate(weighing.settings)
    )


def _finish(weighing: Weighing, sets: ParentSets, setting: Setting, weight: float, draw: ExactDraws) -> Component:
    """Sum over DAGs what is asked of a setting."""
    dags = draw.dags
    dags.finish(weighing.n_threads, weighing.on_progress)
    if not dags.is_complete:
        raise OutOfTime
    return Component(
        setting,
        float(weight),
        sets.by_node,
        probabilities := tuple(dags.parent_sets()),
        sum_edges(sets.by_node, probabilities),
        dags.ancestors(),
        dags.log_evidence,
        draw,
        draw.log_weights,
    )
