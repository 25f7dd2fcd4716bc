"""What a learned graph must and must not have: `Constraints`, in names, and the search space they leave."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ldag.constraint_text import Edge, Statements, read_statements, write_statements
from ldag.errors import ArgumentError, FormatError, LdagError
from ldag.formats.files import read_utf8
from ldag.label_constraints import label_rules
from ldag.label_rules import LabelRules, are_kept, fixed_labels
from ldag.record import Context
from ldag.structure import Structure, find_cycle
from ldag.variables import Schema


@dataclass(frozen=True)
class Constraints:
    """Constraints on the edges of a graph and their labels; edges are pairs (parent, child).

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
    max_parents: Mapping[str, int] = field(default_factory=dict)
    unlabelled: Iterable[Edge] = ()
    labels: Mapping[Edge, Iterable[Context]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        set_field = object.__setattr__
        for name in ("required", "forbidden", "unlabelled"):
            set_field(self, name, tuple(_pair(edge, name) for edge in _several(getattr(self, name), name)))
        set_field(self, "tiers", tuple(_several(tier, "a tier") for tier in _several(self.tiers, "tiers")))
        set_field(self, "order", _several(self.order, "order"))
        for name, keys in (("allowed_parents", "variables"), ("max_parents", "variables"), ("labels", "edges")):
            if not isinstance(getattr(self, name), Mapping):
                raise ArgumentError(f"{name} must be a mapping from {keys}, got {getattr(self, name)!r}")
        allowed = {node: _several(names, "allowed_parents") for node, names in self.allowed_parents.items()}
        set_field(self, "allowed_parents", allowed)
        labels = {_pair(edge, "labels"): _several(given, "a label") for edge, given in self.labels.items()}
        set_field(self, "labels", labels)
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


@dataclass(frozen=True)
class SearchSpace:
    """The same by node numbers: for each node the parents it may have, must have, how many, and fixed labels."""

    candidates: tuple[tuple[int, ...], ...]
    required: tuple[tuple[int, ...], ...]
    max_parents: tuple[int, ...]
    label_rules: LabelRules

    def allows(self, node: int, parents: Sequence[int]) -> bool:
        """Whether a node may have these parents."""
        inside = set(self.candidates[node]) >= set(parents) >= set(self.required[node])
        return inside and len(parents) <= self.max_parents[node]


def check_result(schema: Schema, space: SearchSpace, structure: Structure) -> None:
    """Make sure that a learned graph satisfies all constraints."""
    for node, family in enumerate(structure.families):
        fixed = fixed_labels(space.label_rules[node], family.parents, structure.n_states)
        if not space.allows(node, family.parents) or not are_kept(family.partition.labels, fixed):
            raise LdagError(
                f"the search broke a constraint on {schema[node].name!r}, which is a mistake of this library; "
                "please report it"
            )


def search_space(schema: Schema, constraints: Constraints, max_parents: int | None) -> SearchSpace:
    """Return the space that constraints leave; contradictions are found here, and explained."""
    n = len(schema)
    labels = {edge: tuple(given) for edge, given in constraints.labels.items()}
    rules = label_rules(schema, constraints.unlabelled, labels)
    forbidden = _forbidden(schema, constraints)
    required: list[set[int]] = [set() for _ in range(n)]
    for (parent, child), why in _needed(constraints):
        i, j = schema.node(parent, "required: "), schema.node(child, "required: ")
        reason = forbidden.get((i, j))
        if reason is not None:
            raise ArgumentError(f"the edge {parent} -> {child} is {why}, but {reason}")
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
    return SearchSpace(tuple(kept), tuple(tuple(sorted(above)) for above in required), tuple(limits), rules)


def check_max_parents(limit: int, what: str = "max_parents") -> int:
    """Check a number of parents."""
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 0:
        raise ArgumentError(f"{what} must be a whole number, 0 or more, got {limit!r}")
    return limit


def _needed(constraints: Constraints) -> Iterator[tuple[Edge, str]]:
    """Yield every edge that must be there, with the reason."""
    for edge in constraints.required:
        yield edge, "required"
    for (parent, child), label in constraints.labels.items():
        yield (parent, child), "required by its label"
        for name in sorted({name for context in label for name in context}):
            yield (name, child), f"required by the label of {parent} -> {child}"


def _forbidden(schema: Schema, constraints: Constraints) -> dict[tuple[int, int], str]:
    """Return every edge that is ruled out, with the reason."""
    found: dict[tuple[int, int], str] = {}
    for parent, child in constraints.unlabelled:
        i = schema.node(parent)
        if schema[i].n_states == 1:
            found[i, schema.node(child)] = f"{parent!r} has one state, so it never matters and has a label everywhere"
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


def _several(value: object, what: str) -> tuple[object, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ArgumentError(f"{what} must be a list, got {value!r}")
    return tuple(value)


def _pair(edge: object, what: str) -> Edge:
    if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) != 2:
        raise ArgumentError(f"{what}: an edge is a pair (parent, child), got {edge!r}")
    return str(edge[0]), str(edge[1])
