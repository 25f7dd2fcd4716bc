"""What an exact search would cost, estimated from the problem alone: nothing is timed, so the answer never varies."""

from collections.abc import Sequence
from math import comb, exp, log, sqrt

from ldag.learning.constraints import SearchSpace
from ldag.learning.partitions import FamilyOptions

MOST_CONFIGURATIONS = 1 << 16
"""Larger families are not looked at in a search."""
EXACT_CONFIGURATIONS = 16
"""Up to so many, labels are found exactly if that is asked for."""


def exact_seconds(space: SearchSpace, n_states: Sequence[int], n_rows: int, options: FamilyOptions) -> float:
    """Estimate the CPU time of scoring every family of a space, to about a factor of two on an ordinary machine."""
    total = 0.0
    for node, candidates in enumerate(space.candidates):
        free = len(candidates) - len(space.required[node])
        logs = [log(n_states[parent]) for parent in candidates]
        log_mean = sum(logs) / len(logs) if logs else 0.0
        for n_added in range(space.max_parents[node] - len(space.required[node]) + 1):
            n_parents = len(space.required[node]) + n_added
            n_configurations = exp(min(n_parents * log_mean, log(MOST_CONFIGURATIONS)))
            total += comb(free, n_added) * family_seconds(n_configurations, n_states[node], n_rows, options)
    return total


def family_seconds(n_configurations: float, n_states: int, n_rows: int, options: FamilyOptions) -> float:
    """Estimate the time of one family: counting, and the search for its classes; the factors were measured."""
    counting = 5 + 5e-5 * n_rows * sqrt(n_configurations)
    return 1e-6 * (counting + n_states / 2 * _class_search(n_configurations, options))


def _class_search(n: float, options: FamilyOptions) -> float:
    """Return microseconds for a node of two states with n configurations."""
    if options.structure == "table":
        return 0.0
    if options.labels == "exact" and n <= EXACT_CONFIGURATIONS:
        return float(2000 * 3 ** (n - EXACT_CONFIGURATIONS))
    if options.labels != "greedy":
        return 2 * n**2
    if options.structure == "graph":
        return 0.1 * n**2
    return 0.1 * n if options.structure == "tree" else 0.15 * n**1.5
