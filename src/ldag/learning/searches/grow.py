"""Growth of trees from rows: the best question of all nodes is asked again and again, as long as one gains.

No table of configurations is ever made, so that a node may have as many parents as its rows speak for.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, log
from typing import ClassVar, Literal, TypedDict, get_args

from ldag import _native
from ldag.checks import check_choice, check_whole, is_number
from ldag.constraints import SearchSpace
from ldag.data import Dataset
from ldag.errors import ArgumentError, argument, counted
from ldag.learning.grown import GrownTree
from ldag.learning.searches.contract import Search, SearchControl, SearchProblem, SearchResult, setting
from ldag.progress import Deadline

Splits = Literal["binary", "complete"]
"""What a question does: one state (of an order: those below a threshold) against the rest, or a branch per state."""

UNLIMITED = 2**31 - 1


class GrowOptions(TypedDict, total=False):
    """The options of growth."""

    splits: Splits | None
    levels: bool | None
    choice_price: float | None
    max_leaves: int | None


@dataclass(frozen=True)
class Grow(Search):
    """Trees of questions, grown from rows; a node may have any number of parents.

    Parameters
    ----------
    splits
        "binary": one state against the others that are left, or of ordered states those below a threshold against those
        above; it mostly predicts better. "complete": a branch for every state.
    levels
        Whether a step may also have all leaves of a node ask about the same variable, as in a table. Unless said
        otherwise both are compared where sizes are, and it may otherwise.
    choice_price
        What every step pays for having been chosen among many, in nats, a level once; unless said otherwise the
        logarithm of the number of parents that the node may have.
    max_leaves
        Leaves of a node at most.

    Examples
    --------
    >>> import ldag
    >>> titanic = ldag.datasets.load("titanic")
    >>> fit = ldag.learn(titanic, method=ldag.Grow(levels=False), kappa=0.1, equivalent_sample_size=1)
    >>> fit.method
    'grow'
    """

    splits: Splits | None = setting("For grow: one state against the others, or all.  [binary]")
    levels: bool | None = setting("For grow: whether all leaves may ask alike in one step.  [both are compared]")
    choice_price: float | None = setting("For grow: what a step pays for being chosen.  [ln of the candidates]")
    max_leaves: int | None = setting("For grow: leaves of a node at most.")

    grows: ClassVar[bool] = True

    def check(self) -> None:
        """Check the options."""
        if self.splits is not None:
            check_choice(self.splits, get_args(Splits), "splits")
        if self.levels is not None and not isinstance(self.levels, bool):
            raise ArgumentError(f"{argument('levels')} must be True or False, got {self.levels!r}")
        price = self.choice_price
        if price is not None and not (is_number(price) and 0 <= price < inf):
            raise ArgumentError(f"{argument('choice_price')} must be a number, 0 or more, got {price!r}")
        if self.max_leaves is not None:
            check_whole(self.max_leaves, "max_leaves", 1)

    def check_data(self, data: Dataset, space: SearchSpace) -> None:
        """Refuse parents that are required where no question can be about them, and leaves that are too many."""
        for node, required in enumerate(space.required):
            sizes = {data.names[parent]: data.schema[parent].n_states for parent in required}
            constant = next((name for name, size in sizes.items() if size == 1), None)
            if constant is not None:
                raise ArgumentError(
                    f"an edge from {constant!r} to {data.names[node]!r} is required, and no tree asks about"
                    f" {constant!r}, which has one state; leave out the constraint"
                )
            least = 1 + sum(size - 1 if self.splits == "complete" else 1 for size in sizes.values())
            if self.max_leaves is not None and least > self.max_leaves:
                raise ArgumentError(
                    f"the edges to {data.names[node]!r} that are required take a tree of {least} leaves;"
                    f" {argument('max_leaves')} must be that at least, got {self.max_leaves}"
                )

    def with_levels(self, levels: bool) -> "Grow":
        """Return the same with or without whole levels."""
        return replace(self, levels=levels)

    def run_to_an_end(
        self, scorer: _native.FamilyScorer, problem: SearchProblem, control: SearchControl, last: Deadline
    ) -> tuple[SearchResult, bool]:
        """Grow; the best questions come first, so that what is there at the end of its time is of use."""
        del last
        return self.run(scorer, problem, control), False

    def run(self, scorer: _native.FamilyScorer, problem: SearchProblem, control: SearchControl) -> SearchResult:
        """Grow the trees of all nodes together."""
        del scorer
        assert problem.columns is not None
        candidates, required, max_parents = problem.bounds
        priors = problem.families.priors
        n = problem.n_variables
        prices = [self.choice_price if self.choice_price is not None else log(max(len(own), 1)) for own in candidates]
        trees, n_steps, stopped = _native.grow_trees(
            problem.columns,
            candidates,
            required,
            max_parents,
            [self.max_leaves or UNLIMITED] * n,
            priors.prior,
            priors.equivalent_sample_size,
            log(priors.kappa),
            self.splits or "binary",
            [int(order) for order in problem.families.ordered] or [0] * n,
            self.levels is not False,
            prices,
            control.n_threads,
            control.told(),
            control.deadline.left,
        )
        grown = tuple(map(GrownTree.of, trees))
        score = sum(tree.log_marginal_likelihood + tree.log_prior for tree in grown)
        parents = tuple(tree.parents for tree in grown)
        return SearchResult(parents, score, ((n_steps, score),), stopped, n_steps, n_steps, grown)

    def promise(self, problem: SearchProblem, result: SearchResult) -> str:
        """Return what is known of the result."""
        del problem
        steps = counted(result.n_steps, "step")
        return f"grown in {steps}, the best one first, until none gained; better trees may exist"

    def describe_limits(
        self, problem: SearchProblem, names: Sequence[str], parents: tuple[tuple[int, ...], ...]
    ) -> Iterator[str]:
        """Say nothing: no table is limited."""
        del problem, names, parents
        yield from ()
