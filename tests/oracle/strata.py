"""All stratified graphs of a few variables, each once, with their weights."""

from collections.abc import Sequence

from tests.oracle import partitions as oracle
from tests.oracle.chordal import Pair
from tests.oracle.posterior import Question
from tests.oracle.search_perfect import perfect_dags

Stratum = tuple[Pair, frozenset[int], frozenset[tuple[int, ...]]]
"""An edge, the nodes that its stratum is about, ascending, and their configurations."""

StratifiedGraph = tuple[frozenset[Pair], frozenset[Stratum]]


def strata_of(
    n_states: Sequence[int], node: int, parents: tuple[int, ...], classes: tuple[int, ...]
) -> frozenset[Stratum]:
    """The labels of a family, without arrows."""
    sizes = tuple(n_states[p] for p in parents)
    cells = oracle.cells_of(sizes)
    found = []
    for axis, parent in enumerate(parents):
        members: dict[tuple[int, ...], set[int]] = {}
        for cell, number in zip(cells, classes, strict=True):
            members.setdefault(cell[:axis] + cell[axis + 1 :], set()).add(number)
        held = frozenset(rest for rest, numbers in members.items() if len(numbers) == 1)
        if held and len(parents) > 1:
            found.append((frozenset((parent, node)), frozenset(parents) - {parent}, held))
    return frozenset(found)


def all_stratified(question: Question, max_parents: int) -> dict[StratifiedGraph, float]:
    """Go through all perfect DAGs with all labels; each graph without arrows has one log weight."""
    n = len(question.n_states)
    dags = [dag for dag in perfect_dags(n) if max(map(len, dag)) <= max_parents]
    families = {
        (node, above): [
            (strata_of(question.n_states, node, above, classes), weight)
            for classes, weight in question.family(node, above)
        ]
        for node, above in {family for dag in dags for family in enumerate(dag)}
    }
    graphs: dict[StratifiedGraph, float] = {}
    for dag in dags:
        edges = frozenset(frozenset((i, j)) for j, above in enumerate(dag) for i in above)
        choices: list[tuple[frozenset[Stratum], float]] = [(frozenset(), 0.0)]
        for family in enumerate(dag):
            choices = [(strata | more, w + x) for strata, w in choices for more, x in families[family]]
        for strata, weight in choices:
            known = graphs.setdefault((edges, strata), weight)
            assert abs(known - weight) < 1e-7, "orientations of one graph weigh the same"
    return graphs
