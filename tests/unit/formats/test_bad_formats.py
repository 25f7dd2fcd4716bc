"""What each wrong input is told; and files, which are never half written."""

import json
import os
from pathlib import Path

import networkx as nx
import pytest

from ldag.errors import FormatError
from ldag.formats import ClassRecord, EdgeRecord, GraphRecord, VariableRecord
from ldag.formats.dot import read_dot, write_dot
from ldag.formats.json import read_json, write_json
from ldag.formats.libraries import from_networkx, to_networkx
from ldag.formats.registry import read_file, write_graph
from ldag.formats.text import read_text, write_text


def read_graph(text: str) -> GraphRecord:
    """Read the JSON form of a graph."""
    record = read_json(text)
    assert isinstance(record, GraphRecord)
    return record


RECORD = read_text("x {0, 1}\ny {no, yes}\nx -> y\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"^no variables; a graph has at least one$"),
        ("# nothing\n\n", r"^no variables"),
        ("x <-> x", r"^line 1: an arc joins two variables, got x <-> x$"),
        ("x <->", r"^line 1: expected the other end's name after '<->', got nothing more$"),
        (
            "x <-> y : a=0",
            r"^line 1: x <-> y carries no label: .* write 'latent L', 'L -> x' and 'L -> y', and the label after the",
        ),
        ("a -> x <-> y : z=0", r"^line 1: a chain of edges cannot have a label"),
        ("x <-> y\nz -> x\nx <-> y", r"^line 3: the arc x <-> y is given twice, first at line 1$"),
        ("x <-> y\ny <-> x", r"^line 2: the arc x <-> y is given twice, first at line 1$"),
        ('x <-> y\nlatent "x <-> y" {0, 1}', r"^line 2: variable 'x <-> y' is given twice, first at line 1$"),
        ("latent h {0, 1}\nlatent h", r"^line 2: variable 'h' is given twice, first at line 1$"),
        ("h {0, 1}\nlatent h {0, 1}", r"^line 2: variable 'h' is given twice, first at line 1$"),
        ("latent h -> a", r"^line 1: expected '\{' or the end of the line, got '->'"),
        ("latent h g", r"^line 1: expected '\{' or the end of the line, got 'g'"),
        ("a -> x <- y", r"^line 1: .*write the parent first"),
        ("x <- y", r"^line 1: .*write the parent first"),
        ("x -- y", r"^line 1: .*undirected edges are not supported"),
        ("a, b -> c", r"^line 1: .*write one edge per line"),
        ("a -> b, c", r"^line 1: .*write one edge per line"),
        ("a -> b -> c : d=1", r"^line 1: a chain of edges cannot have a label; write one edge per line$"),
        ("a ->", r"^line 1: expected the child's name after '->', got nothing more$"),
        ("-> a", r"^line 1: expected a statement, .*, got '->'$"),
        ("a -> b :", r"^line 1: expected a context such as x=1, got nothing more$"),
        ("a -> b : c", r"^line 1: expected '=' and a state after 'c', got nothing more$"),
        ("a -> b : c=", r"^line 1: expected a state, got nothing more$"),
        ("a -> b : c=1,", r"^line 1: expected a context such as x=1, got nothing more$"),
        ("a -> b : c=1 ;", r"^line 1: expected a context such as x=1, got nothing more$"),
        ("a -> b : c=1 d=2", r"^line 1: expected ',', ';' or the end of the line, got 'd'"),
        ("a -> b : c=1, c=2", r"^line 1: the context names 'c' twice; use ';' for alternatives$"),
        ("a -> b : c=1, c=*", r"^line 1: the context names 'c' twice"),
        ("a -> b : *, c=1", r"^line 1: expected ',', ';' or the end of the line, got ','$"),
        ("heart rate -> b", r"^line 1: expected '\{', .*got 'rate'; a name or state with spaces needs double quotes$"),
        ("x {0, 1", r"^line 1: expected ',' or '\}' after a state, got nothing more$"),
        ("x {}", r"^line 1: expected a state, got '\}'$"),
        ("x {0, 1,}", r"^line 1: expected a state, got '\}'$"),
        ("x {0, 1} y", r"^line 1: expected 'cut' and cut points, or the end of the line after the states, got 'y'"),
        ("x {<3, >3}", r"^line 1: expected a state, got '<'; a state such as \"<3\" needs double quotes$"),
        ("x {`a`}", r"^line 1: .* got '`'; .* need double quotes$"),
        ('x {"a}', r"^line 1: expected a closing double quote, got nothing more$"),
        (r'x {"\q"}', r"^line 1: the string .* has an unknown escape; expected .*\\uXXXX$"),
        (r'x {"\ud800"}', r"^line 1: states\[0\]: the string .* half of a surrogate pair"),
        ('"" -> b', r"^line 1: expected a variable's name, a non-empty string, got ''$"),
        ("x {a, b, a}", r"^line 1: states: the state 'a' is given twice$"),
        ("x {1, 1.0}", r"^line 1: states: the state 1.0 is given twice$"),
        ("x {1e999}", r"^line 1: the number 1e999 is too large"),
        (f"x {{{'9' * 5000}}}", r"^line 1: a whole number of 5000 digits is too long$"),
        ("\nx {0, 1}\n\nx", r"^line 4: variable 'x' is given twice, first at line 2$"),
        ("x -> y\ny -> z\nx->y : z=1", r"^line 3: the edge 'x' -> 'y' is given twice, first at line 1$"),
        ("smoking -> b\nsmokng | a=1", r"^line 2: no variable 'smokng'; did you mean 'smoking'\?$"),
        ("x -> y\ny |", r"^line 2: expected a context such as x=1, got nothing more$"),
        ("x -> y\ny | x=1 | x=2", r"^line 2: expected ',', ';' or the end of the line, got '\|'$"),
        ("x : y=1", r"^line 1: expected '\{', '->', '<->', '\|', '\?' or the end of the line, got ':'$"),
        ("x = 1", r"^line 1: .*got '='$"),
    ],
)
def test_bad_text(text: str, message: str) -> None:
    """A wrong line is named, with what was expected and what came."""
    with pytest.raises(FormatError, match=message):
        read_text(text)


def document(**changes: object) -> str:
    """Return a small valid document with some parts changed."""
    valid = {"format": "ldag", "version": 1, "variables": [{"name": "x"}, {"name": "y"}], "edges": []}
    return json.dumps(valid | changes)


def edge(**changes: object) -> str:
    """Return a document whose only edge is changed."""
    return document(edges=[{"parent": "x", "child": "y"} | changes])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"^line 1, column 1: not valid JSON: expecting value$"),
        ('{\n"format" "ldag"}', r"^line 2, column 10: not valid JSON: expecting ':' delimiter$"),
        ("x -> y", r"^line 1, column 1: not valid JSON"),
        ("[" * 100_000, r"^the JSON is nested too deeply$"),
        ("null", r'^expected an object with "format": "ldag", got None$'),
        ("{}", r"^the key 'format' is missing$"),
        (document(format="bif"), r"^format: expected 'ldag', got 'bif'$"),
        (document(version=4, shape="new"), r"^version: expected at most 3, got 4; a newer ldag can read it$"),
        (document(version=0), r"^version: expected the whole number 3, got 0$"),
        (document(version=True), r"^version: expected the whole number 3, got True$"),
        (
            document(variables=[{"name": "x", "latent": True}]),
            r"^variables\[0\]\.latent: .* \"version\": 2; got version 1$",
        ),
        (
            document(version=2, variables=[{"name": "x", "latent": "yes"}]),
            r"^variables\[0\]\.latent: expected true or false, got 'yes'$",
        ),
        (document(edge=[]), r"^unknown key 'edge'; did you mean 'edges'\?$"),
        ('{"format": "ldag", "version": 1, "variables": [{"name": "x"}]}', r"^the key 'edges' is missing$"),
        ('{"format": "ldag", "version": 1, "version": 1}', r"^the key 'version' is given twice$"),
        (document(variables=[]), r"^no variables"),
        (document(variables="x"), r"^variables: expected a list, got 'x'$"),
        (
            document(variables=["x"]),
            r"^variables\[0\]: expected an object with 'name', 'states', 'ordered', .*, got 'x'$",
        ),
        (document(variables=[{"name": 1}]), r"^variables\[0\]\.name: expected a variable's name, .*, got 1$"),
        (document(variables=[{"name": "x", "state": [1]}]), r"^variables\[0\]: unknown key 'state'; did you mean"),
        (document(variables=[{"name": "x", "states": []}]), r"^variables\[0\]\.states: .* at least one, got \[\]$"),
        (document(variables=[{"name": "x", "states": [1, None]}]), r"^variables\[0\]\.states\[1\]: .* got None$"),
        (document(variables=[{"name": "x", "states": [float("nan")]}]), r"states\[0\]: .*finite number.* got nan$"),
        (document(variables=[{"name": "x", "states": [float("inf")]}]), r"states\[0\]: .*finite number.* got inf$"),
        (
            document(variables=[{"name": "x"}, {"name": "x"}]),
            r"^variables\[1\]: variable 'x' is given twice, first at v",
        ),
        (edge(parent="z"), r"^edges\[0\]: no variable 'z'; expected one of 'x', 'y'$"),
        (edge(label={"z": 1}), r"^edges\[0\]\.label: expected a list of contexts .*, got \{'z': 1\}$"),
        (edge(label=[{"z": 1}, 3]), r"^edges\[0\]\.label\[1\]: expected a context .*, got 3$"),
        (edge(label=[{"z": [1]}]), r"^edges\[0\]\.label\[0\]\['z'\]: expected a state, .*, got \[1\]$"),
        (edge(label=[{" ": 1}]), r"^edges\[0\]\.label\[0\]: expected a variable's name"),
        (edge(label=[{"z": "!"}]).replace('"!"', '1, "z": 2'), r"^edges\[0\]\.label\[0\]: the key 'z' is given twice$"),
        (edge(label=[{"z": "!"}]).replace('"!"', "9" * 5000), r"^a whole number of 5000 digits is too long$"),
        (edge(label=[{"z": "!"}]).replace('"!"', "1e999"), r"\['z'\]: expected a state, .* got inf$"),
        (edge(label=[{"z": "\ud800"}]), r"\['z'\]: the string .* half of a surrogate pair"),
        (document(edges=[{"parent": "x", "child": "y"}] * 2), r"^edges\[1\]: .* given twice, first at edges\[0\]$"),
        (document(classes=[{"node": "x", "contexts": []}]), r"^classes\[0\]\.contexts: expected at least one context"),
        (document(classes=[{"node": "q", "contexts": [{}]}]), r"^classes\[0\]: no variable 'q'"),
        (document(classes=None), r"^classes: expected a list, got None$"),
    ],
)
def test_bad_json(text: str, message: str) -> None:
    """A wrong part is named by its path."""
    with pytest.raises(FormatError, match=message):
        read_graph(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"^expected one DOT graph, got 0$"),
        ("digraph {}", r"^no variables"),
        ("digraph { a -> }", r"^not a DOT graph: .*line:1"),
        ("digraph { a } trailing", r"^not a DOT graph: there is something after its end"),
        ("digraph { a } digraph { b }", r"^expected one DOT graph, got 2$"),
        ("graph { a -- b }", r"^expected a directed graph \('digraph'\), got an undirected one"),
        ("digraph " + "{" * 3000, r"^not a DOT graph that pydot can read: RecursionError"),
        ("digraph { a -> b; a -> b }", r"^edge 'a' -> 'b': the edge 'a' -> 'b' is given twice"),
        (
            "digraph { a -> b [dir=back] }",
            r"^edge 'a' -> 'b': expected a directed edge, or dir=both for .*, got dir",
        ),
        ('digraph { a -> b [dir=both, label="c=1"] }', r"^edge 'a' -> 'b': a <-> b carries no label"),
        ("digraph { a -> a [dir=both] }", r"^edge 'a' -> 'a': an arc joins two variables"),
        ("digraph { a -> b [label=causes] }", r"^edge 'a' -> 'b', attribute label \(contexts such as x=1; y=no\): "),
        ('digraph { edge [label="c=1"]; a -> b }', r"^a default label for all edges is not supported"),
        ("digraph { a -> <b> }", r"^node <b>: expected a plain name, got an HTML-like one$"),
        ('digraph { a [states=""] }', r"^node 'a', attribute states: expected a state, got nothing more$"),
        ('digraph { a [states="x y"] }', r"^node 'a', attribute states: expected ',' or '<' or the end, got 'y'"),
        ('digraph { a [states="x, x"] }', r"^node 'a': states: the state 'x' is given twice$"),
        ('digraph { a [classes="b=1 |"] }', r"^node 'a', attribute classes: expected a context"),
        ('digraph { "" -> b }', r"^node '': expected a variable's name"),
    ],
)
def test_bad_dot(text: str, message: str) -> None:
    """A wrong DOT file is told what is wrong with which node or edge."""
    with pytest.raises(FormatError, match=message):
        read_dot(text)


def with_node(**attributes: object) -> nx.DiGraph:
    """Return a graph of one node."""
    graph = nx.DiGraph()
    graph.add_node("a", **attributes)
    return graph


def with_edge(**attributes: object) -> nx.DiGraph:
    """Return a graph of one edge."""
    graph = nx.DiGraph()
    graph.add_edge("a", "b", **attributes)
    return graph


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (nx.DiGraph(), r"^no variables"),
        (nx.Graph([("a", "b")]), r"^expected a networkx\.DiGraph, got a Graph$"),
        (nx.MultiDiGraph([("a", "b")]), r"^expected a networkx\.DiGraph, got a MultiDiGraph$"),
        ([("a", "b")], r"^expected a networkx\.DiGraph, got a list$"),
        (nx.DiGraph([(1, 2)]), r"^node 1: expected a variable's name, a non-empty string, got 1$"),
        (with_node(states="ab"), r"^node 'a', attribute states: expected a list of states, at least one, got 'ab'$"),
        (with_node(states=[1, 1]), r"^node 'a', attribute states: the state 1 is given twice$"),
        (with_node(states=[object]), r"^node 'a', attribute states\[0\]: expected a state"),
        (with_edge(label="c=1"), r"^edge 'a' -> 'b', attribute label: expected a list of contexts .* got 'c=1'$"),
        (with_edge(label=["c"]), r"^edge 'a' -> 'b', attribute label\[0\]: expected a context"),
        (with_edge(label=[{3: 1}]), r"^edge 'a' -> 'b', attribute label\[0\]: expected a variable's name"),
        (nx.DiGraph([("a", "b")], classes={}), r"^graph attribute classes: expected pairs \(node, contexts\)"),
        (nx.DiGraph([("a", "b")], classes=["b"]), r"^graph attribute classes\[0\]: expected a pair \(node, contexts\)"),
        (nx.DiGraph([("a", "b")], classes=[("c", [{}])]), r"^graph attribute classes\[0\]: no variable 'c'"),
    ],
)
def test_bad_networkx(graph: nx.DiGraph, message: str) -> None:
    """A graph that is no directed graph of named variables is refused."""
    with pytest.raises(FormatError, match=message):
        from_networkx(graph)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (GraphRecord(), r"^no variables"),
        (GraphRecord((VariableRecord("x"), VariableRecord("x"))), r"^variable 'x' is given twice$"),
        (GraphRecord((VariableRecord("x", ()),)), r"^variables\[0\]: states: expected a list of states, at least one"),
        (GraphRecord((VariableRecord("\ud800"),)), r"^variables\[0\]: .*surrogate"),
        (GraphRecord((VariableRecord("x", (float("inf"),)),)), r"^variables\[0\]: states\[0\]: .*got inf$"),
        (GraphRecord((VariableRecord("x"),), (EdgeRecord("x", "y"),)), r"^edges\[0\]: no variable 'y'"),
        (
            GraphRecord((VariableRecord("x"),), (), (ClassRecord("x", ()),)),
            r"^classes\[0\]: contexts: expected at least",
        ),
    ],
)
def test_writers_refuse(record: GraphRecord, message: str) -> None:
    """What could not be read back is not written, in any format."""
    for write in (write_text, write_json, write_dot, to_networkx):
        with pytest.raises(FormatError, match=message):
            write(record)


@pytest.mark.parametrize("ending", [".ldag", ".json", ".dot", ".gv", ".LDAG"])
def test_file_round_trip(tmp_path: Path, ending: str) -> None:
    """The ending chooses the format, and nothing is left beside the file."""
    path = tmp_path / f"graph{ending}"
    write_graph(RECORD, path)
    write_graph(RECORD, str(path))
    again = read_file(path)
    assert isinstance(again, GraphRecord)
    assert write_text(again) == write_text(RECORD)
    assert [item.name for item in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "graph.txt",
            b"",
            r"graph\.txt: expected a file that ends in \.ldag, \.json, \.dot, \.gv, .* got the ending '\.txt'$",
        ),
        ("graph", b"", r"graph: expected a file that ends in .* got no ending$"),
        ("graph.ldag", None, r"graph\.ldag: no such file$"),
        ("graph.ldag", b"x\n\xff", r"graph\.ldag: expected UTF-8 text, got something else at byte 2$"),
        ("graph.ldag", b"x\nx\n", r"graph\.ldag: line 2: variable 'x' is given twice, first at line 1$"),
        ("graph.json", b"{", r"graph\.json: line 1, column 2: not valid JSON"),
        ("gr\0ph.ldag", None, r"cannot be read: .*null"),
    ],
)
def test_bad_files(tmp_path: Path, name: str, content: bytes | None, message: str) -> None:
    """A file that cannot be read is named with the reason."""
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(FormatError, match=message):
        read_file(path)


def test_byte_order_mark(tmp_path: Path) -> None:
    """A byte order mark, as some editors write, does no harm."""
    path = tmp_path / "graph.ldag"
    path.write_bytes(b"\xef\xbb\xbfx {0, 1}\r\n")
    record = read_file(path)
    assert isinstance(record, GraphRecord)
    assert record.variables[0].name == "x"


def test_directory(tmp_path: Path) -> None:
    """A directory is not a file, however it is called."""
    path = tmp_path / "graph.ldag"
    path.mkdir()
    with pytest.raises(FormatError, match="expected a file, got a directory"):
        read_file(path)
    with pytest.raises(FormatError, match="expected a file, got a directory"):
        write_graph(RECORD, path)
    assert list(path.iterdir()) == []


def test_missing_directory(tmp_path: Path) -> None:
    """Directories are not made on the way."""
    with pytest.raises(FormatError, match="cannot be written: No such file or directory"):
        write_graph(RECORD, tmp_path / "missing" / "graph.ldag")


def test_unknown_ending_when_writing(tmp_path: Path) -> None:
    """Nothing is written in a format that is not known."""
    with pytest.raises(FormatError, match=r"ends in \.ldag, \.json"):
        write_graph(RECORD, tmp_path / "graph.foo")
    with pytest.raises(FormatError, match=r"the format \.bif holds networks, and a graph has no parameters"):
        write_graph(RECORD, tmp_path / "graph.bif")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    """When a write fails half way the old file is as it was and no other is left."""

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "graph.ldag"
    path.write_text("old\n", encoding="utf-8")
    monkeypatch.setattr(os, step, fail)
    with pytest.raises(FormatError, match=r"graph\.ldag: cannot be written: No space left on device$"):
        write_graph(RECORD, path)
    assert path.read_text(encoding="utf-8") == "old\n"
    assert [item.name for item in tmp_path.iterdir()] == ["graph.ldag"]


def test_refused_record_keeps_the_old_file(tmp_path: Path) -> None:
    """A record that cannot be written does not touch the file."""
    path = tmp_path / "graph.json"
    path.write_text("old\n", encoding="utf-8")
    with pytest.raises(FormatError, match="no variables"):
        write_graph(GraphRecord(), path)
    assert path.read_text(encoding="utf-8") == "old\n"


def test_mode_and_link_survive(tmp_path: Path) -> None:
    """The new file has the mode of the old one, and a link still points to it."""
    path = tmp_path / "graph.ldag"
    path.write_text("old\n", encoding="utf-8")
    path.chmod(0o640)
    link = tmp_path / "link.ldag"
    link.symlink_to(path)
    write_graph(RECORD, link)
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert path.read_text(encoding="utf-8") == write_text(RECORD)
