"""Structural EM and what it is made of, against listed completions, on random tables with gaps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ldag
from ldag import LDAG, Dataset
from ldag.inference import Completions
from ldag.learning import gap_folds
from ldag.learning.em_graphs import SMALLEST_RISE
from ldag.learning.expected_rows import weigh_completions
from ldag.learning.structures import CountedFamily
from ldag.model import Smoothing
from tests.oracle import gaps
from tests.strategies import graphs


@st.composite
def tables(draw: st.DrawFn, graph: LDAG, n_rows: int = 12, share: int = 4) -> list[list[int]]:
    """Rows of a graph's variables in which one cell of some is a gap."""
    cell = [st.sampled_from([gaps.GAP, *list(range(n)) * share]) for n in graph.schema.n_states]
    rows = draw(st.lists(st.tuples(*cell).map(list), min_size=2, max_size=n_rows))
    return [*rows, [gaps.GAP, *rows[0][1:]]]


def dataset(graph: LDAG, rows: list[list[int]]) -> Dataset:
    """Return rows as data."""
    return Dataset.from_codes(graph.schema, np.ascontiguousarray(np.array(rows, dtype=np.uint8).T))


def families_of(graph: LDAG) -> list[gaps.Family]:
    """Return the families as the slow twin has them."""
    return [(own.parents, own.partition.to_array().tolist()) for own in graph.structure.families]


def parameters(graph: LDAG, seed: int) -> list[np.ndarray]:
    """Return random probabilities of every class."""
    rng = np.random.default_rng(seed)
    sizes = zip(graph.structure.families, graph.schema.n_states, strict=True)
    return [rng.dirichlet(np.ones(n), own.partition.n_classes) for own, n in sizes]


@given(graphs(max_nodes=4), st.integers(0, 9), st.data())
@settings(max_examples=25, deadline=None)
def test_rows_with_weights_are_what_is_to_be_expected(graph: LDAG, seed: int, data: st.DataObject) -> None:
    """Where all completions are listed, every family of any graph has its expected counts."""
    rows, theta = data.draw(tables(graph)), parameters(graph, seed)
    expected = weigh_completions(dataset(graph, rows), Completions(graph.structure), theta, 0)
    assert not expected.has_gaps
    plain = [own.tolist() for own in theta]
    _, counts = gaps.expected_counts(rows, [1.0] * len(rows), families_of(graph), graph.schema.n_states, plain)
    for variable, family, own in zip(graph.variables, graph.structure.families, counts, strict=True):
        counted = expected.counts(variable.name, graph.parents(variable.name))
        np.testing.assert_allclose(family.partition.add_up(counted.astype(np.float64)), own, atol=1e-9)


@given(graphs(min_nodes=2, max_nodes=3, max_states=3), st.data())
@settings(max_examples=15, deadline=None)
def test_the_score_of_a_fit_is_a_bound_at_its_own_parameters(graph: LDAG, data: st.DataObject) -> None:
    """It is that of the slow twin, is never above the sum over completions, and what rises never falls."""
    rows = data.draw(tables(graph, 5, 8))
    table = dataset(graph, rows)
    fit = ldag.learn(table, kappa=0.5, equivalent_sample_size=1.0)
    assert fit.em is not None
    families, n_states = families_of(fit.ldag), fit.ldag.schema.n_states
    alpha = gaps.pseudo_counts(families, n_states, 1.0)
    plain = [own.tolist() for own in fit.network.probabilities]
    expected = gaps.bound(rows, [1.0] * len(rows), families, n_states, alpha, plain)
    assert fit.score.log_marginal_likelihood == pytest.approx(expected, abs=5e-2)
    best = max(start.score for start in fit.em.starts)
    assert best - SMALLEST_RISE <= fit.score.total <= best + 1e-12 * abs(best)
    assert all(a < b for (_, a), (_, b) in zip(fit.trace, fit.trace[1:], strict=False))
    assert sum(float(own.sum()) for own in fit.counts) == pytest.approx(len(rows) * len(n_states))


@given(graphs(max_nodes=4), st.integers(0, 9), st.data())
@settings(max_examples=20, deadline=None)
def test_observed_cells_are_predicted_exactly(graph: LDAG, seed: int, data: st.DataObject) -> None:
    """A fold is judged by the probability of what was seen in it, or of one variable given the rest."""
    rows = data.draw(tables(graph))
    rng, n_states = np.random.default_rng(seed), graph.schema.n_states
    counted = [
        CountedFamily(own, rng.integers(0, 9, (own.partition.grid.size, n)).astype(np.float64))
        for own, n in zip(graph.structure.families, n_states, strict=True)
    ]
    families = families_of(graph)
    counts = [one.family.partition.add_up(one.counts).tolist() for one in counted]
    theta = gaps.means(counts, gaps.pseudo_counts(families, n_states, 3.0))

    def log_probability(table: list[list[int]]) -> float:
        return sum(gaps.expected_counts(table, [1.0] * len(table), families, n_states, theta)[0])

    held_out = dataset(graph, rows)
    weights = held_out.whole_weights
    (logs,) = gap_folds.predict_gaps(counted, held_out, [Smoothing(3.0)], None)
    assert logs @ weights == pytest.approx(log_probability(rows))
    seen = [row for row in rows if row[0] != gaps.GAP]
    (of_target,) = gap_folds.predict_gaps(counted, held_out, [Smoothing(3.0)], 0)
    without = [[gaps.GAP, *row[1:]] for row in seen]
    assert of_target @ weights == pytest.approx(log_probability(seen) - log_probability(without))
