"""The families that a proof is about: as choices of parents, and as the arrays of one component."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Numbering = NDArray[np.int64]
Reals = NDArray[np.float64]


@dataclass(frozen=True)
class ParentChoice:
    """One set of parents of a node, as bits, and its score."""

    node: int
    parents: int
    score: float


def bits_of(number: int) -> Iterator[int]:
    """Go through the bits that are set."""
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low


def split_components(choices: Sequence[ParentChoice], n_nodes: int) -> list[int]:
    """Return the strongly connected components of the possible parents, as bits: no cycle leaves one."""
    above = [0] * n_nodes
    for choice in choices:
        above[choice.node] |= choice.parents
    for middle in range(n_nodes):  # Warshall
        for node in range(n_nodes):
            if above[node] >> middle & 1:
                above[node] |= above[middle]
    cyclic = [sum(1 << other for other in bits_of(own) if above[other] >> node & 1) for node, own in enumerate(above)]
    return sorted({1 << node | others for node, others in enumerate(cyclic)})


@dataclass(frozen=True)
class FamilyTable:
    """The families of one component, node by node and the best first; nodes are numbered within the component.

    A family's loss is what it scores less than the best one of its node: losses are small numbers, which keeps digits.
    """

    choices: tuple[ParentChoice, ...]
    nodes: Numbering
    parents: Flags
    losses: Reals
    best: float
    """The sum of the best scores: what a graph scores is this minus its loss."""

    @classmethod
    def of_component(cls, choices: Sequence[ParentChoice], component: int) -> "FamilyTable":
        """Take the choices of a component's nodes; of those with the same parents inside it, the best.

        Parents outside are always available.
        """
        best: dict[tuple[int, int], ParentChoice] = {}
        for choice in choices:
            key = (choice.node, choice.parents & component)
            if component >> choice.node & 1 and (key not in best or choice.score > best[key].score):
                best[key] = choice
        members = list(bits_of(component))
        kept = sorted(best.values(), key=lambda choice: (choice.node, -choice.score, choice.parents))
        tops = {choice.node: choice.score for choice in reversed(kept)}
        return cls(
            choices=tuple(kept),
            nodes=np.array([members.index(choice.node) for choice in kept], dtype=np.int64),
            parents=np.array([[choice.parents >> member & 1 for member in members] for choice in kept], dtype=np.bool_),
            losses=np.array([tops[choice.node] - choice.score for choice in kept]),
            best=sum(tops.values()),
        )

    def keep(self, are_kept: Flags) -> "FamilyTable":
        """Return a table of some of the families."""
        choices = tuple(choice for choice, is_kept in zip(self.choices, are_kept, strict=True) if is_kept)
        return FamilyTable(choices, self.nodes[are_kept], self.parents[are_kept], self.losses[are_kept], self.best)

    @property
    def n_nodes(self) -> int:
        """Number of nodes of the component."""
        return int(self.parents.shape[1])

    @cached_property
    def firsts(self) -> Numbering:
        """Where each node's families begin."""
        return np.searchsorted(self.nodes, np.arange(self.n_nodes))

    @cached_property
    def owners(self) -> NDArray[np.float32]:
        """A row per family: 1 at its node."""
        return np.eye(self.n_nodes, dtype=np.float32)[self.nodes]

    @cached_property
    def members(self) -> NDArray[np.float32]:
        """A row per family: 1 at each parent."""
        return self.parents.astype(np.float32)

    def best_in_order(self, order: Numbering) -> Numbering | None:
        """Return each node's best family whose parents come before it; None if a node has no such family."""
        position = np.empty(self.n_nodes, dtype=np.int64)
        position[order] = np.arange(self.n_nodes)
        latest = np.where(self.parents, position, -1).max(axis=1)
        losses = np.where(latest < position[self.nodes], self.losses, np.inf)
        if np.isinf(np.minimum.reduceat(losses, self.firsts)).any():
            return None
        ends = [*self.firsts[1:], len(losses)]
        return np.array([a + losses[a:b].argmin() for a, b in zip(self.firsts, ends, strict=True)])

    def propagate(self, alive: Flags) -> Flags | None:
        """Return the families that are left if those not alive are excluded: no one has a descendant as its parent.

        A parent that all families of a node share is certain, and so are the ancestors that follow. None if a node
        is left without a family.
        """
        while True:
            certain = np.logical_and.reduceat(self.parents | ~alive[:, None], self.firsts)  # node by parent
            counts = np.add.reduceat(alive.astype(np.int64), self.firsts)
            if not counts.all():
                return None
            above = certain
            while True:
                further = above | ((above.astype(np.float32) @ above.astype(np.float32)) > 0)
                if (further == above).all():
                    break
                above = further
            below = above.T[self.nodes]  # a row per family: the descendants of its node
            left = alive & ~(self.parents & below).any(axis=1)
            if (left == alive).all():
                return alive
            alive = left
