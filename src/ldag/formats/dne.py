"""Netica DNE: discrete nature nodes, by probabilities or by a function; other kinds of nodes are refused."""

import re

from ldag.errors import FormatError, suggest
from ldag.formats.lexer import Lexer, NumberRow
from ldag.formats.net import nest_rows
from ldag.formats.notes import Spelling, find_notes, finish_tables, plain_identifiers, write_notes
from ldag.formats.record import Carries, CptRecord, Format, TabularRecord, VariableRecord
from ldag.formats.record_checks import certain_rows

_SIGNS = "{}();,="
_BRACKETS = re.compile(r"[(),]")


def read_dne(text: str) -> TabularRecord:
    """Read DNE."""
    lexer = Lexer(text, _SIGNS)
    lexer.expect("bnet")
    lexer.name("the network's name")
    lexer.expect("{")
    variables: list[VariableRecord] = []
    tables: list[CptRecord] = []
    while not lexer.accept("}"):
        where = lexer.where
        if lexer.accept("node"):
            variable, table = _Node(lexer, where).read()
            variables.append(variable)
            tables.append(table)
        else:
            lexer.name("'node' or a field's name")
            lexer.skip_block()
        lexer.accept(";")
    lexer.accept(";")
    lexer.expect_end("the end of the file")
    return finish_tables(variables, tables, find_notes(text, "//"))


def write_dne(record: TabularRecord) -> str:
    """Write DNE."""
    spelling = Spelling(record, plain_identifiers)
    parts = ["// ~->[DNET-1]->~\n\nbnet ldag {\n", *(f"// {line}\n" for line in write_notes(record, spelling))]
    for table in record.tables:
        states = spelling.states[table.node]
        parents = ", ".join(spelling.names[parent] for parent in table.parents)
        rows = [f"({', '.join(map(repr, row))})" for row in table.values.tolist()]
        probs = "\n    ".join(nest_rows(rows, [len(spelling.states[parent]) for parent in table.parents], ","))
        parts.append(
            f"\nnode {spelling.names[table.node]} {{\n  kind = NATURE;\n  discrete = TRUE;\n  chance = CHANCE;\n"
            f"  states = ({', '.join(states)});\n  parents = ({parents});\n  probs =\n    {probs};\n}};\n"
        )
    return "".join([*parts, "};\n"])


class _Node:
    """One node and its fields."""

    def __init__(self, lexer: Lexer, where: str) -> None:
        self.lexer, self.where = lexer, where
        self.name = lexer.name("a node's name")
        self.states: tuple[str, ...] = ()
        self.levels: tuple[str, ...] = ()
        self.parents: tuple[str, ...] = ()
        self.numbers: NumberRow | None = None
        self.chosen: list[str] | None = None

    def read(self) -> tuple[VariableRecord, CptRecord]:
        """Read up to the closing brace."""
        lexer = self.lexer
        lexer.expect("{")
        while not lexer.accept("}"):
            self._field(lexer.name("a field's name"))
            lexer.accept(";")
        states = self.states or tuple(f"{a} to {b}" for a, b in zip(self.levels, self.levels[1:], strict=False))
        if not states:
            raise FormatError(f"{self.where}the node {self.name!r} has no states")
        return VariableRecord(self.name, states, self.where), self._table(states)

    def _field(self, field: str) -> None:
        lexer = self.lexer
        if field in {"states", "levels", "parents"}:
            lexer.expect("=")
            lexer.expect("(")
            setattr(self, field, lexer.names("a name", ")"))
            lexer.expect(";")
        elif field == "probs":
            lexer.expect("=")
            self.numbers = lexer.numbers(";", dropped="(),")
        elif field == "functable":
            lexer.expect("=")
            self.chosen = []
            while not lexer.accept(";"):
                token = lexer.name("a state") if lexer.peek() not in {"(", ")", ","} else lexer.take()
                self.chosen += [] if _BRACKETS.fullmatch(token) else [token]
        elif field == "kind":
            lexer.expect("=")
            kind = lexer.name("the kind of the node")
            if kind != "NATURE":
                raise FormatError(f"{self.where}expected a node of kind NATURE, got {kind}; it is not supported")
            lexer.expect(";")
        else:
            lexer.skip_block()

    def _table(self, states: tuple[str, ...]) -> CptRecord:
        if self.numbers is None and self.chosen is None:
            raise FormatError(f"{self.where}the node {self.name!r} has neither probs nor functable")
        if self.numbers is not None:
            return CptRecord(self.name, self.parents, self.numbers, self.where)
        codes = {state: code for code, state in enumerate(states)} | {f"#{code}": code for code in range(len(states))}
        for state in self.chosen or ():
            if state not in codes:
                raise FormatError(f"{self.where}no state {state!r}{suggest(state, states)}")
        rows = certain_rows([codes[state] for state in self.chosen or ()], len(states), self.name, self.where)
        return CptRecord(self.name, self.parents, rows, self.where)


FORMAT = Format(
    name="dne",
    title="DNE",
    endings=(".dne",),
    used_by="Netica",
    carries=Carries(labels="in comments", latent="in comments", probabilities="yes"),
    read=read_dne,
    write_tables=write_dne,
)
