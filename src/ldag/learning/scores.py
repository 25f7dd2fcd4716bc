"""The scores of all families, for other programs that search over parent sets."""

from itertools import combinations
from math import comb
from typing import Unpack

from ldag.checks import check_whole
from ldag.data import AnyTable, Reading, check_data
from ldag.errors import TooLarge, argument
from ldag.formats import FamilyScores
from ldag.learning.family import learn_family
from ldag.learning.partitions import LabelSearch
from ldag.learning.settings import accept_old_names
from ldag.learning.structures import StructureKind
from ldag.scoring import Prior

__all__ = ["FamilyScores", "family_scores"]

MAX_FAMILIES = 1_000_000
"""Families that are scored at most; more would take hours."""


@accept_old_names
def family_scores(
    data: AnyTable,
    *,
    max_parents: int = 3,
    kappa: float | None = None,
    structure: StructureKind = "ldag",
    label_search: LabelSearch = "greedy",
    equivalent_sample_size: float = 1.0,
    prior: Prior = "labels",
    prune: bool = True,
    **reading: Unpack[Reading],
) -> FamilyScores:
    """Return the best score of every family with at most so many parents.

    Parameters
    ----------
    data
        The data.
    max_parents
        Parents of a node at most.
    kappa, structure, label_search, equivalent_sample_size, prior
        As in `learn_family`.
    prune
        Leave out a set of parents that scores no better than one of its subsets: no best graph needs it.
    **reading
        How a table that is no `Dataset` is read: the options of `read`.

    Examples
    --------
    >>> import ldag
    >>> scores = ldag.family_scores(ldag.datasets.load("heart"), kappa=0.1, max_parents=1)
    >>> sorted(scores.families["pressure"])
    [(), ('protein',), ('smoking',)]
    """
    data = check_data(data, reading=reading)
    most = min(check_whole(max_parents, "max_parents", 0), len(data.names) - 1)
    n_families = len(data.names) * sum(comb(len(data.names) - 1, size) for size in range(most + 1))
    if n_families > MAX_FAMILIES:
        raise TooLarge(
            f"{len(data.names)} variables with at most {most} parents have {n_families:,} families; at most"
            f" {MAX_FAMILIES:,} are scored, so give a smaller {argument('max_parents')}"
        )
    families = {}
    for node in data.names:
        others = [name for name in data.names if name != node]
        scores: dict[tuple[str, ...], float] = {}
        best: dict[tuple[str, ...], float] = {}
        for parents in (parents for size in range(most + 1) for parents in combinations(others, size)):
            score = learn_family(
                data,
                node,
                parents=parents,
                kappa=kappa,
                structure=structure,
                label_search=label_search,
                equivalent_sample_size=equivalent_sample_size,
                prior=prior,
            ).score
            smaller = combinations(parents, len(parents) - 1) if parents else ()
            below = max((best[subset] for subset in smaller), default=-float("inf"))
            best[parents] = max(score, below)
            if score > below or not prune:
                scores[parents] = score
        families[node] = scores
    return FamilyScores(families)
