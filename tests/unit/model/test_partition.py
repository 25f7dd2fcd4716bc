"""Questions to a partition, against loops over its configurations."""

import pickle

import numpy as np
import pytest

from ldag.model import Grid, Partition, WrittenLabels

GRID = Grid((2, 3, 2))
PARTITION = Partition.of(GRID, [4, 4, 1, 0, 0, 4, 1, 1, 2, 2, 2, 1])
NUMBERS = [0, 0, 1, 2, 2, 0, 1, 1, 3, 3, 3, 1]


def test_classes_are_numbered_by_first_appearance() -> None:
    """Whatever the numbers were."""
    assert PARTITION.to_array().tolist() == NUMBERS
    assert PARTITION.n_classes == 4


def test_classes_of_rows() -> None:
    """By number, by codes, and within a context."""
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


def test_a_partition_of_few_configurations_and_the_rest() -> None:
    """Whatever numbers are given: equal to the one of all numbers, which are worked out only when asked for."""
    rng = np.random.default_rng(1)
    for _ in range(200):
        grid = Grid(tuple(rng.integers(2, 5, rng.integers(1, 4)).tolist()))
        cells = rng.permutation(grid.size)[: rng.integers(0, grid.size + 1)]
        *classes, rest = rng.integers(0, 4, len(cells) + 1).tolist()
        dense = np.full(grid.size, rest)
        dense[cells] = classes
        partition, given = Partition.mostly_one(grid, cells, classes, rest)
        assert "_classes" not in vars(partition)
        expected = Partition.of(grid, dense)
        assert partition.n_classes == expected.n_classes == len(given)
        assert partition == expected
        assert [given[number] for number in partition.to_array()] == dense.tolist()
        assert pickle.loads(pickle.dumps(partition)) == expected


def test_written_labels_and_classes_are_joined() -> None:
    """Lines of labels, and classes on top of them, by a search of what is connected."""
    rng = np.random.default_rng(2)
    for _ in range(200):
        grid = Grid(tuple(rng.integers(2, 5, rng.integers(2, 4)).tolist()))
        labels = tuple(tuple(_contexts(grid.without(axis), rng)) for axis in range(grid.n_axes))
        classes = tuple(tuple(_contexts(grid, rng)) for _ in range(rng.integers(0, 3)))
        joined = [
            line for axis, own in enumerate(labels) for line in grid.lines(axis)[grid.without(axis).covering(own)]
        ]
        joined += [np.flatnonzero(grid.covering(own)) for own in classes]
        numbers = list(range(grid.size))
        for together in joined:
            met = {numbers[cell] for cell in together}
            numbers = [min(met) if number in met else number for number in numbers]
        assert Partition.of_written(WrittenLabels(grid, labels, classes)) == Partition.of(grid, numbers)


def _contexts(grid: Grid, rng: np.random.Generator) -> list[dict[int, int]]:
    """Up to two contexts, each of some of the axes."""
    return [
        {axis: int(rng.integers(n)) for axis, n in enumerate(grid.n_states) if rng.random() < 0.7}
        for _ in range(rng.integers(0, 3))
    ]


def test_a_mask_covers_what_agrees_with_a_context() -> None:
    """By looking at every configuration."""
    grid = Grid((2, 3, 4))
    contexts = [{0: 1, 2: 3}, {1: 0}]
    cells = [grid.configuration(cell) for cell in range(grid.size)]
    expected = [any(all(codes[axis] == code for axis, code in one.items()) for one in contexts) for codes in cells]
    assert grid.covering(contexts).tolist() == expected
    assert not grid.covering([]).any()
    assert grid.covering([{}]).all()
