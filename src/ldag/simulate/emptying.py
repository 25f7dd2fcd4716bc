"""Taking cells out of data, to try what gaps would do."""

from collections.abc import Iterable, Iterator
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ldag.checks import Rng, check_choice, check_generator, check_names, check_share
from ldag.data import GAP, Codes, Dataset
from ldag.errors import ArgumentError, DataError, TooLarge
from ldag.model import Schema

GapKind = Literal["mcar", "mar", "mnar"]
"""What gaps depend on: nothing, other columns, or what stood in the cell."""

SPREAD = 4.0
"""Log odds of a gap between the states with most and with fewest: one is 55 times the other."""

SEEN = 3
"""One column in so many is always observed where gaps depend on other columns."""

CELL_LIMIT = 1 << 28
"""Cells of all observations, one by one."""


def gaps(
    data: Dataset,
    share: float = 0.1,
    how: GapKind = "mcar",
    *,
    columns: str | Iterable[str] | None = None,
    rng: Rng = None,
) -> Dataset:
    """Take cells out of data: each observation loses cells by itself, however many others are equal to it.

    Every column that loses cells loses about the same share of them. Each of its cells is lost with a probability that

    - "mcar": is the same for all (missing completely at random);
    - "mar": depends on the state of one other column that is always observed (missing at random). A third of the
      columns are such, drawn at random unless ``columns`` says which the others are;
    - "mnar": depends on what stands in the cell itself (missing not at random), which nobody can see afterwards.

    In the last two, the states have the log odds of a gap in equal steps, four from the first to the last, in an order
    that is drawn for each column. For equal seeds the same cells are lost, in whatever order rows and columns came.

    Parameters
    ----------
    data
        The data; their weights are counts, or there are none. Gaps that they have stay.
    share
        The share of all cells that are lost on average, of those in columns that always stay, too.
    how
        What gaps depend on.
    columns
        The columns that lose cells; all of them by default, or with "mar" two in three.
    rng
        Seed, or a numpy Generator; None is 0.

    Examples
    --------
    >>> import ldag
    >>> some = gaps(ldag.datasets.load("heart"), share=0.1, how="mar", rng=1)
    >>> some.total, some.has_gaps
    (1841, True)
    """
    _check_weights(data)
    check_share(share, "share")
    check_choice(how, get_args(GapKind), "how")
    generator = check_generator(rng)
    ordered = data.permuted(sorted(data.names)).sorted()
    rows = np.repeat(np.arange(ordered.n_rows), ordered.whole_weights)
    codes = ordered.codes[:, rows]
    losing = _choose_columns(ordered, how, columns, generator)
    part = _check_part(share * len(data.names) / len(losing), share, len(losing) / len(data.names))
    lost = codes.copy()
    for node, odds in zip(losing, _draw_odds(ordered, codes, losing, how, generator), strict=True):
        lost[node, generator.random(codes.shape[1]) < _scale(odds, part)] = GAP
    groups = None if ordered.groups is None else ordered.groups.take(rows)
    when = None if ordered.times is None else ordered.times.take(rows)
    emptied = Dataset.from_codes(ordered.schema, lost, None, data.weight_name, groups, when)
    return emptied.permuted(data.names).sorted()


def _check_weights(data: Dataset) -> None:
    """Refuse what has no observations to go through one by one."""
    if not isinstance(data, Dataset):
        raise ArgumentError(f"data must be a Dataset, got {type(data).__name__}; read it with ldag.read(...)")
    if not data.n_rows:
        raise DataError("the data have no rows")
    if data.weights is not None and data.weights.dtype != np.int64:
        raise DataError("the data have real weights, so there are no observations to take cells out of one by one")
    if data.total * len(data.names) > CELL_LIMIT:
        raise TooLarge(
            f"the data have {data.total:,} observations of {len(data.names)} cells; at most {CELL_LIMIT:,} cells"
        )


def _check_part(part: float, share: float, most: float) -> float:
    """Refuse to take more cells out of columns than they have."""
    if part > 1:
        raise ArgumentError(
            f"share is {share:g}, but the columns that lose cells have a share of {most:.2g} of all cells; name more of"
            " them, or take less"
        )
    return part


def _choose_columns(
    data: Dataset, how: GapKind, columns: str | Iterable[str] | None, rng: np.random.Generator
) -> list[int]:
    """Return the columns that lose cells, by number; those that others depend on are none of them."""
    nodes = range(len(data.schema))
    losing = list(nodes) if columns is None else sorted(data.schema.nodes(check_names(columns)))
    if not losing:
        raise ArgumentError("columns must name at least one column that loses cells, got none")
    if how != "mar":
        return losing
    if columns is None:
        seen = rng.permutation(_find_causes(data, []))[: max(len(nodes) // SEEN, 1)].tolist()
        losing = [node for node in nodes if node not in seen]
    if not losing or not _find_causes(data, losing):
        raise DataError(
            "gaps can depend on other columns (how='mar') only if a column stays that has several states and no gaps"
        )
    return losing


def _find_causes(data: Dataset, losing: list[int]) -> list[int]:
    """Return the columns that gaps of others can depend on: they lose no cells, have no gaps, and differ."""
    no_causes = {*losing, *data.constant_nodes}
    return [node for node, codes in enumerate(data.codes) if node not in no_causes and codes.max() != GAP]


def _draw_odds(
    data: Dataset, codes: Codes, losing: list[int], how: GapKind, rng: np.random.Generator
) -> Iterator[NDArray[np.float64]]:
    """Go through the columns that lose cells: the log odds of a gap in every observation, but for their level."""
    causes = _find_causes(data, losing)
    for node in losing:
        if how == "mcar":
            yield np.zeros(codes.shape[1])
            continue
        cause = node if how == "mnar" else int(rng.choice(causes))
        yield _draw_steps(data.schema, cause, rng)[codes[cause]]


def _draw_steps(schema: Schema, node: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return log odds for the states of a column, in equal steps and a random order; a gap has those of the middle."""
    n_states = schema[node].n_states
    steps = np.zeros(GAP + 1)
    steps[:n_states] = rng.permutation(np.linspace(-SPREAD / 2, SPREAD / 2, n_states)) if n_states > 1 else 0.0
    return steps


def _scale(odds: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """Return probabilities with some log odds, but for their level, whose mean is given; found by halving."""
    if share in (0, 1):
        return np.full(len(odds), share)
    values, places, times = np.unique(odds, return_inverse=True, return_counts=True)
    low, high = -40.0, 40.0
    for _ in range(60):
        level = (low + high) / 2
        mean = times @ (1 / (1 + np.exp(-level - values))) / len(odds)
        low, high = (level, high) if mean < share else (low, level)
    return np.asarray((1 / (1 + np.exp(-level - values)))[places])
