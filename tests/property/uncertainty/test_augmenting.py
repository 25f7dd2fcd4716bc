"""The posterior of a table with gaps agrees with the sum over all completed tables, and does what a posterior must."""

from functools import partial

import numpy as np
import pytest

import ldag
from ldag.uncertainty import filling
from tests.oracle import posterior as oracle
from tests.oracle.posterior_gaps import GapRow, posterior_with_gaps
from tests.oracle.search_exact import everything

NAMES = ("a", "b", "c")

CASES = {
    "labels": oracle.Question((), (2, 2, 2), 0.5, "labels", 1.0),
    "normalised": oracle.Question((), (3, 2, 2), 0.3, "normalised", 2.0),
    "table": oracle.Question((), (2, 4, 2), 1.0, "table", 8.0),
}


def rows_with_gaps(n_states: tuple[int, ...], n_rows: int, n_gaps: int, seed: int) -> list[GapRow]:
    """Draw rows that depend on each other, and take some cells out; one row has two gaps."""
    rng = np.random.default_rng(seed)
    rows: list[list[int | None]] = [list(row) for row in oracle.random_rows(rng, n_states, n_rows)]
    rows[0][0] = rows[0][2] = None
    for place in rng.choice(np.arange(3, 3 * n_rows), size=n_gaps - 2, replace=False).tolist():
        rows[place // 3][place % 3] = None
    return [tuple(row) for row in rows]


def dataset(rows: list[GapRow], n_states: tuple[int, ...], names: tuple[str, ...] = NAMES) -> ldag.Dataset:
    """Make data of codes, columns in some order."""
    order = [NAMES.index(name) for name in names]
    columns = {NAMES[i]: [row[i] for row in rows] for i in order}
    return ldag.read(columns, states={NAMES[i]: list(range(n_states[i])) for i in order}, missing="keep")


def ask(question: oracle.Question, rows: list[GapRow], **more: object) -> ldag.Posterior:
    """Ask the library."""
    is_table = question.prior == "table"
    more |= {"structure": "table"} if is_table else {"prior": question.prior, "kappa": question.kappa}
    more = {"n_rounds": 200, "rng": 3, **more}
    size = question.equivalent_sample_size
    data = dataset(rows, question.n_states)
    return ldag.posterior(data, equivalent_sample_size=size, **more)  # type: ignore[call-overload, no-any-return]


def compare(post: ldag.Posterior, question: oracle.Question, rows: list[GapRow]) -> None:
    """Hold edges, ancestors, labels and CSI-separation against the sum over all completed tables."""
    _, graphs = posterior_with_gaps(question, rows, everything(3))
    for i, a in enumerate(NAMES):
        for j, b in enumerate(NAMES):
            if i == j:
                continue
            edge = oracle.total(graphs, partial(oracle.has_edge, i=i, j=j))
            assert post.edge(a, b) == pytest.approx(edge, abs=5 * post.edge(a, b).mc_error + 1e-3)
            above = oracle.total(graphs, partial(oracle.is_above, i=i, j=j))
            assert post.ancestor(a, b) == pytest.approx(above, abs=5 * post.ancestor(a, b).mc_error + 1e-3)
            k = 3 - i - j
            context = {k: question.n_states[k] - 1}
            both = oracle.total(graphs, partial(oracle.vanishes, n_states=question.n_states, i=i, j=j, context=context))
            label = post.label(a, b, context={NAMES[k]: question.n_states[k] - 1})
            assert label == pytest.approx(both / edge, abs=5 * label.mc_error + 5e-3)


@pytest.mark.parametrize("name", CASES)
def test_agrees_with_the_sum_over_completed_tables(name: str) -> None:
    """Within Monte-Carlo error, which is small."""
    question = CASES[name]
    rows = rows_with_gaps(question.n_states, 14, 6, seed=len(name))
    post = ask(question, rows)
    assert post.diagnostics is not None
    assert post.diagnostics.converged
    assert 0 < post.diagnostics.max_mc_error < 0.02
    compare(post, question, rows)


@pytest.mark.parametrize("how", ["rows", "chain"])
def test_other_ways_agree_too(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gaps drawn row by row from a circuit, as where there are many cells, and chains instead of exact sums."""
    question = CASES["normalised"]
    rows = rows_with_gaps(question.n_states, 14, 6, seed=5)
    if how == "rows":
        monkeypatch.setattr(filling, "MOST_CELLS", 1)
        compare(ask(question, [*rows, *rows[:3]]), question, [*rows, *rows[:3]])
    else:
        compare(ask(question, rows, method="chain", n_iter=300, n_rounds=100), question, rows)


def test_rows_columns_and_threads_in_any_order_change_no_digit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor do rows in another order; another seed does."""
    question = CASES["normalised"]
    rows = rows_with_gaps(question.n_states, 30, 9, seed=2)
    options = {"kappa": 0.3, "equivalent_sample_size": 1, "n_rounds": 15}
    for most_cells in (1, 1 << 12):
        monkeypatch.setattr(filling, "MOST_CELLS", most_cells)
        first = ldag.posterior(dataset(rows, question.n_states), n_jobs=1, **options)  # type: ignore[call-overload]
        turned = dataset(rows[::-1], question.n_states, ("c", "a", "b"))
        second = ldag.posterior(turned, n_jobs=2, **options)  # type: ignore[call-overload]
        chances = {(edge.parent, edge.child): (edge.probability, edge.mc_error) for edge in second.edges}
        assert {(edge.parent, edge.child): (edge.probability, edge.mc_error) for edge in first.edges} == chances
        assert first.labels(0.01) == second.labels(0.01)
        other = ldag.posterior(turned, rng=1, **options)  # type: ignore[call-overload]
        assert other.edge("a", "b") != first.edge("a", "b")
