"""The gist of many cases: how much they cover, and the one simple condition that is right about most of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from ldag.model import State, Variable

Amounts = NDArray[np.float64]
"""An amount for every configuration of some variables: an axis per variable."""

Choice = dict[int, tuple[int, ...]]
"""For some axes the codes that are meant."""

WORTH_A_SECOND = 0.1
"""A condition names a second variable only if it is then right about so much more, as a share of what is covered."""


MOST_NAMED = 4
"""States of a variable without an order that a condition names at most."""


@dataclass(frozen=True)
class Gist:
    """What some cases cover of all configurations, as an amount and as a number, and what stands for them.

    ``is_typical``: whoever keeps to the condition is right more often than not, for more than half of what the cases
    cover fulfils it, and more than half of what fulfils it is covered. Where no simple condition is so good, it is the
    case that covers most.
    """

    covered: float
    total: float
    n_covered: int
    n_total: int
    condition: Mapping[str, list[State]]
    is_typical: bool


def find_gist(
    cases: Sequence[Mapping[str, Sequence[State]]], variables: Sequence[Variable], weights: Amounts | None = None
) -> Gist:
    """Find what cases (of some variables, the states they may have) cover; without weights, configurations count."""
    shape = tuple(variable.n_states for variable in variables)
    amounts = np.ones(shape) if weights is None else weights.reshape(shape)
    regions = [_region(_code(case, variables), shape) for case in cases]
    covered = np.zeros(shape, dtype=np.bool_)
    for region in regions:
        covered[region] = True
    right, wrong = np.where(covered, amounts, 0.0), np.where(covered, 0.0, amounts)
    chosen = _find_choice(right, wrong, [variable.n_ordered for variable in variables])
    largest = max(range(len(cases)), key=lambda number: float(amounts[regions[number]].sum()))
    simple = {variables[axis].name: [variables[axis].states[code] for code in codes] for axis, codes in chosen.items()}
    condition = simple or {name: list(states) for name, states in cases[largest].items()}
    amount, total = float(right.sum()), float(amounts.sum())
    return Gist(amount, total, int(covered.sum()), covered.size, condition, bool(simple))


def _code(case: Mapping[str, Sequence[State]], variables: Sequence[Variable]) -> Choice:
    """Return a case by axes and codes."""
    return {
        axis: tuple(variable.code(state) for state in case[variable.name])
        for axis, variable in enumerate(variables)
        if variable.name in case
    }


def _find_choice(right: Amounts, wrong: Amounts, n_ordered: Sequence[int]) -> Choice:
    """Return the typical condition on one or two axes that is right about most; empty if there is none."""
    balance, covered = right - wrong, float(right.sum())
    singles = [_choose(balance, axis, {}, n_ordered) for axis in range(balance.ndim)]
    pairs = []
    for first, second in permutations(range(balance.ndim), 2):
        added = _choose(balance, second, singles[first], n_ordered)
        pairs += [singles[first] | added, _choose(balance, first, added, n_ordered) | added]

    def value(condition: Choice) -> tuple[float, int]:
        paid = WORTH_A_SECOND * covered * len(condition)
        return _sum(balance, condition) - paid, -sum(map(len, condition.values()))

    typical = [c for c in [*singles, *pairs] if c and 2 * _sum(right, c) > covered and _sum(balance, c) > 0]
    return max(typical, key=value, default={})


def _choose(balance: Amounts, axis: int, fixed: Choice, n_ordered: Sequence[int]) -> Choice:
    """Return some states of an axis, not all, that are most right where others are fixed; of an order, neighbours."""
    others = tuple(other for other in range(balance.ndim) if other != axis)
    sums = balance[_region(fixed, balance.shape)].sum(axis=others)
    n_states, ends = len(sums), n_ordered[axis]
    if not ends:
        largest = np.argsort(-sums, kind="stable")[: min(MOST_NAMED, n_states - 1)]
        codes = tuple(sorted(code for code in largest.tolist() if sums[code] > 0))
    else:
        runs = [range(low, high) for low in range(ends) for high in range(low + 1, ends + 1) if high - low < n_states]
        codes = tuple(max(runs, key=lambda run: float(sums[list(run)].sum()), default=()))
    return {axis: codes} if codes and sums[list(codes)].sum() > 0 else {}


def _sum(balance: Amounts, condition: Choice) -> float:
    return float(balance[_region(condition, balance.shape)].sum())


def _region(condition: Choice, shape: Sequence[int]) -> tuple[NDArray[np.intp], ...]:
    """Return the part of a grid in which a condition holds, as an index."""
    return np.ix_(*(condition.get(axis, tuple(range(n))) for axis, n in enumerate(shape)))
