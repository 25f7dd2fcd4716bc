"""Independence by brute force: the whole joint table under random parameters, in plain floating point."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ldag import LDAG
from ldag.model import State

Joint = NDArray[np.float64]
Parameters = Mapping[str, Sequence[Sequence[float]]]


def random_parameters(graph: LDAG, rng: np.random.Generator) -> Parameters:
    """One uniform distribution per class of every node."""
    return {
        v.name: [list(rng.dirichlet([1.0] * len(v.states))) for _ in set(graph.partition(v.name).classes)]
        for v in graph.variables
    }


def joint(graph: LDAG, parameters: Parameters) -> Joint:
    """The probability of every assignment, one axis per variable, one assignment at a time."""
    sizes = {v.name: len(v.states) for v in graph.variables}
    names = list(sizes)
    table = np.ones([sizes[name] for name in names])
    for codes in np.ndindex(*table.shape):
        state = dict(zip(names, codes, strict=True))
        for name in names:
            partition = graph.partition(name)
            configuration = 0
            for parent in partition.parents:
                configuration = configuration * sizes[parent] + state[parent]
            table[codes] *= parameters[name][partition.classes[configuration]][state[name]]
    return table


def marginal(graph: LDAG, table: Joint, keep: Sequence[str], context: Mapping[str, State]) -> Joint:
    """p(keep, context) with the axes in the order of ``keep``."""
    names = [v.name for v in graph.variables]
    index = tuple(v.states.index(context[v.name]) if v.name in context else slice(None) for v in graph.variables)
    left = [name for name in names if name not in context]
    rest = table[index]
    summed = rest.sum(axis=tuple(i for i, name in enumerate(left) if name not in keep))
    kept = [name for name in left if name in keep]
    return np.asarray(summed).transpose([kept.index(name) for name in keep])


def is_independent(
    graph: LDAG, table: Joint, a: str, b: str, given: Sequence[str], context: Mapping[str, State]
) -> bool:
    """p(a,b,s,c) p(s,c) = p(a,s,c) p(b,s,c), up to rounding."""
    p = marginal(graph, table, [a, b, *given], context)
    scaled = p / p.sum()
    left = scaled * scaled.sum(axis=(0, 1), keepdims=True)
    right = scaled.sum(axis=1, keepdims=True) * scaled.sum(axis=0, keepdims=True)
    return bool(np.allclose(left, right, rtol=1e-9, atol=1e-15))


def always_independent(
    graph: LDAG, a: str, b: str, given: Sequence[str], context: Mapping[str, State], n_draws: int = 3
) -> bool:
    """Independent under each of a few random draws of the parameters."""
    rng = np.random.default_rng(20)
    tables = [joint(graph, random_parameters(graph, rng)) for _ in range(n_draws)]
    return all(is_independent(graph, table, a, b, given, context) for table in tables)
