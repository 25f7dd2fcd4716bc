"""Native chains walk as the slow twin does, and find what going through all DAGs finds."""

import math
from functools import cache
from math import log

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ldag import _native
from tests.oracle import partitions
from tests.oracle import search_chain as oracle

Codes = tuple[NDArray[np.uint8], tuple[int, ...]]


@st.composite
def spaces(draw: st.DrawFn, n: int) -> oracle.Space:
    """Draw constraints that some DAG fulfils: required edges follow the order of nodes."""
    candidates = tuple(
        tuple(parent for parent in range(n) if parent != node and draw(st.integers(0, 4))) for node in range(n)
    )
    required = tuple(
        tuple(parent for parent in own if parent < node and draw(st.integers(0, 5)) == 0)
        for node, own in enumerate(candidates)
    )
    max_parents = tuple(len(own) + draw(st.integers(0, 3)) for own in required)
    return oracle.Space(candidates, required, max_parents)


@st.composite
def codes(draw: st.DrawFn, n: int) -> Codes:
    """Draw columns of 2 to 4 states, some of which follow the one before."""
    n_states = tuple(draw(st.integers(2, 4)) for _ in range(n))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = np.array([rng.integers(0, r, draw(st.just(60))) for r in n_states], dtype=np.uint8)
    for node in range(1, n):
        follows = rng.random(60) < draw(st.sampled_from([0.0, 0.5, 0.9]))
        rows[node, follows] = rows[node - 1, follows] % n_states[node]
    return rows, n_states


PROBLEMS = st.integers(2, 4).flatmap(lambda n: st.tuples(codes(n), spaces(n)))


def scorer_of(data: Codes, structure: str, kappa: float = 0.3) -> _native.FamilyScorer:
    """A scorer with a cache too small for all families."""
    columns = _native.Columns(data[0], data[1], None)
    return _native.FamilyScorer(columns, 1.0, log(kappa), 0.0, structure, "greedy", True, 0, 10, 4000)


def family_score(scorer: _native.FamilyScorer, node: int, parents: tuple[int, ...]) -> float:
    """The score of one family."""
    offsets = np.array([0, len(parents)], dtype=np.int64)
    return float(scorer.scores(np.array([node], np.uint32), np.array(parents, np.uint32), offsets, 1)[0])


def table_score(data: Codes, node: int, parents: tuple[int, ...]) -> float:
    """The score of a full table, row by row."""
    rows, n_states = data
    counts = np.zeros([n_states[parent] for parent in parents] + [n_states[node]])
    np.add.at(counts, tuple(rows[[*parents, node]]), 1)
    table = tuple(map(tuple, counts.reshape(-1, n_states[node]).tolist()))
    problem = partitions.Problem(tuple(n_states[parent] for parent in parents), table, 1.0, 0.0)
    return math.fsum(partitions.class_score(problem, [number]) for number in range(len(table)))


@settings(deadline=None, max_examples=60)
@given(PROBLEMS, st.integers(0, 2**64 - 1), st.integers(0, 100), st.sampled_from(["table", "ldag", "graph"]))
def test_chains_walk_as_the_twin_does(
    problem: tuple[Codes, oracle.Space], seed: int, first_chain: int, structure: str
) -> None:
    """The same graph, score, history and number of accepted proposals, chain by chain."""
    data, space = problem
    scorer = scorer_of(data, structure)
    score = cache(lambda node, parents: family_score(scorer_of(data, structure), node, parents))
    found = _native.testing.run_chains(
        scorer, space.candidates, space.required, space.max_parents, 2, 80, seed, 2, first_chain=first_chain
    )
    for number, chain in enumerate(found, start=first_chain):
        twin = oracle.Chain(space, score, oracle.Random(seed, number), space.required)
        twin.run(80)
        best = [list(parents) for parents in twin.best]
        assert chain == (number, best, twin.best_score, twin.trace, 80, twin.n_accepted)


@settings(deadline=None, max_examples=40)
@given(PROBLEMS, st.integers(0, 1000))
def test_the_answer_is_allowed_and_no_better_than_the_best_of_all(
    problem: tuple[Codes, oracle.Space], seed: int
) -> None:
    """The score is that of the graph by brute force, and the maximum over all DAGs is never beaten."""
    data, space = problem
    score = cache(lambda node, parents: table_score(data, node, parents))
    total = {graph: math.fsum(score(*family) for family in enumerate(graph)) for graph in oracle.all_dags(space)}
    arguments = space.candidates, space.required, space.max_parents, 4, 50, seed, 1
    parents, found, *_ = _native.search_chain(scorer_of(data, "table"), *arguments)
    graph = tuple(map(tuple, parents))
    assert abs(found - total[graph]) < 1e-8
    assert found <= max(total.values()) + 1e-8


@settings(deadline=None, max_examples=25)
@given(codes(3), st.integers(0, 1000))
def test_long_chains_on_three_nodes_find_the_best_of_all(data: Codes, seed: int) -> None:
    """All 25 DAGs lie a few moves apart: twenty chains of 500 proposals find the best."""
    free = tuple(tuple(parent for parent in range(3) if parent != node) for node in range(3))
    space = oracle.Space(free, ((),) * 3, (2,) * 3)
    score = cache(lambda node, parents: table_score(data, node, parents))
    totals = [math.fsum(score(*family) for family in enumerate(graph)) for graph in oracle.all_dags(space)]
    assert len(totals) == 25
    found = _native.search_chain(scorer_of(data, "table"), free, space.required, (2,) * 3, 20, 500, seed, 2)
    assert abs(found[1] - max(totals)) < 1e-8
