"""`ldag datasets`: the data and graphs that come with the library."""

import click

from ldag import datasets as built_in
from ldag.cli.arguments import heading, json_option, print_json


@click.command()
@json_option
def datasets(as_json: bool) -> None:
    """List the data sets and example graphs; their names go wherever a file does."""
    data = {name: built_in.load(name) for name in built_in.names()}
    graphs = {name: built_in.graph(name) for name in built_in.graph_names()}
    if as_json:
        print_json(
            {
                "data": {n: {"rows": d.total, "variables": list(d.names)} for n, d in data.items()},
                "graphs": {n: {"variables": len(g.variables), "edges": len(g.edges)} for n, g in graphs.items()},
            }
        )
        return
    heading("data")
    for name, loaded in data.items():
        click.echo(f"  {name:<12} {loaded.total:>6,} rows   {', '.join(loaded.names)}")
    heading("graphs")
    for name, graph in graphs.items():
        size = f"{len(graph.variables)} variables, {len(graph.edges)} edges"
        click.echo(f"  {name:<12} {size:<24} {built_in.about_graph(name)}")
