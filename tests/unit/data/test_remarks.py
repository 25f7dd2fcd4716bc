"""What results say of their data: what was left out, constants, and columns that say the same."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldag
from ldag.data import Dataset, describe_data

RNG = np.random.default_rng(4)
N = 300


@pytest.fixture
def table() -> dict[str, list[Any]]:
    """Return columns of which one is equal to another, and one renames its states."""
    size = RNG.choice(["s", "m", "l"], N).tolist()
    return {
        "size": size,
        "groesse": [{"s": "klein", "m": "mittel", "l": "gross"}[state] for state in size],
        "size2": list(size),
        "answer": RNG.choice(["no", "yes"], N).tolist(),
        "other": RNG.choice(["no", "yes"], N).tolist(),
    }


TWINS = "size, groesse, size2: only rename each other's states; each hides what else the others depend on, so keep one"


def test_columns_that_say_the_same_are_told(table: dict[str, list[Any]]) -> None:
    """Whether states have the same names or others, and whether rows are counted or not."""
    assert ldag.read(table).notes == (TWINS,)
    counted = {**table, "n": [2] * N}
    assert ldag.read(counted, counts="n").notes == (TWINS,)
    del table["groesse"]
    assert ldag.read(table).notes == ("size, size2: are equal; each hides what else the others depend on, so keep one",)


def test_columns_that_differ_in_one_row_are_not_told(table: dict[str, list[Any]]) -> None:
    """They are nearly the same, and a model says how nearly."""
    table["size2"][7] = "m" if table["size"][7] != "m" else "s"
    del table["groesse"]
    assert ldag.read(table).notes == ()


@pytest.mark.parametrize(("n", "is_told"), [(7, False), (8, True)])
def test_columns_that_agree_by_chance_are_not_told(n: int, is_told: bool) -> None:
    """Seven ones in 14 rows stand in 3,432 orders, eight in 16 in 12,870; more than 4,000 are told."""
    assert bool(ldag.read({name: [0] * n + [1] * n for name in "ab"}).notes) == is_told


def test_a_gap_is_no_name_of_a_state() -> None:
    """Where one column is empty for a state of another, nobody knows what would have stood there."""
    columns: dict[str, list[Any]] = {"a": ["x", None, "y", "x"] * 20, "b": ["u", "v", None, "u"] * 20}
    assert not any("keep one" in note for note in ldag.read(columns, missing="keep").notes)
    columns["b"] = ["u", None, "v", "u"] * 20
    told = "a, b: only rename each other's states; each hides what else the others depend on, so keep one"
    assert told in ldag.read(columns, missing="keep").notes


@pytest.fixture
def gaps() -> Dataset:
    """Return data of which rows, a column and a state were left out."""
    table = {
        "name": [f"person {i}" for i in range(N)],
        "x": RNG.choice(["a", "b"], N).tolist(),
        "y": RNG.choice(["no", "yes"], N).tolist(),
        "k": ["same"] * N,
    }
    table["x"][:20] = [None] * 20
    table["y"][0] = "rare"
    with pytest.warns(ldag.errors.DataNote, match="name: left out"):
        return ldag.read(table, missing="drop")


LOSSES = (
    "name: left out, 300 values in 300 rows",
    "20 of 300 rows left out, which have missing cells (in x)",
    "y: state 'rare' left out, in rows with missing cells only",
    "k: has one state only in the data, 'same'; it takes no edges",
)


def test_every_result_says_what_was_left_out(gaps: Dataset, tmp_path: Path) -> None:
    """In print, in JSON, in files and in reports, each note once."""
    assert describe_data(gaps) == gaps.notes == LOSSES
    fit = ldag.learn(gaps, kappa=0.1, equivalent_sample_size=1)
    assert fit.notes[:4] == LOSSES
    assert fit.to_dict()["data_notes"] == list(LOSSES)
    posterior, bootstrap = (
        ldag.posterior(gaps, kappa=0.1),
        ldag.bootstrap(gaps, n=3, kappa=0.1, equivalent_sample_size=1),
    )
    for result in (fit, posterior, bootstrap):
        for note in LOSSES:
            assert str(result).count(f"note: {note}") == 1
    ldag.report(fit, tmp_path / "r.md")
    for note in LOSSES:
        is_in_summary = "rows left out" in note
        assert (tmp_path / "r.md").read_text().count(note) == 1 + is_in_summary
    average = ldag.average(gaps, n=2, kappa=0.1, equivalent_sample_size=1)
    assert average.notes == LOSSES


def test_notes_travel_with_the_data(gaps: Dataset) -> None:
    """Whatever is selected, ordered or aligned."""
    parts = [gaps.select(["y", "x"]), gaps.permuted(["k", "y", "x"]), gaps.sorted(), gaps.merge(gaps)]
    parts += [gaps.aligned_to(gaps.select(["k", "x", "y"]).schema), gaps.reweighed(gaps.whole_weights)]
    assert [part.notes for part in parts] == [LOSSES] * 6


def test_many_losses_are_counted() -> None:
    """A result repeats eight, and says how many more there are."""
    table = {f"name{i}": [f"{i} {j}" for j in range(40)] for i in range(12)} | {"x": ["a", "b"] * 20}
    with pytest.warns(ldag.errors.DataNote):
        notes = describe_data(ldag.read(table))
    assert len(notes) == 9
    assert notes[-1] == "4 further notes on what was left out are in the notes of the data"


def test_cells_that_are_spelled_otherwise_are_counted(tmp_path: Path) -> None:
    """Blanks that go, and numbers in two spellings where that is allowed."""
    (tmp_path / "t.csv").write_text("a,b\n" + "x ,1\n x,1.0\nx,1\ny,2\ny,2.00\n")
    notes = ldag.read(tmp_path / "t.csv", unusable="drop").notes
    assert notes == (
        "a: blanks around 2 cells were trimmed",
        "b: 2 cells spell a number in another way, and are taken for it, such as '1' and '1.0'",
    )


def test_columns_that_nobody_filled_are_told_apart_from_constant_ones() -> None:
    """They have declared states, so it is not true that they have none, or one."""
    columns: dict[str, list[Any]] = {"h": [None] * 4, "x": ["a", "b"] * 2, "c": ["z"] * 4}
    data = ldag.read(columns, missing="keep", states={"h": ["0", "1"]})
    assert "h: never seen in the data; it takes no edges" in data.notes
    assert "c: has one state only in the data, 'z'; it takes no edges" in data.notes
