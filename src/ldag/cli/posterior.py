"""`ldag posterior`: how probable graphs, edges and labels are."""

from collections.abc import Sequence
from typing import Any, get_args

import click

from ldag.cli.arguments import RareOption, json_option
from ldag.cli.pipes import TABLE, Target
from ldag.cli.settings import (
    CONSTRAINTS,
    NumberOrWord,
    checkpoint_option,
    constraint_options,
    cut_windows,
    left_for_search,
    panel_options,
    read_constraints,
    read_panel,
)
from ldag.cli.tables import load_table, print_result, table_options
from ldag.data import ReadOptions
from ldag.errors import ArgumentError, argument, say_decomposable
from ldag.formats import check_document_path, check_place
from ldag.learning import Deadline, check_time_limit
from ldag.uncertainty import PosteriorChoice
from ldag.uncertainty import posterior as learn_posterior


class KnownWords(click.Choice):  # type: ignore[type-arg]  # generic in some versions only
    """Some words, and one that is taken for one release longer."""

    def __init__(self, words: Sequence[str], old: str) -> None:
        super().__init__(words)
        self._old = old

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the word."""
        return value if value == self._old else super().convert(value, param, ctx)


@click.command()
@click.argument("data", type=TABLE)
@click.option("--output", "-o", type=Target(".json"), metavar="FILE", help="Write the posterior there (.json).")
@click.option("--kappa", type=NumberOrWord("kappa", ["evidence"]), help="The price of labels.  [evidence]")
@click.option(
    "--prior",
    cls=RareOption,
    type=KnownWords(["normalised", "labels"], old="table"),
    help="How labels are paid for: as in learn, or divided by all allowed labels.  [normalised]",
)
@click.option(
    "--structure",
    cls=RareOption,
    type=click.Choice(["ldag", "table"]),
    help="table: no labels.  [both, as probable as the data make them]",
)
@click.option("--max-parents", type=int, help="Parents of a node at most.  [as many as about 10 s allow]")
@click.option(
    "--method",
    cls=RareOption,
    type=KnownWords(get_args(PosteriorChoice), old="chains"),
    default="auto",
    show_default=True,
    help="All graphs within the limits, or graphs that chains visit.",
)
@click.option(
    "--equivalent-sample-size",
    cls=RareOption,
    type=float,
    multiple=True,
    help="Weight of the prior over parameters; several are summed over.  [1, 10, 30, 100]",
)
@click.option("--effects", metavar="NAME", help="Also rank all variables by how much setting them changes it.")
@panel_options
@constraint_options
@click.option("--iter", "n_iter", cls=RareOption, type=int, help="For chain: rounds of each run.  [4,000, or 16,000]")
@click.option(
    "--rounds",
    "n_rounds",
    cls=RareOption,
    type=int,
    help="With gaps: completed tables each of four runs keeps.  [as many as it takes]",
)
@click.option("--rng", type=int, help="Seed of chains, and of what gaps are filled with.  [0]")
@click.option("--jobs", "n_jobs", cls=RareOption, default=-1, show_default=True, help="Threads; -1 is all cores.")
@click.option("--time-limit", type=float, metavar="SECONDS", help="End by then, reading included.")
@checkpoint_option
@click.option("--decomposable", is_flag=True, help="Over graphs that need no arrows, with strata (up to 8 variables).")
@table_options
@json_option
def posterior(
    data: str, output: str | None, effects: str | None, reading: ReadOptions, as_json: bool, **options: Any
) -> None:
    """Say how probable edges and labels are, given DATA (a file, or the name of a data set).

    \b
    ldag posterior heart --kappa 0.3 --max-parents 3
    ldag posterior survey.csv -o post.json
    ldag posterior ucb --decomposable
    """
    if output is not None:
        check_place(check_document_path(output, "posterior"))
    deadline = Deadline.after(check_time_limit(options["time_limit"]))
    constraints, panel = read_constraints(*map(options.pop, CONSTRAINTS)), read_panel(options)
    options["equivalent_sample_size"] = options["equivalent_sample_size"] or None
    table = load_table(data, reading, use_of_gaps="averaged over completions")
    table, constraints = cut_windows(table, constraints, panel, options["decomposable"])
    if effects is not None and options["decomposable"]:
        raise ArgumentError(f"{argument('effects')} is about arrows, and with {say_decomposable()} there are none")
    if effects is not None:
        table.schema.node(effects, f"{argument('effects')}: ")
    options["time_limit"] = left_for_search(deadline)
    result = learn_posterior(table, constraints=constraints, **options)
    if output is not None:
        result.save(output)
    sizes = None if effects is None else result.effects(effects)
    told = {} if sizes is None else {"effects": sizes.to_dict()}
    print_result(result, table, {**result.summary(), **told} if as_json else None)
    if sizes is not None and not as_json:
        click.echo(str(sizes))
