"""Tables with their gaps filled: what comes back, what is refused, and what seeds do."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ldag
from ldag import LDAG, Network, datasets, read
from ldag.errors import ArgumentError, DataError, ImpossibleEvidence, UnknownState, UnknownVariable
from ldag.model import Variable
from ldag.network.imputing import SWEEPS

HEART = Network.from_data(datasets.graph("heart"), datasets.load("heart"))
ROWS: dict[str, list[Any]] = {
    "id": [11, 12, 13, 14],
    "smoking": ["yes", None, "no", None],
    "pressure": [None, ">140", "<140", None],
    "mental": ["no", "no", "no", "yes"],
}


def test_pandas_keeps_index_types_and_other_columns() -> None:
    """Order, index, categories and columns that the network does not know are as they were."""
    frame = pd.DataFrame(ROWS, index=[5, 3, 8, 1])
    frame["pressure"] = frame["pressure"].astype(pd.CategoricalDtype(["<140", ">140"]))
    before = frame.copy()
    filled = HEART.impute(frame)
    pd.testing.assert_frame_equal(frame, before)
    assert list(filled.index) == [5, 3, 8, 1]
    assert filled.dtypes.to_dict() == frame.dtypes.to_dict()
    assert not filled.isna().any().any()
    for name, cells in ROWS.items():
        assert all(new == old for new, old in zip(filled[name], cells, strict=True) if old is not None)


def test_every_kind_of_table_comes_back() -> None:
    """Pandas, polars, pyarrow, mappings of lists, arrays and series, and data sets have the same states."""
    expected = HEART.impute(ROWS)
    assert isinstance(expected, dict)
    assert type(expected["smoking"]) is list
    assert HEART.impute(pd.DataFrame(ROWS)).to_dict("list") == expected
    assert HEART.impute(pl.DataFrame(ROWS)).to_dict(as_series=False) == expected
    assert HEART.impute(pa.table(ROWS)).to_pydict() == expected
    mixed: dict[str, Any] = HEART.impute(
        {
            "smoking": pl.Series(ROWS["smoking"]),
            "pressure": np.array(ROWS["pressure"], dtype=object),
            "mental": tuple(ROWS["mental"]),
            "id": ROWS["id"],
        }
    )
    assert isinstance(mixed["smoking"], pl.Series)
    assert isinstance(mixed["mental"], tuple)
    assert {name: list(cells) for name, cells in mixed.items()} == expected
    data = read(pd.DataFrame(ROWS), missing="keep", columns=["smoking", "pressure", "mental"])
    assert HEART.impute(data) == read({name: expected[name] for name in data.names}).aligned_to(
        HEART.impute(data).schema
    )


def test_types_of_polars_and_pyarrow_are_kept() -> None:
    """Categories and numbers stay what they are."""
    frame = pl.DataFrame(ROWS, schema_overrides={"smoking": pl.Enum(["no", "yes"]), "pressure": pl.Categorical})
    assert HEART.impute(frame).schema == frame.schema
    table = pa.table({**ROWS, "smoking": pa.array(ROWS["smoking"]).dictionary_encode()})
    assert HEART.impute(table).schema == table.schema


@pytest.mark.parametrize("make", [pl.DataFrame, pa.table, pd.DataFrame])
def test_columns_of_nothing_but_gaps_are_filled(make: Any) -> None:
    """Also where a library knows no type for them."""
    filled = HEART.impute(make({"smoking": ["yes", "no"], "mental": [None, None]}))
    assert all(cell in {"no", "yes"} for cell in filled["mental"].to_numpy())


def test_numbers_stay_numbers() -> None:
    """States 0 and 1 fill a column of floats with floats, one of nullable whole numbers with whole ones."""
    graph = LDAG.from_edges([("a", "b")], states={"a": [0, 1], "b": [0, 1]})
    net = Network.from_parameters(graph, {"a": [0.1, 0.9], "b": [[0.9, 0.1], [0.2, 0.8]]})
    frame = pd.DataFrame({"a": [0.0, np.nan], "b": pd.array([None, 1], dtype="Int64")})
    filled = net.impute(frame)
    assert filled.dtypes.to_dict() == frame.dtypes.to_dict()
    assert filled.to_dict("list") == {"a": [0.0, 1.0], "b": [0, 1]}
    array = net.impute(np.array([[0.0, np.nan], [np.nan, 1.0]]))
    assert array.dtype == np.float64
    assert array.tolist() == [[0.0, 0.0], [1.0, 1.0]]


def test_bins_are_texts() -> None:
    """A gap in a measurement gets the text of its bin: among numbers in pandas, among texts in polars and pyarrow."""
    age = Variable.of_bins("age", [30, 50])
    graph = LDAG.from_edges([("old", "age")], states={"old": ["no", "yes"], "age": age})
    net = Network.from_parameters(graph, {"old": [0.5, 0.5], "age": [[0.7, 0.2, 0.1], [0.1, 0.1, 0.8]]})
    rows: dict[str, list[Any]] = {"old": ["yes", "no", "no"], "age": [None, 20.5, None]}
    assert net.impute(pd.DataFrame(rows))["age"].tolist() == ["> 50", 20.5, "<= 30"]
    assert net.impute(pl.DataFrame(rows))["age"].to_list() == ["> 50", "20.5", "<= 30"]
    assert net.impute(pa.table(rows))["age"].to_pylist() == ["> 50", "20.5", "<= 30"]


def test_draws_of_a_data_set() -> None:
    """Rows that were merged are drawn one by one, and a full data set is itself."""
    data = read({"smoking": [None] * 1000, "mental": ["no"] * 1000}, missing="keep", states={"smoking": ["no", "yes"]})
    (drawn,) = HEART.impute(data, 1, rng=1)
    assert drawn.total == 1000
    share = HEART.query("smoking", {"mental": "no"})["yes"]
    assert drawn.counts("smoking")[0, 1] / 1000 == pytest.approx(share, abs=0.06)
    full = datasets.load("heart")
    assert HEART.impute(full) is full
    assert HEART.impute(full, 2, rng=1) == [full, full]


def test_a_full_table_is_that_table() -> None:
    """There is nothing to fill."""
    frame = pd.DataFrame({"smoking": ["no", "yes"], "pressure": ["<140", ">140"]})
    pd.testing.assert_frame_equal(HEART.impute(frame), frame)
    for table in HEART.impute(frame, 2, rng=1):
        pd.testing.assert_frame_equal(table, frame)


def test_seeds() -> None:
    """Equal seeds give equal draws, others others; rows with equal cells differ; more tables begin with the same."""
    table: dict[str, list[Any]] = {"smoking": [None] * 200, "mental": ["no"] * 200}
    first = HEART.impute(table, 2, rng=1)
    assert HEART.impute(table, 2, rng=1) == first
    assert HEART.impute(table, 3, rng=1)[:2] == first
    assert HEART.impute(table, 2, rng=2) != first
    assert first[0] != first[1]
    assert set(first[0]["smoking"]) == {"no", "yes"}
    assert HEART.impute(table, 2, rng=1, proper=True) != HEART.impute(table, 2, rng=2, proper=True)


def test_states_that_are_not_known() -> None:
    """They are refused, or taken as gaps."""
    table = {"smoking": ["yes", "never"], "mental": ["no", "no"]}
    with pytest.raises(UnknownState, match="variable 'smoking' has no state 'never'"):
        HEART.impute(table)
    assert HEART.impute(table, unseen="ignore")["smoking"][0] == "yes"
    assert HEART.impute(table, unseen="ignore")["smoking"][1] in ("no", "yes")


def test_latent_variables_get_no_column() -> None:
    """One that has a column is filled in; `predict_proba` tells of others."""
    graph = LDAG.from_edges([("h", "a"), ("h", "b")], states={n: ["0", "1"] for n in "hab"}, latent="h")
    net = Network.from_parameters(
        graph, {"h": [0.5, 0.5], "a": [[0.9, 0.1], [0.1, 0.9]], "b": [[0.8, 0.2], [0.2, 0.8]]}
    )
    assert net.impute({"a": ["1", None], "b": [None, "0"]}) == {"a": ["1", "0"], "b": ["1", "0"]}
    assert net.impute({"a": ["1"], "b": ["1"], "h": [None]})["h"] == ["1"]
    (drawn,) = net.impute({"a": ["1", None], "b": [None, "0"]}, 1, rng=1)
    assert list(drawn) == ["a", "b"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 0}, r"^n must be a whole number, 1 or more, got 0$"),
        ({"n": 2.5}, r"^n must be a whole number, 1 or more, got 2.5$"),
        ({"by": "column"}, r"^no by 'column'"),
        ({"proper": True}, r"^proper is for draws; say how many with n=5$"),
        ({"rng": 1}, r"^rng is for draws; say how many with n=5$"),
        ({"n": 2, "by": "cell"}, r"^by is for what is most probable, and draws are of whole rows$"),
        ({"unseen": "drop"}, r"^no unseen 'drop'"),
        ({"n": 2, "rng": -1}, r"^rng must be a whole number, 0 or more"),
    ],
)
def test_wrong_arguments(options: dict[str, Any], message: str) -> None:
    """No option is ignored."""
    with pytest.raises(ArgumentError, match=message):
        HEART.impute(ROWS, **options)


def test_wrong_tables() -> None:
    """Paths, lazy tables, tables without a known column, and what is no table."""
    with pytest.raises(DataError, match=r"got the path 'survey.csv'; read it with pandas"):
        HEART.impute("survey.csv")
    with pytest.raises(DataError, match=r"a lazy table has no rows yet; collect\(\) it first, got a LazyFrame"):
        HEART.impute(pl.LazyFrame(ROWS))
    with pytest.raises(UnknownVariable, match="the data have no column that the network knows: no variable 'x'"):
        HEART.impute({"x": [1]})
    with pytest.raises(DataError, match="cannot read a int"):
        HEART.impute(3)


def test_impossible_rows() -> None:
    """Nothing follows from what cannot be; the row is named."""
    graph = LDAG.from_edges([("a", "b"), ("a", "c")], states={n: ["0", "1"] for n in "abc"})
    net = Network.from_parameters(graph, {"a": [1, 0], "b": [[1, 0], [0, 1]], "c": [[0.5, 0.5], [0.5, 0.5]]})
    rows = {"b": ["0", "1"], "c": [None, None]}
    for options in ({}, {"by": "cell"}, {"n": 2}):
        with pytest.raises(ImpossibleEvidence, match="row 2 has probability zero in this network, so nothing can be"):
            net.impute(rows, **options)


def test_proper_draws_need_a_posterior() -> None:
    """A network that was given by probabilities has none."""
    net = ldag.Network.from_parameters(HEART.ldag, {v.name: HEART.parameters(v.name) for v in HEART.variables})
    with pytest.raises(ArgumentError, match="proper=True draws parameters from their posterior, and this network was"):
        net.impute(ROWS, 2, proper=True)


def test_steps_between_imputations() -> None:
    """Twenty: at ten thousand rows a tenth of which are gaps, what is left of the dependence is far below noise."""
    assert SWEEPS == 20


def test_filled_data_say_what_nobody_saw() -> None:
    """They have no gaps, and say so no more; cells that were filled in are counted with the weights of their rows."""
    table: dict[str, list[Any]] = {"smoking": ["yes", None, None], "mental": ["no", "no", None], "times": [1, 2, 3]}
    data = read(table, missing="keep", counts="times", states={"mental": ["no", "yes"], "smoking": ["no", "yes"]})
    assert data.notes == ("5 of 6 observations have gaps (smoking, mental): kept",)
    (once,) = HEART.impute(data, n=1, rng=1)
    for filled in (HEART.impute(data), once):
        assert not filled.has_gaps
        assert filled.notes == ("8 missing cells filled in (smoking, mental)",)
