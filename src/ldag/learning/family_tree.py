"""The tree of one node, grown from rows, in names: its questions in the order they were asked, and its leaves."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import inf, log
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ldag.checks import check_choice, check_mapping, is_number
from ldag.errors import ArgumentError, UnknownVariable, argument, counted, option
from ldag.formats import Context, conditions, spell_share
from ldag.hook import Printable
from ldag.learning.grown import GrownTree
from ldag.model import CodedTree, Schema, Smoothing, State, average_prunings, lean_on_above, normalise

StatesLeft = tuple[State, ...]

LeafEstimate = Literal["mean", "nested", "averaged"]
"""The means of the leaves' posteriors, leaves that lean on the nodes above, or the average over all prunings."""


@dataclass(frozen=True)
class TreeQuestion:
    """A question: ``where`` it is asked (the states that lead there), about which variable, what its branches are."""

    where: Mapping[str, StatesLeft]
    variable: str
    branches: tuple[StatesLeft, ...]
    gain: float


@dataclass(frozen=True)
class GrownLeaf:
    """A leaf: the states that lead there, the share of all configurations that have them, and its counts by state."""

    where: Mapping[str, StatesLeft]
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

        def name(box: Mapping[int, int]) -> dict[str, StatesLeft]:
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
