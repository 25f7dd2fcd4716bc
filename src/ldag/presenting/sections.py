"""The sections of a report: what doors know, as paragraphs, tables and figures."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version

from ldag.data import Dataset
from ldag.drawing import Meter
from ldag.errors import GraphError
from ldag.formats import Context, counted
from ldag.graph import LDAG
from ldag.learning import CrossValidation, Fit
from ldag.network import Network
from ldag.reporting import Block, Bullets, Figure, Listing, Paragraph, Section, TableBlock
from ldag.uncertainty import Posterior

MOST_NODES = 60
"""Nodes whose rules a report lists; of larger networks those with labels."""

MOST_STATES = 12
MOST_EDGES = 60


@dataclass(frozen=True)
class Findings:
    """Everything a report tells of; what is None was not done."""

    network: Network
    data: Dataset | None = None
    fit: Fit | None = None
    posterior: Posterior | None = None
    no_posterior: str = ""
    table_cv: CrossValidation | None = None

    @property
    def graph(self) -> LDAG:
        """The graph."""
        return self.network.ldag


def all_sections(findings: Findings) -> Iterator[Section]:
    """Go through the sections in the order people read them."""
    yield summary_section(findings)
    if findings.data is not None:
        yield data_section(findings.data)
    yield graph_section(findings)
    if findings.graph.labels_in_words():
        yield label_section(findings)
    yield sure_section(findings)
    yield from node_sections(findings)
    if findings.fit is not None and findings.fit.cv is not None:
        yield cv_section(findings.fit.cv, findings.table_cv)
    yield caveat_section(findings)
    yield how_section(findings)


def summary_section(findings: Findings) -> Section:
    """Say in a few sentences what was found."""
    graph, data = findings.graph, findings.data
    alone = [v.name for v in graph.variables if not any(v.name in edge for edge in graph.edges)]
    size = "" if data is None else f" from {counted(data.total, 'observation')}"
    texts = [
        f"The model of {counted(len(graph.variables), 'variable')}{size} has {counted(len(graph.edges), 'edge')} and "
        f"{counted(graph.dimension, 'parameter')}; full tables would need {graph.dag_dimension:,}."
    ]
    if graph.labels_in_words():
        first = graph.labels_in_words()[:3]
        texts.append(f"When an edge does not matter: {'; '.join(first)}{' and more.' if len(first) == 3 else '.'}")
    if alone:
        texts.append(f"No edges: {', '.join(alone)}.")
    blocks: list[Block] = [Paragraph(text) for text in texts]
    if data is not None and graph.dimension > data.total / 3:
        blocks.append(
            Paragraph(
                f"The model has {graph.dimension:,} parameters for {counted(data.total, 'observation')}: more than a "
                "third as many. Expect it to describe these data better than new ones.",
                is_warning=True,
            )
        )
    return Section("What was found", tuple(blocks))


def data_section(data: Dataset) -> Section:
    """Tell what the data are, and what was done to them."""
    rows = []
    for variable in data.variables:
        counts = data.counts(variable.name)[0]
        shares = [f"{state} {count / data.total:.0%}" for state, count in zip(variable.states, counts, strict=True)]
        more = f" and {len(shares) - MOST_STATES} more" if len(shares) > MOST_STATES else ""
        rows.append((variable.name, variable.n_states, ", ".join(shares[:MOST_STATES]) + more))
    total = f"{counted(data.total, 'observation')} in {counted(data.n_rows, 'different row')}."
    blocks: list[Block] = [Paragraph(total)]
    if data.notes:
        blocks += [Paragraph("What was done to the table:"), Bullets(data.notes)]
    return Section("The data", (*blocks, TableBlock(("variable", "states", "shares"), tuple(rows))))


def graph_section(findings: Findings) -> Section:
    """Draw the graph, and say which arrows are determined."""
    graph = findings.graph
    widths = _probabilities(findings.posterior, graph)
    caption = "An edge carries the cases in which it is absent."
    if widths:
        caption += " Its width is its probability."
    blocks: list[Block] = [Figure(graph.to_svg(probabilities=widths, title="The learned graph"), caption)]
    try:
        determined = graph.essential_edges()
    except GraphError:
        return Section("The graph", tuple(blocks))
    turning = [f"{parent} → {child}" for parent, child in graph.edges if (parent, child) not in determined]
    if turning:
        text = f"These arrows may point either way without changing what the graph says: {', '.join(turning)}."
        blocks.append(Paragraph(text))
    if determined:
        blocks.append(
            Paragraph(
                f"These are determined: {', '.join(f'{p} → {c}' for p, c in graph.edges if (p, c) in determined)}."
            )
        )
    return Section("The graph", tuple(blocks))


def label_section(findings: Findings) -> Section:
    """Give every label as a sentence, with its gain, its probability and the rows behind it."""
    graph, fit = findings.graph, findings.fit
    edges = [edge for edge in graph.edges if graph.label(*edge)]
    header = ["label"]
    rows: list[list[str | float | int | Meter | None]] = [[text] for text in graph.labels_in_words()]
    if findings.data is not None:
        header.append("rows it is about")
        for row, edge in zip(rows, edges, strict=True):
            row.append(_rows_behind(graph, findings.data, edge))
    if fit is not None:
        header.append("gain in score")
        for row, edge in zip(rows, edges, strict=True):
            row.append(fit.label_gains.get(edge))
    if findings.posterior is not None:
        header.append("probability, given the edge")
        for row, edge in zip(rows, edges, strict=True):
            row.append(_label_meter(findings.posterior, graph, edge))
    blocks: list[Block] = [TableBlock(tuple(header), tuple(tuple(row) for row in rows))]
    blocks.append(
        Paragraph("A gain says how much better the score is with the label than without; it is not a probability.")
    )
    return Section("When edges do not matter", tuple(blocks))


def sure_section(findings: Findings) -> Section:
    """Tell how probable each edge is, over all graphs."""
    post = findings.posterior
    if post is None:
        text = (
            findings.no_posterior or "Not computed: give the data, and ldag.posterior tells how probable each edge is."
        )
        return Section("How sure is it?", (Paragraph(text, is_warning=True),))
    drawn = set(findings.graph.edges)
    rows = [
        (
            f"{edge.parent} → {edge.child}",
            "yes" if (edge.parent, edge.child) in drawn else "no",
            Meter(edge.probability),
            Meter(edge.either_direction),
        )
        for edge in post.edges
        if edge.probability >= 0.05 or (edge.parent, edge.child) in drawn
    ]
    table = TableBlock(("edge", "in the graph above", "probability", "in either direction"), tuple(rows[:MOST_EDGES]))
    text = (
        "Probabilities over all graphs and labels, given the data and the prior; edges below 0.05 that are not in the "
        "graph are left out. An arrow near one half that is certain in either direction has no direction in the data."
    )
    return Section("How sure is it?", (Paragraph(text), table, *(Paragraph(note) for note in post.notes)))


def node_sections(findings: Findings) -> Iterator[Section]:
    """Give the rules and distributions of every node, with counts and intervals."""
    net = findings.network
    names = [v.name for v in net.variables]
    if len(names) > MOST_NODES:
        labelled = {child for _, child in net.ldag.edges}
        names = [name for name in names if name in labelled][:MOST_NODES]
    text = (
        "Each row is a rule: the cases in which one distribution applies. Bars are probabilities; the thin line is the "
        "95 % interval, which takes the graph as given."
    )
    if len(names) < len(net.variables):
        text += f" {len(names)} of {len(net.variables)} variables are shown."
    yield Section("Rules and probabilities", (Paragraph(text),))
    for name in names:
        classes = net.classes(name)
        given = f" given {', '.join(classes.parents)}" if classes.parents else ""
        yield Section(f"{name}{given}", (classes.table(),), level=3)


def cv_section(cv: CrossValidation, tables: CrossValidation | None) -> Section:
    """Show how well each kappa predicts rows that were left out, and how well plain tables do."""
    rows: list[tuple[str | float, ...]] = [
        (f"labels, kappa {kappa:g}" + (" (chosen)" if kappa == cv.best_kappa else ""), mean, cv.standard_error[kappa])
        for kappa, mean in cv.mean.items()
    ]
    text = "Mean log probability of the rows of a fold that was left out, over ten folds: higher is better."
    if tables is not None:
        (kappa,) = tables.mean
        rows.append(("plain tables", tables.mean[kappa], tables.standard_error[kappa]))
        gain = cv.mean[cv.best_kappa] - tables.mean[kappa]
        text += (
            f" With labels it is {abs(gain):.2f} {'higher' if gain >= 0 else 'lower'} per fold than with plain tables."
        )
    return Section("Does it predict?", (Paragraph(text), TableBlock(("model", "mean", "standard error"), tuple(rows))))


def caveat_section(findings: Findings) -> Section:
    """Say what the model does not say."""
    items = [
        "Arrows are not causes. They become causes only if every common cause is in the table, if the direction is "
        "known from elsewhere or determined, and if rows were not selected by what they show.",
        "A missing edge means that the data do not need it, not that there is none.",
        "Intervals beside the rules take the graph as given; the true uncertainty is larger. Answers averaged over "
        "graphs come from ldag.posterior.",
    ]
    if findings.fit is not None:
        items.append(f"The search: {findings.fit.promise}.")
    return Section("What this does not say", (Bullets(tuple(items)),))


def how_section(findings: Findings) -> Section:
    """List settings, versions, and the lines that make this again."""
    blocks: list[Block] = []
    fit = findings.fit
    if fit is not None:
        settings = {name: value for name, value in dict(fit.settings).items() if value not in (None, False)}
        blocks.append(TableBlock(("setting", "value"), tuple((name, str(value)) for name, value in settings.items())))
        score = f"score {fit.score.total:.2f}, kappa {fit.kappa:g}, {fit.method}, {fit.seconds:.1f} s"
        blocks.append(Paragraph(score))
        blocks.append(Listing(_reproduce(settings)))
    blocks.append(Paragraph(f"Made with ldag {version('ldag')}, numpy {version('numpy')}."))
    return Section("How it was made", tuple(blocks))


def _reproduce(settings: Mapping[str, object]) -> str:
    """Return the lines that learn the same model and write the same report."""
    left_out = ("constrained", "started", "n_jobs")
    options = ", ".join(f"{name}={value!r}" for name, value in settings.items() if name not in left_out)
    return f'import ldag\nfit = ldag.learn("your-table.csv", {options})\nldag.report(fit, "report.html")'


def _probabilities(post: Posterior | None, graph: LDAG) -> dict[tuple[str, str], float] | None:
    return None if post is None else {edge: float(post.edge(*edge)) for edge in graph.edges}


def _contexts(graph: LDAG, edge: tuple[str, str]) -> list[Context]:
    """Return the configurations of the other parents in which an edge vanishes."""
    others = [name for name in graph.parents(edge[1]) if name != edge[0]]
    return [dict(zip(others, entry, strict=True)) for entry in sorted(graph.label(*edge), key=str)]


def _label_meter(post: Posterior, graph: LDAG, edge: tuple[str, str]) -> Meter | str:
    """Return the probability of a label's least certain entry, given the edge."""
    if float(post.edge(*edge)) == 0:
        return "the edge is never there"
    chances = [(float(post.label(*edge, context=context)), context) for context in _contexts(graph, edge)]
    return Meter(min(chance for chance, _ in chances))


def _rows_behind(graph: LDAG, data: Dataset, edge: tuple[str, str]) -> float:
    """Count the observations in the contexts of a label."""
    parent, child = edge
    others = [name for name in graph.parents(child) if name != parent]
    mask = graph.structure.families[graph.schema.node(child)].labels[graph.parents(child).index(parent)]
    return float(data.aligned_to(graph.schema).counts(parent, others).sum(axis=1)[mask].sum())
