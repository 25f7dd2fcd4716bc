"""Data sets with gaps: cells that are missing and stay so."""

import numpy as np
import pytest

import ldag
from ldag.data import GAP, describe_size
from ldag.errors import DataError
from ldag.model import Schema, Variable

SCHEMA = Schema((Variable("x", ("a", "b")), Variable("y", (1, 2, 3))))


def _data(rows: list[list[int]], weights: list[float] | list[int] | None = None) -> ldag.Dataset:
    """Make data of rows in codes."""
    codes = np.array(rows, dtype=np.uint8).T
    return ldag.Dataset.from_codes(SCHEMA, np.ascontiguousarray(codes), None if weights is None else np.array(weights))


ROWS = [[0, 2], [GAP, 2], [0, 2], [1, GAP], [GAP, GAP], [GAP, 2]]


def test_equal_rows_are_merged_and_a_gap_is_no_state() -> None:
    """A gap equals a gap, and nothing else; rows with gaps come after those with a state there."""
    data = _data(ROWS)
    assert data.has_gaps
    assert data.codes.T.tolist() == [[0, 2], [1, GAP], [GAP, 2], [GAP, GAP]]
    assert data.weights is not None
    assert data.weights.tolist() == [2, 1, 2, 1]
    assert data == _data(ROWS[::-1])
    assert data != _data([[0, 2], [0, 2], [0, 2], [1, 0], [0, 0], [0, 2]])


def test_255_states_and_a_gap() -> None:
    """The last code is free for gaps, however many states there are."""
    schema = Schema((Variable("many", tuple(range(255))),))
    data = ldag.Dataset.from_codes(schema, np.array([[254, GAP, 254, 0]], dtype=np.uint8))
    assert data.codes.tolist() == [[0, 254, GAP]]
    assert data.complete_rows().counts("many")[0].tolist() == [1, *([0] * 253), 2]


def test_complete_rows() -> None:
    """Rows with gaps are left out; data without gaps are as they were."""
    complete = _data(ROWS).complete_rows()
    assert complete == _data([[0, 2], [0, 2]])
    assert complete.complete_rows() is complete
    assert complete.notes == ("4 of 6 observations left out, which have gaps",)
    table = {"x": ["a", None], "y": [None, "b"]}
    none = ldag.read(table, missing="keep").complete_rows()
    assert (none.total, none.gaps().complete) == (0, 0.0)
    assert none.notes[-1] == "2 of 2 observations left out, which have gaps"
    assert not any("kept" in note for note in none.notes)


def test_no_rows_are_nothing_to_learn_from() -> None:
    """Where every row has a gap, complete rows are none, and every door says so."""
    none = _data([[0, GAP], [GAP, 1]]).complete_rows()
    with pytest.raises(DataError, match=r"the data have no rows; where all have gaps, complete_rows\(\) leaves none"):
        ldag.learn(none)


def test_rows_with_gaps_are_counted_without_latent_variables() -> None:
    """A latent variable that nobody observed is no gap of a row; a column that it is not, or that some filled, is."""
    data = _data([[0, 2], [GAP, 2], [1, GAP]], [2, 3, 4])
    assert data.n_with_gaps == 7
    h = Variable("h", ("0", "1"), latent=True)
    assert data.with_unobserved([h]).n_with_gaps == 7
    assert _data([[0, 2], [1, 0]]).with_unobserved([h]).n_with_gaps == 0
    assert _data([[0, 2], [1, 0]]).with_unobserved([Variable("h", ("0", "1"))]).n_with_gaps == 2


def test_counting_refuses_gaps_unless_asked() -> None:
    """A family with gaps is counted where all of it is seen, if that is asked for; one without is counted."""
    data = _data([[0, 2], [0, 1], [1, GAP], [1, 0]])
    assert data.counts("x")[0].tolist() == [2, 2]
    with pytest.raises(DataError, match="y: some cells are gaps; observed=True counts the rows in which all are seen"):
        data.counts("x", ["y"])
    assert data.counts("x", ["y"], observed=True).tolist() == [[0, 1], [1, 0], [1, 0]]
    with pytest.raises(DataError, match="have gaps, and this needs every cell"):
        _ = data.columns


def test_other_columns_and_states_keep_gaps() -> None:
    """Selecting, permuting, aligning and merging keep gaps."""
    data = _data(ROWS)
    assert data.select("y").codes.tolist() == [[2, GAP]]
    assert data.permuted(["y", "x"]).codes.tolist() == data.codes[::-1].tolist()
    other = Schema((Variable("y", (3, 2, 1)), Variable("x", ("b", "a"))))
    aligned = data.aligned_to(other)
    assert aligned.codes.T.tolist() == [[0, 1], [0, GAP], [GAP, 0], [GAP, GAP]]
    assert aligned.aligned_to(SCHEMA) == data
    twice = data.merge(data)
    assert twice.total == 2 * data.total
    assert twice.codes.tolist() == data.codes.tolist()


def test_frames_have_none_for_gaps() -> None:
    """A gap is None among states."""
    frame = _data(ROWS).to_frame("polars")
    assert frame["x"].to_list() == ["a", "b", None, None]  # type: ignore[index]


def test_constants_are_those_seen() -> None:
    """A column with one state besides gaps takes no edges, and neither does one of gaps only."""
    assert _data([[0, 2], [GAP, 1], [0, GAP]]).constant_nodes == {0}
    assert _data([[0, GAP], [1, GAP]]).constant_nodes == {1}
    assert _data([[0, 1], [1, GAP], [GAP, 0]]).constant_nodes == set()


def test_shares_are_of_what_is_seen() -> None:
    """Gaps count for no state."""
    assert _data([[0, 2], [GAP, 1], [1, GAP], [0, 1]]).shares("x") == "a: 67 %, b: 33 %"


def test_observations_worth_of_cells() -> None:
    """Gaps count for nothing, and neither does what nobody could observe."""
    data = _data(ROWS, [1, 2, 3, 4, 5, 6])
    assert data.n_seen == (2 * (1 + 3) + (2 + 4 + 6)) / 2
    assert describe_size(data, "row") == "10 rows' worth of cells that are seen"
    assert data.complete_rows().n_seen == 4
    assert describe_size(data.complete_rows(), "row") == "4 rows"
    graph = ldag.LDAG.from_edges([("h", "x")], states={"h": [0, 1], "x": ["a", "b"]}, latent=["h"])
    assert ldag.read({"x": ["a", "b", None]}, missing="keep").aligned_to(graph.schema).n_seen == 2
