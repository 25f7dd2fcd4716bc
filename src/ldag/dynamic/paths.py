"""The most probable path through a history: of all variables, or of some with the others summed out.

Of all variables, weights are carried forward as in sums, each the greatest of all ways that lead there. Of some, this
takes that all which is carried from step to step is among them, so that the others can be summed out within each step.
"""

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from ldag.dynamic.passes import ImpossibleStep
from ldag.dynamic.steps import CodedDynamics, InterfaceTooLarge, Step
from ldag.inference import UNOBSERVED, Numbers, Rows

ROWS_LIMIT = 1 << 20
"""Configurations of what is asked for that are tried at a step, at most."""


class NotStepwise(Exception):
    """Something is carried from step to step that is to be summed out."""


def find_path(dynamics: CodedDynamics, codes: Rows) -> Rows:
    """Return the most probable states of all variables at all steps together."""
    steps, rows = _list_steps(dynamics, codes)
    coming: list[Numbers | None] = [None]
    logs = np.zeros(1)
    for number, (step, row) in enumerate(zip(steps, rows, strict=True)):
        every = _configurations(dynamics, step, row, step.going)
        _, logs = step.weighted(coming[-1]).most_probable(every.rows, 0)
        logs = np.where(every.agrees, logs, -np.inf)
        if np.isneginf(logs.max()):
            raise ImpossibleStep(number + dynamics.lags - 1)
        coming.append(np.exp(logs - logs.max()))
    place = int(logs.argmax())
    result = codes.copy()
    for number in range(len(steps) - 1, -1, -1):
        step = steps[number]
        every = _configurations(dynamics, step, rows[number], step.going)
        best, _ = step.weighted(coming[number]).most_probable(every.rows[place : place + 1])
        _write(dynamics, result, number, best[0])
        shape = [int(step.circuit.n_states[node]) for node in step.coming]
        place = int(np.ravel_multi_index([int(best[0, node]) for node in step.coming], shape)) if shape else 0
    return result


def find_path_of(dynamics: CodedDynamics, codes: Rows, chosen: frozenset[int]) -> Rows:
    """Return the most probable states of some variables at all steps, with the others summed out."""
    steps, rows = _list_steps(dynamics, codes)
    for free in dynamics.free_everywhere(codes):
        if not {v for v, _ in free} <= chosen:
            raise NotStepwise
    logs = np.zeros(1)
    trail: list[tuple[_Every, NDArray[np.intp], NDArray[np.intp]]] = []
    tried: dict[tuple[int, bytes], tuple[_Every, Numbers]] = {}
    for number, (step, row) in enumerate(zip(steps, rows, strict=True)):
        key = (id(step), row.tobytes())
        if key not in tried:
            every = _configurations(dynamics, step, row, _list_nodes(dynamics, step, row, chosen, number == 0))
            own = step.weighted().log_probabilities(every.rows, 0)
            tried[key] = every, np.where(every.agrees, own, -np.inf)
        every, own = tried[key]
        came, goes = every.places(step.coming), every.places(step.going)
        total = own + logs[came]
        order = np.lexsort((-np.arange(len(total)), total, goes))
        last = order[np.flatnonzero(np.diff(goes[order], append=step.n_going))]
        if np.isneginf(total.max()):
            raise ImpossibleStep(number + dynamics.lags - 1)
        logs = total[last] - total.max()
        trail.append((every, last, came))
    place = int(logs.argmax())
    result = np.full_like(codes, UNOBSERVED)
    for number in range(len(steps) - 1, -1, -1):
        every, last, came = trail[number]
        _write(dynamics, result, number, every.rows[last[place]])
        place = int(came[last[place]])
    return result


def _list_steps(dynamics: CodedDynamics, codes: Rows) -> tuple[list[Step], list[Rows]]:
    """Return the circuits of a history, and the rows of evidence for them."""
    free = dynamics.free_everywhere(codes)
    later = dynamics.rows_of_steps(codes)
    steps = [dynamics.first_step(free[0])]
    steps += [dynamics.next_step(free[number], free[number + 1]) for number in range(len(free) - 1)]
    return steps, [dynamics.row_of_first(codes), *(later[number : number + 1] for number in range(len(later)))]


@dataclass(frozen=True, eq=False)
class _Every:
    """A row of evidence with every configuration of some nodes; which rows agree with the evidence."""

    nodes: tuple[int, ...]
    n_states: tuple[int, ...]
    rows: Rows
    agrees: NDArray[np.bool_]

    def places(self, nodes: tuple[int, ...]) -> NDArray[np.intp]:
        """Return the number of the configuration that some of the nodes have in each row."""
        places = np.zeros(len(self.rows), dtype=np.intp)
        for node in nodes:
            places = places * self.n_states[self.nodes.index(node)] + self.rows[:, node]
        return places


def _configurations(dynamics: CodedDynamics, step: Step, row: Rows, nodes: tuple[int, ...]) -> _Every:
    """Return a row of evidence with every configuration of some nodes, the last fastest."""
    shape = tuple(int(step.circuit.n_states[node]) for node in nodes)
    if prod(shape) > ROWS_LIMIT:
        raise InterfaceTooLarge(dynamics.interface, prod(shape))
    rows = np.repeat(row, prod(shape), axis=0)
    own = np.indices(shape, dtype=np.uint8).reshape(len(nodes), prod(shape)).T
    seen = row[0, list(nodes)]
    agrees = ((seen == UNOBSERVED) | (own == seen)).all(axis=1) if nodes else np.ones(1, dtype=np.bool_)
    rows[:, list(nodes)] = own
    return _Every(nodes, shape, rows, agrees)


def _list_nodes(
    dynamics: CodedDynamics, step: Step, row: Rows, chosen: frozenset[int], is_first: bool
) -> tuple[int, ...]:
    """Return the nodes whose states are tried: those that are carried, and what is asked for and not seen."""
    places = dynamics.in_first if is_first else dynamics.in_step[:1]
    asked = [one[v] for one in places for v in sorted(chosen) if row[0, one[v]] == UNOBSERVED]
    return tuple(dict.fromkeys((*step.coming, *step.going, *asked)))


def _write(dynamics: CodedDynamics, result: Rows, number: int, row: Rows) -> None:
    """Write the states of one step, or of the first ones."""
    if number:
        result[number + dynamics.lags - 1, list(dynamics.changing)] = row[
            [dynamics.in_step[0][v] for v in dynamics.changing]
        ]
        return
    for step, nodes in enumerate(dynamics.in_first):
        result[step] = row[list(nodes)]
    result[:, list(dynamics.static)] = result[0, list(dynamics.static)]
