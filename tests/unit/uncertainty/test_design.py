"""Design effects: what it does to an edge's evidence that rows belong together."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import ldag
from ldag.uncertainty import design
from ldag.uncertainty.design import design_effect
from tests.unit.learning.test_group_folds import visits

Rows = NDArray[np.int64]


def surpluses(x: Rows, y: Rows, z: Rows) -> NDArray[np.float64]:
    """Return by stratum and cell how far shares are from independence, from scratch; the shape is 3 x 3 x 3."""
    found = np.zeros((3, 3, 3))
    for stratum in range(3):
        table = np.zeros((3, 3))
        np.add.at(table, (x[z == stratum], y[z == stratum]), 1)
        shares = table / table.sum()
        found[stratum] = shares - np.outer(shares.sum(axis=1), shares.sum(axis=0))
    return found


def people(seed: int = 2) -> pd.DataFrame:
    """Two hundred persons of one to eight rows; x stays with the person, and y and z lean on what nobody sees."""
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(200), rng.integers(1, 9, 200))
    kind = rng.integers(0, 3, 200)
    x = np.where(rng.random(200) < 0.4, kind, rng.integers(0, 3, 200))[who]
    y = np.where(rng.random(len(who)) < 0.5, kind[who], rng.integers(0, 3, len(who)))
    return pd.DataFrame(
        {"person": who, "x": x, "y": y, "z": rng.integers(0, 3, len(who)), "w": rng.integers(0, 3, len(who))}
    )


@pytest.mark.parametrize(("child", "least", "most"), [("y", 1.2, 5.0), ("w", 0.8, 1.3)])
def test_it_is_the_ratio_of_two_bootstraps(child: str, least: float, most: float) -> None:
    """Surpluses of drawn persons and of drawn rows, over what is expected: a thousand replicates of each."""
    frame = people()
    data, rng = ldag.read(frame, groups="person"), np.random.default_rng(1)
    columns = [frame[name].to_numpy() for name in ("x", child, "z")]
    of_person = [np.flatnonzero(frame["person"] == person) for person in range(200)]
    variances = []
    for draws_persons in (True, False):
        found = []
        for _ in range(1000):
            if draws_persons:
                rows = np.concatenate([of_person[person] for person in rng.integers(0, 200, 200)])
            else:
                rows = rng.integers(0, len(frame), len(frame))
            found.append(surpluses(*(column[rows] for column in columns)))
        variances.append(np.var(found, axis=0))
    total = np.zeros((3, 3, 3))
    np.add.at(total, (columns[2], columns[0], columns[1]), 1)
    strata = total.sum(axis=(1, 2), keepdims=True)
    expected = total.sum(axis=2, keepdims=True) * total.sum(axis=1, keepdims=True) / strata
    by_person, by_row = ((own * strata**2 / expected).sum() for own in variances)
    effect = design_effect(data, "x", child, ["z"])
    assert effect == pytest.approx(by_person / by_row, rel=0.07)
    assert least < effect < most


def test_rows_that_repeat_count_once() -> None:
    """Where all rows of a person are the same, it is how many there are, and where persons have one, 1."""
    alone = people().drop_duplicates("person")
    five = pd.concat([alone] * 5)
    assert design_effect(ldag.read(five, groups="person"), "x", "y", ["z"]) == pytest.approx(5)
    assert design_effect(ldag.read(alone, groups="person"), "x", "y", ["z"]) == pytest.approx(1)
    assert design_effect(ldag.read(five, groups="person"), "x", "y") == pytest.approx(5)


def test_direction_blocks_weights_and_gaps_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the same both ways, piece by piece, of counted rows, and without the rows whose cells are empty."""
    frame = people()
    data = ldag.read(frame, groups="person")
    effect = design_effect(data, "x", "y", ["z"])
    assert design_effect(data, "y", "x", ["z"]) == pytest.approx(effect)
    counted = ldag.read(data.to_frame("pandas"), groups="person", counts="count")
    assert design_effect(counted, "x", "y", ["z"]) == pytest.approx(effect)
    emptied = pd.concat([frame, frame.assign(y=None)[::3]])
    gapped = ldag.read(emptied, groups="person", missing="keep")
    assert design_effect(gapped, "x", "y", ["z"]) == pytest.approx(effect)
    monkeypatch.setattr(design, "BLOCK_CELLS", 40)
    assert design_effect(data, "x", "y", ["z"]) == pytest.approx(effect)


def test_a_posterior_prints_it(tmp_path: Path) -> None:
    """Per edge, given the other parents in the consensus; files keep it, and without groups there is none."""
    table = people().assign(q=lambda own: own["x"] * (own["z"] > 0))
    data = ldag.read(table, groups="person")
    post = ldag.posterior(data, max_parents=2, equivalent_sample_size=10)
    plain = ldag.posterior(data.ungrouped(), max_parents=2, equivalent_sample_size=10)
    assert post.log_evidence == plain.log_evidence
    assert plain.design_effects == {}
    (_, child), effect = next(item for item in post.design_effects.items() if set(item[0]) == {"x", "y"})
    given = [name for name in post.consensus().parents(child) if name not in "xy"]
    assert effect == pytest.approx(design_effect(data, "x", "y", given))
    lines = str(post).splitlines()
    assert lines[0] == f"Posterior over labelled DAGs of 5 variables, from {len(table)} rows of 200 persons"
    assert next(line for line in lines if line.startswith("edges")).endswith("design effect")
    worst = max(post.design_effects.values())
    assert f"at {worst:.1f}, rows count for 1/{worst:.1f} of what is reckoned here" in str(post)
    assert "design effect" not in str(plain)
    assert sum("rows of one person are taken as independent given the model" in line for line in lines) == 1
    post.save(tmp_path / "post.json")
    assert ldag.Posterior.load(tmp_path / "post.json").design_effects == post.design_effects
    assert post.log_likelihood(data) == pytest.approx(plain.log_likelihood(data.ungrouped()))


def test_what_the_likelihood_assumes_is_said_once(tmp_path: Path) -> None:
    """In print and in a report; not where groups are of one row each."""
    data = ldag.read(visits(), groups="patient")
    fit = ldag.learn(data, kappa=0.1, equivalent_sample_size=10)
    told = "ows of one patient are taken as independent given the model"
    assert str(fit).count(told) == 1
    fit.report(tmp_path / "report.html", posterior=None)
    assert (tmp_path / "report.html").read_text().count(told) == 1
    alone = ldag.read(visits().drop_duplicates("patient"), groups="patient")
    assert "independent" not in str(ldag.learn(alone, kappa=0.1, equivalent_sample_size=10))
