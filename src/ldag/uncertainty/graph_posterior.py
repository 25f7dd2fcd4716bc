"""How probable graphs and labels are: parent sets with probabilities, under all settings, and what they say."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from math import sqrt
from typing import TYPE_CHECKING, Literal, TypeVar, cast

import numpy as np

from ldag.checks import check_seed, check_share, check_whole, tell_renamed
from ldag.constraints import SearchSpace
from ldag.data import Backend, Dataset
from ldag.errors import ArgumentError
from ldag.formats import Edge
from ldag.graph import LDAG, Names
from ldag.model import Schema, State, Structure, Variable
from ldag.reasoning import Question, csi_separated
from ldag.scoring import Prior, Priors
from ldag.uncertainty.agreement import SHOWN_LABEL, Agreement, Chance, EdgeChance, EdgeChances, LabelChance
from ldag.uncertainty.chains import CONVERGED, Diagnostics
from ldag.uncertainty.component import Component, Floats, ParentSet, draw_labelled_dags
from ldag.uncertainty.consensus import consensus_structure, probable_arcs
from ldag.uncertainty.design import DesignEffects
from ldag.uncertainty.drawn import DrawnFamilies, DrawnGraph
from ldag.uncertainty.families import FamilyLabels, GraphPrior, Setting, log_priors
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

PosteriorMethod = Literal["exact", "chain", "augmentation"]
_Key = TypeVar("_Key", float, str)

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
    design: DesignEffects | None = None
    """What it does to edges that rows belong together; None if no rows do."""

    @property
    def design_effects(self) -> dict[Edge, float]:
        """How many times more the evidence for edges varies if groups are drawn than if rows are; {} without groups.

        For the pairs that are joined with a probability of 0.05 or more, in the more probable direction. At 3, rows
        count for a third of what is reckoned, and what is nearly certain may be chance.
        """
        return {} if self.design is None else dict(self.design.effects)

    @property
    def unmixed(self) -> dict[Edge, float]:
        """The edges that the runs disagree about, all whose R-hat is above 1.05, with it; the worst first."""
        if self.diagnostics is None:
            return {}
        r_hat = self.diagnostics.r_hat
        worst = sorted((-r_hat[i, j], i, j) for i, j in np.argwhere(r_hat > CONVERGED).tolist())
        return {(self.schema[i].name, self.schema[j].name): float(-less) for less, i, j in worst}

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables, in the order of the data."""
        return tuple(self.schema[self.schema.node(name)] for name in self.names)

    @property
    def priors(self) -> Priors:
        """The old place of `prior` and of the equivalent sample size."""
        tell_renamed("Posterior.priors", "Posterior.prior and Posterior.kappas")
        _, kappa, size = self.components[0].setting
        return Priors(kappa, size, cast("Prior", self.prior))

    @property
    def kappas(self) -> dict[float, float]:
        """The kappas that were averaged over, with their posterior probabilities if there are labels."""
        labelled = [one for one in self.components if one.setting.prior != "table"]
        return _shares((one.setting.kappa, one.weight) for one in labelled or self.components)

    @property
    def sizes(self) -> dict[float, float]:
        """The equivalent sample sizes that were averaged over, with their posterior probabilities."""
        return _shares((one.setting.equivalent_sample_size, one.weight) for one in self.components)

    @property
    def structures(self) -> dict[str, float]:
        """The posterior probabilities of labels, "ldag", and of none, "table"."""
        return _shares(("table" if one.setting.prior == "table" else "ldag", one.weight) for one in self.components)

    @property
    def has_gaps(self) -> bool:
        """Whether the data have gaps, so that all of this is an average over completed tables."""
        return self.method == "augmentation"

    @property
    def log_evidence(self) -> float | None:
        """The logarithm of the sum of likelihood and prior over all graphs; None for chains, which do not know it.

        The prior of graphs is not divided by their number. Under prior "normalised" the numbers of different kappas and
        sample sizes can be compared, and with those of tables. With gaps it is refused: an average over completed
        tables does not know it.
        """
        if self.has_gaps:
            raise ArgumentError(
                "the evidence of a table with gaps is not known: completed tables are drawn, not summed over;"
                " ldag.score(graph, data) has a lower bound of that of a graph"
            )
        return self._log_evidence

    @property
    def _log_evidence(self) -> float | None:
        """The evidence as far as it is known."""
        logs = [component.log_evidence for component in self.components]
        known = [one for one in logs if one is not None]
        if len(known) < len(logs):
            return None
        weighed = np.array(known) + log_priors([component.setting for component in self.components])
        return float(weighed.max() + np.log(np.exp(weighed - weighed.max()).sum()))

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
        >>> post = ldag.posterior(ldag.datasets.load("heart"), max_parents=3)
        >>> round(post.edge("smoking", "pressure"), 2)
        0.82
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
        >>> post = ldag.posterior(ldag.datasets.load("ucb"))
        >>> round(post.label("gender", "admitted", context={"department": "B"}), 2)
        0.67
        """
        i, j = self._pair(parent, child)
        only = None if parents is None else tuple(sorted(self.schema.nodes(parents, "parents: ")))
        vanishing, edge = self._weigh_label(i, j, self._other_states(context, i, j), only)
        if edge == 0 and only is not None:
            raise ArgumentError(f"{child!r} never has just these parents, with {parent!r} among them")
        if edge == 0:
            raise ArgumentError(f"there is never an edge {parent} -> {child}, so it has no label")
        return Chance(vanishing / edge, self._label_error(i, j, vanishing / edge, edge))

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
        return self.prior != "table" and self.families.sums_labels(n_configurations)

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
        >>> post = ldag.posterior(ldag.datasets.load("ucb"))
        >>> round(post.csi_separated("gender", "admitted", context={"department": "B"}), 2)
        0.75
        """
        question = self._question(a, b, given, context)
        if all(map(is_small, self._likely)):
            parts = (c.weight * separation_probability(c, self.families, question) for c in self._likely)
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
        >>> post = ldag.posterior(ldag.datasets.load("heart"), max_parents=3)
        >>> round(post.edge("mental", "physical"), 2), post.determined("mental", "physical") < 0.1
        (0.38, True)
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
        if all(is_small(one) and one.setting.prior == "table" for one in self._likely):
            return sum_directions(self._likely, self.space)
        n_draws = N_DIRECTED if self.space is not None else N_KEPT_DIRECTED
        return draw_directions((drawn.structure for drawn in self._draw(n_draws, check_seed(None))), self.space)

    def _graph(self, structure: Structure) -> LDAG:
        """Return a structure as a graph, variables in the order of the data."""
        order = [self.schema.node(name) for name in self.names]
        return LDAG(self.schema.reordered(order), structure.reordered(order))

    @cached_property
    def _likely(self) -> tuple[Component, ...]:
        """The settings that have any probability."""
        return tuple(component for component in self.components if component.weight)

    def _draw(self, n: int, seed: int) -> list[DrawnGraph]:
        """Draw structures, each with the equivalent sample size of its setting."""
        if isinstance(self.families, DrawnFamilies):
            return self.families.draw_graphs(n, seed)
        return [DrawnGraph(*one) for one in draw_labelled_dags(self._likely, self.families, n, seed)]

    def _share(self, n_draws: int, holds: Callable[[Structure], bool]) -> Chance:
        """Return how often something holds in drawn graphs, looking at equal ones once."""
        n = check_whole(n_draws, "n_draws")
        drawn = Counter(one.structure for one in self._draw(n, check_seed(None)))
        share = sum(number for structure, number in drawn.items() if holds(structure)) / n
        return Chance(share, sqrt(max(share * (1 - share), 0.0) / self._independent(n)))

    def _independent(self, n: int) -> float:
        """Return how many independent draws so many are worth: with gaps, one may follow from the other."""
        if self.diagnostics is None or not isinstance(self.families, DrawnFamilies):
            return n
        return min(n, len(self.families.drawn), float(self.diagnostics.effective_sizes.min()))

    def _question(self, a: Names, b: Names, given: Names, context: Mapping[str, State] | None) -> Question:
        """Check and translate, as a graph does."""
        graph = LDAG.from_edges([], states={v.name: v.states for v in self.schema})
        return graph.question(a, b, given, context)

    def _edge_error(self, i: int, j: int) -> float:
        return 0.0 if self.diagnostics is None else float(self.diagnostics.edge_errors[i, j])

    def _label_error(self, i: int, j: int, share: float, edge: float) -> float:
        """Return the error of the share of an edge's labels: of drawn ones, that of counting those with the edge."""
        if not isinstance(self.families, DrawnFamilies):
            return self._edge_error(i, j) / edge
        n_joined = max(edge * self._independent(len(self.families.drawn)), 1.0)
        return sqrt(share * (1 - share) / n_joined)

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
                    vanishing += share * self.families.vanishes(j, parents, component.setting, i, context)
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

    def _families_of(self, j: int, wanted: set[int]) -> list[tuple[float, Setting, ParentSet]]:
        """Return the likely families of a node in which some others are parents: probability, setting, parents."""
        families = [
            (component.weight * p, component.setting, parents)
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
        families: Iterable[tuple[float, Setting, ParentSet]],
        threshold: float,
    ) -> bool:
        """Whether an edge may vanish more probably than that, seen from the likeliest families on."""
        most = sum(share for share, _, _ in families)
        for share, setting, parents in families:
            most -= share * (1 - self.families.vanishes(j, parents, setting, i, context))
            if most < threshold - 1e-9:
                return False
        return True

    def _line_chance(self, node: int, parents: ParentSet, axis: int, line: int) -> float:
        """Return the probability of a line inside a class, given these parents."""
        there = [c for c in self._likely if parents in c.sets[node]]
        chances = {c: c.weight * float(c.probabilities[node][c.sets[node].index(parents)]) for c in there}
        total = sum(chances.values())
        if total == 0:
            return 0.0
        inside = (
            share * self.families.of(node, parents, c.setting).all_inside([(axis, line)])
            for c, share in chances.items()
        )
        return sum(inside) / total


def _shares(pairs: Iterable[tuple[_Key, float]]) -> dict[_Key, float]:
    """Add up the probabilities that belong to the same."""
    shares: dict[_Key, float] = {}
    for key, probability in pairs:
        shares[key] = shares.get(key, 0.0) + probability
    return shares


def _is_separated(structure: Structure, question: Question) -> bool:
    return csi_separated(structure, question.a, question.b, question.given, question.context)
