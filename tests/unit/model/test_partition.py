"""Questions to a partition, against loops over its configurations."""

import numpy as np
import pytest

from ldag.model import Grid, Partition

GRID = Grid((2, 3, 2))
PARTITION = Partition.of(GRID, [4, 4, 1, 0, 0, 4, 1, 1, 2, 2, 2, 1])
NUMBERS = [0, 0, 1, 2, 2, 0, 1, 1, 3, 3, 3, 1]


def test_classes_are_numbered_by_first_appearance() -> None:
    """Whatever the numbers were."""
    assert PARTITION.to_array().tolist() == NUMBERS
    assert PARTITION.n_classes == 4


def test_classes_of_configurations_and_rows() -> None:
    """By number, by codes, and within a context."""
    assert PARTITION.classes_of(np.array([11, 0, 3])).tolist() == [1, 0, 2]
    codes = np.array([GRID.configuration(cell) for cell in (5, 8, 5)], dtype=np.uint8).T
    assert PARTITION.classes_of_rows(codes).tolist() == [NUMBERS[5], NUMBERS[8], NUMBERS[5]]
    expected = [NUMBERS[cell] for cell in range(12) if GRID.configuration(cell)[1] == 2]
    assert PARTITION.classes_within({1: 2}).tolist() == expected


def test_rows_without_parents() -> None:
    """All are in the one class."""
    single = Partition.singletons(Grid(()))
    assert single.classes_of_rows(np.zeros((0, 3), dtype=np.uint8)).tolist() == [0, 0, 0]


def test_sizes_and_first_configurations() -> None:
    """As counting gives them."""
    assert PARTITION.sizes.tolist() == [NUMBERS.count(number) for number in range(4)]
    assert PARTITION.first.tolist() == [NUMBERS.index(number) for number in range(4)]
    assert PARTITION.members() == [[cell for cell in range(12) if NUMBERS[cell] == number] for number in range(4)]


def test_between_rows_by_class_and_by_configuration() -> None:
    """Expanding repeats rows, adding up sums them."""
    by_class = np.arange(8.0).reshape(4, 2)
    assert PARTITION.expand(by_class).tolist() == [by_class[number].tolist() for number in NUMBERS]
    rows = np.random.default_rng(0).random((12, 2))
    for number, total in enumerate(PARTITION.add_up(rows)):
        assert total == pytest.approx(sum(rows[cell] for cell in PARTITION.members()[number]))
