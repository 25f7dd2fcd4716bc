"""Pictures of a graph: which edges and labels are shown, and what is said about them."""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from ldag.checks import check_choice, check_names
from ldag.drawing import (
    Direction,
    Picture,
    PictureEdge,
    PictureNode,
    check_picture,
    draw_axes,
    draw_svg,
    elide,
    fits_label,
    is_picture,
    legend_of,
    write_picture,
)
from ldag.errors import ArgumentError
from ldag.formats import MOST_CASES, Context, Edge, brief, brief_conditions, conditions
from ldag.graph.questions import GraphQuestions
from ldag.graph.representations import name_rules
from ldag.model import Counts, Variable
from ldag.reasoning import context_parents

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_LABELS = 40
"""With more labelled edges than this, labels are not drawn unless asked for; tooltips have them."""

MOST_RULES = 8
"""Rules of one node in the legend."""

ELISIONS = (24, 17, 12)
"""Letters that long names and states keep on an edge where there is no room for more; tooltips have them whole."""


class PictureOptions(TypedDict, total=False):
    """What a picture shows; every picture of a graph, a network or a fit takes these."""

    context: Context | None
    """Edges that vanish in this context are dashed and grey."""
    focus: str | Iterable[str] | None
    """Only these variables and their Markov blankets: parents, children, and the children's other parents."""
    labels: bool | None
    """Whether labels are drawn; None: up to 40 of them."""
    arrows: bool
    """Whether arrows that an equivalent graph could turn are drawn hollow."""
    forbidden: Iterable[Edge]
    """Arrows that no graph may have: their opposites are not hollow."""
    direction: Direction
    """Whether parents stand above their children ("down") or to the left of them ("right")."""
    probabilities: Mapping[Edge, float] | None
    """Probabilities of edges, which set their widths."""
    notes: Mapping[Edge, Sequence[str]] | None
    """Other lines of text to put on some edges."""
    title: str | None
    """What the picture shows, for tooltips and screen readers."""


class Drawable(ABC):
    """Whatever can be drawn: a graph, a network, a fit, a posterior."""

    @abstractmethod
    def picture(self, **options: Unpack[PictureOptions]) -> Picture:
        """Return what a picture shows, before any ink; for the library itself."""

    def to_svg(self, **options: Unpack[PictureOptions]) -> str:
        """Return a picture as SVG text: a label says when its edge is absent, "not if person is visitor or spy".

        Parameters
        ----------
        **options
            ``context``: a context, whose vanishing edges are dashed and grey. ``focus``: one or several variables, of
            which only the Markov blankets are shown. ``labels``: whether labels are drawn (None: up to 40).
            ``arrows``: whether arrows that an equivalent graph could turn are drawn hollow. ``forbidden``: arrows that
            no graph may have, so that their opposites are not hollow. ``direction``: "down" or "right".
            ``probabilities``: of edges, as widths. ``notes``: other lines on edges. ``title``: what is shown, for
            screen readers.

        Examples
        --------
        >>> import ldag
        >>> picture = ldag.datasets.graph("guard").to_svg(context={"person": "spy"})
        >>> "not if person is visitor or spy" in picture
        True
        """
        return draw_svg(self.picture(**options))

    def plot(self, ax: "Axes | None" = None, **options: Unpack[PictureOptions]) -> "Axes":
        """Draw with matplotlib, into axes of your own or a new figure; the options are those of `to_svg`."""
        return draw_axes(self.picture(**options), ax)

    def save_picture(self, path: str | os.PathLike[str], **options: Unpack[PictureOptions]) -> None:
        """Write a picture to a file that ends in .svg, .png or .pdf; the latter two are drawn by matplotlib."""
        write_picture(self.picture(**options), check_picture(path))

    def save(self, path: str | os.PathLike[str], **options: Unpack[PictureOptions]) -> None:
        """Write a file by its ending, whole or not at all: a picture (.svg, .png, .pdf), or what ``load`` reads again.

        The options are those of `to_svg`, for pictures. A graph is written in any format for graphs (.ldag, .json,
        .dot, ...), a network and a fit in any for networks (.json, .bif, .net, ...), a posterior and a
        bootstrap as .json.
        """
        if is_picture(path):
            self.save_picture(path, **options)
        elif options:
            raise ArgumentError(f"{path}: {next(iter(options))}= is for pictures (.svg, .png, .pdf)")
        else:
            self._save_file(path)

    def _save_file(self, path: str | os.PathLike[str]) -> None:
        check_picture(path)  # by default there is nothing but a picture

    def _repr_svg_(self) -> str:
        return self.to_svg()


class GraphPictures(GraphQuestions, Drawable):
    """Drawing."""

    def picture(self, **options: Unpack[PictureOptions]) -> Picture:
        """Return what a picture shows, before any ink; for the library itself."""
        unknown = set(options) - set(PictureOptions.__annotations__)
        if unknown:
            raise ArgumentError(
                f"a picture has no option {min(unknown)!r}; it has {', '.join(PictureOptions.__annotations__)}"
            )
        direction = options.get("direction", "down")
        check_choice(direction, ("down", "right"), "direction")
        shown = self._blanket(options.get("focus"))
        place = {node: number for number, node in enumerate(shown)}
        edges = [edge for edge in self._picture_edges(options) if edge.parent in place and edge.child in place]
        moved = tuple(_moved(edge, place) for edge in edges)
        nodes, rules = self._marked_nodes(shown, options)
        legend = [legend_of(moved, self._context_in_words(options.get("context"))), *rules]
        hidden = sum(bool(edge.note and not edge.label) for edge in moved)
        if hidden:
            have = "edge has a label that is" if hidden == 1 else "edges have labels that are"
            legend.append(f"{hidden} {have} not drawn")
        return Picture(
            nodes, moved, tuple(text for text in legend if text), options.get("title") or "Labelled DAG", direction
        )

    def _picture_edges(self, options: PictureOptions) -> list[PictureEdge]:
        """Return every edge with what is to be said about it."""
        fixed = self.schema.context(options.get("context"), "context: ")
        kept = context_parents(self.structure, fixed)
        reversible = self.edge_directions(options.get("forbidden", ())).open if options.get("arrows", True) else ()
        probabilities, notes = options.get("probabilities") or {}, options.get("notes") or {}
        records = {(edge.parent, edge.child): edge.label for edge in self._record.edges}
        labelled = sum(bool(label) for label in records.values())
        draw_labels = options.get("labels")
        draw_labels = labelled <= MOST_LABELS if draw_labels is None else draw_labels
        found = []
        for parent, child in self.structure.edges:
            name = self.schema[parent].name, self.schema[child].name
            text = tuple(notes.get(name, ())) or absent_if(records[name], self.variables)
            drawn = text if fits_label(text) else self._elided(text)
            found.append(
                PictureEdge(
                    parent,
                    child,
                    drawn if draw_labels else (),
                    parent not in kept[child],
                    name in reversible,
                    probabilities.get(name),
                    note="" if draw_labels and drawn == text else "; ".join(text),
                )
            )
        return found

    def _elided(self, lines: Sequence[str]) -> tuple[str, ...]:
        """Return the lines of a label with long names and states shortened, as far as they stay apart."""
        drawn = tuple(lines)
        for longest in ELISIONS:
            short = _apart([variable.name for variable in self.variables], longest)
            for variable in self.variables:
                short |= _apart([str(state) for state in variable.states], longest)
            drawn = tuple(_put_short(line, short) for line in lines)
            if fits_label(drawn):
                break
        return drawn

    def notes_of_rows(self, counts: Sequence[Counts]) -> dict[Edge, tuple[str, ...]]:
        """Return the lines of labels of many cases, by the rows they cover; for the library itself."""
        return {
            (edge.parent, edge.child): absent_if(edge.label, self._others(edge), self._rows_of_others(edge, counts))
            for edge in self._record.edges
            if len(conditions(edge.label, self._others(edge))) > MOST_CASES
        }

    def _context_in_words(self, context: Context | None) -> str:
        return ", ".join(conditions([context], self.variables)) if context else ""

    def _blanket(self, focus: str | Iterable[str] | None) -> list[int]:
        """Return the nodes to show: all, or the Markov blankets of some."""
        if focus is None:
            return list(range(len(self.schema)))
        chosen = self.schema.nodes(check_names(focus), "focus: ")
        return sorted({*chosen, *self.structure.markov_blanket(chosen)})

    def _marked_nodes(self, shown: Sequence[int], options: PictureOptions) -> tuple[tuple[PictureNode, ...], list[str]]:
        """Return the nodes, those whose classes labels cannot tell with a mark, and these classes in words."""
        focus, context = options.get("focus"), options.get("context") or {}
        chosen = set() if focus is None else set(check_names(focus))
        nodes, rules = [], []
        for node in shown:
            name, family = self.schema[node].name, self.structure.families[node]
            mark = "" if family.partition.is_csi_consistent else "*"
            nodes.append(PictureNode(name, mark, name in chosen, str(context[name]) if name in context else ""))
            if mark:
                rules += self._classes_in_words(node)
        return tuple(nodes), rules

    def _classes_in_words(self, node: int) -> list[str]:
        """Return which configurations of the parents of a node act alike; the others each act in their own way."""
        family = self.structure.families[node]
        sizes = family.partition.sizes.tolist()
        rules = [rule for rule in name_rules(self.schema, node, family).rules if sizes[rule.number] > 1]
        lines = [f"{self.schema[node].name}* has one distribution for all cases of a line:"]
        said = (brief_conditions(rule.contexts, self.variables) for rule in rules[:MOST_RULES])
        lines += [f"–  {line}" for line in said]
        if len(rules) > MOST_RULES:
            lines.append(f"–  and {len(rules) - MOST_RULES} more such lines")
        return lines


def _apart(texts: Sequence[str], longest: int) -> dict[str, str]:
    """Return short forms of texts; the texts themselves if short forms would be mixed up."""
    short = {text: elide(text, longest) for text in texts}
    return short if len(set(short.values())) == len(short) else {text: text for text in texts}


def _put_short(line: str, short: Mapping[str, str]) -> str:
    """Put short forms in the place of long texts, the longest of these first, as one may be a part of another."""
    for text in sorted(short, key=len, reverse=True):
        if short[text] != text:
            line = line.replace(text, short[text])
    return line


def absent_if(
    label: Sequence[Context], variables: Sequence[Variable], weights: NDArray[np.float64] | None = None
) -> tuple[str, ...]:
    """Return the lines of a label: when the edge is absent; of many cases, what they cover (see `brief`)."""
    lines = conditions(label, variables)
    if lines == ["always"]:
        return ("never matters",)
    if len(lines) > MOST_CASES:
        extent, typical = brief(label, variables, "if", weights)
        return f"not {extent},", typical
    return tuple(f"{'or' if number else 'not'} if {line}" for number, line in enumerate(lines))


def _moved(edge: PictureEdge, place: Mapping[int, int]) -> PictureEdge:
    """Return an edge between the boxes that are shown."""
    return replace(edge, parent=place[edge.parent], child=place[edge.child])
