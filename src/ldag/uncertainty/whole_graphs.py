"""What only whole graphs can tell: all of a small space, one by one, or drawn ones; and effects by parents alone."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import exp, prod
from typing import Any

import numpy as np

from ldag._native import Columns
from ldag.constraints import SearchSpace
from ldag.data import count_family
from ldag.inference import Engine
from ldag.model import CodedFamily, Model, Structure, freeze
from ldag.reasoning import Question, cpdag, d_separated, essential_edges
from ldag.uncertainty.component import NEGLIGIBLE, Component, Floats, ParentSet
from ldag.uncertainty.families import FamilyLabels, Setting

MOST_GRAPHS = 5_000
"""Choices of a parent set per node, cyclic ones included, that are gone through."""

Dag = tuple[ParentSet, ...]


def is_small(component: Component) -> bool:
    """Whether all DAGs can be gone through."""
    return component.log_weights is not None and prod(map(len, component.sets)) <= MOST_GRAPHS


def all_dags(component: Component) -> Iterator[tuple[Dag, float]]:
    """Go through the DAGs with their probabilities."""
    assert component.log_weights is not None
    assert component.log_evidence is not None
    choices = [
        list(zip(sets, weights.tolist(), strict=True))
        for sets, weights in zip(component.sets, component.log_weights, strict=True)
    ]
    for chosen in product(*choices):
        probability = exp(min(sum(weight for _, weight in chosen) - component.log_evidence, 0.0))
        dag = tuple(parents for parents, _ in chosen)
        if probability > NEGLIGIBLE and _is_acyclic(dag):
            yield dag, probability


def separation_probability(component: Component, families: FamilyLabels, question: Question) -> float:
    """Return the probability that a graph CSI-separates: in a context, edges whose label is satisfied are gone."""
    remaining: dict[tuple[int, ParentSet], list[tuple[ParentSet, float]]] = {}
    separated: dict[Dag, bool] = {}
    total = 0.0
    blocked = [*question.given, *question.context]
    for dag, probability in all_dags(component):
        for family in enumerate(dag):
            if family not in remaining:
                remaining[family] = list(_context_parents(*family, component.setting, families, question.context))
        for kept in product(*(remaining[family] for family in enumerate(dag))):
            pruned = tuple(parents for parents, _ in kept)
            if pruned not in separated:
                separated[pruned] = d_separated(pruned, question.a, question.b, blocked)
            if separated[pruned]:
                total += probability * prod(p for _, p in kept)
    return total


def _context_parents(
    node: int, parents: ParentSet, setting: Setting, families: FamilyLabels, context: Mapping[int, int]
) -> Iterator[tuple[ParentSet, float]]:
    """Go through the parents that are left in a context, with probabilities (inclusion and exclusion over labels)."""
    lines = {parent: families.lines(parents, parent, context) for parent in parents}
    open_to = [parent for parent in parents if lines[parent]]
    if not open_to:
        yield parents, 1.0
        return
    posterior = families.of(node, parents, setting)
    at_least = {
        gone: posterior.all_inside([line for parent in gone for line in lines[parent]])
        for size in range(len(open_to) + 1)
        for gone in combinations(open_to, size)
    }
    for gone in at_least:
        exactly = sum((-1) ** (len(more) - len(gone)) * p for more, p in at_least.items() if set(gone) <= set(more))
        if exactly > 0:
            yield tuple(parent for parent in parents if parent not in gone), exactly


def mean_answer(
    component: Component, families: FamilyLabels, targets: tuple[int, ...], do: Mapping[int, int]
) -> Floats:
    """Return the joint distribution of targets when some variables are set, averaged over everything.

    Given the DAG, parameters of different families are independent and each occurs once in a product, so means may be
    put in their place.
    """
    total = np.zeros([families.n_states[node] for node in targets])
    tables: dict[tuple[int, ParentSet], tuple[CodedFamily, Floats]] = {}
    for dag, probability in all_dags(component):
        for node, parents in enumerate(dag):
            if (node, parents) not in tables:
                mean = families.of(node, parents, component.setting).mean_distributions()
                table = CodedFamily.table(parents, families.grid(parents))
                tables[node, parents] = table, freeze(mean / mean.sum(axis=1, keepdims=True))
        own = [tables[family] for family in enumerate(dag)]
        model = Model(Structure(families.n_states, tuple(f for f, _ in own)), tuple(t for _, t in own))
        _, answer = Engine(model.intervened(do)).joint(targets, dict(do))
        total += probability * answer
    return total


def adjust_for_parents(
    columns: Columns, n_states: Sequence[int], target: int, node: int, parents: ParentSet, size: float
) -> Floats:
    """Return the distributions of a target when a node is set, a row per state, if these are the node's parents.

    Probabilities of the target in strata of the parents, weighed by how probable these are; all are means under a prior
    that counts for ``size`` observations. The target must not be among the parents.
    """
    counts = count_family(columns, n_states, target, (*parents, node)).astype(np.float64)
    smoothed = (counts + size / counts.size).reshape(-1, n_states[node], n_states[target])
    weights = smoothed.sum(axis=(1, 2)) / smoothed.sum()
    return np.asarray(np.einsum("s,sxy->xy", weights, smoothed / smoothed.sum(axis=2, keepdims=True)))


def _is_acyclic(dag: Dag) -> bool:
    left = set(range(len(dag)))
    while left:
        free = {node for node in left if not left.intersection(dag[node])}
        if not free:
            return False
        left -= free
    return True


N_DIRECTED = 1000
N_KEPT_DIRECTED = 500
"""Graphs that are drawn to tell how probable directions are; from a file that has some graphs only, fewer."""
MOST_STEPS = 200
"""Of the search for an equivalent graph with an arrow turned; an arrow that it leaves undecided counts as free."""


@dataclass(frozen=True, eq=False)
class DirectionChances:
    """The probability that an edge (from, to) is there and determined; ``n_draws`` is 0 if that is exact."""

    probabilities: Floats
    n_draws: int

    @property
    def errors(self) -> Floats:
        """The standard errors of drawing."""
        p = self.probabilities
        return np.sqrt(p * (1 - p) / self.n_draws) if self.n_draws else np.zeros_like(p)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {"probabilities": self.probabilities.tolist(), "n_draws": self.n_draws}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "DirectionChances":
        """Read what `to_dict` returns."""
        return cls(np.array(given["probabilities"], dtype=np.float64), given["n_draws"])


def sum_directions(components: Sequence[Component], space: SearchSpace | None) -> DirectionChances:
    """Go through all DAGs of small spaces without labels."""
    n = len(components[0].sets)
    chances = np.zeros((n, n))
    for component in components:
        for dag, probability in all_dags(component):
            turned = [(j, i) for j, above in enumerate(dag) for i in above]
            forbidden = () if space is None else [(j, i) for j, i in turned if j not in space.candidates[i]]
            for i, j in cpdag(dag, forbidden).directed:
                chances[i, j] += component.weight * probability
    return DirectionChances(chances, 0)


def draw_directions(drawn: Iterable[Structure], space: SearchSpace | None) -> DirectionChances:
    """Count the essential edges of drawn graphs; equal ones are looked at once."""
    graphs = Counter(drawn)
    n = len(next(iter(graphs)).n_states)
    chances = np.zeros((n, n))
    for structure, number in graphs.items():
        forbidden = () if space is None else space.ruled_out(structure)
        for edge in essential_edges(structure, forbidden, MOST_STEPS)[0]:
            chances[edge] += number
    return DirectionChances(chances / graphs.total(), graphs.total())
