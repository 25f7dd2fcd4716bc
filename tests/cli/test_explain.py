"""`ldag explain`: one node in words and numbers."""

import json
from pathlib import Path

import ldag
from tests.command import run


def test_a_node_is_explained(tmp_path: Path) -> None:
    """Its parents, when they do not matter, and its probabilities with counts and intervals."""
    path = tmp_path / "heart.json"
    net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
    net.save(path)
    said = run("explain", str(path), "pressure")
    assert "pressure depends on smoking and protein" in said
    assert "smoking does not matter for pressure when protein is >3" in said
    assert f"Markov blanket: {', '.join(net.ldag.markov_blanket('pressure'))}\n" in said
    record = json.loads(run("explain", str(path), "pressure", "--json"))
    assert record["markov_blanket"] == ["smoking", "protein"]
    assert sum(sum(part["counts"]) for part in record["classes"]) == 1841
    for part in record["classes"]:
        for p, (low, high) in zip(part["probabilities"], part["intervals"], strict=True):
            assert low < p < high


def test_a_large_table_is_explained_with_its_intervals(tmp_path: Path) -> None:
    """Intervals of the few different counts are computed once, and so quickly."""
    names = [f"p{i}" for i in range(12)]
    graph = ldag.LDAG.from_edges([(name, "y") for name in names], states=dict.fromkeys([*names, "y"], (0, 1)))
    columns = {name: [i >> k & 1 for i in range(300)] for k, name in enumerate(names)}
    ldag.Network.from_data(
        graph, ldag.read(columns | {"y": [0, 1, 1] * 100}, states=dict.fromkeys(names, (0, 1)))
    ).save(tmp_path / "net.json")
    shown = run("explain", str(tmp_path / "net.json"), "y").splitlines()
    assert sum(" (" in line for line in shown) == 4096
