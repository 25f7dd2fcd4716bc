"""Bytes of any kind as a CSV file: either data, or an error of ours."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ldag.data import ReadOptions, read_with
from ldag.data.text_rows import TextRows
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


def outcome(path: Path, options: ReadOptions, merged: bool, lines: bool) -> object:
    """Return what comes of a file if its rows are kept in one of the ways: merged or all, lines first or cells."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TextRows, "_looks_repeated", lambda _: merged)
        patch.setattr("ldag.data.text_rows.SAMPLE", 2)  # later rows have texts that the first ones have not
        if not lines:
            patch.setattr("ldag.data.files._lines", lambda *_: None)
        try:
            data = read_with(path, options)
        except LdagError as error:
            return str(error)
        return data, data.notes


rows = st.lists(
    st.sampled_from(["a,b", "b,1", "1,1", ",", "ä,NA", "a b,c", "x\0y,#", "", "a", "a,b,", "\r"]), max_size=12
)


@settings(deadline=None, max_examples=15)
@given(rows, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans())
@example(["a,b", "a,b", "b,1"], "\n", True, True)
@example(["a,b", "a,b", "b,1", ",1"], "\r\n", True, False)
def test_rows_are_kept_in_three_ways_with_one_outcome(rows: list[str], end: str, last: bool, lenient: bool) -> None:
    """Merged lines, merged cells and rows with enumerated texts give the same data, notes and errors."""
    options = ReadOptions(missing="auto", unusable="drop") if lenient else ReadOptions()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_bytes((end.join(["p,q", *rows]) + end * last).encode())
        by_cells = outcome(path, options, merged=True, lines=False)
        assert outcome(path, options, merged=True, lines=True) == by_cells
        assert outcome(path, options, merged=False, lines=True) == by_cells
