"""Trees that were grown from rows, by node numbers: what the native core gives, and the families that they are."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldag import _native
from ldag.learning.structures import CountedFamily
from ldag.model import LEAF, CodedFamily, CodedTree, TreePartition


class CodedQuestion(NamedTuple):
    """A question as it was asked: where (states by variable, as bits), about what, its branches as bits, its gain."""

    where: Mapping[int, int]
    variable: int
    branches: tuple[int, ...]
    gain: float


@dataclass(frozen=True, eq=False)
class GrownTree:
    """The tree of one node. ``axes`` are numbers of variables; ``counts`` has a row per node of the tree."""

    axes: NDArray[np.int32]
    targets: NDArray[np.int32]
    counts: NDArray[np.float64]
    asked: tuple[int, ...]
    """Nodes of the tree in the order in which they asked."""
    steps: tuple[int, ...]
    """By these, the number of the step; those of a level are one."""
    gains: tuple[float, ...]
    """By step."""
    log_marginal_likelihood: float
    log_prior: float

    @classmethod
    def of(cls, plain: "_native.GrownTree") -> "GrownTree":
        """Make it of what the native core returns, or a checkpoint kept."""
        axes, targets, counts, asked, steps, gains, likelihood, prior = plain
        return cls(
            np.asarray(axes, dtype=np.int32),
            np.asarray(targets, dtype=np.int32),
            np.asarray(counts, dtype=np.float64),
            tuple(map(int, asked)),
            tuple(map(int, steps)),
            tuple(map(float, gains)),
            float(likelihood),
            float(prior),
        )

    def plain(self) -> list[object]:
        """Return what `of` takes, as values that can be written down."""
        arrays = [part.tolist() for part in (self.axes, self.targets, self.counts)]
        steps = [list(self.asked), list(self.steps), list(self.gains)]
        return [*arrays, *steps, self.log_marginal_likelihood, self.log_prior]

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """The variables that are asked about, ascending."""
        return tuple(np.unique(self.axes[self.axes != LEAF]).tolist())

    def coded(self, n_states: Sequence[int]) -> CodedTree:
        """Return the tree over its parents, a class for every leaf."""
        places = np.searchsorted(np.array(self.parents, dtype=np.int64), self.axes)
        axes = np.where(self.axes == LEAF, LEAF, places)
        n_leaves = int((self.axes == LEAF).sum())
        own = [n_states[parent] for parent in self.parents]
        return CodedTree.from_arrays(own, axes, self.targets, np.arange(n_leaves))

    def family(self, n_states: Sequence[int], whose: str = "a node") -> CountedFamily:
        """Return the family whose classes are the leaves, with their counts."""
        tree = self.coded(n_states)
        partition, leaves = TreePartition.number_classes(tree, whose)
        return CountedFamily(CodedFamily.from_partition(self.parents, partition), self.counts[tree.leaves][leaves])

    def questions(self, n_states: Sequence[int]) -> Iterator[CodedQuestion]:
        """Go through the questions in the order in which they were asked."""
        tree = self.coded(n_states)
        boxes: list[dict[int, int]] = [{} for _ in range(tree.n_nodes)]
        for node, branches in enumerate(tree.branches):
            for states, target in branches:
                boxes[target] = {**boxes[node], int(self.axes[node]): states}
        for node, step in zip(self.asked, self.steps, strict=True):
            branches_of = tuple(states for states, _ in tree.branches[node])
            yield CodedQuestion(boxes[node], int(self.axes[node]), branches_of, self.gains[step])
