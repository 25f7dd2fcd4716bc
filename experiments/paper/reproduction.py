"""`reproduce`: run experiments, keep what is finished, write tables, figures and one page."""

import json
import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import Literal, get_args

from experiments.paper import shows
from experiments.paper.cells import FinishedCells, Row
from experiments.paper.figures import best_search, draw_dag_against_ldag, draw_kappas, draw_searches, draw_structures
from experiments.paper.heart import run_heart
from experiments.paper.measures import ExperimentRun
from experiments.paper.page import render_page, render_table
from experiments.paper.plan import QUICK, ExperimentPlan
from experiments.paper.published import GENERATORS, Generator
from experiments.paper.simulation import paper_rows, run_simulation
from experiments.paper.statements import Statement, check_heart, check_simulation
from experiments.paper.structures import run_structures
from experiments.paper.tables import Show, lay_out, read_csv, summarise_simulation, summarise_structures, write_csv
from ldag.checks import Rng, check_choice, check_jobs, check_names, check_path, check_seed
from ldag.errors import ArgumentError
from ldag.formats import write_atomically

Experiment = Literal["table1", "table2", "table3", "figures", "structures"]
EXPERIMENTS: tuple[Experiment, ...] = get_args(Experiment)

TABLE_OF: dict[Generator, Experiment] = {"dag": "table2", "ldag": "table3"}
TITLES: dict[str, str] = {
    "table1": "Table 1: the heart data",
    "table2": "Table 2: data of the DAG generator",
    "table3": "Table 3: data of the LDAG generator",
    "figures": "Figures: KL divergence",
    "structures": "The comparison of structures",
}


@dataclass(frozen=True)
class Reproduction:
    """What an experiment gave: the rows of its table, statements that hold or not, pictures by file name."""

    name: str
    summary: Sequence[Row]
    show: Show
    statements: Sequence[Statement]
    pictures: dict[str, str]
    shown: Sequence[Row] | None = None
    """The rows to show if there are too many: greedy labels by the most thorough search."""

    def __str__(self) -> str:
        parts = [TITLES[self.name]]
        if rows := self.summary if self.shown is None else self.shown:
            parts.append(lay_out(rows, self.show))
        parts += ["\n".join(map(str, self.statements))] if self.statements else []
        return "\n\n".join(parts)


def reproduce(
    names: str | Iterable[str],
    *,
    folder: str,
    plan: ExperimentPlan = QUICK,
    rng: Rng = None,
    n_jobs: int = -1,
    fresh: bool = False,
    command: str = "",
    tell: Callable[[str], object] = lambda _: None,
) -> Iterator[Reproduction]:
    """Run experiments of the paper and write what they give into a folder.

    Every finished cell is kept in ``folder/cells``; a run that was stopped resumes. Tables are CSV files, figures are
    drawn from these files, ``index.html`` shows all that the folder has, and ``runs.json`` says what made each.

    Parameters
    ----------
    names
        "table1", "table2", "table3", "figures", "structures", or several of them.
    folder
        Where to write.
    plan
        How much to run.
    rng
        Seed of everything; None is 0.
    n_jobs
        Threads; -1 is all cores. Results do not depend on it, seconds aside.
    fresh
        Run again what is finished already.
    command
        What to write down as the command that made the results.
    tell
        A function that hears what is being run.

    Yields
    ------
    Reproduction
        One for each experiment, when it is done.
    """
    wanted = check_names(names)
    for name in wanted:
        check_choice(name, EXPERIMENTS, "experiment")
    run = ExperimentRun(plan, check_seed(rng), check_jobs(n_jobs), tell)
    place = Path(check_path(folder))
    if place.exists() and not place.is_dir():
        raise ArgumentError(f"{place}: expected a folder to write into, got a file")
    cells = FinishedCells(place / "cells", fresh=fresh)
    for name in EXPERIMENTS:
        if name in wanted:
            result = _run(name, run, cells, place)
            _note(place, name, run, command)
            yield result
    write_atomically(place / "index.html", _page(place).encode())


def _run(name: Experiment, run: ExperimentRun, cells: FinishedCells, place: Path) -> Reproduction:
    """Run what is missing, write the table, and read it back for the rest."""
    if name == "table1":
        write_csv(place / "table1.csv", _collect(run_heart(run, cells)))
    elif name == "structures":
        write_csv(place / "structures.csv", _collect(run_structures(run, cells)))
    else:
        for generator in GENERATORS:
            table = TABLE_OF[generator]
            if name in (table, "figures"):
                write_csv(place / f"{table}.csv", _collect(run_simulation(run, cells, generator)))
    result = read_reproduction(name, place)
    for file, picture in result.pictures.items():
        write_atomically(place / file, picture.encode())
    if name not in ("table1", "figures"):
        write_csv(place / f"{name}-summary.csv", result.summary)
    return result


def _collect(parts: Iterable[list[Row]]) -> list[Row]:
    return [row for part in parts for row in part]


def read_reproduction(name: str, place: Path) -> Reproduction:
    """Make the summary, statements and pictures of an experiment from the CSV files of a folder."""
    if name == "table1":
        rows = read_csv(place / "table1.csv")
        return Reproduction(name, rows, shows.SHOW_HEART, list(check_heart(rows)), {})
    if name == "structures":
        summary = summarise_structures(read_csv(place / "structures.csv"))
        pictures = {"structures.svg": draw_structures(summary), "searches.svg": draw_searches(summary)}
        return Reproduction(name, summary, shows.SHOW_STRUCTURES, [], pictures, best_search(summary))
    if name == "figures":
        tables: dict[str, list[Row]] = {
            generator: read_csv(place / f"{TABLE_OF[generator]}.csv") for generator in GENERATORS
        }
        paper: dict[str, list[Row]] = {generator: paper_rows(generator) for generator in GENERATORS}
        drawn = {"kappas.svg": draw_kappas(tables), "dag-against-ldag.svg": draw_dag_against_ldag(tables, paper)}
        return Reproduction(name, [], {}, [], drawn)
    generator = next(generator for generator, table in TABLE_OF.items() if table == name)
    rows = read_csv(place / f"{name}.csv")
    summary = summarise_simulation(rows, paper_rows(generator))
    return Reproduction(name, summary, shows.SHOW_SIMULATION, list(check_simulation(rows, generator)), {})


def _note(place: Path, name: str, run: ExperimentRun, command: str) -> None:
    """Write down what made the results of an experiment."""
    path = place / "runs.json"
    runs = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    runs[name] = {
        "command": command or f"experiments.paper.reproduce({name!r}, ...)",
        "rng": run.rng,
        "plan": asdict(run.plan),
        "versions": {"ldag": version("ldag"), "numpy": version("numpy"), "python": platform.python_version()},
        "machine": f"{platform.system()} {platform.machine()}",
    }
    write_atomically(path, (json.dumps(runs, indent=2) + "\n").encode())


def _page(place: Path) -> str:
    """Return a page of everything that the folder has."""
    runs = json.loads((place / "runs.json").read_text(encoding="utf-8"))
    sections = []
    for name in EXPERIMENTS:
        if name not in runs:
            continue
        result = read_reproduction(name, place)
        parts = [*result.pictures.values()]
        rows = result.summary if result.shown is None else result.shown
        parts += [render_table(rows, result.show)] if rows else []
        parts += [_list(result.statements)] if result.statements else []
        sections.append((TITLES[name], "\n".join(parts)))
    return render_page(
        sections, {name: {key: runs[name][key] for key in _SHOWN} for name in EXPERIMENTS if name in runs}
    )


_SHOWN = ("command", "rng", "versions")


def _list(statements: Sequence[Statement]) -> str:
    items = (
        f'<li><span class="{"yes" if one.holds else "no"}">{"yes" if one.holds else "no"}</span> '
        f"{escape(one.claim)}: {escape(one.numbers)}</li>"
        for one in statements
    )
    return "<ul>" + "\n".join(items) + "</ul>"
