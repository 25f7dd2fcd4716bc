"""EM: when it ends, when it leaps, what zeros and unseen classes do, which row is impossible, threads and starts."""

import numpy as np
import pytest

from ldag import LDAG
from ldag.data import GAP, Dataset
from ldag.inference import Completions
from ldag.inference.em import (
    CodedGaps,
    EMControl,
    EMResult,
    ImpossibleRow,
    draw_start,
    run_em,
    run_em_from_random_starts,
    tell_left,
)
from ldag.model import Smoothing

CHAIN = LDAG.from_edges([("a", "b"), ("b", "c")], states={"a": [0, 1], "b": [0, 1, 2], "c": [0, 1]})
CLASSES = LDAG.from_edges([("h", "a"), ("h", "b"), ("h", "c")], states={x: [0, 1] for x in "habc"})


def data_of(graph: LDAG, share: float, n_rows: int = 400, noise: float = 0.3) -> Dataset:
    """Rows in which each variable follows the one before, cells taken out at random."""
    rng = np.random.default_rng(0)
    codes = np.zeros((len(graph.variables), n_rows), dtype=np.uint8)
    for node, n in enumerate(graph.schema.n_states):
        fresh = rng.integers(0, n, n_rows)
        codes[node] = np.where(rng.random(n_rows) < noise, fresh, codes[node - 1] % n if node else fresh)
    codes[rng.random(codes.shape) < share] = GAP
    return Dataset.from_codes(graph.schema, codes)


def latent_data() -> Dataset:
    """Three poor copies of what nobody saw."""
    data = data_of(CLASSES, 0.0, noise=0.7)
    codes = data.codes.copy()
    codes[0] = GAP
    return Dataset.from_codes(CLASSES.schema, codes, data.weights)


def gaps_of(data: Dataset) -> CodedGaps:
    """Take data apart."""
    return CodedGaps.of(data.codes, data.schema.n_states, data.weights)


def fit(graph: LDAG, data: Dataset, start: object = None, **control: object) -> EMResult:
    """Posterior means under a prior of size 1."""
    completions = Completions(graph.structure)
    return run_em(completions, gaps_of(data), Smoothing(1.0), "mean", start, EMControl(**control))  # type: ignore[arg-type]


def test_what_is_left_is_the_rest_of_a_geometric_series() -> None:
    """Gains 4, 2 leave 2 + ... no more than 2; gains that grow leave anything; none leaves nothing."""
    assert tell_left([0.0, 4.0, 6.0]) == 2.0
    assert tell_left([-np.inf, 0.0, 1.0]) == np.inf
    assert tell_left([0.0, 1.0, 3.0]) == np.inf
    assert tell_left([1.0, 1.0, 1.0]) == 0.0


def test_it_ends_when_little_is_left() -> None:
    """After at least three steps, with no more than the tolerance still to be gained; 0 takes every step."""
    data = data_of(CHAIN, 0.3)
    best = fit(CHAIN, data, tolerance=0.0, n_iter=2000, accelerate=False)
    assert (best.n_iter, best.converged, len(best.trace)) == (2000, False, 2001)
    for tolerance in (1e-2, 1e-5):
        ended = fit(CHAIN, data, tolerance=tolerance)
        assert ended.converged
        assert 0 <= best.objective - ended.objective < 2 * tolerance
    assert fit(CHAIN, data, tolerance=1e9).n_iter == 3
    assert not fit(CHAIN, data, tolerance=1e-12, n_iter=4).converged


def test_leaps_begin_after_twenty_steps_and_save_many() -> None:
    """Up to there the traces are the same; the end is the same, in a third of the steps."""
    start = draw_start(CLASSES.structure, 1, 0)
    plain = fit(CLASSES, latent_data(), start, accelerate=False, tolerance=1e-6)
    quick = fit(CLASSES, latent_data(), start, tolerance=1e-6)
    assert quick.trace[:21] == plain.trace[:21]
    assert quick.trace[21:24] != plain.trace[21:24]
    assert quick.converged
    assert quick.n_iter < plain.n_iter / 3
    assert quick.objective > plain.objective - 2e-6


def test_probabilities_are_estimated_from_the_counts() -> None:
    """Also after leaps: the last step is a plain one."""
    for n_iter in (1, 21, 22, 23, 24, 25, 500):
        result = fit(CLASSES, latent_data(), draw_start(CLASSES.structure, 1, 0), n_iter=n_iter, tolerance=0.0)
        assert result.n_iter == n_iter
        for counts, table, family in zip(result.counts, result.probabilities, CLASSES.structure.families, strict=True):
            total = counts + Smoothing(1.0).of_classes(family.partition)[:, None] / 2
            np.testing.assert_allclose(table, total / total.sum(axis=1, keepdims=True), rtol=1e-12)


def test_zeros_stay_zero_and_unseen_classes_keep_equal_probabilities() -> None:
    """Under the likelihood nothing is added: what is impossible remains so, and what is never met is not learned."""
    codes = np.array([[0, 0, GAP, 0, 0], [0, 1, 1, GAP, 0], [0, 1, GAP, 1, 1]], dtype=np.uint8)
    data = Dataset.from_codes(CHAIN.schema, codes)
    start = (
        np.array([[1.0, 0.0]]),
        np.full((2, 3), 1 / 3),
        np.array([[0.5, 0.5], [0.4, 0.6], [0.9, 0.1]]),
    )
    table = gaps_of(data)
    for n_iter in (1, 60):
        control = EMControl(n_iter=n_iter, tolerance=0.0)
        result = run_em(Completions(CHAIN.structure), table, Smoothing(1.0), "likelihood", start, control)
        assert result.probabilities[0].tolist() == [[1.0, 0.0]]
        assert result.probabilities[1][1].tolist() == [1 / 3] * 3


@pytest.mark.parametrize("cells", [[0, GAP, 1], [0, 2, 1]])
def test_an_impossible_row_is_named(cells: list[int]) -> None:
    """By its codes, whether it has a gap or not."""
    codes = np.array([[1, 0, GAP], cells], dtype=np.uint8).T
    data = Dataset.from_codes(CHAIN.schema, np.ascontiguousarray(codes))
    start = (np.array([[0.5, 0.5]]), np.full((2, 3), 1 / 3), np.array([[1.0, 0.0]] * 3))
    with pytest.raises(ImpossibleRow) as refused:
        run_em(Completions(CHAIN.structure), gaps_of(data), Smoothing(1.0), "mean", start)
    assert refused.value.row == tuple(cells)


def test_threads_and_order_of_rows_change_no_digit() -> None:
    """One thread or more, rows merged or in another order, weights for copies."""
    data = data_of(CHAIN, 0.4)
    one = fit(CHAIN, data, n_threads=1)
    order = np.random.default_rng(0).permutation(data.n_rows)
    weights = data.whole_weights
    turned = Dataset(CHAIN.schema, np.ascontiguousarray(data.codes[:, order]), weights[order])
    copied = Dataset.from_codes(CHAIN.schema, np.repeat(data.codes, weights, axis=1))
    for other in (fit(CHAIN, data, n_threads=3), fit(CHAIN, turned), fit(CHAIN, copied)):
        assert other.trace == one.trace
        assert all(np.array_equal(a, b) for a, b in zip(other.probabilities, one.probabilities, strict=True))


def test_a_row_of_gaps_changes_no_log_likelihood() -> None:
    """It adds an observation to the counts of every family, and nothing that was seen."""
    data = data_of(CHAIN, 0.3, 50)
    more = Dataset.from_codes(
        CHAIN.schema, np.concatenate([data.codes, np.full((3, 1), GAP, dtype=np.uint8)], axis=1), None
    )
    completions = Completions(CHAIN.structure)
    start = draw_start(CHAIN.structure, 3, 0)
    ends = []
    for each in (Dataset.from_codes(CHAIN.schema, data.codes), more):
        control = EMControl(n_iter=2000, tolerance=0.0)
        ends.append(run_em(completions, gaps_of(each), Smoothing(1.0), "likelihood", start, control))
    assert abs(ends[0].log_likelihood - ends[1].log_likelihood) < 1e-6
    assert [round(float((b - a).sum()), 6) for a, b in zip(ends[0].counts, ends[1].counts, strict=True)] == [1.0] * 3


def test_random_starts_have_all_their_ends_and_the_best_wins() -> None:
    """Equal seeds, equal ends."""
    table, completions = gaps_of(latent_data()), Completions(CLASSES.structure)

    def run(n_restarts: int, seed: int) -> tuple[EMResult, tuple[float, ...]]:
        return run_em_from_random_starts(
            completions, table, Smoothing(1.0), "mean", EMControl(), n_restarts=n_restarts, seed=seed
        )

    best, ends = run(6, 1)
    assert len(ends) == 6
    assert best.objective == max(ends)
    assert run(6, 1)[1] == ends
    assert run(6, 2)[1] != ends


def test_three_random_starts_go_on_after_twenty_steps() -> None:
    """The others end where twenty plain steps led them."""
    table, completions = gaps_of(latent_data()), Completions(CLASSES.structure)
    control = EMControl(tolerance=1e-9)
    task = completions, table, Smoothing(1.0), "mean"
    _, ends = run_em_from_random_starts(*task, control, n_restarts=6, seed=1)  # type: ignore[arg-type]
    starts = [draw_start(CLASSES.structure, 1, i) for i in range(6)]
    short = [fit(CLASSES, latent_data(), start, tolerance=1e-9, n_iter=20).objective for start in starts]
    whole = [fit(CLASSES, latent_data(), start, tolerance=1e-9).objective for start in starts]
    best = sorted(range(6), key=lambda i: -short[i])[:3]
    assert list(ends) == [whole[i] if i in best else short[i] for i in range(6)]
    assert whole != short
