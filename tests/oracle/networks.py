"""Well-known networks (from the BIF files inside the pgmpy wheel, which is not imported) and samples from them."""

import gzip
import re
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldag import LDAG, Network

Table = dict[tuple[str, ...], list[float]]


class BifNetwork:
    """Variables with states, and for each a table: probabilities by states of the parents."""

    def __init__(self, name: str) -> None:
        spec = find_spec("pgmpy")
        assert spec is not None
        assert spec.origin is not None
        path = Path(spec.origin).parent / "utils" / "example_models" / f"{name}.bif.gz"
        text = gzip.decompress(path.read_bytes()).decode()
        self.path = path
        self.states: dict[str, list[str]] = {}
        for variable, listed in re.findall(r"variable\s+(\S+)\s*\{.*?\{(.*?)\}", text, flags=re.DOTALL):
            self.states[variable] = [state.strip() for state in listed.split(",")]
        self.parents: dict[str, list[str]] = {}
        self.tables: dict[str, Table] = {}
        for head, body in re.findall(r"probability\s*\((.*?)\)\s*\{(.*?)\}", text, flags=re.DOTALL):
            node, *given = [part.strip() for part in re.split(r"[|,]", head)]
            self.parents[node] = given
            self.tables[node] = {
                tuple(s.strip() for s in states.split(",")) if states else (): [float(p) for p in row.split(",")]
                for states, row in re.findall(r"(?:\((.*?)\)|table)\s*([^;]*);", body)
            }

    def ldag(self) -> Network:
        """The same network as one of ours: ordinary tables, rows that do not quite sum to 1 scaled."""
        graph = LDAG.from_edges(
            [(parent, node) for node, above in self.parents.items() for parent in above], states=self.states
        )
        parameters = {}
        for node in self.states:
            above = graph.parents(node)
            places = [self.parents[node].index(parent) for parent in above]
            rows = []
            for states in product(*(self.states[parent] for parent in above)):
                listed = dict(zip(places, states, strict=True))
                row = self.tables[node][tuple(listed[place] for place in range(len(above)))]
                rows.append([p / sum(row) for p in row])
            parameters[node] = rows
        return Network.from_parameters(graph, parameters)

    def order(self) -> list[str]:
        """Parents before children."""
        done: list[str] = []
        while len(done) < len(self.states):
            done += [n for n in self.states if n not in done and all(p in done for p in self.parents[n])]
        return done

    def sample(self, n_rows: int, seed: int) -> dict[str, NDArray[np.int64]]:
        """State codes of every variable, drawn from the network."""
        rng = np.random.default_rng(seed)
        codes: dict[str, NDArray[np.int64]] = {}
        for node in self.order():
            above = self.parents[node]
            sizes = [len(self.states[p]) for p in above]
            rows = np.array([self.tables[node][c] for c in product(*(self.states[p] for p in above))])
            index = np.zeros(n_rows, dtype=np.int64)
            for parent, size in zip(above, sizes, strict=True):
                index = index * size + codes[parent]
            cumulative = np.cumsum(rows / rows.sum(axis=1, keepdims=True), axis=1)[index]
            codes[node] = (rng.random(n_rows)[:, None] > cumulative[:, :-1]).sum(axis=1)
        return {node: codes[node] for node in self.states}


def pyagrum_network(network: Network) -> Any:
    """The same network in pyAgrum, number by number: its readers round to 32 bits."""
    import pyagrum

    peer = pyagrum.BayesNet()
    for variable in network.variables:
        peer.add(pyagrum.LabelizedVariable(variable.name, "", [str(state) for state in variable.states]))
    for parent, child in network.ldag.edges:
        peer.addArc(parent, child)
    for variable in network.variables:
        table = network.cpt(variable.name, max_cells=1 << 26)
        axes = [table.names.index(axis) for axis in reversed(peer.cpt(variable.name).names)]
        peer.cpt(variable.name).fillWith(table.values.transpose(axes).reshape(-1).tolist())
    return peer
