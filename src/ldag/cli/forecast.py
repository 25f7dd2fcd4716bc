"""`ldag forecast`: what comes next, on the command line."""

from collections.abc import Iterator, Sequence

import click

from ldag.cli.arguments import json_option, load_dynamic, print_aligned, print_json, split_names
from ldag.cli.pipes import MODEL, TABLE
from ldag.dynamic import CodedSeries, DynamicNetwork
from ldag.errors import ArgumentError, argument
from ldag.formats import spell_name, spell_state
from ldag.model import State
from ldag.network import Marginals

Step = Marginals | dict[str, State]
Told = tuple[State | None, Sequence[Step]]
"""What is told of a series: its label, and distributions or states by step."""

PAST = ("filter", "smooth", "path")


@click.command()
@click.argument("network", type=MODEL)
@click.argument("history", type=TABLE, required=False)
@click.option("--steps", type=int, help="How many steps ahead.  [1]")
@click.option("--variables", multiple=True, metavar="NAMES", help="Which variables.  [all that change]")
@click.option(
    "--past",
    type=click.Choice(PAST),
    help="Instead: the distributions at the steps of HISTORY, given all before (filter) or all of it (smooth), or the"
    " states that are most probable together (path).",
)
@click.option("--method", type=click.Choice(["exact", "sample"]), help="How the steps ahead are worked out.  [exact]")
@click.option("--samples", "n_samples", type=int, help="For sample: how many series.  [20,000]")
@click.option("--rng", type=int, help="For sample: seed.  [0]")
@json_option
def forecast(
    network: str,
    history: str | None,
    steps: int | None,
    variables: tuple[str, ...],
    past: str | None,
    as_json: bool,
    **sampling: str | int | None,
) -> None:
    """Say what comes next in NETWORK, a dynamic one, after HISTORY: a table of rows in order of time.

    HISTORY may have the columns of groups and of times that the network was learned with; each group is a series of
    its own. Cells may be missing, and so may variables and waves. Without HISTORY, a series begins.

    \b
    ldag learn visits.csv --groups patient --time wave --lags 1 -o dyn.json
    ldag forecast dyn.json history.csv --steps 4
    ldag forecast dyn.json history.csv --past smooth --variables pain
    """
    net = load_dynamic(network)
    names = split_names(net.variables, variables)
    given = {name: value for name, value in sampling.items() if value is not None}
    if past is not None and (given or steps is not None):
        raise ArgumentError(f"--past is about the steps of HISTORY; leave out {argument(next(iter(given), 'steps'))}")
    if given and given.get("method") != "sample":
        left_out = next((name for name in given if name != "method"), None)
        if left_out is not None:
            raise ArgumentError(f"{argument(left_out)} goes with --method sample")
    if past is not None and history is None:
        raise ArgumentError("--past is about the steps of HISTORY; give the table")
    series: list[CodedSeries | None] = [None] if history is None else [*net.read_series(history)]
    answers: list[Told] = []
    for one in series:
        asked = _ask(net, one, past, names, 1 if steps is None else steps, given)
        answers.append((None if one is None else one.label, asked))
    if as_json:
        print_json([{"group": label, "steps": [*map(_plain, own)]} for label, own in answers])
    else:
        _print(net, answers, names or [*net.changing])


def _ask(
    net: DynamicNetwork,
    history: CodedSeries | None,
    past: str | None,
    names: Sequence[str],
    steps: int,
    given: dict[str, str | int],
) -> Sequence[Step]:
    if past == "path":
        return net.most_probable_path(history, [*names] or None)
    if past is not None:
        own = net.filter(history) if past == "filter" else net.smooth(history)
        return [Marginals({name: one[name] for name in names or one}, one.said) for one in own]
    return net.forecast(history, steps=steps, variables=names or None, **given)  # type: ignore[arg-type]  # by click


def _plain(step: Step) -> object:
    """Return a step as plain values that keep the types of states."""
    if not isinstance(step, Marginals):
        return step
    errors = step.standard_errors or {}
    return {
        name: [
            {"state": state, "probability": p, **({"standard_error": errors[name][state]} if errors else {})}
            for state, p in states.items()
        ]
        for name, states in step.items()
    }


def _print(net: DynamicNetwork, answers: Sequence[Told], names: Sequence[str]) -> None:
    """Print a table: a line for each series, step, variable and state."""
    rows = [row for label, own in answers for row in _rows(label, own, names)]
    head = [net.groups or "group", "step", "variable", "state"]
    has_groups = any(label is not None for label, _ in answers)
    cells = [[*texts] if has_groups else [*texts[1:]] for texts, _, _ in [(head, "", ""), *rows]]
    has_numbers = any(number for _, number, _ in rows)
    numbers = ["probability" if has_numbers else "", *(number for _, number, _ in rows)]
    errors = ["error", *(error for _, _, error in rows)] if any(error for _, _, error in rows) else []
    print_aligned(cells, numbers, errors)


def _rows(label: State | None, own: Sequence[Step], names: Sequence[str]) -> Iterator[tuple[list[str], str, str]]:
    for number, step in enumerate(own):
        for name in names:
            place = ["" if label is None else spell_state(label), str(number + 1), spell_name(name)]
            if isinstance(step, Marginals):
                errors = {} if step.standard_errors is None else step.standard_errors[name]
                for state, p in step[name].items():
                    error = f"± {errors[state]:.4f}" if errors else ""
                    yield [*place, spell_state(state)], f"{p:.4f}", error
            else:
                yield [*place, spell_state(step[name])], "", ""
