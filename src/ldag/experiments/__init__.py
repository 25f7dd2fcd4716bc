"""The paper's tables and figures, and the comparison of structures, in one call: `reproduce`."""

from ldag.experiments.cells import Cells, Row
from ldag.experiments.figures import draw_structures
from ldag.experiments.measures import Run
from ldag.experiments.plan import FULL, QUICK, Plan, SearchMethod
from ldag.experiments.reproduction import EXPERIMENTS, Reproduction, reproduce
from ldag.experiments.structures import STRUCTURES, Problem, choose_kappa, learn_all
from ldag.experiments.tables import lay_out, summarise_structures, write_csv

__all__ = [
    "EXPERIMENTS",
    "FULL",
    "QUICK",
    "STRUCTURES",
    "Cells",
    "Plan",
    "Problem",
    "Reproduction",
    "Row",
    "Run",
    "SearchMethod",
    "choose_kappa",
    "draw_structures",
    "lay_out",
    "learn_all",
    "reproduce",
    "summarise_structures",
    "write_csv",
]
