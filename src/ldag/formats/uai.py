"""UAI: the numbers of a network and nothing else; variables become x0, x1, ... and states 0, 1, ...

Known trap: the last parent changes fastest here, as the format says; pyAgrum reads and writes the first one fastest.
"""

from bisect import bisect_left
from itertools import accumulate
from math import prod

import numpy as np

from ldag.errors import FormatError
from ldag.formats.lexer import read_numbers
from ldag.formats.record import Carries, CptRecord, Format, TabularRecord, VariableRecord
from ldag.formats.record_checks import check_size, check_tables, shorten

MAX_STATES = 1 << 16
"""States of a variable; a file announces them without naming any."""


def read_uai(text: str) -> TabularRecord:
    """Read a Bayesian network; the last variable of a function is the node, those before it are its parents."""
    words = _Words(text)
    kind = words.take("BAYES")
    if kind != "BAYES":
        hint = "; a Markov network has no conditional tables" if kind == "MARKOV" else ""
        raise FormatError(f"{words.where}expected BAYES, got {shorten(kind)}{hint}")
    sizes = words.wholes(words.whole("the number of variables"), "a number of states")
    for size in sizes:
        if not 1 <= size <= MAX_STATES:
            raise FormatError(f"{words.where}expected 1 to {MAX_STATES:,} states, got {size:,}")
    variables = tuple(VariableRecord(f"x{node}", tuple(range(size))) for node, size in enumerate(sizes))
    n_tables = words.whole("the number of functions")
    if n_tables != len(sizes):
        raise FormatError(f"{words.where}expected a function for each of {len(sizes)} variables, got {n_tables}")
    scopes = []
    for _ in range(n_tables):
        scope = words.wholes(words.whole("the size of a function"), "a variable's number")
        if not scope or max(scope) >= len(sizes):
            raise FormatError(f"{words.where}expected numbers of variables below {len(sizes)}, got {shorten(scope)}")
        scopes.append(scope)
    tables = tuple(_table(words, scope, sizes) for scope in scopes)
    if not words.is_at_end:
        raise FormatError(f"{words.where}expected the end of the file, got {shorten(words.take(''))}")
    return check_tables(TabularRecord(variables, tables))


def write_uai(record: TabularRecord) -> str:
    """Write UAI: variables and states by number."""
    node = {variable.name: number for number, variable in enumerate(record.variables)}
    scopes = [[*(node[parent] for parent in table.parents), node[table.node]] for table in record.tables]
    lines = ["BAYES", str(len(node)), " ".join(str(len(v.states or ())) for v in record.variables), str(len(scopes))]
    lines += [" ".join(map(str, [len(scope), *scope])) for scope in scopes]
    for table in record.tables:
        rows = "\n".join(f" {' '.join(map(_decimal, row))}" for row in table.values.tolist())
        lines.append(f"\n{table.values.size}\n{rows}")
    return "\n".join([*lines, ""])


def _decimal(number: float) -> str:
    """Return a number to its last digit, without the exponent that pgmpy cannot read here."""
    text = repr(number)
    return np.format_float_positional(number, unique=True, trim="0") if "e" in text else text


class _Words:
    """The words of the text, and how far they have been read."""

    def __init__(self, text: str) -> None:
        lines = [line.partition("#")[0].split() for line in text.splitlines()]
        self._words = [word for line in lines for word in line]
        self._ends = list(accumulate(map(len, lines)))
        self._next = 0

    @property
    def where(self) -> str:
        """The line of the last word read."""
        return f"line {min(bisect_left(self._ends, max(self._next, 1)), max(len(self._ends) - 1, 0)) + 1}: "

    @property
    def is_at_end(self) -> bool:
        return self._next >= len(self._words)

    def take(self, expected: str) -> str:
        if self.is_at_end:
            raise FormatError(f"{self.where}expected {expected}, got the end of the file")
        self._next += 1
        return self._words[self._next - 1]

    def several(self, count: int, expected: str) -> list[str]:
        """Return so many words, which the file must have."""
        if count > len(self._words) - self._next:
            left = len(self._words) - self._next
            raise FormatError(f"{self.where}expected {count:,} times {expected}, and only {left:,} words are left")
        self._next += count
        return self._words[self._next - count : self._next]

    def whole(self, expected: str) -> int:
        word = self.take(expected)
        return self._whole(word, expected)

    def wholes(self, count: int, expected: str) -> list[int]:
        return [self._whole(word, expected) for word in self.several(count, expected)]

    def _whole(self, word: str, expected: str) -> int:
        if not (word.isascii() and word.isdigit() and len(word) <= 18):
            raise FormatError(f"{self.where}expected {expected}, got {shorten(word)}")
        return int(word)


def _table(words: _Words, scope: list[int], sizes: list[int]) -> CptRecord:
    *parents, node = scope
    n_rows = prod(sizes[parent] for parent in parents)
    announced = words.whole("the size of a table")
    cells = check_size(n_rows, sizes[node], f"x{node}", words.where)
    if announced != cells:
        raise FormatError(f"{words.where}expected a table of {cells:,} numbers for x{node}, got {announced:,}")
    where = words.where
    numbers = read_numbers(words.several(announced, "a probability"), where)
    values = np.asarray(numbers).reshape(n_rows, sizes[node])
    return CptRecord(f"x{node}", tuple(f"x{parent}" for parent in parents), values, where)


FORMAT = Format(
    name="uai",
    title="UAI",
    endings=(".uai",),
    used_by="solvers of the UAI competitions, pyAgrum",
    carries=Carries(names="by number", states="by number", labels="from equal rows", latent="no", probabilities="yes"),
    read=read_uai,
    write_tables=write_uai,
)
