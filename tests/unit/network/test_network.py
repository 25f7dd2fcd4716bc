"""The network door: parameters given and estimated, how they print, draws, and what is refused."""

import copy
import pickle
from collections.abc import Callable
from math import inf

import numpy as np
import pandas as pd
import pytest

import ldag
from ldag import LDAG, LdagError, Network, datasets
from ldag.errors import DataNote, TooLarge
from ldag.model import State
from ldag.network.arguments import Given
from tests.interrupts import interrupted

GUARD = datasets.graph("guard")
GIVEN: Given = {
    "person": {"worker": 0.7, "visitor": 0.2, "spy": 0.1},
    "gender": [[0.5, 0.5], {"male": 0.25, "female": 0.75}, (1, 0)],
    "badge": np.array([[0.9, 0.1], [0.6, 0.4], [0.125, 0.875], [0.0, 1.0]]),
}
NET = Network.from_parameters(GUARD, GIVEN)
HEART = Network.from_data(datasets.graph("heart"), datasets.load("heart"))


def changed(**parts: object) -> Callable[[], Network]:
    """Build the guard's network with some parameters changed."""
    return lambda: Network.from_parameters(GUARD, {**GIVEN, **parts})  # type: ignore[dict-item]


def test_given_parameters() -> None:
    """Mappings, lists and arrays say the same; a node with one class needs no list."""
    assert NET.dimension == 9
    assert NET.parameters("person") == ((0.7, 0.2, 0.1),)
    assert NET.parameters("gender") == ((0.5, 0.5), (0.25, 0.75), (1.0, 0.0))
    assert NET.classes("badge")[2].distribution == {"no": 0.125, "yes": 0.875}
    assert NET.classes("badge")[2].contexts == ({"person": "visitor"},)
    assert NET.classes("badge")[0].counts is None
    again = Network.from_parameters(GUARD, {v.name: NET.parameters(v.name) for v in NET.variables})
    assert again == NET
    assert hash(again) == hash(NET)


def test_print() -> None:
    """A line per class, in words, and never a full table."""
    assert str(NET.classes("badge")).splitlines() == [
        "badge | person, gender                 no     yes",
        "  person=worker and gender=male    0.9000  0.1000",
        "  person=worker and gender=female  0.6000  0.4000",
        "  person=visitor                   0.1250  0.8750",
        "  person=spy                       0.0000  1.0000",
    ]
    assert str(NET).count("\n") == 2 + 4 + 5 - 1
    assert repr(NET) == "<Network: 3 variables, 3 edges, 9 parameters (given by probabilities)>"
    assert repr(HEART) == "<Network: 6 variables, 6 edges, 12 parameters (estimated from 1,841 observations)>"


def test_print_of_much_is_cut() -> None:
    """Many states and many classes are shown in part, and it says so."""
    states = {"a": list(range(5)), "b": list(range(4)), "c": list(range(12))}
    graph = LDAG.from_edges([("a", "c"), ("b", "c")], states=states)
    data = ldag.read({"a": [0], "b": [0], "c": [0]}, states=states)
    lines = str(Network.from_data(graph, data)).splitlines()
    assert lines[-1] == "  and 4 more classes"
    assert lines[4].endswith("and 2 more states")


def test_full_table_on_request() -> None:
    """Axes are the parents and the node; a dataframe has a row per cell; a large one is refused."""
    table = NET.cpt("badge")
    assert table.names == ("person", "gender", "badge")
    assert table.values.shape == (3, 2, 2)
    assert table.values[1, 0].tolist() == table.values[1, 1].tolist() == [0.125, 0.875]
    frame = table.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == ["person", "gender", "badge", "probability"]
    assert frame.iloc[3].tolist() == ["worker", "female", "yes", 0.4]
    with pytest.raises(TooLarge, match="the full table of 'badge' has 12 cells, and at most 11 are allowed"):
        NET.cpt("badge", max_cells=11)


def test_variables_without_states_have_those_of_the_data() -> None:
    """From a text, edges alone or a file's record; labels name states of the data, and further columns are told."""
    heart = datasets.load("heart")
    rows = pd.DataFrame(heart.to_frame())
    frame = rows.loc[rows.index.repeat(rows["count"])].drop(columns="count")
    states = {v.name: v for v in heart.variables if v.name in {"smoking", "protein", "pressure"}}
    edges = [("smoking", "pressure"), ("protein", "pressure")]
    label = {("smoking", "pressure"): [{"protein": ">3"}]}
    text = LDAG.from_text('smoking -> pressure : protein=">3"\nprotein {"<3", ">3"}\nprotein -> pressure')
    assert text.undeclared == {"smoking", "pressure"}
    for table in (heart, frame):
        for graph, labels in ((text, label), (edges, {})):
            with pytest.warns(DataNote, match="3 columns left out, which the graph does not know: mental, physical, f"):
                net = Network.from_data(graph, table)
            whole = LDAG.from_edges(edges, states=states, labels=labels)
            expected = Network.from_data(whole, heart.select(["smoking", "protein", "pressure"]))
            assert net.ldag == whole
            assert net.ldag.undeclared == frozenset()
            assert net.cpt("pressure").values == pytest.approx(expected.cpt("pressure").values)
    sizes: dict[str, list[object]] = {"sex": ["m", "f", "x"], "height": [150, 160, 170], "other": ["a", "b", "a"]}
    with pytest.warns(DataNote, match="other"):
        net = Network.from_data(LDAG.from_text("sex -> height"), sizes)
    assert [v.n_states for v in net.variables] == [3, 3]
    with pytest.raises(LdagError, match="line 1: variable 'sex' has no state 'male'; expected one of 'f', 'm', 'x'"):
        Network.from_data(LDAG.from_text("other -> height : sex=male\nsex -> height"), sizes)
    with pytest.raises(LdagError, match="they have no variable 'hight'; did you mean 'height'"):
        Network.from_data(LDAG.from_text("sex -> hight"), sizes)


def test_likelihood_of_a_class_never_observed_is_uniform() -> None:
    """Relative frequencies elsewhere; the posterior is kept, so updates work."""
    graph = LDAG.from_edges([("x", "y")], states={"x": [0, 1, 2], "y": ["a", "b", "c", "d"]})
    rows = ldag.read({"x": [0, 0, 1], "y": ["a", "b", "d"]}, states={"x": [0, 1, 2], "y": ["a", "b", "c", "d"]})
    net = Network.from_data(graph, rows, estimate="likelihood")
    assert net.parameters("x")[0] == pytest.approx((2 / 3, 1 / 3, 0))
    assert net.parameters("y") == ((0.5, 0.5, 0, 0), (0, 0, 0, 1), (0.25, 0.25, 0.25, 0.25))
    assert net.update(rows).parameters("y") == net.parameters("y")
    unseen = ldag.read({"x": [2], "y": ["a"]}, states={"x": [0, 1, 2], "y": ["a", "b", "c", "d"]})
    assert net.log_likelihood(unseen) == -inf
    assert net.log_likelihood(unseen, integrate=True) > -inf


def test_update_is_exact() -> None:
    """Half and half, in any order of columns, is the whole."""
    data = datasets.load("titanic")
    states = {v.name: v.states for v in data.variables}
    graph = LDAG.from_edges([("sex", "survived"), ("class", "survived")], states=states)
    frame = data.to_frame()
    assert isinstance(frame, pd.DataFrame)
    first = ldag.read(frame.iloc[:10], counts="count", states=states)
    second = ldag.read(frame.iloc[10:, ::-1], counts="count", states=states)
    assert Network.from_data(graph, first).update(second) == Network.from_data(graph, data)


def test_samples_fit_the_distribution() -> None:
    """Every state of every class is drawn as often as it should be (chi-square, seeded)."""
    data = NET.sample(40_000, rng=5)
    assert data.total == 40_000
    for variable in NET.variables:
        partition = NET.ldag.partition(variable.name)
        counts = data.counts(variable.name, partition.parents)
        for number, row in zip(partition.classes, counts, strict=True):
            expected = np.array(NET.parameters(variable.name)[number])
            assert not row[expected == 0].any()
            if row.sum() and (expected > 0).sum() > 1:
                wanted = row.sum() * expected[expected > 0]
                statistic = ((row[expected > 0] - wanted) ** 2 / wanted).sum()
                assert statistic < 14  # exceeded by chance once in a thousand, with two degrees of freedom


def test_samples_are_reproducible() -> None:
    """The same seed gives the same rows, more rows begin with the same ones, and a frame has them in order."""
    frame, more = NET.sample_frame(100, rng=3), NET.sample_frame(3000, rng=3)
    assert isinstance(frame, pd.DataFrame)
    assert isinstance(more, pd.DataFrame)
    assert frame.equals(more.iloc[:100])
    assert ldag.read(frame, states={v.name: v.states for v in NET.variables}) == NET.sample(100, rng=3)
    assert NET.sample(100) == NET.sample(100, rng=0) != NET.sample(100, rng=1)
    generator = np.random.default_rng(1)
    assert NET.sample(100, generator) != NET.sample(100, generator)


def test_drawn_parameters_follow_the_posterior() -> None:
    """Mean and variance of a beta distribution, and no posterior in what is drawn."""
    drawn = HEART.sample_parameters(2000, rng=1)
    values = np.array([net.parameters("pressure")[1][1] for net in drawn])
    a, b = 151 + 0.125, 312 + 0.125
    assert values.mean() == pytest.approx(a / (a + b), abs=4 * np.sqrt(a * b / (a + b) ** 3 / 2000))
    assert values.var() == pytest.approx(a * b / ((a + b) ** 2 * (a + b + 1)), rel=0.15)
    assert drawn[0].learned is None
    assert HEART.sample_parameters(1, rng=1)[0] == drawn[0]


def test_parameters_are_drawn_from_tiny_priors() -> None:
    """A prior of 1e-9 per state gives one state almost everything, and never a distribution of nothing."""
    graph = LDAG.from_edges([("x", "y")], states={"x": [0, 1, 2], "y": [0, 1, 2, 3]})
    data = ldag.read({"x": [0], "y": [0]}, states={"x": [0, 1, 2], "y": [0, 1, 2, 3]})
    for net in Network.from_data(graph, data, equivalent_sample_size=1e-8).sample_parameters(20, rng=0):
        for row in net.parameters("y"):
            assert sum(row) == pytest.approx(1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            changed(gender=[[0.5, 0.5]]),
            r"^parameters of 'gender': expected 3 distributions, one per class, got 1; red",
        ),
        (changed(gender=0.5), r"parameters of 'gender': expected 3 distributions, one per class, got 0.5"),
        (
            changed(person=[0.5, 0.5]),
            r"'person': expected the probabilities of 'worker', 'visitor', 'spy', got",
        ),
        (changed(person={"worker": 1}), r"parameters of 'person': no probability is given for 'visitor', 'spy'"),
        (
            changed(person={"werker": 1}),
            r"variable 'person' has no state 'werker'; did you mean 'worker'",
        ),
        (changed(person=[0.5, 0.6, -0.1]), r"parameters of 'person': probabilities are between 0 and 1, got -0.1"),
        (changed(person=[0.5, 0.5, "x"]), r"parameters of 'person': expected numbers, got 'x'"),
        (
            changed(person=[0.5, float("nan"), 0.5]),
            r"'person': probabilities are between 0 and 1, got nan",
        ),
        (
            changed(gender=[[0.5, 0.5], [0.5, 0.4], [1, 0]]),
            r"parameters of 'gender', class 1 \(p2 of reduced_cpt\): probabilities must sum to 1, these sum to 0.9",
        ),
        (changed(person=[0.333, 0.333, 0.333]), r"these sum to 0.999$"),
        (changed(person=[0.5, 10**400, 0.5]), r"'person': probabilities are between 0 and 1, got 1000"),
        (changed(person=np.array(0.5)), r"'person': expected one distribution, got array"),
        (changed(age=[1]), r"parameters: no variable 'age'"),
        (lambda: Network.from_parameters(GUARD, {}), r"parameters: 'person' is missing; give one distribution"),
        (lambda: Network.from_parameters(GUARD, [1]), r"parameters must map every variable to its distributions"),  # type: ignore[arg-type]
        (lambda: Network.from_parameters("guard", {}), r"graph must be an LDAG, got str"),  # type: ignore[arg-type]
        (lambda: Network.from_data(GUARD, datasets.load("heart")), r"the data: they have no variable 'person'"),
        (lambda: Network.from_data(GUARD, NET.sample(9), estimate="mode"), r"no estimate 'mode'; expected one of"),  # type: ignore[arg-type]
        (lambda: Network.from_data(GUARD, NET.sample(9), equivalent_sample_size=0), r"equivalent_sample_size must be"),
        (lambda: Network.from_data(GUARD, "rows.csv"), r"there is no file rows.csv"),
        (lambda: NET.update(NET.sample(9)), r"update needs a posterior; this network was given by its probabilities"),
        (lambda: NET.log_likelihood(NET.sample(9), integrate=True), r"integrate=True\) needs a posterior"),
        (lambda: NET.sample_parameters(3), r"sample_parameters needs a posterior"),
        (lambda: NET.query("badge", interval=0.9), r"interval= needs a posterior"),
        (lambda: NET.estimate("badge", n_samples=0), r"n_samples must be a whole number, 1 or more, got 0"),
        (lambda: NET.sample(0), r"n must be a whole number, 1 or more, got 0"),
        (lambda: NET.sample(1 << 40), r"rows of 3 variables do not fit; at most 1,431,655,765 can be drawn at once"),
        (lambda: NET.sample(5, rng=-1), r"rng must be a whole number"),
        (lambda: NET.classes("badg"), r"no variable 'badg'; did you mean 'badge'\?"),
    ],
)
def test_what_is_refused(call: Callable[[], object], message: str) -> None:
    """Each mistake is one error that names the node, the class and what to do."""
    with pytest.raises(LdagError, match=message):
        call()


def test_a_state_given_twice() -> None:
    """1 and "1" both name the state 1, and only one may."""
    graph = LDAG.from_edges([], states={"x": [0, 1]})
    twice: dict[State, float] = {0: 0.5, 1: 0.5, "1": 0.5}
    with pytest.raises(LdagError, match="parameters of 'x': a state is given twice"):
        Network.from_parameters(graph, {"x": twice})


def test_an_interrupt_stops_drawing() -> None:
    """Ctrl-C is answered while rows are drawn."""
    coin = LDAG.from_edges([], states={"coin": [0, 1]})
    net = Network.from_parameters(coin, {"coin": [0.5, 0.5]})
    with interrupted(0.2), pytest.raises(KeyboardInterrupt):
        net.sample(1 << 30)


def test_probabilities_cannot_be_changed() -> None:
    """A network is a value."""
    with pytest.raises(ValueError, match="read-only"):
        NET.probabilities[0][0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        NET.cpt("badge").values[0, 0, 0] = 1


def test_equality_is_that_of_the_numbers() -> None:
    """Another prior, other counts or none make another network."""
    graph, data = datasets.graph("heart"), datasets.load("heart")
    assert Network.from_data(graph, data) == HEART
    assert Network.from_data(graph, data, equivalent_sample_size=2) != HEART
    given = Network.from_parameters(graph, {v.name: HEART.parameters(v.name) for v in HEART.variables})
    assert given != HEART
    assert HEART != NET


def test_what_compile_returns_can_be_copied() -> None:
    """Pickles and copies evaluate to the same numbers."""
    compiled = ldag.learn(ldag.datasets.load("titanic"), kappa=0.1, equivalent_sample_size=1).network.compile()
    row = compiled.circuit.row({0: 1})
    for again in (pickle.loads(pickle.dumps(compiled)), copy.deepcopy(compiled), copy.copy(compiled)):
        assert again == compiled
        assert again.to_dict() == compiled.to_dict()
        assert again.circuit.log_probabilities(row).tolist() == compiled.circuit.log_probabilities(row).tolist()
        for ours, theirs in zip(again.circuit.marginals(row), compiled.circuit.marginals(row), strict=True):
            assert ours.tolist() == theirs.tolist()
