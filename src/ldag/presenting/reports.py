"""A report to send to somebody: one self-contained HTML page, or Markdown."""

import os
from typing import Literal

from ldag.data import Dataset, check_data
from ldag.errors import ArgumentError, LdagError
from ldag.formats import counted, write_atomically
from ldag.learning import CrossValidation, Fit, cross_validate
from ldag.network import Network
from ldag.presenting.explorer import check_ending
from ldag.presenting.sections import Findings, all_sections
from ldag.reporting import Document, write_html, write_markdown
from ldag.uncertainty import Posterior
from ldag.uncertainty import posterior as learn_posterior

MOST_PARENTS = 3
"""The limit on parents of the posterior in a report, which keeps it quick."""

MOST_VARIABLES = 14
"""Beyond so many variables a report says how to get a posterior, instead of making readers wait."""


def report(
    source: Fit | Network,
    path: str | os.PathLike[str],
    *,
    data: Dataset | None = None,
    posterior: Posterior | Literal["auto"] | None = "auto",
    title: str | None = None,
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
        A posterior over graphs; "auto" computes one of at most 3 parents for up to 14 variables; None leaves it out.
    title
        What stands above it.

    Examples
    --------
    >>> import ldag, tempfile, pathlib
    >>> target = pathlib.Path(tempfile.mkdtemp()) / "heart.html"
    >>> ldag.report(ldag.learn(ldag.datasets.load("heart"), kappa=0.1), target)
    >>> "smoking does not matter for pressure when protein is &gt;3" in target.read_text()
    True
    """
    target = check_ending(path, (".html", ".htm", ".md"), "a report")
    findings = _findings(source, data, posterior)
    n = counted(len(findings.graph.variables), "variable")
    size = "" if findings.data is None else f", {counted(findings.data.total, 'observation')}"
    document = Document(title or "What matters, and when", f"{n}{size}", tuple(all_sections(findings)))
    write = write_markdown if target.suffix.lower() == ".md" else write_html
    write_atomically(target, write(document).encode())


def _findings(source: Fit | Network, data: Dataset | None, posterior: Posterior | Literal["auto"] | None) -> Findings:
    """Gather what the report tells of."""
    if isinstance(source, Fit):
        if data is not None:
            raise ArgumentError("a fit has its own data; data= is for networks")
        post, why = _posterior(source, posterior)
        return Findings(source.network, source.data, source, post, why, _table_cv(source))
    if not isinstance(source, Network):
        raise ArgumentError(f"report takes a Fit or a Network, got {type(source).__name__}")
    known = None if data is None else check_data(data)
    post, why = _posterior(known, posterior)
    return Findings(source, known, None, post, why)


def _posterior(source: Fit | Dataset | None, given: Posterior | Literal["auto"] | None) -> tuple[Posterior | None, str]:
    """Return the posterior, or why there is none."""
    if isinstance(given, Posterior):
        return given, ""
    if source is None or given is None:
        return None, "It was not computed. ldag.posterior tells how probable each edge and label is."
    data = source.data if isinstance(source, Fit) else source
    if len(data.variables) > MOST_VARIABLES:
        return None, (
            f"With {len(data.variables)} variables this takes longer than a report should. "
            "ldag.posterior(fit), or ldag.bootstrap(fit), tells how probable each edge is; give it as posterior=."
        )
    limit = source.settings.max_parents if isinstance(source, Fit) else None
    try:
        return learn_posterior(source, max_parents=MOST_PARENTS if limit is None else min(limit, MOST_PARENTS)), ""
    except LdagError as error:
        return None, f"It could not be computed: {error}"


def _table_cv(fit: Fit) -> CrossValidation | None:
    """Cross-validate plain tables on the same folds, if labels were cross-validated."""
    if fit.cv is None:
        return None
    settings = fit.settings
    return cross_validate(
        fit.data,
        kappas=(1.0,),
        structure="table",
        equivalent_sample_size=fit.equivalent_sample_size,
        max_parents=settings.max_parents,
        rng=settings.rng if isinstance(settings.rng, int) else None,
        progress=False,
    )
