"""Expected logarithms of models by codes: entropy and Kullback-Leibler divergence, family by family.

A family enters both only through the probabilities of its classes and states. For the model's own families these are
the expected uses of its parameters. For another family, a node with a single state is added to the model, whose
parents are that family and whose classes are its pairs of class and state: the expected use of each of its parameters,
all of them 1, is the probability of that pair. So nothing larger than the circuit is built.
"""

from math import inf

import numpy as np
from numpy.typing import NDArray

from ldag.data import Codes
from ldag.inference import Numbers, compile_circuit
from ldag.model import ClassTable, CodedFamily, Model, Partition, Structure, normalise


def model_entropy(p: Model) -> float:
    """Return the entropy, in nats."""
    return max(0.0, -sum(map(_average_log, family_uses(p), p.probabilities)))


def model_divergence(p: Model, q: Model) -> float:
    """Return the divergence of q from p, KL(p || q), in nats; infinity if q rules out what p may produce."""
    if not _allows(q, p):
        return inf
    total = 0.0
    for node, uses in enumerate(family_uses(p)):
        others = uses_by(q.structure.families[node], p, node, uses)
        total += _average_log(uses, p.probabilities[node]) - _average_log(others, q.probabilities[node])
    return max(0.0, total)


def family_uses(model: Model) -> tuple[Numbers, ...]:
    """Return for each node the probability of each of its classes and states, classes in rows."""
    nodes = range(len(model.structure))
    return compile_circuit(model, nodes, told_apart=nodes).expected_uses({})


def uses_by(family: CodedFamily, model: Model, node: int, uses: Numbers) -> Numbers:
    """Return the probability under a model of each class of another family of a node, with each state of the node.

    ``uses`` are those of the model's own family; if its classes tell the other ones, they are added up.
    """
    own = model.structure.families[node]
    if set(family.parents) <= set(own.parents):
        wanted = family.partition.over(own.partition.grid, [own.parents.index(parent) for parent in family.parents])
        first = own.partition.first
        if np.array_equal(own.partition.expand(wanted[first]), wanted):
            total = np.zeros((family.partition.n_classes, uses.shape[1]))
            np.add.at(total, wanted[first], uses)
            return total
    return _observe(model, family, node)


def log_probabilities(model: Model, codes: Codes) -> Numbers:
    """Return the log probability of complete rows, given as an array row per node."""
    total = np.zeros(codes.shape[1])
    for node, family in enumerate(model.structure.families):
        classes = family.partition.classes_of_rows(codes[list(family.parents)])
        with np.errstate(divide="ignore"):
            logs = np.log(model.probabilities[node])
        total += logs[classes, codes[node]]
    return total


def _observe(model: Model, family: CodedFamily, node: int) -> Numbers:
    """Return the probabilities of pairs of class and state, by a node that is added to observe them."""
    structure = model.structure
    n_states = structure.n_states[node]
    members = sorted((*family.parents, node))
    grid = structure.grid(members)
    axis = members.index(node)
    classes = family.partition.over(grid, [a for a in range(len(members)) if a != axis])
    states: NDArray[np.int64] = grid.cube // grid.strides[axis] % n_states
    pairs = classes.astype(np.int64) * n_states + states.reshape(-1)
    observer = CodedFamily.from_partition(tuple(members), Partition.of(grid, pairs))
    larger = Model(
        Structure((*structure.n_states, 1), (*structure.families, observer)),
        (*model.probabilities, np.ones((observer.partition.n_classes, 1))),
    )
    last = len(structure)
    nodes = sorted(larger.structure.ancestors([last]))
    uses = compile_circuit(larger, nodes, told_apart=(last,)).expected_uses({})[-1]
    expected = np.zeros(family.partition.n_classes * n_states)
    expected[pairs[observer.partition.first]] = uses[:, 0]
    return expected.reshape(-1, n_states)


def _allows(q: Model, p: Model) -> bool:
    """Tell whether q gives a positive probability to everything that p may produce.

    What p may produce is read from a model with equal probabilities for what is possible, so that no product of
    small numbers is rounded to zero.
    """
    if all((table > 0).all() for table in q.probabilities):
        return True
    support = Model(p.structure, tuple(_equal_where_positive(table) for table in p.probabilities))
    for node, uses in enumerate(family_uses(support)):
        impossible = q.probabilities[node] == 0
        if impossible.any() and (uses_by(q.structure.families[node], support, node, uses)[impossible] > 0).any():
            return False
    return True


def _equal_where_positive(table: ClassTable) -> ClassTable:
    return normalise((table > 0).astype(np.float64))


def _average_log(uses: Numbers, probabilities: ClassTable) -> float:
    """Return the sum of use times log probability; what is never used does not count."""
    used = uses > 0
    return float(uses[used] @ np.log(probabilities[used]))
