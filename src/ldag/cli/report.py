"""`ldag report`: one page to send to somebody."""

from pathlib import Path
from typing import Literal, cast

import click

from ldag.cli.arguments import json_option, load_drawn, print_json, schema_of
from ldag.cli.pipes import MODEL, PIPE, TABLE, Target, is_model_piped
from ldag.cli.settings import USE_OF_GAPS, left_for_search, load_to_learn, settings_options
from ldag.cli.tables import load_table, table_options
from ldag.data import ReadOptions
from ldag.dynamic import DynamicNetwork
from ldag.errors import ArgumentError
from ldag.formats import holds_models
from ldag.learning import Settings, learn_with
from ldag.presenting import report as write_report


@click.command()
@click.argument("source")
@click.option("--output", "-o", type=Target(".html"), required=True, metavar="FILE", help="The report: .html, or .md.")
@click.option("--data", type=TABLE, metavar="DATA", help="The data of a model: a file, or the name of a data set.")
@click.option("--title", metavar="TEXT", help="What stands above it.")
@click.option("--posterior/--no-posterior", default=True, help="Tell how probable each edge is (up to 14 variables).")
@settings_options
@table_options
@json_option
@click.pass_context
def report(
    context: click.Context,
    /,
    source: str,
    output: str,
    data: str | None,
    title: str | None,
    posterior: bool,
    as_json: bool,
    **options: object,
) -> None:
    """Write a report on SOURCE: data to learn from, or a model or what `ldag average` wrote (with --data).

    It tells what the data are and what was done to them, shows the graph, puts every label in a sentence, gives rules
    with intervals, and says how sure it all is.

    \b
    ldag report survey.csv -o survey.html
    ldag report model.json --data survey.csv -o survey.html
    """
    reading = cast("ReadOptions", options.pop("reading"))
    title = title or (f"{Path(source).stem}: what depends on what, and when" if source != "-" else None)
    how: Literal["auto"] | None = "auto" if posterior else None
    if source == PIPE:
        source = (MODEL if is_model_piped() else TABLE).convert(source, context.command.params[0], context)
    if holds_models(source):
        given = [
            name for name in options if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT
        ]
        if given:
            flag = given[0].replace("_", "-")
            raise ArgumentError(f"--{flag} is for learning; {source} is a model that has been learned")
        model = load_drawn(source)
        if isinstance(model, DynamicNetwork):
            if data is not None:
                raise ArgumentError(f"--data is for models of rows; {source} is a network over time")
            write_report(model, output, title=title)
        else:
            table = None if data is None else load_table(data, reading, schema_of(model), use_of_gaps="")
            write_report(model, output, data=table, posterior=how, title=title)
    else:
        if data is not None:
            raise ArgumentError(f"--data is for models; {source} is data itself")
        table, settings, deadline = load_to_learn(source, reading, options, USE_OF_GAPS)
        half = deadline if how is None else deadline.share(0.5)  # the other one is for how sure it is
        fit = learn_with(table, Settings.of(**settings), deadline=half)
        write_report(fit, output, posterior=how, title=title, time_limit=left_for_search(deadline))
    if as_json:
        print_json({"written": output})
