"""Between stratified graphs and labelled DAGs, as records: a perfect orientation, or why there is none, and back."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from ldag.drawing import Drawable
from ldag.errors import GraphError, UnknownVariable, list_names, say_decomposable
from ldag.formats import Edge, EdgeRecord, GraphRecord, StratumRecord, UndirectedRecord, say_twice
from ldag.graph.records import label_contexts, record_of
from ldag.model import Schema, Structure, Variable
from ldag.reasoning import (
    Neighbours,
    Scopes,
    find_chordless_cycle,
    find_immorality,
    find_perfect_order,
    is_clique,
    neighbours_of,
    orient,
    why_not_last,
)

MOST_REASONS = 4
"""Variables for which an error says why they cannot come last."""


class Strata:
    """The edges and strata of a record by the numbers of its variables, checked."""

    def __init__(self, record: UndirectedRecord) -> None:
        if not record.variables:
            raise GraphError("no variables; a graph has at least one")
        self.record = record
        self.names = [variable.name for variable in record.variables]
        self._nodes: dict[str, int] = {}
        for variable in record.variables:
            if variable.name in self._nodes:
                raise say_twice(f"variable {variable.name!r}", variable.where, "")
            if variable.latent:
                raise GraphError(
                    f"{variable.where}{variable.name!r} is latent; a stratified graph has no such variables"
                )
            self._nodes[variable.name] = len(self._nodes)
        self.edges: dict[frozenset[int], StratumRecord] = {}
        for edge in record.edges:
            pair = frozenset(self._node(name, edge.where) for name in (edge.first, edge.second))
            if len(pair) == 1:
                raise GraphError(f"{edge.where}an edge joins two variables, got {edge.first!r} twice")
            if pair in self.edges:
                raise say_twice(f"the edge {edge.first!r} - {edge.second!r}", edge.where, self.edges[pair].where)
            self.edges[pair] = edge
        self.neighbours: Neighbours = neighbours_of(len(self.names), self.edges)
        self._check_chordal()
        self.scopes: Scopes = {pair: self._scope(pair, edge) for pair, edge in self.edges.items() if edge.contexts}

    def orient(self, first: str | None = None) -> GraphRecord:
        """Return the graph with arrows along a perfect order, in which every stratum is a label."""
        root = None if first is None else self._node(first, "root: ")
        by_name = sorted(range(len(self.names)), key=self.names.__getitem__)
        rank = [by_name.index(node) for node in range(len(by_name))]
        order = find_perfect_order(self.neighbours, self.scopes, root, rank)
        if order.stuck and first is not None and not find_perfect_order(self.neighbours, self.scopes).stuck:
            others = [name for name in self.names if self._may_be_first(name)]
            raise GraphError(
                f"root: no perfect order that realises the strata begins with {first!r}; expected one of"
                f" {list_names(others, 8)}"
            )
        if order.stuck:
            raise GraphError(self._explain(order.stuck))
        edges = []
        for child, above in enumerate(orient(self.neighbours, order.nodes)):
            for parent in above:
                edge = self.edges[frozenset((parent, child))]
                edges.append(EdgeRecord(self.names[parent], self.names[child], edge.contexts, edge.where, edge.starred))
        return GraphRecord(self.record.variables, tuple(edges))

    def _may_be_first(self, name: str) -> bool:
        return not find_perfect_order(self.neighbours, self.scopes, self._nodes[name]).stuck

    def _node(self, name: str, where: str) -> int:
        if name not in self._nodes:
            raise UnknownVariable(name, self._nodes, where)
        return self._nodes[name]

    def _check_chordal(self) -> None:
        stuck = find_perfect_order(self.neighbours).stuck
        if not stuck:
            return
        cycle = [self.names[node] for node in find_chordless_cycle(self.neighbours, stuck)]
        raise GraphError(
            f"the graph is not chordal: {' - '.join([*cycle, cycle[0]])} has no edge across; add one, such as"
            f" {cycle[0]} - {cycle[2]}, or leave an edge out"
        )

    def _scope(self, pair: frozenset[int], edge: StratumRecord) -> frozenset[int]:
        """Return the common neighbours that a stratum is about, after checking what it names."""
        a, b = pair
        common = self.neighbours[a] & self.neighbours[b]
        what = f"{edge.where}the stratum of {edge.first} - {edge.second}"
        if not common:
            raise GraphError(f"{what} cannot be: no variable is a neighbour of both, so it can be absent in no context")
        left_out = frozenset(self._node(name, f"{what}: ") for name in edge.without)
        scope = common - left_out
        for nodes, allowed in ((left_out, common), (self._named(edge, what), scope)):
            for node in sorted(nodes - allowed):
                is_left_out = " that it is about" if node in left_out & common else ""
                raise GraphError(
                    f"{what} names {self.names[node]!r}, which is not a neighbour of both{is_left_out}; expected:"
                    f" {self._list(allowed)}"
                )
        if any(not context for context in edge.contexts):
            raise GraphError(f"{what} is all there is: then {edge.first} and {edge.second} have no edge; leave it out")
        return scope

    def _named(self, edge: StratumRecord, what: str) -> frozenset[int]:
        names = {name for context in edge.contexts for name in context} | edge.starred
        return frozenset(self._node(name, f"{what}: ") for name in names)

    def _list(self, nodes: Iterable[int]) -> str:
        return ", ".join(self.names[node] for node in sorted(nodes)) or "none"

    def _spell(self, pair: frozenset[int]) -> str:
        return f"{self.edges[pair].first} - {self.edges[pair].second}"

    def _explain(self, stuck: frozenset[int]) -> str:
        """Say why no perfect order realises the strata of some nodes."""
        inside = [pair for pair in self.scopes if pair <= stuck]
        for pair in inside:
            clash = next(
                (c for c in combinations(sorted(self.scopes[pair]), 2) if not is_clique(self.neighbours, c)), None
            )
            if clash is not None:
                a, b = (self.names[node] for node in clash)
                return (
                    f"the stratum of {self._spell(pair)} is about {a} and {b}, which are not neighbours: the edge lies"
                    f" in two cliques; say about which it is: {self._spell(pair)} without {b} : ..."
                )
        for one, other in combinations(inside, 2):
            if not one & other and one <= self.scopes[other] and other <= self.scopes[one]:
                return (
                    f"the strata of {self._spell(one)} and {self._spell(other)} overlap: the edges of one clique that"
                    " have strata must share a variable, which comes last there; leave one of the strata out"
                )
        reasons = []
        for node in sorted(stuck):
            why = why_not_last(self.neighbours, self.scopes, stuck, node)
            if why is not None and why[0] in self.scopes:
                reasons.append(f"{self.names[node]} because of {' and '.join(map(self._spell, why[:2]))}")
        return (
            f"the strata of {', '.join(map(self._spell, inside))} do not fit together: in every perfect order, one"
            " end of each of these edges must come after all that its stratum is about; no variable can come last"
            " here, "
            + ", ".join(reasons[:MOST_REASONS])
            + (", ..." if len(reasons) > MOST_REASONS else "")
            + "; leave one of the strata out"
        )


def undirect(schema: Schema, structure: Structure) -> UndirectedRecord:
    """Return a perfect labelled DAG without its arrows; refuse what has an immorality, naming it."""
    parents = [family.parents for family in structure.families]
    immorality = find_immorality(parents)
    if immorality is not None:
        i, j, k = (schema[node].name for node in immorality)
        raise GraphError(
            f"the graph is not perfect: {i} -> {j} <- {k} are two parents without an edge between them, which no"
            f" graph without arrows can say; add that edge, learn with {say_decomposable()}, or take moral_graph()"
        )
    if schema.latent:
        raise GraphError(f"{schema.latent[0]!r} is latent; a stratified graph has no such variables")
    neighbours = neighbours_of(len(schema), structure.edges)
    edges = []
    for first, second in sorted((min(edge), max(edge)) for edge in structure.edges):
        parent, child = (first, second) if first in structure.parents(second) else (second, first)
        family = structure.families[child]
        contexts = tuple(label_contexts(schema, family, family.parents.index(parent)))
        later = (neighbours[first] & neighbours[second]) - set(family.parents)
        without = tuple(schema[node].name for node in sorted(later)) if contexts else ()
        edges.append(StratumRecord(schema[first].name, schema[second].name, contexts, without))
    return UndirectedRecord(tuple(map(record_of, schema)), tuple(edges))


@dataclass(frozen=True)
class MoralGraph(Drawable):
    """Edges without arrows between variables; those that were added join two parents of a child.

    Whatever this graph separates is independent; the graph it came from may say more.
    """

    variables: tuple[Variable, ...]
    edges: tuple[Edge, ...]
    added: tuple[Edge, ...]

    def to_text(self) -> str:
        """Return the edges, one per line."""
        return "".join(f"{a} - {b}\n" for a, b in sorted((*self.edges, *self.added)))


def moralise(schema: Schema, structure: Structure) -> MoralGraph:
    """Return the edges without arrows, and those between parents of a common child that had none."""
    own = {(min(edge), max(edge)) for edge in structure.edges}
    together = (combinations(family.parents, 2) for family in structure.families)
    married = {pair for pairs in together for pair in pairs} - own

    def name(edges: Iterable[tuple[int, int]]) -> tuple[Edge, ...]:
        return tuple((schema[a].name, schema[b].name) for a, b in sorted(edges))

    return MoralGraph(schema.variables, name(own), name(married))
