"""Posteriors on well-known networks beside pyAgrum and pgmpy."""

import gzip
from math import log
from typing import Any

import numpy as np
import pytest

from ldag import Network
from ldag.inference import MEMORY_LIMIT, Sums, compile_circuit
from ldag.model import Model
from ldag.network.arguments import read_findings
from tests.oracle.networks import BifNetwork, pyagrum_network


def findings(network: Network, seed: int, n_soft: int = 0) -> dict[str, Any]:
    """Five variables of a row drawn from the network: evidence that is possible; some as sets or likelihoods."""
    rng = np.random.default_rng(seed)
    row = {name: str(cells[0]) for name, cells in network.sample_columns(1, seed).items()}
    found: dict[str, Any] = {str(name): row[name] for name in rng.choice(list(row), size=5, replace=False)}
    states = {variable.name: variable.states for variable in network.variables}
    for i, name in enumerate(list(found)[:n_soft]):
        if i % 2:
            found[name] = {found[name], states[name][0]}
        else:
            found[name] = dict(zip(states[name], (0.1 + rng.random(len(states[name]))).tolist(), strict=True))
    return found


@pytest.mark.parametrize("name", ["asia", "alarm", "insurance", "hailfinder", "water"])
def test_posteriors_equal_those_of_pyagrum(name: str) -> None:
    """All marginals given states, sets and likelihoods, and the probability of that, by sums and by a circuit."""
    pyagrum = pytest.importorskip("pyagrum")
    network = BifNetwork(name).ldag()
    model = Model(network.ldag.structure, network.probabilities)
    sums, circuit = Sums(model), compile_circuit(model, range(len(model.structure)))
    engine = pyagrum.LazyPropagation(pyagrum_network(network))
    for seed in range(4):
        given = findings(network, seed, n_soft=seed)
        codes = read_findings(network.ldag.schema, given, "given: ")
        engine.setEvidence({network.variables[node].name: _plain(finding) for node, finding in codes.items()})
        expected_log = log(engine.evidenceProbability())
        answers = [
            sums.marginals(codes, MEMORY_LIMIT),
            circuit.given(codes).marginals_of(range(len(model.structure)), codes),
        ]
        for log_probability, posteriors in answers:
            assert log_probability == pytest.approx(expected_log, abs=1e-9)
            for variable, posterior in zip(network.variables, posteriors, strict=True):
                assert posterior == pytest.approx(engine.posterior(variable.name).toarray(), abs=1e-10), variable.name


def _plain(finding: int | tuple[float, ...]) -> int | list[float]:
    return list(finding) if isinstance(finding, tuple) else finding


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
