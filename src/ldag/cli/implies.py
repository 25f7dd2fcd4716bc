"""`ldag implies`: whether a graph implies an independence."""

import click

from ldag.cli.arguments import json_option, load_graph, print_json, split_context, split_names
from ldag.reasoning import DEFAULT_BUDGET, Verdict


@click.command(short_help="Decide an independence, with a proof.")
@click.argument("graph")
@click.argument("a")
@click.argument("b")
@click.option("--given", "-g", multiple=True, metavar="NAMES", help="Variables to condition on, separated by commas.")
@click.option("--context", "-c", multiple=True, metavar="NAME=STATE", help="States of further variables.")
@click.option("--budget", default=DEFAULT_BUDGET, show_default=True, help="Cells of the largest table to build.")
@json_option
def implies(
    graph: str, a: str, b: str, given: tuple[str, ...], context: tuple[str, ...], budget: int, as_json: bool
) -> None:
    """Decide whether A and B are independent in every distribution of GRAPH, and say why.

    A and B are variables, or several separated by commas.

    \b
    ldag implies guard gender badge --context person=spy
    ldag implies heart smoking family --given protein
    """
    loaded = load_graph(graph)
    verdict = loaded.implies(
        split_names(loaded, [a]),
        split_names(loaded, [b]),
        split_names(loaded, given),
        split_context(context),
        budget=budget,
    )
    if as_json:
        print_json(_fields(verdict))
    else:
        click.echo(verdict.explain())


def _fields(verdict: Verdict) -> dict[str, object]:
    """Return a verdict as plain values."""
    statement = verdict.statement
    fields: dict[str, object] = {
        "a": statement.a,
        "b": statement.b,
        "given": statement.given,
        "context": dict(statement.context),
        "decided": verdict.decided,
        "independent": verdict.independent,
        "how": verdict.how,
        "explanation": verdict.explain(),
    }
    witness = verdict.witness
    if witness is not None:
        fields["witness"] = {
            "a": dict(witness.a),
            "b": [dict(state) for state in witness.b],
            "given": dict(witness.given),
            "probabilities": witness.probabilities,
            "parameters": dict(witness.parameters),
        }
    return fields
