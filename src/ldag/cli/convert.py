"""`ldag convert`: from one format to another."""

import click

from ldag.cli.arguments import json_option, load_model, print_json, print_notes, save_model
from ldag.cli.pipes import MODEL
from ldag.errors import ArgumentError, counted, list_names
from ldag.formats import FORMATS, format_of, table_of_formats
from ldag.graph import LDAG, is_told_by_labels
from ldag.network import Network

_BY_NAME = {known.name: known for known in FORMATS}


@click.command()
@click.argument("source", type=MODEL, required=False)
@click.argument("target", required=False)
@click.option("--to", "form", type=click.Choice(list(_BY_NAME)), help="The format to print when TARGET is '-'.")
@click.option("--maximal", is_flag=True, help="Close the labels of a graph first.")
@click.option("--regular", is_flag=True, help="Close the labels of a graph and drop edges that never matter first.")
@click.option("--formats", "list_formats", is_flag=True, help="List the formats and what each can carry.")
@json_option
def convert(
    source: str | None,
    target: str | None,
    form: str | None,
    maximal: bool,
    regular: bool,
    list_formats: bool,
    as_json: bool,
) -> None:
    """Write SOURCE, a graph or a network, to the file TARGET in the format of its ending, or print it.

    Labels are recovered from equal rows where a format has full tables. What is lost or recovered is said.

    \b
    ldag convert alarm.bif alarm.json
    ldag convert heart.json heart.xdsl
    ldag convert guard - --to dot
    """
    if list_formats:
        click.echo(table_of_formats(FORMATS), nl=False)
        return
    if source is None or target is None:
        raise click.UsageError("Missing argument 'SOURCE' or 'TARGET'.")
    model = load_model(source)
    if regular or maximal:
        graph = model if isinstance(model, LDAG) else model.ldag
        model = graph.regular() if regular else graph.maximal()
    if target == "-":
        if as_json:
            raise ArgumentError("--json says what was written to a file; to print the graph as JSON use --to json")
        click.echo(model.to_format(form or "ldag"), nl=False)
        return
    if form is not None:
        raise ArgumentError("--to goes with the target '-'; a file's format is that of its ending")
    notes = _notes(source, target, model)
    save_model(model, target)
    if as_json:
        print_json({"written": target, "notes": notes})
    else:
        print_notes(notes)


def _notes(source: str, target: str, model: LDAG | Network) -> list[str]:
    """Return in words what was recovered from the source, and what the target does not carry."""
    graph = model if isinstance(model, LDAG) else model.ldag
    notes = []
    if isinstance(model, Network) and format_of(source).write_tables is not None:
        saved = graph.dag_dimension - graph.dimension
        beyond = [v.name for v in graph.variables if not is_told_by_labels(graph, v.name)]
        if saved:
            notes.append(f"equal rows of the tables save {counted(saved, 'parameter')} of {graph.dag_dimension:,}")
        if beyond:
            notes.append(
                f"labels do not tell all about {list_names(beyond)}: the equal rows there form a decision graph"
            )
    carried = format_of(target).carries
    if isinstance(model, Network) and carried.probabilities == "no":
        notes.append("the parameters are left out; the graph is written")
    if isinstance(model, Network) and model.learned is not None and carried.counts == "no" != carried.probabilities:
        notes.append("the counts are left out; the probabilities are written")
    if carried.names == "by number":
        notes.append("names of variables and states are left out; they are written by number")
    elif carried.states in {"by number", "no"}:
        notes.append("names of states are left out")
    if carried.labels == "no" and graph.labelled_edges:
        notes.append("labels are left out")
    lost = {"no": graph.latent, "arcs only": [name for name in graph.latent if name not in graph.arcs]}
    if latent := lost.get(carried.latent, ()):
        notes.append(f"that {list_names(latent)} is latent is left out")
    return notes
