"""Searches over graphs by node numbers: one contract for all of them, run by the native core."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Literal, cast

import numpy as np

from ldag import _native
from ldag.data import count_family
from ldag.errors import TooLarge
from ldag.learning.checkpoint import SAVE_EVERY, Checkpoint
from ldag.learning.constraints import SearchSpace
from ldag.learning.costs import exact_seconds
from ldag.learning.partitions import FamilyOptions, best_partition
from ldag.model import CodedFamily, Grid, Structure

Method = Literal["exact", "chain", "climb"]
OnProgress = Callable[[Mapping[str, float]], bool]
"""Told how far a search is (done, total, accepted, best); a true answer stops it."""

Parents = tuple[tuple[int, ...], ...]

TABU_LENGTH = 10
"""Graphs that climbing does not visit again while it looks beyond a local optimum."""

N_RESTARTS = 40
FEW_VARIABLES = 100
RESTARTS_PER_VARIABLE = 20
MOST_RESTARTS = 5_000
"""Restarts of climbing for few variables, and for each of more, with a limit."""

MANY_VARIABLES = 400
MAX_CANDIDATES = 100
"""Beyond so many variables, climbing tries only so many candidate parents of each, the best by themselves."""
EXACT_VARIABLES = 40
EXACT_MOST_BYTES = 1 << 33
EXACT_BYTES = 1 << 30
EXACT_FAMILIES = 2_000_000
EXACT_SECONDS = 20.0


@dataclass(frozen=True)
class SearchOptions:
    """Which search, and its settings; those of other searches are not looked at."""

    method: Method
    n_chains: int = 50
    n_iter: int = 500
    n_restarts: int = 0
    seed: int = 0
    n_threads: int = 1
    start: Parents | None = None


@dataclass(frozen=True)
class Found:
    """The best graph of a search, and how it went."""

    parents: Parents
    score: float
    trace: tuple[tuple[int, float], ...]
    stopped: bool
    n_steps: int
    n_accepted: int


@dataclass(frozen=True)
class Keeping:
    """The state that a search goes on from, if there is one, and who is handed its state now and then."""

    resume: object
    keep: Callable[[object], object]


def search(
    scorer: _native.FamilyScorer,
    space: SearchSpace,
    options: SearchOptions,
    on_progress: OnProgress | None = None,
    keeping: Keeping | None = None,
) -> Found:
    """Look for the best graph of a space."""
    where = _lists(space)
    resume, keep = (None, None) if keeping is None else (keeping.resume, keeping.keep)
    start = [list(above) for above in options.start or ()]
    found: _native.FoundGraph
    if options.method == "exact":
        found = _native.search_exact(
            scorer,
            *where,
            n_threads=options.n_threads,
            on_progress=on_progress,
            resume=resume,
            keep=keep,
            keep_every=SAVE_EVERY,
        )
    elif options.method == "chain":
        found = _native.search_chain(
            scorer,
            *where,
            n_chains=options.n_chains,
            n_iter=options.n_iter,
            seed=options.seed,
            n_threads=options.n_threads,
            start=start,
            on_progress=on_progress,
            resume=resume,
            keep=keep,
            keep_every=SAVE_EVERY,
        )
    else:
        found = _native.search_climb(
            scorer,
            *where,
            n_restarts=options.n_restarts,
            tabu_length=TABU_LENGTH,
            seed=options.seed,
            n_threads=options.n_threads,
            max_candidates=MAX_CANDIDATES if len(space.candidates) > MANY_VARIABLES else 0,
            start=start,
            on_progress=on_progress,
            resume=resume,
            keep=keep,
            keep_every=SAVE_EVERY,
        )
    return _found(found)


def search_on(
    checkpoint: Checkpoint,
    name: str,
    scorer: _native.FamilyScorer,
    space: SearchSpace,
    options: SearchOptions,
    on_progress: OnProgress,
) -> Found:
    """Search from where a checkpoint says, and leave there how far it came or what was found."""
    if name in checkpoint.parts:
        return _found(cast("_native.FoundGraph", checkpoint.parts[name]))
    half = f"{name}, on the way"

    def keep(state: object) -> None:
        checkpoint.parts[half] = state
        checkpoint.save()

    try:
        found = search(scorer, space, options, on_progress, Keeping(checkpoint.parts.get(half), keep))
    except _native.BadState:
        raise checkpoint.damaged() from None
    if not found.stopped:
        checkpoint.parts[name] = astuple(found)
        del checkpoint.parts[half]
        checkpoint.save()
    return found


def _found(plain: "_native.FoundGraph") -> Found:
    parents, score, trace, stopped, n_steps, n_accepted = plain
    points = tuple((step, best) for step, best in trace)
    return Found(tuple(tuple(p) for p in parents), score, points, stopped, n_steps, n_accepted)


def learned_structure(
    columns: _native.Columns, n_states: tuple[int, ...], parents: Parents, options: FamilyOptions
) -> Structure:
    """Return the structure of a graph with the best partition of each family."""
    families = []
    for node, above in enumerate(parents):
        grid = Grid(tuple(n_states[parent] for parent in above))
        if options.structure == "table":
            families.append(CodedFamily.table(above, grid))
            continue
        table = count_family(columns, n_states, node, above).astype(np.float64)
        fixed = options.fixed_labels(node, above, n_states)
        families.append(CodedFamily.from_partition(above, best_partition(table, grid, options, fixed).partition))
    return Structure(n_states, tuple(families))


@dataclass(frozen=True)
class Choice:
    """A method, possibly still to be chosen, and the settings of all."""

    method: str
    n_chains: int
    n_iter: int
    n_restarts: int | None


def choose_method(
    choice: Choice, space: SearchSpace, families: FamilyOptions, data: tuple[Sequence[int], int], n_threads: int
) -> SearchOptions:
    """Settle on a method: "auto" is exact where its tables and its families fit, and climb otherwise.

    ``data`` are the numbers of states and the number of different rows.
    """
    method = choice.method
    if method == "auto":
        method = "exact" if _is_exact_affordable(space, families, *data) else "climb"
    elif method == "exact":
        _check_exact(space)
    n_restarts = _n_restarts(len(space.candidates)) if choice.n_restarts is None else choice.n_restarts
    return SearchOptions(cast("Method", method), choice.n_chains, choice.n_iter, n_restarts, families.seed, n_threads)


def _n_restarts(n_variables: int) -> int:
    """Return how often climbing restarts unless told otherwise: large graphs have more places to improve."""
    if n_variables <= FEW_VARIABLES:
        return N_RESTARTS
    return min(RESTARTS_PER_VARIABLE * n_variables, MOST_RESTARTS)


def _check_exact(space: SearchSpace) -> None:
    """Refuse an exact search whose tables cannot be held."""
    n_bytes, n_families = _native.exact_cost(*_lists(space))
    if len(space.candidates) > EXACT_VARIABLES or n_bytes > EXACT_MOST_BYTES:
        raise TooLarge(
            f"an exact search over {len(space.candidates)} variables needs {n_bytes / 2**30:,.1f} GB and "
            f"{n_families:,} families; at most {EXACT_VARIABLES} variables and {EXACT_MOST_BYTES / 2**30:.0f} GB are "
            "possible; give max_parents or constraints, or use method 'climb' or 'chain'"
        )


def _lists(space: SearchSpace) -> tuple[list[list[int]], list[list[int]], list[int]]:
    """Return a space as the native core takes it."""
    return [list(c) for c in space.candidates], [list(r) for r in space.required], list(space.max_parents)


def _is_exact_affordable(space: SearchSpace, families: FamilyOptions, n_states: Sequence[int], n_rows: int) -> bool:
    """Estimate memory and time of the exact search."""
    if len(space.candidates) > EXACT_VARIABLES:
        return False
    n_bytes, n_families = _native.exact_cost(*_lists(space))
    if n_bytes > EXACT_BYTES or n_families > EXACT_FAMILIES:
        return False
    return exact_seconds(space, n_states, n_rows, families) < EXACT_SECONDS


def promise(options: SearchOptions, found: Found, space: SearchSpace, families: FamilyOptions) -> str:
    """Return what is known of a result, and what is not."""
    if found.stopped:
        return "ended early: this is the best graph found until then"
    limit = max(space.max_parents)
    parents = "any number of parents" if limit >= len(space.candidates) - 1 else f"at most {limit} parents"
    by = {"greedy": "the labels that greedy search finds", "refined": "the labels that refined search finds"}
    of = by.get(families.labels, "the best labels") if families.structure != "table" else "full tables"
    if options.method == "exact":
        return f"no allowed graph with {parents} scores better, where every family has {of}"
    if options.method == "chain":
        visited = f"{options.n_chains} chains of {options.n_iter} proposals, {found.n_accepted:,} accepted"
        return f"the best graph of {visited}; a better one may exist"
    return f"no single edge improves it ({found.n_steps:,} steps); a better graph may exist"
