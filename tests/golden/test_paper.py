"""Every worked example of the paper, with its published numbers."""

from itertools import product

import pytest

from ldag import LDAG, datasets
from ldag.model import Grid, Partition


def set_partitions(n: int) -> list[list[int]]:
    """All partitions of n things, as class numbers by first appearance."""
    found: list[list[int]] = [[]]
    for _ in range(n):
        found = [[*p, c] for p in found for c in range(max(p, default=-1) + 2)]
    return found


def entries(*codes: str) -> frozenset[tuple[int, ...]]:
    """Label entries from strings such as "0*1", stars expanded."""
    return frozenset(
        configuration for code in codes for configuration in product(*((0, 1) if c == "*" else (int(c),) for c in code))
    )


def test_guard_needs_nine_parameters_instead_of_eleven() -> None:
    """The spy, visitor and worker example."""
    guard = datasets.graph("guard")
    assert (guard.dag_dimension, guard.dimension) == (11, 9)
    assert guard.label("gender", "badge") == {("visitor",), ("spy",)}


@pytest.mark.parametrize(("name", "n_classes"), [("tree5", 5), ("or6", 6), ("nonmaximal4", 4)])
def test_local_structures_have_the_published_numbers_of_classes(name: str, n_classes: int) -> None:
    """Figures 3 to 7: binary X1 with three parents."""
    assert datasets.graph(name).partition("1").n_classes == n_classes


def test_the_four_class_structure_is_not_maximal_and_closes_with_one_entry() -> None:
    """Figure 7: (1,1) belongs to the label of (2,1)."""
    graph = datasets.graph("nonmaximal4")
    assert not graph.is_maximal()
    closed = graph.maximal()
    assert closed.is_maximal()
    assert closed == graph
    assert closed.label("2", "1") == entries("01", "10", "11")
    assert closed.label("4", "1") == entries("*1")


def test_the_other_local_structures_are_maximal() -> None:
    """Figures 3 and 5."""
    assert datasets.graph("tree5").is_maximal()
    assert datasets.graph("or6").is_maximal()


def test_regular_labels_whose_closure_is_not_regular() -> None:
    """Figures 8 and 9: every label is a strict subset, but the closure removes 4 -> 1."""
    graph = datasets.graph("nonregular")
    assert graph.label("4", "1") == entries("00", "01", "10")
    assert graph.label("2", "1") == entries("1*")
    assert not graph.is_regular()
    assert graph.maximal().label("4", "1") == entries("**")
    simplified = graph.regular()
    assert simplified.edges == (("2", "1"), ("3", "1"))
    assert simplified.label("2", "1") == {(1,)}
    assert simplified.is_regular()
    assert simplified.is_maximal()
    assert simplified != graph


def test_the_ten_node_generator() -> None:
    """60 parameters as a DAG, 40 with labels; closing the labels of node 7 adds (1,0,1) to that of (4,7)."""
    graph = datasets.graph("generator10")
    assert len(graph.edges) == 20
    assert (graph.dag_dimension, graph.dimension) == (60, 40)
    assert graph.label("3", "7") == entries("011", "1*1")
    assert graph.maximal().label("4", "7") - graph.label("4", "7") == {(1, 0, 1)}
    unchanged = set(graph.edges) - {("4", "7")}
    assert all(graph.maximal().label(*edge) == graph.label(*edge) for edge in unchanged)
    assert graph.is_regular()


def test_heart_graph_has_the_published_labels() -> None:
    """The graph learned at kappa 0.1: 6 edges, 14 and 12 parameters."""
    heart = datasets.graph("heart")
    assert len(heart.edges) == 6
    assert (heart.dag_dimension, heart.dimension) == (14, 12)
    assert heart.label("smoking", "pressure") == {(">3",)}
    assert heart.label("protein", "pressure") == {("no",)}


def test_independence_only_by_cases() -> None:
    """Special case (a): X2 and X4 are independent given X1 and X3, but no single separation shows it."""
    graph = datasets.graph("cases")
    assert not graph.csi_separated("2", "4", ["1", "3"])
    assert graph.csi_separated("2", "4", ["1"], {"3": 0})
    assert graph.csi_separated("2", "4", ["1"], {"3": 1})
    verdict = graph.implies("2", "4", ["1", "3"])
    assert verdict
    assert verdict.how == "cases"
    assert verdict.cases == ({"3": 0}, {"3": 1})


def test_independence_only_by_contraction() -> None:
    """Special case (b): X2 and X4 are independent, by cases over X3 and contraction."""
    graph = datasets.graph("contraction")
    assert not graph.csi_separated("2", "4")
    assert graph.implies("2", "4", "3").how == "cases"
    verdict = graph.implies("2", "4")
    assert verdict
    assert verdict.how == "contraction"
    assert "2 ⊥ 4 | 3" in verdict.explain()
    assert "2 ⊥ 3" in verdict.explain()


def test_the_two_special_cases_say_the_same() -> None:
    """The paper calls them CSI-equivalent; their DAGs are not Markov equivalent."""
    a, b = datasets.graph("cases"), datasets.graph("contraction")
    assert a.equivalent_to(b)
    assert not a.markov_equivalent_to(b)


@pytest.mark.parametrize(("k", "consistent", "regular"), [(1, 2, 1), (2, 12, 9), (3, 958, 927)])
def test_number_of_csi_consistent_partitions_of_the_cube(k: int, consistent: int, regular: int) -> None:
    """Known counts for one, two and three binary parents."""
    grid = Grid((2,) * k)
    found = [p for c in set_partitions(2**k) if (p := Partition.of(grid, c)).is_csi_consistent]
    assert len(found) == consistent
    assert sum(not p.irrelevant_axes() for p in found) == regular


def test_guard_independence_in_contexts() -> None:
    """Gender says nothing of the badge of spies and visitors, and something of that of workers."""
    guard = datasets.graph("guard")
    assert guard.implies("gender", "badge", context={"person": "spy"})
    assert guard.implies("gender", "badge", context={"person": "visitor"})
    assert not guard.implies("gender", "badge", context={"person": "worker"})
    assert not guard.implies("gender", "badge", given="person")
    spies = guard.context_graph({"person": "spy"})
    assert isinstance(spies, LDAG)
    assert set(spies.edges) == {("person", "gender"), ("person", "badge")}


def test_independence_that_only_the_algebra_finds() -> None:
    """Neither separation, cases nor contraction shows x and y independent given z, which they are."""
    graph = LDAG.from_text("x -> m : y=1\ny -> m : x=1\nx -> z : m=1\nm -> z : x=0")
    verdict = graph.implies("x", "y", "z")
    assert verdict
    assert verdict.how == "algebra"
    assert "P(x, y, z) P(z) = P(x, z) P(y, z)" in verdict.explain()
