"""Files that the first version wrote: read for ever, and as what they were."""

from pathlib import Path

import pytest

import ldag
from ldag import LDAG, Network

FILES = Path(__file__).parent / "files" / "first_version"
ROWS = [[0.9, 0.1], [0.2, 0.8], [0.5, 0.5], [0.9, 0.1], [0.2, 0.8], [0.5, 0.5]]


@pytest.mark.parametrize("name", ["heart.ldag", "heart.json"])
def test_graphs(name: str) -> None:
    """The graph of the heart data."""
    assert LDAG.load(FILES / name) == ldag.datasets.graph("heart")


def test_a_graph_in_dot() -> None:
    """The guard."""
    assert LDAG.load(FILES / "guard.dot") == ldag.datasets.graph("guard")


@pytest.mark.parametrize("name", ["classes.ldag", "classes.json", "classes.dot"])
def test_classes_beyond_labels(name: str) -> None:
    """Configurations that share a distribution without a label that says so."""
    graph = LDAG.load(FILES / name)
    assert graph == ldag.datasets.graph("guard").with_table("badge", ROWS)
    assert not graph.is_csi_consistent("badge")


def test_networks() -> None:
    """Probabilities, counts and classes."""
    heart = Network.load(FILES / "heart_network.json")
    assert heart == Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
    classes = Network.load(FILES / "classes_network.json")
    assert classes.cpt("badge").values.reshape(-1, 2).tolist() == ROWS
