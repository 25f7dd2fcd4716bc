"""Hill climbing by additions, removals and reversals of edges, with a tabu list and perturbed restarts."""

from dataclasses import dataclass
from typing import ClassVar

from ldag import _native
from ldag.checks import check_whole
from ldag.learning.searches.contract import (
    GraphParents,
    SearchControl,
    SearchMethod,
    SearchProblem,
    SearchResult,
    control_arguments,
    start_lists,
)

TABU_LENGTH = 10
"""Graphs that climbing does not visit again while it looks beyond a local optimum."""

RESTARTS_PER_VARIABLE = 20
FEWEST_RESTARTS = 400
"""With fewer, different seeds end at different scores on small networks, too."""

MANY_VARIABLES = 400
MAX_CANDIDATES = 100
"""Beyond so many variables, climbing tries only so many candidate parents of each, the best by themselves."""


@dataclass(frozen=True)
class Climb:
    """A climb and so many restarts."""

    n_restarts: int
    start: GraphParents | None = None

    name: ClassVar[str] = "climb"

    def run(self, scorer: _native.FamilyScorer, problem: SearchProblem, control: SearchControl) -> SearchResult:
        """Climb."""
        return SearchResult.of(
            _native.search_climb(
                scorer,
                *problem.bounds,
                n_restarts=self.n_restarts,
                tabu_length=TABU_LENGTH,
                seed=problem.families.seed,
                max_candidates=MAX_CANDIDATES if problem.n_variables > MANY_VARIABLES else 0,
                start=start_lists(self.start),
                **control_arguments(control),
            )
        )

    def promise(self, _problem: SearchProblem, result: SearchResult) -> str:
        """Return what is known of the result."""
        return f"no single edge improves it ({result.n_steps:,} steps); a better graph may exist"


def prepare(problem: SearchProblem, *, n_restarts: int | None = None, start: GraphParents | None = None) -> Climb:
    """Check the options; larger graphs have more places to improve, and are restarted more often."""
    if n_restarts is None:
        n_restarts = max(RESTARTS_PER_VARIABLE * problem.n_variables, FEWEST_RESTARTS)
    return Climb(check_whole(n_restarts, "n_restarts", 0), start)


METHOD = SearchMethod(("n_restarts", "start"), prepare)
