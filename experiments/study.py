"""Structures and peers side by side: on the generators, on random graphs, and on surveys.

    python -m experiments.study --full -o experiments/results

Graphs are learned by climbing, as the peers do; kappa is chosen by cross-validation inside the data learned from.
Finished cells are kept in FOLDER/cells, so a run that was stopped resumes.
"""

import argparse
import json
import platform
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path

from experiments.paper import (
    FULL,
    QUICK,
    SHOW_STRUCTURES,
    STRUCTURES,
    ExperimentPlan,
    ExperimentRun,
    FinishedCells,
    Row,
    StudyProblem,
    draw_gains,
    lay_out,
    learn_drawn,
    list_problems,
    read_csv,
    split,
    summarise_structures,
    write_csv,
)
from experiments.peers import PEERS, learn_by_peers
from experiments.surveys import SOURCES, load_survey

N_FOLDS = 5


def survey_problems(run: ExperimentRun, names: list[str]) -> Iterator[tuple[str, int, Callable[[int], StudyProblem]]]:
    """Yield the surveys as problems: each of five parts is left out once."""
    for name in names:

        def left_out(draw: int, name: str = name) -> StudyProblem:
            train, test = list(split(load_survey(name), N_FOLDS, run.seed(4)))[draw]
            return StudyProblem(name, draw, train, test=test)

        yield name, N_FOLDS, left_out


def run_study(run: ExperimentRun, cells: FinishedCells, surveys: list[str]) -> Iterator[list[Row]]:
    """Yield the rows of every problem, structure and peer."""
    peers = {peer: version(peer.lower()) for peer in PEERS}
    for name, draws, make in [*list_problems(run), *survey_problems(run, surveys)]:
        for draw in range(draws):
            for structure in STRUCTURES:
                made_by = run.made_by("kappas", "n_folds", "structure_size", "label_searches", "structure_methods")
                cell = f"study/{name}-{draw + 1}-{structure}"
                if not cells.has(cell, made_by):
                    run.tell(f"{name} {draw + 1} of {draws}: {structure}")
                yield cells.rows(cell, made_by, partial(learn_drawn, run, make, draw, structure))
            made_by = run.made_by("structure_size", **peers)
            yield cells.rows(f"study/{name}-{draw + 1}-peers", made_by, partial(_theirs, make, draw))


def _theirs(make: Callable[[int], StudyProblem], draw: int) -> list[Row]:
    return list(learn_by_peers(make(draw)))


def make_plan(quick: bool, draws: int | None) -> ExperimentPlan:
    """Return what the study runs: climbing with greedy labels; cross-validation with five folds inside."""
    plan = replace(QUICK if quick else FULL, label_searches=("greedy",), structure_methods=("climb",), n_folds=N_FOLDS)
    return plan if draws is None else replace(plan, n_structure_draws=draws)


def main() -> None:
    """Run the study, and write its table, its figure and what made them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="20 draws and random graphs of 30 variables too")
    parser.add_argument("--draws", type=int, help="another number of draws")
    parser.add_argument("--random", nargs="*", type=int, help="numbers of variables of the random graphs")
    parser.add_argument("--surveys", nargs="*", default=list(SOURCES), choices=list(SOURCES))
    parser.add_argument("--rng", type=int, default=0)
    parser.add_argument("-o", "--output", default="experiments/results")
    given = parser.parse_args()
    folder = Path(given.output)
    plan = make_plan(not given.full, given.draws)
    if given.random is not None:
        plan = replace(plan, random_graphs=tuple(given.random))
    run = ExperimentRun(plan, given.rng, tell=lambda words: print(words, flush=True))
    rows = [row for part in run_study(run, FinishedCells(folder / "cells"), given.surveys) for row in part]
    write_csv(folder / "study.csv", rows)
    made = {
        "command": " ".join(["python -m experiments.study", *sys.argv[1:]]),
        "rng": given.rng,
        "versions": {name: version(name) for name in ("ldag", "numpy", "pgmpy", "pyagrum")},
        "python": platform.python_version(),
    }
    (folder / "study.json").write_text(json.dumps(made, indent=2) + "\n")
    draw(folder)


def draw(folder: Path) -> None:
    """Make the summary and the figure from the table."""
    summary = summarise_structures(read_csv(folder / "study.csv"))
    write_csv(folder / "study-summary.csv", summary)
    (folder / "study.svg").write_text(draw_study(folder))
    print(lay_out(summary, SHOW_STRUCTURES))


def draw_study(folder: Path) -> str:
    """Return the figure that the table of a folder makes."""
    summary = [row for row in summarise_structures(read_csv(folder / "study.csv")) if row["structure"] != "table"]
    return draw_gains(summary, "What structures and peers gain over our full tables (right of the line: better)")


if __name__ == "__main__":
    main()
