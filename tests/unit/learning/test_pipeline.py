"""Learning: the same answer however it is asked, constraints, limits, and what is refused."""

import re
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from math import log

import numpy as np
import pytest

import ldag
from ldag import LDAG, Constraints, LdagError, datasets
from ldag.learning import LabelSearch, MethodChoice, StructureKind

HEART = datasets.load("heart")
TITANIC = datasets.load("titanic")
METHODS: list[MethodChoice] = ["exact", "chain", "climb"]


@pytest.mark.parametrize("method", METHODS)
def test_threads_rows_and_columns_change_nothing(method: MethodChoice) -> None:
    """One thread or two, rows shuffled, columns reversed: one graph."""
    rng = np.random.default_rng(1)
    columns = {name: rng.integers(0, 2 + i % 2, 400) for i, name in enumerate("dbeca")}
    columns["z"] = (columns["a"] + columns["b"]) % 2
    order = rng.permutation(400)
    shuffled = {name: columns[name][order] for name in reversed(columns)}
    first = ldag.learn(ldag.read(columns), kappa=0.3, method=method, rng=3, n_jobs=1, equivalent_sample_size=1)
    second = ldag.learn(ldag.read(shuffled), kappa=0.3, method=method, rng=3, n_jobs=2, equivalent_sample_size=1)
    assert first.ldag == second.ldag
    assert first.score.total == pytest.approx(second.score.total, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_constraints_hold(method: MethodChoice) -> None:
    """Required and forbidden edges, tiers and limits are in every result."""
    constraints = Constraints(
        required=[("age", "survived")], forbidden=[("sex", "class")], tiers=[["sex", "age", "class"], ["survived"]]
    )
    fit = ldag.learn(
        TITANIC, kappa=0.5, method=method, constraints=constraints, max_parents=2, equivalent_sample_size=1
    )
    assert ("age", "survived") in fit.ldag.edges
    assert ("sex", "class") not in fit.ldag.edges
    assert not any(parent == "survived" for parent, _ in fit.ldag.edges)
    assert all(len(fit.ldag.parents(v.name)) <= 2 for v in fit.ldag.variables)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("labels", ["greedy", "refined", "exact"])
def test_constraints_on_labels_hold(method: MethodChoice, labels: LabelSearch) -> None:
    """A fixed label is exactly that, for all states of the other parents; edges without labels have none."""
    constraints = Constraints(
        labels={("age", "survived"): [{"class": "1st"}, {"class": "Crew"}]},
        unlabelled=[("sex", "survived"), ("sex", "class")],
        required=[("sex", "survived")],
        tiers=[["sex", "age"], ["class"], ["survived"]],
    )
    graph = ldag.learn(
        TITANIC, kappa=0.5, method=method, label_search=labels, constraints=constraints, equivalent_sample_size=1
    ).ldag
    assert set(graph.parents("survived")) == {"sex", "age", "class"}
    sexes = next(v for v in graph.variables if v.name == "sex").states
    others = [name for name in graph.parents("survived") if name != "age"]
    contexts = [{"sex": sex, "class": cabin} for sex in sexes for cabin in ("1st", "Crew")]
    assert graph.label("age", "survived") == {tuple(context[name] for name in others) for context in contexts}
    assert graph.label("sex", "survived") == frozenset()
    assert graph.label("sex", "class") == frozenset()
    assert graph.is_regular()


def test_an_empty_fixed_label_is_a_required_edge_without_label() -> None:
    """Said either way, the same graph is found; tables take both."""
    edge = ("smoking", "pressure")
    fixed, said = Constraints(labels={edge: []}), Constraints(required=[edge], unlabelled=[edge])
    first, second = (
        ldag.learn(HEART, kappa=0.5, constraints=given, equivalent_sample_size=1).ldag for given in (fixed, said)
    )
    assert first == second
    assert first.label(*edge) == frozenset()
    assert (
        edge in ldag.learn(HEART, kappa=0.5, constraints=fixed, structure="table", equivalent_sample_size=1).ldag.edges
    )


def test_cross_validation_keeps_fixed_labels() -> None:
    """A label that does not fit the data predicts worse, in every fold's graph; and the answer has it."""
    good, bad = (Constraints(labels={("smoking", "pressure"): [{"protein": protein}]}) for protein in (">3", "<3"))
    means = [
        ldag.cross_validate(HEART, kappas=[0.1], n_folds=3, constraints=given, equivalent_sample_size=1).mean[0.1]
        for given in (good, bad)
    ]
    assert means[0] > means[1]
    fit = ldag.learn(HEART, constraints=bad, kappa="cv", equivalent_sample_size=1)
    assert fit.ldag.label("smoking", "pressure") == {("<3",)}


def test_score_is_that_of_the_graph() -> None:
    """The reported score is the score of the reported graph, and the trace ends there."""
    fit = ldag.learn(HEART, kappa=0.3, method="climb", equivalent_sample_size=1)
    assert fit.score.total == pytest.approx(ldag.score(fit.ldag, HEART, kappa=0.3).total)
    assert fit.trace[-1][1] == pytest.approx(fit.score.total)


@pytest.mark.parametrize("structure", ["table", "tree", "ldag", "partial", "graph"])
def test_searches_never_beat_the_optimum(structure: str) -> None:
    """Chains and climbing find at most what dynamic programming finds, on three and four states too."""
    exact, chain, climb = (
        ldag.learn(TITANIC, kappa=0.2, method=method, structure=structure, rng=2, equivalent_sample_size=1).score.total  # type: ignore[arg-type]
        for method in METHODS
    )
    assert chain <= exact + 1e-7
    assert climb <= exact + 1e-7


def test_kappa_is_chosen_by_cross_validation() -> None:
    """The chosen kappa is the best of the comparison, which is kept."""
    fit = ldag.learn(HEART, rng=5, kappa="cv", equivalent_sample_size=1)
    assert fit.cv is not None
    assert fit.kappa == fit.cv.best_kappa
    assert fit.cv.mean == ldag.cross_validate(HEART, rng=5, equivalent_sample_size=1).mean
    assert "chosen by cross-validation" in str(fit)


def test_an_executor_gives_the_same_cross_validation() -> None:
    """Processes instead of threads."""
    here = ldag.cross_validate(TITANIC, kappas=[0.1, 0.5], n_folds=3, method="climb", equivalent_sample_size=1)
    with ProcessPoolExecutor(2) as executor:
        there = ldag.cross_validate(
            TITANIC, kappas=[0.1, 0.5], n_folds=3, method="climb", executor=executor, equivalent_sample_size=1
        )
    assert here == there


def test_summary_says_what_people_ask() -> None:
    """Edges, labels in words, parameters, and what is promised."""
    shown = str(ldag.learn(HEART, kappa=0.1, method="exact", equivalent_sample_size=1))
    assert "smoking does not matter for pressure when protein is >3" in shown
    assert "12 parameters (14 without labels)" in shown
    assert "better than full tables by: pressure 3.00" in shown
    assert "no allowed graph with any number of parents scores better" in shown


def test_progress_goes_to_a_function() -> None:
    """Reports have steps done and the best score."""
    seen: list[Mapping[str, float]] = []
    ldag.learn(
        HEART, kappa=0.1, method="chain", n_chains=200, n_iter=20_000, progress=seen.append, equivalent_sample_size=1
    )
    assert seen
    assert seen[-1]["done"] <= seen[-1]["total"]


def test_time_limit_returns_the_best_so_far() -> None:
    """A long chain is cut short, without a warning, as that was asked for."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = ldag.learn(
            HEART, kappa=0.1, method="chain", n_chains=10_000, n_iter=100_000, time_limit=0.5, equivalent_sample_size=1
        )
    assert fit.stopped
    assert fit.seconds < 5
    assert "ended by the time limit" in str(fit)


def test_an_exact_search_cut_short_says_how_far_it_came() -> None:
    """With no time at all there is a climb, and none of the families was scored for the search itself."""
    rng = np.random.default_rng(0)
    data = ldag.read({f"v{i:02}": rng.integers(0, 2, 2_000) for i in range(14)})
    fit = ldag.learn(data, kappa=0.1, method="exact", max_parents=6, time_limit=0.05, equivalent_sample_size=1)
    assert fit.stopped
    assert re.search(r"ended by the time limit: .*; [\d,]+ of [\d,]+ families were scored", fit.promise)


def test_start_is_where_a_climb_begins() -> None:
    """From the published optimum, climbing without restarts stays at its score."""
    fit = ldag.learn(
        HEART, kappa=0.1, method="climb", n_restarts=0, start=datasets.graph("heart"), equivalent_sample_size=1
    )
    assert fit.score.total >= -6729.70


def test_tables_need_no_kappa() -> None:
    """They have no labels to pay for: nothing is cross-validated."""
    fit = ldag.learn(HEART, structure="table", kappa="cv", equivalent_sample_size=1)
    assert fit.cv is None
    assert fit.score.log_prior == 0


@pytest.mark.parametrize("structure", ["table", "ldag"])
def test_many_states_are_no_trouble(structure: StructureKind) -> None:
    """Two columns of 60 states beside smaller ones: the dependence is found, the independent column left alone."""
    rng = np.random.default_rng(4)
    many = rng.integers(0, 60, 500)
    data = ldag.read(
        {"many": many, "half": many // 30, "other": rng.integers(0, 60, 500), "three": many % 3}, bins=None
    )
    fit = ldag.learn(data, kappa=0.1, method="climb", structure=structure, equivalent_sample_size=1)
    linked = {frozenset(edge) for edge in fit.ldag.edges}
    assert {frozenset(("many", "half")), frozenset(("many", "three"))} <= linked
    assert not any("other" in edge for edge in linked)


def test_cross_validation_does_not_see_the_order_of_columns() -> None:
    """Folds are cut from rows sorted by the names of the variables."""
    names = HEART.names[::-1]
    first = ldag.cross_validate(HEART, kappas=[0.1, 0.5], method="exact", n_folds=3, rng=5, equivalent_sample_size=1)
    second = ldag.cross_validate(
        HEART.select(names), kappas=[0.1, 0.5], method="exact", n_folds=3, rng=5, equivalent_sample_size=1
    )
    assert first.best_kappa == second.best_kappa
    assert str(first) == str(second)


LABELLED = Constraints(labels={("smoking", "pressure"): [{"protein": ">3"}]})

WRONG: list[tuple[Callable[[], object], str]] = [
    (
        lambda: ldag.learn(HEART, equivalent_sample_size="auto"),  # type: ignore[arg-type]
        "equivalent_sample_size must be a finite number above 0, or 'cv', got 'auto'",
    ),
    (
        lambda: ldag.learn(
            HEART,
            start=ldag.learn(HEART, kappa=0.1, equivalent_sample_size=1),  # type: ignore[arg-type]
            kappa="cv",
            equivalent_sample_size=1,
        ),
        "start must be an LDAG, such as fit.ldag, got Fit",
    ),
    (
        lambda: ldag.learn(HEART, kappa="best", equivalent_sample_size=1),  # type: ignore[arg-type]
        "kappa must be a number above 0 and at most 1, or 'cv', got 'best'",
    ),
    (lambda: ldag.learn(HEART, kappa=0, equivalent_sample_size=1), "kappa must be a number above 0"),
    (
        lambda: ldag.learn(HEART, method="exakt", kappa="cv", equivalent_sample_size=1),  # type: ignore[arg-type]
        "no method 'exakt'; did you mean 'exact'?",
    ),
    (
        lambda: ldag.learn(HEART, method="exact", n_chains=3, kappa="cv", equivalent_sample_size=1),
        "n_chains applies to method 'chain', not to 'exact'",
    ),
    (
        lambda: ldag.learn(HEART, method="chain", n_restarts=3, kappa="cv", equivalent_sample_size=1),
        "n_restarts applies to method 'auto' or 'climb', not to 'chain'",
    ),
    (
        lambda: ldag.learn(HEART, n_iter=3, kappa="cv", equivalent_sample_size=1),
        "n_iter applies to method 'chain', not to 'auto'",
    ),
    (
        lambda: ldag.learn(HEART, method="chain", n_chains=0, kappa="cv", equivalent_sample_size=1),
        "n_chains must be a whole number, 1 or more, got 0",
    ),
    (
        lambda: ldag.learn(HEART, method="exact", start=datasets.graph("heart"), kappa="cv", equivalent_sample_size=1),
        "start applies to method 'auto' or 'chain' or 'climb'",
    ),
    (
        lambda: ldag.learn(HEART, kappa=1, method="climb", start=datasets.graph("guard"), equivalent_sample_size=1),
        "start must be a graph over",
    ),
    (
        lambda: ldag.learn(
            HEART, kappa=1, method="climb", max_parents=1, start=datasets.graph("heart"), equivalent_sample_size=1
        ),
        "start does not satisfy the constraints on the parents of",
    ),
    (
        lambda: ldag.learn(HEART, n_jobs=0, kappa="cv", equivalent_sample_size=1),
        "n_jobs must be a whole number, 1 or more, or -1",
    ),
    (
        lambda: ldag.learn(HEART, time_limit=-1, kappa="cv", equivalent_sample_size=1),
        "time_limit must be a number of seconds above 0, got -1",
    ),
    (
        lambda: ldag.learn(HEART, kappa=1, max_parents=-1, equivalent_sample_size=1),
        "max_parents must be a whole number, 0 or more",
    ),
    (
        lambda: ldag.learn(HEART, kappa=1, constraints={"a": 1}, equivalent_sample_size=1),  # type: ignore[arg-type]
        "constraints must be ldag.Constraints",
    ),
    (
        lambda: ldag.learn(HEART, kappa=1, constraints=LABELLED, structure="table", equivalent_sample_size=1),
        "constraints fix a label of the edge smoking -> pressure, but structure 'table' has no labels; use structure",
    ),
    (
        lambda: ldag.learn(HEART, kappa=1, constraints=LABELLED, structure="tree", equivalent_sample_size=1),
        "constraints on labels apply to structure 'ldag' \\(and edges without labels to 'table'\\), not to 'tree'",
    ),
    (
        lambda: ldag.learn(HEART, kappa=1, progress=3, equivalent_sample_size=1),  # type: ignore[arg-type]
        "progress must be True, False, None or a function",
    ),
    (lambda: ldag.learn(1, kappa=1, equivalent_sample_size=1), "cannot read a int; expected a path"),  # type: ignore[arg-type]
    (
        lambda: ldag.learn(
            ldag.read({f"v{i}": [0, 1] for i in range(60)}), kappa=1, method="exact", equivalent_sample_size=1
        ),
        "an exact search over 60 variables needs .* use method 'climb', whose",
    ),
    (
        lambda: ldag.cross_validate(HEART, prior="uniform", equivalent_sample_size=1),
        "the uniform prior has no kappa, so there is nothing",
    ),
    (
        lambda: ldag.learn(HEART, prior="uniform", kappa=0.3, equivalent_sample_size=1),
        "the uniform prior has no kappa; leave it out or give 1",
    ),
    (
        lambda: ldag.cross_validate(HEART, n_folds=1, equivalent_sample_size=1),
        "n_folds must be a whole number, 2 or more, got 1",
    ),
    (
        lambda: ldag.cross_validate(HEART, n_folds=5000, equivalent_sample_size=1),
        "n_folds must be at most the number of observations, 1,841",
    ),
    (lambda: ldag.cross_validate(HEART, kappas=[], equivalent_sample_size=1), "kappas must be a list of numbers"),
    (lambda: ldag.cross_validate(HEART, kappas=[0.1, 0.1], equivalent_sample_size=1), "each may be given once"),
    (
        lambda: ldag.learn(
            ldag.read({"a": [0, 1], "w": [0.5, 1.5]}, weights="w"), kappa="cv", equivalent_sample_size=1
        ),
        "data with real weights cannot be cut into folds; without cross-validation",
    ),
    (
        lambda: ldag.learn(ldag.read({"a": [0]}), kappa="cv", equivalent_sample_size=1),
        "needs at least two observations, got 1; without cross-validation",
    ),
]


def test_a_tiny_table_is_cut_into_as_many_folds_as_it_has_observations() -> None:
    """Ten are usual, and may be more than there are."""
    fit = ldag.learn(ldag.read({"a": [0, 1, 0, 1], "b": [0, 1, 1, 1]}), kappa="cv", equivalent_sample_size=1)
    assert fit.cv is not None
    assert fit.cv.n_folds == 4


@pytest.mark.parametrize(("attempt", "message"), WRONG, ids=[message[:50] for _, message in WRONG])
def test_wrong_input_gets_one_clear_error(attempt: Callable[[], object], message: str) -> None:
    """Each mistake raises an LdagError whose text names it."""
    with pytest.raises(LdagError) as caught:
        attempt()
    assert re.search(message, str(caught.value)), str(caught.value)


def test_the_uniform_prior_is_learned_without_a_kappa() -> None:
    """The message for a kappa says to leave it out; then there is none, and nothing to cross-validate."""
    fit = ldag.learn(HEART, prior="uniform", max_parents=2, kappa="cv", equivalent_sample_size=1)
    assert fit.cv is None
    assert fit.score.log_prior == 0
    assert fit.ldag == ldag.learn(HEART, prior="labels", kappa=1, max_parents=2, equivalent_sample_size=1).ldag


def test_the_normalised_prior_divides_by_the_sum_over_labels() -> None:
    """The labels of two binary parents weigh 1 + 4 kappa + 4 kappa^2: none, one entry, or one of each parent."""
    plain, shared = (
        ldag.learn(HEART, kappa=0.3, prior=prior, equivalent_sample_size=1) for prior in ("labels", "normalised")
    )
    assert shared.ldag.equivalent_to(plain.ldag)
    numbers = [len(plain.ldag.parents(name)) for name in HEART.names]
    assert max(numbers) == 2
    shared_out = numbers.count(2) * log(1 + 4 * 0.3 + 4 * 0.3**2)
    assert shared.score.total == pytest.approx(plain.score.total - shared_out)
    assert shared.label_gains == pytest.approx(plain.label_gains)


def test_the_normalised_prior_is_compared_where_there_is_one() -> None:
    """Tables have no labels to share the weight with, so that it changes nothing; trees are left out."""
    table = ldag.learn(HEART, structure="table", prior="normalised", kappa="cv", equivalent_sample_size=1)
    assert table.score.total == ldag.learn(HEART, structure="table", kappa="cv", equivalent_sample_size=1).score.total
    compared = ldag.cross_validate(
        HEART, kappas=[0.3, 1.0], structure="cv", prior="normalised", max_parents=2, equivalent_sample_size=1
    )
    assert {candidate.structure for candidate in compared.scores} == {"table", "ldag"}


def test_every_leaf_has_a_sample_size_of_its_own() -> None:
    """The score of a tree is the paper's for a table of its leaves, with the size times their number; kappa is paid."""
    fit = ldag.learn(HEART, structure="tree", prior="leaves", kappa=0.5, equivalent_sample_size=2)
    assert fit.ldag.edges
    expected = fit.ldag.dimension * log(0.5)
    for variable, family, counts in zip(fit.ldag.variables, fit.ldag.structure.families, fit.counts, strict=True):
        leaves = family.partition.add_up(counts)
        rows = {"leaf": np.repeat(np.arange(len(leaves)), leaves.shape[1]), "n": leaves.astype(int).ravel()}
        rows["x"] = np.tile(np.arange(leaves.shape[1]), len(leaves))
        states = {"leaf": list(range(len(leaves))), "x": list(range(variable.n_states))}
        size = 2.0 * len(leaves)
        table = ldag.learn_family(
            ldag.read(rows, counts="n", states=states),
            "x",
            parents=["leaf"],
            structure="table",
            equivalent_sample_size=size,
        )
        expected += table.score
    assert fit.score.total == pytest.approx(expected)
    assert ldag.score(fit.ldag, HEART, kappa=0.5, prior="leaves", equivalent_sample_size=2) == fit.score
    assert (fit.network.equivalent_sample_size, fit.network.spread) == (2, "classes")


def test_one_variable_is_learned() -> None:
    """Nothing to search, nothing to break."""
    fit = ldag.learn(ldag.read({"a": [0, 1, 1, 0, 1]}), kappa=0.5, equivalent_sample_size=1)
    assert fit.ldag == LDAG.from_edges([], states={"a": [0, 1]})
    lines = str(fit).splitlines()
    assert lines[0] == "LDAG learned from 5 observations of 1 variable"
    assert lines[2] == "0 edges, 1 parameter (1 without labels)"


def test_dask_gives_the_same_cross_validation() -> None:
    """Two workers, each a process of its own, behind the executor of a client."""
    distributed = pytest.importorskip("distributed")
    here = ldag.cross_validate(TITANIC, kappas=[0.1, 0.5], n_folds=3, method="climb", equivalent_sample_size=1)
    settings = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**settings) as cluster, distributed.Client(cluster) as client:
        there = ldag.cross_validate(
            TITANIC,
            kappas=[0.1, 0.5],
            n_folds=3,
            method="climb",
            executor=client.get_executor(),
            equivalent_sample_size=1,
        )
    assert here == there


def test_sample_sizes_are_chosen_unless_they_are_given() -> None:
    """Both, on held-out folds, whatever kappa is; with a size for the search, parameters are smoothed by that."""
    fit = ldag.learn(HEART)
    assert (fit.kappa, fit.settings.equivalent_sample_size, fit.settings.smoothing) == (0.1, "cv", "cv")
    assert fit.cv is not None
    assert (fit.equivalent_sample_size, fit.smoothing) == (fit.cv.best.equivalent_sample_size, fit.cv.best.smoothing)
    assert f"(sample size {fit.equivalent_sample_size:g}, kappa 0.1)" in str(fit)
    assert "chosen by cross-validation: equivalent sample size" in str(fit)
    given = ldag.learn(HEART, equivalent_sample_size=3)
    assert given.cv is None
    assert given.smoothing == (3, "configurations")
    same = ldag.learn(HEART, smoothing="search")
    assert same.smoothing == (same.equivalent_sample_size, "configurations")


@pytest.mark.parametrize(
    "data",
    [
        ldag.read({"a": ["x"], "b": ["y"]}, states={"a": ["x", "z"], "b": ["y", "w"]}),
        ldag.read({"a": ["x", "y"], "b": ["u", "v"], "w": [0.5, 1.25]}, weights="w"),
    ],
)
def test_without_folds_sizes_are_the_usual_ones(data: ldag.Dataset) -> None:
    """One observation, or real weights: nothing can be held out, and a note says so; kappa is not chosen then."""
    fit = ldag.learn(data)
    assert (fit.equivalent_sample_size, fit.smoothing.size, fit.cv) == (10, 10, None)
    assert "the sample sizes are the usual 10: these data cannot be cut into folds" in fit.notes[-1]
    assert ldag.learn(data, smoothing=4).smoothing.size == 4
    with pytest.raises(LdagError, match="cross-validation needs"):
        ldag.learn(data, kappa="cv")
