"""The data sets that come with the library."""

import pytest

from ldag import datasets
from ldag.errors import ArgumentError


@pytest.mark.parametrize(
    ("name", "total", "n_states"),
    [("heart", 1841, (2,) * 6), ("titanic", 2201, (4, 2, 2, 2)), ("ucb", 4526, (2, 2, 6))],
)
def test_totals_and_states_are_the_published_ones(name: str, total: int, n_states: tuple[int, ...]) -> None:
    """Every person is there."""
    data = datasets.load(name)
    assert data.total == total
    assert tuple(variable.n_states for variable in data.variables) == n_states
    assert name in datasets.names()


def test_marginals_of_the_titanic() -> None:
    """Passengers by class and survivors, as the Board of Trade counted them."""
    data = datasets.load("titanic")
    assert data.counts("class").tolist() == [[325, 285, 706, 885]]
    assert dict(zip(data.states("survived"), data.counts("survived")[0].tolist(), strict=True)) == {
        "No": 1490,
        "Yes": 711,
    }


def test_simpsons_paradox_in_berkeley() -> None:
    """1,755 of the 4,526 were admitted; 1,835 were women."""
    data = datasets.load("ucb")
    assert data.counts("admitted").tolist() == [[1755, 2771]]
    assert data.counts("gender").tolist() == [[2691, 1835]]


def test_states_stand_in_their_natural_order() -> None:
    """Low comes before high, and no before yes."""
    data = datasets.load("heart")
    assert data.names == ("smoking", "mental", "physical", "pressure", "protein", "family")
    assert data.states("smoking") == ("no", "yes")
    assert data.states("pressure") == ("<140", ">140")
    assert data.states("protein") == ("<3", ">3")


def test_cells_of_the_heart_data_stand_as_printed() -> None:
    """Mental work, no physical work, low pressure, low ratio, healthy family: 112 who do not smoke, 67 who do."""
    table = datasets.load("heart").counts("smoking", ["mental", "physical", "pressure", "protein", "family"])
    assert table[0].tolist() == [44, 40]
    assert table[16].tolist() == [112, 67]


def test_an_unknown_name_is_refused_with_a_suggestion() -> None:
    """A near miss is guessed; otherwise all names are listed."""
    with pytest.raises(ArgumentError, match=r"no data set 'hart'; did you mean 'heart'\?"):
        datasets.load("hart")
    with pytest.raises(ArgumentError, match="expected one of 'heart', 'titanic', 'ucb'"):
        datasets.load("iris")
