"""Random labelled graphs with latents and random questions about effects, for checks by enumeration."""

from collections.abc import Sequence

import numpy as np

from ldag.effects.results import EffectQuestion
from ldag.model import CodedFamily, Structure
from tests.oracle.effects import structure_of


def random_labelled_graph(
    rng: np.random.Generator, n_observed: int, n_latent: int, max_states: int, is_latent_named: bool = False
) -> tuple[Structure, frozenset[int]]:
    """A DAG, observed nodes first; about half of the edges that can have one have a label of one or two contexts."""
    order = rng.permutation(n_observed)
    parents: list[list[int]] = [[] for _ in range(n_observed + n_latent)]
    for j in range(n_observed):
        for i in range(j):
            if rng.random() < 0.55:
                parents[order[j]].append(int(order[i]))
    for cause in range(n_observed, n_observed + n_latent):
        places = sorted(int(i) for i in rng.choice(n_observed, size=int(rng.integers(2, 4)), replace=False))
        if len(places) == 3 and rng.random() < 0.4:  # a latent that something observed causes
            parents[cause].append(int(order[places.pop(0)]))
        for place in places:
            parents[order[place]].append(cause)
    states = [int(r) for r in rng.integers(2, max_states + 1, size=n_observed)] + [2] * n_latent
    plain = structure_of(states, parents)
    named = [v for v in range(n_observed + n_latent) if v < n_observed or is_latent_named]
    families = tuple(_with_labels(rng, family, named) for family in plain.families)
    return Structure(plain.n_states, families).regular(), frozenset(range(n_observed, n_observed + n_latent))


def _with_labels(rng: np.random.Generator, family: CodedFamily, named: Sequence[int]) -> CodedFamily:
    grid = family.partition.grid
    labels = []
    for axis in range(len(family.parents)):
        others = [a for a in range(len(family.parents)) if a != axis]
        mask = np.zeros([grid.n_states[a] for a in others], dtype=np.bool_)
        can_name = [i for i, a in enumerate(others) if family.parents[a] in named]
        if can_name and rng.random() < 0.5:
            for _ in range(int(rng.integers(1, 3))):
                chosen = rng.choice(can_name, size=min(len(can_name), int(rng.integers(1, 3))), replace=False)
                mask[
                    tuple(int(rng.integers(mask.shape[i])) if i in chosen else slice(None) for i in range(mask.ndim))
                ] = 1
        labels.append(mask.reshape(-1))
    return CodedFamily.from_labels(family.parents, grid, tuple(labels)) if labels else family


def random_question(rng: np.random.Generator, structure: Structure, n_observed: int) -> EffectQuestion:
    """A question about one or two treatments, sometimes given or in the context of another variable."""
    nodes = [int(v) for v in rng.permutation(n_observed)]
    target, x, *rest = nodes
    do = (x, rest.pop()) if rest and rng.random() < 0.2 else (x,)
    given = (rest.pop(),) if rest and rng.random() < 0.15 else ()
    context = {}
    if rest and rng.random() < 0.25:
        node = rest.pop()
        context[node] = int(rng.integers(structure.n_states[node]))
    setting = {node: int(rng.integers(structure.n_states[node])) for node in do}
    return EffectQuestion((target,), do, given, context, setting)
