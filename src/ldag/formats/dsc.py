"""DSC, the format of Microsoft's belief networks, which Netica and bnlearn know; rows are by numbers of states."""

from itertools import product
from math import prod

import numpy as np

from ldag.errors import FormatError, suggest
from ldag.formats.contract import Carries, Format
from ldag.formats.identifiers import Spelling, plain_words
from ldag.formats.lexer import Lexer, NumberRow
from ldag.formats.notes import apply_notes, find_notes, write_notes
from ldag.formats.record import CptRecord, TabularRecord, VariableRecord
from ldag.formats.record_checks import shown
from ldag.formats.table_checks import check_parents, check_size, check_tables

_SIGNS = "{}()[];,|:="


def read_dsc(text: str) -> TabularRecord:
    """Read DSC."""
    lexer = Lexer(text, _SIGNS)
    lexer.expect("belief")
    lexer.expect("network")
    if lexer.peek() not in {"node", "probability", ""}:
        lexer.name("the network's name")
    variables: dict[str, VariableRecord] = {}
    tables: list[CptRecord] = []
    while not lexer.at_end:
        where = lexer.where
        if lexer.accept("node"):
            variable = _node(lexer, where)
            if variable.name in variables:
                raise FormatError(f"{where}variable {variable.name!r} is given twice")
            variables[variable.name] = variable
        elif lexer.accept("probability"):
            tables.append(_probability(lexer, variables, where))
        else:
            raise lexer.unexpected("'node' or 'probability'")
    record = TabularRecord(tuple(variables.values()), tuple(tables))
    return check_tables(apply_notes(record, find_notes(text, "//")))


def write_dsc(record: TabularRecord) -> str:
    """Write DSC."""
    spelling = Spelling(record, plain_words)
    parts = ['belief network "ldag"\n', *(f"// {line}\n" for line in write_notes(record, spelling))]
    for name, states in spelling.states.items():
        listed = ", ".join(f'"{state}"' for state in states)
        parts.append(f"node {spelling.names[name]} {{\n  type : discrete [ {len(states)} ] = {{ {listed} }};\n}}\n")
    for table in record.tables:
        rows = [", ".join(map(repr, row)) for row in table.values.tolist()]
        given = ", ".join(spelling.names[parent] for parent in table.parents)
        if not given:
            parts.append(f"probability ( {spelling.names[table.node]} ) {{\n   {rows[0]};\n}}\n")
            continue
        cells = product(*(range(len(spelling.states[parent])) for parent in table.parents))
        body = "".join(f"  ({', '.join(map(str, cell))}) : {row};\n" for cell, row in zip(cells, rows, strict=True))
        parts.append(f"probability ( {spelling.names[table.node]} | {given} ) {{\n{body}}}\n")
    return "".join(parts)


def _node(lexer: Lexer, where: str) -> VariableRecord:
    name = lexer.name("a node's name")
    states: tuple[str, ...] = ()
    lexer.expect("{")
    while not lexer.accept("}"):
        if lexer.name("a field's name") != "type":
            lexer.skip_block()
            continue
        lexer.accept(":")
        lexer.expect("discrete")
        lexer.expect("[")
        announced = lexer.name("the number of states")
        lexer.expect("]")
        lexer.expect("=")
        lexer.expect("{")
        states = lexer.names("a state", "}")
        lexer.accept(";")
        if announced != str(len(states)):
            raise FormatError(f"{where}variable {name!r} announces {announced} states and has {len(states)}")
    if not states:
        raise FormatError(f"{where}the node {name!r} has no states")
    return VariableRecord(name, states, where)


def _probability(lexer: Lexer, variables: dict[str, VariableRecord], where: str) -> CptRecord:
    lexer.expect("(")
    node = lexer.name("a node's name")
    lexer.accept("|")
    parents = lexer.names("a parent's name", ")")
    empty = CptRecord(node, parents, np.zeros((0, 0)), where)
    if node not in variables:
        raise FormatError(f"{where}no variable {node!r}{suggest(node, variables)}")
    sizes = [len(variables[parent].states or ()) for parent in check_parents(empty, variables)]
    n_states = len(variables[node].states or ())
    lexer.expect("{")
    rows: dict[int, NumberRow] = {}
    while not lexer.accept("}"):
        place = lexer.where
        cell = 0
        if lexer.accept("("):
            cell = _cell(lexer.names("the number of a state", ")"), sizes, place)
            lexer.expect(":")
        elif parents:
            raise lexer.unexpected("'(' and the numbers of the parents' states")
        row = lexer.numbers(";")
        if len(row) != n_states or cell in rows:
            what = "is given twice" if cell in rows else f"needs {n_states} probabilities, got {len(row)}"
            raise FormatError(f"{place}a row of {node!r} {what}")
        rows[cell] = row
    check_size(prod(sizes), n_states, node, where)
    if len(rows) != prod(sizes):
        raise FormatError(f"{where}{node!r} needs {prod(sizes):,} rows, got {len(rows):,}")
    return CptRecord(node, parents, np.array([rows[cell] for cell in range(len(rows))]), where)


def _cell(numbers: tuple[str, ...], sizes: list[int], where: str) -> int:
    if len(numbers) != len(sizes):
        raise FormatError(f"{where}expected the states of {len(sizes)} parents, got {len(numbers)}")
    cell = 0
    for number, size in zip(numbers, sizes, strict=True):
        code = int(number) if number.isascii() and number.isdigit() and len(number) < 10 else size
        if code >= size:
            raise FormatError(f"{where}expected the number of a state, below {size}, got {shown(number)}")
        cell = cell * size + code
    return cell


FORMAT = Format(
    name="dsc",
    title="DSC",
    endings=(".dsc",),
    used_by="Netica, bnlearn",
    carries=Carries(labels="in comments", probabilities="yes"),
    read=read_dsc,
    write_tables=write_dsc,
)
