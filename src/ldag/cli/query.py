"""`ldag query`: posteriors, on the command line."""

from collections.abc import Mapping
from itertools import chain

import click

from ldag.cli.arguments import json_option, load_network, print_json, split_context, split_names
from ldag.errors import ArgumentError
from ldag.formats import Context, spell_name, spell_state
from ldag.model import State
from ldag.network import Answer, Network


@click.command(short_help="Ask a network.")
@click.argument("network")
@click.argument("targets", nargs=-1)
@click.option("--given", "-g", multiple=True, metavar="NAME=STATE", help="Observed states.")
@click.option("--do", "-d", "do", multiple=True, metavar="NAME=STATE", help="States set from outside.")
@click.option("--all", "everything", is_flag=True, help="The distribution of every variable.")
@click.option("--most-probable", is_flag=True, help="The most probable states of all variables together.")
@json_option
def query(
    network: str,
    targets: tuple[str, ...],
    given: tuple[str, ...],
    do: tuple[str, ...],
    everything: bool,
    most_probable: bool,
    as_json: bool,
) -> None:
    """Ask NETWORK, a .json file, for the distribution of a variable, or the joint one of several TARGETS.

    \b
    ldag query heart.json pressure --given smoking=yes
    ldag query heart.json pressure smoking --do mental=no
    ldag query heart.json --all --given smoking=yes
    ldag query heart.json --most-probable --given smoking=yes
    """
    if bool(targets) + everything + most_probable != 1:
        raise ArgumentError("name the variables to ask about, or give --all, or --most-probable: one of the three")
    net = load_network(network)
    seen, done = split_context(given, "--given"), split_context(do, "--do")
    if most_probable:
        _tell_states(net, seen, done, as_json)
    elif everything:
        _tell_all(net, seen, done, as_json)
    else:
        names = split_names(net.ldag, targets)
        answer = net.query(names, given=seen, do=done)
        _tell(names, answer, as_json)


def _tell(names: list[str], answer: Answer, as_json: bool) -> None:
    rows = [(states if isinstance(states, tuple) else (states,), p) for states, p in answer.items()]
    if as_json:
        print_json({"targets": names, "distribution": [{"states": states, "probability": p} for states, p in rows]})
        return
    cells = [[spell_name(name) for name in names], *([spell_state(s) for s in states] for states, _ in rows)]
    _print_aligned(cells, ["probability", *(f"{p:.4f}" for _, p in rows)])


def _tell_all(net: Network, seen: Context, done: Context, as_json: bool) -> None:
    marginals = net.marginals(seen, do=done)
    if as_json:
        print_json({name: _distribution(d) for name, d in marginals.items()})
        return
    cells = [[spell_name(name), spell_state(state)] for name, d in marginals.items() for state in d]
    _print_aligned(cells, [f"{p:.4f}" for p in chain.from_iterable(d.values() for d in marginals.values())])


def _tell_states(net: Network, seen: Context, done: Context, as_json: bool) -> None:
    best = net.most_probable(seen, do=done)
    free = {name: state for name, state in best.items() if name not in {*seen, *done}}
    probability = net.probability(free, seen, do=done)
    if as_json:
        print_json({"states": best, "probability": probability})
        return
    width = max(len(spell_name(name)) for name in best)
    for name, state in best.items():
        click.echo(f"{spell_name(name):<{width}}  {spell_state(state)}")
    click.echo(f"probability {probability:.4g}")


def _distribution(given: Mapping[State, float]) -> list[dict[str, object]]:
    """Return a distribution as JSON that keeps the types of the states."""
    return [{"state": state, "probability": p} for state, p in given.items()]


def _print_aligned(cells: list[list[str]], numbers: list[str]) -> None:
    """Print texts in columns, and numbers to the right of them."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    last = max(map(len, numbers))
    for texts, number in zip(cells, numbers, strict=True):
        shown = "  ".join(f"{text:<{width}}" for text, width in zip(texts, widths, strict=True))
        click.echo(f"{shown}  {number:>{last}}")
