"""Counts of families."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ldag.data import Codes, Columns, Weights, count_family
from ldag.errors import TooLarge

CODES = np.array([[0, 0, 1, 1], [2, 2, 0, 1]], dtype=np.uint8)


def count(
    codes: Codes, n_states: Sequence[int], node: int, parents: Sequence[int], weights: Weights | None = None
) -> Weights:
    """Count one family of data that are made for it."""
    return count_family(Columns(codes, n_states, weights), n_states, node, parents)


def test_one_row_per_configuration_and_one_column_per_state() -> None:
    """Configurations and states that do not occur are counted as zero."""
    assert count(CODES, (3, 3), 0, (1,)).tolist() == [[0, 1, 0], [0, 1, 0], [2, 0, 0]]


def test_no_parents_make_one_configuration() -> None:
    """The table of a root has a single row."""
    assert count(CODES, (2, 3), 1, ()).tolist() == [[1, 1, 2]]


def test_the_last_parent_is_fastest() -> None:
    """Parents stand in the order asked for."""
    codes = np.array([[0], [1], [2]], dtype=np.uint8)
    assert np.argwhere(count(codes, (2, 2, 3), 0, (1, 2))).tolist() == [[1 * 3 + 2, 0]]
    assert np.argwhere(count(codes, (2, 2, 3), 0, (2, 1))).tolist() == [[2 * 2 + 1, 0]]


def test_whole_weights_are_added_exactly() -> None:
    """Sums beyond the whole numbers that a double can hold stay exact."""
    large = 2**53 + 1
    weights = np.array([large, 0, 1, 1], dtype=np.int64)
    table = count(CODES, (2, 3), 0, (), weights)
    assert table.dtype == np.int64
    assert table.tolist() == [[large, 2]]


def test_real_weights_give_real_counts() -> None:
    """Real weights are added as they are."""
    table = count(CODES, (2, 3), 0, (), np.array([0.5, 0.25, 1.0, 0.0]))
    assert table.tolist() == [[0.75, 1.0]]


def test_no_rows_count_nothing() -> None:
    """An empty table gives zeros."""
    assert count(np.zeros((2, 0), dtype=np.uint8), (2, 3), 0, (1,)).tolist() == [[0, 0]] * 3


def test_a_table_beyond_the_limit_is_refused_before_it_is_made() -> None:
    """The error tells the size; a hundred parents would never fit."""
    few = Columns(np.zeros((4, 1), dtype=np.uint8), (3,) * 4)
    with pytest.raises(TooLarge, match=r"3 parents needs a table of 27 configurations x 3 states; at most 80"):
        count_family(few, (3,) * 4, 0, (1, 2, 3), limit=80)
    many = Columns(np.zeros((101, 1), dtype=np.uint8), (2,) * 101)
    with pytest.raises(TooLarge, match="100 parents"):
        count_family(many, (2,) * 101, 100, range(100))


def test_columns_are_a_copy() -> None:
    """Whoever changes the arrays afterwards does not change the counts."""
    codes, weights = CODES.copy(), np.array([5, 5, 5, 5], dtype=np.int64)
    columns = Columns(codes, (2, 3), weights)
    codes[:] = 0
    weights[:] = 0
    assert columns.counts([1]).tolist() == [5, 5, 10]


def test_columns_refuse_what_would_be_counted_wrongly() -> None:
    """Codes without a state, sizes that do not fit, other types of numbers, and columns that are not there."""
    with pytest.raises(ValueError, match="column 1 holds code 2 but its variable has 2 states"):
        Columns(CODES, (2, 2))
    with pytest.raises(ValueError, match="one number of states per column"):
        Columns(CODES, (2,))
    with pytest.raises(ValueError, match="one weight per row"):
        Columns(CODES, (2, 3), np.ones(3))
    with pytest.raises(TypeError, match="incompatible"):
        Columns(CODES, (2, 3), np.ones(4, dtype=np.float32))  # type: ignore[arg-type]  # the point of the test
    with pytest.raises(IndexError, match="no column 2 among 2"):
        Columns(CODES, (2, 3)).counts([2])


def test_threads_count_at_the_same_time() -> None:
    """Tables asked for by several threads at once, first uses included, are those that one thread gets."""
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 3, size=(6, 20_000), dtype=np.uint8)
    families = [[a, b, c] for a in range(6) for b in range(6) for c in range(6)]
    alone = Columns(codes, (3,) * 6)
    expected = [alone.counts(family).tolist() for family in families]
    shared = Columns(codes, (3,) * 6)
    with ThreadPoolExecutor(4) as pool:
        found = [table.tolist() for table in pool.map(shared.counts, families)]
    assert found == expected
