"""Drawing whatever can be drawn: `plot`."""

from typing import TYPE_CHECKING, Unpack

from ldag.errors import ArgumentError
from ldag.graph import Drawable, PictureOptions

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot(thing: Drawable, *, ax: "Axes | None" = None, **options: Unpack[PictureOptions]) -> "Axes":
    """Draw a graph, a network, a fit or a posterior with matplotlib; `LDAG.to_svg` has the options.

    Parameters
    ----------
    thing
        What to draw.
    ax
        The axes to draw into, which are returned; None makes a figure of the picture's own size.
    **options
        ``context``, ``focus``, ``labels``, ``arrows``, ``direction`` and others, as in `LDAG.to_svg`.

    Examples
    --------
    >>> import ldag
    >>> ax = ldag.plot(ldag.datasets.graph("guard"), context={"person": "spy"})
    """
    if not isinstance(thing, Drawable):
        raise ArgumentError(f"plot draws graphs, networks, fits and posteriors, got {type(thing).__name__}")
    return thing.plot(ax, **options)
