"""The labels of single families, by number: all of them together, each as probable as data and prior make it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ldag import _native
from ldag.constraints import LabelRule, LabelRules, fix_labels
from ldag.data import Dataset, count_family
from ldag.model import Counts, Grid
from ldag.scoring import Priors

GraphPrior = Literal["labels", "normalised", "table"]
"""labels: kappa for each parameter that labels save, as in `score`. A DAG with more room for labels then weighs more.
normalised: the same divided by its sum over all labels, so that every DAG weighs the same. table: no labels at all."""


class Setting(NamedTuple):
    """What is assumed about labels and parameters: one of the assumptions that a posterior sums over."""

    prior: GraphPrior
    kappa: float
    """The price of labels; 1 where there are none."""
    equivalent_sample_size: float


def log_priors(settings: Sequence[Setting]) -> NDArray[np.float64]:
    """Return how probable settings are before any data: labels and tables alike, and each of either alike."""
    are_tables = np.array([setting.prior == "table" for setting in settings])
    n_kinds = len(set(are_tables.tolist()))
    return np.asarray(-np.log(n_kinds * np.where(are_tables, are_tables.sum(), (~are_tables).sum())))


Lines = list[tuple[int, int]]
"""Lines of a grid: pairs of an axis and a line along it."""

KEPT = 256
"""Families whose sums are kept for further questions."""


class LabelPosterior(Protocol):
    """What can be asked of all labels of a family."""

    def all_inside(self, lines: Lines) -> float:
        """Return the probability that each of these lines lies inside a class."""

    def mean_distributions(self) -> NDArray[np.float64]:
        """Return the distribution of every configuration, averaged over labels and parameters."""

    def draw(self, n_draws: int, seed: int) -> NDArray[np.int32]:
        """Draw partitions, a row of class numbers each."""


@dataclass(frozen=True, eq=False)
class FullTable:
    """The same for a family that has no labels."""

    counts: Counts
    equivalent_sample_size: float

    def all_inside(self, lines: Lines) -> float:
        """Return 0 unless there are no lines."""
        return 0.0 if lines else 1.0

    def mean_distributions(self) -> NDArray[np.float64]:
        """Return the posterior means."""
        smoothed = self.counts + self.equivalent_sample_size / self.counts.size
        return np.asarray(smoothed / smoothed.sum(axis=1, keepdims=True))

    def draw(self, n_draws: int, seed: int) -> NDArray[np.int32]:  # noqa: ARG002 - there is nothing to draw
        """Return singletons."""
        return np.tile(np.arange(len(self.counts), dtype=np.int32), (n_draws, 1))


@dataclass(eq=False)
class FamilyLabels:
    """Answers about the labels of the families of some data; a file has the counts of some of them instead."""

    n_states: tuple[int, ...]
    data: Dataset | None
    max_configurations: int
    """Labels are summed over up to so many configurations of parents; larger families have their full table."""
    label_rules: LabelRules = ()
    counts: dict[tuple[int, tuple[int, ...]], Counts] = field(default_factory=dict)
    """Those of the families that were counted to be kept."""
    _kept: dict[tuple[int, tuple[int, ...], Setting], LabelPosterior] = field(default_factory=dict)

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_kept": {}}  # made again when asked

    def count(self, node: int, parents: tuple[int, ...]) -> Counts:
        """Return the counts of a node and its parents."""
        if self.data is None or (node, parents) in self.counts:
            return self.counts[node, parents]
        return count_family(self.data.columns, self.n_states, node, parents).astype(np.float64)

    def keep_counts(self, kept: Iterable[tuple[int, tuple[int, ...]]]) -> None:
        """Count some families once, for all that is asked of them."""
        self.counts |= {family: self.count(*family) for family in kept}

    def to_dict(self, kept: Iterable[tuple[int, tuple[int, ...]]]) -> dict[str, object]:
        """Return as plain values the labels that constraints fix, and the counts of some families."""
        return {
            "label_rules": [[asdict(rule) for rule in of_node] for of_node in self.label_rules],
            "families": [
                {"node": node, "parents": list(parents), "counts": self.count(node, parents).tolist()}
                for node, parents in kept
            ],
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any], n_states: tuple[int, ...]) -> "FamilyLabels":
        """Read them from what is kept of a posterior; older files have no label rules."""
        counts = {
            (f["node"], tuple(f["parents"])): np.array(f["counts"], dtype=np.float64) for f in content["families"]
        }
        rules = tuple(
            tuple(
                LabelRule(rule["parent"], tuple(tuple(map(tuple, context)) for context in rule["contexts"]))
                for rule in of_node
            )
            for of_node in content.get("label_rules", ())
        )
        largest = content["settings"].get("max_configurations", _native.MAX_EXACT_CELLS)
        return cls(
            n_states,
            None,
            0 if content["prior"] == "table" else largest,
            rules,
            counts,
        )

    def sums_labels(self, n_configurations: int) -> bool:
        """Whether a family with so many configurations has labels."""
        return n_configurations <= self.max_configurations

    def grid(self, parents: Sequence[int]) -> Grid:
        """Return the grid of some parents."""
        return Grid(tuple(self.n_states[parent] for parent in parents))

    def of(self, node: int, parents: tuple[int, ...], setting: Setting) -> LabelPosterior:
        """Return the posterior of the labels of a family."""
        key = node, parents, setting
        if key not in self._kept:
            if len(self._kept) == KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = self._sum(node, parents, setting)
        return self._kept[key]

    def _sum(self, node: int, parents: tuple[int, ...], setting: Setting) -> LabelPosterior:
        """Sum over the labels of a family."""
        counts = self.count(node, parents)
        size = setting.equivalent_sample_size
        if setting.prior == "table" or not self.sums_labels(self.grid(parents).size):
            return FullTable(counts, size)
        fixed = fix_labels(self.label_rules[node], parents, self.n_states) if self.label_rules else ()
        return _native.FamilyPosterior(
            counts,
            self.grid(parents).n_states,
            size,
            Priors(setting.kappa, size, "labels").class_lost(self.n_states[node]),
            "ldag",
            regular=True,
            fixed=[[] if mask is None else mask.astype(int).tolist() for mask in fixed],
        )

    def lines(self, parents: tuple[int, ...], parent: int, context: Mapping[int, int]) -> Lines:
        """Return the lines that make the edge from a parent vanish in a context; none if it names no other parent."""
        others = [other for other in parents if other != parent]
        named = {others.index(node): code for node, code in context.items() if node in others}
        if not named:
            return []
        axis = parents.index(parent)
        return [(axis, line) for line in self.grid(others).matching(named).tolist()]

    def vanishes(
        self, node: int, parents: tuple[int, ...], setting: Setting, parent: int, context: Mapping[int, int]
    ) -> float:
        """Return the probability that the edge from a parent vanishes in a context, given these parents."""
        lines = self.lines(parents, parent, context)
        return self.of(node, parents, setting).all_inside(lines) if lines else 0.0
