"""Trees grown from rows, against those of another program: steps, gains, leaves, volumes, counts and scores."""

import json
from math import log, prod
from pathlib import Path
from typing import Any

import pytest

import ldag
from ldag import _native

GOLDEN = json.loads((Path(__file__).parent / "files" / "grown_trees.json").read_text())
Where = dict[str, set[str]]


def grow(data: ldag.Dataset, golden: dict[str, Any]) -> "_native.GrownTree":
    """Grow the tree of one node from all other variables."""
    n_variables, node = len(data.names), data.names.index(golden["node"])
    candidates = [[v for v in range(n_variables) if v != node] if own == node else [] for own in range(n_variables)]
    variables = [variable.n_states for variable in data.schema]
    trees, _, _ = _native.grow_trees(
        _native.Columns(data.codes, variables, data.whole_weights),
        candidates,
        [[] for _ in candidates],
        [n_variables] * n_variables,
        [1 << 40] * n_variables,
        golden["prior"],
        golden["equivalent_sample_size"],
        log(golden["kappa"]),
        golden["kind"],
        [0] * n_variables,
        False,
        [0.0] * n_variables,
        1,
    )
    return trees[node]


def read_tree(data: ldag.Dataset, plain: "_native.GrownTree") -> tuple[list[Where], list[list[set[str]]]]:
    """Return for each tree node the states of variables that lead to it, and the branches of what it asks."""
    axes, targets = plain[0].tolist(), iter(plain[1].tolist())
    where: list[Where] = [{} for _ in axes]
    branches: list[list[set[str]]] = [[] for _ in axes]
    for place, axis in enumerate(axes):
        leading: dict[int, set[str]] = {}
        for state in data.schema[axis].states if axis >= 0 else ():
            leading.setdefault(next(targets), set()).add(str(state))
        leading.pop(-1, None)
        branches[place] = list(leading.values())
        for target, states in leading.items():
            where[target] = {**where[place], data.names[axis]: states}
    return where, branches


def as_sets(where: dict[str, list[str]]) -> Where:
    """Forget the order of states."""
    return {name: set(states) for name, states in where.items()}


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda g: f"{g['data']} {g['node']} {g['kind']} {g['kappa']}")
def test_grown_trees(golden: dict[str, Any]) -> None:
    """Growth without prices and levels makes the same steps."""
    data = ldag.datasets.load(golden["data"])
    plain = grow(data, golden)
    axes, _, counts, asked, steps, gains, likelihood, log_prior = plain
    where, branches = read_tree(data, plain)
    assert likelihood + log_prior == pytest.approx(golden["score"], abs=1e-6)
    assert gains == pytest.approx([step["gain"] for step in golden["steps"]], abs=1e-6)
    assert steps.tolist() == list(range(len(golden["steps"])))
    for place, step in zip(asked.tolist(), golden["steps"], strict=True):
        assert where[place] == as_sets(step["leaf"])
        assert data.names[axes[place]] == step["split"]
        assert {*map(frozenset, branches[place])} == {*map(frozenset, step["branches"])}
    sizes = {variable.name: variable.n_states for variable in data.schema}
    leaves = [place for place, axis in enumerate(axes) if axis < 0]
    assert len(leaves) == golden["n_leaves"]
    for leaf in golden["leaves"]:
        place = next(place for place in leaves if where[place] == as_sets(leaf["where"]))
        assert counts[place] == pytest.approx(leaf["counts"], abs=1e-6)
        volume = prod(len(states) / sizes[name] for name, states in where[place].items())
        assert volume == pytest.approx(leaf["volume"], abs=1e-6)
