"""Measurements and where they are cut."""

import datetime
import decimal
import enum
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ldag
from ldag.data import read
from ldag.data.measurements import Binning, find_cuts, join_intervals, quantiles
from ldag.errors import LdagError

RNG = np.random.default_rng(7)
BMI = RNG.normal(25, 4, 200)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.integers(-50, 50), min_size=1, max_size=60), st.integers(2, 9))
def test_quantiles_are_those_of_numpy(values: list[int], n_bins: int) -> None:
    """Every value so many times, with and without ties."""
    real = np.array(values) / 7
    distinct, times = np.unique(real, return_counts=True)
    shares = np.arange(1, n_bins) / n_bins
    found = quantiles(distinct, times.astype(np.int64), shares)
    np.testing.assert_allclose(np.asarray(found, dtype=float), np.quantile(real, shares), rtol=1e-13, atol=1e-13)


def test_many_numbers_are_cut_into_quartiles_and_told() -> None:
    """More than 20 different values; the cut points are numpy's quantiles, with no more digits than are needed."""
    data = read({"bmi": BMI, "x": np.arange(200) % 2})
    (variable, _) = data.variables
    exact = np.quantile(BMI, [0.25, 0.5, 0.75])
    assert variable.cuts == pytest.approx(exact, rel=1e-5)
    assert max(len(repr(cut)) for cut in variable.cuts) <= 7
    assert (np.searchsorted(variable.cuts, BMI) == np.searchsorted(exact, BMI)).all()
    assert data.counts("bmi").tolist() == [[50, 50, 50, 50]]
    assert data.notes[0].startswith("bmi: 200 values, cut at ")
    assert data.notes[0].endswith(" (quartiles)")
    assert data.notes[0] in str(data)
    assert read({"x": list(range(20)) * 2}).variables[0].cuts == ()


def test_texts_for_gaps_are_no_values(tmp_path: Path) -> None:
    """NA is not counted among the different values that are told."""
    (tmp_path / "t.csv").write_text("x,y\n" + "".join(f"{i / 4},a\n" for i in range(30)) + "NA,a\n")
    assert read(tmp_path / "t.csv", missing="drop").notes[0].startswith("x: 30 values, cut at ")


def test_every_way_of_cutting() -> None:
    """A number, cut points, quantiles, widths, by column or for all, and not at all."""
    table = {"bmi": BMI, "age": np.arange(200) % 90}
    assert len(read(table, bins={"bmi": 5}).states("bmi")) == 5
    given = read(table, bins={"bmi": [20, 25.5], "age": "width:3"})
    assert given.states("bmi") == ("<= 20", "(20, 25.5]", "> 25.5")
    low, high = given.variables[1].cuts
    assert (low, high) == pytest.approx((89 / 3, 178 / 3), rel=1e-5)
    assert given.counts("bmi").tolist() == [[(BMI <= 20).sum(), ((BMI > 20) & (BMI <= 25.5)).sum(), (BMI > 25.5).sum()]]
    assert [v.n_states for v in read(table, bins="quantile:3").variables] == [3, 3]
    with pytest.raises(LdagError, match="'bmi' has 200 states"):
        read(table, bins={"bmi": None, "age": 4})


def test_ties_make_fewer_bins_and_none_is_empty() -> None:
    """Quantiles that fall together, or on the largest value."""
    zeros = [0] * 180 + list(range(1, 31))
    data = read({"x": zeros})
    assert data.variables[0].cuts == (0.0,)
    top = [100] * 180 + list(range(30))
    assert read({"x": top}).counts("x").min() > 0


def test_information_is_kept_where_it_is() -> None:
    """Hartemink's joining, by hand: x in six intervals, y depends on x <= 2 only.

    Rows of (x, y) with y = 1 for x > 2. Joining 0-1, 1-2, 3-4 or 4-5 loses nothing and joining 2-3 loses all, so with
    two intervals left the cut is between 2 and 3: ends are [2].
    """
    x = np.repeat(np.arange(6), 10)
    codes = np.stack([x, (x > 2).astype(int)]).astype(np.int64)
    assert join_intervals(codes, [6, 2], np.ones(60), {0: 2}) == {0: [2]}
    # The second example: counts of y=1 in four intervals of 8 are 0, 1, 4, 8. Joining 0-1 keeps 0.3853 nats, 1-2 keeps
    # 0.3649, 2-3 keeps 0.3001 of the 0.4080, so 0-1 goes first; then 01-2 (0.2917) loses less than 2-3 (0.2774).
    ones = [0, 1, 4, 8]
    x = np.repeat(np.arange(4), 8)
    y = np.concatenate([[1] * n + [0] * (8 - n) for n in ones])
    assert join_intervals(np.stack([x, y]).astype(np.int64), [4, 2], np.ones(32), {0: 3}) == {0: [1, 2]}
    assert join_intervals(np.stack([x, y]).astype(np.int64), [4, 2], np.ones(32), {0: 2}) == {0: [2]}
    age = RNG.uniform(0, 100, 2000)
    data = read({"age": age, "ill": (age > 62).astype(int)}, bins={"age": "information:2"})
    assert data.variables[0].cuts[0] == pytest.approx(62, abs=2)


def test_information_is_kept_from_fifty_quantiles() -> None:
    """So that an interval of two hundredths of the rows can stay by itself."""
    cuts = find_cuts(np.arange(1000.0), np.ones(1000, dtype=np.int64), Binning("information", 4))
    assert len(cuts) == 49
    assert all(isinstance(cut, float) and abs(cut - 20 * number) < 1 for number, cut in enumerate(cuts, start=1))


def test_dates_are_cut_like_numbers_and_shown_as_dates(tmp_path: Path) -> None:
    """From Python, pandas, polars, Parquet and text: the same variable."""
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(d) for d in range(100)]
    expected = read({"day": days})
    assert expected.variables[0].cuts == ("2020-01-25", "2020-02-19", "2020-03-15")
    assert expected.states("day")[0] == "<= 2020-01-25"
    frame = pl.DataFrame({"day": days})
    frame.write_parquet(tmp_path / "d.parquet")
    frame.write_csv(tmp_path / "d.csv")
    for source in (frame, frame.lazy(), tmp_path / "d.parquet", tmp_path / "d.csv"):
        assert read(source) == expected
    assert read(pd.DataFrame({"day": pd.to_datetime(days)})).counts("day").tolist() == expected.counts("day").tolist()
    assert expected.variables[0].code("2020-02-01") == 1


class Size(enum.IntEnum):
    """An enumeration with an order."""

    small = 1
    large = 2


def test_dates_with_slashes_are_dates(tmp_path: Path) -> None:
    """Year first; in files and in memory, few and many, and cut points are shown as ISO dates."""
    days = [f"2012/{1 + i % 12:02}/{1 + i % 28:02}" for i in range(84)]
    (tmp_path / "t.csv").write_text("d\n" + "\n".join(days) + "\n")
    own = read(tmp_path / "t.csv")
    assert own.variables == read({"d": np.array([day.replace("/", "-") for day in days], "M8[D]")}).variables
    many = np.datetime_as_string(np.datetime64("2012-01-01") + np.arange(1500)).tolist()
    (tmp_path / "m.csv").write_text("d\n" + "\n".join(day.replace("-", "/") for day in many) + "\n")
    (tmp_path / "i.csv").write_text("d\n" + "\n".join(many) + "\n")
    assert read(tmp_path / "m.csv") == read(tmp_path / "i.csv")


def test_counted_rows_may_all_differ() -> None:
    """A table of counts has every state once, and that makes it no identifier."""
    data = read({"town": [f"t{i}" for i in range(40)], "n": [1 + i % 7 for i in range(40)]}, counts="n")
    assert len(data.states("town")) == 40


def test_intervals_periods_decimals_and_enumerations_keep_their_order() -> None:
    """What pandas and Python have for groups of values."""
    cut = pd.DataFrame({"x": pd.cut([1.0, 5.0, 9.0], [0, 3, 6, 10])})
    assert read(cut).states("x") == ("(0, 3]", "(3, 6]", "(6, 10]")
    assert read(cut).variables[0].ordered
    quarters = pd.DataFrame({"q": pd.PeriodIndex(["2020Q2", "2019Q4"], freq="Q")})
    assert read(quarters).states("q") == ("2019Q4", "2020Q2")
    assert read({"p": [decimal.Decimal("1.5"), decimal.Decimal(2)]}).states("p") == (1.5, 2)
    sizes = read({"s": [Size.large, Size.large]})
    assert (sizes.states("s"), sizes.variables[0].ordered) == (("small", "large"), True)
    ranked = pd.DataFrame({"r": pd.Categorical(["lo", "hi"], categories=["lo", "mid", "hi"], ordered=True)})
    assert read(ranked).variables[0].ordered


def test_the_model_knows_its_cut_points(tmp_path: Path) -> None:
    """Queries, predictions, updates and scores on raw numbers are those on bins, also after saving and loading."""
    rng = np.random.default_rng(3)
    bmi = rng.normal(25, 4, 400)
    table = {"bmi": bmi, "ill": (bmi + rng.normal(0, 2, 400) > 27).astype(int)}
    data = read(table)
    graph = ldag.LDAG.from_edges([("bmi", "ill")], states={v.name: v for v in data.variables})
    net = ldag.Network.from_data(graph, data)
    net.save(tmp_path / "m.json")
    again = ldag.Network.load(tmp_path / "m.json")
    assert again.variables[0].cuts == data.variables[0].cuts
    state = data.variables[0].states[data.variables[0].code(31.2)]
    assert again.query("ill", given={"bmi": 31.2}) == net.query("ill", given={"bmi": state})
    binned = [data.variables[0].states[data.variables[0].code(x)] for x in bmi[:50].tolist()]
    np.testing.assert_array_equal(
        again.predict_proba({"bmi": bmi[:50]}, "ill"), net.predict_proba({"bmi": binned}, "ill")
    )
    assert again.log_likelihood(table) == net.log_likelihood(data)
    assert again.update(table) == net.update(data)
    assert ldag.score(again.ldag, table, kappa=0.1) == ldag.score(graph, data, kappa=0.1)


@pytest.mark.parametrize(
    ("bins", "message"),
    [
        ("quartiles", "bins must be auto, model, none, a number of bins, cut points, or one of quantile:4"),
        (1, "a number of bins must be from 2 to 50, got 1"),
        ({"z": 4}, "bins: the table has no column 'z'"),
        ({"x": [3, 2]}, "cut points must increase, got 3.0 before 2.0"),
        ({"x": []}, "give at least one cut point"),
        ({"t": 4}, "column 't' cannot be cut: it holds 'a', which is no number"),
        ({"x": ["2020-01-01"]}, "holds numbers, but its cut points are of another kind"),
        (True, "must be 'auto', None, a number of bins or a list of cut points, got True"),
    ],
)
def test_wrong_bins_are_refused(bins: object, message: str) -> None:
    """Each with what was expected."""
    with pytest.raises(LdagError) as caught:
        read({"x": np.arange(30.0) / 7, "t": ["a", "b"] * 15}, bins=bins)  # type: ignore[arg-type]  # mistakes
    assert message in str(caught.value)
