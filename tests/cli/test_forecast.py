"""`ldag forecast`, and what other commands do with the file of a dynamic network."""

import json
from pathlib import Path

import pandas as pd
import pytest

import ldag
from tests.command import run
from tests.unit.dynamic.test_door import weather

HISTORY = "town,day,rain\na,1,no\na,2,yes\nb,1,no\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a network, and of a history of two towns."""
    path = tmp_path_factory.mktemp("forecast")
    weather(groups="town", time="day").save(path / "net.json")
    (path / "history.csv").write_text(HISTORY)
    return path


def test_forecast_tells_what_the_library_says(folder: Path) -> None:
    """A line for each town, step and state; as JSON the same numbers."""
    shown = run(
        "forecast", str(folder / "net.json"), str(folder / "history.csv"), "--steps", "2", "--variables", "rain"
    )
    told = json.loads(run("forecast", str(folder / "net.json"), str(folder / "history.csv"), "--steps", "2", "--json"))
    exact = weather().forecast({"rain": ["no", "yes"]}, steps=2)
    assert shown.splitlines()[0].split() == ["town", "step", "variable", "state", "probability"]
    assert shown.splitlines()[1].split() == ["a", "1", "rain", "no", f"{exact[0]['rain']['no']:.4f}"]
    assert len(shown.splitlines()) == 1 + 2 * 2 * 2
    assert told[0]["group"] == "a"
    assert told[0]["steps"][1]["rain"][1]["probability"] == pytest.approx(exact[1]["rain"]["yes"])


def test_forecast_tells_of_the_past(folder: Path) -> None:
    """Filtered, smoothed, and as the most probable path; or of a series that begins."""
    net, history = str(folder / "net.json"), str(folder / "history.csv")
    smooth = json.loads(run("forecast", net, history, "--past", "smooth", "--json"))
    assert smooth[0]["steps"][0]["place"][0]["probability"] == pytest.approx(
        weather().smooth({"rain": ["no", "yes"]})[0]["place"]["dry"]
    )
    path = run("forecast", net, history, "--past", "path", "--variables", "place")
    assert path.splitlines()[1].split() == ["a", "1", "place", "wet"]
    assert len(run("forecast", net, history, "--past", "filter").splitlines()) > 3
    begins = run("forecast", net, "--method", "sample", "--samples", "400")
    assert begins.splitlines()[0].split() == ["step", "variable", "state", "probability", "error"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--past", "smooth"], "--past is about the steps of HISTORY; give the table"),
        (["history.csv", "--past", "smooth", "--steps", "2"], "leave out --steps"),
        (["history.csv", "--samples", "500"], "--samples goes with --method sample"),
        (["history.csv", "--steps", "0"], "--steps must be"),
        (["history.csv", "--variables", "snow"], "no variable 'snow'"),
        (["nothing.csv"], "there is no file"),
    ],
)
def test_what_does_not_go_together_is_an_error(folder: Path, arguments: list[str], message: str) -> None:
    """Each is one line."""
    own = [str(folder / text) if text.endswith(".csv") else text for text in arguments]
    assert message in run("forecast", str(folder / "net.json"), *own, code=2)


def test_other_commands_take_the_file_or_say_why_not(folder: Path, tmp_path: Path) -> None:
    """Shown, drawn, reported, explored, unrolled and drawn from; everything else names what does it."""
    net = str(folder / "net.json")
    assert "Dynamic network: 1 variable over time" in run("show", net)
    assert "Dynamic network: 1 variable over time" in run("describe", net)
    assert json.loads(run("show", net, "--json"))["static"] == ["place"]
    for file, command in (("a.svg", "plot"), ("b.svg", "plot"), ("c.html", "report"), ("d.html", "explore")):
        run(command, net, "-o", str(tmp_path / file), *(["--rolled"] if file == "b.svg" else []))
        assert (tmp_path / file).stat().st_size > 1000
    unrolled = run("query", net, "--unroll", "3", "rain@2", "--do", "rain@1=yes")
    assert f"{weather().unroll(3).query('rain@2', do={'rain@1': 'yes'})['yes']:.4f}" in unrolled
    drawn = run("sample", net, "-n", "2", "--length", "3").splitlines()
    assert (drawn[0], len(drawn)) == ("town,day,place,rain", 7)
    for wrong in (["query", net, "rain"], ["sample", net, "-n", "2"]):
        assert "is a dynamic network, over steps of time; `ldag forecast` asks it" in run(*wrong, code=2)
    assert "got a dynamic network; DynamicNetwork.load reads it" in run("score", net, "heart", code=2)
    assert "expected a dynamic network that ldag wrote, got" in run("forecast", _save_guard(tmp_path), code=2)
    assert "--rolled is for dynamic networks" in run("plot", "guard", "--rolled", "-o", str(tmp_path / "e.svg"), code=2)
    assert "leave out --counts" in run("sample", net, "-n", "2", "--length", "3", "--counts", "n", code=2)
    assert "--data is for models of rows" in run("report", net, "--data", "heart", "-o", str(tmp_path / "f.md"), code=2)


def _save_guard(folder: Path) -> str:
    ldag.simulate.guard().save(folder / "guard.json")
    return str(folder / "guard.json")


def test_what_is_learned_from_a_panel_forecasts(tmp_path: Path) -> None:
    """From a table of series to what comes next, with nothing but commands; other files cannot keep it."""
    table, net = str(tmp_path / "panel.csv"), str(tmp_path / "learned.json")
    pd.DataFrame(weather(groups="town", time="day").sample_columns(80, length=5, rng=1)).to_csv(table, index=False)
    columns = ["--groups", "town", "--time", "day"]
    fixed = ["--kappa", "0.1", "--equivalent-sample-size", "1"]
    told = run("learn", table, *columns, "--lags", "1", *fixed, "-o", net)
    assert "Dynamic LDAG learned from 400 rows of 80 towns, 1 lag" in told
    learned = ldag.learn(ldag.read(table, groups="town", time="day"), lags=1, kappa=0.1, equivalent_sample_size=1)
    assert ldag.DynamicNetwork.load(net) == learned.network
    assert run("forecast", net, table, "--steps", "1").splitlines()[0].split()[0] == "town"
    refused = run("learn", table, *columns, "--lags", "1", "-o", str(tmp_path / "learned.ldag"), code=2)
    assert "a dynamic network is kept in a file that ends in .json" in refused
