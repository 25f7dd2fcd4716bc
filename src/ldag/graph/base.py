"""What an LDAG is: variables, edges, labels and partitions by name."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from ldag.checks import check_mapping, check_path, check_text
from ldag.drawing import Drawable
from ldag.errors import DataError, FormatError, GraphError, TooLarge, UnknownState, counted
from ldag.formats import (
    Context,
    Edge,
    EdgeRecord,
    FileRecord,
    Format,
    GraphRecord,
    TabularRecord,
    check_model,
    edge_in_words,
    find_arcs,
    format_named,
    format_of,
    from_networkx,
    read_file_as,
    read_named,
    to_networkx,
    write_graph,
)
from ldag.graph.records import (
    assemble,
    check_acyclic,
    check_all_states,
    check_contexts,
    check_declared,
    check_labelled_edges,
    check_latent,
    check_pairs,
    check_partition,
    disassemble,
    family_of_classes,
    label_contexts,
    record_of,
)
from ldag.graph.tables import assemble_tables
from ldag.graph.tree_records import NestedTree, record_tree
from ldag.model import CodedFamily, Counts, Schema, State, Structure, Variable

if TYPE_CHECKING:
    import networkx as nx

MAX_LISTED = 2**16
"""Configurations of one node that are listed at most where its tree cannot be written."""

MOST_PARAMETERS = 1 / 3
"""Of one node, for each row."""


@dataclass(frozen=True)
class NamedPartition:
    """The classes of a node: one number per configuration of ``parents``, the last parent fastest."""

    parents: tuple[str, ...]
    classes: tuple[int, ...]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(set(self.classes))


@dataclass(frozen=True, eq=False, repr=False)
class Graph(Drawable):
    """The value itself: a schema and a structure over it, both for the library itself."""

    schema: Schema
    structure: Structure
    written: GraphRecord | None = None
    """What was read, where it does not give the states of all variables."""

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[tuple[str, str]],
        *,
        states: Mapping[str, Sequence[State] | Variable],
        labels: Mapping[tuple[str, str], Iterable[Context]] | None = None,
        trees: Mapping[str, NestedTree] | None = None,
        latent: str | Iterable[str] = (),
    ) -> Self:
        """Build a graph from edges, states and labels.

        Parameters
        ----------
        edges
            Pairs (parent, child).
        states
            The states of every variable; their order is the order of the variables. Latent variables that edges name
            may be left out: they come last, and may have any number of states.
        labels
            For an edge, the contexts of the child's other parents in which it vanishes. A parent that a context does
            not name may have any state.
        trees
            For a node, its classes as a tree instead: nested mappings ``{variable: {state: tree, ...}}`` that end in
            class numbers; a branch may be for several states, in a tuple. Such a node may have any number of parents.
        latent
            The variables that nobody observed; data need no column for them.

        Examples
        --------
        >>> from ldag import LDAG
        >>> g = LDAG.from_edges(
        ...     [("person", "badge"), ("gender", "badge")],
        ...     states={"person": ["worker", "spy"], "gender": ["m", "f"], "badge": ["no", "yes"]},
        ...     labels={("gender", "badge"): [{"person": "spy"}]},
        ... )
        >>> g.dag_dimension, g.dimension
        (6, 5)
        """
        pairs = check_pairs(edges)
        given = {
            edge: check_contexts(edge, contexts) for edge, contexts in check_mapping(labels or {}, "labels").items()
        }
        check_labelled_edges(given, pairs)
        declared = (check_declared(name, given) for name, given in check_mapping(states, "states").items())
        variables = tuple(map(record_of, check_latent(declared, latent, pairs)))
        records = tuple(EdgeRecord(parent, child, given.get((parent, child), ())) for parent, child in pairs)
        told = (record_tree(*item) for item in check_mapping(trees or {}, "trees").items())
        return cls.from_record(GraphRecord(variables, records, trees=tuple(told)))

    @classmethod
    def from_partitions(
        cls,
        partitions: Mapping[str, NamedPartition | tuple[Sequence[str], Sequence[int]]],
        *,
        states: Mapping[str, Sequence[State] | Variable],
        latent: str | Iterable[str] = (),
    ) -> Self:
        """Build a graph from the classes of its nodes.

        Parameters
        ----------
        partitions
            For a node, its parents and a class number per configuration of them, the last parent fastest. Nodes that
            are not named have no parents.
        states
            The states of every variable.
        latent
            The variables that nobody observed; data need no column for them.

        Examples
        --------
        >>> from ldag import LDAG
        >>> binary = {name: [0, 1] for name in "abc"}
        >>> g = LDAG.from_partitions({"c": (["a", "b"], [0, 0, 1, 2])}, states=binary)
        >>> g.label("b", "c")
        frozenset({(0,)})
        """
        declared = (check_declared(name, given) for name, given in check_mapping(states, "states").items())
        schema = check_latent(declared, latent)
        check_all_states(schema)
        families = [CodedFamily.table((), Structure(schema.n_states, ()).grid(())) for _ in schema]
        for name, given in check_mapping(partitions, "partitions").items():
            node = schema.node(name, "partitions: ")
            parents, classes = check_partition(name, given)
            families[node] = family_of_classes(schema, node, parents, classes)
        check_acyclic(schema, [family.parents for family in families])
        return cls(schema, Structure(schema.n_states, tuple(families)))

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read the text form.

        Examples
        --------
        >>> from ldag import LDAG
        >>> g = LDAG.from_text('''
        ... person {worker, visitor, spy}
        ... person -> badge
        ... gender -> badge : person=visitor; person=spy
        ... ''')
        >>> g.labels_in_words()
        ('gender does not matter for badge when person is visitor or spy',)
        """
        return cls.from_format(text, "ldag")

    def to_text(self) -> str:
        """Return the text form; reading it gives this graph back."""
        return self.to_format("ldag")

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read the JSON form (see docs/ldag.schema.json), or take the graph of a network."""
        return cls.from_format(text, "json")

    def to_json(self) -> str:
        """Return the JSON form; reading it gives this graph back."""
        return self.to_format("json")

    @classmethod
    def from_dot(cls, text: str) -> Self:
        """Read a Graphviz graph, with the states and labels that `to_dot` writes if they are there."""
        return cls.from_format(text, "dot")

    def to_dot(self) -> str:
        """Return the graph for Graphviz, with labels on the edges."""
        return self.to_format("dot")

    @classmethod
    def from_networkx(cls, graph: "nx.DiGraph") -> Self:
        """Read a networkx graph, with the attributes that `to_networkx` sets if they are there."""
        return cls.from_record(from_networkx(graph))

    def to_networkx(self) -> "nx.DiGraph":
        """Return a networkx graph: node attribute ``states``, edge attribute ``label``."""
        return to_networkx(self._listed("networkx"))

    @classmethod
    def from_format(cls, text: str, name: str) -> Self:
        """Read the text of any format, by its short name ("ldag", "dot", "bif", ...); of a network, the graph."""
        return cls.from_record(read_named(check_text(text), name))

    def to_format(self, name: str) -> str:
        """Return the text of any format that holds graphs, by its short name: "ldag", "dot", "tex", ..."""
        known = format_named(name)
        if known.write_graph is None:
            raise FormatError(f"{name} holds networks, and a graph has no parameters; Network.from_data estimates them")
        return known.write_graph(self._record_for(known))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file of any format that `ldag convert --formats` lists; the graph of a network is taken."""
        return read_file_as(check_path(path), cls.from_record)

    def _save_file(self, path: str | os.PathLike[str]) -> None:
        write_graph(self._record_for(format_of(check_path(path), "graphs")), path)

    def _record_for(self, known: Format) -> GraphRecord:
        """Return the record that a format can hold."""
        if known.carries.trees == "yes" or not self._record.trees:
            return self._record
        return replace(self._record, trees=()) if known.carries.labels == "no" else self._listed(known.title)

    def _listed(self, title: str) -> GraphRecord:
        """Return the record in which labels and classes tell what trees do, if all configurations can be listed."""
        for node in (self.schema.node(tree.node) for tree in self._record.trees):
            size = self.structure.families[node].partition.grid.size
            if size > MAX_LISTED:
                raise TooLarge(
                    f"{title}: the parents of {self.schema[node].name!r} have {size:,} configurations; at most"
                    f" {MAX_LISTED:,} are listed in formats without trees. JSON keeps trees"
                )
        families = tuple(family.dense() for family in self.structure.families)
        return disassemble(self.schema, Structure(self.structure.n_states, families))

    @classmethod
    def from_record(cls, file: FileRecord) -> Self:
        """Take the graph of whatever was read; for the library itself."""
        model = check_model(file)
        if isinstance(model, TabularRecord):
            return cls(*assemble_tables(model)[:2])
        record = model if isinstance(model, GraphRecord) else model.graph
        declared = {variable.name for variable in record.variables if variable.states is not None}
        schema, structure = assemble(record)
        return cls(schema, structure, None if declared.issuperset(schema.names) else record)

    @property
    def undeclared(self) -> frozenset[str]:
        """The variables that were written without states; those they have are a guess until there are data."""
        if self.written is None:
            return frozenset(variable.name for variable in self.schema if variable.undeclared)
        return frozenset(self.schema.names) - {v.name for v in self.written.variables if v.states is not None}

    def with_states(self, variables: Iterable[Variable]) -> Self:
        """Return the graph in which variables that were written without states have those of the given ones."""
        undeclared = self.undeclared
        if not undeclared:
            return self
        given = {v.name: replace(v, undeclared=False) for v in variables if v.name in undeclared}
        chosen = (replace(given.get(v.name, v), latent=v.latent) for v in self.variables)
        complete = tuple(map(record_of, chosen))
        try:
            return self.from_record(replace(self.written or self._record, variables=complete))
        except UnknownState as error:
            raise DataError(f"the states of the data do not fit the labels of the graph: {error}") from None

    @cached_property
    def _record(self) -> GraphRecord:
        return disassemble(self.schema, self.structure)

    @cached_property
    def _regular_structure(self) -> Structure:
        return self.structure.regular()

    @cached_property
    def _canonical(self) -> tuple[Schema, Structure]:
        """The same graph with its variables sorted by name."""
        order = sorted(range(len(self.schema)), key=lambda node: self.schema[node].name)
        return self.schema.reordered(order), self.structure.reordered(order)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        return self._canonical == other._canonical

    def __hash__(self) -> int:
        return hash(self._canonical)

    def __repr__(self) -> str:
        saved = self.dag_dimension - self.dimension
        return (
            f"<LDAG: {counted(len(self.schema), 'variable')}, {counted(len(self.edges), 'edge')},"
            f" {counted(self.dimension, 'parameter')}"
            f" ({saved} saved by labels)>"
        )

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables, in order."""
        return self.schema.variables

    @property
    def latent(self) -> tuple[str, ...]:
        """The names of the variables that nobody observed, in order.

        Examples
        --------
        >>> from ldag import LDAG
        >>> binary = {name: [0, 1] for name in "hab"}
        >>> LDAG.from_edges([("h", "a"), ("h", "b")], states=binary, latent="h").latent
        ('h',)
        """
        return self.schema.latent

    @cached_property
    def arcs(self) -> Mapping[str, Edge]:
        r"""The latent variables that ``x <-> y`` stands for, by name, with the two ends.

        Examples
        --------
        >>> from ldag import LDAG
        >>> LDAG.from_text("x -> y\nx <-> y").arcs
        {'x <-> y': ('x', 'y')}
        """
        return find_arcs(self._record)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """All edges as pairs of names (parent, child)."""
        names = self.schema.names
        return tuple((names[parent], names[child]) for parent, child in self.structure.edges)

    def parents(self, node: str) -> tuple[str, ...]:
        """Return the parents of a node, in the order of the variables."""
        return self._names_of(self.structure.parents(self.schema.node(node)))

    def children(self, node: str) -> tuple[str, ...]:
        """Return the children of a node, in the order of the variables."""
        return self._names_of(self.structure.children[self.schema.node(node)])

    def ancestors(self, node: str) -> tuple[str, ...]:
        """Return all variables from which a path of arrows leads to a node, in the order of the variables."""
        own = self.schema.node(node)
        return self._names_of(self.structure.ancestors([own]) - {own})

    def descendants(self, node: str) -> tuple[str, ...]:
        """Return all variables to which a path of arrows leads from a node, in the order of the variables."""
        own = self.schema.node(node)
        return self._names_of(self.structure.descendants([own]) - {own})

    def markov_blanket(self, node: str) -> tuple[str, ...]:
        """Return the parents of a node, its children and their other parents, in the order of the variables.

        Once these are known, nothing else tells more about the node. Labels can only make fewer of them matter.

        Examples
        --------
        >>> import ldag
        >>> ldag.datasets.graph("heart").markov_blanket("smoking")
        ('physical', 'pressure', 'protein')
        """
        return self._names_of(self.structure.markov_blanket([self.schema.node(node)]))

    def _names_of(self, nodes: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.schema[node].name for node in sorted(nodes))

    def label(self, parent: str, child: str) -> frozenset[tuple[State, ...]]:
        """Return the label of an edge: states of the child's other parents (in order) in which it vanishes."""
        family, axis = self._edge(parent, child)
        others = [self.schema[p] for a, p in enumerate(family.parents) if a != axis]
        grid = family.partition.grid.without(axis)
        configurations = (grid.configuration(cell) for cell in np.flatnonzero(family.labels[axis]).tolist())
        return frozenset(
            tuple(variable.states[code] for variable, code in zip(others, codes, strict=True))
            for codes in configurations
        )

    def label_contexts(self, parent: str, child: str) -> Sequence[Context]:
        """Return the label of an edge as few contexts, as files write it; those of a tree the largest first."""
        return label_contexts(self.schema, *self._edge(parent, child))

    def partition(self, node: str) -> NamedPartition:
        """Return the classes of a node: parent configurations that share one conditional distribution."""
        family = self.structure.families[self.schema.node(node)]
        return NamedPartition(self.parents(node), tuple(family.partition.to_array().tolist()))

    @property
    def dimension(self) -> int:
        """Number of free parameters: (states - 1) per class."""
        return sum(self.structure.dimension(node) for node in range(len(self.schema)))

    @property
    def dag_dimension(self) -> int:
        """Number of free parameters of the underlying DAG: (states - 1) per parent configuration."""
        return sum(self.structure.dag_dimension(node) for node in range(len(self.schema)))

    @property
    def labelled_edges(self) -> tuple[Edge, ...]:
        """The edges that vanish somewhere, in the order of ``edges``."""
        return tuple(edge for edge in self.edges if self._is_labelled(*edge))

    def _is_labelled(self, parent: str, child: str) -> bool:
        family, axis = self._edge(parent, child)
        return family.has_label(axis)

    def labels_in_words(self, most: int | None = None, counts: Sequence[Counts] | None = None) -> tuple[str, ...]:
        """Return what each label says, such as "smoking does not matter for pressure when protein is >3".

        Of a label with more cases than ``most`` it is said how much it covers, and mostly when. ``counts`` are those
        of every node, a row per configuration of its parents; with them, rows are what is covered.
        """
        return tuple(
            edge_in_words(edge, self._others(edge), most, self._rows_of_others(edge, counts)) for edge in self._labelled
        )

    @cached_property
    def _labelled(self) -> tuple[EdgeRecord, ...]:
        """The edges with labels, and these; where a tree tells the classes, it tells the labels too."""
        return tuple(
            EdgeRecord(parent, child, label)
            for parent, child in self.edges
            if (label := self.label_contexts(parent, child))
        )

    def _others(self, edge: EdgeRecord) -> list[Variable]:
        """Return the other parents of an edge's child, whose states its label is about."""
        return [self.schema[self.schema.node(name)] for name in self.parents(edge.child) if name != edge.parent]

    def _rows_of_others(self, edge: EdgeRecord, counts: Sequence[Counts] | None) -> NDArray[np.float64] | None:
        """Return how many rows have each configuration of these, an axis for each; None if that is not known."""
        if counts is None:
            return None
        family, axis = self._edge(edge.parent, edge.child)
        return family.partition.rows_of_others(axis, counts[self.schema.node(edge.child)])

    def is_csi_consistent(self, node: str | None = None) -> bool:
        """Tell whether the labels tell everything about a node's classes (or about every node's)."""
        if node is None:
            return self.structure.is_csi_consistent
        return self.structure.families[self.schema.node(node)].partition.is_csi_consistent

    def is_maximal(self) -> bool:
        """Tell whether no configuration can be added to a label without a new independence (Definition 5)."""
        return self.structure.is_maximal

    def maximal(self) -> Self:
        """Return the graph with its labels closed; it says the same, and is equal to this one."""
        return type(self)(self.schema, self.structure.maximal())

    def is_regular(self) -> bool:
        """Tell whether no label, closed, removes its edge altogether (Definition 6)."""
        return self.structure.is_regular

    def regular(self) -> Self:
        """Return the regular maximal form: edges that never matter are gone, and labels are closed."""
        return type(self)(self.schema, self._regular_structure)

    def _edge(self, parent: str, child: str) -> tuple[CodedFamily, int]:
        """Return the child's family and the parent's place in it."""
        family = self.structure.families[self.schema.node(child)]
        node = self.schema.node(parent)
        if node not in family.parents:
            backwards = self.schema.node(child) in self.structure.parents(node)
            hint = f"; there is {child} -> {parent}" if backwards else ""
            raise GraphError(f"there is no edge {parent} -> {child}{hint}")
        return family, family.parents.index(node)


def find_thin_families(graph: Graph, n_rows: float) -> tuple[str, ...]:
    """Return the nodes that have more free parameters than a third of the rows, which can hardly carry so many.

    Families are looked at one by one: each is estimated from all rows, however many others there are.
    """
    names = graph.schema.names
    return tuple(name for node, name in enumerate(names) if graph.structure.dimension(node) > MOST_PARAMETERS * n_rows)
