"""Effects in plain graphs, completely: a formula, or a hedge that shows that there is none.

ID and IDC of Shpitser and Pearl (2006), in the form of Tian and Huang: an effect is a sum of a product over the
districts that stay when the treatments are gone, and the distribution of a district is taken out of one that contains
it, by turns summing over what is not above it and keeping its own district.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ldag.effects.formulas import Formula, Slot
from ldag.effects.kernels import Kernel, ObservedJoint
from ldag.effects.mixed_graphs import MixedGraph, NodeSet, m_separated
from ldag.effects.results import Hedge


def identify_plain(
    graph: MixedGraph,
    target: Iterable[int],
    do: Iterable[int],
    given: Iterable[int] = (),
    base: tuple[Slot, ...] = (),
    early: Iterable[int] = (),
) -> Formula | Hedge:
    """Return P(target | do, given) as a formula of the observed table, or the hedge that shows that there is none.

    The table is that in the context of ``base``, slots at fixed states. Its axes are variables of the three sets.
    Variables that are ``early`` come early in the order, and probabilities stay conditioned on them where they can.
    """
    joint = ObservedJoint(graph, frozenset(do), base, frozenset(early))
    asked = frozenset(target)
    treated, seen = conditions_as_treatments(graph, asked, frozenset(do), frozenset(given))
    if not treated:
        return joint.probability(asked, seen).formula
    above = graph.subgraph(graph.nodes - treated).ancestors(asked | seen)
    districts = tuple(_districts_left(graph, above))
    kernels: list[Kernel] = []
    for district in districts:
        read = graph.parents_of(node for other in districts if other != district for node in other)
        parts = _identify_district(joint, district, district - read - asked - seen)
        if isinstance(parts, Hedge):
            hedge = shrink_hedge(graph, parts, treated)
            return replace(hedge, target=asked | seen, do=treated)
        kernels += parts
    kernels.sort(key=lambda kernel: min(map(joint.order.index, kernel.nodes)))
    return joint.condition(kernels, asked, seen).formula


def _districts_left(graph: MixedGraph, left: NodeSet) -> Iterator[NodeSet]:
    """Go through the districts of what is left without the treatments.

    Those that were one before stay together where nothing else of it is above them: one sum is enough then.
    """
    before = graph.subgraph(graph.ancestors(left))
    for district in before.districts():
        part = district & left
        if graph.subgraph(district).ancestors(part) == part:
            yield part
        else:
            yield from graph.subgraph(part).districts()


def conditions_as_treatments(
    graph: MixedGraph, target: NodeSet, do: NodeSet, given: NodeSet
) -> tuple[NodeSet, NodeSet]:
    """Return the treatments and conditions after all conditions that may be were made treatments.

    Seeing a state is as setting it where no path into the variable leads to the target (rule 2 of the do-calculus).
    """
    treated, seen = do, given
    is_changed = True
    while is_changed:
        is_changed = False
        for node in sorted(seen):
            cut = graph.without_arrows_into(treated).without_arrows_out_of([node])
            if m_separated(cut, target, [node], treated | (seen - {node})):
                treated, seen = treated | {node}, seen - {node}
                is_changed = True
    return treated, seen


def _identify_district(joint: ObservedJoint, district: NodeSet, gone: NodeSet) -> list[Kernel] | Hedge:
    """Return the distribution of a district when all else is set, as kernels, or the sets that show that it has none.

    What is ``gone`` of the district is summed over.
    """
    above = joint.graph.ancestors(district | joint.early)
    graph = joint.graph.subgraph(above)
    around = graph.district(district)
    before = {node: above & frozenset(joint.order[:i]) for i, node in enumerate(joint.order) if node in around}
    kernels = [joint.after(node, earlier) for node, earlier in before.items()]
    while True:
        inner = graph.subgraph(around)
        above = inner.ancestors(district)
        if above == district:
            result = joint.sum_out(kernels, (around - district) | gone)
            return joint.leave_out(result, graph.nodes - district - graph.parents_of(district) - joint.early)
        if above == around:
            return Hedge(around, district)
        kept = inner.subgraph(above).district(district)
        kernels = [
            joint.condition(kernels, frozenset([node]), above & earlier)
            for node, earlier in before.items()
            if node in kept
        ]
        around = kept


def shrink_hedge(graph: MixedGraph, hedge: Hedge, do: NodeSet) -> Hedge:
    """Return a smallest of some hedges inside one: around each of its variables, and by leaving one out at a time."""
    inner = hedge.inner
    for node in sorted(inner):
        rest = inner - {node}
        if rest and graph.subgraph(rest).district([min(rest)]) == rest and _widest(graph, hedge.outer, rest) & do:
            inner = rest
    small = [_shrink_outer(graph, hedge.outer, part, do) for part in (inner, *({node} for node in sorted(hedge.inner)))]
    return min((hedge for hedge in small if hedge.outer & do), key=lambda hedge: len(hedge.outer))


def _shrink_outer(graph: MixedGraph, outer: NodeSet, inner: Iterable[int], do: NodeSet) -> Hedge:
    """Leave out of the larger set what can be left out, if it has a treatment."""
    part = frozenset(inner)
    outer = _widest(graph, outer, part)
    for node in sorted(outer - part):
        around = _widest(graph, outer - {node}, part)
        if around & do:
            outer = around
    return Hedge(outer, part)


def _widest(graph: MixedGraph, outer: NodeSet, inner: NodeSet) -> NodeSet:
    """Return the largest set within another that arcs connect and that is all above ``inner``."""
    while True:
        part = graph.subgraph(outer)
        kept = part.subgraph(part.district(inner)).ancestors(inner)
        if kept == outer:
            return outer
        outer = kept
