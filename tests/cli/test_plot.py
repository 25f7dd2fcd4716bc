"""`ldag plot`: graphs and charts from files."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from ldag.cli.main import cli


def run(*arguments: str) -> str:
    """Run a command, and return what it printed, or what went wrong."""
    result = CliRunner().invoke(cli, list(arguments))
    return result.output or str(result.exception or "")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return a learned model, a posterior and a bootstrap in files."""
    folder = tmp_path_factory.mktemp("models")
    made = {name: str(folder / f"{name}.json") for name in ("model", "post", "boot")}
    run("learn", "titanic", "--rng", "1", "-o", made["model"])
    run("posterior", "titanic", "--kappa", "0.1", "-o", made["post"])
    run("bootstrap", "titanic", "-n", "3", "--kappa", "0.1", "--equivalent-sample-size", "1", "-o", made["boot"])
    return made


@pytest.mark.parametrize(
    ("source", "options", "shown"),
    [
        ("model", (), "survived"),
        ("model", ("--rules", "survived"), "thin line: 95 % interval"),
        ("model", ("--bars",), "All variables"),
        ("model", ("--curve",), "How well unseen rows are predicted"),
        ("model", ("--trace",), "How the score rose"),
        ("post", (), "width: probability"),
        ("post", ("--bars",), "joined, either way"),
        ("boot", ("--no-labels",), "width: share of graphs in which the two are joined"),
        ("boot", ("--bars",), "How often each edge was learned again"),
    ],
)
def test_pictures_of_files(
    files: dict[str, str], tmp_path: Path, source: str, options: tuple[str, ...], shown: str
) -> None:
    """Each kind of file has its graph and its charts."""
    target = tmp_path / "picture.svg"
    assert run("plot", files[source], "-o", str(target), *options) == ""
    assert shown in target.read_text()


def test_context_graphs_and_differences(files: dict[str, str], tmp_path: Path) -> None:
    """One picture per state of a variable, and the edges of two graphs in one."""
    for name in ("people.svg", "people.png"):
        assert run("plot", "guard", "-o", str(tmp_path / name), "--by", "person") == ""
    text = (tmp_path / "people.svg").read_text()
    assert all(f"person is {person}" in text for person in ("worker", "visitor", "spy"))
    assert (tmp_path / "people.png").read_bytes().startswith(b"\x89PNG")
    wrong = run("plot", "guard", "-o", str(tmp_path / "x.svg"), "--by", "person", "--context", "person=spy")
    assert "--context does not go with --by" in wrong
    other = str(tmp_path / "other.json")
    run("learn", "titanic", "--kappa", "0.5", "--equivalent-sample-size", "1", "--structure", "table", "-o", other)
    picture = tmp_path / "difference.svg"
    assert "edges in both" in run("compare", files["model"], other, "--picture", str(picture))
    assert picture.read_text().startswith("<svg")


def test_charts_that_are_not_there_are_refused(files: dict[str, str], tmp_path: Path) -> None:
    """With what has them."""
    target = str(tmp_path / "picture.svg")
    for arguments, words in (
        ((files["post"], "--rules", "survived"), "has none; give a network"),
        (("guard", "--bars"), "--bars shows probabilities, and guard has none"),
        ((files["boot"], "--curve"), "keeps no cross-validation; ldag learn --kappa cv -o model.json writes it"),
        ((files["model"], "--trace", "--curve"), "--trace does not go with --curve"),
        ((files["model"], "--trace", "--focus", "sex"), "--focus does not go with --trace"),
    ):
        assert words in run("plot", *arguments, "-o", target)


TRIAL = """
latent motivation
assigned {no, yes}
treated {no, yes}
motivation -> treated : assigned=yes
motivation -> recovered
assigned -> treated
treated -> recovered
treated <-> age
"""


def test_what_is_set_from_outside(tmp_path: Path) -> None:
    """Arrows into it are cut; a variable that contexts name again makes a picture of each."""
    (tmp_path / "trial.ldag").write_text(TRIAL)
    source, target = str(tmp_path / "trial.ldag"), tmp_path / "trial.svg"
    assert run("plot", source, "--do", "treated", "-o", str(target)) == ""
    assert "motivation → treated (cut)" in target.read_text()
    contexts = ("-c", "assigned=no", "-c", "assigned=yes")
    assert run("plot", source, "--do", "treated=yes", *contexts, "-o", str(target)) == ""
    text = target.read_text()
    assert (text.count("assigned is no</text>"), text.count("assigned is yes</text>")) == (1, 3)  # two are labels
    assert text.count("= yes</text>") == 3
    assert run("plot", source, "--do", "treated,assigned", "--by", "recovered", "-o", str(target)) == ""
    assert target.read_text().count(">do(assigned)</text>") == 2
    wrong = run("plot", source, "--do", "treated=yes", "--do", "assigned", "-o", str(target))
    assert "--do: give a state to all variables or to none, got 'treated=yes' and 'assigned'" in wrong
