"""Exact where time and memory allow, and climb otherwise, by the sizes of the problem alone: the same every time."""

from dataclasses import dataclass
from math import inf

from ldag import _native
from ldag.learning.searches import exact
from ldag.learning.searches.climb import Climb
from ldag.learning.searches.contract import Search, SearchProblem

EXACT_BYTES = 1 << 30
EXACT_FAMILIES = 2_000_000
SHARED_FAMILIES = 12_000_000
"""For full tables whose scores are shared by many families: 20 variables without a limit."""

EXACT_SECONDS = 20.0
"""More than one of these, and exact is not worth waiting for."""

PROOF_SECONDS = 10.0
"""Unless bounds do most of the work, and what they leave takes no longer than this."""


@dataclass(frozen=True)
class Auto(Climb):
    """A climb, unless all graphs can be looked at in a reasonable time; the options are for climbing."""

    def prepare(self, problem: SearchProblem, seconds: float = inf) -> Search:
        """Choose; one of many searches may have less time than one alone."""
        if _is_exact_affordable(problem) and exact.estimate_seconds(problem) <= seconds:
            return exact.Exact().prepare(problem)
        return Climb(self.n_restarts, self.start, self.max_candidates)


def _is_exact_affordable(problem: SearchProblem) -> bool:
    """Estimate memory and time of the exact search."""
    if problem.n_variables > exact.MOST_VARIABLES:
        return False
    n_bytes, n_families = _native.exact_cost(*problem.bounds)
    most_families = SHARED_FAMILIES if exact.shares_sets(problem) else EXACT_FAMILIES
    if n_bytes > EXACT_BYTES or n_families > most_families:
        return False
    return exact.estimate_seconds(problem) < EXACT_SECONDS or exact.estimate_proof_seconds(problem) < PROOF_SECONDS
