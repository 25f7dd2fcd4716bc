"""Filtering and smoothing long histories, beside pyAgrum on an unrolled network and pgmpy's dynamic inference.

Hidden Markov models (a latent state and its sign), and two latent chains that both act on the sign, over 100 to 10,000
steps. pyAgrum unrolls the network, which is not timed, and asks for the posteriors of the latent variables at all
steps; that is smoothing. pgmpy filters, as its backward pass forgets what it has done. Both are asked up to
`MOST_FOR_PEERS` steps: to unroll 10,000 takes pyAgrum minutes. Answers must be the same. Where the probability of a
history is below the least number, neither has an answer: pyAgrum says that the history is impossible, and pgmpy returns
no numbers.
"""

import argparse
import logging
import warnings
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
import pyagrum
import pyagrum.lib.dynamicBN
from numpy.typing import NDArray
from pgmpy.factors.discrete import TabularCPD
from pgmpy.inference import DBNInference
from pgmpy.models import DynamicBayesianNetwork

import ldag
from benchmarks.harness import Row, cpu_seconds, report
from tests.dynamics import draw_parameters

SIZES = (100, 400, 1_000, 10_000)
MOST_FOR_PEERS = 1_000
MODELS = {"3 states": (3,), "20 states": (20,), "two chains of 4 states": (4, 4)}
N_SIGNS = 4


def make(n_states: tuple[int, ...]) -> ldag.DynamicNetwork:
    """Draw a dynamic network of latent chains that act on one sign."""
    rng = np.random.default_rng(1)
    chains = ["za", "zb"][: len(n_states)]
    own = {z: [*range(n)] for z, n in zip(chains, n_states, strict=True)} | {"sign": [*range(N_SIGNS)]}
    edges = [(z, "sign") for z in chains]
    first = draw_parameters(ldag.LDAG.from_edges(edges, states=own), rng, 0.0)
    before = {f"{name}@-1": states for name, states in own.items()}
    graph = ldag.LDAG.from_edges([*edges, *((f"{z}@-1", z) for z in chains)], states={**before, **own})
    drawn = draw_parameters(graph, rng, 0.0)
    shown = {
        **{v.name: list(drawn.parameters(v.name)) for v in graph.variables},
        "sign": list(first.parameters("sign")),
    }
    return ldag.DynamicNetwork.from_networks(first, ldag.Network.from_parameters(graph, shown))


def table(net: ldag.Network, node: str) -> NDArray[np.float64]:
    """Return the full table of a node: parents first, itself last."""
    return np.asarray(net.cpt(node).values)


def for_pyagrum(net: ldag.DynamicNetwork, n_steps: int) -> Any:
    """Return an engine on the network unrolled over so many steps."""
    two = pyagrum.BayesNet()
    chains = [name for name in net.changing if name != "sign"]
    for end in ("0", "t"):
        for variable in net.variables:
            two.add(pyagrum.LabelizedVariable(variable.name + end, "", variable.n_states))
        for z in chains:
            two.addArc(z + end, "sign" + end)
    for z in chains:
        two.addArc(z + "0", z + "t")
        two.cpt(z + "0")[:] = table(net.first, z)
        two.cpt(z + "t")[:] = table(net.transition, z)
    for end in ("0", "t"):
        sign = table(net.first, "sign")
        for places in np.ndindex(*sign.shape[:-1]):
            where = {z + end: place for z, place in zip(chains, places, strict=True)}
            two.cpt("sign" + end)[where] = sign[places].tolist()
    return pyagrum.LazyPropagation(pyagrum.lib.dynamicBN.unroll2TBN(two, n_steps))


def smooth_by_pyagrum(engine: Any, codes: list[int], chains: list[str]) -> list[list[float]]:
    """Ask for the first chain at all steps."""
    engine.setEvidence({f"sign{step}": code for step, code in enumerate(codes)})
    for step in range(len(codes)):
        for z in chains:
            engine.addTarget(f"{z}{step}")
    engine.makeInference()
    return [engine.posterior(f"{chains[0]}{step}").tolist() for step in range(len(codes))]


def for_pgmpy(net: ldag.DynamicNetwork) -> Any:
    """Return pgmpy's dynamic inference."""
    chains = [name for name in net.changing if name != "sign"]
    sizes = {variable.name: variable.n_states for variable in net.variables}
    edges = [((z, 0), ("sign", 0)) for z in chains] + [((z, 0), (z, 1)) for z in chains]
    model = DynamicBayesianNetwork(edges)
    sign = table(net.first, "sign").reshape(-1, N_SIGNS).T.tolist()
    for z in chains:
        model.add_cpds(TabularCPD((z, 0), sizes[z], table(net.first, z)[:, None].tolist()))
        model.add_cpds(TabularCPD((z, 1), sizes[z], table(net.transition, z).T.tolist(), [(z, 0)], [sizes[z]]))
    for end in (0, 1):
        model.add_cpds(TabularCPD(("sign", end), N_SIGNS, sign, [(z, end) for z in chains], [sizes[z] for z in chains]))
    model.initialize_initial_state()
    return DBNInference(model)


def filter_by_pgmpy(engine: Any, codes: list[int], chain: str) -> Any:
    """Ask for a chain at the last step."""
    seen = {("sign", step): code for step, code in enumerate(codes)}
    return engine.forward_inference([(chain, len(codes) - 1)], seen)[chain, len(codes) - 1].values


def measure(title: str, n_states: tuple[int, ...], sizes: list[int]) -> list[Row]:
    """Measure one model over histories of several lengths."""
    net, rows = make(n_states), []
    chains = [name for name in net.changing if name != "sign"]
    net.filter({"sign": [0, 1]})  # circuits are compiled once, in milliseconds
    for n_steps in sizes:
        codes = np.random.default_rng(n_steps).integers(0, N_SIGNS, n_steps).tolist()
        history, repeats = {"sign": codes}, 1 if n_steps > 1_000 else 3
        job = f"{title}, {n_steps:,} steps"
        ours = [list(step[chains[0]].values()) for step in net.smooth(history)]
        seconds, peer = cpu_seconds(partial(net.smooth, history), repeats), None
        if n_steps <= MOST_FOR_PEERS:
            with suppress(pyagrum.IncompatibleEvidence):  # it underflows
                np.testing.assert_allclose(ours, smooth_by_pyagrum(for_pyagrum(net, n_steps), codes, chains), atol=1e-8)
                peer = cpu_seconds(partial(smooth_by_pyagrum, for_pyagrum(net, n_steps), codes, chains), 1)
        rows.append(Row(f"smooth: {job}", seconds, "pyAgrum" if peer else "", peer))
        filtered, slow = cpu_seconds(partial(net.filter, history), repeats), None
        if n_steps <= MOST_FOR_PEERS:
            asked = for_pgmpy(net)
            last = filter_by_pgmpy(asked, codes, chains[0])
            if not np.isnan(last).any():
                np.testing.assert_allclose(list(net.filter(history)[-1][chains[0]].values()), last, atol=1e-6)
                slow = cpu_seconds(partial(filter_by_pgmpy, asked, codes, chains[0]), 1)
        rows.append(Row(f"filter: {job}", filtered, "pgmpy" if slow else "", slow))
        rows.append(Row(f"path:   {job}", cpu_seconds(partial(net.most_probable_path, history), repeats)))
    return rows


def main() -> None:
    """Measure all models, or those of shorter histories."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="no more than 1,000 steps, and nothing kept")
    quick = parser.parse_args().quick
    warnings.simplefilter("ignore")
    logging.disable()
    sizes = [size for size in SIZES if size <= 1_000 or not quick]
    rows = [row for title, n_states in MODELS.items() for row in measure(title, n_states, sizes)]
    report("dynamic", rows, ("pyagrum", "pgmpy"), keep=not quick)


if __name__ == "__main__":
    main()
