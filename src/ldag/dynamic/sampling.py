"""CodedSeries drawn forward, and particles: series drawn after what was seen, weighted by how probable each makes that.

Particles come in batches that know nothing of each other, and how far the batches' answers scatter is the standard
error. In a batch, particles are drawn anew in proportion to their weights wherever few of them have most of it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ldag.dynamic.steps import CodedDynamics
from ldag.inference import UNOBSERVED, Numbers, Rows
from ldag.model import ClassTable, CodedFamily, Model

N_BATCHES = 20
"""Batches of particles: their scatter tells the standard error to about a sixth."""


@dataclass(frozen=True, eq=False)
class _Draw:
    """One variable to draw: at which place of a window it is, and at which its parents are."""

    place: int
    variable: int
    parents: tuple[tuple[int, int], ...]
    family: CodedFamily
    table: ClassTable

    def shares(self, window: Rows) -> Numbers:
        """Return the distribution in each row of a window: by row, place and variable."""
        cells = np.empty((len(self.parents), len(window)), dtype=np.uint8)
        for axis, (place, variable) in enumerate(self.parents):
            cells[axis] = window[:, place, variable]
        shares: Numbers = self.table[self.family.partition.classes_of_rows(cells)]
        return shares


def _first_draws(dynamics: CodedDynamics) -> list[_Draw]:
    """Return the draws of the first slices in order; a window has a place for each step."""
    where = {node: (step, v) for step, nodes in enumerate(dynamics.in_first) for v, node in enumerate(nodes)}
    return _list_draws(dynamics.first, dynamics.first.structure.order, where)


def _next_draws(dynamics: CodedDynamics) -> list[_Draw]:
    """Return the draws of a step in order; a window has a place for each lag, the last one for now."""
    lags = dynamics.lags
    where = {node: (lags - lag, v) for lag, nodes in enumerate(dynamics.in_step) for v, node in enumerate(nodes)}
    now = {dynamics.in_step[0][v] for v in dynamics.changing}
    order = [node for node in dynamics.transition.structure.order if node in now]
    return _list_draws(dynamics.transition, order, where)


def _list_draws(model: Model, order: Sequence[int], where: dict[int, tuple[int, int]]) -> list[_Draw]:
    families, tables = model.structure.families, model.probabilities
    return [
        _Draw(*where[node], tuple(where[p] for p in families[node].parents), families[node], tables[node])
        for node in order
    ]


def draw_series(dynamics: CodedDynamics, n: int, n_steps: int, rng: np.random.Generator) -> Rows:
    """Draw so many series: an array by series, step and variable. More series begin with the same ones."""
    lags, static = dynamics.lags, list(dynamics.static)
    choices = rng.random((n, max(n_steps, lags), dynamics.n_variables))
    codes = np.zeros((n, max(n_steps, lags), dynamics.n_variables), dtype=np.uint8)
    for draw in _first_draws(dynamics):
        own = _pick(draw.shares(codes[:, :lags]), choices[:, draw.place, draw.variable])
        codes[:, slice(None) if draw.variable in static else draw.place, draw.variable] = (
            own[:, None] if draw.variable in static else own
        )
    draws = _next_draws(dynamics)
    for step in range(lags, n_steps):
        window = codes[:, step - lags : step + 1]
        for draw in draws:
            window[:, lags, draw.variable] = _pick(draw.shares(window), choices[:, step, draw.variable])
    return codes[:, :n_steps]


def _pick(shares: Numbers, choices: Numbers) -> Rows:
    """Return the state of each row into whose part a number between 0 and 1 falls; none that is impossible."""
    ends = np.cumsum(shares, axis=1)
    codes: Rows = (ends <= (choices * ends[:, -1])[:, None]).sum(axis=1).astype(np.uint8)
    return codes


class NoParticles(Exception):
    """No particle agrees with what was seen at a step."""

    def __init__(self, step: int) -> None:
        super().__init__(step)
        self.step = step


def estimate_steps(
    dynamics: CodedDynamics, codes: Rows, n_particles: int, rng: np.random.Generator
) -> Iterator[list[tuple[Numbers, Numbers]]]:
    """Go through estimates of the posterior of every variable at each step given the history so far.

    Each is a distribution and its standard errors.
    """
    size = max(n_particles // N_BATCHES, 1)
    batches = [_Particles(dynamics, size, np.random.default_rng(s)) for s in rng.integers(2**63, size=N_BATCHES)]
    for batch in batches:
        batch.begin(codes[: dynamics.lags])
    for step in range(dynamics.lags - 1, len(codes)):
        if step >= dynamics.lags:
            for batch in batches:
                batch.advance(codes[step], step)
        means = [np.array([batch.means[v] for batch in batches]) for v in range(dynamics.n_variables)]
        yield [(own.mean(axis=0), own.std(axis=0, ddof=1) / np.sqrt(N_BATCHES)) for own in means]


class _Particles:
    """A batch of particles: their last steps, and the logarithms of their weights."""

    def __init__(self, dynamics: CodedDynamics, size: int, rng: np.random.Generator) -> None:
        self._dynamics, self._rng = dynamics, rng
        self._window = np.zeros((size, dynamics.lags + 1, dynamics.n_variables), dtype=np.uint8)
        self._logs = np.zeros(size)
        self._draws = _next_draws(dynamics)
        self.means: dict[int, Numbers] = {}
        """By variable its distribution at the last step."""

    def begin(self, codes: Rows) -> None:
        """Draw the first slices."""
        window = self._window[:, 1:]
        for draw in _first_draws(self._dynamics):
            self._draw(draw, window, int(codes[draw.place, draw.variable]))
        self._settle(codes[-1], self._dynamics.lags - 1)

    def advance(self, row: Rows, step: int) -> None:
        """Draw one step more."""
        self._window[:, :-1] = self._window[:, 1:]
        for draw in self._draws:
            self._draw(draw, self._window, int(row[draw.variable]))
        self._settle(row, step)

    def _draw(self, draw: _Draw, window: Rows, seen: int) -> None:
        shares = draw.shares(window)
        if seen == UNOBSERVED:
            own = _pick(shares, self._rng.random(len(window)))
        else:
            own = np.full(len(window), seen, dtype=np.uint8)
            with np.errstate(divide="ignore"):
                self._logs += np.log(shares[:, seen])
        is_static = draw.variable in self._dynamics.static
        window[:, slice(None) if is_static else draw.place, draw.variable] = own[:, None] if is_static else own

    def _settle(self, row: Rows, step: int) -> None:
        """Work out distributions, and draw particles anew if few of them have most of the weight."""
        largest = self._logs.max()
        if np.isneginf(largest):
            raise NoParticles(step)
        weights = np.exp(self._logs - largest)
        weights /= weights.sum()
        for v, n_states in enumerate(self._dynamics.n_states):
            self.means[v] = np.bincount(self._window[:, -1, v], weights, n_states).astype(np.float64)
        if (row != UNOBSERVED).any() and 2.0 / (weights**2).sum() < len(weights):
            ends = np.cumsum(weights)
            marks = (np.arange(len(weights)) + self._rng.random()) / len(weights) * ends[-1]
            self._window = self._window[np.searchsorted(ends, marks, side="right").clip(max=len(weights) - 1)]
            self._logs = np.zeros(len(weights))
