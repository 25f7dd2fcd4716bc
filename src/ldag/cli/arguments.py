"""What several commands take: graphs, names, contexts, what was observed of variables or set, and --json."""

import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypedDict, TypeVar

import click
import numpy as np
from numpy.typing import NDArray

from ldag import datasets
from ldag.data import Arrays, Dataset, name_times, state_columns, write_rows, write_separated
from ldag.errors import ArgumentError, FormatError, LdagError, suggest
from ldag.formats import (
    STRATIFIED,
    Context,
    DocumentRecord,
    GraphRecord,
    format_of,
    name_file,
    read_assignments,
    read_file,
    read_name_list,
)
from ldag.graph import LDAG, Description, StratifiedGraph
from ldag.model import Schema, State, Variable
from ldag.network import Finding, Findings, Network

if TYPE_CHECKING:
    from ldag.dynamic import DynamicNetwork
    from ldag.uncertainty import Bootstrap, Mixture, Posterior, StrataPosterior

    Loaded: TypeAlias = (
        LDAG | StratifiedGraph | Network | Posterior | StrataPosterior | Bootstrap | Mixture | DynamicNetwork
    )

Command = TypeVar("Command", bound=Callable[..., Any])

QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
"""A name or state in quotes, in which = and commas mean nothing."""


class RareOption(click.Option):
    """An option that few people need; --help-all lists it, --help does not."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the lines of the help, if all options are asked for."""
        return super().get_help_record(ctx) if "--help-all" in ctx.meta else None


def tell_all(ctx: click.Context, _param: click.Parameter, asked: bool) -> None:
    """Print the help with all options, where it is asked for."""
    if asked:
        ctx.meta["--help-all"] = True
        click.echo(ctx.get_help())
        ctx.exit()


def add_options(command: Command, options: Iterable[Callable[[Command], Command]]) -> Command:
    """Give a command options, which its help lists in this order."""
    for option in reversed(list(options)):
        command = option(command)
    return command


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for other programs.")


def load_graph(source: str) -> LDAG:
    """Return an example graph by its name, or read a file."""
    if source in datasets.graph_names():
        return datasets.graph(source)
    if not is_path(source):
        hint = suggest(source, datasets.graph_names())
        raise ArgumentError(f"{source!r} is neither a file nor the name of an example graph{hint}")
    return LDAG.load(source)


def load_network(source: str) -> Network:
    """Read the file of a network."""
    if source in datasets.graph_names():
        raise ArgumentError(
            f"{source!r} is an example graph, which has no parameters; in Python, Network.from_data estimates them"
        )
    return Network.load(source)


def load_answering(source: str) -> "Network | Mixture":
    """Read the file of a network, of several that answer together, or of a posterior, whose graphs then do."""
    loaded = load_any(source) if is_path(source) else load_network(source)
    if isinstance(loaded, LDAG | StratifiedGraph):
        return load_network(source)  # which says what a graph lacks
    if isinstance(loaded, Network):
        return loaded
    from ldag.dynamic import DynamicNetwork
    from ldag.uncertainty import Bootstrap, Posterior, StrataPosterior

    if isinstance(loaded, DynamicNetwork):
        raise ArgumentError(
            f"{source} is a dynamic network, over steps of time; `ldag forecast` asks it, `ldag sample --length` draws"
            " from it, and `ldag query --unroll` asks the ordinary network over so many steps"
        )
    if isinstance(loaded, Bootstrap):
        raise ArgumentError(
            f"{source} is a bootstrap, whose graphs have no parameters; `ldag average --by bootstrap` learns networks"
            " from rows drawn again, which answer together"
        )
    if isinstance(loaded, StrataPosterior):
        raise ArgumentError(
            f"{source} is a posterior over graphs without arrows, from which no networks are drawn; `ldag posterior`"
            " without --decomposable writes one that answers, and `ldag learn --decomposable` a network"
        )
    return loaded.mixture() if isinstance(loaded, Posterior) else loaded


def load_dynamic(source: str) -> "DynamicNetwork":
    """Read the file of a dynamic network."""
    from ldag.dynamic import DynamicNetwork

    return DynamicNetwork.load(source)


def load_drawn(source: str) -> "Network | Mixture | DynamicNetwork":
    """Read the file of a network, or of several that answer together, to write a page about."""
    loaded = load_any(source) if is_path(source) else load_network(source)
    from ldag.dynamic import DynamicNetwork
    from ldag.uncertainty import Mixture

    return (
        loaded if isinstance(loaded, Network | Mixture | DynamicNetwork) else load_network(source)
    )  # which says what it is


def schema_of(model: "Network | Mixture") -> Schema:
    """Return the variables of one network, or of several."""
    return model.ldag.schema if isinstance(model, Network) else model.schema


def load_any(source: str) -> "Loaded":
    """Return an example graph by its name, or whatever a file holds."""
    if source in datasets.graph_names() or not is_path(source):
        return load_graph(source)
    try:
        record = read_file(source)
    except FormatError:
        with suppress(LdagError):
            if source.lower().endswith(".ldag"):
                return StratifiedGraph.load(source)  # the text form without arrows
        raise
    with name_file(source):
        if not isinstance(record, DocumentRecord):
            return LDAG.from_record(record) if isinstance(record, GraphRecord) else Network.from_model(record)
        if record.kind == "dynamic network":
            from ldag.dynamic import DynamicNetwork

            return record.unpack(DynamicNetwork.from_dict)
        if record.kind == STRATIFIED:
            return StratifiedGraph.load(source)
        from ldag.uncertainty import unpack_document  # here, because learning comes along

        return unpack_document(record)


def without_arrows(model: object) -> StratifiedGraph:
    """Return a graph without arrows, that of a network, or of several graphs their consensus."""
    from ldag.uncertainty import StrataPosterior

    if isinstance(model, StratifiedGraph | StrataPosterior):
        return model if isinstance(model, StratifiedGraph) else model.consensus()
    graph = model if isinstance(model, LDAG) else getattr(model, "ldag", None)
    if not isinstance(graph, LDAG):
        raise ArgumentError("--undirected is for one graph or network; this file holds several")
    return graph.to_undirected()


def load_model(source: str) -> LDAG | Network:
    """Return a network if there is one in the file, or else a graph."""
    if source in datasets.graph_names() or not is_path(source):
        return load_graph(source)
    return Network.load_model(source)


def save_model(model: LDAG | Network, target: str) -> None:
    """Write a network to a file, or its graph where the format has no parameters."""
    keeps_parameters = isinstance(model, Network) and format_of(target).writes_networks
    (model if keeps_parameters or isinstance(model, LDAG) else model.ldag).save(target)


def is_path(source: str) -> bool:
    """Tell whether a text can be meant as a file: it exists, or has an ending."""
    try:
        return Path(source).exists() or bool(Path(source).suffix)
    except OSError:  # such as a name that is too long
        return False


def split_names(variables: Iterable[Variable], given: Iterable[str]) -> list[str]:
    """Return names given one by one or separated by commas (a name may have a comma itself, or stand in quotes)."""
    known = {variable.name for variable in variables}
    names: list[str] = []
    for text in given:
        if text in known:
            names.append(text)
        elif '"' in text:
            names.extend(read_name_list(text, "names"))
        else:
            names.extend(part.strip() for part in text.split(",") if part.strip())
    return names


def split_context(given: Iterable[str], option: str = "--context") -> dict[str, State]:
    """Return a context given as name=state, one by one or separated by commas; quotes are read as in the text form."""
    context: dict[str, State] = {}
    for text in given:
        for name, state in read_assignments(text, option):
            if name in context:
                raise ArgumentError(f"{option}: variable {name!r} is given a state twice")
            context[name] = state
    return context


def split_contexts(given: Sequence[str]) -> Context | list[dict[str, State]]:
    """Return one context; or, where a variable is named again, as many as were given."""
    several = [split_context([text]) for text in given]
    names = [name for context in several for name in context]
    return several if len(set(names)) < len(names) else split_context(given)


def split_settings(variables: Iterable[Variable], given: Iterable[str], option: str = "--do") -> list[str] | Context:
    """Return variables that are set from outside: names, or names with their states; all must be of one kind."""
    known = list(variables)
    names = {variable.name for variable in known}
    texts = list(given)
    with_states = [text for text in texts if "=" in QUOTED.sub("", text) and text not in names]
    if not with_states:
        return split_names(known, texts)
    if len(with_states) < len(texts):
        other = next(text for text in texts if text not in with_states)
        raise ArgumentError(f"{option}: give a state to all variables or to none, got {with_states[0]!r} and {other!r}")
    return split_context(texts, option)


def print_notes(notes: Iterable[str]) -> None:
    """Tell something beside the result, on standard error."""
    for note in notes:
        click.echo(f"note: {note}", err=True)


def print_json(value: object) -> None:
    """Print a value as JSON."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


def print_aligned(cells: list[list[str]], numbers: list[str], more: list[str]) -> None:
    """Print texts in columns, and numbers to the right of them."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    last = max(map(len, numbers))
    for texts, number, end in zip(cells, numbers, more or [""] * len(numbers), strict=True):
        shown = "  ".join(f"{text:<{width}}" for text, width in zip(texts, widths, strict=True))
        click.echo(f"{shown}  {number:>{last}}  {end}".rstrip())


class Result(Protocol):
    """What commands print: a text, or the same as plain values."""

    def to_dict(self) -> dict[str, object]:
        """Return plain values for JSON."""


def print_value(value: Result, as_json: bool) -> None:
    """Print what was worked out, as text or as JSON."""
    if as_json:
        print_json(value.to_dict())
    else:
        click.echo(str(value))


def count_columns(data: Dataset, name: str | None = None) -> dict[str, NDArray[np.generic]]:
    """Return the different rows of a data set as columns of states, with a last one that says how often each occurs.

    Columns of groups and times come first: rows are merged within a group, and read with it again.
    """
    columns = {**name_times(data.groups, data.times), **state_columns(data.schema, data.codes)}
    weights = np.ones(data.n_rows, dtype=np.int64) if data.weights is None else data.weights
    name = name or ("count" if weights.dtype == np.int64 else "weight")
    while name in columns:
        name += "_"
    return {**columns, name: weights}


def put_table(columns: Arrays, output: str | None, as_json: bool, variables: Iterable[Variable] = ()) -> None:
    """Write a table to a file, or print it: as text, or as JSON with a list per column."""
    if output is not None:
        write_rows(columns, Path(output), variables)
        if as_json:
            print_json({"written": output, "n_rows": len(next(iter(columns.values())))})
    elif as_json:
        print_json({name: cells.tolist() for name, cells in columns.items()})
    else:
        write_separated(columns, sys.stdout)


def print_description(description: Description, as_json: bool) -> None:
    """Print what was said of a model, its headings bold on a terminal."""
    if as_json:
        print_json(description.to_dict())
        return
    for number, (title, lines) in enumerate(description.sections.items()):
        heading(f"\n{title}" if number else title)
        for line in lines:
            click.echo(f"  {line}")


def heading(text: str) -> None:
    """Print a heading (bold on a terminal)."""
    click.echo(click.style(text, bold=True))


OPTIONS = (
    click.option("--given", "-g", multiple=True, metavar="NAME=STATE", help="Observed states; x=a|b is one of two."),
    click.option(
        "--likelihood",
        multiple=True,
        metavar="NAME=STATE:NUMBER",
        help="How probable what was seen of a variable is in a state; states that are not named: 0.",
    ),
    click.option("--do", "-d", "do", multiple=True, metavar="NAME=STATE", help="States set from outside."),
)


class Observed(TypedDict):
    """Findings, and states set from outside, as questions take them."""

    given: Findings
    do: Context


def add_observed_options(command: Command) -> Command:
    """Give a command the options that `read_observed` makes findings of."""
    return add_options(command, OPTIONS)


def read_observed(
    variables: Iterable[Variable], given: Sequence[str], likelihood: Sequence[str], do: Sequence[str]
) -> Observed:
    """Return what the options say; a variable that --given names more than once is in one of these states."""
    states = {variable.name: set(map(str, variable.states)) for variable in variables}
    seen: dict[str, list[State]] = {}
    for text in given:
        for name, state in split_context([text], "--given").items():
            seen.setdefault(name, []).extend(_alternatives(state, states.get(name, set())))
    weights: dict[str, dict[State, float]] = {}
    for text in likelihood:
        name, state, weight = _read_likelihood(text)
        if name in seen:
            raise ArgumentError(f"--likelihood: the state of {name!r} is given; leave out one of the two")
        if state in weights.setdefault(name, {}):
            raise ArgumentError(f"--likelihood: {name}={state} is named twice")
        weights[name][state] = weight
    findings: dict[str, Finding] = {name: own[0] if len(own) == 1 else set(own) for name, own in seen.items()}
    return {"given": {**findings, **weights}, "do": split_context(do, "--do")}


def _alternatives(state: State, known: set[str]) -> list[State]:
    """Return the states that a|b stands for, if there is no state of that name."""
    if not isinstance(state, str) or "|" not in state or state in known:
        return [state]
    return [part.strip() for part in state.split("|")]


def _read_likelihood(text: str) -> tuple[str, State, float]:
    """Read such as smoking=yes:0.8."""
    assignment, _, number = text.rpartition(":")
    try:
        weight = float(number)
    except ValueError:
        weight = -1.0
    if not assignment or not 0 <= weight < float("inf"):
        raise ArgumentError(
            f"--likelihood: expected NAME=STATE:NUMBER with a number >= 0, such as smoking=yes:0.8, got {text!r}"
        )
    ((name, state),) = split_context([assignment], "--likelihood").items()
    return name, state, weight
