"""A report to send to somebody: one self-contained HTML page, or Markdown."""

import os
from typing import Literal

from ldag.data import Dataset, check_data
from ldag.errors import ArgumentError, LdagError
from ldag.formats import counted, write_atomically
from ldag.learning import Fit, LearnOptions, check_time_limit
from ldag.network import Network
from ldag.presenting.document import Document
from ldag.presenting.explorer import check_ending
from ldag.presenting.html import write_html
from ldag.presenting.markdown import write_markdown
from ldag.presenting.sections import Findings, all_sections
from ldag.presenting.sureness import Sureness
from ldag.uncertainty import Bootstrap, Posterior, bootstrap
from ldag.uncertainty import posterior as learn_posterior

MOST_VARIABLES = 14
"""Up to so many variables a report has a posterior."""

MOST_DRAWN, N_DRAWN, N_RESTARTS = 40, 50, 2
"""Up to so many variables the model is learned again so many times instead, by short searches."""


def report(
    source: Fit | Network,
    path: str | os.PathLike[str],
    *,
    data: Dataset | None = None,
    posterior: Sureness | Literal["auto"] | None = "auto",
    title: str | None = None,
    time_limit: float | None = None,
) -> None:
    """Write a report: the data, the graph, every label as a sentence, rules with intervals, and how sure it all is.

    Parameters
    ----------
    source
        A fit, or a network.
    path
        The file to write: .html, one page that needs nothing else, or .md, the same as Markdown.
    data
        The data of a network that was not just learned; a fit has its own.
    posterior
        A posterior over graphs, or a bootstrap. "auto" computes a posterior for up to 14 variables, and learns 50 times
        again for up to 40; None leaves it out.
    title
        What stands above it.
    time_limit
        Seconds for the posterior or the bootstrap; if there is none by then, the report says so.

    Examples
    --------
    >>> import ldag, tempfile, pathlib
    >>> target = pathlib.Path(tempfile.mkdtemp()) / "heart.html"
    >>> ldag.report(ldag.learn(ldag.datasets.load("heart"), kappa=0.1), target)
    >>> "smoking does not matter for pressure when protein is &gt;3" in target.read_text()
    True
    """
    target = check_ending(path, (".html", ".htm", ".md"), "a report")
    findings = _findings(source, data, posterior, check_time_limit(time_limit))
    n = counted(len(findings.graph.variables), "column")
    size = "" if findings.data is None else f", {counted(findings.data.total, 'row')}"
    document = Document(title or "What depends on what, and when", f"{n}{size}", tuple(all_sections(findings)))
    write = write_markdown if target.suffix.lower() == ".md" else write_html
    write_atomically(target, write(document).encode())


def _findings(
    source: Fit | Network, data: Dataset | None, given: Sureness | Literal["auto"] | None, time_limit: float | None
) -> Findings:
    """Gather what the report tells of."""
    if isinstance(source, Fit):
        if data is not None:
            raise ArgumentError("a fit has its own data; data= is for networks")
        return Findings(source.network, source.data, source, *_sureness(source, given, time_limit))
    if not isinstance(source, Network):
        raise ArgumentError(f"report takes a Fit or a Network, got {type(source).__name__}")
    known = None if data is None else check_data(data)
    return Findings(source, known, None, *_sureness(known, given, time_limit))


def _sureness(
    source: Fit | Dataset | None, given: Sureness | Literal["auto"] | None, time_limit: float | None
) -> tuple[Sureness | None, str]:
    """Return a posterior or a bootstrap, or why there is none."""
    if isinstance(given, Posterior | Bootstrap):
        return given, ""
    if source is None or given is None:
        return None, "This was not computed: ldag.posterior, or ldag.bootstrap, tells how probable each connection is."
    data = source.data if isinstance(source, Fit) else source
    n = len(data.variables)
    if n > (MOST_DRAWN if isinstance(source, Fit) else MOST_VARIABLES):
        return None, (
            f"With {n} columns this takes longer than a report should. ldag.posterior, or ldag.bootstrap, tells how "
            "probable each connection is; give it as posterior=."
        )
    try:
        if isinstance(source, Fit) and n > MOST_VARIABLES:
            quick: LearnOptions = {
                "kappa": source.kappa,
                "method": "climb",
                "n_restarts": N_RESTARTS,
                "time_limit": time_limit,
            }
            return bootstrap(source, N_DRAWN, **quick, progress=False), ""
        return learn_posterior(source, time_limit=time_limit), ""
    except LdagError as error:
        return None, f"It could not be computed: {error}"
