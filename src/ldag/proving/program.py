"""The linear programme of one component, as the solver holds it, and a bound that does not rely on the solver."""

import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ldag.proving.cuts import Cut
from ldag.proving.families import FamilyTable, Flags, Numbering, Reals
from ldag.proving.solver import load_highspy, run_highs, start_highs

MOST_IDLE = 8
"""Solutions after which a cut that none of them needed is dropped."""


class Relaxed(NamedTuple):
    """No choice among some families loses less than ``loss``, and none with a certain one less than its own number."""

    loss: float
    with_family: Reals


class WeighedCut(NamedTuple):
    """The families that a cut weighs, and what those of an acyclic graph weigh at least."""

    columns: Numbering
    weights: Reals
    least: float


def relax(table: FamilyTable, alive: Flags, cuts: Sequence[WeighedCut], prices: Reals) -> Relaxed:
    """Bound the loss of any acyclic choice from below: a price is paid for each cut, and got back by its families.

    This holds for any prices that are not negative (they are the multipliers of a Lagrangian relaxation), so it is a
    proof whatever they come from.
    """
    paid = table.losses.copy()
    total = 0.0
    priced = [(cut, float(price)) for cut, price in zip(cuts, prices, strict=True) if price > 0]
    if priced:
        columns = np.concatenate([cut.columns for cut, _ in priced])
        refunds = np.concatenate([price * cut.weights for cut, price in priced])
        paid -= np.bincount(columns, refunds, minlength=len(paid))
        total = sum(price * cut.least for cut, price in priced)
    lowest = np.minimum.reduceat(np.where(alive, paid, np.inf), table.firsts)
    loss = float(lowest.sum() + total)
    return Relaxed(loss, np.where(alive, loss - lowest[table.nodes] + paid, np.inf))


class Program:
    """One share between 0 and 1 for each family, those of a node sum to 1, and cuts are added as they are violated.

    An elastic column that fulfils all cuts at a high price keeps the programme feasible.
    """

    def __init__(self, table: FamilyTable, cuts: Iterable[Cut], deadline: float) -> None:
        self.table = table
        self.cuts: list[Cut] = []
        self._weights: list[WeighedCut] = []
        self._idle = np.zeros(0, dtype=np.int64)
        self._prices = np.zeros(0)
        self._deadline = deadline
        self._highs = start_highs()
        n = len(table.losses)
        self._highs.addVars(n + 1, np.zeros(n + 1), np.ones(n + 1))
        price = 10 * table.losses.max(initial=1.0) * table.n_nodes
        self._highs.changeColsCost(n + 1, np.arange(n + 1, dtype=np.int32), np.append(table.losses, price))
        for first, end in zip(table.firsts, [*table.firsts[1:], n], strict=True):
            self._highs.addRow(1.0, 1.0, end - first, np.arange(first, end, dtype=np.int32), np.ones(end - first))
        self.add(cuts)

    def add(self, cuts: Iterable[Cut]) -> int:
        """Add those cuts that are new; return how many are."""
        known = set(self.cuts)
        new = [cut for cut in cuts if cut not in known]
        for cut in new:
            columns, weights = cut.weigh(self.table)
            self._weights.append(WeighedCut(columns, weights, cut.least))
        if new:
            self._add_rows(self._weights[-len(new) :])
        self.cuts += new
        self._idle = np.append(self._idle, np.zeros(len(new), dtype=np.int64))
        self._prices = np.append(self._prices, np.zeros(len(new)))
        return len(new)

    def _add_rows(self, cuts: Sequence[WeighedCut]) -> None:
        """Hand cuts to the solver, all at once, which is much faster; the last entry of each is the elastic column."""
        n = len(self.table.losses)
        least = np.array([cut.least for cut in cuts], dtype=np.float64)
        columns = np.concatenate([np.append(cut.columns, n) for cut in cuts]).astype(np.int32)
        weights = np.concatenate([np.append(cut.weights, cut.least) for cut in cuts])
        starts = np.cumsum([0, *(len(cut.columns) + 1 for cut in cuts[:-1])]).astype(np.int32)
        highest = np.full(len(cuts), np.inf)
        self._highs.addRows(len(cuts), least, highest, len(columns), starts, columns, weights)

    def solve(self, alive: Flags) -> tuple[Reals, Relaxed]:
        """Return shares of the families that are alive, and the bound by the solution's prices.

        If time is up, the shares are of no use, and the bound is by the last prices there were.
        """
        n = len(self.table.losses)
        self._highs.changeColsBounds(n, np.arange(n, dtype=np.int32), np.zeros(n), alive.astype(np.float64))
        shares = np.zeros(n)
        if self._is_solved():
            solution = self._highs.getSolution()
            shares = np.array(solution.col_value)[:n]
            self._prices = np.maximum(np.array(solution.row_dual)[self.table.n_nodes :], 0.0)
        self._idle = np.where(self._prices > 1e-9, 0, self._idle + 1)
        return shares, relax(self.table, alive, self._weights, self._prices)

    def _is_solved(self) -> bool:
        """Run the solver until it has a solution or time is up; tell which."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            return False
        self._highs.setOptionValue("time_limit", self._highs.getRunTime() + left)
        run_highs(self._highs)
        return bool(self._highs.getModelStatus() == load_highspy().HighsModelStatus.kOptimal)

    def drop_idle(self) -> None:
        """Drop the cuts that were not needed for a while, if they are many."""
        basis = self._highs.getBasis()
        statuses = list(basis.row_status)  # each question for them copies all
        basic = load_highspy().HighsBasisStatus.kBasic
        if len(statuses) != self.table.n_nodes + len(self.cuts):
            return
        is_slack = np.array([status == basic for status in statuses[self.table.n_nodes :]], dtype=np.bool_)
        is_idle = (self._idle > MOST_IDLE) & is_slack
        if is_idle.sum() <= len(is_idle) / 4:
            return
        idle, kept = np.flatnonzero(is_idle), np.flatnonzero(~is_idle)
        basis.row_status = statuses[: self.table.n_nodes] + [statuses[self.table.n_nodes + i] for i in kept]
        self._highs.deleteRows(len(idle), (idle + self.table.n_nodes).astype(np.int32))
        self._highs.setBasis(basis)
        self.cuts = [self.cuts[i] for i in kept]
        self._weights = [self._weights[i] for i in kept]
        self._idle, self._prices = self._idle[kept], self._prices[kept]
