"""What an LDAG implies: separation, implication, and which graphs say the same."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Generic, Self, TypeVar, overload

from ldag.checks import check_names, check_whole
from ldag.errors import ArgumentError, GraphError, counted
from ldag.formats import Edge
from ldag.graph.alignment import align
from ldag.graph.base import MAX_LISTED, Graph
from ldag.graph.records import check_disjoint
from ldag.hook import Printable
from ldag.model import State, Structure
from ldag.reasoning import (
    DEFAULT_BUDGET,
    Difference,
    Independence,
    Question,
    Verdict,
    assignments,
    beyond_labels,
    compare_structures,
    context_structure,
    cpdag,
    csi_separated,
    decide,
    equivalence_class,
    essential_edges,
    label_variables,
    markov_equivalent,
)

Names = str | Iterable[str]
G = TypeVar("G", bound=Graph)


@dataclass(frozen=True)
class Cpdag:
    """A Markov equivalence class: edges with one direction (parent, child), and edges that may point either way."""

    directed: frozenset[tuple[str, str]]
    undirected: frozenset[tuple[str, str]]


@dataclass(frozen=True)
class EdgeDirections:
    """The edges that every equivalent graph has this way, those that some has the other way, and the unknown rest.

    An edge that vanishes altogether has no direction that could be known.
    """

    essential: frozenset[Edge]
    reversible: frozenset[Edge]
    undecided: frozenset[Edge]

    @property
    def open(self) -> frozenset[Edge]:
        """The edges that are not known to point this way."""
        return self.reversible | self.undecided


@dataclass(frozen=True, repr=False)
class EquivalenceClass(Sequence[G], Generic[G]):
    """Graphs that say the same, the one asked about first; ``is_complete`` tells whether these are all."""

    members: tuple[G, ...]
    is_complete: bool

    def __len__(self) -> int:
        return len(self.members)

    def __repr__(self) -> str:
        all_of_them = "all there are" if self.is_complete else "there may be more"
        return f"<EquivalenceClass: {counted(len(self.members), 'graph')}, {all_of_them}>"

    @overload
    def __getitem__(self, index: int) -> G: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[G, ...]: ...
    def __getitem__(self, index: int | slice) -> G | tuple[G, ...]:
        return self.members[index]


@dataclass(frozen=True, repr=False)
class GraphDifference(Printable):
    """A context in which two graphs are not Markov equivalent, and what differs there.

    ``first`` and ``second`` are the edges among ``variables`` that the two graphs have in that context.
    """

    kind: str
    variables: tuple[str, ...]
    context: Mapping[str, State]
    first: frozenset[tuple[str, str]]
    second: frozenset[tuple[str, str]]

    def to_dict(self) -> dict[str, object]:
        """Return plain values for JSON."""
        return {
            "kind": self.kind,
            "variables": self.variables,
            "context": dict(self.context),
            "first": sorted(self.first),
            "second": sorted(self.second),
            "explanation": str(self),
        }

    def __str__(self) -> str:
        shown = ", ".join(assignments(self.context))
        where = f"in the context {shown}" if shown else "in every context"
        if self.kind == "skeleton":
            here, there = ("first", "second") if self.first else ("second", "first")
            return f"{where}, {' and '.join(self.variables)} are adjacent in the {here} graph and not in the {there}"
        i, j, k = self.variables
        which = "first" if {(i, j), (k, j)} <= self.first else "second"
        return f"{where}, {i} -> {j} <- {k} is an immorality in the {which} graph only"


class GraphQuestions(Graph):
    """Independence and equivalence."""

    def context_graph(self, context: Mapping[str, State]) -> Self:
        """Return the graph in a context: edges whose label is satisfied are gone (Definition 8).

        The labels that remain are read in the context: entries that disagree with it are left out.
        """
        return type(self)(self.schema, context_structure(self.structure, self.schema.context(context, "context: ")))

    def csi_separated(self, a: Names, b: Names, given: Names = (), context: Mapping[str, State] | None = None) -> bool:
        """Tell whether a and b are d-separated by given and the context in the context graph (Definition 9).

        Sound and fast, not complete: `implies` decides everything.
        """
        q = self.question(a, b, given, context)
        return csi_separated(self.structure, q.a, q.b, q.given, q.context)

    def implies(
        self,
        a: Names,
        b: Names,
        given: Names = (),
        context: Mapping[str, State] | None = None,
        *,
        budget: int = DEFAULT_BUDGET,
    ) -> Verdict:
        """Decide whether a and b are independent, given variables and a context, in every distribution of the graph.

        Parameters
        ----------
        a, b, given
            A variable's name, or several.
        context
            States of further variables.
        budget
            Cells of the largest table the decision may build; beyond it the verdict is "not decided".

        Examples
        --------
        >>> import ldag
        >>> guard = ldag.datasets.graph("guard")
        >>> print(guard.implies("gender", "badge", context={"person": "spy"}))
        gender ⊥ badge | person=spy (CSI-separation)
        >>> bool(guard.implies("gender", "badge", context={"person": "worker"}))
        False
        """
        budget = check_whole(budget, "budget")
        return self._verdict(self.question(a, b, given, context), budget)

    def independencies(self, max_given: int | None = None, *, budget: int = DEFAULT_BUDGET) -> tuple[Independence, ...]:
        """List independencies.

        Without ``max_given``: the local ones that the labels state, as general as they can be put. With it: every
        independence between two variables given at most that many others, some of them fixed to a state where it
        does not hold for all; decided by `implies`.
        """
        if max_given is None:
            return tuple(self._local())
        return tuple(self._pairwise(check_whole(max_given, "max_given", 0), budget))

    def markov_equivalent_to(self, other: Self) -> bool:
        """Tell whether the underlying DAGs, without labels, are Markov equivalent."""
        mine, theirs = self.structure, self._align(other)
        return markov_equivalent([f.parents for f in mine.families], [f.parents for f in theirs.families])

    def cpdag(self, *, forbidden: Iterable[Edge] = ()) -> Cpdag:
        """Return the Markov equivalence class of the underlying DAG, without labels.

        Of the class only the graphs without ``forbidden`` arrows (parent, child) count; this one must have none.
        """
        pattern = cpdag([family.parents for family in self.structure.families], self._check_forbidden(forbidden))
        return Cpdag(self._name_edges(pattern.directed), self._name_edges(pattern.undirected))

    def equivalent_to(self, other: Self) -> bool:
        """Tell whether both graphs imply the same independencies (CSI-equivalence, Theorem 4)."""
        return self.difference_from(other) is None

    def difference_from(self, other: Self) -> GraphDifference | None:
        """Return None if the graphs are CSI-equivalent, and otherwise a context in which they differ."""
        theirs = self._align(other)
        if self.structure == theirs:
            return None
        self._check_labels_only(self.structure)
        self._check_labels_only(theirs)
        difference = compare_structures(self.structure, theirs)
        return None if difference is None else self._name_difference(difference)

    def equivalence_class(self, limit: int = 1000, *, forbidden: Iterable[Edge] = ()) -> EquivalenceClass[Self]:
        """Return the regular maximal graphs that say the same as this one, at most ``limit`` of them.

        Graphs with ``forbidden`` arrows (parent, child) are left out; this one must have none.
        """
        limit = check_whole(limit, "limit")
        same = equivalence_class(self.structure, limit, self._check_forbidden(forbidden))
        return EquivalenceClass(tuple(type(self)(self.schema, s) for s in same.members), same.is_complete)

    def essential_edges(self, *, forbidden: Iterable[Edge] = ()) -> frozenset[Edge]:
        """Return the edges that point the same way in every graph that says the same as this one.

        Graphs with ``forbidden`` arrows (parent, child) do not count; this one must have none.

        Examples
        --------
        >>> import ldag
        >>> chain = ldag.LDAG.from_edges([("a", "b"), ("b", "c")], states={name: [0, 1] for name in "abc"})
        >>> sorted(chain.essential_edges()), sorted(chain.essential_edges(forbidden=[("b", "a")]))
        ([], [('a', 'b'), ('b', 'c')])
        """
        directions = self.edge_directions(forbidden)
        if directions.undecided:
            raise GraphError("the graph is too large to decide which edges are essential")
        return directions.essential

    def edge_directions(self, forbidden: Iterable[Edge] = ()) -> EdgeDirections:
        """Return what is known of the directions of the edges; for the library itself.

        Nothing where trees tell classes of more configurations than could be compared.
        """
        if any(f.partition.as_tree() and f.partition.grid.size > MAX_LISTED for f in self.structure.families):
            return EdgeDirections(frozenset(), frozenset(), self._name_edges(self._regular_structure.edges))
        essential, undecided = map(self._name_edges, essential_edges(self.structure, self._check_forbidden(forbidden)))
        every = self._name_edges(self._regular_structure.edges)
        return EdgeDirections(essential, every - essential - undecided, undecided)

    def question(self, a: Names, b: Names, given: Names, context: Mapping[str, State] | None) -> Question:
        """Check the sides of a question and return them by number; for the library itself."""
        sides = {"a": check_names(a), "b": check_names(b), "given": check_names(given)}
        nodes = {side: self.schema.nodes(names, f"{side}: ") for side, names in sides.items()}
        fixed = self.schema.context(context, "context: ")
        for side in ("a", "b"):
            if not nodes[side]:
                raise ArgumentError(f"{side} must name at least one variable")
        check_disjoint(**sides, context=tuple(context or ()))
        return Question(frozenset(nodes["a"]), frozenset(nodes["b"]), frozenset(nodes["given"]), fixed)

    def _verdict(self, question: Question, budget: int) -> Verdict:
        structure = self._regular_structure
        kept = self._name_edges(structure.edges)
        left_out = tuple(edge for edge in self.edges if edge not in kept)
        return Verdict(self.schema, structure, decide(structure, question, budget), left_out)

    def _local(self) -> Iterator[Independence]:
        """Yield what each label entry states: the child is independent of the parent in that context."""
        for edge in self.maximal()._labelled:
            others = [name for name in self.parents(edge.child) if name != edge.parent]
            for context in edge.label:
                free = tuple(name for name in others if name not in context)
                yield Independence((edge.child,), (edge.parent,), free, context)

    def _pairwise(self, max_given: int, budget: int) -> Iterator[Independence]:
        """Yield the pairwise independencies with at most so many variables to condition on."""
        names = self.schema.names
        splits = {names[node] for node in label_variables(self.structure)}
        for a, b in combinations(names, 2):
            others = [name for name in names if name not in (a, b)]
            for size in range(max_given + 1):
                for chosen in combinations(others, size):
                    yield from self._in_contexts(a, b, chosen, [name for name in chosen if name in splits], budget)

    def _in_contexts(
        self, a: str, b: str, chosen: tuple[str, ...], splits: list[str], budget: int
    ) -> Iterator[Independence]:
        """Yield the most general statements about a and b given these variables, some of them fixed."""
        held: list[Mapping[str, State]] = []
        for size in range(len(splits) + 1):
            for fixed in combinations(splits, size):
                states = [self.schema[self.schema.node(name)].states for name in fixed]
                for values in product(*states):
                    context = dict(zip(fixed, values, strict=True))
                    if any(h.items() <= context.items() for h in held):
                        continue
                    given = tuple(name for name in chosen if name not in context)
                    if self.implies(a, b, given, context, budget=budget):
                        held.append(context)
                        yield Independence((a,), (b,), given, context)

    def _align(self, other: Graph) -> Structure:
        """Return another graph's structure in this one's order of variables and states."""
        if not isinstance(other, Graph):
            raise ArgumentError(f"expected another LDAG, got {other!r}")
        return align(self.schema, other.schema, other.structure).structure

    def _check_forbidden(self, forbidden: Iterable[Edge]) -> frozenset[tuple[int, int]]:
        """Return forbidden arrows by number."""
        own = set(self.structure.edges)
        checked = set()
        for parent, child in forbidden:
            arrow = self.schema.node(parent, "forbidden: "), self.schema.node(child, "forbidden: ")
            if arrow in own:
                raise ArgumentError(f"forbidden: the graph itself has the edge {parent} -> {child}")
            checked.add(arrow)
        return frozenset(checked)

    def _check_labels_only(self, structure: Structure) -> None:
        """Refuse classes that labels cannot express: the theorem does not cover them."""
        beyond = beyond_labels(structure)
        if beyond:
            names = ", ".join(repr(self.schema[node].name) for node in beyond)
            raise GraphError(f"equivalence is decided for labels only, and the classes of {names} go beyond labels")

    def _name_difference(self, difference: Difference) -> GraphDifference:
        return GraphDifference(
            difference.kind,
            tuple(self.schema[node].name for node in difference.nodes),
            self.schema.named(difference.context),
            self._name_edges(difference.first),
            self._name_edges(difference.second),
        )

    def _name_edges(self, edges: Iterable[tuple[int, int]]) -> frozenset[tuple[str, str]]:
        names = self.schema.names
        return frozenset((names[i], names[j]) for i, j in edges)
