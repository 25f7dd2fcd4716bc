"""The best partition of one family, and the scorer of many, by node numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ldag import _native
from ldag.learning.constraints import FixedLabels, LabelRules, fixed_labels
from ldag.model import Counts, Grid, Partition
from ldag.scoring import Priors

StructureKind = Literal["table", "tree", "ldag", "partial", "graph"]
"""Which partitions are allowed: see `learn_family`."""

LabelSearch = Literal["greedy", "refined", "exact"]
"""How the best of them is looked for."""

N_RESTARTS = 10
CACHE_BYTES = 1 << 28


@dataclass(frozen=True)
class FamilyOptions:
    """How families are scored and optimised."""

    priors: Priors
    structure: StructureKind
    labels: LabelSearch
    seed: int = 0
    label_rules: LabelRules = ()

    def scorer(self, columns: _native.Columns, cache_bytes: int = CACHE_BYTES) -> _native.FamilyScorer:
        """Return a scorer of the families of some data."""
        return _native.FamilyScorer(
            columns,
            equivalent_sample_size=self.priors.equivalent_sample_size,
            kappa=self.priors.kappa,
            prior=self.priors.prior,
            structure=self.structure,
            labels=self.labels,
            regular=True,
            seed=self.seed,
            n_restarts=N_RESTARTS,
            cache_bytes=cache_bytes,
            label_rules=[[(rule.parent, rule.contexts) for rule in of_node] for of_node in self.label_rules],
        )

    def fixed_labels(self, node: int, parents: Sequence[int], n_states: Sequence[int]) -> FixedLabels:
        """Return the labels that are fixed in a family."""
        return fixed_labels(self.label_rules[node], parents, n_states) if self.label_rules else ()


@dataclass(frozen=True)
class BestPartition:
    """The best partition found, its likelihood, and the steps of the greedy search."""

    partition: Partition
    log_marginal_likelihood: float
    is_exact: bool
    steps: "_native.Steps"


def best_partition(counts: Counts, grid: Grid, options: FamilyOptions, fixed: FixedLabels = ()) -> BestPartition:
    """Find the best regular partition of a family; ``counts`` has a row per parent configuration."""
    classes, _, likelihood, is_exact, steps = _native.optimise_family(
        counts,
        grid.n_states,
        options.priors.equivalent_sample_size,
        options.priors.class_lost(counts.shape[1]),
        options.structure,
        options.labels,
        regular=True,
        seed=options.seed,
        n_restarts=N_RESTARTS,
        fixed=[[] if mask is None else mask.astype(int).tolist() for mask in fixed],
    )
    return BestPartition(Partition.of(grid, classes), likelihood, is_exact, steps)
