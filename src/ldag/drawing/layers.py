"""The rows of a layered drawing: which row a vertex stands in, in what order, and how far to the right.

``fast-sugiyama`` chooses rows and orders but knows one size for all vertices. The horizontal positions are
therefore found here: as close to the neighbours above and below as the widths of the boxes allow.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

LayerEdge = tuple[int, int]

SWEEPS = 60
STRAIGHT_LABEL, STRAIGHT_BEND = 2.0, 5.0
"""How much more a segment wants to be upright at a label or at a bend than at a node."""


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

    found = from_edges(
        sorted(edges),
        vertex_spacing=1,
        dummy_vertices=True,
        dummy_size=1,
        ranking_type="minimize",
        crossing_minimization="barycenter",
    )
    ((positions, _, _, raw_segments),) = found
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
