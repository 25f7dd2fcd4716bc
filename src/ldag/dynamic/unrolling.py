"""A dynamic model as an ordinary one over so many steps."""

from collections.abc import Iterator

import numpy as np

from ldag.dynamic.steps import CodedDynamics
from ldag.model import ClassTable, CodedFamily, Model, Structure

Place = tuple[int, int]
"""A step and a variable; the step of a static one is 0."""


def unroll_model(dynamics: CodedDynamics, n_steps: int) -> tuple[Model, list[Place]]:
    """Return the model over so many steps, and which variable each node is: static ones, then step by step."""
    places: list[Place] = [(0, v) for v in dynamics.static]
    places += [(step, v) for step in range(n_steps) for v in dynamics.changing]
    families: dict[int, CodedFamily] = {}
    tables: dict[int, ClassTable] = {}
    node_of = {place: node for node, place in enumerate(places)}
    for own, family, table in _families_of(dynamics, n_steps):
        node, parents = node_of[own[0]], [node_of[place] for place in own[1:]]
        order = np.argsort(parents)
        states = [range(n) for n in np.array(family.partition.grid.n_states, dtype=np.intp)[order].tolist()]
        partition, classes = family.partition.realigned(order.tolist(), states)
        families[node] = CodedFamily.from_partition(tuple(sorted(parents)), partition)
        tables[node] = table[classes]
    n_states = tuple(dynamics.n_states[v] for _, v in places)
    nodes = range(len(places))
    structure = Structure(n_states, tuple(families[node] for node in nodes))
    return Model(structure, tuple(tables[node] for node in nodes)), places


def _families_of(dynamics: CodedDynamics, n_steps: int) -> Iterator[tuple[list[Place], CodedFamily, ClassTable]]:
    """Go through the families of all steps: the place of the child, then those of the parents."""
    in_first = {
        node: (0 if v in dynamics.static else step, v)
        for step, nodes in enumerate(dynamics.in_first)
        for v, node in enumerate(nodes)
    }
    for node, (step, v) in in_first.items():
        if step < n_steps:
            family = dynamics.first.structure.families[node]
            yield [(step, v), *(in_first[p] for p in family.parents)], family, dynamics.first.probabilities[node]
    before = {node: (lag, v) for lag, nodes in enumerate(dynamics.in_step) for v, node in enumerate(nodes)}
    for v in dynamics.changing:
        node = dynamics.in_step[0][v]
        family, table = dynamics.transition.structure.families[node], dynamics.transition.probabilities[node]
        above = [before[p] for p in family.parents]
        for step in range(dynamics.lags, n_steps):
            yield (
                [(step, v), *((0 if p in dynamics.static else step - lag, p) for lag, p in above)],
                family,
                table,
            )
