"""Proofs beyond exact search: an upper bound on the score of any graph, by integer programming.

One variable between 0 and 1 stands for each parent set of a node that beats all its subsets (any other set can be
replaced by such a subset, which scores as well and closes no cycle). A choice of one set for each node is a graph; it
is acyclic if and only if every cluster of nodes has a member none of whose parents lies in the cluster (Jaakkola et al.
2010). These inequalities are added as they are violated: by the solution of the linear programme as long as some are
found, then by whole solutions, which are graphs with cycles. Every programme on the way bounds the score of all graphs.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from ldag.errors import MissingDependency

TOLERANCE = 1e-4
"""Scores that differ by less are equal, and a cluster is violated by more."""

CLUSTERS_PER_ROUND = 100


@dataclass(frozen=True)
class ParentChoice:
    """One set of parents of a node, as bits, and its score."""

    node: int
    parents: int
    score: float


@dataclass(frozen=True)
class Bound:
    """No choice without a cycle scores more than ``value``; ``parents`` are those of one that attains it, if known."""

    value: float
    parents: dict[int, int] | None
    n_cuts: int


def bound_scores(choices: Sequence[ParentChoice], n_nodes: int, deadline: float) -> Bound:
    """Bound the score of acyclic choices of one parent set for each node, until a moment on the monotonic clock."""
    value, n_cuts = 0.0, 0
    parents: dict[int, int] | None = {}
    for component in split_components(choices, n_nodes):
        part = _bound_component(_restrict(choices, component), deadline)
        value += part.value
        n_cuts += part.n_cuts
        parents = None if parents is None or part.parents is None else parents | part.parents
    return Bound(value, parents, n_cuts)


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


def bits_of(number: int) -> Iterator[int]:
    """Go through the bits that are set."""
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low


def _restrict(choices: Sequence[ParentChoice], component: int) -> list[ParentChoice]:
    """Return the choices of a component's nodes; of those with the same parents inside it, the best.

    ``parents`` stay those of the choice itself, as parents outside are always available.
    """
    best: dict[tuple[int, int], ParentChoice] = {}
    for choice in choices:
        key = (choice.node, choice.parents & component)
        if component >> choice.node & 1 and (key not in best or choice.score > best[key].score):
            best[key] = choice
    return list(best.values())


def _bound_component(choices: list[ParentChoice], deadline: float) -> Bound:
    """Solve the programme of one component, round by round."""
    program = _Program(choices)
    value = program.best_of_all
    is_whole = False
    for _ in count():
        solved = program.solve(deadline)
        value = min(value, program.bound)
        if solved is None:
            return Bound(value, None, len(program.clusters))
        cut = program.cut_cycles(solved) if is_whole else program.cut_clusters(solved)
        if cut:
            continue
        if is_whole or np.all(np.minimum(solved, 1 - solved) < 1e-6):
            chosen = [choice for choice, x in zip(choices, solved, strict=True) if x > 0.5]
            if not program.cut_cycles(solved):
                return Bound(value, {choice.node: choice.parents for choice in chosen}, len(program.clusters))
            continue
        is_whole = True
        program.ask_for_whole()
    raise AssertionError


class _Program:
    """The programme as the solver holds it; costs are relative to each node's best, which keeps digits."""

    def __init__(self, choices: Sequence[ParentChoice]) -> None:
        highspy = load_highspy()
        self._choices = choices
        self._nodes = sorted({choice.node for choice in choices})
        self.clusters: set[int] = set()
        self.bound = np.inf
        tops = {n: max(c.score for c in choices if c.node == n) for n in self._nodes}
        self.best_of_all = sum(tops.values())
        self._is_whole = False
        self._highs = highs = highspy.Highs()
        highs.silent()
        for option, value in (("mip_rel_gap", 0.0), ("mip_abs_gap", TOLERANCE / 100), ("threads", 1)):
            highs.setOptionValue(option, value)  # by default, a gap of 1e-4 of the score would be called optimal
        for option in ("primal_feasibility_tolerance", "dual_feasibility_tolerance", "mip_feasibility_tolerance"):
            highs.setOptionValue(option, 1e-9)
        highs.changeObjectiveSense(highspy.ObjSense.kMaximize)
        for column, choice in enumerate(choices):
            highs.addVar(0.0, 1.0)
            highs.changeColCost(column, choice.score - tops[choice.node])
        for node in self._nodes:
            self._add_row(1.0, [i for i, choice in enumerate(choices) if choice.node == node])

    def _add_row(self, most: float, members: Sequence[int]) -> None:
        self._highs.addRow(1.0, most, len(members), np.array(members, dtype=np.int32), np.ones(len(members)))

    def solve(self, deadline: float) -> Any:
        """Return the solution as an array, or None if time is up; ``bound`` is what is known then."""
        highspy = load_highspy()
        left = deadline - time.monotonic()
        if left <= 0:
            return None
        self._highs.setOptionValue("time_limit", self._highs.getRunTime() + left)
        self._highs.run()
        info = self._highs.getInfo()
        is_solved = self._highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
        if self._is_whole and np.isfinite(info.mip_dual_bound):
            self.bound = min(self.bound, self.best_of_all + info.mip_dual_bound)
        elif is_solved:
            self.bound = min(self.bound, self.best_of_all + info.objective_function_value)
        return np.array(self._highs.getSolution().col_value) if is_solved else None

    def ask_for_whole(self) -> None:
        """Ask for whole solutions from now on."""
        highspy = load_highspy()
        self._is_whole = True
        for column in range(len(self._choices)):
            self._highs.changeColIntegrality(column, highspy.HighsVarType.kInteger)

    def _cut(self, cluster: int) -> bool:
        """Ask that some node of a cluster has no parent in it; False if that was asked before."""
        if cluster in self.clusters:
            return False
        self.clusters.add(cluster)
        choices = enumerate(self._choices)
        self._add_row(np.inf, [i for i, c in choices if cluster >> c.node & 1 and not c.parents & cluster])
        return True

    def cut_cycles(self, solved: Any) -> bool:
        """Cut off the cycles of a whole solution; whether there were any."""
        chosen = {c.node: c for c, x in zip(self._choices, solved, strict=True) if x > 0.5}
        inside = sum(1 << node for node in self._nodes)
        edges = [ParentChoice(node, choice.parents & inside, 0.0) for node, choice in chosen.items()]
        components = split_components(edges, max(self._nodes) + 1)
        return sum(self._cut(cluster) for cluster in components if cluster & (cluster - 1)) > 0

    def cut_clusters(self, solved: Any) -> bool:
        """Cut off a fractional solution by clusters that it violates, if growing them node by node finds some."""
        active: dict[int, list[tuple[int, float]]] = {node: [] for node in self._nodes}
        for choice, x in zip(self._choices, solved, strict=True):
            if x > 1e-7:
                active[choice.node].append((choice.parents, float(x)))
        inside = sum(1 << node for node in self._nodes)
        pairs = {
            (1 << node) | (1 << parent)
            for node, own in active.items()
            for parents, _ in own
            for parent in bits_of(parents & inside)
        }
        violated = dict(grown for pair in sorted(pairs) for grown in _grow(pair, active))
        worst = sorted(violated, key=lambda cluster: (violated[cluster], cluster))[:CLUSTERS_PER_ROUND]
        return sum(self._cut(cluster) for cluster in worst) > 0


def _grow(cluster: int, active: Mapping[int, Sequence[tuple[int, float]]]) -> Iterator[tuple[int, float]]:
    """Grow a cluster by the node that violates it most; go through the violated ones, with their sums."""

    def total(cluster: int) -> float:
        return sum(x for node in bits_of(cluster) for parents, x in active[node] if not parents & cluster)

    value = total(cluster)
    for _ in range(len(active)):
        if value < 1 - TOLERANCE:
            yield cluster, value
        near = {p for node in bits_of(cluster) for parents, _ in active[node] for p in bits_of(parents & ~cluster)}
        grown = min(((total(cluster | 1 << node), cluster | 1 << node) for node in near & active.keys()), default=None)
        if grown is None or grown[0] > value + TOLERANCE:
            return
        value, cluster = grown


def load_highspy() -> Any:
    """Return the solver's package."""
    try:
        import highspy
    except ImportError:
        raise MissingDependency("highspy", "certify", "a certificate") from None
    return highspy
