"""`learn` by growth: what must not matter to it, what it keeps to, and what it says where it cannot."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldag
from ldag import Constraints, LdagError
from ldag.learning.growth_race import PRIORS_OF_GROWTH

FIXED: dict[str, Any] = {"method": "grow", "equivalent_sample_size": 1.0, "kappa": 0.3}


def table(n: int = 400, seed: int = 2) -> dict[str, list[str]]:
    """Return columns of 2 to 4 states: b follows a, d does so where c is 0, and e is by itself."""
    rng = np.random.default_rng(seed)
    a, c, e = rng.integers(0, 3, n), rng.integers(0, 2, n), rng.integers(0, 4, n)
    b = np.where(rng.random(n) < 0.8, a, rng.integers(0, 3, n))
    d = np.where((c == 0) & (rng.random(n) < 0.8), b, rng.integers(0, 3, n))
    return {name: column.astype(str).tolist() for name, column in zip("abcde", (a, b, c, d, e), strict=True)}


def same(fit: ldag.Fit, other: ldag.Fit) -> bool:
    """Whether two fits found the same trees; columns may come in another order, by which classes are numbered."""
    first, second = (
        {name: re.sub(r"p\d+", "p", str(one.ldag.as_tree(name))) for name in one.ldag.schema.names}
        for one in (fit, other)
    )
    return fit.score.total == other.score.total and first == second


@pytest.mark.parametrize("settings", [FIXED, {"method": "grow"}], ids=["fixed", "chosen"])
def test_threads_rows_and_columns_do_not_matter(settings: dict[str, Any]) -> None:
    """One thread or two, rows and columns in another order, or rows counted: the same to the last bit."""
    data = table()
    fit = ldag.learn(data, **settings, n_jobs=1)
    assert len(fit.ldag.edges) >= 2
    order = np.random.default_rng(3).permutation(len(data["a"]))
    turned = {name: [data[name][row] for row in order] for name in "dcbea"}
    read = ldag.read(data)
    counted = {
        name: [read.variables[place].states[code] for code in column]
        for place, (name, column) in enumerate(zip(read.names, read.codes.tolist(), strict=True))
    }
    merged = ldag.read({**counted, "n": read.whole_weights.tolist()}, counts="n")
    assert read.n_rows < 400
    assert same(fit, ldag.learn(data, **settings, n_jobs=2))
    assert same(fit, ldag.learn(turned, **settings))
    assert same(fit, ldag.learn(merged, **settings))


def test_real_weights() -> None:
    """Rows that weigh twice as much score as rows that come twice, and a half counts as such."""
    data = table(60)
    twice = {name: own * 2 for name, own in data.items()}
    once = ldag.learn(ldag.read({**data, "w": [2.0] * 60}, weights="w"), **FIXED)
    assert once.score.total == pytest.approx(ldag.learn(twice, **FIXED).score.total, abs=1e-9)
    half = ldag.learn(ldag.read({**data, "w": [0.5] * 60}, weights="w"), **FIXED)
    assert half.n_observations == pytest.approx(30)
    assert half.score.total == pytest.approx(ldag.score(half.ldag, half.data, kappa=0.3, prior="parameters").total)


CONSTRAINTS = {
    "forbidden": Constraints(forbidden=[("a", "b"), ("b", "a")]),
    "required": Constraints(required=[("e", "a"), ("d", "c")]),
    "tiers": Constraints(tiers=[["d", "e"], ["a", "b", "c"]]),
}


@pytest.mark.parametrize("settings", [FIXED, {"method": "grow"}], ids=["fixed", "chosen"])
@pytest.mark.parametrize("kind", CONSTRAINTS)
def test_constraints_hold(kind: str, settings: dict[str, Any]) -> None:
    """Whether sizes are given or chosen on folds."""
    edges = set(ldag.learn(table(), **settings, constraints=CONSTRAINTS[kind]).ldag.edges)
    tier = {"d": 0, "e": 0, "a": 1, "b": 1, "c": 1}
    assert edges
    if kind == "forbidden":
        assert not edges & {("a", "b"), ("b", "a")}
    if kind == "required":
        assert edges >= {("e", "a"), ("d", "c")}
    if kind == "tiers":
        assert all(tier[parent] <= tier[child] for parent, child in edges)


def test_limits_hold() -> None:
    """No node has more parents or leaves than it may, where it would have more."""
    free = ldag.learn(table(), **FIXED)
    most = ldag.learn(table(), **FIXED, max_parents=1)
    few = ldag.learn(table(), **FIXED, max_leaves=2)
    names = free.ldag.schema.names
    assert max(len(free.ldag.parents(name)) for name in names) > 1
    assert max(len(most.ldag.parents(name)) for name in names) == 1
    assert max(free.ldag.partition(name).n_classes for name in names) > 2
    assert max(few.ldag.partition(name).n_classes for name in names) == 2


@pytest.mark.parametrize(
    "settings", [{"method": "grow"}, {"method": "grow", "equivalent_sample_size": "cv"}], ids=["fixed", "chosen"]
)
def test_time_that_is_up(settings: dict[str, Any]) -> None:
    """What is grown by then is a fit that says so, required edges among its own."""
    rng = np.random.default_rng(1)
    names = [f"v{i}" for i in range(150)]
    wide = ldag.read(rng.integers(0, 2, (3_000, 150)), names=names)
    needed = Constraints(required=[("v1", "v0")])
    eager = {"kappa": 1.0, "choice_price": 0.0, "equivalent_sample_size": 1000.0}
    fit = ldag.learn(wide, **{**eager, **settings, "kappa": 1.0}, time_limit=0.01, constraints=needed)
    assert fit.stopped
    assert ("v1", "v0") in fit.ldag.edges
    assert fit.promise.startswith("ended by the time limit: this is the best graph found until then")


def test_checkpoints(tmp_path: Path) -> None:
    """What is done is not done again, and gives the same; a file of other settings is refused."""
    data, path = table(), tmp_path / "kept.json"
    fit = ldag.learn(data, **FIXED, checkpoint=path)
    again = ldag.learn(data, **FIXED, checkpoint=path)
    assert same(fit, again)
    assert [again.network.parameters(name) for name in data] == [fit.network.parameters(name) for name in data]
    chosen = tmp_path / "chosen.json"
    assert same(ldag.learn(data, method="grow", checkpoint=chosen), ldag.learn(data, method="grow", checkpoint=chosen))
    with pytest.raises(LdagError):
        ldag.learn(data, **{**FIXED, "kappa": 0.4}, checkpoint=path)
    with pytest.raises(LdagError):
        ldag.learn(data, **FIXED, splits="complete", checkpoint=path)


def test_progress() -> None:
    """Folds and growth are told of."""
    told: list[Any] = []
    ldag.learn(table(), method="grow", progress=told.append)
    assert told
    assert {"done", "total"} <= told[0].keys()


@pytest.mark.filterwarnings("ignore::ldag.DataNote")
def test_columns_and_rows_at_the_edge() -> None:
    """One row, one column, columns of one state, 255 states: networks that have no questions about constants."""
    row = ldag.learn({"a": ["0"], "b": ["1"]}, method="grow")
    assert row.ldag.edges == ()
    assert ldag.learn({"a": table()["a"]}, method="grow").ldag.edges == ()
    constant = ldag.learn({**table(), "k": ["x"] * 400}, method="grow")
    assert not [edge for edge in constant.ldag.edges if "k" in edge]
    assert len(constant.ldag.edges) >= 2
    n = 255 * 8
    many = {"m": [str(i % 255) for i in range(n)], "y": [str(int(i % 255 > 100)) for i in range(n)]}
    read = ldag.read(many, max_states=255, states={"m": ldag.ordered([str(i) for i in range(255)])})
    tree = ldag.learn_family(read, "y", candidates="all", structure="tree", kappa=0.3, prior="parameters").tree
    assert tree is not None
    assert [len(branch) for branch in tree.questions[0].branches] == [101, 154]
    assert len(tree.leaves) == 2
    complete = ldag.learn(read, **FIXED, splits="complete", constraints=Constraints(required=[("m", "y")]))
    assert complete.ldag.partition("y").n_classes == 255


def test_orders_have_thresholds() -> None:
    """A variable whose states have an order is cut in two, in `learn` as in `learn_family`."""
    rng = np.random.default_rng(0)
    age = rng.integers(0, 6, 1_000)
    y = (age >= 3) ^ (rng.random(1_000) < 0.1)
    states = {"age": ldag.ordered([str(i) for i in range(6)])}
    data = ldag.read({"age": age.astype(str).tolist(), "y": y.astype(int).tolist()}, states=states)
    for settings in (FIXED, {"method": "grow"}):
        graph = ldag.learn(data, **settings, constraints=Constraints(forbidden=[("y", "age")])).ldag
        assert graph.partition("y").classes == (0, 0, 0, 1, 1, 1)


PRIORS: list[dict[str, Any]] = [
    {"prior": "parameters"},
    {"prior": "leaves"},
    {"prior": "nested"},
    {"prior": "uniform"},
    {"prior": "cv"},
    {"kappa": "cv"},
    {"levels": True},
    {"levels": False},
    {"splits": "complete"},
    {"smoothing": (4, "nested")},
    {"smoothing": ("cv", "nested")},
    {"smoothing": (2, "classes")},
]


@pytest.mark.parametrize("given", PRIORS, ids=str)
def test_what_is_given_is_kept_to(given: dict[str, Any]) -> None:
    """Where sizes are chosen, and what is given otherwise."""
    fit = ldag.learn(table(120), method="grow", **given)
    assert fit.cv is not None
    tried = {candidate.prior for candidate in fit.cv.scores}
    assert tried == ({given["prior"]} if given.get("prior", "cv") != "cv" else {prior for prior, _ in PRIORS_OF_GROWTH})
    if isinstance(given.get("levels"), bool):
        assert {candidate.levels for candidate in fit.cv.scores if candidate.prior != "nested"} == {given["levels"]}
    if "smoothing" in given:
        assert fit.smoothing.spread == given["smoothing"][1]
    assert fit.network == ldag.Network.from_json(fit.network.to_json())
