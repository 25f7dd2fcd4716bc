"""Fixed labels straight from the definition: labels are read off a partition, rules off their contexts."""

import math
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product

from tests.oracle import family, partitions, search_exact

Fixed = tuple[tuple[bool, ...] | None, ...]
"""By parent: None where the label is free, else whether it holds each configuration of the other parents."""

Rules = Mapping[tuple[int, int], Sequence[Mapping[int, int]]]
"""By edge: the contexts (a state per variable) that its label must be, all and nothing else."""

allowed = cache(partitions.allowed)


@cache
def labels(n_states: tuple[int, ...], classes: partitions.Classes) -> tuple[tuple[bool, ...], ...]:
    """Return, by parent and line, whether the line lies inside one class."""
    parts = partitions.members(n_states, classes)
    return tuple(
        tuple(any(line <= part for part in parts) for line in partitions.lines(n_states, axis))
        for axis in range(len(n_states))
    )


def keeps(n_states: tuple[int, ...], classes: partitions.Classes, fixed: Fixed) -> bool:
    """Whether a partition has exactly the labels that are fixed."""
    found = labels(n_states, classes)
    return all(want is None or have == want for have, want in zip(found, fixed, strict=True))


def best_score(problem: partitions.Problem, fixed: Fixed, regular: bool) -> float:
    """Return the best score over all partitions with these labels; minus infinity if there is none."""
    every = [c for c in allowed(problem.n_states, "ldag", regular) if keeps(problem.n_states, c, fixed)]
    return max(partitions.scores(problem, every), default=-math.inf)


def merge(problem: family.Problem, fixed: Fixed) -> tuple[family.Classes, list[family.Step]]:
    """Merge greedily from the classes that the fixed lines make, by merges that keep regular and the labels."""
    q = len(problem.counts)
    classes: family.Classes = [[cell] for cell in range(q)]
    for axis, label in enumerate(fixed):
        for line, is_fixed in zip(family.lines(problem, axis), label or (), strict=label is not None):
            if is_fixed:
                classes = family.joined(classes, line)
    steps: list[family.Step] = []

    def kept(after: family.Classes) -> bool:
        numbers = tuple(next(n for n, members in enumerate(after) if cell in members) for cell in range(q))
        return keeps(problem.n_states, numbers, fixed)

    while found := [pair for pair in family.options(problem, "ldag", classes) if kept(pair[1])]:
        best = max(step.gain for step, _ in found)
        step, classes = next(pair for pair in found if pair[0].gain >= best - family.TIE)
        steps.append(step)
    return classes, steps


def fixed_of(rules: Rules, node: int, parents: Sequence[int], n_states: Sequence[int]) -> Fixed | None:
    """Return what rules fix in a family, or None if it lacks a parent that they need."""
    for (parent, child), contexts in rules.items():
        needed = {parent}.union(*contexts) if contexts else set()
        if child == node and not needed <= set(parents):
            return None
    fixed: list[tuple[bool, ...] | None] = []
    for parent in parents:
        label = rules.get((parent, node))
        others = [other for other in parents if other != parent]
        configurations = [dict(zip(others, c, strict=True)) for c in product(*(range(n_states[o]) for o in others))]
        fixed.append(
            None
            if label is None
            else tuple(any(context.items() <= one.items() for context in label) for one in configurations)
        )
    return tuple(fixed)


def best_graph_score(rows: Sequence[Sequence[int]], n_states: Sequence[int], kappa: float, rules: Rules) -> float:
    """Return the best score over all DAGs and regular partitions that keep the rules, one by one.

    A rule without contexts forbids a label, and needs no edge.
    """

    @cache
    def family_score(node: int, parents: tuple[int, ...]) -> float:
        fixed = fixed_of(rules, node, parents, n_states)
        if fixed is None:
            return -math.inf
        shape = tuple(n_states[parent] for parent in parents)
        counts = {cell: [0.0] * n_states[node] for cell in partitions.cells_of(shape)}
        for row in rows:
            counts[tuple(row[parent] for parent in parents)][row[node]] += 1.0
        table = tuple(tuple(found) for found in counts.values())
        problem = partitions.Problem(shape, table, 1.0, (n_states[node] - 1) * math.log(kappa))
        return best_score(problem, fixed, regular=True)

    return search_exact.best_score(search_exact.everything(len(n_states)), family_score)
