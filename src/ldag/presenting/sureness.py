"""How sure a report can be of connections and exceptions: by a posterior, or by learning again from rows drawn anew."""

from collections.abc import Iterator
from itertools import combinations
from typing import TypeAlias

from ldag.errors import ArgumentError
from ldag.formats import Context
from ldag.graph import LDAG
from ldag.uncertainty import Bootstrap, Posterior

Sureness: TypeAlias = Posterior | Bootstrap
Arrow = tuple[str, str]

LIKELY = 0.7
WORDS = ((0.99, "as good as certain"), (0.9, "very likely"), (LIKELY, "likely"), (0.3, "uncertain"), (0.0, "doubtful"))
"""How probabilities of connections are said, from so much on."""
NEVER_THERE = "the connection is never there"
NOT_SUMMED = "not known: outside the limits below"


def joined(sureness: Sureness, a: str, b: str) -> float:
    """Return how probable it is that two variables are connected directly, in either direction."""
    if isinstance(sureness, Bootstrap):
        return min(sureness.strength(a, b), 1.0)
    return min(float(sureness.edge(a, b)) + float(sureness.edge(b, a)), 1.0)


def in_words(chance: float) -> str:
    """Return a probability as people say it.

    Examples
    --------
    >>> in_words(0.995), in_words(0.62)
    ('as good as certain', 'uncertain, 62 %')
    """
    words = next(words for least, words in WORDS if chance >= least)
    return f"{words}, {100 * chance:.0f} %" if chance < WORDS[0][0] else words


def connections(sureness: Sureness, graph: LDAG, least: float) -> Iterator[tuple[str, str, bool, float]]:
    """Go through the pairs that are drawn or not improbable, the surest first: both, whether drawn, how probable."""
    drawn = {frozenset(edge): edge for edge in graph.edges}
    names = [variable.name for variable in sureness.variables]
    pairs = {frozenset(pair): pair for pair in combinations(names, 2)} | drawn
    chances = [(joined(sureness, *pair), pair) for pair in pairs.values()]
    for chance, pair in sorted(chances, key=lambda one: (-round(one[0], 9), one[1])):
        is_drawn = frozenset(pair) in drawn
        if is_drawn or chance >= least:
            yield (*pair, is_drawn, chance)


def exception_chance(sureness: Sureness, graph: LDAG, edge: Arrow) -> float | str:
    """Return the probability of a label's least certain entry, given the edge; or why there is none."""
    others = [name for name in graph.parents(edge[1]) if name != edge[0]]
    contexts: list[Context] = [dict(zip(others, entry, strict=True)) for entry in sorted(graph.label(*edge), key=str)]
    if isinstance(sureness, Posterior) and float(sureness.edge(*edge)) == 0:
        return NEVER_THERE
    n_cases = graph.structure.families[graph.schema.node(edge[1])].partition.grid.size
    if isinstance(sureness, Posterior) and not sureness.priors.sums_labels(n_cases):
        return NOT_SUMMED
    try:
        return min(float(sureness.label(*edge, context=context)) for context in contexts)
    except ArgumentError:  # a bootstrap that never learned the edge
        return NEVER_THERE
