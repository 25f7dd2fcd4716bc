"""The command line as a newcomer runs it."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any, cast

import pytest

import ldag
from ldag import LDAG, datasets
from ldag.learning import Deadline, Settings, learn_with
from tests.command import PROGRAM, execute, run
from tests.interrupts import bound


def test_show_the_guard() -> None:
    """Variables, edges, labels in words, rules, parameters."""
    shown = run("show", "guard")
    assert "gender does not matter for badge when person is visitor or spy" in shown
    assert "p3  person=visitor" in shown
    assert "11 as a DAG -> 9 with labels" in shown


def test_show_says_what_is_not_maximal_or_regular() -> None:
    """Graphs that can be simplified say so."""
    assert "not maximal" in run("show", "nonmaximal4")
    assert "4 -> 1 never matters" in run("show", "nonregular")


def test_show_as_json_can_be_read_back() -> None:
    """The JSON of `show` has the graph, which can be read, and the facts."""
    shown = json.loads(run("show", "guard", "--json"))
    assert (shown["dag_dimension"], shown["dimension"]) == (11, 9)
    assert LDAG.from_json(json.dumps(shown["graph"])) == datasets.graph("guard")
    assert shown["rules"]["badge"][2] == {"class": 2, "contexts": [{"person": "visitor"}]}


def test_implies_with_a_proof() -> None:
    """The answer, and why."""
    assert "gender ⊥ badge | person=spy holds." in run("implies", "guard", "gender", "badge", "--context", "person=spy")
    refuted = run("implies", "guard", "gender", "badge", "-c", "person=worker")
    assert "does not hold" in refuted
    assert "P(gender=" in refuted


def test_implies_as_json() -> None:
    """Machine-readable, with the witness."""
    found = json.loads(run("implies", "guard", "gender", "badge", "-g", "person", "--json"))
    assert found["independent"] is False
    assert found["decided"] is True
    assert set(found["witness"]["parameters"]) == {"gender", "badge"}


def test_contexts_may_be_quoted_or_not() -> None:
    """The state >3 can be given bare or in quotes, several parts with commas."""
    for context in ("protein=>3", 'protein=">3"', 'protein=">3", mental=no'):
        assert "holds" in run("implies", "heart", "smoking", "pressure", "--context", context)


def test_equivalent_yes_and_no(tmp_path: Path) -> None:
    """The two special examples say the same; a changed label does not."""
    assert run("equivalent", "cases", "contraction").startswith("yes")
    other = tmp_path / "other.ldag"
    other.write_text(datasets.graph("guard").to_text().replace("person=visitor ; ", ""))
    answer = run("equivalent", "guard", str(other))
    assert (
        answer
        == "no: in the context person=visitor, gender and badge are adjacent in the second graph and not in the first\n"
    )
    assert json.loads(run("equivalent", "guard", str(other), "--json"))["difference"]["context"] == {
        "person": "visitor"
    }


@pytest.mark.parametrize("ending", ["ldag", "json", "dot"])
def test_convert_both_ways(tmp_path: Path, ending: str) -> None:
    """Every format is written and read back to an equal graph."""
    there, back = tmp_path / f"g.{ending}", tmp_path / "back.ldag"
    run("convert", "heart", str(there))
    run("convert", str(there), str(back))
    assert LDAG.load(back) == datasets.graph("heart")
    assert LDAG.load(there) == datasets.graph("heart")


def test_convert_prints_and_simplifies() -> None:
    """A target of '-' prints; --regular drops what never matters."""
    assert "digraph" in run("convert", "guard", "-", "--to", "dot")
    assert "4 -> 1" not in run("convert", "nonregular", "-", "--regular")


def test_plot_writes_a_picture(tmp_path: Path) -> None:
    """An SVG with the label; in a context the vanished edge is dashed."""
    picture = tmp_path / "guard.svg"
    run("plot", "guard", "-o", str(picture))
    assert "person is visitor or spy" in picture.read_text()
    run("plot", "guard", "-o", str(picture), "--context", "person=spy")
    assert "stroke-dasharray" in picture.read_text()


def test_score_by_node() -> None:
    """The published score of the heart graph, in a table and as JSON."""
    assert "-6729.69" in run("score", "heart", "heart", "--kappa", "0.1")
    found = json.loads(run("score", "heart", "heart", "--kappa", "0.1", "--json"))
    assert found["score"] == pytest.approx(-6729.69, abs=0.005)
    assert found["score"] == pytest.approx(found["log_marginal_likelihood"] + found["log_prior"])
    assert set(found["per_node"]) == {"smoking", "mental", "physical", "pressure", "protein", "family"}


def test_the_normalised_prior_on_the_command_line(tmp_path: Path) -> None:
    """Learned, saved, and scored again with the kappa that the file remembers."""
    model = tmp_path / "model.json"
    assert "score -6729.38" in run(
        "learn", "heart", "--kappa", "0.3", "--equivalent-sample-size", "1", "--prior", "normalised", "-o", str(model)
    )
    assert "-6729.38" in run("score", str(model), "heart")


@pytest.mark.parametrize(
    "options",
    [
        ("--prior", "leaves", "--structure", "tree", "--kappa", "0.1", "--equivalent-sample-size", "3"),
        ("--prior", "uniform"),
        ("--kappa", "0.1", "--equivalent-sample-size", "cv"),
    ],
)
def test_a_learned_network_is_scored_as_it_was_learned(options: tuple[str, ...], tmp_path: Path) -> None:
    """The file remembers kappa, the prior and the sample size; options given still count."""
    model = str(tmp_path / "model.json")
    learned = json.loads(run("learn", "heart", *options, "-o", model, "--json"))
    assert json.loads(run("score", model, "heart", "--json"))["score"] == pytest.approx(learned["score"], abs=1e-8)
    other = json.loads(run("score", model, "heart", "--equivalent-sample-size", "77", "--json"))
    assert abs(other["score"] - learned["score"]) > 1


def test_score_of_a_file_of_counts(tmp_path: Path) -> None:
    """A CSV with a column of counts; without the option, a column that the graph does not know is left out and told."""
    table = tmp_path / "survey.csv"
    table.write_text("a,b,n\n0,0,5\n0,1,2\n1,0,1\n1,1,9\n")
    graph = tmp_path / "g.ldag"
    graph.write_text("a -> b\n")
    assert "total" in run("score", str(graph), str(table), "--kappa", "1", "--counts", "n")
    done = execute("score", str(graph), str(table), "--kappa", "1")
    assert done.returncode == 0
    assert "note: 1 column left out, which the graph does not know: n" in done.stderr


def test_learn_says_what_it_found(tmp_path: Path) -> None:
    """The graph in words, its score, and the graph in a file."""
    model = tmp_path / "model.ldag"
    shown = run("learn", "heart", "--kappa", "0.3", "--equivalent-sample-size", "1", "-o", str(model))
    assert "score -6727.50" in shown
    assert "protein does not matter for pressure when smoking is no" in shown
    assert "12 parameters (14 without labels)" in shown
    assert LDAG.load(model).equivalent_to(datasets.graph("heart"))


def test_learn_as_json() -> None:
    """Every field that scripts rely on."""
    options = (
        "--method",
        "chain",
        "--chains",
        "10",
        "--iter",
        "500",
        "--rng",
        "1",
        "--jobs",
        "2",
        "--equivalent-sample-size",
        "1",
    )
    found = json.loads(run("learn", "heart", *options, "--json"))
    assert found["score"] == pytest.approx(-6729.69, abs=0.005)
    assert found["score"] == pytest.approx(found["log_marginal_likelihood"] + found["log_prior"])
    assert (found["method"], found["kappa"]) == ("chain", 0.1)
    assert (found["dimension"], found["dag_dimension"], len(found["edges"])) == (12, 14, 6)
    assert found["settings"]["n_chains"] == 10
    assert found["seconds"] > 0
    assert {tuple(label["edge"]) for label in found["labels"]} == {("smoking", "pressure"), ("protein", "pressure")}


def test_learn_goes_on_from_a_checkpoint(tmp_path: Path) -> None:
    """The second run only reads; other settings are refused in one line."""
    path = tmp_path / "run.json"
    options = ("learn", "heart", "--kappa", "0.3", "--equivalent-sample-size", "1", "--checkpoint", str(path), "--json")
    first, second = (json.loads(run(*options)) for _ in range(2))
    first.pop("seconds"), second.pop("seconds")
    assert first == second
    said = run(*options, "--rng", "7", code=2)
    assert "is the checkpoint of another run: rng was 0 and is 7; give another file, or delete this one" in said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_learn_says_in_one_line_that_it_was_interrupted(tmp_path: Path, number: signal.Signals) -> None:
    """Ctrl-C, or being told to end, writes the best graph so far, and a warning without the code that gave it."""
    path, output = tmp_path / "run.json", tmp_path / "best.json"
    options = ("--equivalent-sample-size", "1", "--method", "chain", "--iter", "100000000", "--checkpoint", str(path))
    with subprocess.Popen(
        [PROGRAM, "learn", "heart", *options, "-o", str(output)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=bound,  # noqa: PLW1509  # it sets limits and nothing else
    ) as running:
        while not path.exists():
            assert running.poll() is None, "the search ended before it wrote a checkpoint"
            time.sleep(0.05)
        time.sleep(0.5)  # the file is claimed just before the search begins
        running.send_signal(number)
        shown, said = running.communicate(timeout=60)
    assert ldag.Network.load(output).ldag.edges
    assert shown.startswith("LDAG learned from 1,841 observations")
    assert "ended early" in shown
    assert said.startswith("warning: the search was interrupted; this is the best graph it had found; run it again")
    assert len(said.splitlines()) == 1


def test_the_clock_of_a_time_limit_runs_while_a_table_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search has what reading leaves of it, and a moment at least; a bad limit is refused before anything is read."""

    def read_slowly(*_: object, **__: object) -> ldag.Dataset:
        time.sleep(0.2)
        return ldag.datasets.load("heart")

    left: list[float] = []

    def learn_and_look(data: ldag.Dataset, settings: Settings, *, deadline: Deadline, **others: Any) -> ldag.Fit:
        left.append(cast("float", deadline.left))
        return learn_with(data, settings, deadline=deadline, **others)

    monkeypatch.setattr("ldag.cli.settings.load_table", read_slowly)
    for command in ("learn", "certify", "report"):
        monkeypatch.setattr(f"ldag.cli.{command}.learn_with", learn_and_look)
    learned = json.loads(
        run("learn", "heart", "--kappa", "0.1", "--equivalent-sample-size", "1", "--time-limit", "60", "--json")
    )
    run("certify", "heart", "--kappa", "0.1", "--equivalent-sample-size", "1", "--time-limit", "60")
    run("report", "heart", "--kappa", "0.1", "--time-limit", "60", "-o", str(tmp_path / "r.md"))
    assert all(50 < seconds < 59.85 for seconds in left[:2])
    assert 25 < left[2] < 29.95  # half of it: the other is for how sure it is
    assert learned["settings"]["time_limit"] == 60  # what was given
    assert "time_limit=60.0" in (tmp_path / "r.md").read_text()
    learned = json.loads(
        run("learn", "heart", "--kappa", "0.1", "--equivalent-sample-size", "1", "--time-limit", "0.1", "--json")
    )
    assert left[3] == 0
    assert learned["edges"]
    monkeypatch.setattr("ldag.cli.settings.load_table", lambda *_: pytest.fail("it was read"))
    assert "--time-limit must be a number of seconds above 0, got -1" in run(
        "learn", "heart", "--time-limit", "-1", code=2
    )


def test_learn_with_constraints(tmp_path: Path) -> None:
    """Tiers in a file, edges on the command line, written either way."""
    tiers = tmp_path / "tiers.txt"
    tiers.write_text("sex, age, class\nsurvived\n")
    shown = run(
        *(
            "learn",
            "titanic",
            "--kappa",
            "0.5",
            "--equivalent-sample-size",
            "1",
            "--tiers",
            str(tiers),
            "--max-parents",
            "2",
            "--time-limit",
            "60",
        ),
        *("--forbid", "sex <- class", "--require", "age -> survived", "--json"),
    )
    edges = {tuple(edge) for edge in json.loads(shown)["edges"]}
    assert ("age", "survived") in edges
    assert ("class", "sex") not in edges
    assert not any(parent == "survived" for parent, _ in edges)


def test_learn_with_tiers_in_quotes(tmp_path: Path) -> None:
    """Names with commas are quoted, as in the text form; comments may have quotes too."""
    data, tiers = tmp_path / "data.csv", tmp_path / "tiers.txt"
    data.write_text('"sex, age",home town,out\n' + "a,x,0\nb,y,1\n" * 20)
    tiers.write_text('# "early"\nout # first\n"sex, age", "home town"\n')
    found = json.loads(
        run("learn", str(data), "--kappa", "0.5", "--equivalent-sample-size", "1", "--tiers", str(tiers), "--json")
    )
    assert found["edges"]
    assert not any(child == "out" for _, child in found["edges"])
    tiers.write_text('"sex, age" out\n')
    assert "tiers.txt, line 1: expected ','" in run("learn", str(data), "--tiers", str(tiers), code=2)


def test_settings_are_chosen_on_held_out_data() -> None:
    """Each by its own option, and the answer says what was chosen."""
    options = ["--structure", "cv", "--equivalent-sample-size", "cv"]
    found = json.loads(run("learn", "titanic", *options, "--smoothing", "4,classes", "--json"))
    assert found["settings"]["structure"] == "cv"
    assert found["structure"] in ("table", "tree", "ldag", "partial", "graph")
    assert (found["parameters_sample_size"], found["parameters_spread"]) == (4, "classes")
    old = run("learn", "titanic", *options, "--parameters-sample-size", "4", "--parameters-spread", "classes", "--json")
    assert {**json.loads(old), "seconds": 0} == {**found, "seconds": 0}
    message = run("learn", "titanic", "--equivalent-sample-size", "much", code=2)
    assert "--equivalent-sample-size must be a finite number above 0, or cv, got 'much'" in message


def test_learn_with_missing_cells(tmp_path: Path) -> None:
    """Rows with missing cells are left out and told, or refused with what to choose, and the choices are there."""
    data = tmp_path / "data.csv"
    data.write_text("a,b\n" + "0,1\n1,0\n" * 5 + ",1\n")
    options = (str(data), "--kappa", "0.5", "--json")
    assert "--missing drop" in run("learn", *options, "--missing", "error", code=2)
    assert json.loads(run("learn", *options, "--missing", "drop"))["edges"]
    graph = tmp_path / "graph.ldag"
    run("learn", *options, "--missing", "state", "-o", str(graph))
    assert LDAG.load(graph).variables[0].states == (0, 1, "missing")
    assert json.loads(run("score", str(graph), *options, "--missing", "state"))["score"] < 0


def test_learn_checks_the_output_before_the_search(tmp_path: Path) -> None:
    """A search of hours does not end in a message about its file: here no data are needed to see the mistake."""
    for output, message in (("x.txt", "expected a file that ends in"), ("no/x.json", "there is no directory")):
        assert message in run("learn", "no-data.csv", "-o", str(tmp_path / output), code=2)
    (tmp_path / "folder.json").mkdir()
    assert "got a directory" in run("learn", "no-data.csv", "-o", str(tmp_path / "folder.json"), code=2)


def test_posterior_sums_over_what_is_not_given() -> None:
    """Sizes, kappas and tables with their weights; each can be fixed, and sizes be given several times."""
    printed = run("posterior", "ucb")
    assert "; no labels (" in printed
    summed = json.loads(run("posterior", "ucb", "--json"))
    assert [one["size"] for one in summed["equivalent_sample_sizes"]] == [1, 10, 30, 100]
    assert [one["structure"] for one in summed["structures"]] == ["ldag", "table"]
    sizes = ("--equivalent-sample-size", "2", "--equivalent-sample-size", "5")
    fixed = json.loads(run("posterior", "ucb", "--json", "--structure", "ldag", "--kappa", "0.3", *sizes))
    assert [one["size"] for one in fixed["equivalent_sample_sizes"]] == [2, 5]
    assert fixed["structures"] == [{"structure": "ldag", "probability": pytest.approx(1.0)}]
    assert "must be a finite number above 0" in run("posterior", "ucb", "--equivalent-sample-size", "0", code=2)


def test_posterior_ranks_effects() -> None:
    """Beside what it prints otherwise, or in the JSON; an unknown name is told before anything is worked out."""
    assert "effects on admitted: size in nats" in run("posterior", "ucb", "--effects", "admitted")
    ranked = json.loads(run("posterior", "ucb", "--effects", "admitted", "--json"))["effects"]["effects"]
    assert [one["variable"] for one in ranked] == ["department", "gender"]
    assert "--effects: no variable 'admited'; did you mean" in run("posterior", "ucb", "--effects", "admited", code=2)


def test_posterior_checks_the_output_before_it_works(tmp_path: Path) -> None:
    """As `learn` does, so that hours of chains are not lost."""
    for output, message in (("x.txt", "ends in .json"), ("no/x.json", "there is no directory")):
        assert message in run("posterior", "no-data.csv", "-o", str(tmp_path / output), code=2)


def test_learn_keeps_output_and_checkpoint_apart(tmp_path: Path) -> None:
    """One file cannot be both, however it is named; nothing is written."""
    path = tmp_path / "run.json"
    same = f"{tmp_path}/../{tmp_path.name}/run.json"
    shown = run("learn", "heart", "-o", str(path), "--checkpoint", same, code=2)
    assert "--output and --checkpoint are the same file" in shown
    assert not path.exists()


def test_json_is_the_plain_values_of_the_result() -> None:
    """Of a fit and of a score, key by key."""
    heart = ldag.datasets.load("heart")
    fit = json.loads(run("learn", "heart", "--kappa", "0.1", "--equivalent-sample-size", "1", "--json"))
    expected = ldag.learn(heart, kappa=0.1, equivalent_sample_size=1).to_dict()
    assert {**fit, "seconds": 0} == {**expected, "seconds": 0}
    score = json.loads(run("score", "heart", "heart", "--kappa", "0.1", "--json"))
    assert score == ldag.score(ldag.datasets.graph("heart"), heart, kappa=0.1).to_dict()


def test_learn_with_constraints_on_labels(tmp_path: Path) -> None:
    """A fixed label in a file, an edge without label on the command line."""
    rules = tmp_path / "rules.txt"
    rules.write_text("label protein -> pressure : smoking=yes\nrequire smoking -> pressure\n")
    arguments = (
        "learn",
        "heart",
        "--kappa",
        "0.1",
        "--equivalent-sample-size",
        "1",
        "--constraints",
        str(rules),
        "--unlabelled",
        "smoking -> pressure",
    )
    labels = {tuple(label["edge"]): label["contexts"] for label in json.loads(run(*arguments, "--json"))["labels"]}
    assert labels["protein", "pressure"] == [["yes"]]
    assert ("smoking", "pressure") not in labels


def test_datasets_lists_what_there_is() -> None:
    """Three data sets with their sizes, and the graphs."""
    listed = json.loads(run("datasets", "--json"))
    assert {name: d["rows"] for name, d in listed["data"].items()} == {"heart": 1841, "titanic": 2201, "ucb": 4526}
    assert "generator10" in run("datasets")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show", "gard"), "error: 'gard' is neither a file nor the name of an example graph; did you mean 'guard'?"),
        (("show", "missing.ldag"), "error: missing.ldag: no such file"),
        (("implies", "guard", "gender", "badg"), "error: b: no variable 'badg'; did you mean 'badge'?"),
        (
            ("implies", "guard", "gender", "badge", "-c", "person"),
            "expected name=state, such as person=spy",
        ),
        (("implies", "guard", "gender", "badge", "-c", "person=spi"), "has no state 'spi'; did you mean 'spy'?"),
        (("implies", "guard", "gender", "badge", "-c", "person=spy", "-c", "person=spy"), "given a state twice"),
        (("implies", "guard", "gender", "badge", "--budget", "0"), "budget must be a whole number, 1 or more"),
        (("implies", "guard", "gender", "badge", "--budget", "x"), "Invalid value for '--budget'"),
        (("equivalent", "guard", "heart"), "error: the graphs are over different variables"),
        (("convert", "guard", "guard.txt"), "expected a file that ends in"),
        (("convert", "guard", "x.json", "--to", "dot"), "--to goes with the target '-'"),
        (("convert", "guard", "/no/such/folder/x.json"), "cannot be written"),
        (
            ("plot", "guard", "-o", "guard.gif"),
            "a picture is a file that ends in .svg, .png, .pdf, got the ending '.gif'",
        ),
        (("score", "heart", "heart"), "error: --kappa is needed: a number above 0 and at most 1"),
        (("score", "heart", "heart", "--kappa", "2"), "kappa must be a number above 0 and at most 1, got 2.0"),
        (
            ("score", "heart", "hart", "--kappa", "1"),
            "neither a file nor the name of a data set; did you mean 'heart'?",
        ),
        (("score", "heart", "heart", "--kappa", "1", "--counts", "n"), "--counts is for files"),
        (("learn", "heart", "--bins", "3"), "--bins is for files; the data set 'heart' comes with the package"),
        (("score", "guard", "heart", "--kappa", "1"), "not over the variables of the data"),
        (
            ("implies", "guard", "gender", "badge", "-c", 'person="spy";gender=male'),
            "expected ',' and another name=state",
        ),
        (("implies", "guard", "gender", "badge", "-c", 'person="spy"x'), "expected ',' and another name=state"),
        (("show", "x" * 5000), "neither a file nor the name of an example graph"),
        (("show", "x" * 5000 + ".ldag"), "neither a file nor"),
        (("learn", "heart", "--kappa", "best"), "--kappa must be a number above 0 and at most 1, or cv, got 'best'"),
        (("learn", "heart", "--chains", "3"), "--chains applies to method 'chain', not to 'auto'"),
        (("learn", "heart", "--forbid", "age"), "expected '->' or '<-', got nothing more"),
        (
            ("learn", "heart", "--require", "smokng -> family"),
            "required: no variable 'smokng'; did you mean 'smoking'?",
        ),
        (
            ("learn", "heart", "--unlabelled", "smoking -> presure"),
            "unlabelled: no variable 'presure'; did you mean 'pressure'?",
        ),
        (("learn", "heart", "--tiers", "missing.txt"), "missing.txt: no such file"),
        (("nonsense",), "no command 'nonsense'"),
        (("show",), "Missing argument 'GRAPH'"),
    ],
)
def test_mistakes_are_one_clear_line(arguments: tuple[str, ...], message: str) -> None:
    """Exit code 2 and a sentence, never a traceback."""
    assert message in run(*arguments, code=2)


def test_a_file_with_a_mistake_names_file_and_line(tmp_path: Path) -> None:
    """Path, line, what was found and what to do."""
    path = tmp_path / "wrong.ldag"
    path.write_text("b {no, yes}\na -> c : b=maybe\nb -> c\n")
    assert f"{path}: line 2: variable 'b' has no state 'maybe'" in run("show", str(path), code=2)


def test_output_that_cannot_show_a_sign_is_not_an_error() -> None:
    """A Latin-1 terminal has no sign for independence."""
    done = subprocess.run(
        [PROGRAM, "implies", "guard", "gender", "badge"],
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
    )
    assert done.returncode == 0
    assert b"gender ? badge" in done.stdout


def test_help_and_version() -> None:
    """The two things everyone tries first."""
    assert "ldag datasets" in run("--help")
    assert run("--version").startswith("ldag, version ")
