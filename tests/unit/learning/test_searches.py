"""Searches by node numbers: the contract that all keep, and what is chosen unless the user says otherwise."""

from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
import pytest

import ldag
from ldag import _native, datasets
from ldag.constraints import SearchSpace
from ldag.data import Columns
from ldag.errors import ArgumentError, TooLarge
from ldag.learning import METHODS, STRUCTURES, LabelSearch, MethodChoice, StructureKind, learn_families
from ldag.learning.plan import make_plan
from ldag.learning.searches import Search, SearchControl, SearchProblem
from ldag.learning.searches.climb import Climb
from ldag.learning.searches.exact import Exact
from ldag.learning.settings import Settings
from ldag.learning.structures import FamilyOptions
from ldag.model import Partition
from ldag.progress import Deadline
from ldag.scoring import Priors

HEART = datasets.load("heart")


def problem(n: int, space: SearchSpace, labels: LabelSearch = "greedy") -> SearchProblem:
    """A problem over n variables of two states."""
    return SearchProblem(space, FamilyOptions(Priors(0.1, 1.0, "labels"), "ldag", labels), (2,) * n, 1000)


def empty_space(n: int) -> SearchSpace:
    """No candidates for any of n nodes."""
    return SearchSpace(((),) * n, ((),) * n, (0,) * n, ((),) * n)


def test_the_tables_have_what_users_can_choose() -> None:
    """Every method and every structure that the types allow, and no other."""
    assert tuple(METHODS) == get_args(MethodChoice)
    assert tuple(STRUCTURES) == get_args(StructureKind) == tuple(_native.STRUCTURES)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_keeps_the_contract(method: MethodChoice) -> None:
    """It has a name, finds the optimum of a small problem, says what it promises, and stops when its time is over."""
    plan = make_plan(HEART, Settings(kappa=0.1, method=method, equivalent_sample_size=1.0))
    scorer = plan.problem.families.scorer(plan.data.columns)
    result = plan.search.run(scorer, plan.problem, SearchControl(2))
    assert plan.search.name in METHODS
    optimum = -6729.69  # with labels; growth finds no better than a greedy search with trees, paid for by parameters
    if not plan.search.grows:
        assert result.score == pytest.approx(optimum, abs=0.005)
    assert not result.stopped
    assert "better" in plan.search.promise(plan.problem, result)
    none = plan.search.run(scorer, plan.problem, SearchControl(1, Deadline.after(0.0)))
    assert len(none.parents) == 6
    assert none.score <= result.score


@pytest.mark.parametrize("method", METHODS)
def test_options_of_other_methods_are_refused(method: MethodChoice) -> None:
    """Each method takes the options it declares, and the error names the methods that take an option."""
    given = {"n_chains": 2, "n_iter": 3, "n_restarts": 4, "start": datasets.graph("heart")}
    for name, value in given.items():
        if name in METHODS[method].option_names():
            assert Settings.of(method=method, **{name: value}).method_option(name) == value
        else:
            with pytest.raises(ArgumentError, match=f"{name} applies to method '.*', not to '{method}'"):
                Settings.of(method=method, **{name: value})


@pytest.mark.parametrize(
    ("n", "expected", "tables"),
    [(3, 400, 400), (20, 400, 2000), (21, 420, 2100), (223, 4460, 5000), (3000, 9_000, 9_000)],
)
def test_larger_graphs_are_restarted_more_often(n: int, expected: int, tables: int) -> None:
    """Twenty times per variable (three of many) and at least 400 times, more for tables, unless told otherwise."""
    given = problem(n, empty_space(n))
    plain = replace(given, families=replace(given.families, structure="table"))
    climb = Climb()
    assert METHODS["climb"]().prepare(given) == climb
    assert climb.count_restarts(given, SearchControl()) == expected
    assert climb.count_restarts(plain, SearchControl()) == tables
    assert Climb(7).count_restarts(given, SearchControl(1, Deadline.after(9.0), uses_all_time=True)) == 7


def test_a_time_limit_alone_is_used() -> None:
    """Restarts go on until it is over where the time is for one search, and not where others wait for theirs."""
    given = problem(3, empty_space(3))
    limited = SearchControl(1, Deadline.after(9.0))
    assert Climb().count_restarts(given, limited) == 400
    assert Climb().count_restarts(given, replace(limited, uses_all_time=True)) > 10**9
    fit = ldag.learn(HEART, kappa=0.1, method="climb", time_limit=0.3, equivalent_sample_size=1)
    assert fit.stopped
    assert fit.seconds >= 0.3


def test_few_candidates_cost_nothing_on_small_data() -> None:
    """They are selected given the parents found so far, so that three of five lead to the best graph as well."""
    fit = ldag.learn(HEART, kappa=0.1, method="climb", max_candidates=3, equivalent_sample_size=1)
    assert fit.score.total == pytest.approx(-6729.69, abs=0.005)
    with pytest.raises(ArgumentError, match="max_candidates must be a whole number, 1 or more, got 0"):
        ldag.learn(HEART, kappa=0.1, method="climb", max_candidates=0, equivalent_sample_size=1)


@pytest.mark.parametrize(
    ("n", "max_parents", "labels", "expected"),
    [
        (6, 5, "exact", "exact"),
        (16, 4, "greedy", "exact"),
        (16, 15, "greedy", "exact"),
        (18, 17, "greedy", "climb"),
        (16, 15, "refined", "climb"),
        (27, 1, "greedy", "exact"),  # 0.9 GB
        (28, 1, "greedy", "climb"),  # 1.8 GB
        (60, 2, "greedy", "climb"),
    ],
)
def test_auto_is_exact_where_that_is_affordable(n: int, max_parents: int, labels: LabelSearch, expected: str) -> None:
    """By the sizes of the problem alone, so that it is the same every time."""
    others = tuple(tuple(i for i in range(n) if i != j) for j in range(n))
    space = SearchSpace(others, ((),) * n, (max_parents,) * n, ((),) * n)
    assert METHODS["auto"]().prepare(problem(n, space, labels)).name == expected


@pytest.mark.parametrize(("n_rows", "expected"), [(1_000, "exact"), (100_000, "climb")])
def test_auto_counts_configurations_that_rows_visit(n_rows: int, expected: str) -> None:
    """Nine variables of four states: labels of 65,536 configurations are quick if few of them occur."""
    others = tuple(tuple(i for i in range(9) if i != j) for j in range(9))
    given = problem(9, SearchSpace(others, ((),) * 9, (8,) * 9, ((),) * 9))
    families = replace(given.families, priors=Priors(0.5, 1.0, "labels"))
    large = replace(given, n_rows=n_rows, n_states=(4,) * 9, families=families)
    assert METHODS["auto"]().prepare(large).name == expected


@pytest.mark.parametrize(
    ("kappa", "n_rows", "expected"),
    [
        (0.001, 1_000, "exact"),
        (0.1, 1_000, "exact"),
        ("cv", 1_000, "exact"),
        (0.1, 10_000, "exact"),
        (0.5, 10_000, "climb"),
    ],
)
def test_auto_knows_what_bounds_save(kappa: Any, n_rows: int, expected: str) -> None:
    """Eleven columns of two to five states: all classes would take from 40 s on, and a proof takes a few."""
    rng = np.random.default_rng(2)
    columns = {f"v{i:02}": rng.integers(0, 2 + i % 4, n_rows) for i in range(11)}
    plan = make_plan(ldag.read(columns), Settings(kappa=kappa))
    assert Exact().estimate_seconds(plan.problem) > 20
    assert plan.search.name == expected
    assert plan.for_many().search.name == "climb"
    assert make_plan(ldag.read(columns), Settings(kappa=0.1, method="exact")).for_many().search.name == "exact"


@pytest.mark.parametrize(("n", "n_rows", "expected"), [(20, 2_000, "exact"), (20, 100_000, "climb"), (21, 10, "climb")])
def test_auto_knows_that_tables_share_scores(n: int, n_rows: int, expected: str) -> None:
    """Without a limit on parents, up to twenty variables, if rows are not too many."""
    others = tuple(tuple(i for i in range(n) if i != j) for j in range(n))
    given = problem(n, SearchSpace(others, ((),) * n, (n - 1,) * n, ((),) * n))
    given = replace(given, n_rows=n_rows, families=replace(given.families, structure="table"))
    assert METHODS["auto"]().prepare(given).name == expected


def test_thirty_variables_are_taken_and_more_are_refused_by_size() -> None:
    """Layers of all sets of thirty variables fit into 8 GB; the message says what more would take."""

    def prepare(n: int) -> Search:
        others = tuple(tuple(i for i in range(n) if i != j) for j in range(n))
        return METHODS["exact"]().prepare(problem(n, SearchSpace(others, ((),) * n, (3,) * n, ((),) * n)))

    assert prepare(30).name == "exact"
    with pytest.raises(TooLarge, match=r"over 31 variables needs 1\d\.\d GB .* at most 40 variables and 8 GB"):
        prepare(31)


def test_auto_passes_restarts_and_start_on() -> None:
    """To the climb where it climbs; where it is exact there is nothing to restart."""
    rng = np.random.default_rng(0)
    data = ldag.read({f"v{i:02}": rng.integers(0, 2, 50) for i in range(45)})
    start = ldag.LDAG.from_edges([("v00", "v01")], states={v.name: v.states for v in data.variables})
    plan = make_plan(data, Settings.of(kappa=0.1, n_restarts=3, start=start))
    assert plan.search == Climb(3, start)
    assert plan.problem.start == ((), (0,), *[()] * 43)
    assert (
        ldag.learn(HEART, kappa=0.1, n_restarts=10, start=datasets.graph("heart"), equivalent_sample_size=1).method
        == "exact"
    )


def test_tables_have_no_labels() -> None:
    """A graph of tables gets singletons without a search."""
    columns = Columns(np.array([[0, 1, 2], [0, 1, 0]], dtype=np.uint8), [3, 2], None)
    options = FamilyOptions(Priors(0.1, 1.0, "labels"), "table", "greedy")
    found = learn_families(columns, (3, 2), ((), (0,)), options)[1]
    assert found.family.partition == Partition.of(found.family.partition.grid, [0, 1, 2])
    assert not any(mask.any() for mask in found.family.labels)
    assert found.counts.tolist() == [[1, 0], [0, 1], [1, 0]]


@pytest.mark.parametrize("method", METHODS)
def test_many_observations_are_no_trouble(method: MethodChoice) -> None:
    """Gains of tens of millions, which differ by more than what counts as a tie."""
    data = ldag.read({"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "n": [4 * 10**8, 10**8, 10**8, 4 * 10**8]}, counts="n")
    assert len(ldag.learn(data, kappa=0.1, method=method, equivalent_sample_size=1).graph.edges) == 1


@pytest.mark.parametrize(
    ("options", "expected"),
    [({}, "exact"), ({"structure": "graph"}, "climb"), ({"label_search": "refined"}, "climb")],
)
def test_auto_counts_configurations_that_no_row_visits_where_they_cost(options: dict[str, Any], expected: str) -> None:
    """Eleven variables of four states in 24 rows: decision graphs took half a second for one family of 7 parents."""
    rows = {f"v{i:02}": [(i * j + j // 3) % 4 for j in range(24)] for i in range(11)}
    assert make_plan(ldag.read(rows), Settings(kappa=0.3, **options)).search.name == expected


def test_a_node_is_full_where_only_the_size_of_its_table_is_in_the_way() -> None:
    """65,536 cells are allowed: of five variables with 16 states, three parents; no more, though there is a fourth."""
    assert _native.MAX_CELLS == 16**4
    others = tuple(tuple(v for v in range(5) if v != node) for node in range(5))
    free = SearchSpace(others, ((),) * 5, (4, 4, 3, 4, 4), ((),) * 5)
    large = replace(problem(5, free), n_states=(16,) * 5)
    assert large.is_full(0, (1, 2, 3))
    assert not large.is_full(0, (1, 2))  # a third one fits
    assert not large.is_full(0, (1, 2, 3, 4))  # there is no further one
    assert not large.is_full(2, (0, 1, 3))  # that many were allowed
    assert not replace(large, n_states=(16, 16, 16, 16, 1)).is_full(0, (1, 2, 3))  # the smallest that is left fits
    (told,) = Climb().describe_limits(large, "abcde", ((1, 2, 3), (), (0, 1, 3), (), ()))
    assert told == "a could get no further parent: the table would have more than 65,536 cells"
    assert not list(Climb().describe_limits(large, "abcde", ((),) * 5))


def test_the_largest_family_has_the_largest_parents() -> None:
    """As many as are allowed."""
    space = SearchSpace(((1, 2, 3), (), (), ()), ((),) * 4, (2, 0, 0, 0), ((),) * 4)
    assert replace(problem(4, space), n_states=(2, 3, 5, 4)).largest_parents(0) == [5, 4]


def test_a_start_keeps_the_edges_that_the_space_has() -> None:
    """None stays none, and a graph of other variables is a mistake."""
    space = SearchSpace(((1,), (0, 2), ()), ((),) * 3, (1, 2, 0), ((),) * 3)
    assert problem(3, space).start_lists == []
    assert replace(problem(3, space), start=((1, 2), (2,), (0,))).start_lists == [[1], [2], []]
    with pytest.raises(ValueError, match="argument 2 is longer"):
        _ = replace(problem(3, space), start=((), ())).start_lists


@pytest.mark.parametrize("wants_end", [False, True])
@pytest.mark.parametrize("is_over", [False, True])
def test_a_search_ends_if_who_is_told_or_who_is_asked_says_so(wants_end: bool, is_over: bool) -> None:
    """Either of them alone, too; with neither, nobody is told."""
    heard: list[Any] = []

    def tell(report: Any) -> bool:
        heard.append(report)
        return wants_end

    def answer(control: SearchControl) -> bool | None:
        told = control.told()
        return None if told is None else told({"done": 1.0})

    assert answer(SearchControl(on_progress=tell, is_over=lambda: is_over)) == (wants_end or is_over)
    assert answer(SearchControl(on_progress=tell)) == wants_end
    assert heard == [{"done": 1.0}] * 2
    assert answer(SearchControl(is_over=lambda: is_over)) == is_over
    assert answer(SearchControl()) is None
    assert SearchControl().n_threads == 1


def test_a_search_to_an_end_has_all_the_time_until_the_last_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the share of it that it was given, unless all is over; who asks for an end still gets it."""
    controls: list[SearchControl] = []
    monkeypatch.setattr(Exact, "run", lambda *given: controls.append(given[-1]))
    given = SearchControl(deadline=Deadline.after(1.0))

    def asked(control: SearchControl, last: Deadline) -> SearchControl:
        assert Exact().run_to_an_end(None, problem(1, empty_space(1)), control, last)[1] is False  # type: ignore[arg-type]
        return controls[-1]

    assert asked(given, Deadline.after(0.0)) is given
    for last in (Deadline(), Deadline.after(100.0)):
        for stop, is_over in ((None, False), (lambda: False, False), (lambda: True, True)):
            control = asked(replace(given, is_over=stop), last)
            assert not control.deadline.is_set
            assert control.is_over is not None
            assert control.is_over() == is_over
    moment = [100.0]
    monkeypatch.setattr("ldag.progress.time.time", lambda: moment[0])
    control = asked(SearchControl(), Deadline.after(5.0))
    assert control.is_over is not None
    assert not control.is_over()
    moment[0] = 105.0
    assert control.is_over()


def test_a_start_is_a_graph_or_nothing() -> None:
    """Numbers of numpy are as good as others."""
    assert Climb(start=None).start is None
    assert Climb(start=datasets.graph("heart")).start is not None
    with pytest.raises(ArgumentError, match=r"start must be an LDAG, such as fit\.ldag, got list"):
        Climb(start=[])  # type: ignore[arg-type]
    assert type(Climb(n_restarts=np.int64(3)).n_restarts) is int  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(3))
def test_climbs_end_however_large_scores_are(seed: int) -> None:
    """Sums of the same scores in another order are no gains: climbs end where exact search does."""
    rng = np.random.default_rng(seed)
    table = {"v0": rng.integers(0, 3, 400)}
    for node in range(1, 9):
        source = table[f"v{rng.integers(node)}"]
        table[f"v{node}"] = np.where(rng.random(400) < 0.6, source, rng.integers(0, 3, 400))
    data = ldag.read({**table, "n": np.full(400, 1_000_003)}, counts="n")

    def score(method: Literal["climb", "exact"]) -> float:
        options: Any = {"structure": "table", "kappa": 1, "equivalent_sample_size": 1, "max_parents": 3}
        if method == "climb":
            options["rng"] = 1
        return ldag.learn(data, method=method, **options).score.total

    assert score("climb") == pytest.approx(score("exact"), rel=1e-13)
