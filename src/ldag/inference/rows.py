"""Posteriors of one node for many rows of evidence, each from the part of the model that matters for it.

In a row, the target depends on the unobserved nodes that paths through families connect to it, and on the observed
nodes in families with these: its Markov blanket, if the blanket is observed. Where many rows have the same gaps, and
few nodes are unobserved there, their states are enumerated; all other rows ask sums, or a circuit.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ldag.data import row_keys
from ldag.inference.circuit import UNOBSERVED, Circuit, Numbers, Rows
from ldag.inference.engine import Engine
from ldag.inference.wide import is_wide
from ldag.model import Mask, Model, Partition

RowNumbers = NDArray[np.intp]
Indicators = NDArray[np.float32]
NodeCodes = Mapping[int, NDArray[np.integer]]
"""NodeCodes by node."""

BATCH = 1 << 16
"""Rows that are worked on together; fewer if the model has many nodes."""

CELLS = 1 << 22
"""The most numbers in an array of a batch."""

CIRCUIT_BATCH = 1 << 13

ALIKE = 8
"""So many rows with the same gaps, on average, are worth finding out together what matters in them."""

FIRST = 64
"""Rows that show what sums over their like cost; then twice as many each time."""

ENUMERATED = 64
"""Configurations of unobserved nodes that are enumerated for a row; where there are more, sums or a circuit answer."""


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
    """Predicts nodes of an engine's model."""

    def __init__(self, engine: Engine) -> None:
        self._engine, self._n_states = engine, engine.model.structure.n_states
        self._factor = cache(lambda node: _factor(engine.model, node))

    @cached_property
    def _members(self) -> Indicators:
        """The members of each family: numbers, for fast products."""
        structure = self._engine.model.structure
        return _indicators([(node, *structure.parents(node)) for node in range(len(structure))])

    @cached_property
    def _above(self) -> Indicators:
        """Each node and its ancestors."""
        structure = self._engine.model.structure
        return _indicators([structure.ancestors([node]) for node in range(len(structure))])

    @cached_property
    def _uncertain(self) -> list[int]:
        """The nodes with states that may be impossible."""
        return [node for node, table in enumerate(self._engine.model.probabilities) if (table == 0).any()]

    def posteriors(self, target: int, rows: Rows) -> Numbers:
        """Return the posterior of the target's states in each row, NaN where the evidence is impossible.

        Rows have a code for each node of the model or UNOBSERVED, which the target must be.
        """
        shares = np.empty((len(rows), self._n_states[target]))
        observed = np.flatnonzero((rows != UNOBSERVED).any(axis=0)).tolist()
        step = max(1, min(BATCH, CELLS // rows.shape[1]))
        for begin in range(0, len(rows), step):
            shares[begin : begin + step] = self._batch(target, rows[begin : begin + step], observed)
        return shares

    def posteriors_given_rest(self, target: int, rows: Rows) -> Numbers:
        """Return the posterior of the target's states in each row, given the codes of all other nodes.

        Rows must be possible; the target's own code is not looked at.
        """
        families = np.flatnonzero(self._members[:, target]).tolist()
        return self._enumerated(target, rows, [target], families)

    def _batch(self, target: int, rows: Rows, observed: list[int]) -> Numbers:
        if len(rows) < ALIKE:
            return self._asked(target, rows, observed)
        missing = rows == UNOBSERVED
        first, pattern = _equal(missing)
        if len(rows) < ALIKE * len(first):
            return self._asked(target, rows, observed)
        relevant = self._relevant(target, missing[first])
        impossible, asks = self._others(rows, pattern, relevant)
        summed_out = np.delete(relevant.hidden, target, axis=1) @ np.log(np.delete(self._n_states, target))
        asks |= (summed_out > np.log(ENUMERATED) + 1e-9)[pattern]
        shares = np.full((len(rows), self._n_states[target]), np.nan)
        alike, kind = _equal(np.hstack([relevant.hidden, relevant.families]))
        for chosen in _groups(kind[pattern], ~(asks | impossible)):
            one = alike[kind[pattern[chosen[0]]]]
            hidden, families = (np.flatnonzero(mask[one]).tolist() for mask in (relevant.hidden, relevant.families))
            shares[chosen] = self._enumerated(target, rows[chosen], hidden, families)
        chosen = np.flatnonzero(asks & ~impossible)
        if len(chosen):
            asked = rows[chosen]
            if not self._uncertain:  # what does not matter cannot be impossible either
                matters = relevant.families @ self._members > 0
                asked = np.where(matters[pattern[chosen]], asked, np.uint8(UNOBSERVED))
            shares[chosen] = self._asked(target, asked, observed)
        return shares

    def _relevant(self, target: int, missing: Mask) -> _Relevant:
        """Find what matters for the target; what is unobserved, and nothing below it observed, does not."""
        is_target = np.zeros(missing.shape[1], dtype=np.bool_)
        is_target[target] = True
        alive = (~missing | is_target) @ self._above > 0
        free = missing & alive
        hidden = np.broadcast_to(is_target, missing.shape)
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

    def _enumerated(self, target: int, rows: Rows, hidden: list[int], families: list[int]) -> Numbers:
        """Sum over the states of the hidden nodes, the same in all rows; equal rows are worked out once."""
        factors = [self._factor(family) for family in families]
        seen = sorted({node for factor in factors for node in factor.members} - set(hidden))
        first, inverse = _distinct(rows[:, seen].T, [self._n_states[node] for node in seen])
        order = [target, *(node for node in hidden if node != target)]
        shape = [self._n_states[node] for node in order]
        grid = dict(zip(order, np.indices(shape).reshape(len(order), -1), strict=True))
        size = len(grid[target])
        parts = []
        for chosen in np.split(first, range(CELLS // size, len(first), CELLS // size)):
            codes = {node: rows[chosen, node] for node in seen}
            logs = np.zeros((len(chosen), size))
            for factor in factors:
                logs += factor.logs(codes, len(chosen), grid, size)
            parts.append(_normalise(logs, shape[0]))
        return np.concatenate(parts)[inverse]

    def _asked(self, target: int, rows: Rows, observed: list[int]) -> Numbers:
        """Ask sums, and a circuit from when it costs less: that is told from what sums over rows before took."""
        first, inverse = _distinct_bytes(rows)
        rows = rows[first]
        order = np.argsort(_equal(rows == UNOBSERVED)[1], kind="stable")
        shares = np.empty((len(rows), self._n_states[target]))
        begin, step, circuit = 0, FIRST, None
        while begin < len(rows):
            some = order[begin : begin + step]
            if circuit is None:
                shares[some], row_cost = self._engine.row_posteriors(target, rows[some])
                left = len(rows) - begin - len(some)
                circuit = self._engine.circuit_for_rows([target, *observed], left, row_cost) if left else None
            else:
                shares[some] = _from_circuit(circuit, target, rows[some])
            begin, step = begin + step, min(2 * step, CIRCUIT_BATCH)
        return shares[inverse]


def _from_circuit(circuit: Circuit, target: int, rows: Rows) -> Numbers:
    logs, posteriors = circuit.marginals(np.ascontiguousarray(rows[:, circuit.nodes]), n_threads=0)
    return np.where(np.isneginf(logs)[:, None], np.nan, posteriors[:, circuit.columns(target)])


def _indicators(chosen: Sequence[Iterable[int]]) -> Indicators:
    """Return a row for each choice among as many numbers, 1 where it has them."""
    rows = np.zeros((len(chosen), len(chosen)), dtype=np.float32)
    for row, numbers in zip(rows, chosen, strict=True):
        row[list(numbers)] = 1
    return rows


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
    return _distinct_bytes(np.packbits(masks, axis=1))


def _distinct_bytes(rows: Rows) -> tuple[RowNumbers, RowNumbers]:
    """Return what `_distinct` does, for many columns."""
    if len(rows) == 1:
        return np.zeros(1, dtype=np.intp), np.zeros(1, dtype=np.intp)
    keys = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1]))).reshape(-1)
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return first, inverse


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
