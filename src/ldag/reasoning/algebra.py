"""Is an independence a polynomial identity in the free parameters? Checked exactly, modulo a prime.

X_A and X_B are independent given X_S in the context x_C in every distribution of the model iff
p(a,b,s,c) p(s,c) = p(a,s,c) p(b,s,c) holds as polynomials in the parameters of the classes. Parameters drawn
at random modulo a prime make both sides integers: a difference proves dependence; equality is wrong with a
probability of at most degree / prime per draw (Schwartz and Zippel).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldag.model import Structure

PRIME = 2**31 - 1
SURENESS = 60
"""Equality is accepted once its error probability is below 2 ** -SURENESS."""

Values = NDArray[np.number[Any]]
"""Whole numbers below the prime, or real numbers."""
Parameters = Mapping[int, Values]
"""For every node of a problem, one distribution per class: an array (classes, states)."""


@dataclass(frozen=True)
class Factor:
    """The family of one node when a context is fixed: the parents that still matter, and their partition."""

    node: int
    parents: tuple[int, ...]
    classes: NDArray[np.int32]
    """The class of each configuration of these parents."""
    fixed: int | None
    """The node's own state, if the context fixes it."""

    @property
    def scope(self) -> tuple[int, ...]:
        """Variables of the factor's table: the parents, then the node unless it is fixed."""
        return self.parents if self.fixed is not None else (*self.parents, self.node)


@dataclass(frozen=True)
class Problem:
    """One connected piece of the question whether a is independent of b for every state of given."""

    factors: tuple[Factor, ...]
    a: tuple[int, ...]
    b: tuple[int, ...]
    given: tuple[int, ...]
    order: tuple[int, ...]
    """Variables to sum out, in this order."""
    largest: int
    """Cells of the largest intermediate table."""

    @property
    def n_draws(self) -> int:
        """Draws needed; one errs with probability at most degree / prime; the degree is 2 per node."""
        per_draw = log2(PRIME) - log2(2 * max(1, len(self.factors)))
        return int(np.ceil(SURENESS / per_draw))


def problems(
    structure: Structure,
    a: Iterable[int],
    b: Iterable[int],
    given: Iterable[int],
    context: Mapping[int, int],
) -> list[Problem]:
    """Split a question into the connected pieces that contain both sides; no piece means independent."""
    side_a, side_b, fixed = frozenset(a), frozenset(b), frozenset(given)
    factors = _relevant_factors(structure, side_a | side_b | fixed, context)
    problems = []
    for piece in _find_pieces(factors, fixed):
        here = {v for factor in piece for v in factor.scope}
        if here & side_a and here & side_b:
            problems.append(_problem(structure, piece, here & side_a, here & side_b, here & fixed))
    return problems


def draw_modular(problem: Problem, structure: Structure, rng: np.random.Generator) -> Parameters:
    """Draw every class's distribution modulo the prime; the entries sum to 1 modulo it."""
    drawn = {}
    for factor in problem.factors:
        table = rng.integers(1, PRIME, size=_table_shape(structure, factor.node), dtype=np.int64)
        table[:, -1] = (1 - table[:, :-1].sum(axis=1)) % PRIME
        drawn[factor.node] = table
    return drawn


def joint_table(problem: Problem, structure: Structure, parameters: Parameters, modulus: int | None) -> Values:
    """Return p(a, b, s, c) up to a factor that does not depend on a and b, as an array (a, b, s)."""
    tables = [(factor.scope, _factor_table(factor, structure, parameters)) for factor in problem.factors]
    for variable in problem.order:
        touching = [t for t in tables if variable in t[0]]
        tables = [t for t in tables if variable not in t[0]]
        scope, product = _multiply(touching, structure, modulus)
        summed = product.sum(axis=scope.index(variable))
        tables.append((tuple(v for v in scope if v != variable), _reduce(summed, modulus)))
    wanted = (*problem.a, *problem.b, *problem.given)
    scope, product = _multiply(tables, structure, modulus)
    shape = [prod(structure.n_states[v] for v in side) for side in (problem.a, problem.b, problem.given)]
    return product.transpose([scope.index(v) for v in wanted]).reshape(shape)


def is_identity(table: Values) -> bool:
    """Tell whether p(a,b,s) p(s) = p(a,s) p(b,s) modulo the prime in every cell."""
    over_a = table.sum(axis=0) % PRIME
    over_b = table.sum(axis=1) % PRIME
    total = over_a.sum(axis=0) % PRIME
    left = table * total[None, None, :] % PRIME
    right = over_b[:, None, :] * over_a[None, :, :] % PRIME
    return bool(np.array_equal(left, right))


def _relevant_factors(structure: Structure, named: frozenset[int], context: Mapping[int, int]) -> list[Factor]:
    """Return the factors of the question's ancestors, through the parents that matter in the context."""
    factors: dict[int, Factor] = {}
    todo = [*named, *context]
    while todo:
        node = todo.pop()
        if node not in factors:
            factors[node] = _factor(structure, node, context)
            todo.extend(factors[node].parents)
    return [factors[node] for node in sorted(factors)]


def _factor(structure: Structure, node: int, context: Mapping[int, int]) -> Factor:
    """Fix the context in one family, and drop the parents that make no difference there."""
    family = structure.families[node]
    fixed = {axis: context[p] for axis, p in enumerate(family.parents) if p in context}
    free = tuple(p for p in family.parents if p not in context)
    partition, numbers = family.partition.restricted_classes(fixed)
    dropped = partition.irrelevant_axes()
    kept = tuple(p for axis, p in enumerate(free) if axis not in dropped)
    if dropped:
        partition, chosen = partition.restricted_classes(dict.fromkeys(dropped, 0))
        numbers = numbers[chosen]
    classes = numbers[partition.to_array()].astype(np.int32)
    return Factor(node, kept, classes, context.get(node))


def _find_pieces(factors: list[Factor], fixed: frozenset[int]) -> list[list[Factor]]:
    """Group factors that share a variable which is not given; the others only scale p by a function of s."""
    pieces: list[tuple[set[int], list[Factor]]] = []
    for factor in factors:
        variables = set(factor.scope) - fixed
        members = [factor]
        apart = []
        for seen, group in pieces:
            if seen & variables:
                variables |= seen
                members = group + members
            else:
                apart.append((seen, group))
        pieces = [*apart, (variables, members)]
    return [group for _, group in pieces]


def _problem(structure: Structure, piece: list[Factor], a: set[int], b: set[int], given: set[int]) -> Problem:
    """Choose the elimination order of a piece by min-fill, and note its largest table."""
    scopes = [set(factor.scope) for factor in piece]
    summed = set().union(*scopes) - a - b - given
    neighbours = {v: set().union(*(s for s in scopes if v in s)) - {v} for s in scopes for v in s}
    order: list[int] = []
    tables = [prod(_table_shape(structure, factor.node)) for factor in piece]
    largest = max(prod(structure.n_states[v] for v in a | b | given), *tables)
    while summed:
        best = min(summed, key=lambda v: (_fill(neighbours, v), _cells(structure, neighbours, v), v))
        largest = max(largest, _cells(structure, neighbours, best))
        around = neighbours.pop(best)
        for v in around:
            neighbours[v] = (neighbours[v] | around) - {v, best}
        summed.remove(best)
        order.append(best)
    return Problem(tuple(piece), tuple(sorted(a)), tuple(sorted(b)), tuple(sorted(given)), tuple(order), largest)


def _fill(neighbours: Mapping[int, set[int]], v: int) -> int:
    """Count the edges that eliminating a variable would add, twice."""
    return sum(len(neighbours[v] - neighbours[w]) - 1 for w in neighbours[v])


def _cells(structure: Structure, neighbours: Mapping[int, set[int]], v: int) -> int:
    """Count the cells of the table that eliminating a variable makes before the sum."""
    return prod(structure.n_states[w] for w in (v, *neighbours[v]))


def _table_shape(structure: Structure, node: int) -> tuple[int, int]:
    """Return how many classes and states a node has."""
    return structure.families[node].partition.n_classes, structure.n_states[node]


def _factor_table(factor: Factor, structure: Structure, parameters: Parameters) -> Values:
    """Expand a factor's classes into a table over its scope."""
    table = parameters[factor.node][factor.classes]
    if factor.fixed is not None:
        table = table[:, factor.fixed]
    return table.reshape([structure.n_states[v] for v in factor.scope])


def _multiply(
    tables: Sequence[tuple[tuple[int, ...], Values]], structure: Structure, modulus: int | None
) -> tuple[tuple[int, ...], Values]:
    """Multiply tables over the union of their scopes."""
    scope = tuple(sorted({v for s, _ in tables for v in s}))
    product: Values = np.ones([1] * len(scope), dtype=np.int64 if modulus else np.float64)
    for own, table in sorted(tables, key=lambda t: len(t[0])):
        aligned = table.transpose(sorted(range(len(own)), key=own.__getitem__))
        shape = [structure.n_states[v] if v in own else 1 for v in scope]
        product = _reduce(product * aligned.reshape(shape), modulus)
    return scope, np.broadcast_to(product, [structure.n_states[v] for v in scope])


def _reduce(table: Values, modulus: int | None) -> Values:
    """Return the entries modulo the prime; real ones are scaled so that long products do not underflow."""
    return table % modulus if modulus is not None else table / table.max()
