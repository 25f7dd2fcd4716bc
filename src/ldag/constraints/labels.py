"""Edges without labels and labels that are given, from names to rules by number; contradictions are explained.

On the edge from a parent the label is free or fixed to a set of lines of the grid; "no label" is the empty set.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from ldag.errors import ArgumentError, TooLarge
from ldag.formats import Context, Edge, EdgeRecord, edge_in_words
from ldag.graph import name_contexts
from ldag.model import Grid, Labels, Mask, Partition, Schema

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
