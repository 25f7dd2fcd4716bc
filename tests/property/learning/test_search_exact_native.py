"""The exact search finds the best of all DAGs, and only DAGs of the space."""

from dataclasses import dataclass

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ldag import _native
from ldag.scoring import Prior, Priors
from tests.oracle import search_exact as oracle

STRUCTURES = ["table", "tree", "ldag", "partial", "graph"]


@dataclass(frozen=True)
class Problem:
    """A data set and how families are scored on it."""

    codes: NDArray[np.uint8]
    n_states: list[int]
    kappa: float
    prior: Prior
    structure: str
    labels: str
    regular: bool
    weights: list[int] | None = None

    def scorer(self) -> _native.FamilyScorer:
        """A scorer of its own each time."""
        return _native.FamilyScorer(
            _native.Columns(self.codes, self.n_states, None if self.weights is None else np.array(self.weights)),
            1.0,
            *Priors(self.kappa, 1.0, self.prior).prices,
            self.structure,
            self.labels,
            self.regular,
            seed=0,
            n_restarts=2,
            cache_bytes=1 << 20,
        )

    def family_score(self, node: int, parents: tuple[int, ...]) -> float:
        """The score of one family."""
        offsets = np.array([0, len(parents)], dtype=np.int64)
        found = self.scorer().scores(np.array([node], np.uint32), np.array(parents, np.uint32), offsets, 1)
        return float(found[0])


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Draw up to four variables of one to four states that often copy each other, and any kind of score."""
    n_states = draw(st.lists(st.sampled_from([1, 2, 2, 3, 4]), min_size=1, max_size=4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    noise = draw(st.sampled_from([0.0, 0.3, 1.0]))
    n_rows = draw(st.integers(0, 60))
    common = rng.integers(0, 12, n_rows)
    codes = [np.where(rng.random(n_rows) < noise, rng.integers(0, 12, n_rows), common) % r for r in n_states]
    return Problem(
        np.array(codes, dtype=np.uint8),
        n_states,
        draw(st.sampled_from([1e-3, 0.3, 1.0])),
        draw(st.sampled_from(["labels", "parameters", "uniform"])),
        draw(st.sampled_from(STRUCTURES)),
        draw(st.sampled_from(["greedy", "greedy", "exact"])),
        draw(st.booleans()),
    )


@st.composite
def spaces(draw: st.DrawFn, n: int) -> oracle.Space:
    """Draw forbidden edges, required edges (along some order) and limits that allow them."""
    if draw(st.booleans()):
        return oracle.everything(n, draw(st.integers(0, 3)))
    order = draw(st.permutations(range(n)))
    chance = st.sampled_from(["forbidden", "allowed", "allowed", "required"])
    candidates: list[list[int]] = [[] for _ in range(n)]
    required: list[list[int]] = [[] for _ in range(n)]
    for child in range(n):
        for parent in range(n):
            kind = draw(chance) if parent != child else "forbidden"
            if kind != "forbidden":
                candidates[child].append(parent)
            if kind == "required" and order.index(parent) < order.index(child):
                required[child].append(parent)
    limits = [len(above) + draw(st.integers(0, 3)) for above in required]
    return oracle.Space(candidates, required, limits)


@settings(deadline=None, max_examples=400)
@given(st.data(), problems(), st.integers(1, 3))
def test_exact_is_the_best_of_all_dags(data: st.DataObject, problem: Problem, n_threads: int) -> None:
    """The score is the maximum over the space, and that of the graph, which lies in the space."""
    space = data.draw(spaces(len(problem.n_states)))
    parents, score, trace, stopped, n_steps, _ = _native.search_exact(problem.scorer(), *space.lists, n_threads)
    n_families = sum(len(oracle.parent_sets(space, node)) for node in range(len(parents)))
    assert abs(score - oracle.best_score(space, problem.family_score)) < 1e-8
    assert tuple(map(tuple, parents)) in oracle.all_dags(space)
    assert score == sum(problem.family_score(v, tuple(p)) for v, p in enumerate(parents))
    assert trace[-1][1] >= score
    assert not stopped
    assert n_steps == n_families == _native.exact_cost(*space.lists)[1]


@settings(deadline=None, max_examples=30)
@given(st.data(), problems())
def test_threads_change_nothing(data: st.DataObject, problem: Problem) -> None:
    """The same graph to the last bit, with ties or without."""
    space = data.draw(spaces(len(problem.n_states)))
    found = [_native.search_exact(problem.scorer(), *space.lists, n_threads) for n_threads in (1, 2, 4)]
    assert found[0] == found[1] == found[2]


@st.composite
def wider_problems(draw: st.DrawFn) -> Problem:
    """Draw five or six variables and how often each row counts.

    Full tables share the scores of sets of variables; labels are not looked for where they provably cannot win.
    """
    n_states = draw(st.lists(st.sampled_from([1, 2, 3, 4]), min_size=5, max_size=6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_rows = draw(st.sampled_from([0, 1, 30, 300]))
    common = rng.integers(0, 12, n_rows)
    noise = draw(st.sampled_from([0.1, 0.5]))
    codes = [np.where(rng.random(n_rows) < noise, rng.integers(0, 12, n_rows), common) % r for r in n_states]
    prior: Prior = draw(st.sampled_from(["labels", "parameters"]))
    weights = rng.choice([1, 2, 40, 5000], n_rows).tolist() if draw(st.booleans()) else None
    structure = draw(st.sampled_from(["table", "table", "ldag", "ldag", "partial"]))
    kappa = draw(st.sampled_from([0.01, 0.3, 0.3, 1.0]))
    return Problem(np.array(codes, dtype=np.uint8), n_states, kappa, prior, structure, "greedy", True, weights)


@settings(deadline=None, max_examples=40)
@given(st.data(), wider_problems(), st.integers(1, 3))
def test_ranked_sets_are_those_that_beat_their_subsets(data: st.DataObject, drawn: Problem, n_threads: int) -> None:
    """Sets and scores as by scoring every family, with constraints or without, best first."""
    n = len(drawn.n_states)
    space = oracle.everything(n)
    if data.draw(st.booleans()):
        space.candidates[1].remove(0)
        space.required[2].append(0)
        space.max_parents[3] = 3
    ranked = _native.rank_parent_sets(drawn.scorer(), *space.lists, n_threads=n_threads)
    assert ranked is not None
    for node, (sets, scores) in enumerate(ranked):
        places = [[place for place in range(n) if bits >> place & 1] for bits in sets]
        found = {tuple(space.candidates[node][p] for p in own): s for own, s in zip(places, scores, strict=True)}
        assert found == oracle.beat_subsets(space, node, drawn.family_score, 1e-9 / 2 / n)
        assert scores == sorted(scores, reverse=True)
