"""Posterior marginals of all variables given five findings, beside pyAgrum's LazyPropagation.

Findings are parts of rows drawn from the network, so they are possible. Each network is asked in a process of its own,
as the peer is: the first answer (with everything that has to be worked out before it), the mean of four later ones with
findings on other variables, one of a batch of 1,000 from a compiled circuit (not for the largest networks), and the
memory that answering took. Well-known networks are given as plain tables.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Row, cpu_seconds, report
from ldag import Network, simulate
from ldag.errors import TooLarge
from tests.oracle.networks import BifNetwork

N_QUERIES = 5
N_ROWS = 1000
MEMORY = 12 << 30
SECONDS = 400

KNOWN = (
    *("child", "alarm", "insurance", "hailfinder", "hepar2", "win95pts", "water", "andes", "pathfinder", "pigs"),
    *("mildew", "diabetes", "barley", "munin2", "munin3", "munin4", "munin", "munin1", "link"),
)
COMPILED = {*KNOWN[:11]}
"""Networks whose circuit is compiled here; that of the others takes seconds to minutes."""


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


def own_seconds(name: str) -> Iterator[dict[str, float]]:
    """Ask ours: each query by itself, then a batch."""
    network = network_of(name)
    given = findings(network, evidence(network, N_QUERIES))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for one in given:
        began = time.process_time()
        network.marginals(one)
        yield {"seconds": time.process_time() - began}
    yield {"memory": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024}
    if name in COMPILED or name in MADE:
        try:
            compiled = network.compile()
        except TooLarge:
            return
        circuit = compiled.circuit
        batch = evidence(network, N_ROWS if compiled.size < 1_000_000 else 32)
        each = cpu_seconds(lambda: circuit.marginals(batch), repeats=2) / len(batch)
        yield {"compile": compiled.seconds, "batch": each}


def peer_seconds(name: str) -> Iterator[dict[str, float]]:
    """Ask pyAgrum, each query by itself."""
    import pyagrum

    pyagrum.setNumberOfThreads(1)  # CPU time of waiting threads would count
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
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    engine = pyagrum.LazyPropagation(peer)
    for given in findings(network, evidence(network, N_QUERIES)):
        began = time.process_time()
        engine.setEvidence(given)
        engine.makeInference()
        for variable in network.variables:
            engine.posterior(variable.name)
        yield {"seconds": time.process_time() - began}
    yield {"memory": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024}


def ask(who: str, name: str) -> tuple[list[float], dict[str, float], str]:
    """Ask in a process of its own with limited memory and time: seconds by query, other numbers, what went wrong."""
    command = [sys.executable, "-m", "benchmarks.bench_inference", f"--{who}", name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            out, errors = process.communicate(timeout=SECONDS)
            trouble = "" if process.returncode == 0 else "out of memory" if "emory" in errors else "failed"
        except subprocess.TimeoutExpired:
            process.kill()
            out, _ = process.communicate()
            trouble = f"stopped after {SECONDS} s"
    parts = [json.loads(line) for line in out.splitlines()]
    others: dict[str, float] = {}
    for part in parts:
        others |= {key: value for key, value in part.items() if key != "seconds"}
    return [part["seconds"] for part in parts if "seconds" in part], others, trouble


def rows_of(name: str) -> list[Row]:
    """First, later and batched answers, beside the peer's."""
    ours, own, trouble = ask("own", name)
    theirs, peer, said = ask("peer", name)
    memory = f"{own.get('memory', np.nan):.0f} MB, pyAgrum {peer.get('memory', np.nan):.0f} MB"
    print(f"  {name}: {memory} {trouble and 'ours: ' + trouble} {said and 'pyAgrum: ' + said}", file=sys.stderr)
    if not ours:
        return []
    label = f"pyAgrum {said}".strip()
    first = theirs[0] if theirs else None
    later = float(np.mean(theirs[1:])) if len(theirs) > 1 else None
    rows = [Row(f"{name}: first answer", ours[0], label, first, first)]
    if len(ours) > 1:
        rows.append(Row(f"{name}: later answers", float(np.mean(ours[1:])), label, later, later))
    if "batch" in own:
        rows.append(Row(f"{name}: one of a batch of 1,000", own["batch"], label, later, later and later / 10))
        rows.append(Row(f"{name}: compile", own["compile"]))
    return rows


def main() -> None:
    """Run all, or answer as one of the two."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--own", help="only time ours on this network, in limited memory")
    parser.add_argument("--peer", help="only time the peer on this network, in limited memory")
    parser.add_argument("--only", action="append", help="only this network (can be repeated); nothing is kept")
    asked = parser.parse_args()
    if asked.own or asked.peer:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        for numbers in own_seconds(asked.own) if asked.own else peer_seconds(asked.peer):
            print(json.dumps(numbers), flush=True)
        return
    names = [name for name in (*MADE, *KNOWN) if asked.only is None or name in asked.only]
    found = [row for name in names for row in rows_of(name)]
    report("inference", found, ("pyagrum",), keep=asked.only is None)


if __name__ == "__main__":
    main()
