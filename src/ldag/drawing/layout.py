"""Positions of the boxes and routes of the edges of a labelled DAG: parents above children.

A labelled edge runs through its label: for the layout, the label is one more box between parent and child.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, sqrt

from ldag.drawing.component import BOX_GAP, ROW_GAP, LayerEdge, Piece, Route, Size, lay_out_component
from ldag.drawing.routes import Point
from ldag.errors import GraphError
from ldag.model import find_cycle

PIECE_GAP = 40.0
ASPECT = 1.8
"""Components go side by side until the drawing is about this many times as wide as high."""


@dataclass(frozen=True)
class Layout:
    """A drawing without ink: the centres of the boxes and labels, and the routes of the edges.

    The y axis points down. A route goes from the lower border of the parent to the upper border of the child;
    routes are in the order of the edges given, and the keys of ``labels`` are positions in that order.
    """

    width: float
    height: float
    nodes: tuple[Point, ...]
    edges: tuple[Route, ...]
    labels: Mapping[int, Point]


def lay_out_layers(
    node_sizes: Sequence[Size], edges: Sequence[LayerEdge], label_sizes: Mapping[int, Size] | None = None
) -> Layout:
    """Lay out a DAG in rows; the drawing does not depend on the order of the edges.

    Parameters
    ----------
    node_sizes
        Width and height of the box of every node.
    edges
        Pairs (parent, child) of node numbers.
    label_sizes
        Width and height of the labels of the edges that have one, by the position of the edge.
    """
    label_sizes = label_sizes or {}
    _check(len(node_sizes), edges, label_sizes)
    sizes = dict(enumerate(node_sizes))
    label_of: dict[LayerEdge, int] = {}
    for position in sorted(label_sizes, key=lambda p: edges[p]):
        label_of[edges[position]] = len(sizes)
        sizes[len(sizes)] = label_sizes[position]
    paths = [(p, label_of[p, c], c) if (p, c) in label_of else (p, c) for p, c in sorted(edges)]
    whole = _pack(_pieces(sizes, paths))
    return Layout(
        whole.width,
        whole.height,
        tuple(whole.centres[node] for node in range(len(node_sizes))),
        tuple(whole.routes[edge] for edge in edges),
        {position: whole.centres[label_of[edges[position]]] for position in sorted(label_sizes)},
    )


def _check(n_nodes: int, edges: Sequence[LayerEdge], positions: Iterable[int]) -> None:
    """Refuse what is no simple DAG: the layout library ends the process when it meets a cycle."""
    parents: list[list[int]] = [[] for _ in range(n_nodes)]
    for parent, child in edges:
        if not (0 <= parent < n_nodes and 0 <= child < n_nodes):
            raise GraphError(f"cannot draw edge ({parent}, {child}): the graph has {n_nodes} nodes")
        if parent in parents[child]:
            raise GraphError(f"cannot draw edge ({parent}, {child}) twice; give every edge once")
        parents[child].append(parent)
    if (cycle := find_cycle(parents)) is not None:
        raise GraphError(f"can only draw a graph without cycles, got {' -> '.join(map(str, cycle))}")
    for position in positions:
        if not 0 <= position < len(edges):
            raise GraphError(f"cannot draw a label on edge number {position}: there are {len(edges)} edges")


def _pieces(sizes: Mapping[int, Size], paths: Sequence[tuple[int, ...]]) -> list[Piece]:
    """Lay out the components, the largest first, and the nodes without edges together at the end."""
    groups = _components(sizes, paths)
    pieces = []
    for group in groups:
        inside = [path for path in paths if path[0] in group]
        if inside:
            pieces.append(lay_out_component({vertex: sizes[vertex] for vertex in group}, inside))
    pieces.sort(key=lambda piece: (-len(piece.centres), min(piece.centres)))
    isolated = {min(group): sizes[min(group)] for group in groups if len(group) == 1}
    if isolated:
        pieces.append(_place_isolated(isolated, pieces))
    return pieces


def _components(vertices: Iterable[int], paths: Iterable[tuple[int, ...]]) -> list[set[int]]:
    """Return the connected components, by their smallest vertex."""
    group = {vertex: {vertex} for vertex in vertices}
    for path in paths:
        merged = set[int]().union(*(group[vertex] for vertex in path))
        group.update(dict.fromkeys(merged, merged))
    return [members for vertex, members in sorted(group.items()) if vertex == min(members)]


def _place_isolated(sizes: Mapping[int, Size], pieces: Sequence[Piece]) -> Piece:
    """Put nodes without edges in columns beside the others, or in rows below them where there is no room beside."""
    across = max(width for width, _ in sizes.values()) + BOX_GAP
    down = max(h for _, h in sizes.values()) + ROW_GAP / 2
    if not pieces:
        return _make_grid(sizes, ceil(sqrt(len(sizes))))
    n_rows = max(1, int((max(piece.height for piece in pieces) + ROW_GAP / 2) // down))
    beside = _make_grid(sizes, ceil(len(sizes) / n_rows))
    widest = _shelf_width([*pieces, beside])
    if max(piece.width for piece in pieces) + PIECE_GAP + beside.width <= widest:
        return beside
    return _make_grid(sizes, min(len(sizes), max(1, int((widest + BOX_GAP) // across))))


def _make_grid(sizes: Mapping[int, Size], n_columns: int) -> Piece:
    """Put nodes in rows of so many."""
    cell_width = max(width for width, _ in sizes.values())
    cell_height = max(h for _, h in sizes.values())
    across, down = cell_width + BOX_GAP, cell_height + ROW_GAP / 2
    centres = {}
    for position, vertex in enumerate(sorted(sizes)):
        row, column = divmod(position, n_columns)
        centres[vertex] = cell_width / 2 + column * across, cell_height / 2 + row * down
    n_rows = ceil(len(sizes) / n_columns)
    return Piece(n_columns * across - BOX_GAP, n_rows * down - ROW_GAP / 2, centres, {})


def _shelf_width(pieces: Sequence[Piece]) -> float:
    """Return how wide a drawing of some pieces may get."""
    area = sum((piece.width + PIECE_GAP) * (piece.height + PIECE_GAP) for piece in pieces)
    return max([sqrt(ASPECT * area), *(piece.width for piece in pieces)])


def _pack(pieces: Sequence[Piece]) -> Piece:
    """Put pieces side by side, and on a new shelf when the drawing gets too wide."""
    widest = _shelf_width(pieces)
    centres: dict[int, Point] = {}
    routes: dict[LayerEdge, Route] = {}
    left = top = width = bottom = 0.0
    for piece in pieces:
        if left > 0 and left + piece.width > widest:
            left, top = 0.0, bottom + PIECE_GAP
        moved = piece.moved(left, top)
        centres.update(moved.centres)
        routes.update(moved.routes)
        width, bottom = max(width, left + piece.width), max(bottom, top + piece.height)
        left += piece.width + PIECE_GAP
    return Piece(width, bottom, centres, routes)
