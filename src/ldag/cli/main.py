"""The `ldag` command: one group, one file per command."""

import io
import os
import sys
import warnings
from typing import NoReturn

import click

import ldag
from ldag.cli.bootstrap import bootstrap
from ldag.cli.certify import certify
from ldag.cli.compare import compare
from ldag.cli.convert import convert
from ldag.cli.count import count
from ldag.cli.datasets import datasets
from ldag.cli.describe import describe
from ldag.cli.equivalent import equivalent
from ldag.cli.explain import explain
from ldag.cli.explore import explore
from ldag.cli.fit import fit
from ldag.cli.implies import implies
from ldag.cli.learn import learn
from ldag.cli.plot import plot
from ldag.cli.posterior import posterior
from ldag.cli.predict import predict
from ldag.cli.query import query
from ldag.cli.report import report
from ldag.cli.reproduce import reproduce
from ldag.cli.sample import sample
from ldag.cli.score import score
from ldag.cli.scores import scores
from ldag.cli.show import show
from ldag.errors import LdagError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(ldag.__version__, prog_name="ldag")
def cli() -> None:
    """Discrete Bayesian networks that know when an edge matters.

    \b
    A GRAPH is a file (.ldag, .json, .dot, ...) or the name of an example;
    `ldag datasets` lists these. A NETWORK is a file with parameters (.json,
    .bif, .net, ...); it can stand for its GRAPH. `ldag convert --formats`
    lists the formats.
    """


for command in (
    describe,
    count,
    learn,
    fit,
    posterior,
    bootstrap,
    show,
    explain,
    implies,
    equivalent,
    certify,
    compare,
    score,
    scores,
    query,
    predict,
    sample,
    convert,
    plot,
    report,
    explore,
    reproduce,
    datasets,
):
    cli.add_command(command)


def main() -> None:
    """Run the command line; what goes wrong is one line on standard error and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that has no sign for independence shows "?"
    warnings.showwarning = lambda message, *_, **__: click.echo(f"warning: {message}", err=True)
    try:
        cli.main(prog_name="ldag", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # its message is the help; older versions have no such class
            error.show()
            sys.exit(2)
        _fail(_describe(error))
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        sys.exit(130)
    except LdagError as error:
        _fail(str(error))
    except MemoryError as error:
        size = "" if str(error) in ("", "std::bad_alloc") else f": {error}"  # numpy says how much it asked for
        _fail(f"not enough memory{size}; try fewer parents, rows or threads")
    except BrokenPipeError:
        _leave_quietly()
    except SystemExit:  # click's answer to a broken pipe; no command of ours exits by itself
        _leave_quietly()
    except OSError as error:
        _fail(str(error))


def _fail(message: str) -> NoReturn:
    click.echo(f"error: {message}", err=True)
    sys.exit(2)


def _describe(error: click.ClickException) -> str:
    """Return what was wrong with a command, and where to look it up."""
    message = " ".join(error.format_message().split()).rstrip(".")
    context = getattr(error, "ctx", None)
    return f"{message}; see {context.command_path} --help" if context else message


def _leave_quietly() -> NoReturn:
    """End well: whoever read the output has seen enough of it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is still buffered goes nowhere
    sys.exit(0)
