"""Dynamic networks put together, saved, drawn from, and refused with an error that says what to do."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ldag
from ldag.errors import ArgumentError, DataError, ImpossibleEvidence, LdagError, TooLarge, UnknownState, UnknownVariable
from tests.dynamics import draw_dynamic, draw_hmm

YES_NO = ["no", "yes"]


def weather(**names: Any) -> ldag.DynamicNetwork:
    """Rain that follows rain, in a place that is wet or dry."""
    states = {"place": ["dry", "wet"], "rain": YES_NO}
    first = ldag.LDAG.from_edges([("place", "rain")], states=states)
    transition = ldag.LDAG.from_edges(
        [("place", "rain"), ("rain@-1", "rain")],
        states={**states, "rain@-1": YES_NO},
        labels={("place", "rain"): [{"rain@-1": "yes"}]},
    )
    return ldag.DynamicNetwork.from_networks(
        ldag.Network.from_parameters(first, {"place": [0.5, 0.5], "rain": [[0.9, 0.1], [0.4, 0.6]]}),
        ldag.Network.from_parameters(
            transition, {"place": [0.5, 0.5], "rain@-1": [0.5, 0.5], "rain": [[1.0, 0.0], [0.3, 0.7], [0.6, 0.4]]}
        ),
        **names,
    )


def test_prints_say_what_there_is() -> None:
    """A line as its repr, and the distributions of both parts as its text."""
    net = weather()
    assert repr(net) == "<DynamicNetwork: 1 variable over time, 1 static, 1 lag, 6 parameters>"
    lines = str(net).splitlines()
    assert lines[0] == "Dynamic network: 1 variable over time, 1 static one, 1 lag, 6 parameters"
    assert (net.lags, net.static, net.changing) == (1, ("place",), ("rain",))
    assert lines[-4:] == [
        "  rain | place, rain@-1           no     yes",
        "    place=dry and rain@-1=no  1.0000  0.0000",
        "    rain@-1=yes               0.3000  0.7000",
        "    place=wet and rain@-1=no  0.6000  0.4000",
    ]


def test_files_give_it_back(tmp_path: Path) -> None:
    """Both networks with every number, and what columns are called."""
    net = draw_dynamic(3, 2, [2, 3, 2], 1)
    net.save(tmp_path / "net.json")
    assert ldag.DynamicNetwork.load(tmp_path / "net.json") == net
    with pytest.raises(LdagError, match=r"got a dynamic network; DynamicNetwork\.load reads it"):
        ldag.Network.load(tmp_path / "net.json")
    ldag.simulate.guard().save(tmp_path / "guard.json")
    with pytest.raises(LdagError, match="expected a dynamic network that ldag wrote, got a network"):
        ldag.DynamicNetwork.load(tmp_path / "guard.json")
    with pytest.raises(LdagError, match=r"a dynamic network is kept in a file that ends in \.json"):
        net.save(tmp_path / "net.bif")
    text = net.transition.ldag.to_text()
    assert ldag.LDAG.from_text(text) == net.transition.ldag


def test_histories_of_every_kind_say_the_same() -> None:
    """A mapping, pandas, polars, a panel that was read, a file; with the columns of groups and times or without."""
    net = weather(groups="town", time="day")
    columns: dict[str, list[Any]] = {"town": ["a", "a", "a"], "day": [3, 4, 6], "rain": ["no", None, "yes"]}
    expected = net.smooth({"rain": ["no", None, None, "yes"]})
    histories = [columns, pd.DataFrame(columns), pl.DataFrame(columns)]
    two = {name: [*cells, cells[0] if name != "town" else "b"] for name, cells in columns.items()}
    panel = ldag.read(two, groups="town", time="day", states={"rain": YES_NO}, missing="keep")
    for history in histories:
        assert net.smooth(history) == expected
    likely = net.log_likelihood(panel, by_series=True)
    assert isinstance(likely, dict)
    assert likely == pytest.approx({"a": net.log_likelihood(columns), "b": net.log_likelihood({"rain": ["no"]})})
    assert net.log_likelihood(panel) == pytest.approx(sum(likely.values()))


def test_what_is_static_is_known_from_where_it_was_seen() -> None:
    """A filter does not know it before, and smoothing does; two values are refused."""
    net = weather()
    history: dict[str, list[Any]] = {"place": [None, "wet", None], "rain": ["no", "no", "yes"]}
    assert net.filter(history)[0]["place"]["wet"] == pytest.approx(0.2 / 0.65)
    assert [step["place"]["wet"] for step in net.smooth(history)] == [1.0, 1.0, 1.0]
    with pytest.raises(DataError, match="'place' is static, and it is 'dry' in one row and 'wet' in another"):
        net.smooth({"place": ["dry", "wet"], "rain": ["no", "no"]})


@pytest.mark.parametrize(
    ("history", "kind", "message"),
    [
        ({"rains": ["no"]}, UnknownVariable, "history: no variable 'rains'; did you mean 'rain'"),
        ({"rain": ["maybe"]}, UnknownState, "variable 'rain' has no state 'maybe'"),
        ({"day": [2, 1], "rain": ["no", "no"]}, DataError, "day 1 in row 2 comes after 2 in row 1; sort the rows"),
        ({"day": [1, 1], "rain": ["no", "no"]}, DataError, "the time 1 stands in more than one row"),
        ({"town": ["a", "b"], "rain": ["no", "no"]}, DataError, "rows of 2 groups of 'town', and a history is of one"),
        ({"day": [0, 1, 10**8], "rain": ["no"] * 3}, DataError, "at most 10,000,000 are allowed"),
        (ldag.read({"rain": ["no", "yes"]}), DataError, "a data set without times has lost it"),
    ],
)
def test_histories_that_cannot_be_are_refused(history: object, kind: type[LdagError], message: str) -> None:
    """Unknown columns and states, rows out of order, several groups."""
    net = weather(groups="town", time="day")
    with pytest.raises(kind, match=message):
        net.filter(history)  # type: ignore[arg-type]


def test_impossible_histories_are_named_by_their_step() -> None:
    """Nothing follows from them, and a panel is improbable by minus infinity."""
    net = weather()
    history = {"place": ["dry"] * 3, "rain": ["no", "no", "yes"]}
    with pytest.raises(ImpossibleEvidence, match="probability zero in this network: step 3 cannot follow"):
        net.smooth(history)
    with pytest.raises(ImpossibleEvidence, match="step 3 cannot follow"):
        net.most_probable_path(history)
    with pytest.raises(ImpossibleEvidence, match="step 3 cannot follow"):
        net.most_probable_path(history, "rain")
    with pytest.raises(ImpossibleEvidence, match="no series that was drawn agrees with the history at step 3"):
        net.forecast(history, method="sample", n_samples=100)
    assert net.log_likelihood(history) == -np.inf


def test_arguments_are_checked() -> None:
    """Each says what it takes."""
    net = weather()
    with pytest.raises(ArgumentError, match="steps must be"):
        net.forecast(steps=0)
    with pytest.raises(UnknownVariable, match="variables: no variable 'snow'"):
        net.forecast(steps=1, variables=["snow"])
    with pytest.raises(ArgumentError, match="method must be 'exact' or 'sample', got 'fast'"):
        net.forecast(method="fast")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="n_samples must be at least 40, got 10"):
        net.forecast(method="sample", n_samples=10)
    with pytest.raises(ArgumentError, match="length must be"):
        net.sample(1, length=0)
    with pytest.raises(ArgumentError, match="n must be"):
        net.unroll(0)


def _net(edges: list[tuple[str, str]], names: str, states: list[str] | None = None) -> ldag.Network:
    graph = ldag.LDAG.from_edges(edges, states=dict.fromkeys(names.split(), states or YES_NO))
    return ldag.Network.from_data(graph, dict.fromkeys(names.split(), states or YES_NO))


@pytest.mark.parametrize(
    ("first", "transition", "message"),
    [
        (([], "a"), ([], "a"), "transition: no variable is of a step before"),
        (([], "a b"), ([], "a a@-1"), "first: expected the variables a; b too many"),
        (([], "a"), ([], "a a@-1 a@-2"), "first: expected the variables a@0, a@1; a@0, a@1 missing"),
        (([], "a"), ([], "a a@-2"), "transition: expected the variables a, a@-1, a@-2; a@-1 missing"),
        (([], "a s"), ([("a", "s")], "s a a@-1"), "the edge a -> s points to what is given there: 's' is static"),
        (([], "a"), ([("a", "a@-1")], "a a@-1"), "the edge a -> a@-1 points to what is given there"),
        (([("a", "s")], "a s"), ([], "s a a@-1"), "first: the edge a -> s points to 's', which is static"),
        (([("a@1", "a@0")], "a@0 a@1"), ([], "a a@-1 a@-2"), "first: the edge a@1 -> a@0 points back in time"),
        (([], "a", ["no", "si"]), ([], "a a@-1"), r"first: 'a' has the states \('no', 'si'\), and 'a' has"),
    ],
)
def test_networks_that_do_not_fit_are_refused(first: Any, transition: Any, message: str) -> None:
    """Names, states, and edges against time."""
    with pytest.raises(ArgumentError, match=message):
        ldag.DynamicNetwork.from_networks(_net(*first), _net(*transition))
    with pytest.raises(ArgumentError, match="transition must be a Network, got LDAG"):
        ldag.DynamicNetwork.from_networks(_net(*first), _net(*transition).ldag)  # type: ignore[arg-type]


def test_short_histories_are_told() -> None:
    """The first network covers what is missing; where all of it is, nothing has to be said."""
    net = draw_dynamic(5, 2, [2, 2], 0)
    with pytest.warns(ldag.DataNote, match="the history has 1 step, and 2 matter for the next"):
        (answer,) = net.forecast({"a": ["0"]}, steps=1)
    assert sum(answer["b"].values()) == pytest.approx(1)
    assert len(net.forecast(steps=3)) == 3


def test_samples_are_panels() -> None:
    """With a group for each series and its steps as times; more series begin with the same ones; shares are right."""
    net = weather(groups="town", time="day")
    drawn = net.sample(4000, length=3, rng=1)
    assert drawn.groups is not None
    assert (drawn.total, drawn.groups.name, len(drawn.groups)) == (12_000, "town", 4000)
    few, more = (net.sample_columns(n, length=3, rng=1) for n in (20, 50))
    assert all((few[name] == more[name][:60]).all() for name in few)
    frame = pd.DataFrame(net.sample_columns(4000, length=3, rng=1))
    for step, expected in enumerate(net.forecast(steps=3), 1):
        share = (frame[frame["day"] == step]["rain"] == "yes").mean()
        assert share == pytest.approx(expected["rain"]["yes"], abs=0.03)
    assert frame.groupby("town")["place"].nunique().max() == 1


def test_sampled_forecasts_are_within_their_errors() -> None:
    """Five errors of the exact ones, at every step, with evidence that changes what is drawn."""
    net = draw_hmm(3, 3, seed=4)
    history = {"sign": ["v0", "v1", "v1", None, "v2"]}
    exact = net.forecast(history, steps=3)
    about = net.forecast(history, steps=3, method="sample", n_samples=8000, rng=1)
    for one, other in zip(exact, about, strict=True):
        assert other.standard_errors is not None
        for state, p in one["state"].items():
            error = other.standard_errors["state"][state]
            assert 0 < error < 0.02
            assert other["state"][state] == pytest.approx(p, abs=5 * error)


def test_what_is_too_large_is_refused_with_its_numbers() -> None:
    """Twenty latent variables that all depend on each other; sampling does it."""
    names = [f"x{i:02}" for i in range(17)]
    states = dict.fromkeys([*names, *(f"{name}@-1" for name in names)], YES_NO)
    first = ldag.LDAG.from_edges([], states=dict.fromkeys(names, YES_NO))
    edges = [(f"{name}@-1", name) for name in names] + [(f"{a}@-1", b) for a, b in pairwise(names)]
    transition = ldag.LDAG.from_edges(edges, states=states)
    parts = [ldag.Network.from_data(graph, dict.fromkeys(graph.schema.names, YES_NO)) for graph in (first, transition)]
    net = ldag.DynamicNetwork.from_networks(*parts)
    with pytest.raises(TooLarge, match=r"17 variables .* 131,072 configurations, and at most 65,536 are: x00"):
        net.forecast(steps=1)
    assert net.forecast(steps=1, method="sample", n_samples=200)[0]["x03"]["yes"] == pytest.approx(0.5, abs=0.2)
    assert len(net.filter({name: ["yes", "no"] for name in names[:10]})) == 2
