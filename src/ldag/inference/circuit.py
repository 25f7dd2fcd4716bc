"""Compiled circuits: some nodes of a model, all of their ancestors among them, ready for evidence."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import inf, prod
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from ldag import _native
from ldag.data import GAP
from ldag.inference.sums import CodedFindings
from ldag.inference.wide import is_wide
from ldag.model import Model, NativeClasses

Rows = NDArray[np.uint8]
"""Rows of evidence: a code per node of the circuit, or UNOBSERVED."""
Numbers = NDArray[np.float64]
Evidence = Mapping[int, int]

UNOBSERVED = GAP
MAX_STATES = 255
MAX_SIZE = 30_000_000
"""Arguments of the sums and products that are made in compiling; this many take up to about two gigabytes."""

N_TRIES = 10
N_ORDERS = 3
LARGE = 1e6
"""Circuits of more products are worth looking for better orders to begin with: compiling them takes a second."""
N_MORE_TRIES = 100
"""Only where no classes are shared: tries are compared by the cells of tables, which say little about labels."""
EFFORT = 100.0
"""Numbers that are worked out for each product of a circuit to find a better order: fewer than compiling takes."""
SMALL = 5_000
"""A circuit of no more products is compiled in other orders too, in no time, and the smallest is kept."""
CLOSE = 1.25
"""Only in orders that are expected to take no more than so many times its products."""
FAR_SMALLER = 16.0
"""The same for a circuit that is so many times smaller than was expected: what zeros do depends on the order."""
ARGUMENTS = 3.0
"""Arguments of sums and products for each product of a state: two factors and a term."""
ARGUMENTS_WITH_ZEROS = 0.25
"""The same where probabilities are zero: most contexts that seem possible do not come about."""
UNSURE = 5.0
"""Where parameters are shared, contexts are drawn, and products may be so many times more than a few contexts show:
circuits that may be too large then are counted with care, which takes a second or two."""
TRIED = 2_000_000
"""A circuit of no more arguments is tried in any case: it takes a second to see that it is too large."""


SMALL_SHARE = 16
"""Circuits of families too wide to be estimated are tried with so many times fewer arguments in every order first."""

_Shape = tuple[list[int], list[list[int]], list[NativeClasses], list[NDArray[np.int32]], list[int]]
"""States, parents, classes, numbers of parameters and what is known, by node."""


class TooManyGates(Exception):
    """A circuit would be larger than allowed.

    ``nodes`` are those of the step that was too much; ``needed`` is a ``max_size`` that would do, about.
    """

    def __init__(self, nodes: Sequence[int], max_size: int, needed: float) -> None:
        super().__init__(nodes, max_size, needed)
        self.nodes = tuple(nodes)
        self.max_size = max_size
        self.needed = needed


@dataclass(frozen=True, eq=False)
class Circuit:
    """A compiled circuit with values of its parameters. ``nodes`` ascend, and so do the columns of rows."""

    nodes: tuple[int, ...]
    n_states: tuple[int, ...]
    shape: _native.Circuit
    numbers: tuple[NDArray[np.int32], ...]
    """By node, for each class and state: the number of its parameter, or -1 where it is impossible."""
    values: Numbers
    seconds: float

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_evaluator"}  # made again when asked

    @cached_property
    def _evaluator(self) -> _native.Evaluator:
        return _native.Evaluator(self.shape, self.values)

    def row(self, evidence: CodedFindings) -> Rows:
        """Return one row of evidence; nodes that are not in the circuit make no difference, and are left out.

        Likelihoods are left out too: `given` puts them in.
        """
        codes = [evidence.get(node, UNOBSERVED) for node in self.nodes]
        return np.array([[UNOBSERVED if isinstance(code, tuple) else code for code in codes]], dtype=np.uint8)

    def given(self, findings: CodedFindings) -> "Circuit":
        """Return the circuit with likelihoods put in: the parameters of a node's states are multiplied by them."""
        likelihoods = {node: finding for node, finding in findings.items() if isinstance(finding, tuple)}
        if not likelihoods:
            return self
        values = self.values.copy()
        for node, numbers in zip(self.nodes, self.numbers, strict=True):
            for state, weight in enumerate(likelihoods.get(node, ())):
                own = np.unique(numbers[:, state])
                values[own[own >= 0]] *= weight
        return Circuit(self.nodes, self.n_states, self.shape, self.numbers, values, self.seconds)

    def log_probabilities(self, rows: Rows, n_threads: int = 1) -> Numbers:
        """Return the log probability of every row; minus infinity where it is impossible."""
        return self._evaluator.log_probabilities(rows, n_threads)

    def marginals(self, rows: Rows, n_threads: int = 1) -> tuple[Numbers, Numbers]:
        """Return the log probability of every row, and the posterior of every state of every node, side by side."""
        return self._evaluator.marginals(rows, n_threads)

    def marginals_of(self, nodes: Sequence[int], evidence: CodedFindings) -> tuple[float, list[Numbers]]:
        """Return the log probability of one row of evidence, and the posterior of each node in turn."""
        log_probability, posteriors = self.marginals(self.row(evidence))
        return float(log_probability[0]), [posteriors[0, self.columns(node)] for node in nodes]

    def joint(self, nodes: Sequence[int], evidence: CodedFindings) -> tuple[float, Numbers]:
        """Return the log probability of one row of evidence, and the joint posterior of nodes: an axis each."""
        if len(nodes) == 1:
            log_probability, (posterior,) = self.marginals_of(nodes, evidence)
            return log_probability, posterior
        places = [self.nodes.index(node) for node in nodes]
        shape = [self.n_states[place] for place in places]
        rows = np.repeat(self.row(evidence), prod(shape), axis=0)
        rows[:, places] = np.indices(shape, dtype=np.uint8).reshape(len(nodes), -1).T
        logs = self.log_probabilities(rows, n_threads=0)
        largest = logs.max()
        if np.isneginf(largest):
            return -np.inf, np.full(shape, np.nan)
        scaled = np.exp(logs - largest)
        return float(largest + np.log(scaled.sum())), (scaled / scaled.sum()).reshape(shape)

    def columns(self, node: int) -> slice:
        """Return where the states of a node are in the posteriors."""
        return self._columns[node]

    @cached_property
    def _columns(self) -> dict[int, slice]:
        ends = list(accumulate(self.n_states))
        return {node: slice(end - n, end) for node, n, end in zip(self.nodes, self.n_states, ends, strict=True)}

    def most_probable(self, rows: Rows, n_threads: int = 1) -> tuple[Rows, Numbers]:
        """Return each row completed by its most probable states, and the log probability of that."""
        return self._evaluator.most_probable(rows, n_threads)

    def expected_uses(self, evidence: Evidence) -> tuple[Numbers, ...]:
        """Return for each node the posterior probability of each class and state, classes in rows.

        Parameters that are shared between classes cannot be told apart: compile by class, or with ``told_apart``.
        """
        uses = np.append(self.uses(self.row(evidence)), 0.0)
        return tuple(uses[numbers] for numbers in self.numbers)

    def uses(self, row: Rows) -> Numbers:
        """Return for each parameter the posterior probability that it is used."""
        return self._evaluator.expected_uses(row, len(self.values))

    def log_derivatives(self, evidence: Evidence) -> Numbers:
        """Return the derivative of the log probability of evidence by every parameter."""
        return self._evaluator.log_derivatives(self.row(evidence), len(self.values))

    def by_class(self, numbers: Numbers) -> tuple[Numbers, ...]:
        """Return numbers of the parameters for each node, class and state, zero where it is impossible."""
        padded = np.append(numbers, 0.0)
        return tuple(padded[places] for places in self.numbers)

    def to_dict(self) -> dict[str, object]:
        """Return the circuit as plain lists, to be evaluated elsewhere.

        Gate 0 is zero, gate 1 is one. Then come the inputs: gate 2 + i is ``parameters[parameter[i]]`` where node
        ``node[i]`` may be in state ``state[i]``, times the likelihood of that, and 0 otherwise. Then come the sums:
        gate 2 + n_inputs + k is the sum of ``a[t] * b[t]`` (numbers of gates before it) for t from ``first[k]`` to
        ``first[k + 1]``, exclusive. The value of gate ``root`` is P(evidence). For the posteriors go back: the
        derivative of the root by itself is 1; each term of a sum with derivative d adds d times the value of one
        factor to the derivative of the other. The sum of value times derivative over the inputs of a node and a state,
        divided by P(evidence), is the posterior probability of the state. With the greatest term in place of the sum,
        the root is the probability of the most probable states.
        """
        node, state, parameter = self.shape.inputs
        first, a, b = self.shape.terms
        return {
            "nodes": list(self.nodes),
            "n_states": list(self.n_states),
            "parameters": self.values.tolist(),
            "inputs": {"node": node.tolist(), "state": state.tolist(), "parameter": parameter.tolist()},
            "sums": {"first": first.tolist(), "a": a.tolist(), "b": b.tolist()},
            "root": self.shape.root,
        }

    def with_probabilities(self, model: Model) -> "Circuit":
        """Return the same circuit for other probabilities; it must have been compiled by class."""
        values = np.concatenate([model.probabilities[node].reshape(-1) for node in self.nodes])
        return Circuit(self.nodes, self.n_states, self.shape, self.numbers, values, self.seconds)


def compile_circuit(
    model: Model,
    nodes: Sequence[int],
    fixed: Evidence | None = None,
    *,
    by_class: bool = False,
    told_apart: Container[int] = (),
    max_size: int = MAX_SIZE,
    all_orders: bool = False,
) -> Circuit:
    """Compile the distribution of some nodes, which must include their ancestors, ascending.

    Parameters
    ----------
    model, nodes
        What to compile.
    fixed
        Evidence that every question will have; the circuit is smaller for it.
    by_class
        Keep a parameter for each class and state, even if values are equal or zero, so that others can replace them.
    told_apart
        Nodes that keep a parameter for each class and state that is possible, for `Circuit.expected_uses`.
    max_size
        Raise `TooManyGates` beyond.
    all_orders
        Try other orders of elimination where the best one is too large: zeros may favour another.
    """
    began = perf_counter()
    numbers, values = _parameters(model, nodes, by_class, told_apart)
    place = {node: i for i, node in enumerate(nodes)}
    families = [model.structure.families[node] for node in nodes]
    n_states = [model.structure.n_states[node] for node in nodes]
    parents = [[place[parent] for parent in family.parents] for family in families]
    known = [UNOBSERVED if fixed is None else fixed.get(node, UNOBSERVED) for node in nodes]
    classes = [family.partition.to_native() for family in families]
    tables = [table.reshape(-1) for table in numbers]
    shape = n_states, parents, classes, tables, known
    if any(map(is_wide, families)):
        best, blocked, needed = _compile_wide(shape, max_size)
    else:
        has_labels = not all(family.partition.is_table for family in families)
        best, blocked, needed = _compile_estimated(shape, len(values), has_labels, max_size, all_orders)
    if best is None:
        raise TooManyGates([nodes[i] for i in blocked], max_size, max(needed, 2.0 * max_size))
    return Circuit(tuple(nodes), tuple(n_states), best, numbers, values, perf_counter() - began)


def _compile_estimated(
    shape: _Shape, n_values: int, has_labels: bool, max_size: int, all_orders: bool
) -> tuple[_native.Circuit | None, list[int], float]:
    """Compile in good orders whose circuits are expected to fit; else return the step that is too much, and the size.

    How large a circuit will be is told from the classes of every configuration, before any work.
    """
    n_states, parents, _, tables, known = shape
    orders = _native.elimination_orders(n_states, parents, known, N_TRIES, 0, N_ORDERS)
    estimated = _native.improve_orders(*shape, orders, EFFORT, inf if has_labels else LARGE)
    if not has_labels and estimated[0][0] > LARGE:
        orders = _native.elimination_orders(n_states, parents, known, N_MORE_TRIES, 0, N_ORDERS)
        estimated = _native.improve_orders(*shape, orders, EFFORT, inf)
    n_products, _, blocked = estimated[0]
    has_zeros = any(table.min() < 0 for table in tables)
    needed = n_products * (ARGUMENTS_WITH_ZEROS if has_zeros else ARGUMENTS)
    is_counted = has_zeros or not (has_labels or n_values < sum(map(len, tables)))
    if TRIED < max_size < UNSURE * needed and needed <= max_size and not is_counted:
        needed = ARGUMENTS * _native.count_products(*shape, estimated[0][1])
    best: _native.Circuit | None = None
    for expected, order, _ in estimated if max_size <= TRIED or needed <= max_size else ():
        if best is not None and best.size <= SMALL and expected > CLOSE * n_products:
            break
        circuit, blocked = _native.compile_circuit(*shape, order, max_size)
        if circuit is not None and (best is None or circuit.size < best.size):
            best = circuit
        if (best is None and not all_orders) or (best is not None and best.size > max(SMALL, n_products / FAR_SMALLER)):
            break
    return best, blocked, needed


def _compile_wide(shape: _Shape, max_size: int) -> tuple[_native.Circuit | None, list[int], float]:
    """Compile where configurations cannot be listed to tell how large a circuit will be: try small ones first."""
    n_states, parents, _, _, known = shape
    orders = _native.elimination_orders(n_states, parents, known, N_TRIES, 0, N_ORDERS)
    blocked: list[int] = []
    for order, most in [*((order, max_size // SMALL_SHARE) for order in orders), (orders[0], max_size)]:
        circuit, blocked = _native.compile_circuit(*shape, order, most)
        if circuit is not None:
            return circuit, [], 0.0
    return None, blocked, 2.0 * max_size


def _parameters(
    model: Model, nodes: Sequence[int], by_class: bool, told_apart: Container[int]
) -> tuple[tuple[NDArray[np.int32], ...], Numbers]:
    """Give numbers to the parameters: one for each class and state, or one for each value that a state has."""
    numbers: list[NDArray[np.int32]] = []
    values: list[Numbers] = []
    n_values = 0
    for node in nodes:
        table = model.probabilities[node]
        number: NDArray[np.integer]
        if by_class:
            own, number = table.reshape(-1), np.arange(n_values, n_values + table.size).reshape(table.shape)
        elif node in told_apart:
            possible = table > 0
            places = np.cumsum(possible).reshape(table.shape) - 1
            own, number = table[possible], np.where(possible, places + n_values, -1)
        else:
            own, number = _native.number_values(np.ascontiguousarray(table), n_values)
        numbers.append(number.astype(np.int32, copy=False))
        values.append(own)
        n_values += len(own)
    return tuple(numbers), np.concatenate(values) if values else np.zeros(0)
