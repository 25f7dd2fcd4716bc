"""Adjustment sets: all smallest sets Z with P(y | do(x), c) = sum over z of P(z | c) P(y | x, z, c) in every model.

In a plain graph that is a question of separation (Perković and others 2018). With labels it is decided on a random
model, as implications are that no rule settles; where its table would be too large, by premises.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from ldag.checks import check_names, check_whole
from ldag.effects.identifying import check_question, list_members, mark_latent, take_graph
from ldag.effects.mixed_graphs import MixedGraph, NodeSet, m_separated
from ldag.effects.premises import SET, Scene, resize_free_latents
from ldag.effects.results import Budget, EffectQuestion
from ldag.errors import ArgumentError, TooLarge, option
from ldag.graph import LDAG, Names
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
    do: Names | Mapping[str, State],
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
        With its latent variables, which are in no set. Of a `Fit`, or of a learned `Network`, a set is listed if it is
        so in every graph that says the same and satisfies the constraints.
    target
        The outcome, or several.
    do
        What is set from outside: names, for every setting, or states.
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
    own, forbidden = take_graph(graph)
    marked = mark_latent(own, check_names(latent))
    question = check_question(marked, target, do, (), context)
    unseen = frozenset(marked.schema.nodes(marked.latent))
    for node in unseen.intersection(question.do):
        name = marked.schema[node].name
        raise ArgumentError(f"do: {name!r} is latent, and adjusting reads it; name an observed variable")
    size = None if max_size is None else check_whole(max_size, "max_size", least=0)
    same = [own] if forbidden is None else list_members(own, forbidden)
    first, *others = (list_adjustment_sets(member.structure, unseen, question, size) for member in same)
    sets = [chosen for chosen in first if all(chosen in other for other in others)]
    return [tuple(own.schema[node].name for node in chosen) for chosen in sets]


def list_adjustment_sets(
    structure: Structure, latent: NodeSet, question: EffectQuestion, max_size: int | None = None
) -> list[tuple[int, ...]]:
    """List the minimal valid sets of observed nodes, smallest first, then by number.

    None of them has a node that is not above a target, a treatment or the context, in that context: with a distribution
    that does not depend on its parents, such a node makes no difference, and the rest must be valid without it.
    """
    search = AdjustmentSearch(structure.regular(), latent, question)
    return search.by_separation(max_size) if search.is_plain else search.by_models(max_size)


@dataclass(frozen=True)
class AdjustmentSearch:
    """Which sets suffice in a regular structure."""

    structure: Structure
    latent: NodeSet
    question: EffectQuestion

    @cached_property
    def above(self) -> NodeSet:
        """What lies above the question's variables in its context."""
        q = self.question
        parents = context_parents(self.structure, q.context)
        return MixedGraph.project(parents, frozenset()).ancestors([*q.target, *q.do, *q.context])

    @cached_property
    def candidates(self) -> tuple[int, ...]:
        """What may be in a set, ascending."""
        q = self.question
        return tuple(sorted(self.above - self.latent - {*q.target, *q.do, *q.context}))

    @property
    def is_plain(self) -> bool:
        """Whether no label and no context bears on the question."""
        return not self.question.context and all(self.structure.families[v].partition.is_table for v in self.above)

    def by_separation(self, max_size: int | None) -> list[tuple[int, ...]]:
        """List the sets of a plain graph.

        Forbidden is what lies on a causal path from a treatment that passes no other one, and what is below it; what is
        left must separate treatments and targets when these paths lose their first arrows.
        """
        do, target = frozenset(self.question.do), frozenset(self.question.target)
        graph = MixedGraph.project([family.parents for family in self.structure.families], self.latent)
        below = graph.without_arrows_into(do).descendants(do) - do
        between = below & graph.without_arrows_out_of(do).ancestors(target)
        arrows = [(a, b) for b, above in graph.parents.items() for a in above if not (a in do and b in between)]
        cut = MixedGraph.of(graph.nodes, arrows, graph.arcs)
        allowed = [node for node in self.candidates if node not in graph.descendants(between)]
        if not m_separated(cut, target, do, allowed):
            return []
        return _list_minimal(allowed, lambda chosen: m_separated(cut, target, do, chosen), max_size)

    def by_models(self, max_size: int | None) -> list[tuple[int, ...]]:
        """List the sets that a random model allows, or if its table is too large, that premises allow.

        Latents that may have any number of states have as many as an independence is decided with.
        """
        q = self.question
        kept = {*q.target, *q.do, *q.context, *self.candidates}
        n_cells = prod(self.structure.n_states[node] for node in kept)
        if n_cells > MAX_CELLS or len(self.structure.ancestors(kept)) > MAX_AXES_OF_MODEL:
            return _list_minimal(self.candidates, self._prepare_premises(), max_size)
        structure = resize_free_latents(self.structure, self.latent)
        model = RandomModel.draw(structure, q, self.candidates, np.random.default_rng(0))
        return _list_minimal(self.candidates, model.is_adjusted_by, max_size)

    def _prepare_premises(self) -> "SetTest":
        """Return the test by independencies: the set is untouched, and given it seeing is as good as setting."""
        q = self.question
        premises = Scene.of(self.structure, self.latent, Budget(cells=MAX_CELLS)).premises(frozenset(q.do))
        free = frozenset(q.do) - q.setting.keys()

        def is_valid(chosen: NodeSet) -> bool:
            is_set, at_setting = {**q.context, premises.node: SET}, {**q.context, **q.setting}
            is_direct = premises.holds(q.target, [premises.node], chosen | free, at_setting) is not None
            is_untouched = not chosen or (
                premises.holds(chosen, [premises.node], (), q.context) is not None
                and premises.holds(chosen, q.do, (), is_set) is not None
            )
            return is_direct and is_untouched

        return is_valid


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


@dataclass(frozen=True, eq=False)
class RandomModel:
    """What a model shows in a context, and what an intervention does there."""

    table: NDArray[np.float64]
    """By targets, treatments and candidates."""
    effect: NDArray[np.float64]
    """By targets and treatments."""
    question: EffectQuestion
    candidates: tuple[int, ...]

    @classmethod
    def draw(
        cls, structure: Structure, question: EffectQuestion, candidates: tuple[int, ...], rng: np.random.Generator
    ) -> "RandomModel":
        """Draw a distribution for every class, none with a probability near 0."""
        q = question
        shown = [*q.context, *q.target, *q.do]
        tables = {}
        for node in sorted(structure.ancestors([*shown, *candidates])):
            family, r = structure.families[node], structure.n_states[node]
            rows = rng.dirichlet(np.full(r, 2.0), size=family.partition.n_classes) * 0.9 + 0.1 / r
            tables[node] = family.partition.expand(rows).reshape([*family.partition.grid.n_states, r])
        free = {node: np.ones(structure.n_states[node]) for node in q.do}
        table = _multiply_families(structure, tables, [*shown, *candidates])
        after = _multiply_families(structure, {**tables, **free}, shown)
        fixed = tuple(q.context.values())
        return cls(table[fixed], after[fixed], q, candidates)

    def is_adjusted_by(self, chosen: NodeSet) -> bool:
        """Tell whether the effect is what adjusting for a set gives, at the setting that is asked for."""
        q, n_shown = self.question, self.effect.ndim
        targets = tuple(range(len(q.target)))
        joint = self.table.sum(axis=tuple(n_shown + i for i, node in enumerate(self.candidates) if node not in chosen))
        weights = joint.sum(axis=tuple(range(n_shown)), keepdims=True) / joint.sum()
        conditional = joint / joint.sum(axis=targets, keepdims=True)
        adjusted = (conditional * weights).sum(axis=tuple(range(n_shown, joint.ndim)))
        effect = self.effect / self.effect.sum(axis=targets, keepdims=True)
        at_setting = (..., *(q.setting.get(node, slice(None)) for node in q.do))
        return bool(np.abs(adjusted - effect)[at_setting].max() < EQUAL)


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
