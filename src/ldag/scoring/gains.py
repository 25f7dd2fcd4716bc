"""What the labels of a learned graph are worth, in names."""

from collections.abc import Iterator

import numpy as np

from ldag.data import Dataset
from ldag.graph import LDAG
from ldag.model import CodedFamily, Partition
from ldag.scoring.families import score_family
from ldag.scoring.priors import Priors


def label_gains(graph: LDAG, data: Dataset, priors: Priors) -> dict[tuple[str, str], float]:
    """Return, for each edge with a label, how much better its family scores than without that label.

    Without it, configurations share a distribution only where the other labels join them, which is never the case if
    they differ in that parent. Families whose classes are not made of labels have no such gains.
    """
    gains = {}
    for name, family in _shared(graph):
        if not family.partition.is_csi_consistent:
            continue
        own = _score(graph, data, name, family, priors)
        for axis in family.labelled_axes if len(family.parents) > 1 else ():
            labels = [mask & (other != axis) for other, mask in enumerate(family.partition.labels)]
            without = Partition.from_labels(family.partition.grid, labels)
            rest = CodedFamily.from_partition(family.parents, without)
            edge = graph.variables[family.parents[axis]].name, name
            gains[edge] = own - _score(graph, data, name, rest, priors)
    return gains


def class_gains(graph: LDAG, data: Dataset, priors: Priors) -> dict[str, float]:
    """Return, for each node with fewer classes than configurations, how much better it scores than a full table."""
    gains = {}
    for name, family in _shared(graph):
        table = CodedFamily.table(family.parents, family.partition.grid)
        gains[name] = _score(graph, data, name, family, priors) - _score(graph, data, name, table, priors)
    return gains


def _shared(graph: LDAG) -> Iterator[tuple[str, CodedFamily]]:
    """Go through the nodes of which some configurations share a distribution."""
    for variable, family in zip(graph.variables, graph.structure.families, strict=True):
        if family.partition.n_classes < family.partition.grid.size:
            yield variable.name, family


def _score(graph: LDAG, data: Dataset, name: str, family: CodedFamily, priors: Priors) -> float:
    counts = data.counts(name, graph.parents(name)).astype(np.float64)
    return score_family(counts, family, priors).total
