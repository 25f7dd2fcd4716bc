"""Cut points for one target: where its classes change, as often as that pays (MDLP)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from ldag._native import MAX_STATES
from ldag.data.columns import code_column
from ldag.data.measurements import cut_between
from ldag.data.planning import ColumnPlan, rank_values
from ldag.data.tables import Distinct, Table
from ldag.errors import DataError, argument
from ldag.model import Variable


def cut_for_targets(plans: Sequence[ColumnPlan], table: Table) -> list[ColumnPlan]:
    """Cut measurements for their targets, by the rows of a table; where no cut pays, the median stays."""
    return [_cut_for_target(plan, plans, table) if plan.target else plan for plan in plans]


def _cut_for_target(plan: ColumnPlan, plans: Sequence[ColumnPlan], table: Table) -> ColumnPlan:
    assert plan.binning is not None
    values, classes = _count_classes(plan, _target_of(plan, plans), table)
    if plan.binning.drawn:
        classes = _draw(classes, np.random.default_rng([*plan.binning.drawn, plan.place]))
    cuts = cut_between(values, split_by_target(classes))
    if not cuts:
        return replace(plan, binning=replace(plan.binning, pays=False))
    return replace(plan, variable=Variable.of_bins(plan.name, cuts))


def _target_of(plan: ColumnPlan, plans: Sequence[ColumnPlan]) -> ColumnPlan:
    """Return the column that another is cut for."""
    name, spelled = plan.target, f"{argument('bins')} of {plan.name!r}"
    target = next((other for other in plans if other.name == name), None)
    if target is None:
        raise DataError(f"{spelled}: its target {name!r} is not among the variables that are read")
    if target.target:
        raise DataError(f"{spelled}: its target {name!r} is itself cut for {target.target!r}; give {name!r} other bins")
    return target


def _count_classes(plan: ColumnPlan, target: ColumnPlan, table: Table) -> tuple[Distinct, NDArray[np.float64]]:
    """Return the different values of a column in order, and how often each meets each class; gaps do not count."""
    (column, other), times = table.merge([plan.place, target.place], [None, target.cutting])
    ranked = rank_values(column)
    assert ranked is not None, "other columns are not cut"
    values, places = ranked
    rows = np.append(places, -1)[column.positions]
    coded = code_column(other, target.variable, MAX_STATES, lenient=True)
    classes = np.zeros((len(values), coded.variable.n_states))
    both = (rows >= 0) & ~coded.missing
    np.add.at(classes, (rows[both], coded.codes[both]), 1.0 if times is None else times[both])
    return values, classes


def _draw(classes: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw as many observations with replacement; real weights, which may be small, are those of a row per cell."""
    total = classes.sum()
    n = max(round(total), np.count_nonzero(classes))
    drawn = rng.multinomial(n, classes.ravel() / total).reshape(classes.shape)
    return np.asarray(drawn * (total / n))


def split_by_target(table: NDArray[np.float64]) -> list[int]:
    """Split values in order so that the parts tell of the classes more than describing the split costs (MDLP).

    Fayyad and Irani (1993): the split after which the entropy of the classes is least is made if it gains more than the
    shortest message costs that says where it is and what the classes of both parts are; then each part is split.

    Parameters
    ----------
    table
        How often each value (a row, in order) meets each class.

    Returns
    -------
    The last value, by its number, of every part but the last.
    """
    used = np.flatnonzero(table.sum(axis=1) > 0)
    if len(used) < 2:
        return []
    rows = table[used]
    below = np.cumsum(rows, axis=0)[:-1]
    parts = np.stack([below, rows.sum(axis=0) - below])
    amounts = parts.sum(axis=2)
    entropy = (amounts * _entropy(parts)).sum(axis=0) / amounts.sum(axis=0)
    best = int(np.argmax(entropy <= entropy.min() + 1e-12))
    if not _pays(parts[:, best]):
        return []
    end = int(used[best])
    above = [end + 1 + last for last in split_by_target(table[end + 1 :])]
    return [*split_by_target(table[: end + 1]), end, *above]


def _pays(parts: NDArray[np.float64]) -> bool:
    """Whether a split into two parts gains more bits than describing it costs."""
    whole = parts.sum(axis=0)
    total = whole.sum()
    if total <= 1:  # by weights
        return False
    shares = parts.sum(axis=1) / total
    bits, bits_of_parts = _entropy(whole), _entropy(parts)
    classes, classes_of_parts = (whole > 0).sum(), (parts > 0).sum(axis=1)
    gain = bits - shares @ bits_of_parts
    saved = classes * bits - classes_of_parts @ bits_of_parts
    return bool(gain > (np.log2(total - 1) + np.log2(3.0**classes - 2) - saved) / total)


def _entropy(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the entropy of classes in bits, by their counts in the last axis."""
    shares = counts / counts.sum(axis=-1, keepdims=True)
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return cast("NDArray[np.float64]", -(shares * logs).sum(axis=-1))
