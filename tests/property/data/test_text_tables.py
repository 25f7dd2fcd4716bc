"""Text files read in one pass are what reading sign by sign gives, however they are cut into parts."""

import math
import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ldag._native import TextTable as CodedTable
from ldag.data.columns import NUMBER
from tests.oracle.text_tables import Fault, split_text

PIECES = [*'ab1,; "\t\r\n', '""', "\r\n", "a long text,", "ä,", "\n\n"]
SIGNS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


def read_parts(text: str, separator: str, width: int, has_header: bool, cuts: list[int], merging: bool) -> object:
    """Return the rows that the loops read, each as often as it occurs, or what is wrong."""
    content = text.encode()
    ends = sorted({min(cut, len(content)) for cut in cuts})
    table = CodedTable(width, "", merging)
    table.start(separator, has_header)
    parts = [content[begin:end] for begin, end in zip([0, *ends], [*ends, len(content)], strict=True)]
    for number, part in enumerate(parts):
        fault: Fault | None = table.feed(part, number == len(parts) - 1)
        if fault is not None:
            return fault
    times = [*table.times.tolist(), *[1] * (table.n_kept - len(table.times))]
    assert sum(times) == table.n_rows
    columns = [[*table.texts(place), ""] for place in range(width)]
    kept = [
        [texts[position] for texts, position in zip(columns, row, strict=True)]
        for row in np.stack([table.cells(place) for place in range(width)], axis=1).tolist()
    ]
    return [row for row, n in zip(kept, times, strict=True) for _ in range(n)]


@given(SIGNS, st.sampled_from(",; \t"), st.integers(1, 3), st.booleans(), st.lists(st.integers(0, 40), max_size=4))
@example('a,b\r\n"1\r\n2" , "x"\r3,"a""b"\n', ",", 2, True, [4, 9])
@example('"a"b,1\n', ",", 2, False, [])
@example("a,b\n\n  \n1,2,3", ",", 2, True, [])
def test_rows_are_those_read_sign_by_sign(text: str, sign: str, width: int, has_header: bool, cuts: list[int]) -> None:
    """The same cells in the same order, or the same fault in the same line; merged rows as often as they occur."""
    expected = split_text(text, sign, width, has_header)
    assert read_parts(text, sign, width, has_header, cuts, merging=False) == expected
    merged = read_parts(text, sign, width, has_header, cuts, merging=True)
    if isinstance(expected, list):
        assert isinstance(merged, list)
        assert sorted(merged) == sorted(expected)
    else:
        assert merged == expected


numbers = st.from_regex(re.compile(rf"{NUMBER}"), fullmatch=True).map(lambda text: text.replace("\n", ""))


@given(
    st.lists(numbers | st.sampled_from(["007", "1e400", "1e-400", "-0", "nan", ".", "1.", "0x1", "1_0", "+5", "١"])),
    st.sampled_from(".,"),
)
@example(["0.1", "123456789012345678901234567890", "4.35", "9007199254740993", "1e23", "2.2250738585072011e-308"], ".")
def test_numbers_are_nearest_as_pythons_are(texts: list[str], decimal: str) -> None:
    """A column of more numbers than are listed keeps their values, and the texts that spell none."""
    many = [str(number) for number in range(1001)]
    cells = [text.replace(".", decimal) for text in (*many, *texts)]
    table = CodedTable(1, decimal, False)
    table.start(";", False)
    assert table.feed("\n".join(cells).encode(), True) is None
    found = table.cells(0)
    if len({text for text in texts if not is_number(text)}) > 16 and found.dtype != np.float64:
        return
    assert found.dtype == np.float64
    assert found[:1001].tolist() == list(range(1001))
    for text, cell, value in zip(texts, cells[1001:], found[1001:], strict=True):
        if is_number(text):
            assert value == float(text)
        else:
            assert math.isnan(value)
            place = int(np.float64(value).view(np.int64)) & 0xFFFFFFFF
            assert table.texts(0)[place - 1] == cell


def is_number(text: str) -> bool:
    """Whether a text file's cell is a number that doubles hold."""
    return re.fullmatch(NUMBER, text) is not None and math.isfinite(float(text)) and len(text) <= 300


def test_empty_cells_are_gaps_in_columns_of_numbers() -> None:
    """The mark of an empty cell is that of no text."""
    table = CodedTable(2, ".", True)
    table.start(",", False)
    rows = [f"{number / 8},x" for number in range(1200)]
    assert table.feed("\n".join([*rows, ",x", "NA,x", '"",x']).encode(), True) is None
    last = table.cells(0)[-3:].view(np.int64) & 0xFFFFFFFF
    assert last.tolist() == [0, 1, 0]
    assert table.texts(0) == ["NA"]


@pytest.mark.parametrize("n", [126, 127, 128, 200, 40_000])
def test_texts_have_numbers_of_every_width(n: int) -> None:
    """One byte a cell while that suffices; the largest number can be added to."""
    table = CodedTable(1, ".", True)
    table.start(",", False)
    assert table.feed("\n".join(f"t{number}" for number in range(n)).encode(), True) is None
    cells = table.cells(0)
    assert cells.tolist() == list(range(n))
    assert (cells + cells.dtype.type(1)).min() == 1
    assert cells.itemsize == (1 if n < 128 else 2 if n < 32_768 else 4)
