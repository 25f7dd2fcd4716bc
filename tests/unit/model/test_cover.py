"""Minimal covers of sets of configurations by starred tuples."""

import numpy as np
import pytest

from ldag.model import Grid, Term, minimal_cover
from ldag.model import cover as module
from ldag.model.cover import Cover
from tests.oracle import cover as oracle


def union(grid: Grid, terms: tuple[Term, ...]) -> set[int]:
    """Return every configuration that some term describes."""
    return set().union(*(oracle.cells_of(grid, term) for term in terms))


def test_nothing_needs_no_term() -> None:
    """The empty set has the empty cover."""
    assert minimal_cover(Grid((2, 3)), []) == Cover((), True)


@pytest.mark.parametrize("n_states", [(), (2,), (3, 4), (1, 2, 1), (2,) * 8, (2,) * 10])
def test_everything_is_one_term_of_stars(n_states: tuple[int, ...]) -> None:
    """The whole grid is one term, on small and on large grids."""
    grid = Grid(n_states)
    assert minimal_cover(grid, range(grid.size)) == Cover(((None,) * grid.n_axes,), True)


def test_one_configuration_fixes_every_axis() -> None:
    """A single configuration is its own term."""
    assert minimal_cover(Grid((2, 3, 4)), [17]).terms == ((1, 1, 1),)


def test_axis_with_one_state_is_starred() -> None:
    """A variable that has one state never needs to be named."""
    assert minimal_cover(Grid((2, 1)), [1]).terms == ((1, None),)


def test_terms_may_overlap() -> None:
    """A cross of a row and a column takes two terms that share a configuration; stars sort last."""
    assert minimal_cover(Grid((3, 3)), [1, 3, 4, 5, 7]).terms == ((1, None), (None, 1))


def test_two_of_three_states_take_two_terms() -> None:
    """A term fixes one state, so a set of some states of a variable is several terms."""
    assert minimal_cover(Grid((3, 2)), [0, 1, 4, 5]).terms == ((0, None), (2, None))


def test_order_and_repetition_of_cells_do_not_matter() -> None:
    """Equal sets have equal covers."""
    grid = Grid((2, 2, 2))
    assert minimal_cover(grid, [6, 1, 2, 1, 3]) == minimal_cover(grid, {1, 2, 3, 6})


@pytest.mark.parametrize("n", [3, 4, 5, 8])
def test_cube_without_two_opposite_corners(n: int) -> None:
    """Without all zeros and all ones, a cyclic covering problem, a cube of n variables takes n terms."""
    grid = Grid((2,) * n)
    cover = minimal_cover(grid, range(1, grid.size - 1))
    assert (len(cover.terms), cover.is_minimal) == (n, True)
    assert union(grid, cover.terms) == set(range(1, grid.size - 1))


def test_middle_layers_of_the_8_cube() -> None:
    """Three to five ones out of eight take 56 terms: each term has only one configuration with three ones."""
    grid = Grid((2,) * 8)
    cells = [cell for cell in range(256) if 3 <= cell.bit_count() <= 5]
    cover = minimal_cover(grid, cells)
    assert (len(cover.terms), cover.is_minimal) == (56, True)
    assert union(grid, cover.terms) == set(cells)


def test_parity_needs_every_configuration() -> None:
    """Where no two neighbours are in the set, every configuration is a term."""
    cells = [cell for cell in range(256) if cell.bit_count() % 2]
    assert len(minimal_cover(Grid((2,) * 8), cells).terms) == 128


@pytest.mark.parametrize("n_states", [(4, 4, 4, 4), (2, 3, 4, 5), (3, 3, 3, 3), (2,) * 8])
@pytest.mark.parametrize("density", [0.3, 0.5, 0.7])
def test_random_sets_are_covered_exactly_with_proof(n_states: tuple[int, ...], density: float) -> None:
    """Large random sets are covered, nothing else is, and the number of terms is proven."""
    grid = Grid(n_states)
    cells = np.flatnonzero(np.random.default_rng(5).random(grid.size) < density).tolist()
    cover = minimal_cover(grid, cells)
    assert cover.is_minimal
    assert union(grid, cover.terms) == set(cells)


def test_large_grid_is_covered_greedily() -> None:
    """Beyond the exact size the cover is right and made of prime boxes, but not claimed to be minimal."""
    grid = Grid((2, 3, 4, 5, 3))
    cells = np.flatnonzero(np.random.default_rng(6).random(grid.size) < 0.8).tolist()
    cover = minimal_cover(grid, cells)
    assert not cover.is_minimal
    assert union(grid, cover.terms) == set(cells)
    for term in cover.terms:
        for axis, code in enumerate(term):
            wider = (*term[:axis], None, *term[axis + 1 :])
            assert code is None or not oracle.cells_of(grid, wider) <= set(cells)


def test_two_terms_on_a_large_grid_are_minimal() -> None:
    """A union of two boxes that is no box is known to need two terms."""
    grid = Grid((4,) * 5)
    cells = {int(c) for c in grid.matching({0: 1})} | {int(c) for c in grid.matching({2: 3, 4: 0})}
    cover = minimal_cover(grid, cells)
    assert cover == Cover(((1, None, None, None, None), (None, None, 3, None, 0)), True)


def test_a_search_that_is_cut_short_claims_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the search gives up early, the cover is right but not called minimal."""
    monkeypatch.setattr(module, "MAX_NODES", 1)
    grid = Grid((2,) * 6)
    cells = [cell for cell in range(64) if 2 <= cell.bit_count() <= 4]
    cover = minimal_cover(grid, cells)
    assert not cover.is_minimal
    assert union(grid, cover.terms) == set(cells)
