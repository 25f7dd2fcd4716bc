"""The layout of drawings: boxes apart, parents above children, edges from border to border."""

import random
from collections.abc import Sequence
from itertools import combinations, pairwise

import pytest

from ldag.drawing.layout import Layout, lay_out_layers
from ldag.drawing.routes import Box, Point, curve, meets
from ldag.errors import GraphError

Edge = tuple[int, int]


Size = tuple[float, float]


def is_clear(route: Sequence[Point], boxes: Sequence[Box]) -> bool:
    """Whether the curve through a route keeps out of all boxes."""
    return not any(meets(cubic, box) for cubic in curve(route) for box in boxes)


def random_graph(n_nodes: int, seed: int) -> tuple[list[Size], list[Edge], dict[int, Size]]:
    """Return boxes of various sizes, a sparse DAG with shuffled node numbers, and some labels."""
    rng = random.Random(seed)
    order = rng.sample(range(n_nodes), n_nodes)
    pairs = {(rng.randrange(b), b) for b in range(1, n_nodes) for _ in range(rng.randint(0, 2))}
    edges = [(order[a], order[b]) for a, b in sorted(pairs)]
    sizes = [(rng.uniform(40, 160), rng.choice([20.0, 36.0, 90.0])) for _ in range(n_nodes)]
    labels = {e: (rng.uniform(40, 150), rng.uniform(18, 60)) for e in range(len(edges)) if rng.random() < 0.3}
    return sizes, edges, labels


def boxes(layout: Layout, sizes: Sequence[Size], labels: dict[int, Size]) -> list[Box]:
    """Return the boxes of all nodes and then of all labels."""
    nodes = [Box.around(centre, size) for centre, size in zip(layout.nodes, sizes, strict=True)]
    return nodes + [Box.around(layout.labels[edge], size) for edge, size in labels.items()]


def overlap(a: Box, b: Box) -> bool:
    """Say whether two boxes share more than a border."""
    return a.left < b.right and b.left < a.right and a.top < b.bottom and b.top < a.bottom


@pytest.mark.parametrize("seed", range(40))
def test_invariants_on_random_graphs(seed: int) -> None:
    """Boxes keep apart, parents are above, and edges run from border to border past other boxes."""
    sizes, edges, labels = random_graph(2 + seed if seed < 36 else 37, seed)
    layout = lay_out_layers(sizes, edges, labels)
    drawn = boxes(layout, sizes, labels)
    assert not any(overlap(a, b) for a, b in combinations(drawn, 2))
    tolerance = 1e-6
    assert all(box.left >= -tolerance and box.right <= layout.width + tolerance for box in drawn)
    assert all(box.top >= -tolerance and box.bottom <= layout.height + tolerance for box in drawn)
    for number, (parent, child) in enumerate(edges):
        start, *_, end = route = layout.edges[number]
        assert drawn[parent].bottom < drawn[child].top
        assert start[1] == pytest.approx(drawn[parent].bottom)
        assert drawn[parent].left < start[0] < drawn[parent].right
        assert end[1] == pytest.approx(drawn[child].top)
        assert drawn[child].left < end[0] < drawn[child].right
        assert all(0 <= x <= layout.width for x, _ in route)
        assert all(a[1] < b[1] for a, b in pairwise(route))
        own = [parent, child]
        if number in labels:
            own.append(len(sizes) + list(labels).index(number))
        assert is_clear(route, [box for position, box in enumerate(drawn) if position not in own])


def test_an_edge_runs_through_its_label() -> None:
    """The route of a labelled edge passes the middle of its label."""
    layout = lay_out_layers([(60, 30)] * 3, [(0, 1), (0, 2), (1, 2)], {2: (150, 20)})
    x, y = layout.labels[2]
    heights = [point[1] for point in layout.edges[2]]
    assert min(heights) < y < max(heights)
    assert not is_clear(layout.edges[2], [Box.around((x, y), (1, 1))])


def test_empty_and_single() -> None:
    """No nodes make an empty drawing, one node a drawing of its size; neither needs the layout library."""
    assert lay_out_layers([], []) == Layout(0.0, 0.0, (), (), {})
    assert lay_out_layers([(60, 30)], []) == Layout(60.0, 30.0, ((30.0, 15.0),), (), {})


def test_nodes_without_edges_fill_a_block() -> None:
    """Many nodes without edges are not drawn in one long row."""
    layout = lay_out_layers([(60.0, 30.0)] * 37, [])
    assert len(set(layout.nodes)) == 37
    assert layout.width < 10 * 60


def test_components_stand_side_by_side() -> None:
    """Two components of the same shape have their tops in one line."""
    layout = lay_out_layers([(60.0, 30.0)] * 4, [(0, 1), (2, 3)])
    (x0, y0), _, (x2, y2), _ = layout.nodes
    assert y0 == y2
    assert abs(x0 - x2) > 60


@pytest.mark.parametrize("seed", range(5))
def test_order_of_edges_does_not_matter(seed: int) -> None:
    """A permutation of the edges permutes the routes and changes nothing else."""
    sizes, edges, labels = random_graph(15, seed)
    first = lay_out_layers(sizes, edges, labels)
    order = random.Random(seed).sample(range(len(edges)), len(edges))
    shuffled = {order.index(number): size for number, size in labels.items()}
    second = lay_out_layers(sizes, [edges[number] for number in order], shuffled)
    assert second.nodes == first.nodes
    assert second.edges == tuple(first.edges[number] for number in order)
    assert second.labels == {order.index(number): centre for number, centre in first.labels.items()}


@pytest.mark.parametrize(
    ("edges", "labels", "message"),
    [
        ([(0, 1), (1, 2), (2, 0)], {}, "without cycles, got 0 -> 1 -> 2 -> 0"),
        ([(1, 1)], {}, "without cycles, got 1 -> 1"),
        ([(0, 1), (0, 1)], {}, r"edge \(0, 1\) twice"),
        ([(0, 3)], {}, r"edge \(0, 3\): the graph has 3 nodes"),
        ([(0, 1)], {1: (10.0, 10.0)}, "edge number 1: there are 1 edges"),
    ],
)
def test_what_is_no_dag_is_refused(edges: list[Edge], labels: dict[int, Size], message: str) -> None:
    """Cycles, repeated edges, unknown nodes and labels without an edge are errors that say what is wrong."""
    with pytest.raises(GraphError, match=message):
        lay_out_layers([(60.0, 30.0)] * 3, edges, labels)


def test_curve_is_smooth_and_stays_between_its_points() -> None:
    """Pieces join with one tangent, and their handles stay in the rectangle between their ends."""
    route = [(0.0, 0.0), (50.0, 40.0), (60.0, 100.0), (10.0, 150.0), (10.0, 200.0)]
    pieces = curve(route)
    for (p, a, b, q), end in zip(pieces, route[1:], strict=True):
        assert q == end
        for x, y in (a, b):
            assert min(p[0], q[0]) <= x <= max(p[0], q[0])
            assert p[1] <= y <= q[1]
    for (*_, before, joint), (_, after, *_) in pairwise(pieces):
        arriving = (joint[0] - before[0]) * (after[1] - joint[1])
        leaving = (after[0] - joint[0]) * (joint[1] - before[1])
        assert arriving == pytest.approx(leaving)


def test_clearness_agrees_with_points_on_the_curve() -> None:
    """The exact test of a curve against a box agrees with many points on the curve."""
    rng = random.Random(1)
    for _ in range(200):
        heights = sorted(rng.sample(range(100), 4))
        route = [(rng.uniform(0, 100), float(y)) for y in heights]
        box = Box.around((rng.uniform(0, 100), rng.uniform(0, 100)), (rng.uniform(1, 40), rng.uniform(1, 40)))
        inside = False
        for a, b, c, d in curve(route):
            for step in range(401):
                t = step / 400
                weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
                x = sum(w * p[0] for w, p in zip(weights, (a, b, c, d), strict=True))
                y = sum(w * p[1] for w, p in zip(weights, (a, b, c, d), strict=True))
                inside |= box.left < x < box.right and box.top < y < box.bottom
        if inside:
            assert not is_clear(route, [box])
        else:
            shrunk = Box(box.left + 0.5, box.top + 0.5, box.right - 0.5, box.bottom - 0.5)
            assert is_clear(route, [shrunk])
