"""The native family optimiser: the paper's numbers, ties, regularity, and what it refuses."""

from collections.abc import Mapping, Sequence
from math import lgamma, log, log1p, prod

import numpy as np
import pytest
from numpy.typing import NDArray

import ldag.datasets
from ldag import _native

HEART_PARENTS: Mapping[str, Sequence[str]] = {
    "mental": [],
    "family": [],
    "physical": ["mental"],
    "protein": ["mental"],
    "smoking": ["physical", "protein"],
    "pressure": ["smoking", "protein"],
}


def rows(*table: Sequence[float]) -> NDArray[np.float64]:
    """Counts, one row per configuration."""
    return np.array(table, dtype=np.float64)


def classes_of(
    table: NDArray[np.float64],
    n_states: Sequence[int],
    kappa: float,
    structure: str = "ldag",
    labels: str = "greedy",
    regular: bool = True,
) -> list[int]:
    """The classes found, for equivalent sample size 1."""
    class_lost = (table.shape[1] - 1) * log(kappa)
    found = _native.optimise_family(table, n_states, 1.0, class_lost, structure, labels, regular)
    return list(map(int, found[0]))


def heart_counts(node: str, parents: Sequence[str]) -> NDArray[np.float64]:
    """The counts of a family of the heart data."""
    return ldag.datasets.load("heart").counts(node, parents).astype(np.float64)


@pytest.mark.parametrize(("kappa", "expected"), [(0.1, -6729.69), (0.3, -6727.50)])
def test_the_families_of_the_heart_model_add_up_to_the_published_score(kappa: float, expected: float) -> None:
    """Algorithm 1 finds the labels of the paper's best model, and equation 6 its score."""
    total = 0.0
    for node, parents in HEART_PARENTS.items():
        table = heart_counts(node, parents)
        total += _native.optimise_family(table, [2] * len(parents), 1.0, log(kappa))[1]
    assert total == pytest.approx(expected, abs=0.005)


def test_the_labels_of_blood_pressure_are_the_published_ones() -> None:
    """Pressure depends on smoking unless protein is high, and on protein only for smokers."""
    classes = classes_of(heart_counts("pressure", ["smoking", "protein"]), [2, 2], 0.1)
    assert classes == [0, 0, 1, 0]


def test_one_parent_carries_no_label() -> None:
    """Its only line would make the edge vanish, unless regularity is not asked for."""
    table = rows([50, 50], [50, 50], [50, 50])
    assert classes_of(table, [3], 0.9) == [0, 1, 2]
    assert classes_of(table, [3], 0.9, regular=False) == [0, 0, 0]


def test_partial_labels_join_some_states_of_one_parent() -> None:
    """Two of three states act alike, which no label can say."""
    table = rows([50, 50], [50, 50], [5, 95])
    assert classes_of(table, [3], 0.9) == [0, 1, 2]
    assert classes_of(table, [3], 0.9, "partial") == [0, 0, 1]


def test_decision_graphs_join_configurations_that_are_no_neighbours() -> None:
    """Exclusive or: two classes that no line connects."""
    table = rows([90, 10], [10, 90], [10, 90], [90, 10])
    assert classes_of(table, [2, 2], 0.5) == [0, 1, 2, 3]
    assert classes_of(table, [2, 2], 0.5, "graph") == [0, 1, 1, 0]


def test_trees_use_every_parent_only_if_they_must_be_regular() -> None:
    """The second parent makes no difference; a regular tree still splits by it, where it costs least."""
    table = rows([900, 100], [900, 100], [100, 900], [100, 900])
    assert classes_of(table, [2, 2], 0.5, "tree", regular=False) == [0, 0, 1, 1]
    assert classes_of(table, [2, 2], 0.5, "tree") == [0, 1, 2, 2]


def test_greedy_trees_miss_what_two_splits_show_together() -> None:
    """Neither split of an exclusive or gains by itself; the best tree has both."""
    table = rows([90, 10], [10, 90], [10, 90], [90, 10])
    assert classes_of(table, [2, 2], 0.5, "tree", regular=False) == [0, 0, 0, 0]
    assert classes_of(table, [2, 2], 0.5, "tree", "refined", regular=False) == [0, 1, 2, 3]


def test_ties_go_to_the_first_axis_and_its_first_line() -> None:
    """All lines gain the same; the first parent's label grows first."""
    _, _, _, _, (axis, line, lost, gain) = _native.optimise_family(rows(*[[10, 10]] * 8), [2, 2, 2], 1.0, log(0.9))
    assert (axis[0], line[0], lost[0]) == (0, 0, 1)
    assert gain[0] > 0


def test_one_line_can_join_more_than_two_classes() -> None:
    """A line along a parent with three states loses two classes at once."""
    _, _, _, _, (axis, line, lost, _) = _native.optimise_family(
        rows([50, 50], [50, 50], [50, 50], [90, 10], [50, 50], [10, 90]), [2, 3], 1.0, log(0.5)
    )
    assert (axis[0], line[0], lost[0]) == (1, 0, 2)


def test_a_parent_with_one_state_stands_in_no_ones_way() -> None:
    """It can make no difference, so regularity does not ask it to."""
    table = rows([50, 50], [50, 50], [10, 90], [90, 10])
    assert classes_of(table, [2, 1, 2], 0.5) == classes_of(table, [2, 2], 0.5) == [0, 0, 1, 2]


def test_a_root_has_one_class() -> None:
    """No parents make one configuration, with nothing to search."""
    classes, score, likelihood, _, (axis, _, _, _) = _native.optimise_family(rows([3, 5]), [], 1.0, -1.0)
    assert classes.tolist() == [0]
    assert score == likelihood
    assert len(axis) == 0
    expected = lgamma(1) - lgamma(9) + lgamma(3.5) + lgamma(5.5) - 2 * lgamma(0.5)
    assert likelihood == pytest.approx(expected, abs=1e-12)


def test_tables_keep_all_configurations_apart_and_are_exact() -> None:
    """An ordinary DAG has no choice."""
    classes, _, _, is_exact, _ = _native.optimise_family(rows(*[[5, 5]] * 4), [2, 2], 1.0, 0.0, "table", "refined")
    assert classes.tolist() == [0, 1, 2, 3]
    assert is_exact


@pytest.mark.parametrize("structure", ["tree", "ldag", "partial", "graph"])
def test_without_data_nothing_is_gained(structure: str) -> None:
    """Unobserved configurations score zero however they are grouped."""
    table = np.zeros((8, 3))
    _, score, likelihood, _, _ = _native.optimise_family(table, [2, 2, 2], 1.0, 0.0, structure, "refined")
    assert score == likelihood == 0.0


@pytest.mark.parametrize("structure", ["tree", "ldag", "partial", "graph"])
def test_large_grids_are_refined_without_a_claim(structure: str) -> None:
    """Beyond the exact search, only trees can still be proven best."""
    table = np.random.default_rng(1).poisson(3.0, (243, 2)).astype(np.float64)
    results = {
        labels: _native.optimise_family(table, [3] * 5, 1.0, log(0.5), structure, labels)
        for labels in ("greedy", "exact")
    }
    assert results["exact"][1] >= results["greedy"][1]
    assert results["exact"][3] == (structure == "tree")


def test_given_partitions_are_scored_whatever_their_numbers() -> None:
    """Class numbers are names; the prior counts the classes lost."""
    table = rows([3, 1], [2, 2], [0, 4], [0, 0])
    score, likelihood = _native.score_partition(table, [2, 2], 1.0, -0.5, np.array([7, -1, 7, -1], dtype=np.int32))
    renamed, _ = _native.score_partition(table, [2, 2], 1.0, -0.5, np.array([0, 1, 0, 1], dtype=np.int32))
    assert score == renamed == pytest.approx(likelihood - 1.0)


def test_log_gamma_is_right_at_both_ends() -> None:
    """Near zero it is -ln x; far out Stirling's formula holds."""
    assert _native.testing.log_gamma(1e-300) == pytest.approx(300 * log(10), rel=1e-15)
    assert _native.testing.log_gamma(1e12) == pytest.approx(26631021115915.652, rel=1e-15)
    assert _native.testing.log_gamma(1.0) == pytest.approx(0.0, abs=1e-14)
    assert _native.testing.log_gamma(0.5) == pytest.approx(0.5 * log1p(np.pi - 1), abs=1e-14)


@pytest.mark.parametrize(
    ("n_states", "structure", "labels", "message"),
    [
        ([2, 3], "ldag", "greedy", "one row of counts per configuration"),
        ([2**40, 2**40], "ldag", "greedy", "does not fit"),
        ([0], "ldag", "greedy", "one row of counts"),
        ([2, 2], "forest", "greedy", "expected one of table, tree, .*, got forest"),
        ([2, 2], "ldag", "best", "expected one of greedy, refined, exact, got best"),
    ],
)
def test_nonsense_is_refused(n_states: Sequence[int], structure: str, labels: str, message: str) -> None:
    """The kernel checks what would break memory; the doors speak to people."""
    size = 0 if prod(n_states) == 0 else 4
    with pytest.raises(ValueError, match=message):
        _native.optimise_family(np.ones((size, 2)), n_states, 1.0, 0.0, structure, labels)


def test_a_partition_needs_a_class_for_every_configuration() -> None:
    """A short list of classes is refused."""
    with pytest.raises(ValueError, match="one class per configuration"):
        _native.score_partition(np.ones((4, 2)), [2, 2], 1.0, 0.0, np.zeros(3, dtype=np.int32))


@pytest.mark.parametrize("structure", ["table", "tree", "ldag", "partial", "graph"])
@pytest.mark.parametrize("n_states", [[], [2, 2], [4, 4], [2] * 5, [17], [3] * 3])
def test_what_is_solved_exactly_is_known_before(structure: str, n_states: list[int]) -> None:
    """The answer is that of the search itself."""
    counts = np.random.default_rng(0).integers(0, 9, (int(np.prod(n_states)), 2)).astype(np.float64)
    result = _native.optimise_family(counts, n_states, 1.0, -1.0, structure, "exact", n_restarts=1)
    assert _native.is_solved_exactly(n_states, 2, structure) == result[3]


def test_the_best_tree_of_very_many_configurations_is_not_looked_for() -> None:
    """Eleven binary parents are too many."""
    assert _native.is_solved_exactly([2] * 10, 2, "tree")
    assert not _native.is_solved_exactly([2] * 11, 2, "tree")
