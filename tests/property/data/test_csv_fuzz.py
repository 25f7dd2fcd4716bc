"""Bytes of any kind as a CSV file: either data, or an error of ours."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ldag._native import TextTable as CodedTable
from ldag.data import ReadOptions, read_with
from ldag.errors import LdagError

pieces = st.sampled_from(
    [
        b"a",
        b"b,",
        b",",
        b'"',
        b'""',
        b"\n",
        b"\r\n",
        b"\r",
        b";",
        b"\t",
        b"1",
        b"2.5",
        b"NA",
        b"\xff",
        b"\xc3\xa4",
        b"\0",
        b" ",
        b"#",
        b"2020-01-01",
        b"\xef\xbb\xbf",
        b"-",
        b"'",
    ]
)


@settings(deadline=None, max_examples=60)
@given(st.lists(pieces, max_size=30).map(b"".join), st.booleans())
@example(b"a,b\nx\0y,1\n", True)
@example(b"a\n1\n1.0\n", False)
def test_any_bytes_are_read_or_refused(content: bytes, lenient: bool) -> None:
    """Nothing but an LdagError comes out."""
    options = ReadOptions(missing="auto", encoding="auto", unusable="drop") if lenient else ReadOptions()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_bytes(content)
        try:
            data = read_with(path, options)
        except LdagError:
            return
        assert data.total > 0


def outcome(path: Path, options: ReadOptions, merged: bool) -> object:
    """Return what comes of a file if its equal lines are merged, or all are kept."""
    with pytest.MonkeyPatch.context() as patch:
        if not merged:
            patch.setattr("ldag.data.text_tables.CodedTable", lambda width, sign, _: CodedTable(width, sign, False))
        try:
            data = read_with(path, options)
        except LdagError as error:
            return str(error)
        return data, data.notes


rows = st.lists(
    st.sampled_from(["a,b", "b,1", "1,1", ",", "ä,NA", "a b,c", "x\0y,#", "", "a", "a,b,", "\r"]), max_size=12
)


@settings(deadline=None, max_examples=30)
@given(rows, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans())
@example(["a,b", "a,b", "b,1"], "\n", True, True)
@example(["a,b", "a,b", "b,1", ",1"], "\r\n", True, False)
def test_merged_lines_are_the_same_table(rows: list[str], end: str, last: bool, lenient: bool) -> None:
    """Data, notes and errors do not depend on whether equal lines were merged."""
    options = ReadOptions(missing="auto", unusable="drop") if lenient else ReadOptions()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_bytes((end.join(["p,q", *rows]) + end * last).encode())
        assert outcome(path, options, merged=True) == outcome(path, options, merged=False)
