"""The explorer of a network: its graph, its marginals, and the circuit that moves them, in one HTML file."""

import os
from pathlib import Path

from ldag.checks import check_path
from ldag.errors import ArgumentError
from ldag.formats import state_in_words, write_atomically
from ldag.inference import TooManyGates, compile_circuit
from ldag.learning import Fit
from ldag.model import CodedFamily, Model
from ldag.network import Network
from ldag.reporting import Exploration, LabelledEdge, write_explorer

MOST_PRODUCTS = 1_500_000
"""Products of a circuit that a page evaluates in well under a second."""


def explore(model: Network | Fit, path: str | os.PathLike[str], *, title: str | None = None) -> None:
    """Write an explorer: one HTML file to open in a browser, in which states can be clicked.

    Parameters
    ----------
    model
        A network, or a fit, whose network is taken.
    path
        The file to write, which ends in .html. It needs no server and no network.
    title
        What stands above it.

    Examples
    --------
    >>> import ldag, tempfile, pathlib
    >>> target = pathlib.Path(tempfile.mkdtemp()) / "guard.html"
    >>> ldag.explore(ldag.simulate.guard(), target)
    >>> "a click" in target.read_text()
    True
    """
    network = model.network if isinstance(model, Fit) else model
    if not isinstance(network, Network):
        raise ArgumentError(f"explore takes a Network or a Fit, got {type(model).__name__}")
    target = check_ending(path, (".html", ".htm"), "an explorer")
    write_atomically(target, write_explorer(_exploration(network, title or "A network to explore")).encode())


def check_ending(path: str | os.PathLike[str], endings: tuple[str, ...], what: str) -> Path:
    """Return a path that has one of the endings."""
    target = Path(check_path(path))
    if target.suffix.lower() not in endings:
        got = f"the ending {target.suffix!r}" if target.suffix else "no ending"
        raise ArgumentError(f"{target}: {what} is a file that ends in {' or '.join(endings)}, got {got}")
    return target


def _exploration(network: Network, title: str) -> Exploration:
    graph = network.ldag
    circuit, why = None, ""
    try:
        model = Model(graph.structure, network.probabilities)
        nodes = range(len(graph.schema))
        circuit = compile_circuit(model, nodes, by_class=True, max_size=MOST_PRODUCTS).to_dict()
    except TooManyGates as error:
        names = ", ".join(graph.schema[node].name for node in error.nodes[:5])
        why = (
            f"The network is too large for a page to compute probabilities (more than {MOST_PRODUCTS:,} products, "
            f"around {names}); the library does that. Here, clicks show which arrows do not matter."
        )
    edges = [
        _edge(axis, family, child)
        for child, family in enumerate(graph.structure.families)
        for axis in range(len(family.parents))
    ]
    variables = tuple((v.name, tuple(state_in_words(v, state) for state in v.states)) for v in graph.variables)
    return Exploration(title, variables, tuple(edges), network.to_svg(title=title), circuit, why)


def _edge(axis: int, family: CodedFamily, child: int) -> LabelledEdge:
    """Return an edge with its label as a sign per configuration of the other parents."""
    mask = family.partition.labels[axis]
    others = tuple(parent for place, parent in enumerate(family.parents) if place != axis)
    label = "".join("1" if cell else "0" for cell in mask.tolist()) if mask.any() else None
    return LabelledEdge(family.parents[axis], child, others, label)
