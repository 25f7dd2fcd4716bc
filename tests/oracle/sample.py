"""Forward sampling row by row in plain Python, with the native generator's numbers, and weights by the formula."""

from itertools import accumulate, product
from math import inf, log

from ldag import Network
from ldag.model import State
from tests.oracle.search_chain import Random

BLOCK = 1024
Row = dict[str, int]


def distribution(net: Network, node: str, row: Row) -> tuple[float, ...]:
    """The probabilities of a node's states, given the codes of its parents."""
    return _table(net, node)[tuple(row[parent] for parent in net.ldag.parents(node))]


def _table(net: Network, node: str) -> dict[tuple[int, ...], tuple[float, ...]]:
    """The distribution in every configuration of the parents."""
    partition = net.ldag.partition(node)
    sizes = {v.name: v.n_states for v in net.variables}
    configurations = product(*(range(sizes[parent]) for parent in partition.parents))
    classes = net.parameters(node)
    return {c: classes[number] for c, number in zip(configurations, partition.classes, strict=True)}


def order(net: Network) -> list[str]:
    """Parents before children, the first in the list of variables where there is a choice."""
    left = [v.name for v in net.variables]
    done: list[str] = []
    while left:
        done.append(next(name for name in left if set(net.ldag.parents(name)) <= set(done)))
        left.remove(done[-1])
    return done


def sample(net: Network, n_rows: int, seed: int, fixed: Row | None = None) -> list[tuple[Row, float]]:
    """Rows of codes with their log weights: in each block, all rows of a node before those of the next."""
    fixed = fixed or {}
    tables = {node: _table(net, node) for node in order(net)}
    found: list[tuple[Row, float]] = []
    for block in range((n_rows + BLOCK - 1) // BLOCK):
        random = Random(seed, block)
        rows: list[Row] = [{} for _ in range(BLOCK)]
        for node, table in tables.items():
            parents = net.ldag.parents(node)
            for row in rows:
                chances = table[tuple(row[parent] for parent in parents)]
                row[node] = fixed[node] if node in fixed else _draw(chances, random.uniform())
        found += [(row, log_weight(net, row, fixed)) for row in rows]
    return found[:n_rows]


def _draw(probabilities: tuple[float, ...], number: float) -> int:
    """The first possible state whose cumulative probability is above the number; the last, if rounding leaves none."""
    possible = [code for code, p in enumerate(probabilities) if p > 0]
    sums = list(accumulate(probabilities))
    return next((code for code in possible if number < sums[code]), possible[-1])


def log_weight(net: Network, row: Row, fixed: Row) -> float:
    """The log probability of the fixed codes given their parents."""
    chances = [distribution(net, node, row)[code] for node, code in fixed.items()]
    return sum((log(p) if p > 0 else -inf for p in chances), 0.0)


def joint(net: Network, states: dict[str, State]) -> float:
    """The probability of a complete row, by the product of its factors."""
    row = {v.name: v.states.index(states[v.name]) for v in net.variables}
    found = 1.0
    for name, code in row.items():
        found *= distribution(net, name, row)[code]
    return found
