"""Joint distributions by enumeration, and what is computed from them; partitions compared pair by pair."""

from itertools import combinations, product
from math import inf, log

from ldag import Network
from ldag.model import State

Joint = dict[frozenset[tuple[str, State]], float]


def joint(net: Network) -> Joint:
    """The probability of every assignment, by multiplying the tables of all nodes."""
    states = {variable.name: variable.states for variable in net.variables}
    found: Joint = {}
    for codes in product(*states.values()):
        row = dict(zip(states, codes, strict=True))
        probability = 1.0
        for name in states:
            partition = net.ldag.partition(name)
            configurations = list(product(*(states[parent] for parent in partition.parents)))
            place = configurations.index(tuple(row[parent] for parent in partition.parents))
            probability *= net.parameters(name)[partition.classes[place]][states[name].index(row[name])]
        found[frozenset(row.items())] = probability
    return found


def divergence(p: Joint, q: Joint) -> float:
    """The sum of p log(p / q), term by term."""
    assert p.keys() == q.keys()
    if any(q[row] == 0 for row, probability in p.items() if probability > 0):
        return inf
    return sum(probability * log(probability / q[row]) for row, probability in p.items() if probability > 0)


def entropy(p: Joint) -> float:
    """The sum of - p log p."""
    return -sum(probability * log(probability) for probability in p.values() if probability > 0)


def adjusted_rand(a: list[int], b: list[int]) -> float:
    """(index - expected) / (maximum - expected), over all pairs of cells; 1 if the partitions are equal."""
    pairs = list(combinations(range(len(a)), 2))
    in_a = sum(a[i] == a[j] for i, j in pairs)
    in_b = sum(b[i] == b[j] for i, j in pairs)
    both = sum(a[i] == a[j] and b[i] == b[j] for i, j in pairs)
    if in_a == in_b == both:
        return 1.0
    expected = in_a * in_b / len(pairs)
    return (both - expected) / ((in_a + in_b) / 2 - expected)
