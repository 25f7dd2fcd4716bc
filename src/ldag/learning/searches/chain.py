"""The paper's non-reversible Markov chains; the best graph that any of them visits."""

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

N_CHAINS = 50
N_ITER = 500
"""As in the paper."""


@dataclass(frozen=True)
class Chain:
    """Some chains of so many proposals each."""

    n_chains: int = N_CHAINS
    n_iter: int = N_ITER
    start: GraphParents | None = None

    name: ClassVar[str] = "chain"

    def run(self, scorer: _native.FamilyScorer, problem: SearchProblem, control: SearchControl) -> SearchResult:
        """Run the chains."""
        return SearchResult.of(
            _native.search_chain(
                scorer,
                *problem.bounds,
                n_chains=self.n_chains,
                n_iter=self.n_iter,
                seed=problem.families.seed,
                start=start_lists(self.start, problem.space),
                **control_arguments(control),
            )
        )

    def promise(self, _problem: SearchProblem, result: SearchResult) -> str:
        """Return what is known of the result."""
        visited = f"{self.n_chains} chains of {self.n_iter} proposals, {result.n_accepted:,} accepted"
        return f"the best graph of {visited}; a better one may exist"


def prepare(
    _problem: SearchProblem,
    *,
    n_chains: int | None = None,
    n_iter: int | None = None,
    start: GraphParents | None = None,
) -> Chain:
    """Check the options."""
    return Chain(
        N_CHAINS if n_chains is None else check_whole(n_chains, "n_chains"),
        N_ITER if n_iter is None else check_whole(n_iter, "n_iter"),
        start,
    )


METHOD = SearchMethod(("n_chains", "n_iter", "start"), prepare)
