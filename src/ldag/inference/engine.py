"""Answers by codes, from circuits that are compiled when first needed, and kept."""

from collections.abc import Iterable, Sequence

from ldag.inference.circuit import MAX_SIZE, Circuit, Evidence, Numbers, TooManyGates, compile_circuit
from ldag.model import Model

KEPT = 16
"""Circuits of parts of the model that are kept."""

Key = tuple[frozenset[int], tuple[tuple[int, int], ...]]


class Engine:
    """Asks circuits of a model. What no question is about, and no evidence below, is left out of them."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._whole: Circuit | None = None
        self._kept: dict[Key, Circuit] = {}
        self._refused: dict[frozenset[int], tuple[tuple[int, ...], int]] = {}

    def compile(self, max_size: int = MAX_SIZE) -> Circuit:
        """Compile the whole model, once; all questions use this circuit then."""
        if self._whole is None:
            self._whole = compile_circuit(self.model, range(len(self.model.structure)), max_size=max_size)
        return self._whole

    def circuit_for(self, asked: Iterable[int], evidence: Evidence) -> Circuit:
        """Return a circuit for questions about some nodes, given evidence on these nodes.

        If the circuit for any evidence is too large, one for this evidence is tried, which is smaller.
        """
        asked = (*asked, *evidence)
        try:
            return self.circuit_over(asked)
        except TooManyGates:
            if not evidence:
                raise
            return self._made(self.model.structure.ancestors(asked), evidence)

    def circuit_over(self, nodes: Iterable[int]) -> Circuit:
        """Return a circuit for questions about some nodes, given any evidence on them."""
        if self._whole is not None:
            return self._whole
        needed = self.model.structure.ancestors(nodes)
        if needed in self._refused:
            raise TooManyGates(*self._refused[needed])
        try:
            return self._made(needed, {})
        except TooManyGates as refused:
            self._refused[needed] = refused.nodes, refused.max_size
            raise

    def _made(self, nodes: frozenset[int], fixed: Evidence) -> Circuit:
        if not fixed and len(nodes) == len(self.model.structure):
            return self.compile()
        key = nodes, tuple(sorted(fixed.items()))
        if key not in self._kept:
            circuit = compile_circuit(self.model, sorted(nodes), fixed)
            if len(self._kept) == KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = circuit
        return self._kept[key]

    def log_probability(self, evidence: Evidence) -> float:
        """Return the log probability of evidence; minus infinity if it is impossible."""
        circuit = self.circuit_for((), evidence)
        return float(circuit.log_probabilities(circuit.row(evidence))[0])

    def marginals(self, nodes: Sequence[int], evidence: Evidence) -> tuple[float, list[Numbers]]:
        """Return the log probability of the evidence, and the posterior of each node in turn."""
        return self.circuit_for(nodes, evidence).marginals_of(nodes, evidence)

    def joint(self, nodes: Sequence[int], evidence: Evidence) -> tuple[float, Numbers]:
        """Return the log probability of the evidence, and the joint posterior of nodes: an axis each."""
        return self.circuit_for(nodes, evidence).joint(nodes, evidence)

    def most_probable(self, evidence: Evidence) -> tuple[float, list[int]]:
        """Return the most probable codes of all nodes, and the log of their joint probability."""
        circuit = self.circuit_for(range(len(self.model.structure)), evidence)
        codes, log_probability = circuit.most_probable(circuit.row(evidence))
        return float(log_probability[0]), codes[0].tolist()
