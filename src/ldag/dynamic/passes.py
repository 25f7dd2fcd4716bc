"""Weights carried forward through a history and back: the posterior of everything at every step.

Weights that come in are divided by their sum at every step, whose logarithms add up to that of the history, so that
nothing underflows however long it is. Going back, what the future says of a configuration is its posterior divided by
the weight that it came in with.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ldag.dynamic.steps import CodedDynamics, Step
from ldag.inference import UNOBSERVED, Numbers, Rows


class ImpossibleStep(Exception):
    """What was seen at a step cannot be, after what was seen before."""

    def __init__(self, step: int) -> None:
        super().__init__(step)
        self.step = step


@dataclass(frozen=True, eq=False)
class Moment:
    """A step of a history: its circuit, what is seen in it, and the weights that came in."""

    step: Step
    row: Rows
    coming: Numbers | None
    log_probability: float
    """Of what is seen at the step, given all before."""


def carry_forward(dynamics: CodedDynamics, codes: Rows) -> Iterator[tuple[Moment, Numbers]]:
    """Go through a history of at least as many steps as there are lags; with the weights that go out of each.

    The first slices are one step.
    """
    free = dynamics.free_everywhere(codes)
    rows = dynamics.rows_of_steps(codes)
    step, row = dynamics.first_step(free[0]), dynamics.row_of_first(codes)
    coming: Numbers | None = None
    for number in range(len(free)):
        if number:
            step, row = dynamics.next_step(free[number - 1], free[number]), rows[number - 1 : number]
        circuit = step.weighted(coming)
        log_probability = float(circuit.log_probabilities(row)[0])
        if np.isneginf(log_probability):
            raise ImpossibleStep(number + dynamics.lags - 1)
        going = step.shares(circuit, row)[1] if step.n_going > 1 else np.ones(1)
        yield Moment(step, row, coming, log_probability), going
        coming = going


def filter_steps(dynamics: CodedDynamics, codes: Rows, begin: int = 0) -> Iterator[list[Numbers]]:
    """Go through the posteriors of all variables at each step, given the history up to there; from one on."""
    for step in range(begin, min(dynamics.lags - 1, len(codes))):
        seen = np.full((dynamics.lags, dynamics.n_variables), UNOBSERVED, dtype=np.uint8)
        seen[: step + 1] = codes[: step + 1]
        seen[step + 1 :, dynamics.static] = codes[step, dynamics.static]
        (moment, _), *_ = carry_forward(dynamics, seen)
        yield _posteriors(dynamics, moment, None, step)
    if len(codes) >= dynamics.lags:
        for number, (moment, _) in enumerate(carry_forward(dynamics, codes), dynamics.lags - 1):
            if number >= begin:
                yield _posteriors(dynamics, moment, None, number if number < dynamics.lags else None)


def smooth_steps(dynamics: CodedDynamics, codes: Rows) -> list[list[Numbers]]:
    """Return the posteriors of all variables at each step, given all of the history."""
    moments = [moment for moment, _ in carry_forward(dynamics, codes)]
    going: Numbers | None = None
    result: list[list[Numbers]] = []
    for number in range(len(moments) - 1, -1, -1):
        moment = moments[number]
        places = range(dynamics.lags - 1, -1, -1) if number == 0 else [None]
        result += [_posteriors(dynamics, moment, going, place) for place in places]
        going = _look_back(moment, going) if moment.step.n_coming > 1 else None
    return result[::-1]


def _look_back(moment: Moment, going: Numbers | None) -> Numbers:
    """Return how probable each configuration that came in makes all that comes, but for a factor."""
    assert moment.coming is not None
    shares, _ = moment.step.shares(moment.step.weighted(moment.coming, going), moment.row)
    weights: Numbers = np.divide(shares, moment.coming, out=np.zeros_like(shares), where=moment.coming > 0)
    weights /= weights.max()
    return weights


def _posteriors(dynamics: CodedDynamics, moment: Moment, going: Numbers | None, first: int | None) -> list[Numbers]:
    """Return the posterior of every variable at a step, of the first ones or of any other."""
    places = dynamics.in_step[0] if first is None else dynamics.in_first[first]
    circuit = moment.step.weighted(moment.coming, going)
    _, posteriors = circuit.marginals(moment.row)
    return [posteriors[0, circuit.columns(node)] for node in places]
