"""One connected component of a drawing: rows of boxes, and edges that keep clear of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from ldag.drawing.layers import LayerEdge, Layers, find_layers, place_across
from ldag.drawing.routes import Box, Point, simplified, x_at

Size = tuple[float, float]
Route = tuple[Point, ...]
Band = tuple[float, float]
"""The top and the bottom of a row."""

BOX_GAP = 24.0
ROW_GAP = 36.0
MAX_ROW_GAP = 84.0
PORT_GAP = 18.0
CLEARANCE = 7.0


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


def layered_piece(sizes: Mapping[int, Size], paths: Sequence[tuple[int, ...]]) -> Piece:
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
            route = simplified(stops, self._obstacles(path, where))
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
        found = []
        for v, band in self.bands.items():
            if v not in path and (band in crossed or (v in self.boxes and band in ends)):
                size = self.boxes.get(v, (0.0, band[1] - band[0]))
                margin = CLEARANCE if band in crossed else 0.0
                found.append(Box.around((where[v], sum(band) / 2), size, margin))
        return found

    def _ways(self, vertex: int) -> list[list[Point]]:
        """Return the ways through a row, the freest first and straight down last; a label must be met."""
        x, y = self.centre(vertex)
        top, bottom = self.bands[vertex]
        above, below = (x, top - CLEARANCE), (x, bottom + CLEARANCE)
        ways = [[(x, y)], [(x, y), below], [above, (x, y)], [above, below]]
        return ways if vertex in self.boxes else [[], *ways]
