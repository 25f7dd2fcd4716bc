"""The larger study in small: our structures and the peers on the same data."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import ldag
from experiments import study, surveys
from experiments.paper import ExperimentRun, FinishedCells, StudyProblem, write_csv
from experiments.peers import PEERS, learn_by_peers, to_rows

TINY = replace(study.make_plan(True, 1), structure_size=60, random_graphs=(4,), surveys=("titanic",), n_folds=2)


@pytest.mark.filterwarnings("ignore")
def test_peers_are_measured_as_we_are() -> None:
    """Each gives a DAG without labels, measured against the truth and on rows left out."""
    truth = ldag.simulate.generator10(rng=1)
    problem = StudyProblem("p", 0, truth.sample(200, rng=1), truth=truth, test=truth.sample(50, rng=2))
    rows = {str(row["structure"]): row for row in learn_by_peers(problem)}
    assert set(rows) == set(PEERS)
    for row in rows.values():
        assert isinstance(row["edges"], int)
        assert row["edges"] > 3
        assert isinstance(row["kl"], float)
        assert 0 < row["kl"] < 1
        assert isinstance(row["held_out"], float)


def test_rows_are_spelled_out_for_peers() -> None:
    """One row per observation, whatever the counts."""
    data = ldag.datasets.load("titanic")
    frame = to_rows(data)
    assert len(frame) == data.total
    assert frame["survived"].value_counts().to_dict() == {"No": 1490, "Yes": 711}


def test_surveys_become_categorical() -> None:
    """Missing rows go, long numeric columns are cut into four, short ones and words stay."""
    frame = pd.DataFrame({"x": [*range(40), None], "y": [1, 2] * 20 + [1], "z": ["a", "b", "c", "d"] * 10 + ["a"]})
    data = surveys.make_categorical(frame)
    assert data.total == 40
    assert {v.name: v.n_states for v in data.variables} == {"x": 4, "y": 2, "z": 4}


@pytest.mark.filterwarnings("ignore")
def test_the_study_runs_end_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every problem, structure and peer has rows; the table makes the figure."""
    monkeypatch.setattr(study, "load_survey", lambda _: ldag.datasets.load("ucb"))
    rows = [
        row
        for part in study.run_study(ExperimentRun(TINY, n_jobs=1), FinishedCells(tmp_path / "cells"), ["WVS"])
        for row in part
    ]
    assert {row["problem"] for row in rows} == {"dag-generator", "ldag-generator", "random-4", "titanic", "WVS"}
    assert {row["structure"] for row in rows} == {"table", "tree", "ldag", "partial", "graph", *PEERS}
    write_csv(tmp_path / "study.csv", rows)
    study.draw(tmp_path)
    assert "pyAgrum" in (tmp_path / "study.svg").read_text()
