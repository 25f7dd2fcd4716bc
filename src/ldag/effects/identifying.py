"""The door to effects: whether P(target | do(treatments)) is a function of what is observed, and which."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ldag.checks import check_names, check_whole
from ldag.effects.deciding import decide_effect
from ldag.effects.effect import Effect
from ldag.effects.formulas import evaluate, nodes_in
from ldag.effects.results import Budget, EffectOutcome, EffectQuestion, Status
from ldag.effects.sources import take_source
from ldag.errors import ArgumentError, TooLarge, UnknownState
from ldag.formats import Edge, spell_name
from ldag.graph import LDAG, Names, check_disjoint
from ldag.learning import Fit
from ldag.model import Schema, State
from ldag.network import Network

MOST_MEMBERS = 200
"""Graphs that say the same as a learned one of which the effect is decided."""

SAME = 1e-9
"""Effects that differ by less are equal."""


def identify(
    graph: LDAG | Network | Fit,
    target: Names,
    *,
    do: Names | Mapping[str, State],
    given: Names = (),
    context: Mapping[str, State] | None = None,
    latent: Names = (),
    budget: int = Budget.cells,
) -> Effect:
    """Decide whether an effect can be computed from the observed variables, and by which formula.

    Parameters
    ----------
    graph
        With its latent variables. Of a `Fit`, or of a learned `Network`, all graphs count that say the same and satisfy
        the constraints: an arrow that the data do not determine is open.
    target
        The outcome, or several.
    do
        What is set from outside: names, for every setting, or states.
    given, context
        The effect among those with the same state of some variables, for every state, or for one.
    latent
        Variables of the graph that are taken as not observed, besides those that it declares.
    budget
        Cells of the largest table that a proof may build; the other limits grow with it.

    Examples
    --------
    >>> import ldag
    >>> graph = ldag.LDAG.from_text('''
    ...     latent motivation
    ...     assigned {no, yes}
    ...     motivation -> treated : assigned=yes
    ...     motivation -> recovered
    ...     assigned -> treated
    ...     treated -> recovered
    ... ''')
    >>> print(ldag.identify(graph, "recovered", do="treated"))
    P(recovered | do(treated)) = P(recovered | treated, assigned=yes)
    >>> confounded = ldag.LDAG.from_text("z -> x -> y <-> x")
    >>> ldag.identify(confounded, "y", do="x").status
    'not identifiable'
    """
    own, forbidden = take_graph(graph)
    marked = mark_latent(own, check_names(latent, "latent"))
    question = check_question(marked, target, do, given, context)
    limits = Budget.of(check_whole(budget, "budget"))
    effect = _decide(marked, question, limits)
    return effect if forbidden is None else _over_members(own, effect, forbidden, check_names(latent, "latent"))


def _decide(graph: LDAG, question: EffectQuestion, budget: Budget) -> Effect:
    latent = frozenset(graph.schema.nodes(graph.latent))
    return Effect(graph, question, decide_effect(graph.structure, latent, question, budget), budget)


def take_graph(thing: LDAG | Network | Fit) -> tuple[LDAG, Iterable[Edge] | None]:
    """Return a graph, and if it was learned the arrows that constraints rule out."""
    match thing:
        case LDAG():
            return thing, None
        case Fit():
            return thing.ldag, thing.forbidden
        case Network():
            return thing.ldag, thing.forbidden if thing.origin else None
    raise ArgumentError(f"expected an LDAG, a Network or a Fit, got {type(thing).__name__}")


def mark_latent(graph: LDAG, names: tuple[str, ...]) -> LDAG:
    """Return the graph in which further variables are latent."""
    nodes = set(graph.schema.nodes(names, "latent: "))
    if not nodes:
        return graph
    variables = tuple(replace(v, latent=v.latent or node in nodes) for node, v in enumerate(graph.schema))
    return LDAG(Schema(variables), graph.structure, graph.written)


def check_question(
    graph: LDAG, target: Names, do: Names | Mapping[str, State], given: Names, context: Mapping[str, State] | None
) -> EffectQuestion:
    """Check what is asked, and return it by number."""
    schema = graph.schema
    if isinstance(given, Mapping):
        raise ArgumentError(f"given has names, for every state; context has states: context={dict(given)!r}")
    treatments = tuple(do) if isinstance(do, Mapping) else check_names(do, "do")
    names = {"target": check_names(target, "target"), "do": treatments}
    names |= {"given": check_names(given, "given"), "context": tuple(context or ())}
    nodes = {side: schema.nodes(chosen, f"{side}: ") for side, chosen in names.items()}
    for side in ("target", "do"):
        if not nodes[side]:
            raise ArgumentError(f"{side} must name at least one variable")
    check_disjoint(**names)
    for side in ("target", "given", "context"):
        latent = [name for name in names[side] if name in graph.latent]
        if latent:
            raise ArgumentError(
                f"{side}: {latent[0]!r} is latent, and a table says nothing about it; name an observed variable"
            )
    setting = _check_states(graph, do if isinstance(do, Mapping) else {}, "do: ")
    return EffectQuestion(
        nodes["target"], nodes["do"], nodes["given"], _check_states(graph, context or {}, "context: "), setting
    )


def _check_states(graph: LDAG, states: Mapping[str, State], where: str) -> dict[int, int]:
    """Return states by number; of a variable that was written without any, say that they can be declared."""
    try:
        return graph.schema.context(states, where)
    except UnknownState as error:
        unknown = [name for name in states if name in graph.undeclared]
        if not unknown:
            raise
        name = spell_name(unknown[0])
        raise ArgumentError(
            f"{error}; {name} was written without states, which can be declared: {name} {{...}}"
        ) from None


def _over_members(graph: LDAG, effect: Effect, forbidden: Iterable[Edge], latent: tuple[str, ...]) -> Effect:
    """Decide the effect in every graph that says the same as a learned one, as far as that makes a difference.

    Without latent variables an effect depends on nothing but the parents of the treatments.
    """
    same = graph.equivalence_class(MOST_MEMBERS, forbidden=forbidden)
    do = [graph.schema[node].name for node in effect.question.do]
    members: dict[object, Effect] = {}
    for member in same:
        key = member.edges if effect.graph.latent else tuple(frozenset(member.parents(name)) for name in do)
        if key not in members:
            members[key] = _decide(mark_latent(member, latent), effect.question, effect.budget)
    kinds = _tell_apart(graph, list(members.values()))
    if len(kinds) == 1 and same.is_complete:
        return effect
    tried = () if same.is_complete else (f"of the graphs that say the same only {len(same)} were looked at",)
    is_open = len(kinds) == 1 or any(member.status == "unknown" for member in kinds)
    status: Status = "unknown" if is_open else "not identifiable"
    is_cut = any(member.outcome.is_cut for member in kinds)
    return replace(effect, outcome=EffectOutcome(status, tried=tried, is_cut=is_cut), members=tuple(kinds))


def list_members(graph: LDAG, forbidden: Iterable[Edge]) -> Sequence[LDAG]:
    """Return the graphs that say the same as a learned one, or refuse if there are too many."""
    same = graph.equivalence_class(MOST_MEMBERS, forbidden=forbidden)
    if not same.is_complete:
        raise TooLarge(
            f"the data do not tell this graph from more than {len(same)} others that say the same; settle arrows by"
            " constraints, or give the graph itself, which is taken at its word"
        )
    return same


def _tell_apart(graph: LDAG, members: list[Effect]) -> list[Effect]:
    """Return one effect of each kind: formulas that have the same value on a random model of the graph are one kind.

    Graphs that say the same have the same distributions, so one that was drawn for the graph is one of each.
    """
    rng = np.random.default_rng(0)
    tables = [
        rng.dirichlet(np.ones(r), f.partition.n_classes)
        for r, f in zip(graph.schema.n_states, graph.structure.families, strict=True)
    ]
    network = Network(graph, tuple(tables))
    kinds: list[tuple[object, Effect]] = []
    for member in members:
        values = _values(member, network)
        if not any(_is_same(values, known) for known, _ in kinds):
            kinds.append((values, member))
    return [member for _, member in kinds]


def _values(member: Effect, network: Network) -> object:
    """Return the effect in all cases on a network; the status, if it is not identified."""
    if member.status != "identified":
        return member.status
    q = member.question
    nodes = (*q.target, *q.do, *q.given)
    values = []
    for one in member.outcome.formulas:
        source = take_source(network, member.graph, sorted(nodes_in(one.formula)))
        values.append(evaluate(one.formula, source).over(nodes, source.n_states))
    return np.array(values)


def _is_same(first: object, second: object) -> bool:
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        return bool(np.allclose(first, second, rtol=0, atol=SAME))
    return type(first) is type(second) and not isinstance(first, np.ndarray) and first == second
