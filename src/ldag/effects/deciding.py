"""Is an effect a function of the table? By the plain graph, then through labels, then a proof that it is not."""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

from ldag.effects.context_identification import MAX_DEPTH, PARTIAL_DEPTH, LabelIdentification
from ldag.effects.formulas import Formula, fix, free_case, nodes_in
from ldag.effects.mixed_graphs import MixedGraph
from ldag.effects.plain import identify_plain
from ldag.effects.premises import free_latents
from ldag.effects.ranks import RankAttempt, attempt_rank_proof, prove_quickly
from ldag.effects.results import (
    Budget,
    CaseFormula,
    EffectOutcome,
    EffectProof,
    EffectQuestion,
    Hedge,
    Reason,
    States,
    Status,
)
from ldag.effects.short_forms import find_short_form
from ldag.effects.spelling import write_key
from ldag.effects.strata import find_vanished
from ldag.model import CodedFamily, Grid, Structure


@dataclass(frozen=True, eq=False)
class Deciding:
    """One graph and one question."""

    structure: Structure
    """A regular one."""
    latent: frozenset[int]
    question: EffectQuestion
    budget: Budget
    search: LabelIdentification | None = None
    """Of another question with the same treatments: what is known there is known here."""

    @cached_property
    def labels(self) -> LabelIdentification:
        """The search through labels, one for all cases."""
        return self.search or LabelIdentification.of(self.structure, self.latent, self.budget, self.question.do)

    @cached_property
    def graph(self) -> MixedGraph:
        """The graph over observed variables and treatments."""
        parents = [family.parents for family in self.structure.families]
        return MixedGraph.project(parents, self.latent - set(self.question.do))

    @cached_property
    def ancestral(self) -> Structure:
        """The structure in which only what is above the question's variables has parents.

        An effect is identified in it iff it is in the whole: models that differ in nothing else have one table above,
        and with all other mechanisms constant one table of everything.
        """
        q, families = self.question, self.structure.families
        above = self.structure.ancestors((*q.target, *q.do, *q.given, *q.context))
        alone = CodedFamily.table((), Grid(()))
        kept = tuple(family if node in above else alone for node, family in enumerate(families))
        return Structure(self.structure.n_states, kept)

    @cached_property
    def fixed(self) -> frozenset[int]:
        """Latents with as many states as they are declared with, since a label names them, be it below the question."""
        return self.latent - free_latents(self.structure, self.latent)

    def decide(self) -> EffectOutcome:
        """Answer the question, the cheapest rule first."""
        plain = self.by_plain_graph()
        if isinstance(plain, Reason):
            return EffectOutcome("identified", (CaseFormula({}, plain.formula, plain),))
        above = self.structure.ancestors((*self.question.target, *self.question.do))
        if plain is not None and self.ancestral.is_table and not self.fixed & above:
            return EffectOutcome("not identifiable", proof=plain)
        cases = list(self._cases())
        refuted = [(case, proof) for case in cases if (proof := self._refute_quickly(case)) is not None]
        known = [case for case, _ in refuted]
        formulas, left = self._identify_cases([case for case in cases if case not in known])
        if not left and not refuted:
            return EffectOutcome("identified", self._merge(formulas))
        attempts = [] if refuted else list(self._refute(left))
        proof = refuted[0][1] if refuted else attempts[-1].proof
        status: Status = "unknown" if proof is None else "not identifiable"
        tried = dict.fromkeys([self.labels.tell(), *(text for attempt in attempts for text in attempt.tried)])
        is_cut = self.labels.is_cut or any(attempt.is_cut for attempt in attempts)
        return EffectOutcome(status, self._merge(formulas), proof, tuple(tried), is_cut)

    def decide_quickly(self) -> EffectOutcome:
        """Answer if there is a formula; a proof that there is none is not looked for."""
        plain = self.by_plain_graph()
        if isinstance(plain, Reason):
            return EffectOutcome("identified", (CaseFormula({}, plain.formula, plain),))
        formulas, left = self._identify_cases(list(self._cases()), PARTIAL_DEPTH)
        return EffectOutcome("unknown" if left else "identified", self._merge(formulas))

    def by_plain_graph(self) -> Reason | Hedge | None:
        """Answer without the labels; None if there is a formula that would read a latent variable."""
        q = self.question
        sides = frozenset(q.target), frozenset(q.do), frozenset(q.given) | frozenset(q.context)
        short = find_short_form(self.graph, *sides)
        if short is not None and not nodes_in(short[2]) & self.latent:
            return Reason(short[0], q, self._settle(short[2]), adjusted=short[1])
        result = identify_plain(self.graph, *sides)
        if isinstance(result, Hedge):
            return result
        return None if nodes_in(result) & self.latent else Reason("ID", q, self._settle(result))

    def _settle(self, formula: Formula) -> Formula:
        """Fix what the question fixes."""
        return fix(formula, {**self.question.context, **self.question.setting})

    def _identify_cases(
        self, cases: Iterable[States], depth: int = MAX_DEPTH
    ) -> tuple[list[CaseFormula], list[States]]:
        """Return the formulas of cases, and the cases without one."""
        formulas: list[CaseFormula] = []
        left: list[States] = []
        for case in cases:
            reason = self.labels.solve(at_case(self.question, case), depth)
            if reason is None:
                left.append(case)
            else:
                formulas.append(CaseFormula(case, reason.formula, reason))
        return formulas, left

    def _refute_quickly(self, case: States) -> EffectProof | None:
        """Prove of a case, at the first states of all else that is given, that it has no formula."""
        whole = {**dict.fromkeys((node for node in self.question.given if node not in case), 0), **case}
        proof = prove_quickly(self.ancestral, self.latent, at_case(self.question, whole), self.budget, self.fixed)
        return None if proof is None else replace(proof, case=whole)

    def _refute(self, left: Iterable[States]) -> Iterator[RankAttempt]:
        """Try to prove of these cases that they have no formula, until there is a proof of one."""
        for case in left:
            for states in self._states_of(node for node in self.question.given if node not in case):
                asked = at_case(self.question, {**case, **states})
                attempt = attempt_rank_proof(self.ancestral, self.latent, asked, self.budget, self.fixed)
                if attempt.proof is not None:
                    yield replace(attempt, proof=replace(attempt.proof, case={**case, **states}))
                    return
                yield attempt

    def identify_contexts(self) -> Iterator[CaseFormula]:
        """Go through the single states of further variables in which an effect that has no formula has one."""
        q = self.question
        fixed = {*q.target, *q.do, *q.context, *self.latent}
        for node in sorted(self.labels.scene.label_nodes - fixed):
            for state in range(self.structure.n_states[node]):
                asked = at_case(q, {node: state})
                outcome = replace(self, question=asked, search=self.labels).decide_quickly()
                for one in outcome.formulas if outcome.status == "identified" else ():
                    yield CaseFormula({node: state, **one.case}, one.formula, one.reason)

    def _cases(self) -> Iterator[States]:
        """Go through the states of treatments, and of given variables that labels name, which are not fixed."""
        free = [node for node in self.question.do if node not in self.question.setting]
        return self._states_of(
            [*free, *(node for node in self.question.given if node in self.labels.scene.label_nodes)]
        )

    def _states_of(self, nodes: Iterable[int]) -> Iterator[States]:
        """Go through the states of some variables together."""
        chosen = tuple(nodes)
        for states in product(*(range(self.structure.n_states[node]) for node in chosen)):
            yield dict(zip(chosen, states, strict=True))

    def _merge(self, cases: list[CaseFormula]) -> tuple[CaseFormula, ...]:
        """Return one formula for cases that differ in nothing but states of what is set or given."""
        free = {*self.question.do, *self.question.given} - self.question.setting.keys()
        return tuple(merge_cases(cases, [node for node in free if cases and node in cases[0].case], self.structure))


def at_case(question: EffectQuestion, case: States) -> EffectQuestion:
    """Return the question in a case: treatments set, other variables part of the context."""
    q = question
    setting = {**q.setting, **{node: state for node, state in case.items() if node in q.do}}
    context = {**q.context, **{node: state for node, state in case.items() if node not in q.do}}
    return EffectQuestion(q.target, q.do, tuple(node for node in q.given if node not in case), context, setting)


def decide_effect(
    structure: Structure, latent: frozenset[int], question: EffectQuestion, budget: Budget
) -> EffectOutcome:
    """Decide whether an effect is identified, is not, or that this is not known."""
    return Deciding(structure.regular(), latent, question, budget).decide()


def merge_cases(cases: Iterable[CaseFormula], nodes: Iterable[int], structure: Structure) -> list[CaseFormula]:
    """Return fewer cases: those that go through all states of a variable and else are alike become one without it.

    The reason of the first stands for all of them: read without the variable's state, the others are the same.
    """
    merged = list(cases)
    for node in sorted(nodes):
        groups: dict[Hashable, list[CaseFormula]] = {}
        for one in merged:
            state = {node: one.case[node]} if node in one.case else {}
            rest = frozenset(pair for pair in one.case.items() if pair[0] != node)
            key = (node in one.case, rest, write_key(free_case(one.formula, state)), _shape(one.reason, state))
            groups.setdefault(key, []).append(one)
        merged = [
            case
            for group in groups.values()
            for case in (
                [_without(group[0], node)]
                if node in group[0].case and len(group) == structure.n_states[node]
                else group
            )
        ]
    return merged


def _without(one: CaseFormula, node: int) -> CaseFormula:
    """Return a case without a variable, whose state becomes an axis of the formula."""
    rest = {other: state for other, state in one.case.items() if other != node}
    return CaseFormula(rest, free_case(one.formula, {node: one.case[node]}), one.reason)


def _shape(reason: Reason, case: States) -> Hashable:
    """Return what two derivations share iff they read the same but for the states of a case."""

    def free(states: States) -> Hashable:
        return frozenset((node, None if case.get(node) == state else state) for node, state in states.items())

    q = reason.question
    premises = tuple(
        (asked.a, asked.b, asked.given, free(asked.context), frozenset(find_vanished([premise])))
        for premise in reason.premises
        for asked in [premise.decision.question]
    )
    sides = (q.target, q.do, frozenset(q.given), free(q.context), free(q.setting), free(reason.inserted))
    steps = tuple(_shape(step, case) for step in reason.steps)
    return (reason.rule, sides, reason.adjusted, frozenset(reason.vanished), premises, steps)
