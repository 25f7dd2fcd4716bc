"""How what is uncertain looks: a consensus with edges as wide as they are probable, and pairs of variables as bars."""

from collections.abc import Container, Iterator
from dataclasses import replace
from functools import singledispatch
from itertools import combinations
from typing import NamedTuple

from ldag.drawing import Drawing, Meter, Picture, PictureOptions, TableRow, lay_out_table
from ldag.errors import ArgumentError, counted
from ldag.formats import Context, Edge, absent_if
from ldag.graph import LDAG
from ldag.presenting.documents import Block, Figure, Listing, TableBlock
from ldag.presenting.graphs import graph_picture
from ldag.presenting.looks import blocks, chart, picture
from ldag.uncertainty import Agreement, Bootstrap, EdgeChances, EffectSizes, Mixture, Posterior, StrataPosterior

MOST_PAIRS = 40
"""Pairs that are listed or drawn; others are counted."""
LEAST_SHARE = 0.05
"""Pairs that are joined more rarely are counted, not drawn."""

LIKELY = 0.7
WORDS = ((0.99, "as good as certain"), (0.9, "very likely"), (LIKELY, "likely"), (0.3, "uncertain"), (0.0, "doubtful"))
"""How probabilities of connections are said, from so much on."""
NEVER_THERE = "the connection is never there"
OF_SEVERAL = "not known: about several columns at once"
NOT_SUMMED = "not known: outside the limits below"


@picture.register
def posterior_picture(posterior: Posterior, options: PictureOptions) -> Picture:
    """Return the consensus: edges as wide as joining the two is probable, labels with their probabilities."""
    graph = posterior.consensus()
    notes: dict[Edge, list[str]] = {}
    for parent, child in graph.labelled_edges:
        others = [name for name in graph.parents(child) if name != parent]
        entries = [dict(zip(others, entry, strict=True)) for entry in graph.label(parent, child)]
        least = min(float(posterior.label(parent, child, context=entry)) for entry in entries)
        *lines, last = absent_if(graph.label_contexts(parent, child), graph.variables)
        notes[parent, child] = [*lines, f"{last} ({least:.2f})"]
    own: PictureOptions = {
        "probabilities": {edge: posterior.joined(*edge) for edge in graph.edges},
        "notes": notes,
        "title": "Edges more probable than not, as wide as it is probable that the two are joined",
    }
    return graph_picture(graph, {**own, **options})


@picture.register
def bootstrap_picture(bootstrap: Bootstrap, options: PictureOptions) -> Picture:
    """Return the consensus, strengths as widths."""
    graph = bootstrap.consensus()
    own: PictureOptions = {
        "probabilities": {edge: bootstrap.strength(*edge) for edge in graph.edges},
        "arrows": False,
        "title": f"Consensus of {counted(bootstrap.n, 'graph')}",
    }
    return _with_shares(graph_picture(graph, {**own, **options}))


@picture.register
def mixture_picture(mixture: Mixture, options: PictureOptions) -> Picture:
    """Return the pairs that most of the networks join, the share of them as widths."""
    graph = mixture.consensus()
    own: PictureOptions = {
        "probabilities": {edge: float(mixture.joined(*edge)) for edge in graph.edges},
        "arrows": False,
        "title": f"What most of {counted(len(mixture), 'network')} have",
    }
    return _with_shares(graph_picture(graph, {**own, **options}))


def _with_shares(shown: Picture) -> Picture:
    """Return a picture whose legend speaks of graphs that were learned."""
    words = (text.replace("probability that", "share of graphs in which") for text in shown.legend)
    return replace(shown, legend=tuple(words))


@blocks.register(Posterior)
@blocks.register(Bootstrap)
@blocks.register(Mixture)
def _(value: Posterior | Bootstrap | Mixture) -> list[Block]:
    return [Figure(value.to_svg()), Listing(str(value))]


@chart.register
def _(edges: EdgeChances) -> Drawing:
    table = _pair_table(edges)
    n_left = len(edges) // 2 - len(table.rows)
    below = f"{n_left} other pairs are not drawn" if n_left else ""
    return lay_out_table(table.header, table.rows, title=edges.title, below=below)


@blocks.register
def _(edges: EdgeChances) -> list[Block]:
    return [_pair_table(edges)]


@chart.register
def _(effects: EffectSizes) -> Drawing:
    table = _effect_table(effects)
    return lay_out_table(table.header, table.rows, title=f"How much setting each variable changes {effects.target}")


@blocks.register
def _(effects: EffectSizes) -> list[Block]:
    return [_effect_table(effects)]


def _effect_table(effects: EffectSizes) -> TableBlock:
    """Return a row per variable; the longest bar is the largest effect."""
    largest = max((effect.size for effect in effects), default=0.0) or 1.0
    rows: list[TableRow] = [
        (f"{one.variable} ({one.size:.4f} nats)", Meter(one.size / largest), Meter(one.probability)) for one in effects
    ]
    return TableBlock(("variable", "effect, of the largest", "probability of a path"), tuple(rows))


def _pair_table(edges: EdgeChances) -> TableBlock:
    """Return a row per pair, in its more probable direction, the most probable pair first."""
    likeliest = EdgeChances(sorted(edges, key=lambda edge: (-round(edge.either_direction, 9), -edge.probability)))
    shown = [edge for edge in likeliest.one_per_pair() if edge.either_direction >= LEAST_SHARE]
    rows: list[TableRow] = [
        (f"{edge.parent} → {edge.child}", Meter(min(edge.either_direction, 1.0)), Meter(edge.probability))
        for edge in shown
    ]
    return TableBlock(("edge", "joined, either way", "joined this way"), tuple(rows[:MOST_PAIRS]))


class Sureness(NamedTuple):
    """How sure a report can be, in words: what the numbers are, their name, and notes for the technical reader."""

    text: str
    head: str
    notes: tuple[str, ...] = ()


@singledispatch
def tell_sureness(value: Agreement | StrataPosterior, known: Container[str]) -> Sureness:
    """Say what the numbers are, beside notes that the reader knows already."""
    raise NotImplementedError(type(value).__name__)


@tell_sureness.register
def _(posterior: Posterior, known: Container[str]) -> Sureness:
    del known
    text = (
        "The probability that two columns are connected directly, in either direction, over the models that were "
        f"summed over. Their limits: {posterior.limits}."
    )
    if posterior.has_gaps and posterior.diagnostics is not None:
        error = max(posterior.diagnostics.max_mc_error, 0.01)
        text += (
            " Empty cells were filled in again and again as they may have been, and the probabilities are means over"
            f" that, precise to about {error:.2f}."
        )
    if posterior.outside is not None:
        text += f" Beware: {posterior.outside}; so the probabilities of these arrows may be wrong."
    return Sureness(text, "probability", posterior.notes)


@tell_sureness.register
def _(bootstrap: Bootstrap, known: Container[str]) -> Sureness:
    drawn = "as many rows" if bootstrap.groups is None else f"{bootstrap.groups}, with all their rows,"
    text = (
        f"The model was learned again {counted(bootstrap.n, 'time')}, each time from {drawn} drawn at random "
        "from the table. The bars show how often two columns were connected, in either direction."
    )
    return Sureness(text + _tell_notes(bootstrap, known), "how often")


@tell_sureness.register
def _(mixture: Mixture, known: Container[str]) -> Sureness:
    text = (
        f"{counted(len(mixture), 'model')} were learned that differ. The bars show how much of their weight connects "
        "two columns, in either direction."
    )
    return Sureness(text + _tell_notes(mixture, known), "how often")


def _tell_notes(value: Agreement, known: Container[str]) -> str:
    return "".join(f" Note: {note}." for note in value.notes if note not in known)


def in_words(chance: float) -> str:
    """Return a probability as people say it.

    Examples
    --------
    >>> in_words(0.995), in_words(0.62)
    ('as good as certain', 'uncertain, 62 %')
    """
    words = next(words for least, words in WORDS if chance >= least)
    return f"{words}, {100 * chance:.0f} %" if chance < WORDS[0][0] else words


@tell_sureness.register
def _(posterior: StrataPosterior, known: Container[str]) -> Sureness:
    del known
    text = "The probability that two columns are connected directly, over all graphs without arrows of these columns."
    return Sureness(text, "probability", posterior.notes)


def connections(
    agreement: Agreement | StrataPosterior, graph: LDAG, least: float
) -> Iterator[tuple[str, str, bool, float]]:
    """Go through the pairs that are drawn or not improbable, the surest first: both, whether drawn, how probable."""
    drawn = {frozenset(edge): edge for edge in graph.edges}
    names = [variable.name for variable in agreement.variables]
    pairs = {frozenset(pair): pair for pair in combinations(names, 2)} | drawn
    chances = [(float(agreement.joined(*pair)), pair) for pair in pairs.values()]
    for chance, pair in sorted(chances, key=lambda one: (-round(one[0], 9), one[1])):
        is_drawn = frozenset(pair) in drawn
        if is_drawn or chance >= least:
            yield (*pair, is_drawn, chance)


def exception_chance(agreement: Agreement | StrataPosterior, graph: LDAG, edge: Edge) -> float | str:
    """Return the probability of a label's least certain entry, given the edge; or why there is none."""
    if isinstance(agreement, StrataPosterior):
        cases = graph.label_contexts(*edge)
        if any(len(case) > 1 for case in cases):
            return OF_SEVERAL
        return min(agreement.stratum(*edge, context=case) for case in cases)
    others = [name for name in graph.parents(edge[1]) if name != edge[0]]
    contexts: list[Context] = [dict(zip(others, entry, strict=True)) for entry in sorted(graph.label(*edge), key=str)]
    try:
        chance = min(float(agreement.label(*edge, context=context)) for context in contexts)
    except ArgumentError:  # there is never that edge
        return NEVER_THERE
    n_cases = graph.structure.families[graph.schema.node(edge[1])].partition.grid.size
    return chance if agreement.sums_labels(n_cases) else NOT_SUMMED
