"""DOT: what is written for Graphviz, and what is read from files of others."""

import sys

import pytest

from ldag.errors import MissingDependency
from ldag.formats.dot import read_dot, write_dot
from ldag.formats.text import read_text

GUARD = read_text("""\
person {worker, visitor, "a spy"}
gender {male, female}
badge {no, yes}
person -> gender
person -> badge
gender -> badge : person=visitor ; person="a spy"
badge | person=worker, gender=male ; person=visitor
badge | person=worker, gender=female
""")


def edges_of(text: str) -> list[tuple[str, str]]:
    """Return the edges of a DOT text."""
    return [(edge.parent, edge.child) for edge in read_dot(text).edges]


def test_writes_for_graphviz() -> None:
    """Names, states, labels and classes are quoted once for the notation and once for DOT."""
    lines = write_dot(GUARD).splitlines()
    assert lines[0] == "digraph ldag {"
    assert r'  "person" [states="worker, visitor, \"a spy\""];' in lines
    assert r'  "gender" -> "badge" [label="person=visitor;\nperson=\"a spy\""];' in lines
    assert lines[6] == (
        r'  "badge" [states="no, yes", '
        r'classes="person=worker, gender=male;\nperson=visitor |\nperson=worker, gender=female"];'
    )


def test_reads_what_it_writes() -> None:
    """Everything comes back."""
    again = read_dot(write_dot(GUARD))
    assert [(v.name, v.states) for v in again.variables] == [(v.name, v.states) for v in GUARD.variables]
    assert [(e.parent, e.child, e.label) for e in again.edges] == [(e.parent, e.child, e.label) for e in GUARD.edges]
    assert [(c.node, c.contexts) for c in again.classes] == [(c.node, c.contexts) for c in GUARD.classes]
    assert again.edges[2].where == "edge 'gender' -> 'badge': "


def test_foreign_graph() -> None:
    """A plain DAG has variables in the order of the file and no states; chains and other attributes are fine."""
    record = read_dot('strict digraph G { rankdir=LR; node [color=red]; b; a -> "b" -> c [color=blue]; d [label="D"] }')
    assert [(v.name, v.states) for v in record.variables] == [("b", None), ("a", None), ("c", None), ("d", None)]
    assert [(edge.parent, edge.child) for edge in record.edges] == [("a", "b"), ("b", "c")]


def test_clusters_group_only() -> None:
    """Nodes and edges inside clusters and subgraphs count like others."""
    assert edges_of("digraph { subgraph cluster_0 { a -> b; subgraph { c } } b -> c }") == [("a", "b"), ("b", "c")]


def test_edges_of_groups() -> None:
    """An edge between groups is an edge between each pair."""
    assert edges_of("digraph { {a b} -> {c; d} }") == [("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")]


def test_ports_are_dropped() -> None:
    """Ports belong to the drawing; a colon inside quotes to the name."""
    assert edges_of('digraph { a:n -> "b:c":s }') == [("a", "b:c")]


def test_attributes_of_repeated_nodes_add_up() -> None:
    """A node may be mentioned several times."""
    (variable,) = read_dot('digraph { a; a [states="0, 1"]; a [color=red] }').variables
    assert variable.states == (0, 1)


def test_keywords_and_comments() -> None:
    """A quoted keyword is a name; comments are skipped."""
    assert edges_of('digraph { // one\n "node" -> "edge" /* two */ }') == [("node", "edge")]


def test_syntax_errors_are_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """The complaint is an error and nothing else."""
    with pytest.raises(Exception, match="not a DOT graph"):
        read_dot("digraph { a -> }")
    assert capsys.readouterr() == ("", "")


def test_missing_pydot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pydot the error says how to get it; writing needs nothing."""
    monkeypatch.setitem(sys.modules, "pydot", None)
    assert write_dot(GUARD)
    with pytest.raises(MissingDependency, match=r"pip install 'ldag\[dot\]'"):
        read_dot("digraph {a}")
