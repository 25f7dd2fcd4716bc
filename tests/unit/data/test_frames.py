"""Lazy frames, whose libraries have ideas of their own about names."""

import duckdb
import pandas as pd
import polars as pl
import pytest

import ldag
from ldag.data import Missing

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
