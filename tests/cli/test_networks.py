"""Networks on the command line: learned, shown, sampled."""

import csv
import io
import json
from pathlib import Path

import pytest

import ldag
from ldag import LDAG, Network
from tests.command import execute, run


@pytest.fixture(scope="module")
def heart(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The file of a network learned from the heart data."""
    path = str(tmp_path_factory.mktemp("networks") / "heart.json")
    run("learn", "heart", "--kappa", "0.1", "--equivalent-sample-size", "2", "-o", path)
    return path


def test_learn_writes_a_network_or_a_graph(heart: str, tmp_path: Path) -> None:
    """A .json file has the parameters, with the prior of the search; a .ldag file is a graph."""
    assert Network.load(heart).equivalent_sample_size == 2
    run("learn", "heart", "--kappa", "0.1", "--equivalent-sample-size", "1", "-o", str(tmp_path / "heart.ldag"))
    assert LDAG.load(tmp_path / "heart.ldag") == Network.load(heart).ldag


def test_show_a_network(heart: str) -> None:
    """A distribution per class, in words, and as JSON."""
    shown = run("show", heart)
    assert 'smoking=yes and protein="<3"  0.67' in shown
    found = json.loads(run("show", heart, "--json"))
    assert found["probabilities"]["family"][0] == pytest.approx([1582 / 1843, 261 / 1843])
    assert found["dimension"] == 12


def test_a_network_stands_for_its_graph(heart: str) -> None:
    """Commands that take a graph take the file of a network."""
    assert "holds" in run("implies", heart, "physical", "pressure", "--context", "protein=>3")
    assert "mental -> physical" in run("convert", heart, "-")


def test_sample_rows(heart: str, tmp_path: Path) -> None:
    """One line per row, printed or written, as in Python."""
    printed = run("sample", heart, "-n", "200", "--rng", "4")
    rows = list(csv.reader(io.StringIO(printed)))
    assert len(rows) == 201
    net = Network.load(heart)
    states = {v.name: v.states for v in net.variables}
    run("sample", heart, "-n", "200", "--rng", "4", "-o", str(tmp_path / "rows.csv"))
    assert (tmp_path / "rows.csv").read_text() == printed
    assert ldag.read(tmp_path / "rows.csv", states=states) == net.sample(200, rng=4)


def test_sample_given_findings(heart: str) -> None:
    """The same rows as in Python, given states and likelihoods, and with a variable set."""
    columns = Network.load(heart).sample_columns(
        50, 2, given={"pressure": ">140", "protein": {"<3": 1.0, ">3": 0.1}}, do={"smoking": "yes"}
    )
    options = ("-g", "pressure=>140", "--likelihood", "protein=<3:1", "--likelihood", "protein=>3:0.1")
    drawn = run("sample", heart, "-n", "50", "--rng", "2", *options, "--do", "smoking=yes", "--json")
    assert json.loads(drawn) == {name: cells.tolist() for name, cells in columns.items()}


def test_sample_counts_and_json(heart: str, tmp_path: Path) -> None:
    """Equal rows merged with their counts; JSON for other programs."""
    run("sample", heart, "-n", "300", "--counts", "n", "-o", str(tmp_path / "rows.csv"))
    states = {v.name: v.states for v in Network.load(heart).variables}
    assert ldag.read(tmp_path / "rows.csv", counts="n", states=states).total == 300
    found = json.loads(run("sample", heart, "-n", "2", "--json"))
    assert next(iter(found)) == "smoking"
    assert all(len(column) == 2 for column in found.values())
    written = json.loads(run("sample", heart, "-n", "2", "-o", str(tmp_path / "two.csv"), "--json"))
    assert written == {"written": str(tmp_path / "two.csv"), "n_rows": 2}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("guard", "-n", "1"), "'guard' is an example graph, which has no parameters"),
        (("none.json", "-n", "1"), "none.json: no such file"),
        (("HEART", "-n", "0"), "n must be a whole number, 1 or more, got 0"),
        (("HEART", "-n", "5", "-o", "rows.txt"), "cannot tell the format of rows.txt"),
        (("HEART", "-n", "5", "--counts", "family"), "'family' is a variable; choose another name"),
    ],
)
def test_sample_refuses(heart: str, arguments: tuple[str, ...], message: str) -> None:
    """One line that says what to do."""
    given = [heart if word == "HEART" else word for word in arguments]
    assert message in run("sample", *given, code=2)


def test_fit_keeps_gaps_and_says_what_em_did(tmp_path: Path) -> None:
    """Auto keeps them; a latent variable needs no column; options of EM are errors where nothing is missing."""
    (tmp_path / "g.ldag").write_text("a {0, 1}\nb {0, 1}\nlatent h {0, 1}\nh -> a\nh -> b\na -> b\n")
    (tmp_path / "t.csv").write_text("a,b\n" + "0,0\n1,1\n0,\n,1\n1,0\n" * 8)
    files = str(tmp_path / "g.ldag"), str(tmp_path / "t.csv")
    done = execute("fit", *files, "--restarts", "4", "--rng", "1", "-o", str(tmp_path / "m.json"))
    assert "note: 16 of 40 rows have gaps (a, b): kept, fitted by EM" in done.stderr
    assert "\nEM came to its end after " in done.stdout
    assert "\n  best of 4 starts, which ended between " in done.stdout
    net = Network.load(tmp_path / "m.json")
    graph = LDAG.load(files[0])
    data = ldag.read(files[1], missing="keep", states={"a": ["0", "1"], "b": ["0", "1"]})
    assert net == Network.from_data(graph, data, n_restarts=4, rng=1)
    more = json.loads(run("fit", *files, "--start", str(tmp_path / "m.json"), "--json"))
    assert net.em is not None
    assert more["em"]["objective"] == pytest.approx(net.em.objective)
    (tmp_path / "full.ldag").write_text("a {0, 1}\nb {0, 1}\na -> b\n")
    (tmp_path / "full.csv").write_text("a,b\n0,0\n1,1\n")
    refused = run("fit", str(tmp_path / "full.ldag"), str(tmp_path / "full.csv"), "--rng", "1", code=2)
    assert "--rng is for data with gaps, and these have none; leave it out" in refused
