"""Cells taken out of data: how many, what that depends on, and that nothing else changes."""

from typing import Any

import numpy as np
import pytest

import ldag
from ldag.data import GAP
from ldag.errors import ArgumentError, DataError, LdagError
from ldag.simulate import gaps

N = 4000


def independent(n: int = N) -> ldag.Dataset:
    """Return columns that have nothing to do with each other, of 2 to 4 states."""
    rng = np.random.default_rng(1)
    return ldag.read({f"x{i}": rng.integers(0, 2 + i % 3, n) for i in range(6)})


DATA = independent()


@pytest.mark.parametrize("how", ["mcar", "mar", "mnar"])
@pytest.mark.parametrize("share", [0.05, 0.3])
def test_the_share_of_all_cells_is_that_asked_for(how: Any, share: float) -> None:
    """Within four standard deviations of as many independent draws."""
    some = gaps(DATA, share, how, rng=3)
    n = N * 6
    assert abs(some.gaps().n_cells / n - share) < 4 * (share * (1 - share) / n) ** 0.5
    assert some.total == DATA.total
    assert some.schema == DATA.schema


def rows_of(data: ldag.Dataset) -> set[tuple[int, ...]]:
    """Return the different rows."""
    return set(map(tuple, data.codes.T.tolist()))


@pytest.mark.parametrize("how", ["mcar", "mar", "mnar"])
def test_cells_that_stay_are_those_that_were(how: Any) -> None:
    """Every row agrees with a row that there was, wherever it is seen; columns keep their counts but for lost cells."""
    data = ldag.datasets.load("heart")
    some = gaps(data, 0.2, how, rng=2)
    before = rows_of(data)
    for row in rows_of(some):
        assert any(all(a in (b, GAP) for a, b in zip(row, other, strict=True)) for other in before)
    for name in data.names:
        assert (some.counts(name, observed=True) <= data.counts(name)).all()


def dependence(some: ldag.Dataset) -> dict[str, set[str]]:
    """Return what the gaps of each column depend on, clearly."""
    result: dict[str, set[str]] = {}
    for column, other, _ in some.gaps().depends_on:
        result.setdefault(column, set()).add(other)
    return result


def test_completely_at_random_depends_on_nothing() -> None:
    """Neither on other columns, nor on what stood there: shares of states stay what they were."""
    some = gaps(DATA, 0.3, rng=5)
    assert dependence(some) == {}
    for name in DATA.names:
        before, after = DATA.counts(name)[0], some.counts(name, observed=True)[0]
        expected = 0.7 * before
        assert (abs(after - expected) < 4 * (0.21 * before) ** 0.5).all()


def test_at_random_depends_on_one_column_that_is_always_observed() -> None:
    """Four columns in six lose cells, each where another has some state; the others are complete."""
    some = gaps(DATA, 0.1, "mar", rng=5)
    shares = some.gaps().shares
    losing = {name for name, share in shares.items() if share}
    assert len(losing) == 4
    causes = dependence(some)
    assert set(causes) == losing
    for name, own in causes.items():
        (cause,) = own
        assert shares[cause] == 0
        counts = gap_table(some, name, cause)
        odds = np.log(counts[:, 0] / counts[:, 1])
        assert np.ptp(odds) == pytest.approx(4, abs=0.6)  # of 800 gaps and more


def gap_table(some: ldag.Dataset, name: str, cause: str) -> Any:
    """Count gaps and other cells of a column in each state of another."""
    own, other = (some.codes[some.schema.node(one)] for one in (name, cause))
    states = range(len(some.states(cause)))
    times = some.whole_weights
    return np.array([[times[(other == s) & ((own == GAP) == gap)].sum() for gap in (True, False)] for s in states])


def test_not_at_random_cannot_be_seen() -> None:
    """Nothing in the table tells, but states are lost at different rates."""
    some = gaps(DATA, 0.2, "mnar", rng=5)
    assert dependence(some) == {}
    for name in DATA.names:
        kept = some.counts(name, observed=True)[0] / DATA.counts(name)[0]
        odds = np.log((1 - kept) / kept)
        assert np.ptp(odds) == pytest.approx(4, abs=0.6)


@pytest.mark.parametrize("how", ["mcar", "mar", "mnar"])
def test_order_is_no_matter_and_seeds_are(how: Any) -> None:
    """The same cells are lost, whatever the order of rows and columns, and whether rows were merged before."""
    rng = np.random.default_rng(8)
    frame: Any = ldag.datasets.load("heart").to_frame()
    rows = frame.loc[frame.index.repeat(frame["count"])].drop(columns="count")
    mixed = rows.sample(frac=1, random_state=1)[rng.permutation(rows.columns)]
    states = {name: ["no", "yes"] if set(rows[name]) == {"no", "yes"} else sorted(set(rows[name])) for name in rows}
    one = gaps(ldag.read(rows, states=states), 0.2, how, rng=4)
    two = gaps(ldag.read(mixed, states=states), 0.2, how, rng=4)
    assert two.permuted(one.names).sorted() == one
    assert gaps(ldag.read(rows, states=states), 0.2, how, rng=5) != one


def test_named_columns_lose_cells_alone() -> None:
    """The share is one of all cells all the same; gaps that there were stay."""
    some = gaps(DATA, 0.1, "mar", columns=["x0", "x3"], rng=1)
    shares = some.gaps().shares
    assert {name for name, share in shares.items() if share} == {"x0", "x3"}
    assert shares["x0"] == pytest.approx(0.3, abs=0.03)
    again = gaps(some, 0.1, columns="x0", rng=1)
    assert again.gaps().shares["x3"] == shares["x3"]
    assert again.gaps().shares["x0"] == pytest.approx(0.3 + 0.7 * 0.6, abs=0.03)


def test_none_and_all() -> None:
    """Nothing is taken, or everything."""
    assert gaps(DATA, 0) == DATA
    assert (gaps(DATA, 1).codes == GAP).all()


MISTAKES: dict[str, tuple[Any, str]] = {
    "share": (lambda: gaps(DATA, 1.5), "share must be a number from 0 to 1, got 1.5"),
    "how": (lambda: gaps(DATA, how="mra"), "no how 'mra'; did you mean 'mar'"),  # type: ignore[arg-type]
    "table": (lambda: gaps({"x": [1]}), "data must be a Dataset, got dict; read it with"),  # type: ignore[arg-type]
    "column": (lambda: gaps(DATA, columns=["x9"]), "no variable 'x9'"),
    "no column": (lambda: gaps(DATA, columns=[]), "columns must name at least one column"),
    "too much": (lambda: gaps(DATA, 0.2, columns="x1"), "share is 0.2, but the columns that lose cells have a share"),
    "alone": (lambda: gaps(DATA.select("x1"), how="mar"), "gaps can depend on other columns"),
    "all": (lambda: gaps(DATA, how="mar", columns=DATA.names), "gaps can depend on other columns"),
    "weights": (lambda: gaps(ldag.read({"x": [1, 2], "w": [0.5, 1]}, weights="w")), "the data have real weights"),
    "rows": (lambda: gaps(gaps(DATA, 1).complete_rows()), "the data have no rows"),
    "size": (lambda: gaps(ldag.read({"x": [1, 2], "n": [10**12, 1]}, counts="n")), "1,000,000,000,001 observations"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_refused(mistake: str) -> None:
    """With what was expected."""
    call, message = MISTAKES[mistake]
    with pytest.raises(LdagError, match=message) as error:
        call()
    assert isinstance(error.value, ArgumentError | DataError | LdagError)
