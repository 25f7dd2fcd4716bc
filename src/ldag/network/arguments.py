"""Checks of the probabilities that people give to the network door."""

from collections.abc import Mapping, Sequence
from math import fsum
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from ldag.errors import ArgumentError
from ldag.graph import LDAG
from ldag.model import ClassTable, State, Variable, freeze

Named = Mapping[str, float] | Mapping[int, float] | Mapping[float, float] | Mapping[bool, float]
"""Probabilities by state."""

Given = Mapping[str, Named | Mapping[State, float] | Sequence[object] | NDArray[np.floating]]
"""For each node a list of distributions, one per class, or the distribution itself if there is one class only.

A distribution is a mapping from state to probability, or the probabilities in the order of the states.
"""

TOLERANCE = 1e-9


def check_parameters(graph: LDAG, parameters: Given) -> tuple[ClassTable, ...]:
    """Check parameters by name and return them by node."""
    if not isinstance(graph, LDAG):
        raise ArgumentError(f"graph must be an LDAG, got {type(graph).__name__}")
    if not isinstance(parameters, Mapping):
        raise ArgumentError(f"parameters must map every variable to its distributions, got {parameters!r}")
    given = {graph.schema.node(name, "parameters: "): value for name, value in parameters.items()}
    found = []
    for node, (variable, family) in enumerate(zip(graph.schema, graph.structure.families, strict=True)):
        if node not in given:
            raise ArgumentError(f"parameters: {variable.name!r} is missing; give {_wanted(family.partition.n_classes)}")
        found.append(_table(variable, family.partition.n_classes, given[node]))
    return tuple(found)


def _wanted(n_classes: int) -> str:
    return "one distribution" if n_classes == 1 else f"{n_classes} distributions, one per class"


def _table(variable: Variable, n_classes: int, given: object) -> ClassTable:
    """Return the distributions of one node."""
    where = f"parameters of {variable.name!r}"
    if n_classes == 1 and _is_distribution(given):
        given = [given]
    if not _is_sequence(given):
        raise ArgumentError(f"{where}: expected {_wanted(n_classes)}, got {given!r}")
    if len(given) != n_classes:
        hint = f"; reduced_cpt({variable.name!r}) of the graph shows the classes in order"
        raise ArgumentError(f"{where}: expected {_wanted(n_classes)}, got {len(given)}{hint}")
    rows = []
    for number, distribution in enumerate(given):
        place = where if n_classes == 1 else f"{where}, class {number} (p{number + 1} of reduced_cpt)"
        rows.append(_normalised(_in_order(variable, distribution, place), place))
    return freeze(np.array(rows))


def _in_order(variable: Variable, distribution: object, where: str) -> list[float]:
    """Return one distribution in the order of the states."""
    if isinstance(distribution, Mapping):
        by_code = {variable.code(state, f"{where}: "): p for state, p in distribution.items()}
        if len(by_code) < len(distribution):
            raise ArgumentError(f"{where}: a state is given twice, got {distribution!r}")
        missing = [repr(state) for code, state in enumerate(variable.states) if code not in by_code]
        if missing:
            raise ArgumentError(f"{where}: no probability is given for {', '.join(missing)}")
        return [by_code[code] for code in range(variable.n_states)]
    if not _is_sequence(distribution) or len(distribution) != variable.n_states:
        states = ", ".join(map(repr, variable.states))
        raise ArgumentError(f"{where}: expected the probabilities of {states}, got {distribution!r}")
    return list(distribution)


def _normalised(row: Sequence[float], where: str) -> list[float]:
    """Return probabilities that sum to 1; those that do are left as they are, and larger differences refused."""
    for value in row:
        if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
            raise ArgumentError(f"{where}: expected numbers, got {value!r}")
        if not 0 <= value <= 1 + TOLERANCE:
            raise ArgumentError(f"{where}: probabilities are between 0 and 1, got {value!r}")
    total = fsum(row)
    if abs(total - 1) > TOLERANCE:
        raise ArgumentError(f"{where}: probabilities must sum to 1, these sum to {total:.10g}")
    return [float(value) if total == 1 else value / total for value in row]


def _is_distribution(given: object) -> bool:
    return isinstance(given, Mapping) or (
        _is_sequence(given) and not any(isinstance(item, Mapping) or _is_sequence(item) for item in given)
    )


def _is_sequence(given: object) -> TypeGuard[Sequence[Any]]:
    if isinstance(given, np.ndarray):
        return given.ndim > 0
    return isinstance(given, Sequence) and not isinstance(given, str | bytes)
