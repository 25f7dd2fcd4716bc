"""The pen of matplotlib: into axes of your own, or to PNG and PDF files."""

import io
from typing import TYPE_CHECKING, Any

from ldag.drawing.lettering import clean
from ldag.drawing.marks import COLOURS, Drawing, Shape, Stroke, Words, flatten
from ldag.errors import MissingDependency

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import Patch
    from matplotlib.typing import LineStyleType

NARROW = 0.88
"""matplotlib's own font is wider than those that boxes are measured for, so it is set a little smaller."""


def draw_axes(drawing: Drawing, ax: "Axes | None" = None) -> "Axes":
    """Draw into axes, or into those of a new figure of the drawing's own size."""
    ax = _new_axes(drawing.width, drawing.height) if ax is None else ax
    ax.set_axis_off()
    ax.set_xlim(0, drawing.width)
    ax.set_ylim(drawing.height, 0)
    ax.set_aspect("equal")
    box = ax.get_window_extent()
    scale = float(min(box.width / drawing.width, box.height / drawing.height) * 72 / ax.figure.dpi)
    for order, mark in enumerate(flatten(drawing.marks)):
        over = 2 + order * 1e-4
        match mark:
            case Words():
                _write(ax, mark, scale, over)
            case Stroke():
                ax.add_patch(_line(mark, scale, over))
            case Shape():
                ax.add_patch(_shape(mark, scale, over))
    return ax


def write_figure(drawing: Drawing, kind: str) -> bytes:
    """Return a drawing as the content of a PNG or PDF file."""
    content = io.BytesIO()
    metadata = {"CreationDate": None} if kind == "pdf" else {"Software": None}
    figure = draw_axes(drawing).get_figure(root=True)
    if figure is not None:
        figure.savefig(content, format=kind, dpi=192, metadata=metadata)
    return content.getvalue()


def _new_axes(width: float, height: float) -> "Axes":
    """Make a figure of a size in pixels that holds nothing but these axes."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingDependency("matplotlib", "plot", "a picture by matplotlib") from None
    return Figure(figsize=(width / 96, height / 96)).add_axes((0.0, 0.0, 1.0, 1.0))


def _write(ax: "Axes", words: Words, scale: float, order: float) -> None:
    """Write a line of text, in the middle of where larger letters would be; a dollar sign is a dollar sign."""
    middle = 0.35 * (1 - NARROW) * words.size
    ax.text(
        words.x - (middle if words.is_turned else 0.0),
        words.y - (0.0 if words.is_turned else middle),
        clean(words.text),
        ha={"start": "left", "middle": "center", "end": "right"}[words.anchor],
        va="baseline",
        rotation=90 if words.is_turned else 0,
        rotation_mode="anchor",
        fontsize=NARROW * words.size * scale,
        fontweight="bold" if words.is_bold else "normal",
        color=COLOURS[words.colour][0],
        parse_math=False,
        zorder=order,
    )


def _line(line: Stroke, scale: float, order: float) -> "Patch":
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    step = Path.CURVE4 if line.is_curve else Path.LINETO
    path = Path(line.points, [Path.MOVETO, *[step] * (len(line.points) - 1)])
    return PathPatch(
        path,
        fill=False,
        edgecolor=COLOURS[line.colour][0],
        linewidth=line.width * scale,
        linestyle=_dashes(line.dashes, line.width),
        alpha=line.opacity,
        capstyle="round" if line.is_curve else "butt",
        zorder=order,
    )


def _dashes(dashes: tuple[float, float] | None, width: float) -> "LineStyleType":
    """Return the style of a line, whose dashes are measured in its widths."""
    return "solid" if dashes is None else (0, tuple(length / width for length in dashes))


def _shape(shape: Shape, scale: float, order: float) -> "Patch":
    from matplotlib.patches import Circle, FancyBboxPatch, Polygon, Rectangle

    paint: dict[str, Any] = {
        "facecolor": COLOURS[shape.colour][0],
        "edgecolor": COLOURS[shape.border][0] if shape.border else "none",
        "linewidth": shape.border_width * scale if shape.border else 0.0,
        "linestyle": _dashes(shape.dashes, shape.border_width),
        "alpha": shape.opacity if shape.opacity != 1.0 else None,
        "zorder": order,
    }
    match shape.points:
        case (centre,):
            return Circle(centre, shape.radius, **paint)
        case ((x, y), (right, bottom)):
            size = right - x, bottom - y
            if not shape.radius:
                return Rectangle((x, y), *size, **paint)
            corners = f"round,pad=0,rounding_size={min(shape.radius, size[1] / 2)}"
            return FancyBboxPatch((x, y), *size, corners, **paint)
        case corners:
            return Polygon(corners, closed=True, **paint)
