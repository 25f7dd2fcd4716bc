"""Slow references for equivalence: every context, every orientation, every independence statement."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from ldag.model import CodedFamily, Grid, Partition, Structure
from ldag.model.structure import topological_order

Parents = tuple[tuple[int, ...], ...]
PRIME = 2_147_483_647


def all_dags(n_nodes: int) -> list[Parents]:
    """List every DAG on some nodes."""
    pairs = list(combinations(range(n_nodes), 2))
    return [dag for ways in product((0, 1, 2), repeat=len(pairs)) for dag in _acyclic(n_nodes, pairs, ways)]


def orientations(skeleton: Sequence[tuple[int, int]], n_nodes: int) -> list[Parents]:
    """List every DAG with a skeleton."""
    return [dag for ways in product((1, 2), repeat=len(skeleton)) for dag in _acyclic(n_nodes, skeleton, ways)]


def _acyclic(n_nodes: int, pairs: Sequence[tuple[int, int]], ways: Sequence[int]) -> Iterator[Parents]:
    """Give the graph with no edge (0), i -> j (1) or j -> i (2) for each pair, if it has no cycle."""
    parents: list[list[int]] = [[] for _ in range(n_nodes)]
    for (i, j), way in zip(pairs, ways, strict=True):
        if way == 1:
            parents[j].append(i)
        elif way == 2:
            parents[i].append(j)
    if topological_order(parents) is not None:
        yield tuple(tuple(sorted(above)) for above in parents)


def d_separated(parents: Sequence[Sequence[int]], a: int, b: int, given: frozenset[int]) -> bool:
    """Decide d-separation in the moral graph of the ancestors."""
    kept = {a, b, *given}
    while more := {i for j in kept for i in parents[j]} - kept:
        kept |= more
    joined = {frozenset((i, j)) for j in kept for i in parents[j]}
    joined |= {frozenset(two) for j in kept for two in combinations(parents[j], 2)}
    reached, todo = {a}, [a]
    while todo:
        node = todo.pop()
        near = {other for other in kept - given - reached if frozenset((node, other)) in joined}
        reached |= near
        todo += near
    return b not in reached


def independences(parents: Sequence[Sequence[int]]) -> frozenset[tuple[int, int, frozenset[int]]]:
    """List every d-separation between two nodes."""
    nodes = range(len(parents))
    return frozenset(
        (a, b, frozenset(given))
        for a, b in combinations(nodes, 2)
        for size in range(len(parents) - 1)
        for given in combinations([node for node in nodes if node not in (a, b)], size)
        if d_separated(parents, a, b, frozenset(given))
    )


def context_graph(structure: Structure, x: Sequence[int]) -> Parents:
    """Keep the edges i -> j for which X_j depends on X_i when the other parents are as in x."""
    graph = []
    for family in structure.families:
        classes = family.partition.to_array().reshape(family.partition.grid.n_states)
        kept = []
        for axis, parent in enumerate(family.parents):
            line = tuple(slice(None) if a == axis else x[p] for a, p in enumerate(family.parents))
            if len(set(classes[line].tolist())) > 1:
                kept.append(parent)
        graph.append(tuple(kept))
    return tuple(graph)


def fingerprint(graph: Parents) -> tuple[frozenset[frozenset[int]], frozenset[tuple[int, frozenset[int]]]]:
    """Return adjacencies and immoralities of a DAG."""
    joined = frozenset(frozenset((i, j)) for j, above in enumerate(graph) for i in above)
    heads = frozenset(
        (j, frozenset((i, k)))
        for j, above in enumerate(graph)
        for i in above
        for k in above
        if i != k and frozenset((i, k)) not in joined
    )
    return joined, heads


def csi_equivalent(a: Structure, b: Structure) -> bool:
    """Compare the context graphs of every full assignment."""
    return all(
        fingerprint(context_graph(a, x)) == fingerprint(context_graph(b, x)) for x in product(*map(range, a.n_states))
    )


def equivalence_class(structure: Structure) -> set[Structure]:
    """Try every DAG on the skeleton with every labelling, told by the contexts in which edges vanish."""
    regular = structure.regular()
    pairs = sorted((min(edge), max(edge)) for edge in regular.edges)
    candidates = (relabelled(regular, dag) for dag in orientations(pairs, len(regular)))
    return {other for other in candidates if other.is_regular and csi_equivalent(regular, other)}


def relabelled(structure: Structure, dag: Parents) -> Structure:
    """Give a DAG the labels under which edges vanish when they vanish in every context of the structure."""
    contexts = list(product(*map(range, structure.n_states)))
    graphs = [fingerprint(context_graph(structure, x))[0] for x in contexts]
    families = []
    for j, parents in enumerate(dag):
        grid = structure.grid(parents)
        labels = []
        for axis, i in enumerate(parents):
            others = grid.without(axis)
            mask = np.ones(others.size, dtype=np.bool_)
            for x, joined in zip(contexts, graphs, strict=True):
                if frozenset((i, j)) in joined:
                    mask[others.index(tuple(x[p] for p in parents if p != i))] = False
            labels.append(mask)
        families.append(CodedFamily.from_partition(parents, Partition.from_labels(grid, labels)))
    return Structure(structure.n_states, tuple(families))


def regular_partitions(grid: Grid) -> list[Partition]:
    """List the partitions that labels can make in which every parent matters somewhere."""
    sizes = [grid.size // n for n in grid.n_states]
    found: dict[Partition, None] = {}
    for bits in product((False, True), repeat=sum(sizes)):
        masks = np.split(np.array(bits, dtype=np.bool_), np.cumsum(sizes)[:-1]) if sizes else []
        partition = Partition.from_labels(grid, masks)
        if not partition.irrelevant_axes():
            found[partition] = None
    return list(found)


def regular_maximal_structures(n_states: tuple[int, ...]) -> list[Structure]:
    """List every regular maximal LDAG over some variables."""
    found = []
    for dag in all_dags(len(n_states)):
        grids = [Grid(tuple(n_states[p] for p in parents)) for parents in dag]
        choices = [regular_partitions(grid) for grid in grids]
        for chosen in product(*choices):
            families = map(CodedFamily.from_partition, dag, chosen)
            found.append(Structure(n_states, tuple(families)))
    return found


def random_joint(structure: Structure, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the joint distribution for random parameters of the classes, in the integers modulo a prime."""
    joint = np.ones(structure.n_states, dtype=np.int64)
    for j, family in enumerate(structure.families):
        r = structure.n_states[j]
        rows = rng.integers(1, PRIME, size=(family.partition.n_classes, r))
        rows[:, -1] = (1 - rows[:, :-1].sum(axis=1)) % PRIME
        table = rows[family.partition.to_array()].reshape(*family.partition.grid.n_states, r)
        axes = [*family.parents, j]
        shape = [n if node in axes else 1 for node, n in enumerate(structure.n_states)]
        joint = joint * table.transpose(np.argsort(axes)).reshape(shape) % PRIME
    return joint


def implied_statements(joint: NDArray[np.int64]) -> tuple[bool, ...]:
    """Decide X_a ⊥ X_b | X_S, x_C for all pairs a, b and all S and x_C, in a fixed order."""
    return tuple(
        _is_independent(joint, a, b, roles)
        for a, b in combinations(range(joint.ndim), 2)
        for roles in product(
            *([0] if node in (a, b) else ["sum", "given", *range(n)] for node, n in enumerate(joint.shape))
        )
    )


def _is_independent(joint: NDArray[np.int64], a: int, b: int, roles: tuple[int | str, ...]) -> bool:
    """Decide p(a,b,s,c) p(s,c) = p(a,s,c) p(b,s,c); other nodes are summed out, given, or fixed to a code."""
    others = [node for node in range(joint.ndim) if node not in (a, b)]
    table = joint
    for node in others:
        if isinstance(roles[node], int):
            table = table.take([int(roles[node])], axis=node)
        elif roles[node] == "sum":
            table = table.sum(axis=node, keepdims=True) % PRIME
    p_a, p_b = (table.sum(axis=node, keepdims=True) % PRIME for node in (b, a))
    p = p_a.sum(axis=a, keepdims=True) % PRIME
    return bool(np.array_equal(table * p % PRIME, p_a * p_b % PRIME))


def structure_of(n_states: Sequence[int], labels: Mapping[int, Mapping[int, Sequence[Mapping[int, int]]]]) -> Structure:
    """Write a structure as {child: {parent: [context, ...]}}; nodes not named in a context are free."""
    families = []
    for j in range(len(n_states)):
        written = labels.get(j, {})
        parents = tuple(sorted(written))
        grid = Grid(tuple(n_states[p] for p in parents))
        masks = []
        for axis, i in enumerate(parents):
            others = [p for p in parents if p != i]
            mask = np.zeros(grid.without(axis).size, dtype=np.bool_)
            for context in written[i]:
                assert set(context) <= set(others)
                cells = grid.without(axis).matching({others.index(p): code for p, code in context.items()})
                mask[cells] = True
            masks.append(mask)
        families.append(CodedFamily.from_labels(parents, grid, tuple(masks)))
    return Structure(tuple(n_states), tuple(families))


def plain(n_states: Sequence[int], parents: Sequence[Sequence[int]]) -> Structure:
    """Return a DAG without labels."""
    return structure_of(n_states, {j: {i: [] for i in above} for j, above in enumerate(parents)})


def classes_of(keys: Sequence[object]) -> set[frozenset[int]]:
    """Group positions by equal keys."""
    groups: dict[object, list[int]] = {}
    for position, key in enumerate(keys):
        groups.setdefault(key, []).append(position)
    return set(map(frozenset, groups.values()))


def random_structure(n_states: Sequence[int], rng: np.random.Generator) -> Structure:
    """Draw a DAG and labels, few or many."""
    density, label_rate = rng.random(2)
    order = rng.permutation(len(n_states)).tolist()
    families: list[CodedFamily] = [CodedFamily.table((), Grid(())) for _ in n_states]
    for position, j in enumerate(order):
        parents = tuple(sorted(i for i in order[:position] if rng.random() < density))
        grid = Grid(tuple(n_states[p] for p in parents))
        masks = (rng.random(grid.without(axis).size) < label_rate * 0.8 for axis in range(grid.n_axes))
        families[j] = CodedFamily.from_labels(parents, grid, _in_whole_slabs(grid, tuple(masks), rng))
    return Structure(tuple(n_states), tuple(families))


def _in_whole_slabs(
    grid: Grid, masks: tuple[NDArray[np.bool_], ...], rng: np.random.Generator
) -> tuple[NDArray[np.bool_], ...]:
    """Make some labels depend on one other parent only, as those that survive a reversal often do."""
    changed = []
    for axis, mask in enumerate(masks):
        others = grid.without(axis)
        if others.n_axes and rng.random() < 0.6:
            kept = int(rng.integers(others.n_axes))
            state = int(rng.integers(others.n_states[kept]))
            slab = np.zeros(others.size, dtype=np.bool_)
            slab[others.matching({kept: state})] = True
            changed.append(slab)
        else:
            changed.append(mask)
    return tuple(changed)


def random_classes(n_states: Sequence[int], rng: np.random.Generator) -> Structure:
    """Draw a DAG whose families have any classes, as decision graphs do."""
    drawn = random_structure(n_states, rng)
    families = []
    for family in drawn.families:
        n_classes = int(rng.integers(1, family.partition.grid.size + 1))
        classes = rng.integers(n_classes, size=family.partition.grid.size)
        families.append(CodedFamily.from_partition(family.parents, Partition.of(family.partition.grid, classes)))
    return Structure(tuple(n_states), tuple(families))


def same_distributions(structure: Structure, dags: Sequence[Parents], rng: np.random.Generator) -> set[Structure]:
    """Find for some DAGs the classes with which they have the distributions of a structure, by real parameters.

    A distribution drawn from the structure must factorise along the DAG, and the classes that its conditional
    distributions show must have as many parameters as the structure has.
    """
    regular = structure.regular()
    joint = np.ones(regular.n_states)
    for j, family in enumerate(regular.families):
        rows = rng.dirichlet(np.ones(regular.n_states[j]), size=family.partition.n_classes)
        joint = joint * _spread(rows[family.partition.to_array()], (*family.parents, j), regular.n_states)
    size = sum(map(regular.dimension, range(len(regular))))
    members = set()
    for dag in dags:
        families, product_of_rows = [], np.ones(regular.n_states)
        for j, parents in enumerate(dag):
            others = tuple(node for node in range(joint.ndim) if node != j and node not in parents)
            table = np.moveaxis(joint.sum(axis=others, keepdims=True), j, -1)
            rows = table.reshape(-1, regular.n_states[j])
            rows = rows / rows.sum(axis=1, keepdims=True)
            product_of_rows = product_of_rows * _spread(rows, (*parents, j), regular.n_states)
            classes = [next(n for n, other in enumerate(rows) if np.allclose(row, other, rtol=1e-9)) for row in rows]
            families.append(CodedFamily.from_partition(parents, Partition.of(regular.grid(parents), classes)))
        other = Structure(regular.n_states, tuple(families))
        is_as_large = sum(map(other.dimension, range(len(other)))) == size
        if is_as_large and other.is_regular and np.allclose(product_of_rows, joint, rtol=1e-9):
            members.add(other)
    return members


def _spread(rows: NDArray[np.float64], axes: Sequence[int], n_states: Sequence[int]) -> NDArray[np.float64]:
    """Return a table over some nodes, the last of them with the rows' entries, with an axis for every node."""
    table = rows.reshape([n_states[node] for node in axes]).transpose(np.argsort(axes))
    return table.reshape([n if node in axes else 1 for node, n in enumerate(n_states)])
