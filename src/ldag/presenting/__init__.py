"""Doors to what people look at: `plot` and `explore`."""

from ldag.presenting.explore import explore
from ldag.presenting.plot import plot

__all__ = ["explore", "plot"]
