"""The gist of many cases: how much they cover, and the one simple condition that is right about most of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ldag.model import State, Variable

Amounts = NDArray[np.float64]
"""An amount for every configuration of some variables: an axis per variable."""

Choice = dict[int, list[int]]
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
    covered = np.zeros(shape, dtype=np.bool_)
    sizes = []
    for case in cases:
        region = _region(case, variables)
        covered[region] = True
        sizes.append(float(amounts[region].sum()))
    right, wrong = np.where(covered, amounts, 0.0), np.where(covered, 0.0, amounts)
    chosen = _find_choice(right, wrong, [variable.n_ordered for variable in variables])
    simple = {variables[axis].name: [variables[axis].states[code] for code in codes] for axis, codes in chosen.items()}
    condition = simple or {name: list(states) for name, states in cases[sizes.index(max(sizes))].items()}
    amount, total = float(right.sum()), float(amounts.sum())
    return Gist(amount, total, int(covered.sum()), covered.size, condition, bool(simple))


def _region(
    case: Mapping[str, Sequence[State]], variables: Sequence[Variable]
) -> tuple[slice | int | NDArray[np.intp], ...]:
    """Return where a case holds, as an index: of some axes all, of some one state, and several of others, crossed."""
    n_several = sum(len(states) > 1 for states in case.values())
    index: list[slice | int | NDArray[np.intp]] = []
    for variable in variables:
        codes = [variable.code(state) for state in case.get(variable.name, ())]
        if len(codes) > 1:
            n_several -= 1
            index.append(np.array(codes).reshape(-1, *(1,) * n_several))
        else:
            index.append(codes[0] if codes else slice(None))
    return tuple(index)


def _find_choice(right: Amounts, wrong: Amounts, n_ordered: Sequence[int]) -> Choice:
    """Return the typical condition on one or two axes that is right about most; empty if there is none."""
    covered = float(right.sum())
    best: tuple[float, int, Choice] = (-np.inf, 0, {})
    for condition, is_right, is_wrong in _candidates(right, wrong, n_ordered):
        value = is_right - is_wrong - WORTH_A_SECOND * covered * len(condition)
        rank = (value, -sum(map(len, condition.values())), condition)
        if 2 * is_right > covered and is_right > is_wrong and rank[:2] > best[:2]:
            best = rank
    return best[2]


def _candidates(right: Amounts, wrong: Amounts, n_ordered: Sequence[int]) -> Iterator[tuple[Choice, float, float]]:
    """Go through conditions on one and on two axes, with what they are right and wrong about."""
    singles = {}
    for axis, n in enumerate(n_ordered):
        good, bad = _sum_others(right, [axis]), _sum_others(wrong, [axis])
        singles[axis] = codes = _choose(good - bad, n)
        if codes:
            yield {axis: codes}, float(good[codes].sum()), float(bad[codes].sum())
    for pair in combinations(range(right.ndim), 2):
        tables = _sum_others(right, pair), _sum_others(wrong, pair)
        for first, second in (pair, pair[::-1]):
            good, bad = tables if first < second else (tables[0].T, tables[1].T)
            added = _choose((good - bad)[singles[first]].sum(axis=0), n_ordered[second])
            again = _choose((good - bad)[:, added].sum(axis=1), n_ordered[first])
            for codes in (singles[first], again):
                if codes and added:
                    inside = np.ix_(codes, added)
                    yield {first: codes, second: added}, float(good[inside].sum()), float(bad[inside].sum())


def _sum_others(amounts: Amounts, axes: Sequence[int]) -> Amounts:
    """Sum over all axes but some."""
    return np.asarray(amounts.sum(axis=tuple(axis for axis in range(amounts.ndim) if axis not in axes)))


def _choose(balance: Amounts, n_ordered: int) -> list[int]:
    """Return some states, not all, that are most right, or none; of an order, neighbours."""
    n_states = len(balance)
    if not n_ordered:
        largest = np.argsort(-balance, kind="stable")[: min(MOST_NAMED, n_states - 1)]
        return sorted(code for code in largest.tolist() if balance[code] > 0)
    ends = range(n_ordered + 1)
    runs = [[*range(low, high)] for low in ends for high in ends if 0 < high - low < n_states]
    best = max(runs, key=lambda run: float(balance[run].sum()), default=[])
    return best if balance[best].sum() > 0 else []
