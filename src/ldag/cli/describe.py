"""`ldag describe`: what a table holds, and what reading makes of it."""

import click
import numpy as np
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
    ldag describe visits.csv --groups patient
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
    n_different = counted(table.ungrouped().n_rows, "different row")
    click.echo(f"{counted(table.total, 'observation')} in {n_different}")
    if table.groups is not None:
        click.echo(f"{table.groups.name}: {table.groups.describe(table.weights)}")
    width = max(len(name) for name in table.names)
    for variable in table.variables:
        stays = f"; one per {table.groups.noun}" if table.groups and variable.name in table.constant_in_groups else ""
        click.echo(f"  {variable.name:{width}}  {_kind(variable)}: {_states(variable)}{stays}")
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


def _fields_of_groups(data: Dataset) -> dict[str, object]:
    """Return what belongs together, and when rows were seen, as far as columns say so."""
    fields: dict[str, object] = {}
    if data.groups is not None:
        sizes = data.groups.amounts(data.weights)
        rows = {"least": sizes.min(), "median": float(np.median(sizes)), "most": sizes.max()}
        own = {"column": data.groups.name, "n": len(data.groups), "rows": rows}
        fields["groups"] = {**own, "constant": list(data.constant_in_groups)}
    if data.times is not None:
        fields["time"] = {"column": data.times.name, "kind": data.times.kind, "step": data.times.step}
    return fields


def _fields(data: Dataset) -> dict[str, object]:
    return {
        "total": data.total,
        "n_rows": data.ungrouped().n_rows,
        **_fields_of_groups(data),
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
