"""Text files as tables: wide ones, long ones, and what they cost."""

import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ldag
from ldag.data import ReadOptions, read_with
from ldag.errors import DataError


def wide_table(n_rows: int, n_columns: int) -> dict[str, list[str]]:
    """Return columns of 2 to 4 states; every tenth is a measurement."""
    rng = np.random.default_rng(n_columns)
    words = np.array(["no", "yes", "maybe", "never"])
    columns = {}
    for place in range(n_columns):
        states = words[rng.integers(2 + place % 3, size=n_rows)].tolist()
        columns[f"x{place}"] = [f"{x:.2f}" for x in rng.normal(size=n_rows)] if place % 10 == 9 else states
    return columns


def write_table(columns: dict[str, list[str]], path: Path) -> None:
    """Write a text file."""
    lines = [",".join(columns), *map(",".join, zip(*columns.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n")


def test_hundreds_of_columns_are_read_as_those_of_a_frame(tmp_path: Path) -> None:
    """The same data, states and cut points."""
    columns = wide_table(400, 250)
    write_table(columns, tmp_path / "t.csv")
    measured = {name: list(map(float, cells)) for name, cells in columns.items() if name.endswith("9")}
    expected = ldag.read(pl.DataFrame({**columns, **measured}))
    data = ldag.read(tmp_path / "t.csv")
    assert data == expected
    assert data.variables == expected.variables
    assert data.notes == expected.notes


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux says how large a process was")
def test_thousands_of_columns_take_little_room(tmp_path: Path) -> None:
    """A table of 2,000 columns, in a process that does not grow beyond 200 MB, with counts as a loop counts them."""
    columns = wide_table(150, 2000)
    write_table(columns, tmp_path / "t.csv")
    code = (
        "import sys, ldag; d = ldag.read(sys.argv[1]); "
        "peak = next(line for line in open('/proc/self/status') if line.startswith('VmHWM')); "
        "print(len(d.names), int(peak.split()[1]) // 1024, *d.counts('x1998', 'x3').ravel())"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "t.csv")]
    n_columns, megabytes, *counts = map(int, subprocess.check_output(command).split())
    pairs = Counter(zip(columns["x3"], columns["x1998"], strict=True))
    assert counts == [pairs[x, y] for x in ("no", "yes") for y in ("no", "yes")]
    assert n_columns == 2000
    assert megabytes < 200


def long_lines(n: int) -> list[str]:
    """A measurement of many values, a text that is not always there, and a state."""
    return [
        f"{number * 37 % 3001 / 8},{'NA' if number % 50 == 7 else number % 3},{'ab'[number % 2]}" for number in range(n)
    ]


@pytest.mark.parametrize("missing", ["drop", "state"])
def test_many_numbers_are_cut_as_those_of_a_frame(missing: str, tmp_path: Path) -> None:
    """More numbers than are listed, with gaps in other columns and among the numbers."""
    lines = [*long_lines(4000), ",1,a", "NA,2,b", " 17.5 ,0,a", "1e2,0,b", "-0.0,1,a", "0,1,a"]
    (tmp_path / "t.csv").write_text("x,y,z\n" + "\n".join(lines) + "\n")
    rows = [line.split(",") for line in lines]
    frame = pd.DataFrame(
        {
            "x": [float("nan") if row[0] in ("", "NA") else float(row[0]) for row in rows],
            "y": pd.array([pd.NA if row[1] == "NA" else int(row[1]) for row in rows], dtype="Int64"),
            "z": [row[2] for row in rows],
        }
    )
    data = ldag.read(tmp_path / "t.csv", missing=missing)  # type: ignore[arg-type]  # one of two
    expected = ldag.read(frame, missing=missing)  # type: ignore[arg-type]  # one of two
    assert data == expected
    assert data.variables == expected.variables
    assert [note for note in data.notes if "cut at" in note] == [note for note in expected.notes if "cut at" in note]


def test_numbers_with_other_texts_are_no_measurement(tmp_path: Path) -> None:
    """Thousands of numbers and a word: the word is shown."""
    (tmp_path / "t.csv").write_text("x,y\n" + "\n".join(f"{i / 4},{i % 2}" for i in range(3000)) + "\nlow,1\nNA,0\n")
    with pytest.raises(DataError, match=r"column 'x' cannot be cut: it holds 'low', which is no number"):
        ldag.read(tmp_path / "t.csv", bins={"x": 4})
    data = read_with(tmp_path / "t.csv", ReadOptions(unusable="drop", missing="drop"))
    assert data.names == ("y",)
    assert "3,001" in data.notes[0]


def test_missing_cells_are_found_in_the_rows_of_the_file(tmp_path: Path) -> None:
    """Lines are merged, but the row of the first gap is that of the file; among many numbers, too."""
    (tmp_path / "t.csv").write_text("x,y\n" + "1,a\n" * 40 + "2,\n1,b\n")
    with pytest.raises(DataError, match=r"column 'y' has 1 missing cell, the first in row 41"):
        ldag.read(tmp_path / "t.csv")
    lines = [f"{i / 4},{i % 2}" for i in range(2000)]
    (tmp_path / "t.csv").write_text("x,y\n" + "\n".join([*lines, *lines, "NA,1", "3,1"]) + "\n")
    with pytest.raises(DataError, match=r"column 'x' has 1 missing cell, the first in row 4001"):
        ldag.read(tmp_path / "t.csv")


def test_files_of_different_separators_are_one_table(tmp_path: Path) -> None:
    """A line of one file may read as a line of another does, and be another row."""
    (tmp_path / "a.csv").write_text("x,y\n1;2,3\n")
    (tmp_path / "b.csv").write_text("x;y\n1;2,3\n")
    data = ldag.read([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert data.total == 2
    assert set(data.states("x")) == {"1;2", "1"}
    (tmp_path / "c.txt").write_text("x§y\n1§2\n3§4\n", encoding="utf-8")
    assert ldag.read(tmp_path / "c.txt", sep="§").states("y") == (2, 4)


def test_many_dates_and_texts_are_surveyed_without_a_loop_over_rows(tmp_path: Path) -> None:
    """More dates than are listed are cut as those of a frame; more texts are no variable, which is told."""
    dates = [np.datetime64("2020-01-01T00:00") + np.timedelta64(90 * i, "m") for i in range(3000)]
    spelled = [str(date).replace("T", " T"[i % 2]) + (":00.500" if i % 7 == 0 else "") for i, date in enumerate(dates)]
    rows = [f"{text},P{i:05},{i % 2}" for i, text in enumerate(spelled)]
    (tmp_path / "t.csv").write_text("seen,who,x\n" + "\n".join([*rows, "NA,NA,1", "2020-01-02,P1,0"]) + "\n")
    times = [date + np.timedelta64(500 * (i % 7 == 0), "ms") for i, date in enumerate(dates)]
    every = np.array([*times, np.datetime64("NaT"), np.datetime64("2020-01-02")], dtype="datetime64[ms]")
    frame = pd.DataFrame({"seen": every, "x": [*(i % 2 for i in range(3000)), 1, 0]})
    data = read_with(tmp_path / "t.csv", ReadOptions(unusable="drop", missing="drop"))
    expected = ldag.read(frame, missing="drop")
    assert data.names == ("seen", "x")
    assert data == expected
    assert data.variables == expected.variables
    assert any(note.startswith("who: left out, 3,001 values in 3,001 rows") for note in data.notes)


def test_many_texts_after_many_numbers_cost_no_square(tmp_path: Path) -> None:
    """Numbers are kept as such beyond a thousand; other texts that come later, however many, cost what they are."""
    lines = [*(f"{i},{i % 2}" for i in range(1500)), *(f"w{i},{i % 3}" for i in range(60_000)), "NA,0"]
    (tmp_path / "t.csv").write_text("who,x\n" + "\n".join(lines) + "\n")
    began = time.process_time()
    data = ldag.read(tmp_path / "t.csv", unusable="drop")
    assert time.process_time() - began < 5
    assert data.names == ("x",)
    assert data.notes == ("who: left out, 61,500 values in 61,500 rows",)  # a gap is none
