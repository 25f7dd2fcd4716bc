"""Trees grown from rows, against those of another program: steps, gains, leaves, volumes, counts, averages."""

import json
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldag
from ldag.learning.family_tree import FamilyTree
from ldag.learning.grown import GrownTree
from ldag.model import LEAF, Smoothing, average_prunings

FILES = Path(__file__).parent / "files"
GOLDEN = json.loads((FILES / "grown_trees.json").read_text())
AVERAGED = json.loads((FILES / "pruning_average.json").read_text())


def as_sets(where: dict[str, Any]) -> dict[str, set[str]]:
    """Forget the order of states."""
    return {name: set(map(str, states)) for name, states in where.items()}


@pytest.mark.parametrize("golden", GOLDEN, ids=lambda g: f"{g['data']} {g['node']} {g['kind']} {g['kappa']}")
def test_grown_trees(golden: dict[str, Any]) -> None:
    """Growth of one family asks the same questions in the same order, and ends with the same leaves and score."""
    family = ldag.learn_family(
        ldag.datasets.load(golden["data"]),
        golden["node"],
        candidates="all",
        structure="tree",
        splits=golden["kind"],
        kappa=golden["kappa"],
        prior=golden["prior"],
        equivalent_sample_size=golden["equivalent_sample_size"],
    )
    tree = family.tree
    assert tree is not None
    assert family.score == pytest.approx(golden["score"], abs=1e-6)
    assert [step.gain for step in family.gains] == pytest.approx([step["gain"] for step in golden["steps"]], abs=1e-6)
    for question, step in zip(tree.questions, golden["steps"], strict=True):
        assert as_sets(dict(question.where)) == as_sets(step["leaf"])
        assert question.variable == step["split"]
        assert {*map(frozenset, question.branches)} == {*map(frozenset, step["branches"])}
        assert question.gain == pytest.approx(step["gain"], abs=1e-6)
    assert len(tree.leaves) == len(golden["leaves"]) == golden["n_leaves"]
    assert set(family.parents) == {step["split"] for step in golden["steps"]}
    for leaf in golden["leaves"]:
        own = next(one for one in tree.leaves if as_sets(dict(one.where)) == as_sets(leaf["where"]))
        assert list(own.counts.values()) == pytest.approx(leaf["counts"], abs=1e-6)
        assert own.volume == pytest.approx(leaf["volume"], abs=1e-6)


NESTED: dict[str, Any] = {
    "protein": {"<3": {"smoking": {"no": 0, "yes": {"family": {"no": 1, "yes": 2}}}}, ">3": 3},
}
"""The tree of the golden file, which was grown with a reward for parameters."""


def heart_graph() -> tuple[ldag.Dataset, ldag.LDAG]:
    """Return the data of the golden file, and the graph of its tree."""
    data = ldag.datasets.load("heart")
    edges = [(parent, "pressure") for parent in ("smoking", "protein", "family")]
    states = {variable.name: variable for variable in data.variables}
    return data, ldag.LDAG.from_edges(edges, states=states, trees={"pressure": NESTED})


def predict(rows: ldag.Network | FamilyTree) -> list[float]:
    """Return the probability of high pressure in all configurations of the golden file."""
    kappa, own = AVERAGED["averaged_with_kappa"], []
    for row in AVERAGED["averaged_predictions"]:
        given = {name: state for name, state in row.items() if not name.startswith("p(")}
        if isinstance(rows, FamilyTree):
            own.append(rows.distribution(given, estimate="averaged", kappa=kappa)[">140"])
        else:
            own.append(rows.query("pressure", given=given)[">140"])
    return own


def test_averages_over_prunings() -> None:
    """A network with averaged parameters, and a tree that is asked for them, predict the same."""
    data, graph = heart_graph()
    expected = [row["p(>140)"] for row in AVERAGED["averaged_predictions"]]
    kappa = AVERAGED["averaged_with_kappa"]
    network = ldag.Network.from_data(graph, data, estimate="averaged", kappa=kappa)
    assert predict(network) == pytest.approx(expected, abs=1e-9)
    schema, node = data.schema, data.schema.node("pressure")
    family = graph.structure.families[graph.schema.node("pressure")]
    coded = family.partition.as_tree()
    assert coded is not None
    posterior = network.learned.posteriors[graph.schema.node("pressure")] if network.learned else None
    assert posterior is not None
    leaves = posterior.counts[coded.classes]
    variables = np.array(schema.nodes([graph.schema[parent].name for parent in family.parents]))
    order = np.argsort(variables)
    axes = np.where(coded.axes == LEAF, LEAF, variables[coded.axes])
    counts = np.zeros((coded.n_nodes, 2))
    counts[coded.leaves] = leaves
    grown = GrownTree(axes, coded.targets, counts, (), (), (), 0.0, 0.0)
    assert sorted(grown.parents) == variables[order].tolist()
    assert predict(FamilyTree.of(schema, node, grown, Smoothing(1.0))) == pytest.approx(expected, abs=1e-9)
    total = average_prunings(coded, leaves, coded.shares, log(kappa))[1]
    assert total == pytest.approx(AVERAGED["log_sum_over_prunings"], abs=1e-9)
    assert AVERAGED["n_prunings"] == 4
