"""Tables with gaps by the command line: what is kept, what is told, and what is written again."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ldag
from ldag.data import ASSUMED
from tests.command import execute, run

N = 300


@pytest.fixture
def survey(tmp_path: Path) -> str:
    """Write a survey: the young leave income empty, some leave pain empty, and hardly anybody says more."""
    rng = np.random.default_rng(1)
    age = rng.choice(["18-25", "26-60", "60+"], N)
    smoker = rng.choice(["no", "yes"], N)
    pain = np.where(rng.random(N) < 0.8, smoker, rng.choice(["no", "yes"], N))
    frame = pd.DataFrame({"age": age, "smoker": smoker, "pain": pain, "income": rng.choice(["low", "high"], N)})
    frame.loc[(age == "18-25") & (rng.random(N) < 0.7), "income"] = None
    frame.loc[rng.random(N) < 0.1, "pain"] = None
    frame["more"] = pd.Series("x", index=frame.index).mask(rng.random(N) < 0.9)
    frame.to_csv(tmp_path / "survey.csv", index=False)
    return str(tmp_path / "survey.csv")


def test_describe_tells_of_gaps(survey: str) -> None:
    """By column, by pattern, what they depend on, and what is assumed; a hardly filled column is left out."""
    done = execute("describe", survey)
    assert "more: left out, " in done.stderr
    assert " of 300 rows have gaps (income, pain): kept\n" in done.stderr
    assert "  income  " in done.stdout
    assert "  pain, income: " in done.stdout
    assert "income is empty more often where age is 18-25 (log Bayes factor " in done.stdout
    assert ASSUMED in done.stdout


def test_describe_gives_gaps_as_plain_values(survey: str) -> None:
    """The same as in Python; a table without gaps has none."""
    plain = json.loads(run("describe", survey, "--columns", "age,income,pain", "--missing", "keep", "--json"))
    data = ldag.read(survey, columns=["age", "income", "pain"], missing="keep")
    assert plain["gaps"] == json.loads(json.dumps(data.gaps().to_dict()))
    assert [one["counts"] for one in plain["variables"]] == [
        data.counts(name, observed=True)[0].tolist() for name in data.names
    ]
    assert json.loads(run("describe", "heart", "--json"))["gaps"]["n_cells"] == 0


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_counted_rows_keep_gaps(survey: str, ending: str, tmp_path: Path) -> None:
    """Gaps are empty cells of the file that is written, which is read as the table was."""
    rows = str(tmp_path / f"rows{ending}")
    run("count", survey, "--columns", "age,income,pain", "--missing", "keep", "-o", rows)
    once = json.loads(run("describe", survey, "--columns", "age,income,pain", "--json"))
    again = json.loads(run("describe", rows, "--counts", "count", "--json"))
    assert again["gaps"] == once["gaps"]


KEPT = " of 300 rows have gaps (income, pain): kept, learned by EM\n"
QUICK = ["--kappa", "0.1", "--equivalent-sample-size", "1"]


def test_learn_keeps_gaps_unless_told_otherwise(survey: str) -> None:
    """All rows are learned from, and that is told; other choices are as they were."""
    done = execute("learn", survey, *QUICK, "--json")
    assert KEPT in done.stderr
    learned = json.loads(done.stdout)
    assert {"pain", "smoker"} in map(set, learned["edges"])
    assert f"learned from {N} observations" in run("learn", survey, *QUICK)
    assert " rows left out" in execute("learn", survey, *QUICK, "--missing", "drop").stderr


def test_a_graph_is_fitted_and_scored_with_gaps(survey: str, tmp_path: Path) -> None:
    """Parameters are those of EM, and a score is a lower bound."""
    (tmp_path / "graph.ldag").write_text("smoker -> pain\n")
    graph, model = str(tmp_path / "graph.ldag"), str(tmp_path / "m.json")
    done = execute("fit", graph, survey, "-o", model, "--json")
    assert " of 300 rows have gaps (pain): kept, fitted by EM\n" in done.stderr
    data = ldag.read(survey, columns=["smoker", "pain"], missing="keep")
    edges = ldag.LDAG.from_edges([("smoker", "pain")], states={name: data.states(name) for name in data.names})
    network = ldag.Network.from_data(edges, data)
    assert json.loads(done.stdout)["log_likelihood"] == pytest.approx(network.log_likelihood(data))
    scored = execute("score", graph, survey, "--kappa", "0.1")
    assert "kept, scored by a lower bound" in scored.stderr
    assert "lower bound" in scored.stdout


def test_a_report_tells_what_was_missing(survey: str, tmp_path: Path) -> None:
    """Of data that are learned from, and of a model's data."""
    page = tmp_path / "r.md"
    assert KEPT in execute("report", survey, *QUICK, "--no-posterior", "-o", str(page)).stderr
    assert ASSUMED in page.read_text()


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["posterior", "--kappa", "0.3", "--max-parents", "1", "--equivalent-sample-size", "1"], "averaged over"),
        (["bootstrap", "-n", "2", *QUICK], "learned by EM"),
        (["average", "-n", "2", *QUICK, "-o", "several.json"], "learned by EM"),
    ],
)
def test_what_says_how_sure_it_is_keeps_gaps(
    command: list[str], told: str, survey: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Posterior, bootstrap and average take the rows with gaps."""
    monkeypatch.chdir(tmp_path)
    done = execute(command[0], survey, *command[1:])
    assert done.returncode == 0, done.stderr
    assert f" of 300 rows have gaps (income, pain): kept, {told}" in done.stderr


def test_what_needs_every_cell_decides_as_before(survey: str, tmp_path: Path) -> None:
    """Rows are left out, and that is told, where gaps cannot be used."""
    done = execute("scores", survey, "--kappa", "0.1", "--max-parents", "1", "-o", str(tmp_path / "s.jkl"))
    assert "rows left out, which have missing cells (in pain, income)" in done.stderr
    done = execute("count", survey, "-o", str(tmp_path / "rows.csv"))
    assert "rows left out, which have missing cells (in pain, income)" in done.stderr


def test_what_needs_every_cell_says_so(survey: str) -> None:
    """A command that cannot use gaps refuses them, if they were kept on purpose."""
    said = run("scores", survey, "--missing", "keep", "--kappa", "0.1", code=2)
    assert "these data have gaps" in said
    assert "--missing drop leaves out the rows with gaps" in said


def test_growth_fills_gaps(tmp_path: Path) -> None:
    """It keeps them unless somebody says otherwise, and says how many cells were filled, and by what."""
    path = tmp_path / "rows.csv"
    rng = np.random.default_rng(1)
    table = pd.DataFrame({name: rng.integers(2, size=60) for name in "abc"}).astype(object)
    table.loc[:4, "b"] = None
    table.to_csv(path, index=False)
    result = execute("learn", str(path), "--method", "grow", "--equivalent-sample-size", "1")
    assert "5 of 60 rows have gaps (b): kept, filled by draws" in result.stderr
    assert "learned from 60 observations" in result.stdout
    assert "gaps: 5 missing cells in 5 observations filled by draws" in result.stdout
    output = str(tmp_path / "several.json")
    several = execute("average", str(path), "-n", "2", "--method", "grow", "-o", output)
    assert several.returncode == 0, several.stderr
    assert "filled by draws" in several.stdout
    assert "each network has draws of its own" in several.stdout
    dropped = execute("learn", str(path), "--method", "grow", "--missing", "drop", "--equivalent-sample-size", "1")
    assert "learned from 55 observations" in dropped.stdout
