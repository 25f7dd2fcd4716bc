"""`ldag.bootstrap`: drawing rows again, what it tells, and its files."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldag
from ldag.errors import ArgumentError, DataError, FormatError, TooLarge
from ldag.learning import Settings, StructureKind, make_plan
from ldag.presenting.uncertain import bootstrap_picture
from ldag.uncertainty.member_searches import Members


@pytest.fixture(scope="module")
def heart() -> ldag.Dataset:
    """Six binary variables."""
    return ldag.datasets.load("heart")


@pytest.fixture(scope="module")
def boot(heart: ldag.Dataset) -> ldag.Bootstrap:
    """Forty graphs."""
    return ldag.bootstrap(heart, 40, kappa=0.3, rng=1, equivalent_sample_size=1)


def test_the_answer_depends_on_the_seed_and_nothing_else(heart: ldag.Dataset, boot: ldag.Bootstrap) -> None:
    """Threads, executors, and the order of columns make no difference."""
    turned = heart.select(list(reversed(heart.names)))
    others = [ldag.bootstrap(turned, 40, kappa=0.3, rng=1, n_jobs=1, equivalent_sample_size=1)]
    with ThreadPoolExecutor(2) as pool:
        others.append(ldag.bootstrap(heart, 40, kappa=0.3, rng=1, n_jobs=2, executor=pool, equivalent_sample_size=1))
    for other in others:
        assert other.arcs == pytest.approx(boot.arcs)
    assert ldag.bootstrap(heart, 40, kappa=0.3, rng=2, equivalent_sample_size=1).arcs != boot.arcs


def test_a_replicate_is_learned_from_as_many_rows_drawn_again(heart: ldag.Dataset) -> None:
    """Literally: the weights of a replicate, expanded to rows, give the same graph."""
    plan = make_plan(heart, Settings(kappa=0.3, rng=1))
    members = Members(plan, resamples=True, reorders=False)
    weights = plan.data.whole_weights
    drawn = np.random.default_rng([1, 0]).multinomial(weights.sum(), weights / weights.sum())
    again = ldag.Dataset.from_codes(plan.data.schema, np.repeat(plan.data.codes, drawn, axis=1))
    assert again.total == heart.total
    member = members.learn(0)
    assert member is not None
    assert member.structure == ldag.learn(again, kappa=0.3, equivalent_sample_size=1).ldag.structure


def test_a_fit_hands_on_its_data_and_settings(heart: ldag.Dataset) -> None:
    """Also the kappa it was given, unless another is said."""
    fit = ldag.learn(heart, kappa=0.3, max_parents=1, equivalent_sample_size=1)
    direct = ldag.bootstrap(heart, 5, kappa=0.3, max_parents=1, equivalent_sample_size=1)
    assert ldag.bootstrap(fit, 5).arcs == direct.arcs
    assert ldag.bootstrap(fit, 5, kappa=0.1).kappa == 0.1


def test_kappa_is_chosen_once(heart: ldag.Dataset) -> None:
    """By cross-validation on all the data, as `learn` does."""
    small = heart.select(["smoking", "pressure", "protein"])
    assert (
        ldag.bootstrap(small, 3, kappa="cv", equivalent_sample_size=1).kappa
        == ldag.learn(small, kappa="cv", equivalent_sample_size=1).kappa
    )


def test_constraints_hold_in_every_graph(heart: ldag.Dataset) -> None:
    """And an edge that can point one way only counts for that way."""
    order = ldag.Constraints(order=["smoking", "protein", "pressure"], required=[("smoking", "pressure")])
    boot = ldag.bootstrap(
        heart.select(["smoking", "protein", "pressure"]), 10, kappa=0.3, constraints=order, equivalent_sample_size=1
    )
    assert boot.strength("smoking", "pressure") == 1.0
    assert boot.direction("smoking", "pressure") == 1.0
    assert boot.direction("protein", "smoking") == 0.0


def test_shares_of_labels_are_counted_over_the_graphs(boot: ldag.Bootstrap) -> None:
    """By asking every graph."""
    context = {"protein": ">3"}
    joined = vanishing = 0
    for graph, count in boot.graphs:
        if ("smoking", "pressure") in graph.edges:
            joined += count
            vanishing += count * (("smoking", "pressure") not in graph.context_graph(context).edges)
    assert boot.label("smoking", "pressure", context=context) == vanishing / joined
    entry = next(
        one for one in boot.labels(0.0) if (one.parent, one.child, one.context) == ("smoking", "pressure", context)
    )
    assert (entry.share, entry.given_edge) == (vanishing / boot.n, vanishing / joined)


def test_the_consensus_has_the_significant_pairs(boot: ldag.Bootstrap) -> None:
    """No cycle is left out of these, and labels are those of the majority."""
    graph = boot.consensus()
    strong = {frozenset(edge[:2]) for edge in boot.edges if edge.strength > boot.threshold}
    assert {frozenset(edge) for edge in graph.edges} == strong
    assert boot.consensus(1.0).edges == ()
    assert graph.is_regular()


def test_a_file_gives_back_all_of_it(boot: ldag.Bootstrap, tmp_path: Path) -> None:
    """Graphs, arcs, and what is printed."""
    boot.save(tmp_path / "boot.json")
    again = ldag.Bootstrap.load(tmp_path / "boot.json")
    assert str(again) == str(boot)
    assert again.graphs == boot.graphs
    assert again.to_dict() == boot.to_dict()


def test_other_files_are_refused(boot: ldag.Bootstrap, tmp_path: Path) -> None:
    """Each with its own sentence."""
    path = tmp_path / "boot.json"
    path.write_text("[]")
    with pytest.raises(FormatError, match="expected a bootstrap that ldag wrote"):
        ldag.Bootstrap.load(path)
    boot.save(path)
    path.write_text(path.read_text().replace('"version": 1', '"version": 9'))
    with pytest.raises(FormatError, match="version: expected at most 1, got 9; a newer ldag can read it"):
        ldag.Bootstrap.load(path)
    boot.save(path)
    path.write_text(path.read_text().replace('"classes": [0', '"classes": [[]'))
    with pytest.raises(FormatError, match="the bootstrap is damaged"):
        ldag.Bootstrap.load(path)
    with pytest.raises(FormatError, match=r"ends in \.json"):
        boot.save(tmp_path / "boot.txt")


def test_the_picture_shows_strengths(boot: ldag.Bootstrap) -> None:
    """As widths, which the tooltips say in numbers."""
    picture = bootstrap_picture(boot, {})
    first = picture.edges[0]
    assert first.probability == boot.strength(picture.nodes[first.parent].name, picture.nodes[first.child].name)
    assert "Consensus of 40 graphs" in boot.to_svg()


def test_the_frame_has_the_columns_of_bnlearn(boot: ldag.Bootstrap) -> None:
    """A row per ordered pair."""
    frame = boot.to_frame()
    assert list(frame.columns) == ["from", "to", "strength", "direction"]
    assert len(frame) == 30


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 0}, "n must be a whole number, 1 or more, got 0"),
        ({"directions": "cpdags"}, "no directions 'cpdags'; did you mean 'cpdag'"),
        ({"method": "climb", "n_chains": 3}, "n_chains applies to method 'chain'"),
    ],
)
def test_what_cannot_be_done_is_refused(heart: ldag.Dataset, arguments: dict[str, Any], message: str) -> None:
    """Before anything is learned."""
    with pytest.raises(ArgumentError, match=message):
        ldag.bootstrap(heart, **{"kappa": 0.1, "equivalent_sample_size": 1, **arguments})


def test_real_weights_cannot_be_drawn_from() -> None:
    """They do not say how many observations there are."""
    data = ldag.read({"a": ["x", "y"], "w": [0.5, 1.5]}, weights="w")
    with pytest.raises(DataError, match="these data have real weights"):
        ldag.bootstrap(data, 2, kappa="cv", equivalent_sample_size=1)
    with pytest.raises(DataError, match="these data have real weights"):
        ldag.average(data, 2, by="both")


def test_orders_need_no_rows_drawn_again() -> None:
    """Real weights will do, and whether the average is better is neither measured nor promised to be."""
    columns: dict[str, list[object]] = {"a": ["x", "y"] * 20, "b": ["x", "y"] * 20, "w": [0.5, 1.5] * 20}
    fit = ldag.learn(ldag.read(columns, weights="w"))
    assert "several networks often predict better than one: fit.average() learns them\n" in str(fit)
    many = fit.average(3)
    assert len(many) == 3
    assert many.gain is None
    assert many.query("b", given={"a": "y"})["y"] == pytest.approx(fit.network.query("b", given={"a": "y"})["y"])


@pytest.mark.parametrize(("n_rows", "is_priced"), [(59, True), (60, False)])
def test_of_few_rows_an_average_is_of_what_is_learned(n_rows: int, is_priced: bool) -> None:
    """A price for every parameter, where columns are independent and rows fewer than five for each."""
    rng = np.random.default_rng(1)
    table = {f"v{i:02}": rng.integers(0, 2, n_rows) for i in range(12)}
    many = ldag.average(table, 3, method="climb")
    assert any("few rows for so many variables" in note for note in many.notes) == is_priced
    if is_priced:
        assert many.members == ldag.learn(table, method="climb").average(3).members


def test_questions_about_labels_name_other_variables(boot: ldag.Bootstrap) -> None:
    """And an edge that is there at times."""
    with pytest.raises(ArgumentError, match="context must name variables other than"):
        boot.label("smoking", "pressure", context={"smoking": "yes"})
    with pytest.raises(ArgumentError, match="twice"):
        boot.strength("smoking", "smoking")


def test_files_keep_cut_points(tmp_path: Path) -> None:
    """A model that comes back from a file takes raw numbers as before."""
    table: dict[str, Sequence[object]] = {"bmi": [18 + i / 4 for i in range(60)], "ill": ["no"] * 40 + ["yes"] * 20}
    boot = ldag.bootstrap(ldag.read(table), n=3, kappa=0.1, rng=1, equivalent_sample_size=1)
    boot.save(tmp_path / "boot.json")
    assert ldag.Bootstrap.load(tmp_path / "boot.json").variables == boot.variables
    assert boot.variables[0].cuts


@pytest.mark.parametrize("method", ["exact", "climb"])
def test_searches_without_time_are_left_out(heart: ldag.Dataset, method: Any) -> None:
    """What is counted was learned to its end, and the rest is told in print and in files."""
    limited = ldag.bootstrap(heart, 100_000, kappa=0.1, method=method, time_limit=0.3, equivalent_sample_size=1)
    assert limited.seconds < 10  # all of them would take minutes
    assert limited.n < limited.n_asked == 100_000
    assert limited.strength("mental", "physical") == 1.0
    note = f"{limited.n:,} of 100,000 searches came to their end within the time limit; the others are left out"
    assert note in limited.notes
    assert f"note: {note}\n" in str(limited)
    assert limited.to_dict()["notes"][0] == note
    if method == "exact":
        whole = ldag.bootstrap(heart, limited.n, kappa=0.1, method=method, equivalent_sample_size=1)
        same = sum(count for graph, count in limited.graphs if graph in dict(whole.graphs))
        assert same >= limited.n - 8  # a few were under way at the end
        assert whole.notes == ()


def test_climbs_with_fewer_restarts_are_told(heart: ldag.Dataset) -> None:
    """They end where no single edge improves them, which is an end."""
    boot = ldag.bootstrap(
        heart, 30, kappa=0.1, method="climb", n_restarts=10**6, time_limit=0.5, equivalent_sample_size=1
    )
    assert boot.n > 20
    assert boot.notes[-1].endswith("had time for fewer restarts than without a time limit")
    graph = boot.graphs[0][0]
    assert graph.edges


def test_no_time_at_all_is_an_error() -> None:
    """Nothing is better than a count of nothing."""
    data = ldag.simulate.random_network(ldag.simulate.random_ldag(14, rng=1), rng=1).sample(2000, rng=1)
    with pytest.raises(TooLarge, match="none of 5 searches came to its end before the time was over"):
        ldag.bootstrap(data, 5, kappa=0.1, method="exact", time_limit=1e-6, equivalent_sample_size=1)


def test_a_progress_function_hears_of_all(heart: ldag.Dataset) -> None:
    """The last report has all of them."""
    reports: list[dict[str, float]] = []
    ldag.bootstrap(heart, 7, kappa=0.1, progress=lambda report: reports.append(dict(report)), equivalent_sample_size=1)
    assert (reports[-1]["done"], reports[-1]["total"]) == (7, 7)


def chain_data() -> ldag.Dataset:
    """A chain a - b - c of three and four states."""
    rng = np.random.default_rng(4)
    a = rng.integers(0, 3, 800)
    b = np.where(rng.random(800) < 0.7, a, rng.integers(0, 4, 800))
    c = np.where(rng.random(800) < 0.7, b, rng.integers(0, 4, 800))
    return ldag.read({"a": a.astype(str), "b": b.astype(str), "c": c.astype(str)})


def test_a_pair_without_direction_has_no_arrow() -> None:
    """Neither in print nor in numbers, unless constraints give it one; then the next edge follows."""
    data = chain_data()
    free = ldag.bootstrap(data, 20, kappa=0.1, structure="table", equivalent_sample_size=1)
    assert free.determined("a", "b") == free.determined("b", "a") == 0.0
    assert "  a - b " in str(free)
    assert 'a "-" has no direction' in str(free)
    rules = ldag.Constraints(required=[("a", "b")])
    bound = ldag.bootstrap(data, 20, kappa=0.1, structure="table", constraints=rules, equivalent_sample_size=1)
    assert bound.determined("a", "b") == bound.determined("b", "c") == 1.0
    assert bound.direction("b", "c") == 1.0
    assert "  b -> c " in str(bound)
    assert '"-"' not in str(bound)


def test_what_is_determined_comes_back_from_a_file(tmp_path: Path) -> None:
    """Also that nothing is."""
    boot = ldag.bootstrap(
        chain_data(), 5, kappa=0.1, constraints=ldag.Constraints(required=[("a", "b")]), equivalent_sample_size=1
    )
    boot.save(tmp_path / "boot.json")
    again = ldag.Bootstrap.load(tmp_path / "boot.json")
    assert again.determined("b", "c") == boot.determined("b", "c")
    assert str(again) == str(boot)


def test_members_climb_where_exact_searches_would_not_end_in_time() -> None:
    """If the method is left open: by an estimate (0.15 s here), a tenth of the time for one search at most."""
    data = ldag.simulate.random_network(ldag.simulate.random_ldag(14, rng=1), rng=1).sample(2000, rng=1)
    limits = {1.0: "climb", 5.0: "exact", None: "exact"}
    methods = {
        limit: ldag.bootstrap(data, 2, kappa=0.1, max_parents=3, time_limit=limit, equivalent_sample_size=1).method
        for limit in limits
    }
    assert methods == limits


@pytest.mark.parametrize("structure", ["partial", "graph"])
def test_directions_where_classes_go_beyond_labels(structure: StructureKind) -> None:
    """States 0 and 1 of a act alike on b, which b -> a could not say: every replicate tells which way it points."""
    rng = np.random.default_rng(4)
    a = rng.integers(0, 3, 4000)
    table = {"a": a, "b": (rng.random(4000) < np.where(a == 2, 0.9, 0.2)).astype(int)}
    boot = ldag.bootstrap(table, 5, kappa=0.1, structure=structure, directions="essential", equivalent_sample_size=1)
    assert boot.strength("a", "b") == 1.0
    assert boot.direction("a", "b") == 1.0
    assert ldag.bootstrap(table, 5, kappa=0.1, structure=structure, equivalent_sample_size=1).direction("a", "b") == 0.5
