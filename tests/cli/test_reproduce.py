"""`ldag reproduce` on the command line: Table 1 is the paper's."""

import importlib
import json
from pathlib import Path

import pytest

from tests.command import run


def test_table1_is_the_papers(tmp_path: Path) -> None:
    """By exact search and by chains, all scores, edges and dimensions to the last digit; rho is an ordinary draw."""
    shown = json.loads(run("reproduce", "table1", "-o", str(tmp_path / "out"), "--json"))
    [table] = shown["results"]
    for row in table["rows"]:
        assert round(row["score"], 2) == row["paper_score"]
        assert all(row[name] == row[f"paper_{name}"] for name in ("edges", "dag_dimension", "dimension"))
    assert [row["method"] for row in table["rows"]] == ["exact"] * 4 + ["chain"] * 4
    assert all(statement.startswith("yes") for statement in table["statements"])
    again = run("reproduce", "table1", "-o", str(tmp_path / "out"))
    assert "-6729.69 (-6729.69)" in again
    assert (tmp_path / "out" / "index.html").exists()


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    """An unknown experiment, no draws, a seed that is none."""
    assert "'table9' is not one of" in run("reproduce", "table9", code=2)
    assert "Missing argument" in run("reproduce", code=2)
    assert "0 is not in the range" in run("reproduce", "table2", "--draws", "0", code=2)
    assert "rng must be a whole number" in run("reproduce", "table1", "--rng", "-1", "-o", str(tmp_path), code=2)


def test_without_a_clone_it_says_where_the_experiments_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The installed package does not have them; whatever was asked for, the answer is one line."""
    module = importlib.import_module("ldag.cli.reproduce")
    monkeypatch.setattr(module, "CLONE", tmp_path)
    monkeypatch.setattr(module, "reproduce", module._load())
    assert "clone the repository" in run("reproduce", "table1", "--quick", code=2)
