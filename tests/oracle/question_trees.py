"""Trees of questions: made at random, walked in plain Python, and networks whose families have them."""

from collections.abc import Mapping, Sequence

import numpy as np

from ldag import LDAG, Network
from ldag.model import LEAF, CodedTree, State

Nested = int | dict[str, dict[State | tuple[State, ...], "Nested"]]


def draw_tree(
    rng: np.random.Generator, states: Mapping[str, Sequence[State]], most_leaves: int, share: float = 0.3
) -> Nested:
    """Draw a tree that asks about some of these variables, again where several states are left.

    So many leaves at most, about; a leaf shares its class with an earlier one with some probability.
    """
    n_classes = 0

    def grow(left: dict[str, list[State]], most: int) -> Nested:
        nonlocal n_classes
        names = [name for name, own in left.items() if len(own) > 1]
        if most < 2 or not names:
            if n_classes and rng.random() < share:
                return int(rng.integers(n_classes))
            n_classes += 1
            return n_classes - 1
        name = names[rng.integers(len(names))]
        own = left[name]
        n = int(rng.integers(2, len(own) + 1))
        place = [*range(n), *rng.integers(n, size=len(own) - n).tolist()]
        groups = [tuple(state for state, at in zip(own, place, strict=True) if at == group) for group in range(n)]
        branches: dict[State | tuple[State, ...], Nested] = {}
        for group in groups:
            inside = grow({**left, name: list(group)}, int(rng.integers(0, most)))
            branches[group if len(group) > 1 else group[0]] = inside
        return {name: branches}

    return grow({name: list(own) for name, own in states.items()}, most_leaves)


def asked(tree: Nested) -> set[str]:
    """The variables that a tree asks about."""
    if isinstance(tree, int):
        return set()
    ((name, branches),) = tree.items()
    return {name}.union(*(asked(branch) for branch in branches.values()))


def find_class(tree: CodedTree, configuration: Sequence[int]) -> int:
    """The class of a configuration, question by question."""
    node = 0
    while (axis := int(tree.axes[node])) != LEAF:
        node = int(tree.targets[tree.starts[node] + configuration[axis]])
    return int(tree.class_of_node[node])


def draw_network(rng: np.random.Generator, n_states: Sequence[int], most_leaves: int = 12) -> Network:
    """Draw a network whose families are trees over earlier variables, some probabilities zero, some equal."""
    names = [f"v{i:02}" for i in range(len(n_states))]
    states = {name: [f"s{k}" for k in range(n)] for name, n in zip(names, n_states, strict=True)}
    trees, edges = {}, []
    for i, name in enumerate(names):
        tree = draw_tree(rng, {other: states[other] for other in names[:i]}, most_leaves)
        above = asked(tree)
        if above:
            trees[name] = tree
            edges += [(other, name) for other in sorted(above)]
    graph = LDAG.from_edges(edges, states=states, trees=trees)
    return Network.from_parameters(graph, draw_parameters(rng, graph))


def draw_list(rng: np.random.Generator, n: int) -> Network:
    """Draw a decision list: a variable of two states that depends on the first of n others that is "on"."""
    tree: Nested = n
    names = [f"x{i:02}" for i in range(n)]
    for i in reversed(range(n)):
        tree = {names[i]: {"on": i, "off": tree}}
    states: dict[str, list[State]] = {**{name: ["off", "on"] for name in names}, "y": ["a", "b"]}
    graph = LDAG.from_edges([(name, "y") for name in names], states=states, trees={"y": tree})
    tables = {name: rng.dirichlet([3.0, 1.0], 1).tolist() for name in names}
    return Network.from_parameters(graph, {**tables, "y": rng.dirichlet([1.0, 1.0], n + 1).tolist()})


def draw_parameters(rng: np.random.Generator, graph: LDAG) -> dict[str, list[list[float]]]:
    """Draw probabilities that are multiples of a few numbers."""
    parameters = {}
    for node, variable in enumerate(graph.variables):
        n_classes = graph.structure.families[node].partition.n_classes
        table = rng.integers(0, 4, (n_classes, variable.n_states))
        table[table.sum(axis=1) == 0] = 1
        parameters[variable.name] = (table / table.sum(axis=1, keepdims=True)).tolist()
    return parameters
