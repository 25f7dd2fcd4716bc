"""How far one network's distribution is from another's: divergence and entropy, exact or by sampling."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from ldag.checks import Rng, check_seed, check_whole
from ldag.comparing import expectations
from ldag.errors import ArgumentError, TooLarge, argument, by_door, option
from ldag.formats import list_names
from ldag.graph import align
from ldag.inference import TooManyGates, sample_rows
from ldag.model import Model
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
        return expectations.model_divergence(first, second)


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
    ratios = expectations.log_probabilities(first, codes) - expectations.log_probabilities(second, codes)
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
        return expectations.model_entropy(model)


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
