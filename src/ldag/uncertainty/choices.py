"""What a posterior assumes and how it is computed, as it is asked for: checked, and in the words of the room."""

from collections.abc import Sequence
from typing import Literal, cast, get_args

import numpy as np

from ldag.checks import check_choice, check_whole
from ldag.errors import ArgumentError, argument
from ldag.learning import Chain, Fit, Search
from ldag.scoring import check_equivalent_sample_size, check_priors
from ldag.uncertainty.chains import N_ITER, N_RUNS, ChainSettings
from ldag.uncertainty.families import GraphPrior

PosteriorChoice = Literal["auto", "exact", "chain"]

KAPPAS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
"""The kappas that "evidence" compares, equally probable before any data."""

FEW_KAPPAS = (0.1, 0.5)
"""Those that are summed over unless kappa is given; in benchmarks/bench_calibration.py more are no better."""

SIZES = (1.0, 10.0, 30.0, 100.0)
"""The equivalent sample sizes that are summed over unless one is given, equally probable before any data."""

SizeChoice = float | Sequence[float] | None

KappaChoice = float | Literal["evidence"] | None

STRUCTURES_SUMMED = ("ldag", "table")

USUAL_KAPPA = 0.1
USUAL_SIZE = 10.0
"""Of the graph that the limits are held against, where the posterior is over several."""


def check_structure(structure: str | None, prior: str | None, fit: Fit | None) -> tuple[GraphPrior, ...]:
    """Return what the posterior is over: tables, or labels by their prior; unless it is said, as in the fit or both."""
    if fit is not None and fit.structure not in STRUCTURES_SUMMED:
        raise ArgumentError(
            f"the posterior is over labels or tables; this fit has structure {fit.structure!r}; give its data"
        )
    given = structure or ("ldag" if prior is not None else None if fit is None else fit.structure)
    check_choice(given or "ldag", STRUCTURES_SUMMED, "structure")
    check_choice(prior or "normalised", ("normalised", "labels"), "prior")
    if given is None:
        return "normalised", "table"
    return ("table",) if given == "table" else ("labels",) if prior == "labels" else ("normalised",)


def list_sizes(given: SizeChoice) -> tuple[float, ...]:
    """Return the equivalent sample sizes to sum over, ascending."""
    many = list(given) if isinstance(given, Sequence | np.ndarray) and not isinstance(given, str) else [given]
    sizes = {check_equivalent_sample_size(cast("float", size)) for size in many}
    if not sizes:
        raise ArgumentError(f"{argument('equivalent_sample_size')} must be a number or several, got none")
    return tuple(sorted(sizes))


def list_kappas(kappa: KappaChoice, prior: GraphPrior) -> tuple[float, ...]:
    """Return the kappas to average over: one, or those that the evidence compares."""
    if prior == "table":
        if kappa not in (None, "evidence"):
            raise ArgumentError(
                f"structure 'table' has no labels to pay for; leave {argument('kappa')} out, got {kappa!r}"
            )
        return (1.0,)
    if kappa == "evidence" and prior == "labels":
        raise ArgumentError(
            "kappa 'evidence' needs prior 'normalised': under prior 'labels' a larger kappa also makes larger graphs"
            " weigh more; give a number, or leave prior out"
        )
    if isinstance(kappa, str) and kappa != "evidence":
        raise ArgumentError(f"{argument('kappa')} must be a number above 0 and at most 1, or 'evidence', got {kappa!r}")
    if kappa == "evidence":
        return KAPPAS
    if kappa is None:
        return (USUAL_KAPPA,) if prior == "labels" else FEW_KAPPAS
    return (check_priors(kappa, 1.0, "labels").kappa,)


def check_method(
    method: PosteriorChoice | Search, n_iter: int | None, seed: int, is_timed: bool
) -> tuple[PosteriorChoice, ChainSettings]:
    """Return the name of a method, and how chains run."""
    n_runs = N_RUNS
    if isinstance(method, Chain):
        if method.start is not None:
            raise ArgumentError(f"{argument('start')} does not apply here: chains begin at random")
        n_iter, n_runs = method.n_iter if n_iter is None else n_iter, method.n_chains or N_RUNS
    name = method.name if isinstance(method, Search) else method
    check_choice(name, get_args(PosteriorChoice), "method")
    n_rounds = N_ITER if n_iter is None else check_whole(n_iter, "n_iter", 100)
    return cast("PosteriorChoice", name), ChainSettings(n_rounds, n_runs, seed, is_timed, may_lengthen=n_iter is None)
