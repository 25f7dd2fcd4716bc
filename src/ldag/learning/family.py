"""The best labels of one node for given parents, and of a given graph, in names: `learn_family`, `learn_labels`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any, Literal, Unpack, cast, get_args

import numpy as np

from ldag import _native
from ldag.checks import Rng, check_choice, check_seed, check_whole
from ldag.data import GAP, AnyTable, Dataset, Reading, check_data
from ldag.errors import ArgumentError, DataError, TooLarge, argument, by_door, option
from ldag.formats import Context, EdgeRecord, FamilyScores, edge_in_words
from ldag.graph import LDAG, NamedPartition, label_contexts, name_given, spell_size, take_states
from ldag.hook import Printable
from ldag.learning.family_growth import GROWTH, GrowthAndReading, check_growth, grow_family
from ldag.learning.family_tree import FamilyTree
from ldag.learning.settings import accept_old_names
from ldag.learning.structural_em import learn_gaps
from ldag.learning.structures import (
    STRUCTURES,
    BestPartition,
    FamilyOptions,
    LabelSearch,
    StructureKind,
    best_partition,
    order_of_states,
    prior_of,
)
from ldag.model import CodedFamily, Counts, Grid, Partition, Schema, State, Variable
from ldag.scoring import Prior, check_priors


@dataclass(frozen=True)
class Gain:
    """One step of a greedy search: the entry of a parent's label that was bought, and for how much.

    In the structures that are not made of labels, ``parent`` is None and ``context`` is empty.
    """

    parent: str | None
    context: Context
    classes_lost: int
    gain: float


@dataclass(frozen=True, repr=False)
class Family(Printable):
    """A node with its parents and the best partition found.

    ``is_exact`` says that no allowed partition has a better score (proven). Where the data ``has_gaps``, the score is
    that of expected counts, which is no bound and proves nothing.
    """

    node: str
    gains: tuple[Gain, ...]
    log_marginal_likelihood: float
    log_prior: float
    equivalent_sample_size: float
    is_exact: bool
    _variables: tuple[Variable, ...]
    _classes: Partition
    has_gaps: bool = False
    tree: FamilyTree | None = None
    """The tree that was grown, if parents were looked for."""

    @property
    def parents(self) -> tuple[str, ...]:
        """The parents, in the order of the data."""
        return tuple(variable.name for variable in self._variables[:-1])

    @cached_property
    def partition(self) -> NamedPartition:
        """The classes: a number for every configuration of the parents."""
        return NamedPartition(self.parents, tuple(self._classes.to_array().tolist()))

    @cached_property
    def labels(self) -> Mapping[str, frozenset[tuple[State, ...]]]:
        """For each parent, the configurations of the others (in order) in which its edge vanishes."""
        return _labels(Schema(self._variables), tuple(range(len(self.parents))), self._classes)

    @property
    def score(self) -> float:
        """Log marginal likelihood plus log prior."""
        return self.log_marginal_likelihood + self.log_prior

    def labels_in_words(self) -> tuple[str, ...]:
        """Return what each label says."""
        return self._sentences

    @cached_property
    def _sentences(self) -> tuple[str, ...]:
        """What the labels say, found when somebody asks: labels of many configurations take longer than the search."""
        schema = Schema(self._variables)
        *above, child = range(len(schema))
        return _say_labels(schema, child, tuple(above), self._classes)

    def __str__(self) -> str:
        given = name_given("", self.parents)
        classes = f"{self._classes.n_classes} classes of {spell_size(self._classes.grid.size)} configurations"
        proven = ", proven best" if self.is_exact else ""
        gaps = ", at expected counts: the data have gaps" if self.has_gaps else ""
        score = f"score {self.score:.2f} (sample size {self.equivalent_sample_size:g}{gaps})"
        return "\n".join([f"{self.node}{given}: {score}, {classes}{proven}", *self._sentences])


@accept_old_names
def learn_family(  # noqa: PLR0913 - every choice of a family is named here, once
    data: AnyTable,
    node: str,
    *,
    parents: Iterable[str] | None = None,
    candidates: Iterable[str] | Literal["all"] | None = None,
    kappa: float | None = None,
    structure: StructureKind = "ldag",
    label_search: LabelSearch = "greedy",
    equivalent_sample_size: float = 1.0,
    prior: Prior = "labels",
    rng: Rng = None,
    **more: Unpack[GrowthAndReading],
) -> Family:
    """Find the best labels of a node's edges from given parents, or grow a tree that asks about candidates.

    Where cells are missing, expected counts are taken, by structural EM over these variables alone.

    Parameters
    ----------
    data
        The data.
    node, parents
        The node and its parents; every parent keeps mattering somewhere (the result is regular).
    candidates
        Instead of parents: variables that questions may be about, or "all". With ``structure="tree"``, a tree is grown
        from the rows, the best question first as long as one gains; there may be any number of parents.
    kappa, equivalent_sample_size, prior
        As in `score`; tables have no labels to pay for, so they need no kappa. The prior "normalised" is for the
        structures "ldag" and "table", and "leaves" for "tree". Candidates take "parameters", "leaves", "uniform" and
        "nested": so many observations to every leaf, spread as the states of the node above it are.
    structure
        Which classes are allowed: "table" (none joined), "tree" (leaves of a CPT-tree), "ldag" (joined by labels),
        "partial" (joined by pairs of neighbours: states of one parent that act alike in a context), "graph" (any).
    label_search
        "greedy" (Algorithm 1 of the paper), "refined" (then improved by splits, moves, merges and restarts), or "exact"
        (the optimum, up to 16 configurations; larger grids are refined, and ``is_exact`` says so).
    rng
        Seed of the restarts of "refined" and "exact"; None is 0.
    splits, levels, choice_price, max_leaves, max_parents
        With candidates: as in `Grow`; by itself a leaf splits in two, nothing pays for the choice, and nothing is
        limited.
    **more
        How a table that is no `Dataset` is read: the options of `read`.

    Examples
    --------
    >>> import ldag
    >>> heart = ldag.datasets.load("heart")
    >>> family = ldag.learn_family(heart, "pressure", parents=["smoking", "protein"], kappa=0.1)
    >>> print(*family.labels_in_words(), sep="; ")
    smoking does not matter for pressure when protein is >3; protein does not matter for pressure when smoking is no
    """
    growth: dict[str, Any] = {name: more.pop(name) for name in GROWTH if name in more}  # type: ignore[misc]
    data = check_data(data, reading=cast("Reading", more))
    schema = data.schema
    if (parents is None) == (candidates is None):
        raise ArgumentError(f"give either {argument('parents')} or {argument('candidates')}, one of both")
    if growth and candidates is None:
        raise ArgumentError(f"{argument(next(iter(growth)))} applies to {argument('candidates')}, not to given parents")
    if candidates is not None:
        options = check_growth(schema, kappa, structure, label_search, equivalent_sample_size, prior, rng)
        return _grow(data, node, candidates, options, growth)
    assert parents is not None
    child, above = _check_nodes(schema, node, parents)
    options = _check_options(schema, kappa, structure, label_search, equivalent_sample_size, prior, rng)
    best, has_gaps = _find_best(data, child, above, options), _has_gaps(data, child, above)
    return Family(
        node,
        tuple(_gains(schema, above, best.partition.grid, structure, best.steps)),
        best.log_marginal_likelihood,
        options.priors.log_prior(schema[child].n_states, best.partition.grid, best.partition.n_classes),
        options.priors.equivalent_sample_size,
        best.is_exact and not has_gaps,
        tuple(schema[number] for number in (*above, child)),
        best.partition,
        has_gaps,
    )


def learn_labels(
    graph: LDAG,
    data: AnyTable,
    *,
    kappa: float | None = None,
    structure: StructureKind = "ldag",
    label_search: LabelSearch = "greedy",
    equivalent_sample_size: float = 1.0,
    prior: Prior = "labels",
    rng: Rng = None,
    **reading: Unpack[Reading],
) -> LDAG:
    """Return a graph with the best labels found on its edges; all edges stay, and labels they had are given up.

    Where cells are missing, by structural EM with these edges.

    Parameters
    ----------
    graph
        The graph; variables that were written without states have those of the data.
    data
        The data.
    kappa, structure, label_search, equivalent_sample_size, prior, rng
        As in `learn_family`.
    **reading
        How a table that is no `Dataset` is read: the options of `read`, but those on columns, which the graph knows.

    Examples
    --------
    >>> import ldag
    >>> heart = ldag.datasets.load("heart")
    >>> edges = [("smoking", "pressure"), ("protein", "pressure")]
    >>> dag = ldag.LDAG.from_edges(edges, states={variable.name: variable for variable in heart.variables})
    >>> print(*ldag.learn_labels(dag, heart, kappa=0.1).labels_in_words(), sep="; ")
    smoking does not matter for pressure when protein is >3; protein does not matter for pressure when smoking is no
    """
    graph, data = take_states(graph, data, reading)
    schema = data.schema
    options = _check_options(schema, kappa, structure, label_search, equivalent_sample_size, prior, rng)
    partitions = {}
    nodes = [_check_nodes(schema, name, graph.parents(name)) for name in schema.names]
    learned = learn_gaps(data, [above for _, above in nodes], options) if data.has_gaps else None
    for name in graph.schema.names:
        child, above = nodes[schema.node(name)]
        best = _find_best(data, child, above, options) if learned is None else learned[child].family
        partitions[name] = _name_partition(schema, above, best.partition)
    return LDAG.from_partitions(partitions, states={variable.name: variable for variable in graph.variables})


def _grow(
    data: Dataset, node: str, candidates: Iterable[str], options: FamilyOptions, growth: Mapping[str, Any]
) -> Family:
    """Return the family of a node whose tree is grown."""
    schema = data.schema
    child = schema.node(node, "node: ")
    if candidates != "all":  # gaps of other variables make no difference
        own = _check_nodes(schema, node, candidates, "candidates")[1]
        data = data.select([schema[v].name for v in sorted((child, *own))])
        schema, child = data.schema, data.schema.node(node)
        options = replace(options, ordered=tuple(variable.ordered for variable in schema))
    every = [v for v in range(len(schema)) if v != child]
    grown, family, tree = grow_family(data, child, every, options, growth)
    return Family(
        node,
        tuple(Gain(None, {}, -1, gain) for gain in grown.gains),
        grown.log_marginal_likelihood,
        grown.log_prior,
        options.priors.equivalent_sample_size,
        False,
        tuple(schema[number] for number in (*family.parents, child)),
        family.partition,
        tree=tree,
    )


def _check_nodes(
    schema: Schema, node: str, parents: Iterable[str], what: str = "parents"
) -> tuple[int, tuple[int, ...]]:
    """Return the node and its parents, ascending."""
    child = schema.node(node, "node: ")
    above = schema.nodes(parents, f"{what}: ")
    if child in above:
        raise ArgumentError(f"{what}: {node!r} cannot be its own parent")
    return child, tuple(sorted(above))


def _check_options(
    schema: Schema,
    kappa: float | None,
    structure: StructureKind,
    label_search: LabelSearch,
    equivalent_sample_size: float,
    prior: Prior,
    rng: Rng = None,
) -> FamilyOptions:
    """Return how families are optimised; the greedy search has no restarts that a seed could be for."""
    check_choice(structure, tuple(STRUCTURES), "structure")
    if prior == "nested":
        raise ArgumentError(
            f"prior 'nested' is for trees that are grown: leaves lean on the nodes above; give {argument('candidates')}"
        )
    prior = prior_of(structure, prior)
    if kappa is None and prior == "labels" and STRUCTURES[structure].is_table:
        kappa = 1.0  # it makes no difference: there are no labels to pay for
    priors = check_priors(kappa, equivalent_sample_size, prior)
    check_choice(label_search, get_args(LabelSearch), "label_search")
    if rng is not None and label_search == "greedy":
        raise ArgumentError(
            f"{argument('rng')} applies to {option('label_search', 'refined')} and 'exact'; the greedy search has no"
            " chance in it"
        )
    return FamilyOptions(priors, structure, label_search, check_seed(rng), (), order_of_states(structure, schema))


def _find_best(data: Dataset, child: int, above: tuple[int, ...], options: FamilyOptions) -> BestPartition:
    """Count a family and find its best partition; gaps are filled by what is to be expected."""
    grid = Grid(tuple(data.schema[parent].n_states for parent in above))
    names = data.schema.names
    if _has_gaps(data, child, above):
        counts = _expect_counts(data.select([names[node] for node in (*above, child)]), options)
    else:
        counts = data.counts(names[child], [names[parent] for parent in above]).astype(np.float64)
    return best_partition(counts, grid, options, ordered=options.order_of(above))


def _has_gaps(data: Dataset, child: int, above: tuple[int, ...]) -> bool:
    """Whether a cell of a family is missing."""
    return bool((data.codes[[child, *above]] == GAP).any())


def _expect_counts(data: Dataset, options: FamilyOptions) -> Counts:
    """Return the expected counts of the last variable given all others, which each depend on all before them."""
    every = [tuple(range(node)) for node in range(len(data.schema))]
    own = replace(options, ordered=order_of_states(options.structure, data.schema))
    return learn_gaps(data, every, own)[-1].counts


def _name_partition(schema: Schema, above: tuple[int, ...], partition: Partition) -> NamedPartition:
    return NamedPartition(tuple(schema[parent].name for parent in above), tuple(partition.to_array().tolist()))


def _labels(schema: Schema, above: tuple[int, ...], partition: Partition) -> dict[str, frozenset[tuple[State, ...]]]:
    """Return the maximal labels by parent."""
    labels = {}
    for axis, parent in enumerate(above):
        others = [schema[p] for p in above if p != parent]
        grid = partition.grid.without(axis)
        entries = (grid.configuration(cell) for cell in np.flatnonzero(partition.labels[axis]).tolist())
        labels[schema[parent].name] = frozenset(
            tuple(v.states[code] for v, code in zip(others, codes, strict=True)) for codes in entries
        )
    return labels


def _gains(
    schema: Schema, above: tuple[int, ...], grid: Grid, structure: StructureKind, steps: "_native.Steps"
) -> Iterable[Gain]:
    """Return the steps of a greedy search in names."""
    for axis, line, classes_lost, gain in zip(*(column.tolist() for column in steps), strict=True):
        if not STRUCTURES[structure].has_label_steps or axis < 0:
            yield Gain(None, {}, classes_lost, gain)
            continue
        others = [schema[p] for p in above if p != above[axis]]
        codes = grid.without(axis).configuration(line)
        context = {v.name: v.states[code] for v, code in zip(others, codes, strict=True)}
        yield Gain(schema[above[axis]].name, context, classes_lost, gain)


def _say_labels(schema: Schema, child: int, above: tuple[int, ...], partition: Partition) -> tuple[str, ...]:
    """Return the labels in words."""
    sentences = []
    family = CodedFamily.from_partition(above, partition)
    for axis, parent in enumerate(above):
        label = label_contexts(schema, family, axis)
        if label:
            sentences.append(
                edge_in_words(EdgeRecord(schema[parent].name, schema[child].name, label), schema.variables)
            )
    return tuple(sentences)


MAX_FAMILIES = 1_000_000
"""Families that are scored at most; more would take hours."""


@accept_old_names
def family_scores(
    data: AnyTable,
    *,
    max_parents: int = 3,
    kappa: float | None = None,
    structure: StructureKind = "ldag",
    label_search: LabelSearch = "greedy",
    equivalent_sample_size: float = 1.0,
    prior: Prior = "labels",
    prune: bool = True,
    **reading: Unpack[Reading],
) -> FamilyScores:
    """Return the best score of every family with at most so many parents.

    Parameters
    ----------
    data
        The data.
    max_parents
        Parents of a node at most.
    kappa, structure, label_search, equivalent_sample_size, prior
        As in `learn_family`.
    prune
        Leave out a set of parents that scores no better than one of its subsets: no best graph needs it.
    **reading
        How a table that is no `Dataset` is read: the options of `read`.

    Examples
    --------
    >>> import ldag
    >>> scores = ldag.family_scores(ldag.datasets.load("heart"), kappa=0.1, max_parents=1)
    >>> sorted(scores.families["pressure"])
    [(), ('protein',), ('smoking',)]
    """
    data = check_data(data, reading=reading)
    most = min(check_whole(max_parents, "max_parents", 0), len(data.names) - 1)
    n_families = len(data.names) * sum(comb(len(data.names) - 1, size) for size in range(most + 1))
    if n_families > MAX_FAMILIES:
        raise TooLarge(
            f"{len(data.names)} variables with at most {most} parents have {n_families:,} families; at most"
            f" {MAX_FAMILIES:,} are scored, so give a smaller {argument('max_parents')}"
        )
    if data.has_gaps:
        how = by_door(
            "ldag.learn learns a graph from them, ldag.score bounds the score of one, and complete_rows() leaves out",
            f"`ldag learn` learns a graph from them, `ldag score` bounds the score of one, and"
            f" {option('missing', 'drop')} leaves out",
        )
        raise DataError(
            f"these data have gaps, and scores of families with gaps depend on the graph; {how} the rows with gaps"
        )
    options = _check_options(data.schema, kappa, structure, label_search, equivalent_sample_size, prior)
    families = {}
    for child, node in enumerate(data.names):
        others = [name for name in data.names if name != node]
        scores: dict[tuple[str, ...], float] = {}
        best: dict[tuple[str, ...], float] = {}
        for parents in (parents for size in range(most + 1) for parents in combinations(others, size)):
            learned = _find_best(data, child, data.schema.nodes(parents), options)
            grid, n_classes = learned.partition.grid, learned.partition.n_classes
            log_prior = options.priors.log_prior(data.schema[child].n_states, grid, n_classes)
            score = learned.log_marginal_likelihood + log_prior
            smaller = combinations(parents, len(parents) - 1) if parents else ()
            below = max((best[subset] for subset in smaller), default=-float("inf"))
            best[parents] = max(score, below)
            if score > below or not prune:
                scores[parents] = score
        families[node] = scores
    return FamilyScores(families)
