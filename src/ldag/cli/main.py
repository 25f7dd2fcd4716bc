"""The `ldag` command: one group, one file per command."""

import gc
import io
import os
import signal
import sys
import threading
import warnings
from importlib import import_module
from typing import NoReturn

import click

import ldag
from ldag.cli.pipes import without_folder
from ldag.errors import DataNote, LdagError, speak_to_shell, suggest

COMMANDS = {
    "describe": "Say what a table holds.",
    "count": "Merge equal rows of tables.",
    "learn": "Learn a graph from data.",
    "fit": "Fit parameters to a given graph.",
    "posterior": "Say how sure one can be of edges and labels.",
    "bootstrap": "Say how often edges and labels are learned again.",
    "average": "Learn several networks that answer together.",
    "show": "Show what a graph says.",
    "explain": "Explain one variable: its parents, rules and probabilities.",
    "implies": "Decide an independence, with a proof.",
    "identify": "Decide whether an effect follows from a table, and estimate it.",
    "equivalent": "Decide whether two graphs say the same.",
    "compare": "Compare a graph or network with another.",
    "score": "Score a graph on data.",
    "query": "Ask a network.",
    "predict": "Predict a variable in rows.",
    "impute": "Fill the empty cells of a table.",
    "sample": "Draw rows from a network.",
    "forecast": "Say what comes next, after a history.",
    "convert": "Write a graph or a network in another format.",
    "plot": "Draw a graph as SVG, PNG or PDF.",
    "report": "Write a report: one HTML page, or Markdown.",
    "explore": "Write an HTML page in which states can be clicked.",
    "datasets": "List the data sets and example graphs.",
    "certify": "Learn a graph and bound the score of all others.",
    "scores": "Score all families, for other programs.",
    "reproduce": "Run the experiments of the paper.",
}
"""Every command, in a file of its own name, and what it does in a line; a file is loaded when its command is run."""

GROUPS = {
    "Tables": ("describe", "count", "datasets"),
    "Learn": ("learn", "fit", "score"),
    "How sure": ("posterior", "bootstrap", "average"),
    "Look": ("show", "explain", "plot", "report", "explore"),
    "Ask a network": ("query", "predict", "impute", "sample", "forecast"),
    "Reason about graphs": ("implies", "identify", "equivalent", "compare"),
    "Files": ("convert",),
    "For specialists": ("certify", "scores", "reproduce"),
}
"""What commands are for, as the help lists them."""


class Commands(click.Group):
    """A group whose commands are loaded when they are asked for, so that one does not pay for all."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in the order people need them."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command."""
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        gc.disable()  # what is loaded stays: nothing of it is garbage, now or at the end
        command = getattr(import_module(f"ldag.cli.{cmd_name}"), cmd_name)
        if gc.get_freeze_count() == 0:
            gc.freeze()
        gc.enable()
        assert isinstance(command, click.Command)
        command.short_help = COMMANDS[cmd_name]
        _offer_all_help(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is meant, or suggest one."""
        if not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            raise click.UsageError(f"no command {args[0]!r}{suggest(args[0], COMMANDS)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without loading them."""
        del ctx
        width = max(map(len, COMMANDS))
        grouped = {name for names in GROUPS.values() for name in names}
        for title, names in {**GROUPS, "More": tuple(name for name in COMMANDS if name not in grouped)}.items():
            if names:
                with formatter.section(title):
                    formatter.write_dl([(name.ljust(width), COMMANDS[name]) for name in names])


def _offer_all_help(command: click.Command) -> None:
    """Give a command with rare options one that lists them."""
    from ldag.cli.arguments import RareOption, tell_all  # here, because graphs come along

    n_rare = sum(isinstance(param, RareOption) for param in command.params)
    if n_rare and all("--help-all" not in param.opts for param in command.params):
        told = f"Show {n_rare} more options, too."
        command.params.append(
            click.Option(["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=tell_all, help=told)
        )


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(ldag.__version__, prog_name="ldag")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Discrete Bayesian networks that know when an edge matters.

    \b
    A GRAPH is a file (.ldag, .json, .dot, ...) or the name of an example;
    `ldag datasets` lists these. A NETWORK is a file with parameters (.json,
    .bif, .net, ...); it can stand for its GRAPH. `ldag convert --formats`
    lists the formats. A file can be - for the standard input or output.

    \b
    ldag describe survey.csv               what a table holds
    ldag learn survey.csv -o model.json    learn a model, say what was found
    ldag report survey.csv -o survey.html  one page to send to somebody
    ldag query model.json pain --given smoker=yes

    \b
    Completion in bash: eval "$(_LDAG_COMPLETE=bash_source ldag)"
    (zsh_source and fish_source likewise)
    """
    ctx.with_resource(speak_to_shell())


def _show_warning(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    """Print what Python would show as a warning; what is told of data is a note."""
    click.echo(f"{'note' if issubclass(category, DataNote) else 'warning'}: {message}", err=True)


def main() -> None:
    """Run the command line; what goes wrong is one line on standard error and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that has no sign for independence shows "?"
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: what there is is written
    warnings.showwarning = _show_warning
    try:
        cli.main(prog_name="ldag", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as error:
        if type(error).__name__ == "NoArgsIsHelpError":  # its message is the help; older versions have no such class
            error.show()
            sys.exit(2)
        from ldag.cli.usage import describe_misuse  # here, because it loads the shelves and all that they need

        _fail(describe_misuse(error, _command()))
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        sys.exit(130)
    except LdagError as error:
        _fail(without_folder(str(error)))
    except MemoryError as error:
        size = "" if str(error) in ("", "std::bad_alloc") else f": {error}"  # numpy says how much it asked for
        _fail(f"not enough memory{size}; try fewer parents, rows or threads")
    except BrokenPipeError:
        _leave_quietly()
    except SystemExit:  # click's answer to a broken pipe; no command of ours exits by itself
        _leave_quietly()
    except OSError as error:
        _fail(str(error))


def _command() -> click.Command | None:
    """Return the command that was asked for."""
    name = next((word for word in sys.argv[1:] if word in COMMANDS), None)
    return None if name is None else cli.get_command(click.Context(cli), name)


def _fail(message: str) -> NoReturn:
    click.echo(f"error: {message}", err=True)
    sys.exit(2)


def _leave_quietly() -> NoReturn:
    """End well: whoever read the output has seen enough of it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is still buffered goes nowhere
    sys.exit(0)
