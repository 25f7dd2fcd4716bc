"""What the labels of a learned graph are worth, in names, from counts made before."""

from collections.abc import Iterator, Sequence

from ldag.graph import LDAG
from ldag.model import CodedFamily, Counts, Partition
from ldag.scoring.families import score_family
from ldag.scoring.priors import Priors


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
    """Go through the nodes of which some configurations share a distribution."""
    for variable, family, table in zip(graph.variables, graph.structure.families, counts, strict=True):
        if family.partition.n_classes < family.partition.grid.size:
            yield variable.name, family, table
