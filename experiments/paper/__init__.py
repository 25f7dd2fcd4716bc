"""The paper's tables and figures, and the comparison of structures, in one call: `reproduce`."""

from experiments.paper.cells import FinishedCells, Row
from experiments.paper.figures import draw_gains
from experiments.paper.measures import ExperimentRun, split
from experiments.paper.plan import FULL, QUICK, ExperimentPlan, GraphSearch
from experiments.paper.reproduction import EXPERIMENTS, Reproduction, read_reproduction, reproduce
from experiments.paper.shows import SHOW_STRUCTURES
from experiments.paper.structures import MAX_PARENTS, STRUCTURES, StudyProblem, learn_drawn, list_problems
from experiments.paper.tables import lay_out, read_csv, summarise_structures, write_csv

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
