"""Hugin NET: discrete chance nodes and their potentials; other kinds of nodes are refused."""

from math import prod

from ldag.errors import FormatError
from ldag.formats.lexer import Lexer
from ldag.formats.notes import Spelling, find_notes, finish_tables, plain_words, write_notes
from ldag.formats.record import Carries, CptRecord, Format, TabularRecord, VariableRecord

_SIGNS = "{}();=|"


def read_net(text: str) -> TabularRecord:
    """Read NET."""
    lexer = Lexer(text, _SIGNS, percent=True)
    variables: list[VariableRecord] = []
    tables: list[CptRecord] = []
    is_class = False
    while not lexer.is_at_end:
        where = lexer.where
        token = lexer.peek()
        if token in {"net", "class"}:
            lexer.take()
            if token == "class":  # an object-oriented network wraps everything
                lexer.name("the class's name")
                is_class = True
                lexer.expect("{")
            else:
                lexer.expect("{")
                _skip_fields(lexer)
        elif token in {"node", "discrete"}:
            variables.append(_node(lexer, where))
        elif token == "potential":
            tables.append(_potential(lexer, where))
        elif is_class and token == "}":
            lexer.take()
            is_class = False
        elif is_class and token not in {"utility", "decision", "continuous", "function"}:
            lexer.skip_block()
        else:
            raise lexer.unexpected("'net', 'node' or 'potential' (other kinds of nodes are not supported)")
    return finish_tables(variables, tables, find_notes(text, "%"))


def write_net(record: TabularRecord) -> str:
    """Write NET."""
    spelling = Spelling(record, plain_words)
    parts = ["net\n{\n}\n", *(f"% {line}\n" for line in write_notes(record, spelling))]
    for name, states in spelling.states.items():
        listed = " ".join(f'"{state}"' for state in states)
        parts.append(f"node {spelling.names[name]}\n{{\n  states = ({listed});\n}}\n")
    for table in record.tables:
        given = "".join(f" {spelling.names[parent]}" for parent in table.parents)
        bar = f" |{given}" if given else ""
        rows = [f"({' '.join(map(repr, row))})" for row in table.values.tolist()]
        data = "\n    ".join(nest_rows(rows, [len(spelling.states[parent]) for parent in table.parents]))
        parts.append(f"potential ({spelling.names[table.node]}{bar})\n{{\n  data = {data};\n}}\n")
    return "".join(parts)


def nest_rows(rows: list[str], sizes: list[int], comma: str = "") -> list[str]:
    """Put brackets around the rows of every parent's states, the last parent's innermost."""
    lengths = [prod(sizes[place:]) for place in range(len(sizes))]
    bracketed = []
    for number, row in enumerate(rows):
        before = "(" * sum(number % length == 0 for length in lengths)
        after = ")" * sum((number + 1) % length == 0 for length in lengths)
        bracketed.append(f"{before}{row}{after}{comma if number + 1 < len(rows) else ''}")
    return bracketed


def _skip_fields(lexer: Lexer) -> None:
    """Step over ``name = value;`` up to the closing brace."""
    while not lexer.accept("}"):
        lexer.name("a field's name")
        lexer.skip_block()


def _node(lexer: Lexer, where: str) -> VariableRecord:
    lexer.accept("discrete")
    lexer.expect("node")
    name = lexer.name("a node's name")
    states: tuple[str, ...] = ()
    lexer.expect("{")
    while not lexer.accept("}"):
        if lexer.name("a field's name") == "states":
            lexer.expect("=")
            lexer.expect("(")
            states = lexer.names("a state", ")")
            lexer.expect(";")
        else:
            lexer.skip_block()
    if not states:
        raise FormatError(f"{where}the node {name!r} has no states")
    return VariableRecord(name, states, where)


def _potential(lexer: Lexer, where: str) -> CptRecord:
    lexer.take()
    lexer.expect("(")
    node = lexer.name("a node's name")
    if not lexer.accept("|") and lexer.peek() != ")":
        raise FormatError(f"{where}expected a potential of one node given others, got one of several nodes")
    parents = lexer.names("a parent's name", ")")
    numbers = None
    lexer.expect("{")
    while not lexer.accept("}"):
        if lexer.name("a field's name") == "data":
            lexer.expect("=")
            numbers = lexer.numbers(";", dropped="(),")
        else:
            lexer.skip_block()
    if numbers is None:
        raise FormatError(f"{where}the potential of {node!r} has no data")
    return CptRecord(node, parents, numbers, where)


FORMAT = Format(
    name="net",
    title="NET",
    endings=(".net",),
    used_by="Hugin, pyAgrum, bnlearn",
    carries=Carries(labels="in comments", latent="in comments", probabilities="yes"),
    read=read_net,
    write_tables=write_net,
)
