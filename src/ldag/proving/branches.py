"""Branch and bound over the families of one component, with cuts in every branch."""

import heapq
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from math import inf
from typing import NamedTuple

import numpy as np

from ldag.proving.cuts import ALL, CHEAP, ENOUGH_CUTS, Fraction, Separator, find_violated
from ldag.proving.families import FamilyTable, Flags, Numbering, ParentChoice, Reals, bits_of, split_components
from ldag.proving.program import Program, Relaxed

EQUAL = 1e-6
"""Losses that differ by less are equal; solutions of linear programmes are no more precise."""

N_TRIED = 8
"""Edges whose branches are tried before one is chosen."""

LEAST_PROGRESS = 0.02
"""A round that closes less of the gap than this is a poor one."""

MOST_POOR = 3
"""After so many poor rounds on end, branches bring more than cuts."""

MANY_FAMILIES = 1_000
"""With fewer left, branches are faster than thorough rounds."""

MOST_KEPT = 0.6
"""A table of which no more is left is made anew, as smaller programmes are solved faster."""


class Branch(NamedTuple):
    """Some families: no acyclic choice among them loses less than ``loss``."""

    loss: float
    number: int
    alive: Flags


class Proof:
    """What is known of one component: no graph loses less than ``loss``, and ``best`` is the best one found."""

    def __init__(self, table: FamilyTable, cutoff: float, deadline: float, report: Callable[[float], object]) -> None:
        self.table = table
        self.cutoff = cutoff
        """The loss of the best graph known, be it ``best`` or one from elsewhere."""
        self.best: tuple[ParentChoice, ...] | None = None
        self.n_families = len(table.losses)
        self.n_left = len(table.losses)
        """Families that were not excluded before there were branches."""
        self.n_branches = 0
        self.n_cuts = 0
        self._deadline = deadline
        self._report = report
        self._program = Program(table, (), deadline)
        self._numbers = count()
        self._closed = np.inf
        self._open: list[Branch] = []
        self._push(0.0, np.ones(len(table.losses), dtype=np.bool_))

    @property
    def loss(self) -> float:
        """What any graph loses at least."""
        return max(min(self.cutoff, self._closed, self._open[0].loss if self._open else np.inf), 0.0)

    @property
    def is_over(self) -> bool:
        """Whether time is up."""
        return time.monotonic() > self._deadline

    def run(self) -> None:
        """Look for a proof until time is up."""
        while self._open and not self.is_over:
            branch = self._open[0]  # it stays open until it is done, should an interrupt come
            if branch.loss >= self.cutoff - EQUAL:
                self._close(branch.loss)
                continue
            children = self._split(branch)
            if self.is_over:
                return
            heapq.heappop(self._open)
            for child in children:
                self._push(max(child.loss, branch.loss), child.alive)
            self.n_branches += len(children)
            self._shrink()
            self._report(self.loss)

    def _push(self, loss: float, alive: Flags) -> None:
        heapq.heappush(self._open, Branch(loss, next(self._numbers), alive))

    def _split(self, branch: Branch) -> list[Branch]:
        """Cut a branch; return two that replace it, none if it is closed."""
        is_root = branch.number == 0
        while True:
            branch, solution = self._cut(branch, ALL if is_root else CHEAP)
            if solution is None or self.is_over:
                if not self.is_over:
                    self._closed = min(self._closed, branch.loss)
                return []
            sides = self._choose_edge(branch, solution)
            if len(sides) != 1:
                return sides
            branch = sides[0]

    def _cut(self, branch: Branch, kinds: Sequence[Separator]) -> tuple[Branch, Reals | None]:
        """Add cuts as long as they bring something; no solution if the branch is closed or time is up.

        Before there are branches, poor rounds are followed by thorough ones if many families are left, with cuts of all
        kinds: what they close is closed in all branches.
        """
        n_poor = 0
        is_thorough = False
        while True:
            before = branch.loss
            solution, relaxed = self._program.solve(branch.alive)
            loss = max(before, relaxed.loss)
            if self.is_over:
                return branch._replace(loss=loss), None
            self._round(solution)
            left = self._exclude(branch.alive, relaxed)
            if branch.number == 0 and left is not None:
                self.n_left = int(left.sum())
            if loss >= self.cutoff - EQUAL or left is None:
                return branch._replace(loss=max(loss, self.cutoff) if left is None else loss), None
            is_cut_off = bool((solution[~left] > EQUAL).any())
            branch = Branch(loss, branch.number, left)
            enough = inf if is_thorough and n_poor > 0 else ENOUGH_CUTS
            violated = find_violated(kinds, self.table, solution, self._deadline, enough)
            n_new = sum(self._program.add(cuts) for cuts in violated)
            self.n_cuts += n_new
            n_poor = n_poor + 1 if loss - before < LEAST_PROGRESS * (self.cutoff - loss) else 0
            has_stalled = n_poor >= MOST_POOR
            if has_stalled and branch.number == 0 and not is_thorough and left.sum() > MANY_FAMILIES:
                has_stalled, is_thorough, n_poor = False, True, 1
            if not is_cut_off and (n_new == 0 or has_stalled):
                return branch, solution
            if branch.number == 0:
                branch = self._keep_root(branch)
            self._program.drop_idle()

    def _exclude(self, alive: Flags, relaxed: Relaxed) -> Flags | None:
        """Return the families that are left once those are excluded with which any graph loses too much."""
        return self.table.propagate(alive & (relaxed.with_family <= self.cutoff + EQUAL))

    def _keep_root(self, root: Branch) -> Branch:
        """Keep what is known before there are branches."""
        self._open = [root]
        self._shrink()
        self._report(self.loss)
        return self._open[0]

    def _shrink(self) -> None:
        """Drop the families that no open branch has, if they are many."""
        alive = np.any([branch.alive for branch in self._open], axis=0) if self._open else np.ones(1, dtype=np.bool_)
        if alive.mean() < MOST_KEPT:
            self.table = self.table.keep(alive)
            self._program = Program(self.table, self._program.cuts, self._deadline)
            self._open = [branch._replace(alive=branch.alive[alive]) for branch in self._open]

    def _round(self, solution: Reals) -> None:
        """Make a graph of a solution: nodes in an order in which few shares of parents are missing."""
        missing = Fraction.of(self.table, solution).edges
        order = []
        left = np.zeros(self.table.n_nodes)
        for _ in range(self.table.n_nodes):
            node = int((missing.sum(axis=1) + left).argmin())
            order.append(node)
            left[node] = np.inf
            missing[:, node] = 0.0
        chosen = self.table.best_in_order(np.array(order))
        if chosen is not None:
            self._offer(chosen)

    def _offer(self, chosen: Numbering) -> None:
        """Take a graph for the best known if it is."""
        loss = float(self.table.losses[chosen].sum())
        if loss < self.cutoff - EQUAL:
            self.cutoff = loss
            self.best = tuple(self.table.choices[family] for family in chosen)

    def _choose_edge(self, branch: Branch, solution: Reals) -> list[Branch]:
        """Return two branches, with an edge and without it; one if the other is closed, none if both are."""
        best: tuple[float, list[Branch]] = (-1.0, [])
        for node, parent in self._open_edges(branch.alive, solution):
            has_edge = self.table.parents[:, parent] | (self.table.nodes != node)
            lacks_edge = ~self.table.parents[:, parent] | (self.table.nodes != node)
            sides = [side for kept in (has_edge, lacks_edge) if (side := self._restrict(branch, kept)) is not None]
            if len(sides) < 2 or self.is_over:
                return sides
            gains = [min(side.loss, self.cutoff) - branch.loss + EQUAL for side in sides]
            best = max(best, (gains[0] * gains[1], sides), key=lambda pair: pair[0])
        if not best[1]:  # one graph is left
            self._offer(np.flatnonzero(branch.alive))
        return best[1]

    def _restrict(self, branch: Branch, kept: Flags) -> Branch | None:
        """Return a branch with some of the families, None if no better graph has these only."""
        alive = self.table.propagate(branch.alive & kept)
        if alive is None:
            return None
        _, relaxed = self._program.solve(alive)
        loss = max(branch.loss, relaxed.loss)
        if loss >= self.cutoff - EQUAL:
            self._closed = min(self._closed, loss)
            return None
        return Branch(loss, -1, alive)

    def _open_edges(self, alive: Flags, solution: Reals) -> list[tuple[int, int]]:
        """Return the edges, child first, of which a solution takes about a half; if none, those not decided."""
        shares = Fraction.of(self.table, solution).edges
        edges = np.argwhere((shares > EQUAL) & (shares < 1 - EQUAL)).tolist()
        if not edges:
            firsts = self.table.firsts
            possible = np.logical_or.reduceat(self.table.parents & alive[:, None], firsts)
            certain = np.logical_and.reduceat(self.table.parents | ~alive[:, None], firsts)
            edges = np.argwhere(possible & ~certain).tolist()
        edges.sort(key=lambda edge: abs(shares[edge[0], edge[1]] - 0.5))
        return [(node, parent) for node, parent in edges[:N_TRIED]]

    def _close(self, loss: float) -> None:
        heapq.heappop(self._open)
        self._closed = min(self._closed, loss)


@dataclass(frozen=True)
class Bound:
    """No choice without a cycle scores more than ``value``."""

    value: float
    better: tuple[ParentChoice, ...]
    """Choices of all nodes of those components for which a better graph than the known one was found."""
    n_left: int
    """Families that were not excluded before there were branches."""
    n_cuts: int
    n_branches: int
    is_interrupted: bool


def bound_scores(
    choices: Sequence[ParentChoice],
    known: Sequence[float],
    deadline: float,
    report: Callable[[float], object],
) -> Bound:
    """Bound the score of acyclic choices of one parent set for each node, until a moment on the monotonic clock.

    ``known`` has the score of each node in a graph without a cycle, the best one known; ``report`` is told the bound.
    """
    components = split_components(choices, len(known))
    proofs: list[Proof] = []
    tables = [FamilyTable.of_component(choices, component) for component in components]
    values = [table.best for table in tables]
    is_interrupted = False
    try:
        for i in sorted(range(len(components)), key=lambda i: len(tables[i].choices)):

            def tell(loss: float, i: int = i) -> None:
                values[i] = tables[i].best - loss
                report(sum(values))

            cutoff = tables[i].best - sum(known[node] for node in bits_of(components[i]))
            proof = Proof(tables[i], cutoff, deadline, tell)
            proofs.append(proof)
            proof.run()
            tell(proof.loss)
    except KeyboardInterrupt:
        is_interrupted = True
    n_untouched = sum(len(table.choices) for table in tables) - sum(proof.n_families for proof in proofs)
    return Bound(
        value=sum(values),
        better=tuple(choice for proof in proofs for choice in proof.best or ()),
        n_left=n_untouched + sum(proof.n_left for proof in proofs),
        n_cuts=sum(proof.n_cuts for proof in proofs),
        n_branches=sum(proof.n_branches for proof in proofs),
        is_interrupted=is_interrupted,
    )
