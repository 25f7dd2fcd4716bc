"""What holds for networks that are written as full tables, whatever the format."""

from dataclasses import replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from ldag.errors import FormatError, suggest
from ldag.formats.record import CptRecord, GraphRecord, TabularRecord, VariableRecord
from ldag.formats.record_checks import check_record, repeated
from ldag.formats.spelling import spell_context
from ldag.model import Grid

SUM_TOLERANCE = 1e-3
"""How far from 1 the probabilities of a row may sum: people write 0.333 three times. Such a row is rescaled."""

EXACT = 5e-10
"""A row this close to 1 is taken as it is written."""

MAX_CELLS = 1 << 24
"""Numbers in one table at most; a file must also hold as many as it announces."""


def check_tables(record: TabularRecord) -> TabularRecord:
    """Return the record if it is a network: a table of the right shape for every variable, its rows distributions."""
    graph = check_record(GraphRecord(record.variables))
    variables = {variable.name: variable for variable in graph.variables}
    first: dict[str, CptRecord] = {}
    for table in record.tables:
        if table.node not in variables:
            raise FormatError(f"{table.where}no variable {table.node!r}{suggest(table.node, variables)}")
        if table.node in first:
            raise repeated(f"the table of {table.node!r}", table.where, first[table.node].where)
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
        what = f"the probabilities of {table.node!r}{_given(table, parents, row)}"
        raise FormatError(f"{table.where}{what} {_fault(values[row], float(sums[row]))}")
    off = np.abs(sums - 1) > EXACT
    values[off] /= sums[off, None]
    return replace(table, values=values)


def _given(table: CptRecord, parents: list[VariableRecord], row: int) -> str:
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
