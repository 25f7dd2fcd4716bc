"""Other programs on the same data: hill climbing by pgmpy and by pyAgrum, over ordinary DAGs.

Their graphs get parameters by our estimator, so that only the search differs. cstrees is not among them: it needs
numpy below 2 and pygraphviz, which do not go together with the rest.
"""

import time
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from experiments.paper import MAX_PARENTS, Row, StudyProblem
from ldag import LDAG, Dataset, Network

if TYPE_CHECKING:
    import pandas as pd

Edges = list[tuple[str, str]]


def climb_by_pgmpy(frame: "pd.DataFrame") -> Edges:
    """Hill climbing with pgmpy, BDeu with equivalent sample size 1."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pgmpy.estimators import BDeu, HillClimbSearch

        score = BDeu(frame, equivalent_sample_size=1)
        found = HillClimbSearch(frame).estimate(score, max_indegree=MAX_PARENTS, show_progress=False)
    return [(str(parent), str(child)) for parent, child in found.edges()]


def climb_by_pyagrum(frame: "pd.DataFrame") -> Edges:
    """Greedy hill climbing with pyAgrum, its BDeu score."""
    import pyagrum

    learner = pyagrum.BNLearner(frame)
    learner.useScoreBDeu()
    learner.useGreedyHillClimbing()
    learner.setMaxIndegree(MAX_PARENTS)
    found = learner.learnBN()
    return [(found.variable(i).name(), found.variable(j).name()) for i, j in found.arcs()]


PEERS: dict[str, Callable[["pd.DataFrame"], Edges]] = {"pgmpy": climb_by_pgmpy, "pyAgrum": climb_by_pyagrum}


def learn_by_peers(problem: StudyProblem) -> Iterator[Row]:
    """Yield one row for each peer, as `learn_drawn` does for our searches."""
    frame = to_rows(problem.train)
    states = {variable.name: variable.states for variable in problem.train.variables}
    for peer, climb in PEERS.items():
        began = time.perf_counter()
        edges = climb(frame)
        seconds = time.perf_counter() - began
        network = Network.from_data(LDAG.from_edges(edges, states=states), problem.train)
        yield {
            "problem": problem.name,
            "draw": problem.draw + 1,
            "n": problem.train.total,
            "structure": peer,
            "labels": "none",
            "method": "climb",
            **problem.measure(network),
            "seconds": seconds,
        }


def to_rows(data: Dataset) -> "pd.DataFrame":
    """Return one row per observation, all columns categories, as the peers want them."""
    import pandas as pd

    frame = data.to_frame("pandas")
    assert isinstance(frame, pd.DataFrame)
    if data.weights is not None:
        counts = frame.pop(frame.columns[-1])
        frame = frame.loc[frame.index.repeat(counts)].reset_index(drop=True)
    return frame.astype(str).astype("category")
