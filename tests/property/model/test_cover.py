"""Covers against brute force on small grids of any numbers of states."""

from math import prod

from hypothesis import given, settings
from hypothesis import strategies as st

from ldag.model import Grid, minimal_cover
from tests.oracle import cover as oracle

SHAPES = st.lists(st.integers(1, 4), max_size=4).map(tuple).filter(lambda shape: prod(shape) <= 18)


@st.composite
def grids_with_cells(draw: st.DrawFn) -> tuple[Grid, frozenset[int]]:
    """Draw a small grid and a set of its configurations."""
    grid = Grid(draw(SHAPES))
    members = draw(st.lists(st.booleans(), min_size=grid.size, max_size=grid.size))
    return grid, frozenset(cell for cell, member in enumerate(members) if member)


@settings(deadline=None, max_examples=200)
@given(grids_with_cells())
def test_cover_is_exact_and_minimal(problem: tuple[Grid, frozenset[int]]) -> None:
    """The terms cover the set and nothing else, and trying everything finds no fewer."""
    grid, cells = problem
    cover = minimal_cover(grid, cells)
    assert frozenset().union(*(oracle.cells_of(grid, term) for term in cover.terms)) == cells
    assert cover.is_minimal
    assert len(cover.terms) == oracle.fewest_terms(grid, cells)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_five_binary_variables(bits: int) -> None:
    """Sets of configurations of five binary variables, where covering problems become cyclic."""
    grid = Grid((2,) * 5)
    cells = frozenset(cell for cell in range(32) if bits >> cell & 1)
    assert len(minimal_cover(grid, cells).terms) == oracle.fewest_terms(grid, cells)
