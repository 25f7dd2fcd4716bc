"""Graphs of networkx: their attributes, and plain ones."""

import sys

import networkx as nx
import pytest

from ldag.errors import MissingDependency
from ldag.formats.libraries import from_networkx, to_networkx
from ldag.formats.text import read_text

RECORD = read_text("""\
x {0, 1, 2}
y {no, yes}
z
x -> z : y=no ; *
y -> z
z | x=0 ; y=yes
""")


def test_attributes() -> None:
    """States, labels and classes are attributes; undeclared states are absent."""
    graph = to_networkx(RECORD)
    assert type(graph) is nx.DiGraph
    assert dict(graph.nodes(data=True)) == {"x": {"states": (0, 1, 2)}, "y": {"states": ("no", "yes")}, "z": {}}
    assert graph.edges["x", "z"] == {"label": ({"y": "no"}, {})}
    assert graph.edges["y", "z"] == {"label": ()}
    assert graph.graph == {"classes": (("z", ({"x": 0}, {"y": "yes"})),)}


def test_reads_its_own() -> None:
    """Everything comes back, with places in words."""
    again = from_networkx(to_networkx(RECORD))
    assert [(v.name, v.states) for v in again.variables] == [("x", (0, 1, 2)), ("y", ("no", "yes")), ("z", None)]
    assert [(e.parent, e.child, e.label) for e in again.edges] == [("x", "z", ({"y": "no"}, {})), ("y", "z", ())]
    assert again.classes[0].contexts == RECORD.classes[0].contexts
    assert again.edges[0].where == "edge 'x' -> 'z': "


def test_plain_graph() -> None:
    """A graph without attributes has undeclared states and no labels."""
    record = from_networkx(nx.DiGraph([("a", "b"), ("a", "c")]))
    assert [(v.name, v.states) for v in record.variables] == [("a", None), ("b", None), ("c", None)]
    assert [(edge.parent, edge.child, edge.label) for edge in record.edges] == [("a", "b", ()), ("a", "c", ())]


def test_missing_networkx(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without networkx the error says how to get it."""
    graph = nx.DiGraph()
    monkeypatch.setitem(sys.modules, "networkx", None)
    with pytest.raises(MissingDependency, match=r"pip install 'ldag\[networkx\]'"):
        to_networkx(RECORD)
    with pytest.raises(MissingDependency, match=r"pip install 'ldag\[networkx\]'"):
        from_networkx(graph)
