"""The limits of the library that a search met without having been asked for them, in words."""

from collections.abc import Iterator
from math import prod

from ldag import _native
from ldag.formats import counted
from ldag.learning.searches import GraphParents, Search, SearchProblem
from ldag.learning.searches.exact import exceeds_cells
from ldag.learning.structures import STRUCTURES

SHOWN_NAMES = 5
"""Of more variables than these, a note gives the number."""


def describe_limits(
    problem: SearchProblem, search: Search, names: tuple[str, ...], parents: GraphParents
) -> tuple[str, ...]:
    """Return a note for every limit that may have kept a better graph from being found."""
    return (
        *_full_tables(problem, search, names, parents),
        *_refined_labels(problem, names, parents),
    )


def _full_tables(
    problem: SearchProblem, search: Search, names: tuple[str, ...], parents: GraphParents
) -> Iterator[str]:
    """Say which nodes could get no further parent, or what a proof leaves out, because tables may not be larger."""
    n_states, most = problem.n_states, f"{_native.MAX_CELLS:,} cells"
    if search.name == "exact":
        left_out = [name for node, name in enumerate(names) if exceeds_cells(problem, node)]
        if left_out:
            yield f"parents of {_listed(left_out)} whose table would have more than {most} were left out"
        return
    full = [
        names[node]
        for node, above in enumerate(parents)
        if (further := _possible_parents(problem, node, above))
        and prod(n_states[v] for v in (node, *above)) * min(n_states[v] for v in further) > _native.MAX_CELLS
    ]
    if full:
        yield f"{_listed(full)} could get no further parent: the table would have more than {most}"


def _possible_parents(problem: SearchProblem, node: int, above: tuple[int, ...]) -> list[int]:
    """Return who might be one more parent of a node as far as users said."""
    if len(above) >= problem.space.max_parents[node]:
        return []
    return [v for v in problem.space.candidates[node] if v not in above]


def _refined_labels(problem: SearchProblem, names: tuple[str, ...], parents: GraphParents) -> Iterator[str]:
    """Say which nodes have labels that are not proven to be the best, though these were asked for."""
    families, n_states = problem.families, problem.n_states
    if families.labels != "exact":
        return
    large = [
        names[node]
        for node, above in enumerate(parents)
        if not families.is_solved(n_states[node], [n_states[v] for v in above])
    ]
    if large:
        traits = STRUCTURES[families.structure]
        yield (
            f"{traits.classes} of {_listed(large)} {traits.beyond_exact}, not solved exactly: there are"
            f" {traits.exact_limit} configurations of parents"
        )


def _listed(names: list[str]) -> str:
    """Return a few names, or how many there are."""
    return ", ".join(names) if len(names) <= SHOWN_NAMES else counted(len(names), "variable")
