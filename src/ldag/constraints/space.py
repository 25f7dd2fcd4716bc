"""The search space that constraints leave, by node numbers; contradictions are found here, and explained."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from ldag.constraints.given import EVERY, Constraints, check_max_parents
from ldag.constraints.labels import LabelRules, are_kept, fix_labels, label_rules
from ldag.errors import ArgumentError, LdagError
from ldag.formats import Edge
from ldag.model import Schema, Structure, find_cycle
from ldag.reasoning import CodedEdge


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

    def without_edges_at(self, constant: Collection[int]) -> "SearchSpace":
        """Return the space without edges at some nodes, but for required ones.

        What has one state in the data neither matters nor depends on anything there; scores may say otherwise where
        further states are possible.
        """
        candidates = (
            required if node in constant else tuple(c for c in own if c not in constant or c in required)
            for node, (own, required) in enumerate(zip(self.candidates, self.required, strict=True))
        )
        return replace(self, candidates=tuple(candidates))

    def ruled_out(self, structure: Structure) -> frozenset[CodedEdge]:
        """Return the arrows that edges of a structure cannot be turned into.

        An edge with a label becomes no arrow that must be without. Limits on the number of parents rule out nothing by
        themselves: they are about how much is searched.
        """
        return frozenset(
            (j, i)
            for j, family in enumerate(structure.families)
            for axis, i in enumerate(family.parents)
            if j not in self.candidates[i] or (axis in family.labelled_axes and self._is_unlabelled(j, i))
        )

    def _is_unlabelled(self, parent: int, child: int) -> bool:
        return any(rule.parent == parent and not rule.contexts for rule in self.label_rules[child])


def check_result(schema: Schema, space: SearchSpace, structure: Structure) -> None:
    """Make sure that a learned graph satisfies all constraints."""
    for node, family in enumerate(structure.families):
        fixed = fix_labels(space.label_rules[node], family.parents, structure.n_states)
        are_right = not fixed or are_kept(family.partition.labels, fixed)
        if not space.allows(node, family.parents) or not are_right:
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
    for (parent, child), why in _list_required(constraints):
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
    every = set(range(n))
    ruled_out = [{j} for j in range(n)]
    for i, j in (*forbidden, *backwards):
        ruled_out[j].add(i)
    candidates = [tuple(sorted(every - out)) for out in ruled_out]
    kept = [c if limits[j] > len(required[j]) else tuple(sorted(required[j])) for j, c in enumerate(candidates)]
    return SearchSpace(tuple(kept), tuple(tuple(sorted(above)) for above in required), tuple(limits), rules)


def _list_required(constraints: Constraints) -> Iterator[tuple[Edge, str]]:
    """Yield every edge that must be there, with the reason."""
    for edge in constraints.required:
        yield edge, "required"
    for (parent, child), label in constraints.labels.items():
        yield (parent, child), "required by its label"
        for name in sorted({name for context in label for name in context}):
            yield (name, child), f"required by the label of {parent} -> {child}"


def _forbidden(schema: Schema, constraints: Constraints) -> dict[tuple[int, int], str]:
    """Return every edge that is ruled out, with the reason."""
    reasons: dict[tuple[int, int], str] = {}
    for parent, child in constraints.unlabelled:
        i = schema.node(parent)
        if schema[i].n_states == 1:
            reasons[i, schema.node(child)] = f"{parent!r} has one state, so it never matters and has a label everywhere"
    for parent, child in constraints.forbidden:
        reasons[schema.node(parent, "forbidden: "), schema.node(child, "forbidden: ")] = "it is forbidden as well"
    rank = _tiers(schema, constraints.tiers)
    for i, high in rank.items():
        for j, low in rank.items():
            if high > low:
                reasons[i, j] = "it points to an earlier tier"
    order = schema.nodes(constraints.order, "order: ")
    for place, j in enumerate(order):
        for i in order[place + 1 :]:
            reasons[i, j] = "it points against the order"
    for child, names in constraints.allowed_parents.items():
        j = schema.node(child, "allowed_parents: ")
        allowed = set(schema.nodes(names, f"allowed_parents of {child!r}: "))
        if j in allowed:
            raise ArgumentError(f"allowed_parents: {child!r} cannot be its own parent")
        for i in range(len(schema)):
            if i not in allowed:
                reasons[i, j] = f"{schema[i].name!r} is not among the allowed parents of {child!r}"
    return reasons


def _tiers(schema: Schema, tiers: Iterable[Iterable[str]]) -> dict[int, int]:
    """Return the tier of each node that is in one."""
    rank: dict[int, int] = {}
    others: int | None = None
    for number, tier in enumerate(tiers):
        names = list(tier)
        if EVERY in names and EVERY not in schema.names:
            if others is not None:
                raise ArgumentError("tiers: all others (*) are in two tiers")
            others = number
            names.remove(EVERY)
        for node in schema.nodes(names, "tiers: "):
            if node in rank:
                raise ArgumentError(f"tiers: variable {schema[node].name!r} is in two tiers")
            rank[node] = number
    return rank if others is None else dict.fromkeys(range(len(schema)), others) | rank


def _limits(
    schema: Schema, constraints: Constraints, max_parents: int | None, required: Sequence[set[int]]
) -> list[int]:
    """Return how many parents each node may have: of a limit for all and one of its own, the smaller."""
    overall = len(schema) - 1 if max_parents is None else min(check_max_parents(max_parents), len(schema) - 1)
    given = dict(cast("Mapping[str, int]", constraints.max_parents))
    usual = overall if EVERY in schema.names else min(overall, given.pop(EVERY, overall))
    limits = [usual] * len(schema)
    for name, limit in given.items():
        limits[schema.node(name, "max_parents: ")] = min(limit, overall)
    for j, above in enumerate(required):
        if len(above) > limits[j]:
            raise ArgumentError(
                f"{schema[j].name!r} has {len(above)} required parents, but at most {limits[j]} are allowed"
            )
    return limits
