"""The sections of a report: what doors know, as paragraphs, tables and figures that need no statistics to be read."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.metadata import version

from ldag.data import ASSUMED, Dataset, Gaps, describe_data, describe_gaps, describe_groups, describe_size
from ldag.drawing import Cell, Drawable, Meter
from ldag.errors import counted, list_names
from ldag.formats import Edge
from ldag.graph import LDAG, find_thin_families
from ldag.learning import STRUCTURES, Fit
from ldag.model import Counts
from ldag.network import Network, NodeParameters
from ldag.presenting.documents import Block, Bullets, Figure, Listing, Paragraph, Section, TableBlock
from ldag.presenting.graphs import notes_of_rows
from ldag.presenting.networks import rules_tables
from ldag.presenting.subject import Subject
from ldag.presenting.uncertain import LIKELY, MOST_PAIRS, connections, exception_chance, in_words, tell_sureness
from ldag.uncertainty import Mixture, StrataPosterior

MOST_NODES = 60
"""Nodes whose rules a report lists; of larger networks those that depend on others."""

MOST_SENTENCES = 12
"""Sentences in the summary."""

MOST_WRITTEN = 12
"""Exceptions that are written on arrows; more would make the picture too wide to read."""

MOST_NAMED, NAMED = 12, 5
"""Parents that are named in a sentence; of more some are."""

LONG_TEXT = 220
"""Letters of exceptions in the summary."""

LEAST_PAIR = 0.25
"""Connections that are not drawn are listed from this probability on."""

MOST_RULES = 12
"""Cases of a node that are listed: those with most rows."""

FOLDED, LONG, MOST_OPEN = 8, 15, 10
"""Rows of a case's table, rows of other tables, and tables of cases: what is more is folded, and a click, or printing,
opens it."""

NOT_CAUSES = (
    "“Depends on” and “go together” mean that knowing one helps to guess the other. They do not mean that one causes "
    "the other."
)

ARROWS = (
    "Arrows are not causes. They could be read so only if everything that influences two of the columns is itself "
    "a column, if the direction is known, and if it did not depend on the values which rows are in the table."
)
LINES = "Lines are not causes, and say nothing of a direction."

LATENT = (
    "Of a latent variable only its effects are seen, and what it is was worked out from these. Which of its values is"
    " called what has no meaning: exchanged everywhere, they would say the same."
)


def all_sections(subject: Subject) -> Iterator[Section]:
    """Go through the sections in the order people read them."""
    yield summary_section(subject)
    yield graph_section(subject)
    if subject.exceptions:
        yield from label_sections(subject)
    yield from sure_sections(subject)
    if subject.data is not None:
        yield from data_sections(subject.data)
        if subject.data.has_gaps:
            yield gaps_section(subject.data.gaps())
    yield from node_sections(subject)
    if subject.fit is not None and subject.fit.cv is not None:
        yield prediction_section(subject.fit)
    if subject.mixture is not None:
        yield average_section(subject.mixture)
    yield caveat_section(subject)
    yield how_section(subject)


def summary_section(subject: Subject) -> Section:
    """Say in a few sentences what was found."""
    graph, data = subject.graph, subject.data
    sentences = _tell_edges(subject) if subject.is_undirected else _tell_dependences(subject)
    more = [f"and {len(sentences) - MOST_SENTENCES} more, shown below"] if len(sentences) > MOST_SENTENCES else []
    alone = [v.name for v in graph.variables if not any(v.name in edge for edge in graph.edges)]
    gaps = () if data is None else describe_gaps(data)
    blocks: list[Block] = [Paragraph(f"Of the table: {'; '.join(gaps)}.", is_warning=True)] if gaps else []
    if sentences:
        blocks += [Bullets((*sentences[:MOST_SENTENCES], *more)), Paragraph(NOT_CAUSES)]
    if alone:
        every = "No column helps to guess another: " if not sentences else "Connected with nothing else: "
        blocks.append(Paragraph(f"{every}{', '.join(alone)}."))
    if graph.latent:
        blocks += _tell_latent(graph)
    thin = () if data is None else find_thin_families(graph, data.n_seen)
    if data is not None and thin:
        text = (
            f"Beware: {list_names(thin)}: more numbers had to be estimated than a third of the "
            f"{describe_size(data, 'row')}. Expect the model to describe these rows better than new ones."
        )
        blocks.append(Paragraph(text, is_warning=True))
    return Section("What was found", tuple(blocks))


def _tell_latent(graph: LDAG) -> Iterator[Paragraph]:
    """Say what nobody observed: variables by name, and latent causes that have none."""
    named = [name for name in graph.latent if name not in graph.arcs]
    pairs = [f"{first} and {second}" for first, second in graph.arcs.values()]
    if pairs:
        yield Paragraph(f"Joined by a cause that nobody observed (a dashed arc): {'; '.join(pairs)}.")
    if named:
        yield Paragraph(f"Not observed: {', '.join(named)}. {LATENT}")


def _tell_edges(subject: Subject) -> list[str]:
    """Return sentences about pairs of variables, the surest first."""
    sentences = []
    for a, b in subject.graph.edges:
        sure = None if subject.sureness is None else float(subject.sureness.joined(a, b))
        text = f"{a} and {b} {'may go together' if sure is not None and sure < LIKELY else 'go together'}"
        text += "" if sure is None else f" ({in_words(sure)})"
        but = subject.exceptions.get((a, b), "").removeprefix(f"{a} and {b} are ")
        sentences.append((-(sure or 0.0), f"{text}; but {but}." if but else f"{text}."))
    return [text for _, text in sorted(sentences, key=lambda one: round(one[0], 2))]


def _tell_dependences(subject: Subject) -> list[str]:
    """Return sentences about variables and what they depend on, the surest first."""
    graph, words = subject.graph, subject.exceptions
    sentences: list[tuple[float, str]] = []
    for variable in graph.variables:
        name = variable.name
        parents = [parent for parent in graph.parents(name) if parent not in graph.arcs]
        if not parents:
            continue
        edges = [(parent, name) for parent in parents]
        *most, last = parents
        listed = f"{', '.join(most)} and {last}" if most else last
        if len(parents) > MOST_NAMED:
            listed = f"{len(parents)} others, such as {list_names(_by_reach(graph, name, parents)[:NAMED], NAMED)}"
        sure = None if subject.sureness is None else min(float(subject.sureness.joined(*edge)) for edge in edges)
        is_open = not most and (subject.mixture is not None or edges[0] in subject.directions.open)
        may = sure is not None and sure < LIKELY
        joins, depends = ("may go together", "may depend on") if may else ("go together", "depends on")
        text = f"{last} and {name} {joins}" if is_open else f"{name} {depends} {listed}"
        text += "" if sure is None else f" ({in_words(sure)})"
        exceptions = [words[edge] for edge in edges if edge in words]
        but = ", and ".join(exceptions)
        if len(but) > LONG_TEXT:
            but = f"with {counted(len(exceptions), 'kind of exception', 'kinds of exceptions')}, listed below"
        sentences.append((-(sure or 0.0), f"{text}; but {but}." if but else f"{text}."))
    return [text for _, text in sorted(sentences, key=lambda one: round(one[0], 2))]


def _by_reach(graph: LDAG, child: str, parents: Sequence[str]) -> list[str]:
    """Return parents, those first that matter in most configurations."""
    family = graph.structure.families[graph.schema.node(child)]
    axes = {name: family.parents.index(graph.schema.node(name)) for name in parents}
    return sorted(parents, key=lambda name: family.partition.share_without(axes[name]))


def graph_section(subject: Subject) -> Section:
    """Draw the graph, and say which arrows are determined."""
    graph, sureness = subject.graph, subject.sureness
    widths = None if sureness is None else {edge: float(sureness.joined(*edge)) for edge in graph.edges}
    arrow = "line" if subject.is_undirected else "arrow"
    a_line = "a line" if subject.is_undirected else "an arrow"
    of_which = "two columns of which one helps to guess the other, whatever the other columns say."
    parts = [f"{a_line.capitalize()} joins {of_which}"]
    n_labels = len(subject.exceptions)
    is_written = n_labels <= MOST_WRITTEN
    if n_labels:
        where = f"Text on {a_line} says when it does not matter."
        parts.append(where if is_written else f"Amber {arrow}s have exceptions, which are listed below.")
    if widths:
        parts.append(f"Thick {arrow}s are sure, thin ones are not.")
    if subject.is_undirected:
        parts.append("Lines point nowhere: no direction was asked for.")
    elif subject.mixture is None:
        parts += _directions_in_words(subject)
    else:
        parts.append("Which way arrows point says little: it differs from model to model.")
    notes = None if subject.counts is None else notes_of_rows(graph, subject.counts)
    title = "What depends on what"
    drawn: Drawable = subject.network if subject.mixture is None else subject.mixture
    picture = drawn.to_svg(probabilities=widths, labels=is_written, notes=notes, title=title)
    return Section("The picture", (Figure(picture), Paragraph(" ".join(parts))))


def _directions_in_words(subject: Subject) -> Iterator[str]:
    """Say how many arrows could be turned, and what else the directions follow from."""
    directions, n_arrows = subject.directions, len(subject.graph.edges)
    for edges, could in (
        (directions.reversible, "could as well point the other way; their heads are hollow."),
        (directions.undecided, "have a direction that could not be decided; their heads are hollow, too."),
    ):
        if edges:
            share = "All arrows" if len(edges) == n_arrows else f"{len(edges)} of {counted(n_arrows, 'arrow')}"
            yield f"{share} {could}"
    if subject.constraints and directions.essential:
        yield "Directions follow from the data and from what was given beforehand, which is listed at the end."


def label_sections(subject: Subject) -> Iterator[Section]:
    """Give every label as a sentence, with the rows behind it, its gain and its probability."""
    graph, fit = subject.graph, subject.fit
    edges = graph.labelled_edges
    header = ["exception"]
    rows: list[list[Cell]] = [[text] for text in subject.exceptions.values()]
    texts = ["Cases in which a connection does not matter."]
    if subject.counts is not None:
        header.append("rows it is about")
        for row, edge in zip(rows, edges, strict=True):
            row.append(_rows_behind(graph, subject.counts, edge))
    has_chances = subject.sureness is not None and (
        isinstance(subject.sureness, StrataPosterior) or not subject.is_undirected  # other graphs point other ways
    )
    if subject.sureness is not None and has_chances:
        header.append("probability")
        for row, edge in zip(rows, edges, strict=True):
            chance = exception_chance(subject.sureness, graph, edge)
            row.append(chance if isinstance(chance, str) else Meter(chance))
        texts.append("The probability takes for granted that the two are connected at all.")
    if fit is not None and fit.label_gains:
        header.append("gain")
        for row, edge in zip(rows, edges, strict=True):
            gain = fit.label_gains.get(edge)
            row.append(None if gain is None else f"{gain:.1f}")
        texts.append(
            "The gain says how much better the data are explained with the exception than without it, as a logarithm: "
            "below 1 is hardly worth mentioning, 3 is a factor of 20, above 5 is strong."
        )
    table = TableBlock(tuple(header), tuple(tuple(row) for row in rows))
    title, blocks = "Exceptions: when it does not matter", (Paragraph(" ".join(texts)),)
    yield from _with_table(title, blocks, "Exception by exception", table)


def sure_sections(subject: Subject) -> Iterator[Section]:
    """Tell how probable each connection is, over many graphs."""
    sureness = subject.sureness
    if sureness is None:
        yield Section("How sure is it?", (Paragraph(subject.why_not_sure, is_warning=True),))
        return
    known = () if subject.data is None else describe_data(subject.data)
    pairs = list(connections(sureness, subject.graph, LEAST_PAIR))
    rows = [(f"{a} – {b}", Meter(chance), "yes" if is_drawn else "no") for a, b, is_drawn, chance in pairs]
    told = tell_sureness(sureness, known)
    left = f" Pairs below {LEAST_PAIR:.0%} that are not in the picture are left out.".replace("%", " %")
    if any(chance >= 0.5 and not is_drawn for _, _, is_drawn, chance in pairs):
        left += (
            " One that is probable and yet not in the picture competes with another: both explain the same rows about "
            "equally well."
        )
    if len(rows) > MOST_PAIRS:
        left += f" Of the {len(rows)} others, the {MOST_PAIRS} surest are listed."
    table = TableBlock(("connection", told.head, "in the picture"), tuple(rows[:MOST_PAIRS]))
    yield from _with_table("How sure is it?", (Paragraph(told.text + left),), "Connection by connection", table)


def _with_table(title: str, blocks: tuple[Block, ...], heading: str, table: TableBlock) -> Iterator[Section]:
    """Go through a section and its table, which is folded under a heading of its own if it is long."""
    if len(table.rows) <= LONG:
        yield Section(title, (*blocks, table))
    else:
        yield Section(title, blocks)
        yield Section(heading, (table,), level=3, is_folded=True)


def data_sections(data: Dataset) -> Iterator[Section]:
    """Tell what the data are, and what was done to them."""
    rows = [(v.name, data.shares(v.name)) for v in data.variables]
    of = "" if data.groups is None else f" of {data.groups.in_words}"
    text = f"{counted(data.total, 'row')}{of}, {data.ungrouped().n_rows:,} of them different."
    blocks: list[Block] = [Paragraph(text)]
    if data.notes:
        text = (
            "What was done to the table. Numbers of many different values are cut into ranges; columns with a value "
            "of their own in nearly every row cannot be used."
        )
        blocks += [Paragraph(text), Bullets(data.notes)]
    table = TableBlock(("column", "how often each value occurs"), tuple(rows))
    yield from _with_table("The data", tuple(blocks), "Column by column", table)


def gaps_section(gaps: Gaps) -> Section:
    """Tell which cells are missing, what that depends on, and what is assumed of it."""
    with_gaps = gaps.total - gaps.patterns.get((), 0)
    cells, are = counted(gaps.n_cells, "cell"), "is" if gaps.n_cells == 1 else "are"
    text = (
        f"{cells} of the table {are} empty, in {with_gaps:,.10g} of {counted(gaps.total, 'row')}. Kept as gaps: what is"
        " seen of such a row counts, and what is not is weighed by how probable it is."
    )
    rows = sorted(((name, Meter(share)) for name, share in gaps.shares.items() if share), key=lambda row: -row[1].value)
    blocks: list[Block] = [Paragraph(text), Figure(gaps.to_svg()), TableBlock(("column", "empty"), tuple(rows[:LONG]))]
    if len(rows) > LONG:
        blocks.append(Paragraph(f"With fewer gaps: {counted(len(rows) - LONG, 'other column')}."))
    told = gaps.sentences()
    if told:
        more = [f"and {len(told) - LONG} more"] if len(told) > LONG else []
        is_clear = gaps.depends_on[0][2] >= gaps.by_chance
        because = "Gaps are not completely at random, so that complete rows alone can give a wrong picture"
        blocks += [
            Paragraph(f"{because if is_clear else 'Whether gaps come completely at random is open'}:"),
            Bullets((*told[:LONG], *more)),
        ]
        if (caution := gaps.caution()) is not None:
            blocks.append(Paragraph(f"{caution}."))
    blocks.append(Paragraph(f"What is assumed: {ASSUMED}.", is_warning=True))
    return Section("What was missing", tuple(blocks))


def node_sections(subject: Subject) -> Iterator[Section]:
    """Give the rules and distributions of every node, with counts and intervals."""
    net = subject.network
    names = [v.name for v in net.variables]
    if len(names) > MOST_NODES:
        children = {child for _, child in net.ldag.edges}
        names = [name for name in names if name in children][:MOST_NODES]
    text = "Each row is a case, and how often each value is to be expected in it."
    if _has_ranges(net):
        text += (
            " The numbers in brackets, and the thin line on the bar, say how precisely that is known: the true value"
            " lies there with 95 % probability, if the picture is right."
        )
        if net.em is not None:
            text += (
                " But what is expected in gaps counts here as if it had been seen: the more gaps, the more these ranges"
                " are too narrow."
            )
    if len(names) < len(net.variables):
        text += f" {len(names)} of {len(net.variables)} columns are shown."
    yield Section("Case by case", (Paragraph(text),))
    shown = [_most_frequent(net.classes(name)) for name in names]
    for (node, rest), table in zip(shown, rules_tables([node for node, _ in shown]), strict=True):
        given = f", by {', '.join(node.parents)}" if node.parents else ""
        is_folded = len(table.rows) > FOLDED or len(names) > MOST_OPEN
        yield Section(f"{node.node}{given}", (table, *rest), level=3, is_folded=is_folded)


def _has_ranges(net: Network) -> bool:
    """Whether the rows that the network was made from are known, and so how precise its numbers are."""
    return net.classes(net.variables[0].name).classes[0].counts is not None


def _most_frequent(classes: NodeParameters) -> tuple[NodeParameters, tuple[Paragraph, ...]]:
    """Return the cases with most rows, in their order, and how many others there are; all if rows are not known."""
    rows = [sum(part.counts or ()) for part in classes]
    has_rows = any(rows)
    places = sorted(range(len(rows)), key=lambda place: -rows[place])[:MOST_RULES]
    chosen = sorted(place for place in places if rows[place] or not has_rows)
    left = len(rows) - len(chosen)
    if not left:
        return classes, ()
    n_rows = sum(rows) - sum(rows[place] for place in chosen)
    where = f", with {counted(n_rows, 'row')} in all" if n_rows else ", which no row is in" if has_rows else ""
    others = f"{counted(left, 'other case')}{where}: ldag explain MODEL {classes.node} lists them."
    return replace(classes, classes=tuple(classes[place] for place in chosen)), (Paragraph(others),)


def prediction_section(fit: Fit) -> Section:
    """Show how well rows that were left out are predicted, against plain tables."""
    cv = fit.cv
    if cv is None:
        raise ValueError("the fit was not cross-validated")
    whole = "" if cv.groups is None else f" of whole {cv.groups.nouns}"
    text = (
        f"The table was cut into {cv.n_folds} parts{whole}; each was hidden once, and predicted by a model of the"
        " others. Kappa says how readily exceptions are accepted; the value that predicted best was taken."
    )
    gain = cv.gain_over_tables
    blocks: list[Block] = [Paragraph(text), Figure(cv.to_svg())]
    if gain is None and STRUCTURES[fit.structure].is_table:
        blocks.append(Paragraph("The best model has no exceptions: it is an ordinary one, with plain tables."))
    elif gain is None:
        why = "".join(f" Note: {note}." for note in cv.notes)
        blocks.append(Paragraph(f"It was not compared with a model that has plain tables.{why}"))
    elif not any(gain):
        blocks.append(Paragraph("Hidden rows are predicted the same with exceptions as without: none was found there."))
    else:
        mean, error = gain
        compared = "better" if mean > 0 else "worse"
        if abs(mean) <= 2 * error:
            text = "Hidden rows are predicted about as well with exceptions as without them"
        else:
            text = f"Hidden rows are predicted {compared} with exceptions than without them"
        numbers = f"the log probability of a part differs by {mean:+.2f}, with a standard error of {error:.2f}"
        blocks.append(Paragraph(f"{text}: {numbers}."))
    if fit.average_gain is not None:
        average = fit.average_gain
        blocks.append(Paragraph(f"An average of {average.n_members} such models predicts {average.in_words()}."))
    return Section("Does it predict?", tuple(blocks))


def average_section(mixture: Mixture) -> Section:
    """Say how well several models predict together."""
    text = (
        f"{counted(len(mixture), 'model')} were learned that differ, and predictions are averages over what they say. "
        "The picture shows what most of them have, and the cases are those of the picture."
    )
    gain = mixture.gain
    if gain is None:
        told = "How much better they predict than one model was not measured."
    else:
        told = (
            f"On {counted(gain.n_rows, 'row')} that had been left out, {gain.n_members} such models together predict"
            f" {gain.in_words()}, compared with one."
        )
    return Section("Does it predict?", (Paragraph(f"{text} {told}"),))


def caveat_section(subject: Subject) -> Section:
    """Say what the model does not say."""
    items = [
        LINES if subject.is_undirected else ARROWS,
        f"A missing {'line' if subject.is_undirected else 'arrow'} means that these data do not need it, not that there"
        " is no connection.",
    ]
    if subject.data is not None:
        items += [f"{told[0].upper()}{told[1:]}." for told in describe_groups(subject.data)]
    if _has_ranges(subject.network):
        items.append("The ranges in brackets take the picture for granted; the true uncertainty is larger.")
    return Section("What this does not say", (Bullets(tuple(items)),))


def how_section(subject: Subject) -> Section:
    """List settings, versions, and the lines that make this again."""
    graph, fit = subject.graph, subject.fit
    size = f"{counted(len(graph.edges), 'edge')}, {counted(graph.dimension, 'parameter')}"
    kind = "A stratified graph, without arrows" if subject.is_undirected else "A labelled DAG"
    blocks: list[Block] = [Paragraph(f"{kind}: {size} ({graph.dag_dimension:,} in full tables).")]
    if subject.mixture is not None:
        blocks = [Paragraph(f"In the picture: {size}. The models:"), Listing(subject.mixture.tell_learned())]
    if fit is not None:
        texts = [
            f"Score {fit.score.total:.2f} (sample size {fit.equivalent_sample_size:g}, kappa {fit.kappa:g}), search:"
            f" {fit.method}, {fit.promise}."
        ]
        sure = () if subject.sureness is None else tell_sureness(subject.sureness, ()).notes
        notes = (*fit.notes, *sure)
        told = (*fit.data.notes, *describe_groups(fit.data))  # which stand with the data, and among what is not said
        texts += [note for note in dict.fromkeys(notes) if note not in told]
        settings = {name: value for name, value in dict(fit.settings).items() if value not in (None, False)}
        plain = tuple((name, str(value)) for name, value in settings.items())
        blocks += [*map(Paragraph, texts), TableBlock(("setting", "value"), plain), Listing(_reproduce(settings))]
    if subject.constraints:
        blocks += [Paragraph("What was given beforehand, and holds in the graph:"), Listing(subject.constraints)]
    blocks.append(Paragraph(f"Made with ldag {version('ldag')}, numpy {version('numpy')}."))
    return Section("For the technical reader", tuple(blocks))


def _reproduce(settings: dict[str, object]) -> str:
    """Return the lines that learn the same model and write the same report."""
    left_out = ("constrained", "started", "n_jobs")
    options = "".join(f"    {name}={value!r},\n" for name, value in settings.items() if name not in left_out)
    if settings.get("constrained"):
        options += '    constraints=ldag.Constraints.load("what-was-given.txt"),\n'
    return f'import ldag\nfit = ldag.learn(\n    "your-table.csv",\n{options})\nfit.report("report.html")'


def _rows_behind(graph: LDAG, counts: tuple[Counts, ...], edge: Edge) -> float | None:
    """Count the observations in the contexts of a label; where cells are missing, those to be expected."""
    parent, child = edge
    node, axis = graph.schema.node(child), graph.parents(child).index(parent)
    rows = graph.structure.families[node].partition.rows_without(axis, counts[node])
    return None if rows is None else float(round(rows))
