"""Gaps of a table filled by several networks, each as far as its weight and the row speak for it."""

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ldag.inference import UNOBSERVED, Numbers, Rows, row_uniforms
from ldag.network import (
    Imputation,
    ImputeOptions,
    IncompleteRows,
    Network,
    cell_posteriors,
    draw_properly,
    fill_cells,
    impute_table,
)

T = TypeVar("T")

CELLS = 1 << 24
"""Codes of candidates that are held at once."""


def impute_by_members(
    members: Sequence[Network], shares: Numbers, data: T, n: int | None, options: ImputeOptions
) -> T | list[T]:
    """Return a table with its gaps filled by networks with weights, or several."""
    own = options.get("by", "row"), options.get("proper", False), options.get("rng")
    how = Imputation.check(n, *own)
    schema, unseen = members[0].ldag.schema, options.get("unseen", "error")
    return impute_table(schema, data, how, unseen, lambda rows: complete_by_members(members, shares, rows, how))


def complete_by_members(
    members: Sequence[Network], shares: Numbers, rows: IncompleteRows, how: Imputation
) -> Iterator[Rows]:
    """Go through completions of rows by networks with weights.

    Draws have a member for each row, by its weight given the row; proper ones have one for each table, by its weight,
    whose parameters are drawn too. What is most probable by cell is exact; by row, it is the most probable of what each
    member finds most probable.
    """
    wanted = rows.codes[rows.is_wanted]
    if not len(wanted):
        yield from repeat(rows.back(rows.codes), how.n or 1)
        return
    if how.proper:
        yield from _draw_properly(members, shares, rows, how)
        return
    weights = _weigh(members, shares, rows)
    if how.n is not None:
        yield from map(rows.put, _draw(members, weights, wanted, how.n, how.seed))
    elif how.by == "cell":
        yield rows.put(fill_cells(rows, lambda node, some: _posteriors(members, weights, node, some, wanted)))
    else:
        step = max(1, CELLS // (len(members) * wanted.shape[1]))
        parts = [wanted[begin : begin + step] for begin in range(0, len(wanted), step)]
        yield rows.put(np.concatenate([_most_probable(members, shares, part) for part in parts]))


def _draw_properly(
    members: Sequence[Network], shares: Numbers, rows: IncompleteRows, how: Imputation
) -> Iterator[Rows]:
    """Go through completions each of which has a member, and parameters of it, of its own."""
    for number in range(how.n or 1):
        own, choice = np.random.SeedSequence([how.seed, number]).spawn(2)
        member = np.random.default_rng(choice).choice(len(members), p=shares)
        yield from draw_properly(members[member].asking, rows, 1, int(own.generate_state(1, np.uint64)[0] >> 1))


def _weigh(members: Sequence[Network], shares: Numbers, rows: IncompleteRows) -> Numbers:
    """Return the weights of members given each row with gaps, which sum to 1: a row per member."""
    logs = _log_rows(members, shares, rows.codes[rows.is_wanted])
    largest = logs.max(axis=0)
    rows.refuse(np.isneginf(largest))
    weights = np.exp(logs - largest)
    return np.asarray(weights / weights.sum(axis=0))


def _log_rows(members: Sequence[Network], shares: Numbers, rows: Rows) -> Numbers:
    """Return the log of the weight of each member times the probability of rows under it."""
    with np.errstate(divide="ignore"):
        logs = np.log(shares)[:, None]
    return np.asarray(logs + [m.asking.completions().log_probabilities(m.probabilities, rows) for m in members])


def _draw(members: Sequence[Network], weights: Numbers, rows: Rows, n: int, seed: int) -> Rows:
    """Return n completions of every row, each by a member drawn for it."""
    limits = np.cumsum(weights, axis=0)[:-1]
    chosen = (row_uniforms(rows, n, seed)[:, None] >= limits).sum(axis=1)
    drawn = np.repeat(rows[None], n, axis=0)
    for number, member in enumerate(members):
        mine = np.flatnonzero((chosen == number).any(axis=0))
        if len(mine):
            own = member.asking.completions().draw(member.probabilities, rows[mine], n, seed)
            drawn[:, mine] = np.where((chosen[:, mine] == number)[:, :, None], own, drawn[:, mine])
    return drawn


def _posteriors(members: Sequence[Network], weights: Numbers, node: int, some: NDArray[np.intp], rows: Rows) -> Numbers:
    """Return the posterior of a node in some of the rows, averaged over members; impossible ones have no weight."""
    total = np.zeros((len(some), members[0].variables[node].n_states))
    for member, weight in zip(members, weights, strict=True):
        possible = np.flatnonzero(weight[some] > 0)
        shares = cell_posteriors(member.asking, node, rows[some[possible]])
        total[possible] += weight[some[possible], None] * shares
    return total


def _most_probable(members: Sequence[Network], shares: Numbers, rows: Rows) -> Rows:
    """Return for each row, of what each member finds most probable, what all of them together do."""
    own = [m.asking.completions().most_probable(m.probabilities, rows)[0] for m in members]
    candidates, places = np.concatenate(own), np.tile(np.arange(len(rows)), len(members))
    is_possible = (candidates != UNOBSERVED).all(axis=1)
    candidates, places = candidates[is_possible], places[is_possible]
    tagged = np.column_stack([places.astype(">u4").view(np.uint8).reshape(-1, 4), candidates])
    keys = np.ascontiguousarray(tagged).view(np.dtype((np.void, tagged.shape[1]))).reshape(-1)
    _, first = np.unique(keys, return_index=True)
    candidates, places = candidates[first], places[first]
    logs = np.logaddexp.reduce(_log_rows(members, shares, candidates), axis=0)
    best = np.lexsort((-logs, places))
    return np.asarray(candidates[best[np.searchsorted(places[best], np.arange(len(rows)))]])
