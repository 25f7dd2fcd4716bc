"""Lazy frames, whose libraries have ideas of their own about names, and frames of few rows."""

import datetime
from collections.abc import Callable
from decimal import Decimal

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ldag
from ldag.data import Missing, read_known, recognise_column
from ldag.data.columns import is_gap
from ldag.data.frames import from_few_rows, from_frame
from ldag.errors import UnknownState
from ldag.model import State, Variable

NAMES = ["ldag times", "*", "a.b", " a", "n", "c1", "^x$", "^.*$", "a", "len", "`b`", 'q"q', "[0]"]


@pytest.mark.parametrize("library", ["polars", "duckdb", "dask"])
def test_columns_may_be_called_anything(library: str) -> None:
    """Names of our own, patterns and parts of others: the data are those of a frame in memory."""
    import dask.dataframe as dd

    columns = {name: ["p", "q", str(place)] * 10 for place, name in enumerate(NAMES)}
    frame = pd.DataFrame({**columns, "x": [place / 7 for place in range(30)]})
    frame.loc[3, "a.b"] = None
    source = {
        "polars": lambda: pl.from_pandas(frame).lazy(),
        "duckdb": lambda: duckdb.connect().from_df(frame),
        "dask": lambda: dd.from_pandas(frame, npartitions=2),  # type: ignore[no-untyped-call]
    }[library]()
    ways: tuple[Missing, ...] = ("drop", "state")
    for missing in ways:
        data = ldag.read(source, missing=missing)
        assert data.names == (*NAMES, "x")
        assert data == ldag.read(frame, missing=missing)
        assert data == ldag.read(pl.from_pandas(frame), missing=missing)


def test_categories_of_polars_are_shared_by_all_frames() -> None:
    """A column has those that occur in it, sorted; gaps stay gaps, and a column may have nothing else."""
    pl.Series(["z", "y", "x"], dtype=pl.Categorical)
    frame = pl.DataFrame({"a": ["b", None, "a", "b"], "b": [None] * 4, "c": ["y", "x", "y", "z"]})
    column = from_frame(frame.cast(pl.Categorical)).column(0)
    assert [None if at < 0 else column.values[at] for at in column.positions] == ["b", None, "a", "b"]
    assert sorted(map(str, column.values)) == ["a", "b"]
    assert from_frame(frame.cast(pl.Categorical)).column(1).positions.tolist() == [-1] * 4
    chosen = ["a", "c"]
    assert ldag.read(frame[chosen].cast(pl.Categorical), missing="keep") == ldag.read(frame[chosen], missing="keep")


FEW_CELLS: dict[str, list[object]] = {
    "text": ["b", None, "a"],
    "number": [0.5, None, 2.0],
    "whole": [3, 1, 2],
    "flag": [True, False, True],
}


@pytest.mark.parametrize(
    "make",
    [
        pd.DataFrame,
        lambda cells: pd.DataFrame(cells).astype(object),
        lambda cells: pd.DataFrame(cells).convert_dtypes(),
        lambda cells: pd.DataFrame(cells).assign(text=pd.Categorical(cells["text"])),
        pl.DataFrame,
        pa.table,
    ],
)
def test_few_rows_are_the_same_cell_by_cell(make: Callable[[dict[str, list[object]]], object]) -> None:
    """As columns one by one, whatever the library and its types."""
    frame = make(FEW_CELLS)
    few, slow = from_few_rows(frame), from_frame(frame)
    assert few is not None
    assert (few.names, few.n_rows) == (slow.names, slow.n_rows)
    for place in range(len(few.names)):
        one, other = few.column(place), slow.column(place)
        values = [[None if at < 0 else column.values[at] for at in column.positions] for column in (one, other)]
        assert [None if is_gap(value) else value for value in values[0]] == [
            None if is_gap(value) else value for value in values[1]
        ]


class FrameOfSeries(pd.DataFrame):  # type: ignore[misc]
    """A frame of a version of pandas that gives no arrays but those of its series."""

    _iter_column_arrays = None


@pytest.mark.parametrize("make", [pd.DataFrame, FrameOfSeries])
def test_categories_of_pandas_are_taken_with_their_codes(make: Callable[[object], pd.DataFrame]) -> None:
    """Used or not, in their order, among columns of other types, of few rows and of many."""
    for n_rows in (2, 514):
        cells = pd.Categorical.from_codes([1, -1] * (n_rows // 2), categories=["z", "y", "x"])
        frame = make({"a": cells, "b": range(n_rows), "c": ["u", None] * (n_rows // 2)})
        few = from_few_rows(frame)
        assert (few is None) == (n_rows > 512)
        for table in (from_frame(frame), few or from_frame(frame)):
            column = table.column(0)
            assert (column.values, column.positions.tolist()[:2], column.declared) == (["z", "y", "x"], [1, -1], True)
            assert [table.column(1).values[at] for at in table.column(1).positions] == list(range(n_rows))
            assert [is_gap(value) for value in table.column(2).values[:2]] in ([False], [False, True])


@pytest.mark.parametrize("states", [("low", "high"), (0, 1), (True, False), ("2020-01-05", "2021-01-05")])
def test_categories_mean_states_by_value(states: tuple[State, ...]) -> None:
    """Whatever their order, with others that no row has, or with some that do not occur."""
    variable = Variable("a", states)
    for categories in (states, states[::-1], states[1:], ("other", *states)):
        cells = pd.Categorical([states[1], None, states[-1]], categories=list(categories))
        for frame in (pd.DataFrame({"a": cells}), pd.DataFrame({"a": [*cells] * 200})):
            column = read_known(frame).column(0)
            assert recognise_column(column, variable, True).codes.tolist()[:3] == [1, -1, len(states) - 1]
    cells = pd.Categorical([states[1], "other"], categories=[*states, "other"])
    with pytest.raises(UnknownState, match="column 'a', row 2"):
        recognise_column(read_known(pd.DataFrame({"a": cells})).column(0), variable, True)


def test_what_only_a_library_can_explain_is_left_to_it() -> None:
    """Dates, decimals, texts that look like dates, lazy frames, and more than 512 rows."""
    day = datetime.date(2020, 1, 5)
    for cells in ([day], [Decimal("0.1")], ["2020-01-05"], [b"x"], [[1]], list(range(513))):
        assert from_few_rows(pl.DataFrame({"a": cells})) is None
        assert from_few_rows(pd.DataFrame({"a": cells})) is None
    assert from_few_rows(pl.LazyFrame({"a": [1]})) is None
    assert from_few_rows(pl.DataFrame({"a": range(512)})) is not None
