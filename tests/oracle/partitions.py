"""Every partition of a small grid, one by one: the best of them and their sum, straight from the definitions."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product

Cell = tuple[int, ...]
Classes = tuple[int, ...]
STRUCTURES = ("table", "tree", "ldag", "partial", "graph")


@dataclass(frozen=True)
class Problem:
    """Counts per configuration (last parent fastest) and how partitions of the configurations are scored."""

    n_states: tuple[int, ...]
    counts: tuple[tuple[float, ...], ...]
    equivalent_sample_size: float
    class_lost: float


@cache
def cells_of(n_states: tuple[int, ...]) -> list[Cell]:
    """Return the configurations in order."""
    return list(product(*(range(n) for n in n_states)))


def set_partitions(size: int) -> Iterator[Classes]:
    """Yield all partitions of so many things as class numbers by first appearance (restricted growth)."""
    if size == 0:
        yield ()
        return
    for shorter in set_partitions(size - 1):
        for number in range(max(shorter, default=-1) + 2):
            yield (*shorter, number)


@cache
def lines(n_states: tuple[int, ...], axis: int) -> list[frozenset[Cell]]:
    """Return the sets of configurations that differ in one parent only."""
    groups: dict[Cell, set[Cell]] = {}
    for cell in cells_of(n_states):
        groups.setdefault(cell[:axis] + cell[axis + 1 :], set()).add(cell)
    return [frozenset(group) for group in groups.values()]


@cache
def links(n_states: tuple[int, ...], structure: str) -> tuple[frozenset[Cell], ...]:
    """Return what joins configurations to one class: whole lines, or for partial labels any two cells of a line."""
    whole = tuple(line for axis in range(len(n_states)) for line in lines(n_states, axis))
    if structure == "ldag":
        return whole
    return tuple(frozenset(pair) for line in whole for pair in combinations(line, 2))


def members(n_states: Sequence[int], classes: Classes) -> list[frozenset[Cell]]:
    """Return the configurations of each class."""
    found: list[set[Cell]] = [set() for _ in range(max(classes) + 1)]
    for cell, number in zip(cells_of(tuple(n_states)), classes, strict=True):
        found[number].add(cell)
    return [frozenset(cells) for cells in found]


@cache
def is_joined(cells: frozenset[Cell], joining: tuple[frozenset[Cell], ...]) -> bool:
    """Whether the links that lie inside the set connect it."""
    inside = [link for link in joining if link <= cells]
    reached = frozenset({min(cells)})
    while True:
        wider = reached.union(*(link for link in inside if link & reached))
        if wider == reached:
            return reached == cells
        reached = wider


def is_tree(cells: frozenset[Cell], classes: list[frozenset[Cell]], axes: Sequence[int]) -> bool:
    """Whether splitting on one parent after the other can make these classes of the cells."""
    inside = [cells & one for one in classes if cells & one]
    if len(inside) == 1:
        return True
    for axis in axes:
        others = [other for other in axes if other != axis]
        slices = [frozenset(cell for cell in cells if cell[axis] == state) for state in {cell[axis] for cell in cells}]
        apart = all(sum(bool(one & part) for part in slices) == 1 for one in inside)
        if apart and all(is_tree(part, inside, others) for part in slices):
            return True
    return False


def is_allowed(n_states: tuple[int, ...], classes: Classes, structure: str) -> bool:
    """Whether the structure allows the partition."""
    parts = members(n_states, classes)
    if structure == "table":
        return all(len(part) == 1 for part in parts)
    if structure == "tree":
        return is_tree(frozenset(cells_of(n_states)), parts, range(len(n_states)))
    return structure == "graph" or all(is_joined(part, links(n_states, structure)) for part in parts)


def is_regular(n_states: tuple[int, ...], classes: Classes) -> bool:
    """Whether every parent that has two states or more makes a difference somewhere."""
    parts = members(n_states, classes)
    return all(
        n == 1 or any(not any(line <= part for part in parts) for line in lines(n_states, axis))
        for axis, n in enumerate(n_states)
    )


@cache
def allowed(n_states: tuple[int, ...], structure: str, regular: bool) -> list[Classes]:
    """Return the partitions that the structure allows."""
    if regular:
        return [classes for classes in allowed(n_states, structure, False) if is_regular(n_states, classes)]
    return [classes for classes in set_partitions(math.prod(n_states)) if is_allowed(n_states, classes, structure)]


def class_score(problem: Problem, configurations: Sequence[int]) -> float:
    """Return the log marginal likelihood of one class plus what its lost classes add."""
    q, r, size = len(problem.counts), len(problem.counts[0]), len(configurations)
    alpha = problem.equivalent_sample_size * size / (r * q)
    sums = [math.fsum(problem.counts[number][state] for number in configurations) for state in range(r)]
    likelihood = math.lgamma(r * alpha) - math.lgamma(math.fsum(sums) + r * alpha)
    likelihood += math.fsum(math.lgamma(n + alpha) - math.lgamma(alpha) for n in sums)
    return likelihood + problem.class_lost * (size - 1)


def scores(problem: Problem, partitions: Iterable[Classes]) -> list[float]:
    """Return the score of each partition: the sum over its classes, each class looked at once."""
    of_class = cache(lambda configurations: class_score(problem, configurations))
    return [math.fsum(map(of_class, parts_of(classes))) for classes in partitions]


@cache
def parts_of(classes: Classes) -> list[tuple[int, ...]]:
    """Return the numbers of the configurations of each class."""
    parts: dict[int, list[int]] = {}
    for configuration, number in enumerate(classes):
        parts.setdefault(number, []).append(configuration)
    return list(map(tuple, parts.values()))


def log_sum(terms: Sequence[float]) -> float:
    """Return the logarithm of the sum of the exponentials."""
    if not terms:
        return -math.inf
    high = max(terms)
    return high + math.log(math.fsum(math.exp(one - high) for one in terms))


@cache
def labelled(n_states: tuple[int, ...]) -> set[Classes]:
    """Return all regular partitions that labels can make: what every set of lines joins."""
    order = {cell: number for number, cell in enumerate(cells_of(n_states))}
    every = [sorted(order[cell] for cell in line) for line in links(n_states, "ldag")]
    found = {tuple(range(len(order)))}
    for line in every:  # joining one more line to all that was found before
        found |= {_join(classes, line) for classes in found}
    return {classes for classes in found if is_regular(n_states, tuple(_by_appearance(classes)))}


def _join(classes: Classes, cells: Sequence[int]) -> Classes:
    """Join the classes of some cells; a class is called as its first cell."""
    joined = {classes[cell] for cell in cells}
    return tuple(min(joined) if number in joined else number for number in classes)


def _by_appearance(classes: Classes) -> list[int]:
    """Number classes by first appearance."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(number, len(numbers)) for number in classes]


def log_label_sum(n_states: tuple[int, ...], class_lost: float) -> float:
    """Return the logarithm of the sum of exp(class_lost) per class lost over all regular labelled partitions."""
    q = math.prod(n_states)
    return log_sum([class_lost * (q - len(set(classes))) for classes in labelled(n_states)])


def log_label_bound(n_states: Sequence[int], class_lost: float) -> float:
    """Return the bound of that sum: what two ways of writing a partition down come to, the shorter of them."""
    q, weight = math.prod(n_states), math.exp(class_lost)
    n_lines = [q // n for n in n_states]
    by_lines = [
        n_lines[axis] * math.log1p(weight ** (n - 1)) + (sum(n_lines) - n_lines[axis]) * math.log1p(weight)
        for axis, n in enumerate(n_states)
    ]
    return min(*by_lines, (q - 1) * math.log1p(len(n_states) * weight))
