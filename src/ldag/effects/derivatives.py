"""Values and derivatives of sums of products: of sums of cells of a table, and of effects, in the class parameters.

Every factor is the table of one family. Variables are summed out one by one, so that no table is larger than the graph
makes it; on the way back the derivatives by all entries of all factors come out. Numbers are real, or whole modulo a
prime below 2 ** 31.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldag.model import Structure

Entries = NDArray[np.number[Any]]
"""Whole numbers below the prime, or real numbers."""
ClassEntries = Mapping[int, Entries]
"""For every node one distribution per class: an array (classes, states)."""
Scope = tuple[int, ...]

CHUNK = 2**19
"""Cells that are worked on at once: more do not fit into fast memory."""


@dataclass(frozen=True, eq=False)
class FamilyFactor:
    """The table of one family, some of whose variables may be fixed."""

    node: int
    scope: Scope
    entries: NDArray[np.int64]
    """Which parameter each cell is: class times states plus state; an axis for every variable of the scope."""

    @classmethod
    def of(cls, structure: Structure, node: int, fixed: Mapping[int, int]) -> "FamilyFactor":
        """Make the factor of a node at fixed states of some variables."""
        family = structure.families[node]
        n = structure.n_states[node]
        classes = family.partition.to_array().astype(np.int64).reshape(*family.partition.grid.n_states, 1)
        entries = classes * n + np.arange(n)
        variables = (*family.parents, node)
        chosen = tuple(fixed.get(v, slice(None)) for v in variables)
        return cls(node, tuple(v for v in variables if v not in fixed), np.asarray(entries[chosen]))

    def add_up(self, cells: Entries, n_entries: int) -> Entries:
        """Return sums of cells by parameter, (rows, parameters), from an array (rows, cells)."""
        flat = self.entries.reshape(-1)
        order = np.argsort(flat, kind="stable")
        present, starts = np.unique(flat[order], return_index=True)
        sums = np.zeros((len(cells), n_entries), dtype=cells.dtype)
        sums[:, present] = np.add.reduceat(cells[:, order], starts, axis=1)
        return sums


@dataclass(frozen=True, eq=False)
class SumOfProducts:
    """The sum over all states of all variables of the product of factors and of a weight per variable."""

    n_states: tuple[int, ...]
    factors: tuple[FamilyFactor, ...]
    weighed: Scope
    """Variables with weights, which differ from row to row; those of the others are 1."""

    @classmethod
    def of(
        cls, structure: Structure, nodes: Iterable[int], weighed: Iterable[int], fixed: Mapping[int, int] | None = None
    ) -> "SumOfProducts":
        """Make the sum of the families of some nodes."""
        factors = tuple(FamilyFactor.of(structure, node, fixed or {}) for node in nodes)
        return cls(structure.n_states, factors, tuple(v for v in weighed if v not in (fixed or {})))

    @cached_property
    def _plan(self) -> tuple[tuple[int, tuple[int, ...], Scope], ...]:
        """For every variable, in the order of summing: itself, which tables it touches, and their joint scope.

        Tables are numbered: factors, weights, and then what every step leaves.
        """
        scopes = dict(enumerate([*(f.scope for f in self.factors), *((v,) for v in self.weighed)]))
        n_tables, steps = len(scopes), []
        left = {v for scope in scopes.values() for v in scope}
        while left:
            joint = {v: tuple(sorted({w for s in scopes.values() if v in s for w in s})) for v in left}
            best = min(left, key=lambda v: (self._cells(joint[v]), v))
            touched = tuple(number for number, scope in scopes.items() if best in scope)
            steps.append((best, touched, joint[best]))
            for number in touched:
                del scopes[number]
            scopes[n_tables] = tuple(v for v in joint[best] if v != best)
            n_tables += 1
            left.remove(best)
        return tuple(steps)

    def _cells(self, scope: Scope) -> int:
        return prod(self.n_states[v] for v in scope)

    @cached_property
    def largest(self) -> int:
        """Cells of the largest table on the way, per row."""
        return max((self._cells(scope) for _, _, scope in self._plan), default=1)

    def differentiate(
        self, parameters: ClassEntries, weights: Mapping[int, Entries], modulus: int | None
    ) -> tuple[Entries, dict[int, Entries]]:
        """Return the value for every row of weights, and by node the derivatives (rows, classes, states)."""
        n_rows = max((len(weights[v]) for v in self.weighed), default=1)
        chunk = max(1, CHUNK // self.largest)
        pieces = [
            self._differentiate({v: weights[v][at : at + chunk] for v in self.weighed}, parameters, modulus)
            for at in range(0, n_rows, chunk)
        ]
        values = np.concatenate([values for values, _ in pieces])
        return values, {f.node: np.concatenate([by[f.node] for _, by in pieces]) for f in self.factors}

    def _differentiate(
        self, weights: Mapping[int, Entries], parameters: ClassEntries, modulus: int | None
    ) -> tuple[Entries, dict[int, Entries]]:
        n_rows = max((len(w) for w in weights.values()), default=1)
        tables = [self._spread(f.scope, parameters[f.node].reshape(-1)[f.entries][None]) for f in self.factors]
        tables += [(((v,), weights[v])) for v in self.weighed]
        for variable, touched, scope in self._plan:
            product = self._multiply([self._align(tables[t], scope) for t in touched], modulus)
            rest = tuple(v for v in scope if v != variable)
            tables.append((rest, _reduce(product.sum(axis=1 + scope.index(variable)), modulus)))
        back: dict[int, Entries] = {}
        ends = set(range(len(tables))) - {t for _, touched, _ in self._plan for t in touched}
        scalars = [tables[t][1] for t in sorted(ends)]
        value = np.broadcast_to(self._multiply(scalars, modulus), (n_rows,))
        for t, others in zip(sorted(ends), _products_of_others(scalars, modulus), strict=True):
            back[t] = np.broadcast_to(others, (n_rows,))
        for step in reversed(range(len(self._plan))):
            self._go_back(step, tables, back, modulus)
        gradients = {}
        for number, factor in enumerate(self.factors):
            shape = parameters[factor.node].shape
            turned = self._turn_back(factor.scope, back[number]).reshape(n_rows, -1)
            gradients[factor.node] = _reduce(factor.add_up(turned, prod(shape)), modulus).reshape(n_rows, *shape)
        return value, gradients

    def _go_back(
        self, step: int, tables: list[tuple[Scope, Entries]], back: dict[int, Entries], modulus: int | None
    ) -> None:
        """Hand the derivative by what a step leaves on to the tables that it touches."""
        variable, touched, scope = self._plan[step]
        number = len(self.factors) + len(self.weighed) + step
        outer = np.expand_dims(back.pop(number), 1 + scope.index(variable))
        arrays = [outer, *(self._align(tables[t], scope) for t in touched)]
        is_wanted = [not len(self.factors) <= t < len(self.factors) + len(self.weighed) for t in touched]
        for t, others, wanted in zip(touched, _products_of_others(arrays, modulus)[1:], is_wanted, strict=True):
            if wanted:
                own = tables[t][0]
                full = np.broadcast_to(others, (len(others), *(self.n_states[v] for v in scope)))
                axes = tuple(1 + i for i, v in enumerate(scope) if v not in own)
                back[t] = _reduce(full.sum(axis=axes), modulus)

    def _spread(self, scope: Scope, table: Entries) -> tuple[Scope, Entries]:
        """Return a table with its variables ascending."""
        order = sorted(range(len(scope)), key=scope.__getitem__)
        return tuple(scope[i] for i in order), table.transpose([0, *(1 + i for i in order)])

    def _turn_back(self, scope: Scope, table: Entries) -> Entries:
        """Return a table whose variables are ascending with them in the order of a scope."""
        ascending = sorted(scope)
        return table.transpose([0, *(1 + ascending.index(v) for v in scope)])

    def _align(self, table: tuple[Scope, Entries], scope: Scope) -> Entries:
        """Return a table over a larger scope, of length 1 where it has no variable."""
        own, array = table
        return array.reshape(len(array), *(self.n_states[v] if v in own else 1 for v in scope))

    def _multiply(self, arrays: Sequence[Entries], modulus: int | None) -> Entries:
        """Multiply arrays, the smallest first."""
        product, *rest = sorted(arrays, key=lambda array: array.size)
        for array in rest:
            product = _reduce(product * array, modulus)
        return product


def _products_of_others(arrays: Sequence[Entries], modulus: int | None) -> list[Entries]:
    """Return for every array the product of all the others."""
    one = np.ones_like(arrays[0][:1], shape=(1,) * arrays[0].ndim)
    before, after = [one], [one]
    for array in arrays[:-1]:
        before.append(_reduce(before[-1] * array, modulus))
    for array in arrays[:0:-1]:
        after.append(_reduce(after[-1] * array, modulus))
    return [_reduce(a * b, modulus) for a, b in zip(before, reversed(after), strict=True)]


def _reduce(table: Entries, modulus: int | None) -> Entries:
    return table if modulus is None else table % modulus
