"""`ldag average`: several networks that answer together."""

from typing import get_args

import click

from ldag.cli.arguments import json_option
from ldag.cli.pipes import TABLE, Target
from ldag.cli.settings import keep_given, load_to_repeat, settings_options
from ldag.cli.tables import print_result, table_options
from ldag.data import ReadOptions
from ldag.formats import check_document_path, check_place
from ldag.uncertainty import N_MEMBERS, MemberVariety
from ldag.uncertainty import average as learn_several


@click.command()
@click.argument("data", type=TABLE)
@click.option("--number", "-n", "n", default=N_MEMBERS, show_default=True, help="How many networks are learned.")
@click.option("--output", "-o", type=Target(".json"), required=True, metavar="FILE", help="Write them there (.json).")
@click.option(
    "--by",
    type=click.Choice(get_args(MemberVariety)),
    default="order",
    show_default=True,
    help="Where they differ: random orders of the variables, rows drawn again, both, or what gaps are filled with.",
)
@settings_options
@table_options
@json_option
@click.pass_context
def average(
    context: click.Context,
    /,
    data: str,
    n: int,
    output: str,
    by: MemberVariety,
    reading: ReadOptions,
    as_json: bool,
    **options: object,
) -> None:
    """Learn several networks from DATA that differ, and write them to a file; together they often predict better.

    They have tables, and sample sizes chosen by cross-validation, unless --structure, --kappa or --prior, or sizes are
    given.

    \b
    ldag average survey.csv -o several.json
    ldag query several.json pain --given smoker=yes
    ldag predict several.json new.csv --target pain
    """
    check_place(check_document_path(output, "mixture"))
    table, settings = load_to_repeat(data, reading, options)
    settings = keep_given(context, settings)
    result = learn_several(table, n, by=by, **settings)
    result.save(output)
    print_result(result, table, {**result.summary(), "by": by, "written": output} if as_json else None)
