"""Formulas evaluated on sources: what they are, where a table does not answer, and which strata are thin."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

import numpy as np

from ldag.effects.formulas import Draws, Formula, Probability, evaluate, fix, subformulas
from ldag.effects.results import States
from ldag.effects.sources import CELLS_AT_ONCE, DirichletSource, MeanSource, NumberSource
from ldag.errors import DataError, by_door, counted
from ldag.model import Schema

ROWS_OF_THIN = 5
"""A stratum with fewer rows is thin: its probabilities come as much from the prior as from data."""
SHOWN_WEIGHT = 0.001
"""A thin stratum that weighs less changes no digit that is shown."""
SHOWN_STRATA = 5
"""Thin strata that are listed one by one."""
MOST_STRATA = 1000
"""Thin strata that are looked at one by one; of more, it is told what they weigh together."""
SAME = 1e-12
"""Results that differ by less are the same."""

LeafNodes = tuple[tuple[int, ...], tuple[int, ...]]
"""What a probability is of, and given what."""


class Stratum(NamedTuple):
    """One configuration of what a probability is given."""

    leaf: LeafNodes
    place: int


StrataChange = tuple[float, Sequence[Stratum]]
"""A number that stands in place of all probabilities in some strata."""


class ThinStratum(NamedTuple):
    """A stratum that the data hardly visit: its states, the rows there, and how much of the effect it decides."""

    states: States
    n_rows: float
    weight: float
    n_strata: int = 1
    """More where there are too many to look at one by one, and nothing is said of their states."""


def evaluate_formula(formula: Formula, target: Sequence[int], states: States, source: NumberSource) -> Draws:
    """Return the distribution of targets at fixed states of all else: an array (draws, states of each target)."""
    fixed = fix(formula, states)
    n_states = source.n_states
    parts = [evaluate(fixed, part).over(target, n_states) for part in source.parts()]
    drawn = np.concatenate(parts) if len(parts) > 1 else parts[0]
    if isinstance(source, MeanSource) and not source.size:
        _check_known(fixed, target, source)
    return drawn


@dataclass(frozen=True, eq=False)
class Variants:
    """A source with an axis of variants in place of draws: in each, probabilities in some strata are 0 or 1."""

    source: NumberSource
    changes: Sequence[StrataChange]

    @property
    def n_states(self) -> tuple[int, ...]:
        """States of every variable, by number."""
        return self.source.n_states

    def conditional(self, of: tuple[int, ...], given: tuple[int, ...]) -> Draws:
        """Return the table of every variant."""
        table = self.source.conditional(of, given)
        varied = np.repeat(table.reshape([1, _size(self.n_states, of), -1]), len(self.changes), axis=0)
        for number, (value, strata) in enumerate(self.changes):
            places = [stratum.place for stratum in strata if stratum.leaf == (of, given)]
            varied[number][:, places] = value
        return varied.reshape([len(self.changes), *table.shape[1:]])


def _size(n_states: Sequence[int], nodes: Sequence[int]) -> int:
    return prod(n_states[node] for node in nodes)


def _vary(formula: Formula, target: Sequence[int], source: NumberSource, changes: Sequence[StrataChange]) -> Draws:
    """Return what becomes of a formula in variants, as many at a time as memory allows."""
    largest = max((_size(source.n_states, (*of, *given)) for of, given in _leaves(formula)), default=1)
    at_once = max(1, CELLS_AT_ONCE // largest)
    shape = [source.n_states[node] for node in target]
    varied = np.empty([len(changes), *shape])
    for first in range(0, len(changes), at_once):
        some = slice(first, first + at_once)
        varied[some] = evaluate(formula, Variants(source, changes[some])).over(target, source.n_states)
    return varied


def _leaves(formula: Formula) -> dict[LeafNodes, list[Probability]]:
    """Return the probabilities of a formula by what they are of and given."""
    leaves: dict[LeafNodes, list[Probability]] = {}
    for part in subformulas(formula):
        if isinstance(part, Probability):
            key = tuple(slot.node for slot in part.of), tuple(slot.node for slot in part.given)
            leaves.setdefault(key, []).append(part)
    return leaves


def _reach(formula: Formula, source: MeanSource, fewer_than: float) -> Iterator[tuple[Stratum, float]]:
    """Go through the strata that a formula may read and that have fewer rows than that, with their rows."""
    for leaf, probabilities in _leaves(formula).items():
        given = leaf[1]
        rows = source.table.count(given)
        is_read = np.zeros(rows.shape, dtype=np.bool_)
        for one in probabilities:
            is_read[tuple(slice(None) if slot.state is None else slot.state for slot in one.given)] = True
        for place in np.flatnonzero(is_read & (rows < fewer_than)).tolist():
            yield Stratum(leaf, place), float(rows.reshape(-1)[place])


def _check_known(formula: Formula, target: Sequence[int], source: MeanSource) -> None:
    """Refuse a table that does not answer: what it does not know makes a difference."""
    unknown = [stratum for stratum, _ in _reach(formula, source, np.finfo(np.float64).tiny)]
    if not unknown:
        return
    none, every = _vary(formula, target, source, [(0.0, unknown), (1.0, unknown)])
    if np.abs(none - every).max() <= SAME:
        return
    same, different = 0, len(unknown)  # how many at the front make no difference, and how many do
    while different - same > 1:
        middle = (same + different) // 2
        (some,) = _vary(formula, target, source, [(1.0, unknown[:middle])])
        same, different = (middle, different) if np.abs(some - none).max() <= SAME else (same, middle)
    where = spell_stratum(source.schema, _states_of(unknown[same], source))
    raise DataError(
        f"the table cannot answer: the formula reads probabilities given {where}, and no row has that; give more rows"
        + by_door(", or use estimate(...), which has a prior and says how unsure the result is", "")
    )


def _states_of(stratum: Stratum, source: NumberSource) -> States:
    given = stratum.leaf[1]
    codes = np.unravel_index(stratum.place, [source.n_states[node] for node in given])
    return {node: int(code) for node, code in zip(given, codes, strict=True)}


def spell_stratum(schema: Schema, states: Mapping[int, int]) -> str:
    """Return states of variables in words."""
    return ", ".join(f"{name}={state}" for name, state in schema.named(states).items())


def find_thin_strata(
    formula: Formula, target: Sequence[int], states: States, source: NumberSource
) -> tuple[ThinStratum, ...]:
    """Return the strata that a formula weighs and that have few rows, the heaviest first; of data only.

    The weight of a stratum is how much the result moves when every probability in it goes from 0 to 1, all others
    being the means of their posterior: in an adjustment, how probable the stratum is.
    """
    if not isinstance(source, DirichletSource | MeanSource):
        return ()
    means = MeanSource(source.table, source.size or 1.0)
    fixed = fix(formula, states)
    thin = list(_reach(fixed, means, ROWS_OF_THIN))
    if not thin:
        return ()
    groups = [[one] for one in thin] if len(thin) <= MOST_STRATA else [thin]
    low, high = (
        _vary(fixed, target, means, [(value, [stratum for stratum, _ in group]) for group in groups])
        for value in (0.0, 1.0)
    )
    weights = np.minimum(np.abs(high - low).reshape(len(groups), -1).max(axis=1), 1.0)
    if len(thin) > MOST_STRATA:
        every = ThinStratum({}, sum(n_rows for _, n_rows in thin), float(weights[0]), len(thin))
        return (every,) if every.weight >= SHOWN_WEIGHT else ()
    heaviest: dict[tuple[tuple[int, int], ...], ThinStratum] = {}
    for (stratum, n_rows), weight in zip(thin, weights.tolist(), strict=True):
        where = _states_of(stratum, source)
        key = tuple(sorted(where.items()))
        if weight >= SHOWN_WEIGHT and (key not in heaviest or heaviest[key].weight < weight):
            heaviest[key] = ThinStratum(where, n_rows, weight)
    return tuple(sorted(heaviest.values(), key=lambda one: (-round(one.weight, 12), sorted(one.states.items()))))


def note_thin_strata(thin: Sequence[ThinStratum], schema: Schema) -> tuple[str, ...]:
    """Say which strata are thin, in a sentence; nothing if there are none."""
    if not thin:
        return ()
    parts = [
        f"{_spell_thin(schema, one)} ({counted(one.n_rows, 'row') if one.n_rows else 'no row'},"
        f" weight {one.weight:.3f})"
        for one in thin[:SHOWN_STRATA]
    ]
    others = thin[SHOWN_STRATA:]
    if others:
        parts.append(f"{len(others):,} more (weight {sum(one.weight for one in others):.3f} together)")
    return (f"strata that the formula weighs and the data hardly visit, where the prior decides: {'; '.join(parts)}",)


def _spell_thin(schema: Schema, one: ThinStratum) -> str:
    return spell_stratum(schema, one.states) if one.n_strata == 1 else f"{one.n_strata:,} strata"
