"""`ldag scores`: the scores of all families, for programs that search over parent sets."""

from pathlib import Path
from typing import Any, get_args

import click

from ldag.cli.arguments import json_option, print_json
from ldag.cli.pipes import ROWS_OUT, TABLE
from ldag.cli.tables import load_table, table_options
from ldag.data import ReadOptions
from ldag.formats import FamilyScores, check_place
from ldag.learning import LabelSearch, StructureKind, family_scores
from ldag.scoring import PRIORS


@click.command()
@click.argument("data", type=TABLE)
@click.option("--output", "-o", type=ROWS_OUT, metavar="FILE", help="Write there (.jkl); printed otherwise.")
@click.option("--max-parents", default=3, show_default=True, help="Parents of a node at most.")
@click.option("--kappa", type=float, help="Above 0 and at most 1: what a parameter saved by labels costs.")
@click.option("--structure", type=click.Choice(get_args(StructureKind)), default="ldag", show_default=True)
@click.option(
    "--label-search",
    "--labels",
    "label_search",
    type=click.Choice(get_args(LabelSearch)),
    default="greedy",
    show_default=True,
)
@click.option("--equivalent-sample-size", default=1.0, show_default=True, help="Weight of the prior over parameters.")
@click.option("--prior", type=click.Choice(PRIORS), default="labels", show_default=True, help="What kappa is paid for.")
@click.option("--all", "keep_all", is_flag=True, help="Also sets of parents that a subset beats.")
@table_options
@json_option
def scores(data: str, output: str | None, keep_all: bool, reading: ReadOptions, as_json: bool, **options: Any) -> None:
    """Score every family of DATA (a file, or the name of a data set); or check and print a .jkl file.

    \b
    ldag scores heart --kappa 0.1 -o heart.jkl
    ldag scores survey.csv --structure table --max-parents 2
    """
    if output is not None:
        check_place(Path(output))
    if data.lower().endswith(".jkl"):
        scored = FamilyScores.load(data)
    else:
        scored = family_scores(load_table(data, reading), prune=not keep_all, **options)
    if output is not None:
        scored.save(output)
    if as_json:
        told = {"families": scored.to_dict()} if output is None else {"written": output, "n_scores": scored.n_scores}
        print_json(told)
    elif output is None:
        click.echo(scored.to_text(), nl=False)
