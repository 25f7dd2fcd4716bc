"""Numbers and dates as people spell them: recognised from all texts, told, and asked for where they leave it open."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ldag
from ldag.data import Dataset
from ldag.data.text_files import date_orders, iso_date, recognise_decimal
from ldag.errors import ArgumentError

NA = frozenset({"", "NA"})


def read_text(folder: Path, text: str, **options: object) -> Dataset:
    """Read a text as a file."""
    (folder / "t.csv").write_text(text, encoding="utf-8")
    return ldag.read(folder / "t.csv", **options)  # type: ignore[arg-type]  # options under test


@pytest.mark.parametrize(
    ("columns", "separator", "sign"),
    [
        ([["1,5", "2", "NA"]], ";", ","),
        ([["1.5", "2"]], ";", "."),
        ([["1,5"], ["2.5"]], ";", None),  # some have commas, some points
        ([["1,5"], ["2.500"]], ";", ","),  # points that group digits
        ([["1,5"], ["0.500"]], ";", None),  # which these do not
        ([["1.234,5"]], ";", ","),
        ([["1,5", "x"]], ";", "."),  # a text
        ([["1,2,3"]], ";", "."),
        ([["1,234", "5,678"]], ",", "."),  # quoted, and grouped by commas
        ([["1,234", "5,6"]], ",", ","),
        ([["1,234", "0,678"]], ",", ","),
        ([["31.12.2020"], ["1,5"]], ";", ","),  # a date is no number
        ([["", "NA"], ["7"]], ";", "."),
    ],
)
def test_the_decimal_sign_is_shown_by_numbers(columns: list[list[str]], separator: str, sign: str | None) -> None:
    """A comma counts if it makes all texts of a column numbers, and no column has points."""
    assert recognise_decimal(columns, separator, NA) == sign


@pytest.mark.parametrize(
    ("texts", "orders"),
    [
        (["31.12.2020", "1.2.2020"], ("dmy",)),
        (["03.04.2020"], ("dmy",)),  # points: the day first
        (["12.31.2020"], ("mdy",)),  # unless it cannot be
        (["03/04/2020"], ("dmy", "mdy")),
        (["03/04/2020", "13/04/2020"], ("dmy",)),
        (["03-04-2020", "04-13-2020 7:30"], ("mdy",)),
        (["13/04/2020", "04/13/2020"], ()),
        (["03/04/20"], ()),  # of which century?
        (["2020.1.31"], ("ymd",)),
        (["2020-01-31", "2020-02-01T10:00:00Z"], ()),  # ISO needs no order
        (["03/04/2020", "x"], ()),
        (["03/04.2020"], ()),
    ],
)
def test_dates_show_their_order_or_leave_it_open(texts: list[str], orders: tuple[str, ...]) -> None:
    """By numbers that can be no month, and by points."""
    assert date_orders([*texts, "NA"], NA) == orders


def test_dates_are_spelled_as_iso() -> None:
    """With their times; days that do not exist are none."""
    assert iso_date("31.12.2020", "dmy") == "2020-12-31"
    assert iso_date("3/4/2020 7:05", "mdy") == "2020-03-04T07:05"
    assert iso_date("2020.3.4 07:05:30.5", "ymd") == "2020-03-04T07:05:30.5"
    assert iso_date("31.02.2020", "dmy") is None
    assert iso_date("1.2.2020 25:00", "dmy") is None


EXPORT = "id;size;paid;seen\n" + "".join(
    f"{i + 1};{1 + i / 100:.2f};{1000 + i * 7},50;{i % 28 + 1:02}.{i % 12 + 1:02}.2020\n".replace(".", ",", 1)
    for i in range(60)
)


def test_an_export_of_a_european_spreadsheet(tmp_path: Path) -> None:
    """Semicolons, decimal commas and days first: numbers and dates as from the same table spelled otherwise."""
    data = read_text(tmp_path, EXPORT, unusable="drop")
    plain = "id,size,paid,seen\n" + "".join(
        f"{i + 1},{1 + i / 100:.2f},{1000 + i * 7}.50,2020-{i % 12 + 1:02}-{i % 28 + 1:02}\n" for i in range(60)
    )
    expected = read_text(tmp_path, plain, unusable="drop")
    assert data == expected
    assert data.variables == expected.variables
    assert data.names == ("size", "paid", "seen")
    assert (
        "t.csv: cells are separated by ;, numbers have decimal commas, dates have the day first (in seen); "
        "sep= and decimal= and dates= say otherwise"
    ) in data.notes[0]
    asked = read_text(tmp_path, EXPORT, unusable="drop", sep=";", decimal=",", dates="dmy")
    assert asked == expected
    assert not any("otherwise" in note for note in asked.notes)


def test_many_numbers_with_decimal_commas(tmp_path: Path) -> None:
    """More than are listed, grouped or not, and commas that come late."""
    rows = [(f"{i},5", f"{i % 900 + 1}.{i % 800 + 100},25", i if i < 2500 else f"{i},125") for i in range(3000)]
    data = read_text(tmp_path, "a;b;c\n" + "".join(f"{a};{b};{c}\n" for a, b, c in rows))
    expected = ldag.read(
        {
            "a": [i + 0.5 for i in range(3000)],
            "b": [float(f"{i % 900 + 1}{i % 800 + 100}.25") for i in range(3000)],
            "c": [i if i < 2500 else i + 0.125 for i in range(3000)],
        }
    )
    assert data == expected
    assert data.variables == expected.variables


def test_an_open_order_of_dates_is_asked_for(tmp_path: Path) -> None:
    """Never guessed: another column may show it, or the option says it."""
    rows = [f"{i % 12 + 1}/{i % 11 + 1}/2020" for i in range(30)]
    text = "seen,x\n" + "".join(f"{date},{i % 2}\n" for i, date in enumerate(rows))
    with pytest.raises(
        ArgumentError, match=r"'seen' .*'1/1/2020', which may have the day or the month first; say which"
    ):
        read_text(tmp_path, text, unusable="drop")
    assert read_text(tmp_path, text, columns=["x"]).names == ("x",)
    day, month = (read_text(tmp_path, text, dates=order, bins=None) for order in ("dmy", "mdy"))
    assert "2020-11-12" not in day.states("seen")
    assert day.states("seen") != month.states("seen")
    assert set(day.states("seen")) == {f"2020-{i % 11 + 1:02}-{i % 12 + 1:02}" for i in range(30)}
    shown = "seen,born\n" + "".join(f"{date},{13 + i % 9}/{i % 12 + 1}/1980\n" for i, date in enumerate(rows))
    data = read_text(tmp_path, shown, bins=None)
    assert data.states("seen") == day.states("seen")
    assert "dates have the day first (in born, seen)" in data.notes[0]
    with pytest.raises(ArgumentError, match=r"dates='mdy': column 'born' has dates .* not all have the month first"):
        read_text(tmp_path, shown, dates="mdy")


def test_signs_that_contradict_each_other_are_told(tmp_path: Path) -> None:
    """Both commas and points before fractions: no guess."""
    text = "a;b\n" + "".join(f"{i % 3},5;{i % 4}.5\n" for i in range(30))
    data = read_text(tmp_path, text)
    assert data.states("a") == ("0,5", "1,5", "2,5")
    assert data.states("b") == (0.5, 1.5, 2.5, 3.5)
    assert "some numbers have decimal commas, some points; decimal= says which are numbers" in data.notes[0]
    assert read_text(tmp_path, text, decimal=",").states("a") == (0.5, 1.5, 2.5)


def test_spellings_are_for_texts(tmp_path: Path) -> None:
    """Wrong options are refused, and those that mean nothing to a source, too."""
    with pytest.raises(ArgumentError, match=r"decimal= must be \. or , "):
        read_text(tmp_path, EXPORT, decimal=";")
    with pytest.raises(ArgumentError, match="no dates 'ydm'; did you mean 'ymd'"):
        read_text(tmp_path, EXPORT, dates="ydm")
    for option in ({"decimal": ","}, {"dates": "dmy"}):
        with pytest.raises(ArgumentError, match="is for text files"):
            ldag.read({"x": [1, 2]}, **option)  # type: ignore[arg-type]  # a mistake
    with pytest.raises(ArgumentError, match=r"sheet= is for workbooks \(\.xlsx\)"):
        read_text(tmp_path, EXPORT, sheet="a")


def test_a_text_among_numbers_is_no_date(tmp_path: Path) -> None:
    """Thousands of numbers and one text that looks like a date of an open order: no order is asked for."""
    rows = [f"{i / 4};{i % 3 + 1}" for i in range(2000)]
    text = "x;w\n" + "\n".join([*rows, "3/4/2020;1"]) + "\n"
    assert read_text(tmp_path, text, unusable="drop").names == ("w",)
    assert read_text(tmp_path, text, missing="drop", weights="w", na=["3/4/2020"]).names == ("x",)


def test_commas_that_come_late_are_seen(tmp_path: Path) -> None:
    """Whole numbers first, as many as are listed and more, and then fractions."""
    rows = [str(i) for i in range(2000)] + [f"{i},5" for i in range(500)]
    data = read_text(tmp_path, "x;y\n" + "".join(f"{x};{i % 2}\n" for i, x in enumerate(rows)))
    expected = ldag.read({"x": [float(x.replace(",", ".")) for x in rows], "y": [i % 2 for i in range(2500)]})
    assert data == expected
    assert data.variables == expected.variables


def test_commas_in_numbers_are_not_between_cells(tmp_path: Path) -> None:
    """Each line has two commas and one semicolon: the numbers tell which are which."""
    text = "size, cm;weight, kg\n" + "".join(f"1,{i % 3}5;7{i % 2},5\n" for i in range(30))
    data = read_text(tmp_path, text)
    assert data.names == ("size, cm", "weight, kg")
    assert data.states("weight, kg") == (70.5, 71.5)
    assert read_text(tmp_path, "a,b\n1;2,3;4\n5;6,7;8\n").names == ("a", "b")


@pytest.mark.parametrize("odd", ["2020-13-05", "2020/00/05", "2020-01-32", "2020-01-31T24:00", "2020-01-31 10:60:00"])
def test_what_is_no_date_is_none_by_any_door(odd: str, tmp_path: Path) -> None:
    """Among more times than are listed, one that does not exist makes texts of all, which are no variable."""
    times = [str(np.datetime64("2020-01-01T00:00") + np.timedelta64(7 * i, "h")) for i in range(1200)]
    frame = pl.DataFrame({"when": [*times, odd], "x": [i % 2 for i in range(1201)]})
    frame.write_csv(tmp_path / "t.csv")
    frame.write_parquet(tmp_path / "t.parquet")
    for source in (frame, frame.lazy(), tmp_path / "t.csv", tmp_path / "t.parquet"):
        data = ldag.read(source, unusable="drop")
        assert data.names == ("x",)
        assert data.notes == ("when: left out, 1,201 values in 1,201 rows",)
