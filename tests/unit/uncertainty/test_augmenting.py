"""The posterior of a table with gaps as people use it: answers, files, limits, messages."""

import json
import pickle
from collections.abc import Mapping
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

import ldag
from ldag.errors import ArgumentError, TooLarge
from ldag.uncertainty import augmenting, filling, space
from ldag.uncertainty.choices import SIZES
from tests.command import run
from tests.interrupts import interrupted

HEART = ldag.datasets.load("heart").select(["smoking", "protein", "pressure", "family"])
GAPS = ldag.simulate.gaps(HEART, share=0.1, how="mcar", rng=1)


@pytest.fixture(scope="module")
def post() -> ldag.Posterior:
    """A posterior over labels of a table with gaps."""
    return ldag.posterior(GAPS, kappa=0.3, n_rounds=60, rng=1)


def test_it_says_what_gaps_did(post: ldag.Posterior) -> None:
    """In its first line, with the Monte-Carlo error; and how the runs went."""
    lines = str(post).splitlines()
    assert post.diagnostics is not None
    error = f"{post.diagnostics.max_mc_error:.3f}"
    assert lines[0].endswith(f"with gaps; averaged over completed tables, Monte-Carlo error at most {error}")
    assert any(line.startswith("method: 4 runs of 60 completed tables, the gaps drawn anew") for line in lines)
    assert any(line.startswith("runs: converged: 4 runs of 60 samples") for line in lines)
    assert post.has_gaps
    assert post.method == "augmentation"
    assert not ldag.posterior(HEART, kappa=0.3).has_gaps


def test_it_is_near_to_the_posterior_of_the_full_table(post: ldag.Posterior) -> None:
    """A tenth of the cells is missing at random: what is sure stays so."""
    full = ldag.posterior(HEART, kappa=0.3)
    for edge in full.edges:
        joined = full.edge(edge.parent, edge.child) + full.edge(edge.child, edge.parent)
        if joined > 0.99:
            assert post.edge(edge.parent, edge.child) + post.edge(edge.child, edge.parent) > 0.9
    assert set(post.sizes) == set(SIZES)
    assert sum(post.sizes.values()) == pytest.approx(1)


def test_all_that_a_posterior_answers(post: ldag.Posterior) -> None:
    """Graphs that were drawn with their completed tables answer, and agree with each other."""
    assert sum(post.parents("pressure").values()) == pytest.approx(1, abs=1e-5)
    edges = sum(chance for parents, chance in post.parents("pressure").items() if "smoking" in parents)
    assert edges == pytest.approx(post.edge("smoking", "pressure"), abs=1e-5)
    label = post.label("smoking", "pressure", context={"protein": ">3"})
    graphs = post.sample(480, rng=1)  # all that were kept
    have = [graph for graph in graphs if set(graph.parents("pressure")) == {"smoking", "protein"}]
    vanishing = [graph for graph in have if (">3",) in graph.label("smoking", "pressure")]
    exactly = post.label("smoking", "pressure", context={"protein": ">3"}, parents=["smoking", "protein"])
    assert len(have) / len(graphs) == pytest.approx(post.parents("pressure")["smoking", "protein"], abs=0.08)
    assert len(vanishing) / len(have) == pytest.approx(exactly)
    inside = post.edge("smoking", "pressure", context={"protein": ">3"})
    assert inside == pytest.approx(post.edge("smoking", "pressure") * (1 - label), abs=1e-9)
    separated = post.csi_separated("smoking", "pressure", context={"protein": ">3"})
    assert 0 < separated.mc_error < 0.1
    assert post.implies("smoking", "pressure", context={"protein": ">3"}, n_draws=100) >= 0
    assert 0 <= post.determined("smoking", "pressure") <= post.edge("smoking", "pressure")
    full = ldag.posterior(HEART, kappa=0.3)
    given = {"smoking": "yes"}
    mean, low, high = post.query("pressure", given, interval=0.99, n_draws=100)[">140"]
    assert low < full.query("pressure", given)[">140"] < high
    assert post.mixture(50).query("pressure", given)[">140"] == pytest.approx(mean, abs=0.02)
    assert len(post.sample_networks(5)) == 5
    assert post.consensus().schema.names == HEART.names
    assert post.to_svg().startswith("<svg")
    assert len(post.to_frame()) == 12
    assert not post.impute(GAPS, n=1, rng=1)[0].has_gaps


def test_files_answer_as_before(post: ldag.Posterior, tmp_path: Path) -> None:
    """Drawn graphs are written with what was counted for them."""
    path = tmp_path / "post.json"
    post.save(path)
    assert json.loads(path.read_text())["version"] == 2  # which older releases do not take for one without gaps
    again = ldag.Posterior.load(path)
    assert again.has_gaps
    assert str(again) == str(post)
    assert str(pickle.loads(pickle.dumps(post))) == str(post)
    assert again.query("pressure", {"smoking": "yes"}) == pytest.approx(post.query("pressure", {"smoking": "yes"}))
    with pytest.raises(ArgumentError, match=r"ldag\.score\(graph, data\)"):
        _ = again.log_evidence


def test_a_posterior_goes_on_until_it_is_sure() -> None:
    """Unless it is said how many rounds are kept: until no edge has an error of 0.01 and the runs agree."""
    assert augmenting.Pace.of(0.001) == (50, 100, 4000)
    assert augmenting.Pace.of(0.1) == (50, 100, 300)
    assert augmenting.CHAIN_PACE == (10, 25, 100)
    assert (augmenting.SURE_ENOUGH, augmenting.RULED_OUT, augmenting.N_RUNS) == (0.01, 1e-6, 4)
    assert (space.ROUND_SECONDS, space.ROUND_EXACT_SECONDS) == (0.1, 0.3)
    free = ldag.posterior(GAPS, structure="table", equivalent_sample_size=1)
    assert free.diagnostics is not None
    assert free.diagnostics.n_samples >= 100
    assert free.diagnostics.max_mc_error < 0.01
    assert free.diagnostics.converged


def test_a_checkpoint_resumes(tmp_path: Path) -> None:
    """What was interrupted goes on where it was, to the same digits."""
    path = tmp_path / "run.json"
    options = {"structure": "table", "n_rounds": 40}

    def interrupt(report: Mapping[str, float]) -> None:
        if report["done"] > 0.7 * report["total"]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ldag.posterior(GAPS, progress=interrupt, checkpoint=path, **options)  # type: ignore[call-overload]
    assert json.loads(path.read_text())["parts"]["run 3"]["n_done"] > 50
    resumed = ldag.posterior(GAPS, checkpoint=path, **options)  # type: ignore[call-overload]
    whole = ldag.posterior(GAPS, **options)  # type: ignore[call-overload]
    assert resumed.edges == whole.edges
    assert resumed.sample(20, rng=1) == whole.sample(20, rng=1)
    with pytest.raises(ArgumentError, match="another run: n_rounds was 40 and is 50"):
        ldag.posterior(GAPS, structure="table", n_rounds=50, checkpoint=path)


def test_it_ends_in_time_and_at_once() -> None:
    """With the completed tables that there are, which is told, or with a message."""
    short = ldag.posterior(GAPS, structure="table", n_rounds=10**6, equivalent_sample_size=1, time_limit=3)
    assert short.diagnostics is not None
    assert short.diagnostics.stopped
    assert "NOT converged, stopped early" in str(short)
    with pytest.raises(TooLarge, match="not enough completed tables were drawn within the time limit"):
        ldag.posterior(GAPS, kappa="evidence", time_limit=0.05)
    with interrupted(0.5), pytest.raises(KeyboardInterrupt):
        ldag.posterior(GAPS, n_rounds=10**6)


def test_messages(post: ldag.Posterior) -> None:
    """What does not apply is refused, and what to do instead is named."""
    with pytest.raises(ArgumentError, match="n_rounds applies to tables with gaps, and these data have none; n_iter"):
        ldag.posterior(HEART, n_rounds=100)
    with pytest.raises(ArgumentError, match="n_rounds must be a whole number, 8 or more, got 3"):
        ldag.posterior(GAPS, n_rounds=3)
    with pytest.raises(ArgumentError, match="n_iter applies to method 'chain'"):
        ldag.posterior(GAPS, n_iter=300)
    with pytest.raises(ArgumentError, match=r"evidence of a table with gaps is not known.*ldag\.score\(graph, data\)"):
        _ = post.log_evidence
    with pytest.raises(ArgumentError, match="log_likelihood needs the data and an exact posterior"):
        post.log_likelihood(HEART)


def test_edges_that_did_not_mix_are_named() -> None:
    """Two columns that are never seen together: the runs wander, and the posterior says where."""
    rng = np.random.default_rng(1)
    a = rng.integers(0, 2, 60)
    b = np.where(rng.random(60) < 0.9, a, 1 - a)
    first = np.arange(60) < 30
    columns = {
        "a": [int(x) if seen else None for x, seen in zip(a, first, strict=True)],
        "b": [None if seen else int(x) for x, seen in zip(b, first, strict=True)],
    }
    data = ldag.read(columns, missing="keep")
    post = ldag.posterior(data, structure="table", equivalent_sample_size=1, n_rounds=8)
    assert post.diagnostics is not None
    if not post.diagnostics.converged:
        assert "the runs disagree about a -> b" in str(post) or "the runs disagree about b -> a" in str(post)


def test_all_edges_that_did_not_mix_are_told(post: ldag.Posterior, tmp_path: Path) -> None:
    """Above 1.05 and the worst first; the print stops after five, a file and the summary do not."""
    assert post.diagnostics is not None
    r_hat = np.ones((4, 4))
    for n, (i, j) in enumerate(permutations(range(4), 2)):
        r_hat[i, j] = 1.041 + 0.01 * n
    wandering = replace(post, diagnostics=replace(post.diagnostics, r_hat=r_hat))
    pairs = list(permutations(sorted(HEART.names), 2))
    assert list(wandering.unmixed) == pairs[:0:-1]
    assert list(wandering.unmixed.values()) == pytest.approx([1.041 + 0.01 * n for n in range(11, 0, -1)])
    first = ", ".join(f"{a} -> {b} ({r_hat:.2f})" for (a, b), r_hat in list(wandering.unmixed.items())[:5])
    assert f"the runs disagree about {first} and 6 more; R-hat in brackets" in str(wandering)
    told = [{"parent": a, "child": b, "r_hat": r_hat} for (a, b), r_hat in wandering.unmixed.items()]
    assert wandering.summary()["unmixed"] == told
    wandering.save(tmp_path / "post.json")
    assert ldag.Posterior.load(tmp_path / "post.json").unmixed == wandering.unmixed
    assert ldag.posterior(HEART, kappa=0.3).unmixed == {}


def test_real_weights_and_constraints() -> None:
    """A weight is shared out over whole observations and a rest; constraints hold in every completed table."""
    weights = np.full(GAPS.n_rows, 1.5)
    weighed = ldag.Dataset.from_codes(GAPS.schema, GAPS.codes, weights)
    rules = ldag.Constraints(forbidden=[("smoking", "pressure")])
    post = ldag.posterior(weighed, structure="table", equivalent_sample_size=1, n_rounds=20, constraints=rules)
    assert post.n_observations == pytest.approx(weights.sum())
    assert float(post.edge("smoking", "pressure")) == 0.0
    assert not any(("smoking", "pressure") in graph.edges for graph in post.sample(50))


@pytest.mark.parametrize("most_cells", [1, 1 << 12])
def test_odd_tables(most_cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A column without a state or with one takes no edges; rows of gaps only change nothing; all rows may have gaps."""
    monkeypatch.setattr(filling, "MOST_CELLS", most_cells)
    a, b = [0, 1, None, 1, 0, 0, 1, None] * 5, [None, 1, 0, 1, 0, None, None, 1] * 5
    columns: dict[str, list[object]] = {"a": [*a], "b": [*b], "never": [None] * 40, "once": [None, 1] * 20}
    states = {name: [0, 1] for name in columns}
    post = ldag.posterior(
        ldag.read(columns, states=states, missing="keep"), kappa=0.3, equivalent_sample_size=1, n_rounds=8
    )
    assert {name for edge in post.edges if edge.probability for name in (edge.parent, edge.child)} == {"a", "b"}
    empty = {"a": [*a, None, None], "b": [*b, None, None]}
    with_empty, without = (
        ldag.posterior(ldag.read(one, missing="keep"), structure="table", equivalent_sample_size=1, n_rounds=60)
        for one in (empty, {"a": a, "b": b})
    )
    assert with_empty.edge("a", "b") == pytest.approx(without.edge("a", "b"), abs=0.05)
    counts = ldag.read(
        {"a": [0, 1, 0, None], "b": [0, 1, 1, 1], "n": [9000, 8000, 10, 5000]}, counts="n", missing="keep"
    )
    assert ldag.posterior(counts, structure="table", n_rounds=8).n_observations == 22010


def test_the_command(tmp_path: Path) -> None:
    """Gaps are kept, and the first line says so."""
    path = tmp_path / "survey.csv"
    path.write_text("x,y\n" + "a,b\n,b\na,\nc,d\nc,b\n" * 10)
    said = run("posterior", str(path), "--missing", "keep", "--structure", "table", "--rounds", "20")
    assert "with gaps; averaged over completed tables, Monte-Carlo error at most" in said
