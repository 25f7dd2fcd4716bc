"""Identification through labels: ID in and at a context, districts at a setting, and all rules by turns.

Three facts carry the rules of this file. Let c be states of variables C, G(c) the graph without the edges that vanish
at c, and M(c) the model whose mechanisms are those of the true model with c in the place of C. Nothing comes out of C
in the graph of M(c), which is a part of G(c), and

1. the two models agree wherever C=c, with treatments and without: P(v, c | do x) is the same in both;
2. given C=c, where no treatment is above C, M(c) is a model of the graph without C in which what was above a connected
   part of C has some joint distribution: one latent above all of it; the other mechanisms stay;
3. a probability of the table is the same in both models if it has C=c among its states, or has nothing to do with C:
   the part of C that it lacks is not above any of its variables.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product

from ldag.effects.formulas import (
    ByState,
    Cases,
    Formula,
    Probability,
    Remainder,
    Slot,
    add_up,
    fix,
    make_quotient,
    multiply,
    nodes_in,
    slots,
    subformulas,
)
from ldag.effects.mixed_graphs import MixedGraph
from ldag.effects.plain import identify_plain
from ldag.effects.premises import Scene
from ldag.effects.results import Budget, EffectQuestion, Hedge, Reason, States
from ldag.effects.strata import (
    EffectRule,
    condition,
    free_treatments,
    insert_and,
    leave_out_one,
    nodes_of,
    read_directly,
    reduce_treatments,
    set_one,
    sum_strata,
)
from ldag.model import Structure
from ldag.reasoning import context_parents

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


def identify_partial(
    structure: Structure, latent: frozenset[int], question: EffectQuestion, budget: Budget
) -> tuple[Reason, ...]:
    """Return what is identified of an effect that is not: at single settings, or in contexts of one label variable.

    The case is in the setting and the context of each reason's question.
    """
    search = LabelIdentification.of(structure, latent, budget, question.do)
    nodes = sorted((search.scene.observed & search.scene.label_nodes) - nodes_of(question))
    free = free_treatments(question)
    reasons: list[Reason | None] = []
    for states in product(*(range(structure.n_states[node]) for node in free)):
        one = replace(question, setting={**question.setting, **dict(zip(free, states, strict=True))})
        whole = search.solve(one, PARTIAL_DEPTH)
        cases = ((node, state) for node in nodes for state in range(structure.n_states[node]))
        parts = (condition(one, context={node: state}) for node, state in cases)
        reasons += [whole] if whole else [search.solve(part, PARTIAL_DEPTH) for part in parts]
    return tuple(reason for reason in reasons if reason)


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

    def solve(self, question: EffectQuestion, depth: int = MAX_DEPTH) -> Reason | None:
        """Answer a question by the first rule that does; how deep rules may call each other is limited."""
        key = _key(question)
        deepest, reason = self._known.get(key, (-1, None))
        if reason or deepest >= depth:
            return reason
        self._known[key] = (depth, None)  # a question that comes up again below itself has no answer there
        reason = next(filter(None, self._rules(question, depth)), None)
        self._known[key] = (depth, reason)
        return reason

    def _rules(self, question: EffectQuestion, depth: int) -> Iterator[Reason | None]:
        scene = self.scene
        yield read_directly(scene, question)
        yield identify_at_context(scene, question, ())
        yield self._insert(question)
        yield self._sum(question)
        yield self._at_contexts(question)
        yield insert_and(scene, question, lambda q: self._sum(q) or self._at_contexts(q), scene.budget.max_inserted, 1)
        if depth:
            yield self._leave_out(question, depth)
            yield self._set_fewer(question, depth)
            yield self._set_instead(question, depth)
            yield self._split(question, depth)
            yield sum_strata(scene, question, lambda q: self.solve(q, depth - 1))
            yield self._subtract(question, depth)

    def _insert(self, question: EffectQuestion) -> Reason | None:
        return insert_and(self.scene, question, lambda q: read_directly(self.scene, q), self.scene.budget.max_inserted)

    def _sum(self, question: EffectQuestion) -> Reason | None:
        return sum_strata(self.scene, question, self._insert)

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

    def _split(self, question: EffectQuestion, depth: int) -> Reason | None:
        """Answer by districts at the setting."""
        cells = _DistrictCells(self.scene, question, lambda q: self.solve(q, depth - 1))
        joint = cells.sum_up({}, ()) or cells.sum_up({}, cells.labelled_targets())
        if joint is None:
            return None
        formula = joint.formula
        if question.given or question.context:
            formula = make_quotient(formula, add_up(question.target, formula))
        return Reason("districts at the setting", question, formula, steps=joint.steps, vanished=joint.vanished)

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


def ask_all(rule: EffectRule, questions: Sequence[EffectQuestion]) -> list[Reason] | None:
    """Answer all questions, or none."""
    reasons: list[Reason] = []
    for question in questions:
        reason = rule(question)
        if reason is None:
            return None
        reasons.append(reason)
    return reasons


def _key(question: EffectQuestion) -> QuestionKey:
    sets = (frozenset(nodes) for nodes in (question.target, question.do, question.given))
    return (*sets, frozenset(question.context.items()), frozenset(question.setting.items()))


def _cut_graph(structure: Structure, fixed: States) -> list[tuple[int, ...]]:
    """Return parents in the graph of the model with fixed states in the place of variables: nothing comes of these."""
    return [tuple(p for p in row if p not in fixed) for row in context_parents(structure, fixed)]


def _above(parents: Sequence[Sequence[int]], nodes: Iterable[int]) -> frozenset[int]:
    """Return nodes and everything above them."""
    reached, todo = set(nodes), list(nodes)
    while todo:
        new = set(parents[todo.pop()]) - reached
        reached |= new
        todo += new
    return frozenset(reached)


def identify_at_context(scene: Scene, question: EffectQuestion, chosen: Sequence[int]) -> Reason | None:
    """Answer by ID in the graph at some states of the context; at none it is the plain graph.

    The states that no treatment is above are conditions of every probability (fact 2). The others are conditions of
    the effect, and the formula counts if all its probabilities are those of the true model (fact 3).
    """
    fixed = {node: question.context[node] for node in chosen}
    parents = _cut_graph(scene.structure, fixed)
    changed = [node for node in chosen if _above(parents, [node]) & frozenset(question.do)]
    conditions = [node for node in chosen if node not in changed]
    graph = _graph_given(scene, parents, conditions, question.do)
    rest = [*question.given, *(node for node in question.context if node not in conditions)]
    base = slots(conditions, fixed)
    states = {**question.context, **question.setting}
    for formula in _identify_ways(graph, question, rest, changed, base):
        if isinstance(formula, Hedge):
            continue
        at_states = fix(formula, states)
        is_read = not nodes_in(at_states) & scene.latent
        if is_read and _is_of_the_table(scene.structure, at_states, {node: fixed[node] for node in changed}):
            rule = "ID at the context" if changed else "ID in the context" if chosen else "ID"
            gone = _list_vanished(scene.structure, fixed, question)
            return Reason(rule, question, at_states, vanished=gone)
    return None


def _identify_ways(
    graph: MixedGraph, question: EffectQuestion, given: Sequence[int], changed: Sequence[int], base: tuple[Slot, ...]
) -> Iterator[Formula | Hedge]:
    """Yield the effect given what treatments change, and the joint effect on both, divided."""
    yield identify_plain(graph, question.target, question.do, given, base, changed)
    if changed:
        others = [node for node in given if node not in changed]
        joint = identify_plain(graph, [*question.target, *changed], question.do, others, base, changed)
        yield joint if isinstance(joint, Hedge) else make_quotient(joint, add_up(question.target, joint))


def _graph_given(
    scene: Scene, parents: Sequence[tuple[int, ...]], conditions: Sequence[int], do: Iterable[int]
) -> MixedGraph:
    """Return the graph of the model given conditions that no treatment is above, without them."""
    rows = list(parents)
    latent = set(scene.latent - frozenset(do))
    for tied in _parts_above(parents, conditions):
        new = len(rows)
        rows = [(new,) if node in tied else row for node, row in enumerate(rows)] + [()]
        latent.add(new)
    for node in conditions:
        rows[node] = ()
    graph = MixedGraph.project(rows, frozenset(latent))
    return graph.subgraph(graph.nodes - frozenset(conditions))


def _parts_above(parents: Sequence[tuple[int, ...]], conditions: Sequence[int]) -> list[frozenset[int]]:
    """Return the connected parts of what is above conditions, without these: given them, the parts are independent."""
    parts: list[set[int]] = []
    for node in _above(parents, conditions):
        joined = {node, *parents[node]}
        apart = [part for part in parts if not part & joined]
        parts = [*apart, joined.union(*(part for part in parts if part & joined))]
    return [frozenset(part) - frozenset(conditions) for part in parts if part - frozenset(conditions)]


def _is_of_the_table(structure: Structure, formula: Formula, fixed: States) -> bool:
    """Tell whether all probabilities of a formula are the same in the true model and in that of fixed states.

    P(a | b) is the quotient of P(a, b) and P(b): both must be.
    """
    leaves = [part for part in subformulas(formula) if isinstance(part, Probability)]
    return all(
        all(place.state == fixed[place.node] for place in places if place.node in fixed)
        and not (fixed.keys() - {place.node for place in places}) & structure.ancestors(place.node for place in places)
        for leaf in leaves
        for places in ((*leaf.of, *leaf.given), leaf.given)
    )


def _list_vanished(structure: Structure, fixed: States, question: EffectQuestion) -> tuple[tuple[int, int], ...]:
    """Return the edges above a question that vanish at fixed states."""
    kept = context_parents(structure, fixed)
    above = structure.ancestors(nodes_of(question))
    return tuple((p, child) for p, child in structure.edges if child in above and p not in kept[child])


@dataclass(frozen=True, eq=False)
class _Cell:
    """P(target, given, context | do) where further variables have fixed states, as a product over districts."""

    formula: Formula
    steps: tuple[Reason, ...]
    vanished: tuple[tuple[int, int], ...]


def _join_cells(formula: Formula, cells: Sequence[_Cell]) -> _Cell:
    """Return a cell made of others."""
    vanished = frozenset(edge for cell in cells for edge in cell.vanished)
    return _Cell(formula, tuple(step for cell in cells for step in cell.steps), tuple(sorted(vanished)))


@dataclass(frozen=True, eq=False)
class _DistrictCells:
    """P(y | do x) as a sum of products over districts of the graph at X=x, label variables by value where needed.

    In the model with all fixed states in their places, P(d | do x) is the product of P(s | do(everything else)) over
    the districts S of its graph; by fact 1 each factor is that of the true model, where it depends on the fixed
    states next to S and on the parents of S that are left.
    """

    scene: Scene
    question: EffectQuestion
    ask: EffectRule

    def labelled_targets(self) -> tuple[int, ...]:
        """Return the targets that labels name, where there are conditions below them."""
        q = self.question
        return tuple(node for node in q.target if node in self.scene.label_nodes and (q.given or q.context))

    def sum_up(self, by_value: dict[int, int], targets: tuple[int, ...]) -> _Cell | None:
        """Return P(target, given, context | do), with a formula of its own for each state of some targets."""
        if not targets:
            return self._fill(by_value)
        node = targets[0]
        branches = []
        for state in range(self.scene.structure.n_states[node]):
            cell = self.sum_up({**by_value, node: state}, targets[1:])
            if cell is None:
                return None
            branches.append(cell)
        return _join_cells(ByState((node, 0), tuple(cell.formula for cell in branches)), branches)

    def _fill(self, by_value: dict[int, int]) -> _Cell | None:
        """Return the sum over all states of what is not fixed, label variables by value where needed."""
        q, scene = self.question, self.scene
        fixed = {**q.context, **q.setting, **by_value}
        parents = [() if node in q.do else row for node, row in enumerate(_cut_graph(scene.structure, fixed))]
        graph = MixedGraph.project(parents, scene.latent - frozenset(q.do))
        asked = (nodes_of(q) | by_value.keys()) - frozenset(q.do)
        inside = graph.ancestors(asked) - frozenset(q.do)
        factors = self._multiply(graph.subgraph(inside | frozenset(q.do)), inside, fixed)
        if factors is not None:
            formula, steps = factors
            return _Cell(add_up(inside - asked, formula), steps, _list_vanished(scene.structure, fixed, q))
        split = min((inside - asked) & scene.label_nodes, default=None)
        if split is None:
            return None
        cells: list[_Cell] = []
        for state in range(scene.structure.n_states[split]):
            cell = self._fill({**by_value, split: state})
            if cell is None:
                return None
            cells.append(cell)
        return _join_cells(Cases(tuple(cell.formula for cell in cells)), cells)

    def _multiply(
        self, graph: MixedGraph, inside: frozenset[int], fixed: States
    ) -> tuple[Formula, tuple[Reason, ...]] | None:
        """Return the product of all districts' distributions."""
        factors: list[Formula] = []
        steps: list[Reason] = []
        beside = self._parents_with(fixed)
        for district in graph.subgraph(inside).districts():
            treatments = (graph.parents_of(district) | beside.parents_of(district) & fixed.keys()) - district
            ways = (ask_all(self.ask, way) for way in self._questions(district, treatments, fixed))
            reasons = next(filter(None, ways), None)
            if reasons is None:
                return None
            factors += [fix(reason.formula, fixed) for reason in reasons]
            steps += reasons
        return multiply(factors), tuple(steps)

    def _parents_with(self, fixed: States) -> MixedGraph:
        """Return the graph at fixed states in which these keep all their arrows.

        Of two fixed parents each may make no difference at the state of the other, and yet both together do.
        """
        structure = self.scene.structure
        parents = [
            () if node in self.question.do else (*row, *(p for p in structure.parents(node) if p in fixed))
            for node, row in enumerate(_cut_graph(structure, fixed))
        ]
        return MixedGraph.project(parents, self.scene.latent - frozenset(self.question.do))

    def _questions(
        self, district: frozenset[int], treatments: frozenset[int], fixed: States
    ) -> Iterator[list[EffectQuestion]]:
        """Yield ways to ask for one district: fixed members at once or one by one, then the others given these."""
        setting = {node: state for node, state in fixed.items() if node in treatments}
        first = [node for node in self.scene.structure.order if node in district and node in fixed]
        rest = tuple(sorted(district - fixed.keys()))
        for size in dict.fromkeys((max(len(first), 1), 1)):
            asked = [tuple(first[i : i + size]) for i in range(0, len(first), size)]
            questions: list[EffectQuestion] = []
            context: dict[int, int] = {}
            for target in [*asked, rest] if rest else asked:
                questions.append(EffectQuestion(target, tuple(sorted(treatments)), (), dict(context), setting))
                context |= {node: fixed[node] for node in target if node in fixed}
            yield questions
