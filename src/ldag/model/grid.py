"""The grid of configurations of a set of parents: mixed radix, the last parent fastest."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Grid:
    """All configurations of some variables, numbered 0 .. size - 1.

    Examples
    --------
    >>> grid = Grid((2, 3))
    >>> grid.configuration(4), grid.index((1, 1))
    ((1, 1), 4)
    """

    n_states: tuple[int, ...]

    @property
    def n_axes(self) -> int:
        """Number of variables."""
        return len(self.n_states)

    @cached_property
    def size(self) -> int:
        """Number of configurations, q."""
        return prod(self.n_states)

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """How far apart two configurations are that differ by one in one variable."""
        return tuple(prod(self.n_states[axis + 1 :]) for axis in range(self.n_axes))

    @cached_property
    def cube(self) -> Indices:
        """The numbers of the configurations, one axis per variable."""
        return np.arange(self.size, dtype=np.int64).reshape(self.n_states)

    def configuration(self, index: int) -> tuple[int, ...]:
        """Return the codes of one configuration."""
        return tuple(index // s % n for s, n in zip(self.strides, self.n_states, strict=True))

    def index(self, configuration: tuple[int, ...]) -> int:
        """Return the number of a configuration."""
        return sum(s * code for s, code in zip(self.strides, configuration, strict=True))

    def indices(self, codes: NDArray[np.uint8]) -> Indices:
        """Return the number of the configuration in each row of a data set: an array row of codes per variable."""
        index = np.zeros(codes.shape[1], dtype=np.int64)
        for row, stride in zip(codes, self.strides, strict=True):
            index += stride * row.astype(np.int64)
        return index

    def without(self, *axes: int) -> "Grid":
        """Return the grid of the other variables."""
        return Grid(tuple(n for axis, n in enumerate(self.n_states) if axis not in axes))

    def lines(self, axis: int) -> Indices:
        """Return the lines along a variable: row l holds the configurations that entry l of a label makes equal.

        Rows are numbered as the configurations of the other variables, ``without(axis)``.
        """
        return np.moveaxis(self.cube, axis, -1).reshape(-1, self.n_states[axis])

    def covering(self, contexts: Iterable[Mapping[int, int]]) -> NDArray[np.bool_]:
        """Return a mask of the configurations that agree with any of some contexts: fixed codes of some variables."""
        mask = np.zeros(self.n_states, dtype=np.bool_)
        for context in contexts:
            mask[tuple(context.get(axis, slice(None)) for axis in range(self.n_axes))] = True
        return mask.reshape(-1)

    def matching(self, context: Mapping[int, int]) -> Indices:
        """Return the configurations that agree with fixed codes of some variables."""
        chosen = tuple(context.get(axis, slice(None)) for axis in range(self.n_axes))
        return np.atleast_1d(self.cube[chosen]).reshape(-1)
