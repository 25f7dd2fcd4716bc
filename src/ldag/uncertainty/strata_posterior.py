"""The posterior over decomposable graphs with strata, each counted once: how probable every edge is."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import log
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ldag.checks import check_share
from ldag.constraints import Constraints, search_space
from ldag.data import AnyTable, Dataset, Reading, check_data, describe_data, describe_groups
from ldag.drawing import Drawable
from ldag.errors import (
    ArgumentError,
    GraphError,
    TooLarge,
    UnknownVariable,
    argument,
    counted,
    option,
    say_decomposable,
)
from ldag.formats import (
    Context,
    DocumentRecord,
    Edge,
    conditions,
    read_document,
    read_variables,
    write_document,
    write_variables,
)
from ldag.graph import StratifiedGraph
from ldag.learning import Fit, Settings
from ldag.model import Schema, Variable
from ldag.scoring import order_columns
from ldag.uncertainty.agreement import SHOWN_EDGE, SHOWN_LABEL
from ldag.uncertainty.choices import SIZES, KappaChoice, SizeChoice, check_structure, list_kappas, list_sizes
from ldag.uncertainty.families import Setting
from ldag.uncertainty.strata_families import AskedContext, StrataFamilies

STRATA_POSTERIOR = "strata posterior"
"""What the files of these are called."""

MOST_VARIABLES = 8
"""The sums take five times as long for each further variable: about five seconds for eight, of one setting."""

SHOWN_SETTING = 0.005
"""Less probable kappas and sample sizes are not printed."""


class StratumChance(NamedTuple):
    """How probable it is that two variables are joined, and independent whenever another one has a state.

    The context names one common neighbour; others that the stratum is about may have any state.
    """

    first: str
    second: str
    context: Context
    probability: float
    given_edge: float


@dataclass(frozen=True, repr=False)
class StrataPosterior(Drawable):
    """How probable the edges and strata of a stratified graph are, given data: of ``posterior(decomposable=True)``.

    Over all chordal graphs with strata that some perfect order realises, each of them once: before any data every
    graph weighs kappa for each parameter that its strata save. The most probable graph is the one that
    ``learn(decomposable=True)`` finds under the same kappa and sample size.
    """

    variables: tuple[Variable, ...]
    edges: Mapping[Edge, float]
    """The probability of every pair of variables to be joined, in the order of the variables."""
    strata: tuple[StratumChance, ...]
    """Every stratum by a state of one variable, the most probable first; none where there are no labels."""
    log_evidence: float
    settings: Mapping[tuple[float, float], float]
    """Pairs of a kappa and an equivalent sample size, with their probabilities."""
    n_observations: float
    notes: tuple[str, ...] = field(default=())

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables."""
        return tuple(variable.name for variable in self.variables)

    def edge(self, a: str, b: str) -> float:
        """Return the probability that two variables are joined, in any order."""
        return self.edges[self._pair(a, b)]

    def joined(self, a: str, b: str) -> float:
        """Return the same: other posteriors tell by that name how sure it is that two variables are joined."""
        return self.edge(a, b)

    def stratum(self, a: str, b: str, *, context: Context) -> float:
        """Return the probability that the stratum of an edge holds a context, given that there is the edge.

        The context says the state of one variable. A stratum holds it if the two are independent whenever that
        variable has the state, whatever their other common neighbours are.

        Examples
        --------
        >>> import ldag
        >>> post = ldag.posterior(ldag.datasets.load("ucb"), decomposable=True, kappa=0.5, equivalent_sample_size=1)
        >>> round(post.stratum("gender", "admitted", context={"department": "D"}), 2)
        0.99
        """
        pair = self._pair(a, b)
        codes = Schema(self.variables).context(context, "context: ")
        if len(codes) != 1 or set(context) & set(pair):
            raise ArgumentError(
                f"context: expected the state of one variable other than {a!r} and {b!r}, got {dict(context)}"
            )
        ((node, code),) = codes.items()
        wanted = {self.names[node]: self.variables[node].states[code]}
        kept = [one.given_edge for one in self.strata if (one.first, one.second) == pair and one.context == wanted]
        return kept[0] if kept else 0.0

    def consensus(self, threshold: float = 0.5) -> StratifiedGraph:
        """Return one graph: the edges that are more probable than a threshold, with the strata that are, given these.

        The least probable edges are left out until the graph is chordal, and strata that do not fit together with more
        probable ones.

        Examples
        --------
        >>> import ldag
        >>> post = ldag.posterior(ldag.datasets.load("ucb"), decomposable=True, kappa=0.5, equivalent_sample_size=1)
        >>> print(post.consensus().strata_in_words()[0])
        admitted - gender, independent when department is B, C, D, E or F
        """
        check_share(threshold, "threshold", inside=True)
        kept = sorted((pair for pair, p in self.edges.items() if p > threshold), key=lambda pair: -self.edges[pair])
        while (graph := self._graph(kept, ())) is None:
            kept.pop()
        contexts: list[StratumChance] = []
        for one in sorted(self.strata, key=lambda one: -round(one.given_edge, 12)):
            if one.given_edge > threshold and (more := self._graph(kept, [*contexts, one])) is not None:
                graph = more
                contexts.append(one)
        return graph

    def _graph(self, edges: Sequence[Edge], strata: Sequence[StratumChance]) -> StratifiedGraph | None:
        """Return the graph of some edges and strata; None if there is no such graph."""
        about: dict[Edge, list[Context]] = {}
        for one in strata:
            about.setdefault((one.first, one.second), []).append(one.context)
        pairs = set(map(frozenset, edges))
        without = {
            edge: [
                name
                for name in self.names
                if {frozenset((name, end)) for end in edge} <= pairs
                and any(frozenset((name, other)) not in pairs for context in of for other in context if other != name)
            ]
            for edge, of in about.items()
        }
        try:
            return StratifiedGraph.from_edges(
                sorted(edges, key=list(self.edges).index),
                states={variable.name: variable for variable in self.variables},
                strata=about,
                without=without,
            )
        except GraphError:
            return None

    def _pair(self, a: str, b: str) -> Edge:
        for name in (a, b):
            if name not in self.names:
                raise UnknownVariable(name, self.names)
        if a == b:
            raise ArgumentError(f"expected two different variables, got {a!r} twice")
        return (a, b) if (a, b) in self.edges else (b, a)

    def __repr__(self) -> str:
        return f"<StrataPosterior over decomposable graphs of {counted(len(self.variables), 'variable')}>"

    def __str__(self) -> str:
        ranked = sorted(self.edges.items(), key=lambda item: -round(item[1], 9))
        likely = [(p, f"{a} - {b}") for (a, b), p in ranked if p >= SHOWN_EDGE]
        said = "; ".join(
            f"kappa {kappa:g}, equivalent sample size {size:g}" + (f" ({p:.2f})" if len(self.settings) > 1 else "")
            for (kappa, size), p in self.settings.items()
            if p >= SHOWN_SETTING
        )
        n_left = len(ranked) - len(likely)
        shown = [one for one in self.strata if one.probability > SHOWN_LABEL]
        return "\n".join(
            [
                f"posterior over decomposable graphs of {counted(len(self.variables), 'variable')}, exact, each graph"
                " once, whatever its number of orientations",
                f"{said}; log evidence {self.log_evidence:.2f}",
                *(f"  {p:.3f}  {edge}" for p, edge in likely),
                *([f"  and {counted(n_left, 'pair')} below {SHOWN_EDGE}"] if n_left else []),
                *(["strata: probability, and given the edge"] if shown else []),
                *(f"  {one.probability:.2f}  {one.given_edge:.2f}  {self._say(one)}" for one in shown),
                *(f"note: {note}" for note in self.notes),
            ]
        )

    def _say(self, one: StratumChance) -> str:
        return f"{one.first} - {one.second}, independent when {conditions((one.context,), self.variables)[0]}"

    def to_dict(self) -> dict[str, object]:
        """Return all of it as plain values, which `load` can read once they are written as JSON."""
        return {
            "variables": write_variables(self.variables),
            "edges": [{"between": list(edge), "probability": p} for edge, p in self.edges.items()],
            "strata": [one._asdict() for one in self.strata],
            "log_evidence": self.log_evidence,
            "settings": [
                {"kappa": kappa, "equivalent_sample_size": size, "probability": p}
                for (kappa, size), p in self.settings.items()
            ],
            "n_observations": self.n_observations,
            "notes": list(self.notes),
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read what `to_dict` returns."""
        return cls(
            read_variables(content["variables"]).variables,
            {(one["between"][0], one["between"][1]): one["probability"] for one in content["edges"]},
            tuple(StratumChance(**one) for one in content["strata"]),
            content["log_evidence"],
            {(one["kappa"], one["equivalent_sample_size"]): one["probability"] for one in content["settings"]},
            content["n_observations"],
            tuple(content["notes"]),
        )

    def summary(self) -> dict[str, object]:
        """Return what is printed as plain values."""
        shown = [one._asdict() for one in self.strata if one.probability > SHOWN_LABEL]
        return {name: value for name, value in self.to_dict().items() if name != "variables"} | {"strata": shown}

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file that `save` wrote."""
        return read_document(path, STRATA_POSTERIOR, cls.from_dict)

    def _save_file(self, path: str | os.PathLike[str]) -> None:
        write_document(DocumentRecord(STRATA_POSTERIOR, self.to_dict()), path)


class StrataChoices(NamedTuple):
    """What `posterior` was asked for."""

    kappa: KappaChoice
    prior: str | None
    structure: str | None
    max_parents: int | None
    method: object
    constraints: Constraints | None
    size: SizeChoice


def make_strata_posterior(
    data: "AnyTable | Fit", choices: StrataChoices, others: Sequence[str], reading: Reading
) -> StrataPosterior:
    """Check what was asked for, and sum; ``others`` are arguments that make no sense here."""
    fit, own = (data, data.settings) if isinstance(data, Fit) else (None, Settings())
    if others:
        raise ArgumentError(f"{argument(others[0])} does not apply to {say_decomposable()}, a single sum")
    if getattr(choices.method, "name", choices.method) not in ("auto", "exact"):
        raise ArgumentError(f"{say_decomposable()} is for methods 'exact' and 'auto', got {choices.method!r}")
    if choices.prior not in (None, "labels"):
        raise ArgumentError(
            f"{say_decomposable()} is for prior 'labels': under {choices.prior!r}, orientations of one graph"
            " would weigh differently"
        )
    over = check_structure(choices.structure, "labels", fit)[0]
    kappa = fit.kappa if fit is not None and choices.kappa is None and over != "table" else choices.kappa
    usual = SIZES if fit is None else fit.equivalent_sample_size
    sizes = list_sizes(usual if choices.size is None else choices.size)
    settings = [Setting(over, price, size) for price in list_kappas(kappa, over) for size in sizes]
    table = check_data(data.data if isinstance(data, Fit) else data, reading=reading)
    constraints = own.constraints if choices.constraints is None else choices.constraints
    limit = own.max_parents if choices.max_parents is None else choices.max_parents
    return sum_decomposable(table, settings, constraints, limit)


def sum_decomposable(
    data: Dataset, settings: Sequence[Setting], constraints: Constraints | None, max_parents: int | None
) -> StrataPosterior:
    """Sum over all decomposable graphs under every setting."""
    table = order_columns(data)
    n = len(table.schema)
    if n > MOST_VARIABLES:
        raise TooLarge(
            f"the posterior over decomposable graphs is a sum for up to {MOST_VARIABLES} variables, got {n}; select"
            " some of them, or learn a bootstrap: ldag.bootstrap(data, decomposable=True)"
        )
    if data.has_gaps:
        raise ArgumentError(
            "the posterior over decomposable graphs is for tables without gaps; impute them, or leave rows out:"
            f" {option('missing', 'drop')}"
        )
    space = search_space(table.schema, constraints or Constraints(), max_parents, decomposable=True)
    if any(space.label_rules):
        raise ArgumentError("the posterior over decomposable graphs takes no constraints on labels")
    asked = _list_contexts(table.schema) if any(setting.prior != "table" for setting in settings) else []
    before = {  # the same for every sample size
        setting.kappa: StrataFamilies(table, setting, space, is_prior=True).sums().log_sum
        for setting in {one.kappa: one for one in settings}.values()
    }
    sums = [StrataFamilies(table, setting, space, asked).sums() for setting in settings]
    logs = np.array([one.log_sum - before[setting.kappa] for one, setting in zip(sums, settings, strict=True)])
    weights = np.exp(logs - max(logs))
    mean = float(np.mean(weights))
    weights /= weights.sum()
    joined = _share(1.0 - weights @ np.array([one.without for one in sums]))
    holding = _share(weights @ np.array([one.holding for one in sums]))
    names = table.names
    pairs = dict(zip(map(frozenset, combinations(names, 2)), joined, strict=True))
    edges = {pair: pairs[frozenset(pair)] for pair in combinations(data.names, 2)}
    strata = []
    for one, p in zip(asked, holding, strict=True):
        a, b = sorted((names[one.first], names[one.second]), key=data.names.index)
        other = table.schema[one.other]
        given = min(p / edges[a, b], 1.0) if edges[a, b] else 0.0
        strata.append(StratumChance(a, b, {other.name: other.states[one.code]}, p, given))
    return StrataPosterior(
        data.variables,
        edges,
        tuple(sorted(strata, key=lambda one: -round(one.probability, 12))),
        float(max(logs)) + log(mean),
        {(s.kappa, s.equivalent_sample_size): float(w) for s, w in zip(settings, weights, strict=True)},
        table.total,
        (*describe_data(data), *describe_groups(data)),
    )


def _list_contexts(schema: Schema) -> list[AskedContext]:
    """Return every pair of variables with every state of every other one."""
    n = len(schema)
    return [
        AskedContext(a, b, other, code)
        for a, b in combinations(range(n), 2)
        for other in range(n)
        if other not in (a, b)
        for code in range(schema.n_states[other])
    ]


def _share(numbers: NDArray[np.float64]) -> list[float]:
    """Return probabilities as they are, without what rounding added."""
    return [float(number) for number in np.clip(numbers, 0.0, 1.0)]
