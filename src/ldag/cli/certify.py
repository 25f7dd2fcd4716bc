"""`ldag certify`: how much better than the learned graph any graph could be."""

import click

from ldag.cli.arguments import json_option
from ldag.cli.pipes import TABLE
from ldag.cli.settings import load_to_learn, settings_options
from ldag.cli.tables import print_result, table_options
from ldag.data import ReadOptions
from ldag.errors import ArgumentError, LdagError
from ldag.learning import Settings, learn_with


@click.command()
@click.argument("data", type=TABLE)
@click.option(
    "--proof-limit", default=120.0, show_default=True, metavar="SECONDS", help="Time for the proof, after the search."
)
@settings_options
@table_options
@json_option
def certify(data: str, proof_limit: float, reading: ReadOptions, as_json: bool, **options: object) -> None:
    """Learn a graph from DATA (a file, or the name of a data set) and prove how far from the best it is at most.

    \b
    ldag certify heart --kappa 0.1
    ldag certify survey.csv --structure table --method climb --max-parents 3 --proof-limit 300
    """
    table, settings, deadline = load_to_learn(data, reading, options)
    fit = learn_with(table, Settings.of(**settings), deadline=deadline)
    try:
        certificate = fit.certify(time_limit=proof_limit)
    except LdagError as error:  # --time-limit is that of the search
        raise ArgumentError(str(error).replace("--time-limit", "--proof-limit")) from None
    plain = fit.to_dict() | {"certificate": certificate.to_dict()} if as_json else None
    print_result(f"{fit}\n{certificate}", table, plain)
