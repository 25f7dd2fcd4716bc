"""Strengths and directions of bnlearn's definition, on replicates whose counts are written down."""

import json
from itertools import product
from pathlib import Path

import pytest

import ldag
from ldag.uncertainty import average_arcs, direct_graph, strongest_first

GOLDEN = json.loads((Path(__file__).parent / "files" / "bootstrap_heart4.json").read_text())


def _replicates() -> list[ldag.Dataset]:
    """The data of every replicate."""
    names, states = list(GOLDEN["variables"]), list(GOLDEN["variables"].values())
    cells = list(product(*states))
    columns = {name: [cell[i] for cell in cells] for i, name in enumerate(names)}
    counts = next(value for key, value in GOLDEN.items() if key.startswith("replicates"))
    return [ldag.read(columns | {"n": own}, counts="n", states=GOLDEN["variables"]) for own in counts]


def test_strengths_and_directions_are_those_of_boot_strength() -> None:
    """Best DAGs of full tables, averaged as CPDAGs, have the published strengths and directions."""
    graphs = [
        (ldag.learn(data, structure="table", method="exact", kappa="cv", equivalent_sample_size=1).ldag, 1)
        for data in _replicates()
    ]
    arcs = average_arcs((direct_graph(g, "cpdag"), n) for g, n in graphs)
    edges = strongest_first(list(GOLDEN["variables"]), arcs, "")
    strength = {f"{edge.parent} - {edge.child}": edge.strength for edge in edges}
    direction = {f"{edge.parent} -> {edge.child}": edge.direction for edge in edges}
    assert {pair: strength[pair] for pair in GOLDEN["strength"]} == pytest.approx(GOLDEN["strength"], abs=1e-12)
    assert direction == pytest.approx(GOLDEN["direction"], abs=1e-12)
