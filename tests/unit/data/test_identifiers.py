"""What numbers rows, persons and sets is left out, and nothing that may be a measurement."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldag
from ldag.data.measurements import (
    is_name_of_groups,
    is_name_of_persons,
    is_name_of_rows,
    is_row_number,
    is_survey_weight,
)
from tests.command import execute, run

RNG = np.random.default_rng(9)


def table(name: str, cells: Sequence[object]) -> dict[str, list[Any]]:
    """Return a table with a column, and an answer that depends on nothing."""
    return {name: list(cells), "answer": [("no", "yes")[i % 2] for i in range(len(cells))]}


def read(name: str, cells: Sequence[object], **options: Any) -> ldag.Dataset:
    """Read such a table; warnings are not what is tested."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ldag.errors.DataNote)
        return ldag.read(table(name, cells), **options)


def some(n: int, span: int) -> list[int]:
    """Return so many different whole numbers below a span, in any order."""
    return [int(number) for number in RNG.permutation(span)[:n]]


def several(n: int, each: int) -> list[int]:
    """Return numbers of things that come several times."""
    return [100 + 7 * (i // each) for i in range(n * each)]


@pytest.mark.parametrize(
    ("name", "cells", "said"),
    [
        ("id", some(60, 10**6), "60 values in 60 rows"),
        ("idno", some(300, 10**6), "300 values in 300 rows"),
        ("seqn", [*some(300, 10**6), 5, 5], "looks"),
        ("participant", [f"p{i:03}" for i in range(60)], "60 values in 60 rows"),
        ("bag", some(200, 1000), "looks like numbers of rows: 200 values in 200 rows; keep=['bag'] keeps it"),
        ("bag", range(13, 43), "looks like numbers of rows: 30 values in 30 rows; keep=['bag'] keeps it"),
        (
            "stratum",
            several(30, 3),
            "looks like the number of a person, set or place: 30 values in 90 rows; keep=['stratum'] keeps it",
        ),
        ("subject", several(40, 2), "looks like the number of a person, set or place: 40 values in 80 rows"),
        ("schoolid", several(40, 2), "looks like the number of a person, set or place: 40 values in 80 rows"),
        ("patient", [f"p{i}" for i in several(40, 3)], "looks like the name of a person or set: 40 values in 120 rows"),
    ],
)
def test_numbers_of_rows_and_persons_are_left_out(name: str, cells: Sequence[object], said: str) -> None:
    """A note says why, and how to keep what may be something else."""
    data = read(name, cells)
    assert data.names == ("answer",)
    assert data.notes[0].startswith(f"{name}: left out, ")
    assert said in data.notes[0] or said == "looks"


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("year", range(1940, 2000)),
        ("age", range(20, 60)),
        ("time", range(1, 200)),
        ("date", [20200101 + 100 * (i % 12) + i // 12 for i in range(120)]),
        ("day number", [20200101 + 100 * (i % 12) + i // 12 for i in range(120)]),
        ("income", [12_345 + 37 * i * i for i in range(50)]),
        ("price", some(500, 30_000)),
        ("score", some(60, 100)),
        ("points", some(60, 100)),
        ("population", some(300, 10**7)),
        ("rank", range(1, 87)),
        ("city mpg", [15 + i % 25 for i in range(100)]),
        ("MPG.city", [15 + i % 25 for i in range(100)]),
        ("NO", [4 + i % 133 for i in range(578)]),
        ("row", [i % 44 for i in range(1000)]),
        ("acid", [40 + i % 30 for i in range(90)]),
        ("bid", [40 + i % 30 for i in range(90)]),
        ("patients", [40 + i % 30 for i in range(90)]),
        ("hospital days", [i % 30 for i in range(90)]),
        ("weight", [40.5 + i for i in range(60)]),
    ],
)
def test_measurements_are_kept(name: str, cells: Sequence[object]) -> None:
    """Whatever they are called that is not the name of persons, and however different they are."""
    data = read(name, cells)
    assert data.names == (name, "answer")
    assert len(data.variables[0].cuts) == 3
    assert not [note for note in data.notes if "left out" in note or "?" in note]


def test_few_ties_make_numbers_of_rows() -> None:
    """100 different numbers below R have about 4,950 / R ties; none of ten is less likely than 1 in 10,000."""
    assert read("x", some(100, 530)).names == ("answer",)  # 9.3 expected, e^-9.3 = 0.00009
    assert read("x", some(100, 550)).names == ("x", "answer")  # 9.0 expected
    assert read("x", some(99, 500)).names == ("x", "answer")  # too few rows to tell
    assert read("x", [*some(199, 200), 3]).names == ("answer",)
    assert read("x", [i % 185 for i in range(200)]).names == ("x", "answer")  # 92.5 % different


@pytest.mark.parametrize(("n_different", "is_number"), [(100, True), (95, True), (94, False)])
def test_a_few_numbers_of_rows_may_come_again(n_different: int, is_number: bool) -> None:
    """Five of a hundred, as where a row was entered twice; more of them are no numbers of rows."""
    times = np.ones(n_different, dtype=np.int64)
    times[0] += 100 - n_different
    assert is_row_number("obs", np.arange(0, 7 * n_different, 7, dtype=np.float64), times) == is_number


@pytest.mark.parametrize("name", ["id", "ID", "patient_id", "PatientID", "Person No", "id_number", "obs", "caseid"])
def test_names_of_identifiers(name: str) -> None:
    """In one word or several, in any spelling."""
    assert is_name_of_rows(name)


def test_names_of_persons_and_places() -> None:
    """Texts are judged by names of persons only: a state is a variable if it has a name, and a code if a number."""
    assert is_name_of_persons("subject")
    assert not is_name_of_persons("state")
    assert is_name_of_groups("state")
    assert not is_name_of_groups("state tax")
    assert read("state", [f"s{i % 40}" for i in range(200)]).names == ("state", "answer")


def test_keep_keeps_a_column(tmp_path: Path) -> None:
    """In Python and on the command line; a name that is not there, and a column that cannot be kept, are errors."""
    cells = several(30, 3)
    kept = read("stratum", cells, keep=["stratum"])
    assert kept.names == ("stratum", "answer")
    assert [note for note in kept.notes if "stratum" in note] == [
        "stratum: 30 values, cut at 149, 201.5, 254 (quartiles)"
    ]
    assert read("x", ["a", *[None] * 59], missing="auto", keep=["x"]).names == ("x", "answer")
    with pytest.raises(ldag.errors.ArgumentError, match="keep: the table has no column 'stratums'; did you mean"):
        read("stratum", cells, keep=["stratums"])
    with pytest.raises(ldag.errors.DataError, match="column 'name' has 90 states"):
        read("name", [f"n{i}" for i in range(90)], keep=["name"], unusable="drop")
    path = tmp_path / "t.csv"
    path.write_text("stratum,answer\n" + "".join(f"{cell},{'ab'[i % 2]}\n" for i, cell in enumerate(cells)))
    assert "--keep stratum keeps it" in execute("describe", str(path)).stderr
    assert "stratum" in run("describe", str(path), "--keep", "stratum")


def test_columns_that_were_asked_for_are_not_left_out(tmp_path: Path) -> None:
    """Who names a column gets it, or an error in one line: on the command line, too."""
    path = tmp_path / "t.csv"
    rows = [f"{100 + i},n{i},{'ab'[i % 2] if i < 20 else ''},{'no' if i % 3 else 'yes'}" for i in range(90)]
    path.write_text("\n".join(["id,name,half,y", *rows]) + "\n")
    for columns, said in (
        ("name,y", "error: column 'name' looks like an identifier: 90 values in 90 rows; leave it out, or group its"),
        ("id,y", "error: column 'id' looks like an identifier: 90 values in 90 rows; leave it out, or keep it with"),
    ):
        error = run("describe", str(path), "--columns", columns, code=2)
        assert error.startswith(said)
        assert error.count("\n") == 1
    assert "half" in run("describe", str(path), "--columns", "half,y")
    assert "half: left out, 70 of 90 cells are missing" in execute("describe", str(path)).stderr


@pytest.mark.parametrize(
    ("name", "mean", "are_weights"),
    [
        ("fnlwgt", 190_000, True),
        ("pspwght", 1, True),
        ("sampling_weight", 300, True),
        ("WTMEC2YR", 30_000, True),
        ("weights", 12, True),
        ("dweight", 1, True),
        ("dwt", 171, False),
        ("Postwt", 85, False),
        ("weight", 70, False),
        ("wt", 3.2, False),
        ("weight", 1, True),
        ("weight", 0.95, True),
        ("weight", 0.85, False),
        ("weight", 1.15, False),
        ("dweight", 0.25, True),
        ("dweight", 0.15, False),
        ("dweight", 1.4, True),
        ("dweight", 1.6, False),
        ("wait", 1, False),
    ],
)
def test_survey_weights(name: str, mean: float, are_weights: bool) -> None:
    """A hint asks; what bodies weigh is no such thing."""
    cells = mean * (0.5 + np.arange(61) / 60)
    assert is_survey_weight(name, cells, np.ones(61, dtype=np.int64)) == are_weights
    hint = f"{name}: is it a column of survey weights? weights={name!r}"
    assert (hint in read(name, cells.tolist()).notes) == are_weights
