"""Random trees of questions, for tests: questions come again, states share branches, leaves may share classes."""

import numpy as np

from ldag.model import CodedTree


def draw_tree(
    rng: np.random.Generator, n_states: list[int], n_leaves: int, shared: bool = False, complete: bool = False
) -> CodedTree:
    """Grow a tree at random leaves; ``complete`` questions have a branch per state."""
    questions: list[tuple[int, list[int]] | int] = [0]
    left: dict[int, list[list[int]]] = {0: [list(range(n)) for n in n_states]}
    while len(left) < n_leaves:
        splittable = [(leaf, axis) for leaf, own in left.items() for axis, states in enumerate(own) if len(states) > 1]
        if not splittable:
            break
        leaf, axis = splittable[rng.integers(len(splittable))]
        own = left.pop(leaf)
        groups = list(range(len(own[axis])))
        if not complete:
            groups = [int(g) for g in rng.integers(2, size=len(own[axis]))]
            groups[0], groups[-1] = 0, 1
        targets = [-1] * n_states[axis]
        for group in sorted(set(groups)):
            states = [state for state, g in zip(own[axis], groups, strict=True) if g == group]
            for state in states:
                targets[state] = len(questions)
            left[len(questions)] = [states if a == axis else other for a, other in enumerate(own)]
            questions.append(0)
        questions[leaf] = (axis, targets)
    leaves = [place for place, question in enumerate(questions) if isinstance(question, int)]
    for number, place in enumerate(leaves):
        questions[place] = int(rng.integers(max(2, len(leaves) // 2))) if shared else number
    return CodedTree.of(n_states, questions)
