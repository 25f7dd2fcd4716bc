"""Reading keeps every row and every value, whatever the order and the make of the table."""

from collections import Counter
from collections.abc import Sequence
from random import Random

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from ldag.data import GAP, Dataset, read
from ldag.data.rows import merge_rows
from ldag.model import State

Cells = list[tuple[State, ...]]
Cell = State | None
"""A state, or a gap."""

values = st.one_of(
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([0.5, -1.5, 2.0]),
    st.sampled_from(["", "NA", "1", "True", "b", "ü"]),
)
same_type = st.sampled_from([st.booleans(), st.integers(-3, 3), st.sampled_from(["", "NA", "1", "b"])])


@st.composite
def mixed_rows(draw: st.DrawFn) -> Cells:
    """Draw rows of one to four columns of any values."""
    width = draw(st.integers(1, 4))
    return draw(st.lists(st.tuples(*[values] * width), min_size=1, max_size=25))


@st.composite
def typed_rows(draw: st.DrawFn) -> Cells:
    """Draw rows whose columns each have one type."""
    kinds = draw(st.lists(same_type, min_size=1, max_size=4))
    return draw(st.lists(st.tuples(*kinds), min_size=1, max_size=25))


def columns(rows: Sequence[tuple[Cell, ...]]) -> dict[str, list[Cell]]:
    """Turn rows into columns."""
    return {f"x{place}": list(column) for place, column in enumerate(zip(*rows, strict=True))}


def tally(data: Dataset) -> Counter[tuple[tuple[bool, Cell], ...]]:
    """Count the rows by value; True and 1 differ, 1 and 1.0 do not."""
    found: Counter[tuple[tuple[bool, Cell], ...]] = Counter()
    for number, codes in enumerate(data.codes.T.tolist()):
        row = [None if code == GAP else v.states[code] for v, code in zip(data.variables, codes, strict=True)]
        weight = 1 if data.weights is None else int(data.weights[number])
        found[tuple((isinstance(state, bool), state) for state in row)] += weight
    return found


@settings(deadline=None, max_examples=200)
@given(mixed_rows(), st.randoms(use_true_random=False))
def test_every_row_is_kept_and_order_does_not_matter(rows: Cells, chance: Random) -> None:
    """The rows counted by plain Python are the rows stored."""
    data = read(columns(rows))
    assert tally(data) == Counter(tuple((isinstance(state, bool), state) for state in row) for row in rows)
    shuffled = rows.copy()
    chance.shuffle(shuffled)
    again = read(columns(shuffled))
    assert again == data
    assert repr(again.variables) == repr(data.variables)


@settings(deadline=None, max_examples=100)
@given(typed_rows())
def test_tables_of_every_make_agree(rows: Cells) -> None:
    """A frame made of the data is read as the same data."""
    data = read(columns(rows))
    states = {variable.name: variable.states for variable in data.variables}
    assert read(pl.DataFrame(columns(rows))) == data
    for frame in (data.to_frame("pandas"), data.to_frame("polars"), data.to_frame("pyarrow")):
        assert read(frame, counts=None if data.weights is None else "count", states=states) == data


@settings(deadline=None, max_examples=100)
@given(typed_rows(), st.integers(0, 2**32))
def test_gaps_are_kept_where_they_are(rows: Cells, seed: int) -> None:
    """Cells that are taken out are the gaps of the data, also when these are handed out and read again."""
    rng = np.random.default_rng(seed)
    some = [tuple(None if rng.random() < 0.3 else cell for cell in row) for row in rows]
    states = {variable.name: variable.states for variable in read(columns(rows)).variables}
    data = read(columns(some), missing="keep", states=states)
    assert tally(data) == Counter(tuple((isinstance(cell, bool), cell) for cell in row) for row in some)
    assert data.has_gaps == any(None in row for row in some)
    for frame in (data.to_frame("pandas"), data.to_frame("polars"), data.to_frame("pyarrow")):
        counts = None if data.weights is None else "count"
        assert read(frame, counts=counts, states=states, missing="keep") == data


@settings(deadline=None, max_examples=100)
@given(typed_rows(), st.data())
def test_counts_say_the_same_as_repeated_rows(rows: Cells, draw: st.DataObject) -> None:
    """A row with count k is that row k times, and a count of zero leaves only its states."""
    times = draw.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)).filter(any))
    counted = read({**columns(rows), "n": times}, counts="n")
    repeated = [row for row, k in zip(rows, times, strict=True) for _ in range(k)]
    states = {variable.name: variable.states for variable in counted.variables}
    assert read(columns(repeated), states=states) == counted
    assert counted.total == sum(times)


@settings(deadline=None, max_examples=100)
@given(st.integers(1, 90), st.integers(1, 30), st.integers(0, 2**32), st.booleans())
def test_merging_is_sorting_and_adding(width: int, n_rows: int, seed: int, real: bool) -> None:
    """Any number of columns of one to four states and gaps, against a dictionary of rows."""
    rng = np.random.default_rng(seed)
    n_states = rng.integers(1, 5, width)
    few = rng.integers(0, n_states[:, None], (width, max(1, n_rows // 2)))
    few[rng.random(few.shape) < rng.choice([0, 0.2])] = GAP
    codes = few[:, rng.integers(0, few.shape[1], n_rows)].astype(np.uint8)
    weights = rng.random(n_rows) if real else rng.integers(1, 10**9, n_rows)
    expected: dict[tuple[int, ...], float] = {}
    for row, weight in zip(codes.T.tolist(), weights.tolist(), strict=True):
        expected[tuple(row)] = expected.get(tuple(row), 0) + weight
    found, sums = merge_rows(codes, n_states.tolist(), weights)
    assert sums is not None
    assert [tuple(row) for row in found.T.tolist()] == sorted(expected)
    np.testing.assert_allclose(sums, [expected[row] for row in sorted(expected)], rtol=1e-12 if real else 0)
    order = rng.permutation(n_rows)
    _, again = merge_rows(codes[:, order], n_states.tolist(), weights[order])
    assert again is not None
    assert again.tolist() == sums.tolist()
