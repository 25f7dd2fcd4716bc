"""Minimum covers by trying everything."""

from functools import cache
from itertools import product

from ldag.model import Grid, Term


def cells_of(grid: Grid, term: Term) -> frozenset[int]:
    """Return the configurations that a term describes, by looking at each."""
    return frozenset(
        cell
        for cell in range(grid.size)
        if all(code in (None, own) for code, own in zip(term, grid.configuration(cell), strict=True))
    )


@cache
def boxes(grid: Grid) -> list[frozenset[int]]:
    """Return every box of a grid, once for each term that describes it."""
    return [cells_of(grid, term) for term in product(*([None, *range(n)] for n in grid.n_states))]


def fewest_terms(grid: Grid, cells: frozenset[int]) -> int:
    """Return the size of a minimum cover: try one box, then all pairs, then all triples, ..."""
    inside = {box for box in boxes(grid) if box <= cells}

    @cache
    def coverable(left: frozenset[int], n_boxes: int) -> bool:
        if not left:
            return True
        if n_boxes == 0:
            return False
        return any(coverable(left - box, n_boxes - 1) for box in inside if min(left) in box)

    return next(n for n in range(len(cells) + 1) if coverable(cells, n))
