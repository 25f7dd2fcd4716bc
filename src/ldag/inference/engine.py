"""Answers by codes, by sums over tables or from circuits, whichever costs less.

Sums need nothing but an order of elimination; a circuit has to be compiled, and answers faster from then on. So the
first questions are answered by sums, and a circuit is compiled once what was spent on them would have paid for it. What
things cost is worked out from the order and from how often was asked, never measured: the same questions are answered
in the same way everywhere.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress

import numpy as np

from ldag import _native
from ldag.inference.circuit import MAX_SIZE, Circuit, Numbers, Rows, TooManyGates, compile_circuit
from ldag.inference.sums import MEMORY_LIMIT, CodedFindings, Sums, TablesTooLarge
from ldag.inference.wide import limit_trial
from ldag.model import Model

KEPT = 16
"""Circuits of parts of the model that are kept."""

PRODUCT_COST = 5.5
"""What a product of a circuit costs in a question, about in nanoseconds, as in sums."""
BATCH_SHARE = 0.125
"""What a row of a batch costs a circuit, for each that is asked by itself: rows are evaluated side by side."""
BATCHED_SIZE = 1_000_000
"""A circuit of more products does not fit into fast memory: rows side by side cost what they cost alone."""
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

    def compile(self, max_size: int | None = None, all_orders: bool = True) -> Circuit:
        """Compile the whole model, once; questions that it answers faster use this circuit then."""
        if self._whole is None:
            max_size = self._max_size if max_size is None else max_size
            self._whole = self._compiled(frozenset(range(len(self.model.structure))), {}, max_size, all_orders)
        return self._whole

    def log_probability(self, findings: CodedFindings, memory_limit: float = MEMORY_LIMIT) -> float:
        """Return the log probability of findings; minus infinity if they are impossible."""
        if self._asks_circuit(1.0, memory_limit):
            circuit = self._circuit_for((), findings)
            return float(circuit.log_probabilities(circuit.row(findings))[0])
        try:
            return self.sums.log_probability(findings, memory_limit)
        except TablesTooLarge as refused:
            circuit = self._instead((), findings, refused)
            return float(circuit.log_probabilities(circuit.row(findings))[0])

    def marginals(
        self, nodes: Sequence[int], findings: CodedFindings, memory_limit: float = MEMORY_LIMIT
    ) -> tuple[float, list[Numbers]]:
        """Return the log probability of the findings, and the posterior of each node in turn."""
        if self._asks_circuit(1.0, memory_limit):
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
        if self._asks_circuit(1.0, memory_limit, n_rows if len(nodes) > 1 else 1.0):
            return self._circuit_for(nodes, findings).joint(nodes, findings)
        try:
            return self.sums.joint(nodes, findings, memory_limit)
        except TablesTooLarge as refused:
            return self._instead(nodes, findings, refused).joint(nodes, findings)

    def most_probable(
        self, nodes: Sequence[int] | None, findings: CodedFindings, memory_limit: float = MEMORY_LIMIT
    ) -> tuple[float, list[int]]:
        """Return the codes of nodes (None: of all) that are most probable together, and the log of that.

        The log probability is the joint one with the findings; other nodes are summed out.
        """
        everything = range(len(self.model.structure))
        if nodes is not None and set(nodes) != {node for node in everything if self._is_open(node, findings)}:
            return self.sums.most_probable(nodes, findings, memory_limit)
        if self._asks_circuit(1.0, memory_limit):
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

    def asks_circuit_of(self, n_rows: int, nodes: Iterable[int]) -> bool:
        """Tell whether a batch of rows, which need the posterior of a node each, is better asked of a circuit."""
        try:
            if not self._asks_circuit(float(n_rows), MEMORY_LIMIT, BATCH_SHARE):
                return False
            self.circuit_over(nodes)
        except TooManyGates:
            return False
        return True

    def _asks_circuit(self, n_questions: float, memory_limit: float, n_rows: float = 1.0) -> bool:
        """Decide by costs, and compile the model if that pays; ``n_rows`` is what a circuit needs for a question."""
        plan = self.sums.plan
        fits = plan.n_bytes <= memory_limit
        if self._whole is None and fits:
            self._spent += n_questions * plan.cost
            compiling = COMPILE_CELL_COST * plan.n_cells + COMPILE_NODE_COST * len(self.model.structure)
            if self._spent >= compiling:
                with suppress(TooManyGates):
                    self.compile(all_orders=self._spent >= PATIENCE * compiling)
        if self._whole is None:
            return False
        if self._whole.shape.size > BATCHED_SIZE:
            n_rows = max(n_rows, 1.0)
        return bool(not fits or self._whole.shape.size * PRODUCT_COST * n_rows <= plan.cost)

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
