"""What people may know of a variable: its state, that it is one of several, or likelihoods of its states."""

from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import product
from math import isfinite, prod
from typing import TypeAlias

from ldag.checks import is_number
from ldag.errors import ArgumentError
from ldag.formats import Context, conditions
from ldag.inference import CodedFindings
from ldag.model import Schema, State, Variable
from ldag.network.arguments import Named

Finding: TypeAlias = State | Set[State] | Sequence[State] | Named | Mapping[State, float]
Findings: TypeAlias = Mapping[str, Finding]
"""By variable: a state; several, one of which it has; or a likelihood of each state, in a mapping."""

SPELLED = 64
"""Contexts that findings with several states are spelled out from."""


def read_findings(schema: Schema, given: Findings | None, where: str) -> dict[int, int | tuple[float, ...]]:
    """Translate findings to codes and likelihoods."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ArgumentError(
            f"{where}expected findings by variable, such as {{'x': 'yes'}} or {{'x': {{'yes', 'no'}}}}, got {given!r}"
        )
    nodes = {schema.node(name, where): finding for name, finding in given.items()}
    return {node: _coded(schema[node], finding, where) for node, finding in nodes.items()}


def _coded(variable: Variable, finding: Finding, where: str) -> int | tuple[float, ...]:
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
