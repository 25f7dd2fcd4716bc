"""Pictures of graphs: what is drawn, what is said, and that nothing covers anything else."""

import re
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import ldag
from ldag import LDAG
from ldag.drawing import Direction, PictureOptions, routes
from ldag.drawing.graphs import node_size, place
from ldag.errors import ArgumentError, LdagError, UnknownVariable
from ldag.presenting.graphs import comparison_picture, graph_picture, notes_of_rows

SVG = "{http://www.w3.org/2000/svg}"
GUARD = ldag.datasets.graph("guard")
Box = tuple[float, float, float, float]


def groups(svg: str, kind: str) -> list[ElementTree.Element]:
    """Return the groups of a kind: node, label, edge."""
    return [g for g in ElementTree.fromstring(svg).iter(f"{SVG}g") if (g.get("class") or "").split()[:1] == [kind]]


def words(group: ElementTree.Element) -> list[str]:
    """Return the lines of text in a group."""
    return [text.text or "" for text in group.iter(f"{SVG}text")]


def box(group: ElementTree.Element) -> Box:
    """Return left, top, right and bottom of a group's rectangle."""
    rect = group.find(f"{SVG}rect")
    assert rect is not None
    x, y, width, height = (float(rect.get(name, "")) for name in ("x", "y", "width", "height"))
    return x, y, x + width, y + height


def overlap(a: Box, b: Box) -> bool:
    """Whether two boxes have an area in common."""
    return min(a[2], b[2]) - max(a[0], b[0]) > 0.2 and min(a[3], b[3]) - max(a[1], b[1]) > 0.2


def with_long_names(graph: LDAG) -> LDAG:
    """Return a graph whose every other variable has a long name."""
    text = graph.to_text()
    for number in range(len(graph.variables), 0, -2):
        text = re.sub(rf"\bx{number}\b", f'"number {number} of the questions in the questionnaire"', text)
    return LDAG.from_text(text)


@pytest.mark.parametrize("n_nodes", [3, 10, 37, 60])
@pytest.mark.parametrize("direction", ["down", "right"])
def test_nothing_covers_anything_else(n_nodes: int, direction: Direction) -> None:
    """Every edge is drawn, every label says when the edge is absent, and no box lies over another."""
    graph = with_long_names(ldag.simulate.random_ldag(n_nodes, rng=n_nodes))
    svg = graph.to_svg(labels=True, direction=direction)
    assert len(groups(svg, "edge")) == len(graph.edges)
    labels = groups(svg, "label")
    assert len(labels) == sum(bool(graph.label(*edge)) for edge in graph.edges)
    assert all(words(label)[0].startswith(("not if ", "not in ")) for label in labels)
    boxes = [box(group) for group in [*groups(svg, "node"), *labels]]
    assert not [pair for pair in combinations(boxes, 2) if overlap(*pair)]


def test_contexts_of_a_label_stand_on_lines_of_their_own() -> None:
    """Several contexts are joined by "or", and none is broken."""
    states = {name: [0, 1] for name in "abcd"}
    label = {("a", "d"): [{"b": 0, "c": 0}, {"b": 1, "c": 1}]}
    graph = LDAG.from_edges([("a", "d"), ("b", "d"), ("c", "d")], states=states, labels=label)
    (drawn,) = [group for group in groups(graph.to_svg(), "label") if group.get("data-parent") == "0"]
    assert words(drawn) == ["not if b is 0 and c is 0", "or if b is 1 and c is 1"]


def test_labels_of_many_cases_say_what_they_cover() -> None:
    """In cases where nothing is known of rows, and in rows where it is, also in the tooltip; three cases are listed."""
    names = "abcd"
    entries = [(0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 1, 1), (2, 0, 1), (2, 1, 0)]
    states = {"a": [0, 1], "b": [0, 1, 2], "c": [0, 1], "d": [0, 1], "y": [0, 1]}
    label = {("a", "y"): [dict(zip("bcd", entry, strict=True)) for entry in entries]}
    graph = LDAG.from_edges([(name, "y") for name in names], states=states, labels=label)
    (drawn,) = [group for group in groups(graph.to_svg(), "label") if group.get("data-parent") == "0"]
    assert words(drawn)[0] == "not in 6 of 12 cases,"
    counts = [np.ones((1, 2)) for _ in names] + [np.ones((24, 2))]
    rows = np.zeros((2, 3, 2, 2))
    rows[:, 0, 0, 1], rows[:, 2, 0, 1], rows[:, 1, 1, 0] = 6.0, 5.0, 9.0  # 22 of 40 rows in two cases of the label
    counts[4] = np.stack([rows.reshape(-1), rows.reshape(-1)], axis=1)
    assert notes_of_rows(graph, counts)["a", "y"] == ("not in 55 % of the rows,", "mostly if c is 0")


def test_the_legend_is_one_line_that_explains_what_is_there() -> None:
    """A graph without labels and with determined arrows only needs no legend."""
    assert "“not if …”: the edge is absent in that case" in words(groups(GUARD.to_svg(), "legend")[0])[0]
    collider = LDAG.from_edges([("a", "c"), ("b", "c")], states={name: [0, 1] for name in "abc"})
    assert groups(collider.to_svg(), "legend") == []


def test_arrows_that_may_turn_are_hollow() -> None:
    """In a chain both arrows may turn; in a collider none."""
    states = {name: [0, 1] for name in "abc"}
    chain = LDAG.from_edges([("a", "b"), ("b", "c")], states=states)
    assert chain.to_svg().count('class="edge plain hollow"') == 2
    assert 'hollow"' not in chain.to_svg(arrows=False)
    assert 'hollow"' not in LDAG.from_edges([("a", "c"), ("b", "c")], states=states).to_svg()


def test_absent_edges_are_dashed() -> None:
    """For a spy, gender does not matter for the badge."""
    svg = GUARD.to_svg(context={"person": "spy"})
    (absent,) = [group for group in groups(svg, "edge") if "absent" in (group.get("class") or "")]
    assert (absent.get("data-parent"), absent.get("data-child")) == ("1", "2")
    assert "dashed: absent if person is spy" in svg
    assert ["person", "= spy"] in [words(group) for group in groups(svg, "node")]


def test_focus_shows_a_markov_blanket() -> None:
    """Parents, children, and the children's other parents."""
    graph = ldag.datasets.graph("heart")
    shown = {words(group)[0] for group in groups(graph.to_svg(focus="pressure"), "node")}
    assert shown == {"pressure", *graph.parents("pressure")}
    with pytest.raises(UnknownVariable, match="focus: no variable 'presure'; did you mean 'pressure'"):
        graph.to_svg(focus="presure")


def test_labels_can_be_left_to_the_tooltips() -> None:
    """Then the legend says how many there are."""
    svg = GUARD.to_svg(labels=False)
    assert groups(svg, "label") == []
    assert "gender → badge : not if person is visitor or spy" in svg
    assert "1 edge has a label that is not drawn" in svg


def test_widths_are_probabilities() -> None:
    """A likelier edge is drawn wider."""
    svg = GUARD.to_svg(probabilities={("person", "badge"): 0.9, ("gender", "badge"): 0.1})
    widths = {
        (g.get("data-parent"), g.get("data-child")): float(g.find(f"{SVG}path").get("stroke-width"))  # type: ignore[union-attr,arg-type]
        for g in groups(svg, "edge")
    }
    assert widths["0", "2"] > 3 * widths["1", "2"]
    assert "probability 0.90" in svg


def test_classes_beyond_labels_are_told() -> None:
    """A node whose classes are not made of labels is marked, and the legend lists its rules."""
    guard = GUARD.with_tree("badge", {"person": {"worker": 0, "visitor": 1, "spy": 0}})
    svg = guard.to_svg()
    assert "badge *" in [line for group in groups(svg, "node") for line in words(group)]
    legend = words(groups(svg, "legend")[0])
    head = legend.index("badge* has one distribution for all cases of a line:")
    assert legend[head + 1 :] == ["–  person is worker or spy", "–  person is visitor"]


def test_context_graphs_side_by_side() -> None:
    """One picture per state, under its heading."""
    svg = GUARD.as_multinet("person").to_svg()
    assert [state in svg for state in ("person is worker", "person is visitor", "person is spy")] == [True] * 3
    assert svg.count('class="edge absent') == 2
    with pytest.raises(ArgumentError, match="context graphs by 'person' have contexts of their own"):
        GUARD.as_multinet("person").to_svg(context={"person": "spy"})


def test_matplotlib_draws_the_same(tmp_path: Path) -> None:
    """Into given axes, which are returned, and to files; the ending chooses."""
    from matplotlib.figure import Figure

    ax = Figure().add_subplot()
    assert GUARD.plot(ax) is ax
    assert "not if person is visitor or spy" in [text.get_text() for text in ax.texts]
    assert {"person", "gender", "badge"} <= {text.get_text() for text in GUARD.plot().texts}
    for ending, start in ((".png", b"\x89PNG"), (".pdf", b"%PDF"), (".svg", b"<svg")):
        GUARD.save_picture(tmp_path / f"guard{ending}")
        assert (tmp_path / f"guard{ending}").read_bytes().startswith(start)


def test_mistakes_in_options_are_refused(tmp_path: Path) -> None:
    """Unknown options, directions and endings."""
    with pytest.raises(ArgumentError, match="a picture has no option 'contxt'"):
        GUARD.to_svg(contxt={"person": "spy"})  # type: ignore[call-arg]
    with pytest.raises(ArgumentError, match="no direction 'up'"):
        GUARD.to_svg(direction="up")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=r"ends in .svg, .png, .pdf, got the ending '.gif'"):
        GUARD.save_picture(tmp_path / "guard.gif")


def test_long_names_on_edges_are_shortened_before_states() -> None:
    """What the edge depends on stays readable; the tooltip has it whole."""
    name = "how satisfied are you with your commute to work overall"
    graph = LDAG.from_edges(
        [(name, "c"), ("b", "c")],
        states={name: ["very satisfied", "very dissatisfied"], "b": [0, 1], "c": [0, 1]},
        labels={("b", "c"): [{name: "very dissatisfied"}]},
    )
    (label,) = groups(graph.to_svg(), "label")
    assert words(label) == ["not if how satisfied … overall is very dissatisfied"]
    assert name in "".join(label.itertext())


def test_many_nodes_without_edges_go_below_in_rows() -> None:
    """A wide graph leaves no room beside it: the others stand in rows below, not in one tall column."""
    wide = [("root", f"child with a long name {number}") for number in range(9)]
    names = {name for edge in wide for name in edge} | {f"alone {number}" for number in range(20)}
    picture = graph_picture(LDAG.from_edges(wide, states={name: [0, 1] for name in names}), {})
    placed = place(picture)
    centres = dict(zip([node.name for node in picture.nodes], placed.nodes, strict=True))
    alone = [centres[f"alone {number}"] for number in range(20)]
    assert min(y for _, y in alone) > max(centres[name][1] for _, name in wide)
    assert len({y for _, y in alone}) <= 2
    assert placed.width > placed.height


@pytest.mark.parametrize("n_labels", [40, 41])
def test_forty_labels_are_drawn(n_labels: int) -> None:
    """More are left to the tooltips, in a graph and in a comparison of two, unless they are asked for."""
    children = [f"c{number}" for number in range(n_labels)]
    graph = LDAG.from_edges(
        [(parent, child) for child in children for parent in "ab"],
        states={name: [0, 1] for name in [*"ab", *children]},
        labels={("a", child): [{"b": 0}] for child in children},
    )
    for shown in (graph_picture(graph, {}), comparison_picture(ldag.compare(graph, graph), {})):
        assert sum(bool(edge.label) for edge in shown.edges) == (40 if n_labels == 40 else 0)
        assert any("edges have labels that are not drawn" in line for line in shown.legend) == (n_labels > 40)
    assert sum(bool(edge.label) for edge in graph_picture(graph, {"labels": True}).edges) == n_labels


@pytest.mark.parametrize(("n_classes", "last"), [(8, "–  p is 14 or 15"), (9, "–  and 1 more such lines")])
def test_eight_rules_of_a_node_stand_in_the_legend(n_classes: int, last: str) -> None:
    """Of classes with several configurations; others are counted."""
    states = {"p": [*range(2 * n_classes)], "x": [0, 1]}
    graph = LDAG.from_partitions({"x": (["p"], [number // 2 for number in range(2 * n_classes)])}, states=states)
    assert graph_picture(graph, {}).legend[-1] == last


def test_labels_of_two_graphs_are_told_apart() -> None:
    """Of an edge of both, what each says where they differ; of others, what the graph says that has it."""
    states = {name: [0, 1] for name in "abcd"}
    first = LDAG.from_edges([("a", "c"), ("b", "c")], states=states, labels={("a", "c"): [{"b": 0}]})
    second = LDAG.from_edges(
        [("a", "c"), ("b", "c"), ("a", "d"), ("b", "d")],
        states=states,
        labels={("a", "c"): [{"b": 1}], ("b", "d"): [{"a": 1}]},
    )
    shown = comparison_picture(ldag.compare(first, second), {})
    lines = {edge.ends: edge.label for edge in shown.edges}
    assert lines[0, 2] == ("first: not if b is 0", "second: not if b is 1")
    assert lines[1, 3] == ("not if a is 1",)
    back = comparison_picture(ldag.compare(second, first), {})
    assert {edge.ends: edge.label for edge in back.edges}[1, 3] == ("not if a is 1",)


def test_latent_variables_have_a_dashed_border() -> None:
    """Their boxes alone are dashed, which the legend, the tooltip and the description say."""
    graph = LDAG.from_edges([("h", "a"), ("h", "b")], states={name: [0, 1] for name in "hab"}, latent="h")
    svg = graph.to_svg()
    dashed = [g for g in groups(svg, "node") if g.find(f"{SVG}rect").get("stroke-dasharray")]  # type: ignore[union-attr]
    assert [words(g) for g in dashed] == [["h"]]
    assert [title.text for title in dashed[0].iter(f"{SVG}title")] == ["h (latent)"]
    assert "dashed box: latent, not observed" in " ".join(words(groups(svg, "legend")[0]))
    assert "Nodes: h (latent), a, b." in svg
    compared = ldag.compare(graph, LDAG.from_edges([("h", "a")], states={name: [0, 1] for name in "hab"}))
    assert "dashed box: latent" in compared.to_svg()
    figure = graph.plot()
    boxes = [patch for patch in figure.patches if type(patch).__name__ == "FancyBboxPatch"]
    assert [patch.get_linestyle() != "solid" for patch in boxes].count(True) == 1


BOW = LDAG.from_text("z -> x\nx -> y\nx <-> y")


def test_an_arc_has_no_box() -> None:
    """It is one dashed line with two heads, and the legend says what it is."""
    svg = BOW.to_svg()
    boxes = [group for group in groups(svg, "node") if group.find(f"{SVG}rect") is not None]
    assert [words(group) for group in boxes] == [["z"], ["x"], ["y"]]
    (arc,) = [group for group in groups(svg, "node") if group.find(f"{SVG}rect") is None]
    lines = list(arc.iter(f"{SVG}path"))
    assert [path.get("stroke-dasharray") for path in lines] == ["6 4", "6 4"]
    assert len({(path.get("d") or "").split("C")[0] for path in lines}) == 1  # both begin at the top
    assert len(list(arc.iter(f"{SVG}polygon"))) == 2
    assert "dashed arc: a latent cause of both" in svg
    assert "Edges: z → x, x → y, x &lt;-&gt; y (latent)." in svg
    assert "may point either way" not in LDAG.from_text("x <-> y").to_svg()


@pytest.mark.parametrize("direction", ["down", "right"])
def test_arcs_keep_clear_of_boxes(direction: Direction) -> None:
    """In graphs with arcs between many variables no arc runs through a box."""
    text = "a -> b -> c -> d -> e\na <-> b\na <-> e\nb <-> d\nc <-> e\nz -> c\na <-> c\nz <-> e"
    placed = place(graph_picture(LDAG.from_text(text), {"direction": direction}))
    boxes = [
        routes.Box.around(centre, node_size(block), -1.0)
        for node, centre, block in zip(placed.picture.nodes, placed.nodes, placed.texts, strict=True)
        if not node.is_arc
    ]
    assert len(boxes) == 6
    assert not [1 for pieces in placed.curves for cubic in pieces for box in boxes if routes.is_inside(cubic, box)]


def test_arcs_in_focus_have_both_ends() -> None:
    """What an arc joins with something is part of the picture."""
    graph = LDAG.from_text("x -> y\nx <-> z\nz -> w")
    boxes = [words(g) for g in groups(graph.to_svg(focus="x"), "node")]
    assert boxes == [["x"], ["y"], ["z"], []]


@pytest.mark.parametrize("do", ["x", ["x"], {"x": 1}])
def test_arrows_into_what_is_set_are_cut(do: str | list[str] | dict[str, int]) -> None:
    """They are pale with two bars, and only the half of an arc that ends there is."""
    svg = BOW.to_svg(do=do)
    drawn = [g for g in groups(svg, "edge") if "absent" in (g.get("class") or "")]
    pale = [(g.get("data-parent"), g.get("data-child")) for g in drawn]
    assert pale == [("0", "1"), ("3", "1")]
    assert svg.count("z → x (cut)") == 2  # in the description and in the tooltip
    assert "‖: cut, because the variable is set from outside" in svg
    own = next(words(group) for group in groups(svg, "node") if words(group)[:1] == ["do(x)"])
    assert own == (["do(x)", "= 1"] if isinstance(do, dict) else ["do(x)"])
    assert "hollow" not in svg
    assert "hollow" in LDAG.from_text("a -> b").to_svg(do="a", arrows=True)


def test_labels_that_name_what_is_set() -> None:
    """With its state an edge that vanishes there is dashed; without it is not."""
    graph = LDAG.from_text("x -> y\nl -> y : x=1")
    assert "dashed: absent if x is 1" in graph.to_svg(do={"x": 1})
    assert "dashed: absent" not in graph.to_svg(do={"x": 0}) + graph.to_svg(do="x")


def test_a_picture_for_each_context() -> None:
    """Several contexts stand side by side under headings."""
    svg = GUARD.to_svg(context=[{"person": "spy"}, {"person": "worker"}], do="badge")
    assert [words(group) for group in groups(svg, "heading")] == [["person is spy"], ["person is worker"]]
    assert svg.count("dashed: absent") == 0  # the arrows that would be are cut
    assert len([group for group in groups(svg, "node") if words(group)[0] == "do(badge)"]) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"do": "z", "context": {"z": 1}}, "^'z' is in the context and set from outside; name it in context or in do$"),
        ({"do": "zz"}, "^do: no variable 'zz'"),
        ({"do": {"z": 2}}, "^do: variable 'z' has no state 2"),
        ({"do": 3}, "^do: expected a variable's name or several, got 3$"),
    ],
)
def test_bad_settings(options: PictureOptions, message: str) -> None:
    """Unknown names and states are refused, and what is both seen and set."""
    with pytest.raises(LdagError, match=message):
        BOW.to_svg(**options)


def test_arcs_of_two_graphs() -> None:
    """An arc that both have is an arc; one that only one of them has is a latent variable with a box."""
    text = "z -> x\nx -> y\nx <-> y"
    same = LDAG.from_text(text).with_states(BOW.variables)
    assert len(groups(ldag.compare(BOW, same).to_svg(), "node")[-1].findall(f"{SVG}rect")) == 0
    other = LDAG.from_text('x {0, 1}\ny {0, 1}\nz {0, 1}\nlatent "x <-> y"\n"x <-> y" -> y\nz -> x\nx -> y')
    svg = ldag.compare(BOW, other).to_svg()
    assert len([group for group in groups(svg, "node") if group.find(f"{SVG}rect") is not None]) == 4


def test_many_edges_are_left_out_and_counted() -> None:
    """Of a node that forty others decide one after the other, and of others, the first to be asked are drawn."""
    n = 40
    tree: Any = {"x39": {0: 40, 1: 39}}
    for number in reversed(range(n - 1)):
        tree = {f"x{number}": {0: tree, 1: number}}
    children = [f"y{i}" for i in range(5)]
    edges = [(f"x{i}", child) for child in children for i in range(n)]
    names = [*(f"x{i}" for i in range(n)), *children]
    graph = LDAG.from_edges(edges, states={name: [0, 1] for name in names}, trees=dict.fromkeys(children, tree))
    svg = graph.to_svg()
    assert "50 of 200 edges not drawn" in svg.replace("\n", " ")
    assert svg.count("data-parent=") == 150
    for number in (0, 1, 39):  # those that matter most, and nobody stands alone
        assert f'data-parent="{number}"' in svg
