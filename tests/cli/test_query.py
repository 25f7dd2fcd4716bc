"""Asking and predicting on the command line."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

import ldag
from ldag import Network, Variable
from ldag.cli.arguments import Observed, read_observed
from ldag.errors import LdagError
from tests.command import execute, run


@pytest.fixture(scope="module")
def heart(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The file of a network over the heart data."""
    path = str(tmp_path_factory.mktemp("networks") / "heart.json")
    Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart")).save(path)
    return path


@pytest.fixture
def rows(tmp_path: Path) -> str:
    """Three rows, one with an empty cell."""
    path = tmp_path / "rows.csv"
    path.write_text("smoking,protein\nyes,<3\nno,<3\n,>3\n")
    return str(path)


def test_query(heart: str) -> None:
    """A table of states and probabilities, or JSON."""
    shown = run("query", heart, "pressure", "--given", "smoking=yes").splitlines()
    assert [line.split() for line in shown] == [["pressure", "probability"], ['"<140"', "0.6093"], ['">140"', "0.3907"]]
    assert len({len(line) for line in shown}) == 1
    found = json.loads(run("query", heart, "pressure,smoking", "--do", "mental=no", "--json"))
    answer = Network.load(heart).query(["pressure", "smoking"], do={"mental": "no"})
    assert found["targets"] == ["pressure", "smoking"]
    assert {tuple(r["states"]): r["probability"] for r in found["distribution"]} == pytest.approx(answer)


def test_query_with_intervals(heart: str) -> None:
    """Each probability with the limits between which the rows leave it; the root's are those of a Beta distribution."""
    answer = json.loads(run("query", heart, "family", "--interval", "0.9", "--json"))["distribution"]
    (part,) = Network.load(heart).classes("family").classes
    rows = np.array(part.counts) + 0.5  # an equivalent sample size of one, spread over two states
    for place, shown in enumerate(answer):
        other = rows.sum() - rows[place]
        expected = scipy.stats.beta.ppf([0.05, 0.95], rows[place], other)
        assert shown["interval"] == pytest.approx(expected, abs=0.003)
    shown_table = run("query", heart, "family", "--interval", "0.9").splitlines()
    assert shown_table[0].split() == ["family", "probability", "interval"]
    assert " to " in shown_table[1]
    assert "for TARGETS alone" in execute("query", heart, "--all", "--interval", "0.9").stderr


def test_what_is_set_in_a_learned_network(tmp_path: Path) -> None:
    """A range beside the probabilities, and a warning that names the arrows; constraints that settle them end both."""
    for name, constraints in (
        ("open", None),
        ("settled", ldag.Constraints(tiers=[["mental"], ["physical", "protein"]])),
    ):
        path = str(tmp_path / f"{name}.json")
        ldag.learn(ldag.datasets.load("heart"), equivalent_sample_size=1, constraints=constraints).save(path)
        result = execute("query", path, "smoking", "--do", "mental=yes")
        everything = execute("query", path, "--all", "--do", "mental=yes")
        told = json.loads(execute("query", path, "smoking", "--do", "mental=yes", "--json").stdout)
        is_open = name == "open"
        assert ("arrows mental -> physical and mental -> protein point" in result.stderr) == is_open
        assert ("range" in result.stdout) == (" to " in everything.stdout) == is_open
        assert ["mental", "physical"] in told["undetermined"] or not is_open
        low, high = told["distribution"][0]["range"]
        assert (low < high) == is_open
    assert "range" not in run("query", path, "smoking", "--given", "mental=yes")


def test_query_everything(heart: str) -> None:
    """The distributions of all variables, and the most probable states."""
    shown = run("query", heart, "--all", "-g", "smoking=yes").splitlines()
    assert len(shown) == 12
    assert shown[1].split() == ["smoking", "yes", "1.0000"]
    found = json.loads(run("query", heart, "--all", "--json"))
    assert sum(part["probability"] for part in found["protein"]) == pytest.approx(1)
    best = json.loads(run("query", heart, "--most-probable", "-g", "smoking=yes", "--json"))
    net = Network.load(heart)
    assert best["states"] == net.most_probable({"smoking": "yes"})
    assert best["probability"] == pytest.approx(net.probability(best["states"]) / net.probability({"smoking": "yes"}))
    assert run("query", heart, "--most-probable").splitlines()[-1].startswith("probability 0.")


def test_query_mistakes(heart: str) -> None:
    """One line that names the option."""
    assert "one of the three" in run("query", heart, code=2)
    assert "one of the three" in run("query", heart, "pressure", "--all", code=2)
    assert "--given: expected name=state" in run("query", heart, "pressure", "--given", "smoking", code=2)
    twice = run("query", heart, "pressure", "--do", "smoking=yes", "--do", "smoking=no", code=2)
    assert "--do: variable 'smoking' is given a state twice" in twice
    assert "no state 'perhaps'" in run("query", heart, "pressure", "-g", "smoking=perhaps", code=2)
    assert "example graph, which has no parameters" in run("query", "heart", "pressure", code=2)


def test_query_with_all_kinds_of_findings(heart: str) -> None:
    """One of several states, and likelihoods: the same as in Python; and the most probable states of some."""
    net = Network.load(heart)
    found = json.loads(run("query", heart, "pressure", "-g", "protein=<3|>3", *LIKELIHOODS, "--json"))
    expected = net.query("pressure", {"smoking": {"no": 0.5, "yes": 1.0}})
    assert [row["probability"] for row in found["distribution"]] == pytest.approx(list(expected.values()))
    part = run("query", heart, "--most-probable", "smoking", "protein", "-g", "pressure=>140").splitlines()
    assert [line.split()[0] for line in part] == ["smoking", "protein", "probability"]
    options = ("query", heart, "--most-probable", "smoking", "protein", "-g", "pressure=>140", "--bound")
    assert run(*options).splitlines()[-1] == "probability 0.3518; no other states exceed 0.5427"


def test_query_explains(heart: str) -> None:
    """In the words of Python."""
    told = Network.load(heart).explain("pressure", {"smoking": "yes", "protein": "<3"})
    assert run("query", heart, "pressure", "-g", "smoking=yes", "-g", "protein=<3", "--explain") == f"{told}\n"


def test_findings_of_options() -> None:
    """States as they are, several of one variable as a set, unless a state has a bar itself."""
    known = [Variable("x", ("a", "b", "a|b")), Variable("y", ("a", "b", "c"))]
    found = read_observed(known, given=("y=a|b", "x=a|b"), likelihood=(), do=("z=1",))
    assert found == Observed(given={"y": {"a", "b"}, "x": "a|b"}, do={"z": "1"})
    found = read_observed(known, given=("y=a", "y=c"), likelihood=("x=a:0.5", 'x="b":1'), do=())
    assert found == Observed(given={"y": {"a", "c"}, "x": {"a": 0.5, "b": 1.0}}, do={})


@pytest.mark.parametrize(
    ("given", "likelihood", "message"),
    [
        (
            (),
            ("x=yes",),
            "--likelihood: expected NAME=STATE:NUMBER with a number >= 0, such as smoking=yes:0.8, got 'x",
        ),
        ((), ("x=yes:-1",), "got 'x=yes:-1'"),
        ((), ("x=yes:inf",), "got 'x=yes:inf'"),
        ((), ("x:1",), "--likelihood: expected name=state"),
        ((), ("x=yes:1", "x=yes:2"), "--likelihood: x=yes is named twice"),
        (("x=no",), ("x=yes:1",), "--likelihood: the state of 'x' is given; leave out one of the two"),
        (("x",), (), "--given: expected name=state"),
    ],
)
def test_options_that_make_no_sense(given: tuple[str, ...], likelihood: tuple[str, ...], message: str) -> None:
    """One line that names the option."""
    with pytest.raises(LdagError, match=re.escape(message)):
        read_observed([Variable("x", ("yes", "no"))], given, likelihood, ())


LIKELIHOODS = ("--likelihood", "smoking=no:0.5", "--likelihood", "smoking=yes:1")


def test_several_networks_answer_together(rows: str, tmp_path: Path) -> None:
    """`average` writes what Python learns; query, predict and sample read it."""
    path = str(tmp_path / "several.json")
    shown = run("average", "heart", "-n", "3", "--kappa", "0.1", "--rng", "1", "-o", path)
    assert shown.startswith("3 networks over 6 variables\nwith labels, each under a random order of the variables\n")
    mixture = ldag.average(ldag.datasets.load("heart"), 3, kappa=0.1, rng=1)
    found = json.loads(run("query", path, "--all", *LIKELIHOODS, "--json"))
    expected = mixture.marginals({"smoking": {"no": 0.5, "yes": 1.0}})
    assert [part["probability"] for part in found["mental"]] == pytest.approx(list(expected["mental"].values()))
    predicted = json.loads(run("predict", path, rows, "-t", "pressure", "--proba", "--json"))
    assert predicted["P(pressure=<140)"] == pytest.approx(mixture.predict_proba(rows, "pressure")[:, 0].tolist())
    drawn = json.loads(run("sample", path, "-n", "40", "-g", "pressure=>140", "--rng", "3", "--json"))
    columns = mixture.sample_columns(40, 3, given={"pressure": ">140"})
    assert drawn == {name: cells.tolist() for name, cells in columns.items()}
    assert set(drawn["pressure"]) == {">140"}
    assert "with tables, each under" in run("average", "heart", "-n", "2", "-o", path)
    message = "--most-probable is for one network, and the file has 2"
    assert message in run("query", path, "--most-probable", code=2)


def test_predict(heart: str, rows: str, tmp_path: Path) -> None:
    """States, and probabilities on request, before the columns that were read; printed, written or as JSON."""
    net = Network.load(heart)
    expected = net.predict(rows, "pressure").tolist()
    header, *printed = csv.reader(run("predict", heart, rows, "--target", "pressure").splitlines())
    assert header == ["pressure", "smoking", "protein"]
    assert [row[0] for row in printed] == expected
    out = tmp_path / "out.csv"
    assert run("predict", heart, rows, "--target", "pressure", "--proba", "-o", str(out)) == ""
    with out.open(newline="") as file:
        header, *written = csv.reader(file)
    assert header[:3] == ["pressure", "P(pressure=<140)", "P(pressure=>140)"]
    assert [[float(cell) for cell in row[1:3]] for row in written] == net.predict_proba(rows, "pressure").tolist()
    found = json.loads(run("predict", heart, rows, "-t", "pressure", "--json"))
    assert found["pressure"] == expected


def test_predict_unseen_states(heart: str, tmp_path: Path) -> None:
    """Refused with their place, or ignored and counted."""
    rows = tmp_path / "rows.csv"
    rows.write_text("smoking\nno\nys\n")
    error = run("predict", heart, str(rows), "-t", "pressure", code=2)
    assert error == "error: column 'smoking', row 2: variable 'smoking' has no state 'ys'; did you mean 'yes'?\n"
    done = execute("predict", heart, str(rows), "-t", "pressure", "--unseen", "ignore")
    assert len(done.stdout.splitlines()) == 3
    assert done.stderr == "note: smoking: 1 cell taken as missing, with a state that the network does not know\n"
