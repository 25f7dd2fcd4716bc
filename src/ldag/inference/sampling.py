"""Forward sampling by codes: rows drawn from a structure with parameters, parents before children.

Likelihood weighting answers questions by such rows, with standard errors.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ldag import _native
from ldag.data import Codes
from ldag.errors import TooLarge
from ldag.inference.circuit import Evidence, Numbers
from ldag.inference.engine import Engine
from ldag.inference.rows import Predictor
from ldag.model import ClassTable, Structure

LEAST_EFFECTIVE = 50
"""Rows of equal weight that an estimate must be worth: of fewer, not even the standard errors can be trusted."""

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
        [family.partition.to_native() for family in structure.families],
        probabilities,
        [fixed.get(node) for node in range(n_nodes)],
        structure.order,
        n_rows,
        seed,
        n_threads,
        weighted,
    )


@dataclass(frozen=True, eq=False)
class Weighted:
    """Estimates of a joint posterior, an axis per node; ``effective_size`` is how many equal weights are worth it."""

    probabilities: Numbers
    standard_errors: Numbers
    effective_size: float


def estimate_by_weighting(
    engine: Engine, nodes: Sequence[int], evidence: Evidence, n_samples: int, seed: int
) -> Weighted | None:
    """Estimate the posterior of nodes from rows drawn with the evidence fixed; None if every row has weight zero.

    Of a single node it is the mean of its posteriors given all others in the rows, which scatter less than its states
    do (Rao-Blackwell); of several, the share of the rows with each combination of states.
    """
    model = engine.model
    codes, log_weights = sample_given(model.structure, model.probabilities, evidence, n_samples, seed)
    largest = log_weights.max()
    if np.isneginf(largest):
        return None
    weights = np.exp(log_weights - largest)
    weights /= weights.sum()
    effective_size = float(1 / (weights**2).sum())
    if len(nodes) == 1:
        seen = np.flatnonzero(weights)
        shares = Predictor(engine).posteriors_given_rest(nodes[0], np.ascontiguousarray(codes[:, seen].T))
        is_exact = model.structure.markov_blanket(nodes) <= set(evidence)
        return _average(shares, weights[seen], 0.0 if is_exact else 1 / effective_size)
    shape = tuple(model.structure.n_states[node] for node in nodes)
    cells = np.ravel_multi_index([codes[node].astype(np.intp) for node in nodes], shape)
    size = int(np.prod(shape))
    means: Numbers = np.bincount(cells, weights, minlength=size).astype(np.float64)
    squares = np.bincount(cells, weights**2, minlength=size)
    # The variance of a ratio of sums: sum of w^2 (1[cell] - p)^2, expanded.
    variance = squares * (1 - 2 * means) + (weights**2).sum() * means**2
    # What no sample or every sample shows is not certain: about one in so many would not be seen.
    is_certain = (means == 0) | (means > 1 - 1e-12)
    errors = np.where(is_certain, 1 / effective_size, np.sqrt(np.maximum(variance, 0.0)))
    return Weighted(np.minimum(means, 1.0).reshape(shape), errors.reshape(shape), effective_size)


def _average(shares: Numbers, weights: Numbers, unseen: float) -> Weighted:
    """Average distributions by weights that sum to 1; about so much more weight was not seen."""
    means = weights @ shares
    variance = weights**2 @ (shares - means) ** 2
    return Weighted(means, np.sqrt(variance + unseen**2), float(1 / (weights**2).sum()))
