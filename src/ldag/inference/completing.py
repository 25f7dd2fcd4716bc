"""Rows with gaps under a structure: expected counts, probabilities, draws and maxima of what stands in the gaps.

The structure is compiled once, by class; values of its parameters come with every question. Where the circuit would be
too large, each row is one propagation of tables on a junction tree.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from threading import Event
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ldag import _native
from ldag.errors import TooLarge, spell_bytes
from ldag.inference.circuit import MAX_SIZE, UNOBSERVED, Circuit, Numbers, Rows, TooManyGates, compile_circuit
from ldag.inference.engine import ARGUMENT_BYTES
from ldag.inference.sums import MEMORY_LIMIT, Sums, TablesTooLarge
from ldag.inference.wide import limit_trial
from ldag.model import ClassTable, Model, Structure

SUMS_TO_ONE = 1e-9
"""Weights of a class this near to a sum of 1 are probabilities: tables then leave out what nothing was seen of."""


class NothingFits(TooLarge):
    """Both the circuit and the tables of a structure would be larger than allowed; both say by how much."""

    def __init__(self, circuit: TooManyGates, tables: TablesTooLarge) -> None:
        super().__init__(
            f"completing rows needs about {circuit.needed:,.0f} arguments of sums and products, and at most"
            f" {circuit.max_size:,} are allowed, or tables of {spell_bytes(tables.n_bytes)}, of which"
            f" {spell_bytes(tables.memory_limit)} are allowed; a graph with fewer parents takes less"
        )
        self.circuit, self.tables = circuit, tables

    def __reduce__(self) -> tuple[type["NothingFits"], tuple[TooManyGates, TablesTooLarge]]:
        return type(self), (self.circuit, self.tables)


@dataclass(frozen=True)
class _Drawing:
    """How completions are drawn; ``repeats`` says of every row how many equal ones come before it."""

    n_copies: int
    seed: int
    systematic: bool
    repeats: NDArray[np.uint32]


class _Way(Protocol):
    """A way to answer, for parameters of all nodes and rows of codes."""

    def expected_counts(
        self, model: Model, rows: Rows, weights: Numbers, n_threads: int
    ) -> tuple[Numbers, tuple[ClassTable, ...]]: ...
    def log_probabilities(self, model: Model, rows: Rows, n_threads: int) -> Numbers: ...
    def draw(self, model: Model, rows: Rows, drawing: "_Drawing", n_threads: int) -> Rows: ...
    def most_probable(self, model: Model, rows: Rows, n_threads: int) -> tuple[Rows, Numbers]: ...


class Completions:
    """Rows with gaps under a structure, for any values of its parameters.

    Rows have a code for every node, or 255 for a gap. Parameters have a row per class and a column per state; they are
    at most 1 and need not sum to it, as those of variational steps do not, except for `draw` and `most_probable`.
    Answers are the same for any number of threads (0: as many as there are cores).
    """

    def __init__(self, structure: Structure, memory_limit: float = MEMORY_LIMIT) -> None:
        """Compile the structure, or raise `NothingFits` with the sizes if neither circuit nor tables fit."""
        self.structure = structure
        self._way: _Way
        equal = Model(structure, tuple(_equal_probabilities(structure, node) for node in range(len(structure))))
        try:
            self._way = _ByCircuit(equal, memory_limit)
        except TooManyGates as refused:
            try:
                self._way = _ByTables(equal, memory_limit)
            except TablesTooLarge as too:
                raise NothingFits(refused, too) from None

    @property
    def is_compiled(self) -> bool:
        """Whether a circuit answers, and not tables."""
        return isinstance(self._way, _ByCircuit)

    def expected_counts(
        self, probabilities: Sequence[ClassTable], rows: Rows, weights: Numbers | None = None, n_threads: int = 0
    ) -> tuple[Numbers, tuple[ClassTable, ...]]:
        """Return the log probability of every row, and for each node the expected counts by class and state.

        The log is minus infinity where a row is impossible; such a row adds nothing to the counts.
        """
        given = np.ones(len(rows)) if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
        return self._way.expected_counts(self._model(probabilities), _contiguous(rows), given, n_threads)

    def log_probabilities(self, probabilities: Sequence[ClassTable], rows: Rows, n_threads: int = 0) -> Numbers:
        """Return the log probability of the observed cells of every row; minus infinity where it is impossible."""
        return self._way.log_probabilities(self._model(probabilities), _contiguous(rows), n_threads)

    def draw(
        self,
        probabilities: Sequence[ClassTable],
        rows: Rows,
        n_copies: int,
        seed: int,
        n_threads: int = 0,
        *,
        systematic: bool = False,
    ) -> Rows:
        """Return completions of rows: copy by copy, row by row, a code per node; impossible rows stay as they are.

        A draw depends on the seed, the codes of the row, on which of the equal rows it is, and on the copy: the order
        of rows and the number of threads make no difference. Copies are independent draws; ``systematic`` ones spread
        evenly over the completions of a row, which makes sums over them more exact.
        """
        rows = _contiguous(rows)
        drawing = _Drawing(n_copies, seed, systematic, _number_equal_rows(rows))
        return self._way.draw(self._model(probabilities), rows, drawing, n_threads)

    def most_probable(
        self, probabilities: Sequence[ClassTable], rows: Rows, n_threads: int = 0
    ) -> tuple[Rows, Numbers]:
        """Return each row completed by its most probable states, and the log probability of that.

        Of equally probable completions it is always the same one; impossible rows stay as they are.
        """
        return self._way.most_probable(self._model(probabilities), _contiguous(rows), n_threads)

    def _model(self, probabilities: Sequence[ClassTable]) -> Model:
        return Model(self.structure, tuple(probabilities))


class _ByCircuit:
    """Answers from a circuit compiled by class."""

    def __init__(self, equal: Model, memory_limit: float) -> None:
        max_size = limit_trial(equal.structure, min(MAX_SIZE, int(memory_limit / ARGUMENT_BYTES)))
        nodes = range(len(equal.structure))
        self._circuit: Circuit = compile_circuit(equal, nodes, by_class=True, max_size=max_size, all_orders=True)

    def expected_counts(
        self, model: Model, rows: Rows, weights: Numbers, n_threads: int
    ) -> tuple[Numbers, tuple[ClassTable, ...]]:
        values = self._circuit.with_probabilities(model).values
        logs, counts = _native.expected_counts(self._circuit.shape, values, rows, weights, n_threads)
        return logs, self._circuit.by_class(counts)

    def log_probabilities(self, model: Model, rows: Rows, n_threads: int) -> Numbers:
        return self._circuit.with_probabilities(model).log_probabilities(rows, n_threads)

    def draw(self, model: Model, rows: Rows, drawing: _Drawing, n_threads: int) -> Rows:
        values = self._circuit.with_probabilities(model).values
        how = drawing.repeats, drawing.n_copies, drawing.seed, drawing.systematic
        return _native.draw_completions(self._circuit.shape, values, rows, *how, n_threads)

    def most_probable(self, model: Model, rows: Rows, n_threads: int) -> tuple[Rows, Numbers]:
        return self._circuit.with_probabilities(model).most_probable(rows, n_threads)


class _ByTables:
    """Answers by propagation on a junction tree, row by row."""

    def __init__(self, equal: Model, memory_limit: float) -> None:
        self._memory_limit = memory_limit
        self._equal = Sums(equal)
        self._equal.check(memory_limit)

    def expected_counts(
        self, model: Model, rows: Rows, weights: Numbers, n_threads: int
    ) -> tuple[Numbers, tuple[ClassTable, ...]]:
        sums = self._equal.native.with_probabilities(list(model.probabilities), _is_normalised(model))
        logs, counts = sums.expected_counts(rows, weights, n_threads, self._memory_limit)
        sizes = [table.size for table in model.probabilities]
        parts = np.split(counts, list(accumulate(sizes))[:-1])
        return logs, tuple(part.reshape(table.shape) for part, table in zip(parts, model.probabilities, strict=True))

    def log_probabilities(self, model: Model, rows: Rows, n_threads: int) -> Numbers:
        return self.expected_counts(model, rows, np.zeros(len(rows)), n_threads)[0]

    def draw(self, model: Model, rows: Rows, drawing: _Drawing, n_threads: int) -> Rows:
        """Draw independent copies; they are not systematic."""
        sums = Sums(model)
        completions = np.repeat(rows[None], drawing.n_copies, axis=0)

        def complete(place: int) -> None:
            key = _native.row_key(drawing.seed, rows[place : place + 1], int(drawing.repeats[place]))
            drawn = sums.draw(_findings(rows[place]), drawing.n_copies, key, self._memory_limit)
            if len(drawn):
                completions[:, place] = drawn

        self._for_each(complete, len(rows), n_threads)
        return completions

    def most_probable(self, model: Model, rows: Rows, n_threads: int) -> tuple[Rows, Numbers]:
        sums = Sums(model)
        completed, logs = rows.copy(), np.empty(len(rows))

        def complete(place: int) -> None:
            gaps = np.flatnonzero(rows[place] == UNOBSERVED)
            logs[place], codes = sums.most_probable(gaps.tolist(), _findings(rows[place]), self._memory_limit)
            if codes:
                completed[place, gaps] = codes

        self._for_each(complete, len(rows), n_threads)
        return completed, logs

    def _for_each(self, work: Callable[[int], None], n_rows: int, n_threads: int) -> None:
        """Work on rows in as many threads as have the memory for tables of their own.

        Each thread has every so many rows: handing them out one by one takes long, and an interruption meanwhile can
        leave a lock behind.
        """
        fit = max(1, int(self._memory_limit / max(1.0, self._equal.plan.n_bytes)))
        n = min(fit, n_threads or os.cpu_count() or 1)
        stop = Event()

        def go_through(first: int) -> None:
            for place in range(first, n_rows, n):
                if stop.is_set():
                    return
                work(place)

        from concurrent.futures import ThreadPoolExecutor  # here, because answers seldom need it

        pool = ThreadPoolExecutor(n)
        try:
            for job in [pool.submit(go_through, first) for first in range(n)]:
                job.result()
        finally:
            stop.set()
            pool.shutdown()


def _equal_probabilities(structure: Structure, node: int) -> ClassTable:
    n_states = structure.n_states[node]
    return np.full((structure.families[node].partition.n_classes, n_states), 1.0 / n_states)


def _is_normalised(model: Model) -> bool:
    return all(bool(np.all(np.abs(table.sum(axis=1) - 1.0) < SUMS_TO_ONE)) for table in model.probabilities)


def _contiguous(rows: Rows) -> Rows:
    return np.ascontiguousarray(rows, dtype=np.uint8)


def _findings(row: Rows) -> dict[int, int]:
    return {node: code for node, code in enumerate(row.tolist()) if code != UNOBSERVED}


def _number_equal_rows(rows: Rows) -> NDArray[np.uint32]:
    """Return for each row how many equal ones come before it."""
    if rows.shape[1] == 0:
        return np.arange(len(rows), dtype=np.uint32)
    keys = rows.view(np.dtype((np.void, rows.shape[1]))).reshape(-1)
    _, group = np.unique(keys, return_inverse=True)
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    numbers = np.empty(len(rows), dtype=np.uint32)
    numbers[order] = np.arange(len(rows)) - np.repeat(starts, np.diff(starts, append=len(rows)))
    return numbers


def row_uniforms(rows: Rows, n: int, seed: int) -> Numbers:
    """Return n numbers between 0 and 1 for every row, a column each, that depend on what draws depend on."""
    rows = _contiguous(rows)
    repeats = _number_equal_rows(rows).tolist()
    keys = [_native.row_key(seed, rows[place : place + 1], number) for place, number in enumerate(repeats)]
    steps = np.arange(1, n + 1, dtype=np.uint64) * np.uint64(_STEP)
    return (_mix(np.array(keys, dtype=np.uint64) + steps[:, None]) >> np.uint64(11)).astype(np.float64) * 2.0**-53


_STEP = 0x9E3779B97F4A7C15
_FACTORS = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
"""Of splitmix64, which makes unrelated numbers of neighbouring ones."""


def _mix(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    for shift, factor in zip((30, 27), _FACTORS, strict=True):
        numbers = (numbers ^ (numbers >> np.uint64(shift))) * np.uint64(factor)
    return numbers ^ (numbers >> np.uint64(31))
