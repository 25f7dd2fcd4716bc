"""What a learned graph must and must not have: `Constraints`, in names, and their text form.

In a text there is one statement per line, and ``#`` begins a comment.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import cast

from ldag.checks import check_whole, is_whole
from ldag.errors import ArgumentError, FormatError
from ldag.formats import Context, Edge, Scanner, read_utf8, spell_contexts, spell_name
from ldag.hook import Printable


@dataclass(frozen=True, repr=False)
class Constraints(Printable):
    """Constraints on the edges of a graph and their labels; edges are pairs (parent, child).

    Parameters
    ----------
    required, forbidden
        Edges that must, or must not, be there.
    tiers
        Groups of variables: no edge points from a later tier to an earlier one. Variables in no tier are free; "*" in
        a tier stands for all of them.
    order
        Variables in an order that edges follow; variables that are not named are free.
    allowed_parents
        For some variables, the only ones that may be their parents.
    max_parents
        For some variables, how many parents they may have; a number alone (or "*") is for all others. Where `learn` has
        a limit as well, the smaller holds.
    unlabelled
        Edges that, if they are there, carry no label.
    labels
        For some edges, the contexts in which they vanish, as in `LDAG.from_edges`: no more and no less. The edge, and
        those from the variables that its contexts name, are then required; the other parents may have any state.

    Examples
    --------
    >>> Constraints(forbidden=[("income", "age")], tiers=[["age", "sex"], ["income"]]).tiers
    (('age', 'sex'), ('income',))
    >>> Constraints(labels={("smoking", "pressure"): [{"protein": ">3"}]}).labels
    {('smoking', 'pressure'): ({'protein': '>3'},)}
    """

    required: Iterable[Edge] = ()
    forbidden: Iterable[Edge] = ()
    tiers: Iterable[Iterable[str]] = ()
    order: Iterable[str] = ()
    allowed_parents: Mapping[str, Iterable[str]] = field(default_factory=dict)
    max_parents: Mapping[str, int] | int = field(default_factory=dict)
    unlabelled: Iterable[Edge] = ()
    labels: Mapping[Edge, Iterable[Context]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        set_field = object.__setattr__
        for name in ("required", "forbidden", "unlabelled"):
            set_field(self, name, tuple(_pair(edge, name) for edge in _several(getattr(self, name), name)))
        set_field(self, "tiers", tuple(_several(tier, "a tier") for tier in _several(self.tiers, "tiers")))
        set_field(self, "order", _several(self.order, "order"))
        if is_whole(self.max_parents):
            set_field(self, "max_parents", {EVERY: check_max_parents(cast("int", self.max_parents))})
        for name, keys in (("allowed_parents", "variables"), ("max_parents", "variables"), ("labels", "edges")):
            if not isinstance(getattr(self, name), Mapping):
                raise ArgumentError(f"{name} must be a mapping from {keys}, got {getattr(self, name)!r}")
        allowed = {node: _several(names, "allowed_parents") for node, names in self.allowed_parents.items()}
        set_field(self, "allowed_parents", allowed)
        labels = {_pair(edge, "labels"): _several(given, "a label") for edge, given in self.labels.items()}
        set_field(self, "labels", labels)
        for node, limit in cast("Mapping[str, int]", self.max_parents).items():
            check_max_parents(limit, f"max_parents of {node!r}")

    def __str__(self) -> str:
        return self.to_text() or "no constraints"

    def __repr__(self) -> str:
        given = {f.name: getattr(self, f.name) for f in fields(self)}
        return f"Constraints({', '.join(f'{name}={value!r}' for name, value in given.items() if value)})"

    @classmethod
    def from_text(cls, text: str) -> "Constraints":
        """Read constraints, one per line.

        Examples
        --------
        >>> Constraints.from_text('''
        ... tier age, sex              # no edge points to an earlier tier
        ... tier *                     # all others
        ... require sex -> income
        ... forbid income -> age
        ... parents income : age, sex
        ... max_parents income 2
        ... unlabelled age -> income
        ... label sex -> income : age=old
        ... ''').max_parents
        {'income': 2}
        """
        return cls(**vars(read_statements(text)))

    def to_text(self) -> str:
        """Return the text that `from_text` reads."""
        return write_statements(Statements(**vars(self)))

    @classmethod
    def load(cls, path: str | Path) -> "Constraints":
        """Read a file of constraints."""
        text = read_utf8(Path(path))
        try:
            return cls.from_text(text)
        except FormatError as error:
            raise FormatError(f"{path}: {error}") from None

    def with_(
        self, *, required: Iterable[Edge] = (), forbidden: Iterable[Edge] = (), unlabelled: Iterable[Edge] = ()
    ) -> "Constraints":
        """Return these constraints with more edges."""
        return replace(
            self,
            required=(*self.required, *required),
            forbidden=(*self.forbidden, *forbidden),
            unlabelled=(*self.unlabelled, *unlabelled),
        )


def check_max_parents(limit: int, what: str = "max_parents") -> int:
    """Check a number of parents."""
    return check_whole(limit, what, 0)


def _several(value: object, what: str) -> tuple[object, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ArgumentError(f"{what} must be a list, got {value!r}")
    return tuple(value)


def _pair(edge: object, what: str) -> Edge:
    if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) != 2:
        raise ArgumentError(f"{what}: an edge is a pair (parent, child), got {edge!r}")
    return str(edge[0]), str(edge[1])


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
