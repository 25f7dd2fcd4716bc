"""Networks whose nodes have parents in the layer before: sums over all configurations of two layers at a time."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ldag.model import Model

Numbers = NDArray[np.float64]


def _step(model: Model, above: Sequence[int], layer: Sequence[int], seen: Mapping[int, int]) -> Numbers:
    """P(configuration of a layer and what was seen in it | configuration of the one above), by these two."""
    before = list(np.ndindex(*(model.structure.n_states[node] for node in above)))
    table = np.ones((len(before), 1))
    for node in layer:
        family = model.structure.families[node]
        classes = family.partition.to_array().reshape([model.structure.n_states[parent] for parent in family.parents])
        axes = [above.index(parent) for parent in family.parents]
        lines = np.array([model.probabilities[node][classes[tuple(states[i] for i in axes)]] for states in before])
        if node in seen:
            lines = lines * (np.arange(lines.shape[1]) == seen[node])
        table = (table[:, :, None] * lines[:, None, :]).reshape(len(before), -1)
    return table


def layer_posteriors(
    model: Model, layers: Sequence[Sequence[int]], seen: Mapping[int, int]
) -> tuple[float, list[Numbers]]:
    """The probability of what was seen, and the posterior of every node, by messages between layers."""
    steps = [_step(model, above, layer, seen) for above, layer in zip([(), *layers], layers, strict=False)]
    down = [steps[0][0]]
    for step in steps[1:]:
        down.append(down[-1] @ step)
    up = [np.ones(len(down[-1]))]
    for step in reversed(steps[1:]):
        up.insert(0, step @ up[0])
    posteriors = []
    for layer, before, after in zip(layers, down, up, strict=True):
        joint = (before * after).reshape([model.structure.n_states[node] for node in layer])
        one_by_one = (np.moveaxis(joint, axis, 0).reshape(joint.shape[axis], -1) for axis in range(joint.ndim))
        posteriors += [own.sum(axis=1) / joint.sum() for own in one_by_one]
    return float(down[-1].sum()), posteriors
