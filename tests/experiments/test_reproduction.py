"""A tiny version of every experiment, end to end; what is kept on disk; what the paper says, held against it."""

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from experiments.paper import EXPERIMENTS, QUICK, FinishedCells, reproduce
from experiments.paper.cells import Row
from experiments.paper.measures import ExperimentRun, split
from experiments.paper.published import HEART, SIMULATION
from experiments.paper.simulation import paper_rows
from experiments.paper.statements import check_simulation
from experiments.paper.tables import read_csv, summarise_simulation, summarise_structures, write_csv
from ldag import datasets
from ldag.errors import ArgumentError

TINY = replace(
    QUICK,
    n_draws=2,
    sizes=(100, 200),
    kappas=(0.001, 0.3),
    n_folds=2,
    n_chains=2,
    n_iter=20,
    n_structure_draws=1,
    structure_size=50,
    random_graphs=(5,),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything, once."""
    place = tmp_path_factory.mktemp("reproduced")
    done = list(reproduce(EXPERIMENTS, folder=str(place), plan=TINY, n_jobs=1))
    assert [result.name for result in done] == list(EXPERIMENTS)
    return place


def test_every_experiment_leaves_its_files(folder: Path) -> None:
    """Tables as CSV, figures as well-formed SVG, one page that needs nothing from elsewhere, and what made them."""
    names = {path.name for path in folder.iterdir()}
    assert {"table1.csv", "table2.csv", "table3.csv", "structures.csv", "table2-summary.csv", "index.html"} <= names
    pictures = [name for name in names if name.endswith(".svg")]
    assert sorted(pictures) == ["dag-against-ldag.svg", "kappas.svg", "searches.svg", "structures.svg"]
    for name in pictures:
        ElementTree.fromstring((folder / name).read_text())
    page = (folder / "index.html").read_text()
    assert page.count("<svg") == 4
    assert not any(word in page for word in ("<script", "<link", "src=", "url("))
    runs = json.loads((folder / "runs.json").read_text())
    assert set(runs) == set(EXPERIMENTS)
    assert {"command", "rng", "plan", "versions"} <= set(runs["table2"])


def test_simulations_have_a_row_for_every_draw_size_and_kappa(folder: Path) -> None:
    """One kappa is chosen per data set; the scores of the smallest kappa have no labels."""
    rows = read_csv(folder / "table3.csv")
    assert len(rows) == 2 * 2 * 2
    assert sum(bool(row["chosen"]) for row in rows) == 4
    assert all(row["saved"] == 0 for row in rows if row["kappa"] == 0.001)
    assert all(isinstance(row["kl"], float) and row["kl"] > 0 for row in rows)


def test_structures_cover_every_problem_and_structure(folder: Path) -> None:
    """Five structures on generators, random graphs and surveys; tables gain nothing over themselves."""
    summary = read_csv(folder / "structures-summary.csv")
    pairs = {(row["problem"], row["structure"]) for row in summary}
    problems = {"dag-generator", "ldag-generator", "random-5", "heart", "titanic", "ucb"}
    assert pairs == {(p, s) for p in problems for s in ("table", "tree", "ldag", "partial", "graph")}
    assert {row["gain"] for row in summary if row["structure"] == "table"} == {0}


def test_results_do_not_depend_on_threads(folder: Path, tmp_path: Path) -> None:
    """Two threads give the same rows, seconds aside."""
    list(reproduce("table3", folder=str(tmp_path), plan=TINY, n_jobs=2))
    one, two = (
        [{name: cell for name, cell in row.items() if name != "seconds"} for row in read_csv(place / "table3.csv")]
        for place in (folder, tmp_path)
    )
    assert one == two


def test_a_run_that_was_stopped_resumes(tmp_path: Path) -> None:
    """What was finished is not run again; what was half written, or made otherwise, is."""
    calls: list[str] = []

    def job() -> list[Row]:
        calls.append("run")
        return [{"n": 1}]

    def interrupted() -> list[Row]:
        raise KeyboardInterrupt

    cells = FinishedCells(tmp_path)
    assert cells.rows("a/1", {"rng": 0}, job) == [{"n": 1}]
    with pytest.raises(KeyboardInterrupt):
        cells.rows("a/2", {"rng": 0}, interrupted)
    again = FinishedCells(tmp_path)
    again.rows("a/1", {"rng": 0}, job)
    assert len(calls) == 1
    assert not again.has("a/2", {"rng": 0})
    again.rows("a/1", {"rng": 1}, job)
    (tmp_path / "a" / "2.json").write_text('{"made_by": {"rng"')
    again.rows("a/2", {"rng": 0}, job)
    assert len(calls) == 3
    FinishedCells(tmp_path, fresh=True).rows("a/2", {"rng": 0}, job)
    assert len(calls) == 4


def test_the_papers_tables_are_complete() -> None:
    """Four kappas at six sizes, one choice each; some sums, added up from the printed tables."""
    for table in SIMULATION.values():
        assert len(table) == 24
        assert sum(row.chosen for row in table.values()) == 6
    assert sum(row.edges for row in SIMULATION["dag"].values()) == 464
    assert sum(row.found for row in SIMULATION["dag"].values()) == 12
    assert sum(row.saved for row in SIMULATION["ldag"].values() if not row.found) == 265
    assert sum(row.edges for row in HEART.values()) == 24


def test_statements_tell_what_fails() -> None:
    """The paper's own single draw passes three of them; turned upside down, it fails."""
    rows = [row | {"same_skeleton": row["found"]} for row in paper_rows("ldag")]
    good = list(check_simulation(rows, "ldag"))
    assert [one.holds for one in good] == [True] * 4
    assert str(good[0]).startswith("yes  ldag: with 8,000 rows")
    worse = [row | {"kl": -float(row["kl"] or 0), "saved": 0, "found": False} for row in rows]
    assert not any(one.holds for one in check_simulation(worse, "ldag"))


def test_summaries_are_medians_with_quartiles() -> None:
    """Of 1, 2, 3, 4, 100 the median is 3 and the quartiles are 2 and 4; a gain is a lower divergence."""
    rows: list[Row] = [{"n": 1, "kappa": 0.1, "kl": kl, "chosen": True, "found": False} for kl in (1, 2, 3, 4, 100)]
    [row] = summarise_simulation(rows)
    assert (row["kl_low"], row["kl"], row["kl_high"], row["chosen"], row["found"]) == (2, 3, 4, 5, 0)
    shared: Row = {"problem": "p", "labels": "greedy", "method": "exact", "draw": 1}
    table, label = summarise_structures(
        [shared | {"structure": "table", "kl": 0.5}, shared | {"structure": "ldag", "kl": 0.2}]
    )
    assert table["gain"] == 0
    assert label["gain"] == pytest.approx(0.3)
    held = [shared | {"structure": s, "held_out": h} for s, h in (("table", -3.0), ("ldag", -2.9))]
    assert summarise_structures(held)[1]["gain"] == pytest.approx(0.1)


def test_csv_keeps_numbers_words_and_gaps(tmp_path: Path) -> None:
    """What is written is read back; a column may be missing in some rows."""
    rows: list[Row] = [{"a": 1, "b": 0.25, "c": 'x,"y"'}, {"a": 2, "d": None}]
    write_csv(tmp_path / "t.csv", rows)
    assert read_csv(tmp_path / "t.csv") == [
        {"a": 1, "b": 0.25, "c": 'x,"y"', "d": None},
        {"a": 2, "b": None, "c": None, "d": None},
    ]


def test_folds_share_out_the_observations() -> None:
    """Every observation is left out once, and none is both learned from and left out."""
    data = datasets.load("heart")
    parts = list(split(data, 10, 1))
    assert sum(test.total for _, test in parts) == data.total
    assert all(train.total + test.total == data.total for train, test in parts)
    assert len({test.total for _, test in parts}) <= 2


def test_seeds_belong_to_their_numbers() -> None:
    """Other draws have other seeds, the same one the same."""
    run = ExperimentRun(TINY, rng=3)
    assert run.seed(1, 2) == ExperimentRun(TINY, rng=3).seed(1, 2)
    assert len({run.seed(1, 2), run.seed(2, 1), run.seed(1), ExperimentRun(TINY, rng=4).seed(1, 2)}) == 4


def test_mistakes_are_named(tmp_path: Path) -> None:
    """An unknown experiment, and a file where a folder should be."""
    with pytest.raises(ArgumentError, match="no experiment 'table4'; did you mean"):
        list(reproduce("table4", folder=str(tmp_path)))
    (tmp_path / "file").write_text("")
    with pytest.raises(ArgumentError, match="expected a folder to write into, got a file"):
        list(reproduce("table1", folder=str(tmp_path / "file")))
