"""What was observed of variables, and what they were set to: --given, --likelihood and --do."""

from collections.abc import Iterable, Sequence
from typing import TypedDict

import click

from ldag.cli.arguments import Command, add_options, split_context
from ldag.errors import ArgumentError
from ldag.formats import Context
from ldag.model import State, Variable
from ldag.network import Finding, Findings

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
