"""EM against its definition by listing completions, on random labelled graphs, and what must hold of it always."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ldag import LDAG
from ldag.data import GAP, Dataset
from ldag.inference import Completions
from ldag.inference.em import CodedGaps, EMControl, run_em
from ldag.model import Smoothing
from tests.oracle.em import em, pseudo_counts
from tests.strategies import graphs

SETTINGS = settings(deadline=None, max_examples=25)


@dataclass(frozen=True)
class Case:
    """A graph, data with gaps and how to estimate."""

    graph: LDAG
    data: Dataset
    start: tuple[NDArray[np.float64], ...]
    smoothing: Smoothing
    estimate: Literal["mean", "likelihood"]


def gaps_of(data: Dataset) -> CodedGaps:
    """Take data apart."""
    return CodedGaps.of(data.codes, data.schema.n_states, data.weights)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Rows with any share of gaps, whole and real weights, both estimates and both spreads."""
    graph = draw(graphs(max_nodes=4, beyond_labels=draw(st.booleans())))
    structure = graph.structure
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_rows = draw(st.integers(1, 25))
    codes = np.array([rng.integers(0, n, n_rows) for n in structure.n_states], dtype=np.uint8)
    codes[rng.random(codes.shape) < draw(st.sampled_from([0.1, 0.4, 0.9]))] = GAP
    weights = draw(st.sampled_from([None, rng.integers(0, 4, n_rows), rng.random(n_rows)]))
    shapes = [(f.partition.n_classes, n) for f, n in zip(structure.families, structure.n_states, strict=True)]
    start = tuple(rng.dirichlet(np.full(n, 2.0), n_classes) for n_classes, n in shapes)
    smoothing = Smoothing(draw(st.sampled_from([0.5, 1.0, 4.0])), draw(st.sampled_from(["configurations", "classes"])))
    data = Dataset.from_codes(graph.schema, codes, weights)
    return Case(graph, data, start, smoothing, draw(st.sampled_from(["mean", "likelihood"])))


@given(cases())
@SETTINGS
def test_steps_equal_the_definition(case: Case) -> None:
    """Objectives and parameters of the first steps, and the counts that gave them."""
    structure = case.graph.structure
    alphas = pseudo_counts(structure, case.smoothing.size, case.smoothing.spread)
    if case.estimate == "likelihood":
        alphas = [np.zeros_like(alpha) for alpha in alphas]
    weights = np.ones(case.data.n_rows) if case.data.weights is None else case.data.weights
    trace, tables = em(structure, case.start, case.data.codes.T.tolist(), weights.tolist(), alphas, 3)
    control = EMControl(n_iter=3, tolerance=0, accelerate=False)
    result = run_em(Completions(structure), gaps_of(case.data), case.smoothing, case.estimate, case.start, control)
    np.testing.assert_allclose(result.trace, trace, rtol=1e-9, atol=1e-9)
    for own, table in zip(result.probabilities, tables, strict=True):
        np.testing.assert_allclose(own, table, rtol=1e-7, atol=1e-9)
    assert (result.n_iter, result.objective) == (3, result.trace[-1])


@given(cases())
@SETTINGS
def test_the_objective_never_falls_and_leaps_end_where_steps_do(case: Case) -> None:
    """Leaps are taken only where they gain; from the same start both ways end, and say what they found."""
    completions, table = Completions(case.graph.structure), gaps_of(case.data)
    for accelerate in (False, True):
        control = EMControl(n_iter=300, tolerance=1e-7, accelerate=accelerate)
        result = run_em(completions, table, case.smoothing, case.estimate, case.start, control)
        assert (np.diff(result.trace) > -1e-9 * max(1.0, abs(result.objective))).all()
        assert result.n_iter >= len(result.trace) - 1
        assert result.converged or result.n_iter == 300
        sums = [table.sum(axis=1) for table in result.probabilities]
        assert all(np.allclose(total, 1.0) for total in sums)
