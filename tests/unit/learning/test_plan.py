"""What settings and data make together: orders, starts, other structures, and how much many searches may take."""

from dataclasses import dataclass
from math import inf
from pathlib import Path

import numpy as np
import pytest

import ldag
from ldag import LDAG, Constraints, Dataset, datasets
from ldag.errors import ArgumentError
from ldag.learning.checkpoint import Checkpoint
from ldag.learning.cross_validation import Candidate
from ldag.learning.plan import Plan, make_plan
from ldag.learning.searches.climb import Climb
from ldag.learning.searches.exact import Exact
from ldag.learning.settings import Settings

HEART = datasets.load("heart")
GRAPH = ((1,), (), (), (), (), ())


def plan(data: Dataset = HEART, **settings: object) -> Plan:
    """The plan for heart, or for other data, at a kappa of 0.1."""
    return make_plan(data, Settings(**{"kappa": 0.1, **settings}))  # type: ignore[arg-type]


def three_states(ordered: bool = False) -> Dataset:
    """Two variables of three states."""
    states = {"a": ldag.ordered([0, 1, 2]) if ordered else [0, 1, 2], "b": [0, 1, 2]}
    return ldag.read({"a": [0, 1, 2, 0], "b": [2, 1, 0, 0]}, states=states)


@dataclass(frozen=True)
class Slow(Exact):
    """A search that says how long it takes, and notes how long it may."""

    seconds: float = 0.0

    def estimate_seconds(self, problem: object) -> float:
        """Tell what it was told."""
        del problem
        return self.seconds

    def prepare(self, problem: object, seconds: float = inf) -> "Slow":
        """Take what it may."""
        del problem
        return Slow(seconds=seconds)


@pytest.mark.parametrize(("seconds", "is_quick"), [(0.05, True), (0.0501, False), (inf, False)])
def test_a_moment_is_a_twentieth_of_a_second(seconds: float, is_quick: bool) -> None:
    """What takes longer is not quick."""
    made = plan()
    assert Plan(made.settings, made.data, made.problem, Slow(seconds=seconds)).is_quick is is_quick


def test_one_of_many_searches_has_twenty_seconds_and_a_fold_has_a_moment() -> None:
    """Or fewer, if they are given."""
    made = plan(method=Slow())
    assert made.search == Slow(seconds=inf)
    assert made.for_many().search == Slow(seconds=20.0)
    assert made.for_many(3.0).search == Slow(seconds=3.0)
    assert made.for_folds().search == Slow(seconds=0.05)


def test_orders_are_told_to_the_structure_that_asks() -> None:
    """Also when cross-validation chooses it."""
    data = three_states(ordered=True)
    assert plan(data, structure="partial").problem.families.ordered == (True, False)
    tables = plan(data, structure="table")
    assert tables.problem.families.ordered == ()
    assert tables.choose(Candidate(0.5, 2.0, "partial")).problem.families.ordered == (True, False)


def test_a_candidate_is_chosen_with_all_its_settings() -> None:
    """Structure and prior; data, space and search stay."""
    made = plan()
    chosen = made.choose(Candidate(0.5, 2.0, "tree", prior="leaves"))
    families = chosen.problem.families
    assert (families.structure, families.priors.prior) == ("tree", "leaves")
    assert (families.priors.kappa, families.priors.equivalent_sample_size) == (0.5, 2.0)
    assert (chosen.data, chosen.search, chosen.problem.space) == (made.data, made.search, made.problem.space)


def test_pairs_of_neighbours_are_compared_where_some_variable_has_three_states() -> None:
    """With two states they are the lines of labels."""
    wide, binary = (plan(data, structure="cv", kappa="cv").grid((0.1,)).kinds for data in (three_states(), HEART))
    assert "partial" in {kind.structure for kind in wide}
    assert "partial" not in {kind.structure for kind in binary}


def test_structures_that_cannot_keep_constraints_are_not_compared() -> None:
    """A label that is fixed leaves labelled DAGs."""
    fixed = Constraints(required=[("smoking", "pressure")], labels={("smoking", "pressure"): []})
    kinds = plan(structure="cv", kappa="cv", constraints=fixed).grid((0.1,)).kinds
    assert {kind.structure for kind in kinds} == {"table", "ldag"}


def test_sample_sizes_are_compared_if_asked() -> None:
    """Else there is the one that was given."""
    assert plan(kappa="cv", equivalent_sample_size=3.0).grid((0.1,)).sizes == (3.0,)
    assert len(plan(kappa="cv", equivalent_sample_size="cv").grid((0.1,)).sizes) > 1


def test_a_climb_starts_where_it_is_told_unless_it_was_told_before() -> None:
    """Other searches start from nothing."""
    assert plan(method="climb").start_from(GRAPH).problem.start == GRAPH
    assert plan(method="climb").start_from(None).problem.start is None
    assert plan(method="exact").start_from(GRAPH).problem.start is None
    own = LDAG.from_edges([("smoking", "mental")], states={v.name: v.states for v in HEART.variables})
    told = plan(method=Climb(start=own))
    assert told.start_from(GRAPH).problem.start == told.problem.start != GRAPH


def test_a_search_that_another_follows_does_not_restart() -> None:
    """Unless there are only tables, from which others start."""
    assert plan(method=Climb(n_restarts=7)).start_from_nothing().search == Climb(n_restarts=0)
    assert plan(method=Climb(n_restarts=7), structure="table").start_from_nothing().search == Climb(n_restarts=7)


def test_a_start_must_be_a_graph_of_the_space() -> None:
    """Over the variables of the data, and with edges that are allowed."""
    states = {v.name: v.states for v in HEART.variables}
    with pytest.raises(ArgumentError, match="'age' is in one of them only"):
        plan(method=Climb(start=LDAG.from_edges([], states={**states, "age": [0, 1]})))
    forbidden = Constraints(forbidden=[("smoking", "mental")])
    with pytest.raises(ArgumentError, match="start does not satisfy the constraints on the parents of 'mental'"):
        plan(method=Climb(start=LDAG.from_edges([("smoking", "mental")], states=states)), constraints=forbidden)


def test_variables_are_sorted_by_name_and_graphs_translated() -> None:
    """So that the order of columns cannot matter."""
    mixed = HEART.select(["smoking", "family", "mental", "physical", "pressure", "protein"])
    made = plan(mixed)
    assert made.data.names == tuple(sorted(mixed.names))
    parents = ((1,), (), (), (), (), ())  # family -> smoking
    place = made.data.names.index
    by_name = {name: made.translate(parents, mixed.schema)[place(name)] for name in mixed.names}
    assert by_name == {**dict.fromkeys(mixed.names, ()), "smoking": (place("family"),)}


def test_parts_of_checkpoints_are_named_for_what_the_search_depends_on() -> None:
    """Kappa, and the start of a climb; other searches have none."""
    assert plan(method="climb").search_in_words == "kappa 0.1"
    assert plan(method="climb").start_from(GRAPH).search_in_words.startswith("kappa 0.1, from ")
    exact = plan(method="exact")
    started = Plan(exact.settings, exact.data, exact.problem, Climb()).start_from(GRAPH)
    assert Plan(exact.settings, exact.data, started.problem, Exact()).search_in_words == "kappa 0.1"


def test_a_checkpoint_is_of_a_run_from_one_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without a start there is nothing to tell; two starts are two runs. How long it may take is no part of a run."""
    runs: list[dict[str, object]] = []

    def note(_: object, run: dict[str, object]) -> Checkpoint:
        runs.append(run)
        return Checkpoint(tmp_path / "run", {}, {})

    monkeypatch.setattr(Checkpoint, "open", note)
    made = plan(method="climb", time_limit=9.0)
    for one in (made, made.start_from(GRAPH), made.start_from((*GRAPH[1:], ()))):
        assert one.with_checkpoint(tmp_path / "run").checkpoint is not None
    assert made.with_checkpoint(None) is made
    assert runs[0]["start"] is None
    assert len({str(run["start"]) for run in runs}) == 3
    assert not {"time_limit", "n_jobs"} & runs[0].keys()


def test_a_method_that_is_the_same_stays_as_it_is() -> None:
    """With its options; another one takes those that it shares."""
    made = plan(method=Climb(n_restarts=7))
    assert made.search_by("climb") is made
    assert made.search_by("exact").search.name == "exact"


def test_numbers_of_numpy_are_as_good() -> None:
    """Seeds and threads among them."""
    made = plan(rng=np.int64(5), n_jobs=np.int64(1))
    assert (made.seed, made.n_jobs) == (5, 1)


def test_kappas_are_those_of_the_paper() -> None:
    """Unless others are given."""
    compared = ldag.cross_validate(HEART.select(["smoking", "pressure"]), equivalent_sample_size=1)
    assert [one.kappa for one in compared.scores] == [0.001, 0.1, 0.3, 0.5]
