"""Sums over strata: P(y | do x, c) = sum over w of P(w | c) f_w(y), with a context of its own in every cell.

W is what the treatments do not change. Label variables in W are taken by value where that is needed, the others as
they are. In a cell f_w is, after further variables were conditioned on that make no difference there ("insert"), what
the table has: P(y | x, w, c) where nothing else joins x and y ("direct"), or P(y | w, c) where x has no effect.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import comb

from ldag.effects.formulas import (
    Cases,
    Formula,
    Probability,
    add_up,
    fix,
    free_axes,
    multiply,
    slots,
)
from ldag.effects.premises import SET, Scene
from ldag.effects.results import EffectQuestion, Premise, Reason, States
from ldag.reasoning import context_parents, d_separated

MAX_SETS = 60
"""Sets of strata tried one by one; beyond, all variables that are no label's are taken, and then fewer."""

MAX_KEPT = 4
"""Variables in a cell of which all parts are tried, so that none is summed over for nothing."""

EffectRule = Callable[[EffectQuestion], Reason | None]
StratumCell = tuple[dict[int, int], Reason]


def nodes_of(question: EffectQuestion) -> frozenset[int]:
    """Return all variables of a question."""
    return frozenset((*question.target, *question.do, *question.given, *question.context))


def free_treatments(question: EffectQuestion) -> tuple[int, ...]:
    """Return the treatments that may be set to any state."""
    return tuple(node for node in question.do if node not in question.setting)


def condition(question: EffectQuestion, given: Iterable[int] = (), context: States | None = None) -> EffectQuestion:
    """Return the question under further conditions."""
    return replace(question, given=(*question.given, *given), context={**question.context, **(context or {})})


def read_probability(question: EffectQuestion) -> Formula:
    """Return P(target | given, context) of a question without treatments."""
    conditions = sorted((*question.given, *question.context))
    return Probability(slots(question.target), slots(conditions, question.context))


def reduce_treatments(
    scene: Scene, question: EffectQuestion, chosen: Iterable[int]
) -> Iterator[tuple[str, EffectQuestion, tuple[Premise, ...]]]:
    """Yield questions without some treatments that have the same answer.

    Of treatments D, the others being set, P(y | do(d), s) is P(y | s) if Y ⊥ I | s and Y ⊥ D | s, I=set ("no effect"):
    the second makes P(y | s, I=set) a mixture of equal things. It is P(y | d, s) if Y ⊥ I | s, D=d ("direct").
    """
    q, part = question, frozenset(chosen)
    roots = frozenset(q.do) - part
    premises = scene.premises(part, roots)
    setting = {node: state for node, state in q.setting.items() if node in roots}
    rest = replace(q, do=tuple(node for node in q.do if node in roots), setting=setting)
    around = [*q.given, *free_treatments(rest)]
    fixed = {**q.context, **setting}
    idle = premises.holds(q.target, [premises.node], around, fixed)
    equal = premises.holds(q.target, part, around, {**fixed, premises.node: SET}) if idle else None
    if idle and equal:
        yield "no effect", rest, (idle, equal)
    if part & scene.latent:
        return
    free = [node for node in part if node not in q.setting]
    states = {node: state for node, state in q.setting.items() if node in part}
    direct = premises.holds(q.target, [premises.node], [*around, *free], {**fixed, **states})
    if direct:
        yield "direct", condition(rest, free, states), (direct,)


def read_directly(scene: Scene, question: EffectQuestion) -> Reason | None:
    """Answer by what the table has, if all treatments have no effect or are as good as observed."""
    if not question.do:
        return Reason("direct", question, read_probability(question))
    for rule, rest, premises in reduce_treatments(scene, question, question.do):
        return Reason(rule, question, read_probability(rest), premises, vanished=find_vanished(premises))
    return None


def find_vanished(premises: Sequence[Premise]) -> tuple[tuple[int, int], ...]:
    """Return the edges that premises need to be gone in their contexts; edges of the intervention aside."""
    gone: set[tuple[int, int]] = set()
    for premise in premises:
        q, structure = premise.decision.question, premise.structure
        node = len(structure) - 1
        above = context_parents(structure, q.context)
        kept = {(p, child) for child, parents in enumerate(above) for p in parents}
        idle = set(structure.children[node]) if q.context.get(node) == SET else set()
        absent = [edge for edge in structure.edges if edge not in kept and edge[1] not in idle]
        if not d_separated(above, q.a, q.b, [*q.given, *q.context]):
            continue
        if d_separated([f.parents for f in structure.families], q.a, q.b, [*q.given, *q.context]):
            continue
        needed = [edge for edge in absent if not _is_separated_with(above, [edge], premise)]
        if not needed and not _is_separated_with(above, absent, premise):
            needed = absent
        gone.update(needed)
    return tuple(sorted(gone))


def _is_separated_with(above: Sequence[Sequence[int]], edges: Iterable[tuple[int, int]], premise: Premise) -> bool:
    parents = [list(row) for row in above]
    for parent, child in edges:
        parents[child].append(parent)
    q = premise.decision.question
    return d_separated(parents, q.a, q.b, [*q.given, *q.context])


def insert_one(scene: Scene, question: EffectQuestion) -> Iterator[tuple[Premise, EffectQuestion, dict[int, int]]]:
    """Yield questions with a state of one more label variable that makes no difference: Y ⊥ E | s, X=x, I=set.

    Other variables need not be inserted: fixing them takes no edge away, and the rules for plain graphs know them.
    """
    q = question
    premises = scene.premises(frozenset(q.do))
    around = [*q.given, *free_treatments(q)]
    fixed = {**q.context, **q.setting, premises.node: SET}
    above = scene.structure.ancestors(nodes_of(q))
    for node in sorted((scene.observed & scene.label_nodes & above) - nodes_of(q)):
        premise = premises.holds(q.target, [node], around, fixed)
        if premise:
            for state in range(scene.structure.n_states[node]):
                yield premise, condition(q, context={node: state}), {node: state}


def leave_out_one(scene: Scene, question: EffectQuestion) -> Iterator[tuple[Premise, EffectQuestion]]:
    """Yield questions without one condition that makes no difference."""
    q = question
    premises = scene.premises(frozenset(q.do))
    for node in (*q.given, *q.context):
        given = tuple(other for other in q.given if other != node)
        context = {other: state for other, state in q.context.items() if other != node}
        fixed = {**context, **q.setting, premises.node: SET}
        premise = premises.holds(q.target, [node], [*given, *free_treatments(q)], fixed)
        if premise:
            yield premise, replace(q, given=given, context=context)


def set_one(scene: Scene, question: EffectQuestion) -> Iterator[tuple[EffectQuestion, tuple[Premise, ...]]]:
    """Yield questions with one more treatment, a label's variable that has no effect where the others are set."""
    q = question
    above = scene.structure.ancestors(nodes_of(q))
    for node in sorted((scene.observed & scene.label_nodes & above) - nodes_of(q)):
        for state in range(scene.structure.n_states[node]):
            more = replace(q, do=(*q.do, node), setting={**q.setting, node: state})
            for rule, _, premises in reduce_treatments(scene, more, [node]):
                if rule == "no effect":
                    yield more, premises


def insert_and(
    scene: Scene, question: EffectQuestion, rule: EffectRule, n_inserted: int, at_least: int = 0
) -> Reason | None:
    """Answer by a rule after conditioning on as few further variables as will do."""
    for size in range(at_least, n_inserted + 1):
        reason = _insert_exactly(scene, question, rule, size)
        if reason:
            return reason
    return None


def _insert_exactly(scene: Scene, question: EffectQuestion, rule: EffectRule, n_inserted: int) -> Reason | None:
    if not n_inserted:
        return rule(question)
    for premise, more, inserted in insert_one(scene, question):
        reason = _insert_exactly(scene, more, rule, n_inserted - 1)
        if reason:
            return Reason("insert", question, reason.formula, (premise,), (reason,), inserted)
    return None


def sum_cases(scene: Scene, question: EffectQuestion, rule: EffectRule) -> Reason | None:
    """Answer by cases of one label variable, in which a rule answers."""
    above = scene.structure.ancestors(nodes_of(question))
    for node in sorted((scene.observed & scene.label_nodes & above) - nodes_of(question)):
        weights = _weigh(scene, question, (node,))
        cells: list[StratumCell] = []
        for state in range(scene.structure.n_states[node]) if weights else ():
            reason = rule(condition(question, context={node: state}))
            if reason is None:
                break
            cells.append(({node: state}, reason))
        if weights and len(cells) == scene.structure.n_states[node]:
            return _join_cells(question, (node,), weights, cells)
    return None


def sum_strata(scene: Scene, question: EffectQuestion, rule: EffectRule) -> Reason | None:
    """Answer by a sum over strata in whose cells a rule answers."""
    for chosen, weights in _choose_strata(scene, question):
        reason = _sum_over(scene, question, chosen, weights, rule)
        if reason:
            return reason
    return None


def _choose_strata(scene: Scene, question: EffectQuestion) -> Iterator[tuple[tuple[int, ...], Reason]]:
    """Yield sets of variables whose distribution under the treatments is in the table, small ones first."""
    above = scene.structure.ancestors(nodes_of(question))
    unused = sorted((scene.observed & above) - nodes_of(question))
    single = [node for node in unused if _weigh(scene, question, (node,))]
    n_sets = 0
    for size in range(1, min(len(single), scene.budget.max_adjusted) + 1):
        n_sets += comb(len(single), size)
        if n_sets > MAX_SETS:
            break
        for chosen in combinations(single, size):
            weights = _weigh(scene, question, chosen)
            if weights:
                yield chosen, weights
    else:
        return
    labelled = [node for node in single if node in scene.label_nodes]
    rest = [node for node in single if node not in scene.label_nodes]
    for size in range(min(len(labelled), scene.budget.max_adjusted) + 1):
        for by_value in combinations(labelled, size):
            chosen = (*by_value, *rest)
            weights = _weigh(scene, question, chosen)
            if weights:
                yield chosen, weights


def _weigh(scene: Scene, question: EffectQuestion, strata: tuple[int, ...]) -> Reason | None:
    """Return how P(w | do x, c) is read from the table."""
    return read_directly(scene, replace(question, target=strata))


def _sum_over(
    scene: Scene, question: EffectQuestion, strata: tuple[int, ...], weights: Reason, rule: EffectRule
) -> Reason | None:
    cells = _fill_cells(scene, question, strata, {}, rule)
    if cells is None:
        return None
    if len(strata) > scene.budget.max_adjusted:
        return _sum_over_fewer(scene, question, strata, rule)
    return _join_cells(question, strata, weights, cells)


def _join_cells(
    question: EffectQuestion, strata: tuple[int, ...], weights: Reason, cells: Sequence[StratumCell]
) -> Reason:
    """Return the sum over cells, each with its weight."""
    terms = [_term(weights, strata, fixed, reason) for fixed, reason in cells]
    formula = terms[0] if len(terms) == 1 else Cases(tuple(terms))
    steps = tuple(reason for _, reason in cells)
    if weights.rule == "direct":
        steps = (weights, *steps)
    name = "adjustment" if len(terms) == 1 else "cases"
    return Reason(name, question, formula, weights.premises, steps, adjusted=strata)


def _sum_over_fewer(scene: Scene, question: EffectQuestion, strata: tuple[int, ...], rule: EffectRule) -> Reason | None:
    """Take variables away from strata that will do, as long as the others still do."""
    for node in sorted(strata, key=lambda node: (node in scene.label_nodes, node)):
        fewer = tuple(other for other in strata if other != node)
        if fewer and _weigh(scene, question, fewer) and _fill_cells(scene, question, fewer, {}, rule):
            strata = fewer
    weights = _weigh(scene, question, strata)
    if weights is None or len(strata) > scene.budget.max_adjusted:
        return None
    return _sum_over(scene, question, strata, weights, rule)


def _fill_cells(
    scene: Scene, question: EffectQuestion, strata: tuple[int, ...], fixed: dict[int, int], rule: EffectRule
) -> list[StratumCell] | None:
    """Return what covers all states of the strata, each with its reason; labels' variables are split where needed."""
    reason = _answer_cell(question, strata, fixed, rule)
    if reason:
        return [(fixed, reason)]
    split = next((node for node in strata if node in scene.label_nodes and node not in fixed), None)
    if split is None:
        return None
    cells: list[StratumCell] = []
    for state in range(scene.structure.n_states[split]):
        inside = _fill_cells(scene, question, strata, {**fixed, split: state}, rule)
        if inside is None:
            return None
        cells += inside
    return cells


def _answer_cell(
    question: EffectQuestion, strata: tuple[int, ...], fixed: Mapping[int, int], rule: EffectRule
) -> Reason | None:
    """Answer in one cell, with as few of the other strata as will do where some were split."""
    rest = [node for node in strata if node not in fixed]
    if fixed and len(rest) < MAX_KEPT:
        for size in range(len(rest)):
            for kept in combinations(rest, size):
                reason = rule(condition(question, kept, fixed))
                if reason:
                    return reason
    return rule(condition(question, rest, fixed))


def _term(weights: Reason, strata: tuple[int, ...], fixed: Mapping[int, int], reason: Reason) -> Formula:
    """Return sum over the strata that are no cells of P(strata) f; what f does not read is not summed."""
    read = free_axes(reason.formula)
    summed = [node for node in strata if node not in fixed and (node, 0) in read]
    assert isinstance(weights.formula, Probability)
    weight = Probability(slots([*fixed, *summed]), weights.formula.given)
    factors = [fix(weight, fixed), reason.formula] if weight.of else [reason.formula]
    return add_up(summed, multiply(factors))
