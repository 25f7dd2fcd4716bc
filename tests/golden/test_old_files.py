"""Files that released versions wrote are read for ever."""

import json
from pathlib import Path

import pytest

from ldag import LDAG, Bootstrap, Mixture, Network, Posterior, datasets

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


def test_posteriors_of_version_1() -> None:
    """Exact ones and those of chains print the lines that the version printed which wrote them."""
    exact = str(Posterior.load(FILES / "heart3-posterior-v1.json")).splitlines()
    assert (
        exact[2] == "prior: normalised (every DAG alike), kappa 0.3; equivalent sample size 1, log evidence -3786.1506"
    )
    assert exact[6] == "  protein - pressure        0.98  0.67   0.31         0.45   0.18"
    assert exact[-6] == "  0.52  0.82  smoking does not matter for pressure when protein is >3"
    chains = str(Posterior.load(FILES / "heart3-chains-v1.json")).splitlines()
    assert chains[4].startswith("chains: converged: 4 runs of 33 samples, largest R-hat 1.026")
    assert chains[6] == "  smoking - protein         0.99  0.51   0.48         0.11   0.13"


def test_bootstraps_of_version_1() -> None:
    """They load, and what is saved again is the same."""
    path = FILES / "heart3-bootstrap-v1.json"
    boot = Bootstrap.load(path)
    assert boot.to_dict() == json.loads(path.read_text())
    assert "  smoking - pressure       0.95       0.53        0.10" in str(boot).splitlines()


@pytest.mark.parametrize("version", [1, 2])
def test_mixtures(version: int, tmp_path: Path) -> None:
    """They load, answer as before, and what is saved again is the same."""
    path = FILES / f"heart3-mixture-v{version}.json"
    mixture = Mixture.load(path)
    again = mixture.to_dict()
    assert again["version"] == 2
    mixture.save(tmp_path / "again.json")
    assert Mixture.load(tmp_path / "again.json").members == mixture.members
    if version == 2:
        assert again == json.loads(path.read_text())
    assert mixture.query("pressure", {"smoking": "yes"})[">140"] == pytest.approx(0.3874097466858203, abs=1e-15)
