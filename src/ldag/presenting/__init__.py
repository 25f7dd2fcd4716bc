"""Doors to what people look at: `plot`, `report` and `explore`."""

from ldag.presenting.explorer import explore
from ldag.presenting.pictures import plot
from ldag.presenting.reports import report

__all__ = ["explore", "plot", "report"]
