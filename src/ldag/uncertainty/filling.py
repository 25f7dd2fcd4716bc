"""Tables with gaps made complete: the gaps drawn under a network, by number."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ldag.data import GAP, Dataset, Weights
from ldag.errors import TooLarge, argument
from ldag.inference import Completions, NothingFits
from ldag.model import ClassTable, Grid, Structure

MOST_CELLS = 1 << 12
"""Up to so many combinations of all states, the gaps of equal rows are drawn together, by the cells of the joint table;
beyond, most cells would be empty, and rows are completed one by one."""


MOST_BYTES = 1 << 26
"""Of rows that are drawn at a time."""


class GapFilling(Protocol):
    """A table with gaps that can be completed again and again."""

    def fill(self, structure: Structure, probabilities: Sequence[ClassTable], rng: np.random.Generator) -> Dataset:
        """Draw the gaps of every row given what is seen of it, under a network."""


def fill_gaps(data: Dataset) -> GapFilling:
    """Return what completes data whose rows are sorted."""
    is_small = Grid(data.schema.n_states).size <= MOST_CELLS
    return CellFilling(data) if is_small else RowFilling(data)


class CellFilling:
    """Completes a table over few cells: how often each occurs is drawn, all equal rows at once."""

    def __init__(self, data: Dataset) -> None:
        self._data = data
        grid = Grid(data.schema.n_states)
        self._cells = np.indices(grid.n_states, dtype=np.uint8).reshape(grid.n_axes, -1)
        weights = np.ones(data.n_rows, dtype=np.int64) if data.weights is None else data.weights
        seen = data.codes != GAP
        full = seen.all(axis=0)
        counts = np.bincount(grid.indices(data.codes[:, full]), weights[full], minlength=grid.size)
        self._counts = counts.astype(np.float64)
        by_size: dict[int, list[tuple[NDArray[np.int64], Weights]]] = defaultdict(list)
        for pattern in np.unique(seen[:, ~full], axis=1).T:
            alike = (seen == pattern[:, None]).all(axis=0)
            first = grid.indices(np.where(pattern[:, None], data.codes[:, alike], 0))
            places = np.zeros(1, dtype=np.int64)
            for node in np.flatnonzero(~pattern).tolist():
                places = (places[:, None] + grid.strides[node] * np.arange(grid.n_states[node])).reshape(-1)
            by_size[len(places)].append((first[:, None] + places, weights[alike]))
        self._gaps = [tuple(map(np.concatenate, zip(*by_size[size], strict=True))) for size in sorted(by_size)]

    def fill(self, structure: Structure, probabilities: Sequence[ClassTable], rng: np.random.Generator) -> Dataset:
        """Draw how many of the rows with the same gaps and states are completed to each cell."""
        joint = np.ones(self._cells.shape[1])
        for node, (family, table) in enumerate(zip(structure.families, probabilities, strict=True)):
            joint *= table[family.partition.classes_of_rows(self._cells[list(family.parents)]), self._cells[node]]
        counts = self._counts.copy()
        for cells, weights in self._gaps:
            chances = joint[cells]
            chances /= chances.sum(axis=1, keepdims=True)
            drawn = rng.multinomial(np.floor(weights).astype(np.int64), chances).astype(np.float64)
            rest = weights % 1
            if rest.any():  # of a real weight, what is left over goes to one cell
                drawn += rest[:, None] * rng.multinomial(1, chances)
            counts += np.bincount(cells.ravel(), drawn.ravel(), minlength=len(counts))
        is_whole = self._data.weights is None or self._data.weights.dtype == np.int64
        some = counts > 0
        codes = np.ascontiguousarray(self._cells[:, some])
        return Dataset(self._data.schema, codes, counts[some].astype(np.int64) if is_whole else counts[some])


class RowFilling:
    """Completes a table row by row."""

    def __init__(self, data: Dataset) -> None:
        self._data = data
        weights = np.ones(data.n_rows, dtype=np.int64) if data.weights is None else data.weights
        full = (data.codes != GAP).all(axis=0)
        self._codes, self._weights = data.codes[:, full], weights[full]
        self._groups: list[tuple[int, NDArray[np.uint8], Weights]] = []
        numbers = np.ceil(weights).astype(np.int64)
        powers = np.where(full, -1, np.frexp(numbers - 1)[1])  # 2 ** power is the least that is not below a number
        for power in np.unique(powers[~full]).tolist():  # so that at most half of the copies are drawn in vain
            alike = np.flatnonzero(powers == power)
            step = max(1, MOST_BYTES // (len(data.schema) << power))
            for part in (alike[first : first + step] for first in range(0, len(alike), step)):
                self._groups.append((1 << power, np.ascontiguousarray(data.codes[:, part].T), weights[part]))

    def fill(self, structure: Structure, probabilities: Sequence[ClassTable], rng: np.random.Generator) -> Dataset:
        """Draw every gap, each observation of a row by itself."""
        try:
            completions = Completions(structure)
        except NothingFits:
            raise TooLarge(
                "a graph was drawn whose circuit and tables are both too large to complete rows with; allow fewer"
                f" parents with {argument('max_parents')}"
            ) from None
        seed = int(rng.integers(1 << 62))
        codes, weights = [self._codes], [self._weights]
        for n_copies, rows, own in self._groups:
            drawn = completions.draw(probabilities, rows, n_copies, seed, n_threads=1)
            shares = np.minimum(own - np.arange(n_copies)[:, None], 1)  # of a real weight, the last copy has the rest
            some = shares > 0
            codes.append(drawn[some].T)
            weights.append(shares[some].astype(own.dtype))
        return Dataset.from_codes(self._data.schema, np.concatenate(codes, axis=1), np.concatenate(weights))
