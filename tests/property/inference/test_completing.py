"""Rows with gaps by circuits and by tables equal listing all completions: labels, zeros, weights, 2 to 4 states."""

from dataclasses import dataclass

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from ldag import LDAG
from ldag.inference import Completions, row_uniforms
from ldag.inference.completing import _ByTables
from ldag.model import Model, Structure
from tests.oracle.completions import GAP, expected_counts, posterior
from tests.strategies import graphs

SETTINGS = settings(deadline=None, max_examples=40)


@dataclass(frozen=True)
class Case:
    """A structure, parameters that sum to one or less, rows with gaps and their weights."""

    structure: Structure
    tables: tuple[NDArray[np.float64], ...]
    rows: NDArray[np.uint8]
    weights: NDArray[np.float64]

    def ways(self) -> list[Completions]:
        """Completions by a circuit, and by tables."""
        by_circuit, by_tables = Completions(self.structure), Completions(self.structure)
        by_tables._way = _ByTables(Model(self.structure, self.tables), 1e9)
        return [by_circuit, by_tables]


@st.composite
def cases(draw: st.DrawFn, is_normalised: bool = False) -> Case:
    """Random graphs with any classes; parameters of zero; rows that may be impossible."""
    graph: LDAG = draw(graphs(max_nodes=4, beyond_labels=draw(st.booleans())))
    structure = graph.structure
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    tables = []
    for n_states, family in zip(structure.n_states, structure.families, strict=True):
        table = rng.random((family.partition.n_classes, n_states))
        table[rng.random(table.shape) < 0.15] = 0.0
        table[:, 0] += 0.01
        tables.append(table / table.sum(axis=1, keepdims=True))
        if not is_normalised:
            tables[-1] = tables[-1] * rng.uniform(0.2, 1.0, (len(table), 1))
    n_rows = draw(st.integers(1, 20))
    rows = np.array([rng.integers(0, n, n_rows) for n in structure.n_states], dtype=np.uint8).T.copy()
    rows[rng.random(rows.shape) < draw(st.sampled_from([0.0, 0.3, 0.8, 1.0]))] = GAP
    return Case(structure, tuple(tables), rows, rng.choice([0.0, 0.5, 1.0, 3.0], n_rows))


@given(cases())
@SETTINGS
def test_expected_counts_equal_listing(case: Case) -> None:
    """Log probabilities of rows, minus infinity for impossible ones, and the counts of every class and state."""
    logs, counts = expected_counts(case.structure, case.tables, case.rows.tolist(), case.weights.tolist())
    for way in case.ways():
        own_logs, own_counts = way.expected_counts(case.tables, case.rows, case.weights)
        np.testing.assert_allclose(own_logs, logs, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(way.log_probabilities(case.tables, case.rows), logs, rtol=1e-10, atol=1e-10)
        for own, expected in zip(own_counts, counts, strict=True):
            np.testing.assert_allclose(own, expected, rtol=1e-10, atol=1e-12)


@given(cases(is_normalised=True))
@SETTINGS
def test_maxima_and_draws_are_possible_completions(case: Case) -> None:
    """The greatest share is reached; draws agree with what was seen and have a positive share."""
    for way in case.ways():
        greatest, logs = way.most_probable(case.tables, case.rows)
        drawn = way.draw(case.tables, case.rows, 3, 7)
        for place, row in enumerate(case.rows.tolist()):
            total, shares = posterior(case.structure, case.tables, row)
            if total == 0.0:
                assert greatest[place].tolist() == row
                assert np.isneginf(logs[place])
                assert drawn[:, place].tolist() == [row] * 3
                continue
            best = max(shares.values())
            assert np.isclose(shares[tuple(greatest[place].tolist())], best)
            assert np.isclose(np.exp(logs[place]), best * total)
            assert all(shares[tuple(copy)] > 0 for copy in drawn[:, place].tolist())


@given(cases(is_normalised=True))
@settings(deadline=None, max_examples=10)
def test_systematic_draws_have_the_shares_of_completions(case: Case) -> None:
    """Of n copies each completion gets its share of n, to less than one copy."""
    n_copies = 400
    drawn = Completions(case.structure).draw(case.tables, case.rows, n_copies, 3, systematic=True)
    for place, row in enumerate(case.rows.tolist()):
        _, shares = posterior(case.structure, case.tables, row) if place == 0 else (0.0, {})
        full, counts = np.unique(drawn[:, place], axis=0, return_counts=True)
        seen = {tuple(f): int(n) for f, n in zip(full.tolist(), counts, strict=True)}
        for completion, share in shares.items():
            assert abs(seen.get(completion, 0) - n_copies * share) < 1 + 1e-6


def test_numbers_that_belong_to_rows() -> None:
    """They depend on a row, on which of the equal ones it is, and on the seed, and are spread evenly."""
    rows = np.repeat(np.arange(4, dtype=np.uint8), 500)[:, None] * np.ones(3, dtype=np.uint8)
    numbers = row_uniforms(rows, 3, seed=7)
    order = np.random.default_rng(1).permutation(np.repeat(np.arange(4), 500)).argsort(kind="stable")
    mixed = np.empty_like(rows)
    mixed[order] = rows  # equal rows keep their order
    assert np.array_equal(row_uniforms(mixed, 3, seed=7)[:, order], numbers)
    assert np.array_equal(row_uniforms(rows, 2, seed=7), numbers[:2])
    assert not np.array_equal(row_uniforms(rows, 3, seed=8), numbers)
    shares = np.histogram(numbers, bins=10, range=(0, 1))[0] / numbers.size
    assert np.allclose(shares, 0.1, atol=5 * np.sqrt(0.09 / numbers.size))
    assert abs(np.corrcoef(numbers[0], numbers[1]).flat[1]) < 0.1
