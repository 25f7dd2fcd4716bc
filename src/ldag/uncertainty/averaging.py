"""Answers averaged over networks that were learned under random orders, from rows drawn again, or both: `average`."""

from concurrent.futures import Executor
from typing import Literal, Unpack, get_args

from ldag.checks import Rng, check_choice, check_whole
from ldag.data import AnyTable, describe_data
from ldag.errors import ArgumentError, argument, option
from ldag.learning import Fit, LearnOptions, Progress, Settings, accept_old_names, check_progress
from ldag.model import Structure
from ldag.network import Network
from ldag.uncertainty.members import Members, learn_members, prepare_members
from ldag.uncertainty.mixture import Mixture

MemberVariety = Literal["order", "bootstrap", "both"]
"""Where the members of an average differ: see `average`."""


@accept_old_names
def average(
    data: "AnyTable | Fit",
    n: int = 20,
    *,
    by: MemberVariety = "order",
    rng: Rng = None,
    progress: Progress = None,
    executor: Executor | None = None,
    **options: Unpack[LearnOptions],
) -> Mixture:
    """Learn several networks that differ, and let them answer together: new rows are often predicted much better.

    Parameters
    ----------
    data
        The data, or a fit, whose data and settings are then used.
    n
        How many networks.
    by
        "order": each is learned under a random order of the variables, which its edges follow. "bootstrap": each graph
        is learned from rows drawn again. "both": both. Parameters are always those of all the data.
    rng
        Seed of everything that is random; None is 0.
    progress
        As in `learn`.
    executor
        Where the searches run, instead of threads of this process.
    **options
        The settings of `learn`, and for a table that is no `Dataset` those of `read`.
        Climbing is not restarted unless ``n_restarts`` says so, as members are to differ. A
        kappa that is left to cross-validation is chosen once, on all the data; a time limit is for all searches
        together, and those that did not come to their end by then, or when Ctrl-C was pressed, are left out: ``notes``
        says so. A larger ``equivalent_sample_size`` than for one network is often better: try several on rows that
        were held out.

    Examples
    --------
    >>> import ldag
    >>> heart = ldag.datasets.load("heart")
    >>> mixture = ldag.average(heart, 5, kappa=0.1)
    >>> answer = mixture.query("pressure", given={"smoking": "yes"})
    >>> {state: round(p, 2) for state, p in answer.items()}
    {'<140': 0.59, '>140': 0.41}
    """
    check_whole(n, "n")
    check_choice(by, get_args(MemberVariety), "by")
    check_progress(progress)
    own = data.settings if isinstance(data, Fit) else None
    if by != "bootstrap" and (options.get("start") or (own and own.method_option("start"))):
        raise ArgumentError(
            f"{argument('start')} does not apply to random orders, which its edges may not follow; use"
            f" {option('by', 'bootstrap')}"
        )
    asked = own or Settings()
    asked = asked.with_(method=options["method"]) if "method" in options else asked
    if asked.search.climbs and asked.method_option("n_restarts") is None:
        options.setdefault("n_restarts", 0)
    prepared = prepare_members(data, rng, progress, executor, options)
    members = Members(prepared.plan, resamples=by != "order", reorders=by != "bootstrap")
    size, spread = prepared.smoothing

    def make(structure: Structure) -> Network:
        graph = prepared.named(structure)
        return Network.from_data(graph, prepared.data, equivalent_sample_size=size, spread=spread)

    learned = learn_members(members, n, "average", make, prepared.deadline, progress, executor)
    return Mixture(learned.members, notes=(*describe_data(prepared.data), *learned.notes))
