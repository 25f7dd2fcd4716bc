"""How what was learned looks, and what from: data, a fit, the trace of its search, and its cross-validation."""

from collections.abc import Sequence

from ldag.data import Dataset, Gaps
from ldag.drawing import (
    Drawing,
    LineChart,
    Picture,
    PictureOptions,
    RowChart,
    Series,
    lay_out_charts,
    lay_out_patterns,
)
from ldag.learning import CrossValidation, Fit, Trace
from ldag.presenting.documents import Block, Bullets, Figure, Listing, Paragraph, TableBlock
from ldag.presenting.graphs import graph_picture, notes_of_rows
from ldag.presenting.looks import blocks, chart, picture
from ldag.presenting.undirected import picture_without_arrows

MANY_POINTS, STEEP = 8, 20.0
"""A curve of so many points begins where the score is less than so many times as far from its end as half-way."""

LONG_SEARCH = 30
"""Times the first step, from which on the axis of a trace is logarithmic."""

MOST_CANDIDATES = 24
"""Candidates in the chart of a cross-validation, the best ones."""

VARIABLES_SHOWN = 40
"""Variables of a data set that a notebook lists."""

BEHIND = "log probability of a fold, best = 0"


@blocks.register
def _(data: Dataset) -> list[Block]:
    of = "" if data.groups is None else f" of {data.groups.in_words}"
    n_different = data.ungrouped().n_rows
    size = f"{data.total:,} observations{of}, {n_different:,} different rows, {len(data.variables):,} variables"
    rows = [(v.name, v.n_states, data.shares(v.name)) for v in data.variables[:VARIABLES_SHOWN]]
    notes = [Bullets(data.notes)] if data.notes else []
    return [Paragraph(size), *notes, TableBlock(("variable", "states", "shares"), tuple(rows))]


@chart.register
def gaps_chart(gaps: Gaps) -> Drawing:
    """Return which columns are empty how often, and which are empty together."""
    return lay_out_patterns(gaps.shares, gaps.patterns, title="What is missing")


@blocks.register
def _(gaps: Gaps) -> list[Block]:
    return [Figure(gaps.to_svg()), Listing(str(gaps))]


@picture.register
def fit_picture(fit: Fit, options: PictureOptions) -> Picture:
    """Return what the picture of a learned graph shows."""
    if fit.settings.decomposable:
        return picture_without_arrows(fit.graph.to_undirected(), options)
    own: PictureOptions = {"notes": notes_of_rows(fit.graph, fit.counts), "forbidden": fit.forbidden}
    return graph_picture(fit.graph, {**own, **options})


@blocks.register
def _(fit: Fit) -> list[Block]:
    summary, _, rest = str(fit).partition("\n")
    return [Paragraph(summary), Figure(fit.to_svg()), Listing(rest)]


@chart.register
def trace_chart(trace: Trace) -> Drawing:
    """Return the curve of the best score so far."""
    n_left_out = _count_steep(trace)
    steps = [max(step, 1) for step, _ in trace[n_left_out:]]
    scores = [score for _, score in trace[n_left_out:]]
    is_log = bool(steps) and steps[-1] > LONG_SEARCH * steps[0]
    series = Series("best score so far", steps, scores, kind="steps")
    head = f"the first rise, from {trace[0][1]:,.0f}, is left out" if n_left_out else ""
    return lay_out_charts([LineChart(head, [series], "step", "score", log_x=is_log)], title="How the score rose")


def _count_steep(trace: Trace) -> int:
    """Count the first points that would hide the others: much further from the end than the middle one."""
    if len(trace) < MANY_POINTS:
        return 0
    middle = len(trace) // 2
    limit = trace.best - STEEP * (trace.best - trace[middle][1])
    return sum(score < limit for _, score in trace[:middle])


@chart.register
def cross_validation_chart(cv: CrossValidation) -> Drawing:
    """Return how much worse than the best each choice predicts, with standard errors.

    Differences are taken fold by fold, so their errors are those of the differences.
    """
    is_curve = len({one.kappa for one in cv.scores}) == len(cv.scores) > 1
    return lay_out_charts([_curve(cv) if is_curve else _rows(cv)], title="How well unseen rows are predicted")


@blocks.register
def _(cv: CrossValidation) -> list[Block]:
    return [Figure(cv.to_svg()), Listing(str(cv))]


def _curve(cv: CrossValidation) -> LineChart:
    """Return a point per kappa, and plain tables as a level."""
    points = [(kappa, *cv.behind(scores)) for kappa, scores in sorted(cv.fold_scores.items())]
    x, mean, error = zip(*points, strict=True)
    series = [Series("with labels", x, mean, *_ends(mean, error))]
    if cv.tables:
        behind, wide = cv.behind(cv.tables)
        series.append(Series("plain tables", (x[0], x[-1]), (behind, behind), *_ends((behind,) * 2, (wide,) * 2)))
    head = f"best: kappa {cv.best_kappa:g}; bands are standard errors"
    return LineChart(head, series, "kappa", BEHIND, log_x=True, x_ticks=x)


def _rows(cv: CrossValidation) -> RowChart:
    """Return a row per candidate, the best first, and plain tables last."""
    ordered = cv.ranking()[:MOST_CANDIDATES]
    names = [f"{one.structure}, kappa {one.kappa:g}, sample size {one.equivalent_sample_size:g}" for one in ordered]
    behind = [cv.behind(cv.scores[one]) for one in ordered]
    if cv.tables:
        names.append("plain tables")
        behind.append(cv.behind(cv.tables))
    mean, error = zip(*behind, strict=True)
    dots = Series("difference from the best", mean, range(len(names)), *_ends(mean, error))
    return RowChart("the best first; whiskers are standard errors", names, [dots], BEHIND)


def _ends(means: Sequence[float], errors: Sequence[float]) -> tuple[list[float], list[float]]:
    """Return the ends of whiskers of one standard error."""
    pairs = list(zip(means, errors, strict=True))
    return [mean - error for mean, error in pairs], [mean + error for mean, error in pairs]
