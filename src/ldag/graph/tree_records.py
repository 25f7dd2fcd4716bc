"""Trees of questions in names, as people and files write them, and by number."""

from collections.abc import Iterable, Mapping, Sequence

from ldag.errors import GraphError, list_names
from ldag.formats import BranchRecord, QuestionRecord, TreeRecord
from ldag.model import LEAF, NOWHERE, CodedFamily, CodedTree, Schema, State, TreePartition, Variable

NestedTree = int | Mapping[str, Mapping[State | tuple[State, ...], "NestedTree"]]
"""A class number, or a question: a variable with a tree for each of its states, or for several of them together."""


def record_tree(node: str, nested: NestedTree) -> TreeRecord:
    """Return nested mappings as a record; only their shape is checked. A class alone is a tree without questions."""
    where = f"tree of {node!r}: "
    variables: list[str] = []
    branches: list[list[BranchRecord]] = []
    todo: list[tuple[NestedTree, int, tuple[State, ...]]] = [(nested, -1, ())]
    while todo:
        part, above, states = todo.pop()
        if isinstance(part, int) and not isinstance(part, bool):
            if not 0 <= part < 2**31:
                raise GraphError(f"{where}class numbers are between 0 and 2^31 - 1, got {part}")
            if above >= 0:
                branches[above].append(BranchRecord(states, number=part))
            continue
        if not isinstance(part, Mapping) or len(part) != 1:
            raise GraphError(f"{where}expected a class number or {{variable: {{state: tree}}}}, got {part!r}")
        ((name, own),) = part.items()
        if not isinstance(own, Mapping):
            raise GraphError(f"{where}expected a tree for each state of {name!r}, got {own!r}")
        if above >= 0:
            branches[above].append(BranchRecord(states, question=len(variables)))
        given = [(key if isinstance(key, tuple) else (key,), branch) for key, branch in own.items()]
        if not all(key for key, _ in given):
            raise GraphError(f"{where}a branch of the question about {name!r} has no states")
        todo += [(branch, len(variables), key) for key, branch in reversed(given)]
        variables.append(name)
        branches.append([])
    questions = zip(variables, branches, strict=True)
    return TreeRecord(node, tuple(QuestionRecord(v, tuple(b)) for v, b in questions), where)


def code_tree(
    schema: Schema, node: int, parents: Sequence[int], record: TreeRecord, may_be_idle: bool = False
) -> TreePartition:
    """Check a tree in names and return its classes; it asks about parents, about each unless some may be idle."""
    where = record.where
    questions: list[tuple[int, Sequence[int]] | int] = [(0, ())] * len(record.questions)
    left: dict[int, dict[int, frozenset[int]]] = {0: {}}
    for place, question in enumerate(record.questions):
        axis = _find_axis(schema, parents, question.variable, where)
        variable, above = schema[parents[axis]], left.pop(place)
        possible = above.get(axis, frozenset(range(variable.n_states)))
        if len(possible) == 1 and variable.n_states > 1:
            known = variable.states[min(possible)]
            raise GraphError(f"{where}{variable.name!r} is asked twice on one path: it is {known!r} already")
        targets = [NOWHERE] * variable.n_states
        for branch in question.branches:
            codes = [variable.code(state, where) for state in branch.states]
            for code in codes:
                _check_branch(variable, code, possible, targets[code] != NOWHERE, where)
                targets[code] = len(questions) if branch.question is None else branch.question
            if branch.question is None:
                assert branch.number is not None
                questions.append(branch.number)
            else:
                left[branch.question] = {**above, axis: frozenset(codes)}
        missing = [variable.states[code] for code in sorted(possible) if targets[code] == NOWHERE]
        if missing:
            raise GraphError(f"{where}the split on {variable.name!r} has no branch for the state {missing[0]!r}")
        questions[place] = axis, targets
    idle = [
        schema[p].name
        for axis, p in enumerate(parents)
        if not any(q[0] == axis for q in questions if isinstance(q, tuple))
    ]
    if idle and not may_be_idle:
        raise GraphError(
            f"{where}no question is about {list_names(idle)}, which would make no difference; leave out the edge"
        )
    n_states = [schema[parent].n_states for parent in parents]
    return TreePartition.of_tree(CodedTree.of(n_states, questions or [0]), repr(schema[node].name))


def _check_branch(variable: Variable, code: int, possible: Iterable[int], is_twice: bool, where: str) -> None:
    state = variable.states[code]
    if code not in possible:
        raise GraphError(f"{where}{variable.name!r} is asked twice on one path: it cannot be {state!r} any more")
    if is_twice:
        raise GraphError(f"{where}the split on {variable.name!r} names a state twice, {state!r}")


def _find_axis(schema: Schema, parents: Sequence[int], name: str, where: str) -> int:
    """Return the place of a question's variable among the parents."""
    parent = schema.node(name, where)
    if parent not in parents:
        expected = ", ".join(schema[p].name for p in parents) or "none"
        raise GraphError(f"{where}{name!r} is not a parent; expected one of: {expected}")
    return list(parents).index(parent)


def name_questions(schema: Schema, node: int, family: CodedFamily) -> TreeRecord:
    """Return the tree of a family in names."""
    tree = family.partition.as_tree()
    assert tree is not None
    place = {node: number for number, node in enumerate(n for n, axis in enumerate(tree.axes.tolist()) if axis != LEAF)}
    classes = tree.class_of_node.tolist()
    questions = []
    for number in place:
        variable = schema[family.parents[int(tree.axes[number])]]
        branches = tuple(
            BranchRecord(
                tuple(state for code, state in enumerate(variable.states) if states >> code & 1),
                place.get(target),
                classes[target] if target not in place else None,
            )
            for states, target in tree.branches[number]
        )
        questions.append(QuestionRecord(variable.name, branches))
    return TreeRecord(schema[node].name, tuple(questions))


def nest_tree(record: TreeRecord, number: int = 0) -> NestedTree:
    """Return a tree as nested mappings; ``number`` is the class of a tree without questions."""
    nested: list[dict[str, dict[State | tuple[State, ...], NestedTree]]] = [{q.variable: {}} for q in record.questions]
    for own, question in zip(nested, record.questions, strict=True):
        for branch in question.branches:
            key = branch.states[0] if len(branch.states) == 1 else branch.states
            target: NestedTree = nested[branch.question] if branch.question is not None else branch.number or 0
            own[question.variable][key] = target
    return nested[0] if nested else number
