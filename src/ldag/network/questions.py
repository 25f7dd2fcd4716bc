"""Asking a network: posteriors, probabilities, explanations; exact, or by sampling where that is asked for."""

from collections.abc import Iterable, Iterator, Set
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from math import exp, prod

import numpy as np
from numpy.typing import NDArray

from ldag.checks import Rng, check_seed, check_whole
from ldag.errors import ArgumentError, ImpossibleEvidence, TooLarge
from ldag.formats import Context, conditions
from ldag.inference import MAX_SIZE, Engine, TooManyGates, weighted_estimate
from ldag.model import Model, State
from ldag.network.base import NetworkBase

Answer = dict[State | tuple[State, ...], float]
"""Probabilities by state, or by tuples of states of several variables."""

JOINT_LIMIT = 1 << 20


@dataclass(frozen=True)
class Compiled:
    """What became of a network: a circuit whose gates are sums of products. ``size`` counts the products."""

    n_gates: int
    size: int
    seconds: float


@dataclass(frozen=True)
class Estimated:
    """A posterior estimated by likelihood weighting; ``effective_size`` is what the samples are worth."""

    probabilities: Answer
    standard_errors: Answer
    effective_size: float

    def __str__(self) -> str:
        rows = [
            (", ".join(map(str, state)) if isinstance(state, tuple) else str(state), p, self.standard_errors[state])
            for state, p in self.probabilities.items()
        ]
        width = max(len(text) for text, _, _ in rows)
        lines = [f"{text:<{width}}  {p:.4f} ± {error:.4f}" for text, p, error in rows]
        return "\n".join([*lines, f"as good as {self.effective_size:,.0f} independent samples"])


@dataclass(frozen=True)
class _Asked:
    """A question in codes: about a model, perhaps with some nodes set from outside, given evidence."""

    engine: Engine
    evidence: dict[int, int]
    context: Context


class Questions(NetworkBase):
    """Questions. What is given (``given``) was observed; what is done (``do``) was set from outside."""

    def query(self, targets: str | Iterable[str], given: Context | None = None, *, do: Context | None = None) -> Answer:
        """Return the posterior distribution of a variable, or the joint one of several.

        Parameters
        ----------
        targets
            A variable, or several.
        given
            Observed states of other variables.
        do
            States that other variables are set to: they no longer depend on their parents.

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> {state: round(p, 4) for state, p in net.query("pressure", given={"smoking": "yes"}).items()}
        {'<140': 0.6093, '>140': 0.3907}
        """
        asked = self._asked(given, do)
        nodes = self._targets(targets, asked)
        with self._explained():
            log_probability, posterior = asked.engine.joint(nodes, asked.evidence)
        self._check_possible(log_probability, asked)
        return self._answer(nodes, posterior)

    def marginals(self, given: Context | None = None, *, do: Context | None = None) -> dict[str, dict[State, float]]:
        """Return the posterior distribution of every variable, from one pass."""
        asked = self._asked(given, do)
        with self._explained():
            log_probability, posteriors = asked.engine.marginals(range(len(self.variables)), asked.evidence)
        self._check_possible(log_probability, asked)
        return {
            variable.name: dict(zip(variable.states, posterior.tolist(), strict=True))
            for variable, posterior in zip(self.variables, posteriors, strict=True)
        }

    def probability(self, event: Context, given: Context | None = None, *, do: Context | None = None) -> float:
        """Return the probability that some variables are in these states, all of them.

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> round(net.probability({"smoking": "yes", "pressure": ">140"}), 4)
        0.1867
        """
        return exp(self.log_probability(event, given, do=do))

    def log_probability(self, event: Context, given: Context | None = None, *, do: Context | None = None) -> float:
        """Return the logarithm of `probability`, also where that is too small for a number; minus infinity for zero."""
        asked = self._asked(given, do)
        wanted = self.ldag.schema.context(event, "event: ")
        with self._explained():
            log_given = asked.engine.log_probability(asked.evidence)
            self._check_possible(log_given, asked)
            if any(asked.evidence.get(node, code) != code for node, code in wanted.items()):
                return -np.inf
            return min(asked.engine.log_probability(asked.evidence | wanted) - log_given, 0.0)

    def most_probable(self, given: Context | None = None, *, do: Context | None = None) -> dict[str, State]:
        """Return the most probable states of all variables together.

        This is not the most probable state of each: all of them at once are most probable.
        """
        asked = self._asked(given, do)
        with self._explained():
            log_probability, codes = asked.engine.most_probable(asked.evidence)
        self._check_possible(log_probability, asked)
        return self.ldag.schema.named(dict(enumerate(codes)))

    def estimate(
        self,
        targets: str | Iterable[str],
        given: Context | None = None,
        *,
        do: Context | None = None,
        n_samples: int = 100_000,
        rng: Rng = None,
    ) -> Estimated:
        """Estimate what `query` computes by likelihood weighting, for networks that are too large for exact answers.

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> about = net.estimate("pressure", given={"smoking": "yes"}, rng=1)
        >>> exact = net.query("pressure", given={"smoking": "yes"})
        >>> abs(about.probabilities[">140"] - exact[">140"]) < 4 * about.standard_errors[">140"]
        True
        """
        asked = self._asked(given, do)
        nodes = self._targets(targets, asked)
        size = check_whole(n_samples, "n_samples")
        found = weighted_estimate(asked.engine.model, nodes, asked.evidence, size, check_seed(rng))
        if found is None:
            raise ImpossibleEvidence(
                f"no sample agrees with {conditions([asked.context])[0]}: it is impossible, or so improbable that"
                f" {n_samples:,} samples do not show it; give more n_samples"
            )
        probabilities, errors = (self._answer(nodes, n) for n in (found.probabilities, found.standard_errors))
        return Estimated(probabilities, errors, found.effective_size)

    def compile(self, *, max_size: int = MAX_SIZE) -> Compiled:
        """Compile the whole network now, and return how large the circuit is.

        Questions compile what they need by themselves, with up to 30 million arguments of sums and products on the
        way; a larger ``max_size`` allows more, at up to 70 bytes and about a microsecond each.
        """
        check_whole(max_size, "max_size")
        with self._explained():
            circuit = self._engine().compile(max_size)
        return Compiled(circuit.shape.n_gates, circuit.shape.size, circuit.seconds)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "_engines"}  # made again when asked

    @cached_property
    def _engines(self) -> dict[frozenset[int], Engine]:
        """Engines by the nodes that are set from outside."""
        return {}

    def _engine(self, done: Iterable[int] = ()) -> Engine:
        key = frozenset(done)
        if key not in self._engines:
            model = Model(self.ldag.structure, self.probabilities)
            self._engines[key] = Engine(model.intervened(key) if key else model)
        return self._engines[key]

    def _asked(self, given: Context | None, do: Context | None) -> _Asked:
        schema = self.ldag.schema
        seen, done = schema.context(given, "given: "), schema.context(do, "do: ")
        for node in seen:
            if node in done:
                raise ArgumentError(f"{schema[node].name!r} is both observed and set; name it in given or in do")
        return _Asked(self._engine(done), seen | done, schema.named(seen))

    def _targets(self, targets: str | Iterable[str], asked: _Asked) -> tuple[int, ...]:
        schema = self.ldag.schema
        if isinstance(targets, Set):
            raise ArgumentError(f"targets: a set has no order, and the answer has one; give a list, got {targets!r}")
        nodes = schema.nodes(targets, "targets: ")
        if not nodes:
            raise ArgumentError("name at least one target")
        for node in nodes:
            if node in asked.evidence:
                raise ArgumentError(f"{schema[node].name!r} is a target and has its state given")
        size = prod(schema[node].n_states for node in nodes)
        if size > JOINT_LIMIT:
            raise TooLarge(
                f"the joint distribution of the targets has {size:,} cells; at most {JOINT_LIMIT:,} are listed"
            )
        return nodes

    def _answer(self, nodes: tuple[int, ...], numbers: NDArray[np.float64]) -> Answer:
        """Return an array with an axis per node as a mapping."""
        variables = [self.ldag.schema[node] for node in nodes]
        if len(variables) == 1:
            return dict(zip(variables[0].states, numbers.tolist(), strict=True))
        return {
            tuple(v.states[code] for v, code in zip(variables, codes, strict=True)): float(numbers[codes])
            for codes in np.ndindex(*numbers.shape)
        }

    def _check_possible(self, log_probability: float, asked: _Asked) -> None:
        if np.isneginf(log_probability):
            raise ImpossibleEvidence(
                f"{conditions([asked.context])[0]} has probability zero in this network, so nothing follows from it"
            )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn a circuit that is too large into an error that names the variables."""
        try:
            yield
        except TooManyGates as refused:
            first, *others = (self.ldag.schema[node].name for node in refused.nodes)
            shown = ", ".join(others[:12]) + (f" and {len(others) - 12} more" if len(others) > 12 else "")
            step = f": {first!r} has to be summed out of a function of {shown}" if others else f" already for {first!r}"
            raise TooLarge(
                f"exact inference needs sums and products with more than {refused.max_size:,} arguments{step};"
                " observe some of these variables, allow more with compile(max_size=...), or use estimate(...),"
                " which samples"
            ) from None
