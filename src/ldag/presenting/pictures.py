"""Drawing whatever can be drawn: `plot`."""

from typing import TYPE_CHECKING, Unpack

from ldag.drawing import Drawable, PictureOptions

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
        For pictures of graphs: ``context``, ``focus``, ``labels``, ``arrows``, ``direction`` and others, as in
        `LDAG.to_svg`.

    Examples
    --------
    >>> import ldag
    >>> ax = ldag.plot(ldag.datasets.graph("guard"), context={"person": "spy"})
    >>> ax = ldag.plot(ldag.simulate.guard().classes("badge"))
    """
    return Drawable.plot(thing, ax, **options)
