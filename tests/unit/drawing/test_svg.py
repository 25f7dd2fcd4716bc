"""The SVG picture: well-formed, complete, escaped, the same every time, and tidy when measured."""

import random
import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from ldag.drawing import Picture, PictureEdge, PictureNode, draw_picture
from ldag.drawing.lettering import TextBlock, text_width
from ldag.drawing.svg import write_svg
from ldag.errors import ArgumentError, GraphError

SVG = "{http://www.w3.org/2000/svg}"
Edge = tuple[int, int]

GUARD = (["person", "gender", "badge"], [(0, 1), (0, 2), (1, 2)], {(1, 2): ["person = visitor or spy"]})
HEART = (
    ["smoking", "mental", "physical", "pressure", "protein", "family"],
    [(1, 2), (1, 4), (2, 0), (4, 0), (0, 3), (4, 3)],
    {(0, 3): ["protein = >3"], (4, 3): ["smoking = no"]},
)
GENERATOR = (
    [f"X{number}" for number in range(1, 11)],
    [
        (int(a) - 1, int(b) - 1)
        for a, b in re.findall(
            r"(\d+)-(\d+)",
            "1-2 1-3 1-4 1-5 2-3 2-7 3-4 3-7 4-5 4-7 4-8 5-9 6-7 6-10 7-8 7-10 8-5 8-9 8-10 9-10",
        )
    ],
    {
        (1, 2): ["X1 = 0"],
        (0, 3): ["X3 = 1"],
        (3, 4): ["X1 = 0"],
        (7, 4): ["X1 = 0"],
        (1, 6): ["X3 = 1, X4 = 1, X6 = 0"],
        (2, 6): ["X2 = 0, X4 = 1, X6 = 1", "X2 = 1, X6 = 1"],
        (3, 6): ["X2 = 1, X3 = 1"],
        (5, 6): ["X2 = 1, X3 = 1"],
        (4, 8): ["X8 = 1"],
        (6, 9): ["X6 = 1"],
        (7, 9): ["X6 = 1"],
        (8, 9): ["X6 = 1"],
    },
)
Graph = tuple[list[str], list[Edge], dict[Edge, list[str]]]


def sparse(n_nodes: int, seed: int) -> Graph:
    """Return a random sparse graph with a label on some edges."""
    rng = random.Random(seed)
    edges = sorted({(rng.randrange(max(0, b - 8), b), b) for b in range(1, n_nodes) for _ in range(2)})
    labels = {edge: ["node = some state"] * rng.randint(1, 3) for edge in edges if rng.random() < 0.2}
    return [f"node {number}" for number in range(n_nodes)], edges, labels


def draw_svg(
    names: list[str],
    edges: list[Edge],
    labels: dict[Edge, list[str]],
    *,
    dashed: tuple[Edge, ...] = (),
    title: str = "Labelled DAG",
) -> str:
    """Draw a graph given by its parts."""
    nodes = tuple(PictureNode(name) for name in names)
    shown = tuple(PictureEdge(*edge, tuple(labels.get(edge, ())), edge in dashed) for edge in edges)
    return write_svg(draw_picture(Picture(nodes, shown, title=title)))


def parse(svg: str) -> ElementTree.Element:
    """Read a picture back; fails unless it is well-formed."""
    return ElementTree.fromstring(svg)


def texts(root: ElementTree.Element) -> list[str]:
    """Return all lines of text that are drawn."""
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def titles(root: ElementTree.Element) -> list[str]:
    """Return all tooltips."""
    return [element.text or "" for element in root.iter(f"{SVG}title")]


def rectangles(root: ElementTree.Element) -> dict[str, tuple[float, float, float, float]]:
    """Return left, top, right and bottom of every box by its tooltip."""
    found = {}
    for group in root.iter(f"{SVG}g"):
        box, tip = group.find(f"{SVG}rect"), group.find(f"{SVG}title")
        if box is not None and tip is not None:
            x, y, width, height = (float(box.get(key, "nan")) for key in ("x", "y", "width", "height"))
            found[tip.text or ""] = (x, y, x + width, y + height)
    return found


def lines(root: ElementTree.Element) -> dict[str, list[tuple[float, float]]]:
    """Return many points on every edge by its tooltip, by evaluating its path."""
    found = {}
    for group in root.iter(f"{SVG}g"):
        path, tip = group.find(f"{SVG}path"), group.find(f"{SVG}title")
        if path is None or tip is None:
            continue
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", path.get("d", ""))]
        corners = list(zip(numbers[::2], numbers[1::2], strict=True))
        pieces = [corners[first : first + 4] for first in range(0, len(corners) - 1, 3)]
        found[tip.text or ""] = [_bezier(piece, step / 60) for piece in pieces for step in range(61)]
    return found


def _bezier(corners: list[tuple[float, float]], t: float) -> tuple[float, float]:
    """Evaluate a Bézier piece as de Casteljau does."""
    while len(corners) > 1:
        corners = [((1 - t) * a + t * c, (1 - t) * b + t * d) for (a, b), (c, d) in pairwise(corners)]
    return corners[0]


@pytest.mark.parametrize(
    "graph",
    [GUARD, HEART, GENERATOR, sparse(37, 1), sparse(37, 2)],
    ids=["guard", "heart", "ten", "37a", "37b"],
)
def test_the_picture_is_complete_and_tidy(graph: Graph) -> None:
    """Every name, label and edge is there, and no edge runs through a box that is not its own."""
    names, edges, labels = graph
    root = parse(draw_svg(names, edges, labels))
    drawn = texts(root)
    for text in [*names, *(line for lines_ in labels.values() for line in lines_)]:
        assert text in drawn
    drawn_edges, boxes = lines(root), rectangles(root)
    assert len(drawn_edges) == len(edges)
    assert len(boxes) == len(names) + len(labels)
    for tip, points in drawn_edges.items():
        ends = tip.split(" : ")[0].split(" → ")
        for name, (left, top, right, bottom) in boxes.items():
            if name != tip and name not in ends:
                assert not any(left < x < right and top < y < bottom for x, y in points), (tip, name)
        assert points[0][1] == pytest.approx(boxes[ends[0]][3], abs=0.11)
        assert 0 < boxes[ends[1]][1] - points[-1][1] < 12  # the arrowhead fills the rest


def test_arrowheads_touch_the_child() -> None:
    """The tip of every arrowhead is on the upper border of the child's box."""
    root = parse(draw_svg(*GUARD))
    boxes = rectangles(root)
    for group in root.iter(f"{SVG}g"):
        head, tip = group.find(f"{SVG}polygon"), group.find(f"{SVG}title")
        if head is not None and tip is not None:
            child = (tip.text or "").split(" : ")[0].split(" → ")[1]
            y = max(float(corner.split(",")[1]) for corner in head.get("points", "").split())
            assert y == pytest.approx(boxes[child][1], abs=0.11)


def test_the_same_picture_for_any_order_of_edges() -> None:
    """Edges and labels may come in any order."""
    names, edges, labels = GENERATOR
    backwards = dict(reversed(labels.items()))
    assert draw_svg(names, edges[::-1], backwards) == draw_svg(names, edges, labels)


def test_names_and_labels_are_escaped() -> None:
    """Signs that mean something in XML, control characters and lone surrogates survive as text."""
    names = ['<a> & "b"', "it's </svg>", "bell\x07 line\nbreak \ud800"]
    root = parse(draw_svg(names, [(0, 2), (1, 2)], {(0, 2): ["x = <3 & >1"]}, title='"<&>"'))
    assert {'<a> & "b"', "it's </svg>", "bell\ufffd line break \ufffd", "x = <3 & >1"} <= set(texts(root))
    assert root.get("aria-label") == '"<&>"'


def test_the_picture_can_be_read_aloud() -> None:
    """The picture says that it is one, what it is called, and what is in it."""
    root = parse(draw_svg(*GUARD, title="Who wears a badge?"))
    assert root.get("role") == "img"
    assert root[0].tag == f"{SVG}title"
    assert root[0].text == "Who wears a badge?"
    assert root[1].tag == f"{SVG}desc"
    assert "gender → badge : person = visitor or spy" in (root[1].text or "")


def test_the_picture_stands_alone() -> None:
    """Nothing is fetched or run: no scripts, links, images or references by id; the only style is for dark screens."""
    svg = draw_svg(*GENERATOR).replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not re.search(r"<script|@import|<image|href|url\(|http|\bid=", svg)
    assert "sans-serif" in svg


def test_dashed_edges() -> None:
    """An edge that vanishes is dashed; the others are not."""
    root = parse(draw_svg(*GUARD, dashed=((1, 2),)))
    dashes = [path.get("stroke-dasharray") for path in root.iter(f"{SVG}path")]
    assert sum(dash is not None for dash in dashes) == 1
    assert "stroke-dasharray" not in draw_svg(*GUARD)


def test_long_labels_are_folded_and_not_cut() -> None:
    """A context wider than a label may be goes on in a second line, whole; no line ends in the middle of it."""
    context = "not if " + " and ".join(f"variable {number} is state {number}" for number in range(6))
    root = parse(draw_svg(["a", "b", "c"], [(0, 2), (1, 2)], {(0, 2): [context, "or if b is 1"]}))
    drawn = texts(root)
    assert context in " ".join(drawn)
    assert not any(text.endswith("…") for text in drawn)
    assert "or if b is 1" in drawn


def test_long_names_are_folded_with_the_whole_name_in_the_tooltip() -> None:
    """A very long name takes three lines at most."""
    name = "a name of a variable " * 8
    root = parse(draw_svg([name.strip()], [], {}))
    assert len(texts(root)) == 3
    assert texts(root)[-1].endswith("…")
    assert name.strip() in titles(root)


def test_small_graphs() -> None:
    """Nothing, one node and nodes without edges are pictures too."""
    assert texts(parse(draw_svg([], [], {}))) == []
    assert texts(parse(draw_svg(["only"], [], {}))) == ["only"]
    assert texts(parse(draw_svg(["a", "b", "c"], [], {}))) == ["a", "b", "c"]
    assert texts(parse(draw_svg(["a", "b"], [(0, 1)], {(0, 1): []}))) == ["a", "b"]


def test_arguments_that_do_not_apply_are_refused() -> None:
    """An edge to a node that is not there is an error, and so is a label that is one string."""
    with pytest.raises(GraphError, match=r"cannot draw edge \(0, 2\): the graph has 2 nodes"):
        draw_svg(["a", "b"], [(0, 2)], {})
    with pytest.raises(ArgumentError, match=r"label of edge \(0, 1\) is a list of lines, got the text 'x'"):
        Picture((PictureNode("a"), PictureNode("b")), (PictureEdge(0, 1, "x"),))  # type: ignore[arg-type]


def test_text_widths() -> None:
    """Wide letters count for more than narrow ones, and accents for nothing."""
    assert text_width("WWW", 10) > text_width("iii", 10) > 0
    assert text_width("e\u0301", 10) == text_width("e", 10)
    assert text_width("漢字", 10) == 20


def test_folding() -> None:
    """Lines break at blanks where they can and inside words where they must, and lose no letter."""
    block = TextBlock.of(["smoking = yes or sometimes", "x" * 40], 10.0, max_width=80.0, max_lines=20)
    assert all(text_width(line, 10) <= 80 for line in block.lines)
    assert block.lines[:2] == ("smoking = yes or", "sometimes")
    assert "".join(block.lines[2:]) == "x" * 40
    huge = TextBlock.of(["y" * 200, "z"], 10.0, max_width=80.0, max_lines=3)
    assert len(huge.lines) == 3
    assert huge.lines[1].endswith("…")
    assert huge.lines[2] == "+ 1 more"
