"""Districts at a setting: P(y | do x) as a sum of products, where x and label variables have taken edges away."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ldag.effects.context_graphs import cut_graph, list_vanished
from ldag.effects.formulas import Cases, Formula, add_up, fix, multiply
from ldag.effects.mixed_graphs import MixedGraph
from ldag.effects.premises import Scene
from ldag.effects.results import EffectQuestion, Reason, States
from ldag.effects.strata import EffectRule, nodes_of


def ask_all(rule: EffectRule, questions: Sequence[EffectQuestion]) -> list[Reason] | None:
    """Answer all questions, or none."""
    reasons: list[Reason] = []
    for question in questions:
        reason = rule(question)
        if reason is None:
            return None
        reasons.append(reason)
    return reasons


@dataclass(frozen=True, eq=False)
class DistrictCell:
    """P(target, given, context | do) where further variables have fixed states, as a product over districts."""

    formula: Formula
    steps: tuple[Reason, ...]
    vanished: tuple[tuple[int, int], ...]


def _join_cells(formula: Formula, cells: Sequence[DistrictCell]) -> DistrictCell:
    """Return a cell made of others."""
    vanished = frozenset(edge for cell in cells for edge in cell.vanished)
    return DistrictCell(formula, tuple(step for cell in cells for step in cell.steps), tuple(sorted(vanished)))


@dataclass(frozen=True, eq=False)
class SettingDistricts:
    """P(y | do x) as a sum of products over districts of the graph at X=x, label variables by value where needed.

    In the model with all fixed states in their places, P(d | do x) is the product of P(s | do(everything else)) over
    the districts S of its graph; by fact 1 of `context_graphs` each is that of the true model, and depends on the fixed
    states next to S and on the parents of S that are left.
    """

    scene: Scene
    question: EffectQuestion
    ask: EffectRule

    def fill(self, by_value: dict[int, int]) -> DistrictCell | None:
        """Return P(target, given, context | do) where some variables are fixed, others by value where needed."""
        q, scene = self.question, self.scene
        fixed = {**q.context, **q.setting, **by_value}
        parents = [() if node in q.do else row for node, row in enumerate(cut_graph(scene.structure, fixed))]
        graph = MixedGraph.project(parents, scene.latent - frozenset(q.do))
        asked = (nodes_of(q) | by_value.keys()) - frozenset(q.do)
        inside = graph.ancestors(asked) - frozenset(q.do)
        factors = self._multiply(graph.subgraph(inside | frozenset(q.do)), inside, fixed)
        if factors is not None:
            formula, steps = factors
            return DistrictCell(add_up(inside - asked, formula), steps, list_vanished(scene.structure, fixed, q))
        split = min((inside - asked) & scene.label_nodes, default=None)
        if split is None:
            return None
        cells: list[DistrictCell] = []
        for state in range(scene.structure.n_states[split]):
            cell = self.fill({**by_value, split: state})
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
            for node, row in enumerate(cut_graph(structure, fixed))
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
