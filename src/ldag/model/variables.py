"""Variables with named states, and the ordered collection of them that a graph or a data set is over."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite

import numpy as np

from ldag._native import MAX_STATES
from ldag.errors import ArgumentError, UnknownState, UnknownVariable
from ldag.model.cuts import MISSING_STATE, Cuts, bin_of, bin_states, check_cuts, date_text

State = str | int | float | bool
"""One outcome of a variable, kept exactly as the user gave it."""

StateKey = tuple[bool, State]

_DIGITS = re.compile(r"[+-]?[0-9]{1,300}")

STATES_LISTED = 24
"""A variable with more states lists the first ones only when it is shown."""


def state_key(state: State) -> StateKey:
    """Return a key under which ``True`` and ``1`` are different states, which they are not in a dict."""
    return isinstance(state, bool), state


def state_order(state: State) -> tuple[int, float, str]:
    """Return what states are sorted by: booleans, then numbers, then texts, of which those that are digits by number.

    Examples
    --------
    >>> sorted(["11", "9", "b", "10", 2.5, True], key=state_order)
    [True, 2.5, '9', '10', '11', 'b']
    """
    if isinstance(state, bool):
        return 0, float(state), ""
    if isinstance(state, str):
        return (2, int(state), state) if _DIGITS.fullmatch(state) else (3, 0.0, state)
    return 1, state, ""


class OrderedStates(tuple[State, ...]):
    """States whose order means something; made by `ordered`."""

    __slots__ = ()


def ordered(states: Iterable[State]) -> OrderedStates:
    """Say that the order of states means something, wherever states are given.

    With ``structure="partial"``, only neighbouring states of an ordered parent can act alike.

    Examples
    --------
    >>> import ldag
    >>> data = ldag.read({"pain": ["low", "high"]}, states={"pain": ldag.ordered(["low", "middle", "high"])})
    >>> data.variables[0].ordered
    True
    """
    if isinstance(states, str) or not isinstance(states, Iterable):
        raise ArgumentError(f"ordered takes a list of states, got {states!r}")
    return OrderedStates(states)


@dataclass(frozen=True, eq=False)
class Variable:
    """A named discrete variable and its states, in a fixed order.

    ``ordered`` says that this order means something; ``cuts`` are the cut points of a measurement, which then is
    ordered. A last state "missing" is named by itself in rules; the search takes it for the neighbour of the highest.

    Examples
    --------
    >>> Variable("badge", ("no", "yes")).n_states
    2
    >>> Variable.of_bins("age", [18, 65]).code(30.5)
    1
    """

    name: str
    states: tuple[State, ...]
    ordered: bool = False
    cuts: Cuts = ()

    @classmethod
    def of_bins(cls, name: str, cuts: Iterable[object]) -> "Variable":
        """Return the variable that cut points make of a measurement."""
        checked = check_cuts(cuts, f"variable {name!r}")
        return cls(name, bin_states(checked), cuts=checked)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise ArgumentError(f"a variable needs a non-empty name, got {self.name!r}")
        if isinstance(self.states, str) or not isinstance(self.states, Iterable):
            raise ArgumentError(f"the states of {self.name!r} must be a list, got {self.states!r}")
        object.__setattr__(self, "ordered", bool(self.ordered or self.cuts or isinstance(self.states, OrderedStates)))
        object.__setattr__(self, "states", tuple(_plain(state) for state in self.states))
        if not self.states:
            raise ArgumentError(f"variable {self.name!r} has no states; give at least one")
        if len(self.states) > MAX_STATES:
            raise ArgumentError(
                f"variable {self.name!r} has {len(self.states):,} states; at most {MAX_STATES} are possible"
            )
        seen: set[StateKey] = set()
        for state in self.states:
            if not isinstance(state, str | int | float) or (isinstance(state, float) and not isfinite(state)):
                raise ArgumentError(
                    f"variable {self.name!r}: a state is a string, a finite number or a boolean, got {state!r}"
                )
            if state_key(state) in seen:
                raise ArgumentError(f"variable {self.name!r} has the state {state!r} twice")
            seen.add(state_key(state))
        self._check_cuts()

    def _check_cuts(self) -> None:
        """Check that there is a state per bin, and perhaps one for missing cells."""
        if not self.cuts:
            return
        object.__setattr__(self, "cuts", check_cuts(self.cuts, f"variable {self.name!r}"))
        if self.n_ordered != len(self.cuts) + 1:
            raise ArgumentError(
                f"variable {self.name!r}: {len(self.cuts)} cut points make {len(self.cuts) + 1} states, "
                f"got {self.n_ordered}"
            )

    def __repr__(self) -> str:
        order = f", cuts={self.cuts!r}" if self.cuts else ", ordered=True" if self.ordered else ""
        states = repr(self.states)
        if len(self.states) > STATES_LISTED:
            first = ", ".join(map(repr, self.states[: STATES_LISTED // 2]))
            states = f"({first}, ... {len(self.states)} in all)"
        return f"Variable(name={self.name!r}, states={states}{order})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Variable):
            return NotImplemented
        same = self.name == other.name and self._codes == other._codes
        return same and self.ordered == other.ordered and self.cuts == other.cuts

    def __hash__(self) -> int:
        return hash((self.name, self.states))

    @property
    def n_states(self) -> int:
        """Number of states."""
        return len(self.states)

    @property
    def n_ordered(self) -> int:
        """How many of the states, from the first on, stand in an order: none, all, or all but "missing"."""
        return (self.n_states - (self.states[-1] == MISSING_STATE)) if self.ordered else 0

    def with_states(self, states: Iterable[State]) -> "Variable":
        """Return the variable with other states, as far as it is not made by cut points."""
        return replace(self, states=tuple(states))

    @cached_property
    def _codes(self) -> dict[StateKey, int]:
        return {state_key(state): code for code, state in enumerate(self.states)}

    @cached_property
    def _spelled(self) -> dict[str, int | None]:
        """Codes by spelling; ``None`` where two states are spelled alike. Numbers and dates have further spellings."""
        spelled: dict[str, int | None] = {}
        for code, state in enumerate(self.states):
            spelled[str(state)] = None if str(state) in spelled else code
        for code, state in enumerate(self.states):
            if isinstance(state, float) and state.is_integer():
                spelled.setdefault(str(int(state)), code)
            if isinstance(state, bool):  # where nothing else is spelled so, 1 and true stand for True
                spelled.setdefault(str(int(state)), code)
                spelled.setdefault(str(state).lower(), code)
            date = date_text(state)
            if date is not None:
                spelled.setdefault(date, code)
        return spelled

    def code(self, state: State, where: str = "") -> int:
        """Return the position of a state, or of the bin of a number (or date) where there are cut points.

        ``"1"`` also finds the number 1, and 1 the text "1", where that is unambiguous.
        """
        code = self.find(state)
        if code is None:
            raise UnknownState(_plain(state), self.name, self.states, where)
        return code

    def find(self, state: State) -> int | None:
        """Return what `code` returns, or None where there is no such state."""
        code: int | None
        state = _plain(state)
        try:
            code = self._codes.get(state_key(state))
        except TypeError:  # an unhashable value is no state
            code = None
        if code is None and isinstance(state, str | int | float):
            code = self._spelled.get(str(state))
        if code is None and (date := date_text(state)) is not None:
            code = self._spelled.get(date)
        if code is None and self.cuts:
            code = bin_of(state, self.cuts)
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
        node = self._index.get(name) if isinstance(name, str) else None
        if node is None:
            raise UnknownVariable(name, self._index, where)
        return node

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
