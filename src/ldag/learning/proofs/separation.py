"""Rounds of cuts: the cheap kinds first, dearer ones where these find little."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from ldag.learning.proofs.clusters import find_worst_cluster, grow_clusters
from ldag.learning.proofs.cuts import Cut
from ldag.learning.proofs.families import FamilyTable, Reals
from ldag.learning.proofs.order_cuts import find_order_cuts

MOST_CUTS = 200
"""In a round; the most violated ones."""

ENOUGH_CUTS = 10
"""A round with so many needs no dearer ones."""

Separator = Callable[[FamilyTable, Reals, float], Mapping[Cut, float]]
"""Returns cuts that a solution violates, with how much, until a moment on the monotonic clock."""


CHEAP: tuple[Separator, ...] = (
    partial(grow_clusters, least=1),
    partial(grow_clusters, least=2),
    partial(find_order_cuts, size=4, links=2),
    partial(find_order_cuts, size=5, links=2),
)
ALL: tuple[Separator, ...] = (
    *CHEAP,
    partial(find_order_cuts, size=6, links=2),
    partial(find_order_cuts, size=4, links=1),
    partial(find_worst_cluster, least=1),
    partial(find_order_cuts, size=5, links=1),
    partial(find_order_cuts, size=6, links=1),
)


def find_violated(
    kinds: Sequence[Separator], table: FamilyTable, solution: Reals, deadline: float, enough: float = ENOUGH_CUTS
) -> Iterator[list[Cut]]:
    """Go through the kinds of cuts that a solution violates until there are enough."""
    n_cuts = 0
    for find in kinds:
        if time.monotonic() > deadline or n_cuts >= enough:
            return
        violated = find(table, solution, deadline)
        worst = sorted(violated, key=lambda cut: -violated[cut])[:MOST_CUTS]
        n_cuts += len(worst)
        yield worst
