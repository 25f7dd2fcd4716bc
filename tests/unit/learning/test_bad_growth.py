"""What growth is asked that makes no sense: one clear error each, in Python and on the command line."""

from pathlib import Path
from typing import Any

import pytest

import ldag
from ldag import Constraints, LdagError
from ldag.learning import Settings
from tests.command import run

DATA: dict[str, list[str]] = {
    "a": ["0", "1", "2", "0", "1", "2"] * 4,
    "b": ["0", "1", "1", "0", "1", "0"] * 4,
    "c": ["x", "y", "x", "x", "y", "y"] * 4,
}

SETTINGS = [
    ({"structure": "table"}, r"^method='grow' grows trees; leave out structure, got 'table'$"),
    ({"structure": "graph"}, r"grows trees; leave out structure, got 'graph'$"),
    ({"prior": "normalised"}, r"^prior 'normalised' pays by configurations"),
    ({"prior": "cv", "equivalent_sample_size": 1.0}, r"chooses priors together with sizes; leave out the size$"),
    ({"label_search": "exact"}, r"^label_search does not apply to method='grow'$"),
    ({"kappa": 0.0}, r"^kappa must be a number above 0 and at most 1, got 0"),
    ({"kappa": 1.5}, r"^kappa must be a number above 0 and at most 1, got 1.5$"),
    ({"prior": "uniform", "kappa": 0.5}, r"^the uniform prior has no kappa"),
    ({"splits": "ternary"}, r"^no splits 'ternary'; did you mean"),
    ({"levels": "yes"}, r"^levels must be True or False, got 'yes'$"),
    ({"choice_price": -1.0}, r"^choice_price must be a number, 0 or more, got -1.0$"),
    ({"choice_price": float("inf")}, r"^choice_price must be a number, 0 or more, got inf$"),
    ({"max_leaves": 0}, r"^max_leaves must be a whole number, 1 or more, got 0$"),
    ({"n_restarts": 3}, r"^n_restarts applies to method .*, not to 'grow'$"),
    ({"method": "climb", "prior": "nested"}, r"^prior 'nested' is for method='grow'"),
    ({"method": "climb", "smoothing": (4, "nested")}, r"^smoothing 'nested' is for method='grow'"),
    ({"method": "climb", "smoothing": ("cv", "nested")}, r"^smoothing 'nested' is for method='grow'"),
    ({"method": "climb", "smoothing": (2, "classes", 0.3)}, r"^smoothing with a price averages over prunings of trees"),
    ({"smoothing": (2, "nested", 0.3)}, r"^smoothing must be .* got \(2, 'nested', 0.3\)"),
    ({"smoothing": (2, "classes", 1.5)}, r"^smoothing must be .* a price above 0 and at most 1"),
    ({"smoothing": ("cv", "classes", 0.3)}, r"^smoothing must be"),
    ({"smoothing": (2, "classes", 0.3, 1)}, r"^smoothing must be"),
    ({"smoothing": ()}, r"^smoothing must be"),
    ({"method": "climb", "levels": True}, r"^levels applies to method 'grow', not to 'climb'$"),
]


@pytest.mark.parametrize(("given", "message"), SETTINGS, ids=[str(given) for given, _ in SETTINGS])
def test_settings(given: dict[str, Any], message: str) -> None:
    """Before any data are looked at."""
    with pytest.raises(LdagError, match=message):
        Settings.of(**{"method": "grow", **given})


CONSTRAINED = [
    ({"constraints": Constraints(labels={("a", "b"): [{"c": "x"}]})}, r"constraints on labels apply to structure"),
    ({"constraints": Constraints(unlabelled=[("a", "b")])}, r"constraints on labels apply to structure"),
    ({"constraints": Constraints(required=[("a", "b"), ("b", "a")])}, r"required edges form a cycle, a -> b -> a"),
    (
        {"constraints": Constraints(required=[("a", "b"), ("c", "b")]), "max_leaves": 2},
        r"^the edges to 'b' that are required take a tree of 3 leaves; max_leaves must be that at least, got 2$",
    ),
    (
        {"constraints": Constraints(required=[("a", "b")]), "max_leaves": 2, "splits": "complete"},
        r"take a tree of 3 leaves",
    ),
    (
        {"constraints": Constraints(required=[("k", "b")])},
        r"^an edge from 'k' to 'b' is required, and no tree asks about 'k', which has one state",
    ),
]


@pytest.mark.filterwarnings("ignore::ldag.DataNote")
@pytest.mark.parametrize("sizes", [{"equivalent_sample_size": 1.0}, {}], ids=["fixed", "chosen"])
@pytest.mark.parametrize(("given", "message"), CONSTRAINED, ids=[message[:30] for _, message in CONSTRAINED])
def test_constraints(given: dict[str, Any], message: str, sizes: dict[str, Any]) -> None:
    """Those that trees cannot keep."""
    data = {**DATA, "k": ["0"] * 24}
    with pytest.raises(LdagError, match=message):
        ldag.learn(data, method="grow", **sizes, **given)


def with_gaps() -> ldag.Dataset:
    """Return data of which one cell is missing."""
    rows: dict[str, Any] = {**DATA, "a": [None, *DATA["a"][1:]]}
    return ldag.read(rows, missing="keep")


def test_gaps() -> None:
    """Of one family they are refused by name; those of a column that nobody asks about make no difference."""
    data = with_gaps()
    family: dict[str, Any] = {"structure": "tree", "kappa": 0.3, "prior": "parameters"}
    with pytest.raises(LdagError, match=r"^to grow the tree of 'b' needs every cell"):
        ldag.learn_family(data, "b", candidates="all", **family)
    assert ldag.learn_family(data, "b", candidates=["c"], **family).score == pytest.approx(
        ldag.learn_family(DATA, "b", candidates=["c"], **family).score
    )


FAMILIES = [
    ({"parents": ["b"]}, r"^give either parents or candidates, one of both$"),
    ({"candidates": None}, r"^give either parents or candidates, one of both$"),
    ({"candidates": ["a"]}, r"^candidates: 'a' cannot be its own parent$"),
    ({"candidates": ["b", "b"]}, r"^candidates: variable 'b' is named twice$"),
    ({"candidates": ["z"]}, r"^candidates: no variable 'z'; expected one of 'a', 'b', 'c'$"),
    ({"candidates": 5}, r"^candidates: expected a variable's name or several, got 5$"),
    ({"structure": "ldag"}, r"^candidates are for structure='tree', got 'ldag'$"),
    ({"prior": "labels"}, r"^prior 'labels' pays by configurations"),
    ({"prior": "normalised"}, r"^prior 'normalised' pays by configurations"),
    ({"kappa": None}, r"^kappa is needed"),
    ({"kappa": 12}, r"^kappa must be a number above 0 and at most 1, got 12$"),
    ({"equivalent_sample_size": 0}, r"^equivalent_sample_size must be a finite number above 0, got 0$"),
    ({"rng": 3}, r"^rng does not apply to candidates"),
    ({"label_search": "exact"}, r"^label_search does not apply to candidates"),
    ({"levels": "no"}, r"^levels must be True or False, got 'no'$"),
    ({"max_parents": -1}, r"^max_parents must be a whole number, 0 or more, got -1$"),
    ({"candidates": None, "parents": ["b"], "splits": "binary"}, r"^splits applies to candidates"),
    ({"candidates": None, "parents": ["b"], "prior": "nested"}, r"^prior 'nested' is for trees that are grown"),
]


@pytest.mark.parametrize(("given", "message"), FAMILIES, ids=[str(given) for given, _ in FAMILIES])
def test_families(given: dict[str, Any], message: str) -> None:
    """`learn_family` with candidates, and without."""
    usual = {"candidates": "all", "structure": "tree", "kappa": 0.3, "prior": "parameters"}
    with pytest.raises(LdagError, match=message):
        ldag.learn_family(DATA, "a", **{**usual, **given})


DISTRIBUTIONS = [
    ({"estimate": "best"}, r"^no estimate 'best'; did you mean 'nested'"),
    ({"estimate": "averaged"}, r"^kappa goes with estimate='averaged', and one needs the other$"),
    ({"kappa": 0.1}, r"^kappa goes with estimate='averaged'"),
    ({"estimate": "averaged", "kappa": 3}, r"^kappa must be a number above 0 and at most 1, got 3$"),
    ({"estimate": "nested"}, r"^strength goes with estimate='nested'"),
    ({"estimate": "nested", "strength": float("nan")}, r"^strength must be a finite number above 0, got nan$"),
    ({"configuration": {}}, r"^configuration: the state of 'a' is missing, which the tree asks about$"),
    ({"configuration": {"a": "0", "z": "0"}}, r"^configuration: no variable 'z'"),
    ({"configuration": {"a": "9"}}, r"^configuration: variable 'a' has no state '9'"),
    ({"configuration": "a"}, r"^configuration must be a mapping, got 'a'$"),
]


@pytest.mark.parametrize(("given", "message"), DISTRIBUTIONS, ids=[str(given) for given, _ in DISTRIBUTIONS])
def test_distributions(given: dict[str, Any], message: str) -> None:
    """What a tree is asked for."""
    rows = {"a": ["0", "1"] * 50, "y": [*["0", "1"] * 49, "1", "0"]}
    tree = ldag.learn_family(rows, "y", candidates="all", structure="tree", kappa=0.3, prior="parameters").tree
    assert tree is not None
    with pytest.raises(LdagError, match=message):
        tree.distribution(**{"configuration": {"a": "0"}, **given})


PARAMETERS = [
    ({"spread": "nested"}, r"^spread='nested' is for classes that are the leaves of a tree, and those of 'b' are not"),
    ({"estimate": "averaged", "kappa": 0.3}, r"^estimate='averaged' is for classes that are the leaves of a tree"),
    ({"estimate": "averaged"}, r"^kappa goes with estimate='averaged', and one needs the other$"),
    ({"kappa": 0.3}, r"^kappa goes with estimate='averaged', and one needs the other$"),
    ({"estimate": "averaged", "kappa": 0}, r"^kappa must be a number above 0 and at most 1, got 0$"),
    ({"estimate": "averaged", "kappa": 0.3, "spread": "nested"}, r"^estimate='averaged' has prunings of its own"),
]


@pytest.mark.parametrize(("given", "message"), PARAMETERS, ids=[str(given) for given, _ in PARAMETERS])
def test_parameters_of_dense_families(given: dict[str, Any], message: str) -> None:
    """What learns from the nodes above leaves is for trees."""
    with pytest.raises(LdagError, match=message):
        ldag.Network.from_data([("a", "b"), ("c", "b")], DATA, **given)


def test_scores_of_dense_families() -> None:
    """The nested prior is for trees, and for data without gaps; nothing is certified about what was grown."""
    dense = ldag.LDAG.from_edges([("a", "b")], states={name: sorted(set(own)) for name, own in DATA.items()})
    with pytest.raises(LdagError, match=r"^prior 'nested' is for classes that are the leaves of a tree"):
        ldag.score(dense, DATA, kappa=0.3, prior="nested")
    with pytest.raises(LdagError, match=r"^spread='nested' is for classes that are the leaves of a tree"):
        ldag.log_predictive(dense, DATA, DATA, spread="nested")
    fit = ldag.learn(DATA, method="grow", equivalent_sample_size=1.0)
    with pytest.raises(LdagError, match=r"^prior 'nested' is for data without gaps"):
        ldag.score(fit.ldag, with_gaps(), kappa=0.3, prior="nested")
    with pytest.raises(LdagError, match=r"^a certificate is about families of given parents"):
        fit.certify()


COMMANDS = [
    (["--structure", "table"], "--method grow grows trees; leave out --structure, got 'table'"),
    (["--prior", "normalised"], "prior 'normalised' pays by configurations"),
    (["--splits", "ternary"], "'ternary' is not one of 'binary', 'complete'"),
    (["--choice-price", "-1"], "--choice-price must be a number, 0 or more, got -1.0"),
    (["--max-leaves", "0"], "--max-leaves must be a whole number, 1 or more, got 0"),
    (["--kappa", "2"], "--kappa must be a number above 0 and at most 1, got 2.0"),
    (["--label-search", "exact"], "--label-search does not apply to --method grow"),
]


@pytest.mark.parametrize(("options", "message"), COMMANDS, ids=[" ".join(options) for options, _ in COMMANDS])
def test_commands(tmp_path: Path, options: list[str], message: str) -> None:
    """One line, and the exit code of mistakes in what was asked."""
    table = tmp_path / "table.csv"
    table.write_text("\n".join(["a,b,c", *(",".join(row) for row in zip(*DATA.values(), strict=True))]) + "\n")
    said = run("learn", str(table), "--method", "grow", *options, code=2)
    assert message in said
    assert len([line for line in said.splitlines() if not line.startswith("note: ")]) == 1
