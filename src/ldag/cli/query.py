"""`ldag query`: posteriors, on the command line."""

from collections.abc import Mapping
from dataclasses import asdict
from itertools import chain

import click

from ldag.cli.arguments import (
    Observed,
    add_observed_options,
    json_option,
    load_answering,
    load_dynamic,
    print_aligned,
    print_json,
    print_value,
    read_observed,
    split_names,
)
from ldag.cli.pipes import MODEL
from ldag.errors import ArgumentError
from ldag.formats import spell_name, spell_state
from ldag.model import State
from ldag.network import Answer, AnswerKey, AveragedAnswer, BoundedStates, Marginals, Network

Ranges = Mapping[AnswerKey, tuple[float, float]]


@click.command()
@click.argument("network", type=MODEL)
@click.argument("targets", nargs=-1)
@add_observed_options
@click.option("--unroll", type=int, metavar="N", help="Of a dynamic network: the ordinary one over N steps.")
@click.option("--all", "everything", is_flag=True, help="The distribution of every variable.")
@click.option("--most-probable", is_flag=True, help="The most probable states of TARGETS, or of all, together.")
@click.option("--bound", is_flag=True, help="With --most-probable TARGETS: choose one by one, and bound all others.")
@click.option("--explain", is_flag=True, help="Which findings moved the target, and by how much.")
@click.option("--interval", type=float, metavar="SHARE", help="An interval around each probability, such as 0.95.")
@click.option("--memory-limit", metavar="SIZE", default="2 GB", show_default=True, help="What tables may take.")
@json_option
def query(  # noqa: PLR0913, PLR0917 - an argument for each option
    network: str,
    targets: tuple[str, ...],
    unroll: int | None,
    everything: bool,
    most_probable: bool,
    bound: bool,
    explain: bool,
    interval: float | None,
    memory_limit: str,
    as_json: bool,
    **observed: tuple[str, ...],
) -> None:
    """Ask NETWORK for the distribution of a variable, or the joint one of several TARGETS.

    \b
    ldag query heart.json pressure --given smoking=yes
    ldag query heart.json pressure smoking --do mental=no
    ldag query heart.json --all --given smoking=yes
    ldag query heart.json --most-probable --given smoking=yes
    ldag query heart.json --most-probable smoking protein --given "pressure=>140"
    ldag query heart.json pressure --given smoking=yes --given protein=<3 --explain
    ldag query heart.json pressure --given smoking=yes --interval 0.95
    ldag query street.json rain --given "street=damp|wet"
    ldag query dynamic.json --unroll 5 pain@4 --given treated@0=yes
    ldag query heart.json pressure --likelihood smoking=yes:0.8 --likelihood smoking=no:0.2

    NETWORK is a file of one network, of several that answer together (`ldag average`), or of a posterior, of whose
    graphs 500 then do. A variable that --given names more than once is in one of these states.
    """
    _check_question(targets, everything, most_probable, bound, explain, interval)
    net = load_answering(network) if unroll is None else load_dynamic(network).unroll(unroll)
    seen = read_observed(net.variables, **observed)
    names = split_names(net.variables, targets)
    if explain or most_probable:
        if not isinstance(net, Network):
            option = "--explain" if explain else "--most-probable"
            raise ArgumentError(f"{option} is for one network, and the file has {len(net)}; ask for distributions")
        if explain:
            print_value(net.explain(names[0], **seen), as_json)
        elif bound:
            _tell_bound(net.bound_most_probable(names, **seen), as_json)
        else:
            _tell_states(net, names, seen, memory_limit, as_json)
    elif everything:
        _tell_all(net.marginals(**seen, memory_limit=memory_limit), as_json)
    elif interval is None:
        _tell(names, net.query(names, **seen, memory_limit=memory_limit), as_json)
    else:
        answer = net.query(names, **seen, interval=interval, rng=0, memory_limit=memory_limit)
        _tell_intervals(names, answer, as_json)


def _check_question(
    targets: tuple[str, ...], everything: bool, most_probable: bool, bound: bool, explain: bool, interval: float | None
) -> None:
    """Check that options belong together."""
    if bool(targets) + everything != 1 and not (most_probable and not everything):
        raise ArgumentError("name the variables to ask about, or give --all, or --most-probable: one of the three")
    if explain and (most_probable or everything or len(targets) != 1):
        raise ArgumentError("--explain is about one variable; name it")
    if bound and not (most_probable and targets):
        raise ArgumentError("--bound is for --most-probable with TARGETS; name them")
    if interval is not None and (explain or most_probable or everything):
        raise ArgumentError("--interval is for TARGETS alone; leave --all, --most-probable and --explain out")


def _tell(names: list[str], answer: Answer, as_json: bool) -> None:
    ends = answer.range or {}
    rows = [(key if isinstance(key, tuple) else (key,), p, ends.get(key)) for key, p in answer.items()]
    if as_json:
        listed = [{"states": states, "probability": p, **_range_of(end)} for states, p, end in rows]
        arrows = {} if answer.range is None else {"undetermined": [list(edge) for edge in answer.undetermined]}
        print_json({"targets": names, "distribution": listed, **arrows})
        return
    cells = [[spell_name(name) for name in names], *([spell_state(s) for s in states] for states, _, _ in rows)]
    shown = [_spell_range(end) for _, _, end in rows] if answer.undetermined else []
    print_aligned(cells, ["probability", *(f"{p:.4f}" for _, p, _ in rows)], ["range", *shown] if shown else [])


def _tell_intervals(names: list[str], answer: AveragedAnswer, as_json: bool) -> None:
    rows = [(key if isinstance(key, tuple) else (key,), value) for key, value in answer.items()]
    if as_json:
        listed = [{"states": states, "probability": p, "interval": [low, high]} for states, (p, low, high) in rows]
        print_json({"targets": names, "distribution": listed})
        return
    cells = [[spell_name(name) for name in names], *([spell_state(s) for s in states] for states, _ in rows)]
    numbers = ["probability", *(f"{value.mean:.4f}" for _, value in rows)]
    print_aligned(cells, numbers, ["interval", *(_spell_range((value.low, value.high)) for _, value in rows)])


def _tell_all(marginals: Marginals, as_json: bool) -> None:
    ranges = marginals.range or {}
    if as_json:
        print_json({name: _distribution(d, ranges.get(name)) for name, d in marginals.items()})
        return
    cells = [[spell_name(name), spell_state(state)] for name, d in marginals.items() for state in d]
    shown = [_spell_range(ranges.get(name, {}).get(state)) for name, d in marginals.items() for state in d]
    chances = [f"{p:.4f}" for p in chain.from_iterable(d.values() for d in marginals.values())]
    print_aligned(cells, chances, shown if marginals.undetermined else [])


def _tell_states(net: Network, names: list[str], seen: Observed, memory_limit: str, as_json: bool) -> None:
    best = net.most_probable(of=names or None, **seen, memory_limit=memory_limit)
    free = {name: state for name, state in best.items() if name not in seen["do"]}
    probability = net.probability(free, **seen, memory_limit=memory_limit)
    if as_json:
        print_json({"states": best, "probability": probability})
        return
    _print_states(best)
    click.echo(f"probability {probability:.4g}")


def _tell_bound(bound: BoundedStates, as_json: bool) -> None:
    if as_json:
        print_json(asdict(bound))
        return
    _print_states(bound.states)
    click.echo(f"probability {bound.probability:.4g}; no other states exceed {bound.at_most:.4g}")


def _print_states(states: Mapping[str, State]) -> None:
    width = max(len(spell_name(name)) for name in states)
    for name, state in states.items():
        click.echo(f"{spell_name(name):<{width}}  {spell_state(state)}")


def _distribution(given: Mapping[State, float], ends: Ranges | None) -> list[dict[str, object]]:
    """Return a distribution as JSON that keeps the types of the states."""
    return [{"state": state, "probability": p, **_range_of((ends or {}).get(state))} for state, p in given.items()]


def _range_of(ends: tuple[float, float] | None) -> dict[str, object]:
    """Return the range of a probability over graphs that say the same, where there is one."""
    return {} if ends is None else {"range": list(ends)}


def _spell_range(ends: tuple[float, float] | None) -> str:
    return "" if ends is None else f"{ends[0]:.4f} to {ends[1]:.4f}"
