"""Latent variables: declared with the graph, kept by everything that makes another graph, a column of gaps in data."""

import pickle

import numpy as np
import pytest

import ldag
from ldag import LDAG, Network, read
from ldag.data import GAP
from ldag.errors import ArgumentError, DataError, DataNote, LdagError, UnknownVariable
from ldag.graph import take_states
from ldag.model import Variable

BINARY = {name: ["0", "1"] for name in "habc"}
EDGES = [("h", "a"), ("h", "b"), ("a", "c"), ("b", "c")]
GRAPH = LDAG.from_edges(EDGES, states=BINARY, labels={("a", "c"): [{"b": "1"}]}, latent=["h"])
TABLE = {"a": ["0", "1", "1"], "b": ["1", "1", "0"], "c": ["0", "0", "1"]}


def test_declared() -> None:
    """A latent variable is named with the edges, with the classes, or is one already."""
    assert GRAPH.latent == ("h",)
    assert LDAG.from_edges(EDGES, states=BINARY).latent == ()
    assert LDAG.from_edges(EDGES, states=BINARY, latent="h").latent == ("h",)
    assert LDAG.from_edges(EDGES, states={**BINARY, "h": Variable("x", ("0", "1"), latent=True)}).latent == ("h",)
    assert LDAG.from_partitions({"a": (["h"], [0, 1])}, states=BINARY, latent=("b", "h")).latent == ("h", "b")
    assert "latent=True" in repr(GRAPH.variables[0])
    assert "latent" not in repr(GRAPH.variables[1])


@pytest.mark.parametrize(
    ("latent", "error", "message"),
    [
        (["x"], UnknownVariable, r"^latent: no variable 'x'; expected one of 'h', 'a', 'b', 'c'$"),
        (["h", "h"], ArgumentError, r"^latent: variable 'h' is named twice$"),
        (3, ArgumentError, r"^latent: expected a variable's name or several, got 3$"),
    ],
)
def test_bad_declarations(latent: object, error: type[LdagError], message: str) -> None:
    """Unknown and repeated names are refused by both doors."""
    with pytest.raises(error, match=message):
        LDAG.from_edges(EDGES, states=BINARY, latent=latent)  # type: ignore[arg-type]
    with pytest.raises(error, match=message):
        LDAG.from_partitions({}, states=BINARY, latent=latent)  # type: ignore[arg-type]


def test_part_of_equality() -> None:
    """The same graph over observed variables is another one; the order of variables does not matter."""
    assert LDAG.from_edges(EDGES, states=BINARY, labels={("a", "c"): [{"b": "1"}]}) != GRAPH
    turned = LDAG.from_edges(
        EDGES, states=dict(reversed(BINARY.items())), labels={("a", "c"): [{"b": "1"}]}, latent="h"
    )
    assert turned == GRAPH
    assert hash(GRAPH) == hash(turned)


def test_kept() -> None:
    """Every graph that is made of one has its latent variables."""
    others = [
        GRAPH.maximal(),
        GRAPH.regular(),
        GRAPH.context_graph({"b": "1"}),
        GRAPH.with_tree("c", GRAPH.as_tree("c")),
        GRAPH.with_table("c", [[0.5, 0.5], [0.5, 0.5], [0.1, 0.9], [0.5, 0.5]]),
        *GRAPH.as_multinet("a").graphs.values(),
        *GRAPH.equivalence_class(),
    ]
    assert [other.latent for other in others] == [("h",)] * len(others)


def test_text() -> None:
    """The word before a name declares it latent, with states, without, and after it was named in an edge."""
    written = LDAG.from_text("h -> a\nlatent h {low < high} \nlatent g\ng -> a")
    assert written.latent == ("h", "g")
    assert written.undeclared == {"a", "g"}
    assert GRAPH.to_text().splitlines()[0] == 'latent h {"0", "1"}'
    assert LDAG.from_text(GRAPH.to_text()) == GRAPH


ARC = LDAG.from_text("z -> x\nx -> y\nx <-> y\nlatent l\nl -> z\nl -> y : x=1")


def test_arcs() -> None:
    """An arc is a latent parent of both ends; several may meet, and a chain may have them."""
    assert ARC.arcs == {"x <-> y": ("x", "y")}
    assert set(ARC.latent) == {"x <-> y", "l"} == ARC.maximal().undeclared
    assert (ARC.parents("x"), ARC.parents("x <-> y")) == (("z", "x <-> y"), ())
    chain = LDAG.from_text("a -> b <-> c <-> d\nb <-> d")
    assert chain.arcs == {"b <-> c": ("b", "c"), "c <-> d": ("c", "d"), "b <-> d": ("b", "d")}
    assert LDAG.from_text('"a b" <-> c').arcs == {'"a b" <-> c': ("a b", "c")}
    assert "x <-> y\n" in ARC.to_text()
    assert '"x <-> y"' not in ARC.to_text()


@pytest.mark.parametrize("form", ["ldag", "json", "dot", "networkx", "pickle", "states"])
def test_no_states_stay_no_states(form: str) -> None:
    """What was written without states comes back without them, from every form that keeps latent variables."""
    if form == "networkx":
        again = LDAG.from_networkx(ARC.to_networkx())
    elif form == "pickle":
        again = pickle.loads(pickle.dumps(ARC))
    elif form == "states":
        again = ARC.with_states([Variable("x", (0, 1)), Variable("other", (0, 1))])
    else:
        again = LDAG.from_format(ARC.to_format(form), form)
    assert again == ARC
    assert {"l", "x <-> y"} <= again.undeclared
    assert again.arcs == ARC.arcs
    assert again.regular().undeclared == {"l", "x <-> y"}


def test_states_make_a_difference() -> None:
    """A latent variable of any number of states is not one of two; labels that name its states give it these."""
    two = LDAG.from_text("latent l {0, 1}\nl -> a\nl -> b")
    some = LDAG.from_text("latent l\nl -> a\nl -> b")
    assert two != some
    assert some.with_states(two.variables) == two
    named = LDAG.from_text("latent l\nl -> a\nx -> a : l=u; l=v")
    assert named.variables[0] == Variable("l", ("u", "v", "other"), latent=True)
    assert "latent l {u, v, other}" in named.to_text()
    tree = LDAG.from_text("latent l\nl -> a\nx -> a").with_tree("a", {"l": {0: 0, 1: {"x": {0: 1, 1: 2}}}})
    assert "latent l {0, 1}" in tree.to_text()
    assert "undeclared=True" in repr(some.variables[0])


def test_edges_without_states() -> None:
    """A latent variable that edges name needs no states; one that nothing names is a mistake."""
    states = {"a": [0, 1], "b": [0, 1]}
    graph = LDAG.from_edges([("l", "a"), ("l", "b")], states=states, latent=(name for name in "l"))
    assert graph == LDAG.from_text("a {0, 1}\nb {0, 1}\nlatent l\nl -> a\nl -> b")
    assert LDAG.from_edges([("l", "a")], states=states, latent="l").latent == ("l",)
    with pytest.raises(UnknownVariable, match="latent: no variable 'm'"):
        LDAG.from_edges([("l", "a")], states=states, latent=["l", "m"])


def test_an_arc_is_more_than_a_name() -> None:
    """A variable of such a name that has a label, a parent, states or another child is written out."""
    texts = [
        'latent "x <-> y" {0, 1, 2}\nx {0, 1}\ny {0, 1}\n"x <-> y" -> x\n"x <-> y" -> y\n',
        'x {0, 1}\ny {0, 1}\nz {0, 1}\nlatent "x <-> y"\n"x <-> y" -> x\nz -> y\n"x <-> y" -> y : z=1\n',
        'x {0, 1}\ny {0, 1}\nz {0, 1}\nlatent "x <-> y"\n"x <-> y" -> x\n"x <-> y" -> y\n"x <-> y" -> z\n',
        'x {0, 1}\ny {0, 1}\nz {0, 1}\nlatent "x <-> y"\n"x <-> y" -> x\n"x <-> y" -> y\nz -> "x <-> y"\n',
        '"x <-> y" {0, 1}\nx {0, 1}\ny {0, 1}\n"x <-> y" -> x\n"x <-> y" -> y\n',
    ]
    for text in texts:
        assert LDAG.from_text(text).to_text() == text
    assert LDAG.from_text(texts[0]).arcs == {"x <-> y": ("x", "y")}  # with states it is drawn as one
    assert [LDAG.from_text(text).arcs for text in texts[1:]] == [{}] * 4


def test_arcs_are_described() -> None:
    """As a line among the edges, and not as a variable."""
    said = ARC.describe()
    assert said.sections["Edges"] == ["l -> z", "z -> x", "x -> y", "l -> y", "x <-> y"]
    assert said.sections["Variables"][-1] == "l  (latent, of any number of states)"


@pytest.mark.parametrize("name", ["l", "x <-> y"])
def test_questions_take_latents_for_variables(name: str) -> None:
    """Separation, context graphs and equivalence do not ask who was observed."""
    assert ARC.implies("l", "x <-> y")
    assert not ARC.implies(name, "y")
    assert ("l", "y") not in ARC.context_graph({"x": 1}).edges
    assert ARC.equivalent_to(LDAG.from_text(ARC.to_text()))


def test_numbers_give_states() -> None:
    """A network has tables, and so its variables have states."""
    half = [[0.5, 0.5], [0.4, 0.6]]
    graph = LDAG.from_text("x <-> y")
    net = Network.from_parameters(graph, {"x <-> y": [0.1, 0.9], "x": half, "y": half})
    assert net.ldag.undeclared == frozenset()
    assert Network.from_json(net.to_json()) == net
    assert net.ldag.arcs == graph.arcs


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("latent l\nl -> a\nl -> b", r"^the latent variable 'l' was written without states; write latent l \{0, 1\}"),
        (
            "a <-> b",
            r"^the latent variable 'a <-> b' was written .*; write latent L \{0, 1\}, L -> a and L -> b in",
        ),
    ],
)
def test_data_need_states(text: str, message: str) -> None:
    """What estimates or scores refuses a latent variable of any number of states, also in a graph made of the first."""
    few = {"a": TABLE["a"], "b": TABLE["b"]}
    written = LDAG.from_text(text)
    for graph in (written, written.regular()):
        for ask in (
            lambda graph: Network.from_data(graph, few),
            lambda graph: ldag.score(graph, few, prior="uniform"),
            lambda graph: ldag.learn(few, kappa=0.5, equivalent_sample_size=1, start=graph),
        ):
            with pytest.raises(DataError, match=message):
                ask(graph)
        states = {graph.latent[0]: ["u", "v", "w"]}
        assert take_states(graph, few, {"states": states})[0].schema.n_states[graph.schema.node(graph.latent[0])] == 3


def test_word_as_a_name() -> None:
    """Variables may still be called latent or cut, latent ones too."""
    plain = LDAG.from_text("latent {0, 1}\nlatent -> x\nlatent -> cut")
    assert (plain.latent, plain.schema.names) == ((), ("latent", "x", "cut"))
    assert LDAG.from_text('"latent" -> x').latent == ()
    assert LDAG.from_text("latent cut 2, 3").variables == (Variable.of_bins("latent", [2, 3]),)
    odd = LDAG.from_edges([], states={"latent": [0, 1], "cut": [0, 1]}, latent=["cut", "latent"])
    assert odd.to_text() == 'latent latent {0, 1}\nlatent "cut" {0, 1}\n'
    assert LDAG.from_text(odd.to_text()) == odd


def test_json_versions() -> None:
    """Only a graph with latent variables needs the second version; the first is read as ever."""
    assert '"version": 2' in GRAPH.to_json()
    assert LDAG.from_json(GRAPH.to_json()) == GRAPH
    assert '"version": 1' in LDAG.from_edges(EDGES, states=BINARY).to_json()


def test_column_of_gaps() -> None:
    """Tables and data sets need no column for a latent variable; those that have one keep it."""
    for data in (TABLE, read(TABLE)):
        graph, known = take_states(GRAPH, data)
        aligned = known.aligned_to(graph.schema)
        assert graph == GRAPH
        assert aligned.schema == GRAPH.schema
        assert (aligned.codes[0] == GAP).all()
        assert aligned.select(["a", "b", "c"]) == read(TABLE)
        assert read(TABLE).aligned_to(graph.schema) == aligned
        assert aligned.shares("h") == "never observed"
    graph, known = take_states(GRAPH, {**TABLE, "h": ["1", "0", "1"]})
    assert not known.has_gaps
    assert np.array_equal(np.sort(known.aligned_to(graph.schema).codes[0]), [0, 1, 1])


def test_other_columns_are_left_out() -> None:
    """Columns that the graph does not know are left out beside a latent variable, too."""
    more = {**TABLE, "z": ["1", "2", "3"]}
    for data in (more, read(more)):
        with pytest.warns(DataNote, match="1 column left out"):
            _, known = take_states(GRAPH, data)
        assert set(known.names) == set("habc")


def test_no_column() -> None:
    """A variable without a column is an error that says what to do if it cannot have one."""
    few = {"a": TABLE["a"], "b": TABLE["b"]}
    for data in (few, read(few)):
        with pytest.raises(UnknownVariable, match=r"no variable 'c'.*; if nobody observed it, declare it latent$"):
            take_states(GRAPH, data)
    with pytest.raises(UnknownVariable, match=r"declare it latent$"):
        read(few).aligned_to(GRAPH.schema)


def test_states_given_later() -> None:
    """A latent variable without states takes them when data come, or is refused."""
    written = LDAG.from_text("latent h\nh -> a\nh -> b")
    few = {"a": TABLE["a"], "b": TABLE["b"]}
    for data in (few, read(few)):
        with pytest.raises(DataError, match=r"^the latent variable 'h' was written without states; .*, or"):
            take_states(written, data)
        graph, known = take_states(written, data, {"states": {"h": ["x", "y", "z"]}})
        assert graph.variables[0] == Variable("h", ("x", "y", "z"), latent=True)
        assert known.aligned_to(graph.schema).schema == graph.schema
    seen, _ = take_states(written, {**few, "h": ["u", "v", "u"]})
    assert seen.variables[0] == Variable("h", ("u", "v"), latent=True)
