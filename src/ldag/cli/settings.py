"""The options of a search on the command line: made from `Settings` and the methods, so that they exist once."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import Field, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import click

from ldag.cli.arguments import Command, RareOption, add_options, load_graph
from ldag.cli.pipes import MODEL, TEXT
from ldag.cli.tables import load_table
from ldag.constraints import Constraints, read_edge
from ldag.data import Dataset, ReadOptions
from ldag.dynamic import Slicing, check_has_arrows
from ldag.errors import ArgumentError
from ldag.formats import Edge, Scanner, read_name_list, read_utf8
from ldag.learning import (
    LEAST_SECONDS,
    METHODS,
    Deadline,
    Settings,
    check_time_limit,
    method_options,
    rename_settings,
    split_options,
)

checkpoint_option = click.option(
    "--checkpoint",
    cls=RareOption,
    metavar="PATH",
    help="Keep what is done in this file, and resume from it if it is there.",
)

PANEL = {
    "lags": click.option(
        "--lags", type=int, metavar="N", help="For rows in order of time: steps before that may matter."
    ),
    "static": click.option(
        "--static",
        cls=RareOption,
        metavar="NAMES",
        help="With --lags: columns with one value for a series.  [those that never change within one]",
    ),
    "instantaneous": click.option(
        "--instantaneous/--no-instantaneous",
        cls=RareOption,
        default=None,
        help="With --lags: whether edges may join variables of one step.  [they may]",
    ),
}
"""How slices of time follow from each other."""

CONSTRAINTS = {
    "constraint_file": click.option(
        "--constraints", "constraint_file", cls=RareOption, type=TEXT, metavar="FILE", help="A file of constraints."
    ),
    "tiers": click.option(
        "--tiers",
        type=TEXT,
        metavar="FILE",
        help="A file: one tier per line, names separated by commas; * is all others.",
    ),
    "require": click.option("--require", multiple=True, metavar='"A -> B"', help="An edge that must be there."),
    "forbid": click.option("--forbid", multiple=True, metavar='"A -> B"', help="An edge that must not be there."),
    "unlabelled": click.option(
        "--unlabelled", cls=RareOption, multiple=True, metavar='"A -> B"', help="An edge that may carry no label."
    ),
}
"""All that `Settings.constraints` is put together from, as `read_constraints` takes it."""


def settings_options(command: Command) -> Command:
    """Give a command an option for every setting and every option of a method, as these are declared."""
    return add_options(command, [*_declare_options(), *OLD_OPTIONS])


def _declare_options() -> Iterator[Callable[[Command], Command]]:
    """Go through the options of a search; those of methods stand beside those of constraints."""
    for setting in fields(Settings):
        if setting.name == "constraints":
            yield from CONSTRAINTS.values()
            yield from map(_declare, method_options().values())
        else:
            yield _declare(setting)


def _declare(setting: "Field[Any]") -> Callable[[Command], Command]:
    """Return the option for a setting."""
    more = setting.metadata
    old = [f"--{more['old']}"] if "old" in more else []
    flag = _flag(setting.name)
    if setting.type is bool:
        return click.option(flag, setting.name, cls=RareOption, is_flag=True, help=more["help"])
    return click.option(
        f"{flag}/--no-{flag[2:]}" if bool in get_args(setting.type) else flag,
        *old,
        setting.name,
        cls=click.Option if more.get("is_common") else RareOption,
        type=_kind(setting.name, setting.type),
        default=setting.default,
        show_default=setting.default is not None,
        metavar=more.get("metavar"),
        help=more["help"],
    )


def read_settings(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that the options of a command say, as `learn` takes them."""
    given, _ = split_options(rename_settings(options))
    if given["start"] is not None:
        given["start"] = load_graph(given["start"])
    return given | {"constraints": read_constraints(*(options[name] for name in CONSTRAINTS))}


USE_OF_GAPS = "learned by EM"
"""What becomes of gaps that are kept where a graph is learned."""


def load_to_learn(
    source: str, reading: ReadOptions, options: Mapping[str, Any], use_of_gaps: str | None = None
) -> tuple[Dataset, dict[str, Any], Deadline]:
    """Read a table and the settings of a search; its time limit begins before the table is read."""
    deadline = Deadline.after(check_time_limit(options["time_limit"]))
    settings = read_settings(options)
    if use_of_gaps is not None and METHODS[settings.get("method", "auto")].grows:
        use_of_gaps = "filled by draws"
    return load_table(source, reading, use_of_gaps=use_of_gaps), settings, deadline


def load_to_repeat(source: str, reading: ReadOptions, options: Mapping[str, Any]) -> tuple[Dataset, dict[str, Any]]:
    """Read a table and the settings of many searches; of a time limit, what reading leaves is for them."""
    data, settings, deadline = load_to_learn(source, reading, options, use_of_gaps="learned by EM")
    return data, settings | {"time_limit": left_for_search(deadline)}


def keep_given(context: click.Context, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that a command was told, for functions whose defaults are not those of `learn`."""
    usual = {one.name for one in context.command.params if _is_default(context, one.name)}
    return {name: value for name, value in settings.items() if value is not None and name not in usual}


def _is_default(context: click.Context, name: str | None) -> bool:
    return name is not None and context.get_parameter_source(name) is click.core.ParameterSource.DEFAULT


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
            known = {setting.name: setting.metadata.get("numbers") for setting in fields(Settings)}
            wanted = known.get(self._option) or "a number"
            raise ArgumentError(
                f"{_flag(self._option)} must be {wanted}, or {' or '.join(self._words)}, got {value!r}"
            ) from None


class SmoothingText(click.ParamType):  # type: ignore[type-arg]  # generic in some versions only
    """A number or cv, and after a comma what has so much of it each."""

    name = "size[,spread]"

    def convert(self, value: object, _param: click.Parameter | None, _ctx: click.Context | None) -> object:
        """Return the smoothing as `learn` takes it; a text that makes no sense is refused there."""
        size, *more = map(_number_or_word, str(value).split(","))
        return (size, *more) if more else size


def _number_or_word(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text.strip()


OLD_OPTIONS = (
    click.option("--parameters-sample-size", cls=RareOption, type=SmoothingText(), help="Say --smoothing."),
    click.option("--parameters-spread", cls=RareOption, help="Say --smoothing."),
)
"""What `--smoothing` was, for one release."""


def _flag(name: str) -> str:
    """Return what a setting is called on the command line."""
    return "--" + name.removeprefix("n_").replace("_", "-")


def _kind(name: str, hint: object) -> Any:
    """Return how a setting of a type is read."""
    special = {"start": MODEL, "method": click.Choice(tuple(METHODS)), "smoothing": SmoothingText()}
    if name in special:
        return special[name]
    parts = [hint] if get_origin(hint) is Literal else get_args(hint) or (hint,)
    words = [word for part in parts if get_origin(part) is Literal for word in get_args(part)]
    numbers = [number for number in (bool, float, int) if number in parts]
    if words and numbers:
        return NumberOrWord(name, words)
    if words:
        return click.Choice(words)
    return numbers[0] if numbers else None


def constraint_options(command: Command) -> Command:
    """Give a command the options of constraints."""
    return add_options(command, CONSTRAINTS.values())


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


def panel_options(command: Command) -> Command:
    """Give a command the options for rows in order of time; `read_panel` takes them."""
    return add_options(command, PANEL.values())


def read_panel(options: dict[str, Any]) -> dict[str, Any]:
    """Take the options for rows in order of time out of those of a command, as `learn` takes them."""
    given = {name: options.pop(name) for name in PANEL}
    if given["static"] is not None:
        given["static"] = read_name_list(given["static"], "--static")
    return {name: value for name, value in given.items() if value is not None}


def cut_windows(
    table: Dataset, constraints: Constraints | None, panel: Mapping[str, Any], decomposable: bool = False
) -> tuple[Dataset, Constraints | None]:
    """Return the windows of a panel, and what constraints say about them; the table itself if there are no lags."""
    if not panel:
        return table, constraints
    check_has_arrows(decomposable)
    slices, rules = Slicing(**panel).cut(table, constraints)
    return slices.windows, rules.of_windows()


def _read_tiers(path: Path) -> list[list[str]]:
    """Read one tier per line; names in quotes are read as in the text form."""
    lines = enumerate(read_utf8(path).splitlines(), start=1)
    groups = [read_name_list(text, f"{path}, line {number}") for number, text in lines]
    return [group for group in groups if group]


def _read_edge(text: str, option: str) -> Edge:
    """Read an edge such as "a -> b" or "b <- a"."""
    scanner = Scanner(text, option)
    edge = read_edge(scanner)
    if not scanner.is_at_end:
        raise scanner.unexpected("the end")
    return edge
