"""The paper's tables and figures, and the comparison of structures, in one call: `reproduce`."""

from ldag.experiments.cells import Cells, Row
from ldag.experiments.figures import draw_gains
from ldag.experiments.measures import Run, split
from ldag.experiments.plan import FULL, QUICK, Plan, SearchMethod
from ldag.experiments.reproduction import EXPERIMENTS, Reproduction, reproduce
from ldag.experiments.shows import SHOW_STRUCTURES
from ldag.experiments.structures import MAX_PARENTS, STRUCTURES, Problem, learn_drawn, problems
from ldag.experiments.tables import lay_out, read_csv, summarise_structures, write_csv

__all__ = [
    "EXPERIMENTS",
    "FULL",
    "MAX_PARENTS",
    "QUICK",
    "SHOW_STRUCTURES",
    "STRUCTURES",
    "Cells",
    "Plan",
    "Problem",
    "Reproduction",
    "Row",
    "Run",
    "SearchMethod",
    "draw_gains",
    "lay_out",
    "learn_drawn",
    "problems",
    "read_csv",
    "reproduce",
    "split",
    "summarise_structures",
    "write_csv",
]
