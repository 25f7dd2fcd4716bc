"""`ldag learn`: a graph from data."""

from pathlib import Path

import click

from ldag.cli.arguments import json_option, save_model
from ldag.cli.pipes import TABLE, Target
from ldag.cli.settings import USE_OF_GAPS, checkpoint_option, load_to_learn, settings_options
from ldag.cli.tables import print_result, table_options, tell_of_parameters
from ldag.data import ReadOptions
from ldag.errors import ArgumentError
from ldag.formats import check_writable
from ldag.learning import Settings, learn_with


@click.command()
@click.argument("data", type=TABLE)
@click.option(
    "--output",
    "-o",
    type=Target(".json"),
    metavar="FILE",
    help="Write the network (.json) or graph (.ldag, .dot).",
)
@settings_options
@checkpoint_option
@table_options
@json_option
def learn(
    data: str,
    output: str | None,
    checkpoint: str | None,
    reading: ReadOptions,
    as_json: bool,
    **options: object,
) -> None:
    """Learn a labelled DAG from DATA (a file, or the name of a data set) and say what was found.

    \b
    ldag learn heart --kappa 0.3
    ldag learn survey.csv --tiers tiers.txt --forbid "age <- income" --max-parents 4 -o model.ldag
    """
    if output is not None:
        check_writable(output)
        if checkpoint is not None and Path(output).resolve() == Path(checkpoint).resolve():
            raise ArgumentError(f"--output and --checkpoint are the same file, {output}; give one of them another name")
    table, settings, deadline = load_to_learn(data, reading, options, USE_OF_GAPS)
    fit = learn_with(table, Settings.of(**settings), checkpoint=checkpoint, deadline=deadline)
    if as_json:  # what is printed otherwise says so itself
        tell_of_parameters(fit.network, fit.data)
    if output is not None:
        save_model(fit.network, output)
    print_result(fit, table, fit.to_dict() if as_json else None)
