"""The best labelled DAGs of the heart data, as published and as independently recomputed."""

from math import log

import pytest

import ldag
from ldag import _native, datasets
from tests.oracle.search_exact import everything

HEART = datasets.load("heart")


def search(kappa: float, labels: str, max_parents: int, regular: bool) -> tuple[list[list[int]], float]:
    """The best graph and its score."""
    scorer = _native.FamilyScorer(
        HEART.columns, 1.0, log(kappa), 0.0, "ldag", labels, regular, seed=0, n_restarts=10, cache_bytes=0
    )
    parents, score, *_ = _native.search_exact(scorer, *everything(6, max_parents).lists, 2)
    return parents, score


def dimensions(parents: list[list[int]], kappa: float) -> tuple[int, int]:
    """Free parameters of the DAG, and of it with the labels that greedy search finds."""
    dag, labelled = 0, 0
    for node, above in zip(HEART.names, parents, strict=True):
        names = [HEART.names[p] for p in above]
        family = ldag.learn_family(HEART, node, parents=names, kappa=kappa)
        dag += len(family.partition.classes)
        labelled += len(set(family.partition.classes))
    return dag, labelled


@pytest.mark.parametrize("regular", [True, False])
@pytest.mark.parametrize(
    ("kappa", "score", "n_edges", "dag_dimension", "dimension"),
    [(0.001, -6731.82, 5, 12, 12), (0.1, -6729.69, 6, 14, 12), (0.3, -6727.50, 6, 14, 12), (0.5, -6724.68, 7, 18, 11)],
)
def test_heart_optimum_is_the_published_one(
    kappa: float, score: float, n_edges: int, dag_dimension: int, dimension: int, regular: bool
) -> None:
    """The scores, edges and dimensions of the paper's table, to both decimals."""
    parents, found = search(kappa, "greedy", 5, regular)
    assert found == pytest.approx(score, abs=0.005)
    assert sum(map(len, parents)) == n_edges
    assert dimensions(parents, kappa) == (dag_dimension, dimension)


def test_heart_optimum_under_the_uniform_prior() -> None:
    """With kappa 1 regularity has to be asked for: otherwise parents that do nothing cost nothing."""
    parents, found = search(1.0, "greedy", 5, regular=True)
    assert found == pytest.approx(-6703.51, abs=0.005)
    assert sum(map(len, parents)) == 10
    assert dimensions(parents, 1.0) == (53, 11)


def test_heart_optimum_with_exact_labels() -> None:
    """Up to three parents, every family with its best labels."""
    parents, found = search(0.5, "exact", 3, regular=False)
    assert found == pytest.approx(-6723.82, abs=0.005)
    assert sum(map(len, parents)) == 8
