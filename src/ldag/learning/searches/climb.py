"""Hill climbing by additions, removals and reversals of edges, with a tabu list and perturbed restarts.

A few chains of restarts run side by side and learn from each other; how many does not depend on the threads.
"""

from dataclasses import dataclass, replace
from math import comb
from typing import Any, ClassVar, TypedDict, cast

from ldag import _native
from ldag.checks import check_whole
from ldag.errors import ArgumentError, argument, say_decomposable
from ldag.graph import LDAG
from ldag.learning.searches.contract import (
    Search,
    SearchControl,
    SearchProblem,
    SearchResult,
    check_start,
    control_arguments,
    setting,
    start_setting,
)
from ldag.learning.structures import STRUCTURES
from ldag.progress import Deadline

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
again and again. Where families are so large that the first climb took unusually long, there are fewer restarts; where
looking around took very long, there are one to three rounds. Where labels are nearly free, it does not look around, and
there are four."""

CHORDAL_PAIRS = 100_000
"""Over decomposable graphs there are more restarts of few variables: as many as there are pairs in so many. With half
of these in a row that bring nothing better, it ends."""

UNTIL_THE_END = 10**15
"""More restarts than any time allows."""


class ClimbOptions(TypedDict, total=False):
    """The options of a climb besides its start."""

    n_restarts: int | None
    max_candidates: int | None


@dataclass(frozen=True)
class Climb(Search):
    """Hill climbing with perturbed restarts.

    Parameters
    ----------
    n_restarts
        How many restarts. Unless said otherwise 20 for each variable, and at least 400 (five times as many for tables,
        up to 5,000), or as many as a time limit allows.
    start
        The graph to start from, instead of one without edges.
    max_candidates
        So many parents of each variable are tried, those that gain most besides the parents there are, selected anew
        as the graph grows. Unless said otherwise, all of them.

    Examples
    --------
    >>> import ldag
    >>> ldag.learn(ldag.datasets.load("heart"), kappa=0.1, method=ldag.Climb(n_restarts=40)).method
    'climb'
    """

    n_restarts: int | None = setting(
        f"For climb: perturbed restarts.  [{RESTARTS_PER_VARIABLE} per variable, at least {FEWEST_RESTARTS}; with a"
        " time limit, until then]"
    )
    start: LDAG | None = start_setting()
    max_candidates: int | None = setting("For climb: parents of each variable that are tried.  [all]")

    climbs: ClassVar[bool] = True
    has_rival: ClassVar[bool] = True
    takes_decomposable: ClassVar[bool] = True

    def check(self) -> None:
        """Check the options."""
        check_start(self.start)
        if self.n_restarts is not None:
            check_whole(self.n_restarts, "n_restarts", 0)
        if self.max_candidates is not None:
            check_whole(self.max_candidates, "max_candidates", 1)

    def with_restarts(self, most: int) -> "Climb":
        """Return the same with so many restarts at most."""
        return replace(self, n_restarts=most if self.n_restarts is None else min(self.n_restarts, most))

    def run(self, scorer: _native.FamilyScorer, problem: SearchProblem, control: SearchControl) -> SearchResult:
        """Climb."""
        if problem.space.decomposable:
            return self._climb_chordal(scorer, problem, control)
        return SearchResult.of(
            _native.search_climb(
                scorer,
                *problem.bounds,
                n_restarts=self.count_restarts(problem, control),
                tabu_length=TABU_LENGTH,
                seed=problem.families.seed,
                max_candidates=self.max_candidates or 0,
                patience=PATIENCE if self.n_restarts is None and not _fills_time(control) else 0,
                start=problem.start_lists,
                **control_arguments(control),
            )
        )

    def _climb_chordal(
        self, scorer: _native.FamilyScorer, problem: SearchProblem, control: SearchControl
    ) -> SearchResult:
        """Climb over decomposable graphs, one thread alone."""
        if self.max_candidates is not None:
            raise ArgumentError(f"{argument('max_candidates')} does not apply to {say_decomposable()}")
        candidates, _, max_parents = problem.bounds
        arguments = {name: value for name, value in control_arguments(control).items() if name != "n_threads"}
        n_restarts = self.count_restarts(problem, control)
        is_open = self.n_restarts is None and not _fills_time(control)
        if is_open:
            n_restarts = max(n_restarts, CHORDAL_PAIRS // max(comb(problem.n_variables, 2), 1))
        return SearchResult.of(
            _native.search_perfect_climb(
                scorer,
                candidates,
                max_parents,
                n_restarts=n_restarts,
                seed=problem.families.seed,
                patience=n_restarts // 2 if is_open else 0,
                start=problem.start_lists,
                **cast("Any", arguments),
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
        further = replace(control, deadline=last, uses_all_time=False)
        return self.with_restarts(0).run(scorer, replace(problem, start=result.parents), further), True

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

    def promise(self, problem: SearchProblem, result: SearchResult) -> str:
        """Return what is known of the result; where classes are looked for, not every edge is tried."""
        promising = "" if STRUCTURES[problem.families.structure].is_table else " that looks promising"
        return f"no single edge{promising} improves it ({result.n_steps:,} steps); a better graph may exist"


def _fills_time(control: SearchControl) -> bool:
    """Tell whether to go on as long as there is time."""
    return control.uses_all_time and control.deadline.is_set
