"""Whatever shows itself as a chart or a table with bars: one way to draw, to save, and to look at it in a notebook."""

import os
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING

from ldag.checks import check_path
from ldag.drawing.ink import Drawing
from ldag.drawing.ink_matplotlib import ink_axes, ink_bytes
from ldag.drawing.ink_svg import ink_svg
from ldag.drawing.matplotlib import draw_bytes, figure_bytes
from ldag.drawing.picture import Picture
from ldag.drawing.sheet import PictureSheet, draw_sheet, sheet_axes
from ldag.drawing.svg import draw_svg
from ldag.errors import ArgumentError
from ldag.formats import write_atomically

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PICTURES = (".svg", ".png", ".pdf")
"""Endings of files that hold a picture."""


class Charted(ABC):
    """Values that can be drawn as a chart: the rules of a node, a curve of kappas, probabilities of edges."""

    @abstractmethod
    def chart(self) -> Drawing:
        """Return the chart before any ink; for the library itself."""

    def to_svg(self) -> str:
        """Return the chart as SVG text."""
        return ink_svg(self.chart())

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the chart with matplotlib, into axes of your own or a new figure."""
        return ink_axes(self.chart(), ax)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the chart to a file that ends in .svg, .png or .pdf."""
        self.save_picture(path)

    def save_picture(self, path: str | os.PathLike[str]) -> None:
        """Write the chart to a file that ends in .svg, .png or .pdf; the latter two are drawn by matplotlib."""
        write_picture(self.chart(), check_picture(path))


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


def write_picture(shown: Picture | PictureSheet | Drawing, path: Path) -> None:
    """Write a picture of a graph, a sheet of them, or a chart, by the ending of the file."""
    kind = check_picture(path).suffix.lower().removeprefix(".")
    if isinstance(shown, Picture):
        content = draw_svg(shown).encode() if kind == "svg" else draw_bytes(shown, kind)
    elif isinstance(shown, PictureSheet):
        content = draw_sheet(shown).encode() if kind == "svg" else figure_bytes(sheet_axes(shown), kind)
    else:
        content = ink_svg(shown).encode() if kind == "svg" else ink_bytes(shown, kind)
    write_atomically(path, content)
