"""How values look, by their type, and the doors to what people look at: `plot`, `report` and `explore`."""

from ldag.presenting import compared, graphs, learned, networks, uncertain
from ldag.presenting.explorer import explore
from ldag.presenting.looks import blocks, chart, draw, picture, write_cell
from ldag.presenting.pictures import plot
from ldag.presenting.reports import report

LOOKS = (compared, graphs, learned, networks, uncertain)
"""The modules that say how values look, each of some types."""

__all__ = ["LOOKS", "blocks", "chart", "draw", "explore", "picture", "plot", "report", "write_cell"]
