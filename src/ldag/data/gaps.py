"""The gaps of a data set: how many there are and where, which columns are empty together, and what gaps depend on.

What can be seen is whether a column is empty more often where *another* column has some state. Then gaps are not
completely at random, and leaving out rows gives a wrong picture; keeping the gaps is right as long as what they depend
on is in the table. Whether a gap depends on what would have stood in it cannot be seen in any data.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import lgamma, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ldag.drawing import Drawable
from ldag.errors import counted, list_names
from ldag.formats import spell_share, state_in_words
from ldag.hook import Printable
from ldag.model import Schema, State

GAP = 255
"""The code of a cell that is missing; states have the codes below."""

ASSUMED = (
    "gaps may depend on anything in the table, but not on what would have stood in the gap itself; no data can tell"
)
"""What learning with gaps assumes, and what nobody can check."""

CLEAR = 3.0
"""Log Bayes factors from which a dependence is named: the odds that there is one are twenty times what they were."""

SAMPLE_SIZE = 1.0
"""The equivalent sample size of these Bayes factors."""

MOST_SHOWN = 10
"""Lines of each part of the text; the others are counted."""


@dataclass(frozen=True, repr=False)
class Gaps(Drawable, Printable):
    """The missing cells of a data set, made by `Dataset.gaps`.

    Attributes
    ----------
    n_cells
        How many cells are missing, in all observations (the sum of their weights, if these are real numbers).
    total
        How many observations there are.
    shares
        The share of missing cells of every column.
    patterns
        The names of columns that are empty together, to the number of observations with exactly these gaps, the most
        common first; ``()`` stands for complete ones.
    depends_on
        Triples of a column with gaps, another column, and the log Bayes factor by which the gaps of the first depend on
        the state of the second, in rows in which the second is seen; from 3 on, the clearest first.
    where
        For each of these, the state of the other column in which gaps are most clearly more common.

    Examples
    --------
    >>> import ldag
    >>> gaps = ldag.read({"x": ["a", None, "b"], "y": ["u", None, "v"]}, missing="keep").gaps()
    >>> gaps.n_cells, gaps.shares["x"], gaps.patterns
    (2, 0.3333333333333333, {(): 2, ('x', 'y'): 1})
    """

    n_cells: float
    total: float
    shares: Mapping[str, float]
    patterns: Mapping[tuple[str, ...], float]
    depends_on: tuple[tuple[str, str, float], ...]
    where: tuple[State, ...]
    _schema: Schema = field(compare=False)

    @property
    def complete(self) -> float:
        """The share of observations without a gap."""
        return self.patterns.get((), 0) / (self.total or 1)

    def sentences(self) -> tuple[str, ...]:
        """Say in words what gaps depend on."""
        return tuple(self._sentences())

    def _sentences(self) -> Iterator[str]:
        for (column, other, factor), state in zip(self.depends_on, self.where, strict=True):
            shown = state_in_words(self._schema[self._schema.node(other)], state)
            yield f"{column} is empty more often where {other} is {shown} (log Bayes factor {factor:.0f})"

    @property
    def by_chance(self) -> float:
        """The log Bayes factor that at most one pair of columns is expected to reach where gaps depend on nothing.

        It is the logarithm of how many pairs are compared: the probability of a Bayes factor of k is at most 1 / k.
        """
        return log(max(1, self._n_pairs))

    @property
    def _n_pairs(self) -> int:
        return sum(share > 0 for share in self.shares.values()) * (len(self.shares) - 1)

    def caution(self) -> str | None:
        """Say what may be chance of what is named, where many pairs of columns are compared."""
        if all(factor >= self.by_chance for *_, factor in self.depends_on):
            return None
        pairs = f"{self._n_pairs:,} pairs of columns were compared"
        return f"{pairs}: log Bayes factors below {self.by_chance:.1f} can be chance"

    def to_dict(self) -> dict[str, object]:
        """Return plain values for JSON."""
        return {
            "n_cells": self.n_cells,
            "total": self.total,
            "complete": self.complete,
            "shares": dict(self.shares),
            "patterns": [{"empty": list(names), "observations": n} for names, n in self.patterns.items()],
            "depends_on": [
                {"column": column, "other": other, "log_bayes_factor": factor, "where": state}
                for (column, other, factor), state in zip(self.depends_on, self.where, strict=True)
            ],
        }

    def __str__(self) -> str:
        if not self.n_cells:
            return f"no gaps in {counted(self.total, 'observation')}"
        with_gaps = self.total - self.patterns.get((), 0)
        have = "has" if with_gaps == 1 else "have"
        share = spell_share(self.n_cells / (self.total * len(self.shares)))
        lines = [
            f"{counted(self.n_cells, 'cell')} missing, {share} of all; {with_gaps:,.10g} of"
            f" {counted(self.total, 'observation')} {have} gaps",
            *self._columns(),
            "empty together:",
            *_first(self._patterns()),
        ]
        if self.depends_on:
            lines += ["what gaps depend on:", *_first(f"  {sentence}" for sentence in self._sentences())]
        if (caution := self.caution()) is not None:
            lines.append(f"  {caution}")
        return "\n".join([*lines, f"what is assumed: {ASSUMED}"])

    def _columns(self) -> list[str]:
        """Return a line per column with gaps, the emptiest first."""
        some = sorted((name for name, share in self.shares.items() if share), key=lambda name: -self.shares[name])
        width = max(map(len, some))
        return _first(f"  {name:{width}}  {spell_share(self.shares[name])}" for name in some)

    def _patterns(self) -> Iterator[str]:
        for names, n in self.patterns.items():
            yield f"  {list_names(names) if names else 'complete'}: {counted(n, 'observation')}"


def _first(lines: Iterator[str]) -> list[str]:
    """Return the first lines, and how many more there are."""
    every = list(lines)
    more = len(every) - MOST_SHOWN
    return every if more <= 0 else [*every[:MOST_SHOWN], f"  and {more:,} more"]


def find_gaps(schema: Schema, codes: NDArray[np.uint8], weights: NDArray[Any] | None) -> Gaps:
    """Return the gaps of rows in codes; a latent variable that nobody observed has none that tell anything."""
    empty = codes == GAP
    nodes = [node for node, variable in enumerate(schema) if not (variable.latent and empty[node].all())]
    names = [schema[node].name for node in nodes]
    times = np.ones(codes.shape[1], dtype=np.int64) if weights is None else weights
    total = times.sum().item()
    amounts = (empty[nodes] @ times).tolist()
    some = [node for node, amount in zip(nodes, amounts, strict=True) if amount]
    dependences = list(_find_dependences(schema, codes, weights, some))
    dependences.sort(key=lambda one: (-one[0], one[1], one[2]))
    return Gaps(
        n_cells=sum(amounts),
        total=total,
        shares={name: amount / (total or 1) for name, amount in zip(names, amounts, strict=True)},
        patterns=_count_patterns(empty[nodes], times, names),
        depends_on=tuple((schema[node].name, schema[other].name, factor) for factor, node, other, _ in dependences),
        where=tuple(schema[other].states[code] for _, _, other, code in dependences),
        _schema=schema,
    )


def _count_patterns(
    gaps: NDArray[np.bool_], weights: NDArray[np.generic], names: list[str]
) -> dict[tuple[str, ...], float]:
    """Return the names that are empty together with how often that is; of equally common ones fewer names first."""
    packed = np.ascontiguousarray(np.packbits(gaps, axis=0).T)
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    times = np.zeros(len(first), dtype=weights.dtype)
    np.add.at(times, place, weights)
    places = [np.flatnonzero(gaps[:, row]).tolist() for row in first]
    order = sorted(range(len(first)), key=lambda number: (-times[number], len(places[number]), places[number]))
    return {tuple(names[node] for node in places[number]): times[number].item() for number in order}


def _find_dependences(
    schema: Schema, codes: NDArray[np.uint8], weights: NDArray[Any] | None, nodes: list[int]
) -> Iterator[tuple[float, int, int, int]]:
    """Go through clear dependences: log Bayes factor, column with gaps, other column, its state with most gaps."""
    every = _count_states(codes, weights) if nodes else []
    for node in nodes:
        rows = np.flatnonzero(codes[node] == GAP)
        empty = _count_states(codes[:, rows], None if weights is None else weights[rows])
        for other, n in enumerate(schema.n_states):
            counts = np.stack([empty[other][:n], every[other][:n] - empty[other][:n]], axis=1)
            if other != node and (factor := log_bayes_factor(counts)) >= CLEAR:
                yield factor, node, other, _find_emptiest(counts)


def _count_states(codes: NDArray[np.uint8], weights: NDArray[Any] | None) -> list[NDArray[np.float64]]:
    """Count the codes of every column, with how often each row occurs."""
    return [np.bincount(row, weights, minlength=GAP + 1).astype(np.float64) for row in codes]


def log_bayes_factor(counts: NDArray[np.float64]) -> float:
    """Return the log Bayes factor of two columns of counts depending on their row, against not depending on it.

    BDeu: the marginal likelihood of a variable with one parent, over that without a parent.
    """
    return _log_evidence(counts) - _log_evidence(counts.sum(axis=0, keepdims=True))


def _log_evidence(counts: NDArray[np.float64]) -> float:
    """Return the log marginal likelihood of counts, a row per configuration."""
    n_rows, n_states = counts.shape
    alpha = SAMPLE_SIZE / n_rows
    cells = sum(lgamma(alpha / n_states + n) - lgamma(alpha / n_states) for n in counts.ravel().tolist())
    return cells - sum(lgamma(alpha + n) - lgamma(alpha) for n in counts.sum(axis=1).tolist())


def _find_emptiest(counts: NDArray[np.float64]) -> int:
    """Return the row whose first count is most above what is expected of it, in standard deviations."""
    rows = counts.sum(axis=1)
    above = counts[:, 0] - rows * (counts[:, 0].sum() / rows.sum())
    return int(np.argmax(np.divide(above, np.sqrt(rows), out=np.zeros_like(above), where=rows > 0)))
