"""How values look, by their type, and the doors to what people look at: `plot`, `report` and `explore`."""

from ldag.presenting import dynamic as dynamic
from ldag.presenting import effects as effects
from ldag.presenting import graphs as graphs
from ldag.presenting import learned as learned
from ldag.presenting import networks as networks
from ldag.presenting import uncertain as uncertain
from ldag.presenting import undirected as undirected
from ldag.presenting.looks import blocks as blocks
from ldag.presenting.looks import chart as chart
from ldag.presenting.looks import draw as draw
from ldag.presenting.looks import picture as picture
from ldag.presenting.looks import plot as plot
from ldag.presenting.looks import write_cell as write_cell
from ldag.presenting.pages import explore as explore
from ldag.presenting.pages import report as report
