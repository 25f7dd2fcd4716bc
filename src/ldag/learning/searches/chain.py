"""The paper's non-reversible Markov chains; the best graph that any of them visits."""

from dataclasses import dataclass
from typing import TypedDict

from ldag import _native
from ldag.checks import check_whole
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

N_CHAINS = 50
N_ITER = 500
"""As in the paper."""


class ChainOptions(TypedDict, total=False):
    """The options of chains besides their start."""

    n_chains: int | None
    n_iter: int | None


@dataclass(frozen=True)
class Chain(Search):
    """The paper's non-reversible Markov chains.

    Parameters
    ----------
    n_chains, n_iter
        How many chains, and how many proposals each: 50 of 500 unless said otherwise, as in the paper.
    start
        The graph to start from, instead of one without edges.

    Examples
    --------
    >>> import ldag
    >>> ldag.learn(ldag.datasets.load("heart"), kappa=0.1, method=ldag.Chain(n_chains=5, n_iter=200)).method
    'chain'
    """

    n_chains: int | None = setting(f"For chain: how many chains.  [{N_CHAINS}]")
    n_iter: int | None = setting(f"For chain: proposals per chain.  [{N_ITER}]")
    start: LDAG | None = start_setting()

    def check(self) -> None:
        """Check the options."""
        check_start(self.start)
        if self.n_chains is not None:
            check_whole(self.n_chains, "n_chains")
        if self.n_iter is not None:
            check_whole(self.n_iter, "n_iter")

    def run(self, scorer: _native.FamilyScorer, problem: SearchProblem, control: SearchControl) -> SearchResult:
        """Run the chains."""
        return SearchResult.of(
            _native.search_chain(
                scorer,
                *problem.bounds,
                n_chains=self.n_chains or N_CHAINS,
                n_iter=self.n_iter or N_ITER,
                seed=problem.families.seed,
                start=problem.start_lists,
                **control_arguments(control),
            )
        )

    def promise(self, _problem: SearchProblem, result: SearchResult) -> str:
        """Return what is known of the result."""
        visited = (
            f"{self.n_chains or N_CHAINS} chains of {self.n_iter or N_ITER} proposals, {result.n_accepted:,} accepted"
        )
        return f"the best graph of {visited}; a better one may exist"
