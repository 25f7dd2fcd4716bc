"""The explorer: one HTML file with a graph, its marginals and the circuit that moves them; no server, no network."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from ldag.reporting.html import asset, page

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


@dataclass(frozen=True)
class Exploration:
    """What the explorer shows: names, states, edges, the picture, and the circuit or why there is none."""

    title: str
    variables: tuple[tuple[str, tuple[str, ...]], ...]
    edges: tuple[LabelledEdge, ...]
    svg: str
    circuit: Mapping[str, object] | None
    why: str = ""


def write_explorer(shown: Exploration) -> str:
    """Return the page."""
    model = {
        "title": shown.title,
        "variables": [{"name": name, "states": list(states)} for name, states in shown.variables],
        "edges": [vars(edge) for edge in shown.edges],
        "circuit": shown.circuit,
        "why": shown.why,
    }
    content = json.dumps(model, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    body = f"""<h1>{escape(shown.title)}</h1>
<p class="soft">Click a state: arrows that do not matter then fade, and all probabilities are updated. Click it again to
take it back.</p>
{_TOOLS}
<p aria-live="polite"><span id="findings"></span> <span id="probability" class="soft"></span>
<span id="pinned" class="soft"></span></p>
<main>
<figure id="graph">{shown.svg}</figure>
<div><p id="nothing" class="soft" hidden>No variable has this in its name.</p><div id="variables"></div></div>
</main>"""
    script = (
        f'<script type="application/json" id="model">{content}</script>\n<script>\n{asset("explorer.js")}</script>\n'
    )
    return page(shown.title, body, style=asset("explorer.css"), script=script)
