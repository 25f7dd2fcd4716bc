"""A decision about an independence, in the names of the graph it was asked of."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from ldag.errors import NotDecided
from ldag.formats import spell_name, spell_state
from ldag.hook import Printable
from ldag.model import Schema, State, Structure
from ldag.reasoning.implication import Decision, Question
from ldag.reasoning.separation import context_parents


@dataclass(frozen=True)
class Independence:
    """The statement that a is independent of b given some variables in a context.

    Examples
    --------
    >>> print(Independence(("gender",), ("badge",), (), {"person": "spy"}))
    gender ⊥ badge | person=spy
    """

    a: tuple[str, ...]
    b: tuple[str, ...]
    given: tuple[str, ...]
    context: Mapping[str, State]

    def __str__(self) -> str:
        return f"{', '.join(self.a)} ⊥ {', '.join(self.b)}{self._condition}"

    def denied(self) -> str:
        """Return the opposite statement."""
        return f"{', '.join(self.a)} ⊥̸ {', '.join(self.b)}{self._condition}"

    @property
    def _condition(self) -> str:
        parts = [*self.given, *assignments(self.context)]
        return f" | {', '.join(parts)}" if parts else ""

    def __hash__(self) -> int:
        return hash((self.a, self.b, self.given, tuple(sorted(self.context))))


@dataclass(frozen=True)
class NamedWitness:
    """A distribution of the model in which the independence fails, and where to see that.

    ``parameters`` has one distribution per class of every node that bears on the question; other nodes may have
    any. ``probabilities`` are those of ``a`` under the two states of ``b``, in the context and given the states in
    ``given`` (variables that make no difference are left out).
    """

    parameters: Mapping[str, tuple[tuple[float, ...], ...]]
    a: Mapping[str, State]
    b: tuple[Mapping[str, State], Mapping[str, State]]
    given: Mapping[str, State]
    probabilities: tuple[float, float]

    def to_dict(self) -> dict[str, object]:
        """Return plain values for JSON."""
        return {
            "a": dict(self.a),
            "b": [dict(state) for state in self.b],
            "given": dict(self.given),
            "probabilities": self.probabilities,
            "parameters": dict(self.parameters),
        }


@dataclass(frozen=True, eq=False, repr=False)
class Verdict(Printable):
    """Whether a labelled DAG implies an independence, and why.

    ``bool(verdict)`` is the answer; it raises `NotDecided` where there is none, so that "not decided" is never
    taken for "no".
    """

    _schema: Schema
    _structure: Structure
    _decision: Decision
    _left_out: tuple[tuple[str, str], ...] = ()
    """Edges that never matter, which the reasons do without."""

    @property
    def decided(self) -> bool:
        """Whether the question was settled within the budget."""
        return self._decision.independent is not None

    @property
    def independent(self) -> bool | None:
        """The answer, or None if it was not decided."""
        return self._decision.independent

    @property
    def how(self) -> str:
        """The rule that settled it.

        One of "d-separation", "CSI-separation", "cases", "contraction", "algebra", "witness", "not decided".
        """
        return self._decision.how

    @property
    def statement(self) -> Independence:
        """The independence that was asked about."""
        return self._name(self._decision.question)

    @property
    def cases(self) -> tuple[dict[str, State], ...]:
        """For a proof by cases, the contexts it goes through."""
        return tuple(self._schema.named(case) for case in self._decision.cases)

    @cached_property
    def witness(self) -> NamedWitness | None:
        """For a dependence, a distribution of the model that shows it."""
        witness = self._decision.witness
        if witness is None:
            return None
        parameters = {
            self._schema[node].name: tuple(tuple(row) for row in table.tolist())
            for node, table in witness.parameters.items()
        }
        named = self._schema.named
        first, second = witness.b
        return NamedWitness(
            parameters, named(witness.a), (named(first), named(second)), named(witness.given), witness.probabilities
        )

    def __bool__(self) -> bool:
        if self._decision.independent is None:
            raise NotDecided(
                f"{self.statement}: not decided, {self._decision.reason}; "
                "raise the budget, or look at verdict.decided first"
            )
        return self._decision.independent

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Verdict):
            return NotImplemented
        mine, theirs = (self.statement, self.independent, self.how), (other.statement, other.independent, other.how)
        return mine == theirs

    def __hash__(self) -> int:
        return hash((self.statement, self.independent, self.how))

    def __repr__(self) -> str:
        return f"<Verdict: {self}>"

    def __str__(self) -> str:
        if self.independent is None:
            return f"{self.statement}: not decided"
        return f"{self.statement if self.independent else self.statement.denied()} ({self.how})"

    def explain(self) -> str:
        """Return the reasons in sentences."""
        heading = {True: "holds", False: "does not hold", None: "was not decided"}[self.independent]
        lines = [f"{self.statement} {heading}.", *self._reasons(self._decision)]
        if self._left_out:
            lines.append(f"(Left out, as they never matter: {', '.join(f'{a} -> {b}' for a, b in self._left_out)}.)")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, object]:
        """Return plain values for JSON; a dependence comes with its witness."""
        statement = self.statement
        fields: dict[str, object] = {
            "a": statement.a,
            "b": statement.b,
            "given": statement.given,
            "context": dict(statement.context),
            "decided": self.decided,
            "independent": self.independent,
            "how": self.how,
            "explanation": self.explain(),
        }
        if self.witness is not None:
            fields["witness"] = self.witness.to_dict()
        return fields

    def _reasons(self, decision: Decision) -> list[str]:
        match decision.how:
            case "d-separation":
                return [f"d-separation: {self._blocked(decision.question)} in the graph as it is."]
            case "CSI-separation":
                q = decision.question
                return [f"CSI-separation: {self._vanish(q.context)}; then {self._blocked(q)}."]
            case "cases":
                return self._case_reasons(decision)
            case "contraction":
                lines = ["contraction: it follows from two independencies together."]
                for number, step in enumerate(decision.steps, start=1):
                    lines.append(f"  ({number}) {self._name(step.question)}, by")
                    lines.extend("      " + line for line in self._reasons(step))
                return lines
            case "algebra":
                return self._algebra_reasons(decision)
            case "witness":
                return self._witness_reasons()
            case "not decided":
                return [f"not decided: {decision.reason}; a larger budget may settle it."]

    def _case_reasons(self, decision: Decision) -> list[str]:
        split = sorted({node for case in decision.cases for node in case})
        lines = [f"cases: CSI-separation holds for every state of {self._list(split)}."]
        for case in decision.cases:
            q = decision.question.in_case(case)
            shown = ", ".join(assignments(self._schema.named(case)))
            lines.append(f"  {shown}: {self._vanish(q.context)}.")
        return lines

    def _algebra_reasons(self, decision: Decision) -> list[str]:
        asked = self._name(decision.question)
        rest = [*asked.given, *assignments(asked.context)]

        def p(*parts: str) -> str:
            return f"P({', '.join([*parts, *rest])})" if parts or rest else "1"

        return [
            f"algebra: {p(*asked.a, *asked.b)} {p()} = {p(*asked.a)} {p(*asked.b)} as polynomials in the parameters.",
            f"  Both sides were computed exactly for {decision.n_draws} random choices of parameters modulo 2^31 - 1;",
            "  the chance that they agree without being equal is below 2^-60.",
        ]

    def _witness_reasons(self) -> list[str]:
        witness = self.witness
        assert witness is not None
        rest = [*assignments(witness.given), *assignments(self.statement.context)]
        event = ", ".join(assignments(witness.a))
        lines = ["witness: in one distribution of the model (its parameters are in .witness)"]
        digits = next((d for d in range(4, 17) if len({f"{p:.{d}f}" for p in witness.probabilities}) == 2), 16)
        for state, probability in zip(witness.b, witness.probabilities, strict=True):
            lines.append(f"  P({event} | {', '.join([*assignments(state), *rest])}) = {probability:.{digits}f}")
        if digits > 10:
            lines.append("  (too weak to show in rounded numbers; it was proven with exact ones, modulo 2^31 - 1)")
        return lines

    def _blocked(self, question: Question) -> str:
        conditioning = sorted(question.given | question.context.keys())
        a, b = self._list(question.a), self._list(question.b)
        if not conditioning:
            return f"no open path joins {a} and {b}"
        return f"every path between {a} and {b} is blocked given {self._list(conditioning)}"

    def _vanish(self, context: Mapping[int, int]) -> str:
        """Return which edges vanish in a context, in words."""
        kept = context_parents(self._structure, context)
        names = [spell_name(name) for name in self._schema.names]
        gone = [
            f"{names[parent]} -> {names[child]}" for parent, child in self._structure.edges if parent not in kept[child]
        ]
        if not gone:
            return "no edge vanishes"
        return f"{', '.join(gone)} vanish{'es' if len(gone) == 1 else ''}"

    def _name(self, question: Question) -> Independence:
        names = self._schema.names
        a, b, given = (tuple(names[node] for node in sorted(side)) for side in (question.a, question.b, question.given))
        return Independence(a, b, given, self._schema.named(question.context))

    def _list(self, nodes: Iterable[int]) -> str:
        return ", ".join(self._schema.names[node] for node in sorted(nodes))


def assignments(context: Mapping[str, State]) -> list[str]:
    """Return a context as parts such as ``protein=">3"``, spelled as in the text form."""
    return [f"{spell_name(name)}={spell_state(state)}" for name, state in context.items()]
