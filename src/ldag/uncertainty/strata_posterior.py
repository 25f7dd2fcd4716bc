"""The posterior over decomposable graphs with strata, each counted once: how probable every edge is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import log, prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldag import _native
from ldag.constraints import Constraints, SearchSpace, search_space
from ldag.data import AnyTable, Dataset, Reading, check_data, count_family, describe_data
from ldag.errors import ArgumentError, TooLarge, argument, counted, option, say_decomposable
from ldag.formats import Edge
from ldag.hook import Printable
from ldag.learning import Fit, Settings
from ldag.model import CodedFamily, Counts, Grid
from ldag.scoring import Priors, order_columns, score_family
from ldag.uncertainty.choices import SIZES, KappaChoice, SizeChoice, check_structure, list_kappas, list_sizes
from ldag.uncertainty.families import Setting
from ldag.uncertainty.strata_sums import SeveralWeights, StrataSums

MOST_VARIABLES = 8
"""The sums take five times as long for each further variable: about three seconds for eight."""


@dataclass(frozen=True, repr=False)
class StrataPosterior(Printable):
    """How probable every edge of a stratified graph is, given data; made by ``posterior(decomposable=True)``.

    Over all chordal graphs with strata that some perfect order realises, each of them once: before any data every
    graph weighs kappa for each parameter that its strata save.
    """

    names: tuple[str, ...]
    edges: Mapping[Edge, float]
    """The probability of every pair of variables to be joined, in the order of the variables."""
    log_evidence: float
    settings: Mapping[tuple[float, float], float]
    """Pairs of a kappa and an equivalent sample size, with their probabilities."""
    n_observations: float
    notes: tuple[str, ...] = field(default=())

    def edge(self, a: str, b: str) -> float:
        """Return the probability that two variables are joined, in any order."""
        for name in (a, b):
            if name not in self.names:
                raise ArgumentError(f"edge: no variable {name!r}; there are {', '.join(self.names)}")
        if a == b:
            raise ArgumentError(f"edge: expected two variables, got {a!r} twice")
        return self.edges[(a, b) if (a, b) in self.edges else (b, a)]

    def __str__(self) -> str:
        ranked = sorted(self.edges.items(), key=lambda item: -item[1])
        said = ", ".join(
            f"kappa {kappa:g} and sample size {size:g} {p:.2f}" for (kappa, size), p in self.settings.items()
        )
        return "\n".join(
            [
                f"posterior over decomposable graphs of {counted(len(self.names), 'variable')}, exact, each graph once,"
                " whatever its number of orientations",
                f"log evidence {self.log_evidence:.2f} ({said})",
                *(f"  {a} - {b}  {p:.3f}" for (a, b), p in ranked),
                *(f"note: {note}" for note in self.notes),
            ]
        )

    def to_dict(self) -> dict[str, object]:
        """Return plain values."""
        return {
            "edges": [{"between": list(edge), "probability": p} for edge, p in self.edges.items()],
            "log_evidence": self.log_evidence,
            "settings": [
                {"kappa": kappa, "equivalent_sample_size": size, "probability": p}
                for (kappa, size), p in self.settings.items()
            ],
            "n_observations": self.n_observations,
        }


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
    table = order_columns(check_data(data.data if isinstance(data, Fit) else data, reading=reading))
    constraints = own.constraints if choices.constraints is None else choices.constraints
    limit = own.max_parents if choices.max_parents is None else choices.max_parents
    return sum_decomposable(table, settings, constraints, limit)


def sum_decomposable(
    data: Dataset, settings: Sequence[Setting], constraints: Constraints | None, max_parents: int | None
) -> StrataPosterior:
    """Sum over all decomposable graphs under every setting."""
    n = len(data.schema)
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
    space = search_space(data.schema, constraints or Constraints(), max_parents, decomposable=True)
    if any(space.label_rules):
        raise ArgumentError("the posterior over decomposable graphs takes no constraints on labels")
    logs, absent = [], []
    before = {  # the same for every sample size
        setting.kappa: _Families(data, setting, space, is_prior=True).sums()[0]
        for setting in {one.kappa: one for one in settings}.values()
    }
    for setting in settings:
        evidence, without = _Families(data, setting, space).sums()
        logs.append(evidence - before[setting.kappa])
        absent.append(without)
    weights = np.exp(np.array(logs) - max(logs))
    weights /= weights.sum()
    joined = 1.0 - np.sum(weights[:, None] * np.array(absent), axis=0)
    names = data.schema.names
    return StrataPosterior(
        data.names,
        {
            (names[a], names[b]): float(min(max(p, 0.0), 1.0))
            for (a, b), p in zip(combinations(range(n), 2), joined, strict=True)
        },
        max(logs) + log(np.mean(np.exp(np.array(logs) - max(logs)))),
        {(s.kappa, s.equivalent_sample_size): float(w) for s, w in zip(settings, weights, strict=True)},
        data.total,
        tuple(describe_data(data)),
    )


class _Families:
    """The weights of the families of some data under one setting, or of no data at all."""

    def __init__(self, data: Dataset, setting: Setting, space: SearchSpace, *, is_prior: bool = False) -> None:
        self._data, self._setting, self._space, self._is_prior = data, setting, space, is_prior
        self._n_states = data.schema.n_states
        self._known: dict[tuple[int, int, int | None], float] = {}
        self._pairs = [1 << a | 1 << b for a, b in combinations(range(len(self._n_states)), 2)]
        self._alone = [self._log_weight(node, 0, 0) for node in range(len(self._n_states))]

    def sums(self) -> tuple[float, NDArray[np.float64]]:
        """Return the logarithm of the sum over all graphs, and for every pair the share of those without the edge."""
        total = StrataSums(len(self._n_states), self._weigh).total
        if not (np.isfinite(total[0]) and total[0] > 0):
            raise TooLarge("these data say so much that the sums leave the range of this machine's numbers")
        shares = (total[1:] / total[0]).astype(np.float64)
        return float(np.log(total[0])) + sum(self._alone), shares

    def _weigh(self, clique: int, first: int) -> SeveralWeights:
        """Return what nodes weigh that are adjacent to a clique and to each other, and free to come in any order."""
        nodes = list_nodes(first)
        logs = 0.0
        for place, node in enumerate(nodes):
            before = clique | sum(1 << other for other in nodes[:place])
            if len(nodes) == 1:
                labelled = None
            elif len(nodes) > 2 or place == 0:
                labelled = 0
            else:
                labelled = 1 << nodes[0]
            logs += self._log_weight(node, before, labelled) - self._alone[node]
        together = clique | first
        absent = [0.0 if pair & ~together == 0 else 1.0 for pair in self._pairs]
        shares: SeveralWeights = np.array([1.0, *absent], dtype=np.longdouble)
        weight: SeveralWeights = shares * np.exp(np.longdouble(logs))
        return weight

    def _log_weight(self, node: int, parents: int, labelled: int | None) -> float:
        """Return the sum over the labels of a family: of all its edges, of those from some parents, or of none."""
        key = node, parents, labelled
        if key not in self._known:
            self._known[key] = self._sum(node, tuple(list_nodes(parents)), labelled)
        return self._known[key]

    def _sum(self, node: int, parents: tuple[int, ...], labelled: int | None) -> float:
        if not self._space.allows(node, parents):
            return -np.inf
        counts: Counts = count_family(self._data.columns, self._n_states, node, parents).astype(np.float64)
        counts = np.zeros_like(counts) if self._is_prior else counts
        grid = Grid(tuple(self._n_states[parent] for parent in parents))
        priors = Priors(self._setting.kappa, self._setting.equivalent_sample_size, "labels")
        if labelled == 0 or len(parents) < 2 or self._setting.prior == "table" or self._is_large(node, parents):
            return score_family(counts, CodedFamily.table(parents, grid), priors).total
        is_free = [labelled is None or bool(labelled >> parent & 1) for parent in parents]
        fixed = [[] if free else [0] * (grid.size // n) for free, n in zip(is_free, grid.n_states, strict=True)]
        lost = priors.class_lost(self._n_states[node])
        size = priors.equivalent_sample_size
        return _native.FamilyPosterior(counts, grid.n_states, size, lost, "ldag", regular=True, fixed=fixed).log_sum

    def _is_large(self, node: int, parents: tuple[int, ...]) -> bool:
        """Whether labels are not summed over: so that they are from all ends or from none."""
        sizes = [self._n_states[other] for other in (node, *parents)]
        return prod(sizes) // min(sizes) > _native.MAX_EXACT_CELLS


def list_nodes(nodes: int) -> list[int]:
    """Return the nodes of a set, ascending."""
    return [node for node in range(nodes.bit_length()) if nodes >> node & 1]
