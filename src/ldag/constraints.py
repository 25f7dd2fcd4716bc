"""What a learned graph must and must not have: `Constraints`, in names, and the search space they leave."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ldag.errors import ArgumentError, FormatError
from ldag.formats.files import read_utf8
from ldag.formats.scan import Scanner
from ldag.structure import find_cycle
from ldag.variables import Schema

Edge = tuple[str, str]


@dataclass(frozen=True)
class Constraints:
    """Constraints on the edges of a graph; edges are pairs (parent, child).

    Parameters
    ----------
    required, forbidden
        Edges that must, or must not, be there.
    tiers
        Groups of variables: no edge points from a later tier to an earlier one. Variables in no tier are free.
    order
        Variables in an order that edges follow; variables that are not named are free.
    allowed_parents
        For some variables, the only ones that may be their parents.
    max_parents
        For some variables, how many parents they may have.

    Examples
    --------
    >>> Constraints(forbidden=[("income", "age")], tiers=[["age", "sex"], ["income"]]).tiers
    (('age', 'sex'), ('income',))
    """

    required: Iterable[Edge] = ()
    forbidden: Iterable[Edge] = ()
    tiers: Iterable[Iterable[str]] = ()
    order: Iterable[str] = ()
    allowed_parents: Mapping[str, Iterable[str]] = field(default_factory=dict)
    max_parents: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        set_field = object.__setattr__
        set_field(self, "required", tuple(_pair(edge, "required") for edge in _several(self.required, "required")))
        set_field(self, "forbidden", tuple(_pair(edge, "forbidden") for edge in _several(self.forbidden, "forbidden")))
        set_field(self, "tiers", tuple(_several(tier, "a tier") for tier in _several(self.tiers, "tiers")))
        set_field(self, "order", _several(self.order, "order"))
        for name in ("allowed_parents", "max_parents"):
            if not isinstance(getattr(self, name), Mapping):
                raise ArgumentError(f"{name} must be a mapping from variables, got {getattr(self, name)!r}")
        allowed = {node: _several(names, "allowed_parents") for node, names in self.allowed_parents.items()}
        set_field(self, "allowed_parents", allowed)
        for node, limit in self.max_parents.items():
            check_max_parents(limit, f"max_parents of {node!r}")

    @classmethod
    def from_text(cls, text: str) -> "Constraints":
        """Read constraints, one per line.

        Examples
        --------
        >>> Constraints.from_text('''
        ... tier age, sex              # no edge points to an earlier tier
        ... tier income
        ... require sex -> income
        ... forbid income -> age
        ... parents income : age, sex
        ... max_parents income 2
        ... ''').max_parents
        {'income': 2}
        """
        reader = _Reader()
        for number, line in enumerate(text.splitlines(), start=1):
            scanner = Scanner(line, f"line {number}")
            if not scanner.at_end:
                reader.statement(scanner)
        return cls(
            reader.required, reader.forbidden, reader.tiers, reader.order, reader.allowed_parents, reader.max_parents
        )

    @classmethod
    def load(cls, path: str | Path) -> "Constraints":
        """Read a file of constraints."""
        try:
            return cls.from_text(read_utf8(Path(path)))
        except FormatError as error:
            raise FormatError(f"{path}: {error}") from None

    def with_(self, *, required: Iterable[Edge] = (), forbidden: Iterable[Edge] = ()) -> "Constraints":
        """Return these constraints with more edges."""
        return Constraints(
            (*self.required, *required),
            (*self.forbidden, *forbidden),
            self.tiers,
            self.order,
            self.allowed_parents,
            self.max_parents,
        )


@dataclass(frozen=True)
class SearchSpace:
    """The same by node numbers: for each node the parents it may have, must have, and how many."""

    candidates: tuple[tuple[int, ...], ...]
    required: tuple[tuple[int, ...], ...]
    max_parents: tuple[int, ...]


def search_space(schema: Schema, constraints: Constraints, max_parents: int | None) -> SearchSpace:
    """Return the space that constraints leave; contradictions are found here, and explained."""
    n = len(schema)
    forbidden = _forbidden(schema, constraints)
    required: list[set[int]] = [set() for _ in range(n)]
    for parent, child in constraints.required:
        i, j = schema.node(parent, "required: "), schema.node(child, "required: ")
        reason = forbidden.get((i, j))
        if reason is not None:
            raise ArgumentError(f"the edge {parent} -> {child} is required, but {reason}")
        required[j].add(i)
    cycle = find_cycle([sorted(above) for above in required])
    if cycle is not None:
        path = " -> ".join(schema[node].name for node in cycle)
        raise ArgumentError(f"the required edges form a cycle, {path}")
    limits = _limits(schema, constraints, max_parents, required)
    backwards = {(j, i) for j, above in enumerate(required) for i in above}
    ruled_out: list[set[int]] = [{j} for j in range(n)]
    for i, j in (*forbidden, *backwards):
        ruled_out[j].add(i)
    candidates = [tuple(i for i in range(n) if i not in out) for out in ruled_out]
    kept = [c if limits[j] > len(required[j]) else tuple(sorted(required[j])) for j, c in enumerate(candidates)]
    return SearchSpace(tuple(kept), tuple(tuple(sorted(above)) for above in required), tuple(limits))


def check_max_parents(limit: int, what: str = "max_parents") -> int:
    """Check a number of parents."""
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 0:
        raise ArgumentError(f"{what} must be a whole number, 0 or more, got {limit!r}")
    return limit


def _forbidden(schema: Schema, constraints: Constraints) -> dict[tuple[int, int], str]:
    """Return every edge that is ruled out, with the reason."""
    found: dict[tuple[int, int], str] = {}
    for parent, child in constraints.forbidden:
        found[schema.node(parent, "forbidden: "), schema.node(child, "forbidden: ")] = "it is forbidden as well"
    rank = _tiers(schema, constraints.tiers)
    for i, high in rank.items():
        for j, low in rank.items():
            if high > low:
                found[i, j] = "it points to an earlier tier"
    order = schema.nodes(constraints.order, "order: ")
    for place, j in enumerate(order):
        for i in order[place + 1 :]:
            found[i, j] = "it points against the order"
    for child, names in constraints.allowed_parents.items():
        j = schema.node(child, "allowed_parents: ")
        allowed = set(schema.nodes(names, f"allowed_parents of {child!r}: "))
        if j in allowed:
            raise ArgumentError(f"allowed_parents: {child!r} cannot be its own parent")
        for i in range(len(schema)):
            if i not in allowed:
                found[i, j] = f"{schema[i].name!r} is not among the allowed parents of {child!r}"
    return found


def _tiers(schema: Schema, tiers: Iterable[Iterable[str]]) -> dict[int, int]:
    """Return the tier of each node that is in one."""
    rank: dict[int, int] = {}
    for number, tier in enumerate(tiers):
        for node in schema.nodes(tier, "tiers: "):
            if node in rank:
                raise ArgumentError(f"tiers: variable {schema[node].name!r} is in two tiers")
            rank[node] = number
    return rank


def _limits(
    schema: Schema, constraints: Constraints, max_parents: int | None, required: Sequence[set[int]]
) -> list[int]:
    """Return how many parents each node may have."""
    overall = len(schema) - 1 if max_parents is None else min(check_max_parents(max_parents), len(schema) - 1)
    limits = [overall] * len(schema)
    for name, limit in constraints.max_parents.items():
        limits[schema.node(name, "max_parents: ")] = min(limit, len(schema) - 1)
    for j, above in enumerate(required):
        if len(above) > limits[j]:
            raise ArgumentError(
                f"{schema[j].name!r} has {len(above)} required parents, but at most {limits[j]} are allowed"
            )
    return limits


class _Reader:
    """Collects the statements of a text."""

    def __init__(self) -> None:
        self.required: list[Edge] = []
        self.forbidden: list[Edge] = []
        self.tiers: list[list[str]] = []
        self.order: list[str] = []
        self.allowed_parents: dict[str, list[str]] = {}
        self.max_parents: dict[str, int] = {}

    def statement(self, scanner: Scanner) -> None:
        """Read one line that is not empty."""
        word = scanner.name("require, forbid, tier, order, parents or max_parents")
        if word in ("require", "forbid"):
            (self.required if word == "require" else self.forbidden).append(read_edge(scanner))
        elif word == "tier":
            self.tiers.append(_names(scanner))
        elif word == "order":
            self.order += _names(scanner)
        elif word == "parents":
            child = scanner.name()
            scanner.expect(":", f"':' and the allowed parents of {child!r}")
            self.allowed_parents[child] = [] if scanner.at_end else _names(scanner)
        elif word == "max_parents":
            child = scanner.name()
            limit = scanner.state()
            if isinstance(limit, bool) or not isinstance(limit, int):
                raise FormatError(f"{scanner.path}: expected a number of parents, got {limit!r}")
            self.max_parents[child] = limit
        else:
            known = "require, forbid, tier, order, parents or max_parents"
            raise FormatError(f"{scanner.path}: expected {known}, got {word!r}")
        if not scanner.at_end:
            raise scanner.unexpected("the end of the line")


def read_edge(scanner: Scanner) -> Edge:
    """Read an edge, written either way: ``a -> b`` or ``b <- a``."""
    first = scanner.name()
    if scanner.accept("<-"):
        return scanner.name(), first
    scanner.expect("->", "'->' or '<-'")
    return first, scanner.name()


def _names(scanner: Scanner) -> list[str]:
    names = [scanner.name()]
    while scanner.accept(","):
        names.append(scanner.name())
    return names


def _several(value: object, what: str) -> tuple[object, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ArgumentError(f"{what} must be a list, got {value!r}")
    return tuple(value)


def _pair(edge: object, what: str) -> Edge:
    if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) != 2:
        raise ArgumentError(f"{what}: an edge is a pair (parent, child), got {edge!r}")
    return str(edge[0]), str(edge[1])
