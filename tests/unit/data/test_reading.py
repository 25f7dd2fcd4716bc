"""Data sets, and every way to read one."""

import gzip
import pickle
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from ldag.data import Backend, Dataset, read
from ldag.errors import ArgumentError, DataError, MissingDependency, TooLarge, UnknownState, UnknownVariable
from ldag.model import Schema, Variable

COLUMNS: dict[str, list[object]] = {
    "badge": ["no", "yes", "no", "no", "yes"],
    "level": [10, 9, 10, 10, 2],
    "inside": [True, False, True, True, False],
}


def rows(data: Dataset) -> list[tuple[object, ...]]:
    """Return the rows of a data set in plain Python, weights last."""
    frame = data.to_frame("polars")
    assert isinstance(frame, pl.DataFrame)
    return frame.rows()


def same_table_in_every_make(folder: Path) -> dict[str, object]:
    """Return one table in every form that can be read."""
    csv = folder / "t.csv"
    csv.write_text("badge,level,inside\nno,10,True\nyes,9,False\nno,10,True\nno,10,True\nyes,2,False\n")
    packed = folder / "t.csv.gz"
    packed.write_bytes(gzip.compress(csv.read_bytes()))
    tabs = folder / "t.tsv"
    tabs.write_text(csv.read_text().replace(",", "\t"))
    columnar = folder / "t.parquet"
    parquet.write_table(pa.table(COLUMNS), columnar)
    return {
        "mapping": COLUMNS,
        "mapping of arrays": {name: np.array(cells) for name, cells in COLUMNS.items()},
        "mapping of series": {name: pd.Series(cells) for name, cells in COLUMNS.items()},
        "pandas": pd.DataFrame(COLUMNS),
        "pandas objects": pd.DataFrame(COLUMNS, dtype=object),
        "pandas nullable": pd.DataFrame(COLUMNS).convert_dtypes(),
        "polars": pl.DataFrame(COLUMNS),
        "polars lazy": pl.LazyFrame(COLUMNS),
        "pyarrow": pa.table(COLUMNS),
        "pyarrow chunks": pa.concat_tables([pa.table(COLUMNS).slice(0, 2), pa.table(COLUMNS).slice(2)]),
        "parquet": columnar,
        "path": csv,
        "path as text": str(csv),
        "gzip": packed,
        "tabs": tabs,
    }


def test_every_source_gives_the_same_data(tmp_path: Path) -> None:
    """Files and tables of any make say the same."""
    expected = read(COLUMNS)
    assert expected.states("level") == (2, 9, 10)
    for name, source in same_table_in_every_make(tmp_path).items():
        declared = {"inside": [False, True]}
        assert read(source, states=declared) == expected, name  # type: ignore[arg-type]  # any of the sources


def test_an_array_takes_names() -> None:
    """An array of objects keeps each value's type."""
    array = np.array(list(zip(*COLUMNS.values(), strict=True)), dtype=object)
    assert read(array, names=list(COLUMNS)) == read(COLUMNS)
    assert read(np.array([[1, 0], [1, 2]]), names=["a", "b"]).states("b") == (0, 2)
    assert read(np.array([["u", "v"]]), names=["a", "b"]).states("b") == ("v",)


def test_a_dataset_is_returned_as_it_is() -> None:
    """Reading twice is reading once."""
    data = read(COLUMNS)
    assert read(data) is data


def test_equal_rows_are_merged_and_sorted() -> None:
    """What is stored does not depend on the order of the rows."""
    data = read(COLUMNS)
    assert (data.n_rows, len(data), data.total) == (3, 3, 5)
    assert rows(data) == [("no", 10, True, 3), ("yes", 2, False, 1), ("yes", 9, False, 1)]
    assert read({name: cells[::-1] for name, cells in COLUMNS.items()}) == data


def test_different_rows_need_no_weights() -> None:
    """Without repetitions there is no column of counts."""
    data = read({"x": ["b", "a"]})
    assert rows(data) == [("a",), ("b",)]
    assert data.weights is None


def test_codes_are_contiguous_bytes_that_nobody_can_change() -> None:
    """One row per variable, as the native loops want them."""
    data = read(COLUMNS)
    assert data.codes.dtype == np.uint8
    assert data.codes.shape == (3, 3)
    assert data.codes.flags.c_contiguous
    assert not data.codes.flags.writeable
    assert data.weights is not None
    assert not data.weights.flags.writeable


def test_a_table_of_counts() -> None:
    """Counts of equal rows are added; a row that never occurs still shows its states."""
    data = read({"x": ["a", "b", "a", "c"], "n": [2, 5, 1, 0]}, counts="n")
    assert data.states("x") == ("a", "b", "c")
    assert rows(data) == [("a", 3), ("b", 5)]
    assert data.total == 8
    assert data.counts("x").tolist() == [[3, 5, 0]]


def test_counts_beyond_doubles_are_exact() -> None:
    """Whole numbers are added as whole numbers."""
    data = read({"x": ["a", "a", "b"], "n": [2**53, 1, 1]}, counts="n")
    assert data.counts("x").tolist() == [[2**53 + 1, 1]]


def test_counts_written_as_reals_are_counts() -> None:
    """A whole number may be stored as a float."""
    data = read({"x": ["a", "b"], "n": [2.0, 1.0]}, counts="n")
    assert data.weights is not None
    assert data.weights.dtype == np.int64


def test_real_weights() -> None:
    """Weights are real numbers, and zero weights drop the row."""
    data = read({"x": ["a", "b", "a", "c"], "w": [0.5, 2, 0.25, 0]}, weights="w")
    assert data.total == 2.75
    assert data.counts("x").tolist() == [[0.75, 2.0, 0.0]]
    assert rows(data) == [("a", 0.75), ("b", 2.0)]


def test_counts_by_names() -> None:
    """Parents may be one name or several, in any order."""
    data = read(COLUMNS)
    assert data.counts("badge", "inside").tolist() == [[0, 2], [3, 0]]
    assert data.counts("inside", ["badge", "level"]).tolist() == [[0, 0], [0, 0], [0, 3], [1, 0], [1, 0], [0, 0]]
    with pytest.raises(UnknownVariable, match=r"no variable 'bagde'; did you mean 'badge'\?"):
        data.counts("bagde")
    with pytest.raises(ArgumentError, match="'badge' cannot be its own parent"):
        data.counts("badge", ["badge"])


def test_data_that_have_been_counted_can_be_sent_to_another_process() -> None:
    """What counting keeps ready is left behind and made again."""
    data = read(COLUMNS)
    before = data.counts("badge", "inside").tolist()
    sent = pickle.loads(pickle.dumps(data))
    assert sent == data
    assert sent.counts("badge", "inside").tolist() == before
    assert data.columns is data.columns


def test_a_family_that_cannot_fit_is_refused() -> None:
    """Forty parents of two states are too many."""
    data = read({f"x{i}": [0, 1] for i in range(41)})
    with pytest.raises(TooLarge, match="40 parents"):
        data.counts("x0", data.names[1:])


def test_select_merges_again() -> None:
    """Fewer variables, fewer different rows, the same total."""
    data = read(COLUMNS).select(["inside", "badge"])
    assert data.names == ("inside", "badge")
    assert rows(data) == [(False, "yes", 2), (True, "no", 3)]
    with pytest.raises(ArgumentError, match="at least one"):
        data.select([])


def test_permuted_keeps_the_rows_and_sorted_orders_them() -> None:
    """Another order of the variables leaves the rows where they were; sorted, they are those of a selection."""
    data = read(COLUMNS)
    names = data.names[::-1]
    permuted = data.permuted(names)
    assert permuted.names == names
    assert permuted.codes.tolist() == data.codes[::-1].tolist()
    assert permuted.sorted().codes.tolist() == data.select(names).codes.tolist()
    assert data.select(data.names) is data


def test_declared_states_have_their_order() -> None:
    """States that never occur count too."""
    data = read({"x": ["no", "yes"], "y": [1, 2]}, states={"x": ["yes", "no", "perhaps"]})
    assert data.states("x") == ("yes", "no", "perhaps")
    assert data.counts("x").tolist() == [[1, 1, 0]]


def test_declared_states_of_numpy_are_plain() -> None:
    """A numpy number in the declaration is a number."""
    data = read({"x": [1, 2]}, states={"x": np.array([3, 2, 1])})
    assert data.states("x") == (3, 2, 1)
    assert all(type(state) is int for state in data.states("x"))


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(pd.Categorical(["m", "s", None], categories=["s", "m", "l"], ordered=True)),
        pl.Series(["m", "s", None], dtype=pl.Enum(["s", "m", "l"])),
        pa.chunked_array(
            [pa.DictionaryArray.from_arrays(pa.array([1, 0, None]), pa.array(["s", "m", "l"]), ordered=True)]
        ),
    ],
    ids=["pandas", "polars", "pyarrow"],
)
def test_categories_are_declared_states(column: object) -> None:
    """Order and unused categories come from the type of the column."""
    data = read({"size": column, "x": [1, 1, 1]}, missing="drop")  # type: ignore[dict-item]  # any series
    assert data.states("size") == ("s", "m", "l")
    assert data.counts("size").tolist() == [[1, 1, 0]]


def test_dictionaries_of_chunks_are_unified() -> None:
    """Chunks may number their values differently."""
    chunks = [
        pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", "b"])),
        pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["c", "a"])),
    ]
    data = read(pa.table({"x": pa.chunked_array(chunks)}))
    assert data.states("x") == ("a", "b", "c")
    assert data.counts("x").tolist() == [[2, 1, 1]]


def test_a_polars_categorical_has_no_order() -> None:
    """Its states are sorted, whatever came first."""
    assert read(pl.DataFrame({"x": ["b", "a"]}, schema={"x": pl.Categorical})).states("x") == ("a", "b")


def test_declared_states_win_over_categories() -> None:
    """Unused categories need not be declared."""
    column = pd.Categorical(["b", "a"], categories=["a", "b", "unused"])
    assert read(pd.DataFrame({"x": column}), states={"x": ["b", "a"]}).states("x") == ("b", "a")


def test_truth_and_one_are_two_states() -> None:
    """Mixed columns keep every value as it was: booleans, then numbers, then texts."""
    data = read({"x": ["1", 1, True, 0, False, 0.5, "b"]})
    assert repr(data.states("x")) == repr((False, True, 0, 0.5, 1, "1", "b"))
    assert data.counts("x").tolist() == [[1] * 7]
    assert [repr(row[0]) for row in rows(data)] == ["False", "True", "0", "0.5", "1", "'1'", "'b'"]


def test_states_are_found_by_numpy_values_and_by_spelling() -> None:
    """A cell of an array is a state like any other; 1.0 may be written 1, unless that is another state."""
    flag = Variable("flag", (False, True))
    assert [flag.code(state) for state in np.array([True, False])] == [1, 0]
    size = Variable("size", (1.0, 2.5, -4.0, 1e16))
    assert [size.code(state) for state in ("1", "2.5", "-4", "1.0", "1e+16", np.float64(1))] == [0, 1, 2, 0, 3, 0]
    assert Variable("both", (1.0, "1")).code("1") == 1
    with pytest.raises(UnknownState, match="has no state '2'"):
        size.code("2")


def test_one_number_of_two_types_is_one_state() -> None:
    """1 and 1.0 are the same number, and the whole one is kept in whatever order they come."""
    assert repr(read({"x": [1.0, 1, "a"]}).states("x")) == repr(read({"x": ["a", 1, 1.0]}).states("x")) == "(1, 'a')"


def test_numpy_values_become_plain_ones() -> None:
    """States are Python's own numbers, booleans and strings."""
    data = read({"a": [np.int64(1), np.int8(2)], "b": [np.bool_(True), np.bool_(False)], "c": [np.str_("u"), "v"]})
    assert [type(data.states(name)[0]) for name in "abc"] == [int, bool, str]


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_rows_come_back_in_any_library(backend: Backend) -> None:
    """A frame read again gives the same data."""
    data = read({**COLUMNS, "real": [0.5, 1.5, 0.5, 0.5, 1.5]})
    assert read(data.to_frame(backend), counts="count") == data


def test_the_column_of_weights_keeps_its_name_unless_taken() -> None:
    """A clash is avoided."""
    assert read({"x": ["a"], "n": [3]}, counts="n").to_frame().columns.tolist() == ["x", "n"]
    assert read({"count": ["a", "a"]}).to_frame().columns.tolist() == ["count", "count_"]


def test_frames_that_cannot_be_made() -> None:
    """Unknown libraries are refused, and so are mixed types in pyarrow."""
    with pytest.raises(ArgumentError, match="backend must be one of pandas, polars, pyarrow, got 'excel'"):
        read(COLUMNS).to_frame("excel")  # type: ignore[arg-type]  # the mistake under test
    with pytest.raises(DataError, match="column 'x' has states of several types"):
        read({"x": [1, "a"]}).to_frame("pyarrow")


def test_packages_that_are_not_there_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error gives the line to install them."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingDependency, match="pyarrow"):
        read(COLUMNS).to_frame("pyarrow")


def test_missing_cells_can_be_dropped() -> None:
    """The whole row goes."""
    data = read({"x": ["a", None, "b"], "y": ["u", "w", "v"]}, missing="drop")
    assert rows(data) == [("a", "u"), ("b", "v")]


def test_dropping_rows_and_zero_counts_go_together() -> None:
    """What is left must have been observed."""
    table: dict[str, list[object]] = {"x": ["a", None, "b"], "n": [0, 4, 2]}
    assert rows(read(table, counts="n", missing="drop")) == [("b", 2)]
    with pytest.raises(DataError, match="no rows are left"):
        read({"x": ["a", None], "n": [0, 4]}, counts="n", missing="drop")


def test_missing_cells_can_be_a_state() -> None:
    """It comes last, and only where cells are missing."""
    data = read({"x": [1.0, float("nan"), 0.0], "y": ["u", "w", "v"]}, missing="state")
    assert data.states("x") == (0.0, 1.0, "missing")
    assert data.states("y") == ("u", "v", "w")


@pytest.mark.parametrize("gap", [None, float("nan"), np.nan, pd.NA, pd.NaT])
def test_every_kind_of_gap_is_missing(gap: object) -> None:
    """None, NaN, NA and NaT alike."""
    assert read({"x": ["a", gap]}, missing="state").states("x") == ("a", "missing")
    assert read(pd.DataFrame({"x": ["a", gap]}, dtype=object), missing="state").states("x") == ("a", "missing")


def test_gaps_in_polars_are_missing() -> None:
    """Polars tells null from NaN; both are missing here."""
    frame = pl.DataFrame({"x": [1.0, None, float("nan")], "y": [1, None, 2]})
    data = read(frame, missing="state")
    assert data.states("x") == (1.0, "missing")
    assert data.states("y") == (1, 2, "missing")
    assert data.counts("x").tolist() == [[1, 2]]


def write(folder: Path, text: str) -> Path:
    """Write a CSV file."""
    path = folder / "t.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_text_columns_are_typed_by_all_their_cells(tmp_path: Path) -> None:
    """Whole numbers, numbers, or text; leading zeros and longer than any number make text."""
    long = "9" * 301
    path = write(tmp_path, f"a,b,c,d,e,f\n10,0.5,007,x,-1,{long}\n9,2,1,1,+1,1\n")
    data = read(path)
    states = [data.states(name) for name in data.names]
    assert states == [(9, 10), (0.5, 2.0), ("1", "007"), ("1", "x"), (-1, 1), ("1", long)]
    assert [type(data.states(name)[0]) for name in data.names] == [int, float, str, str, int, str]


def test_text_with_a_mark_blank_lines_quotes_and_any_line_ends(tmp_path: Path) -> None:
    """A byte order mark is no part of the first name; a quoted cell may hold separators and line ends."""
    path = write(tmp_path, '\ufeffa,b\r\n\r\n"x, ""y""",1\r\n"two\nlines",2\r\n\r\n')
    data = read(path)
    assert data.names == ("a", "b")
    assert data.states("a") == ("two\nlines", 'x, "y"')


def test_gaps_in_text(tmp_path: Path) -> None:
    """Empty, NA, NaN and nan are missing, unless declared as states."""
    path = write(tmp_path, "a,b\n,1\nNA,2\nNaN,3\nnan,4\nx,NA\n")
    data = read(path, missing="state")
    assert data.states("a") == ("x", "missing")
    assert data.states("b") == (1, 2, 3, 4, "missing")
    assert read(path, missing="state", states={"a": ["x", "NA"]}).states("a") == ("x", "NA", "missing")


def test_declared_states_of_text(tmp_path: Path) -> None:
    """Cells are compared as spelled, then as numbers."""
    path = write(tmp_path, "a,b,c\n1,1.50,True\n1.0,2,False\n")
    data = read(path, states={"a": [1, 2], "b": ["1.50", "2"], "c": [True, False]})
    assert data.counts("a").tolist() == [[2, 0]]
    assert data.states("b") == ("1.50", "2")
    assert data.counts("c").tolist() == [[1, 1]]
    assert read(path, states={"a": ["1", "1.0"]}).counts("a").tolist() == [[1, 1]]


def test_blank_lines_and_any_line_ends_are_read(tmp_path: Path) -> None:
    """Windows, old Macintosh, both mixed in one file, blank lines before, between and after."""
    expected = read({"a": ["x", "y"], "b": [1, 2]})
    for text in ("a,b\r\nx,1\r\n\r\ny,2\r\n", "a,b\rx,1\ry,2", "\n\na,b\nx,1\r\ny,2\n", "\ufeffa,b\nx,1\ny,2\n\n"):
        (tmp_path / "t.csv").write_bytes(text.encode())
        assert read(tmp_path / "t.csv") == expected, repr(text)


def test_a_long_text_file_is_read_in_batches(tmp_path: Path) -> None:
    """Nothing is lost where batches meet."""
    path = write(tmp_path, "a\n" + "x\ny\ny\n" * 2000)
    assert read(path).counts("a").tolist() == [[2000, 4000]]


def test_many_columns_are_merged_by_rank() -> None:
    """Eighty variables of three states are more than 63 bits."""
    rng = np.random.default_rng(1)
    distinct = rng.integers(0, 3, (20, 80))
    array = np.concatenate([distinct[rng.integers(0, 20, 500)], distinct])
    names = [f"x{i}" for i in range(80)]
    data = read(array, names=names, states=dict.fromkeys(names, range(3)))
    assert (data.n_rows, data.total) == (20, 520)
    assert data.codes.T.tolist() == sorted(distinct.tolist())


def test_up_to_255_states() -> None:
    """Codes are bytes, and the last byte marks a gap."""
    data = read({"x": list(range(255))}, max_states=255, bins=None)
    assert data.counts("x").tolist() == [[1] * 255]
    assert read({"x": [70]}, states={"x": range(100)}).schema.n_states == (100,)


def test_from_codes_merges() -> None:
    """Data made by the library itself gets the same form."""
    schema = Schema((Variable("x", ("a", "b")), Variable("y", (0, 1, 2))))
    codes = np.array([[1, 0, 1], [2, 0, 2]], dtype=np.uint8)
    data = Dataset.from_codes(schema, codes)
    assert rows(data) == [("a", 0, 1), ("b", 2, 2)]
    assert Dataset.from_codes(schema, codes, np.array([0.5, 1, 1])).total == 2.5
    assert rows(Dataset.from_codes(schema, codes, np.array([0, 7, 0]))) == [("a", 0, 7)]
    empty = Dataset.from_codes(schema, codes[:, :0])
    assert (empty.n_rows, empty.total) == (0, 0)
    assert empty.counts("y", "x").tolist() == [[0, 0, 0]] * 2


def test_equality_and_hash() -> None:
    """Data sets are values."""
    data = read(COLUMNS)
    assert data == read(COLUMNS)
    assert hash(data) == hash(read(COLUMNS))
    assert data != read({name: cells[:4] for name, cells in COLUMNS.items()})
    assert data != "data"
    assert read({"x": [1, 2]}) != read({"x": [1, 2, 2]})


def test_repr_tells_size_and_variables() -> None:
    """One line."""
    assert repr(read(COLUMNS)) == "<Dataset: total 5 in 3 different rows; badge (2), level (3), inside (2)>"
    assert "and 2 more" in repr(read({f"x{i}": [0] for i in range(10)}))
