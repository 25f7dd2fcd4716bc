"""How much two graphs without arrows agree: edges and strata."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast, overload

from ldag.checks import Rng
from ldag.comparing.graphs import Comparison, EdgeLabels, compare_graphs
from ldag.errors import ArgumentError
from ldag.formats import Edge, conditions
from ldag.graph import LDAG, StratifiedGraph
from ldag.hook import Printable
from ldag.model import Variable
from ldag.network import Network


@dataclass(frozen=True, repr=False)
class UndirectedComparison(Printable):
    """Where a second graph without arrows agrees with a first one, and where not.

    ``missing_edges`` are in the first graph only, ``extra_edges`` in the second only. ``strata`` has the edges with a
    stratum in either graph. ``is_same_model`` says whether both have the same distributions, which graphs that are not
    equal may have.
    """

    common_edges: tuple[Edge, ...]
    missing_edges: tuple[Edge, ...]
    extra_edges: tuple[Edge, ...]
    strata: Mapping[Edge, EdgeLabels]
    dimensions: tuple[int, int]
    is_same_model: bool
    variables: tuple[Variable, ...]

    @property
    def differing_strata(self) -> tuple[Edge, ...]:
        """Edges of both graphs whose strata differ."""
        return tuple(edge for edge in self.common_edges if edge in self.strata and not self.strata[edge].agree)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        for what, edges in (
            ("in both", self.common_edges),
            ("missing", self.missing_edges),
            ("extra", self.extra_edges),
        ):
            yield f"edges {what}: {', '.join(map(' - '.join, edges)) or 'none'}"
        for edge in self.differing_strata:
            told = [
                conditions(one, self.variables) or ["never"]
                for one in (self.strata[edge].first, self.strata[edge].second)
            ]
            first, second = (" or ".join(lines) for lines in told)
            yield f"{' - '.join(edge)} are independent in the first if {first}, in the second if {second}"
        yield f"free parameters: {self.dimensions[0]} in the first, {self.dimensions[1]} in the second"
        yield "both have the same distributions" if self.is_same_model else "they have different distributions"


def _compare_undirected(first: StratifiedGraph, second: object) -> UndirectedComparison:
    """Compare two graphs without arrows over the same variables."""
    if not isinstance(second, StratifiedGraph):
        raise ArgumentError(
            f"a StratifiedGraph is compared with another one, got {type(second).__name__}; to_undirected() makes one"
            " of a perfect graph"
        )
    a, b = first.to_ldag(), second.to_ldag()
    difference = a.difference_from(b)
    ours = {frozenset(edge): edge for edge in first.edges}
    theirs = {frozenset(edge): edge for edge in second.edges}
    mine = {frozenset(edge): label for edge, label in first.strata.items()}
    others = {frozenset(edge): label for edge, label in second.strata.items()}
    known = theirs | ours
    return UndirectedComparison(
        tuple(edge for pair, edge in ours.items() if pair in theirs),
        tuple(edge for pair, edge in ours.items() if pair not in theirs),
        tuple(edge for pair, edge in theirs.items() if pair not in ours),
        {known[pair]: EdgeLabels(mine.get(pair, ()), others.get(pair, ())) for pair in {**mine, **others}},
        (first.dimension, second.dimension),
        difference is None,
        first.variables,
    )


@overload
def compare(first: StratifiedGraph, second: StratifiedGraph) -> UndirectedComparison: ...
@overload
def compare(
    first: LDAG | Network, second: LDAG | Network, *, n_samples: int | None = ..., rng: Rng = ...
) -> Comparison: ...
def compare(
    first: LDAG | Network | StratifiedGraph,
    second: LDAG | Network | StratifiedGraph,
    *,
    n_samples: int | None = None,
    rng: Rng = None,
) -> Comparison | UndirectedComparison:
    """Compare a graph or network with another, the true one first if there is one.

    Parameters
    ----------
    first, second
        Graphs or networks over the same variables and states, in any order. The divergence is there for two networks.
        Or two graphs without arrows, which give an `UndirectedComparison`.
    n_samples
        Estimate the divergence from this many rows, instead of exactly.
    rng
        Seed of these rows, or a numpy Generator; None is 0.

    Examples
    --------
    >>> import ldag
    >>> truth = ldag.simulate.generator10(rng=1)
    >>> dag = ldag.simulate.generator10(labels=False).ldag
    >>> result = ldag.compare(truth, ldag.Network.from_data(dag, truth.sample(1000, rng=1)))
    >>> result.structural_hamming_distance, result.dimensions
    (0, (40, 60))
    """
    if isinstance(first, StratifiedGraph) and n_samples is None and rng is None:
        return _compare_undirected(first, second)
    for thing in (first, second):
        if isinstance(thing, StratifiedGraph):
            raise ArgumentError(
                "a StratifiedGraph is compared with another one, by graph alone; to_ldag() gives it arrows"
            )
    return compare_graphs(cast("LDAG", first), cast("LDAG", second), n_samples, rng)
