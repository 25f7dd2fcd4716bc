"""Cut points for one target, by MDLP."""

import datetime
import io
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris

import ldag
from ldag.data import read
from ldag.data.target_cuts import split_by_target
from ldag.errors import ArgumentError, DataError
from tests.oracle import mdlp

RNG = np.random.default_rng(5)
AGE = RNG.uniform(0, 100, 400).round(2)
ILL = np.where(AGE > 62, "yes", "no")


@settings(deadline=None, max_examples=150)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), min_size=1, max_size=80), st.integers(1, 4))
def test_splits_are_those_of_the_formula(rows: list[tuple[int, int]], times: int) -> None:
    """Against plain Python with two to four classes and up to ten values, every row so many times."""
    rows = [(value, min(label, value // 3) if label < 3 else label) for value, label in rows]  # which depend
    table = np.zeros((10, 4))
    for value, label in rows:
        table[value, label] += times
    assert split_by_target(table) == mdlp.cut(rows * times)


def test_cuts_of_iris_are_the_published_ones() -> None:
    """Those that R's package discretization gives."""
    iris = load_iris()
    names = ["sepal length", "sepal width", "petal length", "petal width"]
    data = read({**dict(zip(names, iris.data.T, strict=True)), "kind": iris.target}, bins="target:kind")
    assert [one.cuts for one in data.variables[:4]] == [(5.55, 6.15), (2.95, 3.35), (2.45, 4.75), (0.8, 1.75)]
    assert data.notes[0] == "sepal length: 35 values, cut at 5.55, 6.15 (for kind)"


def test_cuts_of_measurements_are_those_of_a_peer() -> None:
    """Of pyAgrum, which lists least and largest values along, and makes a first cut even if it does not pay."""
    processing = pytest.importorskip("pyagrum.lib.discreteTypeProcessor")
    table = load_breast_cancer()
    classes = table.target
    data = read({**{f"x{i}": x for i, x in enumerate(table.data.T)}, "y": classes}, bins="target:y")
    for variable, cells, note in zip(data.variables[:30], table.data.T, data.notes, strict=False):
        args = cells.reshape(-1, 1), classes.reshape(-1, 1), np.unique(cells), np.unique(classes)
        theirs = processing.DiscreteTypeProcessor()._discretizationMDLP(*args)[1:-1]
        if note.endswith("(the median: no cut tells of y)"):
            assert len(theirs) == 1
            np.testing.assert_allclose(np.array(variable.cuts), np.median(cells), rtol=1e-3)
        else:
            np.testing.assert_allclose(np.array(variable.cuts), theirs, rtol=1e-4)
    assert sum("the median" in note for note in data.notes) == 3


def test_every_source_is_cut_alike(tmp_path: Path) -> None:
    """Frames, lazy ones, text files and Parquet, with dates and more values than an engine lists, and gaps dropped."""
    n = 1500
    size = RNG.normal(0, 1, n).round(6)
    days = [datetime.date(2000, 1, 1) + datetime.timedelta(int(d)) for d in RNG.integers(0, 3000, n)]
    tired = np.where((size > 0.5) ^ (np.array(days) > datetime.date(2004, 2, 29)), "yes", "no")
    gaps = [None if place % 50 == 0 else value for place, value in enumerate(size.tolist())]
    frame = pl.DataFrame({"size": gaps, "day": days, "few": (size > 1).astype(int), "tired": tired})
    frame.write_csv(tmp_path / "t.csv")
    frame.write_parquet(tmp_path / "t.parquet")
    wanted = read(frame, bins="target:tired", missing="drop")
    assert wanted == read(frame.drop_nulls(), bins="target:tired")
    assert len(wanted.variables[0].cuts) > 0
    assert wanted.variables[1].cuts != read(frame, missing="drop").variables[1].cuts
    for source in (frame.to_pandas(), frame.lazy(), tmp_path / "t.csv", tmp_path / "t.parquet"):
        assert read(source, bins="target:tired", missing="drop") == wanted, source
    with_state = read(frame, bins="target:tired", missing="state")
    for source in (frame.lazy(), tmp_path / "t.csv", tmp_path / "t.parquet"):
        assert read(source, bins="target:tired", missing="state") == with_state, source
    assert with_state.variables[0].cuts == wanted.variables[0].cuts  # rows with a gap say nothing of the size


def test_counted_rows_count() -> None:
    """A row that occurs three times is three rows; real weights are taken as they are."""
    times = RNG.integers(1, 4, len(AGE))
    ill = np.where(RNG.random(len(AGE)) < 0.3, "no", ILL)
    repeated = read({"age": np.repeat(AGE, times), "ill": np.repeat(ill, times)}, bins="target:ill")
    rows = {"age": AGE, "ill": ill, "n": times}
    assert read(rows, bins="target:ill", counts="n").variables == repeated.variables
    assert read(rows, bins="target:ill", weights="n").variables == repeated.variables


def test_cut_points_are_kept_for_new_rows(tmp_path: Path) -> None:
    """In files, so that raw numbers are predicted by the same cuts, whatever the new rows are."""
    fit = ldag.learn(read({"age": AGE, "ill": ILL}, bins="target:ill"))
    (cut,) = fit.network.variables[0].cuts
    assert isinstance(cut, float)
    assert AGE[AGE <= 62].max() <= cut < AGE[AGE > 62].min()
    fit.network.save(tmp_path / "n.json")
    shares = ldag.Network.load(tmp_path / "n.json").predict_proba({"age": [61.0, 63.0, 99.0]}, "ill")
    assert shares.argmax(axis=1).tolist() == [0, 1, 1]


def test_a_target_that_is_a_measurement_is_cut_at_quartiles() -> None:
    """And others for its quartiles; it can have bins of its own as well."""
    noise = AGE + np.random.default_rng(5).normal(0, 5, len(AGE))  # a generator that no other test has drawn from
    data = read({"age": AGE, "years": noise}, bins="target:age")
    assert data.variables[0].cuts == read({"age": AGE}).variables[0].cuts
    assert data.notes[0].endswith("(quartiles)")
    classes = np.searchsorted(np.array(data.variables[0].cuts), AGE)
    assert data.variables[1] == read({"years": noise, "age": classes}, bins="target:age").variables[0]
    own = read({"age": AGE, "years": noise}, bins={"years": "target:age", "age": [62]})
    assert own.variables[0].cuts == (62.0,)
    assert own.variables[1].cuts[0] == pytest.approx(62, abs=6)


def test_a_column_that_tells_nothing_is_cut_at_its_median() -> None:
    """So that it stays a variable; that no cut pays is told."""
    coin = np.tile(["a", "b"], 200)
    data = read({"age": np.sort(AGE), "coin": coin}, bins="target:coin")
    assert data.notes[0].endswith("(the median: no cut tells of coin)")
    assert data.variables[0].cuts[0] == pytest.approx(np.median(AGE), rel=1e-4)
    assert read({"age": AGE, "one": ["x"] * 400}, bins="target:one").notes[0].endswith("no cut tells of one)")


def test_targets_that_are_none_are_refused() -> None:
    """Names that are not there, a column for itself, targets of targets, and columns that are not read."""
    table = {"age": AGE, "size": AGE * 2, "ill": ILL}
    with pytest.raises(ArgumentError, match="bins: the table has no column 'il'; did you mean 'ill'"):
        read(table, bins="target:il")
    with pytest.raises(ArgumentError, match="bins of 'age': a column cannot be cut for itself"):
        read(table, bins={"age": "target:age"})
    with pytest.raises(ArgumentError, match="target:NAME, got 'target:'"):
        read(table, bins="target:")
    with pytest.raises(DataError, match="of 'age': its target 'size' is itself cut for 'ill'; give 'size' other bins"):
        read(table, bins={"age": "target:size", "size": "target:ill"})
    named = {"age": AGE, "row": np.arange(400)}
    with pytest.raises(DataError, match="its target 'row' is not among the variables that are read"):
        read(named, bins="target:row", unusable="drop")
    with pytest.raises(DataError, match="column 'ill' cannot be cut"):
        read(table, bins={"ill": "target:age"})


def test_texts_that_spell_numbers_are_measured(tmp_path: Path) -> None:
    """Blanks around cells, several spellings of a number, and named columns of few values."""
    lines = ["x;y"] + [f" {value / 4:.2f};{'b' if value > 9 else 'a'}" for value in range(20)] * 3
    (tmp_path / "t.csv").write_text("\n".join(lines))
    data = read(tmp_path / "t.csv", bins={"x": "target:y"})
    assert data.variables[0].cuts == (2.375,)
    frame = pd.read_csv(io.StringIO("\n".join(lines)), sep=";")
    assert read(frame, bins={"x": "target:y"}).variables == data.variables
