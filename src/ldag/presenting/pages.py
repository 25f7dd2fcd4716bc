"""Pages about a network: a report to send to somebody, and an explorer in which states can be clicked."""

import json
import os
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import Literal

from ldag.checks import check_path
from ldag.data import Dataset, check_data
from ldag.dynamic import DynamicFit, DynamicNetwork
from ldag.errors import ArgumentError, LdagError, TooLarge, argument, counted
from ldag.formats import state_in_words, write_atomically
from ldag.graph import LDAG
from ldag.inference import TooManyGates, compile_circuit
from ldag.learning import Fit, LearnOptions, check_time_limit
from ldag.model import LEAF, Model
from ldag.network import Network
from ldag.presenting.documents import Document, write_markdown
from ldag.presenting.dynamic import document_of
from ldag.presenting.html import asset, page, write_html
from ldag.presenting.sections import all_sections
from ldag.presenting.subject import Subject
from ldag.presenting.undirected import is_undirected
from ldag.uncertainty import Agreement, Mixture, StrataPosterior, bootstrap
from ldag.uncertainty import posterior as learn_posterior

MOST_VARIABLES = 14
"""Up to so many variables a report has a posterior."""

MOST_WITH_GAPS, N_ROUNDS = 12, 50
"""Where there are gaps, up to so many, from so many completed tables of each run."""

MOST_WITHOUT_ARROWS = 8
"""Up to so many where the model has no arrows."""

MOST_DRAWN, N_DRAWN, N_RESTARTS = 40, 50, 2
"""Up to so many variables the model is learned again so many times instead, by short searches."""


def report(
    source: Fit | Network | Mixture | DynamicNetwork | DynamicFit,
    path: str | os.PathLike[str],
    *,
    data: Dataset | None = None,
    posterior: Agreement | StrataPosterior | Literal["auto"] | None = "auto",
    title: str | None = None,
    time_limit: float | None = None,
) -> None:
    """Write a report: the data, the graph, every label as a sentence, rules with intervals, and how sure it all is.

    Parameters
    ----------
    source
        A fit, a network (over time, too), or several of `average`: then the picture has what most of them have, and the
        rules are those of that graph.
    path
        The file to write: .html, one page that needs nothing else, or .md, the same as Markdown.
    data
        The data of a network that was not just learned; a fit has its own, and so has an average.
    posterior
        A posterior over graphs, a bootstrap or a mixture. "auto" computes a posterior for up to 14 variables, and
        learns 50 times again for up to 40; None leaves it out.
    title
        What stands above it.
    time_limit
        Seconds for the posterior or the bootstrap; if there is none by then, the report says so.

    Examples
    --------
    >>> import ldag, tempfile, pathlib
    >>> target = pathlib.Path(tempfile.mkdtemp()) / "heart.html"
    >>> ldag.report(ldag.learn(ldag.datasets.load("heart"), equivalent_sample_size=1), target)
    >>> "smoking does not matter for pressure when protein is &gt;3" in target.read_text()
    True
    """
    target = check_ending(path, (".html", ".htm", ".md"), "a report")
    if isinstance(source, DynamicNetwork | DynamicFit):
        if data is not None or posterior != "auto" or time_limit is not None:
            raise ArgumentError("a report on a network over time takes a title only; report(fit.transition) takes more")
        _write_document(document_of(source, title), target)
        return
    subject = _subject(source, data, posterior, check_time_limit(time_limit))
    n_latent = len(subject.graph.latent)
    n = counted(len(subject.graph.variables) - n_latent, "column") + (f", {n_latent} latent" if n_latent else "")
    size = "" if subject.data is None else f", {counted(subject.data.total, 'row')}"
    document = Document(title or "What depends on what, and when", f"{n}{size}", tuple(all_sections(subject)))
    _write_document(document, target)


def _write_document(document: Document, target: Path) -> None:
    write = write_markdown if target.suffix.lower() == ".md" else write_html
    write_atomically(target, write(document).encode())


def _subject(
    source: Fit | Network | Mixture,
    data: Dataset | None,
    given: Agreement | StrataPosterior | Literal["auto"] | None,
    time_limit: float | None,
) -> Subject:
    """Gather what the report tells of."""
    if isinstance(source, Fit):
        if data is not None:
            raise ArgumentError("a fit has its own data; data= is for networks")
        return Subject(source.network, source.data, source, *_how_sure(source.network, source, given, time_limit))
    if isinstance(source, Mixture):
        return _subject_of_several(source, source.data if data is None else check_data(data), given)
    if not isinstance(source, Network):
        raise ArgumentError(f"report takes a Fit, a Network or a Mixture, got {type(source).__name__}")
    known = None if data is None else check_data(data)
    if known is not None and source.ldag.latent:
        known = known.aligned_to(source.ldag.schema)
    return Subject(source, known, None, *_how_sure(source, known, given, time_limit))


def _subject_of_several(
    mixture: Mixture, data: Dataset | None, given: Agreement | StrataPosterior | Literal["auto"] | None
) -> Subject:
    """Gather what the report on several networks tells of; they know themselves how sure they are."""
    try:
        network = mixture.consensus_network(data)
    except TooLarge:
        if data is not None:
            raise
        raise TooLarge(
            "the networks are too large to say together what is to be expected in each case; a report on them needs"
            f" the data, {argument('data')}"
        ) from None
    return Subject(
        network, data, None, given if isinstance(given, Agreement | StrataPosterior) else mixture, mixture=mixture
    )


def _how_sure(
    network: Network,
    source: Fit | Dataset | None,
    given: Agreement | StrataPosterior | Literal["auto"] | None,
    time_limit: float | None,
) -> tuple[Agreement | StrataPosterior | None, str]:
    """Return a posterior or a bootstrap, or why there is none."""
    if isinstance(given, Agreement | StrataPosterior):
        return given, ""
    if source is None or given is None:
        return None, "This was not computed: ldag.posterior, or ldag.bootstrap, tells how probable each connection is."
    data = source.data if isinstance(source, Fit) else source
    n, most = len(data.variables), MOST_WITH_GAPS if data.has_gaps else MOST_VARIABLES
    without_arrows = is_undirected(network)
    if without_arrows:
        most = 0 if data.has_gaps else MOST_WITHOUT_ARROWS
    if n > (MOST_DRAWN if isinstance(source, Fit) else most):
        return None, (
            f"With {n} columns this takes longer than a report should. ldag.posterior, or ldag.bootstrap, tells how "
            "probable each connection is; give it as posterior=."
        )
    try:
        if isinstance(source, Fit) and n > most:
            quick: LearnOptions = {
                "kappa": source.kappa,
                "method": "climb",
                "n_restarts": N_RESTARTS,
                "time_limit": time_limit,
            }
            return bootstrap(source, N_DRAWN, **quick, progress=False), ""
        if without_arrows:
            return learn_posterior(source, decomposable=True), ""
        return learn_posterior(source, time_limit=time_limit, n_rounds=N_ROUNDS if data.has_gaps else None), ""
    except LdagError as error:
        return None, f"It could not be computed: {error}"


MOST_STEPS = 8
"""Steps of a network over time on a page."""

MOST_PRODUCTS = 1_500_000
"""Products of a circuit that a page evaluates in well under a second."""

_TOOLS = """<div class="tools">
<span class="choice" role="group" aria-label="what a click on a state does">a click
<button type="button" id="observe" aria-pressed="true" title="What if we saw this? Shift and a click sets it instead.">
observes</button><button type="button" id="set" aria-pressed="false"
title="What if we made it so? Arrows into it are cut first. Shift and a click observes it instead.">sets</button></span>
<button type="button" id="undo" title="Ctrl+Z">undo</button>
<button type="button" id="reset">reset</button>
<button type="button" id="pin" aria-pressed="false" title="Compare other clicks with these numbers">pin</button>
<input id="search" type="search" placeholder="search a variable (/)" aria-label="search a variable">
</div>"""


def explore(
    model: Network | Fit | Mixture | DynamicNetwork | DynamicFit,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
) -> None:
    """Write an explorer: one HTML file to open in a browser, in which states can be clicked.

    Parameters
    ----------
    model
        A network, a fit, whose network is taken, or several networks of `average`, which answer together. A network
        over time is unrolled over as many steps as a page can compute, up to 8.
    path
        The file to write, which ends in .html. It needs no server and no network.
    title
        What stands above it.

    Examples
    --------
    >>> import ldag, tempfile, pathlib
    >>> target = pathlib.Path(tempfile.mkdtemp()) / "guard.html"
    >>> ldag.explore(ldag.simulate.guard(), target)
    >>> "a click" in target.read_text()
    True
    """
    network = model.network if isinstance(model, Fit | DynamicFit) else model
    if isinstance(network, DynamicNetwork):
        network = _unroll_for_page(network)
    if not isinstance(network, Network | Mixture):
        raise ArgumentError(f"explore takes a Network, a Fit or a Mixture, got {type(model).__name__}")
    target = check_ending(path, (".html", ".htm"), "an explorer")
    write_atomically(
        target,
        _write_page(
            network, title or f"{'A network' if isinstance(network, Network) else 'Networks'} to explore"
        ).encode(),
    )


def _unroll_for_page(network: DynamicNetwork) -> Network:
    """Return the ordinary network over as many steps as a page can compute."""
    for n_steps in range(MOST_STEPS, network.lags + 1, -1):
        unrolled = network.unroll(n_steps)
        with suppress(TooManyGates, TooLarge):
            whole = Model(unrolled.ldag.structure, unrolled.probabilities)
            compile_circuit(whole, range(len(whole.structure)), by_class=True, max_size=MOST_PRODUCTS)
            return unrolled
    return network.unroll(network.lags + 1)


def check_ending(path: str | os.PathLike[str], endings: tuple[str, ...], what: str) -> Path:
    """Return a path that has one of the endings."""
    target = Path(check_path(path))
    if target.suffix.lower() not in endings:
        got = f"the ending {target.suffix!r}" if target.suffix else "no ending"
        raise ArgumentError(f"{target}: {what} is a file that ends in {' or '.join(endings)}, got {got}")
    return target


def _write_page(model: Network | Mixture, title: str) -> str:
    """Return the page: the picture, the cards of the variables, and the model that its script reads."""
    told = _model(model, title)
    follows = ", trees ask about what is open" if told["trees"] else ""
    follows += ", and all probabilities are updated" if told["circuits"] else ""
    content = json.dumps(told, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    svg = model.to_svg(title=title)
    several = ""
    if isinstance(model, Mixture):
        several = (
            f" {counted(len(model), 'network')} answer together; the arrows are what most of them have, and which way"
            " they point says little."
        )
    arrows = "lines" if isinstance(model, Network) and is_undirected(model) else "arrows"
    body = f"""<h1>{escape(title)}</h1>
<p class="soft">Click a state: {arrows} that do not matter then fade{follows}. Click it again to take it
back.{several}</p>
{_TOOLS}
<p aria-live="polite"><span id="findings"></span> <span id="probability" class="soft"></span>
<span id="pinned" class="soft"></span></p>
<main>
<figure id="graph">{svg}</figure>
<div><p id="nothing" class="soft" hidden>No variable has this in its name.</p><div id="variables"></div></div>
</main>"""
    script = (
        f'<script type="application/json" id="model">{content}</script>\n<script>\n{asset("explorer.js")}</script>\n'
    )
    return page(title, body, style=asset("explorer.css"), script=script)


def _model(model: Network | Mixture, title: str) -> dict[str, object]:
    """Return what the script reads: names, states, edges, and a circuit for each network or why there is none."""
    graph, weighed = _graph_and_networks(model)
    circuits: list[dict[str, object]] = []
    left, why = MOST_PRODUCTS, ""
    try:
        for network in weighed:
            whole = Model(network.ldag.structure, network.probabilities)
            circuit = compile_circuit(whole, range(len(graph.schema)), by_class=True, max_size=left)
            left -= circuit.shape.size
            circuits.append(circuit.to_dict())
    except (TooManyGates, TooLarge) as error:
        circuits = []
        told = f"more than {MOST_PRODUCTS:,} products"
        if isinstance(error, TooManyGates):
            told += f", around {', '.join(graph.schema[node].name for node in error.nodes[:5])}"
        what = "The network is" if isinstance(model, Network) else "The networks are"
        why = (
            f"{what} too large for a page to compute probabilities ({told}); the library does that. Here, clicks show"
            " which arrows do not matter."
        )
    variables = [
        {"name": v.name, "states": [state_in_words(v, state) for state in v.states], "latent": v.latent}
        for v in graph.variables
    ]
    told_of_graph = {"title": title, "variables": variables, "edges": _edges(graph), "trees": _trees(graph, model)}
    return {**told_of_graph, "circuits": circuits, "weights": list(weighed.values()), "why": why}


def _graph_and_networks(model: Network | Mixture) -> tuple[LDAG, dict[Network, float]]:
    """Return the graph that is drawn, and the different networks that answer, with their weights."""
    if isinstance(model, Network):
        return model.ldag, {model: 1.0}
    weighed: dict[Network, float] = {}
    for member, weight in zip(model.members, model.weights or (), strict=True):
        weighed[member] = weighed.get(member, 0.0) + weight
    return model.consensus(), weighed


def _edges(graph: LDAG) -> list[dict[str, object]]:
    """Return edges by node numbers; a label has a 0 or 1 per configuration of the other parents.

    It is None without one, and where a tree tells it.
    """
    edges: list[dict[str, object]] = []
    for child, family in enumerate(graph.structure.families):
        for axis, parent in enumerate(family.parents):
            label = None
            if family.partition.as_tree() is None and (mask := family.partition.labels[axis]).any():
                label = "".join("1" if cell else "0" for cell in mask.tolist())
            others = [other for other in family.parents if other != parent]
            edges.append({"parent": parent, "child": child, "others": others, "label": label})
    return edges


def _trees(graph: LDAG, model: Network | Mixture) -> dict[int, dict[str, object]]:
    """Return the trees of nodes: of each question the parent and the place where every state leads, of leaves a class.

    The distributions are those of the classes, if there is one network.
    """
    trees: dict[int, dict[str, object]] = {}
    for node, family in enumerate(graph.structure.families):
        tree = family.partition.as_tree()
        if tree is None or tree.n_leaves == 1:
            continue
        starts, targets, classes = tree.starts.tolist(), tree.targets.tolist(), tree.class_of_node.tolist()
        steps = [
            classes[place] if axis == LEAF else [family.parents[axis], *targets[starts[place] : starts[place + 1]]]
            for place, axis in enumerate(tree.axes.tolist())
        ]
        table = model.probabilities[node].round(4).tolist() if isinstance(model, Network) else []
        trees[node] = {"steps": steps, "table": table}
    return trees
