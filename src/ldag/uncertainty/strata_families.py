"""What families weigh in sums over stratified graphs, and what such sums tell of edges and strata, by node numbers."""

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldag import _native
from ldag.constraints import SearchSpace
from ldag.data import Dataset, count_family
from ldag.errors import TooLarge
from ldag.model import CodedFamily, Counts, Grid
from ldag.scoring import Priors, score_family
from ldag.uncertainty.families import FullTable, LabelPosterior, Setting
from ldag.uncertainty.strata_sums import SeveralWeights, StrataSums


class AskedContext(NamedTuple):
    """Whether two nodes are joined and independent whenever another one, a common neighbour, has a state."""

    first: int
    second: int
    other: int
    code: int


class WeighedFamily(NamedTuple):
    """What all labels of a family weigh together, and how probable each is; those of all edges, or of one."""

    log_weight: float
    labels: LabelPosterior


class StrataShares(NamedTuple):
    """What sums over all graphs tell."""

    log_sum: float
    without: NDArray[np.float64]
    """For every pair the share of graphs in which it is not joined."""
    holding: NDArray[np.float64]
    """For every context that was asked about, the share of graphs whose stratum holds it."""


class StrataFamilies:
    """The weights of the families of some data under one setting, or of no data at all."""

    def __init__(
        self,
        data: Dataset,
        setting: Setting,
        space: SearchSpace,
        asked: Sequence[AskedContext] = (),
        *,
        is_prior: bool = False,
    ) -> None:
        self._data, self._setting, self._space, self._is_prior = data, setting, space, is_prior
        self._n_states = data.schema.n_states
        n = len(self._n_states)
        self._known: dict[tuple[int, int, int | None], WeighedFamily] = {}
        self._pairs = np.array([1 << a | 1 << b for a, b in combinations(range(n), 2)], dtype=np.int64)
        self._asked = asked
        self._asked_pairs = np.array([1 << one.first | 1 << one.second for one in asked], dtype=np.int64)
        self._place_of_pair = {pair: place for place, pair in enumerate(self._pairs.tolist())}
        self._alone = [self._family(node, 0, 0).log_weight for node in range(n)]

    def sums(self) -> StrataShares:
        """Sum over all graphs."""
        total = StrataSums(len(self._n_states), cache(self._weigh)).total
        if not (np.isfinite(total[0]) and total[0] > 0):
            raise TooLarge("these data say so much that the sums leave the range of this machine's numbers")
        shares = (total[1:] / total[0]).astype(np.float64)
        without, unless = np.split(shares, [len(self._pairs)])
        places = [self._place_of_pair[pair] for pair in self._asked_pairs.tolist()]
        return StrataShares(float(np.log(total[0])) + sum(self._alone), without, unless - without[places])

    def _weigh(self, clique: int, first: int) -> SeveralWeights:
        """Return what nodes weigh that are adjacent to a clique and to each other, and free to come in any order.

        Beside the whole weight stand, for every pair, that of graphs without the edge, and for every context that of
        graphs without the edge or with a stratum that holds the context.
        """
        nodes, together = list_nodes(first), clique | first
        logs = 0.0
        for place, node in enumerate(nodes):
            logs += self._family(*self._place_of(clique, nodes, place)).log_weight - self._alone[node]
        absent = (self._pairs & ~together) != 0
        unless = (self._asked_pairs & ~together) != 0
        shares: SeveralWeights = np.concatenate([[1.0], absent, unless]).astype(np.longdouble)
        for number in np.flatnonzero(~unless).tolist():
            shares[1 + len(absent) + number] = self._hold(clique, nodes, self._asked[number])
        weight: SeveralWeights = shares * np.exp(np.longdouble(logs))
        return weight

    @staticmethod
    def _place_of(clique: int, nodes: Sequence[int], place: int) -> tuple[int, int, int | None]:
        """Return a family of free nodes: node, parents, and the parents whose edges may have labels (None: all)."""
        before = clique | sum(1 << other for other in nodes[:place])
        if len(nodes) == 1:
            return nodes[place], before, None
        return nodes[place], before, 1 << nodes[0] if len(nodes) == 2 and place == 1 else 0

    def _hold(self, clique: int, nodes: Sequence[int], asked: AskedContext) -> float:
        """Return how probable it is that the stratum of an edge holds a context; 1 if that was decided before."""
        ends = {asked.first, asked.second}
        new = ends.intersection(nodes)
        if not new:
            return 1.0
        if len(nodes) > 2 or len(new) < len(nodes) or not clique >> asked.other & 1:
            return 0.0
        node, parents, labelled = self._place_of(clique, nodes, len(nodes) - 1)
        (parent,) = ends - {node}
        others = [other for other in list_nodes(parents) if other != parent]
        lines = Grid(tuple(self._n_states[other] for other in others)).matching({others.index(asked.other): asked.code})
        axis = list_nodes(parents).index(parent)
        return self._family(node, parents, labelled).labels.all_inside([(axis, line) for line in lines.tolist()])

    def _family(self, node: int, parents: int, labelled: int | None) -> WeighedFamily:
        key = node, parents, labelled
        if key not in self._known:
            self._known[key] = self._sum(node, tuple(list_nodes(parents)), labelled)
        return self._known[key]

    def _sum(self, node: int, parents: tuple[int, ...], labelled: int | None) -> WeighedFamily:
        counts: Counts = count_family(self._data.columns, self._n_states, node, parents).astype(np.float64)
        counts = np.zeros_like(counts) if self._is_prior else counts
        size = self._setting.equivalent_sample_size
        if not self._space.allows(node, parents):
            return WeighedFamily(-np.inf, FullTable(counts, size))
        grid = Grid(tuple(self._n_states[parent] for parent in parents))
        priors = Priors(self._setting.kappa, size, "labels")
        if labelled == 0 or len(parents) < 2 or self._setting.prior == "table" or self._is_large(node, parents):
            table = CodedFamily.table(parents, grid)
            return WeighedFamily(score_family(counts, table, priors).total, FullTable(counts, size))
        is_free = [labelled is None or bool(labelled >> parent & 1) for parent in parents]
        fixed = [[] if free else [0] * (grid.size // n) for free, n in zip(is_free, grid.n_states, strict=True)]
        lost = priors.class_lost(self._n_states[node])
        labels = _native.FamilyPosterior(counts, grid.n_states, size, lost, "ldag", regular=True, fixed=fixed)
        return WeighedFamily(labels.log_sum, labels)

    def _is_large(self, node: int, parents: tuple[int, ...]) -> bool:
        """Whether labels are not summed over: so that they are from all ends or from none."""
        sizes = [self._n_states[other] for other in (node, *parents)]
        return prod(sizes) // min(sizes) > _native.MAX_EXACT_CELLS


def list_nodes(nodes: int) -> list[int]:
    """Return the nodes of a set, ascending."""
    return [node for node in range(nodes.bit_length()) if nodes >> node & 1]
