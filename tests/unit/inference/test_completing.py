"""Completions: the same digits for any threads, order and merging; rows that underflow; what is too large."""

import pickle
import time

import numpy as np
import pytest
from numpy.typing import NDArray

from ldag.inference import Completions, NothingFits
from ldag.inference.completing import _ByTables
from ldag.model import CodedFamily, Grid, Model, Structure
from tests.interrupts import interrupted
from tests.oracle.completions import GAP, posterior

Tables = tuple[NDArray[np.float64], ...]


def chain(n: int, n_states: int = 3) -> Structure:
    """Each node has the one before as its parent."""
    first = CodedFamily.table((), Grid(()))
    rest = [CodedFamily.table((i,), Grid((n_states,))) for i in range(n - 1)]
    return Structure((n_states,) * n, (first, *rest))


def tables_of(structure: Structure, seed: int = 0) -> Tables:
    """Random parameters."""
    rng = np.random.default_rng(seed)
    shapes = [(f.partition.n_classes, n) for f, n in zip(structure.families, structure.n_states, strict=True)]
    return tuple(rng.dirichlet(np.ones(n), n_classes) for n_classes, n in shapes)


def rows_of(structure: Structure, n_rows: int, seed: int = 1) -> NDArray[np.uint8]:
    """Random rows, a third of the cells missing."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, structure.n_states[0], (n_rows, len(structure))).astype(np.uint8)
    rows[rng.random(rows.shape) < 0.3] = GAP
    return rows


@pytest.mark.parametrize("by_tables", [False, True])
def test_threads_change_no_digit(by_tables: bool) -> None:
    """Blocks of rows are added in their order, whoever adds them up."""
    structure = chain(5)
    tables, rows = tables_of(structure), rows_of(structure, 1003)
    completions = Completions(structure)
    if by_tables:
        completions._way = _ByTables(Model(structure, tables), 1e9)
    weights = np.linspace(0.1, 2.0, len(rows))
    logs, counts = completions.expected_counts(tables, rows, weights, 1)
    for n_threads in (2, 5):
        others = completions.expected_counts(tables, rows, weights, n_threads)
        assert np.array_equal(logs, others[0])
        assert all(np.array_equal(a, b) for a, b in zip(counts, others[1], strict=True))
        drawn = completions.draw(tables, rows[:50], 2, 5, n_threads)
        assert np.array_equal(drawn, completions.draw(tables, rows[:50], 2, 5, 1))


@pytest.mark.parametrize("by_tables", [False, True])
def test_draws_do_not_depend_on_the_order_of_rows(by_tables: bool) -> None:
    """The first of equal rows gets the same states, wherever it stands and whatever else is drawn."""
    structure = chain(4)
    tables, rows = tables_of(structure), np.unique(rows_of(structure, 60), axis=0)
    completions = Completions(structure)
    if by_tables:
        completions._way = _ByTables(Model(structure, tables), 1e9)
    drawn = completions.draw(tables, rows, 3, 11)
    order = np.random.default_rng(0).permutation(len(rows))
    assert np.array_equal(completions.draw(tables, rows[order], 3, 11), drawn[:, order])
    assert np.array_equal(completions.draw(tables, rows[:7], 2, 11), drawn[:2, :7])
    assert not np.array_equal(completions.draw(tables, rows, 3, 12), drawn)


def test_equal_rows_get_draws_of_their_own() -> None:
    """A thousand equal rows have the shares of the completions, not one completion a thousand times."""
    structure = chain(2)
    tables = tables_of(structure)
    row = [GAP, 1]
    drawn = Completions(structure).draw(tables, np.array([row] * 4000, dtype=np.uint8), 1, 3)[0]
    _, shares = posterior(structure, tables, row)
    for full, share in shares.items():
        assert abs((drawn == full).all(axis=1).mean() - share) < 0.04


def test_rows_that_underflow_are_counted_as_well() -> None:
    """A row less probable than the smallest number has its log and its counts."""
    structure = chain(40)
    tiny = 1e-30
    first, rest = np.array([[1 - 2 * tiny, tiny, tiny]]), np.array([[1 - 2 * tiny, tiny, tiny]] * 3)
    tables = (first, *[rest] * 39)
    rows = np.full((3, 40), 2, dtype=np.uint8)
    rows[:, ::3] = GAP
    rows[1] = 0
    logs, counts = Completions(structure).expected_counts(tables, rows, np.array([1.0, 2.0, 1.0]))
    np.testing.assert_allclose(logs, [26 * np.log(tiny), 0.0, 26 * np.log(tiny)], atol=1e-9)
    np.testing.assert_allclose(counts[0], [[4.0, 2 * tiny, 2 * tiny]])
    np.testing.assert_allclose([table.sum() for table in counts], 4.0)
    drawn = Completions(structure).draw(tables, rows, 2, 0)
    assert (drawn[:, 0, ::3] == 0).all()
    assert (drawn[:, 0, 1] == 2).all()


def test_ties_go_to_the_first_state() -> None:
    """Equal probabilities: the first state of every gap."""
    structure = chain(6)
    equal = tuple(np.full(table.shape, 1 / 3) for table in tables_of(structure))
    rows = rows_of(structure, 40)
    for way in (Completions(structure), Completions(structure)):
        greatest, _ = way.most_probable(equal, rows)
        assert np.array_equal(greatest, np.where(rows == GAP, 0, rows))
        way._way = _ByTables(Model(structure, equal), 1e9)


def test_tables_answer_where_the_circuit_is_too_large_and_both_may_be() -> None:
    """The sizes of both are in the error, before any row was seen."""
    side = 14
    families = []
    for node in range(side * side):
        above = [node - side] * (node >= side) + [node - 1] * (node % side > 0)
        families.append(CodedFamily.table(tuple(above), Grid((2,) * len(above))))
    grid = Structure((2,) * side**2, tuple(families))
    assert not Completions(grid, memory_limit=20e6).is_compiled
    with pytest.raises(NothingFits) as refused:
        Completions(grid, memory_limit=1e5)
    assert refused.value.circuit.needed > 1e5 / 70
    assert refused.value.tables.n_bytes > 1e5
    said = str(refused.value)
    assert "arguments of sums and products, and at most 1,428 are allowed, or tables of " in said
    assert str(pickle.loads(pickle.dumps(refused.value))) == said


def test_no_rows() -> None:
    """Nothing is expected of nothing."""
    structure = chain(3)
    logs, counts = Completions(structure).expected_counts(tables_of(structure), np.zeros((0, 3), dtype=np.uint8))
    assert len(logs) == 0
    assert all((table == 0).all() for table in counts)


@pytest.mark.parametrize("by_tables", [False, True])
@pytest.mark.parametrize("what", ["count", "draw"])
def test_work_can_be_interrupted(what: str, by_tables: bool) -> None:
    """Within a fifth of a second, if the machine has nothing else to do."""
    structure = chain(12, 4)
    tables = tables_of(structure)
    rows = np.full((300_000, 12), GAP, dtype=np.uint8)
    rows[:, 0] = np.arange(len(rows)) % 4
    completions = Completions(structure)
    if by_tables:
        completions._way = _ByTables(Model(structure, tables), 1e9)

    def work() -> None:
        for _ in range(100):
            if what == "count":
                completions.expected_counts(tables, rows)
            else:
                completions.draw(tables, rows, 20, 1)

    with pytest.raises(KeyboardInterrupt), interrupted(0.3) as sent:
        work()
    assert time.monotonic() - sent[0] < 1.0
