"""How often each state of a node occurs in each configuration of its parents."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ldag._native import Columns
from ldag.errors import TooLarge
from ldag.model import Grid

__all__ = ["CELL_LIMIT", "Codes", "Columns", "Weights", "check_cells", "count_family"]

Codes = NDArray[np.uint8]
"""One contiguous row of state codes per variable: shape (variables, data rows)."""

Weights = NDArray[np.int64] | NDArray[np.float64]
"""How often each data row occurs: whole numbers (counts) or real ones."""

CELL_LIMIT = 1 << 26
"""The largest table counted unless the caller says otherwise: 512 MB."""


def count_family(
    columns: Columns, n_states: Sequence[int], node: int, parents: Sequence[int], limit: int = CELL_LIMIT
) -> Weights:
    """Return the counts of a family: a row per parent configuration (last parent fastest), a column per state.

    Whole weights, or none, give whole counts; real weights give real counts.
    """
    n_configurations = check_cells(n_states, node, parents, limit)
    return columns.counts([*parents, node]).reshape(n_configurations, n_states[node])


def check_cells(n_states: Sequence[int], node: int, parents: Sequence[int], limit: int = CELL_LIMIT) -> int:
    """Refuse a family whose table cannot be held; return the number of its parents' configurations."""
    n_configurations = Grid(tuple(n_states[parent] for parent in parents)).size
    if n_configurations * n_states[node] > limit:
        raise TooLarge(
            f"a node with {n_states[node]} states and {len(parents)} parents needs a table of "
            f"{n_configurations:,} configurations x {n_states[node]} states; at most {limit:,} cells are "
            "allowed; use fewer parents or fewer states"
        )
    return n_configurations
