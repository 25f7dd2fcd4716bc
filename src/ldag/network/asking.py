"""How a network is asked: engines, evidence in codes, errors that name what is too large, and ranges over graphs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import prod

import numpy as np
from numpy.typing import NDArray

from ldag.errors import (
    ArgumentError,
    ImpossibleEvidence,
    TooLarge,
    argument,
    by_door,
    counted,
    list_names,
    option,
    spell_bytes,
)
from ldag.formats import Context, Edge
from ldag.inference import (
    LEAST_EFFECTIVE,
    MEMORY_LIMIT,
    CodedFindings,
    Completions,
    Engine,
    Predictor,
    TablesTooLarge,
    TooManyGates,
    estimate_by_weighting,
)
from ldag.model import Model
from ldag.network.answers import Answer, AnswerKey, Averaged, AveragedAnswer, Estimated
from ldag.network.arguments import (
    Findings,
    Targets,
    allow_size,
    check_memory,
    read_findings,
    spell_findings,
)
from ldag.network.base import NetworkBase
from ldag.network.directions import MOST_ANSWERS, MOST_SETS, EquivalentGraphs, tell_arrows
from ldag.reasoning import possible_parents

JOINT_LIMIT = 1 << 20
"""Cells of a joint distribution that are listed at most."""

ESTIMATE = "or use estimate(...), which samples"

NAMED = 12
"""Variables of a large table that an error names."""

SINGLE = "this is the answer of one graph of several that say the same"
RANGE = SINGLE + ", and the range is over {over}; constraints settle what is known"
MANY = f"{SINGLE}; ask for variables one by one, and there is a range over all of them"
NO_RANGE = f"{SINGLE}; a distribution that is asked for has a range over all of them"
UNKNOWN = f"perhaps constraints did, which this file does not keep; if not, {SINGLE}"
"""What follows if arrows are not determined."""

Ranges = dict[AnswerKey, tuple[float, float]]


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

    @property
    def seen(self) -> CodedFindings:
        """What was observed and not set."""
        return {node: finding for node, finding in self.evidence.items() if node not in self.done}


class Asking:
    """What answering questions to a network needs and keeps: engines, and the graphs that say the same."""

    def __init__(self, net: NetworkBase) -> None:
        self.net = net
        self.schema = net.ldag.schema
        self._engines: dict[frozenset[int], Engine] = {}
        self._members: dict[frozenset[int], EquivalentGraphs] = {}
        self._completions: Completions | None = None
        self._predictor: Predictor | None = None

    def engine(self, done: Iterable[int] = ()) -> Engine:
        """Return the engine of the network, perhaps with some nodes set from outside."""
        key = frozenset(done)
        if key not in self._engines:
            model = Model(self.net.ldag.structure, self.net.probabilities)
            self._engines[key] = Engine(model.intervened(key) if key else model)
        return self._engines[key]

    def predictor(self) -> Predictor:
        """Return what predicts variables in rows."""
        if self._predictor is None:
            self._predictor = Predictor(self.engine())
        return self._predictor

    def completions(self) -> Completions:
        """Return what completes rows with gaps under the graph of the network."""
        if self._completions is None:
            self._completions = Completions(self.net.ldag.structure)
        return self._completions

    def ask(self, given: Findings | None, do: Context | None, memory_limit: int | str = MEMORY_LIMIT) -> AskedQuestion:
        """Return a question in codes."""
        seen, done = read_findings(self.schema, given, "given: "), self.schema.context(do, "do: ")
        for node in seen:
            if node in done:
                raise ArgumentError(f"{self.schema[node].name!r} is both observed and set; name it in given or in do")
        set_to = ((self.schema[node], code) for node, code in done.items())
        forced = ", ".join(f"{variable.name} set to {variable.states[code]}" for variable, code in set_to)
        spelled = spell_findings(self.schema, seen)
        return AskedQuestion(self.engine(done), seen | done, spelled, check_memory(memory_limit), done, forced)

    def find(self, names: Targets, asked: AskedQuestion, where: str) -> tuple[int, ...]:
        """Return variables in an order, none of which has its state given."""
        if isinstance(names, Set):
            raise ArgumentError(f"{where}a set has no order, and the answer has one; give a list, got {names!r}")
        nodes = self.schema.nodes(names, where)
        if not nodes:
            raise ArgumentError("name at least one target")
        for node in nodes:
            if isinstance(asked.evidence.get(node), int):
                raise ArgumentError(f"{self.schema[node].name!r} is a target and has its state given")
        return nodes

    def find_targets(self, targets: Targets, asked: AskedQuestion) -> tuple[int, ...]:
        """Return variables whose joint distribution can be listed."""
        nodes = self.find(targets, asked, "targets: ")
        size = prod(self.schema[node].n_states for node in nodes)
        if size > JOINT_LIMIT:
            raise TooLarge(
                f"the joint distribution of the targets has {size:,} cells; at most {JOINT_LIMIT:,} are listed"
            )
        return nodes

    def log_evidence(self, given: Findings, do: Context | None, memory_limit: int | str = MEMORY_LIMIT) -> float:
        """Return the log probability of findings; of likelihoods, the greatest of a variable counts as 1."""
        asked = self.ask(given, do, memory_limit)
        with self.explain_size():
            return asked.engine.log_probability(asked.evidence, asked.memory_limit)

    def joint(self, nodes: Sequence[int], asked: AskedQuestion) -> NDArray[np.float64]:
        """Return the joint distribution of nodes, an axis each."""
        with self.explain_size():
            log_probability, posterior = asked.engine.joint(nodes, asked.evidence, asked.memory_limit)
        self.check_possible(log_probability, asked)
        return posterior

    def marginals(self, asked: AskedQuestion) -> list[NDArray[np.float64]]:
        """Return the distribution of every node."""
        with self.explain_size():
            log_probability, posteriors = asked.engine.marginals(
                range(len(self.schema)), asked.evidence, asked.memory_limit
            )
        self.check_possible(log_probability, asked)
        return list(posteriors)

    def estimate(
        self, nodes: Sequence[int], asked: AskedQuestion, known: Mapping[int, int], n_samples: int, seed: int
    ) -> Estimated:
        """Return the joint distribution of nodes by sampling, where evidence is states that are known."""
        estimate = estimate_by_weighting(asked.engine, nodes, known, n_samples, seed)
        if estimate is None:
            raise ImpossibleEvidence(
                f"no sample agrees with {asked.spelled}: it is impossible, or so improbable that"
                f" {n_samples:,} samples do not show it; give more {argument('n_samples')}"
            )
        if estimate.effective_size < LEAST_EFFECTIVE:
            raise ArgumentError(
                f"{counted(n_samples, 'sample')} weighted by what is given are worth {estimate.effective_size:,.0f}"
                f" independent ones, and an estimate takes {LEAST_EFFECTIVE}; give more {argument('n_samples')}, or"
                " fewer findings"
            )
        numbers = (estimate.probabilities, estimate.standard_errors)
        probabilities, errors = (self.name_answer(nodes, one, asked.in_words) for one in numbers)
        return Estimated(probabilities, errors, estimate.effective_size)

    def name_answer(self, nodes: Sequence[int], numbers: NDArray[np.float64], said: str = "") -> Answer:
        """Return an array with an axis per node as a mapping."""
        variables = [self.schema[node] for node in nodes]
        names = [variable.name for variable in variables]
        if len(variables) == 1:
            return Answer(zip(variables[0].states, numbers.tolist(), strict=True), names, said)
        joint = (
            (tuple(v.states[code] for v, code in zip(variables, codes, strict=True)), float(numbers[codes]))
            for codes in np.ndindex(*numbers.shape)
        )
        return Answer(joint, names, said)

    def name_interval(
        self, nodes: Sequence[int], mean: Answer, draws: NDArray[np.float64], interval: float
    ) -> AveragedAnswer:
        """Return the means of an answer with equal-tailed intervals, from draws of it."""
        ends = np.quantile(draws, [(1 - interval) / 2, (1 + interval) / 2], axis=0)
        low, high = (self.name_answer(nodes, numbers) for numbers in ends)
        values = ((state, Averaged(p, low[state], high[state])) for state, p in mean.items())
        return AveragedAnswer(values, mean.targets, mean.said)

    def check_possible(self, log_probability: float, asked: AskedQuestion) -> None:
        """Refuse evidence that is impossible."""
        if np.isneginf(log_probability):
            raise ImpossibleEvidence(
                f"{asked.spelled or 'always'} has probability zero in this network, so nothing follows from it"
            )

    def find_members(self, done: Iterable[int]) -> EquivalentGraphs | None:
        """Return the graphs that say the same; None if nothing is set, or the graph was not learned but given."""
        key, net = frozenset(done), self.net
        if not key or net.origin is None:
            return None
        if key not in self._members:
            nodes = tuple(sorted(key))
            forbidden = [(self.schema.node(parent), self.schema.node(child)) for parent, child in net.forbidden]
            sets = possible_parents(net.ldag.structure, nodes, MOST_SETS, forbidden)
            names = {self.schema[node].name for node in nodes}
            turning = net.ldag.edge_directions(net.forbidden).open
            arrows = tuple(edge for edge in net.ldag.edges if names & set(edge) and edge in turning)
            self._members[key] = EquivalentGraphs(self.schema, nodes, arrows, sets, self.engine)
        return self._members[key]

    def find_ranges(
        self, asked: AskedQuestion, answers: Sequence[tuple[Sequence[int], NDArray[np.float64]]]
    ) -> tuple[list[Ranges] | None, tuple[Edge, ...]]:
        """Return the range of each answer over all graphs that say the same, and the arrows that make it wide.

        There is none where nothing is set or the graph was not learned. Answers are nodes with their distribution.
        """
        members = self.find_members(asked.done)
        if members is None or not self.can_tell(members, len(answers)):
            return None, ()
        with self.explain_size():
            bounds = [members.bounds(*one, asked.seen, asked.done, asked.memory_limit) for one in answers]
        is_open = [one for one in bounds if one.is_open and members.arrows]
        if is_open:
            tell_arrows(members.arrows, RANGE.format(over=is_open[0].over))
        ranges = []
        for (nodes, _), one in zip(answers, bounds, strict=True):
            high = self.name_answer(nodes, one.high)
            ranges.append({state: (low, high[state]) for state, low in self.name_answer(nodes, one.low).items()})
        return ranges, members.arrows if is_open else ()

    def can_tell(self, members: EquivalentGraphs, n_answers: int) -> bool:
        """Return whether ranges can be told; warn of arrows where they cannot."""
        if not members.arrows:
            return True
        if not self.net.knows_constraints:
            tell_arrows(members.arrows, UNKNOWN)
            return False
        if n_answers * len(members.parents.sets) > MOST_ANSWERS:
            tell_arrows(members.arrows, MANY)
            return False
        return True

    def warn_of_directions(self, done: Iterable[int]) -> None:
        """Warn of arrows at what is set that are not determined, where an answer has no range."""
        members = self.find_members(done)
        if members is not None and members.arrows:
            tell_arrows(members.arrows, NO_RANGE if self.net.knows_constraints else UNKNOWN)

    @contextmanager
    def explain_size(self, other: str | None = None) -> Iterator[None]:
        """Turn what is too large into an error that names the variables, and what else can be done."""
        try:
            yield
        except TablesTooLarge as refused:
            names = [self.schema[node].name for node in refused.nodes]
            raise TooLarge(
                f"exact inference needs tables of {spell_bytes(refused.n_bytes)}, and {argument('memory_limit')} is"
                f" {spell_bytes(refused.memory_limit)}: the largest has {refused.n_cells:,.0f} cells, over"
                f" {list_names(names, NAMED)}; observe some of these variables, allow"
                f" {option('memory_limit', spell_bytes(refused.n_bytes))}"
                + (by_door(f", {ESTIMATE}", "") if other is None else other)
            ) from None
        except TooManyGates as refused:
            first, *others = (self.schema[node].name for node in refused.nodes)
            step = f": {first!r} has to be summed out of a function of {list_names(others, NAMED)}" if others else ""
            raise TooLarge(
                f"exact inference needs sums and products with more than {refused.max_size:,} arguments"
                f"{step or f' already for {first!r}'}; observe some of these variables"
                + by_door(f", {allow_size(refused.needed)}{ESTIMATE}", "")
            ) from None
