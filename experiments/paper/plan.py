"""How much of the experiments is run: sizes, draws and searches."""

from dataclasses import dataclass
from typing import Literal

GraphSearch = Literal["exact", "chain", "climb"]

KAPPAS = (0.001, 0.1, 0.3, 0.5)
"""The prices of labels that the paper compares."""


@dataclass(frozen=True)
class ExperimentPlan:
    """What a run consists of. `QUICK` and `FULL` are the ones of the command line."""

    name: str
    n_draws: int
    """Draws of the generators' parameters, each with data of every size."""
    sizes: tuple[int, ...] = (250, 500, 1000, 2000, 4000, 8000)
    kappas: tuple[float, ...] = KAPPAS
    n_folds: int = 10
    method: GraphSearch = "chain"
    """The search of the simulations; "chain" is the paper's."""
    n_chains: int = 50
    n_iter: int = 500
    n_structure_draws: int = 3
    """Draws of the generators and of random graphs in the comparison of structures."""
    structure_size: int = 1000
    """Rows drawn from each generator there."""
    label_searches: tuple[Literal["greedy", "refined", "exact"], ...] = ("greedy", "refined")
    structure_methods: tuple[GraphSearch, ...] = ("chain", "climb", "exact")
    random_graphs: tuple[int, ...] = (15,)
    """Numbers of variables of the random graphs there, whose variables have 3 or 4 states."""
    surveys: tuple[str, ...] = ("heart", "titanic", "ucb")

    def __post_init__(self) -> None:
        if self.n_draws < 1 or self.n_structure_draws < 1:
            raise ValueError("a plan has at least one draw")


QUICK = ExperimentPlan("quick", 3, n_structure_draws=2)
FULL = ExperimentPlan(
    "full",
    20,
    n_structure_draws=20,
    label_searches=("greedy", "refined", "exact"),
    random_graphs=(15, 30),
)
