"""Is an effect a function of the table? By the plain graph, then through labels, then a proof that it is not."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

from ldag.effects.context_identification import MAX_DEPTH, PARTIAL_DEPTH, LabelIdentification
from ldag.effects.formulas import Formula, fix, free_case, nodes_in
from ldag.effects.mixed_graphs import MixedGraph
from ldag.effects.plain import identify_plain
from ldag.effects.ranks import attempt_rank_proof, prove_quickly
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

    def decide(self) -> EffectOutcome:
        """Answer the question, the cheapest rule first."""
        plain = self.by_plain_graph()
        if isinstance(plain, Reason):
            return EffectOutcome("identified", (CaseFormula({}, plain.formula, plain),))
        if plain is not None and self.ancestral.is_table:
            return EffectOutcome("not identifiable", proof=plain)
        cases = list(self._cases())
        refuted = [(case, proof) for case in cases if (proof := self._refute_quickly(case)) is not None]
        known = [case for case, _ in refuted]
        formulas, left = self._identify_cases([case for case in cases if case not in known])
        if not left and not refuted:
            return EffectOutcome("identified", self._merge(formulas))
        tried = [self.labels.tell()]
        proof = refuted[0][1] if refuted else self._refute(left, tried)
        status: Status = "unknown" if proof is None else "not identifiable"
        return EffectOutcome(status, self._merge(formulas), proof, tuple(tried))

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
        proof = prove_quickly(self.ancestral, self.latent, at_case(self.question, whole), self.budget)
        return None if proof is None else replace(proof, case=whole)

    def _refute(self, left: Iterable[States], tried: list[str]) -> EffectProof | None:
        """Prove of one of these cases that it has no formula."""
        for case in left:
            for states in self._states_of(node for node in self.question.given if node not in case):
                asked = at_case(self.question, {**case, **states})
                attempt = attempt_rank_proof(self.ancestral, self.latent, asked, self.budget)
                if attempt.proof is not None:
                    return replace(attempt.proof, case={**case, **states})
                tried += [text for text in attempt.tried if text not in tried]
        return None

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
        """Return one formula for all cases if they differ in nothing but the states of the case."""
        free = {*self.question.do, *self.question.given} - self.question.setting.keys()
        whole = 1
        for node in cases[0].case if cases else ():
            whole *= self.structure.n_states[node]
        general = [(free_case(one.formula, one.case), one) for one in cases if one.case.keys() <= free]
        keys = {write_key(formula) for formula, _ in general}
        if len(cases) == whole and len(general) == whole and len(keys) == 1:
            formula, first = general[0]
            return (CaseFormula({}, formula, first.reason),)
        return tuple(cases)


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
