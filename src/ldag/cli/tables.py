"""What commands take about tables: one list of options, and notes on standard error."""

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast, get_args

import click

from ldag import datasets
from ldag.cli.arguments import RareOption, add_options, is_path, print_json, print_notes
from ldag.data import (
    Bins,
    Dataset,
    Dates,
    Missing,
    ReadOptions,
    Unusable,
    describe_size,
    read_for,
    read_table,
    read_with,
)
from ldag.errors import ArgumentError, DataError, UnknownVariable, argument, list_names, option, suggest
from ldag.graph import LDAG, find_thin_families
from ldag.model import Schema
from ldag.network import Network

P = ParamSpec("P")
R = TypeVar("R")


def _declare(name: str, help_text: str, *, rare: bool = True, **how: Any) -> Callable[..., Any]:
    """Declare an option of reading."""
    return click.option(f"--{name.replace('_', '-')}", cls=RareOption if rare else click.Option, help=help_text, **how)


_OPTIONS = {
    "counts": _declare(
        "counts", "The column of DATA that says how often each row occurs.", rare=False, metavar="COLUMN"
    ),
    "weights": _declare("weights", "The same with real numbers.", metavar="COLUMN"),
    "groups": _declare(
        "groups",
        "The column that says which rows belong together, such as a patient's number: folds and draws are of groups.",
        rare=False,
        metavar="COLUMN",
    ),
    "time": _declare("time", "The column that says when rows were seen, within their groups.", metavar="COLUMN"),
    "columns": _declare("columns", "The columns to read.  [all]", rare=False, metavar="A,B,..."),
    "bins": _declare(
        "bins",
        "How to cut measurements: a number of bins, cut points (18,40,65), width:5, information:4, target:NAME (where "
        "the column NAME changes), model (chosen with a graph), none.  [auto]",
        rare=False,
        multiple=True,
        metavar="[COLUMN=]HOW",
    ),
    "missing": _declare(
        "missing",
        "Refuse DATA with missing cells, keep gaps, drop such rows, make missing a state, or choose and say so.",
        rare=False,
        type=click.Choice(get_args(Missing)),
        default="auto",
        show_default=True,
    ),
    "na": _declare("na", 'A text that stands for a missing cell, such as "?".', multiple=True, metavar="TEXT"),
    "sep": _declare("sep", "The sign between cells of a text file.  [found out]", metavar="SIGN"),
    "encoding": _declare("encoding", "Encoding of a text file, such as latin-1.", default="auto", metavar="NAME"),
    "decimal": _declare("decimal", "The sign before fractions in a text file: . or ,  [found out]", metavar="SIGN"),
    "dates": _declare(
        "dates",
        "What comes first in dates of a text file: the day, the month or the year.  [found out, or asked for]",
        type=click.Choice(get_args(Dates)),
    ),
    "sheet": _declare("sheet", "The sheet of a workbook, by its name or number.  [the first]", metavar="NAME"),
    "names": _declare("names", "Names of the columns of a text file without a header.", metavar="A,B,..."),
    "max_states": _declare("max_states", "The most states of a text column.", type=int, default=64, show_default=True),
    "keep": _declare(
        "keep", "Keep a column that looks like an identifier or is half empty.", multiple=True, metavar="COLUMN"
    ),
    "unusable": _declare(
        "unusable",
        "Columns that cannot be variables: leave them out, refuse DATA, or auto: leave out identifiers only.",
        type=click.Choice(get_args(Unusable)),
        default="drop",
        show_default=True,
    ),
}

_FILE_OPTIONS = ("columns", "na", "sep", "encoding", "decimal", "dates", "sheet", "names")
"""Options that say how a file is written; they are all that matters where states are known."""

_FOR_ALL_DATA = ("columns", "missing", "encoding", "unusable")
"""Options that may stand beside a data set that comes along: columns, and those that commands set by themselves."""


def table_options(command: Callable[P, R]) -> Callable[..., R]:
    """Give a command the options of reading; it gets them as one value, ``reading``."""
    return _with_options(command, _OPTIONS)


def file_options(command: Callable[P, R]) -> Callable[..., R]:
    """Give a command the options of how a file is written; it gets them as one value, ``reading``."""
    return _with_options(command, {name: _OPTIONS[name] for name in _FILE_OPTIONS})


def _with_options(command: Callable[P, R], options: Mapping[str, Callable[..., Any]]) -> Callable[..., R]:
    @wraps(command)
    def with_reading(*args: object, **given: object) -> R:
        given["reading"] = _reading({name: given.pop(name) for name in options})
        return cast("Callable[..., R]", command)(*args, **given)

    return add_options(with_reading, options.values())


def load_table(
    source: str,
    reading: ReadOptions,
    schema: Schema | None = None,
    undeclared: Collection[str] = (),
    use_of_gaps: str | None = None,
) -> Dataset:
    """Return a data set by its name, or read files; notes go to standard error.

    A command that can use gaps says how, perhaps with no words; then they are kept unless another choice was made.
    """
    reading = replace(reading, use_of_gaps=use_of_gaps)
    if source in datasets.names():
        return _load_shipped(source, reading)
    if source != "-" and "://" not in source and not is_path(source):
        hint = suggest(source, datasets.names())
        raise ArgumentError(f"{source!r} is neither a file nor the name of a data set{hint}")
    data = read_with(source, reading) if schema is None else read_for(source, schema, reading, undeclared)
    print_notes(data.notes)
    return data


def load_known_columns(source: str, reading: ReadOptions, graph: LDAG) -> Dataset:
    """Return the columns of a table that are variables of a graph; some may be missing, and rows may have gaps."""
    if source in datasets.names():
        data = _load_shipped(source, reading)
        return data.select([name for name in graph.schema.names if name in data.names])
    reading = replace(reading, use_of_gaps="left out where they are read")
    table = read_table(source, reading)
    chosen = table.names if reading.columns is None else reading.columns
    for name in chosen:
        if name not in table.names:
            raise UnknownVariable(name, table.names, f"{option('columns', name)}: ")
    nodes = [node for node, name in enumerate(graph.schema.names) if name in chosen]
    if not nodes:
        observed = [name for name in graph.schema.names if name not in graph.latent]
        raise DataError(f"no column of {source} is a variable of the graph, which has {list_names(observed)}")
    return read_for(table, graph.schema.reordered(nodes), reading, graph.undeclared)


def refuse_reading(reading: ReadOptions, why: str) -> None:
    """Refuse options of reading where no table is read."""
    usual = ReadOptions(missing="auto", encoding="auto", unusable="drop")  # as commands have it
    for name in _OPTIONS:
        if getattr(reading, name) != getattr(usual, name):
            raise ArgumentError(f"{argument(name)} {why}")


def is_terminal() -> bool:
    """Whether somebody sees both what is printed and what is told beside it."""
    return sys.stdout.isatty() and sys.stderr.isatty()


def print_result(result: object, data: Dataset, plain: object = None) -> None:
    """Print a result as JSON if it is there as plain values, or else as text.

    A text is whole in a file or a pipe, and without what a terminal has shown when the data were read.
    """
    if plain is not None:
        print_json(plain)
        return
    told = {f"note: {note}" for note in data.notes} if is_terminal() else set()
    click.echo("\n".join(line for line in str(result).splitlines() if line not in told))


def _load_shipped(name: str, reading: ReadOptions) -> Dataset:
    """Return a data set that comes along; of the options of reading, only that of columns means anything to it."""
    usual = ReadOptions()
    for given in _OPTIONS:
        if given not in _FOR_ALL_DATA and getattr(reading, given) != getattr(usual, given):
            raise ArgumentError(f"{option(given)} is for files; the data set {name!r} comes with the package")
    data = datasets.load(name)
    return data if reading.columns is None else data.select(reading.columns)


def tell_of_parameters(network: Network, data: Dataset) -> None:
    """Say which variables have more parameters than a third of the observations, which are then known badly."""
    thin = find_thin_families(network.ldag, data.n_seen)
    if thin:
        of_rows = describe_size(data, "observation")
        print_notes([f"{list_names(thin)}: more parameters than a third of the {of_rows}; many are hardly known"])


def _reading(given: dict[str, object]) -> ReadOptions:
    """Return the options as reading wants them."""
    columns, names = cast("str | None", given.pop("columns")), cast("str | None", given.pop("names"))
    bins = _bins(cast("Sequence[str]", given.pop("bins", ())))
    return ReadOptions(
        **{"unusable": "drop", **given},  # type: ignore[arg-type]  # by name, and checked by ReadOptions
        columns=None if columns is None else _split(columns),
        names=None if names is None else _split(names),
        bins=bins,
    )


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _bins(given: Sequence[str]) -> "Bins | dict[str, Bins]":
    """Return one way for all columns, or ways by column."""
    by_column: dict[str, Bins] = {}
    general: Bins = "auto"
    for text in given:
        place = text.find("=target:") if "=target:" in text else text.rfind("=")
        if place >= 0 and not text.startswith("target:"):
            by_column[text[:place].strip()] = _way(text[place + 1 :].strip())
        else:
            general = _way(text.strip())
    if by_column and general != "auto":
        raise ArgumentError("--bins: give one way for all columns, or ways by column, not both")
    return by_column or general


def _way(text: str) -> Bins:
    """Return cut points where there are several, or a number with a point; else the text, which is checked later."""
    if "," in text and not text.startswith("target:"):
        return [_cut(part.strip()) for part in text.split(",")]  # type: ignore[return-value]  # checked later
    return text


def _cut(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text
