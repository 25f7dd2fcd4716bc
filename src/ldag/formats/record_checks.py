"""What holds for the parts of a record in every format; an error begins with ``path``, the place of the part."""

import reprlib
from collections.abc import Mapping
from dataclasses import replace
from math import isfinite

from ldag.errors import ArgumentError, FormatError, suggest
from ldag.formats.record import ClassRecord, EdgeRecord, GraphRecord, VariableRecord
from ldag.formats.spelling import has_surrogate
from ldag.model import Cuts, State, Variable, bin_states, check_cuts, state_key


def check_record(record: GraphRecord) -> GraphRecord:
    """Return the record if every format can hold it: known endpoints, nothing twice, plain names and states."""
    if not record.variables:
        raise FormatError("no variables; a graph has at least one")
    variables = tuple(_checked_variable(item, f"variables[{i}]") for i, item in enumerate(record.variables))
    first: dict[str, VariableRecord] = {}
    for variable in variables:
        if variable.name in first:
            raise repeated(f"variable {variable.name!r}", variable.where, first[variable.name].where)
        first[variable.name] = variable
    edges = tuple(_checked_edge(item, first, f"edges[{i}]") for i, item in enumerate(record.edges))
    seen: dict[tuple[str, str], EdgeRecord] = {}
    for edge in edges:
        pair = edge.parent, edge.child
        if pair in seen:
            raise repeated(f"the edge {edge.parent!r} -> {edge.child!r}", edge.where, seen[pair].where)
        seen[pair] = edge
    classes = tuple(_check_class(item, first, f"classes[{i}]") for i, item in enumerate(record.classes))
    return GraphRecord(variables, edges, classes)


def repeated(what: str, where: str, first: str) -> FormatError:
    """Return the error for something that stands in two places."""
    place = first.removesuffix(": ")
    return FormatError(f"{where}{what} is given twice" + (f", first at {place}" if place else ""))


def check_name(name: object, path: str) -> str:
    """Return a variable's name: a string that is not blank."""
    if not isinstance(name, str) or not name.strip():
        raise FormatError(f"{path}: expected a variable's name, a non-empty string, got {shown(name)}")
    return _encodable(name, path)


def checked_state(state: object, path: str, place: object) -> State:
    """Return the state at a place of a list or a context: a string, a finite number or a boolean."""
    if isinstance(state, int) or (isinstance(state, float) and isfinite(state)):
        return state
    if isinstance(state, str) and not has_surrogate(state):
        return state
    path = f"{path}[{shown(place)}]"  # spelled here only, because files have many states
    if isinstance(state, str):
        return _encodable(state, path)
    raise FormatError(f"{path}: expected a state, which is a string, a finite number or a boolean, got {shown(state)}")


def check_states(states: object, path: str) -> tuple[State, ...]:
    """Return the states of a variable: at least one, all different."""
    if not isinstance(states, list | tuple) or not states:
        raise FormatError(f"{path}: expected a list of states, at least one, got {shown(states)}")
    checked = tuple(checked_state(state, path, i) for i, state in enumerate(states))
    seen = set()
    for state in checked:
        if state_key(state) in seen:
            raise FormatError(f"{path}: the state {shown(state)} is given twice")
        seen.add(state_key(state))
    return checked


def check_cuts_of(cuts: object, path: str) -> Cuts:
    """Return the cut points of a variable: numbers or dates, increasing."""
    if not isinstance(cuts, list | tuple):
        raise FormatError(f"{path}: expected a list of cut points, got {shown(cuts)}")
    try:
        return check_cuts(cuts, path)
    except ArgumentError as error:
        raise FormatError(str(error)) from None


def check_variable(variable: VariableRecord) -> VariableRecord:
    """Give a measurement the states of its cut points if it has no others; there must be one per bin."""
    if not variable.cuts:
        if variable.ordered and variable.states is None:
            raise FormatError(f"{variable.where}the states of {variable.name!r} have an order, but are not given")
        return variable
    states = bin_states(variable.cuts) if variable.states is None else variable.states
    try:
        Variable(variable.name, states, cuts=variable.cuts)
    except ArgumentError as error:
        raise FormatError(f"{variable.where}{error}") from None
    return replace(variable, states=states, ordered=True)


def check_contexts_of(contexts: object, path: str) -> tuple[dict[str, State], ...]:
    """Return the contexts of a label or a class."""
    if not isinstance(contexts, list | tuple):
        raise FormatError(f'{path}: expected a list of contexts such as [{{"x": "yes"}}], got {shown(contexts)}')
    return tuple(_checked_context(context, f"{path}[{i}]") for i, context in enumerate(contexts))


def check_class_contexts(contexts: object, path: str) -> tuple[dict[str, State], ...]:
    """Return the contexts of a class: at least one."""
    checked = check_contexts_of(contexts, path)
    if not checked:
        raise FormatError(f"{path}: expected at least one context, got none")
    return checked


def shown(value: object) -> str:
    """Return a value as it looks in an error, shortened."""
    return reprlib.repr(value)


def _checked_context(context: object, path: str) -> dict[str, State]:
    if not isinstance(context, Mapping):
        raise FormatError(f'{path}: expected a context such as {{"x": "yes"}}, got {shown(context)}')
    return {check_name(name, path): checked_state(state, path, name) for name, state in context.items()}


def _checked_variable(variable: VariableRecord, position: str) -> VariableRecord:
    path = variable.where.removesuffix(": ") or position
    name = check_name(variable.name, path)
    states = variable.states
    states = None if states is None else check_states(states, f"{path}: states")
    return check_variable(replace(variable, name=name, states=states))


def _checked_edge(edge: EdgeRecord, known: Mapping[str, object], position: str) -> EdgeRecord:
    path = edge.where.removesuffix(": ") or position
    for end in (edge.parent, edge.child):
        _checked_known(end, known, path)
    return replace(edge, label=check_contexts_of(edge.label, f"{path}: label"))


def _check_class(item: ClassRecord, known: Mapping[str, object], position: str) -> ClassRecord:
    path = item.where.removesuffix(": ") or position
    _checked_known(item.node, known, path)
    return replace(item, contexts=check_class_contexts(item.contexts, f"{path}: contexts"))


def _checked_known(name: object, known: Mapping[str, object], path: str) -> None:
    checked = check_name(name, path)
    if checked not in known:
        raise FormatError(f"{path}: no variable {checked!r}{suggest(checked, known)}")


def _encodable(text: str, path: str) -> str:
    if has_surrogate(text):
        raise FormatError(f"{path}: the string {shown(text)} has half of a surrogate pair; it is not valid Unicode")
    return text
