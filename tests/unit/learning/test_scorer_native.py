"""The scorer that searches call: the same numbers as one family at a time, for any threads and any cache."""

import time
from itertools import product
from math import log

import numpy as np
import pytest
from numpy.typing import NDArray

import ldag
from ldag import _native, datasets
from ldag.learning import StructureKind
from ldag.scoring import Prior, Priors
from tests.interrupts import interrupted
from tests.oracle import partitions as oracle

HEART = datasets.load("heart")
Families = list[tuple[int, list[int]]]


def all_families(n: int, n_parents: int) -> Families:
    """Every node with every set of so many parents."""
    from itertools import combinations

    return [(node, list(p)) for node in range(n) for p in combinations([v for v in range(n) if v != node], n_parents)]


def scorer(columns: _native.Columns, cache_bytes: int = 1 << 20, **options: object) -> _native.FamilyScorer:
    """A scorer with the paper's prior at kappa 0.3, greedy labels, unless options say otherwise."""
    chosen: dict[str, object] = {
        "equivalent_sample_size": 1.0,
        "parameter_saved": log(0.3),
        "parameter_of_table": 0.0,
        "structure": "ldag",
        "labels": "greedy",
        "regular": True,
        "seed": 0,
        "n_restarts": 10,
    } | options
    return _native.FamilyScorer(columns, cache_bytes=cache_bytes, **chosen)  # type: ignore[arg-type]  # by name


def scores(found: _native.FamilyScorer, families: Families, n_threads: int = 1) -> NDArray[np.float64]:
    """The scores of some families."""
    nodes = np.array([node for node, _ in families], dtype=np.uint32)
    parents = np.array([p for _, above in families for p in above], dtype=np.uint32)
    offsets = np.cumsum([0, *(len(above) for _, above in families)], dtype=np.int64)
    return found.scores(nodes, parents, offsets, n_threads)


@pytest.mark.parametrize(
    ("prior", "structure"),
    [
        *product(("labels", "parameters", "uniform"), ("table", "ldag", "graph")),
        ("normalised", "ldag"),
        ("leaves", "tree"),
    ],
)
def test_scores_are_those_of_one_family_at_a_time(prior: Prior, structure: StructureKind) -> None:
    """Every family of the heart data with three parents, under each prior."""
    families = all_families(6, 3)
    kappa = 1.0 if prior == "uniform" else 0.3
    prices = Priors(kappa, 1.0, prior).prices
    native = scorer(
        HEART.columns,
        parameter_saved=prices.saved,
        parameter_of_table=prices.of_table,
        structure=structure,
        normalised=prior == "normalised",
        per_class=prior == "leaves",
    )
    found = scores(native, families)
    for (node, parents), score in zip(families, found, strict=True):
        names = [HEART.names[p] for p in parents]
        one = ldag.learn_family(
            HEART,
            HEART.names[node],
            parents=names,
            kappa=kappa,
            structure=structure,
            prior=prior,
        )
        assert score == pytest.approx(one.score, abs=1e-9)


def test_scores_are_the_best_partition_by_enumeration() -> None:
    """Exact labels on the heart data with three parents: the best of all 927 regular partitions."""
    families = all_families(6, 3)[:8]
    found = scores(scorer(HEART.columns, labels="exact"), families)
    regular = oracle.allowed((2, 2, 2), "ldag", True)
    assert len(regular) == 927
    for (node, parents), score in zip(families, found, strict=True):
        counts = HEART.counts(HEART.names[node], [HEART.names[p] for p in parents])
        problem = oracle.Problem((2, 2, 2), tuple(map(tuple, counts.astype(float).tolist())), 1.0, log(0.3))
        assert score == pytest.approx(max(oracle.scores(problem, regular)), abs=1e-8)


def test_threads_and_cache_change_nothing() -> None:
    """One thread or four, no memory or much: the same numbers to the last bit."""
    families = all_families(6, 3) + all_families(6, 4) + all_families(6, 3)
    expected = scores(scorer(HEART.columns, cache_bytes=0), families)
    for cache_bytes in (0, 1 << 14, 1 << 24):
        for n_threads in (1, 2, 4):
            found = scores(scorer(HEART.columns, cache_bytes), families, n_threads)
            assert np.array_equal(found, expected)


def test_cache_is_bounded_and_used() -> None:
    """A small cache evicts and stays small; a large one remembers."""
    families = all_families(6, 3)
    large = scorer(HEART.columns)
    scores(large, families)
    scores(large, families)
    assert large.cache_statistics["hits"] == len(families)
    small = scorer(HEART.columns, cache_bytes=2000)
    scores(small, families * 3)
    assert small.cache_statistics["evictions"] > 0
    assert small.cache_statistics["bytes"] <= 2000


def test_wrong_arrays_are_refused() -> None:
    """What would read outside the data is checked."""
    found = scorer(HEART.columns)
    with pytest.raises(IndexError, match="no such column"):
        scores(found, [(6, [0])])
    with pytest.raises(ValueError, match="ascend"):
        scores(found, [(0, [2, 1])])
    with pytest.raises(ValueError, match="offset"):
        found.scores(np.zeros(1, np.uint32), np.zeros(1, np.uint32), np.zeros(3, np.int64), 1)


def test_interrupt_ends_the_work_soon() -> None:
    """Ctrl-C in the middle of millions of families comes through well within a second."""
    families = all_families(6, 3) * 20_000
    found = scorer(HEART.columns, cache_bytes=0, labels="refined")
    with interrupted(0.3) as sent, pytest.raises(KeyboardInterrupt):
        scores(found, families, n_threads=2)
    assert time.monotonic() - sent[0] < 30
