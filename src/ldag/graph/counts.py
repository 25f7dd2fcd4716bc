"""Counts of every family of a graph in a data set."""

from collections.abc import Iterator

import numpy as np

from ldag.data import AnyTable, Dataset, Reading, check_data
from ldag.errors import ArgumentError
from ldag.graph.door import LDAG
from ldag.model import CodedFamily, Counts

MOST_PARAMETERS = 1 / 3
"""Of one node, for each row."""


def take_states(graph: LDAG, data: AnyTable, reading: Reading | None = None) -> tuple[LDAG, Dataset]:
    """Return a graph and the data of its variables; those that were written without states have those of the data.

    Columns that the graph does not know are left out, which is told.
    """
    if not isinstance(graph, LDAG):
        raise ArgumentError(f"graph must be an LDAG, got {type(graph).__name__}")
    known = check_data(data, graph.schema, reading, graph.undeclared)
    return graph.with_states(known.variables), known


def family_counts(
    graph: LDAG, data: AnyTable, reading: Reading | None = None
) -> Iterator[tuple[str, Counts, CodedFamily]]:
    """Go through the nodes of a graph with their counts by configuration in the data."""
    if not isinstance(graph, LDAG):
        raise ArgumentError(f"graph must be an LDAG, got {type(graph).__name__}")
    aligned = check_data(data, graph.schema, reading).aligned_to(graph.schema)
    for variable, family in zip(graph.variables, graph.structure.families, strict=True):
        counts = aligned.counts(variable.name, graph.parents(variable.name))
        yield variable.name, counts.astype(np.float64), family


def find_thin_families(graph: LDAG, n_rows: float) -> tuple[str, ...]:
    """Return the nodes that have more free parameters than a third of the rows, which can hardly carry so many.

    Families are looked at one by one: each is estimated from all rows, however many others there are.
    """
    names = graph.schema.names
    return tuple(name for node, name in enumerate(names) if graph.structure.dimension(node) > MOST_PARAMETERS * n_rows)
