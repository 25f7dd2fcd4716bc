"""Bootstraps and averages of tables with gaps."""

import json
import pickle
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import ldag
from ldag.errors import ArgumentError
from ldag.learning import AVAILABLE, GIVEN, GapControl, GapSearch, make_plan
from ldag.learning.settings import Settings
from ldag.model import Smoothing
from ldag.progress import NO_DEADLINE
from ldag.uncertainty import gap_members
from ldag.uncertainty.gap_members import Imputer
from tests.command import run

HEART = ldag.datasets.load("heart").select(["smoking", "protein", "pressure", "physical"])
GAPS = ldag.simulate.gaps(HEART, share=0.15, how="mar", rng=2)


@pytest.fixture(scope="module")
def fit() -> ldag.Fit:
    """A graph learned by structural EM."""
    return ldag.learn(GAPS, kappa=0.1, equivalent_sample_size=1)


def test_rows_are_drawn_again_with_their_gaps(fit: ldag.Fit) -> None:
    """What is sure returns; threads make no difference, nor does the order of columns."""
    boot = ldag.bootstrap(fit, 20, rng=1)
    assert boot.n == 20
    assert boot.strength("smoking", "physical") > 0.7
    assert ldag.bootstrap(fit, 20, rng=1, n_jobs=1).arcs == boot.arcs
    options = {"kappa": 0.1, "equivalent_sample_size": 1, "rng": 1}
    first = ldag.bootstrap(GAPS, 5, **options)  # type: ignore[arg-type]
    turned = ldag.bootstrap(GAPS.select(sorted(GAPS.names)[::-1]), 5, **options)  # type: ignore[arg-type]
    assert first.arcs == turned.arcs
    assert boot.n_observations == GAPS.total
    n_gaps = GAPS.total - GAPS.complete_rows().total
    assert f"gaps in {n_gaps} of 1,841 observations: kept" in str(boot)


def test_a_replicate_begins_at_the_graph_of_all_rows_and_at_available_cases(
    fit: ldag.Fit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nowhere else, so that many take little time."""
    seen = []

    class Watched(GapSearch):
        def __init__(self, plan: object, data: ldag.Dataset, control: GapControl) -> None:
            super().__init__(plan, data, control)  # type: ignore[arg-type]
            seen.append((control.starts, self.problem.start))

    monkeypatch.setattr(gap_members, "GapSearch", Watched)
    ldag.bootstrap(fit, 2, rng=1)
    schema = HEART.schema.reordered(sorted(range(4), key=HEART.names.__getitem__))
    parents = tuple(tuple(sorted(schema.nodes(fit.graph.parents(name)))) for name in schema.names)
    assert seen[1:] == [((GIVEN, AVAILABLE), parents)] * 2


@pytest.mark.parametrize("by", ["order", "bootstrap", "both", "imputation"])
def test_an_average_predicts_rows_with_gaps(by: str, fit: ldag.Fit) -> None:
    """Nearly as well as the network that was learned from the full table, or better, whatever members differ in."""
    full = ldag.learn(HEART, kappa=0.1, equivalent_sample_size=1).network.log_likelihood(HEART)
    mixture = fit.average(6, by=by, rng=1)
    assert len(mixture) == 6
    assert mixture.log_likelihood(HEART) > full - 25
    assert mixture.log_likelihood(GAPS) > fit.network.log_likelihood(GAPS) - 10
    assert mixture.predict_proba(GAPS, "pressure").sum(axis=1) == pytest.approx(1)
    assert mixture.gain is None
    assert any(note.endswith("of 1,841 observations: kept") for note in mixture.notes)
    assert mixture.settings["by"] == by


def test_members_by_imputation_differ_in_their_parameters_too(fit: ldag.Fit, tmp_path: Path) -> None:
    """Each is estimated from its own completed table: so are intervals wider than those of one completed table."""
    mixture = ldag.average(fit, 8, by="imputation", rng=1)
    chances = {round(float(member.query("pressure")[">140"]), 9) for member in mixture.members}
    assert len(chances) == 8
    path = tmp_path / "several.json"
    mixture.save(path)
    assert "each from a table of its own, whose gaps were drawn" in str(ldag.Mixture.load(path))
    assert ldag.average(fit, 8, by="imputation", rng=1, n_jobs=1).log_likelihood(GAPS) == mixture.log_likelihood(GAPS)


def test_completed_tables_keep_what_was_seen() -> None:
    """And depend on seed and number alone, wherever they are drawn."""
    plan = make_plan(GAPS, Settings(kappa=0.1, equivalent_sample_size=1))
    imputer = Imputer.of(plan, None, Smoothing(1.0), NO_DEADLINE)
    table = imputer.complete(3)
    assert table.total == GAPS.total
    assert not table.has_gaps
    complete = GAPS.complete_rows().aligned_to(table.schema)
    merged = complete.merge(table)
    assert merged.n_rows == table.n_rows
    weights = dict(zip(map(bytes, table.codes.T), table.whole_weights.tolist(), strict=True))
    for row, n in zip(complete.codes.T, complete.whole_weights.tolist(), strict=True):
        assert weights[bytes(row)] >= n
    with ProcessPoolExecutor(1) as pool:
        assert pool.submit(imputer.complete, 3).result() == table
    assert pickle.loads(pickle.dumps(imputer)).complete(3) == table
    assert imputer.complete(4) != table
    assert not np.array_equal(imputer.complete(4).whole_weights, table.whole_weights)


def test_imputation_needs_gaps() -> None:
    """Without any, all members would be the same."""
    with pytest.raises(ArgumentError, match="by='imputation' is for tables with gaps, and these data have none"):
        ldag.average(HEART, 3, by="imputation")


def test_the_commands(tmp_path: Path) -> None:
    """Gaps are kept unless another choice is made."""
    path, output = tmp_path / "survey.csv", tmp_path / "several.json"
    path.write_text("x,y\n" + "a,b\n,b\na,\nc,d\nc,b\n" * 10)
    said = run("bootstrap", str(path), "-n", "5", "--missing", "keep", "--kappa", "0.1", "--json")
    assert json.loads(said)["n"] == 5
    run("average", str(path), "-n", "3", "--by", "imputation", "--equivalent-sample-size", "1", "-o", str(output))
    assert len(ldag.Mixture.load(output)) == 3
