"""Questions with ``do`` to a learned network: what they are answered by every graph that says the same as its own.

Such a graph has the network's own distribution p, so its parameters are those that p has along its arrows. With some
variables x set from outside, its distribution is p(v) divided by the product of the p(x_i | parents of x_i): an answer
depends on nothing but the parents that the variables which are set have in that graph.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from ldag.errors import GraphWarning, tell
from ldag.formats import Edge
from ldag.inference import CodedFindings, Engine, Numbers, TablesTooLarge, TooManyGates
from ldag.model import Schema
from ldag.reasoning import PossibleParents

MOST_SETS = 200
"""Parents of the variables that are set, together, of which answers are worked out."""

MOST_SCOPE_CELLS = 1 << 18
"""Cells of the table of an answer and the parents in question."""

MOST_ARROWS = 12
"""Arrows that a warning names."""

MOST_ANSWERS = 2000
"""Answers that are worked out for one question."""

SAME = 1e-9
"""Answers that differ by less are equal."""


@dataclass(frozen=True)
class EquivalentGraphs:
    """The graphs that say the same, as far as they make a difference: the parents of the nodes that are set."""

    schema: Schema
    nodes: tuple[int, ...]
    arrows: tuple[Edge, ...]
    """The arrows at these nodes that point the other way in some of the graphs."""
    parents: PossibleParents
    engine: Callable[[Sequence[int]], Engine]
    """The engine of the network with some nodes set from outside."""

    def bounds(
        self, targets: Sequence[int], own: Numbers, seen: CodedFindings, done: Mapping[int, int], memory_limit: float
    ) -> "Bounds":
        """Return the least and greatest probabilities of targets; ``own`` are those of the network itself."""
        low, high, n_left_out = own, own, 0
        for answer in self.answers(targets, seen, done, memory_limit):
            if answer is None:
                n_left_out += 1
            else:
                low, high = np.minimum(low, answer), np.maximum(high, answer)
        return Bounds(low, high, self.count(n_left_out), self.has_all(n_left_out))

    def answers(
        self, targets: Sequence[int], seen: CodedFindings, done: Mapping[int, int], memory_limit: float
    ) -> Iterator[Numbers | None]:
        """Go through the distributions of targets in the graphs other than the network's own; None is too large."""
        own, *others = self.parents.sets
        for sets in others:
            changed = zip(self.nodes, own, sets, strict=True)
            moved = {node: after for node, before, after in changed if after != before and node in done}
            try:
                yield self._answer(targets, seen, done, moved, memory_limit)
            except (TablesTooLarge, TooManyGates):
                yield None

    def has_all(self, n_left_out: int) -> bool:
        """Whether all graphs were looked at."""
        return self.parents.is_complete and not n_left_out

    def count(self, n_left_out: int) -> str:
        """Say how many graphs were looked at."""
        n = len(self.parents.sets)
        if self.has_all(n_left_out):
            return "all of them"
        more = "" if self.parents.is_complete else " or more"
        return f"{n - n_left_out} of {n}{more} ways to direct the edges at what is set"

    def _answer(
        self,
        targets: Sequence[int],
        seen: CodedFindings,
        done: Mapping[int, int],
        moved: Mapping[int, tuple[int, ...]],
        memory_limit: float,
    ) -> Numbers | None:
        """Return the distribution of targets in the graph in which some of the nodes that are set have other parents.

        Those are observed instead of set, and what is observed with them gets the weight that takes that back.
        """
        known = {**seen, **done}
        free = {parent for above in moved.values() for parent in above if not isinstance(known.get(parent), int)}
        scope = (*targets, *sorted(free - set(targets)))
        if prod(self.schema[node].n_states for node in scope) > MOST_SCOPE_CELLS:
            return None
        unmoved = [node for node in done if node not in moved]
        _, table = self.engine(unmoved).joint(scope, known, memory_limit)
        for node, above in moved.items():
            chance = self._chance(node, above, memory_limit)
            given = tuple(code if isinstance(code := known.get(v), int) else slice(None) for v in (*above, node))
            axes = [scope.index(parent) for parent in above if parent in free]
            shape = [self.schema[v].n_states if place in axes else 1 for place, v in enumerate(scope)]
            table = table / chance[given].transpose(np.argsort(axes)).reshape(shape)
        answer = table.sum(axis=tuple(range(len(targets), len(scope))))
        return answer / answer.sum() if np.isfinite(answer).all() and answer.sum() > 0 else None

    def _chance(self, node: int, parents: tuple[int, ...], memory_limit: float) -> Numbers:
        """Return the distributions of a node given parents, an axis each and the node's last."""
        _, table = self.engine(()).joint((*parents, node), {}, memory_limit)
        return np.asarray(table / table.sum(axis=-1, keepdims=True))


@dataclass(frozen=True)
class Bounds:
    """The least and the greatest probability in each cell, in words over what, and whether that is all graphs."""

    low: Numbers
    high: Numbers
    over: str
    is_over_all: bool

    @property
    def is_open(self) -> bool:
        """Whether it makes a difference which graph is asked, or may make one, as not all were."""
        return not self.is_over_all or bool(np.max(self.high - self.low) > SAME)


def tell_arrows(arrows: Sequence[Edge], consequence: str) -> None:
    """Warn that some arrows are not determined."""
    named = [f"{parent} -> {child}" for parent, child in arrows]
    *most, last = named if len(named) <= MOST_ARROWS else [*named[:MOST_ARROWS], f"{len(named) - MOST_ARROWS} more"]
    which = f"arrows {', '.join(most)} and {last} point" if most else f"arrow {last} points"
    tell((f"the data do not determine which way the {which}; {consequence}",), GraphWarning)
