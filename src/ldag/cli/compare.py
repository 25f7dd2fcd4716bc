"""`ldag compare`: how much one graph or network agrees with another."""

import click

from ldag.cli.arguments import json_option, load_model, print_value
from ldag.cli.pipes import MODEL
from ldag.comparing import compare as compare_models
from ldag.drawing import PENS, check_picture
from ldag.formats import check_place


@click.command()
@click.argument("first", type=MODEL)
@click.argument("second", type=MODEL)
@click.option(
    "--samples",
    "--n-samples",
    "n_samples",
    type=int,
    metavar="N",
    help="Estimate the KL divergence from N rows; it is exact otherwise.",
)
@click.option("--rng", type=int, help="Seed of these rows.  [0]")
@click.option("--picture", metavar="FILE", help=f"Draw the edges of both there ({', '.join(PENS)}).")
@json_option
def compare(
    first: str, second: str, n_samples: int | None, rng: int | None, picture: str | None, as_json: bool
) -> None:
    """Compare a GRAPH or NETWORK with a SECOND one, the true one first if there is one.

    Edges, labels, classes; and the divergence of the second distribution from the first if both have parameters.

    \b
    ldag compare truth.json learned.json
    ldag compare guard my-graph.ldag --json
    ldag compare truth.json learned.json --picture difference.svg
    """
    if picture is not None:
        check_place(check_picture(picture))
    comparison = compare_models(load_model(first), load_model(second), n_samples=n_samples, rng=rng)
    if picture is not None:
        comparison.save_picture(picture)
    print_value(comparison, as_json)
