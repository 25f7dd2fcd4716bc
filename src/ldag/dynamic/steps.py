"""Dynamic models by number, and the circuit of one step: what was carried comes in, and what is carried on goes out.

What of one step matters for later ones is the interface: static variables, and those of the last steps that later ones
depend on. Only what is free there, not known from the history, has to be carried, as a weight for each configuration.
A circuit of one step has two more nodes: ``coming``, whose probabilities of "fits" given the interface before are the
weights that come in, and ``going`` of the interface after, where the weights are what the future says. One pass up and
down gives the posterior of every variable and of every configuration on both sides.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray

from ldag.inference import UNOBSERVED, Circuit, Numbers, Rows, compile_circuit
from ldag.model import ClassTable, CodedFamily, Grid, Model, Structure

Lagged = tuple[int, int]
"""A variable, by its number in a slice, and how many steps before; 0 for what is static."""

INTERFACE_LIMIT = 1 << 16
"""Configurations of what is free in the interface that are carried at most: half a megabyte for each step."""

JOINED = 1 << 10
"""Up to so many configurations, all that is free anywhere in a history is carried everywhere, by one circuit; otherwise
what is free differs from step to step, and so do circuits."""

KEPT = 256
"""Circuits that are kept for histories that are free in different places."""


class InterfaceTooLarge(Exception):
    """More would have to be carried from step to step than allowed."""

    def __init__(self, slots: Sequence[Lagged], n_cells: int) -> None:
        super().__init__(slots, n_cells)
        self.slots, self.n_cells = tuple(slots), n_cells


@dataclass(frozen=True, eq=False)
class Step:
    """A circuit of one step or of the first ones, with places for weights that come in and go out."""

    circuit: Circuit
    coming: tuple[int, ...]
    """The nodes that weights come in for, and go out for."""
    going: tuple[int, ...]
    _coming: NDArray[np.int32]
    """The numbers of the parameters that are weights."""
    _going: NDArray[np.int32]

    @property
    def n_coming(self) -> int:
        """How many configurations come in."""
        return len(self._coming)

    @property
    def n_going(self) -> int:
        """How many go out."""
        return len(self._going)

    def weighted(self, coming: Numbers | None = None, going: Numbers | None = None) -> Circuit:
        """Return the circuit with weights put in; None: all are 1."""
        values = self.circuit.values.copy()
        values[self._coming] = 1.0 if coming is None else coming.reshape(-1)
        values[self._going] = 1.0 if going is None else going.reshape(-1)
        return replace(self.circuit, values=values)

    def shares(self, circuit: Circuit, row: Rows) -> tuple[Numbers, Numbers]:
        """Return the posterior of every configuration that came in, and of every one that goes out."""
        uses = circuit.uses(row)
        return uses[self._coming], uses[self._going]


class CodedDynamics:
    """A dynamic model by number: that of the first slices, the transition, and which nodes are which variable when.

    ``in_first[step][v]`` is the node of variable v at a step of the first slices; ``in_step[lag][v]`` that in the
    transition. Variables of a slice are numbered with ``static`` ones among them.
    """

    def __init__(
        self,
        first: Model,
        transition: Model,
        in_first: Sequence[Sequence[int]],
        in_step: Sequence[Sequence[int]],
        static: Iterable[int],
    ) -> None:
        self.first = first
        self.in_first, self.in_step = in_first, in_step
        self.lags = len(in_first)
        self.static = tuple(static)
        self.n_variables = len(in_first[0])
        self.changing = tuple(v for v in range(self.n_variables) if v not in self.static)
        self.n_states = tuple(first.structure.n_states[node] for node in in_first[0])
        given = {in_step[0][v] for v in self.static}
        given |= {in_step[lag][v] for lag in range(1, self.lags + 1) for v in self.changing}
        self.transition = transition.intervened(given)
        """What is given in a step has weight 1 there, as it was counted before."""
        carried = {(v, back) for v, back in self.interface}
        self._idle = [
            in_step[lag][v] for lag in range(1, self.lags + 1) for v in self.changing if (v, lag - 1) not in carried
        ]
        """Nodes of before that nothing depends on."""
        self._steps: dict[tuple[tuple[Lagged, ...], tuple[Lagged, ...]], Step] = {}

    @cached_property
    def interface(self) -> tuple[Lagged, ...]:
        """All that later steps depend on: static variables, and those of the last steps that are parents of any."""
        children = self.transition.structure.children
        slots = [(v, 0) for v in self.static]
        for v in self.changing:
            lags = [lag for lag in range(1, self.lags + 1) if children[self.in_step[lag][v]]]
            slots += [(v, back) for back in range(max(lags, default=0))]
        return tuple(slots)

    def free(self, codes: Rows, step: int) -> tuple[Lagged, ...]:
        """Return what is free in the interface after a step, of a history with a row for each step."""
        return tuple((v, back) for v, back in self.interface if codes[step - back, v] == UNOBSERVED)

    def free_everywhere(self, codes: Rows) -> list[tuple[Lagged, ...]]:
        """Return for every step from the last of the first ones on what is carried on."""
        n_steps = len(codes)
        often = set().union(*(self.free(codes, step) for step in range(self.lags - 1, n_steps)))
        joined = tuple(slot for slot in self.interface if slot in often)
        if self.n_configurations(joined) <= JOINED:
            return [joined] * (n_steps - self.lags + 1)
        own = [self.free(codes, step) for step in range(self.lags - 1, n_steps)]
        largest = max(own, key=self.n_configurations)
        if self.n_configurations(largest) > INTERFACE_LIMIT:
            raise InterfaceTooLarge(largest, self.n_configurations(largest))
        return own

    def n_configurations(self, slots: Iterable[Lagged]) -> int:
        """Return how many configurations slots have together."""
        return prod(self.n_states[v] for v, _ in slots)

    def first_step(self, going: tuple[Lagged, ...]) -> Step:
        """Return the circuit of the first slices."""
        return self._make(self.first, (), going, self.in_first[::-1])

    def next_step(self, coming: tuple[Lagged, ...], going: tuple[Lagged, ...]) -> Step:
        """Return the circuit of a step."""
        return self._make(self.transition, coming, going, self.in_step)

    def _make(
        self, model: Model, coming: tuple[Lagged, ...], going: tuple[Lagged, ...], places: Sequence[Sequence[int]]
    ) -> Step:
        key = (coming, going)
        if model is self.first:
            key = ((), (*going, (-1, -1)))
        if key not in self._steps:
            if len(self._steps) == KEPT:
                del self._steps[next(iter(self._steps))]
            before = [places[back + (v not in self.static)][v] for v, back in coming]
            after = [places[back][v] for v, back in going]
            self._steps[key] = _compile_step(model, before, after)
        return self._steps[key]

    def row_of_first(self, codes: Rows) -> Rows:
        """Return a history's first steps as one row of evidence for their circuit, its nodes for weights at the end."""
        row = np.full((1, len(self.first.structure) + 2), UNOBSERVED, dtype=np.uint8)
        for step, places in enumerate(self.in_first):
            row[0, list(places)] = codes[step]
        row[:, -2:] = 0
        return row

    def rows_of_steps(self, codes: Rows) -> Rows:
        """Return a row of evidence for each of the other steps."""
        n_rows = len(codes) - self.lags
        rows = np.full((n_rows, len(self.transition.structure) + 2), UNOBSERVED, dtype=np.uint8)
        for lag, places in reversed([*enumerate(self.in_step)]):  # what is static as it is known now
            rows[:, list(places)] = codes[self.lags - lag : len(codes) - lag]
        rows[:, self._idle] = 0
        rows[:, -2:] = 0
        return rows


def _compile_step(model: Model, coming: Sequence[int], going: Sequence[int]) -> Step:
    """Compile a model with two more nodes, the children of what comes in and of what goes out."""
    structure = model.structure
    n = len(structure)
    weights = [_weights_of(structure, nodes) for nodes in (coming, going)]
    families = (*structure.families, *(family for family, _ in weights))
    tables = (*model.probabilities, *(table for _, table in weights))
    whole = Model(Structure((*structure.n_states, 2, 2), families), tables)
    circuit = compile_circuit(whole, range(n + 2), {n: 0, n + 1: 0}, told_apart=(n, n + 1))
    numbers = []
    for node, nodes in ((n, coming), (n + 1, going)):
        by_configuration = circuit.numbers[node][:, 0].reshape([structure.n_states[v] for v in sorted(nodes)])
        ranks = [sorted(nodes).index(node) for node in nodes]
        numbers.append(by_configuration.transpose(ranks).reshape(-1))
    return Step(circuit, tuple(coming), tuple(going), *numbers)


def _weights_of(structure: Structure, nodes: Sequence[int]) -> tuple[CodedFamily, ClassTable]:
    """Return the family of a node that says whether nodes fit, with a class for each of their configurations."""
    parents = tuple(sorted(nodes))
    grid = Grid(tuple(structure.n_states[node] for node in parents))
    return CodedFamily.table(parents, grid), np.full((grid.size, 2), 0.5)
