"""`ldag.average` and the `Mixture` it makes."""

import json
from itertools import product
from math import exp
from pathlib import Path

import numpy as np
import pytest

import ldag
from ldag.errors import ArgumentError, FormatError
from ldag.learning.plan import make_plan
from ldag.learning.settings import Settings


@pytest.fixture(scope="module")
def heart() -> ldag.Dataset:
    """Six binary variables."""
    return ldag.datasets.load("heart")


@pytest.fixture(scope="module")
def mixture(heart: ldag.Dataset) -> ldag.Mixture:
    """Six members."""
    return ldag.average(heart, 6, kappa=0.3, equivalent_sample_size=1, smoothing=1, rng=1)


def test_members_differ_and_have_the_parameters_of_all_the_data(heart: ldag.Dataset, mixture: ldag.Mixture) -> None:
    """Under different orders different edges are there, or the same the other way round."""
    assert len({member.ldag for member in mixture.members}) > 1
    for member in mixture.members:
        assert member == ldag.Network.from_data(member.ldag, heart)


@pytest.mark.parametrize("by", ["order", "bootstrap", "both"])
def test_the_number_of_threads_makes_no_difference(heart: ldag.Dataset, by: str) -> None:
    """Nor does asking again."""
    first, second = (ldag.average(heart, 4, by=by, rng=2, n_jobs=jobs) for jobs in (1, 2))  # type: ignore[arg-type]
    assert first.members == second.members


def test_an_order_is_followed_and_constraints_hold(heart: ldag.Dataset) -> None:
    """Required edges are in every member, forbidden ones in none."""
    rules = ldag.Constraints(required=[("pressure", "smoking")], forbidden=[("mental", "physical")])
    for member in ldag.average(heart, 5, kappa=0.3, constraints=rules).members:
        assert ("pressure", "smoking") in member.ldag.edges
        assert ("mental", "physical") not in member.ldag.edges


def test_probabilities_are_means_over_members(mixture: ldag.Mixture) -> None:
    """By adding up the joint distributions, divided by what is given."""
    event, given = {"pressure": ">140"}, {"smoking": "yes"}
    joint = np.mean([member.probability({**event, **given}) for member in mixture.members])
    known = np.mean([member.probability(given) for member in mixture.members])
    assert mixture.probability(event, given) == pytest.approx(joint / known)
    assert mixture.query("pressure", given)[">140"] == pytest.approx(joint / known)


def test_gaps_are_summed_out(heart: ldag.Dataset, mixture: ldag.Mixture) -> None:
    """The probability of what is seen in a row is the mean over members, and its gaps are no states for predictions."""
    some = ldag.simulate.gaps(heart, 0.3, rng=2)
    weights = some.whole_weights
    frame = some.to_frame("polars").drop("count").to_dicts()
    seen = [{name: state for name, state in row.items() if state is not None} for row in frame]
    logs = [np.log(np.mean([m.probability(row) if row else 1.0 for m in mixture.members])) for row in seen]
    assert mixture.log_likelihood(some) == pytest.approx(float(weights @ np.array(logs)))
    row = next(number for number, own in enumerate(seen) if 0 < len(own) < 4 and "smoking" not in own)
    asked = mixture.query("smoking", seen[row])
    assert mixture.predict_proba(some, "smoking")[row].tolist() == pytest.approx(list(asked.values()))


def test_log_likelihood_takes_columns_in_any_order(heart: ldag.Dataset, mixture: ldag.Mixture) -> None:
    """Rows keep their own counts when the data are brought into the order of the members."""
    turned = heart.select(list(reversed(heart.names)))
    assert mixture.log_likelihood(turned) == pytest.approx(mixture.log_likelihood(heart))
    row = {name: heart.states(name)[0] for name in heart.names}
    one = ldag.read({name: [state] for name, state in row.items()}, states={n: heart.states(n) for n in heart.names})
    assert exp(mixture.log_likelihood(one)) == pytest.approx(mixture.probability(row))


def test_samples_come_from_the_mixture(mixture: ldag.Mixture) -> None:
    """Shares of states are the marginal probabilities, within four standard errors."""
    rows = mixture.sample(20_000, rng=3)
    for name, distribution in mixture.marginals().items():
        share = rows.counts(name)[0] / 20_000
        assert np.allclose(share, list(distribution.values()), atol=4 * 0.5 / np.sqrt(20_000))
    assert mixture.sample(50, rng=3, given={"smoking": "yes"}).counts("smoking").tolist() == [[0, 50]]


def test_a_file_gives_back_the_mixture(mixture: ldag.Mixture, tmp_path: Path) -> None:
    """Members and weights, with every number as it was."""
    weighted = ldag.Mixture(mixture.members, range(1, 7))
    weighted.save(tmp_path / "mixture.json")
    again = ldag.Mixture.load(tmp_path / "mixture.json")
    assert again.members == weighted.members
    assert again.weights == weighted.weights
    (tmp_path / "mixture.json").write_text("{}")
    with pytest.raises(FormatError, match="expected a mixture that ldag wrote"):
        ldag.Mixture.load(tmp_path / "mixture.json")


def test_members_share_families_in_a_file(heart: ldag.Dataset, tmp_path: Path) -> None:
    """Each is written once, with whole or real counts; with three states and labels, too."""
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 3, 400), rng.integers(0, 3, 400)
    columns = {"a": a, "b": b, "c": np.where(a == 1, b, rng.integers(0, 3, 400)), "d": rng.integers(0, 2, 400)}
    odd = ldag.average(ldag.read(columns), 5, kappa=0.5, equivalent_sample_size=3, smoothing=(0.7, "classes"))
    assert any(member.ldag.labelled_edges for member in odd.members)
    weighted = ldag.read({**columns, "w": rng.random(400)}, weights="w")
    real = ldag.Mixture([ldag.Network.from_data(member.ldag, weighted) for member in odd.members])
    for mixture in (ldag.average(heart, 30, n_jobs=1), odd, real):
        content = mixture.to_dict()
        assert content["version"] == 2
        families = {(node, f) for m in mixture.members for node, f in enumerate(m.ldag.structure.families)}
        assert len(content["families"]) == len(families)
        mixture.save(tmp_path / "mixture.json")
        again = ldag.Mixture.load(tmp_path / "mixture.json")
        assert again.members == mixture.members
        assert again.settings == mixture.settings


def test_members_that_differ_in_more_are_kept_one_by_one(
    mixture: ldag.Mixture, heart: ldag.Dataset, tmp_path: Path
) -> None:
    """Other smoothing, other data with the same family, no counts, or an origin."""
    first, second = mixture.members[:2]
    half = heart.merge(heart)
    other = ldag.Network.from_data(first.ldag, half)
    both = ldag.Mixture([first, other])
    both.save(tmp_path / "both.json")
    assert ldag.Mixture.load(tmp_path / "both.json").members == both.members
    plain = ldag.Network.from_parameters(second.ldag, {v.name: second.parameters(v.name) for v in second.variables})
    smoothed = ldag.Network.from_data(second.ldag, heart, equivalent_sample_size=5)
    learned = ldag.learn(heart, kappa=0.1, equivalent_sample_size=1, smoothing=1).network
    for odd in (plain, smoothed, learned):
        mixed = ldag.Mixture([first, odd])
        assert mixed.to_dict()["version"] == 1
        mixed.save(tmp_path / "mixed.json")
        again = ldag.Mixture.load(tmp_path / "mixed.json")
        assert again.members == mixed.members
        assert again.members[1].origin == odd.origin


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("counts", "1 2 x"),
        ("counts", "1"),
        ("parents", "0 0"),
        ("parents", "-1"),
        ("parents", "77"),
        ("node", 1),
    ],
)
def test_damaged_families_are_refused(place: str, value: object, mixture: ldag.Mixture, tmp_path: Path) -> None:
    """Numbers that are none, too few of them, and parents that there cannot be."""
    content = mixture.to_dict()
    content["families"][0][place] = value
    (tmp_path / "mixture.json").write_text(json.dumps(content))
    with pytest.raises(FormatError, match="the mixture is damaged"):
        ldag.Mixture.load(tmp_path / "mixture.json")


def test_cycles_in_a_file_are_refused(tmp_path: Path) -> None:
    """Members of their own have none."""
    data = ldag.read({"x": [0, 1, 1], "y": [0, 1, 0]})
    ways = [ldag.LDAG.from_edges([edge], states={"x": [0, 1], "y": [0, 1]}) for edge in (("x", "y"), ("y", "x"))]
    content = ldag.Mixture([ldag.Network.from_data(way, data) for way in ways]).to_dict()
    content["members"][0] = [content["members"][1][0], content["members"][0][1]]
    (tmp_path / "mixture.json").write_text(json.dumps(content))
    with pytest.raises(FormatError, match="the mixture is damaged"):
        ldag.Mixture.load(tmp_path / "mixture.json")


def test_what_does_not_apply_is_refused(heart: ldag.Dataset) -> None:
    """A start goes with no random order."""
    with pytest.raises(ArgumentError, match="no by 'orders'; did you mean 'order'"):
        ldag.average(heart, 2, by="orders")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="start does not apply to random orders"):
        ldag.average(heart, 2, method="climb", start=ldag.datasets.graph("heart"))


def test_weights_come_back_to_the_last_digit(mixture: ldag.Mixture, tmp_path: Path) -> None:
    """They were made to sum to 1 before, and are not divided once more."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        weighted = ldag.Mixture(mixture.members, rng.random(6).tolist())
        weighted.save(tmp_path / "mixture.json")
        assert ldag.Mixture.load(tmp_path / "mixture.json").weights == weighted.weights


def test_members_without_time_are_left_out(heart: ldag.Dataset, tmp_path: Path) -> None:
    """And told, in the value and in its file."""
    limited = ldag.average(heart, 100_000, kappa=0.1, time_limit=0.3)
    assert len(limited) < 100_000
    assert limited.notes[0].endswith(
        "of 100,000 searches came to their end within the time limit; the others are left out"
    )
    assert limited.notes[0] in repr(limited)
    limited.save(tmp_path / "several.json")
    assert ldag.Mixture.load(tmp_path / "several.json").notes == limited.notes


def test_members_have_tables_unless_labels_are_asked_for(heart: ldag.Dataset) -> None:
    """By a structure, a price, or labels that constraints fix."""
    sizes = {"equivalent_sample_size": 10, "smoothing": 10}
    fixed = ldag.Constraints(labels={("smoking", "pressure"): [{"protein": ">3"}]})
    for asked in ({"structure": "ldag", "prior": "labels", "kappa": 0.3}, {"kappa": 0.3}, {"constraints": fixed}):
        labelled = ldag.average(heart, 4, **asked, **sizes)  # type: ignore[arg-type]
        assert any(member.ldag.labelled_edges for member in labelled.members)
        assert "with labels, each under a random order of the variables" in str(labelled)
    plain = ldag.average(heart, 4, **sizes)  # type: ignore[arg-type]
    assert not any(member.ldag.labelled_edges for member in plain.members)
    assert "with tables, each under" in str(plain)


def test_sizes_are_chosen_unless_they_are_given(heart: ldag.Dataset) -> None:
    """As the cross-validation of tables chooses them."""
    best = ldag.cross_validate(heart, structure="table", equivalent_sample_size="cv", smoothing="cv").best
    chosen = ldag.average(heart, 2)
    assert chosen.settings["equivalent_sample_size"] == best.equivalent_sample_size
    assert chosen.members[0].equivalent_sample_size == best.parameters_sample_size
    assert f"equivalent sample size {best.equivalent_sample_size:g}, " in str(chosen)
    assert "chosen by cross-validation" in str(chosen)
    given = ldag.average(heart, 2, equivalent_sample_size=7, smoothing=3)
    assert given.settings["equivalent_sample_size"] == 7
    assert given.members[0].equivalent_sample_size == 3
    assert "chosen" not in str(given)


def test_a_fit_hands_on_what_was_chosen_there(heart: ldag.Dataset) -> None:
    """Data, both sizes, constraints and seed; but not labels, which tables predict as well without."""
    rules = ldag.Constraints(forbidden=[("smoking", "pressure"), ("pressure", "smoking")])
    fit = ldag.learn(heart, kappa=0.3, equivalent_sample_size=20, smoothing=(2, "classes"), constraints=rules, rng=5)
    many = fit.average(6)
    assert many.members == ldag.average(fit, 6).members
    alone = ldag.average(
        heart, 6, equivalent_sample_size=20, smoothing=(2, "classes"), constraints=rules, rng=5, structure="table"
    )
    assert many.members == alone.members
    assert many.members != fit.average(6, rng=6).members
    assert len(fit.average()) == 40
    assert any(member.ldag.labelled_edges for member in fit.average(6, structure="ldag").members)
    trees = ldag.learn(heart, kappa=0.3, equivalent_sample_size=1, smoothing=1, structure="tree", prior="leaves")
    assert len(trees.average(3)) == 3


def test_rows_drawn_again_want_a_small_size(heart: ldag.Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    """At most a 25th of 1,841 rows: more is refused if it was given, and made less if it was chosen."""
    ldag.average(heart, 2, by="both", equivalent_sample_size=73, smoothing=1)
    for by in ("both", "bootstrap"):
        with pytest.raises(
            ArgumentError, match=r"what is drawn twice looks like dependence .* by='order', or .*=73 at"
        ):
            ldag.average(heart, 2, by=by, equivalent_sample_size=74, smoothing=1)
    ldag.average(heart, 2, equivalent_sample_size=74, smoothing=1)
    told = ldag.bootstrap(heart, 2, kappa=0.1, equivalent_sample_size=74)
    assert any("an equivalent sample size of 74 is large for 1,841 rows" in note for note in told.notes)
    assert not ldag.bootstrap(heart, 2, kappa=0.1, equivalent_sample_size=73).notes
    monkeypatch.setattr("ldag.uncertainty.members.MOST_OF_ROWS", 1 / 500)
    limited = ldag.average(heart, 2, by="both")
    assert limited.settings["equivalent_sample_size"] == 3.7
    assert any(note.endswith("graphs were learned with 3.7") for note in limited.notes)
    boot = ldag.bootstrap(heart, 2, kappa=0.1, equivalent_sample_size="cv")
    assert any(note.endswith("graphs were learned with 3.7") for note in boot.notes)


def test_intervals_know_what_is_given() -> None:
    """A member that makes it a thousand times as probable gives the answer, with an interval as without one."""
    states = {"a": ["n", "y"], "b": ["n", "m", "y"]}
    graph = ldag.LDAG.from_edges([("a", "b")], states=states)
    columns = {"a": ["n", "y", "y", "y"], "b": ["n", "n", "m", "y"]}
    surprised, sure = (
        ldag.Network.from_data(graph, ldag.read({**columns, "n": numbers}, weights="n", states=states))
        for numbers in ([100_000, 80, 10, 10], [1_000, 10_000, 20_000, 70_000])
    )
    both, given = ldag.Mixture([surprised, sure]), {"a": "y"}
    joint = [[member.probability({"b": state, **given}) for state in states["b"]] for member in (surprised, sure)]
    answer = both.query("b", given)
    assert list(answer.values()) == pytest.approx(np.sum(joint, axis=0) / np.sum(joint))
    averaged = both.query("b", given, interval=0.9, rng=1)
    assert {state: value.mean for state, value in averaged.items()} == pytest.approx(answer)
    assert averaged["y"].low > 0.69
    assert averaged["n"].high < 0.11


def test_log_probability_is_that_of_a_network(mixture: ldag.Mixture) -> None:
    """The logarithm of the mean over members, and minus infinity for what cannot be."""
    event, given = {"pressure": ">140", "mental": "yes"}, {"smoking": "yes"}
    assert mixture.log_probability(event, given) == pytest.approx(np.log(mixture.probability(event, given)))
    one = ldag.Mixture(mixture.members[:1])
    assert one.log_probability(event, given) == pytest.approx(mixture.members[0].log_probability(event, given))
    assert mixture.log_probability({"smoking": "no"}, given) == -np.inf


def test_members_under_an_order_climb() -> None:
    """Exact searches under an order cost hundreds of times as much, and the average is no better for them."""
    rng = np.random.default_rng(1)
    for method, under_order in (("auto", "climb"), ("exact", "exact")):
        settings = Settings.of(kappa=0.1, equivalent_sample_size=10, smoothing=1, method=method)
        plan = make_plan(ldag.datasets.load("heart"), settings)
        assert plan.search.name == "exact"
        assert plan.in_random_order(rng).search.name == under_order


def test_a_consensus_has_the_numbers_of_the_data_or_of_the_members(heart: ldag.Dataset, tmp_path: Path) -> None:
    """From a file, without the data, its distributions are those that the members give together."""
    many = ldag.average(heart, 12, kappa=0.9, equivalent_sample_size=1, smoothing=4)
    graph = many.consensus()
    assert graph.labelled_edges
    assert many.consensus_network() == ldag.Network.from_data(graph, heart, equivalent_sample_size=4)
    many.save(tmp_path / "many.json")
    loaded = ldag.Mixture.load(tmp_path / "many.json")
    assert loaded.consensus_network(heart) == many.consensus_network()
    alone = loaded.consensus_network()
    for name in heart.names:
        parents = graph.parents(name)
        joint: dict[tuple[float, ...], list[float]] = {}
        for states in product(*(heart.states(parent) for parent in parents)):
            context = dict(zip(parents, states, strict=True))
            own = tuple(round(p, 12) for p in alone.query(name, context).values())
            cells = [many.probability({name: state, **context}) for state in heart.states(name)]
            joint[own] = [a + b for a, b in zip(joint.get(own, [0.0, 0.0]), cells, strict=True)]
        for own, cells in joint.items():
            assert own == pytest.approx([cell / sum(cells) for cell in cells])
