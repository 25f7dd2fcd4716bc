"""The best perfect DAG by going through all of them."""

from collections.abc import Callable, Sequence
from functools import cache

from tests.oracle.chordal import all_graphs, parents_along, perfect_orders

Parents = tuple[tuple[int, ...], ...]


@cache
def perfect_dags(n: int) -> tuple[Parents, ...]:
    """All DAGs in which the parents of every node are adjacent to each other."""
    dags = {tuple(parents_along(order, edges)) for edges in all_graphs(n) for order in perfect_orders(n, edges)}
    return tuple(sorted(dags))


def best_perfect(
    n: int, score: Callable[[int, Sequence[int]], float], max_parents: int | None = None
) -> tuple[float, Parents]:
    """Return the highest score, and a DAG that has it."""
    known = {
        family: score(*family) for family in {(v, above) for dag in perfect_dags(n) for v, above in enumerate(dag)}
    }
    most = n if max_parents is None else max_parents
    dags = [dag for dag in perfect_dags(n) if max(map(len, dag)) <= most]
    return max((sum(known[v, above] for v, above in enumerate(dag)), dag) for dag in dags)
