"""Parameters of leaves that learn from the nodes above them: leaning on these, or averaged over all prunings.

Counts are by leaf, in the order of the tree's nodes; those of a question are the sums of its branches.
"""

import numpy as np

from ldag.model.parameters import ClassTable, log_marginals
from ldag.model.tree import LEAF, CodedTree


def count_nodes(tree: CodedTree, leaves: ClassTable) -> ClassTable:
    """Return the counts of every node of a tree, a row each, from those of its leaves."""
    counts = np.zeros((tree.n_nodes, leaves.shape[1]))
    counts[tree.leaves] = leaves
    for level in reversed(tree.levels[1:]):
        np.add.at(counts, tree.above[level], counts[level])
    return counts


def lean_on_above(tree: CodedTree, leaves: ClassTable, strength: float) -> ClassTable:
    """Return what the prior of every leaf counts for: ``strength`` observations spread as those of the node above.

    The distribution of a node is (n + s theta) / (n + s), theta being that of the node above; the root leans on one
    observation of every state.
    """
    counts, n_states = count_nodes(tree, leaves), leaves.shape[1]
    prior = np.ones((tree.n_nodes, n_states))
    for level in tree.levels[1:]:  # above comes before below
        total = prior[tree.above[level]] + counts[tree.above[level]]
        prior[level] = strength * total / total.sum(axis=1, keepdims=True)
    return prior[tree.leaves]


def average_prunings(
    tree: CodedTree, leaves: ClassTable, sizes: ClassTable, log_kappa: float
) -> tuple[ClassTable, float]:
    """Return the distribution of every leaf averaged over all prunings of the tree, and the log of the sum over them.

    A pruning makes leaves of some questions. It weighs the marginal likelihood of its leaves times kappa to the number
    of its parameters: r - 1 for the root, and (r - 1) (b - 1) more for a question with b branches. ``sizes`` are the
    observations that the prior of each node counts for, spread evenly over its states. But for the root's price the sum
    W obeys W(v) = BD(v) + kappa^((r - 1) (b - 1)) prod W(branches), and v is a leaf with probability BD(v) / W(v) where
    nothing above it is (Buntine 1992; Willems, Shtarkov and Tjalkens 1995).
    """
    counts, n_states, above = count_nodes(tree, leaves), leaves.shape[1], tree.above
    alpha = np.repeat(sizes[:, None] / n_states, n_states, axis=1)
    alone = log_marginals(counts, alpha)
    price = log_kappa * (n_states - 1)
    below = np.full(tree.n_nodes, -price)  # of what its branches are worth; one of them is as many parameters as a leaf
    for level in reversed(tree.levels[1:]):
        own = np.where(tree.axes[level] == LEAF, alone[level], np.logaddexp(alone[level], below[level]))
        np.add.at(below, above[level], own + price)
    below[tree.leaves] = -np.inf
    logs = np.logaddexp(alone, below)
    ends = np.exp(alone - logs)
    means = (alpha + counts) / (sizes + counts.sum(axis=1))[:, None]
    reach, average = np.ones(tree.n_nodes), ends[:, None] * means
    for level in tree.levels[1:]:
        reach[level] = reach[above[level]] * (1.0 - ends[above[level]])
        average[level] = average[above[level]] + (reach[level] * ends[level])[:, None] * means[level]
    return average[tree.leaves], float(logs[0] + price)
