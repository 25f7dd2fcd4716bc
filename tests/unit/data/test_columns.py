"""One table of 24 kinds of columns through every door: one value has one spelling, and the data sets are equal."""

import datetime as dt
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import ldag
from ldag.data import ReadOptions, read_for, read_with

N = 60
NOON = dt.datetime(2020, 1, 31, 12, 30)
SECONDS = np.random.default_rng(7).integers(0, 500, N).tolist()


def repeat(*values: object) -> list[Any]:
    """Return some values over and over, the last most often."""
    return [values[min(i % (len(values) + 1), len(values) - 1)] for i in range(N)]


def times(**step: float) -> list[dt.datetime]:
    """Return times that are so many steps after noon."""
    return [NOON + second * dt.timedelta(**step) for second in SECONDS]


KINDS: dict[str, tuple[Sequence[object], Any, tuple[object, ...] | None]] = {
    "text": (repeat("b", "a", "c"), pl.String, ("a", "b", "c")),
    "text with gaps": (repeat("b", "a", None), pl.String, ("a", "b", "missing")),
    "numbers as texts": (repeat("9", "10", "11", "more"), pl.String, ("9", "10", "11", "more")),
    "boolean": (repeat(True, False), pl.Boolean, (False, True)),
    "boolean with gaps": (repeat(True, None, False), pl.Boolean, (False, True, "missing")),
    "whole": (repeat(9, 10, 11), pl.Int64, (9, 10, 11)),
    "small": (repeat(1, -3, 2), pl.Int8, (-3, 1, 2)),
    "large": (repeat(2**63 + 5, 7), pl.UInt64, (7, 2**63 + 5)),
    "whole with gaps": (repeat(9, None, 10), pl.Int64, (9, 10, "missing")),
    "whole reals": (repeat(2500.0, 9.0, 10.0), pl.Float64, (9, 10, 2500)),
    "reals": (repeat(1.5, -0.0, 2.0), pl.Float64, (0, 1.5, 2)),
    "reals with gaps": (repeat(float("nan"), 1.5, None, 2.0), pl.Float64, (1.5, 2, "missing")),
    "short reals": (repeat(0.25, 3.0), pl.Float32, (0.25, 3)),
    "decimals": (repeat(Decimal("1.50"), Decimal("2.00")), pl.Decimal(9, 2), (1.5, 2)),
    "measurement": ([second / 7 for second in SECONDS], pl.Float64, None),
    "whole measurement": (SECONDS, pl.Int64, None),
    "dates": (repeat(dt.date(2021, 5, 1), dt.date(2020, 1, 31)), pl.Date, ("2020-01-31", "2021-05-01")),
    "midnights": (
        repeat(dt.datetime(2020, 1, 31), NOON),
        pl.Datetime("us"),
        ("2020-01-31", "2020-01-31T12:30:00"),
    ),
    "many dates": ([dt.date(2020, 1, 1) + dt.timedelta(days=d) for d in SECONDS], pl.Date, None),
    "times": (times(seconds=1), pl.Datetime("us"), None),
    "halves of seconds": (times(seconds=0.5), pl.Datetime("ms"), None),
    "nanoseconds": ([1580473800 * 10**9 + 100 * second for second in SECONDS], pl.Datetime("ns"), None),
    "zoned": (times(minutes=30), pl.Datetime("us", "America/New_York"), None),
    "time of day": (
        repeat(dt.time(10, 30), dt.time(9, 0, 0, 500_000)),
        pl.Time,
        ("09:00:00.5", "10:30:00"),
    ),
    "category": (repeat("mid", "low", "high"), pl.Categorical, ("high", "low", "mid")),
    "enumeration": (repeat("low", "high"), pl.Enum(["low", "mid", "high"]), ("low", "mid", "high")),
}

ORDERED = {"dates", "midnights", "time of day", "enumeration"}


def make_column(kind: str) -> pl.DataFrame:
    """Return a column of one kind."""
    values, dtype, _ = KINDS[kind]
    if kind == "nanoseconds":
        return pl.DataFrame({"x": pl.Series(values, dtype=pl.Int64).cast(dtype)})
    if kind == "zoned":
        plain = pl.Series(values, dtype=pl.Datetime("us")).dt.replace_time_zone("UTC")
        return pl.DataFrame({"x": plain.dt.convert_time_zone("America/New_York")})
    return pl.DataFrame({"x": pl.Series(values, dtype=dtype)})


def to_file(name: str, write: Callable[[pl.DataFrame, Path], object]) -> Callable[[pl.DataFrame, Path], object]:
    """Return a door that writes a file."""

    def door(frame: pl.DataFrame, folder: Path) -> object:
        write(frame, folder / name)
        return folder / name

    return door


DOORS: dict[str, Callable[[pl.DataFrame, Path], object]] = {
    "polars": lambda frame, _: frame,
    "polars lazy": lambda frame, _: frame.lazy(),
    "pyarrow": lambda frame, _: frame.to_arrow(),
    "pandas": lambda frame, _: frame.to_pandas(),
    "pandas over arrow": lambda frame, _: frame.to_pandas(use_pyarrow_extension_array=True),
    "series": lambda frame, _: {"x": frame["x"]},
    "lists": lambda frame, _: {"x": frame["x"].to_list()},
    "DuckDB": lambda frame, _: duckdb.connect().from_arrow(frame.to_arrow()),
    "Parquet": to_file("t.parquet", lambda frame, path: frame.write_parquet(path)),
    "Parquet of pandas": to_file("t.parquet", lambda frame, path: frame.to_pandas().to_parquet(path)),
    "CSV": to_file("t.csv", lambda frame, path: frame.write_csv(path)),
    "CSV of pandas": to_file("t.csv", lambda frame, path: frame.to_pandas().to_csv(path, index=False)),
}

CSVS = ("CSV", "CSV of pandas")
NOT_CARRIED = {
    **dict.fromkeys(("boolean", "boolean with gaps", "time of day", "text with gaps", "whole with gaps"), CSVS),
    "reals with gaps": CSVS,  # a blank line of a single column is no row
    "enumeration": (*CSVS, "lists", "DuckDB"),
    "nanoseconds": ("lists",),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_door_gives_the_same_data(kind: str, tmp_path: Path) -> None:
    """The states are those that one expects, or those of the polars frame where a measurement is cut."""
    frame, options = make_column(kind), ReadOptions(missing="state")
    _, _, states = KINDS[kind]
    expected = read_with(frame, options)
    variable = expected.variables[0]
    assert variable.states == states if states is not None else len(variable.cuts) == 3
    assert variable.ordered == (states is None or kind in ORDERED)
    for name, door in DOORS.items():
        if name in NOT_CARRIED.get(kind, ()):
            continue
        data = read_with(door(frame, tmp_path), options)
        assert data == expected, f"{name}: {data.variables[0]}, not {variable}"
        again = read_for(door(frame, tmp_path), expected.schema, options)
        assert again == expected, f"{name}, by the states and cut points of a graph"


@pytest.mark.parametrize("zone", [None, "UTC", "America/New_York"])
@pytest.mark.parametrize("door", DOORS)
def test_thousands_of_times(door: str, zone: str | None, tmp_path: Path) -> None:
    """So many that an engine does not list them; also with counts, where rows are read one by one."""
    steps = np.random.default_rng(1).permutation(2500)
    moments = pl.Series([NOON + 0.25 * dt.timedelta(seconds=int(step)) for step in steps], dtype=pl.Datetime("us"))
    if zone is not None:
        moments = moments.dt.replace_time_zone("UTC").dt.convert_time_zone(zone)
    frame = pl.DataFrame({"x": moments, "n": [1, 2] * 1250})
    data = ldag.read(DOORS[door](frame.select("x"), tmp_path))  # type: ignore[arg-type]  # a table of any make
    assert data.variables[0].cuts == ("2020-01-31T12:32:36", "2020-01-31T12:35:12.25", "2020-01-31T12:37:48.5")
    assert data.counts("x").tolist() == [[625] * 4]
    if door not in ("series", "lists"):
        counted = ldag.read(DOORS[door](frame, tmp_path), counts="n")  # type: ignore[arg-type]
        twice = pl.concat([frame, frame.filter(pl.col("n") == 2)]).select("x")
        assert counted == ldag.read(twice)


@pytest.mark.parametrize("zone", [None, "America/New_York"])
def test_rows_at_a_cut_point_are_predicted_alike(zone: str | None, tmp_path: Path) -> None:
    """A row is on the same side of a cut point by every door, whatever digits its library shows."""
    moments = pl.Series([NOON + 0.5 * dt.timedelta(seconds=step) for step in range(1200)], dtype=pl.Datetime("us"))
    if zone is not None:
        moments = moments.dt.replace_time_zone("UTC").dt.convert_time_zone(zone)
    late = [step > 600 for step in range(1200)]
    data = ldag.read(pl.DataFrame({"x": moments, "late": late}), bins={"x": ["2020-01-31T12:35:00"]})
    network = ldag.Network.from_data([("x", "late")], data)
    frame = pl.DataFrame({"x": moments})
    for name, door in DOORS.items():
        table: Any = door(frame, tmp_path)
        assert network.predict(table, "late").tolist() == late, name


def test_a_date_is_its_midnight() -> None:
    """As a state, as a cut point and as a finding, however it is spelled."""
    data = ldag.read({"day": ["2020-01-31", "2020/01/31 00:00", "2020-01-31T00:00:00.000Z", "2020-02-01"]})
    assert data.states("day") == ("2020-01-31", "2020-02-01")
    assert data.counts("day").tolist() == [[3, 1]]
    variable = data.variables[0]
    for spelled in ("2020-01-31 00:00:00", dt.date(2020, 1, 31), dt.datetime(2020, 1, 31), np.datetime64("2020-01-31")):
        assert variable.code(spelled) == 0  # type: ignore[arg-type]  # a date for its text
    cut = ldag.Variable.of_bins("day", [dt.datetime(2020, 1, 31), "2020-02-01T12:00:00.50"])
    assert cut.cuts == ("2020-01-31", "2020-02-01T12:00:00.5")
    assert [cut.code(day) for day in ("2020-01-31 00:00", "2020-01-31T00:00:01", "2020-02-01T12:00:00.6")] == [0, 1, 2]


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("2020-01-31T12:30", "2020-01-31T12:30:00"),
        ("2020-01-31 12:30:00.1200", "2020-01-31T12:30:00.12"),
        ("2020-01-31T01:30:00+02:00", "2020-01-30T23:30:00"),
        ("2020-01-31T22:30:00.5-0200", "2020-02-01T00:30:00.5"),
        ("2020-01-31 12:30:00Z", "2020-01-31T12:30:00"),
        ("2020-01-31T00:00:00+00", "2020-01-31"),
        ("2020-13-31", None),
        ("2020-01-31T25:00", None),
        ("2020-01-32", None),
        ("12:30", None),
    ],
)
def test_spellings_of_times(text: str, spelled: str | None, tmp_path: Path) -> None:
    """Texts of files and of Parquet columns are read alike; what is no time stays a text."""
    expected = text if spelled is None else spelled
    pl.DataFrame({"x": [text]}).write_parquet(tmp_path / "t.parquet")
    pl.DataFrame({"x": [text]}).write_csv(tmp_path / "t.csv")
    for source in (tmp_path / "t.parquet", tmp_path / "t.csv", {"x": [text]}):
        assert ldag.read(source).states("x") == (expected,)


def test_thousands_of_texts_that_are_times(tmp_path: Path) -> None:
    """An engine spells them as we do, zones and all."""
    spellings = ("{}", "{}Z", "{}+00:00", "{}.000", "{}+0000")
    moments = [(NOON + dt.timedelta(seconds=second)).isoformat() for second in range(1200)]
    frame = pl.DataFrame({"x": [spelling.format(moment) for moment in moments for spelling in spellings]})
    frame.write_parquet(tmp_path / "t.parquet")
    data = ldag.read(tmp_path / "t.parquet", unusable="error")
    assert data == ldag.read(frame, unusable="error")
    assert data.counts("x").sum() == 6000
    assert data.variables[0].cuts == ldag.read({"x": moments}, unusable="error").variables[0].cuts


def test_enumerations_of_a_database_are_in_order() -> None:
    """DuckDB's ENUM says so as the Enum of polars does."""
    engine = duckdb.connect()
    engine.execute("CREATE TYPE size AS ENUM ('s', 'm', 'l')")
    relation = engine.sql("SELECT unnest(['m', 's', 'm'])::size AS x")
    (variable,) = ldag.read(relation).variables
    assert (variable.states, variable.ordered) == (("s", "m", "l"), True)


@pytest.mark.parametrize("ordered", [False, True])
def test_categories_have_one_order(ordered: bool, tmp_path: Path) -> None:
    """That of the type if it is one, else that of the values; unused ones stay."""
    frame = pd.DataFrame({"x": pd.Categorical(["m", "s"], categories=["s", "m", "l"], ordered=ordered)})
    frame.to_parquet(tmp_path / "t.parquet")
    import pyarrow as pa

    for source in (frame, pa.Table.from_pandas(frame), tmp_path / "t.parquet"):
        (variable,) = ldag.read(source).variables
        assert variable.states == (("s", "m", "l") if ordered else ("l", "m", "s"))
        assert variable.ordered == ordered


def test_frames_of_whole_numbers_have_whole_numbers() -> None:
    """A column of pandas with gaps is one of reals, though its numbers are whole."""
    data = ldag.read(pd.DataFrame({"x": [9, None, 2500]}), missing="drop")
    assert str(data.states("x")) == "(9, 2500)"
    frame: Any = data.to_frame()
    assert frame["x"].dtype == np.int64
    mixed: Any = ldag.read({"x": [1.5, 2.0]}).to_frame()
    assert mixed["x"].dtype == np.float64
