"""The study that the paper's Discussion asks for: which partitions to allow, how to look for them, how to search.

Under each structure, kappa is chosen by ten-fold cross-validation inside the data that are learned from; then every
search for labels and every search for graphs learns under that kappa.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, get_args

from experiments.paper.cells import FinishedCells, Row
from experiments.paper.measures import ExperimentRun, distances, finished, split
from experiments.paper.published import GENERATORS
from ldag import datasets, simulate
from ldag.data import Dataset
from ldag.learning import StructureKind, cross_validate, learn
from ldag.network import Network

STRUCTURES: tuple[StructureKind, ...] = get_args(StructureKind)
MAX_PARENTS = 4
"""As many as the generators have; the exact searches for labels take too long on larger families."""

RANDOM_ROWS = 4
"""How many times the rows of the generators' data are drawn from random graphs, which have more parameters."""

EXACT_LIMIT = 10
"""Variables up to which graphs are searched exactly."""


@dataclass(frozen=True)
class StudyProblem:
    """Data to learn from, and what a result is held against: the true network, or observations left out."""

    name: str
    draw: int
    train: Dataset
    truth: Network | None = None
    test: Dataset | None = None

    def measure(self, network: Network) -> Row:
        """Return how good a learned network is."""
        row: Row = {"edges": len(network.ldag.edges), "parameters": network.ldag.dimension}
        if self.truth is not None:
            row |= distances(self.truth, network)
        if self.test is not None:
            row["held_out"] = network.log_likelihood(self.test) / self.test.total
        return row


def run_structures(run: ExperimentRun, cells: FinishedCells) -> Iterator[list[Row]]:
    """Yield the rows of every problem under every structure."""
    made_by = run.made_by("name", *_SETTINGS)
    for name, draws, make in list_problems(run):
        for draw in range(draws):
            for structure in STRUCTURES:
                cell = f"structures/{name}-{draw + 1}-{structure}"
                if not cells.has(cell, made_by):
                    run.tell(f"structures: {name} {draw + 1} of {draws}, {structure}")
                yield cells.rows(cell, made_by, partial(learn_drawn, run, make, draw, structure))


_SETTINGS = ("kappas", "n_folds", "n_chains", "n_iter", "structure_size", "label_searches", "structure_methods")


def learn_drawn(
    run: ExperimentRun, make: Callable[[int], StudyProblem], draw: int, structure: StructureKind
) -> list[Row]:
    """Draw a problem, and learn by every search under one structure."""
    return list(learn_all(run, make(draw), structure))


def list_problems(run: ExperimentRun) -> Iterator[tuple[str, int, Callable[[int], StudyProblem]]]:
    """Yield the name of each problem, how often it is drawn, and how to draw it."""
    plan = run.plan
    for number, generator in enumerate(GENERATORS):

        def drawn(draw: int, number: int = number, name: str = generator) -> StudyProblem:
            truth = simulate.generator10(labels=name == "ldag", rng=run.seed(draw, number))
            data = truth.sample(plan.structure_size, rng=run.seed(draw, number, plan.structure_size))
            return StudyProblem(f"{name}-generator", draw, data, truth=truth)

        yield f"{generator}-generator", plan.n_structure_draws, drawn
    for n_nodes in plan.random_graphs:

        def at_random(draw: int, n_nodes: int = n_nodes) -> StudyProblem:
            graph = simulate.random_ldag(n_nodes, n_states=(3, 4), rng=run.seed(draw, n_nodes))
            truth = simulate.random_network(graph, rng=run.seed(draw, n_nodes, 1))
            data = truth.sample(RANDOM_ROWS * plan.structure_size, rng=run.seed(draw, n_nodes, 2))
            return StudyProblem(f"random-{n_nodes}", draw, data, truth=truth)

        yield f"random-{n_nodes}", plan.n_structure_draws, at_random
    for survey in plan.surveys:

        def left_out(draw: int, survey: str = survey) -> StudyProblem:
            train, test = list(split(datasets.load(survey), plan.n_folds, run.seed(3)))[draw]
            return StudyProblem(survey, draw, train, test=test)

        yield survey, plan.n_folds, left_out


def learn_all(run: ExperimentRun, problem: StudyProblem, structure: StructureKind) -> Iterator[Row]:
    """Learn by every search that is affordable, and measure each result."""
    small = len(problem.train.names) <= EXACT_LIMIT
    kappa = choose_kappa(run, problem.train, structure, "chain" if small else "climb")
    for labels in run.plan.label_searches if structure != "table" else run.plan.label_searches[:1]:
        for method in run.plan.structure_methods:
            if not affordable(run, labels, method, small):
                continue
            fit = finished(
                learn(
                    problem.train,
                    kappa=kappa,
                    equivalent_sample_size=1.0,
                    structure=structure,
                    label_search=labels,
                    method=method,
                    max_parents=MAX_PARENTS,
                    rng=run.rng,
                    n_jobs=run.n_jobs,
                    progress=False,
                    **run.chain_options(method),
                )
            )
            yield {
                "problem": problem.name,
                "draw": problem.draw + 1,
                "n": problem.train.total,
                "structure": structure,
                "labels": labels,
                "method": method,
                "kappa": kappa,
                "score": fit.score.total,
                **problem.measure(fit.network),
                "seconds": fit.seconds,
            }


def affordable(run: ExperimentRun, labels: str, method: str, small: bool) -> bool:
    """Whether a pair of searches is run: what takes minutes is not, and what takes seconds not in quick runs."""
    if method == "exact":
        return small and (labels == "greedy" or run.plan.name != "quick")
    return small or labels == "greedy" or (labels == "refined" and method == "climb" and run.plan.name != "quick")


def choose_kappa(run: ExperimentRun, data: Dataset, structure: StructureKind, method: str) -> float:
    """Return the best kappa for a structure by cross-validation; tables have none to choose."""
    if structure == "table":
        return 1.0
    options: dict[str, Any] = {"method": method, **run.chain_options(method)}
    cv = cross_validate(
        data,
        kappas=run.plan.kappas,
        n_folds=run.plan.n_folds,
        equivalent_sample_size=1.0,
        structure=structure,
        max_parents=MAX_PARENTS,
        rng=run.rng,
        n_jobs=run.n_jobs,
        progress=False,
        **options,
    )
    return cv.best_kappa
