"""Short forms on random models: what they say is true, and they say nothing where there is no formula."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ldag.effects.formulas import evaluate, free_axes
from ldag.effects.mixed_graphs import MixedGraph
from ldag.effects.plain import identify_plain
from ldag.effects.results import Hedge
from ldag.effects.short_forms import find_short_form
from tests.oracle.effects import observed_source, random_parameters, random_structure, true_effect


@settings(deadline=None, max_examples=200)
@given(st.integers(0, 2**32 - 1))
def test_short_forms_are_exact(seed: int) -> None:
    """With 2 and 3 states; one or two treatments and outcomes, up to two conditions."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 7))
    structure, latent = random_structure(rng, n, int(rng.integers(0, 4)), max_states=3 if n < 6 else 2, density=0.4)
    order = rng.permutation(n).tolist()
    ends = np.cumsum([rng.integers(1, 3), rng.choice([1, 1, 2]), rng.choice([0, 0, 1, 2])])
    target, do, condition = order[: ends[0]], order[ends[0] : ends[1]], order[ends[1] : ends[2]]
    graph = MixedGraph.project([family.parents for family in structure.families], latent)
    answer = find_short_form(graph, target, do, condition)
    if answer is None:
        return
    formula = answer[2]
    assert not isinstance(identify_plain(graph, target, do, condition), Hedge)
    nodes = [*target, *do, *condition]
    assert free_axes(formula) <= {(node, 0) for node in nodes}
    parameters = random_parameters(structure, rng)
    source = observed_source(structure, latent, parameters)
    values = evaluate(formula, source).over(nodes, source.n_states)[0]
    assert np.allclose(values, true_effect(structure, parameters, target, do, condition), atol=1e-10, rtol=0)
