"""Asking a network: posteriors, probabilities, explanations; exact, or by sampling where that is asked for."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from math import exp, prod

import numpy as np
from numpy.typing import NDArray

from ldag.checks import Rng, check_seed, check_whole
from ldag.drawing import Printable
from ldag.errors import ArgumentError, ImpossibleEvidence, TooLarge, argument, by_door, option
from ldag.formats import Context, Edge, list_names
from ldag.inference import (
    MAX_SIZE,
    MEMORY_LIMIT,
    Circuit,
    CodedFindings,
    Engine,
    TablesTooLarge,
    TooManyGates,
    weighted_estimate,
)
from ldag.model import Model, State
from ldag.network.answers import Answer, AnswerKey, Marginals
from ldag.network.base import NetworkBase
from ldag.network.directions import MOST_ANSWERS, MOST_SETS, EquivalentGraphs, tell_arrows
from ldag.network.findings import Findings, read_findings, spell_findings
from ldag.network.memory import allow_size, check_memory, spell_bytes
from ldag.reasoning import possible_parents

JOINT_LIMIT = 1 << 20
ESTIMATE = "or use estimate(...), which samples"

NAMED = 12
"""Variables of a large table that an error names."""

SINGLE = "this is the answer of one graph of several that say the same"
RANGE = SINGLE + ", and the range is over {over}; constraints settle what is known"
MANY = f"{SINGLE}; ask for variables one by one, and there is a range over all of them"
NO_RANGE = f"{SINGLE}; a distribution that is asked for has a range over all of them"
UNKNOWN = f"perhaps constraints did, which this file does not keep; if not, {SINGLE}"
"""What follows if arrows are not determined."""


@dataclass(frozen=True)
class Compiled:
    """What became of a network: a circuit whose gates are sums of products. ``size`` counts the products."""

    n_gates: int
    size: int
    seconds: float
    circuit: Circuit = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, object]:
        """Return the circuit as plain lists; `ldag.inference.Circuit.to_dict` says how it is evaluated.

        Nodes have the numbers of the network's variables.
        """
        return {"n_gates": self.n_gates, "size": self.size, "circuit": self.circuit.to_dict()}


@dataclass(frozen=True, repr=False)
class Estimated(Printable):
    """A posterior estimated by likelihood weighting; ``effective_size`` is what the samples are worth."""

    probabilities: Answer
    standard_errors: Answer
    effective_size: float

    def __repr__(self) -> str:
        return f"<Estimated: {self.probabilities}, as good as {self.effective_size:,.0f} independent samples>"

    def __str__(self) -> str:
        rows = [
            (", ".join(map(str, state)) if isinstance(state, tuple) else str(state), p, self.standard_errors[state])
            for state, p in self.probabilities.items()
        ]
        width = max(len(text) for text, _, _ in rows)
        lines = [f"{text:<{width}}  {p:.4f} ± {error:.4f}" for text, p, error in rows]
        return "\n".join([*lines, f"as good as {self.effective_size:,.0f} independent samples"])


@dataclass(frozen=True)
class AskedQuestion:
    """A question in codes: about a model, perhaps with some nodes set from outside, given evidence."""

    engine: Engine
    evidence: CodedFindings
    spelled: str
    memory_limit: float = MEMORY_LIMIT
    done: Mapping[int, int] = field(default_factory=dict)
    forced: str = ""

    @property
    def in_words(self) -> str:
        """What is known and what was set."""
        return ", ".join(part for part in (self.spelled, self.forced) if part)


class Questions(NetworkBase):
    """Questions. What is given (``given``) was observed; what is done (``do``) was set from outside."""

    def query(
        self,
        targets: str | Iterable[str],
        given: Findings | None = None,
        *,
        do: Context | None = None,
        memory_limit: int | str = MEMORY_LIMIT,
    ) -> Answer:
        """Return the posterior distribution of a variable, or the joint one of several.

        Parameters
        ----------
        targets
            A variable, or several.
        given
            What is known of other variables: the state of one, ``{"x": "a"}``; that it is one of several states,
            ``{"x": {"a", "b"}}``; or how likely each of its states makes a finding, ``{"x": {"a": 0.9, "b": 0.2}}``.
        do
            States that other variables are set to: they no longer depend on their parents. In a learned network the
            answer depends on which way arrows at these variables point. Where that is not determined, a
            `GraphWarning` names the arrows, and the answer's ``range`` has the least and greatest probability of
            each state over all graphs that say the same and satisfy the constraints of the search.
        memory_limit
            Bytes that the tables of the question may take, or a text such as "8 GB".

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> {state: round(p, 4) for state, p in net.query("pressure", given={"smoking": "yes"}).items()}
        {'<140': 0.6093, '>140': 0.3907}
        """
        asked = self._asked(given, do, memory_limit)
        nodes = self._targets(targets, asked)
        with self._explained():
            log_probability, posterior = asked.engine.joint(nodes, asked.evidence, asked.memory_limit)
        self._check_possible(log_probability, asked)
        answer = self._answer(nodes, posterior, asked.in_words)
        ranges, answer.undetermined = self._ranges(asked, [(nodes, posterior)])
        answer.range = None if ranges is None else ranges[0]
        return answer

    def marginals(
        self, given: Findings | None = None, *, do: Context | None = None, memory_limit: int | str = MEMORY_LIMIT
    ) -> Marginals:
        """Return the posterior distribution of every variable; the parameters are those of `query`."""
        asked = self._asked(given, do, memory_limit)
        marginals = self._marginals(asked)
        free = [node for node in range(len(self.variables)) if not isinstance(asked.evidence.get(node), int)]
        names = [self.variables[node].name for node in free]
        answers = [((node,), np.array(list(marginals[name].values()))) for node, name in zip(free, names, strict=True)]
        ranges, marginals.undetermined = self._ranges(asked, answers)
        marginals.range = None if ranges is None else dict(zip(names, ranges, strict=True))
        return marginals

    def _marginals(self, asked: AskedQuestion) -> Marginals:
        everything = range(len(self.variables))
        with self._explained():
            log_probability, posteriors = asked.engine.marginals(everything, asked.evidence, asked.memory_limit)
        self._check_possible(log_probability, asked)
        found = {
            variable.name: dict(zip(variable.states, posterior.tolist(), strict=True))
            for variable, posterior in zip(self.variables, posteriors, strict=True)
        }
        return Marginals(found, asked.in_words)

    def probability(
        self,
        event: Findings,
        given: Findings | None = None,
        *,
        do: Context | None = None,
        memory_limit: int | str = MEMORY_LIMIT,
    ) -> float:
        """Return the probability that some variables are in these states (or one of these), all of them.

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> round(net.probability({"smoking": "yes", "pressure": ">140"}), 4)
        0.1867
        """
        return exp(self.log_probability(event, given, do=do, memory_limit=memory_limit))

    def log_probability(
        self,
        event: Findings,
        given: Findings | None = None,
        *,
        do: Context | None = None,
        memory_limit: int | str = MEMORY_LIMIT,
    ) -> float:
        """Return the logarithm of `probability`, also where that is too small for a number; minus infinity for zero."""
        asked = self._asked(given, do, memory_limit)
        self._warn_of_directions(asked.done)
        wanted = read_findings(self.ldag.schema, event, "event: ")
        for node, finding in wanted.items():
            if isinstance(finding, tuple) and not set(finding) <= {0.0, 1.0}:
                name = self.ldag.schema[node].name
                raise ArgumentError(f"event: {name!r} has likelihoods; an event is a state, or one of several")
        with self._explained():
            log_given = asked.engine.log_probability(asked.evidence, asked.memory_limit)
            self._check_possible(log_given, asked)
            both = _both(asked.evidence, wanted, self.ldag.schema.n_states)
            if both is None:
                return -np.inf
            return min(asked.engine.log_probability(both, asked.memory_limit) - log_given, 0.0)

    def log_finding_probability(
        self, given: Findings, *, do: Context | None = None, memory_limit: int | str = MEMORY_LIMIT
    ) -> float:
        """Return the log probability of findings of all kinds; of likelihoods, the greatest of a variable counts as 1.

        Minus infinity says that they are impossible.
        """
        asked = self._asked(given, do, memory_limit)
        with self._explained():
            return asked.engine.log_probability(asked.evidence, asked.memory_limit)

    def most_probable(
        self,
        given: Findings | None = None,
        *,
        of: str | Iterable[str] | None = None,
        do: Context | None = None,
        memory_limit: int | str = MEMORY_LIMIT,
    ) -> dict[str, State]:
        """Return the most probable states of all variables together, or of some of them.

        This is not the most probable state of each: all of them at once are most probable.

        Parameters
        ----------
        given, do, memory_limit
            As in `query`.
        of
            The variables to explain, if not all; the others are summed out. (This is called marginal MAP.)

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> net.most_probable({"pressure": ">140"}, of=["smoking", "protein"])
        {'smoking': 'no', 'protein': '<3'}
        """
        if given is not None and not isinstance(given, Mapping):
            raise ArgumentError(
                f"given: expected findings by variable, such as {{'x': 'yes'}}, got {given!r};"
                " the variables to explain are named by of=[...]"
            )
        asked = self._asked(given, do, memory_limit)
        self._warn_of_directions(asked.done)
        nodes = None if of is None else self._named(of, asked, "of: ")
        bound = by_door("bound_most_probable(...)", "--bound")
        other = None if of is None else f", or use {bound}, which takes variables one by one"
        with self._explained(other):
            log_probability, codes = asked.engine.most_probable(nodes, asked.evidence, asked.memory_limit)
        self._check_possible(log_probability, asked)
        schema = self.ldag.schema
        found = enumerate(codes) if nodes is None else zip(nodes, codes, strict=True)
        return {schema[node].name: schema[node].states[code] for node, code in found}

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
        self._warn_of_directions(asked.done)
        nodes = self._targets(targets, asked)
        size = check_whole(n_samples, "n_samples")
        known = self.ldag.schema.context(given, "given: ") | self.ldag.schema.context(do, "do: ")
        found = weighted_estimate(asked.engine.model, nodes, known, size, check_seed(rng))
        if found is None:
            raise ImpossibleEvidence(
                f"no sample agrees with {asked.spelled}: it is impossible, or so improbable that"
                f" {n_samples:,} samples do not show it; give more {argument('n_samples')}"
            )
        numbers = (found.probabilities, found.standard_errors)
        probabilities, errors = (self._answer(nodes, n, asked.in_words) for n in numbers)
        return Estimated(probabilities, errors, found.effective_size)

    def compile(self, *, max_size: int = MAX_SIZE) -> Compiled:
        """Compile the whole network now, and return how large the circuit is.

        Questions compile what they need by themselves, with up to 30 million arguments of sums and products on the
        way; a larger ``max_size`` allows more, at up to 70 bytes and about a microsecond each.
        """
        check_whole(max_size, "max_size")
        with self._explained():
            circuit = self._engine().compile(max_size)
        return Compiled(circuit.shape.n_gates, circuit.shape.size, circuit.seconds, circuit)

    def __getstate__(self) -> dict[str, object]:
        made = ("_engines", "_members_at")  # made again when asked
        return {name: value for name, value in self.__dict__.items() if name not in made}

    @cached_property
    def _engines(self) -> dict[frozenset[int], Engine]:
        """Engines by the nodes that are set from outside."""
        return {}

    @cached_property
    def _members_at(self) -> dict[frozenset[int], EquivalentGraphs]:
        """The graphs that say the same by the nodes that are set from outside."""
        return {}

    def _members(self, done: Iterable[int]) -> EquivalentGraphs | None:
        """Return the graphs that say the same; None if nothing is set, or the graph was not learned but given."""
        key = frozenset(done)
        if not key or self.origin is None:
            return None
        if key not in self._members_at:
            schema, nodes = self.ldag.schema, tuple(sorted(key))
            forbidden = [(schema.node(parent), schema.node(child)) for parent, child in self.forbidden]
            sets = possible_parents(self.ldag.structure, nodes, MOST_SETS, forbidden)
            names = {schema[node].name for node in nodes}
            turning = self.ldag.edge_directions(self.forbidden).open
            arrows = tuple(edge for edge in self.ldag.edges if names & set(edge) and edge in turning)
            self._members_at[key] = EquivalentGraphs(schema, nodes, arrows, sets, self._engine)
        return self._members_at[key]

    def _ranges(
        self, asked: AskedQuestion, answers: Sequence[tuple[tuple[int, ...], NDArray[np.float64]]]
    ) -> tuple[list[dict[AnswerKey, tuple[float, float]]] | None, tuple[Edge, ...]]:
        """Return the range of each answer over all graphs that say the same, and the arrows that make it wide.

        There is none where nothing is set or the graph was not learned. Answers are nodes with their distribution.
        """
        members = self._members(asked.done)
        if members is None or not self._can_tell(members, len(answers)):
            return None, ()
        seen = {node: finding for node, finding in asked.evidence.items() if node not in asked.done}
        with self._explained():
            bounds = [members.bounds(*one, seen, asked.done, asked.memory_limit) for one in answers]
        is_open = [one for one in bounds if one.is_open and members.arrows]
        if is_open:
            tell_arrows(members.arrows, RANGE.format(over=is_open[0].over))
        ranges = []
        for (nodes, _), one in zip(answers, bounds, strict=True):
            high = self._answer(nodes, one.high, "")
            ranges.append({state: (low, high[state]) for state, low in self._answer(nodes, one.low, "").items()})
        return ranges, members.arrows if is_open else ()

    def _can_tell(self, members: EquivalentGraphs, n_answers: int) -> bool:
        """Return whether ranges can be told; warn of arrows where they cannot."""
        if not members.arrows:
            return True
        if not self.knows_constraints:
            tell_arrows(members.arrows, UNKNOWN)
            return False
        if n_answers * len(members.parents.sets) > MOST_ANSWERS:
            tell_arrows(members.arrows, MANY)
            return False
        return True

    def _warn_of_directions(self, done: Iterable[int]) -> None:
        """Warn of arrows at what is set that are not determined, where an answer has no range."""
        members = self._members(done)
        if members is not None and members.arrows:
            tell_arrows(members.arrows, NO_RANGE if self.knows_constraints else UNKNOWN)

    def _engine(self, done: Iterable[int] = ()) -> Engine:
        key = frozenset(done)
        if key not in self._engines:
            model = Model(self.ldag.structure, self.probabilities)
            self._engines[key] = Engine(model.intervened(key) if key else model)
        return self._engines[key]

    def _asked(
        self, given: Findings | None, do: Context | None, memory_limit: int | str = MEMORY_LIMIT
    ) -> AskedQuestion:
        schema = self.ldag.schema
        seen, done = read_findings(schema, given, "given: "), schema.context(do, "do: ")
        for node in seen:
            if node in done:
                raise ArgumentError(f"{schema[node].name!r} is both observed and set; name it in given or in do")
        forced = ", ".join(f"{schema[node].name} set to {schema[node].states[code]}" for node, code in done.items())
        said = spell_findings(schema, seen)
        return AskedQuestion(self._engine(done), seen | done, said, check_memory(memory_limit), done, forced)

    def _named(self, names: str | Iterable[str], asked: AskedQuestion, where: str) -> tuple[int, ...]:
        """Return variables in an order, none of which has its state given."""
        schema = self.ldag.schema
        if isinstance(names, Set):
            raise ArgumentError(f"{where}a set has no order, and the answer has one; give a list, got {names!r}")
        nodes = schema.nodes(names, where)
        if not nodes:
            raise ArgumentError("name at least one target")
        for node in nodes:
            if isinstance(asked.evidence.get(node), int):
                raise ArgumentError(f"{schema[node].name!r} is a target and has its state given")
        return nodes

    def _targets(self, targets: str | Iterable[str], asked: AskedQuestion) -> tuple[int, ...]:
        nodes = self._named(targets, asked, "targets: ")
        size = prod(self.ldag.schema[node].n_states for node in nodes)
        if size > JOINT_LIMIT:
            raise TooLarge(
                f"the joint distribution of the targets has {size:,} cells; at most {JOINT_LIMIT:,} are listed"
            )
        return nodes

    def _answer(self, nodes: tuple[int, ...], numbers: NDArray[np.float64], said: str) -> Answer:
        """Return an array with an axis per node as a mapping."""
        variables = [self.ldag.schema[node] for node in nodes]
        names = [variable.name for variable in variables]
        if len(variables) == 1:
            return Answer(zip(variables[0].states, numbers.tolist(), strict=True), names, said)
        joint = (
            (tuple(v.states[code] for v, code in zip(variables, codes, strict=True)), float(numbers[codes]))
            for codes in np.ndindex(*numbers.shape)
        )
        return Answer(joint, names, said)

    def _check_possible(self, log_probability: float, asked: AskedQuestion) -> None:
        if np.isneginf(log_probability):
            raise ImpossibleEvidence(
                f"{asked.spelled or 'always'} has probability zero in this network, so nothing follows from it"
            )

    @contextmanager
    def _explained(self, other: str | None = None) -> Iterator[None]:
        """Turn what is too large into an error that names the variables, and what else can be done."""
        try:
            yield
        except TablesTooLarge as refused:
            names = [self.ldag.schema[node].name for node in refused.nodes]
            raise TooLarge(
                f"exact inference needs tables of {spell_bytes(refused.n_bytes)}, and {argument('memory_limit')} is"
                f" {spell_bytes(refused.memory_limit)}: the largest has {refused.n_cells:,.0f} cells, over"
                f" {list_names(names, NAMED)}; observe some of these variables, allow"
                f" {option('memory_limit', spell_bytes(refused.n_bytes))}"
                + (by_door(f", {ESTIMATE}", "") if other is None else other)
            ) from None
        except TooManyGates as refused:
            first, *others = (self.ldag.schema[node].name for node in refused.nodes)
            step = f": {first!r} has to be summed out of a function of {list_names(others, NAMED)}" if others else ""
            raise TooLarge(
                f"exact inference needs sums and products with more than {refused.max_size:,} arguments"
                f"{step or f' already for {first!r}'}; observe some of these variables"
                + by_door(f", {allow_size(refused.needed)}{ESTIMATE}", "")
            ) from None


def _both(findings: CodedFindings, more: CodedFindings, n_states: Sequence[int]) -> CodedFindings | None:
    """Return findings that say what both say, or None if they contradict each other."""
    both = dict(findings)
    for node, finding in more.items():
        known = _weights(both.get(node, (1.0,) * n_states[node]), n_states[node])
        joined = tuple(a * b for a, b in zip(known, _weights(finding, n_states[node]), strict=True))
        if not any(joined):
            return None
        is_state = sorted(joined)[-1] == sum(joined) == 1.0
        both[node] = joined.index(1.0) if is_state else joined
    return both


def _weights(finding: int | tuple[float, ...], n_states: int) -> tuple[float, ...]:
    return finding if isinstance(finding, tuple) else tuple(float(code == finding) for code in range(n_states))
