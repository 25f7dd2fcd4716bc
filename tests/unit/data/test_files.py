"""Files by their names: a name is a name, and a pattern only where no such file exists."""

import gzip
import os
import re
from pathlib import Path
from threading import Thread

import polars as pl
import pytest

import ldag
from ldag.errors import DataError


def write_rows(path: Path, states: list[str]) -> None:
    """Write a column as text or as Parquet."""
    frame = pl.DataFrame({"x": states})
    frame.write_csv(path) if path.suffix == ".csv" else frame.write_parquet(path)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize(
    ("name", "other"),
    [("d[1]", "d1"), ("e*", "e2"), ("f?", "f3"), ("[!g]", "h"), ("{a,b}", "a"), ("it's", "its"), ("**", "deep")],
)
def test_a_name_is_no_pattern(name: str, other: str, ending: str, tmp_path: Path) -> None:
    """The file of that name is read, and no other that the name would match; in a folder of such a name, too."""
    for folder in (tmp_path, tmp_path / "p[1]*"):
        folder.mkdir(exist_ok=True)
        write_rows(folder / f"{name}.{ending}", ["own", "own"])
        write_rows(folder / f"{other}.{ending}", ["other"])
        data = ldag.read(folder / f"{name}.{ending}")
        assert (data.states("x"), data.total) == (("own",), 2)


@pytest.mark.parametrize(
    "address", ["http://a.org/t.csv", "https://a.org/x*", "s3://bucket/t.parquet", "file:///t.csv"]
)
def test_addresses_are_not_read(address: str) -> None:
    """Which is said, rather than that there is no such file."""
    with pytest.raises(DataError, match=re.escape(f"{address} is an address, and addresses are not read")):
        ldag.read(address)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("kind", ["plain", "repeated", "gzip", "parquet"])
def test_named_pipes_are_read_once(kind: str, tmp_path: Path) -> None:
    """Of any name and kind: what comes through is kept, since rows may be asked for again."""
    frame = pl.DataFrame({"x": ["a", "b", "b"], "n": [3, 1, 2]})
    content = frame.write_csv().encode()
    if kind == "gzip":
        content = gzip.compress(content)
    elif kind == "parquet":
        frame.write_parquet(tmp_path / "t.parquet")
        content = (tmp_path / "t.parquet").read_bytes()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = Thread(target=pipe.write_bytes, args=[content])
    writer.start()
    data = ldag.read(pipe, counts=None if kind == "repeated" else "n")
    writer.join()
    assert data == ldag.read(frame, counts=None if kind == "repeated" else "n")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_pattern_is_one_if_there_is_no_such_file(ending: str, tmp_path: Path) -> None:
    """Files of several folders; folders themselves are none."""
    (tmp_path / f"part-c.{ending}").mkdir()
    write_rows(tmp_path / f"part-a[1].{ending}", ["one"])
    write_rows(tmp_path / f"part-b.{ending}", ["two"])
    assert ldag.read(str(tmp_path / f"part-*.{ending}")).states("x") == ("one", "two")
    with pytest.raises(DataError, match=r"no file matches .*part-c\*"):
        ldag.read(str(tmp_path / "part-c*"))


def test_a_folder_is_no_column(tmp_path: Path) -> None:
    """A Parquet file in a folder that is named as a part of a partition has its own columns only."""
    folder = tmp_path / "sex=m" / "x=none"
    folder.mkdir(parents=True)
    write_rows(folder / "t.parquet", ["own"])
    assert ldag.read(folder / "t.parquet").names == ("x",)
    assert ldag.read(str(tmp_path / "*" / "*" / "*.parquet")).states("x") == ("own",)


@pytest.mark.parametrize(("kind", "top"), [(pl.UInt64, 2**64 - 1), (pl.Int64, 2**63 - 1), (pl.UInt8, 255)])
def test_whole_numbers_of_every_size_are_states(kind: type[pl.DataType], top: int, tmp_path: Path) -> None:
    """The largest that fit, near each other and far apart, with a gap."""
    frame = pl.DataFrame(
        {"near": [top - 1, top, None, top], "far": [0, top, None, 1]}, schema={"near": kind, "far": kind}
    )
    frame.write_parquet(tmp_path / "t.parquet")
    data = ldag.read(tmp_path / "t.parquet", missing="state")
    assert data.states("near") == (top - 1, top, "missing")
    assert data.states("far") == (0, 1, top, "missing")
    assert data == ldag.read(frame, missing="state")


def test_columns_of_parquet_files_may_be_called_anything(tmp_path: Path) -> None:
    """Names that queries use themselves, names that differ in case, and odd ones."""
    names = ["u", "v", "n", "k0", "c0", "o1", "a", "A", "*", "a.b", " b", 'q"q', "times", "ldag times"]
    frame = pl.DataFrame({name: ["x", "y", str(place)] for place, name in enumerate(names)})
    frame.write_parquet(tmp_path / "t.parquet")
    data = ldag.read(tmp_path / "t.parquet")
    assert data.names == tuple(names)
    assert data == ldag.read(frame)
    frame[:, ::-1].write_parquet(tmp_path / "u.parquet")
    both = ldag.read([tmp_path / "t.parquet", tmp_path / "u.parquet"])
    assert both.names == tuple(names)
    assert both.counts("A", "a").tolist() == (2 * data.counts("A", "a")).tolist()
