"""Views of a graph in names and words: a node's table as rules, its CPT-tree, its decision graph; and `describe`."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from ldag.errors import TooLarge, counted, list_names
from ldag.formats import (
    ARC,
    MOST_CASES,
    Context,
    GraphRecord,
    formulas,
    list_contexts,
    spell_cost,
    spell_name,
    spell_state,
    spell_states,
    write_json,
)
from ldag.graph.base import Graph
from ldag.graph.records import name_boxes
from ldag.graph.tree_records import NestedTree, name_questions, nest_tree
from ldag.graph.trees import CodedDecisionGraph, Leaf, Tree, decision_graph, n_leaves, smallest_tree
from ldag.hook import Printable
from ldag.model import CodedFamily, Partition, Schema, State, Term, Variable, minimal_cover

MOST_LINES, MOST_SENTENCES = 40, 200
"""Lines of a tree, and labels, that a description shows; more are counted."""

MOST_SEARCHED = 2**16
"""Up to so many configurations the smallest tree is looked for; of more, the tree is taken that is there."""

NAMED_PARENTS = 12
"""Parents that are named in a line; more are counted."""


@dataclass(frozen=True)
class CodedRule:
    """When a class applies: in the configurations that any of the terms describes.

    ``is_minimal`` says that no fewer terms describe the class (proven).
    """

    number: int
    terms: tuple[Term, ...]
    is_minimal: bool


def reduce_rules(partition: Partition) -> tuple[CodedRule, ...]:
    """Return the rule of every class, by class number; exactly one rule holds in every configuration.

    Examples
    --------
    >>> from ldag.model import Grid
    >>> [rule.terms for rule in reduce_rules(Partition.of(Grid((2, 2)), [0, 1, 0, 0]))]
    [((1, None), (None, 0)), ((0, 1),)]
    """
    covers = [minimal_cover(partition.grid, cells) for cells in partition.members()]
    return tuple(CodedRule(number, cover.terms, cover.is_minimal) for number, cover in enumerate(covers))


@dataclass(frozen=True)
class Rule:
    """One class of a node: it applies in any of the contexts; printed with ranges of parents that have an order."""

    number: int
    contexts: Sequence[Context]
    parents: tuple[Variable, ...] = field(default=(), repr=False, compare=False)

    @property
    def is_shared(self) -> bool:
        """Whether it holds in more than one configuration of the parents."""
        open_ones = [v.n_states for v in self.parents if v.name not in self.contexts[0]]
        return prod(open_ones) > 1 or len(self.contexts[:2]) > 1

    def __str__(self) -> str:
        terms = formulas(self.contexts, self.parents)
        if len(terms) == 1:
            return terms[0]
        return " or ".join(f"({term})" if " and " in term else term for term in terms)


@dataclass(frozen=True, repr=False)
class ReducedCPT(Printable):
    """A table as rules: exactly one holds in every configuration of the parents.

    ``is_minimal`` says that no rule can be written with fewer AND-terms (proven up to 256 configurations).
    """

    node: str
    parents: tuple[str, ...]
    rules: tuple[Rule, ...]
    n_configurations: int
    is_minimal: bool
    tree: NestedTree | None = field(default=None, repr=False, compare=False)
    """The tree that tells the classes, where one does."""

    def __str__(self) -> str:
        size, n_rules = self.n_configurations, _count(len(self.rules), "rule")
        lines = [f"{name_given(self.node, self.parents)}: {_count(size, 'configuration')}, {n_rules}"]
        if self.tree is not None:
            lines[0] += ", as a tree"
            return "\n".join([*lines, *_tree_lines(self.tree, self.rules[0].parents, "  ")])
        width = len(str(len(self.rules)))
        lines += [f"  p{rule.number + 1:<{width}}  {rule}" for rule in self.rules]
        return "\n".join(lines)


@dataclass(frozen=True, repr=False)
class CptTree(Printable):
    """A CPT-tree of one node; ``is_smallest`` says that no tree has fewer leaves (proven)."""

    node: str
    nested: NestedTree
    n_leaves: int
    n_classes: int
    is_smallest: bool
    parents: tuple[Variable, ...] = field(default=(), repr=False, compare=False)

    @property
    def must_replicate(self) -> bool:
        """Whether even the smallest tree repeats a class: some class ends in several leaves."""
        return self.is_smallest and self.n_leaves > self.n_classes

    def __str__(self) -> str:
        lines = [f"{self.node}: {_count(self.n_leaves, 'leaf')} for {_count(self.n_classes, 'class')}{self._remark}"]
        return "\n".join([*lines, *_tree_lines(self.nested, self.parents, "  ")])

    @property
    def _remark(self) -> str:
        if self.must_replicate:
            return " (no tree has fewer: subtrees repeat)"
        return "" if self.n_leaves == self.n_classes else " (a smaller tree may exist)"


@dataclass(frozen=True, repr=False)
class DecisionGraph(Printable):
    """A decision graph of one node: nodes in order from the root, each a class number or a question.

    A question is a variable's name and, for each of its states, the place of the next node.
    """

    node: str
    steps: tuple[int | tuple[str, Mapping[State, int]], ...]

    @property
    def n_leaves(self) -> int:
        """Number of leaves: one per class."""
        return sum(isinstance(step, int) for step in self.steps)

    def __str__(self) -> str:
        questions = [step for step in self.steps if not isinstance(step, int)]
        lines = [f"{self.node}: {_count(len(questions), 'question')}, {_count(self.n_leaves, 'leaf')}"]
        for place, (name, targets) in enumerate(questions):
            answers = ", ".join(f"{spell_state(s)} -> {self._target(t)}" for s, t in targets.items())
            lines.append(f"  [{place}] {spell_name(name)}?  {answers}")
        return "\n".join(lines)

    def _target(self, place: int) -> str:
        step = self.steps[place]
        return f"p{step + 1}" if isinstance(step, int) else f"[{place}]"


def is_told_by_labels(graph: Graph, node: str) -> bool:
    """Tell whether labels are known to tell all about a node; of a large tree this may be too much to find out."""
    try:
        return graph.is_csi_consistent(node)
    except TooLarge:
        return False


def name_given(node: str, parents: Sequence[str]) -> str:
    """Return "y | a, b", or of many parents how many there are."""
    if len(parents) > NAMED_PARENTS:
        return f"{node} | {len(parents)} parents"
    return f"{node} | {', '.join(parents)}" if parents else node


def name_rules(schema: Schema, node: int, family: CodedFamily) -> ReducedCPT:
    """Return a family's classes as rules in names."""
    variables = tuple(schema[parent] for parent in family.parents)
    boxes = family.partition.boxes()
    if boxes is not None:
        of_class: list[list[Mapping[int, tuple[int, ...]]]] = [[] for _ in range(family.partition.n_classes)]
        for number, box in boxes:
            of_class[number].append(box)
        named = [
            Rule(number, name_boxes(schema, family.parents, own), variables) for number, own in enumerate(of_class)
        ]
        names = tuple(variable.name for variable in variables)
        is_minimal = len(boxes) == len(named)
        nested = nest_tree(name_questions(schema, node, family))
        return ReducedCPT(schema[node].name, names, tuple(named), family.partition.grid.size, is_minimal, nested)
    rules = reduce_rules(family.partition)
    of_terms = tuple(
        Rule(rule.number, tuple(_context(variables, term) for term in rule.terms), variables) for rule in rules
    )
    return ReducedCPT(
        schema[node].name,
        tuple(variable.name for variable in variables),
        of_terms,
        family.partition.grid.size,
        all(rule.is_minimal for rule in rules),
    )


def name_tree(schema: Schema, node: int, family: CodedFamily) -> CptTree:
    """Return the smallest CPT-tree of a family in names."""
    variables = tuple(schema[parent] for parent in family.parents)
    tree, n_classes = family.partition.as_tree(), family.partition.n_classes
    if tree is not None:
        nested = nest_tree(name_questions(schema, node, family))
        return CptTree(schema[node].name, nested, tree.n_leaves, n_classes, tree.n_leaves == n_classes, variables)
    smallest = smallest_tree(family.partition)
    return CptTree(
        schema[node].name,
        _nest(variables, smallest.tree),
        n_leaves(smallest.tree),
        n_classes,
        smallest.is_minimal,
        variables,
    )


def name_decision_graph(schema: Schema, node: int, family: CodedFamily) -> DecisionGraph:
    """Return the decision graph of a family in names: its smallest tree with equal parts merged."""
    variables = [schema[parent] for parent in family.parents]
    tree = family.partition.as_tree()
    if tree is not None and family.partition.grid.size > MOST_SEARCHED:
        return DecisionGraph(schema[node].name, _merge_steps(schema, node, family))
    graph: CodedDecisionGraph = decision_graph(smallest_tree(family.partition).tree)
    steps = tuple(
        step.number
        if isinstance(step, Leaf)
        else (variables[step.axis].name, dict(zip(variables[step.axis].states, step.targets, strict=True)))
        for step in graph.nodes
    )
    return DecisionGraph(schema[node].name, steps)


def _merge_steps(schema: Schema, node: int, family: CodedFamily) -> tuple[int | tuple[str, Mapping[State, int]], ...]:
    """Return the steps of a decision graph from the tree of a family: equal parts are merged, those below first."""
    record = name_questions(schema, node, family)
    alike: dict[tuple[str, tuple[tuple[State, int], ...]], int] = {}
    questions: list[tuple[str, dict[State, int]]] = []
    place: dict[int, int] = {}
    n_classes = family.partition.n_classes
    for number in reversed(range(len(record.questions))):
        question = record.questions[number]
        to = {  # classes come first, then the questions
            state: branch.number or 0 if branch.question is None else place[branch.question]
            for branch in question.branches
            for state in branch.states
        }
        key = question.variable, tuple(to.items())
        targets = set(to.values())
        if len(targets) > 1 and key not in alike:
            alike[key] = n_classes + len(questions)
            questions.append((question.variable, to))
        place[number] = alike[key] if len(targets) > 1 else min(targets)
    n = len(questions)
    turned = {code: n + code if code < n_classes else n - 1 - (code - n_classes) for code in range(n_classes + n)}
    asked = [(name, {state: turned[code] for state, code in to.items()}) for name, to in reversed(questions)]
    return (*asked, *range(n_classes))


def _context(variables: Sequence[Variable], term: Term) -> Context:
    """Return a term as states by name."""
    return {v.name: v.states[code] for v, code in zip(variables, term, strict=True) if code is not None}


def _nest(variables: Sequence[Variable], tree: Tree) -> NestedTree:
    """Return a tree as nested mappings of names."""
    if isinstance(tree, Leaf):
        return tree.number
    variable = variables[tree.axis]
    pairs = zip(variable.states, tree.branches, strict=True)
    branches: dict[State | tuple[State, ...], NestedTree] = {state: _nest(variables, b) for state, b in pairs}
    return {variable.name: branches}


def tree_rows(nested: NestedTree, parents: Sequence[Variable], indent: str = "") -> list[tuple[str, int | None]]:
    """Return a line per branch of a tree, indented, with the class that it leads to, or None; however deep it is."""
    if isinstance(nested, int):
        return [(f"{indent}always", nested)]
    rows: list[tuple[str, int | None]] = []
    todo = _branches_of(nested, indent)
    while todo:
        name, states, branch, indent = todo.pop()
        test = indent + " or ".join(formulas([{name: state} for state in states], parents))
        rows.append((test, branch if isinstance(branch, int) else None))
        if not isinstance(branch, int):
            todo += _branches_of(branch, indent + "  ")
    return rows


def _tree_lines(nested: NestedTree, parents: Sequence[Variable], indent: str) -> list[str]:
    """Return a tree as indented lines."""
    if isinstance(nested, int):
        return [f"{indent}p{nested + 1}"]
    rows = tree_rows(nested, parents, indent)
    return [f"{text}:" if number is None else f"{text}: p{number + 1}" for text, number in rows]


def _branches_of(
    nested: Mapping[str, Mapping[State | tuple[State, ...], NestedTree]], indent: str
) -> list[tuple[str, tuple[State, ...], NestedTree, str]]:
    """Return the branches of a question with their states, the last first."""
    ((name, branches),) = nested.items()
    pairs = [(key if isinstance(key, tuple) else (key,), branch) for key, branch in branches.items()]
    return [(name, states, branch, indent) for states, branch in reversed(pairs)]


def spell_size(n: int) -> str:
    """Return how many configurations there are: "24", "2^40", "10^23"."""
    if n < 10**9:
        return str(n)
    return f"2^{n.bit_length() - 1}" if n.bit_count() == 1 else spell_cost(n)


def _count(n: int, thing: str) -> str:
    """Return "1 leaf", "2 leaves", "3 classes", "2^40 configurations"."""
    if n >= 10**9:
        return f"{spell_size(n)} {thing}s"
    if n == 1:
        return f"1 {thing}"
    plural = {"leaf": "leaves", "class": "classes"}.get(thing, f"{thing}s")
    return f"{n} {plural}"


@dataclass(frozen=True, repr=False)
class Description(Printable):
    """What a graph, a network or one variable of it says: lines under headings, and the same as plain values."""

    sections: Mapping[str, Sequence[str]]
    facts: Mapping[str, object]

    def to_dict(self) -> dict[str, object]:
        """Return plain values for JSON."""
        return dict(self.facts)

    def __str__(self) -> str:
        return "\n\n".join("\n  ".join([title, *lines]) for title, lines in self.sections.items())


def describe_graph(graph: Graph, record: GraphRecord) -> Description:
    """Describe a graph: variables, edges, labels in words, reduced tables as rules, parameters."""
    tables = _reduce_tables(graph)
    rules = [line for table in tables.values() for line in _shorten(table)]
    sections = {
        "Variables": _variables(graph),
        "Edges": _edges(graph) or ["none: all variables are independent"],
        "Labels": _labels(graph),
        "Reduced tables": rules,
        "Parameters": _parameters(graph),
    }
    return Description(
        {title: lines for title, lines in sections.items() if lines},
        {
            "graph": json.loads(write_json(record)),
            "labels_in_words": graph.labels_in_words(),
            "dag_dimension": graph.dag_dimension,
            "dimension": graph.dimension,
            "maximal": graph.is_maximal(),
            "regular": graph.is_regular(),
            "csi_consistent": all(is_told_by_labels(graph, v.name) for v in graph.variables),
            "edges": graph.edges,
            "rules": {
                name: [{"class": rule.number, "contexts": list_contexts(rule.contexts)} for rule in table.rules]
                for name, table in tables.items()
            },
        },
    )


def _shorten(table: ReducedCPT) -> list[str]:
    """Return the lines of a table, of a large tree the first of them."""
    lines = str(table).splitlines()
    if table.tree is None or len(lines) <= MOST_LINES:
        return lines
    left = len(lines) - MOST_LINES
    return [*lines[:MOST_LINES], f"  and {left:,} more lines: as_tree({table.node!r}), or ldag explain MODEL NODE"]


def _variables(graph: Graph) -> list[str]:
    variables = [v for v in graph.variables if not (v.undeclared and v.name in graph.arcs)]
    names = [spell_name(variable.name) for variable in variables]
    width = max(map(len, names))
    return [
        f"{name:<{width}}  (latent, of any number of states)"
        if v.undeclared
        else f"{name:<{width}}  {spell_states(v.states)}{'  (latent)' if v.latent else ''}"
        for name, v in zip(names, variables, strict=True)
    ]


def _edges(graph: Graph) -> list[str]:
    """Return the edges, and a line for every arc in place of its two."""
    arrows = [f"{parent} -> {child}" for parent, child in graph.edges if parent not in graph.arcs]
    return [*arrows, *(f"{first} {ARC} {second}" for first, second in graph.arcs.values())]


def _labels(graph: Graph) -> list[str]:
    """Return what the labels say, in short; the facts have all of it."""
    sentences = graph.labels_in_words(MOST_CASES)
    left = len(sentences) - MOST_SENTENCES
    more = [f"(and {counted(left, 'more label')}: --json)"] if left > 0 else []
    if not more and sentences != graph.labels_in_words():
        more = ["(all cases of a label: --json)"]
    return [*sentences[:MOST_SENTENCES], *more]


def _reduce_tables(graph: Graph) -> dict[str, ReducedCPT]:
    """Return the tables of the nodes that have fewer classes than configurations."""
    families = enumerate(graph.structure.families)
    reduced = [(node, family) for node, family in families if family.partition.n_classes < family.partition.grid.size]
    return {graph.schema[node].name: name_rules(graph.schema, node, family) for node, family in reduced}


def _parameters(graph: Graph) -> list[str]:
    lines = [f"{graph.dag_dimension} as a DAG -> {graph.dimension} with labels"]
    if any(variable.undeclared for variable in graph.variables):
        lines.append("A latent variable without states counts as one of two.")
    if not graph.is_maximal():
        lines.append("The labels are not maximal: closing them adds entries without a new independence.")
    if not graph.is_regular():
        gone = set(graph.edges) - set(graph.regular().edges)
        arrows = ", ".join(f"{parent} -> {child}" for parent, child in sorted(gone))
        lines.append(f"The graph is not regular: {arrows} never matters and can be dropped.")
    beyond = [v.name for v in graph.variables if not is_told_by_labels(graph, v.name)]
    trees = [name for name in beyond if graph.structure.families[graph.schema.node(name)].partition.as_tree()]
    rest = [name for name in beyond if name not in trees]
    if trees:
        lines.append(f"Their trees tell about {list_names(trees)} what labels may not tell in full.")
    if rest:
        lines.append(f"Labels do not tell all about {', '.join(rest)}: some classes need a decision graph.")
    return lines
