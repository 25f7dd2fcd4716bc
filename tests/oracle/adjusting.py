"""Adjustment sets by trying all sets on a few random models."""

from collections.abc import Collection, Mapping
from itertools import combinations

import numpy as np

from ldag.model import Structure
from tests.oracle.effects import observed_source, random_parameters, true_effect


def is_adjustment_set(
    structure: Structure,
    latent: frozenset[int],
    target: Collection[int],
    do: Collection[int],
    chosen: Collection[int],
    context: Mapping[int, int],
    seeds: Collection[int] = (1, 2),
) -> bool:
    """Whether sum_z P(z | c) P(y | x, z, c) is P(y | do(x), c) on every one of a few models."""
    y, x, z, c = tuple(target), tuple(do), tuple(chosen), tuple(context)
    codes = tuple(context.values())
    for seed in seeds:
        parameters = random_parameters(structure, np.random.default_rng(seed))
        source = observed_source(structure, latent, parameters)
        fixed = (..., *codes) if codes else (...,)
        conditional = source.conditional(y, (*x, *z, *c))[0][fixed]
        weights = source.conditional(z, c)[0][fixed] if z else np.ones(())
        adjusted = (conditional * weights).sum(axis=tuple(range(len(y) + len(x), conditional.ndim)))
        if np.abs(adjusted - true_effect(structure, parameters, y, x, (), context)).max() > 1e-10:
            return False
    return True


def minimal_adjustment_sets(
    structure: Structure,
    latent: frozenset[int],
    target: Collection[int],
    do: Collection[int],
    context: Mapping[int, int],
) -> list[tuple[int, ...]]:
    """All valid sets of which no part is valid."""
    taken = {*target, *do, *context, *latent}
    others = [node for node in range(len(structure)) if node not in taken]
    sets = [chosen for size in range(len(others) + 1) for chosen in combinations(others, size)]
    valid = [some for some in sets if is_adjustment_set(structure, latent, target, do, some, context)]
    return [some for some in valid if not any(set(part) < set(some) for part in valid)]
