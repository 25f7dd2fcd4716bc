"""Networks to try things on: random labelled DAGs and parameters, two examples of the literature, and gaps in data."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import isfinite

import numpy as np

from ldag import datasets
from ldag.checks import Rng, check_generator, check_share, check_whole
from ldag.errors import ArgumentError, TooLarge
from ldag.graph import LDAG
from ldag.model import CodedFamily, Grid, Schema, Structure, Variable, normalise
from ldag.network import Network
from ldag.simulate.emptying import GapKind, gaps
from ldag.simulate.partitions import by_lines, by_tree, fewest_leaves

__all__ = ["GapKind", "gaps", "generator10", "guard", "layered_ldag", "random_ldag", "random_network"]

Range = int | tuple[int, int]
"""A number, or the smallest and the largest of which one is drawn, all equally likely."""

GRID_LIMIT = 1 << 16
"""Configurations of the parents of one node, if labels are drawn line by line."""

TREE_GRID_LIMIT = 1 << 22
"""Configurations of the parents of one node, if classes are drawn as a tree."""


def random_ldag(
    n_nodes: int,
    *,
    n_states: Range = (2, 4),
    max_parents: int = 3,
    edge_density: float | None = None,
    label_density: float = 0.3,
    rng: Rng = None,
) -> LDAG:
    """Draw a labelled DAG that is regular: no edge vanishes altogether.

    The variables x1, x2, ... are put into a random order; then every pair is joined with the probability
    ``edge_density``, from the earlier to the later. A node that has more than ``max_parents`` parents keeps
    ``max_parents`` of them, drawn at random. In each family with two or more parents, every line (an edge, and a
    configuration of the other parents) is proposed for the label with the probability ``label_density``, in random
    order; it is left out if, with the lines before it, some parent would never matter. Labels are then closed, so that
    they are maximal.

    Parameters
    ----------
    n_nodes
        How many variables.
    n_states
        Number of states of each variable, or a range.
    max_parents
        How many parents a node has at most.
    edge_density
        Between 0 and 1; None is such that nodes have two parents on average, the limit aside.
    label_density
        Between 0 (an ordinary DAG) and 1 (as many labels as there can be).
    rng
        Seed, or a numpy Generator; None is 0.

    Examples
    --------
    >>> random_ldag(8, rng=1)
    <LDAG: 8 variables, 14 edges, 125 parameters (130 saved by labels)>
    """
    n_nodes = check_whole(n_nodes, "n_nodes")
    limit = check_whole(max_parents, "max_parents", 0)
    if edge_density is None:
        edge_density = min(1.0, 4 / max(n_nodes - 1, 1))
    edges, lines = check_share(edge_density, "edge_density"), check_share(label_density, "label_density")
    generator = check_generator(rng)
    sizes = _draw_states(n_nodes, n_states, generator)
    order = generator.permutation(n_nodes).tolist()
    families: dict[int, CodedFamily] = {}
    for position, node in enumerate(order):
        above = np.flatnonzero(generator.random(position) < edges)
        if len(above) > limit:
            above = generator.choice(above, limit, replace=False)
        parents = tuple(sorted(order[place] for place in above.tolist()))
        grid = _grid(sizes, parents, GRID_LIMIT, "a smaller max_parents, or layered_ldag, which draws trees")
        families[node] = CodedFamily.from_partition(parents, by_lines(grid, lines, generator))
    return _graph(sizes, [families[node] for node in range(n_nodes)])


def layered_ldag(
    widths: Sequence[int],
    *,
    n_states: Range = 2,
    n_parents: Range = (1, 10),
    max_classes: int = 12,
    rng: Rng = None,
) -> LDAG:
    """Draw a labelled DAG in layers, whose nodes have many parents and few classes.

    The parents of a node are drawn from the layer before its own. Its classes are the leaves of a random CPT-tree in
    which every parent occurs, and which is split until it has ``max_classes`` leaves or no split has room. A node has
    fewer parents than drawn if the layer is smaller, or if more would need more classes.

    Parameters
    ----------
    widths
        How many variables each layer has.
    n_states
        Number of states of each variable, or a range.
    n_parents
        Number of parents of each node after the first layer, or a range.
    max_classes
        How many classes a node has at most.
    rng
        Seed, or a numpy Generator; None is 0.

    Examples
    --------
    >>> graph = layered_ldag([10, 10, 10, 10], rng=1)
    >>> len(graph.variables), max(graph.partition(v.name).n_classes for v in graph.variables)
    (40, 12)
    >>> wide = layered_ldag([16, 1], n_parents=16, max_classes=20)
    >>> len(wide.parents("x17")), wide.partition("x17").n_classes
    (16, 20)
    """
    layers = _layers(widths)
    low, high = _range(n_parents, "n_parents", 0)
    check_whole(max_classes, "max_classes")
    generator = check_generator(rng)
    sizes = _draw_states(layers[-1][-1] + 1, n_states, generator)
    families = [CodedFamily.table((), Grid(())) for _ in layers[0]]
    for before, layer in pairwise(layers):
        for _ in layer:
            wanted = int(generator.integers(low, high, endpoint=True))
            drawn = generator.permutation(before)[:wanted].tolist()
            while fewest_leaves([sizes[parent] for parent in drawn]) > max_classes:
                drawn.pop()
            parents = tuple(sorted(drawn))
            grid = _grid(sizes, parents, TREE_GRID_LIMIT, "a smaller n_parents")
            families.append(CodedFamily.from_partition(parents, by_tree(grid, max_classes, generator)))
    return _graph(sizes, families)


def random_network(graph: LDAG, *, concentration: float = 1.0, rng: Rng = None) -> Network:
    """Draw parameters for a graph: the distribution of each class from a symmetric Dirichlet distribution.

    Parameters
    ----------
    graph
        The graph.
    concentration
        The parameter of the Dirichlet distribution: 1 draws evenly from all distributions, less draws more extreme
        ones, more draws flatter ones.
    rng
        Seed, or a numpy Generator; None is 0.

    Examples
    --------
    >>> import ldag
    >>> random_network(ldag.datasets.graph("guard"), rng=1).dimension
    9
    """
    if not isinstance(graph, LDAG):
        raise ArgumentError(f"graph must be an LDAG, got {type(graph).__name__}")
    valid = isinstance(concentration, int | float) and not isinstance(concentration, bool)
    if not valid or not isfinite(concentration) or concentration <= 0:
        raise ArgumentError(f"concentration must be a positive number, got {concentration!r}")
    generator = check_generator(rng)
    structure = graph.structure
    tables = [
        generator.dirichlet([concentration] * n, family.partition.n_classes)
        for n, family in zip(structure.n_states, structure.families, strict=True)
    ]
    return Network(graph, tuple(normalise(table) for table in tables))


def generator10(*, labels: bool = True, rng: Rng = None) -> Network:
    """Return the ten-node generator of the paper's simulations, with parameters drawn evenly.

    Parameters
    ----------
    labels
        True: the labelled DAG, 40 free parameters; False: the same DAG without labels, 60.
    rng
        Seed of the parameters, or a numpy Generator; None is 0.

    Examples
    --------
    >>> generator10().dimension, generator10(labels=False).dimension
    (40, 60)
    """
    graph = datasets.graph("generator10")
    if not labels:
        states = {variable.name: variable.states for variable in graph.variables}
        graph = LDAG.from_edges(graph.edges, states=states)
    return random_network(graph, rng=rng)


def guard() -> Network:
    """Return the guard at the entrance (Geiger and Heckerman 1996), with parameters that follow the story.

    Most people are workers, spies are rare and mostly men; women who work there forget the badge less often than men,
    visitors hardly have one, and spies nearly always do.

    Examples
    --------
    >>> {person: round(p, 3) for person, p in guard().query("person", given={"badge": "no"}).items()}
    {'worker': 0.307, 'visitor': 0.693, 'spy': 0.0}
    """
    return Network.from_parameters(
        datasets.graph("guard"),
        {
            "person": [0.80, 0.19, 0.01],  # worker, visitor, spy
            "gender": [[0.5, 0.5], [0.6, 0.4], [0.9, 0.1]],  # male, female
            "badge": [  # no, yes
                [0.15, 0.85],  # men who work there
                [0.05, 0.95],  # women who work there
                [0.95, 0.05],  # visitors
                [0.01, 0.99],  # spies
            ],
        },
    )


def _graph(sizes: Sequence[int], families: Iterable[CodedFamily]) -> LDAG:
    variables = tuple(Variable(f"x{node + 1}", tuple(range(n))) for node, n in enumerate(sizes))
    return LDAG(Schema(variables), Structure(tuple(sizes), tuple(families)))


def _draw_states(n_nodes: int, n_states: Range, rng: np.random.Generator) -> list[int]:
    low, high = _range(n_states, "n_states", 2)
    return [int(n) for n in rng.integers(low, high, n_nodes, endpoint=True)]


def _layers(widths: Sequence[int]) -> list[range]:
    """Return the nodes of each layer."""
    if not isinstance(widths, Sequence) or isinstance(widths, str) or not widths:
        raise ArgumentError(f"widths must be a list with the number of variables of each layer, got {widths!r}")
    ends = np.cumsum([check_whole(width, "every width") for width in widths]).tolist()
    return [range(end - width, end) for end, width in zip(ends, widths, strict=True)]


def _grid(sizes: Sequence[int], parents: Iterable[int], limit: int, hint: str) -> Grid:
    grid = Grid(tuple(sizes[parent] for parent in parents))
    if grid.size > limit:
        raise TooLarge(
            f"{grid.n_axes} parents were drawn that have {grid.size:,} configurations; at most {limit:,} are"
            f" possible here; use {hint}"
        )
    return grid


def _range(value: Range, name: str, least: int) -> tuple[int, int]:
    """Check a number or a range."""
    pair = (value, value) if not isinstance(value, tuple | list) else tuple(value)
    wanted = f"{name} must be a whole number, {least} or more, or a pair of them, the smaller first"
    if len(pair) != 2 or not all(isinstance(n, int | np.integer) and not isinstance(n, bool) for n in pair):
        raise ArgumentError(f"{wanted}; got {value!r}")
    if not least <= pair[0] <= pair[1]:
        raise ArgumentError(f"{wanted}; got {value!r}")
    return int(pair[0]), int(pair[1])
