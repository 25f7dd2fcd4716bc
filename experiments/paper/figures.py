"""The figures, drawn from the rows of the CSV files."""

from collections.abc import Mapping, Sequence

from experiments.paper.cells import Row
from experiments.paper.tables import group, numbers, quartiles
from ldag.drawing import LineChart, RowChart, Series, lay_out_charts, write_svg

NAMES = {"dag": "DAG generator", "ldag": "LDAG generator"}
PAPER = 5
"""The colour of the paper's own numbers, and of tables, the yardstick."""


def draw_kappas(tables: Mapping[str, Sequence[Row]]) -> str:
    """Draw the divergence by sample size under every kappa, and of the kappa chosen (the paper's Figure 9)."""
    charts = []
    for generator, rows in tables.items():
        lines = [
            _line(f"kappa = {kappa:g}", some)
            for (kappa,), some in group(rows, "kappa").items()
            if isinstance(kappa, float)
        ]
        lines.append(_line("chosen by cross-validation", _chosen(rows), colour=PAPER))
        charts.append(_chart(generator, lines))
    return write_svg(lay_out_charts(charts, title="Every kappa: median KL divergence, with quartiles"))


def draw_dag_against_ldag(tables: Mapping[str, Sequence[Row]], paper: Mapping[str, Sequence[Row]]) -> str:
    """Draw the divergence of DAGs and of LDAGs with the kappa chosen, and the paper's draw (the paper's Figure 10)."""
    charts = []
    for generator, rows in tables.items():
        series = [_line("DAG (kappa = 0.001)", _plain(rows)), _line("LDAG (kappa by CV)", _chosen(rows))]
        printed = paper[generator]
        for name, some, colour in (("paper, DAG", _plain(printed), 5), ("paper, LDAG", _chosen(printed), 3)):
            series.append(Series(name, numbers(some, "n"), numbers(some, "kl"), kind="dots", colour=colour))
        charts.append(_chart(generator, series))
    return write_svg(lay_out_charts(charts, title="DAGs against LDAGs: median KL divergence, with quartiles"))


def draw_structures(summary: Sequence[Row]) -> str:
    """Draw what each structure gains over tables, by problem; greedy labels, and the best search that was run."""
    return draw_gains(best_search(summary), "What each structure gains over full tables (right of the line: better)")


def draw_gains(summary: Sequence[Row], title: str) -> str:
    """Draw a gain for each problem and structure: simulated problems in one chart, surveys in another."""
    charts = []
    for held_out, name, label in (
        (False, "Simulated: how much closer to the truth", "nats of KL divergence saved"),
        (True, "Surveys: how much better on rows left out", "nats per row gained"),
    ):
        rows = [row for row in summary if bool(numbers([row], "held_out")) == held_out]
        problems = list(dict.fromkeys(str(row["problem"]) for row in rows))
        if not problems:
            continue
        series = []
        for (structure,), some in group(rows, "structure").items():
            if structure != "table":
                at = [float(problems.index(str(row["problem"]))) for row in some]
                ends = (numbers(some, "gain_low"), numbers(some, "gain_high"))
                series.append(Series(str(structure), numbers(some, "gain"), at, *ends, kind="dots"))
        charts.append(RowChart(name, problems, series, label))
    return write_svg(lay_out_charts(charts, title=title))


def draw_searches(summary: Sequence[Row]) -> str:
    """Draw the divergence under labels by search for graphs and for labels, with tables as the yardstick."""
    charts = []
    for (problem,), rows in group(summary, "problem").items():
        some = [row for row in rows if row["structure"] == "ldag" and numbers([row], "kl")]
        labels = list(dict.fromkeys(str(row["labels"]) for row in some))
        if not some:
            continue
        series = [
            Series(
                f"{method}",
                numbers(part, "kl"),
                [float(labels.index(str(row["labels"]))) for row in part],
                kind="dots",
            )
            for (method,), part in group(some, "method").items()
        ]
        charts.append(
            RowChart(str(problem), [f"{name} labels" for name in labels], series, "median KL in nats", zero=False)
        )
    return write_svg(lay_out_charts(charts, title="Labels found by different searches: median KL divergence"))


def best_search(summary: Sequence[Row]) -> list[Row]:
    """Return, for each problem, the rows with greedy labels by the most thorough search: exact, chain, climb."""
    kept = []
    for rows in group(summary, "problem").values():
        methods = {row["method"] for row in rows}
        best = next(method for method in ("exact", "climb", "chain") if method in methods)
        kept += [row for row in rows if row["method"] == best and row["labels"] == "greedy"]
    return kept


def _plain(rows: Sequence[Row]) -> list[Row]:
    smallest = min(numbers(rows, "kappa"))
    return [row for row in rows if row["kappa"] == smallest]


def _chosen(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row["chosen"]]


def _line(name: str, rows: Sequence[Row], colour: int | None = None) -> Series:
    """Return medians with quartiles over the draws, by sample size."""
    sizes = sorted({int(size) for size in numbers(rows, "n")})
    bands = [quartiles(numbers([row for row in rows if row["n"] == size], "kl")) for size in sizes]
    low, middle, high = zip(*bands, strict=True)
    return Series(name, sizes, middle, low, high, colour=colour)


def _chart(generator: str, series: Sequence[Series]) -> LineChart:
    sizes = sorted({x for one in series for x in one.x})
    return LineChart(NAMES[generator], series, "rows", "KL divergence in nats", log_x=True, log_y=True, x_ticks=sizes)
