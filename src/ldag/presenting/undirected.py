"""How graphs without arrows look: lines without heads, and on them when their ends are independent."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ldag.drawing import Picture, PictureEdge, PictureNode, PictureOptions
from ldag.errors import ArgumentError
from ldag.formats import Edge
from ldag.graph import LDAG, MoralGraph, StratifiedGraph
from ldag.model import Variable
from ldag.network import Network
from ldag.presenting.documents import Block, Figure, Listing
from ldag.presenting.graphs import graph_picture
from ldag.presenting.looks import blocks, picture
from ldag.uncertainty import StrataPosterior

OF_ARROWS = ("do", "arrows", "forbidden")
"""Options of pictures that are about arrows."""

INDEPENDENT = "independent"


@picture.register
def picture_without_arrows(graph: StratifiedGraph, options: PictureOptions) -> Picture:
    """Return what the picture of a graph without arrows shows."""
    refuse_arrows(options)
    return undirect_picture(graph.to_ldag(), {"title": "Stratified graph", **options})


def undirect_picture(graph: LDAG, options: PictureOptions) -> Picture:
    """Return the picture of a graph that needs no arrows, with strata for labels."""
    shown = graph_picture(graph, {"arrows": False, **options})
    edges = tuple(replace(edge, label=_say(edge.label), note=_say((edge.note,))[0]) for edge in shown.edges)
    legend = tuple(line.replace("“not if …”", f"“{INDEPENDENT} if …”") for line in shown.legend)
    return replace(shown, edges=edges, legend=legend, has_arrows=False)


@picture.register
def strata_posterior_picture(posterior: StrataPosterior, options: PictureOptions) -> Picture:
    """Return the consensus: edges as wide as they are probable."""
    graph = posterior.consensus()
    own: PictureOptions = {
        "probabilities": {edge: posterior.edge(*edge) for edge in graph.to_ldag().edges},
        "title": "Edges more probable than not, as wide as they are probable",
    }
    return picture_without_arrows(graph, {**own, **options})


@picture.register
def moral_picture(graph: MoralGraph, options: PictureOptions) -> Picture:
    """Return the edges of a moral graph, those that were added dotted."""
    refuse_arrows(options)
    if set(options) - {"direction", "title"}:
        raise ArgumentError("a picture of a moral graph takes direction and title only")
    edges = [*_lines(graph.variables, graph.edges), *_lines(graph.variables, graph.added, is_absent=True)]
    legend = ("dashed: between two parents of a child",) if graph.added else ()
    nodes = tuple(PictureNode(variable.name, is_latent=variable.latent) for variable in graph.variables)
    title, direction = options.get("title") or "Moral graph", options.get("direction", "down")
    return Picture(nodes, tuple(edges), legend, title, direction, has_arrows=False)


@blocks.register(StratifiedGraph)
@blocks.register(StrataPosterior)
def _(value: StratifiedGraph | StrataPosterior) -> list[Block]:
    return [Figure(value.to_svg()), Listing(str(value))]


def refuse_arrows(options: PictureOptions) -> None:
    """Refuse options of arrows."""
    for name in OF_ARROWS:
        if name in options:
            raise ArgumentError(f"{name} is about arrows, and this picture has none; leave it out")


def is_undirected(network: Network) -> bool:
    """Whether a network was learned without arrows, as its file tells, too."""
    settings = (network.origin or {}).get("settings")
    return isinstance(settings, Mapping) and settings.get("decomposable") is True


def _say(lines: Sequence[str]) -> tuple[str, ...]:
    """Say of two ends what is said of an arrow: "not if b is 1"."""
    return tuple(f"{INDEPENDENT}{line.removeprefix('not')}" if line.startswith("not ") else line for line in lines)


def _lines(variables: Sequence[Variable], edges: Sequence[Edge], *, is_absent: bool = False) -> list[PictureEdge]:
    names = [variable.name for variable in variables]
    return [PictureEdge(names.index(a), names.index(b), is_absent=is_absent) for a, b in edges]
