"""`ldag learn`: a graph from data."""

from pathlib import Path
from typing import Any

import click

from ldag.cli.arguments import json_option, save_model
from ldag.cli.pipes import TABLE, Target
from ldag.cli.settings import (
    USE_OF_GAPS,
    checkpoint_option,
    load_to_learn,
    panel_options,
    read_panel,
    settings_options,
)
from ldag.cli.tables import print_result, table_options, tell_of_parameters
from ldag.data import ReadOptions
from ldag.dynamic import learn_panel
from ldag.errors import ArgumentError
from ldag.formats import check_document_path, check_place, check_writable
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
@panel_options
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
    **options: Any,
) -> None:
    """Learn a labelled DAG from DATA (a file, or the name of a data set) and say what was found.

    \b
    ldag learn heart --kappa 0.3
    ldag learn survey.csv --tiers tiers.txt --forbid "age <- income" --max-parents 4 -o model.ldag
    ldag learn visits.csv --groups patient --time visit --lags 1 -o dynamic.json
    """
    panel = read_panel(options)
    if output is not None:
        check_place(check_document_path(output, "dynamic network")) if panel else check_writable(output)
        if checkpoint is not None and Path(output).resolve() == Path(checkpoint).resolve():
            raise ArgumentError(f"--output and --checkpoint are the same file, {output}; give one of them another name")
    table, settings, deadline = load_to_learn(data, reading, options, USE_OF_GAPS)
    if panel:
        over_time = learn_panel(table, Settings.of(**settings), panel, checkpoint=checkpoint, deadline=deadline)
        if output is not None:
            over_time.network.save(output)
        print_result(over_time, table, over_time.to_dict() if as_json else None)
        return
    fit = learn_with(table, Settings.of(**settings), checkpoint=checkpoint, deadline=deadline)
    if as_json:  # what is printed otherwise says so itself
        tell_of_parameters(fit.network, fit.data)
    if output is not None:
        save_model(fit.network, output)
    print_result(fit, table, fit.to_dict() if as_json else None)
