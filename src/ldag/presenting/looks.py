"""How values look, by their type: as a picture of a graph, as a chart, and in a cell of a notebook.

Other modules of this room register a function for each type. A type with a picture takes the options of pictures.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import singledispatch
from typing import TYPE_CHECKING, Any, Unpack

from ldag.drawing import Drawable, Drawing, Picture, PictureOptions, draw_picture, draw_sheet
from ldag.errors import ArgumentError
from ldag.formats import Context, conditions
from ldag.presenting.documents import Block, Figure, Listing
from ldag.presenting.html import write_fragment

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@singledispatch
def picture(value: object, options: PictureOptions) -> Picture:
    """Return what the picture of a graph shows."""
    raise NotImplementedError(type(value).__name__)


@singledispatch
def chart(value: object) -> Drawing:
    """Return a value as a chart, or as a table with bars."""
    raise ArgumentError(
        "plot draws graphs, networks, fits, posteriors, and charts such as net.classes(node) and fit.cv,"
        f" got {type(value).__name__}"
    )


@singledispatch
def blocks(value: object) -> list[Block]:
    """Return what a notebook shows of a value: its picture, or else its text."""
    return [Figure(value.to_svg())] if isinstance(value, Drawable) else [Listing(str(value))]


@singledispatch
def draw(value: object, options: PictureOptions) -> Drawing:
    """Return a value as a drawing: its picture, or else its chart."""
    if _has_own(picture, value):
        context = options.get("context")
        if context is None or isinstance(context, Mapping):
            return draw_picture(picture(value, options))
        return _draw_contexts(value, context, options)
    if options and _has_own(chart, value):
        raise ArgumentError(f"{min(options)} is for pictures of graphs; a {type(value).__name__} is a chart")
    return chart(value)


def _draw_contexts(value: object, contexts: Sequence[Context], options: PictureOptions) -> Drawing:
    """Return a picture for each of some contexts, side by side."""
    pictures = []
    for context in contexts:
        own: PictureOptions = {**options, "context": context}
        pictures.append((", ".join(conditions([context])), picture(value, own)))
    return draw_sheet(options.get("title") or "Context graphs", pictures)


def write_cell(value: object) -> str:
    """Return a value as HTML for a cell of a notebook."""
    return write_fragment(blocks(value))


def plot(thing: Drawable, *, ax: "Axes | None" = None, **options: Unpack[PictureOptions]) -> "Axes":
    """Draw whatever can be drawn with matplotlib; it can also be saved by its `save_picture`, or be had as `to_svg`.

    Graphs, networks, fits, posteriors, bootstraps and comparisons are pictures of graphs. The rules of a node
    (``net.classes(node)``), answers (``net.query(...)``, ``net.marginals()``), a cross-validation (``fit.cv``), the
    trace of a search (``fit.trace``) and probabilities of edges (``post.edges``, ``boot.edges``) are charts.

    Parameters
    ----------
    thing
        What to draw.
    ax
        The axes to draw into, which are returned; None makes a figure of the picture's own size.
    **options
        For pictures of graphs: ``context``, ``do``, ``focus``, ``labels``, ``arrows``, ``direction`` and others, as in
        `LDAG.to_svg`.

    Examples
    --------
    >>> import ldag
    >>> ax = ldag.plot(ldag.datasets.graph("guard"), context={"person": "spy"})
    >>> ax = ldag.plot(ldag.simulate.guard().classes("badge"))
    """
    return Drawable.plot(thing, ax, **options)


def _has_own(look: Any, value: object) -> bool:
    """Tell whether a type has a function of its own."""
    own: Callable[..., object] = look.dispatch(type(value))
    return own is not look.dispatch(object)
