"""Settings chosen on held-out data: what is compared, where the race goes, and what it says."""

import dataclasses
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import lgamma, log10
from typing import Any, NamedTuple

import numpy as np
import pytest

import ldag
from ldag import Constraints, LdagError, Network, datasets
from ldag.learning import race
from ldag.learning.content_order import order_by_content
from ldag.learning.cross_validation import Candidate, CandidateGrid
from ldag.learning.folds import FoldScore, FoldSearches, Task, cut_folds
from ldag.learning.pipeline import learn_with
from ldag.learning.plan import make_plan
from ldag.learning.searches import GraphParents, Search, SearchControl
from ldag.learning.settings import Settings
from ldag.learning.structures import STRUCTURES, ClassKind

HEART = datasets.load("heart")
TABLE, TREE = ClassKind("table", "labels"), ClassKind("tree", "labels")
GRID = CandidateGrid((TABLE, TREE), (0.1, 0.3, 0.5), (1.0, 10.0, 100.0), (None,))


def log_predictive(trained: list[int], new: list[int], size: float) -> float:
    """Return what a Dirichlet prior of that size gives new counts after others, by hand."""
    total = 0.0
    for old, fresh in zip(trained, new, strict=True):
        total += lgamma(size / len(new) + old + fresh) - lgamma(size / len(new) + old)
    return total + lgamma(size + sum(trained)) - lgamma(size + sum(trained) + sum(new))


def test_scores_of_one_variable_are_those_of_a_dirichlet_prior() -> None:
    """Nothing to search: every size, of the search or of the parameters, against a formula."""
    data = ldag.read({"a": ["x", "y", "z"], "n": [14, 13, 13]}, counts="n")
    folds = list(cut_folds(data.sorted(), 10, 0))
    for of_search, of_parameters in (("cv", "search"), ("cv", None), (1.0, "cv"), (1.0, 7.0)):
        compared = ldag.cross_validate(
            data,
            kappas=[0.1],
            equivalent_sample_size=of_search,  # type: ignore[arg-type]
            smoothing=of_parameters,  # type: ignore[arg-type]
        )
        for candidate, scores in compared.scores.items():
            expected = [
                log_predictive([14 - i[0], 13 - i[1], 13 - i[2]], i, candidate.parameters_sample_size)
                for i in (fold.inside.tolist() for fold in folds)
            ]
            assert scores == pytest.approx(expected[: len(scores)])
    uniform = ldag.cross_validate(data, kappas=[0.1], smoothing="search")
    assert uniform.best.equivalent_sample_size == 3000  # the states are equally frequent


def test_everything_is_chosen_together() -> None:
    """The best has all folds, others may have stopped; the fit has the settings of the best."""
    fit = ldag.learn(HEART, structure="cv", equivalent_sample_size="cv", smoothing="cv")
    assert fit.cv is not None
    best = fit.cv.best
    assert len(fit.cv.scores[best]) == fit.cv.n_folds == 10
    assert min(map(len, fit.cv.scores.values())) < len(fit.cv.scores[fit.cv.best]) == 10
    full = [one for one, scores in fit.cv.scores.items() if len(scores) == 10]
    same = [np.mean(fit.cv.scores[one]) for one in full if one.structure == best.structure]
    assert np.mean(fit.cv.scores[best]) == max(same)
    chosen = (fit.structure, fit.kappa, fit.equivalent_sample_size, fit.parameters_sample_size)
    sizes = (best.equivalent_sample_size, best.parameters_sample_size)
    assert chosen == (best.structure, best.kappa, *sizes)
    again = ldag.learn(
        HEART,
        structure=best.structure,
        kappa=best.kappa,
        equivalent_sample_size=best.equivalent_sample_size,
    )
    assert (again.graph, again.score) == (fit.graph, fit.score)
    assert (fit.network.equivalent_sample_size, fit.network.spread) == best.smoothing


def test_the_race_does_not_depend_on_who_runs_it() -> None:
    """One thread, two, or processes; by climbing, where folds start from graphs found before."""
    data = HEART.select(["smoking", "mental", "physical", "pressure"])

    def run(**more: object) -> ldag.CrossValidation:
        return ldag.cross_validate(data, structure="cv", equivalent_sample_size="cv", method="climb", **more)  # type: ignore[arg-type]

    one = run(n_jobs=1)
    assert one == run(n_jobs=2)
    with ProcessPoolExecutor(2) as executor:
        assert one == run(executor=executor)


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_the_last_search_is_no_worse_than_without_the_choice(seed: int) -> None:
    """It starts from a graph of a fold, or from nothing where that ends higher."""
    network = ldag.simulate.random_network(ldag.simulate.random_ldag(12, rng=seed), rng=seed)
    search = partial(ldag.learn, network.sample(300, rng=seed), structure="table", method="climb", n_restarts=0)
    chosen = search(equivalent_sample_size="cv")
    plain = search(equivalent_sample_size=chosen.equivalent_sample_size)
    assert chosen.score.total >= plain.score.total - 1e-6


def test_kappas_alone_are_all_compared_on_all_folds() -> None:
    """As in the paper: no kappa stops early, so means are not biased."""
    assert set(map(len, ldag.cross_validate(HEART, rng=3, equivalent_sample_size=1).scores.values())) == {10}


def test_parameters_are_smoothed_apart_from_the_search() -> None:
    """The graph stays, and the network is that of the graph under the other size."""
    plain = ldag.learn(HEART, kappa=0.1, equivalent_sample_size=1)
    smooth = ldag.learn(HEART, kappa=0.1, smoothing=50, equivalent_sample_size=1)
    assert (smooth.graph, smooth.score) == (plain.graph, plain.score)
    expected = Network.from_data(plain.graph, HEART, equivalent_sample_size=50)
    assert smooth.network.log_likelihood(HEART) == pytest.approx(expected.log_likelihood(HEART))
    assert smooth.network.log_likelihood(HEART) < plain.network.log_likelihood(HEART)
    by_class = ldag.learn(HEART, kappa=0.1, smoothing=(5, "classes"), equivalent_sample_size=1)
    assert by_class.network == Network.from_data(plain.graph, HEART, equivalent_sample_size=5, spread="classes")
    assert ldag.average(by_class, 2).members[0].spread == "classes"


def test_a_classifier_is_judged_by_its_target() -> None:
    """The log probability of the target given the other variables, as the network of a fold gives it row by row."""
    rows = HEART.select(["smoking", "protein", "pressure", "mental"])
    settings = Settings(kappa=0.3, smoothing="search", method="exact")
    cv = learn_with(rows, settings, target="pressure").cv
    assert cv is not None
    fold = next(cut_folds(order_by_content(rows), 10, 0))
    for candidate, scores in cv.scores.items():
        own: dict[str, Any] = {"kappa": candidate.kappa, "structure": candidate.structure}
        own |= {"equivalent_sample_size": candidate.equivalent_sample_size, "method": "exact"}
        net = ldag.learn(fold.train, **own).network
        shares = net.predict_proba(fold.test, "pressure")
        logs = np.log(shares[np.arange(fold.test.n_rows), fold.test.codes[fold.test.names.index("pressure")]])
        assert scores[0] == pytest.approx(logs @ fold.test.whole_weights)


def test_both_spreads_of_the_parameters_are_compared() -> None:
    """Unless one is asked for; what was chosen is printed."""
    compared = ldag.cross_validate(HEART, kappas=[0.1], smoothing="cv", equivalent_sample_size=1)
    assert {one.parameters_spread for one in compared.scores} == {"configurations", "classes"}
    assert "spread over" in str(compared)
    plain = compared.to_dict()
    assert ldag.CrossValidation.from_dict(plain).to_dict() == plain
    fit = ldag.learn(HEART, kappa=0.1, smoothing=("cv", "classes"), equivalent_sample_size=1)
    assert fit.parameters_spread == "classes"
    assert f"smoothing {fit.smoothing.size:g} for each class" in str(fit)


def test_steps_through_the_grid() -> None:
    """Neighbours differ in one setting; tables have no kappa; a new structure begins where the last was best."""
    assert len(list(GRID)) == 3 + 9
    assert GRID.first(TABLE, None) == Candidate(1.0, 10.0, "table")
    assert GRID.first(TREE, Candidate(1.0, 100.0, "table")) == Candidate(0.3, 100.0, "tree")
    assert GRID.neighbours(Candidate(1.0, 10.0, "table")) == [
        Candidate(1.0, 1.0, "table"),
        Candidate(1.0, 100.0, "table"),
    ]
    assert GRID.neighbours(Candidate(0.1, 1.0, "tree")) == [
        Candidate(0.3, 1.0, "tree"),
        Candidate(0.1, 10.0, "tree"),
    ]


def test_structures_that_cannot_satisfy_constraints_are_not_compared() -> None:
    """Labels that are given exist in labelled structures only, so there are no tables to compare with either."""
    data = HEART.select(["smoking", "protein", "pressure"])
    label = {("smoking", "pressure"): [{"protein": ">3"}]}
    fit = ldag.learn(data, structure="cv", kappa=0.1, constraints=Constraints(labels=label), equivalent_sample_size=1)
    assert fit.structure == "ldag"
    assert fit.held_out_gain is None


def test_the_summary_tells_of_held_out_data() -> None:
    """The gain over plain tables by observation, what was chosen, and a warning of too many parameters."""
    fit = ldag.learn(HEART, equivalent_sample_size="cv", kappa=0.1)
    assert fit.cv is not None
    assert fit.held_out_gain is not None
    gain = np.mean(fit.cv.scores[fit.cv.best]) - np.mean(fit.cv.tables)
    assert fit.held_out_gain[0] == pytest.approx(gain / 184.1)
    assert "chosen by cross-validation: equivalent sample size" in str(fit)
    assert "on held-out data" in str(fit)
    assert "warning" not in str(fit)
    rows = ldag.read({"a": [0, 1] * 4, "b": [0, 1] * 4, "c": [0, 1] * 4})
    warned = str(ldag.learn(rows, kappa=0.1, equivalent_sample_size=1))
    assert ": more parameters than a third of the 8 observations, which can hardly carry them; " in warned
    assert "try fewer parents, or choose structure and equivalent sample size by cross-validation\n" in warned


def test_advice_is_about_what_was_not_done() -> None:
    """Without edges it is the states that are many; what was chosen by cross-validation need not be chosen."""
    alike = {name: [0, 1] * 4 for name in "abc"}
    apart = {"a": ["u", "v", "w", "x"] * 2, "b": [*"nnnnyyyy"]}
    assert "; cut or group the states of variables that have many\n" in str(ldag.learn(apart, equivalent_sample_size=1))
    chosen = str(ldag.learn(alike, structure="cv", kappa="cv", equivalent_sample_size=1))
    assert "try fewer parents, or choose equivalent sample size by cross-validation\n" in chosen


def test_no_gain_is_told_as_such() -> None:
    """Where no fold has labels, there are no numbers to give; of three columns that are coins, none has."""
    rows = {name: np.random.default_rng(place).integers(0, 2, 60) for place, name in enumerate("abc")}
    fit = ldag.learn(rows, kappa="cv", equivalent_sample_size=1)
    assert fit.held_out_gain == (0.0, 0.0)
    assert "on held-out data no different from plain tables\n" in str(fit)
    assert "0.0000" not in str(fit)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"structure": "cvv"}, "structure"),
        ({"equivalent_sample_size": "cvv"}, "equivalent_sample_size must be a finite number above 0"),
        ({"parameters_spread": "classes"}, "parameters_spread says how the observations of parameters_sample_size"),
        ({"smoothing": 0}, "smoothing must be a finite number above 0, got 0"),
        ({"smoothing": "classes"}, r"smoothing must be a number above 0, .*, or one of .* such as \(4, 'classes'\)"),
        ({"smoothing": (3, "leaves")}, "no spread in smoothing 'leaves'; did you mean 'classes'"),
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, object], message: str) -> None:
    """Before any search."""
    with pytest.raises(LdagError, match=message):
        ldag.learn(HEART, kappa=0.1, **settings)  # type: ignore[arg-type]


def test_the_prior_is_chosen_too() -> None:
    """Labels are compared with both priors, trees with a price per leaf; the fit says which it was."""
    compared = ldag.cross_validate(
        HEART, kappas=[0.1, 0.5], structure="cv", prior="cv", max_parents=2, equivalent_sample_size=1
    )
    kinds = {(candidate.structure, candidate.prior) for candidate in compared.scores}
    assert {("table", "labels"), ("tree", "leaves"), ("ldag", "labels"), ("ldag", "normalised")} <= kinds
    assert "normalised" in str(compared)
    fit = ldag.learn(HEART, kappa=0.5, prior="cv", max_parents=2, equivalent_sample_size=1)
    assert fit.cv is not None
    assert fit.prior == fit.cv.best.prior == fit.to_dict()["prior"]
    assert f"chosen by cross-validation: prior {fit.prior}" in str(fit)
    assert fit.score.total == pytest.approx(ldag.score(fit.ldag, HEART, kappa=0.5, prior=fit.prior).total)


def test_of_large_data_a_few_folds_are_enough() -> None:
    """20,000 observations: two folds to walk on and two more, of which the best candidate has all."""
    counts = np.random.default_rng(3).multinomial(20_000, np.arange(1, 13) / 78)
    cells = [(a, b, c) for a in range(2) for b in range(2) for c in range(3)]
    data = ldag.read({**{name: [cell[i] for cell in cells] for i, name in enumerate("abc")}, "n": counts}, counts="n")
    compared = ldag.cross_validate(data, equivalent_sample_size="cv", structure="cv", method="climb")
    lengths = {candidate: len(scores) for candidate, scores in compared.scores.items()}
    assert lengths[compared.best] == max(lengths.values()) == 4
    assert min(lengths.values()) <= 2
    assert compared.to_dict()["left_out"] == []


def test_structures_with_too_large_families_are_left_out_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """An estimate that does not depend on the machine."""
    monkeypatch.setattr("ldag.learning.race.MOST_SECONDS", 1e-9)
    compared = ldag.cross_validate(HEART, kappas=[0.3], structure="cv", equivalent_sample_size=1)
    assert compared.left_out == ("tree", "ldag", "graph")
    assert compared.best.structure == "table"
    assert "left out, as the families of the best graph are too large: tree, ldag, graph" in str(compared)


@pytest.mark.parametrize(
    ("n_folds", "n_observations", "expected"),
    [(10, 100, 5), (10, 6_000, 5), (10, 7_501, 4), (10, 10_001, 3), (10, 15_001, 2), (20, 100, 10), (3, 100, 2)],
)
def test_first_folds_have_3000_observations(n_folds: int, n_observations: int, expected: int) -> None:
    """If half of all folds do; two at least, so that there is a mean."""
    assert race.count_first_folds(n_folds, n_observations) == expected


Score = Callable[[Candidate], float]
Graph = Callable[[Candidate], GraphParents | None]


class Asked(NamedTuple):
    """How a fold was searched."""

    search: Search
    left: float | None
    task: Task


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Asked]]:
    """Replace searches on folds by a formula, and tell how they were asked for."""

    def install(score: Score, parents: Graph = lambda _: None) -> list[Asked]:
        asked: list[Asked] = []

        def run(self: FoldSearches, task: Task, control: SearchControl) -> FoldScore:
            asked.append(Asked(self.search, control.deadline.left, task))
            return FoldScore(
                (score(task.candidate),) * len(self.smoothings), parents(task.candidate), is_final=True, score=0.0
            )

        monkeypatch.setattr(FoldSearches, "run", run)
        monkeypatch.setattr(race.Race, "_is_decided", lambda *_: False)
        return asked

    return install


def test_a_walk_and_a_halving(fake: Callable[..., object]) -> None:
    """From the middle upwards to the best of eight sizes; of six, four go on for three folds and two to the end."""
    fake(lambda one: np.log(one.equivalent_sample_size))
    compared = ldag.cross_validate(HEART, structure="table", method="climb", n_jobs=1)
    lengths = {one.equivalent_sample_size: len(scores) for one, scores in compared.scores.items()}
    assert lengths == {10: 5, 30: 5, 100: 8, 300: 8, 1000: 10, 3000: 10}
    assert compared.best.equivalent_sample_size == 3000


@pytest.mark.parametrize(("behind", "has_stopped"), [(0.0025, False), (0.0035, True)])
def test_of_large_data_who_is_behind_on_one_fold_stops(
    behind: float, has_stopped: bool, fake: Callable[..., object]
) -> None:
    """By more than three thousandths of the score; and so does a structure that begins like that."""
    scores = {1.0: -1000.0, 0.1: -1000 * (1 + behind), 0.3: -2000.0, 0.001: -2000.0, 0.5: -2000.0}
    fake(lambda one: scores[one.kappa])
    data = ldag.read({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "n": [2_000] * 4}, counts="n")
    compared = ldag.cross_validate(data, structure="cv", method="climb", n_jobs=1, equivalent_sample_size=1)
    lengths = {(one.structure, one.kappa): len(folds) for one, folds in compared.scores.items()}
    assert lengths["table", 1.0] == 8
    assert (lengths["graph", 0.1] == 1) == has_stopped
    assert ("graph", 0.3) not in lengths if has_stopped else lengths["graph", 0.3] == 1


def test_the_best_tables_stay_in_the_race(fake: Callable[..., object]) -> None:
    """However far behind they are: whoever is better must be better than they are on the same folds."""
    fake(lambda one: (one.structure != "table" and one.levels is None) * (5 + one.kappa))
    compared = ldag.cross_validate(HEART, structure="cv", method="climb", n_jobs=1, equivalent_sample_size=1)
    lengths = {one.structure: len(scores) for one, scores in compared.scores.items() if one.kappa in (0.5, 1.0)}
    assert lengths["table"] == len(compared.scores[compared.best]) == 10
    assert (compared.best.structure, compared.best.kappa) == ("tree", 0.5)


def test_others_start_from_the_graphs_of_tables(fake: Callable[..., list[Asked]]) -> None:
    """Each structure, as those of trees may have more parents than others bear; steps start from the step before."""
    graphs = {one: ((place,), *((),) * 5) for place, one in enumerate(STRUCTURES)}
    asked = fake(lambda one: one.kappa, lambda one: graphs[one.structure])
    ldag.cross_validate(HEART, structure="cv", method="climb", n_jobs=1, equivalent_sample_size=1)
    firsts = {task.candidate.structure: task for *_, task in reversed(asked) if task.candidate.kappa in (0.1, 1.0)}
    assert {one: task.start for one, task in firsts.items()} == {
        one: None if one == "table" else graphs["table"] for one in ("table", "tree", "ldag", "graph")
    }
    last = [task for *_, task in asked if task.candidate.structure == "graph" and task.candidate.kappa == 0.5]
    assert {task.start for task in last if task.fold < 5} == {graphs["graph"]}


def test_on_new_folds_the_tables_of_the_race_come_first(fake: Callable[..., list[Asked]]) -> None:
    """Those that were best, at a size of 10, and no others with the size of whoever leads."""

    def score(one: Candidate) -> float:
        is_table = one.structure == "table"
        return 5.0 * (not is_table) - abs(log10(one.equivalent_sample_size) - (1 if is_table else 2))

    asked = fake(score)
    ldag.cross_validate(HEART, kappas=[0.1], structure="cv", equivalent_sample_size="cv", method="climb", n_jobs=1)
    first = next(task.candidate for *_, task in asked if task.fold == 5)
    assert (first.structure, first.equivalent_sample_size) == ("table", 10.0)


def test_prices_of_leaves_are_compared_with_the_best_tables(fake: Callable[..., list[Asked]]) -> None:
    """Those at a size of 10, though the best trees have 1: that is the size of a leaf, and tables have none."""

    def score(one: Candidate) -> float:
        bonus = 5.0 * (one.prior == "leaves")
        return bonus - abs(log10(one.equivalent_sample_size) - (one.structure == "table"))

    fake(score)
    compared = ldag.cross_validate(
        HEART, kappas=[0.1], structure="cv", prior="cv", equivalent_sample_size="cv", method="climb", n_jobs=1
    )
    assert (compared.best.prior, compared.best.equivalent_sample_size) == ("leaves", 1.0)
    assert compared.tables == (0.0,) * 10


@pytest.mark.parametrize(("n_parents", "left_out"), [((10, 10, 10), ()), ((11,), ("graph",))])
def test_structures_may_take_twenty_seconds(
    n_parents: tuple[int, ...], left_out: tuple[str, ...], fake: Callable[..., object]
) -> None:
    """By hand, of decision graphs: 14 nodes, a tenth of a microsecond for the square of 2 to the parents plus one."""
    seconds = sum(14 * 1e-7 * 4.0 ** (n + 1) for n in n_parents)
    assert 17 < seconds < 20 if not left_out else 20 < seconds < 24
    parents = tuple(tuple(range(n)) for n in n_parents) + ((),) * (14 - len(n_parents))
    fake(lambda _: -1.0, lambda _: parents)
    data = ldag.read({f"v{i:02}": np.random.default_rng(i).integers(0, 2, 60) for i in range(14)})
    compared = ldag.cross_validate(data, kappas=[0.3], structure="cv", method="climb", equivalent_sample_size=1)
    assert compared.left_out == left_out


def test_a_limited_time_is_shared(fake: Callable[..., list[Asked]]) -> None:
    """Of 100 seconds, 80 are for the race, and a fifth of what is left for a step: 16 for five folds on one thread.

    Where all kappas are searched, tables come first on all ten folds, with the share of one of four.
    """
    asked = fake(lambda _: -1.0)
    options = {"method": "climb", "n_jobs": 1, "time_limit": 100}
    ldag.cross_validate(HEART, structure="table", **options)  # type: ignore[arg-type]
    assert asked[0].left == pytest.approx(16 / 5, rel=0.05)
    asked.clear()
    ldag.cross_validate(HEART, equivalent_sample_size=1, **options)  # type: ignore[arg-type]
    assert asked[0].left == pytest.approx(20 / 10, rel=0.05)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"equivalent_sample_size": 1}, 10),
        ({"equivalent_sample_size": 1, "n_restarts": 3}, 3),
        ({"n_restarts": 3}, 0),
    ],
)
def test_climbs_on_folds_are_short(options: dict[str, Any], expected: int, fake: Callable[..., list[Asked]]) -> None:
    """Ten restarts even out where they end by chance; a race has none."""
    asked = fake(lambda _: -1.0)
    ldag.cross_validate(HEART, kappas=[0.1], method="climb", n_jobs=1, **options)
    assert {getattr(search, "n_restarts", None) for search, *_ in asked} == {expected}


@pytest.mark.parametrize(("n_variables", "name"), [(8, "exact"), (9, "climb")])
def test_folds_are_climbed_unless_all_graphs_take_a_moment(n_variables: int, name: str) -> None:
    """Binary columns of 500 rows: about 0.02 s for eight, and 0.07 s for nine; whoever asks for exact gets it."""
    data = ldag.read({f"v{i:02}": np.random.default_rng(i).integers(0, 2, 500) for i in range(n_variables)})
    plan = make_plan(data, Settings(kappa=0.1))
    assert (plan.search.name, plan.for_folds().search.name) == ("exact", name)
    assert make_plan(data, Settings(kappa=0.1, method="exact")).for_folds().search.name == "exact"


def test_what_is_over_in_a_moment_needs_no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty searches of three variables, but not those of eight."""
    monkeypatch.setattr("ldag.learning.folds.ThreadPoolExecutor", None)
    ldag.cross_validate(HEART.select(["smoking", "mental", "physical"]), equivalent_sample_size=1)
    data = ldag.read({f"v{i:02}": np.random.default_rng(i).integers(0, 2, 500) for i in range(8)})
    with pytest.raises(TypeError):
        ldag.cross_validate(data, equivalent_sample_size=1)


def test_kappas_of_larger_data_are_raced() -> None:
    """By `learn`, which then searches as with that kappa alone; `cross_validate` compares all on every fold."""
    data = ldag.simulate.random_network(ldag.simulate.random_ldag(9, rng=1), rng=1).sample(400, rng=1)
    fit = ldag.learn(data, method="climb", n_restarts=0, kappa="cv", equivalent_sample_size=1)
    assert fit.cv is not None
    assert min(map(len, fit.cv.scores.values())) < 10
    assert "behind the best" in str(fit.cv)
    assert fit.ldag == ldag.learn(data, kappa=fit.kappa, method="climb", n_restarts=0, equivalent_sample_size=1).ldag
    compared = ldag.cross_validate(data, method="climb", n_restarts=0, equivalent_sample_size=1)
    assert set(map(len, compared.scores.values())) == {10}


def test_rows_of_the_same_things_are_warned_of() -> None:
    """Every row twice but for a last column: settings that recognise rows look good on folds."""
    rng = np.random.default_rng(0)
    codes = np.repeat(rng.integers(0, 3, (6, 60)), 2, axis=1)
    twins = ldag.read({f"v{place}": column for place, column in enumerate(codes)} | {"visit": [1, 2] * 60})
    fit = ldag.learn(twins, kappa=0.5, method="climb", equivalent_sample_size="cv")
    assert fit.ldag.dimension > 120 / 3
    assert "cross-validation takes rows as independent" in str(fit)


def test_folds_that_the_time_limit_left_are_told() -> None:
    """And nothing is said of a time limit where none was given, though the race ends early on large data."""
    data = ldag.simulate.random_network(ldag.simulate.random_ldag(8, rng=1), rng=1).sample(14_000, rng=1)
    fit = ldag.learn(data, equivalent_sample_size="cv", kappa=0.1, method="climb", n_restarts=0)
    assert fit.cv is not None
    assert "within the time limit" not in str(fit)
    note = "3 of 10 folds are left out: searches on them did not come to their end within the time limit"
    few = dataclasses.replace(fit.cv, notes=(note,))
    assert str(few).endswith(f"\nnote: {note}")
    assert ldag.CrossValidation.from_dict(few.to_dict()) == few


def test_searches_that_were_cut_off_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fold on which one of them was cut off is left out for all, and the result says so."""
    run = FoldSearches.run

    def cut(self: FoldSearches, task: Task, control: SearchControl) -> FoldScore:
        result = run(self, task, control)
        is_cut = task.fold == 3 and task.candidate.kappa == 0.3
        return result._replace(log_predictives=(-1e6,), is_final=False) if is_cut else result

    whole = ldag.cross_validate(HEART, rng=3, time_limit=1000, equivalent_sample_size=1)
    monkeypatch.setattr(FoldSearches, "run", cut)
    compared = ldag.cross_validate(HEART, rng=3, time_limit=1000, equivalent_sample_size=1)
    assert compared.scores == {one: (*s[:3], *s[4:]) for one, s in whole.scores.items()}
    assert compared.tables == (*whole.tables[:3], *whole.tables[4:])
    assert compared.notes == (
        "1 of 10 folds are left out: searches on them did not come to their end within the time limit",
    )
    assert whole.notes == ()


def test_too_little_time_for_any_fold_is_told() -> None:
    """What was found is compared all the same, as something must be chosen; nothing is said of held-out data."""
    data = ldag.simulate.random_network(ldag.simulate.random_ldag(15, rng=1), rng=1).sample(3000, rng=1)
    fit = ldag.learn(data, method="exact", time_limit=0.02, n_jobs=1, kappa="cv", equivalent_sample_size=1)
    assert any(note.startswith("cross-validation: too little time") for note in fit.notes)
    assert "note: cross-validation: too little time" in str(fit)
    assert fit.held_out_gain is None
    assert "held-out" not in str(fit)
