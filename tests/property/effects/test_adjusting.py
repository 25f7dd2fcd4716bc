"""Adjustment sets against trying all sets on random models."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ldag.effects.adjusting import list_adjustment_sets
from ldag.effects.results import EffectQuestion
from tests.oracle.adjusting import minimal_adjustment_sets
from tests.oracle.effects import random_structure


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 2**32 - 1))
def test_sets_are_those_that_models_allow(seed: int) -> None:
    """With and without labels, in contexts, for one and two treatments, with 2 and 3 states."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 7))
    label_rate = float(rng.choice([0.0, 0.4]))
    structure, latent = random_structure(rng, n, int(rng.integers(0, 3)), 3 if n < 5 else 2, 0.5, label_rate)
    order = rng.permutation(n).tolist()
    n_treatments, n_fixed = int(rng.choice([1, 1, 2])), int(rng.choice([0, 0, 1]))
    target, do = order[:1], order[1 : 1 + n_treatments]
    context = {v: int(rng.integers(structure.n_states[v])) for v in order[1 + n_treatments :][:n_fixed]}
    question = EffectQuestion(tuple(target), tuple(do), context=context)
    sets = list_adjustment_sets(structure, latent, question)
    assert sets == minimal_adjustment_sets(structure, latent, target, do, context)
