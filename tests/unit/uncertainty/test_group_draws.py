"""Bootstraps and averages where rows belong together: groups are drawn, each with all its rows."""

import json
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldag
from ldag.learning import Settings, make_plan
from ldag.uncertainty.member_searches import Members
from tests.unit.learning.test_group_folds import visits

QUICK: dict[str, Any] = {"kappa": 0.3, "equivalent_sample_size": 3, "method": "climb", "n_restarts": 0}


@pytest.fixture(scope="module")
def data() -> ldag.Dataset:
    """Eighty patients."""
    return ldag.read(visits(), groups="patient")


def test_a_replicate_is_learned_from_as_many_patients_drawn_again(data: ldag.Dataset) -> None:
    """Literally: the visits of the patients that were drawn, one after the other, give the same graph."""
    plan = make_plan(data, Settings(kappa=0.3, equivalent_sample_size=1, rng=1))
    member = Members(plan, resamples=True, reorders=False).learn(0)
    drawn = np.random.default_rng([1, 0]).multinomial(80, np.full(80, 1 / 80))
    frame = visits()
    parts = [frame[frame["patient"] == patient] for patient, times in enumerate(drawn.tolist()) for _ in range(times)]
    states = {name: data.states(name) for name in data.names}
    again = ldag.read({name: np.concatenate([part[name] for part in parts]) for name in data.names}, states=states)
    fit = ldag.learn(again.select(plan.data.names), kappa=0.3, equivalent_sample_size=1)
    assert member is not None
    assert member.structure == fit.ldag.structure


def test_patients_that_stay_alike_make_edges_less_sure() -> None:
    """Rows make edges between columns that are constant within patients and depend on nothing; patients do not."""
    rng = np.random.default_rng(5)
    patient = np.repeat(np.arange(40), 12)
    columns = {name: rng.integers(0, 2, 40)[patient] for name in "abc"}
    table = ldag.read({"patient": patient, **columns}, groups="patient")
    ours, theirs = (ldag.bootstrap(one, 30, kappa=0.3, equivalent_sample_size=1) for one in (table, table.ungrouped()))
    strengths = [np.array([boot.strength(*pair) for pair in ("ab", "ac", "bc")]) for boot in (ours, theirs)]
    unsure = [np.minimum(own, 1 - own).sum() for own in strengths]
    assert unsure[0] > unsure[1]
    assert str(ours).startswith(
        "Bootstrap of 30 graphs of 3 variables, each from 40 patients with all their rows, 480 rows, drawn again\n"
    )
    assert "each from 480 rows drawn again" in str(theirs)


def test_files_keep_what_was_drawn(data: ldag.Dataset, tmp_path: Path) -> None:
    """A bootstrap by patients is one when it is read again."""
    boot = ldag.bootstrap(data, 3, **QUICK)
    boot.save(tmp_path / "boot.json")
    assert str(ldag.Bootstrap.load(tmp_path / "boot.json")) == str(boot)
    assert json.loads((tmp_path / "boot.json").read_text())["groups"] == "80 patients"


def test_elsewhere_the_same_patients_are_drawn(data: ldag.Dataset) -> None:
    """In other processes, too."""
    here = ldag.bootstrap(data, 4, **QUICK)
    with ProcessPoolExecutor(1) as pool:
        there = ldag.bootstrap(data, 4, **QUICK, executor=pool)
    assert here.graphs == there.graphs


@pytest.mark.parametrize("by", ["order", "bootstrap", "both"])
def test_averages_are_measured_on_patients(data: ldag.Dataset, by: Any, tmp_path: Path) -> None:
    """Members of a bootstrap are learned from patients drawn again, and all are compared on patients left out."""
    many = ldag.average(data, 3, by=by, equivalent_sample_size=3)
    assert many.gain is not None
    assert many.gain.n_groups == 80
    assert "held-out rows of 80 groups" in str(many)
    assert ("from 80 patients drawn again" in str(many)) == (by != "order")
    many.save(tmp_path / "many.json")
    assert ldag.Mixture.load(tmp_path / "many.json").gain == many.gain


def test_gaps_are_drawn_with_their_patients() -> None:
    """A table with gaps is learned from again by structural EM."""
    frame = visits(40)
    frame.loc[::5, "pain"] = None
    gapped = ldag.read(frame, groups="patient", missing="keep")
    boot = ldag.bootstrap(gapped, 2, kappa=0.3, equivalent_sample_size=3)
    assert boot.n == 2
    assert boot.groups == "40 patients"


def test_too_few_patients_are_not_measured() -> None:
    """An average of four patients has no folds, and says nothing of its gain."""
    four = ldag.read(visits(4), groups="patient")
    assert ldag.average(four, 2, equivalent_sample_size=3).gain is None
