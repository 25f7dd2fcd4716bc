"""`ldag reproduce`: the tables and figures of the paper, and the comparison of structures."""

import shlex
from dataclasses import replace
from typing import get_args

import click

from experiments.paper import EXPERIMENTS, FULL, QUICK, GraphSearch
from experiments.paper import reproduce as run_experiments
from ldag.cli.arguments import print_json


@click.command()
@click.argument(
    "experiments", nargs=-1, required=True, type=click.Choice([*EXPERIMENTS, "all"]), metavar="EXPERIMENT..."
)
@click.option(
    "--quick/--full", "quick", default=True, help="3 draws of the generators, or 20 and more searches.  [quick]"
)
@click.option("--draws", type=click.IntRange(1), metavar="N", help="Another number of draws.")
@click.option(
    "--method",
    type=click.Choice(get_args(GraphSearch)),
    help="The search of tables 2 and 3: the paper's chain, or exact.  [chain]",
)
@click.option("--output", "-o", default="reproduced", show_default=True, metavar="FOLDER", help="Where to write.")
@click.option("--rng", type=int, help="Seed of everything.  [0]")
@click.option("--jobs", "--n-jobs", "n_jobs", type=int, default=-1, help="Threads; -1 is all cores.  [-1]")
@click.option("--fresh", is_flag=True, help="Run again what the folder has already.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for other programs.")
def reproduce(
    experiments: tuple[str, ...],
    quick: bool,
    draws: int | None,
    method: GraphSearch | None,
    output: str,
    rng: int | None,
    n_jobs: int,
    fresh: bool,
    as_json: bool,
) -> None:
    """Run EXPERIMENTS of the paper, our numbers beside the paper's (in brackets).

    \b
    table1      the heart data, by exact search and by the paper's chains
    table2      data drawn from the ten-node DAG
    table3      data drawn from the ten-node labelled DAG
    figures     the KL divergences of tables 2 and 3
    structures  tables, trees, labels, partial labels, decision graphs
    all         everything

    FOLDER gets the tables as CSV, the figures as SVG, and all of it as index.html. A run that was stopped resumes
    when the same command is given again.

    \b
    ldag reproduce table1
    ldag reproduce all --full -o results
    """
    plan = QUICK if quick else FULL
    if draws is not None:
        plan = replace(plan, n_draws=draws, n_structure_draws=draws)
    if method is not None:
        plan = replace(plan, method=method)
    names = EXPERIMENTS if "all" in experiments else experiments
    results = []
    for result in run_experiments(
        names,
        folder=output,
        plan=plan,
        rng=rng,
        n_jobs=n_jobs,
        fresh=fresh,
        command=_command(experiments, quick, draws, method, rng),
        tell=lambda words: click.echo(words, err=True),
    ):
        results.append(
            {"experiment": result.name, "rows": result.summary, "statements": [*map(str, result.statements)]}
        )
        if not as_json:
            click.echo(f"{result}\n")
    if as_json:
        print_json({"written": output, "results": results})
    else:
        click.echo(f"{output}/index.html has all of it")


def _command(experiments: tuple[str, ...], quick: bool, draws: int | None, method: str | None, rng: int | None) -> str:
    """Return the command that makes the same results."""
    parts = ["ldag", "reproduce", *experiments, "--quick" if quick else "--full"]
    parts += [] if draws is None else ["--draws", f"{draws}"]
    parts += [] if method is None else ["--method", method]
    parts += [] if rng is None else ["--rng", f"{rng}"]
    return shlex.join(parts)
