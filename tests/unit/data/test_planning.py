"""Columns that name rows are left out by every door, and that is told."""

import io
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner

import ldag
from ldag.cli.main import cli
from ldag.errors import DataError, DataNote

R_FILE = '"","sex","smoker"\n' + "".join(f'"{i + 1}","{"fm"[i % 2]}","{"ny"[i % 3 == 0]}"\n' for i in range(6))


def frame(name: str, cells: list[object]) -> pd.DataFrame:
    """Return a table whose first column may name rows."""
    return pd.DataFrame({name: cells, "sex": [*"fm"] * (len(cells) // 2)})


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("rownames", [1, 2, 3, 4]),
        ("Unnamed: 0", [0, 1, 2, 3]),
        ("rownames", [1.0, 1.1, 2.0, 2.1]),
        ("rownames", ["Mazda RX4", "Datsun 710", "Valiant", "Duster 360"]),
        ("patient", list(range(100, 130))),
        ("patient", [f"p{i}" for i in range(30)]),
        ("subject_id", [17, 4, 23, 9, 12, 1, 30, 8]),
    ],
)
def test_columns_that_name_rows_are_left_out(name: str, cells: list[object], tmp_path: Path) -> None:
    """From a frame with a warning, on the command line with a note, in the same words."""
    table = frame(name, cells)
    said = f"{name}: left out, {len(cells)} values in {len(cells)} rows"
    with pytest.warns(DataNote, match=said):
        data = ldag.read(table)
    assert data.names == ("sex",)
    assert said in data.notes
    path = tmp_path / "t.csv"
    table.to_csv(path, index=False)
    assert f"note: {said}" in CliRunner().invoke(cli, ["describe", str(path)]).stderr


def test_files_of_other_programs_have_row_names_without_a_name(tmp_path: Path) -> None:
    """As R's write.csv and pandas' to_csv write them."""
    path = tmp_path / "t.csv"
    path.write_text(R_FILE)
    with pytest.warns(DataNote, match="row: left out, 6 values in 6 rows"):
        by_file = ldag.read(path)
    with pytest.warns(DataNote, match="Unnamed: 0: left out, 6 values in 6 rows"):
        by_frame = ldag.read(pd.read_csv(io.StringIO(R_FILE)))
    assert by_file == by_frame
    assert by_file.names == ("sex", "smoker")


def test_row_names_of_counted_rows_are_left_out() -> None:
    """Their states may all differ, but not by the name of row numbers."""
    table = pd.DataFrame({"rownames": [1, 2, 3], "hair": ["red", "brown", "fair"], "Freq": [3, 4, 5]})
    with pytest.warns(DataNote, match="rownames: left out"):
        assert ldag.read(table, counts="Freq").names == ("hair",)


def test_columns_that_are_hardly_filled_are_left_out_by_auto() -> None:
    """As the documentation of ``missing`` says."""
    table: dict[str, list[object]] = {"x": ["a", None, None, None], "y": ["u", "v", "u", "v"]}
    with pytest.warns(DataNote, match="x: left out, 3 of 4 cells are missing"):
        assert ldag.read(table, missing="auto").names == ("y",)


def test_other_columns_are_refused_by_default() -> None:
    """Whether to group many states or to leave them out is the user's to say."""
    with pytest.raises(DataError, match="'x' has 100 states"):
        ldag.read({"x": [f"s{i % 100}" for i in range(300)], "y": [1, 2] * 150})


def test_dates_that_are_texts_are_cut_wherever_they_come_from(tmp_path: Path) -> None:
    """Frames of text files hold them as texts, since nobody told their library."""
    path = tmp_path / "t.csv"
    rows = [
        f"2020-{1 + i % 12:02}-{1 + i % 28:02},2020/01/{1 + i % 28:02} 10:{i % 60:02},{'ab'[i % 2]}" for i in range(90)
    ]
    path.write_text("\n".join(["day,time,x", *rows, ",,"]) + "\n")
    expected = ldag.read(path, missing="drop")
    assert expected.notes[0] == "day: 84 values, cut at 2020-03-23, 2020-06-14, 2020-09-21 (quartiles)"
    frame = pl.read_csv(path)
    for source in (pd.read_csv(path), frame, frame.lazy(), frame.to_dict(as_series=False)):
        assert ldag.read(source, missing="drop") == expected
