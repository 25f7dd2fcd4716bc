"""Times: when rows were seen, in usual steps within their groups."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ldag
from ldag.errors import ArgumentError, DataError, LdagError

WAVES: dict[str, list[Any]] = {
    "person": [2, 1, 1, 2, 2, 1],
    "wave": [1, 3, 1, 2, 4, 2],
    "x": ["a", "b", "a", "a", "b", "a"],
}


def panel() -> pd.DataFrame:
    """Fifty persons in up to eight waves, of which some are missed."""
    rows = [(p, t, "ab"[(p + t) % 2], p * t % 3) for p in range(50) for t in range(8) if (p * 31 + t * 17) % 5]
    return pd.DataFrame(rows, columns=["person", "wave", "x", "y"])


def test_rows_stand_by_group_and_time() -> None:
    """None are merged, and a missed wave is a gap on the axis."""
    data = ldag.read(WAVES, groups="person", time="wave")
    assert data.times is not None
    assert data.groups is not None
    assert data.groups.codes.tolist() == [0, 0, 0, 1, 1, 1]
    assert (data.times.kind, data.times.step) == ("numbers", 1)
    assert data.times.positions.tolist() == [0, 1, 2, 0, 1, 3]
    assert data.times.labels.tolist() == [1, 2, 3, 1, 2, 4]
    assert data.codes.tolist() == [[0, 0, 1, 0, 0, 1]]
    assert data.weights is None
    assert data.n_rows == data.total == 6
    assert data.notes[1] == "wave: the usual step is 1; 1 of 4 pairs of consecutive rows are further apart"


@pytest.mark.parametrize("kind", ["csv", "parquet", "polars", "lazy"])
@pytest.mark.parametrize("unit", ["numbers", "D", "W", "MS", "ME", "QS", "YS", "h"])
def test_dates_of_the_calendar_are_steps(tmp_path: Path, kind: str, unit: str) -> None:
    """Days, weeks, months by their first or last day, quarters, years and hours."""
    frame = panel()
    expected = frame["wave"].tolist()
    words = {"D": "1 day", "W": "7 days", "MS": "1 month", "ME": "1 month", "QS": "3 months", "YS": "1 year"}
    if unit != "numbers":
        dates = pd.date_range("2000-01-01", periods=8, freq=unit)
        frame = frame.assign(wave=[dates[wave] for wave in frame["wave"]])
    frame.sample(frac=1, random_state=1).to_csv(tmp_path / "panel.csv", index=False)
    frame.to_parquet(tmp_path / "panel.parquet")
    polars = pl.from_pandas(frame)
    sources: dict[str, Any] = {
        "csv": tmp_path / "panel.csv",
        "parquet": tmp_path / "panel.parquet",
        "polars": polars,
        "lazy": polars.lazy(),
    }
    data = ldag.read(sources[kind], groups="person", time="wave")
    assert data.times is not None
    assert data.times.step == {"numbers": 1, "h": "1 hour", **words}[unit]
    assert data.times.kind == ("numbers" if unit == "numbers" else "dates")
    assert data.times.positions.tolist() == expected
    assert data == ldag.read(frame, groups="person", time="wave")


@pytest.mark.parametrize(("unit", "step"), [("M", "1 month"), ("Q", "3 months"), ("Y", 1)])
def test_periods_are_times(unit: str, step: object) -> None:
    """Those of pandas."""
    frame = panel()
    expected = frame["wave"].tolist()
    first = pd.Period("2000", freq="Y").asfreq(unit)
    frame["wave"] = pd.PeriodIndex([first + wave for wave in frame["wave"]])
    times = ldag.read(frame, groups="person", time="wave").times
    assert times is not None
    assert (times.step, times.positions.tolist()) == (step, expected)


def test_steps_that_are_nearly_even_are_rounded() -> None:
    """A visit may be a day late, and starts where it starts."""
    days = [0, 7, 15, 28, 3, 10, 17, 25]
    table = {"g": [1] * 4 + [2] * 4, "day": days, "x": [0, 1] * 4}
    times = ldag.read(table, groups="g", time="day").times
    assert times is not None
    assert (times.step, times.positions.tolist()) == (7, [0, 1, 2, 4, 0, 1, 2, 3])


def test_uneven_times_are_an_order() -> None:
    """Told with the share of steps that are none."""
    table = {"g": [1] * 4, "year": [2004, 2006, 2008, 2011], "x": [0, 1, 1, 0]}
    data = ldag.read({**table, "g": [1, 1, 2, 2]}, groups="g", time="year")
    assert data.times is not None
    assert data.times.kind == "order"
    assert data.times.positions.tolist() == [0, 1, 0, 1]
    assert "50 % of the steps are no whole multiples of the usual one, 2; rows are taken in order" in data.notes[1]


def test_rows_in_their_order_are_times() -> None:
    """Where time=True says so."""
    data = ldag.read(WAVES, groups="person", time=True)
    assert data.times is not None
    assert (data.times.name, data.times.kind, data.times.step) == (None, "order", None)
    assert data.times.positions.tolist() == [0, 1, 2, 0, 1, 2]
    assert data.counts("wave").tolist() == [[2, 2, 1, 1]]
    assert data.to_frame("polars").to_dict(as_series=False)["wave"] == [3, 1, 2, 1, 2, 4]  # type: ignore[attr-defined]


@pytest.mark.parametrize("how", ["states", "categories"])
def test_categories_in_an_order_are_times(how: str) -> None:
    """Declared, or by their type; consecutive rows follow each other."""
    names = ["first", "then", "last"]
    table: dict[str, Any] = {"g": [1, 1, 2, 2], "when": ["last", "first", "then", "last"], "x": [0, 1, 1, 0]}
    if how == "categories":
        table["when"] = pd.Series(pd.Categorical(table["when"], names, ordered=True))
        data = ldag.read(table, groups="g", time="when")
    else:
        data = ldag.read(table, groups="g", time="when", states={"when": names})
    assert data.times is not None
    assert (data.times.kind, data.times.order) == ("order", tuple(names))
    assert data.times.positions.tolist() == [0, 1, 0, 1]
    assert data.codes.tolist() == [[1, 0, 1, 0]]


def test_without_groups_all_rows_are_one_series() -> None:
    """Then a time must not repeat at all."""
    data = ldag.read({"day": ["2020-01-03", "2020-01-01", "2020-01-02"], "x": [0, 1, 1]}, time="day")
    assert data.groups is None
    assert data.times is not None
    assert (data.times.step, data.times.positions.tolist(), data.codes.tolist()) == ("1 day", [0, 1, 2], [[1, 1, 0]])
    assert repr(data) == "<Dataset: 3 rows; x (2)>"


def test_what_is_done_with_rows_keeps_their_times() -> None:
    """Copies, columns, weights, gaps, and tables that are handed out."""
    frame = panel()
    data = ldag.read(frame, groups="person", time="wave")
    assert pickle.loads(pickle.dumps(data)) == data
    assert data.select("x").times == data.times
    assert data.ungrouped() == ldag.read(frame[["x", "y"]])
    back: Any = data.to_frame()
    assert list(back.columns) == ["person", "wave", "x", "y"]
    assert ldag.read(back, groups="person", time="wave") == data
    some = data.reweighed(np.arange(data.n_rows) % 3)
    assert some.times is not None
    assert data.times is not None
    assert some.times.positions.tolist() == data.times.positions[np.arange(data.n_rows) % 3 > 0].tolist()


def test_a_row_that_is_left_out_leaves_a_hole() -> None:
    """Rows before and after it do not follow each other."""
    for time in ("wave", True):
        table: dict[str, list[Any]] = {
            "g": [1, 1, 1, 2],
            "x": [0, None, 1, 1],
            **({"wave": [1, 2, 3, 1]} if time == "wave" else {}),
        }
        data = ldag.read(table, groups="g", time=time, missing="drop")
        assert data.times is not None
        assert data.times.positions.tolist() == [0, 2, 0]
        kept = ldag.read(table, groups="g", time=time, missing="keep")
        assert kept.complete_rows().times == data.times


def test_parts_are_put_together_by_time() -> None:
    """However a table was cut in two."""
    frame = panel()
    parts = [ldag.read(frame[half::2], groups="person", time="wave") for half in (0, 1)]
    merged = parts[0].merge(parts[1])
    assert merged == ldag.read(frame, groups="person", time="wave")
    with pytest.raises(DataError, match="the time 1 of person 0 stands in more than one row"):
        parts[0].merge(parts[0])
    with pytest.raises(DataError, match="the parts have different times"):
        parts[0].merge(ldag.read(frame[["person", "x", "y"]], groups="person"))


BAD: list[tuple[dict[str, Any], dict[str, Any], type[LdagError], str]] = [
    ({}, {"time": "waves"}, ArgumentError, "time='waves': the table has no such column; did you mean 'wave'"),
    ({}, {"time": "person"}, ArgumentError, "groups='person': time names it too; it cannot be both"),
    ({}, {"time": False}, ArgumentError, "time= must be the name of a column, or True for rows in their order"),
    ({}, {"time": "wave", "counts": "x"}, ArgumentError, "rows that follow each other occur once; leave out counts="),
    ({}, {"time": "wave", "columns": ["x", "wave"]}, ArgumentError, "columns names it too"),
    ({"wave": [1, 1, 1, 2, 4, 2]}, {"time": "wave"}, DataError, "the time 1 of person 1 stands in more than one row"),
    ({"wave": list("abcdef")}, {"time": "wave"}, DataError, "holds 'a', and times are numbers, dates or ordered cat"),
    ({"wave": [1, None, 2, 1, 2, 3]}, {"time": "wave"}, DataError, "row 2: a row without a time"),
    ({}, {"time": "wave", "states": {"wave": [1, 2]}}, DataError, "holds 3, which is not among the declared times"),
]


@pytest.mark.parametrize(("table", "options", "kind", "message"), BAD)
def test_what_cannot_be_time_is_refused(
    table: dict[str, Any], options: dict[str, Any], kind: type[LdagError], message: str
) -> None:
    """With what to do."""
    with pytest.raises(kind, match=message):
        ldag.read({**WAVES, **table}, groups="person", **options)


@pytest.mark.parametrize("kind", ["csv", "lazy"])
def test_equal_rows_at_one_time_are_refused_where_rows_are_merged(tmp_path: Path, kind: str) -> None:
    """A file's equal lines are merged as it is read, and still counted as two."""
    frame = pd.concat([panel(), panel()[:1]])
    frame.to_csv(tmp_path / "panel.csv", index=False)
    source: Any = tmp_path / "panel.csv" if kind == "csv" else pl.from_pandas(frame).lazy()
    with pytest.raises(DataError, match="the time 1 of person 0 stands in more than one row"):
        ldag.read(source, groups="person", time="wave")


def test_a_lazy_table_has_no_order_of_rows() -> None:
    """Its library may give rows in any."""
    with pytest.raises(DataError, match=r"the rows of a lazy table have no order; collect\(\) it first"):
        ldag.read(pl.DataFrame(WAVES).lazy(), groups="person", time=True)
