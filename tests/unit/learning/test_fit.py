"""What learning gives: plain values, counts made once, gains when asked for, and classes in words."""

import json
from typing import Any

import numpy as np
import pytest

import ldag
from ldag import Constraints, Dataset, _native, datasets
from ldag.learning import METHODS, CrossValidation, MethodChoice, StructureKind, Trace
from ldag.learning.plan import make_plan
from ldag.learning.searches import SearchControl
from ldag.learning.searches.climb import Climb
from ldag.learning.settings import Settings
from ldag.presenting import picture

HEART = datasets.load("heart")


def equal_or_not() -> Dataset:
    """Data in which y depends on whether a equals b: no label says that."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 3, 4000), rng.integers(0, 3, 4000)
    return ldag.read({"a": a, "b": b, "y": rng.random(4000) < np.where(a == b, 0.9, 0.1)})


def test_every_family_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the search to the network: six counts for six families."""
    fits = [ldag.learn(HEART, kappa=0.1, equivalent_sample_size=1)]
    counted = []
    counts = _native.Columns.counts

    def noted(self: _native.Columns, variables: list[int]) -> object:
        counted.append(tuple(variables))
        return counts(self, variables)

    monkeypatch.setattr(_native.Columns, "counts", noted)
    fits.append(ldag.learn(HEART, kappa=0.1, equivalent_sample_size=1))
    _ = str(fits[1]), fits[1].to_dict(), fits[1].network
    assert len(counted) == 6
    assert fits[0].network == fits[1].network


def test_what_is_handed_on_is_what_would_be_counted() -> None:
    """The network and the score are those of the graph on the data, with columns in any order."""
    for names in (HEART.names, sorted(HEART.names), HEART.names[::-1]):
        data = HEART.select(names)
        fit = ldag.learn(data, kappa=0.5, structure="graph", equivalent_sample_size=1)
        assert fit.network == ldag.Network.from_data(fit.ldag, data)
        assert fit.score == ldag.score(fit.ldag, data, kappa=0.5)


def test_graph_is_another_name_for_ldag() -> None:
    """One object."""
    fit = ldag.learn(HEART, kappa=0.1, equivalent_sample_size=1)
    assert fit.graph is fit.ldag


def test_gains_are_spoken_of_where_there_are_some() -> None:
    """Plain tables gain nothing over themselves: no sentence about gains."""
    assert "gains are not certainties" in str(ldag.learn(HEART, kappa=0.1, rng=1, equivalent_sample_size=1))
    plain = ldag.learn(HEART, kappa=0.1, structure="table", rng=1, equivalent_sample_size=1)
    assert plain.ldag.edges
    assert "gain" not in str(plain)


def test_gains_are_worked_out_when_asked_for() -> None:
    """A time limit does not pay for them."""
    fit = ldag.learn(HEART, kappa=0.1, equivalent_sample_size=1)
    assert not {"label_gains", "class_gains", "network"} & set(vars(fit))
    assert set(fit.label_gains) == {("smoking", "pressure"), ("protein", "pressure")}


def test_plain_values() -> None:
    """They survive JSON, as does the score."""
    fit = ldag.learn(HEART, rng=1, kappa="cv", equivalent_sample_size=1)
    for plain in (fit.to_dict(), fit.score.to_dict()):
        assert json.loads(json.dumps(plain)) == plain
        assert plain["score"] == fit.score.total
    assert fit.to_dict()["settings"] == dict(fit.settings)
    assert fit.settings["rng"] == 1


def test_classes_that_no_label_tells_are_in_words() -> None:
    """And parameters are compared with full tables then, not with a graph without labels."""
    order = Constraints(order=["a", "b", "y"])
    shown = str(ldag.learn(equal_or_not(), kappa=0.5, structure="graph", constraints=order, equivalent_sample_size=1))
    assert "  y: 2 classes of 9 configurations" in shown
    assert "    y is distributed alike when a is 0 and b is 0, or when a is 1 and b is 1, or when" in shown
    assert "2 edges, 6 parameters (13 in full tables)" in shown
    assert "without labels" not in shown


def chain_data() -> Dataset:
    """Rows in which a, b and c hang together as in a chain; each has three states."""
    rng = np.random.default_rng(1)
    a = rng.integers(0, 3, 3000)
    b = np.where(rng.random(3000) < 0.8, a, rng.integers(0, 3, 3000))
    return ldag.read({"a": a, "b": b, "c": np.where(rng.random(3000) < 0.8, b, rng.integers(0, 3, 3000))})


@pytest.mark.parametrize("structure", ["table", "tree", "ldag", "partial", "graph"])
@pytest.mark.parametrize(
    ("given", "open_edges"),
    [
        (None, {("a", "b"), ("b", "c")}),
        (Constraints(required=[("a", "b")]), set()),
        (Constraints(tiers=[["a"], ["b", "c"]]), set()),
        (Constraints(forbidden=[("b", "a")]), set()),
        (Constraints(order=["b", "c"]), {("a", "b")}),
        (Constraints(allowed_parents={"c": ["b"], "b": ["a", "c"]}), {("a", "b"), ("b", "c")}),
    ],
)
def test_directions_know_the_constraints(
    structure: StructureKind, given: Constraints | None, open_edges: set[tuple[str, str]]
) -> None:
    """Prints, pictures, the door and saved networks agree on what can point the other way, by hand for a chain."""
    fit = ldag.learn(
        chain_data(),
        kappa="cv" if structure == "table" else 0.1,
        structure=structure,
        constraints=given,
        equivalent_sample_size=1,
    )
    assert {frozenset(edge) for edge in fit.ldag.edges} == {frozenset("ab"), frozenset("bc")}
    expected = {edge for edge in fit.ldag.edges if edge in open_edges or edge[::-1] in open_edges}
    assert set(fit.ldag.edges) - fit.essential_edges() == expected
    told = {tuple(line.split()[:3:2]) for line in str(fit).splitlines() if "(or the other way)" in line}
    assert told == expected
    again = ldag.Network.from_json(fit.network.to_json())
    for thing in (fit, fit.network, again):
        shown = picture(thing, {})
        assert {shown.describe_edge(e) for e in shown.edges if e.is_reversible} == {f"{a} → {b}" for a, b in expected}
    assert fit.to_dict()["essential_edges"] == [list(edge) for edge in fit.ldag.edges if edge not in expected]


def test_numbers_of_numpy_are_numbers(tmp_path: object) -> None:
    """As settings, in a checkpoint, and written down."""
    fit = ldag.learn(
        HEART,
        kappa=np.float32(0.1),  # type: ignore[arg-type]
        max_parents=np.int64(2),  # type: ignore[arg-type]
        n_jobs=np.int32(1),  # type: ignore[arg-type]
        n_restarts=np.uint8(3),  # type: ignore[arg-type]
        method="climb",
        rng=np.int64(4),  # type: ignore[arg-type]
        time_limit=np.float64(100),
        checkpoint=f"{tmp_path}/run",
        equivalent_sample_size=1,
    )
    assert fit.kappa == pytest.approx(0.1)
    assert json.loads(json.dumps(fit.to_dict()))["settings"]["max_parents"] == 2


def test_a_table_needs_no_kappa() -> None:
    """It has no labels to pay for; other structures do."""
    family = ldag.learn_family(HEART, "pressure", parents=["smoking", "protein"], structure="table")
    assert family.log_prior == 0
    assert family.partition.n_classes == 4
    with pytest.raises(ldag.LdagError, match="kappa is needed"):
        ldag.learn_family(HEART, "pressure", parents=["smoking"])


@pytest.mark.parametrize("method", METHODS)
def test_the_same_call_gives_the_same_answer(method: MethodChoice) -> None:
    """Twice in one run."""
    first, second = (
        ldag.learn(datasets.load("titanic"), kappa=0.3, method=method, rng=2, equivalent_sample_size=1)
        for _ in range(2)
    )
    assert first.graph == second.graph
    assert first.score == second.score
    assert first.trace == second.trace


def test_an_exact_search_that_is_cut_short_returns_no_less_than_a_climb() -> None:
    """Stopped at the first occasion, when hardly a family is scored."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (16, 1000))
    for node in range(2, 16):
        codes[node] = np.where(rng.random(1000) < 0.7, (codes[node - 1] + codes[node - 2]) % 3, codes[node])
    plan = make_plan(ldag.read({f"v{n:02}": codes[n] for n in range(16)}), Settings(kappa=0.1, method="exact"))
    scorer = plan.problem.families.scorer(plan.data.columns)
    climbed = Climb(0).run(scorer, plan.problem, SearchControl())
    cut = plan.search.run(scorer, plan.problem, SearchControl(on_progress=lambda _: True))
    assert cut.stopped
    assert any(climbed.parents)
    assert cut.score >= climbed.score


def test_the_order_of_columns_changes_no_digit() -> None:
    """Of the score of a graph, and of a learned one."""
    rng = np.random.default_rng(5)
    for seed in range(10):
        codes = rng.integers(0, 3, (5, 60))
        codes[4] = (codes[0] + codes[1] * (codes[2] > 0)) % 3
        data = ldag.read({name: codes[i] for i, name in enumerate("bdaec")})
        fit = ldag.learn(data, kappa=0.4, rng=seed, equivalent_sample_size=1)
        for _ in range(4):
            other = data.select([data.names[i] for i in rng.permutation(5)])
            assert ldag.learn(other, kappa=0.4, rng=seed, equivalent_sample_size=1).score.total == fit.score.total
            again = ldag.learn(other, kappa=0.4, rng=seed, equivalent_sample_size=1).ldag
            assert ldag.score(again, data, kappa=0.4).total == ldag.score(again, other, kappa=0.4).total


def wide(n_rows: int = 300) -> Dataset:
    """Eight parents of four states and a child that depends on all: its table may have seven parents at most."""
    rng = np.random.default_rng(0)
    columns = {f"p{i}": rng.integers(0, 4, n_rows) for i in range(8)}
    return ldag.read({**columns, "y": np.sum(list(columns.values()), axis=0) % 4})


def only_y(data: Dataset, n_required: int = 0) -> Constraints:
    """Nobody but y has parents, and that has the first few."""
    none = {name: 0 for name in data.names if name != "y"}
    return Constraints(max_parents=none, required=[(f"p{i}", "y") for i in range(n_required)])


def test_limits_that_ended_growth_are_notes() -> None:
    """A family that has no room for a further parent is named, in print and in plain values."""
    data = wide()
    rules = only_y(data, n_required=7)
    fit = ldag.learn(data, kappa=0.1, method="climb", n_restarts=0, constraints=rules, equivalent_sample_size=1)
    assert len(fit.ldag.parents("y")) == 7
    assert fit.notes == ("y could get no further parent: the table would have more than 65,536 cells",)
    assert f"note: {fit.notes[0]}" in str(fit)
    assert fit.to_dict()["notes"] == list(fit.notes)
    few = ldag.learn(
        data, kappa=0.1, method="climb", n_restarts=0, constraints=rules, max_parents=7, equivalent_sample_size=1
    )
    assert few.notes == ()


def test_what_a_proof_leaves_out_is_a_note() -> None:
    """Families whose tables are too large are not looked at, and a promise of optimality says so."""
    data = wide()
    fit = ldag.learn(data, kappa=1e-6, method="exact", constraints=only_y(data), equivalent_sample_size=1)
    assert fit.notes == ("parents of y whose table would have more than 65,536 cells were left out",)
    assert "no allowed graph with any number of parents and tables of at most 65,536 cells scores better" in str(fit)
    assert "cells" not in ldag.learn(HEART, kappa=0.1, equivalent_sample_size=1).promise
    assert (
        ldag.learn(
            data, kappa=1e-6, method="exact", constraints=only_y(data), max_parents=2, equivalent_sample_size=1
        ).notes
        == ()
    )
    assert ldag.learn(HEART, kappa=0.1, equivalent_sample_size=1).notes == ()


def test_labels_that_were_not_solved_exactly_are_a_note() -> None:
    """Where they were asked for."""
    rng = np.random.default_rng(1)
    a, b, c = (rng.integers(0, 3, 3000) for _ in range(3))
    data = ldag.read({"a": a, "b": b, "c": c, "y": (a + b + c) % 2})
    fit = ldag.learn(data, kappa=0.1, method="exact", label_search="exact", rng=1, equivalent_sample_size=1)
    above = [v for v in data.names if 3 ** len(fit.ldag.parents(v)) > 16]
    assert above
    assert fit.notes[0].startswith(f"labels of {', '.join(above)} refined, not solved exactly")


@pytest.mark.parametrize(
    ("options", "families"),
    [
        ({}, "the labels that greedy search finds"),
        ({"label_search": "exact"}, "the best labels, refined where there are more than 16 configurations of parents"),
        ({"label_search": "exact", "max_parents": 4}, "the best labels"),
        ({"label_search": "exact", "structure": "tree"}, "the best tree"),
        ({"label_search": "refined", "structure": "graph"}, "the classes that refined search finds"),
        ({"structure": "table"}, "full tables"),
    ],
)
def test_a_promise_says_what_families_have(options: dict[str, Any], families: str) -> None:
    """The best labels only where every family of the space can be solved: five binary parents make 32 of them."""
    promise = ldag.learn(HEART, kappa=0.1, method="exact", equivalent_sample_size=1, **options).promise
    assert promise.endswith(f"scores better, where every family has {families}")


def test_one_parent_is_one_parent() -> None:
    """What a search promises is a sentence."""
    assert "no allowed graph with at most 1 parent scores better" in str(
        ldag.learn(HEART, kappa=0.3, max_parents=1, equivalent_sample_size=1)
    )


POINTS = ((1, -30.0), (4, -20.0), (9, -12.5))


def test_a_trace_is_a_tuple_that_draws_steps() -> None:
    """Equal to the tuple; the curve keeps its height until the next improvement."""
    trace = Trace.of(POINTS)
    assert trace.best == -12.5
    assert trace.to_svg().count('class="s-first"') == 1
    assert trace == POINTS
    assert repr(Trace.of((n, n) for n in range(9))) == "<Trace: 9 improvements, from 0.00 to 8.00 at step 8>"


def test_traces_without_points_are_drawn_too() -> None:
    """As an empty chart."""
    assert Trace.of(()).to_svg().startswith("<svg")


@pytest.mark.parametrize("options", [{}, {"structure": "cv", "equivalent_sample_size": "cv"}])
def test_cross_validations_are_kept_in_models(options: dict[str, str]) -> None:
    """What a network's origin keeps is the cross-validation that was made, and gives the same chart."""
    fit = ldag.learn(ldag.datasets.load("titanic"), rng=1, method="climb", **options)  # type: ignore[arg-type]
    assert fit.cv is not None
    assert fit.network.origin is not None
    kept = json.loads(json.dumps(fit.network.origin))
    assert Trace.of(kept["trace"]) == fit.trace
    again = CrossValidation.from_dict(kept["cross_validation"])
    assert again.mean == fit.cv.mean
    assert again.to_svg() == fit.cv.to_svg()
