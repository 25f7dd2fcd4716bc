"""How often what is learned is learned again from rows drawn anew: `bootstrap`."""

import time
from collections import Counter
from concurrent.futures import Executor
from typing import Unpack, get_args

from ldag.checks import Rng, check_choice, check_whole
from ldag.data import AnyTable, describe_data
from ldag.learning import Fit, LearnOptions, Progress, accept_old_names, check_progress
from ldag.model import Structure
from ldag.uncertainty.members import Members, Prepared, learn_members, prepare_members
from ldag.uncertainty.replicates import Bootstrap
from ldag.uncertainty.strengths import DirectedGraph, Directions, average_arcs, average_firm, direct_graph


@accept_old_names
def bootstrap(
    data: "AnyTable | Fit",
    n: int = 200,
    *,
    directions: Directions = "cpdag",
    rng: Rng = None,
    progress: Progress = None,
    executor: Executor | None = None,
    **options: Unpack[LearnOptions],
) -> Bootstrap:
    """Learn from rows drawn again and again with replacement, and count how often edges and labels return.

    Parameters
    ----------
    data
        The data, or a fit, whose data and settings are then used.
    n
        How many times as many rows as there are are drawn, and a graph is learned.
    directions
        "cpdag": an edge that a Markov equivalent DAG has the other way round counts half for each direction, as in
        bnlearn's ``boot.strength``. "essential": the same with labels, which make more directions certain. "dag": edges
        count as the search returns them, though it may have had no reason to prefer a direction. Only graphs count that
        the constraints allow, so that what tiers and required edges imply has a direction.
    rng
        Seed of everything that is random; None is 0.
    progress
        As in `learn`.
    executor
        Where the searches run, instead of threads of this process.
    **options
        The settings of `learn`, and for a table that is no `Dataset` those of `read`.
        If kappa is left to cross-validation it is chosen once, on all the data; a time limit
        is for all searches together. Searches that did not come to their end by then, or when Ctrl-C was pressed, are
        left out, and ``notes`` says so; a climb ends with fewer restarts, at a graph that no single edge improves.

    Examples
    --------
    >>> import ldag
    >>> boot = ldag.bootstrap(ldag.datasets.load("heart"), 20, kappa=0.1)
    >>> boot.strength("mental", "physical")
    1.0
    """
    began = time.perf_counter()
    check_whole(n, "n")
    check_choice(directions, get_args(Directions), "directions")
    check_progress(progress)
    prepared = prepare_members(data, rng, progress, executor, options)
    members = Members(prepared.plan, resamples=True, reorders=False)
    space, schema = prepared.plan.problem.space, prepared.plan.data.schema

    def make(structure: Structure) -> DirectedGraph:
        forbidden = [(schema[i].name, schema[j].name) for i, j in space.ruled_out(structure)]
        return direct_graph(prepared.named(structure), directions, forbidden)

    learned = learn_members(members, n, "bootstrap", make, prepared.deadline, progress, executor)
    graphs = Counter(learned.members).most_common()
    return Bootstrap(
        graphs=tuple((directed.graph, count) for directed, count in graphs),
        arcs=average_arcs(graphs),
        firm=average_firm(graphs),
        directions=directions,
        kappa=prepared.kappa if prepared.plan.settings.has_kappa else None,
        method=prepared.plan.search.name,
        settings=_plain_settings(prepared),
        n_asked=n,
        notes=(*describe_data(prepared.data), *learned.notes),
        n_observations=prepared.data.total,
        seconds=time.perf_counter() - began,
    )


def _plain_settings(prepared: Prepared) -> dict[str, object]:
    """Return the settings that were used, as plain values."""
    settings = prepared.plan.settings.to_dict()
    return {name: value for name, value in settings.items() if value is not None and name != "n_jobs"}
