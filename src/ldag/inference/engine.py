"""Answers by codes, by sums over tables or from circuits, whichever costs less.

Sums need nothing but an order of elimination; a circuit has to be compiled, and answers faster from then on. So the
first questions are answered by sums, and a circuit is compiled once what was spent on them would have paid for it. What
things cost is told from the cells that were worked out, never from a clock: the same questions are answered in the same
way everywhere.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress

import numpy as np

from ldag import _native
from ldag.inference.circuit import MAX_SIZE, UNOBSERVED, Circuit, Numbers, Rows, TooManyGates, compile_circuit
from ldag.inference.sums import MEMORY_LIMIT, CodedFindings, Sums, TablesTooLarge
from ldag.inference.wide import limit_trial
from ldag.model import Model

KEPT = 16
"""Circuits of parts of the model that are kept."""

PRODUCT_COST = 5.5
"""What a product of a circuit costs in a question, about in nanoseconds, as in sums."""
ROW_PRODUCT_COST = 1.4
"""The same in each of many rows, which are evaluated side by side."""
COMPILE_CELL_COST = 300.0
"""What compiling costs, about, for each cell of the tables that sums would work out."""
COMPILE_NODE_COST = 200_000.0
ARGUMENT_BYTES = 70
"""What an argument of a sum or product takes in compiling, at most."""
PATIENCE = 3.0
"""How often compiling must have paid for itself before other orders are tried, where the first is too large."""
LABELLED = 0.5
"""A model with fewer different parameters than this share of its tables' cells may have a circuit that is smaller."""

Key = tuple[frozenset[int], tuple[tuple[int, int], ...]]


class Engine:
    """Asks sums and circuits of a model. What no question is about, and no evidence below, is left out of them."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.sums = Sums(model)
        self._max_size = limit_trial(model.structure, MAX_SIZE)
        self._whole: Circuit | None = None
        self._kept: dict[Key, Circuit] = {}
        self._refused: dict[Key, tuple[TooManyGates, bool]] = {}
        self._spent = 0.0
        self._joint_costs = 0.0
        self._n_joints = 0

    def compile(self, max_size: int | None = None, all_orders: bool = True) -> Circuit:
        """Compile the whole model, once; questions that it answers faster use this circuit then."""
        if self._whole is None:
            max_size = self._max_size if max_size is None else max_size
            self._whole = self._compiled(frozenset(range(len(self.model.structure))), {}, max_size, all_orders)
        return self._whole

    def log_probability(self, findings: CodedFindings, memory_limit: float = MEMORY_LIMIT) -> float:
        """Return the log probability of findings; minus infinity if they are impossible."""
        if not self._has_spent_little and self._asks_circuit(memory_limit, is_joint=True):
            circuit = self._circuit_for((), findings)
            return float(circuit.log_probabilities(circuit.row(findings))[0])
        try:
            log_probability, cost = self.sums.log_probability(findings, memory_limit)
        except TablesTooLarge as refused:
            circuit = self._instead((), findings, refused)
            return float(circuit.log_probabilities(circuit.row(findings))[0])
        self._pay(cost)
        return log_probability

    def marginals(
        self, nodes: Sequence[int], findings: CodedFindings, memory_limit: float = MEMORY_LIMIT
    ) -> tuple[float, list[Numbers]]:
        """Return the log probability of the findings, and the posterior of each node in turn."""
        if self._asks_circuit(memory_limit):
            return self._circuit_for(nodes, findings).marginals_of(nodes, findings)
        try:
            log_probability, posteriors = self.sums.marginals(findings, memory_limit)
        except TablesTooLarge as refused:
            return self._instead(nodes, findings, refused).marginals_of(nodes, findings)
        return log_probability, [posteriors[node] for node in nodes]

    def joint(
        self, nodes: Sequence[int], findings: CodedFindings, memory_limit: float = MEMORY_LIMIT
    ) -> tuple[float, Numbers]:
        """Return the joint posterior of nodes, an axis each; minus infinity if the findings are impossible."""
        n_rows = float(np.prod([float(self.model.structure.n_states[node]) for node in nodes]))
        if not self._has_spent_little and self._asks_circuit(memory_limit, n_rows if len(nodes) > 1 else 1.0, True):
            return self._circuit_for(nodes, findings).joint(nodes, findings)
        try:
            log_probability, posterior, cost = self.sums.joint(nodes, findings, memory_limit)
        except TablesTooLarge as refused:
            return self._instead(nodes, findings, refused).joint(nodes, findings)
        self._pay(cost)
        return log_probability, posterior

    def _pay(self, cost: float) -> None:
        """Count what a joint question, or one for a probability, cost sums."""
        self._spent += cost
        self._joint_costs += cost
        self._n_joints += 1

    def most_probable(
        self, nodes: Sequence[int] | None, findings: CodedFindings, memory_limit: float = MEMORY_LIMIT
    ) -> tuple[float, list[int]]:
        """Return the codes of nodes (None: of all) that are most probable together, and the log of that.

        The log probability is the joint one with the findings; other nodes are summed out.
        """
        everything = range(len(self.model.structure))
        if nodes is not None and set(nodes) != {node for node in everything if self._is_open(node, findings)}:
            return self.sums.most_probable(nodes, findings, memory_limit)
        if self._asks_circuit(memory_limit):
            log_probability, codes = self._explanation(self._circuit_for(everything, findings), findings)
        else:
            try:
                log_probability, codes = self._summed_explanation(findings, memory_limit)
            except TablesTooLarge as refused:
                log_probability, codes = self._explanation(self._instead(everything, findings, refused), findings)
        return log_probability, codes if nodes is None or not codes else [codes[node] for node in nodes]

    @staticmethod
    def _is_open(node: int, findings: CodedFindings) -> bool:
        return isinstance(findings.get(node, ()), tuple)

    def _summed_explanation(self, findings: CodedFindings, memory_limit: float) -> tuple[float, list[int]]:
        free = [node for node in range(len(self.model.structure)) if self._is_open(node, findings)]
        log_probability, codes = self.sums.most_probable(free, findings, memory_limit)
        if not codes and free:
            return log_probability, []
        known = {node: code for node, code in findings.items() if isinstance(code, int)}
        known |= dict(zip(free, codes, strict=True))
        return log_probability, [known[node] for node in range(len(self.model.structure))]

    @staticmethod
    def _explanation(circuit: Circuit, findings: CodedFindings) -> tuple[float, list[int]]:
        """Complete the findings by a circuit that has their likelihoods in it already."""
        codes, log_probability = circuit.most_probable(circuit.row(findings))
        return float(log_probability[0]), codes[0].tolist()

    def draw(self, findings: CodedFindings, n_rows: int, seed: int, memory_limit: float = MEMORY_LIMIT) -> Rows:
        """Draw rows of codes of all nodes from the posterior; none if the findings are impossible."""
        try:
            return self.sums.draw(findings, n_rows, seed, memory_limit).astype(np.uint8)
        except TablesTooLarge as refused:
            circuit = self._instead(range(len(self.model.structure)), findings, refused)
        row = circuit.row(findings)
        if np.isneginf(circuit.log_probabilities(row)[0]):
            return np.empty((0, row.shape[1]), dtype=np.uint8)
        repeats = np.zeros(1, dtype=np.uint32)
        return _native.draw_completions(circuit.shape, circuit.values, row, repeats, n_rows, seed, False, 0)[:, 0]

    def row_posteriors(self, node: int, rows: Rows) -> tuple[Numbers, float]:
        """Return the posterior of a node in every row by sums, no numbers where it is impossible; and a row's cost.

        That is infinite where rows had to be asked by themselves, for want of memory.
        """
        posteriors, is_large, cost = self.sums.row_posteriors(node, rows, MEMORY_LIMIT)
        if np.isfinite(cost):
            self._spent += cost
        for number in np.flatnonzero(is_large):
            evidence = {other: code for other, code in enumerate(rows[number].tolist()) if code != UNOBSERVED}
            log_probability, posterior = self.joint([node], evidence)
            posteriors[number] = np.nan if np.isneginf(log_probability) else posterior
        return posteriors, cost / len(rows)

    def circuit_for_rows(self, nodes: Iterable[int], n_rows: int, row_cost: float) -> Circuit | None:
        """Return a circuit for so many more rows that cost sums so much each, if that pays; nodes are all in them."""
        if self._whole is None:
            spent = self._spent + n_rows * row_cost
            if spent < self._least_compiling_cost:
                return None
            expected = ROW_PRODUCT_COST * self.sums.plan.n_cells
            if expected > row_cost or spent - n_rows * expected < self._compiling_cost:
                return None
        try:
            circuit = self.circuit_over(nodes)
        except TooManyGates:
            return None
        return circuit if ROW_PRODUCT_COST * circuit.shape.size <= row_cost else None

    @property
    def _least_compiling_cost(self) -> float:
        """What can be told without an order of elimination, which takes a while where there are many nodes."""
        return COMPILE_NODE_COST * len(self.model.structure)

    @property
    def _compiling_cost(self) -> float:
        return self._least_compiling_cost + COMPILE_CELL_COST * self.sums.plan.n_cells

    @property
    def _has_spent_little(self) -> bool:
        return self._whole is None and self._spent < self._least_compiling_cost

    def _asks_circuit(self, memory_limit: float, n_rows: float = 1.0, is_joint: bool = False) -> bool:
        """Decide by costs, and compile the model if that pays; ``n_rows`` is what a circuit needs for a question.

        A question costs sums what the posteriors of all nodes do. Joint ones and those for a probability cost what
        they did before, and are paid for when they have been answered.
        """
        plan = self.sums.plan
        cost = self._joint_costs / self._n_joints if is_joint and self._n_joints else plan.cost
        fits = plan.n_bytes <= memory_limit
        if self._whole is None and fits:
            self._spent += 0.0 if is_joint else cost
            if self._spent >= self._compiling_cost:
                with suppress(TooManyGates):
                    self.compile(all_orders=self._spent >= PATIENCE * self._compiling_cost)
        if self._whole is None:
            return False
        return bool(not fits or self._whole.shape.size * PRODUCT_COST * n_rows <= cost)

    def _instead(self, asked: Iterable[int], findings: CodedFindings, refused: TablesTooLarge) -> Circuit:
        """Return a circuit where tables are too large, if labels or zeros may make that smaller."""
        if refused.n_cells > MAX_SIZE and self._share() > LABELLED:
            raise refused
        try:
            max_size = limit_trial(self.model.structure, int(refused.memory_limit / ARGUMENT_BYTES))
            return self._circuit_for(asked, findings, max_size)
        except TooManyGates:
            raise refused from None

    def _share(self) -> float:
        """Return how many different parameters there are for each cell of the families' tables."""
        tables = zip(self.model.structure.families, self.model.probabilities, strict=True)
        cells = [(f.partition.grid.size * t.shape[1], len(np.unique(t[t > 0]))) for f, t in tables]
        return float(sum(n for _, n in cells) / sum(n for n, _ in cells))

    def _circuit_for(self, asked: Iterable[int], findings: CodedFindings, max_size: int | None = None) -> Circuit:
        """Return a circuit for questions about some nodes, with the likelihoods of the findings put in.

        If the circuit for any evidence is too large, one for this evidence is tried, which is smaller.
        """
        asked = (*asked, *findings)
        try:
            return self.circuit_over(asked, max_size).given(findings)
        except TooManyGates:
            fixed = {node: code for node, code in findings.items() if isinstance(code, int)}
            if not fixed:
                raise
            return self._made(self.model.structure.ancestors(asked), fixed, max_size).given(findings)

    def circuit_over(self, nodes: Iterable[int], max_size: int | None = None) -> Circuit:
        """Return a circuit for questions about some nodes, given any evidence on them."""
        if self._whole is not None:
            return self._whole
        return self._made(self.model.structure.ancestors(nodes), {}, max_size)

    def _made(self, nodes: frozenset[int], fixed: dict[int, int], max_size: int | None) -> Circuit:
        if not fixed and len(nodes) == len(self.model.structure):
            return self.compile(max_size, all_orders=False)
        key = nodes, tuple(sorted(fixed.items()))
        if key not in self._kept:
            circuit = self._compiled(nodes, fixed, self._max_size if max_size is None else max_size)
            if len(self._kept) == KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = circuit
        return self._kept[key]

    def _compiled(
        self, nodes: frozenset[int], fixed: dict[int, int], max_size: int, all_orders: bool = False
    ) -> Circuit:
        """Compile, or refuse what was refused before with no smaller a limit and no fewer orders."""
        key = nodes, tuple(sorted(fixed.items()))
        if key in self._refused:
            refused, had_all_orders = self._refused[key]
            if refused.max_size >= max_size and had_all_orders >= all_orders:
                raise TooManyGates(refused.nodes, refused.max_size, refused.needed)
        try:
            return compile_circuit(self.model, sorted(nodes), fixed, max_size=max_size, all_orders=all_orders)
        except TooManyGates as refused:
            self._refused[key] = refused.with_traceback(None), all_orders
            raise
