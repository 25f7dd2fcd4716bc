"""The paper's tables and figures, and the comparison of structures, in one call: `reproduce`."""

from ldag.experiments.cells import FinishedCells, Row
from ldag.experiments.figures import draw_gains
from ldag.experiments.measures import ExperimentRun, split
from ldag.experiments.plan import FULL, QUICK, ExperimentPlan, GraphSearch
from ldag.experiments.reproduction import EXPERIMENTS, Reproduction, read_reproduction, reproduce
from ldag.experiments.shows import SHOW_STRUCTURES
from ldag.experiments.structures import MAX_PARENTS, STRUCTURES, StudyProblem, learn_drawn, list_problems
from ldag.experiments.tables import lay_out, read_csv, summarise_structures, write_csv

__all__ = [
    "EXPERIMENTS",
    "FULL",
    "MAX_PARENTS",
    "QUICK",
    "SHOW_STRUCTURES",
    "STRUCTURES",
    "ExperimentPlan",
    "ExperimentRun",
    "FinishedCells",
    "GraphSearch",
    "Reproduction",
    "Row",
    "StudyProblem",
    "draw_gains",
    "lay_out",
    "learn_drawn",
    "list_problems",
    "read_csv",
    "read_reproduction",
    "reproduce",
    "split",
    "summarise_structures",
    "write_csv",
]
