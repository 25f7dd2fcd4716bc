"""Posteriors of one node for many rows of evidence, each from the part of the model that matters for it.

In a row, the target depends on the unobserved nodes that paths through families connect to it, and on the observed
nodes in families with these: its Markov blanket, if the blanket is observed. Where few nodes are unobserved there,
their states are enumerated; all other rows ask a circuit.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ldag.data import row_keys
from ldag.inference.circuit import UNOBSERVED, Circuit, Numbers, Rows
from ldag.inference.engine import Engine
from ldag.inference.wide import is_wide
from ldag.model import Mask, Model, Partition

RowNumbers = NDArray[np.intp]
NodeCodes = Mapping[int, NDArray[np.integer]]
"""NodeCodes by node."""

BATCH = 1 << 16
"""Rows that are worked on together; fewer if the model has many nodes."""

CELLS = 1 << 22
"""The most numbers in an array of a batch."""

CIRCUIT_BATCH = 1 << 13

ENUMERATED = 64
"""Configurations of unobserved nodes that are enumerated for a row; where there are more, a circuit is asked."""


class _Factor(Protocol):
    """A family as a function of its members' codes."""

    @property
    def members(self) -> tuple[int, ...]:
        """The nodes that it depends on."""

    def logs(self, codes: NodeCodes, n: int, hidden: NodeCodes, size: int) -> Numbers:
        """Return logarithms for n rows and ``size`` combinations of the states of other nodes, a column each."""


@dataclass(frozen=True, eq=False)
class _Table:
    """A family as a table of logarithms: an entry for the nodes' codes, each times its stride."""

    strides: Mapping[int, int]
    table: Numbers

    @classmethod
    def of(cls, model: Model, node: int) -> "_Table":
        """Make the table of all configurations, the node's own states fastest."""
        family, n_states = model.structure.families[node], model.structure.n_states[node]
        strides = {p: s * n_states for p, s in zip(family.parents, family.partition.grid.strides, strict=True)}
        return cls(strides | {node: 1}, family.partition.expand(_logs(model, node)).reshape(-1))

    @property
    def members(self) -> tuple[int, ...]:
        return tuple(self.strides)

    def logs(self, codes: NodeCodes, n: int, hidden: NodeCodes, size: int) -> Numbers:
        return np.asarray(self.table[self._places(codes, n)[:, None] + self._places(hidden, size)])

    def _places(self, codes: NodeCodes, n: int) -> RowNumbers:
        """Return where the codes of some of the nodes lead; nodes that are left out add nothing."""
        total = np.zeros(n, dtype=np.intp)
        for node, stride in self.strides.items():
            if node in codes:
                total += stride * codes[node].astype(np.intp)
        return total


@dataclass(frozen=True, eq=False)
class _Walk:
    """A family of too many configurations for a table: every row walks down its tree."""

    node: int
    parents: tuple[int, ...]
    partition: Partition
    table: Numbers
    """By class and state."""

    @classmethod
    def of(cls, model: Model, node: int) -> "_Walk":
        """Make it of the family of a node."""
        family = model.structure.families[node]
        return cls(node, family.parents, family.partition, _logs(model, node))

    @property
    def members(self) -> tuple[int, ...]:
        return (*self.parents, self.node)

    def logs(self, codes: NodeCodes, n: int, hidden: NodeCodes, size: int) -> Numbers:
        result = np.empty((n, size))
        above = [axis for axis, parent in enumerate(self.parents) if parent in hidden]
        alike: dict[tuple[int, ...], list[int]] = {}  # columns, by the states of hidden parents
        for column in range(size):
            alike.setdefault(tuple(int(hidden[self.parents[axis]][column]) for axis in above), []).append(column)
        cells = np.empty((len(self.parents), n), dtype=np.uint8)
        for axis, parent in enumerate(self.parents):
            cells[axis] = 0 if parent in hidden else codes[parent]
        for states, columns in alike.items():
            cells[above] = np.array(states, dtype=np.uint8).reshape(-1, 1)
            classes = self.partition.classes_of_rows(cells)[:, None]
            own = hidden[self.node][columns] if self.node in hidden else codes[self.node][:, None]
            result[:, columns] = self.table[classes, own]
        return result


@dataclass(frozen=True, eq=False)
class _Relevant:
    """What matters in rows, by which of their cells are missing: a mask row per such pattern, a column per node."""

    hidden: Mask
    """Unobserved nodes that matter."""
    families: Mask
    """Families that these are in."""
    others: Mask
    """Families that do not matter for the target, but may show that the evidence is impossible."""


class Predictor:
    """Predicts one node of an engine's model."""

    def __init__(self, engine: Engine, target: int) -> None:
        structure = engine.model.structure
        n = len(structure)
        self._engine, self._target = engine, target
        self._n_states = structure.n_states
        self._members = np.zeros((n, n), dtype=np.float32)  # by family; numbers, for fast products
        self._above = np.zeros((n, n), dtype=np.float32)
        for node in range(n):
            self._members[node, [node, *structure.parents(node)]] = 1
            self._above[node, sorted(structure.ancestors([node]))] = 1
        self._uncertain = [node for node in range(n) if (engine.model.probabilities[node] == 0).any()]
        self._factor = cache(lambda node: _factor(engine.model, node))

    def posteriors(self, rows: Rows) -> Numbers:
        """Return the posterior of the target's states in each row, NaN where the evidence is impossible.

        Rows have a code for each node of the model or UNOBSERVED, which the target must be.
        """
        shares = np.empty((len(rows), self._n_states[self._target]))
        observed = np.flatnonzero((rows != UNOBSERVED).any(axis=0)).tolist()
        step = max(1, min(BATCH, CELLS // rows.shape[1]))
        for begin in range(0, len(rows), step):
            shares[begin : begin + step] = self._batch(rows[begin : begin + step], observed)
        return shares

    def posteriors_given_rest(self, rows: Rows) -> Numbers:
        """Return the posterior of the target's states in each row, given the codes of all other nodes.

        Rows must be possible; the target's own code is not looked at.
        """
        families = np.flatnonzero(self._members[:, self._target]).tolist()
        return self._enumerated(rows, [self._target], families)

    def _batch(self, rows: Rows, observed: list[int]) -> Numbers:
        missing = rows == UNOBSERVED
        first, pattern = _equal(missing)
        relevant = self._relevant(missing[first])
        impossible, asks = self._others(rows, pattern, relevant)
        summed_out = np.delete(relevant.hidden, self._target, axis=1) @ np.log(np.delete(self._n_states, self._target))
        asks |= (summed_out > np.log(ENUMERATED) + 1e-9)[pattern]
        shares = np.full((len(rows), self._n_states[self._target]), np.nan)
        alike, kind = _equal(np.hstack([relevant.hidden, relevant.families]))
        for chosen in _groups(kind[pattern], ~(asks | impossible)):
            one = alike[kind[pattern[chosen[0]]]]
            hidden, families = (np.flatnonzero(mask[one]).tolist() for mask in (relevant.hidden, relevant.families))
            shares[chosen] = self._enumerated(rows[chosen], hidden, families)
        chosen = np.flatnonzero(asks & ~impossible)
        if len(chosen):
            asked = rows[chosen]
            if not self._uncertain:  # what does not matter cannot be impossible either
                matters = relevant.families @ self._members > 0
                asked = np.where(matters[pattern[chosen]], asked, np.uint8(UNOBSERVED))
            shares[chosen] = self._asked(asked, observed)
        return shares

    def _relevant(self, missing: Mask) -> _Relevant:
        """Find what matters for the target; what is unobserved, and nothing below it observed, does not."""
        target = np.zeros(missing.shape[1], dtype=np.bool_)
        target[self._target] = True
        alive = (~missing | target) @ self._above > 0
        free = missing & alive
        hidden = np.broadcast_to(target, missing.shape)
        while True:
            families = (hidden @ self._members.T > 0) & alive
            more = (families @ self._members > 0) & free
            if np.array_equal(more, hidden):
                return _Relevant(hidden, families, alive & ~families)
            hidden = more

    def _others(self, rows: Rows, pattern: RowNumbers, relevant: _Relevant) -> tuple[Mask, Mask]:
        """Find the rows that families away from the target make impossible, and those where that takes a circuit."""
        impossible, unsure = np.zeros((2, len(rows)), dtype=np.bool_)
        for node in self._uncertain:
            factor = self._factor(node)
            seen = np.flatnonzero(relevant.others[pattern, node])
            codes = {member: rows[seen, member] for member in factor.members}
            incomplete = np.any([cells == UNOBSERVED for cells in codes.values()], axis=0)
            unsure[seen] |= incomplete
            if incomplete.any():
                seen = seen[~incomplete]
                codes = {member: cells[~incomplete] for member, cells in codes.items()}
            impossible[seen] |= np.isneginf(factor.logs(codes, len(seen), {}, 1)[:, 0])
        return impossible, unsure

    def _enumerated(self, rows: Rows, hidden: list[int], families: list[int]) -> Numbers:
        """Sum over the states of the hidden nodes, the same in all rows; equal rows are worked out once."""
        factors = [self._factor(family) for family in families]
        seen = sorted({node for factor in factors for node in factor.members} - set(hidden))
        first, inverse = _distinct(rows[:, seen].T, [self._n_states[node] for node in seen])
        order = [self._target, *(node for node in hidden if node != self._target)]
        shape = [self._n_states[node] for node in order]
        grid = dict(zip(order, np.indices(shape).reshape(len(order), -1), strict=True))
        size = len(grid[self._target])
        parts = []
        for chosen in np.split(first, range(CELLS // size, len(first), CELLS // size)):
            codes = {node: rows[chosen, node] for node in seen}
            logs = np.zeros((len(chosen), size))
            for factor in factors:
                logs += factor.logs(codes, len(chosen), grid, size)
            parts.append(_normalise(logs, shape[0]))
        return np.concatenate(parts)[inverse]

    def _asked(self, rows: Rows, observed: list[int]) -> Numbers:
        """Ask a circuit if there are enough rows for one and it is not too large, and sums for each row otherwise."""
        first, inverse = _distinct(rows.T, [UNOBSERVED + 1] * rows.shape[1])
        rows = rows[first]
        if not self._engine.asks_circuit_of(len(rows), [self._target, *observed]):
            logs = np.array([self._one(row) for row in rows])
        else:
            circuit = self._engine.circuit_over([self._target, *observed])
            logs = np.concatenate(
                [self._from_circuit(circuit, rows[i : i + CIRCUIT_BATCH]) for i in range(0, len(rows), CIRCUIT_BATCH)]
            )
        return logs[inverse]

    def _from_circuit(self, circuit: Circuit, rows: Rows) -> Numbers:
        logs, posteriors = circuit.marginals(np.ascontiguousarray(rows[:, circuit.nodes]), n_threads=0)
        own: Numbers = posteriors[:, circuit.columns(self._target)]
        return np.where(np.isneginf(logs)[:, None], np.nan, own)

    def _one(self, row: Rows) -> Numbers:
        evidence = {node: code for node, code in enumerate(row.tolist()) if code != UNOBSERVED}
        log_probability, posterior = self._engine.joint([self._target], evidence)
        return np.full_like(posterior, np.nan) if np.isneginf(log_probability) else posterior


def complete_log_probabilities(model: Model, rows: Rows) -> Numbers:
    """Return the log probability of rows without gaps, a code per node: the product of the families."""
    logs = np.zeros(len(rows))
    for node in range(len(model.structure)):
        factor = _factor(model, node)
        for begin in range(0, len(rows), BATCH):
            some = slice(begin, begin + BATCH)
            codes = {member: rows[some, member] for member in factor.members}
            logs[some] += factor.logs(codes, len(logs[some]), {}, 1)[:, 0]
    return logs


def _factor(model: Model, node: int) -> _Factor:
    return _Walk.of(model, node) if is_wide(model.structure.families[node]) else _Table.of(model, node)


def _logs(model: Model, node: int) -> Numbers:
    """Return the logarithms of a node's probabilities, by class and state."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(model.probabilities[node]))


def _groups(kinds: RowNumbers, wanted: Mask) -> list[RowNumbers]:
    """Return the numbers of the wanted rows, those of a kind together."""
    rows = np.flatnonzero(wanted)
    if not len(rows):
        return []
    rows = rows[np.argsort(kinds[rows], kind="stable")]
    return np.split(rows, np.flatnonzero(np.diff(kinds[rows])) + 1)


def _equal(masks: Mask) -> tuple[RowNumbers, RowNumbers]:
    """Return what `_distinct` does, for rows of a mask."""
    packed = np.packbits(masks, axis=1)
    return _distinct(packed.T, [256] * packed.shape[1])


def _distinct(columns: Rows, n_states: list[int]) -> tuple[RowNumbers, RowNumbers]:
    """Return where each different row comes first, and for each row which of these it equals."""
    _, first, inverse = np.unique(row_keys(columns, tuple(n_states)), return_index=True, return_inverse=True)
    return first, inverse


def _normalise(logs: Numbers, n_states: int) -> Numbers:
    """Return the distribution of the slowest part of the columns in each row, NaN where all is impossible."""
    largest = logs.max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        summed = np.exp(logs - largest).reshape(len(logs), n_states, -1).sum(axis=2)
    return np.asarray(summed / summed.sum(axis=1, keepdims=True))
