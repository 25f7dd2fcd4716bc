"""A distribution of the model that shows a dependence, so that people can see it in ordinary numbers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldag.model import Grid, Structure
from ldag.reasoning.algebra import Factor, Parameters, Problem, joint_table

N_DRAWS = 4
"""Distributions of each kind to choose the clearest from."""

CLEAR_GAP = 0.2
"""A difference of probabilities that needs no better example."""

StateCodes = dict[int, int]


@dataclass(frozen=True, eq=False)
class Witness:
    """One distribution of the model in which a and b are dependent, and where to see it.

    ``parameters`` are those of the nodes that bear on the question; the others may have any.
    """

    parameters: Parameters
    a: StateCodes
    b: tuple[StateCodes, StateCodes]
    given: StateCodes
    probabilities: tuple[float, float]
    """P(a | b, given, context) for the two states of b."""

    @property
    def gap(self) -> float:
        """How far the two probabilities are apart."""
        return abs(self.probabilities[0] - self.probabilities[1])


def find_witness(structure: Structure, problem: Problem, case: Mapping[int, int]) -> Witness:
    """Return the first of a few distributions that shows the dependence clearly, or the clearest."""
    witnesses: list[Witness] = []
    for parameters in _candidates(structure, problem):
        witnesses.append(_showing(structure, problem, case, parameters))
        if witnesses[-1].gap > CLEAR_GAP:
            break
    return max(witnesses, key=lambda witness: witness.gap)


def _candidates(structure: Structure, problem: Problem) -> Iterator[Parameters]:
    """Draw distributions: uniform, sharp, and such that nodes on a path from a to b copy each other."""
    rng = np.random.default_rng(0)
    for concentration in (1.0, 0.3):
        for _ in range(N_DRAWS):
            yield {f.node: _dirichlet(structure, f.node, concentration, rng) for f in problem.factors}
    path = _path(problem)
    for _ in range(N_DRAWS):
        yield {f.node: _copying(structure, f, path, rng) for f in problem.factors}


def _dirichlet(structure: Structure, node: int, concentration: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw one distribution per class of a node, none with a zero."""
    r = structure.n_states[node]
    drawn = rng.dirichlet(np.full(r, concentration), size=structure.families[node].partition.n_classes)
    return (drawn + 1e-6) / (1 + r * 1e-6)


def _copying(structure: Structure, factor: Factor, path: list[int], rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw distributions of a node; if one of its parents is beside it on the path, nearly copy that parent."""
    table = _dirichlet(structure, factor.node, 0.5, rng)
    beside = [p for i, p in enumerate(path) if factor.node in (*path[max(0, i - 1) : i], *path[i + 1 : i + 2])]
    copied = [p for p in beside if p in factor.parents]
    if len(copied) != 1:
        return table
    noise = 0.25 / len(path)
    grid = structure.grid(factor.parents)
    axis = factor.parents.index(copied[0])
    for number, first in zip(*np.unique(factor.classes, return_index=True), strict=True):
        state = grid.configuration(int(first))[axis] % structure.n_states[factor.node]
        table[number] *= noise
        table[number, state] += 1 - noise
    return table


def _path(problem: Problem) -> list[int]:
    """Return a shortest path from a to b through variables that share a factor and are not given."""
    scopes = [set(factor.scope) - set(problem.given) for factor in problem.factors]
    before: dict[int, int | None] = dict.fromkeys(problem.a)
    todo = list(problem.a)
    for node in todo:
        if node in problem.b:
            path = [node]
            while (previous := before[path[-1]]) is not None:
                path.append(previous)
            return path
        for neighbour in sorted(set().union(*(scope for scope in scopes if node in scope)) - before.keys()):
            before[neighbour] = node
            todo.append(neighbour)
    return []


def _showing(structure: Structure, problem: Problem, case: Mapping[int, int], parameters: Parameters) -> Witness:
    """Find where P(a | b, s, c) differs most between two states of b under these parameters."""
    table = joint_table(problem, structure, parameters, None)
    sums = table.sum(axis=0, keepdims=True)
    conditional = np.divide(table, sums, out=np.zeros(table.shape), where=sums > 0)
    spread = conditional.max(axis=1) - conditional.min(axis=1)
    a, s = np.unravel_index(int(np.argmax(spread)), spread.shape)
    high, low = int(np.argmax(conditional[a, :, s])), int(np.argmin(conditional[a, :, s]))

    def codes(variables: tuple[int, ...], index: int) -> StateCodes:
        grid = Grid(tuple(structure.n_states[v] for v in variables))
        return dict(zip(variables, grid.configuration(index), strict=True))

    return Witness(
        parameters,
        codes(problem.a, int(a)),
        (codes(problem.b, high), codes(problem.b, low)),
        {**codes(problem.given, int(s)), **case},
        (float(conditional[a, high, s]), float(conditional[a, low, s])),
    )
