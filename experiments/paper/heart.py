"""Table 1: the heart data under four kappas, by exact search and by the paper's chains."""

from collections.abc import Iterator
from functools import partial

from experiments.paper.cells import FinishedCells, Row
from experiments.paper.measures import ExperimentRun
from experiments.paper.published import HEART, HEART_CHOICE
from ldag import datasets

METHODS = ("exact", "chain")


def run_heart(run: ExperimentRun, cells: FinishedCells) -> Iterator[list[Row]]:
    """Yield the lines of Table 1 for each search."""
    for method in METHODS:
        made_by = run.made_by("kappas", "n_folds", "n_chains", "n_iter", method=method)
        yield cells.rows(f"table1/{method}", made_by, partial(_rows, run, method))


def _rows(run: ExperimentRun, method: str) -> list[Row]:
    data = datasets.load("heart")
    searched = run.search(data, method=method)
    rows: list[Row] = []
    for kappa, fit in searched.fits.items():
        paper = HEART.get(kappa)
        rows.append(
            {
                "method": method,
                "kappa": kappa,
                "score": fit.score.total,
                "edges": len(fit.ldag.edges),
                "dag_dimension": fit.ldag.dag_dimension,
                "dimension": fit.ldag.dimension,
                "rho": searched.cv.mean[kappa],
                "rho_error": searched.cv.standard_error[kappa],
                "chosen": kappa == searched.cv.best_kappa,
                "seconds": fit.seconds,
                "paper_score": paper.score if paper else None,
                "paper_edges": paper.edges if paper else None,
                "paper_dag_dimension": paper.dag_dimension if paper else None,
                "paper_dimension": paper.dimension if paper else None,
                "paper_rho": paper.rho if paper else None,
                "paper_chosen": kappa == HEART_CHOICE,
            }
        )
    return rows
