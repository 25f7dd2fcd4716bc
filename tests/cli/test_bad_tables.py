"""Wrong files by both doors: Python speaks of arguments, the command line of options, and both say the same."""

import gzip
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import parquet

import ldag
from ldag.cli.main import cli
from ldag.errors import LdagError

STRICT = {"missing": "error", "unusable": "error"}
"""The strictest options of reading, at either door."""


def packed(**columns: object) -> bytes:
    """Return a Parquet file."""
    content = io.BytesIO()
    parquet.write_table(pa.table(columns), content)
    return content.getvalue()


def numbered(n: int, pattern: str) -> bytes:
    """Return a file of one column."""
    return ("a\n" + "".join(pattern.format(i) + "\n" for i in range(n))).encode()


@dataclass(frozen=True)
class Bad:
    """Files, options as Python has them, and what must be said; ``typed`` instead on the command line."""

    content: bytes | Mapping[str, bytes]
    message: str
    typed: str = ""
    options: dict[str, object] = field(default_factory=dict)
    path: str = "t.csv"


BAD = {
    # lines and cells
    "a short row": Bad(b"a,b\n1,2\n\n1\n", "line 4: expected 2 cells as in the header, got 1"),
    "a long row": Bad(b"a,b\n1,2\n1,2,3\n", "line 3: expected 2 cells as in the header, got 3; remove lines above"),
    "empty": Bad(b"", "t.csv is empty; expected a header with the names of the columns"),
    "blank": Bad(b"\n\n", "t.csv is empty"),
    "header only": Bad(b"a,b\n", "the table has no rows"),
    "an open quote": Bad(
        b'a,b\n"x,1\n2,3\n',
        "line 2: a quoted cell does not end, or goes on after its quotes; sep= names the sign between cells",
        "--sep names the sign between cells",
    ),
    "a monstrous cell": Bad(b"a\n" + b"x" * 18_000_000, "line 2: the line is longer than sixteen million bytes"),
    "latin": Bad(
        "a,b\nß,1\n".encode("latin-1"),
        "t.csv is not UTF-8 text (invalid continuation byte at byte 4); name its encoding, as in encoding='latin-1'",
        "name its encoding, as in --encoding latin-1, or save it as UTF-8",
    ),
    "utf-16 without a mark": Bad("a,b\nß,1\n".encode("utf-16-le"), "t.csv is not UTF-8 text"),
    "not the encoding named": Bad(b"a,b\n\xff,1\n", "t.csv is not ascii text", options={"encoding": "ascii"}),
    "no such encoding": Bad(
        b"a\nx\n",
        "encoding=: no encoding 'latin-99'; expected a name such as latin-1",
        "--encoding: no encoding 'latin-99'",
        {"encoding": "latin-99"},
    ),
    "two signs": Bad(b"a;b\n1;2\n", "sep= must be one sign, such as ; or tab", "--sep must be one sign", {"sep": ";;"}),
    # names
    "two names": Bad(b"a,a\n1,2\n", "there are two columns called 'a'; rename one"),
    "an index": Bad(b",a\n0,x\n", "column 1 has no name; if it is a row index written along with the data, leave it"),
    "names that do not fit": Bad(
        b"1,2\n3,4\n",
        "t.csv has 2 columns, but names= has 1 names",
        "t.csv has 2 columns, but --names has 1 names",
        {"names": ["x"]},
    ),
    "a name twice": Bad(b"1,2\n3,4\n", "two columns called 'x'", options={"names": ["x", "x"]}),
    "an unknown column": Bad(
        b"a,b\n1,2\n",
        "columns: the table has no column 'c'; expected one of 'a', 'b'",
        "--columns: the table has no column 'c'",
        {"columns": ["a", "c"]},
    ),
    # missing cells
    "missing": Bad(
        b"a,b\n1,2\n,3\nNA,4\n",
        "'a' has 2 missing cells, the first in row 2; choose missing='keep' to keep gaps as gaps, missing='drop' to ",
        "choose --missing keep to keep gaps as gaps, --missing drop to leave out such rows, or --missing state",
    ),
    "missing twice": Bad(b"a,b\n,1\n1,\n", "'a' has 1 missing cell, the first in row 1 (and 1 other column too)"),
    "a text for missing": Bad(b"a,b\nx,1\n?,2\n", "'a' has 1 missing cell, the first in row 2", options={"na": ["?"]}),
    "only missing": Bad(
        b"a,b\n,1\n,2\n", "column 'a' has no values, only missing cells; leave it out", options={"missing": "state"}
    ),
    "all dropped": Bad(
        b"a,b\n,1\n1,\n",
        "no rows are left: every row that occurs has missing cells; choose missing='keep' to keep gaps as gaps",
        "choose --missing keep to keep gaps as gaps",
        {"missing": "drop"},
    ),
    "missing is a state": Bad(
        b"a,b\nmissing,1\n,1\n",
        "also a state 'missing'; rename that state, or choose missing='keep'",
        "or choose --missing keep",
        {"missing": "state"},
    ),
    # columns that cannot be variables
    "too many states": Bad(
        numbered(70, "x{0}") * 3,
        "more than 64: is it an identifier? leave it out, group its values, or allow more with max_states=",
        "or allow more with --max-states (at most 255)",
    ),
    "row numbers": Bad(
        numbered(100, "{0}"),
        "'a' looks like numbers of rows: 100 values in 100 rows; leave it out, or keep it with keep=['a']",
        "or keep it with --keep a",
    ),
    "texts that hardly repeat": Bad(
        numbered(30, "p{0}"),
        "'a' looks like an identifier: 30 values in 30 rows; leave it out, or keep it with keep=['a']",
        "or keep it with --keep a",
    ),
    "several at once": Bad(
        b"id,empty,x\n" + b"".join(b"%d,,u\n" % i for i in range(30)),
        "2 columns cannot be variables (unusable='drop' leaves them out):\n  column 'id' looks like",
        "2 columns cannot be variables (--unusable drop leaves them out)",
    ),
    "one number in two spellings": Bad(
        b"a\n1\n1.0\n",
        "'a' spells one number in two ways, '1' and '1.0'; say what they are with states={'a': [...]}",
        "spell it in one way, or --unusable drop takes both for one state",
    ),
    "no states allowed": Bad(
        b"a\n1\n",
        "max_states must be between 1 and 255, got 0",
        "--max-states must be between 1 and 255, got 0",
        {"max_states": 0},
    ),
    # bins
    "bins of nobody": Bad(
        b"a\n1\n", "bins: the table has no column 'c'", "--bins: the table has no column 'c'", {"bins": {"c": "3"}}
    ),
    "bins of text": Bad(
        b"a\nx\ny\n", "column 'a' cannot be cut: it holds 'x', which is no number", options={"bins": {"a": "3"}}
    ),
    "bins of one value": Bad(
        b"a,b\n5,1\n5,2\n", "column 'a' cannot be cut: it has one value only", options={"bins": {"a": "3"}}
    ),
    "one bin": Bad(
        b"a\n1\n2\n",
        "bins of 'a': a number of bins must be from 2 to 50, got 1",
        "--bins of 'a': a number of bins must be from 2 to 50, got 1",
        {"bins": {"a": "1"}},
    ),
    "an unknown way": Bad(
        b"a\n1\n2\n",
        "bins of 'a' must be auto, model, none, a number of bins, cut points, or one of quantile:4",
        "--bins of 'a' must be auto, model, none",
        {"bins": {"a": "median:3"}},
    ),
    "cut points that fall": Bad(
        b"a\n1\n2\n",
        "bins of 'a': cut points must increase, got 2.0 before 1.0",
        "--bins of 'a': cut points must increase",
        {"bins": {"a": [2, 1]}},
    ),
    "dates for numbers": Bad(
        b"a\n1\n2\n",
        "'a' holds numbers, but its cut points are of another kind",
        options={"bins": {"a": ["2020-01-01", "2021-01-01"]}},
    ),
    "information alone": Bad(
        b"a\n1\n2\n3\n", "bins by information need another column", options={"bins": {"a": "information:2"}}
    ),
    "measurements that may not be cut": Bad(
        numbered(300, "{0}.5"),
        "'a' has 300 states (0.5, 1.5, 2.5, ...), more than 64: is it an identifier?",
        options={"bins": "none"},
    ),
    # counts and weights
    "unknown counts": Bad(
        b"a,b\n1,2\n", "counts='n': the table has no such column", "--counts n: the table has no", {"counts": "n"}
    ),
    "a near miss": Bad(b"a,count\n1,2\n", "did you mean 'count'?", options={"counts": "counts"}),
    "counts alone": Bad(b"n\n1\n", "the table has no columns besides the counts 'n'", options={"counts": "n"}),
    "counts and weights": Bad(
        b"a,n\n1,2\n",
        "give either counts= or weights=, not both",
        "give either --counts or --weights, not both",
        {"counts": "n", "weights": "n"},
    ),
    "text as count": Bad(b"a,n\nx,many\n", "'n', row 1: counts must be numbers, got 'many'", options={"counts": "n"}),
    "missing count": Bad(b"a,n\nx,\n", "row 1: counts must be numbers, got a missing cell", options={"counts": "n"}),
    "negative count": Bad(
        b"a,n\nx,1\ny,-2\n", "row 2: counts must be finite and not negative", options={"counts": "n"}
    ),
    "half a count": Bad(
        b"a,n\n1,2.5\n", "for real numbers use weights='n'", "for real numbers use --weights n", {"counts": "n"}
    ),
    "infinite weight": Bad(b"a,w\nx,inf\n", "row 1: weights must be numbers, got 'inf'", options={"weights": "w"}),
    "nothing observed": Bad(
        b"a,n\nx,0\ny,0\n", "'n': all counts are zero; nothing was observed", options={"counts": "n"}
    ),
    "no weight": Bad(b"a,w\nx,0.0\n", "'w': all weights are zero", options={"weights": "w"}),
    "too many": Bad(
        f"a,n\nx,{2**62}\n".encode(), "'n': the counts add up to 4.61e+18, which is too large", options={"counts": "n"}
    ),
    # other files
    "an unknown ending": Bad({"t.sav": b""}, "cannot tell the format of ", path="t.sav"),
    "not packed": Bad({"t.csv.gz": b"a,b\n1,2\n"}, "t.csv.gz cannot be read", path="t.csv.gz"),
    "cut off": Bad({"t.csv.gz": gzip.compress(b"a,b\n1,2\n" * 99)[:-12]}, "t.csv.gz cannot be read", path="t.csv.gz"),
    "no Parquet": Bad({"t.parquet": b"a,b\n"}, "t.parquet cannot be read as parquet", path="t.parquet"),
    "no rows in Parquet": Bad(
        {"t.parquet": packed(x=pa.array([], pa.string()))}, "the table has no rows", path="t.parquet"
    ),
    "lists in Parquet": Bad(
        {"t.parquet": packed(x=[[1], [1]])}, "column 'x' holds '[1]' (bigint[]); a state is a", path="t.parquet"
    ),
    "a gap in Parquet": Bad(
        {"t.parquet": packed(x=["a", None])}, "'x' has 1 missing cell, the first in row 2", path="t.parquet"
    ),
    "infinity in Parquet": Bad(
        {"t.parquet": packed(x=[*range(50), float("inf")])}, "'x' holds inf (float); a state is a", path="t.parquet"
    ),
    "a separator of Parquet": Bad(
        {"t.parquet": packed(x=["a"])},
        "sep= is for text files; ",
        "--sep is for text files; ",
        {"sep": ";"},
        path="t.parquet",
    ),
    "another header": Bad(
        {"t.csv": b"a,b\n1,2\n", "u.csv": b"a,c\n1,2\n"}, "u.csv has another header than ", path="*.csv"
    ),
    "other columns": Bad(
        {"t.parquet": packed(x=[1]), "u.parquet": packed(y=[1])}, "u.parquet has other columns than ", path="*.parquet"
    ),
    "two kinds": Bad(
        {"t.csv": b"a\n1\n", "u.parquet": packed(a=[1])}, "files are of different kinds; read them one", path="[tu].*"
    ),
    "no match": Bad({}, "no file matches ", path="*.csv"),
    "a directory": Bad({}, " is a directory; give the path of a file", path=""),
}


def spelled(options: Mapping[str, object]) -> list[str]:
    """Return options as they are typed."""
    found: list[str] = []
    for name, value in options.items():
        texts = [str(value)]
        if isinstance(value, dict):
            texts = [f"{column}={typed(how)}" for column, how in value.items()]
        elif isinstance(value, list):
            texts = value if name == "na" else [typed(value)]
        for text in texts:
            found += [f"--{name.replace('_', '-')}", text]
    return found


def typed(value: object) -> str:
    """Return a list with commas."""
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
def test_wrong_files_are_refused_by_both_doors(bad: Bad, tmp_path: Path) -> None:
    """One error each, with its place and a way out, in the language of the door."""
    files = bad.content if isinstance(bad.content, Mapping) else {"t.csv": bad.content}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    path = str(tmp_path / bad.path)
    with pytest.raises(LdagError) as by_python:
        ldag.read(path, **{**STRICT, **bad.options})  # type: ignore[arg-type]  # mistakes under test
    assert bad.message in str(by_python.value)
    encoding = {} if "parquet" in path else {"encoding": "utf-8"}  # by default it is found out
    with pytest.raises(LdagError) as by_shell:
        CliRunner().invoke(
            cli, ["describe", path, *spelled({**STRICT, **encoding, **bad.options})], catch_exceptions=False
        )
    assert (bad.typed or bad.message) in str(by_shell.value)
    assert not any(f"{name}=" in str(by_shell.value) for name in ("names", "bins", "states", "missing", "unusable"))


def test_enough_kinds_of_wrong_files_are_tried() -> None:
    """At least forty."""
    assert len(BAD) >= 40
