"""Latent variables: declared with the graph, kept by everything that makes another graph, a column of gaps in data."""

import numpy as np
import pytest

from ldag import LDAG, read
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
        with pytest.raises(DataError, match=r"^the latent variable 'h' has no states; write 'latent h \{0, 1\}'.*, or"):
            take_states(written, data)
        graph, known = take_states(written, data, {"states": {"h": ["x", "y", "z"]}})
        assert graph.variables[0] == Variable("h", ("x", "y", "z"), latent=True)
        assert known.aligned_to(graph.schema).schema == graph.schema
    seen, _ = take_states(written, {**few, "h": ["u", "v", "u"]})
    assert seen.variables[0] == Variable("h", ("u", "v"), latent=True)
