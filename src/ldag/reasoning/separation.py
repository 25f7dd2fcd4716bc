"""Context graphs, d-separation and CSI-separation (Definitions 7 to 9 of the paper)."""

from collections.abc import Iterable, Mapping

import numpy as np

from ldag.model import CodedFamily, Grid, Mask, Parents, Structure, no_labels


def is_satisfied(family: CodedFamily, axis: int, context: Mapping[int, int]) -> bool:
    """Tell whether the maximal label of a parent's edge is satisfied in a context.

    It must mention a variable of the context and contain every completion of it over the other parents.
    """
    others = [parent for a, parent in enumerate(family.parents) if a != axis]
    if not any(parent in context for parent in others):
        return False
    chosen = tuple(context.get(parent, slice(None)) for parent in others)
    mask = family.partition.labels[axis].reshape(family.partition.grid.without(axis).n_states)
    return bool(np.all(mask[chosen]))


def context_parents(structure: Structure, context: Mapping[int, int]) -> tuple[tuple[int, ...], ...]:
    """Return the parents of every node in the context graph G(x_C): edges with a satisfied label are gone."""
    kept = []
    for family in structure.families:
        gone = {axis for axis in family.labelled_axes if is_satisfied(family, axis, context)}
        kept.append(tuple(p for axis, p in enumerate(family.parents) if axis not in gone))
    return tuple(kept)


def d_separated(parents: Parents, a: Iterable[int], b: Iterable[int], given: Iterable[int]) -> bool:
    """Tell whether ``given`` d-separates ``a`` from ``b``: no path in the moral graph of their ancestors."""
    blocked = _bits(given)
    goal = _bits(b)
    neighbours = _moral_graph(parents, _bits(a) | goal | blocked)
    reached = todo = _bits(a)
    while todo:
        node = (todo & -todo).bit_length() - 1
        new = neighbours[node] & ~blocked & ~reached
        if new & goal:
            return False
        reached |= new
        todo = (todo & (todo - 1)) | new
    return True


def csi_separated(
    structure: Structure,
    a: Iterable[int],
    b: Iterable[int],
    given: Iterable[int],
    context: Mapping[int, int],
) -> bool:
    """Tell whether a and b are d-separated by given and the context's variables in the context graph."""
    return d_separated(context_parents(structure, context), a, b, [*given, *context])


def label_variables(structure: Structure) -> frozenset[int]:
    """Return the variables that labels mention: fixing another one never removes an edge."""
    return frozenset(
        parent
        for family in structure.families
        for axis in family.labelled_axes
        for a, parent in enumerate(family.parents)
        if a != axis
    )


def context_structure(structure: Structure, context: Mapping[int, int]) -> Structure:
    """Return the context-specific LDAG G_L(x_C): satisfied edges gone, other labels read in the context."""
    parents = context_parents(structure, context)
    families = []
    for node, family in enumerate(structure.families):
        if parents[node] == family.parents and not any(parent in context for parent in family.parents):
            families.append(family)
        else:
            families.append(_in_context(structure, family, parents[node], context))
    return Structure(structure.n_states, tuple(families))


def _in_context(
    structure: Structure, family: CodedFamily, kept: tuple[int, ...], context: Mapping[int, int]
) -> CodedFamily:
    """Return a family over the kept parents, with the label entries that agree with the context."""
    grid = structure.grid(kept)
    labels = list(no_labels(grid))
    for new_axis, parent in enumerate(kept):
        old_axis = family.parents.index(parent)
        others = [p for p in family.parents if p != parent]
        labels[new_axis] = _label_in_context(
            family.partition.labels[old_axis], family.partition.grid.without(old_axis), others, kept, context
        )
    return CodedFamily.from_labels(kept, grid, tuple(labels))


def _label_in_context(
    label: Mask, grid: Grid, others: list[int], kept: tuple[int, ...], context: Mapping[int, int]
) -> Mask:
    """Keep a label's entries that hold for all states of the dropped parents and agree with the context."""
    cube = label.reshape(grid.n_states)
    for axis in reversed(range(len(others))):
        parent = others[axis]
        if parent not in kept:
            cube = np.take(cube, context[parent], axis) if parent in context else np.all(cube, axis=axis)
    remaining = [parent for parent in others if parent in kept]
    agrees = np.ones(cube.shape, dtype=np.bool_)
    for axis, parent in enumerate(remaining):
        if parent in context:
            states = np.arange(cube.shape[axis]) == context[parent]
            agrees &= states.reshape([-1 if a == axis else 1 for a in range(cube.ndim)])
    return np.asarray(cube & agrees, dtype=np.bool_).reshape(-1)


def _moral_graph(parents: Parents, of: int) -> list[int]:
    """Return neighbours (as bits) in the moral graph of the ancestors of some nodes."""
    neighbours = [0] * len(parents)
    seen = todo = of
    while todo:
        node = (todo & -todo).bit_length() - 1
        family = _bits(parents[node]) | 1 << node
        for member in (*parents[node], node):
            neighbours[member] |= family
        new = family & ~seen
        seen |= new
        todo = (todo & (todo - 1)) | new
    return neighbours


def _bits(nodes: Iterable[int]) -> int:
    """Return a set of nodes as the bits of a number."""
    bits = 0
    for node in nodes:
        bits |= 1 << node
    return bits
