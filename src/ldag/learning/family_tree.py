"""The tree of one node, grown from rows, in names: its questions in the order they were asked, and its leaves."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import inf, log
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldag.checks import Rng, check_choice, check_mapping, check_whole, is_number
from ldag.constraints import SearchSpace
from ldag.data import Dataset, Reading
from ldag.errors import ArgumentError, DataError, UnknownVariable, argument, by_door, counted, option
from ldag.formats import Context, conditions, spell_share
from ldag.hook import Printable
from ldag.learning.grown import GrownTree
from ldag.learning.searches import SearchControl, SearchProblem
from ldag.learning.searches.grow import Grow, Splits
from ldag.learning.structures import STRUCTURES, FamilyOptions, LabelSearch, StructureKind
from ldag.model import CodedFamily, CodedTree, Schema, Smoothing, State, average_prunings, lean_on_above, normalise
from ldag.scoring import Prior, check_priors

NamedStates = tuple[State, ...]

LeafEstimate = Literal["mean", "nested", "averaged"]
"""The means of the leaves' posteriors, leaves that lean on the nodes above, or the average over all prunings."""


@dataclass(frozen=True)
class TreeQuestion:
    """A question: ``where`` it is asked (the states that lead there), about which variable, what its branches are."""

    where: Mapping[str, NamedStates]
    variable: str
    branches: tuple[NamedStates, ...]
    gain: float


@dataclass(frozen=True)
class GrownLeaf:
    """A leaf: the states that lead there, the share of all configurations that have them, and its counts by state."""

    where: Mapping[str, NamedStates]
    volume: float
    counts: Mapping[State, float]


@dataclass(frozen=True, repr=False)
class FamilyTree(Printable):
    """A tree as it was grown: ``questions`` in the order in which they were asked, and its ``leaves``."""

    node: str
    questions: tuple[TreeQuestion, ...]
    leaves: tuple[GrownLeaf, ...]
    smoothing: Smoothing
    _grown: GrownTree = field(repr=False, compare=False)
    _schema: Schema = field(repr=False, compare=False)

    @classmethod
    def of(cls, schema: Schema, node: int, grown: GrownTree, smoothing: Smoothing) -> "FamilyTree":
        """Put a tree in names."""
        coded = grown.coded(schema.n_states)
        states = schema[node].states

        def name(box: Mapping[int, int]) -> dict[str, NamedStates]:
            return {
                schema[v].name: tuple(s for code, s in enumerate(schema[v].states) if own >> code & 1)
                for v, own in box.items()
            }

        questions = tuple(
            TreeQuestion(
                name(q.where),
                schema[q.variable].name,
                tuple(name({q.variable: own})[schema[q.variable].name] for own in q.branches),
                q.gain,
            )
            for q in grown.questions(schema.n_states)
        )
        leaves = []
        for place, box in coded.boxes():
            counts = dict(zip(states, grown.counts[place].tolist(), strict=True))
            where = name({grown.parents[axis]: own for axis, own in box.items()})
            leaves.append(GrownLeaf(where, float(coded.shares[place]), counts))
        return cls(schema[node].name, questions, tuple(leaves), smoothing, grown, schema)

    def distribution(
        self,
        configuration: Context,
        *,
        estimate: LeafEstimate = "mean",
        kappa: float | None = None,
        strength: float | None = None,
    ) -> dict[State, float]:
        """Return the distribution of the node in a configuration of what is asked about.

        Parameters
        ----------
        configuration
            The states of the variables that are asked about; others make no difference.
        estimate
            "mean": the means of the leaf's posterior; "nested": the leaf leans on the node above it with ``strength``
            observations, which does so in turn; "averaged": the average over all prunings of the tree, a parameter
            more costing ``kappa``.
        kappa, strength
            What the last two need.

        Examples
        --------
        >>> import ldag
        >>> ucb = ldag.datasets.load("ucb")
        >>> grown = ldag.learn_family(
        ...     ucb, "admitted", candidates="all", structure="tree", kappa=0.1, prior="parameters"
        ... )
        >>> p = grown.tree.distribution({"department": "A", "gender": "Female"})
        >>> round(p["Admitted"], 2)
        0.82
        """
        check_choice(estimate, ("mean", "nested", "averaged"), "estimate")
        codes = []
        given = check_mapping(configuration, "configuration")
        for name in given:
            if name not in self._schema.names:
                raise UnknownVariable(name, self._schema.names, "configuration: ")
        for parent in self._grown.parents:
            variable = self._schema[parent]
            if variable.name not in given:
                raise ArgumentError(
                    f"configuration: the state of {variable.name!r} is missing, which the tree asks about"
                )
            codes.append(variable.code(given[variable.name], "configuration: "))
        row = self._tables(estimate, kappa, strength)[self._coded.find_leaf(codes)]
        node = self._schema[self._schema.node(self.node)]
        return dict(zip(node.states, row.tolist(), strict=True))

    def _tables(self, estimate: LeafEstimate, kappa: float | None, strength: float | None) -> NDArray[np.float64]:
        """Return a row per leaf."""
        for name, value, owner in (("kappa", kappa, "averaged"), ("strength", strength, "nested")):
            if (value is not None) != (estimate == owner):
                raise ArgumentError(f"{argument(name)} goes with {option('estimate', owner)}, and one needs the other")
            most = 1.0 if owner == "averaged" else inf
            if value is not None and not (is_number(value) and 0 < value <= most and value < inf):
                limit = "a finite number above 0" if most == inf else "a number above 0 and at most 1"
                raise ArgumentError(f"{argument(name)} must be {limit}, got {value!r}")
        leaves = self._grown.counts[self._coded.leaves]
        size, spread = self.smoothing
        if strength is not None or (estimate == "mean" and spread == "nested"):
            return normalise(leaves + lean_on_above(self._coded, leaves, size if strength is None else strength))
        sizes = size * self._coded.shares if spread == "configurations" else np.full(self._coded.n_nodes, size)
        if kappa is not None:
            return average_prunings(self._coded, leaves, sizes, log(kappa))[0]
        return normalise(leaves + sizes[self._coded.leaves][:, None] / leaves.shape[1])

    @cached_property
    def _coded(self) -> CodedTree:
        return self._grown.coded(self._schema.n_states)

    def __str__(self) -> str:
        n_asked = counted(len({question.variable for question in self.questions}), "variable")
        lines = [f"{self.node}: {counted(len(self.leaves), 'leaf', 'leaves')}, questions about {n_asked}"]
        for leaf in self.leaves:
            where = [{name: state} for name, states in leaf.where.items() for state in states]
            named = [" or ".join(conditions([c for c in where if name in c])) for name in leaf.where]
            total = sum(leaf.counts.values())
            shares = ", ".join(
                f"{state} {spell_share(n / total) if total else '-'}" for state, n in leaf.counts.items()
            )
            lines.append(f"  {' and '.join(named) or 'always'}: {total:,.10g} rows, {shares}")
        return "\n".join(lines)


GROWTH = ("splits", "levels", "choice_price", "max_leaves", "max_parents")
"""The options of growth."""


class GrowthAndReading(Reading, total=False):
    """The options of growth, and those of `read`."""

    splits: Splits
    levels: bool
    choice_price: float
    max_leaves: int | None
    max_parents: int | None


class GrownFamily(NamedTuple):
    """A family that was grown."""

    grown: GrownTree
    family: CodedFamily
    tree: FamilyTree


def check_growth(
    schema: Schema,
    kappa: float | None,
    structure: StructureKind,
    label_search: LabelSearch,
    equivalent_sample_size: float,
    prior: Prior,
    rng: Rng,
) -> FamilyOptions:
    """Return how a tree is grown."""
    if not STRUCTURES[structure].has_leaf_prior:
        raise ArgumentError(f"{argument('candidates')} are for {option('structure', 'tree')}, got {structure!r}")
    if label_search != "greedy" or rng is not None:
        name = "rng" if rng is not None else "label_search"
        raise ArgumentError(f"{argument(name)} does not apply to {argument('candidates')}: growth has no choice in it")
    if prior in ("labels", "normalised"):
        raise ArgumentError(
            f"prior {prior!r} pays by configurations, of which there is no end; with {argument('candidates')} take"
            " 'parameters', 'leaves', 'nested' or 'uniform'"
        )
    priors = check_priors(kappa, equivalent_sample_size, prior)
    return FamilyOptions(priors, structure, label_search, 0, (), tuple(variable.ordered for variable in schema))


def grow_family(
    data: Dataset, child: int, own: Iterable[int], options: FamilyOptions, growth: Mapping[str, Any]
) -> GrownFamily:
    """Grow the tree of one node, whose questions may be about some others."""
    schema, name = data.schema, data.names[child]
    own = tuple(own)
    if data.has_gaps:
        how = by_door("complete_rows()", option("missing", "drop"))
        raise DataError(f"to grow the tree of {name!r} needs every cell; {how} leaves out the rows with gaps")
    constant = data.constant_nodes
    varied = () if child in constant else tuple(v for v in own if v not in constant)
    most = growth.get("max_parents")
    most = len(varied) if most is None else check_whole(most, argument("max_parents"), 0)
    n = len(schema)
    usual = {"levels": False, "choice_price": 0.0}
    search = Grow(**{**usual, **{name: value for name, value in growth.items() if name in Grow.option_names()}})
    candidates = tuple(varied if v == child else () for v in range(n))
    space = SearchSpace(candidates, ((),) * n, tuple(most if v == child else 0 for v in range(n)), ())
    problem = SearchProblem(space, options, schema.n_states, data.n_rows, columns=data.columns)
    result = search.run(options.scorer(data.columns, cache_bytes=0), problem, SearchControl(1))
    grown = result.trees[child]
    tree = FamilyTree.of(schema, child, grown, options.priors.smoothing)
    return GrownFamily(grown, grown.family(schema.n_states, repr(name)).family, tree)
