"""Tables 2 and 3, and the two figures: graphs learned from data of the ten-node generators."""

from collections.abc import Iterator

from ldag import simulate
from ldag.experiments.cells import Cells, Row
from ldag.experiments.measures import Run, distances
from ldag.experiments.published import GENERATORS, SIMULATION, Generator


def run_simulation(run: Run, cells: Cells, generator: Generator) -> Iterator[list[Row]]:
    """Yield the lines of Table 2 ("dag") or Table 3 ("ldag"), draw by draw and size by size."""
    plan = run.plan
    for draw in range(plan.n_draws):
        for size in plan.sizes:
            chains = ("n_chains", "n_iter") if plan.method == "chain" else ()
            made_by = run.made_by("kappas", "n_folds", "method", *chains)
            name = f"{generator}-generator/{plan.method}-draw{draw + 1}-n{size}"
            if not cells.has(name, made_by):
                run.tell(f"{generator} generator, draw {draw + 1} of {plan.n_draws}, {size:,} rows")
            yield cells.rows(name, made_by, lambda draw=draw, size=size: _rows(run, generator, draw, size))  # type: ignore[misc]  # lambdas have no types


def _rows(run: Run, generator: Generator, draw: int, size: int) -> list[Row]:
    number = GENERATORS.index(generator)
    truth = simulate.generator10(labels=generator == "ldag", rng=run.seed(draw, number))
    data = truth.sample(size, rng=run.seed(draw, number, size))
    searched = run.search(data, method=run.plan.method)
    rows: list[Row] = []
    for kappa, fit in searched.fits.items():
        rows.append(
            {
                "generator": generator,
                "method": run.plan.method,
                "draw": draw + 1,
                "n": size,
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
        )
    return rows


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
