"""Several networks as one: `Mixture`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import exp, isclose, log
from os import PathLike
from typing import Any, Self, TypeVar, Unpack, cast, overload

import numpy as np
from numpy.typing import NDArray

from ldag.checks import Rng, check_generator, check_share, check_whole, tell_renamed
from ldag.data import AnyTable, Dataset, Reading, check_data, state_columns
from ldag.drawing import Presentable
from ldag.errors import ArgumentError, ImpossibleEvidence, counted
from ldag.formats import Context, DocumentRecord, Edge, read_document, write_document
from ldag.graph import LDAG
from ldag.inference import MEMORY_LIMIT
from ldag.learning import AverageGain
from ldag.model import Schema, normalise, smoothing_of
from ldag.network import (
    Answer,
    AveragedAnswer,
    Findings,
    ImputeOptions,
    Marginals,
    Network,
    QueryOptions,
    RowTable,
    Targets,
    Unseen,
    row_log_probabilities,
)
from ldag.uncertainty.agreement import Chance, EdgeChances, strongest_first
from ldag.uncertainty.consensus import WeighedGraphs
from ldag.uncertainty.imputing import impute_by_members
from ldag.uncertainty.mixture_files import pack_members, unpack_members

T = TypeVar("T")

N_DRAWS = 1000
"""Draws of a member and its parameters for an interval."""

MOST_PAIRS = 40
"""Pairs that are printed."""

VARIETIES = {
    "order": "under a random order of the variables",
    "bootstrap": "from rows drawn again",
    "both": "from rows drawn again, under a random order of the variables",
    "imputation": "from a table of its own, whose gaps were drawn",
}
"""Where members differ, in words."""


@dataclass(frozen=True, eq=False, repr=False)
class Mixture(WeighedGraphs, Presentable):
    """Networks over the same variables, each with a weight: what they say together, and how far they disagree.

    Parameters
    ----------
    members
        The networks.
    weights
        How much each counts; equal weights if left out. They are made to sum to 1.
    notes
        What is to be known of how they were learned, such as how many had no time to come to their end.
    settings
        How they were learned, as plain values.
    gain
        How much better they predict held-out rows than one network; None if it was not measured.
    data
        What they were learned from, which a report tells of; files do not have it.

    Examples
    --------
    >>> import ldag
    >>> heart = ldag.datasets.load("heart")
    >>> both = [ldag.learn(heart, kappa=kappa, equivalent_sample_size=1).network for kappa in (0.001, 0.5)]
    >>> answer = ldag.Mixture(both).query("pressure", given={"smoking": "yes"})
    >>> {state: round(p, 3) for state, p in answer.items()}
    {'<140': 0.589, '>140': 0.411}
    """

    members: Sequence[Network]
    weights: Sequence[float] | None = None
    notes: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    gain: AverageGain | None = None
    data: Dataset | None = None
    _shares: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "members", tuple(self.members))
        if not self.members or not all(isinstance(member, Network) for member in self.members):
            raise ArgumentError("a mixture needs at least one member, and all of them must be networks")
        if any(member.ldag.schema != self.members[0].ldag.schema for member in self.members):
            raise ArgumentError("the members of a mixture must have the same variables, in the same order")
        shares = np.ones(len(self.members)) if self.weights is None else np.asarray(self.weights, dtype=np.float64)
        if shares.shape != (len(self.members),) or not np.all(np.isfinite(shares) & (shares >= 0)) or not shares.sum():
            raise ArgumentError(
                f"weights must be {counted(len(self.members), 'number')}, 0 or more, one per member, and not all 0"
            )
        total = shares.sum()  # what sums to 1 already is kept as it is, to the last digit
        object.__setattr__(self, "_shares", shares if isclose(total, 1.0, rel_tol=1e-12) else shares / total)
        object.__setattr__(self, "weights", tuple(self._shares.tolist()))

    def __repr__(self) -> str:
        words = f"Mixture of {counted(len(self), 'network')} over {counted(len(self.variables), 'variable')}"
        return f"<{'; '.join([words, *self.notes])}>"

    def __str__(self) -> str:
        joined = [edge for edge in self.edges.one_per_pair() if edge.either_direction > 0.5]
        lines = [f"note: {note}" for note in self.notes]
        lines.append(self.tell_learned())
        lines.append("pairs that most of them join:" if joined else "no pair is joined by most of them")
        pairs = {f"{edge.parent} - {edge.child}": edge.either_direction for edge in joined[:MOST_PAIRS]}
        width = max(map(len, pairs), default=0)
        lines += (f"  {pair:<{width}}  {share:.2f}" for pair, share in pairs.items())
        lines += [f"  and {len(joined) - MOST_PAIRS} more"] if len(joined) > MOST_PAIRS else []
        return "\n".join(lines)

    def tell_learned(self) -> str:
        """Say how the members were learned and what they gain, as far as it is known; for the library itself."""
        lines = [f"{counted(len(self), 'network')} over {counted(len(self.variables), 'variable')}"]
        if self.settings:
            lines += self._settings_in_words()
        if self.gain is not None:
            lines.append(f"{self.gain.n_members} of them against one network, on {self.gain.rows_in_words()}")
        return "\n".join(lines)

    def _settings_in_words(self) -> Iterator[str]:
        kinds = {"table": "tables", "ldag": "labels"}
        kind = kinds.get(self.settings["structure"], f"structure {self.settings['structure']!r}")
        variety = VARIETIES[self.settings["by"]].replace("rows", self.settings.get("groups", "rows"))
        yield f"with {kind}, each {variety}"
        size, smoothing = self.settings["equivalent_sample_size"], smoothing_of(self.settings["smoothing"])
        chosen = ", chosen by cross-validation" if self.settings["chosen"] else ""
        yield f"equivalent sample size {size:g}, smoothing {smoothing.in_words()}{chosen}"

    def summary(self) -> dict[str, object]:
        """Return what is printed as plain values."""
        edges = [edge.as_strength() for edge in self.edges]
        told = {"settings": dict(self.settings), "gain": None if self.gain is None else self.gain._asdict()}
        return {"n": len(self), "notes": self.notes, **told, "edges": edges}

    def __len__(self) -> int:
        return len(self.members)

    @property
    def schema(self) -> Schema:  # type: ignore[override]  # that of the members
        """The variables by number; for the library itself."""
        return self.members[0].ldag.schema

    @cached_property
    def edges(self) -> EdgeChances:
        """Every ordered pair with the weight of the networks that join it, the strongest first."""
        title = f"How much of the weight of {counted(len(self), 'network')} has each edge"
        return strongest_first(self.schema.names, self._arcs, title)

    def edge(self, parent: str, child: str) -> Chance:
        """Return the weight of the networks that have an edge."""
        self._pair(parent, child)
        return Chance(self._arcs.get((parent, child), 0.0))

    def consensus(self, threshold: float = 0.5) -> LDAG:
        """Return one acyclic graph of the pairs that more of the weight joins, directed and labelled by the majority.

        Examples
        --------
        >>> import ldag
        >>> ldag.average(ldag.datasets.load("ucb"), 5, equivalent_sample_size=1).consensus().edges
        (('department', 'admitted'), ('gender', 'department'))
        """
        at = check_share(threshold, "threshold")
        return self._by_threshold.get(at) or self._by_threshold.setdefault(at, self._consensus_above(at))

    def consensus_network(self, data: "AnyTable | None" = None, **reading: Unpack[Reading]) -> Network:
        """Return the consensus with parameters: estimated from data, or else what the members together say of each.

        Examples
        --------
        >>> import ldag
        >>> several = ldag.average(ldag.datasets.load("ucb"), 5)
        >>> several.consensus_network().ldag == several.consensus()
        True
        """
        graph, known = self.consensus(), self.data if data is None else check_data(data, self.schema, reading)
        if known is not None:
            size, spread, *_ = self.settings.get("smoothing", (1.0, "configurations"))
            spread = cast("Any", "classes" if spread == "nested" else spread)  # a consensus has no trees
            return Network.from_data(graph, known, equivalent_sample_size=size, spread=spread)
        tables = []
        for node, family in enumerate(graph.structure.families):
            names = [self.schema[other].name for other in (*family.parents, node)]
            joint = np.array(list(self.query(names).values())).reshape(family.partition.grid.size, -1)
            by_class = family.partition.add_up(joint)
            unknown = by_class.sum(axis=1, keepdims=True) == 0
            tables.append(normalise(np.where(unknown, 1.0, by_class)))
        return Network(graph, tuple(tables))

    @cached_property
    def _by_threshold(self) -> dict[float, LDAG]:
        return {}

    @cached_property
    def _arcs(self) -> dict[Edge, float]:
        arcs: dict[Edge, float] = {}
        for graph, share in self._weighed:
            for edge in graph.edges:
                arcs[edge] = arcs.get(edge, 0.0) + share
        return arcs

    @cached_property
    def _weighed(self) -> list[tuple[LDAG, float]]:
        return [(m.ldag, share) for m, share in zip(self.members, self._shares.tolist(), strict=True)]

    @overload  # type: ignore[override]  # what is returned follows from interval
    def query(
        self, targets: Targets, given: Findings | None = None, *, interval: None = None, **more: Unpack[QueryOptions]
    ) -> Answer: ...
    @overload
    def query(
        self, targets: Targets, given: Findings | None = None, *, interval: float, **more: Unpack[QueryOptions]
    ) -> AveragedAnswer: ...
    def query(
        self,
        targets: Targets,
        given: Any = None,
        *,
        do: Context | None = None,
        interval: float | None = None,
        n_draws: int = N_DRAWS,
        rng: Rng = None,
        memory_limit: int | str = MEMORY_LIMIT,
    ) -> Answer | AveragedAnswer:
        """Return the distribution of a variable, or the joint one of several, as `Network.query` does.

        What is given counts as evidence about the members too: those that expected it weigh more.

        With ``interval``, such as 0.95, every probability has an equal-tailed interval: ``n_draws`` members are drawn
        by these weights, and their parameters from their posteriors.
        """
        names = targets if isinstance(targets, str) else tuple(targets)
        if interval is not None:
            check_share(interval, "interval", inside=True)
        shares = self._given_evidence(given, do, memory_limit)
        total = Answer()
        for member, share in zip(self.members, shares.tolist(), strict=True):
            if share > 0:
                part = member.query(names, given, do=do, memory_limit=memory_limit)
                total.targets, total.said = part.targets, part.said
                for state, p in part.items():
                    total[state] = total.get(state, 0.0) + share * p
        if interval is None:
            return total
        answers = self._draw_from(shares, names, given, do, n_draws, rng)
        return self.members[0].asking.name_interval(self.schema.nodes(total.targets), total, answers, interval)

    def query_interval(
        self, targets: Targets, given: Context | None = None, *, interval: float = 0.95, **options: Any
    ) -> AveragedAnswer:
        """Answer with an interval; the old name of ``query(..., interval=0.95)``."""
        tell_renamed("Mixture.query_interval(...)", "Mixture.query(..., interval=0.95)")
        return self.query(targets, given, interval=interval, **options)

    def query_draws(
        self, names: str | tuple[str, ...], given: Findings | None, do: Context | None, interval: float, **draws: Any
    ) -> AveragedAnswer:
        """Return means over draws, with intervals, where what is given says nothing about the members: a posterior."""
        answers = self.draw_answers(names, given, do=do, **draws)
        asking, nodes = self.members[0].asking, self.schema.nodes(names)
        return asking.name_interval(nodes, asking.name_answer(nodes, answers.mean(axis=0)), answers, interval)

    def draw_answers(
        self,
        targets: Targets,
        given: Findings | None = None,
        *,
        do: Context | None = None,
        n_draws: int,
        rng: Rng = None,
    ) -> NDArray[np.float64]:
        """Return what members, drawn by their weights, answer with parameters from their posteriors; in their order."""
        names = targets if isinstance(targets, str) else tuple(targets)
        return self._draw_from(self._shares, names, given, do, n_draws, rng)

    def _draw_from(
        self,
        shares: NDArray[np.float64],
        names: str | tuple[str, ...],
        given: Findings | None,
        do: Context | None,
        n_draws: int,
        rng: Rng,
    ) -> NDArray[np.float64]:
        """Return answers of members that are drawn by some weights."""
        generator = check_generator(rng)
        numbers = _spread(shares, check_whole(n_draws, "n_draws"), generator)
        return np.concatenate(
            [
                member.draw_answers(names, given, do=do, n_draws=number, rng=generator)
                for member, number in zip(self.members, numbers.tolist(), strict=True)
                if number
            ]
        )

    def marginals(
        self, given: Findings | None = None, *, do: Context | None = None, memory_limit: int | str = MEMORY_LIMIT
    ) -> Marginals:
        """Return the distribution of every variable."""
        shares = self._given_evidence(given, do, memory_limit)
        total = Marginals({v.name: dict.fromkeys(v.states, 0.0) for v in self.variables})
        for member, share in zip(self.members, shares.tolist(), strict=True):
            if share > 0:
                part = member.marginals(given, do=do, memory_limit=memory_limit)
                total.said = part.said
                for name, distribution in part.items():
                    for state, p in distribution.items():
                        total[name][state] += share * p
        return total

    def probability(
        self,
        event: Findings,
        given: Findings | None = None,
        *,
        do: Context | None = None,
        memory_limit: int | str = MEMORY_LIMIT,
    ) -> float:
        """Return the probability of an event, states of some variables, as `Network.probability` does."""
        return exp(self.log_probability(event, given, do=do, memory_limit=memory_limit))

    def log_probability(
        self,
        event: Findings,
        given: Findings | None = None,
        *,
        do: Context | None = None,
        memory_limit: int | str = MEMORY_LIMIT,
    ) -> float:
        """Return the logarithm of `probability`, also where that is too small for a number; minus infinity for zero."""
        shares = self._given_evidence(given, do, memory_limit).tolist()
        logs = [
            log(share) + member.log_probability(event, given, do=do, memory_limit=memory_limit)
            for member, share in zip(self.members, shares, strict=True)
            if share > 0
        ]
        return min(float(np.logaddexp.reduce(logs)), 0.0)

    def sample(self, n: int, rng: Rng = None, *, given: Findings | None = None, do: Context | None = None) -> Dataset:
        """Draw a data set: every row from a member that is drawn by its weight.

        Examples
        --------
        >>> import ldag
        >>> ldag.average(ldag.datasets.load("heart"), 3, equivalent_sample_size=1).sample(1000, rng=1).total
        1000
        """
        check_whole(n, "n")
        generator = check_generator(rng)
        numbers = generator.multinomial(n, self._given_evidence(given, do)).tolist()
        parts = [
            member.sample(number, generator, given=given, do=do)
            for member, number in zip(self.members, numbers, strict=True)
            if number
        ]
        codes = np.concatenate([part.codes for part in parts], axis=1)
        return Dataset.from_codes(parts[0].schema, codes, np.concatenate([part.whole_weights for part in parts]))

    def sample_columns(
        self, n: int, rng: Rng = None, *, given: Findings | None = None, do: Context | None = None
    ) -> dict[str, NDArray[np.generic]]:
        """Draw rows as numpy arrays of states, one per variable; the members' rows are shuffled."""
        data = self.sample(n, generator := check_generator(rng), given=given, do=do)
        rows = generator.permutation(np.repeat(np.arange(data.n_rows), data.whole_weights))
        return state_columns(data.schema, data.codes[:, rows])

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, which `load` can read once they are written as JSON."""
        return {
            "format": "ldag mixture",
            "weights": self._shares.tolist(),
            "notes": list(self.notes),
            "settings": dict(self.settings),
            "gain": None if self.gain is None else list(self.gain),
            **pack_members(self.members),
        }

    def _save_file(self, path: str | PathLike[str]) -> None:
        write_document(DocumentRecord("mixture", self.to_dict()), path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a file that `save` wrote."""
        return read_document(path, "mixture", cls.from_dict)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read what `to_dict` returns."""
        notes = tuple(content.get("notes", ()))  # older files have none, nor settings
        settings = dict(content.get("settings", {}))
        gain = None if content.get("gain") is None else AverageGain(*content["gain"])
        return cls(unpack_members(content), content["weights"], notes, settings, gain)

    def predict_proba(self, data: RowTable, target: str, *, unseen: Unseen = "error") -> NDArray[np.float64]:
        """Return the distribution of a variable given the other cells of every row, as `Network.predict_proba` does."""
        logs = np.array([row_log_probabilities(m.asking, data, target, unseen) for m in self.members])
        with np.errstate(divide="ignore"):
            logs += np.log(self._shares)[:, None]
        largest = logs.max(axis=0)
        if np.isneginf(largest).any():
            row = int(np.flatnonzero(np.isneginf(largest))[0]) + 1
            raise ImpossibleEvidence(f"row {row} has probability zero in every member, so nothing follows from it")
        shares = np.exp(logs - largest)
        shares /= shares.sum(axis=0)
        return np.asarray(
            sum(
                share[:, None] * member.predict_proba(data, target, unseen=unseen)
                for member, share in zip(self.members, shares, strict=True)
            )
        )

    @overload
    def impute(self, data: T, n: None = None, **options: Unpack[ImputeOptions]) -> T: ...
    @overload
    def impute(self, data: T, n: int, **options: Unpack[ImputeOptions]) -> list[T]: ...
    def impute(self, data: T, n: int | None = None, **options: Unpack[ImputeOptions]) -> T | list[T]:
        """Return a table with its gaps filled, as `Network.impute` does.

        Each row is drawn by a member, taken by its weight given the row; for ``proper`` draws one member, by its
        weight, draws a whole table. By row, it is the most probable of what each member finds most probable.
        """
        return impute_by_members(self.members, self._shares, data, n, options)

    def predict(self, data: RowTable, target: str, *, unseen: Unseen = "error") -> NDArray[Any]:
        """Return the most probable state of a variable in every row; of equally probable ones the first."""
        best = self.predict_proba(data, target, unseen=unseen).argmax(axis=1)
        return state_columns(Schema((self.schema[self.schema.node(target)],)), best[None])[target]

    def log_likelihood(self, data: AnyTable, *, integrate: bool = False, **reading: Unpack[Reading]) -> float:
        """Return the log probability of data whose rows come from the mixture, each by itself.

        With ``integrate``, of data that come from one member, whichever it is, its parameters integrated out.
        """
        rows = check_data(data, self.schema, reading).aligned_to(self.schema)
        if integrate:
            logs = [
                log(share) + member.log_likelihood(rows, integrate=True)
                for member, share in zip(self.members, self._shares.tolist(), strict=True)
                if share > 0
            ]
            return float(np.logaddexp.reduce(logs))
        with np.errstate(divide="ignore"):
            by_row = np.array([_row_logs(member, rows) for member in self.members]) + np.log(self._shares)[:, None]
        weights = np.ones(rows.n_rows) if rows.weights is None else rows.weights
        return float(weights @ np.logaddexp.reduce(by_row, axis=0))

    def log_predictive(self, data: AnyTable, **reading: Unpack[Reading]) -> float:
        """Return the log probability of data; the old name of ``log_likelihood(data, integrate=True)``."""
        tell_renamed("Mixture.log_predictive(data)", "Mixture.log_likelihood(data, integrate=True)")
        return self.log_likelihood(data, integrate=True, **reading)

    def _given_evidence(
        self, given: Findings | None, do: Context | None, memory_limit: int | str = MEMORY_LIMIT
    ) -> NDArray[np.float64]:
        """Return the weights of the members after evidence."""
        if not given:
            return self._shares
        with np.errstate(divide="ignore"):
            logs = np.array([m.asking.log_evidence(given, do, memory_limit) for m in self.members])
            logs += np.log(self._shares)
        if np.isneginf(logs.max()):
            raise ImpossibleEvidence("what is given has probability zero in every member, so nothing follows from it")
        shares = np.exp(logs - logs.max())
        return np.asarray(shares / shares.sum())


def _row_logs(member: Network, rows: Dataset) -> NDArray[np.float64]:
    """Return the log probability of the cells of every different row, over the variables of the network."""
    if rows.has_gaps:
        return row_log_probabilities(member.asking, rows)
    logs = np.zeros(rows.n_rows)
    with np.errstate(divide="ignore"):
        for node, family in enumerate(member.ldag.structure.families):
            classes = family.partition.classes_of_rows(rows.codes[list(family.parents)])
            logs += np.log(member.probabilities[node][classes, rows.codes[node]])
    return logs


def _spread(shares: NDArray[np.float64], n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return how often each member is drawn: in proportion, chance deciding only what is left over."""
    whole = np.floor(shares * n)
    rest = shares * n - whole
    left = n - int(whole.sum())
    if left:
        whole += rng.multinomial(left, rest / rest.sum())
    return whole.astype(np.int64)
