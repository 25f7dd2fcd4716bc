"""`ldag identify`: whether an effect can be had from a table, by which formula, and what it is."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, product
from typing import Any

import click

from ldag.cli.arguments import (
    RareOption,
    json_option,
    load_answering,
    load_model,
    print_aligned,
    print_json,
    print_notes,
    split_context,
    split_names,
    split_settings,
)
from ldag.cli.pipes import MODEL, TABLE
from ldag.cli.tables import load_known_columns, refuse_reading, table_options
from ldag.data import Dataset, ReadOptions
from ldag.effects import Budget, Effect
from ldag.effects import identify as identify_effect
from ldag.errors import ArgumentError
from ldag.formats import Context, holds_models, spell_name, spell_state
from ldag.graph import LDAG
from ldag.model import State
from ldag.network import Network
from ldag.reasoning import assignments
from ldag.uncertainty import Mixture

Source = Dataset | Network | Mixture
"""What numbers come from."""

Numbers = Mapping[Any, tuple[float, ...]]
"""A mean and an interval, or two bounds, by what they are of."""

OF_DATA = ("against", "event", "interval", "equivalent_sample_size", "n_draws", "rng", "bounds")
"""Options that ask for numbers, and so for data."""


@dataclass(frozen=True)
class SettingResult:
    """What data say of an effect at a setting, and perhaps at states of given variables."""

    effect: Effect
    states: dict[str, State]
    answer: Numbers
    """By state of the target, or tuple of states."""


@click.command()
@click.argument("graph", type=MODEL)
@click.argument("target")
@click.option("--do", "-d", multiple=True, required=True, metavar="NAMES", help="What is set; also NAME=STATE.")
@click.option("--given", "-g", multiple=True, metavar="NAMES", help="Variables to condition on, for all their states.")
@click.option("--context", "-c", multiple=True, metavar="NAME=STATE", help="States to condition on.")
@click.option("--latent", multiple=True, metavar="NAMES", help="Variables of GRAPH that nobody observed.")
@click.option("--data", type=TABLE, metavar="DATA", help="Estimate the effect from a table, or from a network.")
@click.option("--against", multiple=True, metavar="NAME=STATE", help="Compare --do with this, for --event.")
@click.option(
    "--event", multiple=True, metavar="NAME=STATE", help="The states of TARGET whose probability is compared."
)
@click.option("--interval", type=float, metavar="SHARE", help="The share of an interval.  [0.95]")
@click.option("--equivalent-sample-size", cls=RareOption, type=float, help="Weight of the prior.  [1]")
@click.option("--draws", "n_draws", cls=RareOption, type=int, help="Draws for an interval.  [1,000]")
@click.option("--rng", type=int, help="Seed of the draws.  [0]")
@click.option("--bounds", is_flag=True, default=None, help="Bound what the data leave open.")
@click.option("--explain", is_flag=True, help="Say why: which edges vanish where, and what is adjusted for.")
@click.option("--latex", is_flag=True, help="Print the formula as LaTeX.")
@click.option("--budget", default=Budget.cells, show_default=True, cls=RareOption, help="Cells of the largest table.")
@table_options
@json_option
def identify(
    graph: str,
    target: str,
    data: str | None,
    explain: bool,
    latex: bool,
    reading: ReadOptions,
    as_json: bool,
    **asked: Any,
) -> None:
    """Tell whether the effect of what is set on TARGET follows from a table of what was observed, and by which formula.

    TARGET is a variable, or several separated by commas. With --data the effect is estimated, for every setting if
    --do names none.

    \b
    ldag identify trial.ldag recovered --do treated
    ldag identify trial.ldag recovered --do treated --explain
    ldag identify trial.ldag recovered --do treated=yes --data survey.csv --counts n
    ldag identify trial.ldag recovered --do treated=yes --against treated=no --event recovered=yes --data survey.csv
    ldag identify bow.ldag Y --do X --data survey.csv --bounds
    """
    numbers = {name: value for name in OF_DATA if (value := asked.pop(name)) not in {None, ()}}
    _check_options(data, numbers, explain, latex)
    model, source = _load(graph, data, reading)
    variables = model.variables
    settings = split_settings(variables, asked["do"])
    effect = identify_effect(
        model,
        split_names(variables, [target]),
        do=list(settings) if "against" in numbers else settings,
        given=split_names(variables, asked["given"]),
        context=split_context(asked["context"]),
        latent=split_names(variables, asked["latent"]),
        budget=asked["budget"],
    )
    results = [] if source is None else list(_work_out(effect, source, settings, numbers))
    if as_json:
        print_json({**_describe(effect), **_list_numbers(results, numbers)})
        return
    is_latex = latex and effect.status == "identified"
    click.echo(effect.to_latex() if is_latex else _explain(effect) if explain else str(effect))
    for part, rows in groupby(results, key=lambda result: result.effect):
        if part is not effect:
            click.echo(f"\n{part}")
        (_print_contrasts if "against" in numbers else _print_numbers)(list(rows))
    print_notes(dict.fromkeys(note for result in results for note in getattr(result.answer, "notes", ())))


def _check_options(data: str | None, numbers: Mapping[str, object], explain: bool, latex: bool) -> None:
    """Check that options belong together."""
    if explain and latex:
        raise ArgumentError("--explain does not go with --latex; ask twice")
    if data is None and numbers:
        flag = {"n_draws": "draws"}.get(next(iter(numbers)), next(iter(numbers))).replace("_", "-")
        raise ArgumentError(f"--{flag} asks for numbers; give --data, a table to have them from")
    if ("against" in numbers) != ("event" in numbers):
        raise ArgumentError(
            "--against and --event go together: what --do is compared with, and the probability of what"
        )


def _load(graph: str, data: str | None, reading: ReadOptions) -> tuple[LDAG | Network, Source | None]:
    """Return the graph or network and what numbers come from; variables without states have those of the data."""
    model = load_model(graph)
    own = model if isinstance(model, LDAG) else model.ldag
    source: Source
    if data is None or holds_models(data):
        refuse_reading(reading, "is for tables; give --data, a table to have numbers from")
        if data is None:
            return model, None
        source = load_answering(data)
    else:
        source = load_known_columns(data, reading, own)
    observed = [variable for variable in source.variables if not variable.latent]
    return own.with_states(observed) if isinstance(model, LDAG) else model, source


def _work_out(
    effect: Effect, source: Source, settings: Iterable[str] | Context, numbers: Mapping[str, Any]
) -> Iterator[SettingResult]:
    """Go through the numbers that were asked for, and say if some cannot be had.

    Where there is no formula these are of cases that have one, or of the graphs that data do not tell apart.
    """
    parts = effect.members or (effect,)
    if "bounds" not in numbers:
        parts = tuple(case for part in parts for case in ((part,) if part.status == "identified" else part.partial))
    if "against" in numbers:
        parts = tuple(part for part in parts if not part.question.setting)
    for part in parts:
        is_compared = "against" in numbers
        yield from _compare(part, source, settings, numbers) if is_compared else _go_through(part, source, numbers)
    if "bounds" not in numbers and not {effect, *effect.members} & set(parts):
        which = "no numbers of other cases" if parts else "no numbers"
        print_notes([f"{which}: the effect is {effect.status}; --bounds tells what the data leave possible"])


def _go_through(effect: Effect, source: Source, numbers: Mapping[str, Any]) -> Iterator[SettingResult]:
    """Go through the settings that were asked for, or all, and the states of what is given."""
    options = {name: value for name, value in numbers.items() if name != "bounds"}
    work_out = effect.bounds if "bounds" in numbers else effect.estimate
    schema, question = effect.graph.schema, effect.question
    fixed = schema.named(question.setting)
    treated = [schema[node] for node in question.do if not schema[node].latent]
    for states in product(*((fixed[v.name],) if v.name in fixed else v.states for v in treated)):
        do = {v.name: state for v, state in zip(treated, states, strict=True)}
        for seen in _go_through_given(effect):
            yield SettingResult(effect, {**do, **seen}, work_out(source, do=do, given=seen, **options))


def _go_through_given(effect: Effect) -> Iterator[dict[str, State]]:
    """Go through the states of what is given."""
    given = [effect.graph.schema[node] for node in effect.question.given]
    for states in product(*(v.states for v in given)):
        yield {v.name: state for v, state in zip(given, states, strict=True)}


def _compare(
    effect: Effect, source: Source, settings: Iterable[str] | Context, numbers: Mapping[str, Any]
) -> Iterator[SettingResult]:
    """Compare two settings, at all states of what is given."""
    if not isinstance(settings, Mapping):
        raise ArgumentError("--against is for --do with states, such as --do treated=yes --against treated=no")
    options = {name: value for name, value in numbers.items() if name not in {"against", "event", "bounds"}}
    event, against = (split_context(numbers[name], f"--{name}") for name in ("event", "against"))
    for seen in _go_through_given(effect):
        sides: dict[str, Any] = {"do": settings, "against": against, "given": seen, **options}
        answer: Numbers
        if "bounds" in numbers:
            answer = effect.bounds(source, event=event, **sides)
        else:
            answer = effect.contrast(source, event, **sides)
        yield SettingResult(effect, seen, answer)


def _explain(effect: Effect) -> str:
    """Return the explanation with the words of a shell."""
    text = effect.explain().replace("parameters in .witness", "parameters in the output of --json")
    return text.replace("effect.bounds(data, do={...})", "--data DATA --bounds")


def _describe(effect: Effect) -> dict[str, object]:
    """Return all that is known of an effect as plain values, with the two networks that prove a "no"."""
    witness = effect.witness if effect.status == "not identifiable" else None
    networks = {} if witness is None else {"witness": [json.loads(network.to_json()) for network in witness]}
    return {**effect.to_dict(), "explanation": _explain(effect), **networks}


def _list_numbers(results: Iterable[SettingResult], numbers: Mapping[str, Any]) -> dict[str, object]:
    """Return numbers as plain values."""
    is_compared = "against" in numbers
    rows = []
    for result in results:
        has_states = result.states or not is_compared
        head = {"effect": result.effect.statement, **({"states": result.states} if has_states else {})}
        notes = list(getattr(result.answer, "notes", ()))
        if is_compared:
            body: dict[str, object] = {str(name): _plain(value, "mean") for name, value in result.answer.items()}
        else:
            parts = result.answer.items()
            body = {"distribution": [{"states": _states(key), **_plain(value)} for key, value in parts]}
        rows.append({**head, **body, "notes": notes})
    kind = "bounds" if "bounds" in numbers else "contrasts" if is_compared else "estimates"
    return {kind: rows} if rows else {}


def _plain(value: tuple[float, ...], name: str = "probability") -> dict[str, object]:
    """Return a mean and its interval, or bounds."""
    *mean, low, high = value
    return {**({name: mean[0]} if mean else {}), "interval" if mean else "bounds": [low, high]}


def _states(key: Any) -> tuple[State, ...]:
    return key if isinstance(key, tuple) else (key,)


def _print_contrasts(results: list[SettingResult]) -> None:
    """Print comparisons, below the states of what is given."""
    for result in results:
        lines = [line for line in str(result.answer).splitlines() if not line.startswith("note: ")]
        where = ", ".join(assignments(result.states))
        click.echo("\n".join([where, *(f"  {line}" for line in lines)] if where else lines))


def _print_numbers(results: list[SettingResult]) -> None:
    """Print a row per setting and state of the target; or a comparison."""
    effect = results[0].effect
    targets = [effect.graph.schema[node].name for node in effect.question.target]
    cells = [[spell_name(name) for name in (*results[0].states, *targets)]]
    rows = [(result, key, value) for result in results for key, value in result.answer.items()]
    cells += [[spell_state(s) for s in (*result.states.values(), *_states(key))] for result, key, _ in rows]
    ends = [f"{value[-2]:.4f} to {value[-1]:.4f}" for _, _, value in rows]
    if len(rows[0][2]) == 2:
        print_aligned(cells, ["bounds", *ends], [])
    else:
        print_aligned(cells, ["probability", *(f"{value[0]:.4f}" for _, _, value in rows)], ["interval", *ends])
