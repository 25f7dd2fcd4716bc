"""How near graphs learned from data with gaps are to the truth, by what is done with the gaps.

    python -m benchmarks.recovery [--seeds N] [--networks NAME ...] [--rows N]

Rows are drawn from asia, heart, child and random labelled networks, and cells are taken out completely at random or
depending on other columns. The measure is the Kullback-Leibler divergence of the learned network from the truth, in
thousandths of a nat per row, in the mean over seeds. All ways have the same search and sample size, 1; networks with
labels are learned with labels, the others with tables.
"""

import argparse
import csv
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import log
from typing import Any

import numpy as np

from benchmarks.harness import RESULTS, machine
from ldag import LDAG, Dataset, Network, datasets, learn, simulate
from ldag.comparing import kl_divergence
from ldag.data import GAP
from ldag.inference import Completions
from ldag.model import Schema, Variable
from tests.oracle.networks import BifNetwork

FIRST_SEED = 1_000
"""None of these was looked at when defaults were chosen."""

NETWORKS = ("asia", "heart", "child", "random")
KEPT = "gaps kept"
GAPS = (("mcar", 0.1), ("mcar", 0.3), ("mar", 0.1), ("mar", 0.3))
MOST_PARENTS = 3
HARD_ROUNDS = 5
"""As in bnlearn."""

SAMPLED = 20_000
"""Rows by which a divergence is estimated whose exact value no table holds."""


def truth_of(name: str, seed: int) -> Network:
    """Return the network that rows are drawn from."""
    if name == "heart":
        return Network.from_data(datasets.graph("heart"), datasets.load("heart"))
    if name == "random":
        graph = simulate.random_ldag(10, n_states=(2, 3), max_parents=3, rng=seed)
        return simulate.random_network(graph, rng=seed)
    return BifNetwork(name).ldag()


def settings_of(name: str) -> dict[str, Any]:
    """Return how graphs are learned."""
    labels = {"kappa": 0.1} if name in ("heart", "random") else {"structure": "table", "kappa": 1.0}
    return {**labels, "equivalent_sample_size": 1.0, "max_parents": MOST_PARENTS, "progress": False}


def diverge(truth: Network, learned: Network) -> float:
    """Return the divergence of a network from the truth."""
    return float(kl_divergence(truth, learned))


def learn_complete(truth: Network, data: Dataset, settings: Mapping[str, Any]) -> float:
    """Leave out the rows with gaps."""
    rows = data.complete_rows()
    if rows.total == 0:
        return diverge(truth, Network.from_data(LDAG.from_edges([], states=_states(truth)), rows))
    return diverge(truth, learn(rows, **settings).network)


def learn_states(truth: Network, data: Dataset, settings: Mapping[str, Any]) -> float:
    """Make gaps a state; what is learned of rows without one is compared, by rows drawn from the truth."""
    variables = [
        Variable(v.name, (*v.states, "missing")) if (row == GAP).any() else v
        for v, row in zip(data.variables, data.codes, strict=True)
    ]
    sizes = np.array(data.schema.n_states)[:, None]
    codes = np.where(data.codes == GAP, sizes, data.codes).astype(np.uint8)
    learned = learn(Dataset.from_codes(Schema(tuple(variables)), codes, data.weights), **settings).network
    seen = {v.name: list(v.states[:-1]) for v in variables if v.states[-1] == "missing"}
    rows = truth.sample(SAMPLED, rng=FIRST_SEED)
    gap = truth.log_likelihood(rows) - learned.log_likelihood(rows.aligned_to(learned.ldag.schema))
    return gap / rows.total + (log(learned.probability(seen)) if seen else 0.0)


def learn_hard(truth: Network, data: Dataset, settings: Mapping[str, Any]) -> float:
    """Fill in the most probable row, learn, and so on from nothing, as bnlearn does; parameters by EM at the end."""
    network = Network.from_data(LDAG.from_edges([], states=_states(truth)), data)
    for _ in range(HARD_ROUNDS):
        filled, _ = Completions(network.ldag.structure).most_probable(network.probabilities, data.codes.T)
        rows = Dataset.from_codes(data.schema, np.ascontiguousarray(filled.T), data.weights)
        network = learn(rows, **settings).network
    return diverge(truth, Network.from_data(network.ldag, data))


def learn_gaps(truth: Network, data: Dataset, settings: Mapping[str, Any]) -> float:
    """Keep the gaps."""
    return diverge(truth, learn(data, **settings).network)


def _states(truth: Network) -> dict[str, Variable]:
    return {v.name: v for v in truth.variables}


WAYS: Mapping[str, Callable[[Network, Dataset, Mapping[str, Any]], float]] = {
    "complete rows": learn_complete,
    "missing as a state": learn_states,
    "hard completion from nothing": learn_hard,
    KEPT: learn_gaps,
}


def measure(name: str, n_rows: int, seed: int) -> Iterator[tuple[str, str, float, float]]:
    """Go through gaps and ways: what is lost, what is done about it, the divergence, and CPU seconds."""
    truth, settings = truth_of(name, seed), settings_of(name)
    full = truth.sample(n_rows, rng=seed)
    yield "none", "no gaps", diverge(truth, learn(full, **settings).network), 0.0
    for how, share in GAPS:
        data = simulate.gaps(full, share, how, rng=seed)  # type: ignore[arg-type]  # one of its kinds
        for way, run in WAYS.items():
            began = time.process_time()
            yield f"{how} {share:.0%}", way, run(truth, data, settings), time.process_time() - began


def recover(
    names: Sequence[str] = NETWORKS, n_seeds: int = 10, n_rows: int = 1_000
) -> Iterator[tuple[str, str, str, float, float]]:
    """Go through networks, gaps and ways, with the mean divergence and CPU seconds; print and keep them."""
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / "recovery.csv").open("w", newline="") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        writer = csv.writer(file)
        writer.writerow(["network", "gaps", "way", "divergence", "standard error", "cpu", "seeds"])
        for name in names:
            results: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
            for seed in range(FIRST_SEED, FIRST_SEED + n_seeds):
                for gaps, way, divergence, cpu in measure(name, n_rows, seed):
                    results[gaps, way].append((1000 * divergence, cpu))
            for (gaps, way), values in results.items():
                mean, cpu = np.mean(values, axis=0).tolist()
                error = float(np.std([value for value, _ in values], ddof=1)) / len(values) ** 0.5
                print(f"{name:<7} {gaps:<9} {way:<29} {mean:>8.1f} ± {error:<6.1f} {cpu:>6.2f} s", flush=True)
                writer.writerow([name, gaps, way, f"{mean:.2f}", f"{error:.2f}", f"{cpu:.3f}", len(values)])
                yield name, gaps, way, mean, cpu


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--rows", type=int, default=1_000)
    parser.add_argument("--networks", nargs="+", default=NETWORKS)
    given = parser.parse_args()
    list(recover(given.networks, given.seeds, given.rows))
    print(machine([]))


if __name__ == "__main__":
    main()
