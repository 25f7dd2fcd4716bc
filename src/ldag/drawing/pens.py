"""Files of pictures: a pen for each ending."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from ldag.checks import check_path
from ldag.drawing.marks import Drawing
from ldag.drawing.matplotlib import write_figure
from ldag.drawing.svg import write_svg
from ldag.errors import ArgumentError
from ldag.formats import write_atomically

Pen = Callable[[Drawing], str | bytes]

PENS: dict[str, Pen] = {
    ".svg": write_svg,
    ".png": partial(write_figure, kind="png"),
    ".pdf": partial(write_figure, kind="pdf"),
}
"""What draws a picture, by the ending of its file."""


def is_picture(path: str | os.PathLike[str]) -> bool:
    """Tell by its ending whether a file is a picture."""
    return Path(check_path(path)).suffix.lower() in PENS


def check_picture(path: str | os.PathLike[str]) -> Path:
    """Check the ending of a file for a picture."""
    target = Path(check_path(path))
    if not is_picture(target):
        got = f"the ending {target.suffix!r}" if target.suffix else "no ending"
        raise ArgumentError(f"{target}: a picture is a file that ends in {', '.join(PENS)}, got {got}")
    return target


def write_picture(drawing: Drawing, path: Path) -> None:
    """Write a file with the pen for its ending, whole or not at all."""
    content = PENS[path.suffix.lower()](drawing)
    write_atomically(path, content.encode() if isinstance(content, str) else content)
