"""How much one graph or network agrees with another: a learned one with the truth, or two learned ones."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isinf, isnan
from statistics import fmean

from ldag.checks import Rng
from ldag.comparing.divergence import kl_divergence, kl_divergence_estimate
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
from ldag.drawing import Drawable
from ldag.errors import ArgumentError, TooLarge, argument, counted
from ldag.formats import Context, Edge
from ldag.graph import LDAG, align
from ldag.model import Structure, Variable
from ldag.network import Network
from ldag.reasoning import CodedEdge


@dataclass(frozen=True)
class AdjustedRand:
    """Adjusted Rand index of the partitions of each node that has parents in either graph, and their mean."""

    per_node: Mapping[str, float]

    @property
    def mean(self) -> float:
        """Mean over these nodes; 1 if there are none."""
        return fmean(self.per_node.values()) if self.per_node else 1.0


@dataclass(frozen=True)
class EdgeLabels:
    """The labels of one edge in two graphs, each as few contexts; none where a graph has no label or no such edge."""

    first: Sequence[Context] = ()
    second: Sequence[Context] = ()

    @property
    def agree(self) -> bool:
        """Whether both say the same."""
        ours, theirs = ({frozenset(context.items()) for context in label} for label in (self.first, self.second))
        return ours == theirs


@dataclass(frozen=True, repr=False)
class Comparison(Drawable):
    """Where a second graph agrees with a first one, and where not.

    ``missing_edges`` are in the first graph only, ``extra_edges`` in the second only, ``reversed_edges`` in both, the
    other way round in the second. ``labels`` counts the lines of labels of the common edges, ``other_label_lines``
    those of edges that only one graph has, in the first and in the second. ``edge_labels`` has the edges that are
    labelled in either graph; labels are maximal. ``kl_divergence`` is None if there are no parameters;
    ``kl_standard_error`` is None if it is exact.
    """

    common_edges: tuple[Edge, ...]
    missing_edges: tuple[Edge, ...]
    extra_edges: tuple[Edge, ...]
    reversed_edges: tuple[Edge, ...]
    cpdag_distance: int
    labels: LabelAgreement
    other_label_lines: tuple[int, int]
    edge_labels: Mapping[Edge, EdgeLabels]
    variables: tuple[Variable, ...]
    adjusted_rand: AdjustedRand
    dimensions: tuple[int, int]
    kl_divergence: float | None = None
    kl_standard_error: float | None = None

    @property
    def structural_hamming_distance(self) -> int:
        """Edges missing, extra or reversed."""
        return len(self.missing_edges) + len(self.extra_edges) + len(self.reversed_edges)

    @property
    def differing_labels(self) -> tuple[Edge, ...]:
        """Edges of both graphs whose labels differ."""
        return tuple(
            edge for edge in self.common_edges if edge in self.edge_labels and not self.edge_labels[edge].agree
        )

    def __str__(self) -> str:
        return "\n".join(f"{name:<30}{value}" for name, value in self._lines())

    def _lines(self) -> Iterator[tuple[str, str]]:
        yield "edges in both", _edges(self.common_edges, listed=False)
        yield "  missing", _edges(self.missing_edges)
        yield "  extra", _edges(self.extra_edges)
        yield "  reversed", _edges(self.reversed_edges)
        yield "structural Hamming distance", f"{self.structural_hamming_distance}"
        yield "  of the equivalence classes", f"{self.cpdag_distance}"
        yield (
            "label lines of common edges",
            f"{self.labels.n_common} in both, {_in_each(self.labels.n_first, self.labels.n_second)}",
        )
        if any(self.other_label_lines):
            yield "  of other edges", _in_each(*self.other_label_lines)
        yield "  precision", _share(self.labels.precision, "the second has no label on a common edge")
        yield "  recall", _share(self.labels.recall, "the first has no label on a common edge")
        yield "  edges whose labels differ", _edges(self.differing_labels)
        yield "adjusted Rand index, mean", f"{self.adjusted_rand.mean:.4f}"
        yield "free parameters", _in_each(*self.dimensions)
        if self.kl_divergence is not None:
            error = "" if self.kl_standard_error is None else f" ± {self.kl_standard_error:.2g} (standard error)"
            yield "KL divergence in nats", f"{self.kl_divergence:.6g}{error}"

    def __repr__(self) -> str:
        return (
            f"<Comparison: {counted(len(self.common_edges), 'edge')} in both, {len(self.missing_edges)} missing,"
            f" {len(self.extra_edges)} extra, {len(self.reversed_edges)} reversed>"
        )

    def to_dict(self) -> dict[str, object]:
        """Return plain values for JSON: None for what is not a number, "inf" for infinity."""
        return {
            "common_edges": self.common_edges,
            "missing_edges": self.missing_edges,
            "extra_edges": self.extra_edges,
            "reversed_edges": self.reversed_edges,
            "structural_hamming_distance": self.structural_hamming_distance,
            "cpdag_distance": self.cpdag_distance,
            "labels": {
                "n_first": self.labels.n_first,
                "n_second": self.labels.n_second,
                "n_common": self.labels.n_common,
                "precision": _plain(self.labels.precision),
                "recall": _plain(self.labels.recall),
            },
            "other_label_lines": self.other_label_lines,
            "edge_labels": [
                {"edge": edge, "first": labels.first, "second": labels.second}
                for edge, labels in self.edge_labels.items()
            ],
            "adjusted_rand": {"mean": self.adjusted_rand.mean, "per_node": dict(self.adjusted_rand.per_node)},
            "dimensions": self.dimensions,
            "kl_divergence": _plain(self.kl_divergence),
            "kl_standard_error": _plain(self.kl_standard_error),
        }


def _edges(edges: tuple[Edge, ...], *, listed: bool = True) -> str:
    if not (edges and listed):
        return f"{len(edges)}"
    more = f", and {len(edges) - 8} more" if len(edges) > 8 else ""
    return f"{len(edges)}: " + ", ".join(f"{parent} -> {child}" for parent, child in edges[:8]) + more


def _in_each(first: int, second: int) -> str:
    return f"{first} in the first, {second} in the second"


def _share(value: float, undefined: str) -> str:
    return f"not defined: {undefined}" if isnan(value) else f"{value:.4f}"


def _plain(value: float | None) -> float | str | None:
    """Return a number that JSON has, or None or "inf"."""
    if value is None or isnan(value):
        return None
    return "inf" if isinf(value) else value


__all__ = [
    "AdjustedRand",
    "Comparison",
    "LabelAgreement",
    "adjusted_rand",
    "compare_graphs",
    "label_precision_recall",
    "structural_hamming_distance",
]

GRID_LIMIT = 1 << 24
"""Configurations of the parents that a node has in either graph."""


def compare_graphs(first: LDAG | Network, second: LDAG | Network, n_samples: int | None, rng: Rng) -> Comparison:
    """Compare graphs or networks with arrows, as `ldag.compare` does."""
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
    """Yield the partitions of the nodes that have parents, on one grid each; a grid too large is refused at once."""
    joined = [node for node in range(len(graph.schema)) if a.parents(node) or b.parents(node)]
    for node in joined:
        if (size := union_size(a, b, node)) > GRID_LIMIT:
            raise TooLarge(
                f"the parents that {graph.schema.names[node]!r} has in either graph have {size:,} configurations;"
                f" at most {GRID_LIMIT:,} can be compared; ldag.structural_hamming_distance compares edges alone"
            )
    for node in joined:
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
