"""The options of a search on the command line: made from `Settings`, so that they exist once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import click

from ldag.cli.arguments import RareOption, load_graph
from ldag.cli.pipes import MODEL, TEXT
from ldag.cli.tables import load_table
from ldag.data import Dataset, ReadOptions
from ldag.errors import ArgumentError
from ldag.formats import Edge, Scanner, read_name_list, read_utf8
from ldag.learning import LEAST_SECONDS, Constraints, Deadline, Settings, check_time_limit, read_edge

Command = TypeVar("Command", bound=Callable[..., object])

HELP: Mapping[str, str] = {
    "kappa": "Above 0 and at most 1, or cv: by cross-validation.",
    "method": "Which search.",
    "structure": "Which configurations may share a distribution, or cv: by cross-validation.",
    "labels": "How the labels of a family are looked for.",
    "equivalent_sample_size": "Weight of the prior over parameters, above 0, or cv: by cross-validation.",
    "parameters_sample_size": "The same for the parameters of the result only.  [as in the search]",
    "parameters_spread": "With it: observations spread over configurations, or so many to every class.",
    "prior": "What kappa is paid for.",
    "max_parents": "Parents of a node at most.",
    "n_chains": "For chain: how many chains.  [50]",
    "n_iter": "For chain: proposals per chain.  [500]",
    "n_restarts": "For climb: perturbed restarts.  [20 per variable, at least 400; with a time limit, until then]",
    "start": "For chain and climb: the graph to start from.",
    "max_candidates": "For climb: parents of each variable that are tried.  [all]",
    "rng": "Seed.  [0]",
    "n_jobs": "Threads; -1 is all cores.",
    "time_limit": "Return the best graph found by then, reading included.",
}
"""What the options mean; those of constraints are below."""

COMMON = ("kappa", "max_parents", "rng", "time_limit")
"""Those that the short help lists."""

METAVARS = {"start": "GRAPH", "time_limit": "SECONDS"}
ABOVE_0 = "a number above 0"
RANGES = {
    "kappa": f"{ABOVE_0} and at most 1",
    "equivalent_sample_size": ABOVE_0,
    "parameters_sample_size": ABOVE_0,
}

CONSTRAINTS = (
    click.option(
        "--constraints", "constraint_file", cls=RareOption, type=TEXT, metavar="FILE", help="A file of constraints."
    ),
    click.option(
        "--tiers",
        type=TEXT,
        metavar="FILE",
        help="A file: one tier per line, names separated by commas; * is all others.",
    ),
    click.option("--require", multiple=True, metavar='"A -> B"', help="An edge that must be there."),
    click.option("--forbid", multiple=True, metavar='"A -> B"', help="An edge that must not be there."),
    click.option(
        "--unlabelled", cls=RareOption, multiple=True, metavar='"A -> B"', help="An edge that may carry no label."
    ),
)
"""All that `Settings.constraints` is put together from."""


def settings_options(command: Command) -> Command:
    """Give a command an option for every setting; `read_settings` makes settings of them."""
    hints = get_type_hints(Settings)
    for setting in reversed(fields(Settings)):
        if setting.name == "constraints":
            for option in reversed(CONSTRAINTS):
                command = option(command)
            continue
        kind = _kind(setting.name, hints[setting.name])
        command = click.option(
            _flag(setting.name),
            setting.name,
            cls=click.Option if setting.name in COMMON else RareOption,
            type=kind,
            default=setting.default,
            show_default=setting.default is not None,
            metavar=METAVARS.get(setting.name),
            help=HELP[setting.name],
        )(command)
    return command


def read_settings(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that the options of a command say, as `learn` takes them."""
    given = {setting.name: options[setting.name] for setting in fields(Settings) if setting.name in options}
    if given["start"] is not None:
        given["start"] = load_graph(given["start"])
    names = ("constraint_file", "tiers", "require", "forbid", "unlabelled")
    return given | {"constraints": read_constraints(*(options[name] for name in names))}


def load_to_learn(
    source: str, reading: ReadOptions, options: Mapping[str, Any]
) -> tuple[Dataset, dict[str, Any], Deadline]:
    """Read a table and the settings of a search; its time limit begins before the table is read."""
    deadline = Deadline.after(check_time_limit(options["time_limit"]))
    settings = read_settings(options)
    return load_table(source, reading), settings, deadline


def load_to_repeat(source: str, reading: ReadOptions, options: Mapping[str, Any]) -> tuple[Dataset, dict[str, Any]]:
    """Read a table and the settings of many searches; of a time limit, what reading leaves is for them."""
    data, settings, deadline = load_to_learn(source, reading, options)
    return data, settings | {"time_limit": left_for_search(deadline)}


def left_for_search(deadline: Deadline) -> float | None:
    """Return the seconds that are left for a search."""
    return None if deadline.left is None else max(round(deadline.left, 2), LEAST_SECONDS)


class NumberOrWord(click.ParamType):  # type: ignore[type-arg]  # generic in some versions only
    """A number, or one of some words."""

    name = "text"

    def __init__(self, option: str, words: Sequence[str]) -> None:
        self._option = option
        self._words = words

    def convert(self, value: object, _param: click.Parameter | None, _ctx: click.Context | None) -> float | str:
        """Return the number or the word."""
        if isinstance(value, float) or value in self._words:
            return value if isinstance(value, float) else str(value)
        try:
            return float(str(value))
        except ValueError:
            wanted = RANGES.get(self._option, "a number")
            raise ArgumentError(
                f"{_flag(self._option)} must be {wanted}, or {' or '.join(self._words)}, got {value!r}"
            ) from None


def _flag(name: str) -> str:
    """Return what a setting is called on the command line."""
    return "--" + name.removeprefix("n_").replace("_", "-")


def _kind(name: str, hint: object) -> Any:
    """Return how a setting of a type is read."""
    if name == "start":
        return MODEL
    parts = [hint] if get_origin(hint) is Literal else get_args(hint) or (hint,)
    words = [word for part in parts if get_origin(part) is Literal for word in get_args(part)]
    numbers = [number for number in (float, int) if number in parts]
    if words and numbers:
        return NumberOrWord(name, words)
    if words:
        return click.Choice(words)
    return numbers[0] if numbers else None


def read_constraints(
    path: str | None, tiers: str | None, require: Sequence[str], forbid: Sequence[str], unlabelled: Sequence[str]
) -> Constraints | None:
    """Put the constraints of all options together."""
    if path is None and tiers is None and not require and not forbid and not unlabelled:
        return None
    constraints = Constraints() if path is None else Constraints.load(path)
    if tiers is not None:
        if constraints.tiers:
            raise ArgumentError("--tiers: the file of constraints has tiers already")
        constraints = replace(constraints, tiers=_read_tiers(Path(tiers)))
    return constraints.with_(
        required=[_read_edge(text, "--require") for text in require],
        forbidden=[_read_edge(text, "--forbid") for text in forbid],
        unlabelled=[_read_edge(text, "--unlabelled") for text in unlabelled],
    )


def _read_tiers(path: Path) -> list[list[str]]:
    """Read one tier per line; names in quotes are read as in the text form."""
    lines = enumerate(read_utf8(path).splitlines(), start=1)
    groups = [read_name_list(text, f"{path}, line {number}") for number, text in lines]
    return [group for group in groups if group]


def _read_edge(text: str, option: str) -> Edge:
    """Read an edge such as "a -> b" or "b <- a"."""
    scanner = Scanner(text, option)
    edge = read_edge(scanner)
    if not scanner.at_end:
        raise scanner.unexpected("the end")
    return edge
