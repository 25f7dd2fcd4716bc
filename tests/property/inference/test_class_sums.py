"""Sums that use labels equal messages between whole layers, and take less work than without labels."""

from itertools import accumulate

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ldag import Network, _native, simulate
from ldag.inference import Sums
from ldag.model import Model
from ldag.model.partition import Partition
from tests.oracle.layers import layer_posteriors

MEMORY = 1 << 30


def _model(network: Network) -> Model:
    return Model(network.ldag.structure, network.probabilities)


@given(st.integers(0, 1 << 30), st.lists(st.integers(5, 8), min_size=2, max_size=4), st.integers(2, 14), st.data())
@settings(deadline=None, max_examples=30)
def test_layered_networks(seed: int, widths: list[int], max_classes: int, data: st.DataObject) -> None:
    """The posteriors of all nodes, of one, and the probability of the findings, to 12 digits."""
    graph = simulate.layered_ldag(widths, n_parents=(4, 8), n_states=(2, 2), max_classes=max_classes, rng=seed)
    model = _model(simulate.random_network(graph, rng=seed))
    ends = list(accumulate(widths))
    layers = [range(end - width, end) for end, width in zip(ends, widths, strict=True)]
    seen = data.draw(st.dictionaries(st.integers(0, ends[-1] - 1), st.integers(0, 1), max_size=5))
    probability, posteriors = layer_posteriors(model, layers, seen)
    sums = Sums(model)
    log_probability, own = sums.marginals(seen, MEMORY)
    np.testing.assert_allclose(
        [log_probability, sums.log_probability(seen, MEMORY)], np.log(probability), rtol=1e-12, atol=1e-12
    )
    for node, expected in enumerate(posteriors):
        np.testing.assert_allclose(own[node], expected, rtol=1e-12, atol=1e-300)
    target = data.draw(st.sampled_from([node for node in range(ends[-1]) if node not in seen]))
    np.testing.assert_allclose(sums.joint([target], seen, MEMORY)[1], posteriors[target], rtol=1e-12)


def test_labels_save_work() -> None:
    """Four layers of ten with ten parents each: a fifth of the work of the same tables without classes."""
    model = _model(simulate.random_network(simulate.layered_ldag([10] * 4, n_parents=10, rng=1), rng=1))
    partitions = [family.partition for family in model.structure.families]
    plain = _native.Sums(
        list(model.structure.n_states),
        [list(family.parents) for family in model.structure.families],
        [Partition.singletons(partition.grid).to_native() for partition in partitions],
        [table[of.to_array().ravel()] for table, of in zip(model.probabilities, partitions, strict=True)],
    )
    for target, seen in ((39, {}), (0, {39: 1}), (15, {35: 0, 39: 1})):
        codes = [seen.get(node, -1) for node in range(40)]
        _, expected, most = plain.joint([target], codes, [], MEMORY)
        _, own, least = Sums(model).native.joint([target], codes, [], MEMORY)
        np.testing.assert_allclose(own, expected, rtol=1e-12)
        assert 5 * least < most
