"""Commands that were typed wrongly: what was expected, what came, and what to do, in one line for every command."""

import difflib
import re
from collections.abc import Sequence

import click

from ldag import datasets
from ldag.cli.pipes import TABLE
from ldag.formats import holds_models

OTHER_WORDS = {
    "seed": "rng",
    "ess": "equivalent_sample_size",
    "iss": "equivalent_sample_size",
    "threads": "n_jobs",
    "cores": "n_jobs",
}
"""What other programs call some options."""


def describe_misuse(error: click.ClickException, command: click.Command | None) -> str:
    """Return what was wrong with how a command was typed, and where to look it up."""
    context: click.Context | None = getattr(error, "ctx", None)
    path = "ldag" if command is None else f"ldag {command.name}"
    if context is not None:
        command, path = context.command, context.command_path
    message = " ".join(error.format_message().split()).rstrip(".")
    if command is not None and isinstance(error, click.UsageError):
        message = _tell_more(error, message, command, path)
    return f"{message}; see {path} --help"


def _tell_more(error: click.UsageError, message: str, command: click.Command, path: str) -> str:
    """Return a message of click with what it leaves out."""
    extra = re.fullmatch(r"Got unexpected extra arguments? \((.*)\)", message)
    if extra is not None and error.ctx is not None:
        typed = [value for value in error.ctx.params.values() if isinstance(value, str)]
        hint = _suggest_for_extra(extra[1], typed, command)
        takes = " and ".join(_arguments(command))
        return f"{path} takes {f'{takes} only' if takes else 'no arguments'}, {extra[1]!r} is too much{hint}"
    if isinstance(error, click.MissingParameter):
        needed = [f"{option.opts[0]} {_metavar(option)}" for option in _options(command) if option.required]
        return f"{message}; expected {' '.join([path, *_arguments(command), *needed])}"
    if isinstance(error, click.NoSuchOption):
        return f"No such option {error.option_name!r}{_suggest_option(error.option_name, command)}"
    if isinstance(error, click.BadOptionUsage) and "requires" in message:
        option = next(option for option in _options(command) if error.option_name in option.opts)
        meaning = "" if isinstance(option.type, click.Choice) or not option.help else option.help.split("  [")[0]
        return f"Option {error.option_name!r} requires a value: {meaning or _metavar(option)}".rstrip(".")
    return message


def _suggest_for_extra(words: str, typed: Sequence[str], command: click.Command) -> str:
    """Return a hint about a word too many: an option without its sign, a model where one is learned, more tables."""
    name, equals, value = words.partition("=")
    option = _option_called(name, command) if equals else None
    if option is not None:
        return f"; did you mean {max(option.opts, key=len)} {value}?"
    if [param.type for param in command.params if isinstance(param, click.Argument)] != [TABLE]:
        return ""
    is_model = any(holds_models(word) or word in datasets.graph_names() for word in [*typed, *words.split()])
    if is_model and _option_called("kappa", command) is not None:
        return (
            "; it learns a graph from DATA by itself: what a model was learned with is given as options, such as "
            "--kappa 0.1 --max-parents 3"
        )
    return "" if is_model else "; files that make one table are given as one pattern in quotes, such as 'part-*.csv'"


def _suggest_option(given: str, command: click.Command) -> str:
    """Return a hint about the option that may have been meant, also by its name in Python or in other programs."""
    given = given.lstrip("-")
    option = _option_called(given, command)
    flags = {flag.lstrip("-"): flag for option in _options(command) for flag in option.opts}
    close = difflib.get_close_matches(given, flags, n=1)
    meant = max(option.opts, key=len) if option is not None else flags[close[0]] if close else None
    return "" if meant is None else f"; did you mean {meant}?"


def _option_called(name: str, command: click.Command) -> click.Option | None:
    """Return an option by its name in Python or in other programs."""
    name = name.strip().replace("-", "_")
    name = OTHER_WORDS.get(name, name)
    return next((option for option in _options(command) if option.name == name), None)


def _options(command: click.Command) -> list[click.Option]:
    return [param for param in command.params if isinstance(param, click.Option)]


def _arguments(command: click.Command) -> list[str]:
    """Return the arguments of a command as its help writes them."""
    return [_metavar(param) for param in command.params if isinstance(param, click.Argument)]


def _metavar(param: click.Parameter) -> str:
    """Return what stands for a value in a command's help."""
    if param.metavar is not None:
        return param.metavar
    if isinstance(param.type, click.Choice):
        return " or ".join(map(str, param.type.choices))
    return param.human_readable_name.upper() + ("..." if param.nargs < 0 else "")
