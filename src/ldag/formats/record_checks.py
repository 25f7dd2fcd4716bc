"""What holds for graphs and for networks of full tables in every format; an error begins with its place."""

import reprlib
from collections.abc import Mapping
from dataclasses import replace
from math import isfinite, prod

import numpy as np
from numpy.typing import NDArray

from ldag.errors import ArgumentError, FormatError, suggest
from ldag.formats.record import (
    ClassRecord,
    CptRecord,
    EdgeRecord,
    GraphRecord,
    TabularRecord,
    TreeRecord,
    VariableRecord,
)
from ldag.formats.words import has_surrogate, spell_context
from ldag.model import Cuts, Grid, State, Variable, bin_states, check_cuts, state_key

SUM_TOLERANCE = 1e-3
"""How far from 1 the probabilities of a row may sum: people write 0.333 three times. Such a row is rescaled."""

EXACT = 5e-10
"""A row this close to 1 is taken as it is written."""

MAX_CELLS = 1 << 24
"""Numbers in one table at most; a file must also hold as many as it announces."""


def check_record(record: GraphRecord) -> GraphRecord:
    """Return the record if every format can hold it: known endpoints, nothing twice, plain names and states."""
    if not record.variables:
        raise FormatError("no variables; a graph has at least one")
    variables = tuple(_check_variable(item, f"variables[{i}]") for i, item in enumerate(record.variables))
    first: dict[str, VariableRecord] = {}
    for variable in variables:
        if variable.name in first:
            raise say_twice(f"variable {variable.name!r}", variable.where, first[variable.name].where)
        first[variable.name] = variable
    edges = tuple(_check_edge(item, first, f"edges[{i}]") for i, item in enumerate(record.edges))
    seen: dict[tuple[str, str], EdgeRecord] = {}
    for edge in edges:
        pair = edge.parent, edge.child
        if pair in seen:
            raise say_twice(f"the edge {edge.parent!r} -> {edge.child!r}", edge.where, seen[pair].where)
        seen[pair] = edge
    classes = tuple(_check_class(item, first, f"classes[{i}]") for i, item in enumerate(record.classes))
    trees: dict[str, TreeRecord] = {}
    for number, item in enumerate(record.trees):
        tree = _check_tree(item, first, f"trees[{number}]")
        if tree.node in trees:
            raise say_twice(f"the tree of {tree.node!r}", tree.where, trees[tree.node].where)
        trees[tree.node] = tree
    return GraphRecord(variables, edges, classes, tuple(trees.values()))


def say_twice(what: str, where: str, first: str) -> FormatError:
    """Return the error for something that stands in two places."""
    place = first.removesuffix(": ")
    return FormatError(f"{where}{what} is given twice" + (f", first at {place}" if place else ""))


def check_name(name: object, path: str) -> str:
    """Return a variable's name: a string that is not blank."""
    if not isinstance(name, str) or not name.strip():
        raise FormatError(f"{path}: expected a variable's name, a non-empty string, got {shorten(name)}")
    return _check_text(name, path)


def check_state(state: object, path: str, place: object) -> State:
    """Return the state at a place of a list or a context: a string, a finite number or a boolean."""
    if isinstance(state, int) or (isinstance(state, float) and isfinite(state)):
        return state
    if isinstance(state, str) and not has_surrogate(state):
        return state
    path = f"{path}[{shorten(place)}]"  # spelled here only, because files have many states
    if isinstance(state, str):
        return _check_text(state, path)
    raise FormatError(
        f"{path}: expected a state, which is a string, a finite number or a boolean, got {shorten(state)}"
    )


def check_states(states: object, path: str) -> tuple[State, ...]:
    """Return the states of a variable: at least one, all different."""
    if not isinstance(states, list | tuple) or not states:
        raise FormatError(f"{path}: expected a list of states, at least one, got {shorten(states)}")
    checked = tuple(check_state(state, path, i) for i, state in enumerate(states))
    seen = set()
    for state in checked:
        if state_key(state) in seen:
            raise FormatError(f"{path}: the state {shorten(state)} is given twice")
        seen.add(state_key(state))
    return checked


def check_cuts_of(cuts: object, path: str) -> Cuts:
    """Return the cut points of a variable: numbers or dates, increasing."""
    if not isinstance(cuts, list | tuple):
        raise FormatError(f"{path}: expected a list of cut points, got {shorten(cuts)}")
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
        raise FormatError(f'{path}: expected a list of contexts such as [{{"x": "yes"}}], got {shorten(contexts)}')
    return tuple(_check_context(context, f"{path}[{i}]") for i, context in enumerate(contexts))


def check_class_contexts(contexts: object, path: str) -> tuple[dict[str, State], ...]:
    """Return the contexts of a class: at least one."""
    checked = check_contexts_of(contexts, path)
    if not checked:
        raise FormatError(f"{path}: expected at least one context, got none")
    return checked


def shorten(value: object) -> str:
    """Return a value as it looks in an error, shortened."""
    return reprlib.repr(value)


def _check_context(context: object, path: str) -> dict[str, State]:
    if not isinstance(context, Mapping):
        raise FormatError(f'{path}: expected a context such as {{"x": "yes"}}, got {shorten(context)}')
    return {check_name(name, path): check_state(state, path, name) for name, state in context.items()}


def _check_variable(variable: VariableRecord, position: str) -> VariableRecord:
    path = variable.where.removesuffix(": ") or position
    name = check_name(variable.name, path)
    states = variable.states
    states = None if states is None else check_states(states, f"{path}: states")
    return check_variable(replace(variable, name=name, states=states))


def _check_edge(edge: EdgeRecord, known: Mapping[str, object], position: str) -> EdgeRecord:
    path = edge.where.removesuffix(": ") or position
    for end in (edge.parent, edge.child):
        _check_known(end, known, path)
    return replace(edge, label=check_contexts_of(edge.label, f"{path}: label"))


def _check_class(item: ClassRecord, known: Mapping[str, object], position: str) -> ClassRecord:
    path = item.where.removesuffix(": ") or position
    _check_known(item.node, known, path)
    return replace(item, contexts=check_class_contexts(item.contexts, f"{path}: contexts"))


def _check_tree(item: TreeRecord, known: Mapping[str, object], position: str) -> TreeRecord:
    """Check that questions lead to later ones, each from one place, so that there is no way round in a circle."""
    path = item.where.removesuffix(": ") or position
    _check_known(item.node, known, path)
    if not item.questions:
        raise FormatError(f"{path}: a tree has at least one question")
    led_to: set[int] = set()
    for place, question in enumerate(item.questions):
        _check_known(question.variable, known, f"{path}: questions[{place}]")
        if not question.branches:
            raise FormatError(f"{path}: questions[{place}] has no branches")
        for branch in question.branches:
            check_states(branch.states, f"{path}: questions[{place}]")
            target = branch.question
            if (target is None) == (branch.number is None):
                raise FormatError(
                    f"{path}: a branch of questions[{place}] leads to a question or to a class, to one of both"
                )
            if target is not None:
                if not place < target < len(item.questions) or target in led_to:
                    raise FormatError(
                        f"{path}: a branch of questions[{place}] leads to question {target}; branches lead to later"
                        f" questions, of which there are {len(item.questions)}, and no two to the same"
                    )
                led_to.add(target)
    if len(led_to) + 1 < len(item.questions):
        lost = next(place for place in range(1, len(item.questions)) if place not in led_to)
        raise FormatError(f"{path}: no branch leads to questions[{lost}]")
    return item


def _check_known(name: object, known: Mapping[str, object], path: str) -> None:
    checked = check_name(name, path)
    if checked not in known:
        raise FormatError(f"{path}: no variable {checked!r}{suggest(checked, known)}")


def _check_text(text: str, path: str) -> str:
    if has_surrogate(text):
        raise FormatError(f"{path}: the string {shorten(text)} has half of a surrogate pair; it is not valid Unicode")
    return text


def check_tables(record: TabularRecord) -> TabularRecord:
    """Return the record if it is a network: a table of the right shape for every variable, its rows distributions."""
    graph = check_record(GraphRecord(record.variables))
    variables = {variable.name: variable for variable in graph.variables}
    first: dict[str, CptRecord] = {}
    for table in record.tables:
        if table.node not in variables:
            raise FormatError(f"{table.where}no variable {table.node!r}{suggest(table.node, variables)}")
        if table.node in first:
            raise say_twice(f"the table of {table.node!r}", table.where, first[table.node].where)
        first[table.node] = _check_rows(table, [variables[name] for name in check_parents(table, variables)], variables)
    for name, variable in variables.items():
        if name not in first:
            raise FormatError(f"{variable.where}the table of {name!r} is missing")
    return replace(record, variables=graph.variables, tables=tuple(first[name] for name in variables))


def check_parents(table: CptRecord, known: dict[str, VariableRecord]) -> tuple[str, ...]:
    """Return the parents of a table, each known and named once."""
    for number, name in enumerate(table.parents):
        if name not in known:
            raise FormatError(f"{table.where}no variable {name!r}{suggest(name, known)}")
        if name == table.node:
            raise FormatError(f"{table.where}{name!r} is named as its own parent")
        if name in table.parents[:number]:
            raise FormatError(f"{table.where}the parent {name!r} of {table.node!r} is named twice")
    return table.parents


def check_size(n_rows: int, n_states: int, node: str, where: str) -> int:
    """Return the number of cells of a table, if it is not out of all proportion."""
    cells = n_rows * n_states
    if cells > MAX_CELLS:
        raise FormatError(f"{where}the table of {node!r} has {cells:,} cells; at most {MAX_CELLS:,} are read")
    return cells


def shape_table(numbers: NDArray[np.float64], n_rows: int, n_states: int, node: str, where: str) -> NDArray[np.float64]:
    """Return numbers, rows after each other, as a table."""
    cells = check_size(n_rows, n_states, node, where)
    if len(numbers) != cells:
        raise FormatError(
            f"{where}the table of {node!r} needs {n_rows:,} rows of {n_states:,} numbers, {cells:,} in all,"
            f" got {len(numbers):,}"
        )
    return numbers.reshape(n_rows, n_states)


def _check_rows(table: CptRecord, parents: list[VariableRecord], variables: dict[str, VariableRecord]) -> CptRecord:
    """Return a table whose rows are distributions; those that are a little off are rescaled."""
    states = [variable.states or () for variable in parents]
    n_rows = prod(map(len, states)) if table.cells is None else len(table.cells) + 1
    expected = n_rows, len(variables[table.node].states or ())
    if table.values.shape != expected:
        raise FormatError(
            f"{table.where}the table of {table.node!r} needs {expected[0]:,} rows of {expected[1]:,} numbers,"
            f" got {table.values.shape[0]:,} of {table.values.shape[-1]:,}"
        )
    values = table.values + 0.0  # no negative zeros
    sums = values.sum(axis=1)
    bad = ~(np.isfinite(values).all(axis=1) & (values >= 0).all(axis=1) & (np.abs(sums - 1) <= SUM_TOLERANCE))
    if bad.any():
        row = int(np.argmax(bad))
        what = f"the probabilities of {table.node!r}{_spell_given(table, parents, row)}"
        raise FormatError(f"{table.where}{what} {_fault(values[row], float(sums[row]))}")
    off = np.abs(sums - 1) > EXACT
    values[off] /= sums[off, None]
    return replace(table, values=values)


def _spell_given(table: CptRecord, parents: list[VariableRecord], row: int) -> str:
    """Return in words which configuration a row is of."""
    if not parents:
        return ""
    if table.cells is not None:
        if row == len(table.cells):
            return " by default"
        row = int(table.cells[row])
    states = [variable.states or () for variable in parents]
    codes = Grid(tuple(map(len, states))).configuration(row)
    return f" given {spell_context({p.name: s[code] for p, s, code in zip(parents, states, codes, strict=True)})}"


def _fault(row: NDArray[np.float64], total: float) -> str:
    wrong = row[~(np.isfinite(row) & (row >= 0))]
    if len(wrong):
        return f"must be between 0 and 1, got {wrong[0]:.10g}"
    return f"must sum to 1, these sum to {total:.10g} ({abs(total - 1):.3g} off)"


def table_of_numbers(table: CptRecord, variables: tuple[VariableRecord, ...]) -> CptRecord:
    """Return a table whose numbers were read as one long row, the node's own states fastest."""
    known = {variable.name: variable for variable in variables}
    if table.node not in known:
        raise FormatError(f"{table.where}no variable {table.node!r}{suggest(table.node, known)}")
    n_rows = prod(len(known[parent].states or ()) for parent in check_parents(table, known))
    n_states = len(known[table.node].states or ())
    return replace(table, values=shape_table(table.values, n_rows, n_states, table.node, table.where))


def certain_rows(chosen: list[int], n_states: int, node: str, where: str) -> NDArray[np.float64]:
    """Return the rows, after each other, of a node whose state is certain in every configuration."""
    check_size(len(chosen), n_states, node, where)
    values = np.zeros((len(chosen), n_states))
    values[np.arange(len(chosen)), chosen] = 1.0
    return values.reshape(-1)
