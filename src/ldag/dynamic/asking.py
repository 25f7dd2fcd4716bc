"""How a dynamic network is asked: histories are read, questions answered by number, and answers named."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import fsum

import numpy as np

from ldag.data import Clock, Dataset, Groups, Times
from ldag.dynamic.coding import Columns, code_networks
from ldag.dynamic.histories import CodedSeries, know_static, read_histories, read_one, tell_short
from ldag.dynamic.passes import ImpossibleStep, carry_forward, filter_steps, smooth_steps
from ldag.dynamic.paths import NotStepwise, find_path, find_path_of
from ldag.dynamic.sampling import N_BATCHES, NoParticles, draw_series, estimate_steps
from ldag.dynamic.steps import INTERFACE_LIMIT, CodedDynamics, InterfaceTooLarge
from ldag.dynamic.unrolling import unroll_model
from ldag.errors import ArgumentError, ImpossibleEvidence, TooLarge, argument, by_door, counted, list_names
from ldag.formats import spell_lag, spell_step
from ldag.graph import LDAG
from ldag.inference import UNOBSERVED, Numbers, Rows, TooManyGates
from ldag.model import Schema, State
from ldag.network import Marginals, Network

Likely = dict[State | None, float]
"""Log probabilities by the label of the series."""

GROUPS, TIMES = "series", "step"
"""What the columns of a drawn panel are called where the network does not say."""


@dataclass(frozen=True, eq=False)
class Asked:
    """What answering needs: the model by number, the variables of a slice, and what columns are called."""

    dynamics: CodedDynamics
    schema: Schema
    groups: str | None
    clock: Clock | None

    @classmethod
    def of(
        cls, first: Network, transition: Network, columns: Columns, groups: str | None, clock: Clock | None
    ) -> "Asked":
        """Put it together."""
        schema = transition.ldag.schema
        own = Schema(tuple(schema[schema.node(name)] for name in (*columns.static, *columns.changing)))
        return cls(code_networks(first, transition, columns), own, groups, clock)

    def read(self, history: object) -> CodedSeries:
        """Read the history of one series."""
        return read_one(history, self.schema, self.groups, self.clock)

    def name(self, posteriors: Sequence[Numbers], said: str) -> Marginals:
        """Return distributions by name and state."""
        named = {
            variable.name: dict(zip(variable.states, own.tolist(), strict=True))
            for variable, own in zip(self.schema, posteriors, strict=True)
        }
        return Marginals(named, said)

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn what went wrong into errors that name steps and variables."""
        try:
            yield
        except ImpossibleStep as error:
            raise ImpossibleEvidence(
                f"the history has probability zero in this network: step {error.step + 1} cannot follow the ones before"
            ) from None
        except InterfaceTooLarge as error:
            names = [spell_lag(self.schema[v].name, back) for v, back in error.slots]
            raise TooLarge(
                f"{counted(len(names), 'variable')} that were not seen have to be carried from step to step together,"
                f" {error.n_cells:,} configurations, and at most {INTERFACE_LIMIT:,} are: {list_names(names, 12)};"
                f" observe some of them{self._or_sample()}"
            ) from None
        except TooManyGates as error:
            raise TooLarge(
                f"one step takes sums and products with more than {error.max_size:,} arguments; observe more of what"
                f" changes{self._or_sample()}"
            ) from None

    @staticmethod
    def _or_sample() -> str:
        return by_door(", or use forecast(..., method='sample')", ", or use --method sample")


def filter_history(asked: Asked, history: object) -> list[Marginals]:
    """Return the distributions at each step given the history so far."""
    series = asked.read(history)
    codes = know_static(series, asked.schema, asked.dynamics.static, so_far=True)
    with asked.explained():
        steps = [*filter_steps(asked.dynamics, codes)]
    return [asked.name(one, f"step {number + 1}, given the steps up to it") for number, one in enumerate(steps)]


def smooth_history(asked: Asked, history: object) -> list[Marginals]:
    """Return the distributions at each step given all of the history."""
    series = asked.read(history)
    codes = know_static(series, asked.schema, asked.dynamics.static, asked.dynamics.lags)
    with asked.explained():
        steps = smooth_steps(asked.dynamics, codes)[: len(series)]
    return [asked.name(one, f"step {number + 1}, given all steps") for number, one in enumerate(steps)]


def forecast_exactly(asked: Asked, history: object, steps: int, names: Sequence[str]) -> list[Marginals]:
    """Return the distributions at the steps to come."""
    series, codes = _read_ahead(asked, history, steps)
    with asked.explained():
        ahead = [*filter_steps(asked.dynamics, codes, len(series))]
    return [_choose(asked.name(one, _say_ahead(series, number)), names) for number, one in enumerate(ahead)]


def _read_ahead(asked: Asked, history: object, steps: int) -> tuple[CodedSeries, Rows]:
    series = asked.read(history)
    tell_short(len(series), asked.dynamics.lags)
    return series, know_static(series, asked.schema, asked.dynamics.static, len(series) + steps)


def _say_ahead(series: CodedSeries, number: int) -> str:
    after = "the last" if series.last is None else str(series.last)
    if not len(series):
        return f"step {number + 1}"
    return f"{counted(number + 1, 'step')} after {after}"


def _choose(marginals: Marginals, names: Sequence[str]) -> Marginals:
    return Marginals({name: marginals[name] for name in names}, marginals.said)


def forecast_by_sampling(
    asked: Asked, history: object, steps: int, names: Sequence[str], n_samples: int, rng: np.random.Generator
) -> list[Marginals]:
    """Return estimates of the distributions at the steps to come, with standard errors."""
    if n_samples < 2 * N_BATCHES:
        raise ArgumentError(f"{argument('n_samples')} must be at least {2 * N_BATCHES}, got {n_samples}")
    series, codes = _read_ahead(asked, history, steps)
    if len(codes) < asked.dynamics.lags:
        codes = know_static(replace(series, codes=codes), asked.schema, asked.dynamics.static, asked.dynamics.lags)
    try:
        estimates = [*estimate_steps(asked.dynamics, codes, n_samples, rng)]
    except NoParticles as error:
        raise ImpossibleEvidence(
            f"no series that was drawn agrees with the history at step {error.step + 1}: it is impossible, or so"
            f" improbable that {counted(n_samples, 'sample')} do not show it; give more {argument('n_samples')}"
        ) from None
    result = []
    for number, one in enumerate(estimates[-steps:]):
        answer = _choose(asked.name([mean for mean, _ in one], _say_ahead(series, number)), names)
        answer.standard_errors = _choose(asked.name([error for _, error in one], ""), names)
        result.append(answer)
    return result


def find_most_probable(asked: Asked, history: object, names: Sequence[str] | None) -> list[dict[str, State]]:
    """Return the most probable path of some variables, or of all."""
    series = asked.read(history)
    dynamics = asked.dynamics
    codes = know_static(series, asked.schema, dynamics.static, dynamics.lags)
    nodes = tuple(range(len(asked.schema))) if names is None else asked.schema.nodes(names)
    with asked.explained():
        if names is None or len(nodes) == len(asked.schema):
            path = find_path(dynamics, codes)
        else:
            try:
                path = find_path_of(dynamics, codes, frozenset(nodes))
            except NotStepwise:
                path = _ask_unrolled(asked, codes, nodes)
    path = np.where(codes == UNOBSERVED, path, codes)
    return [{asked.schema[v].name: asked.schema[v].states[row[v]] for v in nodes} for row in path[: len(series)]]


def _ask_unrolled(asked: Asked, codes: Rows, nodes: Sequence[int]) -> Rows:
    """Return the most probable states of variables over all steps at once, by tables over all of them."""
    net = unroll(asked, len(codes))
    path = codes.copy()
    names = {(step, v): _spell_place(asked, step, v) for step in range(len(codes)) for v in range(len(asked.schema))}
    given = {
        name: asked.schema[v].states[codes[step, v]]
        for (step, v), name in names.items()
        if codes[step, v] != UNOBSERVED
    }
    wanted = dict.fromkeys(names[step, v] for step in range(len(codes)) for v in nodes if names[step, v] not in given)
    best = net.most_probable(given, of=[*wanted]) if wanted else {}
    for (step, v), name in names.items():
        if name in best:
            path[step, v] = asked.schema[v].code(best[name])
    return path


def _spell_place(asked: Asked, step: int, v: int) -> str:
    name = asked.schema[v].name
    return name if v in asked.dynamics.static else spell_step(name, step)


def sum_logs(asked: Asked, panel: object) -> Likely:
    """Return the log probability of each series."""
    dynamics = asked.dynamics
    result: Likely = {}
    for series in read_histories(panel, asked.schema, asked.groups, asked.clock):
        codes = know_static(series, asked.schema, dynamics.static, dynamics.lags)
        try:
            with asked.explained():
                logs = [moment.log_probability for moment, _ in carry_forward(dynamics, codes)]
            result[series.label] = fsum(logs)
        except ImpossibleEvidence:
            result[series.label] = -np.inf
    return result


def unroll(asked: Asked, n_steps: int) -> Network:
    """Return the ordinary network over so many steps."""
    model, places = unroll_model(asked.dynamics, n_steps)
    variables = tuple(replace(asked.schema[v], name=_spell_place(asked, step, v)) for step, v in places)
    return Network(LDAG(Schema(variables), model.structure), model.probabilities)


def draw_panel(asked: Asked, n: int, n_steps: int, rng: np.random.Generator) -> Dataset:
    """Draw series as a panel."""
    codes = draw_series(asked.dynamics, n, n_steps, rng).reshape(n * n_steps, -1)
    own = np.repeat(np.arange(n, dtype=np.int32), n_steps)
    steps = np.tile(np.arange(n_steps), n)
    names = [*asked.schema.names]
    groups = Groups(_free_name(asked.groups or GROUPS, names), tuple(range(1, n + 1)), own)
    clock = asked.clock
    step = clock.step if clock is not None and clock.kind == "numbers" and isinstance(clock.step, int | float) else 1
    labels = np.array([*(1 + steps * step).tolist(), None], dtype=object)[:-1]
    name = _free_name(TIMES if clock is None else clock.name, names)
    times = Times(name, "numbers", steps.astype(np.int64), labels, step)
    return Dataset.from_codes(asked.schema, np.ascontiguousarray(codes.T), None, None, groups, times)


def _free_name(name: str, names: Sequence[str]) -> str:
    while name in names:
        name += "_"
    return name
