"""Doors to what people look at: `plot`, `report` and `explore`."""

from ldag.presenting.explore import explore
from ldag.presenting.plot import plot
from ldag.presenting.report import report

__all__ = ["explore", "plot", "report"]
