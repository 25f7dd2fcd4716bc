"""`ldag identify`: formulas, numbers and bounds of effects from files."""

import json
from itertools import product
from pathlib import Path

import pytest

import ldag
from ldag import LDAG, Network
from tests.command import execute, run

TRIAL = """
latent motivation
assigned {no, yes}
motivation -> treated : assigned=yes
motivation -> recovered
assigned -> treated
treated -> recovered
"""
COUNTS = {
    ("yes", "no", "no"): 40,
    ("yes", "no", "yes"): 60,
    ("yes", "yes", "no"): 20,
    ("yes", "yes", "yes"): 80,
    ("no", "no", "no"): 70,
    ("no", "no", "yes"): 30,
    ("no", "yes", "no"): 50,
    ("no", "yes", "yes"): 50,
}
"""By assigned, treated and recovered."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A trial whose assigned were not confounded, the same without that label, and a survey."""
    folder = tmp_path_factory.mktemp("effects")
    texts = {
        "trial.ldag": TRIAL,
        "open.ldag": TRIAL.replace(" : assigned=yes", ""),
        "bow.ldag": "treated -> recovered\ntreated <-> recovered",
        "door.ldag": "treated -> recovered\nassigned -> treated\nassigned -> recovered",
        "survey.csv": "assigned,treated,recovered,n\n"
        + "".join(f"{','.join(states)},{count}\n" for states, count in COUNTS.items()),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    return {name.partition(".")[0]: str(folder / name) for name in texts}


def cells(text: str) -> list[list[str]]:
    """Return the words of every line."""
    return [line.split() for line in text.splitlines()]


def test_a_formula(files: dict[str, str]) -> None:
    """The label makes the effect identified, and without it there is none, which is an answer, too."""
    said = run("identify", files["trial"], "recovered", "--do", "treated")
    assert said == "P(recovered | do(treated)) = P(recovered | treated, assigned=yes)\n"
    why = run("identify", files["trial"], "recovered", "-d", "treated", "--explain")
    assert "motivation -> treated vanishes" in why
    latex = run("identify", files["trial"], "recovered", "--do", "treated", "--latex")
    assert latex.startswith(r"P(\text{recovered} \mid \operatorname{do}(\text{treated})) = ")
    without = execute("identify", files["open"], "recovered", "--do", "treated")
    assert (without.returncode, without.stderr) == (0, "")
    assert without.stdout.startswith("P(recovered | do(treated)) is not identifiable")
    assert run("identify", files["open"], "recovered", "--do", "treated", "--latex") == without.stdout


def test_options_of_the_question(files: dict[str, str]) -> None:
    """Conditions, contexts and further latent variables are those of `ldag.identify`."""
    adjusted = run("identify", files["door"], "recovered", "--do", "treated")
    assert "P(assigned)" in adjusted
    at_one = run("identify", files["door"], "recovered", "--do", "treated=1", "--context", "assigned=0")
    assert at_one == "P(recovered | do(treated=1), assigned=0) = P(recovered | treated=1, assigned=0)\n"
    for_all = run("identify", files["door"], "recovered", "--do", "treated", "--given", "assigned")
    assert for_all == "P(recovered | do(treated), assigned) = P(recovered | treated, assigned)\n"
    hard = run("identify", files["door"], "recovered", "--do", "treated", "--latent", "assigned")
    assert "is not identifiable" in hard


def test_every_setting_has_a_number(files: dict[str, str]) -> None:
    """The table's states are the graph's where it has none; means are those of Beta distributions."""
    said = run("identify", files["trial"], "recovered", "--do", "treated", "--data", files["survey"], "--counts", "n")
    formula, head, *rows = cells(said)
    assert head == ["treated", "recovered", "probability", "interval"]
    assert [row[:2] for row in rows] == [list(pair) for pair in product(["no", "yes"], repeat=2)]
    for treated, recovered, mean, low, _, high in rows:
        inside = COUNTS["yes", treated, recovered] + 1 / 8
        total = sum(COUNTS["yes", treated, state] for state in ("no", "yes")) + 2 / 8
        assert float(mean) == pytest.approx(inside / total, abs=0.005)
        assert float(low) < float(mean) < float(high)
    assert formula[0] == "P(recovered"


def test_one_setting_and_what_is_given(files: dict[str, str]) -> None:
    """With a state there is one setting; what is given has all its states."""
    options = ("--data", files["survey"], "--counts", "n", "--rng", "3", "--draws", "200", "--interval", "0.5")
    one = cells(run("identify", files["trial"], "recovered", "--do", "treated=yes", *options))
    assert [row[:2] for row in one[2:]] == [["yes", "no"], ["yes", "yes"]]
    narrow = float(one[-1][5]) - float(one[-1][3])
    assert 0.03 < narrow < 0.08  # half of a Beta distribution of 100 rows
    again = cells(run("identify", files["trial"], "recovered", "--do", "treated=yes", *options))
    assert again == one
    both = cells(run("identify", files["door"], "recovered", "-d", "treated=no", "-g", "assigned", *options))
    assert both[1] == ["treated", "assigned", "recovered", "probability", "interval"]
    assert float(next(row[3] for row in both if row[:3] == ["no", "yes", "yes"])) == pytest.approx(0.6, abs=0.02)


def test_two_settings_compared(files: dict[str, str]) -> None:
    """Differences and ratios with intervals, or the same as JSON."""
    asked = ("--do", "treated=yes", "--against", "treated=no", "--event", "recovered=yes")
    options = (*asked, "--data", files["survey"], "--counts", "n")
    said = cells(run("identify", files["trial"], "recovered", *options))
    assert [row[0] for row in said[1:]] == ["difference", "ratio", "odds"]
    assert float(said[1][1]) == pytest.approx(0.2, abs=0.01)
    told = json.loads(run("identify", files["trial"], "recovered", *options, "--json"))
    (contrast,) = told["contrasts"]
    assert contrast["ratio"]["mean"] == pytest.approx(0.8 / 0.6, abs=0.02)
    low, high = contrast["difference"]["interval"]
    assert low < 0.2 < high


def test_two_settings_compared_by_what_is_given(files: dict[str, str]) -> None:
    """A comparison for each state; JSON says which, and bounds of differences are told alike."""
    asked = ("--do", "treated=yes", "--against", "treated=no", "--event", "recovered=yes", "--given", "assigned")
    options = (*asked, "--data", files["survey"], "--counts", "n")
    said = run("identify", files["door"], "recovered", *options).splitlines()
    assert said[1] == "assigned=no"
    assert said[2].startswith("  difference")
    assert said[5] == "assigned=yes"
    contrasts = json.loads(run("identify", files["door"], "recovered", *options, "--json"))["contrasts"]
    assert [one["states"] for one in contrasts] == [{"assigned": "no"}, {"assigned": "yes"}]
    by_hand = {
        assigned: COUNTS[assigned, "yes", "yes"] / (COUNTS[assigned, "yes", "yes"] + COUNTS[assigned, "yes", "no"])
        - COUNTS[assigned, "no", "yes"] / (COUNTS[assigned, "no", "yes"] + COUNTS[assigned, "no", "no"])
        for assigned in ("no", "yes")
    }
    for one in contrasts:
        assert one["difference"]["mean"] == pytest.approx(by_hand[one["states"]["assigned"]], abs=0.02)
    bounds = json.loads(run("identify", files["door"], "recovered", *options, "--bounds", "--json"))["bounds"]
    assert [one["states"] for one in bounds] == [{"assigned": "no"}, {"assigned": "yes"}]


def test_numbers_as_json(files: dict[str, str]) -> None:
    """Everything that is printed, with the types of states."""
    options = ("--do", "treated", "--data", files["survey"], "--counts", "n", "--json")
    told = json.loads(run("identify", files["trial"], "recovered", *options))
    assert (told["status"], told["needs"]) == ("identified", ["assigned", "treated", "recovered"])
    first = told["estimates"][0]
    assert first["states"] == {"treated": "no"}
    assert "effect.bounds" not in told["explanation"]
    assert first["distribution"][1]["states"] == ["yes"]
    assert first["distribution"][1]["probability"] == pytest.approx(0.6, abs=0.005)
    assert "assigned=yes" in told["formulas"][0]["formula"]


def test_states_keep_their_types(files: dict[str, str], tmp_path: Path) -> None:
    """A state that was typed is the one that the graph has."""
    path = tmp_path / "numbers.csv"
    path.write_text("treated,recovered,assigned\n" + "0,1,0\n1,0,1\n1,1,0\n0,0,1\n" * 5)
    told = json.loads(run("identify", files["door"], "recovered", "-d", "treated=1", "--data", str(path), "--json"))
    assert told["estimates"][0]["states"] == {"treated": 1}


def test_the_way_to_bounds_is_told_in_words_of_a_shell(files: dict[str, str]) -> None:
    """No name of Python is in what is said."""
    said = run("identify", files["bow"], "recovered", "--do", "treated", "--explain")
    assert "Bounds can be had from data: --data DATA --bounds." in said
    assert "effect.bounds" not in said
    assert ".witness" not in said


def test_cases_that_are_identified_have_numbers(files: dict[str, str], tmp_path: Path) -> None:
    """Where those who were treated are not confounded, there is a number for them, and none for the others."""
    path = tmp_path / "half.ldag"
    path.write_text("treated {no, yes}\nlatent L\nL -> treated\nL -> recovered : treated=yes\ntreated -> recovered")
    done = execute("identify", str(path), "recovered", "-d", "treated", "--data", files["survey"], "--counts", "n")
    assert done.returncode == 0
    assert "no numbers of other cases: the effect is not identifiable; --bounds tells" in done.stderr
    rows = [row for row in cells(done.stdout) if row and row[0] in {"no", "yes"}]
    assert [row[:2] for row in rows] == [["yes", "no"], ["yes", "yes"]]
    assert float(rows[1][2]) == pytest.approx(130 / 200, abs=0.005)
    told = json.loads(
        run("identify", str(path), "recovered", "-d", "treated", "--data", files["survey"], "--counts", "n", "--json")
    )
    assert [one["effect"] for one in told["estimates"]] == ["P(recovered | do(treated=yes))"]


def test_graphs_that_are_not_told_apart(tmp_path: Path) -> None:
    """A learned graph may leave arrows open: then there are numbers for each of those that it may be."""
    path = str(tmp_path / "fit.json")
    ldag.learn(ldag.datasets.load("heart"), equivalent_sample_size=1).save(path)
    done = execute("identify", path, "smoking", "--do", "mental=yes", "--data", "heart", "--rng", "1")
    assert done.stderr == ""
    tables = [block for block in done.stdout.split("\n\n") if "probability" in block]
    assert len(tables) == len([line for line in done.stdout.split("\n\n")[0].splitlines() if " = " in line]) > 1
    asked = ("--do", "mental=yes", "--against", "mental=no", "--event", "smoking=yes", "--data", "heart", "--json")
    contrasts = json.loads(run("identify", path, "smoking", *asked))["contrasts"]
    assert len({round(one["difference"]["mean"], 4) for one in contrasts}) == len(tables)
    bounds = json.loads(run("identify", path, "smoking", *asked, "--bounds"))["bounds"]
    for one, other in zip(bounds, contrasts, strict=True):
        low, high = one["difference"]["bounds"]
        assert low == high == pytest.approx(other["difference"]["mean"], abs=0.01)


def test_bounds(files: dict[str, str]) -> None:
    """Of a confounded pair they are those of Manski: what is seen, and all who were treated otherwise."""
    total = sum(COUNTS.values())
    seen = {
        pair: sum(count for states, count in COUNTS.items() if states[1:] == pair) / total
        for pair in product(["no", "yes"], repeat=2)
    }
    options = ("--do", "treated", "--data", files["survey"], "--counts", "n")
    said = cells(run("identify", files["bow"], "recovered", *options, "--bounds"))
    assert said[1] == ["treated", "recovered", "bounds"]
    for treated, recovered, low, _, high in said[2:]:
        others = 1 - sum(seen[treated, state] for state in ("no", "yes"))
        assert (float(low), float(high)) == pytest.approx(
            (seen[treated, recovered], seen[treated, recovered] + others), abs=6e-5
        )
    told = execute("identify", files["bow"], "recovered", *options)
    assert told.returncode == 0
    assert (
        told.stderr == "note: no numbers: the effect is not identifiable; --bounds tells what the data leave possible\n"
    )


def test_bounds_of_a_difference(files: dict[str, str]) -> None:
    """Where nothing is assumed they are one wide."""
    asked = ("--do", "treated=yes", "--against", "treated=no", "--event", "recovered=yes", "--bounds", "--json")
    told = json.loads(run("identify", files["bow"], "recovered", *asked, "--data", files["survey"], "--counts", "n"))
    (low, high) = told["bounds"][0]["difference"]["bounds"]
    assert high - low == pytest.approx(1)


def test_the_proof_as_json(files: dict[str, str]) -> None:
    """Two networks with one table of what was observed, and two effects."""
    told = json.loads(run("identify", files["bow"], "recovered", "--do", "treated", "--json"))
    first, second = (Network.from_json(json.dumps(network)) for network in told["witness"])
    assert first.query(["treated", "recovered"]) == pytest.approx(second.query(["treated", "recovered"]), abs=1e-9)
    effects = [net.query("recovered", do={"treated": setting})[1] for setting in (0, 1) for net in (first, second)]
    assert max(abs(effects[0] - effects[1]), abs(effects[2] - effects[3])) > 0.001


def test_networks(files: dict[str, str], tmp_path: Path) -> None:
    """A network stands for its graph, and can be what numbers come from."""
    path = str(tmp_path / "net.json")
    graph = LDAG.load(files["door"])
    Network.from_data(graph, files["survey"], counts="n").save(path)
    said = run("identify", path, "recovered", "--do", "treated")
    assert "P(assigned)" in said
    table = cells(run("identify", path, "recovered", "--do", "treated=yes", "--data", path))
    by_hand = 0.5 * 0.8 + 0.5 * 0.5
    assert float(table[-1][2]) == pytest.approx(by_hand, abs=0.01)


def test_states_of_a_network(files: dict[str, str], tmp_path: Path) -> None:
    """A graph without states has those of the network that numbers come from, as it has those of a table."""
    path = str(tmp_path / "net.json")
    run("fit", files["door"], files["survey"], "--counts", "n", "-o", path)
    said = cells(run("identify", files["trial"], "recovered", "--do", "treated", "--data", path))
    assert [row[:2] for row in said[2:]] == [["no", "no"], ["no", "yes"], ["yes", "no"], ["yes", "yes"]]


def test_names_in_quotes(tmp_path: Path) -> None:
    """A name is taken as it is, and as it is printed."""
    path = tmp_path / "odd.ldag"
    path.write_text('"dose=x, y" -> "died, or not"\nage -> "dose=x, y"\nage -> "died, or not"')
    expected = 'P("died, or not" | do("dose=x, y")) = sum_{age} P(age) P("died, or not" | "dose=x, y", age)\n'
    for target, do in (("died, or not", "dose=x, y"), ('"died, or not"', '"dose=x, y"')):
        assert run("identify", str(path), target, "--do", do) == expected
    both = run("identify", str(path), '"died, or not", age', "--do", '"dose=x, y"=1')
    assert both.startswith('P("died, or not", age | do("dose=x, y"=1)) = ')


def test_a_column_by_another_name(files: dict[str, str], tmp_path: Path) -> None:
    """Columns that the graph does not know were left out, which says where the one that is missing went."""
    path = tmp_path / "capital.csv"
    path.write_text("Assigned,treated,recovered\nno,no,yes\nyes,yes,no\n")
    done = execute("identify", files["trial"], "recovered", "--do", "treated", "--data", str(path))
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        "they have 'treated', 'recovered' (1 column left out, which the graph does not know: Assigned)" in done.stderr
    )
    chosen = ("--data", files["survey"], "--counts", "n", "--columns", "treated,recovered")
    done = execute("identify", files["trial"], "recovered", "--do", "treated", *chosen)
    assert "they have 'treated', 'recovered'; give data that have it" in done.stderr  # not that the graph lacks it
    path.write_text("a,b\n1,2\n")
    done = execute("identify", files["trial"], "recovered", "--do", "treated", "--data", str(path))
    assert done.stderr.endswith("is a variable of the graph, which has assigned, treated, recovered\n")


def test_columns_that_are_not_read(files: dict[str, str], tmp_path: Path) -> None:
    """They may be missing, and gaps in them do no harm; what is read must be there."""
    path = tmp_path / "part.csv"
    path.write_text("treated,recovered,city\nno,yes,\nno,no,x\nyes,yes,y\nyes,,x\nyes,no,x\n")
    done = execute("identify", files["door"], "recovered", "--do", "treated", "--data", str(path))
    assert done.returncode == 2
    assert "error: the data have no column 'assigned', which the effect is worked out from" in done.stderr
    alone = tmp_path / "alone.ldag"
    alone.write_text("treated -> recovered\nrecovered -> assigned")
    done = execute("identify", str(alone), "recovered", "--do", "treated", "--data", str(path))
    assert done.returncode == 0, done.stderr
    assert "1 of 5 observations left out, which have gaps" in done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("recovered", "--do", "treted"), "no variable 'treted'; did you mean 'treated'?"),
        (("recovered", "--do", "treated=2"), "variable 'treated' has no state '2'"),
        (("recovered",), "Missing option '--do'"),
        (("recovered", "--do", "recovered"), "'recovered'"),
        (("motivation", "--do", "treated"), "'motivation'"),
        (("recovered", "--do", "treated", "--interval", "0.9"), "--interval asks for numbers; give --data"),
        (("recovered", "--do", "treated", "--bounds"), "--bounds asks for numbers; give --data"),
        (("recovered", "--do", "treated", "--draws", "9"), "--draws asks for numbers; give --data"),
        (("recovered", "--do", "treated", "--counts", "n"), "--counts is for tables; give --data"),
        (("recovered", "--do", "treated", "--missing", "drop"), "--missing is for tables; give --data"),
        (("recovered", "--do", "treated", "--data", "SURVEY", "--columns", "treatd"), "no variable 'treatd'; did you"),
        (("recovered", "--do", "treated", "--data", "SURVEY", "--columns", "treated"), "have no column 'assigned'"),
        (("recovered", "--do", "treated", "--explain", "--latex"), "--explain does not go with --latex"),
        (("recovered", "--do", "treated=1", "--against", "treated=0", "--data", "SURVEY"), "--against and --event go"),
        (
            ("recovered", "--do", "treated", "--against", "treated=no", "--event", "recovered=yes", "--data", "SURVEY"),
            "--against is for --do with states",
        ),
        (("recovered", "--do", "treated", "--data", "SURVEY", "--interval", "2"), "interval"),
        (("recovered", "--do", "treated", "--data", "nothing.csv"), "nothing.csv"),
    ],
)
def test_bad_questions(files: dict[str, str], options: tuple[str, ...], message: str) -> None:
    """One line on standard error, and exit code 2."""
    words = [files["survey"] if word == "SURVEY" else word for word in options]
    counts = ("--counts", "n") if "SURVEY" in options else ()
    done = execute("identify", files["trial"], *words, *counts)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
