"""Columns that name rows are left out by every door, and that is told."""

import io
import warnings
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


def texts(n_rows: int, n_values: int) -> list[object]:
    """So many different texts, one after the other."""
    return [f"t{i % n_values}" for i in range(n_rows)]


def notes_of(name: str, cells: list[object], **options: object) -> tuple[str, ...]:
    """What is told of a column that stands beside an ordinary one."""
    with warnings.catch_warnings(action="ignore", category=DataNote):
        return ldag.read({name: cells, "y": [i % 2 for i in range(len(cells))]}, **options).notes  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "cells", "note"),
    [
        ("x", texts(20, 20), None),  # twenty rows are too few to tell
        ("x", texts(21, 21), "x: left out, 21 values in 21 rows"),
        ("x", texts(22, 11), None),  # half of the texts may differ
        ("x", texts(22, 12), "x: left out, 12 values in 22 rows"),
        ("person", texts(200, 20), None),  # a factor may be called so
        ("person", texts(200, 21), "person: left out, looks like the name of a person or set"),
        ("patient", [i % 20 for i in range(200)], None),
        ("patient", [i % 21 for i in range(200)], "patient: left out, looks like the number of a person"),
        ("subject_id", [17, 4, 23, 9, 12, 1, 30], None),  # seven rows
        ("subject_id", [17, 4, 23, 9, 12, 1, 30, 8], "subject_id: left out, 8 values in 8 rows"),
    ],
)
def test_where_identifiers_begin(name: str, cells: list[object], note: str | None) -> None:
    """On both sides of every border."""
    notes = notes_of(name, cells)
    assert notes[0].startswith(note) if note else notes == ()


def test_to_refuse_an_identifier_needs_better_grounds() -> None:
    """More than nine texts in ten must differ; below, it is asked about from half on, among more than twenty rows."""
    with pytest.raises(DataError, match="'x' looks like an identifier: 37 values in 40 rows"):
        notes_of("x", texts(40, 37), unusable="error")
    asked = "x: 36 different texts in 40 rows; is it an identifier?"
    assert notes_of("x", texts(40, 36), unusable="error")[0].startswith(asked)
    assert notes_of("x", texts(40, 20), unusable="error") == ()
    assert notes_of("x", texts(20, 18), unusable="error") == ()
    assert notes_of("person", texts(200, 21), unusable="error") == ()


def test_many_numbers_in_few_rows_are_asked_about() -> None:
    """From eight rows on, if more than half of them differ; more than twenty different numbers are a measurement."""
    assert notes_of("x", [i % 5 * 10 for i in range(8)]) == (
        "x: 5 different numbers in 8 rows; cut them with bins={'x': 3}",
    )
    assert notes_of("x", [i % 4 * 10 for i in range(8)]) == ()
    assert notes_of("x", [i * 10 for i in range(7)]) == ()
    assert notes_of("x", [i % 20 for i in range(100)]) == ()
    assert notes_of("x", [i % 21 for i in range(100)])[0].startswith("x: 21 values, cut at ")


def test_a_column_that_is_half_filled_is_kept() -> None:
    """More than half must be missing to leave it out."""
    assert notes_of("x", ["a", None, None, "b"], missing="auto") == (
        "2 of 4 rows left out, which have missing cells (in x)",
    )


def test_texts_that_may_be_gaps_are_asked_about_beside_others() -> None:
    """Alone they are a state like any other."""
    assert notes_of("x", ["?", "a"] * 4) == ("x: the state '?' may stand for a missing cell",)
    assert notes_of("x", ["?"] * 8) == ("x: has one state only in the data, '?'; it takes no edges",)


def test_options_that_ask_for_a_column_twice_are_refused() -> None:
    """Its states are declared, or it is cut."""
    with pytest.raises(DataError, match="'x' has declared states and bins; give one of them"):
        notes_of("x", [1, 2, 3, 4], states={"x": [1, 2, 3, 4]}, bins={"x": 2})
    with pytest.raises(DataError, match="'x' cannot be cut: it holds 'a', which is no number"):
        notes_of("x", [1, 2, "a", 4], bins={"x": 2})
    with pytest.raises(DataError, match="'x' cannot be cut: it has one value only, 3"):
        notes_of("x", [3, 3, 3, 3], bins={"x": 2})
    with pytest.raises(DataError, match="'x' has no values, only missing cells; leave it out"):
        notes_of("x", [None] * 4, unusable="error")
