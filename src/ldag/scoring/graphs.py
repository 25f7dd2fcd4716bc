"""Scores of graphs on data, in names: `score`, `log_predictive`, and what labels and classes gain."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from ldag.data import AnyTable, Dataset, Reading, check_data
from ldag.errors import ArgumentError, DataError, option
from ldag.graph import LDAG, family_counts, take_states
from ldag.hook import Printable
from ldag.inference import CodedGaps
from ldag.model import CodedFamily, Counts, Partition, Spread
from ldag.scoring.bounds import best_bound
from ldag.scoring.families import (
    NodeScore,
    Prior,
    Priors,
    check_priors,
    check_smoothing,
    family_log_predictive,
    score_family,
)


@dataclass(frozen=True, repr=False)
class Score(Printable):
    """How well a graph explains data: natural logarithms, the prior up to a constant.

    ``per_node`` has each node's share, and ``priors`` what the score depends on besides graph and data. Of data with
    gaps it is a lower bound: shares are those of expected counts, and ``entropy`` is what the gaps leave open.
    """

    log_marginal_likelihood: float
    log_prior: float
    per_node: Mapping[str, NodeScore]
    priors: Priors
    entropy: float | None = None
    """Of the completions of data with gaps, a part of the likelihood; None where there are none."""

    @classmethod
    def of(
        cls, parts: Mapping[str, NodeScore], names: Iterable[str], priors: Priors, entropy: float | None = None
    ) -> "Score":
        """Add up the shares of the nodes, sorted by name, so that the order of columns changes no digit."""
        shares = [parts[name] for name in sorted(parts)]
        return cls(
            sum(share.log_marginal_likelihood for share in shares) + (entropy or 0.0),
            sum(share.log_prior for share in shares),
            {name: parts[name] for name in names},
            priors,
            entropy,
        )

    @property
    def is_lower_bound(self) -> bool:
        """Whether the data have gaps, so that the log marginal likelihood is at least what is said here."""
        return self.entropy is not None

    @property
    def total(self) -> float:
        """Log marginal likelihood plus log prior."""
        return self.log_marginal_likelihood + self.log_prior

    def __repr__(self) -> str:
        parts = f"log marginal likelihood {self.log_marginal_likelihood:.2f} + log prior {self.log_prior:.2f}"
        size = f"sample size {self.priors.equivalent_sample_size:g}"
        return (
            f"<Score: {self.total:.2f} = {parts} ({size}{', lower bound: the data have gaps' * self.is_lower_bound})>"
        )

    def to_dict(self) -> dict[str, object]:
        """Return the score as plain values."""
        return {
            "score": self.total,
            "log_marginal_likelihood": self.log_marginal_likelihood,
            "log_prior": self.log_prior,
            "kappa": self.priors.kappa if self.priors.has_kappa else None,
            "equivalent_sample_size": self.priors.equivalent_sample_size,
            "prior": self.priors.prior,
            "lower_bound": self.is_lower_bound,
            "entropy": self.entropy,
            "per_node": {
                name: {"log_marginal_likelihood": part.log_marginal_likelihood, "log_prior": part.log_prior}
                for name, part in self.per_node.items()
            },
        }

    def __str__(self) -> str:
        width = max(len("total"), *(len(name) for name in self.per_node))
        lines = [f"{'':<{width}}  {'likelihood':>12}  {'prior':>9}  {'score':>12}"]
        gaps = [] if self.entropy is None else [("gaps", NodeScore(self.entropy, 0.0))]
        shares = [*self.per_node.items(), *gaps, ("total", NodeScore(self.log_marginal_likelihood, self.log_prior))]
        for name, part in shares:
            numbers = f"{part.log_marginal_likelihood:>12.2f}  {part.log_prior:>9.2f}  {part.total:>12.2f}"
            lines.append(f"{name:<{width}}  {numbers}")
        kappa = f", kappa {self.priors.kappa:g}" if self.priors.has_kappa else ""
        lines.append(f"prior {self.priors.prior}, sample size {self.priors.equivalent_sample_size:g}{kappa}")
        if self.is_lower_bound:
            lines.append("a lower bound: nodes by expected counts, and the entropy of what may stand in the gaps")
        return "\n".join(lines)


def score(
    graph: LDAG,
    data: AnyTable,
    *,
    kappa: float | None = None,
    equivalent_sample_size: float = 1.0,
    prior: Prior = "labels",
    **reading: Unpack[Reading],
) -> Score:
    """Score a graph on data: log marginal likelihood plus log prior.

    Where data have gaps, this is a lower bound of the log marginal likelihood of what was observed, and says so: the
    best that variational steps from EM's parameters find. Graphs can be compared by it, on the same data.

    Parameters
    ----------
    graph
        The graph; data must be over its variables, and have no state that it does not know.
    data
        The data.
    kappa
        Between 0 (exclusive) and 1: the prior probability ratio that a parameter saved by labels costs. Not for the
        uniform prior, which is kappa = 1.
    equivalent_sample_size
        How many observations the prior over parameters counts for.
    prior
        "labels": kappa per parameter that labels save; "parameters": kappa per parameter; "uniform"; "normalised":
        as "labels", divided by its sum over all labels that the same parents could have, so that every DAG weighs the
        same and labels pay for having been chosen among many (beyond 16 configurations, by an upper bound of the sum);
        "leaves": as "parameters", with ``equivalent_sample_size`` observations to every class, however large it is.
    **reading
        How a table that is no `Dataset` is read: the options of `read`, but those on columns, which the graph knows.

    Examples
    --------
    >>> import ldag
    >>> result = ldag.score(ldag.datasets.graph("heart"), ldag.datasets.load("heart"), kappa=0.1)
    >>> print(round(result.total, 2))
    -6729.69
    """
    priors = check_priors(kappa, equivalent_sample_size, prior)
    graph, known = take_states(graph, data, reading)
    ordered = _order_nodes(graph)
    if priors.is_normalised:
        _check_labels(graph)
    if priors.prior == "nested":
        check_trees(graph, "prior 'nested'", known)
    if known.has_gaps:
        return _score_gaps(ordered, order_columns(known), graph.schema.names, priors)
    parts = {
        name: score_family(counts, family, priors)
        for name, counts, family in family_counts(ordered, order_columns(known))
    }
    return Score.of(parts, graph.schema.names, priors)


def _score_gaps(graph: LDAG, data: Dataset, names: Sequence[str], priors: Priors) -> Score:
    """Return the best lower bound that is found for a graph; its variables are sorted by name."""
    known = data.aligned_to(graph.schema)
    expected = best_bound(graph.structure, CodedGaps.of(known.codes, known.schema.n_states, known.weights), priors)
    shares = expected.node_scores(graph.structure, priors)
    return Score.of(dict(zip(graph.schema.names, shares, strict=True)), names, priors, expected.entropy)


def check_trees(graph: LDAG, what: str, data: Dataset | None = None) -> None:
    """Check that classes are the leaves of trees, for what learns from the nodes above, and that there are no gaps."""
    for variable, family in zip(graph.variables, graph.structure.families, strict=True):
        if not family.partition.is_tree_of_classes:
            raise ArgumentError(
                f"{what} is for classes that are the leaves of a tree, and those of {variable.name!r} are not; give it"
                f" a tree (LDAG.from_edges(trees=), with_tree) or take another"
            )
    if data is not None and data.has_gaps:
        raise ArgumentError(
            f"{what} is for data without gaps, as EM estimates posterior means; complete_rows() has these"
        )


def _check_labels(graph: LDAG) -> None:
    """Check that a graph is one of those that the normalised prior shares its weight among."""
    for variable, family in zip(graph.variables, graph.structure.families, strict=True):
        if not family.partition.is_csi_consistent:
            raise ArgumentError(
                f"prior 'normalised' is over labels, and the classes of {variable.name!r} are not made of labels;"
                " take prior 'labels' or 'parameters'"
            )
    if not graph.is_regular():
        raise ArgumentError(
            "prior 'normalised' is over regular graphs, and this one has an edge that never matters;"
            " score graph.regular() instead"
        )


def log_predictive(
    graph: LDAG,
    data: AnyTable,
    new: AnyTable,
    *,
    equivalent_sample_size: float = 1.0,
    spread: Spread = "configurations",
    **reading: Unpack[Reading],
) -> float:
    """Return the log posterior predictive probability of new data after seeing data (equation 11).

    The parameters are integrated out: this is how cross-validation judges a graph. ``spread`` is as in
    `Network.from_data`. Gaps are refused, since the sum over what may stand in them has no closed form.
    """
    smoothing = check_smoothing(equivalent_sample_size, spread)
    graph, known = take_states(graph, data, reading)
    ordered, fresh_data = _order_nodes(graph), check_data(new, graph.schema, reading)
    if spread == "nested":
        check_trees(graph, option("spread", "nested"))
    if known.has_gaps or fresh_data.has_gaps:
        raise DataError(
            "log_predictive needs every cell, and these data have gaps; "
            "Network.from_data(graph, data).log_likelihood(new) is that of the observed cells, at the parameters' means"
        )
    seen = family_counts(ordered, order_columns(known))
    unseen = family_counts(ordered, order_columns(fresh_data))
    return sum(
        family_log_predictive(trained, fresh, family, smoothing)
        for (_, trained, family), (_, fresh, _) in zip(seen, unseen, strict=True)
    )


def order_columns(data: Dataset) -> Dataset:
    """Return the data with the variables sorted by name; rows need sorting only where real numbers are summed."""
    names = sorted(data.names)
    whole = not data.has_gaps and (data.weights is None or data.weights.dtype == np.int64)
    return data.permuted(names) if whole and names != list(data.names) else data.select(names)


def _order_nodes(graph: LDAG) -> LDAG:
    """Return the graph with the variables sorted by name."""
    if not isinstance(graph, LDAG):
        raise ArgumentError(f"graph must be an LDAG, got {type(graph).__name__}")
    names = graph.schema.names
    order = sorted(range(len(names)), key=names.__getitem__)
    return LDAG(graph.schema.reordered(tuple(order)), graph.structure.reordered(order))


def label_gains(graph: LDAG, counts: Sequence[Counts], priors: Priors) -> dict[tuple[str, str], float]:
    """Return, for each edge with a label, how much better its family scores than without that label.

    Without it, configurations share a distribution only where the other labels join them, which is never the case if
    they differ in that parent. Families whose classes are not made of labels have no such gains. ``counts`` has those
    of every node, a row per configuration of its parents.
    """
    gains = {}
    for name, family, table in _families_that_share(graph, counts):
        if not family.partition.is_csi_consistent:
            continue
        own = score_family(table, family, priors).total
        for axis in family.labelled_axes if len(family.parents) > 1 else ():
            labels = [mask & (other != axis) for other, mask in enumerate(family.partition.labels)]
            without = Partition.from_labels(family.partition.grid, labels)
            rest = CodedFamily.from_partition(family.parents, without)
            edge = graph.variables[family.parents[axis]].name, name
            gains[edge] = own - score_family(table, rest, priors).total
    return gains


def class_gains(graph: LDAG, counts: Sequence[Counts], priors: Priors) -> dict[str, float]:
    """Return, for each node with fewer classes than configurations, how much better it scores than a full table."""
    gains = {}
    for name, family, table in _families_that_share(graph, counts):
        full = CodedFamily.table(family.parents, family.partition.grid)
        gains[name] = score_family(table, family, priors).total - score_family(table, full, priors).total
    return gains


def _families_that_share(graph: LDAG, counts: Sequence[Counts]) -> Iterator[tuple[str, CodedFamily, Counts]]:
    """Go through the nodes of which some configurations share a distribution, as tables can be compared with."""
    for variable, family, table in zip(graph.variables, graph.structure.families, counts, strict=True):
        is_listed = family.partition.as_tree() is None
        if is_listed and family.partition.n_classes < family.partition.grid.size:
            yield variable.name, family, table
