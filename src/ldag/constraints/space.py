"""The search space that constraints leave, by node numbers, and rules for labels; contradictions are explained.

On the edge from a parent the label is free or fixed to a set of lines of the grid; "no label" is the empty set.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import cast

import numpy as np

from ldag.constraints.given import EVERY, Constraints, check_max_parents
from ldag.errors import ArgumentError, LdagError, TooLarge, option, say_decomposable
from ldag.formats import Context, Edge, EdgeRecord, edge_in_words
from ldag.graph import name_contexts
from ldag.model import Grid, Labels, Mask, Partition, Schema, Structure, find_cycle
from ldag.reasoning import CodedEdge, find_immorality

FixedLabels = tuple[Mask | None, ...]
"""One mask per parent, as in `Labels`, or None where the label is free; nothing at all where all are."""


@dataclass(frozen=True)
class LabelRule:
    """If ``parent`` is a parent of the node, its label is what agrees with a context, no more and no less.

    A context is pairs of another parent and its state.
    """

    parent: int
    contexts: tuple[tuple[tuple[int, int], ...], ...] = ()

    @property
    def named(self) -> set[int]:
        """The other parents that contexts name."""
        return {node for context in self.contexts for node, _ in context}

    def label(self, others: Sequence[int], n_states: Sequence[int]) -> Mask:
        """Return the label over the configurations of the other parents."""
        grid = Grid(tuple(n_states[node] for node in others))
        mask = np.zeros(grid.size, dtype=np.bool_)
        for context in self.contexts:
            mask[grid.matching({others.index(node): code for node, code in context})] = True
        return mask


LabelRules = tuple[tuple[LabelRule, ...], ...]
"""The rules of every node."""


def fix_labels(rules: Sequence[LabelRule], parents: Sequence[int], n_states: Sequence[int]) -> FixedLabels:
    """Return what the rules of a node fix for these parents, which include all that contexts name."""
    by_parent = {rule.parent: rule for rule in rules}
    if not any(parent in by_parent for parent in parents):
        return ()
    return tuple(
        by_parent[parent].label([other for other in parents if other != parent], n_states)
        if parent in by_parent
        else None
        for parent in parents
    )


def finest(grid: Grid, fixed: FixedLabels) -> Partition:
    """Return the finest partition that has at least these labels."""
    free = [np.zeros(grid.size // n, dtype=np.bool_) for n in grid.n_states]
    return Partition.from_labels(
        grid, [zeros if mask is None else mask for zeros, mask in zip(free, fixed, strict=True)]
    )


def are_kept(labels: Labels, fixed: FixedLabels) -> bool:
    """Whether labels are exactly what is fixed, wherever something is."""
    pairs = zip(labels, fixed, strict=True) if fixed else ()
    return all(mask is None or np.array_equal(label, mask) for label, mask in pairs)


MAX_FIXED = 2**16
"""Configurations of the parents that the fixed labels of one node are about, at most."""


def label_rules(schema: Schema, unlabelled: Iterable[Edge], labels: Mapping[Edge, Sequence[Context]]) -> LabelRules:
    """Return the rules of every node, after checking that each node's can hold together."""
    rules: list[dict[int, LabelRule]] = [{} for _ in schema]
    for parent, child in unlabelled:
        i, j = schema.node(parent, "unlabelled: "), schema.node(child, "unlabelled: ")
        _check_ends(parent, child)
        if (parent, child) in labels:
            raise ArgumentError(f"the edge {parent} -> {child} is in unlabelled and in labels; it can be in one only")
        rules[j][i] = LabelRule(i)
    fixed: list[set[int]] = [set() for _ in schema]
    for (parent, child), given in labels.items():
        i, j = schema.node(parent, "labels: "), schema.node(child, "labels: ")
        _check_ends(parent, child)
        rules[j][i] = _rule(schema, i, j, given)
        fixed[j] |= {i} | rules[j][i].named
    for node, involved in enumerate(fixed):
        if not involved:
            continue
        _check_together(schema, node, tuple(sorted(involved)), tuple(rules[node].values()))
    return tuple(tuple(of_node[i] for i in sorted(of_node)) for of_node in rules)


def _check_ends(parent: str, child: str) -> None:
    """Refuse an edge from a variable to itself."""
    if parent == child:
        raise ArgumentError(f"{child!r} cannot be its own parent")


def _rule(schema: Schema, parent: int, child: int, given: Sequence[Context]) -> LabelRule:
    """Translate the contexts of one label."""
    where = f"the label of {schema[parent].name} -> {schema[child].name}"
    translated = []
    for context in given:
        codes = schema.context(context, f"{where}: ")
        for node, who in ((parent, "the parent itself"), (child, "the child")):
            if node in codes:
                raise ArgumentError(
                    f"{where} names {schema[node].name!r}, which is {who}; contexts are about the other parents"
                )
        translated.append(tuple(sorted(codes.items())))
    return LabelRule(parent, tuple(translated))


def _check_together(schema: Schema, node: int, parents: tuple[int, ...], rules: Sequence[LabelRule]) -> None:
    """Refuse labels of a node that say more together than each by itself.

    ``parents`` are those that fixed labels are about. Further parents change nothing: every state of theirs has a copy
    of this grid with the same lines, and no line along them lies inside a class.
    """
    grid = Grid(tuple(schema[parent].n_states for parent in parents))
    if (size := prod(grid.n_states)) > MAX_FIXED:
        raise TooLarge(
            f"the fixed labels of {schema[node].name!r} are about {size:,} configurations of {len(parents)} parents; "
            f"at most {MAX_FIXED:,} are possible"
        )
    fixed = fix_labels(rules, parents, schema.n_states)
    if not fixed:
        return
    for axis, (closed, mask) in enumerate(zip(finest(grid, fixed).labels, fixed, strict=True)):
        parent, child = schema[parents[axis]].name, schema[node].name
        if closed.all():
            raise ArgumentError(
                f"the labels fixed for {child!r} say that {parent} never matters for it; an edge must matter "
                "somewhere, so leave out a context or the edge"
            )
        if mask is not None and not np.array_equal(closed, mask):
            others = tuple(p for p in parents if p != parents[axis])
            further = name_contexts(schema, others, np.flatnonzero(closed & ~mask).tolist())
            said = edge_in_words(EdgeRecord(parent, child, further), schema.variables)
            raise ArgumentError(
                f"the labels fixed for {child!r} together say also that {said}, which the label of {parent} -> {child} "
                "must not hold; add it there, or change the others"
            )


@dataclass(frozen=True)
class SearchSpace:
    """The same by node numbers: for each node the parents it may have, must have, how many, and fixed labels."""

    candidates: tuple[tuple[int, ...], ...]
    required: tuple[tuple[int, ...], ...]
    max_parents: tuple[int, ...]
    label_rules: LabelRules
    decomposable: bool = False
    """Whether the parents of every node must be adjacent to each other."""

    def allows(self, node: int, parents: Sequence[int]) -> bool:
        """Whether a node may have these parents."""
        inside = set(self.candidates[node]) >= set(parents) >= set(self.required[node])
        return inside and len(parents) <= self.max_parents[node]

    def without_edges_at(self, constant: Collection[int]) -> "SearchSpace":
        """Return the space without edges at some nodes, but for required ones.

        What has one state in the data neither matters nor depends on anything there; scores may say otherwise where
        further states are possible.
        """
        if not constant:
            return self
        candidates = (
            required if node in constant else tuple(c for c in own if c not in constant or c in required)
            for node, (own, required) in enumerate(zip(self.candidates, self.required, strict=True))
        )
        return replace(self, candidates=tuple(candidates))

    def with_fewer_parents(self, most: int) -> "SearchSpace":
        """Return the space of the graphs with at most so many parents of a node, or as many as it must have."""
        limits = zip(self.max_parents, self.required, strict=True)
        return replace(self, max_parents=tuple(min(own, max(most, len(fixed))) for own, fixed in limits))

    def in_random_order(self, rng: np.random.Generator) -> "SearchSpace":
        """Return the space of the graphs whose edges follow a random order of the nodes that the space allows."""
        if self.decomposable:
            raise ArgumentError(
                "a decomposable graph has no arrows that could follow an order; let members differ in their rows:"
                f" {option('by', 'bootstrap')}"
            )
        place = np.argsort(random_order(self.candidates, self.required, rng))
        before = (tuple(i for i in own if place[i] < place[j]) for j, own in enumerate(self.candidates))
        return replace(self, candidates=tuple(before))

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


def random_order(
    candidates: Sequence[Iterable[int]], required: Sequence[Iterable[int]], rng: np.random.Generator
) -> list[int]:
    """Return the nodes in a random order: required parents first and, where it can be, those that may only be parents.

    Where an edge is allowed one way only, an order against it would lose the edge for nothing.
    """
    allowed = [set(own) for own in candidates]
    musts = [set(own) for own in required]
    wishes = [{i for i in own if j not in allowed[i]} for j, own in enumerate(allowed)]
    left = rng.permutation(len(allowed)).tolist()
    order: list[int] = []
    placed: set[int] = set()
    while left:
        ready = [node for node in left if musts[node] <= placed]
        node = next((node for node in ready if wishes[node] <= placed), ready[0])
        left.remove(node)
        order.append(node)
        placed.add(node)
    return order


def check_result(schema: Schema, space: SearchSpace, structure: Structure) -> None:
    """Make sure that a learned graph satisfies all constraints."""
    if space.decomposable and find_immorality([family.parents for family in structure.families]) is not None:
        raise LdagError(
            "the search broke an edge of a chordal graph, which is a mistake of this library; please report it"
        )
    for node, family in enumerate(structure.families):
        fixed = fix_labels(space.label_rules[node], family.parents, structure.n_states)
        are_right = not fixed or are_kept(family.partition.labels, fixed)
        if not space.allows(node, family.parents) or not are_right:
            raise LdagError(
                f"the search broke a constraint on {schema[node].name!r}, which is a mistake of this library; "
                "please report it"
            )


def search_space(
    schema: Schema, constraints: Constraints, max_parents: int | None, decomposable: bool = False
) -> SearchSpace:
    """Return the space that constraints leave; contradictions are found here, and explained."""
    if decomposable:
        _refuse_arrows(constraints)
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
    return SearchSpace(
        tuple(kept), tuple(tuple(sorted(above)) for above in required), tuple(limits), rules, decomposable
    )


def _refuse_arrows(constraints: Constraints) -> None:
    """Refuse constraints on arrows for graphs that have none; what holds both ways is about an edge."""
    directed = ("required", "tiers", "order", "allowed_parents", "labels")
    given = next((name for name in directed if getattr(constraints, name)), None)
    if given is None and set(cast("Mapping[str, int]", constraints.max_parents)) - {EVERY}:
        given = "max_parents of single variables"
    if given is not None:
        raise ArgumentError(
            f"{say_decomposable()} is for graphs without arrows, and {given} is about arrows; leave one of the two out"
        )
    for name in ("forbidden", "unlabelled"):
        pairs = {tuple(edge) for edge in getattr(constraints, name)}
        for a, b in sorted(pairs):
            if (b, a) not in pairs:
                raise ArgumentError(
                    f"{name}: {a} -> {b} is an arrow, and with {say_decomposable()} there are none; give"
                    f" {b} -> {a} as well, to say it of the edge"
                )


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
