"""What a picture of a graph shows, before any ink: nodes, edges, labels, and lines of legend."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ldag.errors import ArgumentError, GraphError

Direction = Literal["down", "right"]
"""Where edges point: parents above their children, or to the left of them."""

Change = Literal["", "missing", "extra", "reversed"]
"""How an edge differs from that of another graph: only there, only here, or the other way round."""


@dataclass(frozen=True)
class PictureNode:
    """A box: a name, a small mark that the legend explains, whether it stands out, and the state that is known."""

    name: str
    mark: str = ""
    is_emphasised: bool = False
    state: str = ""


@dataclass(frozen=True)
class PictureEdge:
    """An arrow between two boxes.

    ``label`` has a line per context; ``note`` is what the tooltip says instead where labels are not drawn, or cut.
    ``is_absent``: the edge vanishes in the context shown. ``is_reversible``:
    an equivalent graph has it the other way round. ``probability`` sets the width.
    """

    parent: int
    child: int
    label: tuple[str, ...] = ()
    is_absent: bool = False
    is_reversible: bool = False
    probability: float | None = None
    change: Change = ""
    note: str = ""

    @property
    def ends(self) -> tuple[int, int]:
        """Parent and child."""
        return self.parent, self.child


@dataclass(frozen=True)
class Picture:
    """Boxes, arrows in any order, and what stands below them; ``title`` is for tooltips and screen readers."""

    nodes: tuple[PictureNode, ...]
    edges: tuple[PictureEdge, ...]
    legend: tuple[str, ...] = ()
    title: str = "Labelled DAG"
    direction: Direction = "down"

    def __post_init__(self) -> None:
        for edge in self.edges:
            if isinstance(edge.label, str):
                raise ArgumentError(f"the label of edge {edge.ends} is a list of lines, got the text {edge.label!r}")
            if not all(0 <= end < len(self.nodes) for end in edge.ends):
                raise GraphError(f"cannot draw edge {edge.ends}: the graph has {len(self.nodes)} nodes")
        object.__setattr__(self, "edges", tuple(sorted(self.edges, key=lambda edge: edge.ends)))

    def describe_edge(self, edge: PictureEdge) -> str:
        """Return an edge and its whole label in words."""
        text = f"{self.nodes[edge.parent].name} → {self.nodes[edge.child].name}"
        if edge.probability is not None:
            text += f" (joined with probability {edge.probability:.2f})"
        if edge.change:
            text += f" ({edge.change})"
        label = edge.note or "; ".join(edge.label)
        return f"{text} : {label}" if label else text

    def describe(self) -> str:
        """Return the whole picture in words."""
        names = ", ".join(node.name for node in self.nodes) or "none"
        edges = ", ".join(self.describe_edge(edge) for edge in self.edges) or "none"
        return f"Nodes: {names}. Edges: {edges}."


def legend_of(edges: Sequence[PictureEdge], context: str = "") -> str:
    """Return one line that explains the signs in use; nothing where arrows are just arrows."""
    parts = []
    if any(edge.label for edge in edges):
        parts.append("“not if …”: the edge is absent in that case")
    if any(edge.is_absent for edge in edges):
        parts.append(f"dashed: absent if {context}" if context else "dashed: absent in the context shown")
    if any(edge.is_reversible for edge in edges):
        parts.append("hollow arrow: may point either way")
    if any(edge.probability is not None for edge in edges):
        parts.append("width: probability that the two are joined")
    changes = {
        "missing": "dotted: only in the first graph",
        "extra": "bold: only in the second graph",
        "reversed": "double: the other way round in the second graph",
    }
    shown = {edge.change for edge in edges}
    parts += [words for change, words in changes.items() if change in shown]
    return " · ".join(parts)
