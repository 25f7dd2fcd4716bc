"""How much one graph or network agrees with another: a learned one with the truth, or two learned ones."""

from collections.abc import Iterator

from ldag.checks import Rng
from ldag.comparing.divergence import kl_divergence, kl_divergence_estimate
from ldag.comparing.result import AdjustedRand, Comparison, EdgeLabels
from ldag.comparing.structures import (
    LabelAgreement,
    Overlay,
    adjusted_rand_index,
    compare_edges,
    compare_labels,
    hamming_distance,
    overlay,
    union_size,
)
from ldag.errors import ArgumentError, TooLarge, argument
from ldag.formats import Edge
from ldag.graph import LDAG, align
from ldag.model import Structure
from ldag.network import Network
from ldag.reasoning import CodedEdge

__all__ = [
    "AdjustedRand",
    "Comparison",
    "LabelAgreement",
    "adjusted_rand",
    "compare",
    "label_precision_recall",
    "structural_hamming_distance",
]

GRID_LIMIT = 1 << 24
"""Configurations of the parents that a node has in either graph."""


def compare(
    first: LDAG | Network, second: LDAG | Network, *, n_samples: int | None = None, rng: Rng = None
) -> Comparison:
    """Compare a graph or network with another, the true one first if there is one.

    Parameters
    ----------
    first, second
        Graphs or networks over the same variables and states, in any order. The divergence is there for two networks.
    n_samples
        Estimate the divergence from this many rows, instead of exactly.
    rng
        Seed of these rows, or a numpy Generator; None is 0.

    Examples
    --------
    >>> import ldag
    >>> truth = ldag.simulate.generator10(rng=1)
    >>> dag = ldag.simulate.generator10(labels=False).ldag
    >>> result = ldag.compare(truth, ldag.Network.from_data(dag, truth.sample(1000, rng=1)))
    >>> result.structural_hamming_distance, result.dimensions
    (0, (40, 60))
    """
    both_networks = isinstance(first, Network) and isinstance(second, Network)
    if n_samples is not None and not both_networks:
        raise ArgumentError(f"{argument('n_samples')} is for the divergence of two networks; one of these is a graph")
    if rng is not None and n_samples is None:
        raise ArgumentError(
            f"{argument('rng')} is for a divergence that is estimated; give {argument('n_samples')} too"
        )
    graph, a, b = _align(first, second)
    edges = compare_edges(a, b)
    value, error = _divergence(first, second, n_samples, rng)
    return Comparison(
        common_edges=_name_edges(graph, edges.common),
        missing_edges=_name_edges(graph, edges.missing),
        extra_edges=_name_edges(graph, edges.extra),
        reversed_edges=_name_edges(graph, edges.reversed),
        cpdag_distance=hamming_distance(a, b, of_classes=True),
        labels=_labels(graph, a, b),
        other_label_lines=(_count_lines(a, set(edges.common)), _count_lines(b, set(edges.common))),
        edge_labels=_edge_labels(graph.maximal(), LDAG(graph.schema, b)),
        variables=graph.variables,
        adjusted_rand=_rand_indices(graph, a, b),
        dimensions=(graph.dimension, sum(b.dimension(node) for node in range(len(b)))),
        kl_divergence=value,
        kl_standard_error=error,
    )


def structural_hamming_distance(a: LDAG | Network, b: LDAG | Network, *, cpdag: bool = False) -> int:
    """Return how many pairs of variables are joined in different ways: an edge missing, extra or reversed counts 1.

    Parameters
    ----------
    a, b
        Graphs or networks over the same variables and states, in any order. Labels make no difference.
    cpdag
        Compare the Markov equivalence classes instead (Tsamardinos et al. 2006): a pair may then be joined by an
        arrow, an edge that may point either way, or not at all, and edges that data cannot orient do not count.

    Examples
    --------
    >>> import ldag
    >>> states = {"a": [0, 1], "b": [0, 1], "c": [0, 1]}
    >>> chain = ldag.LDAG.from_edges([("a", "b"), ("b", "c")], states=states)
    >>> back = ldag.LDAG.from_edges([("c", "b"), ("b", "a")], states=states)
    >>> ldag.structural_hamming_distance(chain, back), ldag.structural_hamming_distance(chain, back, cpdag=True)
    (2, 0)
    """
    _, first, second = _align(a, b)
    return hamming_distance(first, second, of_classes=cpdag)


def label_precision_recall(true: LDAG | Network, learned: LDAG | Network) -> LabelAgreement:
    """Compare the labels of the edges that two graphs share, line by line.

    A line is an edge and a configuration of the child's other parents: "the parent makes no difference here". Labels
    are maximal. Where the child has different parents in the two graphs, lines are over the parents it has in either;
    a parent that a graph lacks makes no difference in it. Edges that only one graph has do not count here: they are
    mistakes of the structure, which `structural_hamming_distance` counts.

    Examples
    --------
    >>> import ldag
    >>> states = {"a": [0, 1], "b": [0, 1], "c": [0, 1]}
    >>> edges = [("a", "c"), ("b", "c")]
    >>> true = ldag.LDAG.from_edges(edges, states=states, labels={("b", "c"): [{"a": 0}]})
    >>> learned = ldag.LDAG.from_edges(edges, states=states, labels={("b", "c"): [{"a": 0}], ("a", "c"): [{"b": 0}]})
    >>> result = ldag.label_precision_recall(true, learned)
    >>> result.precision, result.recall
    (0.5, 1.0)
    """
    return _labels(*_align(true, learned))


def adjusted_rand(a: LDAG | Network, b: LDAG | Network) -> AdjustedRand:
    """Compare the classes of each node by the adjusted Rand index: 1 if they are the same, about 0 if by chance.

    Where a node has different parents in the two graphs, both partitions are of the configurations of the parents it
    has in either; a parent that a graph lacks makes no difference in it. Nodes without parents are left out.

    Examples
    --------
    >>> import ldag
    >>> guard = ldag.datasets.graph("guard")
    >>> states = {variable.name: variable.states for variable in guard.variables}
    >>> result = ldag.adjusted_rand(guard, ldag.LDAG.from_edges(guard.edges, states=states))
    >>> dict(result.per_node)
    {'gender': 1.0, 'badge': 0.0}
    """
    return _rand_indices(*_align(a, b))


def _align(first: LDAG | Network, second: LDAG | Network) -> tuple[LDAG, Structure, Structure]:
    """Return the first graph, and both structures in its order."""
    graph, other = (_graph(thing) for thing in (first, second))
    return graph, graph.structure, align(graph.schema, other.schema, other.structure).structure


def _graph(thing: LDAG | Network) -> LDAG:
    if isinstance(thing, Network):
        return thing.ldag
    if not isinstance(thing, LDAG):
        raise ArgumentError(f"expected an LDAG or a Network, got {type(thing).__name__}; a fit has them: fit.network")
    return thing


def _name_edges(graph: LDAG, edges: tuple[CodedEdge, ...]) -> tuple[Edge, ...]:
    names = graph.schema.names
    return tuple((names[parent], names[child]) for parent, child in edges)


def _overlays(graph: LDAG, a: Structure, b: Structure) -> Iterator[tuple[int, Overlay]]:
    """Yield the partitions of the nodes that have parents, on one grid each."""
    for node, variable in enumerate(graph.schema):
        if not (a.parents(node) or b.parents(node)):
            continue
        if (size := union_size(a, b, node)) > GRID_LIMIT:
            raise TooLarge(
                f"the parents that {variable.name!r} has in either graph have {size:,} configurations;"
                f" at most {GRID_LIMIT:,} can be compared"
            )
        yield node, overlay(a, b, node)


def _labels(graph: LDAG, a: Structure, b: Structure) -> LabelAgreement:
    total = LabelAgreement(0, 0, 0)
    for node, both in _overlays(graph, a, b):
        total += compare_labels(both, set(a.parents(node)) & set(b.parents(node)))
    return total


def _count_lines(structure: Structure, common: set[CodedEdge]) -> int:
    """Count the lines of the maximal labels of the edges that are not in common, over the parents they have."""
    return sum(
        int(family.partition.labels[axis].sum())
        for node, family in enumerate(structure.families)
        for axis, parent in enumerate(family.parents)
        if (parent, node) not in common
    )


def _edge_labels(first: LDAG, second: LDAG) -> dict[Edge, EdgeLabels]:
    """Return the labels of every edge that has one in either graph, both of which have the same variables."""
    ours, theirs = (
        {edge: label for edge in graph.edges if (label := graph.label_contexts(*edge))} for graph in (first, second)
    )
    return {edge: EdgeLabels(ours.get(edge, ()), theirs.get(edge, ())) for edge in sorted({*ours, *theirs})}


def _rand_indices(graph: LDAG, a: Structure, b: Structure) -> AdjustedRand:
    names = graph.schema.names
    return AdjustedRand(
        {names[node]: adjusted_rand_index(both.first, both.second) for node, both in _overlays(graph, a, b)}
    )


def _divergence(
    first: LDAG | Network, second: LDAG | Network, n_samples: int | None, rng: Rng
) -> tuple[float | None, float | None]:
    """Return the divergence and its standard error, as far as there are any."""
    if not (isinstance(first, Network) and isinstance(second, Network)):
        return None, None
    if n_samples is None:
        return kl_divergence(first, second), None
    estimate = kl_divergence_estimate(first, second, n_samples, rng)
    return estimate.value, estimate.standard_error
