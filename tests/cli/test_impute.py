"""`ldag impute`: what is written, what is told, and that it is what Python does."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ldag import LDAG, Network, datasets, read
from tests.command import execute, execute_bytes, run

TABLE = 'id,smoking,pressure,note\n007,yes,,NA\n008,,">140",\n009,no,"<140",x\n'


@pytest.fixture
def model(tmp_path: Path) -> str:
    """Write the network of the heart data, and a table with two gaps."""
    Network.from_data(datasets.graph("heart"), datasets.load("heart")).save(tmp_path / "m.json")
    (tmp_path / "survey.csv").write_text(TABLE)
    return str(tmp_path / "m.json")


def test_one_table(model: str, tmp_path: Path) -> None:
    """Rows in their order, other columns to the letter, and how much was filled; printed, written or as JSON."""
    survey, full = str(tmp_path / "survey.csv"), tmp_path / "full.csv"
    net = Network.load(model)
    filled = net.impute({"smoking": ["yes", None, "no"], "pressure": [None, ">140", "<140"]})
    expected = [
        f"{i},{s},{p},{n}"
        for i, s, p, n in zip(
            ("007", "008", "009"), filled["smoking"], filled["pressure"], ("NA", "", "x"), strict=True
        )
    ]
    done = execute("impute", model, survey)
    assert done.stdout.splitlines() == ["id,smoking,pressure,note", *expected]
    told = ["note: note: not filled, as the network has no such variable"]
    assert done.stderr.splitlines() == [*told, "note: 2 cells of 3 rows filled (smoking, pressure)"]
    run("impute", model, survey, "-o", str(full))
    assert full.read_text() == done.stdout
    assert execute_bytes("impute", model, "-", content=TABLE.encode()).stdout.decode() == done.stdout
    plain = json.loads(execute("impute", model, survey, "--json").stdout)
    assert plain["smoking"] == filled["smoking"]
    written = json.loads(execute("impute", model, survey, "-o", str(full), "--json").stdout)
    assert written == {"written": str(full), "n_rows": 3}


def test_several_tables(model: str, tmp_path: Path) -> None:
    """They stand under each other, numbered from 1, and are the draws of Python."""
    five = tmp_path / "five.parquet"
    run("impute", model, str(tmp_path / "survey.csv"), "-n", "5", "--rng", "1", "-o", str(five))
    frame = pd.read_parquet(five)
    assert frame["imputation"].tolist() == [number for number in range(1, 6) for _ in range(3)]
    table: dict[str, list[Any]] = {
        "id": ["007", "008", "009"],
        "smoking": ["yes", None, "no"],
        "pressure": [None, ">140", "<140"],
        "note": ["NA", None, "x"],
    }
    tables = Network.load(model).impute(table, 5, rng=1)
    for name in ("smoking", "pressure"):
        assert frame[name].tolist() == [cell for table in tables for cell in table[name]]
    proper = execute("impute", model, str(tmp_path / "survey.csv"), "-n", "2", "--proper", "--rng", "1")
    assert len(proper.stdout.splitlines()) == 7


def test_a_column_called_imputation(model: str, tmp_path: Path) -> None:
    """The new column gets another name."""
    (tmp_path / "t.csv").write_text("imputation,smoking\na,\n")
    done = execute("impute", model, str(tmp_path / "t.csv"), "-n", "1")
    assert done.stdout.splitlines()[0] == "imputation_,imputation,smoking"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-n", "0"), "error: -n must be a whole number, 1 or more, got 0"),
        (("--rng", "1"), "error: --rng is for draws; say how many with -n 5"),
        (("--proper",), "error: --proper is for draws; say how many with -n 5"),
        (("-n", "2", "--by", "cell"), "error: --by is for what is most probable, and draws are of whole rows"),
    ],
)
def test_wrong_options(model: str, tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    """One line in the words of the shell."""
    assert message in run("impute", model, str(tmp_path / "survey.csv"), *arguments, code=2)


def test_states_that_are_not_known(model: str, tmp_path: Path) -> None:
    """They are refused with their place, or filled, and counted."""
    (tmp_path / "t.csv").write_text("smoking\nno\nys\n")
    error = run("impute", model, str(tmp_path / "t.csv"), code=2)
    assert error == "error: column 'smoking', row 2: variable 'smoking' has no state 'ys'; did you mean 'yes'?\n"
    done = execute("impute", model, str(tmp_path / "t.csv"), "--unseen", "ignore")
    assert done.stdout.splitlines()[:2] == ["smoking", "no"]
    assert "1 cell taken as missing, with a state that the network does not know" in done.stderr
    assert "1 cell of 2 rows filled (smoking)" in done.stderr


def test_measurements_are_filled_with_ranges(tmp_path: Path) -> None:
    """Which is told; a Parquet file has them as texts beside the values, as one of text has."""
    cells: dict[str, list[Any]] = {"age": [*range(20, 60), None], "pain": [age >= 40 for age in range(20, 60)] + [True]}
    states = {"pain": [False, True]}
    data = read(cells, missing="keep", bins={"age": [40]}, states=states)
    Network.from_data(LDAG.from_edges([("pain", "age")], states={v.name: v for v in data.variables}), data).save(
        tmp_path / "m.json"
    )
    pd.DataFrame(cells).astype({"age": "Int64"}).to_parquet(tmp_path / "rows.parquet")
    full = tmp_path / "full.parquet"
    done = execute("impute", str(tmp_path / "m.json"), str(tmp_path / "rows.parquet"), "-o", str(full))
    assert done.stderr.splitlines()[1:] == [
        "note: age: filled with ranges, such as '<= 40', which stand as texts beside the values"
    ]
    assert pd.read_parquet(full)["age"].tolist() == [*map(str, range(20, 60)), "> 40"]


def test_a_graph_has_no_parameters(model: str, tmp_path: Path) -> None:
    """It is said which command estimates them."""
    Network.load(model).ldag.save(tmp_path / "g.json")
    said = run("impute", str(tmp_path / "g.json"), str(tmp_path / "survey.csv"), code=2)
    assert said.endswith("this is a graph without parameters; `ldag fit` estimates them\n")
