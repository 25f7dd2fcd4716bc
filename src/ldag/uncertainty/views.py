"""A posterior as people read it: tables of edges and labels, a consensus graph, and print."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ldag.checks import check_share
from ldag.data import Backend, make_frame
from ldag.drawing import Drawable
from ldag.formats import Context, EdgeRecord, counted, edge_in_words
from ldag.graph import LDAG
from ldag.model import CodedFamily, Partition, Structure
from ldag.uncertainty.answers import PosteriorAnswers
from ldag.uncertainty.consensus import consensus_edges

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

SHOWN_EDGE = 0.05
SHOWN_LABEL = 0.1
"""What is less probable is counted, not listed, when a posterior is printed."""
CERTAIN = 0.99


class EdgeChance(NamedTuple):
    """The probability of an edge, and of one between the two in either direction."""

    parent: str
    child: str
    probability: float
    either_direction: float
    mc_error: float


class LabelChance(NamedTuple):
    """A label entry: the probability of edge and entry together, and of the entry given the edge."""

    parent: str
    child: str
    context: Context
    probability: float
    given_edge: float


class EdgeChances(tuple[EdgeChance, ...], Drawable):
    """All possible edges, the most probable first: a tuple that draws itself as bars."""

    def __repr__(self) -> str:
        likely = sum(edge.probability > 0.5 for edge in self)
        return f"<EdgeChances: {counted(len(self), 'possible edge')}, {likely} above 0.5>"


class PosteriorViews(PosteriorAnswers):
    """Tables and texts."""

    @property
    def edges(self) -> EdgeChances:
        """Every possible edge, the most probable first."""
        found = []
        for parent in self.names:
            for child in self.names:
                if parent != child:
                    i, j = self._pair(parent, child)
                    p, either = float(self._edges[i, j]), float(self._edges[i, j] + self._edges[j, i])
                    found.append(EdgeChance(parent, child, p, min(either, 1.0), self._edge_error(i, j)))
        return EdgeChances(sorted(found, key=lambda e: -round(e.probability, 12)))

    def to_frame(self, backend: Backend = "pandas") -> "IntoDataFrame":
        """Return the edges as a dataframe: from, to, probability, either_direction, mc_error, determined."""
        columns = {
            "from": np.array([edge.parent for edge in self.edges], dtype=object),
            "to": np.array([edge.child for edge in self.edges], dtype=object),
            "probability": np.array([edge.probability for edge in self.edges]),
            "either_direction": np.array([edge.either_direction for edge in self.edges]),
            "mc_error": np.array([edge.mc_error for edge in self.edges]),
            "determined": np.array([float(self.determined(edge.parent, edge.child)) for edge in self.edges]),
        }
        return make_frame(columns, backend)

    def labels(self, threshold: float = SHOWN_LABEL) -> tuple[LabelChance, ...]:
        """Return the label entries by single variables whose edge and entry together are more probable than that.

        Each context names one variable; others may have any state.
        """
        check_share(threshold, "threshold")
        found = []
        for edge in self.edges:
            if edge.probability <= threshold:
                break
            i, j = self._pair(edge.parent, edge.child)
            for other in self.names:
                k = self.schema.node(other)
                if k in (i, j) or not self._share_a_child(i, k, j, threshold):
                    continue
                for code, state in enumerate(self.schema[k].states):
                    vanishing, whole = self._vanishing(i, j, {k: code})
                    if vanishing > threshold:
                        found.append(LabelChance(edge.parent, edge.child, {other: state}, vanishing, vanishing / whole))
        return tuple(sorted(found, key=lambda label: -round(label.probability, 12)))

    def _share_a_child(self, i: int, k: int, j: int, threshold: float) -> bool:
        """Whether two variables are parents of a third together with more than some probability."""
        total = 0.0
        for component in self.components:
            total += component.weight * sum(p for parents, p in component.likely(j) if i in parents and k in parents)
        return total > threshold

    def consensus(self, threshold: float = 0.5) -> LDAG:
        """Return one graph: the acyclic edges and, for each node, the labels that are more probable than a threshold.

        Labels are given the consensus parents of a node; where several together would make an edge vanish everywhere,
        the least probable are left out.

        Examples
        --------
        >>> import ldag
        >>> post = ldag.posterior(ldag.datasets.load("heart"), kappa=0.3, max_parents=3)
        >>> [edge for edge in post.consensus().edges if edge[1] == "pressure"]
        [('smoking', 'pressure'), ('protein', 'pressure')]
        """
        check_share(threshold, "threshold", inside=True)
        n = len(self.schema)
        chances = {(i, j): float(self._edges[i, j]) for i in range(n) for j in range(n) if i != j}
        chosen = consensus_edges(n, chances, threshold)
        families = []
        for node in range(n):
            parents = tuple(sorted(i for i, j in chosen if j == node))
            families.append(self._consensus_family(node, parents, threshold))
        return self._graph(Structure(self.schema.n_states, tuple(families)))

    def _consensus_family(self, node: int, parents: tuple[int, ...], threshold: float) -> CodedFamily:
        grid = self.families.grid(parents)
        if len(parents) < 2 or not any(parents in component.sets[node] for component in self.components):
            return CodedFamily.table(parents, grid)
        entries = []
        for axis, n_states in enumerate(grid.n_states):
            for line in range(grid.size // n_states):
                inside = sum(
                    c.weight * self.families.of(node, parents, c.kappa).all_inside([(axis, line)])
                    for c in self.components
                )
                if inside > threshold:
                    entries.append((-inside, axis, line))
        labels = [np.zeros(grid.size // n, dtype=np.bool_) for n in grid.n_states]
        for _, axis, line in sorted(entries):
            labels[axis][line] = True
            if Partition.from_labels(grid, labels).irrelevant_axes():
                labels[axis][line] = False
        return CodedFamily.from_partition(parents, Partition.from_labels(grid, labels))

    def __repr__(self) -> str:
        return f"<Posterior over graphs of {counted(len(self.schema), 'variable')}, {self.method}>"

    def __str__(self) -> str:
        return "\n".join(self._text())

    def _text(self) -> Iterator[str]:
        """Go through the lines of the printed form."""
        yield (
            f"Posterior over labelled DAGs of {counted(len(self.schema), 'variable')}, from"
            f" {counted(self.n_observations, 'observation')}"
        )
        yield f"limits: {self.limits}"
        if self.outside is not None:
            yield f"warning: {self.outside}"
        yield self._said_prior()
        yield f"method: {self.settings['why']}, {self.seconds:.2f} s"
        yield from (f"note: {note}" for note in self.notes)
        if self.diagnostics is not None:
            yield f"chains: {self.diagnostics}"
        yield from self._edge_lines()
        yield from self._label_lines()

    @property
    def limits(self) -> str:
        """What the posterior runs over, in words: graphs and labels outside of that have no probability here."""
        told = self.settings.get("limits")  # which older files do not have
        given = [f"at most {self.settings['max_parents']} parents of a variable"] if told is None else told
        assert isinstance(given, Sequence)
        return "; ".join(given) or ("none, all DAGs" if self.priors.prior == "table" else "none, all DAGs and labels")

    @property
    def outside(self) -> str | None:
        """Where the graph that a search finds lies outside the limits, in words; None if it does not."""
        told = self.settings.get("outside")
        return None if told is None else str(told)

    def summary(self) -> dict[str, object]:
        """Return what is printed as plain values."""
        return {
            "method": self.method,
            "limits": self.limits,
            "outside_limits": self.outside,
            "prior": self.priors.prior,
            "kappas": [{"kappa": kappa, "probability": weight} for kappa, weight in self.kappas.items()],
            "log_evidence": self.log_evidence,
            "edges": [
                edge._asdict() | {"determined": float(self.determined(edge.parent, edge.child))} for edge in self.edges
            ],
            "labels": [label._asdict() for label in self.labels()],
            "diagnostics": None if self.diagnostics is None else self.diagnostics.to_dict(),
            "notes": self.notes,
            "seconds": self.seconds,
        }

    def _said_prior(self) -> str:
        evidence = "" if self.log_evidence is None else f", log evidence {self.log_evidence:.4f}"
        if self.priors.prior == "table":
            return f"prior: every DAG alike, no labels{evidence}"
        graphs = "every DAG alike" if self.priors.prior == "normalised" else "DAGs with more labels weigh more"
        if len(self.components) == 1:
            return f"prior: {self.priors.prior} ({graphs}), kappa {self.components[0].kappa:g}{evidence}"
        likely = ", ".join(f"{kappa:g} ({weight:.2f})" for kappa, weight in self.kappas.items() if weight >= 0.005)
        return f"prior: {self.priors.prior} ({graphs}), averaged over kappa {likely}{evidence}"

    def _edge_lines(self) -> Iterator[str]:
        pairs = []
        for a, b in combinations(self.names, 2):
            forth, back = float(self._edges[self._pair(a, b)]), float(self._edges[self._pair(b, a)])
            first, second = (a, b) if forth >= back else (b, a)
            pairs.append((min(forth + back, 1.0), first, second, max(forth, back), min(forth, back)))
        shown = sorted(
            (pair for pair in pairs if pair[0] >= SHOWN_EDGE), key=lambda pair: (-round(pair[0], 9), pair[1])
        )
        if shown:
            names = max(len(f"{first} - {second}") for _, first, second, _, _ in shown)
            yield f"{'edges':<{names + 2}}  either way   ->     <-   determined ->     <-"
            for either, first, second, forth, back in shown:
                sure = f"{self.determined(first, second):.2f}   {self.determined(second, first):.2f}"
                yield f"  {f'{first} - {second}':<{names}}  {either:10.2f}  {forth:.2f}   {back:.2f}         {sure}"
            how = f"from {self._directions.n_draws:,} drawn graphs" if self._directions.n_draws else "exact"
            yield f"determined: the direction follows from data and constraints ({how}); the rest is the share of DAGs"
        certain = sum(pair[0] >= CERTAIN for pair in pairs)
        absent = sum(pair[0] <= 1 - CERTAIN for pair in pairs)
        yield (
            f"of {counted(len(pairs), 'pair')}: {certain} surely joined, {absent} surely not (99 %),"
            f" {len(pairs) - certain - absent} uncertain"
        )

    def _label_lines(self) -> Iterator[str]:
        found = self.labels()
        if found:
            yield "labels: probability, and given the edge"
        for label in found:
            said = edge_in_words(EdgeRecord(label.parent, label.child, (label.context,)), self.variables)
            yield f"  {label.probability:.2f}  {label.given_edge:.2f}  {said}"
