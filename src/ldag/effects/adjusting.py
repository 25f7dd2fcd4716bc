"""Adjustment sets: all smallest sets Z with P(y | do(x), c) = sum over z of P(z | c) P(y | x, z, c) in every model.

In a plain graph that is a question of separation (Perković and others 2018). With labels it is decided on a random
model, as implications are that no rule settles; where its table would be too large, by premises.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from ldag.checks import check_names, check_whole
from ldag.effects.mixed_graphs import MixedGraph, NodeSet, m_separated
from ldag.effects.premises import SET, Scene, resize_free_latents
from ldag.effects.results import Budget, States
from ldag.errors import ArgumentError, TooLarge, option
from ldag.graph import LDAG, Names, check_disjoint
from ldag.learning import Fit
from ldag.model import State, Structure
from ldag.network import Network
from ldag.reasoning import context_parents

MAX_SETS = 2**16
"""Sets that are looked at; a limit on their size makes them fewer."""
MAX_CELLS = 2**16
"""Of the tables that a set is tried on."""
MAX_AXES_OF_MODEL = 48
"""Variables of a random model: numpy multiplies tables of no more."""
EQUAL = 1e-10
"""Two sides of an equation that differ by less, in a random model, are equal but for rounding."""


def adjustment_sets(
    graph: LDAG | Network | Fit,
    target: Names,
    *,
    do: Names,
    context: Mapping[str, State] | None = None,
    latent: Names = (),
    max_size: int | None = None,
) -> list[tuple[str, ...]]:
    """List the sets of observed variables that suffice to adjust for, none with a variable that can be left out.

    Adjusting for Z is P(y | do(x)) = sum over z of P(z) P(y | x, z). A set is listed if that holds in every model of
    the graph, labels included; in a context, if it holds there. An effect without any such set may still be identified.

    Parameters
    ----------
    graph
        With its latent variables, which are in no set. Of a `Fit` it is the graph that was learned.
    target, do
        Outcomes and treatments.
    context
        States of variables: the effect among those who have them.
    latent
        Variables of the graph that are taken as not observed, besides those that it declares.
    max_size
        Variables of the largest set that is looked for.

    Examples
    --------
    >>> import ldag
    >>> graph = ldag.LDAG.from_text('''
    ...     age -> drug -> death
    ...     age -> risk -> death
    ... ''')
    >>> ldag.adjustment_sets(graph, "death", do="drug")
    [('age',), ('risk',)]
    """
    own = graph if isinstance(graph, LDAG) else getattr(graph, "ldag", None)
    if not isinstance(own, LDAG):
        raise ArgumentError(f"expected an LDAG, a Network or a Fit, got {type(graph).__name__}")
    schema = own.schema
    sides = {"target": check_names(target), "do": check_names(do), "context": tuple(context or ())}
    numbers = {side: schema.nodes(names, f"{side}: ") for side, names in sides.items()}
    states = schema.context(context, "context: ")
    for side in ("target", "do"):
        if not numbers[side]:
            raise ArgumentError(f"{side} must name at least one variable")
    check_disjoint(**sides)
    unseen = frozenset(schema.nodes({*own.latent, *check_names(latent)}, "latent: "))
    for side, nodes in numbers.items():
        for node in nodes:
            if node in unseen:
                raise ArgumentError(f"{side}: {schema[node].name!r} is latent; name an observed variable")
    size = None if max_size is None else check_whole(max_size, "max_size", least=0)
    sets = list_adjustment_sets(own.structure, unseen, numbers["target"], numbers["do"], states, size)
    return [tuple(schema[node].name for node in chosen) for chosen in sets]


def list_adjustment_sets(
    structure: Structure,
    latent: NodeSet,
    target: Iterable[int],
    do: Iterable[int],
    context: States | None = None,
    max_size: int | None = None,
) -> list[tuple[int, ...]]:
    """List the minimal valid sets of observed nodes, smallest first, then by number.

    None of them has a node that is not above a target, a treatment or the context, in that context: with a distribution
    that does not depend on its parents, such a node makes no difference, and the rest must be valid without it.
    """
    asked, treated, fixed = frozenset(target), frozenset(do), dict(context or {})
    regular = structure.regular()
    parents = context_parents(regular, fixed)
    above = MixedGraph.project(parents, frozenset()).ancestors(asked | treated | fixed.keys())
    candidates = sorted(above - latent - asked - treated - fixed.keys())
    is_plain = not fixed and all(regular.families[node].partition.is_table for node in above)
    question = AdjustmentQuestion(regular, latent, asked, treated, fixed, frozenset(candidates))
    if is_plain:
        candidates, is_valid = _prepare_separation(question)
        if not is_valid(frozenset(candidates)):
            return []
    else:
        is_valid = _prepare_models(question) or _prepare_premises(question)
    return _list_minimal(candidates, is_valid, max_size)


@dataclass(frozen=True)
class AdjustmentQuestion:
    """Which sets suffice, by number; nodes of the sets are among the candidates."""

    structure: Structure
    latent: NodeSet
    target: NodeSet
    do: NodeSet
    context: States
    candidates: NodeSet


SetTest = Callable[[NodeSet], bool]


def _list_minimal(candidates: Sequence[int], is_valid: SetTest, max_size: int | None) -> list[tuple[int, ...]]:
    """Go through all sets by size, but for those that contain a valid one."""
    largest = len(candidates) if max_size is None else min(max_size, len(candidates))
    n_sets = sum(comb(len(candidates), size) for size in range(largest + 1))
    if n_sets > MAX_SETS:
        raise TooLarge(
            f"{len(candidates)} variables may be adjusted for: that is {n_sets:,} sets, and the limit is {MAX_SETS:,};"
            f" look for small ones with {option('max_size', 3)}"
        )
    valid: list[tuple[int, ...]] = []
    for size in range(largest + 1):
        for chosen in combinations(candidates, size):
            nodes = frozenset(chosen)
            if not any(nodes.issuperset(smaller) for smaller in valid) and is_valid(nodes):
                valid.append(chosen)
    return valid


def _prepare_separation(question: AdjustmentQuestion) -> tuple[list[int], SetTest]:
    """Return what may be adjusted for in a plain graph, and the test by separation.

    Forbidden is what lies on a causal path from a treatment that passes no other one, and what is below it; what is
    left must separate treatments and targets when these paths lose their first arrows.
    """
    graph = MixedGraph.project([family.parents for family in question.structure.families], question.latent)
    below = graph.without_arrows_into(question.do).descendants(question.do) - question.do
    between = below & graph.without_arrows_out_of(question.do).ancestors(question.target)
    arrows = [(a, b) for b, above in graph.parents.items() for a in above if not (a in question.do and b in between)]
    cut = MixedGraph.of(graph.nodes, arrows, graph.arcs)
    allowed = sorted(question.candidates - graph.descendants(between))
    return allowed, lambda chosen: m_separated(cut, question.target, question.do, chosen)


def _prepare_models(question: AdjustmentQuestion) -> SetTest | None:
    """Return the test on a random model, or None if its table is too large.

    Latents that may have any number of states have as many as an independence is decided with.
    """
    q = question
    kept = q.target | q.do | q.candidates | q.context.keys()
    above = q.structure.ancestors(kept)
    if prod(q.structure.n_states[node] for node in kept) > MAX_CELLS or len(above) > MAX_AXES_OF_MODEL:
        return None
    structure = resize_free_latents(q.structure, q.latent)
    return RandomModel.draw(structure, q, np.random.default_rng(0)).is_adjusted_by


@dataclass(frozen=True, eq=False)
class RandomModel:
    """What a model shows in a context, and what an intervention does there."""

    axes: tuple[int, ...]
    """Targets, treatments and candidates."""
    table: NDArray[np.float64]
    effect: NDArray[np.float64]
    """By targets and treatments."""
    n_targets: int

    @classmethod
    def draw(cls, structure: Structure, question: AdjustmentQuestion, rng: np.random.Generator) -> "RandomModel":
        """Draw a distribution for every class, none with a probability near 0."""
        q = question
        axes = [node for side in (q.target, q.do, q.candidates) for node in sorted(side)]
        n_shown = len(q.target) + len(q.do)
        above = sorted(structure.ancestors([*axes, *q.context]))
        tables = {}
        for node in above:
            family, r = structure.families[node], structure.n_states[node]
            rows = rng.dirichlet(np.full(r, 2.0), size=family.partition.n_classes) * 0.9 + 0.1 / r
            tables[node] = family.partition.expand(rows).reshape([*family.partition.grid.n_states, r])
        observed = _multiply_families(structure, tables, [*q.context, *axes])
        free = {node: np.ones(structure.n_states[node]) for node in q.do}
        after = _multiply_families(structure, {**tables, **free}, [*q.context, *axes[:n_shown]])
        codes = tuple(q.context.values())
        targets = tuple(range(len(q.target)))
        effect = after[codes] / after[codes].sum(axis=targets, keepdims=True)
        return cls(tuple(axes), observed[codes], effect, len(q.target))

    def is_adjusted_by(self, chosen: NodeSet) -> bool:
        """Tell whether the effect is what adjusting for a set gives."""
        n_shown = self.effect.ndim
        gone = tuple(i for i, node in enumerate(self.axes) if i >= n_shown and node not in chosen)
        joint = self.table.sum(axis=gone)
        conditional = joint / joint.sum(axis=tuple(range(self.n_targets)), keepdims=True)
        weights = joint.sum(axis=tuple(range(n_shown)), keepdims=True) / joint.sum()
        adjusted = (conditional * weights).sum(axis=tuple(range(n_shown, joint.ndim)))
        return bool(np.abs(adjusted - self.effect).max() < EQUAL)


def _multiply_families(
    structure: Structure, tables: Mapping[int, NDArray[np.float64]], kept: Sequence[int]
) -> NDArray[np.float64]:
    """Multiply the tables of nodes, those without axes for parents too, and sum over all but some, in their order."""
    number = {node: i for i, node in enumerate(sorted(tables))}
    operands: list[object] = []
    for node, table in tables.items():
        axes = (*structure.parents(node), node)[-table.ndim :]
        operands += [table, [number[axis] for axis in axes]]
    return np.asarray(np.einsum(*operands, [number[node] for node in kept], optimize="greedy"))  # type: ignore[call-overload]


def _prepare_premises(question: AdjustmentQuestion) -> SetTest:
    """Return the test by independencies: the set is untouched, and given it the treatment is as good as observed."""
    q = question
    premises = Scene.of(q.structure, q.latent, Budget(cells=MAX_CELLS)).premises(q.do)

    def is_valid(chosen: NodeSet) -> bool:
        is_set = {**q.context, premises.node: SET}
        is_direct = premises.holds(q.target, [premises.node], chosen | q.do, q.context) is not None
        is_untouched = not chosen or (
            premises.holds(chosen, [premises.node], (), q.context) is not None
            and premises.holds(chosen, q.do, (), is_set) is not None
        )
        return is_direct and is_untouched

    return is_valid
