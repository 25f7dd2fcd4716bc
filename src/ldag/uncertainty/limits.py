"""The limits of a posterior in words, and whether what a search finds lies outside of them."""

from collections.abc import Iterator

from ldag.errors import argument
from ldag.formats import counted, list_names
from ldag.graph import LDAG
from ldag.model import Schema
from ldag.uncertainty.space import ParentSets

SHOWN_NODES = 3
"""Of more variables than these, it is said how many there are."""


def describe_space(sets: ParentSets, n_candidates: int | None) -> Iterator[str]:
    """Go through the limits; ``n_candidates`` is how many parents of a variable were looked at, if not all."""
    limits = sets.limits
    sizes = [max(map(len, own)) for own in sets.by_node]
    largest = max(sizes)
    candidates = [len({parent for parents in own for parent in parents}) for own in sets.by_node]
    others = len(sizes) - 1
    if any(size == largest < (n if size else others) for size, n in zip(sizes, candidates, strict=True)):
        hint = f" (more would take long; {argument('max_parents')} allows them)"
        yield f"at most {counted(largest, 'parent')} of a variable{hint if limits.was_chosen else ''}"
    if n_candidates is not None:
        yield f"{n_candidates} candidate parents of each, those that gain most"
    if sets.n_tables:
        yield (
            f"no labels in the {sets.n_tables:,} of {counted(sets.n_families, 'family', 'families')} that have more"
            f" than {limits.max_configurations} configurations of parents: these have their full table"
        )
    if sets.n_left_out:
        n_left_out = counted(sets.n_left_out, "family", "families")
        yield f"{n_left_out} left out: too large, or with fixed labels that cannot be summed over"


def describe_outside(graph: LDAG, sets: ParentSets, schema: Schema) -> str | None:
    """Say where a graph that was learned lies outside the space of a posterior, if it does."""
    said = []
    for name, family in sorted(zip(graph.schema.names, graph.structure.families, strict=True)):
        parents, size = graph.parents(name), family.partition.grid.size
        if tuple(sorted(schema.nodes(parents))) not in sets.by_node[schema.node(name)]:
            said.append(f"{name} has {counted(len(parents), 'parent')} ({list_names(parents)})")
        elif size > sets.limits.max_configurations and family.labelled_axes:
            said.append(f"{name} has labels over {size} configurations")
    if not said:
        return None
    more = f", and {len(said) - SHOWN_NODES} more" if len(said) > SHOWN_NODES else ""
    return f"what learn finds lies outside these limits: {'; '.join(said[:SHOWN_NODES])}{more}"
