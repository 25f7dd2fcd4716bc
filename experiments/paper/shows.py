"""How the tables of the experiments are written for people: which columns, and with how many decimals."""

from collections.abc import Callable
from math import isnan

from experiments.paper.cells import Row
from experiments.paper.tables import Show

Write = Callable[[Row], str]


def fixed(column: str, decimals: int = 2) -> Write:
    """Write a number with some decimals, or a dash."""

    def write(row: Row) -> str:
        value = row.get(column)
        return f"{float(value) + 0.0:.{decimals}f}" if isinstance(value, int | float) and not isnan(value) else "-"

    return write


def beside(column: str, decimals: int = 2) -> Write:
    """Write a number, and the paper's in brackets if there is one."""
    ours, theirs = fixed(column, decimals), fixed(f"paper_{column}", decimals)
    return lambda row: f"{ours(row)} ({theirs(row)})" if row.get(f"paper_{column}") is not None else ours(row)


def span(column: str, decimals: int = 2) -> Write:
    """Write a median with its quartiles."""
    parts = [fixed(column + end, decimals) for end in ("", "_low", "_high")]
    return lambda row: "{} [{}, {}]".format(*(part(row) for part in parts))


def text(column: str) -> Write:
    """Write what stands there."""
    return lambda row: f"{row.get(column)}"


def chosen(row: Row) -> str:
    """Mark the kappa that cross-validation chose, here and in the paper."""
    return " ".join(word for word, column in (("chosen", "chosen"), ("(chosen)", "paper_chosen")) if row.get(column))


def share(column: str) -> Write:
    """Write in how many of the draws something held."""
    return lambda row: f"{row[column]} of {row['draws']}"


def _mark(column: str) -> Write:
    return lambda row: "*" if row.get(column) else ""


SHOW_HEART: Show = {
    "search": text("method"),
    "kappa": lambda row: f"{row['kappa']:g}",
    "log score": beside("score"),
    "edges": beside("edges", 0),
    "dim DAG": beside("dag_dimension", 0),
    "dim LDAG": beside("dimension", 0),
    "rho": beside("rho"),
    "by CV": chosen,
}

SHOW_SIMULATION: Show = {
    "n": lambda row: f"{row['n']:,}",
    "kappa": lambda row: f"{row['kappa']:g}",
    "log score": fixed("score"),
    "edges": beside("edges", 0),
    "dim saved": beside("saved", 0),
    "KL [quartiles]": span("kl", 4),
    "paper": fixed("paper_kl", 4),
    "rho": fixed("rho"),
    "true DAG": share("found"),
    "": _mark("paper_found"),
    "CV": share("chosen"),
    " ": _mark("paper_chosen"),
}

SHOW_STRUCTURES: Show = {
    "problem": text("problem"),
    "structure": text("structure"),
    "labels": text("labels"),
    "search": text("method"),
    "draws": text("draws"),
    "KL": fixed("kl", 4),
    "held out": fixed("held_out", 4),
    "gain over tables": span("gain", 4),
    "edges": fixed("edges", 0),
    "parameters": fixed("parameters", 0),
    "SHD": fixed("shd", 1),
    "precision": fixed("label_precision"),
    "recall": fixed("label_recall"),
    "seconds": fixed("seconds", 3),
}
