"""ID in and at a context: the graph without the edges that vanish there, and the formulas that are true of the table.

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

from ldag.effects.formulas import Formula, Probability, Slot, add_up, fix, make_quotient, nodes_in, slots, subformulas
from ldag.effects.mixed_graphs import MixedGraph
from ldag.effects.plain import identify_plain
from ldag.effects.premises import Scene
from ldag.effects.results import EffectQuestion, Hedge, Reason, States
from ldag.effects.short_forms import ShortForm, find_short_form
from ldag.effects.strata import nodes_of
from ldag.model import Structure
from ldag.reasoning import context_parents


def cut_graph(structure: Structure, fixed: States) -> list[tuple[int, ...]]:
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
    parents = cut_graph(scene.structure, fixed)
    changed = [node for node in chosen if _above(parents, [node]) & frozenset(question.do)]
    conditions = [node for node in chosen if node not in changed]
    graph = _graph_given(scene, parents, conditions, question.do)
    rest = [*question.given, *(node for node in question.context if node not in conditions)]
    base = slots(conditions, fixed)
    states = {**question.context, **question.setting}
    where = " at the context" if changed else " in the context" if chosen else ""
    for rule, adjusted, formula in _identify_ways(graph, question, rest, changed, base):
        at_states = fix(formula, states)
        is_read = not nodes_in(at_states) & scene.latent
        if is_read and _is_of_the_table(scene.structure, at_states, {node: fixed[node] for node in changed}):
            gone = list_vanished(scene.structure, fixed, question)
            return Reason(f"ID{where}" if rule == "ID" else rule, question, at_states, adjusted=adjusted, vanished=gone)
    return None


def _identify_ways(
    graph: MixedGraph, question: EffectQuestion, given: Sequence[int], changed: Sequence[int], base: tuple[Slot, ...]
) -> Iterator[ShortForm]:
    """Yield the effect in a form that people know, by ID, and as the joint effect on what is changed, divided."""
    short = None if changed else find_short_form(graph, question.target, question.do, given, base)
    if short:
        yield short
        return
    formula = identify_plain(graph, question.target, question.do, given, base, changed)
    if not isinstance(formula, Hedge):
        yield "ID", (), formula
    if changed:
        others = [node for node in given if node not in changed]
        joint = identify_plain(graph, [*question.target, *changed], question.do, others, base, changed)
        if not isinstance(joint, Hedge):
            yield "ID", (), make_quotient(joint, add_up(question.target, joint))


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


def list_vanished(structure: Structure, fixed: States, question: EffectQuestion) -> tuple[tuple[int, int], ...]:
    """Return the edges above a question that vanish at fixed states."""
    kept = context_parents(structure, fixed)
    above = structure.ancestors(nodes_of(question))
    return tuple((p, child) for p, child in structure.edges if child in above and p not in kept[child])
