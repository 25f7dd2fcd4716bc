"""What a comparison of two graphs or networks found, by name: as values, as text and for JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isinf, isnan
from statistics import fmean
from typing import Unpack

from ldag.comparing.structures import LabelAgreement
from ldag.drawing import Change, Picture, PictureEdge, PictureNode, legend_of
from ldag.errors import ArgumentError
from ldag.formats import Context, Edge, counted
from ldag.graph import MOST_LABELS, Drawable, PictureOptions, absent_if
from ldag.model import Variable
from ldag.reporting import Figure, Listing, write_fragment


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

    def in_words(self, variables: Sequence[Variable]) -> tuple[str, ...]:
        """Return the lines for an edge that both graphs have."""
        if self.agree:
            return absent_if(self.first, variables)
        return (*_said("first", self.first, variables), *_said("second", self.second, variables))


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

    def picture(self, **options: Unpack[PictureOptions]) -> Picture:
        """Return the edges of both graphs in one picture; for the library itself."""
        if set(options) - {"direction", "title"}:
            raise ArgumentError("a picture of two graphs takes direction and title only")
        changes: dict[Edge, Change] = dict.fromkeys(self.common_edges, "")
        changes.update(dict.fromkeys(self.missing_edges, "missing"))
        changes.update(dict.fromkeys(self.extra_edges, "extra"))
        changes.update(dict.fromkeys(self.reversed_edges, "reversed"))
        names = [variable.name for variable in self.variables]
        drawn = len(self.edge_labels) <= MOST_LABELS
        edges = tuple(
            PictureEdge(
                names.index(edge[0]),
                names.index(edge[1]),
                label=self._label_lines(edge) if drawn else (),
                change=change,
                note="" if drawn else "; ".join(self._label_lines(edge)),
            )
            for edge, change in changes.items()
        )
        legend = [legend_of(edges)]
        if not drawn:
            legend.append(f"{len(self.edge_labels)} edges have labels that are not drawn")
        title = options.get("title") or "Two graphs compared"
        nodes = tuple(PictureNode(name) for name in names)
        return Picture(nodes, edges, tuple(filter(None, legend)), title, options.get("direction", "down"))

    def _label_lines(self, edge: Edge) -> tuple[str, ...]:
        """Return what the two graphs say about an edge; of one that only one graph has this way, what that one says."""
        labels = self.edge_labels.get(edge, EdgeLabels())
        if edge in self.common_edges:
            return labels.in_words(self.variables)
        return absent_if(labels.second if edge in self.extra_edges else labels.first, self.variables)

    def __repr__(self) -> str:
        return (
            f"<Comparison: {counted(len(self.common_edges), 'edge')} in both, {len(self.missing_edges)} missing,"
            f" {len(self.extra_edges)} extra, {len(self.reversed_edges)} reversed>"
        )

    def _repr_html_(self) -> str:
        return write_fragment([Figure(self.to_svg()), Listing(str(self))])

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


def _said(graph: str, label: tuple[Context, ...], variables: Sequence[Variable]) -> tuple[str, ...]:
    """Return a label's lines, the first of which names the graph."""
    lines = absent_if(label, variables) or ("no label",)
    return (f"{graph}: {lines[0]}", *lines[1:])


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
