"""How networks and their answers look: the picture of the graph, rules and answers as tables with bars."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from ldag.drawing import Cell, Drawing, Meter, Picture, PictureOptions, TableRow, lay_out_table
from ldag.formats import brief_conditions, state_in_words
from ldag.network import ClassParameters, Marginals, Network, NodeParameters, StateMapping, class_intervals
from ldag.presenting.documents import Block, TableBlock
from ldag.presenting.graphs import graph_picture
from ldag.presenting.looks import blocks, chart, picture
from ldag.presenting.undirected import OF_ARROWS, is_undirected, undirect_picture

ROWS_SHOWN = 50
"""Rows of a joint distribution that are drawn, the most probable ones."""

CLASSES_DRAWN = 40
"""Classes in the picture of a node."""

STATES_ACROSS = 5
"""States of a node that stand beside each other in a table with bars; more stand below each other."""


@picture.register
def network_picture(network: Network, options: PictureOptions) -> Picture:
    """Return what the picture of a network's graph shows."""
    if is_undirected(network) and not any(name in options for name in OF_ARROWS):
        return undirect_picture(network.ldag, options)
    return graph_picture(network.ldag, {"forbidden": network.forbidden, **options})


def answer_table(answer: StateMapping[Any]) -> TableBlock:
    """Return the states of an answer with bars: the most probable, if there are many."""
    ends = (answer.range if answer.undetermined else None) or {}
    bars = [
        (key if isinstance(key, tuple) else (key,), _meter((value, *ends[key]) if key in ends else value))
        for key, value in answer.items()
    ]
    if len(bars) > ROWS_SHOWN:
        bars = sorted(bars, key=lambda bar: -bar[1].value)[:ROWS_SHOWN]
    n_states = max((len(states) for states, _ in bars), default=1)
    header = answer.targets if len(answer.targets) == n_states else ("",) * n_states
    rows: tuple[TableRow, ...] = tuple((*map(str, states), bar) for states, bar in bars)
    more = f", the {ROWS_SHOWN} most probable of {len(answer):,}" if len(answer) > ROWS_SHOWN else ""
    over = ", and its range over graphs that say the same" if answer.undetermined else ""
    return TableBlock((*header, f"probability{_condition(answer)}{more}{over}"), rows)


def marginals_table(marginals: Marginals) -> TableBlock:
    """Return a row per variable and state."""
    rows = chain.from_iterable(
        ((name if place == 0 else "", str(state), Meter(p)) for place, (state, p) in enumerate(distribution.items()))
        for name, distribution in marginals.items()
    )
    return TableBlock(("variable", "state", f"probability{_condition(marginals)}"), tuple(rows))


def rules_tables(nodes: Sequence[NodeParameters], level: float = 0.95) -> list[TableBlock]:
    """Return the rules of nodes with bars, counts and intervals, which are computed for all at once."""
    intervals = iter(class_intervals([part for node in nodes for part in node.classes], level))
    return [_rules_table(node, list(islice(intervals, len(node.classes)))) for node in nodes]


def _rules_table(node: NodeParameters, intervals: Sequence[tuple[tuple[float, float], ...]]) -> TableBlock:
    """Return a column per state; one state below the other where there are many, or only one rule."""
    is_long = len(node.states) > STATES_ACROSS or not node.parents
    has_counts = bool(node.parents) and any(part.counts is not None for part in node.classes)
    own = [variable for variable in node.variables if variable.name == node.node]
    names = [state_in_words(own[0], state) if own else str(state) for state in node.states]
    rows: list[TableRow] = []
    of_class = dict(zip((part.number for part in node.classes), intervals, strict=True))
    for text, part in _lines(node):
        if part is None:  # a branch of a tree
            rows.append((text, *(None,) * (has_counts + is_long + (1 if is_long else len(node.states)))))
            continue
        ends = of_class[part.number] or ((None, None),) * len(node.states)
        bars = [Meter(p, low, high) for p, (low, high) in zip(part.probabilities, ends, strict=True)]
        head: list[Cell] = [text] if node.parents else []
        head += [part.n_rows] if has_counts else []
        if is_long:
            blank: list[Cell] = [None] * len(head)
            for place, (state, bar) in enumerate(zip(names, bars, strict=True)):
                rows.append((*(blank if place else head), state, bar))
        else:
            rows.append((*head, *bars))
    header = (*(["if"] if node.parents else []), *(["rows"] if has_counts else []))
    of_states = (node.node, "probability") if is_long else tuple(f"{node.node}: {state}" for state in names)
    return TableBlock((*header, *of_states), tuple(rows))


def _lines(node: NodeParameters) -> list[tuple[str, ClassParameters | None]]:
    """Return what stands before each row: the case of a class, or the branches of a tree, those below set in."""
    if node.tree is None:
        return [(brief_conditions(part.contexts, node.variables), part) for part in node.classes]
    return [(text.replace("  ", "\u2003"), part) for text, part in node.lines]


@chart.register
def _(answer: StateMapping) -> Drawing:  # type: ignore[type-arg]  # of numbers, or with intervals
    return _draw_table(answer_table(answer), f"{', '.join(answer.targets) or 'Probabilities'}{_condition(answer)}")


@chart.register
def _(marginals: Marginals) -> Drawing:
    return _draw_table(marginals_table(marginals), f"All variables{_condition(marginals)}")


@chart.register
def _(node: NodeParameters) -> Drawing:
    (table,) = rules_tables([replace(node, classes=node.classes[:CLASSES_DRAWN])])
    given = f" given {', '.join(node.parents)}" if node.parents else ""
    notes = ["thin line: 95 % interval, the graph taken as given"] if node.classes[0].counts is not None else []
    if len(node.classes) > CLASSES_DRAWN:
        notes.append(f"{len(node.classes) - CLASSES_DRAWN} more rules are not drawn")
    return lay_out_table(table.header, table.rows, title=f"{node.node}{given}", below="; ".join(notes))


@blocks.register
def _(answer: StateMapping) -> list[Block]:  # type: ignore[type-arg]  # as above
    return [answer_table(answer)]


@blocks.register
def _(marginals: Marginals) -> list[Block]:
    return [marginals_table(marginals)]


@blocks.register
def _(node: NodeParameters) -> list[Block]:
    return [*rules_tables([node])]


def _draw_table(table: TableBlock, title: str) -> Drawing:
    """Draw the table of an answer, whose title says what was given."""
    return lay_out_table((*table.header[:-1], "probability"), table.rows, title=title)


def _condition(answer: StateMapping[Any] | Marginals) -> str:
    return f" if {answer.said}" if answer.said else ""


def _meter(value: object) -> Meter:
    """Return a bar: of a probability, or of a mean with the ends of its interval."""
    if isinstance(value, tuple):
        mean, low, high = value
        return Meter(float(mean), float(low), float(high))
    return Meter(float(value))  # type: ignore[arg-type]
