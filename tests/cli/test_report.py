"""`ldag report` and `ldag explore`: pages from data and from models."""

from pathlib import Path

from tests.command import execute


def test_pages_from_data_and_from_a_model(tmp_path: Path) -> None:
    """Learning on the way, or from what was learned before."""
    model, page, other, explorer = (str(tmp_path / name) for name in ("m.json", "a.html", "b.html", "e.html"))
    assert execute("report", "ucb", "--kappa", "0.3", "-o", page).returncode == 0
    assert "How sure is it?" in Path(page).read_text()
    assert execute("learn", "ucb", "--kappa", "0.3", "--equivalent-sample-size", "1", "-o", model).returncode == 0
    assert execute("report", model, "--data", "ucb", "-o", other).returncode == 0
    assert "4,526 rows" in Path(other).read_text()
    assert execute("explore", model, "-o", explorer, "--title", "Berkeley").returncode == 0
    assert "<h1>Berkeley</h1>" in Path(explorer).read_text()


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    """Options of learning for a model, data beside data, and other endings."""
    model = str(tmp_path / "m.json")
    execute("learn", "ucb", "--kappa", "0.3", "--equivalent-sample-size", "1", "-o", model)
    for arguments, said in (
        (("report", model, "--kappa", "0.5", "-o", "x.html"), "--kappa is for learning"),
        (("report", "ucb", "--data", "ucb", "-o", "x.html"), "--data is for models; ucb is data itself"),
        (("explore", model, "-o", "x.txt"), "an explorer is a file that ends in .html"),
    ):
        done = execute(*arguments)
        assert done.returncode == 2
        assert said in done.stderr
        assert done.stderr.count("\n") == 1
