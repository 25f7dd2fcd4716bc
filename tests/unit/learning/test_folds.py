"""Folds and what they decide: the same whatever columns are called and in whatever order columns and rows come."""

from collections.abc import Callable

import numpy as np
import pytest

import ldag
from ldag import Dataset, Variable, datasets
from ldag.learning.content_order import order_by_content
from ldag.model import Schema


def renamed(data: Dataset, seed: int) -> Dataset:
    """Return the same table with columns in another order and under other names, and rows in another order."""
    rng = np.random.default_rng(seed)
    columns = rng.permutation(len(data.names)).tolist()
    rows = rng.permutation(data.n_rows)
    new = [f"column {place:02}" for place in rng.permutation(len(columns)).tolist()]
    old = [data.variables[column] for column in columns]
    schema = Schema(tuple(Variable(name, v.states, v.ordered) for name, v in zip(new, old, strict=True)))
    codes = np.ascontiguousarray(data.codes[columns][:, rows])
    return Dataset(schema, codes, None if data.weights is None else data.weights[rows])


def measured(n_columns: int) -> Dataset:
    """Return columns of three and four states that hang together here and there."""
    rng = np.random.default_rng(n_columns)
    columns = [rng.integers(0, 4, 400)]
    for place in range(1, n_columns):
        before = columns[rng.integers(len(columns))]
        columns.append(np.where(rng.random(400) < 0.6, before, rng.integers(0, 4, 400)) % (3 + place % 2))
    return ldag.read({f"v{place}": column for place, column in enumerate(columns)})


def exchangeable() -> Dataset:
    """Return three columns that are alike in every way: each row has its permutations."""
    rows = [(0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 1, 1)] * 20
    return ldag.read({name: list(column) for name, column in zip("abc", zip(*rows, strict=True), strict=True)})


@pytest.mark.parametrize(
    "load",
    [
        lambda: datasets.load("heart"),
        lambda: datasets.load("titanic"),
        lambda: datasets.load("ucb"),
        lambda: measured(5),
        lambda: measured(9),
        exchangeable,
    ],
)
def test_names_and_order_change_nothing(load: Callable[[], Dataset]) -> None:
    """Neither the scores of folds nor what is said of unseen data; with nine columns, folds are climbed."""
    data = load()
    answers = []
    for table in (data, *(renamed(data, seed) for seed in range(3))):
        fit = ldag.learn(table, kappa="cv", max_parents=3, equivalent_sample_size=1)
        assert fit.cv is not None
        told = [line for line in str(fit).splitlines() if "held-out" in line]
        answers.append((fit.kappa, told, fit.cv.fold_scores))
    kappa, told, scores = answers[0]
    for answer in answers[1:]:
        assert answer[:2] == (kappa, told)
        assert answer[2] == {k: pytest.approx(own, abs=1e-6) for k, own in scores.items()}


def test_more_than_kappa_is_chosen_alike() -> None:
    """Structures, priors and sample sizes, and the graph that the last search starts from."""
    data = datasets.load("titanic")
    fits = [
        ldag.learn(table, structure="cv", prior="cv", equivalent_sample_size="cv", method="climb", n_restarts=5)
        for table in (data, renamed(data, 1))
    ]
    assert fits[0].cv is not None
    assert fits[1].cv is not None
    assert fits[0].cv.best == fits[1].cv.best
    assert fits[0].score.total == pytest.approx(fits[1].score.total)


def test_the_order_is_one_of_the_same_rows() -> None:
    """Nothing is lost: every row with its weight; and it is the same for every order they come in, names aside."""
    data = measured(6)
    ordered = order_by_content(data)
    assert sorted(ordered.names) == sorted(data.names)
    assert order_by_content(ordered.select(data.names)).names == ordered.names
    back = ordered.select(data.names)
    assert back == data.sorted()
    for seed in range(5):
        other = order_by_content(renamed(data, seed))
        assert np.array_equal(other.codes, ordered.codes)
        assert np.array_equal(other.whole_weights, ordered.whole_weights)


def test_columns_that_are_alike_at_first_sight() -> None:
    """The first two differ in what goes with the third, whose states are equally common: the third round sees it."""
    columns = [0, 1, 0, 0, 1, 0], [1, 1, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0]
    data, exchanged = (ldag.read(dict(zip(names, columns, strict=True))) for names in ("abc", "bac"))
    assert np.array_equal(order_by_content(data).codes, order_by_content(exchanged).codes)
