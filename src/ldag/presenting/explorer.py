"""The explorer of a network: its graph, its marginals, and the circuit that moves them, in one HTML file."""

import json
import os
from dataclasses import dataclass
from html import escape
from pathlib import Path

from ldag.checks import check_path
from ldag.errors import ArgumentError
from ldag.formats import state_in_words, write_atomically
from ldag.inference import TooManyGates, compile_circuit
from ldag.learning import Fit
from ldag.model import CodedFamily, Model
from ldag.network import Network
from ldag.presenting.html import asset, page

MOST_PRODUCTS = 1_500_000
"""Products of a circuit that a page evaluates in well under a second."""

_TOOLS = """<div class="tools">
<span class="choice" role="group" aria-label="what a click on a state does">a click
<button type="button" id="observe" aria-pressed="true" title="What if we saw this? Shift and a click sets it instead.">
observes</button><button type="button" id="set" aria-pressed="false"
title="What if we made it so? Arrows into it are cut first. Shift and a click observes it instead.">sets</button></span>
<button type="button" id="undo" title="Ctrl+Z">undo</button>
<button type="button" id="reset">reset</button>
<button type="button" id="pin" aria-pressed="false" title="Compare other clicks with these numbers">pin</button>
<input id="search" type="search" placeholder="search a variable (/)" aria-label="search a variable">
</div>"""


@dataclass(frozen=True)
class LabelledEdge:
    """An edge by node numbers; ``label`` has a 0 or 1 per configuration of the other parents, None without one."""

    parent: int
    child: int
    others: tuple[int, ...] = ()
    label: str | None = None


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
    write_atomically(target, _write_page(network, title or "A network to explore").encode())


def check_ending(path: str | os.PathLike[str], endings: tuple[str, ...], what: str) -> Path:
    """Return a path that has one of the endings."""
    target = Path(check_path(path))
    if target.suffix.lower() not in endings:
        got = f"the ending {target.suffix!r}" if target.suffix else "no ending"
        raise ArgumentError(f"{target}: {what} is a file that ends in {' or '.join(endings)}, got {got}")
    return target


def _write_page(network: Network, title: str) -> str:
    """Return the page: the picture, the cards of the variables, and the model that its script reads."""
    content = json.dumps(_model(network, title), separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    svg = network.to_svg(title=title)
    body = f"""<h1>{escape(title)}</h1>
<p class="soft">Click a state: arrows that do not matter then fade, and all probabilities are updated. Click it again to
take it back.</p>
{_TOOLS}
<p aria-live="polite"><span id="findings"></span> <span id="probability" class="soft"></span>
<span id="pinned" class="soft"></span></p>
<main>
<figure id="graph">{svg}</figure>
<div><p id="nothing" class="soft" hidden>No variable has this in its name.</p><div id="variables"></div></div>
</main>"""
    script = (
        f'<script type="application/json" id="model">{content}</script>\n<script>\n{asset("explorer.js")}</script>\n'
    )
    return page(title, body, style=asset("explorer.css"), script=script)


def _model(network: Network, title: str) -> dict[str, object]:
    """Return what the script reads: names, states, edges, and the circuit or why there is none."""
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
    variables = [{"name": v.name, "states": [state_in_words(v, state) for state in v.states]} for v in graph.variables]
    return {"title": title, "variables": variables, "edges": list(map(vars, edges)), "circuit": circuit, "why": why}


def _edge(axis: int, family: CodedFamily, child: int) -> LabelledEdge:
    """Return an edge with its label as a sign per configuration of the other parents."""
    mask = family.partition.labels[axis]
    others = tuple(parent for place, parent in enumerate(family.parents) if place != axis)
    label = "".join("1" if cell else "0" for cell in mask.tolist()) if mask.any() else None
    return LabelledEdge(family.parents[axis], child, others, label)
