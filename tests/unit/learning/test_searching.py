"""Searches by node numbers: what is chosen unless the user says otherwise."""

import numpy as np
import pytest

from ldag.data.counts import Columns
from ldag.learning import LabelSearch
from ldag.learning.constraints import SearchSpace
from ldag.learning.partitions import FamilyOptions
from ldag.learning.searching import Choice, choose_method, learned_structure
from ldag.model import Partition
from ldag.scoring import Priors


def empty_space(n: int) -> SearchSpace:
    """No candidates for any of n nodes."""
    return SearchSpace(((),) * n, ((),) * n, (0,) * n, ((),) * n)


@pytest.mark.parametrize(("n", "expected"), [(3, 40), (100, 40), (101, 2020), (223, 4460), (3000, 5000)])
def test_larger_graphs_are_restarted_more_often(n: int, expected: int) -> None:
    """Unless told otherwise."""
    families, data = FamilyOptions(Priors(1.0, 1.0, "labels"), "table", "greedy"), ([2] * n, 1)
    assert choose_method(Choice("climb", 1, 1, None), empty_space(n), families, data, 1).n_restarts == expected
    assert choose_method(Choice("climb", 1, 1, 7), empty_space(n), families, data, 1).n_restarts == 7


@pytest.mark.parametrize(
    ("n", "max_parents", "labels", "expected"),
    [(6, 5, "exact", "exact"), (16, 4, "greedy", "exact"), (16, 15, "greedy", "climb"), (60, 2, "greedy", "climb")],
)
def test_auto_is_exact_where_that_is_affordable(n: int, max_parents: int, labels: LabelSearch, expected: str) -> None:
    """By the sizes of the problem alone, so that it is the same every time."""
    others = tuple(tuple(i for i in range(n) if i != j) for j in range(n))
    space = SearchSpace(others, ((),) * n, (max_parents,) * n, ((),) * n)
    families = FamilyOptions(Priors(0.1, 1.0, "labels"), "ldag", labels)
    assert choose_method(Choice("auto", 1, 1, None), space, families, ([2] * n, 1000), 1).method == expected


def test_tables_have_no_labels() -> None:
    """A graph of tables gets singletons without a search."""
    columns = Columns(np.array([[0, 1, 2], [0, 1, 0]], dtype=np.uint8), [3, 2], None)
    found = learned_structure(columns, (3, 2), ((), (0,)), FamilyOptions(Priors(0.1, 1.0, "labels"), "table", "greedy"))
    assert found.families[1].partition == Partition.of(found.grid((0,)), [0, 1, 2])
    assert not any(mask.any() for mask in found.families[1].labels)
