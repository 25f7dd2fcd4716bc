"""Panels cut into what series begin with, and into windows of rows that follow each other."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import pytest

import ldag
from ldag.data import cut_slices
from ldag.errors import ArgumentError, DataError

VISITS: dict[str, Sequence[object]] = {
    "patient": ["b", "b", "b", "a", "a", "a", "a", "c"],
    "wave": [1, 2, 4, 4, 3, 2, 1, 1],
    "sex": ["f", "f", "f", "m", "m", "m", "m", "f"],
    "pain": ["no", "yes", "yes", "no", "yes", "no", "no", "yes"],
}


def rows(data: ldag.Dataset) -> list[tuple[object, ...]]:
    """All rows in states, as often as they occur, without the column of groups."""
    frame: Any = data.to_frame()
    names = [*data.names]
    times = frame[data.weight_name or "count"] if data.weights is not None else [1] * len(frame)
    return sorted(
        tuple(row) for row, n in zip(frame[names].itertuples(index=False), times, strict=True) for _ in range(int(n))
    )


def test_pairs_of_one_lag() -> None:
    """Rows in order of time within a group, static columns once; what stands after a missed wave is left out."""
    slices = cut_slices(ldag.read(VISITS, groups="patient", time="wave"), 1)
    assert (slices.static, slices.changing) == (("sex",), ("pain",))
    assert slices.windows.names == ("sex", "pain@-1", "pain")
    assert rows(slices.windows) == [("f", "no", "yes"), ("m", "no", "no"), ("m", "no", "yes"), ("m", "yes", "no")]
    assert slices.first.names == ("sex", "pain")
    assert rows(slices.first) == [("f", "no"), ("f", "yes"), ("m", "no")]
    assert any("4 pairs that follow each other" in note for note in slices.windows.notes)
    assert any("1 pair left out, between which a wave is missing" in note for note in slices.windows.notes)


def test_windows_of_two_lags() -> None:
    """Three rows in a row; series begin with two slices, and those that do not are counted."""
    slices = cut_slices(ldag.read(VISITS, groups="patient", time="wave"), 2)
    assert slices.windows.names == ("sex", "pain@-2", "pain@-1", "pain")
    assert rows(slices.windows) == [("m", "no", "no", "yes"), ("m", "no", "yes", "no")]
    assert slices.first.names == ("sex", "pain@0", "pain@1")
    assert rows(slices.first) == [("f", "no", "yes"), ("m", "no", "no")]
    assert any("1 series left out that begins with fewer than 2 rows in a row" in note for note in slices.first.notes)


def test_windows_know_their_groups() -> None:
    """Windows belong to the group of their rows, so that folds and the bootstrap keep them together."""
    slices = cut_slices(ldag.read(VISITS, groups="patient", time="wave"), 1)
    assert slices.windows.groups is not None
    assert slices.windows.groups.labels == ("a", "b")
    assert slices.windows.groups.amounts(slices.windows.weights).tolist() == [3, 1]


def test_what_is_static_fills_its_gaps() -> None:
    """A column that never changes is known in all rows of a series if it is in one, and that is told."""
    table: dict[str, Sequence[object]] = {**VISITS, "sex": ["f", None, None, "m", "m", "m", "m", None]}
    slices = cut_slices(ldag.read(table, groups="patient", time="wave", missing="keep"), 1)
    assert rows(slices.windows)[0] == ("f", "no", "yes")
    assert any("2 gaps of static columns filled from other rows" in note for note in slices.windows.notes)
    assert slices.first.n_with_gaps == 1


def test_order_of_rows_does_not_matter() -> None:
    """Times say what follows what."""
    frame = pd.DataFrame(VISITS)
    mixed = frame.sample(frac=1, random_state=3)
    one, other = (cut_slices(ldag.read(table, groups="patient", time="wave"), 1) for table in (frame, mixed))
    assert one.windows == other.windows
    assert one.first == other.first


def test_one_series() -> None:
    """Without groups all rows are one series, and no column is taken for static."""
    slices = cut_slices(ldag.read({"x": [0, 1, 1, 0], "day": [1, 2, 3, 4], "y": [1, 1, 1, 1]}, time="day"), 1)
    assert slices.static == ()
    assert rows(slices.windows) == [(0, 1, 1, 1), (1, 1, 0, 1), (1, 1, 1, 1)]
    assert rows(slices.first) == [(0, 1)]


@pytest.mark.parametrize(
    ("lags", "static", "error", "text"),
    [
        (0, None, ArgumentError, "lags must be a whole number, 1 or more, got 0"),
        (4, None, ArgumentError, "lags must be below the number of rows of the longest series, 4, got 4"),
        (1, ["pain"], DataError, "'pain' changes within 2 series, as in patient 'a'"),
        (1, ["pian"], ldag.LdagError, "no variable 'pian'; did you mean 'pain'?"),
        (1, ["sex", "sex"], ArgumentError, "named twice"),
    ],
)
def test_bad_arguments(lags: int, static: list[str] | None, error: type[Exception], text: str) -> None:
    """What was expected, and what came."""
    with pytest.raises(error, match=text.replace("?", r"\?")):
        cut_slices(ldag.read(VISITS, groups="patient", time="wave"), lags, static)


def test_bad_tables() -> None:
    """Tables without times, without anything that changes, without two rows in a row, or with an odd name."""
    with pytest.raises(ArgumentError, match="lags needs rows in order of time; read the table with groups='patient'"):
        cut_slices(ldag.datasets.load("heart"), 1)
    still = {"g": [1, 1, 2, 2], "t": [1, 2, 1, 2], "x": [0, 0, 1, 1]}
    with pytest.raises(DataError, match="every column is static"):
        cut_slices(ldag.read(still, groups="g", time="t"), 1)
    with pytest.raises(DataError, match="the column 'x@-1' has '@' in its name"):
        cut_slices(ldag.read({"g": [1, 1, 2, 2], "t": [1, 2, 1, 2], "x@-1": [0, 1, 1, 1]}, groups="g", time="t"), 1)
    apart = {"g": [1, 1, 1, 2, 2, 2], "t": [1, 2, 4, 1, 3, 4], "x": [0, 1, 0, 1, 1, 0]}
    with pytest.raises(DataError, match="no series has 3 rows without a missed wave between them"):
        cut_slices(ldag.read(apart, groups="g", time="t"), 2)
