"""The graph door: `LDAG`, how other people write one (rules, trees, decision graphs, multinets), and its counts."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Generic, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ldag.checks import check_mapping, check_names, check_path, check_text, tell_renamed
from ldag.data import AnyTable, Dataset, Reading, check_data
from ldag.drawing import Drawable, side_by_side
from ldag.errors import ArgumentError, FormatError, GraphError, LdagError, counted
from ldag.formats import (
    Context,
    Edge,
    StratumRecord,
    UndirectedRecord,
    conditions,
    read_undirected_json,
    read_undirected_text,
    read_utf8,
    write_atomically,
    write_undirected_dot,
    write_undirected_json,
    write_undirected_text,
)
from ldag.graph.questions import GraphQuestions, Names
from ldag.graph.records import check_contexts, check_declared, check_pairs, record_of
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
from ldag.graph.strata import MoralGraph, Strata, moralise, undirect
from ldag.graph.tree_records import NestedTree, code_tree, record_tree
from ldag.graph.trees import partition_of_rows
from ldag.model import CodedFamily, Counts, Partition, State, Structure, Variable
from ldag.reasoning import (
    DEFAULT_BUDGET,
    Verdict,
    assignments,
    context_structure,
    find_cliques,
    find_separators,
    neighbours_of,
)

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

    def to_undirected(self) -> "StratifiedGraph":
        r"""Return the graph without arrows: an edge that vanishes in some contexts has a stratum there.

        That is for perfect graphs: the parents of every variable are adjacent to each other. The graph is read in its
        regular form, and equivalent graphs with the same labels have the same reading.

        Examples
        --------
        >>> import ldag
        >>> perfect = ldag.LDAG.from_text("a -> b\na -> c : b=1\nb -> c")
        >>> print(perfect.to_undirected().to_text())
        a {0, 1}
        b {0, 1}
        c {0, 1}
        a - b
        a - c : b=1
        b - c
        <BLANKLINE>
        """
        structure = self._regular_structure
        self._check_labels_only(structure)
        return StratifiedGraph.from_record(undirect(self.schema, structure))

    def moral_graph(self) -> "MoralGraph":
        """Return a picture without arrows of any graph: parents of a common child are joined, labels are left out."""
        return moralise(self.schema, self.structure)

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


@dataclass(frozen=True, repr=False)
class StratifiedGraph(Drawable):
    r"""A chordal graph without arrows; an edge may have a stratum, contexts in which its two ends are independent.

    A stratum is about common neighbours of the two ends, all of them unless some are named that it leaves out. It is
    a frozen, hashable value; two are equal when variables, edges and strata are. It says what the labelled DAG says
    that points all edges along a perfect order, in which one end of every edge with a stratum comes after all that the
    stratum is about; where there is no such order, the graph is refused. Build one with `from_text`, `from_edges` or
    `LDAG.to_undirected`.

    Examples
    --------
    >>> import ldag
    >>> u = ldag.StratifiedGraph.from_text("a - b - c\na - c : b=1")
    >>> print(u)
    a - b
    a - c, independent when b is 1
    b - c
    cliques: {a, b, c}
    <BLANKLINE>
    3 variables, 6 parameters (1 saved by strata)
    >>> bool(u.independent("a", "c", context={"b": 1}))
    True
    """

    _oriented: LDAG

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[Edge],
        *,
        states: Mapping[str, Sequence[State] | Variable],
        strata: Mapping[Edge, Iterable[Context]] | None = None,
        without: Mapping[Edge, Iterable[str]] | None = None,
    ) -> Self:
        """Build a graph from edges, states and strata.

        Parameters
        ----------
        edges
            Pairs of names, in any order.
        states
            The states of every variable.
        strata
            For an edge, the contexts of its common neighbours in which its ends are independent. One that a context
            does not name may have any state.
        without
            For an edge, the common neighbours that its stratum is not about.
        """
        pairs = check_pairs(edges)
        about = {
            _own_way(edge, pairs, "strata"): check_contexts(edge, contexts)
            for edge, contexts in check_mapping(strata or {}, "strata").items()
        }
        left_out = {
            _own_way(edge, pairs, "without"): check_names(names, "without")
            for edge, names in check_mapping(without or {}, "without").items()
        }
        declared = (check_declared(name, value) for name, value in check_mapping(states, "states").items())
        records = (StratumRecord(*edge, about.get(edge, ()), left_out.get(edge, ())) for edge in pairs)
        return cls.from_record(UndirectedRecord(tuple(map(record_of, declared)), tuple(records)))

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read the text form: ``a - b : c=1``, one edge per line."""
        return cls.from_record(read_undirected_text(check_text(text)))

    def to_text(self) -> str:
        """Return the text form; reading it gives this graph back."""
        return write_undirected_text(self._record)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read the JSON form."""
        return cls.from_record(read_undirected_json(check_text(text)))

    def to_json(self) -> str:
        """Return the JSON form; reading it gives this graph back."""
        return write_undirected_json(self._record)

    def to_dot(self) -> str:
        """Return the graph for Graphviz, with strata on the edges."""
        return write_undirected_dot(self._record)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file in the JSON form (.json) or in the text form (any other ending)."""
        target = check_path(path)
        text = read_utf8(Path(target))
        try:
            return cls.from_json(text) if target.lower().endswith(".json") else cls.from_text(text)
        except LdagError as error:
            raise FormatError(f"{target}: {error}") from None

    def _save_file(self, path: str | os.PathLike[str]) -> None:
        target = Path(check_path(path))
        write = {".json": self.to_json, ".dot": self.to_dot}.get(target.suffix.lower(), self.to_text)
        write_atomically(target, write().encode())

    @classmethod
    def from_record(cls, record: UndirectedRecord) -> Self:
        """Make the graph of what was read; for the library itself."""
        oriented = LDAG.from_record(Strata(record).orient()).maximal()
        if not oriented.is_regular():
            kept = set(oriented.regular().edges)
            a, b = next(edge for edge in oriented.edges if edge not in kept)
            raise GraphError(
                f"the strata together say that {a} and {b} are independent in every context: then they have no edge;"
                " leave it out, or some of the contexts"
            )
        return cls(oriented)

    def to_ldag(self, root: str | None = None) -> LDAG:
        """Return a labelled DAG that says the same, with a variable without parents if one is named.

        Several perfect orders may do; the same graph always gets the same one.
        """
        return self._oriented if root is None else LDAG.from_record(Strata(self._record).orient(root)).maximal()

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables, in order."""
        return self._oriented.variables

    @property
    def edges(self) -> tuple[Edge, ...]:
        """All edges as pairs of names, the variable that comes first in front."""
        return tuple((edge.first, edge.second) for edge in self._record.edges)

    @cached_property
    def strata(self) -> Mapping[Edge, tuple[Context, ...]]:
        """The edges with a stratum, and the contexts in which their ends are independent."""
        return {(edge.first, edge.second): tuple(edge.contexts) for edge in self._record.edges if edge.contexts}

    @property
    def cliques(self) -> tuple[tuple[str, ...], ...]:
        """The largest sets of variables that are all neighbours of each other."""
        return self._name(self._cliques)

    @property
    def separators(self) -> tuple[tuple[str, ...], ...]:
        """What neighbours in a junction tree of the cliques share, each as often as they do."""
        return self._name(find_separators(self._cliques))

    @property
    def dimension(self) -> int:
        """Number of free parameters."""
        return self._oriented.dimension

    def independent(
        self,
        a: Names,
        b: Names,
        given: Names = (),
        context: Mapping[str, State] | None = None,
        *,
        budget: int = DEFAULT_BUDGET,
    ) -> Verdict:
        """Decide whether a and b are independent, given variables and a context, in every distribution of the graph.

        The decision, and its proof, are those of `LDAG.implies`.
        """
        return self._oriented.implies(a, b, given, context, budget=budget)

    def strata_in_words(self) -> tuple[str, ...]:
        """Return every edge as people say it: "smoking - pressure, independent when protein is >3"."""
        return tuple(map(self._say, self._record.edges))

    def describe(self, gains: Mapping[Edge, float] | None = None) -> list[str]:
        """Return edges in words, cliques and separators; with what strata gain, that stands beside them."""

        def spell(what: str, sets: Sequence[Sequence[str]]) -> list[str]:
            return [f"{what}: {', '.join('{' + ', '.join(one) + '}' for one in sets)}"] if sets else []

        known = {frozenset(edge): gain for edge, gain in (gains or {}).items()}
        lines = [
            line + (f" (gains {known[frozenset(edge)]:.2f})" if frozenset(edge) in known else "")
            for edge, line in zip(self.edges, self.strata_in_words(), strict=True)
        ]
        return [*(lines or ["(no edges)"]), *spell("cliques", self.cliques), *spell("separators", self.separators)]

    def __str__(self) -> str:
        saved = self._oriented.dag_dimension - self.dimension
        size = f"{counted(len(self.variables), 'variable')}, {counted(self.dimension, 'parameter')}"
        return "\n".join([*self.describe(), "", f"{size} ({saved} saved by strata)"])

    def __repr__(self) -> str:
        sizes = counted(len(self.variables), "variable"), counted(len(self.edges), "edge")
        return f"<StratifiedGraph: {', '.join(sizes)}, {counted(self.dimension, 'parameter')}>"

    def _say(self, edge: StratumRecord) -> str:
        told = f"{edge.first} - {edge.second}"
        if edge.contexts:
            told += f", independent when {', or when '.join(conditions(edge.contexts, self.variables))}"
        return told + (f" ({', '.join(edge.without)} left out)" if edge.without else "")

    @cached_property
    def _record(self) -> UndirectedRecord:
        return undirect(self._oriented.schema, self._oriented.structure)

    @cached_property
    def _cliques(self) -> tuple[frozenset[int], ...]:
        structure = self._oriented.structure
        return find_cliques(neighbours_of(len(structure), structure.edges), structure.order)

    def _name(self, sets: Iterable[frozenset[int]]) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(self.variables[node].name for node in sorted(one)) for one in sets)


def _own_way(edge: Edge, edges: Sequence[Edge], what: str) -> Edge:
    """Return an edge as it is written among others, from either end."""
    for own in (edge, tuple(reversed(edge))):
        if own in edges:
            return own[0], own[1]
    raise GraphError(f"{what}: there is no edge {' - '.join(map(str, edge))}")


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
