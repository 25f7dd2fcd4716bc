"""Whole labelled DAGs drawn from a posterior, by number."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ldag.model import CodedFamily, Partition, Structure
from ldag.uncertainty.component import Component
from ldag.uncertainty.families import FamilyLabels


def draw_labelled_dags(
    components: Sequence[Component], families: FamilyLabels, n_draws: int, seed: int
) -> list[Structure]:
    """Draw DAGs, and then the labels of each family; what is drawn twice is the same object."""
    rng = np.random.default_rng([seed, n_draws])
    weights = np.array([component.weight for component in components])
    numbers = rng.multinomial(n_draws, weights / weights.sum())
    drawn: list[Structure] = []
    known: dict[tuple[CodedFamily, ...], Structure] = {}
    for component, number in zip(components, numbers.tolist(), strict=True):
        if number:
            drawn += _draw_from(component, families, number, seed, known)
    return [drawn[place] for place in rng.permutation(len(drawn)).tolist()] if len(components) > 1 else drawn


def _draw_from(
    component: Component,
    families: FamilyLabels,
    number: int,
    seed: int,
    known: dict[tuple[CodedFamily, ...], Structure],
) -> list[Structure]:
    dags = component.draw(number, seed)
    columns = [_draw_families(component, families, node, dags[:, node], seed) for node in range(dags.shape[1])]
    return [known.setdefault(chosen, Structure(families.n_states, chosen)) for chosen in zip(*columns, strict=True)]


def _draw_families(
    component: Component,
    families: FamilyLabels,
    node: int,
    chosen: NDArray[np.uint32],
    seed: int,
) -> list[CodedFamily]:
    """Return a family for each drawn parent set, its labels drawn."""
    found: dict[int, CodedFamily] = {}
    for number in np.unique(chosen).tolist():
        places = np.flatnonzero(chosen == number)
        parents = component.sets[node][number]
        grid = families.grid(parents)
        own_seed = int(np.random.SeedSequence([seed, node, number]).generate_state(1, np.uint64)[0] >> 1)
        rows = families.of(node, parents, component.kappa).draw(len(places), own_seed)
        same: dict[bytes, CodedFamily] = {}
        for place, classes in zip(places.tolist(), rows, strict=True):
            key = classes.tobytes()
            if key not in same:
                same[key] = CodedFamily.from_partition(parents, Partition.of(grid, classes))
            found[place] = same[key]
    return [found[place] for place in range(len(chosen))]
