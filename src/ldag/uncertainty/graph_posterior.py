"""How probable graphs and labels are: parent sets with probabilities, at one kappa or several, and what they say."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from math import exp, fsum, log, sqrt
from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from ldag.checks import check_seed, check_share, check_whole, tell_renamed
from ldag.constraints import SearchSpace
from ldag.data import Backend, Dataset
from ldag.errors import ArgumentError
from ldag.graph import LDAG, Names
from ldag.model import Schema, State, Structure, Variable
from ldag.reasoning import Question, csi_separated
from ldag.scoring import Prior, Priors
from ldag.uncertainty.agreement import SHOWN_LABEL, Agreement, Chance, EdgeChance, EdgeChances, LabelChance
from ldag.uncertainty.chains import Diagnostics
from ldag.uncertainty.component import Component, Floats, ParentSet, draw_labelled_dags
from ldag.uncertainty.consensus import consensus_structure, probable_arcs
from ldag.uncertainty.families import FamilyLabels, GraphPrior
from ldag.uncertainty.whole_graphs import (
    N_DIRECTED,
    N_KEPT_DIRECTED,
    DirectionChances,
    draw_directions,
    is_small,
    separation_probability,
    sum_directions,
)

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

PosteriorMethod = Literal["exact", "chain"]

N_STATEMENTS = 2000
"""Graphs drawn for statements that only whole graphs can decide."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class GraphPosterior(Agreement):
    """What a posterior knows, and what follows from it for edges, labels and independencies."""

    schema: Schema
    """Sorted by name, so that the order of columns, ``names``, changes nothing."""
    names: tuple[str, ...]
    prior: GraphPrior
    components: tuple[Component, ...]
    families: FamilyLabels
    method: PosteriorMethod
    diagnostics: Diagnostics | None
    notes: tuple[str, ...]
    settings: Mapping[str, object]
    n_observations: float
    seconds: float
    data: Dataset | None = None
    evidence: Callable[[Dataset], float] | None = None
    space: SearchSpace | None = None
    """The edges that constraints allow; None in a file, which keeps what follows from them."""
    known_directions: DirectionChances | None = None

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables, in the order of the data."""
        return tuple(self.schema[self.schema.node(name)] for name in self.names)

    @property
    def priors(self) -> Priors:
        """The old place of `prior` and of the equivalent sample size."""
        tell_renamed("Posterior.priors", "Posterior.prior and Posterior.kappas")
        return Priors(self.components[0].kappa, self.families.equivalent_sample_size, cast("Prior", self.prior))

    @property
    def kappas(self) -> dict[float, float]:
        """The kappas that were averaged over, with their posterior probabilities; one, usually."""
        return {component.kappa: component.weight for component in self.components}

    @property
    def log_evidence(self) -> float | None:
        """The logarithm of the sum of likelihood and prior over all graphs; None for chains, which do not know it.

        The prior of graphs is not divided by their number. Under prior "normalised" the numbers of different kappas
        can be compared.
        """
        logs = [component.log_evidence for component in self.components]
        known = [one for one in logs if one is not None]
        if len(known) < len(logs):
            return None
        high = max(known)
        return high + log(fsum(exp(one - high) for one in known) / len(known))

    @property
    def limits(self) -> str:
        """What the posterior runs over, in words: graphs and labels outside of that have no probability here."""
        told = self.settings.get("limits")  # which older files do not have
        given = [f"at most {self.settings['max_parents']} parents of a variable"] if told is None else told
        assert isinstance(given, Sequence)
        return "; ".join(given) or ("none, all DAGs" if self.prior == "table" else "none, all DAGs and labels")

    @property
    def outside(self) -> str | None:
        """Where the graph that a search finds lies outside the limits, in words; None if it does not."""
        told = self.settings.get("outside")
        return None if told is None else str(told)

    @cached_property
    def edges(self) -> EdgeChances:
        """Every possible edge, the most probable first."""
        edges = []
        for parent, child in permutations(self.names, 2):
            i, j = self._pair(parent, child)
            p, either = float(self._edges[i, j]), float(self._edges[i, j] + self._edges[j, i])
            edges.append(EdgeChance(parent, child, p, min(either, 1.0), self._edge_error(i, j)))
        return EdgeChances(sorted(edges, key=lambda edge: -round(edge.probability, 12)))

    def edge(self, parent: str, child: str, *, context: Mapping[str, State] | None = None) -> Chance:
        """Return the probability of an edge; with a context, of an edge that does not vanish there.

        Examples
        --------
        >>> import ldag
        >>> post = ldag.posterior(ldag.datasets.load("heart"), kappa=0.3, max_parents=3)
        >>> round(post.edge("smoking", "pressure"), 4)
        0.8268
        """
        i, j = self._pair(parent, child)
        vanishing = 0.0 if context is None else self._weigh_label(i, j, self._other_states(context, i, j))[0]
        return Chance(self._edges[i, j] - vanishing, self._edge_error(i, j))

    def ancestor(self, above: str, below: str) -> Chance:
        """Return the probability that there is a path of edges from one variable to another."""
        i, j = self._pair(above, below)
        error = 0.0 if self.diagnostics is None else float(self.diagnostics.ancestor_errors[i, j])
        return Chance(sum(float(component.weight * component.ancestors[i, j]) for component in self.components), error)

    def parents(self, node: str) -> dict[tuple[str, ...], float]:
        """Return the parent sets of a variable that are more probable than one in a million, the likeliest first."""
        j = self.schema.node(node)
        total: dict[tuple[str, ...], float] = {}
        for component in self.components:
            for parents, probability in component.likely(j):
                names = tuple(sorted((self.schema[p].name for p in parents), key=self.names.index))
                total[names] = total.get(names, 0.0) + component.weight * probability
        likeliest = sorted(total.items(), key=lambda item: (-item[1], len(item[0]), item[0]))
        return {names: probability for names, probability in likeliest if probability > 1e-6}

    def label(
        self, parent: str, child: str, *, context: Mapping[str, State], parents: Iterable[str] | None = None
    ) -> Chance:
        """Return the probability that an edge vanishes in a context, given that there is the edge.

        The context names other variables; an edge vanishes there if its label holds every configuration of the other
        parents that agrees with the context. Where none of the named variables is a parent, it does not vanish, nor
        where `limits` leave a family without labels. With ``parents``, given that these are the parents of the child.

        Examples
        --------
        >>> import ldag
        >>> post = ldag.posterior(ldag.datasets.load("ucb"), kappa=0.3)
        >>> round(post.label("gender", "admitted", context={"department": "B"}), 3)
        0.958
        """
        i, j = self._pair(parent, child)
        only = None if parents is None else tuple(sorted(self.schema.nodes(parents, "parents: ")))
        vanishing, edge = self._weigh_label(i, j, self._other_states(context, i, j), only)
        if edge == 0 and only is not None:
            raise ArgumentError(f"{child!r} never has just these parents, with {parent!r} among them")
        if edge == 0:
            raise ArgumentError(f"there is never an edge {parent} -> {child}, so it has no label")
        return Chance(vanishing / edge, self._edge_error(i, j) / edge if self.diagnostics else 0.0)

    def labels(self, threshold: float = SHOWN_LABEL) -> tuple[LabelChance, ...]:
        """Return the label entries by single variables whose edge and entry together are more probable than that.

        Each context names one variable; others may have any state.
        """
        check_share(threshold, "threshold")
        if threshold < SHOWN_LABEL:
            return super().labels(threshold)
        return tuple(label for label in self._shown_labels if label.probability > threshold)

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
        chances = {(i, j): float(self._edges[i, j]) for i, j in permutations(range(len(self.schema)), 2)}
        arcs = probable_arcs(chances, threshold)
        return self._graph(consensus_structure(self.schema.n_states, arcs, self._line_chance, threshold))

    def sums_labels(self, n_configurations: int) -> bool:
        """Whether labels of families with so many configurations were summed over; for the library itself."""
        return self.families.sums_labels(n_configurations)

    def csi_separated(
        self,
        a: Names,
        b: Names,
        given: Names = (),
        context: Mapping[str, State] | None = None,
        *,
        n_draws: int = N_STATEMENTS,
    ) -> Chance:
        """Return the probability that the graph CSI-separates a and b, as `LDAG.csi_separated` tells.

        Exact where there are few graphs, and otherwise the share of ``n_draws`` drawn ones.

        Examples
        --------
        >>> import ldag
        >>> post = ldag.posterior(ldag.datasets.load("ucb"), kappa=0.3)
        >>> round(post.csi_separated("gender", "admitted", context={"department": "B"}), 3)
        0.997
        """
        question = self._question(a, b, given, context)
        if all(map(is_small, self.components)):
            parts = (c.weight * separation_probability(c, self.families, question) for c in self.components)
            return Chance(sum(parts))
        return self._share(n_draws, lambda structure: _is_separated(structure, question))

    def implies(
        self,
        a: Names,
        b: Names,
        given: Names = (),
        context: Mapping[str, State] | None = None,
        *,
        n_draws: int = N_STATEMENTS,
    ) -> Chance:
        """Return the probability that the graph implies an independence, by the complete decision of `LDAG.implies`.

        It is never smaller than `csi_separated`: what is implied without being separated is counted in drawn graphs,
        and added. A graph for which the decision would be too large does not count.
        """
        question = self._question(a, b, given, context)
        separated = self.csi_separated(a, b, given, context, n_draws=n_draws)

        def is_further(structure: Structure) -> bool:
            if _is_separated(structure, question):
                return False
            verdict = LDAG(self.schema, structure).implies(a, b, given, context)
            return verdict.decided and bool(verdict)

        further = self._share(n_draws, is_further)
        return Chance(separated + further, sqrt(separated.mc_error**2 + further.mc_error**2))

    def determined(self, parent: str, child: str) -> Chance:
        """Return the probability that there is an edge, and that its direction is determined.

        That is: it points the same way in every graph that says the same and that the constraints allow. Only that part
        of the probability of an edge is about the direction; the rest is divided between both by how many DAGs there
        happen to be. Exact where there are few graphs and no labels, and otherwise the share of 1,000 drawn ones.

        Examples
        --------
        >>> import ldag
        >>> post = ldag.posterior(ldag.datasets.load("heart"), kappa=0.3, max_parents=3)
        >>> round(post.edge("mental", "physical"), 2), post.determined("mental", "physical") < 0.1
        (0.4, True)
        """
        i, j = self._pair(parent, child)
        chances = self._directions
        share = min(chances.probabilities[i, j], float(self.edge(parent, child)))  # which draws may exceed
        return Chance(share, float(chances.errors[i, j]))

    def to_frame(self, backend: Backend = "pandas") -> "IntoDataFrame":
        """Return the edges as a dataframe: from, to, probability, either_direction, mc_error, determined."""
        return self._frame(
            backend,
            probability=lambda edge: edge.probability,
            either_direction=lambda edge: edge.either_direction,
            mc_error=lambda edge: edge.mc_error,
            determined=lambda edge: self.determined(edge.parent, edge.child),
        )

    @cached_property
    def _shown_labels(self) -> tuple[LabelChance, ...]:
        return super().labels(SHOWN_LABEL)

    @cached_property
    def _edges(self) -> Floats:
        return np.asarray(sum(component.weight * component.edges for component in self.components))

    @cached_property
    def _directions(self) -> DirectionChances:
        if self.known_directions is not None:
            return self.known_directions
        if self.prior == "table" and all(map(is_small, self.components)):
            return sum_directions(self.components, self.space)
        n_draws = N_DIRECTED if self.space is not None else N_KEPT_DIRECTED
        return draw_directions(self._draw(n_draws, check_seed(None)), self.space)

    def _graph(self, structure: Structure) -> LDAG:
        """Return a structure as a graph, variables in the order of the data."""
        order = [self.schema.node(name) for name in self.names]
        return LDAG(self.schema.reordered(order), structure.reordered(order))

    def _draw(self, n: int, seed: int) -> list[Structure]:
        return draw_labelled_dags(self.components, self.families, n, seed)

    def _share(self, n_draws: int, holds: Callable[[Structure], bool]) -> Chance:
        """Return how often something holds in drawn graphs, looking at equal ones once."""
        n = check_whole(n_draws, "n_draws")
        drawn = Counter(self._draw(n, check_seed(None)))
        share = sum(number for structure, number in drawn.items() if holds(structure)) / n
        return Chance(share, sqrt(max(share * (1 - share), 0.0) / n))

    def _question(self, a: Names, b: Names, given: Names, context: Mapping[str, State] | None) -> Question:
        """Check and translate, as a graph does."""
        graph = LDAG.from_edges([], states={v.name: v.states for v in self.schema})
        return graph.question(a, b, given, context)

    def _edge_error(self, i: int, j: int) -> float:
        return 0.0 if self.diagnostics is None else float(self.diagnostics.edge_errors[i, j])

    def _weigh_label(
        self, i: int, j: int, context: Mapping[int, int], only: ParentSet | None = None
    ) -> tuple[float, float]:
        """Return the probabilities of an edge that vanishes in a context, and of the edge."""
        vanishing = edge = 0.0
        for component in self.components:
            for parents, probability in component.likely(j):
                if i in parents and only in (None, parents):
                    share = component.weight * probability
                    edge += share
                    vanishing += share * self.families.vanishes(j, parents, component.kappa, i, context)
        return vanishing, edge

    def _label_candidates(self, threshold: float) -> Iterator[tuple[int, int, int, int]]:
        """Go through what may be listed, by the families that have most of the probability."""
        for edge in self.edges:
            if edge.probability <= threshold:
                break
            i, j = self._pair(edge.parent, edge.child)
            for k in self.schema.nodes(self.names):
                families = [] if k in (i, j) else self._families_of(j, {i, k})
                if sum(share for share, _, _ in families) > threshold:
                    for code in range(self.schema.n_states[k]):
                        if self._may_vanish(i, j, {k: code}, families, threshold):
                            yield i, j, k, code

    def _families_of(self, j: int, wanted: set[int]) -> list[tuple[float, float, ParentSet]]:
        """Return the likely families of a node in which some others are parents: probability, kappa, parents."""
        families = [
            (component.weight * p, component.kappa, parents)
            for component in self.components
            for parents, p in component.likely(j)
            if wanted.issubset(parents)
        ]
        return sorted(families, reverse=True)

    def _may_vanish(
        self,
        i: int,
        j: int,
        context: Mapping[int, int],
        families: Iterable[tuple[float, float, ParentSet]],
        threshold: float,
    ) -> bool:
        """Whether an edge may vanish more probably than that, seen from the likeliest families on."""
        most = sum(share for share, _, _ in families)
        for share, kappa, parents in families:
            most -= share * (1 - self.families.vanishes(j, parents, kappa, i, context))
            if most < threshold - 1e-9:
                return False
        return True

    def _line_chance(self, node: int, parents: ParentSet, axis: int, line: int) -> float:
        """Return the probability of a line inside a class, given these parents."""
        if not any(parents in component.sets[node] for component in self.components):
            return 0.0
        return sum(
            c.weight * self.families.of(node, parents, c.kappa).all_inside([(axis, line)]) for c in self.components
        )


def _is_separated(structure: Structure, question: Question) -> bool:
    return csi_separated(structure, question.a, question.b, question.given, question.context)
