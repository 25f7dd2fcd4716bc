"""`ldag show`: what a graph says."""

import json

import click

from ldag.cli.arguments import heading, json_option, load_model, print_json
from ldag.cli.pipes import MODEL
from ldag.formats import MOST_CASES, spell_name, spell_states
from ldag.graph import LDAG, ReducedCPT
from ldag.network import Network


@click.command()
@click.argument("graph", type=MODEL)
@json_option
def show(graph: str, as_json: bool) -> None:
    """Show a GRAPH: variables, edges, labels in words, reduced tables as rules, parameters.

    The file of a network also shows the distribution of every class.

    \b
    ldag show guard
    ldag show my-graph.ldag
    """
    model = load_model(graph)
    network = model if isinstance(model, Network) else None
    loaded = model.ldag if isinstance(model, Network) else model
    if as_json:
        print_json({"graph": json.loads(loaded.to_json()), **_facts(loaded), **_probabilities(network)})
        return
    _variables(loaded)
    _edges(loaded)
    if network is None:
        _tables(loaded)
    else:
        heading("\nProbabilities")
        click.echo("  " + str(network).replace("\n", "\n  "))
    _parameters(loaded)


def _probabilities(network: Network | None) -> dict[str, object]:
    """Return the distributions of the classes, if they are known."""
    if network is None:
        return {}
    return {"probabilities": {variable.name: network.parameters(variable.name) for variable in network.variables}}


def _facts(graph: LDAG) -> dict[str, object]:
    """Return what `show` adds to the graph itself."""
    return {
        "labels_in_words": graph.labels_in_words(),
        "dag_dimension": graph.dag_dimension,
        "dimension": graph.dimension,
        "maximal": graph.is_maximal(),
        "regular": graph.is_regular(),
        "csi_consistent": graph.is_csi_consistent(),
        "edges": graph.edges,
        "rules": {
            name: [{"class": rule.number, "contexts": [dict(c) for c in rule.contexts]} for rule in table.rules]
            for name, table in _reduced_tables(graph).items()
        },
    }


def _reduced_tables(graph: LDAG) -> dict[str, ReducedCPT]:
    """Return the tables of the nodes that have fewer classes than configurations."""
    partitions = {variable.name: graph.partition(variable.name) for variable in graph.variables}
    return {name: graph.reduced_cpt(name) for name, p in partitions.items() if p.n_classes < len(p.classes)}


def _variables(graph: LDAG) -> None:
    heading("Variables")
    width = max(len(spell_name(variable.name)) for variable in graph.variables)
    for variable in graph.variables:
        click.echo(f"  {spell_name(variable.name):<{width}}  {spell_states(variable.states)}")


def _edges(graph: LDAG) -> None:
    heading("\nEdges")
    if not graph.edges:
        click.echo("  none: all variables are independent")
    for parent, child in graph.edges:
        click.echo(f"  {parent} -> {child}")
    if graph.labels_in_words():
        heading("\nLabels")
        sentences = graph.labels_in_words(MOST_CASES)
        for sentence in sentences:
            click.echo(f"  {sentence}")
        if sentences != graph.labels_in_words():
            click.echo("  (all cases of a label: --json)")


def _tables(graph: LDAG) -> None:
    tables = _reduced_tables(graph)
    if tables:
        heading("\nReduced tables")
    for table in tables.values():
        click.echo("  " + str(table).replace("\n", "\n  "))


def _parameters(graph: LDAG) -> None:
    heading("\nParameters")
    click.echo(f"  {graph.dag_dimension} as a DAG -> {graph.dimension} with labels")
    if not graph.is_maximal():
        click.echo("  The labels are not maximal: closing them adds entries without a new independence.")
    if not graph.is_regular():
        gone = set(graph.edges) - set(graph.regular().edges)
        shown = ", ".join(f"{parent} -> {child}" for parent, child in sorted(gone))
        click.echo(f"  The graph is not regular: {shown} never matters and can be dropped.")
    beyond = [v.name for v in graph.variables if not graph.is_csi_consistent(v.name)]
    if beyond:
        click.echo(f"  Labels do not tell all about {', '.join(beyond)}: some classes need a decision graph.")
