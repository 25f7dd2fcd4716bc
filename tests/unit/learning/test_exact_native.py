"""The exact search over partitions on cases whose answers are known."""

import math

import numpy as np
import pytest

from ldag._native import testing


def number_of_partitions(n_states: tuple[int, ...], structure: str, regular: bool = False) -> float:
    """Without data every partition scores 0, so that the sum counts them."""
    counts = np.zeros((math.prod(n_states), 2))
    return math.exp(testing.log_sum_partitions(counts, n_states, 1.0, 0.0, structure, regular))


@pytest.mark.parametrize(("n_parents", "all_of_them", "regular"), [(1, 2, 1), (2, 12, 9), (3, 958, 927)])
def test_labelled_partitions_of_binary_parents(n_parents: int, all_of_them: int, regular: int) -> None:
    """The numbers of CSI-consistent partitions, and of the regular ones."""
    n_states = (2,) * n_parents
    assert number_of_partitions(n_states, "ldag") == pytest.approx(all_of_them, rel=1e-12)
    assert number_of_partitions(n_states, "ldag", regular=True) == pytest.approx(regular, rel=1e-12)


@pytest.mark.parametrize(
    ("n_states", "bell"), [((2, 2), 15), ((3, 3), 21147), ((2, 2, 3), 4213597), ((16,), 10480142147)]
)
def test_all_partitions_are_counted_by_bell_numbers(n_states: tuple[int, ...], bell: int) -> None:
    """A decision graph allows any classes."""
    assert number_of_partitions(n_states, "graph") == pytest.approx(bell, rel=1e-12)


def test_only_one_partition_is_a_table() -> None:
    """Every configuration by itself."""
    assert number_of_partitions((2, 2, 2, 2), "table") == 1.0


def test_trees_that_make_the_same_partition_count_once() -> None:
    """Two binary parents: no split, one parent (2), both (4 trees, of which two make the full table)."""
    assert number_of_partitions((2, 2), "tree") == pytest.approx(1 + 2 + 2 * 2 + 1)
    assert number_of_partitions((2, 2), "tree", regular=True) == pytest.approx(2 * 2 + 1)


def test_a_line_of_three_states_joins_only_as_a_whole() -> None:
    """Two of three states alike is no label, but is a partial label."""
    counts = np.array([[100.0, 0.0], [100.0, 0.0], [0.0, 100.0]])
    for structure, expected in [("ldag", [0, 1, 2]), ("partial", [0, 0, 1]), ("graph", [0, 0, 1])]:
        assert testing.exact_partition(counts, (3,), 1.0, 0.0, structure, False)[0].tolist() == expected


def test_regular_keeps_every_parent() -> None:
    """The rows depend on the first parent only; asked for a regular answer, the second stays somewhere."""
    counts = np.array([[50.0, 5.0], [50.0, 5.0], [5.0, 50.0], [4.0, 60.0]])
    free = testing.exact_partition(counts, (2, 2), 1.0, 0.0, "ldag", False)
    kept = testing.exact_partition(counts, (2, 2), 1.0, 0.0, "ldag", True)
    assert free[0].tolist() == [0, 0, 1, 1]
    assert kept[0].tolist() == [0, 0, 1, 2]
    assert kept[1] < free[1]


def test_ties_keep_classes_apart() -> None:
    """Without data and with a uniform prior nothing is gained by merging."""
    for structure in ("tree", "ldag", "partial", "graph"):
        assert testing.exact_partition(np.zeros((8, 3)), (2, 4), 1.0, 0.0, structure, False)[0].tolist() == list(
            range(8)
        )


def test_no_parents_leave_one_class() -> None:
    """The grid of no parents has one configuration, which is regular."""
    counts = np.array([[3.0, 1.0]])
    classes, score = testing.exact_partition(counts, (), 1.0, -1.0, "ldag", True)
    assert classes.tolist() == [0]
    assert score == pytest.approx(math.log(0.5 * 1.5 * 2.5 * 0.5 / 24))
    assert testing.log_sum_partitions(counts, (), 1.0, -1.0, "ldag", True) == pytest.approx(score)


def test_a_parent_with_a_single_state_is_not_asked_to_matter() -> None:
    """It cannot: the result is that of the other parents."""
    counts = np.array([[8.0, 1.0], [2.0, 9.0]])
    with_it, without = (testing.exact_partition(counts, sizes, 1.0, 0.0, "ldag", True) for sizes in ((2, 1), (2,)))
    assert with_it[0].tolist() == without[0].tolist() == [0, 1]
    assert with_it[1] == without[1]
    assert testing.log_sum_partitions(counts, (2, 1), 1.0, 0.0, "ldag", True) == pytest.approx(without[1])


def test_unsuitable_arguments_are_refused() -> None:
    """Too many configurations, a wrong number of rows, an unknown structure."""
    with pytest.raises(ValueError, match="1 to 16 configurations, this one has 18"):
        testing.exact_partition(np.ones((18, 2)), (3, 6), 1.0, 0.0, "ldag", False)
    with pytest.raises(ValueError, match="one row of counts per configuration"):
        testing.log_sum_partitions(np.ones((3, 2)), (2, 2), 1.0, 0.0, "ldag", False)
    with pytest.raises(ValueError, match="got forest"):
        testing.exact_partition(np.ones((4, 2)), (2, 2), 1.0, 0.0, "forest", False)
