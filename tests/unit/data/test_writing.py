"""Tables written to files: what is written can be read."""

import datetime
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ldag
from ldag.data import state_columns, write_rows
from ldag.errors import DataError
from ldag.model import State, bin_states, check_cuts, cuts_in

DATA = ldag.read(
    {
        "a, b": ['x"y', "z,\tw", "z,\tw", "plain"],
        "number": [1, 2, 3, 3],
        "real": [0.1, 1e-7, 2.0, 0.1],
        "é": ["ü", "-", "-", "ü"],
    }
)


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "tsv", "TSV.GZ", "parquet"])
def test_what_is_written_can_be_read(ending: str, tmp_path: Path) -> None:
    """Quotes, separators, numbers and other scripts survive; so do more rows than fit a batch."""
    path = tmp_path / f"rows.{ending}"
    codes = np.tile(DATA.codes, 3000)
    write_rows(state_columns(DATA.schema, codes), path)
    found = ldag.read(path)
    assert found.total == codes.shape[1]
    assert found == ldag.Dataset.from_codes(DATA.schema, codes)


def test_other_endings_are_refused(tmp_path: Path) -> None:
    """The endings there are get listed, and nothing is written."""
    with pytest.raises(DataError, match=r"expected a name ending in .csv, .csv.gz, .tsv, .tsv.gz or .parquet"):
        write_rows(state_columns(DATA.schema, DATA.codes), tmp_path / "rows.xlsx")
    assert not list(tmp_path.iterdir())


def table_of_all_kinds() -> dict[str, list[object]]:
    """Columns whose order or cut points could get lost."""
    return {
        "bmi": [18 + i / 7 for i in range(60)],
        "day": [datetime.date(2020, 1, 1) + datetime.timedelta(i) for i in range(60)],
        "age": [None if i % 9 == 0 else i for i in range(60)],
        "pain": [("bad", "no", "some")[i % 3] for i in range(60)],
        "stars": [1 + i % 4 for i in range(60)],
    }


ORDERS: dict[str, Iterable[State]] = {
    "pain": ldag.ordered(["no", "some", "bad", "worst"]),
    "stars": ldag.ordered([1, 2, 3, 4, 5]),
}


@pytest.mark.parametrize("ending", [".parquet", ".csv"])
def test_written_bins_come_back_with_their_cut_points(ending: str, tmp_path: Path) -> None:
    """Intervals are understood again, beside a state for missing cells; Parquet also keeps orders and unused states."""
    data = ldag.read(table_of_all_kinds(), bins={"age": [20, 40, 99]}, missing="state", states=ORDERS)
    path = tmp_path / f"rows{ending}"
    write_rows({**state_columns(data.schema, data.codes), "count": data.whole_weights}, path, data.variables)
    again = ldag.read(path, counts="count")
    kept = ["bmi", "day", "age", "pain", "stars"] if ending == ".parquet" else ["bmi", "day", "age"]
    assert [again.schema[again.schema.node(name)] for name in kept] == [data.schema[data.schema.node(n)] for n in kept]
    assert again.total == data.total
    assert any(note.startswith("bmi: its states are intervals, cut at ") for note in again.notes)
    assert ldag.read(data.to_frame("polars"), counts="count").select(kept[:3]) == data.select(kept[:3])


numbers = st.floats(-1e9, 1e9).map(lambda x: x + 0.0)
dates = st.dates().map(str)


@given(st.one_of(st.sets(numbers, min_size=1, max_size=6), st.sets(dates, min_size=1, max_size=6)), st.data())
def test_cut_points_are_read_from_the_names_of_bins(points: set[float] | set[str], draw: st.DataObject) -> None:
    """To the last digit, also if bins are left out whose neighbours are there."""
    cuts = check_cuts(sorted(points), "x")
    states = bin_states(cuts)
    assert cuts_in(states) == cuts
    some = draw.draw(st.sets(st.sampled_from(states), min_size=1))
    found = cuts_in(some)
    if found is not None:
        assert set(found) <= set(cuts)
        assert some <= set(bin_states(found))


@pytest.mark.parametrize(
    "states",
    [
        ["<= 1"],
        ["<= 1", 2],
        ["(1, 2]", "(2, 3]"],
        ["<= x", "> x"],
        ["<= 1", "> 2020-01-01"],
        ["<= 1.0", "> 1"],
        ["<= inf", "> 2"],
        ["<= 2", "> 1"],
    ],
)
def test_other_texts_are_no_bins(states: list[object]) -> None:
    """A single state, inner intervals alone, other spellings, mixed kinds and overlaps."""
    assert cuts_in(states) is None
