"""Files that released versions wrote are read for ever."""

from pathlib import Path

import pytest

from ldag import LDAG, Network, datasets

FILES = Path(__file__).parent / "files"


@pytest.mark.parametrize("path", sorted(FILES.glob("*network*.json")), ids=lambda path: path.name)
def test_networks_of_version_1(path: Path) -> None:
    """They load, and what is saved again is the same to the last byte."""
    assert Network.load(path).to_json() == path.read_text(encoding="utf-8")


def test_estimates_of_version_1() -> None:
    """Counts with relative frequencies, and probabilities without counts."""
    heart = datasets.graph("heart"), datasets.load("heart")
    likelihood = Network.from_data(*heart, equivalent_sample_size=3, estimate="likelihood")
    assert Network.load(FILES / "heart-likelihood-v1.json") == likelihood
    given = Network.load(FILES / "heart-probabilities-v1.json")
    assert given.learned is None
    assert given.ldag == heart[0]


def test_graphs_of_version_1() -> None:
    """Odd names, states of every type, and classes beyond labels."""
    graph = LDAG.load(FILES / "odd-graph-v1.json")
    assert graph == LDAG.load(FILES / "odd-graph-v1.ldag")
    assert graph.variables[0].states == (2, "1", True, 1.5)
    assert graph.partition("c").classes == (0, 1, 1, 0)
