"""The limits of the library that a search met without having been asked for them, in words."""

from collections.abc import Iterator
from math import prod

from ldag import _native
from ldag.formats import counted
from ldag.learning.searches import GraphParents, Search, SearchProblem
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
        left_out = [names[node] for node in range(len(names)) if _largest_table(problem, node) > _native.MAX_CELLS]
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
    return [v for v in problem.space.candidates[node] if v not in above and problem.n_states[v] > 1]


def _largest_table(problem: SearchProblem, node: int) -> int:
    """Return the cells of the largest table that a node could have as far as users said."""
    sizes = sorted((problem.n_states[v] for v in problem.space.candidates[node]), reverse=True)
    return problem.n_states[node] * prod(sizes[: problem.space.max_parents[node]])


def _refined_labels(problem: SearchProblem, names: tuple[str, ...], parents: GraphParents) -> Iterator[str]:
    """Say which nodes have labels that are not proven to be the best, though these were asked for."""
    families = problem.families
    if families.labels != "exact" or STRUCTURES[families.structure].is_table or families.structure == "tree":
        return
    large = [
        names[node]
        for node, above in enumerate(parents)
        if prod(problem.n_states[v] for v in above) > _native.MAX_EXACT_CELLS
    ]
    if large:
        yield (
            f"the labels of {_listed(large)} were refined, not solved exactly: they have more than"
            f" {_native.MAX_EXACT_CELLS} configurations of parents"
        )


def _listed(names: list[str]) -> str:
    """Return a few names, or how many there are."""
    return ", ".join(names) if len(names) <= SHOWN_NAMES else counted(len(names), "variable")
