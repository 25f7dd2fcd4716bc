"""Premises: independencies in the graph with an intervention node, decided completely and remembered.

The augmented graph has one more node I {idle, set}, I -> X for every treatment X, and where I=set every other parent of
a treatment vanishes: there treatments are free roots, so that P(y | do(x), s) = P(y | X=x, s, I=set).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import prod

import numpy as np
from numpy.typing import NDArray

from ldag.effects.results import Budget, Premise, States
from ldag.model import CodedFamily, Grid, Partition, Structure
from ldag.reasoning import Question, decide

IDLE, SET = 0, 1
"""States of the intervention node."""
REFUTED = 1e-7
"""Two conditional probabilities that differ by more, in one random model, are no rounding error."""
MAX_AXES = 40
"""Variables of the largest model that is drawn; one product of tables can have 52."""
SHARE = 32
"""A table of one premise has at most this part of the cells of the budget, as many premises are asked for."""

PremiseKey = tuple[frozenset[int], frozenset[int], frozenset[int], tuple[tuple[int, int], ...]]


def free_latents(structure: Structure, latent: Iterable[int]) -> frozenset[int]:
    """Return the latents that may have any number of states: no label's context names them.

    In every child's family such a latent either makes no difference or has classes of its own for each of its states,
    so that the family of any other number of states is plain.
    """
    return frozenset(
        node
        for node in latent
        if structure.n_states[node] > 1
        and all(
            _stretch(structure.families[child], node, structure.n_states[node]) == structure.families[child]
            for child in structure.children[node]
        )
    )


def with_latent_states(structure: Structure, n_states: Mapping[int, int]) -> Structure:
    """Return the structure with other numbers of states of latents that no label names."""
    families = list(structure.families)
    for node, r in n_states.items():
        for child in structure.children[node]:
            families[child] = _stretch(families[child], node, r)
    return Structure(tuple(n_states.get(node, r) for node, r in enumerate(structure.n_states)), tuple(families))


def _stretch(family: CodedFamily, parent: int, n_states: int) -> CodedFamily:
    """Return a family whose parent has another number of states, each as its first state is."""
    axis = family.parents.index(parent)
    grid = family.partition.grid
    classes = np.moveaxis(family.partition.to_array().reshape(grid.n_states), axis, -1)
    is_idle = (classes == classes[..., :1]).all(axis=-1)
    own = np.where(is_idle[..., None], 0, 1 + np.arange(n_states)) * family.partition.n_classes
    new = np.moveaxis(classes[..., :1] + own, -1, axis)
    return CodedFamily.from_partition(family.parents, Partition.of(Grid(new.shape), new))


def resize_free_latents(structure: Structure, latent: Iterable[int]) -> Structure:
    """Return the structure in which an independence of observed variables holds iff it does for all sizes of latents.

    The identity p(a,b,s) p(s) = p(a,s) p(b,s) is of degree 2 in the probabilities of a latent's states. Those of one
    state are 1 minus the others; no term has more than two of the others: three states have every kind of term. Of a
    latent without parents both sides are homogeneous, and two states do.
    """
    free = free_latents(structure, latent)
    return with_latent_states(structure, {node: 3 if structure.parents(node) else 2 for node in free})


def find_label_nodes(structure: Structure) -> frozenset[int]:
    """Return the variables whose states matter to a label; other parents of its child need not."""
    nodes: set[int] = set()
    for family in structure.families:
        for axis in family.labelled_axes:
            others = [parent for a, parent in enumerate(family.parents) if a != axis]
            mask = family.partition.labels[axis].reshape(family.partition.grid.without(axis).n_states)
            nodes |= {parent for a, parent in enumerate(others) if (mask != mask.take([0], axis=a)).any()}
    return frozenset(nodes)


def add_intervention(structure: Structure, do: Iterable[int], roots: Iterable[int] = ()) -> Structure:
    """Return the graph with an intervention node for ``do`` as last node; ``roots`` are set already."""
    families = list(structure.families)
    for node in roots:
        families[node] = CodedFamily.table((), Grid(()))
    for node in do:
        family = families[node]
        grid = Grid((*family.partition.grid.n_states, 2))
        classes = np.full((family.partition.grid.size, 2), family.partition.n_classes)
        classes[:, IDLE] = family.partition.to_array()
        families[node] = CodedFamily.from_partition((*family.parents, len(structure)), Partition.of(grid, classes))
    families.append(CodedFamily.table((), Grid(())))
    return Structure((*structure.n_states, 2), tuple(families))


@dataclass
class Tally:
    """How many premises were asked for, and whether an answer was cut short."""

    n_asked: int = 0
    is_cut: bool = False


@dataclass(eq=False)
class Premises:
    """What holds when ``do`` is set: decided once each, within a budget that related ones share.

    ``structure`` is regular, with latents resized; ``roots`` are treatments that are set in any case.
    """

    structure: Structure
    latent: frozenset[int]
    do: frozenset[int]
    budget: Budget = field(default_factory=Budget)
    roots: frozenset[int] = frozenset()
    tally: Tally = field(default_factory=Tally)

    def __post_init__(self) -> None:
        self.augmented = add_intervention(self.structure, self.do, self.roots)
        self.node = len(self.structure)
        self._known: dict[PremiseKey, Premise | None] = {}
        self._tables: dict[frozenset[int], NDArray[np.float64]] = {}
        self._readable = frozenset(range(len(self.structure))) - (self.latent - self.do - self.roots) | {self.node}
        cells = prod(self.augmented.n_states[node] for node in self._readable)
        self._most_cells = max(1, self.budget.cells // SHARE)
        self._is_small = cells <= self._most_cells

    @property
    def is_cut(self) -> bool:
        """Whether something was not decided: a larger budget might find more."""
        return self.tally.is_cut

    def holds(
        self, a: Iterable[int], b: Iterable[int], given: Iterable[int] = (), context: States | None = None
    ) -> Premise | None:
        """Return the premise that a is independent of b, or None where it is not, or was not decided."""
        question = Question(frozenset(a), frozenset(b), frozenset(given), dict(context or {}))
        key = (question.a, question.b, question.given, tuple(sorted(question.context.items())))
        if key not in self._known:
            self._known[key] = self._decide(question)
        return self._known[key]

    def _decide(self, question: Question) -> Premise | None:
        if self.tally.n_asked >= self.budget.n_premises:
            self.tally.is_cut = True
            return None
        self.tally.n_asked += 1
        if self._can_draw(question) and self._is_refuted(question):
            return None
        decision = decide(self.augmented, question, self._most_cells)
        self.tally.is_cut |= decision.independent is None
        return Premise(self.augmented, decision) if decision.independent else None

    def _can_draw(self, question: Question) -> bool:
        """Tell whether the table of a question is small enough to draw."""
        named = question.a | question.b | question.given | question.context.keys()
        cells = prod(self.augmented.n_states[node] for node in named)
        return cells <= self._most_cells and len(self.augmented.ancestors(named)) <= MAX_AXES

    def _is_refuted(self, question: Question) -> bool:
        """Tell whether one random model has the dependence: most questions end here, without a search for proofs."""
        named = (*question.context, *sorted(question.a), *sorted(question.b), *sorted(question.given))
        table = self._marginal(frozenset(named))
        places = sorted(named)
        table = table.transpose([places.index(node) for node in named])
        sides = [prod(self.augmented.n_states[v] for v in side) for side in (question.a, question.b, question.given)]
        joint = table[tuple(question.context.values())].reshape(sides)
        conditional = joint / joint.sum(axis=0)
        return bool(np.ptp(conditional, axis=1).max() > REFUTED)

    def _marginal(self, nodes: frozenset[int]) -> NDArray[np.float64]:
        """Return a random model's table of some observed variables, ascending; of one for all where it is small."""
        if nodes not in self._tables:
            whole = self._readable if self._is_small else nodes
            if whole not in self._tables:
                self._tables[whole] = _draw_table(self.augmented, sorted(whole))
            summed = tuple(i for i, node in enumerate(sorted(whole)) if node not in nodes)
            self._tables[nodes] = np.asarray(self._tables[whole].sum(axis=summed))
        return self._tables[nodes]


def _draw_table(structure: Structure, kept: list[int]) -> NDArray[np.float64]:
    """Draw a model, always the same one, and return its table of some nodes."""
    rng = np.random.default_rng(0)
    above = sorted(structure.ancestors(kept))
    axis = {node: i for i, node in enumerate(above)}
    operands: list[object] = []
    for node in above:
        family, r = structure.families[node], structure.n_states[node]
        rows = rng.dirichlet(np.full(r, 2.0), size=family.partition.n_classes) * 0.9 + 0.1 / r
        shape = [structure.n_states[parent] for parent in family.parents]
        operands += [family.partition.expand(rows).reshape([*shape, r]), [axis[v] for v in (*family.parents, node)]]
    return np.asarray(np.einsum(*operands, [axis[node] for node in kept], optimize="greedy"))  # type: ignore[call-overload]


@dataclass(eq=False)
class Scene:
    """A graph with latents, and what is known about it: premises for every set of treatments, within one budget."""

    structure: Structure
    """Regular, with latents resized."""
    latent: frozenset[int]
    budget: Budget
    tally: Tally = field(default_factory=Tally)

    def __post_init__(self) -> None:
        self.observed = frozenset(range(len(self.structure))) - self.latent
        self.label_nodes = find_label_nodes(self.structure)
        self._premises: dict[tuple[frozenset[int], frozenset[int]], Premises] = {}

    @classmethod
    def of(cls, structure: Structure, latent: frozenset[int], budget: Budget, do: Iterable[int] = ()) -> "Scene":
        """Make the scene of any structure; a latent treatment has the states that it is declared with."""
        regular = structure.regular()
        return cls(resize_free_latents(regular, latent - frozenset(do)), latent, budget)

    def is_spent(self) -> bool:
        """Tell whether the budget has ended, and remember that it mattered."""
        self.tally.is_cut |= self.tally.n_asked >= self.budget.n_premises
        return self.tally.is_cut and self.tally.n_asked >= self.budget.n_premises

    def premises(self, do: frozenset[int], roots: frozenset[int] = frozenset()) -> Premises:
        """Return the premises for some treatments, others being set in any case."""
        if (do, roots) not in self._premises:
            self._premises[do, roots] = Premises(self.structure, self.latent, do, self.budget, roots, self.tally)
        return self._premises[do, roots]
