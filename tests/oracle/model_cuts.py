"""The best cut points of one column for a graph, by trying all: families counted row by row, bins by their widths."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import comb, inf, lgamma, log, prod

Rows = Sequence[Sequence[int]]


def find_bin(cell: int, ends: Sequence[int]) -> int:
    """Return the bin of a cell, or the number of bins for a gap."""
    return len(ends) + 1 if cell < 0 else sum(cell > end for end in ends)


def family_score(
    rows: Rows, weights: Sequence[float], sizes: Sequence[int], family: Sequence[int], size: float
) -> float:
    """Return the log marginal likelihood of the last of some columns given the others, with BDeu's prior."""
    n_configurations = prod(sizes[node] for node in family[:-1])
    alpha = size / n_configurations
    cells, sums = Counter[tuple[int, ...]](), Counter[tuple[int, ...]]()
    for row, weight in zip(rows, weights, strict=True):
        key = tuple(row[node] for node in family)
        cells[key] += weight  # type: ignore[assignment]  # real, too
        sums[key[:-1]] += weight  # type: ignore[assignment]
    each = alpha / sizes[family[-1]]
    return sum(lgamma(n + each) - lgamma(each) for n in cells.values()) - sum(
        lgamma(n + alpha) - lgamma(alpha) for n in sums.values()
    )


def where_seen(
    rows: Rows, weights: Sequence[float], family: Sequence[int], keeps_gaps: bool
) -> tuple[list[int], list[float]]:
    """Return the rows that count for a family, and how much each does."""
    seen = [number for number, row in enumerate(rows) if not keeps_gaps or all(row[node] >= 0 for node in family)]
    scale = sum(weights) / (sum(weights[number] for number in seen) or 1)
    return seen, [weights[number] * scale for number in seen]


def cuts_score(
    rows: Rows,
    weights: Sequence[float],
    n_states: Sequence[int],
    widths: Mapping[int, Sequence[float]],
    ends: Mapping[int, Sequence[int]],
    parents: Sequence[Sequence[int]],
    size: float,
    keeps_gaps: bool = False,
) -> float:
    """Return the score of a graph and the cut points of some columns; a gap (-1) is a state of its own, or none.

    If it is none, a family is counted in the rows in which all of it is seen, each as much more as rows are lost.
    """
    n_bins = {place: len(own) + 1 for place, own in ends.items()}
    has_gap = [not keeps_gaps and any(row[place] < 0 for row in rows) for place in range(len(n_states))]
    sizes = [n_bins.get(place, n) + has_gap[place] for place, n in enumerate(n_states)]
    coarse = [
        [
            find_bin(code, ends[place]) if place in ends else code if code >= 0 else n_states[place]
            for place, code in enumerate(row)
        ]
        for row in rows
    ]
    total = 0.0
    for node, above in enumerate(parents):
        seen, own_weights = where_seen(rows, weights, [*above, node], keeps_gaps)
        total += family_score([coarse[number] for number in seen], own_weights, sizes, [*above, node], size)
    for place, own in ends.items():
        edges = [-1, *own, n_states[place] - 1]
        seen, own_weights = where_seen(rows, weights, [place], keeps_gaps)
        for row, weight in zip([rows[number] for number in seen], own_weights, strict=True):
            if row[place] >= 0:
                number = find_bin(row[place], own)
                total -= weight * log(sum(widths[place][edges[number] + 1 : edges[number + 1] + 1]))
        total -= log(comb(n_states[place] - 1, len(own)))
    return total


def best_score(
    place: int,
    rows: Rows,
    weights: Sequence[float],
    n_states: Sequence[int],
    widths: Mapping[int, Sequence[float]],
    ends: Mapping[int, Sequence[int]],
    parents: Sequence[Sequence[int]],
    size: float,
    most_bins: int,
    *,
    keeps_gaps: bool = False,
) -> float:
    """Return the best score over all cut points of one column, the others as they are."""
    best = -inf
    for n_cuts in range(1, min(most_bins, n_states[place])):
        for own in combinations(range(n_states[place] - 1), n_cuts):
            tried = {**ends, place: own}
            best = max(best, cuts_score(rows, weights, n_states, widths, tried, parents, size, keeps_gaps))
    return best
