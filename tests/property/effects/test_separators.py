"""Smallest separating sets against all sets."""

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ldag.effects.mixed_graphs import MixedGraph, m_separated
from ldag.effects.separators import smallest_separator


@settings(deadline=None, max_examples=150)
@given(st.integers(0, 2**32 - 1))
def test_no_smaller_set_separates(seed: int) -> None:
    """The set separates, none with fewer nodes does, and there is none at all where the answer is None."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 9))
    pairs = list(combinations(range(n), 2))
    arrows, arcs = ([pair for pair in pairs if rng.random() < rate] for rate in (0.35, 0.2))
    graph = MixedGraph.of(range(n), arrows, arcs)
    roles = rng.integers(0, 5, size=n).tolist()
    a, b, condition, allowed = (frozenset(v for v in range(n) if roles[v] == role) for role in range(4))
    answer = smallest_separator(graph, a, b, condition, allowed)
    sets = [frozenset(some) for size in range(len(allowed) + 1) for some in combinations(sorted(allowed), size)]
    valid = [some for some in sets if m_separated(graph, a, b, condition | some)]
    if answer is None:
        assert not valid
    else:
        assert answer in valid
        assert len(answer) == len(valid[0])
