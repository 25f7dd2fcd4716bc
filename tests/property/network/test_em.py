"""Networks from data with gaps: rows, columns, copies and shards in any order give the same digits."""

from random import Random
from typing import Literal

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ldag import LDAG, Network
from ldag.data import GAP, Dataset
from tests.strategies import graphs

SETTINGS = settings(deadline=None, max_examples=20)


@st.composite
def tables(draw: st.DrawFn) -> tuple[LDAG, Dataset]:
    """A labelled graph, and rows with gaps of which some are equal."""
    graph = draw(graphs(max_nodes=4, beyond_labels=draw(st.booleans())))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_rows = draw(st.integers(2, 40))
    codes = np.array([rng.integers(0, n, n_rows) for n in graph.schema.n_states], dtype=np.uint8)
    codes[rng.random(codes.shape) < 0.3] = GAP
    codes[:, 0] = 0
    codes[0, 1:] = np.where(codes[0, 1:] == GAP, 0, codes[0, 1:])
    codes[1, 1] = GAP
    return graph, Dataset.from_codes(graph.schema, codes)


@given(tables(), st.randoms(use_true_random=False), st.sampled_from(["mean", "likelihood"]))
@SETTINGS
def test_order_merging_and_threads_change_no_digit(
    table: tuple[LDAG, Dataset], random: Random, estimate: Literal["mean", "likelihood"]
) -> None:
    """Of a start with equal probabilities or, for a column without a cell, of random ones."""
    graph, data = table
    names = list(data.names)
    random.shuffle(names)
    copies = np.repeat(data.codes, data.whole_weights, axis=1)
    order = list(range(copies.shape[1]))
    random.shuffle(order)
    turned = Dataset(data.schema, np.ascontiguousarray(copies[:, order]), None)
    half = len(order) // 2
    parts = [Dataset.from_codes(data.schema, turned.codes[:, part]) for part in (slice(half), slice(half, None))]

    def fit(each: Dataset, n_jobs: int) -> Network:
        return Network.from_data(graph, each, estimate=estimate, n_restarts=2, n_iter=40, tolerance=0, n_jobs=n_jobs)

    net = fit(data, 1)
    for other in (data.select(names), turned, parts[0].merge(parts[1]), data):
        again = fit(other, 2)
        assert again == net
        assert again.em == net.em


@given(tables())
@SETTINGS
def test_without_gaps_networks_are_counted(table: tuple[LDAG, Dataset]) -> None:
    """Nothing of EM is left where nothing is missing, to the last bit; in the limit they are the same thing."""
    graph, data = table
    full = data.complete_rows()
    net = Network.from_data(graph, full)
    assert net.em is None
    with_gap = np.full((len(data.names), 1), GAP, dtype=np.uint8)
    weights = np.append(full.whole_weights.astype(np.float64), 1e-9)
    barely = Dataset.from_codes(data.schema, np.concatenate([full.codes, with_gap], axis=1), weights)
    near = Network.from_data(graph, barely)
    assert near.em is not None
    for mine, theirs in zip(near.probabilities, net.probabilities, strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-7)
