"""Tables as people have them, by the command line: look-alikes of real files, and what is said about each.

``lookalikes.tsv`` lists files that nobody prepared for this library, from the packages pydataset, statsmodels,
palmerpenguins and vega_datasets. Each was opened: the list has its rows and separator and, by column, the name, the
kind of cells, the number of different values, the share of gaps, and what ``ldag`` said. Tables of this shape are made
up here; no data are copied. ``ODDITIES`` are further made-up tables, each with one peculiarity.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from click.testing import CliRunner
from pyarrow import parquet

from ldag import datasets
from ldag.cli.main import cli
from ldag.errors import LdagError

Rows = Mapping[str, Sequence[object]]


def spread(n: int, low: float, high: float, digits: int, seed: int) -> list[object]:
    """Measurements with some digits."""
    return list(np.round(np.random.default_rng(seed).uniform(low, high, n), digits))


def pick(n: int, values: list[object], seed: int) -> list[object]:
    """Categories."""
    return [values[i] for i in np.random.default_rng(seed).integers(0, len(values), n)]


def gaps(cells: list[object], share: float, seed: int, gap: str = "NA") -> list[object]:
    """Put gaps into a column."""
    holes = np.random.default_rng(seed).random(len(cells)) < share
    return [gap if hole else cell for cell, hole in zip(cells, holes, strict=True)]


def index(n: int) -> list[object]:
    """Row numbers, as R writes them."""
    return [f'"{i + 1}"' for i in range(n)]


N = 60
ODDITIES: dict[str, tuple[Rows, str, list[str]]] = {
    # name: columns, separator, what must be said
    "adult census": (
        {
            "age": spread(N, 17, 90, 0, 17),
            "workclass": pick(N, [" Private", " ?", " Local-gov"], 18),
            "income": pick(N, [" <=50K", " >50K"], 19),
        },
        ",",
        ["blanks around 60 cells were trimmed", "workclass: is '?' a missing cell? --na "],
    ),
    "german semicolons": ({"Alter": spread(N, 18, 90, 0, 20), "Geschlecht": pick(N, ["m", "w"], 21)}, ";", ["Alter: "]),
    "tabs": ({"x": pick(N, ["a", "b"], 22), "y": spread(N, 0, 1, 3, 23)}, "\t", ["y: "]),
    "mostly empty": (
        {"x": pick(N, ["a", "b"], 24), "note": gaps(pick(N, ["u", "v"], 25), 0.8, 26, ""), "y": pick(N, [1, 2], 27)},
        ",",
        ["note: left out, ", "cells are missing"],
    ),
    "gaps everywhere": (
        {f"q{i}": gaps(pick(N, ["no", "yes"], 30 + i), 0.3, 40 + i, "") for i in range(5)},
        ",",
        ["53 of 60 rows have gaps (q0, q3 and 3 more): kept, learned by EM"],
    ),
    "likert": ({f"q{i}": pick(N, [1, 2, 3, 4, 5], 50 + i) for i in range(4)}, ",", []),
    "dates": (
        {"date": [f"2021-{1 + i % 12:02}-{1 + i % 28:02}" for i in range(N)], "kind": pick(N, ["a", "b"], 60)},
        ",",
        ["date: ", "cut at 2021-"],
    ),
    "years": ({"year": list(range(1940, 2000)), "war": pick(N, ["no", "yes"], 61)}, ",", ["year: 60 values, cut at"]),
    "constant": (
        {"country": ["DE"] * N, "x": pick(N, ["a", "b"], 62), "y": pick(N, ["a", "b"], 63)},
        ",",
        ["country: has one state only"],
    ),
    "identifiers": (
        {"patient_id": list(range(1000, 1000 + 7 * N, 7)), "arm": pick(N, ["a", "b"], 64), "out": pick(N, [0, 1], 65)},
        ",",
        ["patient_id: left out, 60 values in 60 rows"],
    ),
    "free text": (
        {"comment": [f"said thing {i}" for i in range(80)], "x": pick(80, [0, 1], 66), "y": pick(80, [0, 1], 67)},
        ",",
        ["comment: left out, 80 values in 80 rows"],
    ),
    "quoted commas": ({"name": pick(N, ['"a, b"', '"c"'], 68), "y": pick(N, [0, 1], 69)}, ",", []),
    "booleans": ({"a": pick(N, ["TRUE", "FALSE"], 70), "b": pick(N, ["True", "False"], 71)}, ",", []),
    "big numbers": (
        {"population": list(np.random.default_rng(72).integers(10**5, 10**9, N)), "eu": pick(N, ["in", "out"], 73)},
        ",",
        ["population: 60 values, cut at"],
    ),
    "negative and scientific": (
        {"t": [f"{v:.3e}" for v in np.random.default_rng(74).normal(0, 1, N)], "g": pick(N, ["x", "y"], 75)},
        ",",
        ["t: "],
    ),
    "two spellings": ({"dose": pick(N, ["1", "1.0", "2"], 76), "g": pick(N, ["x", "y"], 77)}, ",", []),
    "spaces in names": (
        {"blood pressure": spread(N, 90, 180, 0, 78), "has pain?": pick(N, ["no", "yes"], 79)},
        ",",
        ["blood pressure: "],
    ),
    "no header": (
        {"5.1": spread(N, 4, 8, 1, 80), "setosa": pick(N, ["setosa", "virginica"], 81)},
        ",",
        ["if the file has none, name the columns with --names"],
    ),
    "dots as gaps": ({"wage": gaps(spread(N, 5, 50, 2, 82), 0.1, 83, "."), "sex": pick(N, ["m", "f"], 84)}, ",", []),
    "many categories": ({"state": [f"S{i % 50}" for i in range(300)], "vote": pick(300, ["a", "b"], 85)}, ",", []),
    "mixed codes": ({"code": pick(N, ["A1", 7, 8], 86), "y": pick(N, [0, 1], 87)}, ",", []),
}


def write(path: Path, columns: Rows, separator: str) -> None:
    """Write a table as text."""
    rows = zip(*columns.values(), strict=True)
    lines = [separator.join(columns), *(separator.join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")


def run(*arguments: str, text: str | None = None) -> tuple[str, str]:
    """Run a command that must succeed, and return what it said on both streams."""
    result = CliRunner().invoke(cli, list(arguments), input=text, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout, result.stderr


def lookalikes() -> dict[str, tuple[int, str, list[list[str]]]]:
    """Return the real files by name: rows, separator, and name, kind, values, gaps and what was said by column."""
    files: dict[str, tuple[int, str, list[list[str]]]] = {}
    name = ""
    for text in (Path(__file__).parent / "lookalikes.tsv").read_text().splitlines():
        parts = text.split("\t")
        if text.startswith("# "):
            name = parts[0].removeprefix("# ")
            files[name] = int(parts[1].split()[0]), {"comma": ",", "tab": "\t", "blank": " "}[parts[2]], []
        else:
            files[name][2].append([*parts, ""][:5])
    return files


def make_cells(kind: str, n_values: int, share: int, n: int, seed: int) -> list[object]:
    """Make up a column of a kind with so many different values and gaps."""
    rng = np.random.default_rng(seed)
    n_gaps = min(n - n_values, max(1, n * share // 100)) if share else 0
    used = np.concatenate([np.arange(n_values), rng.integers(0, n_values, n - n_gaps - n_values)])
    cells: list[object] = [make_cell(kind, int(value)) for value in (used if "row" in kind else rng.permutation(used))]
    return list(rng.permutation(np.array(cells + ["NA"] * n_gaps, dtype=object))) if n_gaps else cells


def make_cell(kind: str, value: int) -> str:
    """Make up one of the values of a kind."""
    day = np.datetime64("2012-01-01") + value
    made = {
        "row": f'"{value + 1}"',
        "consecutive": str(1900 + value),
        "whole": str(3 * value**2 + 1),
        "real": f"{0.5 + 0.37 * value:.2f}",
        "dates": str(day).replace("-", "/" if "slashes" in kind else "-"),
        "texts": "None" if "None" in kind and value == 1 else f'"v{value}"',
    }[kind.replace(",", " ").split(" ", 1)[0]]
    return made + " " * ("blanks" in kind)


def make_table(n: int, columns: list[list[str]]) -> Rows:
    """Make up a table; where rows are counted, the other columns run through all their combinations."""
    counted = any("counts?" in said for *_, said in columns)
    table: dict[str, Sequence[object]] = {}
    stride = 1
    for place, (name, kind, values, share, _) in enumerate(columns):
        n_values = int(values.split()[0])
        if counted and kind == "texts":
            table[name] = [make_cell(kind, row // stride % n_values) for row in range(n)]
            stride *= n_values
        else:
            table[name] = make_cells(kind, n_values, int(share.split("%")[0]), n, place)
    return table


@pytest.mark.parametrize("file", lookalikes())
def test_real_files_are_learned_from_with_an_honest_account(file: str, tmp_path: Path) -> None:
    """What is said about every column of a look-alike is what was said about the real file's."""
    n, separator, columns = lookalikes()[file]
    write(tmp_path / "t.csv", make_table(n, columns), separator)
    quickly = ["--kappa", "0.1", "--method", "climb", "--restarts", "1", "--max-parents", "1"]
    out, notes = run("learn", str(tmp_path / "t.csv"), *quickly)
    assert out.startswith("LDAG learned from")
    for name, *_, said in columns:
        own = [note for note in notes.splitlines() if note.startswith(f"note: {name or 'row'}: ")]
        assert len(own) == len(said.split(" + ") if said else []), notes
        for part in said.split(" + "):
            assert not part or any(part in note for note in own), notes


@pytest.mark.parametrize(("columns", "separator", "said"), ODDITIES.values(), ids=ODDITIES.keys())
def test_any_table_is_learned_from_with_an_honest_account(
    columns: Rows, separator: str, said: list[str], tmp_path: Path
) -> None:
    """A model at the first go, and a line for everything that was done to the columns."""
    write(tmp_path / "t.csv", columns, separator)
    out, notes = run(
        "learn",
        str(tmp_path / "t.csv"),
        "--kappa",
        "0.1",
        "--equivalent-sample-size",
        "1",
        "--method",
        "climb",
        "--restarts",
        "2",
    )
    assert "score" in out.lower()
    for part in said:
        assert part in notes, notes
    assert len(notes.splitlines()) >= len(said) - 1


def test_options_of_tables_reach_the_reader(tmp_path: Path) -> None:
    """Columns, bins, missing texts, separator, encoding, names, and the standard input."""
    path = tmp_path / "t.csv"
    path.write_bytes(
        "größe;pain;id\n1,5;?;1\n".replace("1,5", "15").encode("latin-1") + b"18;low;2\n22;high;3\n22;low;4\n"
    )
    out, notes = run(
        "describe",
        str(path),
        "--columns",
        "größe,pain",
        "--bins",
        "größe=16,20",
        "--na",
        "?",
        "--sep",
        ";",
        "--encoding",
        "latin-1",
        "--missing",
        "state",
    )
    assert "<= 16 < (16, 20] < > 20" in out
    assert "missing" in out
    assert "is not UTF-8" not in notes
    _, notes = run("describe", str(path))
    assert "is not UTF-8 text; read as Windows-1252" in notes
    out, _ = run("describe", "-", "--names", "a,b", text="1,x\n2,y\n")
    assert "2 observations in 2 different rows" in out
    out, _ = run("describe", str(path), "--encoding", "latin-1", "--json")
    assert '"notes"' in out


def test_measurements_are_cut_for_a_target(tmp_path: Path) -> None:
    """For all columns or one, whatever the target is called; what is not there is refused."""
    bmi = spread(90, 18, 40, 1, 1)
    ill = ["yes" if float(str(one)) > 30 else "no" for one in bmi]
    write(tmp_path / "t.csv", {"bmi": bmi, "a=b,c": ill, "ill": ill}, "\t")
    for how in ("target:ill", "target:a=b,c", "bmi=target:ill", "bmi=target:a=b,c"):
        _, notes = run("describe", str(tmp_path / "t.csv"), "--bins", how)
        target = how.partition("target:")[2]
        assert f"note: bmi: {len(set(bmi))} values, cut at 30 (for {target})" in notes
    done = CliRunner().invoke(cli, ["describe", str(tmp_path / "t.csv"), "--bins", "target:sick"])
    assert "--bins: the table has no column 'sick'" in str(done.exception)


def test_count_and_learn_from_counts(tmp_path: Path) -> None:
    """Merged rows are the data again."""
    write(tmp_path / "a.csv", {"x": pick(50, ["u", "v"], 1), "y": pick(50, ["u", "v"], 2)}, ",")
    write(tmp_path / "b.csv", {"x": pick(50, ["u", "v"], 3), "y": pick(50, ["u", "v"], 4)}, ",")
    for ending in ("csv", "parquet"):
        run("count", str(tmp_path / "a.csv"), str(tmp_path / "b.csv"), "-o", str(tmp_path / f"rows.{ending}"))
        out, _ = run("describe", str(tmp_path / f"rows.{ending}"), "--counts", "count")
        assert out.startswith("100 observations in 4 different rows")


def test_counted_measurements_keep_their_cut_points(tmp_path: Path) -> None:
    """Intervals are understood when they are read back; orders are kept by Parquet, and told if they are lost."""
    table = {"bmi": spread(90, 18, 40, 1, 1), "ill": pick(90, ["no", "yes"], 2)}
    write(tmp_path / "t.csv", table, ",")
    first, _ = run("describe", str(tmp_path / "t.csv"), "--bins", "bmi=20,25,60")
    for ending in ("csv", "parquet"):
        rows = str(tmp_path / f"rows.{ending}")
        run("count", str(tmp_path / "t.csv"), "--bins", "bmi=20,25,60", "-o", rows)
        out, notes = run("describe", rows, "--counts", "count")
        assert out == first
        assert "note: bmi: its states are intervals, cut at 20, 25, 60" in notes
    pain = pd.Categorical(["no", "bad", "some"], ["no", "some", "bad"], ordered=True)
    pd.DataFrame({"pain": pain}).to_parquet(tmp_path / "pain.parquet")
    out, notes = run("count", str(tmp_path / "pain.parquet"))
    assert "note: pain: text does not keep the order of its states; -o FILE.parquet does" in notes
    _, notes = run("count", str(tmp_path / "pain.parquet"), "-o", str(tmp_path / "counted.parquet"))
    assert not notes
    out, _ = run("describe", str(tmp_path / "counted.parquet"), "--counts", "count")
    assert "3 states, ordered: no < some < bad" in out


def test_an_experts_graph_is_fitted(tmp_path: Path) -> None:
    """States from the data, columns the graph does not know are told, and raw numbers are understood afterwards."""
    write(
        tmp_path / "t.csv",
        {"bmi": spread(90, 18, 40, 1, 1), "ill": pick(90, ["no", "yes"], 2), "other": pick(90, [1, 2], 3)},
        ",",
    )
    (tmp_path / "g.ldag").write_text("bmi -> ill\n")
    model = str(tmp_path / "m.json")
    run(
        "fit",
        str(tmp_path / "g.ldag"),
        str(tmp_path / "t.csv"),
        "-o",
        model,
        "--label-search",
        "greedy",
        "--structure",
        "partial",
    )
    out, _ = run("query", model, "ill", "--given", "bmi=31.2")
    assert "yes" in out
    out, notes = run("predict", model, str(tmp_path / "t.csv"), "--target", "ill")
    assert out.splitlines()[0] == "ill,bmi,other"
    (tmp_path / "raw.txt").write_text("bmi;note\n31.2;gut\n?;schl\xe4frig\n", encoding="latin-1")
    reading = ["--sep", ";", "--na", "?", "--encoding", "latin-1", "--columns", "bmi,note"]
    out, _ = run("predict", model, str(tmp_path / "raw.txt"), "--target", "ill", *reading)
    assert [row.split(",")[1:] for row in out.splitlines()] == [["bmi", "note"], ["31.2", "gut"], ["?", "schl\xe4frig"]]
    piped, _ = run("predict", model, "-", "--target", "ill", text="bmi,note\n31.2,gut\n")
    assert piped.splitlines()[:2] == out.splitlines()[:2]
    (tmp_path / "full.ldag").write_text("bmi cut 25, 30\nill {no, yes}\nbmi -> ill\n")
    _, notes = run("fit", str(tmp_path / "full.ldag"), str(tmp_path / "t.csv"))
    assert "1 column left out, which the graph does not know: other" in notes


def test_a_column_of_lists_is_left_out(tmp_path: Path) -> None:
    """Files that are wrong altogether are in test_bad_tables.py."""
    parquet.write_table(pa.table({"x": [[1], [2]], "y": ["a", "b"]}), tmp_path / "t.parquet")
    out, notes = run("describe", str(tmp_path / "t.parquet"))
    assert "note: x: left out, holds '[1]' (bigint[]); a state is a string" in notes
    assert out.splitlines()[1:] == ["  y  2 states: a, b"]


def test_an_export_of_a_spreadsheet_is_understood_or_asked_about(tmp_path: Path) -> None:
    """Decimal commas and days first are told; options say otherwise; what dates leave open is one line, and exit 2."""
    path = tmp_path / "t.csv"
    path.write_text("size;seen\n" + "".join(f"1,{i % 3};{i % 2 + 13}.02.2020\n" for i in range(30)))
    out, notes = run("describe", str(path), "--json")
    assert [variable["states"] for variable in json.loads(out)["variables"]] == [
        [1.0, 1.1, 1.2],
        ["2020-02-13", "2020-02-14"],
    ]
    assert (
        "numbers have decimal commas, dates have the day first (in seen); --sep and --decimal and --dates say" in notes
    )
    out, _ = run("describe", str(path), "--decimal", ".", "--dates", "dmy", "--json")
    assert json.loads(out)["variables"][0]["states"] == ["1,0", "1,1", "1,2"]
    path.write_text("seen;x\n" + "".join(f"{i % 2 + 1}/3/2020;{i % 2}\n" for i in range(30)))
    result = CliRunner().invoke(cli, ["describe", str(path)])
    assert "say which with --dates dmy or --dates mdy" in str(result.exception)
    out, _ = run("describe", str(path), "--dates", "mdy", "--json")
    assert json.loads(out)["variables"][0]["states"] == ["2020-01-03", "2020-02-03"]


@pytest.mark.parametrize("is_terminal", [True, False])
def test_what_was_left_out_is_seen_once_and_kept(
    is_terminal: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A terminal shows a lost row once; a result in a file of its own has it too."""
    write(tmp_path / "t.csv", {"a": ["x", "y", "", "x"] * 5, "b": ["u", "v", "v", "u"] * 5}, ",")
    monkeypatch.setattr("ldag.cli.tables.is_terminal", lambda: is_terminal)
    options = ["--missing", "drop", "--kappa", "0.1", "--equivalent-sample-size", "1"]
    out, notes = run("learn", str(tmp_path / "t.csv"), *options)
    assert "5 of 20 rows left out" in notes
    assert ("5 of 20 rows left out" in out) is not is_terminal


def test_real_weights_are_told_with_as_many_digits_as_help() -> None:
    """Sums of them have digits that mean nothing."""
    out, _ = run("describe", "-", "--weights", "w", text="a,w\n0,0.1\n0,0.2\n0,0.3\n")
    assert out.startswith("0.6 observations in 1 different row\n")


def test_a_model_is_described_as_it_is_shown(tmp_path: Path) -> None:
    """Options for tables are refused there."""
    path = tmp_path / "guard.json"
    datasets.graph("guard").save(path)
    assert run("describe", str(path)) == run("show", str(path))
    with pytest.raises(LdagError, match="options that say how a table is read do not apply"):
        run("describe", str(path), "--missing", "drop")
