"""What a graph implies, against brute force over the whole joint table."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ldag import LDAG
from tests.oracle import independence as oracle
from tests.strategies import graphs, questions


@settings(deadline=None, max_examples=120)
@given(st.data(), graphs(max_nodes=5))
def test_implies_agrees_with_brute_force(data: st.DataObject, graph: LDAG) -> None:
    """Labelled graphs with 2 to 4 states: the verdict is what random tables say."""
    a, b, others, context = data.draw(questions(graph))
    verdict = graph.implies(a, b, others, context)
    assert verdict.decided
    assert bool(verdict) == oracle.always_independent(graph, a, b, others, context)


@settings(deadline=None, max_examples=15)
@given(st.data(), graphs(min_nodes=6, max_nodes=6, max_states=4, max_parents=2))
def test_implies_agrees_with_brute_force_on_six_nodes(data: st.DataObject, graph: LDAG) -> None:
    """The same on six nodes."""
    a, b, others, context = data.draw(questions(graph))
    assert bool(graph.implies(a, b, others, context)) == oracle.always_independent(graph, a, b, others, context)


@settings(deadline=None, max_examples=40)
@given(st.data(), graphs(max_nodes=4, beyond_labels=True))
def test_implies_agrees_with_brute_force_beyond_labels(data: st.DataObject, graph: LDAG) -> None:
    """Classes that labels cannot express are decided as well."""
    a, b, others, context = data.draw(questions(graph))
    assert bool(graph.implies(a, b, others, context)) == oracle.always_independent(graph, a, b, others, context)


@settings(deadline=None, max_examples=100)
@given(st.data(), graphs(max_nodes=6))
def test_separation_never_claims_what_the_algebra_refutes(data: st.DataObject, graph: LDAG) -> None:
    """CSI-separation is sound."""
    a, b, others, context = data.draw(questions(graph))
    if graph.csi_separated(a, b, others, context):
        assert oracle.always_independent(graph, a, b, others, context, n_draws=1)


@settings(deadline=None, max_examples=60)
@given(st.data(), graphs(max_nodes=4))
def test_a_witness_shows_the_dependence(data: st.DataObject, graph: LDAG) -> None:
    """The witness's parameters give the two probabilities it names, and they differ."""
    a, b, others, context = data.draw(questions(graph))
    found = graph.implies(a, b, others, context).witness
    if found is None:
        return
    table = oracle.joint(graph, {**oracle.random_parameters(graph, np.random.default_rng(6)), **found.parameters})
    for state, probability in zip(found.b, found.probabilities, strict=True):
        condition = {**found.given, **context, **state}
        p_a = oracle.marginal(graph, table, [], {**condition, **found.a})
        assert abs(float(p_a / oracle.marginal(graph, table, [], condition)) - probability) < 1e-9
    assert abs(found.probabilities[0] - found.probabilities[1]) > 1e-3


@settings(deadline=None, max_examples=60)
@given(st.data(), graphs(max_nodes=5))
def test_a_small_budget_is_never_wrong(data: st.DataObject, graph: LDAG) -> None:
    """With hardly any memory the answer is the same, or "not decided"."""
    a, b, others, context = data.draw(questions(graph))
    tight = graph.implies(a, b, others, context, budget=8)
    assert tight.independent in (None, graph.implies(a, b, others, context).independent)


@settings(deadline=None, max_examples=60)
@given(st.data(), graphs(max_nodes=5))
def test_swapping_sides_and_order_changes_nothing(data: st.DataObject, graph: LDAG) -> None:
    """Independence is symmetric, and variables may be written in any order."""
    a, b, others, context = data.draw(questions(graph))
    order = data.draw(st.permutations(graph.variables))
    states = {v.name: v.states for v in order}
    partitions = {v.name: graph.partition(v.name) for v in graph.variables}
    reordered = LDAG.from_partitions(partitions, states=states)
    assert reordered == graph
    assert hash(reordered) == hash(graph)
    assert bool(graph.implies(a, b, others, context)) == bool(reordered.implies(b, a, others[::-1], context))
