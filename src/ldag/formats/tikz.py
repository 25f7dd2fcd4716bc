"""TikZ pictures in the style of the paper: round nodes in layers, labels beside their edges; written only."""

import re

from ldag.formats.arcs import find_arcs, without_arcs
from ldag.formats.record import Carries, Context, Format, GraphRecord
from ldag.formats.record_checks import check_record

_HEAD = r"""\documentclass[tikz,border=4pt]{standalone}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usetikzlibrary{arrows.meta}
\begin{document}
\begin{tikzpicture}[
  >={Stealth[length=2.2mm]},
  node/.style={circle, draw, thick, minimum size=11mm, inner sep=1pt, font=\small},
  latent/.style={node, dashed},
  label/.style={midway, fill=white, inner sep=1.5pt, font=\scriptsize, align=center},
]
"""
_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"$<$", ">": r"$>$", '"': "''", "|": r"$|$",
}  # fmt: skip
_SPECIAL = re.compile(r'[\\{}$&#_%~^<>"|]')
_SWEEPS = 8
"""How often the rows are sorted by where their neighbours stand."""


def write_tikz(record: GraphRecord) -> str:
    """Write a picture that LaTeX compiles by itself; the label of an edge says in which contexts it is absent."""
    whole = check_record(record)
    arcs = find_arcs(whole)
    record = without_arcs(whole, arcs)
    places = _places(record)
    number = {variable.name: place for place, variable in enumerate(record.variables, start=1)}
    style = {variable.name: "latent" if variable.latent else "node" for variable in record.variables}
    lines = [
        rf"  \node[{style[name]}] (n{number[name]}) at ({x:g}, {y:g}) {{{_escape(name)}}};"
        for name, (x, y) in places.items()
    ]
    for edge in record.edges:
        ends = f"(n{number[edge.parent]}) edge[->, thick{_bend(edge.parent, edge.child, places)}]"
        words = r" \\ ".join(_spell(context) for context in edge.label)
        label = f" node[label] {{{words}}}" if words else ""
        lines.append(rf"  \path {ends}{label} (n{number[edge.child]});")
    for both in arcs.values():
        above, below = sorted(both, key=lambda name: (-places[name][1], places[name][0]))
        side = "right" if places[above][0] > places[below][0] else "left"
        lines.append(rf"  \draw[<->, dashed, thick] (n{number[above]}) to[bend {side}=42] (n{number[below]});")
    return _HEAD + "\n".join(lines) + "\n\\end{tikzpicture}\n\\end{document}\n"


def _spell(context: Context) -> str:
    """Return a context as the paper writes label entries, with names: ``{x=1, y=0}``."""
    return rf"\{{{', '.join(f'{_escape(name)}={_escape(str(state))}' for name, state in context.items()) or '*'}\}}"


def _escape(text: str) -> str:
    return _SPECIAL.sub(lambda sign: _ESCAPES[sign[0]], text.replace("\n", " "))


def _places(record: GraphRecord) -> dict[str, tuple[float, float]]:
    """Return where nodes stand: a row below all parents, sorted so that neighbours are near each other."""
    parents = {v.name: [e.parent for e in record.edges if e.child == v.name] for v in record.variables}
    depth = _depths(parents)
    rows = [[name for name in parents if depth[name] == row] for row in range(max(depth.values()) + 1)]
    x = {name: float(place) for row in rows for place, name in enumerate(row)}
    near = {name: list(above) for name, above in parents.items()}
    for name, above in parents.items():
        for parent in above:
            near[parent].append(name)
    for _ in range(_SWEEPS):
        for row in rows:
            row.sort(key=lambda name: sum(x[other] for other in near[name]) / max(len(near[name]), 1))
            x |= {name: place - (len(row) - 1) / 2 for place, name in enumerate(row)}
    return {name: (2.6 * x[name], -2.2 * depth[name]) for name in parents}


def _depths(parents: dict[str, list[str]]) -> dict[str, int]:
    """Return the length of the longest path to every node; a cycle ends it."""
    depth = dict.fromkeys(parents, 0)
    for _ in parents:
        new = {name: max((depth[parent] + 1 for parent in above), default=0) for name, above in parents.items()}
        if new == depth:
            break
        depth = {name: min(value, len(parents) - 1) for name, value in new.items()}
    return depth


def _bend(parent: str, child: str, places: dict[str, tuple[float, float]]) -> str:
    """Return a bend for an edge that would run through other nodes."""
    (x, y), (u, v) = places[parent], places[child]
    crossed = any(
        min(y, v) < b < max(y, v) and abs(x + (u - x) * (b - y) / (v - y) - a) < 0.8
        for name, (a, b) in places.items()
        if name not in (parent, child) and y != v
    )
    return ", bend left=32" if crossed else ""


FORMAT = Format(
    name="tex",
    title="TikZ",
    endings=(".tex", ".tikz"),
    used_by="LaTeX",
    carries=Carries(states="no"),
    write_graph=write_tikz,
)
