"""Linear programmes over response types: all that latents can do to one district, and what a table leaves of it.

A node of a district answers its observed parents by a function of them; which one, the latents decide. So a
distribution over combinations of such functions, the types, is all that there is to know of the latents (Balke and
Pearl 1997). Labels make types fewer: a function has one value per row of parent configurations that share their
distributions whatever the latents are, and where no latent matters the node is no function at all, but has a
probability that the table tells.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldag.effects.formulas import Draws
from ldag.errors import TooLarge
from ldag.model import Structure
from ldag.proving import load_highspy, run_highs, start_highs

MOST_TYPES = 1 << 20
"""Columns of the largest programme that is made."""

PRIMAL = 4
"""The solver's name of the primal simplex method, ten times faster where columns are many and rows are few."""

TypeNumbers = NDArray[np.int64]
Coordinates = Mapping[int, TypeNumbers]
"""The states of nodes in a list of cells."""


class Responses(NamedTuple):
    """What a node's distribution depends on, besides latents: a row per set of parent configurations that are alike."""

    parents: tuple[int, ...]
    rows: TypeNumbers
    """The row of every configuration of the parents."""
    is_known: NDArray[np.bool_]
    """By row: no latent that other variables depend on matters there."""

    def rows_in(self, cells: Coordinates, n_states: Sequence[int]) -> TypeNumbers:
        """Return the row of every cell."""
        size = len(next(iter(cells.values())))
        return np.broadcast_to(self.rows[_number(cells, self.parents, n_states)], size)


def find_responses(structure: Structure, latent: frozenset[int], node: int) -> Responses:
    """Return the rows of a node of a graph with latents.

    A latent with parents passes them on: where it matters, so do they.
    """
    family = structure.families[node]
    above = {parent: _find_observed_above(structure, latent, parent) for parent in family.parents if parent in latent}
    direct = [parent for parent in family.parents if parent not in latent]
    passed = sorted(set().union(*above.values()))
    order = [*direct, *(one for one in above if not _is_shared(structure, latent, one)), *above]
    order = list(dict.fromkeys(order))  # observed parents, latents of this node alone, latents of others too
    classes = family.partition.to_array().reshape(family.partition.grid.n_states)
    classes = classes.transpose([family.parents.index(parent) for parent in order])
    n_shared = sum(_is_shared(structure, latent, one) for one in above)
    last = prod(classes.shape[len(order) - n_shared :])
    flat = classes.reshape([prod(classes.shape[: len(direct)]), -1, last])
    is_idle = (flat == flat[:, :, :1]).all(axis=(1, 2))
    depends = _depends_on(classes, len(direct), [bool(above.get(parent)) for parent in order])
    _, alike = np.unique(flat.reshape(len(flat), -1), axis=0, return_inverse=True)
    parents = tuple(sorted({*direct, *passed}))
    coordinates = list_cells(parents, structure.n_states)
    own = _number(coordinates, direct, structure.n_states)
    of_passed = np.where(depends[own], _number(coordinates, passed, structure.n_states), 0)
    pairs = np.stack([alike.reshape(-1)[own], of_passed])
    _, first, rows = np.unique(pairs, axis=1, return_index=True, return_inverse=True)
    return Responses(parents, rows.reshape(-1).astype(np.int64), is_idle[own[first]])


def _find_observed_above(structure: Structure, latent: frozenset[int], node: int) -> set[int]:
    """Return the observed nodes from which arrows lead to a latent one through latent ones."""
    above: set[int] = set()
    for parent in structure.parents(node):
        above |= _find_observed_above(structure, latent, parent) if parent in latent else {parent}
    return above


def _is_shared(structure: Structure, latent: frozenset[int], node: int) -> bool:
    """Whether more than one observed node depends on a latent, or on what is above it in latents."""
    roots = {one for one in structure.ancestors([node]) if one in latent}
    return len(_find_observed_below(structure, latent, roots)) > 1


def _find_observed_below(structure: Structure, latent: frozenset[int], nodes: Iterable[int]) -> set[int]:
    """Return the observed nodes to which arrows lead from latent ones through latent ones."""
    below: set[int] = set()
    for node in nodes:
        for child in structure.children[node]:
            below |= _find_observed_below(structure, latent, [child]) if child in latent else {child}
    return below


def _depends_on(classes: NDArray[np.int32], n_direct: int, has_parents: Sequence[bool]) -> NDArray[np.bool_]:
    """Return for every configuration of the first axes whether latents that have parents make a difference there."""
    depends = np.zeros(classes.shape[:n_direct], dtype=np.bool_)
    for axis, is_passing in enumerate(has_parents):
        if is_passing:
            differs = (classes != classes.take([0], axis=axis)).reshape([*depends.shape, -1])
            depends |= differs.any(axis=-1)
    return depends.reshape(-1)


def list_cells(nodes: Sequence[int], n_states: Sequence[int]) -> dict[int, TypeNumbers]:
    """Return the states of nodes in all their configurations, the last node fastest."""
    shape = [n_states[node] for node in nodes]
    return dict(zip(nodes, np.indices(shape).reshape(len(nodes), prod(shape)), strict=True))


def _number(coordinates: Coordinates, nodes: Sequence[int], n_states: Sequence[int]) -> TypeNumbers:
    """Return the number of the configuration of some nodes in every cell."""
    size = len(next(iter(coordinates.values()))) if coordinates else 1
    number = np.zeros(size, dtype=np.int64)
    for node in nodes:
        number = number * n_states[node] + coordinates[node]
    return number


@dataclass(frozen=True, eq=False)
class ResponseTypes:
    """The types of a district: for every node and row in which latents matter, the state that the node takes.

    With states of some of its parents, only the rows are looked at that agree with them.
    """

    n_states: Sequence[int]
    responses: Mapping[int, Responses]
    states: Mapping[int, int] = field(default_factory=dict)

    @cached_property
    def digits(self) -> dict[tuple[int, int], int]:
        """The digit of a type's number that says what a node does in a row."""
        pairs = [
            (node, row)
            for node, one in self.responses.items()
            for row in np.unique(self._find_rows(one)).tolist()
            if not one.is_known[row]
        ]
        return {pair: digit for digit, pair in enumerate(pairs)}

    def _find_rows(self, one: Responses) -> TypeNumbers:
        """Return the rows that agree with the states, some more than once."""
        cells = list_cells(one.parents, self.n_states)
        inside = np.ones(len(one.rows), dtype=np.bool_)
        for node, code in self.states.items():
            if node in cells:
                inside &= cells[node] == code
        return one.rows[inside]

    @property
    def shape(self) -> tuple[int, ...]:
        """How many states each digit has."""
        return tuple(self.n_states[node] for node, _ in self.digits)

    @property
    def n_types(self) -> int:
        """How many types there are."""
        return prod(self.shape)

    def check_size(self) -> None:
        """Refuse more types than a programme can have."""
        if self.n_types > MOST_TYPES:
            raise TooLarge(
                f"bounds need a linear programme over {self.n_types:,} response types, and at most {MOST_TYPES:,} are"
                " taken; ask about a smaller graph, or merge states of the variables that share latent causes"
            )

    def require(self, nodes: Sequence[int], cells: Coordinates) -> TypeNumbers:
        """Return what types must do in every cell: per node a digit and its state as one number, or -1 for nothing."""
        size = len(next(iter(cells.values())))
        most = max(self.n_states)
        required = np.full((size, len(nodes)), -1, dtype=np.int64)
        for place, node in enumerate(nodes):
            rows, n_rows = self.responses[node].rows_in(cells, self.n_states), len(self.responses[node].is_known)
            digit = np.array([self.digits.get((node, row), -1) for row in range(n_rows)])[rows]
            required[:, place] = np.where(digit < 0, -1, digit * most + cells[node])
        return required

    def members(self, required: Sequence[int]) -> TypeNumbers:
        """Return the types that do what is required, by number."""
        most = max(self.n_states)
        fixed: list[slice | int] = [slice(None)] * len(self.shape)
        for code in required:
            if code >= 0:
                fixed[code // most] = int(code % most)
        return self._numbers[tuple(fixed)].reshape(-1)

    @cached_property
    def _numbers(self) -> TypeNumbers:
        return np.arange(self.n_types, dtype=np.int64).reshape(self.shape)


class Solved(NamedTuple):
    """The least and the greatest value, and by how much the table had to be changed to come from any model."""

    low: float
    high: float
    change: float


class TypeProgram:
    """The distributions of types that agree with a table, and linear functions of them.

    Types that occur in the same equations and in the same objectives are one column.
    """

    def __init__(self, n_types: int, equations: Sequence[TypeNumbers], objectives: Sequence[TypeNumbers]) -> None:
        highspy = load_highspy("bounds", "bounding an effect")
        self._optimal, self._infeasible = highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kInfeasible
        self._senses = highspy.ObjSense.kMinimize, highspy.ObjSense.kMaximize
        marks = np.random.default_rng(0).integers(0, 2**63, len(equations) + len(objectives), dtype=np.uint64)
        signs = np.zeros(n_types, dtype=np.uint64)
        for mark, members in zip(marks, [*equations, *objectives], strict=True):
            signs[members] += mark
        _, column = np.unique(signs, return_inverse=True)
        self.n_columns, self.n_rows = int(column.max()) + 1, len(equations)
        self._objectives = [_choose(column[members], self.n_columns) for members in objectives]
        self._highs = start_highs()
        self._highs.setOptionValue("simplex_strategy", PRIMAL)
        n, m = self.n_columns, self.n_rows
        slack = np.zeros(2 * m)
        self._highs.addVars(n + 2 * m, np.zeros(n + 2 * m), np.concatenate([np.full(n, np.inf), slack]))
        for row, members in enumerate(equations):
            entries = _choose(column[members], n)
            index = np.concatenate([entries, [n + row, n + m + row]]).astype(np.int32)
            weights = np.concatenate([np.ones(len(entries)), [1.0, -1.0]])
            self._highs.addRow(0.0, 0.0, len(index), index, weights)
        self._highs.addRow(1.0, 1.0, n, np.arange(n, dtype=np.int32), np.ones(n))
        self._highs.addRow(-np.inf, np.inf, 2 * m, np.arange(n, n + 2 * m, dtype=np.int32), np.ones(2 * m))

    def solve(self, shares: Draws, weights: Draws, objective: Draws) -> Solved:
        """Bound an objective, a weight per set of types, where every equation's types have a share; NaN is not known.

        Where no distribution has these shares, they are changed as little as possible, an equation by its weight.
        """
        is_known = ~np.isnan(shares)
        low, high = np.where(is_known, shares, -np.inf), np.where(is_known, shares, np.inf)
        self._highs.changeRowsBounds(self.n_rows, np.arange(self.n_rows, dtype=np.int32), low, high)
        self._allow_slack(0.0, weights, np.inf)
        costs = np.zeros(self.n_columns)
        for members, weight in zip(self._objectives, objective, strict=True):
            costs[members] += weight
        least = self._optimise(costs, 0)
        change = 0.0
        if least is None:
            change = self._find_change(weights)
            least = self._optimise(costs, 0)
        greatest = self._optimise(costs, 1)
        assert least is not None, "a repaired programme has a solution"
        assert greatest is not None, "a repaired programme has a solution"
        return Solved(least, max(least, greatest), change)

    def _find_change(self, weights: Draws) -> float:
        """Return how much shares must change at least, and allow that much."""
        self._allow_slack(np.inf, weights, np.inf)
        change = self._optimise(np.zeros(self.n_columns), 0, np.concatenate([weights, weights]))
        assert change is not None, "shares that may change agree with some distribution"
        self._allow_slack(np.inf, weights, change + 1e-7)
        return change

    def _allow_slack(self, most: float, weights: Draws, in_all: float) -> None:
        """Let every share change by so much, and all together, by their weights, by so much."""
        n, m = self.n_columns, self.n_rows
        columns = np.arange(n, n + 2 * m, dtype=np.int32)
        self._highs.changeColsBounds(2 * m, columns, np.zeros(2 * m), np.full(2 * m, most))
        self._highs.changeRowBounds(m + 1, -np.inf, in_all)
        if np.isfinite(in_all):
            for column, weight in zip(columns.tolist(), np.concatenate([weights, weights]).tolist(), strict=True):
                self._highs.changeCoeff(m + 1, column, weight)

    def _optimise(self, costs: Draws, sense: int, of_slack: Draws | None = None) -> float | None:
        """Return the least or greatest cost, or None if there is no solution."""
        size = self.n_columns + 2 * self.n_rows
        slack = np.zeros(2 * self.n_rows) if of_slack is None else of_slack
        self._highs.changeColsCost(size, np.arange(size, dtype=np.int32), np.concatenate([costs, slack]))
        self._highs.changeObjectiveSense(self._senses[sense])
        run_highs(self._highs)
        status = self._highs.getModelStatus()
        if status == self._infeasible:
            return None
        assert status == self._optimal, f"the solver ended with {status}"
        return float(self._highs.getInfo().objective_function_value)


def _choose(places: TypeNumbers, size: int) -> TypeNumbers:
    """Return which of so many numbers occur, ascending."""
    occurs = np.zeros(size, dtype=np.bool_)
    occurs[places] = True
    return np.flatnonzero(occurs)
