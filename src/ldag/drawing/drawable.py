"""What values have in common that can be shown: the room on the hook shows them, and a pen for each ending draws."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypedDict, Unpack, cast

from ldag.checks import check_path
from ldag.errors import ArgumentError
from ldag.formats import Context, Edge, write_atomically
from ldag.hook import take

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ldag.drawing.graphs import Direction
    from ldag.drawing.marks import Drawing


def _write_svg(drawing: "Drawing") -> str:
    from ldag.drawing.svg import write_svg

    return write_svg(drawing)


def _write_figure(drawing: "Drawing", kind: str) -> bytes:
    from ldag.drawing.matplotlib import write_figure

    return write_figure(drawing, kind=kind)


Pen = Callable[["Drawing"], str | bytes]

PENS: dict[str, Pen] = {
    ".svg": _write_svg,
    ".png": partial(_write_figure, kind="png"),
    ".pdf": partial(_write_figure, kind="pdf"),
}
"""What draws a picture, by the ending of its file; a pen is loaded when it draws."""


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


def write_picture(drawing: "Drawing", path: Path) -> None:
    """Write a file with the pen for its ending, whole or not at all."""
    content = PENS[path.suffix.lower()](drawing)
    write_atomically(path, content.encode() if isinstance(content, str) else content)


class PictureOptions(TypedDict, total=False):
    """What a picture shows; every picture of a graph, a network or a fit takes these."""

    context: Context | Sequence[Context] | None
    """Edges that vanish in this context are dashed and grey; of several contexts there is a picture each."""
    do: str | Iterable[str] | Context | None
    """Variables that are set from outside, perhaps to a state: the arrows into them are cut."""
    focus: str | Iterable[str] | None
    """Only these variables and their Markov blankets: parents, children, and the children's other parents."""
    labels: bool | None
    """Whether labels are drawn; None: up to 40 of them."""
    arrows: bool
    """Whether arrows that an equivalent graph could turn are drawn hollow."""
    forbidden: Iterable[Edge]
    """Arrows that no graph may have: their opposites are not hollow."""
    direction: "Direction"
    """Whether parents stand above their children ("down") or to the left of them ("right")."""
    probabilities: Mapping[Edge, float] | None
    """Probabilities of edges, which set their widths."""
    notes: Mapping[Edge, Sequence[str]] | None
    """Other lines of text to put on some edges."""
    title: str | None
    """What the picture shows, for tooltips and screen readers."""


class Presenter(Protocol):
    """What the room on the hook does with values, by their type."""

    def draw(self, value: object, options: PictureOptions) -> "Drawing":
        """Return a value as a drawing."""

    def write_cell(self, value: object) -> str:
        """Return a value as HTML for a cell of a notebook."""

    def report(self, source: object, path: str | os.PathLike[str], **options: object) -> None:
        """Write a report to a file."""

    def explore(self, model: object, path: str | os.PathLike[str], *, title: str | None) -> None:
        """Write an explorer to a file."""


def _presenter() -> Presenter:
    return cast("Presenter", take("presenting"))


class Drawable:
    """A value that can be drawn: a graph, a network, a fit, or a chart such as an answer or the trace of a search."""

    def to_svg(self, **options: Unpack[PictureOptions]) -> str:
        """Return a picture as SVG text: a label says when its edge is absent, "not if person is visitor or spy".

        Parameters
        ----------
        **options
            For pictures of graphs; charts take none. ``context``: a context, whose vanishing edges are dashed and grey,
            or several, which get a picture each. ``do``: variables that are set from outside, perhaps with their
            states: arrows into them are cut. ``focus``: one or several variables, of which only the Markov blankets are
            shown. ``labels``: whether labels are drawn (None: up to 40). ``arrows``: whether arrows that an equivalent
            graph could turn are drawn hollow (not if ``do`` is given). ``forbidden``: arrows that no graph may have, so
            that their opposites are not hollow. ``direction``: "down" or "right". ``probabilities``: of edges, as
            widths. ``notes``: other lines on edges. ``title``: what is shown, for screen readers.

        Examples
        --------
        >>> import ldag
        >>> picture = ldag.datasets.graph("guard").to_svg(context={"person": "spy"})
        >>> "not if person is visitor or spy" in picture
        True
        """
        return _write_svg(_presenter().draw(self, options))

    def plot(self, ax: "Axes | None" = None, **options: Unpack[PictureOptions]) -> "Axes":
        """Draw with matplotlib, into axes of your own or a new figure; the options are those of `to_svg`."""
        from ldag.drawing.matplotlib import draw_axes

        return draw_axes(_presenter().draw(self, options), ax)

    def save_picture(self, path: str | os.PathLike[str], **options: Unpack[PictureOptions]) -> None:
        """Write a picture to a file that ends in .svg, .png or .pdf; the latter two are drawn by matplotlib."""
        target = check_picture(path)
        write_picture(_presenter().draw(self, options), target)

    def save(self, path: str | os.PathLike[str], **options: Unpack[PictureOptions]) -> None:
        """Write a file by its ending, whole or not at all: a picture (.svg, .png, .pdf), or what ``load`` reads again.

        The options are those of `to_svg`, for pictures. A graph is written in any format for graphs (.ldag, .json,
        .dot, ...), a network and a fit in any for networks (.json, .bif, .net, ...), a posterior and a
        bootstrap as .json; a chart is a picture only.
        """
        if is_picture(path):
            self.save_picture(path, **options)
        elif options:
            raise ArgumentError(f"{path}: {next(iter(options))}= is for pictures ({', '.join(PENS)})")
        else:
            self._save_file(path)

    def _save_file(self, path: str | os.PathLike[str]) -> None:
        check_picture(path)  # by default there is nothing but a picture

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def _repr_html_(self) -> str:
        return _presenter().write_cell(self)


class Presentable(Drawable):
    """A value that pages are written about: a network, a fit."""

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        data: object = None,
        posterior: object = "auto",
        title: str | None = None,
    ) -> None:
        """Write a report to send to somebody (.html or .md): `ldag.report`, which says what the arguments mean."""
        _presenter().report(self, path, data=data, posterior=posterior, title=title)

    def explore(self, path: str | os.PathLike[str], *, title: str | None = None) -> None:
        """Write a page (.html) in which states can be clicked: `ldag.explore`."""
        _presenter().explore(self, path, title=title)
