"""What moves an answer: findings, other variables, and the parameters themselves."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldag.errors import ArgumentError
from ldag.formats import Context, conditions
from ldag.graph import LDAG
from ldag.hook import Printable
from ldag.inference import compile_circuit
from ldag.model import State, Variable
from ldag.network.arguments import Findings, Targets, read_findings, spell_findings
from ldag.network.asking import RANGE, Asking
from ldag.network.directions import SAME, tell_arrows
from ldag.network.measures import compare_probabilities


@dataclass(frozen=True)
class FindingInfluence:
    """One finding: what is believed of the target given it alone, and given all findings but this one."""

    variable: str
    spelled: str
    alone: Mapping[State, float]
    without: Mapping[State, float]
    change: float
    """By how much the finding, added to the others, changes the probability of the explained state."""


@dataclass(frozen=True, repr=False)
class Explanation(Printable):
    """How findings moved the distribution of a target; those that changed ``state`` most come first."""

    target: str
    state: State
    before: Mapping[State, float]
    after: Mapping[State, float]
    findings: tuple[FindingInfluence, ...]

    def __str__(self) -> str:
        head = (
            f"{self.target} is {self.state}: probability {self.before[self.state]:.4f} before,"
            f" {self.after[self.state]:.4f} given all findings"
        )
        if not self.findings:
            return head
        width = max(len(finding.spelled) for finding in self.findings)
        rows = [
            f"  {f.spelled:<{width}}  {f.change:+.4f}  (alone {f.alone[self.state]:.4f},"
            f" all but this {f.without[self.state]:.4f})"
            for f in self.findings
        ]
        return "\n".join([head, *rows])

    def to_dict(self) -> dict[str, object]:
        """Return plain values for JSON; distributions are lists, as states need not be texts."""
        return {
            "target": self.target,
            "state": self.state,
            "before": _list_states(self.before),
            "after": _list_states(self.after),
            "findings": [
                {
                    "variable": f.variable,
                    "finding": f.spelled,
                    "change": f.change,
                    "alone": _list_states(f.alone),
                    "without": _list_states(f.without),
                }
                for f in self.findings
            ],
        }


@dataclass(frozen=True)
class ParameterInfluence:
    """A parameter, and the derivative of an answer by it; the others of its distribution shrink in proportion."""

    variable: str
    state: State
    number: int
    """Of the class of the variable's parents, as in `Network.classes`."""
    contexts: tuple[Context, ...] = field(repr=False)
    value: float
    derivative: float
    parents: tuple[Variable, ...] = field(default=(), repr=False, compare=False)

    def __str__(self) -> str:
        given = " or ".join(conditions(self.contexts, self.parents))
        given = "" if given == "always" else f" | {given}"
        parameter = f"P({self.variable} is {self.state}{given})"
        return f"{parameter} = {self.value:.4f}: derivative {self.derivative:+.4f}"


@dataclass(frozen=True)
class BoundedStates:
    """States of some variables chosen one by one, how probable they are together, and what no choice exceeds."""

    states: dict[str, State]
    probability: float
    at_most: float


class Contrast(NamedTuple):
    """A comparison of two probabilities, and its least and greatest value over all graphs that say the same."""

    value: float
    low: float
    high: float


def contrast_answers(
    asking: Asking, event: Context, given: Findings | None, do: Context, against: Context, memory_limit: int | str
) -> dict[str, Contrast]:
    """Compare the probability of an event when variables are set one way and another."""
    codes = asking.schema.context(event, "event: ")
    if not codes:
        raise ArgumentError("event must name at least one variable and its state")
    names = tuple(event)
    place = tuple(codes[node] for node in asking.schema.nodes(names))
    questions = [asking.ask(given, one, memory_limit) for one in (do, against)]
    members = asking.find_members({**questions[0].done, **questions[1].done})
    sides = []
    for asked in questions:
        nodes = asking.find_targets(names, asked)
        posterior = asking.joint(nodes, asked)
        with asking.explain_size():
            others = [] if members is None else members.answers(nodes, asked.seen, asked.done, asked.memory_limit)
            sides.append([None if one is None else float(one[place]) for one in (posterior, *others)])
    pairs = np.array([(a, b) for a, b in zip(*sides, strict=True) if a is not None and b is not None])
    is_known = members is None or asking.can_tell(members, 2)
    if members is not None and members.arrows and is_known:
        n_left_out = len(sides[0]) - len(pairs)
        if np.ptp(pairs, axis=0).max() > SAME or not members.has_all(n_left_out):
            tell_arrows(members.arrows, RANGE.format(over=members.count(n_left_out)))
    compared = compare_probabilities(pairs[:, 0], pairs[:, 1])
    ends = {name: (v.min(), v.max()) if is_known else (np.nan, np.nan) for name, v in compared.items()}
    return {name: Contrast(*map(float, (v[0], *ends[name]))) for name, v in compared.items()}


def bound_states(asking: Asking, of: Targets, given: Findings | None, do: Context | None) -> BoundedStates:
    """Choose the surest states one by one, and bound all others."""
    asked = asking.ask(given, do)
    asking.warn_of_directions(asked.done)
    left = [asking.schema[node] for node in asking.find(of, asked, "of: ")]
    known, chosen = dict(given or {}), dict[str, State]()
    probability, at_most = 1.0, 1.0
    while left:
        posteriors = asking.marginals(asking.ask(known, do))
        greatest = [float(posteriors[asking.schema.node(variable.name)].max()) for variable in left]
        if not chosen:
            at_most = min(greatest)
        place = greatest.index(max(greatest))
        surest = left.pop(place)
        state = surest.states[int(posteriors[asking.schema.node(surest.name)].argmax())]
        chosen[surest.name] = known[surest.name] = state
        probability *= greatest[place]
    return BoundedStates(chosen, probability, max(at_most, probability))


def explain_findings(
    asking: Asking, target: str, given: Findings, state: State | None, do: Context | None
) -> Explanation:
    """Tell which findings moved the distribution of a variable, and by how much."""
    schema = asking.schema
    asking.warn_of_directions(schema.context(do))
    findings = read_findings(schema, given, "given: ")
    if not findings:
        raise ArgumentError("given: there is nothing to explain without findings; name at least one")
    variable = schema[schema.node(target, "target: ")]
    after = _distribution(asking, target, given, do)
    likeliest = max(after, key=lambda s: after[s])
    explained = likeliest if state is None else variable.states[variable.code(state, "state: ")]
    influences = []
    for name, finding in given.items():
        node = schema.node(name)
        others = {other: known for other, known in given.items() if other != name}
        without = _distribution(asking, target, others, do)
        alone = _distribution(asking, target, {name: finding}, do)
        spelled = spell_findings(schema, {node: findings[node]})
        influences.append(FindingInfluence(name, spelled, alone, without, after[explained] - without[explained]))
    influences.sort(key=lambda influence: -abs(influence.change))
    return Explanation(target, explained, _distribution(asking, target, {}, do), after, tuple(influences))


def mutual_information(posterior: NDArray[np.float64], n_first: int) -> float:
    """Return how much the first axes of a joint distribution tell about the others, in nats."""
    size = int(np.prod(posterior.shape[:n_first]))
    joint: NDArray[np.float64] = posterior.reshape(size, -1)
    apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    seen = joint > 0
    return max(0.0, float(joint[seen] @ np.log(joint[seen] / apart[seen])))


def rank_parameters(
    asking: Asking, event: Context, given: Context | None, do: Context | None, probability: float, n: int
) -> tuple[ParameterInfluence, ...]:
    """Return the parameters that the probability of an event depends on most, the greatest derivatives first."""
    schema = asking.schema
    known = schema.context(given, "given: ") | schema.context(do, "do: ")
    wanted = schema.context(event, "event: ")
    asked = asking.ask(given, do)
    if probability == 0:
        raise ArgumentError("event: it has probability zero here, which no small change of a parameter explains")
    model = asked.engine.model
    nodes = sorted(model.structure.ancestors([*wanted, *known]))
    with asking.explain_size():
        circuit = compile_circuit(model, nodes, by_class=True)
    changes = circuit.log_derivatives(known | wanted) - circuit.log_derivatives(known)
    derivatives = probability * changes
    parts = zip(circuit.nodes, circuit.by_class(derivatives), circuit.by_class(circuit.values), strict=True)
    ranked = [
        (float(slopes[place]), node, place, float(values[place]))
        for node, slopes, values in parts
        if node not in asked.done
        for slopes in (_in_proportion(slopes, values),)
        for place in np.ndindex(*values.shape)
    ]
    ranked.sort(key=lambda item: -abs(item[0]))
    return tuple(_name_parameter(asking.net.ldag, *item) for item in ranked[:n])


def _name_parameter(
    graph: LDAG, derivative: float, node: int, place: tuple[int, ...], value: float
) -> ParameterInfluence:
    variable = graph.schema[node]
    rule = graph.reduced_cpt(variable.name).rules[place[0]]
    return ParameterInfluence(
        variable.name, variable.states[place[1]], place[0], tuple(rule.contexts), value, derivative, rule.parents
    )


def _distribution(asking: Asking, target: str, given: Findings, do: Context | None) -> dict[State, float]:
    """Return the posterior of one variable by state."""
    asked = asking.ask(given, do)
    (node,) = asking.find_targets(target, asked)
    return dict(zip(asking.schema[node].states, asking.joint((node,), asked).tolist(), strict=True))


def _in_proportion(slopes: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return derivatives where the other parameters of a row make room in proportion, or evenly if all are zero."""
    n_others = values.shape[1] - 1
    if n_others == 0:
        return np.zeros_like(slopes)
    others = 1 - values
    weighted = (slopes * values).sum(axis=1, keepdims=True) - slopes * values
    even = (slopes.sum(axis=1, keepdims=True) - slopes) / n_others
    alone = others < 1e-15
    return np.asarray(slopes - np.where(alone, even, weighted / np.where(alone, 1.0, others)))


def _list_states(distribution: Mapping[State, float]) -> list[dict[str, object]]:
    return [{"state": state, "probability": p} for state, p in distribution.items()]
