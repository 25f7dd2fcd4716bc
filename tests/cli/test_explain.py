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
