"""`ldag explore`: one HTML file in which states can be clicked."""

from pathlib import Path

import click

from ldag.cli.arguments import json_option, load_drawn, print_json
from ldag.cli.pipes import MODEL, Target
from ldag.presenting import explore as write_explorer


@click.command()
@click.argument("network", type=MODEL)
@click.option("--output", "-o", type=Target(".html"), required=True, metavar="FILE.html", help="The page to write.")
@click.option("--title", metavar="TEXT", help="What stands above it.")
@json_option
def explore(network: str, output: str, title: str | None, as_json: bool) -> None:
    """Write an explorer of NETWORK, one or several: click states, watch edges vanish and probabilities move.

    One file to open in a browser, or to send to somebody; it needs no server and no network.

    \b
    ldag learn heart -o heart.json
    ldag explore heart.json -o heart.html
    """
    title = title or (Path(network).stem if network != "-" else None)
    write_explorer(load_drawn(network), output, title=title)
    if as_json:
        print_json({"written": output})
