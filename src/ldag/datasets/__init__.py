"""Data sets and graphs that come with the library; SOURCES.md beside this file says where they are from."""

import csv
from importlib.resources import files

from ldag.data import Dataset
from ldag.errors import ArgumentError, suggest
from ldag.graph import LDAG
from ldag.model import State

_NO_YES = ("no", "yes")

_STATES: dict[str, dict[str, tuple[State, ...]]] = {
    "heart": {
        "smoking": _NO_YES,
        "mental": _NO_YES,
        "physical": _NO_YES,
        "pressure": ("<140", ">140"),
        "protein": ("<3", ">3"),
        "family": _NO_YES,
    },
    "titanic": {
        "class": ("1st", "2nd", "3rd", "Crew"),
        "sex": ("Male", "Female"),
        "age": ("Child", "Adult"),
        "survived": ("No", "Yes"),
    },
    "ucb": {
        "admitted": ("Admitted", "Rejected"),
        "gender": ("Male", "Female"),
        "department": ("A", "B", "C", "D", "E", "F"),
    },
}

_GRAPHS = (
    "guard",
    "heart",
    "generator10",
    "tree5",
    "or6",
    "nonmaximal4",
    "nonregular",
    "cases",
    "contraction",
)


def names() -> tuple[str, ...]:
    """Return the names of the data sets."""
    return tuple(_STATES)


def load(name: str) -> Dataset:
    """Load a data set by its name.

    Examples
    --------
    >>> load("ucb").total
    4526
    """
    if name not in names():
        raise ArgumentError(f"no data set {name!r}{suggest(name, names())}")
    from ldag.data import read  # here, as all kinds of tables come along

    text = (files(__name__) / f"{name}.csv").read_text(encoding="utf-8")
    header, *rows = csv.reader(text.splitlines())  # dozens of rows, for which no database need be loaded
    columns: dict[str, list[State]] = dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))
    columns["count"] = list(map(int, columns["count"]))
    return read(columns, counts="count", states=_STATES[name])


def graph_names() -> tuple[str, ...]:
    """Return the names of the example graphs."""
    return tuple(_GRAPHS)


def about_graph(name: str) -> str:
    """Return one sentence on an example graph."""
    return _graph_text(name).splitlines()[0].removeprefix("# ")


def graph(name: str) -> LDAG:
    """Return an example graph by its name.

    Examples
    --------
    >>> guard = graph("guard")
    >>> guard.dag_dimension, guard.dimension
    (11, 9)
    """
    return LDAG.from_text(_graph_text(name))


def _graph_text(name: str) -> str:
    if name not in _GRAPHS:
        raise ArgumentError(f"no example graph {name!r}{suggest(name, _GRAPHS)}")
    return (files(__name__) / "graphs" / f"{name}.ldag").read_text(encoding="utf-8")
