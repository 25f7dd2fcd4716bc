"""The text form of constraints: one statement per line, ``#`` begins a comment."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ldag.errors import FormatError
from ldag.formats import Context, Edge, Scanner, spell_contexts, spell_name

EVERY = "*"
"""Stands for all other variables, in tiers and in max_parents."""

_EDGES = {"require": "required", "forbid": "forbidden", "unlabelled": "unlabelled"}
_WORDS = "require, forbid, unlabelled, label, tier, order, parents or max_parents"


@dataclass
class Statements:
    """What the statements of a text say, by the names that `Constraints` has for it."""

    required: list[Edge] = field(default_factory=list)
    forbidden: list[Edge] = field(default_factory=list)
    tiers: list[list[str]] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    allowed_parents: dict[str, list[str]] = field(default_factory=dict)
    max_parents: dict[str, int] = field(default_factory=dict)
    unlabelled: list[Edge] = field(default_factory=list)
    labels: dict[Edge, tuple[Context, ...]] = field(default_factory=dict)

    def read(self, scanner: Scanner) -> None:
        """Read one line that is not empty."""
        word = scanner.name(_WORDS)
        if word in _EDGES:
            getattr(self, _EDGES[word]).append(read_edge(scanner))
        elif word == "label":
            self._read_label(scanner)
        elif word == "tier":
            self.tiers.append(read_names(scanner, _name_or_star))
        elif word == "order":
            self.order += read_names(scanner)
        elif word == "parents":
            child = scanner.name()
            scanner.expect(":", f"':' and the allowed parents of {child!r}")
            self.allowed_parents[child] = [] if scanner.is_at_end else read_names(scanner)
        elif word == "max_parents":
            child = _name_or_star(scanner)
            limit = scanner.state()
            if isinstance(limit, bool) or not isinstance(limit, int):
                raise FormatError(f"{scanner.path}: expected a number of parents, got {limit!r}")
            self.max_parents[child] = limit
        else:
            raise FormatError(f"{scanner.path}: expected {_WORDS}, got {word!r}")
        if not scanner.is_at_end:
            raise scanner.unexpected("the end of the line")

    def _read_label(self, scanner: Scanner) -> None:
        """Read an edge and the contexts of its label, of which there may be none."""
        parent, child = edge = read_edge(scanner)
        scanner.expect(":", f"':' and the contexts in which {parent} -> {child} vanishes")
        if edge in self.labels:
            raise FormatError(
                f"{scanner.path}: the label of {parent} -> {child} is given twice; use ';' between contexts"
            )
        self.labels[edge] = () if scanner.is_at_end else scanner.contexts()
        if scanner.starred:
            name = min(scanner.starred)
            raise FormatError(f"{scanner.path}: leave out {name}=*; a parent that is not named may have any state")


def read_statements(text: str) -> Statements:
    """Read a text."""
    statements = Statements()
    for number, line in enumerate(text.splitlines(), start=1):
        scanner = Scanner(line, f"line {number}")
        if not scanner.is_at_end:
            statements.read(scanner)
    return statements


def write_statements(statements: Statements) -> str:
    """Write the text that reads back as the same."""
    lines = [f"tier {_spell_names(tier, _spell_name_or_star)}" for tier in statements.tiers if tier]
    lines += [f"order {_spell_names(statements.order)}"] if statements.order else []
    for word, name in _EDGES.items():
        lines += [f"{word} {_spell_edge(edge)}" for edge in getattr(statements, name)]
    lines += [f"label {_spell_edge(edge)} : {spell_contexts(label)}" for edge, label in statements.labels.items()]
    lines += [f"parents {spell_name(n)} : {_spell_names(names)}" for n, names in statements.allowed_parents.items()]
    lines += [f"max_parents {_spell_name_or_star(name)} {limit}" for name, limit in statements.max_parents.items()]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def read_edge(scanner: Scanner) -> Edge:
    """Read an edge, written either way: ``a -> b`` or ``b <- a``."""
    first = scanner.name()
    if scanner.accept("<-"):
        return scanner.name(), first
    scanner.expect("->", "'->' or '<-'")
    return first, scanner.name()


def read_names(scanner: Scanner, read: Callable[[Scanner], str] = Scanner.name) -> list[str]:
    """Read names separated by commas."""
    names = [read(scanner)]
    while scanner.accept(","):
        names.append(read(scanner))
    return names


def _name_or_star(scanner: Scanner) -> str:
    """Read a name, or a star, which stands for all variables that are not named."""
    return EVERY if scanner.accept(EVERY) else scanner.name("a variable's name or *")


def _spell_names(names: Iterable[str], spell: Callable[[str], str] = spell_name) -> str:
    return ", ".join(map(spell, names))


def _spell_name_or_star(name: str) -> str:
    return name if name == EVERY else spell_name(name)


def _spell_edge(edge: Edge) -> str:
    return f"{spell_name(edge[0])} -> {spell_name(edge[1])}"
