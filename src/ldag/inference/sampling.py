"""Forward sampling by codes: rows drawn from a structure with parameters, parents before children."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ldag import _native
from ldag.data import Codes
from ldag.errors import TooLarge
from ldag.model import ClassTable, Structure

CELL_LIMIT = 1 << 32
"""The largest table of codes that is drawn: 4 GB."""


def sample_rows(
    structure: Structure, probabilities: Sequence[ClassTable], n_rows: int, seed: int, n_threads: int = 0
) -> Codes:
    """Draw rows: an array with a row of codes per node.

    Row i depends on the seed and i alone, so more rows begin with the same ones, for any number of threads (0: as
    many as there are cores).
    """
    return _draw(structure, probabilities, {}, n_rows, seed, n_threads, weighted=False)[0]


def sample_given(
    structure: Structure,
    probabilities: Sequence[ClassTable],
    fixed: Mapping[int, int],
    n_rows: int,
    seed: int,
    n_threads: int = 0,
) -> tuple[Codes, NDArray[np.float64]]:
    """Draw rows with the codes of some nodes fixed, and the log weight of each row (likelihood weighting).

    The weight is the product over the fixed nodes of the probability of their code given their parents in the row.
    """
    return _draw(structure, probabilities, fixed, n_rows, seed, n_threads, weighted=True)


def _draw(
    structure: Structure,
    probabilities: Sequence[ClassTable],
    fixed: Mapping[int, int],
    n_rows: int,
    seed: int,
    n_threads: int,
    weighted: bool,
) -> tuple[Codes, NDArray[np.float64]]:
    n_nodes = len(structure.families)
    if n_rows * n_nodes > CELL_LIMIT:
        most = CELL_LIMIT // n_nodes
        raise TooLarge(
            f"{n_rows:,} rows of {n_nodes} variables do not fit; at most {most:,} can be drawn at once;"
            " draw several samples with different rng instead"
        )
    return _native.sample_rows(
        [family.parents for family in structure.families],
        [family.partition.to_array() for family in structure.families],
        probabilities,
        [fixed.get(node) for node in range(n_nodes)],
        structure.order,
        n_rows,
        seed,
        n_threads,
        weighted,
    )
