"""The same pictures drawn by matplotlib: into axes of your own, or to PNG and PDF files."""

from typing import TYPE_CHECKING, Literal

from ldag.drawing.lettering import TextBlock, clean
from ldag.drawing.picture import Picture, PictureEdge
from ldag.drawing.placing import MARGIN, Placement, label_size, node_size, place
from ldag.drawing.routes import Cubic, Point
from ldag.drawing.svg import (
    ABSENT_EDGE,
    ABSENT_TEXT,
    CORE,
    CORNER,
    LABEL_LINE,
    LABEL_TEXT,
    LEGEND_TEXT,
    NODE_FILL,
    NODE_LINE,
    NODE_TEXT,
    arrow,
    arrow_scale,
    dashes,
    edge_colour,
    line_width,
)
from ldag.errors import MissingDependency

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NARROW = 0.88
"""matplotlib's own font is wider than those that boxes are measured for, so it is set a little smaller."""


def draw_axes(picture: Picture, ax: "Axes | None" = None) -> "Axes":
    """Draw into axes, or into those of a new figure of the picture's own size."""
    placed = place(picture)
    ax = new_axes(placed.width, placed.height) if ax is None else ax
    ink_placement(placed, ax)
    return ax


def draw_bytes(picture: Picture, kind: str) -> bytes:
    """Return the picture as the content of a PNG or PDF file."""
    return figure_bytes(draw_axes(picture), kind)


def new_axes(width: float, height: float) -> "Axes":
    """Make a figure of a size in pixels that holds nothing but these axes."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingDependency("matplotlib", "plot", "a picture by matplotlib") from None
    return Figure(figsize=(width / 96, height / 96)).add_axes((0.0, 0.0, 1.0, 1.0))


def figure_bytes(ax: "Axes", kind: str) -> bytes:
    """Return the figure around axes as the content of a PNG or PDF file."""
    import io

    content = io.BytesIO()
    metadata = {"CreationDate": None} if kind == "pdf" else {"Software": None}
    figure = ax.get_figure(root=True)
    if figure is not None:
        figure.savefig(content, format=kind, dpi=192, metadata=metadata)
    return content.getvalue()


def scale_of(ax: "Axes", width: float, height: float) -> float:
    """Return how many points a pixel of a drawing of this size gets in axes, which lines and letters follow."""
    box = ax.get_window_extent()
    return float(min(box.width / width, box.height / height) * 72 / ax.figure.dpi)


def ink_placement(placed: Placement, ax: "Axes") -> None:
    """Draw a picture that has been laid out, in the coordinates of the layout."""
    ax.set_axis_off()
    ax.set_xlim(-MARGIN, placed.width - MARGIN)
    ax.set_ylim(placed.height - MARGIN, -MARGIN)
    ax.set_aspect("equal")
    scale = scale_of(ax, placed.width, placed.height)
    for edge, curve in zip(placed.picture.edges, placed.curves, strict=True):
        _edge(ax, edge, list(curve), scale)
    for position, block in placed.labels.items():
        edge = placed.picture.edges[position]
        line, colour = (ABSENT_EDGE, ABSENT_TEXT) if edge.is_absent else (LABEL_LINE, LABEL_TEXT)
        centre = placed.layout.labels[position]
        _box(ax, centre, label_size(block), ("#ffffff", line, 1.0 * scale))
        _lines(ax, centre, block, colour, scale)
    for node, centre, block in zip(placed.picture.nodes, placed.layout.nodes, placed.nodes, strict=True):
        width = 2.6 if node.is_emphasised else 1.4
        _box(ax, centre, node_size(block), (NODE_FILL, NODE_LINE, width * scale))
        _lines(ax, centre, block, NODE_TEXT, scale)
    if placed.legend.lines:
        x, y = placed.legend_place
        middle = x, y + placed.legend.height / 2 - placed.legend.line_height / 2
        _lines(ax, middle, placed.legend, LEGEND_TEXT, scale, "left" if placed.is_legend_left else "center")


def _edge(ax: "Axes", edge: PictureEdge, curve: list[Cubic], scale: float) -> None:
    """Draw an edge as a smooth line with an arrowhead at the child."""
    from matplotlib.patches import PathPatch, Polygon
    from matplotlib.path import Path

    shortened, corners = arrow(curve, arrow_scale(edge))
    points: list[Point] = [curve[0][0]]
    for _, a, b, c in shortened:
        points += [a, b, c]
    path = Path(points, [Path.MOVETO, *[Path.CURVE4] * (len(points) - 1)])
    colour, lengths, width = edge_colour(edge), dashes(edge), line_width(edge) * scale
    style = "solid" if lengths is None else (0, tuple(length * scale / width for length in lengths))
    ax.add_patch(PathPatch(path, fill=False, edgecolor=colour, linewidth=width, linestyle=style, capstyle="round"))
    if edge.change == "reversed":
        ax.add_patch(PathPatch(path, fill=False, edgecolor="#ffffff", linewidth=CORE * scale))
    face = "#ffffff" if edge.is_reversible else colour
    ax.add_patch(Polygon(corners, closed=True, facecolor=face, edgecolor=colour, linewidth=1.2 * scale, zorder=2))


def _box(ax: "Axes", centre: Point, size: tuple[float, float], paint: tuple[str, str, float]) -> None:
    from matplotlib.patches import FancyBboxPatch

    (x, y), (width, height) = centre, size
    fill, line, line_size = paint
    style = f"round,pad=0,rounding_size={min(CORNER, height / 2)}"
    corner = (x - width / 2, y - height / 2)
    ax.add_patch(FancyBboxPatch(corner, width, height, style, facecolor=fill, edgecolor=line, lw=line_size, zorder=3))


def _lines(
    ax: "Axes", centre: Point, block: TextBlock, colour: str, scale: float, side: Literal["left", "center"] = "center"
) -> None:
    """Write the lines of a block around a centre; a dollar sign is a dollar sign."""
    x, y = centre
    first = y - block.height / 2 + block.line_height / 2
    for number, line in enumerate(block.lines):
        ax.text(
            x,
            first + number * block.line_height,
            clean(line),
            ha=side,
            va="center",
            fontsize=NARROW * block.font_size * scale,
            color=colour,
            parse_math=False,
            zorder=4,
        )
