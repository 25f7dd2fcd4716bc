"""Identification through labels: all rules by turns, and what is identified of an effect that is not."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations

from ldag.effects.context_graphs import identify_at_context
from ldag.effects.formulas import (
    ByState,
    Cases,
    Remainder,
    add_up,
    fix,
    make_quotient,
    multiply,
)
from ldag.effects.premises import Scene
from ldag.effects.results import Budget, EffectQuestion, Reason
from ldag.effects.setting_districts import SettingDistricts, ask_all
from ldag.effects.strata import (
    EffectRule,
    condition,
    insert_and,
    leave_out_one,
    read_directly,
    reduce_treatments,
    set_one,
    sum_cases,
    sum_strata,
)
from ldag.model import Structure

MAX_DEPTH = 3
"""How often a question may be reduced to other questions that are no simpler in themselves."""
PARTIAL_DEPTH = 1
"""The same where there is no formula for the whole: what is said beside that should cost little."""
MAX_PARTS = 3
"""Treatments of which every part is tried; of more, only single ones."""


QuestionKey = tuple[object, ...]


def identify_with_labels(
    structure: Structure, latent: frozenset[int], question: EffectQuestion, budget: Budget
) -> Reason | None:
    """Return a formula for one setting of the treatments, with its derivation, if the rules for labels have one."""
    return LabelIdentification.of(structure, latent, budget, question.do).solve(question)


@dataclass(eq=False)
class LabelIdentification:
    """All rules by turns, cheapest first; what was asked once is remembered."""

    scene: Scene
    _known: dict[QuestionKey, tuple[int, Reason | None]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, structure: Structure, latent: frozenset[int], budget: Budget, do: Iterable[int]
    ) -> "LabelIdentification":
        """Make the search for a graph; several settings and contexts may be asked of one."""
        return cls(Scene.of(structure, latent, budget, do))

    @property
    def is_cut(self) -> bool:
        """Whether the budget ended something: a larger one might find more."""
        return self.scene.tally.is_cut

    def tell(self) -> str:
        """Say how far the search goes."""
        budget = self.scene.budget
        text = f"sums over strata of up to {budget.max_adjusted} variables, each with up to {budget.max_inserted} more"
        return f"{text}, until {budget.n_premises:,} independencies were asked for" if self.is_cut else text

    def solve(self, question: EffectQuestion, depth: int = MAX_DEPTH) -> Reason | None:
        """Answer a question by the first rule that does; how deep rules may call each other is limited."""
        key = _key(question)
        deepest, reason = self._known.get(key, (-1, None))
        if reason or deepest >= depth or self.scene.is_spent():
            return reason
        self._known[key] = (depth, None)  # a question that comes up again below itself has no answer there
        reason = next(filter(None, self._rules(question, depth)), None)
        self._known[key] = (depth, reason)
        return reason

    def _rules(self, question: EffectQuestion, depth: int) -> Iterator[Reason | None]:
        yield self._shallow(question)
        if depth:
            yield sum_cases(self.scene, question, self._shallow)
            yield self._leave_out(question, depth)
            yield self._set_fewer(question, depth)
            yield self._set_instead(question, depth)
            yield self._split(question, depth)
            yield sum_cases(self.scene, question, lambda q: self.solve(q, depth - 1))
            yield self._chain(question, depth)
            yield self._divide(question, depth)
            yield self._subtract(question, depth)

    def _shallow(self, question: EffectQuestion) -> Reason | None:
        return self._remember("shallow", question, self._answer_shallow)

    def _answer_shallow(self, question: EffectQuestion) -> Reason | None:
        """Answer by rules that call no others of this kind."""
        scene = self.scene
        return (
            read_directly(scene, question)
            or identify_at_context(scene, question, ())
            or self._insert(question)
            or self._sum_or_condition(question)
            or insert_and(scene, question, self._sum_or_condition, 1, 1)
        )

    def _insert(self, question: EffectQuestion) -> Reason | None:
        return self._remember(
            "insert",
            question,
            lambda q: insert_and(self.scene, q, lambda r: read_directly(self.scene, r), self.scene.budget.max_inserted),
        )

    def _sum_or_condition(self, question: EffectQuestion) -> Reason | None:
        return self._remember(
            "sum", question, lambda q: sum_strata(self.scene, q, self._insert) or self._at_contexts(q)
        )

    def _remember(self, name: str, question: EffectQuestion, rule: EffectRule) -> Reason | None:
        """Answer by a rule, once."""
        key = (name, *_key(question))
        if key not in self._known:
            self._known[key] = (0, rule(question))
        return self._known[key][1]

    def _at_contexts(self, question: EffectQuestion) -> Reason | None:
        """Answer by ID with as little of the context as will do."""
        labelled = sorted(question.context.keys() & self.scene.label_nodes)
        for size in range(1, len(labelled) + 1):
            for chosen in combinations(labelled, size):
                reason = identify_at_context(self.scene, question, chosen)
                if reason:
                    return reason
        return None

    def _leave_out(self, question: EffectQuestion, depth: int) -> Reason | None:
        """Answer without a condition that makes no difference: Y ⊥ C | s, X=x, I=set."""
        for premise, rest in leave_out_one(self.scene, question):
            reason = self.solve(rest, depth - 1)
            if reason:
                return Reason("leave out", question, reason.formula, (premise,), (reason,))
        return None

    def _set_instead(self, question: EffectQuestion, depth: int) -> Reason | None:
        """Answer by setting another variable: where x is set, it has no effect, and where it is set, x has none."""
        for more, premises in set_one(self.scene, question):
            step = self._set_fewer(more, depth, question.do)
            if step:
                new = {node: more.setting[node] for node in more.do if node not in question.do}
                return Reason("set", question, step.formula, premises, (step,), new)
        return None

    def _set_fewer(self, question: EffectQuestion, depth: int, of: tuple[int, ...] = ()) -> Reason | None:
        """Answer by a question with fewer treatments: some have no effect, or are as good as observed."""
        candidates = sorted(of or question.do)
        most = min(len(candidates), len(question.do) - 1) if len(candidates) <= MAX_PARTS else 1
        for size in range(most, 0, -1):
            for chosen in combinations(candidates, size):
                for rule, rest, premises in reduce_treatments(self.scene, question, chosen):
                    reason = self.solve(rest, depth - 1)
                    if reason:
                        return Reason(rule, question, reason.formula, premises, (reason,))
        return None

    def _chain(self, question: EffectQuestion, depth: int) -> Reason | None:
        """Answer for several targets by one of them, and by the others given it, at each of its states if need be."""
        for first in question.target if len(question.target) > 1 else ():
            rest = replace(question, target=tuple(node for node in question.target if node != first))
            states = range(self.scene.structure.n_states[first] if first in self.scene.label_nodes else 0)
            at_states = [condition(rest, context={first: state}) for state in states]
            alone = self.solve(replace(question, target=(first,)), depth - 1)
            for others in ([condition(rest, [first])], at_states) if alone else ():
                steps = ask_all(lambda q: self.solve(q, depth - 1), others)
                if alone and steps:
                    terms = [
                        multiply([fix(alone.formula, {} if len(steps) == 1 else step.question.context), step.formula])
                        for step in steps
                    ]
                    formula = terms[0] if len(terms) == 1 else ByState((first, 0), tuple(terms))
                    return Reason("chain", question, formula, steps=(alone, *steps))
        return None

    def _split(self, question: EffectQuestion, depth: int) -> Reason | None:
        """Answer by districts at the setting."""
        joint = SettingDistricts(self.scene, question, lambda q: self.solve(q, depth - 1)).fill({})
        if joint is None:
            return None
        formula = joint.formula
        if question.given or question.context:
            formula = make_quotient(formula, add_up(question.target, formula))
        return Reason("districts at the setting", question, formula, steps=joint.steps, vanished=joint.vanished)

    def _divide(self, question: EffectQuestion, depth: int) -> Reason | None:
        """Answer given something by the answer for both, divided."""
        for node in (*question.context, *question.given):
            given = tuple(other for other in question.given if other != node)
            context = {other: state for other, state in question.context.items() if other != node}
            joint = replace(question, target=(*question.target, node), given=given, context=context)
            reason = self.solve(joint, depth - 1)
            if reason:
                top = fix(reason.formula, question.context)
                return Reason("division", question, make_quotient(top, add_up(question.target, top)), steps=(reason,))
        return None

    def _subtract(self, question: EffectQuestion, depth: int) -> Reason | None:
        """Answer at one state of a label's variable by the answer without it, less those at its other states."""
        for node in sorted(question.context.keys() & self.scene.label_nodes):
            context = {other: state for other, state in question.context.items() if other != node}
            whole = replace(question, context=context)
            others = [
                condition(whole, context={node: state})
                for state in range(self.scene.structure.n_states[node])
                if state != question.context[node]
            ]
            steps = ask_all(lambda q: self.solve(q, depth - 1), [whole, replace(whole, target=(node,)), *others])
            if steps is None:
                continue
            total, weight, *parts = steps
            rest = [multiply([fix(weight.formula, part.question.context), part.formula]) for part in parts]
            less = Remainder(total.formula, rest[0] if len(rest) == 1 else Cases(tuple(rest)))
            formula = make_quotient(less, fix(weight.formula, question.context))
            return Reason("subtraction", question, formula, steps=tuple(steps), adjusted=(node,))
        return None


def _key(question: EffectQuestion) -> QuestionKey:
    sets = (frozenset(nodes) for nodes in (question.target, question.do, question.given))
    return (*sets, frozenset(question.context.items()), frozenset(question.setting.items()))
