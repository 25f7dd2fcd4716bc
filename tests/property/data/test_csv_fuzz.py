"""Bytes of any kind as a CSV file: either data, or an error of ours."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import example, given, settings
from hypothesis import strategies as st

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
