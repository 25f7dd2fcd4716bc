"""From a record (names, as written) to a schema and a structure (numbers, checked), and back; checks of arguments."""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from math import prod

import numpy as np

from ldag.checks import check_mapping, check_sequence
from ldag.errors import ArgumentError, GraphError, TooLarge, UnknownVariable
from ldag.formats import Boxes, ClassRecord, Context, EdgeRecord, GraphRecord, TreeRecord, VariableRecord
from ldag.graph.tree_records import code_tree, name_questions
from ldag.model import (
    MAX_CONFIGURATIONS,
    MAX_PARENTS,
    CodedFamily,
    Grid,
    OrderedStates,
    Partition,
    Schema,
    State,
    Structure,
    Variable,
    WrittenLabels,
    find_cycle,
    minimal_cover,
    state_key,
    state_order,
)

NOMINAL = (0, 1)
"""The states of an undeclared variable of which no label mentions others."""

OTHER = "other"
"""What an undeclared variable has beside the states that labels mention."""


def check_pairs(edges: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return edges as pairs of names."""
    pairs = []
    for edge in check_sequence(edges, "edges"):
        if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) != 2:
            raise ArgumentError(f"an edge is a pair (parent, child), got {edge!r}")
        if not all(isinstance(name, str) for name in edge):
            raise ArgumentError(f"an edge is a pair of names, got {edge!r}")
        pairs.append((edge[0], edge[1]))
    return tuple(pairs)


def check_contexts(edge: tuple[str, str], given: Iterable[Context]) -> tuple[Context, ...]:
    """Return the contexts of a label."""
    if not (isinstance(edge, tuple) and len(edge) == 2):
        raise ArgumentError(f"labels are given by edge, a pair (parent, child), got {edge!r}")
    contexts = check_sequence(given, f"the label of {edge[0]} -> {edge[1]}")
    for context in contexts:
        check_mapping(context, f"a context in the label of {edge[0]} -> {edge[1]}")
    return contexts


def check_declared(name: str, given: "Sequence[State] | Variable") -> Variable:
    """Return a variable from its states, or from another variable that has them."""
    if isinstance(given, Variable):
        return replace(given, name=name)
    return Variable(name, check_sequence(given, f"the states of {name!r}"), isinstance(given, OrderedStates))


def check_latent(
    variables: Iterable[Variable], latent: str | Iterable[str], edges: Iterable[tuple[str, str]] = ()
) -> Schema:
    """Return the variables with those that are named declared latent, each once; edges may name some without states."""
    known = {variable.name: variable for variable in variables}
    names = tuple(latent) if isinstance(latent, Iterable) and not isinstance(latent, str) else latent
    in_edges = {name for edge in edges for name in edge}
    for name in (names,) if isinstance(names, str) else names if isinstance(names, tuple) else ():
        if name in in_edges and name not in known:
            known[name] = Variable(name, NOMINAL, latent=True, undeclared=True)
    schema = Schema(tuple(known.values()))
    chosen = schema.nodes(names, "latent: ")
    return Schema(tuple(replace(v, latent=True) if node in chosen else v for node, v in enumerate(schema)))


def check_partition(name: str, given: object) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the two parts of a partition, given as a pair or as an object that has both."""
    parents = getattr(given, "parents", None)
    classes = getattr(given, "classes", None)
    if parents is None or classes is None:
        if not isinstance(given, tuple | list) or len(given) != 2:
            raise GraphError(f"the partition of {name!r} must be a pair (parents, classes), got {given!r}")
        parents, classes = given
    return check_sequence(parents, f"the parents of {name!r}"), check_sequence(classes, f"the classes of {name!r}")


def check_disjoint(**sides: Iterable[str]) -> None:
    """Refuse a variable that is named on two sides of a question."""
    seen: dict[str, str] = {}
    for side, names in sides.items():
        for name in names:
            if name in seen:
                raise ArgumentError(f"variable {name!r} is in both {seen[name]} and {side}; they must not overlap")
            seen[name] = side


def assemble(record: GraphRecord) -> tuple[Schema, Structure]:
    """Check a record and translate it.

    A variable without declared states has the states 0 and 1 or, if labels mention others, the mentioned ones and one
    more called "other".
    """
    schema = _schema(record)
    check_all_states(schema)
    trees = {schema.node(tree.node, tree.where): tree for tree in record.trees}
    parents = _parents(record.edges, schema, trees)
    labelled: defaultdict[int, list[EdgeRecord]] = defaultdict(list)
    for edge in record.edges:
        if edge.label:
            labelled[schema.node(edge.child)].append(edge)
    joined: defaultdict[int, list[ClassRecord]] = defaultdict(list)
    for item in record.classes:
        joined[schema.node(item.node, item.where)].append(item)
    families = []
    for node, above in enumerate(parents):
        grid = _grid(schema, above)
        if node in trees:
            what = "a label" if labelled[node] else "a class" if joined[node] else ""
            if what:
                raise GraphError(
                    f"{trees[node].where}{schema[node].name!r} has {what} and a tree; one of them says it all"
                )
            families.append(CodedFamily.from_partition(above, code_tree(schema, node, above, trees[node])))
        elif node in labelled or node in joined:
            labels = _labels(schema, above, labelled[node])
            written = WrittenLabels(grid, labels, _classes(schema, above, joined[node]))
            families.append(CodedFamily.from_written(above, written))
        else:
            families.append(CodedFamily.table(above, grid))
    return schema, Structure(schema.n_states, tuple(families))


def disassemble(schema: Schema, structure: Structure) -> GraphRecord:
    """Return the record of a structure: labels as the fewest contexts, classes where labels do not tell all."""
    edges = []
    classes: list[ClassRecord] = []
    trees: list[TreeRecord] = []
    for node, family in enumerate(structure.families):
        tree = family.partition.as_tree()
        if tree is not None and tree.n_leaves > 1:
            edges += [EdgeRecord(schema[parent].name, schema[node].name) for parent in family.parents]
            trees.append(name_questions(schema, node, family))
            continue
        for axis, parent in enumerate(family.parents):
            label = label_contexts(schema, family, axis)
            edges.append(EdgeRecord(schema[parent].name, schema[node].name, label))
        if len(family.parents) == 1 or not family.partition.is_csi_consistent:  # an only parent carries no label
            several = [members for members in family.partition.members() if len(members) > 1]
            contexts = (name_contexts(schema, family.parents, members) for members in several)
            classes.extend(ClassRecord(schema[node].name, own) for own in contexts)
    told = {name for edge in edges for context in edge.label for name in context}
    told |= {name for item in classes for context in item.contexts for name in context}
    told |= {question.variable for tree in trees for question in tree.questions}
    variables = (replace(v, undeclared=v.undeclared and v.name not in told) for v in schema)
    return GraphRecord(tuple(map(record_of, variables)), tuple(edges), tuple(classes), tuple(trees))


def record_of(variable: Variable) -> VariableRecord:
    """Return the record of a variable."""
    if variable.undeclared:
        return VariableRecord(variable.name, latent=True)
    return VariableRecord(
        variable.name, variable.states, ordered=variable.ordered, cuts=variable.cuts, latent=variable.latent
    )


def label_contexts(schema: Schema, family: CodedFamily, axis: int) -> Sequence[Context]:
    """Return the written label of a parent's edge as the fewest contexts of the other parents."""
    if len(family.parents) < 2:
        return ()
    boxes = family.partition.label_boxes(axis)
    if boxes is not None:
        return name_boxes(schema, family.parents, boxes)
    others = tuple(p for a, p in enumerate(family.parents) if a != axis)
    return name_contexts(schema, others, np.flatnonzero(family.labels[axis]).tolist())


def name_boxes(schema: Schema, parents: Sequence[int], boxes: Iterable[Mapping[int, Sequence[int]]]) -> Boxes:
    """Return sets of configurations, the states of each axis, as contexts."""
    variables = [schema[parent] for parent in parents]
    return Boxes(
        {variables[axis].name: tuple(variables[axis].states[code] for code in codes) for axis, codes in box.items()}
        for box in boxes
    )


def name_contexts(schema: Schema, nodes: Sequence[int], cells: Iterable[int]) -> tuple[Context, ...]:
    """Return a set of configurations of some nodes as the fewest contexts."""
    terms = minimal_cover(_grid(schema, nodes), cells).terms
    return tuple(
        {
            schema[node].name: schema[node].states[code]
            for node, code in zip(nodes, term, strict=True)
            if code is not None
        }
        for term in terms
    )


def family_of_classes(schema: Schema, node: int, parents: Sequence[str], classes: Sequence[int]) -> CodedFamily:
    """Return the family of a node whose classes are given, one number per configuration of the parents as named."""
    named = schema.nodes(parents)
    if node in named:
        raise GraphError(f"{schema[node].name!r} is named as its own parent")
    _check_size(schema, node, named)
    grid = _grid(schema, named)
    if len(classes) != grid.size:
        raise GraphError(
            f"the classes of {schema[node].name!r} need one number for each of the {grid.size} configurations"
            f" of its parents ({', '.join(parents) or 'none'}), got {len(classes)}"
        )
    if not all(isinstance(number, int | np.integer) and abs(int(number)) < 2**63 for number in classes):
        raise GraphError(f"the classes of {schema[node].name!r} must be whole 64-bit numbers, got {classes!r}")
    order = sorted(range(len(named)), key=named.__getitem__)
    partition = Partition.of(grid, np.asarray(classes, dtype=np.int64)).reordered(order)
    return CodedFamily.from_partition(tuple(sorted(named)), partition)


def check_labelled_edges(labels: Mapping[tuple[str, str], Iterable[Context]], edges: Sequence[tuple[str, str]]) -> None:
    """Refuse labels on edges that do not exist."""
    for parent, child in labels:
        if (parent, child) not in edges:
            hint = f"; there is {child} -> {parent}" if (child, parent) in edges else ""
            raise GraphError(f"there is a label for {parent} -> {child}, but no such edge{hint}")


def check_all_states(schema: Schema) -> None:
    """Refuse states that sets and mappings of Python take for one, as labels and trees are made of these."""
    for variable in schema:
        seen: dict[State, State] = {}
        for state in variable.states:
            if state in seen:
                raise GraphError(
                    f"a graph cannot tell the states {seen[state]!r} and {state!r} of {variable.name!r} apart; "
                    "rename one of them"
                )
            seen[state] = state


def check_acyclic(schema: Schema, parents: Sequence[Sequence[int]]) -> None:
    """Refuse a cycle, and show it."""
    cycle = find_cycle(parents)
    if cycle is not None:
        path = " -> ".join(schema[node].name for node in cycle)
        raise GraphError(f"the edges form a cycle, {path}; remove or reverse one of them")


def _schema(record: GraphRecord) -> Schema:
    """Return the variables; edges must name no others."""
    known = {variable.name: variable for variable in record.variables}
    for edge in record.edges:
        for name in (edge.parent, edge.child):
            if name not in known:
                raise UnknownVariable(name, known, edge.where)
    mentioned = _mention_states(record)
    return Schema(
        tuple(
            _guess_variable(v, mentioned.get(v.name, []))
            if v.states is None
            else Variable(v.name, v.states, v.ordered, v.cuts, v.latent)
            for v in record.variables
        )
    )


def _mention_states(record: GraphRecord) -> dict[str, list[State]]:
    """Return the states that contexts mention, by variable."""
    mentioned: dict[str, list[State]] = {}
    written = [*(edge.label for edge in record.edges), *(c.contexts for c in record.classes)]
    told = [(name, state) for group in written for context in group for name, state in context.items()]
    told += [(q.variable, s) for tree in record.trees for q in tree.questions for b in q.branches for s in b.states]
    for name, state in told:
        if state not in mentioned.setdefault(name, []):
            mentioned[name].append(state)
    return mentioned


def _guess_variable(written: VariableRecord, mentioned: list[State]) -> Variable:
    """Return a variable that was not declared; a latent one that labels do not speak of may have any states."""
    states = _infer_states(written.name, mentioned)
    return Variable(written.name, states, latent=written.latent, undeclared=not mentioned)


def _infer_states(name: str, mentioned: list[State]) -> tuple[State, ...]:
    """Return the states of a variable that was not declared."""
    keys = {state_key(state) for state in mentioned}
    if keys <= {state_key(0), state_key(1)}:
        return NOMINAL
    if OTHER in mentioned:
        raise GraphError(f"the states of {name!r} are not declared; add a line such as: {name} {{a, b, {OTHER}}}")
    return (*sorted(mentioned, key=state_order), OTHER)


def _parents(edges: Sequence[EdgeRecord], schema: Schema, trees: Container[int]) -> list[tuple[int, ...]]:
    """Return the parents of every node, ascending, after checking the edges; nodes with a tree may have many."""
    parents: list[set[int]] = [set() for _ in schema]
    for edge in edges:
        parent, child = schema.node(edge.parent, edge.where), schema.node(edge.child, edge.where)
        if parent in parents[child]:
            raise GraphError(f"{edge.where}the edge {edge.parent} -> {edge.child} is given twice")
        parents[child].add(parent)
    ordered = [tuple(sorted(p)) for p in parents]
    check_acyclic(schema, ordered)
    for node, above in enumerate(ordered):
        if node not in trees:
            _check_size(schema, node, above)
    return ordered


def _check_size(schema: Schema, node: int, parents: Sequence[int]) -> None:
    """Refuse a family whose grid cannot be held."""
    if len(parents) > MAX_PARENTS:
        raise TooLarge(
            f"{schema[node].name!r} has {len(parents)} parents; at most {MAX_PARENTS} are possible without a tree"
        )
    size = prod(schema[parent].n_states for parent in parents)
    if size > MAX_CONFIGURATIONS:
        raise TooLarge(
            f"the {len(parents)} parents of {schema[node].name!r} have {size:,} configurations; "
            f"at most {MAX_CONFIGURATIONS:,} are possible without a tree, so give it one, or fewer parents"
        )


def _labels(
    schema: Schema, parents: tuple[int, ...], edges: Sequence[EdgeRecord]
) -> tuple[tuple[dict[int, int], ...], ...]:
    """Return for each parent the contexts of its label, by axes of the other parents."""
    labels: list[tuple[dict[int, int], ...]] = [()] * len(parents)
    for edge in edges:
        axis = parents.index(schema.node(edge.parent))
        others = tuple(p for p in parents if p != parents[axis])
        if not others:
            raise GraphError(
                f"{edge.where}the edge {edge.parent} -> {edge.child} can carry no label: {edge.parent!r} is the only "
                f"parent of {edge.child!r}, so there is no context for it to vanish in"
            )
        what = f"{edge.where}the label of {edge.parent} -> {edge.child}"
        _check_named(schema, sorted(edge.starred), others, what, edge.child)
        labels[axis] = _code_contexts(schema, others, edge.label, what, edge.child, edge.where)
    return tuple(labels)


def _classes(
    schema: Schema, parents: tuple[int, ...], records: Sequence[ClassRecord]
) -> tuple[tuple[dict[int, int], ...], ...]:
    """Return the contexts of every class that is written, by axes; one that is written again says nothing new."""
    classes = {}
    for record in records:
        what = f"{record.where}a class of {record.node!r}"
        _check_named(schema, sorted(record.starred), parents, what, record.node)
        coded = _code_contexts(schema, parents, record.contexts, what, record.node, record.where)
        classes[frozenset(frozenset(context.items()) for context in coded)] = coded
    return tuple(classes.values())


def _code_contexts(
    schema: Schema, allowed: tuple[int, ...], contexts: Iterable[Context], what: str, child: str, where: str
) -> tuple[dict[int, int], ...]:
    """Return contexts by axes of the nodes that they may name, each once."""
    axes = {node: axis for axis, node in enumerate(allowed)}
    different = {frozenset((name, state_key(state)) for name, state in one.items()): one for one in contexts}
    coded = []
    for context in different.values():
        _check_named(schema, context, allowed, what, child)
        coded.append({axes[node]: code for node, code in schema.context(context, where).items()})
    return tuple(coded)


def _check_named(schema: Schema, context: Iterable[str], allowed: tuple[int, ...], what: str, child: str) -> None:
    """Refuse a context that names anything but the parents it may name."""
    for name in context:
        if name not in schema.names:
            raise UnknownVariable(name, schema.names, f"{what}: ")
        if schema.node(name) not in allowed:
            expected = ", ".join(schema[p].name for p in allowed) or "none"
            raise GraphError(
                f"{what} names {name!r}, which is not one of the other parents of {child!r}; expected: {expected}"
            )


def _grid(schema: Schema, nodes: Iterable[int]) -> Grid:
    """Return the grid of configurations of some nodes."""
    return Grid(tuple(schema[node].n_states for node in nodes))
