"""What many graphs say together: `Bootstrap`, with strengths, directions, labels, a consensus, pictures and files."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self, get_args

import numpy as np

from ldag.checks import check_share
from ldag.data import Backend, make_frame
from ldag.drawing import Drawable
from ldag.errors import ArgumentError
from ldag.formats import (
    Context,
    DocumentRecord,
    Edge,
    EdgeRecord,
    counted,
    edge_in_words,
    read_document,
    read_variables,
    write_document,
    write_variables,
)
from ldag.graph import LDAG
from ldag.model import CodedFamily, Grid, Partition, Schema, State, Structure, Variable
from ldag.reasoning import is_satisfied
from ldag.uncertainty.strengths import (
    Directions,
    EdgeStrength,
    EdgeStrengths,
    consensus_arcs,
    edge_strengths,
    significance_threshold,
)

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

SHOWN_STRENGTH = 0.05
SHOWN_LABEL = 0.1
"""What is rarer is counted, not listed, when a bootstrap is printed."""


class LabelShare(NamedTuple):
    """A label entry: the share of graphs with edge and entry, and the share of those with the edge that have it."""

    parent: str
    child: str
    context: Context
    share: float
    given_edge: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Bootstrap(Drawable):
    """Graphs learned from rows drawn again, and how often they agree; made by `bootstrap`.

    ``graphs`` are the different graphs with how often each was learned, the most frequent first; ``arcs`` the share of
    every arc, an edge that may point either way being half an arc each way; ``firm`` the share of graphs that have an
    arc and determine its direction. ``n_asked`` searches were asked for; where some did not come to their end,
    ``notes`` says how many are left out.
    """

    graphs: tuple[tuple[LDAG, int], ...]
    arcs: Mapping[Edge, float]
    directions: Directions
    kappa: float | None
    method: str
    settings: Mapping[str, object]
    n_observations: float
    seconds: float
    n_asked: int
    firm: Mapping[Edge, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """How many graphs were learned."""
        return sum(count for _, count in self.graphs)

    @property
    def schema(self) -> Schema:
        """The variables, for the library itself."""
        return self.graphs[0][0].schema

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables, in the order of the data."""
        return self.schema.variables

    @cached_property
    def edges(self) -> EdgeStrengths:
        """Every ordered pair with strength and direction, the strongest first."""
        return edge_strengths(self.schema.names, self.arcs)

    @property
    def threshold(self) -> float:
        """The strength above which pairs count as joined, as bnlearn's ``inclusion.threshold`` chooses it."""
        return significance_threshold(edge.strength for edge in self.edges)

    def strength(self, a: str, b: str) -> float:
        """Return the share of graphs in which two variables are joined."""
        self._pair(a, b)
        return self.arcs.get((a, b), 0.0) + self.arcs.get((b, a), 0.0)

    def direction(self, parent: str, child: str) -> float:
        """Return how much of the strength of a pair counts for this direction; 0 if they are never joined."""
        strength = self.strength(parent, child)
        return self.arcs.get((parent, child), 0.0) / strength if strength else 0.0

    def determined(self, parent: str, child: str) -> float:
        """Return the share of graphs with an edge whose direction is determined, by ``directions``."""
        self._pair(parent, child)
        return self.firm.get((parent, child), 0.0)

    def label(self, parent: str, child: str, *, context: Mapping[str, State]) -> float:
        """Return the share of graphs with an edge in which it vanishes in a context.

        An edge vanishes there if its label holds every configuration of the other parents that agrees with the context.
        Edges count in the direction that the search returned.
        """
        i, j = self._pair(parent, child)
        codes = self.schema.context(context, "context: ")
        if not codes or {i, j} & set(codes):
            raise ArgumentError(f"context must name variables other than {parent!r} and {child!r}, got {dict(context)}")
        vanishing, joined = self._vanishing(i, j, codes)
        if not joined:
            raise ArgumentError(f"there is never an edge {parent} -> {child}, so it has no label")
        return vanishing / joined

    def labels(self, threshold: float = SHOWN_LABEL) -> tuple[LabelShare, ...]:
        """Return the label entries by single variables that more than a share of the graphs have, the commonest first.

        Each context names one variable; others may have any state.
        """
        check_share(threshold, "threshold")
        found = []
        for i, j, k in sorted(self._labelled_triples):
            for code, state in enumerate(self.schema[k].states):
                vanishing, joined = self._vanishing(i, j, {k: code})
                if vanishing and vanishing / self.n > threshold:
                    parent, child, other = (self.schema[node].name for node in (i, j, k))
                    found.append(LabelShare(parent, child, {other: state}, vanishing / self.n, vanishing / joined))
        return tuple(sorted(found, key=lambda label: -label.share))

    def consensus(self, threshold: float | None = None) -> LDAG:
        """Return one acyclic graph of the pairs that are stronger than a threshold; unless given, `threshold`.

        Directions are those of the majority, and where that would close a cycle the weaker edge is left out, as in
        bnlearn's ``averaged.network``; edges without a majority are directed so that no cycle arises. An edge has the
        labels that more than half of the graphs with that edge have.

        Examples
        --------
        >>> import ldag
        >>> boot = ldag.bootstrap(ldag.datasets.load("heart"), 20, kappa=0.1)
        >>> boot.consensus(0.9).edges
        (('physical', 'smoking'), ('mental', 'physical'))
        """
        limit = self.threshold if threshold is None else check_share(threshold, "threshold")
        arcs = [self.schema.nodes(arc) for arc in consensus_arcs(self.schema.names, self.edges, limit)]
        families = [
            self._consensus_family(node, tuple(sorted(i for i, j in arcs if j == node)))
            for node in range(len(self.schema))
        ]
        return LDAG(self.schema, Structure(self.schema.n_states, tuple(families)))

    def to_frame(self, backend: Backend = "pandas") -> "IntoDataFrame":
        """Return a dataframe with the columns of bnlearn's ``boot.strength``: from, to, strength, direction."""
        columns = {
            "from": np.array([edge.parent for edge in self.edges], dtype=object),
            "to": np.array([edge.child for edge in self.edges], dtype=object),
            "strength": np.array([edge.strength for edge in self.edges]),
            "direction": np.array([edge.direction for edge in self.edges]),
        }
        return make_frame(columns, backend)

    def summary(self) -> dict[str, object]:
        """Return what is printed as plain values."""
        return {
            "n": self.n,
            "n_asked": self.n_asked,
            "notes": self.notes,
            "n_different": len(self.graphs),
            "kappa": self.kappa,
            "method": self.method,
            "directions": self.directions,
            "threshold": self.threshold,
            "edges": [edge._asdict() | {"determined": self.determined(edge.parent, edge.child)} for edge in self.edges],
            "labels": [label._asdict() for label in self.labels()],
            "consensus": [list(edge) for edge in self.consensus().edges],
            "seconds": self.seconds,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, which `load` can read once they are written as JSON."""
        families = {f: place for place, f in enumerate(dict.fromkeys(self._numbered_families()))}
        return {
            "format": "ldag bootstrap",
            "version": 1,
            "variables": write_variables(self.schema),
            "n": self.n,
            "n_asked": self.n_asked,
            "notes": list(self.notes),
            "n_observations": self.n_observations,
            "directions": self.directions,
            "kappa": self.kappa,
            "method": self.method,
            "settings": dict(self.settings),
            "seconds": self.seconds,
            "threshold": self.threshold,
            "arcs": [
                {"from": a, "to": b, "share": share, "determined": self.firm.get((a, b), 0.0)}
                for (a, b), share in sorted(self.arcs.items())
            ],
            "families": [
                {"node": node, "parents": list(f.parents), "classes": f.partition.to_array().tolist()}
                for node, f in families
            ],
            "graphs": [
                {"count": count, "families": [families[one] for one in enumerate(graph.structure.families)]}
                for graph, count in self.graphs
            ],
        }

    def _save_file(self, path: str | os.PathLike[str]) -> None:
        write_document(DocumentRecord("bootstrap", self.to_dict()), path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file that `save` wrote."""
        return read_document(path, "bootstrap", cls.from_dict)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read what `to_dict` returns."""
        return cls(**_fields(content))

    def __repr__(self) -> str:
        return f"<Bootstrap: {counted(self.n, 'graph')} of {counted(len(self.schema), 'variable')}>"

    def __str__(self) -> str:
        return "\n".join(self._text())

    def _text(self) -> Iterator[str]:
        """Go through the lines of the printed form."""
        most = self.graphs[0][1]
        priced = "" if self.kappa is None else f", kappa {self.kappa:g}"
        yield (
            f"Bootstrap of {counted(self.n, 'graph')} of {counted(len(self.schema), 'variable')}, each from"
            f" {counted(self.n_observations, 'row')} drawn again"
        )
        yield f"method: {self.method}{priced}, {self.seconds:.2f} s; directions: {self.directions}"
        yield from (f"note: {note}" for note in self.notes)
        yield f"{counted(len(self.graphs), 'different graph')}, the commonest {most} of {self.n} times"
        pairs = [edge for edge in self._one_per_pair() if edge.strength >= SHOWN_STRENGTH]
        width = max(len(f"{edge.parent} -> {edge.child}") for edge in pairs) if pairs else 0
        if pairs:
            yield f"{'edges':<{width + 2}}  strength  direction  determined"
        for edge in pairs:
            mark = "" if edge.strength > self.threshold + 1e-12 else "  not significant"
            sure = self.determined(edge.parent, edge.child)
            arrow = "->" if 2 * sure > edge.strength + 1e-12 else "-"
            numbers = f"{edge.strength:8.2f}  {edge.direction:9.2f}  {sure:10.2f}"
            yield f"  {f'{edge.parent} {arrow} {edge.child}':<{width}}  {numbers}{mark}"
        if any(2 * self.determined(edge.parent, edge.child) <= edge.strength + 1e-12 for edge in pairs):
            yield 'a "-" has no direction: most graphs with that edge leave it open'
        yield f"significant: strength above {self.threshold:g}"
        labels = self.labels()
        if labels:
            yield "labels: share of graphs, and of those with the edge"
        for label in labels:
            said = edge_in_words(EdgeRecord(label.parent, label.child, (label.context,)), self.variables)
            yield f"  {label.share:.2f}  {label.given_edge:.2f}  {said}"

    def _one_per_pair(self) -> Iterator[EdgeStrength]:
        """Go through the pairs, each in its commoner direction."""
        seen: set[frozenset[str]] = set()
        for edge in self.edges:
            pair = frozenset((edge.parent, edge.child))
            if pair not in seen:
                seen.add(pair)
                yield edge

    def _pair(self, a: str, b: str) -> tuple[int, int]:
        """Return two different variables by number."""
        i, j = self.schema.node(a), self.schema.node(b)
        if i == j:
            raise ArgumentError(f"expected two different variables, got {a!r} twice")
        return i, j

    def _numbered_families(self) -> Iterator[tuple[int, CodedFamily]]:
        for graph, _ in self.graphs:
            yield from enumerate(graph.structure.families)

    @cached_property
    def _labelled_triples(self) -> set[tuple[int, int, int]]:
        """Return parent, child and another parent wherever the edge has a label."""
        return {
            (family.parents[axis], node, other)
            for node, family in self._numbered_families()
            for axis in family.labelled_axes
            for other in family.parents
            if other != family.parents[axis]
        }

    def _vanishing(self, i: int, j: int, context: Mapping[int, int]) -> tuple[int, int]:
        """Return how many graphs have an edge that vanishes in a context, and how many have the edge."""
        vanishing = joined = 0
        for graph, count in self.graphs:
            family = graph.structure.families[j]
            if i in family.parents:
                joined += count
                axis = family.parents.index(i)
                vanishing += count if axis in family.labelled_axes and is_satisfied(family, axis, context) else 0
        return vanishing, joined

    def _consensus_family(self, node: int, parents: tuple[int, ...]) -> CodedFamily:
        """Return a family with the labels of the majority; the rarest go where an edge would vanish everywhere."""
        grid = Grid(tuple(self.schema.n_states[parent] for parent in parents))
        labelled = {i for i, j, _ in self._labelled_triples if j == node}
        if not labelled & set(parents):
            return CodedFamily.table(parents, grid)
        entries = []
        for axis, parent in enumerate(parents):
            if parent not in labelled:
                continue
            others = tuple(p for p in parents if p != parent)
            for place, codes in enumerate(np.ndindex(*(self.schema.n_states[p] for p in others))):
                vanishing, joined = self._vanishing(parent, node, dict(zip(others, codes, strict=True)))
                if 2 * vanishing > joined:
                    entries.append((-vanishing / joined, axis, place))
        labels = [np.zeros(grid.size // n_states, dtype=np.bool_) for n_states in grid.n_states]
        for _, axis, place in sorted(entries):
            labels[axis][place] = True
            if Partition.from_labels(grid, labels).irrelevant_axes():
                labels[axis][place] = False
        return CodedFamily.from_partition(parents, Partition.from_labels(grid, labels))


def _fields(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a bootstrap."""
    schema = read_variables(content["variables"])
    families = []
    for f in content["families"]:
        grid = Grid(tuple(schema.n_states[parent] for parent in f["parents"]))
        families.append(CodedFamily.from_partition(tuple(f["parents"]), Partition.of(grid, f["classes"])))
    graphs = tuple(
        (LDAG(schema, Structure(schema.n_states, tuple(families[place] for place in one["families"]))), one["count"])
        for one in content["graphs"]
    )
    if content["directions"] not in get_args(Directions) or not graphs:
        raise ValueError(content["directions"])
    arcs = {(arc["from"], arc["to"]): arc["share"] for arc in content["arcs"]}
    firm = {(arc["from"], arc["to"]): arc["determined"] for arc in content["arcs"] if arc.get("determined")}
    same = ("directions", "kappa", "method", "settings", "n_observations", "seconds")
    n_asked = content.get("n_asked", sum(count for _, count in graphs))  # older files have all that were asked for
    told = {"n_asked": n_asked, "notes": tuple(content.get("notes", ()))}
    return {"graphs": graphs, "arcs": arcs, "firm": firm, **told, **{name: content[name] for name in same}}
