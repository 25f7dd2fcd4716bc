"""The completions of a table with gaps as rows with real weights, which every search takes as it is."""

from collections.abc import Sequence
from math import log

import numpy as np
from numpy.typing import NDArray

from ldag.data import GAP, Codes, Dataset
from ldag.inference import Completions, Numbers, Rows
from ldag.model import ClassTable, Structure

LISTED_CELLS = 1 << 16
"""A table over all variables with at most so many cells holds whatever may stand in the gaps: all that is listed."""

MOST_LISTED = 1 << 20
"""Unless these are more than so many for all rows together, which would take long."""

N_COPIES = 10
"""Beyond that, rows with at most so many completions are listed, and others get so many draws: systematic ones, which
do what exact expected counts do, within noise."""


MANY_ROWS = 1_000_000
"""Where draws of all rows would be more than so many, there are fewer of each: so many rows tell as much."""


def weigh_completions(
    data: Dataset, completions: Completions, probabilities: Sequence[ClassTable], seed: int, n_threads: int = 0
) -> Dataset:
    """Return data without gaps: every row as what it may have been, with the probabilities of that as weights.

    The same draws are made every time, for rows in whatever order, so that only parameters change what comes out.
    """
    has_gaps = (data.codes == GAP).any(axis=0)
    weights = np.ones(data.n_rows) if data.weights is None else data.weights.astype(np.float64)
    rows = np.ascontiguousarray(data.codes[:, has_gaps].T)
    n_copies = min(max(MANY_ROWS // max(len(rows), 1), 1), N_COPIES)
    listed = choose_listed(rows, data.schema.n_states, n_copies)
    parts: list[tuple[Codes, Numbers]] = [(data.codes[:, ~has_gaps], weights[~has_gaps])]
    own = weights[has_gaps]
    if listed.any():
        codes, owners = list_completions(rows[listed], data.schema.n_states)
        shares = _shares(completions.structure, probabilities, codes, owners)
        parts.append((codes.T, own[listed][owners] * shares))
    if not listed.all():
        drawn = completions.draw(probabilities, rows[~listed], n_copies, seed, n_threads, systematic=True)
        each = np.tile(own[~listed] / n_copies, n_copies)
        parts.append((drawn.reshape(-1, len(data.schema)).T, each))
    codes = np.concatenate([part for part, _ in parts], axis=1)
    return Dataset.from_codes(data.schema, codes, np.concatenate([part for _, part in parts]))


def choose_listed(rows: Rows, n_states: Sequence[int], n_copies: int = N_COPIES) -> NDArray[np.bool_]:
    """Return of which rows all completions are listed; the others are to be drawn so many times."""
    logs = (rows == GAP) @ np.log(np.array(n_states, dtype=np.float64))
    if sum(map(log, n_states)) <= log(LISTED_CELLS) + 1e-9 and float(np.exp(logs).sum()) <= MOST_LISTED:
        return np.ones(len(rows), dtype=np.bool_)
    return np.asarray(logs <= log(n_copies) + 1e-9)


def list_completions(rows: Rows, n_states: Sequence[int]) -> tuple[Rows, NDArray[np.intp]]:
    """Return every completion of every row, and which row each is of."""
    codes, owners = rows, np.arange(len(rows))
    for node, n in enumerate(n_states):
        is_gap = codes[:, node] == GAP
        if not is_gap.any():
            continue
        times = np.where(is_gap, n, 1)
        places = np.repeat(np.arange(len(codes)), times)
        states = np.arange(len(places)) - (np.cumsum(times) - times)[places]
        codes, owners = codes[places], owners[places]
        codes[is_gap[places], node] = states[is_gap[places]]
    return codes, owners


def _shares(
    structure: Structure, probabilities: Sequence[ClassTable], codes: Rows, owners: NDArray[np.intp]
) -> Numbers:
    """Return the probability of each completion among those of its row."""
    logs = np.zeros(len(codes))
    columns = np.ascontiguousarray(codes.T)
    with np.errstate(divide="ignore"):
        for node, family in enumerate(structure.families):
            classes = family.partition.classes_of_rows(columns[list(family.parents)])
            logs += np.log(probabilities[node])[classes, columns[node]]
    first = np.flatnonzero(np.diff(owners, prepend=-1))
    logs -= np.maximum.reduceat(logs, first)[owners]
    shares = np.exp(logs)
    return np.asarray(shares / np.add.reduceat(shares, first)[owners])
