"""The space of a posterior: how large it is, that its limits stand in the first lines, and what lies outside."""

from itertools import product
from math import lgamma, log

import numpy as np
import pytest

import ldag
from ldag.constraints import Constraints, search_space
from ldag.errors import TooLarge
from ldag.uncertainty import space
from ldag.uncertainty.space import FamilySpace, Limits

HEART = ldag.datasets.load("heart")


def table(n_states: tuple[int, ...], n_rows: int = 300) -> ldag.Dataset:
    """Columns of so many states, each with a bit of the one before."""
    rng = np.random.default_rng(3)
    columns = [rng.integers(0, n, n_rows) for n in n_states]
    for i in range(1, len(columns)):
        same = rng.random(n_rows) < 0.4
        columns[i] = np.where(same, columns[i - 1] % n_states[i], columns[i])
    return ldag.read({f"v{i:02}": column.astype(str) for i, column in enumerate(columns)})


def family_space(data: ldag.Dataset, n_kappas: int = 1, rules: Constraints | None = None) -> FamilySpace:
    """All families of some data."""
    found = search_space(data.schema, rules or Constraints(), None)
    return FamilySpace(data.schema, found, found.label_rules, True, n_kappas, data.n_rows)


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
        post = ldag.posterior(data, kappa=0.3, prior=prior)
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
    fit = ldag.learn(data, kappa=0.1)
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
    several = family_space(mixed, n_kappas=8)
    assert several.choose_limits(is_given=False) == Limits(10, 16)
    binary = family_space(table((2,) * 14), n_kappas=8)
    assert binary.choose_limits(is_given=False) == Limits(13, 15)
    assert binary.choose_limits(is_given=True) == Limits(13, 16)
    monkeypatch.setattr(space, "FAMILY_SECONDS", 1.0)
    assert binary.choose_limits(is_given=False) == Limits(5, 15, was_chosen=True)
    monkeypatch.setattr(space, "FAMILY_SECONDS", 0.5)
    assert several.choose_limits(is_given=False) == Limits(10, 11)
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
    fit = ldag.learn(data, kappa=0.3, method="climb", n_restarts=0, max_parents=3)
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
