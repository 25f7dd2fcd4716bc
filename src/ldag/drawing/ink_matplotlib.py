"""The pen for drawings in matplotlib: into axes of your own, or to PNG and PDF files."""

from typing import TYPE_CHECKING

from ldag.drawing.ink import GRID, LIGHT, PAPER, Drawing, Mark, Shape, Stroke, Words
from ldag.drawing.lettering import clean
from ldag.drawing.matplotlib import NARROW, figure_bytes, new_axes, scale_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def ink_axes(drawing: Drawing, ax: "Axes | None" = None) -> "Axes":
    """Draw into axes, or into those of a new figure of the drawing's own size."""
    ax = new_axes(drawing.width, drawing.height) if ax is None else ax
    ax.set_axis_off()
    ax.set_xlim(0, drawing.width)
    ax.set_ylim(drawing.height, 0)
    ax.set_aspect("equal")
    scale = scale_of(ax, drawing.width, drawing.height)
    for order, mark in enumerate(drawing.marks):
        _ink(ax, mark, scale, 2 + order * 1e-4)
    return ax


def ink_bytes(drawing: Drawing, kind: str) -> bytes:
    """Return the drawing as the content of a PNG or PDF file."""
    return figure_bytes(ink_axes(drawing), kind)


def _ink(ax: "Axes", mark: Mark, scale: float, order: float) -> None:
    """Draw a mark over those before it."""
    from matplotlib.patches import Circle, Polygon

    match mark:
        case Words():
            ax.text(
                mark.x,
                mark.y,
                clean(mark.text),
                ha={"start": "left", "middle": "center", "end": "right"}[mark.anchor],
                va="baseline",
                rotation=90 if mark.is_turned else 0,
                rotation_mode="anchor",
                fontsize=NARROW * mark.size * scale,
                fontweight="bold" if mark.is_bold else "normal",
                color=PAPER["soft" if mark.is_soft else "ink"][0],
                parse_math=False,
                zorder=order,
            )
        case Stroke():
            colour = GRID[0] if mark.colour is None else PAPER["ink"][0] if mark.colour < 0 else LIGHT[mark.colour]
            x, y = zip(*mark.points, strict=True)
            ax.plot(x, y, color=colour, linewidth=mark.width * scale, alpha=mark.opacity, zorder=order)
        case Shape():
            colour = GRID[0] if mark.colour is None else LIGHT[mark.colour]
            if mark.radius:
                ax.add_patch(Circle(mark.points[0], mark.radius, color=colour, zorder=order))
            else:
                paint = {"facecolor": colour, "alpha": mark.opacity, "linewidth": 0, "zorder": order}
                ax.add_patch(Polygon(mark.points, closed=True, **paint))
