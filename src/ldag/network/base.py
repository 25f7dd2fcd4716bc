"""What a network is: a labelled DAG, a distribution for every class, and the posterior they come from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self, Unpack, get_args

import numpy as np

from ldag.checks import check_choice
from ldag.data import AnyTable, Reading
from ldag.errors import ArgumentError
from ldag.formats import Edge, EdgeRecord, Estimate, GraphRecord, VariableRecord
from ldag.graph import LDAG, check_pairs, family_counts, take_states
from ldag.model import (
    ClassPosteriors,
    ClassTable,
    Smoothing,
    Spread,
    Variable,
    class_counts,
    configuration_counts,
    log_likelihood,
)
from ldag.network.arguments import Given, check_parameters
from ldag.scoring import check_smoothing, family_log_predictive


@dataclass(frozen=True, eq=False)
class Learned:
    """What a network knows of the data its parameters were estimated from: a posterior per node."""

    posteriors: tuple[ClassPosteriors, ...]
    smoothing: Smoothing
    estimate: Estimate


@dataclass(frozen=True, eq=False, repr=False)
class NetworkBase:
    """The value itself. ``probabilities`` (by node, a row per class) and ``learned`` are for the library itself.

    ``origin`` says where a learned network comes from: kappa, score, settings, version, date and a digest of the data.
    Its JSON form keeps it; it makes no difference to what the network is.
    """

    ldag: LDAG
    probabilities: tuple[ClassTable, ...]
    learned: Learned | None = None
    origin: Mapping[str, object] | None = None

    @classmethod
    def from_data(
        cls,
        graph: LDAG | Iterable[tuple[str, str]],
        data: AnyTable,
        *,
        equivalent_sample_size: float = 1.0,
        spread: Spread = "configurations",
        estimate: Estimate = "mean",
        **reading: Unpack[Reading],
    ) -> Self:
        """Estimate the parameters of a graph.

        Parameters
        ----------
        graph
            The graph; data must have its variables, and no state that it does not know. Variables that were written
            without states (``LDAG.from_text("gender -> height")``) have those of the data, and further columns are left
            out. Edges alone, pairs (parent, child), do as well.
        data
            The data.
        equivalent_sample_size
            How many observations the prior counts for; the states share them evenly.
        spread
            How they are spread: evenly over the configurations of the parents ("configurations"), or so many to every
            class, however large it is ("classes"; mostly 1 to 8 are good).
        estimate
            "mean": the means of the posterior; "likelihood": relative frequencies, with equal probabilities in a class
            that was never observed. The posterior is kept in both cases.
        **reading
            How a table that is no `Dataset` is read: the options of `read`, but those on columns if there is a graph,
            which knows these.

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> print(net.classes("pressure"))
        pressure | smoking, protein     "<140"  ">140"
          smoking=no or protein=">3"    0.5384  0.4616
          smoking=yes and protein="<3"  0.6738  0.3262
        """
        smoothing = check_smoothing(equivalent_sample_size, spread)
        check_choice(estimate, get_args(Estimate), "estimate")
        graph = graph if isinstance(graph, LDAG) else _graph_of_edges(graph)
        graph, known = take_states(graph, data, reading)
        return cls.from_counts(graph, _counts_by_class(graph, known), smoothing, estimate)

    @classmethod
    def from_parameters(cls, graph: LDAG, parameters: Given) -> Self:
        """Give the parameters of a graph; such a network has no posterior.

        Parameters
        ----------
        graph
            The graph.
        parameters
            For each node a list of distributions, one per class, in the order of ``graph.reduced_cpt(node)``. A
            distribution is a mapping from state to probability, or the probabilities in the order of the states. A
            node with one class may have its distribution without a list.

        Examples
        --------
        >>> import ldag
        >>> rain = ldag.LDAG.from_edges([("rain", "grass")], states={"rain": ["no", "yes"], "grass": ["dry", "wet"]})
        >>> net = ldag.Network.from_parameters(rain, {"rain": [0.8, 0.2], "grass": [[0.9, 0.1], {"dry": 0, "wet": 1}]})
        >>> net.dimension
        3
        """
        return cls(graph, check_parameters(graph, parameters))

    @classmethod
    def from_counts(
        cls, graph: LDAG, counts: Sequence[ClassTable], smoothing: Smoothing, estimate: Estimate = "mean"
    ) -> Self:
        """Estimate from counts by class; for the library itself."""
        families = graph.structure.families
        posteriors = tuple(
            ClassPosteriors.of(f.partition, smoothing, table) for f, table in zip(families, counts, strict=True)
        )
        tables = tuple(p.mean() if estimate == "mean" else p.maximum_likelihood() for p in posteriors)
        return cls(graph, tables, Learned(posteriors, smoothing, estimate))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NetworkBase):
            return NotImplemented
        mine, theirs = self.ldag, other.ldag
        if (mine.schema, mine.structure) != (theirs.schema, theirs.structure):
            return False
        a, b = self._numbers, other._numbers
        return len(a) == len(b) and all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))

    def __hash__(self) -> int:
        return hash((self.ldag.schema, self.ldag.structure))

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables, in order."""
        return self.ldag.variables

    @property
    def dimension(self) -> int:
        """Number of free parameters: (states - 1) per class."""
        return self.ldag.dimension

    @property
    def forbidden(self) -> tuple[Edge, ...]:
        """The opposites of the edges that constraints let point one way only when the graph was learned."""
        kept = (self.origin or {}).get("forbidden")
        pairs = kept if isinstance(kept, list) else []
        names = [tuple(map(str, pair)) for pair in pairs if isinstance(pair, list)]
        own = {(child, parent) for parent, child in self.ldag.edges}
        return tuple((name[0], name[1]) for name in names if name in own)

    @property
    def knows_constraints(self) -> bool:
        """Whether it is known which directions constraints gave to a learned graph; old files say only if any did."""
        origin = self.origin or {}
        settings = origin.get("settings")
        return "forbidden" in origin or not (isinstance(settings, Mapping) and settings.get("constrained"))

    @property
    def equivalent_sample_size(self) -> float | None:
        """How many observations the prior counts for; None if there is no posterior."""
        return None if self.learned is None else self.learned.smoothing.size

    @property
    def spread(self) -> Spread | None:
        """How the observations of the prior are spread, as in `from_data`; None if there is no posterior."""
        return None if self.learned is None else self.learned.smoothing.spread

    def parameters(self, node: str) -> tuple[tuple[float, ...], ...]:
        """Return the probabilities of a node's states (in order), one tuple per class; `from_parameters` takes them."""
        table = self.probabilities[self.ldag.schema.node(node)]
        return tuple(tuple(row) for row in table.tolist())

    def update(self, more: AnyTable, **reading: Unpack[Reading]) -> Self:
        """Return the network after seeing more data: exactly the one estimated from all data at once."""
        learned = self._posterior("update")
        counts = _counts_by_class(self.ldag, more, reading)
        total = [posterior.counts + new for posterior, new in zip(learned.posteriors, counts, strict=True)]
        updated = self.from_counts(self.ldag, total, learned.smoothing, learned.estimate)
        of_old_data = ("score", "trace", "cross_validation", "data")
        origin = {name: value for name, value in (self.origin or {}).items() if name not in of_old_data}
        return replace(updated, origin=origin or None)

    def log_likelihood(self, data: AnyTable, **reading: Unpack[Reading]) -> float:
        """Return the log probability of data under the parameters; minus infinity if a row is impossible."""
        counts = _counts_by_class(self.ldag, data, reading)
        return sum(log_likelihood(table, p) for table, p in zip(counts, self.probabilities, strict=True))

    def log_predictive(self, data: AnyTable, **reading: Unpack[Reading]) -> float:
        """Return the log posterior predictive probability of new data, the parameters integrated out (equation 11).

        It is the sum over rows of each row's log predictive probability after the rows before it were learned from.
        """
        learned = self._posterior("log_predictive")
        total = 0.0
        new = family_counts(self.ldag, data, reading)
        for posterior, (_, fresh, family) in zip(learned.posteriors, new, strict=True):
            trained = configuration_counts(posterior.counts, family.partition)
            total += family_log_predictive(trained, fresh, family, learned.smoothing)
        return total

    @property
    def _numbers(self) -> tuple[ClassTable, ...]:
        """All that must be equal in equal networks."""
        if self.learned is None:
            return self.probabilities
        counts = tuple(posterior.counts for posterior in self.learned.posteriors)
        size, spread = self.learned.smoothing
        return (*self.probabilities, np.array([size, spread == "classes"]), *counts)

    def _posterior(self, what: str) -> Learned:
        if self.learned is None:
            raise ArgumentError(f"{what} needs a posterior; this network was given by its probabilities, not by data")
        return self.learned


def _graph_of_edges(edges: Iterable[tuple[str, str]]) -> LDAG:
    """Return the graph of edges over the variables they name, which have no states yet."""
    pairs = check_pairs(edges)
    names = dict.fromkeys(name for pair in pairs for name in pair)
    if not names:
        raise ArgumentError("give at least one edge, a pair (parent, child)")
    records = tuple(EdgeRecord(parent, child) for parent, child in pairs)
    return LDAG.from_record(GraphRecord(tuple(map(VariableRecord, names)), records))


def _counts_by_class(graph: LDAG, data: AnyTable, reading: Reading | None = None) -> tuple[ClassTable, ...]:
    return tuple(class_counts(counts, family.partition) for _, counts, family in family_counts(graph, data, reading))
