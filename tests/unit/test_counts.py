"""Counts of families."""

import numpy as np
import pytest

from ldag.counts import counts
from ldag.errors import TooLarge

CODES = np.array([[0, 0, 1, 1], [2, 2, 0, 1]], dtype=np.uint8)


def test_one_row_per_configuration_and_one_column_per_state() -> None:
    """Configurations and states that do not occur are counted as zero."""
    assert counts(CODES, (3, 3), 0, (1,)).tolist() == [[0, 1, 0], [0, 1, 0], [2, 0, 0]]


def test_no_parents_make_one_configuration() -> None:
    """The table of a root has a single row."""
    assert counts(CODES, (2, 3), 1, ()).tolist() == [[1, 1, 2]]


def test_the_last_parent_is_fastest() -> None:
    """Parents stand in the order asked for."""
    codes = np.array([[0], [1], [2]], dtype=np.uint8)
    assert np.argwhere(counts(codes, (2, 2, 3), 0, (1, 2))).tolist() == [[1 * 3 + 2, 0]]
    assert np.argwhere(counts(codes, (2, 2, 3), 0, (2, 1))).tolist() == [[2 * 2 + 1, 0]]


def test_whole_weights_are_added_exactly() -> None:
    """Sums beyond the whole numbers that a double can hold stay exact."""
    large = 2**53 + 1
    weights = np.array([large, 0, 1, 1], dtype=np.int64)
    table = counts(CODES, (2, 3), 0, (), weights)
    assert table.dtype == np.int64
    assert table.tolist() == [[large, 2]]


def test_real_weights_give_real_counts() -> None:
    """Real weights are added as they are."""
    table = counts(CODES, (2, 3), 0, (), np.array([0.5, 0.25, 1.0, 0.0]))
    assert table.tolist() == [[0.75, 1.0]]


def test_no_rows_count_nothing() -> None:
    """An empty table gives zeros."""
    assert counts(np.zeros((2, 0), dtype=np.uint8), (2, 3), 0, (1,)).tolist() == [[0, 0]] * 3


def test_a_table_beyond_the_limit_is_refused_before_it_is_made() -> None:
    """The error tells the size; a hundred parents would never fit."""
    with pytest.raises(TooLarge, match=r"3 parents needs a table of 27 configurations x 3 states; at most 80"):
        counts(np.zeros((4, 1), dtype=np.uint8), (3,) * 4, 0, (1, 2, 3), limit=80)
    with pytest.raises(TooLarge, match="100 parents"):
        counts(np.zeros((101, 1), dtype=np.uint8), (2,) * 101, 100, range(100))
