"""The graph door: `LDAG`, how other people write one (rules, trees, decision graphs, multinets), and its counts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ldag.checks import tell_renamed
from ldag.data import AnyTable, Dataset, Reading, check_data
from ldag.drawing import Drawable, side_by_side
from ldag.errors import ArgumentError, GraphError, counted
from ldag.graph.questions import GraphQuestions
from ldag.graph.representations import (
    CptTree,
    DecisionGraph,
    Description,
    ReducedCPT,
    describe_graph,
    name_decision_graph,
    name_rules,
    name_tree,
)
from ldag.graph.tree_records import NestedTree, code_tree, record_tree
from ldag.graph.trees import partition_of_rows
from ldag.model import CodedFamily, Counts, Partition, State, Structure
from ldag.reasoning import assignments, context_structure

G = TypeVar("G", bound=GraphQuestions)


@dataclass(frozen=True, repr=False)
class Multinet(Drawable, Generic[G]):
    """One context graph per state of a variable; printing it puts them side by side."""

    variable: str
    whole: G
    graphs: Mapping[State, G]
    edges: tuple[tuple[str, str], ...]

    def __repr__(self) -> str:
        return f"<Multinet: {counted(len(self.graphs), 'context graph')}, by {self.variable}>"

    def __str__(self) -> str:
        columns = []
        for state, graph in self.graphs.items():
            kept = set(graph.edges)
            lines = [f"{a} -> {b}" if (a, b) in kept else f"{a}    {b}" for a, b in self.edges]
            columns.append((assignments({self.variable: state})[0], lines or ["(no edges)"]))
        return side_by_side(columns)


@dataclass(frozen=True, eq=False, repr=False)
class LDAG(GraphQuestions):
    """A labelled DAG: a directed acyclic graph whose edges say in which contexts they vanish.

    A frozen, hashable value. Two are equal when variables, edges and partitions are, in whatever order variables
    or labels were written. Build one with `from_text`, `from_edges`, `from_partitions`, `load`, or take an example
    from ``ldag.datasets.graph``. Variables and states are names everywhere.
    """

    def describe(self) -> Description:
        """Say what the graph says: its variables, edges, labels in words, tables as rules, and how many parameters.

        Examples
        --------
        >>> import ldag
        >>> print(ldag.datasets.graph("guard").describe().sections["Labels"][0])
        gender does not matter for badge when person is visitor or spy
        """
        return describe_graph(self, self._record)

    def reduced_cpt(self, node: str) -> ReducedCPT:
        """Return a node's table as rules: for each class, the fewest AND-terms, joined by OR.

        Examples
        --------
        >>> import ldag
        >>> print(ldag.datasets.graph("guard").reduced_cpt("badge"))
        badge | person, gender: 6 configurations, 4 rules
          p1  person=worker and gender=male
          p2  person=worker and gender=female
          p3  person=visitor
          p4  person=spy
        """
        return name_rules(self.schema, *self._family(node))

    def as_tree(self, node: str) -> CptTree:
        """Return the CPT-tree of a node with the fewest leaves; it says when subtrees must repeat.

        Examples
        --------
        >>> import ldag
        >>> print(ldag.datasets.graph("or6").as_tree("1").n_leaves)
        7
        """
        return name_tree(self.schema, *self._family(node))

    def as_decision_graph(self, node: str) -> DecisionGraph:
        """Return a decision graph of a node: its smallest tree with equal parts merged, one leaf per class."""
        return name_decision_graph(self.schema, *self._family(node))

    def with_tree(self, node: str, tree: NestedTree | CptTree) -> Self:
        """Return this graph with a node's classes taken from a tree over its parents.

        Parameters
        ----------
        node
            The node whose classes are replaced.
        tree
            What `as_tree` gives, or nested mappings ``{variable: {state: tree, ...}}`` that end in class numbers; a
            branch may be for several states, in a tuple. Leaves with equal numbers are one class. The tree is kept
            as it is, and its leaves are numbered by their first configuration.

        Examples
        --------
        >>> import ldag
        >>> guard = ldag.datasets.graph("guard")
        >>> tree = {"person": {"worker": {"gender": {"male": 0, "female": 1}}, "visitor": 2, "spy": 3}}
        >>> guard.with_tree("badge", tree) == guard
        True
        """
        number, family = self._family(node)
        record = record_tree(node, tree.nested if isinstance(tree, CptTree) else tree)
        return self._with_partition(number, code_tree(self.schema, number, family.parents, record, may_be_idle=True))

    def with_table(self, node: str, cpt: ArrayLike, tolerance: float = 1e-9) -> Self:
        """Return this graph with a node's classes recovered from a table: rows that are equal share a class.

        The result's ``is_csi_consistent(node)`` tells whether labels express these classes, or a decision graph is
        needed; an edge that the table shows to be idle goes with `regular`.

        Parameters
        ----------
        node
            The node whose classes are replaced.
        cpt
            Probabilities: one row per configuration of the parents (the last parent fastest) and one column per state
            of the node, or an array with one axis per parent and the node's last.
        tolerance
            Rows are equal if no entry differs by more.
        """
        number, family = self._family(node)
        rows = self._table(number, family, cpt)
        if isinstance(tolerance, bool) or not (isinstance(tolerance, int | float) and 0 <= tolerance < np.inf):
            raise ArgumentError(f"tolerance must be a number, 0 or more, got {tolerance!r}")
        return self._with_partition(number, partition_of_rows(family.partition.grid, rows, float(tolerance)))

    def from_tree(self, node: str, tree: NestedTree | CptTree) -> Self:
        """Use `with_tree`."""
        tell_renamed("LDAG.from_tree", "with_tree")
        return self.with_tree(node, tree)

    def from_table(self, node: str, cpt: ArrayLike, tolerance: float = 1e-9) -> Self:
        """Use `with_table`."""
        tell_renamed("LDAG.from_table", "with_table")
        return self.with_table(node, cpt, tolerance)

    def as_multinet(self, variable: str) -> Multinet[Self]:
        """Return the context graphs for all states of a variable."""
        node = self.schema.node(variable)
        states = self.schema[node].states
        structures = [context_structure(self.structure, {node: code}) for code in range(len(states))]
        graphs = {state: type(self)(self.schema, s) for state, s in zip(states, structures, strict=True)}
        return Multinet(variable, self, graphs, self.edges)

    def _family(self, node: str) -> tuple[int, CodedFamily]:
        number = self.schema.node(node)
        return number, self.structure.families[number]

    def _with_partition(self, node: int, partition: Partition) -> Self:
        families = list(self.structure.families)
        families[node] = CodedFamily.from_partition(families[node].parents, partition)
        return type(self)(self.schema, Structure(self.structure.n_states, tuple(families)))

    def _table(
        self, node: int, family: CodedFamily, cpt: ArrayLike
    ) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        """Check a table of probabilities and return it as rows."""
        shape = (family.partition.grid.size, self.schema[node].n_states)
        name = self.schema[node].name
        try:
            table = np.asarray(cpt, dtype=np.float64)
        except (TypeError, ValueError):
            raise GraphError(f"the table of {name!r} must hold numbers, got {cpt!r}") from None
        if table.shape not in (shape, (*family.partition.grid.n_states, shape[1])):
            raise GraphError(
                f"the table of {name!r} must have {shape[0]} rows (configurations of its parents,"
                f" {', '.join(self.parents(name)) or 'none'}) and {shape[1]} columns (its states), got {table.shape}"
            )
        rows = table.reshape(shape)
        wrong = np.flatnonzero(~(np.all(rows >= 0, axis=1) & np.isclose(rows.sum(axis=1), 1.0, atol=1e-6)))
        if wrong.size:
            got = rows[wrong[0]].tolist()
            raise GraphError(f"row {wrong[0]} of the table of {name!r} must be probabilities that sum to 1, got {got}")
        return rows


def take_states(graph: LDAG, data: AnyTable, reading: Reading | None = None) -> tuple[LDAG, Dataset]:
    """Return a graph and the data of its variables; those that were written without states have those of the data.

    Columns that the graph does not know are left out, which is told.
    """
    if not isinstance(graph, LDAG):
        raise ArgumentError(f"graph must be an LDAG, got {type(graph).__name__}")
    known = check_data(data, graph.schema, reading, graph.undeclared)
    return graph.with_states(known.variables), known


def family_counts(
    graph: LDAG, data: AnyTable, reading: Reading | None = None
) -> Iterator[tuple[str, Counts, CodedFamily]]:
    """Go through the nodes of a graph with their counts in the data."""
    if not isinstance(graph, LDAG):
        raise ArgumentError(f"graph must be an LDAG, got {type(graph).__name__}")
    aligned = check_data(data, graph.schema, reading).aligned_to(graph.schema)
    for variable, family in zip(graph.variables, graph.structure.families, strict=True):
        yield variable.name, aligned.family_counts(aligned.schema.node(variable.name), family), family
