"""`ldag compare`: graphs and networks on the command line."""

import json
from pathlib import Path

import pytest

import ldag
from ldag import LDAG, Network, simulate
from tests.command import run


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The guard, and a network with one edge less, estimated from its rows."""
    folder = tmp_path_factory.mktemp("networks")
    truth = simulate.guard()
    states = {v.name: v.states for v in truth.variables}
    fewer = LDAG.from_edges([("person", "gender"), ("person", "badge")], states=states)
    truth.save(folder / "truth.json")
    Network.from_data(fewer, truth.sample(500, rng=1)).save(folder / "fewer.json")
    return str(folder / "truth.json"), str(folder / "fewer.json")


def test_networks_as_a_table(files: tuple[str, str]) -> None:
    """One line per number; the divergence is the library's."""
    shown = run("compare", *files)
    assert "missing                     1: gender -> badge" in shown
    assert f"KL divergence in nats         {ldag.kl_divergence(*map(Network.load, files)):.6g}\n" in shown


def test_networks_as_json(files: tuple[str, str]) -> None:
    """Edges, labels, classes, divergence; exact, or estimated with its standard error."""
    found = json.loads(run("compare", *files, "--json"))
    assert found["missing_edges"] == [["gender", "badge"]]
    assert found["structural_hamming_distance"] == found["cpdag_distance"] == 1
    assert found["adjusted_rand"]["per_node"]["gender"] == 1
    assert found["kl_standard_error"] is None
    estimated = json.loads(run("compare", *files, "--samples", "1000", "--rng", "2", "--json"))
    assert abs(estimated["kl_divergence"] - found["kl_divergence"]) < 5 * estimated["kl_standard_error"]


def test_a_graph_has_no_divergence(files: tuple[str, str]) -> None:
    """The example graph is that of the network, whatever its parameters."""
    found = json.loads(run("compare", "guard", files[0], "--json"))
    assert (found["structural_hamming_distance"], found["kl_divergence"]) == (0, None)
    assert "KL" not in run("compare", "guard", files[0])


def test_mistakes_are_one_line(files: tuple[str, str], tmp_path: Path) -> None:
    """Other variables, options that do not apply, no such file."""
    assert "only the first has 'badge'" in run("compare", "guard", "heart", code=2)
    assert "--samples is for the divergence of two networks" in run(
        "compare", "guard", files[0], "--samples", "9", code=2
    )
    assert "neither a file nor" in run("compare", "gard", files[0], code=2)
    assert "no such file" in run("compare", str(tmp_path / "no.json"), files[0], code=2)
