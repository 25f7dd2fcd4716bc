"""Data with gaps: EM on alarm, beside pyAgrum's, what a million rows take, structural EM, and how near it comes.

Cells are taken out completely at random. A step of ours is one pass over the circuit with all sums; "to the end" is
`Network.from_data` by its usual settings, the compilation of the circuit included. pyAgrum has the same graph and the
same 1,000 rows; both look for the greatest likelihood (it needs a prior, of a thousandth per cell), and it ends by its
rate of 1e-4. Structural EM learns tables with a sample size of 1 from nothing but the data; its goals are a third of
what bnlearn's needed on such rows, and 12 seconds. How near to the truth graphs are is in `benchmarks.recovery`.
"""

import argparse
import csv
import resource
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Row, cpu_seconds, report
from benchmarks.recovery import KEPT, recover
from ldag import LDAG, Network, learn, score, simulate
from ldag.data import Dataset
from ldag.inference import CodedGaps, Completions
from tests.oracle.networks import BifNetwork, pyagrum_network

SHARES = (0.05, 0.1, 0.3)
STEP_GOAL = 0.06
END_GOAL = 2.0
PEER_ROWS = 1_000
PEER_FASTER = 50.0
"""How many times less CPU time than pyAgrum's EM takes is the goal."""


def alarm_rows(n_rows: int, seed: int = 1) -> tuple[LDAG, Dataset]:
    """The graph of alarm, and rows drawn from it."""
    network = BifNetwork("alarm").ldag()
    return network.ldag, network.sample(n_rows, rng=seed)


def step_rows() -> list[Row]:
    """One step of EM, and all of them, for shares of empty cells."""
    graph, full = alarm_rows(10_000)
    completions = Completions(graph.structure)
    rows = []
    for share in SHARES:
        data = simulate.gaps(full, share, rng=1)
        table = CodedGaps.of(data.codes, graph.schema.n_states, data.weights)
        net = Network.from_data(graph, data)
        assert net.em is not None
        step = cpu_seconds(partial(completions.expected_counts, net.probabilities, table.rows, table.weights, 1))
        rows.append(Row(f"E-step, alarm x 10,000, {share:.0%} of cells empty", step, goal=STEP_GOAL))
        for accelerate in (True, False):
            how = "" if accelerate else ", without leaps"
            fit = partial(Network.from_data, graph, data, accelerate=accelerate, n_jobs=1)
            em = fit().em
            assert em is not None
            goal = END_GOAL if accelerate and share <= 0.1 else None
            job = f"EM to the end, alarm x 10,000, {share:.0%}{how} ({em.n_iter} steps)"
            rows.append(Row(job, cpu_seconds(fit, 3), goal=goal))
    return rows


def peer_rows() -> list[Row]:
    """EM on 1,000 rows beside pyAgrum, with the log-likelihoods that both end at."""
    graph, full = alarm_rows(PEER_ROWS)
    data = simulate.gaps(full, 0.1, rng=1)
    net = Network.from_data(graph, data, estimate="likelihood")
    ours = cpu_seconds(partial(Network.from_data, graph, data, estimate="likelihood", n_jobs=1), 3)
    began = time.process_time()
    peer, n_steps = fit_by_pyagrum(net, data)
    theirs = time.process_time() - began
    assert net.em is not None
    print(
        f"log-likelihood of the observed cells: ours {net.log_likelihood(data):.2f} in {net.em.n_iter} steps,"
        f" pyAgrum {peer.log_likelihood(data):.2f} in {n_steps} steps"
    )
    name = f"pyAgrum EM, {n_steps} steps"
    return [Row("EM to the end, alarm x 1,000, 10%", ours, name, theirs, goal=theirs / PEER_FASTER)]


def fit_by_pyagrum(net: Network, data: Dataset) -> tuple[Network, int]:
    """The parameters of the same graph by pyAgrum's EM, and the number of its steps."""
    import pyagrum

    template = pyagrum_network(net)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        write_rows(data, path)
        learner = pyagrum.BNLearner(str(path), template, ["?"])
        learner.useSmoothingPrior(1e-3)
        learner.useEM(1e-4)
        learned: Any = learner.learnParameters(template.dag())
        n_steps = int(learner.EMnbrIterations())
    tables = Network.from_pyagrum(learned)
    parameters = {}
    for variable in net.variables:
        table, parents = tables.cpt(variable.name), net.ldag.parents(variable.name)
        axes = [table.names.index(name) for name in (*parents, variable.name)]
        order = [tables.ldag.schema[tables.ldag.schema.node(n)].states for n in (*parents, variable.name)]
        mine = [[str(s) for s in net.ldag.schema[net.ldag.schema.node(n)].states] for n in (*parents, variable.name)]
        values = table.values.transpose(axes)
        for axis, (theirs, ours) in enumerate(zip(order, mine, strict=True)):
            values = np.take(values, [[str(s) for s in theirs].index(state) for state in ours], axis=axis)
        rows = values.reshape(-1, variable.n_states)
        parameters[variable.name] = [(row / row.sum()).tolist() for row in rows]
    return Network.from_parameters(net.ldag, parameters), n_steps


def write_rows(data: Dataset, path: Path) -> None:
    """A line per observation, with a question mark in every gap."""
    states: Any = data.to_frame("pandas")
    frame = states.fillna("?")
    counts = frame.pop("count") if data.weights is not None else [1] * data.n_rows
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(frame.columns)
        for cells, n in zip(frame.itertuples(index=False), counts, strict=True):
            writer.writerows([cells] * int(n))


def memory_rows() -> list[Row]:
    """A million rows of twenty columns, read from nothing and fitted, in a process of its own."""
    program = "from benchmarks.bench_missing import fit_a_million; fit_a_million()"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    seconds, peak, n_steps = done.stdout.split()
    what = f"peak {float(peak):.2f} GB of 1"
    return [Row(f"EM to the end, 1,000,000 rows x 20 columns, 10% ({n_steps} steps)", float(seconds), what)]


def fit_a_million() -> None:
    """Print the CPU seconds of a fit, the most memory that the process took, and the steps."""
    rng = np.random.default_rng(0)
    graph = simulate.random_ldag(20, n_states=3, max_parents=3, rng=1)
    codes = rng.integers(0, 3, (20, 1_000_000), dtype=np.uint8)
    codes[rng.random(codes.shape, dtype=np.float32) < 0.1] = 255
    data = Dataset.from_codes(graph.schema, codes)
    del codes
    began = time.process_time()
    net = Network.from_data(graph, data)
    assert net.em is not None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(time.process_time() - began, peak, net.em.n_iter)


LEARN_GOALS = {(1_000, 0.1): 14.0 / 3, (1_000, 0.3): 21.0 / 3, (10_000, 0.1): 12.0}
"""CPU seconds; bnlearn 4.9.4 (structural.em, hill climbing, BDe) took 14 and 21 on 1,000 rows of alarm."""


def learn_rows() -> list[Row]:
    """Structural EM on alarm; what its graph scores on the rows without gaps is printed beside the best for these."""
    rows = []
    for (n_rows, share), goal in LEARN_GOALS.items():
        _, full = alarm_rows(n_rows)
        data = simulate.gaps(full, share, rng=1)
        settings: dict[str, Any] = {"structure": "table", "kappa": 1.0, "equivalent_sample_size": 1.0}
        began = time.process_time()
        fit = learn(data, **settings, progress=False)
        seconds = time.process_time() - began
        best = learn(full, **settings, progress=False).score.total
        own = score(fit.ldag, full, kappa=1.0).total
        job = f"structural EM, alarm x {n_rows:,}, {share:.0%}"
        print(f"{job}: on the rows without gaps its graph scores {own:.1f}, the best for these {best:.1f}")
        rows.append(Row(job, seconds, goal=goal))
    return rows


def recovery_rows() -> list[Row]:
    """How near to the truth graphs are that are learned with gaps, in thousandths of a nat."""
    return [Row(f"gaps kept, {name}, {gaps}", cpu) for name, gaps, way, _, cpu in recover() if way == KEPT]


PARTS = {
    "em": step_rows,
    "peer": peer_rows,
    "memory": memory_rows,
    "learn": learn_rows,
    "recovery": recovery_rows,
}


def main() -> None:
    """Measure and report, all parts or one."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", choices=PARTS, help="measure one part, and keep no results")
    only = parser.parse_args().only
    parts = PARTS if only is None else {only: PARTS[only]}
    rows = [row for part in parts.values() for row in part()]
    report("missing", rows, ["pyagrum"], keep=only is None)


if __name__ == "__main__":
    main()
