"""Commands with rows that belong together: --groups and --time, wherever tables are read."""

import json
from pathlib import Path

import pandas as pd
import pytest

import ldag
from tests.command import execute, run
from tests.unit.learning.test_group_folds import visits


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Visits of eighty patients, with a wave."""
    path = tmp_path_factory.mktemp("groups") / "visits.csv"
    frame = visits()
    frame.assign(wave=frame.groupby("patient").cumcount() + 1).to_csv(path, index=False)
    return path


def test_describe_says_what_belongs_together(table: Path) -> None:
    """Rows per patient, and which columns stay the same within patients; counts are those of different rows."""
    shown = run("describe", str(table), "--groups", "patient", "--time", "wave")
    assert "patient: 392 rows of 80 patients, 1 to 9 each, median 5\n" in shown
    assert "  sex   2 states: 0, 1; one per patient\n" in shown
    assert shown.count("one per patient") == 1
    plain = json.loads(run("describe", str(table), "--groups", "patient", "--time", "wave", "--json"))
    assert plain["groups"] == {
        "column": "patient",
        "n": 80,
        "rows": {"least": 1, "median": 5, "most": 9},
        "constant": ["sex"],
    }
    assert plain["time"] == {"column": "wave", "kind": "numbers", "step": 1}
    assert plain["n_rows"] == len(visits().drop(columns="patient").drop_duplicates())
    assert "groups" not in json.loads(run("describe", str(table), "--json"))


def test_what_is_learned_is_chosen_on_patients(table: Path, tmp_path: Path) -> None:
    """The same as in Python; averages, bootstraps and posteriors say so, too."""
    quick = ["--groups", "patient", "--time", "wave", "--max-parents", "3"]
    shown = run("learn", str(table), *quick, "-o", str(tmp_path / "net.json"))
    fit = ldag.learn(ldag.read(table, groups="patient", time="wave"), max_parents=3)
    head = "LDAG learned from 392 rows of 80 patients, 4 variables; chosen on patients not seen\n"
    assert shown.startswith(head)
    assert str(fit).startswith(head)
    assert f"score {fit.score.total:.2f} =" in shown
    sized = [*quick, "--equivalent-sample-size", "10"]
    assert "each from 80 patients with all their rows" in run("bootstrap", str(table), "-n", "2", *sized)
    many = run("average", str(table), "-n", "2", *sized, "-o", str(tmp_path / "many.json"))
    assert "held-out rows of 80 groups" in many
    post = run("posterior", str(table), *sized)
    assert "design effect" in post
    scored = run("score", str(tmp_path / "net.json"), str(table), "--groups", "patient")
    assert scored == run("score", str(tmp_path / "net.json"), str(table))


def test_counts_keep_what_belongs_together(table: Path, tmp_path: Path) -> None:
    """A file of counts has the column of groups, and is read with it again."""
    run("count", str(table), "--groups", "patient", "--columns", "sex,pain", "-o", str(tmp_path / "counts.csv"))
    counted = ldag.read(tmp_path / "counts.csv", groups="patient", counts="count")
    assert counted == ldag.read(table, groups="patient", columns=["sex", "pain"])


def test_intervals_of_effects_say_what_they_assume(table: Path, tmp_path: Path) -> None:
    """Numbers are those without groups, and their intervals take rows as independent, which is told."""
    graph = tmp_path / "graph.ldag"
    graph.write_text("sex {0, 1}\npain {0, 1}\nday {0, 1, 2, 3, 4, 5}\nsex -> pain\nsex -> day\npain -> day\n")
    asked = ["identify", str(graph), "day", "--do", "pain=1", "--data", str(table)]
    grouped, plain = execute(*asked, "--groups", "patient"), execute(*asked)
    assert "note: rows of one patient are taken as independent given the model" in grouped.stderr
    assert "independent" not in plain.stderr
    assert grouped.stdout == plain.stdout != ""


BAD = [
    (["--groups", "patien"], "error: --groups patien: the table has no such column; did you mean 'patient'?"),
    (
        ["--groups", "patient", "--columns", "patient,sex"],
        "--groups patient: --columns names it too; such a column is no",
    ),
    (["--groups", "patient", "--time", "patient"], "--groups patient: --time names it too; it cannot be both"),
    (["--groups", "ward"], "needs at least 5 wards, got 4 wards"),
    (["--groups", "gappy"], "column 'gappy', row 2: a row without a group"),
    (["--groups", "patient", "--time", "sex"], "stands in more than one row"),
    (["--groups", "one"], "column 'one' has one group only"),
]


@pytest.mark.parametrize(("options", "message"), BAD)
def test_what_cannot_be_groups_is_refused(table: Path, tmp_path: Path, options: list[str], message: str) -> None:
    """With what was expected, and what to do."""
    frame = pd.read_csv(table)
    gappy = frame["patient"].where(frame.index != 1)
    path = tmp_path / "bad.csv"
    frame.assign(ward=frame["patient"] % 4, gappy=gappy, one="a").to_csv(path, index=False)
    done = execute("learn", str(path), *options)
    assert done.returncode != 0
    assert message in done.stderr


def test_shipped_data_have_no_groups() -> None:
    """Their columns are all variables."""
    done = execute("learn", "heart", "--groups", "smoking")
    assert "--groups is for files; the data set 'heart' comes with the package" in done.stderr
