"""Pictures of graphs, sheets of them, and charts: as SVG text, in axes, and in files by their endings."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ldag.checks import check_path
from ldag.drawing.ink import Drawing
from ldag.drawing.ink_matplotlib import ink_axes
from ldag.drawing.ink_svg import ink_svg
from ldag.drawing.matplotlib import draw_axes, figure_bytes
from ldag.drawing.picture import Picture
from ldag.drawing.sheet import PictureSheet, draw_sheet, sheet_axes
from ldag.drawing.svg import draw_svg
from ldag.errors import ArgumentError
from ldag.formats import write_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PICTURES = (".svg", ".png", ".pdf")
"""Endings of files that hold a picture."""

Sketch = Picture | PictureSheet | Drawing


def is_picture(path: str | os.PathLike[str]) -> bool:
    """Tell by its ending whether a file is a picture."""
    return Path(check_path(path)).suffix.lower() in PICTURES


def check_picture(path: str | os.PathLike[str]) -> Path:
    """Check the ending of a file for a picture."""
    target = Path(check_path(path))
    if not is_picture(target):
        got = f"the ending {target.suffix!r}" if target.suffix else "no ending"
        raise ArgumentError(f"{target}: a picture is a file that ends in {', '.join(PICTURES)}, got {got}")
    return target


def sketch_svg(sketch: Sketch) -> str:
    """Return SVG text."""
    if isinstance(sketch, Picture):
        return draw_svg(sketch)
    return draw_sheet(sketch) if isinstance(sketch, PictureSheet) else ink_svg(sketch)


def sketch_axes(sketch: Sketch, ax: "Axes | None" = None) -> "Axes":
    """Draw with matplotlib."""
    if isinstance(sketch, Picture):
        return draw_axes(sketch, ax)
    return sheet_axes(sketch, ax) if isinstance(sketch, PictureSheet) else ink_axes(sketch, ax)


def write_picture(sketch: Sketch, path: Path) -> None:
    """Write a file by its ending."""
    kind = check_picture(path).suffix.lower().removeprefix(".")
    write_atomically(path, sketch_svg(sketch).encode() if kind == "svg" else figure_bytes(sketch_axes(sketch), kind))
