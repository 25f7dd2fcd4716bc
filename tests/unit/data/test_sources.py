"""The same table from every source gives the same data and the same fit."""

import bz2
import gzip
import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

import ldag
from ldag.data import Dataset, read
from ldag.errors import DataError, DataNote

RNG = np.random.default_rng(11)
SMOKER = RNG.choice(["no", "yes"], 600)
FRAME = pd.DataFrame(
    {
        "smoker": SMOKER,
        "bmi": np.round(RNG.normal(25, 4, 600), 1),
        "rooms": RNG.integers(1, 5, 600),
        "ill": np.where((SMOKER == "yes") & (RNG.random(600) < 0.7), "yes", "no"),
    }
)


def every_source(folder: Path) -> dict[str, object]:
    """One table in every form."""
    import dask.dataframe as dd

    csv = folder / "t.csv"
    FRAME.to_csv(csv, index=False)
    (folder / "semicolons.csv").write_text(csv.read_text().replace(",", ";"))
    (folder / "t.csv.gz").write_bytes(gzip.compress(csv.read_bytes()))
    (folder / "t.csv.bz2").write_bytes(bz2.compress(csv.read_bytes()))
    (folder / "t16.csv").write_bytes(csv.read_text().encode("utf-16"))
    FRAME.to_parquet(folder / "t.parquet")
    for number, part in enumerate((FRAME[:100], FRAME[100:450], FRAME[450:])):
        part.to_parquet(folder / f"part-{number}.parquet")
        part.to_csv(folder / f"part-{number}.csv", index=False)
    lazy = pl.from_pandas(FRAME).lazy()
    return {
        "pandas": FRAME,
        "pandas backwards": FRAME[::-1],
        "polars": pl.from_pandas(FRAME),
        "polars lazy": lazy,
        "pyarrow": pa.Table.from_pandas(FRAME, preserve_index=False),
        "csv": csv,
        "semicolons": folder / "semicolons.csv",
        "gz": folder / "t.csv.gz",
        "bz2": folder / "t.csv.bz2",
        "utf-16": folder / "t16.csv",
        "parquet": folder / "t.parquet",
        "parquet parts": str(folder / "part-*.parquet"),
        "csv parts": [folder / f"part-{number}.csv" for number in (2, 0, 1)],
        "duckdb": duckdb.connect().from_df(FRAME),
        "dask": dd.from_pandas(FRAME, npartitions=3),  # type: ignore[no-untyped-call]
    }


def test_the_same_fit_from_every_source(tmp_path: Path) -> None:
    """Rows, states, cut points and the graph that is learned."""
    expected = read(FRAME)
    graph = ldag.learn(expected, kappa=0.1, method="exact", equivalent_sample_size=1).ldag
    assert ("smoker", "ill") in graph.edges or ("ill", "smoker") in graph.edges
    for name, source in every_source(tmp_path).items():
        data = read(source)  # type: ignore[arg-type]  # any of the sources
        assert data == expected, name
        assert data.variables == expected.variables, name
        assert data.notes == expected.notes, name
    assert ldag.learn(data, kappa=0.1, method="exact", equivalent_sample_size=1).ldag == graph


def test_shards_in_any_order_merge_to_the_whole() -> None:
    """Counts are added; measurements must have been cut alike."""
    bins = {"bmi": [21.0, 25.0, 29.0]}
    whole = read(FRAME, bins=bins)
    parts = [read(part, bins=bins, states={"rooms": [1, 2, 3, 4]}) for part in (FRAME[:7], FRAME[7:300], FRAME[300:])]
    for order in ((0, 1, 2), (2, 0, 1)):
        a, b, c = (parts[place] for place in order)
        assert a.merge(b).merge(c) == whole
    assert read({"x": ["b"]}).merge(read({"x": ["a", "b"]})).states("x") == ("b", "a")
    with pytest.raises(DataError, match="the parts cut 'bmi' differently"):
        read(FRAME[:300]).merge(read(FRAME[300:]))
    with pytest.raises(DataError, match="different variables: 'y' is in one of them only"):
        read({"x": [1]}).merge(read({"x": [1], "y": [1]}))


def test_every_door_takes_tables() -> None:
    """Learning, scores, networks and predictions from a frame are those from a data set; what was done is told."""
    bins = {"bmi": [21.0, 25.0, 29.0]}
    data = read(FRAME, bins=bins)
    plain = FRAME[["smoker", "rooms", "ill"]]
    small = read(plain)
    assert (
        ldag.learn(plain, kappa=0.1, equivalent_sample_size=1).ldag
        == ldag.learn(small, kappa=0.1, equivalent_sample_size=1).ldag
    )
    with pytest.warns(DataNote, match="bmi: .* cut at"):
        ldag.learn_family(FRAME, "ill", parents=["bmi"], kappa=0.1)
    with pytest.warns(DataNote, match="1 column left out, which the graph does not know: rooms"):
        net = ldag.Network.from_data([("smoker", "ill"), ("bmi", "ill")], data)
    assert net.ldag.parents("ill") == ("smoker", "bmi")
    with pytest.warns(DataNote, match="1 column left out, which the graph does not know: rooms"):
        assert net.log_likelihood(FRAME) == net.log_likelihood(data.select(["smoker", "bmi", "ill"]))
    with pytest.warns(DataNote, match="rooms"):
        assert len(net.predict(FRAME, "ill")) == 600
    with pytest.warns(DataNote, match="bmi: .* cut at") as notes:
        ldag.learn(FRAME, kappa=0.1, equivalent_sample_size=1)
    assert [note.filename for note in notes] == [__file__]  # the line that handed over the table


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux says how large a process was")
def test_memory_stays_small(tmp_path: Path) -> None:
    """A Parquet file of 3 million rows is merged in a process that may not grow beyond 700 MB."""
    rng = np.random.default_rng(0)
    few = rng.integers(0, 3, (500, 8))
    words = pa.array(["never", "sometimes", "always"])
    table = pa.table({f"x{i}": words.take(pa.array(few[:, i])) for i in range(8)})
    part = table.take(pa.array(rng.integers(0, 500, 300_000)))
    parquet.write_table(pa.concat_tables([part] * 10), tmp_path / "big.parquet")
    code = (
        "import sys, ldag; d = ldag.read(sys.argv[1]); "
        "peak = next(line for line in open('/proc/self/status') if line.startswith('VmHWM')); "
        "print(d.total, d.n_rows, int(peak.split()[1]) // 1024)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "big.parquet")], capture_output=True, text=True, check=True
    )
    total, n_rows, megabytes = map(int, done.stdout.split())
    assert (total, n_rows) == (3_000_000, len(np.unique(few, axis=0)))
    assert megabytes < 700


def test_a_dataset_prints_what_reading_did() -> None:
    """Its line, and the notes below."""
    data = read({"x": np.arange(40.0) / 3, "y": [0, 1] * 20})
    assert isinstance(data, Dataset)
    assert str(data).splitlines()[1].strip().startswith("x: 40 values, cut at")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_measurements_of_many_values_are_cut_at_known_points(ending: str, tmp_path: Path) -> None:
    """A file is scored by a model learned from it, however many different numbers and dates it has."""
    n = 2000
    frame = pl.DataFrame(
        {"x": [i / 7 for i in range(n)], "d": [f"{1000 + i}-01-31" for i in range(n)], "y": [1, 2] * 1000}
    )
    path = tmp_path / f"t.{ending}"
    frame.write_csv(path) if ending == "csv" else frame.write_parquet(path)
    data = ldag.read(path)
    network = ldag.Network.from_data([("x", "y"), ("y", "d")], data)
    assert network.log_likelihood(path) == pytest.approx(network.log_likelihood(frame), rel=1e-12)
    with pytest.raises(DataError, match=r"'x' has 2,000 different values, such as .*; expected its 2 declared states"):
        ldag.read(path, states={"x": [0, 1]})
