"""Posterior marginals of all variables given five findings, beside pyAgrum's LazyPropagation.

Findings are parts of rows drawn from the network, so they are possible. Each program is asked in a process of its own,
with limited memory and time:

- the first answer of a network that was just read, with everything that has to be worked out before it,
- later answers, with findings on other variables,
- the same after the network was compiled,
- one of a batch of 1,000 rows, by the way that is chosen for a batch of that size (the circuit was compiled before),
- how much more memory than the network itself the answers took, at most.

Well-known networks are given as plain tables. Results are kept after each network: what was measured is not lost when
a run ends early, and ``--only`` measures a network again.
"""

import argparse
import csv
import ctypes
import json
import pickle
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import RESULTS, cpu_seconds, machine, spell_seconds
from ldag import Network, simulate
from ldag.errors import TooLarge
from tests.oracle.networks import BifNetwork, pyagrum_network

N_FIRST = 3
N_LATER = 5
MOST_ROUNDS = 300
N_ROWS = 1000
N_SLOW_ROWS = 32
"""Rows of a batch where one takes more than a millisecond."""
MEMORY_LIMIT = "8 GB"
PROCESS_MEMORY = 12 << 30
SECONDS = 100
"""CPU time of a process."""

KNOWN = (
    *("child", "alarm", "insurance", "hailfinder", "hepar2", "win95pts", "water", "andes", "pathfinder", "pigs"),
    *("mildew", "diabetes", "barley", "munin2", "munin3", "munin4", "munin", "munin1", "link"),
)
HEAVY = {"munin1", "link"}
"""Networks that are asked once first and twice later: an answer may take a minute."""

Numbers = dict[str, list[float]]


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


@dataclass(frozen=True)
class Measured:
    """One network: seconds of ours and the peer's, megabytes of both; nothing where there was no answer."""

    network: str
    first: float | None
    first_peer: float | None
    later: float | None
    later_peer: float | None
    compiled: float | None
    batch: float | None
    compile: float | None
    memory: float | None
    memory_peer: float | None
    trouble: str


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


def findings(network: Network, name: str) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """The same by name, for first and for later answers."""
    n_first, n_later = (1, 2) if name in HEAVY else (N_FIRST, N_LATER)
    given = [
        {v.name: str(v.states[code]) for v, code in zip(network.variables, row.tolist(), strict=True) if code != 255}
        for row in evidence(network, n_first + n_later)
    ]
    return given[:n_first], given[n_first:]


def measure_memory() -> Callable[[], float]:
    """Forget the most memory that was used so far; returns what tells how many megabytes more were since."""
    ctypes.CDLL("libc.so.6").malloc_trim(0)  # what reading left over would hide what answering takes
    Path("/proc/self/clear_refs").write_text("5")

    def kilobytes(what: str) -> int:
        found = re.search(rf"{what}:\s+(\d+)", Path("/proc/self/status").read_text())
        assert found is not None
        return int(found[1])

    before = kilobytes("VmRSS")
    return lambda: (kilobytes("VmHWM") - before) / 1024


def timed(job: Callable[[], object]) -> float:
    """CPU seconds of one call."""
    began = time.process_time()
    job()
    return time.process_time() - began


def rounds(name: str) -> Iterator[int]:
    """Numbers of rounds, until they took half a second: the clock of a process may be coarse, means are not."""
    began = time.process_time()
    for number in range(1 if name in HEAVY else MOST_ROUNDS):
        yield number
        if number + 1 >= N_FIRST and time.process_time() - began > 0.5:
            return


def own_numbers(name: str) -> Iterator[dict[str, float]]:
    """Ask ours: each query by itself, then a batch."""
    network = network_of(name)
    first, later = findings(network, name)
    stored = pickle.dumps(network)
    memory = measure_memory()
    for number in rounds(name):
        network = pickle.loads(stored)  # fresh: nothing that an answer worked out is stored with it
        yield {"first": timed(partial(network.marginals, first[number % len(first)], memory_limit=MEMORY_LIMIT))}
        for given in later:
            yield {"later": timed(partial(network.marginals, given, memory_limit=MEMORY_LIMIT))}
    yield {"memory": memory()}
    engine = network.asking.engine()
    rows = evidence(network, N_ROWS)
    with suppress(TooLarge):
        yield {"compile": timed(network.compile)}
        for _ in rounds(name):
            for given in later:
                yield {"compiled": timed(partial(network.marginals, given, memory_limit=MEMORY_LIMIT))}
    circuit = engine.circuit_for_rows(range(len(network.variables)), N_ROWS, engine.sums.plan.cost)
    if circuit is not None:
        batch = rows if circuit.shape.size < 1_000_000 else rows[:N_SLOW_ROWS]
        yield {"batch": cpu_seconds(partial(circuit.marginals, batch), repeats=2) / len(batch)}


def peer_numbers(name: str) -> Iterator[dict[str, float]]:
    """Ask pyAgrum, each query by itself."""
    import pyagrum

    pyagrum.setNumberOfThreads(1)  # CPU time of waiting threads would count
    network = network_of(name)
    peer = pyagrum_network(network)

    def ask(engine: "pyagrum.LazyPropagation", given: dict[str, str]) -> None:
        engine.setEvidence(given)
        engine.makeInference()
        for variable in network.variables:
            engine.posterior(variable.name)

    first, later = findings(network, name)
    memory = measure_memory()
    for number in rounds(name):
        began = time.process_time()
        engine = pyagrum.LazyPropagation(peer)
        ask(engine, first[number % len(first)])
        yield {"first": time.process_time() - began}
        for given in later:
            yield {"later": timed(partial(ask, engine, given))}
    yield {"memory": memory()}


def ask(who: str, name: str) -> tuple[Numbers, str]:
    """Ask in a process of its own: all numbers of a kind, and what went wrong."""
    command = [sys.executable, "-m", "benchmarks.bench_inference", f"--{who}", name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        out, errors = process.communicate()
        trouble = "" if process.returncode == 0 else "out of memory" if "emory" in errors else "failed"
        if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):  # the second where it does not stop by itself
            trouble = f"stopped after {SECONDS} s"
    numbers: Numbers = {}
    for line in out.splitlines():
        for key, value in json.loads(line).items():
            numbers.setdefault(key, []).append(value)
    return numbers, trouble


def measure(name: str) -> Measured:
    """Ask both about one network."""
    (own, own_trouble), (peer, peer_trouble) = ask("own", name), ask("peer", name)

    def mean(numbers: Numbers, key: str) -> float | None:
        return float(np.mean(numbers[key])) if key in numbers else None

    later = mean(own, "later")
    return Measured(
        network=name,
        first=mean(own, "first"),
        first_peer=mean(peer, "first"),
        later=later,
        later_peer=mean(peer, "later"),
        compiled=mean(own, "compiled"),
        batch=mean(own, "batch") or later,  # where no circuit answers faster, the rows of a batch are asked one by one
        compile=mean(own, "compile"),
        memory=mean(own, "memory"),
        memory_peer=mean(peer, "memory"),
        trouble="; ".join(f"{who} {t}" for who, t in (("ours", own_trouble), ("pyAgrum", peer_trouble)) if t),
    )


def load_results() -> dict[str, Measured]:
    """What was measured before, by network."""
    path = RESULTS / "inference.csv"
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    texts = {"network", "trouble"}
    read = [{key: cell if key in texts else float(cell) if cell else None for key, cell in row.items()} for row in rows]
    return {str(row["network"]): Measured(**cast("Any", row)) for row in read}


def save_results(measured: dict[str, Measured]) -> None:
    """Write all, in the order of the networks here."""
    with (RESULTS / "inference.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, [f.name for f in fields(Measured)])
        writer.writeheader()
        writer.writerows(asdict(measured[name]) for name in (*MADE, *KNOWN) if name in measured)


def print_results(measured: dict[str, Measured]) -> None:
    """Print a table, and how often the peer was faster."""

    def pair(ours: float | None, theirs: float | None) -> str:
        ratio = f"{theirs / ours:.1f}x" if ours and theirs else ""
        return f"{spell_seconds(ours):>8} /{spell_seconds(theirs):>8} {ratio:>7}"

    def megabytes(value: float | None) -> str:
        return "" if value is None else f"{value:,.0f}"

    print(f"\ninference: {machine(('pyagrum',))}")
    width = max(map(len, measured))
    heads = [f"{what}: ours / pyAgrum" for what in ("first", "later", "compiled", "one of 1,000")]
    head = "  ".join(f"{text:>26}" for text in heads)
    print(f"  {'network':<{width}}  {head}  {'compile':>8}  {'MB':>6}  MB of pyAgrum")
    for one in measured.values():
        times = [one.later, one.compiled, one.batch]
        pairs = [pair(one.first, one.first_peer), *(pair(ours, one.later_peer) for ours in times)]
        numbers = "  ".join(f"{cell:>26}" for cell in pairs)
        memory = f"{megabytes(one.memory):>6}  {megabytes(one.memory_peer):>6}"
        print(f"  {one.network:<{width}}  {numbers}  {spell_seconds(one.compile):>8}  {memory}  {one.trouble}".rstrip())
    known = [measured[name] for name in KNOWN if name in measured]
    for what in ("first", "later"):
        ratios = [
            (getattr(one, what) / getattr(one, f"{what}_peer"), one.network)
            for one in known
            if getattr(one, what) and getattr(one, f"{what}_peer")
        ]
        if ratios:
            worst, where = max(ratios)
            n_met = sum(ratio <= 1 for ratio, _ in ratios)
            print(
                f"  {what} answers take at most pyAgrum's time on {n_met} of {len(ratios)} well-known networks,", end=""
            )
            print(f" {worst:.2f} times it at most, on {where}")


def main() -> None:
    """Run all, or answer as one of the two."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--own", help="only time ours on this network, in limited memory")
    parser.add_argument("--peer", help="only time the peer on this network, in limited memory")
    parser.add_argument("--only", action="append", help="measure only this network again (can be repeated)")
    parser.add_argument("--show", action="store_true", help="print the table of what was measured before")
    asked = parser.parse_args()
    if asked.own or asked.peer:
        resource.setrlimit(resource.RLIMIT_AS, (PROCESS_MEMORY, PROCESS_MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
        for numbers in own_numbers(asked.own) if asked.own else peer_numbers(asked.peer):
            print(json.dumps(numbers), flush=True)
        return
    measured = load_results()
    for name in () if asked.show else asked.only or (*MADE, *KNOWN):
        print(f"  {name} ...", file=sys.stderr)
        measured[name] = measure(name)
        save_results(measured)
    print_results({name: measured[name] for name in (*MADE, *KNOWN) if name in measured})


if __name__ == "__main__":
    main()
