"""How far one network's distribution is from another's: divergence and entropy, exact or by sampling."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from ldag.checks import Rng, check_seed, check_whole
from ldag.data import Codes
from ldag.errors import ArgumentError, TooLarge, argument, by_door, list_names, option
from ldag.graph import align
from ldag.inference import Numbers, TooManyGates, compile_circuit, sample_rows
from ldag.model import ClassTable, CodedFamily, Model, Partition, Structure, normalise
from ldag.network import Network


@dataclass(frozen=True)
class KlEstimate:
    """A divergence estimated from ``n_samples`` rows of the true network, in nats."""

    value: float
    standard_error: float
    n_samples: int


def kl_divergence(p: Network, q: Network) -> float:
    """Return the Kullback-Leibler divergence KL(p || q) = Σ p log(p / q), the true network first, in nats.

    Exact, by inference in p, family by family: the joint distribution is never built. Infinite if q rules out what p
    may produce; 0 if the distributions are the same, but for rounding errors of the order of 1e-15 times the entropy.

    Parameters
    ----------
    p
        The network whose distribution is taken as true.
    q
        A network over the same variables and states, in any order.

    Examples
    --------
    >>> import ldag
    >>> truth = ldag.simulate.generator10(rng=1)
    >>> estimated = ldag.Network.from_data(truth.ldag, truth.sample(1000, rng=1))
    >>> round(ldag.kl_divergence(truth, estimated), 4)
    0.0215
    """
    first, second = _models(p, q)
    python = "kl_divergence_estimate(p, q), or compare(p, q, n_samples=...), samples instead"
    with _explain_size(p, f"; {by_door(python, option('n_samples') + ' samples instead')}"):
        return model_divergence(first, second)


def kl_divergence_estimate(p: Network, q: Network, n_samples: int = 100_000, rng: Rng = None) -> KlEstimate:
    """Estimate KL(p || q) as the mean of log(p / q) over rows drawn from p, for networks that are too large otherwise.

    Parameters
    ----------
    p, q
        As in `kl_divergence`.
    n_samples
        How many rows, 2 or more.
    rng
        Seed, or a numpy Generator; None is 0.
    """
    first, second = _models(p, q)
    if check_whole(n_samples, "n_samples") < 2:
        raise ArgumentError(f"{argument('n_samples')} must be 2 or more: one row has no standard error")
    codes = sample_rows(first.structure, first.probabilities, n_samples, check_seed(rng))
    ratios = log_probabilities(first, codes) - log_probabilities(second, codes)
    if np.isposinf(ratios).any():
        return KlEstimate(inf, 0.0, n_samples)  # certain, once such a row was drawn
    return KlEstimate(float(ratios.mean()), float(ratios.std(ddof=1)) / sqrt(n_samples), n_samples)


def entropy(p: Network) -> float:
    """Return the entropy of a network's distribution, -Σ p log p, in nats; exact.

    Examples
    --------
    >>> import ldag
    >>> coins = ldag.LDAG.from_edges([], states={"a": ["heads", "tails"], "b": ["heads", "tails"]})
    >>> fair = ldag.Network.from_parameters(coins, {"a": [0.5, 0.5], "b": [0.5, 0.5]})
    >>> round(ldag.entropy(fair), 4)
    1.3863
    """
    model = _model(p, "p")
    with _explain_size(p):
        return model_entropy(model)


def _model(network: Network, name: str) -> Model:
    if not isinstance(network, Network):
        raise ArgumentError(f"{name} must be a Network, got {type(network).__name__}; a fit has one as fit.network")
    return Model(network.ldag.structure, network.probabilities)


def _models(p: Network, q: Network) -> tuple[Model, Model]:
    """Return both networks in the first one's order of variables and states."""
    first, second = _model(p, "p"), _model(q, "q")
    aligned = align(p.ldag.schema, q.ldag.schema, second.structure)
    tables = tuple(aligned.table(node, second.probabilities) for node in range(len(aligned.nodes)))
    return first, Model(aligned.structure, tables)


@contextmanager
def _explain_size(network: Network, hint: str = "") -> Iterator[None]:
    """Turn a circuit that is too large into an error that names the variables."""
    try:
        yield
    except TooManyGates as refused:
        names = [network.ldag.schema[node].name for node in refused.nodes if node < len(network.ldag.schema)]
        raise TooLarge(
            f"the exact value needs a circuit of more than {refused.max_size:,} arguments: it has to join"
            f" {list_names(names, 12)}{hint}"
        ) from None


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
    support = Model(p.structure, tuple(normalise((table > 0).astype(np.float64)) for table in p.probabilities))
    for node, uses in enumerate(family_uses(support)):
        impossible = q.probabilities[node] == 0
        if impossible.any() and (uses_by(q.structure.families[node], support, node, uses)[impossible] > 0).any():
            return False
    return True


def _average_log(uses: Numbers, probabilities: ClassTable) -> float:
    """Return the sum of use times log probability; what is never used does not count."""
    used = uses > 0
    return float(uses[used] @ np.log(probabilities[used]))
