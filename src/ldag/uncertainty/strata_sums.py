"""Sums over all stratified graphs of a few variables, each counted once, by node numbers.

What hangs on a clique P, a connected part R of the graph, begins with nodes that are adjacent to all of P. The sets of
nodes that may come first in some order that realises all strata, in any order among themselves, are the free sets of a
convex geometry: those with an odd number of nodes are one more than those with an even number (Edelman and Jamison
1985). So the part is counted once by adding over what it can begin with, with alternating signs. Such a set is a clique
without strata; only two nodes may have a stratum between them, about all of P.
"""

from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

SeveralWeights = NDArray[np.longdouble]
"""One number for each of several sums that are made together."""

BeginningWeight = Callable[[int, int], SeveralWeights]
"""What the nodes of a second set weigh, all of them adjacent to those of the first, and free to come in any order."""


class StrataSums:
    """Sums of products of weights over all graphs on n nodes; sets of nodes are bits of a number."""

    def __init__(self, n_nodes: int, weight: BeginningWeight) -> None:
        self._n, self._weight = n_nodes, weight
        self._parts: dict[tuple[int, int], SeveralWeights] = {}
        self._below: dict[tuple[int, int], SeveralWeights] = {}
        self._hung: dict[tuple[int, int, int], SeveralWeights] = {}

    @cached_property
    def total(self) -> SeveralWeights:
        """The sums over all graphs."""
        return self._hang(0, 0, (1 << self._n) - 1)

    def _part(self, clique: int, part: int) -> SeveralWeights:
        """Return the sum over connected parts that hang on all of a clique."""
        key = clique, part
        if key not in self._parts:
            total = np.zeros(1, dtype=np.longdouble)
            for first in subsets(part):
                if first:
                    one = self._weight(clique, first) * self._hang(clique, first, part ^ first)
                    total = total + one if first.bit_count() % 2 else total - one
            self._parts[key] = total
        return self._parts[key]

    def _hang(self, clique: int, first: int, rest: int) -> SeveralWeights:
        """Return the sum over what hangs on a clique and further nodes, every part of it on one of these."""
        if rest == 0:
            return np.ones(1, dtype=np.longdouble)
        key = clique, first, rest
        if key not in self._hung:
            lowest = rest & -rest
            total = np.zeros(1, dtype=np.longdouble)
            for more in subsets(rest ^ lowest):
                one = lowest | more
                total = total + self._hang_one(clique, first, one) * self._hang(clique, first, rest ^ one)
            self._hung[key] = total
        return self._hung[key]

    def _hang_one(self, clique: int, first: int, part: int) -> SeveralWeights:
        """Return the sum over one such part; what hangs on the clique alone is another one. Nothing is free to hang."""
        if first == 0:
            return self._part(0, part)
        return self._any(clique | first, part) - self._any(clique, part)

    def _any(self, clique: int, part: int) -> SeveralWeights:
        """Return the sum over parts that hang on any subset of a clique."""
        key = clique, part
        if key not in self._below:
            total = np.zeros(1, dtype=np.longdouble)
            for own in subsets(clique):
                total = total + self._part(own, part)
            self._below[key] = total
        return self._below[key]


def subsets(of: int) -> Iterator[int]:
    """Go through the subsets of a set, the empty one first."""
    own = 0
    while True:
        yield own
        if own == of:
            return
        own = (own - of) & of
