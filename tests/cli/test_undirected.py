"""Graphs without arrows on the command line."""

from pathlib import Path

from tests.command import run


def test_learn_show_and_plot(tmp_path: Path) -> None:
    """A decomposable graph is learned, shown and drawn without arrows; its JSON is shown again."""
    model = tmp_path / "m.json"
    told = run("learn", "heart", "--decomposable", "--equivalent-sample-size", "1", "-o", str(model))
    assert "smoking - pressure, independent when protein is >3" in told
    assert "->" not in told
    shown = run("show", str(model), "--undirected")
    assert "separators: {smoking, protein}, {physical}\n" in shown
    run("plot", str(model), "--undirected", "-o", str(tmp_path / "m.svg"))
    assert "independent if protein is &gt;3" in (tmp_path / "m.svg").read_text()
    plain = run("show", str(model), "--undirected", "--json")
    (tmp_path / "u.json").write_text(plain)
    assert run("show", str(tmp_path / "u.json")) == shown
    run("plot", str(tmp_path / "u.json"), "--undirected", "-o", str(tmp_path / "u.svg"))
    assert (tmp_path / "u.svg").read_text() == (tmp_path / "m.svg").read_text()


def test_what_is_refused(tmp_path: Path) -> None:
    """Graphs with immoralities, charts, and constraints on arrows, each with what to do."""
    bad = run("show", "heart", "--undirected", code=2)
    assert "the graph is not perfect: physical -> smoking <- protein" in bad
    picture = str(tmp_path / "p.svg")
    bad = run("plot", "guard", "--undirected", "--by", "person", "-o", picture, code=2)
    assert "--by does not go with --undirected" in bad
    bad = run("learn", "heart", "--decomposable", "--require", "smoking -> mental", code=2)
    assert "--decomposable" in bad
    assert "required is about arrows" in bad
