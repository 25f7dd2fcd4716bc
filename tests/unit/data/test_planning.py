"""Columns that name rows are left out by every door, and that is told."""

import io
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner

import ldag
from ldag.cli.main import cli
from ldag.data.columns import Column
from ldag.data.measurements import Binning
from ldag.data.options import ReadOptions
from ldag.data.planning import ColumnPlan, cut_again, measurement, plan_column
from ldag.data.tables import MemoryTable, Survey
from ldag.errors import DataError, DataNote
from ldag.model import Variable

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


def unlisted(n_values: int, *examples: str) -> Survey:
    """Survey a column of which an engine lists some values only: seven cells are missing, 5,000 are not."""
    return Survey.of_examples(Column.of_examples("x", examples), 7, 5000, n_values)


def measured(*numbers: float) -> Survey:
    """Survey a measurement of an engine: each number occurs twice, and three cells are missing."""
    return Survey.of_numbers(
        Column.of_examples("x", numbers[:1]), 3, np.array(numbers), np.full(len(numbers), 2, dtype=np.int64)
    )


def plan(survey: Survey, declared: Variable | None = None, **options: object) -> ColumnPlan:
    """Decide about a column called x."""
    return plan_column(survey, declared, ["x"], ReadOptions(**options))  # type: ignore[arg-type]


def test_declared_states_do_not_fit_values_that_are_not_listed() -> None:
    """There are more of them than states; only measurements may be, where the states are bins."""
    two, bins = Variable("x", ("a", "b")), Variable.of_bins("x", (2.5,))
    with pytest.raises(DataError, match="'x' has 1,200 different values, such as 'c'; expected its 2 declared states"):
        plan(unlisted(1200, "a", "c"), two)
    with pytest.raises(DataError, match="'x' has 1,200 different values"):
        plan(unlisted(1200, "a"), bins)
    assert plan(Survey.of(Column("x", ["a", "b"], np.array([0, 1, 1]))), two).variable == two
    assert plan(measured(1.0, 2.0, 3.0), bins).variable == bins


def test_only_bins_of_measurements_are_counted_by_an_engine() -> None:
    """Whether the bins were found or given; values that are listed are counted as they are."""
    bins, two = Variable.of_bins("x", (2.5,)), Variable("x", ("a", "b"))
    listed = Survey.of(Column("x", ["a", "b"], np.array([0, 1])))
    assert ColumnPlan(measured(1.0, 3.0), 0, bins).cutting == bins
    assert ColumnPlan(listed, 0, bins, Binning("auto")).cutting == bins
    assert ColumnPlan(listed, 0, bins).cutting is None
    assert ColumnPlan(measured(1.0, 3.0), 0, two).cutting is None
    assert ColumnPlan(measured(1.0, 3.0), 0).cutting is None


def test_missing_cells_are_counted_however_a_column_is_surveyed() -> None:
    """Beside numbers, beside values that are not listed, and among values in rows."""
    assert plan(measured(*range(0, 300, 7))).n_missing == 3
    assert plan(unlisted(1200, "a", "b")).n_missing == 7
    assert plan(Survey.of(Column("x", ["a", None, "b"], np.array([0, 1, 2, -1, 1])))).n_missing == 3


def test_columns_of_values_that_are_not_listed_are_no_variables() -> None:
    """5,000 cells of 2,501 texts are mostly different ones; of 2,500 or less, there are too many to be states."""
    assert (plan(unlisted(2501, "a", "b")).problem or "").startswith("looks like an identifier: 2,501 values in")
    assert (plan(unlisted(2500, "a", "b")).problem or "").startswith("has 2,500 states ('a', 'b', ")


def test_as_many_states_as_are_allowed() -> None:
    """One more is refused; an identifier with more would not be kept, so nothing is said of that."""
    assert notes_of("x", texts(192, 64)) == ()
    with pytest.raises(DataError, match="'x' has 65 states"):
        notes_of("x", texts(195, 65))
    with pytest.raises(DataError, match="64 values in 64 rows; leave it out, or keep it with keep="):
        notes_of("x", texts(64, 64), unusable="error")
    with pytest.raises(DataError, match="65 values in 65 rows; leave it out, or group its values"):
        notes_of("x", texts(65, 65), unusable="error")


def test_row_numbers_are_known_in_any_number_of_rows() -> None:
    """By their name, even one; 19 different numbers of 20 are enough, 18 are not."""
    assert notes_of("rownames", [7]) == (
        "rownames: left out, 1 value in 1 row",
        "y: has one state only in the data, 0; it takes no edges",
    )
    assert notes_of("rownames", ["a"])[0] == "rownames: left out, 1 value in 1 row"
    tenths = [i + 0.1 for i in range(20)]
    assert notes_of("rownames", [*tenths[:19], 0.1])[0] == "rownames: left out, 19 values in 20 rows"
    assert "left out" not in notes_of("rownames", [*tenths[:18], 0.1, 0.1])[0]
    assert notes_of("rownames", [*texts(19, 19), "t0"]) == ()


def test_numbers_of_persons_that_are_cut_are_asked_about() -> None:
    """Where nothing is left out by itself; fractions number nobody, and who keeps a column knows."""
    persons: list[object] = [100 + i % 21 for i in range(200)]
    assert notes_of("patient", persons, unusable="error")[0].startswith("patient: is it an identifier? name the")
    assert len(notes_of("patient", [100.5 + i % 21 for i in range(200)], unusable="error")) == 1
    assert len(notes_of("patient", persons, unusable="error", keep=["patient"])) == 1
    assert len(notes_of("dose", persons, unusable="error")) == 1


def test_what_is_a_measurement() -> None:
    """Numbers alone or dates alone; truth values are none, and numbers that no row has are not among them."""

    def numbers(*values: object, times: tuple[int, ...] = ()) -> list[object] | None:
        own = np.array([0, *(times or [1] * len(values))], dtype=np.int64)
        result = measurement(Survey(Column("x", list(values), np.zeros(0, np.int64)), own, len(values)))
        return None if result is None else result[0].tolist()

    assert numbers(3, 1.5, np.float64(2)) == [1.5, 2.0, 3.0]
    assert numbers("2020-01-02", "2020-01-01") == ["2020-01-01", "2020-01-02"]
    assert numbers(1, "2020-01-01") is None
    assert numbers(True, False) is None
    assert numbers(1, "a") is None
    assert numbers(1, 2, 3, times=(1, 0, 1)) == [1.0, 3.0]
    assert numbers(1, 2, times=(0, 0)) == [1.0, 2.0]
    assert measurement(unlisted(1200, "1", "2")) is None


def test_rows_of_another_table_move_cut_points_that_were_found() -> None:
    """Not those that were given, and none where these rows have one value only."""
    survey = Survey.of(Column("x", list(range(0, 300, 10)), np.arange(30)))

    def cut_by(last: int, **options: object) -> tuple[tuple[object, ...], ...]:
        plans = [replace(plan(survey, None, **options), place=0)]
        rows = MemoryTable(("x",), last + 1, lambda _: Column("x", list(range(last + 1)), np.arange(last + 1)))
        return tuple(one[0].variable.cuts for one in (plans, cut_again(plans, rows)) if one[0].variable is not None)

    assert cut_by(1, bins={"x": 2}) == ((145,), (0.5,))
    assert cut_by(0, bins={"x": 2}) == ((145,), (145,))
    assert cut_by(1, bins={"x": [100]}) == ((100,), (100,))
