"""Groups: rows that belong together, from whatever table they come and through whatever is done with them."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ldag
from ldag.errors import ArgumentError, DataError, LdagError
from tests.unit.data.test_workbooks import write_workbook

VISITS: dict[str, list[Any]] = {
    "patient": ["b", "a", "a", "b", "a", "c"],
    "pain": ["no", "yes", "yes", "no", "no", "yes"],
    "drug": [0, 1, 1, 0, 2, 2],
}
MANY = 1500


def many(ids: str = "numbers") -> pd.DataFrame:
    """A table of more groups than states can be, some of them of several rows."""
    rng = np.random.default_rng(3)
    numbers = rng.integers(100_000, 100_000 + MANY, 2 * MANY)
    names: dict[str, list[object]] = {
        "numbers": numbers.tolist(),
        "texts": [f"P{number}" for number in numbers],
        "mixed": [f"P{number}" if number % 7 == 0 else str(number) for number in numbers],
    }
    return pd.DataFrame(
        {"patient": names[ids], "x": rng.choice(["u", "v"], 2 * MANY), "y": rng.integers(0, 3, 2 * MANY)}
    )


def test_the_column_of_groups_is_no_variable() -> None:
    """Equal rows are merged within a group, and rows stand by group."""
    data = ldag.read(VISITS, groups="patient")
    assert data.groups is not None
    assert (data.names, data.groups.name, data.groups.labels) == (("pain", "drug"), "patient", ("a", "b", "c"))
    assert data.groups.codes.tolist() == [0, 0, 1, 2]
    assert data.codes.T.tolist() == [[0, 2], [1, 1], [0, 0], [1, 2]]
    assert data.weights is not None
    assert data.weights.tolist() == [1, 2, 2, 1]
    assert repr(data) == "<Dataset: 6 rows of 3 patients; pain (2), drug (3)>"
    assert data.notes[0] == "patient: 6 rows of 3 patients, 1 to 3 each, median 2"


@pytest.mark.parametrize("ids", ["numbers", "texts", "mixed"])
@pytest.mark.parametrize("kind", ["csv", "parquet", "polars", "lazy", "arrow", "mapping"])
def test_every_door_reads_the_same_groups(tmp_path: Path, kind: str, ids: str) -> None:
    """However many they are, and whatever they are called."""
    frame = many(ids)
    sources: dict[str, Any] = {
        "csv": tmp_path / "visits.csv",
        "parquet": tmp_path / "visits.parquet",
        "polars": pl.from_pandas(frame),
        "lazy": pl.from_pandas(frame).lazy(),
        "arrow": pa.Table.from_pandas(frame),
        "mapping": frame.to_dict("list"),
    }
    frame.to_csv(tmp_path / "visits.csv", index=False)
    frame.to_parquet(tmp_path / "visits.parquet")
    expected = ldag.read(frame, groups="patient")
    data = ldag.read(sources[kind], groups="patient")
    assert data == expected
    assert data.groups is not None
    by_hand = frame.drop_duplicates().sort_values(["patient", "x", "y"])
    if ids == "numbers":
        assert [data.groups.labels[code] for code in data.groups.codes] == by_hand["patient"].tolist()
    else:
        assert sorted(map(str, data.groups.labels)) == sorted(set(map(str, frame["patient"])))


def test_a_workbook_has_groups(tmp_path: Path) -> None:
    """Its cells are numbers or texts."""
    rows: list[list[object]] = [list(VISITS), *map(list, zip(*VISITS.values(), strict=True))]
    write_workbook(tmp_path / "t.xlsx", {"Data": rows})
    assert ldag.read(tmp_path / "t.xlsx", groups="patient") == ldag.read(VISITS, groups="patient")


def test_files_of_counts_have_groups(tmp_path: Path) -> None:
    """What was written is read again, with a column that says how often a row occurs."""
    data = ldag.read(VISITS, groups="patient")
    frame: Any = data.to_frame()
    assert list(frame.columns) == ["patient", "pain", "drug", "count"]
    frame.to_csv(tmp_path / "counted.csv", index=False)
    assert ldag.read(tmp_path / "counted.csv", groups="patient", counts="count") == data


def test_counts_are_those_without_groups() -> None:
    """Whatever counts rows sees them merged, as if nobody had named groups."""
    frame = many()
    grouped, plain = ldag.read(frame, groups="patient"), ldag.read(frame[["x", "y"]])
    assert grouped.n_rows == len(frame.drop_duplicates())
    assert grouped.counts("x", ["y"]).tolist() == plain.counts("x", ["y"]).tolist()
    assert grouped.ungrouped() == plain
    assert grouped.total == plain.total == len(frame)


def test_parts_are_merged_by_label() -> None:
    """A group whose rows are in both parts is one group."""
    frame = many()
    parts = [ldag.read(frame[:MANY], groups="patient"), ldag.read(frame[MANY:], groups="patient")]
    assert parts[0].merge(parts[1]) == ldag.read(frame, groups="patient")
    with pytest.raises(DataError, match="the parts have different groups, 'patient' and None; read both with groups="):
        parts[0].merge(ldag.read(frame[["x", "y"]]))


def test_groups_go_with_their_rows() -> None:
    """Through choosing columns, other orders, weights, gaps and copies."""
    data = ldag.read(VISITS, groups="patient")
    alone = data.select("pain")
    assert alone.groups is not None
    assert alone.groups.codes.tolist() == [0, 0, 1, 2]
    assert alone == ldag.read({name: VISITS[name] for name in ("patient", "pain")}, groups="patient")
    turned = data.permuted(["drug", "pain"])
    assert turned.groups == data.groups
    assert turned.sorted() == data.select(["drug", "pain"])
    assert pickle.loads(pickle.dumps(data)) == data
    less = data.reweighed(np.array([0, 0, 3, 1]))
    assert less.groups is not None
    assert (less.groups.labels, less.groups.codes.tolist(), less.total) == (("b", "c"), [0, 1], 4)
    assert data != data.ungrouped()


def test_gaps_are_kept_or_their_rows_left_out() -> None:
    """A group all of whose rows are left out is gone."""
    visits: dict[str, list[Any]] = {**VISITS, "pain": ["no", "yes", None, "no", "no", None]}
    kept = ldag.read(visits, groups="patient", missing="keep")
    dropped = ldag.read(visits, groups="patient", missing="drop")
    assert kept.groups is not None
    assert len(kept.groups) == 3
    assert dropped.groups is not None
    assert (dropped.groups.labels, dropped.groups.codes.tolist()) == (("a", "b"), [0, 0, 1])
    assert kept.complete_rows() == dropped
    assert "2 of 6 observations left out, which have gaps" in kept.complete_rows().notes


def test_labels_are_sorted_as_states_are() -> None:
    """Numbers by size, texts of digits too; a file of numbers gives numbers."""
    groups = ldag.read({"g": ["10", "9", "x"], "v": [0, 1, 0]}, groups="g").groups
    assert groups is not None
    assert groups.labels == ("9", "10", "x")


@pytest.mark.parametrize(
    ("column", "shown"),
    [
        ("patient_id", "2 patients"),
        ("COUNTRY", "2 countries"),
        ("class", "2 classes"),
        ("id", "2 groups"),
        ("ward 7", "2 groups"),
    ],
)
def test_groups_are_called_by_their_column(column: str, shown: str) -> None:
    """Where it is a word."""
    groups = ldag.read({column: [1, 2, 2], "v": [0, 1, 0]}, groups=column).groups
    assert groups is not None
    assert groups.in_words == shown


def test_groups_of_one_row_are_told() -> None:
    """They change nothing."""
    data = ldag.read({"patient": [1, 2, 3], "v": [0, 1, 0]}, groups="patient")
    assert data.notes[0] == "patient: every patient has one row; patients change nothing"


BAD: list[tuple[dict[str, Any], type[LdagError], str]] = [
    ({"groups": "patients"}, ArgumentError, "groups='patients': the table has no such column; did you mean 'patient'"),
    ({"groups": "patient", "columns": ["patient", "pain"]}, ArgumentError, "columns names it too; such a column is no"),
    ({"groups": "patient", "counts": "patient"}, ArgumentError, "counts names it too; it cannot be both"),
    ({"groups": "patient", "states": {"patient": ["a"]}}, ArgumentError, "states names it too"),
    ({"groups": "patient", "bins": {"patient": 3}}, ArgumentError, "bins names it too"),
    ({"groups": "patient", "keep": ["patient"]}, ArgumentError, "keep names it too"),
    ({"groups": 3}, ArgumentError, "groups= must be the name of a column, got 3"),
]


@pytest.mark.parametrize(("options", "kind", "message"), BAD)
def test_what_cannot_be_groups_is_refused(options: dict[str, Any], kind: type[LdagError], message: str) -> None:
    """With what to do."""
    with pytest.raises(kind, match=message):
        ldag.read(VISITS, **options)


@pytest.mark.parametrize("kind", ["csv", "mapping", "lazy"])
def test_a_row_without_a_group_is_refused(tmp_path: Path, kind: str) -> None:
    """Nobody knows what it belongs to."""
    visits: dict[str, list[Any]] = {**VISITS, "patient": ["b", "a", None, "b", "a", "c"]}
    pd.DataFrame(visits).to_csv(tmp_path / "visits.csv", index=False)
    sources: dict[str, Any] = {"csv": tmp_path / "visits.csv", "mapping": visits, "lazy": pl.DataFrame(visits).lazy()}
    with pytest.raises(DataError, match=r"a row without a group \(1 missing cell in all\)"):
        ldag.read(sources[kind], groups="patient")


def test_one_group_is_none() -> None:
    """It says nothing about which rows belong together."""
    with pytest.raises(DataError, match="column 'g' has one group only, 7; without groups, all rows are alike"):
        ldag.read({"g": [7, 7], "v": [0, 1]}, groups="g")


def test_numbers_that_are_not_told_apart_are_refused() -> None:
    """Beyond 2^53, real numbers are not those that were written."""
    with pytest.raises(DataError, match="write them as texts"):
        ldag.read({"g": [1e17, 1e17 + 16], "v": [0, 1]}, groups="g")
    large = ldag.read({"g": [10**17, 10**17 + 1], "v": [0, 1]}, groups="g")
    assert large.groups is not None
    assert len(large.groups) == 2


@pytest.mark.parametrize("kind", ["duckdb", "shards", "parquet shards", "dask"])
def test_tables_in_parts_have_groups(tmp_path: Path, kind: str) -> None:
    """A group may be in several of them."""
    frame = many()
    expected = ldag.read(frame, groups="patient")
    if kind == "duckdb":
        source: Any = pytest.importorskip("duckdb").from_df(frame)
    elif kind == "dask":
        source = pytest.importorskip("dask.dataframe").from_pandas(frame, npartitions=3)
    else:
        for place in range(3):
            part, name = frame[place::3], tmp_path / f"part-{place}"
            part.to_parquet(f"{name}.parquet") if kind != "shards" else part.to_csv(f"{name}.csv", index=False)
        source = str(tmp_path / f"part-*.{'csv' if kind == 'shards' else 'parquet'}")
    assert ldag.read(source, groups="patient") == expected


def test_real_weights_are_added_within_a_group() -> None:
    """In whatever order rows come."""
    table = {**VISITS, "w": [0.5, 1.25, 2.0, 3.0, 0.25, 1.0]}
    data = ldag.read(table, groups="patient", weights="w")
    turned = ldag.read({name: cells[::-1] for name, cells in table.items()}, groups="patient", weights="w")
    assert data.weights is not None
    assert data.weights.tolist() == [0.25, 3.25, 3.5, 1.0]
    assert data == turned
    plain = {name: cells for name, cells in table.items() if name != "patient"}
    assert data.ungrouped() == ldag.read(plain, weights="w")


def test_what_is_constant_within_groups() -> None:
    """Gaps aside; told unless it is constant in all rows."""
    table: dict[str, list[Any]] = {
        **VISITS,
        "sex": ["f", None, "m", "f", "m", None],
        "born": ["x", "y", "y", "x", "y", "z"],
        "all": [1] * 6,
    }
    data = ldag.read(table, groups="patient", missing="keep")
    assert data.constant_in_groups == ("sex", "born", "all")
    assert "sex, born: are the same in all rows of a patient" in data.notes
    assert data.ungrouped().constant_in_groups == ()
    alone = ldag.read({"patient": [1, 2, 3], "v": [0, 1, 0]}, groups="patient")
    assert alone.constant_in_groups == ()


def test_emptied_and_filled_tables_keep_their_groups() -> None:
    """Cells that are taken out, and cells that are filled, are of the same rows."""
    data = ldag.read(many(), groups="patient")
    emptied = ldag.simulate.gaps(data, share=0.1, rng=1)
    assert emptied.groups is not None
    assert data.groups is not None
    assert emptied.groups.amounts(emptied.weights).tolist() == data.groups.amounts(data.weights).tolist()
    net = ldag.Network.from_data(
        ldag.LDAG.from_edges([("x", "y")], states={v.name: v.states for v in data.variables}), data
    )
    for filled in (net.impute(emptied), net.impute(emptied, 1, rng=1)[0]):
        assert filled.groups is not None
        assert filled.groups.amounts(filled.weights).tolist() == data.groups.amounts(data.weights).tolist()
    assert net.log_likelihood(data) == pytest.approx(net.log_likelihood(data.ungrouped()))
    assert ldag.score(net.ldag, data, kappa=0.1) == ldag.score(net.ldag, data.ungrouped(), kappa=0.1)
