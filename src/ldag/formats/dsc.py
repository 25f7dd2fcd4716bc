"""DSC, the format of Microsoft's belief networks, which Netica and bnlearn know; rows are by numbers of states."""

from collections.abc import Iterable
from itertools import product

from ldag.formats.bif import BlockReader
from ldag.formats.lexer import Lexer
from ldag.formats.notes import Spelling, plain_words, write_notes
from ldag.formats.record import Carries, Format, TabularRecord, VariableRecord

_SIGNS = "{}()[];,|:="


class _DscReader(BlockReader):
    """Blocks as in BIF, but for other fields, which have no word before them, and states by number."""

    def name_states(self, variable: VariableRecord) -> Iterable[str]:
        """Return the numbers of the states."""
        return map(str, range(len(variable.states or ())))

    def skip_property(self, expected: str) -> None:
        """Step over any other field."""
        self.lexer.name(expected)
        self.lexer.skip_block()


def read_dsc(text: str) -> TabularRecord:
    """Read DSC."""
    reader = _DscReader(Lexer(text, _SIGNS), "node")
    reader.lexer.expect("belief")
    reader.lexer.expect("network")
    if reader.lexer.peek() not in {"node", "probability", ""}:
        reader.lexer.name("the network's name")
    while not reader.lexer.is_at_end:
        if not reader.reads_block():
            raise reader.lexer.unexpected("'node' or 'probability'")
    return reader.record()


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


FORMAT = Format(
    name="dsc",
    title="DSC",
    endings=(".dsc",),
    used_by="Netica, bnlearn",
    carries=Carries(labels="in comments", latent="in comments", probabilities="yes"),
    read=read_dsc,
    write_tables=write_dsc,
)
