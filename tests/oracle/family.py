"""Searches for the partition of one family in plain Python: every gain is computed from scratch."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise, product
from math import inf, log

from tests.oracle.score import Counts, class_score, partition_score

TIE = 1e-9
Classes = list[list[int]]
Tree = dict[frozenset[int], float]


@dataclass(frozen=True)
class Problem:
    """The counts of a family and how its partitions are scored."""

    n_states: tuple[int, ...]
    counts: Counts
    equivalent_sample_size: float
    class_lost: float
    regular: bool
    ordered: tuple[bool, ...] = ()
    """Parents whose order means something: of their states, only neighbours can act alike under "partial"."""
    per_class: bool = False
    """Whether the sample size is that of every class."""

    @property
    def cells(self) -> list[tuple[int, ...]]:
        """The configurations, the last parent fastest."""
        return list(product(*(range(n) for n in self.n_states)))

    def score(self, classes: Classes) -> float:
        """Return the score of a partition."""
        if self.per_class:
            return sum(map(self.leaf, classes)) + self.class_lost * len(self.counts)
        return partition_score(self.counts, classes, self.equivalent_sample_size, self.class_lost)

    def leaf(self, members: Sequence[int]) -> float:
        """Return what one class adds to the score, less what it takes from the classes lost."""
        share = len(self.counts) / len(members) if self.per_class else 1.0
        return class_score(self.counts, members, share * self.equivalent_sample_size) - self.class_lost


@dataclass(frozen=True)
class Step:
    """One step of a greedy search."""

    axis: int
    line: int
    classes_lost: int
    gain: float


def lines(problem: Problem, axis: int) -> list[list[int]]:
    """Return the cells of each line along an axis, by configuration of the other parents."""
    cells = problem.cells
    others = list(product(*(range(n) for i, n in enumerate(problem.n_states) if i != axis)))
    return [
        [i for i, cell in enumerate(cells) if tuple(c for j, c in enumerate(cell) if j != axis) == other]
        for other in others
    ]


def is_regular(problem: Problem, classes: Classes) -> bool:
    """Whether every parent with several states has a line that does not lie inside one class."""
    return all(
        n == 1 or any(not any(set(line) <= set(members) for members in classes) for line in lines(problem, axis))
        for axis, n in enumerate(problem.n_states)
    )


def joined(classes: Classes, cells: Sequence[int]) -> Classes:
    """Join all classes that touch the cells; classes stay ordered by their lowest cell."""
    touched = [members for members in classes if set(members) & set(cells)]
    rest = [members for members in classes if not set(members) & set(cells)]
    return sorted([*rest, sorted(cell for members in touched for cell in members)])


def line_candidates(problem: Problem, classes: Classes) -> Iterator[tuple[int, int, Classes]]:
    """Yield axis, line and result of joining each line that is not inside one class."""
    for axis in range(len(problem.n_states)):
        for number, line in enumerate(lines(problem, axis)):
            after = joined(classes, line)
            if len(after) < len(classes):
                yield axis, number, after


def pairs(problem: Problem, axis: int, line: Sequence[int]) -> list[tuple[int, int]]:
    """Return the pairs of cells of a line that may be joined: any two, or neighbours along an order."""
    return list(pairwise(line) if axis < len(problem.ordered) and problem.ordered[axis] else combinations(line, 2))


def neighbour_candidates(problem: Problem, classes: Classes) -> Iterator[tuple[int, int, Classes]]:
    """Yield the same for pairs of cells of one line."""
    for axis in range(len(problem.n_states)):
        for number, line in enumerate(lines(problem, axis)):
            for pair in pairs(problem, axis, line):
                after = joined(classes, pair)
                if len(after) < len(classes):
                    yield axis, number, after


def parts(problem: Problem, structure: str, cells: Sequence[int]) -> Classes:
    """What a set of configurations falls into: connected through whole lines in it, or through pairs."""
    found = [{cell} for cell in cells]
    for axis in range(len(problem.n_states)):
        for line in lines(problem, axis):
            inside = [cell for cell in line if cell in cells]
            ties: list[tuple[int, ...]] = [tuple(line)] if len(inside) == len(line) else []
            if structure == "partial":
                ties = [(a, b) for a, b in pairs(problem, axis, line) if a in inside and b in inside]
            for tie in ties:
                met = [part for part in found if part & set(tie)]
                found = [part for part in found if part not in met] + [set().union(*met)]
    return [sorted(part) for part in found]


def class_candidates(problem: Problem, classes: Classes) -> Iterator[tuple[int, int, Classes]]:
    """Yield the same for pairs of classes; the line is the first cell of the later class."""
    del problem
    for first, second in combinations(classes, 2):
        yield -1, second[0], joined(classes, [first[0], second[0]])


CANDIDATES: dict[str, Callable[[Problem, Classes], Iterator[tuple[int, int, Classes]]]] = {
    "ldag": line_candidates,
    "partial": neighbour_candidates,
    "graph": class_candidates,
}


def options(problem: Problem, structure: str, classes: Classes) -> list[tuple[Step, Classes]]:
    """Return every merge that improves the score and is allowed, with its gain."""
    now = problem.score(classes)
    found = []
    for axis, line, after in CANDIDATES[structure](problem, classes):
        gain = problem.score(after) - now
        if gain > TIE and (not problem.regular or is_regular(problem, after)):
            found.append((Step(axis, line, len(classes) - len(after), gain), after))
    return found


def merge(problem: Problem, structure: str) -> tuple[Classes, list[Step]]:
    """Merge greedily from singletons (Algorithm 1 and its siblings)."""
    classes: Classes = [[cell] for cell in range(len(problem.counts))]
    steps: list[Step] = []
    while found := options(problem, structure, classes):
        best = max(step.gain for step, _ in found)
        step, classes = next(pair for pair in found if pair[0].gain >= best - TIE)
        steps.append(step)
    return classes, steps


def split(problem: Problem, leaf: list[int], axis: int) -> Classes:
    """Return the parts of a set of cells by the states of an axis."""
    cells = problem.cells
    parts = [[cell for cell in leaf if cells[cell][axis] == state] for state in range(problem.n_states[axis])]
    return [part for part in parts if part]


def grow(problem: Problem) -> tuple[Classes, list[Step]]:
    """Grow a tree by the best split; a regular one goes on by unused parents until all are used."""
    leaves: Classes = [list(range(len(problem.counts)))]
    steps: list[Step] = []
    unused = {axis for axis, n in enumerate(problem.n_states) if n > 1}
    while True:
        found = []
        for leaf in leaves:
            for axis in range(len(problem.n_states)):
                parts = split(problem, leaf, axis)
                if len(parts) > 1:
                    after = sorted([*(other for other in leaves if other != leaf), *parts])
                    gain = problem.score(after) - problem.score(leaves)
                    found.append((Step(axis, leaf[0], len(leaves) - len(after), gain), after))
        if not any(step.gain > TIE for step, _ in found):
            if not (problem.regular and unused):
                return leaves, steps
            found = [pair for pair in found if pair[0].axis in unused]
        best = max(step.gain for step, _ in found)
        step, leaves = next(pair for pair in found if pair[0].gain >= best - TIE)
        steps.append(step)
        unused -= {step.axis}


def best_tree_score(problem: Problem) -> float:
    """Return the score of the best tree by trying them all."""

    def best(cube: list[int]) -> Tree:
        """The best value by exactly which axes the subtree uses."""
        values: Tree = {frozenset(): problem.leaf(cube)}
        for axis in range(len(problem.n_states)):
            parts = split(problem, cube, axis)
            if len(parts) > 1:
                for chosen in product(*(best(part).items() for part in parts)):
                    used = frozenset({axis}).union(*(axes for axes, _ in chosen))
                    values[used] = max(values.get(used, float("-inf")), sum(value for _, value in chosen))
        return values

    needed = {axis for axis, n in enumerate(problem.n_states) if n > 1} if problem.regular else set()
    q = len(problem.counts)
    values = best(list(range(q)))
    return max(value for used, value in values.items() if needed <= used) + problem.class_lost * q


def is_tree(problem: Problem, classes: Classes, cube: list[int]) -> bool:
    """Whether some tree over the cells of a cube has these classes as leaves."""
    if any(set(cube) <= set(members) for members in classes):
        return True
    for axis in range(len(problem.n_states)):
        parts = split(problem, cube, axis)
        apart = not any(sum(bool(set(members) & set(part)) for part in parts) > 1 for members in classes)
        if len(parts) > 1 and apart and all(is_tree(problem, classes, part) for part in parts):
            return True
    return False


def is_allowed(problem: Problem, structure: str, classes: Classes) -> bool:
    """Whether a structure allows the partition, and it is regular if it must be."""
    if problem.regular and not is_regular(problem, classes):
        return False
    if structure == "tree":
        return is_tree(problem, classes, list(range(len(problem.counts))))
    if structure == "graph":
        return True
    components: Classes = [[cell] for cell in range(len(problem.counts))]
    for axis in range(len(problem.n_states)):
        for line in lines(problem, axis):
            parts: list[Sequence[int]] = [line] if structure == "ldag" else [*pairs(problem, axis, line)]
            for part in parts:
                if any(set(part) <= set(members) for members in classes):
                    components = joined(components, part)
    return components == sorted(classes)


def partitions(cells: Sequence[int]) -> Iterator[Classes]:
    """Yield every partition of some cells."""
    if not cells:
        yield []
        return
    first, rest = cells[0], cells[1:]
    for smaller in partitions(rest):
        yield [[first], *smaller]
        for i, members in enumerate(smaller):
            yield [*smaller[:i], [first, *members], *smaller[i + 1 :]]


def bound_score(problem: Problem) -> float:
    """Return what no partition scores more than, cell by cell; sizes and numbers of cells are tried one by one."""
    if problem.class_lost > 0:
        return inf
    price, n_cells = -problem.class_lost, len(problem.counts)
    bound = 0.0
    for cell, counts in enumerate(problem.counts):
        occurring = [n for n in counts if n > 0]
        if not occurring:
            continue
        most = sum(n * log(n / sum(occurring)) for n in occurring)
        k = len(occurring) - 1
        regret = most - class_score(problem.counts, [cell], problem.equivalent_sample_size)
        growth = max(k * log(s) - price * (s - 1) for s in range(1, n_cells + 1))
        shares = [(price - regret + growth + k * log(t)) / t for t in range(1, n_cells + 1)]
        bound += most + min(0.0, max(shares) - price)
    return bound


def best_score(problem: Problem, structure: str) -> float:
    """Return the best score over all allowed partitions, one by one."""
    return max(
        problem.score(classes)
        for classes in partitions(range(len(problem.counts)))
        if is_allowed(problem, structure, sorted(sorted(members) for members in classes))
    )
