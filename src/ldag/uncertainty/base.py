"""What a posterior is: parent sets with probabilities, at one kappa or several, and the counts that labels need."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import exp, fsum, log
from typing import Literal

import numpy as np

from ldag.data import Dataset
from ldag.errors import ArgumentError
from ldag.graph import LDAG
from ldag.learning import SearchSpace
from ldag.model import Schema, State, Structure, Variable
from ldag.uncertainty.chances import Chance
from ldag.uncertainty.component import Component, Floats, ParentSet
from ldag.uncertainty.diagnostics import Diagnostics
from ldag.uncertainty.directing import DirectionChances
from ldag.uncertainty.families import FamilyLabels
from ldag.uncertainty.priors import PosteriorPriors

PosteriorMethod = Literal["exact", "chains"]


@dataclass(frozen=True, eq=False, repr=False)
class PosteriorBase:
    """The value itself. ``schema`` is sorted by name, so that the order of columns, ``names``, changes nothing."""

    schema: Schema
    names: tuple[str, ...]
    priors: PosteriorPriors
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

    @cached_property
    def _edges(self) -> Floats:
        return np.asarray(sum(component.weight * component.edges for component in self.components))

    @cached_property
    def _ancestors(self) -> Floats:
        return np.asarray(sum(component.weight * component.ancestors for component in self.components))

    def _pair(self, parent: str, child: str) -> tuple[int, int]:
        """Return two different variables by number."""
        i, j = self.schema.node(parent), self.schema.node(child)
        if i == j:
            raise ArgumentError(f"expected two different variables, got {parent!r} twice")
        return i, j

    def _graph(self, structure: Structure) -> LDAG:
        """Return a structure as a graph, variables in the order of the data."""
        order = [self.schema.node(name) for name in self.names]
        return LDAG(self.schema.reordered(order), structure.reordered(order))

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
        error = self._edge_error(i, j)
        if context is None:
            return Chance(self._edges[i, j], error)
        vanishing, _ = self._vanishing(i, j, self._context(context, i, j))
        return Chance(self._edges[i, j] - vanishing, error)

    def ancestor(self, above: str, below: str) -> Chance:
        """Return the probability that there is a path of edges from one variable to another."""
        i, j = self._pair(above, below)
        error = 0.0 if self.diagnostics is None else float(self.diagnostics.ancestor_errors[i, j])
        return Chance(self._ancestors[i, j], error)

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
        vanishing, edge = self._vanishing(i, j, self._context(context, i, j), only)
        if edge == 0 and only is not None:
            raise ArgumentError(f"{child!r} never has just these parents, with {parent!r} among them")
        if edge == 0:
            raise ArgumentError(f"there is never an edge {parent} -> {child}, so it has no label")
        return Chance(vanishing / edge, self._edge_error(i, j) / edge if self.diagnostics else 0.0)

    def _edge_error(self, i: int, j: int) -> float:
        return 0.0 if self.diagnostics is None else float(self.diagnostics.edge_errors[i, j])

    def _context(self, context: Mapping[str, State], i: int, j: int) -> dict[int, int]:
        found = self.schema.context(context, "context: ")
        for node in (i, j):
            if node in found:
                raise ArgumentError(f"context: {self.schema[node].name!r} is an end of the edge; name other variables")
        if not found:
            raise ArgumentError("context must name at least one variable and its state")
        return found

    def _vanishing(
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
