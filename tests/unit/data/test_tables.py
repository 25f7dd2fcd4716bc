"""The contract of tables: wherever the rows lie, the same questions have the same answers."""

import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ldag
from ldag.data import MemoryTable, Table, read_table, select_columns
from ldag.data.notes import Note

CELLS: dict[str, list[str | None]] = {"a": ["x", "y", "x", None, "x"], "b": ["u", "u", "v", "v", "u"]}


def write_text(folder: Path) -> Path:
    """Write the cells as text."""
    path = folder / "t.csv"
    pl.DataFrame(CELLS).write_csv(path)
    return path


def write_parquet(folder: Path) -> Path:
    """Write the cells as Parquet."""
    path = folder / "t.parquet"
    pl.DataFrame(CELLS).write_parquet(path)
    return path


HOMES: dict[str, Callable[[Path], object]] = {
    "mapping": lambda _: CELLS,
    "frame": lambda _: pl.DataFrame(CELLS),
    "lazy frame": lambda _: pl.LazyFrame(CELLS),
    "text": write_text,
    "parquet": write_parquet,
}


@pytest.fixture(params=HOMES)
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Table:
    """The same rows in every home."""
    return read_table(HOMES[request.param](tmp_path))


def test_every_home_answers(table: Table) -> None:
    """Names, rows, and that it is a table."""
    assert isinstance(table, Table)
    assert (table.names, table.n_rows, table.notes) == (("a", "b"), 5, ())


def test_values_are_counted(table: Table) -> None:
    """A survey lists the values that are no gaps, and how often each occurs."""
    survey = table.survey(0)
    assert dict(zip(survey.column.given, survey.times_given, strict=True)) == {"x": 3, "y": 1}
    assert survey.n_rows == 5


def test_columns_keep_the_order_of_rows(table: Table) -> None:
    """Row by row, with the first row of a gap."""
    column = table.column(0)
    given = [None if at < 0 or column.gaps[at] else column.values[at] for at in column.positions.tolist()]
    assert given == CELLS["a"]
    gaps = np.flatnonzero(column.gaps).tolist()
    assert column.first_row([-1, *gaps]) == 4


def test_merged_rows_are_the_rows(table: Table) -> None:
    """Each row as often as it occurs, merged or not."""
    columns, times = table.merge([0, 1], [None, None])
    rows = [
        tuple(None if at < 0 or column.gaps[at] else column.values[at] for at in column.positions.tolist())
        for column in columns
    ]
    counts: dict[tuple[object, ...], int] = {}
    for row, n in zip(zip(*rows, strict=True), [1] * len(rows[0]) if times is None else times.tolist(), strict=True):
        counts[row] = counts.get(row, 0) + n
    assert counts == {("x", "u"): 2, ("y", "u"): 1, ("x", "v"): 1, (None, "v"): 1}


def test_complete_rows_are_surveyed(table: Table) -> None:
    """Rows without a gap, and their share."""
    part, share = table.complete([0, 1], [None, None])
    survey = part.survey(1)
    assert share == pytest.approx(4 / 5)
    assert dict(zip(survey.column.given, survey.times_given, strict=True)) == {"u": 3, "v": 1}


def test_columns_are_selected(table: Table) -> None:
    """Some columns, in another order."""
    some = select_columns(table, [1])
    assert (some.names, some.n_rows, set(some.column(0).given)) == (("b",), 5, {"u", "v"})


def test_rows_may_occur_several_times() -> None:
    """A table in memory may say how often each row occurs; shares and surveys count that."""
    source = read_table(CELLS)
    table = MemoryTable(source.names, source.n_rows, source.column, times=np.array([1, 0, 2, 5, 2]))
    part, share = table.complete([0], [None])
    assert share == pytest.approx(0.5)
    assert part.survey(1).times.tolist() == [0, 3, 2]


def test_columns_are_made_once() -> None:
    """However often reading asks for them."""
    made = []
    source = read_table(CELLS)

    def make(place: int) -> ldag.data.Column:
        made.append(place)
        return source.column(place)

    ldag.read(MemoryTable(source.names, source.n_rows, make), missing="drop")  # type: ignore[arg-type]  # a table
    assert sorted(made) == [0, 1]


def test_notes_know_what_was_lost() -> None:
    """By a field and not by their words, also in another process."""
    data = ldag.read({"a": ["left out", None, "x"] * 9, "b": ["u", "u", "v"] * 9}, missing="drop")
    lost = [note for note in data.notes if isinstance(note, Note) and note.lost]
    assert [(note.lost, note.of_gaps) for note in lost] == [("rows", True)]
    copy = pickle.loads(pickle.dumps(lost[0]))
    assert (copy, copy.lost, copy.of_gaps) == (lost[0], "rows", True)
