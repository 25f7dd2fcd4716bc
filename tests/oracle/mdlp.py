"""Fayyad and Irani's cuts by the formula, row by row in plain Python."""

from collections import Counter
from collections.abc import Sequence
from math import log2

Row = tuple[float, int]


def entropy(rows: Sequence[Row]) -> float:
    """Return the entropy of the classes in bits."""
    counts = Counter(label for _, label in rows).values()
    return -sum(n / len(rows) * log2(n / len(rows)) for n in counts)


def cut(rows: Sequence[Row]) -> list[float]:
    """Return the largest value of every part but the last; of equally good splits the first is made."""
    values = sorted({value for value, _ in rows})
    best = None
    for value in values[:-1]:
        low, high = [row for row in rows if row[0] <= value], [row for row in rows if row[0] > value]
        left = (len(low) * entropy(low) + len(high) * entropy(high)) / len(rows)
        if best is None or left < best[0] - 1e-12:
            best = (left, value, low, high)
    if best is None:
        return []
    left, value, low, high = best
    k, k1, k2 = (len({label for _, label in part}) for part in (rows, low, high))
    delta = log2(3**k - 2) - (k * entropy(rows) - k1 * entropy(low) - k2 * entropy(high))
    if entropy(rows) - left <= (log2(len(rows) - 1) + delta) / len(rows):
        return []
    return [*cut(low), value, *cut(high)]
