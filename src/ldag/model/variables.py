"""Variables with named states, and the ordered collection of them that a graph or a data set is over."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite

import numpy as np

from ldag.errors import ArgumentError, UnknownState, UnknownVariable

State = str | int | float | bool
"""One outcome of a variable, kept exactly as the user gave it."""

StateKey = tuple[bool, State]


def state_key(state: State) -> StateKey:
    """Return a key under which ``True`` and ``1`` are different states, which they are not in a dict."""
    return isinstance(state, bool), state


@dataclass(frozen=True, eq=False)
class Variable:
    """A named discrete variable and its states, in a fixed order.

    Examples
    --------
    >>> Variable("badge", ("no", "yes")).n_states
    2
    """

    name: str
    states: tuple[State, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise ArgumentError(f"a variable needs a non-empty name, got {self.name!r}")
        if isinstance(self.states, str) or not isinstance(self.states, Iterable):
            raise ArgumentError(f"the states of {self.name!r} must be a list, got {self.states!r}")
        object.__setattr__(self, "states", tuple(_plain(state) for state in self.states))
        if not self.states:
            raise ArgumentError(f"variable {self.name!r} has no states; give at least one")
        seen: set[StateKey] = set()
        for state in self.states:
            if not isinstance(state, str | int | float) or (isinstance(state, float) and not isfinite(state)):
                raise ArgumentError(
                    f"variable {self.name!r}: a state is a string, a finite number or a boolean, got {state!r}"
                )
            if state_key(state) in seen:
                raise ArgumentError(f"variable {self.name!r} has the state {state!r} twice")
            seen.add(state_key(state))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Variable):
            return NotImplemented
        return self.name == other.name and self._codes == other._codes

    def __hash__(self) -> int:
        return hash((self.name, self.states))

    @property
    def n_states(self) -> int:
        """Number of states."""
        return len(self.states)

    @cached_property
    def _codes(self) -> dict[StateKey, int]:
        return {state_key(state): code for code, state in enumerate(self.states)}

    @cached_property
    def _spelled(self) -> dict[str, int | None]:
        """Codes by spelling; ``None`` where two states are spelled alike. A whole number need not end in ".0"."""
        spelled: dict[str, int | None] = {}
        for code, state in enumerate(self.states):
            spelled[str(state)] = None if str(state) in spelled else code
        for code, state in enumerate(self.states):
            if isinstance(state, float) and state.is_integer():
                spelled.setdefault(str(int(state)), code)
        return spelled

    def code(self, state: State, where: str = "") -> int:
        """Return the position of a state; ``"1"`` also finds the number 1 where that is unambiguous."""
        code: int | None
        state = _plain(state)
        try:
            code = self._codes.get(state_key(state))
        except TypeError:  # an unhashable value is no state
            code = None
        if code is None and isinstance(state, str | int | float):
            code = self._spelled.get(str(state))
        if code is None:
            raise UnknownState(state, self.name, self.states, where)
        return code


def _plain(state: State) -> State:
    """Return a numpy scalar as the plain value it stands for."""
    return state.item() if isinstance(state, np.generic) else state


@dataclass(frozen=True)
class Schema:
    """Variables in a fixed order; translates names to node numbers and back."""

    variables: tuple[Variable, ...]
    _index: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        index: dict[str, int] = {}
        for node, variable in enumerate(self.variables):
            if variable.name in index:
                raise ArgumentError(f"there are two variables called {variable.name!r}; names must differ")
            index[variable.name] = node
        object.__setattr__(self, "_index", index)

    def __len__(self) -> int:
        return len(self.variables)

    def __iter__(self) -> Iterator[Variable]:
        return iter(self.variables)

    def __getitem__(self, node: int) -> Variable:
        return self.variables[node]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names in order."""
        return tuple(variable.name for variable in self.variables)

    @cached_property
    def n_states(self) -> tuple[int, ...]:
        """Numbers of states in order."""
        return tuple(variable.n_states for variable in self.variables)

    def node(self, name: str, where: str = "") -> int:
        """Return the number of the variable with this name."""
        found = self._index.get(name) if isinstance(name, str) else None
        if found is None:
            raise UnknownVariable(name, self._index, where)
        return found

    def nodes(self, names: str | Iterable[str], where: str = "") -> tuple[int, ...]:
        """Return the numbers of one or several variables, each named once."""
        if isinstance(names, str):
            names = (names,)
        if not isinstance(names, Iterable):
            raise ArgumentError(f"{where}expected a variable's name or several, got {names!r}")
        nodes = tuple(self.node(name, where) for name in names)
        seen: set[int] = set()
        for node in nodes:
            if node in seen:
                raise ArgumentError(f"{where}variable {self[node].name!r} is named twice")
            seen.add(node)
        return nodes

    def context(self, context: Mapping[str, State] | None, where: str = "") -> dict[int, int]:
        """Return a context (state by name) as a mapping from node to code."""
        if context is None:
            return {}
        if not isinstance(context, Mapping):
            raise ArgumentError(f"{where}a context maps variables to states, such as {{'x': 'yes'}}, got {context!r}")
        nodes = {self.node(name, where): state for name, state in context.items()}
        return {node: self[node].code(state, where) for node, state in nodes.items()}

    def named(self, context: Mapping[int, int]) -> dict[str, State]:
        """Return a context in codes as states by name, in variable order."""
        return {self[node].name: self[node].states[context[node]] for node in sorted(context)}

    def reordered(self, order: Iterable[int]) -> "Schema":
        """Return the same variables in another order (and only those named)."""
        return Schema(tuple(self.variables[node] for node in order))
