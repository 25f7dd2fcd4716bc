"""What people give to the network door: probabilities, findings, and amounts of memory."""

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import product
from math import ceil, fsum, isfinite, prod
from typing import Any, TypeAlias, TypedDict, TypeGuard

import numpy as np
from numpy.typing import NDArray

from ldag.checks import Rng, is_number, is_whole
from ldag.errors import ArgumentError, argument
from ldag.formats import Context, conditions
from ldag.graph import LDAG
from ldag.inference import CodedFindings
from ldag.model import ClassTable, Schema, State, Variable, freeze

Named = Mapping[str, float] | Mapping[int, float] | Mapping[float, float] | Mapping[bool, float]
"""Probabilities by state."""

Given = Mapping[str, Named | Mapping[State, float] | Sequence[object] | NDArray[np.floating]]
"""For each node a list of distributions, one per class, or the distribution itself if there is one class only.

A distribution is a mapping from state to probability, or the probabilities in the order of the states.
"""

TOLERANCE = 1e-9

Finding: TypeAlias = State | Set[State] | Sequence[State] | Named | Mapping[State, float]
Findings: TypeAlias = Mapping[str, Finding]
"""By variable: a state; several, one of which it has; or a likelihood of each state, in a mapping."""

Targets: TypeAlias = str | Iterable[str]
"""A variable, or several."""


class DrawOptions(TypedDict, total=False):
    """The options of every question with an interval: what is done, and the draws, for type checkers."""

    do: Context | None
    n_draws: int
    rng: Rng


class QueryOptions(DrawOptions, total=False):
    """The same where tables may become large."""

    memory_limit: int | str


class IntervalOptions(QueryOptions, total=False):
    """The same where the data may have had gaps."""

    proper: bool


SPELLED = 64
"""Contexts that findings with several states are spelled out from."""

UNITS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def check_parameters(graph: LDAG, parameters: Given) -> tuple[ClassTable, ...]:
    """Check parameters by name and return them by node."""
    if not isinstance(graph, LDAG):
        raise ArgumentError(f"graph must be an LDAG, got {type(graph).__name__}")
    if not isinstance(parameters, Mapping):
        raise ArgumentError(f"parameters must map every variable to its distributions, got {parameters!r}")
    given = {graph.schema.node(name, "parameters: "): value for name, value in parameters.items()}
    tables = []
    for node, (variable, family) in enumerate(zip(graph.schema, graph.structure.families, strict=True)):
        if node not in given:
            wanted = _spell_wanted(family.partition.n_classes)
            raise ArgumentError(f"parameters: {variable.name!r} is missing; give {wanted}")
        tables.append(_table(variable, family.partition.n_classes, given[node]))
    return tuple(tables)


def _spell_wanted(n_classes: int) -> str:
    return "one distribution" if n_classes == 1 else f"{n_classes} distributions, one per class"


def _table(variable: Variable, n_classes: int, given: object) -> ClassTable:
    """Return the distributions of one node."""
    where = f"parameters of {variable.name!r}"
    if n_classes == 1 and _is_distribution(given):
        given = [given]
    if not _is_sequence(given):
        raise ArgumentError(f"{where}: expected {_spell_wanted(n_classes)}, got {given!r}")
    if len(given) != n_classes:
        hint = f"; reduced_cpt({variable.name!r}) of the graph shows the classes in order"
        raise ArgumentError(f"{where}: expected {_spell_wanted(n_classes)}, got {len(given)}{hint}")
    rows = []
    for number, distribution in enumerate(given):
        place = where if n_classes == 1 else f"{where}, class {number} (p{number + 1} of reduced_cpt)"
        rows.append(_normalise(_in_order(variable, distribution, place), place))
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


def _normalise(row: Sequence[float], where: str) -> list[float]:
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


def read_findings(schema: Schema, given: Findings | None, where: str) -> dict[int, int | tuple[float, ...]]:
    """Translate findings to codes and likelihoods."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ArgumentError(
            f"{where}expected findings by variable, such as {{'x': 'yes'}} or {{'x': {{'yes', 'no'}}}}, got {given!r}"
        )
    nodes = {schema.node(name, where): finding for name, finding in given.items()}
    return {node: _code(schema[node], finding, where) for node, finding in nodes.items()}


def _code(variable: Variable, finding: Finding, where: str) -> int | tuple[float, ...]:
    if isinstance(finding, Mapping):
        return _likelihoods(variable, finding, where)
    if isinstance(finding, Set) or (isinstance(finding, Sequence) and not isinstance(finding, str)):
        codes = {variable.code(state, where) for state in finding}
        if not codes:
            raise ArgumentError(f"{where}{variable.name!r} is one of no states; name at least one")
        if len(codes) == 1:
            return codes.pop()
        return tuple(float(code in codes) for code in range(variable.n_states))
    return variable.code(finding, where)


def _likelihoods(variable: Variable, finding: Named | Mapping[State, float], where: str) -> tuple[float, ...]:
    """Return the likelihoods of all states, the greatest 1; those that are not named are zero."""
    weights = [0.0] * variable.n_states
    named: dict[int, State] = {}
    for state, weight in finding.items():
        if not is_number(weight) or not isfinite(weight) or weight < 0:
            raise ArgumentError(
                f"{where}the likelihood of {variable.name!r} = {state!r} is not a number >= 0: {weight!r}"
            )
        code = variable.code(state, where)
        if code in named:
            raise ArgumentError(
                f"{where}{named[code]!r} and {state!r} are one state of {variable.name!r}, {variable.states[code]!r};"
                " give it one likelihood"
            )
        named[code] = state
        weights[code] = float(weight)
    greatest = max(weights)
    if greatest == 0:
        raise ArgumentError(
            f"{where}the likelihoods of {variable.name!r} are all zero; name a state with a positive one"
        )
    return tuple(weight / greatest for weight in weights)


def spell_findings(schema: Schema, findings: CodedFindings) -> str:
    """Return findings in words, such as "rain is no, street is dry or damp"."""
    choices: dict[str, list[State]] = {}
    likelihoods = []
    for node, finding in sorted(findings.items()):
        name, states = schema[node].name, schema[node].states
        if not isinstance(finding, tuple):
            choices[name] = [states[finding]]
        elif set(finding) <= {0.0, 1.0}:
            choices[name] = [state for state, weight in zip(states, finding, strict=True) if weight]
        else:
            likelihoods.append(f"{name} with likelihoods")
    if prod(map(len, choices.values())) > SPELLED:
        first = [f"{name} is one of {len(states)} states" for name, states in choices.items()]
        return ", ".join(first + likelihoods)
    contexts: Iterable[Context] = (dict(zip(choices, states, strict=True)) for states in product(*choices.values()))
    return ", ".join(([conditions(contexts, schema)[0]] if choices else []) + likelihoods)


def check_memory(limit: int | str) -> int:
    """Return a limit in bytes; a text such as "8 GB" has a unit, each 1024 of the one before."""
    if isinstance(limit, str):
        parts = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?\s*", limit.lower())
        if parts:
            return int(float(parts[1]) * 1024 ** UNITS[parts[2]])
    elif is_whole(limit) and limit > 0:
        return int(limit)
    raise ArgumentError(f"{argument('memory_limit')} must be a number of bytes or a text such as '8 GB', got {limit!r}")


MOST_ARGUMENTS = 2**31 - 2
"""No circuit has more: its arguments have numbers of 31 bits."""


def allow_size(needed: float) -> str:
    """Return what to do for a circuit of about so many arguments, rounded up to two digits; nothing if none helps."""
    step = 10.0 ** max(0, len(f"{needed:.0f}") - 2)
    size = ceil(needed / step) * int(step)
    return f"allow compile(max_size={size:_}), " if size <= MOST_ARGUMENTS else ""


def join_findings(findings: CodedFindings, more: CodedFindings, n_states: Sequence[int]) -> CodedFindings | None:
    """Return findings that say what both say, or None if they contradict each other."""
    both = dict(findings)
    for node, finding in more.items():
        known = _weights(both.get(node, (1.0,) * n_states[node]), n_states[node])
        joined = tuple(a * b for a, b in zip(known, _weights(finding, n_states[node]), strict=True))
        if not any(joined):
            return None
        is_state = sorted(joined)[-1] == sum(joined) == 1.0
        both[node] = joined.index(1.0) if is_state else joined
    return both


def _weights(finding: int | tuple[float, ...], n_states: int) -> tuple[float, ...]:
    return finding if isinstance(finding, tuple) else tuple(float(code == finding) for code in range(n_states))
