"""How often what is learned is learned again from rows drawn anew: `bootstrap`, and `Bootstrap`, what it finds."""

import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple, Self, Unpack, get_args

from ldag.checks import Rng, check_choice, check_share, check_whole
from ldag.data import AnyTable, describe_data, describe_kept_gaps
from ldag.errors import counted
from ldag.formats import DocumentRecord, Edge, read_document, read_variables, write_document, write_variables
from ldag.graph import LDAG
from ldag.learning import Filler, Fit, LearnOptions, Progress, accept_old_names, check_progress
from ldag.model import CodedFamily, Grid, Partition, Schema, Structure
from ldag.uncertainty.agreement import Chance, EdgeChances, label_lines, strongest_first
from ldag.uncertainty.consensus import WeighedGraphs
from ldag.uncertainty.member_searches import Members, learn_members
from ldag.uncertainty.members import Prepared, prepare_members

Directions = Literal["cpdag", "essential", "dag"]
"""Which edges of a graph count for one direction only: see `bootstrap`."""


class DirectedGraph(NamedTuple):
    """A graph with those of its edges that point the way they do in every graph that says the same."""

    graph: LDAG
    firm: frozenset[Edge]


def direct_graph(graph: LDAG, directions: Directions, forbidden: Iterable[Edge] = ()) -> DirectedGraph:
    """Tell which edges are firm, where graphs with ``forbidden`` arrows do not count."""
    if directions == "dag":
        return DirectedGraph(graph, frozenset(graph.edges))
    if directions == "cpdag":
        return DirectedGraph(graph, graph.cpdag(forbidden=forbidden).directed)
    return DirectedGraph(graph, graph.edge_directions(forbidden).essential)


def average_firm(graphs: Iterable[tuple[DirectedGraph, int]]) -> dict[Edge, float]:
    """Return the share of graphs in which each arc is there and firm."""
    total: Counter[Edge] = Counter()
    n = 0
    for (_, firm), count in graphs:
        n += count
        total.update(dict.fromkeys(firm, count))
    return {edge: count / n for edge, count in total.items()}


def average_arcs(graphs: Iterable[tuple[DirectedGraph, int]]) -> dict[Edge, float]:
    """Return the share of graphs that have each arc; an edge that may point either way is half an arc each way."""
    total: dict[Edge, float] = {}
    n = 0
    for (graph, firm), count in graphs:
        n += count
        for edge in graph.edges:
            if edge in firm:
                total[edge] = total.get(edge, 0.0) + count
            else:
                for way in (edge, edge[::-1]):
                    total[way] = total.get(way, 0.0) + count / 2
    return {edge: count / n for edge, count in total.items()}


def significance_threshold(strengths: Iterable[float]) -> float:
    """Return the strength above which pairs count as joined (Scutari and Nagarajan 2013, by the L1 norm).

    If it were known who is joined, strengths would be 0 or 1, and their distribution function F a constant t between 0
    and 1. The t that is nearest to F in the L1 norm is a median of F over (0, 1), which is F(1/2) as F never falls; the
    threshold is the quantile of t: the largest strength that is not above one half, or 0 if there is none.

    Examples
    --------
    >>> significance_threshold([0.0, 0.1, 0.42, 0.9, 1.0])
    0.42
    """
    return max((strength for strength in strengths if strength <= 0.5), default=0.0)


SHOWN_STRENGTH = 0.05
"""Pairs that are joined more rarely are not listed when a bootstrap is printed."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Bootstrap(WeighedGraphs):
    """Graphs learned from rows drawn again, and how often they agree; made by `bootstrap`.

    ``graphs`` are the different graphs with how often each was learned, the most frequent first; ``arcs`` the share of
    every arc, an edge that may point either way being half an arc each way; ``firm`` the share of graphs that have an
    arc and determine its direction. ``n_asked`` searches were asked for; where some did not come to their end,
    ``notes`` says how many are left out.
    """

    graphs: tuple[tuple[LDAG, int], ...]
    arcs: Mapping[Edge, float]
    directions: Directions
    kappa: float | None
    method: str
    settings: Mapping[str, object]
    n_observations: float
    seconds: float
    n_asked: int
    firm: Mapping[Edge, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    groups: str | None = None
    """How many groups were drawn each time, in words; None: rows were."""

    @property
    def n(self) -> int:
        """How many graphs were learned."""
        return sum(count for _, count in self.graphs)

    @property
    def schema(self) -> Schema:  # type: ignore[override]  # that of the graphs
        """The variables by number; for the library itself."""
        return self.graphs[0][0].schema

    @cached_property
    def edges(self) -> EdgeChances:
        """Every ordered pair with strength and direction, the strongest first."""
        return strongest_first(self.schema.names, self.arcs, "How often each edge was learned again")

    @property
    def threshold(self) -> float:
        """The strength above which pairs count as joined, as bnlearn's ``inclusion.threshold`` chooses it."""
        return significance_threshold(edge.strength for edge in self.edges)

    def edge(self, parent: str, child: str) -> Chance:
        """Return the share of graphs with an edge; one that may point either way counts half for each direction."""
        self._pair(parent, child)
        return Chance(self.arcs.get((parent, child), 0.0))

    def strength(self, a: str, b: str) -> float:
        """Return the share of graphs in which two variables are joined."""
        return float(self.joined(a, b))

    def direction(self, parent: str, child: str) -> float:
        """Return how much of the strength of a pair counts for this direction; 0 if they are never joined."""
        strength = self.strength(parent, child)
        return self.arcs.get((parent, child), 0.0) / strength if strength else 0.0

    def determined(self, parent: str, child: str) -> float:
        """Return the share of graphs with an edge whose direction is determined, by ``directions``."""
        self._pair(parent, child)
        return self.firm.get((parent, child), 0.0)

    def consensus(self, threshold: float | None = None) -> LDAG:
        """Return one acyclic graph of the pairs that are stronger than a threshold; unless given, `threshold`.

        Directions are those of the majority, and where that would close a cycle the weaker edge is left out, as in
        bnlearn's ``averaged.network``; edges without a majority are directed so that no cycle arises. An edge has the
        labels that more than half of the graphs with that edge have.

        Examples
        --------
        >>> import ldag
        >>> boot = ldag.bootstrap(ldag.datasets.load("heart"), 20, equivalent_sample_size=1)
        >>> boot.consensus(0.9).edges
        (('physical', 'smoking'), ('mental', 'physical'))
        """
        limit = self.threshold if threshold is None else check_share(threshold, "threshold")
        return self._consensus_above(limit)

    def summary(self) -> dict[str, object]:
        """Return what is printed as plain values."""
        return {
            "n": self.n,
            "n_asked": self.n_asked,
            "notes": self.notes,
            "n_different": len(self.graphs),
            "kappa": self.kappa,
            "method": self.method,
            "directions": self.directions,
            "threshold": self.threshold,
            "edges": [
                {**edge.as_strength(), "determined": self.determined(edge.parent, edge.child)} for edge in self.edges
            ],
            "labels": [label.as_share() for label in self.labels()],
            "consensus": [list(edge) for edge in self.consensus().edges],
            "seconds": self.seconds,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, which `load` can read once they are written as JSON."""
        numbered = dict.fromkeys(one for graph, _ in self.graphs for one in enumerate(graph.structure.families))
        families = {family: place for place, family in enumerate(numbered)}
        return {
            "format": "ldag bootstrap",
            "version": 1,
            "variables": write_variables(self.schema),
            "n": self.n,
            "n_asked": self.n_asked,
            "notes": list(self.notes),
            "n_observations": self.n_observations,
            **({} if self.groups is None else {"groups": self.groups}),
            "directions": self.directions,
            "kappa": self.kappa,
            "method": self.method,
            "settings": dict(self.settings),
            "seconds": self.seconds,
            "threshold": self.threshold,
            "arcs": [
                {"from": a, "to": b, "share": share, "determined": self.firm.get((a, b), 0.0)}
                for (a, b), share in sorted(self.arcs.items())
            ],
            "families": [
                {"node": node, "parents": list(f.parents), "classes": f.partition.to_array().tolist()}
                for node, f in families
            ],
            "graphs": [
                {"count": count, "families": [families[one] for one in enumerate(graph.structure.families)]}
                for graph, count in self.graphs
            ],
        }

    def _save_file(self, path: str | os.PathLike[str]) -> None:
        write_document(DocumentRecord("bootstrap", self.to_dict()), path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file that `save` wrote."""
        return read_document(path, "bootstrap", cls.from_dict)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Read what `to_dict` returns."""
        return cls(**_fields(content))

    def __repr__(self) -> str:
        return f"<Bootstrap: {counted(self.n, 'graph')} of {counted(len(self.schema), 'variable')}>"

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        """Go through the lines of the printed form."""
        most = self.graphs[0][1]
        priced = "" if self.kappa is None else f", kappa {self.kappa:g}"
        rows = counted(self.n_observations, "row")
        drawn = rows if self.groups is None else f"{self.groups} with all their rows, {rows},"
        graphs, variables = counted(self.n, "graph"), counted(len(self.schema), "variable")
        yield f"Bootstrap of {graphs} of {variables}, each from {drawn} drawn again"
        yield f"method: {self.method}{priced}, {self.seconds:.2f} s; directions: {self.directions}"
        yield from (f"note: {note}" for note in self.notes)
        yield f"{counted(len(self.graphs), 'different graph')}, the commonest {most} of {self.n} times"
        pairs = [edge for edge in self.edges.one_per_pair() if edge.strength >= SHOWN_STRENGTH]
        width = max(len(f"{edge.parent} -> {edge.child}") for edge in pairs) if pairs else 0
        if pairs:
            yield f"{'edges':<{width + 2}}  strength  direction  determined"
        for edge in pairs:
            mark = "" if edge.strength > self.threshold + 1e-12 else "  not significant"
            sure = self.determined(edge.parent, edge.child)
            arrow = "->" if 2 * sure > edge.strength + 1e-12 else "-"
            numbers = f"{edge.strength:8.2f}  {edge.direction:9.2f}  {sure:10.2f}"
            yield f"  {f'{edge.parent} {arrow} {edge.child}':<{width}}  {numbers}{mark}"
        if any(2 * self.determined(edge.parent, edge.child) <= edge.strength + 1e-12 for edge in pairs):
            yield 'a "-" has no direction: most graphs with that edge leave it open'
        yield f"significant: strength above {self.threshold:g}"
        yield from label_lines("labels: share of graphs, and of those with the edge", self.labels(), self.variables)

    @property
    def _weighed(self) -> tuple[tuple[LDAG, int], ...]:
        return self.graphs

    @property
    def _total_weight(self) -> float:
        return self.n


def _fields(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a bootstrap."""
    schema = read_variables(content["variables"])
    families = []
    for f in content["families"]:
        grid = Grid(tuple(schema.n_states[parent] for parent in f["parents"]))
        families.append(CodedFamily.from_partition(tuple(f["parents"]), Partition.of(grid, f["classes"])))
    graphs = tuple(
        (LDAG(schema, Structure(schema.n_states, tuple(families[place] for place in one["families"]))), one["count"])
        for one in content["graphs"]
    )
    if content["directions"] not in get_args(Directions) or not graphs:
        raise ValueError(content["directions"])
    arcs = {(arc["from"], arc["to"]): arc["share"] for arc in content["arcs"]}
    firm = {(arc["from"], arc["to"]): arc["determined"] for arc in content["arcs"] if arc.get("determined")}
    same = ("directions", "kappa", "method", "settings", "n_observations", "seconds")
    n_asked = content.get("n_asked", sum(count for _, count in graphs))  # older files have all that were asked for
    told = {"n_asked": n_asked, "notes": tuple(content.get("notes", ())), "groups": content.get("groups")}
    return {"graphs": graphs, "arcs": arcs, "firm": firm, **told, **{name: content[name] for name in same}}


@accept_old_names
def bootstrap(
    data: "AnyTable | Fit",
    n: int = 200,
    *,
    directions: Directions = "cpdag",
    rng: Rng = None,
    progress: Progress = None,
    executor: Executor | None = None,
    **options: Unpack[LearnOptions],
) -> Bootstrap:
    """Learn from rows drawn again and again with replacement, and count how often edges and labels return.

    Where rows belong together, groups are drawn, each with all its rows.

    Parameters
    ----------
    data
        The data, or a fit, whose data and settings are then used.
    n
        How many times as many rows (or groups) as there are are drawn, and a graph is learned.
    directions
        "cpdag": an edge that a Markov equivalent DAG has the other way round counts half for each direction, as in
        bnlearn's ``boot.strength``. "essential": the same with labels, which make more directions certain. "dag": edges
        count as the search returns them, though it may have had no reason to prefer a direction. Only graphs count that
        the constraints allow, so that what tiers and required edges imply has a direction.
    rng
        Seed of everything that is random; None is 0.
    progress
        As in `learn`.
    executor
        Where the searches run, instead of threads of this process.
    **options
        The settings of `learn`, and for a table that is no `Dataset` those of `read`.
        What is left to cross-validation is chosen once, on all the data; an equivalent sample size that was chosen is
        made at most a 25th of the rows, as what is drawn twice looks like dependence. A time limit is for all searches
        together. Searches that did not come to their end by then, or when Ctrl-C was pressed, are
        left out, and ``notes`` says so; a climb ends with fewer restarts, at a graph that no single edge improves.

    Examples
    --------
    >>> import ldag
    >>> boot = ldag.bootstrap(ldag.datasets.load("heart"), 20, equivalent_sample_size=1)
    >>> boot.strength("mental", "physical")
    1.0
    """
    began = time.perf_counter()
    check_whole(n, "n")
    check_choice(directions, get_args(Directions), "directions")
    check_progress(progress)
    prepared, told = prepare_members(data, rng, progress, executor, options, resamples=True).with_smaller_size()
    prepared = prepared.start_from(data if isinstance(data, Fit) else None)
    imputer = prepared.make_imputer(data, always=False)
    members = Members(prepared.plan, resamples=True, reorders=False, imputer=imputer)
    if isinstance(imputer, Filler):
        told.append(f"{imputer.in_words()}; each graph has draws of its own")
    space, schema = prepared.plan.problem.space, prepared.plan.data.schema

    def make(structure: Structure, number: int) -> DirectedGraph:
        del number
        forbidden = [(schema[i].name, schema[j].name) for i, j in space.ruled_out(structure)]
        return direct_graph(prepared.graph_of(structure), directions, forbidden)

    learned, notes = learn_members(members, n, "bootstrap", make, prepared.deadline, progress, executor)
    graphs = Counter(learned).most_common()
    return Bootstrap(
        graphs=tuple((directed.graph, count) for directed, count in graphs),
        arcs=average_arcs(graphs),
        firm=average_firm(graphs),
        directions=directions,
        kappa=prepared.kappa if prepared.plan.settings.has_kappa else None,
        method=prepared.plan.search.name,
        settings=_plain_settings(prepared),
        n_asked=n,
        notes=(*describe_kept_gaps(prepared.data), *describe_data(prepared.data), *told, *notes),
        n_observations=prepared.data.total,
        groups=prepared.groups_in_words,
        seconds=time.perf_counter() - began,
    )


def _plain_settings(prepared: Prepared) -> dict[str, object]:
    """Return the settings that were used, as plain values."""
    settings = prepared.plan.settings.to_dict()
    return {name: value for name, value in settings.items() if value is not None and name != "n_jobs"}
