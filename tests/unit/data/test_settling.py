"""Missing cells: which rows are left out, and what measurements are cut by."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ldag
from ldag.data import ReadOptions, read_with


def make_frame(share_missing: float, n: int = 80) -> pd.DataFrame:
    """Return measurements, dates and answers with gaps; rows without gaps lie elsewhere than the others."""
    rng = np.random.default_rng(5)
    age = rng.normal(40, 10, n).round(1)
    frame = pd.DataFrame(
        {
            "age": age,
            "dose": rng.integers(0, 200, n).astype(float),
            "day": pd.date_range("2020-01-01", periods=n).repeat(2)[:n],
            "sex": rng.choice(["f", "m"], n),
        }
    )
    frame.loc[(age > 40) & (rng.random(n) < share_missing), "dose"] = np.nan
    frame.loc[rng.random(n) < share_missing / 2, "sex"] = None
    return frame


def csv(frame: pd.DataFrame, folder: Path) -> Any:
    """Write a text file."""
    frame.to_csv(folder / "t.csv", index=False)
    return folder / "t.csv"


def parquet(frame: pd.DataFrame, folder: Path) -> Any:
    """Write a Parquet file."""
    frame.to_parquet(folder / "t.parquet", index=False)
    return folder / "t.parquet"


SOURCES: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "frame": lambda frame, _: frame,
    "lazy": lambda frame, _: pl.from_pandas(frame).lazy(),
    "csv": csv,
    "parquet": parquet,
}


@pytest.mark.parametrize("bins", ["auto", "width:3", "information:3"])
@pytest.mark.parametrize("source", SOURCES)
def test_rows_left_out_do_not_move_cut_points(source: str, bins: str, tmp_path: Path) -> None:
    """Leaving rows out is the same as not having them, from any source and on the command line."""
    frame = make_frame(0.5)
    expected = ldag.read(SOURCES[source](frame.dropna(), tmp_path), bins=bins)
    table = SOURCES[source](frame, tmp_path)
    assert ldag.read(table, missing="drop", bins=bins) == expected
    assert read_with(table, ReadOptions(missing="auto", unusable="drop", bins=bins)) == expected
    assert expected.variables[0].cuts != (ldag.read(frame, missing="state", bins=bins).variables[0].cuts)


@pytest.mark.parametrize("source", SOURCES)
def test_rows_are_cut_as_often_as_they_occur(source: str, tmp_path: Path) -> None:
    """The different rows of a table with their counts are the table."""
    frame = make_frame(0.2)[["age", "sex"]]
    frame["n"] = 1 + np.arange(len(frame)) ** 2 // 50
    every = frame.loc[frame.index.repeat(frame["n"])].drop(columns="n")
    for missing in ("drop", "state"):
        counted = ldag.read(SOURCES[source](frame, tmp_path), counts="n", missing=missing)
        assert counted == ldag.read(every, missing=missing)
        assert counted.variables[0].cuts != ldag.read(frame.drop(columns="n"), missing=missing).variables[0].cuts


def test_weights_move_cut_points() -> None:
    """Half of the weight is on each side of a cut point."""
    table = {"x": [i / 2 for i in range(30)], "w": [0.5] * 15 + [4.5] * 15}
    assert ldag.read(table, weights="w", bins=2).variables[0].cuts == (
        10.5,
    )  # 7.5 + 7 x 4.5 = 39 of 75 up to there, 34.5 below


@pytest.mark.parametrize("source", SOURCES)
def test_states_of_rows_left_out_go_and_are_told(source: str, tmp_path: Path) -> None:
    """A state that no row has would draw edges; rows and states that are gone are counted."""
    frame = pd.DataFrame({"x": ["a", None, "b"], "y": ["u", "w", "v"]})
    data = ldag.read(SOURCES[source](frame, tmp_path), missing="drop")
    assert data.states("y") == ("u", "v")
    assert data.notes == (
        "1 of 3 rows left out, which have missing cells (in x)",
        "y: state 'w' left out, in rows with missing cells only",
    )


def test_declared_states_stay_without_rows() -> None:
    """Who names states, or gives a column a type that lists them, wants them."""
    x, y = ["a", None, "b"], ["u", "w", "v"]
    assert ldag.read({"x": x, "y": y}, missing="drop", states={"y": ["w", "v", "u"]}).states("y") == ("w", "v", "u")
    assert ldag.read({"x": x, "y": pd.Series(y, dtype="category")}, missing="drop").states("y") == ("u", "v", "w")


@pytest.mark.parametrize("missing", ["drop", "auto"])
def test_observations_left_out_are_counted(missing: Any) -> None:
    """Counts say how many observations are gone; real weights, how many rows."""
    table: dict[str, list[Any]] = {"x": ["a", None, "b", "b"], "y": ["u", "u", "v", "u"], "n": [5, 3, 1, 1]}
    notes = ldag.read(table, counts="n", missing=missing).notes
    assert notes == ("3 of 10 observations left out, which have missing cells (in x)",)
    notes = ldag.read(table, weights="n", missing=missing).notes
    assert notes == ("1 of 4 rows left out, which have missing cells (in x)",)


def test_missing_cells_that_become_a_state_are_counted() -> None:
    """Each column says how many."""
    table: dict[str, list[Any]] = {"x": ["a", None, "b", "b"], "y": ["u", None, None, "v"], "n": [5, 3, 1, 1]}
    assert ldag.read(table, counts="n", missing="state").notes == ("missing cells are a state of x (3), y (4)",)
    del table["n"]
    assert ldag.read(table, missing="state").notes == ("missing cells are a state of x (1), y (2)",)


def test_too_few_rows_to_cut_again() -> None:
    """Where the rows that are left have one value, the cut points of all are taken."""
    table = {"x": [*range(0, 100, 4), 7, 7], "y": [None] * 25 + ["a", "b"]}
    data = ldag.read(table, missing="drop")
    assert data.total == 2
    assert data.variables[0].cuts


def test_declared_states_that_spell_a_gap_are_none(tmp_path: Path) -> None:
    """NA can be a state."""
    path = tmp_path / "t.csv"
    path.write_text("age,unit\n" + "".join(f"{i}.5,{'NA' if i % 3 else 'cm'}\n" for i in range(40)))
    data = ldag.read(path, missing="drop", states={"unit": ["NA", "cm"]})
    assert data.total == 40


def test_half_of_the_rows_are_enough() -> None:
    """With fewer complete rows than half, missing is a state, and the note says why."""
    table: dict[str, list[Any]] = {"x": ["a", "b", "a", None], "y": ["u", "v", None, "v"]}
    assert ldag.read(table, missing="auto").total == 2
    fewer = {name: [*cells, cells[3 if name == "x" else 2]] for name, cells in table.items()}
    data = ldag.read(fewer, missing="auto")
    assert data.states("x") == ("a", "b", "missing")
    assert data.notes[0] == "missing cells are a state of x (2), y (2): leaving out rows would keep 40% only"
    assert ldag.read({"x": ["a", "b"]}, missing="drop").notes == ()
