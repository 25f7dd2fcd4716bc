"""The space of a posterior: how large it is, that its limits stand in the first lines, and what lies outside."""

from dataclasses import replace
from itertools import product
from math import lgamma, log

import numpy as np
import pytest

import ldag
from ldag.constraints import Constraints, search_space
from ldag.errors import TooLarge
from ldag.uncertainty import space
from ldag.uncertainty.space import ExactCost, FamilySpace, Limits

HEART = ldag.datasets.load("heart")


def table(n_states: tuple[int, ...], n_rows: int = 300) -> ldag.Dataset:
    """Columns of so many states, each with a bit of the one before."""
    rng = np.random.default_rng(3)
    columns = [rng.integers(0, n, n_rows) for n in n_states]
    for i in range(1, len(columns)):
        same = rng.random(n_rows) < 0.4
        columns[i] = np.where(same, columns[i - 1] % n_states[i], columns[i])
    return ldag.read({f"v{i:02}": column.astype(str) for i, column in enumerate(columns)})


def family_space(data: ldag.Dataset, n_settings: int = 1, rules: Constraints | None = None) -> FamilySpace:
    """All families of some data."""
    found = search_space(data.schema, rules or Constraints(), None)
    return FamilySpace(data.schema, found, found.label_rules, n_settings, n_settings, data.n_rows)


def full_table_weight(data: ldag.Dataset, node: str, parents: tuple[str, ...]) -> float:
    """The log BDeu marginal likelihood of a full table, by its formula."""
    counts = np.asarray(data.counts(node, list(parents))).reshape(-1, len(data.states(node)))
    cell = 1.0 / counts.size
    total = 0.0
    for row in counts:
        total += lgamma(cell * len(row)) - lgamma(cell * len(row) + row.sum())
        total += sum(lgamma(cell + n) - lgamma(cell) for n in row)
    return total


def test_large_families_count_with_their_full_table() -> None:
    """By going through the 25 DAGs of three variables whose pairs have 20, 24 and 30 configurations."""
    data = table((4, 5, 6))
    names = data.names
    others = {name: [one for one in names if one != name] for name in names}
    sets = {name: [(), *((one,) for one in others[name]), tuple(others[name])] for name in names}
    weights = {(name, own): full_table_weight(data, name, own) for name in names for own in sets[name]}
    logs, edges = [], []
    for chosen in product(*(sets[name] for name in names)):
        arcs = {(parent, child) for child, own in zip(names, chosen, strict=True) for parent in own}
        if not any(is_cycle(arcs, names, n) for n in (2, 3)):
            logs.append(sum(weights[name, own] for name, own in zip(names, chosen, strict=True)))
            edges.append(arcs)
    assert len(logs) == 25
    shares = np.exp(np.array(logs) - max(logs))
    for prior in ("normalised", "labels"):
        post = ldag.posterior(data, kappa=0.3, prior=prior, equivalent_sample_size=1)
        assert post.log_evidence == pytest.approx(max(logs) + log(shares.sum()), abs=1e-8)
        for pair in [(a, b) for a in names for b in names if a != b]:
            chance = sum(share for share, arcs in zip(shares, edges, strict=True) if pair in arcs) / shares.sum()
            assert post.edge(*pair) == pytest.approx(chance, abs=1e-9)
        assert post.label(names[1], names[2], context={names[0]: "0"}) == 0.0
        assert all(graph.labelled_edges == () for graph in post.sample(20, rng=1))


def is_cycle(arcs: set[tuple[str, str]], names: tuple[str, ...], length: int) -> bool:
    """Whether there is a cycle of that length."""
    paths = product(names, repeat=length)
    return any(all((path[i], path[(i + 1) % length]) in arcs for i in range(length)) for path in paths)


def test_the_first_three_lines_state_the_limits() -> None:
    """With what was left without labels, and what a search finds beyond."""
    first = str(ldag.posterior(HEART, kappa=0.3)).splitlines()[:3]
    assert first[1] == (
        "limits: no labels in the 6 of 192 families that have more than 16 configurations of parents: these have their"
        " full table"
    )
    assert (
        str(ldag.posterior(HEART, kappa=0.3, max_parents=3)).splitlines()[1]
        == "limits: at most 3 parents of a variable"
    )
    few = HEART.select(["smoking", "protein", "pressure"])
    assert str(ldag.posterior(few, kappa=0.3)).splitlines()[1] == "limits: none, all DAGs and labels"
    assert str(ldag.posterior(few, structure="table")).splitlines()[1] == "limits: none, all DAGs"


def majority() -> ldag.Dataset:
    """A column that says what most of three others say, and three that have nothing to do with it."""
    rng = np.random.default_rng(1)
    columns = {name: rng.integers(0, 2, 1500) for name in "abcxyz"}
    columns["m"] = np.where(
        rng.random(1500) < 0.9, (columns["a"] + columns["b"] + columns["c"] >= 2), rng.integers(0, 2)
    )
    return ldag.read({name: column.astype(int).astype(str) for name, column in columns.items()})


def test_a_better_graph_outside_the_limits_is_told_in_the_first_lines() -> None:
    """Three parents where two are allowed; of a fit, its own graph counts."""
    data = majority()
    said = "warning: what learn finds lies outside these limits: m has 3 parents (a, b, c)"
    limited = ldag.posterior(data, kappa=0.1, max_parents=2)
    assert said in str(limited).splitlines()[:3]
    assert limited.outside is not None
    fit = ldag.learn(data, kappa=0.1, equivalent_sample_size=1)
    assert said in str(ldag.posterior(fit, max_parents=2)).splitlines()[:3]
    free = ldag.posterior(data, kappa=0.1)
    assert free.outside is None
    assert "warning" not in str(free)
    coins = np.random.default_rng(1).integers(0, 2, 200).astype(str)
    equal = ldag.posterior(ldag.read(dict.fromkeys("abcde", coins)), kappa=0.1, max_parents=0).outside
    assert equal is not None
    assert equal.endswith(", and 1 more")  # of four with a parent, three are named
    for parent in "abc":
        assert free.edge(parent, "m") > 0.99


def test_parents_are_as_many_as_some_seconds_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    """By an estimate, not a clock; labels give way to the first five parents, and both limits are told."""
    mixed = table((2, 2, 3, 2, 4, 3, 2, 2, 5, 3, 2))
    several = family_space(mixed, n_settings=8)
    assert several.choose_limits(is_given=False) == Limits(10, 16)
    binary = family_space(table((2,) * 14), n_settings=8)
    assert binary.choose_limits(is_given=False) == Limits(13, 15)
    assert binary.choose_limits(is_given=True) == Limits(13, 16)
    monkeypatch.setattr(space, "FAMILY_SECONDS", 1.0)
    assert binary.choose_limits(is_given=False) == Limits(6, 15, was_chosen=True)
    monkeypatch.setattr(space, "FAMILY_SECONDS", 0.5)
    assert several.choose_limits(is_given=False) == Limits(6, 14, was_chosen=True)
    monkeypatch.setattr(space, "FAMILY_SECONDS", 0.0)
    assert binary.choose_limits(is_given=False) == Limits(2, 16, was_chosen=True)
    said = str(ldag.posterior(HEART, kappa=0.3)).splitlines()[1]
    assert said.startswith("limits: at most 2 parents of a variable (more would take long; max_parents allows them)")


def test_the_estimate_counts_every_family_once() -> None:
    """By listing them."""
    data = table((2, 3, 2, 4, 5))
    families = family_space(data, rules=Constraints(required=[("v00", "v03")], max_parents={"v04": 2}))
    limits = families.choose_limits(is_given=True)
    sets = families.list_sets(limits)
    assert families.cost(limits).n_families >= sets.n_families
    free = family_space(data)
    assert free.cost(Limits(4)).n_families == free.list_sets(Limits(4)).n_families == 5 * 2**4
    assert free.cost(Limits(2)).n_families == free.list_sets(Limits(2)).n_families == 5 * (1 + 4 + 6)


def test_fixed_labels_are_summed_over_or_left_out() -> None:
    """A full table has none of the labels that constraints ask for, so it may not stand for them."""
    rules = Constraints(labels={("v00", "v02"): [{"v01": "0"}]})
    post = ldag.posterior(table((2, 2, 2, 5)), kappa=0.3, constraints=rules)
    assert "1 family left out" in post.limits
    assert list(post.parents("v02")) == [("v00", "v01")]
    with pytest.raises(TooLarge, match="the required parents of 'v02' have 18 configurations, over which fixed labels"):
        ldag.posterior(table((3, 6, 2)), kappa=0.3, constraints=rules)


def test_chains_look_at_what_a_search_finds() -> None:
    """Its parents are among the candidates, so that its graph is not left out; four parents unless said otherwise."""
    network = ldag.simulate.random_network(ldag.simulate.random_ldag(18, rng=2), rng=2)
    data = network.sample(300, rng=2)
    fit = ldag.learn(data, kappa=0.3, method="climb", n_restarts=0, max_parents=3, equivalent_sample_size=1)
    post = ldag.posterior(fit, method="chain", n_iter=100)
    assert post.outside is None or "parents (" not in post.outside
    families = family_space(data)
    candidates = [tuple(p for p in range(13) if p != node)[:12] for node in range(18)]
    limits = families.choose_limits(is_given=False, candidates=candidates)
    assert (limits.max_parents, limits.was_chosen) == (4, True)


def test_only_what_leaves_parents_out_is_a_limit() -> None:
    """A constant column and arrows that are forbidden leave fewer parents, and no graph that is allowed out."""
    columns = {name: list("xy" * 20 + "yx" * 10 + "xx" * 10) for name in "abc"}
    data = ldag.read(columns | {"b": list("xxyy" * 20), "c": list("xyyyx" * 16), "d": ["k"] * 80})
    assert "parent" not in ldag.posterior(data, kappa=0.3).limits
    assert ldag.posterior(data, kappa=0.3, max_parents=1).limits == "at most 1 parent of a variable"
    assert ldag.posterior(data, kappa=0.3, max_parents=0).limits == "at most 0 parents of a variable"
    forbidden = Constraints(forbidden=[("a", "b"), ("b", "a"), ("a", "c"), ("c", "a")])
    assert "parent" not in ldag.posterior(data, kappa=0.3, constraints=forbidden).limits


def test_what_an_exact_posterior_may_cost() -> None:
    """A minute and a gigabyte by itself, a day and eight gigabytes if asked for, 26 variables at most."""
    assert ExactCost(26, 1, 2.0**30, 60.0).is_affordable
    assert not ExactCost(26, 1, 2.0**30 + 1, 60.0).is_affordable
    assert not ExactCost(26, 1, 2.0**30, 60.1).is_affordable
    assert not ExactCost(27, 1, 1.0, 1.0).is_affordable
    ExactCost(26, 1, 2.0**33, 86_400.0).check(None)
    for cost in (ExactCost(27, 1, 1.0, 1.0), ExactCost(26, 1, 2.0**33 + 1, 1.0), ExactCost(26, 1, 1.0, 86_401.0)):
        with pytest.raises(TooLarge, match="at most 26 variables, 8 GB and 24 hours are possible"):
            cost.check(None)
    ExactCost(5, 1, 1.0, 20.0).check(2.0)  # ten times the limit: estimates may be wrong by so much
    with pytest.raises(TooLarge, match="takes about 21 seconds of CPU, and time_limit is 2"):
        ExactCost(5, 1, 1.0, 21.0).check(2.0)


def test_an_estimate_by_hand() -> None:
    """Three binary variables and 300 rows: each has a family of 2 cells, two of 4 and one of 8, with two parents.

    Counting takes 5 microseconds, 5 nanoseconds a row and 6 a cell; a sum over labels, of two parents at least, 10
    microseconds and 4.5 milliseconds over 16 configurations, 2.6 times less with each fewer; and 3 x 3^n steps of 12
    nanoseconds.
    """
    plain = replace(family_space(table((2, 2, 2))), n_labelled=0, n_rows=300)
    counting = [5e-6 + 1.5e-6 + 6e-9 * n_cells for n_cells in (2, 4, 4, 8)]
    steps = 3 * 1.2e-8 * 27
    assert plain.cost(Limits(2)).seconds == pytest.approx(3 * sum(counting) + steps)
    assert plain.cost(Limits(1)).seconds == pytest.approx(3 * sum(counting[:3]) + steps)
    labelled = replace(plain, n_labelled=2, n_settings=3)
    sums = 1e-5 + 4.5e-3 / 2.6**12
    assert labelled.cost(Limits(2)).seconds == pytest.approx(3 * (sum(counting) + 2 * sums) + 3 * steps)
    many_settings = replace(plain, n_settings=16)  # of which four are usually left, for two thirds of the steps
    assert many_settings.cost(Limits(2)).seconds == pytest.approx(3 * sum(counting) + (16 + 2 * 4) / 3 * steps)
    many = replace(
        family_space(table((4, 5, 2))), n_rows=300
    )  # of 20, 10 and 8 configurations, the first have a table, as if of 32
    sums_of = sum(1e-5 + 4.5e-3 / 2.6 ** (16 - q) for q in (4, 5, 4, 5, 8, 10))
    cells = [4, 5, 2, 20, 20, 8, 8, 10, 10, 10 * 4, 8 * 5, 32 * 2]
    expected = sum(5e-6 + 1.5e-6 + 6e-9 * n for n in cells) + sums_of + steps
    assert many.cost(Limits(2)).seconds == pytest.approx(expected)


def test_families_are_a_million_and_take_a_quarter_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five binary variables have 5 + 20 + 30 + 20 families up to three parents."""
    binary = replace(family_space(table((2,) * 5)), n_labelled=0)
    seconds = binary.cost(Limits(3)).seconds - 3 * 1.2e-8 * 3**5
    assert replace(binary, time_limit=4 * seconds * 1.001).choose_limits(is_given=False).max_parents == 3
    assert replace(binary, time_limit=4 * seconds * 0.999).choose_limits(is_given=False).max_parents == 2
    assert replace(binary, time_limit=1e6).choose_limits(is_given=False) == Limits(4)
    assert space.MOST_FAMILIES == 10**6
    monkeypatch.setattr(space, "MOST_FAMILIES", 75)
    assert binary.choose_limits(is_given=False) == Limits(3, was_chosen=True)
    monkeypatch.setattr(space, "MOST_FAMILIES", 74)
    assert binary.choose_limits(is_given=False) == Limits(2, was_chosen=True)


def test_which_families_are_left_out_and_which_have_tables() -> None:
    """Beyond 65,536 cells; with fixed labels, beyond 16 configurations; without, these have their table."""
    assert family_space(table((16, 16, 16, 16), 900)).list_sets(Limits(3)).n_left_out == 0
    assert family_space(table((16, 16, 16, 17), 900)).list_sets(Limits(3)).n_left_out == 4
    rules = Constraints(labels={("v00", "v02"): [{"v01": "0"}]})
    assert family_space(table((2, 2, 2, 4)), rules=rules).list_sets(Limits(3)).n_left_out == 0
    assert family_space(table((2, 2, 2, 5)), rules=rules).list_sets(Limits(3)).n_left_out == 1
    pairs = family_space(table((4, 4, 2)))  # 8, 8 and 16 configurations
    assert pairs.list_sets(Limits(2)).n_tables == 0
    assert pairs.list_sets(Limits(2, 15)).n_tables == 1
    assert replace(pairs, n_labelled=0).list_sets(Limits(2, 15)).n_tables == 0
    own = pairs.list_sets(Limits(2), candidates=[(2,), (), (0, 1)])
    assert own.by_node == (((), (2,)), ((),), ((), (0,), (1,), (0, 1)))
