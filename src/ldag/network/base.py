"""What a network is: a labelled DAG, a distribution for every class, and the posterior they come from."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum
from pathlib import Path
from typing import TYPE_CHECKING, Self, Unpack, get_args

import numpy as np

from ldag.checks import check_choice, check_path, check_text, is_number
from ldag.data import AnyTable, Dataset, Reading, check_data
from ldag.drawing import Presentable
from ldag.errors import ArgumentError, FormatError, argument, by_door, option, tell
from ldag.formats import (
    Edge,
    EdgeRecord,
    Estimate,
    FileRecord,
    Format,
    GraphRecord,
    NetworkRecord,
    TableRecord,
    TabularRecord,
    VariableRecord,
    check_model,
    format_named,
    format_of,
    from_pgmpy,
    from_pyagrum,
    name_file,
    read_file,
    read_file_as,
    read_named,
    say_twice,
    spell_plainly,
    to_pgmpy,
    to_pyagrum,
    write_atomically,
)
from ldag.graph import (
    LDAG,
    assemble,
    assemble_tables,
    check_pairs,
    disassemble,
    disassemble_tables,
    family_counts,
    take_states,
)
from ldag.model import (
    ClassPosteriors,
    ClassTable,
    Partition,
    PruningAverage,
    Smoothing,
    Spread,
    Variable,
    class_counts,
    estimate_means,
    freeze,
)
from ldag.network.arguments import TOLERANCE, Given, check_parameters
from ldag.network.em import EM, FitOptions, fit_with_gaps, need_cells, refuse_em_options, split_fit_options
from ldag.scoring import check_smoothing, check_trees

if TYPE_CHECKING:
    import pyagrum
    from pgmpy.models import DiscreteBayesianNetwork


UPDATE_INSTEAD = "Network.from_data(graph, old.merge(more)) estimates from all data at once"


@dataclass(frozen=True, eq=False)
class Learned:
    """What a network knows of the data its parameters were estimated from: a posterior per node."""

    posteriors: tuple[ClassPosteriors, ...]
    smoothing: Smoothing
    estimate: Estimate
    kappa: float | None = None
    """The price of a parameter in averages over prunings."""


@dataclass(frozen=True, eq=False, repr=False)
class NetworkBase(Presentable):
    """The value itself. ``probabilities`` (by node, a row per class) and ``learned`` are for the library itself.

    ``origin`` says where a learned network comes from: kappa, score, settings, version, date and a digest of the data.
    Its JSON form keeps it; it makes no difference to what the network is. Nor does ``em``, which says how parameters
    were estimated from data with gaps; it is None where there were none.
    """

    ldag: LDAG
    probabilities: tuple[ClassTable, ...]
    learned: Learned | None = None
    origin: Mapping[str, object] | None = None
    em: EM | None = None

    @classmethod
    def from_data(
        cls,
        graph: LDAG | Iterable[tuple[str, str]],
        data: AnyTable,
        *,
        equivalent_sample_size: float = 1.0,
        spread: Spread = "configurations",
        estimate: Estimate = "mean",
        kappa: float | None = None,
        **options: Unpack[FitOptions],
    ) -> Self:
        """Estimate the parameters of a graph; where the data have gaps, by EM.

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
            class, however large it is ("classes"; mostly 1 to 8 are good). Where trees tell the classes of all nodes:
            so many to every leaf, spread as the states of the node above it are ("nested"; mostly 4 to 64).
        estimate
            "mean": the means of the posterior; "likelihood": relative frequencies, with equal probabilities in a class
            that was never observed. Where trees tell the classes: "averaged", the means of all prunings of the tree,
            each as probable as its leaves' marginal likelihood and ``kappa`` make it. The posterior of the leaves is
            kept in all cases.
        kappa
            For "averaged": what a parameter more costs a pruning, above 0 and at most 1; mostly 0.03 is good.
        start
            Where the data have gaps: a network of the same graph to start from. Otherwise EM starts from equal
            probabilities or, where a variable was never observed, from random ones.
        n_restarts
            The number of starts, the best of which is taken: 10 where a variable was never observed, or else 1.
        n_iter, tolerance
            EM ends when no more than ``tolerance`` nats (1e-10) are still to be gained, by the rate at which steps
            shrink, or after ``n_iter`` steps (10,000), which is told. A tolerance of 0 takes them all.
        accelerate
            Whether steps are followed by leaps where they become small (SQUAREM); the objective never falls.
        rng
            Seed of random starts, or a numpy Generator; None is 0.
        n_jobs, time_limit, progress
            Threads, which change no digit (-1: all cores); seconds; and who hears how far it is, as in `learn`.
        **options
            How a table that is no `Dataset` is read: the options of `read`, but those on columns if there is a graph,
            which knows these. ``missing="keep"`` keeps gaps.

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
        of_em, reading = split_fit_options(options)
        graph, known = take_states(graph, data, reading)
        _check_estimate(graph, smoothing, estimate, kappa, known)
        if known.has_gaps:
            counts, em = fit_with_gaps(graph, known, smoothing, estimate, of_em)
            return replace(cls.from_counts(graph, counts, smoothing, estimate), em=em)
        refuse_em_options(of_em)
        return cls.from_counts(graph, counts_by_class(graph, known), smoothing, estimate, kappa)

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
        tables = check_parameters(graph, parameters)
        return cls(graph.with_states(graph.variables), tables)  # the tables are of these states

    @classmethod
    def from_counts(
        cls,
        graph: LDAG,
        counts: Sequence[ClassTable],
        smoothing: Smoothing,
        estimate: Estimate = "mean",
        kappa: float | None = None,
    ) -> Self:
        """Estimate from counts by class; for the library itself."""
        families = graph.structure.families
        posteriors = tuple(
            ClassPosteriors.of(f.partition, smoothing, table) for f, table in zip(families, counts, strict=True)
        )
        own = zip(families, posteriors, strict=True)
        tables = tuple(estimate_classes(f.partition, p, smoothing, estimate, kappa) for f, p in own)
        return cls(graph, tables, Learned(posteriors, smoothing, estimate, kappa))

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
        """Return the network after seeing more data: exactly the one estimated from all data at once.

        Data with gaps are refused. Where the earlier data had gaps, their expected counts stay as they are.
        """
        learned = self._posterior("update")
        known = need_cells(check_data(more, self.ldag.schema, reading), "update", UPDATE_INSTEAD)
        if self.em is not None:
            tell((f"the earlier data had gaps, and their expected counts stay as they are; {UPDATE_INSTEAD}",))
        counts = counts_by_class(self.ldag, known)
        total = [posterior.counts + new for posterior, new in zip(learned.posteriors, counts, strict=True)]
        updated = self.from_counts(self.ldag, total, learned.smoothing, learned.estimate, learned.kappa)
        of_old_data = ("score", "trace", "cross_validation", "data")
        origin = {name: value for name, value in (self.origin or {}).items() if name not in of_old_data}
        return replace(updated, origin=origin or None)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read the JSON form (see docs/ldag.schema.json)."""
        return cls.from_format(text, "json")

    def to_json(self) -> str:
        """Return the JSON form: the graph, and a row of counts or probabilities per class.

        Reading it gives this network back, with every number as it was.
        """
        return self.to_format("json")

    @classmethod
    def from_format(cls, text: str, name: str) -> Self:
        """Read the text of any format that holds networks, by its short name: "json", "bif", "uai", ..."""
        return cls.from_model(read_named(check_text(text), name))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file that holds parameters, in the format of its ending (.json, .bif, .net, ...).

        Where a format has full tables, configurations with equal rows (to 12 digits; zero equals only zero) become one
        class, so that labels are recovered.
        """
        return read_file_as(check_path(path), cls.from_model)

    def _save_file(self, path: str | os.PathLike[str]) -> None:
        known = format_of(check_path(path), "networks")
        write_atomically(Path(path), self._spell(known).encode())

    def to_format(self, name: str) -> str:
        """Return the text of any format by its short name ("bif", "uai", ...); the graph where it has no parameters."""
        known = format_named(name)
        return self._spell(known) if known.writes_networks else self.ldag.to_format(name)

    def _spell(self, known: Format) -> str:
        if known.write_network is not None:
            return known.write_network(self._to_record())
        assert known.write_tables is not None
        return known.write_tables(self._to_tables())

    @classmethod
    def from_pgmpy(cls, model: "DiscreteBayesianNetwork") -> Self:
        """Take over a discrete network of pgmpy; configurations with equal rows become one class."""
        return cls.from_model(from_pgmpy(model))

    def to_pgmpy(self, *, plain: bool = False) -> "DiscreteBayesianNetwork":
        """Return a ``pgmpy.models.DiscreteBayesianNetwork`` with full tables.

        With ``plain``, names and states are words of letters, digits and underscores, as in a BIF file that `save`
        writes: pgmpy writes files that nobody can read if there are others, such as "<= 30".
        """
        return to_pgmpy(self._to_tables(plain=plain))

    @classmethod
    def from_pyagrum(cls, network: "pyagrum.BayesNet") -> Self:
        """Take over a network of pyAgrum; configurations with equal rows become one class."""
        return cls.from_model(from_pyagrum(network))

    def to_pyagrum(self, *, plain: bool = False) -> "pyagrum.BayesNet":
        """Return a ``pyagrum.BayesNet`` with full tables; states become texts.

        With ``plain``, names and states are words of letters, digits and underscores, as in a BIF file that `save`
        writes: pyAgrum neither writes nor reads others, such as "<= 30", in most formats.
        """
        return to_pyagrum(self._to_tables(plain=plain))

    @classmethod
    def load_model(cls, path: str | os.PathLike[str]) -> Self | LDAG:
        """Read a network, or a graph from a file that holds no parameters."""
        record = read_file(check_path(path))
        with name_file(path):
            return LDAG.from_record(record) if isinstance(record, GraphRecord) else cls.from_model(record)

    @classmethod
    def from_model(cls, file: FileRecord) -> Self:
        """Make a network of whatever was read; for the library itself."""
        record = check_model(file)
        if isinstance(record, GraphRecord):
            how = by_door("Network.from_data(LDAG.load(...), data) estimates them", "`ldag fit` estimates them")
            raise FormatError(f"this is a graph without parameters; {how}")
        if isinstance(record, NetworkRecord):
            return cls._from_record(record)
        schema, structure, tables = assemble_tables(record)
        return cls(LDAG(schema, structure), tables)

    def _to_tables(self, *, plain: bool = False) -> TabularRecord:
        record = disassemble_tables(self.ldag.schema, self.ldag.structure, self.probabilities)
        return spell_plainly(record) if plain else record

    @classmethod
    def _from_record(cls, record: NetworkRecord) -> Self:
        graph = LDAG(*assemble(record.graph))
        tables = _read_tables(graph, record)
        if record.equivalent_sample_size is None or record.estimate is None:
            return cls(graph, tables, origin=record.origin)
        smoothing = Smoothing(record.equivalent_sample_size, record.spread)
        _check_estimate(graph, smoothing, record.estimate, record.kappa)
        net = cls.from_counts(graph, tables, smoothing, record.estimate, record.kappa)
        return replace(net, origin=record.origin, em=None if record.em is None else EM.from_record(record.em))

    def _to_record(self) -> NetworkRecord:
        learned = self.learned
        graph = disassemble(self.ldag.schema, self.ldag.structure)
        tables = self.probabilities if learned is None else [posterior.counts for posterior in learned.posteriors]
        records = tuple(
            TableRecord(variable.name, tuple(map(tuple, table.tolist())))
            for variable, table in zip(self.variables, tables, strict=True)
        )
        if learned is None:
            return NetworkRecord(graph, records, origin=self.origin)
        size, spread = learned.smoothing
        em = None if self.em is None else self.em.to_record()
        return NetworkRecord(graph, records, size, learned.estimate, self.origin, spread, em, learned.kappa)

    @property
    def _numbers(self) -> tuple[ClassTable, ...]:
        """All that must be equal in equal networks."""
        if self.learned is None:
            return self.probabilities
        counts = tuple(posterior.counts for posterior in self.learned.posteriors)
        size, spread = self.learned.smoothing
        return (*self.probabilities, np.array([size, get_args(Spread).index(spread)]), *counts)

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


def estimate_classes(
    partition: Partition, posterior: ClassPosteriors, smoothing: Smoothing, estimate: Estimate, kappa: float | None
) -> ClassTable:
    """Return the distribution of every class of a node."""
    if estimate == "averaged":
        return estimate_means(partition, PruningAverage(*smoothing, kappa or 1.0), posterior.counts)
    return posterior.mean() if estimate == "mean" else posterior.maximum_likelihood()


def _check_estimate(
    graph: LDAG, smoothing: Smoothing, estimate: Estimate, kappa: float | None, data: Dataset | None = None
) -> None:
    """Check that what learns from the nodes above leaves is asked of trees, and has what it needs."""
    if (estimate == "averaged") != (kappa is not None):
        raise ArgumentError(f"{argument('kappa')} goes with {option('estimate', 'averaged')}, and one needs the other")
    if kappa is not None and not (is_number(kappa) and 0 < kappa <= 1):
        raise ArgumentError(f"{argument('kappa')} must be a number above 0 and at most 1, got {kappa!r}")
    if estimate == "averaged" and smoothing.spread == "nested":
        raise ArgumentError(f"{option('estimate', 'averaged')} has prunings of its own; it does not go with 'nested'")
    what = option("estimate", "averaged") if estimate == "averaged" else option("spread", "nested")
    if estimate == "averaged" or smoothing.spread == "nested":
        check_trees(graph, what, data)


def counts_by_class(graph: LDAG, data: AnyTable, reading: Reading | None = None) -> tuple[ClassTable, ...]:
    """Return the counts of every node in data, a row per class."""
    return tuple(class_counts(counts, family.partition) for _, counts, family in family_counts(graph, data, reading))


def _read_tables(graph: LDAG, record: NetworkRecord) -> tuple[ClassTable, ...]:
    """Return the table of every node in order; each must be there once and have the right shape."""
    first: dict[int, TableRecord] = {}
    for table in record.tables:
        node = graph.schema.node(table.node, table.where)
        if node in first:
            raise say_twice(f"the table of {table.node!r}", table.where, first[node].where)
        first[node] = table
    for node, variable in enumerate(graph.schema):
        if node not in first:
            raise FormatError(f"parameters: the table of {variable.name!r} is missing")
        _check_shape(first[node], graph.structure.families[node].partition.n_classes, variable.n_states)
        if record.equivalent_sample_size is None:
            _check_sums(first[node])
    return tuple(freeze(np.array(first[node].rows)) for node in range(len(graph.schema)))


def _check_shape(table: TableRecord, n_classes: int, n_states: int) -> None:
    lengths = {len(row) for row in table.rows}
    if len(table.rows) != n_classes or lengths != {n_states}:
        raise FormatError(
            f"{table.where}expected {n_classes} rows (the classes of {table.node!r}) of {n_states} numbers (its"
            f" states), got {len(table.rows)} of {' or '.join(map(str, sorted(lengths))) or 'none'}"
        )


def _check_sums(table: TableRecord) -> None:
    for number, row in enumerate(table.rows):
        if abs(fsum(row) - 1) > TOLERANCE:
            place = f"{table.where.removesuffix(': ')}.probabilities[{number}]"
            raise FormatError(f"{place}: probabilities must sum to 1, these sum to {fsum(row):.10g}")
