"""The posterior predictive of new counts in plain Python: one by one, each learned from before the next."""

from collections.abc import Sequence
from math import log

from tests.oracle.score import Counts


def log_predictive(
    trained: Counts, fresh: Counts, classes: Sequence[Sequence[int]], size: float, per_class: bool
) -> float:
    """Return ln p(fresh | trained), with so many prior observations in all, or of every class."""
    r, q = len(trained[0]), len(trained)
    total = 0.0
    for members in classes:
        alpha = (size if per_class else size * len(members) / q) / r
        seen = [sum(trained[cell][state] for cell in members) + alpha for state in range(r)]
        for state in range(r):
            for _ in range(int(sum(fresh[cell][state] for cell in members))):
                total += log(seen[state] / sum(seen))
                seen[state] += 1
    return total
