"""Effects in the forms that people know: no effect, what is seen, adjustment, the front door."""

from collections.abc import Iterable, Iterator
from itertools import combinations

from ldag.effects.formulas import Formula, Slot, add_up, multiply
from ldag.effects.kernels import ObservedJoint
from ldag.effects.mixed_graphs import MixedGraph, NodeSet, m_separated
from ldag.effects.separators import smallest_separator

MAX_MEDIATORS = 2
"""Of a front door: with more, the formula is not one that people know."""
MAX_BETWEEN = 12
"""Variables between treatment and target of which several together are tried as mediators."""

ShortForm = tuple[str, tuple[int, ...], Formula]
"""The rule, what is adjusted for or what mediates, and the formula."""


def find_short_form(
    graph: MixedGraph,
    target: Iterable[int],
    do: Iterable[int],
    given: Iterable[int] = (),
    base: tuple[Slot, ...] = (),
) -> ShortForm | None:
    """Return P(target | do, given) in a short form, if it has one.

    The rule is "no effect", "direct", "adjustment" for a smallest set, or "front-door".
    """
    joint = ObservedJoint(graph, frozenset(do), base)
    asked, seen = frozenset(target), frozenset(given)
    treated = drop_idle_treatments(graph, asked, frozenset(do), seen)
    if not treated:
        return "no effect", (), joint.probability(asked, seen).formula
    cut = graph.without_arrows_out_of(treated)
    if m_separated(cut, asked, treated, seen):
        return "direct", (), joint.probability(asked, treated | seen).formula
    unaffected = graph.nodes - graph.descendants(treated)
    if not seen <= unaffected:
        return None
    chosen = smallest_separator(cut, asked, treated, seen, unaffected - asked - seen)
    if chosen is not None:
        parts = [joint.probability(chosen, seen), joint.probability(asked, treated | chosen | seen)]
        formula = joint.product(joint.sum_out(parts, chosen))
        return "adjustment", tuple(sorted(chosen)), formula
    return _go_through_front_door(joint, asked, treated, seen) if len(treated) == 1 else None


def drop_idle_treatments(graph: MixedGraph, target: NodeSet, do: NodeSet, given: NodeSet) -> NodeSet:
    """Return the treatments without those that have no effect when the others are set (rule 3 of the do-calculus)."""
    treated = do
    for node in sorted(do):
        rest = treated - {node}
        cut = graph.without_arrows_into(rest)
        if node not in cut.ancestors(given):
            cut = cut.without_arrows_into([node])
        if m_separated(cut, target, [node], rest | given):
            treated = rest
    return treated


def _go_through_front_door(joint: ObservedJoint, target: NodeSet, do: NodeSet, given: NodeSet) -> ShortForm | None:
    """Return the formula of a front door: few mediators first, and few covariates."""
    for mediators in _doors(joint.graph, target, do):
        for covariates in _covariates(joint.graph, target, do, mediators, given):
            around = covariates | given
            if _is_front_door(joint.graph, target, do, mediators, around):
                inner = [joint.probability(do, around), joint.probability(target, do | mediators | around)]
                weights = [joint.probability(covariates, given).formula] if covariates else []
                outer = joint.probability(mediators, do | around).formula
                factors = [*weights, outer, add_up(do, multiply(kernel.formula for kernel in inner))]
                return "front-door", tuple(sorted(mediators)), add_up(mediators | covariates, multiply(factors))
    return None


def _doors(graph: MixedGraph, target: NodeSet, do: NodeSet) -> Iterator[NodeSet]:
    """Go through the smallest sets of mediators that intercept every causal path."""
    between = (graph.descendants(do) & graph.ancestors(target)) - do - target
    for size in range(1, MAX_MEDIATORS + 1):
        singles: set[int] = set()
        for chosen in combinations(sorted(between), size):
            if not graph.without_arrows_out_of(chosen).ancestors(target) & do:
                yield frozenset(chosen)
                singles.update(chosen)
        between -= singles
        if len(between) > MAX_BETWEEN:
            return


def _covariates(graph: MixedGraph, target: NodeSet, do: NodeSet, mediators: NodeSet, given: NodeSet) -> list[NodeSet]:
    """Return sets that may go with mediators, small ones first: each joint cause must have something that blocks it."""
    allowed = graph.nodes - graph.descendants(do) - given - target
    first = smallest_separator(graph.without_arrows_out_of(do), mediators, do, given, allowed)
    if first is None:
        return []
    second = smallest_separator(graph.without_arrows_out_of(mediators), target, mediators, given | do, allowed)
    if second is None:
        return []
    return sorted(
        {frozenset[int](), first, second, first | second, allowed}, key=lambda some: (len(some), sorted(some))
    )


def _is_front_door(graph: MixedGraph, target: NodeSet, do: NodeSet, mediators: NodeSet, around: NodeSet) -> bool:
    """Tell whether P(y | do(x), w) is a sum over m of P(m | x, w) and P(y | do(m), w), and the latter adjusts for x.

    Nothing of w is below x. The steps are rule 2 for x to m, rule 2 for m, rule 3 for x, and rule 2 for m again.
    """
    no_out = graph.without_arrows_out_of(mediators)
    return (
        m_separated(graph.without_arrows_out_of(do), mediators, do, around)
        and m_separated(no_out.without_arrows_into(do), target, mediators, do | around)
        and m_separated(graph.without_arrows_into(do | mediators), target, do, mediators | around)
        and m_separated(no_out, target, mediators, do | around)
    )
