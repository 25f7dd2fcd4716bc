"""`ldag bootstrap`: how often what is learned is learned again."""

from typing import Any, get_args

import click

from ldag.cli.arguments import json_option
from ldag.cli.pipes import TABLE, Target
from ldag.cli.settings import cut_windows, load_to_repeat, panel_options, read_panel, settings_options
from ldag.cli.tables import print_result, table_options
from ldag.data import ReadOptions
from ldag.drawing import PENS, check_picture
from ldag.formats import check_document_path, check_place
from ldag.uncertainty import Directions
from ldag.uncertainty import bootstrap as learn_again


@click.command()
@click.argument("data", type=TABLE)
@click.option("--number", "-n", "n", default=200, show_default=True, help="How many graphs are learned.")
@click.option("--output", "-o", type=Target(".json"), metavar="FILE", help="Write the bootstrap there (.json).")
@click.option("--picture", metavar="FILE", help=f"Draw the consensus there ({', '.join(PENS)}); width is strength.")
@click.option(
    "--directions",
    type=click.Choice(get_args(Directions)),
    default="cpdag",
    show_default=True,
    help="Which edges count for one direction only.",
)
@panel_options
@settings_options
@table_options
@json_option
def bootstrap(
    data: str,
    n: int,
    output: str | None,
    picture: str | None,
    directions: Directions,
    reading: ReadOptions,
    as_json: bool,
    **options: Any,
) -> None:
    """Learn from rows of DATA drawn again and again, and say how often edges and labels return.

    \b
    ldag bootstrap heart -n 200 --kappa 0.1
    ldag bootstrap survey.csv -n 200 -o boot.json --picture boot.svg
    """
    if output is not None:
        check_place(check_document_path(output, "bootstrap"))
    if picture is not None:
        check_place(check_picture(picture))
    panel = read_panel(options)
    table, settings = load_to_repeat(data, reading, options)
    table, settings["constraints"] = cut_windows(table, settings["constraints"], panel, settings["decomposable"])
    result = learn_again(table, n, directions=directions, **settings)
    if output is not None:
        result.save(output)
    if picture is not None:
        result.save_picture(picture)
    print_result(result, table, result.summary() if as_json else None)
