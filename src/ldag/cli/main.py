"""The `ldag` command: one group, one file per command."""

import io
import sys
import warnings

import click

import ldag
from ldag.cli.compare import compare
from ldag.cli.convert import convert
from ldag.cli.datasets import datasets
from ldag.cli.equivalent import equivalent
from ldag.cli.implies import implies
from ldag.cli.learn import learn
from ldag.cli.plot import plot
from ldag.cli.predict import predict
from ldag.cli.query import query
from ldag.cli.sample import sample
from ldag.cli.score import score
from ldag.cli.show import show
from ldag.errors import LdagError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(ldag.__version__, prog_name="ldag")
def cli() -> None:
    """Discrete Bayesian networks that know when an edge matters.

    \b
    A GRAPH is a file (.ldag, .json, .dot) or the name of an example;
    `ldag datasets` lists these. A NETWORK is a .json file with parameters;
    it can stand for its GRAPH.
    """


for command in (learn, show, implies, equivalent, compare, score, query, predict, sample, convert, plot, datasets):
    cli.add_command(command)


def main() -> None:
    """Run the command line; what goes wrong is one line on standard error and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that has no sign for independence shows "?"
    warnings.showwarning = lambda message, *_, **__: click.echo(f"warning: {message}", err=True)
    try:
        cli.main(prog_name="ldag", standalone_mode=False)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except click.Abort:
        click.echo("interrupted", err=True)
        sys.exit(130)
    except LdagError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)
    except OSError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)
