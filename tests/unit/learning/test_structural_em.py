"""Structural EM: starts, ends, limits, checkpoints, and that nothing depends on order or threads."""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import ldag
from ldag import LDAG, Constraints, Dataset, Fit
from ldag.data import GAP
from ldag.errors import ArgumentError, DataError
from ldag.inference import NothingFits, TablesTooLarge, TooManyGates
from ldag.learning import EMStart, Settings, StructuralEM, expected_rows, make_plan, structural_em

HEART = ldag.datasets.load("heart")
GAPPY = ldag.simulate.gaps(HEART, share=0.1, how="mar", rng=3)
SMALL = GAPPY.select(["smoking", "mental", "pressure", "protein"])
FIXED: Mapping[str, Any] = {"kappa": 0.1, "equivalent_sample_size": 1}


def learn(data: Dataset, **options: Any) -> Fit:
    """Learn with nothing to choose by cross-validation."""
    return ldag.learn(data, **{**FIXED, **options})


def names_of(fit: Fit) -> list[str]:
    """Return the starts of a fit."""
    assert fit.em is not None
    return [start.name for start in fit.em.starts]


def same(one: Fit, other: Fit) -> bool:
    """Whether two fits agree to the last digit."""
    return one.ldag == other.ldag and one.score == other.score and one.em == other.em and one.network == other.network


def test_order_of_rows_and_columns_shards_and_threads_change_no_digit() -> None:
    """Whatever is drawn depends on what stands in a row, and real numbers are added in one order."""
    first = learn(SMALL, n_jobs=1)
    assert same(learn(SMALL, n_jobs=2), first)
    half = np.arange(SMALL.n_rows) % 2 == 0
    weights = SMALL.whole_weights
    shards = [Dataset.from_codes(SMALL.schema, SMALL.codes[:, own], weights[own]) for own in (half, ~half)]
    assert same(learn(shards[1].merge(shards[0])), first)
    turned = learn(SMALL.select(SMALL.names[::-1]))
    assert turned.score.total == first.score.total
    assert sorted(turned.ldag.edges) == sorted(first.ldag.edges)


def test_data_without_gaps_know_nothing_of_em() -> None:
    """The score is no bound, and there is nothing to tell."""
    fit = learn(HEART)
    assert fit.em is None
    assert not fit.score.is_lower_bound
    assert fit.score.total == pytest.approx(-6729.69, abs=0.01)
    assert "EM" not in str(fit)


def test_a_fit_says_that_its_score_is_a_bound() -> None:
    """In print, as plain values, and with where the starts ended."""
    fit = learn(SMALL)
    assert fit.em is not None
    assert "lower bound" in str(fit)
    assert "structural EM" in str(fit)
    assert fit.to_dict()["lower_bound"] is True
    assert fit.em.to_dict()["best"] == fit.em.best.name
    assert "gaps in" in str(fit.em)
    assert "fit.average() learns them\n" in str(fit)  # and does not measure what they gain
    assert repr(fit.em).startswith("<StructuralEM")
    assert fit.network.em is not None
    assert fit.network.em.log_likelihood == pytest.approx(fit.em.log_likelihood, abs=1e-2)


@pytest.mark.parametrize(("n_complete", "has_start"), [(19, False), (20, True)])
def test_complete_rows_are_a_start_from_twenty_on(n_complete: int, has_start: bool) -> None:
    """Fewer say too little."""
    codes = np.array([[0, 1] * 15, [0, 0, 1] * 10], dtype=np.uint8)
    codes[0, n_complete:] = GAP
    data = Dataset.from_codes(HEART.select(["smoking", "mental"]).schema, codes)
    assert ("complete rows" in names_of(learn(data))) == has_start


def test_drawn_completions_go_on_until_three_gain_nothing() -> None:
    """Starts that gain little are the last ones, and a number of restarts says how many there are."""
    fit = learn(SMALL)
    scores = [start.score for start in fit.em.starts] if fit.em is not None else []
    n_first = len([name for name in names_of(fit) if not name.startswith("drawn")])
    top = max(scores[:-3])
    assert len(scores) >= n_first + 3
    assert max(scores[-3:]) <= top + structural_em.WORTHWHILE
    drawn = [name for name in names_of(learn(SMALL, method="climb", n_restarts=5)) if name.startswith("drawn")]
    assert drawn == [f"drawn completion {number}" for number in range(1, 6)]


def gap_search(data: Dataset, **options: Any) -> structural_em.GapSearch:
    """Return a search that has not begun."""
    plan = make_plan(data, Settings.of(**{**FIXED, **options}))
    return structural_em.GapSearch(plan, plan.data, structural_em.GapControl())


def test_further_starts_end_after_three_without_half_a_nat_or_after_ten() -> None:
    """What a draw gains by less is chance."""
    search = gap_search(SMALL)
    for scores, goes_on in (
        ([-9.0], True),
        ([-9.0, -9.0, -9.0], True),
        ([-9.0, -8.6, -8.6, -8.6], False),
        ([-9.0, -8.4, -8.4, -8.4], True),
        ([-9.0, *(-8.0 + number for number in range(9))], True),
        ([-9.0, *(-8.0 + number for number in range(10))], False),
    ):
        search.ends = [EMStart("", score, 1) for score in scores]
        assert search._goes_on(1) == goes_on, scores


def test_a_way_ends_after_two_rounds_without_a_better_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """It goes on from a graph that is worse, once."""
    search = gap_search(SMALL)
    way = search.begin("nothing")
    judge = structural_em.GapSearch._judge
    monkeypatch.setattr(structural_em.GapSearch, "_judge", lambda *args: replace(judge(*args), score=-1e9))
    chains = iter([((), (0,), (1,), (2,)), ((), (0,), (0,), (0,)), ((1,), (), (), ())])
    monkeypatch.setattr(structural_em.GapSearch, "_find", lambda *_: next(chains))
    search.go_up(way)
    assert (way.n_rounds, way.n_idle) == (2, 2)


@pytest.mark.parametrize(("share", "n_draws"), [(0.05, 1), (0.3, 4), (0.6, 10)])
def test_the_more_gaps_the_longer_the_walks(share: float, n_draws: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fifty times the square of their share, at most ten; climbs in rounds have twenty restarts."""
    search = gap_search(ldag.simulate.gaps(HEART, share=share, rng=1), method="climb")
    assert cast("Any", search.search).n_restarts == 20
    search.best = search.begin("nothing").best
    draws: list[object] = []
    draw = structural_em.GapSearch._draw

    def note(self: Any, *args: Any) -> Any:
        draws.append(args[-1])
        return draw(self, *args)

    monkeypatch.setattr(structural_em.GapSearch, "_draw", note)
    search._walk(1)
    assert draws == [(1, step) for step in range(n_draws)]


def test_a_graph_to_start_from_takes_the_place_of_nothing() -> None:
    """It is completed as it is."""
    start = LDAG.from_edges([("smoking", "protein")], states={v.name: v for v in SMALL.variables})
    assert names_of(learn(SMALL, method="climb", start=start))[0] == "given graph"
    assert "nothing" not in names_of(learn(SMALL, method="climb", start=start))


@pytest.mark.parametrize(
    "options",
    [
        {"structure": "table", "kappa": 1.0},
        {"structure": "tree"},
        {"structure": "tree", "prior": "leaves"},
        {"structure": "partial", "label_search": "refined"},
        {"structure": "graph"},
        {"label_search": "exact", "prior": "normalised"},
        {"method": "chain", "n_chains": 2, "n_iter": 50},
        {"method": "climb", "prior": "parameters"},
        {"method": "exact", "prior": "uniform", "kappa": 1.0},
    ],
)
def test_every_search_and_structure_takes_gaps(options: dict[str, Any]) -> None:
    """Limits and constraints hold."""
    constraints = Constraints(required=[("smoking", "mental")], forbidden=[("mental", "protein")])
    fit = learn(SMALL, **options, constraints=constraints, max_parents=2)
    assert ("smoking", "mental") in fit.ldag.edges
    assert ("mental", "protein") not in fit.ldag.edges
    assert fit.score.is_lower_bound


def test_graphs_too_rich_to_complete_are_looked_for_with_fewer_parents(monkeypatch: pytest.MonkeyPatch) -> None:
    """A start whose circuit would be too large does not end the search, and neither does a round."""
    compile_graph = structural_em.GapSearch._compile

    def refuse(self: Any, structure: Any, *limits: float) -> Any:
        if max(len(family.parents) for family in structure.families) > 1:
            raise NothingFits(TooManyGates((), 1, 2.0), TablesTooLarge((), 4.0, 32.0, 16.0))
        return compile_graph(self, structure, *limits)

    rich = learn(SMALL, structure="table", kappa=1.0, equivalent_sample_size=1000)
    assert max(len(rich.ldag.parents(name)) for name in SMALL.names) > 1
    monkeypatch.setattr(structural_em.GapSearch, "_compile", refuse)
    fit = learn(SMALL, structure="table", kappa=1.0, equivalent_sample_size=1000)
    assert max(len(fit.ldag.parents(name)) for name in SMALL.names) == 1


def test_beyond_small_tables_rows_with_many_completions_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows with ten completions at most are listed; others get ten copies, which add up to the same."""
    rows = np.array([[0, 1, GAP, GAP], [GAP, GAP, GAP, GAP]], dtype=np.uint8)
    assert expected_rows.choose_listed(rows, [2, 2, 2, 2]).tolist() == [True, True]
    monkeypatch.setattr(expected_rows, "LISTED_CELLS", 8)
    assert expected_rows.choose_listed(rows, [2, 2, 2, 2]).tolist() == [True, False]
    assert expected_rows.choose_listed(rows, [2, 2, 5, 2]).tolist() == [True, False]
    assert expected_rows.choose_listed(rows, [2, 2, 11, 1]).tolist() == [False, False]
    fit = learn(SMALL)
    assert fit.em is not None
    assert fit.score.total == pytest.approx(fit.em.best.score)
    assert same(learn(SMALL, n_jobs=1), fit)


def test_an_interruption_returns_the_best_graph_so_far_and_a_checkpoint_goes_on(tmp_path: Path) -> None:
    """Resumed, it ends as if nothing had happened."""
    whole = learn(SMALL)
    n_reports = 0

    def interrupt(_: Mapping[str, float]) -> None:
        nonlocal n_reports
        n_reports += 1
        if n_reports == 4:
            raise KeyboardInterrupt

    path = tmp_path / "run.json"
    with pytest.warns(UserWarning, match="interrupted"):
        cut = learn(SMALL, progress=interrupt, checkpoint=path)
    assert cut.stopped
    assert cut.em is not None
    assert cut.score.total <= whole.score.total
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        resumed = learn(SMALL, checkpoint=path)
    assert same(resumed, whole)


def test_a_time_limit_returns_the_best_graph_so_far() -> None:
    """However short it is."""
    fit = learn(GAPPY, time_limit=0.01)
    assert fit.stopped
    assert "time limit" in fit.promise
    assert fit.em is not None


def test_latent_variables_need_a_graph_that_connects_them() -> None:
    """No search could find out what they are connected with."""
    states = {v.name: v for v in SMALL.variables}
    edges = [("h", name) for name in ("smoking", "mental", "pressure")]
    start = LDAG.from_edges(edges, states={"h": ["0", "1"], **states}, latent=["h"])
    fit = ldag.learn(HEART.select(SMALL.names), **FIXED, method="climb", start=start)
    assert fit.ldag.latent == ("h",)
    assert "latent variables: structural EM, " in str(fit)
    assert names_of(fit)[0] == "given graph"
    alone = LDAG.from_edges([("smoking", "mental")], states={"h": ["0", "1"], **states}, latent=["h"])
    with pytest.raises(ArgumentError, match=r"latent variable 'h' .* give start"):
        ldag.learn(SMALL, **FIXED, method="climb", start=alone)
    stateless = LDAG.from_text("latent h\n" + "\n".join(f"h -> {name}" for name in SMALL.names))
    with pytest.raises(DataError, match=r"'h' was written without states; write latent h \{0, 1\}$"):
        ldag.learn(SMALL, **FIXED, method="climb", start=stateless)


def test_an_average_is_not_said_to_be_measured() -> None:
    """With gaps it is not."""
    assert "several networks often predict better than one: fit.average() learns them\n" in str(learn(SMALL))


def test_what_cannot_be_said_with_gaps_is_refused() -> None:
    """Scores of families do not add up where gaps are filled by the whole graph."""
    with pytest.raises(ArgumentError, match="a certificate is about scores of families"):
        learn(SMALL).certify()
    with pytest.raises(DataError, match="scores of families with gaps depend on the graph"):
        ldag.family_scores(SMALL, kappa=0.1)


def test_labels_of_given_families_are_learned_with_gaps() -> None:
    """Few gaps change little; columns that nobody asks for change nothing."""
    full = ldag.learn_family(HEART, "pressure", parents=["smoking", "protein"], kappa=0.1)
    some = ldag.learn_family(GAPPY, "pressure", parents=["smoking", "protein"], kappa=0.1)
    assert some.labels_in_words() == full.labels_in_words()
    graph = LDAG.from_edges(
        [("smoking", "pressure"), ("protein", "pressure")], states={v.name: v for v in SMALL.variables}
    )
    assert ldag.learn_labels(graph, SMALL, kappa=0.1).labels_in_words() == full.labels_in_words()


def test_a_family_with_gaps_claims_no_proof() -> None:
    """Its score is that of expected counts, and print says so; a family without gaps beside others is as ever."""
    asked: dict[str, Any] = {"parents": ["smoking", "protein"], "kappa": 0.1, "label_search": "exact"}
    some, full = (ldag.learn_family(data, "pressure", **asked) for data in (GAPPY, HEART))
    assert (some.has_gaps, some.is_exact, full.has_gaps, full.is_exact) == (True, False, False, True)
    assert "at expected counts: the data have gaps" in str(some)
    assert "proven best" not in str(some)
    alone = ldag.simulate.gaps(HEART, share=0.1, columns=["mental"], rng=1)
    assert ldag.learn_family(alone, "pressure", **asked) == full


def test_the_order_of_states_is_that_of_the_family() -> None:
    """Another column before those of the family changes nothing, whether or not its states have an order."""
    rng = np.random.default_rng(1)
    dose = rng.integers(0, 4, 300)
    cells = {"other": rng.integers(0, 2, 300), "dose": dose, "ill": (rng.random(300) < 0.2 + 0.3 * (dose > 1)) * 1}
    full = ldag.read(cells, states={"dose": ldag.ordered([0, 1, 2, 3])})
    some = ldag.simulate.gaps(full, share=0.2, columns=["dose", "ill"], rng=1)
    asked: dict[str, Any] = {"parents": ["dose"], "kappa": 0.3, "structure": "partial"}
    beside, alone = (ldag.learn_family(data, "ill", **asked) for data in (some, some.select(["dose", "ill"])))
    assert beside.score == pytest.approx(alone.score, abs=1e-9)
    assert beside.partition == alone.partition


def test_the_start_that_is_taken_is_the_first_of_equal_ones() -> None:
    """A bound that is higher by less than what counts is no better, as in the search itself."""
    starts = (EMStart("a", -2.0, 1), EMStart("b", -1.0, 1), EMStart("c", -1.0 + 1e-7, 1))
    assert StructuralEM(starts, -1.0, 3).best.name == "b"


def test_sizes_and_prices_are_chosen_by_observed_cells() -> None:
    """Every choice by cross-validation takes gaps, with the same folds for any number of threads."""
    fit = ldag.learn(SMALL, kappa="cv", structure="cv", n_jobs=1)
    assert fit.cv is not None
    assert ldag.learn(SMALL, kappa="cv", structure="cv", n_jobs=2).cv == fit.cv
    compared = ldag.cross_validate(SMALL, kappas=[0.1, 0.5], equivalent_sample_size=1)
    assert set(compared.mean) == {0.1, 0.5}
    assert compared.mean[0.1] > ldag.cross_validate(HEART, kappas=[0.1], equivalent_sample_size=1).mean[0.1]
