"""`ldag describe`: what a table holds, and what reading makes of it."""

import click
from click.core import ParameterSource

from ldag.cli.arguments import json_option, print_json
from ldag.cli.pipes import TABLE
from ldag.cli.show import show
from ldag.cli.tables import load_table, table_options
from ldag.data import Dataset, ReadOptions
from ldag.errors import ArgumentError, counted
from ldag.formats import holds_models
from ldag.model import Variable


@click.command()
@click.argument("data", type=TABLE)
@table_options
@json_option
@click.pass_context
def describe(context: click.Context, data: str, reading: ReadOptions, as_json: bool) -> None:
    """Say what DATA (a file, or the name of a data set) holds: variables, their states or cut points, gaps, and hints.

    The file of a model is described as `ldag show` does.

    \b
    ldag describe survey.csv
    ldag describe survey.csv --bins age=18,40,65 --na "?"
    """
    if holds_models(data):
        sources = ((one.name, context.get_parameter_source(one.name or "")) for one in context.command.params)
        given = {name for name, source in sources if source is ParameterSource.COMMANDLINE}
        if given - {"data", "as_json"}:
            raise ArgumentError(f"{data} is a model; options that say how a table is read do not apply to it")
        context.invoke(show, graph=data, as_json=as_json)
        return
    table = load_table(data, reading, use_of_gaps="")
    if as_json:
        print_json(_fields(table))
        return
    click.echo(f"{counted(table.total, 'observation')} in {counted(table.n_rows, 'different row')}")
    width = max(len(name) for name in table.names)
    for variable in table.variables:
        click.echo(f"  {variable.name:{width}}  {_kind(variable)}: {_states(variable)}")
    if table.has_gaps:
        click.echo(str(table.gaps()))


def _kind(variable: Variable) -> str:
    if variable.cuts:
        return "measurement"
    return counted(variable.n_states, "state") + (", ordered" if variable.ordered else "")


def _states(variable: Variable) -> str:
    shown = [str(state) for state in variable.states[:8]]
    more = f", and {variable.n_states - 8} more" if variable.n_states > 8 else ""
    return (" < " if variable.ordered else ", ").join(shown) + more


def _fields(data: Dataset) -> dict[str, object]:
    return {
        "total": data.total,
        "n_rows": data.n_rows,
        "variables": [
            {
                "name": variable.name,
                "states": list(variable.states),
                "ordered": variable.ordered,
                "cuts": list(variable.cuts),
                "counts": data.counts(variable.name, observed=True)[0].tolist(),
            }
            for variable in data.variables
        ],
        "gaps": data.gaps().to_dict(),
        "notes": list(data.notes),
    }
