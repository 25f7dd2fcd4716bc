"""Posteriors on well-known networks beside pyAgrum and pgmpy."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from ldag import Network
from tests.oracle.networks import BifNetwork


def findings(network: Network, seed: int) -> dict[str, str]:
    """Five variables of a row drawn from the network: evidence that is possible."""
    rng = np.random.default_rng(seed)
    row = {name: str(cells[0]) for name, cells in network.sample_columns(1, seed).items()}
    return {str(name): row[name] for name in rng.choice(list(row), size=5, replace=False)}


@pytest.mark.parametrize("name", ["asia", "alarm", "insurance", "hailfinder"])
def test_posteriors_equal_those_of_pyagrum(name: str, tmp_path: Path) -> None:
    """All marginals given five findings, and the probability of the findings; its reader rounds to 32 bits."""
    pyagrum = pytest.importorskip("pyagrum")
    source = BifNetwork(name)
    network = source.ldag()
    path = tmp_path / f"{name}.bif"
    path.write_bytes(gzip.decompress(source.path.read_bytes()))
    engine = pyagrum.LazyPropagation(pyagrum.loadBN(str(path)))
    for seed in range(5):
        given = findings(network, seed)
        engine.setEvidence(given)
        assert network.probability(given) == pytest.approx(engine.evidenceProbability(), rel=1e-5)
        for variable, posterior in network.marginals(given).items():
            table = engine.posterior(variable)
            expected = [table[{variable: state}] for state in source.states[variable]]
            assert list(posterior.values()) == pytest.approx(expected, abs=1e-6), variable


@pytest.mark.filterwarnings("ignore")  # pgmpy announces its own coming changes
@pytest.mark.parametrize("name", ["asia", "insurance"])
def test_posteriors_equal_those_of_pgmpy(name: str) -> None:
    """Some marginals, a joint one, and the most probable explanation of a small network."""
    pytest.importorskip("pgmpy")
    from pgmpy.inference import VariableElimination
    from pgmpy.readwrite import BIFReader

    source = BifNetwork(name)
    network = source.ldag()
    engine = VariableElimination(BIFReader(string=gzip.decompress(source.path.read_bytes()).decode()).get_model())
    given = findings(network, 1)
    free = [v.name for v in network.variables if v.name not in given]
    for target in free[:4]:
        found = engine.query([target], evidence=given, show_progress=False)
        expected = dict(zip(found.state_names[target], found.values, strict=True))
        assert network.query(target, given) == pytest.approx(expected, abs=1e-9)
    pair = engine.query(free[:2], evidence=given, show_progress=False)
    for states, probability in network.query(free[:2], given).items():
        assert isinstance(states, tuple)
        assert pair.get_value(**dict(zip(free, states, strict=False))) == pytest.approx(probability, abs=1e-9)
    if len(free) > 10:
        return  # it lists all joint states
    best = network.most_probable(given)
    theirs = engine.map_query(free, evidence=given, show_progress=False)
    assert network.log_probability(best) == pytest.approx(network.log_probability({**given, **theirs}), abs=1e-9)
