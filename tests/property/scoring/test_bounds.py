"""The lower bound with gaps against the sum over all completions, which is listed."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ldag
from ldag import LDAG, Dataset
from tests.oracle import gaps
from tests.strategies import graphs

FEW = 5
"""Gaps of a table at most: completions of the whole table are listed."""


@st.composite
def tables(draw: st.DrawFn, graph: LDAG) -> list[list[int]]:
    """A few rows with a few gaps."""
    n_states = graph.schema.n_states
    rows = [[draw(st.integers(0, n - 1)) for n in n_states] for _ in range(draw(st.integers(2, 8)))]
    for _ in range(draw(st.integers(1, FEW))):
        rows[draw(st.integers(0, len(rows) - 1))][draw(st.integers(0, len(n_states) - 1))] = gaps.GAP
    return rows


def families_of(graph: LDAG) -> list[gaps.Family]:
    """Return the families as the slow twin has them."""
    return [(own.parents, own.partition.to_array().tolist()) for own in graph.structure.families]


@given(graphs(max_nodes=3, beyond_labels=True), st.data())
@settings(max_examples=25, deadline=None)
def test_the_bound_is_below_the_sum_and_above_the_one_of_em(graph: LDAG, data: st.DataObject) -> None:
    """Variational steps go up from the completions of EM, and never beyond the log marginal likelihood."""
    rows = data.draw(tables(graph))
    size = data.draw(st.sampled_from([0.5, 1.0, 10.0]))
    n_states, families = graph.schema.n_states, families_of(graph)
    alpha = gaps.pseudo_counts(families, n_states, size)
    table = Dataset.from_codes(graph.schema, np.ascontiguousarray(np.array(rows, dtype=np.uint8).T))
    score = ldag.score(graph, table, kappa=1.0, equivalent_sample_size=size)
    exact = gaps.exact_log_marginal_likelihood(rows, families, n_states, alpha)
    of_em = gaps.bound(
        rows,
        [1.0] * len(rows),
        families,
        n_states,
        alpha,
        gaps.em(rows, [1.0] * len(rows), families, n_states, alpha, 40),
    )
    assert score.is_lower_bound
    assert of_em - 1e-2 <= score.total <= exact + 1e-9


@given(graphs(max_nodes=3), st.data())
@settings(max_examples=15, deadline=None)
def test_order_and_copies_change_no_digit(graph: LDAG, data: st.DataObject) -> None:
    """Rows come in any order, columns too, and equal rows may be one with a weight."""
    rows = data.draw(tables(graph))
    codes = np.ascontiguousarray(np.array(rows, dtype=np.uint8).T)
    table = Dataset.from_codes(graph.schema, codes)
    expected = ldag.score(graph, table, kappa=0.5).total
    names = data.draw(st.permutations(graph.schema.names))
    turned = Dataset.from_codes(graph.schema, np.ascontiguousarray(codes[:, ::-1])).select(names)
    assert ldag.score(graph, turned, kappa=0.5).total == expected
    twice = Dataset.from_codes(graph.schema, codes, np.full(len(rows), 2))
    both = ldag.score(graph, table.merge(table), kappa=0.5).total
    assert ldag.score(graph, twice, kappa=0.5).total == both


def test_steps_stop_where_nothing_is_gained() -> None:
    """A table whose gaps tell nothing is scored as the rest of it."""
    graph = LDAG.from_edges([], states={"x": ["a", "b"], "y": ["a", "b"]})
    seen = ldag.read({"x": ["a", "b", "b"], "y": ["a", "a", "b"]}, states={"x": ["a", "b"], "y": ["a", "b"]})
    with_gaps = seen.merge(Dataset.from_codes(seen.schema, np.array([[gaps.GAP], [gaps.GAP]], dtype=np.uint8)))
    full = ldag.score(graph, seen, kappa=1.0).total
    assert ldag.score(graph, with_gaps, kappa=1.0).total <= full
    assert ldag.score(graph, with_gaps, kappa=1.0).total == pytest.approx(full, abs=0.3)
