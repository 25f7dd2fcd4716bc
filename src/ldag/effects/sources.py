"""What formulas are evaluated on: data, networks and posteriors, as one table or as draws of it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ldag.checks import Rng, check_seed, check_whole
from ldag.data import AnyTable, Dataset, Reading, ReadOptions, check_data, note_ignored, read_for, read_table
from ldag.effects.formulas import Draws
from ldag.errors import ArgumentError, DataError, option, suggest, tell
from ldag.graph import LDAG
from ldag.learning import Fit
from ldag.model import Schema
from ldag.network import Network
from ldag.scoring import check_equivalent_sample_size
from ldag.uncertainty import Mixture, Posterior

JOINT_CELLS = 1 << 12
"""Cells of a table that is drawn as a whole, so that all its conditionals are of one draw."""
CELLS_AT_ONCE = 1 << 22
"""Numbers that are drawn and held at once: 32 MB."""
FEW = 0.1
"""Gamma variables of a smaller shape may be too small for a number, and are drawn by their logarithm."""
ONE_STICK = 0.01
"""A stratum whose prior counts for less than so many observations has nearly all of it on one state in a draw."""
N_DRAWS = 1000
"""Draws of a table for an interval."""
N_GRAPHS = 500
"""Graphs of a posterior that are drawn for it, as for its own answers."""
JOINT_ANSWER = 1 << 18
"""Cells of a table that a network is asked for at once."""
SIDE_BY_SIDE = 1 << 12
"""Configurations up to which draws of a network's parameters are worked out side by side."""
MOST_AXES = 24
"""Variables up to which they are; some may have one state only."""

AnySource: TypeAlias = "AnyTable | Network | Fit | Posterior | Mixture"
"""What an effect can be evaluated on."""


class NumberSource:
    """A source that knows its variables, what is to be said of it, and how to be taken in parts that fit memory."""

    @property
    def schema(self) -> Schema:
        """The graph's variables."""
        raise NotImplementedError

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be known of where the numbers come from."""
        raise NotImplementedError

    @property
    def n_states(self) -> tuple[int, ...]:
        """States of every variable, by number."""
        return self.schema.n_states

    def conditional(self, of: tuple[int, ...], given: tuple[int, ...]) -> Draws:
        """Return P(of | given) as an array (draws, states of each of ``of``, states of each of ``given``)."""
        raise NotImplementedError

    def parts(self) -> "Iterator[NumberSource]":
        """Go through sources that together have all draws, in their order."""
        yield self


def take_source(
    thing: AnySource,
    graph: LDAG,
    needs: Sequence[int],
    *,
    n_draws: int | None = None,
    equivalent_sample_size: float | None = None,
    rng: Rng = None,
    apart: Sequence[int] = (),
    reading: Reading | None = None,
) -> NumberSource:
    """Return what formulas that read some variables are evaluated on: one table, or with ``n_draws`` draws of it.

    One table has relative frequencies, or what a network or posterior says on average. Draws of data are from the
    Dirichlet posterior of the table over ``needs``, the prior, of one observation unless it is said, spread evenly;
    those of a network or posterior are of parameters, and of graphs.
    """
    if n_draws is not None:
        check_whole(n_draws, "n_draws")
    seed = check_seed(rng)
    if isinstance(thing, Fit):
        thing = thing.network
    if isinstance(thing, Network | Posterior | Mixture):
        for name in (*(reading or {}), *(["equivalent_sample_size"] if equivalent_sample_size is not None else [])):
            raise ArgumentError(f"{option(name)} is for tables, and this is a {type(thing).__name__}; leave it out")
        return _ask(thing, graph.schema, tuple(needs), n_draws, seed)
    graph, data = take_table(graph, thing, needs, reading)
    table = CountedTable(graph.schema, tuple(needs), data)
    if n_draws is None:
        if equivalent_sample_size is not None:
            raise ArgumentError(f"{option('equivalent_sample_size')} is for intervals; relative frequencies have none")
        return MeanSource(table)
    size = 1.0 if equivalent_sample_size is None else check_equivalent_sample_size(equivalent_sample_size)
    return DirichletSource(table, size, n_draws, tuple(apart), (seed,))


def take_table(
    graph: LDAG, data: AnyTable, needs: Sequence[int], reading: Reading | None = None
) -> tuple[LDAG, Dataset]:
    """Return the columns that are needed, without rows that have gaps in them, and the graph with their states."""
    names = [graph.schema[node].name for node in needs]
    part, undeclared = graph.schema.reordered(needs), graph.undeclared & set(names)
    if isinstance(data, Dataset):
        _check_columns(names, data.names, data.notes)
        known = check_data(data.select(names), part, reading, undeclared)
    else:
        options = ReadOptions(**{"missing": "keep", **(reading or {})})  # type: ignore[arg-type]
        table = read_table(data, options)
        _check_columns(names, table.names)
        known = read_for(table, part, options, undeclared)
        others = [name for name in table.names if name not in {*names, options.counts, options.weights, *options.aside}]
        known = replace(known, notes=tuple(note for note in known.notes if note != note_ignored(others)))
    known = known.complete_rows()
    if not isinstance(data, Dataset):
        tell(known.notes)
    if not known.total:
        raise DataError(
            "every row has a gap in a column that the effect is worked out from, so there is nothing to evaluate"
        )
    stated = graph.with_states(known.variables)
    return stated, known.aligned_to(stated.schema.reordered(needs))


def _check_columns(names: Sequence[str], known: Sequence[str], notes: Sequence[str] = ()) -> None:
    """Refuse data that do not have what the formula reads; notes may say where it went."""
    for name in names:
        if name not in known:
            others = suggest(name, known).replace("expected one of", "they have").replace("expected", "they have")
            told = f" ({'; '.join(notes)})" if notes else ""
            raise DataError(
                f"the data have no column {name!r}, which the effect is worked out from{others}{told}; give data that"
                " have it, or ask for an effect that does without"
            )


@dataclass(frozen=True, eq=False)
class CountedTable:
    """Counts of some of a graph's variables."""

    schema: Schema
    needs: tuple[int, ...]
    """The columns of the data, by number."""
    data: Dataset

    @property
    def n_cells(self) -> int:
        """How many cells a table over all columns has."""
        return prod(self.schema.n_states[node] for node in self.needs)

    def shape(self, nodes: Sequence[int]) -> list[int]:
        """Return how many states nodes have."""
        return [self.schema.n_states[node] for node in nodes]

    def count(self, nodes: Sequence[int]) -> NDArray[np.float64]:
        """Return how often nodes have which states, an axis each."""
        if not nodes:
            return np.full((), float(self.data.total))
        counts = self.data.columns.counts([self.needs.index(node) for node in nodes])
        return np.asarray(counts, dtype=np.float64).reshape(self.shape(nodes))


@dataclass(frozen=True, eq=False)
class CountSource(NumberSource):
    """A source whose numbers come from counts."""

    table: CountedTable
    size: float = 0.0
    """How many observations the prior counts for; they are spread evenly over the cells."""

    @property
    def schema(self) -> Schema:
        """The graph's variables."""
        return self.table.schema

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done to the data."""
        return self.table.data.notes


@dataclass(frozen=True, eq=False)
class MeanSource(CountSource):
    """Relative frequencies, or with a prior the means of their posterior.

    Where a stratum was never visited and there is no prior, nothing is known, and ``fill`` stands in their place.
    """

    fill: float = 0.0

    def conditional(self, of: tuple[int, ...], given: tuple[int, ...]) -> Draws:
        """Return relative frequencies."""
        counts = self.table.count((*of, *given))
        flat = (counts + self.size / counts.size).reshape([-1, prod(self.table.shape(given))])
        total = flat.sum(axis=0)
        known = np.where(total > 0, flat / np.where(total > 0, total, 1.0), self.fill)
        return known.reshape([1, *counts.shape])


@dataclass(frozen=True, eq=False)
class DirichletSource(CountSource):
    """Draws from the posterior of a table of counts under a Dirichlet prior that is spread evenly over its cells.

    A table of up to 4,096 cells is drawn as a whole. Of a larger one, every conditional distribution is drawn by
    itself, at the cost of the strata that the data visit: each has the right distribution, and different ones are
    independent. So they are where each is of what the others are given, as in an adjustment, P(s) and P(y | x, s), and
    in the front door; elsewhere, as of P(y | x) and P(y | x, s), that is only roughly right.

    Strata that the data never visit are drawn alike, those at different states of ``apart`` (the treatments) aside:
    each has its prior, and a sum over many of them stays as unsure as each is. Drawn one by one they would average out,
    and an interval that rests on no data would look sure.
    """

    n_draws: int = 1
    apart: tuple[int, ...] = ()
    seed: tuple[int, ...] = (0,)
    _logs: list[Draws] = field(default_factory=list)

    def conditional(self, of: tuple[int, ...], given: tuple[int, ...]) -> Draws:
        """Return drawn conditional distributions; those of a stratum that was never visited are the prior's."""
        wanted = (*of, *given)
        sizes = [prod(self.table.shape(nodes)) for nodes in (of, given)]
        if self.table.n_cells > JOINT_CELLS:
            counts = self.table.count(wanted).reshape(sizes)
            rng = np.random.default_rng([*self.seed, len(of), *wanted])
            drawn = draw_strata(counts, self.size, self.n_draws, rng)
            return self._join_empty(drawn, given).reshape([self.n_draws, *self.table.shape(wanted)])
        axes = [1 + self.table.needs.index(node) for node in wanted]
        rest = [axis for axis in range(1, 1 + len(self.table.needs)) if axis not in axes]
        logs = self._draw_cells().transpose([0, *axes, *rest]).reshape([self.n_draws, *sizes, -1])
        return self._join_empty(share_out(logs), given).reshape([self.n_draws, *self.table.shape(wanted)])

    def _join_empty(self, drawn: Draws, given: tuple[int, ...]) -> Draws:
        """Give all strata without rows, of one setting, the draws of the first of them; axes: draws, of, strata."""
        rows = self.table.count(given)
        settings = np.zeros(rows.shape, dtype=np.int64)
        for axis, node in enumerate(given):
            if node in self.apart:
                states = np.arange(rows.shape[axis]).reshape([-1 if i == axis else 1 for i in range(rows.ndim)])
                settings = settings * rows.shape[axis] + states
        empty = np.flatnonzero(rows.reshape(-1) == 0)
        _, first, place = np.unique(settings.reshape(-1)[empty], return_index=True, return_inverse=True)
        drawn[:, :, empty] = drawn[:, :, empty[first][place.reshape(-1)]]
        return drawn

    def _draw_cells(self) -> Draws:
        """Return the logarithms of gamma variables, which are in the proportions of probabilities; drawn once."""
        if not self._logs:
            counts = self.table.count(self.table.needs)
            shapes = (counts + self.size / counts.size).reshape(-1)
            logs = log_gammas(shapes, self.n_draws, np.random.default_rng(self.seed))
            self._logs.append(logs.reshape([self.n_draws, *counts.shape]))
        return self._logs[0]

    def parts(self) -> Iterator[NumberSource]:
        """Go through sources of so few draws each that they fit memory."""
        n_each = max(8, CELLS_AT_ONCE // min(self.table.n_cells, CELLS_AT_ONCE))
        for number, first in enumerate(range(0, self.n_draws, n_each)):
            n_draws = min(n_each, self.n_draws - first)
            yield replace(self, n_draws=n_draws, seed=(*self.seed, number), _logs=[])


def log_gammas(shapes: NDArray[np.float64], n_draws: int, rng: np.random.Generator) -> Draws:
    """Draw logarithms of gamma variables, a row per draw, also where the variables are too small for a number."""
    few = shapes < FEW
    logs = np.log(rng.standard_gamma(np.where(few, shapes + 1, shapes), (n_draws, len(shapes))))
    logs[:, few] -= rng.standard_exponential((n_draws, int(few.sum()))) / shapes[few]
    return np.asarray(logs)


def draw_strata(counts: NDArray[np.float64], size: float, n_draws: int, rng: np.random.Generator) -> Draws:
    """Draw conditional distributions from counts (states, strata), without a number for every cell that is empty.

    Gamma variables add up: of every cell with rows one is drawn, and of the whole prior of a stratum one more, which is
    then broken into sticks that fall on random states (a Dirichlet process, exact but for the last stick, which keeps
    what is left). A stratum without rows is its prior alone.
    """
    n_cells, n_strata = counts.shape
    each = size / n_strata
    cells, strata = np.nonzero(counts)
    visited = counts.any(axis=0)
    number = np.cumsum(visited) - 1
    logs = log_gammas(counts[cells, strata], n_draws, rng)
    of_prior = log_gammas(np.full(int(visited.sum()), each), n_draws, rng)
    top = of_prior.copy()
    np.maximum.at(top.T, number[strata], logs.T)
    drawn = np.zeros((n_draws, n_cells, n_strata))
    drawn[:, cells, strata] = np.exp(logs - top[:, number[strata]])
    left = np.ones((n_draws, n_strata))
    left[:, visited] = np.exp(of_prior - top)
    n_sticks = 1 if each < ONE_STICK else 1 + int(np.ceil(20 * each))
    for stick in range(n_sticks):
        part = left * rng.beta(1.0, each, left.shape) if stick < n_sticks - 1 else left
        drawn[np.arange(n_draws)[:, None], rng.integers(n_cells, size=left.shape), np.arange(n_strata)] += part
        left = left - part
    return np.asarray(drawn / drawn.sum(axis=1, keepdims=True))


def share_out(logs: Draws) -> Draws:
    """Return the conditional distributions of logarithms (draws, of, given, rest): the rest is summed out."""
    parts = np.exp(logs - logs.max(axis=(1, 3), keepdims=True)).sum(axis=3)
    return np.asarray(parts / parts.sum(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False)
class AnswerSource(NumberSource):
    """What a network or posterior answers about some variables: one table, or one for each draw of its parameters."""

    variables: Schema
    needs: tuple[int, ...]
    ask: Callable[[tuple[int, ...]], Draws]
    """Returns the joint distributions (draws, an axis per node)."""
    n_draws: int = 1
    remarks: tuple[str, ...] = ()
    _joints: dict[tuple[int, ...], Draws] = field(default_factory=dict)

    @property
    def schema(self) -> Schema:
        """The graph's variables."""
        return self.variables

    @property
    def notes(self) -> tuple[str, ...]:
        """What is said of the network."""
        return self.remarks

    def conditional(self, of: tuple[int, ...], given: tuple[int, ...]) -> Draws:
        """Return conditional distributions; where what is given is impossible, all states are alike."""
        wanted = (*of, *given)
        size = prod(self.n_states[node] for node in self.needs)
        is_small = size <= JOINT_ANSWER and self.n_draws * size <= CELLS_AT_ONCE
        whole = self.needs if is_small else tuple(sorted(wanted))
        if whole not in self._joints:
            self._joints[whole] = self.ask(whole)
        joint = self._joints[whole]
        rest = tuple(1 + axis for axis, node in enumerate(whole) if node not in wanted)
        kept = [node for node in whole if node in wanted]
        table = joint.sum(axis=rest).transpose([0, *(1 + kept.index(node) for node in wanted)])
        total = table.sum(axis=tuple(range(1, 1 + len(of))), keepdims=True)
        even = 1 / prod(self.n_states[node] for node in of)
        return np.where(total > 0, table / np.where(total > 0, total, 1.0), even)


def _ask(
    thing: Network | Posterior | Mixture, schema: Schema, needs: tuple[int, ...], n_draws: int | None, seed: int
) -> AnswerSource:
    """Return the source of what a network or posterior answers; the same seed draws the same for every question."""
    known = thing.ldag.schema if isinstance(thing, Network) else thing.schema
    orders = {node: _state_places(schema, known, node) for node in needs}
    drawer = thing.mixture(min(n_draws, N_GRAPHS), seed) if isinstance(thing, Posterior) and n_draws else thing

    def ask(nodes: tuple[int, ...]) -> Draws:
        names = [schema[node].name for node in nodes]
        if n_draws is None:
            mean = np.array(list(thing.query(names).values())).reshape([1, *(len(orders[node]) for node in nodes)])
            return _in_order(mean, [orders[node] for node in nodes])
        assert not isinstance(drawer, Posterior)
        drawn = draw_joint(drawer, names, n_draws, seed) if isinstance(drawer, Network) else None
        if drawn is None:
            drawn = drawer.draw_answers(names, n_draws=n_draws, rng=seed)
        return _in_order(drawn, [orders[node] for node in nodes])

    notes = (*(getattr(thing, "notes", ())),)
    if isinstance(thing, Network) and thing.em is not None and n_draws:
        notes = ("the network was estimated from data with gaps, and intervals take expected counts for counts",)
    return AnswerSource(schema, needs, ask, n_draws or 1, notes)


def draw_joint(net: Network, names: Sequence[str], n_draws: int, seed: int) -> Draws | None:
    """Return the joint distributions of some variables for draws of a network's parameters, all draws side by side.

    None if the variables and what is above them have too many configurations, or the network no posterior: then it is
    asked draw by draw. The same seed draws the same parameters for any variables.
    """
    structure, nodes = net.ldag.structure, net.ldag.schema.nodes(names)
    above = sorted(structure.ancestors(nodes))
    size = prod(structure.n_states[node] for node in above)
    if net.learned is None or size > SIDE_BY_SIDE or n_draws * size > CELLS_AT_ONCE or len(above) > MOST_AXES:
        return None
    axis = {node: 1 + place for place, node in enumerate(above)}
    operands: list[object] = []
    for node in above:
        family, posterior = structure.families[node], net.learned.posteriors[node]
        shapes = posterior.prior + posterior.counts
        logs = log_gammas(shapes.reshape(-1), n_draws, np.random.default_rng([seed, node]))
        by_class = share_out(logs.reshape(n_draws, *shapes.shape, 1).transpose(0, 2, 1, 3))
        shape = [structure.n_states[other] for other in (node, *family.parents)]
        table = by_class[:, :, family.partition.to_array()].reshape(n_draws, *shape)
        operands += [table, [0, axis[node], *(axis[parent] for parent in family.parents)]]
    return np.asarray(np.einsum(*operands, [0, *(axis[node] for node in nodes)], optimize="greedy"))  # type: ignore[call-overload]


def _state_places(schema: Schema, known: Schema, node: int) -> list[int]:
    """Return where a graph's states are among those of a network, which must have the same."""
    mine = schema[node]
    if mine.name not in known.names:
        raise ArgumentError(f"the network has no variable {mine.name!r}, which the effect is worked out from")
    theirs = known[known.node(mine.name)]
    if len(mine.states) != len(theirs.states):
        raise ArgumentError(
            f"{mine.name!r} has the states {', '.join(map(str, theirs.states))} in the network and"
            f" {', '.join(map(str, mine.states))} in the graph; they must be the same"
        )
    return [theirs.code(state, "the network does not know a state of the graph: ") for state in mine.states]


def _in_order(table: Draws, orders: Sequence[Sequence[int]]) -> Draws:
    """Return a table with the states of every axis in another order."""
    for axis, order in enumerate(orders):
        if list(order) != list(range(len(order))):
            table = table.take(order, axis=axis + 1)
    return table
