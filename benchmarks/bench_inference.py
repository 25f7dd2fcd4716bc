"""Posterior marginals of all variables given five findings, beside pyAgrum's LazyPropagation.

Findings are parts of rows drawn from the network, so they are possible. A network is compiled once; the time this takes
is reported by itself. Pathfinder and munin1 are given as plain tables: what is equal in them is found by compiling.
"""

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Row, cpu_seconds, report
from ldag import Network, simulate
from ldag.inference.circuit import Circuit
from tests.oracle.networks import BifNetwork

N_QUERIES = 5
N_ROWS = 1000
MEMORY = 12 << 30
PEER_SECONDS = 150

KNOWN = ("alarm", "hailfinder", "win95pts", "andes", "pathfinder", "munin1")


def layered(n_layers: int, n_parents: int | tuple[int, int], n_states: int | tuple[int, int] = 2) -> Network:
    """Layers of ten nodes, each with up to ten parents in the layer before and at most twelve classes."""
    graph = simulate.layered_ldag([10] * n_layers, n_parents=n_parents, n_states=n_states, rng=1)
    return simulate.random_network(graph, rng=1)


MADE: dict[str, Callable[[], Network]] = {
    "layered, 40 nodes, 1 to 10 parents": lambda: layered(4, (1, 10)),
    "layered, 40 nodes, 10 parents": lambda: layered(4, 10),
    "layered, 100 nodes, 1 to 10 parents": lambda: layered(10, (1, 10)),
    "layered, 100 nodes, 10 parents": lambda: layered(10, 10),
    "layered, 100 nodes, 2 or 3 states": lambda: layered(10, (1, 10), (2, 3)),
    "10 nodes with 16 of 40 binary parents, 20 classes": lambda: simulate.random_network(
        simulate.layered_ldag([40, 10], n_parents=16, max_classes=20, rng=1), rng=1
    ),
    "16 binary parents, 20 classes": lambda: simulate.random_network(
        simulate.layered_ldag([16, 1], n_parents=16, max_classes=20, rng=1), rng=1
    ),
}


def network_of(name: str) -> Network:
    """A network by its name here."""
    return MADE[name]() if name in MADE else BifNetwork(name).ldag()


def evidence(network: Network, n_rows: int) -> NDArray[np.uint8]:
    """Rows of codes with five findings each."""
    rng = np.random.default_rng(7)
    n = len(network.variables)
    names = [variable.name for variable in network.variables]
    states = {
        variable.name: {state: code for code, state in enumerate(variable.states)} for variable in network.variables
    }
    drawn = network.sample_columns(n_rows, 7)
    codes = np.array([[states[name][state] for state in drawn[name].tolist()] for name in names], dtype=np.uint8).T
    rows = np.full((n_rows, n), 255, dtype=np.uint8)
    for row, code in zip(rows, codes, strict=True):
        chosen = rng.choice(n, 5, replace=False)
        row[chosen] = code[chosen]
    return rows


def findings(network: Network, rows: NDArray[np.uint8]) -> list[dict[str, str]]:
    """The same by name."""
    return [
        {v.name: str(v.states[code]) for v, code in zip(network.variables, row.tolist(), strict=True) if code != 255}
        for row in rows
    ]


def peer_seconds(name: str) -> Iterator[float]:
    """Ask pyAgrum, each query by itself; the circuit of its own (a junction tree) is not counted."""
    import pyagrum

    network = network_of(name)
    peer = pyagrum.BayesNet()
    for variable in network.variables:
        peer.add(pyagrum.LabelizedVariable(variable.name, "", [str(state) for state in variable.states]))
    for parent, child in network.ldag.edges:
        peer.addArc(parent, child)
    for variable in network.variables:
        table = network.cpt(variable.name, max_cells=1 << 26)
        axes = [table.names.index(axis) for axis in reversed(peer.cpt(variable.name).names)]
        peer.cpt(variable.name).fillWith(table.values.transpose(axes).reshape(-1).tolist())
    engine = pyagrum.LazyPropagation(peer)
    for given in findings(network, evidence(network, N_QUERIES)):
        began = time.process_time()
        engine.setEvidence(given)
        engine.makeInference()
        for variable in network.variables:
            engine.posterior(variable.name)
        yield time.process_time() - began


def peer_or_none(name: str, limit: float) -> tuple[float | None, str]:
    """The peer's mean time per query in a process of its own, with twelve gigabytes of memory and a time limit."""
    command = [sys.executable, "-m", "benchmarks.bench_inference", "--peer", name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return None, f"pyAgrum: no answer in {limit:g} s"
    if done.returncode:
        return None, "pyAgrum: out of memory" if "emory" in done.stderr or "alloc" in done.stderr else "pyAgrum: failed"
    times = [float(line) for line in done.stdout.split()]
    return float(np.mean(times)), "pyAgrum"


def rows_of(name: str) -> list[Row]:
    """Compile, ask one by one, and ask in a batch."""
    network = network_of(name)
    compiled = network.compile()
    print(f"  {name}: {compiled.n_gates:,} gates, {compiled.size:,} products", file=sys.stderr)
    rows = evidence(network, N_ROWS)
    circuit: Circuit = network._engine().compile()
    given = findings(network, rows[:N_QUERIES])
    network.marginals(given[0])
    single = cpu_seconds(lambda: [network.marginals(one) for one in given], repeats=3) / N_QUERIES
    batch = rows if compiled.size < 1_000_000 else rows[:32]
    each = cpu_seconds(lambda: circuit.marginals(batch), repeats=2) / len(batch)
    peer, said = peer_or_none(name, PEER_SECONDS)
    faster = 20 if name in MADE else 10 if name in ("pathfinder", "munin1") else 1
    return [
        Row(f"{name}: compile", compiled.seconds, goal=1.0 if name in ("alarm", "hailfinder") else None),
        Row(f"{name}: one query", single, said, peer, peer / faster if peer else None),
        Row(f"{name}: one of a batch of 1,000", each, said, peer, peer / 10 if peer else None),
    ]


def main() -> None:
    """Run all, or answer as the peer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", help="only time the peer on this network, in limited memory")
    parser.add_argument("--only", help="only networks with this in their name; nothing is kept")
    asked = parser.parse_args()
    if asked.peer:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        for seconds in peer_seconds(asked.peer):
            print(seconds, flush=True)
        return
    names = [name for name in (*MADE, *KNOWN) if asked.only is None or asked.only in name]
    found = [row for name in names for row in rows_of(name)]
    report("inference", found, ("pyagrum",), keep=asked.only is None)


if __name__ == "__main__":
    main()
