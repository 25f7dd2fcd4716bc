"""What a comparison of two graphs or networks found, by name: as values, as text and for JSON."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isinf, isnan
from statistics import fmean

from ldag.comparing.structures import LabelAgreement
from ldag.drawing import Drawable
from ldag.formats import Context, Edge, counted
from ldag.model import Variable


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

    first: tuple[Context, ...] = ()
    second: tuple[Context, ...] = ()

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
