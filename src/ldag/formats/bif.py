"""BIF, the interchange format of most programs and of the public collections of networks.

Known traps, all avoided when writing: pyAgrum stops at ``property`` lines and reads numbers with 32 bits, pgmpy cannot
read ``default`` rows, and neither reads names with odd characters; what they cannot read is kept in comments.
"""

import re
from collections.abc import Iterable
from math import prod

import numpy as np
from numpy.typing import NDArray

from ldag.errors import FormatError, suggest
from ldag.formats.lexer import Lexer, NumberRow, read_numbers
from ldag.formats.notes import Spelling, apply_notes, find_notes, plain_words, write_notes
from ldag.formats.record import Carries, CptRecord, Format, TabularRecord, VariableRecord
from ldag.formats.record_checks import check_parents, check_size, check_tables, shape_table

_SIGNS = "{}()[];,|"
_NUMBER = re.compile(r"[-+.\d]")
_ROW = re.compile(r"\s*\(([^()\";/]*)\)\s*:?\s*([^;\"/]*);")


def read_bif(text: str) -> TabularRecord:
    """Read BIF, version 0.15, with what programs made of it."""
    reader = BlockReader(Lexer(text, _SIGNS), "variable")
    while not reader.lexer.is_at_end:
        if reader.lexer.accept("network"):
            reader.name = reader.lexer.name("the network's name")
            reader.lexer.expect("{")
            while not reader.lexer.accept("}"):
                reader.skip_property("'property' or '}'")
        elif not reader.reads_block():
            raise reader.lexer.unexpected("'network', 'variable' or 'probability'")
    return reader.record()


def write_bif(record: TabularRecord) -> str:
    """Write BIF that pgmpy, pyAgrum and bnlearn read."""
    spelling = Spelling(record, plain_words)
    parts = ["network unknown {\n}\n", *(f"// {line}\n" for line in write_notes(record, spelling))]
    for name, states in spelling.states.items():
        listed = ", ".join(states)
        parts.append(f"variable {spelling.names[name]} {{\n  type discrete [ {len(states)} ] {{ {listed} }};\n}}\n")
    parts += [_table(table, spelling) for table in record.tables]
    return "".join(parts)


def _table(table: CptRecord, spelling: Spelling) -> str:
    node = spelling.names[table.node]
    rows = [", ".join(map(repr, row)) for row in table.values.tolist()]
    if not table.parents:
        return f"probability ( {node} ) {{\n  table {rows[0]};\n}}\n"
    given = ", ".join(spelling.names[parent] for parent in table.parents)
    heads = [""]
    for parent in table.parents:
        heads = [f"{head}, {state}" if head else state for head in heads for state in spelling.states[parent]]
    body = "".join(f"  ({head}) {row};\n" for head, row in zip(heads, rows, strict=True))
    return f"probability ( {node} | {given} ) {{\n{body}}}\n"


class BlockReader:
    """The blocks of a BIF file, or of one like it, that were read so far: variables with states, and their tables.

    ``word`` begins the block of a variable.
    """

    def __init__(self, lexer: Lexer, word: str) -> None:
        self.lexer, self.word = lexer, word
        self.name = ""
        self.variables: dict[str, VariableRecord] = {}
        self.tables: list[CptRecord] = []

    def record(self) -> TabularRecord:
        """Return everything as a network."""
        record = TabularRecord(tuple(self.variables.values()), tuple(self.tables), name=self.name)
        return check_tables(apply_notes(record, find_notes(self.lexer.text, "//")))

    def reads_block(self) -> bool:
        """Read the block of a variable or of a table, if that is what comes."""
        where = self.lexer.where
        if self.lexer.accept(self.word):
            self._variable(where)
        elif self.lexer.accept("probability"):
            self._probability(where)
        else:
            return False
        return True

    def name_states(self, variable: VariableRecord) -> Iterable[str]:
        """Return what rows call the states of a variable."""
        return map(str, variable.states or ())

    def skip_property(self, expected: str) -> None:
        """Step over a property, which must come."""
        if not self.lexer.accept("property"):
            raise self.lexer.unexpected(expected)
        self.lexer.skip_until(";")

    def _variable(self, where: str) -> None:
        lexer = self.lexer
        name = lexer.name("a variable's name")
        if name in self.variables:
            raise FormatError(f"{where}variable {name!r} is given twice")
        lexer.expect("{")
        states: tuple[str, ...] | None = None
        while not lexer.accept("}"):
            if not lexer.accept("type"):
                self.skip_property("'type', 'property' or '}'")
                continue
            lexer.accept(":")
            lexer.expect("discrete")
            lexer.expect("[")
            announced = lexer.name("the number of states")
            lexer.expect("]")
            lexer.accept("=")
            lexer.expect("{")
            states = lexer.names("a state", "}")
            lexer.expect(";")
            if announced != str(len(states)):
                raise FormatError(f"{where}variable {name!r} announces {announced} states and has {len(states)}")
        if states is None:
            raise FormatError(
                f"{where}variable {name!r} has no states; expected a line such as type discrete [ 2 ] ..."
            )
        self.variables[name] = VariableRecord(name, states, where)

    def _probability(self, where: str) -> None:
        lexer = self.lexer
        lexer.expect("(")
        node = lexer.name("a variable's name")
        if not lexer.accept("|"):
            lexer.accept(",")  # some programs write no bar
        parents = lexer.names("a parent's name", ")")
        lexer.expect("{")
        table = CptRecord(node, parents, np.zeros((0, 0)), where)
        if node not in self.variables:
            raise FormatError(f"{where}no variable {node!r}{suggest(node, self.variables)}")
        codes = [
            {word: code for code, word in enumerate(self.name_states(self.variables[name]))}
            for name in check_parents(table, self.variables)
        ]
        values, cells = _Rows(lexer, node, len(self.variables[node].states or ()), codes, where).read()
        self.tables.append(CptRecord(node, parents, values, where, cells))


class _Rows:
    """The body of a probability block."""

    def __init__(self, lexer: Lexer, node: str, n_states: int, codes: list[dict[str, int]], where: str) -> None:
        self.lexer, self.node, self.n_states, self.codes, self.where = lexer, node, n_states, codes, where
        self.n_rows = prod(map(len, codes))
        self.cells: list[int] = []
        self.rows: list[NumberRow] = []
        self.table: NumberRow | None = None
        self.default: NumberRow | None = None

    def read(self) -> tuple[NumberRow, NDArray[np.int64] | None]:
        """Return the table, a row per configuration; or some of them, the default row last, and their numbers."""
        lexer = self.lexer
        while True:
            self._fast_rows()
            if lexer.accept("}"):
                return self._assemble()
            if lexer.peek() == "(":
                where = lexer.where
                lexer.take()
                self.cells.append(self._cell(lexer.names("a parent's state", ")"), where))
                lexer.accept(":")
                self.rows.append(self._row(lexer.numbers(";"), where))
            elif lexer.accept("table") or (not self.codes and _NUMBER.match(lexer.peek())):
                self.table = lexer.numbers(";")
            elif lexer.accept("default"):
                self.default = self._row(lexer.numbers(";"), lexer.where)
            elif lexer.accept("property"):
                lexer.skip_until(";")
            else:
                raise lexer.unexpected("'table', 'default', '(', 'property' or '}'")

    def _fast_rows(self) -> None:
        """Read rows that are written in the ordinary way."""
        text, lexer = self.lexer.text, self.lexer
        while match := _ROW.match(text, lexer.position):
            states = [state.strip() for state in match[1].split(",")]
            words = match[2].replace(",", " ").split()
            try:
                row = np.array([float(word) for word in words])
                cell = 0
                for code, state in zip(self.codes, states, strict=True):
                    cell = cell * len(code) + code[state]
            except (ValueError, KeyError):
                cell, row = self._cell(tuple(states), lexer.where), read_numbers(words, lexer.where)
            self.rows.append(row if len(row) == self.n_states else self._row(row, lexer.where))
            self.cells.append(cell)
            lexer.position = match.end()

    def _cell(self, states: tuple[str, ...], where: str) -> int:
        if len(states) != len(self.codes):
            raise FormatError(f"{where}expected the states of {len(self.codes)} parents, got {len(states)}")
        cell = 0
        for code, state in zip(self.codes, states, strict=True):
            if state not in code:
                raise FormatError(f"{where}no state {state!r}{suggest(state, code)}")
            cell = cell * len(code) + code[state]
        return cell

    def _row(self, numbers: NumberRow, where: str) -> NumberRow:
        if len(numbers) != self.n_states:
            raise FormatError(f"{where}expected {self.n_states} probabilities of {self.node!r}, got {len(numbers)}")
        return numbers

    def _assemble(self) -> tuple[NumberRow, NDArray[np.int64] | None]:
        check_size(self.n_rows, self.n_states, self.node, self.where)
        if self.table is not None:
            if self.rows or self.default is not None:
                raise FormatError(f"{self.where}the table of {self.node!r} is given whole and by rows")
            shape_table(self.table, self.n_rows, self.n_states, self.node, self.where)
            return self.table.reshape(self.n_states, self.n_rows).T.copy(), None  # the node's own states change slowest
        if len(set(self.cells)) < len(self.cells):
            raise FormatError(f"{self.where}a row of {self.node!r} is given twice")
        if len(self.cells) < self.n_rows and self.default is None:
            raise FormatError(f"{self.where}{self.node!r} needs {self.n_rows:,} rows, got {len(self.cells):,}")
        if len(self.cells) < self.n_rows:
            return np.array([*self.rows, self.default]), np.array(self.cells, dtype=np.int64)
        values = np.empty((self.n_rows, self.n_states))
        values[self.cells] = self.rows
        return values, None


FORMAT = Format(
    name="bif",
    title="BIF",
    endings=(".bif",),
    used_by="pgmpy, pyAgrum, bnlearn",
    carries=Carries(labels="in comments", latent="in comments", probabilities="yes"),
    read=read_bif,
    write_tables=write_bif,
)
