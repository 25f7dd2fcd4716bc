"""Reading with ``missing="keep"``: gaps stay gaps, from whatever source, and survive being written and read again."""

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ldag
from ldag.data import GAP, ReadOptions, describe_gaps, read_for, read_with, write_rows
from ldag.data.rows import state_columns
from ldag.errors import DataError
from ldag.learning import fingerprint

N = 60


def make_frame() -> pd.DataFrame:
    """Return texts, whole and real numbers, measurements and dates, all of them with gaps."""
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(
        {
            "sex": rng.choice(["f", "m"], N),
            "n_visits": rng.integers(0, 4, N).astype(float),
            "age": rng.normal(40, 10, N).round(1),
            "day": pd.date_range("2020-01-01", periods=N).astype("datetime64[ns]"),
        }
    )
    gaps = rng.random(frame.shape) < 0.2
    return frame.mask(gaps)


def as_csv(frame: pd.DataFrame, folder: Path) -> Any:
    """Write a text file, which is read by the native reader."""
    frame.to_csv(folder / "t.csv", index=False)
    return folder / "t.csv"


def as_parquet(frame: pd.DataFrame, folder: Path) -> Any:
    """Write a Parquet file, which is read by the engine."""
    frame.to_parquet(folder / "t.parquet", index=False)
    return folder / "t.parquet"


def as_shards(frame: pd.DataFrame, folder: Path) -> Any:
    """Write a Parquet file per half of the table."""
    for number, part in enumerate((frame[: N // 2], frame[N // 2 :])):
        part.to_parquet(folder / f"part-{number}.parquet", index=False)
    return str(folder / "part-*.parquet")


SOURCES: dict[str, Callable[[pd.DataFrame, Path], Any]] = {
    "pandas": lambda frame, _: frame,
    "polars": lambda frame, _: pl.from_pandas(frame),
    "lazy": lambda frame, _: pl.from_pandas(frame).lazy(),
    "pyarrow": lambda frame, _: pl.from_pandas(frame).to_arrow(),
    "mapping": lambda frame, _: {name: pl.from_pandas(frame)[name].to_list() for name in frame.columns},
    "csv": as_csv,
    "parquet": as_parquet,
    "shards": as_shards,
}


@pytest.mark.parametrize("source", SOURCES)
def test_every_door_keeps_gaps_where_they_are(source: str, tmp_path: Path) -> None:
    """A cell is a gap exactly where the table has none, and measurements are cut by the cells that are there."""
    frame = make_frame()
    data = ldag.read(SOURCES[source](frame, tmp_path), missing="keep")
    assert data.has_gaps
    assert data.total == N
    times = data.whole_weights
    for name in frame.columns:
        assert times[data.codes[data.schema.node(name)] == GAP].sum() == frame[name].isna().sum()
        alone = ldag.read(frame[[name]].dropna(), keep=[name])
        assert data.states(name) == alone.states(name)
        assert data.counts(name, observed=True).tolist() == alone.counts(name).tolist()
    assert data == ldag.read(frame, missing="keep")


@pytest.mark.parametrize("source", ["pandas", "csv", "parquet"])
@pytest.mark.parametrize("kind", ["counts", "weights"])
def test_rows_with_gaps_have_counts_and_weights(source: str, kind: str, tmp_path: Path) -> None:
    """Counted rows with gaps are as many observations; measurements are cut as often as they occur."""
    frame = make_frame().drop(columns="day")
    frame["w"] = 1 + np.arange(N) % 3
    data = ldag.read(SOURCES[source](frame, tmp_path), missing="keep", **cast("Any", {kind: "w"}))
    every = ldag.read(frame.loc[frame.index.repeat(frame["w"])].drop(columns="w"), missing="keep")
    names = every.names if kind == "counts" else ("sex", "n_visits")  # real weights break ties of quantiles otherwise
    part, whole = data.select(names), every.select(names)
    assert part.schema == whole.schema
    assert part.codes.tolist() == whole.codes.tolist()
    assert part.total == whole.total == frame["w"].sum()


@pytest.mark.parametrize("bins", ["width:3", "information:3", "model", "target:sex"])
@pytest.mark.parametrize("source", ["pandas", "csv", "parquet"])
def test_all_bins_leave_gaps(source: str, bins: Any, tmp_path: Path) -> None:
    """However a measurement is cut, its gaps stay, and every value is in its bin."""
    frame = make_frame()[["sex", "age"]]
    data = ldag.read(SOURCES[source](frame, tmp_path), missing="keep", bins=bins)
    variable = data.variables[1]
    assert variable.cuts
    assert "missing" not in variable.states
    expected = np.bincount(np.searchsorted(variable.cuts, frame["age"].dropna()), minlength=variable.n_states)
    assert data.counts("age", observed=True)[0].tolist() == expected.tolist()


def test_target_cuts_are_those_of_rows_with_both() -> None:
    """A measurement is cut for a target by the rows in which both are seen."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=400)
    frame = pd.DataFrame({"x": x, "y": np.where(x > 0.3, "b", "a"), "z": rng.choice(["u", "v"], 400)})
    frame = frame.mask(rng.random(frame.shape) < 0.2)
    (cut,) = ldag.read(frame, missing="keep", bins="target:y").variables[0].cuts
    both = frame.dropna(subset=["x", "y"])
    assert both["x"][both["y"] == "a"].max() <= cut < both["x"][both["y"] == "b"].min()


def test_a_graph_says_the_states_of_columns_with_gaps() -> None:
    """Tables for a graph keep gaps, and a column may have gaps only."""
    graph = ldag.LDAG.from_edges([("x", "y")], states={"x": ["a", "b"], "y": [1, 2]})
    table = {"x": [None, "a", "b"], "y": [None, None, None], "z": [1, 2, 3]}
    data = read_for(table, graph.schema, ReadOptions(missing="keep"))
    assert data.schema == graph.schema
    assert data.codes.tolist() == [[0, 1, GAP], [GAP, GAP, GAP]]


def test_a_column_of_gaps_only_needs_states() -> None:
    """Whoever declares them gets a column of gaps."""
    table: dict[str, list[str | None]] = {"x": [None, None], "y": ["a", "b"]}
    data = ldag.read(table, missing="keep", states={"x": ["u", "v"]})
    assert data.counts("x", observed=True).tolist() == [[0, 0]]
    with pytest.raises(DataError, match="column 'x' has no values, only missing cells; leave it out, or keep its gaps"):
        ldag.read(table, missing="keep")


def test_what_was_kept_is_told() -> None:
    """How many observations have gaps, and where most of them are; nothing is lost."""
    table: dict[str, list[Any]] = {
        "x": ["a", None, "b", "b"],
        "y": [None, None, "v", "u"],
        "z": ["s", None, "s", "t"],
        "n": [1000, 300, 1, 1],
    }
    data = ldag.read(table, counts="n", missing="keep")
    assert data.notes == ("1,300 of 1,302 observations have gaps (y, x and 1 more): kept",)
    assert describe_gaps(data) == data.notes
    notes = ldag.read(table, weights="n", missing="keep").notes
    assert notes == ("2 of 4 rows have gaps (y, x and 1 more): kept",)
    assert ldag.read({"x": ["a", "b"]}, missing="keep").notes == ()


def test_auto_keeps_gaps_where_the_door_can_use_them() -> None:
    """Columns that are more than half empty are left out all the same."""
    table: dict[str, list[Any]] = {"x": ["a", None, "b", "b"], "y": ["u", "v", "u", "v"], "z": [None, None, None, "s"]}
    options = ReadOptions(missing="auto", unusable="drop", use_of_gaps="learned by EM")
    data = read_with(table, options)
    assert data.names == ("x", "y")
    assert data.has_gaps
    assert data.notes[:2] == (
        "z: left out, 3 of 4 cells are missing",
        "1 of 4 rows has gaps (x): kept, learned by EM",
    )
    asked = read_with(table, ReadOptions(missing="keep", use_of_gaps="learned by EM"))
    assert asked.notes[0] == "3 of 4 rows have gaps (z, x): kept, learned by EM"
    unasked = read_with(table, ReadOptions(missing="auto", unusable="drop", use_of_gaps=""))
    assert unasked.notes[1] == "1 of 4 rows has gaps (x): kept"


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames_are_read_again_with_their_gaps(backend: Any) -> None:
    """A data set handed out and read again is the same."""
    data = ldag.read(make_frame(), missing="keep")
    assert ldag.read(data.to_frame(backend), counts="count", missing="keep") == data
    whole = ldag.read({"b": [True, None, False], "i": [1, 2, None], "f": [None, 1.5, 2.5]}, missing="keep")
    assert ldag.read(whole.to_frame(backend), missing="keep") == whole


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_files_are_read_again_with_their_gaps(ending: str, tmp_path: Path) -> None:
    """Bins are written as intervals, and gaps as empty cells."""
    data = ldag.read(make_frame(), missing="keep")
    write_rows(state_columns(data.schema, data.codes), tmp_path / f"rows{ending}", data.variables)
    again = ldag.read(tmp_path / f"rows{ending}", missing="keep")
    assert again.codes.tolist() == data.codes.tolist()
    assert [variable.cuts for variable in again.variables] == [variable.cuts for variable in data.variables]


def test_parts_are_merged_with_their_gaps() -> None:
    """The parts of a table make the table, and a row of gaps only is a row."""
    frame = make_frame()[["sex", "n_visits"]]
    frame.loc[[3, 40]] = None
    parts = [ldag.read(part, missing="keep") for part in (frame[: N // 2], frame[N // 2 :])]
    whole = ldag.read(frame, missing="keep")
    assert parts[0].merge(parts[1]).aligned_to(whole.schema) == whole
    assert (whole.codes == GAP).all(axis=0).any()


def test_gaps_tell_data_apart() -> None:
    """A digest tells a gap from a state and from no row, whatever the order of rows; pickling keeps gaps."""
    x: list[str | None] = ["a", "b", None]
    kept = ldag.read({"x": x, "y": ["u", "v", "u"]}, missing="keep")
    others = [ldag.read({"x": [*x[:2], fill], "y": ["u", "v", "u"]}) for fill in ("a", "b")]
    others.append(kept.complete_rows())
    again = ldag.read({"x": x[::-1], "y": ["u", "v", "u"]}, missing="keep")
    assert fingerprint(again.sorted()) == fingerprint(kept.sorted())
    assert all(fingerprint(other.sorted()) != fingerprint(kept.sorted()) and other != kept for other in others)
    assert pickle.loads(pickle.dumps(kept)) == kept


def test_255_states_and_gaps(tmp_path: Path) -> None:
    """The last state has the last code below that of a gap, from memory and from files."""
    frame = pd.DataFrame({"x": [f"s{code:03}" for code in range(255)] * 2 + [None]})
    for source in (frame, as_csv(frame.assign(y="a"), tmp_path), as_parquet(frame, tmp_path)):
        data = ldag.read(source, missing="keep", max_states=255)
        assert data.codes[0].max() == GAP
        assert data.counts("x", observed=True)[0].tolist() == [2] * 255
    with pytest.raises(DataError, match="256 states"):
        ldag.read(pd.DataFrame({"x": [f"s{code:03}" for code in range(256)] * 2}), missing="keep", max_states=255)


def test_prediction_takes_a_gap_for_missing() -> None:
    """A gap of a data set is summed out, as an empty cell of a table is."""
    graph = ldag.LDAG.from_edges([("x", "y")], states={"x": ["a", "b"], "y": ["u", "v"]})
    net = ldag.Network.from_parameters(graph, {"x": [0.25, 0.75], "y": [[0.9, 0.1], [0.2, 0.8]]})
    data = ldag.read({"x": ["a", None], "y": ["u", "v"]}, missing="keep", states={"x": ["a", "b"]})
    assert net.predict_proba(data, "y") == pytest.approx(np.array([[0.9, 0.1], [0.375, 0.625]]))
    assert net.predict(data, "x").tolist() == ["a", "b"]
