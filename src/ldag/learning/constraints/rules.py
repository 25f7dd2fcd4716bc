"""Labels that edges must have exactly, by node numbers: the rules, and the lines of a grid they amount to.

On the edge from a parent the label is free or fixed to a set of lines; "no label" is the empty set.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ldag.model import Grid, Labels, Mask, Partition

FixedLabels = tuple[Mask | None, ...]
"""One mask per parent, as in `Labels`, or None where the label is free; nothing at all where all are."""


@dataclass(frozen=True)
class LabelRule:
    """If ``parent`` is a parent of the node, its label is what agrees with a context, no more and no less.

    A context is pairs of another parent and its state.
    """

    parent: int
    contexts: tuple[tuple[tuple[int, int], ...], ...] = ()

    @property
    def named(self) -> set[int]:
        """The other parents that contexts name."""
        return {node for context in self.contexts for node, _ in context}

    def label(self, others: Sequence[int], n_states: Sequence[int]) -> Mask:
        """Return the label over the configurations of the other parents."""
        grid = Grid(tuple(n_states[node] for node in others))
        mask = np.zeros(grid.size, dtype=np.bool_)
        for context in self.contexts:
            mask[grid.matching({others.index(node): code for node, code in context})] = True
        return mask


LabelRules = tuple[tuple[LabelRule, ...], ...]
"""The rules of every node."""


def fixed_labels(rules: Sequence[LabelRule], parents: Sequence[int], n_states: Sequence[int]) -> FixedLabels:
    """Return what the rules of a node fix for these parents, which include all that contexts name."""
    by_parent = {rule.parent: rule for rule in rules}
    if not any(parent in by_parent for parent in parents):
        return ()
    return tuple(
        by_parent[parent].label([other for other in parents if other != parent], n_states)
        if parent in by_parent
        else None
        for parent in parents
    )


def finest(grid: Grid, fixed: FixedLabels) -> Partition:
    """Return the finest partition that has at least these labels."""
    free = [np.zeros(grid.size // n, dtype=np.bool_) for n in grid.n_states]
    return Partition.from_labels(
        grid, [zeros if mask is None else mask for zeros, mask in zip(free, fixed, strict=True)]
    )


def are_kept(labels: Labels, fixed: FixedLabels) -> bool:
    """Whether labels are exactly what is fixed, wherever something is."""
    pairs = zip(labels, fixed, strict=True) if fixed else ()
    return all(mask is None or np.array_equal(label, mask) for label, mask in pairs)
