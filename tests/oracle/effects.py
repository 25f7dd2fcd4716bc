"""Effects by enumeration: random models with latents, their observed tables, and what interventions really do."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ldag.model import CodedFamily, Structure

Array = NDArray[np.float64]
Parameters = Sequence[Array]
"""For every node a row per class, a column per state."""


def random_parameters(structure: Structure, rng: np.random.Generator) -> Parameters:
    """One distribution per class of every node, none with a probability near 0."""
    return [
        0.05 / r + 0.95 * rng.dirichlet(np.ones(r), size=family.partition.n_classes)
        for r, family in zip(structure.n_states, structure.families, strict=True)
    ]


def table_after(structure: Structure, parameters: Parameters, do: Sequence[int] = ()) -> Array:
    """P(everything else | do(x)) at every x, one axis per node: the product of all tables but those of ``do``."""
    table = np.ones(structure.n_states)
    for node, family in enumerate(structure.families):
        if node in do:
            continue
        rows = np.asarray(parameters[node])[family.partition.to_array()]
        axes = [*family.parents, node]
        factor = rows.reshape([structure.n_states[axis] for axis in axes])
        order = sorted(range(len(axes)), key=lambda i: axes[i])
        shape = [structure.n_states[axis] if axis in axes else 1 for axis in range(len(structure))]
        table = table * factor.transpose(order).reshape(shape)
    return table


def _kept(table: Array, nodes: Sequence[int]) -> Array:
    """Sum over all but some nodes, whose axes come in the order given."""
    rest = np.asarray(table.sum(axis=tuple(i for i in range(table.ndim) if i not in nodes)))
    places = sorted(nodes)
    return rest.transpose([places.index(node) for node in nodes])


def true_effect(
    structure: Structure,
    parameters: Parameters,
    target: Sequence[int],
    do: Sequence[int],
    given: Sequence[int] = (),
    context: Mapping[int, int] | None = None,
) -> Array:
    """P(target | do, given, context) as an array (states of target..., of do..., of given...)."""
    fixed = dict(context or {})
    free = [*target, *do, *given]
    table = _kept(table_after(structure, parameters, do), [*free, *fixed])
    places: list[slice | int] = [*(slice(None) for _ in free), *fixed.values()]
    table = np.asarray(table[tuple(places)])
    total = table.sum(axis=tuple(range(len(target))), keepdims=True)
    return np.asarray(table / total)


@dataclass(frozen=True)
class ObservedTable:
    """The joint distribution of what is observed, as formulas read it; asking for a latent fails."""

    n_states: tuple[int, ...]
    table: Array
    """One axis per node, of length 1 for latents."""
    latent: frozenset[int]

    def conditional(self, of: tuple[int, ...], given: tuple[int, ...]) -> Array:
        """P(of | given), one draw."""
        assert not self.latent & {*of, *given}
        assert len({*of, *given}) == len(of) + len(given)
        joint = _kept(self.table, [*of, *given])
        return np.asarray(joint / joint.sum(axis=tuple(range(len(of))), keepdims=True))[None]


def observed_source(structure: Structure, latent: frozenset[int], parameters: Parameters) -> ObservedTable:
    """What the world shows of a model."""
    table = table_after(structure, parameters).sum(axis=tuple(latent), keepdims=True)
    return ObservedTable(structure.n_states, table, latent)


@dataclass(frozen=True)
class NamedGraph:
    """A structure whose nodes have names."""

    structure: Structure
    latent: frozenset[int]
    names: tuple[str, ...]

    def numbers(self, names: str) -> tuple[int, ...]:
        """Numbers of names with spaces between them."""
        return tuple(self.names.index(name) for name in names.split())


def read_graph(text: str, sizes: Mapping[str, int] | None = None, otherwise: int = 2) -> NamedGraph:
    """Read "X -> Y, Z <-> Y, W": edges and names; <-> is a latent parent of both, and names that begin with U latent.

    ``sizes`` are the states of some variables, the others have ``otherwise`` many.
    """
    names: list[str] = []
    edges: list[tuple[str, str]] = []
    for part in text.split(","):
        a, arrow, b = (*part.split(), "", "")[:3]
        names += [name for name in (a, b) if name and name not in names]
        if arrow == "->":
            edges.append((a, b))
        elif arrow == "<->":
            cause = f"U_{a}_{b}"
            names.append(cause)
            edges += [(cause, a), (cause, b)]
    states = tuple((sizes or {}).get(name, otherwise) for name in names)
    parents = [tuple(sorted(names.index(a) for a, b in edges if b == name)) for name in names]
    latent = frozenset(i for i, name in enumerate(names) if name.startswith("U"))
    return NamedGraph(structure_of(states, parents), latent, tuple(names))


def structure_of(n_states: Sequence[int], parents: Sequence[Sequence[int]]) -> Structure:
    """An ordinary DAG: a full table for every node."""
    empty = Structure(tuple(n_states), ())
    families = (CodedFamily.table(tuple(sorted(above)), empty.grid(sorted(above))) for above in parents)
    return Structure(tuple(n_states), tuple(families))


def random_structure(
    rng: np.random.Generator,
    n_observed: int,
    n_latent: int,
    max_states: int = 2,
    density: float = 0.4,
    label_rate: float = 0.0,
) -> tuple[Structure, frozenset[int]]:
    """A random DAG: observed nodes first, in a random order of causes, then latent ones with two or more children.

    With a probability of ``label_rate`` an edge vanishes at a configuration of the child's other parents.
    """
    n = n_observed + n_latent
    order = rng.permutation(n_observed)
    parents: list[set[int]] = [set() for _ in range(n)]
    for i, j in combinations(range(n_observed), 2):
        if rng.random() < density:
            parents[order[j]].add(int(order[i]))
    for cause in range(n_observed, n):
        for child in rng.choice(n_observed, size=min(n_observed, 2 + int(rng.random() < 0.2)), replace=False):
            parents[child].add(cause)
    n_states = tuple(int(rng.integers(2, max_states + 1)) for _ in range(n))
    plain = structure_of(n_states, [sorted(above) for above in parents])
    families = []
    for family in plain.families:
        grid = family.partition.grid
        labels = tuple(rng.random(grid.without(axis).size) < label_rate for axis in range(len(family.parents)))
        has_label = label_rate > 0 and len(family.parents) > 1
        families.append(CodedFamily.from_labels(family.parents, grid, labels) if has_label else family)
    return Structure(n_states, tuple(families)).regular(), frozenset(range(n_observed, n))


def is_hedge(graph: NamedGraph, outer: Set[int], inner: Set[int], do: Set[int], target: Set[int]) -> bool:
    """Whether two sets are a hedge, by definition: arcs connect each, all of the larger is above the smaller inside it.

    The smaller one lies above the target where nothing causes the treatments, and only the larger one has treatments.
    """
    parents = [set(family.parents) for family in graph.structure.families]

    def above(some: Set[int], among: Set[int]) -> set[int]:
        reached = set(some)
        while more := {p for v in reached for p in parents[v] if p in among} - reached:
            reached |= more
        return reached

    def is_connected(some: Set[int]) -> bool:
        reached = {min(some)}
        while more := {b for a in reached for b in some if parents[a] & parents[b] & graph.latent} - reached:
            reached |= more
        return reached == set(some)

    everything = set(range(len(parents)))
    return bool(
        inner < outer
        and outer & do
        and not inner & do
        and is_connected(outer)
        and is_connected(inner)
        and above(inner, outer) == set(outer)
        and inner <= above(target, everything - do)
    )
