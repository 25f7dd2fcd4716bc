"""What moves an answer: findings, other variables, and the parameters themselves."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldag.checks import check_whole
from ldag.drawing import Printable
from ldag.errors import ArgumentError
from ldag.formats import Context, conditions
from ldag.inference import MEMORY_LIMIT, compile_circuit
from ldag.model import State, Variable
from ldag.network.directions import SAME, tell_arrows
from ldag.network.findings import Findings, read_findings, spell_findings
from ldag.network.questions import RANGE, Questions


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
            "before": _listed(self.before),
            "after": _listed(self.after),
            "findings": [
                {
                    "variable": f.variable,
                    "finding": f.spelled,
                    "change": f.change,
                    "alone": _listed(f.alone),
                    "without": _listed(f.without),
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


class NetworkInfluence(Questions):
    """What moves answers."""

    def contrast(
        self,
        event: Context,
        given: Findings | None = None,
        *,
        do: Context,
        against: Context,
        memory_limit: int | str = MEMORY_LIMIT,
    ) -> dict[str, Contrast]:
        """Compare the probability of an event when variables are set one way and another.

        Returns the "difference" and the "ratio" of the two probabilities. In a learned network each has a range over
        all graphs that say the same and satisfy the constraints, and a `GraphWarning` names the arrows that make
        it wide, as in `query`. Intervals that know of other graphs come from `Posterior.contrast`.

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> both = net.contrast({"pressure": ">140"}, do={"smoking": "yes"}, against={"smoking": "no"})
        >>> round(both["difference"].value, 3)
        -0.078
        """
        codes = self.ldag.schema.context(event, "event: ")
        if not codes:
            raise ArgumentError("event must name at least one variable and its state")
        names = tuple(event)
        place = tuple(codes[node] for node in self.ldag.schema.nodes(names))
        questions = [self._asked(given, one, memory_limit) for one in (do, against)]
        members = self._members({**questions[0].done, **questions[1].done})
        sides = []
        for asked in questions:
            nodes = self._targets(names, asked)
            with self._explained():
                log_probability, posterior = asked.engine.joint(nodes, asked.evidence, asked.memory_limit)
                self._check_possible(log_probability, asked)
                seen = {node: finding for node, finding in asked.evidence.items() if node not in asked.done}
                others = [] if members is None else members.answers(nodes, seen, asked.done, asked.memory_limit)
                sides.append([None if one is None else float(one[place]) for one in (posterior, *others)])
        pairs = np.array([(a, b) for a, b in zip(*sides, strict=True) if a is not None and b is not None])
        is_known = members is None or self._can_tell(members, 2)
        if members is not None and members.arrows and is_known:
            n_left_out = len(sides[0]) - len(pairs)
            if np.ptp(pairs, axis=0).max() > SAME or not members.are_all(n_left_out):
                tell_arrows(members.arrows, RANGE.format(over=members.count(n_left_out)))
        with np.errstate(divide="ignore", invalid="ignore"):
            both = {"difference": pairs[:, 0] - pairs[:, 1], "ratio": pairs[:, 0] / pairs[:, 1]}
        ends = {name: (v.min(), v.max()) if is_known else (np.nan, np.nan) for name, v in both.items()}
        return {name: Contrast(*map(float, (v[0], *ends[name]))) for name, v in both.items()}

    def bound_most_probable(
        self, of: str | Iterable[str], given: Findings | None = None, *, do: Context | None = None
    ) -> BoundedStates:
        """Bound what `most_probable` with ``of`` finds, where its tables are too large: posteriors are enough for this.

        The variable whose state is surest gets that state, which is given from then on, until all have one: together
        they are as probable as ``probability`` says, and no other states can be more probable than ``at_most``, the
        least of the probabilities of each variable's most probable state (the bound by single variables).

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> found = net.bound_most_probable(["smoking", "protein"], {"pressure": ">140"})
        >>> found.states, round(found.probability, 4), round(found.at_most, 4)
        ({'smoking': 'no', 'protein': '<3'}, 0.3518, 0.5427)
        """
        asked = self._asked(given, do)
        self._warn_of_directions(asked.done)
        names = [self.ldag.schema[node].name for node in self._named(of, asked, "of: ")]
        known, chosen = dict(given or {}), dict[str, State]()
        probability, at_most = 1.0, 1.0
        while len(chosen) < len(names):
            marginals = self._marginals(self._asked(known, do))
            open_names = [name for name in names if name not in chosen]
            if not chosen:
                at_most = min(max(marginals[name].values()) for name in open_names)
            surest = max(open_names, key=lambda name: max(marginals[name].values()))
            state = max(marginals[surest], key=lambda s: marginals[surest][s])
            chosen[surest] = known[surest] = state
            probability *= marginals[surest][state]
        return BoundedStates(chosen, probability, max(at_most, probability))

    def explain(
        self, target: str, given: Findings, *, state: State | None = None, do: Context | None = None
    ) -> Explanation:
        """Tell which findings moved the distribution of a variable, and by how much.

        Parameters
        ----------
        target
            The variable.
        given
            Findings, as in `query`.
        state
            The state to explain; by default the one that is most probable given all findings.
        do
            As in `query`.

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> print(net.explain("pressure", {"smoking": "yes", "protein": "<3"}))
        pressure is <140: probability 0.5723 before, 0.6738 given all findings
          smoking is yes  +0.0766  (alone 0.6093, all but this 0.5972)
          protein is <3   +0.0645  (alone 0.5972, all but this 0.6093)
        """
        schema = self.ldag.schema
        self._warn_of_directions(schema.context(do))
        findings = read_findings(schema, given, "given: ")
        if not findings:
            raise ArgumentError("given: there is nothing to explain without findings; name at least one")
        variable = schema[schema.node(target, "target: ")]
        after = self._distribution(target, given, do)
        likeliest = max(after, key=lambda s: after[s])
        shown = likeliest if state is None else variable.states[variable.code(state, "state: ")]
        influences = []
        for name, finding in given.items():
            node = schema.node(name)
            others = {other: known for other, known in given.items() if other != name}
            without = self._distribution(target, others, do)
            alone = self._distribution(target, {name: finding}, do)
            spelled = spell_findings(schema, {node: findings[node]})
            influences.append(FindingInfluence(name, spelled, alone, without, after[shown] - without[shown]))
        influences.sort(key=lambda influence: -abs(influence.change))
        return Explanation(target, shown, self._distribution(target, {}, do), after, tuple(influences))

    def mutual_information(
        self,
        a: str | Iterable[str],
        b: str | Iterable[str],
        given: Findings | None = None,
        *,
        do: Context | None = None,
        memory_limit: int | str = MEMORY_LIMIT,
    ) -> float:
        """Return how much one or several variables tell about others, in nats, given what is known.

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> round(net.mutual_information("smoking", "pressure"), 5)
        0.00256
        """
        first, second = ([names] if isinstance(names, str) else list(names) for names in (a, b))
        asked = self._asked(given, do, memory_limit)
        self._warn_of_directions(asked.done)
        nodes = self._targets([*first, *second], asked)
        if not first or not second:
            raise ArgumentError("name at least one variable on each side")
        with self._explained():
            log_probability, posterior = asked.engine.joint(nodes, asked.evidence, asked.memory_limit)
        self._check_possible(log_probability, asked)
        size = int(np.prod(posterior.shape[: len(first)]))
        joint: NDArray[np.float64] = posterior.reshape(size, -1)
        apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
        seen = joint > 0
        return max(0.0, float(joint[seen] @ np.log(joint[seen] / apart[seen])))

    def sensitivity(
        self, event: Context, given: Context | None = None, *, do: Context | None = None, n: int = 10
    ) -> tuple[ParameterInfluence, ...]:
        """Return the parameters that the probability of an event depends on most, with its derivatives by them.

        Parameters
        ----------
        event, given, do
            As in `probability`; states only.
        n
            How many to return, the greatest derivatives first.

        Examples
        --------
        >>> import ldag
        >>> net = ldag.Network.from_data(ldag.datasets.graph("heart"), ldag.datasets.load("heart"))
        >>> print(net.sensitivity({"pressure": ">140"}, {"smoking": "yes"}, n=1)[0])
        P(pressure is <140 | smoking is yes and protein is <3) = 0.6738: derivative -0.5236
        """
        schema = self.ldag.schema
        known = schema.context(given, "given: ") | schema.context(do, "do: ")
        wanted = schema.context(event, "event: ")
        check_whole(n, "n")
        asked = self._asked(given, do)
        probability = self.probability(event, given, do=do)
        if probability == 0:
            raise ArgumentError("event: it has probability zero here, which no small change of a parameter explains")
        model = asked.engine.model
        nodes = sorted(model.structure.ancestors([*wanted, *known]))
        with self._explained():
            circuit = compile_circuit(model, nodes, by_class=True)
        changes = circuit.log_derivatives(known | wanted) - circuit.log_derivatives(known)
        derivatives = probability * changes
        done = schema.context(do)
        parts = zip(circuit.nodes, circuit.by_class(derivatives), circuit.by_class(circuit.values), strict=True)
        ranked = [
            (float(slopes[place]), node, place, float(values[place]))
            for node, slopes, values in parts
            if node not in done
            for slopes in (_in_proportion(slopes, values),)
            for place in np.ndindex(*values.shape)
        ]
        ranked.sort(key=lambda item: -abs(item[0]))
        return tuple(self._named_parameter(*item) for item in ranked[:n])

    def _named_parameter(
        self, derivative: float, node: int, place: tuple[int, ...], value: float
    ) -> ParameterInfluence:
        variable = self.ldag.schema[node]
        rule = self.ldag.reduced_cpt(variable.name).rules[place[0]]
        return ParameterInfluence(
            variable.name, variable.states[place[1]], place[0], tuple(rule.contexts), value, derivative, rule.parents
        )

    def _distribution(self, target: str, given: Findings, do: Context | None) -> dict[State, float]:
        """Return the posterior of one variable by state."""
        asked = self._asked(given, do)
        (node,) = self._targets(target, asked)
        with self._explained():
            log_probability, posterior = asked.engine.joint((node,), asked.evidence)
        self._check_possible(log_probability, asked)
        return dict(zip(self.ldag.schema[node].states, posterior.tolist(), strict=True))


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


def _listed(distribution: Mapping[State, float]) -> list[dict[str, object]]:
    return [{"state": state, "probability": p} for state, p in distribution.items()]
