"""One connected component of a drawing: rows of boxes, and edges that keep clear of them.

``fast-sugiyama`` chooses rows and orders but knows one size for all vertices. The horizontal positions are
therefore computed here: as close to the neighbours above and below as the widths of the boxes allow.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ldag.drawing.routes import Box, Point, simplify, x_at

LayerEdge = tuple[int, int]
Size = tuple[float, float]
Route = tuple[Point, ...]
Band = tuple[float, float]
"""The top and the bottom of a row."""

BOX_GAP = 24.0
ROW_GAP = 36.0
MAX_ROW_GAP = 84.0
PORT_GAP = 18.0
CLEARANCE = 7.0

SWEEPS = 60
STRAIGHT_LABEL, STRAIGHT_BEND = 2.0, 5.0
"""How much more a segment wants to be upright at a label or at a bend than at a node."""


@dataclass(frozen=True)
class Piece:
    """A part of a drawing with its upper left corner at the origin: boxes by vertex, routes by edge."""

    width: float
    height: float
    centres: Mapping[int, Point]
    routes: Mapping[LayerEdge, Route]

    def moved(self, dx: float, dy: float) -> "Piece":
        """Return the same piece further to the right and further down."""
        return replace(
            self,
            centres={v: (x + dx, y + dy) for v, (x, y) in self.centres.items()},
            routes={edge: tuple((x + dx, y + dy) for x, y in route) for edge, route in self.routes.items()},
        )


@dataclass(frozen=True)
class Layers:
    """The rows from the top, each from left to right, of one connected graph.

    Vertices beyond those of the graph are *bends*: an edge that spans several rows has one in each row
    between. ``bends`` names them for every edge, from parent to child; ``segments`` join vertices of
    neighbouring rows; ``guess`` is where they would stand if all were equally wide.
    """

    rows: tuple[tuple[int, ...], ...]
    segments: tuple[LayerEdge, ...]
    bends: Mapping[LayerEdge, tuple[int, ...]]
    guess: Mapping[int, float]


def find_layers(n_vertices: int, edges: Sequence[LayerEdge]) -> Layers:
    """Assign the vertices of a connected acyclic graph with at least one edge to rows, with few crossings."""
    from fast_sugiyama import from_edges

    ((positions, _, _, raw_segments),) = from_edges(
        sorted(edges),
        vertex_spacing=1,
        dummy_vertices=True,
        dummy_size=1,
        ranking_type="minimize",
        crossing_minimization="barycenter",
    )
    place = {int(vertex): (float(x), float(y)) for vertex, (x, y) in positions}
    segments = tuple(sorted((int(upper), int(lower)) for upper, lower in raw_segments or ()))
    rows: dict[float, list[int]] = {}
    for vertex in sorted(place, key=lambda v: (-place[v][1], place[v][0])):
        rows.setdefault(place[vertex][1], []).append(vertex)
    return Layers(
        tuple(tuple(row) for row in rows.values()),
        segments,
        _trace_bends(n_vertices, segments),
        {vertex: x for vertex, (x, _) in place.items()},
    )


def _trace_bends(n_vertices: int, segments: Sequence[LayerEdge]) -> dict[LayerEdge, tuple[int, ...]]:
    """Follow every edge from its parent through its bends to its child."""
    after = {upper: lower for upper, lower in segments if upper >= n_vertices}
    bends: dict[LayerEdge, tuple[int, ...]] = {}
    for parent, vertex in segments:
        if parent >= n_vertices:
            continue
        path: list[int] = []
        while vertex >= n_vertices:
            path.append(vertex)
            vertex = after[vertex]  # noqa: PLW2901 - we walk down from the segment's lower end
        bends[parent, vertex] = tuple(path)
    return bends


def place_across(
    layers: Layers,
    widths: Mapping[int, float],
    labels: Collection[int],
    gap: float,
) -> dict[int, float]:
    """Return the horizontal centre of every vertex; boxes of one row stay at least ``gap`` apart.

    Minimises the weighted squares of the horizontal lengths of all segments, one row after the other. Each
    step is the exact optimum of its row, so the sweeps converge to the optimum of the whole drawing.
    """
    pull = _neighbours(layers, widths, labels)
    unit = gap + sum(widths.get(v, 0.0) for row in layers.rows for v in row) / len(layers.guess)
    x: dict[int, float] = {}
    for row in layers.rows:
        x.update(_fit(row, [layers.guess[v] * unit for v in row], [1.0] * len(row), widths, gap))
    downwards = list(layers.rows)
    for row in (downwards + downwards[::-1]) * SWEEPS:
        weights = [sum(weight for _, weight in pull[v]) for v in row]
        wanted = [sum(x[n] * w for n, w in pull[v]) / total for v, total in zip(row, weights, strict=True)]
        x.update(_fit(row, wanted, weights, widths, gap))
    left = min(x[v] - widths.get(v, 0.0) / 2 for v in x)
    return {v: x[v] - left for v in x}


def _neighbours(
    layers: Layers, nodes_and_labels: Collection[int], labels: Collection[int]
) -> dict[int, list[tuple[int, float]]]:
    """Return for every vertex its neighbours above and below, with the weights of the segments to them."""
    straight = {v: 1.0 if v in nodes_and_labels else STRAIGHT_BEND for v in layers.guess}
    straight.update(dict.fromkeys(labels, STRAIGHT_LABEL))
    pull: dict[int, list[tuple[int, float]]] = {v: [] for v in layers.guess}
    for upper, lower in layers.segments:
        weight = straight[upper] * straight[lower]
        pull[upper].append((lower, weight))
        pull[lower].append((upper, weight))
    return pull


def _fit(
    row: Sequence[int],
    wanted: Sequence[float],
    weights: Sequence[float],
    widths: Mapping[int, float],
    gap: float,
) -> dict[int, float]:
    """Place one row as near as possible to where it wants to be, in order and without overlap.

    After the least distances are subtracted this is isotonic regression: pool adjacent violators.
    """
    offsets = [0.0]
    for left, right in pairwise(row):
        offsets.append(offsets[-1] + (widths.get(left, 0.0) + widths.get(right, 0.0)) / 2 + gap)
    pools: list[tuple[float, float, int]] = []  # mean, weight, members
    for want, weight, offset in zip(wanted, weights, offsets, strict=True):
        mean, total, members = want - offset, weight, 1
        while pools and pools[-1][0] > mean:
            other_mean, other_total, other_members = pools.pop()
            mean = (mean * total + other_mean * other_total) / (total + other_total)
            total += other_total
            members += other_members
        pools.append((mean, total, members))
    fitted = [mean for mean, _, members in pools for _ in range(members)]
    return {v: position + offset for v, position, offset in zip(row, fitted, offsets, strict=True)}


def lay_out_component(sizes: Mapping[int, Size], paths: Sequence[tuple[int, ...]]) -> Piece:
    """Lay out one connected component with at least one edge.

    Parameters
    ----------
    sizes
        Size of the box of every vertex: the nodes, and the labels of edges.
    paths
        One path per edge: parent and child, and in between the label if there is one.
    """
    vertices = sorted(sizes)
    number = {vertex: position for position, vertex in enumerate(vertices)}
    joined = [(number[a], number[b]) for path in paths for a, b in pairwise(path)]
    layers = find_layers(len(vertices), joined)
    boxes = {number[vertex]: size for vertex, size in sizes.items()}
    labels = {number[v] for path in paths for v in path[1:-1]}
    across = place_across(layers, {v: width for v, (width, _) in boxes.items()}, labels, BOX_GAP)
    router = _Router(boxes, across, _bands(layers, across, boxes))
    full = [_full_path([number[v] for v in path], layers) for path in paths]
    return Piece(
        max(across[v] + boxes[v][0] / 2 if v in boxes else across[v] for v in across),
        max(bottom for _, bottom in router.bands.values()),
        {vertex: router.centre(number[vertex]) for vertex in vertices},
        {(path[0], path[-1]): route for path, route in zip(paths, router.routes(full), strict=True)},
    )


def _full_path(path: Sequence[int], layers: Layers) -> tuple[int, ...]:
    """Return a path with the bends between its vertices."""
    full = [path[0]]
    for a, b in pairwise(path):
        full += [*layers.bends[a, b], b]
    return tuple(full)


def _bands(layers: Layers, across: Mapping[int, float], boxes: Mapping[int, Size]) -> dict[int, Band]:
    """Return the band of every vertex's row; far-reaching edges push the rows they join further apart."""
    reach = dict.fromkeys(across, 0.0)
    for upper, lower in layers.segments:
        reach[upper] = max(reach[upper], abs(across[upper] - across[lower]))
    bands: dict[int, Band] = {}
    top = 0.0
    for row in layers.rows:
        bottom = top + max(boxes[v][1] if v in boxes else 0.0 for v in row)
        bands.update(dict.fromkeys(row, (top, bottom)))
        top = bottom + min(MAX_ROW_GAP, max(ROW_GAP, 0.2 * max(reach[v] for v in row)))
    return bands


@dataclass(frozen=True)
class _Router:
    """Routes the edges of a component past its boxes. A vertex without a box is a bend."""

    boxes: Mapping[int, Size]
    across: Mapping[int, float]
    bands: Mapping[int, Band]

    def centre(self, vertex: int) -> Point:
        """Return the middle of a vertex."""
        return self.across[vertex], sum(self.bands[vertex]) / 2

    def routes(self, paths: Sequence[tuple[int, ...]]) -> list[Route]:
        """Return the route along every path, from border to border."""
        starts = self._ports([path[:2] for path in paths], 1.0)
        ends = self._ports([path[:-3:-1] for path in paths], -1.0)
        where = dict(self.across)  # of a bend: where its edge really passes, once that is known
        routes = []
        for path, start, end in zip(paths, starts, ends, strict=True):
            leave = [[start], [start, (start[0], self.bands[path[0]][1] + CLEARANCE)]]
            arrive = [[end], [(end[0], self.bands[path[-1]][0] - CLEARANCE), end]]
            stops = [leave, *(self._ways(v) for v in path[1:-1]), arrive]
            route = simplify(stops, self._obstacles(path, where))
            where.update({v: x_at(route, self.centre(v)[1]) for v in path[1:-1]})
            routes.append(route)
        return routes

    def _ports(self, ends: Sequence[tuple[int, ...]], side: float) -> list[Point]:
        """Spread the ends of edges, given with what they aim at, over the lower (1) or upper (-1) border."""
        sharing: dict[int, list[int]] = {}
        for number in sorted(range(len(ends)), key=lambda n: (self.across[ends[n][1]], ends[n])):
            sharing.setdefault(ends[number][0], []).append(number)
        ports: dict[int, Point] = {}
        for vertex, members in sharing.items():
            (x, y), (width, height) = self.centre(vertex), self.boxes[vertex]
            step = min(PORT_GAP, 0.7 * width / len(members))
            for position, number in enumerate(members):
                ports[number] = x + (position - (len(members) - 1) / 2) * step, y + side * height / 2
        return [ports[number] for number in range(len(ends))]

    def _obstacles(self, path: tuple[int, ...], where: Mapping[int, float]) -> list[Box]:
        """Return what a path must not meet: boxes, and in the rows it crosses the bends of other edges."""
        ends = {self.bands[path[0]], self.bands[path[-1]]}
        crossed = {self.bands[v] for v in path[1:-1]}
        obstacles = []
        for v, band in self.bands.items():
            if v not in path and (band in crossed or (v in self.boxes and band in ends)):
                size = self.boxes.get(v, (0.0, band[1] - band[0]))
                margin = CLEARANCE if band in crossed else 0.0
                obstacles.append(Box.around((where[v], sum(band) / 2), size, margin))
        return obstacles

    def _ways(self, vertex: int) -> list[list[Point]]:
        """Return the ways through a row, the freest first and straight down last; a label must be met."""
        x, y = self.centre(vertex)
        top, bottom = self.bands[vertex]
        above, below = (x, top - CLEARANCE), (x, bottom + CLEARANCE)
        ways = [[(x, y)], [(x, y), below], [above, (x, y)], [above, below]]
        return ways if vertex in self.boxes else [[], *ways]
