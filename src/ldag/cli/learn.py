"""`ldag learn`: a graph from data."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, get_args

import click

from ldag.cli.arguments import counts_option, json_option, load_data, load_graph, missing_option, print_json, save_model
from ldag.data import Missing
from ldag.errors import ArgumentError
from ldag.formats import Edge, Scanner, check_writable, read_utf8
from ldag.learning import Constraints, LabelSearch, MethodChoice, StructureKind, read_edge, read_names
from ldag.learning import learn as learn_graph
from ldag.scoring import PRIORS, Prior


@click.command(short_help="Learn a graph from data.")
@click.argument("data")
@click.option("--output", "-o", metavar="FILE", help="Write the network there (.json), or its graph (.ldag, .dot).")
@click.option("--kappa", default="cv", show_default=True, help="Above 0 and at most 1, or cv: by cross-validation.")
@click.option("--method", type=click.Choice(get_args(MethodChoice)), default="auto", show_default=True)
@click.option("--structure", type=click.Choice(get_args(StructureKind)), default="ldag", show_default=True)
@click.option("--labels", type=click.Choice(get_args(LabelSearch)), default="greedy", show_default=True)
@click.option("--equivalent-sample-size", default=1.0, show_default=True, help="Weight of the prior over parameters.")
@click.option("--prior", type=click.Choice(PRIORS), default="labels", show_default=True, help="What kappa is paid for.")
@click.option("--max-parents", type=int, help="Parents of a node at most.")
@click.option("--constraints", "constraint_file", metavar="FILE", help="A file of constraints.")
@click.option("--tiers", metavar="FILE", help="A file with one tier per line, names separated by commas.")
@click.option("--require", multiple=True, metavar='"A -> B"', help="An edge that must be there.")
@click.option("--forbid", multiple=True, metavar='"A -> B"', help="An edge that must not be there.")
@click.option("--unlabelled", multiple=True, metavar='"A -> B"', help="An edge that may carry no label.")
@click.option("--chains", "n_chains", type=int, help="For chain: how many chains.  [50]")
@click.option("--iter", "n_iter", type=int, help="For chain: proposals per chain.  [500]")
@click.option(
    "--restarts", "n_restarts", type=int, help="For climb: perturbed restarts.  [20 per variable, at least 400]"
)
@click.option("--start", metavar="GRAPH", help="For chain and climb: the graph to start from.")
@click.option("--rng", type=int, help="Seed.  [0]")
@click.option("--jobs", default=-1, show_default=True, help="Threads; -1 is all cores.")
@click.option("--time-limit", type=float, metavar="SECONDS", help="Return the best graph found by then.")
@click.option("--checkpoint", metavar="PATH", help="Keep what is done in this file, and go on from it if it is there.")
@counts_option
@missing_option
@json_option
def learn(  # noqa: PLR0913, PLR0917 - one parameter per option
    data: str,
    output: str | None,
    kappa: str,
    method: MethodChoice,
    structure: StructureKind,
    labels: LabelSearch,
    equivalent_sample_size: float,
    prior: Prior,
    max_parents: int | None,
    constraint_file: str | None,
    tiers: str | None,
    require: Sequence[str],
    forbid: Sequence[str],
    unlabelled: Sequence[str],
    n_chains: int | None,
    n_iter: int | None,
    n_restarts: int | None,
    start: str | None,
    rng: int | None,
    jobs: int,
    time_limit: float | None,
    checkpoint: str | None,
    counts: str | None,
    missing: Missing,
    as_json: bool,
) -> None:
    """Learn a labelled DAG from DATA (a file, or the name of a data set) and say what was found.

    \b
    ldag learn heart --kappa 0.3
    ldag learn survey.csv --tiers tiers.txt --forbid "age <- income" --max-parents 4 -o model.ldag
    """
    if output is not None:
        check_writable(output)
    fit = learn_graph(
        load_data(data, counts, missing),
        kappa=_kappa(kappa),
        method=method,
        structure=structure,
        labels=labels,
        equivalent_sample_size=equivalent_sample_size,
        prior=prior,
        max_parents=max_parents,
        constraints=_constraints(constraint_file, tiers, require, forbid, unlabelled),
        n_chains=n_chains,
        n_iter=n_iter,
        n_restarts=n_restarts,
        start=None if start is None else load_graph(start),
        rng=rng,
        n_jobs=jobs,
        time_limit=time_limit,
        checkpoint=checkpoint,
    )
    if output is not None:
        save_model(fit.network, output)
    if as_json:
        print_json(fit.to_dict())
    else:
        click.echo(str(fit))


def _kappa(text: str) -> float | Literal["cv"]:
    """Return a number, or "cv"."""
    if text == "cv":
        return "cv"
    try:
        return float(text)
    except ValueError:
        raise ArgumentError(f"--kappa must be a number above 0 and at most 1, or cv, got {text!r}") from None


def _constraints(
    path: str | None, tiers: str | None, require: Sequence[str], forbid: Sequence[str], unlabelled: Sequence[str]
) -> Constraints | None:
    """Put the constraints of all options together."""
    if path is None and tiers is None and not require and not forbid and not unlabelled:
        return None
    found = Constraints() if path is None else Constraints.load(path)
    if tiers is not None:
        if found.tiers:
            raise ArgumentError("--tiers: the file of constraints has tiers already")
        found = replace(found, tiers=_tiers(Path(tiers)))
    return found.with_(
        required=[_edge(text, "--require") for text in require],
        forbidden=[_edge(text, "--forbid") for text in forbid],
        unlabelled=[_edge(text, "--unlabelled") for text in unlabelled],
    )


def _tiers(path: Path) -> list[list[str]]:
    """Read one tier per line; names in quotes are read as in the text form."""
    groups: list[list[str]] = []
    for number, line in enumerate(read_utf8(path).splitlines(), start=1):
        if '"' not in line:
            names = line.split("#")[0]
            groups += [[name.strip() for name in names.split(",")]] if names.strip() else []
            continue
        scanner = Scanner(line, f"{path}, line {number}")
        groups += [] if scanner.at_end else [read_names(scanner)]
        if not scanner.at_end:
            raise scanner.unexpected("',' and another name, or the end of the line")
    return groups


def _edge(text: str, option: str) -> Edge:
    """Read an edge such as "a -> b" or "b <- a"."""
    scanner = Scanner(text, option)
    edge = read_edge(scanner)
    if not scanner.at_end:
        raise scanner.unexpected("the end")
    return edge
