"""Graphs compared: edges, equivalence classes, labels and classes."""

import json
import warnings
from math import isnan

import numpy as np
import pytest

import ldag
from ldag import LDAG, LdagError, Network, simulate
from ldag.drawing import Direction
from ldag.drawing.graphs import node_size, place
from ldag.model import Grid, Partition
from ldag.presenting.graphs import comparison_picture
from tests.oracle import distributions

STATES = {name: [0, 1] for name in "abcd"}


def dag(*edges: str) -> LDAG:
    """A DAG over a, b, c, d from edges such as "ab"."""
    return LDAG.from_edges([(edge[0], edge[1]) for edge in edges], states=STATES)


@pytest.mark.parametrize(
    ("first", "second", "of_dags", "of_classes"),
    [
        (("ab", "bc"), ("ab", "bc"), 0, 0),
        (("ab", "bc"), ("ba", "cb"), 2, 0),  # the same chain, read from the other end
        (("ab", "cb"), ("ab", "bc"), 1, 2),  # an immorality has two arrows, the chain has two open edges
        (("ab", "bc"), ("ab",), 1, 1),
        (("ab",), ("cd",), 2, 2),
        (("ab", "cb", "bd"), ("ab", "cb", "db"), 1, 1),  # b -> d is compelled, d -> b is an arrow the other way
        (("ab", "bc", "ac"), ("ba", "cb", "ca"), 3, 0),  # complete graphs say nothing
        ((), ("ab", "bc", "cd"), 3, 3),
    ],
)
def test_hamming_distance_by_hand(
    first: tuple[str, ...], second: tuple[str, ...], of_dags: int, of_classes: int
) -> None:
    """Pairs joined in different ways, in DAGs and in equivalence classes; the same both ways."""
    a, b = dag(*first), dag(*second)
    for x, y in ((a, b), (b, a)):
        assert ldag.structural_hamming_distance(x, y) == of_dags
        assert ldag.structural_hamming_distance(x, y, cpdag=True) == of_classes


def test_hamming_distance_is_that_of_pgmpy() -> None:
    """Random graphs of 8 nodes; and by the definition on the arrows of the equivalence classes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pgmpy.base import DAG
        from pgmpy.metrics import SHD

        for seed in range(10):
            a, b = (simulate.random_ldag(8, n_states=2, rng=10 * seed + i) for i in range(2))
            peers = []
            for graph in (a, b):
                peer = DAG(list(graph.edges))
                peer.add_nodes_from([v.name for v in graph.variables])
                peers.append(peer)
            assert ldag.structural_hamming_distance(a, b) == SHD()(peers[0], peers[1])
            assert ldag.structural_hamming_distance(a, b, cpdag=True) == _class_distance(a, b)


def _class_distance(a: LDAG, b: LDAG) -> int:
    """Pairs whose mark differs: none, an arrow either way, or open."""

    def marks(graph: LDAG) -> dict[frozenset[str], object]:
        found: dict[frozenset[str], object] = {frozenset(edge): edge for edge in graph.cpdag().directed}
        return found | {frozenset(edge): "open" for edge in graph.cpdag().undirected}

    first, second = marks(a), marks(b)
    return sum(first.get(pair) != second.get(pair) for pair in first.keys() | second.keys())


def test_labels_of_one_family_by_hand() -> None:
    """Two of three lines are found, and one that is not true."""
    states = {"a": [0, 1, 2], "b": [0, 1, 2], "c": [0, 1]}
    edges = [("a", "c"), ("b", "c")]
    true = LDAG.from_edges(edges, states=states, labels={("a", "c"): [{"b": 0}, {"b": 1}], ("b", "c"): []})
    learned = LDAG.from_edges(edges, states=states, labels={("a", "c"): [{"b": 0}], ("b", "c"): [{"a": 2}]})
    found = ldag.label_precision_recall(true, learned)
    assert (found.n_first, found.n_second, found.n_common) == (2, 2, 1)
    assert (found.precision, found.recall) == (0.5, 0.5)


def test_labels_over_different_parents() -> None:
    """A parent that the truth lacks: labels are read on the grid with it; edges of one side are left out."""
    states = {"a": [0, 1], "b": [0, 1], "c": [0, 1], "x": [0, 1, 2]}
    true = LDAG.from_edges([("a", "c"), ("b", "c")], states=states, labels={("b", "c"): [{"a": 0}]})
    learned = LDAG.from_edges(
        [("a", "c"), ("b", "c"), ("x", "c")], states=states, labels={("b", "c"): [{"a": 0, "x": 0}]}
    )
    found = ldag.label_precision_recall(true, learned)
    assert (found.n_first, found.n_second, found.n_common) == (3, 1, 1)  # three states of x; one of them is found
    assert found.precision == 1
    assert found.recall == pytest.approx(1 / 3)


def test_labels_are_compared_as_maximal() -> None:
    """What is written and what follows from it are the same."""
    written = ldag.datasets.graph("generator10")
    found = ldag.label_precision_recall(written, written.maximal())
    assert found.precision == found.recall == 1
    assert not written.is_maximal()


def test_without_labels_precision_is_no_number() -> None:
    """Nothing said, nothing wrong."""
    guard = ldag.datasets.graph("guard")
    plain = LDAG.from_edges(guard.edges, states={v.name: v.states for v in guard.variables})
    found = ldag.label_precision_recall(guard, plain)
    assert isnan(found.precision)
    assert found.recall == 0


def test_adjusted_rand_is_that_of_the_textbook_and_of_scikit_learn() -> None:
    """Random partitions of grids with 2 to 4 states."""
    metrics = pytest.importorskip("sklearn.metrics")
    from ldag.comparing.structures import adjusted_rand_index

    rng = np.random.default_rng(1)
    for n_states in ((2, 2), (2, 3), (3, 4), (2, 3, 4)):
        grid = Grid(n_states)
        for n_classes in (1, 2, 4, grid.size):
            a, b = (rng.integers(0, n_classes, grid.size).tolist() for _ in range(2))
            found = adjusted_rand_index(Partition.of(grid, a), Partition.of(grid, b))
            assert found == pytest.approx(distributions.adjusted_rand(a, b), abs=1e-12)
            assert found == pytest.approx(metrics.adjusted_rand_score(a, b), abs=1e-12)


def test_adjusted_rand_over_the_parents_of_either_graph() -> None:
    """C depends on a in one graph and on b in the other: on the grid of both they agree no better than by chance."""
    first, second = dag("ac"), dag("bc", "cd")
    found = ldag.adjusted_rand(first, second)
    expected = distributions.adjusted_rand([0, 0, 1, 1], [0, 1, 0, 1])
    assert found.per_node == {"c": pytest.approx(expected), "d": 0}
    assert found.mean == pytest.approx(expected / 2)
    assert ldag.adjusted_rand(dag(), dag()).mean == 1


def test_order_of_variables_and_states_makes_no_difference() -> None:
    """The same graph, everything listed backwards."""
    net = simulate.guard()
    states = {v.name: list(reversed(v.states)) for v in reversed(net.variables)}
    labels = {("gender", "badge"): [{"person": "visitor"}, {"person": "spy"}]}
    other = LDAG.from_edges(net.ldag.edges, states=states, labels=labels)
    found = ldag.compare(net.ldag, other)
    assert found.structural_hamming_distance == found.cpdag_distance == 0
    assert (found.labels.precision, found.labels.recall, found.adjusted_rand.mean) == (1, 1, 1)
    data = net.sample(500, rng=1)
    assert ldag.kl_divergence(Network.from_data(net.ldag, data), Network.from_data(other, data)) == pytest.approx(
        0, abs=1e-14
    )


def test_comparison_of_networks() -> None:
    """Everything at once, as text and as plain values."""
    truth = simulate.generator10(rng=1)
    states = {v.name: v.states for v in truth.variables}
    edges = [edge for edge in truth.ldag.edges if edge not in {("1", "2"), ("6", "10")}]
    other = simulate.random_network(LDAG.from_edges([*edges, ("2", "1"), ("1", "6")], states=states), rng=2)
    found = ldag.compare(truth, other)
    assert found.missing_edges == (("6", "10"),)
    assert found.extra_edges == (("1", "6"),)
    assert found.reversed_edges == (("1", "2"),)
    assert len(found.common_edges) == 18
    assert found.structural_hamming_distance == ldag.structural_hamming_distance(truth, other) == 3
    assert found.kl_divergence == ldag.kl_divergence(truth, other)
    assert found.dimensions == (40, other.dimension)
    assert "reversed                    1: 1 -> 2" in str(found)
    assert json.loads(json.dumps(found.to_dict()))["labels"]["precision"] is None
    estimated = ldag.compare(truth, other, n_samples=1000)
    assert estimated.kl_standard_error is not None
    assert "standard error" in str(estimated)


def test_infinity_is_plain_json() -> None:
    """JSON has no infinity."""
    graph = LDAG.from_edges([], states={"a": [0, 1]})
    p, q = (Network.from_parameters(graph, {"a": row}) for row in ([0.5, 0.5], [1, 0]))
    assert ldag.compare(p, q).to_dict()["kl_divergence"] == "inf"


def test_mistakes_say_what_to_do() -> None:
    """Options that do not apply, other things than graphs, grids that do not fit."""
    net = simulate.guard()
    with pytest.raises(LdagError, match="n_samples is for the divergence of two networks"):
        ldag.compare(net, net.ldag, n_samples=10)
    with pytest.raises(LdagError, match="give n_samples too"):
        ldag.compare(net, net, rng=1)
    with pytest.raises(LdagError, match="expected an LDAG or a Network, got str"):
        ldag.structural_hamming_distance(net, "guard")  # type: ignore[arg-type]
    wide = LDAG.from_partitions({"x27": ([f"x{i}" for i in range(1, 14)], [0] * 2**13)}, states=_binary(27))
    other = LDAG.from_partitions({"x27": ([f"x{i}" for i in range(14, 27)], [0] * 2**13)}, states=_binary(27))
    with pytest.raises(LdagError, match="'x27' has in either graph have 67,108,864 configurations"):
        ldag.adjusted_rand(wide, other)


def _binary(n: int) -> dict[str, list[int]]:
    return {f"x{i}": [0, 1] for i in range(1, n + 1)}


def test_what_is_not_defined_is_said_in_words() -> None:
    """Recall of labels that are not there."""
    guard = ldag.datasets.graph("guard")
    plain = ldag.LDAG.from_edges(guard.edges, states={v.name: v.states for v in guard.variables})
    shown = str(ldag.compare(plain, guard))
    assert "recall                      not defined: the first has no label on a common edge" in shown
    assert "not defined: the second has no label on a common edge" in str(ldag.compare(guard, plain))
    assert "not defined" not in str(ldag.compare(guard, guard))


def test_labels_of_edges_that_one_graph_has_are_counted_by_themselves() -> None:
    """The label of b -> c is over a, which has three states; the second graph has no such edge, or reverses it."""
    states = {"a": [0, 1, 2], "b": [0, 1], "c": [0, 1, 2, 3]}
    first = LDAG.from_edges(
        [("a", "c"), ("b", "c")], states=states, labels={("b", "c"): [{"a": 0}, {"a": 2}], ("a", "c"): [{"b": 1}]}
    )
    for edges in ([("a", "c")], [("a", "c"), ("c", "b")]):
        second = LDAG.from_edges(edges, states=states)
        found = ldag.compare(first, second)
        assert (found.labels.n_first, found.other_label_lines) == (1, (2, 0))
        assert "label lines of common edges   0 in both, 1 in the first, 0 in the second\n" in str(found)
        assert "  of other edges              2 in the first, 0 in the second\n" in str(found)
        assert found.to_dict()["other_label_lines"] == (2, 0)
        assert ldag.compare(second, first).other_label_lines == (0, 2)
    assert "of other edges" not in str(ldag.compare(first, first))


def test_labels_that_follow_from_others_do_not_differ() -> None:
    """A graph and its maximal form say the same of every edge."""
    written = ldag.datasets.graph("generator10")
    assert written.label("4", "7") != written.maximal().label("4", "7")
    found = ldag.compare(written, written.maximal())
    assert found.differing_labels == ()
    assert found.edge_labels["4", "7"].agree


def test_labels_of_each_edge_are_told_side_by_side() -> None:
    """What the two graphs say of an edge stands in the result, in the picture and in plain values."""
    edges = [("a", "c"), ("b", "c"), ("c", "d")]
    first = LDAG.from_edges(edges, states=STATES, labels={("b", "c"): [{"a": 0}]})
    second = LDAG.from_edges(edges, states=STATES, labels={("b", "c"): [{"a": 0}], ("a", "c"): [{"b": 1}]})
    found = ldag.compare(first, second)
    assert found.differing_labels == (("a", "c"),)
    assert found.edge_labels["b", "c"].agree
    assert found.to_dict()["edge_labels"] == [
        {"edge": ("a", "c"), "first": (), "second": ({"b": 1},)},
        {"edge": ("b", "c"), "first": ({"a": 0},), "second": ({"a": 0},)},
    ]
    picture = {edge.ends: edge.label for edge in comparison_picture(found, {}).edges}
    assert picture[0, 2] == ("first: no label", "second: not if b is 1")
    assert picture[1, 2] == ("not if a is 0",)
    assert picture[2, 3] == ()


@pytest.mark.parametrize("direction", ["down", "right"])
def test_two_graphs_that_have_a_cycle_together_are_drawn(direction: Direction) -> None:
    """One graph is a -> b -> c, the other b -> c -> a: every arrow ends at its child's box."""
    found = ldag.compare(dag("ab", "bc"), dag("bc", "ca"))
    placed = place(comparison_picture(found, {"direction": direction}))
    assert len(placed.picture.nodes) == 4  # d has no edges
    for edge, pieces in zip(placed.picture.edges, placed.curves, strict=True):
        for end, point in ((edge.parent, pieces[0][0]), (edge.child, pieces[-1][-1])):
            (x, y), (width, height) = placed.nodes[end], node_size(placed.texts[end])
            assert abs(point[0] - x) <= width / 2 + 1e-9
            assert abs(point[1] - y) <= height / 2 + 1e-9
