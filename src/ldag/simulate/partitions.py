"""Random partitions of a grid in which every variable matters: by lines of labels, or by a CPT-tree."""

from collections.abc import Sequence

import numpy as np

from ldag.model import Grid, Partition, no_labels

Line = tuple[int, int]
"""An axis, and the number of a line along it."""


def by_lines(grid: Grid, density: float, rng: np.random.Generator) -> Partition:
    """Propose every line with probability ``density``, in random order, and join the lines that can be.

    A line is left out if, with the lines before it, some variable would matter nowhere.
    """
    if grid.n_axes < 2:
        return Partition.singletons(grid)
    lines = [(axis, line) for axis, n in enumerate(grid.n_states) for line in range(grid.size // n)]
    order = rng.permutation(len(lines))
    proposed = [lines[i] for i in order[rng.random(len(lines)) < density].tolist()]
    return _join(grid, _acceptable(grid, [], proposed))


def fewest_leaves(n_states: Sequence[int]) -> int:
    """Return the number of leaves that a CPT-tree over these variables has at least, if each of them matters."""
    return 1 + sum(n - 1 for n in n_states)


def by_tree(grid: Grid, max_classes: int, rng: np.random.Generator) -> Partition:
    """Grow a CPT-tree by splitting random leaves: by each variable once, then by any, while the leaves are few enough.

    Every leaf is a class, so the variable of every split matters there.
    """
    assert fewest_leaves(grid.n_states) <= max_classes
    leaves: list[dict[int, int]] = [{}]
    for axis in rng.permutation(grid.n_axes).tolist():
        _split(leaves, int(rng.integers(len(leaves))), axis, grid)
    while True:
        room = max_classes - len(leaves)
        places = [
            (leaf, axis)
            for leaf, context in enumerate(leaves)
            for axis, n in enumerate(grid.n_states)
            if axis not in context and n - 1 <= room
        ]
        if not places:
            break
        leaf, axis = places[int(rng.integers(len(places)))]
        _split(leaves, leaf, axis, grid)
    classes = np.empty(grid.size, dtype=np.int32)
    for number, context in enumerate(leaves):
        classes[grid.matching(context)] = number
    return Partition.of(grid, classes)


def _split(leaves: list[dict[int, int]], leaf: int, axis: int, grid: Grid) -> None:
    """Replace a leaf by one for each state of a variable."""
    context = leaves.pop(leaf)
    leaves.extend(context | {axis: code} for code in range(grid.n_states[axis]))


def _acceptable(grid: Grid, accepted: list[Line], proposed: list[Line]) -> list[Line]:
    """Return the accepted lines and those proposed that can join, in turn, without making a variable idle.

    More lines join more, so all of a batch can join if they can at once; otherwise its halves are tried in turn.
    """
    if not proposed or not _join(grid, together := accepted + proposed).irrelevant_axes():
        return together if proposed else accepted
    if len(proposed) == 1:
        return accepted
    half = len(proposed) // 2
    return _acceptable(grid, _acceptable(grid, accepted, proposed[:half]), proposed[half:])


def _join(grid: Grid, lines: list[Line]) -> Partition:
    masks = [mask.copy() for mask in no_labels(grid)]
    for axis, line in lines:
        masks[axis][line] = True
    return Partition.from_labels(grid, masks)
