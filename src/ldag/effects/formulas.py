"""Formulas: what an effect is in terms of the observed table, as trees of probabilities, sums, products and quotients.

A formula is a function of its free axes. An axis is a variable and a copy of it: copy 0 is the one that a question
speaks of, every sum binds a copy of its own (the x' of the front door), so that bound and free axes are never mixed up.
Trees are shared: work on them is remembered by the identity of a node.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Axis = tuple[int, int]
"""A variable, and which copy of it."""
Draws = NDArray[np.float64]
"""A table with a leading axis of draws, of length 1 where there is one table only."""

_copies = count(1)


class Slot(NamedTuple):
    """A variable in a probability: on an axis, or at a fixed state."""

    node: int
    copy: int = 0
    state: int | None = None

    @property
    def axis(self) -> Axis | None:
        """The axis it is on, unless its state is fixed."""
        return None if self.state is not None else (self.node, self.copy)


@dataclass(frozen=True, eq=False)
class Probability:
    """P(of | given) of the observed table; a variable occurs once in it."""

    of: tuple[Slot, ...]
    given: tuple[Slot, ...] = ()


@dataclass(frozen=True, eq=False)
class Sum:
    """The sum over bound axes; `add_up` makes it."""

    over: tuple[Axis, ...]
    body: "Formula"


@dataclass(frozen=True, eq=False)
class Product:
    """The product of factors; of none it is 1."""

    factors: tuple["Formula", ...]


@dataclass(frozen=True, eq=False)
class Quotient:
    """One formula divided by another."""

    top: "Formula"
    bottom: "Formula"


@dataclass(frozen=True, eq=False)
class Cases:
    """The sum of terms, one per case of a stratum."""

    terms: tuple["Formula", ...]


@dataclass(frozen=True, eq=False)
class Anywhere:
    """A formula that is the same for every state of bound axes; evaluated as the mean, weighed by their frequency."""

    over: tuple[Axis, ...]
    body: "Formula"


@dataclass(frozen=True, eq=False)
class Remainder:
    """One formula less another: what is left of a whole without some of its cases."""

    whole: "Formula"
    rest: "Formula"


@dataclass(frozen=True, eq=False)
class ByState:
    """A formula of its own for every state of an axis, on which none of them depends otherwise."""

    axis: Axis
    branches: tuple["Formula", ...]


Formula = Probability | Sum | Product | Quotient | Cases | Anywhere | Remainder | ByState
ONE = Product(())


class Source(Protocol):
    """What formulas are evaluated on: a table, draws of one, or a network."""

    @property
    def n_states(self) -> Sequence[int]:
        """States of every variable, by number."""
        ...

    def conditional(self, of: tuple[int, ...], given: tuple[int, ...]) -> Draws:
        """Return P(of | given) as an array (draws, states of each of ``of``, states of each of ``given``)."""
        ...


def slots(nodes: Iterable[int], fixed: Mapping[int, int] | None = None) -> tuple[Slot, ...]:
    """Return slots of the question's own copies, some at fixed states."""
    return tuple(Slot(node, 0, (fixed or {}).get(node)) for node in nodes)


def multiply(factors: Iterable[Formula]) -> Formula:
    """Return the product, flat, without ones."""
    flat = [f for factor in factors for f in (factor.factors if isinstance(factor, Product) else (factor,))]
    return flat[0] if len(flat) == 1 else Product(tuple(flat))


def add_up(nodes: Iterable[int], body: Formula) -> Formula:
    """Return the sum over the question's own copies of variables, which become bound copies.

    A sum over what a single probability is of is that probability without it, and over branches the sum of these.
    """
    free = free_axes(body)
    over = [node for node in sorted(set(nodes)) if (node, 0) in free]
    if isinstance(body, Probability):
        gone = {slot for slot in body.of if slot.node in over and slot.axis == (slot.node, 0)}
        over = [node for node in over if not any(slot.node == node for slot in gone)]
        rest = tuple(slot for slot in body.of if slot not in gone)
        body = Probability(rest, body.given) if rest else ONE
    if isinstance(body, ByState) and body.axis in {(node, 0) for node in over}:
        return add_up([node for node in over if node != body.axis[0]], Cases(body.branches))
    return _bind(Sum, over, body)


def take_anywhere(nodes: Iterable[int], body: Formula) -> Formula:
    """Return the formula of which it is known that states of these variables do not matter."""
    free = free_axes(body)
    return _bind(Anywhere, [node for node in sorted(set(nodes)) if (node, 0) in free], body)


def _bind(kind: type[Sum] | type[Anywhere], nodes: Sequence[int], body: Formula) -> Formula:
    if not nodes:
        return body
    new = {(node, 0): (node, next(_copies)) for node in nodes}
    return kind(tuple(new.values()), rename(body, new))


def make_quotient(top: Formula, bottom: Formula) -> Formula:
    """Return a quotient; of 1 nothing is left."""
    return top if isinstance(bottom, Product) and not bottom.factors else Quotient(top, bottom)


def rename(formula: Formula, new: Mapping[Axis, Axis]) -> Formula:
    """Return the formula with axes of other names."""
    return replace_slots(formula, lambda slot: slot if slot.axis is None else _move(slot, new))


def _move(slot: Slot, new: Mapping[Axis, Axis]) -> Slot:
    axis = new.get((slot.node, slot.copy))
    return slot if axis is None else Slot(*axis)


def fix(formula: Formula, states: Mapping[int, int]) -> Formula:
    """Return the formula at fixed states of variables; bound copies stay."""

    def set_state(slot: Slot) -> Slot:
        return slot._replace(state=states[slot.node]) if slot.axis == (slot.node, 0) and slot.node in states else slot

    return replace_slots(formula, set_state)


def free_case(formula: Formula, case: Mapping[int, int]) -> Formula:
    """Return the formula in which the states of a case are axes again."""

    def free(slot: Slot) -> Slot:
        return Slot(slot.node) if slot.state is not None and case.get(slot.node) == slot.state else slot

    return replace_slots(formula, free)


def replace_slots(formula: Formula, change: Callable[[Slot], Slot]) -> Formula:
    """Rebuild a tree with other slots; what is shared stays shared, and what does not change stays itself."""
    done: dict[int, Formula] = {}

    def visit(part: Formula) -> Formula:
        if id(part) not in done:
            done[id(part)] = rebuild(part)
        return done[id(part)]

    def rebuild(part: Formula) -> Formula:
        if isinstance(part, Probability):
            of, given = tuple(map(change, part.of)), tuple(map(change, part.given))
            return part if (of, given) == (part.of, part.given) else Probability(of, given)
        old = parts(part)
        new = tuple(map(visit, old))
        if isinstance(part, ByState):
            slot = change(Slot(*part.axis))
            if slot.axis != part.axis:
                return ByState(slot.axis, new) if slot.axis is not None else new[slot.state or 0]
        return part if all(a is b for a, b in zip(old, new, strict=True)) else with_parts(part, new)

    return visit(formula)


def parts(formula: Formula) -> tuple[Formula, ...]:
    """Return what a formula is made of."""
    match formula:
        case Probability():
            return ()
        case Sum(_, body) | Anywhere(_, body):
            return (body,)
        case Product(inside) | Cases(inside):
            return inside
        case ByState(_, branches):
            return branches
        case Quotient(top, bottom) | Remainder(top, bottom):
            return (top, bottom)


def with_parts(formula: Formula, new: tuple[Formula, ...]) -> Formula:
    """Return the same kind of formula, made of other parts."""
    match formula:
        case Probability():
            return formula
        case Sum(over, _):
            return Sum(over, *new)
        case Anywhere(over, _):
            return Anywhere(over, *new)
        case Product():
            return Product(new)
        case Cases():
            return Cases(new)
        case Quotient():
            return Quotient(*new)
        case Remainder():
            return Remainder(*new)
        case ByState(axis, _):
            return ByState(axis, new)


def subformulas(formula: Formula) -> Iterator[Formula]:
    """Go through all different parts of a formula, each once, those inside first."""
    seen: set[int] = set()
    todo: list[tuple[Formula, bool]] = [(formula, False)]
    while todo:
        part, is_open = todo.pop()
        if is_open:
            yield part
        elif id(part) not in seen:
            seen.add(id(part))
            todo.append((part, True))
            todo.extend((inside, False) for inside in parts(part))


def free_axes(formula: Formula) -> frozenset[Axis]:
    """Return the axes that a formula is a function of."""
    free: dict[int, frozenset[Axis]] = {}
    for part in subformulas(formula):
        if isinstance(part, Probability):
            free[id(part)] = frozenset(slot.axis for slot in (*part.of, *part.given) if slot.axis is not None)
        else:
            inside = frozenset[Axis]().union(*(free[id(p)] for p in parts(part)))
            own = {part.axis} if isinstance(part, ByState) else set()
            free[id(part)] = inside - set(part.over) if isinstance(part, Sum | Anywhere) else inside | own
    return free[id(formula)]


def nodes_in(formula: Formula) -> frozenset[int]:
    """Return the variables that a formula reads."""
    leaves = (part for part in subformulas(formula) if isinstance(part, Probability))
    return frozenset(slot.node for leaf in leaves for slot in (*leaf.of, *leaf.given))


class FormulaValues(NamedTuple):
    """What a formula is at every state of its axes: an array with an axis of draws first."""

    axes: tuple[Axis, ...]
    array: Draws

    def over(self, nodes: Sequence[int], n_states: Sequence[int]) -> Draws:
        """Return the array (draws, states of the nodes in this order); what it does not depend on is repeated."""
        wanted = [(node, 0) for node in nodes]
        kept = [axis for axis in wanted if axis in self.axes]
        array = self.array.transpose([0, *(1 + self.axes.index(axis) for axis in kept)])
        shape = [n_states[node] if (node, 0) in kept else 1 for node in nodes]
        return np.broadcast_to(array.reshape([len(array), *shape]), [len(array), *(n_states[node] for node in nodes)])


def evaluate(formula: Formula, source: Source) -> FormulaValues:
    """Return what a formula is on a source, at every state of its free axes."""
    values: dict[int, FormulaValues] = {}
    leaves: dict[tuple[tuple[int, ...], tuple[int, ...]], Draws] = {}
    for part in subformulas(formula):
        match part:
            case Probability(of, given):
                key = tuple(slot.node for slot in of), tuple(slot.node for slot in given)
                if key not in leaves:
                    leaves[key] = source.conditional(*key)
                result = _at_slots((*of, *given), leaves[key])
            case Sum(over, body):
                result = _contract(_factors(body, values), over)
            case Product(factors):
                result = _contract([values[id(factor)] for factor in factors], ())
            case Quotient(top, bottom):
                result = _divide(values[id(top)], values[id(bottom)])
            case Cases(terms):
                result = _add([values[id(term)] for term in terms])
            case Remainder(whole, rest):
                result = _add([values[id(whole)], _negate(values[id(rest)])])
            case ByState(axis, branches):
                result = _stack(axis, [values[id(branch)] for branch in branches])
            case Anywhere(over, body):
                nodes = tuple(node for node, _ in over)
                weights = _at_slots([Slot(*axis) for axis in over], source.conditional(nodes, ()))
                result = _contract([values[id(body)], weights], over)
        values[id(part)] = result
    return values[id(formula)]


def _factors(body: Formula, values: Mapping[int, FormulaValues]) -> list[FormulaValues]:
    """Return the factors under a sum, not multiplied yet: the sum goes through them one by one."""
    return [values[id(factor)] for factor in (body.factors if isinstance(body, Product) else (body,))]


def _at_slots(places: Sequence[Slot], table: Draws) -> FormulaValues:
    """Read a table at fixed states."""
    index = (slice(None), *(slice(None) if slot.state is None else slot.state for slot in places))
    return FormulaValues(tuple(slot.axis for slot in places if slot.axis is not None), table[index])


def _contract(factors: Sequence[FormulaValues], over: Iterable[Axis]) -> FormulaValues:
    """Multiply tables and sum axes out, two tables at a time."""
    summed = set(over)
    names = sorted({axis for factor in factors for axis in factor.axes})
    kept = tuple(axis for axis in names if axis not in summed)
    number = {axis: i + 1 for i, axis in enumerate(names)}
    operands: list[object] = []
    for factor in factors:
        operands += [factor.array, [0, *(number[axis] for axis in factor.axes)]]
    if not operands:
        return FormulaValues((), np.ones(1))
    return FormulaValues(kept, np.einsum(*operands, [0, *(number[axis] for axis in kept)], optimize="greedy"))  # type: ignore[call-overload]


def _divide(top: FormulaValues, bottom: FormulaValues) -> FormulaValues:
    """Divide; where the denominator is 0 there is nothing to know, and the result is 0."""
    axes, (above, below) = _align_values([top, bottom])
    safe = np.where(below > 0, below, 1.0)
    return FormulaValues(axes, np.where(below > 0, above / safe, 0.0))


def _add(terms: Sequence[FormulaValues]) -> FormulaValues:
    """Add tables of different axes."""
    axes, arrays = _align_values(terms)
    total = arrays[0]
    for array in arrays[1:]:
        total = total + array
    return FormulaValues(axes, total)


def _negate(table: FormulaValues) -> FormulaValues:
    return FormulaValues(table.axes, -table.array)


def _stack(axis: Axis, branches: Sequence[FormulaValues]) -> FormulaValues:
    """Put one table per state of an axis beside each other."""
    axes, arrays = _align_values(branches)
    return FormulaValues((*axes, axis), np.stack(np.broadcast_arrays(*arrays), axis=-1))


def _align_values(tables: Sequence[FormulaValues]) -> tuple[tuple[Axis, ...], list[Draws]]:
    """Return the axes of all tables, and the tables over them, of length 1 where they have none."""
    axes = tuple(sorted({axis for table in tables for axis in table.axes}))
    arrays = []
    for table in tables:
        order = sorted(range(len(table.axes)), key=lambda i: axes.index(table.axes[i]))
        lengths = {table.axes[i]: table.array.shape[1 + i] for i in order}
        turned = table.array.transpose([0, *(1 + i for i in order)])
        arrays.append(turned.reshape([len(turned), *(lengths.get(axis, 1) for axis in axes)]))
    return axes, arrays
