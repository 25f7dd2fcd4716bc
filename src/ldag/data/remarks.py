"""What a result says of the data it was made from: what was left out, and columns that tell nothing new."""

from collections.abc import Iterator
from math import lgamma, log

import numpy as np
from numpy.typing import NDArray

from ldag.data.dataset import Dataset
from ldag.data.gaps import GAP
from ldag.data.notes import Note
from ldag.data.rows import Codes
from ldag.errors import counted, list_names

RARE = 1000
"""Columns that agree are told if of so many tables, that have as many columns without a connection, one has such."""

MOST_LOSSES = 8
"""Notes on what was left out that a result repeats; the others are counted."""


def describe_data(data: Dataset) -> tuple[str, ...]:
    """Return what a result of these data says of them: what was left out, and columns that tell nothing new.

    Reading tells more than that, in the notes of a data set: where measurements were cut, and what may be a mistake.
    """
    losses: list[str] = [note for note in data.notes if isinstance(note, Note) and note.lost]
    more = len(losses) - MOST_LOSSES
    if more > 0:
        losses = [*losses[:MOST_LOSSES], f"{more:,} further notes on what was left out are in the notes of the data"]
    return tuple(dict.fromkeys((*losses, *describe_columns(data))))


def describe_size(data: Dataset, noun: str) -> str:
    """Say how much there is to learn from: so many observations, or with gaps as many as the cells that are seen."""
    if not data.has_gaps:
        return counted(data.total, noun)
    n_seen = f"{data.n_seen:,.0f}" if data.n_seen >= 10 else f"{data.n_seen:.2g}"
    return f"{n_seen} {noun}s' worth of cells that are seen"


def describe_kept_gaps(data: Dataset) -> tuple[str, ...]:
    """Return that gaps were kept and in how many rows, for results whose first lines do not say so."""
    n = data.n_with_gaps
    return (f"gaps in {n:,.10g} of {counted(data.total, 'observation')}: kept",) if n else ()


def describe_gaps(data: Dataset) -> tuple[str, ...]:
    """Return what became of missing cells: rows that were left out, or states that were made of them."""
    return tuple(note for note in data.notes if isinstance(note, Note) and note.of_gaps)


def describe_groups(data: Dataset) -> tuple[str, ...]:
    """Return what a likelihood assumes of rows that belong together, if any do."""
    if data.groups is None or not data.is_grouped:
        return ()
    told = (
        f"rows of one {data.groups.noun} are taken as independent given the model; as far as they are alike beyond it,"
    )
    return (f"{told} they count for fewer, and scores and probabilities are too sure",)


def describe_constant(data: Dataset) -> tuple[str, ...]:
    """Return which columns are the same in all rows of a group."""
    names = [name for name in data.constant_in_groups if data.schema.node(name) not in data.constant_nodes]
    if data.groups is None or not names:
        return ()
    is_each = "is" if len(names) == 1 else "are"
    return (f"{list_names(names)}: {is_each} the same in all rows of a {data.groups.noun}",)


def describe_columns(data: Dataset) -> tuple[str, ...]:
    """Return notes on columns of one state, which take no edges, and on columns that say the same."""
    return (*_describe_constants(data), *(_describe_twins(data, nodes) for nodes in _find_twins(data)))


def _describe_constants(data: Dataset) -> Iterator[str]:
    lowest = {node: int(data.codes[node].min()) for node in data.constant_nodes if not data.schema[node].latent}
    unseen = [data.names[node] for node in sorted(lowest) if lowest[node] == GAP]
    nodes = [node for node in sorted(lowest) if lowest[node] != GAP]
    if unseen:
        take = "it takes" if len(unseen) == 1 else "they take"
        yield f"{list_names(unseen)}: never seen in the data; {take} no edges"
    if len(nodes) == 1:
        variable = data.variables[nodes[0]]
        state = variable.states[lowest[nodes[0]]]
        yield f"{variable.name}: has one state only in the data, {state!r}; it takes no edges"
    elif nodes:
        names = list_names([data.names[node] for node in nodes])
        yield f"{names}: have one state only in the data; they take no edges"


def _describe_twins(data: Dataset, nodes: list[int]) -> str:
    names = list_names([data.names[node] for node in nodes])
    states = [
        [None if code == GAP else data.variables[node].states[code] for code in _in_order_of_rows(data.codes[node])]
        for node in nodes
    ]
    how = "are equal" if all(one == states[0] for one in states) else "only rename each other's states"
    return f"{names}: {how}; each hides what else the others depend on, so keep one"


def _find_twins(data: Dataset) -> list[list[int]]:
    """Return groups of nodes whose states in all rows determine each other, in order; those of one state are in none.

    Where one has a gap, so have the others: a gap is no state that a state of another could mean.

    Only columns whose states are equally common, in whatever order, are compared row by row.
    """
    by_shares: dict[bytes, list[int]] = {}
    for node in range(len(data.schema)):
        if node not in data.constant_nodes:
            shares = np.sort(np.bincount(data.codes[node], minlength=1))
            by_shares.setdefault(shares[shares > 0].tobytes(), []).append(node)
    groups: dict[bytes, list[int]] = {}
    for alike in by_shares.values():
        for node in alike if len(alike) > 1 else ():
            groups.setdefault(_number_anew(data.codes[node]).tobytes(), []).append(node)
    return sorted(nodes for nodes in groups.values() if len(nodes) > 1 and _is_no_chance(data, nodes[0]))


def _is_no_chance(data: Dataset, node: int) -> bool:
    """Whether the states of a variable could stand in so many other orders that another has them by no chance."""
    counts = data.counts(data.names[node], observed=True)[0].tolist()
    log_orders = lgamma(sum(counts) + 1) - sum(lgamma(count + 1) for count in counts)
    return log_orders > log(RARE) + 2 * log(len(data.schema))


def _in_order_of_rows(codes: Codes) -> list[int]:
    """Return the codes that occur, by where they do first."""
    values, first = np.unique(codes, return_index=True)
    return [int(value) for value in values[np.argsort(first)]]


def _number_anew(codes: Codes) -> NDArray[np.uint8]:
    """Return the codes numbered by where they occur first; a gap stays one."""
    order = [code for code in _in_order_of_rows(codes) if code != GAP]
    new = np.full(GAP + 1, GAP, dtype=np.uint8)
    new[order] = np.arange(len(order), dtype=np.uint8)
    return new[codes]
