"""Wrong tables and wrong options, and what each is told."""

import datetime
import decimal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from ldag.data import read
from ldag.errors import LdagError

X = {"x": ["a", "b"]}
N = {"x": ["a", "b"], "n": [1, 2]}

TABLES: dict[str, tuple[object, dict[str, object], str]] = {
    # cells
    "missing": ({"x": ["a", None, None]}, {}, r"'x' has 2 missing cells, the first in row 2; choose missing='keep'"),
    "missing twice": ({"x": ["a", None], "y": [None, "a"]}, {}, "and 1 other column too"),
    "missing NaN": (pd.DataFrame({"x": [1.0, float("nan")]}), {}, "'x' has 1 missing cell, the first in row 2"),
    "missing null": (pl.DataFrame({"x": [1, None]}), {}, "'x' has 1 missing cell"),
    "missing in arrow": (pa.table({"x": [True, None]}), {}, "'x' has 1 missing cell"),
    "only missing": ({"x": [None, None]}, {"missing": "state"}, "'x' has no values, only missing cells"),
    "only gaps": (
        {"x": [None, None], "y": ["a", "b"]},
        {"missing": "keep"},
        r"leave it out, or keep its gaps and declare its states, states=\{'x': \[...\]\}",
    ),
    "all dropped": ({"x": ["a", None], "y": [None, "a"]}, {"missing": "drop"}, "no rows are left"),
    "missing is a state": ({"x": ["missing", None]}, {"missing": "state"}, "also a state 'missing'; rename"),
    "an identifier": (
        {"x": list(range(100))},
        {"unusable": "error"},
        "'x' looks like numbers of rows: 100 values in 100 rows",
    ),
    "an identifier in text": (
        {"x": [f"p{i:03}" for i in range(100)]},
        {"unusable": "error"},
        "'x' looks like an identifier: 100 values in 100 rows; leave it out, or group its values",
    ),
    "an identifier that was asked for": (
        {"x": list(range(100)), "y": [1, 2] * 50},
        {"columns": ["x", "y"]},
        r"'x' looks like numbers of rows: 100 values in 100 rows; leave it out, or keep it with keep=\['x'\]",
    ),
    "nothing but identifiers": (
        {"x": list(range(100))},
        {},
        "no column can be a variable: x: left out, looks like numbers of rows: 100 values in 100 rows; keep=",
    ),
    "many states": (
        {"x": [f"p{i % 100:03}" for i in range(300)]},
        {},
        r"'x' has 100 states \('p000', 'p001', 'p002', ...\), more than 64: is it an identifier.*max_states=",
    ),
    "texts that hardly repeat": (
        {"x": [f"p{i % 28:03}" for i in range(30)]},
        {"unusable": "error"},
        r"'x' looks like an identifier: 28 values in 30 rows; leave it out, or keep it with keep=\['x'\]",
    ),
    "short row numbers": (
        {"id": list(range(10))},
        {"unusable": "error"},
        "'id' looks like an identifier: 10 values in 10 rows",
    ),
    "a measurement that may not be cut": (
        pd.DataFrame({"x": np.linspace(0, 1, 300)}),
        {"max_states": 255, "bins": None},
        "'x' has 300 states .* more than 255: is it an identifier",
    ),
    "too many categories": (
        pd.DataFrame({"x": pd.Categorical(["1"], categories=[str(i) for i in range(65)])}),
        {},
        "'x' has 65 states",
    ),
    "no room for missing": (
        {"x": [*range(255), None]},
        {"missing": "state", "max_states": 255, "bins": None},
        "'x' has 256 states",
    ),
    "a list": ({"x": [[1], [2]]}, {}, r"'x' holds \[1\] \(list\); a state is a string, a finite number or a boolean"),
    "a list in polars": (pl.DataFrame({"x": [[1], [2]]}), {}, r"'x' holds \[1\] \(list\)"),
    "a long list": ({"x": [list(range(1000))]}, {}, r"'x' holds \[0, 1, .*\.\.\. \(list\)"),
    "a dictionary": (pa.table({"x": [{"a": 1}]}), {}, r"'x' holds \{'a': 1\} \(dict\)"),
    "a duration": ({"x": [datetime.timedelta(1)]}, {}, r"'x' holds .*\(timedelta\).*convert the column"),
    "a complex number": ({"x": [1j]}, {}, r"'x' holds 1j \(complex\)"),
    "an infinite decimal": ({"x": [decimal.Decimal("inf")]}, {}, r"'x' holds Decimal\('Infinity'\)"),
    "bytes": ({"x": [b"a"]}, {}, r"'x' holds b'a' \(bytes\)"),
    "infinity": ({"x": [1.0, float("inf")]}, {}, r"'x' holds inf \(float\); a state is .* a finite number"),
    "a huge number": ({"x": [10**400]}, {}, r"'x' holds 1000.*\(int\)"),
    # names
    "two names": (pd.DataFrame([[1, 2]], columns=["x", "x"]), {}, "two columns called 'x'"),
    "two names in arrow": (pa.table([[1], [2]], names=["x", "x"]), {}, "two columns called 'x'"),
    "two names given": (np.zeros((1, 2), int), {"names": ["x", "x"]}, "two columns called 'x'"),
    "no name": ({"x": [1], " ": [1]}, {}, "column 2 has no name"),
    "number as name": (pd.DataFrame([[1, 2]]), {}, r"must be strings, got 0 \(int\); .*rename\(columns=str\)"),
    "number as key": ({1: ["a"]}, {}, r"must be strings, got 1 \(int\)"),
    # shapes
    "no rows": ({"x": []}, {}, "the table has no rows"),
    "no rows in pandas": (pd.DataFrame({"x": []}), {}, "the table has no rows"),
    "no columns": ({}, {}, "the table has no columns"),
    "no columns in polars": (pl.DataFrame(), {}, "the table has no columns"),
    "lengths": ({"x": [1, 2], "y": [1]}, {}, "'x' has 2 rows, 'y' has 1"),
    "text as column": ({"x": "abc"}, {}, "'x' of a mapping must be a list, array or series, got 'abc'"),
    "number as column": ({"x": 5}, {}, "'x' of a mapping must be a list, array or series, got 5"),
    "deep column": ({"x": np.zeros((2, 2))}, {}, r"'x' must have one dimension, got an array of shape \(2, 2\)"),
    "flat array": (np.zeros(3), {"names": ["x"]}, "two dimensions, rows and columns; this one has 1"),
    "array without names": (np.zeros((3, 2)), {}, r"give 2 of them as names=\[...\]"),
    "names do not fit": (np.zeros((3, 2)), {"names": ["x"]}, r"the array has 2 columns, but names= is \['x'\]"),
    "names for a mapping": (X, {"names": ["y"]}, "names= is for numpy arrays and text files without a header"),
    "number as source": (5, {}, "cannot read a int; expected a path"),
    "list as source": ([[1, 2]], {}, "cannot read a list; expected a path"),
    # counts and weights
    "both": (N, {"counts": "n", "weights": "n"}, "either counts= or weights=, not both"),
    "unknown counts": (N, {"counts": "m"}, "counts='m': the table has no such column; expected one of 'x', 'n'"),
    "near miss": ({"x": [1], "count": [1]}, {"counts": "counts"}, r"no such column; did you mean 'count'\?"),
    "unknown weights": (N, {"weights": "m"}, "weights='m': the table has no such column"),
    "counts alone": ({"n": [1]}, {"counts": "n"}, "no columns besides the counts 'n'"),
    "negative": ({**X, "n": [1, -2]}, {"counts": "n"}, "'n', row 2: counts must be finite and not negative, got -2"),
    "infinite": ({**X, "w": [1, float("inf")]}, {"weights": "w"}, "row 2: weights must be finite .* got inf"),
    "half": ({**X, "n": [1, 2.5]}, {"counts": "n"}, "row 2: counts must be whole numbers, got 2.5; .*weights='n'"),
    "text as count": ({**X, "n": ["1", "2"]}, {"counts": "n"}, "row 1: counts must be numbers, got '1'"),
    "truth as count": ({**X, "n": [True, True]}, {"counts": "n"}, "row 1: counts must be numbers, got True"),
    "missing count": ({**X, "n": [1, None]}, {"counts": "n"}, "row 2: counts must be numbers, got a missing cell"),
    "missing weight": (
        pd.DataFrame({**X, "w": [float("nan"), 1.0]}),
        {"weights": "w", "missing": "drop"},
        "row 1: weights must be numbers, got a missing cell",
    ),
    "nothing observed": ({**X, "n": [0, 0]}, {"counts": "n"}, "'n': all counts are zero"),
    "no weight": ({**X, "w": [0.0, 0.0]}, {"weights": "w"}, "'w': all weights are zero"),
    "too many": ({**X, "n": [2**62, 2**62]}, {"counts": "n"}, "'n': the counts add up to .* too large"),
    "too heavy": ({**X, "w": [1e308, 1.5e308]}, {"weights": "w"}, "'w': the weights add up to inf"),
    "huge count": ({**X, "n": [10**400, 1]}, {"counts": "n"}, "row 1: counts must be finite"),
    # declared states
    "not declared": (
        {"x": ["a", "b", "z"]},
        {"states": {"x": ["a", "b"]}},
        "column 'x', row 3: 'z' is not among the declared states 'a', 'b'",
    ),
    "truth is not one": ({"x": [1, True]}, {"states": {"x": [0, 1]}}, "row 2: True is not among the declared"),
    "states of nobody": (X, {"states": {"y": ["a"]}}, "states: the table has no column 'y'"),
    "states of counts": (N, {"counts": "n", "states": {"n": [1, 2]}}, "states: the table has no column 'n'"),
    "states as text": (X, {"states": {"x": "ab"}}, "states of 'x' must be a list of states, got 'ab'"),
    "states as number": (X, {"states": {"x": 2}}, "states of 'x' must be a list of states, got 2"),
    "states as list": (X, {"states": ["a", "b"]}, r"states maps columns to their states, .*got \['a', 'b'\]"),
    "state twice": (X, {"states": {"x": ["a", "b", "a"]}}, "'x' has the state 'a' twice"),
    "no states": (X, {"states": {"x": []}}, "'x' has no states"),
    "missing as state": (X, {"states": {"x": ["a", None]}}, "'x': a state is a string, .* got None"),
    "too many declared": (X, {"states": {"x": range(300)}}, "'x' has 300 states; at most 255"),
    # options
    "missing?": (X, {"missing": "ignore"}, "missing must be one of error, keep, drop, state, auto, got 'ignore'"),
    "max_states 0": (X, {"max_states": 0}, "max_states must be between 1 and 255, got 0"),
    "max_states 256": (X, {"max_states": 256}, "max_states must be between 1 and 255, got 256"),
    "max_states text": (X, {"max_states": "9"}, "max_states must be between 1 and 255, got '9'"),
    "options of a data set": (read(X), {"missing": "drop"}, "a Dataset has been read already"),
}


@pytest.mark.parametrize(("source", "options", "message"), TABLES.values(), ids=TABLES.keys())
def test_wrong_tables_are_refused(source: object, options: dict[str, object], message: str) -> None:
    """Each mistake is named, with its column and value, and a way out."""
    with pytest.raises(LdagError, match=message):
        read(source, **options)  # type: ignore[arg-type]  # mistakes under test


def test_cells_of_files_must_be_declared_states(tmp_path: Path) -> None:
    """Other files that are wrong are in tests/cli/test_bad_tables.py, by both doors."""
    (tmp_path / "t.csv").write_text("a\nx\nz\n")
    with pytest.raises(LdagError, match="column 'a', row 2: 'z' is not among"):
        read(tmp_path / "t.csv", states={"a": ["x"]})


@pytest.mark.parametrize(("n_rows", "n_states", "kept"), [(8, 5, True), (8, 8, True), (24, 13, True), (30, 28, False)])
def test_small_tables_may_have_many_states(n_rows: int, n_states: int, kept: bool) -> None:
    """Only texts that nearly all differ are refused; left out are those most of which occur once, in more rows."""
    table: dict[str, list[object]] = {
        "x": [f"s{i % n_states:02}" for i in range(n_rows)],
        "y": [i % 2 for i in range(n_rows)],
    }
    if kept:
        data = read(table, unusable="error")
        assert len(data.states("x")) == n_states
        hint = f"x: {n_states} different texts in {n_rows} rows; is it an identifier? name the columns to read with "
        assert any(note.startswith(hint) for note in data.notes) == (n_rows > 20)
    assert ("x" in read(table, unusable="drop").names) == (n_rows <= 20)


@pytest.mark.parametrize("source", [{"x": [[1], [2]], "y": [1, 2]}, pl.DataFrame({"x": [[1], [2]], "y": [1, 2]})])
def test_columns_without_states_can_be_left_out(source: object) -> None:
    """Lists are no states; the note says so."""
    data = read(source, unusable="drop")  # type: ignore[arg-type]
    assert data.names == ("y",)
    assert data.notes[0].startswith("x: left out, holds [1] (list); a state is a string")


@pytest.mark.parametrize(
    ("place", "message"),
    [(lambda folder: folder / "none.csv", "there is no file .*none.csv"), (lambda folder: folder, "is a directory")],
)
def test_paths_that_lead_nowhere(place: Callable[[Path], Path], message: str, tmp_path: Path) -> None:
    """A file must be there, and be a file."""
    with pytest.raises(LdagError, match=message):
        read(place(tmp_path))


def test_bytes_that_pass_for_text_are_refused(tmp_path: Path) -> None:
    """Arrow and Parquet do not look whether text is UTF-8; we say which column or file, and what to do."""
    offsets = pa.py_buffer(np.arange(4, dtype=np.int32).tobytes())
    text = pa.Array.from_buffers(pa.string(), 3, [None, offsets, pa.py_buffer(b"a\xffb")])
    table = pa.table({"x": text, "y": ["a", "b", "a"]})
    with pytest.raises(LdagError, match=r"column 'x': the table holds text that is not UTF-8 .*; decode it where"):
        read(table)
    with pytest.raises(LdagError, match=r"column 'x' cannot be read, perhaps the table holds text that is not UTF-8"):
        read(table.to_pandas())
    parquet.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(LdagError, match=r"text that is not UTF-8 .*t\.parquet.*; decode it where"):
        read(tmp_path / "t.parquet")
