"""Hill climbing by additions, removals and reversals of edges, with a tabu list and perturbed restarts.

A few chains of restarts run side by side and learn from each other; how many does not depend on the threads.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from ldag import _native
from ldag.checks import check_whole
from ldag.learning.progress import Deadline
from ldag.learning.searches.contract import (
    GraphParents,
    SearchControl,
    SearchMethod,
    SearchProblem,
    SearchResult,
    control_arguments,
    start_lists,
)
from ldag.learning.structures import STRUCTURES

TABU_LENGTH = 10
"""Graphs that climbing does not visit again while it looks beyond a local optimum."""

RESTARTS_PER_VARIABLE = 20
MANY_VARIABLES = 400
RESTARTS_OF_MANY = 3
"""Restarts for each of more variables than these, where they take longer."""

FEWEST_RESTARTS = 400
"""With fewer, different seeds end at different scores on small networks, too."""

TABLE_RESTARTS = 5_000
"""Full tables are quick: a hundred for each variable, up to so many in all, cost little."""

PATIENCE = 2
"""Unless told how many restarts to make, climbing ends after about so many rounds (of at least 32) without a better
graph: after eight (four, of few rows; one, of small tables and of many variables) where looking around took much more
than the first climb, after up to 16 where it took little, and at once where orders at random lead to the best graph
again and again. Where families are so large that the first climb took unusually long, there are fewer restarts."""

UNTIL_THE_END = 10**15
"""More restarts than any time allows."""


@dataclass(frozen=True)
class Climb:
    """A climb and so many restarts; None: what is enough in most cases, or as many as a limited time allows."""

    n_restarts: int | None = None
    start: GraphParents | None = None
    max_candidates: int | None = None

    name: ClassVar[str] = "climb"

    def run(self, scorer: _native.FamilyScorer, problem: SearchProblem, control: SearchControl) -> SearchResult:
        """Climb."""
        return SearchResult.of(
            _native.search_climb(
                scorer,
                *problem.bounds,
                n_restarts=self.count_restarts(problem, control),
                tabu_length=TABU_LENGTH,
                seed=problem.families.seed,
                max_candidates=self.max_candidates or 0,
                patience=PATIENCE if self.n_restarts is None and not _fills_time(control) else 0,
                start=start_lists(self.start, problem.space),
                **control_arguments(control),
            )
        )

    def run_to_an_end(
        self, scorer: _native.FamilyScorer, problem: SearchProblem, control: SearchControl, last: Deadline
    ) -> tuple[SearchResult, bool]:
        """Climb; where time is up, go on until a last deadline to a graph that no single edge improves.

        Tells also whether there was time for fewer restarts.
        """
        result = self.run(scorer, problem, control)
        if not result.stopped:
            return result, False
        plain = replace(self, n_restarts=0, start=result.parents)
        return plain.run(scorer, problem, replace(control, deadline=last, uses_all_time=False)), True

    def count_restarts(self, problem: SearchProblem, control: SearchControl) -> int:
        """Return how many restarts to make; larger graphs have more places to improve."""
        if self.n_restarts is not None:
            return self.n_restarts
        if _fills_time(control):
            return UNTIL_THE_END
        each = RESTARTS_OF_MANY if problem.n_variables > MANY_VARIABLES else RESTARTS_PER_VARIABLE
        n_restarts = max(each * problem.n_variables, FEWEST_RESTARTS)
        if STRUCTURES[problem.families.structure].is_table and problem.n_variables <= MANY_VARIABLES:
            return max(n_restarts, min(100 * problem.n_variables, TABLE_RESTARTS))
        return n_restarts

    def promise(self, _problem: SearchProblem, result: SearchResult) -> str:
        """Return what is known of the result."""
        return f"no single edge improves it ({result.n_steps:,} steps); a better graph may exist"


def _fills_time(control: SearchControl) -> bool:
    """Tell whether to go on as long as there is time."""
    return control.uses_all_time and control.deadline.is_set


def prepare(
    _problem: SearchProblem,
    *,
    n_restarts: int | None = None,
    start: GraphParents | None = None,
    max_candidates: int | None = None,
) -> Climb:
    """Check the options."""
    if n_restarts is not None:
        check_whole(n_restarts, "n_restarts", 0)
    if max_candidates is not None:
        check_whole(max_candidates, "max_candidates", 1)
    return Climb(n_restarts, start, max_candidates)


METHOD = SearchMethod(("n_restarts", "start", "max_candidates"), prepare)
