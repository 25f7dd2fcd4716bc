"""Tables 2 and 3, and the two figures: graphs learned from data of the ten-node generators."""

from collections.abc import Callable, Iterator
from functools import partial

from experiments.paper.cells import FinishedCells, Row
from experiments.paper.measures import ExperimentRun, distances
from experiments.paper.published import GENERATORS, SIMULATION, Generator
from ldag import simulate
from ldag.data import Dataset
from ldag.learning import learn_family
from ldag.network import Network


def run_simulation(run: ExperimentRun, cells: FinishedCells, generator: Generator) -> Iterator[list[Row]]:
    """Yield the lines of Table 2 ("dag") or Table 3 ("ldag"), draw by draw and size by size."""
    plan = run.plan
    chains = ("n_chains", "n_iter") if plan.method == "chain" else ()
    made_by = run.made_by("kappas", "n_folds", "method", *chains)
    for draw in range(plan.n_draws):
        for size in plan.sizes:
            name = f"{generator}-generator/{plan.method}-draw{draw + 1}-n{size}"
            if not cells.has(name, made_by):
                run.tell(f"{generator} generator, draw {draw + 1} of {plan.n_draws}, {size:,} rows")
            sample = partial(_draw, run, generator, draw, size)
            rows = cells.rows(name, made_by, partial(_rows, run, generator, draw, sample))
            true_name = f"{generator}-generator/true-draw{draw + 1}-n{size}"
            scores = cells.rows(true_name, run.made_by("kappas"), partial(_true_scores, run, sample))
            yield [row | score for row, score in zip(rows, scores, strict=True)]


Sample = Callable[[], tuple[Network, Dataset]]
"""Draws the true network and the data anew, always the same."""


def _draw(run: ExperimentRun, generator: Generator, draw: int, size: int) -> tuple[Network, Dataset]:
    number = GENERATORS.index(generator)
    truth = simulate.generator10(labels=generator == "ldag", rng=run.seed(draw, number))
    return truth, truth.sample(size, rng=run.seed(draw, number, size))


def _rows(run: ExperimentRun, generator: Generator, draw: int, sample: Sample) -> list[Row]:
    truth, data = sample()
    searched = run.search(data, method=run.plan.method)
    return [
        {
            "generator": generator,
            "method": run.plan.method,
            "draw": draw + 1,
            "n": data.total,
            "kappa": kappa,
            "score": fit.score.total,
            "saved": fit.ldag.dag_dimension - fit.ldag.dimension,
            "rho": searched.cv.mean[kappa],
            "chosen": kappa == searched.cv.best_kappa,
            "found": fit.ldag.markov_equivalent_to(truth.ldag),
            "same_skeleton": _skeleton(fit.ldag.edges) == _skeleton(truth.ldag.edges),
            **distances(truth, fit.network),
            "seconds": fit.seconds,
        }
        for kappa, fit in searched.fits.items()
    ]


def _true_scores(run: ExperimentRun, sample: Sample) -> list[Row]:
    """Return the score of the true DAG under each kappa, with the labels that are best for these data."""
    truth, data = sample()
    nodes = [variable.name for variable in truth.variables]
    return [
        {
            "true_score": sum(
                learn_family(data, node, parents=truth.ldag.parents(node), kappa=kappa).score for node in nodes
            )
        }
        for kappa in run.plan.kappas
    ]


def _skeleton(edges: tuple[tuple[str, str], ...]) -> set[frozenset[str]]:
    return {frozenset(edge) for edge in edges}


def paper_rows(generator: Generator) -> list[Row]:
    """Return the paper's own lines of the same table."""
    return [
        {
            "generator": generator,
            "n": size,
            "kappa": kappa,
            "score": row.score,
            "edges": row.edges,
            "saved": row.saved,
            "kl": row.kl,
            "rho": row.rho,
            "chosen": row.chosen,
            "found": row.found,
        }
        for (size, kappa), row in SIMULATION[generator].items()
    ]
