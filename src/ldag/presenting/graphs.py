"""How graphs look: which edges and labels a picture shows, and what it says about them; two graphs in one picture."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ldag.checks import check_choice, check_names
from ldag.comparing import Comparison, EdgeLabels
from ldag.drawing import (
    Change,
    Drawing,
    Picture,
    PictureEdge,
    PictureNode,
    PictureOptions,
    draw_sheet,
    elide,
    fits_label,
    legend_of,
)
from ldag.errors import ArgumentError, counted
from ldag.formats import (
    MOST_CASES,
    Context,
    Edge,
    EdgeRecord,
    GraphRecord,
    VariableRecord,
    absent_if,
    brief_conditions,
    conditions,
    find_arcs,
)
from ldag.graph import LDAG, Multinet, is_told_by_labels
from ldag.model import Counts, Variable
from ldag.presenting.documents import Block, Figure, Listing
from ldag.presenting.looks import blocks, draw, picture
from ldag.reasoning import Verdict, context_parents

MOST_LABELS = 40
"""With more labelled edges than this, labels are not drawn unless asked for; tooltips have them."""

MOST_EDGES, EDGES_A_NODE = 150, 2
"""Edges that are drawn at most: so many, or of large graphs so many for each node. More would be a carpet."""

LEAST = "the least sure, and those that matter in the fewest cases"
"""Which edges are left out."""

MOST_BEYOND = 4
"""Nodes whose rules are in the legend."""

MOST_RULES = 8
"""Rules of one node in the legend."""

ELISIONS = (24, 17, 12)
"""Letters that long names and states keep on an edge where there is no room for more; tooltips have them whole."""


@picture.register
def graph_picture(graph: LDAG, options: PictureOptions) -> Picture:
    """Return what the picture of a graph shows."""
    unknown = set(options) - set(PictureOptions.__annotations__)
    if unknown:
        raise ArgumentError(
            f"a picture has no option {min(unknown)!r}; it has {', '.join(PictureOptions.__annotations__)}"
        )
    direction = options.get("direction", "down")
    check_choice(direction, ("down", "right"), "direction")
    nodes = _nodes_in_focus(graph, options.get("focus"))
    place = {node: number for number, node in enumerate(nodes)}
    inside = [edge for edge in graph.structure.edges if edge[0] in place and edge[1] in place]
    chosen = _choose_edges(graph, inside, options)
    edges = tuple(
        replace(edge, parent=place[edge.parent], child=place[edge.child]) for edge in _edges(graph, chosen, options)
    )
    boxes, rules = _boxes(graph, nodes, options)
    context = _states_shown(options)
    given = ", ".join(conditions([context], graph.variables)) if context else ""
    legend = [legend_of(edges, given, boxes), *rules]
    hidden = sum(bool(edge.note and not edge.label) for edge in edges)
    if hidden:
        have = "edge has a label that is" if hidden == 1 else "edges have labels that are"
        legend.append(f"{hidden} {have} not drawn")
    if len(chosen) < len(inside):
        legend.append(f"{len(inside) - len(chosen):,} of {counted(len(inside), 'edge')} not drawn: {LEAST}")
    return Picture(boxes, edges, tuple(filter(None, legend)), options.get("title") or "Labelled DAG", direction)


@draw.register
def draw_multinet(multinet: Multinet, options: PictureOptions) -> Drawing:  # type: ignore[type-arg]  # of any graph
    """Return the context graphs side by side; edges that vanish are dashed."""
    name = multinet.variable
    if "context" in options:
        raise ArgumentError(f"context graphs by {name!r} have contexts of their own; leave context out")
    pictures = []
    for state in multinet.graphs:
        own: PictureOptions = {**options, "context": {name: state}}
        pictures.append((f"{name} is {state}", graph_picture(multinet.whole, own)))
    return draw_sheet(options.get("title") or f"Context graphs by {name}", pictures)


@blocks.register
def _(verdict: Verdict) -> list[Block]:
    return [Listing(verdict.explain())]


def notes_of_rows(graph: LDAG, counts: Sequence[Counts]) -> dict[Edge, tuple[str, ...]]:
    """Return the lines of labels of many cases, by the rows they cover."""
    notes = {}
    for parent, child in graph.labelled_edges:
        label, axis = graph.label_contexts(parent, child), graph.parents(child).index(parent)
        others = [v for v in graph.variables if v.name in graph.parents(child) and v.name != parent]
        if len(conditions(label, others)) > MOST_CASES:
            node = graph.schema.node(child)
            rows = graph.structure.families[node].partition.rows_of_others(axis, counts[node])
            notes[parent, child] = absent_if(label, others, rows)
    return notes


def _nodes_in_focus(graph: LDAG, focus: str | Iterable[str] | None) -> list[int]:
    """Return the nodes to show: all, or the Markov blankets of some."""
    if focus is None:
        return list(range(len(graph.schema)))
    chosen = graph.schema.nodes(check_names(focus), "focus: ")
    near = {*chosen, *graph.structure.markov_blanket(chosen)}
    arcs = (ends for name, ends in graph.arcs.items() if graph.schema.node(name) in near)
    return sorted({*near, *(graph.schema.node(end) for ends in arcs for end in ends)})


def _states_shown(options: PictureOptions) -> Context:
    """Return the states that are known in a picture: of its context, and of what is set from outside."""
    context, do = options.get("context") or {}, options.get("do") or ()
    if not isinstance(context, Mapping):
        raise ArgumentError(f"context: a context maps variables to states, such as {{'x': 'yes'}}, got {context!r}")
    names = [do] if isinstance(do, str) else do
    for name in names:
        if name in context:
            raise ArgumentError(f"{name!r} is in the context and set from outside; name it in context or in do")
    return {**context, **do} if isinstance(do, Mapping) else context


def _nodes_set(graph: LDAG, options: PictureOptions) -> frozenset[int]:
    """Return the nodes that are set from outside."""
    do = options.get("do") or ()
    if isinstance(do, Mapping):
        return frozenset(graph.schema.context(do, "do: "))
    return frozenset(graph.schema.nodes(do, "do: "))


def _choose_edges(graph: LDAG, edges: Sequence[tuple[int, int]], options: PictureOptions) -> Sequence[tuple[int, int]]:
    """Return the edges to draw: all, or the most probable, of these the ones that matter in most configurations."""
    most = max(MOST_EDGES, EDGES_A_NODE * len(graph.schema))
    if len(edges) <= most:
        return edges
    probabilities, names = options.get("probabilities") or {}, graph.schema.names
    focus = set(graph.schema.nodes(check_names(options.get("focus") or ()), "focus: "))
    families = graph.structure.families

    def rank(edge: tuple[int, int]) -> tuple[bool, float, float]:
        family, name = families[edge[1]], (names[edge[0]], names[edge[1]])
        gone = family.partition.share_without(family.parents.index(edge[0]))
        return not focus & {*edge}, -round(probabilities.get(name, 0.0), 2), gone

    ranked = sorted(edges, key=rank)
    seen: set[int] = set()
    first = []  # nobody with edges stands alone
    for edge in ranked:
        if not seen >= {*edge}:
            seen.update(edge)
            first.append(edge)
    return sorted(list(dict.fromkeys([*first, *ranked]))[:most])


def _edges(graph: LDAG, chosen: Sequence[tuple[int, int]], options: PictureOptions) -> list[PictureEdge]:
    """Return edges with what is to be said about each."""
    cut = _nodes_set(graph, options)
    kept = context_parents(graph.structure, graph.schema.context(_states_shown(options), "context: "))
    may_turn = options.get("arrows", not cut)  # who sets something takes the arrows for causes
    reversible = graph.edge_directions(options.get("forbidden", ())).open if may_turn else ()
    probabilities, notes = options.get("probabilities") or {}, options.get("notes") or {}
    draw_labels = options.get("labels")
    draw_labels = len(graph.labelled_edges) <= MOST_LABELS if draw_labels is None else draw_labels
    edges = []
    for parent, child in chosen:
        name = graph.schema[parent].name, graph.schema[child].name
        text = tuple(notes.get(name, ())) or absent_if(graph.label_contexts(*name), graph.variables)
        drawn = text if fits_label(text) else _shorten(graph, text)
        edges.append(
            PictureEdge(
                parent,
                child,
                drawn if draw_labels else (),
                parent not in kept[child] and child not in cut,
                name in reversible and name[0] not in graph.arcs,
                probabilities.get(name),
                note="" if draw_labels and drawn == text else "; ".join(text),
                is_cut=child in cut,
            )
        )
    return edges


def _shorten(graph: LDAG, lines: Sequence[str]) -> tuple[str, ...]:
    """Return the lines of a label with long names and states shortened, as far as they stay apart."""
    drawn = tuple(lines)
    for longest in ELISIONS:
        short = _short_forms([variable.name for variable in graph.variables], longest)
        for variable in graph.variables:
            short |= _short_forms([str(state) for state in variable.states], longest)
        drawn = tuple(_put_short(line, short) for line in lines)
        if fits_label(drawn):
            break
    return drawn


def _short_forms(texts: Sequence[str], longest: int) -> dict[str, str]:
    """Return short forms of texts; the texts themselves if short forms would be mixed up."""
    short = {text: elide(text, longest) for text in texts}
    return short if len(set(short.values())) == len(short) else {text: text for text in texts}


def _put_short(line: str, short: Mapping[str, str]) -> str:
    """Put short forms in the place of long texts, the longest of these first, as one may be a part of another."""
    for text in sorted(short, key=len, reverse=True):
        if short[text] != text:
            line = line.replace(text, short[text])
    return line


def _boxes(graph: LDAG, nodes: Sequence[int], options: PictureOptions) -> tuple[tuple[PictureNode, ...], list[str]]:
    """Return the boxes, with a mark where labels cannot tell the classes, and these classes in words."""
    focus = options.get("focus")
    context, done = _states_shown(options), _nodes_set(graph, options)
    chosen = set() if focus is None else set(check_names(focus))
    boxes: list[PictureNode] = []
    beyond: list[str] = []
    for node in nodes:
        name = graph.schema[node].name
        mark = "" if is_told_by_labels(graph, name) else "*"
        state = str(context[name]) if name in context else ""
        is_latent, is_arc = graph.schema[node].latent, name in graph.arcs
        boxes.append(PictureNode(name, mark, name in chosen, state, is_latent, is_arc, node in done))
        if mark:
            beyond.append(name)
    if len(beyond) <= MOST_BEYOND:
        return tuple(boxes), [line for name in beyond for line in _classes_in_words(graph, name)]
    return tuple(boxes), ["*: labels do not tell all about it; its rules do"]


def _classes_in_words(graph: LDAG, name: str) -> list[str]:
    """Return which configurations of the parents of a node act alike; the others each act in their own way."""
    table = graph.reduced_cpt(name)
    if table.tree is not None and len(table.rules) > MOST_RULES:
        return [f"{name}*: its tree of {len(table.rules):,} classes tells all"]
    rules = [rule for rule in table.rules if rule.is_shared]
    lines = [f"{name}* has one distribution for all cases of a line:"]
    lines += [f"–  {brief_conditions(rule.contexts, graph.variables)}" for rule in rules[:MOST_RULES]]
    if len(rules) > MOST_RULES:
        lines.append(f"–  and {len(rules) - MOST_RULES} more such lines")
    return lines


@picture.register
def comparison_picture(comparison: Comparison, options: PictureOptions) -> Picture:
    """Return the edges of both graphs in one picture."""
    if set(options) - {"direction", "title"}:
        raise ArgumentError("a picture of two graphs takes direction and title only")
    changes: dict[Edge, Change] = dict.fromkeys(comparison.common_edges, "")
    changes.update(dict.fromkeys(comparison.missing_edges, "missing"))
    changes.update(dict.fromkeys(comparison.extra_edges, "extra"))
    changes.update(dict.fromkeys(comparison.reversed_edges, "reversed"))
    names = [variable.name for variable in comparison.variables]
    arcs = _common_arcs(comparison, changes)
    is_drawn = len(comparison.edge_labels) <= MOST_LABELS
    edges = []
    for edge, change in changes.items():
        lines = _label_lines(comparison, edge)
        label, note = (lines, "") if is_drawn else ((), "; ".join(lines))
        edges.append(PictureEdge(names.index(edge[0]), names.index(edge[1]), label=label, change=change, note=note))
    nodes = tuple(
        PictureNode(variable.name, is_latent=variable.latent, is_arc=variable.name in arcs)
        for variable in comparison.variables
    )
    legend = [legend_of(edges, nodes=nodes)]
    if not is_drawn:
        legend.append(f"{len(comparison.edge_labels)} edges have labels that are not drawn")
    title = options.get("title") or "Two graphs compared"
    return Picture(nodes, tuple(edges), tuple(filter(None, legend)), title, options.get("direction", "down"))


def _common_arcs(comparison: Comparison, changes: Mapping[Edge, Change]) -> set[str]:
    """Return the arcs of which both graphs say the same; others are drawn as latent variables with a box."""
    variables = tuple(VariableRecord(v.name, v.states, latent=v.latent) for v in comparison.variables)
    edges = tuple(EdgeRecord(*edge, ({},) if edge in comparison.edge_labels else ()) for edge in changes)
    differ = {parent for (parent, _), change in changes.items() if change}
    return set(find_arcs(GraphRecord(variables, edges))) - differ


@blocks.register
def _(comparison: Comparison) -> list[Block]:
    return [Figure(comparison.to_svg()), Listing(str(comparison))]


def _label_lines(comparison: Comparison, edge: Edge) -> tuple[str, ...]:
    """Return what the two graphs say about an edge; of one that only one graph has this way, what that one says."""
    labels, variables = comparison.edge_labels.get(edge, EdgeLabels()), comparison.variables
    if edge in comparison.extra_edges:
        return absent_if(labels.second, variables)
    if edge not in comparison.common_edges or labels.agree:
        return absent_if(labels.first, variables)
    return (*_lines_of("first", labels.first, variables), *_lines_of("second", labels.second, variables))


def _lines_of(graph: str, label: Sequence[Context], variables: Sequence[Variable]) -> tuple[str, ...]:
    """Return a label's lines, the first of which names the graph."""
    lines = absent_if(label, variables) or ("no label",)
    return (f"{graph}: {lines[0]}", *lines[1:])
