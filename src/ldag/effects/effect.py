"""What is known of an effect, as a value: its formula or a proof that there is none, and numbers from data."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice, product
from typing import Any, Unpack

from ldag.checks import check_share
from ldag.data import Reading
from ldag.effects.answering import (
    N_BOUND_DRAWS,
    Answering,
    BoundedAnswer,
    EstimateOptions,
    find_formula,
    take_numbers,
)
from ldag.effects.bounding import find_needs
from ldag.effects.deciding import Deciding, at_case
from ldag.effects.explaining import EffectExplanation
from ldag.effects.formulas import Formula, nodes_in
from ldag.effects.results import (
    Budget,
    CaseFormula,
    EffectOutcome,
    EffectProof,
    EffectQuestion,
    Hedge,
    RankProof,
    States,
    Status,
    Twins,
)
from ldag.effects.sources import N_DRAWS, AnySource
from ldag.effects.spelling import FormulaText, LatexFormula, PlainValues, spell, write_statement
from ldag.effects.twins import extend_twins, find_twins
from ldag.errors import ArgumentError, LdagError, NotDecided
from ldag.formats import Context
from ldag.graph import LDAG
from ldag.hook import Printable
from ldag.model import Schema
from ldag.network import Answer, AveragedAnswer, Contrasts, Network

MOST_SHOWN_CASES = 8
"""Cases in which two models with different effects are looked for."""


@dataclass(frozen=True, eq=False, repr=False)
class Effect(Printable):
    """Whether P(target | do(treatments), given, context) is a function of the observed table, and which.

    ``bool(effect)`` tells whether it is identified; it raises `NotDecided` where that is unknown.
    """

    graph: LDAG
    question: EffectQuestion
    """What was asked, by number; for the library itself."""
    outcome: EffectOutcome
    """What is known, by number; for the library itself."""
    budget: Budget = field(default_factory=Budget)
    members: tuple["Effect", ...] = ()
    """Of a learned graph: the effect in each of the graphs that the data do not tell apart, as far as these differ in
    it; none if all arrows that matter are determined."""
    notes: tuple[str, ...] = ()

    @property
    def status(self) -> Status:
        """Whether it is "identified", "not identifiable" or "unknown"."""
        return self.outcome.status

    @property
    def statement(self) -> str:
        """What was asked, as P(Y | do(X))."""
        return write_statement(self._schema, self.question)

    @cached_property
    def needs(self) -> tuple[str, ...]:
        """The variables that the formula reads, in the order of the graph."""
        self._check_identified()
        nodes = frozenset[int]().union(*(nodes_in(one.formula) for one in self.outcome.formulas))
        return tuple(self._schema[node].name for node in sorted(nodes))

    @cached_property
    def partial(self) -> tuple["Effect", ...]:
        """Of what is not identified as a whole: the settings and contexts in which it is, each as an effect."""
        return tuple(self._part(one) for one in self._partial)

    @cached_property
    def witness(self) -> tuple[Network, Network] | None:
        """Two networks of the graph with one observed table and two effects, where it is not identifiable."""
        if self._twins is None:
            return None
        first, second = self._twins.models
        variables = [
            v.with_states(v.states if v.n_states == n else range(n))
            for v, n in zip(self._schema, first.structure.n_states, strict=True)
        ]
        graph = LDAG(Schema(tuple(variables)), first.structure)
        return Network(graph, first.probabilities), Network(graph, second.probabilities)

    def __bool__(self) -> bool:
        if self.status == "unknown":
            advice = "raise the budget, or look" if self.outcome.is_cut else "no budget decides it; look"
            raise NotDecided(
                f"it is not decided whether {self.statement} is identified ({'; '.join(self.outcome.tried)}); {advice}"
                " at effect.status first"
            )
        return self.status == "identified"

    def __repr__(self) -> str:
        return super().__repr__().replace("; but>", ">")

    def __str__(self) -> str:
        return "\n".join([*self._headline(), *(f"note: {note}" for note in self.notes)])

    def explain(self) -> str:
        """Say why: which edges vanish where, what is adjusted for, by which independence and why that holds."""
        if self.status != "identified" and self.members:
            return str(self)
        plain = None if self.graph.structure.is_table else self._deciding.by_plain_graph()
        hedge = plain if isinstance(plain, Hedge) else None
        reasons = EffectExplanation(
            self._schema,
            self.graph.structure,
            self.question,
            self.outcome,
            self._partial,
            hedge,
            self._twins,
            "" if self.status == "identified" else self._refuse_bounds(),
        )
        return "\n".join([reasons.write(), *(f"note: {note}" for note in self.notes)])

    def to_latex(self) -> str:
        """Return the effect and its formula for papers, a line per case."""
        self._check_identified()
        rows = (
            f"{write_statement(self._schema, self.question, one.case, is_latex=True)}"
            f" = {LatexFormula(self._schema, one.formula, self._taken).write()}"
            for one in self.outcome.formulas
        )
        return r" \\ ".join(rows)

    def to_dict(self) -> dict[str, object]:
        """Return plain values for JSON."""
        values: dict[str, object] = {"effect": self.statement, "status": self.status}
        values["formulas"] = [
            {
                "case": self._schema.named(one.case),
                "effect": write_statement(self._schema, self.question, one.case),
                "formula": self._spell(one.formula),
                "tree": PlainValues(self._schema, FormulaText(self._schema, one.formula, self._taken)).of(one.formula),
            }
            for one in self.outcome.formulas or self._partial
        ]
        if self.status == "identified":
            values["needs"] = list(self.needs)
        if self._twins is not None:
            twins = self._twins
            case = {**twins.setting, **twins.given, **twins.target}
            values["witness_effects"] = list(twins.effects)
            values["witness_of"] = write_statement(self._schema, self.question, case)
        if self.members:
            values["members"] = [{**member.to_dict(), "if": self._arrows(member)} for member in self.members]
        return {**values, "tried": list(self.outcome.tried), "notes": list(self.notes)}

    def evaluate(
        self, source: AnySource, *, do: Context | None = None, given: Context | None = None, **reading: Unpack[Reading]
    ) -> Answer:
        """Return the formula's value on relative frequencies, or on what a network says: no prior, no interval.

        Parameters
        ----------
        source
            A table (whatever `ldag.read` takes), a `Dataset`, a `Network`, a `Fit`, a `Posterior` or a `Mixture`.
        do, given
            The states of treatments and of what is given, unless the effect was asked for at fixed ones.
        **reading
            Options of `ldag.read`, such as ``counts="n"``.

        Examples
        --------
        >>> import ldag
        >>> graph = ldag.LDAG.from_edges(
        ...     [("z", "x"), ("z", "y"), ("x", "y")], states={"z": [0, 1], "x": [0, 1], "y": [0, 1]}
        ... )
        >>> rows = {"z": [0, 0, 0, 1, 1, 1, 1], "x": [0, 1, 1, 0, 0, 1, 1], "y": [0, 0, 1, 0, 1, 1, 1]}
        >>> ldag.identify(graph, "y", do="x").evaluate(rows, do={"x": 1})
        {0: 0.21428571428571427, 1: 0.7857142857142857}
        """
        return self._answering(source, reading).evaluate(do, given)

    def estimate(
        self,
        source: AnySource,
        *,
        do: Context | None = None,
        given: Context | None = None,
        interval: float = 0.95,
        **options: Unpack[EstimateOptions],
    ) -> AveragedAnswer:
        """Return the mean of the effect's posterior and an interval, for every state of the target.

        Parameters
        ----------
        source
            A table (whatever `ldag.read` takes), a `Dataset`, a `Network`, a `Fit`, a `Posterior` or a `Mixture`.
        do, given
            The states of treatments and of what is given, unless the effect was asked for at fixed ones.
        interval
            The posterior probability of the equal-tailed interval.
        equivalent_sample_size
            Of data: how many observations the prior counts for, spread evenly over the table that the formula reads.
        n_draws, rng
            How many draws, and their seed, or a numpy Generator; None is 0.
        **options
            Options of `ldag.read`, such as ``counts="n"``.

        The answer's ``notes`` name the strata that the formula weighs and the data hardly visit.
        """
        check_share(interval, "interval", inside=True)
        return self._answering(source, {"n_draws": N_DRAWS, **options}).estimate(do, given, interval)

    def contrast(
        self,
        source: AnySource,
        event: Context,
        *,
        do: Context,
        against: Context,
        given: Context | None = None,
        interval: float = 0.95,
        **options: Unpack[EstimateOptions],
    ) -> Contrasts:
        """Compare the probability of an event under two settings: difference, ratio and odds ratio, with intervals.

        The options are those of `estimate`. Where the only target's states are ordered there is the "difference of
        means" too, its states counting 0, 1, 2, ...
        """
        check_share(interval, "interval", inside=True)
        return self._answering(source, {"n_draws": N_DRAWS, **options}).contrast(event, do, against, given, interval)

    def bounds(
        self,
        source: AnySource,
        *,
        do: Context | None = None,
        given: Context | None = None,
        event: Context | None = None,
        against: Context | None = None,
        interval: float | None = None,
        **options: Unpack[EstimateOptions],
    ) -> BoundedAnswer:
        """Return the least and the greatest effect that the table leaves possible, for every state of the target.

        Parameters
        ----------
        source, do, given, **options
            As in `estimate`.
        event, against
            For the bounds of an event's probability, or of its difference to that under another setting.
        interval
            Without it the bounds are those of relative frequencies. With it, such as 0.95, tables are drawn, and the
            answer goes from the lower quantile of the lower ends to the upper quantile of the upper ends.

        An effect that is identified has both ends equal. The answer's ``notes`` tell if the table contradicts the
        graph, and how far it is from one that does not.
        """
        if interval is not None:
            check_share(interval, "interval", inside=True)
            options = {"n_draws": N_BOUND_DRAWS, **options}
        settings = [do] if against is None else [do, against]
        cases = [self._at_states(setting, given) for setting in settings]
        return self._answering(source, options, cases).bound(settings, given, event, interval)

    @property
    def _schema(self) -> Schema:
        return self.graph.schema

    @property
    def _taken(self) -> tuple[int, ...]:
        """Variables of the question: what a sum binds is told apart from them."""
        return (*self.question.do, *self.question.given, *self.question.target)

    @cached_property
    def _deciding(self) -> Deciding:
        latent = frozenset(self._schema.nodes(self.graph.latent))
        return Deciding(self.graph.structure.regular(), latent, self.question, self.budget)

    @cached_property
    def _twins(self) -> Twins | None:
        """Two models that prove a "no"."""
        proof = self.outcome.proof
        if proof is None:
            return None
        shown = (self._look_for_twins(proof, case) for case in self._cases_of_twins(proof))
        twins = next((one for one in shown if one is not None), None)
        return None if twins is None else self._show_second_state(twins)

    def _look_for_twins(self, proof: EffectProof, case: States) -> Twins | None:
        """Walk from the models of a proof, in one case."""
        known, asked = self._deciding, at_case(self.question, case)
        sizes, cut = (None, ()) if isinstance(proof, Hedge) else (proof.latent_states, proof.cut)
        twins = find_twins(known.ancestral, known.latent, asked, sizes, cut=cut, fixed=known.fixed)
        return None if twins is None else extend_twins(twins, known.structure, known.latent)

    def _cases_of_twins(self, proof: EffectProof) -> Iterator[States]:
        """Go through the cases in which two models may differ: that of the proof, and others if no walk leads away."""
        first = proof.case if isinstance(proof, RankProof) else self._example
        nodes = [node for node in (*self.question.do, *self.question.given) if node not in self.question.setting]
        others = product(*(range(self._schema.n_states[node]) for node in nodes))
        yield first
        cases = (dict(zip(nodes, states, strict=True)) for states in reversed(list(islice(others, MOST_SHOWN_CASES))))
        yield from (case for case in cases if case.items() != first.items())

    def _show_second_state(self, twins: Twins) -> Twins:
        """Of a target with two states show the second one: people speak of "yes"."""
        (target, state), *others = twins.target.items()
        if others or state or self._schema.n_states[target] != 2:
            return twins
        first, second = twins.effects
        return replace(twins, target={target: 1}, effects=(1 - first, 1 - second))

    @property
    def _example(self) -> States:
        """A case to show something in: the last states of treatments, the first of what is given."""
        q, n_states = self.question, self._schema.n_states
        return {**{node: n_states[node] - 1 for node in q.do}, **dict.fromkeys(q.given, 0), **q.setting}

    def _spell(self, formula: Formula) -> str:
        return spell(self._schema, formula, self._taken)

    def _headline(self) -> Iterator[str]:
        """Say the status, or the formula, in one line, and further cases below."""
        if self.status != "identified" and self.members:
            why = "graphs that the data do not tell apart have different effects"
            if self.status == "unknown":
                why = "; ".join(self.outcome.tried) or "that of a graph which says the same is open"
            known = "decided" if self.status == "unknown" else "identifiable"
            yield f"{self.statement} is not {known}: {why}"
            for member in self.members:
                yield f"  {str(member).splitlines()[0]}   if {self._arrows(member)}"
            return
        formulas, indent = (self.outcome.formulas, "") if self.status == "identified" else (self._partial, "  ")
        if indent:
            known = "is not identifiable" if self.status == "not identifiable" else "is not decided"
            yield f"{self.statement} {known}" + ("; but" if formulas else "")
        for one in formulas:
            text = f"{write_statement(self._schema, self.question, one.case)} = {self._spell(one.formula)}"
            yield indent + text.replace("\n", f"\n{indent}")

    def _arrows(self, member: "Effect") -> str:
        """Say which arrows lead into the treatments in the graph of a member."""
        names = [self._schema[node].name for node in self.question.do]
        pairs = [f"{parent} -> {name}" for name in names for parent in member.graph.parents(name)]
        return ", ".join(pairs) or f"no arrow leads to {', '.join(names)}"

    @cached_property
    def _partial(self) -> tuple[CaseFormula, ...]:
        if self.status == "identified" or self.members:
            return ()
        known = (*self.outcome.formulas, *self._deciding.identify_contexts())
        cases = {frozenset(one.case.items()): one for one in reversed(known)}
        return tuple(one for case, one in reversed(cases.items()) if not any(other < case for other in cases))

    def _part(self, one: CaseFormula) -> "Effect":
        """Return the effect in one case."""
        outcome = EffectOutcome("identified", (replace(one, case={}),))
        return replace(self, question=at_case(self.question, one.case), outcome=outcome, members=())

    def _check_identified(self) -> None:
        """Refuse what only an identified effect has."""
        if self.status == "identified":
            return
        more = "; effect.partial has the cases that are identified" if self.partial else ""
        other = "; effect.members has the effect in each graph" if self.members else "; effect.bounds(data) has bounds"
        known = "is not identifiable" if self.status == "not identifiable" else "is not known to be identified"
        raise ArgumentError(f"{self.statement} {known}, so it has no formula{other}{more}")

    def _refuse_bounds(self) -> str:
        """Say why bounds are not worked out, if they are not whatever the data."""
        try:
            self._find_bound_needs([self._example])
        except ArgumentError as error:
            return str(error)
        return ""

    def _find_bound_needs(self, cases: Sequence[States]) -> frozenset[int]:
        """Return what bounds in one case, or of the difference between two, are worked out from."""
        known, first, *others = self._deciding, *cases
        against = {node: others[0][node] for node in self.question.do} if others else None
        return find_needs(known.structure, known.latent, at_case(self.question, first), against)

    def _at_states(self, *states: Context | None) -> States:
        """Return a case with states by name; what is wrong with them is told when the source is read."""
        codes = dict(self._example)
        for name, state in (pair for one in states if isinstance(one, Mapping) for pair in one.items()):
            with suppress(LdagError):
                named = self._schema.context({name: state})
                codes |= {node: code for node, code in named.items() if node in codes}
        return codes

    def _answering(self, source: AnySource, options: Mapping[str, Any], bounded: Sequence[States] = ()) -> Answering:
        """Return the effect with the states of a source, and the source; for bounds with the cases of these."""
        known = self._deciding
        formulas = [formula for case in bounded if (formula := find_formula(self.outcome, case)) is not None]
        if bounded and len(formulas) == len(bounded):
            needs = frozenset[int]().union(*map(nodes_in, formulas))
        elif bounded:
            needs = self._find_bound_needs(bounded)
        else:
            self._check_identified()
            needs = frozenset(self._schema.nodes(self.needs))
        return take_numbers(known, self.outcome, self.graph, sorted(needs), source, options)
