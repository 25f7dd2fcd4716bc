"""Trees pruned in every way there is, and leaves that lean on the nodes above them, in plain Python.

A tree is nested: a leaf is its counts, a question its branches, each with its share of what comes to the question.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp, lgamma, log


@dataclass(frozen=True)
class Place:
    """A node: the share of all configurations that come to it, its counts if it is a leaf, or else its branches."""

    share: float
    own: tuple[float, ...] = ()
    branches: tuple["Place", ...] = ()

    @property
    def counts(self) -> tuple[float, ...]:
        """The counts of all that comes here."""
        if not self.branches:
            return self.own
        return tuple(map(sum, zip(*(branch.counts for branch in self.branches), strict=True)))

    def leaves(self) -> list["Place"]:
        """Return the leaves, in depth-first order."""
        return [leaf for branch in self.branches for leaf in branch.leaves()] if self.branches else [self]

    def n_prunings(self) -> int:
        """Count the ways to make leaves of questions."""
        n = 1
        for branch in self.branches:
            n *= branch.n_prunings()
        return n + 1 if self.branches else 1

    def prunings(self) -> Iterator[list["Place"]]:
        """Go through the prunings, each as the nodes that are its leaves."""
        yield [self]
        if self.branches:
            yield from _combine(self.branches)


def _combine(branches: Sequence[Place]) -> Iterator[list[Place]]:
    if not branches:
        yield []
        return
    for first in branches[0].prunings():
        for others in _combine(branches[1:]):
            yield first + others


def log_marginal(counts: Sequence[float], alphas: Sequence[float]) -> float:
    """Return the log marginal likelihood of one leaf."""
    value = lgamma(sum(alphas)) - lgamma(sum(alphas) + sum(counts))
    return value + sum(lgamma(n + a) - lgamma(a) for n, a in zip(counts, alphas, strict=True))


def average(root: Place, size: float, per_leaf: bool, kappa: float) -> tuple[list[list[float]], float]:
    """Return the distribution of every leaf, averaged over all prunings one by one, and the log of the sum over them.

    A pruning pays kappa for every parameter that its leaves have.
    """
    r = len(root.counts)
    logs, means = [], []
    for pruning in root.prunings():
        value, of_leaf = 0.0, {}
        for place in pruning:
            alpha = size * (1.0 if per_leaf else place.share) / r
            total = sum(place.counts) + r * alpha
            value += log_marginal(place.counts, [alpha] * r) + (r - 1) * log(kappa)
            for leaf in place.leaves():
                of_leaf[id(leaf)] = [(n + alpha) / total for n in place.counts]
        logs.append(value)
        means.append([of_leaf[id(leaf)] for leaf in root.leaves()])
    most = max(logs)
    weights = [exp(value - most) for value in logs]
    n_leaves = range(len(root.leaves()))
    averaged = [
        [sum(w * own[leaf][s] for w, own in zip(weights, means, strict=True)) / sum(weights) for s in range(r)]
        for leaf in n_leaves
    ]
    return averaged, most + log(sum(weights))


def lean(place: Place, strength: float, above: Sequence[float] | None = None) -> list[list[float]]:
    """Return the distribution of every leaf, which is (n + s theta) / (n + s), theta being that of the node above.

    The root has one observation more of every state.
    """
    counts = place.counts
    prior = [1.0] * len(counts) if above is None else [strength * share for share in above]
    own = [(n + a) / (sum(counts) + sum(prior)) for n, a in zip(counts, prior, strict=True)]
    return [leaf for branch in place.branches for leaf in lean(branch, strength, own)] if place.branches else [own]
