"""How probable it is that the graph says something: CSI-separation, and implication."""

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cached_property
from math import sqrt

from ldag.checks import check_seed, check_whole
from ldag.graph import LDAG, Names
from ldag.model import State, Structure
from ldag.reasoning import Question, csi_separated
from ldag.uncertainty.base import PosteriorBase
from ldag.uncertainty.chances import Chance
from ldag.uncertainty.directing import N_DIRECTED, N_KEPT_DIRECTED, DirectionChances, draw_directions, sum_directions
from ldag.uncertainty.draws import draw_labelled_dags
from ldag.uncertainty.enumeration import is_small, separation_probability

N_STATEMENTS = 2000
"""Graphs drawn for statements that only whole graphs can decide."""


class PosteriorStatements(PosteriorBase):
    """Statements about whole graphs."""

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

    @cached_property
    def _directions(self) -> DirectionChances:
        if self.known_directions is not None:
            return self.known_directions
        if self.priors.prior == "table" and all(map(is_small, self.components)):
            return sum_directions(self.components, self.space)
        number = N_DIRECTED if self.space is not None else N_KEPT_DIRECTED
        return draw_directions(self._draw(number, check_seed(None)), self.space)

    def _question(self, a: Names, b: Names, given: Names, context: Mapping[str, State] | None) -> Question:
        """Check and translate, as a graph does."""
        return self._any_graph.question(a, b, given, context)

    @cached_property
    def _any_graph(self) -> LDAG:
        return LDAG.from_edges([], states={v.name: v.states for v in self.schema})

    def _share(self, n_draws: int, holds: Callable[[Structure], bool]) -> Chance:
        """Return how often something holds in drawn graphs, looking at equal ones once."""
        n = check_whole(n_draws, "n_draws")
        drawn = Counter(self._draw(n, check_seed(None)))
        share = sum(number for structure, number in drawn.items() if holds(structure)) / n
        return Chance(share, sqrt(max(share * (1 - share), 0.0) / n))

    def _draw(self, n: int, seed: int) -> list[Structure]:
        return draw_labelled_dags(self.components, self.families, n, seed)


def _is_separated(structure: Structure, question: Question) -> bool:
    return csi_separated(structure, question.a, question.b, question.given, question.context)
