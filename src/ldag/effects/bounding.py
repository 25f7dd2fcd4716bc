"""Bounds of effects that have no formula: one confounded district by linear programming, all else by numbers.

The observed table is a product over districts (Tian and Pearl 2002), and so is what follows from an intervention. The
factors that the table tells enter as numbers; of the one district whose factor it does not tell, all response types
that agree with the table are gone through by a linear programme.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ldag.effects.formulas import (
    ONE,
    Draws,
    Formula,
    Probability,
    add_up,
    evaluate,
    fix,
    multiply,
    nodes_in,
    slots,
    take_anywhere,
)
from ldag.effects.mixed_graphs import MixedGraph, NodeSet
from ldag.effects.plain import identify_plain
from ldag.effects.programs import (
    Coordinates,
    Responses,
    ResponseTypes,
    TypeNumbers,
    TypeProgram,
    find_responses,
    list_cells,
)
from ldag.effects.results import EffectQuestion, Hedge, States
from ldag.effects.sources import MeanSource, NumberSource
from ldag.errors import ArgumentError, DataError, counted
from ldag.model import Structure

MOST_TOGETHER = 1 << 14
"""Response types that one programme has before strata of covariates are bounded one by one."""
CONTRADICTED = 1e-6
"""A table that must be changed by more, in all its cells together, contradicts the graph."""


@dataclass(frozen=True, eq=False)
class EffectBounds:
    """The least and greatest values of probabilities in any model of the graph with the table, for each draw of it."""

    low: Draws
    """(draws, states of the target), or (draws, 1) for an event."""
    high: Draws
    changes: Draws
    """By draw, how much of the table had to be changed so that there is a model with it: the sum over its cells."""

    @property
    def share_changed(self) -> float:
        """The share of draws that contradict the graph."""
        return float((self.changes > CONTRADICTED).mean())

    def ends(self, interval: float) -> tuple[Draws, Draws]:
        """Return the lower quantiles of the lower ends and the upper quantiles of the upper ends."""
        return (
            np.quantile(self.low, (1 - interval) / 2, axis=0),
            np.quantile(self.high, (1 + interval) / 2, axis=0),
        )

    def notes(self) -> tuple[str, ...]:
        """Say how far the table is from one that the graph allows, if it is."""
        if not self.share_changed:
            return ()
        if len(self.changes) == 1:
            return (
                f"the table contradicts the graph: no model has it, and its cells must change by {self.changes[0]:.4f}"
                " in all to come from one; the bounds are those of such tables",
            )
        return (
            f"{100 * self.share_changed:.0f} % of the drawn tables contradict the graph, and were changed as little as"
            f" possible, by {self.changes[self.changes > CONTRADICTED].mean():.4f} in all cells together on average",
        )


def find_needs(
    structure: Structure, latent: frozenset[int], question: EffectQuestion, against: States | None = None
) -> frozenset[int]:
    """Return the observed variables that bounds of an effect are worked out from: labels may name its setting."""
    split = DistrictSplit(structure, latent, question, against)
    nodes = nodes_in(split.number) | {*question.target, *question.context}
    if split.district:
        nodes |= nodes_in(split.table_of(frozenset(split.district))) | split.graph.parents_of(split.district)
    return nodes


def bound_effect(
    structure: Structure,
    latent: frozenset[int],
    question: EffectQuestion,
    source: NumberSource,
    *,
    event: NDArray[np.bool_] | None = None,
    against: States | None = None,
) -> EffectBounds:
    """Bound P(target | do(setting), context) of every state of the target, in every draw of a source.

    With ``event``, a mask over the states of the targets (an axis each), its probability is bounded; with ``against``,
    another setting of the same treatments, the difference between the two.
    """
    if against is not None and set(against) != set(question.setting):
        raise ArgumentError("bounds of a difference need two settings of the same variables")
    split = DistrictSplit(structure, latent, question, against)
    bounds = [_bound_part(split, part, event) for part in source.parts()]
    low, high, changes = (np.concatenate([getattr(one, name) for one in bounds]) for name in ("low", "high", "changes"))
    least = -1.0 if against is not None else 0.0
    return EffectBounds(np.clip(low, least, 1.0), np.clip(high, least, 1.0), changes)


@dataclass(frozen=True, eq=False)
class DistrictSplit:
    """A question by districts: those whose factors the table tells, and the one that it does not."""

    structure: Structure
    latent: frozenset[int]
    question: EffectQuestion
    against: States | None = None

    @property
    def settings(self) -> tuple[States, ...]:
        """The settings that are compared, or the one that there is."""
        return (self.question.setting,) if self.against is None else (self.question.setting, self.against)

    def __post_init__(self) -> None:
        do, context = set(self.question.do), set(self.question.context)
        if do & self.latent:
            raise ArgumentError("bounds of the effect of a latent variable are not worked out; set observed ones")
        if set(self.question.setting) != do or self.question.given:
            raise ArgumentError("bounds are of one setting: name the state of every treatment and given variable")
        if context & self.graph.descendants(do):
            raise ArgumentError(
                "bounds given what the treatment may change are not linear, and are not worked out; leave out"
                " conditions that lie after the treatment"
            )

    @cached_property
    def graph(self) -> MixedGraph:
        """The latent projection."""
        return MixedGraph.project([family.parents for family in self.structure.families], self.latent)

    @cached_property
    def relevant(self) -> NodeSet:
        """What the answer depends on once treatments are set, without them."""
        asked = {*self.question.target, *self.question.context}
        return self.graph.without_arrows_into(self.question.do).ancestors(asked) - set(self.question.do)

    @cached_property
    def _parts(self) -> tuple[NodeSet, dict[NodeSet, Formula]]:
        """The open district, empty if there is none, and the factors of the others."""
        is_open: list[NodeSet] = []
        factors: dict[NodeSet, Formula] = {}
        for district in self.graph.districts():
            inside = district & self.relevant
            factor = self._factor(district, inside) if inside else ONE
            if isinstance(factor, Hedge):
                is_open.append(district)
            elif inside:
                factors[inside] = factor
        if len(is_open) > 1:
            raise ArgumentError(
                f"{counted(len(is_open), 'group')} of variables that share latent causes are open at once, which makes"
                " the programme one of products, not a linear one; such bounds are not worked out"
            )
        return (is_open[0] if is_open else frozenset()), factors

    def _factor(self, district: NodeSet, inside: NodeSet) -> Formula | Hedge:
        """Return the probability of some nodes of a district when all else is set, as far as the table tells it."""
        around = self.graph.parents_of(inside) - inside
        if district & set(self.question.do):
            if all(map(self._is_known, inside)):
                parents = self.graph.parents
                return multiply(Probability(slots([node]), slots(sorted(parents[node]))) for node in sorted(inside))
            return identify_plain(self.graph, inside, around)
        return take_anywhere(self.graph.nodes - inside - around, add_up(district - inside, self.table_of(district)))

    def _is_known(self, node: int) -> bool:
        """Whether no shared latent matters for a node under any of the settings: labels see to that."""
        own = find_responses(self.structure, self.latent, node)
        cases = ({**self.question.context, **one} for one in self.settings)
        types = (ResponseTypes(self.structure.n_states, {node: own}, case) for case in cases)
        return all(not one.digits for one in types)

    def table_of(self, district: NodeSet) -> Formula:
        """Return the probability of a district when its parents are set: each node given what came before in it."""
        order = self.graph.order()
        factors = []
        for node in sorted(district, key=order.index):
            before = self.graph.subgraph(order[: order.index(node) + 1])
            own = before.district([node])
            factors.append(Probability(slots([node]), slots(sorted((own | before.parents_of(own)) - {node}))))
        return multiply(factors)

    @property
    def district(self) -> tuple[int, ...]:
        """The nodes of the open district, ascending; none if everything is told by the table."""
        return tuple(sorted(self._parts[0]))

    @property
    def inside(self) -> tuple[int, ...]:
        """The nodes of the open district that the answer depends on."""
        return tuple(node for node in self.district if node in self.relevant)

    @cached_property
    def kept(self) -> tuple[int, ...]:
        """The variables that the objective is a function of."""
        return tuple(sorted({*self.inside, *self.graph.parents_of(self.inside), *self.question.target}))

    @cached_property
    def number(self) -> Formula:
        """The product of the factors that the table tells, as a function of what is kept."""
        gone = self.relevant - set(self.kept) - set(self.question.context)
        return add_up(gone, multiply(self._parts[1].values()))

    @cached_property
    def responses(self) -> dict[int, Responses]:
        """What the nodes of the open district answer to."""
        return {node: find_responses(self.structure, self.latent, node) for node in self.district}

    def types_at(self, states: States) -> ResponseTypes:
        """Return the response types of the open district where some of its parents have these states."""
        return ResponseTypes(self.structure.n_states, self.responses, states)

    @cached_property
    def strata(self) -> list[States]:
        """The states of covariates that are bounded one by one, if all together have too many types; mostly none.

        Covariates are parents of the district that neither the treatment nor the district changes. Each stratum has
        its own types, which agree with its own part of the table. Bounds of sums are then valid; they may be wider than
        those of one programme, which asks the types of all strata to be of one distribution.
        """
        after = self.graph.descendants({*self.question.do, *self.district})
        rest = self.graph.parents_of(self.inside) - after - set(self.question.target) - set(self.question.context)
        chosen: list[int] = []
        while rest and self.types_at(dict.fromkeys(chosen, 0)).n_types > MOST_TOGETHER:
            best = min(sorted(rest), key=lambda node: self.types_at(dict.fromkeys([*chosen, node], 0)).n_types)
            chosen.append(best)
            rest -= {best}
        n_states = [self.structure.n_states[node] for node in chosen]
        return [dict(zip(chosen, map(int, codes), strict=True)) for codes in np.ndindex(*n_states)]


class CellNumbers(NamedTuple):
    """The states of variables in a list of cells, and numbers of every draw there (draws, cells)."""

    cells: Coordinates
    numbers: Draws
    wholes: Draws
    """Of the observed table, what the numbers would be if all types did what is asked for."""

    def within(self, states: States) -> "CellNumbers":
        """Return the cells with some states."""
        size = self.numbers.shape[1]
        inside = np.ones(size, dtype=np.bool_)
        for node, code in states.items():
            inside &= self.cells[node] == code
        cells = {node: codes[inside] for node, codes in self.cells.items()}
        return CellNumbers(cells, self.numbers[:, inside], self.wholes[:, inside])


def _bound_part(split: DistrictSplit, source: NumberSource, event: NDArray[np.bool_] | None) -> EffectBounds:
    """Bound an effect in the draws of one part of a source."""
    n_targets = prod(split.structure.n_states[node] for node in split.question.target)
    wanted = np.eye(n_targets) if event is None else event.reshape(1, -1).astype(np.float64)
    sides = [_read_objective(split, source, setting) for setting in split.settings]
    if not split.district:
        first, *others = (_add_by_target(split, side) for side in sides)
        exact = (first - others[0] if others else first) @ wanted.T
        return EffectBounds(exact, exact, np.zeros(len(exact)))
    is_pair = event is None and n_targets == 2  # the two states of one variable have one pair of bounds
    table = _read_table(split, source)
    bounds = [_bound_stratum(split, table, sides, wanted[1:] if is_pair else wanted, one) for one in split.strata]
    low, high, changes = (np.sum([one[side] for one in bounds], axis=0) for side in range(3))
    if is_pair:
        low, high = np.hstack([1 - high, low]), np.hstack([1 - low, high])
    return EffectBounds(low, high, changes)


def _bound_stratum(
    split: DistrictSplit, table: CellNumbers, sides: Sequence[CellNumbers], wanted: Draws, states: States
) -> tuple[Draws, Draws, Draws]:
    """Bound what one stratum adds to an effect, for every draw: least, greatest, and changes of the table."""
    types = split.types_at(states)
    types.check_size()
    equations, shares, amounts = _weigh_table(types, split.district, table.within(states))
    weighed = [_weigh_objective(types, split, side.within(states)) for side in sides]
    members = [one for group, _ in weighed for one in group]
    program = TypeProgram(types.n_types, equations, members)
    signed = [weights if number == 0 else -weights for number, (_, weights) in enumerate(weighed)]
    n_draws = max(len(shares), *(len(weights) for weights in signed))
    low, high, changes = np.empty((n_draws, len(wanted))), np.empty((n_draws, len(wanted))), np.zeros(n_draws)
    for draw in range(n_draws):
        objective = np.concatenate([weights[draw % len(weights)] for weights in signed])
        own = draw % len(shares)
        for place, mask in enumerate(wanted):
            solved = program.solve(shares[own], amounts[own], objective @ mask)
            low[draw, place], high[draw, place], changes[draw] = solved
    return low, high, changes


def _read_table(split: DistrictSplit, source: NumberSource) -> CellNumbers:
    """Return what the table says of the open district, cell by cell; NaN where it says nothing."""
    district, n_states = split.district, split.structure.n_states
    outside = sorted(split.graph.parents_of(district) - set(district))
    nodes = [*district, *outside]
    cells = list_cells(nodes, n_states)
    table = _read_values(split.table_of(frozenset(district)), source, nodes, n_states)
    of_parents = evaluate(Probability(slots(outside)) if outside else ONE, source).over(nodes, n_states)
    factors = _read_factors(split, source, district, cells)
    table, of_parents = (one.reshape(len(one), -1) for one in (table, of_parents))
    is_unknown = np.isnan(table) | np.isnan(factors)
    parts, wholes = (np.where(is_unknown, 0.0, of_parents * np.nan_to_num(one)) for one in (table, factors))
    return CellNumbers(cells, parts, wholes)


def _weigh_table(
    types: ResponseTypes, district: Sequence[int], table: CellNumbers
) -> tuple[list[TypeNumbers], Draws, Draws]:
    """Return the equations: which types make which states together, their share, and how much of the table that is.

    Cells that ask the same of types are one equation: the table may give them different shares, which differ by chance
    or contradict the graph's labels, and they are averaged by how probable the cells' parents are.
    """
    groups, place = np.unique(types.require(district, table.cells), axis=0, return_inverse=True)
    parts, wholes = (_add_by_group(one, place.reshape(-1), len(groups)) for one in (table.numbers, table.wholes))
    shares = np.where(wholes > 0, parts / np.where(wholes > 0, wholes, 1.0), np.nan)
    kept = [number for number, group in enumerate(groups) if (group >= 0).any()]
    return [types.members(groups[number]) for number in kept], shares[:, kept], wholes[:, kept]


def _read_objective(split: DistrictSplit, source: NumberSource, setting: States) -> CellNumbers:
    """Return how much every cell counts for the answer, once types lead there."""
    n_states = split.structure.n_states
    fixed = {**split.question.context, **setting}
    free = [node for node in split.kept if node not in fixed]
    cells = list_cells(free, n_states)
    size = len(cells[split.question.target[0]])
    cells |= {node: np.full(size, code, dtype=np.int64) for node, code in fixed.items()}
    numbers = _read_values(fix(split.number, fixed), source, free, n_states).reshape(-1, size)
    if split.inside:
        factors = _read_factors(split, source, split.inside, cells)
        numbers = np.where(numbers == 0, 0.0, numbers * factors)
    if split.question.context:
        condition = Probability(slots(sorted(split.question.context), fixed))
        numbers = numbers / evaluate(condition, source).array[:, None]
    if np.isnan(numbers).any():
        raise DataError(
            "the table cannot bound this: it has no row in a stratum that the answer depends on; give more rows, or an"
            " interval, which comes with a prior"
        )
    return CellNumbers(cells, numbers, np.ones((1, size)))


def _weigh_objective(types: ResponseTypes, split: DistrictSplit, side: CellNumbers) -> tuple[list[TypeNumbers], Draws]:
    """Return which types lead to which states, and how much each counts: an array (draws, sets, states of targets)."""
    groups, place = np.unique(types.require(split.inside, side.cells), axis=0, return_inverse=True)
    return [types.members(group) for group in groups], _add_by_target(split, side, place.reshape(-1), len(groups))


def _add_by_target(
    split: DistrictSplit, side: CellNumbers, place: TypeNumbers | int = 0, n_groups: int | None = None
) -> Draws:
    """Add up cells by the state of the target, and by the group that they are in if there are several."""
    n_states = split.structure.n_states
    size = prod(n_states[node] for node in split.question.target)
    states = place * np.ones(side.numbers.shape[1], dtype=np.int64)
    for node in split.question.target:
        states = states * n_states[node] + side.cells[node]
    added = _add_by_group(side.numbers, states, (n_groups or 1) * size)
    return added if n_groups is None else added.reshape(len(added), n_groups, size)


def _read_values(formula: Formula, source: NumberSource, nodes: Sequence[int], n_states: Sequence[int]) -> Draws:
    """Return a formula's values; NaN where a table without a prior does not tell them."""
    values = evaluate(formula, source).over(nodes, n_states)
    if not isinstance(source, MeanSource) or source.size:
        return values
    filled = evaluate(formula, MeanSource(source.table, 0.0, 1.0)).over(nodes, n_states)
    return np.where(np.isclose(values, filled, rtol=0, atol=1e-12), values, np.nan)


def _read_factors(split: DistrictSplit, source: NumberSource, nodes: Sequence[int], cells: Coordinates) -> Draws:
    """Return in every cell the probability of the states of nodes where no latent matters (draws, cells)."""
    factors = np.ones((1, len(next(iter(cells.values())))))
    for node in nodes:
        own = split.responses[node]
        rows = own.rows_in(cells, split.structure.n_states)
        chances = _row_chances(split, node, source)
        factors = factors * np.where(own.is_known[rows], chances[:, rows, cells[node]], 1.0)
    return factors


def _row_chances(split: DistrictSplit, node: int, source: NumberSource) -> Draws:
    """Return the distribution of a node in each of its rows (draws, rows, states); NaN where there is no data."""
    responses = split.responses[node]
    joint = source.conditional((node, *responses.parents), ())
    joint = joint.reshape([len(joint), split.structure.n_states[node], -1])
    by_row = np.zeros([len(joint), len(responses.is_known), joint.shape[1]])
    for place, row in enumerate(responses.rows.tolist()):
        by_row[:, row] += joint[:, :, place]
    total = by_row.sum(axis=2, keepdims=True)
    return np.where(total > 0, by_row / np.where(total > 0, total, 1.0), np.nan)


def _add_by_group(numbers: Draws, place: TypeNumbers, n_groups: int) -> Draws:
    """Add up columns that belong together."""
    return np.stack([np.bincount(place, row, n_groups) for row in numbers])
