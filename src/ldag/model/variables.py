"""Variables with named states, the ordered collection of them that a graph or a data set is over, and cut points.

Cut points c1 < c2 < ... < ck make k + 1 states of a measurement: at most c1, above c1 and at most c2, ..., above ck.
They are all numbers, or all dates and times spelled as ISO 8601 has them (``2020-01-31``, ``2020-01-31T12:30:00.5``).
A time has one spelling: that of UTC if a zone is known, a midnight as its date, others to the second, with the digits
of a fraction up to the last that is not zero. So times are equal if their texts are, and their order is that of texts.
"""

import datetime
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from math import isfinite

import numpy as np

from ldag._native import MAX_STATES
from ldag.errors import ArgumentError, UnknownState, UnknownVariable

Cuts = tuple[float, ...] | tuple[str, ...]
"""Cut points in increasing order: numbers, or dates."""

MISSING_STATE = "missing"
"""The state that missing cells get when they are to count as one; it has no place in an order."""

_BIN = re.compile(r"(?:<=|>) (?P<end>\S+)|\((?P<low>\S+), (?P<high>\S+)\]")
_DATE = re.compile(
    r"(?P<year>\d{4})(?P<sign>[-/])(?P<month>0[1-9]|1[0-2])(?P=sign)(?P<day>0[1-9]|[12]\d|3[01])"
    r"(?:[T ](?P<minutes>(?:[01]\d|2[0-3]):[0-5]\d)(?P<seconds>:[0-5]\d)?(?:\.(?P<fraction>\d+))?"
    r" ?(?P<zone>Z|[+-]\d{2}(?::?[0-5]\d)?)?)?",
    re.ASCII,
)


def check_cuts(cuts: Iterable[object], where: str) -> Cuts:
    """Return cut points as plain numbers, or as dates; they must increase."""
    if isinstance(cuts, str) or not isinstance(cuts, Iterable):
        raise ArgumentError(f"{where}: cut points must be a list of numbers or of dates, got {cuts!r}")
    plain = [_plain_cut(cut, where) for cut in cuts]
    if len({isinstance(cut, str) for cut in plain}) > 1:
        raise ArgumentError(f"{where}: cut points must be all numbers or all dates, got {plain!r}")
    for low, high in pairwise(plain):
        if not low < high:  # type: ignore[operator]  # of one kind
            raise ArgumentError(f"{where}: cut points must increase, got {low!r} before {high!r}")
    return tuple(plain)  # type: ignore[return-value]  # of one kind


def bin_states(cuts: Sequence[float | str]) -> tuple[str, ...]:
    """Return the states that cut points make, in words.

    Examples
    --------
    >>> bin_states((18, 40.5))
    ('<= 18', '(18, 40.5]', '> 40.5')
    """
    if not cuts:
        return ("any",)
    inner = [f"({spell_cut(low)}, {spell_cut(high)}]" for low, high in pairwise(cuts)]
    return (f"<= {spell_cut(cuts[0])}", *inner, f"> {spell_cut(cuts[-1])}")


def cuts_in(states: Iterable[object]) -> Cuts | None:
    """Return the cut points in states that `bin_states` has made, of which some may be left out; None for others.

    At least two states, and the first or the last of all, must be there: other texts may look like the inner ones.

    Examples
    --------
    >>> cuts_in(["> 40.5", "(18, 40.5]"]), cuts_in(["(0, 18]", "(18, 40]"])
    ((18.0, 40.5), None)
    """
    points, has_end = set(), False
    texts = list(states)
    for text in texts:
        matched = _BIN.fullmatch(text) if isinstance(text, str) else None
        if matched is None:
            return None
        has_end = has_end or matched["low"] is None
        points |= {_read_cut(part) for part in matched.group("low", "high", "end") if part is not None}
    if not has_end or len(texts) < 2 or len({type(cut) for cut in points}) != 1 or None in points:
        return None
    cuts: Cuts = tuple(sorted(points))  # type: ignore[type-var, assignment]  # of one kind
    return cuts if set(texts) <= set(bin_states(cuts)) else None


def _read_cut(text: str) -> float | str | None:
    """Return the cut point that a text spells; None if it spells none."""
    number = _number(text)
    return date_text(text) if number is None else number if isfinite(number) else None


def spell_cut(cut: float | str) -> str:
    """Spell a cut point: to the last digit, without ".0" after a whole number."""
    if isinstance(cut, float) and cut.is_integer() and abs(cut) < 1e15:
        return str(int(cut))
    return str(cut)


def bin_of(value: object, cuts: Cuts) -> int | None:
    """Return the number of the bin that a measurement falls into; None if it is no measurement of this kind."""
    if cuts and isinstance(cuts[0], str):
        date = date_text(value)
        return None if date is None else bisect_left(cuts, date)
    if isinstance(value, str):
        value = _number(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:  # noqa: PLR0124 - NaN
        return None
    return bisect_left(cuts, value)


def date_text(value: object) -> str | None:
    """Return the one spelling of a date or a time, as ISO text without a zone (UTC if it had one); None for others.

    Examples
    --------
    >>> date_text("2020/01/31 00:00"), date_text("2020-01-31T12:30:00.500+02:00"), date_text("31.1.2020")
    ('2020-01-31', '2020-01-31T10:30:00.5', None)
    """
    if isinstance(value, np.datetime64):
        value = str(value)
    elif isinstance(value, datetime.date):
        if isinstance(value, datetime.datetime) and value.tzinfo is not None:
            value = value.astimezone(datetime.UTC).replace(tzinfo=None)
        value = value.isoformat()
    matched = _DATE.fullmatch(value) if isinstance(value, str) else None
    if matched is None:
        return None
    date, minutes, zone = "-".join(matched.group("year", "month", "day")), matched["minutes"], matched["zone"]
    if minutes is None:
        return date
    time = f"{date}T{minutes}{matched['seconds'] or ':00'}"
    if zone not in (None, "Z"):
        try:
            time = _to_utc(time, zone)
        except (ValueError, OverflowError):  # no day of the calendar, or one before year 1
            return None
    fraction = (matched["fraction"] or "").rstrip("0")
    return f"{time}.{fraction}" if fraction else time.removesuffix("T00:00:00")


def _to_utc(time: str, zone: str) -> str:
    """Return a time to the second without its zone, such as +02:00, +0200 or +02."""
    digits = zone[1:].replace(":", "")
    shift = datetime.timedelta(hours=int(digits[:2]), minutes=int(digits[2:] or 0))
    moment = datetime.datetime.fromisoformat(time)
    return (moment - shift if zone[0] == "+" else moment + shift).isoformat()


def _plain_cut(cut: object, where: str) -> float | str:
    if isinstance(cut, np.number):
        cut = cut.item()
    date = date_text(cut)
    if date is not None:
        return date
    if isinstance(cut, bool) or not isinstance(cut, int | float) or not isfinite(cut):
        raise ArgumentError(f"{where}: a cut point is a finite number or a date such as 2020-01-31, got {cut!r}")
    return float(cut)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


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
    ``latent`` says that nobody observed it, or nobody everywhere: data need no column for it. A latent one that is
    ``undeclared`` was written without states: it may have any number, and those it has here only stand for them.

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
    latent: bool = False
    undeclared: bool = False

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
        object.__setattr__(self, "undeclared", bool(self.undeclared and self.latent))
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
        flags = "".join(f", {flag}=True" for flag in ("latent", "undeclared") if getattr(self, flag))
        return f"Variable(name={self.name!r}, states={states}{order}{flags})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Variable):
            return NotImplemented
        same = self.name == other.name and self._codes == other._codes
        return same and self._kind == other._kind

    def __hash__(self) -> int:
        return hash((self.name, self.states))

    @property
    def _kind(self) -> tuple[object, ...]:
        return self.ordered, self.cuts, self.latent, self.undeclared

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
        return replace(self, states=tuple(states), undeclared=False)

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

    @cached_property
    def latent(self) -> tuple[str, ...]:
        """Names of the latent variables, in order."""
        return tuple(variable.name for variable in self.variables if variable.latent)

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
